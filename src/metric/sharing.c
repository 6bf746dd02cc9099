/* sharing.c -- the books of metrics of fairness. See sharing.h.
 *
 * What tasks hold and want is kept in whole amounts, added and taken away, so the books depend on what is
 * there and not on how it came about. The order of the active users does depend on that, and is saved with
 * them. */
#include "metric/sharing.h"

#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"

/* ---- birth ---- */

/* A user goes by the name that the source has, else by its number. */
static double weight_of(const hc_sharing *s, int64_t user)
{
  const char *name = s->lexicon ? hc_lexicon_called(s->lexicon, HC_CALLED_USER, user) : NULL;
  uint32_t own = HC_MAP_NONE;
  if (s->weight_count == 0) return 1;
  if (name) own = hc_names_find(&s->weight_names, name, strlen(name));
  if (own == HC_MAP_NONE) own = hc_map_get(&s->weight_of, (uint64_t)user);
  return own == HC_MAP_NONE ? 1 : s->weights[own];
}

static hc_rc read_weight(hc_sharing *s, const hc_metric_context *c, const char *who, const char *text,
                         hc_error *e)
{
  const char *equal = strrchr(text, '=');
  double weight;
  int64_t user;
  uint32_t name;
  if (!equal || equal == text || hc_parse_real(equal + 1, strlen(equal + 1), &weight) < 0 ||
      !(weight >= 1e-9 && weight <= 1e9))
    return hc_fail(e, HC_EUSAGE, who, 0, 0,
                   "weights: \"%s\" is not a user and its weight; write it as ann=2, from 1e-9 to 1e9", text);
  if (!c->lexicon && hc_parse_int(text, (size_t)(equal - text), &user) < 0)
    return hc_fail(e, HC_EUSAGE, who, 0, 0,
                   "weights: in \"%s\" the user is no number, and no user has a name here", text);
  TRY(hc_names_add(&s->weight_names, text, (size_t)(equal - text), &name));
  if (name < s->weight_count || (hc_parse_int(text, (size_t)(equal - text), &user) == 0 &&
                                 hc_map_get(&s->weight_of, (uint64_t)user) != HC_MAP_NONE))
    return hc_fail(e, HC_EUSAGE, who, 0, 0,
                   "weights: \"%s\" is the second weight of this user; leave one of them", text);
  TRY(hc_reserve(s->allocator, (void **)&s->weights, &s->weight_cap, s->weight_count + 1, sizeof weight));
  if (hc_parse_int(text, (size_t)(equal - text), &user) == 0)
    TRY(hc_map_set(&s->weight_of, (uint64_t)user, (uint32_t)s->weight_count));
  s->weights[s->weight_count++] = weight;
  return 0;
}

static hc_rc set_up(hc_sharing *s, const hc_metric_context *c, const char *who, const hc_list *weights,
                    hc_error *e)
{
  TRY(hc_machine_init(&s->machine, c));
  for (size_t i = 0; weights && i < weights->count; i++)
    TRY(read_weight(s, c, who, ((const char *const *)weights->items)[i], e));
  for (uint32_t d = 0; d < s->machine.width; d++)
    s->whole[d] = s->machine.shared[d] ? 0 : s->machine.total[d] / HC_MAX((int64_t)s->machine.hosts, 1);
  return 0;
}

hc_rc hc_sharing_init(hc_sharing *s, const hc_metric_context *c, const char *who, const hc_list *weights,
                      hc_error *e)
{
  hc_rc rc;
  *s = (hc_sharing){.allocator = c->allocator, .lexicon = c->lexicon, .state = {.at = INT64_MIN}};
  hc_map_init(&s->index, c->allocator);
  hc_map_init(&s->weight_of, c->allocator);
  hc_names_init(&s->weight_names, c->allocator, UINT32_MAX - 1);
  rc = set_up(s, c, who, weights, e);
  return rc == HC_ENOMEM ? hc_fail(e, rc, who, 0, 0, "no memory for the shares of users") : rc;
}

