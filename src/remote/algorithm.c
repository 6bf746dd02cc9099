/* algorithm.c -- the policy `elastisim`: an algorithm that was written for ElastiSim decides, a program of
 * its own that is invoked by messages (ZeroMQ, JSON).
 *
 * What has happened is told one thing at a time, as there: that a job has come, ended or was killed at its
 * walltime, that its period is over, that a job is at a scheduling point or asks for other nodes there.
 * Each is an invocation, which is answered before the next; several of one instant are told in one
 * decision, each with what the answers before it have made of jobs and nodes. So what an algorithm is told
 * of is kept here, apart from what the run shows: a node of a job whose end has not been told is that
 * job's.
 *
 * The algorithm names nodes. A job that waits starts at once. One that runs has its new nodes from its
 * next scheduling point on, where the run lets this policy decide (decides_points); nodes that are free
 * until then are kept for it. Jobs that have nothing to be asked go on from their points at once.
 *
 * Nothing is believed before it is checked. Decisions take no time. A run cannot be saved: what the
 * algorithm remembers is not ours to save. Cost: O(nodes) a message. Source: ElastiSim 2024 and its
 * library for Python, which say what is in messages and when they are sent. */
#include <inttypes.h>
#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "remote/algorithm.h"

typedef enum kind { SUBMITTED, ENDED, POINT, PERIOD, CELL } kind;

typedef struct happening {
  kind what;
  uint32_t job; /* HC_NO_JOB */
  int64_t wants;
} happening;

static uint32_t flags(const void *opts)
{
  HC_UNUSED(opts);
  return HC_TIME_DEPENDENT | HC_MAY_RESIZE | HC_MAY_PREEMPT | HC_ASKS_JOBS | HC_NEEDS_ESTIMATE;
}

/* ---- the session ---- */

static hc_rc open_session(hc_policy *self)
{
  const hc_algorithm_options *o = self->o;
  if (self->with.is_open) return 0;
  return hc_spoken_open(&self->with, (hc_remote_options){.endpoint = o->url,
                                                         .listens = true,
                                                         .is_public = o->is_public,
                                                         .timeout = o->timeout,
                                                         .most = o->most,
                                                         .record = o->record,
                                                         .replay = o->replay});
}

static hc_rc say_end(hc_policy *self)
{
  int status;
  hc_algorithm_say_end(self);
  return hc_spoken_end(&self->with, &status);
}

/* ---- what is carried out ---- */

/* Its hosts as ranges, in self->ranges. */
static hc_rc ranges_of(hc_policy *self, const hc_algorithm_job *j, size_t *count)
{
  TRY(hc_reserve(self->allocator, (void **)&self->ranges, &self->range_cap, j->node_count + 1,
                 sizeof *self->ranges));
  *count = 0;
  for (size_t i = 0; i < j->node_count; i++) {
    const uint32_t host = self->nodes[j->nodes[i]].host;
    hc_range *last = *count > 0 ? &self->ranges[*count - 1] : NULL;
    if (last && last->first + last->count == host) last->count++;
    else self->ranges[(*count)++] = (hc_range){host, 1};
  }
  return 0;
}

static hc_rc check_free(hc_policy *self, uint32_t job)
{
  const hc_algorithm_job *j = &self->jobs[job];
  for (size_t i = 0; i < j->node_count; i++) {
    const hc_algorithm_node *n = &self->nodes[j->nodes[i]];
    if (n->job != HC_NO_JOB)
      return hc_algorithm_wrong(self, j, HC_EPOLICY, "job %" PRId64 " runs on node %" PRIu32,
                                self->jobs[n->job].id, j->nodes[i]);
    if (n->expected != HC_NO_JOB)
      return hc_algorithm_wrong(
          self, j, HC_EPOLICY, "node %" PRIu32 " is kept for job %" PRId64 " until its next scheduling point",
          j->nodes[i], self->jobs[n->expected].id);
    if (n->is_away)
      return hc_algorithm_wrong(self, j, HC_EPOLICY, "node %" PRIu32 " takes no jobs now", j->nodes[i]);
  }
  return 0;
}

