/* swim.c -- the workloads of SWIM (Facebook's Hadoop clusters), both ways: how much each job reads, shuffles
 * and writes.
 *
 * A line is a job: name, submission (s), gap since the one before (s), bytes read by its maps, shuffled, and
 * written. A name that is no number is kept for its tasks. Nine columns name its paths as well, which are not
 * read. There are no tasks and no run times in it, so all of that is derived:
 *
 *   maps    = ceil(input / block_size), at least 1
 *   reduces = ceil(shuffle / reduce_size); 0 if nothing is shuffled
 *   run time of a map    = startup + input / maps / map_rate; without reduces, output counts with input
 *   run time of a reduce = startup + (shuffle + output) / reduces / reduce_rate
 *
 * The maps of a job are one bundle of equal tasks, its reduces another, which starts when the last map has
 * ended: no shuffle begins earlier, no task is slower than others, no data has a place. Rates and startup are
 * assumptions, not measurements.
 *
 * Written, the assumptions are turned round: of a bundle of n tasks that run for r, the bytes are n x (r -
 * startup) x rate. A bundle is the maps of a job; one of the same job that waits for nothing but them, and is
 * submitted with them, is its reduces. What the maps take beyond n blocks they write, if there are no
 * reduces. The rates must be those with which it will be read. Each line is checked by what reading will make
 * of it: a number of tasks is always right, a run time that bytes cannot come to is lost (below a
 * microsecond: rounded). Tasks of several hosts, and what is not the cores and memory that every task needs,
 * are lost; so is everything else, since there are no columns for it. Tasks without a run time or a
 * submission are left out.
 *
 * Source: Chen et al., MASCOTS 2011, doi:10.1109/MASCOTS.2011.12; https://github.com/SWIMProjectUCB/SWIM.
 * Cost: about 0.5 us a line read, 150 ns a task written. */
#include "table/sheet.h"
#include "workload/spec.h"
#include "workload/writing.h"

#define MOST_TASKS ((int64_t)1 << 24) /* of one bundle */
#define MOST_BYTES (((int64_t)1 << 52) - 1)

/* Beside the submission. */
#define SAYS (HC_FACT_BIT(RUN) | HC_FACT_BIT(JOB) | HC_FACT_BIT(BUNDLE))

enum { NAME, SUBMIT, GAP, INPUT, SHUFFLE, OUTPUT, COLUMNS, WITH_PATHS = 9 };

#define NUMBER .wrong = "no number that this can be", .flags = HC_NEEDED | HC_ASKED
static const hc_column columns[COLUMNS] = {
    [NAME] = {"the name of the job", HC_IS(TEXT), .note = "the job"},
    [SUBMIT] = {"the time of submission", HC_TO(SUBMIT), HC_IS(SECONDS), NUMBER},
    [GAP] = {"the gap", HC_AMOUNT(1), .note = "nothing: the time since the submission before", NUMBER},
    [INPUT] = {"the bytes read", HC_AMOUNT(1), .note = "the number of maps and their run time", NUMBER},
    [SHUFFLE] = {"the bytes shuffled", HC_AMOUNT(1), .note = "the number of reduces and their run time",
                 NUMBER},
    [OUTPUT] = {"the bytes written", HC_AMOUNT(1), .note = "the run time of reduces, or of maps without them",
                NUMBER}};

static const hc_table_form form = {.kind = "a workload of SWIM",
                                   .columns = columns,
                                   .count = COLUMNS,
                                   .separator = '\t',
                                   .fixed = true,
                                   .longer = true,
                                   .expected = "6 or 9"};

typedef struct rates {
  int64_t block_size, reduce_size, map_rate, reduce_rate, memory;
  double cpus;
  hc_time startup;
} rates;

/* What a task needs of cpu: a part of a thousandth counts as one. */
static int64_t cpu_of(const rates *r)
{
  return (int64_t)(r->cpus * 1000 + 0.999);
}

