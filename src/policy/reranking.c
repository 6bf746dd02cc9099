/* reranking.c -- see reranking.h. */
#include "policy/reranking.h"

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

enum { QUEUE_SCAN, QUEUE_BLOCKING };
enum { STOP_CHECKPOINT, STOP_REQUEUE };

/* ---- books ---- */

static hc_rc make_place(hc_reranking *r, hc_task t)
{
  TRY(hc_reserve(r->allocator, (void **)&r->jobs, &r->cap, (size_t)t + 1, sizeof *r->jobs));
  for (; r->count <= t; r->count++) r->jobs[r->count] = (hc_ranked){.serial = HC_NO_SERIAL};
  return 0;
}

/* GPUs where the cell has some, and 1 for a task that asks for none; else processors, or cores. */
static double weight_of(const hc_services *s, const hc_view *v, hc_task t, const int64_t *amounts)
{
  const uint32_t dimensions = s->dimensions(v);
  const int64_t slots = s->slots(v, t);
  for (uint32_t d = 0; d < dimensions; d++) {
    if (s->dimension_id(v, d) != HC_DIM_GPU || s->capacity(v, d) == 0) continue;
    const double gpus = amounts ? (double)amounts[d] : (double)s->demand(v, t, d) * (double)slots;
    return gpus > 0 ? gpus / HC_DEVICE : 1;
  }
  return slots > 0 ? HC_MAX((double)s->units(v, t), 1) / 1000 : (double)s->units(v, t);
}

static hc_rc queued(hc_reranking *r, const hc_view *v, hc_task t)
{
  const uint64_t serial = r->s->serial(v, t);
  hc_ranked *j;
  TRY(make_place(r, t));
  j = &r->jobs[t];
  /* Another was here, which is over. */
  if (j->serial != serial && j->serial != HC_NO_SERIAL && !j->is_over && r->rule->over)
    TRY(r->rule->over(r, j));
  if (j->serial != serial)
    *j = (hc_ranked){.serial = serial,
                     .task = t,
                     .first = HC_NEVER,
                     .promoted = HC_NEVER,
                     .waits = HC_UNKNOWN,
                     .weight = weight_of(r->s, v, t, NULL)};
  if (j->is_over && r->rule->back) r->rule->back(r, j);
  /* It also comes back from a start that is undone: then it waits as long as before. */
  if (j->waits == HC_UNKNOWN || j->held != j->held_then) j->waits = r->s->now(v);
  j->held_then = j->held;
  j->is_over = 0;
  j->state = HC_RANKED_WAITS;
  return 0;
}

/* Undoing a stop is heard so, too: then it has run all the time. */
static void allocated(const hc_reranking *r, const hc_view *v, hc_task t, const int64_t *amounts)
{
  const hc_time now = r->s->now(v), started = r->s->started(v, t);
  hc_ranked *j = &r->jobs[t];
  j->state = HC_RANKED_RUNS;
  j->since = started == HC_UNKNOWN ? now : started;
  j->held -= now - j->since;
  if (j->first == HC_NEVER) j->first = j->since;
  j->weight = weight_of(r->s, v, t, amounts);
}

/* So is undoing a start: it has not started, then. */
static void released(const hc_reranking *r, const hc_view *v, hc_task t)
{
  hc_ranked *j = &r->jobs[t];
  const hc_time now = r->s->now(v);
  j->held = hc_ranked_held(j, now);
  j->state = HC_RANKED_AWAY;
  if (j->held == 0 && j->first == now) j->first = HC_NEVER;
}

hc_rc hc_reranking_hear(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                        const int64_t *amounts)
{
  hc_reranking *r = (hc_reranking *)self;
  if (what == HC_TASK_EVENT_QUEUED) return queued(r, v, t);
  if (t >= r->count || r->jobs[t].serial != r->s->serial(v, t)) return 0;
  if (what == HC_TASK_EVENT_ALLOCATED) allocated(r, v, t, amounts);
  else if (what == HC_TASK_EVENT_RELEASED) released(r, v, t);
  else if (r->jobs[t].state == HC_RANKED_WAITS) r->jobs[t].state = HC_RANKED_AWAY;
  return 0;
}

