/* measures.c -- metrics of what running tasks do and use: told by the model of execution.
 *
 * The model tells what each attempt did when it is over, and says at any time what has been used until then.
 * Metrics that look at that say when they want to next; the clock does not pass such a time without it. What
 * tasks do changes with events only, so that sums at a time between two are exact.
 *
 * Cost: a comparison for each instant where no metric looks; else what the model's looks cost. */
#include "engine/measures.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/observe.h"
#include "engine/plan.h"
#include "metric/findings.h"

static bool looks(const hc_observers *o, size_t i)
{
  const hc_metric_type *t = o->types[i];
  return t->look && (!t->asks_look || t->asks_look(o->metrics[i]));
}

static hc_rc did(void *ctx, const hc_did_record *r)
{
  hc_engine *e = ctx;
  const hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->did) TRY(o->types[i]->did(o->metrics[i], r));
  return 0;
}

static hc_rc labelled(void *ctx, const hc_labelled_record *r)
{
  hc_engine *e = ctx;
  const hc_observers *o = &e->observers;
  for (size_t i = 0; i < o->count; i++)
    if (o->types[i]->labelled) TRY(o->types[i]->labelled(o->metrics[i], r));
  return 0;
}

static hc_rc computes(void *ctx, uint32_t host, int64_t more, int64_t more_gpus)
{
  return hc_observe_computes(ctx, host, more, more_gpus);
}

/* Metrics are told of cores that compute by changes. */
static bool hears_computes(const hc_engine *e)
{
  return hc_observe_knows_computes(e) && (e->observers.change_kinds & UINT32_C(1) << HC_CHANGE_COMPUTES);
}

static void arm(hc_engine *e)
{
  hc_observers *o = &e->observers;
  o->look_at = HC_NEVER;
  for (size_t i = 0; i < o->count; i++)
    if (looks(o, i)) o->look_at = HC_MIN(o->look_at, o->types[i]->look_at(o->metrics[i]));
}

static bool policy_looks(const hc_engine *e)
{
  const hc_policy_type *t = (const hc_policy_type *)e->options->policy.type;
  return t && t->looks_at_use && t->looks_at_use(e->options->policy.options);
}

static hc_rc check_policy(const hc_engine *e, hc_error *error)
{
  const char *name = e->options->policy.type->name;
  if (!e->model || !e->model_type->measure)
    return hc_fail(error, HC_EUNSUPPORTED, "policy", 0, 0,
                   "the policy %s is told what is used of links, which is known where tasks do what their "
                   "profiles say: say `execution: {use: activities, ...}`, or let it not be told",
                   name);
  if (!e->cell_spec.physical) return 0;
  return hc_fail(error, HC_EUNSUPPORTED, "policy", 0, 0,
                 "the policy %s is told what is used of links, which is not known where hosts are promised "
                 "more than once: leave execution.overcommit out, or let it not be told",
                 name);
}

hc_rc hc_view_look(hc_view *v, hc_use_look *out)
{
  hc_engine *e = v->engine;
  return policy_looks(e) ? e->model_type->look(e->model, e->told, out) : HC_EPOLICY; /* as of now */
}

