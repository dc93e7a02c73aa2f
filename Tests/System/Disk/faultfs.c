// A disk that fails, fills up or is watched, for one program: preloaded (LD_PRELOAD), it stands
// between the program with its libraries and libc, and looks at calls on files under some
// directories. Docs/Testing/Disk.md tells what for.
//
//   FAULTFS_DIRS    the directories, absolute, with colons between; opening and syncing the
//                   directories above them counts, too, for it makes their names durable
//   FAULTFS_PAGE    a file of a page that is shared with the test: how often each kind of call was
//                   made, over all runs of the program; made where it is missing
//   FAULTFS_FAIL    KIND:N:HOW, the N-th call of a kind fails once. HOW is a number of errno, or
//                   `short` (half is written, and told), or `torn` (half is written, then EIO)
//   FAULTFS_FULL    a file: while it exists, no file grows (ENOSPC)
//   FAULTFS_LOG     a file to which everything is appended that changes a file or a name, or leaves
//                   the process through a socket, in the order in which it happened
//   FAULTFS_NODE    a number that tells the programs of one log apart
//
//   cc -shared -fPIC -O1 -Wall -Wextra -o faultfs.so faultfs.c -ldl

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kinds that are counted and can fail; the test has them in the same order.
enum kind { OPEN, READ, WRITE, SYNC, RENAME, TRUNCATE, UNLINK, MKDIR, KINDS };
static const char *const kind_names[KINDS] = {"open",   "read",     "write",  "sync",
                                              "rename", "truncate", "unlink", "mkdir"};

// The records of the log; the test has the same numbers, and one more of its own.
enum record {
    R_WRITE = 1, R_SYNC, R_CREATE, R_TRUNCATE, R_RENAME, R_UNLINK, R_MKDIR, R_TOLD, R_SENT, R_ESCAPE
};

// A record: this, then the path, then the data.
struct header {
    uint32_t record, node;
    uint64_t inode, offset;
    uint32_t path_bytes, data_bytes;
};

struct page {
    uint64_t calls[KINDS];
    uint64_t failures;
};

enum how { FAIL = 1, SHORT, TORN };

static char *dirs, *full_path;
static struct page *page;
static int log_fd = -1;
static uint32_t node;
static enum kind fail_kind = KINDS;
static uint64_t fail_number;
static int fail_errno;
static enum how fail_how;
// Which descriptors are of files under the directories, or of directories above them.
static unsigned char tracked[65536];

static int raw_open(const char *path, int flags, int mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void die(const char *what) {
    dprintf(2, "faultfs: %s: %s\n", what, strerror(errno));
    _exit(70);
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULTFS_DIRS");
    if (!text) return;
    dirs = strdup(text);
    if ((text = getenv("FAULTFS_FULL"))) full_path = strdup(text);
    if ((text = getenv("FAULTFS_NODE"))) node = (uint32_t)atoi(text);
    if ((text = getenv("FAULTFS_PAGE"))) {
        int fd = raw_open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || syscall(SYS_ftruncate, fd, 4096) < 0) die(text);
        page = (void *)syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (page == MAP_FAILED) die(text);
        syscall(SYS_close, fd);
    }
    if ((text = getenv("FAULTFS_LOG"))) {
        log_fd = raw_open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (log_fd < 0) die(text);
    }
    if ((text = getenv("FAULTFS_FAIL"))) {
        char name[16], how[16];
        unsigned long number;
        if (sscanf(text, "%15[a-z]:%lu:%15s", name, &number, how) != 3 || !page) die(text);
        for (int kind = 0; kind < KINDS; kind++)
            if (!strcmp(name, kind_names[kind])) fail_kind = (enum kind)kind;
        if (fail_kind == KINDS) die(text);
        fail_number = number;
        fail_how = !strcmp(how, "short") ? SHORT : !strcmp(how, "torn") ? TORN : FAIL;
        fail_errno = fail_how == FAIL ? atoi(how) : EIO;
        if (fail_how == FAIL && fail_errno <= 0) die(text);
    }
}

