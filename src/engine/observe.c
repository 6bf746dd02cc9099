/* observe.c -- what happened, told to metrics and store, in blocks and in order.
 *
 * Records are built once and handed over 256 at a time. An interval is the state that held from one
 * instant's end to the next change; if no metric hears intervals none is built. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blame.h"
#include "base/math.h"
#include "base/numbers.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/watts.h"
#include "engine/advance.h"
#include "engine/cores.h"
#include "engine/curves.h"
#include "engine/deferred.h"
#include "engine/demand.h"
#include "engine/load.h"
#include "engine/measures.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/predict.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/resizes.h"
#include "engine/rows.h"
#include "engine/stopping.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "engine/workflow_told.h"
#include "metric/findings.h"
#include "setup/inputs.h"

/* ---- birth and death ---- */

/* Units of hosts are of their first dimension, and thousandths if that is cores. */
static int64_t core_units(const hc_engine *e)
{
  if (!e->cell.hosts) return 1;
  return hc_hosts_which(e->cell.hosts)[0] == HC_DIM_CPU ? 1000 : 0;
}

const char *hc_observe_zone(const hc_engine *e)
{
  return e->options->zone ? e->options->zone : hc_stream_info(e->stream)->zone;
}

static double watts_of(const void *ctx, uint32_t host, uint32_t code, const double *loads)
{
  return hc_watts_of(ctx, host, code, loads);
}

static double pstate_speed(const void *ctx, uint32_t host, uint32_t pstate)
{
  const hc_part_watts *x = hc_watts_cores(ctx, host);
  return pstate < x->state_count ? x->speeds[pstate] : 0;
}

hc_rc hc_observe_watts(hc_engine *e, hc_error *error)
{
  const uint32_t classes = HC_MAX(e->cell_spec.class_count, 1);
  if (e->options->power.count == 0) return 0;
  e->watts = hc_arena_alloc(&e->build, sizeof *e->watts);
  hc_class_watts *room = hc_arena_alloc(&e->build, classes * sizeof *room);
  if (!e->watts || !room) return HC_ENOMEM;
  TRY(hc_watts_init(e->watts, &e->options->power, &e->cell_spec, e->lexicon, room, error));
  TRY(hc_watts_states(e->watts, e->lexicon, &e->build, error));
  e->policy_context.watts = watts_of;
  e->policy_context.pstate_speed = pstate_speed;
  e->policy_context.watts_ctx = e->watts;
  return 0;
}

hc_metric_context hc_observe_context(const hc_engine *e)
{
  double links = 0, switches = 0;
  const bool draws = e->model && e->model_type->network_draws &&
                     e->model_type->network_draws(e->model, &links, &switches);
  return (hc_metric_context){.allocator = e->allocator,
                             .numbers = &hc_numbers_of_library,
                             .capacity = e->cell.capacity,
                             .unix_start = e->unix_zero,
                             .zone_offset = e->zone_offset,
                             .cell = &e->cell_spec,
                             .lexicon = e->lexicon,
                             .load = e->loads ? hc_load_ask : NULL,
                             .load_ctx = (void *)(uintptr_t)e,
                             .reserved = hc_advance_reserved(e),
                             .reserved_count = hc_advance_plan(e) ? hc_advance_plan(e)->count : 0,
                             .zone = hc_observe_zone(e),
                             .core_units = core_units(e),
                             .beside = hc_namer_beside,
                             .beside_ctx = (void *)(uintptr_t)&e->names,
                             .watts = e->watts ? watts_of : NULL,
                             .watts_ctx = e->watts,
                             .computes = hc_observe_knows_computes(e),
                             .network_draws = draws,
                             .link_watts = links,
                             .switch_watts = switches};
}

/* What it adds up from claims it is not told again as changes. */
static bool hears_changes(const hc_metric_type *t)
{
  return t->changes && !t->claims;
}

static uint32_t kinds_of(const hc_metric_type *t)
{
  if (!hears_changes(t)) return 0;
  return t->change_kinds != 0 ? t->change_kinds : ~(UINT32_C(1) << HC_CHANGE_COMPUTES);
}