void hc_sharing_fini(hc_sharing *s)
{
  if (!s->allocator) return;
  hc_machine_fini(&s->machine);
  hc_map_fini(&s->index);
  hc_map_fini(&s->weight_of);
  hc_names_fini(&s->weight_names);
  hc_free(s->allocator, s->items, s->cap * sizeof *s->items);
  hc_free(s->allocator, s->active, s->active_cap * sizeof *s->active);
  hc_free(s->allocator, s->left, s->left_cap * sizeof *s->left);
  hc_free(s->allocator, s->weights, s->weight_cap * sizeof *s->weights);
  hc_free(s->allocator, s->room, s->room_cap * sizeof *s->room);
  hc_order_fini(&s->order, s->allocator);
}

/* ---- shares ---- */

int64_t hc_share_of(int64_t amount, int64_t capacity)
{
  hc_int128 x;
  if (amount <= 0 || capacity <= 0) return 0;
  x = (((hc_int128)amount << (HC_SHARE_BITS + 1)) / capacity + 1) >> 1;
  return x > INT64_MAX / 8 ? INT64_MAX / 8 : (int64_t)x;
}

int64_t hc_share_fixed(double share)
{
  const double x = share * HC_SHARE_ONE + 0.5;
  return !(x > 0) ? 0 : x >= (double)(INT64_MAX / 8) ? INT64_MAX / 8 : (int64_t)x;
}

double hc_party_wants(const hc_party *p, uint8_t which)
{
  return (double)HC_MAX(p->held[which], 0) + (double)HC_MAX(p->wanted[which], 0);
}

int64_t hc_party_used(const hc_sharing *s, const hc_party *p)
{
  int64_t most = 0;
  for (uint32_t d = 0; d < s->machine.dimensions; d++) {
    const uint8_t which = s->machine.which[d];
    most = HC_MAX(most, hc_share_of(p->held[which], s->machine.total[which]));
  }
  return most;
}

/* Dominant share of all that it wants. */
static int64_t wanted_share(const hc_sharing *s, const hc_party *p)
{
  int64_t most = 0;
  for (uint32_t d = 0; d < s->machine.dimensions; d++) {
    const uint8_t which = s->machine.which[d];
    const int64_t amount = hc_amount_plus(HC_MAX(p->held[which], 0), HC_MAX(p->wanted[which], 0));
    most = HC_MAX(most, hc_share_of(amount, s->machine.total[which]));
  }
  return most;
}

/* Who gets all that it wants has the share of just that, whatever was rounded on the way. */
int64_t hc_party_fair(const hc_sharing *s, const hc_party *p)
{
  const int64_t all = wanted_share(s, p);
  return p->part >= 1 ? all : hc_share_fixed(p->part * ((double)all / HC_SHARE_ONE));
}

int64_t hc_party_entitled(const hc_sharing *s, const hc_party *p, double part)
{
  double x = 1;
  for (uint32_t d = 0; d < s->machine.dimensions; d++) {
    const uint8_t which = s->machine.which[d];
    const double wants = hc_party_wants(p, which);
    if (wants > 0) x = HC_MIN(x, part * (double)HC_MAX(s->machine.total[which], 0) / wants);
  }
  return x >= 1 ? wanted_share(s, p) : hc_share_fixed(x * ((double)wanted_share(s, p) / HC_SHARE_ONE));
}

/* ---- hearing ---- */

static hc_rc find(hc_sharing *s, int64_t user, hc_party **out)
{
  uint32_t at = hc_map_get(&s->index, (uint64_t)user);
  if (at == HC_MAP_NONE) {
    if (s->count >= HC_MAP_NONE) return HC_ELIMIT;
    TRY(hc_reserve(s->allocator, (void **)&s->items, &s->cap, s->count + 1, sizeof *s->items));
    at = (uint32_t)s->count;
    TRY(hc_map_set(&s->index, (uint64_t)user, at));
    s->items[s->count++] = (hc_party){.user = user, .weight = weight_of(s, user), .part = 1};
  }
  *out = &s->items[at];
  return 0;
}

