/* tasks.c -- the table of live tasks: slots that are used again, and the ids that running tasks hold.
 *
 * Memory is in proportion to the tasks that wait or run, never to those that have been. What decisions
 * look at (hc_live) and what only the record needs (hc_passenger) are two arrays, so that the first stays
 * in the cache. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/state.h"

hc_live *hc_live_of(hc_engine *e, hc_task t)
{
  return &e->tasks.live[t];
}

static hc_rc new_slot(hc_engine *e, hc_task *out)
{
  hc_tasks *ts = &e->tasks;
  if (ts->vacant_count > 0) {
    *out = ts->vacant[--ts->vacant_count];
    return 0;
  }
  if (ts->count >= HC_NO_TASK - 1) return HC_ELIMIT;
  TRY(hc_reserve(e->allocator, (void **)&ts->live, &ts->cap, ts->count + 1, sizeof *ts->live));
  TRY(hc_reserve(e->allocator, (void **)&ts->passengers, &ts->passenger_cap, ts->count + 1,
                 sizeof *ts->passengers));
  TRY(hc_reserve(e->allocator, (void **)&ts->vacant, &ts->vacant_cap, ts->count + 1, sizeof *ts->vacant));
  ts->live[ts->count] = (hc_live){0};
  *out = (hc_task)ts->count++;
  return 0;
}

hc_rc hc_tasks_add(hc_engine *e, const hc_arrival *a, hc_task *out)
{
  hc_live *t;
  uint32_t generation;
  TRY(new_slot(e, out));
  t = &e->tasks.live[*out];
  generation = t->generation;
  *t = (hc_live){.serial = e->next_serial++,
                 .submit = a->spec.submit,
                 .start = HC_UNKNOWN,
                 .run = a->run,
                 .estimate = a->estimate,
                 .running_estimate = a->running_estimate,
                 .reserved_at = HC_NEVER,
                 .units = (uint32_t)a->units,
                 .generation = generation + 1,
                 .event = HC_NO_EVENT,
                 .overdue_event = HC_NO_EVENT,
                 .ranges = HC_NO_RANGE,
                 .state = HC_TASK_ARRIVED,
                 .flags = (uint8_t)a->flags,
                 .killed = a->killed,
                 .source = (uint8_t)a->source};
  e->tasks.passengers[*out] =
      (hc_passenger){.id = a->spec.id,
                     .limit = a->spec.limit,
                     .user = a->spec.user,
                     .group = a->spec.group,
                     .executable = a->spec.executable,
                     .queue = a->spec.queue,
                     .partition = a->spec.partition,
                     .priority = a->spec.priority,
                     .cancel_at = a->spec.cancel_at == HC_UNKNOWN ? HC_NEVER : a->spec.cancel_at};
  return 0;
}

void hc_tasks_remove(hc_engine *e, hc_task t)
{
  hc_tasks *ts = &e->tasks;
  hc_tasks_drop_ranges(e, &ts->live[t]);
  ts->live[t].state = HC_TASK_FREE;
  ts->vacant[ts->vacant_count++] = t; /* room was made when the slot was */
}

/* ---- ids ---- */

hc_rc hc_tasks_hold(hc_engine *e, hc_live *t, const hc_range *ranges, size_t count)
{
  hc_tasks *ts = &e->tasks;
  uint32_t chain = HC_NO_RANGE;
  /* Room first: a chain is linked by places in the array, which must not move meanwhile. */
  TRY(hc_reserve(e->allocator, (void **)&ts->held, &ts->held_cap, ts->held_count + count, sizeof *ts->held));
  for (size_t i = count; i-- > 0;) {
    uint32_t at = ts->held_vacant;
    if (at != HC_NO_RANGE) ts->held_vacant = ts->held[at].next;
    else at = (uint32_t)ts->held_count++;
    ts->held[at] = (hc_held_range){ranges[i], chain};
    chain = at;
  }
  t->ranges = chain;
  return 0;
}

/** The ids that a task holds, ascending. */
hc_rc hc_tasks_held(hc_engine *e, const hc_live *t, const hc_range **ranges, size_t *count)
{
  const hc_tasks *ts = &e->tasks;
  hc_range *out;
  size_t n = 0, i = 0;
  for (uint32_t at = t->ranges; at != HC_NO_RANGE; at = ts->held[at].next) n++;
  *ranges = NULL;
  *count = n;
  if (n == 0) return 0;
  out = hc_arena_alloc(&e->scratch, n * sizeof *out);
  if (!out) return HC_ENOMEM;
  for (uint32_t at = t->ranges; at != HC_NO_RANGE; at = ts->held[at].next) out[i++] = ts->held[at].range;
  *ranges = out;
  return 0;
}

void hc_tasks_drop_ranges(hc_engine *e, hc_live *t)
{
  hc_tasks *ts = &e->tasks;
  while (t->ranges != HC_NO_RANGE) {
    uint32_t at = t->ranges;
    t->ranges = ts->held[at].next;
    ts->held[at].next = ts->held_vacant;
    ts->held_vacant = at;
  }
}

hc_time hc_expected_end(const hc_engine *e, const hc_live *t)
{
  return t->overdue ? e->overdue_at : hc_time_add(t->start, t->running_estimate);
}

/* ---- state ---- */

/* Handles of events are names within one kind of event queue, so they are saved but not hashed. */
static hc_rc hash_live(hc_engine *e, hc_visitor *v)
{
  for (size_t i = 0; i < e->tasks.count; i++) {
    hc_live copy = e->tasks.live[i];
    copy.event = copy.overdue_event = HC_NO_EVENT;
    copy.reserved_index = 0; /* a place in a list whose order does not matter */
    if (copy.state == HC_TASK_FREE) copy = (hc_live){.generation = copy.generation};
    HC_VISIT(v, copy);
    if (copy.state != HC_TASK_FREE) HC_VISIT(v, e->tasks.passengers[i]);
  }
  return 0;
}

hc_rc hc_tasks_visit(hc_engine *e, hc_visitor *v)
{
  hc_tasks *ts = &e->tasks;
  size_t passengers = ts->count;
  HC_VISIT_ARRAY(v, ts->vacant, ts->vacant_count, ts->vacant_cap);
  if (v->mode != HC_VISIT_HASH) HC_VISIT_ARRAY(v, ts->reserved, ts->reserved_count, ts->reserved_cap);
  HC_VISIT(v, ts->held_vacant);
  HC_VISIT_ARRAY(v, ts->held, ts->held_count, ts->held_cap);
  if (v->mode == HC_VISIT_HASH) return hash_live(e, v);
  HC_VISIT_ARRAY(v, ts->live, ts->count, ts->cap);
  HC_VISIT_ARRAY(v, ts->passengers, passengers, ts->passenger_cap);
  return hc_reserve(e->allocator, (void **)&ts->vacant, &ts->vacant_cap, ts->count, sizeof *ts->vacant);
}

void hc_tasks_fini(hc_engine *e)
{
  hc_tasks *ts = &e->tasks;
  hc_free(e->allocator, ts->live, ts->cap * sizeof *ts->live);
  hc_free(e->allocator, ts->passengers, ts->passenger_cap * sizeof *ts->passengers);
  hc_free(e->allocator, ts->vacant, ts->vacant_cap * sizeof *ts->vacant);
  hc_free(e->allocator, ts->reserved, ts->reserved_cap * sizeof *ts->reserved);
  hc_free(e->allocator, ts->held, ts->held_cap * sizeof *ts->held);
}
