#!/bin/bash
# run.sh STOAD STOA: talks to the two programs from an independent implementation.
#
# Makes a virtual environment in .build/interop-venv, once per requirements.txt. Where that needs
# a network that is not there it says so and ends with 77, or with 1 under STOA_NO_SKIP=1.
set -euo pipefail

if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -x "$2" ]; then
    echo "usage: $0 STOAD STOA (the two programs)" >&2
    exit 64
fi
stoad=$(realpath "$1")
stoa=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
venv=$root/.build/interop-venv
requirements=$here/requirements.txt

skip() {
    echo "interop skipped: $1" >&2
    [ "${STOA_NO_SKIP:-}" = 1 ] && exit 1
    exit 77
}

# The copy of the requirements is written last, so a half-made environment is not taken for one.
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    command -v python3 > /dev/null || skip "python3 is not installed"
    rm -rf "$venv"
    python3 -m venv "$venv" || skip "python3 -m venv fails (Debian: apt install python3-venv)"
    "$venv/bin/pip" install --quiet --no-input --disable-pip-version-check --require-hashes \
        --retries 1 --requirement "$requirements" \
        || skip "the Python packages cannot be fetched and $venv does not hold them"
    cp "$requirements" "$venv/requirements.txt"
fi

export PYTHONDONTWRITEBYTECODE=1
cd "$root"
passed=0
failed=0
count() {
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

echo "the peer against itself"
count "$venv/bin/python" -m unittest discover --quiet -s "$here"
count "$venv/bin/python" "$here/vectors.py" --check Tests/EngineTests/Vectors/wire-1.txt

report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$venv/bin/python" "$here/run_interop.py" --stoad "$stoad" --stoa "$stoa" | tee "$report" || true
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
