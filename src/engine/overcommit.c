/* overcommit.c -- hosts that promise more cores or memory than they have, to tasks that do not use all
 * that they ask for.
 *
 * The model of execution says of what, and how many times as much (hc_model_type.overcommit). When the
 * cell is made its classes get that for their amounts: so all that places, counts, reserves and verifies
 * sees hosts of the promised size, and nothing of it has to know. What hosts really have only the model
 * is told, which knows what tasks use: it slows them where cores are too few, and ends some where memory
 * is.
 *
 * By use. With `admission: use` a host that would have room by what was asked for takes a task only if
 * what is used there, and the request of the task on top, is within a part of what the host has. Use is
 * the model's, of tasks that have begun; those that a plan has started and that have not begun count with
 * what they ask for, which is the difference between what is booked and what the model knows of. A use
 * that becomes less is no end and no change of a host: after each time at which the model did something,
 * policies are asked again.
 *
 * A policy may share cores, too: Slurm's OverSubscribe=FORCE:2 lets two jobs have one. It says so host by
 * host (hc_policy_type.shares_cores), before it is born, and decides by itself which cores are shared.
 * Nothing slows such tasks but a model of execution.
 *
 * Choices about the future would need to know what will be used: policies that plan ahead are refused
 * with `admission: use`. With `request` they believe requests, as ever. Hosts that change their amounts
 * while the run lasts would have two sizes each time: refused when it happens. Cost: O(1) for a host that
 * is looked at. Source: DSLab, its cloud model: overcommitment by real load. */
#include "engine/overcommit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/demand.h"
#include "engine/part.h"
#include "engine/signals.h"
#include "engine/tasks.h"

#define MOST_FACTOR 10000.0

enum { CPU, MEMORY, RESOURCES };
static const uint8_t dimension_of[RESOURCES] = {HC_DIM_CPU, HC_DIM_MEMORY};

/* ---- what is promised ---- */

static hc_rc wrong(const char *text, const char *why, hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, "configuration", 0, 0,
                 "execution.overcommit: \"%.60s\" %s: write cpu=2 or memory=1.2, or of one class of hosts "
                 "NAME: cpu=2",
                 text, why);
}

/* "cpu=2", "fat: memory=1.2". @param class out, NULL: every one */
static hc_rc read_promise(const hc_engine *e, const char *text, uint32_t *class, int *resource,
                          double *factor, hc_error *error)
{
  const hc_cell_spec *spec = &e->cell_spec;
  const char *colon = strrchr(text, ':'), *word = colon ? colon + 1 : text;
  const char *equals = strchr(word, '=');
  *class = HC_NO_NAME;
  while (*word == ' ') word++;
  if (!equals) return wrong(text, "has no =", error);
  const size_t n = (size_t)(equals - word);
  if ((n == 3 && memcmp(word, "cpu", n) == 0) || (n == 4 && memcmp(word, "cpus", n) == 0)) *resource = CPU;
  else if (n == 6 && memcmp(word, "memory", n) == 0) *resource = MEMORY;
  else return wrong(text, "names neither cpu nor memory, and of nothing else can more be promised", error);
  if (hc_parse_real(equals + 1, strlen(equals + 1), factor) < 0 || !(*factor > 0) || *factor > MOST_FACTOR)
    return wrong(text, "has no factor above 0 and up to 10,000", error);
  for (uint32_t k = 0; colon && k < spec->class_count; k++)
    if (strlen(spec->classes[k].name) == (size_t)(colon - text) &&
        memcmp(spec->classes[k].name, text, (size_t)(colon - text)) == 0)
      *class = k;
  if (colon && *class == HC_NO_NAME)
    return wrong(text, "names a class of hosts that the cell has not", error);
  return 0;
}

static int64_t times(int64_t amount, double factor)
{
  const double x = (double)amount * factor;
  return x < (double)(INT64_C(1) << 52) ? (int64_t)(x + 0.5) : INT64_C(1) << 52;
}

