// An Ethernet switch in user space that damages what passes, for networks whose kernel has no netem.
//
//   switch [SEED]
//
// Each port is the other end of a host's TAP device `eth0`. Reads commands from standard input, a
// line each, and answers each with `ok` or `error WORDS`; ends with its input. Ports are 1 to 64.
//
//   plug N PID            attaches the TAP device in the network of process PID
//   pull N                detaches it: the host has no more carrier
//   cut N | mend N        takes the carrier away, gives it back
//   block A B | open A B  drops what A sends to B, one way; without loss of carrier
//   port N in|out|both KEY VALUE...    sets all faults of a direction; what is not named is off
//   stats                 one line of JSON with what was done so far
//
// `in` is what the host sends, `out` what it gets. KEY is one of
//   loss duplicate reorder corrupt corrupt-checked    percent of the frames
//   delay jitter                                      milliseconds; jitter keeps the order
//   rate                                              thousand bytes a second
//   mtu                                               bytes of a packet; larger ones are lost
//
// `corrupt` flips one bit anywhere, which checksums find. `corrupt-checked` flips one in the payload
// of TCP or UDP and mends the checksum, so that the program at the other end gets it. `reorder` lets
// a frame wait up to 20 ms longer, and others pass it. What waits is bounded; what is too much is
// lost, as in any switch.
#define _GNU_SOURCE
#include "damage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    PORTS = 64,
    // What may wait in one direction of one port: a second at 8 Mb/s.
    QUEUE_BYTES = 1 << 20,
    // Addresses known at a time; corrupted ones take places too.
    ADDRESSES = 256,
    // Frames read from a port before the others have their turn.
    BURST = 32,
    REORDER_MICROSECONDS = 20000,
    LINE_BYTES = 512,
};

enum direction { IN, OUT };

// One direction of one port.
struct lane {
    struct faults faults;
    bool is_faulty;
    size_t waiting;
    // When the last frame has left, for the order; and when the wire is free again, for the rate.
    uint64_t last_due, free_at;
};

struct port {
    int descriptor;
    bool is_cut;
    uint64_t blocked;  // one bit for each port that does not get what this one sends
    struct lane lanes[2];
};

// A frame on its way: at `due` it has passed this lane.
struct event {
    uint64_t due, number;
    struct frame *frame;
    int port;
    enum direction direction;
};

struct address {
    unsigned char bytes[6];
    int port;
};

static struct port ports[PORTS + 1];
static struct address addresses[ADDRESSES];
static int address_count;
static struct event *heap;
static size_t heap_count, heap_capacity;
static uint64_t event_number;
static int own_network;

static struct {
    uint64_t frames, delivered, flooded, lost, blocked, overflowed, delayed, duplicated, reordered,
        cuts;
} stats;

static uint64_t now_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

// What waits: a heap by (due, number)

static bool is_before(const struct event *a, const struct event *b) {
    return a->due != b->due ? a->due < b->due : a->number < b->number;
}

