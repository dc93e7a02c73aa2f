#pragma once
/* Pages of a database that vouch for themselves: a SQLite VFS that puts a checksum into the last
   eight bytes of each page when the database file is written, and checks it when a page is read. */
#include <stdint.h>

/* The size of the pages of new files. */
#define CPAGES_PAGE_BYTES 2048
/* The other size there is: of files that earlier programs made. */
#define CPAGES_LARGE_PAGE_BYTES 4096
/* The bytes at the end of a page that SQLite leaves alone (byte 20 of the file's header). */
#define CPAGES_RESERVED_BYTES 8
/* "STOA" in ASCII: the application id in the header of a database of ours. */
#define CPAGES_APPLICATION 0x53544f41
/* The name of the VFS. */
#define CPAGES_VFS_NAME "stoa"

/* For sqlite3_file_control: the number of the last page that failed, as uint32_t; 0 for none. */
#define CPAGES_CONTROL_DAMAGED 0x73746f61
/* For sqlite3_file_control: whether the pages have checksums, as int. */
#define CPAGES_CONTROL_CHECKSUMS 0x73746f63
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

/* Whether the first 100 bytes of a file say that its pages have checksums. */
int cpages_header_has_checksums(const unsigned char *header);

/* The size of a file's pages as its first 18 bytes say it; 0 for one that is never used, as where a
   bit was flipped: the two sizes differ in two. */
int cpages_page_bytes(const unsigned char *header);

/* XXH64 of a page without its last eight bytes; the seed is the page's number, so that a page that
   was written to another's place is found, too. */
uint64_t cpages_sum(const unsigned char *page, int bytes, uint32_t number);

/* Writes the checksum into the last eight bytes. */
void cpages_write_checksum(unsigned char *page, int bytes, uint32_t number);

/* Whether the last eight bytes hold the checksum. */
int cpages_has_checksum(const unsigned char *page, int bytes, uint32_t number);

/* Finds the one flipped bit of a page whose checksum fails, and puts it right. Returns whether the
   checksum holds then; otherwise the page is unchanged. Takes some 20 ms for 4,096 bytes. */
int cpages_mend(unsigned char *page, int bytes, uint32_t number);

/* Goes on with the checksum of a write-ahead log over some bytes, a multiple of eight; section 4.2
   of https://www.sqlite.org/fileformat2.html. */
void cpages_log_sum(const unsigned char *bytes, int count, int is_big_endian, uint32_t sum[2]);

/* Finds the bits of a frame's first eight bytes and page, `count` bytes together, each of which, turned
   alone, makes the sum from `start` be `end`. Returns how many there are; writes the first `limit` of
   them, as eight times the byte's place and the bit. The sum is linear: the upper bits of words have
   many that change it alike. Takes some 30 ms for pages of 4,096 bytes. */
int cpages_log_candidates(const unsigned char *frame, int count, const uint32_t start[2],
                          const uint32_t end[2], int is_big_endian, uint32_t *bits, int limit);
