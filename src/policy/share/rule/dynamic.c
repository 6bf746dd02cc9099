/* dynamic.c -- dynamic DRF: users arrive one by one, it is known how many will, and nothing is taken
 * back.
 *
 * When k of n are here they share k / n of each dimension; the share of each is its limit as well (fair.h,
 * targets.c). Source: Kash, Procaccia and Shah, JAIR 2014. */
#include "policy/share/rule.h"

const hc_share_rule hc_share_dynamic = {
    .name = "dynamic", .flags = HC_SHARE_ARRIVALS, .key = hc_share_of_target};
