#!/bin/bash
# process.sh [JOBS [PROCESSORS]] -- what another program costs that decides (`policy: process`): first come, first served, by
# examples/process/fcfs.c, of jobs of one processor at 90 % of the machine (200,000 jobs on 100 processors).
#
# Says seconds of the wall clock and of CPU, and messages a second: with the program; by a record of the session, without it,
# which is our own share (messages made, answers taken apart, the run); and with `policy: fcfs`.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-200000} processors=${2:-100}
hindcast=$(readlink -f "${HINDCAST:-build/release/hindcast}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cc -O2 -o "$room/fcfs" examples/process/fcfs.c
awk -v n="$jobs" -v p="$processors" 'BEGIN {
  srand(1)
  print "; MaxProcs: " p
  for (i = 1; i <= n; i++) {
    t += -log(1 - rand()) * 1000 / (0.9 * p)
    run = int(-log(1 - rand()) * 1000) + 1
    print i, int(t), -1, run, 1, -1, -1, 1, 2 * run, -1, 1, 1, -1, -1, -1, -1, -1, -1
  }
}' >"$room/jobs.swf"
cd "$room"
# one NAME POLICY
one()
{
  (time -p "$hindcast" run jobs.swf -q -o "$1.db" --force --set "policy=$2" --set 'metrics=[]') 2>"$1.time"
}
one live "{use: process, command: [./fcfs]}"
one record "{use: process, command: [./fcfs], record: session.txt}"
one replay "{use: process, replay: session.txt}"
one policy fcfs
"$hindcast" digest --schedule live.db replay.db policy.db | awk '{ print $1 }' | uniq | awk 'END { exit NR != 1 }'
messages=$(grep -c '^>' session.txt)
echo "$jobs jobs, $processors processors, $messages messages, $(wc -c <session.txt) bytes"
for name in live replay policy; do
  awk -v name="$name" -v m="$messages" '/^real/ { r = $2 } /^(user|sys)/ { c += $2 }
    END { printf "  %-8s %6.2f s wall, %6.2f s CPU, %9.0f messages/s of the wall clock\n", name, r, c, m / r }' "$name.time"
done
