/* queues.c -- waiting tasks in the order that an order component gives, in one or two lists a queue.
 *
 * A static key is computed once, on arrival. A key that varies with time is computed anew for every task
 * when a view is opened: O(n log n) a decision, which is what such an order costs. */
#include <string.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/deferred.h"
#include "engine/demand.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "workload/spec.h"

typedef struct key_context {
  hc_engine *engine;
  const hc_sorting *sorting;
  int list;
} key_context;

/* Its key in one of the two lists. */
static int64_t *key_in(hc_engine *e, hc_task id, int list)
{
  return list == HC_LIST_QUEUE ? &e->tasks.live[id].key : &e->tasks.planned[id].second_key;
}

/* Since when it stands in the queue, as orders see it: a task that starts anew after its host went away comes
 * last if the run says so. One that is planned ahead was there before its time. */
static hc_time queued_since(const hc_engine *e, hc_task id)
{
  const hc_task_cold *r = hc_cold_of(e, id);
  const hc_time submit = e->tasks.live[id].submit;
  if (r->attempts > 0 && e->options->host_loss == HC_LOSS_RESTART) return r->lost_at;
  return r->eligible == HC_UNKNOWN || e->plans_ahead ? submit : HC_MAX(submit, r->eligible);
}

/* Units of hosts are thousandths where their first dimension is cores. */
static double processors(const hc_engine *e, int64_t units)
{
  const bool has_cores = e->cell.hosts && hc_hosts_which(e->cell.hosts)[0] == HC_DIM_CPU;
  return has_cores ? (double)units / 1000 : (double)units;
}

static hc_order_input input_of(hc_engine *e, hc_task id)
{
  const hc_live *t = hc_live_of(e, id);
  const hc_task_cold *r = hc_cold_of(e, id);
  return (hc_order_input){.serial = t->serial,
                          .units = t->units,
                          .user = e->tasks.identities[id].user,
                          .group = r->group,
                          .queue = r->queue,
                          .priority = r->priority,
                          .submitted = queued_since(e, id),
                          .estimate = hc_estimate_of(e, id),
                          .now = e->now,
                          .seed = (uint64_t)e->options->seed,
                          .replication = (uint64_t)e->options->replication,
                          .partition = r->partition,
                          .executable = r->executable,
                          .job = r->job,
                          .eligible = r->eligible == HC_UNKNOWN ? t->submit : HC_MAX(t->submit, r->eligible),
                          .procs = processors(e, t->units)};
}

static int64_t key_of(void *ctx, hc_task id)
{
  const key_context *k = ctx;
  const hc_order_input in = input_of(k->engine, id);
  return *key_in(k->engine, id, k->list) = k->sorting->order->key(k->sorting->state, &in);
}

/* The first tasks of an order that does not vary are asked about twice: nothing else would tell that its keys
 * change with time. */
enum { TRIED = 16, MUCH_LATER = 3650 /* days */ };

static hc_rc try_order(hc_engine *e, hc_sorting *s, hc_task id)
{
  hc_order_input in = input_of(e, id);
  s->untried--;
  in.now = in.submitted;
  const int64_t key = s->order->key(s->state, &in);
  in.now = hc_time_add(in.submitted, MUCH_LATER * HC_DAY);
  if (s->order->key(s->state, &in) == key) return 0;
  return hc_fail(e->error, HC_EPOLICY, "engine", 0, 0,
                 "the order %s has another key for a task as time passes, and its `flags` do not say so: add "
                 "HC_VARIES",
                 s->order->component.name);
}

static hc_rc too_many(hc_engine *e)
{
  return hc_fail(
      e->error, HC_ELIMIT, "engine", 0, 0,
      "%lld tasks wait, more than max_waiting: the machine cannot keep up with the workload; give it more "
      "hosts, fewer tasks, or a larger max_waiting",
      (long long)e->waiting);
}

/* ---- who listens ---- */

/* What a task's grants are of the cell in all, by the cell's own dimensions. */
static void sum_of_grants(const hc_engine *e, hc_task id, const hc_grant *grants, size_t count, int64_t *out)
{
  const uint8_t *which;
  if (!e->cell.hosts) {
    out[0] = e->tasks.live[id].units;
    return;
  }
  which = hc_hosts_which(e->cell.hosts);
  if (count == 1 && grants->slots == 1 && hc_asks_plainly(e, id)) {
    for (uint32_t d = 0; d < e->tasks.dimensions; d++) out[d] = hc_need_of(e, id)[d];
    return;
  }
  int64_t once[HC_DIMENSIONS] = {0};
  hc_demand_shared(e, id, once);
  for (uint32_t d = 0; d < e->tasks.dimensions; d++)
    if (hc_hosts_is_shared(e->cell.hosts, d)) out[d] = once[which[d]]; /* not a slot */
  for (size_t i = 0; i < count; i++) {
    int64_t amounts[HC_DIMENSIONS];
    hc_demand_of_grant(e, id, &grants[i], amounts);
    for (uint32_t d = 0; d < e->tasks.dimensions; d++)
      if (!hc_hosts_is_shared(e->cell.hosts, d)) out[d] += amounts[which[d]];
  }
}

