#pragma once
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>
#include "login.h"
#include "secrets.h"

/* sd_journal_sendv, whose name is a macro: without the place in the source, which Swift does not give. */
static inline int csystemd_journal_send(const struct iovec *parts, int count) {
    return sd_journal_sendv(parts, count);
}

/* sd_bus_call_method is variadic, which Swift cannot call. Each waits as long as the bus says at most. */

#define CSYSTEMD_NOTIFICATIONS "org.freedesktop.Notifications", "/org/freedesktop/Notifications", \
    "org.freedesktop.Notifications"

/* What a notification says; `actions` are keys and labels in turn, and a null pointer. */
struct csystemd_note {
    uint32_t replaces;
    const char *title, *text;
    const char *picture; /* The path of a picture, or a null pointer. */
    uint8_t urgency;
    char **actions;
};

/* Notify of the Desktop Notifications Specification; 0 or a negative errno. */
static inline int csystemd_notify(sd_bus *bus, const struct csystemd_note *note, uint32_t *number) {
    sd_bus_message *call = NULL, *reply = NULL;
    int code = sd_bus_message_new_method_call(bus, &call, CSYSTEMD_NOTIFICATIONS, "Notify");
    if (code >= 0)
        code = sd_bus_message_append(
            call, "susss", "Stoa", note->replaces, "internet-chat", note->title, note->text);
    if (code >= 0) code = sd_bus_message_append_strv(call, note->actions);
    if (code >= 0) code = sd_bus_message_open_container(call, 'a', "{sv}");
    if (code >= 0)
        code = sd_bus_message_append(
            call, "{sv}{sv}{sv}", "urgency", "y", note->urgency, "category", "s", "im.received",
            "desktop-entry", "s", "stoa");
    if (code >= 0 && note->picture)
        code = sd_bus_message_append(call, "{sv}", "image-path", "s", note->picture);
    if (code >= 0) code = sd_bus_message_close_container(call);
    if (code >= 0) code = sd_bus_message_append(call, "i", -1);
    if (code >= 0) code = sd_bus_call(bus, call, 0, NULL, &reply);
    if (code >= 0) code = sd_bus_message_read_basic(reply, 'u', number);
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
    return code < 0 ? code : 0;
}

/* Whether the notification server has a capability. */
static inline int csystemd_can(sd_bus *bus, const char *capability) {
    sd_bus_message *reply = NULL;
    const char *word = NULL;
    int found = 0;
    if (sd_bus_call_method(bus, CSYSTEMD_NOTIFICATIONS, "GetCapabilities", NULL, &reply, "") >= 0
        && sd_bus_message_enter_container(reply, 'a', "s") >= 0)
        while (!found && sd_bus_message_read_basic(reply, 's', &word) > 0)
            found = strcmp(word, capability) == 0;
    sd_bus_message_unref(reply);
    return found;
}

/* CloseNotification of the same. */
static inline int csystemd_close(sd_bus *bus, uint32_t number) {
    return sd_bus_call_method(
        bus, CSYSTEMD_NOTIFICATIONS, "CloseNotification", NULL, NULL, "u", number);
}

/* Whether a property of the notification server says that nobody is to be disturbed; no where it has none. */
static inline int csystemd_is_inhibited(sd_bus *bus) {
    int inhibited = 0, paused = 0;
    sd_bus_get_property_trivial(bus, CSYSTEMD_NOTIFICATIONS, "Inhibited", NULL, 'b', &inhibited);
    sd_bus_get_property_trivial(
        bus, "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
        "org.dunstproject.cmd0", "paused", NULL, 'b', &paused);
    return inhibited || paused;
}

/* The number in a signal of the server that sd_bus_process has brought, 0 for any other message; and its name, and
   the word or the text in it, which live as long as the message. */
static inline uint32_t csystemd_signal(sd_bus_message *message, const char **name, const char **text) {
    static const char *const names[] = {"NotificationClosed", "ActionInvoked", "NotificationReplied"};
    uint32_t number = 0;
    *text = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (sd_bus_message_is_signal(message, "org.freedesktop.Notifications", names[i]) <= 0) continue;
        *name = names[i];
        sd_bus_message_read_basic(message, 'u', &number);
        if (i > 0) sd_bus_message_read_basic(message, 's', text);
    }
    return number;
}
