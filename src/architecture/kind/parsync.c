/* parsync.c -- many schedulers on stale views of the cell, each refreshed part by part: partitioned
 * synchronisation.
 *
 * Schedulers share the cell, and what one believes of a host is as old as its last look at the part that the
 * host is in. Under ParSync the cell has P parts, and in each step of gap / P every scheduler looks at one
 * part, in turn and each at another one, so that some part of its view is always fresh. Under StateSync
 * (`sync: whole`) each looks at everything at once, every gap. What is chosen is checked on the live cell
 * when the decision is over; what does not fit is a conflict, and comes back.
 *
 * Views are not stored. What has happened on a host in the last gap is kept, newest first; when a scheduler
 * last looked is arithmetic; so what it believes is what is free now, less what has happened since then but
 * for its own starts, which it knows. A look costs nothing, a change O(1), and a question what has happened
 * on that host since. A look at time T shows what had happened before T. Hosts that come and go are known at
 * once.
 *
 * Hosts are gone through in the order of the strategy, O(hosts) a job at worst; a host that has refused is
 * left out until it has been looked at again. Source: Feng et al., Scaling large production clusters with
 * partitioned synchronization, USENIX ATC 2021. */
#include <stdlib.h>

#include "architecture/one_host.h"
#include "architecture/scheduler/schedulers.h"
#include "base/math.h"
#include "base/sort.h"
#include "base/state.h"

enum { SYNC_PARTS, SYNC_WHOLE };
enum { LATENCY_FIRST, QUALITY_FIRST, ADAPTIVE };

typedef struct options {
  hc_schedulers_options schedulers;
  int sync, strategy;
  int64_t parts;
  hc_time gap, threshold;
} options;

/* A task was started on a host, or gave it back. */
typedef struct change {
  int64_t amount[HC_DIMENSIONS]; /* that became free */
  hc_time at;
  uint64_t older;    /* number of the one before it on the same host; 0: none */
  uint32_t host, by; /* by: who started it; HC_NO_SCHEDULER: it ended */
} change;

typedef struct wish {
  uint64_t serial;
  uint32_t task, host;
} wish;

/* Who hears of a scheduler's tasks. */
typedef struct listener {
  hc_policy_type type;
  hc_architecture *self;
  uint32_t scheduler;
} listener;

struct hc_architecture {
  hc_schedulers all;
  const options *o;
  listener *listeners; /* [all.count] */
  uint32_t hosts, parts, dimensions;
  double *quality;      /* [hosts] */
  uint32_t *by_quality; /* [hosts] the best first */
  hc_time *refused;     /* [all.count * hosts] when it refused last; state */
  /* state */
  change *changes;
  size_t change_count, change_cap;
  uint64_t expired; /* changes[0] is number expired + 1 */
  uint64_t *newest; /* [hosts] number of the last; 0: none */
  uint32_t *where;  /* by task: its host */
  size_t where_count, where_cap;
  uint64_t placed, started;
  double age_sum, quality_sum;
  /* scratch */
  int64_t *mine;    /* [hosts * dimensions] that the job at hand has been given */
  uint64_t *marked; /* [hosts] job to which that belongs */
  uint64_t mark;
};

static hc_time now_of(const hc_architecture *self)
{
  return self->all.c.services->now(self->all.c.engine);
}

static const hc_view *task_view(const hc_architecture *self)
{
  return self->all.c.services->task_view(self->all.c.engine);
}

/* ---- what a scheduler believes ---- */

static uint32_t part_of(const hc_architecture *self, uint32_t host)
{
  return (uint32_t)((((uint64_t)host + 1) * self->parts - 1) / self->hosts);
}

static uint32_t first_of(const hc_architecture *self, uint32_t part)
{
  return (uint32_t)((uint64_t)part * self->hosts / self->parts);
}

static hc_time step_of(const hc_architecture *self)
{
  return self->o->gap / self->parts;
}

