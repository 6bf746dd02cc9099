#!/bin/sh
# process.sh HINDCAST FCFS TREE -- another program decides as the policy does that is its twin: examples/process/fcfs.c as
# `fcfs`, and where there is Python easy.py as `easy` and tries.py as `fcfs` on hosts, start by start; also with a time of
# thought, and in a study with a program for each run. What was recorded, measured times among it, is replayed to the same
# schedule without the program, and is as the schema of the protocol says; `why` asks a run with another program.
set -eu
hindcast=$1 fcfs=$2 tree=$3
log=$tree/examples/data/KTH-SP2-1996-2.swf.zst
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
# run NAME POLICY KEY=VALUE...
run()
{
  name=$1 policy=$2 && shift 2
  for key in "$@"; do
    shift
    set -- "$@" --set "$key"
  done
  "$hindcast" run "$log" --set "policy=$policy" "$@" -q -o "$name.db"
}
same()
{
  "$hindcast" digest --schedule "$1.db" "$2.db" | awk 'NR == 1 { first = $1 } $1 != first { bad = 1 } END { exit bad || NR != 2 }' ||
    { echo "$1 and $2: another schedule"; exit 1; }
  echo "$1 = $2"
}
program="use: process, command: [$fcfs]"
run theirs "{$program}"
run ours fcfs
same theirs ours
run theirs-late "{$program}" architecture.think=20s
run ours-late fcfs architecture.think=20s
same theirs-late ours-late
run measured "{$program, think: measured, record: session.txt}"
run replayed "{use: process, think: measured, replay: session.txt}"
same measured replayed
"$hindcast" verify replayed.db | head -1 | sed 's/^[^:]*: //'
if run again "{$program, record: session.txt}" 2>error.txt; then exit 1; fi
grep -o 'is there already' error.txt
"$hindcast" why theirs.db 2000 | grep -o 'but not by the policy.s rules' | head -1
cat >study.yaml <<END
study:
  name: processes
  base:
    source: {use: lublin, tasks: 200, procs: 64}
    transforms: [{use: load, to: 0.7, processors: 64}]
    cell: {procs: 64}
  axes:
    load: {path: transforms.0.to, values: [0.5, 0.9]}
    who: [{theirs: {policy: {$program}}}, {ours: {policy: fcfs}}]
  replications: 3
  keep: [wait_mean]
END
"$hindcast" study run study.yaml -j 2 -o study.db >study.txt 2>&1 || { cat study.txt; exit 1; }
"$hindcast" study table study.db --csv --rows load --columns who --figure wait_mean >table.csv
cat table.csv
if command -v python3 >/dev/null; then
  run easy "{use: process, command: [python3, $tree/examples/process/easy.py], record: easy.txt}"
  run easy-ours easy
  same easy easy-ours
  set -- "cell={use: hosts, classes: [{count: 100, cpus: 1, name_prefix: n}]}" "transforms=[{use: first, count: 2000}]"
  run hosts "{use: process, command: [python3, $tree/examples/process/tries.py], record: hosts.txt, asks: [asks_jobs]}" "$@"
  run hosts-ours fcfs "$@"
  same hosts hosts-ours
  python3 "$tree/tests/live/process_schema.py" "$tree/docs/process.schema.json" session.txt easy.txt hosts.txt
else # nothing to run them with
  printf 'easy = easy-ours\nhosts = hosts-ours\nas the schema says\n'
fi
