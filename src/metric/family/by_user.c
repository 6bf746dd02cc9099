/* by_user.c -- a table of tasks by user. The work is in groups.c. Cost: one look-up per task. */
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/groups.h"

typedef struct options {
  hc_time tau;
} options;

struct hc_metric {
  hc_family family;
  hc_groups groups;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  hc_groups_init(&(*out)->groups, c->allocator, ((const options *)chosen)->tau);
  return 0;
}

static hc_rc tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  int64_t keys[HC_BLOCK];
  while (count > 0) {
    size_t n = HC_MIN(count, HC_BLOCK);
    for (size_t i = 0; i < n; i++) keys[i] = records[i].user;
    TRY(hc_groups_add(&self->groups, keys, records, n));
    records += n;
    count -= n;
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  return hc_groups_find(&self->groups, f, "by_user");
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

static const char *const figures[] = {HC_GROUP_FIGURES("by_user"), NULL};

const hc_metric_type hc_metric_by_user = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .name = "by_user",
         .summary = "tasks, waits, slowdowns and area of each user",
         .detail = "A table with a row for each user that has tasks which started and ended; the key is its "
                   "number in the trace, -1 where the trace gives none.",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .tasks = tasks,
    .finish = finish,
    .visit = visit,
    .fini = fini,
    .figures = figures,
};
