/* fluid_links.c -- which flows are on which link, and what that means for both.
 *
 * A link is *shared* while two or more flows are on it, its capacity is finite and it is no fatpipe;
 * otherwise it is a bound of each flow on it, and no part of the filling of levels. So a job that has its
 * hosts to itself and shares a backbone is, to the filling, a flow on one link. A flow's uses stand in the
 * order: those of shared links, then the others; as links change from one kind to the other, uses change
 * places.
 *
 * Whatever changes here makes the flows that it concerns undecided and the links touched; levels follow in
 * the next filling. Blocks of cells are powers of two, and those that come back are used again. A link has
 * room for all flows that use it, delayed and suspended ones included, so that none of this can fail but the
 * first step of a start.
 *
 * Cost: O(uses of the flow). */
#include <string.h>

#include "base/util.h"
#include "execution/fluid_parts.h"

/* ---- blocks ---- */

static uint32_t class_of(uint32_t cells)
{
  uint32_t k = 0;
  while ((1u << k) < cells) k++;
  return k;
}

hc_rc fluid_block_take(hc_fluid *f, uint32_t need, uint32_t *block, uint32_t *room)
{
  const uint32_t k = class_of(need), cells = 1u << k;
  uint32_t at = f->s.vacant[k];
  if (at != NONE) {
    f->s.vacant[k] = f->cells[at].next;
  } else {
    if (f->cell_count + cells >= SELF) return HC_ELIMIT;
    TRY(hc_reserve(f->allocator, (void **)&f->cells, &f->cell_cap, f->cell_count + cells, sizeof *f->cells));
    at = (uint32_t)f->cell_count;
    f->cell_count += cells;
  }
  memset(f->cells + at, 0, cells * sizeof *f->cells); /* a digest sees whole blocks */
  *block = at;
  *room = cells;
  return 0;
}

void fluid_block_give(hc_fluid *f, uint32_t block, uint32_t room)
{
  const uint32_t k = class_of(room);
  if (room == 0) return;
  memset(f->cells + block, 0, room * sizeof *f->cells);
  f->cells[block].next = f->s.vacant[k];
  f->s.vacant[k] = block;
}

hc_rc fluid_link_reserve(hc_fluid *f, uint32_t link, uint32_t flows)
{
  hc_fluid_link *l = &f->links[link];
  uint32_t block, room;
  if (flows <= l->room) return 0;
  if (flows >= IS_FLOW / 2) return HC_ELIMIT;
  TRY(fluid_block_take(f, 2 * flows, &block, &room));
  if (l->members > 0) memcpy(f->cells + block, members_of(f, l), l->members * sizeof *f->cells);
  if (l->own > 0) memcpy(f->cells + block + room / 2, ends_of(f, l), l->own * sizeof *f->cells);
  fluid_block_give(f, l->block, 2 * l->room);
  l->block = block;
  l->room = room / 2;
  return 0;
}

/* ---- bounds ---- */

/* Least of its own bound and of those links that it does not share. */
static void find_bound(hc_fluid *f, hc_fluid_flow *w)
{
  double least = w->bound > 0 ? w->bound * w->cost : INFINITE;
  for (uint32_t u = w->uses + w->shared; u < w->uses + w->count; u++) {
    const double most = f->links[f->cells[u].use.link].capacity / (f->cells[u].use.weight * w->share);
    least = HC_MIN(least, most);
  }
  w->bound_level = least;
  if (w->bottleneck < SELF) {
    hc_fluid_link *l = &f->links[w->bottleneck];
    l->least_bound = HC_MIN(l->least_bound, least);
  }
}

/* Its bound, or what the bound of one link on it was, is another. */
static void rebound(hc_fluid *f, uint32_t flow)
{
  fluid_undecide(f, flow);
  find_bound(f, &f->flows[flow]);
}

/* ---- uses change places ---- */

static void swap_uses(hc_fluid *f, hc_fluid_flow *w, uint32_t i, uint32_t j)
{
  const hc_fluid_cell x = f->cells[i], y = f->cells[j];
  if (i == j) return;
  f->cells[i] = y;
  f->cells[j] = x;
  members_of(f, &f->links[y.use.link])[y.use.place].member.use = i;
  members_of(f, &f->links[x.use.link])[x.use.place].member.use = j;
  if (w->own_use == i) w->own_use = j;
  else if (w->own_use == j) w->own_use = i;
}

static void shares_one_more(hc_fluid *f, hc_fluid_flow *w, uint32_t use)
{
  swap_uses(f, w, use, w->uses + w->shared);
  if (++w->shared == 2 && w->bottleneck < SELF) f->links[w->bottleneck].wide++;
}

