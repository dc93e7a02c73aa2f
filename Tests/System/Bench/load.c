// The load generator: the same work given to Stoa over its control sockets and to the floor over its
// own, timed with one clock. C, because it shares two cores with what it measures.
//
//   load stoa|floor latency COUNT ROOM SENDER RECEIVER...   one message at a time, send -> event
//   load stoa|floor live    COUNT ROOM SENDER RECEIVER      the same, at most COUNT, until the
//                                                           standard input ends
//   load stoa|floor paced   COUNT ROOM SENDER RECEIVER      the same, with pauses of 0.3 s
//   load stoa       batches COUNT ROOM SENDER RECEIVER      100 in one line, until all are there
//   load stoa|floor burst   COUNT ROOM SENDER RECEIVER...   all at once, until each receiver has all
//   load stoa|floor fill    COUNT ROOM SENDER               all at once, until all are acknowledged
//   load stoa|floor catchup COUNT ROOM RECEIVER [LIMIT]     a node gets the history, see below
//   load stoa       events  COUNT ROOM RECEIVER             the same, with a subscriber that reads it
//   load stoa|floor newest|before|list|subscribe COUNT ROOM SOCKET ANCHOR...      ask, see below
//   load stoa       ready   PATH                            until a daemon answers there
//   load -          spawn   COUNT PROGRAM ARGUMENT...       start a program, wait for its end
//
// ROOM may be NAME*N: the messages go in turn to the rooms NAME0, NAME1 and so on.
// Prints one line of JSON; times are in seconds.
#include "client.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

enum { MAXIMUM_RECEIVERS = 128, WARM_UP = 20, BATCH = 100, PAGE = 50 };

// How messages follow one another.
enum pace { AT_ONCE, UNTIL_INPUT_ENDS, PAUSED };

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_distribution(double *values, long count, uint32_t rows) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    printf(
        "{\"rows\":%u,\"count\":%ld,\"p50\":%.9f,\"p99\":%.9f,\"least\":%.9f,\"most\":%.9f}\n",
        rows, count, values[count / 2], values[count * 99 / 100], values[0], values[count - 1]);
}

// Opens and subscribes them.
static void open_receivers(struct connection **receivers, int count, char **paths) {
    if (count > MAXIMUM_RECEIVERS) die("too many receivers");
    for (int index = 0; index < count; index++) {
        receivers[index] = open_connection(paths[index]);
        subscribe(receivers[index], 0);
    }
}

static int has_input_ended(void) {
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
}

static void latency(long count, int receiver_count, char **paths, enum pace pace) {
    struct connection *sender = open_connection(paths[0]), *receivers[MAXIMUM_RECEIVERS];
    double *values = calloc((size_t)count, sizeof *values);
    char line[512];
    long measured = 0, warm_up = pace == PAUSED ? 0 : WARM_UP;
    open_receivers(receivers, receiver_count, paths + 1);
    for (long number = 1; number <= warm_up + count; number++) {
        size_t bytes = format_request(line, number);
        double start = seconds_now();
        write_all(sender->descriptor, line, bytes);
        for (int index = 0; index < receiver_count; index++)
            while (receivers[index]->events < number) read_some(receivers[index], 0);
        if (number > warm_up) values[measured++] = seconds_now() - start;
        while (sender->acknowledged < number) read_some(sender, 1);
        if (pace == UNTIL_INPUT_ENDS && measured > 0 && has_input_ended()) break;
        if (pace == PAUSED) usleep(300000);
    }
    print_distribution(values, measured, 0);
}

// Each line is one turn of the daemon: what is counted does not depend on how fast lines come.
static void batches(long count, char **paths) {
    struct connection *sender = open_connection(paths[0]), *receiver = NULL;
    char *out = malloc(BATCH * 512 + 3);
    open_receivers(&receiver, 1, paths + 1);
    double start = seconds_now();
    for (long number = 1; number <= count;) {
        size_t length = 0;
        out[length++] = '[';
        for (int index = 0; index < BATCH && number <= count; index++, number++) {
            length += format_request(out + length, number);
            out[length - 1] = ',';
        }
        memcpy(out + length - 1, "]\n", 2);
        write_all(sender->descriptor, out, length + 1);
        while (sender->acknowledged < number - 1) read_some(sender, 1);
        while (receiver->events < number - 1) read_some(receiver, 0);
    }
    printf("{\"seconds\":%.9f}\n", seconds_now() - start);
}

