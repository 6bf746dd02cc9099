/* gavel.c -- hosts of several types, on which tasks differ in speed: shares of time on each type, and rounds
 * that bring them about.
 *
 * A type is a class of hosts. How fast a task is on each is what its run's `slowdowns` and the hosts' speeds
 * say (hc_services.speed_on). From that a linear programme (gavel_shares.h) makes shares X: the part of its
 * time that each task is to run on each type. What is aimed at is `objective`:
 *
 *   max_min        the least of (effective throughput) x GPUs / (weight x what the task would have if its
 *                  time was spread over all types by their numbers of GPUs) is as great as it can be
 *   water_filling  the same, and what that leaves over is shared likewise by those that can have more
 *   makespan       the time until all are done if they went on so is as short as it can be
 *   fifo           the sum of (effective throughput / that on its fastest type) x (tasks that came later + 1)
 *
 * Time is cut into rounds. At the beginning of one, pairs of a task and a type are looked at in the order of
 * their priority, X over the part of the time that the task had on that type since shares were counted
 * anew; a task that had none of it comes before those that had some. A task gets the type if as many GPUs are
 * left of it as it has, and waits if there is none; types of which its share is 0 come last. A running task
 * whose type stays what it is runs on where it is; others are stopped, and start elsewhere in the same
 * instant, the largest first, on the host where the fewest GPUs are left over, or on as few hosts as there
 * is. What then does not find room, since GPUs of a type lie on several hosts or something else than GPUs is
 * missing, gives way to what does.
 *
 * Shares are computed anew at the first round after tasks have come or gone, or hosts have changed; then the
 * time that was had is counted anew as well, at most every `settle`.
 *
 * Tasks that do not differ in speeds, GPUs and worth count once in the programme; where more than 256 kinds
 * of them are left, those have no share whose first task came last, until others are gone.
 *
 * Against the paper: pairs of tasks that share GPUs (space sharing) are not looked at, and throughputs are
 * known, not estimated. Pairs of all types are in one line, where the authors' program takes type after type.
 *
 * Cost a round: O(tasks x types log) and placements; with new shares that of gavel_shares.h. Source:
 * Narayanan, Santhanam, Kazhamiaka, Phanishayee and Zaharia, "Heterogeneity-aware cluster scheduling policies
 * for deep learning workloads", OSDI 2020; the defaults of `round` and `settle` are those of its program. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/gavel_shares.h"
#include "policy/reranking.h"

enum { WATER_FILLING, MAX_MIN, MAKESPAN, FIFO };
enum { BETWEEN_WAIT, BETWEEN_FILL };
enum { WEIGH_NONE, WEIGH_PRIORITY };

typedef struct options {
  hc_reranking_options base;
  hc_time round, settle;
  int objective, weigh, between;
} options;

/* A task and a type. */
typedef struct share {
  double part;  /* X */
  double speed; /* less than 0: not asked yet; not saved */
  hc_time had;  /* ns on that type, in attempts that are over, since shares were counted anew */
} share;

/* What is kept of a task beside hc_ranked. Types count from 1; 0: none. */
typedef struct its {
  uint32_t on;      /* where it runs */
  uint32_t target;  /* where it is to run in this round */
  uint32_t counted; /* it has part in the shares */
  uint32_t padding;
} its;

typedef struct gavel {
  hc_reranking base;
  const hc_cell_spec *cell;
  uint32_t types;
  /* state */
  share *shares; /* [share_count] by task and type */
  its *its;      /* [its_count] by task */
  size_t share_count, share_cap, its_count, its_cap;
  hc_time since; /* shares are counted since then; HC_UNKNOWN: there are none yet */
  hc_time armed; /* the wake for the next round; HC_NEVER: none */
  int64_t round; /* the last that has begun; -1: none */
  uint32_t is_stale; /* shares are to be computed */
  uint32_t is_begun; /* a round has stopped tasks, and starts come next */
} gavel;

static share *shares_of(const gavel *g, hc_task t)
{
  return &g->shares[(size_t)t * g->types];
}

static const options *options_of(const gavel *g)
{
  return (const options *)g->base.o;
}

/* ---- books ---- */

static void forget(gavel *g, hc_task t)
{
  for (uint32_t k = 0; k < g->types; k++) shares_of(g, t)[k] = (share){.speed = -1};
  g->its[t] = (its){0};
}

