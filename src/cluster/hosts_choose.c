/* hosts_choose.c -- which hosts a task gets.
 *
 * Greedy: its own slots one after the other, then the hosts of its chunks, each by the chooser among the hosts that
 * are left to it by scope, constraints, zones and limits. What is placed is claimed on the cell itself until the
 * choice is complete, so that every later slot sees it, and then undone. With the first or next host, as many
 * slots as fit go on a host before the next is sought; a score is asked anew for each slot. One slot of a task
 * without rare facts claims nothing on the way.
 *
 * Random draws: hosts at random until one fits, sixteen times at most; then one of all that fit. Both are uniform
 * over those that fit, so together they are. A host may be drawn twice. A task that was given a place and did not
 * keep it, since it was refused or stopped, draws from another part of its stream. On at most 64 hosts, where a task's slots go
 * to hosts of which each takes one, all that fit are found first, as a word of bits. */
#include <string.h>

#include "cluster/hosts_parts.h"

#include "base/sort.h"

enum { TRIES = 16, NARROW = 16, SHORT = 48 };

typedef struct search {
  hc_hosts *h;
  const hc_request *r;
  const hc_chooser *c;
  hc_hosts_facts facts;
  const hc_hosts_bits *among; /* NULL: all */
  const hc_range *ranges;     /* [range_count] ascending, disjoint, of hosts that are there */
  size_t range_count;
  bool everywhere;  /* no host is left out: what fails, fails on all */
  bool guarded;     /* `admits` has something to say */
  bool is_distinct; /* no host twice */
  bool claims;      /* what is placed is claimed on the way */
  uint64_t epoch;
  uint32_t turn;
  hc_draws draws;
} search;

/* ---- hosts that may be used ---- */

/* Is nothing in the way but what is free? */
static bool admits(const search *s, const hc_hosts_want *w, uint32_t host)
{
  const hc_hosts *h = s->h;
  const bool is_ours = h->used && h->used[host] == s->epoch;
  if (h->gate && h->gate->admits && !h->gate->admits(h->gate->ctx, host, w ? w->row : NULL)) return false;
  if (is_ours) return !s->is_distinct;
  if (s->facts.differ >= 0) {
    const uint32_t zone = hc_hosts_zone_of(h, s->facts.differ, host);
    if (zone == HC_NO_NAME || h->zones[s->facts.differ].used[zone] == s->epoch) return false;
  }
  return !hc_hosts_is_limited(s->facts.more) || hc_hosts_limits_allow(h, &s->facts, host);
}

static void mark(search *s, uint32_t host)
{
  hc_hosts *h = s->h;
  if (!h->used) return;
  h->used[host] = s->epoch;
  if (s->facts.differ >= 0)
    h->zones[s->facts.differ].used[hc_hosts_zone_of(h, s->facts.differ, host)] = s->epoch;
}