static void burst(long count, int receiver_count, char **paths) {
    struct connection *sender = open_connection(paths[0]), *receivers[MAXIMUM_RECEIVERS];
    open_receivers(receivers, receiver_count, paths + 1);
    char *out = malloc((size_t)count * 512);
    size_t length = 0, written = 0;
    for (long number = 1; number <= count; number++) length += format_request(out + length, number);
    fcntl(sender->descriptor, F_SETFL, O_NONBLOCK);
    double start = seconds_now(), acknowledged = 0;
    int missing = receiver_count;
    while (missing > 0 || sender->acknowledged < count) {
        struct pollfd ready[1 + MAXIMUM_RECEIVERS] = {
            {sender->descriptor, (short)(POLLIN | (written < length ? POLLOUT : 0)), 0}};
        for (int index = 0; index < receiver_count; index++)
            ready[1 + index] = (struct pollfd){receivers[index]->descriptor, POLLIN, 0};
        if (poll(ready, 1 + (nfds_t)receiver_count, 60000) <= 0) die("nothing came for a minute");
        if (ready[0].revents & POLLOUT) {
            ssize_t sent = write(sender->descriptor, out + written, length - written);
            if (sent < 0 && errno != EAGAIN) die("write");
            if (sent > 0) written += (size_t)sent;
        }
        if (ready[0].revents & (POLLIN | POLLHUP)) read_some(sender, 1);
        if (sender->acknowledged == count && acknowledged == 0) acknowledged = seconds_now() - start;
        missing = 0;
        for (int index = 0; index < receiver_count; index++) {
            if (ready[1 + index].revents) read_some(receivers[index], 0);
            if (receivers[index]->events < count) missing += 1;
        }
    }
    printf(
        "{\"seconds\":%.9f,\"acknowledged\":%.9f}\n", seconds_now() - start, acknowledged);
}

// Floor: from the order to connect until the client has the last message. Stoa: from the call of
// `join`, on a node that is linked already, until `history` has the last message.
static void catch_up(long count, const char *path, const char *limit) {
    struct connection *receiver = open_connection(path);
    char params[256], last[32];
    double start = seconds_now();
    if (is_floor) {
        char order = ORDER_CATCH_UP;
        write_all(receiver->descriptor, &order, 1);
        while (receiver->events < count) read_some(receiver, 0);
    } else {
        snprintf(params, sizeof params, "{\"room\":\"%s\"}", room);
        call(receiver, "join", params);
        snprintf(params, sizeof params, "{\"to\":\"%s\",\"limit\":%s}", room, limit);
        snprintf(last, sizeof last, "\"%012ld ", count);
        // The `join` of a node that came later may stand behind the last text, as its own does.
        while (!strstr(call(receiver, "history", params), last)) {
            struct timespec pause = {0, 5000000};
            nanosleep(&pause, NULL);
        }
    }
    printf("{\"seconds\":%.9f}\n", seconds_now() - start);
}

static void catch_up_events(long count, const char *path) {
    struct connection *receiver = open_connection(path);
    char params[256];
    double start = seconds_now();
    snprintf(params, sizeof params, "{\"room\":\"%s\"}", room);
    call(receiver, "join", params);
    subscribe(receiver, 1);
    while (receiver->events < count) read_some(receiver, 0);
    printf("{\"seconds\":%.9f}\n", seconds_now() - start);
}

// ---- Queries ----

// Asks the floor of queries (queries.c): one letter and 64 hexadecimal digits; the answer is how many
// rows follow in how many bytes, and these bytes.
static uint32_t ask_floor(struct connection *connection, const char *query, const char *anchor) {
    char request[QUERY_BYTES] = {0};
    uint32_t header[2];
    size_t used = 0;
    request[0] = query[0];
    strncpy(request + 1, anchor, sizeof request - 1);
    write_all(connection->descriptor, request, sizeof request);
    while (used < sizeof header || used < sizeof header + header[1]) {
        ssize_t count =
            read(connection->descriptor, connection->in + used, READ_BYTES - used);
        if (count <= 0) die("the floor closed the connection");
        used += (size_t)count;
        if (used >= sizeof header) memcpy(header, connection->in, sizeof header);
    }
    return header[0];
}

