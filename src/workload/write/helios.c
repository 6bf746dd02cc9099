/* helios.c -- writes cluster_log.csv as the Helios data set has it: a header and a row for each job.
 *
 *   job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
 *
 * GPUs and cores are those of all hosts together, rounded up to whole ones; vc is the queue, or the group of
 * a task that has none. Dates are UTC, whole seconds, counted from 1970 if the trace does not say when it
 * began. A bundle becomes as many rows. Source: Hu et al., SC 2021, doi:10.1145/3458817.3476223. Cost: about
 * 150 ns per row. */
#include "workload/writing.h"

struct hc_writer {
  hc_rows rows;
  int64_t origin; /* Unix seconds */
};

static hc_rc helios_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  TRY(hc_rows_open(
      c, sizeof **out,
      "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n", out));
  (*out)->origin = c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : 0;
  return 0;
}

/* Amounts of all hosts together; a chunk's hosts are hosts like the others. */
typedef struct totals {
  int64_t hosts, cpu, gpu;
} totals;

static int64_t plus_product(int64_t sum, int64_t a, int64_t b)
{
  int64_t product;
  if (a < 0) return sum;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum)) return INT64_MAX;
  return sum;
}

/* Chunks of which each host has one GPU less than the others come back when GPUs are dealt out evenly. */
static bool is_even(const hc_task_spec *t, const hc_task_extras *m)
{
  hc_chunk c;
  if (m->chunk_count != 1) return false;
  c = m->chunks[0];
  if (c.need[HC_DIM_GPU] + HC_DEVICE != t->need[HC_DIM_GPU]) return false;
  c.need[HC_DIM_GPU] = t->need[HC_DIM_GPU];
  return memcmp(c.need, t->need, sizeof c.need) == 0;
}

static totals add_up(const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_slots s = hc_slots_of(t);
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  totals sum = {s.hosts, plus_product(0, s.need[HC_DIM_CPU], s.hosts),
                plus_product(0, s.need[HC_DIM_GPU], s.hosts)};
  for (size_t i = 0; m && i < m->chunk_count; i++) {
    const hc_chunk *c = &m->chunks[i];
    sum.hosts = plus_product(sum.hosts, c->hosts, 1);
    sum.cpu = plus_product(sum.cpu, c->need[HC_DIM_CPU], c->hosts);
    sum.gpu = plus_product(sum.gpu, c->need[HC_DIM_GPU], c->hosts);
  }
  if (m && m->chunk_count > 0 && is_even(t, m)) *lost &= ~HC_FACT_BIT(CHUNKS);
  if (sum.cpu % 1000 != 0 || sum.gpu % HC_DEVICE != 0) *lost |= HC_FACT_BIT(PRECISION);
  *lost &= ~(hc_slots_say(t, &s) & ~HC_FACT_BIT(MEMORY_ASKED));
  return sum;
}

static char *put_moment(char *p, const hc_writer *w, hc_time t, uint64_t *lost)
{
  int64_t seconds;
  if (t == HC_UNKNOWN || t == HC_NEVER) return p;
  seconds = hc_whole(t, HC_SECOND, lost);
  if (__builtin_add_overflow(seconds, w->origin, &seconds)) return p;
  return hc_put_date(p, seconds, ' ');
}

static char *put_length(char *p, hc_time t, uint64_t *lost)
{
  return t < 0 || t == HC_NEVER ? p : hc_put_int(p, hc_whole(t, HC_SECOND, lost));
}

static char *put_id(char *p, int64_t n)
{
  return n < 0 ? p : hc_put_uint(p, (uint64_t)n);
}

static const char *state_of(const hc_task_spec *t)
{
  if (t->flags & HC_SPEC_NO_END) return "RUNNING";
  switch (t->status) {
    case HC_STATUS_COMPLETED: return "COMPLETED";
    case HC_STATUS_FAILED: return "FAILED";
    case HC_STATUS_CANCELLED: return "CANCELLED";
    default: return "";
  }
}

static char *put_task(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const totals sum = add_up(w, t, lost);
  const hc_time start = t->wait == HC_UNKNOWN && t->run == HC_UNKNOWN ? HC_UNKNOWN : hc_start_of(t);
  p = hc_put_char(put_id(p, t->id), ',');
  p = hc_put_char(put_id(p, t->user), ',');
  p = hc_put_char(put_id(p, t->queue >= 0 ? t->queue : t->group), ',');
  p = hc_put_char(hc_put_int(p, sum.gpu / HC_DEVICE + (sum.gpu % HC_DEVICE != 0)), ',');
  p = hc_put_char(hc_put_int(p, sum.cpu / 1000 + (sum.cpu % 1000 != 0)), ',');
  p = hc_put_char(hc_put_int(p, sum.hosts), ',');
  p = hc_put_char(hc_put_text(p, state_of(t)), ',');
  p = hc_put_char(put_moment(p, w, t->submit, lost), ',');
  p = hc_put_char(put_moment(p, w, start, lost), ',');
  p = hc_put_char(put_moment(p, w, hc_end_of(t), lost), ',');
  p = hc_put_char(put_length(p, t->run, lost), ',');
  return hc_put_char(put_length(p, t->wait, lost), '\n');
}

static hc_rc helios_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const int64_t rows = t->count > 1 ? t->count : 1;
  TRY(hc_rows_allowed(t, rows, "helios", e));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, put_task(row, w, t, lost));
  }
  if (t->group >= 0) *lost |= HC_FACT_BIT(GROUP);           /* it is read as a queue, if it stands anywhere */
  if (t->flags & HC_SPEC_NO_END) *lost |= HC_FACT_BIT(RUN); /* a job that runs is no task to its reader */
  if (t->status != HC_STATUS_UNKNOWN && !state_of(t)[0]) *lost |= HC_FACT_BIT(STATUS);
  return 0;
}

const hc_writer_type hc_writer_helios = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "helios",
         .summary = "cluster_log.csv as the Helios data set has it: GPUs, cores and hosts of each job",
         .detail =
             "A header and a row for each job: gpu_num and cpu_num of all its hosts together, rounded up to "
             "whole ones, node_num, state, and dates in UTC; vc is the queue, or the group where there is "
             "none. A trace that does not say when it began begins in 1970. A bundle becomes as many rows.",
         .source = "doi:10.1145/3458817.3476223"},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP) | HC_FACT_BIT(QUEUE) | HC_FACT_BIT(STATUS) |
             HC_FACT_BIT(HOSTS) | HC_FACT_BIT(CPU) | HC_FACT_BIT(GPU) | HC_FACT_BIT(BUNDLE) |
             HC_FACT_BIT(NO_END),
    .ending = ".csv",
    .open = helios_open,
    .task = helios_task,
    .finish = hc_rows_finish,
    .close = hc_rows_close,
};
