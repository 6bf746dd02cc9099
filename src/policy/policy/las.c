/* las.c -- least attained service, in queues: Tiresias's policy for training jobs of unknown length.
 *
 * What a task has attained is GPUs x time that it held them, over all of its attempts (processors, or cores,
 * where there are no GPUs); with `service: time` the time alone. Thresholds cut that into queues, and a task
 * of a lower queue comes before all of a higher one: new tasks run first, and one that has had much gives way
 * to those that have had little. Within a queue the task that first started earliest is first, and those that
 * have not started follow in the order of their submission. Nothing is known of how long a task will run, and
 * nothing is asked.
 *
 * With `promote` a task that has waited that many times as long as it had run is in the first queue again, as
 * one that first started just then, and both are counted anew from there; so a stream of new tasks starves
 * none. Thresholds should be well above GPUs x `restart_overhead`: a task that never gets further than
 * starting again makes no progress, and a run in which none does ends with an error.
 *
 * With no thresholds all tasks are in one queue, and this is first come, first served. Time that goes to
 * starting again is time that GPUs are held, and counts. Not modelled: Tiresias's placement by the skew of a
 * model's tensors.
 *
 * Source: Gu, Chowdhury, Shin, Zhu, Jeon, Qian, Liu and Guo, "Tiresias: a GPU cluster manager for distributed
 * deep learning", NSDI 2019, section 3.2. The default thresholds are ours. */
#include "base/util.h"
#include "policy/service_queues.h"

typedef struct options {
  hc_reranking_options base;
  hc_service_queues queues;
} options;

static void rank(hc_reranking *r, const hc_view *v, hc_ranked *j)
{
  const options *o = (const options *)r->o;
  j->level = hc_service_level(r, &o->queues, v, j);
  j->key = j->promoted == HC_NEVER ? j->first : j->promoted;
}

static hc_time until(hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  return hc_service_until(r, &((const options *)r->o)->queues, v, j);
}

static const hc_rerank_rule rule = {.rank = rank, .until = until};

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  const options *o = given;
  TRY(hc_service_queues_check(&o->queues, "policy las", e));
  return hc_reranking_new(c, &o->base, &rule, sizeof(hc_reranking), "policy las", out, e);
}

static uint32_t flags(const void *given)
{
  HC_UNUSED(given);
  return HC_MAY_PREEMPT | HC_IGNORES_TIME | HC_TIME_DEPENDENT;
}

static const hc_param params[] = {
    HC_SERVICE_QUEUES_PARAMS(options, queues, "[3600, 36000]"), HC_RERANKING_PARAMS(options, base), {0}};

const hc_policy_type hc_policy_las = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "las",
         .summary = "least attained service in queues, preemptive: Tiresias without knowledge of run times",
         .detail =
             "A task's attained service is GPUs x time held (processors or cores where the cell has no "
             "GPUs), over all attempts. `thresholds` cut it into queues; a lower queue comes first, and "
             "within a queue the task that first started earliest, then the others by submission. Running "
             "tasks of higher queues are stopped for waiting ones of lower queues, all of a task or nothing. "
             "With `promote` a task that has waited long compared with what it ran is in the first queue "
             "again. No estimate is used. Without thresholds the order is first come, first served.",
         .source = "Gu et al., Tiresias, NSDI 2019", .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = hc_reranking_parts,
    .init = init,
    .decide = hc_reranking_decide,
    .visit = hc_reranking_visit,
    .fini = hc_reranking_fini,
    .on_task_event = hc_reranking_hear,
};
