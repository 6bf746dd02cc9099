/* heartbeat.c -- hosts report, and at each report the policy may use that host and no other.
 *
 * So do Hadoop, Mesos-like masters and YTsaurus work: every host says what it has free once a period, at a
 * phase of its own, and out of turn when a task on it ends. The policy is called with a view of that host
 * alone. With `offer: instant` no offer waits for reports: at each event every host with room is offered, by
 * number or at random, until a round starts nothing. A policy that wants a last call has one more round then,
 * and if that starts something, others.
 *
 * Only reports that can matter are events. A host need not report while no task is queued; while less is free
 * on it than the least that any queued task asked for; and while nothing at all has changed since it was
 * offered in vain, provided that the policy looks at no clock and remembers no offer. Its next report is
 * computed from its phase, so that schedules are those of a run in which each report is an event (`events:
 * every_report`): a test holds the two equal.
 *
 * Reports of one instant are seen in the order of their phases, then those out of turn by host; a host in
 * both comes once. A task that fits on no host, or is refused for ever, ends nothing: when it alone is left,
 * hosts go on reporting for 1,000 periods and then stop. The way back takes no time: what is decided starts
 * when the report arrives, and what the policy sees is the host as it is then. Sources: the heartbeats of
 * YTsaurus's scheduler simulator (period, phases, out-of-turn reports), DSLab's hosts_invoke_interval. */
#include "architecture/beats.h"
#include "base/blame.h"
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/architecture.h"

enum { OFFER_HEARTBEAT, OFFER_INSTANT };
enum { EVENTS_NEEDED, EVENTS_EVERY_REPORT };
enum { ORDER_NUMBER, ORDER_RANDOM };
enum { TIMER_BEAT = 1, TIMER_REPORT = 2 };
#define PERIODS_IN_VAIN 1000 /* then, if nothing else can happen, hosts report no more */

typedef struct options {
  int offer, phase, events, order;
  hc_time period, latency, window;
  int64_t batch;
  bool out_of_turn;
} options;

/* A host that reports out of turn, and when that is heard. */
typedef struct report {
  hc_time at;
  uint32_t host, padding;
} report;

struct hc_architecture {
  hc_architecture_context c;
  const options *o;
  const hc_policy_type *type;
  hc_policy *policy;
  uint32_t queue;
  bool remembers; /* who was offered in vain: what the policy answers depends on nothing but the state */
  hc_beats beats;
  hc_range *scope; /* [hosts] */
  uint64_t least;  /* as it was when `beats` were opened */
  bool stale;      /* they have to be opened anew */
  bool asks_last;  /* the policy wants a last call */
  uint32_t *order; /* [hosts] of a round; NULL: by number, one at a time */
  /* state */
  uint64_t version; /* counts what happened */
  hc_time changed;  /* when it did so last */
  uint64_t passed;  /* OFFER_INSTANT: what it was at the end of the last rounds */
  uint64_t *vain;   /* [groups] what it was when the group was offered in vain */
  hc_time seen;     /* reports of the period up to here have been seen */
  uint64_t offers, offered_in_vain, rounds;
  hc_time *timers; /* set and not gone off, the earliest last */
  size_t timer_count, timer_cap;
  report *reports; /* out of turn, ascending in time */
  size_t report_count, report_cap;
};

static void happened(hc_architecture *self)
{
  self->version++;
  self->changed = self->c.services->now(self->c.engine);
}

/* ---- who has room ---- */

static bool has_room(const hc_architecture *self, uint32_t group)
{
  const hc_beats *b = &self->beats;
  for (uint32_t i = b->first[group]; i < b->first[group + 1]; i++)
    if (self->c.services->room(self->c.engine, self->queue, b->members[i])) return true;
  return false;
}

static void look_at_all(hc_architecture *self)
{
  const uint64_t least = self->c.services->least(self->c.engine, self->queue);
  if (!self->stale && self->least == least) return;
  for (uint32_t g = 0; g < self->beats.count; g++) hc_beats_set(&self->beats, g, has_room(self, g));
  self->stale = false;
  self->least = least;
}

static void look_at_hosts(hc_architecture *self, const hc_range *hosts, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (uint32_t h = hosts[i].first; h - hosts[i].first < hosts[i].count; h++) {
      const uint32_t group = self->beats.group_of[h];
      hc_beats_set(&self->beats, group, has_room(self, group));
    }
}

