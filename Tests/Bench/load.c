// The load generator: the same work given to Stoa over its control sockets and to the floor over its
// own, timed with one clock. C, because it shares two cores with what it measures.
//
//   load stoa|floor latency COUNT ROOM SENDER RECEIVER      one message at a time, send -> event
//   load stoa|floor burst   COUNT ROOM SENDER RECEIVER...   all at once, until each receiver has all
//   load stoa|floor fill    COUNT ROOM SENDER               all at once, until all are acknowledged
//   load stoa|floor catchup COUNT ROOM RECEIVER             a node gets the history, see below
//   load stoa       events  COUNT ROOM RECEIVER             the same, with a subscriber that reads it
//   load stoa       ready   PATH                            until a daemon answers there
//   load -          spawn   COUNT PROGRAM ARGUMENT...       start a program, wait for its end
//
// Prints one line of JSON; times are in seconds.
#include "wire.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

enum { READ_BYTES = 1 << 18, MAXIMUM_RECEIVERS = 64, WARM_UP = 20 };

static int is_floor;
static const char *room;

// One connection to a daemon: what has come in and what it has said so far.
struct connection {
    int descriptor;
    char *in;
    size_t used;
    long acknowledged;
    long events;
    // The text of the last event, for the check that what arrives is what was sent, in order.
    long last_number;
    char *reply;
};

static struct connection open_connection(const char *path) {
    struct connection connection = {.descriptor = unix_connect(path)};
    connection.in = malloc(READ_BYTES);
    if (!connection.in) die("memory");
    return connection;
}

static void fill_text(char text[TEXT_BYTES], long number) {
    char digits[24];
    memset(text, 'x', TEXT_BYTES);
    int count = snprintf(digits, sizeof digits, "%012ld ", number);
    memcpy(text, digits, (size_t)count);
}

static void take_event(struct connection *connection, const char *text) {
    long number = strtol(text, NULL, 10);
    if (connection->events > 0 && number != connection->last_number + 1) {
        fprintf(stderr, "load: message %ld came after %ld\n", number, connection->last_number);
        exit(1);
    }
    connection->last_number = number;
    connection->events += 1;
}

