/* SQLite writes a commit to the log as two writes for each page, its frame's header and the page, and
   syncs once behind them. Here they are kept until the sync, or until there are many, and written as
   one: a small commit is one system call instead of ten. Nothing counts as committed before the sync
   (`PRAGMA synchronous = FULL`), so nothing is promised that is only kept here; whatever else is done
   with the file writes first what is kept.

   A write that fails is told by the call that made it, which SQLite answers by undoing the
   transaction, and what was kept is dropped: SQLite writes it again. */
#include "log.h"

#include <stdlib.h>
#include <string.h>

/* Fifteen pages with their frames' headers. */
enum { KEPT_BYTES = 65536 };

struct log_file {
    sqlite3_file base;
    sqlite3_file *real;
    /* Made with the first write. */
    unsigned char *kept;
    int count;
    /* Where in the file `kept` begins. */
    sqlite3_int64 start;
};

const int cpages_log_bytes = sizeof(struct log_file);

static int write_kept(struct log_file *log) {
    if (log->count == 0) return SQLITE_OK;
    int count = log->count;
    log->count = 0;
    return log->real->pMethods->xWrite(log->real, log->kept, count, log->start);
}

static int write_log(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    struct log_file *log = (struct log_file *)file;
    if (log->count > 0 &&
        (offset != log->start + log->count || log->count + count > KEPT_BYTES)) {
        int code = write_kept(log);
        if (code != SQLITE_OK) return code;
    }
    if (log->kept == NULL) log->kept = malloc(KEPT_BYTES);
    if (log->kept == NULL || count > KEPT_BYTES)
        return log->real->pMethods->xWrite(log->real, buffer, count, offset);
    if (log->count == 0) log->start = offset;
    memcpy(log->kept + log->count, buffer, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

static int close_log(sqlite3_file *file) {
    struct log_file *log = (struct log_file *)file;
    /* What is still here was never synced, so nobody counts on it. */
    write_kept(log);
    free(log->kept);
    log->kept = NULL;
    return log->real->pMethods->xClose(log->real);
}

static int read_log(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    struct log_file *log = (struct log_file *)file;
    int code = write_kept(log);
    return code == SQLITE_OK ? log->real->pMethods->xRead(log->real, buffer, count, offset) : code;
}

static int truncate_log(sqlite3_file *file, sqlite3_int64 size) {
    struct log_file *log = (struct log_file *)file;
    int code = write_kept(log);
    return code == SQLITE_OK ? log->real->pMethods->xTruncate(log->real, size) : code;
}

static int sync_log(sqlite3_file *file, int flags) {
    struct log_file *log = (struct log_file *)file;
    int code = write_kept(log);
    return code == SQLITE_OK ? log->real->pMethods->xSync(log->real, flags) : code;
}

static int size_of_log(sqlite3_file *file, sqlite3_int64 *size) {
    struct log_file *log = (struct log_file *)file;
    int code = write_kept(log);
    return code == SQLITE_OK ? log->real->pMethods->xFileSize(log->real, size) : code;
}

static int control_log(sqlite3_file *file, int operation, void *argument) {
    struct log_file *log = (struct log_file *)file;
    return log->real->pMethods->xFileControl(log->real, operation, argument);
}

static int sector_size_of_log(sqlite3_file *file) {
    struct log_file *log = (struct log_file *)file;
    return log->real->pMethods->xSectorSize(log->real);
}

static int characteristics_of_log(sqlite3_file *file) {
    struct log_file *log = (struct log_file *)file;
    return log->real->pMethods->xDeviceCharacteristics(log->real);
}

/* A log has no locks and no shared memory of its own. */
static int no_lock(sqlite3_file *file, int level) {
    (void)file, (void)level;
    return SQLITE_OK;
}

static int no_reserved_lock(sqlite3_file *file, int *result) {
    (void)file;
    *result = 0;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_log,
    .xRead = read_log,
    .xWrite = write_log,
    .xTruncate = truncate_log,
    .xSync = sync_log,
    .xFileSize = size_of_log,
    .xLock = no_lock,
    .xUnlock = no_lock,
    .xCheckReservedLock = no_reserved_lock,
    .xFileControl = control_log,
    .xSectorSize = sector_size_of_log,
    .xDeviceCharacteristics = characteristics_of_log,
};

sqlite3_file *cpages_log_real(sqlite3_file *file) {
    struct log_file *log = (struct log_file *)file;
    memset(log, 0, sizeof *log);
    log->real = (sqlite3_file *)(log + 1);
    return log->real;
}

void cpages_log_begin(sqlite3_file *file) { file->pMethods = &methods; }
