/* google2019.c -- the machines of Google's cluster trace of 2019, as exported to a table. See
 * machine_google.c. */
#include "cluster/machine_google.h"

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  static const hc_machine_google_form form = {.use = "google2019", .titles = true, .add = 1};
  return hc_machine_google_describe(c, p, &form, out, e);
}

static const hc_param params[] = {
    HC_MACHINE_GOOGLE_PARAMS("machine_events as CSV with titles, or as one JSON object a line",
                             "machine_attributes"),
    {0}};

const hc_cell_type hc_cell_google2019 = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "google2019",
         .summary = "the machines of Google's cluster trace of 2019 (machine_events)",
         .detail = HC_MACHINE_GOOGLE_DETAIL
         "Columns by title, or members of a JSON object by name: time, machine_id, type (1, 2, 3 or the words), switch_id, "
         "cpus or capacity.cpus, memory or capacity.memory, platform_id. Switches "
         "are the level switch. Rows that cannot be read are left out, which the "
         "result notes.",
         .source = "Wilkes, Google cluster-usage traces v3, 2020; Tirmazi et al., EuroSys 2020",
         .params = params, .options_size = sizeof(hc_machine_google_options)},
    .describe = describe,
};
