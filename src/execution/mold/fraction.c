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

static const hc_param params[] = {HC_PARAM(REAL, options, share, "1", "1", 0, 1e6,
                                           "A task starts with at most this multiple of what it asks for."),
                                  {0}};

const hc_mold_type hc_mold_fraction = {
    .component =
        {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "fraction",
         .summary = "a part, or a multiple, of what a task asks for",
         .detail =
             "The largest size of at most share x what the task asks for, and the smallest if none is so "
             "small. Of the tasks that offer sizes only.",
         .source =
             "Batsim's moldable test scheduler, which runs jobs on a fraction of the hosts that they ask "
             "for",
         .params = params, .options_size = sizeof(options)},
    .choose = choose};
