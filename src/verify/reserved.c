/* reserved.c -- advance reservations: no task of others runs where it would, by its estimate, run into one.
 *
 * The windows, when they were announced, the users that may use them and what overran are tables of the
 * result; a task's row has its user. A start is held to what was announced by then. What was stopped as a
 * window began (`at_start`) is an attempt that ended then, or a task that was killed.
 *
 * On hosts: no task of others starts on a reserved host within the window; one that runs there when it begins
 * started early enough that its estimate ended by then, and is in the table `overruns`. How long an estimate
 * lasts on hosts of other speeds no record says: there the table alone is asked.
 *
 * Processors: a reservation takes what its users leave of its amount, max(0, units - held by its users). With
 * the start of a task no more may be held and taken by reservations of others than there is: now, and at each
 * beginning of a window until its estimate ends, where what runs holds what it has until its own estimate
 * ends. In between what is believed to be held only gets less.
 *
 * Where plans stopped tasks, estimates of later attempts are not recorded: then what is estimated is left
 * out. Cost: O(starts x (running + windows)). */
#include "base/util.h"
#include "verify/parts.h"

static bool may_use(const hc_verify_told *told, int64_t reservation, const hc_task_record *t)
{
  for (size_t i = 0; i < told->guest_count; i++) {
    const hc_verify_guest *g = &told->guests[i];
    if (g->reservation == reservation && (g->user >= 0 ? g->user == t->user : g->account == t->group))
      return true;
  }
  return false;
}

static hc_time believed_end(const hc_checked *t)
{
  return hc_time_add(t->start, HC_MAX(t->estimate, 1));
}

/* ---- hosts ---- */

static bool is_told(const hc_verify_told *told, const hc_verify_window *w, int64_t serial)
{
  for (size_t i = 0; i < told->overrun_count; i++) {
    const hc_verify_overrun *x = &told->overruns[i];
    if (x->reservation == w->reservation && x->at == w->start && x->serial == serial) return true;
  }
  return false;
}

static hc_rc check_on(hc_check *c, const hc_verify_window *w, uint32_t rank, uint32_t host, bool estimates)
{
  const hc_verify_told *told = c->options->told;
  const hc_checked *t = &c->tasks[rank];
  const hc_task_record *r = &c->records[t->record];
  if (t->start == HC_UNKNOWN || t->start >= w->end || may_use(told, w->reservation, r)) return 0;
  hc_held_to(c, HC_RULE_RESERVED, 1);
  if (t->start >= w->start)
    return hc_find_on(c, HC_FOUND_IN_RESERVED, t->start, rank, host, 0, w->start, w->end);
  if (estimates && t->start >= w->announced && believed_end(t) > w->start)
    return hc_find_on(c, HC_FOUND_INTO_RESERVED, t->start, rank, host, 0, w->start, believed_end(t));
  if (t->end > w->start && w->start < told->until && !is_told(told, w, hc_serial_of(c, rank)))
    return hc_find_on(c, HC_FOUND_UNTOLD, w->start, rank, host, 0, w->start, t->end);
  return 0;
}

static hc_rc check_hosts(hc_check *c, bool estimates)
{
  const hc_verify_told *told = c->options->told;
  const hc_verify_hosts *h = c->options->hosts;
  const uint32_t none = UINT32_MAX;
  uint32_t *ranks;
  hc_rc rc = 0;
  if (h->grant_count == 0) return 0;
  ranks = hc_alloc(c->allocator, c->count * sizeof *ranks + 1);
  if (!ranks) return HC_ENOMEM;
  for (size_t i = 0; i < c->count; i++) ranks[i] = none;
  for (uint32_t i = 0; i < c->count; i++) {
    const int64_t serial = c->records[c->tasks[i].record].serial;
    if (serial >= 0 && (uint64_t)serial < c->count) ranks[serial] = i;
  }
  for (size_t i = 0; i < h->grant_count && rc >= 0; i++) {
    const hc_verify_grant *g = &h->grants[i];
    if (g->serial < 0 || (uint64_t)g->serial >= c->count || ranks[g->serial] == none) continue;
    for (size_t k = 0; k < told->window_count && rc >= 0; k++) {
      const hc_verify_window *w = &told->windows[k];
      if ((int64_t)g->host >= w->first && (int64_t)g->host - w->first < w->count)
        rc = check_on(c, w, ranks[g->serial], g->host, estimates);
    }
  }
  hc_free(c->allocator, ranks, c->count * sizeof *ranks + 1);
  return rc;
}

/* ---- processors ---- */

typedef struct running {
  uint32_t *ranks;
  size_t count;
} running;

