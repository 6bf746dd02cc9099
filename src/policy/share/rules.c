/* rules.c -- the rules of sharing that there are. See rule.h. */
#include "policy/share/rule.h"

#define HC_SHARE(x, text) extern const hc_share_rule hc_share_##x;
#include "policy/shares.def"
#undef HC_SHARE

const hc_share_rule *const hc_share_rules[] = {
#define HC_SHARE(x, text) &hc_share_##x,
#include "policy/shares.def"
#undef HC_SHARE
};
