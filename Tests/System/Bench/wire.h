#define _GNU_SOURCE
// What the floor and the load generator share: the floor's own binary messages, and a few wrappers
// that end the program when a call fails, since a benchmark with a failed call measures nothing.
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_BYTES = 100 };

// A question to the floor of queries: a letter, and hexadecimal digits or a number.
enum { QUERY_BYTES = 72 };

// A client asks the author to send this text; the answer is a count of texts that are committed.
struct request {
    char text[TEXT_BYTES];
};

// What a client tells a reader: follow the author from now on, or take its history first.
enum order { ORDER_FOLLOW = 'f', ORDER_CATCH_UP = 'c' };

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *format, ...) {
    int code = errno;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, ": %s\n", strerror(code));
    exit(1);
}

static inline double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static inline void write_all(int descriptor, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t written = write(descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) die("write");
        at += written;
        count -= (size_t)written;
    }
}

static inline struct sockaddr_un unix_address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        die("%s", path);
    }
    strcpy(address.sun_path, path);
    return address;
}

static inline int unix_connect(const char *path) {
    struct sockaddr_un address = unix_address(path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) die("socket");
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) die("%s", path);
    return descriptor;
}

#endif
