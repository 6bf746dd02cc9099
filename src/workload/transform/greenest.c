/* greenest.c -- tasks that can wait are held until the time at which energy is cheapest, or its making
 * emits least.
 *
 * Price and carbon are steps over time (base/prices.h). A task that draws evenly for a length L and starts
 * at s costs the integral of the step function over [s, s + L]. Between its submission and `delay` later
 * that is least at an end of this window, or where s or s + L meets a step: the integral is a straight line
 * between such times. The first of the best of them is when the task may start (not_before): its scheduler
 * keeps that, and starts it then or when there is room. What a task draws is no matter, as it is even.
 *
 * A task whose own not_before is later begins its window there. Nothing looks at the machine: with many
 * such tasks all come at the cheap hours, and wait for each other. Interrupting tasks between cheap
 * hours is not done. Cost: O(log steps) for each step within the window. Source: Wiesner, Behnke,
 * Scheinert, Gontarska and Thamsen, Let's Wait Awhile, Middleware 2021, doi:10.1145/3464298.3493399
 * (non-interruptible workloads). */
#include "base/mem.h"
#include "base/prices.h"
#include "base/util.h"
#include "workload/task_formula.h"

enum { BY_PRICE, BY_CARBON };
enum { LENGTH_LIMIT, LENGTH_RUN };

typedef struct options {
  const char *tariff, *column, *where;
  hc_time delay;
  int by, length;
  int64_t unix_start;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_prices prices;
  double *before;        /* [steps] value x s from the first step to this one */
  hc_task_formula where; /* which tasks can wait */
};

static void greenest_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t->before, t->prices.count * sizeof *t->before);
  hc_prices_fini(&t->prices);
  hc_task_formula_fini(&t->where);
  hc_free(t->context->allocator, t, sizeof *t);
}

/* ---- what a start costs ---- */

static double value_of(const hc_transform *t, size_t step)
{
  const hc_price_step *x = &t->prices.steps[step];
  return t->o->by == BY_PRICE ? x->price : x->carbon;
}

static double seconds_between(hc_time from, hc_time to)
{
  return ((double)to - (double)from) / 1e9;
}

static hc_rc add_up(hc_transform *t)
{
  const hc_prices *p = &t->prices;
  t->before = hc_alloc(t->context->allocator, p->count * sizeof *t->before);
  if (!t->before) return HC_ENOMEM;
  t->before[0] = 0;
  for (size_t i = 1; i < p->count; i++)
    t->before[i] =
        t->before[i - 1] + value_of(t, i - 1) * seconds_between(p->steps[i - 1].at, p->steps[i].at);
  return 0;
}

/* The integral from the first step to `at`; below 0 before it where values are not. */
static double until(const hc_transform *t, hc_time at)
{
  const size_t i = hc_prices_at(&t->prices, at);
  return t->before[i] + value_of(t, i) * seconds_between(t->prices.steps[i].at, at);
}

/* Of a task of no length: the value at its start. */
static double cost_of(const hc_transform *t, hc_time start, hc_time length)
{
  if (length <= 0) return value_of(t, hc_prices_at(&t->prices, start));
  return (until(t, hc_time_add(start, length)) - until(t, start)) / seconds_between(0, length);
}

typedef struct search {
  hc_time from, to, length;
  hc_time best;
  double cost;
} search;

/* Means of prices that differ by less than their rounding are the same. */
static void consider(const hc_transform *t, search *s, hc_time at)
{
  if (at < s->from || at > s->to) return;
  const double cost = cost_of(t, at, s->length);
  const double margin = 1e-9 * (__builtin_fabs(cost) + __builtin_fabs(s->cost));
  if (cost > s->cost + margin || (cost >= s->cost - margin && at >= s->best)) return;
  s->best = at;
  s->cost = cost;
}

static hc_time best_start(const hc_transform *t, hc_time from, hc_time to, hc_time length)
{
  search s = {.from = from, .to = to, .length = length, .best = from, .cost = cost_of(t, from, length)};
  const hc_prices *p = &t->prices;
  for (size_t i = hc_prices_at(p, from); i < p->count && p->steps[i].at <= hc_time_add(to, length); i++) {
    consider(t, &s, p->steps[i].at);
    consider(t, &s, p->steps[i].at - length);
  }
  consider(t, &s, to);
  return s.best;
}

/* ---- tasks ---- */

static hc_time length_of(const hc_transform *t, const hc_task_spec *task)
{
  hc_time first = t->o->length == LENGTH_LIMIT ? task->limit : task->run;
  if (first == HC_UNKNOWN) first = t->o->length == LENGTH_LIMIT ? task->run : task->limit;
  return first == HC_UNKNOWN || first == HC_NEVER ? 0 : HC_MAX(first, 0);
}

