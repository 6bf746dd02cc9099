/* services.c -- what an architecture may call: queues, views, commits, timers. */
#include <string.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/claims.h"
#include "engine/commit.h"
#include "engine/dependencies.h"
#include "engine/explain.h"
#include "engine/host_events.h"
#include "engine/incidents.h"
#include "engine/news.h"
#include "engine/outside.h"
#include "engine/plan.h"
#include "engine/queues.h"
#include "engine/reservations.h"
#include "engine/services.h"
#include "engine/tasks.h"
#include "engine/timers.h"
#include "engine/undeclared.h"
#include "engine/views.h"
#include "engine/work.h"

static hc_time engine_now(const hc_engine *e)
{
  return e->now;
}

/* ---- queues ---- */

static hc_rc watch_least(hc_engine *e, hc_wait_queue *q);

static hc_rc engine_queue_new(hc_engine *e, const hc_chosen *order, const hc_chosen *candidates,
                              uint32_t *queue)
{
  size_t n = e->queue_count;
  hc_wait_queue *grown;
  if (n >= HC_QUEUE_LIMIT)
    return hc_fail(e->error, HC_ELIMIT, "architecture", 0, 0, "more than %d queues in one run",
                   HC_QUEUE_LIMIT);
  grown = e->allocator->resize(e->allocator->ctx, e->queues, n * sizeof *grown, (n + 1) * sizeof *grown);
  if (!grown) return HC_ENOMEM;
  e->queues = grown;
  e->queues[n] = (hc_wait_queue){0};
  e->queue_count++;
  *queue = (uint32_t)n;
  TRY(watch_least(e, &e->queues[n]));
  TRY(hc_sorting_init(e, &e->queues[n].sorting[HC_LIST_QUEUE], order));
  return candidates ? hc_sorting_init(e, &e->queues[n].sorting[HC_LIST_CANDIDATES], candidates) : 0;
}

static void engine_follow(hc_engine *e, uint32_t queue, const hc_policy_type *type, hc_policy *policy)
{
  if (type->outcome) {
    e->queues[queue].planning = type;
    e->queues[queue].planner = policy;
  }
  if (!hc_policy_follows(type, e->queues[queue].policy.options)) return;
  e->queues[queue].hearing = type;
  e->queues[queue].hearer = policy;
  e->has_hearers = true;
}

static uint32_t engine_hosts(const hc_engine *e)
{
  return e->cell.hosts ? e->cell_spec.units : 0;
}

static size_t engine_queued(const hc_engine *e, uint32_t queue)
{
  return hc_waitlist_count(e->queues[queue].sorting[HC_LIST_QUEUE].list);
}

static size_t engine_planned(const hc_plan *p)
{
  return p->count;
}

static hc_task engine_first(hc_engine *e, uint32_t queue)
{
  const hc_rc rc = hc_queues_sort(e, queue);
  hc_engine_note(e, rc);
  return rc < 0 || engine_queued(e, queue) == 0
             ? HC_NO_TASK
             : hc_waitlist_at(e->queues[queue].sorting[HC_LIST_QUEUE].list, 0);
}

static hc_task engine_plan_start(const hc_plan *p, size_t k)
{
  return p->actions[k].kind == HC_ACTION_START ? p->actions[k].task : HC_NO_TASK;
}

static hc_rc engine_withdraw_others(hc_engine *e, uint32_t queue)
{
  const hc_tasks *ts = &e->tasks;
  for (size_t i = ts->reserved_count; i-- > 0;) /* the last takes the place of one that goes */
    if (ts->live[ts->reserved[i]].queue != queue)
      TRY(hc_apply_reservation(e, ts->reserved[i], HC_NEVER, NULL, 0));
  return 0;
}

static bool engine_room(const hc_engine *e, uint32_t queue, uint32_t host)
{
  const hc_wait_queue *q = &e->queues[queue];
  if (host != HC_ALL_HOSTS) return !q->least || hc_hosts_has_room(e->cell.hosts, host, q->least);
  for (uint32_t d = 0; q->least && d < e->tasks.dimensions; d++)
    if (hc_hosts_free_most(e->cell.hosts, d) < q->least[d]) return false;
  return q->least || e->cell.hosts || e->cell.free > 0;
}

static uint64_t engine_least(const hc_engine *e, uint32_t queue)
{
  return e->queues[queue].lessened;
}

/* A task that is held for others comes when one of them starts, ends or leaves, and by no clock. Asked where
 * nothing else is left. */
static bool waits_for_time(const hc_engine *e)
{
  if (e->deferred > 0) return true;
  for (size_t i = 0; e->tasks_held > 0 && i < e->tasks.count; i++)
    if (e->tasks.live[i].state == HC_TASK_HELD && !hc_dependencies_hold(e, (hc_task)i)) return true;
  return false;
}

static bool engine_is_still(const hc_engine *e)
{
  const bool no_more = !e->has_arrival && (e->source_ended || e->source_waits);
  return e->running == 0 && e->suspended == 0 && no_more && !hc_host_events_left(e) && !e->loads &&
         !waits_for_time(e);
}

static bool engine_more_arrive(const hc_engine *e)
{
  return e->has_arrival || !(e->source_ended || e->source_waits);
}

/* Kept where it will be asked for. */
static hc_rc watch_least(hc_engine *e, hc_wait_queue *q)
{
  if (!e->cell.hosts || !e->architecture_type->offers_hosts) return 0;
  q->least = hc_alloc(e->allocator, e->tasks.dimensions * sizeof *q->least);
  if (!q->least) return HC_ENOMEM;
  for (uint32_t d = 0; d < e->tasks.dimensions; d++) q->least[d] = INT64_MAX;
  return 0;
}

