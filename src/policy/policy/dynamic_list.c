/* dynamic_list.c -- dynamic list scheduling: tasks that are ready by one criterion, each on a host by
 * another.
 *
 * Whenever something is free or ready, the tasks that may start are sorted by `task`, and each that fits
 * somewhere starts on the host that is first by `host`. With the criteria that pack it is the other way
 * round: hosts by falling speed, then by free cores, and for each the task that suits it best, as long as
 * one fits. Among equals the task with more work, then the one that came first; the faster host, then the
 * one that is declared first.
 *
 * Source: DSLab's dynamic list scheduler, whose criteria these are. Cost: O(live tasks log live tasks) for
 * the graph where ranks, children or data count, and O(ready x hosts). */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "policy/workflow/graph.h"

typedef struct options {
  int task, host;
  double rank_weight;
} options;

enum {
  WORK,
  DATA,
  CHILDREN,
  BOTTOM_LEVEL,
  CORES,
  MEMORY,
  CORES_MEMORY_SUM,
  CORES_MEMORY,
  CORES_WORK,
  MEMORY_WORK,
  CORES_MEMORY_WORK,
  RANK_PACK,
  RANK_PACK_SELECT,
  RANK_PACK_PRODUCT
};
enum {
  SPEED,
  TASK_DATA,
  MOST_CORES,
  MOST_MEMORY,
  FEWEST_CORES,
  LEAST_MEMORY,
  DOT_PRODUCT,
  DOT_PRODUCT_SPEED
};
enum { SELECTED = 10 };

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  const options *o;
};

/* A task that may start. */
typedef struct ready {
  hc_task task;
  uint32_t node;
  double key, work, rank; /* rank: of the highest */
  int64_t demand[HC_DIMENSIONS];
  double cores, memory; /* shares of the largest demand of those that are ready */
  bool is_out;          /* it has started, or fits nowhere */
} ready;

/* A host, as the plan has left it. */
typedef struct host {
  uint32_t host;
  double speed, share; /* share: of the fastest */
  int64_t free[HC_DIMENSIONS], capacity[HC_DIMENSIONS];
} host;

typedef struct deciding {
  const hc_policy *self;
  hc_graph g;
  hc_view *v;
  hc_plan *p;
  ready *tasks;
  host *hosts;
  size_t count, host_count;
  int cpu, memory; /* which of the cell's dimensions; -1: none */
} deciding;

/* ---- what there is ---- */

static int dimension(const deciding *d, uint32_t id)
{
  const hc_services *s = d->self->s;
  for (uint32_t i = 0; i < s->dimensions(d->v); i++)
    if (s->dimension_id(d->v, i) == id) return (int)i;
  return -1;
}

static double amount(const int64_t *of, int at)
{
  return at < 0 ? 0 : (double)HC_MAX(of[at], 0);
}

static hc_rc read_hosts(deciding *d)
{
  const hc_services *s = d->self->s;
  const hc_cell_spec *cell = d->self->cell;
  const uint32_t dimensions = s->dimensions(d->v);
  double fastest = 0;
  d->hosts = s->scratch(d->v, cell->units * sizeof *d->hosts + 1);
  if (!d->hosts) return HC_ENOMEM;
  for (uint32_t h = 0; h < cell->units; h++) {
    const int64_t *capacity, *now_free = s->host_free(d->v, h, &capacity);
    host *x = &d->hosts[d->host_count];
    if (!now_free) continue;
    x->host = h;
    x->speed = cell->classes[cell->class_of[h]].speed;
    memcpy(x->free, now_free, dimensions * sizeof *now_free);
    memcpy(x->capacity, capacity, dimensions * sizeof *capacity);
    fastest = HC_MAX(fastest, x->speed);
    d->host_count++;
  }
  for (size_t i = 0; i < d->host_count; i++)
    d->hosts[i].share = fastest > 0 ? d->hosts[i].speed / fastest : 0;
  return 0;
}

static double data_of(const hc_graph *g, const hc_node *n)
{
  double sum = n->made;
  for (uint32_t k = 0; k < n->count; k++) sum += g->edges[n->first + k].bytes;
  return sum;
}

