/* kinds.c -- what the records of schedulers say: which tasks are whose, which jobs are gangs, and what cannot
 * be.
 *
 * Expressions look at one task: `takes` at the first of a job that comes, `all_or_nothing` and `gang` at the
 * first of those that are left. */
#include <string.h>

#include "architecture/scheduler/schedulers.h"
#include "base/util.h"

/* ---- whose a task is ---- */

/* The Omega paper's split (section 2.1, for Google's trace of 2011): production priorities, but for
 * scheduling classes 0 and 1, which that trace's reader gives as queues; everything else is batch. */
enum { PRODUCTION = 9, LEAST_SERVICE_CLASS = 2 };

enum { USER, GROUP, QUEUE, PRIORITY, UNITS, SLOTS, ESTIMATE, CPUS, MEMORY, SERVICE };
#define VARIABLES HC_SCHEDULERS_VARIABLES
static const char *const variables[VARIABLES] = {"user",  "group",    "queue", "priority", "units",
                                                 "slots", "estimate", "cpus",  "memory",   "service"};

void hc_schedulers_variables(const hc_schedulers *all, hc_task t, double *values)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  const hc_services *s = all->ask;
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

bool hc_schedulers_has_name(size_t variable)
{
  return variable == USER || variable == GROUP || variable == QUEUE;
}

typedef struct asked {
  const hc_schedulers *all;
  hc_task task;
} asked;

static const char *called(const void *ctx, size_t variable)
{
  const asked *a = ctx;
  const hc_schedulers *all = a->all;
  const hc_lexicon *l = all->c.policy_context->lexicon;
  const hc_view *v = all->c.services->task_view(all->c.engine);
  if (!l) return NULL;
  return variable == USER    ? hc_lexicon_called(l, HC_CALLED_USER, all->ask->user(v, a->task))
         : variable == GROUP ? hc_lexicon_called(l, HC_CALLED_GROUP, all->ask->group(v, a->task))
                             : hc_lexicon_called(l, HC_CALLED_QUEUE, all->ask->queue(v, a->task));
}

double hc_schedulers_value(const hc_schedulers *all, const hc_expr *x, hc_task t, const double *values)
{
  const asked a = {all, t};
  return hc_expr_value_called(x, values, called, &a);
}

bool hc_schedulers_takes(const hc_schedulers *all, uint32_t kind, hc_task t)
{
  double values[VARIABLES];
  if (!all->takes[kind]) return true;
  hc_schedulers_variables(all, t, values);
  return hc_schedulers_value(all, all->takes[kind], t, values) > 0;
}

uint32_t hc_schedulers_kind_of(const hc_schedulers *all, hc_task t)
{
  double values[VARIABLES];
  bool looked = false;
  if (all->router.route) return all->router.route(all->router.self, t);
  for (uint32_t k = 0; k < all->kind_count; k++) {
    if (!all->takes[k]) return k;
    if (!looked) hc_schedulers_variables(all, t, values);
    looked = true;
    if (hc_schedulers_value(all, all->takes[k], t, values) > 0) return k;
  }
  return HC_NO_SCHEDULER;
}

/* ---- how a job starts ---- */

/* The value of an expression, if it is there, of the first of the job's tasks that still waits. @return
 * false: there is neither */
static bool says(const hc_schedulers *all, const hc_expr *x, const hc_queued_job *j, double *value)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  double values[VARIABLES];
  hc_task t = j->first;
  uint32_t left = x ? j->count : 0;
  while (left > 0 && !(all->ask->waits(v, t) && all->ask->serial(v, t) == all->links[t].serial)) {
    t = all->links[t].next;
    left--;
  }
  if (left == 0) return false;
  hc_schedulers_variables(all, t, values);
  *value = hc_schedulers_value(all, x, t, values);
  return true;
}

bool hc_schedulers_is_gang(const hc_schedulers *all, const hc_queued_job *j)
{
  double value;
  return says(all, all->gangs[j->kind], j, &value) && value > 0;
}

hc_commit_mode hc_schedulers_mode_of(const hc_schedulers *all, uint32_t scheduler, hc_commit_mode mode)
{
  const hc_queued_job *j = hc_schedulers_at(all, scheduler);
  const hc_scheduler_options *o = j ? all->kinds[j->kind] : all->one[scheduler].o;
  const int more = ((int)mode & HC_COMMIT_IN_SEQUENCE) | (o->preempts ? HC_COMMIT_PREEMPT : 0);
  double value;
  if (!j) return (hc_commit_mode)((int)mode | more);
  if (hc_schedulers_is_gang(all, j)) return (hc_commit_mode)(more | HC_COMMIT_ALL_OR_NONE);
  if (!says(all, all->wholes[j->kind], j, &value)) return (hc_commit_mode)((int)mode | more);
  return (hc_commit_mode)(more | (value > 0 ? HC_COMMIT_ALL_OR_NONE : HC_COMMIT_CHECKED));
}

/* ---- the list of schedulers ---- */

hc_rc hc_schedulers_complain(const char *name, hc_error *e, const char *text)
{
  return hc_fail(e, HC_EUSAGE, "architecture", 0, 0, "scheduler %s: %s", name ? name : "without a name",
                 text);
}

