#!/bin/bash
# Installs what building Stoa needs, with --test what its tests need too, and with --labs also what
# those on private networks need.
#
#   setup.sh [--test | --packages | --labs]
#
# Where everything is there it only looks, in milliseconds. On Debian and its children it installs
# what is missing with apt-get (by sudo when not root); elsewhere it says what is missing.
set -euo pipefail

build=(libsodium-dev libsqlite3-dev libsystemd-dev libavahi-core-dev libavahi-compat-libdnssd-dev
    libncurses-dev libssl-dev libmicrohttpd-dev libnats-dev pkg-config)
# The two libraries are loaded while they are used, so a package of Stoa only suggests them.
test=(python3-venv libzxcvbn0 libqrencode4 dbus gnome-keyring libsecret-tools python3-dbus python3-gi)
packages=(debhelper dpkg-dev lintian mmdebstrap man-db)
labs=(nats-server faketime nftables tmux ncurses-term zsh fish chromium-headless-shell fonts-dejavu-core fonts-noto-color-emoji dunst xvfb avahi-daemon avahi-utils iproute2 systemd util-linux procps binutils strace gdb valgrind
    gcc libc6-dev)
[ "${STOA_LONG:-}" != 1 ] || labs+=(firefox-esr)

die() { echo "setup: $*" >&2; exit 69; }

wanted=("${build[@]}")
case ${1:-} in
    '') ;;
    --test) wanted+=("${test[@]}") ;;
    --packages) wanted+=("${packages[@]}") ;;
    --labs) wanted+=("${test[@]}" "${packages[@]}" "${labs[@]}") ;;
    *) echo "usage: setup.sh [--test | --packages | --labs]" >&2; exit 64 ;;
esac

command -v swift >/dev/null || die "there is no swift; install 6.2 or newer from swift.org/install"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    modules=(libsodium sqlite3 libsystemd avahi-core avahi-compat-libdns_sd ncursesw libcrypto libmicrohttpd libnats)
    for module in "${modules[@]}"; do
        pkg-config --exists "$module" 2>/dev/null || die "pkg-config finds no $module; install" \
            "what your system calls Debian's packages: ${wanted[*]}"
    done
    exit 0
fi

installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
    grep -qx "$package installed" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "missing: ${missing[*]}; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
    # Nobody is there to type a password.
    if [ -n "${CI:-}" ] || [ ! -t 0 ]; then as_root=(sudo -n); fi
fi
echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -q -y --no-install-recommends install "${missing[@]}")
# The lists of packages may be missing or old: only then they are fetched.
"${install[@]}" </dev/null || {
    "${as_root[@]}" apt-get -q update </dev/null
    "${install[@]}" </dev/null
}