/* What ended since is only told apart from what waits out of sight by asking. */
static hc_rc look_for_ended(hc_reranking *r, const hc_view *v)
{
  if (!r->rule->over) return 0;
  for (size_t i = 0; i < r->count; i++) {
    hc_ranked *j = &r->jobs[i];
    if (j->serial == HC_NO_SERIAL || j->state != HC_RANKED_AWAY || j->is_over) continue;
    if (r->s->find(v, j->serial) != HC_NO_TASK) continue;
    j->is_over = 1;
    TRY(r->rule->over(r, j));
  }
  return 0;
}

/* ---- ranks ---- */

static bool is_before(const hc_ranked *a, const hc_ranked *b)
{
  if (a->level != b->level) return a->level < b->level;
  if (a->key != b->key) return a->key < b->key;
  if (a->state != b->state) return a->state == HC_RANKED_RUNS;
  if (a->first != b->first) return a->first < b->first;
  return a->serial < b->serial;
}

HC_SORT(sort_ranked, const hc_ranked *, is_before(*a, *b))

typedef struct ranking {
  const hc_ranked **all; /* [count] in the order of their ranks */
  size_t count;
  hc_room_task *may_go; /* room for those that may be stopped */
  int64_t *behind;      /* [count] units that those behind could free */
  bool *runs;           /* [by task] it did when the decision began */
  size_t leaving;       /* tasks that have been told to go */
  int64_t leave;        /* units that they free */
  size_t last;          /* the last that may be stopped, or 0 */
  size_t end;           /* the walk's */
} ranking;

static hc_rc rank_all(hc_reranking *r, hc_view *v, ranking *k)
{
  const hc_services *s = r->s;
  const hc_time now = s->now(v);
  k->all = s->scratch(v, (r->count + 1) * sizeof *k->all);
  k->may_go = s->scratch(v, (r->count + 1) * sizeof *k->may_go);
  k->behind = s->scratch(v, (r->count + 1) * sizeof *k->behind);
  k->runs = s->scratch(v, r->count + 1);
  if (!k->all || !k->may_go || !k->behind || !k->runs) return HC_ENOMEM;
  for (size_t i = 0; i < r->count; i++) {
    hc_ranked *j = &r->jobs[i];
    if (j->state == HC_RANKED_AWAY) continue;
    if (j->state == HC_RANKED_WAITS && s->not_before(v, j->task) > now) continue;
    r->rule->rank(r, v, j);
    k->runs[i] = j->state == HC_RANKED_RUNS;
    k->all[k->count++] = j;
  }
  sort_ranked(k->all, k->count);
  k->end = k->count;
  return 0;
}

/* It has been told to go. Of a task that this plan has started that is not known. */
static bool is_leaving(const hc_reranking *r, const hc_view *v, const hc_ranked *j)
{
  const hc_time at = r->o->grace > 0 && j->state == HC_RANKED_RUNS ? r->s->leaves(v, j->task) : HC_NEVER;
  return at != HC_NEVER && at != HC_UNKNOWN;
}

/* Not those that this plan has started, nor those that go already. */
static bool may_stop(hc_reranking *r, const hc_view *v, const ranking *k, const hc_ranked *j)
{
  return j->state == HC_RANKED_RUNS && k->runs[j->task] && !is_leaving(r, v, j) &&
         (!r->rule->may_stop || r->rule->may_stop(r, v, j));
}

/* ---- the decision ---- */

hc_stopping hc_reranking_stopping(const hc_reranking *r)
{
  return (hc_stopping){.how = r->o->on_preempt == STOP_REQUEUE ? HC_STOP_REQUEUE : HC_STOP_CHECKPOINT,
                       .grace = r->o->grace,
                       .every = r->o->checkpoint_every,
                       .overhead = r->o->restart_overhead};
}

