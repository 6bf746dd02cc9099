/* quota.c -- what a user holds over its quota, in the dimension in which that is most. */
#include "policy/share/rule.h"

static double key(const hc_turns *t, uint32_t user)
{
  const hc_claimant *c = &t->claims[user];
  double most = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) {
    double part;
    if (c->quota[d] < 0) continue;
    part = hc_share_over((double)t->books.members[user].used[d], c->quota[d] * c->weights[d]);
    most = HC_MAX(most, part);
  }
  return most;
}

const hc_share_rule hc_share_quota = {.name = "quota", .flags = HC_SHARE_QUOTAS, .key = key};
