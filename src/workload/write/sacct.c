/* sacct.c -- writes tasks as the records that `sacct --parsable2` prints, which read/sacct.c reads.
 *
 * Dates are UTC, counted from 2000 if the trace does not say when it began. A task of no job keeps its
 * number, the first that bears it; others are elements of an array, <job or number>_<rank>, since several
 * rows of one name would be the runs of one job. Memory is that of all processors, in KiB, rounded up; GPUs
 * are those of all hosts, rounded up. What a task asks of the scheduler and no column tells is an option of
 * its SubmitLine. Users, accounts and so on are their numbers.
 *
 * Source: https://slurm.schedmd.com/sacct.html. Cost: 250 ns a row. */
#include <string.h>

#include "base/util.h"
#include "workload/slurm_row.h"
#include "workload/spec.h"
#include "workload/writing.h"

#define MOST_SEEN ((size_t)1 << 24) /* numbers of tasks that are remembered */
#define NO_ORIGIN 946684800         /* 2000-01-01: Slurm prints 1970 for what it does not know */

struct hc_writer {
  hc_rows rows;
  hc_map seen;          /* numbers that stand alone so far, MOST_SEEN at most */
  int64_t origin, rank; /* Unix seconds; of the row */
  const char *called;   /* what stands for its number; NULL */
};

static void writer_close(hc_writer *w)
{
  if (w) hc_map_fini(&w->seen);
  hc_rows_close(w);
}

/* Columns that are written, in this order. */
static const uint8_t written[] = {
    HC_SLURM_JOB_ID,   HC_SLURM_USER,    HC_SLURM_ACCOUNT,  HC_SLURM_PARTITION,   HC_SLURM_QOS,
    HC_SLURM_JOB_NAME, HC_SLURM_SUBMIT,  HC_SLURM_ELIGIBLE, HC_SLURM_START,       HC_SLURM_END,
    HC_SLURM_ELAPSED,  HC_SLURM_LIMIT,   HC_SLURM_STATE,    HC_SLURM_NODES,       HC_SLURM_CPUS,
    HC_SLURM_REQ_CPUS, HC_SLURM_REQ_MEM, HC_SLURM_REQ_TRES, HC_SLURM_RESERVATION, HC_SLURM_SUBMIT_LINE};

static hc_rc writer_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  char titles[512], *p = titles;
  HC_UNUSED(given);
  HC_UNUSED(e);
  for (size_t i = 0; i < HC_ARRAY_LEN(written); i++)
    p = hc_put_char(hc_put_text(p, hc_slurm_title((hc_slurm_column)written[i])), '|');
  memcpy(p - 1, "\n", 2);
  TRY(hc_rows_open(c, sizeof **out, titles, out));
  hc_map_init(&(*out)->seen, c->allocator);
  (*out)->origin = c->info && c->info->unix_start != HC_UNKNOWN ? c->info->unix_start : NO_ORIGIN;
  return 0;
}

static char *put_name(char *p, int64_t n)
{
  return hc_put_char(n < 0 ? p : hc_put_uint(p, (uint64_t)n), '|');
}

static char *put_called(char *p, const hc_writer *w, hc_called kind, int64_t n, uint64_t *lost)
{
  static const hc_text_rules rules = {.separator = '|'};
  return hc_put_char(hc_put_called(p, &rules, w->rows.context, kind, n, lost), '|');
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
  const hc_recorded is = hc_spec_recorded(t);
  const char *word = hc_slurm_state_word(is);
  if (t->status == HC_STATUS_UNKNOWN) return t->run == HC_UNKNOWN ? "PENDING" : "UNKNOWN";
  if (word) {
    *lost &= ~HC_FACT_BIT(STATE);
    return word;
  }
  word = hc_slurm_state_word((hc_recorded)(t->status + 1));
  if (!word) *lost |= HC_FACT_BIT(STATUS);
  return word ? word : "UNKNOWN";
}

/* Whether the number may stand alone: of a task of no job, for the first time. @return 1, 0, or HC_ENOMEM. */
static hc_rc is_alone(hc_writer *w, const hc_task_spec *t)
{
  if (t->job >= 0 || t->count > 1 || t->id < 0 || t->id > UINT32_MAX || w->seen.count >= MOST_SEEN) return 0;
  if (hc_map_get(&w->seen, (uint64_t)t->id) != HC_MAP_NONE) return 0;
  TRY(hc_map_set(&w->seen, (uint64_t)t->id, 0));
  return 1;
}