static hc_rc start(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  hc_rc rc = 0;
  size_t count;
  TRY(check_free(self, job));
  TRY(ranges_of(self, j, &count));
  if (self->s->slots(self->open, j->task) != (int64_t)j->node_count)
    rc = self->s->mold(self->plan, j->task, (int64_t)j->node_count);
  if (rc >= 0) rc = self->s->start(self->plan, j->task, self->ranges, count);
  if (rc == HC_EPOLICY)
    return hc_algorithm_wrong(self, j, rc,
                              "it cannot run there: it wants more of a node than these have, or not "
                              "every node will do");
  if (rc < 0) return rc;
  j->state = HC_JOB_RUNNING;
  j->start = self->s->now(self->open);
  return hc_algorithm_hold(self, job);
}

/* What has ended at this instant, and is not told yet, has ended. One that has lost its node at it waits. */
static hc_rc kill_job(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  hc_rc rc;
  if (!j->is_queued && !j->runs) return 0;
  rc = j->is_queued ? self->s->reject(self->plan, j->task, "its scheduler has killed it")
                    : self->s->stop(self->plan, j->task, &(hc_stopping){.how = HC_STOP_KILL});
  if (rc == HC_EPOLICY)
    return hc_algorithm_wrong(self, j, rc, "it cannot be killed at the instant at which it starts");
  if (rc < 0) return rc;
  j->state = HC_JOB_KILLED;
  j->end = self->s->now(self->open);
  return hc_algorithm_free(self, job);
}

/* A job that is at its point goes on, or ends there. @return 1: on other nodes; 0 */
static hc_rc leave_point(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  size_t count;
  if (j->is_answered && j->dies) return kill_job(self, job);
  if (j->state != HC_JOB_PENDING_RECONFIGURATION) return self->s->leave_point(self->plan, j->task, NULL, 0);
  TRY(ranges_of(self, j, &count));
  const hc_rc rc = self->s->leave_point(self->plan, j->task, self->ranges, count);
  if (rc == HC_EPOLICY)
    return hc_fail(&self->with.error, rc, HC_ALGORITHM_PLACE, 0, 0,
                   "job %" PRId64
                   " cannot have the nodes that it is assigned: it wants more of a node than these "
                   "have, or not every node will do",
                   j->id);
  if (rc < 0) return rc;
  j->state = HC_JOB_RUNNING;
  TRY(hc_algorithm_hold(self, job));
  return 1;
}

/* All that the answer says but of the job that it is about. */
static hc_rc carry_out(hc_policy *self, uint32_t requester)
{
  for (size_t i = 0; i < self->answered_count; i++) {
    const uint32_t job = self->answered[i];
    hc_algorithm_job *j = &self->jobs[job];
    if (job == requester) continue;
    if (j->dies) TRY(kill_job(self, job));
    else if (j->starts) TRY(start(self, job));
  }
  return 0;
}

/* ---- an invocation ---- */

static bool may_invoke(const hc_policy *self)
{
  return self->s->now(self->with.view) - self->last >= self->o->apart;
}

/* @param at_point it is about a job that waits at its point for the answer */
static hc_rc invoke(hc_policy *self, hc_invocation how, uint32_t job, int64_t wants, bool at_point)
{
  const char *answer;
  hc_time took;
  size_t size;
  TRY(open_session(self));
  TRY(hc_algorithm_say(self, how, job, wants));
  TRY(hc_spoken_ask(&self->with, &answer, &size, &took));
  self->invocations++;
  self->last = self->s->now(self->with.view);
  TRY(hc_algorithm_hear(self, answer, size));
  if (at_point) TRY(leave_point(self, job));
  return carry_out(self, at_point ? job : HC_NO_JOB);
}

static hc_rc invoke_if(hc_policy *self, bool is_wanted, hc_invocation how, uint32_t job)
{
  return is_wanted && may_invoke(self) ? invoke(self, how, job, 0, false) : 0;
}

/* ---- jobs come and go ---- */

