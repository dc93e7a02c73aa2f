#!/bin/bash
# run.sh FOLDER [ARGUMENTS...]: things.py over the programs in that folder, at 80x24 and at 200x50 side by side;
# then, without arguments, pressure.py, surroundings.py, terminals.py, notify.py and shells.py. Each runs on a
# network of its own that has nothing but loopback. As root. STOA_LONG=1 looks at idle clients for ten minutes.
# Ends with `N passed, N failed`.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
if ! [ -x "${1:-}/stoad" ] || ! [ -x "$1/stoa-chat" ]; then
    echo "chat: there is no stoad or no stoa-chat in '${1:-}'; first: make build" >&2
    exit 66
fi
programs=$(realpath "$1")
shift
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d "${TMPDIR:-/tmp}/stoa-chat.XXXXXX")
trap 'rm -rf "$work"' EXIT

# begin NAME PROGRAM [ARGUMENTS...]: runs one of the programs here, beside the others.
names=()
begin() {
    local name=$1 program=$2
    shift 2
    # Debian's Python, which has the bindings of the bus.
    unshare --net /usr/bin/python3 "$here/$program" "$programs" --work "$work/$name" "$@" \
        >"$work/$name.log" 2>&1 &
    names+=("$name:$!")
}

passed=0 failed=0
# Waits for all that were begun, shows what they said and counts.
collect() {
    local job log good bad
    for job in "${names[@]}"; do
        wait "${job##*:}" || true
        log=$work/${job%:*}.log
        grep -avE '^[0-9]+ passed, ' "$log" || true
        read -r good _ bad _ <<<"$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" || echo 0 passed, 1 failed)"
        passed=$((passed + good)) failed=$((failed + bad))
    done
    names=()
}

for size in 80x24 200x50; do begin "$size" things.py --size "$size" "$@"; done
if [ $# = 0 ]; then
    begin notify notify.py
    begin hostile pressure.py --only hostile
    begin kills pressure.py --only kills
    begin surroundings surroundings.py
    begin known terminals.py --only known dumb
    begin unknown terminals.py --only unknown
    collect
    # Alone, each, since they measure times.
    begin shells shells.py
    collect
    begin flood pressure.py --only flood
fi
collect
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
