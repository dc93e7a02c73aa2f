# What the labs begin with; sourced. Makes namespaces of our own or refuses.
#
# A lab is one process, pid 1 of namespaces of its own, and lives as long as its standard input:
# when that ends, because a test ended or was killed, the kernel ends every process of the lab and
# takes its networks, mounts and names along. Nothing has to be cleaned up, so nothing survives.

die() { echo "lab: $*" >&2; exit 1; }

spaces() { readlink /proc/self/ns/{mnt,net,pid,uts,cgroup}; }

# check_private: refuses to go on where anything outside could be changed.
check_private() {
    local space
    [ -n "${STOA_LAB_OUTSIDE:-}" ] || die "this part runs only inside a lab"
    for space in $(spaces); do
        [[ " $STOA_LAB_OUTSIDE " != *" $space "* ]] || die "$space is not a namespace of its own"
    done
}

# enter_private SCRIPT ARGUMENTS...: runs the script again inside; returns when inside already.
enter_private() {
    if [ -n "${STOA_LAB_OUTSIDE:-}" ]; then
        check_private
        return
    fi
    [ "$(id -u)" = 0 ] || die "needs root"
    for tool in ip nsenter unshare mount sysctl; do
        command -v "$tool" >/dev/null || die "there is no $tool: Tests/System/Tools/setup.sh --labs"
    done
    [ -z "${STOA_LABS_USED:-}" ] || echo "$(basename "$1" .sh) ${*:2}" >> "$STOA_LABS_USED"
    STOA_LAB_OUTSIDE=$(spaces | tr '\n' ' ')
    export STOA_LAB_OUTSIDE
    # Without a new /proc yet: in the old one processes read their numbers as the test knows them.
    exec unshare --mount --net --pid --uts --cgroup --propagation private --fork --kill-child \
        bash "$@"
}

# enter_grouped SCRIPT ARGUMENTS...: as enter_private, in a control group of the lab's own; does not
# return. Control groups have no namespace that ends with its processes, so the groups of this lab, and
# of one that was killed, are removed here.
enter_grouped() {
    local groups group code=0
    groups=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' /proc/mounts | head -1)
    [ -n "$groups" ] || die "there is no cgroup2"
    sweep() {
        find "$groups" -depth -type d -path "$groups/stoa-lab-*" -exec rmdir {} + 2>/dev/null || true
    }
    sweep
    group=$groups/stoa-lab-$$
    mkdir "$group"
    (
        echo "$BASHPID" > "$group/cgroup.procs"
        enter_private "$@"
    ) || code=$?
    sweep
    exit "$code"
}

# nowhere: makes this host one with a network card that leads nowhere, so that programs find what they find
# on a user's machine.
nowhere() {
    hostname lab
    ip link set lo up
    sysctl -qw net.ipv6.conf.{all,default}.accept_dad=0
    ip link add eth0 type veth peer name cable
    ip link set cable up
    ip address add 10.78.0.1/24 brd + dev eth0
    ip link set eth0 up
}

# own_number: sets NUMBER to this shell's process number as the mounted /proc shows it.
own_number() { read -r NUMBER _ </proc/self/stat; }

# until_end: waits for the end of standard input, which is the end of the lab.
until_end() { while read -r _; do :; done; exit 0; }
