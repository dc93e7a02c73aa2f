// The floor of queries: the same rows that Stoa reads, by the same indexes of a copy of its database,
// through SQLite's C API, as bytes over one Unix socket. No JSON, no second thread, no other client.
//
//   queries SOCKET DATABASE ROOM [INDEX]
//
// A request is QUERY_BYTES: `n` for the newest page of the room, `b` and the id of a message in
// hexadecimal for the page before it, `l` for the last message of each conversation, `s` and a
// cursor for the page behind it, `f` and an expression of FTS5 for the first page of what INDEX finds, a
// copy of the daemon's. The answer is the number of rows, their bytes, and the rows.
#include "wire.h"

#include <sqlite3.h>

enum { PAGE = 50, OUT_BYTES = 1 << 20, ID_BYTES = 32, PREFIX_BYTES = 8 };

// The columns of a message, and the tables that they come from; as in the daemon.
#define COLUMNS \
    "e.arrival, c.hash, a.key, l.incarnation, e.seq, e.prefix, e.suffix, e.kind, e.hlc, " \
    "e.payload, e.flags"
#define TABLES \
    " CROSS JOIN logs l ON l.id = e.log CROSS JOIN authors a ON a.id = l.author" \
    " CROSS JOIN conversations c ON c.id = e.conversation "
#define NEWEST_FIRST " ORDER BY e.hlc DESC, a.key DESC, l.incarnation DESC, e.seq DESC LIMIT "

static sqlite3 *database;
static sqlite3_stmt *anchor_row, *room_row, *all_rooms, *page, *last, *arrivals, *find, *found;
static const char *room;
static char out[OUT_BYTES];
static size_t used;
static uint32_t rows;

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) {
        fprintf(stderr, "queries: %s: %s\n", sql, sqlite3_errmsg(database));
        exit(1);
    }
    return statement;
}

static void open_database(const char *path) {
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        die("%s: %s", path, sqlite3_errmsg(database));
    // The cache that the daemon has, and as it the only one who has the file open.
    sqlite3_exec(
        database, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192", NULL, NULL, NULL);
    anchor_row = prepare(
        "SELECT e.hlc, a.key, l.incarnation, e.seq FROM ids i"
        " CROSS JOIN entries e ON e.arrival = i.arrival" TABLES
        "WHERE i.prefix = ?1 AND e.suffix = ?2");
    room_row = prepare("SELECT id, shown FROM conversations WHERE name = ?1");
    all_rooms = prepare("SELECT id, shown FROM conversations ORDER BY hash");
    page = prepare(
        "SELECT " COLUMNS " FROM entries e INDEXED BY entries_by_time" TABLES
        "WHERE e.conversation = ?1 AND e.hlc <= ?2"
        " AND (e.hlc < ?2 OR (a.key, l.incarnation, e.seq) < (?3, ?4, ?5))"
        " AND e.arrival > 0 AND e.flags & 34816 = 0 AND e.flags & 12 = 0" NEWEST_FIRST "50");
    last = prepare(
        "SELECT " COLUMNS " FROM entries e INDEXED BY entries_by_time" TABLES
        "WHERE e.conversation = ?1 AND e.hlc <= ?2 AND e.kind = 32"
        " AND e.arrival > 0 AND e.flags & 34816 = 0 AND e.flags & 12 = 0" NEWEST_FIRST "1");
    // The sign keeps it off the index by room, behind which it would have to sort.
    arrivals = prepare(
        "SELECT " COLUMNS " FROM entries e" TABLES
        "WHERE e.arrival > ?1 AND +e.conversation = ?2 AND e.flags & 12 = 0"
        " ORDER BY e.arrival LIMIT 50");
}

static void open_index(const char *path) {
    sqlite3_stmt *attach = prepare("ATTACH ?1 AS search");
    sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
    if (sqlite3_step(attach) != SQLITE_DONE) die("%s: %s", path, sqlite3_errmsg(database));
    sqlite3_finalize(attach);
    sqlite3_exec(database, "PRAGMA search.cache_size = -2048", NULL, NULL, NULL);
    find = prepare(
        "SELECT d.hash, d.hlc, CAST(rank * 1000000 AS INTEGER),"
        " snippet(words, 0, char(1), char(2), '…', 24)"
        " FROM search.words w CROSS JOIN search.docs d ON d.id = w.rowid"
        " WHERE words MATCH ?1 AND d.hlc >= ?2 AND d.hlc < ?3"
        " ORDER BY w.rowid DESC LIMIT 21 OFFSET 0");
    found = prepare(
        "SELECT " COLUMNS " FROM ids i CROSS JOIN entries e ON e.arrival = i.arrival" TABLES
        "WHERE i.prefix = ?1 AND e.suffix = ?2");
}

static void put(const void *bytes, size_t count) {
    if (used + count > OUT_BYTES) die("too many rows");
    memcpy(out + used, bytes, count);
    used += count;
}

static void take_rows(sqlite3_stmt *statement) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int columns = sqlite3_column_count(statement);
        for (int column = 0; column < columns; column++) {
            if (sqlite3_column_type(statement, column) == SQLITE_INTEGER) {
                sqlite3_int64 number = sqlite3_column_int64(statement, column);
                put(&number, sizeof number);
                continue;
            }
            const void *bytes = sqlite3_column_blob(statement, column);
            uint32_t count = (uint32_t)sqlite3_column_bytes(statement, column);
            put(&count, sizeof count);
            put(bytes, count);
        }
        rows += 1;
    }
    if (code != SQLITE_DONE) die("a query: %s", sqlite3_errmsg(database));
    sqlite3_reset(statement);
}

