/* mapreduce.c -- MapReduce jobs: workers as their users configure them, and activities that the workers take
 * one by one.
 *
 * A user picks the number of workers by rule of thumb, so that a few round numbers come again and again; how
 * many activities a job has follows from its input. What is drawn: the gap and the duration are exponential,
 * the workers are one of a list, each as likely, and the activities are the workers times an exponential,
 * rounded up: a job with fewer activities than workers gains nothing by more of them. The duration is that
 * with the configured workers.
 *
 * Only the list has a source that says what it is. Means that a job could have are in the descriptor; the
 * shapes are invented, and how much there is to gain hangs on them: vary `activities`. */
#include "base/util.h"
#include "omega/empirical.h"

typedef struct options {
  hc_time interarrival, duration;
  hc_list workers; /* int64_t */
  double activities, cpus, memory;
} options;

#define MOST 1e9

static uint32_t round_up(double x)
{
  const double up = x < MOST ? (double)(uint64_t)x : MOST;
  return (uint32_t)(up < x && up < MOST ? up + 1 : up);
}

static hc_rc make(const hc_arrivals_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  const int64_t *workers = o->workers.items;
  hc_omega_stream gaps = hc_omega_stream_exponential(c, HC_PURPOSE_ARRIVAL);
  hc_omega_stream runs = hc_omega_stream_exponential(c, HC_PURPOSE_RUN);
  hc_omega_stream shares = hc_omega_stream_exponential(c, HC_PURPOSE_SHAPE);
  hc_draws sizes = {c->seed, c->replication, c->workload, HC_PURPOSE_SIZE, 0};
  const double gap = (double)o->interarrival / 1e9 * c->scale, run = (double)o->duration / 1e9;
  if (o->workers.count == 0)
    return hc_fail(e, HC_EUSAGE, "arrivals mapreduce", 0, 0,
                   "how many workers? write workers: [5, 11, 200, 1000]");
  for (double t = hc_omega_exponential(&gaps, gap); t < c->window; t += hc_omega_exponential(&gaps, gap)) {
    hc_omega_arrival job = {.submit = t, .cpus = o->cpus, .memory = o->memory};
    job.tasks = (uint32_t)workers[hc_random_below(&sizes, o->workers.count)];
    job.activities = round_up((double)job.tasks * hc_omega_exponential(&shares, o->activities));
    do job.duration = hc_omega_exponential(&runs, run);
    while (job.duration <= 0);
    TRY(c->job(c->ctx, &job));
  }
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, interarrival, "s", "10", 1e-6, 1e9, "Mean time between two jobs."),
    HC_PARAM(INTS, options, workers, "workers", "[5, 11, 200, 1000]", 1, 1000000,
             "Numbers of workers that users configure, each drawn with the same probability; a number that "
             "is listed twice comes twice as often."),
    HC_PARAM(REAL, options, activities, "activities / worker", "7", 1e-3, 1e6,
             "Mean number of activities for each configured worker."),
    HC_PARAM(TIME, options, duration, "s", "395", 1e-6, 1e9,
             "Mean run time of a job with its configured workers."),
    HC_PARAM(REAL, options, cpus, "cpus", "1", 0, 1e6, "Cpus of each worker."),
    HC_PARAM(REAL, options, memory, "GB", "2", 0, 1e9, "Memory of each worker, in GB of 2^30 bytes."),
    {0}};

const hc_arrivals_type hc_arrivals_mapreduce = {
    .component =
        {HC_COMPONENT_HEAD(hc_arrivals_type, HC_KIND_ARRIVALS), .name = "mapreduce",
         .summary = "MapReduce jobs, with configured workers and with activities for more of them",
         .detail = "The number of workers is drawn from a list; activities = ceil(workers x an exponential); "
                   "gaps and durations are exponential. With `mold` in the workload a job may start with up "
                   "to as many workers as it has activities.",
         .source =
             "the numbers of workers are those that Schwarzkopf et al., EuroSys 2013, "
             "doi:10.1145/2465351.2465386, section 6, name as frequent; a duration of 395 s is the mean of "
             "September 2007 in Dean and Ghemawat, MapReduce, CACM 51(1), 2008, doi:10.1145/1327452.1327492, "
             "table 1, where 403,152 TB of input over 2,217,000 jobs of 394 machines make 7 activities of 64 "
             "MB for each machine; the forms of the laws and the weights are our own choices",
         .params = params, .options_size = sizeof(options)},
    .make = make};
