/* plan.c -- a plan: the list of actions that a policy has asked for, each applied when it was added.
 *
 * The view is the live cell with an undo log: an action changes the cell and the queues at once, and the
 * list of actions, walked backwards, is what takes it back. So a private view costs what the plan costs, not
 * what the cell costs. What an action is stands in its own file (action.h); here is what is the same for
 * all: it is written down with the reservation that its task had before and with the hosts that it is about,
 * and if it cannot be applied it never was. */
#include "engine/plan.h"

#include <string.h>

#include "base/util.h"
#include "engine/action.h"
#include "engine/claims.h"
#include "engine/reservations.h"
#include "engine/tasks.h"

/* ---- adding ---- */

hc_rc hc_plan_note_promise(hc_plan *p, hc_action *a)
{
  hc_engine *e = p->engine;
  const hc_grant *grants;
  size_t count;
  a->was_grants = (uint32_t)p->grant_count;
  a->was_count = 0;
  if (a->was == HC_NEVER) return 0;
  TRY(hc_reserve_hosts_of(e->reserve, a->task, &grants, &count));
  TRY(hc_reserve(e->allocator, (void **)&p->grants, &p->grant_cap, p->grant_count + count,
                 sizeof *p->grants));
  for (size_t i = 0; i < count; i++) p->grants[p->grant_count++] = grants[i];
  a->was_count = (uint32_t)count;
  return 0;
}

hc_rc hc_plan_attach(hc_plan *p, hc_action *a, const hc_grant *grants, size_t count)
{
  TRY(hc_reserve(p->engine->allocator, (void **)&p->grants, &p->grant_cap, p->grant_count + count,
                 sizeof *p->grants));
  a->grants = (uint32_t)p->grant_count;
  a->grant_count = (uint32_t)count;
  for (size_t i = 0; i < count; i++) p->grants[p->grant_count++] = grants[i];
  return 0;
}

uint32_t hc_plan_kind(const hc_engine *e, const hc_action_type *type)
{
  uint32_t kind = 0;
  while (e->actions[kind] != type) kind++;
  return kind;
}

hc_rc hc_plan_add(hc_plan *p, const hc_action_type *type, const hc_action *wish, const hc_grant *grants,
                  size_t count)
{
  hc_engine *e = p->engine;
  const size_t before = p->grant_count;
  hc_action *a;
  hc_rc rc;
  TRY(hc_reserve(e->allocator, (void **)&p->actions, &p->cap, p->count + 1, sizeof *p->actions));
  a = &p->actions[p->count++];
  *a = *wish;
  a->kind = hc_plan_kind(e, type);
  a->serial = wish->task == HC_NO_TASK ? 0 : hc_live_of(e, wish->task)->serial;
  a->was = wish->task == HC_NO_TASK ? HC_NEVER : hc_reserved_of(e, wish->task);
  rc = hc_plan_note_promise(p, a);
  if (rc >= 0) rc = hc_plan_attach(p, a, grants, count);
  if (rc >= 0) rc = hc_action_apply(type, e, p, a);
  if (rc >= 0) return 0;
  p->count--;
  p->grant_count = before;
  return rc == HC_ECONFLICT ? HC_EPOLICY : rc;
}

const hc_grant *hc_plan_grants(const hc_plan *p, const hc_action *a)
{
  return a->grant_count > 0 ? p->grants + a->grants : NULL;
}

bool hc_plan_can_start(hc_engine *e, hc_task id)
{
  return id < e->tasks.count && hc_live_of(e, id)->state == HC_TASK_WAITING;
}

hc_rc hc_view_grants(hc_engine *e, hc_task id, hc_grant *one, const hc_grant **grants, size_t *count)
{
  const hc_plan *plans[] = {&e->plan, &e->loaded}; /* of the open view; one that is carried out later */
  if (hc_live_of(e, id)->state != HC_TASK_PLANNED && hc_live_of(e, id)->state != HC_TASK_RESIZING)
    return hc_tasks_held(e, hc_live_of(e, id), one, grants, count);
  *count = 0;
  for (size_t k = 0; k < HC_ARRAY_LEN(plans) && *count == 0; k++)
    for (size_t i = 0; i < plans[k]->count; i++) {
      const hc_action *a = &plans[k]->actions[i];
      const bool resizes = e->actions[a->kind]->has_former;
      if (a->kind != HC_ACTION_START && !resizes) continue;
      if (a->task != id || a->serial != hc_live_of(e, id)->serial) continue;
      *grants = plans[k]->grants + a->grants;
      *count = a->grant_count - (resizes ? a->how : 0);
    }
  return 0;
}

/* ---- undoing ---- */

