/* shake.c -- moves times of submission and run times a little, to see what of a result is an accident.
 *
 * A simulation can depend on ties and near misses. The remedy of its authors is to run it many times over
 * slightly different inputs, and to look at the mean: give the run replications, and each is shaken by other
 * draws (seed, replication, rank of the task, or its user). They do not fix amounts and laws, hence the
 * parameters.
 *
 * submit' = submit + amount z, run' = run (1 + amount z), each with a z of its own, to the nearest whole
 * grain; z is symmetric around 0. A run time stays above 0 if it was, and within its limit if it was by the
 * rule `limits`; a task that overran its limit keeps that, whatever its run time becomes. A submission at or
 * after time 0 stays there.
 *
 * `order: keep` never submits a task before the one that was before it: it is then submitted together with
 * it. Else the stream sorts again what comes out, within its window. Cost: two draws, about 40 ns, and the
 * sorting.
 * Source: Tsafrir, Ouaknine and Feitelson, MASCOTS 2007. */
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

#define LONGEST ((double)((hc_time)1 << 62)) /* ns */

typedef enum shake_law { LAW_UNIFORM, LAW_NORMAL, LAW_SIGN } shake_law;
typedef enum shake_by { BY_TASK, BY_USER } shake_by;
typedef enum shake_order { ORDER_SORT, ORDER_KEEP } shake_order;
typedef enum shake_limits { LIMITS_RAISE, LIMITS_SCALE, LIMITS_CUT } shake_limits;

typedef struct options {
  hc_time submit, grain;
  double run;
  int submit_law, run_law, by, order, limits;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  struct { /* state */
    uint64_t rank;
    hc_time last; /* submission, of the task before */
  } s;
};

static hc_rc shake_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                        hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = given, .s = {.last = HC_UNKNOWN}};
  return 0;
}

/* Symmetric around 0. */
static double draw(shake_law law, hc_draws *d)
{
  const double u = 2 * hc_random_unit(d) - 1, n = law == LAW_NORMAL ? hc_random_normal(d, 0.0, 1.0) : 0.0;
  switch (law) {
    case LAW_UNIFORM: return u;
    case LAW_NORMAL: return HC_MAX(HC_MIN(n, 3.0), -3.0);
    case LAW_SIGN: return u < 0 ? -1.0 : 1.0;
  }
  return u;
}

static hc_draws draws_of(const hc_transform *t, const hc_task_spec *task, hc_purpose purpose)
{
  return (hc_draws){.seed = t->context->seed,
                    .replication = t->context->replication,
                    .entity = t->o->by == BY_USER ? (uint64_t)task->user : t->s.rank,
                    .purpose = purpose};
}

static hc_time to_grain(double ns, hc_time grain)
{
  const double unit = grain > 0 ? (double)grain : 1.0;
  const double x = HC_MAX(HC_MIN(ns, LONGEST), -LONGEST) / unit;
  const hc_time whole = (hc_time)(x < 0 ? x - 0.5 : x + 0.5);
  return whole * HC_MAX(grain, 1);
}

static void shake_submit(hc_transform *t, hc_task_spec *task)
{
  hc_draws d = draws_of(t, task, HC_PURPOSE_SHAKE_SUBMIT);
  const hc_time was = task->submit;
  if (was == HC_UNKNOWN) return;
  if (t->o->submit > 0) {
    const hc_time by = to_grain((double)t->o->submit * draw((shake_law)t->o->submit_law, &d), t->o->grain);
    task->submit = was >= 0 && by < -was ? 0 : hc_time_add(was, by);
  }
  if (t->o->order == ORDER_KEEP && t->s.last != HC_UNKNOWN) task->submit = HC_MAX(task->submit, t->s.last);
  t->s.last = task->submit;
}

