/* alibaba_v2020.c -- the machines of Alibaba's GPU cluster trace of 2020 (PAI).
 *
 * Rows of pai_machine_spec, without titles: machine, GPU type, cores, memory (GB), GPUs. The type is CPU for
 * machines that have none. The table is published in a tar archive, which is read as it is. */
#include "cluster/machine_file.h"

typedef struct options {
  const char *file;
  int64_t memory_scale;
} options;

static const hc_machine_list list = {.use = "alibaba_v2020",
                                     .kind = "a pai_machine_spec table",
                                     .columns = {1, 3, 4, 5, 2},
                                     .cpus = 1000,
                                     .cpus_are = "a number of cores",
                                     .memory_is = "memory in GB"};

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  const options *o = p;
  return hc_machine_list_describe(c, &list, o->file, o->memory_scale, out, e);
}

static const hc_param params[] = {
    HC_MACHINE_FILE_PARAM(options, "pai_machine_spec.csv"),
    HC_MEMORY_SCALE_PARAM(options, "1GiB",
                          "Memory that 1 of cap_mem stands for; it must be the same as its reader's."),
    {0}};

const hc_cell_type hc_cell_alibaba_v2020 = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "alibaba_v2020",
         .summary = "the machines of Alibaba's GPU cluster trace of 2020 (pai_machine_spec)",
         .detail =
             "All machines are there all the time. cpus: cap_cpu x 1000. memory: cap_mem x memory_scale "
             "(the trace's GB). The GPU's type is the attribute gpu_model and the name of the class. Rows "
             "that cannot be read are left out, which the result notes.",
         .source = "Alibaba clusterdata, cluster-trace-gpu-v2020; Weng et al., NSDI 2022", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
