# Completes stoa(1) in fish: rooms, people, ids and options, as the running daemon knows them.

function __stoa_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offered (stoa complete -- $words[2..-1] 2>/dev/null)
    if test (count $offered) -eq 1; and string match -q ':files*' -- $offered[1]
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $offered
    end
end

complete -c stoa -f -a '(__stoa_complete)'
