/* file_delete.c -- processes delete a file each. */
#include "execution/pattern.h"

typedef struct options {
  const char *path;
  hc_list processes;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  return hc_processes_check(&o->processes, processes, e);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const hc_file_io io = {.path = o->path, .does = HC_FILE_DELETES};
  return hc_processes_file(p, &o->processes, HC_RANKS_ALL, &io);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, path, NULL, HC_PATH_HELP),
    HC_PARAM(INTS, options, processes, "processes", "0", 0, 4e9,
             "Numbers of the processes that delete it, from 0, each on what its host mounts."),
    {0}};

const hc_profile_type hc_profile_file_delete = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "file_delete",
                  .summary = "processes delete a file",
                  .detail = "Takes no time. The profile fails where there is no such file, and where an "
                            "operation reads or writes it.",
                  .source = "DSLab (github.com/osukhoroslov/dslab), its file systems", .params = params,
                  .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
