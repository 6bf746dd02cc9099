/* demand.c -- what a task asks of a cell of hosts.
 *
 * A task asks for `slots` times a vector. What its trace leaves open is settled here, once, when it is
 * admitted: a task of a batch log asks for as many cores as it has processors, with the memory that it says
 * each needs; one that names hosts and neither cores nor memory nor GPUs takes them whole; one that says
 * nothing takes one host. In the run a task's `units` are what it takes of the cell's first dimension, so
 * that loads and shares are those of that dimension (nearly always thousandths of cores). */
#include <string.h>

#include "base/util.h"
#include "engine/cores.h"
#include "engine/demand.h"
#include "engine/resizes.h"
#include "engine/state.h"
#include "engine/tasks.h"

const hc_task_cold hc_task_cold_none = {.limit = HC_UNKNOWN,
                                        .group = -1,
                                        .executable = -1,
                                        .queue = -1,
                                        .partition = -1,
                                        .cancel_at = HC_NEVER,
                                        .eligible = HC_UNKNOWN,
                                        .job = -1,
                                        .used_cpu = HC_UNKNOWN,
                                        .used_memory = HC_UNKNOWN};

hc_request hc_request_of(const hc_engine *e, hc_task id)
{
  const hc_tasks *ts = &e->tasks;
  const hc_live *t = &ts->live[id];
  return (hc_request){.need = ts->need ? ts->need + (size_t)id * ts->dimensions : NULL,
                      .units = t->units,
                      .slots = t->slots,
                      .more = ts->cold ? ts->cold[id].more : 0,
                      .whole = (t->bits & HC_LIVE_WHOLE) != 0,
                      .spread = (t->bits & HC_LIVE_SPREAD) != 0,
                      .serial = t->serial,
                      .draws = t->draws,
                      .estimate = e->gate.look ? hc_estimate_of(e, id) : HC_NEVER};
}

/* ---- admission ---- */

static bool says(const hc_task_spec *t, hc_dimension_id d)
{
  return t->need[d] > 0;
}

/* Settle what the trace leaves open. */
static bool complete(hc_arrival *a)
{
  hc_task_spec *t = &a->spec;
  const bool packed = says(t, HC_DIM_CPU) || says(t, HC_DIM_MEMORY) || says(t, HC_DIM_GPU);
  int64_t slots = t->hosts;
  a->spread = (t->flags & HC_SPEC_SPREAD) != 0;
  if (slots <= 0 && !packed) {
    slots = t->procs_asked > 0 ? t->procs_asked : t->procs_used;
    if (slots > 0) { /* a batch log: processors are cores, wherever they are */
      t->need[HC_DIM_CPU] = 1000;
      if (t->memory_asked > 0) t->need[HC_DIM_MEMORY] = t->memory_asked;
    }
  }
  a->whole = !packed && t->need[HC_DIM_CPU] <= 0;
  if (slots <= 0) slots = 1;
  if (slots > UINT32_MAX) return false;
  a->slots = (uint32_t)slots;
  return true;
}

/* Of the dimensions that its rare facts tell. */
static __attribute__((noinline)) void further_need(const hc_engine *e, const hc_task_spec *t, int64_t *need)
{
  const hc_gauge *g = &e->gauge;
  const hc_task_extras *m = t->more != 0 ? hc_lexicon_more(e->lexicon, t->more) : NULL;
  size_t i = 0;
  for (uint32_t d = g->in_spec; d < g->dimensions; d++) {
    while (m && i < m->further_count && m->further[i].dimension < g->which[d]) i++;
    need[d] = m && i < m->further_count && m->further[i].dimension == g->which[d]
                  ? HC_MAX(m->further[i].amount, 0)
                  : 0;
  }
}

/* The cell's own dimensions of a spec's demand. A dimension that no host has is not counted, unless it is a
 * device. */
static inline void own_need(const hc_engine *e, const hc_task_spec *t, int64_t *need)
{
  const hc_gauge *g = &e->gauge;
  if (g->in_spec > 0) need[0] = HC_MAX(t->need[g->which[0]], 0);
  if (g->in_spec > 1) need[1] = HC_MAX(t->need[g->which[1]], 0);
  for (uint32_t d = 2; d < g->in_spec; d++) need[d] = HC_MAX(t->need[g->which[d]], 0);
  if (g->in_spec < g->dimensions) further_need(e, t, need);
}

/* What it takes of the first dimension in all, its chunks included. */
static int64_t first_amount(const hc_engine *e, const hc_arrival *a, const int64_t *need)
{
  const hc_task_extras *more = a->spec.more != 0 ? hc_lexicon_more(e->lexicon, a->spec.more) : NULL;
  const uint8_t first = e->gauge.which[0];
  const bool shared = e->gauge.has_shared && hc_hosts_is_shared(e->cell.hosts, 0);
  int64_t each = need[0], sum, part;
  if (a->whole) each = e->gauge.least;
  if (__builtin_mul_overflow(each, shared ? 1 : (int64_t)a->slots, &sum)) return INT64_MAX;
  for (size_t i = 0; more && i < more->chunk_count; i++) {
    const hc_chunk *c = &more->chunks[i];
    if (__builtin_mul_overflow(a->whole ? each : HC_MAX(c->need[first], 0), shared ? 1 : (int64_t)c->hosts,
                               &part) ||
        __builtin_add_overflow(sum, part, &sum))
      return INT64_MAX;
  }
  return sum;
}

