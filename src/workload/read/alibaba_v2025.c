/* alibaba_v2025.c -- reads disaggregated_DLRM_trace.csv, Alibaba's GPU trace of 2025: instances of inference services.
 *
 * A row is an instance with requests for cores, GPUs, memory, disk, and a share of a network card's bandwidth (rdma,
 * in per cent of one). role says whether it is the CPU part (CN: queue 1) or the GPU part (HN: queue 2) of its service.
 * At most max_instance_per_node instances of one app_name may share a host.
 *
 * Times outside the trace are empty: without a creation it was there at time 0; without a deletion it had not ended
 * at `trace_end`. It runs from when it was scheduled to when it was deleted. Limits are not used.
 * Source: https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2025; Yang et al., NSDI 2025. Cost: about 0.5 us
 * a row; constant memory. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"

enum {
  NAME,
  ROLE,
  APP,
  CPU,
  CPU_LIMIT,
  GPU,
  GPU_LIMIT,
  RDMA,
  RDMA_LIMIT,
  MEMORY,
  MEMORY_LIMIT,
  DISK,
  DISK_LIMIT,
  PER_NODE,
  CREATION,
  SCHEDULED,
  DELETION,
  COLUMNS
};

static const char *const titles[COLUMNS] = {"instance_sn",   "role",
                                            "app_name",      "cpu_request",
                                            "cpu_limit",     "gpu_request",
                                            "gpu_limit",     "rdma_request",
                                            "rdma_limit",    "memory_request",
                                            "memory_limit",  "disk_request",
                                            "disk_limit",    "max_instance_per_node",
                                            "creation_time", "scheduled_time",
                                            "deletion_time"};

static const hc_alibaba_schema schema = {
    .reader = "source alibaba_v2025",
    .kind = "disaggregated_DLRM_trace.csv of Alibaba's GPU trace of 2025",
    .titles = titles,
    .count = COLUMNS,
    .needed = 1u << APP | 1u << CPU | 1u << GPU | 1u << CREATION | 1u << DELETION,
    .number = CPU,
    .submit = CREATION,
    .id = NAME,
    .prefix = "instance_"};

#define GIB ((uint64_t)1 << 30)

typedef enum before { BEFORE_START, BEFORE_REJECT } before;
typedef enum rdma { RDMA_REQUIRE, RDMA_IGNORE } rdma;

typedef struct options {
  hc_alibaba_options common;
  int before, rdma;
  hc_time trace_end;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_alibaba table;
  int rdma; /* its dimension; -1: none */
  hc_task_spec task;
};

/* @return 1, 0 if it was rejected, or an error. */
static hc_rc read_demand(hc_source *s, hc_task_spec *t, hc_error *e)
{
  const struct {
    uint32_t column;
    int dimension;
    hc_alibaba_ratio ratio;
  } demands[] = {{CPU, HC_DIM_CPU, hc_alibaba_cpu(&s->o->common, 1)},
                 {MEMORY, HC_DIM_MEMORY, hc_alibaba_memory(&s->o->common, 1)},
                 {DISK, HC_DIM_DISK, {GIB, 1}},
                 {GPU, HC_DIM_GPU, {HC_DEVICE, 1}},
                 {RDMA, s->rdma, {1, 1}}};
  for (size_t i = 0; i < HC_ARRAY_LEN(demands); i++) {
    hc_rc rc;
    if (demands[i].dimension < 0) continue;
    rc = hc_alibaba_amount(&s->table, demands[i].column, demands[i].ratio, HC_ALIBABA_POSITIVE,
                           &t->need[demands[i].dimension], e);
    if (rc != 1) return rc;
  }
  hc_alibaba_defaults(&s->table, &t->need[HC_DIM_CPU], &t->need[HC_DIM_MEMORY]);
  if (t->need[HC_DIM_CPU] == HC_UNKNOWN && t->need[HC_DIM_MEMORY] == HC_UNKNOWN &&
      t->need[HC_DIM_GPU] == HC_UNKNOWN)
    return hc_alibaba_reject(&s->table, HC_REASON_NO_DEMAND, e);
  return 1;
}

/* @return 1, 0 if it was rejected, or an error. */
static hc_rc read_times(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_alibaba *a = &s->table;
  hc_time created, scheduled, deleted;
  hc_rc rc = hc_alibaba_time(a, CREATION, &created, e);
  if (rc == 1) rc = hc_alibaba_time(a, SCHEDULED, &scheduled, e);
  if (rc == 1) rc = hc_alibaba_time(a, DELETION, &deleted, e);
  if (rc != 1) return rc;
  if (created == HC_UNKNOWN && s->o->before == BEFORE_REJECT)
    return hc_alibaba_reject(a, HC_REASON_ALREADY_RUNNING, e);
  if (created != HC_UNKNOWN && scheduled == HC_UNKNOWN) { /* never, within the trace */
    t->submit = created;
    t->status = HC_STATUS_CANCELLED;
    t->wait = HC_MAX((deleted == HC_UNKNOWN ? s->o->trace_end : deleted) - created, 0);
    return 1;
  }
  if (created == HC_UNKNOWN) {
    created = scheduled == HC_UNKNOWN ? 0 : scheduled;
    scheduled = created;
    t->flags |= HC_SPEC_AT_START;
  }
  if (scheduled < created) return hc_alibaba_wrong(a, SCHEDULED, "before it was created", e);
  if (deleted == HC_UNKNOWN) {
    deleted = HC_MAX(s->o->trace_end, scheduled);
    t->flags |= HC_SPEC_NO_END;
  }
  if (deleted < scheduled) return hc_alibaba_wrong(a, DELETION, "before it was scheduled", e);
  t->submit = created;
  t->wait = scheduled - created;
  t->run = deleted - scheduled;
  return 1;
}

