/* helios.c -- reads cluster_log.csv of the Helios data set, and tables of GPU clusters that are like it
 * (Acme).
 *
 * The header says where things stand; a column may have any of the titles below. A row is a job that ran, or
 * was to run, on `node_num` hosts with `gpu_num` GPUs and `cpu_num` cores in all, which are dealt out to the
 * hosts as evenly as whole GPUs allow: where they do not come out even, the hosts with one GPU less are a
 * chunk. Memory, where a table has it, is that of each host.
 *
 * Run time is end - start, and `duration` only in a table without these two columns, since Acme's holds the
 * wait as well. Helios writes local time without saying whose; Acme has an offset with each date.
 *
 * Users, virtual clusters and kinds of job become numbers from 1 in order of first sight. It does not read
 * cluster_gpu_number.csv (the size of each virtual cluster on each day), and does not look at failures'
 * times. Source: Hu et al., SC 2021, doi:10.1145/3458817.3476223; Hu et al., NSDI 2024 (Acme). Cost: about 1
 * us a row. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/delimited.h"
#include "workload/fields.h"
#include "workload/ledger.h"
#include "workload/origin.h"
#include "workload/spec.h"

#define MOST_OF_ANY ((int64_t)1 << 30) /* GPUs, cores, hosts of a job */

typedef enum column {
  ID,
  USER,
  CLUSTER,
  GPUS,
  CPUS,
  NODES,
  STATE,
  SUBMIT,
  START,
  END,
  DURATION,
  WAIT,
  MEMORY,
  KIND,
  COLUMNS
} column;

#define TITLES 4
static const char *const titles[COLUMNS][TITLES] = {{"job_id", "jobid", "id", "job_name"},
                                                    {"user", "user_id", "user_name"},
                                                    {"vc", "virtual_cluster", "vc_name", "partition"},
                                                    {"gpu_num", "num_gpus", "gpus", "gpu"},
                                                    {"cpu_num", "num_cpus", "cpus", "cpu"},
                                                    {"node_num", "num_nodes", "nodes", "node"},
                                                    {"state", "status", "job_state"},
                                                    {"submit_time", "submitted_time", "submit"},
                                                    {"start_time", "start"},
                                                    {"end_time", "finish_time", "end"},
                                                    {"duration", "run_time", "runtime"},
                                                    {"queue", "queue_time", "wait_time"},
                                                    {"mem_per_pod_GB", "mem_per_node_GB"},
                                                    {"type", "job_type"}};

typedef enum processors { PROCESSORS_CPU, PROCESSORS_GPU } processors;

typedef struct options {
  const char *file, *zone, *origin;
  hc_time time_unit;
  int processors;
} options;

enum { NAMED = 3 }; /* user, cluster, kind */

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_delimited table;
  hc_zone *zone;
  hc_interned named[NAMED];
  hc_buffer scratch;
  hc_task_spec task;
  hc_trace_info info;
  const hc_field *wrong; /* why the row at hand is malformed */
  const char *wrong_text;
  struct {
    uint64_t at[COLUMNS]; /* number of the column, from 1; 0: not in this table */
    uint64_t begun;
  } s;
};

/* ---- the header ---- */

static void find_columns(const hc_delimited *t, uint64_t at[COLUMNS])
{
  for (int c = 0; c < COLUMNS; c++) {
    at[c] = 0;
    for (int i = 0; i < TITLES && titles[c][i] && at[c] == 0; i++)
      at[c] = (uint64_t)hc_delimited_column(t, titles[c][i]);
  }
}

static hc_rc check_columns(const hc_delimited *t, const uint64_t at[COLUMNS], hc_error *e)
{
  const char *missing = at[SUBMIT] == 0 ? "submit_time"
                        : at[DURATION] == 0 && !(at[START] && at[END])
                            ? "start_time and end_time, or duration,"
                        : at[GPUS] == 0 && at[CPUS] == 0 ? "gpu_num or cpu_num"
                                                         : NULL;
  if (!missing) return 0;
  return hc_fail(
      e, HC_EINPUT, t->name, hc_line_number(t->s.line), 0,
      "no column %s is in this header, which begins with \"%.80s\"; the reader csv takes any columns",
      missing, t->titles[0]);
}

