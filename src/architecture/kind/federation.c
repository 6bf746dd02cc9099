/* federation.c -- several cells, each with hosts and a scheduler of its own, behind one front door.
 *
 * A job comes to the front door, which sends it to a cell at once; there it stays, whatever becomes idle
 * elsewhere. It knows of a cell what `route` needs: nothing, how many jobs wait there, or how much is free. A
 * cell comes into question if the job's first task could run on its hosts, were they idle, and if its
 * scheduler `takes` such jobs. Each scheduler decides at the end of its time of thinking, on its own hosts
 * as they are then, so that nothing is ever refused. A task that lost its host comes to the front door
 * again, unless its job still has tasks that wait. Routing costs O(cells) and a look at hosts until one
 * could run the task; `most_free` looks at all.
 *
 * Source: the routers of YARN Federation (Apache Hadoop, YARN-2915): uniform random, by the hash of the
 * queue, by load; round robin and fewest jobs are what dispatchers to parallel servers are compared by. */
#include "architecture/scheduler/partitions.h"
#include "base/math.h"
#include "base/state.h"
#include "base/util.h"

#define ROUTES "random|round_robin|queue|fewest_jobs|most_free"
enum { ROUTE_RANDOM, ROUTE_ROUND_ROBIN, ROUTE_QUEUE, ROUTE_FEWEST_JOBS, ROUTE_MOST_FREE };

typedef struct options {
  hc_schedulers_options schedulers;
  int route;
} options;

struct hc_architecture {
  hc_schedulers all;
  const options *o;
  uint64_t turn; /* round robin: the cell whose turn it is */
};

/* ---- the front door ---- */

/* Slots of a task that an idle host has room for, by amounts. A task that names none takes hosts whole. */
static int64_t slots_on(const hc_schedulers *all, hc_task t, uint32_t host)
{
  const hc_view *v = all->c.services->task_view(all->c.engine);
  const int64_t *has;
  int64_t n = INT64_MAX;
  (void)all->ask->host_free(v, host, &has);
  for (uint32_t dim = 0; dim < all->ask->dimensions(v); dim++) {
    const int64_t need = all->ask->demand(v, t, dim);
    if (need > 0) n = HC_MIN(n, has[dim] / need);
  }
  return n == INT64_MAX ? 1 : n;
}

/* Could it run here, were all hosts idle? What a task of several slots says of hosts is not looked at. */
static bool could(const hc_architecture *self, uint32_t cell, hc_task t)
{
  const hc_schedulers *all = &self->all;
  const hc_partition *p = &self->all.parts[cell];
  const int64_t slots = all->ask->slots(all->c.services->task_view(all->c.engine), t);
  int64_t n = 0;
  if (!hc_schedulers_takes(all, cell, t)) return false;
  for (size_t i = 0; i < p->count; i++)
    for (uint32_t k = 0; k < p->ranges[i].count; k++) {
      const uint32_t host = p->ranges[i].first + k;
      if (slots == 1 && all->c.services->could(all->c.engine, t, host)) return true;
      if (slots > 1 && (n += slots_on(all, t, host)) >= slots) return true;
    }
  return false;
}

/* Of those that could, the one with the r-th lowest number. */
static uint32_t choose(const hc_architecture *self, hc_task t, uint64_t entity)
{
  const hc_policy_context *c = self->all.c.policy_context;
  hc_draws draws = {c->seed, c->replication, entity, HC_PURPOSE_PROBE, 0};
  uint32_t n = 0, r;
  for (uint32_t k = 0; k < self->all.kind_count; k++) n += could(self, k, t);
  if (n == 0) return HC_NO_SCHEDULER;
  r = (uint32_t)hc_random_below(&draws, n);
  for (uint32_t k = 0;; k++)
    if (could(self, k, t) && r-- == 0) return k;
}

static uint32_t next_in_turn(hc_architecture *self, hc_task t)
{
  const uint32_t n = self->all.kind_count;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t k = (uint32_t)((self->turn + i) % n);
    if (!could(self, k, t)) continue;
    self->turn = (k + 1) % n;
    return k;
  }
  return HC_NO_SCHEDULER;
}