/* The row at hand. @return 1, 0 if it was rejected, or an error. */
static hc_rc read_row(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_alibaba *a = &s->table;
  const hc_field *role = hc_alibaba_get(a, ROLE), *few = hc_alibaba_get(a, PER_NODE);
  hc_task_extras more = hc_task_extras_none();
  int64_t per_node = -1;
  hc_rc rc;
  *t = hc_task_spec_none();
  t->line = a->table.s.line;
  t->id = hc_alibaba_id(a, NAME, schema.prefix);
  t->group = hc_alibaba_id(a, APP, "app_");
  t->hosts = 1;
  if (role) t->queue = hc_field_is(role, "CN") ? 1 : hc_field_is(role, "HN") ? 2 : -1;
  if (few && (!hc_field_whole(few, &per_node) || per_node < -1 || per_node > UINT32_MAX))
    return hc_alibaba_wrong(a, PER_NODE, "no number that it can be", e);
  rc = read_demand(s, t, e);
  if (rc == 1) rc = read_times(s, t, e);
  if (rc != 1 || per_node <= 0 || t->group < 0) return rc;
  more.per_host = (uint32_t)per_node;
  more.rival = t->group;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more == 0 ? HC_ENOMEM : 1;
}

/* ---- the reader ---- */

static void v2025_close(hc_source *s)
{
  if (!s) return;
  hc_alibaba_close(&s->table);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc v2025_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->rdma = o->rdma == RDMA_REQUIRE ? hc_lexicon_dimension(c->lexicon, "rdma", 4) : -1;
  rc = hc_alibaba_open(&s->table, c, &o->common, &schema, 1, e);
  if (rc == 0 && o->rdma == RDMA_REQUIRE && s->rdma < 0)
    rc = hc_fail(e, HC_ELIMIT, schema.reader, 0, 0,
                 "there is no room for a dimension `rdma` beside the %d that are named: set `rdma: ignore`",
                 HC_DIMENSIONS);
  s->table.info.derived =
      "Instances without a creation time were there at time 0; those without a deletion time had "
      "not ended at the end of the trace.";
  if (rc < 0) v2025_close(s);
  else *out = s;
  return rc;
}

static hc_rc v2025_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_alibaba_next(&s->table, e)) == 1) {
    rc = read_row(s, &s->task, e);
    *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return rc;
}

static const hc_trace_info *v2025_info(hc_source *s)
{
  return &s->table.info;
}

static hc_rc v2025_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  return hc_alibaba_visit(&s->table, v, e);
}

static void v2025_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.table.in, done, total);
}

static int v2025_recognise(const char *name, const char *head, size_t size)
{
  hc_field f[HC_ALIBABA_COLUMNS];
  const size_t n = HC_MIN(hc_alibaba_first_line(head, size, f), (size_t)HC_ALIBABA_COLUMNS);
  HC_UNUSED(name);
  return n >= 10 && hc_alibaba_titles(&schema, f, n) == n ? 98 : 0;
}

static hc_rc v2025_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                              void **layout, hc_error *e)
{
  const options *o = given;
  return hc_alibaba_line_begin(a, &o->common, &schema, 1, text, size, layout, e);
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "1", "1GiB", "what 1 of memory_request stands for"),
    HC_PARAM(CHOICE, options, before, "start|reject", "start",
             "Instances that were there before the trace. start: they are submitted at time 0. reject: as "
             "already_running."),
    HC_PARAM(CHOICE, options, rdma, "require|ignore", "require",
             "require: rdma_request is a demand in the dimension `rdma`, of which a host with one network "
             "card has 100. ignore: it is none."),
    HC_PARAM(TIME, options, trace_end, "s", "31d", 0, 1e9,
             "When the trace ends, up to which an instance runs that has no deletion_time. The last time in "
             "the published file is 2,676,679."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_v2025 = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_v2025",
         .summary =
             "disaggregated_DLRM_trace.csv, Alibaba's GPU trace of 2025: instances of inference services",
         .detail =
             "17 columns with titles, in any order. submit is creation_time, wait until scheduled_time, run until "
             "deletion_time; one that was created and never scheduled is a cancelled task. cpu is cpu_request in "
             "cores, memory and disk are in GiB, GPUs whole or in parts. At most max_instance_per_node instances of "
             "an app_name share a host; -1: any number. group is the number in app_17, id that in instance_17, queue "
             "1 for the role CN and 2 for HN.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2025; Yang et al., NSDI 2025",
         .params = params, .options_size = sizeof(options)},
    .open = v2025_open,
    .next = v2025_next,
    .info = v2025_info,
    .visit = v2025_visit,
    .progress = v2025_progress,
    .close = v2025_close,
    .recognise = v2025_recognise,
    .line_key = hc_alibaba_line_key,
    .line_begin = v2025_line_begin,
    .line_end = hc_alibaba_line_end,
};
