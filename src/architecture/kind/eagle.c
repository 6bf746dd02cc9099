/* eagle.c -- Hawk in which short jobs stay away from long ones, and hosts stay with jobs.
 *
 * The central scheduler's knowledge of where long tasks are is passed around as a vector of bits (succinct state sharing): a
 * probe that finds a long task is turned away with that vector, tries a host without, and at the second time the part kept
 * for short jobs. A host that has ended a task asks the same job for another before it serves its queue (sticky batch
 * probing). Queues serve the job with least left to do, within bounds. Source: Delgado, Didona, Dinu and Zwaenepoel,
 * Eagle, SoCC 2016, doi:10.1145/2987550.2987563. */
#include "architecture/sampling.h"
#include "base/util.h"

typedef struct options {
  hc_sampling_options sampling;
} options;

struct hc_architecture {
  hc_sampling sampling;
};

static hc_rc hear(hc_architecture *self, const hc_signal *sig, hc_error *e)
{
  return hc_sampling_hear(&self->sampling, sig, e);
}

static hc_rc decide(hc_architecture *self, hc_error *e)
{
  return hc_sampling_decide(&self->sampling, e);
}

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  hc_sampling_options o = ((const options *)opts)->sampling;
  hc_architecture *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  o.is_split = o.marks = o.srpt = true;
  return hc_sampling_init(&self->sampling, c, "architecture eagle", &o, e);
}

static hc_rc visit(hc_architecture *self, hc_visitor *v)
{
  return hc_sampling_visit(&self->sampling, v);
}

static hc_rc finish(hc_architecture *self, hc_findings *f)
{
  return hc_sampling_finish(&self->sampling, f);
}

static void fini(hc_architecture *self)
{
  const hc_allocator *a = self->sampling.c.allocator;
  hc_sampling_fini(&self->sampling);
  hc_free(a, self, sizeof *self);
}

static const char *const figures[] = {
    HC_SAMPLING_CLASS_FIGURES("_short"),
    HC_SAMPLING_CLASS_FIGURES("_long"),
    HC_SAMPLING_FIGURES,
    "steals|hosts|hosts that were asked for work by idle ones",
    "stolen|reservations|reservations that moved so",
    "probes_rejected|probes|probes that found a long task and were turned away",
    "sticky|questions|times that a host asked a job for another task when one had ended",
    NULL};

static const hc_param params[] = {
    HC_SAMPLING_PARAMS(options, sampling, "2"),
    {.name = "cutoff",
     .type = HC_TIME,
     .unit = "s",
     .fallback = "1129s",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, sampling.cutoff),
     .help =
         "A job is long if the mean of what may be believed of its tasks' run times is above this; a task without an "
         "estimate counts as 100 years. The papers' value for Google's trace of 2011."},
    {.name = "error",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "0",
     .min = 0,
     .max = 1,
     .offset = offsetof(options, sampling.error),
     .help =
         "What is believed of a job is multiplied by a factor that is uniform between 1 - error and 1 + error."},
    {.name = "short_share",
     .type = HC_REAL,
     .unit = "1",
     .fallback = "0.17",
     .min = 0,
     .max = 1,
     .offset = offsetof(options, sampling.short_share),
     .help =
         "This share of the hosts, the last by number, runs no long tasks. The papers take the share of task-seconds "
         "that are short jobs'."},
    {.name = "steal",
     .type = HC_INT,
     .unit = "hosts",
     .fallback = "10",
     .min = 0,
     .max = 1e6,
     .offset = offsetof(options, sampling.steal),
     .help =
         "A host with room and nothing to do asks so many others of those that run long tasks, drawn at random one after "
         "another, for the first group of reservations of short jobs behind a long task, until one has such. 0: none."},
    {.name = "sticky",
     .type = HC_BOOL,
     .fallback = "true",
     .offset = offsetof(options, sampling.sticky),
     .help = "When a task of a short job ends, its host asks the same job for another first."},
    {.name = "bypass",
     .type = HC_INT,
     .unit = "times",
     .fallback = "5",
     .min = 0,
     .max = 1e9,
     .offset = offsetof(options, sampling.bypass),
     .help =
         "A queue serves whose job is believed to have least left, mean run time times tasks that have not ended; but "
         "nobody is passed by more than so many. 0: first come, first served."},
    {0}};

const hc_architecture_type hc_architecture_eagle = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "eagle",
         .summary =
             "Hawk with shared knowledge of where long tasks are, and hosts that stay with a job: Eagle",
         .detail =
             "As hawk. A probe of a short job that finds a long task, queued or running, goes back; its scheduler then draws "
             "a host to which no long task is assigned, as that is known when the probe is back, and at the second time one "
             "of the kept part. If that has none it queues where it was. "
             "A policy is not asked. A task runs on one host; one that no single host could run is rejected. Tasks of a job "
             "that arrive together are scheduled together; one that has lost its host is sent out anew by itself. The "
             "queue of a host that is away waits for its return.",
         .source = "Delgado, Didona, Dinu and Zwaenepoel, SoCC 2016, doi:10.1145/2987550.2987563",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .signal = hear,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .finish = finish,
    .asks_jobs = true,
    .offers_hosts = true,
};
