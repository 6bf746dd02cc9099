/* sparrow.c -- many schedulers that know nothing: each asks a few hosts, and queues on hosts decide.
 *
 * Batch sampling sends d x m probes for the m tasks of a job. With late binding the reservations of a job
 * wait on their hosts, and the first hosts that have room get its tasks: what a queue's length says of the
 * wait need not be guessed. With a reservation on every host that is one shared queue. The price is a round
 * trip of idleness for each task, and for each reservation whose tasks are gone. Weights and priorities of
 * users are not modelled. Source: Ousterhout et al., Sparrow, SOSP 2013, doi:10.1145/2517349.2522716. */
#include "architecture/sampling/sampling.h"

typedef struct options {
  hc_sampling_options sampling;
} options;

static hc_rc init(const hc_architecture_context *c, const void *opts, hc_architecture **out, hc_error *e)
{
  const hc_sampling_options o = ((const options *)opts)->sampling;
  return hc_sampling_new(c, "architecture sparrow", &o, out, e);
}

static const char *const figures[] = {HC_SAMPLING_CLASS_FIGURES(""), HC_SAMPLING_FIGURES, NULL};

static const hc_param params[] = {
    HC_SAMPLING_PARAMS(options, sampling, "2"),
    HC_PARAM_AS(
        CHOICE, "binding", options, sampling.binding, "late|early", "late",
        "late: reservations queue on the hosts, and a host with room asks for a task. early: hosts say how "
        "many tasks they run and queue, and tasks are sent to those with the fewest; two tasks of one job go "
        "to the same host only if each of the job's hosts has one."),
    {0}};

const hc_architecture_type hc_architecture_sparrow = {
    .component =
        {HC_COMPONENT_HEAD(hc_architecture_type, HC_KIND_ARCHITECTURE), .figures = figures, .name = "sparrow",
         .summary = "schedulers that sample a few hosts for each job, and queues on hosts: Sparrow",
         .detail =
             "For the m tasks of a job `probes` x m hosts are drawn, distinct as long as there are enough. A "
             "host serves its queue of reservations first come, first served; while the first waits for "
             "room, so do the others. For a reservation a host keeps the room that the job's first task "
             "needs, asks for a task, and gets the job's next task without a host, or none. Reference "
             "set-up: 10,000 hosts of 4 cores, jobs of 100 tasks of 100 ms, load 0.8, 10 schedulers. The "
             "run's policy is not used. A task runs on one host; a task that no single host could run is "
             "rejected. Tasks of a job that arrive together are scheduled together; a task that has lost its "
             "host is scheduled anew by itself. The queue of a host that is away waits for its return.",
         .source = "Ousterhout, Wendell, Zaharia and Stoica, SOSP 2013, doi:10.1145/2517349.2522716",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    HC_SAMPLING_KIND,
};
