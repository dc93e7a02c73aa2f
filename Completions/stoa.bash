# Completes stoa(1) in bash: rooms, people, ids and options, as the running daemon knows them.

_stoa() {
    local line word=$2 before=${COMP_LINE:0:COMP_POINT} whole
    # Bash cuts words at @, : and =, which names have; the words are taken from the line itself.
    local -a words
    read -ra words <<<"$before"
    if [[ $before == *[[:space:]] ]]; then words+=(''); fi
    whole=${words[${#words[@]} - 1]}
    # What stands before the part that bash replaces, which is the second argument: with an @ in front.
    local kept=
    if [[ $whole == *"$word" ]]; then kept=${whole%"$word"}; fi
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "${line%%$'\t'*}" = :files ]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            compopt -o filenames
            return
        fi
        line=${line%%$'\t'*}
        line=${line#"$kept"}
        COMPREPLY+=("$(printf %q "$line")")
    done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}

complete -F _stoa stoa