void hc_tell(hc_engine *e, hc_task id, hc_task_event what, const hc_grant *grants, size_t count)
{
  const uint32_t queue = e->tasks.live[id].queue;
  const hc_wait_queue *q = &e->queues[queue];
  const hc_view v = {.engine = e, .queue = queue};
  int64_t amounts[HC_DIMENSIONS];
  const bool claims = what == HC_TASK_EVENT_ALLOCATED || what == HC_TASK_EVENT_RELEASED;
  if (!q->hearing && !q->sorting[0].follows && !q->sorting[1].follows) return;
  if (claims) memset(amounts, 0, HC_MAX(e->gauge.dimensions, 1) * sizeof *amounts);
  if (claims) sum_of_grants(e, id, grants, count, amounts);
  e->telling.task = claims ? id : HC_NO_TASK;
  e->telling.grants = grants;
  e->telling.count = count;
  for (int i = 0; i < 2; i++)
    if (q->sorting[i].follows)
      hc_engine_note(
          e, q->sorting[i].order->on_task_event(q->sorting[i].state, &v, what, id, claims ? amounts : NULL));
  if (q->hearing)
    hc_engine_note(e, q->hearing->on_task_event(q->hearer, &v, what, id, claims ? amounts : NULL));
  e->telling.task = HC_NO_TASK;
}

hc_rc hc_tell_cell(hc_engine *e)
{
  for (size_t i = 0; i < e->queue_count; i++) {
    const hc_wait_queue *q = &e->queues[i];
    const hc_view v = {.engine = e, .queue = (uint32_t)i};
    if (!q->hearing || !q->hearing->cell_changed) continue;
    TRY(q->hearing->cell_changed(q->hearer, &v));
  }
  return 0;
}

static void tell_placement(const hc_engine *e, const hc_arrival *a)
{
  const bool all = e->gauge.in_spec == e->gauge.dimensions; /* in the spec itself */
  int64_t need[HC_DIMENSIONS];
  if (!all) hc_spec_needs(&a->spec, e->lexicon, need);
  e->place->arrived(e->place_state, all ? a->spec.need : need, all ? HC_NEEDS : HC_DIMENSIONS,
                    HC_MAX(a->slots, 1));
}

/* The placement hears of tasks that come, policies of hosts that change. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_HOST) return e->has_hearers ? hc_tell_cell(e) : 0;
  if (e->place_is_told) tell_placement(e, n->arrival);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->has_hearers || (e->place && e->place_is_told);
}

const hc_part hc_part_hearers = {
    .name = "hearers", .wanted = wanted, .hears = HC_HEARS(ARRIVED) | HC_HEARS(HOST), .on = on};

/* A task that takes hosts whole, or has chunks, may fit on any that is idle. */
static __attribute__((noinline)) void lessen(hc_engine *e, hc_wait_queue *q, hc_task id)
{
  const int64_t *need = hc_need_of(e, id);
  const bool is_plain = !(e->tasks.live[id].bits & HC_LIVE_WHOLE) && hc_cold_of(e, id)->more == 0;
  bool is_less = false;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) {
    const int64_t least = is_plain ? HC_MAX(need[d], 0) : 0;
    if (least >= q->least[d]) continue;
    q->least[d] = least;
    is_less = true;
  }
  q->lessened += is_less;
}

/* Last of its queue, in the order of submission, and nothing rare about it. @return 1; 0: it is none such */
static hc_rc put_last(hc_engine *e, const hc_wait_queue *q, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  if (!q->sorting[0].by_submission || q->sorting[1].order || e->tasks.cold || e->has_speeds) return 0;
  t->key = t->submit;
  return hc_waitlist_append(q->sorting[0].list, t->submit, t->serial, id, t->units, hc_estimate_of(e, id));
}

/* Into each list of its queue, where its key belongs. */
static __attribute__((noinline)) hc_rc put_in_order(hc_engine *e, uint32_t queue, hc_task id, bool new_keys)
{
  const hc_live *t = hc_live_of(e, id);
  for (int i = 0; i < 2; i++) {
    hc_sorting *s = &e->queues[queue].sorting[i];
    if (!s->order) continue;
    if (s->untried > 0) TRY(try_order(e, s, id));
    if (new_keys && s->by_submission) *key_in(e, id, i) = queued_since(e, id);
    else if (new_keys) (void)key_of(&(key_context){e, s, i}, id);
    TRY(hc_waitlist_insert(
        s->list, &(hc_waiting){*key_in(e, id, i), t->serial, id, t->units, hc_least_estimate(e, id)}));
  }
  return 0;
}

