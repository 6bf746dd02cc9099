/* bytable.c -- what the families by_* have in common. See bytable.h. */
#include "metric/bytable.h"

#include "base/util.h"

const hc_param hc_bytable_params[] = {
    HC_TAU_PARAM(hc_bytable_options,
                 "Threshold of the bounded slowdown: tasks that ran for less are taken to have run for this "
                 "long."),
    {.name = NULL},
};

static void set_calendar(hc_metric *self, const hc_metric_context *c)
{
  const int64_t most = (int64_t)1 << 40; /* 34,000 years: past it an origin is an error of the log */
  int64_t local;
  if (c->unix_start <= -most || c->unix_start >= most) return;
  local = c->unix_start + c->zone_offset;
  self->base_day = hc_floor_div(local, 86400);
  self->base_time = (local - 86400 * self->base_day) * HC_SECOND;
}

hc_rc hc_bytable_new(const hc_metric_context *c, const void *options, const char *table, hc_bytable_keys keys,
                     hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->table = table;
  (*out)->keys = keys;
  set_calendar(*out, c);
  hc_groups_init(&(*out)->groups, c->allocator, ((const hc_bytable_options *)options)->tau);
  return 0;
}

hc_rc hc_bytable_tasks(hc_metric *self, const hc_task_record *records, size_t count)
{
  int64_t keys[HC_BLOCK];
  while (count > 0) {
    size_t n = HC_MIN(count, HC_BLOCK);
    self->keys(self, records, n, keys);
    TRY(hc_groups_add(&self->groups, keys, records, n));
    records += n;
    count -= n;
  }
  return 0;
}

hc_rc hc_bytable_finish(hc_metric *self, hc_findings *f)
{
  return hc_groups_find(&self->groups, f, self->table);
}

hc_rc hc_bytable_visit(hc_metric *self, hc_visitor *v)
{
  return hc_groups_visit(&self->groups, v);
}

void hc_bytable_fini(hc_metric *self)
{
  if (self) hc_groups_fini(&self->groups);
  hc_family_free(self);
}