/* Is there no node that has room for two of its slots? */
static bool fills_nodes(const hc_policy *self, const hc_algorithm_job *j)
{
  const hc_services *s = self->s;
  for (size_t n = 0; n < self->node_count; n++) {
    const int64_t *has;
    uint32_t d = 0;
    (void)s->host_free(self->open, self->nodes[n].host, &has);
    while (d < s->dimensions(self->open) && s->demand(self->open, j->task, d) <= has[d] / 2) d++;
    if (d == s->dimensions(self->open)) return false;
  }
  return true;
}

/* One task is one job, a slot of it one node. */
static hc_rc check_shape(hc_policy *self, const hc_algorithm_job *j)
{
  hc_task_shape shape = {0};
  self->s->shape(self->open, j->task, &shape);
  if (shape.is_spread || shape.is_whole || shape.slots == 1 || fills_nodes(self, j)) return 0;
  return hc_fail(&self->with.error, HC_EUNSUPPORTED, HC_ALGORITHM_PLACE, 0, 0,
                 "task %" PRId64
                 " may have several of its slots on a node, and a job of ElastiSim has its nodes for "
                 "itself: let tasks be on whole nodes (the source elastisim has them so)",
                 self->s->source_id(self->open, j->task));
}

/* Where no file of jobs says one: how long it may be believed to run. */
static hc_rc take_walltime(hc_policy *self, hc_algorithm_job *j)
{
  const hc_time estimate = self->s->estimate(self->open, j->task);
  char text[40];
  if (j->told.value || estimate == HC_NEVER) return 0;
  j->told.walltime = hc_arena_text(&self->arena, text, hc_format_seconds(estimate, text));
  return j->told.walltime ? 0 : HC_ENOMEM;
}

static hc_rc get_to_know(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  int64_t least, most;
  TRY(check_shape(self, j));
  TRY(hc_algorithm_tell(&self->file, self->s->source_id(self->open, j->task), &j->told, &j->phases,
                        &self->with.error));
  TRY(take_walltime(self, j));
  self->s->sizes(self->open, j->task, &least, &most);
  j->type = j->told.type;
  if (j->type == HC_JOB_RIGID) least = most = self->s->slots(self->open, j->task);
  j->least = (uint32_t)least;
  j->most = (uint32_t)most;
  j->gpus = j->told.gpus_most;
  j->submit = self->s->submitted(self->open, j->task);
  TRY(hc_reserve(self->allocator, (void **)&self->by_id, &self->by_id_cap, (size_t)self->next_id + 1,
                 sizeof *self->by_id));
  self->by_id[self->next_id] = job;
  j->id = self->next_id++;
  return 0;
}

static bool is_over(const hc_algorithm_job *j)
{
  return j->state == HC_JOB_COMPLETED || j->state == HC_JOB_KILLED;
}

static hc_rc note_waiting(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  if (j->id < 0) TRY(get_to_know(self, job));
  TRY(hc_algorithm_free(self, job));
  j->state = HC_JOB_PENDING;
  j->start = j->end = HC_UNKNOWN;
  j->phase = j->round = j->done = 0;
  return 0;
}

/* It runs, and this policy has not started it: its nodes are taken from now on, whatever is told first. */
static hc_rc find_running(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  const hc_holding *held;
  TRY(note_waiting(self, job));
  const size_t n = self->s->held(self->open, j->task, &held);
  for (uint32_t k = 0; k < self->node_count; k++)
    for (size_t i = 0; i < n; i++)
      if (held[i].host == self->nodes[k].host) TRY(hc_algorithm_assign(self, job, k));
  j->state = HC_JOB_RUNNING;
  j->start = self->s->started(self->open, j->task);
  return hc_algorithm_hold(self, job);
}

/* It has come, or waits anew: unless what was answered at this instant has killed it. */
static hc_rc submitted(hc_policy *self, uint32_t job)
{
  if (is_over(&self->jobs[job])) return 0;
  if (self->jobs[job].is_queued) TRY(note_waiting(self, job));
  return invoke_if(self, self->on[HC_ALGORITHM_ON_SUBMIT], HC_INVOKE_JOB_SUBMIT, job);
}

