/* drf.c -- dominant resource fairness: the largest share that a user holds of any dimension.
 * Source: Ghodsi et al., NSDI 2011. */
#include "policy/share/rule.h"

const hc_share_rule hc_share_drf = {.name = "drf", .flags = HC_SHARE_FORGETS, .key = hc_share_dominant};