static void push(struct event event) {
    if (heap_count == heap_capacity) {
        heap_capacity = heap_capacity ? heap_capacity * 2 : 1024;
        heap = realloc(heap, heap_capacity * sizeof *heap);
        if (!heap) die("memory");
    }
    size_t place = heap_count++;
    for (; place > 0 && is_before(&event, &heap[(place - 1) / 2]); place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = event;
}

static struct event pop(void) {
    struct event first = heap[0], last = heap[--heap_count];
    size_t place = 0;
    for (;;) {
        size_t child = place * 2 + 1;
        if (child + 1 < heap_count && is_before(&heap[child + 1], &heap[child])) child++;
        if (child >= heap_count || !is_before(&heap[child], &last)) break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return first;
}

// The way of a frame: enter(in) -> leave(in) -> switched -> enter(out) -> leave(out) -> written

static void leave(struct frame *frame, int number, enum direction direction);

static void wait_in_lane(struct frame *frame, int number, enum direction direction) {
    struct lane *lane = &ports[number].lanes[direction];
    const struct faults *faults = &lane->faults;
    if (lane->waiting + frame->count > QUEUE_BYTES) {
        stats.overflowed++;
        release(frame);
        return;
    }
    uint64_t now = now_microseconds(), due = now;
    if (faults->rate > 0) {
        if (lane->free_at < now) lane->free_at = now;
        due = lane->free_at += (uint64_t)((double)frame->count * 1000 / faults->rate);
    }
    due += (uint64_t)((faults->delay + (2 * random_part() - 1) * faults->jitter) * 1000);
    if (happens(faults->reorder)) {
        due += 1 + next_random() % REORDER_MICROSECONDS;
        stats.reordered++;
    } else {
        if (due < lane->last_due) due = lane->last_due;
        lane->last_due = due;
    }
    if (due > now) stats.delayed++;
    lane->waiting += frame->count;
    push((struct event){due, event_number++, frame, number, direction});
}

static void enter(struct frame *frame, int number, enum direction direction) {
    struct lane *lane = &ports[number].lanes[direction];
    // What waits from before the faults ended still goes first.
    if (!lane->is_faulty && lane->waiting == 0) {
        leave(frame, number, direction);
        return;
    }
    bool is_large = lane->faults.mtu > 0 && (double)frame->count > lane->faults.mtu + HEADER_BYTES;
    if (is_large || happens(lane->faults.loss)) {
        stats.lost++;
        release(frame);
        return;
    }
    if (happens(lane->faults.duplicate)) {
        stats.duplicated++;
        wait_in_lane(new_frame(frame->bytes, frame->count), number, direction);
    }
    wait_in_lane(damage(frame, &lane->faults), number, direction);
}

static int port_of(const unsigned char *bytes) {
    for (int index = 0; index < address_count; index++)
        if (memcmp(addresses[index].bytes, bytes, 6) == 0) return addresses[index].port;
    return 0;
}

static void learn(const unsigned char *bytes, int port) {
    if (bytes[0] & 1 || port_of(bytes) == port) return;
    int index = 0;
    while (index < address_count && memcmp(addresses[index].bytes, bytes, 6) != 0) index++;
    if (index == ADDRESSES) index = (int)(next_random() % ADDRESSES);
    if (index == address_count) address_count++;
    memcpy(addresses[index].bytes, bytes, 6);
    addresses[index].port = port;
}

static void forget(int port) {
    for (int index = 0; index < address_count;)
        if (addresses[index].port == port) addresses[index] = addresses[--address_count];
        else index++;
}

static bool is_up(int number) { return ports[number].descriptor >= 0 && !ports[number].is_cut; }

static void send_to(struct frame *frame, int from, int to) {
    if (!is_up(to)) return;
    if (ports[from].blocked >> (to - 1) & 1) {
        stats.blocked++;
        return;
    }
    frame->references++;
    enter(frame, to, OUT);
}

static void leave(struct frame *frame, int number, enum direction direction) {
    if (direction == OUT) {
        if (is_up(number) && write(ports[number].descriptor, frame->bytes, frame->count) > 0)
            stats.delivered++;
        release(frame);
        return;
    }
    learn(frame->bytes + 6, number);
    int to = frame->bytes[0] & 1 ? 0 : port_of(frame->bytes);
    if (to == 0) stats.flooded++;
    for (int other = 1; other <= PORTS; other++)
        if (other != number && (to == 0 || to == other)) send_to(frame, number, other);
    release(frame);
}

static void read_port(int number) {
    unsigned char bytes[FRAME_BYTES];
    for (int turn = 0; turn < BURST; turn++) {
        ssize_t count = read(ports[number].descriptor, bytes, sizeof bytes);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count < 0) {
            // The host is gone.
            close(ports[number].descriptor);
            ports[number].descriptor = -1;
            return;
        }
        if (count < HEADER_BYTES || ports[number].is_cut) continue;
        stats.frames++;
        enter(new_frame(bytes, (size_t)count), number, IN);
    }
}

// Commands

static const char *set_carrier(int number, int is_on) {
    if (ports[number].descriptor < 0) return "nothing is plugged in there";
    if (ioctl(ports[number].descriptor, TUNSETCARRIER, &is_on) < 0) return strerror(errno);
    ports[number].is_cut = !is_on;
    if (!is_on) {
        stats.cuts++;
        forget(number);
    }
    return NULL;
}

static const char *pull(int number) {
    if (ports[number].descriptor >= 0) close(ports[number].descriptor);
    ports[number].descriptor = -1;
    forget(number);
    return NULL;
}

// The device belongs to the network in which /dev/net/tun was opened.
static const char *plug(int number, long process) {
    char path[64];
    pull(number);
    ports[number].is_cut = false;
    snprintf(path, sizeof path, "/proc/%ld/ns/net", process);
    int network = open(path, O_RDONLY | O_CLOEXEC);
    if (network < 0) return "there is no such process";
    if (setns(network, CLONE_NEWNET) < 0) die("setns");
    close(network);
    int descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    strcpy(request.ifr_name, "eth0");
    int result = descriptor < 0 ? -1 : ioctl(descriptor, TUNSETIFF, &request);
    int error = errno;
    if (setns(own_network, CLONE_NEWNET) < 0) die("setns");
    if (result < 0) {
        if (descriptor >= 0) close(descriptor);
        return strerror(error);
    }
    ports[number].descriptor = descriptor;
    return NULL;
}

static const char *set_faults(int number, const char *way, char *words) {
    struct faults faults = {0};
    static const char *const names[] = {
        "loss", "duplicate", "reorder", "corrupt", "corrupt-checked", "delay", "jitter", "rate",
        "mtu"};
    double *const values[] = {
        &faults.loss, &faults.duplicate, &faults.reorder, &faults.corrupt, &faults.checked,
        &faults.delay, &faults.jitter, &faults.rate, &faults.mtu};
    bool is_faulty = false;
    for (char *key = strtok(words, " "); key; key = strtok(NULL, " ")) {
        char *text = strtok(NULL, " "), *end = text;
        size_t index = 0;
        while (index < sizeof names / sizeof *names && strcmp(names[index], key) != 0) index++;
        if (index == sizeof names / sizeof *names) return "there is no such fault";
        double value = text ? strtod(text, &end) : -1;
        if (!(value >= 0) || end == text || *end) return "a fault needs a number";
        *values[index] = value;
        is_faulty |= value > 0;
    }
    if (faults.jitter > faults.delay) return "jitter is at most the delay";
    bool is_both = strcmp(way, "both") == 0;
    if (!is_both && strcmp(way, "in") != 0 && strcmp(way, "out") != 0) return "in, out or both";
    for (int direction = IN; direction <= OUT; direction++) {
        if (!is_both && (strcmp(way, "in") == 0) != (direction == IN)) continue;
        ports[number].lanes[direction].faults = faults;
        ports[number].lanes[direction].is_faulty = is_faulty;
    }
    return NULL;
}

static void print_stats(void) {
    const struct {
        const char *name;
        uint64_t value;
    } all[] = {
        {"frames", stats.frames}, {"delivered", stats.delivered}, {"flooded", stats.flooded},
        {"lost", stats.lost}, {"blocked", stats.blocked}, {"overflowed", stats.overflowed},
        {"delayed", stats.delayed}, {"duplicated", stats.duplicated},
        {"reordered", stats.reordered}, {"corrupted", damages.corrupted},
        {"corruptCheckedTCP", damages.checked_tcp}, {"corruptCheckedUDP", damages.checked_udp},
        {"cuts", stats.cuts}, {"waiting", heap_count}};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++)
        printf("%s\"%s\": %" PRIu64, index ? ", " : "{", all[index].name, all[index].value);
    printf("}\n");
}