/* Could an offer lead to anything? */
static bool is_worth_it(const hc_architecture *self, uint32_t group)
{
  return hc_beats_is_open(&self->beats, group) && !(self->remembers && self->vain[group] == self->version);
}

/* From which time on a host without room may matter, since the policy stops what runs there. */
static hc_time pressed_at(const hc_architecture *self, uint32_t host)
{
  if (!self->type->next_preemption) return HC_NEVER;
  return self->type->next_preemption(self->policy, self->c.services->now(self->c.engine), host);
}

static bool is_pressed(const hc_architecture *self, uint32_t group, hc_time at)
{
  const hc_beats *b = &self->beats;
  for (uint32_t i = b->first[group]; i < b->first[group + 1]; i++)
    if (pressed_at(self, b->members[i]) <= at) return true;
  return false;
}

/* The first group from `from` on, and before `to`, that is worth a report, in the period that begins at
 * `begin`. */
static uint32_t next_worth_it(const hc_architecture *self, uint32_t from, uint32_t to, hc_time begin)
{
  const hc_beats *b = &self->beats;
  if (self->o->events == EVENTS_EVERY_REPORT) return from < to ? from : HC_NO_BEAT;
  if (from < to && pressed_at(self, HC_NO_HOST) <= begin + b->at[to - 1]) {
    while (from < to && !is_worth_it(self, from) && !is_pressed(self, from, begin + b->at[from])) from++;
    return from < to ? from : HC_NO_BEAT;
  }
  do from = hc_beats_next(&self->beats, from);
  while (from < to && !is_worth_it(self, from) && ++from < to);
  return from < to ? from : HC_NO_BEAT;
}

/* ---- an offer ---- */

static bool nobody_waits(const hc_architecture *self)
{
  return self->c.services->queued(self->c.engine, self->queue) == 0;
}

/* Let the policy use these hosts. @param bits of hc_why_bit beside HEARTBEAT @return 1 if it did, 0, or an
 * error. */
static hc_rc offer(hc_architecture *self, const hc_range *hosts, size_t count, uint32_t bits, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  const hc_why why = {
      .bits = HC_WHY_HEARTBEAT | HC_WHY_OFFER | bits, .host = hosts[0].first, .task = HC_NO_TASK};
  hc_view *v;
  hc_plan *p;
  size_t actions;
  hc_rc rc;
  TRY(s->view_open(self->c.engine, self->queue, hosts, count, &v, &p));
  rc = s->decide(self->c.engine, 0, self->policy, v, p, &why, e);
  if (rc < 0) return rc;
  actions = s->planned(p);
  self->offers++;
  self->offered_in_vain += actions == 0;
  TRY(s->view_close(self->c.engine, v, true));
  if (actions == 0) return 0;
  TRY(s->commit(self->c.engine, p, HC_COMMIT_NOW, e));
  happened(self);
  look_at_hosts(self, hosts, count);
  return 1;
}

static hc_rc offer_group(hc_architecture *self, uint32_t group, uint32_t bits, hc_error *e)
{
  const hc_beats *b = &self->beats;
  size_t n = 0;
  hc_rc rc;
  if (nobody_waits(self)) return 0;
  for (uint32_t i = b->first[group]; i < b->first[group + 1]; i++) {
    hc_range *last = n > 0 ? &self->scope[n - 1] : NULL;
    if (last && last->first + last->count == b->members[i]) last->count++;
    else self->scope[n++] = (hc_range){b->members[i], 1};
  }
  rc = offer(self, self->scope, n, bits, e);
  if (rc == 0) self->vain[group] = self->version;
  return rc;
}

/* ---- reports ---- */

static int by_host(const report *x, const report *y)
{
  return x->host < y->host ? -1 : x->host > y->host;
}

/* Those that are due, by host, each once: few, and nearly in order. */
static size_t sort_due(hc_architecture *self, hc_time now)
{
  report *r = self->reports;
  size_t due = 0;
  for (; due < self->report_count && r[due].at <= now; due++) {
    const report x = r[due];
    size_t at = due;
    for (; at > 0 && by_host(&x, &r[at - 1]) < 0; at--) r[at] = r[at - 1];
    r[at] = x;
  }
  return due;
}

