#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

/* sd_journal_sendv, whose name is a macro: without the place in the source, which Swift does not give. */
static inline int csystemd_journal_send(const struct iovec *parts, int count) {
    return sd_journal_sendv(parts, count);
}

/* sd_bus_call_method is variadic, which Swift cannot call. Each waits as long as the bus says at most. */

#define CSYSTEMD_NOTIFICATIONS "org.freedesktop.Notifications", "/org/freedesktop/Notifications", \
    "org.freedesktop.Notifications"

/* Notify of the Desktop Notifications Specification; 0 or a negative errno. */
static inline int csystemd_notify(
    sd_bus *bus, uint32_t replaces, const char *title, const char *text, uint8_t urgency,
    uint32_t *number) {
    sd_bus_message *reply = NULL;
    int code = sd_bus_call_method(
        bus, CSYSTEMD_NOTIFICATIONS, "Notify", NULL, &reply, "susssasa{sv}i", "Stoa", replaces,
        "internet-chat", title, text, 0, 3, "urgency", "y", urgency, "category", "s", "im.received",
        "desktop-entry", "s", "stoa", -1);
    if (code >= 0) code = sd_bus_message_read_basic(reply, 'u', number);
    sd_bus_message_unref(reply);
    return code < 0 ? code : 0;
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

/* The number in a NotificationClosed that sd_bus_process has brought; 0 for any other message. */
static inline uint32_t csystemd_closed(sd_bus_message *message) {
    uint32_t number = 0;
    if (sd_bus_message_is_signal(message, "org.freedesktop.Notifications", "NotificationClosed") > 0)
        sd_bus_message_read_basic(message, 'u', &number);
    return number;
}
