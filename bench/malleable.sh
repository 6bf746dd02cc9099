#!/bin/sh
# malleable.sh -- tasks whose hosts change at scheduling points: what a point costs, and what a resize does.
#
#   ./dev bench malleable                    the table: 100,000 tasks of 10 phases on 1,000 hosts at load 0.9
#   bench/malleable.sh tasks 100000 > t.json   the workload alone
#
# A task has 100 to 2,200 host-seconds of work in ten phases (six sizes), may have 1 to 64 hosts, and asks for one. Arrivals
# are Poisson's. A point is the difference between two runs in which no task changes, with points between the phases and
# without, by the points. A resize by two hosts is the same of tasks that ask for 3 and for 1 by turns. One under
# equipartition is the difference to a run of the policy elastic in which no task changes: what it costs with the decisions that
# it calls for. The same seed, the same tasks (Park and Miller's generator). CPU time, the least of HC_TRIES (3) runs.
set -eu

make_tasks()
{
  awk -v tasks="$1" '
    function draw() { state = (state * 16807) % 2147483647; return state / 2147483647 }
    BEGIN {
      state = 1
      split("10 20 50 100 200 220", work)
      print "["
      for (i = 1; i <= tasks; i++) {
        at += -log(draw()) / 0.9
        printf "{\"id\": %d, \"submit_time\": %.3f, \"resources\": {\"nodes_count\": 1, \"cpu_per_node\": 1}, ", i, at
        printf "\"spread\": true, \"profile\": \"w%d\", \"malleable\": {\"min\": 1, \"max\": 64, ", work[1 + int(draw() * 6)]
        printf "\"when\": [\"start\", \"running\", \"itself\"]}}%s\n", i < tasks ? "," : ""
      }
      print "]"
    }'
}

# The same profiles, with what stands between two phases.
make_profiles()
{
  for w in 10 20 50 100 200 220; do
    echo "w$w: {use: phase, iterations: 10, $1 profile: {use: compute_homogeneous, compute_work: $w / num_nodes}}"
  done
}

case ${1:-table} in
tasks)
  make_tasks "${2:-100000}"
  exit 0
  ;;
esac

cd "$(dirname "$0")/.."
hindcast=${HINDCAST:-build/release/hindcast}
tasks=${HC_TASKS:-100000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make_tasks "$tasks" >"$dir/tasks.json"
make_profiles "between: {use: point}," >"$dir/points.yaml"
make_profiles "" >"$dir/none.yaml"
make_profiles "between: {use: point, asks: true, request: 'iteration % 2 == 0 ? 1 : 3'}," >"$dir/asks.yaml"

# took PROFILES POLICY -> CPU seconds of the quickest of some runs
took()
{
  printf 'source: {use: native, file: %s, profiles: %s}\ncell: {use: hosts, classes: [{name: h, count: 1000, cpus: 1}]}\n' \
    "$dir/tasks.json" "$dir/$1.yaml" >"$dir/run.yaml"
  printf 'execution: {use: activities, cpu_speed: 1}\npolicy: %s\nmetrics: []\n' "$2" >>"$dir/run.yaml"
  best=
  for try in $(seq "${HC_TRIES:-3}"); do
    s=$(sh -c '"$1" run "$2" --no-rows --output "$3" >"$4" && times' sh "$hindcast" "$dir/run.yaml" "$dir/out.db" \
      "$dir/out.txt" | sed -n '2s/ .*//p' | awk -F '[ms]' '{ print $1 * 60 + $2 }')
    best=$(echo "$s ${best:-$s}" | awk '{ print $1 < $2 ? $1 : $2 }')
  done
  echo "$best"
}

resizes()
{
  sed -n 's/,//g; s/.*note: \([0-9]*\) resizes.*/\1/p' "$dir/out.txt"
}

with=$(took points fcfs)
without=$(took none fcfs)
asks=$(took asks fcfs)
asked=$(resizes)
same=$(took points "{use: elastic, strategy: rigid, policy: fcfs}")
elastic=$(took points "{use: elastic, strategy: equipartition, policy: fcfs}")
changed=$(resizes)
echo "tasks $tasks, scheduling points $((tasks * 9)), resizes $asked that tasks ask for, $changed under equipartition"
echo "no points $without s, points $with s, requests $asks s, elastic without changes $same s, equipartition $elastic s"
awk -v a="$with" -v b="$without" -v n="$((tasks * 9))" -v c="$elastic" -v d="$same" -v r="$changed" \
  -v q="$asks" -v m="$asked" 'BEGIN {
  printf "a scheduling point %.2f us; a resize by two hosts %.2f us; one of equipartition, with its decisions, %.2f us\n",
    (a - b) / n * 1e6, (q - a) / m * 1e6, (c - d) / r * 1e6 }'
