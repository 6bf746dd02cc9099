/* regrants.c -- running tasks that a plan resized: each held at every time what its rows say, and did in all
 * as much work as its run is.
 *
 * To the checks of capacity, hosts, devices, demands and places every stretch between two resizes is a task
 * of its own, with what it held then. Beyond that: with n slots in place of the m that its attempt began
 * with a task works at n / m of its own rate, and the sum of rate x time is its run, up to less than a ns at
 * its last rate; nothing of the kind happens before it starts or after it ends; and on processors its size is what its
 * rows come to. Sums are exact (128 bits). Of a task that began anew only the last attempt is recorded so.
 * Cost: O((tasks + rows) log rows). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "base/wide.h"
#include "verify/parts.h"

/* What a task holds from one time on: rows that stand together. */
typedef struct step {
  int64_t serial;
  hc_time at;
  int64_t number, units, size; /* size: slots in all */
  size_t first, count;         /* rows */
  size_t record;               /* its stretch as a task of its own; NONE */
} step;

#define NONE SIZE_MAX

typedef struct steps {
  const hc_verify_regrants *in;
  step *items; /* [count] by serial, and for one in order of time */
  size_t count, room;
} steps;

static int by_serial(const void *a, const void *b)
{
  const step *x = a, *y = b;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

static hc_rc find_steps(const hc_allocator *a, const hc_verify_regrants *in, steps *s)
{
  *s = (steps){.in = in, .room = in->count * sizeof *s->items + 1};
  s->items = hc_alloc(a, s->room);
  if (!s->items) return HC_ENOMEM;
  for (size_t i = 0; i < in->count; i++) {
    const hc_verify_regrant *r = &in->rows[i];
    step *last = s->count > 0 ? &s->items[s->count - 1] : NULL;
    if (!last || last->serial != r->serial || last->at != r->at || last->number != r->number)
      s->items[s->count++] = (step){r->serial, r->at, r->number, r->units, 0, i, 0, NONE};
    last = &s->items[s->count - 1];
    if (__builtin_add_overflow(last->size, r->slots, &last->size)) last->size = INT64_MAX;
    last->count++;
  }
  if (s->count > 1) qsort(s->items, s->count, sizeof *s->items, by_serial);
  return 0;
}

/* The first of a serial, or where it would be. */
static size_t first_of(const steps *s, int64_t serial)
{
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->items[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Those of a task's last attempt. @return how many; 0: it was not resized in that */
static size_t steps_of(const steps *s, const hc_task_record *t, step **out)
{
  size_t first = first_of(s, t->serial), end = first;
  for (; end < s->count && s->items[end].serial == t->serial; end++)
    if (s->items[end].number == 0) first = end;
  *out = &s->items[first];
  if (t->start == HC_UNKNOWN || end == first || s->items[first].at != t->start) return 0;
  return end - first;
}

/* ---- stretches as tasks ---- */

typedef struct unfolding {
  const hc_allocator *a;
  const hc_verify_options *o;
  hc_unfolded *u;
  steps steps;
} unfolding;

static void add_stretch(unfolding *x, size_t task, hc_time from, hc_time to)
{
  hc_unfolded *u = x->u;
  hc_task_record *r = &u->records[u->count];
  *r = u->records[task];
  u->names[u->stretch_count] = r->serial;
  r->serial = INT64_MAX - 1 - (int64_t)u->stretch_count++;
  r->start = from;
  r->end = to;
  r->run = to == HC_UNKNOWN ? r->run : to - from;
  r->final = to == HC_UNKNOWN ? HC_FINAL_RUNNING : HC_FINAL_COMPLETED;
  u->count++;
}

/* The record of the task itself keeps the first stretch that is not empty; of no length the last. */
static void unfold_task(unfolding *x, size_t task, step *of, size_t n)
{
  hc_unfolded *u = x->u;
  const hc_time end = u->records[task].end;
  bool has = false;
  for (size_t i = 0; i < n; i++) {
    const hc_time to = i + 1 < n ? of[i + 1].at : end;
    const bool lasts = to == HC_UNKNOWN || to > of[i].at;
    if (!lasts && (has || i + 1 < n)) continue;
    size_t record = task;
    if (has) {
      record = u->count;
      add_stretch(x, task, of[i].at, to);
    } else {
      u->records[task].start = of[i].at;
      u->records[task].end = to;
    }
    u->records[record].units = of[i].units;
    of[i].record = record;
    has = true;
  }
}

/* ---- what stretches asked for and held ---- */

/* Do stretches say what this task held? */
static bool is_replaced(const unfolding *x, int64_t serial)
{
  const steps *s = &x->steps;
  for (size_t i = first_of(s, serial); i < s->count && s->items[i].serial == serial; i++)
    if (s->items[i].record != NONE) return true;
  return false;
}

static void add_demand(unfolding *x, const hc_verify_demand *d)
{
  const steps *s = &x->steps;
  hc_unfolded *u = x->u;
  if (!is_replaced(x, d->serial)) u->demands[u->hosts.demand_count++] = *d;
  for (size_t i = first_of(s, d->serial); i < s->count && s->items[i].serial == d->serial; i++) {
    if (s->items[i].record == NONE) continue;
    hc_verify_demand *own = &u->demands[u->hosts.demand_count++];
    *own = *d;
    own->serial = u->records[s->items[i].record].serial;
    own->slots = s->items[i].size;
  }
}

static void add_grants(unfolding *x, const step *held)
{
  hc_unfolded *u = x->u;
  for (size_t k = held->first; held->record != NONE && k < held->first + held->count; k++) {
    const hc_verify_regrant *r = &x->steps.in->rows[k];
    hc_verify_grant *g = &u->grants[u->hosts.grant_count++];
    *g = (hc_verify_grant){
        .serial = u->records[held->record].serial, .slots = r->slots, .host = (uint32_t)r->host};
    memcpy(g->amount, r->amount, sizeof g->amount);
  }
}

static hc_rc add_hosts(unfolding *x)
{
  const hc_verify_hosts *h = x->o->hosts;
  hc_unfolded *u = x->u;
  u->demand_room = (h->demand_count * 2 + x->steps.count) * sizeof *u->demands + 1;
  u->grant_room = (h->grant_count + x->steps.in->count) * sizeof *u->grants + 1;
  u->demands = hc_alloc(x->a, u->demand_room);
  u->grants = hc_alloc(x->a, u->grant_room);
  if (!u->demands || !u->grants) return HC_ENOMEM;
  u->hosts = *h;
  u->hosts.demands = u->demands;
  u->hosts.grants = u->grants;
  u->hosts.demand_count = u->hosts.grant_count = 0;
  for (size_t i = 0; i < h->demand_count; i++) add_demand(x, &h->demands[i]);
  for (size_t i = 0; i < h->grant_count; i++)
    if (!is_replaced(x, h->grants[i].serial)) u->grants[u->hosts.grant_count++] = h->grants[i];
  for (size_t i = 0; i < x->steps.count; i++) add_grants(x, &x->steps.items[i]);
  return 0;
}

/* Processors with names. */
static hc_rc add_places(unfolding *x)
{
  const hc_verify_told *told = x->o->told;
  const hc_verify_regrants *in = x->steps.in;
  hc_unfolded *u = x->u;
  size_t n = 0;
  if (!told || !told->has_places) return 0;
  u->place_room = (told->place_count + in->count) * sizeof *u->places + 1;
  u->places = hc_alloc(x->a, u->place_room);
  if (!u->places) return HC_ENOMEM;
  for (size_t i = 0; i < told->place_count; i++)
    if (!is_replaced(x, told->places[i].serial)) u->places[n++] = told->places[i];
  for (size_t i = 0; i < x->steps.count; i++) {
    const step *held = &x->steps.items[i];
    for (size_t k = held->first; held->record != NONE && k < held->first + held->count; k++)
      u->places[n++] = (hc_verify_place){
          .serial = u->records[held->record].serial, .first = in->rows[k].host, .count = in->rows[k].slots};
  }
  u->told = *told;
  u->told.places = u->places;
  u->told.place_count = n;
  return 0;
}

static hc_rc unfold(unfolding *x, const hc_task_record *records, size_t count)
{
  hc_unfolded *u = x->u;
  u->record_room = (count + x->steps.count) * sizeof *u->records + 1;
  u->name_room = x->steps.count * sizeof *u->names + 1;
  u->records = hc_alloc(x->a, u->record_room);
  u->names = hc_alloc(x->a, u->name_room);
  if (!u->records || !u->names) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) u->records[i] = records[i];
  u->count = count;
  for (size_t i = 0; i < count; i++) {
    step *of;
    const size_t n = steps_of(&x->steps, &records[i], &of);
    if (n > 0) unfold_task(x, i, of, n);
  }
  return x->o->hosts ? add_hosts(x) : add_places(x);
}

hc_rc hc_unfold_regrants(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                         size_t count, hc_unfolded *u)
{
  unfolding x = {.a = a, .o = o, .u = u};
  hc_rc rc = find_steps(a, o->regrants, &x.steps);
  if (rc >= 0) rc = unfold(&x, records, count);
  if (x.steps.items) hc_free(a, x.steps.items, x.steps.room);
  return rc;
}

/* ---- work ---- */

static hc_rc check_task(hc_check *c, uint32_t rank, const hc_task_record *t, const step *of, size_t n)
{
  const bool ended = t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED;
  hc_wide done = {0};
  int64_t rate = HC_RATE_ONE;
  for (size_t i = 0; i < n; i++) {
    const hc_time to = i + 1 < n ? of[i + 1].at : t->end;
    if (!c->options->hosts && of[i].size != of[i].units)
      return hc_find(c, HC_FOUND_SIZE, of[i].at, rank, UINT32_MAX, of[i].size, of[i].units);
    if (to == HC_UNKNOWN) return 0;
    if (to < of[i].at) return hc_find(c, HC_FOUND_RATES, of[i].at, rank, UINT32_MAX, of[i].at, to);
    rate = hc_wide_divide(hc_wide_product(HC_RATE_ONE, of[i].size), of[0].size, false);
    hc_wide_add_product(&done, rate, to - of[i].at);
  }
  const hc_wide over = hc_wide_minus(done, hc_wide_product(t->run, HC_RATE_ONE));
  if (!ended || t->run == HC_UNKNOWN || !c->options->honours_run) return 0;
  if (over.hi == 0 && over.lo < (uint64_t)HC_MAX(rate, HC_RATE_ONE)) return 0;
  return hc_find(c, HC_FOUND_OTHER_RUN, t->start, rank, UINT32_MAX, hc_wide_divide(done, HC_RATE_ONE, false),
                 t->run);
}

hc_rc hc_check_regrants(hc_check *c)
{
  steps s;
  hc_rc rc = find_steps(c->allocator, c->options->regrants, &s);
  for (uint32_t rank = 0; rc == 0 && rank < c->count; rank++) {
    const size_t record = c->tasks[rank].record;
    step *of;
    if (record >= c->report.tasks) continue; /* a stretch */
    const size_t n = steps_of(&s, &c->given[record], &of);
    if (n > 0) rc = check_task(c, rank, &c->given[record], of, n);
  }
  if (s.items) hc_free(c->allocator, s.items, s.room);
  if (rc == 0) hc_held_to(c, HC_RULE_RESIZES, s.count);
  return rc;
}
