/* people.c -- a level for each user. See people.h. */
#include "metric/people.h"

#include "base/state.h"
#include "base/util.h"

void hc_people_init(hc_people *p, const hc_allocator *a, size_t first, size_t most)
{
  *p = (hc_people){.allocator = a, .first = first, .most = most};
  hc_map_init(&p->index, a);
}

void hc_people_fini(hc_people *p)
{
  hc_map_fini(&p->index);
  hc_free(p->allocator, p->items, p->cap * sizeof *p->items);
  hc_order_fini(&p->order, p->allocator);
  p->items = NULL;
  p->count = p->cap = 0;
}

hc_rc hc_people_find(hc_people *p, hc_spans *s, int64_t user, size_t *out)
{
  uint32_t at = hc_map_get(&p->index, (uint64_t)user);
  if (at == HC_MAP_NONE) {
    hc_person x = {.user = user, .level = {.since = s->times.end}};
    if (p->count >= HC_MAP_NONE) return HC_ELIMIT;
    if (p->count < p->most) {
      x.column = p->first + p->count + 1;
      TRY(hc_spans_widen(s, (size_t)x.column));
    }
    TRY(hc_reserve(p->allocator, (void **)&p->items, &p->cap, p->count + 1, sizeof *p->items));
    at = (uint32_t)p->count;
    TRY(hc_map_set(&p->index, (uint64_t)user, at));
    p->items[p->count++] = x;
  }
  *out = at;
  return 0;
}

static void integrate(hc_person *x, hc_time t)
{
  hc_level *l = &x->level;
  if (t <= l->since) return;
  l->most = HC_MAX(l->most, l->value);
  hc_wide_add_product(&x->sum, l->value, t - l->since);
  l->since = t;
}

hc_rc hc_people_set(hc_people *p, hc_spans *s, size_t at, hc_time t, int64_t value)
{
  hc_person *x = &p->items[at];
  integrate(x, HC_MIN(t, s->times.end));
  x->level.value = value;
  return x->column > 0 ? hc_spans_set(s, (size_t)x->column - 1, t, value) : 0;
}

void hc_people_close(hc_people *p, const hc_spans *s)
{
  for (size_t i = 0; i < p->count; i++) integrate(&p->items[i], s->times.end);
}

hc_rc hc_people_order(hc_people *p)
{
  return hc_order_make(&p->order, p->allocator, p->items, p->count, sizeof *p->items);
}

/* The map is made again from the rows. */
hc_rc hc_people_visit(hc_people *p, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, p->items, p->count, p->cap);
  if (!hc_visit_loading(v)) return 0;
  hc_map_fini(&p->index);
  hc_map_init(&p->index, p->allocator);
  for (size_t i = 0; i < p->count; i++) {
    if (p->items[i].column != (i < p->most ? p->first + i + 1 : 0)) return HC_EINPUT;
    TRY(hc_map_set(&p->index, (uint64_t)p->items[i].user, (uint32_t)i));
  }
  return p->index.count == p->count ? 0 : HC_EINPUT;
}
