/* preferred.c -- the size that the task's user prefers. */
#include "hindcast/mold.h"

static size_t choose(const void *options, const hc_mold_choice *q)
{
  (void)options;
  return q->preferred;
}

const hc_mold_type hc_mold_preferred = {
    .component =
        {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "preferred",
         .summary = "the size that a task's user prefers",
         .detail =
             "The size is `preferred` of the task; for a task without it, the size that it asks for; if that "
             "is not offered, the nearest offered size below it. Only tasks that offer sizes are molded."},
    .choose = choose};
