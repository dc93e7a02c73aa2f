/* The VFS: passes everything on, but for whole pages of the database file, which get checksums, and
   for what is written to its write-ahead log, which is gathered: see log.c. */
#define _GNU_SOURCE
#include "CPages.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

struct pages_file {
    sqlite3_file base;
    sqlite3_file *real;
    /* Whether the file's pages have checksums. */
    int has_checksums;
    uint32_t damaged;
    /* Whether it was opened only to be read, and whether nothing can change it then. */
    int is_read_only;
    int is_immutable;
};

static sqlite3_file *real_of(sqlite3_file *file) { return ((struct pages_file *)file)->real; }

static sqlite3_vfs *real_vfs(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }

static int header_has_checksums(const unsigned char *header) {
    uint32_t application = (uint32_t)header[68] << 24 | (uint32_t)header[69] << 16 |
                           (uint32_t)header[70] << 8 | header[71];
    /* Either is enough, so that no flipped bit switches the checks off. */
    return header[20] == CPAGES_RESERVED_BYTES || application == CPAGES_APPLICATION;
}

static int close_file(sqlite3_file *file) { return real_of(file)->pMethods->xClose(real_of(file)); }

static int read_file(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    struct pages_file *pages = (struct pages_file *)file;
    int code = pages->real->pMethods->xRead(pages->real, buffer, count, offset);
    if (code != SQLITE_OK) return code;
    if (offset == 0 && count >= 100) pages->has_checksums = header_has_checksums(buffer);
    if (!pages->has_checksums || count < 512) return SQLITE_OK;
    /* Reads of another size come from a header that asks for it, and so is damaged. */
    const int bytes = CPAGES_PAGE_BYTES;
    uint32_t number = (uint32_t)(offset / bytes) + 1;
    if (count == bytes && offset % bytes == 0 && cpages_has_checksum(buffer, bytes, number))
        return SQLITE_OK;
    pages->damaged = number;
    return SQLITE_IOERR_DATA;
}

