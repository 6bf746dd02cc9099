/* host_timeline.c -- what is held on which host, and until when: what runs, until it is expected to end, and
 * what is promised, from its start for as long as it is believed to run.
 *
 * For a selector that promises every waiting task a start (conservative, slack) a reservation on hosts holds
 * amounts on hosts during [at, at + estimate). Each host has a list of edges: the times at which something is
 * taken from it or given back, in order. The least that is free on a host over some time is a walk along it:
 * the minimum of the sum over time, dimension by dimension and device by device, not the sum of all that
 * happens meanwhile. Licences have a list of their own. Where claims overlap that should not (a task outlived
 * its estimate, a host shrank) amounts are owed, and nothing new fits there.
 *
 * The placement is asked on a second cell of the same hosts (cluster/hosts_minimum.c), on which between
 * questions each host has what it has now. Everything here follows from the tasks and the promises: it is
 * made anew when a task passes its estimate or a host changes, otherwise kept up claim by claim. Cost: making
 * it anew O(n log n) for n spans (a span is a claim on one host); a claim more or less O(its hosts x spans of
 * a host + claims), by moving memory; a look at a host O(its spans). bench/bench_future.c measures it. */
#include "reserve/host_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"

/* ---- birth and death ---- */

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static hc_rc find_speeds(hc_reserve_book *r, hc_host_timeline *x)
{
  const hc_cell_spec *s = r->c.spec;
  x->speeds = hc_alloc(r->c.allocator, s->class_count * sizeof *x->speeds);
  x->speed_of = hc_alloc(r->c.allocator, s->class_count * sizeof *x->speed_of);
  x->length = hc_alloc(r->c.allocator, s->class_count * sizeof *x->length);
  x->reach = hc_alloc(r->c.allocator, s->class_count * sizeof *x->reach);
  if (!x->speeds || !x->speed_of || !x->length || !x->reach) return HC_ENOMEM;
  for (uint32_t k = 0; k < s->class_count; k++) x->speeds[k] = s->classes[k].speed;
  qsort(x->speeds, s->class_count, sizeof *x->speeds, by_value);
  for (uint32_t k = 0; k < s->class_count; k++)
    if (k == 0 || x->speeds[k] != x->speeds[x->speed_count - 1]) x->speeds[x->speed_count++] = x->speeds[k];
  for (uint32_t k = 0; k < s->class_count; k++)
    while (x->speeds[x->speed_of[k]] != s->classes[k].speed) x->speed_of[k]++;
  return 0;
}

static hc_rc init(hc_reserve_book *r, hc_error *error)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  const hc_allocator *a = r->c.allocator;
  x->host_count = r->c.spec->units + 1;
  x->dimensions = hc_hosts_dimensions(r->c.cell->hosts);
  x->stale = true;
  x->version = 1;
  x->found.task = HC_NO_TASK;
  x->claim_vacant = x->span_vacant = HC_TIMELINE_NONE;
  x->words = hc_hosts_minimum_words(r->c.cell->hosts);
  x->minima = hc_alloc(a, x->host_count * 2 * x->words * sizeof *x->minima);
  x->edges_of = hc_alloc(a, x->host_count * sizeof *x->edges_of);
  x->marked = hc_alloc(a, x->host_count);
  x->set = hc_alloc(a, x->host_count * sizeof *x->set);
  x->due = hc_alloc(a, x->host_count * sizeof *x->due);
  if (!x->minima || !x->edges_of || !x->marked || !x->set || !x->due) return HC_ENOMEM;
  TRY(find_speeds(r, x));
  TRY(hc_hosts_new(a, r->c.spec, r->c.lexicon, r->c.seed, r->c.replication, &x->hosts, error));
  hc_hosts_set_gate(x->hosts, r->c.gate);
  return 0;
}