static hc_rc ended(hc_policy *self, uint32_t job)
{
  hc_algorithm_job *j = &self->jobs[job];
  if (is_over(j)) return 0;
  const bool is_killed = j->is_killed || j->state == HC_JOB_PENDING;
  TRY(hc_algorithm_free(self, job));
  j->state = is_killed ? HC_JOB_KILLED : HC_JOB_COMPLETED;
  j->end = self->s->now(self->open);
  if (!is_killed) j->done = j->phases.total;
  return invoke_if(self, self->on[HC_ALGORITHM_ON_FINALIZE],
                   is_killed ? HC_INVOKE_JOB_KILLED : HC_INVOKE_JOB_COMPLETED, job);
}

/* ---- points ---- */

static hc_rc clip(hc_policy *self, const hc_algorithm_job *j, int64_t *wants)
{
  const int64_t within = HC_MIN(HC_MAX(*wants, (int64_t)j->least), (int64_t)j->most);
  if (within != *wants && !self->o->clips)
    return hc_fail(&self->with.error, HC_EPOLICY, HC_ALGORITHM_PLACE, 0, 0,
                   "job %" PRId64 " asks for %" PRId64 " nodes and has %" PRIu32 " to %" PRIu32
                   ", which `clips: false` does not allow",
                   j->id, *wants, j->least, j->most);
  *wants = within;
  return 0;
}

static hc_rc at_point(hc_policy *self, uint32_t job, int64_t wants)
{
  hc_algorithm_job *j = &self->jobs[job];
  const bool asks = wants > 0;
  if (is_over(j)) return 0;
  hc_algorithm_advance(j, asks);
  if (asks) TRY(clip(self, j, &wants));
  const bool is_told = asks ? wants != (int64_t)j->holds : self->on[HC_ALGORITHM_ON_POINT];
  j->is_answered = false;
  if (is_told && may_invoke(self))
    return invoke(self, asks ? HC_INVOKE_EVOLVING_REQUEST : HC_INVOKE_SCHEDULING_POINT, job, wants, true);
  const hc_rc changed = leave_point(self, job);
  if (changed <= 0 || asks || self->on[HC_ALGORITHM_ON_POINT]) return HC_MIN(changed, 0);
  j->state = HC_JOB_IN_RECONFIGURATION;
  TRY(invoke_if(self, self->on[HC_ALGORITHM_ON_RECONFIGURATION], HC_INVOKE_RECONFIGURATION, job));
  if (self->jobs[job].state == HC_JOB_IN_RECONFIGURATION) self->jobs[job].state = HC_JOB_RUNNING;
  return hc_algorithm_touch(self, job);
}

/* ---- nodes come and go ---- */

/* A node is away that was kept for a job: it stays on those that it has. */
static hc_rc keep_as_is(hc_policy *self, uint32_t job)
{
  hc_algorithm_unassign(self, job);
  for (uint32_t n = 0; n < self->node_count; n++)
    if (self->nodes[n].job == job) TRY(hc_algorithm_assign(self, job, n));
  self->jobs[job].state = HC_JOB_RUNNING;
  return hc_algorithm_touch(self, job);
}

/* @return 1: some node has come or gone; 0 */
static hc_rc look_at_nodes(hc_policy *self)
{
  bool any = false;
  if (!self->is_changed) return 0;
  self->is_changed = false;
  for (uint32_t n = 0; n < self->node_count; n++) {
    hc_algorithm_node *x = &self->nodes[n];
    const bool is_away = !self->s->takes_new(self->open, x->host);
    if (is_away == x->is_away) continue;
    x->is_away = is_away;
    x->is_modified = any = true;
    if (is_away && x->expected != HC_NO_JOB) TRY(keep_as_is(self, x->expected));
  }
  return any && self->invocations > 0;
}

/* ---- a decision ---- */

/* What the run shows of a job and what was told of it are not the same. @return false: they are */
static bool differs(const hc_algorithm_job *j, kind *out)
{
  const bool is_there = j->is_queued || j->runs;
  if (j->id < 0) {
    *out = SUBMITTED;
    return is_there;
  }
  if (is_over(j)) return false;
  *out = is_there ? SUBMITTED : ENDED;
  return !is_there || (j->state == HC_JOB_PENDING) != j->is_queued;
}

