// A client of either system, as the load generator needs it: one connection that counts answers and
// events, and checks that every message comes once and in order.
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include "wire.h"

enum { READ_BYTES = 1 << 20, MAXIMUM_ROOMS = 1024 };

static int is_floor;
// When spread, message n goes to the room whose name is this one and n modulo `rooms`.
static const char *room;
static long rooms = 1;
static int is_spread;

// One connection to a daemon: what has come in and what it has said so far.
struct connection {
    int descriptor;
    char *in;
    size_t used;
    long acknowledged;
    long events;
    // Whether it counts events of all kinds, and looks at none.
    int takes_all;
    // The number of the last message in each room, for the check of their order.
    long last_numbers[MAXIMUM_ROOMS];
    char *reply;
};

static struct connection *open_connection(const char *path) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection || !(connection->in = malloc(READ_BYTES))) die("memory");
    connection->descriptor = unix_connect(path);
    return connection;
}

// NAME or NAME*COUNT.
static void set_room(char *text) {
    char *star = strchr(text, '*');
    if (star) {
        *star = 0;
        is_spread = 1;
        rooms = atol(star + 1);
        if (rooms < 1 || rooms > MAXIMUM_ROOMS) die("%s: too many rooms", star + 1);
    }
    room = text;
}

static void fill_text(char text[TEXT_BYTES], long number) {
    char digits[24];
    memset(text, 'x', TEXT_BYTES);
    int count = snprintf(digits, sizeof digits, "%012ld ", number);
    memcpy(text, digits, (size_t)count);
}

static void take_event(struct connection *connection, const char *text) {
    long number = strtol(text, NULL, 10), *last = &connection->last_numbers[number % rooms];
    if (*last > 0 && number != *last + rooms) {
        fprintf(stderr, "load: message %ld came after %ld\n", number, *last);
        exit(1);
    }
    *last = number;
    connection->events += 1;
}

static int begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static long occurrences(const char *line, size_t count, const char *mark) {
    long found = 0;
    const char *at = line;
    while ((at = memmem(at, count - (size_t)(at - line), mark, strlen(mark)))) {
        found += 1;
        at += strlen(mark);
    }
    return found;
}

// A line of JSON-RPC; the daemon writes its members in one order, which is all that is relied on.
static void take_line(struct connection *connection, char *line, size_t count) {
    line[count] = 0;
    if (connection->takes_all && begins_with(line, "{\"jsonrpc\":\"2.0\",\"method\":")) {
        connection->events += 1;
        return;
    }
    if (begins_with(line, "{\"jsonrpc\":\"2.0\",\"method\":\"message\"")) {
        if (!memmem(line, count, "\"kind\":\"text\"", 13)) return;
        const char *text = memmem(line, count, "\"text\":\"", 8);
        if (text) take_event(connection, text + 8);
        return;
    }
    // A batch is answered by one array of as many results.
    long results = occurrences(line, count, "\"result\":");
    if (results == 0 || memmem(line, count, "\"error\":", 8)) {
        fprintf(stderr, "load: %s\n", line);
        exit(1);
    }
    connection->acknowledged += line[0] == '[' ? results : 1;
    free(connection->reply);
    connection->reply = strdup(line);
}

static size_t take_floor_input(struct connection *connection, int is_sender) {
    size_t at = 0;
    if (is_sender) {
        for (; at + 4 <= connection->used; at += 4) {
            uint32_t count;
            memcpy(&count, connection->in + at, 4);
            connection->acknowledged += count;
        }
    } else {
        for (; at + TEXT_BYTES <= connection->used; at += TEXT_BYTES) {
            if (begins_with(connection->in + at, "ready"))
                connection->acknowledged += 1;
            else
                take_event(connection, connection->in + at);
        }
    }
    return at;
}

static void read_some(struct connection *connection, int is_sender) {
    ssize_t count =
        read(connection->descriptor, connection->in + connection->used, READ_BYTES - connection->used);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) die("the daemon closed the connection");
    connection->used += (size_t)count;
    size_t at = 0;
    if (is_floor) {
        at = take_floor_input(connection, is_sender);
    } else {
        char *end;
        while ((end = memchr(connection->in + at, '\n', connection->used - at))) {
            char *line = connection->in + at;
            take_line(connection, line, (size_t)(end - line));
            at += (size_t)(end - line) + 1;
        }
    }
    if (at == 0 && connection->used == READ_BYTES) die("a line is too long");
    connection->used -= at;
    memmove(connection->in, connection->in + at, connection->used);
}

// Sends one request and waits for its answer.
static const char *call(struct connection *connection, const char *method, const char *params) {
    char line[1024];
    long before = connection->acknowledged;
    int count = snprintf(
        line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}\n", method,
        params);
    write_all(connection->descriptor, line, (size_t)count);
    while (connection->acknowledged == before) read_some(connection, 0);
    return connection->reply;
}

static void subscribe(struct connection *connection, int is_from_start) {
    if (is_floor) {
        char order = ORDER_FOLLOW;
        write_all(connection->descriptor, &order, 1);
        while (connection->acknowledged == 0) read_some(connection, 0);
    } else {
        char params[256] = "{}";
        if (!is_spread)
            snprintf(
                params, sizeof params, "{\"to\":\"%s\"%s}", room, is_from_start ? ",\"from\":0" : "");
        call(connection, "subscribe", params);
    }
    connection->acknowledged = 0;
}

// The request for message `number`, at most 512 bytes.
static size_t format_request(char *line, long number) {
    if (is_floor) {
        fill_text(line, number);
        return sizeof(struct request);
    }
    char text[TEXT_BYTES], name[96];
    fill_text(text, number);
    if (!is_spread)
        snprintf(name, sizeof name, "%s", room);
    else
        snprintf(name, sizeof name, "%s%ld", room, number % rooms);
    return (size_t)sprintf(
        line,
        "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"send\",\"params\":{\"to\":\"%s\",\"text\":"
        "\"%.*s\"}}\n",
        number, name, TEXT_BYTES, text);
}

#endif