static hc_rc check(const hc_schedulers *all, hc_error *e)
{
  for (uint32_t k = 0; k < all->kind_count; k++) {
    const hc_scheduler_options *o = all->kinds[k];
    if (!o->name || !*o->name)
      return hc_schedulers_complain(o->name, e,
                                    "its figures need a name: write `name: batch`, or what it is for");
    if (strlen(o->name) > 40) return hc_schedulers_complain(o->name, e, "its name has more than 40 bytes");
    for (uint32_t i = 0; i < k; i++)
      if (strcmp(all->kinds[i]->name, o->name) == 0)
        return hc_schedulers_complain(o->name, e, "two have this name; `count: 2` makes two that are alike");
    if (o->min_priority > o->max_priority)
      return hc_schedulers_complain(
          o->name, e, "min_priority is above max_priority, and nothing is between: exchange them");
    if (!o->takes && k + 1 < all->kind_count && !all->router.route)
      return hc_schedulers_complain(
          o->name, e, "it takes every task and those behind it get none: give it `takes`, or put it last");
  }
  return 0;
}

/* What has no name goes by its number, of which the lexicon knows nothing. */
static hc_rc expect_names(hc_lexicon *l, const hc_expr *x)
{
  const char *text;
  size_t which;
  for (size_t i = 0; l && (text = hc_expr_name(x, i, &which)); i++) {
    const hc_called kind = which == USER    ? HC_CALLED_USER
                           : which == GROUP ? HC_CALLED_GROUP
                                            : HC_CALLED_QUEUE;
    if (text[strspn(text, "0123456789.-")] != '\0') TRY(hc_lexicon_expect(l, kind, text));
  }
  return 0;
}

static hc_rc compile_one(hc_schedulers *all, const char *text, hc_expr **out, hc_error *e)
{
  if (!text) return 0;
  TRY(hc_expr_compile_called(&all->build, text, variables, VARIABLES, hc_schedulers_has_name, out, e));
  return expect_names(all->c.policy_context->lexicon, *out);
}

static hc_rc compile(hc_schedulers *all, hc_error *e)
{
  for (uint32_t k = 0; k < all->kind_count; k++)
    TRY(compile_one(all, all->kinds[k]->takes, &all->takes[k], e));
  for (uint32_t k = 0; k < all->kind_count; k++) {
    const hc_scheduler_options *o = all->kinds[k];
    TRY(compile_one(all, o->all_or_nothing, &all->wholes[k], e));
    TRY(compile_one(all, o->gang, &all->gangs[k], e));
    TRY(hc_scheduler_mold_init(&all->molds[k], &all->c, &all->build, o, variables, VARIABLES, e));
  }
  return 0;
}

/* Without a list: one scheduler. */
static const hc_scheduler_options only = {.name = "all",
                                          .count = 1,
                                          .think_job = HC_SECOND / 10,
                                          .think_task = HC_SECOND / 200,
                                          .max_share = 1,
                                          .min_priority = HC_PRIORITY_LEAST,
                                          .max_priority = HC_PRIORITY_MOST,
                                          .objective = 30 * HC_SECOND};

hc_rc hc_schedulers_read_kinds(hc_schedulers *all, hc_error *e)
{
  const hc_chosen *items = all->o->list.items;
  const uint32_t n = (uint32_t)all->o->list.count;
  uint64_t total = 0;
  all->kind_count = HC_MAX(n, 1);
  all->kinds = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->kinds);
  all->takes = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->takes);
  all->wholes = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->wholes);
  all->gangs = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->gangs);
  all->first = hc_arena_alloc(&all->build, (all->kind_count + 1) * sizeof *all->first);
  all->turn = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->turn);
  all->counts = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->counts);
  all->molds = hc_arena_alloc(&all->build, all->kind_count * sizeof *all->molds);
  if (!all->kinds || !all->takes || !all->wholes || !all->gangs || !all->first || !all->turn ||
      !all->counts || !all->molds)
    return HC_ENOMEM;
  memset(all->molds, 0, all->kind_count * sizeof *all->molds);
  for (uint32_t k = 0; k < all->kind_count; k++) {
    all->kinds[k] = n > 0 ? items[k].options : &only;
    all->takes[k] = all->wholes[k] = all->gangs[k] = NULL;
    all->turn[k] = 0;
    all->first[k] = (uint32_t)total;
    total += (uint64_t)all->kinds[k]->count;
    hc_scheduler_counts_init(&all->counts[k], all->c.allocator, (uint32_t)all->kinds[k]->count,
                             all->kinds[k]->objective);
  }
  all->first[all->kind_count] = (uint32_t)total;
  if (total > 250)
    return hc_fail(e, HC_ELIMIT, "architecture", 0, 0, "%llu schedulers: at most 250 share a cell here",
                   (unsigned long long)total);
  TRY(check(all, e));
  return compile(all, e);
}

hc_rc hc_schedulers_refuse_hosts(const hc_schedulers *all, hc_error *e)
{
  for (uint32_t k = 0; k < all->kind_count; k++)
    if (all->kinds[k]->hosts.count > 0)
      return hc_schedulers_complain(
          all->kinds[k]->name, e,
          "`hosts` are those of a partition, and here every scheduler sees all: use the architecture "
          "partitions, "
          "or leave them "
          "out; a `blacklist` leaves out hosts at random");
  return 0;
}

hc_rc hc_schedulers_refuse_plans(const hc_schedulers *all, hc_error *e)
{
  for (uint32_t k = 0; k < all->kind_count; k++) {
    const hc_scheduler_options *o = all->kinds[k];
    if (o->policy.type || o->place.type || o->blacklist > 0 || o->preempts || o->all_or_nothing || o->gang ||
        hc_scheduler_limits_has(o))
      return hc_schedulers_complain(
          o->name, e,
          "here it takes the hosts that it believes free by `strategy`: leave out its `policy`, `place`, "
          "`blacklist`, "
          "`preempts`, `all_or_nothing`, `gang` and limits, or use the architecture shared_state");
  }
  return 0;
}
