/* bounds.c -- is every number of a record one that may be added up?
 *
 * Whatever a file says, no sum of it may overflow. So times lie within 2^62 ns of the origin (146 years),
 * amounts are not negative and less than 2^62, and if one is not, that is all that is found: nothing else is
 * added up. Sums over many rows are kept in 128 bits, or with a check, where they are made. Cost: one pass
 * over all rows. */
#include "base/util.h"
#include "verify/parts.h"

#define MOST ((int64_t)1 << 62)
#define MOST_SLOTS ((int64_t)1 << 40)

typedef struct bounds {
  hc_check *c;
  hc_rc rc;
} bounds;

static void hold(bounds *b, const char *what, int64_t n, bool is_good)
{
  if (is_good || b->rc < 0) return;
  b->rc = hc_find_word(b->c, HC_FOUND_OUT_OF_BOUNDS, what, UINT32_MAX, n, 0);
}

static void hold_time(bounds *b, const char *what, hc_time t)
{
  hold(b, what, t, t == HC_UNKNOWN || (t > -MOST && t < MOST));
}

static void hold_amounts(bounds *b, const char *what, const int64_t *amount, uint32_t n)
{
  for (uint32_t d = 0; d < n; d++) hold(b, what, amount[d], amount[d] >= 0 && amount[d] < MOST);
}

static void hold_slots(bounds *b, const char *what, int64_t n)
{
  hold(b, what, n, n >= 0 && n < MOST_SLOTS);
}

static void look_at_tasks(bounds *b)
{
  const hc_check *c = b->c;
  for (size_t i = 0; i < c->report.tasks; i++) {
    const hc_task_record *t = &c->given[i];
    hold_time(b, "tasks.submit", t->submit == HC_UNKNOWN ? INT64_MAX : t->submit);
    hold_time(b, "tasks.start", t->start);
    hold_time(b, "tasks.end", t->end);
    hold(b, "tasks.serial", t->serial, t->serial >= -1 && t->serial < MOST);
    hold(b, "tasks.final", t->final, t->final >= 0 && t->final < HC_FINAL_COUNT);
    hold(b, "tasks.units", t->units, t->units > -MOST && t->units < MOST);
  }
  hc_held_to(b->c, HC_RULE_BOUNDS, c->report.tasks);
}

static void look_at_grants(bounds *b, const char *slots, const char *amounts, const hc_verify_grant *g,
                           size_t n, uint32_t dimensions)
{
  for (size_t i = 0; i < n; i++) {
    hold_slots(b, slots, g[i].slots);
    hold_amounts(b, amounts, g[i].amount, dimensions);
  }
  hc_held_to(b->c, HC_RULE_BOUNDS, n);
}

static void look_at_hosts(bounds *b, const hc_verify_hosts *h)
{
  for (size_t i = 0; i < h->host_count; i++) hold_amounts(b, "hosts", h->hosts[i].amount, h->dimensions);
  for (size_t i = 0; i < h->change_count; i++) {
    hold_time(b, "host_changes.at", h->changes[i].at);
    hold_amounts(b, "host_changes", h->changes[i].amount, h->dimensions);
  }
  for (size_t i = 0; i < h->demand_count; i++) {
    hold_slots(b, "demands.slots", h->demands[i].slots);
    hold_slots(b, "demands.attempts", h->demands[i].attempts);
    hold_amounts(b, "demands", h->demands[i].need, h->dimensions);
  }
  look_at_grants(b, "grants.slots", "grants", h->grants, h->grant_count, h->dimensions);
  for (size_t i = 0; i < h->resize_count; i++) {
    hold_time(b, "resizes.at", h->resizes[i].at);
    hold_amounts(b, "resizes", h->resizes[i].amount, h->dimensions);
  }
  hc_held_to(b->c, HC_RULE_BOUNDS, h->host_count + h->change_count + h->demand_count + h->resize_count);
}

static void look_at_stops(bounds *b, const hc_verify_stops *s)
{
  for (size_t i = 0; i < s->count; i++) {
    hold_time(b, "stops.start", s->stops[i].start);
    hold_time(b, "stops.end", s->stops[i].end);
    hold(b, "stops.saved", s->stops[i].saved, s->stops[i].saved >= 0 && s->stops[i].saved < MOST);
    hold(b, "stops.restart", s->stops[i].restart, s->stops[i].restart >= 0 && s->stops[i].restart < MOST);
  }
  look_at_grants(b, "stop_grants.slots", "stop_grants", s->grants, s->grant_count, s->dimensions);
  hc_held_to(b->c, HC_RULE_BOUNDS, s->count);
}

static void look_at_told(bounds *b, const hc_verify_told *t)
{
  for (size_t i = 0; i < t->place_count; i++) {
    hold_slots(b, "placements.first", HC_MAX(t->places[i].first, 0));
    hold_slots(b, "placements.count", HC_MAX(t->places[i].count, 0));
  }
  for (size_t i = 0; i < t->loss_count; i++) {
    hold_time(b, "attempts.start", t->losses[i].start);
    hold_time(b, "attempts.end", t->losses[i].end);
  }
  hc_held_to(b->c, HC_RULE_BOUNDS, t->place_count + t->loss_count);
}

hc_rc hc_check_bounds(hc_check *c)
{
  const hc_verify_options *o = c->options;
  bounds b = {.c = c};
  look_at_tasks(&b);
  if (o->hosts) look_at_hosts(&b, o->hosts);
  if (o->stops) look_at_stops(&b, o->stops);
  for (size_t i = 0; o->rates && i < o->rates->count; i++) hold_time(&b, "rates.at", o->rates->rates[i].at);
  for (size_t i = 0; o->told && i < o->told->power_count; i++)
    hold_time(&b, "power.at", o->told->power[i].at);
  for (size_t i = 0; o->regrants && i < o->regrants->count; i++) {
    const hc_verify_regrant *r = &o->regrants->rows[i];
    hold_time(&b, "regrants.at", r->at);
    hold_slots(&b, "regrants.units", r->units);
    hold(&b, "regrants.slots", r->slots, r->slots > 0 && r->slots <= UINT32_MAX);
    hold_amounts(&b, "regrants", r->amount, o->regrants->dimensions);
  }
  for (size_t i = 0; o->times && i < o->times->count; i++)
    hold_time(&b, "not_before.at", o->times->times[i].at);
  if (o->told) look_at_told(&b, o->told);
  if (b.rc < 0) return b.rc;
  return c->report.found[HC_RULE_BOUNDS] > 0;
}
