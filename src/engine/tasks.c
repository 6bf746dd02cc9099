/* tasks.c -- the table of live tasks: slots that are used again, and what running tasks hold.
 *
 * Memory is in proportion to the tasks that wait or run, never to those that have been. What every task has
 * and decisions look at (hc_live) is one line of the cache; what policies that look ahead need (hc_planned),
 * what hosts are asked for (need) and what few tasks have (hc_task_cold) are arrays beside it, which exist
 * only in runs that use them: a task of a data centre's trace costs 96 bytes, one of a batch log 280. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/state.h"
#include "engine/tasks.h"
#include "engine/work.h"

/* ---- slots ---- */

enum { LINE = 64 };
_Static_assert(sizeof(hc_live) == LINE, "a task is one line of the cache");

static size_t block_size(size_t cap)
{
  return cap == 0 ? 0 : cap * LINE + LINE;
}

/* As hc_reserve, but that each task lies on one line, not across two. A large block moves by whole pages: its
 * contents stay in place. */
static hc_rc reserve_live(const hc_allocator *a, hc_tasks *ts, size_t count)
{
  const size_t was = ts->live ? (size_t)((char *)ts->live - (char *)ts->live_block) : 0;
  size_t cap = HC_MAX(ts->cap, 8);
  if (count <= ts->cap) return 0;
  if (count > SIZE_MAX / LINE / 4) return HC_ENOMEM;
  while (cap < count) cap *= 2;
  char *block = a->resize(a->ctx, ts->live_block, block_size(ts->cap), block_size(cap));
  if (!block) return HC_ENOMEM;
  char *first = block + (LINE - (uintptr_t)block % LINE) % LINE;
  if (first != block + was && ts->cap > 0) memmove(first, block + was, ts->cap * LINE);
  ts->live_block = block;
  ts->live = (hc_live *)(void *)first;
  ts->cap = cap;
  return 0;
}

static __attribute__((noinline)) hc_rc grow(hc_engine *e, size_t count)
{
  const hc_allocator *a = e->allocator;
  hc_tasks *ts = &e->tasks;
  TRY(reserve_live(a, ts, count));
  TRY(hc_reserve(a, (void **)&ts->identities, &ts->identity_cap, count, sizeof *ts->identities));
  if (ts->plans) TRY(hc_reserve(a, (void **)&ts->planned, &ts->planned_cap, count, sizeof *ts->planned));
  if (ts->cold) TRY(hc_reserve(a, (void **)&ts->cold, &ts->cold_cap, count, sizeof *ts->cold));
  if (ts->works.of) TRY(hc_attempts_grow(e, count));
  if (ts->remembers) TRY(hc_reserve(a, (void **)&ts->failed, &ts->failed_cap, count, sizeof *ts->failed));
  if (ts->dimensions > 0)
    TRY(hc_reserve(a, (void **)&ts->need, &ts->need_cap, count * ts->dimensions, sizeof *ts->need));
  return 0;
}

enum { AHEAD = 6 };

/* A slot that is used again lies anywhere: one that comes some tasks from now is fetched. */
static inline void fetch_ahead(hc_tasks *ts)
{
  hc_task next;
  if (ts->freed_count > 0) ts->freed_count--;
  if (ts->freed_count < AHEAD) return;
  next = ts->freed[ts->freed_count - AHEAD];
  __builtin_prefetch(&ts->live[next], 1);
  __builtin_prefetch(&ts->identities[next], 1);
  if (ts->need) __builtin_prefetch(&ts->need[(size_t)next * ts->dimensions], 1);
}

static hc_rc new_slot(hc_engine *e, hc_task *out)
{
  hc_tasks *ts = &e->tasks;
  if (ts->vacant != HC_NO_TASK) {
    *out = ts->vacant;
    ts->vacant = ts->live[*out].held;
    fetch_ahead(ts);
    return 0;
  }
  if (ts->count >= HC_GONE_PAYLOAD) return HC_ELIMIT;
  TRY(grow(e, ts->count + 1));
  *out = (hc_task)ts->count++;
  return 0;
}