static void add(happening *all, size_t *count, kind what, uint32_t job, int64_t wants)
{
  all[(*count)++] = (happening){what, job, wants};
}

/* In the order in which it happened: ends and arrivals, then points, then what is of no job. */
static hc_rc gather(hc_policy *self, happening **out, size_t *count)
{
  const hc_at_point *points;
  const hc_services *s = self->s;
  const size_t at = s->at_points(self->open, &points);
  const hc_rc has_changed = look_at_nodes(self);
  happening *all = s->scratch(self->open, (self->changed_count + at + 2) * sizeof *all);
  kind why;
  if (has_changed < 0) return has_changed;
  if (!all) return HC_ENOMEM;
  *out = all;
  *count = 0;
  for (size_t i = 0; i < self->changed_count; i++) {
    hc_algorithm_job *j = &self->jobs[self->changed[i]];
    j->is_changed = false;
    if (differs(j, &why) && why == ENDED) add(all, count, ENDED, self->changed[i], 0);
    if (!j->is_queued && !j->runs) hc_map_remove(&self->by_serial, j->serial);
  }
  for (size_t i = 0; i < at; i++)
    add(all, count, POINT, hc_map_get(&self->by_serial, s->serial(self->open, points[i].task)),
        points[i].wants);
  for (size_t i = 0; i < self->changed_count; i++)
    if (differs(&self->jobs[self->changed[i]], &why) && why == SUBMITTED) {
      if (self->jobs[self->changed[i]].runs) TRY(find_running(self, self->changed[i]));
      add(all, count, SUBMITTED, self->changed[i], 0);
    }
  self->changed_count = 0;
  if (s->now(self->open) >= self->tick) add(all, count, PERIOD, HC_NO_JOB, 0);
  else if (has_changed && *count == 0) add(all, count, CELL, HC_NO_JOB, 0);
  return 0;
}

static hc_rc tell(hc_policy *self, const happening *h)
{
  switch (h->what) {
    case SUBMITTED: return submitted(self, h->job);
    case ENDED: return ended(self, h->job);
    case POINT: return at_point(self, h->job, h->wants);
    case PERIOD:
      self->ticked = self->tick;
      self->tick = HC_NEVER;
      return invoke_if(self, true, HC_INVOKE_PERIODIC, HC_NO_JOB);
    case CELL: return invoke_if(self, true, HC_INVOKE_PERIODIC, HC_NO_JOB);
  }
  return 0;
}

/* The clock ticks at whole multiples of its period, while there are jobs: also for one that comes just
 * then. */
static hc_rc set_clock(hc_policy *self)
{
  const hc_time period = self->o->interval, now = self->s->now(self->open);
  if (period == 0 || self->tick != HC_NEVER || self->by_serial.count == 0) return 0;
  self->tick = now - now % period;
  if (self->tick < now || self->tick == self->ticked) self->tick = hc_time_add(self->tick, period);
  return self->s->wake(self->plan, self->tick);
}

static hc_rc tell_all(hc_policy *self)
{
  happening *all;
  size_t count;
  TRY(gather(self, &all, &count));
  for (size_t i = 0; i < count; i++) TRY(tell(self, &all[i]));
  return set_clock(self);
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  HC_UNUSED(why);
  if (self->with.has_failed) return HC_EPOLICY;
  self->with.view = self->open = v;
  self->plan = p;
  hc_rc rc = tell_all(self);
  if (rc < 0) rc = hc_spoken_failed(&self->with, rc);
  self->with.view = self->open = NULL;
  return rc;
}

/* ---- its books ---- */

static hc_rc job_of(hc_policy *self, uint64_t serial, uint32_t *out)
{
  *out = hc_map_get(&self->by_serial, serial);
  if (*out != HC_MAP_NONE) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->jobs, &self->job_cap, self->job_count + 1,
                 sizeof *self->jobs));
  *out = (uint32_t)self->job_count++;
  self->jobs[*out] = (hc_algorithm_job){.serial = serial, .id = -1, .start = HC_UNKNOWN, .end = HC_UNKNOWN};
  return hc_map_set(&self->by_serial, serial, *out);
}

