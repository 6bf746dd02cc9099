/* ready_wait.c -- how long tasks waited once they might start: without what they waited for by their own
 * wish.
 *
 * wait counts from submission, when a task is known. One with schedule_after, or that waits for others, may
 * start later only; here its wait begins then, when it stands in the queue. A task that starts again, since
 * it lost its host or was stopped, counts again, from when it queued again. Where no task has such wishes
 * both waits are one.
 *
 * Cost: two looks in a table and a quantile for each start; some 20 bytes for each task that waits. */
#include "base/mem.h"
#include "base/quantile.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/distribution.h"
#include "metric/family.h"
#include "metric/sum128.h"

typedef struct place {
  uint64_t serial; /* free: the next free place + 1 */
  hc_time since;
} place;

struct hc_metric {
  hc_family family;
  hc_map of; /* serial -> place */
  place *places;
  size_t count, cap;
  uint64_t vacant; /* a free place + 1; 0: none */
  struct {
    uint64_t serial, is_there;
    hc_time wait;
  } last; /* who left the queue last, and may have started */
  uint64_t starts;
  hc_wide sum;
  hc_quantile quantile;
};

static void fini(hc_metric *self)
{
  if (self) {
    hc_map_fini(&self->of);
    hc_free(self->family.context.allocator, self->places, self->cap * sizeof *self->places);
    hc_quantile_fini(&self->quantile);
  }
  hc_family_free(self);
}

static hc_rc init(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e)
{
  HC_UNUSED(options);
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  hc_map_init(&(*out)->of, c->allocator);
  hc_quantile_init(&(*out)->quantile, c->allocator);
  return 0;
}

static hc_rc queued(hc_metric *self, const hc_change *c)
{
  uint64_t at = self->vacant;
  if (at > 0) self->vacant = self->places[at - 1].serial;
  else {
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->places, &self->cap, self->count + 1,
                   sizeof *self->places));
    at = ++self->count;
  }
  self->places[at - 1] = (place){c->serial, c->at};
  return hc_map_set(&self->of, c->serial, (uint32_t)(at - 1));
}

static void unqueued(hc_metric *self, const hc_change *c)
{
  const uint32_t at = hc_map_get(&self->of, c->serial);
  self->last.is_there = at != HC_MAP_NONE;
  if (at == HC_MAP_NONE) return;
  self->last.serial = c->serial;
  self->last.wait = hc_time_between(self->places[at].since, c->at);
  hc_map_remove(&self->of, c->serial);
  self->places[at].serial = self->vacant;
  self->vacant = at + 1;
}

/* Claims follow the task's leave of the queue: the first of them is its start. */
static hc_rc claimed(hc_metric *self, const hc_change *c)
{
  const double wait = (double)self->last.wait;
  if (!self->last.is_there || self->last.serial != c->serial) return 0;
  self->last.is_there = 0;
  self->starts++;
  hc_wide_add(&self->sum, self->last.wait);
  return hc_quantile_add(&self->quantile, &wait, 1);
}

static hc_rc changes(hc_metric *self, const hc_change *c, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (c[i].kind == HC_CHANGE_QUEUED) TRY(queued(self, &c[i]));
    else if (c[i].kind == HC_CHANGE_UNQUEUED) unqueued(self, &c[i]);
    else if (c[i].kind == HC_CHANGE_CLAIMED) TRY(claimed(self, &c[i]));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  TRY(hc_find_real(f, "ready_wait_mean", "s", hc_mean_seconds(self->sum, self->starts)));
  return hc_quantile_find(&self->quantile, f, "ready_wait", "s", (double)HC_SECOND);
}

/* What is loaded may come from a damaged file. */
static bool is_sound(const hc_metric *self)
{
  size_t free = 0;
  for (uint64_t at = self->vacant; at > 0; at = self->places[at - 1].serial)
    if (at > self->count || ++free > self->count) return false;
  return free + self->of.count == self->count;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  TRY(hc_map_visit(&self->of, v));
  HC_VISIT_ARRAY(v, self->places, self->count, self->cap);
  HC_VISIT(v, self->vacant);
  HC_VISIT(v, self->last);
  HC_VISIT(v, self->starts);
  HC_VISIT(v, self->sum);
  TRY(hc_quantile_visit(&self->quantile, v));
  if (!hc_visit_loading(v)) return 0;
  return hc_map_is_below(&self->of, self->count) && is_sound(self) ? 0 : HC_EINPUT;
}

static const char *const figures[] = {
    HC_DISTRIBUTION_FIGURES("ready_wait", "s", "start - when it might start", "", "", "", ""), NULL};

const hc_metric_type hc_metric_ready_wait = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "ready_wait",
         .summary = "how long tasks waited once they were allowed to start: after schedule_after and "
                    "predecessors",
         .detail =
             "start - max(submit, schedule_after, the time at which its dependencies were met), over starts: "
             "a task that starts again counts again, from when it queued again. The metric wait counts from "
             "submission. Only a run knows that time, so these figures cannot be computed from stored "
             "rows. " HC_QUANTILE_DETAIL},
    HC_FAMILY_CALLS,
    .changes = changes,
    .needs_use = true,
    .change_kinds = 1u << HC_CHANGE_QUEUED | 1u << HC_CHANGE_UNQUEUED | 1u << HC_CHANGE_CLAIMED,
};