/* The part that a scheduler looked at last. */
static uint32_t freshest(const hc_architecture *self, uint32_t scheduler)
{
  const uint64_t offset = (uint64_t)scheduler * self->parts / self->all.count;
  if (self->o->gap == 0) return 0;
  return (uint32_t)(((uint64_t)(now_of(self) / step_of(self)) + offset) % self->parts);
}

/* When a scheduler last looked at a part; the beginning counts as a look. */
static hc_time looked(const hc_architecture *self, uint32_t scheduler, uint32_t part)
{
  const hc_time now = now_of(self);
  if (self->o->gap == 0) return HC_NEVER;
  const hc_time steps = now / step_of(self),
                since = (freshest(self, scheduler) + self->parts - part) % self->parts;
  return HC_MAX(steps - since, 0) * step_of(self);
}

/* What is believed to be free on a host, less what this job was given there. */
static void believed(const hc_architecture *self, uint32_t scheduler, uint32_t host, int64_t *free)
{
  const hc_time since = looked(self, scheduler, part_of(self, host));
  const int64_t *live = self->all.ask->host_free(task_view(self), host, NULL);
  for (uint32_t d = 0; d < self->dimensions; d++) free[d] = live[d];
  for (uint64_t n = self->newest[host]; n > self->expired;) {
    const change *c = &self->changes[n - self->expired - 1];
    if (c->at < since) break;
    for (uint32_t d = 0; d < self->dimensions && c->by != scheduler; d++) free[d] -= c->amount[d];
    n = c->older;
  }
  for (uint32_t d = 0; d < self->dimensions && self->marked[host] == self->mark; d++)
    free[d] -= self->mine[(size_t)host * self->dimensions + d];
}

static bool has_room(const hc_architecture *self, uint32_t scheduler, uint32_t host,
                     const hc_one_host_need *need)
{
  int64_t free[HC_DIMENSIONS];
  const int64_t *capacity;
  bool is_there = false;
  if (self->refused[(size_t)scheduler * self->hosts + host] >= looked(self, scheduler, part_of(self, host)))
    return false;
  (void)self->all.ask->host_free(task_view(self), host, &capacity);
  believed(self, scheduler, host, free);
  for (uint32_t d = 0; d < self->dimensions; d++) {
    if (capacity[d] <= 0) continue; /* it belongs to the whole cell, or the host is away */
    is_there = true;
    if (free[d] < (need->is_whole ? capacity[d] : need->amount[d])) return false;
  }
  return is_there;
}

static void give(hc_architecture *self, uint32_t host, const hc_one_host_need *need)
{
  const int64_t *capacity;
  int64_t *mine = self->mine + (size_t)host * self->dimensions;
  (void)self->all.ask->host_free(task_view(self), host, &capacity);
  for (uint32_t d = 0; d < self->dimensions; d++) {
    if (self->marked[host] != self->mark) mine[d] = 0;
    mine[d] += need->is_whole ? capacity[d] : need->amount[d];
  }
  self->marked[host] = self->mark;
}

/* ---- the order in which hosts are gone through ---- */

/* Under latency first, parts from the freshest on; in each, from a drawn host on by a drawn stride. */
typedef struct walk {
  bool by_quality;
  uint32_t seen;                          /* hosts */
  uint32_t part, left, start, stride, at; /* of the part at hand */
  uint32_t first, size;
  hc_draws draws;
} walk;

