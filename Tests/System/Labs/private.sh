# What both labs begin with; sourced. Makes namespaces of our own or refuses.
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

# own_number: sets NUMBER to this shell's process number as the mounted /proc shows it.
own_number() { read -r NUMBER _ </proc/self/stat; }

# until_end: waits for the end of standard input, which is the end of the lab.
until_end() { while read -r _; do :; done; exit 0; }
