/* ceei.c -- competitive equilibrium from equal incomes: the dominant share over that in the market's
 * allocation.
 *
 * The market is not told how many tasks a user has, nor a weight by dimension. Cost and limits: fair.h. */
#include "policy/share/rule.h"

static hc_rc solve(const hc_allocator *a, hc_fair_problem *p, double *tasks)
{
  p->resource_weight = p->most = NULL;
  return hc_fair_ceei(a, p, 1e-9, tasks, NULL, NULL);
}

const hc_share_rule hc_share_ceei = {
    .name = "ceei", .flags = HC_SHARE_ONE_WEIGHT, .key = hc_share_of_target, .solve = solve};
