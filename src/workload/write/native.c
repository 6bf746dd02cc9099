/* native.c -- writes a workload of DSLab-CS in its native form: a YAML list with an entry for each task.
 *
 *   - id: 7
 *     submit_time: 12.5
 *     resources: {nodes_count: 1, cpu_per_node: 4, memory_per_node: 8192}
 *     profile: {type: idle, args: {time: 300}}
 *     wall_time_limit: 600
 *     priority: 3
 *     collection_id: 2
 *     execution_index: 0
 *
 * Entries are in order of submission, as that program wants them. Amounts there are whole: cores are rounded
 * up, and memory counts in units of `memory_unit`, rounded up. What a task does is to take its time. A task
 * without a run time or a time of submission cannot be said and is left out. A bundle becomes as many
 * entries, without ids, since ids are taken once. Cost: about 150 ns per task. */
#include "workload/writing.h"

typedef struct options {
  int64_t memory_unit;
} options;

struct hc_writer {
  const hc_writer_context *context;
  const options *o;
  hc_out out;
  bool any;
};

static void native_close(hc_writer *w)
{
  if (!w) return;
  hc_out_close(&w->out);
  hc_free(w->context->allocator, w, sizeof *w);
}

static hc_rc native_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  HC_UNUSED(e);
  if (!w) return HC_ENOMEM;
  w->context = c;
  w->o = given;
  rc = hc_out_open(&w->out, c);
  if (rc == 0 && c->note) {
    rc = hc_out_add(&w->out, "# ", 2);
    if (rc == 0) rc = hc_out_add(&w->out, c->note, strlen(c->note));
    if (rc == 0) rc = hc_out_add(&w->out, "\n", 1);
  }
  if (rc < 0) native_close(w);
  else *out = w;
  return rc;
}

static int64_t whole_units(int64_t n, int64_t unit, uint64_t *lost)
{
  if (n < 0) return 0;
  if (n % unit != 0) *lost |= HC_FACT_BIT(PRECISION);
  return n / unit + (n % unit != 0);
}

static char *put_task(char *p, const hc_writer *w, const hc_task_spec *t, int64_t i, uint64_t *lost)
{
  const hc_slots s = hc_slots_of(t);
  if (t->count <= 1) p = hc_put_int(hc_put_text(p, "- id: "), t->id);
  else p = hc_put_int(hc_put_text(hc_put_int(hc_put_text(p, "- name: \""), t->id), ":"), i);
  p = hc_put_text(p, t->count > 1 ? "\"\n  submit_time: " : "\n  submit_time: ");
  p = hc_put_parts(p, t->submit, HC_SECOND);
  p = hc_put_int(hc_put_text(p, "\n  resources: {nodes_count: "), s.hosts);
  p = hc_put_int(hc_put_text(p, ", cpu_per_node: "), whole_units(s.need[HC_DIM_CPU], 1000, lost));
  p = hc_put_int(hc_put_text(p, ", memory_per_node: "),
                 whole_units(s.need[HC_DIM_MEMORY], w->o->memory_unit, lost));
  p = hc_put_parts(hc_put_text(p, "}\n  profile: {type: idle, args: {time: "), t->run, HC_SECOND);
  p = hc_put_text(p, "}}\n");
  if (t->limit >= 0 && t->limit != HC_NEVER)
    p = hc_put_char(hc_put_parts(hc_put_text(p, "  wall_time_limit: "), t->limit, HC_SECOND), '\n');
  if (t->priority != 0) p = hc_put_char(hc_put_int(hc_put_text(p, "  priority: "), t->priority), '\n');
  if (t->job >= 0) {
    p = hc_put_int(hc_put_text(p, "  collection_id: "), t->job);
    p = hc_put_char(hc_put_int(hc_put_text(p, "\n  execution_index: "), t->id), '\n');
  }
  *lost &= ~hc_slots_say(t, &s);
  return p;
}

static hc_rc native_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const int64_t rows = t->count > 1 ? t->count : 1;
  if (t->submit == HC_UNKNOWN || t->run < 0 || t->run == HC_NEVER) return 1;
  TRY(hc_rows_allowed(t, rows, "native", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->out, &row));
    hc_out_end(&w->out, put_task(row, w, t, i, lost));
  }
  w->any = true;
  return 0;
}

static hc_rc native_finish(hc_writer *w, hc_error *e)
{
  HC_UNUSED(e);
  if (!w->any) TRY(hc_out_add(&w->out, "[]\n", 3));
  return hc_out_flush(&w->out);
}

static const hc_param params[] = {
    {.name = "memory_unit",
     .type = HC_SIZE,
     .offset = offsetof(options, memory_unit),
     .unit = "B",
     .fallback = "1",
     .min = 1,
     .max = 1e18,
     .help = "what one unit of memory_per_node stands for"},
    {.name = NULL},
};

const hc_writer_type hc_writer_native = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "native",
         .summary = "the native YAML workload of DSLab-CS: a list with an entry for each task",
         .detail =
             "submit_time, resources (nodes_count, cpu_per_node, memory_per_node: whole numbers, rounded "
             "up), a profile that idles for the run time, wall_time_limit, priority, collection_id (the "
             "job) and execution_index. Tasks without submission or run time are left out. A bundle becomes "
             "as many entries.",
         .source = "DSLab-CS", .params = params, .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(LIMIT) |
             HC_FACT_BIT(PRIORITY) | HC_FACT_BIT(JOB) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) |
             HC_FACT_BIT(MEMORY) | HC_FACT_BIT(BUNDLE),
    .ending = ".yaml",
    .open = native_open,
    .task = native_task,
    .finish = native_finish,
    .close = native_close,
};