static hc_rc make_place(gavel *g, hc_task t)
{
  const size_t n = (size_t)t + 1;
  TRY(hc_reserve(g->base.allocator, (void **)&g->its, &g->its_cap, n, sizeof *g->its));
  TRY(hc_reserve(g->base.allocator, (void **)&g->shares, &g->share_cap, n * g->types, sizeof *g->shares));
  for (; g->its_count < n; g->its_count++) {
    g->share_count = (g->its_count + 1) * g->types;
    forget(g, (hc_task)g->its_count);
  }
  return 0;
}

/* Of the attempt that goes on. */
static hc_time has_had(const gavel *g, const hc_ranked *j, hc_time now)
{
  return HC_MAX(now - HC_MAX(j->since, g->since), 0);
}

static hc_rc hear(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t, const int64_t *amounts)
{
  gavel *g = (gavel *)self;
  const hc_services *s = g->base.s;
  const hc_time now = s->now(v);
  const uint64_t was = t < g->base.count ? g->base.jobs[t].serial : HC_NO_SERIAL;
  const hc_holding *held;
  uint32_t *on;
  TRY(make_place(g, t));
  on = &g->its[t].on;
  if (what == HC_TASK_EVENT_RELEASED && *on > 0) {
    shares_of(g, t)[*on - 1].had += has_had(g, &g->base.jobs[t], now);
    *on = 0;
  }
  TRY(hc_reranking_hear(self, v, what, t, amounts));
  if (what == HC_TASK_EVENT_QUEUED && g->base.jobs[t].serial != was) forget(g, t);
  if (what != HC_TASK_EVENT_ALLOCATED || g->base.jobs[t].state != HC_RANKED_RUNS) return 0;
  if (s->held(v, t, &held) == 0) return 0;
  *on = g->cell->class_of[held->host] + 1;
  shares_of(g, t)[*on - 1].had -= has_had(g, &g->base.jobs[t], now); /* a stop that is undone */
  return 0;
}

static hc_rc cell_changed(hc_policy *self, const hc_view *v)
{
  HC_UNUSED(v);
  ((gavel *)self)->is_stale = 1;
  return 0;
}

/* ---- the tasks that count ---- */

static bool is_there(const gavel *g, const hc_view *v, const hc_ranked *j)
{
  if (j->state == HC_RANKED_AWAY) return false;
  return j->state == HC_RANKED_RUNS || g->base.s->not_before(v, j->task) <= g->base.s->now(v);
}

/* Its fastest type; 0: there is none, since it needs hosts of several types at once. */
static double fastest_of(const gavel *g, hc_task t)
{
  double most = 0;
  for (uint32_t k = 0; k < g->types; k++) most = HC_MAX(most, shares_of(g, t)[k].speed);
  return most;
}

/* Speeds of those that are new; what no type can hold is sent away. */
static hc_rc look_at_tasks(gavel *g, hc_view *v, hc_plan *p)
{
  const hc_services *s = g->base.s;
  for (size_t i = 0; i < g->base.count; i++) {
    const hc_ranked *j = &g->base.jobs[i];
    share *its_shares = shares_of(g, (hc_task)i);
    const bool there = is_there(g, v, j);
    g->is_stale |= there != (g->its[i].counted != 0);
    g->its[i].counted = there;
    if (!there) continue;
    for (uint32_t k = 0; k < g->types; k++)
      if (its_shares[k].speed < 0) its_shares[k].speed = s->speed_on(v, j->task, k);
    if (fastest_of(g, j->task) > 0 || j->state != HC_RANKED_WAITS) continue;
    TRY(s->reject(p, j->task,
                  "it needs hosts of several classes at once, and the policy gavel gives a task "
                  "hosts of one"));
  }
  return 0;
}

/* GPUs (cores where the cell has none) of each type, on hosts that this call may use. */
static void count_workers(const gavel *g, const hc_view *v, double *workers)
{
  const hc_services *s = g->base.s;
  const hc_range *scope, all = {0, g->cell->units};
  size_t n = s->scope(v, &scope);
  uint32_t d = 0;
  double unit = 1000;
  for (uint32_t i = 0; i < s->dimensions(v); i++)
    if (s->dimension_id(v, i) == HC_DIM_GPU && s->capacity(v, i) > 0) d = i, unit = HC_DEVICE;
  for (uint32_t k = 0; k < g->types; k++) workers[k] = 0;
  if (n == 0) scope = &all, n = 1;
  for (size_t i = 0; i < n; i++)
    for (uint32_t h = scope[i].first; h - scope[i].first < scope[i].count; h++) {
      const int64_t *capacity;
      if (s->takes_new(v, h) && s->host_free(v, h, &capacity))
        workers[g->cell->class_of[h]] += (double)capacity[d] / unit;
    }
}

