#!/bin/bash
# Runs a command on the first host of a network of its own, with an Avahi daemon, for tests that are
# part of one process; STOA_LAB_INTERFACE names the host's interface to them.
#
#   inside.sh COMMAND...       where no lab can be made, runs the command as it is
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v avahi-daemon dbus-daemon >/dev/null ||
    ! unshare --mount --net --pid --fork true 2>/dev/null; then
    exec "$@"
fi

coproc LAB { exec "$here/network.sh" 1 --avahi; }
host=
while read -r word number process <&"${LAB[0]}"; do
    [ "$word" != host ] || host=$process
    [ "$word" != ready ] || break
done
[ -n "$host" ] || { echo "inside: the lab did not come up" >&2; exit 1; }
# The lab ends with this script, which holds its standard input.
nsenter -t "$host" -m -n -u -p -- env -C "$PWD" STOA_LAB_INTERFACE=eth0 "$@" </dev/null
