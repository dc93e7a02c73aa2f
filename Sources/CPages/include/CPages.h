#pragma once
/* Pages of a database that vouch for themselves: a SQLite VFS that puts a checksum into the last
   eight bytes of each page when the database file is written, and checks it when a page is read. */
#include <stdint.h>

/* The size of a page. */
#define CPAGES_PAGE_BYTES 2048
/* The bytes at the end of a page that SQLite leaves alone (byte 20 of the file's header). */
#define CPAGES_RESERVED_BYTES 8
/* "STOA" in ASCII: the application id in the header of a database of ours. */
#define CPAGES_APPLICATION 0x53544f41
/* The name of the VFS. */
#define CPAGES_VFS_NAME "stoa"

/* For sqlite3_file_control: the number of the last page that failed, as uint32_t; 0 for none. */
#define CPAGES_CONTROL_DAMAGED 0x73746f61
/* For sqlite3_file_control: reads pages as struct cpages_reading says. */
#define CPAGES_CONTROL_READ 0x73746f62

/* Which pages to read past SQLite's cache, and what was found. */
struct cpages_reading {
    /* The first page, from 1, and how many. */
    uint32_t first;
    uint32_t count;
    /* How many of them are damaged, and the first that is. */
    uint32_t damaged;
    uint32_t first_damaged;
    /* How many are in the file. */
    uint32_t read;
};

/* Registers the VFS over the default one; returns a code of SQLite. May be called again. */
int cpages_register(void);

/* Tries for a lock of the open file description that excludes every lock of SQLite on a database:
   F_OFD_SETLK, fcntl(2). Returns 0, or -1 with errno. */
int cpages_lock(int descriptor);

/* Gives that lock back. Closing the descriptor does so only where no process that was forked
   meanwhile, and has not yet executed another program, has a copy of it. */
void cpages_unlock(int descriptor);

/* XXH64 of a page without its last eight bytes; the seed is the page's number, so that a page that
   was written to another's place is found, too. */
uint64_t cpages_sum(const unsigned char *page, int bytes, uint32_t number);

/* Writes the checksum into the last eight bytes. */
void cpages_write_checksum(unsigned char *page, int bytes, uint32_t number);

/* Whether the last eight bytes hold the checksum. */
int cpages_has_checksum(const unsigned char *page, int bytes, uint32_t number);

/* Goes on with the checksum of a write-ahead log over some bytes, a multiple of eight; section 4.2
   of https://www.sqlite.org/fileformat2.html. */
void cpages_log_sum(const unsigned char *bytes, int count, int is_big_endian, uint32_t sum[2]);
