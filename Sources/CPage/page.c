/* The files of the page as constants: they cost no memory until somebody asks for them. */
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "page.h"

#include <string.h>

static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char page_css[] = {
#embed "Page/page.css"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char icon_new_svg[] = {
#embed "Page/icon-new.svg"
};
static const unsigned char main_js[] = {
#embed "Page/main.js"
};
static const unsigned char texts_js[] = {
#embed "Page/texts.js"
};
static const unsigned char words_js[] = {
#embed "Page/words.js"
};
static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};
static const unsigned char link_js[] = {
#embed "Page/link.js"
};
static const unsigned char model_js[] = {
#embed "Page/model.js"
};
static const unsigned char list_js[] = {
#embed "Page/list.js"
};
static const unsigned char log_js[] = {
#embed "Page/log.js"
};
static const unsigned char composer_js[] = {
#embed "Page/composer.js"
};
static const unsigned char dialogs_js[] = {
#embed "Page/dialogs.js"
};
static const unsigned char people_js[] = {
#embed "Page/people.js"
};
static const unsigned char settings_js[] = {
#embed "Page/settings.js"
};
static const unsigned char lock_js[] = {
#embed "Page/lock.js"
};
static const unsigned char start_js[] = {
#embed "Page/start.js"
};
static const unsigned char finding_js[] = {
#embed "Page/finding.js"
};
static const unsigned char files_js[] = {
#embed "Page/files.js"
};
static const unsigned char faces_js[] = {
#embed "Page/faces.js"
};
static const unsigned char groups_js[] = {
#embed "Page/groups.js"
};
static const unsigned char devices_js[] = {
#embed "Page/devices.js"
};
static const unsigned char presence_js[] = {
#embed "Page/presence.js"
};
static const unsigned char qr_js[] = {
#embed "Page/qr.js"
};
static const unsigned char emoji_js[] = {
#embed "Page/emoji.js"
};
static const unsigned char calls_js[] = {
#embed "Page/calls.js"
};
static const unsigned char callmachine_js[] = {
#embed "Page/callmachine.js"
};
static const unsigned char callwire_js[] = {
#embed "Page/callwire.js"
};
static const unsigned char callmedia_js[] = {
#embed "Page/callmedia.js"
};
static const unsigned char calltone_js[] = {
#embed "Page/calltone.js"
};

#define ENTRY(name, bytes) {name, bytes, sizeof bytes}

static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} files[] = {
    ENTRY("index.html", index_html),
    ENTRY("page.css", page_css),
    ENTRY("icon.svg", icon_svg),
    ENTRY("icon-new.svg", icon_new_svg),
    ENTRY("main.js", main_js),
    ENTRY("texts.js", texts_js),
    ENTRY("words.js", words_js),
    ENTRY("dom.js", dom_js),
    ENTRY("link.js", link_js),
    ENTRY("model.js", model_js),
    ENTRY("list.js", list_js),
    ENTRY("log.js", log_js),
    ENTRY("composer.js", composer_js),
    ENTRY("dialogs.js", dialogs_js),
    ENTRY("people.js", people_js),
    ENTRY("settings.js", settings_js),
    ENTRY("lock.js", lock_js),
    ENTRY("start.js", start_js),
    ENTRY("finding.js", finding_js),
    ENTRY("files.js", files_js),
    ENTRY("faces.js", faces_js),
    ENTRY("groups.js", groups_js),
    ENTRY("devices.js", devices_js),
    ENTRY("presence.js", presence_js),
    ENTRY("qr.js", qr_js),
    ENTRY("emoji.js", emoji_js),
    ENTRY("calls.js", calls_js),
    ENTRY("callmachine.js", callmachine_js),
    ENTRY("callwire.js", callwire_js),
    ENTRY("callmedia.js", callmedia_js),
    ENTRY("calltone.js", calltone_js),
};

static int has(int index) { return index >= 0 && (size_t)index < sizeof files / sizeof *files; }

const char *cpage_name(int index) { return has(index) ? files[index].name : NULL; }

size_t cpage_count(int index) { return has(index) ? files[index].count : 0; }

void cpage_copy(int index, unsigned char *bytes) {
    if (has(index)) memcpy(bytes, files[index].bytes, files[index].count);
}
