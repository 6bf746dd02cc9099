/* closedloop.c -- tasks that are submitted when another has ended: held, and let go by feedback.
 *
 * Each task taken in has a record by its id: still to end, ended at a time, or left out of the run. One that
 * follows a record still to end hangs on it; one that follows an ended task is ready at end + think; whatever
 * it follows that has no record is missing, and the choice for that decides. Records of ended tasks are
 * forgotten in the order of their ends past HC_LOOP_REMEMBERED. Of two tasks with the same id the first is
 * the one that is followed.
 *
 * A task is never submitted before what is known to be past: if its row was read too late (see the reader's
 * `ahead`), it is submitted at the last known instant. Time thought is kept, the log's own arrival is not:
 * that is what closes the loop. Source: Zakay and Feitelson, "Preserving user behavior characteristics in
 * trace-based simulation", 2014. Cost: O(log ready) per task. Everything is indices and plain arrays, so that
 * a visit is a copy. */
#include "workload/closedloop.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/ledger.h"

#define NONE UINT32_MAX

typedef struct held_task {
  hc_task_spec spec;
  uint32_t next; /* of those that follow the same task, or of the free ones */
  uint32_t unused;
} held_task;

typedef struct ready_task {
  hc_time submit;
  int64_t id;
  uint64_t seq;
  uint32_t node;
  uint32_t open; /* it follows nothing */
} ready_task;

typedef struct record {
  int64_t id;
  hc_time end;    /* HC_UNKNOWN: still to come */
  uint32_t first; /* of those that follow it */
  uint32_t next;  /* of the ended ones in order, or of the free ones */
} record;

struct hc_loop {
  const hc_source_context *context;
  const char *name;
  hc_missing_predecessor missing;
  held_task *nodes;
  size_t node_count, node_cap;
  ready_task *ready; /* heap, least first */
  size_t ready_count, ready_cap;
  record *records;
  size_t record_count, record_cap;
  hc_map by_id;
  struct { /* plain state */
    uint64_t seq, held, ended;
    hc_time now;       /* latest end told of */
    hc_time last_open; /* latest submission given out of a task that follows nothing */
    uint32_t free_node, free_record, oldest, newest;
  } s;
};

hc_rc hc_loop_new(const hc_source_context *c, const char *name, hc_missing_predecessor missing, hc_loop **out)
{
  hc_loop *l = hc_alloc(c->allocator, sizeof *l);
  if (!l) return HC_ENOMEM;
  l->context = c;
  l->name = name;
  l->missing = missing;
  l->s.now = l->s.last_open = HC_UNKNOWN;
  l->s.free_node = l->s.free_record = l->s.oldest = l->s.newest = NONE;
  hc_map_init(&l->by_id, c->allocator);
  *out = l;
  return 0;
}

void hc_loop_free(hc_loop *l)
{
  if (!l) return;
  const hc_allocator *a = l->context->allocator;
  hc_free(a, l->nodes, l->node_cap * sizeof *l->nodes);
  hc_free(a, l->ready, l->ready_cap * sizeof *l->ready);
  hc_free(a, l->records, l->record_cap * sizeof *l->records);
  hc_map_fini(&l->by_id);
  hc_free(a, l, sizeof *l);
}

size_t hc_loop_ready(const hc_loop *l)
{
  return l->ready_count;
}

size_t hc_loop_held(const hc_loop *l)
{
  return (size_t)l->s.held;
}

/* ---- parts ---- */

static hc_rc new_node(hc_loop *l, const hc_task_spec *t, uint32_t *out)
{
  uint32_t i = l->s.free_node;
  if (i != NONE) {
    l->s.free_node = l->nodes[i].next;
  } else {
    if (l->node_count >= NONE) return HC_ELIMIT;
    TRY(hc_reserve(l->context->allocator, (void **)&l->nodes, &l->node_cap, l->node_count + 1,
                   sizeof *l->nodes));
    i = (uint32_t)l->node_count++;
  }
  l->nodes[i] = (held_task){.spec = *t, .next = NONE};
  *out = i;
  return 0;
}

