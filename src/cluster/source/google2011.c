/* google2011.c -- the machines of Google's cluster trace of 2011. See machine_google.c. */
#include "cluster/machine_google.h"

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  static const hc_machine_google_form form = {.use = "google2011", .add = 0};
  return hc_machine_google_describe(c, p, &form, out, e);
}

static const hc_param params[] = {
    HC_MACHINE_GOOGLE_PARAMS("machine_events (part-00000-of-00001.csv.gz)", "machine_attributes"), {0}};

const hc_cell_type hc_cell_google2011 = {
    .component = {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "google2011",
                  .summary = "the machines of Google's cluster trace of 2011 (machine_events)",
                  .detail = HC_MACHINE_GOOGLE_DETAIL
                  "The table has no titles. Rows that cannot be read are left out, which the "
                  "result notes.",
                  .source = "Reiss, Wilkes, Hellerstein, Google cluster-usage traces: format + schema, 2011",
                  .params = params, .options_size = sizeof(hc_machine_google_options)},
    .describe = describe,
};