/* ---- shares ---- */

/* A task, as the linear programme sees it: those with the same numbers are alike. */
typedef struct kind {
  const double *speed; /* [types] */
  double gain, gpus;
  uint64_t serial;
  hc_task task;
  uint32_t types;
} kind;

static int compare_kinds(const kind *a, const kind *b)
{
  if (a->gain != b->gain) return a->gain < b->gain ? -1 : 1;
  if (a->gpus != b->gpus) return a->gpus < b->gpus ? -1 : 1;
  for (uint32_t k = 0; k < a->types; k++)
    if (a->speed[k] != b->speed[k]) return a->speed[k] < b->speed[k] ? -1 : 1;
  return 0;
}

static bool is_kind_before(const kind *a, const kind *b)
{
  const int order = compare_kinds(a, b);
  return order != 0 ? order < 0 : a->serial < b->serial;
}

HC_SORT(sort_kinds, kind, is_kind_before(a, b))
HC_SORT(sort_serials, uint64_t, *a < *b)

/* Work that it has left, ns on a host of speed 1; a round at least, which is as long as it would be there. */
static double left_of(const gavel *g, const hc_view *v, const hc_ranked *j)
{
  static const hc_stopping all = {.how = HC_STOP_KILL};
  hc_time left = g->base.s->estimate(v, j->task);
  if (j->state == HC_RANKED_RUNS && left != HC_NEVER) left -= g->base.s->loses(v, j->task, &all);
  return (double)HC_MAX(left, options_of(g)->round);
}

/* What a second at speed 1 is worth. @param later  tasks that came later */
static double gain_of(const gavel *g, const hc_view *v, const hc_ranked *j, const double *workers,
                      size_t later)
{
  const options *o = options_of(g);
  const int64_t priority = o->weigh == WEIGH_PRIORITY ? g->base.s->priority(v, j->task) : 1;
  double spread = 0, all = 0;
  if (o->objective == MAKESPAN) return 1 / left_of(g, v, j);
  if (o->objective == FIFO) return (double)(later + 1) / fastest_of(g, j->task);
  for (uint32_t k = 0; k < g->types; k++) {
    spread += shares_of(g, j->task)[k].speed * workers[k];
    all += workers[k];
  }
  return spread > 0 ? j->weight * all / (spread * (double)HC_MAX(priority, 1)) : 0;
}

static size_t count_later(const gavel *g, const hc_view *v, const hc_ranked *j)
{
  size_t n = 0;
  for (size_t i = 0; i < g->base.count; i++)
    n += is_there(g, v, &g->base.jobs[i]) && g->base.jobs[i].serial > j->serial;
  return n;
}

/* Those that can run somewhere now. */
static size_t list_kinds(const gavel *g, const hc_view *v, const double *workers, double *speeds, kind *out)
{
  size_t n = 0;
  for (size_t i = 0; i < g->base.count; i++) {
    const hc_ranked *j = &g->base.jobs[i];
    double *its_speeds = speeds + n * g->types, most = 0;
    if (!is_there(g, v, j) || j->weight <= 0) continue;
    for (uint32_t k = 0; k < g->types; k++) {
      its_speeds[k] = workers[k] > 0 ? shares_of(g, j->task)[k].speed : 0;
      most = HC_MAX(most, its_speeds[k]);
    }
    if (!(most > 0)) continue;
    const size_t later = options_of(g)->objective == FIFO ? count_later(g, v, j) : 0;
    out[n++] = (kind){its_speeds, gain_of(g, v, j, workers, later), j->weight, j->serial, j->task, g->types};
  }
  sort_kinds(out, n);
  return n;
}

/* Where kinds are too many those whose first task came last have no share. @return the last serial of a first
 * task that has one */
