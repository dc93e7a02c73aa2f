#!/bin/bash
# Three sites of two nodes each, on this machine's loopback, with a NATS server between them: nodes of one site are
# linked, those of different sites never. A message, a reply, a reaction, a deletion, a file, a first letter, and a
# group's invitation, text and removal cross; then the same from one who is alone, for those who come when the sender is
# gone. Uses nothing of yours: folders, sockets and keys are temporary, and nothing is sent on a network.
#
#   sites-demo.sh FOLDER    where stoad, stoa and stoa-sites are
set -euo pipefail
cd "$(dirname "$0")/../../.."
programs=$(cd "${1:?usage: sites-demo.sh FOLDER}" && pwd)
command -v nats-server >/dev/null || { echo "sites-demo: install nats-server first" >&2; exit 69; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/stoa-sites.XXXXXX")
declare -A daemon=() carrier=()
end() {
    exec 2>/dev/null
    kill -9 "${daemon[@]}" "${carrier[@]}" ${server:-} 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail() {
    echo "sites-demo: $*" >&2
    tail -n 5 "$folder"/*/log "$folder"/*/sites.log >&2 || true
    exit 1
}

as() { timeout 120 "$programs/stoa" --socket "$folder/$1/control.sock" "${@:2}" </dev/null; }

# await WHAT COMMAND...: asks again until it is so.
await() {
    local what=$1 deadline=$((SECONDS + 120)); shift
    until "$@" 2>/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || fail "after two minutes not yet: $what"
        sleep 0.1
    done
}

answers() { as "$1" status >/dev/null; }

# start NODE [PEER]: its daemon, linked to PEER, and what carries its rooms.
start() {
    local node=$1 peer=()
    mkdir -p -m 700 "$folder/$node"
    [ -z "${2:-}" ] || peer=(--peer "$(as "$2" --json status | sed -n 's/.*"listen":\["\([^"]*\)".*/\1/p')")
    env -i PATH="$PATH" HOME="$folder/$node" XDG_RUNTIME_DIR="$folder/$node" \
        "$programs/stoad" --name "$node" --data-dir "$folder/$node/data" --socket "$folder/$node/control.sock" \
        --interface lo --listen 127.0.0.1:0 --discovery off --sites "$url" --sites-realm office "${peer[@]}" \
        </dev/null >>"$folder/$node/log" 2>&1 &
    daemon[$node]=$!
    await "$node answers" answers "$node"
}

carry() {
    env -i PATH="$PATH" HOME="$folder/$1" XDG_RUNTIME_DIR="$folder/$1" \
        "$programs/stoa-sites" --socket "$folder/$1/control.sock" </dev/null >>"$folder/$1/sites.log" 2>&1 &
    carrier[$1]=$!
}

stop() {
    kill "${daemon[$1]}" "${carrier[$1]}"
    wait "${daemon[$1]}" "${carrier[$1]}" || true
    unset "daemon[$1]" "carrier[$1]"
}

shows() { as "$1" history office/ops | grep -qF -- "$2"; }
lacks() { ! shows "$1" "$2"; }
everywhere() {
    local node
    for node in "${nodes[@]}"; do await "$node has: $1" shows "$node" "$1"; done
}
id_of() { as "$1" history office/ops --ids | grep -F -- "$2" | grep -oE '\b[a-z2-7]{8,}\b' | head -n 1; }
sends_file() { head -c 700000 /dev/urandom >"$folder/$2" && as "$1" send office/ops --file "$folder/$2" >/dev/null; }
# Of each file three chunks and a node.
has_parts() { as "$1" --json sites | grep -oE '"files":\{[^}]*' | grep -q "\"published\":$2\b"; }
gets_file() {
    as "$1" fetch "$(id_of "$1" "$2")" -o "$folder/$1/$2" >/dev/null
    cmp "$folder/$2" "$folder/$1/$2" || fail "$1 has another $2"
}
key_of() { as "$1" --json status | sed -n 's/.*"id":"\([a-z2-7]*\)".*/\1/p'; }
asked() { as "$1" requests | grep -qF -- "$2"; }
writes() { as "$1" history "$2" | grep -qF -- "$3"; }
published() { as "$1" --json sites | sed -n 's/.*"published":\([0-9]*\).*/\1/p'; }
# Whether nothing was published for some seconds.
rests() { local before; before=$(published "$1"); sleep 4; [ "$before" = "$(published "$1")" ]; }
is_out() { ! as "$1" group members "$2" | grep -qF "(you)"; }

# Any free port: the server says which one it has.
nats-server -js -sd "$folder/nats" -a 127.0.0.1 -p -1 >"$folder/nats.log" 2>&1 &
server=$!
await "the server is ready" grep -q "client connections on" "$folder/nats.log"
url="nats://$(sed -n 's/.*client connections on //p' "$folder/nats.log" | head -n 1)"

nodes=(ada ben cleo dora emil fred)
echo "Three sites of two nodes each, and a NATS server that cannot read anything:"
start ada
as ada realm new office >/dev/null
as ada realm invite office | grep -o 'stoa:realm[^ ]*' >"$folder/invite"
start ben ada; start cleo; start dora cleo; start emil; start fred emil
for node in "${nodes[@]:1}"; do
    timeout 60 "$programs/stoa" --socket "$folder/$node/control.sock" realm join - <"$folder/invite" >/dev/null
done
env -i PATH="$PATH" HOME="$folder/ada" "$programs/stoa-sites" --socket "$folder/ada/control.sock" --setup >/dev/null
for node in "${nodes[@]}"; do carry "$node"; as "$node" join office/ops >/dev/null 2>&1; done

as ada send office/ops "hello from the first site" >/dev/null
everywhere "hello from the first site"
echo "  a message crossed from ada to all others"
hello=$(id_of ada "hello from the first site")
as cleo send office/ops --reply "$hello" "and hello from the second" >/dev/null
everywhere "and hello from the second"
echo "  so did a reply"
as fred react "$hello" "👍" >/dev/null
await "ada sees the reaction" shows ada "👍"
echo "  and a reaction"
as dora send office/ops "this one goes" >/dev/null
as ada send office/ops "a word that goes later" >/dev/null
everywhere "a word that goes later"
everywhere "this one goes"
gone=$(id_of dora "this one goes")
as dora delete "$gone" >/dev/null
for node in "${nodes[@]}"; do await "$node has it deleted" lacks "$node" "this one goes"; done
echo "  and a deletion"
sends_file ada plan
await "fred is told of the file" shows fred plan
gets_file fred plan
echo "  and a file"
ada="@$(key_of ada)" cleo="@$(key_of cleo)"
as cleo send "$ada" "a first letter" >/dev/null
await "ada is asked" asked ada "a first letter"
as ada accept "$cleo" >/dev/null
as ada send "$cleo" "and its answer" >/dev/null
await "cleo has the answer" writes cleo "$ada" "and its answer"
echo "  and a first letter, which was accepted and answered"

emil_key=$(key_of emil) fred="@$(key_of fred)" team=+office/team
as ada group create office/team >/dev/null
as ada group invite "$team" "$cleo" "$fred" >/dev/null
for node in cleo fred; do
    await "$node is asked into the group" asked "$node" "$team"
    as "$node" accept "$team" >/dev/null
done
as ada send "$team" "a word in the group" >/dev/null
for node in cleo fred; do await "$node has the group's text" writes "$node" "$team" "a word in the group"; done
as fred send "$team" "and one back" >/dev/null
for node in ada cleo; do await "$node has fred's" writes "$node" "$team" "and one back"; done
as ada group remove "$team" "$fred" --yes --now >/dev/null 2>&1
as ada send "$team" "without fred" >/dev/null
await "cleo has what comes after the removal" writes cleo "$team" "without fred"
! writes fred "$team" "without fred" || fail "fred reads on in the group"
echo "  and a group: two were invited, wrote, and one was removed"

for node in ben cleo dora emil fred; do stop "$node"; done
emil="@$emil_key" crew=+office/crew
as ada send office/ops "nobody is here" >/dev/null
as ada send office/ops --reply "$hello" "nor anybody to reply to" >/dev/null
as ada react "$hello" "🙂" >/dev/null
as ada delete "$(id_of ada "a word that goes later")" >/dev/null
as ada send "$emil" "a letter to somebody who is away" >/dev/null
as ada group create office/crew >/dev/null
as ada group invite "$crew" "$emil" >/dev/null
as ada send "$crew" "a word in the other group" >/dev/null
as ada send "$team" "nobody is in the group" >/dev/null
as ada group remove "$team" "$cleo" --yes --now >/dev/null 2>&1
as ada send "$team" "without cleo, too" >/dev/null
sends_file ada map
await "the server has the file" has_parts ada 8
await "the server has all the rest" rests ada
stop ada
start emil; carry emil; start cleo; carry cleo
for text in "nobody is here" "nor anybody to reply to" "🙂"; do
    for node in cleo emil; do await "$node has: $text" shows "$node" "$text"; done
done
for node in cleo emil; do await "$node has it deleted" lacks "$node" "a word that goes later"; done
await "emil is told of the file" shows emil map
gets_file emil map
await "emil has the letter" asked emil "a letter to somebody who is away"
await "emil is asked into the other group" asked emil "$crew"
as emil accept "$crew" >/dev/null
await "emil has what ada wrote there" writes emil "$crew" "a word in the other group"
await "cleo has what ada wrote in the group" writes cleo "$team" "nobody is in the group"
await "cleo knows that she is out" is_out cleo "$team"
! writes cleo "$team" "without cleo" || fail "cleo reads on in the group"
echo "  ada did all of that again while nobody else was up, and cleo and emil got it when ada was gone"
start ada; carry ada
as emil accept "$ada" >/dev/null
as emil send "$ada" "an answer, as you are back" >/dev/null
await "ada has the answer" writes ada "$emil" "an answer, as you are back"
echo "  and emil answered once ada was back"
! grep -rqF -e "hello from" -e "nobody is here" -e "this one goes" -e "a first letter" \
    -e "in the group" -e "other group" -e "who is away" -e "without cleo" \
    -e "office/ops" -e "office/team" -e "office/crew" "$folder/nats" || fail "the server can read"
echo "The server stored $(du -sh "$folder/nats" | cut -f 1), and no word of it."