static void free_node(hc_loop *l, uint32_t i)
{
  l->nodes[i].next = l->s.free_node;
  l->s.free_node = i;
}

HC_HEAP(ready, ready_task,
        a->submit != b->submit ? a->submit < b->submit
        : a->id != b->id       ? a->id < b->id
                               : a->seq < b->seq)

static hc_rc make_ready(hc_loop *l, uint32_t node, hc_time submit, bool open)
{
  ready_task r = {
      .submit = submit, .id = l->nodes[node].spec.id, .seq = l->s.seq, .node = node, .open = open};
  TRY(hc_reserve(l->context->allocator, (void **)&l->ready, &l->ready_cap, l->ready_count + 1,
                 sizeof *l->ready));
  l->s.seq++;
  l->nodes[node].spec.submit = r.submit;
  ready_rise(l->ready, l->ready_count++, r);
  return 0;
}

static void forget_oldest(hc_loop *l)
{
  const uint32_t i = l->s.oldest;
  l->s.oldest = l->records[i].next;
  if (l->s.oldest == NONE) l->s.newest = NONE;
  l->s.ended--;
  hc_map_remove(&l->by_id, (uint64_t)l->records[i].id);
  l->records[i].next = l->s.free_record;
  l->s.free_record = i;
}

static hc_rc add_record(hc_loop *l, int64_t id)
{
  uint32_t i = l->s.free_record;
  if (id <= 0 || hc_map_get(&l->by_id, (uint64_t)id) != HC_MAP_NONE)
    return 0; /* nothing follows a task without id */
  if (i == NONE) {
    if (l->record_count >= NONE) return HC_ELIMIT;
    TRY(hc_reserve(l->context->allocator, (void **)&l->records, &l->record_cap, l->record_count + 1,
                   sizeof *l->records));
    i = (uint32_t)l->record_count;
  }
  TRY(hc_map_set(&l->by_id, (uint64_t)id, i));
  if (i == l->record_count) l->record_count++;
  else l->s.free_record = l->records[i].next;
  l->records[i] = (record){.id = id, .end = HC_UNKNOWN, .first = NONE, .next = NONE};
  return 0;
}

/* Mark as ended (or left out: HC_NEVER) and hand over the chain of those that follow. */
static uint32_t end_record(hc_loop *l, uint32_t i, hc_time end)
{
  const uint32_t first = l->records[i].first;
  l->records[i].end = end;
  l->records[i].first = l->records[i].next = NONE;
  if (l->s.newest != NONE) l->records[l->s.newest].next = i;
  else l->s.oldest = i;
  l->s.newest = i;
  if (++l->s.ended > HC_LOOP_REMEMBERED) forget_oldest(l);
  return first;
}

static hc_time after(hc_time end, const hc_task_spec *t)
{
  return hc_time_add(end, t->think > 0 ? t->think : 0);
}

static hc_rc missing_error(const hc_loop *l, const hc_task_spec *t, hc_error *e)
{
  return hc_fail(
      e, HC_EINPUT, l->name, hc_line_number(t->line), 0,
      "task %lld follows task %lld, which is not in the workload before it: set missing_predecessor to "
      "satisfied or reject, or follow to none",
      (long long)t->id, (long long)t->preceding);
}

/* ---- what the source calls ---- */

static hc_rc leave_out(hc_loop *l, const hc_task_spec *t, hc_error *e);

hc_rc hc_loop_add(hc_loop *l, const hc_task_spec *t, hc_error *e)
{
  const bool follows = t->preceding > 0 && t->preceding != t->id;
  uint32_t node, before = follows ? hc_map_get(&l->by_id, (uint64_t)t->preceding) : HC_MAP_NONE;
  if (before != HC_MAP_NONE && l->records[before].end == HC_NEVER) before = HC_MAP_NONE; /* it was left out */
  if (follows && before == HC_MAP_NONE) {
    if (l->missing == HC_PREDECESSOR_ERROR) return missing_error(l, t, e);
    if (l->missing == HC_PREDECESSOR_REJECT) return leave_out(l, t, e);
  }
  if (before == HC_MAP_NONE && t->submit != HC_UNKNOWN && t->submit < l->s.last_open)
    return hc_fail(
        e, HC_EINPUT, l->name, hc_line_number(t->line), 0,
        "task %lld was submitted before one that has been given out: sort the trace with `hindcast trace "
        "sort`, or raise `ahead`",
        (long long)t->id);
  TRY(add_record(l, t->id));
  TRY(new_node(l, t, &node));
  if (before != HC_MAP_NONE && l->records[before].end == HC_UNKNOWN) {
    l->nodes[node].next = l->records[before].first;
    l->records[before].first = node;
    l->s.held++;
    return 0;
  }
  if (before == HC_MAP_NONE) return make_ready(l, node, t->submit, true);
  return make_ready(l, node, HC_MAX(after(l->records[before].end, t), l->s.now), false);
}