static hc_rc read_header(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  const hc_rc rc = hc_delimited_next(t, e);
  if (rc < 0) return rc;
  if (rc == 0)
    return hc_fail(
        e, HC_EINPUT, t->name, 0, 0,
        "the file has no header line, such as job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,"
        "start_time,end_time,duration,queue");
  TRY(hc_delimited_keep_titles(t));
  find_columns(t, s->s.at);
  return check_columns(t, s->s.at, e);
}

/* ---- one row ---- */

/* A field of the row; NULL if the table or the row does not have it. */
static const hc_field *get(const hc_source *s, column c)
{
  static const char *const missing[] = {"", "-1", "None", "NULL", "null", "nan", "NaN", "NaT", "Unknown"};
  const uint64_t n = s->s.at[c];
  if (n == 0 || n > s->table.count) return NULL;
  const hc_field *f = &s->table.fields[n - 1];
  for (size_t i = 0; i < HC_ARRAY_LEN(missing); i++)
    if (hc_field_is(f, missing[i])) return NULL;
  return f;
}

static bool is_wrong(hc_source *s, const hc_field *f, const char *text)
{
  s->wrong = f;
  s->wrong_text = text;
  return false;
}

static bool read_moment(hc_source *s, column c, hc_time *out)
{
  const hc_moment_format iso = {.kind = HC_MOMENT_ISO},
                         unix = {.kind = HC_MOMENT_UNIX, .unit = s->o->time_unit};
  const hc_field *f = get(s, c);
  *out = HC_UNKNOWN;
  if (!f || hc_field_moment(f, &iso, s->zone, out) || hc_field_moment(f, &unix, NULL, out)) return true;
  return is_wrong(s, f, "is no date such as 2020-06-09 18:41:01");
}

static bool difference(hc_time later, hc_time earlier, hc_time *out)
{
  return !__builtin_sub_overflow(later, earlier, out) && *out >= 0;
}

static bool read_times(hc_source *s)
{
  const hc_field *duration = get(s, DURATION), *wait = get(s, WAIT);
  hc_task_spec *t = &s->task;
  hc_time start, end;
  if (!read_moment(s, SUBMIT, &t->submit) || !read_moment(s, START, &start) || !read_moment(s, END, &end))
    return false;
  if (wait && !hc_field_duration(wait, s->o->time_unit, &t->wait))
    return is_wrong(s, wait, "is no length of time");
  if (t->submit != HC_UNKNOWN && start != HC_UNKNOWN && !difference(start, t->submit, &t->wait))
    return is_wrong(s, get(s, START), "is before the submission");
  if (start != HC_UNKNOWN && end != HC_UNKNOWN && !difference(end, start, &t->run))
    return is_wrong(s, get(s, END), "is before the start");
  if (t->submit != HC_UNKNOWN && start == HC_UNKNOWN && end != HC_UNKNOWN &&
      t->status == HC_STATUS_CANCELLED && !difference(end, t->submit, &t->wait)) /* it left the queue then */
    return is_wrong(s, get(s, END), "is before the submission");
  if (s->s.at[START] && s->s.at[END]) return true;
  if (!duration || hc_field_duration(duration, s->o->time_unit, &t->run)) return true;
  return is_wrong(s, duration, "is no length of time");
}

static bool read_count(hc_source *s, column c, int64_t *out)
{
  const hc_field *f = get(s, c);
  *out = HC_UNKNOWN;
  if (!f || (hc_field_whole(f, out) && *out >= 0 && *out <= MOST_OF_ANY)) return true;
  return is_wrong(s, f, "is no number of GPUs, cores or hosts");
}

