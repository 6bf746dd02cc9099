/* alibaba_v2017.c -- the machines of Alibaba's cluster trace of 2017, and when they were lost.
 *
 * Rows of server_event.csv: time (s), machine, event (add, softerror, harderror), detail, cores, memory
 * and disk as shares of the largest machine. An error row says nothing of the machine's return; with
 * `repair` it is back that long after the last of errors that overlap. */
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "cluster/machine_file.h"

enum { TIME = 1, MACHINE, EVENT, DETAIL, CPUS, MEMORY };
enum { ALL, HARD, NONE };

typedef struct options {
  const char *file;
  int64_t memory_scale;
  int errors;
  hc_time repair;
} options;

typedef struct outage {
  uint32_t host;
  hc_time at;
} outage;

typedef struct reading {
  const options *o;
  hc_machine_file f;
  hc_host_builder b;
  outage *outages;
  size_t count, cap;
} reading;

static hc_rc add_machine(reading *r, uint32_t host, hc_time at, hc_error *e)
{
  hc_host_fact fact = hc_host_fact_none(at, host, HC_FACT_ADD);
  const hc_table *t = &r->f.t;
  if (!hc_table_amount(t, CPUS, 1000, &fact.capacity[HC_DIM_CPU]))
    return hc_machine_reject(&r->f, CPUS, "expected a number of cores, got \"%.80s\"",
                             hc_table_text(t, CPUS));
  if (!hc_table_amount(t, MEMORY, (double)r->o->memory_scale, &fact.capacity[HC_DIM_MEMORY]))
    return hc_machine_reject(&r->f, MEMORY, "expected a share of memory, got \"%.80s\"",
                             hc_table_text(t, MEMORY));
  return hc_builder_fact(&r->b, &fact, e);
}

static hc_rc add_outage(reading *r, uint32_t host, hc_time at, hc_error *e)
{
  const hc_host_fact fact = hc_host_fact_none(at, host, HC_FACT_REMOVE);
  TRY(hc_builder_fact(&r->b, &fact, e));
  if (hc_reserve(r->b.c->allocator, (void **)&r->outages, &r->cap, r->count + 1, sizeof *r->outages) < 0)
    return hc_fail(e, HC_ENOMEM, r->b.where, 0, 0, "out of memory");
  r->outages[r->count++] = (outage){host, at};
  return 0;
}

static hc_rc read_row(reading *r, hc_error *e)
{
  const hc_table *t = &r->f.t;
  const char *event = hc_table_text(t, EVENT);
  const bool is_soft = strcmp(event, "softerror") == 0, is_hard = strcmp(event, "harderror") == 0;
  hc_time at;
  uint32_t host;
  hc_rc rc;
  if (!hc_machine_time(&r->f, TIME, HC_SECOND, &at))
    return hc_machine_reject(&r->f, TIME, "expected a time in seconds, got \"%.80s\"",
                             hc_table_text(t, TIME));
  if (hc_table_size(t, MACHINE) == 0) return hc_machine_reject(&r->f, MACHINE, "no machine is named");
  if (!is_soft && !is_hard && strcmp(event, "add") != 0)
    return hc_machine_reject(&r->f, EVENT, "expected add, softerror or harderror, got \"%.80s\"", event);
  if (at == HC_NEVER) return 0;
  rc = hc_builder_host(&r->b, hc_table_text(t, MACHINE), hc_table_size(t, MACHINE), HC_NO_NAME, &host, e);
  if (rc < 0) return rc;
  if (!is_soft && !is_hard) return add_machine(r, host, at, e);
  if (r->o->errors == NONE || (r->o->errors == HARD && is_soft)) return 0;
  return add_outage(r, host, at, e);
}

HC_SORT(sort_outages, outage, a->host != b->host ? a->host < b->host : a->at < b->at)

/* When the machines are back. */
static hc_rc add_returns(reading *r, hc_error *e)
{
  if (r->o->repair == HC_NEVER || r->count == 0) return 0;
  sort_outages(r->outages, r->count);
  for (size_t i = 0; i < r->count; i++) {
    const outage *o = &r->outages[i], *next = i + 1 < r->count ? o + 1 : NULL;
    const hc_host_fact fact = hc_host_fact_none(hc_time_add(o->at, r->o->repair), o->host, HC_FACT_ADD);
    if (fact.at == HC_NEVER || (next && next->host == o->host && next->at <= fact.at)) continue;
    TRY(hc_builder_fact(&r->b, &fact, e));
  }
  return 0;
}

static hc_rc read_file(reading *r, hc_cell_spec *out, hc_error *e)
{
  hc_rc rc;
  TRY(hc_machine_open(&r->f, &r->b, "alibaba_v2017", r->o->file, e));
  while ((rc = hc_machine_next(&r->f, e)) == 1)
    if (!hc_machine_is_titles(&r->f, TIME)) TRY(read_row(r, e));
  if (rc < 0) return rc;
  TRY(hc_machine_end(&r->f, "a server_event table", e));
  TRY(add_returns(r, e));
  return hc_builder_finish(&r->b, out, e);
}

static hc_rc describe(const hc_cell_context *c, const void *p, hc_cell_spec *out, hc_error *e)
{
  reading r = {.o = p};
  hc_rc rc;
  hc_builder_init(&r.b, c, "cell alibaba_v2017");
  rc = read_file(&r, out, e);
  hc_builder_fini(&r.b);
  hc_free(c->allocator, r.outages, r.cap * sizeof *r.outages);
  hc_machine_close(&r.f);
  return rc;
}

static const hc_param params[] = {
    HC_MACHINE_FILE_PARAM(options, "server_event.csv"),
    HC_MEMORY_SCALE_PARAM(
        options, "512GiB",
        "Memory of the largest machine, which the trace calls 1 (its tasks' plan_mem, too)."),
    HC_PARAM(CHOICE, options, errors, "all|hard|none", "all",
             "Which errors take a machine away: all of them, hard ones only, or none."),
    HC_PARAM(TIME, options, repair, "s", "never", 1e-9, 1e10,
             "Time from an error to the return of the machine, which the trace does not say. never: the "
             "machine stays away unless a later row adds it again."),
    {0}};

const hc_cell_type hc_cell_alibaba_v2017 = {
    .component =
        {HC_COMPONENT_HEAD(hc_cell_type, HC_KIND_CELL), .name = "alibaba_v2017",
         .summary = "the machines of Alibaba's cluster trace of 2017 (server_event.csv)",
         .detail =
             "A machine is absent until it is added; a soft or hard error takes it down. cpus: cores x 1000. "
             "memory: share x memory_scale, rounded up. The share of disk is not used. Rows that cannot "
             "be read are left out, which the result notes.",
         .source = "Alibaba clusterdata, cluster-trace-v2017, trace_201708.md", .params = params,
         .options_size = sizeof(options)},
    .describe = describe,
};