/* The same of a text, "7_3". @return 1: no row before has it, 0, or HC_ENOMEM */
static hc_rc is_new(hc_writer *w, const char *text, size_t n)
{
  const uint64_t key = (uint64_t)hc_name_hashed(text, n) | UINT64_C(1) << 63;
  if (w->seen.count >= MOST_SEEN || hc_map_get(&w->seen, key) != HC_MAP_NONE) return 0;
  TRY(hc_map_set(&w->seen, key, 0));
  return 1;
}

/* What it was called, if that is a job's number for Slurm, spelt as Slurm does, and no other task has it:
 * rows of one would be runs of one job. @return 1, 0, HC_ENOMEM */
static hc_rc is_called(hc_writer *w, const hc_task_spec *t, const char **out)
{
  const hc_lexicon *l = w->rows.context->lexicon;
  const char *text = t->label != 0 && l ? hc_lexicon_label_text(l, t->label, NULL) : NULL;
  const size_t n = text ? strlen(text) : 0;
  char spelt[80];
  hc_slurm_id id;
  if (!text || n > 60 || t->job >= 0 || t->count > 1 || !hc_slurm_job((hc_slice){text, n}, &id)) return 0;
  if (id.is_step || id.list.n > 0 || id.job > UINT32_MAX || (id.task < 0 && id.component < 0)) return 0;
  if (hc_slurm_spell(spelt, id.job, id.task, id.component) != n || strcmp(spelt, text) != 0) return 0;
  const hc_rc rc = is_new(w, text, n);
  if (rc == 1) *out = text;
  return rc;
}

static char *put_job_id(char *p, const hc_writer *w, const hc_task_spec *t, bool alone, uint64_t *lost)
{
  if (w->called) {
    *lost &= ~HC_FACT_BIT(LABEL);
    return hc_put_char(hc_put_text(p, w->called), '|');
  }
  int64_t number = t->job >= 0 ? t->job : t->id;
  if (number < 0 || number > UINT32_MAX) { /* no number of Slurm's */
    if (number > 0) *lost |= t->job >= 0 ? HC_FACT_BIT(JOB) : HC_FACT_BIT(ID);
    number = 0;
  }
  char text[80];
  (void)hc_slurm_spell(text, number, alone ? -1 : w->rank, -1);
  return hc_put_char(hc_put_text(p, text), '|');
}

/* The next rank with which the number of a task is that of no other. @return 0 or HC_ENOMEM */
static hc_rc next_rank(hc_writer *w, const hc_task_spec *t)
{
  const int64_t number = t->job >= 0 ? t->job : t->id;
  char text[80];
  hc_rc rc;
  do {
    w->rank++;
    rc = w->seen.count >= MOST_SEEN ? 1 : is_new(w, text, hc_slurm_spell(text, number, w->rank, -1));
  } while (rc == 0);
  return HC_MIN(rc, 0);
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
  if (has_gpus) p = hc_put_int(hc_put_text(p, ",gres/gpu="), hc_whole_gpus(gpus, lost));
  return hc_put_char(p, '|');
}

