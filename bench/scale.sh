#!/bin/bash
# scale.sh -- what a task of a data centre costs, by the number of tasks and of hosts, and what a waiting one holds.
#
#   ./dev bench scale                            3 million tasks, 1,000 to 1,000,000 hosts
#   HC_TASKS="1e6 1e7 1e8" ./dev bench scale     other numbers of tasks
#   HC_PIPE=1 ./dev bench scale                  also as batch_instance text through a pipe, its maker apart
#   HC_FILE=3e6 ./dev bench scale                also as text in a file, with one thread and with two, by the clock
#   HC_WAIT=1e7 ./dev bench scale                also so many tasks that wait at once
#
# First fit on hosts of 96 cores, no task rows, a summary of four metrics: everything but the start of the process is
# counted, as CPU time. The stream is `alibaba_like`: some 300 tasks/s of virtual time.
set -eu
cd "$(dirname "$0")/.."
hindcast=${HINDCAST:-build/release/hindcast}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TIMEFORMAT='%U %S'

# run TASKS HOSTS SOURCE INPUT [MORE] -> CPU seconds and peak MiB, in $cpu and $peak
run()
{
  cat >"$dir/run.yaml" <<END
source: $3
cell: {use: hosts, classes: [{name: h, count: $2, cpus: 96, memory: 512GiB}]}
policy: {use: batch, order: fcfs, select: blocking, place: first_fit}
sort_window: 1
task_rows: none
metrics: [tasks, makespan, utilisation, wait]
event_queue: wheel
${5:-}
END
  ($4 | { time "$hindcast" run "$dir/run.yaml" -o "$dir/out.db" >"$dir/out.txt"; } 2>"$dir/time.txt")
  cpu=$(awk '{print $1 + $2}' "$dir/time.txt")
  peak=$(sed -n 's/.*peak memory \([0-9.]* [A-Za-z]*\).*/\1/p' "$dir/out.txt")
  # Every task must have been run.
  tr -d , <"$dir/out.txt" | grep -q "completed $1\$" || { echo "not all are completed:"; cat "$dir/out.txt"; exit 1; } >&2
}

make_text()
{
  { time "$hindcast" trace convert "$dir/made.yaml" -q --set sort_window=1 --to alibaba_v2018_instances; } 2>"$dir/maker.txt"
}

line()
{
  awk -v what="$1" -v n="$2" -v cpu="$cpu" -v peak="$peak" -v more="${3:-}" \
    'BEGIN { printf "%-34s %13d %9.2f %8.0f %10.2f %10s  %s\n", what, n, cpu, cpu / n * 1e9, n / cpu / 1e6, peak, more }'
}

printf '%-34s %13s %9s %8s %10s %10s\n' "" tasks "CPU s" "ns/task" "million/s" peak
for n in ${HC_TASKS:-3e6}; do
  n=$(awk -v n="$n" 'BEGIN { printf "%d", n }')
  run "$n" 4000 "{use: alibaba_like, tasks: $n, limit: none}" true
  line "4,000 hosts, made in the process" "$n"
  [ -n "${HC_PIPE:-}" ] || continue
  printf 'source: {use: alibaba_like, tasks: %s, limit: none}\n' "$n" >"$dir/made.yaml"
  run "$n" 4000 '{use: alibaba_v2018_instances, file: "-"}' make_text
  line "4,000 hosts, text through a pipe" "$n" "its maker: $(awk '{print $1 + $2}' "$dir/maker.txt") s"
done
for n in ${HC_FILE:-}; do # by the clock: what the other thread does is no cost, but for the core that it takes
  n=$(awk -v n="$n" 'BEGIN { printf "%d", n }')
  printf 'source: {use: alibaba_like, tasks: %s, limit: none}\n' "$n" >"$dir/made.yaml"
  make_text >"$dir/rows.csv"
  for threads in 1 2; do
    best=
    for try in 1 2 3 4 5; do
      run "$n" 4000 "{use: alibaba_v2018_instances, file: \"$dir/rows.csv\"}" true "threads: $threads"
      wall=$(sed -n 's/.*took \([0-9.]*\) s.*/\1/p' "$dir/out.txt")
      best=$(awk -v a="$wall" -v b="${best:-1e9}" 'BEGIN { print a < b ? a : b }')
    done
    cpu=$best
    line "4,000 hosts, a file, $threads threads" "$n" "by the clock, the best of five"
  done
done
for hosts in ${HC_HOSTS-1000 10000 100000 1000000}; do
  run 3000000 "$hosts" "{use: alibaba_like, tasks: 3000000, limit: none}" true
  line "$hosts hosts, made in the process" 3000000
done
for n in ${HC_WAIT:-}; do
  n=$(awk -v n="$n" 'BEGIN { printf "%d", n }')
  run "$n" 1 "{use: alibaba_like, tasks: $n, limit: none}" true # one host: nearly all of them wait
  line "1 host: they wait" "$n" "$(echo "$peak" | awk -v n="$n" '{ b = $1 * ($2 == "GiB" ? 2^30 : 2^20); printf "%.0f bytes a task", b / n }')"
done
