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
             "The central scheduler gives each task of a long job to the host outside the kept part with "
             "the least estimated wait: what it has queued there and what is left of the long tasks that "
             "run, over the tasks of that size that the host can run at once. It knows that at once and "
             "needs no time to decide. Short jobs: late binding, as in sparrow, over all hosts. Reference "
             "set-up: 15,000 hosts of one core, Google's trace of 2011. A policy is not asked. A task runs "
             "on one host; one that no single host could run is rejected. Tasks of a job that arrive "
             "together are scheduled together; one that has lost its host is sent out anew by itself. The "
             "queue of a host that is away waits for its return.",
         .source =
             "Delgado, Dinu, Kermarrec and Zwaenepoel, Hawk: hybrid datacenter scheduling, USENIX ATC 2015",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_SAMPLING_KIND,
};
