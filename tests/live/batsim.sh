#!/bin/sh
# batsim.sh HINDCAST SCHEDULER TREE -- a scheduler in another process, reached by ZeroMQ, makes the schedule that the policy
# does which decides as it: examples/batsim/fcfs.c against `policy: fcfs`, on a platform whose messages take their time,
# with profiles that compute, communicate, read and write. What was recorded of it is replayed to the same files.
set -eu
hindcast=$1 scheduler=$2 data=$3/examples/data/batsim-profiles
room=$(mktemp -d)
trap 'kill $peer 2>/dev/null || true; rm -rf "$room"' EXIT
cd "$room"
"$scheduler" "ipc://$room/socket" &
peer=$!
"$hindcast" batsim -q -p "$data/platform.xml" -w "$data/workload.json" -m master_host0 -s "ipc://$room/socket" \
  --timeout 60s --record session.txt -e theirs -o theirs.db
wait $peer # it has been told that the run is over
"$hindcast" verify theirs.db | head -1
cat >run.yaml <<END
compat: batsim
source: {use: batsim, executables: profiles, file: $data/workload.json}
cell: {use: simgrid, order: batsim, file: $data/platform.xml, leave_out: [master_host0]}
execution: {use: activities, network: {use: simgrid, file: $data/platform.xml}}
architecture: {use: messages, network: {use: simgrid, file: $data/platform.xml}, master: master_host0}
policy: fcfs
metrics: []
END
"$hindcast" run run.yaml -q -o ours.db
"$hindcast" export ours.db --format batsim -o ours_jobs.csv
cmp ours_jobs.csv theirs_jobs.csv
"$hindcast" batsim -q -p "$data/platform.xml" -w "$data/workload.json" -m master_host0 --replay session.txt -e again
for f in jobs.csv schedule.csv machine_states.csv schedule.trace; do cmp "theirs_$f" "again_$f"; done
[ "$(wc -l <theirs_jobs.csv)" -gt 5 ]
echo "the same $(($(wc -l <theirs_jobs.csv) - 1)) jobs"
