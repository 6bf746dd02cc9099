#!/bin/sh
# slurm.sh -- what Slurm's own scheduling costs: a year of a site, and CEA-Curie where its log is. CPU time.
#
#   ./dev bench slurm                          a year of 1,000 nodes of 16 cores: a million jobs at load 0.85
#   HC_JOBS=100000 ./dev bench slurm           the first of them
#   HC_PLANS=all ./dev bench slurm             also plans that no start depends on (policy.plans); Default: needed
#   HC_LOGS=FOLDER ./dev bench slurm           also CEA-Curie-2011-2.1-cln.swf (plain, .gz or .zst) of that folder, on 5,832
#                                              nodes of 16 cores; HC_FIRST=20000: its first jobs
#   bench/slurm.sh files FOLDER                the files of the year alone; with a log, those of CEA-Curie beside them
#
# SchedulerParameters are Slurm's defaults, priorities multifactor with fair tree. Jobs of the year come from the source
# `mixture`: daily and weekly cycles, two fifths of one core, the others of 2 to 2,048. The cycles are how much work
# (processors times run time) was submitted in each hour of the day, and on each day from Monday on, by the local time
# of the site, in the logs KTH-SP2-1996-2, HPC2N-2002-2.1-cln, LLNL-Atlas-2006-2.1-cln and CEA-Curie-2011-2.1-cln of the
# Parallel Workloads Archive: of each log in hundredths of an even hour or day, and of these the mean. Users and accounts
# of both have shares; those of the log are its numbers, named, so that associations find them.
set -eu

conf()
{
  cat <<END
ClusterName=$1
SlurmctldHost=head
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/slurmdbd
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightJobSize=1000
NodeName=n[0-$(($2 - 1))] Sockets=2 CoresPerSocket=8
PartitionName=all Nodes=n[0-$(($2 - 1))] Default=YES MaxTime=INFINITE
END
}

# Lines `ACCOUNT USER` on the input -> a dump of associations, with shares by their numbers.
associations()
{
  sort -u | awk -v q="'" -v cluster="$1" '
    { users[$1] = users[$1] sprintf("User - %s%s%s:DefaultAccount=%s%s%s:Fairshare=%d\n", q, $2, q, q, $1, q, 1 + substr($2, 2) % 3)
      if ($1 != last) accounts[++n] = $1
      last = $1 }
    END {
      printf "Cluster - %s%s%s:Fairshare=1:QOS=%snormal%s\nParent - %sroot%s\n", q, cluster, q, q, q, q, q
      for (i = 1; i <= n; i++) printf "Account - %s%s%s:Fairshare=%d\n", q, accounts[i], q, 1 + substr(accounts[i], 2) % 7
      for (i = 1; i <= n; i++) printf "Parent - %s%s%s\n%s", q, accounts[i], q, users[accounts[i]]
    }'
}

# An SWF log on the input -> records of sacct.
records()
{
  awk -v first="${HC_FIRST:-0}" '
    function iso(t) { return strftime("%Y-%m-%dT%H:%M:%S", t, 1) }
    BEGIN { base = 1704067200 # a Monday, where the log does not say
            print "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|State|NCPUS|NNodes|Timelimit" }
    /^; *UnixStartTime:/ { base = $3 }
    /^;/ || $4 < 0 { next }
    first > 0 && ++rows > first { exit }
    { n = $8 > 0 ? $8 : $5
      if ($3 < 0) $3 = 0
      m = int((($9 > 0 ? $9 : 86400) + 59) / 60)
      if (n > 0)
        printf "%d|u%d|a%d|all|normal|%s|%s|%s|%s|COMPLETED|%d|%d|%d-%02d:%02d:00\n", $1, $12, $13, iso(base + $2), iso(base + $2),
               iso(base + $2 + $3), iso(base + $2 + $3 + $4), n, int((n + 15) / 16), int(m / 1440), int(m % 1440 / 60), m % 60 }'
}

year()
{
  conf year 1000 >"$1/year.conf"
  cat >"$1/made.yaml" <<END
source:
  use: mixture
  jobs: ${HC_JOBS:-1000000}
  procs: 16000
  load: 0.85
  daily: [55, 47, 39, 28, 28, 34, 37, 61, 116, 198, 169, 142,
          133, 157, 142, 156, 137, 159, 161, 91, 80, 80, 81, 70]
  weekly: [116, 102, 103, 108, 118, 78, 76]
  run: lognormal(97min 2) from 10s to 1d
  size: "0.4 * 1 + 0.3 * loguniform(2 32) + 0.25 * loguniform(32 256) + 0.05 * loguniform(256 2048)"
  limit_factor: uniform(1 4)
  limit_round: 30min
  users: 200
  groups: 20
  whole_seconds: true
END
  "$hindcast" trace convert "$1/made.yaml" -q --to swf >"$1/year.swf"
  log "$1" year "$1/year.swf" 'cat'
}

# log FOLDER NAME FILE READ: the run of an SWF log
log()
{
  $4 "$3" | records >"$1/$2.sacct"
  awk -F'|' 'NR > 1 { print $3, $2 }' "$1/$2.sacct" | associations "$2" >"$1/$2.cfg"
  cat >"$1/$2.yaml" <<END
source: {use: sacct, file: $1/$2.sacct}
cell: {use: slurm, file: $1/$2.conf}
policy: {use: slurm, conf: $1/$2.conf, accounting: [$1/$2.cfg], plans: ${HC_PLANS:-needed}}
metrics: [tasks, wait, utilisation]
END
}

curie()
{
  for x in "${HC_LOGS:-/nowhere}"/CEA-Curie-2011-2.1-cln.swf*; do
    case $x in
    *.zst) read='zstd -dcq' ;;
    *.gz) read='gzip -dc' ;;
    *) read=cat ;;
    esac
    [ -f "$x" ] || return 0
    conf curie 5832 >"$1/curie.conf"
    log "$1" curie "$x" "$read"
  done
}

hindcast=${HINDCAST:-$(dirname "$0")/../build/release/hindcast}
bench=${BENCH_SLURM:-$(dirname "$0")/../build/release/bench/bench_slurm}
if [ "${1:-}" = files ]; then
  year "$2"
  curie "$2"
  exit 0
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
year "$dir"
curie "$dir"
for x in year curie; do
  [ -f "$dir/$x.yaml" ] || continue
  printf '%s: ' "$x"
  (bench=$(realpath "$bench") && cd "$dir" && "$bench" "$x.yaml")
done
