#!/bin/sh
# network_jobs.sh -- jobs that the network holds back: what they cost in a whole run, and what computing costs beside lasting.
#
#   ./dev bench network_jobs                          the table: 10,000 jobs on 1,000 and 100 hosts, and a million on 1,000
#   bench/network_jobs.sh jobs 10000 1000 > w.json    the workload alone, Batsim's: so many jobs for so many hosts
#   bench/network_jobs.sh cores 1000000 1000 > w.json   one-host jobs that compute, at the same load
#   bench/network_jobs.sh delays 1000000 1000 > w.json   the same as fixed delays
#
# A job lasts a time t of mean 1,000 s (exponential) if nothing slows it, on 1 to 32 hosts: each computes t x 1 Gflop and sends
# t x 4 MB to each other one. Arrivals are Poisson's at load 0.9. The hosts' cables are 1.25 GB/s and the backbone that all
# share as much: one job of mean size keeps it busy, so tens run at a time, and each slows all others. The same seed, the
# same jobs (Park and Miller's generator). Times are CPU time, the least of HC_TRIES (3) runs.
set -eu

make_jobs()
{
  awk -v what="$1" -v jobs="$2" -v hosts="$3" '
    function draw() { state = (state * 16807) % 2147483647; return state / 2147483647 }
    BEGIN {
      state = 1
      wide = what == "jobs" ? 32 : 1
      printf "{\"nb_res\": %d, \"jobs\": [\n", hosts
      for (i = 1; i <= jobs; i++) {
        time = -1000 * log(draw())
        size = 1 + int(draw() * wide)
        at += -log(draw()) * (1 + wide) / 2 * 1000 / (0.9 * hosts)
        printf "{\"id\": %d, \"subtime\": %.3f, \"res\": %d, \"profile\": \"p%d\"}%s\n", i, at, size, i, i < jobs ? "," : ""
        times[i] = time
      }
      printf "], \"profiles\": {\n"
      for (i = 1; i <= jobs; i++) {
        t = times[i]
        end = i < jobs ? "," : ""
        if (what == "delays") printf "\"p%d\": {\"type\": \"delay\", \"delay\": %.6f}%s\n", i, t, end
        else printf "\"p%d\": {\"type\": \"parallel_homogeneous\", \"cpu\": %.0f, \"com\": %.0f}%s\n", i, t * 1e9,
                    what == "jobs" ? t * 4e6 : 0, end
      }
      printf "}}\n"
    }'
}

case ${1:-table} in
jobs | cores | delays)
  make_jobs "$1" "${2:-10000}" "${3:-1000}"
  exit 0
  ;;
esac

cd "$(dirname "$0")/.."
hindcast=${HINDCAST:-build/release/hindcast}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# least FILE -> CPU seconds of the quickest of some runs
least()
{
  best=
  for try in $(seq "${HC_TRIES:-3}"); do
    # The times of what has ended are the second line that `times` prints.
    took=$(sh -c '"$1" run "$2" --output "$3" >"$4" && times' sh "$hindcast" "$1" "$dir/out.db" "$dir/out.txt" |
      tail -n 1 | tr 'ms' '  ' | awk '{print $1 * 60 + $2 + $3 * 60 + $4}')
    best=$(printf '%s\n%s\n' "${best:-$took}" "$took" | sort -g | head -n 1)
  done
  [ -n "$best" ] && echo "$best"
}

# row NAME KIND JOBS HOSTS EXECUTION
row()
{
  make_jobs "$2" "$3" "$4" >"$dir/jobs.json"
  cat >"$dir/run.yaml" <<END
source: {use: batsim, file: $dir/jobs.json}
cell: {use: hosts, classes: [{name: h, count: $4, cpus: 1}]}
policy: {select: blocking}
$5
END
  seconds=$(least "$dir/run.yaml")
  awk -v name="$1" -v jobs="$3" -v hosts="$4" -v s="$seconds" \
    'BEGIN {printf "%-40s %8d jobs, %5d hosts %8.2f s %10.0f jobs/s\n", name, jobs, hosts, s, jobs / s}'
}

net='network: {use: backbone, bandwidth: 1.25GB, backbone_bandwidth: 1.25GB}'
row "held back by the network" jobs 10000 1000 "execution: {use: activities, cpu_speed: 1e9, $net}"
row "the same, as L07 shares" jobs 10000 1000 "execution: {use: activities, cpu_speed: 1e9, sharing: bottleneck, $net}"
row "held back by the network" jobs 10000 100 "execution: {use: activities, cpu_speed: 1e9, $net}"
row "fixed delays, without a model" delays "${HC_MANY:-1000000}" 1000 ""
row "fixed delays, as activities" delays "${HC_MANY:-1000000}" 1000 "execution: {use: activities, cpu_speed: 1e9}"
row "computing" cores "${HC_MANY:-1000000}" 1000 "execution: {use: activities, cpu_speed: 1e9}"
