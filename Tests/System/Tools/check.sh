#!/bin/bash
# Everything that CI runs, part by part; ends with what was run, what it took and one line
# `N passed, N failed, N skipped`. The parts' output goes to SCRATCH/check; of a part that fails it
# is shown.
#
#   SCRATCH=FOLDER check.sh      STOA_NO_SKIP=1 makes a skipped test a failure
set -uo pipefail
cd "$(dirname "$0")/../../.."
exec </dev/null
scratch=${SCRATCH:-.build}
mkdir -p "$scratch/check"
scratch=$(cd "$scratch" && pwd)
logs=$scratch/check tests=$scratch/tests
rm -f "$logs"/*
programs=$scratch/release
# How long the network fails.
minutes=${MINUTES:-$([ "${STOA_LONG:-}" = 1 ] && echo 30 || echo 1)}
export STOA_PROGRAMS=$programs STOA_LABS_USED=$logs/labs SWIFT_BACKTRACE=enable=no
: > "$STOA_LABS_USED"

# A line for each part, and what went wrong in which: said when it happens and once more at the end, where
# one looks. In files, since some parts run beside others.
summary=$logs/summary failures=$logs/failures notes=$logs/notes
: > "$summary"
: > "$failures"
: > "$notes"

# used: sets `seconds` to the processor time of all that this shell has started and waited for.
used() {
    local times=$logs/times.$BASHPID
    # Not in a pipe: a shell of its own would tell of itself.
    times > "$times"
    seconds=$(awk 'NR == 2 {
        for (n = 1; n <= NF; n++) { split($n, part, "[ms]"); sum += part[1] * 60 + part[2] }
        printf "%d", sum
    }' "$times")
    rm -f "$times"
}

# part NAME KIND COMMAND...: runs one part and counts. KIND says how its tests are told: `step` has
# none, `one` is one test, `swift` writes $logs/NAME.xml, `lines` ends with `N passed, N failed`.
part() {
    local name=$1 kind=$2 start=$SECONDS code=0 good=0 bad=0 left=0 line seconds before
    shift 2
    used
    before=$seconds
    "$@" >"$logs/$name.log" 2>&1 || code=$?
    case $kind in
        step) ;;
        one) [ "$code" != 0 ] || good=1 ;;
        swift)
            if [ -s "$logs/$name.xml" ]; then
                good=$(grep -c '<testcase .*/>$' "$logs/$name.xml")
                left=$(grep -c '<skipped' "$logs/$name.xml")
                bad=$(($(grep -c '<testcase ' "$logs/$name.xml") - good - left))
            fi
            # A process that ended otherwise than by a failed test.
            if grep -qE '(WARNING|ERROR): [A-Za-z]*Sanitizer' "$logs/$name.log"; then code=66; fi
            if [ $((good + bad + left)) = 0 ]; then code=65; fi
            ;;
        lines)
            line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$logs/$name.log" | tail -1)
            read -r good _ bad _ <<<"${line:-0 passed 0 failed}"
            if [ "$code" = 77 ]; then left=1 code=0; fi
            ;;
    esac
    if [ "$code" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
    used
    printf '%-18s%5d passed %3d failed %3d skipped %5d s %5d s computed\n' \
        "$name" "$good" "$bad" "$left" $((SECONDS - start)) $((seconds - before)) | tee -a "$summary"
    if [ "$bad" != 0 ]; then
        line=$(grep -haiE -A4 '✘|error:|(WARNING|ERROR): .*Sanitizer|^demo:|^failed|^not ok' \
            "$logs/$name.log" | cut -c1-300 | head -40)
        { echo "$name ended with $code, $bad failed: $logs/$name.log"; echo "$line"; } >> "$failures"
        echo "----- $name ended with $code; $logs/$name.log:"
        echo "$line"
        echo "-----"
        tail -60 "$logs/$name.log"
        echo "-----"
        return 1
    fi
    grep -h 'skipped: "' "$logs/$name.log" | sort -u | head -20 || true
}

# tests NAME ARGUMENTS...: a selection of the Swift tests that are already built; `around` is what
# goes before the command.
around=()
# Few at a time, as in the Makefile: time limits are to count how long tests run.
width=(--experimental-maximum-parallelization-width 4)
tests() {
    local name=$1; shift
    # Not by `swift test`, of which one at a time works on a build.
    part "$name" swift "${around[@]}" "$tests/debug/stoaPackageTests.xctest" \
        --testing-library swift-testing "${width[@]}" --xunit-output "$logs/$name.xml" "$@"
}

