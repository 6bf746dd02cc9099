/* fraction.c -- a part of what the task asks for: as a scheduler of Batsim may run jobs on fewer hosts. */
#include "hindcast/mold.h"

typedef struct options {
  double share;
} options;

static size_t choose(const void *opts, const hc_mold_choice *q)
{
  const double size = ((const options *)opts)->share * (double)q->offers[q->asked].size;
  size_t i = q->count - 1;
  while (i > 0 && (double)q->offers[i].size > size + 1e-9) i--;
  return i;
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, share, "1", "1", 0, 1e6,
             "Greatest size of a task, as a multiple of the size that it asks for."),
    {0}};

const hc_mold_type hc_mold_fraction = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "fraction",
                  .summary = "a part, or a multiple, of the size that a task asks for",
                  .detail = "The largest offered size of at most share x the size that the task asks for, or "
                            "the smallest if none is so small. Only tasks that offer sizes are molded.",
                  .source = "the moldable test scheduler of Batsim 4 (batsim.org), which runs jobs on a "
                            "fraction of the hosts that they ask for",
                  .params = params, .options_size = sizeof(options)},
    .choose = choose};