/* Cores of each host, in thousandths, when `cpus` are dealt out to `hosts`. */
static int64_t share(const hc_source *s, int64_t cpus, int64_t hosts)
{
  const int64_t milli = (cpus * 1000 + hosts - 1) / hosts;
  hc_row_ledger *l = s->context->ledger;
  if (l && cpus * 1000 % hosts != 0) {
    const double exact = (double)cpus * 1000 / (double)hosts, error = ((double)milli - exact) / exact;
    l->rounded++;
    l->rounding = HC_MAX(l->rounding, error);
  }
  return milli;
}

/* @return 1, 0 if a field is wrong, or HC_ENOMEM. */
static hc_rc read_demand(hc_source *s)
{
  const hc_field *memory = get(s, MEMORY);
  hc_task_spec *t = &s->task;
  int64_t gpus, cpus, hosts;
  if (!read_count(s, GPUS, &gpus) || !read_count(s, CPUS, &cpus) || !read_count(s, NODES, &hosts)) return 0;
  if (hosts < 1) hosts = 1;
  if (memory && !hc_field_amount(memory, (int64_t)1 << 30, &t->need[HC_DIM_MEMORY])) {
    (void)is_wrong(s, memory, "is no number of gigabytes");
    return 0;
  }
  t->procs_asked = s->o->processors == PROCESSORS_GPU ? gpus : cpus;
  if (cpus > 0) t->need[HC_DIM_CPU] = share(s, cpus, hosts);
  t->hosts = hosts;
  if (gpus == HC_UNKNOWN) return 1;
  t->need[HC_DIM_GPU] = gpus / hosts * HC_DEVICE;
  if (gpus % hosts == 0) return 1;
  hc_chunk less = {.hosts = (uint32_t)(hosts - gpus % hosts)};
  hc_task_extras more = hc_task_extras_none();
  memcpy(less.need, t->need, sizeof less.need);
  t->hosts = gpus % hosts;
  t->need[HC_DIM_GPU] += HC_DEVICE;
  more.chunks = &less;
  more.chunk_count = 1;
  t->more = hc_lexicon_keep(s->context->lexicon, &more);
  return t->more == 0 ? HC_ENOMEM : 1;
}

/* A word, or a word and more behind a blank: Slurm writes "CANCELLED by 1001". */
static bool begins_with_word(const hc_field *f, const char *word)
{
  const size_t n = strlen(word);
  return hc_same_word(f->text, HC_MIN(f->length, n), word) && (f->length <= n || f->text[n] == ' ');
}