static int write_file(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    struct pages_file *pages = (struct pages_file *)file;
    if (offset == 0 && count >= 100) pages->has_checksums = header_has_checksums(buffer);
    if (!pages->has_checksums || count != CPAGES_PAGE_BYTES || offset % count != 0)
        return pages->real->pMethods->xWrite(pages->real, buffer, count, offset);
    unsigned char page[CPAGES_PAGE_BYTES];
    memcpy(page, buffer, (size_t)count);
    cpages_write_checksum(page, count, (uint32_t)(offset / count) + 1);
    return pages->real->pMethods->xWrite(pages->real, page, count, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int sync_file(sqlite3_file *file, int flags) {
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int lock_file(sqlite3_file *file, int level) {
    /* On a read-only file system there are no writers; nor would the kernel lock it for writing. */
    if (((struct pages_file *)file)->is_read_only && level > SQLITE_LOCK_SHARED) return SQLITE_OK;
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int unlock_file(sqlite3_file *file, int level) {
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int check_reserved_lock(sqlite3_file *file, int *result) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}

/* Reads pages as they are on the disk, not in SQLite's cache. */
static int read_pages(struct pages_file *pages, struct cpages_reading *reading) {
    sqlite3_int64 size = 0;
    int code = pages->real->pMethods->xFileSize(pages->real, &size);
    if (code != SQLITE_OK) return code;
    reading->damaged = reading->first_damaged = reading->read = 0;
    const int bytes = CPAGES_PAGE_BYTES;
    for (uint32_t index = 0; index < reading->count; index++) {
        unsigned char page[CPAGES_PAGE_BYTES];
        uint32_t number = reading->first + index;
        sqlite3_int64 offset = ((sqlite3_int64)number - 1) * bytes;
        if (offset + bytes > size) break;
        reading->read++;
        /* The page with the byte at which SQLite locks holds nothing. */
        if (offset == 0x40000000) continue;
        code = pages->real->pMethods->xRead(pages->real, page, bytes, offset);
        if (code != SQLITE_OK) return code;
        if (!pages->has_checksums || cpages_has_checksum(page, bytes, number)) continue;
        if (reading->damaged++ == 0) reading->first_damaged = number;
    }
    return SQLITE_OK;
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
    struct pages_file *pages = (struct pages_file *)file;
    switch (operation) {
    case CPAGES_CONTROL_DAMAGED:
        *(uint32_t *)argument = pages->damaged;
        return SQLITE_OK;
    case CPAGES_CONTROL_READ:
        return read_pages(pages, argument);
    default:
        return pages->real->pMethods->xFileControl(pages->real, operation, argument);
    }
}

static int sector_size(sqlite3_file *file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int characteristics(sqlite3_file *file) {
    if (((struct pages_file *)file)->is_immutable)
        return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file)) |
               SQLITE_IOCAP_IMMUTABLE;
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, memory);
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void shm_barrier(sqlite3_file *file) {
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int shm_unmap(sqlite3_file *file, int remove) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

/* Version 2: without memory mapping, which would read past the checks. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

/* A file that could not be opened for writing SQLite opens for reading, whatever the reason was. One
   that this user may write was not refused for its rights: that is an error like any other. */
static int open_writable(sqlite3_vfs *real, const char *name, sqlite3_file *file, int flags,
                         int *out_flags) {
    int got = 0;
    errno = 0;
    int code = real->xOpen(real, name, file, flags, &got);
    int reason = errno;
    if (out_flags != NULL) *out_flags = got;
    if (code != SQLITE_OK || name == NULL || !(flags & SQLITE_OPEN_READWRITE) ||
        !(got & SQLITE_OPEN_READONLY) || faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) != 0)
        return code;
    file->pMethods->xClose(file);
    file->pMethods = NULL;
    errno = reason;
    return SQLITE_CANTOPEN;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *out_flags) {
    /* The default of the moment, where it is another one and asks for no more room. */
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (real == NULL || real->szOsFile > real_vfs(vfs)->szOsFile) real = real_vfs(vfs);
    if (flags & SQLITE_OPEN_WAL) {
        sqlite3_file *log = cpages_log_real(file);
        int code = open_writable(real, name, log, flags, out_flags);
        if (log->pMethods != NULL) cpages_log_begin(file);
        return code;
    }
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return open_writable(real, name, file, flags, out_flags);
    struct pages_file *pages = (struct pages_file *)file;
    memset(pages, 0, sizeof *pages);
    pages->real = (sqlite3_file *)(pages + 1);
    int code = open_writable(real, name, pages->real, flags, out_flags);
    if (pages->real->pMethods != NULL) pages->base.pMethods = &methods;
    if (code == SQLITE_OK && flags & SQLITE_OPEN_READONLY) {
        pages->is_read_only = 1;
        /* SQLite would make a write-ahead log where none is; so it must take the file for one without. */
        char log[PATH_MAX + 8];
        int has_log = 1;
        if (name != NULL && strlen(name) <= PATH_MAX) {
            strcpy(log, name);
            strcat(log, "-wal");
            has_log = access(log, F_OK) == 0;
        }
        pages->is_immutable = !has_log;
    }
    return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync) {
    return real_vfs(vfs)->xDelete(real_vfs(vfs), name, sync);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    return real_vfs(vfs)->xAccess(real_vfs(vfs), name, flags, result);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    return real_vfs(vfs)->xFullPathname(real_vfs(vfs), name, count, path);
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    return real_vfs(vfs)->xRandomness(real_vfs(vfs), count, bytes);
}

static int pause_vfs(sqlite3_vfs *vfs, int microseconds) {
    return real_vfs(vfs)->xSleep(real_vfs(vfs), microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *time) {
    return real_vfs(vfs)->xCurrentTime(real_vfs(vfs), time);
}

static int last_error(sqlite3_vfs *vfs, int count, char *text) {
    return real_vfs(vfs)->xGetLastError(real_vfs(vfs), count, text);
}

static int current_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    return real_vfs(vfs)->xCurrentTimeInt64(real_vfs(vfs), time);
}

int cpages_register(void) {
    static sqlite3_vfs vfs = {
        .iVersion = 2,
        .zName = CPAGES_VFS_NAME,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path,
        .xRandomness = randomness,
        .xSleep = pause_vfs,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
        .xCurrentTimeInt64 = current_milliseconds,
    };
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    if (sqlite3_vfs_find(CPAGES_VFS_NAME) != NULL) return SQLITE_OK;
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (real == NULL) return SQLITE_ERROR;
    vfs.pAppData = real;
    vfs.mxPathname = real->mxPathname;
    int own = (int)sizeof(struct pages_file);
    vfs.szOsFile = (own > cpages_log_bytes ? own : cpages_log_bytes) + real->szOsFile;
    return sqlite3_vfs_register(&vfs, 0);
}

static int set_lock(int descriptor, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int cpages_lock(int descriptor) { return set_lock(descriptor, F_WRLCK); }

void cpages_unlock(int descriptor) { (void)set_lock(descriptor, F_UNLCK); }
