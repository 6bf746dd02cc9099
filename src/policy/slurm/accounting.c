/* accounting.c -- see accounting.h.
 *
 * A task's user, account (group) and partition find its association, its QOS (queue) a QOS, both by the names
 * that its source has for them. A task whose QOS no file names has the default one of its association. What
 * it asks for is counted in TRES: cores, memory in MiB, nodes, GPUs; billing is that of its cores.
 *
 * Limits are looked at where AccountingStorageEnforce has them, before nodes are chosen for a job and when
 * they are; not at its submission, since a job of a log was accepted. Cost: what usage.h, factors.h and
 * limits.h say, and 16 bytes a task. */
#include "policy/slurm/accounting.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/bits.h"

/* ---- birth ---- */

static hc_rc read_files(hc_slurm_accounting *a, const hc_slurm_accounting_files *f, hc_error *e)
{
  const char *const *files = f->files->items, *const *commands = f->commands->items;
  for (size_t i = 0; i < f->files->count; i++) TRY(hc_slurm_assocs_read(&a->assocs, files[i], e));
  for (size_t i = 0; i < f->commands->count; i++) {
    const hc_slurm_place at = {.file = "policy.sacctmgr", .line = (uint32_t)i + 1, .column = 1};
    TRY(hc_slurm_assocs_command(&a->assocs, commands[i], &at, e));
  }
  return hc_slurm_assocs_settle(&a->assocs, e);
}

static int64_t whole(int64_t amount, int64_t unit)
{
  return amount / unit + (amount % unit > 0);
}

/* So many times amounts by the lexicon's number. */
static void add_amounts(const hc_slurm_accounting *a, hc_slurm_amounts *to, const int64_t *of, int64_t times)
{
  const uint32_t gpu = hc_slurm_tres_find(&a->assocs.tres, "gres/gpu", 8);
  to->of[HC_SLURM_CPU] += whole(of[HC_DIM_CPU] * times, 1000);
  to->of[HC_SLURM_MEM] += of[HC_DIM_MEMORY] * times >> 20;
  if (gpu != HC_MAP_NONE) to->of[gpu] += whole(of[HC_DIM_GPU] * times, HC_DEVICE);
}

static void measure_cluster(hc_slurm_accounting *a, const hc_cell_spec *cell)
{
  hc_slurm_amounts all = {{0}};
  for (uint32_t h = 0; h < cell->units; h++)
    add_amounts(a, &all, cell->classes[cell->class_of[h]].capacity, 1);
  a->scale = (hc_slurm_scale){
      .b = &a->assocs, .nodes = cell->units, .cpus = HC_MAX(all.of[HC_SLURM_CPU], 1), .most_part_factor = 1};
}

hc_rc hc_slurm_accounting_init(hc_slurm_accounting *a, const hc_policy_context *c, const hc_conf *conf,
                               const hc_slurm_accounting_files *files, uint32_t nodes, size_t parts,
                               hc_error *e)
{
  static const hc_conf nothing;
  *a = (hc_slurm_accounting){.s = c->services,
                             .allocator = c->allocator,
                             .lexicon = c->lexicon,
                             .part_count = parts,
                             .node_count = nodes};
  TRY(hc_slurm_assocs_init(&a->assocs, c->allocator));
  TRY(hc_slurm_priority_read(&a->priority, conf ? conf : &nothing, &a->assocs, e));
  TRY(read_files(a, files, e));
  TRY(hc_slurm_usage_init(&a->usage, &a->assocs, &a->priority.usage, c->allocator));
  TRY(hc_slurm_limits_init(&a->limits, &a->usage,
                           files->files->count + files->commands->count > 0 ? a->priority.enforce : 0, nodes,
                           c->allocator));
  a->parts = hc_alloc(c->allocator, parts * sizeof *a->parts);
  a->ranges = hc_alloc(c->allocator, nodes * sizeof *a->ranges);
  if (!a->parts || !a->ranges) return HC_ENOMEM;
  for (size_t i = 0; i < parts; i++) a->parts[i].factor = 1;
  measure_cluster(a, c->cell);
  return 0;
}

