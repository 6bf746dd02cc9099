/* kubernetes.c -- one loop over pods, each by itself: filter some hosts, score them, bind.
 *
 * A pod is a task; its job does not matter. The loop takes the first of the active queue (priority, then
 * since when it is in it) and looks through hosts, round and round from where it stopped last, until it has
 * found enough that have room: all of a small cell, a share of a large one. The placement chooses among
 * those. No pod is blocked: one that fits nowhere is parked, until something ends or a host changes, or for
 * five minutes; and it is tried again at the earliest when its back-off is over, which doubles with each
 * attempt.
 *
 * What the loop sees is the cell when it takes the pod; it binds when the decision is over. Nothing else
 * starts anything, so that only hosts that go away meanwhile refuse it. Sources: kube-scheduler's queues and
 * sampling, as in Kubernetes 1.2x (scheduling_queue, numFeasibleNodesToFind).
 *
 * With `preempts` a pod that fits nowhere takes the room of pods of lower priority on one host (evicting.c).
 * Kubernetes nominates the host, lets the victims terminate, and binds the pod in a later turn; here they
 * have no time to terminate, and the pod is bound when its turn is over, so that none can take what was made
 * free.
 *
 * Not done: gates, hints by event, affinity to other pods, flushing by the clock (every second, every 30
 * s): queues move at the very time. */
#include "architecture/counts.h"
#include "architecture/evicting.h"
#include "architecture/one_host.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "hindcast/architecture.h"

enum { TIMER_BIND = 0, TIMER_QUEUES = 1 };

typedef struct options {
  hc_time think, think_host, back_off, back_off_most, flush;
  int64_t share, feasible;
  hc_chosen place;
  bool preempts;
  int on_preempt; /* hc_stop */
} options;

typedef enum pod_state { POD_NONE, POD_ACTIVE, POD_BACKS_OFF, POD_PARKED, POD_AT_LOOP } pod_state;

typedef struct pod {
  uint64_t serial, entry; /* entry: number of its place in a queue; others of it are void */
  hc_time came, tried;
  int64_t attempts;
  uint32_t state, padding;
} pod;

/* A place in a queue: lower keys first. */
typedef struct place {
  int64_t first;
  hc_time at;
  uint64_t entry;
  uint32_t task, padding;
} place;

typedef struct line {
  place *items; /* a heap */
  size_t count, cap;
} line;

typedef struct counts {
  uint64_t attempts, bound, parked, backed_off, moved, flushed, refused, nowhere, examined, feasible,
      preempting, victims;
  double busy; /* ns */
  hc_counted wait, first;
} counts;

struct hc_architecture {
  hc_architecture_context c;
  const options *o;
  const hc_services *ask;
  hc_policy_type listener;
  uint32_t queue, hosts;
  uint32_t *found;  /* [hosts] */
  hc_range *ranges; /* [hosts] */
  hc_task moved;    /* that the architecture itself files or starts */
  hc_evicting evicting;
  /* state */
  pod *pods;
  size_t pod_count, pod_cap;
  line active, resting, parked; /* parked: by the time of flushing */
  uint64_t entries, events;
  hc_time armed;
  uint32_t next; /* host at which the next pod's search begins */
  uint32_t is_busy, at, has_event;
  uint64_t events_seen; /* when the loop took its pod */
  uint64_t serial;      /* of that */
  hc_time since;
  void *plan;
  size_t plan_size, plan_cap;
  counts n;
};

static hc_time now_of(const hc_architecture *self)
{
  return self->c.services->now(self->c.engine);
}

static const hc_view *task_view(const hc_architecture *self)
{
  return self->c.services->task_view(self->c.engine);
}

/* ---- queues ---- */

HC_HEAP(line, place,
        a->first != b->first ? a->first < b->first
        : a->at != b->at     ? a->at < b->at
                             : a->entry < b->entry)

