/* file_copy.c -- processes copy a file: what they read of one they write to the other, both at once. */
#include "execution/pattern.h"

typedef struct options {
  const char *from, *to;
  double size;
  hc_list processes;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  return hc_processes_check(&o->processes, processes, e);
}

/* @return false: there is no such file, or one of the two could not begin */
static bool copy(hc_profile *p, const options *o, uint32_t process)
{
  const double size = o->size < 0 ? p->calls->file_size(p, process, o->from) : o->size;
  if (size < 0) return false;
  const hc_file_io reads = {.path = o->from, .bytes = size, .does = HC_FILE_READS},
                   writes = {.path = o->to, .bytes = size, .does = HC_FILE_WRITES};
  return p->calls->file(p, process, &reads, 0) != HC_NO_ACT &&
         p->calls->file(p, process, &writes, 0) != HC_NO_ACT;
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < hc_processes_count(p, &o->processes); i++)
    if (!copy(p, o, hc_processes_at(&o->processes, i))) return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, from, NULL, "Path of the file that is read, as `path` of `file_read`. Required."),
    HC_PARAM(TEXT, options, to, NULL,
             "Path of the file that is written, as `path` of `file_write`. Required."),
    HC_PARAM(REAL, options, size, "B", "-1", -1, 1e300,
             "Bytes that each process copies. -1: the whole file."),
    HC_PARAM(INTS, options, processes, "processes", NULL, 0, 4e9, HC_PROCESSES_HELP),
    {0}};

const hc_profile_type hc_profile_file_copy = {
    .component = {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "file_copy",
                  .summary = "processes copy a file: stage in, stage out",
                  .detail = "Reading and writing begin at once, by way of the process's host; the profile "
                            "ends when both have ended, and fails where one of them fails.",
                  .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