void hc_slurm_accounting_part(hc_slurm_accounting *a, size_t part, int64_t factor, const uint64_t *nodes,
                              const hc_cell_spec *cell)
{
  hc_slurm_part_facts *x = &a->parts[part];
  *x = (hc_slurm_part_facts){.factor = factor};
  a->scale.most_part_factor = HC_MAX(a->scale.most_part_factor, factor);
  for (uint32_t h = 0; h < a->node_count; h++) {
    if (!hc_bit_is(nodes, h)) continue;
    add_amounts(a, &x->amounts, cell->classes[cell->class_of[h]].capacity, 1);
    x->amounts.of[HC_SLURM_NODE]++;
  }
  x->amounts.of[HC_SLURM_BILLING] = x->amounts.of[HC_SLURM_CPU];
}

void hc_slurm_accounting_fini(hc_slurm_accounting *a)
{
  if (!a->allocator) return;
  hc_slurm_limits_fini(&a->limits);
  hc_slurm_usage_fini(&a->usage);
  hc_slurm_assocs_fini(&a->assocs);
  hc_free(a->allocator, a->parts, a->part_count * sizeof *a->parts);
  hc_free(a->allocator, a->ranges, a->node_count * sizeof *a->ranges);
  hc_free(a->allocator, a->clients, a->client_cap * sizeof *a->clients);
}

hc_rc hc_slurm_accounting_visit(hc_slurm_accounting *a, hc_visitor *v)
{
  size_t count = a->client_cap;
  HC_VISIT(v, a->period);
  HC_VISIT(v, a->relents);
  TRY(hc_slurm_usage_visit(&a->usage, v));
  TRY(hc_slurm_limits_visit(&a->limits, v));
  return hc_visit_array(v, (void **)&a->clients, &count, &a->client_cap, sizeof *a->clients);
}

/* ---- a task ---- */

static const char *called(const hc_slurm_accounting *a, hc_called kind, int64_t number)
{
  return a->lexicon && number >= 0 ? hc_lexicon_called(a->lexicon, kind, number) : NULL;
}

static hc_rc reserve(hc_slurm_accounting *a, hc_task t)
{
  const size_t before = a->client_cap;
  TRY(hc_reserve(a->allocator, (void **)&a->clients, &a->client_cap, (size_t)t + 1, sizeof *a->clients));
  memset(a->clients + before, 0, (a->client_cap - before) * sizeof *a->clients);
  return 0;
}

/* What it asks for, or holds on so many nodes. Of a task whose slots lie apart `host_count` is what its -N
 * said: a job of --ntasks-per-node has asked for one node, however many its tasks take. */
static hc_slurm_amounts amounts_of(const hc_slurm_accounting *a, const hc_view *v, hc_task t, int64_t nodes)
{
  hc_slurm_amounts out = {{0}};
  int64_t need[HC_DIMENSIONS] = {0};
  hc_task_shape shape;
  a->s->shape(v, t, &shape);
  for (uint32_t d = 0; d < a->s->dimensions(v); d++) need[a->s->dimension_id(v, d)] = a->s->demand(v, t, d);
  add_amounts(a, &out, need, shape.slots);
  if (nodes > 0) {
    const int64_t *rest = a->clients[t].rest;
    int64_t more[HC_DIMENSIONS] = {[HC_DIM_CPU] = rest[0], [HC_DIM_GPU] = rest[1]};
    add_amounts(a, &out, more, 1);
  }
  out.of[HC_SLURM_NODE] = nodes > 0                                   ? nodes
                          : shape.is_spread && shape.least_hosts == 0 ? shape.slots
                                                                      : HC_MAX((int64_t)shape.least_hosts, 1);
  out.of[HC_SLURM_BILLING] = (int64_t)hc_slurm_billing(&a->assocs.tres, NULL, &out, false);
  return out;
}

static hc_slurm_asked asked_of(const hc_slurm_accounting *a, const hc_view *v, hc_task t, int64_t nodes)
{
  const hc_slurm_client *x = &a->clients[t];
  return (hc_slurm_asked){.assoc = x->assoc,
                          .qos = x->qos,
                          .part_qos = HC_SLURM_NONE,
                          .limit = a->s->estimate(v, t),
                          .part_limit = HC_NEVER,
                          .amounts = amounts_of(a, v, t, nodes)};
}

/* Nodes as ranges; each comes once, ascending. */
static void name_nodes(const hc_slurm_accounting *a, hc_slurm_asked *asked, const hc_host_room *dealt,
                       const hc_holding *held, size_t count)
{
  size_t n = 0;
  uint32_t last = UINT32_MAX;
  for (size_t i = 0; i < count; i++) {
    const uint32_t host = dealt ? dealt[i].host : held[i].host;
    if (host == last) continue;
    if (n > 0 && last + 1 == host) a->ranges[n - 1].count++;
    else a->ranges[n++] = (hc_range){host, 1};
    last = host;
  }
  asked->nodes = a->ranges;
  asked->node_ranges = n;
}