/* Most tasks have one plain slot that fits an empty host of the largest class: one comparison. */
static inline bool surely_fits(const hc_gauge *g, const int64_t *need)
{
  bool fits =
      g->largest_is_one && need[0] <= g->largest[0] && (g->dimensions < 2 || need[1] <= g->largest[1]);
  for (uint32_t d = 2; d < g->dimensions; d++) fits &= need[d] <= g->largest[d];
  return fits;
}

/* GPUs that no host has are asked for in vain, though the cell does not count them. */
static bool asks_for_nothing_known(const hc_engine *e, const hc_task_spec *t)
{
  return says(t, HC_DIM_GPU) && !e->gauge.has_gpus;
}

/* One slot of what every host has, asked for by name: as nearly every task of a data centre's trace. */
static inline bool is_plain(const hc_task_spec *t)
{
  return (says(t, HC_DIM_CPU) || says(t, HC_DIM_MEMORY)) && !says(t, HC_DIM_GPU) && t->hosts <= 1 &&
         t->more == 0;
}

bool hc_demand_surely(void *ctx, const hc_task_spec *t)
{
  const hc_engine *e = ctx;
  int64_t need[HC_DIMENSIONS];
  if (!is_plain(t)) return false;
  own_need(e, t, need);
  return surely_fits(&e->gauge, need);
}

/* A closer look. */
static __attribute__((noinline)) hc_rc judge_closely(hc_engine *e, hc_arrival *a, hc_reason *why)
{
  int64_t need[HC_DIMENSIONS];
  hc_request r;
  *why = HC_REASON_TOO_LARGE;
  if (!complete(a) || asks_for_nothing_known(e, &a->spec)) return 0;
  own_need(e, &a->spec, need);
  a->units = first_amount(e, a, need);
  if (a->units > UINT32_MAX) return 0;
  if (a->slots == 1 && !a->whole && a->spec.more == 0 && surely_fits(&e->gauge, need)) return 1;
  r = (hc_request){
      .need = need, .slots = a->slots, .more = a->spec.more, .whole = a->whole, .spread = a->spread};
  switch (hc_hosts_never(e->cell.hosts, &r)) {
    case HC_NEVER_FALSE: return 1;
    case HC_NEVER_TOO_LARGE: return 0;
    case HC_NEVER_CONSTRAINT:
    case HC_NEVER_NO_HOST: break;
  }
  *why = HC_REASON_NO_HOST;
  return 0;
}

hc_rc hc_demand_judge(void *ctx, hc_arrival *a, hc_reason *why)
{
  hc_engine *e = ctx;
  int64_t need[HC_DIMENSIONS];
  if (!is_plain(&a->spec)) return judge_closely(e, a, why);
  own_need(e, &a->spec, need);
  if (!surely_fits(&e->gauge, need) || need[0] > UINT32_MAX) return judge_closely(e, a, why);
  a->units = need[0];
  a->slots = 1;
  a->spread = (a->spec.flags & HC_SPEC_SPREAD) != 0;
  return 1;
}

/* One without a limit has none that is too long where the policy gives each start a limit of its own. */
bool hc_demand_allows(void *ctx, const hc_arrival *a, hc_time limit)
{
  const hc_engine *e = ctx;
  if (limit == HC_NEVER && e->cuts) limit = 0;
  const hc_task_extras *more = hc_lexicon_more(e->lexicon, a->spec.more);
  int64_t slots = a->slots;
  for (size_t i = 0; more && i < more->chunk_count; i++) slots += more->chunks[i].hosts;
  if (!more || hc_hosts_set_allows(e->cell.hosts, more->set, slots, limit)) return true;
  for (size_t i = 0; i < more->set_count; i++)
    if (hc_hosts_set_allows(e->cell.hosts, more->sets[i], slots, limit)) return true;
  return false;
}

void hc_demand_keep(hc_engine *e, hc_task id, const hc_arrival *a)
{
  if (e->tasks.need) own_need(e, &a->spec, e->tasks.need + (size_t)id * e->tasks.dimensions);
}

void hc_demand_settle(hc_engine *e, hc_task id)
{
  const uint32_t handle = hc_cold_of(e, id)->more;
  const hc_task_extras *m = handle ? hc_lexicon_more(e->lexicon, handle) : NULL;
  hc_task_extras rest;
  if (!m || m->further_count == 0) return;
  rest = *m;
  rest.further = NULL;
  rest.further_count = 0;
  const hc_task_extras none = hc_task_extras_none();
  if (memcmp(&rest, &none, sizeof rest) != 0) return;
  e->tasks.cold[id].more = 0;
  hc_lexicon_drop(e->lexicon, handle);
}