static void fini(hc_reserve_book *r)
{
  const hc_allocator *a = r->c.allocator;
  const uint32_t classes = r->c.spec->class_count;
  hc_host_timeline *x = (hc_host_timeline *)r;
  for (uint32_t i = 0; x->edges_of && i < x->host_count; i++)
    hc_free(a, x->edges_of[i].edges, x->edges_of[i].cap * sizeof *x->edges_of[i].edges);
  hc_promises_fini(&x->promises, a);
  hc_hosts_free(x->hosts);
  hc_free(a, x->minima, x->host_count * 2 * x->words * sizeof *x->minima);
  hc_free(a, x->amounts, x->amount_cap * x->dimensions * sizeof *x->amounts);
  hc_free(a, x->edges_of, x->host_count * sizeof *x->edges_of);
  hc_free(a, x->turns.edges, x->turns.cap * sizeof *x->turns.edges);
  hc_free(a, x->claims, x->claim_cap * sizeof *x->claims);
  hc_free(a, x->spans, x->span_cap * sizeof *x->spans);
  hc_free(a, x->claim_of, x->claim_of_cap * sizeof *x->claim_of);
  hc_free(a, x->speeds, classes * sizeof *x->speeds);
  hc_free(a, x->speed_of, classes * sizeof *x->speed_of);
  hc_free(a, x->length, classes * sizeof *x->length);
  hc_free(a, x->reach, classes * sizeof *x->reach);
  hc_free(a, x->marked, x->host_count);
  hc_free(a, x->set, x->host_count * sizeof *x->set);
  hc_free(a, x->due, x->host_count * sizeof *x->due);
  hc_free(a, x->ranges, x->range_cap * sizeof *x->ranges);
  hc_free(a, x->found.grants, x->found.cap * sizeof *x->found.grants);
}

/* ---- edges in order ---- */

static int in_order(const void *a, const void *b)
{
  const hc_edge *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->sign != y->sign) return x->sign > y->sign ? -1 : 1;
  return x->who < y->who ? -1 : x->who > y->who;
}

size_t hc_host_timeline_after(const hc_edges *l, hc_time at)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (l->edges[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

static size_t place_of(const hc_edges *l, const hc_edge *x)
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
static hc_rc put(hc_reserve_book *r, hc_edges *l, hc_edge x)
{
  size_t i;
  if (x.at == HC_NEVER) return 0;
  TRY(hc_reserve(r->c.allocator, (void **)&l->edges, &l->cap, l->count + 1, sizeof *l->edges));
  i = ((const hc_host_timeline *)r)->bulk ? l->count : place_of(l, &x);
  memmove(l->edges + i + 1, l->edges + i, (l->count - i) * sizeof x);
  l->edges[i] = x;
  l->count++;
  return 0;
}

static void drop(hc_edges *l, hc_edge x)
{
  const size_t i = place_of(l, &x);
  if (i >= l->count || in_order(&l->edges[i], &x) != 0) return;
  l->count--;
  memmove(l->edges + i, l->edges + i + 1, (l->count - i) * sizeof x);
}

static hc_rc put_both(hc_reserve_book *r, hc_edges *l, uint32_t who, const hc_planned_claim *c)
{
  TRY(put(r, l, (hc_edge){c->from, who, -1, c->task, c->promised}));
  return put(r, l, (hc_edge){c->to, who, 1, c->task, c->promised});
}

static void drop_both(hc_edges *l, uint32_t who, const hc_planned_claim *c)
{
  drop(l, (hc_edge){.at = c->from, .who = who, .sign = -1});
  drop(l, (hc_edge){.at = c->to, .who = who, .sign = 1});
}

/* ---- claims ---- */

static hc_rc new_claim(hc_reserve_book *r, uint32_t *out)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  *out = x->claim_vacant;
  if (*out != HC_TIMELINE_NONE) {
    x->claim_vacant = x->claims[*out].span;
    return 0;
  }
  TRY(hc_reserve(r->c.allocator, (void **)&x->claims, &x->claim_cap, x->claim_count + 1, sizeof *x->claims));
  *out = (uint32_t)x->claim_count++;
  return 0;
}

static hc_rc add_span(hc_reserve_book *r, uint32_t claim, uint32_t host, const int64_t *amounts,
                      const hc_hosts_piece *piece)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  hc_planned_claim *c = &x->claims[claim];
  uint32_t at = x->span_vacant;
  if (at != HC_TIMELINE_NONE) {
    x->span_vacant = x->spans[at].next;
  } else {
    TRY(hc_reserve(r->c.allocator, (void **)&x->spans, &x->span_cap, x->span_count + 1, sizeof *x->spans));
    TRY(hc_reserve(r->c.allocator, (void **)&x->amounts, &x->amount_cap, x->span_count + 1,
                   x->dimensions * sizeof *x->amounts));
    at = (uint32_t)x->span_count++;
  }
  x->spans[at] = (hc_host_claim){.piece = *piece, .claim = claim, .next = c->span, .host = host};
  for (uint32_t d = 0; d < x->dimensions; d++) x->amounts[(size_t)at * x->dimensions + d] = amounts[d];
  c->span = at;
  return put_both(r, &x->edges_of[host], at, c);
}

