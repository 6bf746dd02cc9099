/* swim.c -- reads the workloads of SWIM (Facebook's Hadoop clusters): how much each job reads, shuffles and
 * writes.
 *
 * A line is a job: name, submission (s), gap since the one before (s), bytes read by its maps, shuffled, and
 * written. Nine columns name its paths as well, which are not read. There are no tasks and no run times in
 * it, so all of that is derived:
 *
 *   maps    = ceil(input / block_size), at least 1
 *   reduces = ceil(shuffle / reduce_size); 0 if nothing is shuffled
 *   run time of a map    = startup + input / maps / map_rate; without reduces, output counts with input
 *   run time of a reduce = startup + (shuffle + output) / reduces / reduce_rate
 *
 * The maps of a job are one bundle of equal tasks, its reduces another, which starts when the last map has
 * ended: no shuffle begins earlier, no task is slower than others, no data has a place. Rates and startup are
 * assumptions, not measurements. Source: Chen et al., MASCOTS 2011, doi:10.1109/MASCOTS.2011.12;
 * https://github.com/SWIMProjectUCB/SWIM. Cost: about 0.5 us a line. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/delimited.h"
#include "workload/fields.h"
#include "workload/ledger.h"
#include "workload/reading.h"
#include "workload/spec.h"
#include "workload/swim.h"

enum { NAME, SUBMIT, GAP, INPUT, SHUFFLE, OUTPUT, COLUMNS, WITH_PATHS = 9 };

typedef struct options {
  const char *file, *origin;
  hc_swim_rates rates;
  hc_time time_unit;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_delimited table;
  hc_task_spec tasks[2]; /* of the job at hand: maps, reduces */
  hc_trace_info info;
};

/* ---- one job ---- */

static int64_t ceil_div(int64_t a, int64_t b)
{
  return a / b + (a % b != 0);
}

static void begin_task(const hc_source *s, hc_task_spec *t, hc_time submit)
{
  const hc_field *name = &s->table.fields[NAME];
  *t = hc_task_spec_none();
  t->line = s->table.s.line;
  t->job = hc_name_number(name->text, name->length);
  t->submit = submit;
  t->hosts = 1;
  t->need[HC_DIM_CPU] = hc_swim_cpu(&s->o->rates);
  t->procs_asked = ceil_div(t->need[HC_DIM_CPU], 1000);
  t->need[HC_DIM_MEMORY] = s->o->rates.memory;
  t->memory_asked = s->o->rates.memory;
}

/* What the job comes to. @return how many bundles, or 0 with `*why`. */
static uint32_t make_tasks(hc_source *s, hc_time submit, const int64_t bytes[COLUMNS], const char **why)
{
  const hc_swim_rates *o = &s->o->rates;
  hc_task_spec *map = &s->tasks[0], *reduce = &s->tasks[1];
  const int64_t maps = HC_MAX(ceil_div(bytes[INPUT], o->block_size), 1);
  const int64_t reduces = ceil_div(bytes[SHUFFLE], o->reduce_size);
  if (maps > HC_SWIM_TASKS || reduces > HC_SWIM_TASKS) {
    *why = "it comes to more than 16,777,216 tasks: raise block_size or reduce_size";
    return 0;
  }
  *why = "its tasks would run longer than 292 years: raise map_rate or reduce_rate";
  begin_task(s, map, submit);
  map->id = 2 * (int64_t)(s->table.s.rows + s->table.s.malformed) + 1;
  map->count = (uint32_t)maps;
  if (!hc_swim_length(o, bytes[INPUT] + (reduces == 0 ? bytes[OUTPUT] : 0), maps, o->map_rate, &map->run))
    return 0;
  if (reduces == 0) return 1;
  begin_task(s, reduce, submit);
  reduce->id = map->id + 1;
  reduce->count = (uint32_t)reduces;
  return hc_swim_length(o, bytes[SHUFFLE] + bytes[OUTPUT], reduces, o->reduce_rate, &reduce->run) ? 2 : 0;
}

/* The reduces wait for the maps. @return 0 or HC_ENOMEM. */
static hc_rc tie(hc_source *s)
{
  const hc_after after = {.job = s->tasks[0].job, .task = s->tasks[0].id, .how = HC_AFTER_ENDED};
  hc_task_extras more = hc_task_extras_none();
  more.after = &after;
  more.after_count = 1;
  s->tasks[1].more = hc_lexicon_keep(s->context->lexicon, &more);
  return s->tasks[1].more == 0 ? HC_ENOMEM : 0;
}

/* @return the number of bundles, 0 if the line was rejected, or an error. */
static hc_rc read_job(hc_source *s, hc_error *e)
{
  static const char *const titles[COLUMNS] = {
      "name",           "the time of submission", "the gap",
      "the bytes read", "the bytes shuffled",     "the bytes written"};
  const hc_moment_format format = {.kind = HC_MOMENT_SECONDS, .unit = s->o->time_unit};
  hc_delimited *t = &s->table;
  int64_t bytes[COLUMNS] = {0};
  const char *why;
  hc_time submit;
  uint32_t count;
  if (t->count < COLUMNS || t->count > WITH_PATHS)
    return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where 6 or 9 are expected",
                               t->count);
  for (int c = SUBMIT; c < COLUMNS; c++) {
    const hc_field *f = &t->fields[c];
    const bool fine = c == SUBMIT ? hc_field_moment(f, &format, NULL, &submit)
                                  : c == GAP || hc_field_amount(f, 1, &bytes[c]);
    if (!fine)
      return hc_delimited_reject(t, s->context, f->text, e,
                                 "%s holds \"%.*s\", which is no number that this can be", titles[c],
                                 (int)HC_MIN(f->length, (size_t)40), f->text);
  }
  count = make_tasks(s, submit, bytes, &why);
  if (count == 0) return hc_delimited_reject(t, s->context, NULL, e, "%s", why);
  if (count == 2) TRY(tie(s));
  t->s.rows++;
  return (hc_rc)count;
}

