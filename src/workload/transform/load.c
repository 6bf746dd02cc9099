/* load.c -- makes the workload offer a chosen load.
 *
 * Two loads, over the tasks that would be admitted, with the run times that they would have (cut at their
 * limits if the run kills):
 *
 *   offered    sum of run x processors / (speeds x (last submission - first submission))
 *   polezhaev  sum of run x processors / (speeds x last submission): L = sum of n tau over a_last times the
 *              sum of the processors' speeds, where the clock runs from the workload's time 0
 *
 * `speeds` is the machine's processors times `speed`. The source is read once to measure it, whatever it is:
 * a log is read again, a generator makes the same tasks again. The factor is the ratio of the load wanted to
 * the one found. With method arrivals a submission moves to anchor + (submission - anchor) / factor; the
 * anchor, which stays, is the first submission (offered) or time 0 (polezhaev), so that the load is met but
 * for rounding. One workload at several loads so has the same tasks in the same order with arrivals in exact
 * proportion (common random numbers): a move is off by half a `grain` at most, and by a part in 2^52. What
 * the other methods do and distort is in workload/scaling.c; with `processors` the load reached is only near
 * the one asked for. With several sources each is brought to this load by itself. */
#include "base/util.h"
#include "workload/scaling.h"

typedef enum definition { LOAD_OFFERED, LOAD_POLEZHAEV } definition;

typedef struct options {
  double to, speed;
  int definition;
  hc_scaling_options scaling;
} options;

static hc_rc measure(const options *o, const hc_workload_totals *totals, int64_t processors, double *load,
                     hc_error *e)
{
  const double from = o->definition == LOAD_POLEZHAEV ? 0.0 : (double)totals->first_submit;
  const double span = ((double)totals->last_submit - from) / 1e9;
  if (!(o->to > 0))
    return hc_fail(e, HC_EUSAGE, "transform load", 0, 0, "`to` must be above 0: 0.9 is 90 %%");
  if (processors <= 0)
    return hc_fail(e, HC_EUSAGE, "transform load", 0, 0,
                   "the machine's size is not known: set `processors` of this transform or of the cell");
  if (!(span > 0) || !(totals->area > 0))
    return hc_fail(e, HC_EINPUT, "transform load", 0, 0,
                   "the load of %llu tasks is not defined: there must be work, and %s",
                   (unsigned long long)totals->tasks,
                   o->definition == LOAD_POLEZHAEV ? "a submission after time 0"
                                                   : "two different times of submission");
  *load = totals->area / ((double)processors * o->speed * span);
  return 0;
}

static hc_rc init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                  hc_transform **out, hc_error *e)
{
  const options *o = given;
  hc_scaling_options scaling = o->scaling;
  double load = 0;
  if (scaling.processors <= 0) scaling.processors = totals->processors;
  scaling.from_zero = o->definition == LOAD_POLEZHAEV;
  TRY(measure(o, totals, scaling.processors, &load, e));
  return hc_scaling_new(c, "transform load", &scaling, o->to / load, out);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, to, "1", "0.9", 1e-9, 1e6, "The load to reach: 0.9 is 90 % of the machine."),
    HC_PARAM(CHOICE, options, definition, "offered|polezhaev", "offered",
             "The definition of load. offered: over the time from the first to the last submission. "
             "polezhaev: over the time from 0 to the last submission."),
    HC_PARAM(REAL, options, speed, "1", "1", 1e-9, 1e9,
             "Mean speed of the machine's processors; run times are those at speed 1."),
    HC_SCALING_PARAMS(
        options,
        "What is scaled. arrivals: inter-arrival times. run: run times and limits. processors: numbers of "
        "processors, rounded, so that the load is reached only approximately.",
        "Number of processors of the machine, or of cores on a cell of hosts. 0: those of the run."),
    {.name = NULL},
};

const hc_transform_type hc_transform_load = {
    .component =
        {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "load",
         .summary = "make the workload offer a chosen load",
         .detail =
             "offered: sum over the tasks that would be admitted of run x processors / (processors of the "
             "machine x speed x (last submission - first submission)). polezhaev: the same with last "
             "submission - 0, Polezhaev's L. With method arrivals a submission a becomes a0 + (a - a0) x "
             "load found / load wanted, with a0 the first submission (polezhaev: 0); so one source at "
             "several loads has the same tasks with arrivals in proportion, each to half a `grain` and a "
             "part in 2^52. Any log or generator may be the source; it is opened twice, which standard input "
             "does not allow. Of several sources each is brought to this load by itself.",
         .source = "Ernemann, Song and Yahyapour, Scaling of workload traces, JSSPP 2003, "
                   "doi:10.1007/10968987_9; for the definition polezhaev: P. N. Polezhaev's dissertation on "
                   "scheduling in cluster systems, the load L",
         .params = params, .options_size = sizeof(options)},
    .needs_totals = true,
    .init = init,
    .apply = hc_scaling_apply,
    .visit = hc_scaling_visit,
    .fini = hc_scaling_fini,
};
