/* regrants.c -- running tasks that a plan resized: each held at every time what its rows say, and did in all
 * as much work as its run is.
 *
 * To the checks of capacity, hosts, devices, demands and places every stretch between two resizes is a task
 * of its own, with what it held then. Beyond that: with n slots in place of the m that its attempt began with
 * a task works at n / m of its own rate, on hosts of several speeds times that of the slowest which it has,
 * by that of the slowest with which it began; one with a law of speed-up at the rate that `resize_rates` says
 * of the resize, and after the pause that it says there (one whose length follows from its profile at its own
 * rate in every size), and the sum of rate x time is its run, up to less than a ns at its last rate; nothing
 * of the kind happens before it starts or after it ends; on processors its size is what its rows come to; and
 * what tables say that it held at its end is its last stretch. Sums are exact (128 bits). An attempt that a
 * plan stopped has stretches as well (stops.c knows what it saved, and how long the last one is to run); of
 * one that was lost with its host no stretch is known. Cost: O((tasks + rows) log rows). */
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
  int64_t owner;               /* the serial of the attempt of which that is a stretch */
  size_t seen;                 /* rows of the tables of what tasks held at their end that are about it */
} step;

#define NONE SIZE_MAX

struct hc_steps {
  const hc_verify_regrants *in;
  step *items; /* [count] by serial, and for one in order of time */
  size_t count, room;
};
typedef struct hc_steps steps;

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
      s->items[s->count++] = (step){r->serial, r->at, r->number, r->units, 0, i, 0, NONE, -1, 0};
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

/* Those of the last attempt that began then. @return how many; 0: it was not resized in that */
static size_t steps_of(const steps *s, int64_t serial, hc_time start, step **out)
{
  size_t first = SIZE_MAX, n = 0;
  for (size_t i = first_of(s, serial); i < s->count && s->items[i].serial == serial; i++) {
    const bool begins = s->items[i].number == 0;
    if (begins && s->items[i].at == start) first = i, n = 0;
    else if (begins && first != SIZE_MAX) break;
    if (first != SIZE_MAX) n++;
  }
  *out = n > 0 ? &s->items[first] : NULL;
  return start == HC_UNKNOWN ? 0 : n;
}

/* ---- stretches as tasks ---- */

typedef struct unfolding {
  const hc_allocator *a;
  const hc_verify_options *o;
  hc_unfolded *u;
  steps *steps;
  size_t tasks; /* records of tasks; those behind them are of stopped attempts */
} unfolding;

/* The task that a record is about: that of a stopped attempt has a serial of its own. */
static int64_t name_of(const unfolding *x, int64_t serial)
{
  const hc_verify_stops *stops = x->o->stops;
  const int64_t at = INT64_MAX - 1 - serial;
  return stops && at >= 0 && (uint64_t)at < stops->count ? stops->stops[at].serial : serial;
}

static void add_stretch(unfolding *x, size_t task, hc_time from, hc_time to)
{
  hc_unfolded *u = x->u;
  hc_task_record *r = &u->records[u->count];
  *r = u->records[task];
  u->names[u->stretch_count] = name_of(x, r->serial);
  r->serial = INT64_MAX - 1 - (int64_t)((x->o->stops ? x->o->stops->count : 0) + u->stretch_count++);
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
      if (task >= x->tasks) u->records[task].run = to - of[i].at; /* an attempt */
    }
    u->records[record].units = of[i].units;
    of[i].record = record;
    of[i].owner = u->records[task].serial;
    has = true;
  }
}

/* ---- what stretches asked for and held ---- */

/* Do stretches say what this task, or stopped attempt, held? */
static bool is_replaced(const unfolding *x, int64_t serial)
{
  const steps *s = x->steps;
  const int64_t name = name_of(x, serial);
  for (size_t i = first_of(s, name); i < s->count && s->items[i].serial == name; i++)
    if (s->items[i].record != NONE && s->items[i].owner == serial) return true;
  return false;
}

/* What a task held as an attempt of it began: every attempt begins so, unless it was molded. NULL: it was
 * never resized */
static const step *own_step(const unfolding *x, int64_t serial)
{
  const int64_t name = name_of(x, serial);
  const size_t first = first_of(x->steps, name);
  const bool has = first < x->steps->count && x->steps->items[first].serial == name;
  return has && x->steps->items[first].number == 0 ? &x->steps->items[first] : NULL;
}

/* With how many slots an attempt began that was not resized: of the task itself its record says it; of one
 * that was stopped its start, if the task was molded, and else each began alike. */
