/* google_resizes.c -- requests that change while a task runs. See google_resizes.h. */
#include "workload/google_resizes.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

void hc_google_resizes_init(hc_google_resizes *s, const hc_allocator *a, bool is_on)
{
  *s = (hc_google_resizes){.allocator = a, .is_on = is_on};
}

void hc_google_resizes_fini(hc_google_resizes *s)
{
  if (s->rows) hc_free(s->allocator, s->rows, s->cap * sizeof *s->rows);
  if (s->chains) hc_free(s->allocator, s->chains, s->chain_cap * sizeof *s->chains);
  hc_google_resizes_init(s, s->allocator, s->is_on);
}

hc_rc hc_google_resizes_add(hc_google_resizes *s, uint32_t task)
{
  if (!s->is_on) return 0;
  TRY(hc_reserve(s->allocator, (void **)&s->chains, &s->chain_cap, (size_t)task + 1, sizeof *s->chains));
  s->chains[task] = (hc_google_chain){0};
  return 0;
}

void hc_google_resizes_drop(hc_google_resizes *s, uint32_t task)
{
  if (!s->is_on || s->chains[task].first == 0) return;
  s->rows[s->chains[task].last - 1].next = s->vacant;
  s->vacant = s->chains[task].first;
  s->chains[task] = (hc_google_chain){0};
}

static hc_rc link_row(hc_google_resizes *s, hc_google_chain *c, hc_time at, const int64_t *need)
{
  uint64_t place = s->vacant;
  if (place > 0) {
    s->vacant = s->rows[place - 1].next;
  } else {
    if (s->count >= UINT32_MAX - 1) return HC_ENOMEM;
    TRY(hc_reserve(s->allocator, (void **)&s->rows, &s->cap, s->count + 1, sizeof *s->rows));
    place = ++s->count;
  }
  s->rows[place - 1] = (hc_google_resize){.at = at};
  memcpy(s->rows[place - 1].need, need, sizeof s->rows->need);
  if (c->last > 0) s->rows[c->last - 1].next = place;
  else c->first = (uint32_t)place;
  c->last = (uint32_t)place;
  return 0;
}

static size_t length_of(const hc_google_resizes *s, const hc_google_chain *c)
{
  size_t n = 0;
  for (uint64_t i = c->first; i > 0; i = i == c->last ? 0 : s->rows[i - 1].next) n++;
  return n;
}

hc_rc hc_google_resizes_put(hc_google_resizes *s, uint32_t task, hc_time at, const int64_t *was,
                            const int64_t *now)
{
  hc_google_chain *c = &s->chains[task];
  hc_google_resize *last;
  if (!s->is_on || memcmp(was, now, sizeof s->rows->need) == 0) return 0;
  if (c->first == 0) TRY(link_row(s, c, INT64_MIN, was));
  last = &s->rows[c->last - 1];
  if (c->last == c->first || (at > last->at && length_of(s, c) <= HC_GOOGLE_RESIZES))
    return link_row(s, c, at, now);
  memcpy(last->need, now, sizeof last->need);
  return 0;
}

static void put_step(hc_resize_step *out, hc_time after, const int64_t *need)
{
  *out = (hc_resize_step){.after = after};
  for (int d = 0; d < HC_NEEDS; d++) out->need[d] = HC_UNKNOWN;
  memcpy(out->need, need, HC_GOOGLE_RESIZE_NEEDS * sizeof *need);
}

static hc_rc keep(hc_lexicon *l, uint32_t *more, const hc_resize_step *steps, size_t count)
{
  const hc_task_extras *had = *more ? hc_lexicon_more(l, *more) : NULL;
  hc_task_extras m = had ? *had : hc_task_extras_none();
  uint32_t handle;
  m.resizes = steps;
  m.resize_count = count;
  handle = hc_lexicon_keep(l, &m);
  if (handle == 0) return HC_ENOMEM;
  if (*more) hc_lexicon_calls_of(l)->drop(l, *more);
  *more = handle;
  return 0;
}

hc_rc hc_google_resizes_keep(const hc_google_resizes *s, uint32_t task, hc_time start, hc_lexicon *l,
                             int64_t *need, uint32_t *more)
{
  const hc_google_chain *c = s->is_on ? &s->chains[task] : NULL;
  hc_resize_step *steps;
  size_t n = 0, cap;
  hc_rc rc = 0;
  if (!l || !c || c->first == 0) return 0;
  cap = length_of(s, c);
  steps = hc_alloc(s->allocator, cap * sizeof *steps);
  if (!steps) return HC_ENOMEM;
  for (uint64_t i = c->first; i > 0; i = i == c->last ? 0 : s->rows[i - 1].next) {
    const hc_google_resize *r = &s->rows[i - 1];
    if (r->at <= start) memcpy(need, r->need, sizeof r->need); /* it begins with that */
    else put_step(&steps[n++], r->at - start, r->need);
  }
  if (n > 0) rc = keep(l, more, steps, n);
  hc_free(s->allocator, steps, cap * sizeof *steps);
  return rc;
}

/* ---- state ---- */

/* What is loaded may come from a damaged file: each row is in one chain, or free. */
static bool is_sound(const hc_google_resizes *s, size_t tasks)
{
  uint64_t linked = 0;
  for (size_t t = 0; t < tasks; t++) {
    const hc_google_chain *c = &s->chains[t];
    if (c->first > s->count || c->last > s->count || (c->first == 0) != (c->last == 0)) return false;
    for (uint64_t i = c->first; i > 0; i = i == c->last ? 0 : s->rows[i - 1].next)
      if (i > s->count || ++linked > s->count || (i != c->last && s->rows[i - 1].next == 0)) return false;
  }
  for (uint64_t i = s->vacant; i > 0; i = s->rows[i - 1].next)
    if (i > s->count || ++linked > s->count) return false;
  return linked == s->count;
}

hc_rc hc_google_resizes_visit(hc_google_resizes *s, size_t tasks, hc_visitor *v)
{
  size_t chains = s->is_on ? tasks : 0;
  if (!s->is_on) return 0;
  HC_VISIT(v, s->vacant);
  HC_VISIT_ARRAY(v, s->rows, s->count, s->cap);
  HC_VISIT_ARRAY(v, s->chains, chains, s->chain_cap);
  if (!hc_visit_loading(v)) return 0;
  return chains == tasks && is_sound(s, tasks) ? 0 : HC_EINPUT;
}
