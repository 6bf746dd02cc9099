/* expr.c -- a law that the user writes: any formula over the number of cores.
 *
 * It is compiled whenever it is asked, since a law keeps nothing between two questions: some microseconds,
 * once for each computation that a process begins. What does not compile, reads no variable or is not above
 * zero on one core is refused where it stands (`check`); what is not above zero on some other number of cores
 * is an error of the task that has so many. */
#include "base/expr.h"
#include "base/util.h"
#include "hindcast/execution.h"

typedef struct options {
  const char *expr;
} options;

enum { CORES, N, VARIABLES }; /* two words for the same */
static const char *const names[VARIABLES] = {[CORES] = "cores", [N] = "n"};

static double value(const hc_expr *x, double cores)
{
  return hc_expr_value(x, (const double[VARIABLES]){cores, cores});
}

/* @return a NaN: it does not compile, or there is no memory for it */
static double speedup(const void *given, double cores)
{
  const options *o = given;
  double out = __builtin_nan("");
  hc_arena arena;
  hc_expr *x;
  hc_arena_init(&arena, hc_default_allocator());
  if (hc_expr_compile(&arena, o->expr ? o->expr : "n", names, VARIABLES, &x, NULL) == 0)
    out = value(x, cores);
  hc_arena_fini(&arena);
  return out;
}

static hc_rc check_compiled(const hc_expr *x, const char *text, hc_error *e)
{
  const double one = value(x, 1);
  if (!hc_expr_reads(x, CORES) && !hc_expr_reads(x, N))
    return hc_fail(e, HC_EUSAGE, "", 0, 0,
                   "the law of speed-up \"%.200s\" does not depend on the number of cores: name it, as n or "
                   "cores",
                   text);
  if (!(one > 0) || !(one - one == 0))
    return hc_fail(
        e, HC_EUSAGE, "", 0, 0,
        "the law of speed-up \"%.200s\" says %g for 1 core: a speed-up is above zero, and 1 there by "
        "nature",
        text, one);
  return 0;
}

static hc_rc check(const void *given, hc_error *e)
{
  const options *o = given;
  hc_arena arena;
  hc_expr *x;
  hc_rc rc;
  if (!o->expr)
    return hc_fail(e, HC_EUSAGE, "", 0, 0,
                   "a law of speed-up by expression needs `expr`, such as \"n ^ 0.9\"");
  hc_arena_init(&arena, hc_default_allocator());
  rc = hc_expr_compile(&arena, o->expr, names, VARIABLES, &x, e);
  if (rc >= 0) rc = check_compiled(x, o->expr, e);
  hc_arena_fini(&arena);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, expr, NULL,
             "Speed-up as an expression over the number of cores, `n` or `cores`: \"n ^ 0.9\". Required."),
    {0}};

const hc_speedup_type hc_speedup_expr = {
    .component =
        {HC_COMPONENT_HEAD(hc_speedup_type, HC_KIND_SPEEDUP), .name = "expr",
         .summary = "a formula over the number of cores",
         .detail =
             "S(n) is the value of the formula, which must be above 0. It should be 1 for n = 1, so that one "
             "core does the work that profiles state. Operators and functions are those of the order `expr`.",
         .params = params, .options_size = sizeof(options)},
    .speedup = speedup,
    .check = check};
