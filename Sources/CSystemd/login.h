#pragma once
#include <string.h>
#include <systemd/sd-bus.h>

/* What is asked of systemd-logind, org.freedesktop.login1(5). Nothing here waits: calls are sent, and what comes back
   is told from the rest by its cookie. */

#define CSYSTEMD_LOGIN "org.freedesktop.login1"
#define CSYSTEMD_LOGIN_PATH "/org/freedesktop/login1"

/* The bus of the system, with what logind says about sleep and locks of sessions, and who is logind. */
static inline int csystemd_login_open(sd_bus **found) {
    static const char *const matches[] = {
        "type='signal',sender='" CSYSTEMD_LOGIN "',interface='org.freedesktop.login1.Manager',"
        "member='PrepareForSleep'",
        "type='signal',sender='" CSYSTEMD_LOGIN "',interface='org.freedesktop.login1.Session',"
        "member='Lock'",
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        "member='NameOwnerChanged',arg0='" CSYSTEMD_LOGIN "'",
    };
    sd_bus *bus = NULL;
    int code = sd_bus_open_system(&bus);
    for (size_t i = 0; code >= 0 && i < sizeof matches / sizeof *matches; i++)
        code = sd_bus_add_match_async(bus, NULL, matches[i], NULL, NULL, NULL);
    if (code < 0) {
        sd_bus_close_unref(bus);
        return code;
    }
    *found = bus;
    return 0;
}

/* Inhibit: asks for a descriptor that delays sleep for as long as it is open. */
static inline int csystemd_login_inhibit(sd_bus *bus, uint64_t *cookie) {
    sd_bus_message *call = NULL;
    int code = sd_bus_message_new_method_call(
        bus, &call, CSYSTEMD_LOGIN, CSYSTEMD_LOGIN_PATH, "org.freedesktop.login1.Manager", "Inhibit");
    if (code >= 0)
        code = sd_bus_message_append(
            call, "ssss", "sleep", "Stoa", "The node is locked before the machine sleeps.", "delay");
    if (code >= 0) code = sd_bus_send(bus, call, cookie);
    sd_bus_message_unref(call);
    return code;
}

/* Asks whose a session is. */
static inline int csystemd_login_user(sd_bus *bus, const char *session, uint64_t *cookie) {
    sd_bus_message *call = NULL;
    int code = sd_bus_message_new_method_call(
        bus, &call, CSYSTEMD_LOGIN, session, "org.freedesktop.DBus.Properties", "Get");
    if (code >= 0) code = sd_bus_message_append(call, "ss", "org.freedesktop.login1.Session", "User");
    if (code >= 0) code = sd_bus_send(bus, call, cookie);
    sd_bus_message_unref(call);
    return code;
}

enum csystemd_login_kind {
    csystemd_login_other,
    csystemd_login_sleep, /* `flag` says whether it comes or has ended. */
    csystemd_login_lock,  /* `text` is the path of the session. */
    csystemd_login_owner, /* `text` is the unique name of logind, empty where there is none. */
    csystemd_login_answer,
};

/* A message; what it points to lives as long as the message. */
struct csystemd_login {
    enum csystemd_login_kind kind;
    int flag;
    const char *text, *sender;
    uint64_t cookie; /* Of the call that is answered. */
};

static inline struct csystemd_login csystemd_login_read(sd_bus_message *message) {
    struct csystemd_login found = {.kind = csystemd_login_other, .text = "", .sender = ""};
    const char *sender = sd_bus_message_get_sender(message);
    if (sender) found.sender = sender;
    if (sd_bus_message_is_signal(message, "org.freedesktop.login1.Manager", "PrepareForSleep") > 0) {
        if (sd_bus_message_read_basic(message, 'b', &found.flag) > 0) found.kind = csystemd_login_sleep;
    } else if (sd_bus_message_is_signal(message, "org.freedesktop.login1.Session", "Lock") > 0) {
        const char *path = sd_bus_message_get_path(message);
        if (path) {
            found.text = path;
            found.kind = csystemd_login_lock;
        }
    } else if (sd_bus_message_is_signal(message, "org.freedesktop.DBus", "NameOwnerChanged") > 0) {
        const char *name = NULL, *old = NULL, *new = NULL;
        if (sd_bus_message_read(message, "sss", &name, &old, &new) > 0
            && strcmp(name, CSYSTEMD_LOGIN) == 0 && strcmp(found.sender, "org.freedesktop.DBus") == 0) {
            found.text = new;
            found.kind = csystemd_login_owner;
        }
    } else if (sd_bus_message_get_reply_cookie(message, &found.cookie) >= 0) {
        found.kind = csystemd_login_answer;
        const sd_bus_error *error = sd_bus_message_get_error(message);
        if (error && error->name) found.text = error->name;
    }
    return found;
}

/* The descriptor in the answer to Inhibit, which lives as long as the message; negative where there is none. */
static inline int csystemd_login_descriptor(sd_bus_message *answer) {
    int descriptor = -1;
    return sd_bus_message_read_basic(answer, 'h', &descriptor) > 0 ? descriptor : -1;
}

/* Whether the answer says that the session is of this user. */
static inline int csystemd_login_is_of(sd_bus_message *answer, uint32_t user) {
    uint32_t found = 0;
    return sd_bus_message_enter_container(answer, 'v', "(uo)") > 0
        && sd_bus_message_enter_container(answer, 'r', "uo") > 0
        && sd_bus_message_read_basic(answer, 'u', &found) > 0 && found == user;
}
