#!/bin/bash
# A LAN on one machine: hosts with their own network, mounts, name, processes and /run, on one
# bridge; on wish each with its own system bus and Avahi daemon. As root:
#
#   network.sh HOSTS [--avahi]
#
# Prints `bridge PID` and for each host `host I PID`, then `ready`, and lives until its standard
# input ends. Host I is hI, 10.77.0.I/24 and has a link-local IPv6 address, all on eth0. What to
# do from outside:
#
#   nsenter -t PID -m -n -u -p -- COMMAND             runs COMMAND on the host
#   nsenter -t BRIDGE -n -- ip link set portI down    pulls its cable; `up` puts it back
#   kill -9 PID                                       the host loses power
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private.sh"

# Descriptor 9 is the bridge's network, where the other end of the cable goes.
connect_host() {
    local number=$1 bridge=/proc/self/fd/9
    sysctl -qw net.ipv6.conf.{all,default}.accept_dad=0 net.ipv6.conf.default.accept_ra=0
    ip link add eth0 address "$(printf '02:00:77:00:00:%02x' "$number")" type veth \
        peer name "port$number" netns $bridge
    nsenter --net=$bridge ip link set "port$number" master br0 up
    ip address add "10.77.0.$number/24" brd + dev eth0
    ip link set lo up
    ip link set eth0 up
}

# Both daemons say when they are ready; the rest of what they say is read, or they would stop.
start_avahi() {
    local line
    exec 3< <(exec dbus-daemon --system --nofork --nopidfile --nosyslog --print-address 2>&1)
    read -r line <&3 && [[ $line == unix:* ]] || die "dbus-daemon: $line"
    cat <&3 >/dev/null &
    exec 4< <(exec avahi-daemon --no-chroot --no-rlimits -f "$here/avahi.conf" 2>&1)
    while read -r line <&4 || die "avahi-daemon ended: $line"; do
        [[ $line != *"startup complete"* ]] || break
    done
    cat <&4 >/dev/null &
}

# The process that is a host: everything on it is its child and dies with it.
host() {
    local number=$1
    own_number
    mount -t proc proc /proc
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir -p /run/dbus /run/user/0
    chmod 700 /run/user/0
    hostname "h$number"
    connect_host "$number"
    if [ "${2:-}" = --avahi ]; then start_avahi; fi
    echo "host $number $NUMBER"
    exec sleep infinity
}

if [ "${1:-}" = host ]; then
    check_private
    host "${@:2}"
fi

enter_private "$0" "$@"
count=${1:-0}
[ "$count" -ge 1 ] 2>/dev/null && [ "$count" -le 250 ] || die "usage: network.sh HOSTS [--avahi]"
own_number
echo "bridge $NUMBER"
sysctl -qw net.ipv6.conf.default.disable_ipv6=1
ip link add br0 type bridge mcast_snooping 0 stp_state 0 forward_delay 0
ip link set br0 up
# All hosts come up at the same time.
exec 9</proc/self/ns/net 8< <(
    for number in $(seq "$count"); do
        unshare --mount --net --uts --pid --fork --kill-child \
            bash "$0" host "$number" "${2:-}" </dev/null &
    done
    wait)
for _ in $(seq "$count"); do
    read -r line <&8 || die "a host did not come up"
    echo "$line"
done
echo ready
until_end