static int32_t status_of(const hc_field *f)
{
  static const char *const failed[] = {"FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "ERROR"};
  if (!f) return HC_STATUS_UNKNOWN;
  if (hc_same_word(f->text, f->length, "COMPLETED")) return HC_STATUS_COMPLETED;
  if (begins_with_word(f, "CANCELLED") || begins_with_word(f, "CANCELED")) return HC_STATUS_CANCELLED;
  for (size_t i = 0; i < HC_ARRAY_LEN(failed); i++)
    if (hc_same_word(f->text, f->length, failed[i])) return HC_STATUS_FAILED;
  return HC_STATUS_UNKNOWN;
}

static hc_rc read_names(hc_source *s, hc_error *e)
{
  int64_t *const out[NAMED] = {&s->task.user, &s->task.queue, &s->task.executable};
  const column columns[NAMED] = {USER, CLUSTER, KIND};
  for (int i = 0; i < NAMED; i++) {
    const hc_field *f = get(s, columns[i]);
    if (!f) continue;
    const hc_rc rc = hc_interned_number(&s->named[i], f, &s->scratch, out[i]);
    if (rc == HC_ELIMIT)
      return hc_fail(e, rc, s->table.name, hc_line_number(s->table.s.line), 0,
                     "%s has more than %zu different names: split the log", titles[columns[i]][0],
                     HC_NAME_LIMIT);
    TRY(rc);
  }
  return 0;
}

static bool is_running(const hc_field *f)
{
  static const char *const words[] = {"RUNNING", "SUSPENDED", "PENDING"};
  for (size_t i = 0; f && i < HC_ARRAY_LEN(words); i++)
    if (hc_same_word(f->text, f->length, words[i])) return true;
  return false;
}

/* @return 1, 0 if it is malformed, or an error. */
static hc_rc read_task(hc_source *s, hc_error *e)
{
  const hc_field *f = get(s, ID);
  s->task = hc_task_spec_none();
  s->task.line = s->table.s.line;
  s->task.id = f ? hc_name_number(f->text, f->length) : (int64_t)(s->table.s.rows + s->table.s.malformed) + 1;
  s->task.status = status_of(get(s, STATE));
  if (!read_times(s)) return 0;
  TRY(read_names(s, e));
  return read_demand(s);
}

/* Nobody takes the task: what was kept for it is kept no longer. */
static void drop_more(hc_source *s)
{
  if (s->task.more == 0) return;
  hc_lexicon_calls_of(s->context->lexicon)->drop(s->context->lexicon, s->task.more);
  s->task.more = 0;
}

static hc_rc reject_field(hc_source *s, hc_error *e)
{
  const hc_field *f = s->wrong;
  const size_t number = (size_t)(f - s->table.fields);
  return hc_delimited_reject(&s->table, s->context, f->text, e, "%.40s holds \"%.*s\", which %s",
                             number < s->table.title_count ? s->table.titles[number] : "it",
                             (int)HC_MIN(f->length, (size_t)40), f->text, s->wrong_text);
}

/* @return 1, 0 if the row was rejected, or an error. */
static hc_rc take_row(hc_source *s, hc_error *e)
{
  hc_delimited *t = &s->table;
  hc_rc rc;
  if (t->flaw)
    return hc_delimited_reject(t, s->context, t->flaw, e,
                               "text follows a closed quote; quotes within a field are doubled");
  if (t->count != t->title_count)
    return hc_delimited_reject(t, s->context, NULL, e, "it has %zu fields, where %zu are expected", t->count,
                               t->title_count);
  rc = read_task(s, e);
  if (rc < 0) return rc;
  if (rc == 0) return reject_field(s, e);
  t->s.rows++;
  if (is_running(get(s, STATE)))
    rc = hc_row_reject(s->context, t->name, t->s.line, 0, HC_REASON_STILL_RUNNING, t->record, e);
  else if (s->task.submit != HC_UNKNOWN) rc = hc_delimited_since_origin(t, s->context, &s->task.submit, e);
  if (rc != 1) drop_more(s);
  return rc;
}

/* ---- the reader ---- */

static void helios_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  for (int i = 0; i < NAMED; i++) hc_interned_fini(&s->named[i]);
  hc_buffer_fini(&s->scratch);
  hc_delimited_close(&s->table);
  hc_zone_free(s->zone);
  hc_free(a, s, sizeof *s);
}

static hc_rc helios_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  if (!o->file || !o->file[0])
    return hc_fail(e, HC_EUSAGE, "source helios", 0, 0,
                   "no file is given: set `file`, or `-` for standard input");
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->info.unix_start = s->info.jobs = s->info.records = HC_UNKNOWN;
  s->info.zone = o->zone;
  s->info.derived =
      "GPUs and cores, recorded for the whole job, are dealt out evenly to its hosts; the run time is "
      "end - start, or `duration` in a table without these two.";
  hc_buffer_init(&s->scratch, c->allocator);
  for (int i = 0; i < NAMED; i++) {
    static const hc_called what[NAMED] = {HC_CALLED_USER, HC_CALLED_QUEUE, HC_CALLED_EXECUTABLE};
    hc_interned_init(&s->named[i], c->allocator, true);
    s->named[i].lexicon = c->lexicon;
    s->named[i].what = what[i];
  }
  TRY_OR(hc_origin_zone(c->allocator, "source helios", o->zone, &s->zone, e), fail);
  TRY_OR(hc_delimited_open(&s->table, c->allocator, o->file, e), fail);
  hc_input_sum(s->table.in, c->sums);
  s->table.separator = ',';
  s->table.zone = s->zone;
  s->table.origin_given = o->origin != NULL;
  TRY_OR(hc_origin_read("source helios", o->origin, s->zone, &s->table.s.origin, e), fail);
  TRY_OR(read_header(s, e), fail);
  *out = s;
  return 0;
