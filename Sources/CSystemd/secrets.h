#pragma once
#include <errno.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

/* The Secret Service API of freedesktop.org, which desktops' keyrings offer. Each call waits as long as the bus says
   at most, gives 0 or a negative errno, and shows no prompt: ENOKEY where the keyring would have to be unlocked,
   EHOSTUNREACH where there is none, ENOENT where it lacks what is asked for. */

#define CSYSTEMD_SECRETS "org.freedesktop.secrets"
#define CSYSTEMD_SECRETS_PATH "/org/freedesktop/secrets"

static inline uint64_t csystemd_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* The bus of the session, once it has let us in; a bus that only takes the connection is given up after so many
   microseconds, and each call on it as well. */
static inline int csystemd_session_bus(sd_bus **found, uint64_t patience) {
    sd_bus *bus = NULL;
    uint64_t end = csystemd_now() + patience;
    int code = sd_bus_open_user(&bus);
    if (code >= 0) code = sd_bus_set_method_call_timeout(bus, patience);
    while (code >= 0 && (code = sd_bus_is_ready(bus)) == 0) {
        code = sd_bus_process(bus, NULL);
        if (code != 0) continue;
        uint64_t now = csystemd_now();
        code = now < end ? sd_bus_wait(bus, end - now) : -ETIMEDOUT;
        if (code == -EINTR) code = 0;
    }
    if (code < 0) {
        sd_bus_close_unref(bus);
        return code;
    }
    *found = bus;
    return 0;
}

static inline int csystemd_secrets_code(int code, sd_bus_error *error) {
    static const struct {
        const char *name;
        int code;
    } known[] = {
        {"org.freedesktop.Secret.Error.IsLocked", ENOKEY},
        {"org.freedesktop.Secret.Error.NoSuchObject", ENOENT},
        {SD_BUS_ERROR_UNKNOWN_OBJECT, ENOENT},
        {SD_BUS_ERROR_UNKNOWN_METHOD, ENOENT},
        {SD_BUS_ERROR_UNKNOWN_INTERFACE, ENOENT},
        {SD_BUS_ERROR_SERVICE_UNKNOWN, EHOSTUNREACH},
        {SD_BUS_ERROR_NAME_HAS_NO_OWNER, EHOSTUNREACH},
    };
    for (size_t i = 0; code < 0 && i < sizeof known / sizeof *known; i++)
        if (sd_bus_error_has_name(error, known[i].name)) code = -known[i].code;
    /* The bus could not start one. */
    if (code < 0 && error->name
        && strncmp(error->name, "org.freedesktop.DBus.Error.Spawn.", 33) == 0)
        code = -EHOSTUNREACH;
    sd_bus_error_free(error);
    return code < 0 ? code : 0;
}

/* OpenSession, in which secrets are passed as they are: the bus is the user's own. The path is a copy. */
static inline int csystemd_secrets_open(sd_bus *bus, char **session) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    const char *path = NULL;
    int code = sd_bus_call_method(
        bus, CSYSTEMD_SECRETS, CSYSTEMD_SECRETS_PATH, "org.freedesktop.Secret.Service", "OpenSession",
        &error, &reply, "sv", "plain", "s", "");
    if (code >= 0) code = sd_bus_message_skip(reply, "v");
    if (code >= 0) code = sd_bus_message_read_basic(reply, 'o', &path);
    if (code >= 0) *session = strdup(path);
    sd_bus_message_unref(reply);
    return csystemd_secrets_code(code, &error);
}

/* The path of an item of Stoa's, a copy; ENOKEY where it is in a keyring that is locked, ENOENT where there is none. */
static inline int csystemd_secrets_find(sd_bus *bus, const char *slot, char **item) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    const char *path = NULL;
    int hidden = 0;
    int code = sd_bus_call_method(
        bus, CSYSTEMD_SECRETS, CSYSTEMD_SECRETS_PATH, "org.freedesktop.Secret.Service", "SearchItems",
        &error, &reply, "a{ss}", 2, "application", "stoa", "slot", slot);
    if (code >= 0) code = sd_bus_message_enter_container(reply, 'a', "o");
    if (code >= 0) code = sd_bus_message_read_basic(reply, 'o', &path);
    if (code > 0) *item = strdup(path);
    if (code == 0) {
        code = sd_bus_message_exit_container(reply);
        if (code >= 0) code = sd_bus_message_enter_container(reply, 'a', "o");
        if (code >= 0) hidden = sd_bus_message_read_basic(reply, 'o', &path);
        if (code >= 0) code = hidden > 0 ? -ENOKEY : -ENOENT;
    }
    sd_bus_message_unref(reply);
    return csystemd_secrets_code(code, &error);
}

