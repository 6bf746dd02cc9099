/* preferred.c -- the size that the task's user prefers. */
#include "hindcast/mold.h"

static size_t choose(const void *options, const hc_mold_choice *q)
{
  (void)options;
  return q->preferred;
}

const hc_mold_type hc_mold_preferred = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "preferred",
                  .summary = "the size that a task's user prefers",
                  .detail =
                      "`preferred` of the task; of one that does not say it the size that it asks for. If "
                      "that is not offered the nearest below it. Of the tasks that offer sizes only."},
    .choose = choose};
