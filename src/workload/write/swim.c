/* swim.c -- writes a workload of SWIM: a line for each job, with what it reads, shuffles and writes.
 *
 *   name  submission (s)  gap since the job before (s)  bytes read  shuffled  written
 *
 * The format has bytes and neither tasks nor times, so the reader's assumptions are turned round: of a bundle of n tasks
 * that run for r, the bytes are n x (r - startup) x rate. A bundle is the maps of a job; one of the same job that waits
 * for nothing but them, and is submitted with them, is its reduces. What the maps take beyond n blocks they write, if
 * there are no reduces. The rates must be those with which it will be read.
 *
 * Each line is checked by what the reader will make of it: a number of tasks is always right, a run time that bytes
 * cannot come to is lost (below a microsecond: rounded). Tasks of several hosts, and what is not the cores and memory
 * that every task needs, are lost; so is everything else, since there are no columns for it. Numbers of tasks are those
 * of the lines. Tasks without a run time or a submission are left out. Source: Chen et al., MASCOTS 2011,
 * doi:10.1109/MASCOTS.2011.12. Cost: about 150 ns a task. */
#include "workload/swim.h"

#include "workload/spec.h"
#include "workload/writing.h"

#define MOST_BYTES (((int64_t)1 << 52) - 1)

typedef struct options {
  hc_swim_rates rates;
} options;

struct hc_writer {
  hc_rows rows;
  const options *o;
  hc_task_spec maps;     /* of the job at hand; count 0: there is none */
  int64_t lines;         /* that were written or are at hand */
  hc_time before;        /* the submission of the line before */
  int64_t input, output; /* of the maps, if no reduces follow */
};

static hc_rc swim_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  (*out)->before = 0;
  return 0;
}

/* ---- bytes ---- */

static hc_time error_of(const hc_writer *w, int64_t bytes, int64_t tasks, int64_t rate, hc_time run)
{
  hc_time length;
  if (!hc_swim_length(&w->o->rates, bytes, tasks, rate, &length)) return HC_NEVER;
  return length > run ? length - run : run - length;
}

/* Bytes with which so many tasks run for `run`, as nearly as whole bytes of [least, most] can. */
static int64_t bytes_of(const hc_writer *w, int64_t tasks, int64_t rate, hc_time run, int64_t least,
                        int64_t most, uint64_t *lost)
{
  const double exact = (double)(run - w->o->rates.startup) / (double)HC_SECOND * (double)rate * (double)tasks;
  const int64_t near = exact < (double)least ? least : exact > (double)most ? most : (int64_t)exact;
  int64_t best = near;
  hc_time error = error_of(w, near, tasks, rate, run);
  for (int64_t b = HC_MAX(near - 1, least); b <= HC_MIN(near + 1, most); b++) {
    const hc_time other = error_of(w, b, tasks, rate, run);
    if (other >= error) continue;
    error = other;
    best = b;
  }
  if (error >= HC_US) *lost |= HC_FACT_BIT(RUN);
  else if (error > 0) *lost |= HC_FACT_BIT(FRACTION);
  return best;
}

/* How many bytes make so many blocks: [least, most]. One task may have none at all. */
static int64_t least_of(int64_t tasks, int64_t block, int64_t of_one)
{
  int64_t blocks;
  if (tasks == 1) return of_one;
  return __builtin_mul_overflow(tasks - 1, block, &blocks) ? MOST_BYTES : HC_MIN(blocks + 1, MOST_BYTES);
}

static int64_t most_of(int64_t tasks, int64_t block)
{
  int64_t blocks;
  return __builtin_mul_overflow(tasks, block, &blocks) ? MOST_BYTES : HC_MIN(blocks, MOST_BYTES);
}

/* ---- lines ---- */

static hc_rc put_line(hc_writer *w, int64_t input, int64_t shuffle, int64_t output)
{
  const hc_task_spec *t = &w->maps;
  char *p;
  TRY(hc_out_row(&w->rows.out, &p));
  p = hc_put_char(hc_put_int(p, t->job >= 0 ? t->job : t->id >= 0 ? t->id : w->lines), '\t');
  p = hc_put_char(hc_put_parts(p, t->submit, HC_SECOND), '\t');
  p = hc_put_char(hc_put_parts(p, t->submit - w->before, HC_SECOND), '\t');
  p = hc_put_char(hc_put_int(p, input), '\t');
  p = hc_put_char(hc_put_int(p, shuffle), '\t');
  hc_out_end(&w->rows.out, hc_put_char(hc_put_int(p, output), '\n'));
  w->before = t->submit;
  w->maps.count = 0;
  return 0;
}

static hc_rc flush_maps(hc_writer *w)
{
  return w->maps.count > 0 ? put_line(w, w->input, 0, w->output) : 0;
}

/* ---- tasks ---- */

