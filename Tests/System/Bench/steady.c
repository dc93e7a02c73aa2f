// Loaded into a daemon before its libraries (LD_PRELOAD) while it is counted.
//
// It notes every allocation in a file that is mapped, so that the count can be read while the
// program runs:
//
//   struct { uint64_t calls, bytes; }      STOA_BENCH_ALLOCATIONS names the file, which is there
//
// And it makes every sync take some milliseconds: while the disk is fast the daemon writes small
// batches on its loop, so that what it does would depend on the disk and on what else runs.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct counts {
    _Atomic uint64_t calls, bytes;
};

// Until the file is mapped, and where there is none, it counts here.
static struct counts unseen, *counts = &unseen;

__attribute__((constructor)) static void map_counts(void) {
    const char *path = getenv("STOA_BENCH_ALLOCATIONS");
    int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped != MAP_FAILED) counts = mapped;
}

static void count(size_t bytes) {
    atomic_fetch_add_explicit(&counts->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->bytes, bytes, memory_order_relaxed);
}

// The C library's own, which cannot be looked up by a function that allocates.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
    count(bytes);
    return __libc_malloc(bytes);
}

void *calloc(size_t members, size_t bytes) {
    count(members * bytes);
    return __libc_calloc(members, bytes);
}

void *realloc(void *old, size_t bytes) {
    count(bytes);
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    count(bytes);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **result, size_t alignment, size_t bytes) {
    count(bytes);
    *result = __libc_memalign(alignment, bytes);
    return *result ? 0 : ENOMEM;
}

int fdatasync(int descriptor) {
    struct timespec pause = {0, 3000000};
    nanosleep(&pause, NULL);
    return (int)syscall(SYS_fdatasync, descriptor);
}
