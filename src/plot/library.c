/* library.c -- the charts as a library of components: a core has none. */
#include "hindcast/plot.h"
#include "hindcast/plugin.h"

#define HC_PLOT(x) extern const hc_plot_type hc_plot_##x;
#include "plot/plots.def"
#undef HC_PLOT
#define HC_PLOT(x) (const hc_component *)&hc_plot_##x,
static const hc_component *const components[] = {
#include "plot/plots.def"
    NULL};
#undef HC_PLOT

extern const hc_plugin hc_library_plot;
const hc_plugin hc_library_plot = {
    .size = sizeof hc_library_plot, .abi = HC_ABI, .name = "plot", .components = components};