/* Shares of the largest of those that are ready. */
static void measure(deciding *d)
{
  double cores = 0, memory = 0, rank = 0;
  for (size_t i = 0; i < d->count; i++) {
    cores = HC_MAX(cores, amount(d->tasks[i].demand, d->cpu));
    memory = HC_MAX(memory, amount(d->tasks[i].demand, d->memory));
    rank = HC_MAX(rank, d->tasks[i].rank);
  }
  for (size_t i = 0; i < d->count; i++) {
    ready *t = &d->tasks[i];
    t->cores = cores > 0 ? amount(t->demand, d->cpu) / cores : 0;
    t->memory = memory > 0 ? amount(t->demand, d->memory) / memory : 0;
    if (rank > 0) t->rank /= rank;
  }
}

static double key_of(const deciding *d, const ready *t)
{
  const hc_node *n = &d->g.nodes[t->node];
  switch (d->self->o->task) {
    case WORK: return t->work;
    case DATA: return data_of(&d->g, n);
    case CHILDREN: return n->children;
    case BOTTOM_LEVEL: return t->rank;
    case CORES: return t->cores;
    case MEMORY: return t->memory;
    case CORES_MEMORY_SUM: return t->cores + t->memory;
    case CORES_MEMORY: return t->cores * t->memory;
    case CORES_WORK: return t->cores * t->work;
    case MEMORY_WORK: return t->memory * t->work;
    case CORES_MEMORY_WORK: return (t->cores + t->memory) * t->work;
    default: return t->rank; /* those that pack */
  }
}