static hc_rc put(hc_architecture *self, line *l, hc_task t, pod_state state, int64_t first, hc_time at)
{
  const place x = {.first = first, .at = at, .entry = ++self->entries, .task = t};
  TRY(hc_reserve(self->c.allocator, (void **)&l->items, &l->cap, l->count + 1, sizeof *l->items));
  line_rise(l->items, l->count++, x);
  self->pods[t].state = state;
  self->pods[t].entry = x.entry;
  return 0;
}

/* The first that is still there. @return false: none is */
static bool first_of(const hc_architecture *self, line *l, place *out)
{
  while (l->count > 0) {
    *out = l->items[0];
    if (self->pods[out->task].entry == out->entry) return true;
    (void)line_pop(l->items, &l->count);
  }
  return false;
}

static hc_rc activate(hc_architecture *self, hc_task t)
{
  return put(self, &self->active, t, POD_ACTIVE, -self->ask->priority(task_view(self), t), now_of(self));
}

/* When its next attempt may be: 1, 2, 4 ... after the last. */
static hc_time back_off_ends(const hc_architecture *self, const pod *p)
{
  hc_time wait = self->o->back_off;
  for (int64_t i = 1; i < p->attempts && wait < self->o->back_off_most; i++) wait = hc_time_add(wait, wait);
  return hc_time_add(p->tried, HC_MIN(wait, self->o->back_off_most));
}

static hc_rc return_to_queue(hc_architecture *self, hc_task t)
{
  const hc_time at = back_off_ends(self, &self->pods[t]);
  if (at <= now_of(self)) return activate(self, t);
  self->n.backed_off++;
  return put(self, &self->resting, t, POD_BACKS_OFF, at, at);
}

static hc_rc park(hc_architecture *self, hc_task t)
{
  const hc_time at = hc_time_add(now_of(self), self->o->flush);
  self->n.parked++;
  return put(self, &self->parked, t, POD_PARKED, at, at);
}

/* Something has become free, those who were parked long enough, and those whose back-off is over. */
static hc_rc move_queues(hc_architecture *self)
{
  place x;
  while (first_of(self, &self->parked, &x) && (self->has_event || x.at <= now_of(self))) {
    (void)line_pop(self->parked.items, &self->parked.count);
    self->n.moved += self->has_event;
    self->n.flushed += !self->has_event;
    TRY(return_to_queue(self, x.task));
  }
  self->has_event = 0;
  while (first_of(self, &self->resting, &x) && x.at <= now_of(self)) {
    (void)line_pop(self->resting.items, &self->resting.count);
    TRY(activate(self, x.task));
  }
  return 0;
}

/* Where nothing can happen any more no pod is flushed: it would be in vain for ever. */
static hc_rc arm(hc_architecture *self)
{
  hc_time at = HC_NEVER;
  place x;
  if (first_of(self, &self->resting, &x)) at = x.at;
  if (first_of(self, &self->parked, &x) && !self->c.services->is_still(self->c.engine)) at = HC_MIN(at, x.at);
  if (at == HC_NEVER || (at >= self->armed && self->armed > now_of(self))) return 0;
  self->armed = at;
  return self->c.services->timer(self->c.engine, at, TIMER_QUEUES);
}

/* ---- a pod's turn ---- */

static uint32_t enough(const hc_architecture *self)
{
  const int64_t n = self->hosts;
  const int64_t percent = self->o->share > 0 ? self->o->share : HC_MAX(50 - n / 125, 5);
  return (uint32_t)HC_MIN(HC_MAX(n * percent / 100, self->o->feasible), n);
}

/* What was found, round and round from `next`, as ranges that ascend. */
static size_t as_ranges(const hc_architecture *self, uint32_t count)
{
  uint32_t turn = 0;
  size_t n = 0;
  while (turn < count && (turn == 0 || self->found[turn] > self->found[turn - 1])) turn++;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t host = self->found[(turn + i) % count];
    if (n > 0 && self->ranges[n - 1].first + self->ranges[n - 1].count == host) self->ranges[n - 1].count++;
    else self->ranges[n++] = (hc_range){host, 1};
  }
  return n;
}

