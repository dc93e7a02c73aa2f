#!/bin/bash
# run.sh FOLDER [ARGUMENTS...]: load.py over the programs in that folder, on a network of its own
# that has nothing but loopback. As root.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
if ! [ -x "${1:-}/stoad" ]; then
    echo "load: there is no stoad in '${1:-}'; first: make build" >&2
    exit 66
fi
programs=$(realpath "$1")
shift
venv=$("$here/../Interop/venv.sh") || exit $?
export PYTHONDONTWRITEBYTECODE=1
ulimit -n "$(ulimit -Hn)"
exec unshare --net "$venv/bin/python" "$here/load.py" --programs "$programs" \
    --work "$here/../../../.build/load" "$@"