static size_t count_nodes(const hc_holding *held, size_t count)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) n += i == 0 || held[i].host != held[i - 1].host;
  return n;
}

hc_rc hc_slurm_accounting_join(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part)
{
  const hc_services *s = a->s;
  const char *qos = called(a, HC_CALLED_QUEUE, s->queue(v, t));
  HC_UNUSED(part);
  TRY(reserve(a, t));
  hc_slurm_client *x = &a->clients[t];
  x->assoc = hc_slurm_assocs_find(&a->assocs, called(a, HC_CALLED_GROUP, s->group(v, t)),
                                  called(a, HC_CALLED_USER, s->user(v, t)), NULL);
  x->qos = qos ? hc_slurm_assocs_qos(&a->assocs, qos) : HC_SLURM_NONE;
  if (x->qos == HC_SLURM_NONE) x->qos = hc_slurm_assocs_default_qos(&a->assocs, x->assoc);
  x->state = HC_SLURM_IS_QUEUED;
  x->rest[0] = x->rest[1] = 0;
  const hc_slurm_asked asked = asked_of(a, v, t, 0);
  return hc_slurm_limits_submitted(&a->limits, &asked, 1);
}

void hc_slurm_accounting_leave(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part)
{
  HC_UNUSED(part);
  if (t >= a->client_cap || a->clients[t].state != HC_SLURM_IS_QUEUED) return;
  const hc_slurm_asked asked = asked_of(a, v, t, 0);
  hc_slurm_limits_withdrawn(&a->limits, &asked, 1);
  a->clients[t].state = HC_SLURM_IS_GONE;
}

void hc_slurm_accounting_whole(hc_slurm_accounting *a, hc_task t, const int64_t rest[2])
{
  if (t >= a->client_cap) return;
  a->clients[t].rest[0] = rest[0];
  a->clients[t].rest[1] = rest[1];
}

static hc_rc start_usage(hc_slurm_accounting *a, const hc_view *v, hc_task t, const hc_slurm_asked *asked,
                         hc_time limit)
{
  const hc_slurm_running r = {.assoc = asked->assoc,
                              .qos = asked->qos,
                              .part_qos = HC_SLURM_NONE,
                              .start = a->s->now(v),
                              .limit = limit,
                              .billing = (double)asked->amounts.of[HC_SLURM_BILLING],
                              .amounts = asked->amounts};
  return hc_slurm_usage_start(&a->usage, &r, &a->clients[t].handle);
}

hc_rc hc_slurm_accounting_begin(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                                const hc_holding *held, size_t count, hc_time limit)
{
  HC_UNUSED(part);
  if (t >= a->client_cap) return 0;
  hc_slurm_asked asked = asked_of(a, v, t, (int64_t)count_nodes(held, count));
  name_nodes(a, &asked, NULL, held, count);
  TRY(hc_slurm_limits_started(&a->limits, &asked));
  TRY(start_usage(a, v, t, &asked, limit));
  a->clients[t].state = HC_SLURM_IS_RUNNING;
  return 0;
}

void hc_slurm_accounting_end(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                             const hc_holding *held, size_t count)
{
  HC_UNUSED(part);
  if (t >= a->client_cap || a->clients[t].state != HC_SLURM_IS_RUNNING) return;
  hc_slurm_asked asked = asked_of(a, v, t, (int64_t)count_nodes(held, count));
  name_nodes(a, &asked, NULL, held, count);
  hc_slurm_limits_ended(&a->limits, &asked);
  hc_slurm_limits_withdrawn(&a->limits, &asked, 1);
  hc_slurm_usage_end(&a->usage, a->clients[t].handle, a->s->now(v));
  a->clients[t].state = HC_SLURM_IS_GONE;
}

static bool runs(const hc_slurm_accounting *a, hc_task t)
{
  return t < a->client_cap && a->clients[t].state == HC_SLURM_IS_RUNNING;
}

void hc_slurm_accounting_pause(hc_slurm_accounting *a, const hc_view *v, hc_task t)
{
  if (runs(a, t)) hc_slurm_usage_end(&a->usage, a->clients[t].handle, a->s->now(v));
}