// Whether a path is one of the directories or under one.
static int is_watched(const char *path) {
    if (!dirs || !path || path[0] != '/') return 0;
    for (const char *dir = dirs; *dir;) {
        size_t length = strcspn(dir, ":");
        if (length && !strncmp(path, dir, length) && (!path[length] || path[length] == '/'))
            return 1;
        dir += length + (dir[length] == ':');
    }
    return 0;
}

// Whether a path is a directory above one of the directories, whose sync makes their names durable.
static int is_above(const char *path) {
    if (!dirs || !path || path[0] != '/') return 0;
    size_t length = strlen(path);
    while (length && path[length - 1] == '/') length--;
    for (const char *dir = dirs; *dir;) {
        size_t whole = strcspn(dir, ":");
        if (length < whole && dir[length] == '/' && !strncmp(path, dir, length)) return 1;
        dir += whole + (dir[whole] == ':');
    }
    return 0;
}

// The path of a name below a directory's descriptor, where that can be told.
static const char *absolute(int dirfd, const char *path, char *buffer) {
    if (!path || path[0] == '/') return path;
    char link[64];
    snprintf(link, sizeof link, dirfd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dirfd);
    ssize_t length = syscall(SYS_readlink, link, buffer, PATH_MAX / 2);
    if (length <= 0) return path;
    snprintf(buffer + length, PATH_MAX - (size_t)length, "/%s", path);
    return buffer;
}

static int is_tracked(int fd) {
    return fd >= 0 && fd < (int)sizeof tracked && tracked[fd];
}

// Counts a call; how it is to fail, or 0.
static enum how count(enum kind kind) {
    if (!page) return 0;
    uint64_t number = __atomic_add_fetch(&page->calls[kind], 1, __ATOMIC_SEQ_CST);
    if (kind != fail_kind || number != fail_number) return 0;
    page->failures++;
    errno = fail_errno;
    return fail_how;
}

static void note_inode(
    enum record record, uint64_t inode, const char *path, uint64_t offset, const void *data,
    size_t bytes) {
    if (log_fd < 0) return;
    int kept = errno;
    struct header header = {record, node, inode, offset, (uint32_t)strlen(path), (uint32_t)bytes};
    struct iovec parts[3] = {
        {&header, sizeof header}, {(void *)path, header.path_bytes}, {(void *)data, bytes}};
    size_t whole = sizeof header + header.path_bytes + bytes;
    // One call, so that records of several threads and programs do not mix.
    if (syscall(SYS_writev, log_fd, parts, 3) != (ssize_t)whole) die("the log");
    errno = kept;
}

static uint64_t inode_of(int fd) {
    struct stat found;
    int kept = errno;
    uint64_t inode = fstat(fd, &found) == 0 ? found.st_ino : 0;
    errno = kept;
    return inode;
}

static void note(
    enum record record, int fd, const char *path, uint64_t offset, const void *data, size_t bytes) {
    if (log_fd >= 0) note_inode(record, inode_of(fd), path, offset, data, bytes);
}

#define REAL(type, name, ...)                                     \
    static type (*real)(__VA_ARGS__);                             \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// MARK: Names

static int opened(int dirfd, const char *given, int flags, mode_t mode) {
    REAL(int, "openat64", int, const char *, int, ...);
    char buffer[PATH_MAX];
    const char *path = dirs ? absolute(dirfd, given, buffer) : given;
    int watched = is_watched(path) || ((flags & O_DIRECTORY) && is_above(path));
    if (watched && count(OPEN)) return -1;
    int existed = !watched || syscall(SYS_access, path, F_OK) == 0;
    if (watched && !existed && (flags & O_CREAT) && full_path
        && syscall(SYS_access, full_path, F_OK) == 0) {
        errno = ENOSPC;
        return -1;
    }
    int fd = real(dirfd, given, flags, mode);
    if (fd < 0 || fd >= (int)sizeof tracked) return fd;
    tracked[fd] = (unsigned char)watched;
    if (watched && !existed) note(R_CREATE, fd, path, 0, NULL, 0);
    if (watched && existed && (flags & O_TRUNC)) note(R_TRUNCATE, fd, path, 0, NULL, 0);
    return fd;
}