// The first page of what is found: each message with its excerpt.
static void take_hits(const char *words) {
    char expression[2 * QUERY_BYTES];
    snprintf(expression, sizeof expression, "text : (%s)", words);
    sqlite3_bind_text(find, 1, expression, -1, SQLITE_STATIC);
    sqlite3_bind_int64(find, 2, INT64_MIN);
    sqlite3_bind_int64(find, 3, INT64_MAX);
    int code;
    while ((code = sqlite3_step(find)) == SQLITE_ROW) {
        const unsigned char *id = sqlite3_column_blob(find, 0);
        uint64_t prefix = 0;
        for (int index = 0; index < PREFIX_BYTES; index++) prefix = prefix << 8 | id[index];
        sqlite3_bind_int64(found, 1, (sqlite3_int64)prefix);
        sqlite3_bind_blob(
            found, 2, id + PREFIX_BYTES, ID_BYTES - PREFIX_BYTES, SQLITE_TRANSIENT);
        take_rows(found);
        uint32_t count = (uint32_t)sqlite3_column_bytes(find, 3);
        put(&count, sizeof count);
        put(sqlite3_column_text(find, 3), count);
    }
    if (code != SQLITE_DONE) die("a search: %s", sqlite3_errmsg(database));
    sqlite3_reset(find);
}

static int hexadecimal_digit(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    die("'%c' is no hexadecimal digit", digit);
}

// Binds the display position of a message; the last one of all without an id.
static void bind_position(sqlite3_int64 newest, const char *id) {
    // Longer than any key, so that it stands behind all of them.
    static char last_key[ID_BYTES + 1];
    memset(last_key, 0xff, sizeof last_key);
    sqlite3_bind_int64(page, 2, newest);
    sqlite3_bind_blob(page, 3, last_key, sizeof last_key, SQLITE_STATIC);
    sqlite3_bind_int64(page, 4, INT64_MAX);
    sqlite3_bind_int64(page, 5, INT64_MAX);
    if (!id) return;
    unsigned char bytes[ID_BYTES];
    uint64_t prefix = 0;
    for (int index = 0; index < ID_BYTES; index++)
        bytes[index] = (unsigned char)(hexadecimal_digit(id[2 * index]) << 4
                                       | hexadecimal_digit(id[2 * index + 1]));
    for (int index = 0; index < PREFIX_BYTES; index++) prefix = prefix << 8 | bytes[index];
    sqlite3_bind_int64(anchor_row, 1, (sqlite3_int64)prefix);
    sqlite3_bind_blob(
        anchor_row, 2, bytes + PREFIX_BYTES, ID_BYTES - PREFIX_BYTES, SQLITE_TRANSIENT);
    if (sqlite3_step(anchor_row) != SQLITE_ROW) die("there is no message %.64s", id);
    sqlite3_bind_int64(page, 2, sqlite3_column_int64(anchor_row, 0));
    sqlite3_bind_blob(page, 3, sqlite3_column_blob(anchor_row, 1), ID_BYTES, SQLITE_TRANSIENT);
    sqlite3_bind_int64(page, 4, sqlite3_column_int64(anchor_row, 2));
    sqlite3_bind_int64(page, 5, sqlite3_column_int64(anchor_row, 3));
    sqlite3_reset(anchor_row);
}

static sqlite3_int64 find_room(sqlite3_int64 *newest) {
    sqlite3_bind_text(room_row, 1, room, -1, SQLITE_STATIC);
    if (sqlite3_step(room_row) != SQLITE_ROW) die("there is no room %s", room);
    sqlite3_int64 id = sqlite3_column_int64(room_row, 0);
    *newest = sqlite3_column_int64(room_row, 1);
    sqlite3_reset(room_row);
    return id;
}

static void answer(const char *request) {
    sqlite3_int64 newest, id = find_room(&newest);
    switch (request[0]) {
    case 'n':
    case 'b':
        sqlite3_bind_int64(page, 1, id);
        bind_position(newest, request[0] == 'b' ? request + 1 : NULL);
        take_rows(page);
        break;
    case 'l':
        while (sqlite3_step(all_rooms) == SQLITE_ROW) {
            sqlite3_bind_int64(last, 1, sqlite3_column_int64(all_rooms, 0));
            sqlite3_bind_int64(last, 2, sqlite3_column_int64(all_rooms, 1));
            take_rows(last);
        }
        sqlite3_reset(all_rooms);
        break;
    case 's':
        sqlite3_bind_int64(arrivals, 1, atoll(request + 1));
        sqlite3_bind_int64(arrivals, 2, id);
        take_rows(arrivals);
        break;
    case 'f':
        if (!find) die("no index was given");
        take_hits(request + 1);
        break;
    default: die("an unknown query");
    }
}

int main(int count, char **arguments) {
    if (count != 4 && count != 5) {
        fprintf(stderr, "usage: queries SOCKET DATABASE ROOM [INDEX]\n");
        return 64;
    }
    open_database(arguments[2]);
    if (count == 5) open_index(arguments[4]);
    room = arguments[3];
    struct sockaddr_un address = unix_address(arguments[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4))
        die("%s", arguments[1]);
    while (1) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) die("accept");
        char request[QUERY_BYTES + 1] = {0};
        while (recv(client, request, QUERY_BYTES, MSG_WAITALL) == QUERY_BYTES) {
            uint32_t header[2] = {0, 0};
            used = sizeof header;
            rows = 0;
            answer(request);
            header[0] = rows;
            header[1] = (uint32_t)(used - sizeof header);
            memcpy(out, header, sizeof header);
            write_all(client, out, used);
        }
        close(client);
    }
}
