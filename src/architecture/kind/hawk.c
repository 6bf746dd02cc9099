/* hawk.c -- long jobs by a central scheduler that knows them, short ones by sampling.
 *
 * The few long jobs have most of the work: placing them by knowledge is worth it, and takes few decisions. The many short
 * ones sample hosts as under Sparrow, a part of the cell is kept for them, and idle hosts steal those that were caught
 * behind a long task. Source: Delgado, Dinu, Kermarrec and Zwaenepoel, Hawk, USENIX ATC 2015. */
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
  o.is_split = true;
  return hc_sampling_init(&self->sampling, c, "architecture hawk", &o, e);
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

static const char *const figures[] = {HC_SAMPLING_CLASS_FIGURES("_short"),
                                      HC_SAMPLING_CLASS_FIGURES("_long"),
                                      HC_SAMPLING_FIGURES,
                                      "steals|hosts|hosts that were asked for work by idle ones",
                                      "stolen|reservations|reservations that moved so",
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
    {0}};

const hc_architecture_type hc_architecture_hawk = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "hawk",
         .summary = "long jobs by a central scheduler, short ones by sampling, with stealing: Hawk",
         .detail =
             "The central scheduler gives each task of a long job to the host outside the kept part with the least estimated "
             "wait: what it has queued there and what is left of the long tasks that run, over the tasks of that size that "
             "the host can run at once. It knows that at once and needs no time to decide. Short jobs: late binding, as "
             "in sparrow, over all hosts. Reference set-up: 15,000 hosts of one core, Google's trace of 2011. "
             "A policy is not asked. A task runs on one host; one that no single host could run is rejected. Tasks of a job "
             "that arrive together are scheduled together; one that has lost its host is sent out anew by itself. The "
             "queue of a host that is away waits for its return.",
         .source =
             "Delgado, Dinu, Kermarrec and Zwaenepoel, Hawk: hybrid datacenter scheduling, USENIX ATC 2015",
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
