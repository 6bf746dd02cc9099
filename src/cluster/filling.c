/* filling.c -- progressive filling: levels rise together until something is full.
 *
 * Every user has a level: what one task adds to its dominant share over its weight (DRF), or to the sum of its
 * shares (asset fairness), times its tasks. All levels rise at one rate. When a resource is full, those that need
 * it stop; when a user has what it can use, it stops; the others go on, which matters as soon as a user needs
 * none of the full resource. There are at most dims stops of the first kind, and the second are sorted
 * beforehand, so that no round looks at everybody but those dims.
 *
 * Sources: Ghodsi et al., Dominant resource fairness, NSDI 2011 (DRF, asset fairness); Parkes, Procaccia and
 * Shah, Beyond dominant resource fairness, EC 2012 (zero demands: the rounds after the first). */
#include "cluster/filling.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/util.h"
#include "hindcast/task.h"

/* ---- what all of them share ---- */

static hc_rc check_row(const double *x, size_t n, double least, bool is_open, const char *what, hc_error *e)
{
  for (size_t i = 0; x && i < n; i++)
    if (!(x[i] >= least) || (is_open && x[i] == least) || x[i] > 1e300)
      return hc_fail(e, HC_EINPUT, "fair share", 0, 0, "%s %zu is %g: give a finite number %s %g", what, i,
                     x[i], is_open ? "above" : "of at least", least);
  return 0;
}

hc_rc hc_fair_check(const hc_fair_problem *p, hc_error *e)
{
  size_t cells = (size_t)p->users * p->dims;
  if (p->dims == 0 || p->dims > HC_DIMENSIONS)
    return hc_fail(e, HC_EINPUT, "fair share", 0, 0, "%u dimensions: there can be 1 to %d", p->dims,
                   HC_DIMENSIONS);
  TRY(check_row(p->capacity, p->dims, 0, false, "capacity", e));
  TRY(check_row(p->demand, cells, 0, false, "demand", e));
  TRY(check_row(p->weight, p->users, 0, true, "weight", e));
  TRY(check_row(p->resource_weight, cells, 0, true, "weight of a resource", e));
  for (uint32_t i = 0; p->most && i < p->users; i++)
    if (!(p->most[i] >= 0))
      return hc_fail(e, HC_EINPUT, "fair share", 0, 0, "user %u can use %g tasks: give 0 or more", i,
                     p->most[i]);
  return 0;
}

bool hc_fair_can_run(const hc_fair_problem *p, uint32_t i, double *tasks)
{
  bool needs = false;
  const double *d = p->demand + (size_t)i * p->dims;
  *tasks = 0;
  for (uint32_t r = 0; r < p->dims; r++) {
    if (d[r] > 0 && !(p->capacity[r] > 0)) return false;
    needs |= d[r] > 0;
  }
  if (!needs) *tasks = p->most ? p->most[i] : __builtin_inf();
  return needs;
}

static inline bool is_before(const double *key, uint32_t a, uint32_t b)
{
  return key[a] < key[b] || (key[a] == key[b] && a < b);
}

HC_SORT_OF(sort_by_key, uint32_t, is_before(of, *a, *b))

void hc_fair_sort(const double *key, uint32_t *index, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) index[i] = i;
  sort_by_key(index, n, key);
}

/* ---- filling ---- */

typedef struct filling {
  const hc_fair_problem *p;
  double *tasks;
  double *step;    /* [users] level of one task; 0: not active */
  double *most;    /* [users] level at which it has what it can use */
  uint32_t *order; /* [users] by `most` */
  uint32_t active;
  double level, used[HC_DIMENSIONS], rate[HC_DIMENSIONS];
  uint32_t needing[HC_DIMENSIONS]; /* active users; the rate is exactly 0 where there are none */
} filling;

typedef double step_of(const hc_fair_problem *p, uint32_t i);

static double dominant_step(const hc_fair_problem *p, uint32_t i)
{
  double step = 0, w = p->weight ? p->weight[i] : 1;
  for (uint32_t r = 0; r < p->dims; r++) {
    size_t at = (size_t)i * p->dims + r;
    double c = p->capacity[r] * w * (p->resource_weight ? p->resource_weight[at] : 1);
    if (p->demand[at] > 0) step = HC_MAX(step, p->demand[at] / c);
  }
  return step;
}

static double asset_step(const hc_fair_problem *p, uint32_t i)
{
  double sum = 0;
  for (uint32_t r = 0; r < p->dims; r++) {
    size_t at = (size_t)i * p->dims + r;
    double c = p->capacity[r] * (p->resource_weight ? p->resource_weight[at] : 1);
    if (p->demand[at] > 0) sum += p->demand[at] / c;
  }
  return p->weight ? sum / p->weight[i] : sum;
}

