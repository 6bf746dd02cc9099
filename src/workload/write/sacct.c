/* sacct.c -- writes Slurm accounting records, as sacct --parsable2 prints them.
 *
 *   JobID|User|Account|Partition|QOS|JobName|Submit|Eligible|Start|End|Elapsed|Timelimit|State|NNodes|NCPUS|ReqCPUS|
 *   ReqMem|ReqTRES
 *
 * Dates are UTC, counted from 2000 if the trace does not say when it began. A task of no job keeps its
 * number, the first that bears it; others are elements of an array, <job or number>_<rank>, since several rows of one name
 * would be the runs of one job. Memory is that of all processors, in KiB, rounded up. GPUs are those of all hosts, rounded up. Users,
 * accounts and so on are their numbers. Source: https://slurm.schedmd.com/sacct.html. Cost: about 250 ns a row. */
#include "workload/writing.h"

#define MOST_SEEN ((size_t)1 << 24)
#define NO_ORIGIN 946684800 /* 2000-01-01: Slurm prints 1970 for what it does not know */

struct hc_writer {
  hc_rows rows;
  hc_map seen;          /* numbers that stand alone so far, MOST_SEEN at most */
  int64_t origin, rank; /* Unix seconds; of the row */
};

static void sacct_close(hc_writer *w)
{
  if (w) hc_map_fini(&w->seen);
  hc_rows_close(w);
}

static hc_rc sacct_open(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  TRY(hc_rows_open(
      c, sizeof **out,
      "JobID|User|Account|Partition|QOS|JobName|Submit|Eligible|Start|End|Elapsed|Timelimit|State|NNodes|NCPUS|ReqCPUS|"
      "ReqMem|ReqTRES\n",
      out));
  hc_map_init(&(*out)->seen, c->allocator);
  (*out)->origin = c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : NO_ORIGIN;
  return 0;
}

/* ---- fields ---- */

static char *put_name(char *p, int64_t n)
{
  return hc_put_char(n < 0 ? p : hc_put_uint(p, (uint64_t)n), '|');
}

static char *put_moment(char *p, const hc_writer *w, hc_time t, const char *none, uint64_t *lost)
{
  int64_t seconds;
  if (t == HC_UNKNOWN || t == HC_NEVER ||
      __builtin_add_overflow(hc_whole(t, HC_SECOND, lost), w->origin, &seconds))
    return hc_put_text(p, none);
  return hc_put_date(p, seconds, 'T');
}

/* [D-]HH:MM:SS */
static char *put_length(char *p, hc_time t, uint64_t *lost)
{
  const int64_t s = hc_whole(t, HC_SECOND, lost), day = s / 86400;
  if (day > 0) p = hc_put_char(hc_put_int(p, day), '-');
  memcpy(p, hc_digit_pairs + 2 * (s % 86400 / 3600), 2);
  p[2] = ':';
  memcpy(p + 3, hc_digit_pairs + 2 * (s % 3600 / 60), 2);
  p[5] = ':';
  memcpy(p + 6, hc_digit_pairs + 2 * (s % 60), 2);
  return p + 8;
}

static const char *state_of(const hc_task_spec *t, uint64_t *lost)
{
  if (t->flags & HC_SPEC_NO_END)
    *lost |= HC_FACT_BIT(NO_END); /* a running job has no end, and its run would be lost */
  switch (t->status) {
    case HC_STATUS_COMPLETED: return "COMPLETED";
    case HC_STATUS_FAILED: return "FAILED";
    case HC_STATUS_CANCELLED: return "CANCELLED";
    case HC_STATUS_UNKNOWN: return t->run == HC_UNKNOWN ? "PENDING" : "UNKNOWN";
    default: *lost |= HC_FACT_BIT(STATUS); return "UNKNOWN";
  }
}

/* Whether the number may stand alone: of a task of no job, for the first time. @return 1, 0, or HC_ENOMEM. */
static hc_rc is_alone(hc_writer *w, const hc_task_spec *t)
{
  if (t->job >= 0 || t->count > 1 || t->id < 0 || t->id > UINT32_MAX || w->seen.count >= MOST_SEEN) return 0;
  if (hc_map_get(&w->seen, (uint64_t)t->id) != HC_MAP_NONE) return 0;
  TRY(hc_map_set(&w->seen, (uint64_t)t->id, 0));
  return 1;
}

static char *put_job_id(char *p, const hc_writer *w, const hc_task_spec *t, bool alone, uint64_t *lost)
{
  int64_t number = t->job >= 0 ? t->job : t->id;
  if (number < 0 || number > UINT32_MAX) { /* no number of Slurm's */
    if (number > 0) *lost |= t->job >= 0 ? HC_FACT_BIT(JOB) : HC_FACT_BIT(ID);
    number = 0;
  }
  p = hc_put_int(p, number);
  if (!alone) p = hc_put_int(hc_put_char(p, '_'), w->rank);
  return hc_put_char(p, '|');
}

