#!/bin/bash
# run.sh STOAD STOA [ARGUMENTS...]: talks to the two programs from an independent implementation;
# the arguments are those of run_interop.py, such as `--only fork`.
#
# Ends as venv.sh does where its Python packages cannot be had.
set -euo pipefail

if [ $# -lt 2 ] || [ ! -x "$1" ] || [ ! -x "$2" ]; then
    echo "usage: $0 STOAD STOA [ARGUMENTS...] (the two programs)" >&2
    exit 64
fi
stoad=$(realpath "$1")
stoa=$(realpath "$2")
shift 2
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../../..")
venv=$("$here/venv.sh") || exit $?

export PYTHONDONTWRITEBYTECODE=1
cd "$root"
passed=0
failed=0
count() {
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

echo "the peer against itself"
count "$venv/bin/python" -m unittest discover --quiet -s "$here"
count "$venv/bin/python" "$here/vectors.py" --check Tests/EngineTests/Vectors

report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$venv/bin/python" "$here/run_interop.py" --stoad "$stoad" --stoa "$stoa" "$@" | tee "$report" || true
line=$(tail -n 1 "$report")
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
else
    echo "run_interop.py broke off" >&2
    failed=$((failed + 1))
fi
echo "in all, with the unit tests and the vectors as one each:"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