# How a build is made that is made once: a module at a time, which takes half as much as its files in two
# batches; of debug information the lines. Of the index, in which the package manager looks for tests, what is
# this package's.
once=(-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gline-tables-only
    -Xswiftc -index-ignore-system-modules -Xswiftc -index-ignore-clang-modules)

# What has a build of its own is run again only after a change: LONG_CHECK has a line `PART COMMIT` for each
# such part, with the last commit at which it passed.
long_check=Tests/System/Tools/long-check

# unchanged PART PATH...: whether the part passed at a commit since which nothing under these paths changed.
unchanged() {
    local part=$1 commit
    shift
    [ "${STOA_LONG:-}" != 1 ] || return 1
    commit=$(sed -n "s/^$part //p" "$long_check")
    # Without a repository, or with less of its history, the commit is unknown: the part is run.
    git diff --quiet "${commit:-none}" -- Package.swift "$@" 2> /dev/null || return 1
    echo "$part passed at ${commit::12}, and nothing that it tests has changed since" | tee -a "$notes"
}

# passed PART: notes that the part passed, where what was tested is a commit.
passed() {
    # The file itself changes with the first part that passes.
    git diff --quiet HEAD -- Package.swift Sources Tests ":!$long_check" 2> /dev/null || return 0
    (
        flock 9
        { grep -v "^$1 " "$long_check"; echo "$1 $(git rev-parse HEAD)"; } | sort > "$logs/long-check"
        cat "$logs/long-check" > "$long_check"
    ) 9> "$logs/long-check.lock"
}

# sanitized KIND MODULES ARGUMENTS...: the tests of some modules under a sanitizer; in the long form the
# simulation, too. Nothing is built but these tests and what they need.
sanitized() {
    local kind=$1 modules=$2${STOA_LONG:+,Simulation} tests=$scratch/$1; shift 2
    part "$kind-build" step chrt --idle 0 env STOA_TESTS="$modules" \
        swift build --build-tests --sanitize="$kind" "${once[@]}" --scratch-path "$tests" || return
    if tests "$kind-sanitizer" "$@"; then passed "$kind"; fi
}

# Both builds at once: the largest module of the release programs keeps one core busy for minutes.
# Each has a folder, since one build locks its own.
build() {
    local code=0
    swift build --build-tests "${once[@]}" --scratch-path "$tests" > "$logs/test-build.log" 2>&1 &
    swift build -c release --static-swift-stdlib --disable-local-rpath --scratch-path "$scratch" ||
        code=$?
    wait $! || { code=$?; cat "$logs/test-build.log"; }
    return "$code"
}

# sum FIELD: of a number in all lines of the summary.
sum() { awk -v field="$1" '{ sum += $field } END { print sum + 0 }' "$summary"; }

