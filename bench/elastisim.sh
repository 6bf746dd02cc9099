#!/bin/bash
# elastisim.sh [JOBS [NODES]] -- what an algorithm of ElastiSim costs that decides (`policy: elastisim`): first come, first served, by
# examples/elastisim/fcfs.c, of jobs of one node at 90 % of the machine (50,000 jobs on 128 nodes).
#
# Says seconds of the wall clock and of CPU, and messages a second: with the algorithm; by a record of the session, without it,
# which is our own share (messages made, answers taken apart, the run); and with `policy: fcfs`.
set -eu
. "$(dirname "$0")/decided_aside.sh"
jobs=${1:-50000} nodes=${2:-128}
cc -O2 -o "$room/fcfs" examples/elastisim/fcfs.c -lzmq
make_log "$jobs" "$nodes"
cd "$room"
machine="cell={use: hosts, classes: [{count: $nodes, name_prefix: n, cpus: 1}]}"
url=ipc://$room/algorithm.ipc
./fcfs "$url" &
one live "{use: elastisim, url: '$url'}" --set "$machine"
wait
./fcfs "$url" &
one record "{use: elastisim, url: '$url', record: session.txt}" --set "$machine"
wait
one replay "{use: elastisim, replay: session.txt}" --set "$machine"
one policy fcfs --set "$machine"
tell "$jobs jobs, $nodes nodes" live.db replay.db