static hc_rc greenest_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(why);
  HC_UNUSED(e);
  if (task->submit == HC_UNKNOWN || !hc_task_formula_holds(&t->where, task)) return 1;
  const hc_time to = hc_time_add(task->submit, t->o->delay);
  const hc_time from = task->not_before == HC_UNKNOWN ? task->submit : HC_MAX(task->not_before, task->submit);
  if (to <= from) return 1;
  const hc_time at = best_start(t, from, to, length_of(t, task));
  if (at > from) task->not_before = at;
  return 1;
}

/* ---- birth ---- */

static hc_rc has_any(const hc_transform *t, hc_error *e)
{
  for (size_t i = 0; i < t->prices.count; i++)
    if (value_of(t, i) != 0) return 0;
  return hc_fail(e, HC_EUSAGE, "transform greenest", 0, 0,
                 "%.200s says nothing of %s: choose `by: %s`, or another table", t->o->tariff,
                 t->o->by == BY_PRICE ? "a price" : "carbon", t->o->by == BY_PRICE ? "carbon" : "price");
}

static hc_rc set_up(hc_transform *t, hc_error *e)
{
  const options *o = t->o;
  if (!o->tariff || !o->tariff[0])
    return hc_fail(e, HC_EUSAGE, "transform greenest", 0, 0,
                   "give `tariff`, a table of prices or of carbon over time");
  TRY(hc_prices_read(&t->prices, o->tariff, o->column, o->unix_start, e));
  TRY(has_any(t, e));
  TRY(add_up(t));
  return hc_task_formula_init(&t->where, t->context->allocator, o->where, e);
}

static hc_rc greenest_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                           hc_transform **out, hc_error *e)
{
  hc_transform *t = hc_alloc(c->allocator, sizeof *t);
  HC_UNUSED(totals);
  if (!t) return HC_ENOMEM;
  *t = (hc_transform){.context = c, .o = given, .prices = {.allocator = c->allocator}};
  hc_task_formula_init(&t->where, c->allocator, NULL, NULL); /* none so far */
  const hc_rc rc = set_up(t, e);
  if (rc < 0) greenest_fini(t);
  else *out = t;
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, tariff, NULL,
             "A table with titles that gives price, carbon or both from a time on, as the metric energy "
             "reads it: a column of times (at, time, timestamp, or a title that begins with datetime), "
             "`price`, and `carbon` (or a title that begins with carbon). Required."),
    HC_PARAM(
        CHOICE, options, by, "price|carbon", "carbon",
        "What is made least. price: the cost of the task's energy. carbon: the emissions of its generation."),
    HC_PARAM(TIME, options, delay, "s", "1d", 0, 9e9,
             "How long after its submission, or after its own earliest start, a task may be held."),
    HC_PARAM(
        CHOICE, options, length, "limit|run", "limit",
        "Time for which a task is assumed to draw power. limit: its limit, or its run time if it has no "
        "limit. run: its run time, which only the log knows, or its limit if the run time is not known."),
    HC_PARAM(TEXT, options, where, NULL,
             "Which tasks may be held: an expression over " HC_TASK_FORMULA_NAMES
             ", such as \"limit > 3600\"; unknown values are -1. Default: all tasks."),
    HC_PARAM_AS(
        TEXT, "carbon_column", options, column, NULL,
        "Title of the carbon column of `tariff`, where there are several. Default: the first of them."),
    HC_PARAM(INT, options, unix_start, "s", "unknown", -1e12, 1e12,
             "Unix time of the trace's origin. Required for a table whose times are dates."),
    {.name = NULL},
};

const hc_transform_type hc_transform_greenest = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "greenest",
                  .summary = "tasks that can wait are held until energy is cheapest, or causes least carbon",
                  .detail =
                      "Within `delay` after its submission a task gets the earliest start (schedule_after) "
                      "from which on the mean price or carbon over its length is least; the first such time "
                      "if there are several. The scheduler starts it then, or when there is room. The metric "
                      "energy says what it costs, with the same table as its `tariff`.",
                  .source = "Wiesner, Behnke, Scheinert, Gontarska and Thamsen, Let's wait awhile, "
                            "Middleware 2021, doi:10.1145/3464298.3493399",
                  .params = params, .options_size = sizeof(options)},
    .init = greenest_init,
    .apply = greenest_apply,
    .fini = greenest_fini,
};