hc_rc hc_observe_init(hc_engine *e, hc_error *error)
{
  hc_observers *o = &e->observers;
  const hc_chosen *chosen = e->options->metrics.items;
  hc_metric_context context = hc_observe_context(e);
  size_t n = e->options->metrics.count;
  TRY(hc_trimmed_check(e, error));
  o->records = hc_arena_room(&e->build, HC_BLOCK * sizeof *o->records);
  o->intervals = hc_arena_room(&e->build, HC_BLOCK * sizeof *o->intervals);
  o->types = hc_arena_alloc(&e->build, n * sizeof(void *));
  o->metrics = hc_arena_alloc(&e->build, n * sizeof(void *));
  o->claimers = hc_arena_alloc(&e->build, n * sizeof *o->claimers);
  if (!o->records || !o->intervals || !o->types || !o->metrics || !o->claimers) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    o->types[i] = (const hc_metric_type *)chosen[i].type;
    TRY(hc_blame(&o->types[i]->component,
                 o->types[i]->init(&context, chosen[i].options, &o->metrics[i], error), error));
    o->count++;
    o->wants_intervals |= o->types[i]->intervals != NULL;
    if (o->types[i]->claims)
      o->claimers[o->claimer_count++] = (hc_claimer){o->types[i]->claims, o->metrics[i]};
    o->wants_changes |= o->types[i]->changes || o->types[i]->claims;
    o->wants_stops |= o->types[i]->stops != NULL;
    o->wants_rates |= o->types[i]->rates != NULL;
    o->wants_standing |= o->types[i]->stands != NULL;
    o->wants_attempts |= o->types[i]->attempts != NULL;
    o->change_kinds |= kinds_of(o->types[i]);
  }
  if (e->store && o->wants_intervals) TRY(hc_curves_new(e->allocator, &o->curves));
  TRY(hc_measures_open(e, error));
  TRY(hc_workflow_told_open(e));
  if (o->change_kinds != 0) o->changes = hc_arena_room(&e->build, HC_BLOCK * sizeof *o->changes);
  return o->change_kinds != 0 && !o->changes ? HC_ENOMEM : 0;
}

void hc_observe_fini(hc_engine *e)
{
  for (size_t i = 0; i < e->observers.count; i++)
    if (e->observers.types[i]->fini) e->observers.types[i]->fini(e->observers.metrics[i]);
  hc_curves_free(e->allocator, e->observers.curves);
  hc_free(e->allocator, e->observers.standings, e->observers.standing_cap * sizeof *e->observers.standings);
}

/* ---- handing over ---- */

/* Two runs of one workload keep the same tasks. */
bool hc_observe_samples(const hc_engine *e, int64_t serial)
{
  hc_draws s = {(uint64_t)e->options->seed, (uint64_t)e->options->replication, (uint64_t)serial,
                HC_PURPOSE_SAMPLE, 0};
  return hc_random_below(&s, (uint64_t)e->options->sample) == 0;
}

static hc_rc flush_records(hc_engine *e, hc_error *error)
{
  hc_observers *o = &e->observers;
  if (o->record_count == 0) return 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->tasks) TRY(o->types[i]->tasks(o->metrics[i], o->records, o->record_count));
  if (e->store && e->options->task_rows == HC_ROWS_ALL)
    TRY(hc_store_tasks(e->store, o->records, o->record_count, error));
  if (e->store && e->options->task_rows == HC_ROWS_SAMPLE) {
    hc_task_record kept[HC_BLOCK];
    size_t n = 0;
    for (size_t i = 0; i < o->record_count; i++)
      if (hc_observe_samples(e, o->records[i].serial)) kept[n++] = o->records[i];
    TRY(hc_store_tasks(e->store, kept, n, error));
  }
  hc_namer_told(&e->names, o->records, o->record_count);
  o->record_count = 0;
  return 0;
}

static hc_rc flush_intervals(hc_engine *e)
{
  hc_observers *o = &e->observers;
  if (o->interval_count == 0) return 0;
  if (o->curves) hc_curves_hear(o->curves, o->intervals, o->interval_count);
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->intervals) TRY(o->types[i]->intervals(o->metrics[i], o->intervals, o->interval_count));
  o->interval_count = 0;
  return 0;
}

/* What changes that were told have held of the lexicon. */
static void let_uses_go(hc_engine *e)
{
  hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->change_count; i++) hc_lexicon_drop(e->lexicon, o->changes[i].use);
  o->change_uses = 0;
}

