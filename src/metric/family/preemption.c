/* preemption.c -- what stopping running tasks for others costs: how often, and how much of what was held was
 * for nothing.
 *
 * What an attempt had done, and did not save, is lost; what it then held for that time is lost with it. So
 * each dimension has two utilisations: what was claimed, and that less what was lost. Time that goes to
 * starting again from what was saved is not useful either, but belongs to the attempt that follows: it stands
 * by itself. Integrals are exact (128 bits). Cost: a product a change and dimension; 8 bytes for each task
 * that was ever stopped. */
#include <stdio.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/sum128.h"

typedef struct integral {
  int64_t value;
  hc_wide sum; /* amount x ns */
} integral;

struct hc_metric {
  hc_family family;
  hc_machine machine;
  uint64_t started, waited, killed, restarts, tasks;
  hc_wide lost, lost_hosts, overhead; /* ns */
  hc_wide lost_amount[HC_DIMENSIONS];
  integral claimed[HC_DIMENSIONS], capacity[HC_DIMENSIONS];
  hc_time now;
  bool has_begun;
};

static void fini(hc_metric *self)
{
  if (self) hc_machine_fini(&self->machine);
  hc_family_free(self);
}

static hc_rc set_up(hc_metric *self, const void *options, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  TRY(hc_machine_init(&self->machine, &self->family.context));
  for (uint32_t d = 0; d < self->machine.width; d++) self->capacity[d].value = self->machine.total[d];
  return 0;
}

HC_FAMILY_INIT

/* ---- hearing ---- */

static void pass(hc_metric *self, hc_time t)
{
  if (self->has_begun)
    for (uint32_t i = 0; i < self->machine.dimensions; i++) {
      const uint8_t d = self->machine.which[i];
      hc_wide_add_product(&self->claimed[d].sum, self->claimed[d].value, t - self->now);
      hc_wide_add_product(&self->capacity[d].sum, self->capacity[d].value, t - self->now);
    }
  self->has_begun = true;
  self->now = t;
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  int64_t more[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    const hc_change *c = &changes[i];
    const bool taken = c->kind == HC_CHANGE_CLAIMED, given = c->kind == HC_CHANGE_RELEASED;
    const bool host = c->kind == HC_CHANGE_HOST && hc_machine_change(&self->machine, c, more);
    if (!self->has_begun || c->at > self->now) pass(self, c->at);
    for (uint32_t d = 0; d < self->machine.width; d++) {
      if (taken) self->claimed[d].value = hc_amount_plus(self->claimed[d].value, c->amount[d]);
      if (given) self->claimed[d].value = hc_amount_minus(self->claimed[d].value, c->amount[d]);
      if (host) self->capacity[d].value = hc_amount_plus(self->capacity[d].value, more[d]);
    }
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  if (self->has_begun && end > self->now) pass(self, end);
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    self->started += records[i].start != HC_UNKNOWN;
    self->tasks += (records[i].flags & HC_TASK_PREEMPTED) != 0;
  }
  return 0;
}

static hc_rc stops(hc_metric *self, const hc_stop_record *r)
{
  if (r->how == 1) self->killed++;
  else self->waited++;
  self->restarts += r->how == 2;
  hc_wide_add(&self->lost, r->lost);
  hc_wide_add(&self->overhead, r->overhead);
  hc_wide_add_product(&self->lost_hosts, r->lost, HC_MAX(r->hosts, 1));
  for (uint32_t d = 0; d < self->machine.width; d++)
    hc_wide_add_product(&self->lost_amount[d], r->amount[d], r->lost);
  return 0;
}

/* ---- figures ---- */