# table: what each part took, as a page of the documentation.
table() {
    cat << PAGE
# What a check takes

Written by \`make check-long\`, and by \`make check\` with \`STOA_RECORD=1\`, where all passed: commit
$(git rev-parse --short=12 HEAD), $(nproc) processors, $((SECONDS / 60)) min $((SECONDS % 60)) s\
${STOA_LONG:+, the long form}.

| part | tests | s | s of processors |
|---|---|---|---|
PAGE
    sed -E 's/^([^ ]+) +([0-9]+) passed .* skipped +([0-9]+) s +([0-9]+) s .*/| \1 | \2 | \3 | \4 |/' "$summary"
}

finish() {
    local passed failed skipped
    passed=$(sum 2) failed=$(sum 4) skipped=$(sum 6)
    if [ "$failed" = 0 ] && [ "${STOA_RECORD:-${STOA_LONG:-}}" = 1 ]; then
        table > Docs/Testing/Check.md
    fi
    echo
    echo "took $((SECONDS / 60)) min $((SECONDS % 60)) s"
    sed 's/^/  /' "$summary" "$notes"
    if [ -s "$STOA_LABS_USED" ]; then
        echo "labs used"
        sort "$STOA_LABS_USED" | uniq -c | sed 's/^ */  /'
    fi
    if grep -qhs '^MEASURED' "$logs"/*.log; then
        echo "measured"
        sed -n 's/^MEASURED /  /p' "$logs"/*.log
    fi
    if [ "$skipped" != 0 ] && [ "${STOA_NO_SKIP:-}" = 1 ]; then
        echo "skipping is forbidden here (STOA_NO_SKIP=1)"
    fi
    if [ "$failed" != 0 ]; then sed '1i failed' "$failures" | sed '2,$s/^/  /'; fi
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ] && { [ "$skipped" = 0 ] || [ "${STOA_NO_SKIP:-}" != 1 ]; }
    exit
}

# What computes and never waits: simulations, deliberate bugs, builds of their own. It has only the time
# that nothing else wants, so that it holds up nobody who is asked to be quick: SCHED_IDLE, sched(7).
computing() {
    local idle=(chrt --idle 0)
    # What has threads has moments until which it waits: it only comes second.
    around=(nice -n 5)
    unchanged thread Sources/{CLinux,Posix,Loop,Daemon} Tests/{Posix,Loop,Daemon}Tests ||
        sanitized thread Posix,Loop,Daemon
    # Without optimisation, other seeds than those of the programs.
    around=("${idle[@]}" env FROM=100001 COUNT="$([ "${STOA_LONG:-}" = 1 ] && echo 60 || echo 8)")
    tests simulation-tests --filter SimulationTests
    around=("${idle[@]}")
    # In a folder of its own each time: a check repeats what was done before.
    rm -rf "$scratch/check-simulations"
    local simulate=(
        "${idle[@]}" Tests/System/Tools/simulate.sh "$programs/simulate" "$scratch/check-simulations"
    )
    FROM=1 COUNT=$([ "${STOA_LONG:-}" = 1 ] && echo 10000 || echo 120) \
        part simulation lines "${simulate[@]}"
    # The shell keeps this name for itself, so it is `env` that sets it. The last two are of people who left a group
    # before they were in it, and whom somebody let in who was removed.
    local seeds
    for seeds in "1 $([ "${STOA_LONG:-}" = 1 ] && echo 60 || echo 40)" "166 1" "277 1"; do
        FROM=${seeds% *} COUNT=${seeds#* } \
            part "groups-from-${seeds% *}" lines env GROUPS=1 "${simulate[@]}"
    done
    FROM=1 COUNT=$([ "${STOA_LONG:-}" = 1 ] && echo 2000 || echo 60) ASSAULT=1 \
        part assaults lines "${simulate[@]}"
    FROM=1 COUNT=$([ "${STOA_LONG:-}" = 1 ] && echo 150 || echo 30) SYBILS=1 \
        part sybils lines "${simulate[@]}"
    FROM=1 COUNT=$([ "${STOA_LONG:-}" = 1 ] && echo 400 || echo 40) THEFTS=1 \
        part thefts lines "${simulate[@]}"
    # Who is in a group and who gets its keys, as an executable model says.
    part groups lines "${idle[@]}" Tests/System/Groups/check.sh \
        "$tests/debug/stoaPackageTests.xctest" "$logs"
    # Seeds that no check before this commit has run.
    local fresh
    fresh=$((1000000 + 16#$(git rev-parse --short=6 HEAD 2> /dev/null || echo f00d)))
    FROM=$fresh COUNT=40 part fresh-simulation lines "${simulate[@]}"
    FROM=$fresh COUNT=15 ASSAULT=1 part fresh-assaults lines "${simulate[@]}"
    # More than are all linked to each other: by as many links as daemons have, or by few.
    local nodes
    for nodes in $([ "${STOA_LONG:-}" = 1 ] && echo 200 1000 || echo 80); do
        NODES=$nodes OFFICE=1 LINKS=$([ "$nodes" -ge 200 ] || echo 32) \
            part "office-$nodes" lines "${simulate[@]}"
    done
    # All of an office in one group, of which one is removed.
    NODES=$([ "${STOA_LONG:-}" = 1 ] && echo 200 || echo 40) OFFICE=1 LINKS=32 \
        part office-group lines env GROUPS=1 "${simulate[@]}"
    # Each deliberate bug is caught.
    tests mutants --filter MutantTests
    # What hands pointers to C; what reads bytes of others runs under the same sanitizer when it is
    # fuzzed. Damage is found by Swift and by SQLite: nothing of it is handed to C otherwise than elsewhere.
    # The first names LogRepairTests, too. Full disks and failed writes, in FailureTests, are run.
    damage=(
        --skip RepairTests --skip TornLogTests --skip FailureTests/flipped --skip FailureTests/changed
    )
    if [ "${STOA_LONG:-}" = 1 ]; then damage=(); fi
    unchanged address Sources/{C[A-Z]*,Crypto,Posix,Storage} ':!Sources/CPage' \
        Tests/{Crypto,Posix,Storage}Tests ||
        sanitized address "Crypto,Posix,Storage${STOA_LONG:+,Engine,ControlAPI}" "${damage[@]}"
    # Under the address sanitizer; it has a build of its own.
    if ! unchanged fuzz "${decoders[@]}"; then
        if part fuzz lines "${idle[@]}" env SCRATCH="$scratch" Tests/System/Fuzz/check.sh; then passed fuzz; fi
    fi
}

# Networks of many hosts, and machines of their own: what mostly waits, for each other, for time that passes,
# for links that come back.
meeting() {
    local seed
    part network-faults lines Tests/System/Network/run_faults.py "$programs" --minutes "$minutes"
    part nine-oclock-20 lines Tests/System/Network/nine_oclock.py "$programs" --hosts 20
    if [ "${STOA_LONG:-}" = 1 ]; then
        part nine-oclock-60 lines Tests/System/Network/nine_oclock.py "$programs" --hosts 60
        part nine-oclock-60-avahi lines Tests/System/Network/nine_oclock.py "$programs" \
            --hosts 60 --avahi
        part nine-oclock-150 lines Tests/System/Network/nine_oclock.py "$programs" \
            --hosts 150 --no-room
    fi
    part silence lines Tests/System/Network/silence.py "$programs"
    part flood lines Tests/System/Network/flood.py "$programs" ${STOA_LONG:+--long}
    if [ "${STOA_LONG:-}" = 1 ]; then
        part flood-avahi lines Tests/System/Network/flood.py "$programs" --avahi --long
    fi
    for seed in $([ "${STOA_LONG:-}" = 1 ] && seq 30 || echo 1); do
        part "groups-apart-$seed" lines Tests/System/Network/groups_apart.py "$programs" --seed "$seed"
    done
    part sites-cluster lines Tests/System/Network/sites_cluster.py "$programs" \
        ${STOA_LONG:+--messages 10002 --away 600}
    part sites-demo one Tests/System/Tools/sites-demo.sh "$programs"
    part sites-member lines Tests/System/Network/sites_member.py "$programs"
    part sites-flood lines Tests/System/Network/sites_flood.py "$programs" ${STOA_LONG:+--messages 1000000}
    part doctor lines Tests/System/Doctor/run_doctor.py "$programs"
    part packages lines Tests/System/Packages/run.sh "$programs" "$scratch"
    part source-archive lines Tests/System/Packages/dist.sh "$scratch"
}

# What is tested by itself: first modules, then the programs, then what others make of them.
testing() {
    tests unit --skip IntegrationTests --skip SimulationTests --skip MutantTests \
        --skip SystemDiscoveryTests/lab
    around=(Tests/System/Labs/inside.sh)
    tests unit-in-lab --filter SystemDiscoveryTests/lab
    around=()
    tests integration --filter IntegrationTests --skip "$disks"
}

# What the programs make of crashes and bad disks; each of the integration tests runs alone in its process.
disks='IntegrationTests/(Crash|Fault|FullDisk|PowerLoss|Repair)Tests/'
storing() { tests integration-disk --filter "$disks"; }

# Another implementation takes its time: it waits for answers more than it computes.
talking() { part interop lines Tests/System/Interop/run.sh "$programs/stoad" "$programs/stoa"; }

# What reads bytes of others, and what fuzzes it.
decoders=(
    Sources/{C[A-Z]*,ControlAPI/JSON,Web,Crypto,Discovery,Formats,Engine/Session,Posix} Tests/System/Fuzz
    # Its files are bytes that nothing here reads.
    ':!Sources/CPage'
)

# One function, so that the shell has read all of this before a part changes the file.
main() {
    part setup step Tests/System/Tools/setup.sh --labs || finish
    part lint step swift format lint --strict --recursive Sources Tests Package.swift &
    part build step build || finish
    wait
    # The long form also measures, so that nothing is beside what it measures.
    if [ "${STOA_LONG:-}" = 1 ]; then
        testing
        storing
        talking
        computing
        meeting
    else
        computing &
        local others=()
        meeting &
        others+=($!)
        { storing; talking; } &
        others+=($!)
        testing
        wait "${others[@]}"
    fi
    # What is asked how quick it is: beside what only computes, never beside each other.
    part chat lines Tests/System/Chat/run.sh "$programs"
    part web lines Tests/System/Web/run.sh "$programs"
    part load lines Tests/System/Load/run.sh "$programs" ${STOA_LONG:+--long}
    wait
    part counts lines Tests/System/Bench/counts.py --programs "$programs"
    part sites-bench lines Tests/System/Bench/sites.py "$programs" ${STOA_LONG:+--latency 2000 --burst 20000}
    part demo one Tests/System/Tools/demo.sh "$programs"
    finish
}
main