static hc_rc flush_changes(hc_engine *e)
{
  hc_observers *o = &e->observers;
  if (o->change_count == 0) return 0;
  for (size_t i = 0; i < o->count; i++)
    if (hears_changes(o->types[i])) TRY(o->types[i]->changes(o->metrics[i], o->changes, o->change_count));
  if (o->change_uses > 0) let_uses_go(e);
  o->change_count = 0;
  return 0;
}

hc_rc hc_observe_flush(hc_engine *e, hc_error *error)
{
  TRY(flush_records(e, error));
  TRY(flush_changes(e));
  return flush_intervals(e);
}

/* ---- building ---- */

hc_rc hc_observe_final(hc_engine *e, hc_task id, hc_final final, hc_time end, hc_error *error)
{
  hc_observers *o = &e->observers;
  const hc_live *t = hc_live_of(e, id);
  const hc_task_identity *p = &e->tasks.identities[id];
  const hc_task_cold *r = hc_cold_of(e, id);
  hc_time estimate = hc_running_estimate_of(e, id), run = t->run;
  e->counters.finals[final]++;
  if (e->tasks.works.of) { /* some task was stopped: what it did before counts */
    estimate = hc_work_in_all(e, id, estimate);
    run = hc_work_in_all(e, id, run);
  }
  o->records[o->record_count++] =
      (hc_task_record){.serial = (int64_t)t->serial,
                       .id = p->id,
                       .submit = t->submit,
                       .start = t->start,
                       .end = end,
                       .units = t->flags & HC_TASK_RESIZED ? hc_work_units(e, id) : t->units,
                       .limit = r->limit,
                       .estimate = e->forecasts ? hc_predicted(e, id) : estimate,
                       .run = run,
                       .user = p->user,
                       .group = r->group,
                       .executable = r->executable,
                       .queue = r->queue,
                       .partition = r->partition,
                       .final = final,
                       .flags = t->flags};
  return o->record_count == HC_BLOCK ? flush_records(e, error) : 0;
}

/* ---- changes ---- */

/* A change is written where it will be read, and then told. */
static hc_change *next_change(hc_engine *e)
{
  return &e->observers.changes[e->observers.change_count];
}

static hc_rc tell_change(hc_engine *e)
{
  return ++e->observers.change_count == HC_BLOCK ? flush_changes(e) : 0;
}

/* What a task asks for in each slot, or what `need` says, by the lexicon's number; `part` of the cell: its
 * hosts' or its own. */
static void amounts(const hc_engine *e, const int64_t *need, bool shared, int64_t times, int64_t *out)
{
  const uint8_t *which = hc_hosts_which(e->cell.hosts);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if (hc_hosts_is_shared(e->cell.hosts, d) == shared) out[which[d]] = need[d] * times;
}

static void begin_change(const hc_engine *e, hc_task id, hc_change_kind kind, hc_change *c)
{
  const hc_live *t = &e->tasks.live[id];
  const hc_task_cold *r = hc_cold_of(e, id);
  c->at = e->now;
  c->serial = t->serial;
  c->user = e->tasks.identities[id].user;
  c->kind = kind;
  c->host = HC_NO_HOST;
  c->slots = 1;
  c->whole = (t->bits & HC_LIVE_WHOLE) != 0;
  hc_amounts_clear(e, c->amount);
  c->used_cpu = r->used_cpu;
  c->used_memory = r->used_memory;
  c->devices = (hc_devices){0};
  c->use = c->use_slots = 0;
  c->resized = e->is_resizing;
  c->job = r->job;
}

/* What a task asks for in slots of another need than its own. */
static hc_rc observe_chunks(hc_engine *e, hc_task id, hc_change_kind kind)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  const hc_task_extras *m = more ? hc_lexicon_more(e->lexicon, more) : NULL;
  const uint8_t *which = hc_hosts_which(e->cell.hosts);
  if (!(e->observers.change_kinds & UINT32_C(1) << kind)) return 0;
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    hc_change *c = next_change(e);
    begin_change(e, id, kind, c);
    c->slots = m->chunks[i].hosts;
    for (uint32_t d = 0; d < e->tasks.dimensions; d++)
      if (!hc_hosts_is_shared(e->cell.hosts, d)) c->amount[which[d]] = HC_MAX(m->chunks[i].need[which[d]], 0);
    TRY(tell_change(e));
  }
  return 0;
}

