/* past_limits.c -- what if each task asked for what runs like it took before: the limit that would have
 * covered a share of the earlier runs of its user and program (Slurm: job name).
 *
 * Learnt from the runs that the log says had ended by `before`, used for tasks submitted from then on, so
 * that nothing is used before it could be known. Runs that were cut (at their limit, cancelled, lost with a
 * host) only say that they were longer (base/survival.h). A limit is never raised; a task without one, or
 * with too few runs before it, keeps what it has. Whether a task that is ended at its new limit would have
 * been given more by its user is not known: it is ended.
 *
 * Cost: reads the source twice; 8 bytes for each run that is learnt, 32 for each pair of user and program. */
#include "base/mem.h"
#include "base/survival.h"
#include "base/util.h"
#include "hindcast/workload.h"

#define WHERE "transform past_limits"

typedef struct options {
  hc_time before;
  double cover;
  int64_t runs;
  hc_time round;
  int per;
} options;

enum { PER_PROGRAM, PER_USER };

typedef struct kind {
  int64_t user, program;
  hc_life *lives;
  size_t count, cap;
  hc_time limit; /* HC_UNKNOWN: none is learnt */
} kind;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_map places; /* hash of a kind -> place; those of one hash are one: the first */
  kind *kinds;
  size_t count, cap;
  bool is_ready;
};

static hc_rc past_limits_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                              hc_transform **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(totals);
  if (o->before == HC_UNKNOWN)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "`before` says from when on tasks get limits that were learnt before then: before: 30d");
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = o};
  hc_map_init(&(*out)->places, c->allocator);
  return 0;
}

static void past_limits_fini(hc_transform *t)
{
  const hc_allocator *a = t->context->allocator;
  for (size_t i = 0; i < t->count; i++) hc_free(a, t->kinds[i].lives, t->kinds[i].cap * sizeof(hc_life));
  hc_free(a, t->kinds, t->cap * sizeof *t->kinds);
  hc_map_fini(&t->places);
  hc_free(a, t, sizeof *t);
}

static int64_t program_of(const hc_transform *t, const hc_task_spec *task)
{
  return t->o->per == PER_USER ? -1 : task->executable;
}

/* Two kinds share a hash with a chance of kinds^2 / 2^65: the second then learns nothing. */
static uint64_t hash_of(const hc_transform *t, const hc_task_spec *task)
{
  uint64_t h = (uint64_t)task->user * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)program_of(t, task);
  h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  return h ^ (h >> 31);
}

static kind *find(const hc_transform *t, const hc_task_spec *task)
{
  const uint32_t at = hc_map_get(&t->places, hash_of(t, task));
  if (at == HC_MAP_NONE) return NULL;
  kind *k = &t->kinds[at];
  return k->user == task->user && k->program == program_of(t, task) ? k : NULL;
}

static hc_rc make(hc_transform *t, const hc_task_spec *task, kind **out)
{
  *out = find(t, task);
  if (*out || hc_map_get(&t->places, hash_of(t, task)) != HC_MAP_NONE) return 0;
  if (t->count >= HC_MAP_NONE - 1) return HC_ENOMEM;
  TRY(hc_reserve(t->context->allocator, (void **)&t->kinds, &t->cap, t->count + 1, sizeof *t->kinds));
  TRY(hc_map_set(&t->places, hash_of(t, task), (uint32_t)t->count));
  t->kinds[t->count] = (kind){.user = task->user, .program = program_of(t, task)};
  *out = &t->kinds[t->count++];
  return 0;
}

/* Whether the log says that it ran and had ended by then. */
static bool is_past(const hc_transform *t, const hc_task_spec *task)
{
  if (task->submit == HC_UNKNOWN || task->run < 0 || task->run >= HC_NEVER / 2) return false;
  return hc_time_add(hc_time_add(task->submit, HC_MAX(task->wait, 0)), task->run) <= t->o->before;
}

