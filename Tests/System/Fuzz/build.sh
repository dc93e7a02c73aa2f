#!/bin/bash
# build.sh address|coverage debug|release SCRATCH: builds the program around libFuzzer.
#
# `address` has the address sanitizer and finds faults; `coverage` counts lines (coverage.py).
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/../../.."
kind=$1 configuration=$2 scratch=$3
# lld, because gold breaks off at what the sanitizers make.
flags=(-Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld -Xswiftc -enable-testing)
# A module at a time takes half as much as its files in batches; only editors read an index; of debug information
# findings need the lines.
flags+=(--disable-index-store -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2)
flags+=(-Xswiftc -gline-tables-only)
case $kind in
    address) flags+=(--sanitize=address) ;;
    coverage) flags+=(-Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping) ;;
esac
mkdir -p "$scratch"
STOA_FUZZ=1 swift build --product Fuzz -c "$configuration" --scratch-path "$scratch" \
    "${flags[@]}" >"$scratch/build.log" 2>&1 || { tail -40 "$scratch/build.log" >&2; exit 1; }