/* startup + bytes of one task / rate, to the next nanosecond. False if that is no time. */
static bool length_of(const rates *r, int64_t bytes, int64_t tasks, int64_t rate, hc_time *out)
{
  const double ns = (double)bytes / (double)tasks / (double)rate * (double)HC_SECOND;
  if (!(ns < 9e18)) return false;
  *out = hc_time_add(r->startup, (hc_time)ns + ((double)(hc_time)ns < ns));
  return *out != HC_NEVER;
}

/* Of both ways, in options that have them as `rates`. */
#define RATE_PARAMS(struct_, in) \
  HC_PARAM_AS(SIZE, "block_size", struct_, in.block_size, "B", "128MiB", 1, 1125899906842624.0, \
              "Bytes that one map reads: a job has ceil(input / block_size) maps, at least one."), \
      HC_PARAM_AS(SIZE, "reduce_size", struct_, in.reduce_size, "B", "1GiB", 1, 1125899906842624.0, \
                  "Bytes that are shuffled to one reduce: a job has ceil(shuffle / reduce_size) reduces."), \
      HC_PARAM_AS(SIZE, "map_rate", struct_, in.map_rate, "B/s", "16MiB", 1, 1125899906842624.0, \
                  "Bytes that a map reads in a second; in a job without reduces, bytes that it reads and " \
                  "writes. An assumption."), \
      HC_PARAM_AS(SIZE, "reduce_rate", struct_, in.reduce_rate, "B/s", "16MiB", 1, 1125899906842624.0, \
                  "Bytes, shuffled and written, that a reduce processes in a second. An assumption."), \
      HC_PARAM_AS(TIME, "startup", struct_, in.startup, "s", "2s", 0, 1e6, \
                  "Time that each task takes in addition to that for its bytes. An assumption."), \
      HC_PARAM_AS(REAL, "cpus", struct_, in.cpus, "cores", "1", 0.001, 1e6, "Cores that each task needs."), \
      HC_PARAM_AS(SIZE, "memory", struct_, in.memory, "B", "1GiB", 0, 1125899906842624.0, \
                  "Memory that each task needs.")

/* ---- reading ---- */

typedef struct options {
  hc_sheet_options common;
  rates rates;
} options;

typedef struct job {
  hc_task_spec tasks[2]; /* maps, reduces */
  uint32_t count;
} job;

