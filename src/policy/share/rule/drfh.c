/* drfh.c -- DRF over hosts of several classes: shares are of what all have together, as in drf; the placement
 * does the rest. Source: Wang, Li and Liang, INFOCOM 2014. */
#include "policy/share/rule.h"

const hc_share_rule hc_share_drfh = {.name = "drfh", .flags = HC_SHARE_FORGETS, .key = hc_share_dominant};
