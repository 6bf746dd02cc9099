/* yt_operations.c -- finished operations in the layout of YTsaurus's scheduler simulator, its
 * operations_stats_file:
 *
 *   id,job_count,preempted_job_count,start_time,finish_time,real_duration,jobs_total_duration,
 *   job_max_duration,preempted_jobs_total_duration,operation_type,operation_state,in_timeframe
 *
 * What happened comes from the table of the metric by_job; ids, types, states and real durations from the
 * file of operations that was run, which is read once more: the n-th there is job n. Times count from the
 * earliest operation, and are seconds with as many decimals as they need: 14.95s. job_count is of jobs
 * that were not preempted, jobs_total_duration of all. An operation is finished if as many of its jobs
 * ended as the file has, preempted ones not counted; rows come as they finished. Source: the scheduler
 * simulator of YTsaurus. */
#include <string.h>

#include "base/fields.h"
#include "base/json.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "output/emit.h"

#define MOST_WORD 64

enum { SUBMIT, START, END, ATTEMPTS, STOPPED, TIME, LONGEST, STOPPED_TIME, FIGURES };
static const char *const figure_words[FIGURES] = {"submit",  "start", "end",     "attempts",
                                                  "stopped", "time",  "longest", "stopped_time"};

typedef struct options {
  const char *file;
  bool header;
} options;

typedef struct operation {
  double figures[FIGURES]; /* s, attempts */
  hc_time start, finish;   /* in reality, of one origin; HC_UNKNOWN */
  uint64_t jobs, rank;
  char id[MOST_WORD], type[MOST_WORD], state[MOST_WORD];
  bool in_timeframe, has_run;
} operation;

typedef struct writer {
  hc_emit emit;
  const hc_allocator *allocator;
  hc_json *in;
  operation *operations; /* [count] by rank in the file */
  size_t count, cap;
  bool found;
} writer;

/* ---- the file ---- */

static void put(char *to, const hc_json_token *t)
{
  const size_t n = HC_MIN(t->size, MOST_WORD - 1);
  memcpy(to, t->text, n);
  to[n] = '\0';
}

/* map_reduce: MapReduce, as the simulator spells it. */
static void camel(char *word)
{
  char *to = word;
  bool up = true;
  for (const char *c = word; *c; c++) {
    if (*c != '_') *to++ = up && *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
    up = *c == '_';
  }
  *to = '\0';
}

/* A date, or seconds; HC_UNKNOWN if it is neither. */
static hc_time moment(const hc_json_token *t)
{
  const hc_field f = {.text = t->text, .length = t->size};
  const bool is_date = t->kind == HC_JSON_STRING;
  const hc_moment_format format = {.kind = is_date ? HC_MOMENT_ISO : HC_MOMENT_SECONDS, .unit = HC_SECOND};
  hc_time out;
  return (is_date || t->kind == HC_JSON_NUMBER) && hc_field_moment(&f, &format, NULL, &out) ? out
                                                                                            : HC_UNKNOWN;
}

/* Jobs but for those of preempted state, which the last word of each says. */
static hc_rc count_jobs(writer *w, const hc_json_token *begin, uint64_t *out)
{
  hc_error *e = w->emit.error;
  hc_json_token t;
  hc_rc rc, inner;
  if (begin->kind != HC_JSON_ARRAY) return hc_json_skip(w->in, begin, e);
  while ((rc = hc_json_next(w->in, &t, e)) == 1) {
    bool counts = true;
    if (t.kind != HC_JSON_ARRAY) {
      TRY(hc_json_skip(w->in, &t, e));
      continue;
    }
    for (int at = 0; (inner = hc_json_next(w->in, &t, e)) == 1; at++) {
      if (at == 7 && strstr(t.text, "preempt")) counts = false;
      TRY(hc_json_skip(w->in, &t, e));
    }
    if (inner < 0) return inner;
    *out += counts;
  }
  return rc;
}