static void drop_reports(hc_architecture *self, size_t count)
{
  for (size_t i = count; i < self->report_count; i++) self->reports[i - count] = self->reports[i];
  self->report_count -= count;
}

/* @param from, to groups whose turn it is at this time as well */
static hc_rc see_out_of_turn(hc_architecture *self, hc_time now, uint32_t from, uint32_t to, hc_error *e)
{
  const size_t due = sort_due(self, now);
  uint32_t last = HC_NO_BEAT;
  for (size_t i = 0; i < due; i++) {
    const uint32_t host = self->reports[i].host, group = self->beats.group_of[host];
    const hc_range one = {host, 1};
    if (host == last || (group >= from && group < to) || nobody_waits(self)) continue;
    last = host;
    if (self->o->events == EVENTS_NEEDED && !self->c.services->room(self->c.engine, self->queue, host) &&
        pressed_at(self, host) > now)
      continue;
    TRY(offer(self, &one, 1, 0, e));
  }
  drop_reports(self, due);
  return 0;
}

/* The groups whose turn it is now, if that has not been seen to. */
static hc_rc see_in_turn(hc_architecture *self, hc_time now, uint32_t *from, uint32_t *to, hc_error *e)
{
  const hc_time at = now % self->beats.period;
  *from = *to = 0;
  if (now <= self->seen) return 0;
  self->seen = now;
  *from = hc_beats_from(&self->beats, at);
  *to = hc_beats_from(&self->beats, at + 1);
  for (uint32_t g = next_worth_it(self, *from, *to, now - at); g < *to;
       g = next_worth_it(self, g + 1, *to, now - at))
    TRY(offer_group(self, g, 0, e));
  return 0;
}

/* The first report of any host at a time or after it. */
static hc_time first_report(const hc_beats *b, hc_time t)
{
  const hc_time begin = t - t % b->period;
  uint32_t group;
  if (t == HC_NEVER) return HC_NEVER;
  group = hc_beats_from(b, t % b->period);
  return group < b->count ? hc_time_add(begin, b->at[group])
                          : hc_time_add(hc_time_add(begin, b->period), b->at[0]);
}

static hc_rc arm(hc_architecture *self, hc_time at)
{
  if ((at - self->changed) / self->beats.period >= PERIODS_IN_VAIN &&
      self->c.services->is_still(self->c.engine))
    return 0;
  if (self->timer_count > 0 && self->timers[self->timer_count - 1] <= at) return 0;
  TRY(hc_reserve(self->c.allocator, (void **)&self->timers, &self->timer_cap, self->timer_count + 1,
                 sizeof *self->timers));
  self->timers[self->timer_count++] = at;
  return self->c.services->timer(self->c.engine, at, TIMER_BEAT);
}

/* See to it that the next report is an event. A timer cannot be taken back, so those that are set are known:
 * a new one is set only if it is earlier than all of them. */
static hc_rc set_timer(hc_architecture *self, hc_time now)
{
  const hc_beats *b = &self->beats;
  const hc_time begin = now - now % b->period;
  hc_time at;
  uint32_t group, from;
  if (nobody_waits(self)) return 0;
  from = hc_beats_from(b, now % b->period + 1);
  group = next_worth_it(self, from, b->count, begin);
  at = begin;
  if (group == HC_NO_BEAT) {
    group = next_worth_it(self, 0, from, begin + b->period);
    at += b->period;
  }
  at = group == HC_NO_BEAT ? HC_NEVER : at + b->at[group];
  at = HC_MIN(at, first_report(b, HC_MAX(pressed_at(self, HC_NO_HOST), now + 1)));
  if (at == HC_NEVER) return 0;
  return arm(self, at);
}

/* ---- rounds ---- */

static void draw_order(hc_architecture *self)
{
  const uint32_t n = self->beats.hosts;
  hc_draws d = {.seed = self->c.policy_context->seed,
                .replication = self->c.policy_context->replication,
                .entity = self->rounds++,
                .purpose = HC_PURPOSE_ROUND};
  for (uint32_t i = 0; i < n; i++) self->order[i] = i;
  if (self->o->order == ORDER_NUMBER) return;
  for (uint32_t i = n; i > 1; i--) {
    const uint32_t at = (uint32_t)hc_random_below(&d, i), x = self->order[at];
    self->order[at] = self->order[i - 1];
    self->order[i - 1] = x;
  }
}