/* The first range that ends behind a host. */
static size_t range_behind(const search *s, uint32_t host)
{
  size_t low = 0, n = s->range_count;
  while (n > 0) {
    const size_t half = n / 2;
    const hc_range *r = &s->ranges[low + half];
    if ((uint64_t)r->first + r->count <= host) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

static uint32_t next_idle(const search *s, const hc_hosts_want *w, uint32_t from, uint32_t to)
{
  const hc_hosts_bits *idle = &s->h->idle;
  for (uint32_t host = hc_hosts_bits_next(idle, from); host < to; host = hc_hosts_bits_next(idle, host + 1))
    if ((!s->among || hc_hosts_bits_has(s->among, host)) && (!w || hc_hosts_index_fits(s->h, w->row, host)))
      return host;
  return HC_NO_HOST;
}

/* The lowest host in [from, to) that may be used and where it fits. @param w NULL: the host as a whole */
static uint32_t next(search *s, const hc_hosts_want *w, uint32_t from, uint32_t to)
{
  for (size_t i = range_behind(s, from); i < s->range_count && s->ranges[i].first < to; i++) {
    const uint32_t end = HC_MIN(to, s->ranges[i].first + s->ranges[i].count);
    uint32_t at = HC_MAX(from, s->ranges[i].first);
    while (at < end) {
      const uint32_t host =
          s->r->whole ? next_idle(s, w, at, end) : hc_hosts_index_seek(s->h, w->row, at, end, s->among);
      if (host == HC_NO_HOST) break;
      if (!s->guarded || admits(s, w, host)) return host;
      at = host + 1;
    }
  }
  return HC_NO_HOST;
}

static bool may_use(const search *s, const hc_hosts_want *w, uint32_t host)
{
  const hc_hosts *h = s->h;
  if (s->r->whole && !hc_hosts_bits_has(&h->idle, host)) return false;
  if (w && !hc_hosts_index_fits(h, w->row, host)) return false;
  return (!s->among || hc_hosts_bits_has(s->among, host)) && (!s->guarded || admits(s, w, host));
}

/* ---- choosers ---- */

/* What a placement sees of a host: dimensions of the cell as a whole are left out. */
typedef struct picture {
  hc_host_view view;
  uint8_t which[HC_DIMENSIONS];
  int64_t need[HC_DIMENSIONS], free[HC_DIMENSIONS], capacity[HC_DIMENSIONS];
} picture;

static uint32_t without_shared(const hc_hosts *h, const int64_t *from, int64_t *to)
{
  uint32_t n = 0;
  for (uint32_t d = 0; d < h->dims; d++)
    if (!h->is_shared[d]) to[n++] = from[d];
  return n;
}

static const hc_host_view *look(const search *s, const hc_hosts_want *w, uint32_t host, picture *p)
{
  const hc_hosts *h = s->h;
  const int64_t *cap = h->caps + (size_t)host * h->dims;
  hc_host_view *v = &p->view;
  *v = (hc_host_view){.host = host,
                      .class_id = h->spec->class_of[host],
                      .dimensions = h->dims,
                      .device_count = hc_hosts_device_count(h, host),
                      .which = h->which,
                      .need = w && !s->r->whole ? w->row : cap,
                      .free = hc_hosts_row(h, host),
                      .capacity = cap,
                      .devices = h->devices ? hc_hosts_devices_of(h, host) : NULL,
                      .cell = &h->totals,
                      .speed = h->spec->classes[h->spec->class_of[host]].speed,
                      .estimate = s->r->estimate,
                      .window = HC_NEVER};
  if (s->r->more != 0) {
    const hc_task_extras *m = hc_lexicon_more(h->lexicon, s->r->more);
    v->prefers = m->prefers;
    v->prefer_count = m->prefer_count;
  }
  if (!h->has_shared) {
    if (h->gate && h->gate->look) h->gate->look(h->gate->ctx, v);
    return v;
  }
  v->dimensions = without_shared(h, v->need, p->need);
  (void)without_shared(h, v->free, p->free);
  (void)without_shared(h, v->capacity, p->capacity);
  for (uint32_t d = 0, n = 0; d < h->dims; d++)
    if (!h->is_shared[d]) p->which[n++] = h->which[d];
  v->which = p->which;
  v->need = p->need;
  v->free = p->free;
  v->capacity = p->capacity;
  if (h->gate && h->gate->look) h->gate->look(h->gate->ctx, v);
  return v;
}

/* No number is the worst score. */
static double score_of(const search *s, const hc_hosts_want *w, uint32_t host)
{
  picture p;
  const double x = s->c->score(s->c->self, look(s, w, host, &p));
  return x == x ? x : -__builtin_inf();
}

/* A host, its score, and what decides among equal ones. */
typedef struct scored {
  double score, tie;
  uint32_t host, padding;
} scored;
_Static_assert(sizeof(scored) == 24, "hosts.c gives them back");

static scored score_both(const search *s, const hc_hosts_want *w, uint32_t host)
{
  scored x = {.score = score_of(s, w, host), .host = host};
  picture p;
  if (s->c->tie) x.tie = s->c->tie(s->c->self, look(s, w, host, &p));
  return x;
}

static bool is_better(const scored *a, const scored *b)
{
  if (a->score != b->score) return a->score > b->score;
  if (a->tie != b->tie) return a->tie > b->tie;
  return a->host < b->host;
}

/* Let scores that are relative to others know which these are. */
static void meet(const search *s, const hc_hosts_want *w, uint32_t host)
{
  picture p;
  s->c->meet(s->c->self, look(s, w, host, &p));
}

/* Each host that fits, in turn. */
static uint32_t pick_best_of_all(search *s, const hc_hosts_want *w)
{
  const uint32_t first = next(s, w, 0, s->h->units);
  scored best;
  if (first == HC_NO_HOST || !s->c->score) return first;
  if (s->c->meet) {
    s->c->meet(s->c->self, NULL);
    for (uint32_t host = first; host != HC_NO_HOST; host = next(s, w, host + 1, s->h->units))
      meet(s, w, host);
  }
  best = score_both(s, w, first);
  for (uint32_t host = first; (host = next(s, w, host + 1, s->h->units)) != HC_NO_HOST;) {
    const scored x = score_both(s, w, host);
    if (is_better(&x, &best)) best = x;
  }
  return best.host;
}

HC_SORT(sort_scored, scored, is_better(a, b))

/* On few hosts those that fit are the bits of a word, and a task that wants more of them than there are is
 * told at once. */
static uint64_t few_that_fit(const search *s, const hc_hosts_want *w)
{
  uint64_t in = 0;
  for (size_t i = 0; i < s->range_count; i++)
    in |= (s->ranges[i].count < 64 ? (UINT64_C(1) << s->ranges[i].count) - 1 : ~UINT64_C(0))
          << s->ranges[i].first;
  if (s->among) in &= s->among->words[0][0];
  return hc_hosts_few_fit(s->h, w->row, in);
}

/* Every host that fits and may be used, to h->scored. */
static hc_rc list_room(search *s, const hc_hosts_want *w, size_t *count)
{
  hc_hosts *h = s->h;
  size_t n = 0;
  if (h->units <= HC_HOSTS_FEW) {
    TRY(hc_reserve(h->allocator, &h->scored, &h->scored_cap, HC_HOSTS_FEW, sizeof(scored)));
    for (uint64_t fit = few_that_fit(s, w); fit != 0; fit &= fit - 1) {
      const uint32_t host = (uint32_t)__builtin_ctzll(fit);
      if (!s->guarded || admits(s, w, host)) ((scored *)h->scored)[n++] = (scored){.host = host};
    }
    *count = n;
    return 0;
  }
  for (uint32_t host = next(s, w, 0, h->units); host != HC_NO_HOST; host = next(s, w, host + 1, h->units)) {
    TRY(hc_reserve(h->allocator, &h->scored, &h->scored_cap, n + 1, sizeof(scored)));
    ((scored *)h->scored)[n++] = (scored){.host = host};
  }
  *count = n;
  return 0;
}

/* The best `count` hosts at once, for slots that go on different hosts and so leave the others' scores alone:
 * in the order in which they would be picked one after the other. @return how many there are, in h->scored. */
static hc_rc pick_many(search *s, const hc_hosts_want *w, uint32_t count, uint32_t *found)
{
  scored *list;
  size_t n;
  TRY(list_room(s, w, &n));
  list = s->h->scored;
  *found = (uint32_t)HC_MIN(n, count);
  if (n < count) return 0;
  if (s->c->meet) {
    s->c->meet(s->c->self, NULL);
    for (size_t i = 0; i < n; i++) meet(s, w, list[i].host);
  }
  for (size_t i = 0; i < n; i++) {
    scored x = score_both(s, w, list[i].host);
    size_t at = i;
    for (; n <= SHORT && at > 0 && is_better(&x, &list[at - 1]); at--) list[at] = list[at - 1];
    list[at] = x;
  }
  if (n > SHORT) sort_scored(list, n);
  return 0;
}

typedef struct asking {
  search *s;
  const hc_hosts_want *w;
} asking;

static double ask_score(void *self, uint32_t host)
{
  const asking *a = self;
  return score_of(a->s, a->w, host);
}

static bool ask_use(void *self, uint32_t host)
{
  const asking *a = self;
  const search *s = a->s;
  const size_t i = range_behind(s, host);
  return i < s->range_count && s->ranges[i].first <= host &&
         (!s->among || hc_hosts_bits_has(s->among, host)) && (!s->guarded || admits(s, a->w, host));
}

/* Most hosts left out: then it is cheaper to look at those that are not. */
static bool is_narrow(const search *s)
{
  uint64_t hosts = 0;
  for (size_t i = 0; i < s->range_count; i++) hosts += s->ranges[i].count;
  if (s->facts.allowed) hosts = HC_MIN(hosts, s->facts.allowed->count);
  return hosts < s->h->units / NARROW;
}

static hc_rc pick_best(search *s, const hc_hosts_want *w, uint32_t *out)
{
  asking a = {s, w};
  const hc_hosts_asker ask = {
      .self = &a, .chooser = s->c, .may_use = s->everywhere ? NULL : ask_use, .score = ask_score};
  if (!s->c->score || !s->c->bound || s->r->whole || is_narrow(s)) {
    *out = pick_best_of_all(s, w);
    return 0;
  }
  TRY(hc_hosts_shapes_build(s->h));
  return hc_hosts_shapes_best(s->h, w, &ask, out);
}

static uint32_t pick_next(search *s, const hc_hosts_want *w)
{
  const uint32_t host = next(s, w, s->turn, s->h->units);
  return host != HC_NO_HOST ? host : next(s, w, 0, s->turn);
}

/* Host number `i` of the ranges. */
static uint32_t host_at(const search *s, uint64_t i)
{
  size_t r = 0;
  for (; i >= s->ranges[r].count; r++) i -= s->ranges[r].count;
  return s->ranges[r].first + (uint32_t)i;
}

static hc_rc list_fitting(search *s, const hc_hosts_want *w, size_t *count)
{
  hc_hosts *h = s->h;
  *count = 0;
  for (uint32_t host = next(s, w, 0, h->units); host != HC_NO_HOST; host = next(s, w, host + 1, h->units)) {
    TRY(hc_reserve(h->allocator, (void **)&h->drawn, &h->drawn_cap, *count + 1, sizeof *h->drawn));
    h->drawn[(*count)++] = host;
  }
  return 0;
}

/* One host that fits, uniformly. @param listed of those in `drawn`; SIZE_MAX: not listed yet */
static hc_rc draw(search *s, const hc_hosts_want *w, uint64_t total, size_t *listed, uint32_t *out)
{
  for (int i = 0; i < TRIES && *listed == SIZE_MAX; i++) {
    *out = host_at(s, hc_random_below(&s->draws, total));
    if (may_use(s, w, *out)) return 0;
  }
  if (*listed == SIZE_MAX) TRY(list_fitting(s, w, listed));
  *out = *listed == 0 ? HC_NO_HOST : s->h->drawn[hc_random_below(&s->draws, *listed)];
  return 0;
}

static hc_rc pick_sample(search *s, const hc_hosts_want *w, uint32_t *out)
{
  uint64_t total = 0;
  size_t listed = SIZE_MAX;
  double most = 0;
  *out = HC_NO_HOST;
  for (size_t i = 0; i < s->range_count; i++) total += s->ranges[i].count;
  if (total == 0) return 0;
  for (uint32_t k = 0; k == 0 || (k < s->c->sample && s->c->score); k++) {
    uint32_t host;
    double x;
    TRY(draw(s, w, total, &listed, &host));
    if (host == HC_NO_HOST) return 0;
    x = s->c->score ? score_of(s, w, host) : 0;
    if (k > 0 && !(x > most)) continue;
    most = x;
    *out = host;
  }
  return 0;
}

/* @param from where the first fit looks on; HC_NO_HOST comes out if none is left */
static hc_rc pick(search *s, const hc_hosts_want *w, uint32_t from, uint32_t *out)
{
  switch (s->c->how) {
    case HC_CHOOSE_FIRST: *out = next(s, w, from, s->h->units); break;
    case HC_CHOOSE_NEXT:
      *out = pick_next(s, w);
      if (*out != HC_NO_HOST) s->turn = *out + 1 < s->h->units ? *out + 1 : 0;
      break;
    case HC_CHOOSE_BEST: return pick_best(s, w, out);
    case HC_CHOOSE_SET: *out = next(s, w, from, s->h->units); break; /* place_set has been asked */
    case HC_CHOOSE_SAMPLE: return pick_sample(s, w, out);
  }
  return 0;
}

/* ---- placing ---- */

static hc_rc push(hc_hosts *h, hc_grant g)
{
  TRY(hc_reserve(h->allocator, (void **)&h->grants, &h->grant_cap, h->grant_count + 1, sizeof *h->grants));
  h->grants[h->grant_count++] = g;
  return 0;
}

static hc_devices devices_of(const search *s, const hc_hosts_want *w, uint32_t host)
{
  const hc_hosts *h = s->h;
  const int32_t *devices = hc_hosts_devices_of(h, host);
  if (s->c->devices) {
    picture p;
    const hc_devices said = s->c->devices(s->c->self, look(s, w, host, &p), w->gpu);
    if (hc_hosts_device_fits(devices, h->device_cap, w->gpu, 1, said)) return said;
  }
  return hc_hosts_device_pick(devices, h->device_cap, w->gpu);
}

/* One grant, claimed if others follow. */
static hc_rc put(search *s, const hc_hosts_want *w, hc_grant g)
{
  TRY(push(s->h, g));
  if (!s->claims) return 0;
  if (s->r->whole) hc_hosts_claim_whole(s->h, g.host);
  else hc_hosts_claim(s->h, w, &g);
  return 0;
}

static hc_rc put_slots(search *s, const hc_hosts_want *w, uint32_t host, uint32_t n, uint32_t chunk)
{
  hc_hosts *h = s->h;
  const bool has_devices = hc_hosts_device_count(h, host) > 0;
  const bool singly = chunk > 0 || (has_devices && !s->r->whole && w->gpu > 0);
  mark(s, host);
  if (s->r->whole) {
    hc_grant all = {.host = host, .slots = 1, .chunk = chunk};
    for (uint32_t i = hc_hosts_device_count(h, host); i-- > 0;) hc_devices_add(&all.devices, i);
    return put(s, w, all);
  }
  if (!singly) return put(s, w, (hc_grant){.host = host, .slots = n});
  for (; n > 0; n--) {
    hc_grant g = {.host = host, .slots = 1, .chunk = chunk};
    if (has_devices && w->gpu > 0) g.devices = devices_of(s, w, host);
    TRY(put(s, w, g));
  }
  return 0;
}

static bool is_nothing(const hc_hosts *h, const hc_hosts_want *w)
{
  for (uint32_t c = 0; c < h->columns; c++)
    if (w->row[c] != 0) return false;
  return true;
}

/* Scores that no bound helps with, one slot a host: one look at each host is enough. */
static bool is_many(const search *s, uint32_t count)
{
  return count > 1 && s->is_distinct && !s->r->whole && s->facts.differ < 0 && s->c->how == HC_CHOOSE_BEST &&
         s->c->score && !s->c->bound;
}

static hc_rc place_many(search *s, const hc_hosts_want *w, uint32_t count, uint32_t chunk)
{
  uint32_t n;
  TRY(pick_many(s, w, count, &n));
  if (n < count) return 0;
  for (uint32_t i = 0; i < n; i++) TRY(put_slots(s, w, ((const scored *)s->h->scored)[i].host, 1, chunk));
  return 1;
}

/* One slot on each of `count` hosts. @param fit those with room; a host that may not be used is left for another, which
 * is as uniform as drawing among those that may */
static hc_rc place_few(search *s, const hc_hosts_want *w, uint32_t count, uint32_t chunk, uint64_t fit)
{
  hc_draw_block draws = {.s = s->draws};
  for (uint32_t n = hc_hosts_few_count(fit); count > 0 && n >= count; n--) {
    const uint64_t bit = hc_hosts_few_next(s->c, fit, n, s->turn, &draws);
    const uint32_t host = (uint32_t)__builtin_ctzll(bit);
    fit ^= bit;
    if (s->guarded && !admits(s, w, host)) continue;
    if (s->c->how == HC_CHOOSE_NEXT) s->turn = host + 1 < s->h->units ? host + 1 : 0;
    TRY(put_slots(s, w, host, 1, chunk));
    count--;
  }
  s->draws = draws.s;
  return count == 0;
}

static bool are_few(const search *s, uint32_t count)
{
  return s->h->units <= HC_HOSTS_FEW && !s->r->whole && s->facts.differ < 0 && (s->is_distinct || count == 1);
}

static bool picks_of_few(const hc_chooser *c)
{
  return c->how == HC_CHOOSE_FIRST || c->how == HC_CHOOSE_NEXT || (c->how == HC_CHOOSE_SAMPLE && !c->score);
}

/* Rooms of all hosts that fit, behind the hosts that the task has already. */
static hc_rc list_rooms(search *s, const hc_hosts_want *w, uint32_t wanted, hc_arrangement *a, uint64_t *sum)
{
  hc_hosts *h = s->h;
  const bool one = s->is_distinct || s->r->whole, all = !one && is_nothing(h, w);
  uint32_t *placed;
  TRY(hc_reserve(h->allocator, &h->scored, &h->scored_cap, h->grant_count + 1 + h->units, sizeof(scored)));
  placed = h->scored;
  for (size_t i = 0; i < h->grant_count; i++) placed[i] = h->grants[i].host;
  *a = (hc_arrangement){.placed = placed, .placed_count = h->grant_count, .wanted = wanted};
  a->rooms = (hc_host_room *)(void *)((scored *)h->scored + h->grant_count);
  *sum = 0;
  for (uint32_t host = next(s, w, 0, h->units); host != HC_NO_HOST; host = next(s, w, host + 1, h->units)) {
    const uint64_t slots = one ? 1 : all ? wanted : HC_MIN(hc_hosts_slots_on(h, host, w), (uint64_t)wanted);
    a->rooms[a->count++] = (hc_host_room){host, (uint32_t)slots};
    *sum += slots;
  }
  return 0;
}

/* All at once; one by one where what is placed decides where others may be. */
static hc_rc place_set(search *s, const hc_hosts_want *w, uint32_t count, uint32_t chunk)
{
  const bool singly = s->facts.differ >= 0 || hc_hosts_is_limited(s->facts.more);
  while (count > 0) {
    const uint32_t wanted = singly ? 1 : count;
    hc_arrangement a;
    uint64_t sum;
    TRY(list_rooms(s, w, wanted, &a, &sum));
    if (sum < wanted) return 0;
    s->c->arrange(s->c->self, &a);
    for (size_t i = 0; i < a.count; i++)
      if (a.rooms[i].slots > 0) TRY(put_slots(s, w, a.rooms[i].host, a.rooms[i].slots, chunk));
    count -= wanted;
  }
  return 1;
}

/* @return 1: all of them have a place; 0: not all. */
static hc_rc place(search *s, const hc_hosts_want *w, uint32_t count, uint32_t chunk)
{
  hc_hosts *h = s->h;
  const bool one = s->is_distinct || s->r->whole;
  const bool fills = !one && (s->c->how == HC_CHOOSE_FIRST || s->c->how == HC_CHOOSE_NEXT);
  const bool at_once = !one && s->c->how == HC_CHOOSE_BEST && is_nothing(h, w);
  uint32_t from = 0;
  if (w && !s->r->whole && hc_hosts_memo_knows(h, w->row)) return 0;
  if (are_few(s, count)) {
    const uint64_t fit = few_that_fit(s, w);
    if (hc_hosts_few_count(fit) < count) return 0;
    if (picks_of_few(s->c)) return place_few(s, w, count, chunk, fit);
  }
  if (is_many(s, count)) return place_many(s, w, count, chunk);
  if (s->c->how == HC_CHOOSE_SET) return place_set(s, w, count, chunk);
  while (count > 0) {
    uint32_t host = HC_NO_HOST, n = 1;
    TRY(pick(s, w, from, &host));
    if (host == HC_NO_HOST) {
      if (s->everywhere && h->grant_count == 0 && w && !s->r->whole) hc_hosts_memo_add(h, w->row);
      return 0;
    }
    if (fills) n = (uint32_t)HC_MIN(count, hc_hosts_slots_on(h, host, w));
    if (at_once) n = count;
    TRY(put_slots(s, w, host, n, chunk));
    count -= n;
    from = host + (one || fills);
  }
  return 1;
}

/* What was claimed on the way, in the opposite order. */
static void undo(search *s, const hc_hosts_want *own)
{
  hc_hosts *h = s->h;
  hc_hosts_want other;
  uint32_t chunk = 0;
  for (size_t i = h->grant_count; s->claims && i-- > 0;) {
    const hc_grant *g = &h->grants[i];
    if (s->r->whole) {
      hc_hosts_release_whole(h, g->host);
      continue;
    }
    if (g->chunk != 0 && g->chunk != chunk)
      (void)hc_hosts_want_chunk(h, &s->facts.more->chunks[(chunk = g->chunk) - 1], &other);
    hc_hosts_release(h, g->chunk == 0 ? own : &other, g);
  }
}

/* All within the ranges of the search. @return 1: `grants` has it, in the order of placing; 0: it does not fit. */
static hc_rc attempt(search *s, const hc_hosts_want *own)
{
  hc_hosts *h = s->h;
  const hc_task_extras *m = s->facts.more;
  hc_rc rc;
  h->grant_count = 0;
  s->turn = h->turn;
  s->epoch = ++h->epoch;
  rc = place(s, s->r->whole && is_nothing(h, own) ? NULL : own, s->r->slots, 0);
  for (size_t i = 0; rc > 0 && m && i < m->chunk_count; i++) {
    hc_hosts_want w;
    rc = m->chunks[i].hosts <= HC_HOSTS_SLOTS && hc_hosts_want_chunk(h, &m->chunks[i], &w)
             ? place(s, &w, m->chunks[i].hosts, (uint32_t)i + 1)
             : 0;
  }
  undo(s, own);
  return rc;
}

/* ---- one zone after the other ---- */

static hc_rc cross(search *s, const hc_range *a, size_t n, const hc_range *b, size_t m)
{
  hc_hosts *h = s->h;
  size_t count = 0;
  for (size_t i = 0, j = 0; i < n && j < m;) {
    const uint32_t a_end = a[i].first + a[i].count, b_end = b[j].first + b[j].count;
    const uint32_t first = HC_MAX(a[i].first, b[j].first), end = HC_MIN(a_end, b_end);
    if (first < end) {
      TRY(hc_reserve(h->allocator, (void **)&h->ranges, &h->range_cap, count + 1, sizeof *h->ranges));
      h->ranges[count++] = (hc_range){first, end - first};
    }
    if (a_end <= b_end) i++;
    else j++;
  }
  s->ranges = h->ranges;
  s->range_count = count;
  return 0;
}

static hc_rc attempt_zones(search *s, const hc_hosts_want *own)
{
  const hc_range *scope = s->ranges;
  const size_t scope_count = s->range_count;
  const int level = s->facts.same;
  const hc_hosts_level *z = &s->h->zones[level];
  TRY(hc_hosts_level_build(s->h, level));
  s->everywhere = false;
  for (uint32_t zone = 0; zone < s->h->spec->levels[level].zone_count; zone++) {
    hc_rc rc;
    TRY(cross(s, scope, scope_count, z->ranges + z->begin[zone], z->begin[zone + 1] - z->begin[zone]));
    if (s->range_count == 0) continue;
    rc = attempt(s, own);
    if (rc != 0) return rc;
  }
  return 0;
}

/* ---- the choice as it is told ---- */

HC_SORT(sort_grants, hc_grant,
        a->host != b->host                         ? a->host < b->host
        : a->chunk != b->chunk                     ? a->chunk < b->chunk
        : a->devices.bits[1] != b->devices.bits[1] ? a->devices.bits[1] < b->devices.bits[1]
                                                   : a->devices.bits[0] < b->devices.bits[0])

/* Ascending by host; slots of the task's own need on one host are one grant, but for parts of different GPUs. */
static void finish(hc_hosts *h, const hc_hosts_want *own)
{
  size_t n = 0;
  sort_grants(h->grants, h->grant_count);
  for (size_t i = 0; i < h->grant_count; i++) {
    const hc_grant g = h->grants[i];
    hc_grant *last = n > 0 ? &h->grants[n - 1] : NULL;
    const bool joins = last && g.chunk == 0 && last->chunk == 0 && last->host == g.host &&
                       (own->gpu >= HC_DEVICE || memcmp(&last->devices, &g.devices, sizeof g.devices) == 0);
    if (joins) {
      last->slots += g.slots;
      for (int k = 0; k < 2; k++) last->devices.bits[k] |= g.devices.bits[k];
    } else {
      h->grants[n++] = g;
    }
  }
  h->grant_count = n;
}

static bool is_ascending(const hc_hosts *h, const hc_range *ranges, size_t n)
{
  uint64_t end = 0;
  for (size_t i = 0; i < n; i++) {
    if (ranges[i].first < end) return false;
    end = (uint64_t)ranges[i].first + ranges[i].count;
  }
  return end <= h->units;
}

static hc_rc choose(hc_hosts *h, const hc_request *r, const hc_chooser *c, const hc_range *ranges,
                    size_t count, bool everywhere)
{
  search s = {.h = h, .r = r, .c = c, .ranges = ranges, .range_count = count};
  int64_t shared[HC_DIMENSIONS];
  hc_hosts_want own;
  hc_rc rc;
  if (r->slots > HC_HOSTS_SLOTS || !is_ascending(h, ranges, count)) return 0;
  if (!r->need) own = (hc_hosts_want){0};
  else if (!hc_hosts_want_of(h, r->need, &own)) return 0;
  TRY(hc_hosts_facts_of(h, r->more, &s.facts));
  if (s.facts.nowhere) return 0;
  if (h->has_shared && !hc_hosts_shared_need(h, r, s.facts.more, shared)) return 0;
  for (uint32_t d = 0; h->has_shared && d < h->dims; d++)
    if (shared[d] > h->shared_free[d]) return 0;
  s.among = s.facts.allowed ? &s.facts.allowed->bits : NULL;
  s.is_distinct = r->spread;
  s.claims = s.facts.more && s.facts.more->chunk_count > 0;
  s.guarded = (r->spread && (r->slots != 1 || s.claims)) || s.facts.differ >= 0 ||
              hc_hosts_is_limited(s.facts.more) || (h->gate && h->gate->admits);
  s.claims |= r->slots != 1 && !r->spread; /* slots on different hosts do not see each other */
  s.everywhere = everywhere && !s.among && !s.guarded;
  s.draws = hc_hosts_draws(h, r);
  if (s.guarded && !h->used && !(h->used = hc_alloc(h->allocator, h->units * sizeof *h->used)))
    return HC_ENOMEM;
  rc = s.facts.same >= 0 ? attempt_zones(&s, &own) : attempt(&s, &own);
  if (rc <= 0) return rc;
  h->turn = s.turn;
  finish(h, &own);
  return (hc_rc)HC_MIN(h->grant_count, INT32_MAX);
}

/* Anywhere, the first or the next, as the tree has it. */
static inline uint32_t find(hc_hosts *h, const int64_t *need, hc_choice how)
{
  const uint32_t from = how == HC_CHOOSE_NEXT ? h->turn : 0;
  uint32_t host;
  if (h->memo_count > 0 && hc_hosts_memo_knows(h, need)) return HC_NO_HOST;
  host = hc_hosts_index_seek(h, need, from, h->units, NULL);
  if (host == HC_NO_HOST && from > 0) host = hc_hosts_index_seek(h, need, 0, from, NULL);
  if (host == HC_NO_HOST) hc_hosts_memo_add(h, need);
  else if (how == HC_CHOOSE_NEXT) h->turn = host + 1 < h->units ? host + 1 : 0;
  return host;
}

static inline bool is_possible(const int64_t *need)
{
  return (uint64_t)need[0] <= HC_HOSTS_MOST && (uint64_t)need[1] <= HC_HOSTS_MOST;
}

uint32_t hc_hosts_find_plain(hc_hosts *h, const int64_t *need, hc_choice how)
{
  return is_possible(need) ? find(h, need, how) : HC_NO_HOST;
}

/* One slot, nothing rare: the whole cost is the search. By the general search a stream of small tasks under
 * EASY takes 13 % more instructions (docs/notes/003). */
static hc_rc choose_plainly(hc_hosts *h, const hc_request *r, const hc_chooser *c, const hc_grant **out)
{
  const int64_t *need = r->need;
  hc_hosts_want w;
  hc_devices devices = {0};
  uint32_t host;
  *out = h->grants;
  w.gpu = 0;
  if (!h->is_plain) {
    if (!hc_hosts_want_of(h, r->need, &w)) return 0;
    need = w.row;
  } else if (!is_possible(need)) {
    return 0;
  }
  host = find(h, need, c->how);
  if (host == HC_NO_HOST) return 0;
  if (w.gpu > 0 && hc_hosts_class_devices(h, host) > 0) {
    const search s = {.h = h, .r = r, .c = c};
    devices = devices_of(&s, &w, host);
  }
  h->grants[0] = (hc_grant){.host = host, .slots = 1, .devices = devices};
  h->grant_count = 1;
  return 1;
}

static bool is_found_at_once(const hc_hosts *h, const hc_request *r, const hc_chooser *c)
{
  return r->slots == 1 && r->more == 0 && !r->whole && !h->has_shared &&
         (c->how == HC_CHOOSE_FIRST || c->how == HC_CHOOSE_NEXT) && !(h->gate && h->gate->admits);
}

hc_rc hc_hosts_choose(hc_hosts *h, const hc_request *r, const hc_chooser *c, const hc_range *scope,
                      size_t scope_count, const hc_grant **out)
{
  const hc_range all = {0, h->units};
  hc_rc rc;
  if (h->units > HC_HOSTS_FAN && scope_count == 0 && is_found_at_once(h, r, c))
    return choose_plainly(h, r, c, out);
  if (scope_count == 0 && hc_hosts_few_suits(h, r, c)) rc = hc_hosts_few_choose(h, r, c);
  else rc = scope_count == 0 ? choose(h, r, c, &all, 1, true) : choose(h, r, c, scope, scope_count, false);
  *out = h->grants;
  return rc;
}

hc_rc hc_hosts_choose_on(hc_hosts *h, const hc_request *r, const hc_range *hosts, size_t count,
                         const hc_grant **out)
{
  const hc_chooser first = {.how = HC_CHOOSE_FIRST};
  const hc_rc rc = choose(h, r, &first, hosts, count, false);
  *out = h->grants;
  return rc;
}

/* What is dealt on each host, and how much of it has been given out. */
typedef struct dealing {
  const hc_host_room *dealt;
  size_t count, at; /* at: the one whose turn it is */
  uint32_t given;   /* of that one */
} dealing;

/* Slots that are dealt a host, wherever it has room; fewer than are dealt are no arrangement. */
static void deal(void *self, hc_arrangement *a)
{
  dealing *d = self;
  uint32_t left = a->wanted;
  for (size_t i = 0; i < a->count; i++) {
    hc_host_room *room = &a->rooms[i];
    const bool is_next = d->at < d->count && d->dealt[d->at].host == room->host;
    const uint32_t n = is_next ? HC_MIN(left, d->dealt[d->at].slots - d->given) : 0;
    room->slots = n <= room->slots ? n : 0;
    left -= room->slots;
    if (room->slots == 0) continue;
    d->given += room->slots;
    if (d->given < d->dealt[d->at].slots) continue;
    d->at++;
    d->given = 0;
  }
}

static uint32_t granted(const hc_hosts *h)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < h->grant_count; i++) sum += h->grants[i].slots;
  return (uint32_t)HC_MIN(sum, UINT32_MAX);
}