static const rates *rates_of(const hc_sheet *s)
{
  return &((const options *)(const void *)s->o)->rates;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

static void begin_task(const hc_sheet *s, hc_task_spec *t)
{
  const hc_field *name = &s->in.fields[NAME];
  *t = hc_task_spec_none();
  t->line = s->in.s.line;
  t->job = hc_name_number(name->text, name->length);
  t->submit = s->value[SUBMIT];
  t->hosts = 1;
  t->need[HC_DIM_CPU] = cpu_of(rates_of(s));
  t->procs_asked = ceil_div(t->need[HC_DIM_CPU], 1000);
  t->need[HC_DIM_MEMORY] = rates_of(s)->memory;
  t->memory_asked = rates_of(s)->memory;
}

/* What the job comes to. @return how many bundles, or 0 with `*why`. */
static uint32_t make_tasks(hc_sheet *s, job *j, const char **why)
{
  const rates *o = rates_of(s);
  hc_task_spec *map = &j->tasks[0], *reduce = &j->tasks[1];
  const int64_t *bytes = s->value;
  const int64_t maps = HC_MAX(ceil_div(bytes[INPUT], o->block_size), 1);
  const int64_t reduces = ceil_div(bytes[SHUFFLE], o->reduce_size);
  if (maps > MOST_TASKS || reduces > MOST_TASKS) {
    *why = "it comes to more than 16,777,216 tasks: raise block_size or reduce_size";
    return 0;
  }
  *why = "its tasks would run longer than 292 years: raise map_rate or reduce_rate";
  begin_task(s, map);
  map->id = 2 * (int64_t)(s->in.s.rows + s->in.s.malformed) - 1;
  map->count = (uint32_t)maps;
  if (!length_of(o, bytes[INPUT] + (reduces == 0 ? bytes[OUTPUT] : 0), maps, o->map_rate, &map->run))
    return 0;
  if (reduces == 0) return 1;
  begin_task(s, reduce);
  reduce->id = map->id + 1;
  reduce->count = (uint32_t)reduces;
  return length_of(o, bytes[SHUFFLE] + bytes[OUTPUT], reduces, o->reduce_rate, &reduce->run) ? 2 : 0;
}

/* What the job is called. Each of its tasks holds it. */
static hc_rc call(hc_sheet *s, job *j)
{
  const hc_field *name = &s->in.fields[NAME];
  uint32_t *label = &j->tasks[0].job_label;
  TRY(hc_spec_label(s->context->lexicon, name->text, name->length, j->tasks[0].job, label));
  for (uint32_t i = 1; i < j->count; i++) {
    j->tasks[i].job_label = *label;
    hc_lexicon_hold_handle(s->context->lexicon, *label);
  }
  return 0;
}

/* The reduces wait for the maps. @return 0 or HC_ENOMEM. */
static hc_rc tie(hc_sheet *s, job *j)
{
  const hc_after after = {.job = j->tasks[0].job, .task = j->tasks[0].id, .how = HC_AFTER_ENDED};
  hc_task_extras more = hc_task_extras_none();
  more.after = &after;
  more.after_count = 1;
  j->tasks[1].more = hc_lexicon_keep(s->context->lexicon, &more);
  return j->tasks[1].more == 0 ? HC_ENOMEM : 0;
}

static hc_rc read_job(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  static const uint8_t asked[] = {SUBMIT, INPUT, SHUFFLE, OUTPUT};
  job *j = s->own;
  const char *why;
  HC_UNUSED(t);
  if (s->in.count > WITH_PATHS) {
    s->in.s.rows--;
    return hc_delimited_reject(&s->in, s->context, NULL, e, "it has %zu fields, where 6 or 9 are expected",
                               s->in.count);
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(asked); i++) {
    const hc_field *f = &s->in.fields[asked[i]];
    int64_t v;
    const hc_rc rc = hc_sheet_get(s, asked[i], &v, e);
    if (rc != 1) return rc;
    if (v != HC_UNKNOWN) continue;
    s->in.s.rows--;
    return hc_delimited_reject(&s->in, s->context, f->text, e, "%s holds \"%.*s\", which is %s",
                               columns[asked[i]].titles, (int)HC_MIN(f->length, (size_t)40), f->text,
                               columns[asked[i]].wrong);
  }
  j->count = make_tasks(s, j, &why);
  if (j->count == 0) {
    s->in.s.rows--;
    return hc_delimited_reject(&s->in, s->context, NULL, e, "%s", why);
  }
  if (j->count == 2) TRY(tie(s, j));
  TRY(call(s, j));
  if (s->context->ledger) s->context->ledger->read += j->count - 1;
  return 1;
}

static hc_rc next_job(hc_sheet *s, hc_job *out, hc_error *e)
{
  const hc_rc rc = hc_sheet_row(s, e);
  const job *j = s->own;
  if (rc == 1) *out = (hc_job){.tasks = j->tasks, .task_count = j->count};
  return rc;
}

static hc_refers refers(const hc_sheet *s)
{
  HC_UNUSED(s);
  return HC_REFERS_JOB;
}

/* Six or nine fields between tabs: whole numbers from the second to the sixth, and none in the first. */
static int recognise(const char *name, const char *head, size_t size, const hc_field *first, size_t count)
{
  int64_t number;
  HC_UNUSED(name);
  HC_UNUSED(head);
  HC_UNUSED(size);
  if ((count != COLUMNS && count != WITH_PATHS) || hc_field_whole(&first[NAME], &number)) return 0;
  for (int c = SUBMIT; c < COLUMNS; c++)
    if (!hc_field_whole(&first[c], &number) || number < 0) return 0;
  return 90;
}

static const hc_table_format format = {
    .name = "swim",
    .forms = &form,
    .form_count = 1,
    .derived =
        "The trace has bytes only. Maps are input / block_size, reduces shuffle / reduce_size; their run "
        "times are startup + bytes / rate, an assumption; reduces start when all maps of their job have "
        "ended.",
    .own_size = sizeof(job),
    .recognise = recognise,
    .row = read_job,
    .next = next_job,
    .refers = refers,
    .says = SAYS};

/* ---- writing ---- */

typedef struct writer_options {
  rates rates;
} writer_options;

struct hc_writer {
  hc_rows rows;
  const writer_options *o;
  hc_task_spec maps;     /* of the job at hand; count 0: there is none */
  hc_buffer name;        /* what that is called; empty: its number */
  int64_t lines;         /* that were written or are at hand */
  hc_time before;        /* the submission of the line before */
  int64_t input, output; /* of the maps, if no reduces follow */
};

static hc_rc writer_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->o = given;
  (*out)->before = 0;
  hc_buffer_init(&(*out)->name, c->allocator);
  return 0;
}

