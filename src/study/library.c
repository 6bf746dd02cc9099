/* library.c -- the carriers of studies as a library of components: a core has none. */
#include "hindcast/plugin.h"
#include "hindcast/study.h"

#define HC_CARRIER(x) extern const hc_carrier_type hc_carrier_##x;
#include "study/carriers.def"
#undef HC_CARRIER
#define HC_CARRIER(x) (const hc_component *)&hc_carrier_##x,
static const hc_component *const components[] = {
#include "study/carriers.def"
    NULL};
#undef HC_CARRIER

extern const hc_plugin hc_library_study;
const hc_plugin hc_library_study = {
    .size = sizeof hc_library_study, .abi = HC_ABI, .name = "study", .components = components};