hc_rc hc_observe_queue(hc_engine *e, hc_task id, hc_change_kind kind)
{
  const hc_live *t = &e->tasks.live[id];
  hc_change *c;
  if (!(e->observers.change_kinds & UINT32_C(1) << kind)) return 0;
  c = next_change(e);
  begin_change(e, id, kind, c);
  c->slots = e->cell.hosts ? t->slots : t->units;
  if (!e->cell.hosts) c->amount[HC_DIM_CPU] = 1000;
  else {
    const hc_request r = hc_request_of(e, id);
    amounts(e, r.need, false, 1, c->amount);
    hc_demand_shared(e, id, c->amount);
    if (e->book) hc_cores_queued(e, id, c->amount);
  }
  TRY(tell_change(e));
  if (!e->cell.hosts) return 0;
  return observe_chunks(e, id, kind == HC_CHANGE_QUEUED ? HC_CHANGE_QUEUED_MORE : HC_CHANGE_UNQUEUED_MORE);
}

static bool has_any(const hc_engine *e, const int64_t *amount)
{
  for (uint32_t d = 0; d < e->gauge.width; d++)
    if (amount[d] != 0) return true;
  return false;
}

static int64_t times(int64_t each, uint32_t slots)
{
  int64_t all;
  return each < 0 || __builtin_mul_overflow(each, (int64_t)slots, &all) ? HC_UNKNOWN : all;
}

static void begin_claim(const hc_engine *e, hc_task id, hc_change_kind kind, const hc_grant *g, hc_change *c)
{
  const hc_task_cold *r = hc_cold_of(e, id);
  begin_change(e, id, kind, c);
  hc_demand_of_grant(e, id, g, c->amount);
  c->used_cpu = times(r->used_cpu, g->slots);
  c->used_memory = times(r->used_memory, g->slots);
}

/* A task may end before its last change is told: the change holds its use until then. */
static void note_use(hc_engine *e, uint32_t more, uint32_t slots, hc_change *c)
{
  const hc_task_extras *m = more && e->lexicon ? hc_lexicon_more(e->lexicon, more) : NULL;
  c->use = 0;
  if (!m || m->use_count == 0) return;
  c->use = more;
  c->use_slots = slots;
  hc_lexicon_hold(e->lexicon, more);
  e->observers.change_uses++;
}

/* All but where. Member by member: a whole that is read right after a part of it was written makes the
 * processor wait. */
static void repeat_claim(const hc_engine *e, const hc_change *before, hc_change *c)
{
  c->at = before->at;
  c->serial = before->serial;
  c->user = before->user;
  c->kind = before->kind;
  c->slots = 1;
  c->whole = before->whole;
  hc_amounts_copy(e, c->amount, before->amount);
  c->used_cpu = before->used_cpu;
  c->used_memory = before->used_memory;
  c->resized = before->resized;
  c->use = c->use_slots = 0;
  c->job = before->job;
}

/* What a task takes of the cell as a whole. */
static hc_rc observe_shared(hc_engine *e, hc_task id, hc_change_kind kind)
{
  hc_change *c = next_change(e);
  begin_change(e, id, kind, c);
  c->used_cpu = c->used_memory = HC_UNKNOWN;
  hc_demand_shared(e, id, c->amount);
  return has_any(e, c->amount) ? tell_change(e) : 0;
}

static hc_rc tell_claim(const hc_engine *e, hc_task id, hc_change_kind kind, const uint32_t *hosts,
                        uint32_t count, const int64_t *amount)
{
  const hc_observers *o = &e->observers;
  const hc_claim_record c = {.at = e->now,
                             .serial = e->tasks.live[id].serial,
                             .user = e->tasks.identities[id].user,
                             .kind = kind,
                             .host_count = count,
                             .hosts = hosts,
                             .amount = amount};
  for (size_t i = 0; i < o->claimer_count; i++) TRY(o->claimers[i].claims(o->claimers[i].metric, &c));
  return 0;
}

/* Hosts of the first grants, as many as have equal amounts and as the list takes. */
static uint32_t alike(const hc_grant *grants, size_t count, bool whole, uint32_t hosts[64])
{
  const size_t most = whole || grants[0].chunk != 0 ? 1 : HC_MIN(count, (size_t)64);
  uint32_t n = 0;
  do {
    hosts[n] = grants[n].host;
    n++;
  } while (n < most && grants[n].chunk == 0 && grants[n].slots == grants[0].slots);
  return n;
}