/* What a span takes, or gives back. */
static inline void move(const hc_host_timeline *x, hc_hosts_word *s, const hc_edge *edge)
{
  hc_hosts_minimum_move(s, x->amounts + (size_t)edge->who * x->dimensions, &x->spans[edge->who].piece,
                        x->dimensions, edge->sign);
}

/* The second cell follows what holds now. */
static void set_now(hc_reserve_book *r, uint32_t host)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  hc_edges *l = &x->edges_of[host];
  if (x->bulk) return;
  hc_hosts_word *now = hc_host_timeline_now(x, host);
  hc_hosts_minimum_idle(x->hosts, host, now);
  for (l->next = 0; l->next < l->count && l->edges[l->next].at <= x->at; l->next++)
    move(x, now, &l->edges[l->next]);
  hc_hosts_set_minimum(x->hosts, host, now);
}

static void set_claim(hc_reserve_book *r, const hc_planned_claim *c)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  if (c->from > x->at) return;
  for (uint32_t i = c->span; i != HC_TIMELINE_NONE; i = x->spans[i].next) set_now(r, x->spans[i].host);
}

static hc_rc add_claim(hc_reserve_book *r, hc_task id, hc_time from, hc_time to, bool promised,
                       const hc_grant *grants, size_t count)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  const hc_request request = hc_reserve_request(r, id);
  const hc_hosts_piece none = {0};
  int64_t amounts[HC_DIMENSIONS];
  hc_hosts_piece piece;
  uint32_t claim;
  const size_t was = x->claim_of_cap;
  TRY(hc_reserve(r->c.allocator, (void **)&x->claim_of, &x->claim_of_cap, (size_t)id + 1,
                 sizeof *x->claim_of));
  for (size_t i = was; i < x->claim_of_cap; i++) x->claim_of[i] = HC_TIMELINE_NONE;
  TRY(new_claim(r, &claim));
  x->claims[claim] =
      (hc_planned_claim){.task = id, .span = HC_TIMELINE_NONE, .from = from, .to = to, .promised = promised};
  x->claim_of[id] = claim;
  for (size_t i = 0; i < count; i++) {
    hc_hosts_amounts_of(x->hosts, &request, &grants[i], amounts, &piece);
    TRY(add_span(r, claim, grants[i].host, amounts, &piece));
  }
  if (hc_hosts_shared_amounts(x->hosts, &request, amounts))
    TRY(add_span(r, claim, r->c.spec->units, amounts, &none));
  TRY(put_both(r, &x->turns, claim, &x->claims[claim]));
  set_claim(r, &x->claims[claim]);
  return 0;
}

/* What holds nothing at any time is left out. A start is known here alone until it is committed, so that what
 * is made anew has to be before it; a promise is found in the list of reservations. */
static hc_rc add_for(hc_reserve_book *r, hc_task id, hc_time from, hc_time to, bool promised,
                     const hc_grant *grants, size_t count)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  hc_rc rc;
  if (!promised) TRY(hc_host_timeline_ready(r));
  x->version++;
  if (x->stale || from >= to) return 0;
  rc = add_claim(r, id, from, to, promised, grants, count);
  if (rc < 0) x->stale = true;
  return rc;
}

