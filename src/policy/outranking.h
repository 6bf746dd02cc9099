/* outranking.h -- a queue in which waiting tasks of higher priority take the room of running ones of lower.
 *
 * At each decision, before the selector is asked, the waiting tasks that outrank a running or a waiting one
 * are taken by priority, the highest first and within one priority in the order of the queue. A task that
 * fits starts. One that does not stops running tasks of lower priority, wherever they are: the lowest
 * priority first, of these the one that started last, until it fits; then those go on that it does not need.
 * The first task that would not fit even so is where this ends: none of lower or equal priority may stop
 * anything past it. Where all tasks have one priority nothing of this happens.
 *
 * So a promise of the selector gives way only to a task of higher priority than the task that has it: a task
 * that starts in this way stands, by priority, before all that wait. The selector makes its promises anew on
 * what is then free; tasks that were stopped wait again, and are decided on in the same instant.
 *
 * With a grace no other task is told while one has been; when they have gone, the task that they were told
 * for starts, if it still fits. The selector may meanwhile have started others in what was free before. Then
 * more are told, and this time nothing else starts until they have gone: else two that are told by turns
 * could keep each other's room, and the task would wait for ever.
 *
 * Cost: a start or an end O(log running + running moved); a decision in which no waiting task outranks
 * another O(1); else a walk along the queue to the tasks in question, and for each a stop on
 * the view of every task that may have to go. Counted processors are added up first. Source: Slurm,
 * preempt/qos with preempt_youngest_first; the selector's promises as in Slurm's backfill, where jobs
 * that can be preempted are not in the way of those that preempt them. */
#ifndef HC_POLICY_OUTRANKING_H
#define HC_POLICY_OUTRANKING_H

#include "base/mem.h"
#include "hindcast/policy.h"
#include "policy/room.h"

/* A task that runs. */
typedef struct hc_outranked {
  int64_t priority;
  hc_time started;
  uint64_t serial;
  int64_t units;
  hc_task task;
  uint32_t padding;
} hc_outranked;

/* How many tasks of a priority wait. */
typedef struct hc_rank {
  int64_t priority;
  uint64_t waiting;
} hc_rank;

typedef struct hc_outranking {
  const hc_allocator *allocator;
  const hc_services *services;
  hc_stopping stopping;
  hc_time backoff;
  /* state */
  hc_outranked *running; /* the first to be stopped in front: by priority, then the last to start */
  size_t running_count, running_cap;
  hc_rank *ranks; /* the highest first */
  size_t rank_count, rank_cap;
  hc_time stopped;    /* when a task was last stopped; HC_UNKNOWN: never */
  hc_time armed;      /* of the wake that was asked for */
  uint64_t taker;     /* serial of the task for which others were told to go, plus 1; 0: none */
  hc_task taking;     /* its slot */
  uint32_t is_strict; /* it did not fit when they had gone: this time nothing else starts */
  /* scratch */
  hc_room_task *victims;
  size_t victim_count, victim_cap;
} hc_outranking;

void hc_outranking_init(hc_outranking *o, const hc_policy_context *c, const hc_stopping *how,
                        hc_time backoff);
void hc_outranking_fini(hc_outranking *o);
hc_rc hc_outranking_visit(hc_outranking *o, hc_visitor *v);
/* As hc_policy_type.on_task_event. */
hc_rc hc_outranking_hear(hc_outranking *o, const hc_view *v, hc_task_event what, hc_task t);
/* As hc_preempt_type.run_queue: 0, 1, 2, or an error. */
hc_rc hc_outranking_run(hc_outranking *o, hc_view *v, hc_plan *p, bool promises);

#endif