hc_rc hc_measures_open(hc_engine *e, hc_error *error)
{
  hc_observers *o = &e->observers;
  hc_measuring m = {.ctx = e, .did = did};
  const hc_metric_type *first = NULL;
  o->look_at = HC_NEVER;
  for (size_t i = 0; i < o->count; i++) {
    o->looks |= looks(o, i);
    if (!first && (o->types[i]->did || o->types[i]->labelled || looks(o, i))) first = o->types[i];
    if (o->types[i]->labelled) m.labelled = labelled;
    m.alone |= o->types[i]->asks_alone && o->types[i]->asks_alone(o->metrics[i]);
  }
  if (hears_computes(e)) m.computes = computes;
  const bool is_asked = policy_looks(e);
  if (is_asked) TRY(check_policy(e, error));
  if (!first && !m.computes && !is_asked) return 0;
  if (!first) {
    o->is_measuring = true;
    return e->model_type->measure(e->model, &m, error);
  }
  if (!e->model || !e->model_type->measure)
    return hc_fail(error, HC_EUNSUPPORTED, "metrics", 0, 0,
                   "metric %s counts what tasks do while they run, which is known where they do what their "
                   "profiles say: say `execution: {use: activities, ...}`, or leave the metric out",
                   first->component.name);
  if (m.labelled && e->cell_spec.granularity != HC_CELL_HOSTS)
    return hc_fail(error, HC_EUNSUPPORTED, "metrics", 0, 0,
                   "metric %s tells what parts of profiles take on each host, and the cell only counts "
                   "processors: give it hosts (cell: {use: hosts, ...}), or leave the metric out",
                   first->component.name);
  if (e->cell_spec.physical && first->asks_look)
    return hc_fail(error, HC_EUNSUPPORTED, "metrics", 0, 0,
                   "metric %s counts what links draw for what they carry, which is not told where hosts are "
                   "promised more than once: leave execution.overcommit out, or what links and switches draw",
                   first->component.name);
  if (e->cell_spec.physical)
    return hc_fail(error, HC_EUNSUPPORTED, "metrics", 0, 0,
                   "metric %s counts cores that compute, of which tasks have parts where hosts are promised "
                   "more than once: leave the metric or execution.overcommit out; contended_time and "
                   "cpu_load_max say how much cores were shared",
                   first->component.name);
  o->is_measuring = true;
  if (o->looks) o->look_at = INT64_MIN; /* the first instant, whenever that is */
  return e->model_type->measure(e->model, &m, error);
}

hc_rc hc_measures_explain(hc_engine *e)
{
  const hc_measuring nothing = {.ctx = e, .did = did};
  if (!e->model || !e->model_type->explain || !e->model_type->measure || e->observers.is_measuring) return 0;
  TRY(e->model_type->measure(e->model, &nothing, e->error));
  e->observers.is_measuring = true;
  return 0;
}

/* Those that said `at`, or all. */
static hc_rc look(hc_engine *e, hc_time at, bool all, hc_error *error)
{
  const hc_observers *o = &e->observers;
  hc_use_look u;
  const hc_rc rc = e->model_type->look(e->model, at, &u);
  char why[512] = "";
  if (rc < 0) return hc_fail(error, rc, "metrics", 0, 0, "what tasks use cannot be told: %s", hc_rc_text(rc));
  u.why = why;
  u.why_size = sizeof why;
  for (size_t i = 0; i < o->count; i++) {
    const hc_metric_type *t = o->types[i];
    if (!looks(o, i) || !(all || t->look_at(o->metrics[i]) <= at)) continue;
    const hc_rc told = t->look(o->metrics[i], &u);
    if (told < 0 && why[0]) return hc_fail(error, told, t->component.name, 0, 0, "%s", why);
    if (told < 0) return hc_metric_fail(t, told, error);
  }
  return 0;
}

hc_rc hc_measures_look(hc_engine *e, hc_time at, hc_error *error)
{
  hc_observers *o = &e->observers;
  if (o->look_at == INT64_MIN) {
    TRY(look(e, at, true, error));
    arm(e);
  }
  while (o->look_at <= at) {
    const hc_time now = o->look_at;
    TRY(look(e, now, false, error));
    arm(e);
    if (o->look_at <= now)
      return hc_fail(error, HC_EUNSUPPORTED, "metrics", 0, 0, "a metric looks twice at once");
  }
  return 0;
}

hc_rc hc_measures_close(hc_engine *e, hc_error *error)
{
  if (!e->observers.looks) return 0;
  return look(e, e->told, true, error);
}

hc_rc hc_measures_visit(hc_engine *e, hc_visitor *v)
{
  hc_observers *o = &e->observers;
  if (!o->is_measuring) return 0;
  HC_VISIT(v, o->look_at);
  return e->model_type->visit_measured(e->model, v);
}
