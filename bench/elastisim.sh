#!/bin/bash
# elastisim.sh [JOBS [NODES]] -- what an algorithm of ElastiSim costs that decides (`policy: elastisim`): first come, first served, by
# examples/elastisim/fcfs.c, of jobs of one node at 90 % of the machine (50,000 jobs on 128 nodes).
#
# Says seconds of the wall clock and of CPU, and messages a second: with the algorithm; by a record of the session, without it,
# which is our own share (messages made, answers taken apart, the run); and with `policy: fcfs`.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-50000} nodes=${2:-128}
hindcast=$(readlink -f "${HINDCAST:-build/release/hindcast}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cc -O2 -o "$room/fcfs" examples/elastisim/fcfs.c -lzmq
awk -v n="$jobs" -v p="$nodes" 'BEGIN {
  srand(1)
  print "; MaxProcs: " p
  for (i = 1; i <= n; i++) {
    t += -log(1 - rand()) * 1000 / (0.9 * p)
    run = int(-log(1 - rand()) * 1000) + 1
    print i, int(t), -1, run, 1, -1, -1, 1, 2 * run, -1, 1, 1, -1, -1, -1, -1, -1, -1
  }
}' >"$room/jobs.swf"
cd "$room"
url=ipc://$room/algorithm.ipc
# one NAME POLICY
one()
{
  (time -p "$hindcast" run jobs.swf --set "cell={use: hosts, classes: [{count: $nodes, name_prefix: n, cpus: 1}]}" -q -o "$1.db" \
    --force --set "policy=$2" --set 'metrics=[]') 2>"$1.time"
}
./fcfs "$url" &
one live "{use: elastisim, url: '$url'}"
wait
./fcfs "$url" &
one record "{use: elastisim, url: '$url', record: session.txt}"
wait
one replay "{use: elastisim, replay: session.txt}"
one policy fcfs
"$hindcast" digest --schedule live.db replay.db | awk '{ print $1 }' | uniq | awk 'END { exit NR != 1 }'
messages=$(grep -c '^>' session.txt)
echo "$jobs jobs, $nodes nodes, $messages messages, $(wc -c <session.txt) bytes"
for name in live replay policy; do
  awk -v name="$name" -v m="$messages" '/^real/ { r = $2 } /^(user|sys)/ { c += $2 }
    END { printf "  %-8s %6.2f s wall, %6.2f s CPU, %9.0f messages/s of the wall clock\n", name, r, c, m / r }' "$name.time"
done
