#!/bin/sh
# edc.sh HINDCAST LIBRARY SERVE TREE -- a decision component of Batsim 5 makes the schedule that the policy does which
# decides as it: examples/batsim/edc.c against `policy: fcfs`, as a shared object that is called and (with SERVE, which
# carries messages to it) as a process, on two workloads: profiles that compute, communicate, read and write, and 60
# jobs of delays that are often submitted at one time, some too long, on machines whose names have numbers. What was
# recorded of it is replayed to the same files, and so it is where its thinking was measured.
set -eu
hindcast=$1 library=$2 serve=$3 data=$4/examples/data/batsim-profiles
room=$(mktemp -d) peer=
trap '[ -z "$peer" ] || kill $peer 2>/dev/null || true; rm -rf "$room"' EXIT
cd "$room"

# Twelve machines: n10 is behind n9, as in Batsim 5.
cat >platform.xml <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-11" speed="1Gf" bw="125MBps" lat="50us"/>
<cluster id="m" prefix="master_host" suffix="" radical="0-0" speed="1Gf" bw="125MBps" lat="50us"/>
<link id="l" bandwidth="1GBps" latency="100us"/>
<zoneRoute src="c" dst="m" gw_src="nc_router" gw_dst="master_hostm_router"><link_ctn id="l"/></zoneRoute>
</zone></platform>
END
awk 'BEGIN {
  printf "{\"nb_res\": 12, \"jobs\": ["
  for (i = 0; i < 60; i++)
    printf "%s\n  {\"id\": %d, \"subtime\": %d, \"walltime\": %d, \"res\": %d, \"profile\": \"d%d\"}", i ? "," : "", i,
           int(i * 7 / 5) * 5, 20 + i * 13 % 60, 1 + i * i * 5 % 12, i * 3 % 5
  printf "],\n \"profiles\": {"
  for (k = 0; k < 5; k++) printf "%s\n  \"d%d\": {\"type\": \"DelayProfile\", \"delay\": %d}", k ? "," : "", k, 7 + 11 * k
  print "}}" }' >workload.json

theirs() { # PREFIX PLATFORM WORKLOAD OPTION... -- a run that the component decides
  prefix=$1 platform=$2 workload=$3
  shift 3
  "$hindcast" batsim -q -p "$platform" -w "$workload" -m master_host0 --timeout 60s -e "$prefix/" "$@"
}

both() { # NAME PLATFORM WORKLOAD -- that run, and one by our own policy
  theirs "$1" "$2" "$3" --edc-library-str "$library" '' --trace-machine-state --record "$1.txt" -o "$1.db"
  "$hindcast" verify "$1.db" | head -1
  cat >"$1.yaml" <<END
compat: batsim
source: {use: batsim, executables: profiles, report: 0, file: $3}
cell: {use: simgrid, order: batsim5, file: $2, leave_out: [master_host0]}
execution: {use: activities, network: {use: simgrid, file: $2}}
architecture: {use: messages, network: {use: simgrid, file: $2}, master: master_host0}
policy: fcfs
metrics: []
END
  "$hindcast" run "$1.yaml" -q -o "$1_ours.db"
  "$hindcast" export "$1_ours.db" --format batsim -o "$1_ours.csv"
  cmp "$1_ours.csv" "$1/jobs.csv"
  theirs "$1_again" "$2" "$3" --edc-library-str "$library" '' --trace-machine-state --replay "$1.txt"
  for f in jobs.csv schedule.json machine_states.csv; do cmp "$1/$f" "$1_again/$f"; done
  echo "$1: the same $(($(wc -l <"$1/jobs.csv") - 1)) jobs"
}

both profiles "$data/platform.xml" "$data/workload.json"
both delays platform.xml workload.json
theirs thinking platform.xml workload.json -l "$library" '' --think measured --record thinking.txt
theirs thinking_again platform.xml workload.json -l "$library" '' --think measured --replay thinking.txt
cmp thinking/jobs.csv thinking_again/jobs.csv
[ -n "$serve" ] || exit 0
"$serve" "$library" "ipc://$room/socket" &
peer=$!
echo nothing >init.txt
theirs process platform.xml workload.json --edc-socket-file "ipc://$room/socket" init.txt --record process.txt
wait $peer # it has been told that the run is over
peer=
cmp delays/jobs.csv process/jobs.csv
sed 1,3d delays.txt | sed 's/^< [0-9]*/</' >delays.said
sed 1,3d process.txt | sed 's/^< [0-9]*/</' | cmp - delays.said # but for the greeting
echo "process: the same $(($(wc -l <process/jobs.csv) - 1)) jobs"
