/* gittins.c -- the Gittins index of attained service: Tiresias's policy where the distribution of services is
 * known.
 *
 * The index of a task (gittins_index.h) is the best rate at which giving it more service completes tasks like
 * it, by the services that tasks had in all: those of the list `services`, then those of tasks that have
 * ended in this run, of which the last `history` are kept. A higher index comes first. Where nothing is
 * known yet, and for a task that has had more than all that are known, it is 0, and the task that first
 * started earliest is first. Service is GPUs x time held, as in las.c; tasks that were killed count as well,
 * since nothing tells them apart.
 *
 * With `thresholds` tasks are in queues first, as in las.c, and the index decides within a queue: that is
 * Tiresias-G. Its index looks ahead by a fixed quantum, ours by the best one.
 *
 * Indices are computed anew when tasks come or end, and at the whole multiples of `quantum` while tasks wait:
 * in between a task may run with an index that is less than that of one that waits.
 *
 * Cost a decision: O(live tasks x history) beside that of reranking.h. Source: Gu et al., Tiresias, NSDI
 * 2019, section 3.2; gittins_index.h. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/gittins_index.h"
#include "policy/service_queues.h"

typedef struct options {
  hc_reranking_options base;
  hc_service_queues queues;
  hc_list services; /* double */
  int64_t history;
  hc_time quantum;
} options;

typedef struct known {
  double service;
  uint64_t number; /* the how manieth that came to be known; of those of the list 0 */
} known;

typedef struct gittins {
  hc_reranking base;
  known *all; /* [count] ascending by service; state */
  size_t count, cap;
  uint64_t seen;    /* that have ended; state */
  double *services; /* [count] the same without the rest, while a decision is made */
  size_t service_cap;
} gittins;

/* ---- what is known ---- */

static hc_rc learn(gittins *self, double service, uint64_t number)
{
  size_t at;
  TRY(hc_reserve(self->base.allocator, (void **)&self->all, &self->cap, self->count + 1, sizeof *self->all));
  for (at = self->count; at > 0 && self->all[at - 1].service > service; at--) {
  }
  memmove(&self->all[at + 1], &self->all[at], (self->count - at) * sizeof *self->all);
  self->all[at] = (known){service, number};
  self->count++;
  return 0;
}

static void forget(gittins *self, size_t at)
{
  self->count--;
  memmove(&self->all[at], &self->all[at + 1], (self->count - at) * sizeof *self->all);
}

static void forget_number(gittins *self, uint64_t number)
{
  for (size_t i = 0; i < self->count && number > 0; i++)
    if (self->all[i].number == number) {
      forget(self, i);
      return;
    }
}

static hc_rc over(hc_reranking *r, const hc_ranked *j)
{
  gittins *self = (gittins *)r;
  const options *o = (const options *)r->o;
  if (o->history == 0 || j->held == 0) return 0;
  self->seen++;
  if (self->seen > (uint64_t)o->history) forget_number(self, self->seen - (uint64_t)o->history);
  return learn(self, hc_service_of(&o->queues, j, 0), self->seen);
}

/* It was not over: the last that has such a service is no longer known. */
static void back(hc_reranking *r, const hc_ranked *j)
{
  gittins *self = (gittins *)r;
  const double service = hc_service_of(&((const options *)r->o)->queues, j, 0);
  for (size_t i = self->count; i-- > 0;)
    if (self->all[i].service == service && self->all[i].number > 0) {
      forget(self, i);
      return;
    }
}

/* ---- ranks ---- */

static hc_rc begin(hc_reranking *r, hc_view *v)
{
  gittins *self = (gittins *)r;
  HC_UNUSED(v);
  TRY(hc_reserve(r->allocator, (void **)&self->services, &self->service_cap, self->count + 1,
                 sizeof *self->services));
  for (size_t i = 0; i < self->count; i++) self->services[i] = self->all[i].service;
  return 0;
}

