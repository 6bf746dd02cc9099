/* srtf.c -- shortest remaining time first, preemptive; or shortest remaining service.
 *
 * What a waiting task has left is what is believed of it, less what earlier attempts saved, and more by what
 * starting again takes; of a running one less what this attempt has done as well. Both are work: the time
 * that it takes on a host of speed 1, since it is not known where a waiting task will run, and a task must
 * not change its place by being stopped. The task with the least left comes first, and stops running tasks
 * that have more left. Of equal ones those that run go on. With `by: service` it is that time x the GPUs of
 * the task (processors, or cores, where the cell has no GPUs).
 *
 * On one processor, where stopping costs nothing and run times are known, no schedule has a less mean
 * response time (Schrage, 1968; the test tries all schedules of small instances). With tasks of several
 * processors neither rule is optimal. What is believed is what the run lets be believed of waiting tasks:
 * estimates, or the truth (oracle, believe_waiting); a task that outlives its estimate is the one with the
 * least left, and goes on.
 *
 * Source: Schrage, "A proof of the optimality of the shortest remaining processing time discipline",
 * Operations Research 16(3), 1968, doi:10.1287/opre.16.3.687; by service: SRSF of Tiresias, NSDI 2019. */
#include "base/util.h"
#include "policy/reranking.h"

typedef struct options {
  hc_reranking_options base;
  int by;
} options;

enum { BY_TIME, BY_SERVICE };

static void rank(hc_reranking *r, const hc_view *v, hc_ranked *j)
{
  static const hc_stopping all = {.how = HC_STOP_KILL};
  hc_time left = r->s->estimate(v, j->task);
  if (j->state == HC_RANKED_RUNS && left != HC_NEVER) left -= r->s->loses(v, j->task, &all);
  j->key = left;
  if (((const options *)r->o)->by == BY_SERVICE)
    j->key = hc_key_of_real(left == HC_NEVER ? __builtin_inf() : j->weight * (double)left);
}

static const hc_rerank_rule rule = {.rank = rank};

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  return hc_reranking_new(c, &((const options *)given)->base, &rule, sizeof(hc_reranking), "policy srtf", out,
                          e);
}

static uint32_t flags(const void *given)
{
  HC_UNUSED(given);
  return HC_MAY_PREEMPT | HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE | HC_TIME_DEPENDENT;
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, by, "time|service", "time",
             "What is compared. time: the remaining time. service: remaining time x GPUs of the task "
             "(processors or cores where the cell has no GPUs)."),
    HC_RERANKING_PARAMS(options, base),
    {0}};

const hc_policy_type hc_policy_srtf = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "srtf",
         .summary = "shortest remaining time, or service, first, preemptive",
         .detail =
             "The remaining time of a task is its estimate less the work that it has done, plus "
             "`restart_overhead` if it was stopped; as work, which is time on a host of speed 1. The task "
             "with the least comes first, and stops running tasks with more; of equal ones running tasks go "
             "on. With `oracle: true` and `believe_waiting: run` true run times are used. This minimises the "
             "mean response on one processor without overhead; for other machines no such result is known. A "
             "task that outlives its estimate has the least remaining time.",
         .source = "Schrage, Operations Research 16(3), 1968, doi:10.1287/opre.16.3.687; by service: Gu et "
                   "al., Tiresias, NSDI 2019",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = hc_reranking_parts,
    .init = init,
    .decide = hc_reranking_decide,
    .visit = hc_reranking_visit,
    .fini = hc_reranking_fini,
    .on_task_event = hc_reranking_hear,
};