static void remove_of(hc_reserve_book *r, hc_task id)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  const uint32_t claim = id < x->claim_of_cap ? x->claim_of[id] : HC_TIMELINE_NONE;
  hc_planned_claim *c;
  x->version++;
  if (x->stale || claim == HC_TIMELINE_NONE) return;
  c = &x->claims[claim];
  drop_both(&x->turns, claim, c);
  for (uint32_t i = c->span, next; i != HC_TIMELINE_NONE; i = next) {
    const uint32_t host = x->spans[i].host;
    next = x->spans[i].next;
    drop_both(&x->edges_of[host], i, c);
    if (c->from <= x->at) set_now(r, host);
    x->spans[i].next = x->span_vacant;
    x->span_vacant = i;
  }
  x->claim_of[id] = HC_TIMELINE_NONE;
  *c = (hc_planned_claim){.task = HC_NO_TASK, .span = x->claim_vacant};
  x->claim_vacant = claim;
}

/* ---- a look at a host ---- */

/* What is before now, or before the time asked for last, need not be walked again, unless it is just that
 * which is asked about. */
static size_t begin_walk(const hc_reserve_book *r, const hc_edges *l, uint32_t host, hc_task skip,
                         uint32_t how, hc_hosts_word *s)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  const uint32_t own = skip < x->claim_of_cap ? x->claim_of[skip] : HC_TIMELINE_NONE;
  const bool is_plain = how == 0 && (own == HC_TIMELINE_NONE || x->claims[own].from > x->at);
  if (how == 0 && l->search == x->search) {
    hc_hosts_minimum_copy(s, hc_host_timeline_then(x, host), x->words);
    return l->then_next;
  }
  if (is_plain) {
    hc_hosts_minimum_copy(s, hc_host_timeline_now(x, host), x->words);
    return l->next;
  }
  hc_hosts_minimum_idle(x->hosts, host, s);
  return 0;
}

/* What does not count. */
static bool is_left_out(const hc_edge *edge, hc_task skip, uint32_t how)
{
  return edge->task == skip || (edge->promised && (how & HC_TIMELINE_RUNNING));
}

void hc_host_timeline_least(const hc_reserve_book *r, uint32_t host, hc_time from, hc_time to, hc_task skip,
                            uint32_t how, hc_hosts_word *out)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  hc_edges *l = &x->edges_of[host];
  const uint32_t n = x->dimensions, words = x->words;
  hc_hosts_minimum s;
  size_t i = begin_walk(r, l, host, skip, how, s.at);
  bool is_known = false;
  for (; i < l->count && l->edges[i].at <= from; i++) {
    const hc_edge *edge = &l->edges[i];
    if (is_left_out(edge, skip, how)) continue;
    if ((how & HC_TIMELINE_START) && edge->sign > 0 && !edge->promised) { /* as long as it has not */
      if (is_known) hc_hosts_minimum_meet(out, s.at, n, words);
      else hc_hosts_minimum_copy(out, s.at, words);
      is_known = true;
    }
    move(x, s.at, edge);
  }
  if (how == 0) {
    l->search = x->search;
    hc_hosts_minimum_copy(hc_host_timeline_then(x, host), s.at, words);
    l->then_next = i;
  }
  if (is_known) hc_hosts_minimum_meet(out, s.at, n, words);
  else hc_hosts_minimum_copy(out, s.at, words);
  for (; i < l->count && l->edges[i].at < to;
       i++) { /* it is least before something is given back, or in the end */
    const hc_edge *edge = &l->edges[i];
    if (is_left_out(edge, skip, how)) continue;
    if (edge->sign > 0) hc_hosts_minimum_meet(out, s.at, n, words);
    move(x, s.at, edge);
  }
  hc_hosts_minimum_meet(out, s.at, n, words);
}

/* ---- up to now ---- */

static void forget_all(hc_host_timeline *x)
{
  for (uint32_t i = 0; i < x->host_count; i++) x->edges_of[i].count = 0;
  for (size_t i = 0; i < x->claim_of_cap; i++) x->claim_of[i] = HC_TIMELINE_NONE;
  x->turns.count = x->claim_count = x->span_count = 0;
  x->claim_vacant = x->span_vacant = HC_TIMELINE_NONE;
}

