/* fairshare.c -- see fairshare.h. */
#include "policy/fairshare.h"

#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"

#define LN2 0x1.62e42fefa39efp-1

/* A weight of a name that no task has would be none, unseen. */
static hc_rc expect_names(const hc_fairshare *f)
{
  const hc_called kind = f->o->owner == HC_FAIRSHARE_USER ? HC_CALLED_USER : HC_CALLED_GROUP;
  for (size_t i = 0; f->lexicon && i < f->dues.names.count; i++) {
    const char *name = f->dues.names.names[i];
    if (name[strspn(name, "0123456789*")] != '\0') TRY(hc_lexicon_expect(f->lexicon, kind, name));
  }
  return 0;
}

hc_rc hc_fairshare_init(hc_fairshare *f, const hc_policy_context *c, const hc_fairshare_options *o,
                        const char *where, hc_error *e)
{
  *f = (hc_fairshare){
      .allocator = c->allocator, .services = c->services, .o = o, .lexicon = c->lexicon, .refreshed = -1};
  hc_map_init(&f->index, c->allocator);
  TRY(hc_dues_init(&f->dues, c->allocator, c->lexicon, where));
  TRY(hc_dues_read(&f->dues, HC_DUE_WEIGHT, &o->weights, e));
  return expect_names(f);
}

void hc_fairshare_fini(hc_fairshare *f)
{
  if (!f->allocator) return;
  hc_dues_fini(&f->dues);
  hc_map_fini(&f->index);
  hc_free(f->allocator, f->members, f->cap * sizeof *f->members);
}

/* ---- owners ---- */

/* Which of the cell's dimensions counts. */
static uint32_t dimension_of(const hc_fairshare *f, const hc_view *v)
{
  const hc_services *s = f->services;
  for (uint32_t d = 0; d < s->dimensions(v); d++) {
    const char *name = f->lexicon ? hc_lexicon_dimension_name(f->lexicon, s->dimension_id(v, d)) : NULL;
    if (name && strcmp(name, f->o->dimension) == 0) return d;
  }
  return 0;
}

static hc_rc member_of(hc_fairshare *f, const hc_view *v, hc_task t, hc_fairshare_member **out)
{
  const bool by_user = f->o->owner == HC_FAIRSHARE_USER;
  const int64_t id = by_user ? f->services->user(v, t) : f->services->group(v, t);
  uint32_t at = hc_map_get(&f->index, (uint64_t)id);
  if (at == HC_MAP_NONE) {
    const char *name = f->lexicon ? by_user ? hc_lexicon_called(f->lexicon, HC_CALLED_USER, id)
                                            : hc_lexicon_called(f->lexicon, HC_CALLED_GROUP, id)
                                  : NULL;
    const double weight = hc_dues_called(&f->dues, name, id)->of[HC_DUE_WEIGHT].share[HC_DIM_CPU];
    TRY(hc_reserve(f->allocator, (void **)&f->members, &f->cap, f->count + 1, sizeof *f->members));
    at = (uint32_t)f->count;
    TRY(hc_map_set(&f->index, (uint64_t)id, at));
    f->members[f->count++] = (hc_fairshare_member){
        .id = id, .weight = weight > 0 ? weight : 1, .factor = 1, .usage = {.half_life = f->o->half_life}};
  }
  *out = &f->members[at];
  return 0;
}

hc_rc hc_fairshare_follow(hc_fairshare *f, const hc_view *v, hc_task_event what, hc_task t,
                          const int64_t *amounts)
{
  const hc_time now = f->services->now(v);
  hc_fairshare_member *m;
  if (f->o->period > 0) hc_fairshare_advance(f, now);
  TRY(member_of(f, v, t, &m));
  if (what == HC_TASK_EVENT_ALLOCATED)
    hc_usage_set(&m->usage, now, m->usage.amount + amounts[dimension_of(f, v)]);
  if (what == HC_TASK_EVENT_RELEASED)
    hc_usage_set(&m->usage, now, m->usage.amount - amounts[dimension_of(f, v)]);
  return 0;
}

/* ---- factors ---- */

void hc_fairshare_advance(hc_fairshare *f, hc_time now)
{
  const hc_time period = f->o->period, at = period > 0 ? now - now % period : now;
  double used = 0, due = 0;
  if (period > 0 && at <= f->refreshed) return;
  f->refreshed = at;
  for (size_t i = 0; i < f->count; i++) {
    used += hc_usage_decayed(&f->members[i].usage, at);
    due += f->members[i].weight;
  }
  for (size_t i = 0; i < f->count; i++) {
    hc_fairshare_member *m = &f->members[i];
    m->factor = used > 0 ? hc_exp(-LN2 * (hc_usage_decayed(&m->usage, at) / used) / (m->weight / due)) : 1;
  }
}

double hc_fairshare_of(const hc_fairshare *f, const hc_order_input *task)
{
  const int64_t id = f->o->owner == HC_FAIRSHARE_USER ? task->user : task->group;
  const uint32_t at = hc_map_get(&f->index, (uint64_t)id);
  return at == HC_MAP_NONE ? 1 : f->members[at].factor;
}

hc_rc hc_fairshare_visit(hc_fairshare *f, hc_visitor *v)
{
  HC_VISIT(v, f->refreshed);
  HC_VISIT_ARRAY(v, f->members, f->count, f->cap);
  if (!hc_visit_loading(v)) return 0;
  hc_map_fini(&f->index);
  hc_map_init(&f->index, f->allocator);
  for (size_t i = 0; i < f->count; i++) TRY(hc_map_set(&f->index, (uint64_t)f->members[i].id, (uint32_t)i));
  return 0;
}