/* As claims: grants of equal amounts together. */
static hc_rc tell_claims(const hc_engine *e, hc_task id, hc_change_kind kind, const hc_grant *grants,
                         size_t count)
{
  const bool whole = (e->tasks.live[id].bits & HC_LIVE_WHOLE) != 0;
  uint32_t hosts[64], n;
  int64_t amount[HC_DIMENSIONS];
  hc_amounts_clear(e, amount);
  if (!e->cell.hosts) {
    hosts[0] = HC_NO_HOST;
    amount[HC_DIM_CPU] = (int64_t)e->tasks.live[id].units * 1000;
    return tell_claim(e, id, kind, hosts, 1, amount);
  }
  for (size_t i = 0; i < count; i += n) {
    n = alike(grants + i, count - i, whole, hosts);
    hc_demand_of_grant(e, id, &grants[i], amount);
    TRY(tell_claim(e, id, kind, hosts, n, amount));
  }
  if (!e->gauge.has_shared) return 0;
  hc_amounts_clear(e, amount);
  hc_demand_shared(e, id, amount);
  hosts[0] = HC_NO_HOST;
  return has_any(e, amount) ? tell_claim(e, id, kind, hosts, 1, amount) : 0;
}

hc_rc hc_observe_claims(hc_engine *e, hc_task id, hc_change_kind kind, const hc_grant *grants, size_t count)
{
  const hc_task_cold *r = hc_cold_of(e, id);
  const bool whole = (e->tasks.live[id].bits & HC_LIVE_WHOLE) != 0;
  const hc_change *before = NULL; /* it stays where it was when it is told */
  if (e->observers.claimer_count > 0) TRY(tell_claims(e, id, kind, grants, count));
  if (!(e->observers.change_kinds & UINT32_C(1) << kind)) return 0;
  if (!e->cell.hosts) {
    hc_change *c = next_change(e);
    begin_change(e, id, kind, c);
    c->amount[HC_DIM_CPU] = (int64_t)e->tasks.live[id].units * 1000;
    c->used_cpu = times(r->used_cpu, e->tasks.live[id].units);
    c->used_memory = times(r->used_memory, e->tasks.live[id].units);
    if (r->more) note_use(e, r->more, e->tasks.live[id].units, c);
    return tell_change(e);
  }
  for (size_t i = 0; i < count; i++) {
    hc_change *c = next_change(e);
    if (i > 0 && hc_same_amounts(&grants[i - 1], &grants[i], whole)) repeat_claim(e, before, c);
    else begin_claim(e, id, kind, &grants[i], c);
    c->host = grants[i].host;
    c->devices = grants[i].devices;
    if (r->more) note_use(e, r->more, grants[i].slots, c);
    before = c;
    TRY(tell_change(e));
  }
  return e->gauge.has_shared ? observe_shared(e, id, kind) : 0;
}

static bool begin_host(hc_engine *e, uint32_t host, hc_change_kind kind, uint32_t slots, hc_change **out)
{
  if (!(e->observers.change_kinds & UINT32_C(1) << kind)) return false;
  *out = next_change(e);
  **out = (hc_change){.at = e->now,
                      .user = -1,
                      .kind = kind,
                      .host = host,
                      .slots = slots,
                      .used_cpu = HC_UNKNOWN,
                      .used_memory = HC_UNKNOWN,
                      .job = -1};
  return true;
}

hc_rc hc_observe_power(hc_engine *e, uint32_t host, uint32_t code)
{
  hc_change *c;
  return begin_host(e, host, HC_CHANGE_POWER, code, &c) ? tell_change(e) : 0;
}

bool hc_observe_knows_computes(const hc_engine *e)
{
  return e->model && e->model_type->measure;
}

hc_rc hc_observe_computes(hc_engine *e, uint32_t host, int64_t more, int64_t more_gpus)
{
  hc_change *c;
  if (!begin_host(e, host, HC_CHANGE_COMPUTES, 1, &c)) return 0;
  hc_amounts_clear(e, c->amount);
  c->amount[HC_DIM_CPU] = more;
  c->amount[HC_DIM_GPU] = more_gpus;
  return tell_change(e);
}

