/* disk_ops.c -- processes read from and write to the disks of their hosts, both at once. Runs have no disks
 * yet, so that it is refused with that reason; it is here so that a file that has it is understood. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list processes;
  double read_size, write_size;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  (void)given;
  (void)processes;
  return hc_fail(e, HC_EUNSUPPORTED, "", 0, 0,
                 "disk_ops needs disks, which hosts do not have yet: give the time that it takes as a delay");
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const int64_t *items = o->processes.items;
  HC_PROFILE_BEGIN(p);
  for (size_t i = 0; i < o->processes.count; i++) {
    if (o->read_size > 0) (void)p->calls->read(p, (uint32_t)items[i], o->read_size, 0);
    if (o->write_size > 0) (void)p->calls->write(p, (uint32_t)items[i], o->write_size, 0);
  }
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(INTS, options, processes, "processes", NULL, 0, 4e9, "Numbers of the processes, from 0."),
    HC_PARAM(REAL, options, read_size, "B", "0", 0, 1e300, "Bytes that each of them reads."),
    HC_PARAM(REAL, options, write_size, "B", "0", 0, 1e300, "Bytes that each of them writes."),
    {0}};

const hc_profile_type hc_profile_disk_ops = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "disk_ops",
                  .summary =
                      "processes read and write on the disks of their hosts; refused until there are disks",
                  .source = "DSLab-CS, profile disk-ops", .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
