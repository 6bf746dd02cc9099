/* host_search.c -- the earliest time at which the placement finds hosts for a task that stay free while it
 * runs.
 *
 * A time s is good if the placement succeeds on the cell whose hosts have, each, the least that is free on
 * them during [s, s + length). Going on in time room appears only where something is given back: the times to
 * try are the first one asked for and those of expected ends and of promises' ends. From one to the next a
 * host looks different only if something on it is given back in between, or is taken in what the window newly
 * reaches: only these are looked at again, and set on the second cell (host_timeline.h), on which the
 * placement is then asked as ever.
 *
 * On hosts of other speeds the length is that of the slowest host chosen; what belongs to the whole cell is held as
 * long. Each host is first asked to be free
 * for as long as the task would run on it alone, which it must be in any case; if the slowest of those chosen
 * keeps the others for longer than they are free, the task is tried for each speed there is, the lowest
 * first, on hosts that are no slower, with the window that belongs to it. Limits on rivals hold at all times
 * of the window: a host where the limit is reached at some time is left out. Local load and criteria that
 * depend on it are not known ahead: they are refused with such selectors.
 *
 * A task starts on the hosts that are promised to it if they are free when its time has come; otherwise on
 * what is found for a window from now on, in which a task that should have given back by now and has not
 * still holds what it has. Cost: O(edges passed x spans of a host), one choice for each time tried whose sum
 * of the first dimension suffices. */
#include "base/util.h"
#include "reserve/host_timeline.h"

typedef struct search {
  hc_reserve_book *r;
  hc_host_timeline *x;
  hc_task id;
  hc_request request;
  uint32_t how;
  hc_time at;
  size_t low; /* first turn after `at` */
} search;

/* ---- what is looked at again ---- */

static void mark(hc_host_timeline *x, uint32_t host)
{
  if (x->marked[host] == 0) x->set[x->set_count++] = host;
  if (x->marked[host] == 2) return;
  x->marked[host] = 2;
  x->due[x->due_count++] = host;
}

static uint32_t speed_of(const search *s, uint32_t host)
{
  if (host == s->r->c.spec->units) return s->x->speed_count - 1;
  return s->x->speed_of[s->r->c.spec->class_of[host]];
}

/* @param speed only hosts of this one; HC_TIMELINE_NONE: all */
static void mark_claim(search *s, uint32_t claim, uint32_t speed)
{
  const hc_host_timeline *x = s->x;
  for (uint32_t i = x->claims[claim].span; i != HC_TIMELINE_NONE; i = x->spans[i].next)
    if (speed == HC_TIMELINE_NONE || speed_of(s, x->spans[i].host) == speed) mark(s->x, x->spans[i].host);
}

static void set_host(search *s, uint32_t host, hc_time length)
{
  hc_hosts_minimum least;
  hc_host_timeline_least(s->r, host, s->at, hc_time_add(s->at, length), s->id, s->how, least.at);
  hc_hosts_set_minimum(s->x->hosts, host, least.at);
}

static void set_due(search *s)
{
  hc_host_timeline *x = s->x;
  for (size_t i = 0; i < x->due_count; i++) {
    set_host(s, x->due[i], s->x->length[speed_of(s, x->due[i])]);
    x->marked[x->due[i]] = 1;
  }
  x->due_count = 0;
}

/* What windows that begin at `at` newly reach. */
static void widen(search *s, hc_time at)
{
  const hc_edges *l = &s->x->turns;
  for (uint32_t k = 0; k < s->x->speed_count; k++) {
    const hc_time end = hc_time_add(at, s->x->length[k]);
    const uint32_t only = s->x->speed_count > 1 ? k : HC_TIMELINE_NONE;
    for (; s->x->reach[k] < l->count; s->x->reach[k]++) {
      const hc_edge *edge = &l->edges[s->x->reach[k]];
      if (edge->at >= end && edge->at > at) break;
      if (edge->sign < 0) mark_claim(s, edge->who, only);
    }
  }
}