/* Hosts of a class that are promised differently become classes of their own. @param times [units] */
static hc_rc split_classes(hc_engine *e, const uint32_t *times)
{
  hc_cell_spec *spec = &e->cell_spec;
  const uint32_t n = spec->class_count, units = spec->units;
  uint32_t most = 0;
  for (uint32_t h = 0; h < units; h++) most += times[h] != 1;
  uint32_t *class_of = hc_arena_alloc(&e->build, units * sizeof *class_of);
  hc_host_class *classes = hc_arena_alloc(&e->build, ((size_t)n + most) * sizeof *classes);
  uint32_t *of = hc_arena_alloc(&e->build, ((size_t)n + most) * sizeof *of);
  uint32_t *by = hc_arena_alloc(&e->build, ((size_t)n + most) * sizeof *by);
  int64_t(*physical)[2] = hc_arena_alloc(&e->build, ((size_t)n + most) * sizeof *physical);
  if (!class_of || !classes || !of || !by || !physical) return HC_ENOMEM;
  uint32_t count = n;
  for (uint32_t k = 0; k < n; k++) {
    classes[k] = spec->classes[k];
    for (int r = 0; r < RESOURCES; r++)
      physical[k][r] = spec->physical ? spec->physical[k][r] : classes[k].capacity[dimension_of[r]];
  }
  for (uint32_t h = 0; h < units; h++) {
    const uint32_t k = spec->class_of[h];
    uint32_t at = n;
    class_of[h] = k;
    if (times[h] == 1) continue;
    while (at < count && (of[at] != k || by[at] != times[h])) at++;
    if (at == count) {
      classes[count] = classes[k];
      classes[count].capacity[HC_DIM_CPU] *= times[h];
      memcpy(physical[count], physical[k], sizeof physical[k]);
      of[count] = k;
      by[count++] = times[h];
    }
    class_of[h] = at;
  }
  spec->classes = classes;
  spec->class_count = count;
  spec->class_of = class_of;
  spec->physical = (const int64_t(*)[2])physical;
  return 0;
}

/* Of a policy that lets several tasks have a core. */
static hc_rc promise_shared(hc_engine *e, hc_error *error)
{
  const hc_policy_type *type = (const hc_policy_type *)e->options->policy.type;
  hc_cell_spec *spec = &e->cell_spec;
  const size_t room = (size_t)spec->units * sizeof(uint32_t);
  if (!type->shares_cores || e->replay.of || spec->granularity != HC_CELL_HOSTS) return 0;
  uint32_t *times = hc_alloc(e->allocator, room);
  if (!times) return HC_ENOMEM;
  for (uint32_t h = 0; h < spec->units; h++) times[h] = 1;
  hc_rc rc = type->shares_cores(e->options->policy.options, e->allocator, spec, times, error);
  if (rc > 0 && spec->physical)
    rc = hc_combine_refuse(error,
                           "the policy lets several jobs have a core (OverSubscribe), and "
                           "execution.overcommit promises more than hosts have as well: leave out one of "
                           "the two");
  else if (rc > 0) rc = split_classes(e, times);
  hc_free(e->allocator, times, room);
  return HC_MIN(rc, 0);
}

static hc_rc promise(hc_engine *e, hc_error *error)
{
  const hc_model_type *type = (const hc_model_type *)e->options->execution.type;
  const hc_list *list = type && type->overcommit ? type->overcommit(e->options->execution.options) : NULL;
  hc_cell_spec *spec = &e->cell_spec;
  const double up_to = list && type->admits_up_to ? type->admits_up_to(e->options->execution.options) : 0;
  if (up_to > 0 && list->count == 0)
    return hc_combine_refuse(error,
                             "`admission: use` is about hosts that are promised more than once: say of "
                             "what (`overcommit: [cpu=4]`)");
  if (!list || list->count == 0) return 0;
  e->admits_up_to = up_to;
  if (e->replay.of) return 0; /* a fork's is the cell of its run */
  if (spec->granularity != HC_CELL_HOSTS)
    return hc_combine_refuse(error, "overcommit promises more than hosts have, and this cell counts "
                                    "processors: use a cell of hosts");
  hc_host_class *classes = hc_arena_alloc(&e->build, spec->class_count * sizeof *classes);
  int64_t(*physical)[2] = hc_arena_alloc(&e->build, spec->class_count * sizeof *physical);
  if (!classes || !physical) return HC_ENOMEM;
  for (uint32_t k = 0; k < spec->class_count; k++) {
    classes[k] = spec->classes[k];
    for (int r = 0; r < RESOURCES; r++) physical[k][r] = classes[k].capacity[dimension_of[r]];
  }
  for (size_t i = 0; i < list->count; i++) {
    uint32_t class;
    double factor;
    int r = CPU;
    TRY(read_promise(e, ((const char *const *)list->items)[i], &class, &r, &factor, error));
    for (uint32_t k = 0; k < spec->class_count; k++)
      if (class == HC_NO_NAME || class == k)
        classes[k].capacity[dimension_of[r]] = times(physical[k][r], factor);
  }
  spec->classes = classes;
  spec->physical = (const int64_t(*)[2])physical;
  return 0;
}