/* Those that go already, wherever they stand, then those behind number `at`, the last first. */
static size_t gather(hc_reranking *r, const hc_view *v, const ranking *k, size_t at)
{
  size_t n = 0;
  for (size_t i = 0; i < k->count && n < k->leaving; i++)
    if (is_leaving(r, v, k->all[i]))
      k->may_go[n++] = (hc_room_task){r->s->units(v, k->all[i]->task), k->all[i]->task, 0};
  for (size_t i = k->count; i-- > at + 1;)
    if (may_stop(r, v, k, k->all[i]))
      k->may_go[n++] = (hc_room_task){r->s->units(v, k->all[i]->task), k->all[i]->task, 0};
  return n;
}

static void add_up_leaving(hc_reranking *r, const hc_view *v, ranking *k)
{
  for (size_t i = 0; i < k->count && r->o->grace > 0; i++) {
    if (!is_leaving(r, v, k->all[i])) continue;
    k->leave += r->s->units(v, k->all[i]->task);
    k->leaving++;
  }
}

static void add_up_behind(hc_reranking *r, const hc_view *v, ranking *k)
{
  int64_t units = 0;
  k->last = 0;
  for (size_t i = k->count; i-- > 0;) {
    k->behind[i] = units;
    if (!may_stop(r, v, k, k->all[i])) continue;
    units += r->s->units(v, k->all[i]->task);
    k->last = HC_MAX(k->last, i);
  }
}

/* What has been stopped waits again from the next decision of this instant on: until then none that stands
 * behind it starts, which it would have to stop. */
static void bar(ranking *k)
{
  for (size_t i = 0; i < k->end; i++)
    if (k->runs[k->all[i]->task] && k->all[i]->state == HC_RANKED_AWAY) k->end = i;
}

/* Tell those of the list to go that do not go yet, and let nothing start that stands behind. */
static hc_rc tell(hc_reranking *r, const hc_view *v, hc_plan *p, ranking *k, size_t at, size_t count)
{
  const hc_stopping how = hc_reranking_stopping(r);
  const hc_task t = k->all[at]->task;
  size_t told = 0;
  for (size_t i = 0; i < count; i++) {
    if (r->s->leaves(v, k->may_go[i].task) != HC_NEVER) continue;
    TRY(r->s->stop(p, k->may_go[i].task, &how));
    told++;
  }
  r->stops += (int64_t)told;
  k->end = at;
  if (r->s->explaining(v))
    r->s->explain(v, t, "%zu running task%s of lower rank told to go for it, %zu of them before", count,
                  count == 1 ? "" : "s", count - told);
  return 1;
}

/* @return 1: it has started, or will when others have gone; 0: there is no room for it */
static hc_rc start_one(hc_reranking *r, hc_view *v, hc_plan *p, ranking *k, size_t at)
{
  const hc_services *s = r->s;
  const hc_task t = k->all[at]->task;
  const hc_stopping how = hc_reranking_stopping(r);
  const hc_plan_mark mark = s->mark(p);
  size_t count = 0;
  hc_rc rc;
  if (s->units(v, t) - s->free_units(v) > k->behind[at] + k->leave) return 0;
  if ((at < k->last || k->leaving > 0) && !s->fits(v, t)) count = gather(r, v, k, at);
  TRY(rc = hc_room_make(s, v, p, t, k->may_go, &count));
  if (rc == 0) return 0;
  if (count > 0 && how.grace > 0) return tell(r, v, p, k, at, count);
  TRY(hc_room_stop(s, p, k->may_go, count, &how));
  rc = s->start(p, t, NULL, 0);
  if (rc == HC_EPOLICY) return s->take_back(p, &mark);
  if (rc < 0) return rc;
  r->stops += (int64_t)count;
  if (count > 0) {
    add_up_behind(r, v, k);
    bar(k);
  }
  if (count > 0 && s->explaining(v))
    s->explain(v, t, "%zu running task%s of lower rank stopped for it", count, count == 1 ? "" : "s");
  return 1;
}