/* These hosts at once. They are put in order. */
static hc_rc offer_hosts(hc_architecture *self, uint32_t *hosts, size_t count, uint32_t bits, hc_error *e)
{
  size_t n = 0;
  hc_rc rc;
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && hosts[k - 1] > hosts[k]; k--) {
      const uint32_t x = hosts[k];
      hosts[k] = hosts[k - 1];
      hosts[k - 1] = x;
    }
  for (size_t i = 0; i < count; i++) {
    hc_range *last = n > 0 ? &self->scope[n - 1] : NULL;
    if (last && last->first + last->count == hosts[i]) last->count++;
    else self->scope[n++] = (hc_range){hosts[i], 1};
  }
  rc = offer(self, self->scope, n, bits, e);
  for (size_t i = 0; i < count && rc == 0; i++) self->vain[self->beats.group_of[hosts[i]]] = self->version;
  return rc;
}

/* Each host that is worth it once, in an order of their own, `batch` of them at a time. @return offers that
 * were taken */
static hc_rc round_in_order(hc_architecture *self, hc_time now, uint32_t bits, hc_error *e)
{
  const uint32_t n = self->beats.hosts;
  size_t count = 0;
  hc_rc started = 0;
  draw_order(self);
  for (uint32_t i = 0; i < n && !nobody_waits(self); i++) {
    const uint32_t host = self->order[i];
    const uint32_t group = self->beats.group_of[host];
    if (self->o->events == EVENTS_EVERY_REPORT || is_worth_it(self, group) || is_pressed(self, group, now))
      self->order[count++] = host; /* a place that has been passed */
    if (count > 0 && (count == (size_t)self->o->batch || i + 1 == n)) {
      const hc_rc rc = offer_hosts(self, self->order, count, bits, e);
      if (rc < 0) return rc;
      started += rc;
      count = 0;
    }
  }
  return started;
}

/* The same by number, one at a time: only those that are worth it are looked at. */
static hc_rc round_by_number(hc_architecture *self, hc_time now, uint32_t bits, hc_error *e)
{
  const uint32_t n = self->beats.count;
  hc_rc started = 0;
  for (uint32_t g = next_worth_it(self, 0, n, now); g < n; g = next_worth_it(self, g + 1, n, now)) {
    const hc_rc rc = offer_group(self, g, bits, e);
    if (rc < 0) return rc;
    started += rc;
  }
  return started;
}

/* Every host with room, again and again until nothing is taken. */
static hc_rc offer_all(hc_architecture *self, hc_time now, hc_error *e)
{
  const hc_beats *b = &self->beats;
  bool again = self->passed != self->version || pressed_at(self, HC_NO_HOST) <= now;
  hc_time at = HC_NEVER;
  uint32_t bits = 0;
  while (again && !nobody_waits(self)) {
    const hc_rc started =
        self->order ? round_in_order(self, now, bits, e) : round_by_number(self, now, bits, e);
    if (started < 0) return started;
    again = started > 0 || (bits == 0 && self->asks_last);
    bits = started > 0 ? 0 : HC_WHY_LAST_CALL;
  }
  self->passed = self->version;
  if (nobody_waits(self) || pressed_at(self, HC_NO_HOST) == HC_NEVER) return 0;
  for (uint32_t i = 0; i < b->hosts; i++) {
    const hc_time t = pressed_at(self, i);
    if (t > now) at = HC_MIN(at, t);
  }
  return at == HC_NEVER ? 0 : arm(self, at);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  const hc_time now = self->c.services->now(self->c.engine);
  uint32_t from, to;
  look_at_all(self);
  if (self->o->offer == OFFER_INSTANT) return offer_all(self, now, e);
  TRY(see_in_turn(self, now, &from, &to, e));
  TRY(see_out_of_turn(self, now, from, to, e));
  return set_timer(self, now);
}

/* ---- what happens ---- */