hc_rc hc_tasks_need_cold(hc_engine *e)
{
  hc_tasks *ts = &e->tasks;
  if (ts->cold) return 0;
  TRY(hc_reserve(e->allocator, (void **)&ts->cold, &ts->cold_cap, HC_MAX(ts->cap, 16), sizeof *ts->cold));
  for (size_t i = 0; i < ts->count; i++) {
    ts->cold[i] = hc_task_cold_none;
    ts->cold[i].estimate = ts->live[i].run;
  }
  return 0;
}

/* ---- a task ---- */

/* Does it have anything that most do not? */
static bool has_cold(const hc_engine *e, const hc_arrival *a)
{
  if (!a->plain || e->dependencies || (!e->tasks.plans && a->running_estimate != a->run)) return true;
  return e->observers.wants_changes && (a->spec.cpu_time != HC_UNKNOWN || a->spec.memory_used != HC_UNKNOWN);
}

/* Its average use of cores, from the CPU time that the trace gives to each of its slots. */
static int64_t used_cores(const hc_task_spec *s)
{
  if (s->cpu_time < 0 || s->run <= 0) return HC_UNKNOWN;
  return (int64_t)((double)s->cpu_time / (double)s->run * 1000 + 0.5);
}

static bool is_killed(const hc_task_spec *s)
{
  const hc_recorded r = hc_spec_recorded(s);
  return s->status == HC_STATUS_CANCELLED || r == HC_RECORDED_TIMEOUT || r == HC_RECORDED_DEADLINE;
}

static void put_cold(hc_engine *e, hc_task id, const hc_arrival *a)
{
  const hc_task_spec *s = &a->spec;
  e->tasks.cold[id] = (hc_task_cold){.limit = s->limit,
                                     .group = s->group,
                                     .executable = s->executable,
                                     .queue = s->queue,
                                     .partition = s->partition,
                                     .priority = s->priority,
                                     .estimate = a->running_estimate,
                                     .cancel_at = s->cancel_at == HC_UNKNOWN ? HC_NEVER : s->cancel_at,
                                     .eligible = s->not_before,
                                     .job = s->job,
                                     .used_cpu = used_cores(s),
                                     .used_memory = s->memory_used,
                                     .more = s->more,
                                     .is_killed = is_killed(s)};
}

/* What a task has only in some runs. */
static __attribute__((noinline)) hc_rc put_more(hc_engine *e, hc_task id, const hc_arrival *a)
{
  hc_tasks *ts = &e->tasks;
  if (ts->plans)
    ts->planned[id] = (hc_planned){.estimate = a->estimate,
                                   .running_estimate = a->running_estimate,
                                   .reserved_at = HC_NEVER,
                                   .overdue_event = HC_NO_EVENT};
  if (ts->cold) put_cold(e, id, a);
  if (ts->remembers) ts->failed[id] = 0;
  return 0;
}

hc_rc hc_tasks_add(hc_engine *e, const hc_arrival *a, hc_task *out)
{
  hc_tasks *ts = &e->tasks;
  hc_task id;
  if (!ts->cold && has_cold(e, a)) TRY(hc_tasks_need_cold(e));
  TRY(new_slot(e, &id));
  ts->live[id] =
      (hc_live){.serial = e->next_serial++,
                .submit = a->spec.submit,
                .start = HC_UNKNOWN,
                .run = a->run,
                .units = (uint32_t)a->units,
                .slots = a->slots,
                .event = HC_NO_EVENT,
                .held = HC_NO_GRANT,
                .state = HC_TASK_ARRIVED,
                .flags = (uint8_t)a->flags,
                .bits = (uint8_t)((a->killed ? HC_LIVE_KILLED : 0) | (a->whole ? HC_LIVE_WHOLE : 0) |
                                  (a->spread ? HC_LIVE_SPREAD : 0)),
                .source = (uint8_t)a->source};
  ts->identities[id] = (hc_task_identity){.id = a->spec.id, .user = a->spec.user};
  hc_demand_keep(e, id, a);
  *out = id;
  return ts->plans || ts->cold || ts->remembers ? put_more(e, id, a) : 0;
}

