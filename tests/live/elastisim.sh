#!/bin/sh
# elastisim.sh HINDCAST FCFS TREE -- an algorithm of ElastiSim decides as the policy does that is its twin: examples/elastisim/fcfs.c
# as `fcfs` on a log, host by host, also where hosts fail, and as `elastic` (rigid, blocking) on jobs of all types, which ask for nodes
# at their points. What was recorded is replayed to the same schedule without the algorithm.
set -eu
hindcast=$1 fcfs=$2 tree=$3
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
url=ipc://$room/algorithm.ipc
# run NAME POLICY ARGUMENTS...: an algorithm comes where the policy is one
run()
{
  name=$1 policy=$2 && shift 2
  case $policy in *url:*) "$fcfs" "$url" & esac
  "$hindcast" run "$@" --set "policy=$policy" -q -o "$name.db"
  wait
  "$hindcast" verify "$name.db" | head -1 | grep -q holds
}
same()
{
  "$hindcast" digest --schedule "$1.db" "$2.db" | awk 'NR == 1 { first = $1 } $1 != first { bad = 1 } END { exit bad || NR != 2 }' ||
    { echo "$1 and $2: another schedule"; exit 1; }
  echo "$1 = $2"
}
# Lengths with fractions, so that no two end at once: the algorithm hears of ends one by one, and would take the lowest of other nodes.
theirs="{use: elastisim, url: '$url', timeout: 20s"
awk 'BEGIN {
  srand(7)
  print "; MaxProcs: 24"
  for (i = 1; i <= 400; i++) {
    t += int(-log(1 - rand()) * 60)
    print i, t, -1, int(-log(1 - rand()) * 600) + 1 + i / 1000, n = int(rand() * rand() * 24) + 1, -1, -1, n, 3600, -1, 1, 1, -1, -1, -1, -1, -1, -1
  }
}' >log.swf
set -- log.swf --set 'cell={use: hosts, classes: [{count: 24, name_prefix: n, cpus: 1}]}'
run log "$theirs, record: log.txt}" "$@"
run log-ours fcfs "$@"
same log log-ours
run log-again '{use: elastisim, replay: log.txt}' "$@"
same log log-again
set -- "$@" --set 'events={use: drawn, up_time: 4h, down_time: 20m}' --set host_loss=requeue
run failures "$theirs}" "$@"
run failures-ours fcfs "$@"
same failures failures-ours

# ---- jobs of all types, whose rounds end at times of their own ----

cat >model.json <<'MODEL'
{"phases": [{"iterations": "rounds", "evolving_request": "phase_iteration % 2 == 0 ? num_nodes - 2 : num_nodes + 3",
             "tasks": [{"type": "cpu", "flops": "work", "computation_pattern": "all_ranks"}]}]}
MODEL
awk 'BEGIN {
  srand(3)
  split("rigid moldable malleable evolving adaptive", type)
  printf "{\"jobs\": ["
  for (i = 0; i < 150; i++) {
    t += int(-log(1 - rand()) * 40)
    least = int(rand() * 4) + 1
    most = least + int(rand() * 6)
    printf "%s\n  {\"type\": \"%s\", \"submit_time\": %d, \"application_model\": \"model.json\", %s, \"arguments\": {\"rounds\": %d, \"work\": %d}}",
      i ? "," : "", k = type[int(rand() * 5) + 1], t, k == "rigid" ? "\"num_nodes\": " most : "\"num_nodes_min\": " least ", \"num_nodes_max\": " most,
      int(rand() * 6) + 1, int(rand() * 300) + 1
  }
  print "]}"
}' >jobs.json
cat >jobs.yaml <<'RUN'
source: {use: elastisim, file: jobs.json, cores: 1}
cell: {use: hosts, classes: [{count: 12, name_prefix: n, cpus: 1}]}
execution: {use: activities, cpu_speed: 1}
RUN
run jobs "$theirs, jobs: jobs.json, record: jobs.txt}" jobs.yaml
run jobs-ours '{use: elastic, strategy: rigid, policy: blocking}' jobs.yaml
same jobs jobs-ours
grep -c '"invocation_type":5' jobs.txt | awk '{ exit $1 < 20 }'