/* ---- the reader ---- */

static void swim_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_delimited_close(&s->table);
  hc_free(a, s, sizeof *s);
}

static hc_rc swim_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source swim", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  s->info.derived =
      "The trace has bytes only. Maps are input / block_size, reduces shuffle / reduce_size; their run "
      "times are startup + bytes / rate, an assumption; reduces start when all maps of their job have "
      "ended.";
  TRY_OR(hc_delimited_open(&s->table, c->allocator, o->file, e), fail);
  hc_input_sum(s->table.in, c->sums);
  TRY_OR(hc_origin_read("source swim", o->origin, NULL, &s->table.s.origin, e), fail);
  s->table.separator = '\t';
  s->table.quotes = false;
  *out = s;
  return 0;
fail:
  swim_close(s);
  return rc;
}

static hc_rc swim_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_delimited *t = &s->table;
  while (!t->s.at_end) {
    hc_rc rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return hc_delimited_end(t, "a workload of SWIM", "`hindcast list reader` has the formats", e);
    rc = read_job(s, e);
    if (s->context->ledger) s->context->ledger->read += rc > 0 ? (uint64_t)rc : 1;
    if (rc < 0) return rc;
    if (rc == 0) continue;
    *job = (hc_job){.tasks = s->tasks, .task_count = (uint32_t)rc};
    return 1;
  }
  return 0;
}

static const hc_trace_info *swim_info(hc_source *s)
{
  s->info.unix_start = hc_delimited_unix_start(&s->table);
  return &s->info;
}

static hc_rc swim_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  return hc_delimited_visit(&s->table, v, e);
}

static void swim_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.in, done, total);
}

static hc_refers swim_refers(const hc_source *s)
{
  HC_UNUSED(s);
  return HC_REFERS_JOB;
}

/* The fields of a line between tabs. @return how many there are, of which 9 at most are written. */
static size_t cut(const char *line, size_t n, hc_field out[WITH_PATHS])
{
  size_t count = 0, begin = 0;
  if (n > 0 && line[n - 1] == '\r') n--;
  for (size_t i = 0; i <= n; i++) {
    if (i < n && line[i] != '\t') continue;
    if (count < WITH_PATHS) out[count] = (hc_field){.text = line + begin, .length = i - begin};
    count++;
    begin = i + 1;
  }
  return count;
}

static hc_line_kind swim_line_key(const void *given, const char *line, size_t n, hc_time *submit, int64_t *id)
{
  const options *o = given;
  const hc_moment_format format = {.kind = HC_MOMENT_SECONDS, .unit = o->time_unit};
  hc_field f[WITH_PATHS];
  size_t i = 0;
  while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) i++;
  if (i == n || line[i] == '#') return HC_LINE_HEAD;
  if (cut(line, n, f) < COLUMNS || !hc_field_moment(&f[SUBMIT], &format, NULL, submit)) return HC_LINE_BROKEN;
  *id = 0; /* of equal times, the order is that of the file */
  return HC_LINE_ROW;
}

/* Six or nine fields between tabs: whole numbers from the second to the sixth, and none in the first. */
static int swim_recognise(const char *name, const char *head, size_t size)
{
  const char *end = memchr(head, '\n', size);
  hc_field f[WITH_PATHS];
  int64_t number;
  HC_UNUSED(name);
  const size_t count = end ? cut(head, (size_t)(end - head), f) : 0;
  if ((count != COLUMNS && count != WITH_PATHS) || hc_field_whole(&f[NAME], &number)) return 0;
  for (int c = SUBMIT; c < COLUMNS; c++)
    if (!hc_field_whole(&f[c], &number) || number < 0) return 0;
  return 90;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, file, NULL,
             "Path of the workload, plain, .gz, .zst or .xz; - is standard input."),
    HC_SWIM_PARAMS(options, rates),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6, "What one unit of a time of submission means."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Which date (UTC) or Unix time time 0 is, for tables by day. Default: none."),
    {0}};

const hc_reader_type hc_reader_swim = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "swim",
         .summary = "Hadoop workloads of SWIM: jobs as bytes, from which maps and reduces are derived",
         .detail =
             "A line is a job, of which two bundles are made. maps = ceil(input / block_size), at least 1; "
             "reduces = "
             "ceil(shuffle / reduce_size). A map runs startup + input / maps / map_rate, and writes the "
             "output too if "
             "there are no reduces; a reduce runs startup + (shuffle + output) / reduces / reduce_rate, "
             "after all maps "
             "of its job have ended. The trace has neither tasks nor times of tasks: rates, startup, cores "
             "and memory "
             "are assumptions, to be set by who knows better. Bundle 2n - 1 is the maps of job n of the "
             "file, 2n its "
             "reduces. The 24 samples of an hour that a file holds were taken from months and stitched to a "
             "day.",
         .source =
             "Chen, Ganapathi, Griffith, Katz: \"The Case for Evaluating MapReduce Performance Using "
             "Workload "
             "Suites\", MASCOTS 2011, doi:10.1109/MASCOTS.2011.12; https://github.com/SWIMProjectUCB/SWIM",
         .params = params, .options_size = sizeof(options)},
    .open = swim_open,
    .next = swim_next,
    .info = swim_info,
    .visit = swim_visit,
    .progress = swim_progress,
    .close = swim_close,
    .recognise = swim_recognise,
    .refers = swim_refers,
    .line_key = swim_line_key,
};