/* Gather hosts with room, from the `*seen`th after `next` on. */
static uint32_t filter(hc_architecture *self, hc_task t, const hc_one_host_need *need, uint32_t *seen)
{
  const uint32_t wanted = enough(self);
  uint32_t count = 0;
  for (; *seen < self->hosts && count < wanted; ++*seen) {
    const uint32_t host = (self->next + *seen) % self->hosts;
    if (hc_one_host_has_room(self->ask, task_view(self), host, need, NULL) &&
        self->c.services->could(self->c.engine, t, host))
      self->found[count++] = host;
  }
  return count;
}

/* Let the placement choose among those that were found. @return 1: the view is open, and the start planned;
 * 0: none will do, though amounts would */
static hc_rc choose(hc_architecture *self, hc_task t, uint32_t count, hc_view **v, hc_plan **p)
{
  const hc_engine_services *s = self->c.services;
  hc_rc rc;
  TRY(s->view_open(self->c.engine, self->queue, self->ranges, as_ranges(self, count), v, p));
  self->moved = t;
  rc = self->ask->start(*p, t, NULL, 0);
  if (rc == 0) return 1;
  self->moved = HC_NO_TASK;
  TRY(s->view_close(self->c.engine, *v, false));
  return rc == HC_EPOLICY ? 0 : rc;
}

static bool is_anywhere(const hc_architecture *self, hc_task t)
{
  for (uint32_t h = 0; h < self->hosts; h++)
    if (self->c.services->could(self->c.engine, t, h)) return true;
  return false;
}

static hc_rc reject(hc_architecture *self, hc_task t, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  hc_view *v;
  hc_plan *p;
  self->n.nowhere++;
  self->pods[t].state = POD_NONE;
  TRY(s->view_open(self->c.engine, self->queue, NULL, 0, &v, &p));
  TRY(self->ask->reject(p, t, "no single host could ever run it"));
  TRY(s->view_close(self->c.engine, v, true));
  return s->commit(self->c.engine, p, HC_COMMIT_NOW, e);
}

static void forget_plan(hc_architecture *self)
{
  hc_free(self->c.allocator, self->plan, self->plan_cap);
  self->plan = NULL;
  self->plan_size = self->plan_cap = 0;
}

/* The turn is over. @param is_bound it runs */
static hc_rc end_turn(hc_architecture *self, hc_task t, bool is_bound)
{
  pod *p = &self->pods[t];
  self->is_busy = 0;
  self->n.busy += (double)(now_of(self) - self->since);
  if (is_bound) {
    const double wait = (double)(now_of(self) - p->came);
    self->n.bound++;
    p->state = POD_NONE;
    return hc_counted_add(&self->n.wait, wait);
  }
  if (p->serial != self->serial || p->state != POD_AT_LOOP) return 0; /* it was taken away */
  return self->events == self->events_seen && !self->has_event ? park(self, t) : return_to_queue(self, t);
}

/* Where pods were stopped, there may be room for others than the one that they were stopped for. */
static void note_stops(hc_architecture *self, const hc_plan *p)
{
  if (self->c.services->planned(p) < 2) return;
  self->has_event = 1;
  self->events++;
}

static hc_rc bind(hc_architecture *self, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  hc_plan *p;
  hc_rc rc = 1; /* refused */
  if (self->plan) {
    rc = s->plan_load(self->c.engine, self->plan, self->plan_size, &p);
    forget_plan(self);
    self->moved = self->at;
    if (rc == 0) rc = s->commit(self->c.engine, p, HC_COMMIT_ALL_OR_NONE, e); /* none is stopped in vain */
    self->moved = HC_NO_TASK;
    if (rc < 0) return rc;
    if (rc == 0) note_stops(self, p);
    self->n.refused += rc > 0;
  }
  return end_turn(self, self->at, rc == 0);
}