/* Its reservation, and a command that says what else it asks of the scheduler: no column of sacct's does. */
static char *put_terms(char *p, const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  static const hc_text_rules rules = {.separator = '|'};
  const hc_lexicon *l = w->rows.context->lexicon;
  const hc_task_extras *m = t->more != 0 && l ? hc_lexicon_more(l, t->more) : NULL;
  if (!m) return hc_put_text(p, "|\n");
  if (m->reservation != HC_NO_NAME) {
    char *end = hc_put_field(p, &rules, hc_lexicon_text(l, m->reservation));
    if (end) p = end;
    else *lost |= HC_FACT_BIT(TERMS);
  }
  p = hc_put_char(p, '|');
  if (m->least_limit == 0 && m->switches == 0 && m->at_once == 0 && m->again == HC_AGAIN_UNSAID)
    return hc_put_char(p, '\n');
  p = hc_put_text(p, "sbatch");
  if (m->at_once > 0) p = hc_put_uint(hc_put_text(p, " --array=0%"), m->at_once);
  if (m->least_limit > 0) p = put_length(hc_put_text(p, " --time-min="), m->least_limit, lost);
  if (m->switches > 0) p = hc_put_uint(hc_put_text(p, " --switches="), m->switches);
  if (m->switches > 0 && m->switch_wait != HC_UNKNOWN)
    p = put_length(hc_put_char(p, '@'), m->switch_wait, lost);
  if (m->again != HC_AGAIN_UNSAID)
    p = hc_put_text(p, m->again == HC_AGAIN_NEVER ? " --no-requeue" : " --requeue");
  return hc_put_char(p, '\n');
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
  const hc_time eligible = t->held > 0 ? hc_time_add(t->submit, t->held) : t->submit;
  if (held && t->held > 0) *lost |= HC_FACT_BIT(HELD);
  p = put_job_id(p, w, t, alone, lost);
  p = put_called(p, w, HC_CALLED_USER, t->user, lost);
  p = put_called(p, w, HC_CALLED_GROUP, t->group, lost);
  p = put_called(p, w, HC_CALLED_PARTITION, t->partition, lost);
  p = put_called(p, w, HC_CALLED_QUEUE, t->queue, lost);
  p = put_called(p, w, HC_CALLED_EXECUTABLE, t->executable, lost);
  p = hc_put_char(put_moment(p, w, t->submit, "Unknown", lost), '|');
  p = hc_put_char(put_moment(p, w, held ? t->not_before : eligible, "Unknown", lost), '|');
  p = hc_put_char(put_moment(p, w, start, "None", lost), '|');
  p = hc_put_char(put_moment(p, w, end, "Unknown", lost), '|');
  p = hc_put_char(put_length(p, ran ? t->run : 0, lost), '|');
  if (t->limit == HC_NEVER) p = hc_put_text(p, "UNLIMITED");
  else if (t->limit >= 0) p = put_length(p, t->limit, lost);
  p = hc_put_char(hc_put_text(hc_put_char(p, '|'), state_of(t, lost)), '|');
  p = put_demand(p, t, &s, &b, lost);
  return put_terms(p, w, t, lost);
}

static hc_rc writer_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const int64_t rows = t->count > 1 ? t->count : 1;
  if (t->submit == HC_UNKNOWN) return 1;
  TRY(hc_rows_allowed(t, rows, "sacct", e));
  w->called = NULL;
  const hc_rc called = is_called(w, t, &w->called);
  if (called < 0) return called;
  const hc_rc alone = called ? 0 : is_alone(w, t);
  if (alone < 0) return alone;
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    if (alone || w->called) w->rank++;
    else TRY(next_rank(w, t));
    hc_out_end(&w->rows.out, put_row(row, w, t, alone == 1, lost));
  }
  return 0;
}

const hc_writer_type hc_writer_sacct = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "sacct",
         .summary = "Slurm accounting records, as sacct --parsable2 prints them",
         .detail =
             "20 columns with titles; dates are in UTC, and begin in 2000 if the trace does not say when it "
             "began. A task that is part of no job keeps its number, if no earlier task has it; other tasks, "
             "and those of a bundle, are elements of arrays, <job>_<rank>. NCPUS and ReqCPUS are processors, "
             "or ceil(cores) of all hosts; ReqMem is the memory of all processors in KiB; ReqTRES has the "
             "GPUs, and NNodes the hosts (with `demand: nodes` the reader gives each an equal part). A least "
             "limit, a bound on switches and whether a task may be run again are options in SubmitLine. "
             "Tasks without a time of submission are left out.",
         .source = "https://slurm.schedmd.com/sacct.html"},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(LIMIT) | HC_FACT_BIT(PROCS_USED) | HC_FACT_BIT(PROCS_ASKED) |
             HC_FACT_BIT(MEMORY_ASKED) | HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP) | HC_FACT_BIT(EXECUTABLE) |
             HC_FACT_BIT(QUEUE) | HC_FACT_BIT(PARTITION) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(HOSTS) |
             HC_FACT_BIT(GPU) | HC_FACT_BIT(NOT_BEFORE) | HC_FACT_BIT(HELD) | HC_FACT_BIT(BUNDLE) |
             HC_FACT_BIT(CANCEL_AT) | HC_FACT_BIT(TERMS) | HC_FACT_BIT(AGAIN),
    .ending = ".sacct",
    .open = writer_open,
    .task = writer_task,
    .finish = hc_rows_finish,
    .close = writer_close,
};