static hc_rc add_running(void *self, hc_task id, hc_time end)
{
  hc_reserve_book *r = self;
  const hc_grant *held;
  hc_grant one;
  size_t count;
  TRY(r->c.held(r->c.ctx, id, &one, &held, &count));
  return add_claim(r, id, HC_RESERVE_PAST, end, false, held, count);
}

static hc_time until(const hc_reserve_book *r, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  return hc_promised_until(at, hc_reserve_on(r, id, grants, count));
}

static hc_rc add_all(hc_reserve_book *r)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  const hc_task *tasks;
  const size_t n = hc_reserve_tasks(r, &tasks);
  TRY(r->c.running(r->c.ctx, add_running, r));
  for (size_t i = 0; i < n; i++) {
    const hc_time at = hc_reserve_at(r, tasks[i]);
    const hc_grant *grants;
    size_t count;
    TRY(hc_promises_get(&x->promises, r->c.scratch, tasks[i], &grants, &count));
    const hc_time to = until(r, tasks[i], at, grants, count);
    if (at < to) TRY(add_claim(r, tasks[i], at, to, true, grants, count));
  }
  return 0;
}

/* ---- announced changes of amounts ---- */

/* From then on a host has less (sign -1) or more (1). It is no task's, and is never undone here. */
static hc_rc add_change(hc_reserve_book *r, uint32_t host, hc_time at, const int64_t *amounts, int32_t sign)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  const hc_hosts_piece plain = {.is_plain = true};
  bool any = false;
  uint32_t claim;
  for (uint32_t d = 0; d < x->dimensions; d++) any |= amounts[d] > 0;
  if (!any) return 0;
  TRY(new_claim(r, &claim));
  x->claims[claim] = (hc_planned_claim){
      .task = HC_NO_TASK, .span = HC_TIMELINE_NONE, .from = HC_NEVER, .to = HC_NEVER, .promised = true};
  TRY(add_span(r, claim, host, amounts, &plain)); /* without edges, as it is at no time */
  TRY(put(r, &x->edges_of[host], (hc_edge){at, x->claims[claim].span, sign, HC_NO_TASK, false}));
  return put(r, &x->turns, (hc_edge){at, claim, sign, HC_NO_TASK, false});
}

/* @param has [dimensions] before, and after it */
static hc_rc change_host(hc_reserve_book *r, const hc_advance_window *w, uint32_t host, int64_t *has)
{
  const hc_hosts *h = ((const hc_host_timeline *)r)->hosts;
  int64_t less[HC_DIMENSIONS] = {0}, more[HC_DIMENSIONS] = {0};
  for (uint32_t d = 0; d < hc_hosts_dimensions(h); d++) {
    const int64_t to = w->capacity[hc_hosts_which(h)[d]];
    if (to == HC_UNKNOWN || hc_hosts_is_shared(h, d)) continue;
    less[d] = HC_MAX(has[d] - to, 0);
    more[d] = HC_MAX(to - has[d], 0);
    has[d] = to;
  }
  TRY(add_change(r, host, w->start, less, -1));
  return add_change(r, host, w->start, more, 1);
}

/* One after the other, each stands on the one before. */
static hc_rc add_changes(hc_reserve_book *r)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  const hc_advance *a = r->c.advance;
  if (!a || !a->has_resizes) return 0;
  hc_ahead_clear(&r->ahead);
  for (size_t i = 0; i < a->count; i++) {
    const hc_advance_window *w = &a->windows[i];
    if (!hc_reserve_sees_resize(r, w, *r->c.now, HC_NEVER)) continue;
    for (uint32_t k = w->first; k < w->first + w->count; k++)
      for (uint32_t n = 0; n < a->hosts[k].count; n++) {
        const uint32_t host = a->hosts[k].first + n;
        if (!hc_hosts_is_up(x->hosts, host)) continue;
        if (!r->ahead.place || r->ahead.place[host] == 0)
          TRY(hc_ahead_meet(&r->ahead, r->c.allocator, r->c.spec->units, host,
                            hc_hosts_capacity_of(x->hosts, host), x->dimensions));
        TRY(change_host(r, w, host, r->ahead.hosts[r->ahead.place[host] - 1].least));
      }
  }
  hc_ahead_clear(&r->ahead);
  return 0;
}

