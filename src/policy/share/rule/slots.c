/* slots.c -- hosts are cut into slots of one size, and users compared by how many they hold. */
#include "policy/share/rule.h"

static double key(const hc_turns *t, uint32_t user)
{
  return hc_share_over((double)hc_sites_slots_of(&t->sites, user),
                       (double)t->all_slots * t->claims[user].weight);
}

const hc_share_rule hc_share_slots = {
    .name = "slots", .flags = HC_SHARE_BY_HOST | HC_SHARE_CUT | HC_SHARE_ONE_WEIGHT, .key = key};