static hc_rc keep_plan(hc_architecture *self, hc_view *v, const hc_plan *p)
{
  TRY(self->c.services->plan_save(self->c.engine, p, &self->plan, &self->plan_size));
  self->plan_cap = self->plan_size;
  TRY(self->c.services->view_close(self->c.engine, v, false));
  self->moved = HC_NO_TASK;
  return 0;
}

static hc_rc look_for_host(hc_architecture *self, hc_task t, uint32_t *seen, hc_view **v, hc_plan **p)
{
  hc_one_host_need need;
  hc_rc rc = 0;
  hc_one_host_measure(self->ask, task_view(self), t, &need);
  *seen = 0;
  while (rc == 0 && *seen < self->hosts) {
    const uint32_t count = filter(self, t, &need, seen);
    self->n.feasible += count;
    if (count > 0) rc = choose(self, t, count, v, p);
  }
  self->n.examined += *seen;
  self->next = (uint32_t)(((uint64_t)self->next + *seen) % self->hosts);
  return rc;
}

/* No host has room: make some at the cost of pods of lower priority, on the plan of a view. @return as
 * choose */
static hc_rc preempt(hc_architecture *self, hc_task t, hc_view **v, hc_plan **p)
{
  const hc_engine_services *s = self->c.services;
  const hc_stopping how = {.how = (hc_stop)self->o->on_preempt};
  hc_evicting *x = &self->evicting;
  uint32_t host;
  hc_rc rc;
  TRY(rc = hc_evicting_choose(x, &self->c, task_view(self), t, &host));
  if (rc == 0) return 0;
  self->ranges[0] = (hc_range){host, 1};
  TRY(s->view_open(self->c.engine, self->queue, self->ranges, 1, v, p));
  self->moved = t;
  for (size_t i = 0; i < x->best_count; i++) TRY(self->ask->stop(*p, x->best[i], &how));
  rc = self->ask->start(*p, t, NULL, 0);
  if (rc == 0) {
    self->n.preempting++;
    self->n.victims += x->best_count;
    return 1;
  }
  self->moved = HC_NO_TASK;
  TRY(s->view_close(self->c.engine, *v, false));
  return rc == HC_EPOLICY ? 0 : rc;
}

static hc_rc begin_turn(hc_architecture *self, hc_task t, hc_error *e)
{
  const hc_engine_services *s = self->c.services;
  const hc_time now = now_of(self);
  pod *x = &self->pods[t];
  hc_time thinks;
  uint32_t seen;
  hc_view *v;
  hc_plan *p;
  hc_rc rc;
  if (x->attempts++ == 0) {
    TRY(hc_counted_add(&self->n.first, (double)(now - x->came)));
  }
  x->tried = self->since = now;
  x->state = POD_AT_LOOP;
  self->n.attempts++;
  self->at = t;
  self->serial = x->serial;
  self->events_seen = self->events;
  rc = look_for_host(self, t, &seen, &v, &p);
  if (rc < 0) return rc;
  if (rc == 0 && x->attempts == 1 && !is_anywhere(self, t)) return reject(self, t, e);
  if (rc == 0 && self->o->preempts) rc = preempt(self, t, &v, &p);
  if (rc < 0) return rc;
  thinks = hc_time_add(self->o->think, self->o->think_host * seen);
  if (rc > 0 && thinks == 0) {
    TRY(s->view_close(self->c.engine, v, true));
    TRY(s->commit(self->c.engine, p, HC_COMMIT_NOW, e));
    note_stops(self, p);
    self->moved = HC_NO_TASK;
  } else if (rc > 0) {
    TRY(keep_plan(self, v, p));
  }
  if (thinks == 0) return end_turn(self, t, rc > 0);
  self->is_busy = 1;
  return s->timer(self->c.engine, hc_time_add(now, thinks), TIMER_BIND);
}

