// The floor: what this machine allows a C program that does the work of two nodes and nothing else.
//
//   client -> Unix socket -> author: sign, link by hash, insert, COMMIT, seal -> TCP
//                            -> reader: open, check link and signature, insert, COMMIT
//                            -> Unix socket -> client
//
// One thread per process, blocking calls, one transaction and one write for whatever one read has
// brought. It has no discovery, handshake, acknowledgement between peers, JSON, second author or
// second conversation. Each message has a signature of its own; with `chained` the reader checks,
// in history, all links but only the last signature of each frame.
//
//   floor author  SOCKET DATABASE PORT
//   floor reader  SOCKET DATABASE PORT [chained]
#include "wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <sqlite3.h>

enum {
    MAXIMUM_READERS = 8,
    FRAME_RECORDS = 60,
    READ_BYTES = 1 << 16,
    LINK_BYTES = 1 << 18,
    TAG_BYTES = crypto_aead_chacha20poly1305_ietf_ABYTES,
};

// One message as it is signed, stored and sent.
struct record {
    unsigned char author[32];
    uint64_t number;
    uint64_t time;
    unsigned char previous[32];
    char text[TEXT_BYTES];
    unsigned char signature[64];
} __attribute__((packed));

enum { SIGNED_BYTES = sizeof(struct record) - 64 };

// A frame on the link: `count` records sealed together; none says that the history is complete.
struct frame_header {
    uint16_t count;
    uint16_t is_history;
} __attribute__((packed));

static unsigned char public_key[32], secret_key[64];
static const unsigned char link_key[32] = {9};

// ---- Store ----

static sqlite3 *database;
static sqlite3_stmt *insert_row, *begin, *commit, *read_rows;

static void check_sql(int code, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE) return;
    fprintf(stderr, "floor: %s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement = NULL;
    check_sql(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), sql);
    return statement;
}

static void run(sqlite3_stmt *statement) {
    check_sql(sqlite3_step(statement), "step");
    sqlite3_reset(statement);
}

static void open_store(const char *path) {
    check_sql(sqlite3_open(path, &database), path);
    check_sql(
        sqlite3_exec(
            database,
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
            "CREATE TABLE IF NOT EXISTS message (author INT, number INT, time INT, record BLOB);"
            "CREATE UNIQUE INDEX IF NOT EXISTS place ON message (author, number)",
            NULL, NULL, NULL),
        "schema");
    insert_row = prepare("INSERT INTO message VALUES (0, ?, ?, ?)");
    begin = prepare("BEGIN");
    commit = prepare("COMMIT");
    read_rows = prepare("SELECT record FROM message WHERE author = 0 ORDER BY number");
}

static void store(const struct record *record) {
    sqlite3_bind_int64(insert_row, 1, (sqlite3_int64)record->number);
    sqlite3_bind_int64(insert_row, 2, (sqlite3_int64)record->time);
    sqlite3_bind_blob(insert_row, 3, record, sizeof *record, SQLITE_STATIC);
    run(insert_row);
}

static void link_hash(unsigned char hash[32], const struct record *record) {
    crypto_generichash(hash, 32, (const unsigned char *)record, sizeof *record, NULL, 0);
}

static int unix_listen(const char *path) {
    struct sockaddr_un address = unix_address(path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(path);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4))
        die("%s", path);
    return listener;
}

