/* library.c -- the closed world `omega` as a library of components: its world, what its jobs are made from,
 * what runs when it begins, its exporter, and the preset that makes it the original.
 *
 * A way to make jobs or to fill the cell is one file and one line in arrivals.def or prefills.def. */
#include "hindcast/plugin.h"
#include "hindcast/setup.h"
#include "hindcast/world.h"
#include "omega/omega.h"

static const hc_needed arrivals_need[] = {{"make", offsetof(hc_arrivals_type, make)}, {NULL, 0}};
static const hc_needed prefill_need[] = {{"make", offsetof(hc_prefill_type, make)}, {NULL, 0}};

static const hc_kind_type kinds[] = {
    {HC_KIND_WORKLOAD, "workload", "jobs of a closed world, and how long its schedulers think about them",
     sizeof(hc_component), true, NULL},
    {HC_KIND_ARRIVALS, "arrivals", "what the jobs of a closed world are made from", sizeof(hc_arrivals_type),
     false, arrivals_need},
    {HC_KIND_PREFILL, "prefill", "what runs when a closed world begins", sizeof(hc_prefill_type), false,
     prefill_need},
    {.word = NULL}};

extern const hc_world_type hc_world_omega;
extern const hc_component hc_workload_jobs;
extern const hc_exporter_type hc_exporter_omega;
extern const hc_compat_type hc_compat_google2013;

#define HC_ARRIVALS(x) extern const hc_arrivals_type hc_arrivals_##x;
#define HC_PREFILL(x) extern const hc_prefill_type hc_prefill_##x;
#include "omega/arrivals.def"
#include "omega/prefills.def"
#undef HC_ARRIVALS
#undef HC_PREFILL

#define HC_ARRIVALS(x) &hc_arrivals_##x.component,
#define HC_PREFILL(x) &hc_prefill_##x.component,
static const hc_component *const components[] = {&hc_world_omega.component, &hc_workload_jobs,
#include "omega/arrivals.def"
#include "omega/prefills.def"
                                                 &hc_exporter_omega.component,
                                                 &hc_compat_google2013.component, NULL};

extern const hc_plugin hc_library_omega;
const hc_plugin hc_library_omega = {sizeof(hc_plugin), HC_ABI, "omega", components, kinds};
