/* fluid_fair.c -- levels: weighted max-min fairness, worked out anew only where something changed.
 *
 * Filled from nothing, all levels rise together until a link is full; its flows are decided, the level goes
 * on to rise for the others, and so on ("progressive filling"). The level at which a link with capacity C
 * becomes full is
 *
 *     (C - taken) / asked     taken: sum of a x level over members that are decided below
 *                             asked: sum of a over the others
 *
 * and depends on lower levels only. So a change at one place leaves all that is below it as it was, and of
 * what is above only what it reaches. A filling here starts with everything *lazy*, that is, supposed to
 * come out as before, but for the flows that the calls since the last one made undecided, and goes through
 * the touched links in order of the level at which something happens to them (a heap):
 *
 *   - a link would be full below the level of some lazy members: these are *captured*, their level is the
 *     link's, and the links on the rest of their way, which get more room, are touched;
 *   - a link is not full any more at the level of its own flows: these become undecided ("opened"), that is,
 *     rise until something holds them back, and the links on the rest of their way are touched;
 *   - a link is full, at a level that nothing changes any more: it is *closed*, all its undecided members are
 *     decided.
 *
 * This is Dijkstra's algorithm, in the form that repairs shortest paths (Ramalingam and Reps 1996): keys are
 * min(old level, new level); what is lower is final. Each flow becomes undecided and is decided at most once
 * in a filling, so it ends, whatever the rounding. A link whose new level is the old one (within 4e-15)
 * stops the wave. Bounds of flows are looked at when a link would pass them: a bounded flow changes nothing
 * before some link holds it back.
 *
 * Keys in the heap are lower bounds: one that rises is put right when it comes up; one that falls, at once. A
 * link that only flows on their way up have touched need not be in the heap as long as each of them has one
 * on its way that is, with a key not above ("guarded"): most such links never get full, and are looked at
 * once more when the flow is decided elsewhere.
 *
 * What this costs is mostly waiting for memory: so the links of a flow stand a second time beside it
 * (`ways`), and what comes next is fetched ahead.
 *
 * Of a link's own flows only those count one by one that are on other shared links (`wide`); the others are
 * in `asked`, and nothing is done for them when the level changes.
 *
 * Source: Bertsekas and Gallager, Data Networks, 6.5.2, for the filling; the repair is ours. */
#include "base/util.h"
#include "execution/fluid_parts.h"

static bool is_more(double a, double b)
{
  return a > b && a > b * (1 + SAME);
}

/* The level at which it is full, if lazy members stay as they are. */
static double full_at(const hc_fluid_link *l)
{
  const double level = (l->room + l->room_low) / (l->asked + l->asked_low);
  return level > 0 ? level : 0;
}

static bool is_overfull(const hc_fluid *f, uint32_t link)
{
  return f->links[link].room < 0 && f->links[link].room < -OVERFULL * f->sides[link].capacity;
}

static bool is_closed(const hc_fluid *f, const hc_fluid_link *l)
{
  return l->phase == 2 * f->s.filling + 1;
}

/* Its own flows, or most of them, are lazy. */
static bool is_at_rest(const hc_fluid *f, const hc_fluid_link *l)
{
  return l->phase < 2 * f->s.filling && l->level < INFINITE;
}

/* Own flows are to be released a little before links of the same level close: so what a link that closes
 * holds back is all that it will. */
static double release_at(const hc_fluid_link *l)
{
  return l->level > 0 ? l->level * (1 - 8 * SAME) : -1;
}

/* What happens to it if that is its level: it closes there, or its own are released. */
static double event_at(const hc_fluid *f, const hc_fluid_link *l, double level)
{
  return is_at_rest(f, l) && is_more(level, l->level) ? release_at(l) : level;
}

/* Nothing happens to it before that, if its level is not below: where it has own flows at rest, bounds of
 * others may yet show that these are to be released. */
static double key_of(const hc_fluid *f, const hc_fluid_link *l, double level)
{
  return is_at_rest(f, l) ? HC_MIN(level, release_at(l)) : level;
}

/* ---- the heap of touched links ----
 *
 * Each has four below it, which are one line of the cache: the first stands in the last place of one. */

#define FIRST ((size_t)3)

static inline size_t above(size_t at)
{
  return at / 4 + 2;
}

static inline size_t below(size_t at)
{
  return 4 * (at - 2);
}

/* Without a branch: which of two comes first is anyone's guess. */
static inline bool is_before(const hc_fluid_key *a, const hc_fluid_key *b)
{
  return (a->key < b->key) | ((a->key == b->key) & (a->link < b->link));
}

