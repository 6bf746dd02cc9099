/* demand.h -- what a task asks of hosts. See demand.c. */
#ifndef HC_ENGINE_DEMAND_H
#define HC_ENGINE_DEMAND_H

#include <string.h>

#include "engine/state.h"

/* Amounts by the lexicon's number up to the engine's width, of which nearly every run has the least. */
static inline void hc_amounts_clear(const hc_engine *e, int64_t *amounts)
{
  memset(amounts, 0, HC_NEEDS * sizeof *amounts);
  if (e->gauge.width > HC_NEEDS) memset(amounts + HC_NEEDS, 0, (e->gauge.width - HC_NEEDS) * sizeof *amounts);
}
static inline void hc_amounts_copy(const hc_engine *e, int64_t *to, const int64_t *from)
{
  memcpy(to, from, HC_NEEDS * sizeof *to);
  if (e->gauge.width > HC_NEEDS)
    memcpy(to + HC_NEEDS, from + HC_NEEDS, (e->gauge.width - HC_NEEDS) * sizeof *to);
}

hc_rc hc_demand_judge(void *engine, hc_arrival *a, hc_reason *why);
bool hc_demand_surely(void *engine, const hc_task_spec *t); /* see hc_judge */
bool hc_demand_allows(void *engine, const hc_arrival *a, hc_time limit);
void hc_demand_keep(hc_engine *e, hc_task t, const hc_arrival *a);
/* Rare facts that only say amounts are in its need now: it lets them go. */
void hc_demand_settle(hc_engine *e, hc_task t);
void hc_demand_measure(hc_engine *e);
/* The most of the first dimension that a task could get now: one of more units fits nowhere. */
static inline int64_t hc_free_most(hc_engine *e)
{
  return e->small_host ? INT64_MAX : hc_cell_free_most(&e->cell);
}
/* A task that takes hosts whole wants, while it waits, as much as they have at least; once it has them, what they
 * have. */
void hc_demand_started(hc_engine *e, hc_task t, const hc_grant *grants, size_t count);
void hc_demand_waits(hc_engine *e, hc_task t);
/* What it takes of the cell as a whole, its chunks included: of those dimensions, by the lexicon's number. */
void hc_demand_shared(const hc_engine *e, hc_task t, int64_t *out);
/* Of the `width` first. */
void hc_demand_of_grant(const hc_engine *e, hc_task t, const hc_grant *g, int64_t *out);
/** Amounts by the cell's own numbers, those of hosts or of the whole cell, by the lexicon's. */
void hc_demand_by_lexicon(const hc_engine *e, const int64_t *own, bool shared, int64_t times, int64_t *out);

#endif