static void writer_close(hc_writer *w)
{
  if (w) hc_buffer_fini(&w->name);
  hc_rows_close(w);
}

/* ---- bytes ---- */

static hc_time error_of(const hc_writer *w, int64_t bytes, int64_t tasks, int64_t rate, hc_time run)
{
  hc_time length;
  if (!length_of(&w->o->rates, bytes, tasks, rate, &length)) return HC_NEVER;
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
  if (w->name.size > 0) p = hc_put_char(hc_put_text(p, w->name.data), '\t');
  else p = hc_put_char(hc_put_int(p, t->job >= 0 ? t->job : t->id >= 0 ? t->id : w->lines), '\t');
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

/* The name of its job, or its own if it is of none, as far as a line can have it. */
static hc_rc take_name(hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  static const hc_text_rules rules = {.separator = '\t'};
  const char *text =
      hc_lexicon_label_text(w->rows.context->lexicon, t->job >= 0 ? t->job_label : t->label, NULL);
  w->name.size = 0;
  if (!text || !hc_field_says(&rules, text) || text[0] == '#') return 0;
  hc_buffer_text(&w->name, text);
  if (t->job >= 0) *lost &= ~HC_FACT_BIT(JOB_LABEL);
  return w->name.failed ? HC_ENOMEM : 0;
}

/* What every task needs is what the reader will say; of anything else, that it is lost. */
static void judge_need(const hc_writer *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_slots s = hc_slots_of(t);
  const bool cpu = s.need[HC_DIM_CPU] == cpu_of(&w->o->rates);
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
  const rates *r = &w->o->rates;
  const int64_t maps = w->maps.count, most = most_of(count, r->reduce_size);
  const int64_t input = bytes_of(w, maps, r->map_rate, w->maps.run, least_of(maps, r->block_size, 0),
                                 most_of(maps, r->block_size), lost);
  const int64_t bytes =
      bytes_of(w, count, r->reduce_rate, t->run, least_of(count, r->reduce_size, 1), MOST_BYTES, lost);
  const int64_t shuffle = HC_MIN(bytes, most);
  *lost &= ~HC_FACT_BIT(AFTER);
  if (w->name.size > 0) *lost &= ~HC_FACT_BIT(JOB_LABEL); /* which is that of its maps */
  if (t->id == 2 * w->lines) *lost &= ~HC_FACT_BIT(ID);
  return put_line(w, input, shuffle, bytes - shuffle);
}

static hc_rc writer_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const rates *r = &w->o->rates;
  const int64_t count = HC_MAX((int64_t)t->count, 1);
  int64_t bytes;
  if (t->submit < 0 || t->run < 0 || t->run == HC_NEVER) return 1;
  if (count > MOST_TASKS) return hc_rows_allowed(t, count, "swim", e);
  judge_need(w, t, lost);
  if (t->job >= 0 && !hc_name_holds(t->job)) *lost |= HC_FACT_BIT(JOB);
  if (are_reduces(w, t)) return put_reduces(w, t, count, lost);
  TRY(flush_maps(w));
  TRY(take_name(w, t, lost));
  w->maps = *t;
  w->maps.count = (uint32_t)count;
  w->maps.more = 0; /* which is not held here */
  w->lines++;
  bytes = bytes_of(w, count, r->map_rate, t->run, least_of(count, r->block_size, 0), MOST_BYTES, lost);
  w->input = HC_MIN(bytes, most_of(count, r->block_size));
  w->output = bytes - w->input;
  if (t->id == 2 * w->lines - 1) *lost &= ~HC_FACT_BIT(ID);
  return 0;
}

