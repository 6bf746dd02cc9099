/* divisible.c -- the dominant share over that which DRF gives if tasks can be divided.
 *
 * It is told how many tasks each user has in all, waiting and running, and gives what they leave to
 * others. */
#include "policy/share/rule.h"

static hc_rc solve(const hc_allocator *a, hc_fair_problem *p, double *tasks)
{
  return hc_fair_drf(a, p, tasks, NULL);
}

const hc_share_rule hc_share_divisible = {.name = "divisible", .key = hc_share_of_target, .solve = solve};
