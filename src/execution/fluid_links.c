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

hc_rc hc_fluid_block_take(hc_fluid *f, uint32_t need, uint32_t *block, uint32_t *cells)
{
  const uint32_t k = class_of(need), n = 1u << k;
  uint32_t at = f->s.vacant[k];
  if (at != NONE) {
    f->s.vacant[k] = f->cells[at].next;
  } else {
    if (f->cell_count + n >= SELF) return HC_ELIMIT;
    TRY(hc_fluid_lines_reserve(f->allocator, (void **)&f->cells, &f->cell_cap, f->cell_count + n,
                               sizeof *f->cells));
    at = (uint32_t)f->cell_count;
    f->cell_count += n;
  }
  memset(f->cells + at, 0, n * sizeof *f->cells); /* a digest sees whole blocks */
  *block = at;
  *cells = n;
  return 0;
}

void hc_fluid_block_give(hc_fluid *f, uint32_t block, uint32_t cells)
{
  const uint32_t k = class_of(cells);
  if (cells == 0) return;
  memset(f->cells + block, 0, cells * sizeof *f->cells);
  f->cells[block].next = f->s.vacant[k];
  f->s.vacant[k] = block;
}

static hc_rc ends_take_block(hc_fluid *f, uint32_t n, uint32_t *block)
{
  const uint32_t k = class_of(n);
  uint32_t at = f->s.vacant_ends[k];
  if (at != NONE) {
    f->s.vacant_ends[k] = f->moments[at].next;
  } else {
    if (f->moment_count + n >= SELF) return HC_ELIMIT;
    TRY(hc_fluid_lines_reserve(f->allocator, (void **)&f->moments, &f->moment_cap, f->moment_count + n,
                               sizeof *f->moments));
    at = (uint32_t)f->moment_count;
    f->moment_count += n;
  }
  memset(f->moments + at, 0, n * sizeof *f->moments);
  *block = at;
  return 0;
}

static void ends_give_block(hc_fluid *f, uint32_t block, uint32_t n)
{
  const uint32_t k = class_of(n);
  memset(f->moments + block, 0, n * sizeof *f->moments);
  f->moments[block].next = f->s.vacant_ends[k];
  f->s.vacant_ends[k] = block;
}

hc_rc hc_fluid_link_reserve(hc_fluid *f, uint32_t link, uint32_t flows)
{
  hc_fluid_side *s = &f->sides[link];
  uint32_t block, ends, n;
  hc_rc rc;
  if (flows <= s->places) return 0;
  if (flows >= IS_FLOW / 2) return HC_ELIMIT;
  TRY(hc_fluid_block_take(f, flows, &block, &n));
  if ((rc = ends_take_block(f, n, &ends)) < 0) {
    hc_fluid_block_give(f, block, n);
    return rc;
  }
  if (s->places > 0) {
    memcpy(f->cells + block, members_of(f, s), s->members * sizeof *f->cells);
    memcpy(f->moments + ends, ends_of(f, s), s->own * sizeof *f->moments);
    hc_fluid_block_give(f, s->block, s->places);
    ends_give_block(f, s->ends, s->places);
  }
  s->block = block;
  s->ends = ends;
  s->places = n;
  return 0;
}

/* ---- bounds ---- */

/* Least of its own bound and of those links that it does not share. */
static void find_bound(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  const hc_fluid_record *r = &f->records[flow];
  double least = r->bound > 0 ? r->bound * r->cost : INFINITE;
  for (uint32_t u = w->uses + w->shared; u < w->uses + w->count; u++)
    least = HC_MIN(least, f->sides[f->cells[u].use.link].capacity / a_of(f, w, u));
  w->bound_level = least;
  if (w->bottleneck < SELF) {
    hc_fluid_side *s = &f->sides[w->bottleneck];
    s->least_bound = HC_MIN(s->least_bound, least);
  }
}

/* Its bound, or what the bound of one link on it was, is another. */
static void rebound(hc_fluid *f, uint32_t flow)
{
  hc_fluid_undecide(f, flow);
  find_bound(f, flow);
}

/* ---- uses change places ---- */

static void swap_uses(hc_fluid *f, hc_fluid_flow *w, uint32_t i, uint32_t j)
{
  const hc_fluid_cell x = f->cells[i], y = f->cells[j];
  if (i == j) return;
  f->cells[i] = y;
  f->cells[j] = x;
  way_set(f, w, i);
  way_set(f, w, j);
  if (w->weights > 0) {
    const double weight = f->cells[i + w->weights].weight;
    f->cells[i + w->weights].weight = f->cells[j + w->weights].weight;
    f->cells[j + w->weights].weight = weight;
  }
  members_of(f, &f->sides[y.use.link])[y.use.place].member.use = i;
  members_of(f, &f->sides[x.use.link])[x.use.place].member.use = j;
  if (w->own_use == i) w->own_use = j;
  else if (w->own_use == j) w->own_use = i;
}

static void shares_one_more(hc_fluid *f, hc_fluid_flow *w, uint32_t use)
{
  swap_uses(f, w, use, w->uses + w->shared);
  if (++w->shared == 2 && w->bottleneck < SELF) f->sides[w->bottleneck].wide++;
}

static void shares_one_less(hc_fluid *f, hc_fluid_flow *w, uint32_t use)
{
  if (w->shared == 2 && w->bottleneck < SELF) f->sides[w->bottleneck].wide--;
  swap_uses(f, w, use, w->uses + --w->shared);
}

/* ---- shared or not ---- */