hc_rc hc_observe_host(hc_engine *e, uint32_t host)
{
  hc_change *c;
  if (!begin_host(e, host, HC_CHANGE_HOST, 1, &c)) return 0;
  if (hc_hosts_is_up(e->cell.hosts, host))
    amounts(e, hc_hosts_capacity_of(e->cell.hosts, host), false, 1, c->amount);
  return tell_change(e);
}

hc_rc hc_observe_stop(hc_engine *e, const hc_stop_record *r)
{
  const hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->stops) TRY(o->types[i]->stops(o->metrics[i], r));
  return 0;
}

hc_rc hc_observe_attempt(hc_engine *e, const hc_attempt_record *r)
{
  const hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->attempts) TRY(o->types[i]->attempts(o->metrics[i], r));
  return 0;
}

hc_rc hc_observe_rate(hc_engine *e, const hc_rate_record *r)
{
  const hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->rates) TRY(o->types[i]->rates(o->metrics[i], r));
  return 0;
}

/* Changes of queues, claims and hosts. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_QUEUED) return hc_observe_queue(e, n->task, HC_CHANGE_QUEUED);
  if (n->kind == HC_ON_HOST_DONE) return hc_observe_host(e, n->event->host);
  if (n->kind == HC_ON_RELEASED)
    return hc_observe_claims(e, n->task, HC_CHANGE_RELEASED, n->grants, n->count);
  TRY(hc_observe_queue(e, n->task, HC_CHANGE_UNQUEUED));
  if (n->kind == HC_ON_DEQUEUED) return 0;
  return hc_observe_claims(e, n->task, HC_CHANGE_CLAIMED, n->grants, n->count);
}

static bool wanted(const hc_engine *e)
{
  return e->observers.wants_changes;
}

const hc_part hc_part_record = {.name = "record",
                                .wanted = wanted,
                                .hears = HC_HEARS(QUEUED) | HC_HEARS(DEQUEUED) | HC_HEARS(STARTED) |
                                         HC_HEARS(RELEASED) | HC_HEARS(HOST_DONE),
                                .on = on};

/* ---- intervals ---- */

/* Member by member: what is written in parts and read as a whole right after makes the processor wait.
 * @return whether anything is other than it was */
static bool note_state(hc_interval *x, const hc_engine *e, int64_t waiting_units, int64_t smallest)
{
  const int64_t waiting = e->waiting - e->deferred;
  const bool same = x->busy == e->cell.claimed && x->capacity == e->cell.capacity && x->waiting == waiting &&
                    x->waiting_units == waiting_units && x->smallest_waiting == smallest &&
                    x->running == e->running;
  if (same) return false;
  x->from = e->now;
  x->busy = e->cell.claimed;
  x->capacity = e->cell.capacity;
  x->waiting = waiting;
  x->waiting_units = waiting_units;
  x->smallest_waiting = smallest;
  x->running = e->running;
  return true;
}

/* What has changed at the instant comes before it. */
static hc_rc tell_standing(hc_engine *e, const hc_standing_record *r)
{
  const hc_observers *o = &e->observers;
  TRY(flush_changes(e));
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->stands) TRY(o->types[i]->stands(o->metrics[i], r));
  return 0;
}

/* While clocks tick in vain it is only kept: should nothing more happen, the run's end is before it. */
static hc_rc keep_standing(hc_engine *e, const hc_standing_record *r)
{
  hc_observers *o = &e->observers;
  const hc_standing_record *last = o->standing_count > 0 ? &o->standings[o->standing_count - 1] : &o->stood;
  if (last->thinking == r->thinking && last->plans == r->plans) return 0;
  TRY(hc_reserve(e->allocator, (void **)&o->standings, &o->standing_cap, o->standing_count + 1,
                 sizeof *o->standings));
  o->standings[o->standing_count++] = *r;
  return 0;
}

static hc_rc note_standing(hc_engine *e)
{
  const hc_architecture_type *a = e->architecture_type;
  const hc_standing_record r = {
      .at = e->now,
      .thinking = e->waiting > 0 && a->is_thinking && a->is_thinking(e->architecture),
      .plans = e->tasks.reserved_count > 0 || (e->policy_flags & HC_MAKES_RESERVATIONS) != 0};
  if (e->told < e->now) return keep_standing(e, &r);
  e->observers.stood = r;
  return tell_standing(e, &r);
}