static void shares_one_less(hc_fluid *f, hc_fluid_flow *w, uint32_t use)
{
  if (w->shared == 2 && w->bottleneck < SELF) f->links[w->bottleneck].wide--;
  swap_uses(f, w, use, w->uses + --w->shared);
}

/* ---- shared or not ---- */

static void become_shared(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  l->is_shared = 1;
  l->taken = l->taken_low = l->asked = l->asked_low = 0;
  l->asking = l->open = 0;
  for (uint32_t i = 0; i < l->members; i++) {
    const hc_fluid_cell m = members_of(f, l)[i];
    hc_fluid_flow *w = &f->flows[m.member.flow];
    fluid_undecide(f, m.member.flow);
    asks_add(l, m.member.a);
    l->open++;
    shares_one_more(f, w, m.member.use);
    find_bound(f, w);
  }
  touch(f, link);
}

static void become_unshared(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  for (uint32_t i = 0; i < l->members; i++) fluid_undecide(f, members_of(f, l)[i].member.flow);
  while (l->own > 0) fluid_place(f, members_of(f, l)[0].member.flow, NONE, 0, 0);
  l->is_shared = 0;
  for (uint32_t i = 0; i < l->members; i++) {
    const hc_fluid_cell m = members_of(f, l)[i];
    hc_fluid_flow *w = &f->flows[m.member.flow];
    shares_one_less(f, w, m.member.use);
    find_bound(f, w);
  }
  l->taken = l->taken_low = l->asked = l->asked_low = 0;
  l->asking = l->open = 0;
}

void fluid_link_changed(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  const double before = l->capacity;
  l->capacity = l->given;
  if (l->table_count > 0 && l->members > 0)
    l->capacity *= f->tables[l->table + HC_MIN(l->members, l->table_count) - 1];
  if ((l->members >= 2 && l->capacity < INFINITE && !l->is_fatpipe) != l->is_shared) {
    if (l->is_shared) become_unshared(f, link);
    else become_shared(f, link);
  } else if (l->is_shared) {
    touch(f, link);
  } else if (before != l->capacity) {
    for (uint32_t i = 0; i < l->members; i++) rebound(f, members_of(f, l)[i].member.flow);
  }
}

/* ---- joining and leaving ---- */

void fluid_join(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  w->shared = 0;
  w->bottleneck = NONE;
  w->own_use = NONE;
  w->stamp = 0;
  w->level = 0;
  w->since = f->s.now;
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    hc_fluid_cell *use = &f->cells[u];
    hc_fluid_link *l = &f->links[use->use.link];
    use->use.place = l->members;
    members_of(f, l)[l->members++] =
        (hc_fluid_cell){.member = {.a = use->use.weight * w->share, .flow = flow, .use = u}};
  }
  fluid_undecide(f, flow);
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    hc_fluid_link *l = &f->links[link];
    if (l->is_shared && u >= w->uses + w->shared) {
      asks_add(l, f->cells[u].use.weight * w->share);
      l->open++;
      shares_one_more(f, w, u);
    }
  }
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) fluid_link_changed(f, f->cells[u].use.link);
  find_bound(f, w);
}

static void drop_member(hc_fluid *f, uint32_t use)
{
  hc_fluid_link *l = &f->links[f->cells[use].use.link];
  hc_fluid_cell *members = members_of(f, l);
  const uint32_t at = f->cells[use].use.place, last = --l->members;
  if (at != last) {
    members[at] = members[last];
    f->cells[members[at].member.use].use.place = at;
  }
  members[last] = (hc_fluid_cell){0};
}

/* What it takes, and its place among what ends: nothing but its membership remains. `left` is its work at
 * now, or nothing if it is done. */
void fluid_withdraw(hc_fluid *f, uint32_t flow, bool is_done)
{
  hc_fluid_flow *w = &f->flows[flow];
  const double level = level_of(f, w), left = is_done ? 0 : fluid_left(f, w);
  const double done = w->work - left - w->booked;
  const bool is_lazy_still = is_lazy(f, w);
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    const double a = f->cells[u].use.weight * w->share;
    hc_fluid_link *l = &f->links[link];
    l->used += f->cells[u].use.weight * done;
    if (u >= w->uses + w->shared) continue;
    if (!is_lazy_still) l->open--;
    if (is_lazy_still && link != w->bottleneck) takes(l, -(a * level));
    else asks_drop(l, a);
    touch(f, link);
  }
  w->booked += done;
  fluid_place(f, flow, NONE, NONE, 0);
  w->left = left;
}

/* After that: it is on no link any more. */
void fluid_drop(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    hc_fluid_link *l = &f->links[f->cells[u].use.link];
    drop_member(f, u);
    if (l->asking == l->members) l->taken = l->taken_low = 0;
  }
  w->shared = 0;
  w->stamp = 0;
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) fluid_link_changed(f, f->cells[u].use.link);
}