static hc_rc writer_finish(hc_writer *w, hc_error *e)
{
  TRY(flush_maps(w));
  return hc_rows_finish(w, e);
}

/* ---- the format ---- */

static const hc_param params[] = {
    HC_PARAM_AS(FILE, "file", options, common.file, NULL,
                "Path of the workload, plain, .gz, .zst or .xz; - is standard input."),
    RATE_PARAMS(options, rates),
    HC_PARAM_AS(TIME, "time_unit", options, common.time_unit, "s", "1s", 1e-9, 1e6,
                "Unit of the times of submission."),
    HC_PARAM_AS(TEXT, "origin", options, common.origin, NULL,
                "Which date (UTC) or Unix time time 0 is, for tables by day. Default: none."),
    {0}};

static const hc_param writer_params[] = {RATE_PARAMS(writer_options, rates), {.name = NULL}};

HC_TABLE_READER(
    swim, format, options, params,
    .summary = "Hadoop workloads of SWIM: jobs as bytes, from which maps and reduces are derived",
    .detail =
        "A line is a job, which becomes two bundles. maps = ceil(input / block_size), at least 1; reduces = "
        "ceil(shuffle / reduce_size). A map runs for startup + input / maps / map_rate, where the output is "
        "added to the input if there are no reduces; a reduce runs for startup + (shuffle + output) / "
        "reduces / reduce_rate, after all maps of its job have ended. The trace has neither tasks nor times "
        "of tasks: rates, startup, cores and memory are assumptions, which should be set to what is known of "
        "the cluster. Bundle 2n - 1 has the maps of job n of the file, bundle 2n its reduces. A file of the "
        "published traces is a day that was put together from 24 samples of an hour each.",
    .source = "Chen, Ganapathi, Griffith, Katz: \"The Case for Evaluating MapReduce Performance Using "
              "Workload "
              "Suites\", MASCOTS 2011, doi:10.1109/MASCOTS.2011.12; https://github.com/SWIMProjectUCB/SWIM");

const hc_writer_type hc_writer_swim = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "swim",
         .summary = "a workload of SWIM: bytes that each job reads, shuffles and writes, from assumed rates",
         .detail =
             "Six columns between tabs, no header: name of the job (else its number), submission and gap "
             "(s), bytes read, shuffled and written. A bundle of n tasks with run time r becomes n maps with "
             "n x (r - startup) x map_rate bytes; a bundle of the same job that waits for it alone becomes "
             "its reduces, by reduce_rate. Read with the same parameters the file gives the same bundles, if "
             "their run times can follow from whole blocks; otherwise the run time is lost. Also lost: "
             "several hosts, needs other than `cpus` and `memory`, other predecessors, users, queues, "
             "priorities, limits and states. Tasks without submission or run time are left out.",
         .source = "Chen, Ganapathi, Griffith, Katz, MASCOTS 2011, doi:10.1109/MASCOTS.2011.12; "
                   "https://github.com/SWIMProjectUCB/SWIM",
         .params = writer_params, .options_size = sizeof(writer_options)},
    .holds = HC_FACT_BIT(SUBMIT) | SAYS,
    .ending = ".tsv",
    .open = writer_open,
    .task = writer_task,
    .finish = writer_finish,
    .close = writer_close,
    .table = &format,
};
