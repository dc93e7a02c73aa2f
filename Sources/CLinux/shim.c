#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int clinux_use_one_heap(void) {
    /* What each part of a file needs for a moment is 256 KiB, some times over. By itself the library gives
       such memory back to the system each time, and the system has to clear it for the next part: that
       was a quarter of what sending a file costs. */
    return mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_TRIM_THRESHOLD, 2 << 20) == 1
                   && mallopt(M_MMAP_THRESHOLD, 1 << 20) == 1
               ? 0
               : -1;
}

static int release_code(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        /* What may be written has been changed by relocations and must stay. */
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        /* Locked pages refuse, which is what whoever locked them wants. */
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void clinux_release_code(void) {
    static atomic_flag is_released = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_released)) dl_iterate_phdr(release_code, NULL);
}

void clinux_release_heap(void) {
    malloc_trim(0);
}

void clinux_forbid_dumps(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

int clinux_peer_groups(int socket, gid_t *groups, int capacity) {
    socklen_t length = (socklen_t)capacity * sizeof *groups;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
    return (int)(length / sizeof *groups);
}

int clinux_accept(int socket) {
    return accept4(socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_stream_socket(int family, int nonblocking) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

int clinux_address_monitor(void) {
    int monitor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (monitor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR,
    };
    if (bind(monitor, (struct sockaddr *)&address, sizeof address) == 0) return monitor;
    int code = errno;
    close(monitor);
    errno = code;
    return -1;
}

static int await_clock_change(int descriptor) {
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX}};
    int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    /* It is set all the same where the clock was set just before. */
    return timerfd_settime(descriptor, flags, &never, NULL) == 0 || errno == ECANCELED ? 0 : -1;
}

int clinux_clock_monitor(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0 || await_clock_change(descriptor) == 0) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int clinux_take_clock_change(int descriptor) {
    uint64_t expired;
    if (read(descriptor, &expired, sizeof expired) >= 0 || errno != ECANCELED) return 0;
    await_clock_change(descriptor);
    return 1;
}

int clinux_loopback_user(uint16_t port, uint16_t server, uid_t *user) {
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 ask;
    } request = {
        .head = {
            .nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST },
        .ask = { .sdiag_family = AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = -1 },
    };
    request.ask.id.idiag_sport = htons(port);
    request.ask.id.idiag_dport = htons(server);
    request.ask.id.idiag_src[0] = request.ask.id.idiag_dst[0] = htonl(INADDR_LOOPBACK);
    request.ask.id.idiag_cookie[0] = request.ask.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    int diagnosis = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (diagnosis < 0) return -1;
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    ssize_t count = send(diagnosis, &request, sizeof request, 0);
    if (count > 0) count = recv(diagnosis, &answer, sizeof answer, 0);
    int code = count < 0 ? errno : EPROTO;
    close(diagnosis);
    if (count >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)) && answer.head.nlmsg_type == NLMSG_ERROR) {
        code = -((struct nlmsgerr *)NLMSG_DATA(&answer.head))->error;
    } else if (count >= (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg))
               && answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY) {
        *user = ((struct inet_diag_msg *)NLMSG_DATA(&answer.head))->idiag_uid;
        return 0;
    }
    errno = code;
    return -1;
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_tune_tcp(int socket, int not_sent_low_water, unsigned int user_timeout_milliseconds,
                    int keepalive_seconds) {
    int on = 1, interval = 5;
    /* An error that an ICMP message tells is given to the next call, and not kept until everything has
       timed out. A socket of IPv4 takes the first of the two only. */
    int v4 = setsockopt(socket, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    int v6 = setsockopt(socket, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on);
    if (v4 != 0 && v6 != 0) return -1;
    if (setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) != 0) return -1;
    if (setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &keepalive_seconds,
                   sizeof keepalive_seconds) != 0)
        return -1;
    if (setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval) != 0) return -1;
    if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) return -1;
    if (setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &not_sent_low_water,
                   sizeof not_sent_low_water) != 0)
        return -1;
    return setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_milliseconds,
                      sizeof user_timeout_milliseconds);
}

int clinux_open_uncached(const char *path) { return open(path, O_WRONLY | O_DIRECT | O_CLOEXEC); }

int clinux_take_room(int descriptor, off_t bytes) { return fallocate(descriptor, 0, 0, bytes); }

int clinux_rename_new(const char *path, const char *target) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE);
}

int clinux_lock_description(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int clinux_identity(const char *path, struct clinux_identity *identity) {
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &found) != 0) return -1;
    identity->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    identity->inode = found.stx_ino;
    identity->has_birth = (found.stx_mask & STATX_BTIME) != 0;
    identity->birth_seconds = identity->has_birth ? found.stx_btime.tv_sec : 0;
    identity->birth_nanoseconds = identity->has_birth ? found.stx_btime.tv_nsec : 0;
    return 0;
}

