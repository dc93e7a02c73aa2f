#!/bin/bash
# run.sh FOLDER [ARGUMENTS...]: things.py over the programs in that folder, or, without arguments, all of these, side
# by side but for calls.py and speed.py, which come last. Each runs on a network of its own that has nothing but
# loopback. As root.
# STOA_LONG=1 kills more often, stores more, and does all things by the keyboard and in Firefox, too. Ends with
# `N passed, N failed`, or with 77 where there is no browser.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
if ! [ -x "${1:-}/stoad" ] || ! [ -x "$1/stoa-web" ]; then
    echo "web: there is no stoad or no stoa-web in '${1:-}'; first: make build" >&2
    exit 66
fi
programs=$(realpath "$1")
shift
python=$("$here/../Interop/venv.sh" "$here")/bin/python
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d "${TMPDIR:-/tmp}/stoa-web.XXXXXX")
trap 'rm -rf "$work"' EXIT

alone=0
[ $# = 0 ] && alone=1
names=()
begin() {
    local name=$1
    shift
    unshare --net "$python" "$here/$name.py" "$programs" --work "$work/$name" "$@" > "$work/$name.log" 2>&1 &
    names+=("$name:$!")
}

begin things "$@"
if [ $# = 0 ]; then
    begin attacks
    begin kills
    begin access
    begin ending
    begin groups
    begin lock
fi
passed=0 failed=0
# Waits for one of them, shows what it said and counts.
collect() {
    local job=$1 log good bad
    wait "${job##*:}" || true
    log=$work/${job%:*}.log
    grep -avE '^[0-9]+ passed, ' "$log" || true
    read -r good _ bad _ <<< "$(grep -aE '^[0-9]+ passed, [0-9]+ failed' "$log" || echo 0 passed, 1 failed)"
    passed=$((passed + good)) failed=$((failed + bad))
}
for job in "${names[@]}"; do collect "$job"; done
if [ "$alone" = 1 ]; then
    # Alone: browsers that call each other have seconds for each other, and compute all the while.
    begin calls
    collect "${names[-1]}"
    # Alone, since it measures times.
    begin speed
    collect "${names[-1]}"
fi
if [ "$alone${STOA_LONG:-}" = 11 ]; then
    begin things --keys
    collect "${names[-1]}"
    python=$("$here/../Interop/venv.sh" "$here/Firefox")/bin/python
    begin things --firefox
    collect "${names[-1]}"
    begin calls --only firefox
    collect "${names[-1]}"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
