/* alibaba_v2023.c -- the nodes of Alibaba's GPU cluster trace of 2023 (openb).
 *
 * Columns by title: sn, cpu_milli, memory_mib, gpu, model. A node without GPUs has no model. */
#include "base/util.h"
#include "cluster/machine_file.h"

enum { NAME, CPUS, MEMORY, GPUS, MODEL, COLUMNS };

typedef struct options {
  const char *file;
  int64_t memory_scale;
} options;

static hc_rc read_row(hc_machine_file *f, const options *o, const size_t *column, hc_error *e)
{
  hc_host_class class = {.name = "CPU", .speed = 1};
  hc_attribute model = {0};
  hc_rc rc;
  if (!hc_table_amount(&f->t, column[CPUS], 1, &class.capacity[HC_DIM_CPU]))
    return hc_machine_reject(f, column[CPUS], "expected thousandths of a core, got \"%.80s\"",
                             hc_table_text(&f->t, column[CPUS]));
  if (!hc_table_amount(&f->t, column[MEMORY], (double)o->memory_scale, &class.capacity[HC_DIM_MEMORY]))
    return hc_machine_reject(f, column[MEMORY], "expected memory in MiB, got \"%.80s\"",
                             hc_table_text(&f->t, column[MEMORY]));
  rc = hc_machine_gpus(f, column[GPUS], column[MODEL], &class, &model, e);
  if (rc == 1) rc = hc_machine_host(f, column[NAME], &class, e);
  return HC_MIN(rc, 0);
}

static hc_rc read_file(hc_machine_file *f, hc_host_builder *b, const options *o, hc_cell_spec *out,
                       hc_error *e)
{
  static const char *const titles[COLUMNS] = {"sn", "cpu_milli", "memory_mib", "gpu", "model"};
  size_t column[COLUMNS];
  hc_rc rc;
  TRY(hc_machine_open(f, b, "alibaba_v2023", o->file, e));
  TRY(hc_machine_titles(f, titles, column, COLUMNS, e));
  while ((rc = hc_machine_next(f, e)) == 1) TRY(read_row(f, o, column, e));
  if (rc < 0) return rc;
  TRY(hc_machine_end(f, "an openb_node_list table", e));
  return hc_builder_finish(b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  hc_machine_file f;
  hc_host_builder b;
  hc_rc rc;
  hc_builder_init(&b, c, "cell alibaba_v2023");
  rc = read_file(&f, &b, p, out, e);
  hc_builder_fini(&b);
  hc_machine_close(&f);
  return rc;
}

static const hc_param params[] = {
    HC_MACHINE_FILE_PARAM(options, "openb_node_list_all_node.csv, or of its GPU nodes"),
    HC_MEMORY_SCALE_PARAM(options, "1MiB", "What 1 of memory_mib stands for; the same as its reader's."),
    {0}};

const hc_cell_type hc_cell_alibaba_v2023 = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "alibaba_v2023",
         .summary = "the nodes of Alibaba's GPU cluster trace of 2023 (openb_node_list)",
         .detail =
             "All nodes are there all the time. cpus: cpu_milli. memory: memory_mib x memory_scale. The model is "
             "the attribute gpu_model and the name of the class. Rows that cannot be read are left "
             "out, which the result notes.",
         .source = "Alibaba clusterdata, cluster-trace-gpu-v2023; Weng et al., ATC 2023", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
