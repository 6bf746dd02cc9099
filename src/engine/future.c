/* future.c -- who holds what on which host, and until when: what runs, until it is expected to end, and what is
 * promised, from its start for as long as it is believed to run.
 *
 * For a selector that promises every waiting task a start (conservative, slack) a reservation on hosts holds amounts
 * on hosts during [at, at + estimate). Each host has a lane: the times at which something is taken from it or given
 * back, in order. The least that is free on a host over some time is a walk along its lane: the minimum of the sum over
 * time, dimension by dimension and device by device, not the sum of all that happens meanwhile. Licences are a lane of
 * their own. Where claims overlap that should not (a task outlived its estimate, a host shrank) amounts are owed, and
 * nothing new fits there.
 *
 * The placement is asked on a second cell of the same hosts (cluster/hosts_pose.c), which between questions is posed
 * as the first stands now. Everything here follows from the tasks and the promises: it is made anew when a task
 * passes its estimate or a host changes, otherwise kept up claim by claim. Cost: making it anew O(n log n) for n
 * spans (a span is a claim on one host); a claim more or less O(its hosts x spans of a host + claims), by moving memory;
 * a look at a host O(its spans). bench/bench_future.c measures it. */
#include "engine/future.h"
#include "engine/claims.h"
#include "engine/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* ---- birth and death ---- */

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static hc_rc find_speeds(hc_engine *e, hc_future *x)
{
  const hc_cell_spec *s = &e->cell_spec;
  x->speeds = hc_alloc(e->allocator, s->class_count * sizeof *x->speeds);
  x->speed_of = hc_alloc(e->allocator, s->class_count * sizeof *x->speed_of);
  x->length = hc_alloc(e->allocator, s->class_count * sizeof *x->length);
  x->reach = hc_alloc(e->allocator, s->class_count * sizeof *x->reach);
  if (!x->speeds || !x->speed_of || !x->length || !x->reach) return HC_ENOMEM;
  for (uint32_t k = 0; k < s->class_count; k++) x->speeds[k] = s->classes[k].speed;
  qsort(x->speeds, s->class_count, sizeof *x->speeds, by_value);
  for (uint32_t k = 0; k < s->class_count; k++)
    if (k == 0 || x->speeds[k] != x->speeds[x->speed_count - 1]) x->speeds[x->speed_count++] = x->speeds[k];
  for (uint32_t k = 0; k < s->class_count; k++)
    while (x->speeds[x->speed_of[k]] != s->classes[k].speed) x->speed_of[k]++;
  return 0;
}

hc_rc hc_future_open(hc_engine *e, hc_error *error)
{
  hc_future *x = hc_alloc(e->allocator, sizeof *x);
  if (!x) return HC_ENOMEM;
  e->future = x;
  x->lane_count = e->cell_spec.units + 1;
  x->stale = true;
  x->version = 1;
  x->claim_vacant = x->span_vacant = x->seat_vacant = HC_FUTURE_NONE;
  x->lanes = hc_alloc(e->allocator, x->lane_count * sizeof *x->lanes);
  x->marked = hc_alloc(e->allocator, x->lane_count);
  x->posed = hc_alloc(e->allocator, x->lane_count * sizeof *x->posed);
  x->due = hc_alloc(e->allocator, x->lane_count * sizeof *x->due);
  if (!x->lanes || !x->marked || !x->posed || !x->due) return HC_ENOMEM;
  TRY(find_speeds(e, x));
  TRY(hc_hosts_new(e->allocator, &e->cell_spec, e->lexicon, (uint64_t)e->options->seed,
                   (uint64_t)e->options->replication, &x->hosts, error));
  hc_hosts_set_gate(x->hosts, &e->gate);
  return 0;
}

