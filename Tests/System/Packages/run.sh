#!/bin/bash
# run.sh PROGRAMS SCRATCH: builds the packages of the last commit and lives with them: packages.py.
# As root. Ends with `N passed, N failed`. What takes long and does not change stays in SCRATCH/packages.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
programs=$(realpath "${1:?PROGRAMS is missing: .build/release}")
[ -x "$programs/stoad" ] || { echo "packages: there is no stoad in $programs; first: make build" >&2; exit 66; }
mkdir -p "$2/packages"
work=$(realpath "$2/packages")
"$here/../Tools/setup.sh" --packages
# Side by side: the one waits for the network, the other for the processor.
"$here/../Labs/root.sh" "$work/root" > "$work/base.log" 2>&1 &
base=$!
STOA_QUICK=1 "$here/../Tools/package.sh" "$programs" "$work/deb" ||
    { echo "failed: packages that lintian accepts"; echo "0 passed, 1 failed"; exit 1; }
wait $base || { cat "$work/base.log"; exit 1; }
export PYTHONDONTWRITEBYTECODE=1
exec python3 "$here/packages.py" "$programs" --work "$work"
