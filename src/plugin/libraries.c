/* libraries.c -- which libraries of components are built in: what the build says, in libraries.def, which it
 * makes.
 *
 * A core and the whole library differ here: the first has no carriers of studies. */
#include "plugin/registry.h"

#define HC_LIBRARY(x) extern const hc_plugin hc_library_##x;
#include "plugin/libraries.def"
#undef HC_LIBRARY
#define HC_LIBRARY(x) &hc_library_##x,
const hc_plugin *const hc_built_in_libraries[] = {
#include "plugin/libraries.def"
    NULL};