/* From `at` to the next time at which something is given back, or an advance reservation is over. */
static bool move_on(search *s)
{
  const hc_edges *l = &s->x->turns;
  while (s->low < l->count && l->edges[s->low].sign < 0) s->low++;
  hc_time at = s->low < l->count ? l->edges[s->low].at : HC_NEVER;
  if (s->r->c.advance) at = HC_MIN(at, hc_advance_opens(s->r->c.advance, s->at));
  if (at == HC_NEVER) return false;
  for (; s->low < l->count && l->edges[s->low].at <= at; s->low++)
    if (l->edges[s->low].sign > 0) mark_claim(s, l->edges[s->low].who, HC_TIMELINE_NONE);
  widen(s, at);
  s->at = at;
  return true;
}

static void begin(search *s, hc_reserve_book *r, hc_task id, hc_time at, uint32_t how)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  const hc_time estimate = hc_reserve_estimate(r, id);
  const size_t now = hc_host_timeline_after(&x->turns, x->at);
  x->search++;
  const uint32_t own = id < x->claim_of_cap ? x->claim_of[id] : HC_TIMELINE_NONE;
  *s = (search){.r = r, .x = x, .id = id, .request = hc_reserve_request(r, id), .how = how, .at = at};
  for (uint32_t k = 0; k < x->speed_count; k++) {
    s->x->length[k] = HC_MAX(r->c.at_speed(estimate, x->speeds[k]), 1);
    s->x->reach[k] = now;
  }
  s->low = now;
  for (; s->low < x->turns.count && x->turns.edges[s->low].at <= at; s->low++)
    mark_claim(s, x->turns.edges[s->low].who, HC_TIMELINE_NONE);
  widen(s, at);
  if (own != HC_TIMELINE_NONE) mark_claim(s, own, HC_TIMELINE_NONE);
  if ((how & HC_TIMELINE_START) == 0) return;
  for (size_t i = now; i-- > 0 && x->turns.edges[i].at != HC_RESERVE_PAST;)
    mark_claim(s, x->turns.edges[i].who, HC_TIMELINE_NONE);
}

/* The second cell is as the first one is now. */
static void finish(search *s)
{
  hc_host_timeline *x = s->x;
  for (size_t i = 0; i < x->set_count; i++) {
    hc_hosts_set_minimum(x->hosts, x->set[i], hc_host_timeline_now(x, x->set[i]));
    x->marked[x->set[i]] = 0;
  }
  x->set_count = x->due_count = 0;
}

/* ---- hosts that may be used ---- */

static bool in_scope(const hc_range *scope, size_t n, uint32_t host)
{
  for (size_t i = 0; i < n; i++)
    if (host >= scope[i].first && host - scope[i].first < scope[i].count) return true;
  return n == 0;
}

/* Does a claim hold what it has at this time? A task that is due and has not given back yet does. */
static bool holds_at(const search *s, const hc_planned_claim *c, hc_time at)
{
  const bool is_due = (s->how & HC_TIMELINE_START) && !c->promised && at == s->at;
  return c->task != HC_NO_TASK && c->task != s->id && c->from <= at && (at < c->to || is_due);
}

/* Count the tasks that have this rival at a time, or forget them again. @return 0 or HC_ENOMEM */
static hc_rc count_rivals(search *s, int64_t rival, hc_time at, bool in)
{
  hc_host_timeline *x = s->x;
  for (size_t i = 0; i < x->claim_count; i++) {
    const hc_planned_claim *c = &x->claims[i];
    const uint32_t more = c->task == HC_NO_TASK ? 0 : hc_reserve_request(s->r, c->task).more;
    int64_t who;
    if (!holds_at(s, c, at) || !hc_hosts_limits(x->hosts, more, &who) || who != rival) continue;
    hc_grant *hosts;
    size_t n = 0;
    for (uint32_t k = c->span; k != HC_TIMELINE_NONE; k = x->spans[k].next) n++;
    hosts = hc_arena_alloc(s->r->c.scratch, n * sizeof *hosts + 1);
    if (!hosts) return HC_ENOMEM;
    n = 0;
    for (uint32_t k = c->span; k != HC_TIMELINE_NONE; k = x->spans[k].next)
      if (x->spans[k].host < s->r->c.spec->units)
        hosts[n++] = (hc_grant){.host = x->spans[k].host, .slots = 1};
    if (in) TRY(hc_hosts_rivals_add(x->hosts, more, hosts, n));
    else hc_hosts_rivals_remove(x->hosts, more, hosts, n);
  }
  return 0;
}

