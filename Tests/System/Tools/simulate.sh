#!/bin/bash
# Runs simulations on all cores, in shares of 50 seeds. A share that is done is kept in FOLDER, so that
# a run that was interrupted goes on where it stopped; another build of the program begins anew.
#
#   [FROM=1] [COUNT=1000] [ASSAULT=1 | SYBILS=1 | GROUPS=1 | THEFTS=1] [NODES=N [OFFICE=1 [GROUPS=1] [LINKS=N]]] [JOBS=CORES] \
#       [RESULTS=FILE] simulate.sh PROGRAM FOLDER
#
# RESULTS names a page to whose table a row is added. Prints each failure with the line that repeats
# it, the sums, and at last `N passed, N failed`.
set -euo pipefail
refuse() { echo "simulate.sh: $*" >&2; exit 64; }
program=$(realpath "${1:?PROGRAM is missing: .build/release/simulate}")
[ -x "$program" ] || refuse "there is no program $program; first: make sim"
from=${FROM:-1} count=${COUNT:-1000} jobs=${JOBS:-$(nproc)} share=50
for name in from count jobs ${NODES:+NODES} ${LINKS:+LINKS}; do
    [[ ${!name} =~ ^[1-9][0-9]{0,17}$ ]] || refuse "${name^^}=${!name}: give a number from 1 on"
done
if [ -n "${RESULTS:-}" ] && ! [ -w "$RESULTS" ]; then
    refuse "RESULTS=$RESULTS: name a page that can be written"
fi
options=()
kind=seeds
if [ -n "${ASSAULT:-}" ]; then options+=(--assault); kind=assaults; fi
if [ -n "${SYBILS:-}" ]; then options+=(--sybils); kind=sybils; fi
if [ -n "${THEFTS:-}" ]; then options+=(--thefts); kind=thefts; fi
# Bash has a list of its own under this name, to which a script cannot give another value: `env GROUPS=1` does.
groups=$(printenv GROUPS || true)
if [ -n "$groups" ]; then options+=(--groups); kind=groups; fi
if [ -n "${NODES:-}" ]; then
    options+=(--nodes "$NODES"); kind="of $NODES nodes"; share=1
    if [ -z "${COUNT:-}" ]; then count=1; fi
    if [ -n "${OFFICE:-}" ]; then options+=(--office); kind="of offices of $NODES${groups:+ in a group}"; fi
    if [ -n "${LINKS:-}" ]; then options+=(--links "$LINKS"); kind+=" with $LINKS links"; fi
fi
build=$(sha256sum "$program" | cut -c1-12)
shares=$2/$build/${kind// /-}
mkdir -p "$shares"
last=$((from + count - 1))

# run FIRST: the seeds of one share, also those behind one at which the process dies.
run() {
    local first=$1 next=$1 end part=$shares/$1.part code
    end=$((first + share - 1))
    if [ "$end" -gt "$last" ]; then end=$last; fi
    if [ -e "$shares/$first-$end" ]; then return; fi
    : > "$part"
    while [ "$next" -le "$end" ]; do
        code=0
        "$program" "${options[@]}" --from "$next" --count $((end - next + 1)) >> "$part" || code=$?
        if [ "$code" -le 1 ]; then break; fi
        next=$(tail -n 1 "$part" | sed -nE 's/^seed ([0-9]+) $/\1/p')
        if [ -z "$next" ] || [ "$code" = 130 ] || [ "$code" = 143 ]; then return 1; fi
        echo "FAILED SEED=$next${ASSAULT:+ ASSAULT=1}${SYBILS:+ SYBILS=1}${THEFTS:+ THEFTS=1}${groups:+ GROUPS=1}${NODES:+ NODES=$NODES}${OFFICE:+ OFFICE=1}${LINKS:+ LINKS=$LINKS} make sim:" \
            "the process ended with $code" >> "$part"
        next=$((next + 1))
    done
    mv "$part" "$shares/$first-$end"
}

export -f run
export program shares share last groups ASSAULT SYBILS THEFTS NODES OFFICE LINKS
# Arrays cannot be exported.
export options_text="${options[*]}"
start=$SECONDS
seq "$from" "$share" "$last" \
    | xargs -P "$jobs" -I FIRST bash -c \
        'set -euo pipefail; read -ra options <<< "$options_text" || true; run FIRST'

files=()
for ((first = from; first <= last; first += share)); do
    end=$((first + share - 1))
    files+=("$shares/$first-$((end > last ? last : end))")
done
grep -h FAILED "${files[@]}" | sed 's/^seed [0-9]* //' || true
if [ -n "${OFFICE:-}" ]; then
    sed -nE "s/^seed ([0-9]+) .* ((pieces|entered) .*) ok$/MEASURED simulation, an office of $NODES${groups:+ in a group}, seed \1: \2/p" \
        "${files[@]}"
fi
sums=$(awk -v row="${RESULTS:+1}" '
    function value(name,  place) {
        for (place = 1; place < NF; place++) if ($place == name) return $(place + 1)
        return 0
    }
    / ok$/ {
        passed++; nodes += value("nodes"); hostile += value("hostile") > 0
        sessions += value("sessions"); messages += value("messages")
        assaults += value("assaults"); events += value("events")
        milliseconds += value("milliseconds"); rounds = value("rounds")
        if (rounds > most) most = rounds
    }
    /FAILED/ { failed++ }
    END {
        if (row) printf "%d | %d | %d | %d | %d | %d | %.0f h | %d | %d", nodes, hostile, sessions,
            messages, assaults, events, milliseconds / 3600000, most, failed
        else {
            printf "%d nodes, %d runs with hostile peers (%d assaults), %d with real sessions\n",
                nodes, hostile, assaults, sessions
            printf "%d messages, %d events, %.0f hours of virtual time, all agreed after %d rounds\n",
                messages, events, milliseconds / 3600000, most
            printf "%d passed, %d failed\n", passed, failed
        }
    }' "${files[@]}")
failed=$(cat "${files[@]}" | grep -c FAILED || true)
if [ -n "${RESULTS:-}" ]; then
    commit=$(git rev-parse --short=12 HEAD)$(git diff --quiet HEAD -- Sources || echo ' and changes')
    echo "| $(date -u +%F) | $commit | $kind $from to $last | $sums |" | tee -a "$RESULTS"
    echo "$((count - failed)) passed, $failed failed"
else
    echo "$sums"
    echo "took $((SECONDS - start)) s" >&2
fi
[ "$failed" = 0 ]