int clinux_clock_is_synchronised(void) {
    struct timex state = {.modes = 0};
    if (adjtimex(&state) < 0) return -1;
    return (state.status & STA_UNSYNC) == 0;
}

int clinux_block_signals(void *saved) {
    sigset_t all;
    sigfillset(&all);
    /* Faults of the thread itself stay deliverable, or a crash would hang instead of ending. */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    errno = pthread_sigmask(SIG_SETMASK, &all, saved);
    return errno == 0 ? 0 : -1;
}

int clinux_restore_signals(const void *saved) {
    errno = pthread_sigmask(SIG_SETMASK, saved, NULL);
    return errno == 0 ? 0 : -1;
}

int clinux_signal_set_bytes(void) { return (int)sizeof(sigset_t); }

int clinux_name_thread(const char *name) {
    errno = pthread_setname_np(pthread_self(), name);
    return errno == 0 ? 0 : -1;
}

int clinux_process_descriptor(pid_t pid) {
    return pidfd_open(pid, 0);
}

/* How long a signal may wait to be noticed: the next one ends a program that hangs. */
static const int64_t interrupt_patience_ns = 1000000000;
static int interrupt_ends[2] = {-1, -1};
static _Atomic int interrupt_count;
static _Atomic int64_t interrupt_time;

static int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void note_interrupt(int number, siginfo_t *info, void *context) {
    (void)context;
    int code = errno;
    int64_t now = monotonic_ns();
    if (atomic_fetch_add(&interrupt_count, 1) == 0) {
        atomic_store(&interrupt_time, now);
    } else if (now - atomic_load(&interrupt_time) > interrupt_patience_ns) {
        /* It comes again as soon as this handler has ended. */
        signal(number, SIG_DFL);
        raise(number);
    }
    unsigned char said = (unsigned char)(number | (info->si_code > 0 ? 0x80 : 0));
    if (write(interrupt_ends[1], &said, 1) != 1) atomic_fetch_sub(&interrupt_count, 1);
    errno = code;
}

int clinux_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO)
           && action.sa_handler == SIG_IGN;
}

int clinux_interrupt_descriptor(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    if (interrupt_ends[0] >= 0) return interrupt_ends[0];
    if (pipe2(interrupt_ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_sigaction = note_interrupt, .sa_flags = SA_SIGINFO};
        sigemptyset(&action.sa_mask);
        /* What started the program wants it to live on: nohup(1), a shell for what runs in the background. */
        if (clinux_is_ignored(numbers[i])) continue;
        if (sigaction(numbers[i], &action, NULL) != 0) return -1;
    }
    return interrupt_ends[0];
}

int clinux_interrupts_waiting(void) { return atomic_load(&interrupt_count); }

int clinux_take_interrupt(int *is_from_kernel) {
    unsigned char said;
    if (interrupt_ends[0] < 0 || read(interrupt_ends[0], &said, 1) != 1) return 0;
    atomic_fetch_sub(&interrupt_count, 1);
    *is_from_kernel = (said & 0x80) != 0;
    return said & 0x7F;
}

int clinux_terminal_descriptor(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT};
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaddset(&signals, numbers[i]);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
    return signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_take_signal(int descriptor) {
    struct signalfd_siginfo taken;
    return read(descriptor, &taken, sizeof taken) == sizeof taken ? (int)taken.ssi_signo : 0;
}

ssize_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control = {0};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room,
    };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t clinux_receive(int socket, void *bytes, size_t count, int *descriptor) {
    /* As many as the kernel passes at a time: what does not fit would be closed by it, and that is the bound. */
    enum { MOST = 16 };
    union {
        char room[CMSG_SPACE(sizeof(int) * MOST)];
        struct cmsghdr header;
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room,
    };
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        size_t passed = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < passed; index++) {
            int number;
            memcpy(&number, CMSG_DATA(part) + index * sizeof number, sizeof number);
            if (*descriptor < 0) *descriptor = number;
            else close(number);
        }
    }
    return received;
}

static int argument_count;
static char **arguments;

/* Glibc gives constructors what main is given. */
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    arguments = values;
}

const char *clinux_argument(int index) {
    return index >= 0 && index < argument_count ? arguments[index] : NULL;
}

int clinux_wipe_argument(const char *text) {
    int found = 0;
    for (int index = 1; index < argument_count; index++)
        if (strcmp(arguments[index], text) == 0) {
            explicit_bzero(arguments[index], strlen(arguments[index]));
            found++;
        }
    return found;
}