static void clear_sums(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  l->room = f->sides[link].capacity;
  l->room_low = l->asked = l->asked_low = 0;
  l->asking = l->open = 0;
}

static void become_shared(hc_fluid *f, uint32_t link)
{
  hc_fluid_side *s = &f->sides[link];
  hc_fluid_link *l = &f->links[link];
  s->is_shared = 1;
  clear_sums(f, link);
  for (uint32_t i = 0; i < s->members; i++) {
    const hc_fluid_cell m = members_of(f, s)[i];
    hc_fluid_flow *w = &f->flows[m.member.flow];
    hc_fluid_undecide(f, m.member.flow);
    asks_add(l, a_of(f, w, m.member.use));
    l->open++;
    shares_one_more(f, w, m.member.use);
    find_bound(f, m.member.flow);
  }
  touch(f, link);
}

static void become_unshared(hc_fluid *f, uint32_t link)
{
  hc_fluid_side *s = &f->sides[link];
  for (uint32_t i = 0; i < s->members; i++) hc_fluid_undecide(f, members_of(f, s)[i].member.flow);
  while (s->own > 0) hc_fluid_place(f, members_of(f, s)[0].member.flow, NONE, NONE, 0);
  s->is_shared = 0;
  for (uint32_t i = 0; i < s->members; i++) {
    const hc_fluid_cell m = members_of(f, s)[i];
    shares_one_less(f, &f->flows[m.member.flow], m.member.use);
    find_bound(f, m.member.flow);
  }
  clear_sums(f, link);
}

void hc_fluid_link_changed(hc_fluid *f, uint32_t link)
{
  hc_fluid_side *s = &f->sides[link];
  const double before = s->capacity;
  double now = s->given;
  if (s->table_count > 0 && s->members > 0)
    now *= f->tables[s->table + HC_MIN(s->members, s->table_count) - 1];
  s->capacity = now;
  f->s.is_changed = 1;
  if (f->s.rule == HC_FLUID_BOTTLENECK) touch(f, link); /* to that rule no link is a bound alone */
  if ((s->members >= 2 && now < INFINITE && !s->is_fatpipe) != s->is_shared) {
    if (s->is_shared) become_unshared(f, link);
    else become_shared(f, link);
  } else if (s->is_shared) {
    if (now != before) {
      takes(&f->links[link], before);
      takes(&f->links[link], -now);
    }
    touch(f, link);
  } else if (now != before) {
    for (uint32_t i = 0; i < s->members; i++) rebound(f, members_of(f, s)[i].member.flow);
  }
}

/* ---- joining and leaving ---- */

void hc_fluid_join(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  f->s.is_changed = 1;
  w->shared = 0;
  w->bottleneck = NONE;
  w->own_use = NONE;
  w->stamp = 0;
  w->level = 0;
  f->records[flow].since = f->s.now;
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    hc_fluid_side *s = &f->sides[f->cells[u].use.link];
    f->cells[u].use.place = s->members;
    members_of(f, s)[s->members++] = (hc_fluid_cell){.member = {.flow = flow, .use = u}};
  }
  hc_fluid_undecide(f, flow);
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    if (!f->sides[link].is_shared) continue;
    asks_add(&f->links[link], a_of(f, w, u));
    f->links[link].open++;
    shares_one_more(f, w, u);
  }
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) hc_fluid_link_changed(f, f->cells[u].use.link);
  find_bound(f, flow);
}

static void drop_member(hc_fluid *f, uint32_t use)
{
  hc_fluid_side *s = &f->sides[f->cells[use].use.link];
  hc_fluid_cell *members = members_of(f, s);
  const uint32_t at = f->cells[use].use.place, last = --s->members;
  if (at != last) {
    members[at] = members[last];
    f->cells[members[at].member.use].use.place = at;
  }
  members[last] = (hc_fluid_cell){0};
}

/* What it takes, and its place among what ends: nothing but its membership remains. `left` is its work at
 * now, or nothing if it is done. */
void hc_fluid_withdraw(hc_fluid *f, uint32_t flow, bool is_done)
{
  hc_fluid_flow *w = &f->flows[flow];
  hc_fluid_record *r = &f->records[flow];
  const double level = level_of(f, w), left = is_done ? 0 : hc_fluid_left(f, flow);
  const double done = r->work - left - r->booked;
  const bool was_lazy = is_lazy(f, w);
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    hc_fluid_link *l = &f->links[link];
    f->sides[link].used += weight_of(f, w, u) * done;
    if (u >= w->uses + w->shared) continue;
    if (!was_lazy) l->open--;
    if (was_lazy && link != w->bottleneck) takes(l, -(a_of(f, w, u) * level));
    else asks_drop(l, a_of(f, w, u));
    touch(f, link);
  }
  r->booked += done;
  hc_fluid_place(f, flow, NONE, NONE, 0);
  r->left = left;
}

/* After that: it is on no link any more. What follows for its links comes apart (hc_fluid_left_links): of
 * those that leave together none is to be found on a link by then. */
void hc_fluid_leave(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    drop_member(f, u);
    if (f->links[link].asking != f->sides[link].members) continue;
    f->links[link].room = f->sides[link].capacity;
    f->links[link].room_low = 0;
  }
  w->shared = 0;
  w->stamp = 0;
}

void hc_fluid_left_links(hc_fluid *f, uint32_t flow)
{
  const hc_fluid_flow *w = &f->flows[flow];
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) hc_fluid_link_changed(f, f->cells[u].use.link);
}
