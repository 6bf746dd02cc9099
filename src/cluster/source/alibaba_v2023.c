/* alibaba_v2023.c -- the nodes of Alibaba's GPU cluster trace of 2023 (openb).
 *
 * Columns by title: sn, cpu_milli, memory_mib, gpu, model. A node without GPUs has no model. */
#include "cluster/machine_file.h"

typedef struct options {
  const char *file;
  int64_t memory_scale;
} options;

static const hc_machine_list list = {.use = "alibaba_v2023",
                                     .kind = "an openb_node_list table",
                                     .titles = {"sn", "cpu_milli", "memory_mib", "gpu", "model"},
                                     .cpus = 1,
                                     .cpus_are = "thousandths of a core",
                                     .memory_is = "memory in MiB"};

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  return hc_machine_list_describe(c, &list, o->file, o->memory_scale, out, e);
}

static const hc_param params[] = {
    HC_MACHINE_FILE_PARAM(options, "openb_node_list_all_node.csv, or of its GPU nodes"),
    HC_MEMORY_SCALE_PARAM(options, "1MiB",
                          "Memory that 1 of memory_mib stands for; it must be the same as its reader's."),
    {0}};

const hc_cell_type hc_cell_alibaba_v2023 = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "alibaba_v2023",
         .summary = "the nodes of Alibaba's GPU cluster trace of 2023 (openb_node_list)",
         .detail =
             "All nodes are there all the time. cpus: cpu_milli. memory: memory_mib x memory_scale. The "
             "model is "
             "the attribute gpu_model and the name of the class. Rows that cannot be read are left "
             "out, which the result notes.",
         .source = "Alibaba clusterdata, cluster-trace-gpu-v2023; Weng et al., ATC 2023", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
