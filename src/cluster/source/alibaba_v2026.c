/* alibaba_v2026.c -- the nodes of Alibaba's GPU cluster trace of 2026 (spot instances).
 *
 * Columns by title, since their order is not the one that the trace's own page gives: gpu_model,
 * gpu_capacity_num, cpu_num, node_name. Memory is not published. */
#include "base/util.h"
#include "cluster/machine_file.h"

enum { NAME, CPUS, GPUS, MODEL, COLUMNS };

typedef struct options {
  const char *file;
} options;

static hc_rc read_row(hc_machine_file *f, const size_t *column, hc_error *e)
{
  hc_host_class class = {.name = "CPU", .speed = 1};
  hc_attribute model = {0};
  hc_rc rc;
  if (!hc_table_amount(&f->t, column[CPUS], 1000, &class.capacity[HC_DIM_CPU]))
    return hc_machine_reject(f, column[CPUS], "expected a number of cores, got \"%.80s\"",
                             hc_table_text(&f->t, column[CPUS]));
  rc = hc_machine_gpus(f, column[GPUS], column[MODEL], &class, &model, e);
  if (rc == 1) rc = hc_machine_host(f, column[NAME], &class, e);
  return HC_MIN(rc, 0);
}

static hc_rc read_file(hc_machine_file *f, hc_host_builder *b, const options *o, hc_cell_spec *out,
                       hc_error *e)
{
  static const char *const titles[COLUMNS] = {"node_name", "cpu_num", "gpu_capacity_num", "gpu_model"};
  size_t column[COLUMNS];
  hc_rc rc;
  TRY(hc_machine_open(f, b, "alibaba_v2026", o->file, e));
  TRY(hc_machine_titles(f, titles, column, COLUMNS, e));
  while ((rc = hc_machine_next(f, e)) == 1) TRY(read_row(f, column, e));
  if (rc < 0) return rc;
  TRY(hc_machine_end(f, "a node_info table", e));
  return hc_builder_finish(b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  hc_machine_file f;
  hc_host_builder b;
  hc_rc rc;
  hc_builder_init(&b, c, "cell alibaba_v2026");
  rc = read_file(&f, &b, p, out, e);
  hc_builder_fini(&b);
  hc_machine_close(&f);
  return rc;
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