hc_rc hc_observe_catch_up(hc_engine *e, hc_time at, hc_error *error)
{
  hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->standing_count; i++) TRY(tell_standing(e, &o->standings[i]));
  o->standing_count = 0;
  e->told = at;
  return at >= o->look_at ? hc_measures_look(e, at, error) : 0;
}

hc_rc hc_observe_drawn(hc_engine *e, double *out)
{
  const hc_observers *o = &e->observers;
  *out = -1;
  TRY(flush_changes(e));
  for (size_t i = 0; i < o->count && *out < 0; i++)
    if (o->types[i]->drawn) TRY(o->types[i]->drawn(o->metrics[i], e->now, out));
  return 0;
}

hc_rc hc_observe_instant(hc_engine *e, hc_error *error)
{
  hc_observers *o = &e->observers;
  hc_interval *last = &o->intervals[o->interval_count];
  int64_t units, smallest;
  HC_UNUSED(error);
  if (e->cell.free == 0) {
    if (e->counters.full_from == HC_UNKNOWN) e->counters.full_from = e->now;
    e->counters.full_to = e->now;
  }
  if (o->wants_standing) TRY(note_standing(e));
  if (!o->wants_intervals) return 0;
  units = hc_queues_units(e) - e->deferred_units;
  smallest = e->deferred > 0 ? hc_queues_smallest_due(e) : hc_queues_smallest(e);
  *last = o->open;                    /* there is always room for one */
  if (!o->is_open) o->open.busy = -1; /* as it never is */
  if (!note_state(&o->open, e, units, smallest)) return 0;
  if (o->is_open && e->now > last->from) {
    last->to = e->now;
    if (++o->interval_count == HC_BLOCK) TRY(flush_intervals(e));
  }
  o->is_open = true;
  return 0;
}

/* ---- the end ---- */

static hc_rc close_last_interval(hc_engine *e)
{
  hc_observers *o = &e->observers;
  if (o->is_open && e->told > o->open.from) {
    o->open.to = e->told;
    o->intervals[o->interval_count++] = o->open;
    o->open.from = e->told;
  }
  return flush_intervals(e);
}

hc_rc hc_observe_close(hc_engine *e, hc_error *error)
{
  const hc_observers *o = &e->observers;
  TRY(flush_records(e, error));
  TRY(close_last_interval(e));
  TRY(flush_changes(e));
  TRY(hc_measures_close(e, error));
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->until) TRY(o->types[i]->until(o->metrics[i], e->told));
  return 0;
}

hc_rc hc_observe_visit(hc_engine *e, hc_visitor *v)
{
  hc_observers *o = &e->observers;
  HC_VISIT(v, o->open);
  HC_VISIT(v, o->is_open);
  HC_VISIT(v, o->stood);
  HC_VISIT_ARRAY(v, o->standings, o->standing_count, o->standing_cap);
  HC_VISIT(v, o->record_count);
  HC_VISIT(v, o->interval_count);
  HC_VISIT(v, o->change_count);
  if (o->record_count > HC_BLOCK || o->interval_count > HC_BLOCK || o->change_count > HC_BLOCK)
    return HC_EINPUT;
  if (o->change_count > 0 && !o->changes) return HC_EINPUT;
  for (size_t i = 0; i < o->change_count; i++) {
    /* What is never written, and never read, is saved as nothing. */
    hc_change *c = &o->changes[i];
    c->padding = 0;
    memset(c->amount + e->gauge.width, 0, (HC_DIMENSIONS - e->gauge.width) * sizeof *c->amount);
  }
  if (o->change_count > 0) TRY(hc_visit_bytes(v, o->changes, o->change_count * sizeof *o->changes));
  o->change_uses = 0;
  for (size_t i = 0; i < o->change_count; i++) {
    if (o->changes[i].use == 0) continue;
    if (!e->lexicon || !hc_lexicon_more(e->lexicon, o->changes[i].use)) return HC_EINPUT;
    o->change_uses++;
  }
  TRY(hc_visit_bytes(v, o->records, o->record_count * sizeof *o->records));
  TRY(hc_visit_bytes(v, o->intervals, o->interval_count * sizeof *o->intervals));
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->visit) TRY(o->types[i]->visit(o->metrics[i], v));
  TRY(hc_workflow_told_visit(e, v));
  return hc_measures_visit(e, v);
}
