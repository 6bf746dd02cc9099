/* estimates.c -- replaces what each task asks for by an estimate that a simple model makes of its run time t.
 *
 *   exact           t
 *   f               t (1 + f u), or t u' with u' uniform in [1, f]: two readings of the same name
 *   phi             t / a, the accuracy a uniform in [phi, 1]
 *   multiplicative  t factor
 *
 * u is uniform in [0, 1). Task k draws from stream (seed, replication, k, estimate), so that none shifts
 * another's. Tasks whose run time is not known stay as they are. Cost: one draw, about 20 ns.
 * Sources: Mu'alem & Feitelson, IEEE TPDS 12(6), 2001, doi:10.1109/71.932708 (f); Zotkin & Keleher, HPDC
 * 1999, doi:10.1109/HPDC.1999.805303 (phi). */
#include "base/math.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/generated.h"

typedef enum models { MODEL_EXACT, MODEL_F, MODEL_PHI, MODEL_MULTIPLICATIVE } models;
typedef enum readings { READING_ONE_PLUS_F, READING_ONE_TO_F } readings;

typedef struct options {
  int model, reading;
  double f, phi, factor;
  hc_time round, max_estimate;
  int64_t stream;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  uint64_t rank; /* state: of the next row */
};

static hc_rc estimates_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                            hc_transform **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(totals);
  if (o->model == MODEL_F && o->reading == READING_ONE_TO_F && o->f < 1)
    return hc_fail(
        e, HC_EUSAGE, "transform estimates", 0, 0,
        "f is below 1, and a factor between 1 and f is asked for: raise f, or use reading: one_plus_f");
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  **out = (hc_transform){.context = c, .o = o};
  return 0;
}

/* The estimate over the run time; at least 1. */
static double factor_of(const hc_transform *t)
{
  const options *o = t->o;
  hc_draws d = hc_generated_draws(t->context, o->stream, t->rank, HC_PURPOSE_ESTIMATE);
  switch ((models)o->model) {
    case MODEL_EXACT: return 1;
    case MODEL_F:
      return o->reading == READING_ONE_PLUS_F ? 1 + o->f * hc_random_unit(&d)
                                              : 1 + (o->f - 1) * hc_random_unit(&d);
    case MODEL_PHI: return 1 / (1 - (1 - o->phi) * hc_random_unit(&d));
    case MODEL_MULTIPLICATIVE: break;
  }
  return o->factor;
}

static hc_rc estimates_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const options *o = t->o;
  HC_UNUSED(why);
  HC_UNUSED(e);
  if (task->run >= 0 && task->run != HC_NEVER) {
    const double factor = factor_of(t);
    hc_time limit = factor > 1 ? hc_generated_time((double)task->run / 1e9 * factor) : task->run;
    if (o->round > 0 && limit < HC_GENERATED_END) limit = -hc_floor_div(-limit, o->round) * o->round;
    if (o->max_estimate != HC_UNKNOWN) limit = HC_MIN(limit, o->max_estimate);
    task->limit = HC_MAX(limit, task->run);
  }
  t->rank++;
  return 1;
}

static hc_rc estimates_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->rank);
  return 0;
}

static void estimates_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(
        CHOICE, options, model, "exact|f|phi|multiplicative", "exact",
        "The estimate of a task with run time t. exact: t. f: t x a factor that is uniform from 1 on (see "
        "`reading`). phi: t / a, with the accuracy a uniform in [phi, 1]. multiplicative: t x `factor`."),
    HC_PARAM(CHOICE, options, reading, "one_plus_f|one_to_f", "one_plus_f",
             "The factor of model f. one_plus_f: uniform in [1, f + 1], as in Mu'alem and Feitelson. "
             "one_to_f: uniform in [1, f], as in papers that cite them."),
    HC_PARAM(REAL, options, f, "1", "4", 0, 1e6,
             "The f of model f. 0 with one_plus_f, or 1 with one_to_f, gives exact estimates."),
    HC_PARAM(REAL, options, phi, "1", "0.1", 1e-6, 1,
             "Least accuracy of model phi. The mean of estimate / run is ln(1 / phi) / (1 - phi), which "
             "grows without bound as phi goes to 0."),
    HC_PARAM(REAL, options, factor, "1", "2", 1, 1e6, "Factor of model multiplicative."),
    HC_PARAM(TIME, options, round, "s", "1s", 0, 1e6,
             "Estimates are rounded up to whole multiples of it. 0: they are not rounded."),
    HC_PARAM(TIME, options, max_estimate, "s", NULL, 0, 1e9,
             "Estimates are cut at this, but never below the run time. Default: no cut."),
    HC_PARAM(INT, options, stream, "1", "0", 0, 1e9, "Another number gives other draws from the same seed."),
    {.name = NULL},
};

const hc_transform_type hc_transform_estimates = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "estimates",
         .summary = "give every task an estimate made from its run time: exact, f, phi or multiplicative",
         .detail = "The limit is replaced by run x a factor, rounded up; it is never below the run time. "
                   "Tasks with an unknown run time stay as they are. The default of phi is our own choice. "
                   "For estimates as users give them see `tsafrir`.",
         .source =
             "Mu'alem & Feitelson, IEEE TPDS 12(6), 2001, doi:10.1109/71.932708; Zotkin & Keleher, HPDC "
             "1999, doi:10.1109/HPDC.1999.805303",
         .params = params, .options_size = sizeof(options)},
    .init = estimates_init,
    .apply = estimates_apply,
    .visit = estimates_visit,
    .fini = estimates_fini,
};
