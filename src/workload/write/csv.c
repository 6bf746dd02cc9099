/* csv.c -- writes a table with a title line and a row for each task, whose columns are called as the reader
 * `csv` calls its own.
 *
 *   id, submit, wait, run, limit, procs, procs_used, memory_asked, memory_used, user, group, executable,
 *   queue, partition, status, priority, job, count, hosts, cpu, memory, disk, gpu, other dimensions,
 *   not_before, after, constraints
 *
 * Times are seconds since the origin and memory is bytes, exactly; cpu and gpu are cores and GPUs of each
 * host. What is not known is empty. `after` names tasks of the same job by their numbers, or jobs where a
 * task is of none, that must have ended; `constraints` are as "gpu_model=V100|gpu_model=A100 & ssd &
 * memory_gb>=64". A bundle stays one row.
 *
 * Source: RFC 4180. Cost: about 100 ns per row. */
#include "workload/constraint_text.h"
#include "workload/writing.h"

/* A row must fit HC_OUT_ROOM. What has more loses the rest, and says so. */
#define AFTER_MOST 256
#define CONSTRAINTS_MOST 24

typedef enum columns { COLUMNS_AUTO, COLUMNS_ALL, COLUMNS_BATCH } columns;

typedef struct options {
  int after_how; /* index of `hows` */
  int columns;
} options;

/* What only the columns of data centres say. */
#define DATA_CENTRE \
  (HC_FACT_BIT(JOB) | HC_FACT_BIT(NOT_BEFORE) | HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | \
   HC_FACT_BIT(MEMORY) | HC_FACT_BIT(DISK) | HC_FACT_BIT(GPU) | HC_FACT_BIT(OTHER) | HC_FACT_BIT(BUNDLE))

static const hc_after_how hows[] = {HC_AFTER_ENDED, HC_AFTER_COMPLETED, HC_AFTER_FAILED, HC_AFTER_STARTED};

struct hc_writer {
  const hc_writer_context *context;
  const options *o;
  hc_out out;
  uint32_t dimensions[HC_DIMENSIONS]; /* [dimension_count] those with names of their own */
  size_t dimension_count;
  uint64_t holds_other;   /* a bit for each of them */
  bool has_titles, batch; /* the title line is written; only columns of batch logs */
};

static void csv_close(hc_writer *w)
{
  if (!w) return;
  hc_out_close(&w->out);
  hc_free(w->context->allocator, w, sizeof *w);
}

static void add_dimensions(hc_writer *w, hc_buffer *b)
{
  for (uint32_t d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) {
    const char *name = hc_lexicon_dimension_name(w->context->lexicon, d);
    if (!name) continue;
    w->dimensions[w->dimension_count++] = d;
    w->holds_other |= UINT64_C(1) << d;
    hc_buffer_text(b, ",");
    hc_csv_field(b, name, strlen(name));
  }
}

/* Which columns there are is known when the first task is. */
static hc_rc write_titles(hc_writer *w, const hc_task_spec *first)
{
  static const char front[] = "id,submit,wait,run,limit,procs,procs_used,memory_asked,memory_used,user,group,"
                              "executable,queue,partition,status,priority";
  hc_buffer b;
  hc_rc rc;
  w->has_titles = true;
  w->batch = w->o->columns == COLUMNS_BATCH;
  if (w->o->columns == COLUMNS_AUTO && first)
    w->batch = (hc_task_facts(first, w->context->lexicon) & DATA_CENTRE) == 0 && first->more == 0 &&
               first->hosts < 0;
  hc_buffer_init(&b, w->context->allocator);
  hc_buffer_text(&b, front);
  if (!w->batch) {
    hc_buffer_text(&b, ",job,count,hosts,cpu,memory,disk,gpu");
    add_dimensions(w, &b);
    hc_buffer_text(&b, ",not_before,after,constraints");
  }
  hc_buffer_text(&b, "\n");
  rc = b.failed ? HC_ENOMEM : hc_out_add(&w->out, b.data, b.size);
  hc_buffer_fini(&b);
  return rc;
}

static hc_rc csv_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  HC_UNUSED(e);
  if (!w) return HC_ENOMEM;
  w->context = c;
  w->o = given;
  rc = hc_out_open(&w->out, c);
  if (rc < 0) csv_close(w);
  else *out = w;
  return rc;
}

/* ---- fields, each with the comma before it ---- */

static inline char *put_time(char *p, hc_time t)
{
  *p++ = ',';
  if (t == HC_UNKNOWN || t == HC_NEVER) return p;
  return t >= 0 && t % HC_SECOND == 0 ? hc_put_uint(p, (uint64_t)(t / HC_SECOND))
                                      : hc_put_parts(p, t, HC_SECOND);
}

static inline char *put_amount(char *p, int64_t n)
{
  *p++ = ',';
  return n < 0 ? p : hc_put_uint(p, (uint64_t)n);
}

static inline char *put_thousandths(char *p, int64_t n)
{
  *p++ = ',';
  return n < 0 ? p : hc_put_parts(p, n, 1000);
}

static const char *status_of(const hc_task_spec *t, uint64_t *lost)
{
  switch (t->status) {
    case HC_STATUS_UNKNOWN: return ",";
    case HC_STATUS_COMPLETED: return ",COMPLETED";
    case HC_STATUS_FAILED: return ",FAILED";
    case HC_STATUS_CANCELLED: return ",CANCELLED";
    default: *lost |= HC_FACT_BIT(STATUS); return ",";
  }
}