/* The first time at which a rank changes by itself. It matters only to tasks that wait. */
static hc_rc arm(hc_reranking *r, const hc_view *v, hc_plan *p)
{
  const hc_time now = r->s->now(v);
  hc_time at = HC_NEVER;
  if (!r->rule->until || r->s->queued(v) == 0) return 0;
  for (size_t i = 0; i < r->count; i++) {
    const hc_ranked *j = &r->jobs[i];
    if (j->state == HC_RANKED_AWAY) continue;
    const hc_time its = r->rule->until(r, v, j);
    if (its > now && its < at) at = its;
  }
  if (at == HC_NEVER || (at == r->armed && r->armed > now)) return 0;
  r->armed = at;
  return r->s->wake(p, at);
}

hc_rc hc_reranking_decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  hc_reranking *r = (hc_reranking *)self;
  const int64_t was = r->stops;
  ranking k = {0};
  HC_UNUSED(why);
  TRY(look_for_ended(r, v));
  if (r->rule->begin) TRY(r->rule->begin(r, v));
  if (r->s->queued(v) == 0) return 0;
  TRY(rank_all(r, v, &k));
  add_up_leaving(r, v, &k);
  add_up_behind(r, v, &k);
  for (size_t i = 0; i < k.end; i++) {
    if (k.all[i]->state != HC_RANKED_WAITS) continue;
    const hc_rc rc = start_one(r, v, p, &k, i);
    if (rc < 0) return rc;
    if (rc == 0 && r->o->queue == QUEUE_BLOCKING) break;
  }
  if (r->stops > was && r->o->grace == 0)
    TRY(r->s->wake(p, r->s->now(v))); /* those that were stopped wait again: what of them? */
  return arm(r, v, p);
}

/* ---- life ---- */

hc_rc hc_reranking_new(const hc_policy_context *c, const hc_reranking_options *o, const hc_rerank_rule *rule,
                       size_t size, const char *where, hc_policy **out, hc_error *e)
{
  hc_reranking *r;
  if (o->on_preempt == STOP_REQUEUE && (o->checkpoint_every > 0 || o->restart_overhead > 0))
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "checkpoint_every and restart_overhead are of tasks that save their work: set on_preempt: "
                   "checkpoint, or leave them out");
  r = hc_alloc(c->allocator, size);
  if (!r) return HC_ENOMEM;
  r->s = c->services;
  r->allocator = c->allocator;
  r->o = o;
  r->rule = rule;
  r->size = size;
  r->armed = HC_NEVER;
  *out = (hc_policy *)r;
  return 0;
}

void hc_reranking_parts(const void *options, hc_policy_parts *out)
{
  const hc_reranking_options *o = options;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

/* What is loaded may come from a damaged file. */
static bool is_sound(const hc_reranking *r)
{
  for (size_t i = 0; i < r->count; i++)
    if (r->jobs[i].state > HC_RANKED_RUNS || (r->jobs[i].serial != HC_NO_SERIAL && r->jobs[i].task != i))
      return false;
  return true;
}

hc_rc hc_reranking_visit(hc_policy *self, hc_visitor *v)
{
  hc_reranking *r = (hc_reranking *)self;
  for (size_t i = 0; i < r->count; i++) r->jobs[i].level = r->jobs[i].key = 0;
  HC_VISIT_ARRAY(v, r->jobs, r->count, r->cap);
  HC_VISIT(v, r->armed);
  HC_VISIT(v, r->stops);
  return hc_visit_loading(v) && !is_sound(r) ? HC_EINPUT : 0;
}

void hc_reranking_fini(hc_policy *self)
{
  hc_reranking *r = (hc_reranking *)self;
  hc_free(r->allocator, r->jobs, r->cap * sizeof *r->jobs);
  hc_free(r->allocator, r, r->size);
}