static bool is_port(long number) { return number >= 1 && number <= PORTS; }

static const char *obey(char *line) {
    char word[16] = "", way[8] = "";
    long first = 0, second = 0;
    int used = 0;
    if (sscanf(line, "%15s %ld %n", word, &first, &used) < 1) return "no command";
    bool is_first = is_port(first), has_second = sscanf(line, "%*s %*d %ld", &second) == 1;
    if (strcmp(word, "stats") == 0) {
        print_stats();
        return NULL;
    }
    if (!is_first) return "there is no such port, or no such command";
    if (strcmp(word, "plug") == 0 && has_second) return plug((int)first, second);
    if (strcmp(word, "pull") == 0) return pull((int)first);
    if (strcmp(word, "cut") == 0) return set_carrier((int)first, 0);
    if (strcmp(word, "mend") == 0) return set_carrier((int)first, 1);
    bool is_block = strcmp(word, "block") == 0;
    if ((is_block || strcmp(word, "open") == 0) && has_second && is_port(second)) {
        uint64_t bit = (uint64_t)1 << (second - 1);
        if (is_block) ports[first].blocked |= bit;
        else ports[first].blocked &= ~bit;
        return NULL;
    }
    if (strcmp(word, "port") == 0 && used > 0) {
        int more = 0;
        if (sscanf(line + used, "%7s %n", way, &more) == 1)
            return set_faults((int)first, way, line + used + (more ? more : (int)strlen(way)));
    }
    return "there is no such command";
}