static bool counts_at(const hc_checked *t, hc_time from, hc_time at)
{
  return at == from || believed_end(t) > at;
}

/* What is held at `at`, as believed at `from`, and taken by reservations that are not of this task. */
static int64_t taken(const hc_check *c, const running *r, const hc_task_record *of, hc_time from, hc_time at)
{
  const hc_verify_told *told = c->options->told;
  int64_t sum = 0;
  for (size_t i = 0; i < r->count; i++)
    if (counts_at(&c->tasks[r->ranks[i]], from, at)) sum += c->tasks[r->ranks[i]].units;
  for (size_t k = 0; k < told->window_count; k++) {
    const hc_verify_window *w = &told->windows[k];
    int64_t left = w->units;
    if (at < w->start || at >= w->end || w->announced > from || may_use(told, w->reservation, of)) continue;
    for (size_t i = 0; i < r->count; i++) {
      const hc_checked *t = &c->tasks[r->ranks[i]];
      if (counts_at(t, from, at) && may_use(told, w->reservation, &c->records[t->record])) left -= t->units;
    }
    sum += HC_MAX(left, 0);
  }
  return sum;
}

static hc_rc check_start(hc_check *c, const running *r, uint32_t rank, bool estimates)
{
  const hc_verify_told *told = c->options->told;
  const hc_checked *t = &c->tasks[rank];
  const hc_task_record *of = &c->records[t->record];
  const hc_time until = estimates ? believed_end(t) : hc_time_add(t->start, 1);
  for (size_t k = 0; k < told->window_count; k++) {
    const hc_verify_window *w = &told->windows[k];
    const hc_time at = HC_MAX(w->start, t->start);
    if (at >= until || w->end <= t->start || w->announced > t->start || may_use(told, w->reservation, of))
      continue;
    hc_held_to(c, HC_RULE_RESERVED, 1);
    const int64_t sum = taken(c, r, of, t->start, at);
    if (sum > c->capacity)
      return hc_find(c, HC_FOUND_KEPT, t->start, rank, UINT32_MAX, at, sum - c->capacity);
  }
  return 0;
}

/* What was over when a window began is told. */
static hc_rc check_begin(hc_check *c, const running *r, const hc_verify_window *w)
{
  const hc_verify_told *told = c->options->told;
  int64_t others = 0;
  for (size_t i = 0; i < r->count; i++) {
    const hc_checked *t = &c->tasks[r->ranks[i]];
    if (t->start < w->start && !may_use(told, w->reservation, &c->records[t->record])) others += t->units;
  }
  hc_held_to(c, HC_RULE_RESERVED, 1);
  if (others <= c->capacity - w->units || w->start >= told->until || is_told(told, w, -1)) return 0;
  return hc_find(c, HC_FOUND_UNTOLD_AMOUNT, w->start, UINT32_MAX, UINT32_MAX, w->start,
                 others - (c->capacity - w->units));
}

/* Starts of one instant are looked at when all are there: each left room for what reservations took. */
static hc_rc sweep(hc_check *c, running *r, bool estimates)
{
  const hc_verify_told *told = c->options->told;
  size_t next = 0;
  for (size_t i = 0; i < c->event_count;) {
    const hc_time at = c->events[i].at;
    size_t end = i;
    for (; next < told->window_count && told->windows[next].start < at; next++)
      TRY(check_begin(c, r, &told->windows[next]));
    for (; end < c->event_count && c->events[end].at == at; end++) {
      const hc_happens *h = &c->events[end];
      if (h->kind == HC_STARTS && c->tasks[h->rank].end > at) r->ranks[r->count++] = h->rank;
      for (size_t k = 0; h->kind == HC_ENDS && k < r->count; k++)
        if (r->ranks[k] == h->rank) r->ranks[k--] = r->ranks[--r->count];
    }
    for (; i < end; i++)
      if (c->events[i].kind == HC_STARTS) TRY(check_start(c, r, c->events[i].rank, estimates));
    for (; next < told->window_count && told->windows[next].start == at; next++)
      TRY(check_begin(c, r, &told->windows[next]));
  }
  return 0;
}

hc_rc hc_check_reserved(hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  running r = {0};
  hc_rc rc;
  if (!told || told->window_count == 0) return 0;
  if (c->options->hosts)
    return check_hosts(c, !c->options->stops && told->plain_times && told->loss_count == 0);
  r.ranks = hc_alloc(c->allocator, c->count * sizeof *r.ranks + 1);
  if (!r.ranks) return HC_ENOMEM;
  rc = sweep(c, &r, !c->options->stops);
  hc_free(c->allocator, r.ranks, c->count * sizeof *r.ranks + 1);
  return rc;
}
