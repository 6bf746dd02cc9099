/* prefill.c -- begins a run in the middle of a trace: what ran then has its place, with the time that it had
 * left.
 *
 * By the trace's own record a task started `wait` after it was submitted. What had ended by `at` is left out;
 * what ran is marked (HC_SPEC_PREFILL), arrives at `at`, and runs for what was left of its run; what waited
 * then arrives at `at`, to be decided on; what came later stays as it is. No scheduler thinks about what is
 * marked, and none counts it.
 *
 * A task without a recorded wait is taken to have started when it was submitted. Its limit shrinks with its
 * run. Cost: about 1 ns a task. Source: the initial state of the Omega paper's simulators (EuroSys 2013,
 * table 2). */
#include "base/mem.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef struct options {
  hc_time at;
} options;

struct hc_transform {
  const hc_allocator *allocator;
  hc_time at;
};

static hc_rc prefill_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                          hc_transform **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.allocator = c->allocator, .at = o->at};
  return 0;
}

static hc_rc prefill_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const hc_time started = hc_time_add(task->submit, HC_MAX(task->wait, 0)), done = t->at - started;
  HC_UNUSED(e);
  if (task->submit == HC_UNKNOWN || task->submit > t->at || task->run == HC_UNKNOWN) return 1;
  if (started <= t->at) {
    *why = HC_REASON_OUTSIDE;
    if (done > 0 && task->run <= done) return 0;
    task->run -= done;
    if (task->limit > 0) task->limit = HC_MAX(task->limit - done, 1);
    task->flags |= HC_SPEC_PREFILL;
    task->wait = 0;
  } else {
    task->wait = started - t->at;
  }
  task->submit = t->at;
  return 1;
}

static void prefill_fini(hc_transform *t)
{
  hc_free(t->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, at, "s", "0", 0, 9e9, "When the run begins, in the times of the trace."),
    {.name = NULL},
};

const hc_transform_type hc_transform_prefill = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "prefill",
                  .summary = "begin in the middle of a trace: tasks that ran at that time run on, for the "
                             "rest of their run time",
                  .detail =
                      "Whether a task ran at that time follows from its recorded wait; a task without one "
                      "counts as started when it was submitted. Tasks that ran arrive at `at`, with the rest "
                      "of their run time and of their limit, and tasks that waited arrive at `at` too; tasks "
                      "that had ended are counted as `outside`. The architecture `monolithic` and those with "
                      "schedulers of their own place tasks that ran at once, without think time.",
                  .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, table 2",
                  .params = params, .options_size = sizeof(options)},
    .init = prefill_init,
    .apply = prefill_apply,
    .fini = prefill_fini,
};
