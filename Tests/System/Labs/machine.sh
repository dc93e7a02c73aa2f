#!/bin/bash
# A machine that boots: systemd is the first process of the system in a folder (root.sh makes one), with
# a network of its own (lo, and eth0 whose cable ends in the same place). As root:
#
#   machine.sh FOLDER [SHARED]
#
# SHARED is seen in its /srv, and cannot be changed there. What the machine writes is gone with it; FOLDER
# is only read.
#
# Prints `lab PID`, then `ready`, and lives until its standard input ends. From outside:
#
#   nsenter -t PID -m -n -u -p -- COMMAND...    runs a command on it, as root
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/private.sh"

# boot SHARED: becomes the first process of the machine in this folder.
boot() {
    local node
    if [ -n "$1" ]; then mount --bind -o ro "$1" srv; fi
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs -o mode=755 tmpfs dev
    for node in null zero full random urandom tty; do
        : > "dev/$node"
        mount --bind "/dev/$node" "dev/$node"
    done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    mount -t tmpfs tmpfs dev/shm
    pivot_root . tmp
    umount -l /tmp
    exec env -i container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
        --log-target=journal --show-status=no --unit=multi-user.target </dev/null >/dev/null 2>&1
}

folder=$(realpath "${1:?FOLDER is missing: root.sh makes one}")
shared=${2:+$(realpath "$2")}
[ -x "$folder/lib/systemd/systemd" ] || die "there is no systemd in $folder"
[ -n "${STOA_LAB_OUTSIDE:-}" ] || enter_grouped "$0" "$@"
check_private
if [ "${3:-}" = boot ]; then
    own_number
    echo "$NUMBER" > run/number
    boot "$2"
fi
nowhere
# The folder, and over it what the machine writes.
mount -t tmpfs tmpfs /mnt
mkdir /mnt/{written,work,root}
mount -t overlay -o "lowerdir=$folder,upperdir=/mnt/written,workdir=/mnt/work" overlay /mnt/root 2>/dev/null ||
    cp -a "$folder/." /mnt/root
cd /mnt/root
mount --bind . .
cd /mnt/root
mkfifo run/number
# The first process of the machine is not that of the lab, which ends it.
unshare --mount --pid --ipc --propagation private --fork --kill-child bash "$here/machine.sh" "$folder" "$shared" boot &
read -r NUMBER < run/number
rm run/number
echo "lab $NUMBER"
# Its manager offers no other way to hear when it is there.
for _ in $(seq 2400); do
    state=$(nsenter -t "$NUMBER" -m -n -u -p -- systemctl is-system-running --wait 2>/dev/null) || true
    case $state in running | degraded) break ;; esac
    sleep 0.05
done
[ "$state" = running ] || {
    nsenter -t "$NUMBER" -m -n -u -p -- systemctl --failed --no-legend --plain >&2
    die "the machine did not boot: $state"
}
echo ready
until_end
