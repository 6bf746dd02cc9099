/* waitlist_line.c -- the line before the tree, and the waitlist's face.
 *
 * Where tasks come in the order in which they are to start, and start soon, a tree is more than is needed:
 * they stand in a line, a ring to whose end they are added and from whose head they go, a few nanoseconds
 * each. A task that belongs before the end of a short line gets its place there: others move up, or take up a
 * hole. The line is given up, all of it moved to the tree, as soon as it would cost more than that: when more
 * than WALK stand in it and one comes before its end, when a question walks past more than WALK entries, when
 * keys are given anew. It is begun again when no entry is left. So either the line or the tree is empty. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "kernel/waitlist_parts.h"

enum { WALK = 64, FIRST_CAP = 64 };

static inline hc_waiting *item(const hc_waitlist *w, size_t i)
{
  return &w->line.items[(w->line.head + i) & (w->line.cap - 1)];
}

static inline bool comes_before(int64_t key, uint64_t serial, int64_t k, uint64_t s)
{
  return key != k ? key < k : serial < s;
}

/* ---- the line ---- */

static hc_rc grow(hc_waitlist *w)
{
  line *l = &w->line;
  const size_t cap = l->cap ? 2 * l->cap : FIRST_CAP;
  hc_waiting *items = hc_alloc(w->allocator, cap * sizeof *items);
  if (!items) return HC_ENOMEM;
  for (size_t i = 0; i < l->count; i++) items[i] = *item(w, i);
  hc_free(w->allocator, l->items, l->cap * sizeof *items);
  *l = (line){.items = items, .count = l->count, .cap = cap, .held = l->held, .least = l->least};
  return 0;
}

/* All tasks to the tree, in order: appending there is cheap. All of them, or none. */
static hc_rc give_up(hc_waitlist *w)
{
  line *l = &w->line;
  const size_t leaves = l->held / LEAF_SPARSE + 2;
  if (l->count == 0) return 0;
  TRY(hc_waittree_reserve(w, leaves, leaves / INNER_SPARSE + 2 * HEIGHT_LIMIT));
  while (l->count > 0) {
    const hc_waiting *first = item(w, 0);
    if (first->task != HC_NO_TASK) {
      const hc_rc rc = hc_waittree_insert(w, first);
      HC_ASSERT(rc == 0); /* there is room */
    }
    l->head = (l->head + 1) & (l->cap - 1);
    l->count--;
  }
  l->held = 0;
  l->least = 0;
  return 0;
}

static hc_rc append(hc_waitlist *w, const hc_waiting *entry)
{
  line *l = &w->line;
  if (l->count == l->cap) TRY(grow(w));
  *item(w, l->count) = *entry;
  l->least = l->held == 0 ? entry->units : HC_MIN(l->least, entry->units); /* 0 stays: not known */
  l->count++;
  l->held++;
  return 0;
}