static hc_rc note_change(hc_policy *self, uint32_t job)
{
  if (self->jobs[job].is_changed) return 0;
  TRY(hc_reserve(self->allocator, (void **)&self->changed, &self->changed_cap, self->changed_count + 1,
                 sizeof *self->changed));
  self->changed[self->changed_count++] = job;
  self->jobs[job].is_changed = true;
  return 0;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event happened, hc_task t,
                           const int64_t *amounts)
{
  uint32_t job;
  HC_UNUSED(amounts);
  TRY(job_of(self, self->s->serial(v, t), &job));
  hc_algorithm_job *j = &self->jobs[job];
  j->task = t;
  switch (happened) {
    case HC_TASK_EVENT_QUEUED: j->is_queued = true; break;
    case HC_TASK_EVENT_DEQUEUED: j->is_queued = false; break;
    case HC_TASK_EVENT_ALLOCATED: j->runs = true; break;
    case HC_TASK_EVENT_RELEASED:
      j->runs = false;
      j->is_killed = self->s->is_killed(v, t);
      break;
  }
  return note_change(self, job);
}

static hc_rc cell_changed(hc_policy *self, const hc_view *v)
{
  HC_UNUSED(v);
  self->is_changed = true;
  return 0;
}

/* ---- its life ---- */

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->allocator;
  if (self->with.session.transport)
    (void)say_end(self); /* the run has failed: its algorithm would wait for ever */
  (void)hc_spoken_close(&self->with);
  for (size_t i = 0; i < self->job_count; i++)
    hc_free(a, self->jobs[i].nodes, self->jobs[i].node_cap * sizeof *self->jobs[i].nodes);
  hc_algorithm_close_file(&self->file);
  hc_arena_fini(&self->arena);
  hc_map_fini(&self->by_serial);
  hc_spoken_fini(&self->with);
  hc_free(a, self->jobs, self->job_cap * sizeof *self->jobs);
  hc_free(a, self->by_id, self->by_id_cap * sizeof *self->by_id);
  hc_free(a, self->changed, self->changed_cap * sizeof *self->changed);
  hc_free(a, self->touched, self->touched_cap * sizeof *self->touched);
  hc_free(a, self->answered, self->answered_cap * sizeof *self->answered);
  hc_free(a, self->nodes, self->node_cap * sizeof *self->nodes);
  for (int w = 0; w < 2; w++) hc_free(a, self->links[w], self->link_cap[w] * sizeof *self->links[w]);
  hc_free(a, self->ranges, self->range_cap * sizeof *self->ranges);
  hc_free(a, self, sizeof *self);
}

static bool has(const hc_algorithm_options *o, int when)
{
  const int *items = o->schedule_on.items;
  for (size_t i = 0; i < o->schedule_on.count; i++)
    if (items[i] == when) return true;
  return false;
}

static hc_rc check(const hc_policy_context *c, const hc_algorithm_options *o, hc_error *e)
{
  if (!o->url && !o->replay)
    return hc_fail(e, HC_EUSAGE, HC_ALGORITHM_PLACE, 0, 0,
                   "missing `url`: where the algorithm comes to, such as ipc:///tmp/elastisim.ipc");
  if (o->record && o->replay)
    return hc_fail(e, HC_EUSAGE, HC_ALGORITHM_PLACE, 0, 0,
                   "record and replay: what is replayed has been recorded already; leave one out");
  if (o->interval == 0 && !(has(o, HC_ALGORITHM_ON_SUBMIT) && has(o, HC_ALGORITHM_ON_FINALIZE)))
    return hc_fail(e, HC_EUSAGE, HC_ALGORITHM_PLACE, 0, 0,
                   "nothing calls for decisions: have both submit and finalize in `schedule_on`, or an "
                   "`interval`");
  if (c->cell && c->cell->granularity != HC_CELL_HOSTS)
    return hc_fail(
        e, HC_EUNSUPPORTED, HC_ALGORITHM_PLACE, 0, 0,
        "an algorithm of ElastiSim names nodes, and this machine is a number of processors: use a cell of "
        "hosts");
  return 0;
}

