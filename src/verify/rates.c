/* rates.c -- tasks that a plan suspended, or let work at another rate: each held what it held only between
 * its suspensions, and did as much work as its run is.
 *
 * To the checks of capacity every stretch in which a task holds anything is a task of its own, with its
 * task's demand and hosts. Beyond that: a task goes on only if it was suspended, and is suspended only if
 * it was not; nothing of the kind happens before it starts or after it ends; and what it has done, the sum
 * of rate x time, is its run, up to less than a ns at its last rate. Sums are exact (128 bits). Of a task
 * that was lost with a host the last attempt is looked at, of one that a plan stopped each; how much each
 * attempt of such had to do, stops.c knows. Cost: O((tasks + changes) log n), and for each task that was
 * suspended before it began anew, or was suspended and stopped, a look at the attempts. */
#include <stdlib.h>

#include "base/util.h"
#include "base/wide.h"
#include "verify/parts.h"

typedef hc_verify_named named;

static int by_serial(const void *a, const void *b)
{
  const named *x = a, *y = b;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* The names of rows, in order. @return NULL: no memory */
static named *sort_names(const hc_allocator *a, size_t n)
{
  named *names = hc_alloc(a, n * sizeof *names + 1);
  for (size_t i = 0; names && i < n; i++) names[i].at = i;
  return names;
}

/* Those of one serial. @param from out: the first; @return how many */
static size_t find_all(const named *names, size_t n, int64_t serial, size_t *from)
{
  size_t low = 0, high = n, count = 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (names[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  *from = low;
  while (low + count < n && names[low + count].serial == serial) count++;
  return count;
}

/* When the last of a task's attempts ended that were lost with a host or stopped before it started as its
 * record says; of a task that waits again, of all. @return HC_UNKNOWN, which is before all times: none was */
static hc_time last_ended(const hc_verify_options *o, const hc_task_record *t)
{
  const hc_time before = t->start == HC_UNKNOWN ? INT64_MAX : t->start;
  hc_time last = HC_UNKNOWN;
  for (size_t i = 0; o->told && i < o->told->loss_count; i++)
    if (o->told->losses[i].serial == t->serial && o->told->losses[i].end <= before)
      last = HC_MAX(last, o->told->losses[i].end);
  for (size_t i = 0; o->stops && i < o->stops->count; i++)
    if (o->stops->stops[i].serial == t->serial && o->stops->stops[i].end <= before)
      last = HC_MAX(last, o->stops->stops[i].end);
  return last;
}

/* How many of a task's changes, in order of time, are of attempts before its last, which a record does not
 * tell of. What comes before the start of an only attempt is for the check to find; so is what comes after
 * all attempts of a task that waits again. */
static size_t count_earlier(const hc_verify_options *o, const hc_task_record *t, const named *rows, size_t n)
{
  const hc_time last = last_ended(o, t);
  size_t earlier = 0;
  if (last == HC_UNKNOWN) return 0;
  while (earlier < n && (t->start == HC_UNKNOWN ? o->rates->rates[rows[earlier].at].at <= last
                                                : o->rates->rates[rows[earlier].at].at < t->start))
    earlier++;
  return earlier;
}

/* Of the changes of a task those that an attempt saw from its start to its end. @return how many */
static size_t of_attempt(const hc_verify_rates *s, const named *rows, size_t n, hc_time start, hc_time end,
                         size_t *from)
{
  size_t count = 0;
  *from = 0;
  while (*from < n && s->rates[rows[*from].at].at < start) ++*from;
  while (*from + count < n && (end == HC_UNKNOWN || s->rates[rows[*from + count].at].at <= end)) count++;
  return count;
}

/* ---- stretches as tasks ---- */

/* The task that a record is about: that of a stopped attempt has a serial of its own. */
static int64_t name_of(const hc_verify_options *o, int64_t serial)
{
  const int64_t at = INT64_MAX - 1 - serial;
  return o->stops && at >= 0 && (uint64_t)at < o->stops->count ? o->stops->stops[at].serial : serial;
}

/* A stretch beyond the first: a record of its own. @param slow some of the task was done at another
 * rate, so that a limit, which counts work, says nothing of how long a stretch is */
static void add_stretch(const hc_verify_options *o, hc_unfolded *u, size_t task, hc_time from, hc_time to,
                        bool slow)
{
  hc_task_record *r = &u->records[u->count];
  *r = u->records[task];
  u->owners[u->stretch_count] = r->serial;
  u->names[u->stretch_count] = name_of(o, r->serial);
  r->serial = INT64_MAX - 1 - (int64_t)((o->stops ? o->stops->count : 0) + u->stretch_count++);
  r->start = from;
  r->end = to;
  r->run = to == HC_UNKNOWN ? r->run : to - from;
  r->final = to == HC_UNKNOWN ? HC_FINAL_RUNNING : HC_FINAL_COMPLETED;
  r->flags &= ~(int64_t)HC_TASK_RATED;
  if (slow) r->limit = HC_UNKNOWN;
  u->count++;
}

/* The record of the task itself keeps the first stretch that is not empty. */
static void unfold_task(const hc_verify_options *o, hc_unfolded *u, size_t task, bool is_attempt,
                        const named *rows, size_t n)
{
  const hc_verify_rates *s = o->rates;
  const hc_time end = u->records[task].end;
  hc_time from = u->records[task].start;
  bool holds = true, has = false, slow = false;
  for (size_t i = 0; i < n; i++) slow |= s->rates[rows[i].at].rate % HC_RATE_ONE != 0;
  for (size_t i = 0; i <= n; i++) {
    const hc_verify_rate *x = i < n ? &s->rates[rows[i].at] : NULL;
    const hc_time to = x ? x->at : end;
    if (x && x->holds == holds) continue;
    if (holds && (to == HC_UNKNOWN || to > from)) {
      if (has) add_stretch(o, u, task, from, to, slow);
      else u->records[task].start = from;
      if (!has) u->records[task].end = to;
      if (!has && is_attempt) u->records[task].run = to - from;
      has = true;
    }
    if (x) holds = x->holds;
    from = to;
  }
  if (!has) u->records[task].end = u->records[task].start; /* it never held anything for any time */
}

/* What a stretch asked for and held is what its task did. */
static hc_rc add_hosts(const hc_allocator *a, hc_unfolded *u, const hc_verify_hosts *h, size_t first)
{
  named *d = sort_names(a, h->demand_count), *g = sort_names(a, h->grant_count);
  size_t from, grants = h->grant_count;
  const bool is_there = d && g;
  for (size_t i = 0; is_there && i < h->demand_count; i++) d[i].serial = h->demands[i].serial;
  for (size_t i = 0; is_there && i < h->grant_count; i++) g[i].serial = h->grants[i].serial;
  if (is_there && h->demand_count > 1) qsort(d, h->demand_count, sizeof *d, by_serial);
  if (is_there && h->grant_count > 1) qsort(g, h->grant_count, sizeof *g, by_serial);
  for (size_t i = 0; is_there && i < u->stretch_count; i++)
    grants += find_all(g, h->grant_count, u->owners[i], &from);
  u->demand_room = (h->demand_count + u->stretch_count) * sizeof *u->demands + 1;
  u->grant_room = grants * sizeof *u->grants + 1;
  u->demands = hc_alloc(a, u->demand_room);
  u->grants = hc_alloc(a, u->grant_room);
  u->hosts = *h;
  u->hosts.demands = u->demands;
  u->hosts.grants = u->grants;
  for (size_t i = 0; u->demands && i < h->demand_count; i++) u->demands[i] = h->demands[i];
  for (size_t i = 0; u->grants && i < h->grant_count; i++) u->grants[i] = h->grants[i];
  for (size_t i = first; is_there && u->demands && u->grants && i < u->count; i++) {
    const int64_t serial = u->owners[i - first];
    if (find_all(d, h->demand_count, serial, &from) > 0) {
      u->demands[u->hosts.demand_count] = h->demands[d[from].at];
      u->demands[u->hosts.demand_count++].serial = u->records[i].serial;
    }
    const size_t n = find_all(g, h->grant_count, serial, &from);
    for (size_t k = 0; k < n; k++) {
      u->grants[u->hosts.grant_count] = h->grants[g[from + k].at];
      u->grants[u->hosts.grant_count++].serial = u->records[i].serial;
    }
  }
  hc_free(a, d, h->demand_count * sizeof *d + 1);
  hc_free(a, g, h->grant_count * sizeof *g + 1);
  return is_there && u->demands && u->grants ? 0 : HC_ENOMEM;
}

hc_rc hc_unfold_rates(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                      size_t count, size_t tasks, hc_unfolded *u)
{
  const hc_verify_rates *s = o->rates;
  u->row_room = s->count * sizeof *u->rows + 1;
  u->rows = sort_names(a, s->count);
  u->row_count = s->count;
  u->record_room = (count + s->count) * sizeof *u->records + 1;
  u->name_room = s->count * sizeof *u->names + 1;
  u->records = hc_alloc(a, u->record_room);
  u->names = hc_alloc(a, u->name_room);
  u->owners = hc_alloc(a, u->name_room);
  if (!u->rows || !u->records || !u->names || !u->owners) return HC_ENOMEM;
  named *rows = u->rows;
  for (size_t i = 0; i < s->count; i++) rows[i].serial = s->rates[i].serial;
  if (s->count > 1) qsort(rows, s->count, sizeof *rows, by_serial);
  for (size_t i = 0; i < count; i++) u->records[i] = records[i];
  u->count = count;
  for (size_t i = 0, from, skip; i < count; i++) {
    const bool is_attempt = i >= tasks;
    const size_t n = find_all(rows, s->count, name_of(o, records[i].serial), &from);
    size_t mine = 0;
    if (n == 0 || records[i].start == HC_UNKNOWN) continue;
    if (is_attempt) mine = of_attempt(s, rows + from, n, records[i].start, records[i].end, &skip);
    else mine = n - (skip = count_earlier(o, &records[i], rows + from, n));
    if (mine > 0) unfold_task(o, u, i, is_attempt, rows + from + skip, mine);
  }
  return o->hosts ? add_hosts(a, u, o->hosts, count) : 0;
}

/* ---- work ---- */

bool hc_rates_did(const hc_check *c, int64_t serial, hc_time start, hc_time end, hc_wide *done, int64_t *rate)
{
  const hc_verify_rates *s = c->options->rates;
  const hc_unfolded *u = c->unfolded;
  size_t first, from;
  if (!s || !u || !u->rows || end == HC_UNKNOWN) return false;
  const size_t all = find_all(u->rows, u->row_count, serial, &first);
  const size_t n = of_attempt(s, u->rows + first, all, start, end, &from);
  hc_time since = start;
  *done = (hc_wide){0};
  *rate = HC_RATE_ONE;
  for (size_t i = 0; i < n; i++) {
    const hc_verify_rate *x = &s->rates[u->rows[first + from + i].at];
    hc_wide_add_product(done, *rate, x->at - since);
    *rate = x->rate;
    since = x->at;
  }
  hc_wide_add_product(done, *rate, end - since);
  return n > 0;
}

/* Of one that was stopped before, stops.c knows how much was left to do. */
static bool was_stopped(const hc_check *c, int64_t serial)
{
  for (size_t i = 0; c->options->stops && i < c->options->stops->count; i++)
    if (c->options->stops->stops[i].serial == serial) return true;
  return false;
}

static hc_rc check_work(hc_check *c, uint32_t rank, const hc_task_record *t, hc_wide done, int64_t last)
{
  const hc_wide run = hc_wide_product(t->run, HC_RATE_ONE), over = hc_wide_minus(done, run);
  const bool ended = t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED;
  if (!ended || t->end == HC_UNKNOWN || t->run == HC_UNKNOWN || !c->options->honours_run) return 0;
  if (was_stopped(c, t->serial)) return 0;
  if (over.hi == 0 && over.lo < (uint64_t)HC_MAX(last, HC_RATE_ONE)) return 0;
  return hc_find(c, HC_FOUND_OTHER_RUN, t->start, rank, UINT32_MAX, hc_wide_divide(done, HC_RATE_ONE, false),
                 t->run);
}

static hc_rc check_task(hc_check *c, uint32_t rank, const hc_task_record *t, const named *rows, size_t n)
{
  const hc_verify_rates *s = c->options->rates;
  int64_t rate = HC_RATE_ONE;
  hc_time since = t->start;
  bool holds = true;
  hc_wide done = {0};
  for (size_t i = 0; i < n; i++) {
    const hc_verify_rate *x = &s->rates[rows[i].at];
    const bool goes_on = x->holds && !holds,
               outside = x->at < since || (t->end != HC_UNKNOWN && x->at > t->end);
    if (outside || (!holds && !goes_on) || x->rate < 0 || x->rate > HC_RATE_MOST ||
        (!x->holds && x->rate != 0))
      return hc_find(c, HC_FOUND_RATES, x->at, rank, UINT32_MAX, x->at, since);
    hc_wide_add_product(&done, rate, x->at - since);
    rate = x->rate;
    holds = x->holds;
    since = x->at;
  }
  if (t->end == HC_UNKNOWN) return 0;
  hc_wide_add_product(&done, rate, t->end - since);
  return check_work(c, rank, t, done, rate);
}

/* What changed in an attempt that was stopped. */
static hc_rc check_attempt(hc_check *c, uint32_t rank, const named *rows, size_t n)
{
  const hc_task_record *a = &c->records[c->tasks[rank].record];
  const hc_verify_stops *stops = c->options->stops;
  const int64_t at = INT64_MAX - 1 - a->serial;
  if (!stops || at < 0 || (uint64_t)at >= stops->count) return 0; /* a stretch */
  hc_task_record t = *a;
  size_t first, from;
  t.start = stops->stops[at].start;
  t.end = stops->stops[at].end;
  t.final = HC_FINAL_RUNNING; /* its work is looked at in stops.c */
  const size_t all = find_all(rows, n, stops->stops[at].serial, &first);
  const size_t mine = of_attempt(c->options->rates, rows + first, all, t.start, t.end, &from);
  return mine > 0 ? check_task(c, rank, &t, rows + first + from, mine) : 0;
}

hc_rc hc_check_rates(hc_check *c)
{
  const hc_verify_rates *s = c->options->rates;
  const named *rows = c->unfolded->rows;
  hc_rc rc = 0;
  for (uint32_t rank = 0; rc == 0 && rank < c->count; rank++) {
    const size_t record = c->tasks[rank].record;
    size_t from;
    if (record >= c->report.tasks) {
      rc = check_attempt(c, rank, rows, s->count);
      continue;
    }
    const hc_task_record *t = &c->given[record];
    const size_t n = find_all(rows, s->count, t->serial, &from);
    const size_t earlier = n > 0 ? count_earlier(c->options, t, rows + from, n) : 0;
    if (t->start != HC_UNKNOWN && n > 0) rc = check_task(c, rank, t, rows + from + earlier, n - earlier);
    else if (earlier < n)
      rc = hc_find(c, HC_FOUND_RATES, s->rates[rows[from + earlier].at].at, rank, UINT32_MAX, 0, 0);
  }
  if (rc == 0) hc_held_to(c, HC_RULE_RATES, s->count);
  return rc;
}