fail:
  helios_close(s);
  return rc;
}

static hc_rc helios_next(hc_source *s, hc_job *job, hc_error *e)
{
  hc_delimited *t = &s->table;
  while (!t->s.at_end) {
    hc_rc rc = hc_delimited_next(t, e);
    if (rc < 0) return rc;
    if (rc == 0) return hc_delimited_end(t, "a log of Helios", "`hindcast list reader` has the formats", e);
    if (s->context->ledger) s->context->ledger->read++;
    rc = take_row(s, e);
    if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
    if (rc != 0) return rc;
  }
  return 0;
}

static const hc_trace_info *helios_info(hc_source *s)
{
  s->info.unix_start = hc_delimited_unix_start(&s->table);
  return &s->info;
}

static hc_rc helios_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_delimited_visit(&s->table, v, e));
  for (int i = 0; i < NAMED; i++) TRY(hc_interned_visit(&s->named[i], v));
  return 0;
}

static void helios_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.in, done, total);
}

static bool holds(const char *text, size_t n, const char *word)
{
  const size_t m = strlen(word);
  for (size_t i = 0; i + m <= n; i++)
    if (memcmp(text + i, word, m) == 0) return true;
  return false;
}

/* By the titles that Slurm's and other logs do not have. */
static int helios_recognise(const char *name, const char *head, size_t size)
{
  const char *end = memchr(head, '\n', size);
  const size_t n = end ? (size_t)(end - head) : size;
  HC_UNUSED(name);
  if (!holds(head, n, "submit_time")) return 0;
  return holds(head, n, "gpu_num") && holds(head, n, "node_num") ? 96 : 0;
}

/* ---- lines, for who sorts them ---- */

typedef struct layout {
  const options *o;
  hc_zone *zone;
  size_t id, submit; /* numbers of their columns, from 1 */
} layout;

static bool is_around(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '"';
}

/* The next field of a line, between `*at` and the next comma outside quotes. False behind the last one. */
static bool next_field(const char *line, size_t length, size_t *at, hc_field *out, bool *open)
{
  const size_t begin = *at;
  size_t i = begin;
  if (begin > length) return false;
  *open = false;
  for (; i < length && (*open || line[i] != ','); i++) *open ^= line[i] == '"';
  *at = i + 1;
  *out = (hc_field){.text = line + begin, .length = i - begin};
  while (out->length > 0 && is_around(out->text[out->length - 1])) out->length--;
  for (; out->length > 0 && is_around(out->text[0]); out->length--) out->text++;
  return true;
}

static bool is_titled(const hc_field *f, column c)
{
  for (int i = 0; i < TITLES && titles[c][i]; i++)
    if (hc_same_word(f->text, f->length, titles[c][i])) return true;
  return false;
}

/* Where the titles of the id and of the submission stand. */
static void read_titles(layout *l, const char *line, size_t n)
{
  size_t at = 0;
  hc_field f;
  bool open;
  for (size_t number = 1; next_field(line, n, &at, &f, &open); number++) {
    if (l->id == 0 && is_titled(&f, ID)) l->id = number;
    if (l->submit == 0 && is_titled(&f, SUBMIT)) l->submit = number;
  }
}

static bool is_passed_over(const char *line, size_t n)
{
  size_t i = 0;
  while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) i++;
  return i == n || line[i] == '#';
}

static void helios_line_end(const hc_allocator *a, void *made)
{
  layout *l = made;
  if (!l) return;
  hc_zone_free(l->zone);
  hc_free(a, l, sizeof *l);
}