// Takes what has come in on standard input; false at its end.
static bool read_commands(void) {
    static char buffer[LINE_BYTES];
    static size_t used;
    ssize_t count = read(STDIN_FILENO, buffer + used, sizeof buffer - 1 - used);
    if (count <= 0) return count < 0 && errno == EINTR;
    used += (size_t)count;
    char *line = buffer, *end;
    while ((end = memchr(line, '\n', used - (size_t)(line - buffer)))) {
        *end = 0;
        const char *error = obey(line);
        if (error) printf("error %s\n", error);
        else printf("ok\n");
        line = end + 1;
    }
    fflush(stdout);
    used -= (size_t)(line - buffer);
    memmove(buffer, line, used);
    if (used < sizeof buffer - 1) return true;
    fprintf(stderr, "switch: a command is too long\n");
    return false;
}

int main(int count, char **arguments) {
    random_state = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    own_network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (own_network < 0) die("/proc/self/ns/net");
    for (int number = 0; number <= PORTS; number++) ports[number].descriptor = -1;
    struct pollfd polled[PORTS + 1];
    for (;;) {
        polled[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
        for (int number = 1; number <= PORTS; number++)
            polled[number] = (struct pollfd){.fd = ports[number].descriptor, .events = POLLIN};
        struct timespec wait = {0}, *timeout = NULL;
        if (heap_count > 0) {
            uint64_t now = now_microseconds(), left = heap[0].due > now ? heap[0].due - now : 0;
            wait.tv_sec = (time_t)(left / 1000000);
            wait.tv_nsec = (long)(left % 1000000) * 1000;
            timeout = &wait;
        }
        if (ppoll(polled, PORTS + 1, timeout, NULL) < 0 && errno != EINTR) die("ppoll");
        uint64_t now = now_microseconds();
        while (heap_count > 0 && heap[0].due <= now) {
            struct event event = pop();
            ports[event.port].lanes[event.direction].waiting -= event.frame->count;
            leave(event.frame, event.port, event.direction);
        }
        for (int number = 1; number <= PORTS; number++)
            if (polled[number].revents && ports[number].descriptor >= 0) read_port(number);
        if (polled[0].revents && !read_commands()) return 0;
    }
}
