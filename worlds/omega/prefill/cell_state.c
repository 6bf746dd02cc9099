/* cell_state.c -- a prefill from the original's files of what ran at the beginning.
 *
 * Jobs are taken while the cpus in sum stay below a share of the cell's. The original stops at the first job
 * that would cross that line; as it should be, that job is left out and the next is looked at. The original
 * takes jobs in the order of a hash table; here they are taken in the order of the file. */
#include "base/util.h"
#include "omega/empirical.h"

typedef struct options {
  const char *file;
  double share;
  int64_t class;
  hc_time time_unit;
  bool stop;
} options;

static hc_rc take(const hc_prefill_context *c, const options *o, const hc_initial *jobs, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const double cpus = jobs[i].cpus * (double)jobs[i].tasks;
    const hc_omega_fill job = {jobs[i].end, jobs[i].cpus, jobs[i].memory, jobs[i].tasks};
    if (job.tasks == 0 || (o->class >= 0 && jobs[i].is_service != (o->class == 1))) continue;
    if (sum + cpus >= o->share * c->cpus && o->stop) break;
    if (sum + cpus >= o->share * c->cpus) continue;
    sum += cpus;
    TRY(c->job(c->ctx, &job));
  }
  return 0;
}

static hc_rc make(const hc_prefill_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  hc_initial *jobs;
  size_t count, cap;
  hc_rc rc;
  TRY(hc_initial_file(c->allocator, o->file, (double)o->time_unit / 1e9, "world omega", &jobs, &count, &cap,
                      e));
  rc = take(c, o, jobs, count);
  hc_free(c->allocator, jobs, cap * sizeof *jobs);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "File with lines \"11 time job prod class tasks cpus bytes\", and \"12 time job ...\" for jobs "
             "that end. Required."),
    HC_PARAM(
        REAL, options, share, "1", "0.6", 0, 1,
        "Share of all cpus below which the taken jobs stay in sum: a job that would reach it is left out."),
    HC_PARAM(INT, options, class, NULL, "-1", -1, 1, "Which jobs are taken: 0 batch, 1 service, -1 all."),
    HC_PARAM(TIME, options, time_unit, "s", "1", 1e-9, 1e6,
             "Unit of the times in the file: 1 s, but 1us in files that were made from ClusterData2011."),
    HC_PARAM(BOOL, options, stop, "false",
             "Whether no job is taken after the first one that is left out, as in the original program."),
    {0}};

const hc_prefill_type hc_prefill_cell_state = {
    .component = {HC_COMPONENT_HEAD(hc_prefill_type, HC_KIND_PREFILL), .name = "cell_state",
                  .summary = "jobs of a file, which ran at the beginning, up to a share of the cell's cpus",
                  .source = "github.com/google/cluster-scheduler-simulator, PrefillPbbTraceWorkloadGenerator",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
