/* stops.c -- attempts that a plan stopped: each held what it held from its start to its end, and what was
 * saved adds up.
 *
 * To the checks of capacity an attempt is a task of its own, with what it held and the demand of its task.
 * Beyond that: no attempt starts before the one before it has ended, none saves more than it ran or less than
 * nothing, and the last runs for what is left: run - what was saved + what starting again takes. On hosts of
 * other speeds, and where a model carries out what tasks do, the records do not say what work a time is, and
 * neither that last nor what is saved at most is checked. Cost: O((tasks + stops) log n). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "verify/parts.h"

/* An attempt's serial, where it stands as a task of its own. */
static int64_t serial_of(size_t stop)
{
  return INT64_MAX - 1 - (int64_t)stop;
}

static const hc_verify_stop *row(const void *p)
{
  return *(const hc_verify_stop *const *)p;
}

static int by_task(const void *a, const void *b)
{
  const hc_verify_stop *x = row(a), *y = row(b);
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return x->end != y->end ? (x->end < y->end ? -1 : 1) : x < y ? -1 : x > y;
}

/* ---- attempts as tasks ---- */

typedef struct keyed {
  int64_t serial;
  size_t at;
} keyed;

static int by_serial(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static const keyed *find_key(const keyed *keys, size_t n, int64_t serial)
{
  const keyed key = {.serial = serial};
  return n ? bsearch(&key, keys, n, sizeof *keys, by_serial) : NULL;
}

static size_t add_records(hc_unfolded *u, const hc_verify_stops *s, const keyed *keys, size_t n)
{
  size_t added = n;
  for (size_t i = 0; i < s->count; i++) {
    const hc_verify_stop *x = &s->stops[i];
    const keyed *k = find_key(keys, n, x->serial);
    hc_task_record *r;
    if (!k || x->how == HC_STOPPED_FOR_GOOD) continue;
    r = &u->records[added++];
    *r = u->records[k->at];
    r->serial = serial_of(i);
    r->start = x->start;
    r->end = x->end;
    r->run = x->end - x->start;
    r->final = HC_FINAL_COMPLETED;
    r->flags &= ~(int64_t)HC_TASK_PREEMPTED;
  }
  return added;
}

static hc_rc add_hosts(const hc_allocator *a, hc_unfolded *u, const hc_verify_hosts *h,
                       const hc_verify_stops *s)
{
  const size_t demands = h->demand_count + s->count, grants = h->grant_count + s->grant_count;
  keyed *keys = hc_alloc(a, h->demand_count * sizeof *keys + 1);
  u->demands = hc_alloc(a, demands * sizeof *u->demands + 1);
  u->grants = hc_alloc(a, grants * sizeof *u->grants + 1);
  u->demand_room = demands * sizeof *u->demands + 1;
  u->grant_room = grants * sizeof *u->grants + 1;
  if (!keys || !u->demands || !u->grants) {
    hc_free(a, keys, h->demand_count * sizeof *keys + 1);
    return HC_ENOMEM;
  }
  u->hosts = *h;
  u->hosts.demands = u->demands;
  u->hosts.grants = u->grants;
  for (size_t i = 0; i < h->demand_count; i++) {
    u->demands[i] = h->demands[i];
    keys[i] = (keyed){h->demands[i].serial, i};
  }
  for (size_t i = 0; i < h->grant_count; i++) u->grants[i] = h->grants[i];
  if (h->demand_count > 1) qsort(keys, h->demand_count, sizeof *keys, by_serial);
  for (size_t i = 0; i < s->count; i++) {
    const keyed *k = find_key(keys, h->demand_count, s->stops[i].serial);
    if (!k || h->demands[k->at].form & 8) continue; /* it asked for something else then, as its grants say */
    u->demands[u->hosts.demand_count] = h->demands[k->at];
    u->demands[u->hosts.demand_count++].serial = serial_of(i);
  }
  for (size_t i = 0; i < s->grant_count; i++) {
    u->grants[u->hosts.grant_count] = s->grants[i];
    u->grants[u->hosts.grant_count++].serial = serial_of((size_t)s->grants[i].serial);
  }
  hc_free(a, keys, h->demand_count * sizeof *keys + 1);
  return 0;
}

hc_rc hc_unfold(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                size_t count, hc_unfolded *u)
{
  const hc_verify_stops *s = o->stops;
  keyed *keys = hc_alloc(a, count * sizeof *keys + 1);
  u->record_room = (count + s->count) * sizeof *u->records + 1;
  u->records = hc_alloc(a, u->record_room);
  if (!keys || !u->records) {
    hc_free(a, keys, count * sizeof *keys + 1);
    return HC_ENOMEM;
  }
  for (size_t i = 0; i < count; i++) {
    u->records[i] = records[i];
    keys[i] = (keyed){records[i].serial, i};
  }
  if (count > 1) qsort(keys, count, sizeof *keys, by_serial);
  u->count = add_records(u, s, keys, count);
  hc_free(a, keys, count * sizeof *keys + 1);
  return o->hosts ? add_hosts(a, u, o->hosts, s) : 0;
}

void hc_unfold_free(const hc_allocator *a, hc_unfolded *u)
{
  hc_free(a, u->records, u->record_room);
  hc_free(a, u->demands, u->demand_room);
  hc_free(a, u->grants, u->grant_room);
  hc_free(a, u->names, u->name_room);
  if (u->owners) hc_free(a, u->owners, u->name_room);
  if (u->rows) hc_free(a, u->rows, u->row_room);
  hc_free(a, u->places, u->place_room);
  hc_steps_free(a, u->steps);
  *u = (hc_unfolded){0};
}

/* ---- one after the other ---- */

/* How much an attempt can have saved: of one that was resized, or suspended, its work counts, not its
 * time. */
static hc_time did(const hc_check *c, const hc_verify_stop *s)
{
  hc_wide done;
  int64_t rate;
  if (!hc_regrants_did(c, s->serial, s->start, s->end, &done, &rate) &&
      !hc_rates_did(c, s->serial, s->start, s->end, &done, &rate))
    return s->end - s->start;
  return hc_wide_divide(done, HC_RATE_ONE, true);
}

/* Has the last attempt done what was left? */
static bool did_rest(const hc_check *c, const hc_task_record *t, hc_time left)
{
  hc_wide done;
  int64_t rate;
  if (!hc_regrants_did(c, t->serial, t->start, t->end, &done, &rate) &&
      !hc_rates_did(c, t->serial, t->start, t->end, &done, &rate))
    return t->end - t->start == left;
  return hc_regrants_is_done(done, rate, left);
}

static hc_rc check_task(hc_check *c, uint32_t rank, const hc_verify_stop *const *stops, size_t n)
{
  const hc_task_record *t = &c->given[c->tasks[rank].record];
  hc_time saved = 0, restart = 0, free_from = t->submit, left;
  bool for_good = false;
  for (size_t i = 0; i < n; i++) {
    const hc_verify_stop *s = stops[i];
    if (s->start < free_from || s->end < s->start)
      TRY(hc_find(c, HC_FOUND_ATTEMPTS, s->start, rank, UINT32_MAX, s->start, free_from));
    if (s->saved < 0 ||
        (!c->options->stops->speeds_differ && hc_time_add(s->saved, restart) > HC_MAX(did(c, s), restart)))
      TRY(hc_find(c, HC_FOUND_SAVED, s->end, rank, UINT32_MAX, s->saved, s->end - s->start));
    free_from = s->end;
    saved = hc_time_add(saved, s->saved);
    restart = s->restart;
    for_good |= s->how == HC_STOPPED_FOR_GOOD;
  }
  if (for_good) {
    if (t->end != free_from)
      TRY(hc_find(c, HC_FOUND_ATTEMPTS, free_from, rank, UINT32_MAX, t->end, free_from));
    return 0;
  }
  if (t->start == HC_UNKNOWN) return 0;
  if (t->start < free_from)
    TRY(hc_find(c, HC_FOUND_ATTEMPTS, t->start, rank, UINT32_MAX, t->start, free_from));
  if (t->end == HC_UNKNOWN || t->run == HC_UNKNOWN || c->options->stops->speeds_differ ||
      !c->options->honours_run)
    return 0;
  if (t->final != HC_FINAL_COMPLETED && t->final != HC_FINAL_KILLED) return 0;
  left = hc_time_add(hc_time_add(t->run, -saved), restart);
  if (did_rest(c, t, left)) return 0;
  return hc_find(c, HC_FOUND_OTHER_RUN, t->start, rank, UINT32_MAX, t->end - t->start, left);
}

hc_rc hc_check_stops(hc_check *c)
{
  const hc_verify_stops *s = c->options->stops;
  const hc_allocator *a = c->allocator;
  const hc_verify_stop **sorted = hc_alloc(a, s->count * sizeof *sorted + 1);
  keyed *ranks = hc_alloc(a, c->count * sizeof *ranks + 1);
  hc_rc rc = sorted && ranks ? 0 : HC_ENOMEM;
  for (size_t i = 0; i < s->count && rc == 0; i++) sorted[i] = &s->stops[i];
  for (size_t i = 0; i < c->count && rc == 0; i++)
    ranks[i] = (keyed){c->records[c->tasks[i].record].serial, i};
  if (rc == 0 && s->count > 1) qsort(sorted, s->count, sizeof *sorted, by_task);
  if (rc == 0 && c->count > 1) qsort(ranks, c->count, sizeof *ranks, by_serial);
  for (size_t i = 0, n; i < s->count && rc == 0; i += n) {
    const keyed *k = find_key(ranks, c->count, sorted[i]->serial);
    for (n = 1; i + n < s->count && sorted[i + n]->serial == sorted[i]->serial; n++) continue;
    if (k && c->tasks[k->at].record < c->report.tasks) rc = check_task(c, (uint32_t)k->at, &sorted[i], n);
  }
  if (rc == 0) hc_held_to(c, HC_RULE_ATTEMPTS, s->count);
  hc_free(a, sorted, s->count * sizeof *sorted + 1);
  hc_free(a, ranks, c->count * sizeof *ranks + 1);
  return rc;
}