static hc_rc find_dimension(const hc_metric *self, hc_findings *f, uint8_t d)
{
  char buffer[32], name[96], unit[32];
  const char *word = hc_machine_name(&self->machine, d, buffer);
  const hc_wide useful = hc_wide_minus(self->claimed[d].sum, self->lost_amount[d]);
  (void)snprintf(name, sizeof name, "preemption_%.30s_lost", word);
  (void)snprintf(unit, sizeof unit, "%s x s", hc_machine_unit(d));
  TRY(hc_find_real(f, name, unit, hc_wide_seconds(self->lost_amount[d]) / hc_machine_per_unit(d)));
  (void)snprintf(name, sizeof name, "preemption_%.30s_utilisation", word);
  TRY(hc_find_real(f, name, "1", hc_wide_ratio(self->claimed[d].sum, self->capacity[d].sum)));
  (void)snprintf(name, sizeof name, "preemption_%.30s_useful", word);
  return hc_find_real(f, name, "1", hc_wide_ratio(useful, self->capacity[d].sum));
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const uint64_t stopped = self->waited + self->killed, attempts = self->started + self->waited;
  TRY(hc_find_count(f, "preemption_stops", "attempts", (int64_t)stopped));
  TRY(hc_find_count(f, "preemption_tasks", "tasks", (int64_t)self->tasks));
  TRY(hc_find_count(f, "preemption_killed", "tasks", (int64_t)self->killed));
  TRY(hc_find_real(f, "preemption_share", "1",
                   attempts > 0 ? (double)stopped / (double)attempts : __builtin_nan("")));
  TRY(hc_find_real(f, "preemption_lost_time", "s", hc_wide_seconds(self->lost)));
  TRY(hc_find_real(f, "preemption_lost_host_time", "hosts x s", hc_wide_seconds(self->lost_hosts)));
  TRY(hc_find_count(f, "preemption_restarts", "attempts", (int64_t)self->restarts));
  TRY(hc_find_real(f, "preemption_restart_time", "s", hc_wide_seconds(self->overhead)));
  for (uint32_t i = 0; i < self->machine.dimensions; i++)
    TRY(find_dimension(self, f, self->machine.which[i]));
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->started);
  HC_VISIT(v, self->waited);
  HC_VISIT(v, self->killed);
  HC_VISIT(v, self->restarts);
  HC_VISIT(v, self->tasks);
  HC_VISIT(v, self->lost);
  HC_VISIT(v, self->lost_hosts);
  HC_VISIT(v, self->overhead);
  HC_VISIT(v, self->lost_amount);
  HC_VISIT(v, self->claimed);
  HC_VISIT(v, self->capacity);
  HC_VISIT(v, self->now);
  HC_VISIT(v, self->has_begun);
  return hc_machine_visit(&self->machine, v);
}

static const char *const figures[] = {
    "preemption_stops|attempts|lower|attempts that a plan stopped",
    "preemption_tasks|tasks|lower|tasks that were stopped at least once",
    "preemption_killed|tasks|lower|of these stops, those that ended their task",
    ("preemption_share|1|lower|stops / attempts, where attempts = tasks that started and did not wait again "
     "at the end + stops after which a task waited again; attempts lost with their hosts do not count"),
    ("preemption_lost_time|s|lower|sum over stops of the attempt's time that has to be done again, or was "
     "for nothing"),
    ("preemption_lost_host_time|hosts x s|lower|sum over stops of that time x the hosts that the task was on "
     "(on a cell of processors: x 1)"),
    "preemption_restarts|attempts|none|stops after which a task goes on from what it has saved",
    "preemption_restart_time|s|lower|sum over these of what starting again takes",
    "preemption_*_lost|cores x s, B x s, GPUs x s, units x s|lower|sum over stops of lost time x amount held",
    ("preemption_*_utilisation|1|higher|integral of claimed / integral of capacity, from the first change to "
     "the end"),
    "preemption_*_useful|1|higher|the same, less what was lost: (claimed - lost) / capacity",
    NULL,
};

const hc_metric_type hc_metric_preemption = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "preemption",
         .summary = "running tasks that were stopped for others, and the work that was lost",
         .detail =
             "What an attempt lost is the time since its work was last saved, or since it started; all of "
             "its time if the task was killed. Utilisation counts amounts claimed, as the thesis on packing "
             "in YTsaurus has it, with and without preempted tasks. Only a run knows what was saved, so "
             "these figures cannot be computed from a log or stored rows alone.",
         .source = "the statistics of YTsaurus's scheduler simulator: preempted jobs and their time",
         .figures = figures},
    HC_FAMILY_CALLS,
    .tasks = tasks,
    .changes = changes,
    .until = until,
    .needs_use = true,
    .stops = stops,
};
