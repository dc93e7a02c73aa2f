#pragma once
/* What Glibc's module lacks and sd-event does not supply. Needs _GNU_SOURCE, so it is compiled as C.
   Every function returns 0 (or a descriptor), or -1 with errno, as the call that it wraps does. */
#include <stdint.h>
#include <sys/types.h>

/* The peer's credentials of a connected Unix socket: SO_PEERCRED, unix(7). */
int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/* Writes the supplementary groups of the process that connected a Unix socket, at most capacity of
   them: SO_PEERGROUPS, unix(7). Returns how many; -1 with errno, ERANGE where they are more. */
int clinux_peer_groups(int socket, gid_t *groups, int capacity);

/* What the kernel has counted of the packets of a TCP stream that carry data: TCP_INFO, tcp(7). */
struct clinux_packets {
    uint32_t sent, resent, needless, received, early;
    /* The most data of a packet, and its most bytes on the way; bytes and packets that are not acknowledged. */
    uint32_t segment, path, unacknowledged, resends, behind, arrived;
};

/* Reads the counts; -1 with ENOSYS where the kernel is older than 5.4 and does not have all of them. */
int clinux_count_packets(int socket, struct clinux_packets *counts);

/* How much data a packet of a TCP stream has at most, before it is connected: TCP_MAXSEG, tcp(7). */
int clinux_set_segment(int socket, int bytes);

/* accept4(2) with SOCK_NONBLOCK and SOCK_CLOEXEC, without the address. */
int clinux_accept(int socket);

/* A stream socket of a family, with SOCK_CLOEXEC and, if asked, SOCK_NONBLOCK: socket(2). */
int clinux_stream_socket(int family, int nonblocking);

/* A netlink socket, non-blocking, that becomes readable when links or addresses change: rtnetlink(7). */
int clinux_address_monitor(void);

/* One heap for all threads, which keeps up to 2 MiB that are free at its end: M_ARENA_MAX, M_TRIM_THRESHOLD,
   M_MMAP_THRESHOLD, mallopt(3). */
int clinux_use_one_heap(void);

/* Lets the pages of code and constants go that are mapped so far; those that are needed come back from the
   page cache one by one: MADV_DONTNEED, madvise(2). Only the first call in a process does anything. */
void clinux_release_code(void);

/* Gives the system what is free of the heap, wherever in it: malloc_trim(3). */
void clinux_release_heap(void);

/* No core dump, and no look into this process by others of the same user: PR_SET_DUMPABLE, prctl(2). */
void clinux_forbid_dumps(void);

/* A timer that never runs out, and becomes readable when the system's clock is set, and never else:
   TFD_TIMER_CANCEL_ON_SET, timerfd_create(2). */
int clinux_clock_monitor(void);

/* Whether the clock was set since; has it wait for the next time. */
int clinux_take_clock_change(int descriptor);

/* Whose process has the other end of a connection within 127.0.0.1, by its port and the one that it connected
   to: sock_diag(7). ENOENT where there is none. */
int clinux_loopback_user(uint16_t port, uint16_t server, uid_t *user);

/* eventfd(2) with EFD_NONBLOCK and EFD_CLOEXEC. */
int clinux_eventfd(void);

/* TCP_NODELAY, TCP_NOTSENT_LOWAT, TCP_USER_TIMEOUT, keepalive and IP_RECVERR in one go: tcp(7), ip(7). */
int clinux_tune_tcp(int socket, int not_sent_low_water, unsigned int user_timeout_milliseconds,
                    int keepalive_seconds);

/* Opens a file for writing past the page cache: O_DIRECT and O_CLOEXEC, open(2). */
int clinux_open_uncached(const char *path);

/* Makes a file so long at least, and takes room for all of it: fallocate(2). */
int clinux_take_room(int descriptor, off_t bytes);

/* Gives a file another name, which nothing may have: RENAME_NOREPLACE, renameat2(2). */
int clinux_rename_new(const char *path, const char *target);

/* Tries for an exclusive lock of the open file description: F_OFD_SETLK, fcntl(2). */
int clinux_lock_description(int descriptor);

struct clinux_identity {
    uint64_t device;
    uint64_t inode;
    int64_t birth_seconds;
    uint32_t birth_nanoseconds;
    int has_birth;
};

/* Device, inode and, where the file system has it, birth time: statx(2). */
int clinux_identity(const char *path, struct clinux_identity *identity);

/* Whether the kernel's clock is synchronised, 1 or 0, without STA_UNSYNC: adjtimex(2). */
int clinux_clock_is_synchronised(void);

/* Makes all signals blocked in the calling thread and returns what was blocked: pthread_sigmask(3).
   A thread that is then started never takes a signal that the event loop waits for. */
int clinux_block_signals(void *saved);
int clinux_restore_signals(const void *saved);
int clinux_signal_set_bytes(void);

/* A descriptor that is readable once the process has ended, with FD_CLOEXEC: pidfd_open(2). */
int clinux_process_descriptor(pid_t pid);

/* From the first call on, SIGINT, SIGTERM and SIGHUP only make a descriptor readable, with FD_CLOEXEC, unless
   the process was started with the signal ignored. Blocking calls end with EINTR. Where a signal is not taken
   within a second, the next one ends the process. */
int clinux_interrupt_descriptor(void);

/* Whether a signal is ignored: sigaction(2). */
int clinux_is_ignored(int number);

/* How many of these signals wait to be taken. */
int clinux_interrupts_waiting(void);

/* Takes the first that waits, and says whether the kernel sent it, as for a key, or a process; 0 for none. */
int clinux_take_interrupt(int *is_from_kernel);

/* The same for SIGINT, SIGTERM, SIGHUP, SIGWINCH and SIGCONT, for programs that draw on a terminal. */
int clinux_terminal_descriptor(void);

/* Takes one of the signals that wait there; 0 for none. */
int clinux_take_signal(int descriptor);

/* A printable name for the calling thread, at most 15 bytes: pthread_setname_np(3). */
int clinux_name_thread(const char *name);

/* Sends bytes on a stream socket of the Unix family, and with them a descriptor, which stays open here:
   SCM_RIGHTS, unix(7). Returns the number of bytes, with MSG_NOSIGNAL. */
ssize_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

/* Reads bytes from such a socket, and the descriptor that came with them, with FD_CLOEXEC, or -1; more than
   one are closed. Returns the number of bytes. */
ssize_t clinux_receive(int socket, void *bytes, size_t count, int *descriptor);

/* An argument of this process, 0 for its name, as the system passes it to main; NULL behind the last. */
const char *clinux_argument(int index);

/* Overwrites an argument of this process where the system shows it to others, /proc/PID/cmdline: proc(5).
   Returns how many arguments of that text there were. */
int clinux_wipe_argument(const char *text);