static inline void wave_put(hc_fluid *f, size_t at, hc_fluid_key x)
{
  f->wave[at] = x;
  f->wave_at[x.link] = (uint32_t)at;
}

static void wave_rise(hc_fluid *f, size_t at, hc_fluid_key x)
{
  for (; at > FIRST && is_before(&x, &f->wave[above(at)]); at = above(at))
    wave_put(f, at, f->wave[above(at)]);
  wave_put(f, at, x);
}

static void wave_sink(hc_fluid *f, size_t at, hc_fluid_key x)
{
  const hc_fluid_key *h = f->wave;
  const size_t end = FIRST + f->wave_count;
  size_t least;
  for (size_t i; (i = below(at)) < end; at = least) {
    if (i + 4 <= end) {
      const size_t j = i + is_before(&h[i + 1], &h[i]), k = i + 2 + is_before(&h[i + 3], &h[i + 2]);
      least = is_before(&h[k], &h[j]) ? k : j;
    } else {
      least = i;
      while (++i < end) least = is_before(&h[i], &h[least]) ? i : least;
    }
    if (!is_before(&h[least], &x)) break;
    wave_put(f, at, h[least]);
  }
  wave_put(f, at, x);
}

static uint32_t wave_pop(hc_fluid *f)
{
  const uint32_t first = f->wave[FIRST].link;
  f->wave_at[first] = 0;
  if (--f->wave_count > 0) wave_sink(f, FIRST, f->wave[FIRST + f->wave_count]);
  return first;
}

/* It comes into the heap, or to an earlier place there. */
static void key_set(hc_fluid *f, uint32_t link, double key)
{
  const size_t at = f->wave_at[link] > 0 ? f->wave_at[link] : FIRST + f->wave_count++;
  f->links[link].key = key;
  wave_rise(f, at, (hc_fluid_key){.key = key, .link = link});
}

/* Something on it changed; its key may have become less. */
static void look_again(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  double key = 0;
  if (is_closed(f, l)) return;
  if (l->asking > 0) key = key_of(f, l, full_at(l));
  else if (!is_overfull(f, link)) return;
  if (key < l->key) key_set(f, link, key);
}

/* A member was decided elsewhere. Its key may fall even though it got room: from its own level to that where
 * these are released, a little before links of the same level close. */
static void look_settled(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  double level = 0;
  if (is_closed(f, l)) return;
  if (l->asking > 0) {
    level = full_at(l);
    if (is_at_rest(f, l) && l->open == 0 && !is_more(level, l->level) && !is_more(l->level, level)) return;
    level = key_of(f, l, level);
  } else if (!is_overfull(f, link)) {
    return;
  }
  if (level < l->key) key_set(f, link, level);
}

/* Of the links on its way, without one, that which comes first, and its key. */
static double first_of(const hc_fluid *f, const hc_fluid_flow *w, uint32_t but, uint32_t *first)
{
  double least = INFINITE;
  *first = NONE;
  for (uint32_t u = w->uses; u < w->uses + w->shared; u++) {
    const uint32_t link = link_of(f, w, u);
    const hc_fluid_link *l = &f->links[link];
    double key;
    if (link == but || is_closed(f, l)) continue;
    key = l->key < INFINITE ? l->key : key_of(f, l, full_at(l));
    if (key >= least) continue;
    least = key;
    *first = link;
  }
  return least;
}

/* Some link on its way that is in the heap comes not after any that is not; `but` is about to rise. */
static void guard(hc_fluid *f, const hc_fluid_flow *w, uint32_t but)
{
  uint32_t first;
  const double key = first_of(f, w, but, &first);
  if (first != NONE && key < f->links[first].key) key_set(f, first, key);
}

/* The key of a link rises: its undecided members may have relied on it. */
static void guard_members(hc_fluid *f, uint32_t link)
{
  const hc_fluid_side *s = &f->sides[link];
  uint32_t open = f->links[link].open;
  for (uint32_t i = s->members; i-- > 0 && open > 0;) {
    const hc_fluid_flow *w = &f->flows[members_of(f, s)[i].member.flow];
    if (!is_undecided(f, w)) continue;
    guard(f, w, link);
    open--;
  }
}

/* It got room: if there are own flows at rest, these may be released; otherwise no key falls by it. One that
 * undecided flows use may have stayed out of the heap: what it gets now is its true key. */
static void look_at_rest(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  if (!is_at_rest(f, l) || release_at(l) >= l->key) return;
  if (l->open > 0) look_again(f, link);
  else key_set(f, link, release_at(l));
}

