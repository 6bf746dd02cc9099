/* contention.c -- hosts whose cores and memory are promised more than once: who gets what of them.
 *
 * A task on such a host is a *resident* there, for each of its hosts one. It uses cores while it does
 * something: a process that computes as many as it holds, a task of which no more is known than how long it
 * takes those that its usage says, step by step, or those that it asked for. Where the residents of a host
 * would use more cores than it has, each gets a share:
 *
 *   proportional  cores / sum of uses, the same part of each use
 *   equal         at most so many cores L each, with sum of min(use, L) = cores: processor sharing
 *
 * and its computations take so much longer. A share is a factor of the clock of a process (hc_meter), so that
 * a change costs one settling for each resident of the host. A task without a profile has one clock, which
 * goes as its slowest host lets it; its steps of usage are of its own progress, so that who is slowed uses
 * what it uses for longer. A suspended task uses nothing.
 *
 * Memory is not shared: where the residents use more than a host has, one of them is ended, and again until
 * the rest fits. Which one is a rule; ties go to the one that started last.
 *
 * Changes are gathered: what happens at one time is settled when all of it has happened, so that a process
 * that ends one computation and begins the next is never seen idle. Sums are made anew each time, in the
 * order in which residents came, and so are exact and the same in a run that was saved. Cost: O(residents of
 * the host) for each time at which something changes there; 80 bytes a resident. */
#include "execution/contention.h"

#include "base/state.h"
#include "base/util.h"
#include "execution/measure.h"
#include "execution/running.h"

/* ---- birth and death ---- */

hc_rc hc_contention_init(hc_doings *d, const hc_model_context *c, int how, int victim)
{
  hc_contention *x = &d->contention;
  x->vacant = HC_NO_ONE;
  x->how = how;
  x->victim = victim;
  if (!c->physical) return 0;
  x->hosts = hc_alloc(d->allocator, c->host_count * sizeof *x->hosts);
  if (!x->hosts) return HC_ENOMEM;
  x->host_count = c->host_count;
  for (uint32_t h = 0; h < c->host_count; h++)
    x->hosts[h] = (hc_crowd){.cores = (double)c->physical[h].cpu / 1000,
                             .memory = (double)c->physical[h].memory,
                             .first = HC_NO_ONE,
                             .last = HC_NO_ONE};
  x->is_overrun = c->is_overrun;
  return 0;
}

void hc_contention_fini(hc_doings *d)
{
  hc_contention *x = &d->contention;
  hc_free(d->allocator, x->hosts, x->host_count * sizeof *x->hosts);
  hc_free(d->allocator, x->residents, x->cap * sizeof *x->residents);
  hc_free(d->allocator, x->dirty, x->dirty_cap * sizeof *x->dirty);
}

/* ---- residents ---- */

static void touch(hc_doings *d, uint32_t host)
{
  hc_contention *x = &d->contention;
  if (x->hosts[host].is_dirty) return;
  if (hc_reserve(d->allocator, (void **)&x->dirty, &x->dirty_cap, x->dirty_count + 1, sizeof *x->dirty) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for another host that changes");
    return;
  }
  x->hosts[host].is_dirty = 1;
  x->dirty[x->dirty_count++] = host;
}