static hc_rc note_end(hc_architecture *self, const hc_signal *sig)
{
  const hc_engine_services *s = self->c.services;
  const hc_time at = hc_time_add(s->now(self->c.engine), self->o->latency);
  look_at_hosts(self, sig->hosts, sig->host_count);
  if (!self->o->out_of_turn || self->o->offer == OFFER_INSTANT) return 0;
  for (size_t i = 0; i < sig->host_count; i++)
    for (uint32_t k = 0; k < sig->hosts[i].count; k++) {
      TRY(hc_reserve(self->c.allocator, (void **)&self->reports, &self->report_cap, self->report_count + 1,
                     sizeof *self->reports));
      self->reports[self->report_count++] = (report){.at = at, .host = sig->hosts[i].first + k};
    }
  return self->o->latency > 0 ? s->timer(self->c.engine, at, TIMER_REPORT) : 0;
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  HC_UNUSED(e);
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_BEAT) {
    HC_ASSERT(self->timer_count > 0);
    self->timer_count--;
    return 0;
  }
  if (sig->what == HC_WHY_TIMER && sig->timer == TIMER_REPORT) return 0;
  happened(self);
  if (sig->what == HC_WHY_ARRIVAL) return self->c.services->enqueue(self->c.engine, self->queue, sig->task);
  if (sig->what == HC_WHY_END) return note_end(self, sig);
  if (sig->what == HC_WHY_CELL) self->stale = true;
  return 0;
}

/* A host on which nothing fits is not offered to a policy that would remember it. */
static bool is_memoryless(const hc_architecture *self)
{
  HC_UNUSED(self);
  return true;
}

/* ---- life ---- */

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->c.allocator;
  if (self->policy && self->type->fini) self->type->fini(self->policy);
  hc_free(a, self->scope, self->beats.hosts * sizeof *self->scope);
  hc_free(a, self->vain, self->beats.hosts * sizeof *self->vain);
  if (self->order) hc_free(a, self->order, self->beats.hosts * sizeof *self->order);
  hc_free(a, self->timers, self->timer_cap * sizeof *self->timers);
  hc_free(a, self->reports, self->report_cap * sizeof *self->reports);
  hc_beats_fini(&self->beats);
  hc_free(a, self, sizeof *self);
}

static hc_rc check_options(const options *o, uint32_t hosts, hc_error *e)
{
  const char *text = NULL;
  if (hosts == 0) {
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture heartbeat", 0, 0,
        "only hosts report, and this cell has none: use a cell of hosts, as `cell: {use: hosts, classes: "
        "[{count: 10, cpus: 16}]}`");
  }
  if (o->window > 0 && o->batch > 1)
    text = "batch and window are two ways to collect reports: leave one of them out";
  else if (o->window > 0 && o->period % o->window != 0)
    text = "the period is no multiple of the window: choose one such as a tenth of it";
  return text ? hc_fail(e, HC_EUSAGE, "architecture heartbeat", 0, 0, "%s", text) : 0;
}

static hc_rc make(hc_architecture *self, const hc_architecture_context *c, hc_error *e)
{
  const options *o = self->o;
  const uint32_t hosts = c->services->hosts(c->engine);
  const bool at_once = o->offer == OFFER_INSTANT;
  const hc_beats_options beats = {.hosts = hosts,
                                  .period = o->period,
                                  .window = at_once ? 0 : o->window,
                                  .shift = o->latency,
                                  .batch = at_once ? 1 : (uint32_t)o->batch,
                                  .rule = at_once ? HC_PHASE_ZERO : (hc_phase_rule)o->phase,
                                  .seed = c->policy_context->seed,
                                  .replication = c->policy_context->replication};
  const hc_policy_context *context;
  hc_policy_parts parts = {0};
  TRY(check_options(o, hosts, e));
  TRY(hc_beats_init(&self->beats, c->allocator, &beats));
  self->scope = hc_alloc(c->allocator, hosts * sizeof *self->scope);
  self->vain = hc_alloc(c->allocator, hosts * sizeof *self->vain);
  if (!self->scope || !self->vain) return HC_ENOMEM;
  if (at_once && (o->order == ORDER_RANDOM || o->batch > 1)) {
    self->order = hc_alloc(c->allocator, hosts * sizeof *self->order);
    if (!self->order) return HC_ENOMEM;
  }
  if (self->type->parts) self->type->parts(c->policy.options, &parts);
  TRY(c->services->queue_new(c->engine, parts.order, parts.candidates, &self->queue));
  TRY(c->services->policy_context(c->engine, self->queue, "", &c->policy, &context));
  if (self->type->init)
    TRY(hc_blame(&self->type->component, self->type->init(context, c->policy.options, &self->policy, e), e));
  c->services->follow(c->engine, self->queue, self->type, self->policy);
  return 0;
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const hc_policy_type *type = (const hc_policy_type *)c->policy.type;
  const uint32_t flags = hc_policy_flags(type, c->policy.options, c->allocator);
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  self->c = *c;
  self->o = opts;
  self->type = type;
  self->version = 1; /* 0: never offered */
  self->seen = -1;
  self->stale = true;
  self->asks_last = flags & HC_WANTS_LAST_CALL;
  self->remembers = (flags & HC_IGNORES_TIME) && !(flags & (HC_TIME_DEPENDENT | HC_VARIES));
  *out = self;
  return make(self, c, e);
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  HC_VISIT(v, self->version);
  HC_VISIT(v, self->changed);
  HC_VISIT(v, self->passed);
  HC_VISIT(v, self->seen);
  HC_VISIT(v, self->offers);
  HC_VISIT(v, self->offered_in_vain);
  HC_VISIT(v, self->rounds);
  TRY(hc_visit_bytes(v, self->vain, self->beats.hosts * sizeof *self->vain));
  HC_VISIT_ARRAY(v, self->timers, self->timer_count, self->timer_cap);
  HC_VISIT_ARRAY(v, self->reports, self->report_count, self->report_cap);
  if (hc_visit_loading(v)) self->stale = true;
  return self->type->visit ? self->type->visit(self->policy, v) : 0;
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  TRY(hc_find_count(f, "offers", "offers", (int64_t)self->offers));
  TRY(hc_find_count(f, "offers_in_vain", "offers", (int64_t)self->offered_in_vain));
  return self->type->finish ? self->type->finish(self->policy, f) : 0;
}