/* Jobs that are queued in a cell, back off between attempts, or are thought about. */
static double jobs_at(const hc_architecture *self, uint32_t cell)
{
  const hc_schedulers *all = &self->all;
  uint64_t n = 0;
  for (uint32_t i = all->first[cell]; i < all->first[cell + 1]; i++) n += all->one[i].jobs;
  return (double)n;
}

/* The free share of a cell, of the dimension of which the least is free. Hosts that are away have nothing;
 * those that drain still count. */
static double free_share(const hc_architecture *self, uint32_t cell)
{
  const hc_schedulers *all = &self->all;
  const hc_view *v = all->c.services->task_view(all->c.engine);
  const hc_partition *p = &self->all.parts[cell];
  const uint32_t dimensions = all->ask->dimensions(v);
  double least = 2;
  for (uint32_t dim = 0; dim < dimensions; dim++) {
    double free = 0, whole = 0;
    for (size_t i = 0; i < p->count; i++)
      for (uint32_t k = 0; k < p->ranges[i].count; k++) {
        const int64_t *has, *left = all->ask->host_free(v, p->ranges[i].first + k, &has);
        free += (double)HC_MAX(left[dim], 0);
        whole += (double)has[dim];
      }
    if (whole > 0) least = HC_MIN(least, free / whole);
  }
  return least > 1 ? 0 : least; /* nothing is left that could be free */
}

/* Of equals the first. */
static uint32_t best(const hc_architecture *self, hc_task t,
                     double (*cost)(const hc_architecture *, uint32_t), double sign)
{
  uint32_t found = HC_NO_SCHEDULER;
  double least = 0;
  for (uint32_t k = 0; k < self->all.kind_count; k++) {
    double x;
    if (!could(self, k, t)) continue;
    x = sign * cost(self, k);
    if (found != HC_NO_SCHEDULER && x >= least) continue;
    found = k;
    least = x;
  }
  return found;
}

static uint32_t route(void *ctx, hc_task t)
{
  hc_architecture *self = ctx;
  const hc_schedulers *all = &self->all;
  const hc_view *v = all->c.services->task_view(all->c.engine);
  switch (self->o->route) {
    case ROUTE_ROUND_ROBIN: return next_in_turn(self, t);
    case ROUTE_QUEUE: return choose(self, t, (uint64_t)all->ask->queue(v, t) | UINT64_C(1) << 63);
    case ROUTE_FEWEST_JOBS: return best(self, t, jobs_at, 1);
    case ROUTE_MOST_FREE: return best(self, t, free_share, -1);
    default: return choose(self, t, all->ask->serial(v, t));
  }
}

/* ---- the cells ---- */

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->o = o;
  TRY(hc_schedulers_init_routed(&self->all, c, &o->schedulers, false, (hc_job_router){route, self}, e));
  TRY(hc_schedulers_never_mold(&self->all, "it sees hosts of its own alone", e));
  return hc_partitions_read(&self->all, e);
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  HC_VISIT(v, self->turn);
  return hc_schedulers_visit(&self->all, v);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->all.c.allocator;
  hc_schedulers_fini(&self->all);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {
#include "architecture/scheduler/params.h"
    HC_PARAM(CHOICE, options, route, ROUTES, "random",
             "To which cell a job is sent, of those that could run it. random: each as likely. round_robin: "
             "the next. queue: the same for all jobs of a queue of the source. fewest_jobs: the one with the "
             "fewest jobs that wait, are to be tried again, or are being decided on. most_free: the one with "
             "the largest free share, by the dimension of which the smallest share is free. Of equals the "
             "first."),
    {0}};

const hc_architecture_type hc_architecture_federation = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = hc_schedulers_figures,
         .name = "federation",
         .summary = "several cells, each with a scheduler of its own, behind a front door",
         .detail =
             "`schedulers` lists the cells: `hosts` says which hosts are a cell's own (equal parts if none "
             "has `hosts`), `takes` which jobs it may get. A job is sent to one of them when it arrives, and "
             "stays there.",
         .source = "the routers of YARN Federation, Apache Hadoop (YARN-2915)", .params = params,
         .options_size = sizeof(options)},
    .init = init,
    .visit = visit,
    .fini = fini,
    HC_SCHEDULERS_CALLS_LATE,
    .offers_hosts = true,
    .keeps_hosts = true,
};