static int64_t size_of(const unfolding *x, int64_t serial, hc_time start, int64_t said)
{
  const hc_verify_told *told = x->o->told;
  const int64_t name = name_of(x, serial);
  int64_t size = own_step(x, serial)->size;
  if (name == serial) return said;
  for (size_t i = 0; told && i < told->mold_count; i++) {
    if (told->molds[i].serial != name) continue;
    if (told->molds[i].start == start) return told->molds[i].size;
    size = told->molds[i].asked;
  }
  return size;
}

static hc_time start_of(const unfolding *x, int64_t serial)
{
  const hc_verify_stops *stops = x->o->stops;
  const int64_t at = INT64_MAX - 1 - serial;
  return stops && at >= 0 && (uint64_t)at < stops->count ? stops->stops[at].start : HC_UNKNOWN;
}

static void add_demand(unfolding *x, const hc_verify_demand *d)
{
  const steps *s = x->steps;
  const int64_t name = name_of(x, d->serial);
  const step *own = own_step(x, d->serial);
  hc_unfolded *u = x->u;
  if (!is_replaced(x, d->serial)) {
    u->demands[u->hosts.demand_count] = *d;
    if (own)
      u->demands[u->hosts.demand_count].slots = size_of(x, d->serial, start_of(x, d->serial), d->slots);
    u->hosts.demand_count++;
  }
  for (size_t i = first_of(s, name); i < s->count && s->items[i].serial == name; i++) {
    if (s->items[i].record == NONE || s->items[i].owner != d->serial) continue;
    hc_verify_demand *of = &u->demands[u->hosts.demand_count++];
    *of = *d;
    of->serial = u->records[s->items[i].record].serial;
    of->slots = s->items[i].size;
  }
}

/* Did the stretch before it hold as much on that host? Such a grant starts nowhere. */
static bool is_kept(const unfolding *x, const step *held, const hc_verify_regrant *now)
{
  const step *before = held;
  do {
    if (before->number == 0) return false;
    before--; /* of the same task, back to the start of its attempt */
  } while (before->record == NONE);
  for (size_t k = before->first; k < before->first + before->count; k++) {
    const hc_verify_regrant *r = &x->steps->in->rows[k];
    bool held_all = r->host == now->host && r->slots >= now->slots;
    for (uint32_t d = 0; held_all && d < x->steps->in->dimensions; d++)
      held_all = r->amount[d] >= now->amount[d];
    if (held_all) return true;
  }
  return false;
}

static void add_grants(unfolding *x, const step *held)
{
  hc_unfolded *u = x->u;
  for (size_t k = held->first; held->record != NONE && k < held->first + held->count; k++) {
    const hc_verify_regrant *r = &x->steps->in->rows[k];
    hc_verify_grant *g = &u->grants[u->hosts.grant_count++];
    *g = (hc_verify_grant){.serial = u->records[held->record].serial,
                           .slots = r->slots,
                           .host = (uint32_t)r->host,
                           .kept = is_kept(x, held, r),
                           .devices = r->devices,
                           .amount = r->amount};
  }
}

static hc_rc add_hosts(unfolding *x)
{
  const hc_verify_hosts *h = x->o->hosts;
  hc_unfolded *u = x->u;
  u->demand_room = (h->demand_count * 2 + x->steps->count) * sizeof *u->demands + 1;
  u->grant_room = (h->grant_count + x->steps->in->count) * sizeof *u->grants + 1;
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
  for (size_t i = 0; i < x->steps->count; i++) add_grants(x, &x->steps->items[i]);
  return 0;
}

/* Processors with names. */
static hc_rc add_places(unfolding *x)
{
  const hc_verify_told *told = x->o->told;
  const hc_verify_regrants *in = x->steps->in;
  hc_unfolded *u = x->u;
  size_t n = 0;
  if (!told || !told->has_places) return 0;
  u->place_room = (told->place_count + in->count) * sizeof *u->places + 1;
  u->places = hc_alloc(x->a, u->place_room);
  if (!u->places) return HC_ENOMEM;
  for (size_t i = 0; i < told->place_count; i++)
    if (!is_replaced(x, told->places[i].serial)) u->places[n++] = told->places[i];
  for (size_t i = 0; i < x->steps->count; i++) {
    const step *held = &x->steps->items[i];
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
  u->record_room = (count + x->steps->count) * sizeof *u->records + 1;
  u->name_room = x->steps->count * sizeof *u->names + 1;
  u->records = hc_alloc(x->a, u->record_room);
  u->names = hc_alloc(x->a, u->name_room);
  if (!u->records || !u->names) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) u->records[i] = records[i];
  u->count = count;
  for (size_t i = 0; i < count; i++) {
    const step *own = own_step(x, records[i].serial);
    step *of;
    const size_t n = steps_of(x->steps, name_of(x, records[i].serial), records[i].start, &of);
    if (n > 0 && of->record == NONE) unfold_task(x, i, of, n);
    else if (own && i >= x->tasks) {
      const int64_t size = size_of(x, records[i].serial, records[i].start, own->size);
      u->records[i].units = own->units / HC_MAX(own->size, 1) * size;
    }
  }
  return x->o->hosts ? add_hosts(x) : add_places(x);
}