static hc_rc cut_kinds(const gavel *g, hc_view *v, const kind *kinds, size_t count, uint64_t *last)
{
  const size_t most = hc_gavel_most(g->types);
  uint64_t *firsts = g->base.s->scratch(v, (count + 1) * sizeof *firsts);
  size_t n = 0;
  if (!firsts) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++)
    if (i == 0 || compare_kinds(&kinds[i - 1], &kinds[i]) != 0) firsts[n++] = kinds[i].serial;
  sort_serials(firsts, n);
  *last = n > most ? firsts[most - 1] : UINT64_MAX;
  return 0;
}

static hc_rc solve(gavel *g, hc_view *v, const kind *kinds, size_t count, const double *workers)
{
  static const hc_gavel_aim aims[] = {[WATER_FILLING] = HC_GAVEL_ALL_LEVELS,
                                      [MAX_MIN] = HC_GAVEL_ONE_LEVEL,
                                      [MAKESPAN] = HC_GAVEL_ALL_LEVELS,
                                      [FIFO] = HC_GAVEL_SUM};
  const hc_services *s = g->base.s;
  double *speed = s->scratch(v, (count + 1) * g->types * sizeof *speed),
         *part = s->scratch(v, (count + 1) * g->types * sizeof *part),
         *numbers = s->scratch(v, (count + 1) * 3 * sizeof *numbers);
  uint32_t *of = s->scratch(v, (count + 1) * sizeof *of), n = 0; /* [count] number of the kind, from 1 */
  double *tasks = numbers, *gpus = numbers + count, *gain = numbers + 2 * count;
  uint64_t last;
  if (!speed || !part || !numbers || !of) return HC_ENOMEM;
  TRY(cut_kinds(g, v, kinds, count, &last));
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && compare_kinds(&kinds[i - 1], &kinds[i]) == 0) {
      of[i] = of[i - 1];
      if (of[i] > 0) tasks[of[i] - 1]++;
      continue;
    }
    if (kinds[i].serial > last) continue;
    memcpy(speed + (size_t)n * g->types, kinds[i].speed, g->types * sizeof *speed);
    tasks[n] = 1;
    gpus[n] = kinds[i].gpus;
    gain[n] = kinds[i].gain;
    of[i] = ++n;
  }
  const hc_gavel_problem problem = {n, g->types, speed, tasks, gpus, gain, workers};
  TRY(hc_gavel_shares(g->base.allocator, &problem, aims[options_of(g)->objective], part));
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < g->types && of[i] > 0; k++)
      shares_of(g, kinds[i].task)[k].part = part[(size_t)(of[i] - 1) * g->types + k];
  return 0;
}

static hc_rc share_anew(gavel *g, hc_view *v, const double *workers)
{
  const hc_services *s = g->base.s;
  double *speeds = s->scratch(v, (g->base.count + 1) * g->types * sizeof *speeds);
  kind *kinds = s->scratch(v, (g->base.count + 1) * sizeof *kinds);
  if (!speeds || !kinds) return HC_ENOMEM;
  const size_t count = list_kinds(g, v, workers, speeds, kinds);
  for (size_t i = 0; i < g->share_count; i++) g->shares[i].part = 0;
  TRY(solve(g, v, kinds, count, workers));
  g->is_stale = 0;
  if (g->since != HC_UNKNOWN && s->now(v) - g->since < options_of(g)->settle) return 0;
  g->since = s->now(v);
  for (size_t i = 0; i < g->share_count; i++) g->shares[i].had = 0;
  return 0;
}

/* ---- the order of a round ---- */

typedef struct pair {
  double priority, part, speed;
  uint64_t serial;
  hc_task task;
  uint32_t type;
} pair;

static bool is_pair_before(const pair *a, const pair *b)
{
  if (a->priority != b->priority) return a->priority > b->priority;
  if (a->part != b->part) return a->part > b->part;
  if (a->speed != b->speed) return a->speed > b->speed;
  return a->serial != b->serial ? a->serial < b->serial : a->type < b->type;
}

HC_SORT(sort_pairs, pair, is_pair_before(a, b))

#define NEVER_HAD 1e9 /* times its share: more than any priority of one that had some */

static pair pair_of(const gavel *g, const hc_view *v, const hc_ranked *j, uint32_t type)
{
  const hc_time now = g->base.s->now(v);
  const share *x = &shares_of(g, j->task)[type];
  const hc_time had = x->had + (g->its[j->task].on == type + 1 ? has_had(g, j, now) : 0);
  double priority = x->part * NEVER_HAD;
  if (had > 0 && g->since != HC_UNKNOWN) /* without shares, each has 0 of all */
    priority = HC_MIN(priority, x->part * (double)(now - g->since) / (double)had);
  return (pair){priority, x->part, x->speed, j->serial, j->task, type};
}

