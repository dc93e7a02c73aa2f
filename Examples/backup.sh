#!/bin/sh
# Deletes all but the newest three files of a folder, if PERSON agrees:
#
#   Examples/backup.sh ROOM @PERSON FOLDER
#
# PERSON is a contact (stoa people add), or @ and a key. Nobody else's answer counts.
# Without an answer within an hour nothing is deleted.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: $0 ROOM @PERSON FOLDER" >&2
    exit 64
fi
room=$1 person=$2 folder=$3

old=$(ls -1t -- "$folder" | tail -n +4)
if [ -z "$old" ]; then
    echo "nothing to delete"
    exit 0
fi
count=$(printf '%s\n' "$old" | wc -l)
if stoa ask "$room" "Delete $count old backups of $folder?" --choices yes,no --by "$person" >/dev/null; then
    printf '%s\n' "$old" | while IFS= read -r name; do rm -- "$folder/$name"; done
    stoa send "$room" "Deleted $count old backups of $folder." >/dev/null
else
    stoa send "$room" "Kept all backups of $folder." >/dev/null
fi
