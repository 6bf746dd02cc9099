/* parallel_task.c -- work on every process and bytes between them, all of which progress at one rate: what is
 * done of one is done of each. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list cpu, com;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  if (o->cpu.count != 0 && o->cpu.count != processes)
    return hc_fail(e, HC_EINPUT, "", 0, 0,
                   "parallel_task has the work (cpu) of %zu processes, and the task has %u", o->cpu.count,
                   processes);
  if (o->com.count != 0 && o->com.count != (size_t)processes * processes)
    return hc_fail(e, HC_EINPUT, "", 0, 0,
                   "parallel_task has a matrix (com) of %zu entries, and the task's %u processes need %zu",
                   o->com.count, processes, (size_t)processes * processes);
  return 0;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)p->calls->together(p, o->cpu.count ? o->cpu.items : NULL, o->com.count ? o->com.items : NULL, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static void joins(const void *given, uint32_t processes, hc_profile_joins *out)
{
  const options *o = given;
  (void)processes;
  out->work = o->cpu.count ? o->cpu.items : NULL;
  out->bytes = o->com.count ? o->com.items : NULL;
}

static const hc_param params[] = {
    HC_PARAM(REALS, options, cpu, "work", NULL, 0, 1e300, "Work of each process. Default: none."),
    HC_PARAM(REALS, options, com, "B", NULL, 0, 1e300,
             "Bytes from each process (row) to each process (column), row by row. Default: none."),
    {0}};

const hc_profile_type hc_profile_parallel_task = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "parallel_task",
         .summary = "work and bytes that progress at one rate",
         .detail =
             "Alone it takes the longest latency of its routes, and then the longest of work / "
             "(execution.cpu_speed x speed of the host x cores) over processes and of bytes / bandwidth over "
             "links, in seconds. Its work does not share cores: computations beside it do not slow it.",
         .source = "Batsim 4.2.1, profile parallel; SimGrid 3.32, model ptask_L07", .params = params,
         .options_size = sizeof(options)},
    .check = check,
    .resume = resume,
    .joins = joins};
