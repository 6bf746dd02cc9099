/* disk_ops.c -- processes read from and write to the disks of their hosts, both at once. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list processes;
  double read_size, write_size, discard_size;
  double read_factor, write_factor;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  const int64_t *items = o->processes.items;
  for (size_t i = 0; i < o->processes.count; i++)
    if (items[i] >= (int64_t)processes)
      return hc_fail(e, HC_EINPUT, "", 0, 0, "processes names %lld, and the task's are numbered 0 to %u",
                     (long long)items[i], processes - 1);
  return 0;
}

/* @return false: there is not so much to discard */
static bool start(hc_profile *p, const options *o, uint32_t process)
{
  if (o->discard_size > 0 && !p->calls->discard(p, process, o->discard_size)) return false;
  const hc_io reads = {.bytes = o->read_size, .factor = o->read_factor},
              writes = {.bytes = o->write_size, .factor = o->write_factor, .is_write = true};
  if (o->read_size > 0) (void)p->calls->io(p, process, &reads, 0);
  if (o->write_size > 0) (void)p->calls->io(p, process, &writes, 0);
  return true;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const int64_t *items = o->processes.items;
  const size_t count = o->processes.count > 0 ? o->processes.count : p->processes;
  HC_PROFILE_BEGIN(p);
  for (size_t i = 0; i < count; i++)
    if (!start(p, o, o->processes.count > 0 ? (uint32_t)items[i] : (uint32_t)i)) return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(INTS, options, processes, "processes", NULL, 0, 4e9,
             "Numbers of the processes, from 0. Default: all."),
    HC_PARAM(REAL, options, read_size, "B", "0", 0, 1e300, "Bytes that each of them reads."),
    HC_PARAM(REAL, options, write_size, "B", "0", 0, 1e300, "Bytes that each of them writes."),
    HC_PARAM(REAL, options, discard_size, "B", "0", 0, 1e300,
             "Bytes that each of them discards first, of what the task has written on the disk. The profile "
             "fails where the task has written less."),
    HC_PARAM(
        REAL, options, read_factor, "1", "1", 1e-9, 1e9,
        "Factor of the bandwidth that a read gets: with 0.5 it takes twice as long, as with small blocks."),
    HC_PARAM(REAL, options, write_factor, "1", "1", 1e-9, 1e9, "Factor of the bandwidth that a write gets."),
    {0}};

const hc_profile_type hc_profile_disk_ops = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "disk_ops",
                  .summary = "processes read and write on the disks of their hosts",
                  .detail = "All reads and writes begin at once. The profile fails if a disk has too little "
                            "room for one of them. `execution.disks` declares the disks.",
                  .source = "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile disk-ops",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
