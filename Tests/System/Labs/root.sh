#!/bin/bash
# A minimal Debian in a folder, as an administrator has it who is about to install packages.
#
#   root.sh FOLDER
#
# Makes the system (bookworm, minbase) with the libraries that the packages depend on where it is not
# there yet. As root; nothing outside FOLDER, and FOLDER.log beside it, is touched.
set -euo pipefail
folder=${1:?FOLDER is missing}
die() { echo "root.sh: $*" >&2; exit 69; }
[ "$(id -u)" = 0 ] || die "this needs root"
command -v mmdebstrap >/dev/null || die "there is no mmdebstrap: Tests/System/Tools/setup.sh --packages"

# What a machine has on which people log in, and what the packages ask for.
wanted=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,iproute2
wanted+=,libsodium23,libsqlite3-0,libavahi-core7,libncursesw6,libmicrohttpd12,libstdc++6
mkdir -p "$(dirname "$folder")"
if [ "$(cat "$folder/.holds" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$folder"
    # The machine's own mirror of Debian.
    mirror=$(sed -nE 's/^deb (\[[^]]*\] )?([^ ]+\/debian\/?) .*/\2/p; s/^URIs: *([^ ]+\/debian\/?)( .*)?$/\1/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1) || true
    mmdebstrap --variant=minbase --mode=root --dpkgopt=force-unsafe-io --include="$wanted" bookworm "$folder" \
        "${mirror:-http://deb.debian.org/debian}" > "$folder.log" 2>&1 ||
        { tail -20 "$folder.log" >&2; rm -rf "$folder"; die "mmdebstrap failed"; }
    echo "$wanted" > "$folder/.holds"
fi
