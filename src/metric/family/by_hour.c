/* by_hour.c -- a table of tasks by the hour of the day at which they were submitted.
 *
 * The calendar is the run's: its Unix origin and one offset from UTC for the whole of it. After a
 * change of the clocks the hours are those before it. The work is in groups.c.
 * Cost: two divisions by constants and a look-up per task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/groups.h"

typedef struct options {
  hc_time tau;
} options;

struct hc_metric {
  hc_family family;
  hc_time base_time; /* since the local day began, at the run's origin; 0 if not known */
  hc_groups groups;
};

static int64_t floor_divide(int64_t a, int64_t b)
{
  return a / b - (a % b < 0);
}

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  const int64_t most = (int64_t)1 << 40; /* 34,000 years: past it an origin is an error of the log */
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  if (c->unix_start > -most && c->unix_start < most) {
    int64_t local = c->unix_start + c->zone_offset;
    (*out)->base_time = (local - 86400 * floor_divide(local, 86400)) * HC_SECOND;
  }
  hc_groups_init(&(*out)->groups, c->allocator, ((const options *)chosen)->tau);
  return 0;
}

/* Hour of the local day that holds t. The sum t + base_time is spelt so that it cannot overflow with
 * effect. */
static int64_t key_of(const hc_metric *self, hc_time t)
{
  int64_t hour = floor_divide(hc_time_between(-self->base_time, t), HC_HOUR);
  return hour - 24 * floor_divide(hour, 24);
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  int64_t keys[HC_BLOCK];
  while (count > 0) {
    size_t n = HC_MIN(count, HC_BLOCK);
    for (size_t i = 0; i < n; i++) keys[i] = key_of(self, records[i].submit);
    TRY(hc_groups_add(&self->groups, keys, records, n));
    records += n;
    count -= n;
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  return hc_groups_find(&self->groups, f, "by_hour");
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  return hc_groups_visit(&self->groups, v);
}

static void fini(hc_metric *self)
{
  if (self) hc_groups_fini(&self->groups);
  hc_family_free(self);
}

static const hc_param params[] = {
    {.name = "tau",
     .type = HC_TIME,
     .offset = offsetof(options, tau),
     .unit = "s",
     .fallback = "10s",
     .min = 0.001,
     .max = 1e9,
     .help = "Of the bounded slowdown."},
    {.name = NULL},
};

static const char *const figures[] = {HC_GROUP_FIGURES("by_hour"), NULL};

const hc_metric_type hc_metric_by_hour = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "by_hour",
         .summary = "tasks, waits, slowdowns and area by the hour of the day at which they were submitted",
         .detail =
             "A table with a row for each hour of the local day, 0 to 23, in which a task was submitted that "
             "started and ended. Where the run's origin is not known, its days begin at the origin.",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .tasks = tasks,
    .finish = finish,
    .visit = visit,
    .fini = fini,
    .figures = figures,
};