hc_rc hc_plan_reserve_as_before(hc_engine *e, const hc_plan *p, const hc_action *a)
{
  return hc_restore_reservation(e, a->task, a->was, p->grants ? p->grants + a->was_grants : NULL,
                                a->was_count);
}

hc_rc hc_plan_undo(hc_engine *e, hc_plan *p)
{
  for (size_t i = p->count; i-- > 0;) {
    const hc_action *a = &p->actions[i];
    TRY(hc_action_undo(e->actions[a->kind], e, p, a));
  }
  return 0;
}

hc_plan_mark hc_plan_mark_of(const hc_plan *p)
{
  const hc_cell *cell = &p->engine->cell;
  return (hc_plan_mark){.actions = p->count, .turn = cell->hosts ? hc_hosts_turn(cell->hosts) : 0};
}

/* What is written of the grants behind the mark is not needed any more; their room goes with the plan. */
hc_rc hc_plan_take_back(hc_plan *p, const hc_plan_mark *mark)
{
  hc_engine *e = p->engine;
  while (p->count > mark->actions) {
    const hc_action *a = &p->actions[p->count - 1];
    TRY(hc_action_undo(e->actions[a->kind], e, p, a));
    p->count--;
  }
  if (e->cell.hosts) hc_hosts_set_turn(e->cell.hosts, mark->turn);
  p->heads = HC_MIN(p->heads, p->count);
  return 0;
}

hc_rc hc_plan_join(hc_plan *p)
{
  if (p->count < 2) return HC_EPOLICY;
  hc_action *a = &p->actions[p->count - 1];
  if (!p->engine->actions[a->kind]->may_join) return HC_EPOLICY;
  a->how |= HC_ACTION_JOINED;
  return 0;
}

/* ---- as bytes ---- */

hc_rc hc_plan_save(const hc_plan *p, void **bytes, size_t *size)
{
  const uint64_t counts[4] = {p->count, p->grant_count, p->seen, p->queue};
  const size_t actions = p->count * sizeof *p->actions, grants = p->grant_count * sizeof *p->grants;
  char *out;
  *size = sizeof counts + actions + grants;
  out = hc_alloc(p->engine->allocator, *size);
  if (!out) return HC_ENOMEM;
  memcpy(out, counts, sizeof counts);
  if (actions > 0) memcpy(out + sizeof counts, p->actions, actions);
  if (grants > 0) memcpy(out + sizeof counts + actions, p->grants, grants);
  *bytes = out;
  return 0;
}

hc_rc hc_plan_load(hc_plan *p, const void *bytes, size_t size)
{
  const hc_engine *e = p->engine;
  uint64_t counts[4];
  const char *in = bytes;
  size_t actions, grants;
  if (size < sizeof counts) return HC_EINPUT;
  memcpy(counts, in, sizeof counts);
  actions = (size_t)counts[0] * sizeof *p->actions;
  grants = (size_t)counts[1] * sizeof *p->grants;
  if (counts[0] > size || counts[1] > size || sizeof counts + actions + grants != size) return HC_EINPUT;
  if (counts[3] >= e->queue_count) return HC_EINPUT;
  TRY(hc_reserve(e->allocator, (void **)&p->actions, &p->cap, (size_t)counts[0], sizeof *p->actions));
  TRY(hc_reserve(e->allocator, (void **)&p->grants, &p->grant_cap, (size_t)counts[1], sizeof *p->grants));
  if (actions > 0) memcpy(p->actions, in + sizeof counts, actions);
  if (grants > 0) memcpy(p->grants, in + sizeof counts + actions, grants);
  p->count = (size_t)counts[0];
  p->grant_count = (size_t)counts[1];
  p->seen = counts[2];
  p->queue = counts[3];
  p->heads = 0;
  return 0;
}

hc_rc hc_plan_apply(hc_engine *e, hc_plan *p)
{
  for (size_t i = 0; i < p->count; i++)
    TRY(hc_action_apply(e->actions[p->actions[i].kind], e, p, &p->actions[i]));
  return 0;
}

void hc_plan_clear(hc_plan *p)
{
  p->count = p->grant_count = p->heads = 0;
}

hc_rc hc_plan_grow(hc_plan *p, size_t count)
{
  const hc_allocator *a = p->engine->allocator;
  TRY(hc_reserve(a, (void **)&p->actions, &p->cap, p->count + count, sizeof *p->actions));
  return hc_reserve(a, (void **)&p->grants, &p->grant_cap, p->grant_count + count, sizeof *p->grants);
}

void hc_plan_fini(hc_plan *p)
{
  hc_free(p->engine->allocator, p->actions, p->cap * sizeof *p->actions);
  hc_free(p->engine->allocator, p->grants, p->grant_cap * sizeof *p->grants);
}