/* The first place in the line that is not before (key, serial). */
static size_t place_of(const hc_waitlist *w, int64_t key, uint64_t serial)
{
  size_t low = 0, high = w->line.count;
  if (high == 0 || !comes_before(item(w, 0)->key, item(w, 0)->serial, key, serial)) return 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (comes_before(item(w, middle)->key, item(w, middle)->serial, key, serial)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* What was taken out last comes back to where it was: needs no memory. @return false if it does not fit
 * there. */
static bool put_back(hc_waitlist *w, const hc_waiting *entry)
{
  line *l = &w->line;
  const hc_waiting *first = item(w, 0);
  size_t at = 0;
  if (comes_before(entry->key, entry->serial, first->key, first->serial)) {
    if (l->count == l->cap) return false;
    l->head = (l->head - 1) & (l->cap - 1);
    l->count++;
  } else {
    at = place_of(w, entry->key, entry->serial);
    if (at == l->count || item(w, at)->key != entry->key || item(w, at)->serial != entry->serial)
      return false;
  }
  *item(w, at) = *entry;
  l->held++;
  l->least = HC_MIN(l->least, entry->units);
  return true;
}

/* Those behind the holes move up. */
static void close_holes(hc_waitlist *w)
{
  line *l = &w->line;
  size_t n = 0;
  for (size_t i = 0; i < l->count; i++)
    if (item(w, i)->task != HC_NO_TASK) *item(w, n++) = *item(w, i);
  l->count = n;
}

/* A place for a task that comes before the end: that of a hole, or the shorter part of the line makes
 * room. */
static size_t make_place(hc_waitlist *w, const hc_waiting *entry)
{
  line *l = &w->line;
  size_t at = place_of(w, entry->key, entry->serial);
  if (at < l->count && item(w, at)->task == HC_NO_TASK) return at;
  if (at > 0 && item(w, at - 1)->task == HC_NO_TASK) return at - 1;
  l->count++;
  if (at < l->count / 2) {
    l->head = (l->head - 1) & (l->cap - 1);
    for (size_t i = 0; i < at; i++) *item(w, i) = *item(w, i + 1);
    return at;
  }
  for (size_t i = l->count - 1; i > at; i--) *item(w, i) = *item(w, i - 1);
  return at;
}

/* @return false: the line is too long for it, or there is no memory. */
static bool step_in(hc_waitlist *w, const hc_waiting *entry)
{
  line *l = &w->line;
  if (l->count >= WALK && l->held < WALK * 3 / 4) close_holes(w);
  if (l->count >= WALK || (l->count == l->cap && grow(w) < 0)) return false;
  *item(w, make_place(w, entry)) = *entry;
  l->held++;
  l->least = HC_MIN(l->least, entry->units); /* 0 stays: not known */
  return true;
}

static int64_t take_out(hc_waitlist *w, int64_t key, uint64_t serial)
{
  line *l = &w->line;
  hc_waiting *it = item(w, place_of(w, key, serial));
  const int64_t units = it->units;
  HC_ASSERT(it->key == key && it->serial == serial && it->task != HC_NO_TASK);
  it->task = HC_NO_TASK;
  l->held--;
  if (units == l->least) l->least = 0;
  while (l->count > 0 && item(w, 0)->task == HC_NO_TASK) {
    l->head = (l->head + 1) & (l->cap - 1);
    l->count--;
  }
  return units;
}

static inline bool passes(const hc_waiting *x, const hc_filter *f)
{
  if (!f) return true;
  if (x->units > f->max_units) return false;
  return f->max_estimate == HC_NEVER || x->estimate <= f->max_estimate || x->units <= f->or_units;
}

/* The next from the cursor on that passes. @param steps look no further than so many; set to 0 if that was
 * it */
static hc_task walk(const hc_waitlist *w, hc_cursor *at, const hc_filter *f, uint64_t without, size_t *steps)
{
  size_t i = at->inside ? place_of(w, at->key, at->serial) : 0;
  if (at->inside && i < w->line.count && item(w, i)->key == at->key && item(w, i)->serial == at->serial) i++;
  for (; i<w->line.count && * steps> 0; i++, --*steps) {
    const hc_waiting *x = item(w, i);
    if (x->task == HC_NO_TASK || !passes(x, f) || (without && (hc_waitlist_kind(w, x->task) & without)))
      continue;
    *at = (hc_cursor){.key = x->key, .serial = x->serial, .inside = true};
    return x->task;
  }
  return HC_NO_TASK;
}

/* ---- the waitlist ---- */

hc_rc hc_waitlist_insert(hc_waitlist *w, const hc_waiting *entry)
{
  const line *l = &w->line;
  const hc_waiting *last = l->count > 0 ? item(w, l->count - 1) : NULL;
  if (w->count == 0 && (!last || comes_before(last->key, last->serial, entry->key, entry->serial))) {
    TRY(append(w, entry));
  } else if (w->count > 0 || (!put_back(w, entry) && !step_in(w, entry))) {
    TRY(give_up(w));
    TRY(hc_waittree_insert(w, entry));
  }
  hc_waitlist_count_units(w, entry->units);
  return 0;
}

/* Members that come in registers: an entry that is written and copied as a whole right after makes the
 * processor wait. */
hc_rc hc_waitlist_append(hc_waitlist *w, int64_t key, uint64_t serial, hc_task task, int64_t units,
                         hc_time estimate)
{
  line *l = &w->line;
  hc_waiting *x;
  if (w->count > 0 || l->count == l->cap) return 0;
  if (l->count > 0) {
    const hc_waiting *last = item(w, l->count - 1);
    if (!comes_before(last->key, last->serial, key, serial)) return 0;
  }
  x = item(w, l->count);
  x->key = key;
  x->serial = serial;
  x->task = task;
  x->units = units;
  x->estimate = estimate;
  l->least = l->held == 0 ? units : HC_MIN(l->least, units); /* 0 stays: not known */
  l->count++;
  l->held++;
  hc_waitlist_count_units(w, units);
  return 1;
}

void hc_waitlist_remove(hc_waitlist *w, int64_t key, uint64_t serial)
{
  hc_waitlist_discount_units(w, w->line.held > 0 ? take_out(w, key, serial)
                                                 : hc_waittree_remove(w, key, serial));
}

hc_task hc_waitlist_next_of(hc_waitlist *w, hc_cursor *at, const hc_filter *filter, uint64_t without)
{
  size_t steps = WALK;
  hc_task t;
  if (w->line.held == 0) return w->count == 0 ? HC_NO_TASK : hc_waittree_next(w, at, filter, without);
  t = walk(w, at, filter, without, &steps);
  if (t != HC_NO_TASK || steps > 0) return t;
  if (give_up(w) == 0) return hc_waittree_next(w, at, filter, without);
  steps = SIZE_MAX; /* there is no memory for the tree: then all the way */
  return walk(w, at, filter, without, &steps);
}

hc_task hc_waitlist_next(hc_waitlist *w, hc_cursor *at, const hc_filter *filter)
{
  if (w->line.held == 0 && !at->inside && !filter) return hc_waittree_first(w, at);
  return hc_waitlist_next_of(w, at, filter, 0);
}

void hc_waitlist_know(hc_waitlist *w, const hc_kinds *kinds)
{
  w->kinds = kinds;
}

hc_task hc_waitlist_at(hc_waitlist *w, size_t k)
{
  const line *l = &w->line;
  HC_ASSERT(k < hc_waitlist_count(w));
  if (l->held == l->count && l->held > 0) return item(w, k)->task;
  if (l->held == 0 || (k > WALK && give_up(w) == 0)) return hc_waittree_at(w, k);
  for (size_t i = 0;; i++)
    if (item(w, i)->task != HC_NO_TASK && k-- == 0) return item(w, i)->task;
}

const hc_waiting *hc_waitlist_head(const hc_waitlist *w)
{
  return w->line.held > 0 ? item(w, 0) : NULL; /* a line begins with no hole */
}

const hc_waiting *hc_waitlist_later(const hc_waitlist *w, size_t k)
{
  return k < w->line.count ? item(w, k) : NULL;
}

void hc_waitlist_drop_head(hc_waitlist *w)
{
  line *l = &w->line;
  const int64_t units = item(w, 0)->units;
  hc_waitlist_discount_units(w, units);
  if (units == l->least) l->least = 0;
  l->held--;
  do {
    l->head = (l->head + 1) & (l->cap - 1);
    l->count--;
  } while (l->count > 0 && item(w, 0)->task == HC_NO_TASK);
}

size_t hc_waitlist_count(const hc_waitlist *w)
{
  return w->count + w->line.held;
}

int64_t hc_waitlist_units(const hc_waitlist *w)
{
  return w->units_high > 0 || w->units_low > INT64_MAX ? INT64_MAX : (int64_t)w->units_low;
}

int64_t hc_waitlist_smallest(hc_waitlist *w)
{
  line *l = &w->line;
  if (l->held > WALK && l->least == 0) (void)give_up(w);
  if (l->held == 0) return hc_waittree_smallest(w);
  if (l->least == 0) {
    l->least = INT64_MAX;
    for (size_t i = 0; i < l->count; i++)
      if (item(w, i)->task != HC_NO_TASK) l->least = HC_MIN(l->least, item(w, i)->units);
  }
  return l->least;
}

hc_rc hc_waitlist_rekey(hc_waitlist *w, int64_t (*key)(void *ctx, hc_task task), void *ctx)
{
  TRY(give_up(w));
  return hc_waittree_rekey(w, key, ctx);
}

/* As it would stand in the tree: what it holds, not where. */
hc_rc hc_waitlist_visit(hc_waitlist *w, hc_visitor *v)
{
  if (hc_visit_loading(v)) w->line.count = w->line.held = 0;
  TRY(give_up(w));
  return hc_waittree_visit(w, v);
}
