/* eagle.c -- Hawk in which short jobs stay away from long ones, and hosts stay with jobs.
 *
 * The central scheduler's knowledge of where long tasks are is passed around as a vector of bits (succinct
 * state sharing): a probe that finds a long task is turned away with that vector, tries a host without, and
 * at the second time the part kept for short jobs. A host that has ended a task asks the same job for another
 * before it serves its queue (sticky batch probing). Queues serve the job with least left to do, within
 * bounds. Source: Delgado, Didona, Dinu and Zwaenepoel, Eagle, SoCC 2016, doi:10.1145/2987550.2987563. */
#include "architecture/sampling/sampling.h"

typedef struct options {
  hc_sampling_options sampling;
} options;

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  hc_sampling_options o = ((const options *)opts)->sampling;
  o.is_split = o.marks = o.srpt = true;
  return hc_sampling_new(c, "architecture eagle", &o, out, e);
}

static const char *const figures[] = {
    HC_SAMPLING_SPLIT_FIGURES,
    "probes_rejected|probes|none|probes that found a long task and were turned away",
    "sticky|questions|none|times that a host asked a job for another task when one had ended", NULL};

static const hc_param params[] = {
    HC_SAMPLING_PARAMS(options, sampling, "2"),
    HC_SAMPLING_SPLIT_PARAMS(options, sampling),
    HC_PARAM_AS(BOOL, "sticky", options, sampling.sticky, "true",
                "When a task of a short job ends, its host asks the same job for another first."),
    HC_PARAM_AS(
        INT, "bypass", options, sampling.bypass, "times", "5", 0, 1e9,
        "A queue serves whose job is believed to have least left, mean run time times tasks that have "
        "not ended; but no task is passed by more than so many. 0: first come, first served."),
    {0}};

const hc_architecture_type hc_architecture_eagle = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "eagle",
         .summary =
             "Hawk with shared knowledge of where long tasks are, and hosts that stay with a job: Eagle",
         .detail =
             "As hawk. A probe of a short job that finds a long task, queued or running, goes back; its "
             "scheduler then draws a host to which no long task is assigned, as that is known when the "
             "probe is back, and at the second time one of the kept part. If that has none it queues where "
             "it was. A policy is not asked. A task runs on one host; one that no single host could run is "
             "rejected. Tasks of a job that arrive together are scheduled together; one that has lost its "
             "host is sent out anew by itself. The queue of a host that is away waits for its return.",
         .source = "Delgado, Didona, Dinu and Zwaenepoel, SoCC 2016, doi:10.1145/2987550.2987563",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_SAMPLING_KIND,
};
