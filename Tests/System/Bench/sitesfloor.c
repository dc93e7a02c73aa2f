// What a program does with libnats that publishes and reads items of one size, and nothing else: what stoa-sites is
// measured beside. The stream is made as stoa-sites makes its own.
//
//   sitesfloor live    URL COUNT BYTES   one by one: publish, hear it by a subscription, have it acknowledged
//   sitesfloor through URL COUNT BYTES   all at once; a second connection reads all from the stream, 64 at a time
//
// Prints one line of JSON; times are in seconds.
#include "wire.h"

#include <nats/nats.h>
#include <pthread.h>

enum { BATCH = 64, WAIT = 5000, UNACKNOWLEDGED = 4000 };

static void must(natsStatus status, const char *what) {
    if (status == NATS_OK) return;
    fprintf(stderr, "sitesfloor: %s: %s\n", what, natsStatus_GetText(status));
    exit(1);
}

struct side {
    natsConnection *connection;
    jsCtx *stream;
};

static struct side open_side(const char *url) {
    struct side side;
    natsOptions *options;
    jsOptions js;
    must(natsOptions_Create(&options), "options");
    must(natsOptions_SetURL(options, url), url);
    must(natsOptions_UseGlobalMessageDelivery(options, true), "options");
    must(natsConnection_Connect(&side.connection, options), "connect");
    natsOptions_Destroy(options);
    must(jsOptions_Init(&js), "options");
    js.Wait = WAIT;
    js.PublishAsync.MaxPending = UNACKNOWLEDGED;
    js.PublishAsync.StallWait = WAIT;
    must(natsConnection_JetStream(&side.stream, side.connection, &js), "JetStream");
    return side;
}

static void make_stream(struct side side) {
    jsStreamConfig config;
    const char *subjects[] = {"floor.*"};
    jsStreamConfig_Init(&config);
    config.Name = "FLOOR";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.MaxMsgsPerSubject = 1;
    config.MaxBytes = 256 << 20;
    config.Storage = js_FileStorage;
    js_DeleteStream(side.stream, config.Name, NULL, NULL);
    must(js_AddStream(NULL, side.stream, &config, NULL, NULL), "stream");
}

static void publish(struct side side, long number, const char *bytes, int count) {
    char subject[32];
    snprintf(subject, sizeof subject, "floor.%ld", number);
    must(js_PublishAsync(side.stream, subject, bytes, count, NULL), "publish");
}

// ---- One by one ----

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_heard = PTHREAD_COND_INITIALIZER;
static long heard;
static double heard_at;

static void hear(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *context) {
    (void)connection, (void)subscription, (void)context;
    pthread_mutex_lock(&lock);
    heard_at = seconds_now();
    heard += 1;
    pthread_cond_signal(&is_heard);
    pthread_mutex_unlock(&lock);
    natsMsg_Destroy(message);
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void live(struct side writer, struct side reader, long count, const char *bytes, int size) {
    natsSubscription *subscription;
    double *times = calloc((size_t)count + 1, sizeof *times);
    if (!times) die("memory");
    must(natsConnection_Subscribe(&subscription, reader.connection, "floor.*", hear, NULL), "subscribe");
    must(natsConnection_Flush(reader.connection), "flush");
    for (long number = 0; number < count; number++) {
        double start = seconds_now();
        publish(writer, number, bytes, size);
        pthread_mutex_lock(&lock);
        while (heard <= number) pthread_cond_wait(&is_heard, &lock);
        times[number] = heard_at - start;
        pthread_mutex_unlock(&lock);
        must(js_PublishAsyncComplete(writer.stream, NULL), "acknowledge");
    }
    natsSubscription_Destroy(subscription);
    qsort(times, (size_t)count, sizeof *times, compare);
    printf("{\"p50\":%.9f,\"p99\":%.9f}\n", times[count / 2], times[count * 99 / 100]);
}

// ---- All at once ----

struct reading {
    struct side side;
    long count;
};

static void *read_all(void *argument) {
    struct reading *reading = argument;
    natsSubscription *reader;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = "FLOOR";
    options.Config.AckPolicy = js_AckNone;
    options.Config.MemoryStorage = true;
    must(js_PullSubscribe(&reader, reading->side.stream, "floor.*", NULL, NULL, &options, NULL), "reader");
    for (long seen = 0; seen < reading->count;) {
        natsMsgList list;
        natsStatus status = natsSubscription_Fetch(&list, reader, BATCH, 100, NULL);
        if (status == NATS_TIMEOUT) continue;
        must(status, "fetch");
        seen += list.Count;
        natsMsgList_Destroy(&list);
    }
    natsSubscription_Destroy(reader);
    return NULL;
}

static void through(struct side writer, struct side reader, long count, const char *bytes, int size) {
    struct reading reading = {reader, count};
    pthread_t thread;
    double start = seconds_now();
    errno = pthread_create(&thread, NULL, read_all, &reading);
    if (errno) die("thread");
    for (long number = 0; number < count; number++) publish(writer, number, bytes, size);
    must(js_PublishAsyncComplete(writer.stream, NULL), "acknowledge");
    double acknowledged = seconds_now() - start;
    pthread_join(thread, NULL);
    printf("{\"seconds\":%.9f,\"acknowledged\":%.9f}\n", seconds_now() - start, acknowledged);
}

int main(int argument_count, char **arguments) {
    if (argument_count != 5) {
        fprintf(stderr, "usage: sitesfloor live|through URL COUNT BYTES\n");
        return 64;
    }
    long count = atol(arguments[3]);
    int size = atoi(arguments[4]);
    char *bytes = malloc((size_t)size);
    if (!bytes) die("memory");
    memset(bytes, 'x', (size_t)size);
    struct side writer = open_side(arguments[2]), reader = open_side(arguments[2]);
    make_stream(writer);
    if (strcmp(arguments[1], "live") == 0)
        live(writer, reader, count, bytes, size);
    else
        through(writer, reader, count, bytes, size);
    return 0;
}
