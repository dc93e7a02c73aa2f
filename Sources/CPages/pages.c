#include "CPages.h"

#include <string.h>

/* XXH64: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md */

static const uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F,
                      prime3 = 0x165667B19E3779F9, prime4 = 0x85EBCA77C2B2AE63;

static uint64_t rotate(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static uint64_t load(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static uint64_t turn(uint64_t lane, uint64_t word) {
    return rotate(lane + word * prime2, 31) * prime1;
}

static uint64_t merge(uint64_t sum, uint64_t lane) {
    return (sum ^ turn(0, lane)) * prime1 + prime4;
}

uint64_t cpages_sum(const unsigned char *page, int bytes, uint32_t number) {
    const int count = bytes - CPAGES_RESERVED_BYTES;
    uint64_t seed = number;
    uint64_t a = seed + prime1 + prime2, b = seed + prime2, c = seed, d = seed - prime1;
    int place = 0;
    for (; place + 32 <= count; place += 32) {
        a = turn(a, load(page + place));
        b = turn(b, load(page + place + 8));
        c = turn(c, load(page + place + 16));
        d = turn(d, load(page + place + 24));
    }
    uint64_t sum = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    sum = merge(merge(merge(merge(sum, a), b), c), d) + (uint64_t)count;
    for (; place + 8 <= count; place += 8)
        sum = rotate(sum ^ turn(0, load(page + place)), 27) * prime1 + prime4;
    sum = (sum ^ sum >> 33) * prime2;
    sum = (sum ^ sum >> 29) * prime3;
    return sum ^ sum >> 32;
}

static uint64_t stored(const unsigned char *page, int bytes) {
    return load(page + bytes - CPAGES_RESERVED_BYTES);
}

void cpages_write_checksum(unsigned char *page, int bytes, uint32_t number) {
    uint64_t sum = cpages_sum(page, bytes, number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    sum = __builtin_bswap64(sum);
#endif
    memcpy(page + bytes - CPAGES_RESERVED_BYTES, &sum, 8);
}

int cpages_has_checksum(const unsigned char *page, int bytes, uint32_t number) {
    return cpages_sum(page, bytes, number) == stored(page, bytes);
}

static uint32_t big(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little(const unsigned char *bytes) {
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

void cpages_log_sum(const unsigned char *bytes, int count, int is_big_endian, uint32_t sum[2]) {
    uint32_t first = sum[0], second = sum[1];
    for (int place = 0; place + 8 <= count; place += 8) {
        const unsigned char *at = bytes + place;
        first += (is_big_endian ? big(at) : little(at)) + second;
        second += (is_big_endian ? big(at + 4) : little(at + 4)) + first;
    }
    sum[0] = first;
    sum[1] = second;
}
