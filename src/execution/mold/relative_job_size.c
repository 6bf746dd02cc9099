/* relative_job_size.c -- at most so many times the workers that the user asked for, whatever is idle. */
#include "hindcast/execution.h"

typedef struct options {
  double factor;
} options;

static int64_t allows(const void *opts, const hc_mold_question *q)
{
  return (int64_t)(((const options *)opts)->factor * (double)q->configured);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, factor, "1", "4", 1, 1e6,
             "Greatest number of workers of a job, as a multiple of those that its user asked for."),
    {0}};

const hc_mold_type hc_mold_relative_job_size = {
    .component = {HC_COMPONENT_HEAD(hc_mold_type, HC_KIND_MOLD), .name = "relative_job_size",
                  .summary = "at most so many times the workers that the job's user asked for",
                  .detail = "The bound does not depend on the state of the cell: a job never takes more, and "
                            "gets as many if there is room.",
                  .source = "Schwarzkopf et al., EuroSys 2013, doi:10.1145/2465351.2465386, section 6.1; the "
                            "factor of 4 is the paper's",
                  .params = params, .options_size = sizeof(options)},
    .allows = allows};