/* Anew from the users, after a resource is full: sums that were added to and taken from drift. */
static void rates(filling *f)
{
  const hc_fair_problem *p = f->p;
  for (uint32_t r = 0; r < p->dims; r++) f->rate[r] = f->needing[r] = 0;
  for (uint32_t i = 0; i < p->users; i++) {
    const double *d = p->demand + (size_t)i * p->dims;
    if (f->step[i] == 0) continue;
    for (uint32_t r = 0; r < p->dims; r++) {
      f->rate[r] += d[r] / f->step[i];
      f->needing[r] += d[r] > 0;
    }
  }
}

static void freeze(filling *f, uint32_t i, double tasks)
{
  const double *d = f->p->demand + (size_t)i * f->p->dims;
  for (uint32_t r = 0; r < f->p->dims; r++) {
    if (!(d[r] > 0)) continue;
    f->rate[r] = --f->needing[r] ? f->rate[r] - d[r] / f->step[i] : 0;
  }
  f->tasks[i] = tasks;
  f->step[i] = 0;
  f->active--;
}

static void rise(filling *f, double to)
{
  for (uint32_t r = 0; r < f->p->dims; r++) f->used[r] += f->rate[r] * (to - f->level);
  f->level = to;
}

/* The resource that is full first, and at which level. */
static uint32_t first_full(const filling *f, double *level)
{
  uint32_t full = 0;
  *level = __builtin_inf();
  for (uint32_t r = 0; r < f->p->dims; r++) {
    double at;
    if (f->needing[r] == 0) continue;
    at = f->level + HC_MAX(0.0, f->p->capacity[r] - f->used[r]) / f->rate[r];
    if (!(at < *level)) continue;
    *level = at;
    full = r;
  }
  return full;
}

static void fill(filling *f)
{
  const hc_fair_problem *p = f->p;
  uint32_t next = 0;
  rates(f);
  while (f->active > 0) {
    double level;
    uint32_t full = first_full(f, &level), user;
    while (p->most && next < p->users && f->step[f->order[next]] == 0) next++;
    user = p->most && next < p->users ? f->order[next] : p->users;
    if (user < p->users && f->most[user] <= level) {
      rise(f, HC_MAX(f->level, f->most[user]));
      freeze(f, user, p->most[user]);
      continue;
    }
    rise(f, level);
    for (uint32_t i = 0; i < p->users; i++)
      if (f->step[i] > 0 && p->demand[(size_t)i * p->dims + full] > 0) freeze(f, i, level / f->step[i]);
    f->used[full] = p->capacity[full];
    rates(f);
  }
}

static void filled_in(const hc_fair_problem *p, step_of *step, void *scratch, double *tasks)
{
  filling f = {.p = p, .tasks = tasks};
  f.step = scratch;
  f.most = f.step + p->users;
  f.order = (uint32_t *)(void *)(f.most + p->users);
  for (uint32_t i = 0; i < p->users; i++) {
    f.step[i] = f.most[i] = 0;
    if (!hc_fair_can_run(p, i, &tasks[i])) continue;
    f.step[i] = step(p, i);
    f.most[i] = p->most ? p->most[i] * f.step[i] : 0;
    f.active++;
  }
  if (p->most) hc_fair_sort(f.most, f.order, p->users);
  fill(&f);
}

static hc_rc filled(const hc_allocator *a, const hc_fair_problem *p, step_of *step, double *tasks,
                    hc_error *e)
{
  const size_t size = hc_fair_scratch(p->users);
  void *scratch;
  TRY(hc_fair_check(p, e));
  scratch = hc_alloc(a, size);
  if (!scratch) return hc_fail(e, HC_ENOMEM, "fair share", 0, 0, "no memory for %u users", p->users);
  filled_in(p, step, scratch, tasks);
  hc_free(a, scratch, size);
  return 0;
}

void hc_fair_drf_in(const hc_fair_problem *p, void *scratch, double *tasks)
{
  filled_in(p, dominant_step, scratch, tasks);
}

hc_rc hc_fair_drf(const hc_allocator *a, const hc_fair_problem *p, double *tasks, hc_error *e)
{
  return filled(a, p, dominant_step, tasks, e);
}

hc_rc hc_fair_asset(const hc_allocator *a, const hc_fair_problem *p, double *tasks, hc_error *e)
{
  return filled(a, p, asset_step, tasks, e);
}

hc_rc hc_fair_max_min(const hc_allocator *a, uint32_t n, double capacity, const double *demand,
                      const double *weight, double *out, hc_error *e)
{
  double *one = hc_alloc(a, n * sizeof *one);
  hc_fair_problem p = {
      .users = n, .dims = 1, .capacity = &capacity, .demand = one, .weight = weight, .most = demand};
  hc_rc rc;
  if (!one) return hc_fail(e, HC_ENOMEM, "fair share", 0, 0, "no memory for %u users", n);
  for (uint32_t i = 0; i < n; i++) one[i] = 1;
  rc = hc_fair_drf(a, &p, out, e);
  hc_free(a, one, n * sizeof *one);
  return rc;
}
