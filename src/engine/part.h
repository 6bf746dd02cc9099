/* part.h -- features of the engine as parts: each is one file, hears what happens, and is in a run only if
 * it is wanted.
 *
 * The core (tasks, queues, plans, the commit, the loop) says what happens as notices and knows no part by
 * name. Which parts a run has is settled when it is built, notice by notice, and settled again when one
 * comes to be wanted later (the first task that changes its demand, a part that was loaded). A notice for
 * which no part is wanted costs a test of one bit. Parts hear a notice in the order of parts.def.
 *
 * A part that needs another calls it by its header; nothing calls back up: what a part wants done at the end
 * of a task it does when it hears of that. */
#ifndef HC_ENGINE_PART_H
#define HC_ENGINE_PART_H

#include "engine/state.h"

/* What parts hear of. Of tasks what has happened, not what is planned. */
typedef enum hc_notice_kind {
  HC_ON_ARRIVED,  /* `task` is new; a part that returns 1 holds it back, and lets it go by hc_life_eligible */
  HC_ON_EXTRAS,   /* a new task has extras (hc_task_extras): before ARRIVED */
  HC_ON_QUEUED,   /* it could start from now on */
  HC_ON_DEQUEUED, /* it left its queue without a start */
  HC_ON_STARTED,  /* it runs on `grants` */
  HC_ON_RELEASED, /* `grants` are free, and its demand is still that by which it held them */
  HC_ON_OVER,     /* its attempt is over, on `grants`; `for_good`: there will be no other */
  HC_ON_GONE,     /* it has its final state and is about to be forgotten; `completed` */
  HC_ON_HOST, /* a host has changed (`event`), and tasks on it are still there; `worse`: it has less to give */
  HC_ON_HOST_DONE, /* and now they are not, if it went away */
  HC_ON_FREED,     /* all that ends or changes a host in this round has; 1: something is free since */
  HC_ON_ARRIVALS,  /* all that arrives in this round has */
  HC_ON_INSTANT,   /* the instant is over */
  HC_NOTICES
} hc_notice_kind;

typedef struct hc_notice {
  hc_notice_kind kind;
  hc_task task;
  const hc_arrival *arrival; /* ARRIVED */
  const hc_grant *grants;
  size_t count;
  const hc_host_event *event; /* HOST, HOST_DONE */
  bool for_good, completed, worse;
  bool is_planned; /* HOST: plans knew of it, and have been told what they did not */
  hc_error *error;
} hc_notice;

#define HC_HEARS(kind) (UINT32_C(1) << HC_ON_##kind)

typedef struct hc_part {
  const char *name;
  bool (*wanted)(const hc_engine *e); /* NULL: never hears */
  uint32_t hears;                     /* of HC_HEARS */
  /** @return 0, an error, or 1 where the notice says what that means */
  hc_rc (*on)(hc_engine *e, const hc_notice *n);
  bool (*pending)(const hc_engine *e); /* NULL; has it something to do at this instant? */
  hc_rc (*visit)(hc_engine *e,
                 hc_visitor *v); /* NULL; called though it is not wanted: it may come to be by this */
  void (*fini)(hc_engine *e);    /* NULL; the same */
} hc_part;

extern const hc_part *const hc_part_table[]; /* parts.c; only the birth of a run names it */
extern const uint32_t hc_part_count;

/** Find out which parts are wanted: at birth, and whenever a part comes to be. O(parts x notices). */
void hc_parts_settle(hc_engine *e);
/** Tell all that hear of it. @return the first error; 1 if a part returned 1; else 0 */
hc_rc hc_notify_parts(hc_engine *e, const hc_notice *n);
bool hc_parts_pending(const hc_engine *e);
hc_rc hc_parts_save(hc_engine *e, hc_visitor *v);
void hc_parts_end(hc_engine *e);

static inline bool hc_hears(const hc_engine *e, hc_notice_kind kind)
{
  return e->heard >> kind & 1;
}
static inline hc_rc hc_notify(hc_engine *e, const hc_notice *n)
{
  return hc_hears(e, n->kind) ? hc_notify_parts(e, n) : 0;
}

#endif