/* ---- flows ---- */

/* What it takes of the links on its way (but of its bottleneck) becomes what it asks. */
void hc_fluid_undecide(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  const double level = level_of(f, w);
  if (is_undecided(f, w)) return;
  w->stamp = 2 * f->s.filling;
  for (uint32_t u = w->uses; u < w->uses + w->shared; u++) {
    const uint32_t link = link_of(f, w, u);
    const double a = a_of(f, w, u);
    hc_fluid_link *l = &f->links[link];
    l->open++;
    if (link == w->bottleneck) {
      f->sides[link].stirred = f->s.filling;
    } else {
      takes(l, -(a * level));
      asks_add(l, a);
    }
    touch(f, link);
  }
  if (f->records[flow].is_chained) return;
  f->records[flow].is_chained = 1;
  f->records[flow].next = f->s.chain;
  f->s.chain = flow;
}

/* The same within a filling, for one of the own flows of `from`. Links that are not in the heap, and that no
 * other undecided flow uses, stay out of it but for the first of them. */
static void release(hc_fluid *f, hc_fluid_flow *w, uint32_t from)
{
  const double before = f->links[from].level;
  double least = INFINITE;
  uint32_t first = NONE;
  if (!is_lazy(f, w)) return;
  w->stamp = 2 * f->s.filling;
  for (uint32_t u = w->uses; u < w->uses + w->shared; u++) {
    const uint32_t link = link_of(f, w, u);
    const double a = a_of(f, w, u);
    hc_fluid_link *l = &f->links[link];
    double key;
    l->open++;
    if (link == from) continue;
    takes(l, -(a * before));
    asks_add(l, a);
    if (is_closed(f, l)) continue;
    key = key_of(f, l, full_at(l));
    if (l->key < INFINITE || l->open > 1) {
      if (key < l->key) key_set(f, link, key);
      key = l->key;
    }
    if (key < least) {
      least = key;
      first = link;
    }
  }
  if (first != NONE && least < f->links[first].key) key_set(f, first, least);
}

/* An undecided flow gets its level. */
static void decide(hc_fluid *f, uint32_t flow, uint32_t bottleneck, uint32_t use, double level)
{
  hc_fluid_flow *w = &f->flows[flow];
  for (uint32_t u = w->uses; u < w->uses + w->shared; u++) {
    const double a = a_of(f, w, u);
    const uint32_t link = link_of(f, w, u);
    hc_fluid_link *l = &f->links[link];
    l->open--;
    if (link == bottleneck) continue;
    asks_drop(l, a);
    takes(l, a * level);
    look_settled(f, link);
  }
  w->stamp = 2 * f->s.filling + 1;
  hc_fluid_place(f, flow, bottleneck, use, level);
}

/* A lazy flow's level becomes less: it was that of its bottleneck, or its bound; now it is that of `to`. Or
 * its bottleneck stays, and has another level. */
static void lower(hc_fluid *f, uint32_t flow, uint32_t to, uint32_t use, double level)
{
  hc_fluid_flow *w = &f->flows[flow];
  const double before = w->level;
  for (uint32_t u = w->uses; u < w->uses + w->shared; u++) {
    const uint32_t link = link_of(f, w, u);
    const double a = a_of(f, w, u);
    hc_fluid_link *l = &f->links[link];
    if (link == to) {
      if (link == w->bottleneck) continue;
      takes(l, -(a * before));
      asks_add(l, a);
      continue;
    }
    if (link == w->bottleneck) asks_drop(l, a);
    else takes(l, -(a * before));
    takes(l, a * level);
    look_at_rest(f, link);
  }
  w->stamp = 2 * f->s.filling + 1;
  hc_fluid_place(f, flow, to, use, level);
}

/* ---- at which level is it full? ---- */

typedef struct filled {
  double asked, asked_low, room, room_low, most; /* most: the largest bound that was passed */
  uint32_t asking;
} filled;

static void count_members(const hc_fluid *f, uint32_t link, uint32_t from, uint32_t to, double level,
                          filled *n)
{
  const hc_fluid_side *s = &f->sides[link];
  const hc_fluid_cell *members = members_of(f, s);
  for (uint32_t i = from; i < to; i++) {
    const hc_fluid_flow *w = &f->flows[members[i].member.flow];
    if (i < s->own || is_undecided(f, w)) {
      if (w->bound_level <= level) {
        const double a = a_of(f, w, members[i].member.use);
        sum_add(&n->asked, &n->asked_low, -a);
        sum_add(&n->room, &n->room_low, -(a * w->bound_level));
        n->asking--;
        n->most = HC_MAX(n->most, w->bound_level);
      }
    } else if (is_lazy(f, w) && w->level > level) {
      const double a = a_of(f, w, members[i].member.use);
      sum_add(&n->asked, &n->asked_low, a);
      sum_add(&n->room, &n->room_low, a * w->level);
      n->asking++;
    }
  }
}

