/* alibaba_v2020.c -- the machines of Alibaba's GPU cluster trace of 2020 (PAI).
 *
 * Rows of pai_machine_spec, without titles: machine, GPU type, cores, memory (GB), GPUs. The type is CPU for
 * machines that have none. The table is published in a tar archive, which is read as it is. */
#include "base/util.h"
#include "cluster/machine_file.h"

enum { MACHINE = 1, MODEL, CPUS, MEMORY, GPUS };

typedef struct options {
  const char *file;
  int64_t memory_scale;
} options;

static hc_rc read_row(hc_machine_file *f, const options *o, hc_error *e)
{
  hc_host_class class = {.name = "CPU", .speed = 1};
  hc_attribute model = {0};
  hc_rc rc;
  if (!hc_table_amount(&f->t, CPUS, 1000, &class.capacity[HC_DIM_CPU]))
    return hc_machine_reject(f, CPUS, "expected a number of cores, got \"%.80s\"",
                             hc_table_text(&f->t, CPUS));
  if (!hc_table_amount(&f->t, MEMORY, (double)o->memory_scale, &class.capacity[HC_DIM_MEMORY]))
    return hc_machine_reject(f, MEMORY, "expected memory in GB, got \"%.80s\"", hc_table_text(&f->t, MEMORY));
  rc = hc_machine_gpus(f, GPUS, MODEL, &class, &model, e);
  if (rc == 1) rc = hc_machine_host(f, MACHINE, &class, e);
  return HC_MIN(rc, 0);
}

static hc_rc read_file(hc_machine_file *f, hc_host_builder *b, const options *o, hc_cell_spec *out,
                       hc_error *e)
{
  hc_rc rc;
  TRY(hc_machine_open(f, b, "alibaba_v2020", o->file, e));
  while ((rc = hc_machine_next(f, e)) == 1)
    if (!hc_machine_is_titles(f, CPUS)) TRY(read_row(f, o, e));
  if (rc < 0) return rc;
  TRY(hc_machine_end(f, "a pai_machine_spec table", e));
  return hc_builder_finish(b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  hc_machine_file f;
  hc_host_builder b;
  hc_rc rc;
  hc_builder_init(&b, c, "cell alibaba_v2020");
  rc = read_file(&f, &b, p, out, e);
  hc_builder_fini(&b);
  hc_machine_close(&f);
  return rc;
}

static const hc_param params[] = {
    HC_MACHINE_FILE_PARAM(options, "pai_machine_spec.csv"),
    HC_MEMORY_SCALE_PARAM(options, "1GiB", "What 1 of cap_mem stands for; the same as its reader's."),
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