static hc_rc announced(hc_reserve_book *r, size_t window)
{
  if (r->c.advance->windows[window].kind == HC_ADVANCE_RESIZE) ((hc_host_timeline *)r)->stale = true;
  return 0;
}

static hc_rc ahead(hc_reserve_book *r, hc_task t, hc_time at, hc_time length)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  const hc_advance *a = r->c.advance;
  TRY(hc_host_timeline_ready(r));
  for (size_t i = 0; i < a->count; i++) {
    const hc_advance_window *w = &a->windows[i];
    if (!hc_reserve_sees_resize(r, w, at, HC_NEVER)) continue;
    for (uint32_t k = w->first; k < w->first + w->count; k++)
      for (uint32_t n = 0; n < a->hosts[k].count; n++) {
        const uint32_t host = a->hosts[k].first + n;
        const hc_time runs = hc_reserve_length_on(r, t, host, length);
        int64_t free[HC_DIMENSIONS];
        hc_hosts_minimum s;
        if (!hc_reserve_sees_resize(r, w, at, runs)) continue;
        hc_host_timeline_least(r, host, at, hc_promised_until(at, runs), t,
                               HC_TIMELINE_START | HC_TIMELINE_RUNNING, s.at);
        for (uint32_t d = 0; d < x->dimensions; d++) free[d] = s.at[1 + d].amount;
        TRY(hc_ahead_meet(&r->ahead, r->c.allocator, r->c.spec->units, host, free, x->dimensions));
      }
  }
  return 0;
}

/* ---- made anew ---- */

static void sort(hc_edges *l)
{
  if (l->count > 1) qsort(l->edges, l->count, sizeof *l->edges, in_order); /* no two are equal */
}

static hc_rc make_anew(hc_reserve_book *r)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  hc_rc rc;
  forget_all(x);
  x->bulk = true;
  hc_hosts_mirror(x->hosts, r->c.cell->hosts, r->c.returns, r->c.ctx);
  rc = add_all(r);
  if (rc >= 0) rc = add_changes(r);
  x->bulk = false;
  TRY(rc);
  sort(&x->turns);
  x->at = *r->c.now;
  for (uint32_t i = 0; i < x->host_count; i++) {
    sort(&x->edges_of[i]);
    set_now(r, i);
  }
  x->stale = false;
  return 0;
}

hc_rc hc_host_timeline_ready(hc_reserve_book *r)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  size_t i;
  if (x->stale) {
    x->version++;
    return make_anew(r);
  }
  if (x->at == *r->c.now) return 0;
  i = hc_host_timeline_after(&x->turns, x->at);
  x->at = *r->c.now;
  x->version++;
  for (; i < x->turns.count && x->turns.edges[i].at <= *r->c.now; i++)
    set_claim(r, &x->claims[x->turns.edges[i].who]);
  return 0;
}

/* ---- what happens ---- */

static hc_rc take(hc_reserve_book *r, hc_task id, hc_time end, const hc_grant *grants, size_t count)
{
  return add_for(r, id, HC_RESERVE_PAST, end, false, grants, count);
}

static hc_rc give(hc_reserve_book *r, hc_task id, hc_time end, const hc_grant *grants, size_t count)
{
  HC_UNUSED(end);
  HC_UNUSED(grants);
  HC_UNUSED(count);
  remove_of(r, id);
  return 0;
}

/* What is made anew has the task with its new end. */
static hc_rc moved(hc_reserve_book *r, hc_task id, hc_time was, hc_time end, const hc_grant *grants,
                   size_t count)
{
  HC_UNUSED(was);
  TRY(hc_host_timeline_ready(r));
  remove_of(r, id);
  return add_for(r, id, HC_RESERVE_PAST, end, false, grants, count);
}

static hc_rc overdue(hc_reserve_book *r, hc_task id, int64_t units, hc_time was, hc_time end)
{
  HC_UNUSED(id);
  HC_UNUSED(units);
  HC_UNUSED(was);
  HC_UNUSED(end);
  ((hc_host_timeline *)r)->stale = true;
  return 0;
}

