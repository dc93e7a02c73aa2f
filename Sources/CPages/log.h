/* The write-ahead log as a file of the VFS, which gathers what is written one behind the other. */
#ifndef CPAGES_LOG_H
#define CPAGES_LOG_H

#include <sqlite3.h>

/* How much room it takes, before the file below it. */
extern const int cpages_log_bytes;

/* Where the file below it is to be opened. */
sqlite3_file *cpages_log_real(sqlite3_file *file);

/* Makes a file of it, once the one below is open. */
void cpages_log_begin(sqlite3_file *file);

#endif
