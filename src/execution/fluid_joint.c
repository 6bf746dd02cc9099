/* fluid_joint.c -- the other rule: how SimGrid 3.32 shares among parallel tasks (its host model ptask_L07).
 *
 * It is not max-min fair. In each round a resource offers what it has left in equal parts to the activities
 * that still grow on it, each of them grows by the least of what its resources offer, in units of work, and
 * all resources give that away; one that has nothing left (1e-5 units) stops all that are on it. It ends
 * when none grows. Two things in it are peculiar, and ends to 1e-9 of SimGrid's depend on both:
 *
 *   - parts are equal in the resource's units, not in work: on a link of its own a task that sends twice as
 *     much gets half the rate, but only as far as the link is what holds it back;
 *   - one that has stopped goes on taking its last step from its resources in every later round, though it
 *  does    not grow by it: what is left is less than it could be, and the others get less.
 *
 * Rounds are a series that converges; most instants take ten to fifty. Activities that no resource joins, not
 * even by others between them, know nothing of each other: gone through again are those that hang together
 * with what changed, O(rounds x their uses), and the others would come out as they are, to the bit. Each is
 * then bound by itself (fluid_time.c).
 * Cost and weights are as in fluid.h, but `cost` has no meaning here.
 *
 * Found out from data: with it 2,280 ends of parallel tasks on six platforms are SimGrid's to 1.5e-8
 * relative; without the second point, to a few percent. Source: the manual of SimGrid 3.32 on ptask_L07.
 */
#include "base/sort.h"
#include "base/util.h"
#include "execution/fluid_parts.h"

HC_SORT(sort_parts, hc_fluid_part, a->flow < b->flow)

#define NOTHING 1e-5 /* units of a resource */
#define ROUNDS 100000

/* What a link has left, and how many still grow on it: in the heap of the other rule, which is idle. */
static hc_fluid_key *left_of(const hc_fluid *f, uint32_t link)
{
  return &f->wave[2 * (size_t)link];
}

/* What it offers to each, in this round; or what it gives away. */
static hc_fluid_key *offer_of(const hc_fluid *f, uint32_t link)
{
  return &f->wave[2 * (size_t)link + 1];
}

static bool is_used_up(const hc_fluid *f, uint32_t link)
{
  return left_of(f, link)->pad != 0;
}

static void add_flow(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  if (w->state != SHARING || f->records[flow].is_leaving || w->stamp > 2 * f->s.filling) return;
  w->stamp = 2 * f->s.filling + 1;
  f->group[f->group_count++] = (hc_fluid_part){.flow = flow, .grows = 1};
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    touch(f, link);
    *left_of(f, link) = (hc_fluid_key){.key = f->sides[link].capacity};
  }
}

/* Those that began, and all that hang together with links on which something changed; in the order of their
 * slots, whatever changed: sums have an order. The list of touched links grows while it is gone through. */
static void collect(hc_fluid *f)
{
  f->group_count = 0;
  for (uint32_t i = f->s.chain; i != NONE; i = f->records[i].next) add_flow(f, i);
  for (size_t i = 0; i < f->touched_count; i++) {
    const hc_fluid_side *s = &f->sides[f->touched[i]];
    for (uint32_t k = 0; k < s->members; k++) add_flow(f, members_of(f, s)[k].member.flow);
  }
  sort_parts(f->group, f->group_count);
  for (size_t i = 0; i < f->group_count; i++) {
    const hc_fluid_flow *w = &f->flows[f->group[i].flow];
    for (uint32_t u = w->uses; u < w->uses + w->count; u++) left_of(f, f->cells[u].use.link)->link++;
  }
}

static void offer(hc_fluid *f, const hc_fluid_flow *w)
{
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    const hc_fluid_key *left = left_of(f, link);
    offer_of(f, link)->key = f->sides[link].is_fatpipe ? left->key : left->key / left->link;
  }
}

