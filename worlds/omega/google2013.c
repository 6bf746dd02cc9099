/* google2013.c -- the light-weight simulator of Google's Omega, bit for bit: the world `omega` with every
 * defect.
 *
 * Data only. What the world is has a room of its own, worlds/omega. */
#include "hindcast/setup.h"

static const hc_preset_entry entries[] = {
    {"run", "world", "omega"},   {"omega", "pick", "probe"},     {"omega", "ties", "heap"},
    {"omega", "defects", "all"}, {"cell_state", "stop", "true"}, {NULL, NULL, NULL},
};

const hc_compat_type hc_compat_google2013 = {
    .component =
        {HC_COMPONENT_HEAD(hc_compat_type, HC_KIND_COMPAT), .name = "google2013",
         .summary =
             "Google's Omega simulator: java.util.Random, randomised first fit, and its sixteen defects",
         .detail =
             "The run is a closed world: keys are under `world`, such as world: {architecture: shared_state, "
             "machines: 500}. Doubles are added in the original's order, every probe draws from "
             "java.util.Random, all sixteen known defects are there, and so is the order that falls out of "
             "the original's heap. Results agree with the original's job by job and figure by figure. With "
             "world: {ties: inserted} it is faster; events at exactly one time may then come in another "
             "order, and nothing else differs.",
         .source = "github.com/google/cluster-scheduler-simulator (2013)"},
    .entries = entries,
};