hc_rc hc_hosts_choose_dealt(hc_hosts *h, const hc_request *r, const hc_host_room *dealt, size_t count,
                            const hc_grant **out)
{
  dealing d = {.dealt = dealt, .count = count};
  const hc_chooser one = {.how = HC_CHOOSE_SET, .self = &d, .arrange = deal};
  hc_rc rc;
  TRY(hc_reserve(h->allocator, (void **)&h->dealt, &h->dealt_cap, count + 1, sizeof *h->dealt));
  for (size_t i = 0; i < count; i++) h->dealt[i] = (hc_range){dealt[i].host, 1};
  rc = choose(h, r, &one, h->dealt, count, false);
  *out = h->grants;
  return rc > 0 && granted(h) != r->slots ? 0 : rc;
}

hc_rc hc_hosts_rank(hc_hosts *h, const hc_request *r, const hc_chooser *c, const hc_range *scope,
                    size_t scope_count, uint32_t chosen, hc_hosts_ranked *out)
{
  const hc_range all = {0, h->units};
  search s = {.h = h,
              .r = r,
              .c = c,
              .ranges = scope_count > 0 ? scope : &all,
              .range_count = HC_MAX(scope_count, 1),
              .guarded = true,
              .epoch = UINT64_MAX};
  hc_hosts_want own = {0};
  scored best = {.host = HC_NO_HOST};
  *out = (hc_hosts_ranked){.next = HC_NO_HOST, .has_score = c->score != NULL};
  if (r->need && !hc_hosts_want_of(h, r->need, &own)) return 0;
  TRY(hc_hosts_facts_of(h, r->more, &s.facts));
  s.among = s.facts.allowed ? &s.facts.allowed->bits : NULL;
  for (uint32_t host = 0; (host = next(&s, &own, host, h->units)) != HC_NO_HOST; host++) {
    const scored x = c->score ? score_both(&s, &own, host) : (scored){.host = host};
    if (s.facts.same >= 0 && hc_hosts_zone_of(h, s.facts.same, host) == HC_NO_NAME) continue;
    out->fitting++;
    if (host == chosen) out->score = x.score;
    else if (best.host == HC_NO_HOST || is_better(&x, &best)) best = x;
  }
  out->next = best.host;
  out->next_score = best.score;
  return 0;
}

bool hc_hosts_is_idle(const hc_hosts *h, uint32_t host)
{
  return hc_hosts_bits_has(&h->idle, host);
}

bool hc_hosts_has_room(const hc_hosts *h, uint32_t host, const int64_t *need)
{
  const int64_t *row = hc_hosts_row(h, host);
  for (uint32_t d = 0; d < h->dims; d++)
    if (!h->is_shared[d] && row[d] < need[d]) return false;
  return hc_hosts_takes(h, host);
}

bool hc_hosts_takes_new(const hc_hosts *h, uint32_t host)
{
  return hc_hosts_takes(h, host);
}

void hc_hosts_set_gate(hc_hosts *h, const hc_hosts_gate *gate)
{
  h->gate = gate;
}