/* What its hosts are asked for together. */
static char *put_demand(char *p, const hc_task_spec *t, const hc_slots *s, const hc_batch *b, uint64_t *lost)
{
  int64_t gpus = 0, memory = 0;
  const int64_t procs = b->procs_asked >= 0 ? b->procs_asked : b->procs_used;
  const bool has_gpus =
      s->need[HC_DIM_GPU] > 0 && !__builtin_mul_overflow(s->need[HC_DIM_GPU], s->hosts, &gpus);
  p = hc_put_char(hc_put_int(p, s->hosts), '|');
  p = put_name(p, b->procs_used >= 0 ? b->procs_used : t->run == HC_UNKNOWN ? 0 : procs);
  p = put_name(p, procs);
  if (b->memory_asked >= 0 && procs > 0 && !__builtin_mul_overflow(b->memory_asked, procs, &memory)) {
    if (memory % 1024 != 0) *lost |= HC_FACT_BIT(PRECISION);
    p = hc_put_char(hc_put_int(p, memory / 1024 + (memory % 1024 != 0)), 'K');
  }
  p = hc_put_text(p, "|cpu=");
  p = hc_put_text(hc_put_int(p, HC_MAX(procs, 0)), ",node=");
  p = hc_put_int(p, s->hosts);
  if (!has_gpus) return hc_put_char(p, '\n');
  if (gpus % HC_DEVICE != 0) *lost |= HC_FACT_BIT(PRECISION);
  return hc_put_char(hc_put_int(hc_put_text(p, ",gres/gpu="), gpus / HC_DEVICE + (gpus % HC_DEVICE != 0)),
                     '\n');
}

static char *put_row(char *p, const hc_writer *w, const hc_task_spec *t, bool alone, uint64_t *lost)
{
  const hc_slots s = hc_slots_of(t);
  const hc_batch b = hc_batch_of(t, lost);
  const bool ran = t->run != HC_UNKNOWN && t->run != HC_NEVER;
  const bool held = t->not_before != HC_UNKNOWN && t->not_before > t->submit;
  const hc_time start = !ran ? HC_UNKNOWN : held && t->wait == HC_UNKNOWN ? t->not_before : hc_start_of(t);
  const hc_time end = ran                     ? hc_time_add(start, t->run)
                      : t->wait != HC_UNKNOWN ? t->submit + t->wait
                                              : HC_UNKNOWN;
  p = put_job_id(p, w, t, alone, lost);
  p = put_name(p, t->user);
  p = put_name(p, t->group);
  p = put_name(p, t->partition);
  p = put_name(p, t->queue);
  p = put_name(p, t->executable);
  p = hc_put_char(put_moment(p, w, t->submit, "Unknown", lost), '|');
  p = hc_put_char(put_moment(p, w, held ? t->not_before : t->submit, "Unknown", lost), '|');
  p = hc_put_char(put_moment(p, w, start, "None", lost), '|');
  p = hc_put_char(put_moment(p, w, end, "Unknown", lost), '|');
  p = hc_put_char(put_length(p, ran ? t->run : 0, lost), '|');
  if (t->limit == HC_NEVER) p = hc_put_text(p, "UNLIMITED");
  else if (t->limit >= 0) p = put_length(p, t->limit, lost);
  p = hc_put_char(hc_put_text(hc_put_char(p, '|'), state_of(t, lost)), '|');
  return put_demand(p, t, &s, &b, lost);
}

static hc_rc sacct_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const int64_t rows = t->count > 1 ? t->count : 1;
  if (t->submit == HC_UNKNOWN) return 1;
  TRY(hc_rows_allowed(t, rows, "sacct", e));
  const hc_rc alone = is_alone(w, t);
  if (alone < 0) return alone;
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    w->rank++;
    hc_out_end(&w->rows.out, put_row(row, w, t, alone == 1, lost));
  }
  return 0;
}

const hc_writer_type hc_writer_sacct = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "sacct",
         .summary = "Slurm accounting records, as sacct --parsable2 prints them",
         .detail =
             "18 columns with titles, dates in UTC (from 2000 if the trace does not say when it began). A task of no job "
             "keeps its number, if no other had it before; others, and those of a bundle, are elements of arrays, "
             "<job>_<rank>. NCPUS and ReqCPUS are "
             "processors, or ceil(cores) of all hosts; ReqMem is that of all of them in KiB, ReqTRES has GPUs, NNodes the "
             "hosts (its reader's demand: nodes gives each an equal part). Tasks without a time of submission are left "
             "out.",
         .source = "https://slurm.schedmd.com/sacct.html"},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(LIMIT) | HC_FACT_BIT(PROCS_USED) | HC_FACT_BIT(PROCS_ASKED) |
             HC_FACT_BIT(MEMORY_ASKED) | HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP) | HC_FACT_BIT(EXECUTABLE) |
             HC_FACT_BIT(QUEUE) | HC_FACT_BIT(PARTITION) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) |
             HC_FACT_BIT(GPU) | HC_FACT_BIT(NOT_BEFORE) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(CANCEL_AT),
    .ending = ".sacct",
    .open = sacct_open,
    .task = sacct_task,
    .finish = hc_rows_finish,
    .close = sacct_close,
};