static int by_key(const void *a, const void *b)
{
  const ready *x = a, *y = b;
  if (x->key != y->key) return x->key > y->key ? -1 : 1;
  if (x->work != y->work) return x->work > y->work ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static hc_rc read_tasks(deciding *d)
{
  const hc_services *s = d->self->s;
  const uint32_t dimensions = s->dimensions(d->v);
  double *ranks = s->scratch(d->v, d->g.count * sizeof *ranks + 1);
  d->tasks = s->scratch(d->v, d->g.count * sizeof *d->tasks + 1);
  if (!ranks || !d->tasks) return HC_ENOMEM;
  hc_graph_ranks(&d->g, d->g.slowness, true, ranks);
  for (uint32_t i = 0; i < d->g.count; i++) {
    const hc_node *n = &d->g.nodes[i];
    ready *t = &d->tasks[d->count];
    if (!n->waits) continue;
    *t = (ready){.task = n->task, .node = i, .work = n->work, .rank = ranks[i]};
    for (uint32_t k = 0; k < dimensions; k++) t->demand[k] = s->demand(d->v, n->task, k);
    d->count++;
  }
  measure(d);
  for (size_t i = 0; i < d->count; i++) d->tasks[i].key = key_of(d, &d->tasks[i]);
  qsort(d->tasks, d->count, sizeof *d->tasks, by_key);
  return 0;
}

/* ---- how they suit each other ---- */

static bool fits(const deciding *d, const ready *t, const host *h)
{
  const uint32_t dimensions = d->self->s->dimensions(d->v);
  for (uint32_t k = 0; k < dimensions; k++)
    if (t->demand[k] > 0 && t->demand[k] > h->free[k]) return false;
  return d->self->s->could(d->v, t->task, h->host);
}

/* Demand and what is free as shares of the host's capacity, multiplied; the mean of cores and memory. */
static double dot_product(const deciding *d, const ready *t, const host *h)
{
  const double cores = amount(h->capacity, d->cpu), memory = amount(h->capacity, d->memory);
  double sum = 0;
  if (cores > 0) sum += amount(h->free, d->cpu) * amount(t->demand, d->cpu) / (cores * cores);
  if (memory > 0) sum += amount(h->free, d->memory) * amount(t->demand, d->memory) / (memory * memory);
  return sum / 2;
}

static double data_on(const deciding *d, const ready *t, uint32_t at)
{
  const hc_node *n = &d->g.nodes[t->node];
  double sum = 0;
  for (uint32_t k = 0; k < n->count; k++)
    if (d->g.edges[n->first + k].host == at) sum += d->g.edges[n->first + k].bytes;
  return sum;
}

static double score(const deciding *d, const ready *t, const host *h)
{
  switch (d->self->o->host) {
    case SPEED: return h->speed;
    case TASK_DATA: return data_on(d, t, h->host);
    case MOST_CORES: return amount(h->free, d->cpu);
    case MOST_MEMORY: return amount(h->free, d->memory);
    case FEWEST_CORES: return -amount(h->free, d->cpu);
    case LEAST_MEMORY: return -amount(h->free, d->memory);
    case DOT_PRODUCT: return dot_product(d, t, h);
    default: return dot_product(d, t, h) + h->share;
  }
}

/* @return 1: it has started; 0: it cannot there */
static hc_rc start(deciding *d, ready *t, host *h)
{
  const hc_range on = {h->host, 1};
  const hc_rc rc = d->self->s->start(d->p, t->task, &on, 1);
  if (rc == HC_EPOLICY) return 0;
  if (rc < 0) return rc;
  t->is_out = true;
  for (uint32_t k = 0; k < d->self->s->dimensions(d->v); k++) h->free[k] -= HC_MAX(t->demand[k], 0);
  return 1;
}

/* ---- tasks choose hosts ---- */

static hc_rc by_task(deciding *d)
{
  for (size_t i = 0; i < d->count; i++) {
    ready *t = &d->tasks[i];
    host *best = NULL;
    double most = 0;
    for (size_t k = 0; k < d->host_count; k++) {
      host *h = &d->hosts[k];
      if (!fits(d, t, h)) continue;
      const double x = score(d, t, h);
      if (best && (x < most || (x == most && h->speed <= best->speed))) continue;
      best = h;
      most = x;
    }
    if (best) TRY(start(d, t, best));
  }
  return 0;
}

/* ---- hosts choose tasks ---- */

static double suits(const deciding *d, const ready *t, const host *h)
{
  const double dot = dot_product(d, t, h), weight = d->self->o->rank_weight;
  if (d->self->o->task == RANK_PACK_SELECT) return dot;
  if (d->self->o->task == RANK_PACK_PRODUCT) return t->rank * dot;
  return t->rank * weight + dot * (1 - weight);
}

/* Tasks stand by rank: of those that fit, the first ten for RANK_PACK_SELECT. */
static ready *choose(deciding *d, const host *h)
{
  const bool few = d->self->o->task == RANK_PACK_SELECT;
  ready *best = NULL;
  double most = 0;
  int seen = 0;
  for (size_t i = 0; i < d->count && !(few && seen == SELECTED); i++) {
    ready *t = &d->tasks[i];
    if (t->is_out || !fits(d, t, h)) continue;
    const double x = suits(d, t, h);
    seen++;
    if (best && (x < most || (x == most && t->work <= best->work))) continue;
    best = t;
    most = x;
  }
  return best;
}

static hc_rc by_host(deciding *d)
{
  for (size_t done = 0; done < d->host_count; done++) {
    size_t next = done;
    for (size_t k = done + 1; k < d->host_count; k++) {
      const host *a = &d->hosts[k], *b = &d->hosts[next];
      if (a->speed > b->speed || (a->speed == b->speed && amount(a->free, d->cpu) > amount(b->free, d->cpu)))
        next = k;
    }
    const host chosen = d->hosts[next];
    memmove(&d->hosts[done + 1], &d->hosts[done], (next - done) * sizeof chosen);
    d->hosts[done] = chosen;
    for (ready *t; (t = choose(d, &d->hosts[done])) != NULL;) {
      const hc_rc rc = start(d, t, &d->hosts[done]);
      if (rc < 0) return rc;
      if (rc == 0) break;
    }
  }
  return 0;
}

/* ---- the policy ---- */

static hc_rc reject_wide(deciding *d)
{
  for (uint32_t i = 0; i < d->g.count; i++)
    if (d->g.nodes[i].waits && d->g.nodes[i].has_parts) {
      d->g.nodes[i].waits = false;
      TRY(d->self->s->reject(
          d->p, d->g.nodes[i].task,
          "the policy starts tasks on one host each, and this one wants several, or several slots: another "
          "policy, such as scan, starts it"));
    }
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  deciding d = {.self = self, .v = v, .p = p};
  HC_UNUSED(why);
  TRY(hc_graph_read(&d.g, self->s, v, self->cell));
  hc_rc rc = hc_graph_prepare(&d.g, self->allocator);
  d.cpu = dimension(&d, HC_DIM_CPU);
  d.memory = dimension(&d, HC_DIM_MEMORY);
  if (rc == 0) rc = reject_wide(&d);
  if (rc == 0) rc = read_tasks(&d);
  if (rc == 0) rc = read_hosts(&d);
  if (rc == 0) rc = self->o->task >= RANK_PACK ? by_host(&d) : by_task(&d);
  hc_graph_end(&d.g);
  return HC_MIN(rc, 0);
}

static uint32_t flags(const void *opts)
{
  HC_UNUSED(opts);
  return HC_NEEDS_ESTIMATE | HC_PLACES_HOSTS | HC_PLANS_WORKFLOWS;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  if (!c->cell || c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(e, HC_EUNSUPPORTED, "policy", 0, 0,
                   "the policy dynamic_list chooses hosts, and this cell counts processors: say `cell: "
                   "{use: hosts, ...}`");
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){c->services, c->allocator, c->cell, opts};
  *out = self;
  return 0;
}

static void fini(hc_policy *self)
{
  (void)self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, task,
        "work|data|children|bottom_level|cores|memory|cores_memory_sum|cores_memory|"
        "cores_work|memory_work|cores_memory_work|rank_pack|rank_pack_select|rank_pack_product",
        "bottom_level",
        "Which task is first. work: the one with the most work. data: the one that reads and makes the most "
        "bytes. children: the one that the most tasks wait for. bottom_level: the one with the longest path "
        "to the end of its workflow (upward rank of heft). cores: the one that wants the most cores. memory: "
        "the one that wants the most memory. cores_memory_sum: the sum of both, as shares of the largest "
        "demand. cores_memory: their product. cores_work: cores x work. memory_work: memory x work. "
        "cores_memory_work: the sum of both x work. rank_pack: hosts choose, the task for which weight x "
        "rank + (1 - weight) x dot product is highest. rank_pack_select: hosts choose, of the ten with the "
        "highest ranks the one with the highest dot product. rank_pack_product: hosts choose by rank x dot "
        "product."),
    HC_PARAM(
        CHOICE, options, host,
        "speed|task_data|most_cores|most_memory|fewest_cores|least_memory|dot_product|dot_product_speed",
        "speed",
        "Which host with room is first. speed: the fastest. task_data: the one on which most bytes of what "
        "the task reads lie. most_cores: the one with the most free cores. most_memory: the one with the "
        "most free memory. fewest_cores: the one with the fewest free cores. least_memory: the one with the "
        "least free memory. dot_product: demand x free, as shares of the host, summed over cores and memory. "
        "dot_product_speed: the same x the host's speed / the fastest speed. Not used where hosts choose "
        "tasks."),
    HC_PARAM(REAL, options, rank_weight, "1", "0.5", 0, 1,
             "Weight of the rank in rank_pack; ranks are divided by the highest rank of all ready tasks."),
    {0}};

const hc_policy_type hc_policy_dynamic_list = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "dynamic_list",
         .summary = "ready tasks by one criterion, each on a host by another, as soon as a host has room",
         .detail =
             "Nothing is planned ahead: whenever tasks become ready or room becomes free, the ready tasks "
             "are sorted by `task`, and each that fits starts on the host that is first by `host`; what it "
             "reads is brought when it starts. Of equal tasks the one with more work is first, then the one "
             "submitted first; of equal hosts the faster one, then the one declared first. With the criteria "
             "rank_pack... hosts choose tasks, by falling speed and free cores. A task runs on one host; a "
             "task that asks for several is rejected. Needs a cell of hosts and the architecture monolithic.",
         .source = "DSLab, its dynamic list scheduler", .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .fini = fini};
