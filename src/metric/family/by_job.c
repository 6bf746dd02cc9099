/* by_job.c -- what became of each job: when it came and ended, how often its tasks ran, and what was stopped.
 *
 * An attempt begins when a task claims its first host and ends when it gives one back; stops say which
 * attempts were cut off. Records of stops and of changes come in an order of their own, so sums do not depend
 * on it. A task of no job is not counted. Cost: two look-ups an attempt; 72 bytes a job, 16 a task that runs,
 * and the maps of both. */
#include "base/mem.h"
#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/sum128.h"

#define NONE UINT32_MAX

typedef struct job {
  int64_t number;
  hc_time submit, start, end; /* HC_UNKNOWN */
  uint64_t attempts, stopped;
  hc_time time, longest, stopped_time;
} job;

typedef struct attempt {
  hc_time start;
  uint32_t job, next; /* next: of the free ones */
} attempt;

struct hc_metric {
  hc_family family;
  job *jobs; /* in the order in which they came */
  size_t count, cap;
  hc_map by_number;
  attempt *running;
  size_t running_count, running_cap;
  uint32_t vacant;
  hc_map by_serial;
};

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  HC_UNUSED(options);
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  hc_map_init(&(*out)->by_number, c->allocator);
  hc_map_init(&(*out)->by_serial, c->allocator);
  (*out)->vacant = NONE;
  return 0;
}

static void fini(hc_metric *self)
{
  if (!self) return;
  const hc_allocator *a = self->family.context.allocator;
  hc_map_fini(&self->by_number);
  hc_map_fini(&self->by_serial);
  hc_free(a, self->jobs, self->cap * sizeof *self->jobs);
  hc_free(a, self->running, self->running_cap * sizeof *self->running);
  hc_family_free(self);
}

static hc_rc find_job(hc_metric *self, int64_t number, uint32_t *out)
{
  *out = hc_map_get(&self->by_number, (uint64_t)number);
  if (*out != HC_MAP_NONE) return 0;
  *out = (uint32_t)self->count;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->jobs, &self->cap, self->count + 1,
                 sizeof *self->jobs));
  TRY(hc_map_set(&self->by_number, (uint64_t)number, *out));
  self->jobs[self->count++] =
      (job){.number = number, .submit = HC_UNKNOWN, .start = HC_UNKNOWN, .end = HC_UNKNOWN};
  return 0;
}

static hc_rc begin(hc_metric *self, const hc_change *c, uint32_t j)
{
  uint32_t at;
  if (hc_map_get(&self->by_serial, c->serial) != HC_MAP_NONE) return 0; /* one more of its hosts */
  TRY(HC_SLOT_TAKE(self->family.context.allocator, attempt, next, self->running, self->running_count,
                   self->running_cap, self->vacant, &at));
  self->running[at] = (attempt){.start = c->at, .job = j, .next = NONE};
  if (self->jobs[j].start == HC_UNKNOWN) self->jobs[j].start = c->at;
  return hc_map_set(&self->by_serial, c->serial, at);
}

static void end(hc_metric *self, const hc_change *c)
{
  const uint32_t at = hc_map_get(&self->by_serial, c->serial);
  if (at == HC_MAP_NONE) return;
  attempt *x = &self->running[at];
  job *j = &self->jobs[x->job];
  const hc_time held = c->at - x->start;
  j->attempts++;
  j->time = hc_amount_plus(j->time, held);
  j->longest = HC_MAX(j->longest, held);
  j->end = c->at;
  HC_SLOT_GIVE(attempt, next, self->running, self->vacant, at);
  hc_map_remove(&self->by_serial, c->serial);
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    uint32_t j;
    if (c->resized) continue; /* it runs on */
    if (c->kind == HC_CHANGE_RELEASED) end(self, c);
    if (c->job < 0 || (c->kind != HC_CHANGE_QUEUED && c->kind != HC_CHANGE_CLAIMED)) continue;
    TRY(find_job(self, c->job, &j));
    if (self->jobs[j].submit == HC_UNKNOWN) self->jobs[j].submit = c->at;
    if (c->kind == HC_CHANGE_CLAIMED) TRY(begin(self, c, j));
  }
  return 0;
}

static hc_rc stops(hc_metric *self, const hc_stop_record *r)
{
  uint32_t j;
  if (r->job < 0) return 0;
  TRY(find_job(self, r->job, &j));
  self->jobs[j].stopped++;
  self->jobs[j].stopped_time = hc_amount_plus(self->jobs[j].stopped_time, r->at - r->start);
  return 0;
}

/* ---- figures ---- */

static hc_rc find_time(hc_findings *f, const job *j, const char *name, hc_time t)
{
  return t == HC_UNKNOWN ? 0 : hc_find_cell(f, "by_job", j->number, name, "s", hc_seconds(t));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_find_count(f, "jobs", "jobs", (int64_t)self->count));
  for (size_t i = 0; i < self->count; i++) {
    const job *j = &self->jobs[i];
    TRY(find_time(f, j, "submit", j->submit));
    TRY(find_time(f, j, "start", j->start));
    TRY(find_time(f, j, "end", j->end));
    TRY(hc_find_cell(f, "by_job", j->number, "attempts", "attempts", (double)j->attempts));
    TRY(hc_find_cell(f, "by_job", j->number, "stopped", "attempts", (double)j->stopped));
    TRY(find_time(f, j, "time", j->time));
    TRY(find_time(f, j, "longest", j->longest));
    TRY(find_time(f, j, "stopped_time", j->stopped_time));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT_ARRAY(v, self->jobs, self->count, self->cap);
  TRY(hc_map_visit(&self->by_number, v));
  HC_VISIT_ARRAY(v, self->running, self->running_count, self->running_cap);
  HC_VISIT(v, self->vacant);
  if (!HC_SLOTS_ARE_SOUND(attempt, next, self->running, self->running_count, self->vacant)) return HC_EINPUT;
  return hc_map_visit(&self->by_serial, v);
}

static const char *const figures[] = {
    "jobs|jobs|none|jobs of which at least one task waited",
    "by_job.submit|s|none|when the first of its tasks began to wait; the key is the job's number",
    "by_job.start|s|none|when the first of its tasks started",
    "by_job.end|s|lower|last end of a task of the job",
    "by_job.attempts|attempts|none|times that a task of it ran and ended, or was stopped",
    "by_job.stopped|attempts|lower|attempts of the job that a plan stopped",
    "by_job.time|s|none|sum of the run times of these attempts",
    "by_job.longest|s|none|the longest run time of an attempt",
    "by_job.stopped_time|s|lower|sum of the run times of stopped attempts",
    NULL,
};

const hc_metric_type hc_metric_by_job = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "by_job",
         .summary = "a table of jobs: when each came and ended, its attempts, and those that were stopped",
         .detail =
             "Jobs are numbered as in their source, and those of several sources are kept apart (`users`). "
             "Tasks of no job are left out. Only a run knows the jobs of tasks and which attempts were "
             "stopped, so this table cannot be computed from a log or stored rows alone.",
         .source = "the statistics of YTsaurus's scheduler simulator", .figures = figures},
    HC_FAMILY_CALLS,
    .changes = changes,
    .needs_use = true,
    .stops = stops,
    .change_kinds = 1u << HC_CHANGE_QUEUED | 1u << HC_CHANGE_CLAIMED | 1u << HC_CHANGE_RELEASED,
};