static inline hc_rc put(hc_engine *e, uint32_t queue, hc_task id, bool new_keys)
{
  hc_live *t = hc_live_of(e, id);
  if (e->shapes.is_on) {
    const hc_request r = hc_request_of(e, id);
    TRY(hc_shapes_join(&e->shapes, e->allocator, id, &r, e->tasks.dimensions));
  }
  if (!new_keys || put_last(e, &e->queues[queue], id) <= 0) TRY(put_in_order(e, queue, id, new_keys));
  t->state = HC_TASK_WAITING;
  t->queue = (uint8_t)queue;
  e->waiting++;
  if (e->queues[queue].least) lessen(e, &e->queues[queue], id);
  if (e->has_hearers) hc_tell(e, id, HC_TASK_EVENT_QUEUED, NULL, 0);
  if (e->options->max_waiting > 0 && e->waiting - e->deferred > e->options->max_waiting) return too_many(e);
  return 0;
}

/* The order of a policy that names none: one key for all, so that serials decide. */
static int64_t no_key(const hc_policy *self, const hc_order_input *task)
{
  HC_UNUSED(self);
  HC_UNUSED(task);
  return 0;
}

static const hc_order_type by_submission = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "by_submission"}, .key = no_key};

hc_rc hc_sorting_init(hc_engine *e, hc_sorting *s, const hc_chosen *order)
{
  const hc_order_type *type = order && order->type ? (const hc_order_type *)order->type : &by_submission;
  s->order = type;
  const uint32_t flags = type->flags ? type->flags(order ? order->options : NULL) : 0;
  s->varies = (flags & HC_VARIES) != 0;
  s->by_submission = (flags & HC_BY_SUBMISSION) != 0;
  s->untried = s->varies || s->by_submission ? 0 : TRIED;
  s->follows = (flags & HC_FOLLOWS_TASKS) && type->on_task_event;
  e->has_hearers |= s->follows;
  if (type->init)
    TRY(hc_blame(&type->component, type->init(&e->policy_context, order->options, &s->state, e->error),
                 e->error));
  TRY(hc_waitlist_new(e->allocator, &s->list));
  if (e->shapes.is_on) hc_waitlist_know(s->list, &e->shapes.kinds);
  return 0;
}

/* The tasks of a list, in its order, in the scratch arena. */
static hc_rc tasks_of(hc_engine *e, hc_waitlist *list, hc_task **out, size_t *count)
{
  hc_cursor at = {0};
  size_t n = 0;
  *out = hc_arena_alloc(&e->scratch, (hc_waitlist_count(list) + 1) * sizeof **out);
  if (!*out) return HC_ENOMEM;
  for (hc_task t; (t = hc_waitlist_next(list, &at, NULL)) != HC_NO_TASK;) (*out)[n++] = t;
  *count = n;
  return 0;
}

static void sorting_fini(hc_sorting *s)
{
  if (s->order && s->order->fini && s->state) s->order->fini(s->state);
  hc_waitlist_free(s->list);
  *s = (hc_sorting){0};
}

hc_rc hc_queues_resort(hc_engine *e, uint32_t queue, int list, const hc_chosen *order)
{
  hc_sorting *s = &e->queues[queue].sorting[list];
  hc_task *tasks;
  size_t count;
  TRY(tasks_of(e, e->queues[queue].sorting[HC_LIST_QUEUE].list, &tasks, &count));
  sorting_fini(s);
  if (!order) return 0;
  TRY(hc_sorting_init(e, s, order));
  for (size_t i = 0; i < count; i++) {
    const hc_live *t = hc_live_of(e, tasks[i]);
    if (s->by_submission) *key_in(e, tasks[i], list) = queued_since(e, tasks[i]);
    else (void)key_of(&(key_context){e, s, list}, tasks[i]);
    TRY(hc_waitlist_insert(s->list, &(hc_waiting){*key_in(e, tasks[i], list), t->serial, tasks[i], t->units,
                                                  hc_least_estimate(e, tasks[i])}));
  }
  return 0;
}

hc_rc hc_queues_insert(hc_engine *e, uint32_t queue, hc_task t)
{
  return put(e, queue, t, true);
}

hc_rc hc_queues_put_back(hc_engine *e, hc_task t)
{
  return put(e, hc_live_of(e, t)->queue, t, false);
}