/* ---- what happens ---- */

static hc_rc file(hc_architecture *self, hc_task t)
{
  TRY(hc_reserve(self->c.allocator, (void **)&self->pods, &self->pod_cap, (size_t)t + 1, sizeof *self->pods));
  while (self->pod_count <= t) self->pods[self->pod_count++] = (pod){0};
  self->pods[t] =
      (pod){.serial = self->ask->serial(task_view(self), t), .came = now_of(self), .tried = now_of(self)};
  return activate(self, t);
}

/* It has lost its host, and is queued anew; or it was taken away. */
static hc_rc on_task_event(hc_policy *listener, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  hc_architecture *self = (hc_architecture *)(void *)listener;
  HC_UNUSED(amounts);
  TRY(hc_evicting_hear(&self->evicting, v, what, t));
  if (t == self->moved) return 0;
  if (what == HC_TASK_EVENT_QUEUED) return file(self, t);
  if (what != HC_TASK_EVENT_DEQUEUED) return 0;
  self->pods[t].state = POD_NONE;
  self->pods[t].entry = 0;
  return 0;
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  if (sig->what == HC_WHY_ARRIVAL) return self->c.services->enqueue(self->c.engine, self->queue, sig->task);
  if (sig->what == HC_WHY_END || sig->what == HC_WHY_CELL) {
    self->has_event = 1;
    self->events++;
  }
  if (sig->what != HC_WHY_TIMER || sig->timer != TIMER_BIND) return 0;
  return bind(self, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  place x;
  TRY(move_queues(self));
  while (!self->is_busy && first_of(self, &self->active, &x)) {
    (void)line_pop(self->active.items, &self->active.count);
    TRY(begin_turn(self, x.task, e));
  }
  return arm(self);
}

/* ---- life ---- */

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->c = *c;
  self->o = opts;
  self->ask = c->policy_context->services;
  self->armed = HC_NEVER;
  self->moved = HC_NO_TASK;
  hc_counted_init(&self->n.wait, c->allocator);
  hc_counted_init(&self->n.first, c->allocator);
  self->hosts = c->services->hosts(c->engine);
  if (self->hosts == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture kubernetes", 0, 0,
        "pods are bound to hosts, and this cell has none: use `cell: {use: hosts, classes: [{count: 100, "
        "cpus: 4}]}`");
  self->found = hc_alloc(c->allocator, self->hosts * sizeof *self->found);
  self->ranges = hc_alloc(c->allocator, self->hosts * sizeof *self->ranges);
  if (!self->found || !self->ranges) return HC_ENOMEM;
  if (self->o->preempts) TRY(hc_evicting_init(&self->evicting, c->allocator, self->ask, self->hosts));
  TRY(c->services->queue_new(c->engine, NULL, NULL, &self->queue));
  TRY(c->services->queue_place(c->engine, self->queue, &self->o->place));
  self->listener.on_task_event = on_task_event;
  c->services->follow(c->engine, self->queue, &self->listener, (hc_policy *)(void *)self);
  return 0;
}

static bool is_thinking(const hc_architecture *self)
{
  return self->is_busy;
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->pods, self->pod_count, self->pod_cap);
  HC_VISIT_ARRAY(v, self->active.items, self->active.count, self->active.cap);
  HC_VISIT_ARRAY(v, self->resting.items, self->resting.count, self->resting.cap);
  HC_VISIT_ARRAY(v, self->parked.items, self->parked.count, self->parked.cap);
  HC_VISIT(v, self->entries);
  HC_VISIT(v, self->events);
  HC_VISIT(v, self->armed);
  HC_VISIT(v, self->next);
  HC_VISIT(v, self->is_busy);
  HC_VISIT(v, self->at);
  HC_VISIT(v, self->has_event);
  HC_VISIT(v, self->events_seen);
  HC_VISIT(v, self->serial);
  HC_VISIT(v, self->since);
  TRY(hc_evicting_visit(&self->evicting, v));
  TRY(hc_visit_array(v, &self->plan, &self->plan_size, &self->plan_cap, 1));
  TRY(hc_visit_bytes(v, &self->n, offsetof(counts, wait)));
  TRY(hc_counted_visit(&self->n.wait, v));
  return hc_counted_visit(&self->n.first, v);
}

