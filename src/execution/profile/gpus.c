/* gpus.c -- work on the GPUs of each process's host, which share it evenly: what a task of a training or a
 * solver computes there.
 *
 * Of the work w that a process has each of its g GPUs does w / g at execution.gpu_speed, so that it takes
 * w / (g x gpu_speed). Nothing else takes part in GPUs: what computes at once, computes on others. */
#include "execution/dealt.h"

typedef struct options {
  hc_list work; /* double */
  int deal;
  double gpus;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  if (o->work.count <= 1 || o->work.count == processes) return 0;
  return hc_fail(e, HC_EINPUT, "", 0, 0,
                 "gpus: work is one number, or one for each process, and there are %u processes for %zu",
                 processes, o->work.count);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const double *all = o->work.items;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < p->processes && o->work.count > 0; i++) {
    const double work =
        o->work.count > 1 ? all[i] : hc_dealt_work((hc_dealt)o->deal, all[0], p->processes, i);
    if (work > 0) (void)p->calls->gpus(p, i, o->gpus, work, 0);
  }
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(
        REALS, options, work, "work", NULL, 0, 1e300,
        "Work of GPUs: one number, which `deal` deals out to the processes, or a number for each process."),
    HC_PARAM(CHOICE, options, deal, HC_DEALT_CHOICES, "uniform", HC_DEALT_HELP),
    HC_PARAM(REAL, options, gpus, "GPUs", "1", 0, 65536,
             "Number of GPUs of each process, which share its work evenly, such as num_gpus / num_hosts."),
    {0}};

const hc_profile_type hc_profile_gpus = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "gpus",
                  .summary = "work on GPUs of each process's host",
                  .detail = "A process takes work / (gpus x execution.gpu_speed) seconds, whatever its cores "
                            "do meanwhile; the profile ends with the last process. The host of a process "
                            "must have `gpus` GPUs; whether the task holds them is not checked. The task "
                            "counts as computing (metric activity), its cores do not.",
                  .source = "ElastiSim 2024, tasks of type gpu", .params = params,
                  .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