static uint32_t place_for(hc_doings *d)
{
  hc_contention *x = &d->contention;
  const uint32_t at = x->vacant;
  if (at != HC_NO_ONE) {
    x->vacant = x->residents[at].after;
    return at;
  }
  if (hc_reserve(d->allocator, (void **)&x->residents, &x->cap, x->count + 1, sizeof *x->residents) < 0) {
    (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for another task on a host");
    return HC_NO_ONE;
  }
  return (uint32_t)x->count++;
}

static uint32_t move_in(hc_doings *d, uint32_t running, uint32_t place, const hc_process *p)
{
  const uint32_t at = place_for(d);
  hc_crowd *h = &d->contention.hosts[p->host];
  if (at == HC_NO_ONE) return at;
  d->contention.residents[at] = (hc_resident){.asked = (double)p->milli / 1000,
                                              .memory = (double)p->memory,
                                              .memory_asked = (double)p->memory,
                                              .share = 1,
                                              .running = running,
                                              .place = place,
                                              .before = h->last,
                                              .after = HC_NO_ONE,
                                              .host = p->host};
  if (h->last != HC_NO_ONE) d->contention.residents[h->last].after = at;
  else h->first = at;
  h->last = at;
  touch(d, p->host);
  return at;
}

static void move_out(hc_doings *d, uint32_t at)
{
  hc_contention *x = &d->contention;
  const hc_resident r = x->residents[at];
  hc_crowd *h = &x->hosts[r.host];
  if (r.before != HC_NO_ONE) x->residents[r.before].after = r.after;
  else h->first = r.after;
  if (r.after != HC_NO_ONE) x->residents[r.after].before = r.before;
  else h->last = r.before;
  x->residents[at] = (hc_resident){.running = HC_NO_ONE, .after = x->vacant};
  x->vacant = at;
  touch(d, r.host);
}

hc_rc hc_contention_begin(hc_doings *d, uint32_t running, const hc_activity *a)
{
  hc_running *r = &d->running[running];
  if (!d->contention.hosts) return 0;
  for (uint32_t i = 0; i < r->place_count; i++) {
    const uint32_t at = move_in(d, running, i, &a->processes[i]);
    if (at == HC_NO_ONE) return d->failed;
    hc_place_of(r, i)->resident = at;
  }
  if (a->use_count == 0) return 0;
  r->uses = hc_alloc(d->allocator, a->use_count * sizeof *r->uses);
  if (!r->uses) return HC_ENOMEM;
  for (size_t i = 0; i < a->use_count; i++) r->uses[i] = a->uses[i];
  r->use_count = (uint32_t)a->use_count;
  return 0;
}

void hc_contention_leave(hc_doings *d, uint32_t running)
{
  hc_running *r = &d->running[running];
  if (!d->contention.hosts) return;
  for (uint32_t i = 0; i < r->place_count; i++)
    if (hc_place_of(r, i)->resident != HC_NO_ONE) move_out(d, hc_place_of(r, i)->resident);
  hc_free(d->allocator, r->uses, r->use_count * sizeof *r->uses);
  r->uses = NULL;
  r->use_count = 0;
}

void hc_contention_changed(hc_doings *d, uint32_t running)
{
  hc_running *r = &d->running[running];
  if (!d->contention.hosts) return;
  for (uint32_t i = 0; i < r->place_count; i++)
    if (hc_place_of(r, i)->host != HC_NO_ONE) touch(d, hc_place_of(r, i)->host);
}

void hc_contention_busy(hc_doings *d, uint32_t running, uint32_t meter, bool is_busy)
{
  hc_running *r = &d->running[running];
  const hc_place *p;
  if (!d->contention.hosts || r->script == HC_NO_SCRIPT) return;
  p = hc_place_of(r, meter);
  if (p->resident == HC_NO_ONE) return;
  d->contention.residents[p->resident].use = is_busy ? p->cores : 0;
  touch(d, p->host);
}

/* ---- tasks of which no more is known than how long they take ---- */

/* What its usage says of each of its slots from now on; what that does not know it asked for. */
static void use_step(hc_doings *d, hc_running *r)
{
  const hc_use_step *s = r->use_at < r->use_count ? &r->uses[r->use_at] : NULL;
  for (uint32_t i = 0; i < r->place_count; i++) {
    const hc_place *p = hc_place_of(r, i);
    hc_resident *x = &d->contention.residents[p->resident];
    x->use = s && s->cpu >= 0 ? (double)s->cpu * (double)p->slots / 1000 : x->asked;
    x->memory = s && s->memory >= 0 ? (double)s->memory * (double)p->slots : x->memory_asked;
    touch(d, p->host);
  }
}

/* Where its step ends: in its own progress, ns. */
static double step_end(const hc_running *r)
{
  const bool is_last = r->use_at + 1 >= r->use_count || r->uses[r->use_at].until == HC_NEVER;
  const double until = is_last ? r->length : (double)r->uses[r->use_at].until;
  return HC_MIN(until, r->length);
}

void hc_contention_last(hc_doings *d, uint32_t running, uint32_t act, hc_time length)
{
  hc_running *r = &d->running[running];
  r->length = length == HC_NEVER ? 1e300 : (double)length;
  while (r->use_at + 1 < r->use_count && r->uses[r->use_at].until <= 0) r->use_at++;
  use_step(d, r);
  hc_doing_until(d, act, step_end(r));
}

bool hc_contention_goes_on(hc_doings *d, uint32_t act)
{
  hc_running *r = &d->running[d->acts[act].running];
  if (!d->contention.hosts || r->script != HC_NO_SCRIPT || step_end(r) >= r->length) return false;
  r->use_at++;
  use_step(d, r);
  hc_doing_until(d, act, step_end(r));
  return true;
}

void hc_contention_memory(hc_doings *d, uint32_t running)
{
  hc_running *r = &d->running[running];
  if (!d->contention.hosts || r->use_count == 0 || r->uses[0].memory < 0) return;
  for (uint32_t i = 0; i < r->place_count; i++) {
    const hc_place *p = hc_place_of(r, i);
    d->contention.residents[p->resident].memory = (double)r->uses[0].memory * (double)p->slots;
  }
}

/* ---- shares ---- */

static bool goes_on(const hc_doings *d, const hc_resident *x)
{
  return d->running[x->running].since != HC_NEVER;
}

/* The level up to which each gets what it would use: from below, which each round fixes more of them. */
static double level_of(const hc_doings *d, const hc_crowd *h)
{
  double level = 0;
  for (bool is_higher = true; is_higher;) {
    double rest = h->cores;
    uint32_t above = 0;
    for (uint32_t at = h->first; at != HC_NO_ONE; at = d->contention.residents[at].after) {
      const hc_resident *x = &d->contention.residents[at];
      if (!goes_on(d, x)) continue;
      if (x->use > level) above++;
      else rest -= x->use;
    }
    const double next = above > 0 ? rest / above : 1e300;
    is_higher = above > 0 && next > level;
    level = HC_MAX(level, next);
  }
  return level;
}

/* The clock of its process, or of all of a task without a profile, goes so fast from now on. */
static void set_share(hc_doings *d, hc_resident *x, double share)
{
  hc_running *r = &d->running[x->running];
  const bool lasts = r->script == HC_NO_SCRIPT;
  hc_meter *l = hc_meter_of(r, lasts ? 0 : x->place);
  double speed = share;
  if (x->share == share && !(lasts && l->share == 0)) return;
  x->share = share;
  for (uint32_t i = 0; lasts && i < r->place_count; i++) {
    const hc_place *p = hc_place_of(r, i);
    const double own = d->speeds[p->host] * d->contention.residents[p->resident].share;
    if (i == 0 || own < speed) speed = own;
  }
  if (r->since == HC_NEVER) {
    l->share = speed;
    return;
  }
  hc_meter_settle(d, l);
  if (share < 1 && x->use > 0 && !r->was_slowed) d->contention.found.slowed++;
  if (share < 1 && x->use > 0) r->was_slowed = 1;
  l->share = speed;
  hc_meter_time(d, l);
}

static void add_up(const hc_doings *d, hc_crowd *h)
{
  h->use = h->asked = h->memory_use = h->memory_asked = 0;
  for (uint32_t at = h->first; at != HC_NO_ONE; at = d->contention.residents[at].after) {
    const hc_resident *x = &d->contention.residents[at];
    if (!goes_on(d, x)) continue;
    h->use += x->use;
    h->asked += x->asked;
    h->memory_use += x->memory;
    h->memory_asked += x->memory_asked;
  }
}

static void share_out(hc_doings *d, hc_crowd *h)
{
  hc_contention *x = &d->contention;
  const bool is_short = h->use > h->cores * (1 + 1e-12);
  const double level = is_short && x->how == HC_CORES_EQUAL ? level_of(d, h) : 0;
  for (uint32_t at = h->first; at != HC_NO_ONE; at = x->residents[at].after) {
    hc_resident *r = &x->residents[at];
    double share = 1;
    if (is_short && x->how == HC_CORES_PROPORTIONAL) share = h->cores / h->use;
    else if (is_short && r->use > level) share = level / r->use;
    set_share(d, r, share);
  }
  if (h->is_short) x->found.contended += (double)(d->now - h->since);
  h->is_short = is_short;
  h->since = d->now;
  if (h->cores > 0) x->found.cpu_load_max = HC_MAX(x->found.cpu_load_max, HC_MIN(h->use / h->cores, 1));
  if (d->measure) hc_busy_crowd(d, (uint32_t)(h - x->hosts), HC_MIN(h->use, h->cores));
}

/* ---- memory ---- */

static double badness(const hc_contention *c, const hc_resident *x)
{
  if (c->victim == HC_VICTIM_LARGEST) return x->memory;
  return c->victim == HC_VICTIM_MOST_OVER ? x->memory - x->memory_asked : 0;
}

/* Which task goes: the worst by the rule, of equal ones that which started last. */
static uint32_t victim_of(const hc_doings *d, const hc_crowd *h)
{
  const hc_contention *c = &d->contention;
  uint32_t worst = HC_NO_ONE;
  for (uint32_t at = h->first; at != HC_NO_ONE; at = c->residents[at].after) {
    const hc_resident *x = &c->residents[at];
    if (!goes_on(d, x) || !(x->memory > 0)) continue;
    if (worst == HC_NO_ONE) {
      worst = at;
      continue;
    }
    const hc_resident *w = &c->residents[worst];
    const double a = badness(c, x), b = badness(c, w);
    if (a > b || (a == b && d->running[x->running].began > d->running[w->running].began)) worst = at;
  }
  return worst;
}

/* @return true: one has ended, and the host is to be settled again */
static bool kill_one(hc_doings *d, hc_crowd *h)
{
  if (!(h->memory_use > h->memory)) return false;
  const uint32_t at = victim_of(d, h);
  if (at == HC_NO_ONE) return false;
  d->contention.found.kills++;
  (void)hc_doings_over(d, d->contention.residents[at].running, HC_ENDED_MEMORY);
  return true;
}

/* ---- settling ---- */

bool hc_contention_due(hc_doings *d)
{
  hc_contention *x = &d->contention;
  if (x->dirty_count == 0) return false;
  for (size_t i = 0; i < x->dirty_count && d->failed == 0; i++) { /* those that a kill adds come behind */
    hc_crowd *h = &x->hosts[x->dirty[i]];
    do add_up(d, h);
    while (d->failed == 0 && kill_one(d, h));
    h->is_dirty = 0;
    share_out(d, h);
    if (h->memory > 0) x->found.memory_load_max = HC_MAX(x->found.memory_load_max, h->memory_use / h->memory);
  }
  x->dirty_count = 0;
  return true;
}

/* ---- state ---- */

hc_rc hc_contention_visit(hc_doings *d, hc_visitor *v)
{
  hc_contention *x = &d->contention;
  if (!x->hosts) return 0;
  TRY(hc_visit_bytes(v, x->hosts, x->host_count * sizeof *x->hosts));
  HC_VISIT_ARRAY(v, x->residents, x->count, x->cap);
  HC_VISIT_ARRAY(v, x->dirty, x->dirty_count, x->dirty_cap);
  HC_VISIT(v, x->vacant);
  HC_VISIT(v, x->found);
  return 0;
}
