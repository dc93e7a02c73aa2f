#!/bin/sh
# Answers whoever calls this user by name:
#
#   stoa on mention --in ops -- Examples/answer.sh
#
# stoa runs it once for each message, and again where it ends with another code than 0.
set -eu

case $STOA_TEXT in
    *time*) answer="It is $(date +%H:%M)." ;;
    *load*) answer="The load is $(cut -d ' ' -f 1-3 /proc/loadavg)." ;;
    *) answer="I know the time and the load." ;;
esac
# The key makes it safe to run twice: an answer that was sent is not sent again.
exec stoa send "$STOA_CONVERSATION_ID" --reply "$STOA_ID" --key "answer-$STOA_ID" "$answer" >/dev/null
