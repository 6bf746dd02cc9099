/* offer.c -- see offer.h. */
#include "omega/offer.h"

#include "base/util.h"

hc_rc hc_omega_holds_init(hc_omega_holds *h, const hc_omega_cell *c, bool together)
{
  const hc_allocator *a = c->allocator;
  h->together = together;
  if (!together) return 0;
  h->loose = hc_alloc(a, c->machines * sizeof *h->loose);
  h->is_listed = hc_alloc(a, c->machines);
  TRY(hc_omega_cell_init(&h->corner, a, c->machines, c->each));
  if (!h->loose || !h->is_listed) return HC_ENOMEM;
  h->corner.lists = c->lists;
  for (uint32_t m = 0; m < c->machines; m++) hc_omega_cell_put(&h->corner, m, c->each, 0);
  return 0;
}

void hc_omega_holds_fini(hc_omega_holds *h, const hc_omega_cell *c)
{
  hc_free(c->allocator, h->loose, c->machines * sizeof *h->loose);
  hc_free(c->allocator, h->is_listed, c->machines);
  hc_free(c->allocator, h->listed, h->listed_cap * sizeof *h->listed);
  hc_omega_cell_fini(&h->corner);
}

void hc_omega_hold_fini(hc_omega_hold *x, const hc_allocator *a)
{
  hc_free(a, x->parts, x->cap * sizeof *x->parts);
  hc_omega_cell_fini(&x->copy);
}

static hc_omega_amounts plus(hc_omega_amounts a, hc_omega_amounts b)
{
  return (hc_omega_amounts){a.cpus + b.cpus, a.memory + b.memory};
}

static hc_omega_amounts minus(hc_omega_amounts a, hc_omega_amounts b)
{
  return (hc_omega_amounts){a.cpus - b.cpus, a.memory - b.memory};
}

static bool is_something(hc_omega_amounts x)
{
  return x.cpus > 0 || x.memory > 0;
}

static hc_rc add_part(hc_omega_hold *x, const hc_allocator *a, uint32_t m, hc_omega_amounts free)
{
  TRY(hc_reserve(a, (void **)&x->parts, &x->cap, x->count + 1, sizeof *x->parts));
  x->parts[x->count++] = (hc_omega_part){free, m};
  return 0;
}

/* ---- each by itself ---- */

static hc_rc take_each(hc_omega_hold *x, hc_omega_cell *c)
{
  if (!x->has_copy) TRY(hc_omega_cell_init(&x->copy, c->allocator, c->machines, c->each));
  x->has_copy = true;
  TRY(hc_omega_cell_copy(&x->copy, c));
  for (uint32_t m = 0; m < c->machines; m++) {
    const hc_omega_amounts free = minus(c->each, c->state[m].held);
    if (!is_something(free)) continue;
    TRY(add_part(x, c->allocator, m, free));
    TRY(hc_omega_cell_take(c, m, free));
    c->locked = plus(c->locked, free);
  }
  return 0;
}

static hc_rc release_each(hc_omega_hold *x, hc_omega_cell *c)
{
  for (size_t i = 0; i < x->count; i++) {
    TRY(hc_omega_cell_leave(c, x->parts[i].machine, x->parts[i].free, 0));
    c->locked = minus(c->locked, x->parts[i].free);
  }
  return 0;
}

/* ---- together ---- */

hc_rc hc_omega_holds_freed(hc_omega_holds *h, const hc_omega_cell *c, uint32_t m, hc_omega_amounts freed)
{
  if (!h->whole_is_out) return 0;
  h->loose[m] = plus(h->loose[m], freed);
  if (h->is_listed[m]) return 0;
  TRY(hc_reserve(c->allocator, (void **)&h->listed, &h->listed_cap, h->listed_count + 1, sizeof *h->listed));
  h->listed[h->listed_count++] = m;
  h->is_listed[m] = 1;
  return 0;
}

static void forget_loose(hc_omega_holds *h)
{
  for (size_t i = 0; i < h->listed_count; i++) {
    h->loose[h->listed[i]] = (hc_omega_amounts){0, 0};
    h->is_listed[h->listed[i]] = 0;
  }
  h->listed_count = 0;
}

static hc_rc take_loose(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c)
{
  for (size_t i = 0; i < h->listed_count; i++) {
    const uint32_t m = h->listed[i];
    if (!is_something(h->loose[m])) continue;
    TRY(add_part(x, c->allocator, m, h->loose[m]));
    TRY(hc_omega_cell_take(c, m, h->loose[m]));
    x->amount = plus(x->amount, h->loose[m]);
  }
  forget_loose(h);
  return 0;
}

hc_rc hc_omega_hold_take(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c)
{
  x->count = 0;
  x->amount = (hc_omega_amounts){0, 0};
  x->is_whole = h->together && !h->whole_is_out;
  if (!h->together) return take_each(x, c);
  if (x->is_whole) {
    x->amount = hc_omega_cell_available(c);
    h->whole_is_out = true;
  } else {
    TRY(take_loose(h, x, c));
  }
  c->locked = plus(c->locked, x->amount);
  return 0;
}

hc_rc hc_omega_hold_release(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c)
{
  if (!h->together) return release_each(x, c);
  c->locked = minus(c->locked, x->amount);
  if (x->is_whole) {
    h->whole_is_out = false;
    forget_loose(h);
    return 0;
  }
  for (size_t i = 0; i < x->count; i++) {
    TRY(hc_omega_cell_leave(c, x->parts[i].machine, x->parts[i].free, 0));
    TRY(hc_omega_holds_freed(h, c, x->parts[i].machine, x->parts[i].free));
  }
  return 0;
}

/* ---- placing on it ---- */

/* The cell as it was when it was offered: what was freed since is held. */
static hc_rc hold_loose(const hc_omega_holds *h, hc_omega_cell *c)
{
  for (size_t i = 0; i < h->listed_count; i++) {
    const uint32_t m = h->listed[i];
    TRY(hc_omega_cell_set(c, m, plus(c->state[m].held, h->loose[m]), c->state[m].sequence));
  }
  return 0;
}

hc_rc hc_omega_hold_open(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c, hc_omega_cell **view)
{
  if (!h->together) {
    *view = &x->copy;
    return 0;
  }
  if (x->is_whole) {
    hc_omega_cell_try(c);
    *view = c;
    return hold_loose(h, c);
  }
  for (size_t i = 0; i < x->count; i++)
    hc_omega_cell_put(&h->corner, x->parts[i].machine, minus(c->each, x->parts[i].free), 0);
  *view = &h->corner;
  return 0;
}

void hc_omega_hold_close(hc_omega_holds *h, hc_omega_hold *x, hc_omega_cell *c)
{
  if (!h->together) return;
  if (x->is_whole) {
    hc_omega_cell_undo(c);
    return;
  }
  for (size_t i = 0; i < x->count; i++) hc_omega_cell_put(&h->corner, x->parts[i].machine, c->each, 0);
}
