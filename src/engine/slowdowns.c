/* slowdowns.c -- where tasks run decides how long they take (the run's `slowdowns`).
 *
 * On each host a task has a part: so many slots, so many GPUs. Each slowdown (src/execution/slowdown) says by
 * all parts, and by whose task it is, how many times as long the task takes, and they multiply. That divides
 * the speed of the task's slowest host (work.c), so all that plans with hosts of several speeds plans with
 * it: what is believed of a task on the hosts that it would get, promises on hosts, and records. A task that
 * is stopped and goes on elsewhere has as much work left as on a host of speed 1, and takes as long as it
 * does there.
 *
 * Refused: cells without hosts; models that carry out what tasks do, which know hosts themselves; policies
 * that resize tasks, since what is known of a task's size is a share of its speed; local load, which asks for
 * the speed of single hosts. Cost: O(hosts of the task) whenever one is looked at. */
#include "engine/slowdowns.h"

#include <string.h>

#include "base/blame.h"
#include "base/mem.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "engine/combine.h"
#include "engine/tasks.h"
#include "hindcast/execution.h"
#include "workload/spec.h"

typedef struct slowdown {
  const hc_slowdown_type *type;
  void *state;
} slowdown;

struct hc_slowdowns {
  size_t count;
  slowdown *all;           /* [count] */
  hc_slowdown_part *parts; /* [units] of the task that is looked at */
};

static hc_rc check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  if (!e->cell.hosts)
    return hc_combine_refuse(error, "`slowdowns` are about hosts, and this cell has none: use `cell: {use: "
                                    "hosts, ...}`, or leave them out");
  if (e->options->execution.type)
    return hc_combine_refuse(error, "a model of execution says itself how long tasks take where they run: "
                                    "leave out `slowdowns`, or `execution`");
  if (flags & HC_MAY_RESIZE)
    return hc_combine_refuse(error, "how fast a task is that a policy resizes is a matter of its size alone: "
                                    "leave out `slowdowns`, or use another policy");
  if (e->options->local_load.count > 0)
    return hc_combine_refuse(error, "with local load hosts are looked at one by one, and how long a task "
                                    "takes is a matter of all of its hosts: leave out `slowdowns`, or "
                                    "`local_load`");
  return 0;
}

/* The GPU's model of each class; NULL: it has no GPUs, or says none. */
static void find_models(const hc_engine *e, const char **models)
{
  static const char name[] = "gpu_model";
  for (uint32_t k = 0; k < e->cell_spec.class_count; k++) {
    const hc_host_class *c = &e->cell_spec.classes[k];
    models[k] = c->capacity[HC_DIM_GPU] > 0 ? "" : NULL;
    for (uint32_t i = 0; i < c->attribute_count && models[k]; i++)
      if (c->attributes[i].is_text && strcmp(hc_lexicon_text(e->lexicon, c->attributes[i].name), name) == 0)
        models[k] = hc_lexicon_text(e->lexicon, (uint32_t)c->attributes[i].value);
  }
}

static int64_t number_of(const char *name)
{
  return hc_name_number(name, strlen(name));
}

static hc_rc open_all(hc_engine *e, const char *const *models, hc_error *error)
{
  const hc_chosen *chosen = e->options->slowdowns.items;
  const hc_slowdown_context c = {e->allocator, &e->cell_spec, models, e->lexicon, number_of};
  struct hc_slowdowns *s = e->slowdowns;
  double least = 1;
  for (size_t i = 0; i < s->count; i++) {
    s->all[i].type = (const hc_slowdown_type *)chosen[i].type;
    TRY(hc_blame(chosen[i].type, s->all[i].type->init(&c, chosen[i].options, &s->all[i].state, error),
                 error));
    least *= s->all[i].type->least(s->all[i].state);
  }
  e->has_speeds = e->stretches = true;
  e->fastest /= least;
  return 0;
}

hc_rc hc_slowdowns_open(hc_engine *e, uint32_t flags, hc_error *error)
{
  const size_t count = e->options->slowdowns.count, classes = e->cell_spec.class_count;
  const char **models;
  hc_rc rc;
  if (count == 0) return 0;
  TRY(check(e, flags, error));
  e->slowdowns = hc_alloc(e->allocator, sizeof *e->slowdowns);
  models = hc_alloc(e->allocator, (classes + 1) * sizeof *models);
  if (e->slowdowns) e->slowdowns->all = hc_alloc(e->allocator, count * sizeof *e->slowdowns->all);
  if (e->slowdowns)
    e->slowdowns->parts = hc_alloc(e->allocator, e->cell_spec.units * sizeof(hc_slowdown_part));
  rc = e->slowdowns && e->slowdowns->all && e->slowdowns->parts && models ? 0 : HC_ENOMEM;
  if (rc == 0) {
    e->slowdowns->count = count;
    find_models(e, models);
    rc = open_all(e, models, error);
  }
  hc_free(e->allocator, models, (classes + 1) * sizeof *models);
  return rc;
}

void hc_slowdowns_close(hc_engine *e)
{
  struct hc_slowdowns *s = e->slowdowns;
  if (!s) return;
  for (size_t i = 0; i < s->count; i++)
    if (s->all[i].state) s->all[i].type->fini(e->allocator, s->all[i].state);
  hc_free(e->allocator, s->all, e->options->slowdowns.count * sizeof *s->all);
  hc_free(e->allocator, s->parts, e->cell_spec.units * sizeof *s->parts);
  hc_free(e->allocator, s, sizeof *s);
  e->slowdowns = NULL;
}

/* Grants of one host are one part. */
static size_t find_parts(const hc_engine *e, const hc_grant *grants, size_t count)
{
  hc_slowdown_part *parts = e->slowdowns->parts;
  hc_devices devices = {0};
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (n == 0 || parts[n - 1].host != grants[i].host) {
      HC_ASSERT(n < e->cell_spec.units);
      devices = (hc_devices){0};
      parts[n++] =
          (hc_slowdown_part){.host = grants[i].host, .host_class = e->cell_spec.class_of[grants[i].host]};
    }
    for (size_t k = 0; k < HC_ARRAY_LEN(devices.bits); k++) devices.bits[k] |= grants[i].devices.bits[k];
    parts[n - 1].slots += grants[i].slots;
    parts[n - 1].gpus = hc_devices_count(&devices);
  }
  return n;
}

double hc_slowdowns_times(const hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  const struct hc_slowdowns *s = e->slowdowns;
  const hc_task_cold *c = hc_cold_of(e, id);
  const hc_slowdown_task task = {.user = e->tasks.identities[id].user,
                                 .group = c->group,
                                 .executable = c->executable,
                                 .queue = c->queue};
  const size_t parts = find_parts(e, grants, count);
  double product = 1;
  for (size_t i = 0; i < s->count; i++)
    product *= s->all[i].type->times(s->all[i].state, &task, s->parts, parts);
  return product;
}
