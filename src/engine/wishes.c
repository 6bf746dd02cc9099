/* wishes.c -- which tasks have scheduling points, and what size each is to have from its next one on. A leaf:
 * plans set wishes and points.c carries them out, and neither has to know the other. */
#include "base/util.h"
#include "cluster/lexicon.h"
#include "engine/points.h"
#include "engine/points_table.h"
#include "engine/tasks.h"

static const hc_task_extras *extras_of(const hc_engine *e, hc_task id)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  return more ? hc_lexicon_more(e->lexicon, more) : NULL;
}

bool hc_points_has(const hc_engine *e, hc_task id)
{
  const hc_task_extras *m = e->points && e->model ? extras_of(e, id) : NULL;
  return m && m->of > 0 && m->profile_size > 0;
}

uint32_t hc_points_wish(const hc_engine *e, hc_task id)
{
  return e->points && id < e->points->count ? e->points->wishes[id].size : 0;
}

int64_t hc_points_awaited(const hc_engine *e, hc_task id)
{
  const hc_points *z = e->points;
  int64_t sum = 0;
  if (!z || e->options->cannot_grow != HC_GROW_RESERVE) return 0;
  for (size_t i = 0; i < z->waiter_count; i++) {
    const waiter *w = &z->waiters[i];
    const hc_live *t = &e->tasks.live[w->task];
    const uint32_t size = hc_size_of(e, w->task);
    if (id != HC_NO_TASK && id != w->task) continue;
    sum += (int64_t)(w->size - HC_MIN(size, w->size)) * HC_MAX(e->cell.hosts ? t->units / t->slots : 1, 1u);
  }
  return sum;
}

void hc_points_set_wish(hc_engine *e, hc_task id, uint32_t size)
{
  HC_ASSERT(id < e->points->count);
  e->points->wishes[id].size = size;
}