/* Leave out hosts where a limit on rivals is reached at some time of the window: the times to look at are its
 * beginning and those at which a rival comes. @param length HC_UNKNOWN: each host's own @param out [units] */
static hc_rc leave_out_rivals(search *s, int64_t rival, hc_time length, uint8_t *out)
{
  hc_host_timeline *x = s->x;
  for (size_t i = 0; i <= x->claim_count; i++) {
    const hc_time at = i == x->claim_count ? s->at : x->claims[i].from;
    if (i < x->claim_count && (x->claims[i].task == HC_NO_TASK || at <= s->at)) continue;
    if (at > s->at && at >= hc_time_add(s->at, length == HC_UNKNOWN ? x->length[0] : length)) continue;
    TRY(count_rivals(s, rival, at, true));
    for (uint32_t host = 0; host < s->r->c.spec->units; host++) {
      const hc_time own = length == HC_UNKNOWN ? x->length[speed_of(s, host)] : length;
      if (at == s->at || at < hc_time_add(s->at, own))
        out[host] |= !hc_hosts_rivals_allow(x->hosts, s->request.more, host);
    }
    TRY(count_rivals(s, rival, at, false));
  }
  return 0;
}

/* @param slowest of the speeds that may be used @return 0; HC_ENOMEM; *count 0: all hosts may be used */
static hc_rc scope_of(search *s, uint32_t slowest, hc_time length, const hc_range **out, size_t *count)
{
  hc_reserve_book *r = s->r;
  hc_host_timeline *x = s->x;
  int64_t rival;
  const bool limited = hc_hosts_limits(x->hosts, s->request.more, &rival);
  uint8_t *left_out = NULL;
  const hc_range *view;
  const size_t n = r->c.scope(r->c.ctx, &view);
  *out = view;
  *count = n;
  if (slowest == 0 && !limited) return 0;
  if (limited) {
    left_out = hc_arena_alloc(r->c.scratch, r->c.spec->units);
    if (!left_out) return HC_ENOMEM;
    TRY(leave_out_rivals(s, rival, length, left_out));
  }
  *count = 0;
  for (uint32_t host = 0; host < r->c.spec->units; host++) {
    if (speed_of(s, host) < slowest || (left_out && left_out[host]) || !in_scope(view, n, host)) continue;
    if (*count > 0 && x->ranges[*count - 1].first + x->ranges[*count - 1].count == host) {
      x->ranges[*count - 1].count++;
      continue;
    }
    TRY(hc_reserve(r->c.allocator, (void **)&x->ranges, &x->range_cap, *count + 1, sizeof *x->ranges));
    x->ranges[(*count)++] = (hc_range){host, 1};
  }
  *out = x->ranges;
  return *count > 0 ? 0 : HC_EPOLICY; /* nowhere, which is not the same as everywhere */
}

/* @return how many grants; 0: none; HC_ENOMEM */
static hc_rc choose(search *s, uint32_t slowest, hc_time length, const hc_grant **grants)
{
  const hc_reserve_context *c = &s->r->c;
  hc_hosts *h = s->x->hosts;
  const int64_t free = hc_hosts_free_sum(h, 0);
  const hc_range *scope;
  size_t count;
  const hc_rc rc = scope_of(s, slowest, length, &scope, &count);
  if (rc < 0) return rc == HC_EPOLICY ? 0 : rc;
  return c->choose(c->ctx, h, s->at, length, free, 0, s->id, scope, count, grants);
}

/* ---- one time ---- */

