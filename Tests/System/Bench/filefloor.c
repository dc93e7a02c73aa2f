// The floor of a file: what this machine allows a C program that hashes, seals and sends it, and
// opens, hashes and writes it at the other end, and does nothing else.
//
//   file -> BLAKE2b, ChaCha20-Poly1305 -> TCP -> ChaCha20-Poly1305, BLAKE2b -> file, fdatasync
//
// One thread per process, blocking calls, parts of 64 KiB. It does not resume, checks no part before
// the last, and knows one file.
//
//   filefloor serve FILE PORT     to one who connects, after another
//   filefloor take  FILE PORT     prints how many seconds it took from connecting until all is on disk
#include "wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sodium.h>

enum {
    PART_BYTES = 1 << 16,
    TAG_BYTES = crypto_aead_chacha20poly1305_ietf_ABYTES,
    HASH_BYTES = 32,
};

static const unsigned char key[32] = {9};
static unsigned char plain[PART_BYTES], sealed[4 + PART_BYTES + TAG_BYTES];

static int is_read(int descriptor, void *bytes, size_t count) {
    size_t used = 0;
    while (used < count) {
        ssize_t more = read(descriptor, (char *)bytes + used, count - used);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) die("read");
        if (more == 0) return 0;
        used += (size_t)more;
    }
    return 1;
}

static void count_up(unsigned char nonce[12]) { sodium_increment(nonce, 12); }

static void begin(crypto_generichash_state *hash) { crypto_generichash_init(hash, NULL, 0, HASH_BYTES); }

static void send_part(int stream, uint32_t count, unsigned char nonce[12]) {
    memcpy(sealed, &count, 4);
    crypto_aead_chacha20poly1305_ietf_encrypt(
        sealed + 4, NULL, plain, count, sealed, 4, NULL, nonce, key);
    count_up(nonce);
    write_all(stream, sealed, 4 + count + TAG_BYTES);
}

static void serve_one(int stream, const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) die("%s", path);
    crypto_generichash_state hash;
    begin(&hash);
    unsigned char nonce[12] = {0};
    for (;;) {
        ssize_t count = read(file, plain, PART_BYTES);
        if (count < 0) die("%s", path);
        if (count == 0) break;
        crypto_generichash_update(&hash, plain, (size_t)count);
        send_part(stream, (uint32_t)count, nonce);
    }
    // What all of it must be; a part of no bytes is the end.
    crypto_generichash_final(&hash, plain, HASH_BYTES);
    send_part(stream, 0, nonce);
    write_all(stream, plain, HASH_BYTES);
    close(file);
}

static void serve(const char *path, struct sockaddr_in address) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1))
        die("listen");
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        int stream = accept(listener, NULL, NULL);
        if (stream < 0) die("accept");
        serve_one(stream, path);
        close(stream);
    }
}

static void take(const char *path, struct sockaddr_in address) {
    double start = seconds_now();
    int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(stream, (struct sockaddr *)&address, sizeof address)) die("connect");
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) die("%s", path);
    crypto_generichash_state hash;
    begin(&hash);
    unsigned char nonce[12] = {0}, due[HASH_BYTES], found[HASH_BYTES];
    for (;;) {
        uint32_t count;
        if (!is_read(stream, sealed, 4)) die("the file is cut short");
        memcpy(&count, sealed, 4);
        if (count > PART_BYTES || !is_read(stream, sealed + 4, count + TAG_BYTES))
            die("the file is cut short");
        if (crypto_aead_chacha20poly1305_ietf_decrypt(
                plain, NULL, NULL, sealed + 4, count + TAG_BYTES, sealed, 4, nonce, key))
            die("a part does not open");
        count_up(nonce);
        if (count == 0) break;
        crypto_generichash_update(&hash, plain, count);
        write_all(file, plain, count);
    }
    crypto_generichash_final(&hash, found, HASH_BYTES);
    if (!is_read(stream, due, HASH_BYTES) || memcmp(due, found, HASH_BYTES)) die("another file came");
    if (fdatasync(file)) die("%s", path);
    printf("{\"seconds\":%.9f}\n", seconds_now() - start);
}

int main(int count, char **arguments) {
    if (count != 4 || sodium_init() < 0) {
        fprintf(stderr, "usage: filefloor serve|take FILE PORT\n");
        return 64;
    }
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)atoi(arguments[3])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (strcmp(arguments[1], "serve") == 0)
        serve(arguments[2], address);
    else
        take(arguments[2], address);
    return 0;
}
