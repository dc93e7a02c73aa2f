/* Apart, since the kernel's header, which knows what is counted, does not go with the library's. */
#include "CLinux.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int clinux_count_packets(int socket, struct clinux_packets *counts) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    /* The kernel fills in as much as it knows: the last one that is wanted came with 5.4. */
    if (length < offsetof(struct tcp_info, tcpi_rcv_ooopack) + sizeof info.tcpi_rcv_ooopack) {
        errno = ENOSYS;
        return -1;
    }
    counts->sent = info.tcpi_data_segs_out;
    counts->resent = info.tcpi_total_retrans;
    counts->needless = info.tcpi_dsack_dups;
    counts->received = info.tcpi_data_segs_in;
    counts->early = info.tcpi_rcv_ooopack;
    counts->segment = info.tcpi_snd_mss;
    counts->path = info.tcpi_pmtu;
    counts->resends = info.tcpi_retransmits;
    counts->behind = info.tcpi_sacked;
    counts->arrived = info.tcpi_segs_in;
    /* With what was not sent yet: tcp(7). */
    int queued = 0;
    if (ioctl(socket, SIOCOUTQ, &queued) != 0) return -1;
    counts->unacknowledged = (uint32_t)queued > info.tcpi_notsent_bytes
                                 ? (uint32_t)queued - info.tcpi_notsent_bytes : 0;
    return 0;
}

int clinux_set_segment(int socket, int bytes) {
    return setsockopt(socket, IPPROTO_TCP, TCP_MAXSEG, &bytes, sizeof bytes);
}
