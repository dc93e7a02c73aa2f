#!/bin/sh
# Answers anyone who mentions this user:
#
#   stoa on mention --in ops -- Examples/answer.sh
#
# stoa runs it once for each message, and again if it does not exit 0.
set -eu

case $STOA_TEXT in
    *time*) answer="It is $(date +%H:%M)." ;;
    *load*) answer="The load is $(cut -d ' ' -f 1-3 /proc/loadavg)." ;;
    *) answer="I know the time and the load." ;;
esac
# The key makes it safe to run twice: the answer is sent only once.
exec stoa send "$STOA_CONVERSATION_ID" --reply "$STOA_ID" --key "answer-$STOA_ID" "$answer" >/dev/null
