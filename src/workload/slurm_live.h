/* slurm_live.h -- a queue as it is now, as a source: what runs and what waits when squeue or scontrol was
 * asked.
 *
 * A reader gives rows, whose fields are in Slurm's columns (slurm_row.h); this makes tasks of them. What
 * runs arrives when it started, marked as having its place (HC_SPEC_PREFILL), on the nodes that it has, and
 * runs up to its limit. What waits arrived when it was submitted, and may start from the moment of the
 * question on, or from when it is eligible, after what it waits for; it runs for its limit. So nothing
 * happens before that moment but that the machine fills up, and run times are bounds: `hindcast when` draws
 * them from history.
 *
 * Time 0 is the earliest submission or start. All of a queue lies in memory: 0.5 KB a row. */
#ifndef HC_WORKLOAD_SLURM_LIVE_H
#define HC_WORKLOAD_SLURM_LIVE_H

#include "workload/reading.h"
#include "workload/slurm_row.h"

/* The part of a reader's options with which each of them begins. */
typedef struct hc_slurm_live_options {
  const char *file, *zone, *now, *origin;
  hc_time time_unit; /* a second */
  int units, demand, held;
  hc_time partition_limit, no_limit;
} hc_slurm_live_options;

/* What of a row is no column of sacct's. Empty: not said. */
typedef struct hc_slurm_live_more {
  hc_slice reason, dependency;
  int64_t at_once; /* tasks of its array that may run at once, if its id does not say it; 0 */
} hc_slurm_live_more;

typedef struct hc_slurm_live_row hc_slurm_live_row;

typedef struct hc_slurm_live {
  const char *name; /* for errors */
  const hc_source_context *context;
  const hc_slurm_live_options *o;
  hc_zone *zone;
  hc_slurm_reading how;
  hc_trace_info info;
  hc_arena texts;
  hc_flaws flaws;
  hc_slurm_live_row *rows; /* [count] in the order in which they arrive */
  size_t count, cap;
  hc_slurm_range *ranges;
  size_t range_count, range_cap;
  hc_after *after; /* of the row at hand */
  size_t after_cap;
  uint32_t *hosts;
  size_t host_count, host_cap;
  int64_t now, origin; /* Unix seconds */
  int64_t asked;       /* when the file says that it was asked; HC_UNKNOWN */
  hc_map at_once;      /* of arrays with a bound: job -> tasks */
  bool has_dependencies;
  hc_task_spec task; /* the one at hand */
  uint64_t next;     /* plain state */
} hc_slurm_live;

/** Begin a source of `size` bytes, of which this is the first member.
 *  @param who  for errors  @param read  reads the whole file, and gives each row to hc_slurm_live_take
 *  @param advice  where there is no row
 *  @return as hc_reader_type.open */
hc_rc hc_slurm_live_open(const hc_source_context *c, const char *who, const void *options, size_t size,
                         hc_rc (*read)(hc_source *s, hc_error *e), const char *advice, hc_source **out,
                         hc_error *e);
/** Give back everything, the source with it. @param size  as it was opened */
void hc_slurm_live_close(hc_source *s, size_t size);
/** Take a row. The start of what waits, which is an estimate, and the end of what runs are passed over.
 *  @param number  of its line @return 0, HC_EINPUT under `strict`, HC_ENOMEM */
hc_rc hc_slurm_live_take(hc_slurm_live *l, hc_slurm_cells *cells, const hc_slurm_live_more *more,
                         uint64_t number, hc_error *e);
/** A row that is none. @return the same */
hc_rc hc_slurm_live_malformed(hc_slurm_live *l, const char *line, uint64_t number, uint32_t column,
                              hc_error *e);

/* ---- members of hc_reader_type ---- */

hc_rc hc_slurm_live_next(hc_source *s, hc_job *job, hc_error *e);
const hc_trace_info *hc_slurm_live_info(hc_source *s);
hc_refers hc_slurm_live_refers(const hc_source *s);
hc_rc hc_slurm_live_visit(hc_source *s, hc_visitor *v, hc_error *e);

/* ---- parameters ---- */

#define HC_SLURM_LIVE_PARAMS(options_, file_) \
  HC_PARAM_AS(FILE, "file", options_, common.file, NULL, file_), \
      HC_PARAM_AS(TEXT, "zone", options_, common.zone, NULL, \
                  "Time zone of the cluster's clock, by which local times are read, as in the Tz database: " \
                  "Europe/Berlin. Numbers of seconds are always Unix time. Default: UTC."), \
      HC_PARAM_AS(TEXT, "now", options_, common.now, NULL, \
                  "Time at which the jobs were listed: a date such as 2024-01-31T09:00:00, or a Unix time. " \
                  "Default: start + time run of the running jobs; else the latest start or submission."), \
      HC_PARAM_AS(TEXT, "origin", options_, common.origin, NULL, \
                  "Time 0: a date or a Unix time; jobs that were submitted, or started, before it are left " \
                  "out. Default: the earliest submission or start."), \
      HC_PARAM_AS(TIME, "time_unit", options_, common.time_unit, "s", "1s", 1, 1, \
                  "Unit of a time that is a number: always a second, by the definition of the format."), \
      HC_PARAM_AS(CHOICE, "units", options_, common.units, "cpus|nodes", "cpus", \
                  "What a processor of the simulation is. cpus: CPUs. nodes: nodes, for machines that give " \
                  "out whole nodes."), \
      HC_PARAM_AS( \
          CHOICE, "demand", options_, common.demand, "processors|nodes|slurm", "processors", \
          "What a task asks for on a cell of hosts. On cells that count processors it makes no difference. " \
          "processors: so many processors, on any hosts. nodes: its number of different nodes, with an " \
          "equal part of processors, memory and GPUs on each; a running job has the nodes that it has. " \
          "slurm: a pending job asks for so many processors on as many nodes as it asked for, if above 1, " \
          "which the policy slurm observes; for a running job, and for a job with GPUs, the same as " \
          "nodes."), \
      HC_PARAM_AS( \
          CHOICE, "held", options_, common.held, "skip|keep", "skip", \
          "Jobs that their user or an administrator holds (JobHeldUser, JobHeldAdmin, priority 0). skip: " \
          "they are left out, and counted as filtered. keep: they wait like any other job."), \
      HC_PARAM_AS(TIME, "partition_limit", options_, common.partition_limit, "s", NULL, 1, 1e9, \
                  "The limit of jobs whose limit is Partition_Limit. Default: no limit."), \
      HC_PARAM_AS(TIME, "no_limit", options_, common.no_limit, "s", "30d", 1, 1e9, \
                  "Run time that is assumed of a job without a limit, from its start.")

#endif
