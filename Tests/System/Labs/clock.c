// The clocks of a machine, which go ahead as a test wants: preloaded (LD_PRELOAD) into the programs of that
// machine, it stands between them and libc.
//
//   STOA_LAB_CLOCK    a file of two numbers of 64 bits: so many seconds have passed while the machine was awake,
//                     by all of its clocks, and so many while it was suspended, when CLOCK_MONOTONIC stood still
//
// The file is read with each look at a clock, and may be changed at any time. A timer that was set before time
// leapt comes due as late as it would have without the leap; programs look at their clocks when anything wakes
// them. faketime (0.9.10) does not do: it sets each absolute timer as if it were one of the wall clock, so that
// one of CLOCK_MONOTONIC never comes due, or, where that clock is left alone, too early and for nothing.
//
//   cc -shared -fPIC -O2 -Wall -Wextra -Werror -o clock.so clock.c

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024 };

struct passed {
    int64_t awake, suspended;
};

// Another library may look at a clock before this one is ready.
static const volatile struct passed none, *passed = &none;

// What each timer goes by.
static clockid_t timer_clocks[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("STOA_LAB_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *passed, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        perror("clock: STOA_LAB_CLOCK");
        _exit(127);
    }
    close(file);
    passed = page;
}

static int64_t ahead(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return passed->awake + passed->suspended;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
        return passed->awake;
    default:
        // Those of processors.
        return 0;
    }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = syscall(SYS_clock_gettime, clock, now);
    if (status == 0) now->tv_sec += ahead(clock);
    return status;
}

int gettimeofday(struct timeval *now, void *zone) {
    int status = syscall(SYS_gettimeofday, now, zone);
    if (status == 0) now->tv_sec += ahead(CLOCK_REALTIME);
    return status;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}

int timerfd_create(clockid_t clock, int flags) {
    int descriptor = syscall(SYS_timerfd_create, clock, flags);
    if (descriptor >= DESCRIPTORS) {
        fputs("clock: a timer has too high a descriptor\n", stderr);
        abort();
    }
    if (descriptor >= 0) timer_clocks[descriptor] = clock;
    return descriptor;
}

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *due, struct itimerspec *old) {
    struct itimerspec real = *due;
    if ((flags & TFD_TIMER_ABSTIME) && (due->it_value.tv_sec || due->it_value.tv_nsec) &&
        descriptor >= 0 && descriptor < DESCRIPTORS) {
        real.it_value.tv_sec -= ahead(timer_clocks[descriptor]);
        // What was due before the machine's start is due now. Nothing at all would be no timer.
        if (real.it_value.tv_sec < 0) real.it_value = (struct timespec){.tv_nsec = 1};
    }
    return syscall(SYS_timerfd_settime, descriptor, flags, &real, old);
}
