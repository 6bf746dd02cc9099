/* asset.c -- asset fairness: all dimensions are worth the same, and shares are summed. Source: as drf. */
#include "policy/share/rule.h"

static double key(const hc_turns *t, uint32_t user)
{
  double sum = 0;
  for (uint32_t d = 0; d < t->books.dims; d++) sum += hc_share_part(t, user, d);
  return HC_MIN(sum, 1e300);
}

const hc_share_rule hc_share_asset = {.name = "asset", .flags = HC_SHARE_FORGETS, .key = key};
