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