/* Lazy members above that level will be captured, undecided ones with a bound below it held back by it: the
 * sum over members of a x min(level, its level or bound) is concave, and Newton's steps from below stay
 * below where it is the capacity. If all are bounded, and the link is never full: the greatest of the
 * bounds. */
static double true_level(const hc_fluid *f, uint32_t link, double level)
{
  const hc_fluid_link *l = &f->links[link];
  const hc_fluid_side *s = &f->sides[link];
  const bool has_others = s->members > s->own && (l->open > 0 || s->own == 0 || level < l->level);
  if (level < s->least_bound && !has_others) return level;
  for (;;) {
    filled n = {.asked = l->asked,
                .asked_low = l->asked_low,
                .room = l->room,
                .room_low = l->room_low,
                .asking = l->asking};
    double next;
    if (level >= s->least_bound) count_members(f, link, 0, s->own, level, &n);
    if (has_others) count_members(f, link, s->own, s->members, level, &n);
    next = n.asking > 0 ? (n.room + n.room_low) / (n.asked + n.asked_low) : n.most;
    if (!is_more(next, level)) return level;
    level = next;
  }
}

/* ---- a link is full ---- */

/* What a walk over members will read of the flows `from` and `to`. */
static void fetch_flows(const hc_fluid *f, const hc_fluid_cell *members, uint32_t from, uint32_t to)
{
  for (uint32_t i = from; i < to; i++) {
    __builtin_prefetch(&f->flows[members[i].member.flow], 1);
    __builtin_prefetch(&f->ways[members[i].member.flow]);
  }
}

static void fetch_links(const hc_fluid *f, uint32_t flow)
{
  const hc_fluid_way *way = &f->ways[flow];
  for (uint32_t i = 0; i < WAY; i++) __builtin_prefetch(&f->links[way->links[i]], 1);
}

static void close_own(hc_fluid *f, uint32_t link, double level, bool was_opened)
{
  const double before = f->links[link].level;
  hc_fluid_side *s = &f->sides[link];
  const bool moves = s->wide > 0 && (level != before || was_opened);
  if (level < s->least_bound && s->stirred != f->s.filling && !moves) return;
  s->least_bound = INFINITE;
  for (uint32_t i = s->own; i-- > 0;) { /* one that goes changes places with the last, which was seen */
    const hc_fluid_cell m = members_of(f, s)[i];
    hc_fluid_flow *w = &f->flows[m.member.flow];
    const bool is_bounded = w->bound_level <= level;
    if (i > 0) fetch_links(f, members_of(f, s)[i - 1].member.flow);
    if (!is_bounded) s->least_bound = HC_MIN(s->least_bound, w->bound_level);
    if (is_undecided(f, w)) {
      if (is_bounded) decide(f, m.member.flow, SELF, NONE, w->bound_level);
      else decide(f, m.member.flow, link, m.member.use, level);
    } else if (is_bounded) {
      w->level = before;
      lower(f, m.member.flow, SELF, NONE, w->bound_level);
    } else if (w->shared >= 2 && level != before) {
      lower(f, m.member.flow, link, m.member.use, level);
    }
  }
}

static void close_others(hc_fluid *f, uint32_t link, double level)
{
  hc_fluid_side *s = &f->sides[link];
  for (uint32_t i = s->own; i < s->members; i++) { /* one that comes changes places with the first, seen */
    const hc_fluid_cell m = members_of(f, s)[i];
    hc_fluid_flow *w = &f->flows[m.member.flow];
    if (i + 1 < s->members) fetch_links(f, members_of(f, s)[i + 1].member.flow);
    if (is_undecided(f, w)) {
      if (w->bound_level <= level) decide(f, m.member.flow, SELF, NONE, w->bound_level);
      else decide(f, m.member.flow, link, m.member.use, level);
    } else if (is_lazy(f, w) && is_more(w->level, level)) {
      lower(f, m.member.flow, link, m.member.use, level);
    }
  }
}