static bool has_any(const hc_party *p)
{
  return p->running > 0 || p->waiting > 0;
}

static hc_rc set_active(hc_sharing *s, hc_party *p)
{
  if (has_any(p) == (p->active_at > 0)) return 0;
  s->state.stale = 1;
  if (p->active_at == 0) {
    TRY(hc_reserve(s->allocator, (void **)&s->active, &s->active_cap, s->active_count + 1,
                   sizeof *s->active));
    s->active[s->active_count++] = (uint64_t)(p - s->items);
    p->active_at = s->active_count;
    return 0;
  }
  TRY(hc_reserve(s->allocator, (void **)&s->left, &s->left_cap, s->left_count + 1, sizeof *s->left));
  s->left[s->left_count++] = (uint64_t)(p - s->items);
  s->active[p->active_at - 1] = s->active[--s->active_count];
  s->items[s->active[p->active_at - 1]].active_at = p->active_at;
  p->active_at = 0;
  return 0;
}

/* A task's claims come one after the other, one for each host: it starts with the first of them. */
static bool is_same_task(hc_sharing *s, const hc_change *c)
{
  hc_sharing_state *x = &s->state;
  const bool same = x->last_is_known && x->last_serial == c->serial && x->last_kind == (int64_t)c->kind;
  x->last_is_known = 1;
  x->last_serial = c->serial;
  x->last_kind = (int64_t)c->kind;
  return same;
}

static void take_or_give(hc_sharing *s, hc_party *p, const hc_change *c)
{
  const bool takes = c->kind == HC_CHANGE_CLAIMED;
  for (uint32_t d = 0; d < s->machine.width; d++)
    p->held[d] = takes ? hc_amount_plus(p->held[d], c->amount[d]) : hc_amount_minus(p->held[d], c->amount[d]);
  if (!is_same_task(s, c)) p->running += takes ? 1 : -1;
}

static void ask(hc_sharing *s, hc_party *p, const hc_change *c)
{
  const bool joins = c->kind == HC_CHANGE_QUEUED;
  for (uint32_t d = 0; d < s->machine.width; d++) {
    const int64_t each = c->whole && !s->machine.shared[d] ? s->whole[d] : c->amount[d];
    const uint64_t times = s->machine.shared[d] ? 1 : c->slots;
    const int64_t all = (int64_t)((uint64_t)each * times);
    p->wanted[d] = joins ? hc_amount_plus(p->wanted[d], all) : hc_amount_minus(p->wanted[d], all);
  }
  p->waiting += joins ? 1 : -1;
  s->state.last_is_known = 0;
}

static hc_rc hear(hc_sharing *s, const hc_change *c)
{
  int64_t more[HC_DIMENSIONS];
  hc_party *p;
  if (c->kind == HC_CHANGE_HOST) {
    s->state.last_is_known = 0;
    if (hc_machine_change(&s->machine, c, more)) s->state.stale = s->state.pending = 1;
    return 0;
  }
  if (c->kind > HC_CHANGE_HOST) return 0;
  TRY(find(s, c->user, &p));
  if (c->kind == HC_CHANGE_CLAIMED || c->kind == HC_CHANGE_RELEASED) take_or_give(s, p, c);
  else ask(s, p, c);
  s->state.pending = 1;
  return set_active(s, p);
}

/* ---- what is fair ---- */

