// Frames, chance, and how the switch damages frames.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // The largest Ethernet frame of an MTU of 1500, with room for a VLAN tag.
    FRAME_BYTES = 1518,
    HEADER_BYTES = 14,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
};

struct faults {
    double loss, duplicate, reorder, corrupt, checked, delay, jitter, rate, mtu;
};

struct frame {
    int references;
    size_t count;
    unsigned char bytes[FRAME_BYTES];
};

static uint64_t random_state;

static struct {
    uint64_t corrupted, checked_tcp, checked_udp;
} damages;

static void die(const char *what) {
    fprintf(stderr, "switch: %s: %s\n", what, strerror(errno));
    exit(1);
}

// SplitMix64.
static uint64_t next_random(void) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double random_part(void) { return (double)(next_random() >> 11) * 0x1p-53; }

static bool happens(double percent) { return percent > 0 && random_part() * 100 < percent; }

static struct frame *new_frame(const unsigned char *bytes, size_t count) {
    struct frame *frame = malloc(sizeof *frame);
    if (!frame) die("memory");
    frame->references = 1;
    frame->count = count;
    memcpy(frame->bytes, bytes, count);
    return frame;
}

static void release(struct frame *frame) {
    if (--frame->references == 0) free(frame);
}

static unsigned word_at(const unsigned char *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

// Flips a bit of the payload of TCP or UDP and mends the checksum by the difference (RFC 1624).
static void corrupt_checked(struct frame *frame) {
    unsigned char *bytes = frame->bytes, *packet = bytes + HEADER_BYTES;
    size_t room = frame->count - HEADER_BYTES, start, end;
    int protocol;
    if (word_at(bytes + 12) == 0x0800 && room >= 20) {
        start = (size_t)(packet[0] & 15) * 4;
        end = word_at(packet + 2);
        protocol = packet[9];
        if (word_at(packet + 6) & 0x3fff) return;  // a fragment
    } else if (word_at(bytes + 12) == 0x86dd && room >= 40) {
        start = 40;
        end = 40 + word_at(packet + 4);
        protocol = packet[6];
    } else {
        return;
    }
    if (end > room || start + 20 > end) return;
    unsigned char *segment = packet + start, *sum;
    size_t header;
    if (protocol == PROTOCOL_TCP) {
        header = (size_t)(segment[12] >> 4) * 4;
        sum = segment + 16;
    } else if (protocol == PROTOCOL_UDP) {
        header = 8;
        sum = segment + 6;
    } else {
        return;
    }
    if (start + header >= end) return;
    size_t place = header + next_random() % (end - start - header);
    unsigned shift = place % 2 ? 0 : 8;
    unsigned old = (unsigned)segment[place] << shift;
    segment[place] ^= (unsigned char)(1u << next_random() % 8);
    unsigned new = (unsigned)segment[place] << shift;
    unsigned total = (~word_at(sum) & 0xffff) + (~old & 0xffff) + new;
    total = (total & 0xffff) + (total >> 16);
    total = ~((total & 0xffff) + (total >> 16)) & 0xffff;
    if (protocol == PROTOCOL_UDP && total == 0) total = 0xffff;
    if (protocol == PROTOCOL_TCP) damages.checked_tcp++;
    else damages.checked_udp++;
    // UDP may come without a checksum, which zero says.
    if (protocol == PROTOCOL_UDP && word_at(sum) == 0) return;
    sum[0] = (unsigned char)(total >> 8);
    sum[1] = (unsigned char)total;
}

// Gives a frame that only this way holds, since others of a flood are not to be damaged with it.
static struct frame *damage(struct frame *frame, const struct faults *faults) {
    bool is_corrupt = happens(faults->corrupt), is_checked = happens(faults->checked);
    if (!is_corrupt && !is_checked) return frame;
    if (frame->references > 1) {
        frame->references--;
        frame = new_frame(frame->bytes, frame->count);
    }
    if (is_checked) corrupt_checked(frame);
    if (is_corrupt) {
        frame->bytes[next_random() % frame->count] ^= (unsigned char)(1u << next_random() % 8);
        damages.corrupted++;
    }
    return frame;
}