/* Of all tasks that are there. @return how many */
static size_t list_pairs(const gavel *g, const hc_view *v, pair *out)
{
  size_t n = 0;
  for (size_t i = 0; i < g->base.count; i++) {
    if (!is_there(g, v, &g->base.jobs[i])) continue;
    for (uint32_t k = 0; k < g->types; k++)
      if (shares_of(g, (hc_task)i)[k].speed > 0) out[n++] = pair_of(g, v, &g->base.jobs[i], k);
  }
  sort_pairs(out, n);
  return n;
}

static hc_rc make_pairs(const gavel *g, hc_view *v, pair **out, size_t *count)
{
  *out = g->base.s->scratch(v, (g->share_count + 1) * sizeof **out);
  if (!*out) return HC_ENOMEM;
  *count = list_pairs(g, v, *out);
  return 0;
}

/* Which task has which type in this round, by numbers of GPUs. */
static void deal(gavel *g, const pair *pairs, size_t count, double *left)
{
  for (size_t i = 0; i < g->its_count; i++) g->its[i].target = 0;
  for (size_t i = 0; i < count; i++) {
    const double gpus = g->base.jobs[pairs[i].task].weight;
    if (g->its[pairs[i].task].target > 0 || gpus > left[pairs[i].type] + 1e-9) continue;
    g->its[pairs[i].task].target = pairs[i].type + 1;
    left[pairs[i].type] -= gpus;
  }
}

/* @return 1: some are */
static hc_rc stop_others(gavel *g, hc_plan *p)
{
  const hc_stopping how = hc_reranking_stopping(&g->base);
  hc_rc any = 0;
  for (size_t i = 0; i < g->base.count; i++) {
    hc_ranked *j = &g->base.jobs[i];
    if (j->state != HC_RANKED_RUNS || g->its[i].target == g->its[i].on || !g->its[i].counted) continue;
    if (!(fastest_of(g, j->task) > 0)) continue; /* it has been there since before the run */
    const hc_rc rc = g->base.s->stop(p, j->task, &how);
    if (rc == HC_EPOLICY) continue; /* it has been told to go */
    TRY(rc);
    g->base.stops++;
    any = 1;
  }
  return any;
}

/* ---- where tasks go ---- */

typedef struct candidate {
  int64_t slots; /* for which it has room */
  int64_t free;  /* GPUs, or of the first dimension */
  uint32_t host, padding;
} candidate;

static bool is_fuller(const candidate *a, const candidate *b)
{
  return a->free != b->free ? a->free < b->free : a->host < b->host;
}

static bool is_lower(const candidate *a, const candidate *b)
{
  return a->host < b->host;
}

static bool is_roomier(const candidate *a, const candidate *b)
{
  return a->slots != b->slots ? a->slots > b->slots : is_fuller(a, b);
}

HC_SORT(sort_fuller, candidate, is_fuller(a, b))
HC_SORT(sort_lower, candidate, is_lower(a, b))
HC_SORT(sort_roomier, candidate, is_roomier(a, b))

/* Room for all hosts of the cell. */
typedef struct lists {
  candidate *hosts, *some;
  hc_range *ranges;
} lists;

static hc_rc make_lists(const gavel *g, hc_view *v, lists *out)
{
  const size_t n = (size_t)g->cell->units + 1;
  out->hosts = g->base.s->scratch(v, n * sizeof *out->hosts);
  out->some = g->base.s->scratch(v, n * sizeof *out->some);
  out->ranges = g->base.s->scratch(v, n * sizeof *out->ranges);
  return out->hosts && out->some && out->ranges ? 0 : HC_ENOMEM;
}

/* By amounts alone: `start` has the last word. */
static candidate candidate_of(const gavel *g, const hc_view *v, hc_task t, const hc_task_shape *shape,
                              uint32_t host)
{
  const hc_services *s = g->base.s;
  const int64_t *capacity, *free = s->host_free(v, host, &capacity);
  candidate c = {.slots = shape->is_spread || shape->is_whole ? 1 : shape->slots, .host = host};
  if (!free || !s->takes_new(v, host)) return (candidate){.host = host};
  c.free = free[0];
  for (uint32_t d = 0; d < s->dimensions(v); d++) {
    const int64_t need = s->demand(v, t, d);
    if (s->dimension_id(v, d) == HC_DIM_GPU && capacity[d] > 0) c.free = free[d];
    if (s->is_shared(v, d)) continue;
    if (shape->is_whole && free[d] < capacity[d]) c.slots = 0;
    if (!shape->is_whole && need > 0) c.slots = HC_MIN(c.slots, free[d] / need);
  }
  return c;
}

