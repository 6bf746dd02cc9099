/* alibaba_v2026.c -- the nodes of Alibaba's GPU cluster trace of 2026 (spot instances).
 *
 * Columns by title, since their order is not the one that the trace's own page gives: gpu_model,
 * gpu_capacity_num, cpu_num, node_name. Memory is not published. */
#include "cluster/machine_file.h"

typedef struct options {
  const char *file;
} options;

static const hc_machine_list list = {
    .use = "alibaba_v2026",
    .kind = "a node_info table",
    .titles = {"node_name", "cpu_num", "()", "gpu_capacity_num", "gpu_model"},
    .cpus = 1000,
    .cpus_are = "a number of cores"};

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  return hc_machine_list_describe(c, &list, o->file, 0, out, e);
}

static const hc_param params[] = {HC_MACHINE_FILE_PARAM(options, "node_info_df.csv"), {0}};

const hc_cell_type hc_cell_alibaba_v2026 = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "alibaba_v2026",
         .summary = "the nodes of Alibaba's GPU cluster trace of 2026 (node_info_df)",
         .detail =
             "All nodes are there all the time. cpus: cpu_num x 1000. The trace says nothing of memory. "
             "The model is the attribute gpu_model and the name of the class. Rows that cannot be read "
             "are left out, which the result notes.",
         .source = "Alibaba clusterdata, cluster-trace-gpu-v2026", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