static void close_link(hc_fluid *f, uint32_t link, double level)
{
  hc_fluid_link *l = &f->links[link];
  hc_fluid_side *s = &f->sides[link];
  const bool was_opened = l->phase == 2 * f->s.filling;
  if (is_at_rest(f, l) && !is_more(level, l->level) && !is_more(l->level, level)) level = l->level;
  fetch_flows(f, members_of(f, s), s->wide > 0 ? 0 : s->own, s->members);
  l->key = INFINITE;
  l->phase = 2 * f->s.filling + 1;
  s->clock = clock_now(f, link);
  s->clock_at = f->s.now;
  retime(f, link);
  close_own(f, link, level, was_opened);
  close_others(f, link, level);
  l->level = s->own > 0 ? level : INFINITE;
}

/* ---- the filling ---- */

/* Its own flows may rise. Those that are on no other shared link need no look: they stay, or are held back
 * by their bound when it is closed. */
static void open_link(hc_fluid *f, uint32_t link)
{
  hc_fluid_side *s = &f->sides[link];
  f->links[link].phase = 2 * f->s.filling;
  if (s->wide == 0) return;
  fetch_flows(f, members_of(f, s), 0, s->own);
  for (uint32_t i = 0; i < s->own; i++) {
    hc_fluid_flow *w = &f->flows[members_of(f, s)[i].member.flow];
    if (i + 1 < s->own) fetch_links(f, members_of(f, s)[i + 1].member.flow);
    if (w->shared >= 2) release(f, w, link);
  }
}

/* The first link of the heap, which is taken from it, gets on; or comes back with a key that is right. */
static void step(hc_fluid *f, uint32_t link)
{
  hc_fluid_link *l = &f->links[link];
  const double was = l->key;
  const bool rests = is_at_rest(f, l);
  double level;
  l->key = INFINITE;
  if (l->asking == 0 && !is_overfull(f, link)) return;
  level = l->asking == 0 ? 0 : full_at(l);
  if (rests && l->open == 0 && !is_more(level, l->level) && !is_more(l->level, level)) return;
  if (!is_more(key_of(f, l, level), was)) level = true_level(f, link, level);
  if (is_more(event_at(f, l, level), was)) {
    if (l->open > 0) guard_members(f, link);
    key_set(f, link, event_at(f, l, level));
  } else if (rests && is_more(level, l->level)) {
    if (l->open > 0) guard_members(f, link);
    open_link(f, link);
    key_set(f, link, level);
  } else {
    close_link(f, link, level);
  }
}

/* Of what comes next, if its key is right: what its opening or closing will read. */
static void fetch_next(const hc_fluid *f)
{
  const uint32_t link = f->wave[FIRST].link;
  const hc_fluid_link *l = &f->links[link];
  const hc_fluid_side *s = &f->sides[link];
  if (is_more(event_at(f, l, full_at(l)), l->key)) return;
  fetch_flows(f, members_of(f, s), 0, s->members);
}

static void go_through(hc_fluid *f)
{
  while (f->wave_count > 0) {
    const uint32_t first = wave_pop(f);
    if (f->wave_count > 0) fetch_next(f);
    step(f, first);
  }
}

/* Flows that were made undecided since and share nothing: their bound is their level. */
static void settle_unshared(hc_fluid *f)
{
  for (uint32_t i = f->s.chain; i != NONE;) {
    const hc_fluid_flow *w = &f->flows[i];
    const uint32_t next = f->records[i].next;
    f->records[i].is_chained = 0;
    if (is_undecided(f, w) && w->shared == 0) decide(f, i, SELF, NONE, w->bound_level);
    i = next;
  }
  f->s.chain = NONE;
}

/* Flows that were decided are lazy from now on. */
void hc_fluid_next_filling(hc_fluid *f)
{
  if (++f->s.filling < 1u << 30) return;
  for (size_t i = 0; i < f->flow_count; i++) f->flows[i].stamp = 0;
  for (size_t i = 0; i < f->link_count; i++) {
    f->links[i].touched = f->links[i].phase = 0;
    f->sides[i].stirred = f->sides[i].retimed = 0;
  }
  f->s.filling = 1;
}

void hc_fluid_fill(hc_fluid *f)
{
  const size_t touched = f->touched_count;
  if (touched == 0 && f->s.chain == NONE && f->retimed_count == 0) return;
  settle_unshared(f);
  for (size_t i = 0; i < touched; i++)
    if (f->sides[f->touched[i]].is_shared) look_again(f, f->touched[i]);
  go_through(f);
  f->touched_count = 0;
  hc_fluid_retime(f);
  f->s.is_changed = 0;
  hc_fluid_next_filling(f);
}