/* Users in the order of `active`; demand of one "task" is all that a user wants, and it can use one. */
static hc_rc compute(hc_sharing *s)
{
  const size_t n = s->active_count, dims = s->machine.dimensions;
  const size_t scratch = hc_fair_scratch((uint32_t)n) / sizeof(double) + 1;
  double capacity[HC_DIMENSIONS], *demand, *weight, *most, *tasks;
  hc_fair_problem p;
  TRY(hc_reserve(s->allocator, (void **)&s->room, &s->room_cap, n * (dims + 3) + scratch, sizeof *s->room));
  demand = s->room;
  weight = demand + n * dims;
  most = weight + n;
  tasks = most + n;
  for (size_t d = 0; d < dims; d++) capacity[d] = (double)HC_MAX(s->machine.total[s->machine.which[d]], 0);
  for (size_t i = 0; i < n; i++) {
    const hc_party *x = hc_sharing_active(s, i);
    for (size_t d = 0; d < dims; d++) demand[i * dims + d] = hc_party_wants(x, s->machine.which[d]);
    weight[i] = x->weight;
    most[i] = 1;
  }
  p = (hc_fair_problem){.users = (uint32_t)n,
                        .dims = (uint32_t)dims,
                        .capacity = capacity,
                        .demand = demand,
                        .weight = weight,
                        .most = most};
  hc_fair_drf_in(&p, tasks + n, tasks);
  for (size_t i = 0; i < n; i++) s->items[s->active[i]].part = tasks[i];
  return 0;
}

/* Has an active user other wants than when shares were computed? A task that starts changes none. */
static bool is_stale(hc_sharing *s)
{
  bool differs = s->state.stale;
  for (size_t i = 0; i < s->active_count; i++) {
    hc_party *p = &s->items[s->active[i]];
    for (uint32_t d = 0; d < s->machine.width; d++) {
      const int64_t wants = hc_amount_plus(HC_MAX(p->held[d], 0), HC_MAX(p->wanted[d], 0));
      differs |= wants != p->settled[d];
      p->settled[d] = wants;
    }
  }
  return differs && s->active_count > 0;
}

static hc_rc close(hc_sharing *s, hc_sharing_closed *closed, void *self)
{
  if (!s->state.pending) return 0;
  if (s->needs_fair && is_stale(s)) TRY(compute(s));
  s->state.pending = s->state.stale = 0;
  TRY(closed(self, s->state.at));
  s->left_count = 0;
  return 0;
}

hc_rc hc_sharing_hear(hc_sharing *s, const hc_change *changes, size_t count, hc_sharing_closed *closed,
                      void *self)
{
  for (size_t i = 0; i < count; i++) {
    if (changes[i].at > s->state.at) {
      TRY(close(s, closed, self));
      s->state.at = changes[i].at;
    }
    TRY(hear(s, &changes[i]));
  }
  return 0;
}

hc_rc hc_sharing_end(hc_sharing *s, hc_sharing_closed *closed, void *self)
{
  return close(s, closed, self);
}

/* ---- order and state ---- */

hc_rc hc_sharing_order(hc_sharing *s)
{
  return hc_order_make(&s->order, s->allocator, s->items, s->count, sizeof *s->items);
}

/* What is loaded may come from a damaged file. The map is made again from the rows. */
static hc_rc check_and_index(hc_sharing *s)
{
  size_t active = 0;
  hc_map_fini(&s->index);
  hc_map_init(&s->index, s->allocator);
  for (size_t i = 0; i < s->count; i++) {
    const hc_party *p = &s->items[i];
    if (!(p->weight > 0 && p->weight <= 1e9) || p->active_at > s->active_count) return HC_EINPUT;
    if (p->active_at > 0 && s->active[p->active_at - 1] != i) return HC_EINPUT;
    active += p->active_at > 0;
    TRY(hc_map_set(&s->index, (uint64_t)p->user, (uint32_t)i));
  }
  for (size_t i = 0; i < s->left_count; i++)
    if (s->left[i] >= s->count) return HC_EINPUT;
  return active == s->active_count && s->index.count == s->count ? 0 : HC_EINPUT;
}

hc_rc hc_sharing_visit(hc_sharing *s, hc_visitor *v)
{
  TRY(hc_machine_visit(&s->machine, v));
  HC_VISIT(v, s->state);
  HC_VISIT_ARRAY(v, s->items, s->count, s->cap);
  HC_VISIT_ARRAY(v, s->active, s->active_count, s->active_cap);
  HC_VISIT_ARRAY(v, s->left, s->left_count, s->left_cap);
  return hc_visit_loading(v) ? check_and_index(s) : 0;
}