static hc_rc keep_found(search *s, const hc_grant *grants, size_t count)
{
  hc_host_timeline *x = s->x;
  TRY(hc_reserve(s->r->c.allocator, (void **)&x->found.grants, &x->found.cap, count, sizeof *grants));
  for (size_t i = 0; i < count; i++) x->found.grants[i] = grants[i];
  x->found.task = s->id;
  x->found.version = x->version;
  x->found.at = s->at;
  x->found.for_start = (s->how & HC_TIMELINE_START) != 0;
  x->found.turn = hc_hosts_turn(x->hosts);
  x->found.count = count;
  return 1;
}

/* Are the hosts that were found free for as long as the slowest of them keeps the task? */
static bool holds_on(search *s, const hc_grant *grants, size_t count)
{
  hc_host_timeline *x = s->x;
  const hc_time length = HC_MAX(hc_reserve_on(s->r, s->id, grants, count), 1);
  const hc_advance *a = s->r->c.advance;
  bool holds;
  if (a && !hc_advance_is_open(a, s->id, s->at, hc_time_add(s->at, length), grants, count)) return false;
  for (size_t i = 0; i < count; i++) {
    mark(x, grants[i].host);
    set_host(s, grants[i].host, length);
  }
  if (hc_hosts_has_shared(x->hosts)) {
    mark(x, s->r->c.spec->units);
    set_host(s, s->r->c.spec->units, length);
  }
  holds = hc_hosts_take(x->hosts, &s->request, grants, count) == 0;
  if (holds) hc_hosts_give(x->hosts, &s->request, grants, count);
  set_due(s);
  return holds;
}

/* For each speed, the lowest first, on hosts that are no slower. */
static hc_rc try_speeds(search *s)
{
  hc_host_timeline *x = s->x;
  hc_rc rc = 0;
  for (uint32_t k = 0; k < x->speed_count && rc == 0; k++) {
    const hc_grant *grants;
    for (uint32_t host = 0; host < x->host_count; host++) {
      mark(x, host);
      set_host(s, host, s->x->length[k]);
    }
    rc = choose(s, k, s->x->length[k], &grants);
    if (rc > 0) rc = keep_found(s, grants, (size_t)rc);
  }
  set_due(s);
  return rc;
}

/* @return 1: x->found has it; 0: it does not fit at this time; HC_ENOMEM */
static hc_rc attempt(search *s)
{
  const hc_grant *grants;
  hc_grant *copy;
  hc_rc n;
  set_due(s);
  n = choose(s, 0, HC_UNKNOWN, &grants);
  if (n <= 0) return n;
  if (s->x->speed_count == 1 || (n == 1 && !hc_hosts_has_shared(s->x->hosts)))
    return keep_found(s, grants, (size_t)n);
  copy = hc_arena_alloc(s->r->c.scratch,
                        (size_t)n * sizeof *copy); /* taking them chooses nothing, but posing may */
  if (!copy) return HC_ENOMEM;
  for (hc_rc i = 0; i < n; i++) copy[i] = grants[i];
  return holds_on(s, copy, (size_t)n) ? keep_found(s, copy, (size_t)n) : try_speeds(s);
}

/* ---- the questions ---- */

hc_slot hc_host_timeline_earliest(hc_reserve_book *r, hc_task id, hc_time from)
{
  search s;
  hc_rc rc = hc_host_timeline_ready(r);
  if (rc >= 0) {
    begin(&s, r, id, HC_MAX(from, *r->c.now), 0);
    do rc = attempt(&s);
    while (rc == 0 && move_on(&s));
    finish(&s);
  }
  hc_reserve_note(r, HC_MIN(rc, 0));
  return (hc_slot){rc > 0 ? s.at : HC_NEVER, 0};
}

static bool is_found(const hc_reserve_book *r, hc_task id, hc_time at)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  return x->found.version == x->version && x->found.task == id && x->found.at == at;
}

static hc_rc find_at(hc_reserve_book *r, hc_task id, hc_time at, uint32_t how)
{
  search s;
  hc_rc rc;
  begin(&s, r, id, at, how);
  rc = attempt(&s);
  finish(&s);
  return rc;
}

