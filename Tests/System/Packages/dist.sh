#!/bin/bash
# dist.sh SCRATCH: makes the source archive of the last commit, unpacks it and builds it where there is no
# network, no repository and nothing of an earlier build: the whole graph of the package is read, and `stoa`
# is built without optimisation; with STOA_LONG=1 all programs are built as for a release, and installed.
# As root. Ends with `N passed, N failed`.
set -euo pipefail

cd "$(dirname "$(realpath "$0")")/../../.."
scratch=$(realpath "${1:?SCRATCH is missing: .build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/stoa-dist.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# that WHAT COMMAND...: one check; what the command says is shown where it fails.
that() {
    local what=$1
    shift
    if "$@" > "$work/said" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
        tail -30 "$work/said"
    fi
}

# Where nothing of this account is known, and no address can be reached, not even an own one.
alone() {
    (cd "$work"/stoa-*/ && unshare --net env -i "PATH=$PATH" HOME="$work/home" LANG=C.UTF-8 "$@")
}

is_shut() { ! alone bash -c ': < /dev/tcp/127.0.0.1/22' 2>/dev/null && [ "$(alone cat /proc/net/dev | wc -l)" = 3 ]; }

made() { make dist SCRATCH="$scratch" | tee "$work/made"; }

begin=$SECONDS
that "make dist makes an archive" made
archive=$(tail -1 "$work/made")
mkdir "$work/home"
that "it is unpacked into a folder of its own" tar -xf "$archive" -C "$work"
version=${archive##*/stoa-} version=${version%.tar.gz}
that "there is no network where it is built" is_shut
that "the packages that it asks for are looked at" alone Tests/System/Tools/setup.sh
that "the whole package can be read" alone swift package describe
if [ "${STOA_LONG:-}" = 1 ]; then
    that "make build builds all" alone make build
    programs=.build/release
    that "make install installs it" alone make install DESTDIR="$work/installed" PREFIX=/usr
    that "what is installed says its version" \
        grep -qF "stoad $version" <("$work/installed/usr/bin/stoad" --version)
else
    # A module at a time, without what only editors and debuggers read: half the processor time.
    that "stoa is built" alone swift build --product stoa --disable-index-store -debug-info-format none \
        -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
    programs=.build/debug
fi
that "stoa says its version" grep -qF "stoa $version" <(alone "$programs/stoa" --version)
echo "took $((SECONDS - begin)) s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