static hc_rc helios_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                               void **out, hc_error *e)
{
  const options *o = given;
  size_t n = 0;
  layout *l = hc_alloc(a, sizeof *l);
  if (!l) return HC_ENOMEM;
  l->o = o;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    size -= 3;
  }
  for (; size > 0; text += n, size -= n) {
    const char *end = memchr(text, '\n', size);
    n = end ? (size_t)(end - text) + 1 : size;
    if (is_passed_over(text, n - (end != NULL))) continue;
    n -= end != NULL;
    read_titles(l, text, n);
    break;
  }
  hc_rc rc = hc_origin_zone(a, "source helios", o->zone, &l->zone, e);
  if (rc == 0 && l->submit == 0)
    rc = hc_fail(
        e, HC_EINPUT, o->file ? o->file : "source helios", 0, 0,
        "the first line that is no comment has no column submit_time, by which rows are put in order");
  if (rc < 0) helios_line_end(a, l);
  else *out = l;
  return rc;
}

static hc_line_kind helios_line_key(const void *made, const char *line, size_t n, hc_time *submit,
                                    int64_t *id)
{
  const layout *l = made;
  const hc_moment_format iso = {.kind = HC_MOMENT_ISO},
                         unix = {.kind = HC_MOMENT_UNIX, .unit = l->o->time_unit};
  size_t at = 0;
  hc_field f, name = {.text = ""};
  bool open = false, found = false;
  if (is_passed_over(line, n)) return HC_LINE_HEAD;
  *id = 0;
  for (size_t number = 1; next_field(line, n, &at, &f, &open); number++) {
    if (number == l->id) *id = hc_name_number(f.text, f.length);
    if (number != l->submit) continue;
    name = f;
    found = true;
  }
  if (open) return HC_LINE_PART;
  if (!found) return HC_LINE_BROKEN;
  if (is_titled(&name, SUBMIT)) return HC_LINE_HEAD;
  if (hc_field_moment(&name, &iso, l->zone, submit) || hc_field_moment(&name, &unix, NULL, submit))
    return HC_LINE_ROW;
  return HC_LINE_BROKEN;
}

/* ---- the table ---- */

static const hc_param params[] = {
    HC_PARAM(TEXT, options, file, NULL, "Path of the table, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, processors, "cpu|gpu", "cpu",
             "What counts as a task's processors, for cells that have nothing else: its cores, or its GPUs."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "What one unit of `duration`, of `queue`, and of a time that is a number (since 1970) means."),
    HC_PARAM(TEXT, options, zone, NULL,
             "Time zone of dates without an offset, such as Asia/Shanghai or +08:00. Default: UTC, so "
             "that days are those that are written."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Time 0: a date or a Unix time; rows submitted before it are left out. Default: the begin of "
             "the day on which the first row was submitted."),
    {0}};

const hc_reader_type hc_reader_helios = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "helios",
         .summary = "cluster_log.csv of SenseTime's Helios, and tables of GPU clusters like it (Acme)",
         .detail =
             "A row is a task on node_num hosts (none said: one) with gpu_num GPUs and cpu_num cores in all, "
             "dealt out "
             "evenly; the rounding up of a core's thousandths is counted in the ledger. Columns are found by "
             "their "
             "titles, of which variants are known: job_id, user, vc, gpu_num, cpu_num, node_num, state, "
             "submit_time, "
             "start_time, end_time, duration, queue, mem_per_pod_GB (of each host, GiB), type. COMPLETED, "
             "CANCELLED, "
             "and FAILED, TIMEOUT, NODE_FAIL (failed) are known states; rows that are RUNNING, SUSPENDED or "
             "PENDING are "
             "rejected. vc is the queue, type the program. A job that asked for no GPU is kept: transforms "
             "select.",
         .source = "Hu et al., SC 2021, doi:10.1145/3458817.3476223; "
                   "https://github.com/S-Lab-System-Group/HeliosData; "
                   "Hu et al., NSDI 2024, https://github.com/InternLM/AcmeTrace",
         .params = params, .options_size = sizeof(options)},
    .open = helios_open,
    .next = helios_next,
    .info = helios_info,
    .visit = helios_visit,
    .progress = helios_progress,
    .close = helios_close,
    .recognise = helios_recognise,
    .line_key = helios_line_key,
    .line_begin = helios_line_begin,
    .line_end = helios_line_end,
};