/* Predecessors, with blanks between them; those of another kind than the column's are lost. */
static char *put_after(char *p, const hc_writer *w, const hc_task_spec *t, const hc_task_extras *m,
                       uint64_t *lost)
{
  const uint32_t how = hows[w->o->after_how];
  size_t said = 0;
  for (size_t i = 0; i < m->after_count && said < AFTER_MOST; i++) {
    const hc_after *a = &m->after[i];
    const bool within = t->job >= 0;
    if (a->how != how || (within ? a->job != t->job || a->task < 0 : a->task != HC_UNKNOWN || a->job < 0))
      continue;
    if (said++ > 0) *p++ = ' ';
    p = hc_put_int(p, within ? a->task : a->job);
  }
  if (said == m->after_count) *lost &= ~HC_FACT_BIT(AFTER);
  return p;
}

/* All of them or none: half of a demand is another demand. Features come first of their alternatives: behind a
 * value they would be read as another value. */
static char *put_constraints(char *p, const hc_writer *w, const hc_task_extras *m, uint64_t *lost)
{
  char *const begin = p;
  size_t said = 0;
  if (m->constraint_count > CONSTRAINTS_MOST) return p;
  for (size_t i = 0; i < m->constraint_count; i++) {
    const uint32_t group = m->constraints[i].group;
    if (i > 0 && m->constraints[i - 1].group == group) continue;
    if (i > 0) p = hc_put_text(p, " & ");
    for (int features = 1; features >= 0 && p; features--)
      for (size_t j = i; j < m->constraint_count && m->constraints[j].group == group && p; j++)
        if ((m->constraints[j].compare == HC_PRESENT) == features) {
          if (said++ > i) p = hc_put_char(p, '|');
          p = hc_constraint_put(p, w->context->lexicon, &m->constraints[j]);
        }
    if (!p) return begin;
  }
  *lost &= ~HC_FACT_BIT(CONSTRAINTS);
  return p;
}

static char *put_batch(char *p, const hc_task_spec *t, uint64_t *lost)
{
  if (t->id >= 0) p = hc_put_uint(p, (uint64_t)t->id);
  p = put_time(put_time(put_time(put_time(p, t->submit), t->wait), t->run), t->limit);
  p = put_amount(put_amount(p, t->procs_asked), t->procs_used);
  p = put_amount(put_amount(p, t->memory_asked), t->memory_used);
  p = put_amount(put_amount(put_amount(p, t->user), t->group), t->executable);
  p = put_amount(put_amount(p, t->queue), t->partition);
  p = hc_put_text(p, status_of(t, lost));
  return hc_put_int(hc_put_char(p, ','), t->priority);
}

static char *put_data_centre(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_task_extras *m = t->more ? hc_lexicon_more(w->context->lexicon, t->more) : NULL;
  p = put_amount(p, t->job);
  p = put_amount(p, t->count > 1 ? (int64_t)t->count : -1);
  p = put_amount(p, t->hosts);
  p = put_thousandths(p, t->need[HC_DIM_CPU]);
  p = put_amount(put_amount(p, t->need[HC_DIM_MEMORY]), t->need[HC_DIM_DISK]);
  p = put_thousandths(p, t->need[HC_DIM_GPU]);
  for (size_t i = 0; i < w->dimension_count; i++) p = put_amount(p, t->need[w->dimensions[i]]);
  p = hc_put_char(put_time(p, t->not_before), ',');
  if (m) p = put_after(p, w, t, m, lost);
  p = hc_put_char(p, ',');
  if (m) p = put_constraints(p, w, m, lost);
  for (uint32_t d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++)
    if (t->need[d] != HC_UNKNOWN && !(w->holds_other >> d & 1)) *lost |= HC_FACT_BIT(OTHER);
  return p;
}

static hc_rc csv_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  char *p;
  HC_UNUSED(e);
  if (!w->has_titles) TRY(write_titles(w, t));
  TRY(hc_out_row(&w->out, &p));
  p = put_batch(p, t, lost);
  if (w->batch) *lost |= hc_task_facts(t, w->context->lexicon) & DATA_CENTRE;
  else p = put_data_centre(p, w, t, lost);
  hc_out_end(&w->out, hc_put_char(p, '\n'));
  return 0;
}

static hc_rc csv_finish(hc_writer *w, hc_error *e)
{
  HC_UNUSED(e);
  if (!w->has_titles) TRY(write_titles(w, NULL));
  return hc_out_flush(&w->out);
}

static const hc_param params[] = {
    HC_PARAM(CHOICE, options, after_how, "ended|completed|failed|started", "ended",
             "Which predecessors the column `after` names, since a table has one kind of them: the reader's "
             "after_how must say the same. Others are lost."),
    HC_PARAM(CHOICE, options, columns, "auto|all|batch", "auto",
             "batch: the columns up to `priority`. auto: these, if the first task says nothing that needs "
             "the others; what a later one says of them is lost, and counted."),
    {.name = NULL},
};

const hc_writer_type hc_writer_csv = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "csv",
         .summary = "a table with titles, whose columns are called as the reader csv calls its own",
         .detail =
             "Seconds since the origin, bytes, cores and GPUs, all exact; empty where nothing is known. "
             "Dimensions with names of their own get columns of these names (the reader's `other`), if they "
             "are known when the first task is. A bundle stays one row.",
         .source = "RFC 4180", .params = params, .options_size = sizeof(options)},
    .holds = (HC_HOLDS_BATCH & ~HC_FACT_BIT(CPU_TIME)) | HC_FACT_BIT(PRIORITY) | DATA_CENTRE,
    .ending = ".csv",
    .open = csv_open,
    .task = csv_task,
    .finish = csv_finish,
    .close = csv_close,
};
