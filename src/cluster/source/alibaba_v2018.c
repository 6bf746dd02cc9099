/* alibaba_v2018.c -- the machines of Alibaba's cluster trace of 2018.
 *
 * Rows of machine_meta.csv, without titles: machine, time (s), failure domain 1 and 2, cores, memory
 * (100 is the largest), status. A machine has several rows, in any order; one that says nothing new is
 * nothing. Status USING means that it works; with any other (IMPORT, IMPORT_INSTALLING) it does not, or
 * not yet. */
#include <string.h>

#include "base/util.h"
#include "cluster/machine_file.h"

enum { MACHINE = 1, TIME, DOMAIN_1, DOMAIN_2, CPUS, MEMORY, STATUS };

typedef struct options {
  const char *file;
  int64_t memory_scale;
} options;

typedef struct reading {
  const options *o;
  hc_machine_file f;
  hc_host_builder b;
  uint32_t levels[2];
} reading;

static hc_rc put_in_domains(reading *r, uint32_t host, hc_error *e)
{
  for (size_t i = 0; i < 2; i++) {
    const size_t column = DOMAIN_1 + i, n = hc_table_size(&r->f.t, column);
    if (n > 0) TRY(hc_builder_zone(&r->b, r->levels[i], host, hc_table_text(&r->f.t, column), n, e));
  }
  return 0;
}

static hc_rc read_row(reading *r, hc_error *e)
{
  const hc_table *t = &r->f.t;
  const bool works = strcmp(hc_table_text(t, STATUS), "USING") == 0;
  hc_host_fact fact = hc_host_fact_none(0, 0, works ? HC_FACT_ADD : HC_FACT_REMOVE);
  hc_rc rc;
  if (hc_table_size(t, MACHINE) == 0) return hc_machine_reject(&r->f, MACHINE, "no machine is named");
  if (!hc_machine_time(&r->f, TIME, HC_SECOND, &fact.at))
    return hc_machine_reject(&r->f, TIME, "expected a time in seconds, got \"%.80s\"",
                             hc_table_text(t, TIME));
  if (!hc_table_amount(t, CPUS, 1000, &fact.capacity[HC_DIM_CPU]))
    return hc_machine_reject(&r->f, CPUS, "expected a number of cores, got \"%.80s\"",
                             hc_table_text(t, CPUS));
  if (!hc_table_amount(t, MEMORY, (double)r->o->memory_scale / 100, &fact.capacity[HC_DIM_MEMORY]))
    return hc_machine_reject(&r->f, MEMORY, "expected a share of memory, got \"%.80s\"",
                             hc_table_text(t, MEMORY));
  if (hc_table_size(t, STATUS) == 0) return hc_machine_reject(&r->f, STATUS, "no status");
  if (fact.at == HC_NEVER) return 0;
  rc =
      hc_builder_host(&r->b, hc_table_text(t, MACHINE), hc_table_size(t, MACHINE), HC_NO_NAME, &fact.host, e);
  if (rc < 0) return rc;
  if (rc == 1) { /* nobody has it before its first row */
    const hc_host_fact away = hc_host_fact_none(-HC_NEVER, fact.host, HC_FACT_REMOVE);
    TRY(hc_builder_fact(&r->b, &away, e));
  }
  TRY(put_in_domains(r, fact.host, e));
  return hc_builder_fact(&r->b, &fact, e);
}

static hc_rc read_file(reading *r, hc_cell_spec *out, hc_error *e)
{
  static const char *const levels[] = {"failure_domain_1", "failure_domain_2"};
  hc_rc rc;
  TRY(hc_machine_open(&r->f, &r->b, "alibaba_v2018", r->o->file, e));
  for (size_t i = 0; i < 2; i++) {
    rc = hc_builder_level_of(&r->b, levels[i], strlen(levels[i]), &r->levels[i], e);
    if (rc < 0) return rc;
  }
  while ((rc = hc_machine_next(&r->f, e)) == 1)
    if (!hc_machine_is_titles(&r->f, TIME)) TRY(read_row(r, e));
  if (rc < 0) return rc;
  TRY(hc_machine_end(&r->f, "a machine_meta table", e));
  return hc_builder_finish(&r->b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  reading r = {.o = p};
  hc_rc rc;
  hc_builder_init(&r.b, c, "cell alibaba_v2018");
  rc = read_file(&r, out, e);
  hc_builder_fini(&r.b);
  hc_machine_close(&r.f);
  return rc;
}

static const hc_param params[] = {
    HC_MACHINE_FILE_PARAM(options, "machine_meta.csv"),
    HC_MEMORY_SCALE_PARAM(
        options, "512GiB",
        "Memory of the largest machine, which the trace calls 100 (its tasks' plan_mem, too)."),
    {0}};

const hc_cell_type hc_cell_alibaba_v2018 = {
    .component = {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "alibaba_v2018",
                  .summary = "the machines of Alibaba's cluster trace of 2018 (machine_meta.csv)",
                  .detail =
                      "A machine is absent until its first row with status USING, and down while a row says "
                      "otherwise. cpus: cores x 1000. memory: mem_size / 100 x memory_scale, rounded up. The "
                      "levels failure_domain_1 and failure_domain_2 are those of a machine's first row that "
                      "names one. Rows that cannot be read are left out, which the result notes.",
                  .source = "Alibaba clusterdata, cluster-trace-v2018, trace_2018.md and schema.txt",
                  .params = params, .options_size = sizeof(options)},
    .describe = describe,
};