static void decide(hc_transform *t)
{
  const int permille = (int)(t->o->cover * 1000 + 0.5);
  const hc_time round = HC_MAX(t->o->round, 1);
  for (size_t i = 0; i < t->count; i++) {
    kind *k = &t->kinds[i];
    k->limit = HC_UNKNOWN;
    if (k->count < (size_t)t->o->runs) continue;
    hc_survival_covers(k->lives, k->count, &permille, 1, &k->limit);
    if (k->limit != HC_UNKNOWN) k->limit = HC_MAX(-hc_floor_div(-k->limit, round), 1) * round;
  }
}

static hc_rc past_limits_look(hc_transform *t, const hc_task_spec *task, hc_error *e)
{
  kind *k;
  HC_UNUSED(e);
  if (!task) {
    if (!t->is_ready) decide(t);
    t->is_ready = true;
    return 0;
  }
  if (t->is_ready || !is_past(t, task)) return 0;
  TRY(make(t, task, &k));
  if (!k) return 0;
  TRY(hc_reserve(t->context->allocator, (void **)&k->lives, &k->cap, k->count + 1, sizeof *k->lives));
  k->lives[k->count++] = hc_life_of(task->run, hc_spec_was_cut(task));
  return 0;
}

static hc_rc past_limits_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const kind *k = task->submit >= t->o->before && task->limit > 0 ? find(t, task) : NULL;
  HC_UNUSED(why);
  HC_UNUSED(e);
  if (k && k->limit != HC_UNKNOWN) task->limit = HC_MIN(task->limit, k->limit);
  return 1;
}

/* What was learnt follows from the source. */
static hc_rc past_limits_visit(hc_transform *t, hc_visitor *v)
{
  HC_UNUSED(t);
  HC_UNUSED(v);
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, before, "s", NULL, 0, 1e10,
             "Time since the run's origin, such as 30d: runs that had ended by then are learnt from, tasks "
             "submitted then or later get limits. Required."),
    HC_PARAM(REAL, options, cover, "1", "0.9", 0.001, 1,
             "Share of the earlier runs that the limit would have covered."),
    HC_PARAM(INT, options, runs, "runs", "5", 1, 1e9,
             "Least number of earlier runs from which a limit is learnt."),
    HC_PARAM(CHOICE, options, per, "program|user", "program",
             "Which runs are put together. program: those of one program of one user. user: all runs of one "
             "user."),
    HC_PARAM(TIME, options, round, "s", "1min", 0, 1e6, "Limits are rounded up to whole multiples of it."),
    {.name = NULL},
};

const hc_transform_type hc_transform_past_limits = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "past_limits",
         .summary =
             "let tasks ask for the limit that would have covered earlier runs of their user and program",
         .detail =
             "A task submitted at `before` or later asks for the least time within which the share `cover` "
             "of the earlier runs of its user and program had ended, if that is less than it asked for. "
             "Earlier runs are those that had ended by `before`, according to the log; the program of a "
             "Slurm log is the job name. A run that was cut short (it ended at its limit, was cancelled, "
             "preempted or lost with a host, or was as long as its limit) counts as longer than it was seen "
             "to be (Kaplan and Meier). Where too many runs were cut short for the share to be known, and "
             "where there are fewer than `runs`, a task keeps its limit. The run's `overrun` says what "
             "becomes of tasks that run longer than they asked for. `hindcast analyze limits` compares. The "
             "source is read twice, which neither standard input nor a closed loop allows.",
         .source = "Kaplan and Meier, Nonparametric estimation from incomplete observations, JASA 53, 1958, "
                   "doi:10.1080/01621459.1958.10501452",
         .params = params, .options_size = sizeof(options)},
    .needs_totals = true,
    .init = past_limits_init,
    .apply = past_limits_apply,
    .visit = past_limits_visit,
    .fini = past_limits_fini,
    .look = past_limits_look,
};
