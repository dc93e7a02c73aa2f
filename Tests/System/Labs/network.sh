#!/bin/bash
# A LAN on one machine: hosts with their own network, mounts, name, processes and /run, on one
# bridge; on wish each, or some, with its own system bus and Avahi daemon. As root:
#
#   network.sh HOSTS [--avahi[=I,...]] [--switch[=SEED]]
#
# Prints `bridge PID` and for each host `host I PID`, then `ready`, and lives until its standard
# input ends. Host I is hI, 10.77.0.I/24 and has a link-local IPv6 address, all on eth0. What to
# do from outside:
#
#   nsenter -t PID -m -n -u -p -- COMMAND             runs COMMAND on the host
#   nsenter -t BRIDGE -n -- ip link set portI down    pulls its cable; `up` puts it back
#   kill -9 PID                                       the host loses power
#
# With --switch the bridge is switch.c, which damages what passes. Its commands come on standard
# input and its answers go to standard output. One more command is there:
#
#   boot I      starts host I, which was killed, again: `host I PID`, then the answer of its `plug`
#
# `pull I` before the kill keeps the dying host from saying anything.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private.sh"

# Descriptor 9 is the bridge's network, where the other end of the cable goes; the switch fetches
# its end by itself.
connect_host() {
    local number=$1 bridge=/proc/self/fd/9 address
    address=$(printf '02:00:77:00:00:%02x' "$number")
    sysctl -qw net.ipv6.conf.{all,default}.accept_dad=0 net.ipv6.conf.default.accept_ra=0
    if [ "${STOA_LAB_SWITCH:-}" != "" ]; then
        ip tuntap add eth0 mode tap
        ip link set eth0 address "$address"
    else
        ip link add eth0 address "$address" type veth peer name "port$number" netns $bridge
        nsenter --net=$bridge ip link set "port$number" master br0 up
    fi
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

# start_hosts NUMBER...: all at the same time; prints their lines and connects them to the switch.
start_hosts() {
    local line avahi
    exec 8< <(
        for number; do
            avahi=
            if [ "$avahis" = all ] || [[ ",$avahis," == *",$number,"* ]]; then avahi=--avahi; fi
            unshare --mount --net --uts --pid --fork --kill-child \
                bash "$0" host "$number" $avahi </dev/null 7>&- &
        done
        wait)
    for _; do
        read -r line <&8 || die "a host did not come up"
        echo "$line"
        if [ -n "${STOA_LAB_SWITCH:-}" ]; then echo "plug ${line#host }" >&7; fi
    done
}

# The switch is built where only this lab sees it.
start_switch() {
    local compiler
    compiler=$(command -v cc || command -v clang) || die "there is no cc: Tests/System/Tools/setup.sh --labs"
    mount -t tmpfs tmpfs /mnt
    "$compiler" -O2 -Wall -Wextra -Werror -o /mnt/switch "$here/switch.c" >&2
    exec 7> >(exec /mnt/switch "$STOA_LAB_SWITCH")
}

# The lab ends with its standard input, or with the switch.
obey() {
    local word rest
    while read -r word rest; do
        if [ "$word" = boot ]; then start_hosts "$rest"; else echo "$word $rest" >&7; fi
    done
    exit 0
}

enter_private "$0" "$@"
usage="usage: network.sh HOSTS [--avahi[=I,...]] [--switch[=SEED]]"
count=${1:-0} avahis=
[ "$count" -ge 1 ] 2>/dev/null && [ "$count" -le 250 ] || die "$usage"
for option in "${@:2}"; do
    case $option in
        --avahi) avahis=all ;;
        --avahi=*) avahis=${option#*=} ;;
        --switch) export STOA_LAB_SWITCH=1 ;;
        --switch=*) export STOA_LAB_SWITCH=${option#*=} ;;
        *) die "$usage" ;;
    esac
done
own_number
echo "bridge $NUMBER"
sysctl -qw net.ipv6.conf.default.disable_ipv6=1
if [ -n "${STOA_LAB_SWITCH:-}" ]; then
    [ "$count" -le 64 ] || die "the switch has 64 ports"
    start_switch
else
    ip link add br0 type bridge mcast_snooping 0 stp_state 0 forward_delay 0
    ip link set br0 up
fi
exec 9</proc/self/ns/net
start_hosts $(seq "$count")
echo ready
if [ -n "${STOA_LAB_SWITCH:-}" ]; then obey; fi
until_end
