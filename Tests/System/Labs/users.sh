#!/bin/bash
# Users of one machine that nobody booted: each has a real `systemd --user` manager; all share a
# private network (lo, and eth0 whose cable ends in the same place), /run, /home and /usr/local.
# As root:
#
#   users.sh UID...
#
# Prints `lab PID`, then `ready`, and lives until its standard input ends. From outside:
#
#   nsenter -t PID -m -n -u -p -- users.sh as UID COMMAND...    runs a command as that user
#
# Inside, `systemctl --user` works as in a session. Home is /home/UID, what units print to standard
# error is in /home/UID/log.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private.sh"

# as UID COMMAND...: becomes that user in a clean environment.
as() {
    local user=$1; shift
    cd "/home/$user"
    exec setpriv --reuid "$user" --regid "$user" --clear-groups env -i "HOME=/home/$user" \
        "USER=u$user" "XDG_RUNTIME_DIR=/run/user/$user" LANG=C.UTF-8 \
        PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin "$@"
}

start_user() {
    local user=$1 group=/sys/fs/cgroup/u$1
    mkdir -m 700 "/run/user/$user" "/home/$user"
    mkdir -p "/home/$user/.config/systemd"
    printf '[Manager]\nDefaultStandardError=inherit\n' > "/home/$user/.config/systemd/user.conf"
    # The manager may make control groups below this one.
    mkdir "$group"
    chown -R "$user:$user" "/run/user/$user" "/home/$user" "$group"
    (
        echo "$BASHPID" > "$group/cgroup.procs"
        as "$user" /lib/systemd/systemd --user --log-target=console
    ) </dev/null >"/home/$user/log" 2>&1 &
}

# The manager offers no other way to hear when its socket is there.
await_user() {
    local _
    for _ in $(seq 2400); do
        if (as "$1" systemctl --user --wait is-system-running) >/dev/null 2>&1; then return; fi
        sleep 0.05
    done
    cat "/home/$1/log" >&2
    die "the manager of $1 did not start"
}

if [ "${1:-}" = as ]; then
    shift
    as "$@"
fi
[ $# -gt 0 ] || die "usage: users.sh UID..."

if [ -z "${STOA_LAB_OUTSIDE:-}" ]; then
    enter_grouped "$0" "$@"
fi

check_private
own_number
echo "lab $NUMBER"
mount -t proc proc /proc
nowhere
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /home
mount -t tmpfs -o mode=755 tmpfs /usr/local
mkdir -p /run/systemd/system /run/user
cp /etc/passwd /run/passwd
for user; do echo "u$user:x:$user:$user::/home/$user:/bin/sh" >> /run/passwd; done
mount --bind /run/passwd /etc/passwd
for user; do start_user "$user"; done
for user; do await_user "$user"; done
echo ready
until_end
