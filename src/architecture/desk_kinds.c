/* desk_kinds.c -- what the records of schedulers say: which tasks are whose, which jobs are gangs, and what cannot be.
 *
 * Expressions look at one task: `takes` at the first of a job that comes, `all_or_nothing` and `gang` at the first of those that
 * are left. */
#include <string.h>

#include "architecture/desks.h"
#include "base/util.h"

/* ---- whose a task is ---- */

/* The Omega paper's split (section 2.1, for Google's trace of 2011): production priorities, but for scheduling classes 0 and
 * 1, which that trace's reader gives as queues; everything else is batch. */
enum { PRODUCTION = 9, LEAST_SERVICE_CLASS = 2 };

enum { USER, GROUP, QUEUE, PRIORITY, UNITS, SLOTS, ESTIMATE, CPUS, MEMORY, SERVICE };
#define VARIABLES HC_DESKS_VARIABLES
static const char *const variables[VARIABLES] = {"user",  "group",    "queue", "priority", "units",
                                                 "slots", "estimate", "cpus",  "memory",   "service"};

void hc_desks_look(const hc_desks *d, hc_task t, double *values)
{
  const hc_view *v = d->c.services->look(d->c.engine);
  const hc_services *s = d->ask;
  const hc_time estimate = s->estimate(v, t);
  values[USER] = (double)s->user(v, t);
  values[GROUP] = (double)s->group(v, t);
  values[QUEUE] = (double)s->queue(v, t);
  values[PRIORITY] = (double)s->priority(v, t);
  values[UNITS] = (double)s->units(v, t);
  values[SLOTS] = (double)s->slots(v, t);
  values[ESTIMATE] = estimate == HC_NEVER ? -1 : (double)estimate / HC_SECOND;
  values[SERVICE] =
      values[PRIORITY] >= PRODUCTION && (values[QUEUE] < 0 || values[QUEUE] >= LEAST_SERVICE_CLASS);
  values[CPUS] = values[MEMORY] = -1;
  for (uint32_t i = 0; i < s->dimensions(v); i++) {
    const uint32_t id = s->dimension_id(v, i);
    if (id == HC_DIM_CPU) values[CPUS] = (double)s->demand(v, t, i) / 1000;
    if (id == HC_DIM_MEMORY) values[MEMORY] = (double)s->demand(v, t, i);
  }
}

bool hc_desks_takes(const hc_desks *d, uint32_t kind, hc_task t)
{
  double values[VARIABLES];
  if (!d->takes[kind]) return true;
  hc_desks_look(d, t, values);
  return hc_expr_value(d->takes[kind], values) > 0;
}

uint32_t hc_desks_kind_of(const hc_desks *d, hc_task t)
{
  double values[VARIABLES];
  bool looked = false;
  if (d->router.route) return d->router.route(d->router.self, t);
  for (uint32_t k = 0; k < d->kind_count; k++) {
    if (!d->takes[k]) return k;
    if (!looked) hc_desks_look(d, t, values);
    looked = true;
    if (hc_expr_value(d->takes[k], values) > 0) return k;
  }
  return HC_NO_WORK;
}

/* ---- how a job starts ---- */

/* The value of an expression, if it is there, of the first of the job's tasks that still waits. @return false: there is neither */
static bool says(const hc_desks *d, const hc_expr *x, const hc_work *w, double *value)
{
  const hc_view *v = d->c.services->look(d->c.engine);
  double values[VARIABLES];
  hc_task t = w->first;
  uint32_t left = x ? w->count : 0;
  while (left > 0 && !(d->ask->waits(v, t) && d->ask->serial(v, t) == d->links[t].serial)) {
    t = d->links[t].next;
    left--;
  }
  if (left == 0) return false;
  hc_desks_look(d, t, values);
  *value = hc_expr_value(x, values);
  return true;
}

bool hc_desks_is_gang(const hc_desks *d, const hc_work *w)
{
  double value;
  return says(d, d->gangs[w->kind], w, &value) && value > 0;
}

hc_commit_mode hc_desks_mode_of(const hc_desks *d, const hc_work *w, hc_commit_mode mode)
{
  const int more = ((int)mode & HC_COMMIT_IN_SEQUENCE) | (d->kinds[w->kind]->preempts ? HC_COMMIT_OUST : 0);
  double value;
  if (hc_desks_is_gang(d, w)) return (hc_commit_mode)(more | HC_COMMIT_ALL_OR_NONE);
  if (!says(d, d->wholes[w->kind], w, &value)) return (hc_commit_mode)((int)mode | more);
  return (hc_commit_mode)(more | (value > 0 ? HC_COMMIT_ALL_OR_NONE : HC_COMMIT_CHECKED));
}

/* ---- the list of schedulers ---- */

hc_rc hc_desks_complain(const char *name, hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, "architecture", 0, 0, "scheduler %s: %s", name ? name : "without a name",
                 text);
}