/* Questions about tasks need no more of a view than the engine behind it. */
static const hc_view *engine_task_view(const hc_engine *e)
{
  return &e->glance;
}

static hc_rc engine_enqueue(hc_engine *e, uint32_t queue, hc_task t)
{
  if (hc_live_of(e, t)->state == HC_TASK_WAITING) {
    TRY(hc_apply_reservation(e, t, HC_NEVER, NULL, 0));
    hc_queues_remove(e, t);
  }
  return hc_queues_insert(e, queue, t);
}

static hc_rc engine_queue_place(hc_engine *e, uint32_t queue, const hc_chosen *place)
{
  const hc_place_type *p = place ? (const hc_place_type *)place->type : NULL;
  hc_wait_queue *q = &e->queues[queue];
  if (!p) return 0;
  if (!e->cell.hosts || !p->chooser)
    return hc_fail(
        e->error, HC_EUNSUPPORTED, "architecture", 0, 0,
        "the placement %s cannot be a scheduler's own: that needs a cell of hosts, and a placement for "
        "hosts such as first_fit, random or best_fit",
        p->component.name);
  if (p->arrived || e->reserve->type->holds_hosts)
    return hc_fail(e->error, HC_EUNSUPPORTED, "architecture", 0, 0,
                   "the placement %s cannot be a scheduler's own: %s", p->component.name,
                   p->arrived ? "it learns from all tasks; make it the policy's placement"
                              : "hosts are promised by the policy's placement");
  q->place = p;
  e->has_places = true;
  if (p->init)
    TRY(hc_blame(&p->component, p->init(&e->policy_context, place->options, &q->place_state, e->error),
                 e->error));
  p->chooser(place->options, q->place_state, &q->chooser);
  return 0;
}

static hc_rc engine_count_starts(hc_engine *e)
{
  if (!e->cell.hosts)
    return hc_fail(
        e->error, HC_EUNSUPPORTED, "architecture", 0, 0,
        "starts are numbered by host, and this cell has none: use `cell: {use: hosts, ...}`, or conflicts "
        "by fit");
  if (e->last_start) return 0;
  e->last_start = hc_alloc(e->allocator, e->cell_spec.units * sizeof *e->last_start);
  return e->last_start ? 0 : HC_ENOMEM;
}

static bool engine_could(const hc_engine *e, hc_task t, uint32_t host)
{
  const hc_request r = hc_request_of(e, t);
  return hc_hosts_could_on(e->cell.hosts, &r, host);
}

/* ---- views and plans ---- */

static hc_rc engine_plan_load(hc_engine *e, const void *bytes, size_t size, hc_plan **out)
{
  *out = &e->loaded;
  return hc_plan_load(&e->loaded, bytes, size);
}

static hc_rc engine_plan_save(hc_engine *e, const hc_plan *p, void **bytes, size_t *size)
{
  HC_UNUSED(e);
  return hc_plan_save(p, bytes, size);
}

static size_t engine_plan_sift(hc_engine *e, hc_plan *p, bool (*may)(void *ctx, hc_task t), void *ctx)
{
  size_t kept = 0;
  for (size_t i = 0; i < p->count; i++) {
    const hc_action *a = &p->actions[i];
    const hc_live *t = a->kind == HC_ACTION_START && a->task < e->tasks.count ? hc_live_of(e, a->task) : NULL;
    const bool is_asked = t && t->serial == a->serial && t->state == HC_TASK_WAITING;
    if (!is_asked || may(ctx, a->task)) p->actions[kept++] = *a;
    else hc_plan_tell(e, p, a, HC_ECONFLICT);
  }
  const size_t out = p->count - kept;
  p->count = kept;
  return out;
}

static void engine_plan_pick(hc_plan *p, size_t k, size_t count)
{
  HC_ASSERT(k + count <= p->count);
  memmove(p->actions, p->actions + k, count * sizeof *p->actions);
  p->count = count;
}

static bool engine_plan_joined(const hc_plan *p, size_t k)
{
  const hc_action *a = &p->actions[k];
  return p->engine->actions[a->kind]->may_join && (a->how & HC_ACTION_JOINED) != 0;
}

const hc_engine_services hc_architecture_services = {
    .size = (uint32_t)sizeof(hc_engine_services),
    .abi = HC_ABI,
    .now = engine_now,
    .queue_new = engine_queue_new,
    .enqueue = engine_enqueue,
    .queued = engine_queued,
    .view_open = hc_view_open,
    .view_close = hc_view_close,
    .commit = hc_commit,
    .plan_save = engine_plan_save,
    .plan_load = engine_plan_load,
    .timer = hc_timer_set,
    .explaining = hc_explaining,
    .follow = engine_follow,
    .hosts = engine_hosts,
    .planned = engine_planned,
    .room = engine_room,
    .least = engine_least,
    .is_still = engine_is_still,
    .task_view = engine_task_view,
    .queue_place = engine_queue_place,
    .count_starts = engine_count_starts,
    .could = engine_could,
    .plan_sift = engine_plan_sift,
    .molds = hc_mold_open,
    .mold = hc_mold,
    .policy_context = hc_policy_context_for,
    .decide = hc_outside_decide,
    .first = engine_first,
    .plan_start = engine_plan_start,
    .withdraw_others = engine_withdraw_others,
    .view_limit = hc_view_limit,
    .more_arrive = engine_more_arrive,
    .is_outside = hc_news_is_outside,
    .tell = hc_news_tell,
    .next_news = hc_news_next,
    .plan_pick = engine_plan_pick,
    .plan_joined = engine_plan_joined,
    .is_own_task = hc_news_is_own_task,
    .incident_lists = hc_incidents_lists,
    .incidents = hc_incidents_of,
    .happen = hc_incidents_happen,
    .rest = hc_news_rest,
};
