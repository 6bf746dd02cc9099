/* reranking.h -- policies that rank all tasks anew at each decision, those that run with those that wait, and
 * stop running tasks for waiting ones that stand before them.
 *
 * The tasks are walked along in the order of their ranks. A waiting task that fits starts. One that does not
 * stops running tasks that stand behind it, the last first, until it fits; those go on that it does not need.
 * All of a task runs or nothing of it, and a task that goes on stays where it is. A task for which there is
 * no room even so is passed over, or ends the walk (`queue`). Tasks that were stopped wait again, and are
 * ranked again in the same instant.
 *
 * With a grace tasks are told to go, and run on so long. The walk then ends at the task that they make room
 * for: what stands behind it would take what is free now. Until they have gone the next decisions count on
 * what they leave before they tell others.
 *
 * A rule is what a policy adds: the rank of a task, when that changes by itself, and which running tasks may
 * be stopped at all. Books are kept of how long each task has held what it holds, over all of its attempts,
 * and since when it waits.
 *
 * Ties of rank: a task that runs before one that waits, then the task that first started earlier, then the
 * one that was submitted first.
 *
 * Cost a decision: O(live tasks log), and for each waiting task that does not fit and stands before a running
 * one what making room costs (room.h). */
#ifndef HC_POLICY_RERANKING_H
#define HC_POLICY_RERANKING_H

#include "base/mem.h"
#include "base/util.h"
#include "hindcast/policy.h"
#include "policy/room.h"

/* First member of the options of every such policy. */
typedef struct hc_reranking_options {
  hc_chosen place, eligibility;
  hc_time checkpoint_every, restart_overhead, grace;
  int queue, on_preempt;
} hc_reranking_options;

#define HC_RERANKING_ELIGIBILITY_PARAM(options, member) \
  HC_PARAM_AS(COMPONENT, "eligibility", options, member.eligibility, HC_KIND_ELIGIBILITY, "always", \
              "Which hosts may be used now, by their attributes and their load.")
#define HC_RERANKING_STOP_PARAMS(options, member) \
  HC_PARAM_AS(CHOICE, "on_preempt", options, member.on_preempt, "checkpoint|requeue", "checkpoint", \
              "What becomes of a task that is stopped. It waits again; checkpoint: it goes on from what it " \
              "has saved; requeue: it does all of its work since its start again."), \
      HC_PARAM_AS(TIME, "checkpoint_every", options, member.checkpoint_every, "s", "0", 0, 1e9, \
                  "With checkpoint: a running task saves its work each time that it has worked for this " \
                  "long. 0: it saves all of its work when it is stopped."), \
      HC_PARAM_AS(TIME, "restart_overhead", options, member.restart_overhead, "s", "0", 0, 1e9, \
                  "With checkpoint: how much longer a task runs when it starts again.")
#define HC_RERANKING_PARAMS(options, member) \
  HC_PARAM_AS(COMPONENT, "place", options, member.place, HC_KIND_PLACE, "first_fit", \
              "Which processors a task gets. On a cell that only counts processors it changes nothing."), \
      HC_RERANKING_ELIGIBILITY_PARAM(options, member), \
      HC_PARAM_AS( \
          CHOICE, "queue", options, member.queue, "scan|blocking", "scan", \
          "What happens behind a task for which no room can be made. scan: those behind it are tried " \
          "too. blocking: no task behind it starts."), \
      HC_RERANKING_STOP_PARAMS(options, member), \
      HC_PARAM_AS( \
          TIME, "grace", options, member.grace, "s", "0", 0, 1e9, \
          "How long before it is stopped a task is told; it runs on meanwhile, to save its work, or to its " \
          "end. Until it has stopped, no task starts that is queued behind the task for which it makes " \
          "room. 0: it is stopped at once.")

enum {
  HC_RANKED_AWAY,
  HC_RANKED_WAITS,
  HC_RANKED_RUNS
}; /* AWAY: neither; over, or out of sight for a while */

/* A task, as rules know it. Times in ns. */
typedef struct hc_ranked {
  uint64_t serial;   /* HC_NO_SERIAL: the place was never used */
  hc_time held;      /* how long it held what it holds, up to `since` if it runs */
  hc_time forgiven;  /* of that, what no longer counts since it was promoted (service_queues.h) */
  hc_time promoted;  /* when that was; HC_NEVER: never */
  hc_time since;     /* RUNS: the start of this attempt */
  hc_time waits;     /* since when it waits, or waited before this attempt */
  hc_time held_then; /* `held` when it began to wait */
  hc_time first;     /* its first start; HC_NEVER: it has not started */
  hc_time whole;     /* for a rule: what was believed of all of it; 0 when it comes */
  double weight;     /* GPUs that it holds, or asks for, 1 if it has none; processors or cores without GPUs */
  hc_task task;
  uint32_t state;
  uint32_t is_over; /* it was found to be gone */
  uint32_t padding;
  /* its rank, of no meaning between decisions: lower first, `level` before `key` */
  int64_t level, key;
} hc_ranked;
#define HC_NO_SERIAL UINT64_MAX

typedef struct hc_reranking hc_reranking;

/* What a policy adds. `r` is the first member of its struct. */
typedef struct hc_rerank_rule {
  /* Once at each decision, before the ranks. May be NULL. */
  hc_rc (*begin)(hc_reranking *r, hc_view *v);
  /* Set level and key of a task that waits or runs. */
  void (*rank)(hc_reranking *r, const hc_view *v, hc_ranked *j);
  /* The first time after now at which its rank changes by itself so that others may come to stand before it,
   * or it before others; HC_NEVER: none. May be NULL. */
  hc_time (*until)(hc_reranking *r, const hc_view *v, const hc_ranked *j);
  /* May this running task be stopped now? NULL: any. */
  bool (*may_stop)(hc_reranking *r, const hc_view *v, const hc_ranked *j);
  /* It is over: `held` is what it held in all. May be NULL. */
  hc_rc (*over)(hc_reranking *r, const hc_ranked *j);
  /* A task that was found to be over waits again after all. May be NULL. */
  void (*back)(hc_reranking *r, const hc_ranked *j);
} hc_rerank_rule;

struct hc_reranking {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_reranking_options *o;
  const hc_rerank_rule *rule;
  size_t size; /* of the whole struct */
  /* state */
  hc_ranked *jobs; /* [count] by task */
  size_t count, cap;
  hc_time armed; /* of the wake that was asked for last */
  int64_t stops; /* tasks stopped */
};

/** A zeroed struct of `size` bytes that begins with an hc_reranking. @param where "policy las", for errors
 *  @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_reranking_new(const hc_policy_context *c, const hc_reranking_options *o, const hc_rerank_rule *rule,
                       size_t size, const char *where, hc_policy **out, hc_error *e);
/** How it stops a task. */
hc_stopping hc_reranking_stopping(const hc_reranking *r);
/* The calls of hc_policy_type. */
void hc_reranking_parts(const void *options, hc_policy_parts *out);
hc_rc hc_reranking_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why);
hc_rc hc_reranking_hear(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                        const int64_t *amounts);
hc_rc hc_reranking_visit(hc_policy *self, hc_visitor *v);
void hc_reranking_fini(hc_policy *self);

/* How long it has held what it holds, up to now. */
static inline hc_time hc_ranked_held(const hc_ranked *j, hc_time now)
{
  return j->state == HC_RANKED_RUNS ? hc_time_add(j->held, now - j->since) : j->held;
}

#endif
