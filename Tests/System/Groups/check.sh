#!/bin/bash
# Lets Swift and the model judge the same histories of groups, and tests the model itself; ends with
# `N passed, N failed`.
#
#   check.sh TESTS FOLDER     TESTS: the built package tests; FOLDER: for the histories. STOA_LONG=1 takes more.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tests=$1 histories=$2/group-histories
count=300 model=(--seeds 0 200)
if [ "${STOA_LONG:-}" = 1 ]; then count=20000 model=(--long); fi
passed=0 failed=0

# one NAME COMMAND...: counts one test.
one() {
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "failed: $name"; fi
}

# agree CASES COUNT VARIABLE TEST: lets a test judge random histories, too.
agree() {
    python3 "$here/$1" 0 "$2" > "$histories" &&
        env "$3=$histories" "$tests" --testing-library swift-testing --filter "$4"
}

filed=$here/../../EngineTests/Groups
one "the filed cases are the model's, and catch each fault of its rosters" \
    python3 "$here/cases.py" --check "$filed/Cases.txt"
one "the filed questions are the model's, and catch each fault of its keys" \
    python3 "$here/epoch_cases.py" --check "$filed/EpochCases.txt"
one "Swift and the model agree about rosters" agree cases.py $count \
    STOA_GROUP_CASES 'RosterTests/model'
one "Swift and the model agree about keys" agree epoch_cases.py $((count / 5)) \
    STOA_EPOCH_CASES 'GroupEpochTests/model'
one 'the model keeps its promises' python3 "$here/test_model.py" "${model[@]}"
rm -f "$histories"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