static struct sockaddr_in loopback(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// ---- Author ----

struct link {
    int descriptor;
    uint64_t nonce;
    size_t used;
    unsigned char out[LINK_BYTES];
    uint16_t waiting;
    struct record records[FRAME_RECORDS];
};

static struct link *links[MAXIMUM_READERS];
static int link_count;

static void flush_link(struct link *link) {
    write_all(link->descriptor, link->out, link->used);
    link->used = 0;
}

static void nonce_bytes(unsigned char bytes[12], uint64_t *nonce) {
    memset(bytes, 0, 12);
    memcpy(bytes, nonce, 8);
    *nonce += 1;
}

static void seal_frame(struct link *link, int is_history) {
    size_t plain = link->waiting * sizeof(struct record);
    struct frame_header header = {link->waiting, (uint16_t)is_history};
    if (link->used + sizeof header + plain + TAG_BYTES > LINK_BYTES) flush_link(link);
    unsigned char *out = link->out + link->used, nonce[12];
    memcpy(out, &header, sizeof header);
    nonce_bytes(nonce, &link->nonce);
    crypto_aead_chacha20poly1305_ietf_encrypt(
        out + sizeof header, NULL, (unsigned char *)link->records, plain, NULL, 0, NULL, nonce,
        link_key);
    link->used += sizeof header + plain + TAG_BYTES;
    link->waiting = 0;
}

static void push(struct link *link, const struct record *record, int is_history) {
    link->records[link->waiting++] = *record;
    if (link->waiting == FRAME_RECORDS) seal_frame(link, is_history);
}

static void take_reader(int listener) {
    if (link_count == MAXIMUM_READERS) die("too many readers");
    struct link *link = calloc(1, sizeof *link);
    int one = 1;
    char wants_history;
    link->descriptor = accept(listener, NULL, NULL);
    if (link->descriptor < 0) die("accept");
    setsockopt(link->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (read(link->descriptor, &wants_history, 1) != 1) die("a reader says what it wants");
    links[link_count++] = link;
    if (wants_history) {
        int code;
        while ((code = sqlite3_step(read_rows)) == SQLITE_ROW)
            push(link, sqlite3_column_blob(read_rows, 0), 1);
        check_sql(code, "history");
        sqlite3_reset(read_rows);
        if (link->waiting > 0) seal_frame(link, 1);
    }
    seal_frame(link, 1);
    flush_link(link);
}

static struct record batch[READ_BYTES / sizeof(struct request)];
static unsigned char last_hash[32];
static uint64_t last_number;

static void take_requests(int client, const struct request *requests, uint32_t count) {
    run(begin);
    for (uint32_t index = 0; index < count; index++) {
        struct record *record = &batch[index];
        memcpy(record->author, public_key, 32);
        record->number = ++last_number;
        record->time = (uint64_t)time(NULL);
        memcpy(record->previous, last_hash, 32);
        memcpy(record->text, requests[index].text, TEXT_BYTES);
        crypto_sign_detached(
            record->signature, NULL, (unsigned char *)record, SIGNED_BYTES, secret_key);
        link_hash(last_hash, record);
        store(record);
    }
    run(commit);
    for (int reader = 0; reader < link_count; reader++) {
        for (uint32_t index = 0; index < count; index++) push(links[reader], &batch[index], 0);
        if (links[reader]->waiting > 0) seal_frame(links[reader], 0);
        flush_link(links[reader]);
    }
    write_all(client, &count, sizeof count);
}

static void serve_author(const char *socket_path, const char *port) {
    int one = 1, peers = socket(AF_INET, SOCK_STREAM, 0), client = -1;
    struct sockaddr_in address = loopback(port);
    setsockopt(peers, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(peers, (struct sockaddr *)&address, sizeof address) || listen(peers, 16))
        die("port %s", port);
    crypto_sign_keypair(public_key, secret_key);
    int clients = unix_listen(socket_path);
    static char in[READ_BYTES];
    size_t used = 0;
    while (1) {
        struct pollfd ready[3] = {{peers, POLLIN, 0}, {clients, POLLIN, 0}, {client, POLLIN, 0}};
        if (poll(ready, 3, -1) < 0) die("poll");
        if (ready[0].revents) take_reader(peers);
        if (ready[1].revents) {
            if (client >= 0) close(client);
            client = accept(clients, NULL, NULL);
            used = 0;
        } else if (ready[2].revents) {
            ssize_t count = read(client, in + used, sizeof in - used);
            if (count <= 0) {
                close(client);
                client = -1;
                continue;
            }
            used += (size_t)count;
            uint32_t whole = (uint32_t)(used / sizeof(struct request));
            if (whole == 0) continue;
            take_requests(client, (struct request *)in, whole);
            used -= whole * sizeof(struct request);
            memmove(in, in + whole * sizeof(struct request), used);
        }
    }
}

// ---- Reader ----

static char events[LINK_BYTES];
static size_t events_used;

static void tell(int client, const char text[TEXT_BYTES]) {
    if (events_used + TEXT_BYTES > sizeof events) {
        write_all(client, events, events_used);
        events_used = 0;
    }
    memcpy(events + events_used, text, TEXT_BYTES);
    events_used += TEXT_BYTES;
}

static void take_record(int client, const struct record *record, int is_signature_checked) {
    // After a late start the first record that comes has a predecessor that this reader lacks.
    if (last_number > 0
        && (record->number != last_number + 1 || memcmp(record->previous, last_hash, 32)))
        die("the chain is broken");
    last_number = record->number;
    if (is_signature_checked
        && crypto_sign_verify_detached(
            record->signature, (const unsigned char *)record, SIGNED_BYTES, record->author))
        die("a signature is wrong");
    link_hash(last_hash, record);
    store(record);
    tell(client, record->text);
}

static void serve_reader(const char *socket_path, const char *port, int is_chained) {
    int clients = unix_listen(socket_path), client, one = 1;
    char order;
    do client = accept(clients, NULL, NULL);
    while (read(client, &order, 1) != 1);
    int peer = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = loopback(port);
    if (connect(peer, (struct sockaddr *)&address, sizeof address)) die("port %s", port);
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char wants_history = order == ORDER_CATCH_UP;
    write_all(peer, &wants_history, 1);

    static unsigned char in[LINK_BYTES];
    static struct record records[FRAME_RECORDS];
    static const char ready[TEXT_BYTES] = "ready";
    size_t used = 0;
    uint64_t nonce = 0;
    while (1) {
        ssize_t count = read(peer, in + used, sizeof in - used);
        if (count <= 0) exit(0);
        used += (size_t)count;
        size_t at = 0;
        int is_open = 0;
        while (used - at >= sizeof(struct frame_header)) {
            struct frame_header header;
            memcpy(&header, in + at, sizeof header);
            size_t sealed = header.count * sizeof(struct record) + TAG_BYTES;
            if (used - at < sizeof header + sealed) break;
            unsigned char nonce_now[12];
            nonce_bytes(nonce_now, &nonce);
            if (crypto_aead_chacha20poly1305_ietf_decrypt(
                    (unsigned char *)records, NULL, NULL, in + at + sizeof header, sealed, NULL, 0,
                    nonce_now, link_key))
                die("a frame does not open");
            at += sizeof header + sealed;
            if (header.count == 0) tell(client, ready);
            if (header.count > 0 && !is_open) {
                run(begin);
                is_open = 1;
            }
            for (int index = 0; index < header.count; index++)
                take_record(
                    client, &records[index],
                    !(is_chained && header.is_history) || index == header.count - 1);
        }
        if (is_open) run(commit);
        write_all(client, events, events_used);
        events_used = 0;
        used -= at;
        memmove(in, in + at, used);
    }
}

int main(int count, char **arguments) {
    if (count < 5 || sodium_init() < 0) {
        fprintf(stderr, "usage: floor author|reader SOCKET DATABASE PORT [chained]\n");
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    open_store(arguments[3]);
    if (strcmp(arguments[1], "author") == 0) serve_author(arguments[2], arguments[4]);
    serve_reader(arguments[2], arguments[4], count > 5);
}
