#!/bin/bash
# What `make check` runs of fuzzing: every target for so many inputs from a fixed seed, under the address
# sanitizer, then the two decoders on the same inputs. Ends with `N passed, N failed`.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../../..")
scratch=${SCRATCH:-$root/.build}
passed=0 failed=0

# counted COMMAND...: runs it and adds its last line up.
counted() {
    local log line
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || true
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -1)
    rm -f "$log"
    if [ -z "$line" ]; then line="0 passed, 1 failed"; fi
    passed=$((passed + ${line%% passed*}))
    line=${line#*, }
    failed=$((failed + ${line%% failed}))
}

counted env SCRATCH="$scratch" "$here/run.sh" --build debug --runs 2000 --seed 1 --jobs 2
# Where the packages of the independent peer cannot be had, that part alone is left out.
if venv=$("$root/Tests/System/Interop/venv.sh"); then
    export PYTHONDONTWRITEBYTECODE=1
    counted "$venv/bin/python" "$here/Tools/differential.py" "$scratch/fuzz/debug/debug/Fuzz" --inputs 2000
elif [ "${STOA_NO_SKIP:-}" = 1 ]; then
    failed=$((failed + 1))
fi
echo "in all:"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