hc_rc hc_unfold_regrants(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                         size_t count, size_t tasks, hc_unfolded *u)
{
  unfolding x = {.a = a, .o = o, .u = u, .tasks = tasks};
  u->steps = x.steps = hc_alloc(a, sizeof *x.steps);
  if (!x.steps) return HC_ENOMEM;
  TRY(find_steps(a, o->regrants, x.steps));
  return unfold(&x, records, count);
}

void hc_steps_free(const hc_allocator *a, struct hc_steps *s)
{
  if (!s) return;
  if (s->items) hc_free(a, s->items, s->room);
  hc_free(a, s, sizeof *s);
}

/* ---- work ---- */

/* Are all speeds known that count? */
static bool knows_speeds(const hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  return !told || !told->speeds_differ ||
         (c->options->hosts && told->speed_count == c->options->hosts->host_count);
}

static double slowest(const hc_check *c, const steps *s, const step *x)
{
  double least = __builtin_inf();
  for (size_t i = x->first; i < x->first + x->count; i++)
    least = HC_MIN(least, c->options->told->speeds[s->in->rows[i].host]);
  return least;
}

/* What the table of them says of a resize; NULL: nothing. */
static const hc_verify_resize_rate *said_of(const hc_verify_told *told, const step *x)
{
  size_t low = 0, high = told && x->number > 0 ? told->resize_rate_count : 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (told->resize_rates[middle].number == x->number) return &told->resize_rates[middle];
    if (told->resize_rates[middle].number < x->number) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

/* Of its own rate, in the size and on the hosts that it has. */
static int64_t rate_of(const hc_check *c, const steps *s, const step *first, const step *x)
{
  const hc_verify_told *told = c->options->told;
  const hc_verify_resize_rate *said = said_of(told, x);
  if (told && told->by_profile) return HC_RATE_ONE;
  if (said) return said->rate;
  const int64_t rate = hc_wide_divide(hc_wide_product(HC_RATE_ONE, x->size), first->size, false);
  if (!told || !told->speeds_differ) return rate;
  const double before = slowest(c, s, first), now = slowest(c, s, x);
  if (before == now) return rate;
  const double moved = (double)rate * (now / before) + 0.5;
  return moved < 1 ? 1 : moved > (double)HC_RATE_MOST ? HC_RATE_MOST : (int64_t)moved;
}

/* What is done until `end`. @param rate out: the last */
static hc_wide work_of(const hc_check *c, const steps *s, const step *of, size_t n, hc_time end,
                       int64_t *rate)
{
  hc_wide done = {0};
  hc_time since = n > 0 ? of[0].at : end;
  *rate = HC_RATE_ONE;
  for (size_t i = 0; i < n; i++) {
    const hc_verify_resize_rate *said = said_of(c->options->told, &of[i]);
    const hc_time to = i + 1 < n ? of[i + 1].at : end;
    since = HC_MAX(since, hc_time_add(of[i].at, said ? said->pause : 0));
    if (knows_speeds(c)) *rate = rate_of(c, s, of, &of[i]);
    hc_wide_add_product(&done, *rate, HC_MAX(to - since, 0));
    since = HC_MAX(since, to);
  }
  return done;
}

bool hc_regrants_did(const hc_check *c, int64_t serial, hc_time start, hc_time end, hc_wide *done,
                     int64_t *rate)
{
  const steps *s = c->unfolded ? c->unfolded->steps : NULL;
  step *of;
  const size_t n = s ? steps_of(s, serial, start, &of) : 0;
  if (n > 0) *done = work_of(c, s, of, n, end, rate);
  return n > 0;
}

bool hc_regrants_is_done(hc_wide done, int64_t rate, hc_time run)
{
  const hc_wide over = hc_wide_minus(done, hc_wide_product(run, HC_RATE_ONE));
  return over.hi == 0 && over.lo < (uint64_t)HC_MAX(rate, HC_RATE_ONE);
}

/* How long a task that was stopped is to run, stops.c knows. */
static hc_rc check_task(hc_check *c, const steps *s, uint32_t rank, const hc_task_record *t, const step *of,
                        size_t n)
{
  const bool ended = t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED;
  int64_t rate;
  for (size_t i = 0; i < n; i++) {
    const hc_time to = i + 1 < n ? of[i + 1].at : t->end;
    if (!c->options->hosts && of[i].size != of[i].units)
      return hc_find(c, HC_FOUND_SIZE, of[i].at, rank, UINT32_MAX, of[i].size, of[i].units);
    if (to == HC_UNKNOWN) return 0;
    if (to < of[i].at) return hc_find(c, HC_FOUND_RATES, of[i].at, rank, UINT32_MAX, of[i].at, to);
  }
  if (!ended || t->run == HC_UNKNOWN || !c->options->honours_run || !knows_speeds(c)) return 0;
  if (c->options->stops && (t->flags & HC_TASK_PREEMPTED)) return 0;
  const hc_wide done = work_of(c, s, of, n, t->end, &rate);
  if (hc_regrants_is_done(done, rate, t->run)) return 0;
  return hc_find(c, HC_FOUND_OTHER_RUN, t->start, rank, UINT32_MAX, hc_wide_divide(done, HC_RATE_ONE, false),
                 t->run);
}

/* ---- what tables say of its end ---- */

/* The last of a task's steps; NULL: it was not resized in its last attempt. */
static step *last_of(const hc_check *c, int64_t serial)
{
  const uint32_t record = hc_record_with(c, serial);
  step *of;
  size_t n;
  if (record == UINT32_MAX) return NULL;
  n = steps_of(c->unfolded->steps, serial, c->given[record].start, &of);
  return n > 0 ? &of[n - 1] : NULL;
}

/* A row of what a task held at its end. @param amount NULL: of processors */
static hc_rc check_held(hc_check *c, int64_t serial, int64_t host, int64_t slots, const int64_t *amount)
{
  const hc_verify_regrant *rows = c->options->regrants->rows;
  const uint32_t n = amount ? HC_MIN(c->options->regrants->dimensions, c->as_given->hosts->dimensions) : 0;
  step *last = last_of(c, serial);
  if (!last) return 0;
  last->seen++;
  for (size_t i = last->first; i < last->first + last->count; i++)
    if (rows[i].host == host && rows[i].slots == slots &&
        (n == 0 || memcmp(rows[i].amount, amount, n * sizeof *amount) == 0))
      return 0;
  return hc_find(c, HC_FOUND_OTHER_END, last->at, c->ranks[hc_record_with(c, serial)], UINT32_MAX, host,
                 slots);
}

/* Is it recorded what the task held? */
static bool is_due(const hc_verify_told *told, const hc_task_record *t)
{
  if (t->final == HC_FINAL_RUNNING) return told->keeps_standing;
  return t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED || t->final == HC_FINAL_LOST;
}

static hc_rc check_ends(hc_check *c)
{
  const hc_verify_hosts *h = c->as_given->hosts;
  const hc_verify_told *told = c->as_given->told;
  if (!told || !told->by_run || (!h && !told->has_places)) return 0;
  for (size_t i = 0; h && i < h->grant_count; i++) {
    const hc_verify_grant *g = &h->grants[i];
    TRY(check_held(c, g->serial, g->host, g->slots, g->amount));
  }
  for (size_t i = 0; h && i < h->demand_count; i++) {
    const step *last = last_of(c, h->demands[i].serial);
    if (last && last->size != h->demands[i].slots)
      TRY(hc_find(c, HC_FOUND_OTHER_SLOTS, last->at, c->ranks[hc_record_with(c, last->serial)], UINT32_MAX,
                  last->size, h->demands[i].slots));
  }
  for (size_t i = 0; !h && i < told->place_count; i++)
    TRY(check_held(c, told->places[i].serial, told->places[i].first, told->places[i].count, NULL));
  for (size_t i = 0; i < c->report.tasks; i++) {
    const step *last = last_of(c, c->given[i].serial);
    if (last && is_due(told, &c->given[i]) && last->seen != last->count)
      TRY(hc_find(c, HC_FOUND_ROWS_OF_END, last->at, c->ranks[i], UINT32_MAX, (int64_t)last->seen,
                  (int64_t)last->count));
  }
  return 0;
}

hc_rc hc_check_regrants(hc_check *c)
{
  const steps *s = c->unfolded->steps;
  for (uint32_t rank = 0; rank < c->count; rank++) {
    const size_t record = c->tasks[rank].record;
    step *of;
    if (record >= c->report.tasks) continue; /* a stretch, or an attempt */
    const size_t n = steps_of(s, c->given[record].serial, c->given[record].start, &of);
    if (n > 0) TRY(check_task(c, s, rank, &c->given[record], of, n));
  }
  hc_held_to(c, HC_RULE_RESIZES, s->count);
  return check_ends(c);
}