static hc_rc check(const hc_desks *d, hc_error *e)
{
  for (uint32_t k = 0; k < d->kind_count; k++) {
    const hc_scheduler_options *o = d->kinds[k];
    if (!o->name || !*o->name)
      return hc_desks_complain(o->name, e, "its figures need a name: write `name: batch`, or what it is for");
    if (strlen(o->name) > 40) return hc_desks_complain(o->name, e, "its name has more than 40 bytes");
    for (uint32_t i = 0; i < k; i++)
      if (strcmp(d->kinds[i]->name, o->name) == 0)
        return hc_desks_complain(o->name, e, "two have this name; `count: 2` makes two that are alike");
    if (o->min_priority > o->max_priority)
      return hc_desks_complain(o->name, e,
                               "min_priority is above max_priority, and nothing is between: exchange them");
    if (!o->takes && k + 1 < d->kind_count && !d->router.route)
      return hc_desks_complain(
          o->name, e, "it takes every task and those behind it get none: give it `takes`, or put it last");
  }
  return 0;
}

static hc_rc compile(hc_desks *d, hc_error *e)
{
  for (uint32_t k = 0; k < d->kind_count; k++)
    if (d->kinds[k]->takes)
      TRY(hc_expr_compile(&d->build, d->kinds[k]->takes, variables, VARIABLES, &d->takes[k], e));
  for (uint32_t k = 0; k < d->kind_count; k++) {
    const hc_scheduler_options *o = d->kinds[k];
    if (o->all_or_nothing)
      TRY(hc_expr_compile(&d->build, o->all_or_nothing, variables, VARIABLES, &d->wholes[k], e));
    if (o->gang) TRY(hc_expr_compile(&d->build, o->gang, variables, VARIABLES, &d->gangs[k], e));
    TRY(hc_desk_mold_init(&d->molds[k], &d->c, &d->build, o, variables, VARIABLES, e));
  }
  return 0;
}

/* What nobody named: one scheduler. */
static const hc_scheduler_options anybody = {.name = "all",
                                             .count = 1,
                                             .think_job = HC_SECOND / 10,
                                             .think_task = HC_SECOND / 200,
                                             .max_share = 1,
                                             .min_priority = HC_PRIORITY_LEAST,
                                             .max_priority = HC_PRIORITY_MOST,
                                             .objective = 30 * HC_SECOND};

hc_rc hc_desks_read_kinds(hc_desks *d, hc_error *e)
{
  const hc_chosen *items = d->o->schedulers.items;
  const uint32_t n = (uint32_t)d->o->schedulers.count;
  uint64_t total = 0;
  d->kind_count = HC_MAX(n, 1);
  d->kinds = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->kinds);
  d->takes = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->takes);
  d->wholes = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->wholes);
  d->gangs = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->gangs);
  d->first = hc_arena_alloc(&d->build, (d->kind_count + 1) * sizeof *d->first);
  d->turn = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->turn);
  d->counts = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->counts);
  d->molds = hc_arena_alloc(&d->build, d->kind_count * sizeof *d->molds);
  if (!d->kinds || !d->takes || !d->wholes || !d->gangs || !d->first || !d->turn || !d->counts || !d->molds)
    return HC_ENOMEM;
  memset(d->molds, 0, d->kind_count * sizeof *d->molds);
  for (uint32_t k = 0; k < d->kind_count; k++) {
    d->kinds[k] = n > 0 ? items[k].options : &anybody;
    d->takes[k] = d->wholes[k] = d->gangs[k] = NULL;
    d->turn[k] = 0;
    d->first[k] = (uint32_t)total;
    total += (uint64_t)d->kinds[k]->count;
    hc_desk_counts_init(&d->counts[k], d->c.allocator, (uint32_t)d->kinds[k]->count, d->kinds[k]->objective);
  }
  d->first[d->kind_count] = (uint32_t)total;
  if (total > 250)
    return hc_fail(e, HC_ELIMIT, "architecture", 0, 0, "%llu schedulers: at most 250 share a cell here",
                   (unsigned long long)total);
  TRY(check(d, e));
  return compile(d, e);
}

hc_rc hc_desks_refuse_hosts(const hc_desks *d, hc_error *e)
{
  for (uint32_t k = 0; k < d->kind_count; k++)
    if (d->kinds[k]->hosts.count > 0)
      return hc_desks_complain(
          d->kinds[k]->name, e,
          "`hosts` are those of a partition, and here everybody sees all: use the architecture partitions, or leave them "
          "out; a `blacklist` leaves out hosts at random");
  return 0;
}

hc_rc hc_desks_refuse_plans(const hc_desks *d, hc_error *e)
{
  for (uint32_t k = 0; k < d->kind_count; k++) {
    const hc_scheduler_options *o = d->kinds[k];
    if (o->policy.type || o->place.type || o->blacklist > 0 || o->preempts || o->all_or_nothing || o->gang ||
        hc_desk_limits_has(o))
      return hc_desks_complain(
          o->name, e,
          "here it takes the hosts that it believes free by `strategy`: leave out its `policy`, `place`, `blacklist`, "
          "`preempts`, `all_or_nothing`, `gang` and limits, or use the architecture shared_state");
  }
  return 0;
}