/* Storage hosts have no cores, and are no nodes. */
static hc_rc make_nodes(hc_policy *self)
{
  const hc_cell_spec *cell = self->cell;
  for (uint32_t h = 0; cell && h < cell->units; h++) {
    if (cell->classes[cell->class_of[h]].capacity[HC_DIM_CPU] == 0) continue;
    TRY(hc_reserve(self->allocator, (void **)&self->nodes, &self->node_cap, self->node_count + 1,
                   sizeof *self->nodes));
    self->nodes[self->node_count++] =
        (hc_algorithm_node){.host = h, .job = HC_NO_JOB, .expected = HC_NO_JOB, .is_modified = true};
  }
  return 0;
}

static hc_rc note_buffers(hc_policy *self, hc_error *e)
{
  const hc_list *names = &self->o->burst_buffers;
  for (size_t k = 0; k < names->count; k++) {
    const char *name = ((const char *const *)names->items)[k];
    size_t n = 0;
    while (n < self->node_count && strcmp(self->cell->host_names[self->nodes[n].host], name) != 0) n++;
    if (n == self->node_count)
      return hc_fail(e, HC_EUSAGE, HC_ALGORITHM_PLACE, 0, 0, "burst_buffers: there is no node %.100s", name);
    self->nodes[n].has_buffer = true;
  }
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const hc_algorithm_options *o = opts;
  hc_policy *self;
  TRY(check(c, o, e));
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){.s = c->services,
                      .allocator = c->allocator,
                      .o = o,
                      .cell = c->cell,
                      .is_changed = true,
                      .tick = HC_NEVER};
  for (int i = 0; i < (int)HC_ARRAY_LEN(self->on); i++) self->on[i] = has(o, i);
  hc_arena_init(&self->arena, c->allocator);
  hc_map_init(&self->by_serial, c->allocator);
  hc_spoken_init(&self->with, c, HC_ALGORITHM_PLACE);
  hc_rc rc = hc_algorithm_open_file(&self->file, c->allocator, o->jobs, e);
  if (rc >= 0) rc = make_nodes(self);
  if (rc >= 0) rc = note_buffers(self, e);
  if (rc < 0) fini(self);
  else *out = self;
  return rc;
}

/* All that it was told and has said: two runs that agree in it agree in what it knows. It is never loaded. */
static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  if (hc_visit_loading(v)) return HC_EUNSUPPORTED;
  HC_VISIT(v, self->invocations);
  HC_VISIT(v, self->with.said);
  return 0;
}

static bool looks_at_use(const void *opts)
{
  return ((const hc_algorithm_options *)opts)->io_information;
}

static hc_rc may_save(const void *opts, hc_error *e)
{
  HC_UNUSED(opts);
  return hc_fail(e, HC_EUNSUPPORTED, HC_ALGORITHM_PLACE, 0, 0,
                 "what another program remembers cannot be saved with the run: run it from the beginning, or "
                 "use a policy of Hindcast's own");
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  HC_UNUSED(f);
  if (!self->with.is_open) return 0;
  const hc_rc rc = say_end(self);
  const hc_rc closed = hc_spoken_close(&self->with);
  return rc == HC_ENOMEM ? rc : closed;
}

