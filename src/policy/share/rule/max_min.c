/* max_min.c -- max-min fairness of one dimension. */
#include "policy/share/rule.h"

static double key(const hc_turns *t, uint32_t user)
{
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    const double part = t->which[d] == t->dimension ? hc_share_part(t, user, d) : 0;
    most = HC_MAX(most, part);
  }
  return most;
}

const hc_share_rule hc_share_max_min = {.name = "max_min", .flags = HC_SHARE_FORGETS, .key = key};