static hc_rc find_waits(hc_findings *f, const hc_counted *waits, const char *what)
{
  static const int permille[] = {500, 990};
  const hc_counted_name name = {what, "", "s", HC_SECOND};
  TRY(hc_counted_find_mean(waits, &name, f));
  return hc_counted_find_quantiles(waits, &name, permille, HC_ARRAY_LEN(permille), f);
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  const counts *n = &self->n;
  TRY(hc_find_real(f, "busyness", "1", hc_per(n->busy, (double)now_of(self))));
  TRY(hc_find_count(f, "attempts", "attempts", (int64_t)n->attempts));
  TRY(hc_find_count(f, "bound", "tasks", (int64_t)n->bound));
  TRY(hc_find_count(f, "refused", "tasks", (int64_t)n->refused));
  TRY(hc_find_count(f, "parked", "times", (int64_t)n->parked));
  TRY(hc_find_count(f, "moved", "times", (int64_t)n->moved));
  TRY(hc_find_count(f, "flushed", "times", (int64_t)n->flushed));
  TRY(hc_find_count(f, "backed_off", "times", (int64_t)n->backed_off));
  TRY(hc_find_real(f, "hosts_examined_mean", "hosts", hc_per((double)n->examined, (double)n->attempts)));
  TRY(hc_find_real(f, "hosts_feasible_mean", "hosts", hc_per((double)n->feasible, (double)n->attempts)));
  TRY(hc_find_count(f, "tasks_without_host", "tasks", (int64_t)n->nowhere));
  if (self->o->preempts) {
    TRY(hc_find_count(f, "preempting", "turns", (int64_t)n->preempting));
    TRY(hc_find_count(f, "victims", "tasks", (int64_t)n->victims));
  }
  TRY(find_waits(f, &n->first, "wait_first"));
  return find_waits(f, &n->wait, "wait_bound");
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->c.allocator;
  forget_plan(self);
  hc_free(a, self->pods, self->pod_cap * sizeof *self->pods);
  hc_free(a, self->active.items, self->active.cap * sizeof(place));
  hc_free(a, self->resting.items, self->resting.cap * sizeof(place));
  hc_free(a, self->parked.items, self->parked.cap * sizeof(place));
  hc_free(a, self->found, self->hosts * sizeof *self->found);
  hc_free(a, self->ranges, self->hosts * sizeof *self->ranges);
  hc_evicting_fini(&self->evicting);
  hc_counted_fini(&self->n.wait);
  hc_counted_fini(&self->n.first);
  hc_free(a, self, sizeof *self);
}

static const char *const figures[] = {
    "busyness|1|lower|time that the loop spent on pods / time of the run",
    "attempts|attempts|none|turns of pods",
    "bound|tasks|none|tasks that were started",
    "refused|tasks|lower|tasks that found their host changed when they were bound",
    "parked|times|lower|turns after which a pod was parked: it fits nowhere",
    "moved|times|none|parked pods that went back to the queues because something had ended or changed",
    "flushed|times|none|parked pods that went back because of `flush`",
    "backed_off|times|lower|times that a pod had to wait for its back-off",
    "hosts_examined_mean|hosts|none|mean number of hosts looked at in a turn",
    "hosts_feasible_mean|hosts|none|mean number of hosts with room found in a turn",
    "tasks_without_host|tasks|lower|tasks that no single host could ever run: they are rejected",
    "preempting|turns|none|turns in which tasks were chosen to be stopped for the pod, with `preempts`",
    "victims|tasks|lower|tasks that were chosen to be stopped, with `preempts`",
    "wait_first_mean|s|lower|mean time from a task's arrival to its first turn",
    "wait_first_p50|s|lower|median of that",
    "wait_first_p99|s|lower|quantile 0.99 of that",
    "wait_bound_mean|s|lower|mean time from a task's arrival to its start",
    "wait_bound_p50|s|lower|median of that",
    "wait_bound_p99|s|lower|quantile 0.99 of that",
    NULL};

