#!/bin/bash
# Builds the Debian packages of the last commit from programs that are built, and has lintian look at
# them.
#
#   package.sh PROGRAMS FOLDER      STOA_QUICK=1, for a check: compressed less, and with what is changed
#                                   and not committed, which is refused otherwise
#
# Leaves stoa_*.deb, stoad_*.deb, stoa-sites_*.deb and the debug symbols in FOLDER, which is made anew.
set -euo pipefail
programs=$(realpath "${1:?PROGRAMS is missing: .build/release}") folder=${2:?FOLDER is missing}
cd "$(dirname "$0")/../../.."
commit=
if [ -n "${STOA_QUICK:-}" ]; then
    export DPKG_DEB_COMPRESSOR_LEVEL=0
    commit=$(git stash create)
# The programs are those of the working tree, and all else is of the commit.
elif [ -n "$(git status --porcelain)" ]; then
    echo 'package: commit first, or set STOA_QUICK=1' >&2
    exit 65
fi
Tests/System/Tools/setup.sh --packages
rm -rf "$folder"
mkdir -p "$folder/source"
# What is not committed is not in a package.
git archive "${commit:-HEAD}" | tar -x -C "$folder/source"
(
    cd "$folder/source"
    PROGRAMS=$programs DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage --build=binary --no-sign -d
) > "$folder/log" 2>&1 || { tail -40 "$folder/log" >&2; exit 1; }
rm -rf "$folder/source"
lintian --allow-root --fail-on error,warning "$folder"/*.changes
ls "$folder"/*.deb
