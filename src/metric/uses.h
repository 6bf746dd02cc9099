/* uses.h -- claims whose real use is known step by step, while they are held.
 *
 * A use over time is known when the claim begins, but how long the claim lasts only when it ends: so what was
 * used is counted when it ends, or when the run does. Steps are copied: the task may be gone by then.
 * Cost: a look in a table at both ends of a claim; 24 bytes a step and 88 a claim that is held. */
#ifndef HC_METRIC_USES_H
#define HC_METRIC_USES_H

#include "base/mem.h"
#include "hindcast/record.h"

#define HC_USE_CLASSES 21 /* room for 2^0 to 2^20 steps */

/* A claim on a host. */
typedef struct hc_use_claim {
  uint64_t serial;
  hc_time start, counted; /* when it began, and up to when it was counted */
  int64_t cpu, memory;    /* what is claimed */
  uint64_t at;            /* of its steps */
  uint32_t steps;         /* 0: this place is free, and `host` is the next one */
  uint32_t slots, host;
  uint32_t parts; /* of the task on this host, which begin and end together */
} hc_use_claim;

typedef struct hc_uses {
  const hc_allocator *allocator;
  hc_use_claim *claims;
  size_t count, cap;
  hc_use_step *steps;
  size_t step_count, step_cap;
  hc_map places;   /* serial and host -> place in `claims` */
  uint32_t vacant; /* first free place + 1; 0: none */
  uint64_t
      free[HC_USE_CLASSES]; /* first free room + 1 for 2^k steps, whose first `until` is the next; 0: none */
} hc_uses;

/* Told of each step that was passed, or of the part of it that was: [from, to). */
typedef hc_rc (*hc_use_hearer)(void *ctx, const hc_use_claim *c, const hc_use_step *step, hc_time from,
                               hc_time to);

void hc_uses_init(hc_uses *u, const hc_allocator *a);
void hc_uses_fini(hc_uses *u);
/* A claim with steps (change `c`, whose `use` is `m`) begins. @return 0 or HC_ENOMEM. */
hc_rc hc_uses_begin(hc_uses *u, const hc_change *c, const hc_task_extras *m);
/* It ends: what was used since is told. @return 1; 0: it was not known; what `each` returned. */
hc_rc hc_uses_end(hc_uses *u, const hc_change *c, hc_use_hearer each, void *ctx);
/* Time has come to `t`: what those that are held used up to it is told. @return 0, or what `each`
 * returned. */
hc_rc hc_uses_count(hc_uses *u, hc_time t, hc_use_hearer each, void *ctx);
hc_rc hc_uses_visit(hc_uses *u, hc_visitor *v);

#endif