void hc_tasks_remove(hc_engine *e, hc_task id)
{
  hc_tasks *ts = &e->tasks;
  hc_live *t = &ts->live[id];
  hc_tasks_drop_grants(e, t);
  if (ts->cold) hc_lexicon_drop(e->lexicon, ts->cold[id].more);
  if (ts->works.of) hc_attempt_drop(e, id);
  t->state = HC_TASK_FREE;
  t->held = ts->vacant;
  ts->vacant = id;
  if (hc_reserve(e->allocator, (void **)&ts->freed, &ts->freed_cap, ts->freed_count + 1, sizeof *ts->freed) >=
      0)
    ts->freed[ts->freed_count++] = id;
}

/* ---- what it holds ---- */

hc_rc hc_tasks_hold(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_tasks *ts = &e->tasks;
  hc_live *t = &ts->live[id];
  uint32_t chain = HC_NO_GRANT;
  /* Room first: a chain is linked by places in the array, which must not move meanwhile. */
  TRY(hc_reserve(e->allocator, (void **)&ts->held, &ts->held_cap, ts->held_count + count, sizeof *ts->held));
  if (e->gauge.many_devices)
    TRY(hc_reserve(e->allocator, (void **)&ts->held_devices, &ts->held_devices_cap, ts->held_count + count,
                   sizeof *ts->held_devices));
  for (size_t i = count; i-- > 0;) {
    uint32_t at = ts->held_vacant;
    if (at != HC_NO_GRANT) ts->held_vacant = ts->held[at].next;
    else at = (uint32_t)ts->held_count++;
    ts->held[at] = (hc_held){.host = grants[i].host,
                             .slots = grants[i].slots,
                             .devices = (uint32_t)grants[i].devices.bits[0],
                             .chunk = grants[i].chunk,
                             .next = chain,
                             .owner = id};
    if (e->gauge.many_devices) ts->held_devices[at] = grants[i].devices;
    chain = at;
  }
  t->held = chain;
  return 0;
}

hc_rc hc_tasks_held_many(hc_engine *e, const hc_live *t, const hc_grant **grants, size_t *count)
{
  const hc_tasks *ts = &e->tasks;
  hc_grant *out;
  size_t n = 0, i = 0;
  for (uint32_t at = t->held; at != HC_NO_GRANT; at = ts->held[at].next) n++;
  *grants = NULL;
  *count = n;
  if (n == 0) return 0;
  out = hc_arena_room(&e->scratch, n * sizeof *out);
  if (!out) return HC_ENOMEM;
  for (uint32_t at = t->held; at != HC_NO_GRANT; at = ts->held[at].next, i++) {
    const hc_held *h = &ts->held[at];
    out[i] = (hc_grant){.host = h->host, .slots = h->slots, .chunk = h->chunk, .devices.bits[0] = h->devices};
    if (e->gauge.many_devices) out[i].devices = ts->held_devices[at];
  }
  *grants = out;
  return 0;
}

void hc_tasks_drop_grants(hc_engine *e, hc_live *t)
{
  hc_tasks *ts = &e->tasks;
  while (t->held != HC_NO_GRANT && !(t->bits & HC_LIVE_ONE)) {
    uint32_t at = t->held;
    t->held = ts->held[at].next;
    ts->held[at].owner = HC_NO_TASK;
    ts->held[at].next = ts->held_vacant;
    ts->held_vacant = at;
  }
  t->bits &= (uint8_t)~HC_LIVE_ONE;
  t->held = HC_NO_GRANT;
}

/* ---- state ---- */

/* Handles of events are names within one kind of event queue, so they are saved but not hashed. */
static hc_rc hash_live(hc_engine *e, hc_visitor *v)
{
  hc_tasks *ts = &e->tasks;
  for (size_t i = 0; i < ts->count; i++) {
    hc_live copy = ts->live[i];
    copy.event = HC_NO_EVENT;
    if (copy.state == HC_TASK_FREE) copy = (hc_live){.held = copy.held};
    HC_VISIT(v, copy);
    if (copy.state == HC_TASK_FREE) continue;
    HC_VISIT(v, ts->identities[i]);
    if (ts->plans) {
      hc_planned planned = ts->planned[i];
      planned.overdue_event = HC_NO_EVENT;
      planned.reserved_index = 0; /* a place in a list whose order does not matter */
      HC_VISIT(v, planned);
    }
    if (ts->cold) HC_VISIT(v, ts->cold[i]);
    TRY(hc_attempt_hash(e, (hc_task)i, v));
    if (ts->need) TRY(hc_visit_bytes(v, ts->need + i * ts->dimensions, ts->dimensions * sizeof *ts->need));
  }
  return 0;
}

