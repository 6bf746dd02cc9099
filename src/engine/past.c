/* past.c -- how much each host has been used: the mean of what tasks have held of its first dimension.
 *
 * Kept only if the placement looks at it (hc_chooser.reads_past). */
#include "base/state.h"
#include "base/util.h"
#include "engine/demand.h"
#include "engine/part.h"
#include "engine/reservations.h"
#include "engine/tasks.h"

struct hc_past {
  double sum; /* amounts of the first dimension x ns */
  hc_time since;
  int64_t held;
};

hc_rc hc_past_open(hc_engine *e)
{
  if (!e->cell.hosts || !e->chooser.reads_past) return 0;
  e->past = hc_alloc(e->allocator, e->cell_spec.units * sizeof *e->past);
  return e->past ? 0 : HC_ENOMEM;
}

static void fini(hc_engine *e)
{
  hc_free(e->allocator, e->past, e->cell_spec.units * sizeof *e->past);
}

void hc_past_move(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, int sign)
{
  const bool whole = (e->tasks.live[id].bits & HC_LIVE_WHOLE) != 0;
  int64_t amount[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    hc_past *p = &e->past[grants[i].host];
    if (i == 0 || !hc_same_amounts(&grants[i - 1], &grants[i], whole))
      hc_demand_of_grant(e, id, &grants[i], amount);
    p->sum += (double)p->held * (double)(e->now - p->since);
    p->since = e->now;
    p->held += sign * amount[hc_hosts_which(e->cell.hosts)[0]];
  }
}

double hc_past_of(const hc_engine *e, uint32_t host, int64_t capacity)
{
  const hc_past *p = &e->past[host];
  return (p->sum + (double)p->held * (double)(e->now - p->since)) / (double)e->now / (double)capacity;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  return e->past ? hc_visit_bytes(v, e->past, e->cell_spec.units * sizeof *e->past) : 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  hc_past_move(e, n->task, n->grants, n->count, n->kind == HC_ON_STARTED ? 1 : -1);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->past != NULL;
}

const hc_part hc_part_past = {.name = "past",
                              .wanted = wanted,
                              .hears = HC_HEARS(STARTED) | HC_HEARS(RELEASED),
                              .on = on,
                              .visit = visit,
                              .fini = fini};