/* By the least of what is offered. */
static void grow(hc_fluid *f, hc_fluid_part *p)
{
  const hc_fluid_flow *w = &f->flows[p->flow];
  const hc_fluid_record *r = &f->records[p->flow];
  p->step = INFINITE;
  for (uint32_t u = w->uses; u < w->uses + w->count; u++)
    p->step = HC_MIN(p->step, offer_of(f, f->cells[u].use.link)->key / weight_of(f, w, u));
  if (r->bound > 0) p->step = HC_MIN(p->step, r->bound * r->factor - p->rate);
  p->rate += p->step;
}

/* A fatpipe gives away the greatest of the steps: it is kept in place of the offer. */
static void give_away(hc_fluid *f, const hc_fluid_part *p)
{
  const hc_fluid_flow *w = &f->flows[p->flow];
  if (p->step == INFINITE) return;
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    const double amount = weight_of(f, w, u) * p->step;
    if (f->sides[link].is_fatpipe) offer_of(f, link)->key = HC_MAX(offer_of(f, link)->key, amount);
    else left_of(f, link)->key -= amount;
  }
}

static void use_up(hc_fluid *f, const hc_fluid_flow *w)
{
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const uint32_t link = f->cells[u].use.link;
    hc_fluid_key *left = left_of(f, link);
    if (f->sides[link].is_fatpipe) {
      left->key -= offer_of(f, link)->key;
      offer_of(f, link)->key = 0;
    }
    if (left->key <= NOTHING) left->pad = 1;
  }
}

static bool stops(const hc_fluid *f, const hc_fluid_part *p)
{
  const hc_fluid_flow *w = &f->flows[p->flow];
  const hc_fluid_record *r = &f->records[p->flow];
  if (p->step == INFINITE || (r->bound > 0 && p->rate >= r->bound * r->factor)) return true;
  for (uint32_t u = w->uses; u < w->uses + w->count; u++)
    if (is_used_up(f, f->cells[u].use.link)) return true;
  return false;
}

/* @return whether some still grow */
static bool go_round(hc_fluid *f)
{
  bool some_grow = false;
  for (size_t i = 0; i < f->group_count; i++)
    if (f->group[i].grows) offer(f, &f->flows[f->group[i].flow]);
  for (size_t i = 0; i < f->group_count; i++)
    if (f->group[i].grows) grow(f, &f->group[i]);
  for (size_t i = 0; i < f->group_count; i++) {
    const hc_fluid_flow *w = &f->flows[f->group[i].flow];
    for (uint32_t u = w->uses; u < w->uses + w->count; u++)
      if (f->sides[f->cells[u].use.link].is_fatpipe) offer_of(f, f->cells[u].use.link)->key = 0;
  }
  for (size_t i = 0; i < f->group_count; i++) give_away(f, &f->group[i]);
  for (size_t i = 0; i < f->group_count; i++) use_up(f, &f->flows[f->group[i].flow]);
  for (size_t i = 0; i < f->group_count; i++) {
    hc_fluid_part *p = &f->group[i];
    const hc_fluid_flow *w = &f->flows[p->flow];
    if (!p->grows) continue;
    if (!stops(f, p)) {
      some_grow = true;
      continue;
    }
    p->grows = 0;
    for (uint32_t u = w->uses; u < w->uses + w->count; u++) left_of(f, f->cells[u].use.link)->link--;
  }
  return some_grow;
}

void hc_fluid_joint_fill(hc_fluid *f)
{
  if (!f->s.is_changed) return;
  collect(f);
  for (size_t round = 0; f->group_count > 0 && round < ROUNDS && go_round(f); round++) continue;
  for (size_t i = 0; i < f->group_count; i++) {
    const hc_fluid_part *p = &f->group[i];
    hc_fluid_place(f, p->flow, SELF, NONE, p->rate / f->flows[p->flow].share);
  }
  for (uint32_t i = f->s.chain; i != NONE; i = f->records[i].next) f->records[i].is_chained = 0;
  f->s.chain = NONE;
  f->touched_count = f->group_count = 0;
  f->s.is_changed = 0;
  hc_fluid_retime(f);
  hc_fluid_next_filling(f);
}