static hc_rc read_operation(writer *w, const hc_json_token *begin)
{
  enum { ID, TYPE, STATE, SINCE, UNTIL, FRAME, JOBS, KEYS };
  static const char *const keys[] = {"operation_id", "operation_type", "state",           "start_time",
                                     "finish_time",  "in_timeframe",   "job_descriptions"};
  operation o = {.start = HC_UNKNOWN, .finish = HC_UNKNOWN, .rank = w->count};
  hc_error *e = w->emit.error;
  hc_json_token t = *begin;
  hc_rc rc = 0;
  if (begin->kind != HC_JSON_OBJECT)
    return hc_fail(e, HC_EINPUT, hc_json_name(w->in), t.line, t.column,
                   "an operation is a map; give the file of operations that was run");
  size_t which;
  while ((rc = hc_json_member(w->in, keys, KEYS, &which, &t, e)) == 1) {
    if (which == ID) put(o.id, &t);
    if (which == TYPE) put(o.type, &t);
    if (which == STATE) put(o.state, &t);
    if (which == SINCE) o.start = moment(&t);
    if (which == UNTIL) o.finish = moment(&t);
    if (which == FRAME) o.in_timeframe = t.kind == HC_JSON_TRUE;
    if (which == JOBS) TRY(count_jobs(w, &t, &o.jobs));
    else TRY(hc_json_skip(w->in, &t, e));
  }
  if (rc < 0) return rc;
  camel(o.type);
  TRY(hc_reserve(w->allocator, (void **)&w->operations, &w->cap, w->count + 1, sizeof *w->operations));
  w->operations[w->count++] = o;
  return 0;
}

static hc_rc read_file(writer *w)
{
  hc_error *e = w->emit.error;
  hc_json_token t;
  hc_rc rc, inner;
  while ((rc = hc_json_next(w->in, &t, e)) == 1) {
    if (t.kind != HC_JSON_ARRAY) {
      TRY(read_operation(w, &t));
      continue;
    }
    while ((inner = hc_json_next(w->in, &t, e)) == 1) TRY(read_operation(w, &t));
    if (inner < 0) return inner;
  }
  return rc;
}

/* ---- the result ---- */

/* values: scope, table, key, name, unit, value. */
static hc_rc hear(void *ctx, const char *const *values)
{
  writer *w = ctx;
  int64_t key;
  double value;
  if (!values[0] || strcmp(values[0], "all") != 0 || !values[1] || strcmp(values[1], "by_job") != 0) return 0;
  w->found = true;
  if (!values[2] || !values[3] || !values[5] || hc_parse_int(values[2], strlen(values[2]), &key) < 0 ||
      key < 1 || (uint64_t)key > w->count || hc_parse_real(values[5], strlen(values[5]), &value) < 0)
    return 0;
  operation *o = &w->operations[key - 1];
  o->has_run = true;
  for (int i = 0; i < FIGURES; i++)
    if (strcmp(values[3], figure_words[i]) == 0) o->figures[i] = value;
  return 0;
}

static bool is_finished(const operation *o)
{
  return o->has_run && o->figures[ATTEMPTS] - o->figures[STOPPED] >= (double)o->jobs;
}

HC_SORT(sort_by_end, operation,
        a->figures[END] != b->figures[END] ? a->figures[END] < b->figures[END] : a->rank < b->rank)

/* Microseconds, as the simulator counts. */
static void time_field(writer *w, double seconds)
{
  const hc_time micro = (hc_time)(seconds * 1e6 + 0.5);
  hc_buffer_add(&w->emit.text, ",", 1);
  hc_emit_seconds(&w->emit, micro * 1000, "");
  hc_buffer_add(&w->emit.text, "s", 1);
}

