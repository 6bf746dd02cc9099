/* prefill.c -- draws what ran at the beginning: jobs from laws, up to an amount of cores.
 *
 * Each job has a number of tasks that are alike, and one time that all of them have left. All arrive at time
 * 0 and are marked (HC_SPEC_PREFILL): no scheduler decides on them. Jobs are drawn until their cores reach
 * `cpus`; the last has as many of its tasks as stay within it, so that the load is met to within a task. Job
 * j follows from seed, replication, stream and j alone: a higher load adds jobs and changes none but the
 * last. Source: the light-weight simulator of the Omega paper, which fills its cell in this way (EuroSys
 * 2013, table 2). */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/generated.h"
#include "workload/law.h"

#define WHERE "source prefill"
#define DRAWS_APART 64
#define LONGEST 1e9 /* seconds */

enum { TASKS, CPU, MEMORY, REMAINING, LAWS };
static const struct {
  const char *name;
  hc_law_unit unit;
} laws[LAWS] = {[TASKS] = {"tasks_per_job", HC_LAW_NUMBER},
                [CPU] = {"cpu", HC_LAW_NUMBER},
                [MEMORY] = {"memory", HC_LAW_SIZE},
                [REMAINING] = {"remaining", HC_LAW_TIME}};

typedef struct options {
  double cpus;
  int64_t stream, priority;
  const char *laws[LAWS];
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_law law[LAWS];
  hc_trace_info info;
  hc_task_spec task;
  struct {
    uint64_t next; /* job */
    double cpus;   /* of those given out */
  } s;
};

static void prefill_close(hc_source *s)
{
  if (!s) return;
  for (int i = 0; i < LAWS; i++) hc_law_fini(&s->law[i]);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc prefill_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  if (o->cpus <= 0)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "how many cores are taken at the beginning? write `cpus: 600`");
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->info = (hc_trace_info){.unix_start = HC_UNKNOWN, .jobs = HC_UNKNOWN, .records = HC_UNKNOWN};
  for (int i = 0; i < LAWS; i++)
    TRY_OR(hc_law_read(&s->law[i], c->allocator, o->laws[i], laws[i].unit, WHERE, laws[i].name, e), fail);
  *out = s;
  return 0;
fail:
  prefill_close(s);
  return rc;
}

static hc_draws draws(const hc_source *s, int law)
{
  hc_draws d = hc_generated_draws(s->context, s->o->stream, s->s.next, HC_PURPOSE_JOB);
  d.draw = (uint64_t)law * DRAWS_APART;
  return d;
}

static hc_rc prefill_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_draws d[LAWS];
  HC_UNUSED(e);
  for (int i = 0; i < LAWS; i++) d[i] = draws(s, i);
  const int64_t tasks = hc_law_draw_whole(&s->law[TASKS], &d[TASKS], 1, 10000000);
  const double cpu = HC_MAX(hc_law_draw(&s->law[CPU], &d[CPU]), 0.001);
  const double fitting = (s->o->cpus - s->s.cpus) / cpu + 1e-9; /* as many as still stay within it */
  if (fitting < 1) return 0;
  s->task = hc_generated_task(
      s->s.next, 0, hc_generated_time(HC_MIN(hc_law_draw(&s->law[REMAINING], &d[REMAINING]), LONGEST)), 1);
  hc_generated_demand(&s->task, cpu, hc_law_draw(&s->law[MEMORY], &d[MEMORY]), 1);
  s->task.job = (int64_t)s->s.next;
  s->task.count = (uint32_t)HC_MIN((double)tasks, fitting);
  s->task.priority = s->o->priority;
  s->task.flags |= HC_SPEC_PREFILL;
  s->s.cpus += cpu * s->task.count;
  s->s.next++;
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

static const hc_trace_info *prefill_info(hc_source *s)
{
  return &s->info;
}

static hc_rc prefill_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_UNUSED(e);
  HC_VISIT(v, s->s);
  return 0;
}

#define LAW(number, word, value, unit_, text) \
  { \
    .name = word, .type = HC_TEXT, .offset = offsetof(options, laws[number]), .fallback = value, \
    .unit = unit_, .help = text \
  }

static const hc_param params[] = {
    HC_PARAM(REAL, options, cpus, "cores", "0", 0, 1e12,
             "Number of cores that are taken at the beginning, above 0; the last job has as many of its "
             "tasks as fit. The paper's simulator fills 0.6 of the cell's."),
    LAW(TASKS, "tasks_per_job", "30", "tasks", "Law of the number of tasks of a job."),
    LAW(CPU, "cpu", "0.5", "cores", "Law of the cores of a task."),
    LAW(MEMORY, "memory", "1GiB", "B", "Law of the memory of a task."),
    LAW(REMAINING, "remaining", "30d", "s", "Law of the time that a job still runs."),
    HC_PARAM(INT, options, priority, "1", "0", -1e6, 1e6, "Priority of all of these jobs."),
    HC_GENERATED_STREAM(options),
    {.name = NULL},
};

const hc_reader_type hc_reader_prefill = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "prefill",
                  .summary = "generates jobs that ran at the beginning, from laws, up to a number of cores",
                  .detail =
                      "It should be the first in a list of sources. Under architectures with schedulers of "
                      "their own its tasks are placed at time 0 without think time. " HC_LAW_HELP,
                  .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, table 2",
                  .params = params, .options_size = sizeof(options)},
    .open = prefill_open,
    .next = prefill_next,
    .info = prefill_info,
    .visit = prefill_visit,
    .close = prefill_close,
};
