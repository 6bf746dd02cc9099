/* hawk.c -- long jobs by a central scheduler that knows them, short ones by sampling.
 *
 * The few long jobs have most of the work: placing them by knowledge is worth it, and takes few decisions.
 * The many short ones sample hosts as under Sparrow, a part of the cell is kept for them, and idle hosts
 * steal those that were caught behind a long task. Source: Delgado, Dinu, Kermarrec and Zwaenepoel, Hawk,
 * USENIX ATC 2015. */
#include "architecture/sampling/sampling.h"

typedef struct options {
  hc_sampling_options sampling;
} options;

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  hc_sampling_options o = ((const options *)opts)->sampling;
  o.is_split = true;
  return hc_sampling_new(c, "architecture hawk", &o, out, e);
}

static const char *const figures[] = {HC_SAMPLING_SPLIT_FIGURES, NULL};

static const hc_param params[] = {
    HC_SAMPLING_PARAMS(options, sampling, "2"), HC_SAMPLING_SPLIT_PARAMS(options, sampling), {0}};

const hc_architecture_type hc_architecture_hawk = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "hawk",
         .summary = "long jobs by a central scheduler, short ones by sampling, with stealing: Hawk",
         .detail =
             "The central scheduler gives each task of a long job to the host with the least estimated wait, "
             "outside the part that is kept for short jobs (`short_share`). The wait is the time of long "
             "tasks that are queued there, and what is left of those that run, over the number of tasks of "
             "that size that the host can run at once. The scheduler knows of ends at once and takes no time "
             "to decide. Short jobs: late binding, as in sparrow, over all hosts. Reference set-up: 15,000 "
             "hosts of one core, Google's trace of 2011. The run's policy is not used. A task runs on one "
             "host; a task that no single host could run is rejected. Tasks of a job that arrive together "
             "are scheduled together; a task that has lost its host is scheduled anew by itself. The queue "
             "of a host that is away waits for its return.",
         .source =
             "Delgado, Dinu, Kermarrec and Zwaenepoel, Hawk: hybrid datacenter scheduling, USENIX ATC 2015",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_SAMPLING_KIND,
};
