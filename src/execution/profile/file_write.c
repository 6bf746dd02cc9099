/* file_write.c -- processes append to a file. */
#include "execution/pattern.h"

typedef struct options {
  const char *path;
  double size, factor;
  hc_list processes;
  int ranks;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  return hc_processes_check(&o->processes, processes, e);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const hc_file_io io = {.path = o->path, .bytes = o->size, .factor = o->factor, .does = HC_FILE_WRITES};
  return hc_processes_file(p, &o->processes, (hc_ranks)o->ranks, &io);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, path, NULL, HC_PATH_HELP),
    HC_PARAM(REAL, options, size, "B", NULL, 0, 1e300, "Bytes that each process writes. Default: 0."),
    HC_PARAM(
        REAL, options, factor, "1", "1", 1e-9, 1e9,
        "Factor of the bandwidth that the operation gets from its disks: with 0.5 it takes twice as long."),
    HC_PARAM(INTS, options, processes, "processes", NULL, 0, 4e9, HC_PROCESSES_HELP),
    HC_PARAM(CHOICE, options, ranks, HC_RANKS, "all", HC_RANKS_HELP),
    {0}};

const hc_profile_type hc_profile_file_write = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "file_write",
                  .summary = "processes append to a file",
                  .detail =
                      "The file is made if there is none, and stays until it is deleted. The profile fails "
                      "where the storage has too little room. A path that ends with a slash names no file: "
                      "what is written there takes space as long as `kept` of the disk says.",
                  .source = "DSLab (github.com/osukhoroslov/dslab), its file systems; ElastiSim 2024, "
                            "pfs_write and bb_write",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