static void ask(hc_reserve_book *r)
{
  ((hc_host_timeline *)r)->version++;
}

/* A promise on a host that is down, draining, or smaller than before is void, and its task has none until the
 * policy plans it again. The list of reservations gets shorter from behind. */
static hc_rc host_changed(hc_reserve_book *r, const hc_host_event *event, bool worse)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  const hc_task *tasks;
  x->stale = true;
  for (size_t i = hc_reserve_tasks(r, &tasks); worse && i-- > 0;) {
    if (!hc_promises_is_on(&x->promises, tasks[i], event->host)) continue;
    TRY(r->c.lose(r->c.ctx, tasks[i]));
    r->voided++;
  }
  return 0;
}

/* ---- promises ---- */

static hc_rc promise(hc_reserve_book *r, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  TRY(hc_promises_keep(&x->promises, r->c.allocator, id, grants, count));
  return add_for(r, id, at, until(r, id, at, grants, count), true, grants, count);
}

static hc_rc release(hc_reserve_book *r, hc_task id, hc_time at)
{
  HC_UNUSED(at);
  if (hc_promises_drop(&((hc_host_timeline *)r)->promises, id) > 0) remove_of(r, id);
  return 0;
}

static hc_rc hosts_of(hc_reserve_book *r, hc_task id, const hc_grant **grants, size_t *count)
{
  return hc_promises_get(&((hc_host_timeline *)r)->promises, r->c.scratch, id, grants, count);
}

static hc_rc visit(hc_reserve_book *r, hc_visitor *v)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  HC_VISIT(v, r->voided);
  x->stale = true;
  return hc_promises_visit(&x->promises, r->c.allocator, v, r->c.scratch, r->c.spec->units);
}

/* ---- what must hold ---- */

/* What runs takes from each host what is claimed there, and every promise has its place. */
static void check(hc_reserve_book *r)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  const hc_hosts *live = r->c.cell->hosts;
  const hc_task *tasks;
  const hc_rc rc = hc_host_timeline_ready(r);
  hc_reserve_note(r, rc);
  if (rc < 0) return;
  for (uint32_t host = 0; host < r->c.spec->units; host++) {
    hc_hosts_minimum s;
    const int64_t *free = hc_hosts_free_of(live, host);
    if (!hc_hosts_is_up(live, host)) continue;
    hc_host_timeline_least(r, host, *r->c.now, *r->c.now, HC_NO_TASK, HC_TIMELINE_START | HC_TIMELINE_RUNNING,
                           s.at);
    HC_ASSERT(!hc_hosts_is_idle(live, host) || s.at[0].part[HC_MINIMUM_GRANTS] == 0);
    for (uint32_t d = 0; d < x->dimensions; d++)
      HC_ASSERT(s.at[0].part[HC_MINIMUM_WHOLE] > 0 || hc_hosts_is_shared(live, d) ||
                s.at[1 + d].amount == free[d]);
  }
  for (size_t i = hc_reserve_tasks(r, &tasks); i-- > 0;) HC_ASSERT(hc_promises_has(&x->promises, tasks[i]));
}

const hc_reserve_type hc_reserve_host_timeline = {.name = "host_timeline",
                                                  .size = sizeof(hc_host_timeline),
                                                  .holds_hosts = true,
                                                  .init = init,
                                                  .fini = fini,
                                                  .visit = visit,
                                                  .check = check,
                                                  .ask = ask,
                                                  .announced = announced,
                                                  .ready = hc_host_timeline_ready,
                                                  .ahead = ahead,
                                                  .take = take,
                                                  .give = give,
                                                  .overdue = overdue,
                                                  .moved = moved,
                                                  .host_changed = host_changed,
                                                  .promise = promise,
                                                  .release = release,
                                                  .hosts_of = hosts_of,
                                                  .earliest = hc_host_timeline_earliest,
                                                  .place = hc_host_timeline_place,
                                                  .holds = hc_host_timeline_holds,
                                                  .leaves = hc_host_timeline_leaves,
                                                  .choose = hc_host_timeline_choose,
                                                  .chosen = hc_host_timeline_chosen};