hc_rc hc_slurm_accounting_resume(hc_slurm_accounting *a, const hc_view *v, hc_task t, size_t nodes,
                                 hc_time limit)
{
  if (!runs(a, t)) return 0;
  const hc_slurm_asked asked = asked_of(a, v, t, (int64_t)nodes);
  return start_usage(a, v, t, &asked, limit);
}

void hc_slurm_accounting_lose(hc_slurm_accounting *a, const hc_view *v, hc_task t, size_t nodes)
{
  if (!runs(a, t)) return;
  const hc_slurm_asked asked = asked_of(a, v, t, (int64_t)nodes);
  hc_slurm_limits_ended(&a->limits, &asked);
  hc_slurm_limits_withdrawn(&a->limits, &asked, 1);
  a->clients[t].state = HC_SLURM_IS_GONE;
}

uint32_t hc_slurm_accounting_qos(const hc_slurm_accounting *a, hc_task t)
{
  return t < a->client_cap ? a->clients[t].qos : HC_SLURM_NONE;
}

/* ---- priorities ---- */

int64_t hc_slurm_accounting_priority(const hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                                     hc_time now)
{
  const hc_slurm_client *x = &a->clients[t];
  const hc_slurm_amounts amounts = amounts_of(a, v, t, 0);
  const bool always = (a->priority.flags & HC_SLURM_ACCRUE_ALWAYS) != 0;
  const hc_slurm_ranked job = {.accrue = always ? a->s->submitted(v, t) : a->s->not_before(v, t),
                               .min_nodes = (uint32_t)amounts.of[HC_SLURM_NODE],
                               .cpus = amounts.of[HC_SLURM_CPU],
                               .limit = a->s->estimate(v, t),
                               .assoc = x->assoc,
                               .qos = x->qos,
                               .fair_share = hc_slurm_usage_factor(&a->usage, x->assoc),
                               .part_factor = a->parts[part].factor,
                               .amounts = &amounts,
                               .part_amounts = &a->parts[part].amounts};
  hc_slurm_factors out;
  hc_slurm_priority_of(&a->priority, &a->scale, &job, now, &out);
  return out.priority;
}

bool hc_slurm_accounting_go_on(hc_slurm_accounting *a, hc_time now)
{
  bool came = false;
  if (!hc_slurm_accounting_ranks(a)) return false;
  for (; a->period <= now; a->period += HC_MAX(a->priority.period, HC_SECOND), came = true)
    hc_slurm_usage_period(&a->usage, a->period);
  return came;
}

/* ---- limits ---- */

/* Usage decays period by period, and there are none without multifactor. */
static const char *reason_of(hc_slurm_accounting *a, const hc_slurm_verdict *why)
{
  a->relents |= !why->is_for_ever && hc_slurm_accounting_ranks(a);
  return why->reason;
}

const char *hc_slurm_accounting_before(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part)
{
  hc_slurm_verdict why = {0};
  HC_UNUSED(part);
  if (a->limits.enforce == 0) return NULL;
  const hc_slurm_asked asked = asked_of(a, v, t, 0);
  return hc_slurm_limits_before(&a->limits, &asked, &why) ? NULL : reason_of(a, &why);
}

const char *hc_slurm_accounting_after(hc_slurm_accounting *a, const hc_view *v, hc_task t, uint32_t part,
                                      const hc_host_room *dealt, size_t count)
{
  hc_slurm_verdict why = {0};
  HC_UNUSED(part);
  if (a->limits.enforce == 0) return NULL;
  hc_slurm_asked asked = asked_of(a, v, t, (int64_t)count);
  name_nodes(a, &asked, dealt, NULL, count);
  return hc_slurm_limits_after(&a->limits, &asked, &why) ? NULL : reason_of(a, &why);
}

hc_rc hc_slurm_accounting_count(hc_slurm_accounting *a, const hc_view *v, hc_task t,
                                const hc_host_room *dealt, size_t count)
{
  hc_slurm_asked asked = asked_of(a, v, t, (int64_t)count);
  name_nodes(a, &asked, dealt, NULL, count);
  return a->limits.enforce == 0 ? 0 : hc_slurm_limits_started(&a->limits, &asked);
}

void hc_slurm_accounting_discount(hc_slurm_accounting *a, const hc_view *v, hc_task t,
                                  const hc_host_room *dealt, size_t count)
{
  hc_slurm_asked asked = asked_of(a, v, t, (int64_t)count);
  name_nodes(a, &asked, dealt, NULL, count);
  if (a->limits.enforce != 0) hc_slurm_limits_ended(&a->limits, &asked);
}
