#!/bin/bash
# run.sh FOLDER [ARGUMENTS...]: load.py over the programs in that folder, on a network of its own
# that has nothing but loopback. As root.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
programs=$(realpath "${1:?usage: run.sh FOLDER [ARGUMENTS]}")
shift
venv=$("$here/../Interop/venv.sh") || exit $?
export PYTHONDONTWRITEBYTECODE=1
ulimit -n "$(ulimit -Hn)"
exec unshare --net "$venv/bin/python" "$here/load.py" --programs "$programs" \
    --work "$here/../../.build/load" "$@"
