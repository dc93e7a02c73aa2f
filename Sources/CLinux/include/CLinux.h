#pragma once
/* What Glibc's module lacks and sd-event does not supply. Needs _GNU_SOURCE, so it is compiled as C. */
#include <stdint.h>
#include <sys/types.h>

/* The peer's credentials of a connected Unix socket: SO_PEERCRED, unix(7). 0, or -1 with errno. */
int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);