static hc_rc write_row(writer *w, const operation *o, double origin)
{
  const double real =
      o->start == HC_UNKNOWN || o->finish == HC_UNKNOWN ? 0 : (double)(o->finish - o->start) / 1e9;
  hc_buffer *text = &w->emit.text;
  hc_csv_field(text, o->id, strlen(o->id));
  hc_buffer_printf(text, ",%.0f,%.0f", o->figures[ATTEMPTS] - o->figures[STOPPED], o->figures[STOPPED]);
  time_field(w, o->figures[SUBMIT] - origin);
  time_field(w, o->figures[END] - origin);
  time_field(w, HC_MAX(real, 0.0));
  time_field(w, o->figures[TIME]);
  time_field(w, o->figures[LONGEST]);
  time_field(w, o->figures[STOPPED_TIME]);
  hc_buffer_text(text, ",");
  hc_csv_field(text, o->type, strlen(o->type));
  hc_buffer_text(text, ",");
  hc_csv_field(text, o->state, strlen(o->state));
  hc_buffer_text(text, o->in_timeframe ? ",1\n" : ",0\n");
  return hc_emit_row(&w->emit);
}

static hc_rc write_rows(writer *w)
{
  double origin = 0;
  bool any = false;
  for (size_t i = 0; i < w->count; i++) {
    const operation *o = &w->operations[i];
    if (o->has_run && (!any || o->figures[SUBMIT] < origin)) origin = o->figures[SUBMIT];
    any |= o->has_run;
  }
  sort_by_end(w->operations, w->count);
  for (size_t i = 0; i < w->count; i++)
    if (is_finished(&w->operations[i])) TRY(write_row(w, &w->operations[i], origin));
  return 0;
}

static hc_rc write_all(writer *w, const char *file, hc_result *r, hc_error *e)
{
  TRY(hc_json_open_yson(w->allocator, file, &w->in, e));
  TRY(read_file(w));
  TRY(hc_result_rows(r, "cells", 6, hear, w, e));
  if (!w->found)
    return hc_fail(e, HC_EUSAGE, hc_result_path(r), 0, 0,
                   "the result has no table of jobs; run it with the metric `by_job`");
  return write_rows(w);
}

/* Of the one source, however the configuration spells that there is one. */
static const char *source_file(hc_result *r)
{
  static const char *const paths[] = {"source.0.file", "source.file"};
  const char *out = NULL;
  for (size_t i = 0; i < HC_ARRAY_LEN(paths) && !out; i++) out = hc_result_config(r, paths[i]);
  return out;
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  const options *o = opts;
  const char *file = o->file && o->file[0] ? o->file : source_file(r);
  writer w = {.allocator = a};
  hc_rc rc;
  if (!file)
    return hc_fail(e, HC_EUSAGE, "exporter yt_operations", 0, 0,
                   "which operations were run? Say it with file=operations.yson");
  hc_emit_init(&w.emit, a, out, e);
  if (o->header)
    hc_buffer_text(
        &w.emit.text,
        "id,job_count,preempted_job_count,start_time,finish_time,real_duration,jobs_total_duration,"
        "job_max_duration,preempted_jobs_total_duration,operation_type,operation_state,in_timeframe\n");
  rc = write_all(&w, file, r, e);
  hc_json_free(w.in);
  hc_free(a, w.operations, w.cap * sizeof *w.operations);
  return hc_emit_end(&w.emit, rc);
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "Path of the file of operations that was run. Default: that of the run's source."),
    HC_PARAM(BOOL, options, header, "true", "Begin with a line of column names."),
    {.name = NULL},
};

const hc_exporter_type hc_exporter_yt_operations = {
    .component = {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "yt_operations",
                  .summary = "finished operations in the layout of YTsaurus's scheduler simulator",
                  .detail = "A row for each operation, in the order of their ends, of a run with the reader "
                            "yt_operations and the metric by_job. Times count from the earliest operation: "
                            "14.95s. job_count leaves out preempted jobs, jobs_total_duration does not. Ids, "
                            "types, states, in_timeframe and real_duration are those of the file.",
                  .source = "YTsaurus (github.com/ytsaurus/ytsaurus), its scheduler simulator",
                  .params = params, .options_size = sizeof(options)},
    .run = run,
};
