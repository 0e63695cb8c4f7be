# Runs one broker and ends it with all that it started as soon as standard input ends: the operating system closes that
# when the parent is gone, however it went. Prints "PID <id>" at once and "ENDED <status>" when the broker is gone.
# Arguments: the broker's directory, "throwaway" (deleted at the end) or "kept", the command.
umask 077
directory=$1
fate=$2
shift 2
exec 3<&0 </dev/null
if command -v setsid >/dev/null 2>&1; then
    setsid "$@" >>"$directory/broker.log" 2>&1 3<&- &
else
    # Job control gives it a process group of its own, which Ctrl-C of the terminal does not reach either.
    set -m
    "$@" >>"$directory/broker.log" 2>&1 3<&- &
    set +m
fi
server=$!
trap '' HUP INT QUIT PIPE TERM
echo "PID $server"

end_all() {
    kill -KILL "-$server" 2>/dev/null
    # What made a process group of its own is still in the session of the broker.
    for stat in /proc/[0-9]*/stat; do
        { IFS= read -r line <"$stat"; } 2>/dev/null || continue
        set -- ${line##*) }
        if [ "$4" = "$server" ]; then
            process=${stat#/proc/}
            kill -KILL "${process%/stat}" 2>/dev/null
        fi
    done
}

(
    while read -r nothing <&3; do :; done
    if [ "$fate" = kept ]; then
        kill -TERM "$server" 2>/dev/null
        # One that is stopped hears it only when it goes on.
        kill -CONT "-$server" 2>/dev/null
        tenths=0
        while [ "$tenths" -lt 50 ] && kill -0 "$server" 2>/dev/null; do
            sleep 0.1
            tenths=$((tenths + 1))
        done
    fi
    # It leads no group and no session yet where it was started a moment ago.
    kill -KILL "$server" 2>/dev/null
    end_all
) >/dev/null 2>&1 &
watcher=$!

wait "$server"
status=$?
end_all
echo "ENDED $status" 2>/dev/null
kill -KILL "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
while read -r nothing <&3; do :; done
if [ "$fate" = throwaway ]; then
    rm -rf -- "$directory"
fi