static size_t list_candidates(const gavel *g, const hc_view *v, hc_task t, const hc_task_shape *shape,
                              uint32_t type, candidate *out)
{
  const hc_range *scope, all = {0, g->cell->units};
  size_t n = g->base.s->scope(v, &scope), count = 0;
  if (n == 0) scope = &all, n = 1;
  for (size_t i = 0; i < n; i++)
    for (uint32_t h = scope[i].first; h - scope[i].first < scope[i].count; h++) {
      if (g->cell->class_of[h] != type) continue;
      out[count] = candidate_of(g, v, t, shape, h);
      count += out[count].slots > 0;
    }
  return count;
}

/* @return 1: it has started there; 0: it does not fit */
static hc_rc start_on(const gavel *g, hc_plan *p, hc_task t, candidate *hosts, size_t count, hc_range *ranges)
{
  sort_lower(hosts, count);
  for (size_t i = 0; i < count; i++) ranges[i] = (hc_range){hosts[i].host, 1};
  const hc_rc rc = g->base.s->start(p, t, ranges, count);
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

/* On one host, where the fewest GPUs are left over; else on as few as there is room on. @return as start_on
 */
static hc_rc start_on_type(const gavel *g, const hc_view *v, hc_plan *p, const lists *l, const pair *x)
{
  hc_task_shape shape;
  int64_t room = 0;
  hc_rc rc;
  g->base.s->shape(v, x->task, &shape);
  const bool is_one = !shape.is_spread && !shape.is_whole;
  const size_t count = list_candidates(g, v, x->task, &shape, x->type, l->hosts);
  if (is_one || shape.slots == 1) {
    sort_fuller(l->hosts, count);
    for (size_t i = 0; i < count; i++)
      if (l->hosts[i].slots >= shape.slots && (rc = start_on(g, p, x->task, &l->hosts[i], 1, l->ranges)) != 0)
        return rc;
  }
  if (shape.slots == 1) return 0;
  sort_roomier(l->hosts, count);
  for (size_t i = 0; i < count; i++) {
    room += l->hosts[i].slots;
    if (room < shape.slots || i == 0) continue;
    memcpy(l->some, l->hosts, (i + 1) * sizeof *l->some);
    if ((rc = start_on(g, p, x->task, l->some, i + 1, l->ranges)) != 0) return rc;
  }
  return 0;
}

/* ---- starts ---- */

static bool waits_for(const gavel *g, const pair *x, bool as_dealt)
{
  if (g->base.jobs[x->task].state != HC_RANKED_WAITS) return false;
  return !as_dealt || g->its[x->task].target == x->type + 1;
}

static bool is_larger(const gavel *g, const pair *a, const pair *b)
{
  return g->base.jobs[a->task].weight > g->base.jobs[b->task].weight;
}

/* Those that were dealt a type, the largest first, in their order otherwise. */
static hc_rc start_dealt(const gavel *g, hc_view *v, hc_plan *p, const lists *l, const pair *pairs,
                         size_t count)
{
  const pair **dealt = g->base.s->scratch(v, (count + 1) * sizeof *dealt);
  size_t n = 0;
  if (!dealt) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    size_t at = n;
    if (!waits_for(g, &pairs[i], true)) continue;
    for (; at > 0 && is_larger(g, &pairs[i], dealt[at - 1]); at--) dealt[at] = dealt[at - 1];
    dealt[at] = &pairs[i];
    n++;
  }
  for (size_t i = 0; i < n; i++) {
    const hc_rc rc = start_on_type(g, v, p, l, dealt[i]);
    if (rc < 0) return rc;
  }
  return 0;
}

static hc_rc start_any(const gavel *g, const hc_view *v, hc_plan *p, const lists *l, const pair *pairs,
                       size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!waits_for(g, &pairs[i], false)) continue;
    const hc_rc rc = start_on_type(g, v, p, l, &pairs[i]);
    if (rc < 0) return rc;
  }
  return 0;
}