static const char *const figures[] = {
    "offers|offers|none|calls of the policy with hosts that reported while tasks were queued",
    "offers_in_vain|offers|lower|offers after which nothing was started", NULL};

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, offer, "heartbeat|instant", "heartbeat",
             "What is offered when. heartbeat: a host when it reports. instant: at each event every host "
             "with room, in rounds, until a round starts nothing; of the other options only order and batch "
             "matter then."),
    HC_PARAM(CHOICE, options, order, "number|random", "number",
             "With offer: instant, the order of the hosts in a round: by number, or drawn anew for each "
             "round."),
    HC_PARAM(TIME, options, period, "s", "5s", 1e-6, 1e9, "How often each host reports."),
    HC_PARAM(CHOICE, options, phase, "random|staggered|zero", "random",
             "When within a period: at random, by a stream of each host's own; spread evenly, by number; or "
             "all at its beginning."),
    HC_PARAM(BOOL, options, out_of_turn, "true",
             "A host also reports when a task on it ends, alone even if reports are collected."),
    HC_PARAM(TIME, options, latency, "s", "0", 0, 1e9,
             "How long a report takes to arrive. The policy sees the host as it is when the report arrives; "
             "the way back takes no time."),
    HC_PARAM(INT, options, batch, "hosts", "1", 1, 1e9,
             "So many hosts that report one after another are offered together, when the last of them "
             "reports; or, with offer: instant, so many that come one after another in a round."),
    HC_PARAM(TIME, options, window, "s", "0", 0, 1e9,
             "Hosts whose reports come within one window are offered together, at its end; the period must "
             "be a multiple of it. 0: each by itself."),
    HC_PARAM(CHOICE, options, events, "needed|every_report", "needed",
             "Which reports are events while tasks are queued: those that can matter, or all. Schedules are "
             "the same."),
    {0}};

const hc_architecture_type hc_architecture_heartbeat = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures,
         .name = "heartbeat", .summary = "hosts report periodically, and are offered when they do",
         .detail =
             "At a report the policy is called with a view of that host, or of the hosts whose reports are "
             "collected. Reports of one instant come by phase and host, then those out of turn by host. A "
             "host need not report where it cannot matter: while no task is queued, while less is free on it "
             "than the least demand of all queued tasks, and while nothing has changed since it was offered "
             "in vain. A task that needs more hosts than are offered together waits for ever: when nothing "
             "else can happen, the run ends after 1,000 periods without a change. Policies that reserve "
             "hosts are refused.",
         .source = "YTsaurus scheduler simulator; DSLab (hosts_invoke_interval)", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .hears_hosts = true,
    .offers_hosts = true,
    .is_memoryless = is_memoryless,
};