void hc_queues_remove(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  HC_ASSERT(t->state == HC_TASK_WAITING);
  for (int i = 0; i < 2; i++) {
    hc_sorting *s = &e->queues[t->queue].sorting[i];
    if (s->order) hc_waitlist_remove(s->list, *key_in(e, id, i), t->serial);
  }
  if (e->shapes.is_on) hc_shapes_leave(&e->shapes, id);
  e->waiting--;
  if (e->has_hearers) hc_tell(e, id, HC_TASK_EVENT_DEQUEUED, NULL, 0);
}

void hc_queues_lift(hc_engine *e, hc_task id)
{
  const hc_live *t = hc_live_of(e, id);
  for (int i = 0; i < 2; i++) {
    hc_sorting *s = &e->queues[t->queue].sorting[i];
    if (s->order) hc_waitlist_remove(s->list, *key_in(e, id, i), t->serial);
  }
}

hc_rc hc_queues_settle(hc_engine *e, hc_task id)
{
  return put_in_order(e, hc_live_of(e, id)->queue, id, true);
}

hc_rc hc_queues_sort(hc_engine *e, uint32_t queue)
{
  for (int i = 0; i < 2; i++) {
    hc_sorting *s = &e->queues[queue].sorting[i];
    if (!s->order || !s->varies) continue;
    if (s->order->advance_to) s->order->advance_to(s->state, e->now);
    TRY(hc_waitlist_rekey(s->list, key_of, &(key_context){e, s, i}));
  }
  return 0;
}

int64_t hc_queues_units(const hc_engine *e)
{
  int64_t sum = 0;
  for (size_t q = 0; q < e->queue_count; q++) {
    int64_t more = hc_waitlist_units(e->queues[q].sorting[0].list);
    if (__builtin_add_overflow(sum, more, &sum)) return INT64_MAX;
  }
  return sum;
}

int64_t hc_queues_smallest(const hc_engine *e)
{
  int64_t least = 0;
  for (size_t q = 0; q < e->queue_count; q++) {
    int64_t here = hc_waitlist_smallest(e->queues[q].sorting[0].list);
    if (here > 0 && (least == 0 || here < least)) least = here;
  }
  return least;
}

/* Each step asks for one that is smaller than the best so far. */
static int64_t smallest_of(const hc_engine *e, hc_waitlist *list)
{
  hc_filter smaller = {.max_units = INT64_MAX, .max_estimate = HC_NEVER};
  hc_cursor at = {0};
  int64_t best = 0;
  hc_task id;
  while ((id = hc_waitlist_next(list, &at, &smaller)) != HC_NO_TASK) {
    if (e->tasks.live[id].deferred) continue;
    best = e->tasks.live[id].units;
    smaller.max_units = best - 1;
  }
  return best;
}

int64_t hc_queues_smallest_due(const hc_engine *e)
{
  int64_t least = 0;
  for (size_t q = 0; q < e->queue_count; q++) {
    const int64_t here = smallest_of(e, e->queues[q].sorting[HC_LIST_QUEUE].list);
    if (here > 0 && (least == 0 || here < least)) least = here;
  }
  return least;
}

hc_rc hc_queues_visit(hc_engine *e, hc_visitor *v)
{
  for (size_t q = 0; q < e->queue_count; q++)
    for (int i = 0; i < 2; i++)
      if (e->queues[q].sorting[i].order) TRY(hc_waitlist_visit(e->queues[q].sorting[i].list, v));
  for (size_t q = 0; q < e->queue_count; q++)
    for (int i = 0; i < 2; i++) {
      const hc_sorting *s = &e->queues[q].sorting[i];
      if (s->order && s->order->visit) TRY(s->order->visit(s->state, v));
    }
  for (size_t q = 0; q < e->queue_count; q++)
    if (e->queues[q].place_state && e->queues[q].place->visit)
      TRY(e->queues[q].place->visit(e->queues[q].place_state, v));
  for (size_t q = 0; q < e->queue_count; q++) {
    if (!e->queues[q].least) continue;
    TRY(hc_visit_bytes(v, e->queues[q].least, e->tasks.dimensions * sizeof *e->queues[q].least));
    HC_VISIT(v, e->queues[q].lessened);
  }
  return 0;
}

void hc_queues_fini(hc_engine *e)
{
  for (size_t q = 0; q < e->queue_count; q++) {
    for (int i = 0; i < 2; i++) {
      hc_sorting *s = &e->queues[q].sorting[i];
      if (s->order && s->order->fini && s->state) s->order->fini(s->state);
      hc_waitlist_free(s->list);
    }
    hc_free(e->allocator, e->queues[q].least, e->tasks.dimensions * sizeof *e->queues[q].least);
    if (e->queues[q].place_state && e->queues[q].place->fini)
      e->queues[q].place->fini(e->queues[q].place_state);
  }
  hc_free(e->allocator, e->queues, e->queue_count * sizeof *e->queues);
}