static hc_rc note(const hc_policy *self, hc_buffer *out)
{
  if (self->set_at_run_time > 0)
    hc_buffer_printf(out,
                     "the algorithm set arguments of %" PRIu64
                     " jobs at run time: no application model that is "
                     "read has names for them, and what jobs do is the same without them",
                     self->set_at_run_time);
  else if (self->with.error.rc < 0) hc_buffer_printf(out, "when the run was over: %s", self->with.error.text);
  return out->failed ? HC_ENOMEM : 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, hc_algorithm_options, url, NULL,
             "Address at which the run listens and to which the algorithm connects: ipc://PATH or "
             "tcp://HOST:PORT (ElastiSim's zmq_url). Needed unless `replay` is set."),
    HC_PARAM(
        FILE, hc_algorithm_options, jobs, NULL,
        "ElastiSim's file of jobs, the one that the run's only source reads: from it the algorithm is told "
        "types, walltimes, arguments, attributes, GPUs and phases of jobs. Default: none, and the algorithm "
        "sees all tasks as rigid jobs."),
    HC_PARAM(
        CHOICES, hc_algorithm_options, schedule_on, "submit|finalize|scheduling_point|reconfiguration",
        "[submit, finalize, scheduling_point]",
        "What calls for an invocation, besides requests of jobs. submit: a job has arrived; finalize: one "
        "has ended, or was killed at its walltime; scheduling_point: a job is at one; reconfiguration: a job "
        "has other nodes from a point on, where points do not call."),
    HC_PARAM(TIME, hc_algorithm_options, interval, "s", "0", 0, 1e9,
             "Period at whose whole multiples the algorithm is invoked, while there are jobs. 0: none."),
    HC_PARAM(TIME, hc_algorithm_options, apart, "s", "0", 0, 1e9,
             "An invocation that would come sooner than this after the last one, or after the beginning, is "
             "left out (ElastiSim's min_scheduling_interval); a job at a scheduling point goes on then."),
    HC_PARAM(
        BOOL, hc_algorithm_options, clips, "true",
        "Are evolving requests of jobs clipped to the jobs' bounds (clip_evolving_requests)? false: a "
        "request outside of them ends the run with an error."),
    HC_PARAM(TEXTS, hc_algorithm_options, burst_buffers, "[]",
             "Names of hosts that the algorithm sees as nodes with a burst buffer."),
    HC_PARAM(BOOL, hc_algorithm_options, io_information, "false",
             "Each invocation tells of the file system, by the links of `pfs_read` and `pfs_write`: their "
             "bandwidths "
             "and what is taken of them, B/s (forward_io_information). With `execution`."),
    HC_PARAM(TEXTS, hc_algorithm_options, pfs_read, "[]",
             "Names of the links over which the file system is read, for `io_information`."),
    HC_PARAM(TEXTS, hc_algorithm_options, pfs_write, "[]",
             "Names of the links over which the file system is written, for `io_information`."),
    HC_PARAM(BOOL, hc_algorithm_options, is_public, "false",
             "May `url` be an address that other machines can reach? Messages travel as plain text."),
    HC_PARAM(
        TIME, hc_algorithm_options, timeout, "s", "600", 0, 1e9,
        "How long an answer, and the connection of the algorithm, may take by the wall clock, in steps of a "
        "quarter of a second. 0: any time."),
    HC_PARAM(SIZE, hc_algorithm_options, most, "B", "64MiB", 1, 1e12, "Greatest size of an answer."),
    HC_PARAM(
        TEXT, hc_algorithm_options, record, NULL,
        "File in which all messages are recorded for `replay`. The file must not exist yet. Runs of a study "
        "need a file each. Default: none."),
    HC_PARAM(FILE, hc_algorithm_options, replay, NULL,
             "Recorded file (`record`) from which the answers are taken, without the algorithm and without "
             "ZeroMQ: it repeats the run that was recorded. A message that differs from the recorded one is "
             "an error. Default: none."),
    {0}};

const hc_policy_type hc_policy_elastisim = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "elastisim",
         .summary = "an algorithm that was written for ElastiSim decides, by its protocol (ZeroMQ, JSON)",
         .detail =
             "A program written with ElastiSim's library for Python needs no change: it is told of jobs and "
             "nodes that have changed, and assigns nodes to jobs, which start on them, or have them from "
             "their next scheduling point on. docs/elastisim.md says what is told and what is refused. Runs "
             "with this policy cannot be saved.",
         .source = "ElastiSim 2024, https://elastisim.github.io", .params = params,
         .options_size = sizeof(hc_algorithm_options)},
    .flags = flags,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .cell_changed = cell_changed,
    .finish = finish,
    .note = note,
    .may_save = may_save,
    .decides_points = true,
    .looks_at_use = looks_at_use,
};
