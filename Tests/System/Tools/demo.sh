#!/bin/bash
# Two nodes on this machine's loopback find each other, talk, one crashes and comes back, both end
# with the same history, a message is edited, read and found, a file is fetched, and what they write
# to each other a third one cannot read. Uses nothing of yours: folders, sockets and keys are temporary,
# and nothing is sent on a network.
#
#   demo.sh FOLDER    where stoad and stoa are
set -euo pipefail
cd "$(dirname "$0")/../../.."
programs=$(cd "${1:?usage: demo.sh FOLDER}" && pwd)

folder=$(mktemp -d "${TMPDIR:-/tmp}/stoa-demo.XXXXXX")
declare -A daemon=()
end() {
    local node
    # The shell reports killed children on its standard error.
    exec 2>/dev/null
    for node in "${!daemon[@]}"; do kill -9 "${daemon[$node]}" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail() {
    echo "demo: $*" >&2
    local node
    for node in ada bob cleo; do
        [ ! -s "$folder/$node/log" ] || { echo "--- log of $node" >&2; tail -20 "$folder/$node/log" >&2; }
    done
    exit 1
}

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# as NODE COMMAND...: stoa, talking to that node's daemon; what takes two minutes hangs.
as() { timeout 120 "$programs/stoa" --socket "$folder/$1/control.sock" "${@:2}" </dev/null; }

# await WHAT COMMAND...: asks again until it is so.
await() {
    local what=$1 deadline=$(($(milliseconds) + 120000)); shift
    until "$@" 2>/dev/null; do
        [ "$(milliseconds)" -lt "$deadline" ] || fail "after two minutes not yet: $what"
    done
}

answers() {
    kill -0 "${daemon[$1]}" || fail "the daemon of $1 ended"
    as "$1" status >/dev/null
}

start() {
    local node=$1
    mkdir -p -m 700 "$folder/$node"
    env -i PATH="$PATH" HOME="$folder/$node" XDG_RUNTIME_DIR="$folder/$node" \
        "$programs/stoad" --name "$node" --data-dir "$folder/$node/data" \
        --socket "$folder/$node/control.sock" --interface lo --discovery embedded \
        </dev/null >>"$folder/$node/log" 2>&1 &
    daemon[$node]=$!
    await "$node answers" answers "$node"
}

# Names are told only where a room is shared, so a node's only peer is known by being the only one.
linked() { as "$1" --json peers | grep -q '"state":"linked"'; }
# How NODE came to know its peer.
source_of() { as "$1" --json peers | sed -n 's/.*"source":"\([a-z]*\)".*/\1/p'; }
# holds NODE TEXT: waits until the message is there, through the daemon's own notifications.
holds() {
    (timeout 120 "$programs/stoa" --socket "$folder/$1/control.sock" tail agora --from 0 \
        </dev/null 2>/dev/null || true) | grep -qm 1 -F -- ": $2" || fail "$1 lacks: $2"
}
# All that replicas agree on; the cursor and `late` tell only how messages arrived here.
history_of() {
    as "$1" --json history agora --limit 1000 | sed -E 's/,"(cursor|late|own)":[a-z0-9]+//g'
}

echo "Two nodes, ada and bob, with their data in $folder:"
start ada
begin=$(milliseconds)
start bob
await "ada is linked to bob" linked ada
await "bob is linked to ada" linked bob
case " $(source_of ada) $(source_of bob) " in
    *" discovery "*) ;;
    *) fail "they did not find each other by discovery" ;;
esac
echo "  bob started, and $(($(milliseconds) - begin)) ms later they had found each other by" \
    "DNS-SD (multicast on lo) and opened an encrypted link"

as ada join agora >/dev/null
as bob join agora >/dev/null
echo "  both joined the room agora"
as ada send agora "Good morning, Bob." >/dev/null
holds bob "Good morning, Bob."
as bob send agora "Good morning, Ada." >/dev/null
holds ada "Good morning, Ada."
echo "  a message went each way"

# The shell reports a killed child on its standard error.
{ kill -9 "${daemon[bob]}" && wait "${daemon[bob]}" || true; } 2>/dev/null
unset 'daemon[bob]'
for number in 1 2 3; do as ada send agora "While you were away: $number" >/dev/null; done
echo "  bob was killed without warning (SIGKILL); ada sent three messages meanwhile"
begin=$(milliseconds)
start bob
for number in 1 2 3; do holds bob "While you were away: $number"; done
echo "  bob started again and had them $(($(milliseconds) - begin)) ms later"
as bob send agora "I am back." >/dev/null
holds ada "I am back."

history_of ada > "$folder/history.ada"
history_of bob > "$folder/history.bob"
cmp "$folder/history.ada" "$folder/history.bob" || fail "the histories differ"
[ "$(grep -c '"kind":"text"' "$folder/history.ada")" = 6 ] || fail "the history is not complete"
echo "  both histories are the same, byte for byte ($(wc -c < "$folder/history.ada") bytes):"
echo
as bob history agora | sed 's/^/    /'
echo

# field NAME: the first value of a member of the JSON that comes in.
field() { sed -nE "s/.*\"$1\":\"?([a-z0-9]+).*/\1/p" | head -1; }
id=$(as ada --json send agora "Lunch at noon, in the yard." | field id)
as ada edit "$id" "Lunch at one, in the yard." >/dev/null
holds bob "Lunch at one, in the yard."
as bob react "$id" "👍" >/dev/null
as bob search yard | grep -q "Lunch at one" || fail "bob does not find what was edited"
await "ada sees bob's sign" eval "as ada info $id | grep -q 👍"
await "ada hears that bob has it" eval "as ada info $id | grep -q 'delivered *bob'"
echo "  ada edited a message, bob gave a sign to it and found it by a word, and ada sees that he has it:"
echo
as ada info "$id" | sed 's/^/    /'
echo

head -c 1000000 /dev/urandom > "$folder/plan.bin"
id=$(as ada --json send agora --file "$folder/plan.bin" "The plan." | field id)
holds bob "[plan.bin, 1 MB: stoa fetch"
as bob fetch "$id" -o "$folder/fetched.bin" >/dev/null
cmp "$folder/plan.bin" "$folder/fetched.bin" || fail "the file is not what was sent"
echo "  ada sent a file of a megabyte, and bob fetched it; both are the same, byte for byte"
echo

start cleo
as cleo join agora >/dev/null
holds cleo "I am back."
bob=$(as ada --json whois @bob | field id)
as ada send "@$bob" "For you alone: lunch at noon?" >/dev/null
await "bob is asked whether ada may write to him" as bob accept @ada >/dev/null
await "bob has it" eval "as bob history @ada | grep -q 'lunch at noon'"
as bob send @ada "Gladly." --wait delivered --timeout 120 >/dev/null
# on_disk NODE TEXT: whether the bytes stand in any of its files.
on_disk() { grep -rqF -- "$2" "$folder/$1/data"; }
on_disk cleo "I am back." || fail "what is in the room is not found on cleo's disk"
! on_disk cleo "lunch at noon" || fail "cleo has what was for bob alone"
! as cleo history @ada >/dev/null 2>&1 || fail "cleo is in a conversation that she was not asked into"
echo "  cleo came in and has the room's history; ada and bob wrote to each other, and nothing of it"
echo "  is on cleo's disk:"
echo
as bob history @ada | sed 's/^/    /'
cat <<'NEXT'

Now with your own network:

  make install          then, as yourself:
  systemctl --user enable --now stoad.socket stoad
  stoa join agora
  stoa send agora "Hello."
  stoa tail
NEXT
