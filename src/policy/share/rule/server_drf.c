/* server_drf.c -- DRF of each host by itself: what the user holds there, of what the host has. */
#include "policy/share/rule.h"

static double key(const hc_turns *t, uint32_t user)
{
  const int64_t *used = hc_sites_used(&t->sites, user);
  double most = 0;
  for (uint32_t d = 0; used && d < t->books.dims; d++) {
    const double part = hc_share_over((double)used[d], (double)t->here[d] * t->claims[user].weights[d]);
    most = HC_MAX(most, part);
  }
  return most;
}

const hc_share_rule hc_share_server_drf = {.name = "server_drf", .flags = HC_SHARE_BY_HOST, .key = key};