/* What an item has, copied to where there is room for so many bytes; EMSGSIZE where it has more. */
static inline int csystemd_secrets_read(
    sd_bus *bus, const char *item, const char *session, uint8_t *bytes, size_t room, size_t *count) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    const void *value = NULL;
    size_t length = 0;
    int code = sd_bus_call_method(
        bus, CSYSTEMD_SECRETS, item, "org.freedesktop.Secret.Item", "GetSecret", &error, &reply, "o",
        session);
    if (code >= 0) sd_bus_message_sensitive(reply);
    if (code >= 0) code = sd_bus_message_enter_container(reply, 'r', "oayays");
    if (code >= 0) code = sd_bus_message_skip(reply, "oay");
    if (code >= 0) code = sd_bus_message_read_array(reply, 'y', &value, &length);
    if (code >= 0) code = length <= room ? 0 : -EMSGSIZE;
    if (code >= 0) {
        if (length > 0) memcpy(bytes, value, length);
        *count = length;
    }
    sd_bus_message_unref(reply);
    return csystemd_secrets_code(code, &error);
}

/* Whether a call that may want a prompt was done without: its path is "/" then. */
static inline int csystemd_secrets_prompted(sd_bus_message *reply) {
    const char *prompt = NULL;
    int code = sd_bus_message_read_basic(reply, 'o', &prompt);
    if (code > 0) code = strcmp(prompt, "/") == 0 ? 0 : -ENOKEY;
    return code;
}

/* Puts an item into the default keyring. */
static inline int csystemd_secrets_keep(
    sd_bus *bus, const char *session, const char *label, const char *slot, const uint8_t *bytes,
    size_t count) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *call = NULL, *reply = NULL;
    int code = sd_bus_message_new_method_call(
        bus, &call, CSYSTEMD_SECRETS, CSYSTEMD_SECRETS_PATH "/aliases/default",
        "org.freedesktop.Secret.Collection", "CreateItem");
    if (code >= 0) code = sd_bus_message_sensitive(call);
    if (code >= 0)
        code = sd_bus_message_append(
            call, "a{sv}", 2, "org.freedesktop.Secret.Item.Label", "s", label,
            "org.freedesktop.Secret.Item.Attributes", "a{ss}", 2, "application", "stoa", "slot", slot);
    if (code >= 0) code = sd_bus_message_open_container(call, 'r', "oayays");
    if (code >= 0) code = sd_bus_message_append(call, "o", session);
    if (code >= 0) code = sd_bus_message_append_array(call, 'y', NULL, 0);
    if (code >= 0) code = sd_bus_message_append_array(call, 'y', bytes, count);
    if (code >= 0) code = sd_bus_message_append(call, "s", "text/plain");
    if (code >= 0) code = sd_bus_message_close_container(call);
    if (code >= 0) code = sd_bus_message_append(call, "b", 1);
    if (code >= 0) code = sd_bus_call(bus, call, 0, &error, &reply);
    if (code >= 0) code = sd_bus_message_skip(reply, "o");
    if (code >= 0) code = csystemd_secrets_prompted(reply);
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
    return csystemd_secrets_code(code, &error);
}

/* Deletes an item. */
static inline int csystemd_secrets_delete(sd_bus *bus, const char *item) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    int code = sd_bus_call_method(
        bus, CSYSTEMD_SECRETS, item, "org.freedesktop.Secret.Item", "Delete", &error, &reply, "");
    if (code >= 0) code = csystemd_secrets_prompted(reply);
    sd_bus_message_unref(reply);
    return csystemd_secrets_code(code, &error);
}
