/* next_fit.c -- the first host that fits behind the one chosen last, round and round. */
#include "policy/placing.h"

static void chooser(const void *options, hc_policy *self, hc_chooser *out)
{
  HC_UNUSED(options);
  HC_UNUSED(self);
  *out = (hc_chooser){.how = HC_CHOOSE_NEXT};
}

const hc_place_type hc_place_next_fit = {
    .component =
        {HC_COMPONENT_HEAD(hc_place_type, HC_KIND_PLACE), .name = "next_fit",
         .summary = "the first host with room after the one chosen last, in a circle",
         .detail =
             "Hosts are looked at in order of declaration, from the one behind the last on which a task "
             "was started, or was promised one by conservative or slack. Spreads tasks without comparing "
             "hosts." HC_LOWEST_TEXT,
         .source = "Johnson, Journal of Computer and System Sciences 8 (1974), as a rule for bins"},
    .place = hc_place_lowest,
    .chooser = chooser,
};