/* What every task needs is what the reader will say; of anything else, that it is lost. */
static void judge_need(const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_slots s = hc_slots_of(t);
  const bool cpu = s.need[HC_DIM_CPU] == hc_swim_cpu(&w->o->rates);
  const bool memory = s.need[HC_DIM_MEMORY] == w->o->rates.memory;
  uint64_t said = hc_slots_say(t, &s);
  if (!cpu) said &= ~(HC_FACT_BIT(PROCS_ASKED) | HC_FACT_BIT(PROCS_USED));
  if (!memory) said &= ~HC_FACT_BIT(MEMORY_ASKED);
  if (t->memory_asked == t->need[HC_DIM_MEMORY] && memory) said |= HC_FACT_BIT(MEMORY_ASKED);
  if (cpu) said |= HC_FACT_BIT(CPU);
  if (memory) said |= HC_FACT_BIT(MEMORY);
  *lost &= ~said;
}

/* Whether it can only be the reduces of the maps at hand. */
static bool are_reduces(const hc_writer *w, const hc_task_spec *t)
{
  const hc_task_spec *maps = &w->maps;
  const hc_task_extras *m = hc_lexicon_more(w->rows.context->lexicon, t->more);
  return maps->count > 0 && t->job >= 0 && t->job == maps->job && t->submit == maps->submit && m &&
         m->after_count == 1 && m->after[0].job == maps->job && m->after[0].task == maps->id &&
         m->after[0].how == HC_AFTER_ENDED;
}

static hc_rc put_reduces(hc_writer *w, const hc_task_spec *t, int64_t count, uint64_t *lost)
{
  const hc_swim_rates *r = &w->o->rates;
  const int64_t maps = w->maps.count, most = most_of(count, r->reduce_size);
  const int64_t input = bytes_of(w, maps, r->map_rate, w->maps.run, least_of(maps, r->block_size, 0),
                                 most_of(maps, r->block_size), lost);
  const int64_t bytes =
      bytes_of(w, count, r->reduce_rate, t->run, least_of(count, r->reduce_size, 1), MOST_BYTES, lost);
  const int64_t shuffle = HC_MIN(bytes, most);
  *lost &= ~HC_FACT_BIT(AFTER);
  if (t->id == 2 * w->lines) *lost &= ~HC_FACT_BIT(ID);
  return put_line(w, input, shuffle, bytes - shuffle);
}

static hc_rc swim_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_swim_rates *r = &w->o->rates;
  const int64_t count = HC_MAX((int64_t)t->count, 1);
  int64_t bytes;
  if (t->submit < 0 || t->run < 0 || t->run == HC_NEVER) return 1;
  if (count > HC_SWIM_TASKS) return hc_rows_allowed(t, count, "swim", e);
  judge_need(w, t, lost);
  if (t->job >= 0 && !hc_name_holds(t->job)) *lost |= HC_FACT_BIT(JOB);
  if (are_reduces(w, t)) return put_reduces(w, t, count, lost);
  TRY(flush_maps(w));
  w->maps = *t;
  w->maps.count = (uint32_t)count;
  w->maps.more = 0; /* which is held by nobody here */
  w->lines++;
  bytes = bytes_of(w, count, r->map_rate, t->run, least_of(count, r->block_size, 0), MOST_BYTES, lost);
  w->input = HC_MIN(bytes, most_of(count, r->block_size));
  w->output = bytes - w->input;
  if (t->id == 2 * w->lines - 1) *lost &= ~HC_FACT_BIT(ID);
  return 0;
}

static hc_rc swim_finish(hc_writer *w, hc_error *e)
{
  TRY(flush_maps(w));
  return hc_rows_finish(w, e);
}

static const hc_param params[] = {HC_SWIM_PARAMS(options, rates), {.name = NULL}};

const hc_writer_type hc_writer_swim = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "swim",
         .summary =
             "a workload of SWIM: bytes that each job reads, shuffles and writes, for rates that are assumed",
         .detail =
             "Six columns between tabs, no header: name (the number of the job), submission and gap (s), bytes read, "
             "shuffled and written. A bundle of n tasks that run for r is n maps with n x (r - startup) x map_rate "
             "bytes; one of the same job that waits for it alone is its reduces, by reduce_rate. Read with the same "
             "parameters it is the same bundles, if their run times can come of whole blocks; else the run time is "
             "lost. Lost too: several hosts, needs other than `cpus` and `memory`, other predecessors, users, queues, "
             "priorities, limits and states. Tasks without submission or run time are left out.",
         .source = "Chen, Ganapathi, Griffith, Katz, MASCOTS 2011, doi:10.1109/MASCOTS.2011.12; "
                   "https://github.com/SWIMProjectUCB/SWIM",
         .params = params, .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(BUNDLE),
    .ending = ".tsv",
    .open = swim_open,
    .task = swim_task,
    .finish = swim_finish,
    .close = hc_rows_close,
};