hc_rc hc_overcommit_promise(hc_engine *e, hc_error *error)
{
  TRY(promise(e, error));
  return promise_shared(e, error);
}

hc_rc hc_overcommit_open(hc_engine *e, hc_model_context *c, hc_error *error)
{
  const hc_cell_spec *spec = &e->cell_spec;
  hc_physical *hosts;
  if (!spec->physical) return 0;
  if (e->admits_up_to > 0 && (e->policy_flags & (HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_PLANS_AHEAD)))
    return hc_combine_refuse(error,
                             "a policy that plans ahead would have to know what tasks will use: with "
                             "`admission: use`, use select blocking or scan, or set `admission: request`");
  hosts = hc_arena_alloc(&e->build, spec->units * sizeof *hosts);
  if (!hosts) return HC_ENOMEM;
  for (uint32_t h = 0; h < spec->units; h++) {
    const uint32_t k = spec->class_of[h];
    hosts[h] = (hc_physical){spec->physical[k][CPU], spec->physical[k][MEMORY]};
    c->is_overrun |= spec->physical[k][CPU] < spec->classes[k].capacity[HC_DIM_CPU];
  }
  c->physical = hosts;
  return 0;
}

/* ---- what tasks use ---- */

hc_rc hc_overcommit_uses(hc_engine *e, hc_task id, hc_activity *a, hc_error *error)
{
  const hc_task_cold *c = hc_cold_of(e, id);
  const hc_task_extras *m = c->more ? hc_lexicon_more(e->lexicon, c->more) : NULL;
  char where[48];
  if (m && m->use_count > 0) {
    a->uses = m->uses;
    a->use_count = m->use_count;
  } else if (c->used_cpu != HC_UNKNOWN || c->used_memory != HC_UNKNOWN) {
    hc_use_step *one = hc_arena_alloc(&e->scratch, sizeof *one);
    if (!one) return HC_ENOMEM;
    *one = (hc_use_step){HC_NEVER, c->used_cpu, c->used_memory};
    a->uses = one;
    a->use_count = 1;
  }
  if (!a->profile || a->use_count <= 1) return 0;
  (void)snprintf(where, sizeof where, "task %lld", (long long)e->tasks.identities[id].id);
  return hc_fail(
      error, HC_EUNSUPPORTED, where, 0, 0,
      "it says step by step what it uses (usage), and what it does by a profile, which says that "
      "too where hosts are promised more than once: leave out one of the two, or say its use in one "
      "step");
}

/* ---- by use ---- */

bool hc_overcommit_admits(hc_engine *e, uint32_t host, const int64_t *need)
{
  const int64_t *free = hc_hosts_free_of(e->cell.hosts, host);
  const uint32_t k = e->cell_spec.class_of[host];
  hc_used used;
  if (!e->model || !need || !e->model_type->used || e->asked.hosts || e->blind) return true;
  e->model_type->used(e->model, host, &used);
  const double now[RESOURCES] = {used.cpu, used.memory},
               known[RESOURCES] = {used.cpu_asked, used.memory_asked};
  for (uint32_t d = 0; d < e->gauge.in_spec; d++)
    for (int r = 0; r < RESOURCES; r++) {
      if (e->gauge.which[d] != dimension_of[r] || hc_hosts_is_shared(e->cell.hosts, d) || need[d] <= 0)
        continue;
      const double booked = (double)(e->cell_spec.classes[k].capacity[dimension_of[r]] - free[d]);
      const double all = now[r] + (booked - known[r]) + (double)need[d];
      if (all > e->admits_up_to * (double)e->cell_spec.physical[k][r] * (1 + 1e-12)) return false;
    }
  return true;
}

hc_rc hc_overcommit_used(hc_engine *e, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK};
  e->choice.version = 0; /* of the same cell another answer */
  return e->waiting > 0 ? hc_signal_send(e, &changed, error) : 0;
}

/* ---- hosts that change ---- */

static bool wanted(const hc_engine *e)
{
  return e->cell_spec.physical != NULL;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->event->change != HC_HOST_RESIZE) return 0;
  return hc_fail(
      n->error, HC_EUNSUPPORTED, "execution", 0, 0,
      "host %s changes its amounts, and hosts are promised more than they have "
      "(execution.overcommit, or OverSubscribe of a slurm.conf), by what they had at first: leave out "
      "one of the two",
      e->cell_spec.host_names[n->event->host]);
}

const hc_part hc_part_overcommit = {
    .name = "overcommit", .wanted = wanted, .hears = HC_HEARS(HOST), .on = on};
