#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <nats/nats.h>

/* Options and configurations of libnats are structures full of pointers to text, made here so that the texts live long
   enough. */

/* Calls arrive from a thread of the library. */
typedef void (*cnats_change)(natsConnection *connection, void *context);
typedef void (*cnats_error)(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *context);
typedef void (*cnats_failed)(jsCtx *context, jsPubAckErr *error, void *closure);

/* How long the library waits for an answer of a server, in milliseconds. */
enum { CNATS_WAIT = 5000 };

/* By a credentials file of NATS, or by one whose first line is NAME:PASSWORD. */
static inline natsStatus cnats_login(natsOptions *options, const char *path) {
    char line[512];
    FILE *file = fopen(path, "re");
    if (!file) return NATS_ERR;
    bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    if (!is_read) return NATS_ERR;
    if (strncmp(line, "-----", 5) == 0) return natsOptions_SetUserCredentialsFromFiles(options, path, NULL);
    line[strcspn(line, "\r\n")] = 0;
    char *password = strchr(line, ':');
    if (!password) return NATS_ERR;
    *password++ = 0;
    natsStatus status = natsOptions_SetUserInfo(options, line, password);
    explicit_bzero(line, sizeof line);
    return status;
}

/* Connects to one of some servers, and from then on again whenever the connection is lost. With `secure` only over TLS: a
   URL that begins with tls:// alone would not insist on it. */
static inline natsStatus cnats_connect(
    natsConnection **connection, const char **servers, int count, bool secure, const char *credentials,
    cnats_change lost, cnats_change found, cnats_error failed, void *context) {
    natsOptions *options = NULL;
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK) status = natsOptions_SetServers(options, servers, count);
    if (status == NATS_OK && secure) status = natsOptions_SetSecure(options, true);
    if (status == NATS_OK && credentials) status = cnats_login(options, credentials);
    if (status == NATS_OK) status = natsOptions_SetName(options, "stoa-sites");
    if (status == NATS_OK) status = natsOptions_SetTimeout(options, CNATS_WAIT);
    if (status == NATS_OK) status = natsOptions_SetMaxReconnect(options, -1);
    if (status == NATS_OK) status = natsOptions_SetReconnectWait(options, 2000);
    /* What was published while there is no connection is published by us again, and not kept by the library. */
    if (status == NATS_OK) status = natsOptions_SetReconnectBufSize(options, 1);
    if (status == NATS_OK) status = natsOptions_SetDisconnectedCB(options, lost, context);
    if (status == NATS_OK) status = natsOptions_SetReconnectedCB(options, found, context);
    if (status == NATS_OK) status = natsOptions_SetErrorHandler(options, failed, context);
    /* One thread for all subscriptions, not one for each. */
    if (status == NATS_OK) status = natsOptions_UseGlobalMessageDelivery(options, true);
    if (status == NATS_OK) status = natsConnection_Connect(connection, options);
    natsOptions_Destroy(options);
    return status;
}

static inline natsStatus cnats_stream(jsCtx **stream, natsConnection *connection, cnats_failed failed, void *context) {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = CNATS_WAIT;
    options.PublishAsync.ErrHandler = failed;
    options.PublishAsync.ErrHandlerClosure = context;
    return natsConnection_JetStream(stream, connection, &options);
}

/* Makes the stream, or says what is there: one message for each subject, of which the newest stays. */
static inline natsStatus cnats_make(
    jsStreamInfo **info, jsCtx *stream, const char *name, const char *subject, int64_t bytes, int64_t age, int replicas,
    int32_t size, jsErrCode *code) {
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = name;
    config.Subjects = &subject;
    config.SubjectsLen = 1;
    config.MaxMsgsPerSubject = 1;
    config.MaxMsgSize = size;
    config.MaxBytes = bytes;
    config.MaxAge = age;
    config.Replicas = replicas;
    config.Discard = js_DiscardOld;
    config.Storage = js_FileStorage;
    return js_AddStream(info, stream, &config, NULL, code);
}

/* Reads the messages of a subject from a number on; the server forgets the reader a minute after the last fetch. */
static inline natsStatus cnats_reader(
    natsSubscription **reader, jsCtx *stream, const char *name, const char *subject, uint64_t first, jsErrCode *code) {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = name;
    options.Config.AckPolicy = js_AckNone;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = first < 1 ? 1 : first;
    options.Config.InactiveThreshold = 60000000000;
    options.Config.MemoryStorage = true;
    options.Config.Replicas = 1;
    return js_PullSubscribe(reader, stream, subject, NULL, NULL, &options, code);
}

/* Takes what is there, up to so many messages and bytes. It asks first whether there is something: a fetch of nothing
   would wait for its whole time. */
static inline natsStatus cnats_fetch(
    natsMsgList *list, natsSubscription *reader, int count, int64_t bytes, jsErrCode *code) {
    jsConsumerInfo *info = NULL;
    natsStatus status = natsSubscription_GetConsumerInfo(&info, reader, NULL, code);
    if (status != NATS_OK) return status;
    uint64_t pending = info->NumPending;
    jsConsumerInfo_Destroy(info);
    memset(list, 0, sizeof *list);
    if (pending == 0) return NATS_OK;
    jsFetchRequest request;
    jsFetchRequest_Init(&request);
    request.Batch = count;
    request.MaxBytes = bytes;
    request.NoWait = true;
    request.Expires = (int64_t)CNATS_WAIT * 1000000;
    return natsSubscription_FetchRequest(list, reader, &request);
}

static inline natsStatus cnats_publish(jsCtx *stream, const char *subject, const void *bytes, int count, const char *name) {
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = CNATS_WAIT;
    options.ExpectStream = name;
    return js_PublishAsync(stream, subject, bytes, count, &options);
}

/* Waits until all that was published is answered for; what is not by then is given up. */
static inline natsStatus cnats_complete(jsCtx *stream) {
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = 2 * CNATS_WAIT;
    natsStatus status = js_PublishAsyncComplete(stream, &options);
    natsMsgList pending;
    if (status != NATS_OK && js_PublishAsyncGetPendingList(&pending, stream) == NATS_OK) natsMsgList_Destroy(&pending);
    return status;
}

/* The number of a message in the stream, and how many come behind it. */
static inline bool cnats_place(natsMsg *message, uint64_t *number, uint64_t *behind) {
    jsMsgMetaData *data = NULL;
    if (natsMsg_GetMetaData(&data, message) != NATS_OK) return false;
    *number = data->Sequence.Stream;
    *behind = data->NumPending;
    jsMsgMetaData_Destroy(data);
    return true;
}
