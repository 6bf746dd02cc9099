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
    "sticky|questions|none|times that a host asked a job for another task when a task of it had ended", NULL};

static const hc_param params[] = {
    HC_SAMPLING_PARAMS(options, sampling, "2"),
    HC_SAMPLING_SPLIT_PARAMS(options, sampling),
    HC_PARAM_AS(BOOL, "sticky", options, sampling.sticky, "true",
                "Does a host ask the same job for another task first when a task of a short job ends?"),
    HC_PARAM_AS(
        INT, "bypass", options, sampling.bypass, "times", "5", 0, 1e9,
        "A queue serves first the reservation of the job with the least work left, by estimates: mean run "
        "time x tasks that have not ended. At most this many others may pass a queued one. 0: first come, "
        "first served."),
    {0}};

const hc_architecture_type hc_architecture_eagle = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "eagle",
         .summary =
             "Hawk with shared knowledge of where long tasks are, and hosts that stay with a job: Eagle",
         .detail =
             "As hawk, except for probes. A probe of a short job that finds a long task, queued or running, "
             "goes back; its scheduler then draws a host to which no long task is assigned, by what is known "
             "when the probe is back, and at the second time a host of the part that is kept for short jobs. "
             "If there is no such host the probe queues where it was. The run's policy is not used. A task "
             "runs on one host; a task that no single host could run is rejected. Tasks of a job that arrive "
             "together are scheduled together; a task that has lost its host is scheduled anew by itself. "
             "The queue of a host that is away waits for its return.",
         .source = "Delgado, Didona, Dinu and Zwaenepoel, SoCC 2016, doi:10.1145/2987550.2987563",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_SAMPLING_KIND,
};
