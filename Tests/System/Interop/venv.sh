#!/bin/bash
# venv.sh [FOLDER]: makes the virtual environment of the tests in that folder, by default the independent peer's,
# in .build/interop-venv or the like, once per requirements.txt, and prints where it is. Where that needs a network that is not there it says so
# and ends with 77, or with 1 under STOA_NO_SKIP=1.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
folder=$(realpath "${1:-$here}")
name=$(basename "$folder")
venv=$(realpath "$here/../../..")/.build/${name,,}-venv
requirements=$folder/requirements.txt

skip() {
    echo "${name,,} skipped: $1" >&2
    [ "${STOA_NO_SKIP:-}" = 1 ] && exit 1
    exit 77
}

# Several parts of a check want it, side by side.
mkdir -p "$(dirname "$venv")"
exec 9> "$venv.lock"
flock 9
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
echo "$venv"