void hc_future_close(hc_engine *e)
{
  const hc_allocator *a = e->allocator;
  hc_future *x = e->future;
  if (!x) return;
  for (uint32_t i = 0; x->lanes && i < x->lane_count; i++)
    hc_free(a, x->lanes[i].edges, x->lanes[i].cap * sizeof *x->lanes[i].edges);
  hc_promises_close(e);
  hc_hosts_free(x->hosts);
  hc_free(a, x->lanes, x->lane_count * sizeof *x->lanes);
  hc_free(a, x->turns.edges, x->turns.cap * sizeof *x->turns.edges);
  hc_free(a, x->claims, x->claim_cap * sizeof *x->claims);
  hc_free(a, x->spans, x->span_cap * sizeof *x->spans);
  hc_free(a, x->claim_of, x->claim_of_cap * sizeof *x->claim_of);
  hc_free(a, x->speeds, e->cell_spec.class_count * sizeof *x->speeds);
  hc_free(a, x->speed_of, e->cell_spec.class_count * sizeof *x->speed_of);
  hc_free(a, x->length, e->cell_spec.class_count * sizeof *x->length);
  hc_free(a, x->reach, e->cell_spec.class_count * sizeof *x->reach);
  hc_free(a, x->marked, x->lane_count);
  hc_free(a, x->posed, x->lane_count * sizeof *x->posed);
  hc_free(a, x->due, x->lane_count * sizeof *x->due);
  hc_free(a, x->ranges, x->range_cap * sizeof *x->ranges);
  hc_free(a, x->found.grants, x->found.cap * sizeof *x->found.grants);
  hc_free(a, x, sizeof *x);
}

/* ---- edges in order ---- */

static int in_order(const void *a, const void *b)
{
  const hc_future_edge *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->sign != y->sign) return x->sign > y->sign ? -1 : 1;
  return x->who < y->who ? -1 : x->who > y->who;
}