static void explain(const gavel *g, const hc_view *v)
{
  const hc_task t = g->base.s->asked(v);
  if (t == HC_NO_TASK || t >= g->its_count || g->base.jobs[t].state != HC_RANKED_WAITS) return;
  for (uint32_t k = 0; k < g->types; k++)
    if (shares_of(g, t)[k].part > 0)
      g->base.s->explain(v, t, "its share of hosts %s is %.3g of its time",
                         g->cell->classes[k].name ? g->cell->classes[k].name : "of the cell",
                         shares_of(g, t)[k].part);
}

/* ---- the decision ---- */

/* @return 1: tasks were stopped, which may start in the next decision of this instant */
static hc_rc begin_round(gavel *g, hc_view *v, hc_plan *p)
{
  double *workers = g->base.s->scratch(v, (g->types + 1) * sizeof *workers);
  pair *pairs;
  size_t count;
  if (!workers) return HC_ENOMEM;
  count_workers(g, v, workers);
  if (g->is_stale || options_of(g)->objective == MAKESPAN) TRY(share_anew(g, v, workers));
  TRY(make_pairs(g, v, &pairs, &count));
  deal(g, pairs, count, workers);
  return stop_others(g, p);
}

static hc_rc start_all(const gavel *g, hc_view *v, hc_plan *p)
{
  lists l;
  pair *pairs;
  size_t count;
  if (g->base.s->queued(v) == 0) return 0;
  TRY(make_lists(g, v, &l));
  TRY(make_pairs(g, v, &pairs, &count));
  TRY(start_dealt(g, v, p, &l, pairs, count));
  TRY(start_any(g, v, p, &l, pairs, count));
  explain(g, v);
  return 0;
}

/* The next round, while there is anything to run. Where all have just been tried in vain and none runs, the
 * next round would find the same: an arrival or a change of hosts arms it.
 * @param tried  all that wait have been tried in this decision */
static hc_rc arm(gavel *g, const hc_view *v, hc_plan *p, bool tried)
{
  const hc_time round = options_of(g)->round, now = g->base.s->now(v);
  const hc_time next = hc_time_add(now, round - now % round);
  bool any = false;
  for (size_t i = 0; i < g->base.count && !any; i++)
    any = tried ? g->base.jobs[i].state == HC_RANKED_RUNS : g->base.jobs[i].state != HC_RANKED_AWAY;
  if (!any || g->armed == next) return 0;
  g->armed = next;
  return g->base.s->wake(p, next);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  gavel *g = (gavel *)self;
  const options *o = options_of(g);
  const hc_time now = g->base.s->now(v);
  hc_rc stopped = 0;
  bool tried = false;
  HC_UNUSED(why);
  TRY(look_at_tasks(g, v, p));
  if (now / o->round > g->round && (now % o->round == 0 || g->armed <= now)) {
    g->round = now / o->round;
    TRY(stopped = begin_round(g, v, p));
    g->is_begun = stopped == 1;
    if (stopped == 1) TRY(g->base.s->wake(p, now));
    else TRY(start_all(g, v, p));
    tried = stopped == 0;
  } else if (g->is_begun || o->between == BETWEEN_FILL) {
    g->is_begun = 0;
    TRY(start_all(g, v, p));
    tried = true;
  }
  return arm(g, v, p, tried);
}

/* ---- life ---- */

static const hc_rerank_rule none = {0}; /* books alone */

static hc_rc init(const hc_policy_context *c, const void *given, hc_policy **out, hc_error *e)
{
  const options *o = given;
  gavel *g;
  if (c->cell && c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "policy gavel", 0, 0,
                   "it shares out classes of hosts, and this cell has no hosts: use `cell: {use: hosts, "
                   "...}`, or the policy las, gittins, srtf or themis");
  if (c->cell && hc_gavel_most(c->cell->class_count) == 0)
    return hc_fail(
        e, HC_ELIMIT, "policy gavel", 0, 0,
        "%u classes of hosts are too many for its linear programme: make one of those that are alike",
        c->cell->class_count);
  TRY(hc_reranking_new(c, &o->base, &none, sizeof(gavel), "policy gavel", out, e));
  g = (gavel *)*out;
  g->cell = c->cell;
  g->types = c->cell ? c->cell->class_count : 1;
  g->since = HC_UNKNOWN;
  g->armed = HC_NEVER;
  g->round = -1;
  return 0;
}