static const hc_param params[] = {
    HC_PARAM(
        TIME, options, think, "s", "10ms", 0, 1e9,
        "Fixed part of a turn, which takes think + think_host x (hosts that are looked at), whether it finds "
        "a host or not."),
    HC_PARAM(TIME, options, think_host, "s", "0s", 0, 1000,
             "What each host that is looked at adds to a turn, as `think` says."),
    HC_PARAM(INT, options, share, "%", "0", 0, 100,
             "Number of hosts with room that is enough, as a percentage of all hosts "
             "(percentageOfNodesToScore). 0: 50 - hosts / 125, at least 5."),
    HC_PARAM(INT, options, feasible, "hosts", "100", 1, 1e9,
             "Fewer hosts with room than this are never enough: a smaller cell is searched whole."),
    HC_PARAM(TIME, options, back_off, "s", "1s", 0, 1e9,
             "Least time between a pod's first attempt and its second; it doubles with each further "
             "attempt."),
    HC_PARAM(TIME, options, back_off_most, "s", "10s", 0, 1e9,
             "Upper bound of the back-off between two attempts."),
    HC_PARAM(TIME, options, flush, "s", "5m", 0.001, 1e9,
             "Time after which a pod that fits nowhere is tried again even if nothing has happened."),
    HC_PARAM(
        COMPONENT, options, place, HC_KIND_PLACE, NULL,
        "Placement that scores hosts: least_allocated, most_allocated, weighted, spread, preferred ... "
        "(Kubernetes' own is weighted: least_allocated and balanced among others). Default: that of the "
        "run's policy."),
    HC_PARAM(BOOL, options, preempts, "false",
             "Does a pod that fits nowhere take the room of pods of lower priority on one host?"),
    HC_PARAM(CHOICE, options, on_preempt, "requeue|kill", "requeue",
             "What becomes of preempted pods. requeue: they wait again, as a controller's pods are made "
             "anew, and do all of their work again. kill: they are ended."),
    {0}};

const hc_architecture_type hc_architecture_kubernetes = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures,
         .name = "kubernetes",
         .summary = "one loop over pods: filter some hosts, score, bind, back off: kube-scheduler",
         .detail =
             "The active queue is sorted by priority, then by the time at which a pod came into it. Each "
             "turn looks for hosts with room where the turn before stopped, until max(feasible, share of "
             "hosts) are found; the placement chooses among them, and breaks ties in its own way "
             "(Kubernetes: at random). A pod that fits nowhere is parked until a task ends or a host "
             "changes; if that happened during its turn it only backs off. Of the run's policy only the "
             "placement is used. A task runs on one host; a task that no single host could run is rejected. "
             "With `preempts`, each host is examined on which the pod would fit without the tasks of lower "
             "priority: as many of these as possible are spared, the most important first, and the others "
             "are its victims. The host is taken whose most important victim has the lowest priority, then "
             "the one with the least sum of priorities, the fewest victims, and victims that started last. "
             "Victims get no time to terminate, and the pod is bound at the end of the same turn.",
         .source = "Kubernetes documentation, Scheduler Performance Tuning and Scheduling Framework; "
                   "kube-scheduler 1.2x",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .is_thinking = is_thinking,
    .fini = fini,
    .finish = finish,
    .offers_hosts = true,
    .reach = HC_REACH_PLACE,
};