hc_rc hc_host_timeline_place(hc_reserve_book *r, hc_task id, hc_time at, const hc_grant **grants,
                             size_t *count)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  hc_rc rc = 1;
  TRY(hc_host_timeline_ready(r));
  if (!is_found(r, id, at)) rc = find_at(r, id, at, 0);
  if (rc <= 0) return rc < 0 ? rc : HC_EPOLICY;
  *grants = x->found.grants;
  *count = x->found.count;
  hc_hosts_set_turn(r->c.cell->hosts, x->found.turn);
  return 0;
}

/* Is there a task that was to have given back by now and still holds what it has? */
static bool is_somebody_due(const hc_reserve_book *r)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  for (size_t i = hc_host_timeline_after(&x->turns, *r->c.now);
       i-- > 0 && x->turns.edges[i].at != HC_RESERVE_PAST;)
    if (x->turns.edges[i].sign > 0 && !x->claims[x->turns.edges[i].who].promised) return true;
  return false;
}

/* The hosts promised to it, if its time has come and they are free. */
static bool may_take_promised(hc_reserve_book *r, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_request request = hc_reserve_request(r, id);
  const hc_range *scope;
  const size_t n = r->c.scope(r->c.ctx, &scope);
  if (hc_reserve_at(r, id) > *r->c.now) return false;
  hc_reserve_note(r, hc_reserve_hosts_of(r, id, grants, count));
  if (*count == 0) return false;
  for (size_t i = 0; i < *count; i++)
    if (!in_scope(scope, n, (*grants)[i].host)) return false;
  if (!hc_reserve_begins(r, id, hc_reserve_on(r, id, *grants, *count), *grants,
                         *count))
    return false;
  const hc_rc rc = hc_hosts_take(r->c.cell->hosts, &request, *grants, *count);
  if (rc == HC_ENOMEM) hc_reserve_note(r, rc);
  if (rc < 0) return false;
  hc_hosts_give(r->c.cell->hosts, &request, *grants, *count);
  return true;
}

hc_rc hc_host_timeline_choose(hc_reserve_book *r, hc_task id, const hc_grant **grants, size_t *count)
{
  hc_host_timeline *x = (hc_host_timeline *)r;
  hc_rc rc = 1;
  TRY(hc_host_timeline_ready(r));
  if (may_take_promised(r, id, grants, count)) return 0;
  const bool due = is_somebody_due(r);
  if (!is_found(r, id, *r->c.now) || (due && !x->found.for_start))
    rc = find_at(r, id, *r->c.now, due ? HC_TIMELINE_START : 0);
  if (rc <= 0) return rc < 0 ? rc : HC_EPOLICY;
  *grants = x->found.grants;
  *count = x->found.count;
  return 0;
}

void hc_host_timeline_chosen(hc_reserve_book *r, hc_task id)
{
  if (is_found(r, id, *r->c.now))
    hc_hosts_set_turn(r->c.cell->hosts, ((const hc_host_timeline *)r)->found.turn);
}

bool hc_host_timeline_holds(hc_reserve_book *r, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  search s;
  bool holds;
  const hc_rc rc = hc_host_timeline_ready(r);
  hc_reserve_note(r, rc);
  if (rc < 0) return false;
  begin(&s, r, id, at, 0);
  set_due(&s);
  holds = holds_on(&s, grants, count);
  finish(&s);
  return holds;
}

/* One slot beside all that is held there meanwhile, by what is least. */
bool hc_host_timeline_leaves(hc_reserve_book *r, hc_task id, uint32_t host)
{
  const hc_host_timeline *x = (const hc_host_timeline *)r;
  const hc_request request = hc_reserve_request(r, id);
  const hc_grant one = {.host = host, .slots = 1};
  const hc_time now = *r->c.now, length = hc_reserve_on(r, id, &one, 1);
  hc_hosts_minimum s;
  const hc_rc rc = hc_host_timeline_ready(r);
  hc_reserve_note(r, rc);
  if (rc < 0) return false;
  hc_host_timeline_least(r, host, now, hc_time_add(now, HC_MAX(length, 1)), id, HC_TIMELINE_START, s.at);
  return hc_hosts_minimum_fits(x->hosts, &request, s.at);
}
