#!/bin/bash
# How much of what decides and stores the tests run: lines, regions and functions of Engine, Crypto,
# Storage and ControlAPI, by the unit tests and the simulation. Swift emits no branches of its own;
# a region is what lies between two of them.
#
#   SCRATCH=FOLDER coverage.sh [--files]      --files also lists each file's uncovered lines
set -euo pipefail
if [ $# -gt 1 ] || [ "${1:---files}" != --files ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 64
fi
cd "$(dirname "$0")/../../.."
scratch=${SCRATCH:-.build}/coverage
mkdir -p "$scratch"
modules='Engine Crypto Storage ControlAPI'

SWIFT_BACKTRACE=enable=no swift test --disable-xctest --enable-code-coverage \
    --scratch-path "$scratch" --skip IntegrationTests --skip RepositoryTests \
    --skip SystemDiscoveryTests/lab </dev/null >"$scratch.log" 2>&1 ||
    { tail -40 "$scratch.log" >&2; exit 1; }
binary=$(swift build --scratch-path "$scratch" --show-bin-path)
profile=$binary/codecov/default.profdata
# That of the toolchain: another one may not know its format.
llvm_cov=$(dirname "$(realpath "$(command -v swift)")")/llvm-cov
program=$(find "$binary" -maxdepth 1 -name '*PackageTests.xctest' -type f)

printf '%-12s %14s %14s %14s\n' module lines regions functions
for module in $modules; do
    "$llvm_cov" export "$program" -instr-profile "$profile" -summary-only "Sources/$module" |
        python3 -c '
import json, sys
total = json.load(sys.stdin)["data"][0]["totals"]
def share(kind):
    return "%d/%d %.1f %%" % (total[kind]["covered"], total[kind]["count"], total[kind]["percent"])
print("%-12s" % sys.argv[1], *("%16s" % share(k) for k in ("lines", "regions", "functions")))
' "$module"
done
[ "${1:-}" = --files ] || exit 0
for module in $modules; do
    "$llvm_cov" export "$program" -instr-profile "$profile" "Sources/$module" | python3 -c '
import json, os, sys
for file in json.load(sys.stdin)["data"][0]["files"]:
    missed, covered = set(), set()
    # A segment holds from its place to the next one.
    segments = file["segments"]
    for here, there in zip(segments, segments[1:]):
        if not here[3] or here[5]:
            continue
        lines = range(here[0] + (here[1] > 200), max(there[0], here[0] + 1))
        (covered if here[2] else missed).update(lines)
    missed = sorted(missed - covered)
    if missed:
        print(os.path.relpath(file["filename"]), *missed)
'
done