static uint32_t divisor(uint32_t a, uint32_t b)
{
  while (b != 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void enter_part(const hc_architecture *self, walk *w, uint32_t part)
{
  w->part = part;
  w->first = first_of(self, part);
  w->size = w->left = first_of(self, part + 1) - w->first;
  w->at = (uint32_t)hc_random_below(&w->draws, w->size);
  do w->stride = 1 + (uint32_t)hc_random_below(&w->draws, w->size);
  while (divisor(w->stride, w->size) != 1);
}

static void begin_walk(const hc_architecture *self, uint32_t scheduler, bool by_quality, walk *w)
{
  const hc_policy_context *c = self->all.c.policy_context;
  *w = (walk){.by_quality = by_quality,
              .draws = {c->seed, c->replication, scheduler, HC_PURPOSE_PROBE,
                        self->all.one[scheduler].decisions << 20}};
  if (!by_quality) enter_part(self, w, freshest(self, scheduler));
}

static uint32_t next_host(const hc_architecture *self, walk *w)
{
  if (w->seen == self->hosts) return HC_NO_HOST;
  if (w->by_quality) return self->by_quality[w->seen++];
  if (w->left == 0) enter_part(self, w, (w->part + self->parts - 1) % self->parts);
  w->at = (uint32_t)(((uint64_t)w->at + w->stride) % w->size);
  w->left--;
  w->seen++;
  return w->first + w->at;
}

/* ---- a decision ---- */

static bool wants_quality(const hc_architecture *self, const hc_queued_job *w)
{
  if (self->o->strategy != ADAPTIVE) return self->o->strategy == QUALITY_FIRST;
  return now_of(self) - w->submitted <= self->o->threshold;
}

static bool is_same(const hc_one_host_need *a, const hc_one_host_need *b)
{
  bool same = a->is_whole == b->is_whole;
  for (uint32_t d = 0; d < a->dimensions; d++) same &= a->amount[d] == b->amount[d];
  return same;
}

/* Choose hosts for the tasks of the job at hand. As long as they are alike, no host is gone through twice.
 * @return wishes */
static size_t choose(hc_architecture *self, uint32_t scheduler, const hc_queued_job *job, wish *out)
{
  const bool by_quality = wants_quality(self, job);
  hc_one_host_need need, last = {.dimensions = 0};
  uint32_t host = HC_NO_HOST;
  size_t n = 0;
  walk w;
  self->mark++;
  begin_walk(self, scheduler, by_quality, &w);
  for (uint32_t i = 0, t = job->first; i < job->count; i++, t = self->all.links[t].next) {
    hc_one_host_measure(self->all.ask, task_view(self), t, &need);
    if (i > 0 && !is_same(&need, &last)) begin_walk(self, scheduler, by_quality, &w);
    if (i == 0 || !is_same(&need, &last)) host = next_host(self, &w);
    last = need;
    while (host != HC_NO_HOST && !(has_room(self, scheduler, host, &need) &&
                                   self->all.c.services->could(self->all.c.engine, t, host)))
      host = next_host(self, &w);
    if (host == HC_NO_HOST) continue;
    give(self, host, &need);
    self->placed++;
    if (self->o->gap > 0)
      self->age_sum += (double)(now_of(self) - looked(self, scheduler, part_of(self, host)));
    out[n++] = (wish){.serial = self->all.ask->serial(task_view(self), t), .task = t, .host = host};
  }
  return n;
}

static hc_rc decide_on(hc_architecture *self, uint32_t scheduler)
{
  hc_scheduler *x = &self->all.one[scheduler];
  const hc_queued_job *job = hc_schedulers_at(&self->all, scheduler);
  hc_schedulers_forget(&self->all, scheduler);
  x->plan_cap = job->count * sizeof(wish);
  x->plan = hc_alloc(self->all.c.allocator, x->plan_cap);
  if (!x->plan) {
    x->plan_cap = 0;
    return HC_ENOMEM;
  }
  x->plan_size = choose(self, scheduler, job, x->plan) * sizeof(wish);
  return hc_schedulers_timer(&self->all, scheduler);
}

static hc_rc try_wish(hc_architecture *self, uint32_t scheduler, hc_plan *p, const wish *w, hc_attempt *a)
{
  const hc_services *ask = self->all.ask;
  const hc_range there = {w->host, 1};
  hc_rc rc = HC_EPOLICY;
  TRY(hc_reserve(self->all.c.allocator, (void **)&self->where, &self->where_cap, (size_t)w->task + 1,
                 sizeof *self->where));
  while (self->where_count <= w->task) self->where[self->where_count++] = 0;
  if (ask->serial(task_view(self), w->task) == w->serial && ask->waits(task_view(self), w->task)) {
    self->where[w->task] = w->host;
    rc = ask->start(p, w->task, &there, 1);
  }
  if (rc < 0 && rc != HC_EPOLICY) return rc;
  if (rc == 0) {
    self->started++;
    self->quality_sum += self->quality[w->host];
    return 0;
  }
  a->refused++;
  a->wasted = true;
  self->refused[(size_t)scheduler * self->hosts + w->host] = now_of(self);
  return 0;
}

/* The decision is over: what was chosen is tried on the live cell. */
static hc_rc commit(hc_architecture *self, uint32_t scheduler, hc_error *e)
{
  const hc_engine_services *s = self->all.c.services;
  hc_scheduler *x = &self->all.one[scheduler];
  const wish *wishes = x->plan;
  hc_attempt a = {.planned = x->plan_size / sizeof *wishes};
  hc_view *v;
  hc_plan *p;
  TRY(s->view_open(self->all.c.engine, x->queue, NULL, 0, &v, &p));
  for (size_t i = 0; i < a.planned; i++) TRY(try_wish(self, scheduler, p, &wishes[i], &a));
  TRY(s->view_close(self->all.c.engine, v, true));
  TRY(s->commit(self->all.c.engine, p, HC_COMMIT_NOW, e));
  hc_schedulers_forget(&self->all, scheduler);
  return hc_schedulers_done(&self->all, scheduler, &a, e);
}

/* ---- what happens ---- */

/* What all schedulers have seen is forgotten: half of the array at a time. */
static void expire(hc_architecture *self)
{
  const hc_time before = now_of(self) - self->o->gap - step_of(self);
  size_t n = 0;
  if (self->change_count < 64 || self->changes[self->change_count / 2].at >= before) return;
  n = self->change_count / 2;
  for (size_t i = n; i < self->change_count; i++) self->changes[i - n] = self->changes[i];
  self->change_count -= n;
  self->expired += n;
}

static hc_rc note(hc_architecture *self, uint32_t host, uint32_t by, const int64_t *amounts)
{
  change *c;
  if (self->o->gap == 0) return 0;
  expire(self);
  TRY(hc_reserve(self->all.c.allocator, (void **)&self->changes, &self->change_cap, self->change_count + 1,
                 sizeof *self->changes));
  c = &self->changes[self->change_count++];
  *c = (change){.at = now_of(self), .older = self->newest[host], .host = host, .by = by};
  for (uint32_t d = 0; d < self->dimensions; d++)
    c->amount[d] = by == HC_NO_SCHEDULER ? amounts[d] : -amounts[d];
  self->newest[host] = self->expired + self->change_count;
  return 0;
}

static hc_rc on_task_event(hc_policy *policy, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  const listener *l = (const listener *)(const void *)policy;
  HC_UNUSED(v);
  if (what == HC_TASK_EVENT_ALLOCATED) return note(l->self, l->self->where[t], l->scheduler, amounts);
  if (what == HC_TASK_EVENT_RELEASED) return note(l->self, l->self->where[t], HC_NO_SCHEDULER, amounts);
  return 0;
}

static hc_rc on_signal(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  uint32_t scheduler;
  TRY(hc_schedulers_signal(&self->all, sig, &scheduler, e));
  return scheduler == HC_NO_SCHEDULER ? 0 : commit(self, scheduler, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  HC_UNUSED(e);
  for (uint32_t i = 0; i < self->all.count; i++) {
    const hc_rc rc = hc_schedulers_begin(&self->all, i);
    if (rc < 0) return rc;
    if (rc > 0) TRY(decide_on(self, i));
  }
  return 0;
}

/* ---- life ---- */

typedef struct rank {
  double quality;
  uint32_t host, padding;
} rank;

HC_SORT(sort_ranks, rank, a->quality != b->quality ? a->quality > b->quality : a->host < b->host)

/* Each host has a quality, uniform between 0 and 1. */
static hc_rc draw_qualities(hc_architecture *self)
{
  const hc_policy_context *c = self->all.c.policy_context;
  rank *ranks = hc_alloc(self->all.c.allocator, self->hosts * sizeof *ranks);
  if (!ranks) return HC_ENOMEM;
  for (uint32_t h = 0; h < self->hosts; h++) {
    hc_draws draws = {c->seed, c->replication, h, HC_PURPOSE_QUALITY, 0};
    ranks[h] = (rank){.quality = hc_random_unit(&draws), .host = h};
    self->quality[h] = ranks[h].quality;
  }
  sort_ranks(ranks, self->hosts);
  for (uint32_t i = 0; i < self->hosts; i++) self->by_quality[i] = ranks[i].host;
  hc_free(self->all.c.allocator, ranks, self->hosts * sizeof *ranks);
  return 0;
}

static hc_rc check(const hc_architecture *self, hc_error *e)
{
  if (self->hosts == 0)
    return hc_fail(
        e, HC_EUNSUPPORTED, "architecture parsync", 0, 0,
        "views are of hosts, and this cell has none: use `cell: {use: hosts, classes: [{count: 100, cpus: "
        "4}]}`");
  if (self->parts > self->hosts)
    return hc_fail(e, HC_EUSAGE, "architecture parsync", 0, 0,
                   "%u hosts cannot be cut into %u parts: lower `parts`, or enlarge the cell", self->hosts,
                   self->parts);
  if (self->o->gap > 0 && self->o->gap / self->parts == 0)
    return hc_fail(e, HC_EUSAGE, "architecture parsync", 0, 0,
                   "a gap of %lld ns has no %u steps: make it longer, or 0 for views that are always fresh",
                   (long long)self->o->gap, self->parts);
  return 0;
}

static hc_rc make(hc_architecture *self, hc_error *e)
{
  hc_schedulers *all = &self->all;
  self->hosts = all->c.services->hosts(all->c.engine);
  self->parts = self->o->sync == SYNC_WHOLE || self->o->gap == 0 ? 1 : (uint32_t)self->o->parts;
  self->dimensions = all->ask->dimensions(task_view(self));
  TRY(check(self, e));
  self->listeners = hc_arena_alloc(&all->build, all->count * sizeof *self->listeners);
  self->quality = hc_arena_alloc(&all->build, self->hosts * sizeof *self->quality);
  self->by_quality = hc_arena_alloc(&all->build, self->hosts * sizeof *self->by_quality);
  self->refused = hc_arena_alloc(&all->build, (size_t)all->count * self->hosts * sizeof *self->refused);
  self->newest = hc_arena_alloc(&all->build, self->hosts * sizeof *self->newest);
  self->mine = hc_arena_alloc(&all->build, (size_t)self->hosts * self->dimensions * sizeof *self->mine);
  self->marked = hc_arena_alloc(&all->build, self->hosts * sizeof *self->marked);
  if (!self->listeners || !self->quality || !self->by_quality || !self->refused || !self->newest ||
      !self->mine || !self->marked)
    return HC_ENOMEM;
  for (size_t i = 0; i < (size_t)all->count * self->hosts; i++) self->refused[i] = -1;
  for (uint32_t i = 0; i < all->count; i++) {
    self->listeners[i] = (listener){.type = {.on_task_event = on_task_event}, .self = self, .scheduler = i};
    all->c.services->follow(all->c.engine, all->one[i].queue, &self->listeners[i].type,
                            (hc_policy *)(void *)&self->listeners[i]);
  }
  return draw_qualities(self);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const options *o = opts;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  self->o = o;
  TRY(hc_schedulers_init(&self->all, c, &o->schedulers, false, e));
  TRY(hc_schedulers_refuse_hosts(&self->all, e));
  TRY(hc_schedulers_refuse_pass(&self->all, "no policy is asked which task starts here", e));
  TRY(hc_schedulers_refuse_plans(&self->all, e));
  TRY(hc_schedulers_never_mold(&self->all, "it sees the cell as it was at several times", e));
  return make(self, e);
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  TRY(hc_schedulers_visit(&self->all, v));
  TRY(hc_visit_bytes(v, self->refused, (size_t)self->all.count * self->hosts * sizeof *self->refused));
  TRY(hc_visit_bytes(v, self->newest, self->hosts * sizeof *self->newest));
  HC_VISIT_ARRAY(v, self->changes, self->change_count, self->change_cap);
  HC_VISIT_ARRAY(v, self->where, self->where_count, self->where_cap);
  HC_VISIT(v, self->expired);
  HC_VISIT(v, self->placed);
  HC_VISIT(v, self->started);
  HC_VISIT(v, self->age_sum);
  HC_VISIT(v, self->quality_sum);
  return 0;
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  const double nan = __builtin_nan("");
  TRY(hc_schedulers_finish(&self->all, f));
  TRY(hc_find_real(f, "view_age_mean", "s",
                   self->placed > 0 ? self->age_sum / (double)self->placed / HC_SECOND : nan));
  return hc_find_real(f, "quality_mean", "1",
                      self->started > 0 ? self->quality_sum / (double)self->started : nan);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->all.c.allocator;
  hc_free(a, self->changes, self->change_cap * sizeof *self->changes);
  hc_free(a, self->where, self->where_cap * sizeof *self->where);
  hc_schedulers_fini(&self->all);
  hc_free(a, self, sizeof *self);
}

static const char *const figures[] = {
#include "architecture/scheduler/figures.h"
    "view_age_mean|s|lower|mean age of what was known of the host that was chosen for a task",
    "quality_mean|1|higher|mean quality of the hosts on which tasks started", NULL};

static const hc_param params[] = {
#include "architecture/scheduler/params.h"
    HC_PARAM(CHOICE, options, sync, "parts|whole", "parts",
             "parts: in each step every scheduler looks at one part of the cell (ParSync). whole: each "
             "looks at everything once in a gap, all at the same time (StateSync)."),
    HC_PARAM(TIME, options, gap, "s", "0.5s", 0, 1e9,
             "Time in which a scheduler looks at the whole cell once. Looks are at whole multiples of it "
             "(sync: whole) or of gap / parts. 0: views are always fresh when a decision begins, as in "
             "shared_state."),
    HC_PARAM(INT, options, parts, "parts", "20", 1, 1e6,
             "Number of parts into which the cell is cut, by number of the host. If it is at least the "
             "number of schedulers, no two of them look at the same part at once."),
    HC_PARAM(CHOICE, options, strategy, "latency_first|quality_first|adaptive", "adaptive",
             "latency_first: hosts of the part that was looked at last, in a random order, then of the one "
             "before it, and so on. quality_first: the best host anywhere. adaptive: quality_first for jobs "
             "that have waited no longer than `threshold` when their turn comes, else latency_first."),
    HC_PARAM(TIME, options, threshold, "s", "1.5s", 0, 1e9,
             "With strategy: adaptive, the wait up to which a job is placed by quality."),
    {0}};

const hc_architecture_type hc_architecture_parsync = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "parsync",
         .summary = "several schedulers on stale views, refreshed part by part: partitioned synchronisation",
         .detail =
             "A scheduler takes one job at a time and chooses hosts by what it believes when it begins to "
             "think: what it saw at its last look at their part, and its own starts since. At the end of the "
             "think time, what does not fit is refused (a conflict) and tried again after `retry`. Each host "
             "has a quality, drawn once, uniform between 0 and 1, the same for all schedulers. If N "
             "schedulers each take K of S equal slots at random from one view, the expected number of "
             "conflicts is S (N K / S - 1 + (1 - K / S)^N). A task runs on one host; policies, and the "
             "placements of schedulers, are not used.",
         .source =
             "Feng et al., Scaling large production clusters with partitioned synchronization, USENIX ATC "
             "2021",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = on_signal,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .asks_jobs = true,
    .is_memoryless = hc_schedulers_kind_is_memoryless,
    .is_thinking = hc_schedulers_kind_is_thinking,
    .reach = HC_REACH_NEXT,
    .places_prefill = true,
    .note = hc_schedulers_kind_note,
    .offers_hosts = true,
};
