#!/bin/bash
# batsim.sh [JOBS [HOSTS]] -- what a scheduler beside the run costs: `hindcast batsim` with the scheduler of
# examples/batsim/fcfs.c, each job of one host told, started and told to have ended (200,000 jobs on 100 hosts).
#
# Delays are exponential, 1,000 s on average, arrivals such that 90 % of the hosts are busy. Says CPU seconds (user and
# system) of the simulator and of the scheduler, ZeroMQ's threads included, and of the simulator by a record of the
# session, which is its own share: reading, running, messages, answers, files. Then the same with examples/batsim/edc.c, a
# component of Batsim 5 that is called. Needs libzmq3-dev.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-200000} hosts=${2:-100}
hindcast=$(readlink -f "${HINDCAST:-build/release/hindcast}")
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cc -O2 -o "$room/fcfs" examples/batsim/fcfs.c -lzmq
cc -O2 -shared -fPIC -o "$room/libfcfs.so" examples/batsim/edc.c
awk -v n="$jobs" -v hosts="$hosts" 'BEGIN {
  srand(1)
  printf "{\"nb_res\": %d, \"jobs\": [\n", hosts
  for (i = 1; i <= n; i++) {
    t += -log(1 - rand()) * 1000 / (0.9 * hosts)
    p = int(-log(1 - rand()) * 1000) + 1
    known[p] = 1
    printf "%s{\"id\": %d, \"subtime\": %.3f, \"walltime\": %d, \"res\": 1, \"profile\": \"d%d\"}", (i > 1 ? ",\n" : ""), i, t, p * 2, p
  }
  printf "],\n\"profiles\": {"
  for (p in known) printf "%s\"d%d\": {\"type\": \"delay\", \"delay\": %d}", (any++ ? ",\n" : ""), p, p
  print "}}"
}' >"$room/workload.json"
cat >"$room/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="root" routing="Full">
    <cluster id="c" prefix="h" suffix="" radical="0-$((hosts - 1))" speed="1Gf" bw="1.25GBps" lat="50us"/>
    <cluster id="m" prefix="master_host" suffix="" radical="0-0" speed="1Gf" bw="1.25GBps" lat="50us"/>
    <link id="l" bandwidth="1.25GBps" latency="50us"/>
    <zoneRoute src="c" dst="m" gw_src="c_router" gw_dst="m_router"><link_ctn id="l"/></zoneRoute>
  </zone>
</platform>
END
sed -i 's/prefix="h"/router_id="c_router" &/; s/prefix="master_host"/router_id="m_router" &/' "$room/platform.xml"
cd "$room"
# session NAME OPTION...: a run with the scheduler beside it
session()
{
  name=$1 && shift
  (time -p ./fcfs "ipc://$room/socket") 2>"$name.scheduler" &
  simulate "$name" -s "ipc://$room/socket" "$@"
  wait
}
simulate()
{
  file=$1 && shift
  (time -p "$hindcast" batsim -q -p platform.xml -w workload.json -m master_host0 -e out --disable-schedule-tracing \
    --disable-machine-state-tracing "$@") 2>"$file.simulator"
}
cpu() { awk '/^(user|sys)/ { s += $2 } /^real/ { r = $2 } END { printf "%.2f s CPU, %.2f s wall", s, r }' "$1"; }
session live
session record --record record.txt
simulate replay --replay record.txt
(time -p "$hindcast" batsim -q -p platform.xml -w workload.json -m master_host0 -l ./libfcfs.so '' -e out/) \
  2>called.simulator
echo "$jobs jobs, $hosts hosts, $(grep -c '^>' record.txt) messages"
echo "  simulator, with ZeroMQ   $(cpu live.simulator)"
echo "  scheduler, with ZeroMQ   $(cpu live.scheduler)"
echo "  simulator alone          $(cpu replay.simulator)"
echo "  both, in one process     $(cpu called.simulator)"