static mode_t mode_of(int flags, va_list list) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPENER(name, at)                                                  \
    va_list list;                                                         \
    va_start(list, flags);                                                \
    mode_t mode = mode_of(flags, list);                                   \
    va_end(list);                                                         \
    return opened(at, path, flags, mode)

int open(const char *path, int flags, ...) { OPENER("open", AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPENER("open64", AT_FDCWD); }
int openat(int dirfd, const char *path, int flags, ...) { OPENER("openat", dirfd); }
int openat64(int dirfd, const char *path, int flags, ...) { OPENER("openat64", dirfd); }
int creat(const char *path, mode_t mode) {
    return opened(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

// Opens by itself, without the functions above.
DIR *opendir(const char *given) {
    REAL(DIR *, "opendir", const char *);
    char buffer[PATH_MAX];
    if (is_watched(dirs ? absolute(AT_FDCWD, given, buffer) : given) && count(OPEN)) return NULL;
    return real(given);
}

int close(int fd) {
    REAL(int, "close", int);
    if (fd >= 0 && fd < (int)sizeof tracked) tracked[fd] = 0;
    return real(fd);
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    int watched = is_watched(to);
    if (watched && count(RENAME)) return -1;
    int result = real(from, to);
    if (watched && result == 0)
        note_inode(R_RENAME, 0, to, 0, from, strlen(from));
    return result;
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    int watched = is_watched(path);
    if (watched && count(UNLINK)) return -1;
    int result = real(path);
    if (watched && result == 0) note_inode(R_UNLINK, 0, path, 0, NULL, 0);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    int watched = is_watched(path);
    if (watched && count(MKDIR)) return -1;
    int result = real(path, mode);
    if (watched && result == 0) note_inode(R_MKDIR, 0, path, 0, NULL, 0);
    return result;
}

// MARK: Contents

static int would_grow(int fd, uint64_t end) {
    struct stat found;
    if (!full_path || syscall(SYS_access, full_path, F_OK) != 0) return 0;
    return fstat(fd, &found) == 0 && end > (uint64_t)found.st_size;
}

// A disk gets a large write in parts, page by page of the system, and the power can fail between any.
static void note_written(int fd, uint64_t place, const void *data, size_t bytes) {
    const char *rest = data;
    while (bytes > 0) {
        size_t part = 4096 - place % 4096;
        if (part > bytes) part = bytes;
        note(R_WRITE, fd, "", place, rest, part);
        rest += part, place += part, bytes -= part;
    }
}

// Writes at a place, or where the descriptor stands (-1).
static ssize_t written(int fd, const void *data, size_t bytes, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    static ssize_t (*real_write)(int, const void *, size_t);
    if (!real_write) real_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    size_t take = bytes;
    enum how how = 0;
    if (is_tracked(fd)) {
        how = count(WRITE);
        if (how == FAIL) return -1;
        if (how) take = bytes / 2;
        uint64_t place = offset >= 0 ? (uint64_t)offset : (uint64_t)lseek64(fd, 0, SEEK_CUR);
        if (would_grow(fd, place + take)) {
            errno = ENOSPC;
            return -1;
        }
        ssize_t result = offset >= 0 ? real(fd, data, take, offset) : real_write(fd, data, take);
        if (result > 0) note_written(fd, place, data, (size_t)result);
        if (how == TORN) {
            errno = EIO;
            return -1;
        }
        return result;
    }
    return offset >= 0 ? real(fd, data, bytes, offset) : real_write(fd, data, bytes);
}

ssize_t write(int fd, const void *data, size_t bytes) { return written(fd, data, bytes, -1); }
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    return written(fd, data, bytes, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset) {
    return written(fd, data, bytes, offset);
}

ssize_t read(int fd, void *data, size_t bytes) {
    REAL(ssize_t, "read", int, void *, size_t);
    if (is_tracked(fd) && count(READ)) return -1;
    return real(fd, data, bytes);
}

static ssize_t read_at(int fd, void *data, size_t bytes, off64_t offset) {
    REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
    if (is_tracked(fd) && count(READ)) return -1;
    return real(fd, data, bytes, offset);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t offset) {
    return read_at(fd, data, bytes, offset);
}
ssize_t pread64(int fd, void *data, size_t bytes, off64_t offset) {
    return read_at(fd, data, bytes, offset);
}

static int synced(int fd, const char *name) {
    static int (*both[2])(int);
    int (**real)(int) = &both[name[1] == 'd'];
    if (!*real) *real = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (!is_tracked(fd)) return (*real)(fd);
    if (count(SYNC)) return -1;
    int result = (*real)(fd);
    if (result == 0) {
        char link[64], path[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t length = syscall(SYS_readlink, link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        note(R_SYNC, fd, path, 0, NULL, 0);
    }
    return result;
}

int fsync(int fd) { return synced(fd, "fsync"); }
int fdatasync(int fd) { return synced(fd, "fdatasync"); }

static int truncated(int fd, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    if (is_tracked(fd)) {
        if (count(TRUNCATE)) return -1;
        if (would_grow(fd, (uint64_t)length)) {
            errno = ENOSPC;
            return -1;
        }
    }
    int result = real(fd, length);
    if (result == 0 && is_tracked(fd)) note(R_TRUNCATE, fd, "", (uint64_t)length, NULL, 0);
    return result;
}

int ftruncate(int fd, off_t length) { return truncated(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncated(fd, length); }

// MARK: What leaves the process

ssize_t send(int fd, const void *data, size_t bytes, int flags) {
    REAL(ssize_t, "send", int, const void *, size_t, int);
    if (log_fd >= 0) {
        int domain = 0;
        socklen_t size = sizeof domain;
        // Before it leaves, so that what others do on account of it comes behind it in the log.
        if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0) {
            if (domain == AF_UNIX) note_inode(R_TOLD, (uint64_t)fd, "", 0, data, bytes);
            else note_inode(R_SENT, (uint64_t)fd, "", bytes, NULL, 0);
        }
    }
    return real(fd, data, bytes, flags);
}

// MARK: Ways around this file; a record of one fails the test

static void escaped(int fd, const char *how) {
    if (is_tracked(fd)) note(R_ESCAPE, fd, how, 0, NULL, 0);
}

void *mmap64(void *at, size_t bytes, int access, int flags, int fd, off64_t offset) {
    REAL(void *, "mmap64", void *, size_t, int, int, int, off64_t);
    if ((flags & MAP_SHARED) && (access & PROT_WRITE)) escaped(fd, "mmap");
    return real(at, bytes, access, flags, fd, offset);
}
void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset) {
    return mmap64(at, bytes, access, flags, fd, offset);
}
ssize_t writev(int fd, const struct iovec *parts, int number) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    escaped(fd, "writev");
    return real(fd, parts, number);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t bytes) {
    REAL(int, "fallocate64", int, int, off64_t, off64_t);
    escaped(fd, "fallocate");
    return real(fd, mode, offset, bytes);
}
int posix_fallocate64(int fd, off64_t offset, off64_t bytes) {
    REAL(int, "posix_fallocate64", int, off64_t, off64_t);
    escaped(fd, "posix_fallocate");
    return real(fd, offset, bytes);
}
int dup2(int fd, int other) {
    REAL(int, "dup2", int, int);
    escaped(fd, "dup2");
    return real(fd, other);
}
