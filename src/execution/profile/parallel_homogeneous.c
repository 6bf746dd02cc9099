/* parallel_homogeneous.c -- a parallel task whose processes are alike: the same work on each, the same bytes
 * between each two. */
#include "hindcast/profile.h"

typedef struct options {
  double cpu, com;
  bool total, by_pairs;
} options;

/* What of `com` one ordered pair of processes has. Where there is one process there is no pair. */
static double part_of_com(const options *o, uint32_t processes)
{
  if (o->by_pairs && processes > 1) return 1.0 / processes / (processes - 1);
  return o->total ? 1.0 / processes : 1;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const double part = o->total ? 1.0 / p->processes : 1;
  HC_PROFILE_BEGIN(p);
  (void)p->calls->alike(p, o->cpu * part, o->com * part_of_com(o, p->processes), 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static void joins(const void *given, uint32_t processes, hc_profile_joins *out)
{
  const options *o = given;
  const double part = o->total ? 1.0 / processes : 1;
  out->each = o->cpu * part;
  out->between = o->com * part_of_com(o, processes);
}

static const hc_param params[] = {
    HC_PARAM(REAL, options, cpu, "work", "0", 0, 1e300, "Work of each process."),
    HC_PARAM(REAL, options, com, "B", "0", 0, 1e300, "Bytes from each process to each other process."),
    HC_PARAM(BOOL, options, total, "false",
             "Whether each process has cpu / n, and each pair com / n, with n processes (Batsim's "
             "parallel_homogeneous_total)."),
    HC_PARAM(BOOL, options, by_pairs, "false",
             "Whether `com` is the bytes of all ordered pairs of the n processes together, so that each pair "
             "has com / (n (n - 1)), with any `total`. With `total` this is Batsim 5's "
             "DefinedAmountsSpreadUniformly."),
    {0}};

const hc_profile_type hc_profile_parallel_homogeneous = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "parallel_homogeneous",
                  .summary = "a parallel task whose processes are alike",
                  .source = "Batsim 4, profiles parallel_homogeneous and parallel_homogeneous_total; Batsim "
                            "5, ParallelTaskHomogeneousProfile",
                  .params = params, .options_size = sizeof(options)},
    .resume = resume,
    .joins = joins};
