/* cell_state.c -- reads what ran at the beginning from the files of Google's cluster simulator.
 *
 * Each "11" line is a job, whose tasks are alike and run until its "12" line says that it ends, or for
 * `remaining` if none does. All arrive at time 0 and are marked (HC_SPEC_PREFILL): they have run before,
 * no scheduler decides on them. A service job has priority 9 and class 2, another one 0 and 0: all that the
 * simulator keeps of them.
 *
 * The simulator takes the jobs in the order of a hash table; here it is that of the file. Put it first among
 * several sources, so that what it yields has its place before anything else of time 0 arrives.
 * Source: google/cluster-scheduler-simulator, PrefillPbbTraceWorkloadGenerator. */
#include "base/initial.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/generated.h"
#include "workload/reading.h"

#define WHERE "source cell_state"

typedef struct options {
  const char *file, *origin;
  double cpus;
  int64_t class;
  hc_time time_unit, remaining;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_initial *jobs;
  size_t count, cap;
  hc_trace_info info;
  hc_task_spec task;
  struct {
    uint64_t next;
    double cpus; /* of those given out */
  } s;
};

static void cell_state_close(hc_source *s)
{
  if (!s) return;
  hc_free(s->context->allocator, s->jobs, s->cap * sizeof *s->jobs);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc cell_state_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_time origin = HC_UNKNOWN;
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  rc = hc_initial_file(c->allocator, o->file, (double)o->time_unit / 1e9, WHERE, &s->jobs, &s->count, &s->cap,
                       e);
  if (rc >= 0) rc = hc_origin_read("source cell_state", o->origin, NULL, &origin, e);
  s->info.unix_start = hc_origin_seconds(origin);
  if (rc < 0) {
    cell_state_close(s);
    return rc;
  }
  *out = s;
  return 0;
}

/* A job without tasks is one of which only the end is known. */
static bool is_wanted(const hc_source *s, const hc_initial *j)
{
  if (j->tasks == 0 || (s->o->class >= 0 && j->is_service != (s->o->class == 1))) return false;
  return s->o->cpus <= 0 || s->s.cpus + j->cpus * j->tasks < s->o->cpus;
}

static hc_rc cell_state_next(hc_source *s, hc_job *job, hc_error *e)
{
  HC_UNUSED(e);
  while (s->s.next < s->count) {
    const hc_initial *j = &s->jobs[s->s.next++];
    const hc_time run = j->end < 1e18 ? hc_generated_time(j->end) : s->o->remaining;
    if (!is_wanted(s, j)) continue;
    s->s.cpus += j->cpus * j->tasks;
    s->task = hc_generated_task(s->s.next - 1, 0, run, 1);
    hc_generated_demand(&s->task, j->cpus, j->memory * 1024 * 1024 * 1024, 1);
    s->task.job = (int64_t)s->s.next - 1;
    s->task.count = j->tasks;
    s->task.priority = j->is_service ? 9 : 0;
    s->task.queue = j->is_service ? 2 : 0;
    s->task.flags |= HC_SPEC_PREFILL;
    *job = (hc_job){.tasks = &s->task, .task_count = 1};
    return 1;
  }
  return 0;
}

static const hc_trace_info *cell_state_info(hc_source *s)
{
  return &s->info;
}

static hc_rc cell_state_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_UNUSED(e);
  HC_VISIT(v, s->s);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "File with lines \"11 time job prod class tasks cpus bytes\", and \"12 time job ...\" for jobs "
             "that end. Required."),
    HC_PARAM(REAL, options, cpus, "cores", "0", 0, 1e12,
             "Number of cores below which the taken jobs stay in sum: a job that would reach it is left out. "
             "0: all jobs are taken."),
    HC_PARAM(INT, options, class, NULL, "-1", -1, 1, "Which jobs are taken: 0 batch, 1 service, -1 all."),
    HC_PARAM(TIME, options, time_unit, "s", "1", 1e-9, 1e6,
             "Unit of the times in the file: 1 s, but 1us in files that were made from ClusterData2011."),
    HC_PARAM(TIME, options, remaining, "s", "30d", 0, 4e9,
             "How long a job still runs if its end is not in the file."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time of time 0, at which all jobs arrive. Default: none."),
    {.name = NULL},
};

const hc_reader_type hc_reader_cell_state = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "cell_state",
                  .summary = "jobs that ran at the beginning, from a file of Google's cluster simulator",
                  .detail = "Under architectures with schedulers of their own its tasks are placed at time 0 "
                            "without think time. It should be the first in a list of sources.",
                  .source = "github.com/google/cluster-scheduler-simulator, PrefillPbbTraceWorkloadGenerator",
                  .params = params, .options_size = sizeof(options)},
    .open = cell_state_open,
    .next = cell_state_next,
    .info = cell_state_info,
    .visit = cell_state_visit,
    .close = cell_state_close,
};
