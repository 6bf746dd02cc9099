/* communication_matrix.c -- what each process sends to each, all at once: rows send to columns. */
#include "hindcast/profile.h"

typedef struct options {
  hc_list matrix;
} options;

static hc_rc check(const void *given, uint32_t processes, hc_error *e)
{
  const options *o = given;
  if (o->matrix.count == (size_t)processes * processes) return 0;
  return hc_fail(e, HC_EINPUT, "", 0, 0,
                 "communication_matrix has %zu entries, and the task's %u processes need %zu: a row for each "
                 "that sends, with an entry for each that receives",
                 o->matrix.count, processes, (size_t)processes * processes);
}

static hc_rc resume(hc_profile *p)
{
  const options *o = p->options;
  const double *bytes = o->matrix.items;
  HC_PROFILE_BEGIN(p);
  for (uint32_t i = 0; i < p->processes * p->processes; i++)
    if (bytes[i] > 0) (void)hc_profile_transfer(p, i / p->processes, i % p->processes, bytes[i], 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

static const hc_param params[] = {
    HC_PARAM(
        REALS, options, matrix, "B", NULL, 0, 1e300,
        "Bytes from each process (row) to each process (column): a list of rows. 0: no transfer. Required."),
    {0}};

const hc_profile_type hc_profile_communication_matrix = {
    .component =
        {HC_COMPONENT_HEAD(hc_profile_type, HC_KIND_PROFILE), .name = "communication_matrix",
         .summary = "bytes from each process to each process, by a matrix",
         .detail = "The transfers of all entries that are not 0 begin at once. Bytes on the diagonal go over "
                   "the host's loopback.",
         .source =
             "DSLab-CS (github.com/nogokama/dslab-cluster-simulator, 2024), profile communication-matrix",
         .params = params, .options_size = sizeof(options)},
    .check = check,
    .resume = resume};
