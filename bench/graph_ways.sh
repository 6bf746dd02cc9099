#!/bin/sh
# graph_ways.sh -- what a network told connection by connection costs: CPU time and memory of a whole run.
#
#   ./dev bench graph_ways                    the table: racks of hosts, and a torus, of some sizes
#   bench/graph_ways.sh racks 2000 > run.yaml   the run alone: 2,000 hosts in racks of 40 below 16 switches
#   bench/graph_ways.sh torus 2025 > run.yaml   45 x 45 hosts, each with a cable to the next one in each direction
#
# 2,000 tasks of two hosts each send 1 MB from one to the other, hosts taken at random: so ways are asked for between all
# parts of the graph. Up to 2,048 hosts and switches all ways are found when the graph is made, beyond one by one.
set -eu

make_run()
{
  awk -v what="$1" -v hosts="$2" '
    function cable(a, b) { printf "%s{from: %s, to: %s, bandwidth: 1GB, latency: 1us}", n++ ? ",\n" : "", a, b }
    BEGIN {
      printf "cell: {use: hosts, classes: [{name_prefix: h, count: %d, cpus: 1}]}\n", hosts
      printf "execution: {use: activities, cpu_speed: 1e9, network: {use: graph, connections: [\n"
      side = int(sqrt(hosts))
      for (i = 0; i < hosts; i++)
        if (what == "racks") cable("h-" i, "r" int(i / 40))
        else {
          row = int(i / side)
          cable("h-" i, "h-" row * side + (i + 1) % side)
          cable("h-" i, "h-" (i + side) % hosts)
        }
      if (what == "racks")
        for (r = 0; r < hosts / 40; r++)
          for (s = 0; s < 16; s++) cable("r" r, "s" s)
      printf "]}}\n"
    }'
}

make_tasks()
{
  awk 'BEGIN {
    for (i = 0; i < 2000; i++)
      printf "{\"id\": %d, \"submit_time\": %d, \"resources\": {\"nodes_count\": 2, \"cpu_per_node\": 1}, \"profile\": {\"all_to_all\": 1000000}}\n", i, i
  }'
}

case ${1:-table} in
racks | torus)
  make_run "$1" "$2"
  exit 0
  ;;
esac

cd "$(dirname "$0")/.."
hindcast=${HINDCAST:-build/release/hindcast}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make_tasks >"$dir/tasks.jsonl"
row()
{
  make_run "$1" "$2" >"$dir/run.yaml"
  printf 'source: {use: native, file: %s}\npolicy: {select: blocking, place: random}\n' "$dir/tasks.jsonl" >>"$dir/run.yaml"
  "$hindcast" run "$dir/run.yaml" --quiet --output "$dir/out.db"
  "$hindcast" show "$dir/out.db" --info |
    awk -v name="$1" -v hosts="$2" '
      /^ *cpu_s/ {cpu = $2} /^ *peak_memory_bytes/ {memory = $2}
      END {printf "%-8s %7d hosts %8.2f s %8.0f MiB\n", name, hosts, cpu, memory / 1048576}'
}
row racks 2000
row racks 20000
row torus 2025
row torus 19881