hc_rc hc_loop_next(hc_loop *l, hc_task_spec *out)
{
  uint32_t node;
  if (l->ready_count == 0) return 0;
  node = l->ready[0].node;
  if (l->ready[0].open) l->s.last_open = HC_MAX(l->s.last_open, l->ready[0].submit);
  *out = l->nodes[node].spec;
  (void)ready_pop(l->ready, &l->ready_count);
  free_node(l, node);
  return 1;
}

/* Rejected for want of a predecessor; so is what follows it, when it comes. */
static hc_rc leave_out(hc_loop *l, const hc_task_spec *t, hc_error *e)
{
  return hc_row_reject(l->context, l->name, t->line, 0, HC_REASON_WAITS_FOR_NONE, NULL, e);
}

/* What followed a task that was left out. Rejected tasks leave out those that follow them in turn: their
 * chains are put in front of this one, so that no depth of nesting needs a stack. */
static hc_rc release_orphans(hc_loop *l, uint32_t chain, hc_error *e)
{
  int released = 0;
  while (chain != NONE) {
    const uint32_t node = chain;
    const hc_task_spec t = l->nodes[node].spec;
    chain = l->nodes[node].next;
    l->s.held--;
    if (l->missing == HC_PREDECESSOR_ERROR) return missing_error(l, &t, e);
    if (l->missing == HC_PREDECESSOR_SATISFIED) {
      TRY(make_ready(l, node, HC_MAX(t.submit, l->s.now), false));
      released++;
      continue;
    }
    free_node(l, node);
    TRY(leave_out(l, &t, e));
    const uint32_t r = hc_map_get(&l->by_id, (uint64_t)t.id);
    if (r == HC_MAP_NONE || l->records[r].end != HC_UNKNOWN) continue;
    uint32_t more = end_record(l, r, HC_NEVER), last = more;
    if (more == NONE) continue;
    while (l->nodes[last].next != NONE) last = l->nodes[last].next;
    l->nodes[last].next = chain;
    chain = more;
  }
  return released;
}

hc_rc hc_loop_feedback(hc_loop *l, const hc_feedback *f, hc_error *e)
{
  const uint32_t r = hc_map_get(&l->by_id, (uint64_t)f->id);
  int released = 0;
  if (f->end != HC_UNKNOWN && f->end != HC_NEVER && f->end > l->s.now) l->s.now = f->end;
  if (r == HC_MAP_NONE || l->records[r].end != HC_UNKNOWN) return 0;
  if (f->end == HC_UNKNOWN || f->end == HC_NEVER) return release_orphans(l, end_record(l, r, HC_NEVER), e);
  for (uint32_t node = end_record(l, r, f->end); node != NONE;) {
    const uint32_t next = l->nodes[node].next;
    TRY(make_ready(l, node, after(f->end, &l->nodes[node].spec), false));
    l->s.held--;
    released++;
    node = next;
  }
  return released;
}

hc_rc hc_loop_visit(hc_loop *l, hc_visitor *v)
{
  HC_VISIT(v, l->s);
  HC_VISIT_ARRAY(v, l->nodes, l->node_count, l->node_cap);
  HC_VISIT_ARRAY(v, l->ready, l->ready_count, l->ready_cap);
  HC_VISIT_ARRAY(v, l->records, l->record_count, l->record_cap);
  return hc_map_visit(&l->by_id, v);
}