static int begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// A line of JSON-RPC; the daemon writes its members in one order, which is all that is relied on.
static void take_line(struct connection *connection, char *line, size_t count) {
    line[count] = 0;
    if (begins_with(line, "{\"jsonrpc\":\"2.0\",\"method\":\"message\"")) {
        if (!memmem(line, count, "\"kind\":\"text\"", 13)) return;
        const char *text = memmem(line, count, "\"text\":\"", 8);
        if (text) take_event(connection, text + 8);
        return;
    }
    if (!memmem(line, count, "\"result\"", 8)) {
        fprintf(stderr, "load: %s\n", line);
        exit(1);
    }
    connection->acknowledged += 1;
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
        char params[256];
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
    char text[TEXT_BYTES];
    fill_text(text, number);
    return (size_t)sprintf(
        line,
        "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"send\",\"params\":{\"to\":\"%s\",\"text\":"
        "\"%.*s\"}}\n",
        number, room, TEXT_BYTES, text);
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_distribution(double *values, long count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    printf(
        "{\"p50\":%.9f,\"p99\":%.9f,\"least\":%.9f,\"most\":%.9f}\n", values[count / 2],
        values[count * 99 / 100], values[0], values[count - 1]);
}

static void latency(long count, char **paths) {
    struct connection sender = open_connection(paths[0]), receiver = open_connection(paths[1]);
    double *values = calloc((size_t)count, sizeof *values);
    char line[512];
    subscribe(&receiver, 0);
    for (long index = -WARM_UP; index < count; index++) {
        size_t bytes = format_request(line, index + WARM_UP + 1);
        double start = seconds_now();
        write_all(sender.descriptor, line, bytes);
        while (receiver.events < index + WARM_UP + 1) read_some(&receiver, 0);
        if (index >= 0) values[index] = seconds_now() - start;
        while (sender.acknowledged < index + WARM_UP + 1) read_some(&sender, 1);
    }
    print_distribution(values, count);
}

static void burst(long count, int receiver_count, char **paths) {
    if (receiver_count > MAXIMUM_RECEIVERS) die("too many receivers");
    struct connection sender = open_connection(paths[0]), receivers[MAXIMUM_RECEIVERS];
    for (int index = 0; index < receiver_count; index++) {
        receivers[index] = open_connection(paths[1 + index]);
        subscribe(&receivers[index], 0);
    }
    char *out = malloc((size_t)count * 512);
    size_t length = 0, written = 0;
    for (long number = 1; number <= count; number++) length += format_request(out + length, number);
    fcntl(sender.descriptor, F_SETFL, O_NONBLOCK);
    double start = seconds_now(), acknowledged = 0;
    int missing = receiver_count;
    while (missing > 0 || sender.acknowledged < count) {
        struct pollfd ready[1 + MAXIMUM_RECEIVERS] = {
            {sender.descriptor, (short)(POLLIN | (written < length ? POLLOUT : 0)), 0}};
        for (int index = 0; index < receiver_count; index++)
            ready[1 + index] = (struct pollfd){receivers[index].descriptor, POLLIN, 0};
        if (poll(ready, 1 + (nfds_t)receiver_count, 60000) <= 0) die("nothing came for a minute");
        if (ready[0].revents & POLLOUT) {
            ssize_t sent = write(sender.descriptor, out + written, length - written);
            if (sent < 0 && errno != EAGAIN) die("write");
            if (sent > 0) written += (size_t)sent;
        }
        if (ready[0].revents & (POLLIN | POLLHUP)) read_some(&sender, 1);
        if (sender.acknowledged == count && acknowledged == 0) acknowledged = seconds_now() - start;
        missing = 0;
        for (int index = 0; index < receiver_count; index++) {
            if (ready[1 + index].revents) read_some(&receivers[index], 0);
            if (receivers[index].events < count) missing += 1;
        }
    }
    printf(
        "{\"seconds\":%.9f,\"acknowledged\":%.9f}\n", seconds_now() - start, acknowledged);
}

// Floor: from the order to connect until the client has the last message. Stoa: from the call of
// `join`, on a node that is linked already, until `history` has the last message.
static void catch_up(long count, const char *path) {
    struct connection receiver = open_connection(path);
    char params[256], last[32];
    double start = seconds_now();
    if (is_floor) {
        char order = ORDER_CATCH_UP;
        write_all(receiver.descriptor, &order, 1);
        while (receiver.events < count) read_some(&receiver, 0);
    } else {
        snprintf(params, sizeof params, "{\"room\":\"%s\"}", room);
        call(&receiver, "join", params);
        snprintf(params, sizeof params, "{\"to\":\"%s\",\"limit\":2}", room);
        snprintf(last, sizeof last, "\"%012ld ", count);
        // Two messages, since the node's own `join` may stand behind the last text.
        while (!strstr(call(&receiver, "history", params), last)) {
            struct timespec pause = {0, 5000000};
            nanosleep(&pause, NULL);
        }
    }
    printf("{\"seconds\":%.9f}\n", seconds_now() - start);
}

static void catch_up_events(long count, const char *path) {
    struct connection receiver = open_connection(path);
    char params[256];
    double start = seconds_now();
    snprintf(params, sizeof params, "{\"room\":\"%s\"}", room);
    call(&receiver, "join", params);
    subscribe(&receiver, 1);
    while (receiver.events < count) read_some(&receiver, 0);
    printf("{\"seconds\":%.9f}\n", seconds_now() - start);
}

static void await_daemon(const char *path) {
    double deadline = seconds_now() + 60;
    struct sockaddr_un address = unix_address(path);
    while (seconds_now() < deadline) {
        int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
            struct connection connection = {.descriptor = descriptor, .in = malloc(READ_BYTES)};
            if (!is_floor) call(&connection, "status", "{}");
            printf("{\"at\":%.9f}\n", seconds_now());
            return;
        }
        close(descriptor);
        struct timespec pause = {0, 200000};
        nanosleep(&pause, NULL);
    }
    errno = ETIMEDOUT;
    die("%s", path);
}

extern char **environ;

static void spawn_repeatedly(long count, char **arguments) {
    double *values = calloc((size_t)count, sizeof *values);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (long index = 0; index < count; index++) {
        pid_t child;
        int status;
        double start = seconds_now();
        errno = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
        if (errno) die("%s", arguments[0]);
        if (waitpid(child, &status, 0) != child || status != 0) die("%s failed", arguments[0]);
        values[index] = seconds_now() - start;
    }
    print_distribution(values, count);
}

int main(int count, char **arguments) {
    const char *mode = count > 2 ? arguments[2] : "";
    is_floor = count > 1 && strcmp(arguments[1], "floor") == 0;
    if (strcmp(mode, "ready") == 0 && count == 4) {
        await_daemon(arguments[3]);
        return 0;
    }
    if (count < 5) {
        fprintf(stderr, "usage: load stoa|floor|- MODE COUNT ROOM SOCKET...; see load.c\n");
        return 64;
    }
    long number = atol(arguments[3]);
    room = arguments[4];
    if (strcmp(mode, "spawn") == 0) {
        spawn_repeatedly(number, arguments + 4);
    } else if (strcmp(mode, "latency") == 0 && count == 7) {
        latency(number, arguments + 5);
    } else if (strcmp(mode, "burst") == 0 && count > 6) {
        burst(number, count - 6, arguments + 5);
    } else if (strcmp(mode, "fill") == 0 && count == 6) {
        burst(number, 0, arguments + 5);
    } else if (strcmp(mode, "catchup") == 0 && count == 6) {
        catch_up(number, arguments[5]);
    } else if (strcmp(mode, "events") == 0 && count == 6) {
        catch_up_events(number, arguments[5]);
    } else {
        fprintf(stderr, "load: there is no such mode: %s\n", mode);
        return 64;
    }
    return 0;
}