// `find` asks for the first page of what has the words of an anchor;
// `newest` asks for the last page of a room, `before` for the one before a message, `list` for all
// conversations, and `subscribe` waits for a page of events, of any kind, behind a cursor.
static uint32_t ask_stoa(struct connection *connection, const char *query, const char *anchor) {
    char params[256];
    if (strcmp(query, "subscribe") == 0) {
        snprintf(params, sizeof params, "{\"to\":\"%s\",\"from\":%s}", room, anchor);
        connection->events = 0;
        connection->takes_all = 1;
        call(connection, "subscribe", params);
        while (connection->events < PAGE) read_some(connection, 0);
        return (uint32_t)connection->events;
    }
    if (strcmp(query, "list") == 0) {
        const char *line = call(connection, "conversations", "{\"limit\":1000}");
        return (uint32_t)occurrences(line, strlen(line), "\"lastMessage\":{");
    }
    if (strcmp(query, "find") == 0) {
        snprintf(params, sizeof params, "{\"words\":\"%s\"}", anchor);
        const char *line = call(connection, "search", params);
        return (uint32_t)occurrences(line, strlen(line), "\"excerpt\":");
    }
    int count = snprintf(params, sizeof params, "{\"to\":\"%s\",\"limit\":%d", room, PAGE);
    snprintf(
        params + count, sizeof params - (size_t)count, *anchor ? ",\"before\":\"%s\"}" : "}",
        anchor);
    const char *line = call(connection, "history", params);
    return (uint32_t)occurrences(line, strlen(line), "\"kind\":\"text\"");
}

static void ask(const char *query, long count, const char *path, int anchor_count, char **anchors) {
    struct connection *connection = open_connection(path);
    double *values = calloc((size_t)count, sizeof *values);
    uint32_t rows = 0;
    for (long index = -WARM_UP; index < count; index++) {
        const char *anchor =
            anchor_count > 0 ? anchors[(index + WARM_UP) % anchor_count] : "";
        double start = seconds_now();
        uint32_t now = is_floor ? ask_floor(connection, query, anchor)
                                : ask_stoa(connection, query, anchor);
        if (index >= 0) values[index] = seconds_now() - start;
        if (rows != 0 && now != rows) die("%u rows after %u", now, rows);
        rows = now;
        if (!is_floor && strcmp(query, "subscribe") == 0) {
            char params[64];
            const char *number = strstr(connection->reply, "\"subscription\":");
            if (!number) die("no subscription");
            snprintf(params, sizeof params, "{\"subscription\":%ld}", atol(number + 15));
            call(connection, "unsubscribe", params);
        }
    }
    print_distribution(values, count, rows);
}

static void await_daemon(const char *path) {
    double deadline = seconds_now() + 60;
    struct sockaddr_un address = unix_address(path);
    while (seconds_now() < deadline) {
        int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) {
            close(descriptor);
            if (!is_floor) call(open_connection(path), "status", "{}");
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
    print_distribution(values, count, 0);
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
    set_room(arguments[4]);
    int is_query = strcmp(mode, "newest") == 0 || strcmp(mode, "before") == 0
                   || strcmp(mode, "list") == 0 || strcmp(mode, "subscribe") == 0
                   || strcmp(mode, "find") == 0;
    if (strcmp(mode, "spawn") == 0) {
        spawn_repeatedly(number, arguments + 4);
    } else if (strcmp(mode, "latency") == 0 && count > 6) {
        latency(number, count - 6, arguments + 5, AT_ONCE);
    } else if (strcmp(mode, "live") == 0 && count == 7) {
        latency(number, 1, arguments + 5, UNTIL_INPUT_ENDS);
    } else if (strcmp(mode, "paced") == 0 && count == 7) {
        latency(number, 1, arguments + 5, PAUSED);
    } else if (strcmp(mode, "batches") == 0 && count == 7) {
        batches(number, arguments + 5);
    } else if (strcmp(mode, "burst") == 0 && count > 6) {
        burst(number, count - 6, arguments + 5);
    } else if (strcmp(mode, "fill") == 0 && count == 6) {
        burst(number, 0, arguments + 5);
    } else if (strcmp(mode, "catchup") == 0 && (count == 6 || count == 7)) {
        catch_up(number, arguments[5], count == 7 ? arguments[6] : "16");
    } else if (strcmp(mode, "events") == 0 && count == 6) {
        catch_up_events(number, arguments[5]);
    } else if (is_query && count > 5) {
        ask(mode, number, arguments[5], count - 6, arguments + 6);
    } else {
        fprintf(stderr, "load: there is no such mode: %s\n", mode);
        return 64;
    }
    return 0;
}
