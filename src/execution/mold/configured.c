/* configured.c -- as many workers as the user asked for: what the others are measured against. */
#include "hindcast/execution.h"

static int64_t allows(const void *options, const hc_mold_question *q)
{
  (void)options;
  return q->configured;
}

const hc_mold_type hc_mold_configured = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "configured",
                  .summary = "as many workers as the job's user asked for",
                  .detail = "The baseline: jobs start as they would without `mold`, and the figures by which "
                            "other policies are judged are counted."},
    .allows = allows};