static void rank(hc_reranking *r, const hc_view *v, hc_ranked *j)
{
  const gittins *self = (const gittins *)r;
  const hc_service_queues *q = &((const options *)r->o)->queues;
  j->level = hc_service_level(r, q, v, j);
  j->key = hc_key_of_real(-hc_gittins_index(self->services, self->count, hc_service_of(q, j, r->s->now(v))));
}

static hc_time until(hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  const options *o = (const options *)r->o;
  const hc_time now = r->s->now(v), at = hc_service_until(r, &o->queues, v, j);
  if (o->quantum == 0 || j->state != HC_RANKED_RUNS) return at;
  return HC_MIN(at, hc_time_add(now, o->quantum - now % o->quantum));
}

static const hc_rerank_rule rule = {.begin = begin, .rank = rank, .until = until, .over = over, .back = back};

/* ---- life ---- */

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  const options *o = given;
  const double *services = o->services.items;
  if (o->services.count == 0 && o->history == 0)
    return hc_fail(
        e, HC_EUSAGE, "policy gittins", 0, 0,
        "with history: 0 and no `services` nothing is known of how much service tasks need: give a "
        "list of services, or a history, or use the policy las");
  TRY(hc_service_queues_check(&o->queues, "policy gittins", e));
  TRY(hc_reranking_new(c, &o->base, &rule, sizeof(gittins), "policy gittins", out, e));
  for (size_t i = 0; i < o->services.count; i++) TRY(learn((gittins *)*out, services[i], 0));
  return 0;
}

static hc_rc visit(hc_policy *base, hc_visitor *v)
{
  gittins *self = (gittins *)base;
  TRY(hc_reranking_visit(base, v));
  HC_VISIT_ARRAY(v, self->all, self->count, self->cap);
  HC_VISIT(v, self->seen);
  return 0;
}

static void fini(hc_policy *base)
{
  gittins *self = (gittins *)base;
  const hc_allocator *a = self->base.allocator;
  hc_free(a, self->all, self->cap * sizeof *self->all);
  hc_free(a, self->services, self->service_cap * sizeof *self->services);
  hc_reranking_fini(base);
}

static uint32_t flags(const void *given)
{
  HC_UNUSED(given);
  return HC_MAY_PREEMPT | HC_IGNORES_TIME | HC_TIME_DEPENDENT;
}

static const hc_param params[] = {
    HC_PARAM(REALS, options, services, "GPU-seconds", NULL, 1e-6, 1e15,
             "Services that tasks need in all, in the unit of `service`, all equally likely. Default: none, "
             "and S holds tasks that have ended (`history`)."),
    HC_PARAM(INT, options, history, "tasks", "1000", 0, 1e6,
             "How many of the tasks that ended last in this run S holds as well. 0: none."),
    HC_PARAM(
        TIME, options, quantum, "s", "5m", 0, 1e9,
        "While tasks wait, G is computed anew at whole multiples of this time, besides when tasks arrive or "
        "end. 0: only then."),
    HC_SERVICE_QUEUES_PARAMS(options, queues, NULL),
    HC_RERANKING_PARAMS(options, base),
    {0}};

const hc_policy_type hc_policy_gittins = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "gittins",
         .summary = "highest Gittins index of attained service first, preemptive: Tiresias with a known "
                    "distribution",
         .detail =
             "G(a) = max over D of P(S - a <= D | S > a) / E[min(S - a, D) | S > a], where a is what a task "
             "has attained (GPUs x time held; processors or cores where the cell has no GPUs) and S the "
             "services of `services` and of the last `history` tasks that ended. The task with the highest G "
             "comes first; of equal ones running tasks, then the one that first started earliest. G is 0 for "
             "a task that has had more service than any in S. With `thresholds` queues come first, as in "
             "las, and G decides within a queue.",
         .source = "Gu et al., Tiresias, NSDI 2019; Gittins, JRSS B 41(2), 1979; Aalto, Ayesta and Righter, "
                   "Queueing Systems 63, 2009, doi:10.1007/s11134-009-9141-x",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = hc_reranking_parts,
    .init = init,
    .decide = hc_reranking_decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = hc_reranking_hear,
};