/* What is loaded may come from a damaged file. */
static bool is_sound(const gavel *g)
{
  if (g->share_count != g->its_count * g->types || g->its_count < g->base.count) return false;
  for (size_t i = 0; i < g->its_count; i++)
    if (g->its[i].on > g->types || g->its[i].target > g->types) return false;
  return true;
}

static hc_rc visit(hc_policy *base, hc_visitor *v)
{
  gavel *g = (gavel *)base;
  TRY(hc_reranking_visit(base, v));
  for (size_t i = 0; i < g->share_count; i++) g->shares[i].speed = -1; /* asked again when it is needed */
  HC_VISIT_ARRAY(v, g->shares, g->share_count, g->share_cap);
  HC_VISIT_ARRAY(v, g->its, g->its_count, g->its_cap);
  HC_VISIT(v, g->since);
  HC_VISIT(v, g->armed);
  HC_VISIT(v, g->round);
  HC_VISIT(v, g->is_stale);
  HC_VISIT(v, g->is_begun);
  return hc_visit_loading(v) && !is_sound(g) ? HC_EINPUT : 0;
}

static void fini(hc_policy *base)
{
  gavel *g = (gavel *)base;
  hc_free(g->base.allocator, g->shares, g->share_cap * sizeof *g->shares);
  hc_free(g->base.allocator, g->its, g->its_cap * sizeof *g->its);
  hc_reranking_fini(base);
}

static uint32_t flags(const void *given)
{
  const bool plans = ((const options *)given)->objective == MAKESPAN;
  return HC_MAY_PREEMPT | HC_TIME_DEPENDENT | HC_PLACES_HOSTS |
         (plans ? HC_NEEDS_ESTIMATE | HC_NEEDS_TIMELINE : HC_IGNORES_TIME);
}

static void parts(const void *given, hc_policy_parts *out)
{
  out->eligibility = &((const options *)given)->base.eligibility;
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, objective, "water_filling|max_min|makespan|fifo", "water_filling",
        "What the shares maximise. A task's throughput is compared with what it would have if its time were "
        "spread over all types. water_filling: the least such ratio of all tasks, then the least ratio of "
        "the others, and so on. max_min: only the least ratio. makespan: the time at which all tasks are "
        "done, by estimates, is as early as possible. fifo: tasks that arrived earlier are on their fastest "
        "types."),
    HC_PARAM(
        CHOICE, options, weigh, "none|priority", "none",
        "Weights of tasks, with water_filling and max_min. none: 1 each. priority: the task's priority, or 1 "
        "where it is less."),
    HC_PARAM(TIME, options, round, "s", "6m", 1e-6, 1e9,
             "Tasks are assigned to hosts at whole multiples of this time."),
    HC_PARAM(
        TIME, options, settle, "s", "32m", 0, 1e9,
        "When shares change, the time that tasks had on each type is counted anew, but at most once in this "
        "time."),
    HC_PARAM(CHOICE, options, between, "wait|fill", "wait",
             "What becomes of GPUs that become free within a round. wait: they stay free until the next "
             "round. fill: waiting tasks that fit start on them."),
    HC_RERANKING_ELIGIBILITY_PARAM(options, base),
    HC_RERANKING_STOP_PARAMS(options, base),
    {0}};

const hc_policy_type hc_policy_gavel = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "gavel",
         .summary =
             "shares of time on each class of hosts, by a linear programme, and rounds: GPUs of several "
             "types",
         .detail =
             "A type is a class of hosts; a task's speed on it follows from `slowdowns` and the speeds of "
             "hosts. The shares X of each task's time on each type are the optimum of a linear programme, by "
             "which a task runs on one type at a time and a type is not used beyond its GPUs (cores, where "
             "the cell has no GPUs). At each round pairs of task and type are taken in the order of X over "
             "the part of the time that the task had on that type; a task that stays on its type runs on, "
             "others are stopped and start elsewhere. A task runs on hosts of one class; a task that needs "
             "several is rejected. It gets the host where the fewest GPUs are left over, or as few hosts as "
             "possible. Not modelled: pairs of tasks on the same GPUs, and throughputs that are learned.",
         .source = "Narayanan et al., Gavel, OSDI 2020", .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = hear,
    .cell_changed = cell_changed,
    .moves_tasks = true,
};