hc_rc hc_tasks_visit(hc_engine *e, hc_visitor *v)
{
  hc_tasks *ts = &e->tasks;
  size_t count = ts->count, needs = ts->count * ts->dimensions;
  uint64_t tasks = ts->count;
  bool has_cold = ts->cold != NULL;
  HC_VISIT(v, ts->vacant);
  if (v->mode != HC_VISIT_HASH) HC_VISIT_ARRAY(v, ts->reserved, ts->reserved_count, ts->reserved_cap);
  HC_VISIT(v, ts->held_vacant);
  HC_VISIT_ARRAY(v, ts->held, ts->held_count, ts->held_cap);
  if (e->gauge.many_devices) {
    size_t rows = ts->held_count;
    HC_VISIT_ARRAY(v, ts->held_devices, rows, ts->held_devices_cap);
    if (rows != ts->held_count) return HC_EINPUT;
  }
  HC_VISIT(v, has_cold);
  HC_VISIT(v, e->suspended);
  if (v->mode == HC_VISIT_HASH) return hash_live(e, v);
  HC_VISIT(v, tasks);
  if (hc_visit_loading(v)) {
    if (tasks > v->left / sizeof *ts->live) return HC_EINPUT;
    TRY(reserve_live(e->allocator, ts, (size_t)tasks));
    ts->count = (size_t)tasks;
  }
  if (tasks > 0) TRY(hc_visit_bytes(v, ts->live, (size_t)tasks * sizeof *ts->live));
  HC_VISIT_ARRAY(v, ts->identities, count, ts->identity_cap);
  if (ts->plans) HC_VISIT_ARRAY(v, ts->planned, count, ts->planned_cap);
  if (has_cold) HC_VISIT_ARRAY(v, ts->cold, count, ts->cold_cap);
  if (ts->dimensions > 0) HC_VISIT_ARRAY(v, ts->need, needs, ts->need_cap);
  TRY(hc_attempts_visit(e, v));
  if (hc_visit_loading(v)) ts->freed_count = 0;
  if (hc_visit_loading(v)) hc_shapes_reset(&e->shapes);
  if (ts->remembers && hc_visit_loading(v)) {
    TRY(hc_reserve(e->allocator, (void **)&ts->failed, &ts->failed_cap, count, sizeof *ts->failed));
    if (count > 0) memset(ts->failed, 0, count * sizeof *ts->failed);
  }
  return has_cold && !ts->cold ? hc_tasks_need_cold(e) : 0;
}

void hc_tasks_fini(hc_engine *e)
{
  hc_tasks *ts = &e->tasks;
  hc_shapes_fini(&e->shapes, e->allocator);
  hc_free(e->allocator, ts->freed, ts->freed_cap * sizeof *ts->freed);
  hc_free(e->allocator, ts->live_block, block_size(ts->cap));
  hc_free(e->allocator, ts->identities, ts->identity_cap * sizeof *ts->identities);
  hc_free(e->allocator, ts->planned, ts->planned_cap * sizeof *ts->planned);
  hc_free(e->allocator, ts->cold, ts->cold_cap * sizeof *ts->cold);
  hc_free(e->allocator, ts->failed, ts->failed_cap * sizeof *ts->failed);
  hc_free(e->allocator, ts->need, ts->need_cap * sizeof *ts->need);
  hc_attempts_fini(e);
  hc_free(e->allocator, ts->reserved, ts->reserved_cap * sizeof *ts->reserved);
  hc_free(e->allocator, ts->held, ts->held_cap * sizeof *ts->held);
  hc_free(e->allocator, ts->held_devices, ts->held_devices_cap * sizeof *ts->held_devices);
}
