#!/bin/bash
# Fuzzes decoders with libFuzzer and the address sanitizer; ends at the first finding.
#
#   run.sh [--seconds N | --runs N] [--build debug|release] [--jobs N] [--seed N] [TARGET...]
#
# Without targets: all of them. What is built and found lies in SCRATCH/fuzz (default .build/fuzz); a
# corpus grows there from run to run. With --runs and --seed a run repeats, from the committed corpus
# alone. Ends with a table and `N passed, N failed`, a target each.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../../..")
scratch=${SCRATCH:-$root/.build}
mkdir -p "$scratch/fuzz"
work=$(realpath "$scratch/fuzz")
seconds=60 runs= build=release jobs=1 seed=0 targets=()
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=$2; shift 2 ;;
        --runs) runs=$2; shift 2 ;;
        --build) build=$2; shift 2 ;;
        --jobs) jobs=$2; shift 2 ;;
        --seed) seed=$2; shift 2 ;;
        -*) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
        *) targets+=("$1"); shift ;;
    esac
done

refuse() { echo "fuzz: $*" >&2; exit 64; }
for name in seconds jobs ${runs:+runs}; do
    [[ ${!name} =~ ^[1-9][0-9]{0,8}$ ]] || refuse "--$name ${!name}: give a number from 1 on"
done
[[ $seed =~ ^[0-9]{1,9}$ ]] || refuse "--seed $seed: give a number"
[[ $build = debug || $build = release ]] || refuse "--build $build: give debug or release"
for target in "${targets[@]}"; do
    [ -e "$here/Corpus/$target.hex" ] || refuse "there is no target $target; there are" \
        "$(cd "$here/Corpus" && printf '%s\n' *.hex | sed 's/\.hex$//' | paste -sd' ')"
done

"$here/build.sh" address "$build" "$work/$build"
fuzz=$work/$build/$build/Fuzz
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$fuzz" --list | cut -d' ' -f1)

export SWIFT_BACKTRACE=enable=no
# The allocator of Swift's runtime keeps what the leak check takes for lost.
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:symbolize=1
results=$work/results
rm -rf "$results"
mkdir -p "$results" "$work/found"

# one TARGET: runs it and leaves a line of the table, or a finding.
one() {
    local target=$1 corpus=$work/corpus/$1 longest=0 log=$results/$1.log
    longest=$("$fuzz" --list | sed -n "s/^$target //p")
    if [ -z "$longest" ]; then echo "run.sh: there is no target $target" >&2; return 64; fi
    local limits=(-max_total_time="$seconds")
    if [ -n "$runs" ]; then
        corpus=$results/corpus/$target
        limits=(-runs="$runs")
    fi
    python3 "$here/Tools/corpus.py" unpack "$target" "$corpus"
    local code=0
    "$fuzz" "$target" "${limits[@]}" -seed="$seed" -max_len="$longest" -timeout=600 \
        -rss_limit_mb=3000 -dict="$here/Dictionaries/$target.dict" -print_final_stats=1 \
        -artifact_prefix="$work/found/$target-" -reload=0 "$corpus" >"$log" 2>&1 || code=$?
    if [ "$code" != 0 ]; then
        touch "$results/$target.failed"
        local found
        found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
        echo "----- $target: a finding"
        grep -E 'FINDING|ERROR:|SUMMARY|Fatal error|libFuzzer' "$log" | head -8 || tail -20 "$log"
        if [ -n "$found" ]; then
            mkdir -p "$here/FailCases/$target"
            cp "$found" "$here/FailCases/$target/"
            echo "it is in Tests/System/Fuzz/FailCases/$target/$(basename "$found"); give it a name that"
            echo "says what is wrong with it. swift test --filter FuzzTests replays it, and so does"
            echo "$fuzz --replay $target FILE"
        fi
        return 1
    fi
    local executions speed coverage
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    coverage=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)
    printf '%-16s %12s executions %8s/s  %s  %6s inputs %8s bytes\n' "$target" "$executions" \
        "$speed" "$coverage" "$(find "$corpus" -type f | wc -l)" \
        "$(find "$corpus" -type f -printf '%s\n' | awk '{n += $1} END {print n + 0}')" \
        >"$results/$target.line"
    cat "$results/$target.line"
}

running=0 failed=0
for target in "${targets[@]}"; do
    if [ "$running" -ge "$jobs" ]; then
        wait -n || failed=1
        running=$((running - 1))
        [ "$failed" = 0 ] || break
    fi
    one "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
passed=$(find "$results" -name '*.line' | wc -l)
broken=$(find "$results" -name '*.failed' | wc -l)
if [ "$failed" != 0 ] && [ "$broken" = 0 ]; then broken=1; fi
echo "$passed passed, $broken failed"
[ "$broken" = 0 ]
