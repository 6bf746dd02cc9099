#!/bin/bash
# process.sh [JOBS [PROCESSORS]] -- what another program costs that decides (`policy: process`): first come, first served, by
# examples/process/fcfs.c, of jobs of one processor at 90 % of the machine (200,000 jobs on 100 processors).
#
# Says seconds of the wall clock and of CPU, and messages a second: with the program; by a record of the session, without it,
# which is our own share (messages made, answers taken apart, the run); and with `policy: fcfs`.
set -eu
. "$(dirname "$0")/decided_aside.sh"
jobs=${1:-200000} processors=${2:-100}
cc -O2 -o "$room/fcfs" examples/process/fcfs.c
make_log "$jobs" "$processors"
cd "$room"
one live "{use: process, command: [./fcfs]}"
one record "{use: process, command: [./fcfs], record: session.txt}"
one replay "{use: process, replay: session.txt}"
one policy fcfs
tell "$jobs jobs, $processors processors" live.db replay.db policy.db
