/* hdrf.c -- H-DRF: dominant shares over a tree of pools, which forest.c keeps; here is only who could fit.
 * Source: Bhattacharya et al., SoCC 2013. */
#include "policy/share/rule.h"

const hc_share_rule hc_share_hdrf = {
    .name = "hdrf", .flags = HC_SHARE_TREE | HC_SHARE_ONE_WEIGHT, .key = hc_share_dominant};
