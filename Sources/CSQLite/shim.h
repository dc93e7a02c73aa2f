#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT and SQLITE_STATIC are casts, which Swift cannot import. */
static inline int csqlite_bind_blob_transient(sqlite3_stmt *s, int i, const void *p, int n) {
    return sqlite3_bind_blob(s, i, p, n, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text_transient(sqlite3_stmt *s, int i, const char *p, int n) {
    return sqlite3_bind_text(s, i, p, n, SQLITE_TRANSIENT);
}

/* sqlite3_config is variadic, which Swift cannot call. */
static inline int csqlite_config(int option, int value) {
    return sqlite3_config(option, value);
}

/* sqlite3_db_config is variadic, which Swift cannot call. */
static inline int csqlite_db_config(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

/* The errno of the last failed call on a connection's file, and on its journal or log; 0 for none.
   Each file takes these calls from its own methods, which Swift cannot call. */
static inline int csqlite_last_errno(sqlite3 *db) {
    int found = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &found);
    return found;
}

static inline int csqlite_last_log_errno(sqlite3 *db) {
    int found = 0;
    sqlite3_file *file = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (file && file->pMethods) {
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &found);
    }
    return found;
}
