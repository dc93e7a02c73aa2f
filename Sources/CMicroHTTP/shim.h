#pragma once
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <microhttpd.h>

/* MHD_start_daemon and the functions that ask are variadic, which Swift cannot call. */

/* Leaves a path as it was asked for: no name here has anything to be decoded, and a zero byte would cut it. */
static inline size_t cmicrohttp_leave(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/* Serves a socket that listens, from the thread that calls MHD_run. */
static inline struct MHD_Daemon *cmicrohttp_start(
    int listener, unsigned connections, size_t bytes, MHD_AcceptPolicyCallback accept,
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback notify, void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE, 0, accept, context, handle, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_UNESCAPE_CALLBACK, cmicrohttp_leave, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* The descriptor that is readable when there is something to run. */
static inline int cmicrohttp_descriptor(struct MHD_Daemon *daemon) {
    return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* The socket of a connection. */
static inline int cmicrohttp_socket(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Whether there is something to run at once, without waiting for the descriptor. */
static inline int cmicrohttp_is_due(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 1;
    return MHD_get_timeout(daemon, &milliseconds) == MHD_YES && milliseconds == 0;
}

/* Gives a socket that was upgraded back. */
static inline void cmicrohttp_close(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