/* ---- hosts as a whole ---- */

void hc_demand_started(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_live *t = hc_live_of(e, id);
  int64_t sum = 0;
  if (!(t->bits & HC_LIVE_WHOLE) || hc_hosts_is_shared(e->cell.hosts, 0)) return;
  for (size_t i = 0; i < count; i++) sum += hc_hosts_taken_of(e->cell.hosts, grants[i].host)[0];
  t->units = (uint32_t)HC_MIN(sum, UINT32_MAX);
}

void hc_demand_waits(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  const hc_task_extras *more;
  int64_t hosts = t->slots;
  if (e->book) hc_cores_reset(e, id);
  if (!(t->bits & HC_LIVE_WHOLE) || hc_hosts_is_shared(e->cell.hosts, 0)) return;
  more = hc_lexicon_more(e->lexicon, hc_cold_of(e, id)->more);
  for (size_t i = 0; more && i < more->chunk_count; i++) hosts += more->chunks[i].hosts;
  t->units = (uint32_t)HC_MIN(hosts * e->gauge.least, UINT32_MAX);
}

/* ---- the largest host ---- */

/* If one class has the most of everything, what fits it fits the cell. Of the first dimension the least is
 * kept too. */
void hc_demand_measure(hc_engine *e)
{
  const hc_cell_spec *spec = &e->cell_spec;
  const uint8_t *which = hc_hosts_which(e->cell.hosts);
  const uint32_t n = hc_hosts_dimensions(e->cell.hosts);
  hc_gauge *g = &e->gauge;
  *g = (hc_gauge){.dimensions = n, .width = HC_MAX(which[n - 1] + 1u, HC_NEEDS), .least = INT64_MAX};
  memcpy(g->which, which, n * sizeof *which);
  while (g->in_spec < n && which[g->in_spec] < HC_NEEDS) g->in_spec++;
  g->many_devices = hc_hosts_device_room(e->cell.hosts) > HC_HELD_DEVICES;
  for (uint32_t c = 0; c < spec->class_count; c++)
    for (uint32_t d = 0; d < n; d++)
      g->largest[d] = HC_MAX(g->largest[d], spec->classes[c].capacity[which[d]]);
  for (uint32_t c = 0; c < spec->class_count; c++)
    g->least = HC_MIN(g->least, spec->classes[c].capacity[which[0]]);
  for (uint32_t c = 0; c < spec->class_count && !g->largest_is_one; c++) {
    g->largest_is_one = true;
    for (uint32_t d = 0; d < n; d++)
      g->largest_is_one &= spec->classes[c].capacity[which[d]] == g->largest[d];
  }
  for (uint32_t d = 0; d < n; d++) {
    g->has_gpus |= which[d] == HC_DIM_GPU;
    g->has_shared |= hc_hosts_is_shared(e->cell.hosts, d);
    /* Parts of devices and amounts of the whole cell want a closer look. */
    if (which[d] == HC_DIM_GPU || hc_hosts_is_shared(e->cell.hosts, d)) g->largest_is_one = false;
  }
}

/* ---- amounts ---- */

void hc_demand_by_lexicon(const hc_engine *e, const int64_t *own, bool shared, int64_t times, int64_t *out)
{
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if ((e->gauge.has_shared && hc_hosts_is_shared(e->cell.hosts, d)) == shared)
      out[e->gauge.which[d]] = own[d] * times;
}

void hc_demand_shared(const hc_engine *e, hc_task id, int64_t *out)
{
  const hc_request r = hc_request_of(e, id);
  int64_t own[HC_DIMENSIONS];
  if (!e->gauge.has_shared ||
      !hc_hosts_shared_need(e->cell.hosts, &r, hc_lexicon_more(e->lexicon, r.more), own))
    return;
  hc_demand_by_lexicon(e, own, true, 1, out);
}

void hc_demand_of_grant(const hc_engine *e, hc_task id, const hc_grant *g, int64_t *out)
{
  const hc_request r = hc_request_of(e, id);
  const hc_task_extras *more = hc_lexicon_more(e->lexicon, r.more);
  hc_amounts_clear(e, out);
  if (r.whole) hc_demand_by_lexicon(e, hc_hosts_taken_of(e->cell.hosts, g->host), false, 1, out);
  else if (g->chunk == 0 || !more || g->chunk > more->chunk_count)
    hc_demand_by_lexicon(e, r.need, false, g->slots, out);
  else {
    int64_t need[HC_DIMENSIONS];
    const uint8_t *which = hc_hosts_which(e->cell.hosts);
    for (uint32_t d = 0; d < e->tasks.dimensions; d++)
      need[d] = HC_MAX(more->chunks[g->chunk - 1].need[which[d]], 0);
    hc_demand_by_lexicon(e, need, false, 1, out);
  }
}