static void shake_run(const hc_transform *t, hc_task_spec *task)
{
  hc_draws d = draws_of(t, task, HC_PURPOSE_SHAKE_RUN);
  const hc_time was = task->run, grain = HC_MAX(t->o->grain, 1);
  const bool within = task->limit > 0 && was <= task->limit;
  if (!(t->o->run > 0) || was <= 0 || was == HC_NEVER) return;
  const double factor = 1.0 + t->o->run * draw((shake_law)t->o->run_law, &d);
  task->run = HC_MAX(to_grain((double)was * factor, t->o->grain), grain);
  if (task->limit <= 0 || task->limit == HC_NEVER) return;
  switch ((shake_limits)t->o->limits) {
    case LIMITS_RAISE:
      if (within) task->limit = HC_MAX(task->limit, task->run);
      break;
    case LIMITS_SCALE:
      task->limit = HC_MAX(to_grain((double)task->limit * factor, t->o->grain), grain);
      if (within) task->limit = HC_MAX(task->limit, task->run); /* rounding */
      break;
    case LIMITS_CUT:
      if (within) task->run = HC_MIN(task->run, task->limit);
      break;
  }
}

static hc_rc shake_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(why);
  HC_UNUSED(e);
  shake_submit(t, task);
  shake_run(t, task);
  t->s.rank++;
  return 1;
}

static bool shake_reorders(const hc_transform *t)
{
  return t->o->order == ORDER_SORT && t->o->submit > 0;
}

static hc_rc shake_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->s);
  return 0;
}

static void shake_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, submit, "s", "30s", 0, 1e9,
             "Amount by which times of submission move: amount x z. 0: they do not move."),
    HC_PARAM(CHOICE, options, submit_law, "uniform|normal|sign", "uniform",
             "Law of z. uniform: in [-1, 1). normal: standard normal; values beyond -3 or 3 become -3 or 3. "
             "sign: -1 or 1, each with probability 1/2."),
    HC_PARAM(REAL, options, run, "1", "0", 0, 1,
             "Relative amount by which run times change: they are multiplied by 1 + amount x z'. 0: they do "
             "not change."),
    HC_PARAM(CHOICE, options, run_law, "uniform|normal|sign", "uniform",
             "Law of z'. uniform: in [-1, 1). normal: standard normal; values beyond -3 or 3 become -3 or 3. "
             "sign: -1 or 1, each with probability 1/2."),
    HC_PARAM(CHOICE, options, by, "task|user", "task",
             "What has a z of its own. task: each task. user: each user, for all tasks, so that the times "
             "between them stay."),
    HC_PARAM(
        CHOICE, options, order, "sort|keep", "sort",
        "Which order tasks have afterwards. sort: the order of their new submissions, within the run's "
        "`sort_window` rows. keep: the old order; no task is submitted before the task that preceded it."),
    HC_PARAM(CHOICE, options, limits, "raise|scale|cut", "raise",
             "How a run time that was within its limit stays within it. raise: the limit becomes the run "
             "time if that is longer. scale: the limit is multiplied like the run time. cut: the run time is "
             "cut at the limit."),
    HC_PARAM(TIME, options, grain, "s", "1s", 0, 1e6,
             "Moves, and shaken run times and limits, are rounded to the nearest whole multiple of it. 0: to "
             "nanoseconds."),
    {.name = NULL},
};

const hc_transform_type hc_transform_shake = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "shake",
         .summary = "move submissions and run times a little, differently in each replication",
         .detail = "submit' = max(submit + `submit` x z, 0); run' = run x (1 + `run` x z'), never 0 if it "
                   "was not. z and z' follow from seed, replication and the task's rank (or its user): the "
                   "mean over several replications no longer depends on accidental ties. A task whose run "
                   "time was longer than its limit keeps that limit; with `limits: scale` the limit is "
                   "scaled. Of closed loops only run times can be shaken.",
         .source =
             "Tsafrir, Ouaknine and Feitelson, Reducing performance evaluation sensitivity and variability "
             "by input shaking, MASCOTS 2007",
         .params = params, .options_size = sizeof(options)},
    .init = shake_init,
    .apply = shake_apply,
    .visit = shake_visit,
    .fini = shake_fini,
    .reorders = shake_reorders,
};
