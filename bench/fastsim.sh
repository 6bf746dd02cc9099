#!/bin/sh
# fastsim.sh -- the first jobs of CEA-Curie for HPE's FastSim and for us, on whole nodes: it allocates nothing else.
#
#   HC_LOGS=FOLDER bench/slurm.sh files DIR && bench/fastsim.sh DIR JOBS
#
# Then `hindcast run DIR/whole.yaml --no-rows` runs them, and in the folder scheduler of FastSim `python main.py
# DIR/fastsim.yaml`. Both read the same jobs, associations and SchedulerParameters; FastSim has shares of 1. Its
# approx_bf_try_per_sec is our `per_job`, 100 us. It begins to schedule when as many jobs have started in the log as fill
# the machine; those before that are placed as the log has them.
set -eu
dir=$(realpath "$1")
jobs=$2

awk -F'|' -v OFS='|' -v most="$jobs" -v dir="$dir" '
  NR == 1 {
    print > (dir "/whole.sacct")
    print "User|Account|AllocNodes|ConsumedEnergyRaw|JobID|JobName|Partition|QOS|Reason|ReqNodes|Start|State|End|Elapsed|" \
          "Submit|SubmitLine|Timelimit|ReqCPUS|Group|ReqMem" > (dir "/fastsim.jobs.csv")
    next
  }
  NR > most + 1 { exit }
  $12 > 0 && $8 != $9 {
    $11 = 16 * $12
    print > (dir "/whole.sacct")
    print $2, $3, $12, 1000, $1, "job", "all", "normal", "None", $12, $8, "COMPLETED", $9, "00:00:00", $6, "sbatch job",
          $13, $11, "group", "1G" > (dir "/fastsim.jobs.csv")
  }' "$dir/curie.sacct"
{
  echo 'User|Account|ParentName|Partition|MaxJobs|MaxSubmit|'
  awk -F'|' 'NR > 1 { print $3 }' "$dir/curie.sacct" | sort -u | awk '{ print "|" $1 "|root||||" }'
  awk -F'|' 'NR > 1 { print $2 "|" $3 "|||||" }' "$dir/curie.sacct" | sort -u
} >"$dir/fastsim.assocs.csv"
echo 'NodeName|TimeStart|TimeEnd|State|Reason|' >"$dir/fastsim.events.csv"
echo 'RESV_NAME|STATE|START_TIME|END_TIME|NODELIST|' >"$dir/fastsim.reservations.csv"
{
  echo 'Name|Priority|GrpTRES|GrpJobs|GrpSubmit|MaxTRESPU|MaxJobsPU|MaxSubmitPU|MaxSubmit|MaxJobs|'
  echo 'normal|0|||||||||'
} >"$dir/fastsim.qos.csv"
cat >"$dir/fastsim.yaml" <<END
assocs_dump: $dir/fastsim.assocs.csv
qos_dump: $dir/fastsim.qos.csv
node_events_dump: $dir/fastsim.events.csv
resv_dump: $dir/fastsim.reservations.csv
job_dump: $dir/fastsim.jobs.csv
slurm_conf: $dir/curie.conf
considered_partitions: [all]
hpe_restrictlong_sliding_reservations: ""
bf_continue: true
approx_bf_try_per_sec: 10000
END
sed "s|curie.sacct|whole.sacct|" "$dir/curie.yaml" >"$dir/whole.yaml"