size_t hc_future_after(const hc_future_lane *l, hc_time at)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (l->edges[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

static size_t place_of(const hc_future_lane *l, const hc_future_edge *x)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (in_order(&l->edges[middle], x) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* What is never given back has no second edge. */
static hc_rc put(hc_engine *e, hc_future_lane *l, hc_future_edge x)
{
  size_t i;
  if (x.at == HC_NEVER) return 0;
  TRY(hc_reserve(e->allocator, (void **)&l->edges, &l->cap, l->count + 1, sizeof *l->edges));
  i = e->future->bulk ? l->count : place_of(l, &x);
  memmove(l->edges + i + 1, l->edges + i, (l->count - i) * sizeof x);
  l->edges[i] = x;
  l->count++;
  return 0;
}

static void drop(hc_future_lane *l, hc_future_edge x)
{
  const size_t i = place_of(l, &x);
  if (i >= l->count || in_order(&l->edges[i], &x) != 0) return;
  l->count--;
  memmove(l->edges + i, l->edges + i + 1, (l->count - i) * sizeof x);
}

static hc_rc put_both(hc_engine *e, hc_future_lane *l, uint32_t who, const hc_future_claim *c)
{
  TRY(put(e, l, (hc_future_edge){c->from, who, -1, c->task, c->promised}));
  return put(e, l, (hc_future_edge){c->to, who, 1, c->task, c->promised});
}

static void drop_both(hc_future_lane *l, uint32_t who, const hc_future_claim *c)
{
  drop(l, (hc_future_edge){.at = c->from, .who = who, .sign = -1});
  drop(l, (hc_future_edge){.at = c->to, .who = who, .sign = 1});
}

/* ---- claims ---- */

hc_rc hc_future_map(hc_engine *e, uint32_t **map, size_t *cap, size_t need)
{
  const size_t was = *cap;
  TRY(hc_reserve(e->allocator, (void **)map, cap, need, sizeof **map));
  for (size_t i = was; i < *cap; i++) (*map)[i] = HC_FUTURE_NONE;
  return 0;
}

static hc_rc new_claim(hc_engine *e, uint32_t *out)
{
  hc_future *x = e->future;
  *out = x->claim_vacant;
  if (*out != HC_FUTURE_NONE) {
    x->claim_vacant = x->claims[*out].span;
    return 0;
  }
  TRY(hc_reserve(e->allocator, (void **)&x->claims, &x->claim_cap, x->claim_count + 1, sizeof *x->claims));
  *out = (uint32_t)x->claim_count++;
  return 0;
}

static hc_rc add_span(hc_engine *e, uint32_t claim, uint32_t host, const hc_hosts_piece *piece)
{
  hc_future *x = e->future;
  hc_future_claim *c = &x->claims[claim];
  uint32_t at = x->span_vacant;
  if (at != HC_FUTURE_NONE) {
    x->span_vacant = x->spans[at].next;
  } else {
    TRY(hc_reserve(e->allocator, (void **)&x->spans, &x->span_cap, x->span_count + 1, sizeof *x->spans));
    at = (uint32_t)x->span_count++;
  }
  x->spans[at] = (hc_future_span){.piece = *piece, .claim = claim, .next = c->span, .host = host};
  c->span = at;
  return put_both(e, &x->lanes[host], at, c);
}

/* The second cell follows what holds now. */
static void pose_now(hc_engine *e, uint32_t host)
{
  hc_future *x = e->future;
  hc_future_lane *l = &x->lanes[host];
  if (x->bulk) return;
  hc_hosts_stand_idle(x->hosts, host, &l->now);
  for (l->next = 0; l->next < l->count && l->edges[l->next].at <= x->at; l->next++)
    hc_hosts_stand_move(&l->now, &x->spans[l->edges[l->next].who].piece, e->tasks.dimensions,
                        l->edges[l->next].sign);
  hc_hosts_pose(x->hosts, host, &l->now);
}

static void pose_claim(hc_engine *e, const hc_future_claim *c)
{
  const hc_future *x = e->future;
  if (c->from > x->at) return;
  for (uint32_t i = c->span; i != HC_FUTURE_NONE; i = x->spans[i].next) pose_now(e, x->spans[i].host);
}

static hc_rc add_claim(hc_engine *e, hc_task id, hc_time from, hc_time to, bool promised,
                       const hc_grant *grants, size_t count)
{
  hc_future *x = e->future;
  const hc_request r = hc_request_of(e, id);
  hc_hosts_piece piece;
  uint32_t claim;
  TRY(hc_future_map(e, &x->claim_of, &x->claim_of_cap, (size_t)id + 1));
  TRY(new_claim(e, &claim));
  x->claims[claim] =
      (hc_future_claim){.task = id, .span = HC_FUTURE_NONE, .from = from, .to = to, .promised = promised};
  x->claim_of[id] = claim;
  for (size_t i = 0; i < count; i++) {
    hc_hosts_piece_of(x->hosts, &r, &grants[i], &piece);
    TRY(add_span(e, claim, grants[i].host, &piece));
  }
  if (hc_hosts_shared_piece(x->hosts, &r, &piece)) TRY(add_span(e, claim, e->cell_spec.units, &piece));
  TRY(put_both(e, &x->turns, claim, &x->claims[claim]));
  pose_claim(e, &x->claims[claim]);
  return 0;
}

/* What holds nothing at any time is left out. A start is known here alone until it is committed, so that what is made
 * anew has to be before it; a promise is found in the list of reservations. */
hc_rc hc_future_add(hc_engine *e, hc_task id, hc_time from, hc_time to, bool promised, const hc_grant *grants,
                    size_t count)
{
  hc_future *x = e->future;
  hc_rc rc;
  if (!promised) TRY(hc_future_ready(e));
  x->version++;
  if (x->stale || from >= to) return 0;
  rc = add_claim(e, id, from, to, promised, grants, count);
  if (rc < 0) x->stale = true;
  return rc;
}

void hc_future_remove(hc_engine *e, hc_task id)
{
  hc_future *x = e->future;
  const uint32_t claim = id < x->claim_of_cap ? x->claim_of[id] : HC_FUTURE_NONE;
  hc_future_claim *c;
  x->version++;
  if (x->stale || claim == HC_FUTURE_NONE) return;
  c = &x->claims[claim];
  drop_both(&x->turns, claim, c);
  for (uint32_t i = c->span, next; i != HC_FUTURE_NONE; i = next) {
    const uint32_t host = x->spans[i].host;
    next = x->spans[i].next;
    drop_both(&x->lanes[host], i, c);
    if (c->from <= x->at) pose_now(e, host);
    x->spans[i].next = x->span_vacant;
    x->span_vacant = i;
  }
  x->claim_of[id] = HC_FUTURE_NONE;
  *c = (hc_future_claim){.task = HC_NO_TASK, .span = x->claim_vacant};
  x->claim_vacant = claim;
}

/* ---- a look at a host ---- */

/* What is before now, or before the time asked for last, need not be walked again, unless it is just that which is
 * asked about. */
static size_t begin_walk(const hc_engine *e, const hc_future_lane *l, uint32_t host, hc_task skip,
                         uint32_t how, hc_hosts_stand *s)
{
  const hc_future *x = e->future;
  const uint32_t own = skip < x->claim_of_cap ? x->claim_of[skip] : HC_FUTURE_NONE;
  const bool is_plain = how == 0 && (own == HC_FUTURE_NONE || x->claims[own].from > x->at);
  if (how == 0 && l->search == x->search) {
    *s = l->then;
    return l->then_next;
  }
  if (is_plain) {
    *s = l->now;
    return l->next;
  }
  hc_hosts_stand_idle(x->hosts, host, s);
  return 0;
}

/* What does not count. */
static bool is_left_out(const hc_future_edge *edge, hc_task skip, uint32_t how)
{
  return edge->task == skip || (edge->promised && (how & HC_FUTURE_RUNNING));
}

void hc_future_stand(const hc_engine *e, uint32_t host, hc_time from, hc_time to, hc_task skip, uint32_t how,
                     hc_hosts_stand *out)
{
  const hc_future *x = e->future;
  hc_future_lane *l = &x->lanes[host];
  const uint32_t n = e->tasks.dimensions;
  const bool devices = hc_hosts_has_devices(x->hosts);
  hc_hosts_stand s;
  size_t i = begin_walk(e, l, host, skip, how, &s);
  bool is_known = false;
  for (; i < l->count && l->edges[i].at <= from; i++) {
    const hc_future_edge *edge = &l->edges[i];
    if (is_left_out(edge, skip, how)) continue;
    if ((how & HC_FUTURE_START) && edge->sign > 0 && !edge->promised) { /* as long as it has not */
      if (is_known) hc_hosts_stand_least(out, &s, n, devices);
      else *out = s;
      is_known = true;
    }
    hc_hosts_stand_move(&s, &x->spans[edge->who].piece, n, edge->sign);
  }
  if (how == 0) {
    l->search = x->search;
    l->then = s;
    l->then_next = i;
  }
  if (is_known) hc_hosts_stand_least(out, &s, n, devices);
  else *out = s;
  for (; i < l->count && l->edges[i].at < to;
       i++) { /* it is least before something is given back, or in the end */
    const hc_future_edge *edge = &l->edges[i];
    if (is_left_out(edge, skip, how)) continue;
    if (edge->sign > 0) hc_hosts_stand_least(out, &s, n, devices);
    hc_hosts_stand_move(&s, &x->spans[edge->who].piece, n, edge->sign);
  }
  hc_hosts_stand_least(out, &s, n, devices);
}

/* ---- up to now ---- */

static void forget_all(hc_future *x)
{
  for (uint32_t i = 0; i < x->lane_count; i++) x->lanes[i].count = 0;
  for (size_t i = 0; i < x->claim_of_cap; i++) x->claim_of[i] = HC_FUTURE_NONE;
  x->turns.count = x->claim_count = x->span_count = 0;
  x->claim_vacant = x->span_vacant = HC_FUTURE_NONE;
}

static hc_rc add_all(hc_engine *e)
{
  for (size_t i = 0; i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    const hc_grant *held;
    hc_grant one;
    size_t count;
    if (t->state != HC_TASK_RUNNING) continue;
    TRY(hc_tasks_held(e, t, &one, &held, &count));
    TRY(add_claim(e, (hc_task)i, HC_FUTURE_PAST, hc_expected_end(e, t), false, held, count));
  }
  for (size_t i = 0; i < e->tasks.reserved_count; i++) {
    const hc_task id = e->tasks.reserved[i];
    const hc_time at = hc_reserved_of(e, id);
    const hc_grant *grants;
    size_t count;
    hc_time to;
    TRY(hc_promise_get(e, id, &grants, &count));
    to = hc_promised_until(at, hc_work_on(e, hc_estimate_of(e, id), grants, count));
    if (at < to) TRY(add_claim(e, id, at, to, true, grants, count));
  }
  return 0;
}

static void sort(hc_future_lane *l)
{
  if (l->count > 1) qsort(l->edges, l->count, sizeof *l->edges, in_order); /* no two are equal */
}

static hc_rc make_anew(hc_engine *e)
{
  hc_future *x = e->future;
  hc_rc rc;
  forget_all(x);
  x->bulk = true;
  hc_hosts_mirror(x->hosts, e->cell.hosts);
  rc = add_all(e);
  x->bulk = false;
  TRY(rc);
  sort(&x->turns);
  x->at = e->now;
  for (uint32_t i = 0; i < x->lane_count; i++) {
    sort(&x->lanes[i]);
    pose_now(e, i);
  }
  x->stale = false;
  return 0;
}

hc_rc hc_future_ready(hc_engine *e)
{
  hc_future *x = e->future;
  size_t i;
  if (x->stale) {
    x->version++;
    return make_anew(e);
  }
  if (x->at == e->now) return 0;
  i = hc_future_after(&x->turns, x->at);
  x->at = e->now;
  x->version++;
  for (; i < x->turns.count && x->turns.edges[i].at <= e->now; i++)
    pose_claim(e, &x->claims[x->turns.edges[i].who]);
  return 0;
}

void hc_future_spoil(hc_engine *e)
{
  if (e->future) e->future->stale = true;
}

void hc_future_forget(hc_engine *e)
{
  if (e->future) e->future->version++;
}

/* ---- what must hold ---- */

/* What runs takes from each host what is claimed there, and every promise has its place. */
void hc_future_check(hc_engine *e)
{
  const hc_future *x = e->future;
  const hc_rc rc = hc_future_ready(e);
  hc_engine_note(e, rc);
  if (rc < 0) return;
  for (uint32_t host = 0; host < e->cell_spec.units; host++) {
    hc_hosts_stand s;
    const int64_t *free = hc_hosts_free_of(e->cell.hosts, host);
    if (!hc_hosts_is_up(e->cell.hosts, host)) continue;
    hc_future_stand(e, host, e->now, e->now, HC_NO_TASK, HC_FUTURE_START | HC_FUTURE_RUNNING, &s);
    HC_ASSERT(!hc_hosts_is_idle(e->cell.hosts, host) || s.on_it == 0);
    for (uint32_t d = 0; d < e->tasks.dimensions; d++)
      HC_ASSERT(s.whole > 0 || hc_hosts_is_shared(e->cell.hosts, d) || s.free[d] == free[d]);
  }
  for (size_t i = 0; i < e->tasks.reserved_count; i++)
    HC_ASSERT(e->tasks.reserved[i] < x->seat_of_cap && x->seat_of[e->tasks.reserved[i]] != HC_FUTURE_NONE);
}
