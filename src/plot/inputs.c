/* inputs.c -- what is drawn: results with the tasks that started and ended, or a study. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "plot/job.h"
#include "study/stored.h"

#define BLOCK 1024

/* ---- what a file is ---- */

hc_rc hc_input_kind_of(const hc_allocator *a, const char *path, hc_input_kind *out, hc_error *e)
{
  char head[16] = {0};
  hc_error ignored = {0};
  sqlite3 *db = NULL;
  FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
  HC_UNUSED(a);
  *out = HC_INPUT_TABLE;
  if (strcmp(path, "-") == 0) return 0;
  if (hc_study_is_open(path)) {
    if (file) (void)fclose(file);
    *out = HC_INPUT_STUDY;
    return 0;
  }
  if (!file)
    return hc_fail(
        e, HC_EIO, path, 0, 0,
        "it cannot be opened; name a result (`hindcast run`), a study's store (`hindcast study run`), "
        "or a table of one (`hindcast study table --csv`)");
  const size_t n = fread(head, 1, sizeof head, file);
  (void)fclose(file);
  if (n < sizeof head || memcmp(head, "SQLite format 3", sizeof head) != 0) return 0;
  const hc_rc rc = hc_study_stored_open(path, &db, &ignored);
  (void)sqlite3_close(db);
  *out = rc >= 0 || rc == HC_EVERSION ? HC_INPUT_STUDY : HC_INPUT_RESULT;
  return rc == HC_ENOMEM ? rc : 0;
}

static hc_rc need(hc_plot_job *j, const char *path, hc_input_kind wanted, hc_error *e)
{
  static const char *const what[] = {"a result", "a study's store", "no result and no study"};
  static const char *const remedy[] = {"curve, bars, forest and heat draw studies",
                                       "series, ecdf, heat, bars and forest draw results",
                                       "a table as CSV is for curve and bars"};
  hc_input_kind kind;
  TRY(hc_input_kind_of(j->allocator, path, &kind, e));
  if (kind == wanted) return 0;
  return hc_fail(e, HC_EUSAGE, path, 0, 0, "this is %s, and %s as it is asked draws %s; %s", what[kind],
                 j->request->chart, wanted == HC_INPUT_RESULT ? "results" : "a study",
                 kind == HC_INPUT_RESULT  ? remedy[1]
                 : kind == HC_INPUT_STUDY ? remedy[0]
                                          : remedy[2]);
}

/* ---- names of results ---- */

/* Without folders, and without ".db". */
static char *name_of(hc_plot_job *j, const char *path)
{
  const char *slash = strrchr(path, '/');
  path = slash ? slash + 1 : path;
  const size_t n = strlen(path);
  return hc_arena_text(&j->arena, path, n > 3 && strcmp(path + n - 3, ".db") == 0 ? n - 3 : n);
}

/* What all names begin with, up to a separator, says nothing. */
static void shorten(hc_plot_job *j)
{
  const char *first = j->results[0].name;
  size_t common = 0;
  for (size_t n = 1; j->result_count > 1 && first[n] != '\0'; n++) {
    bool is_shared = first[n - 1] != '\0' && strchr("-_.+", first[n - 1]) != NULL;
    for (size_t i = 1; i < j->result_count; i++)
      is_shared &= strncmp(j->results[i].name, first, n) == 0 && j->results[i].name[n] != '\0';
    if (is_shared) common = n;
  }
  for (size_t i = 0; i < j->result_count; i++) j->results[i].name += common;
}

/* ---- opening ---- */

hc_rc hc_job_results(hc_plot_job *j, hc_error *e)
{
  const hc_plot_request *q = j->request;
  j->results = hc_arena_alloc(&j->arena, q->file_count * sizeof *j->results);
  if (!j->results) return HC_ENOMEM;
  for (size_t i = 0; i < q->file_count; i++) {
    hc_plot_result *r = &j->results[i];
    TRY(need(j, q->files[i], HC_INPUT_RESULT, e));
    TRY(hc_result_open(j->allocator, q->files[i], &r->result, e));
    j->result_count++;
    r->name = name_of(j, q->files[i]);
    if (!r->name) return HC_ENOMEM;
    r->full = r->name;
    hc_result_facts_of(r->result, &r->facts);
    if (r->facts.unix_start == 0) r->facts.unix_start = HC_UNKNOWN; /* 1970 is no date */
    r->calendar = (hc_calendar_of_site){
        .unix_start = r->facts.unix_start, .offset = r->facts.zone_offset, .allocator = j->allocator};
    memcpy(r->calendar.zone, r->facts.zone, sizeof r->calendar.zone);
  }
  shorten(j);
  return 0;
}

hc_rc hc_job_study(hc_plot_job *j, hc_error *e)
{
  const hc_plot_request *q = j->request;
  if (j->study) return 0;
  if (q->file_count > 1)
    return hc_fail(e, HC_EUSAGE, q->files[1], 0, 0, "a chart is of one study; name one store");
  hc_study_progress so_far = {0};
  TRY(need(j, q->files[0], HC_INPUT_STUDY, e));
  TRY(hc_study_data_so_far(j->allocator, NULL, q->files[0], &j->study, &so_far, e));
  if (q->so_far) *q->so_far = so_far;
  return 0;
}

void hc_job_close_inputs(hc_plot_job *j)
{
  for (size_t i = 0; i < j->result_count; i++) {
    hc_free(j->allocator, j->results[i].records, j->results[i].cap * sizeof(hc_task_record));
    hc_result_free(j->results[i].result);
  }
  if (j->study) hc_study_data_free(j->allocator, j->study);
}

/* ---- tasks ---- */

HC_SORT(sort_by_serial, hc_task_record, a->serial < b->serial)

static bool has_ended(const hc_task_record *t)
{
  return t->start != HC_UNKNOWN && t->end != HC_UNKNOWN &&
         (t->final == HC_FINAL_COMPLETED || t->final == HC_FINAL_KILLED);
}

static hc_rc read_records(hc_plot_job *j, hc_plot_result *r, hc_error *e)
{
  const char *rows = hc_result_config(r->result, "task_rows");
  hc_task_record block[64];
  size_t got = 1;
  if (rows && strcmp(rows, "all") != 0)
    return hc_fail(e, HC_EUSAGE, hc_result_path(r->result), 0, 0,
                   "the result has task_rows: %s, and this chart needs a row for every task; run it with "
                   "task_rows: all",
                   rows);
  for (bool first = true; got > 0; first = false) {
    TRY(hc_result_tasks(r->result, first, block, HC_ARRAY_LEN(block), &got, e));
    TRY(hc_reserve(j->allocator, (void **)&r->records, &r->cap, r->count + got, sizeof *r->records));
    for (size_t i = 0; i < got; i++)
      if (has_ended(&block[i])) r->records[r->count++] = block[i];
  }
  if (r->count == 0)
    return hc_fail(e, HC_EUSAGE, hc_result_path(r->result), 0, 0,
                   "no task started and ended in it: there is nothing to draw");
  sort_by_serial(r->records, r->count);
  return 0;
}

bool hc_job_has_rows(const hc_plot_result *r)
{
  const char *rows = hc_result_config(r->result, "task_rows");
  return !rows || strcmp(rows, "all") == 0;
}

hc_rc hc_job_records_of(hc_plot_job *j, hc_plot_result *r, hc_error *e)
{
  return read_records(j, r, e);
}

hc_rc hc_job_records(hc_plot_job *j, hc_error *e)
{
  for (size_t i = 0; i < j->result_count; i++) TRY(read_records(j, &j->results[i], e));
  return 0;
}

/* ---- an expression of each task ---- */

static const char *called(const void *result, hc_called kind, int64_t number)
{
  return hc_result_name((hc_result *)(uintptr_t)result, kind, number);
}

static bool beside(void *result, int64_t serial, hc_beside *out)
{
  return hc_result_beside(result, serial, out);
}

static hc_rc evaluate(hc_grouping *g, const hc_plot_result *r, double *values, size_t *of, size_t *count)
{
  uint32_t groups[BLOCK];
  for (size_t at = 0; at < r->count; at += BLOCK) {
    const size_t n = HC_MIN(r->count - at, (size_t)BLOCK);
    TRY(hc_grouping_of(g, r->records + at, n, groups));
    for (size_t i = 0; i < n; i++) {
      const hc_group_value v = hc_grouping_value(g, groups[i], 0);
      const double x = v.is_class || !v.is_known                        ? v.value
                       : hc_grouping_trait(g, 0) == HC_TRAIT_EXPRESSION ? v.value
                                                                        : (double)v.number;
      if (!v.is_known || x != x) continue;
      values[*count] = x;
      of[(*count)++] = at + i;
    }
  }
  return 0;
}

hc_rc hc_job_grouping(const hc_plot_job *j, const hc_plot_result *r, const char *by, int64_t most,
                      hc_grouping **out, hc_error *e)
{
  const hc_grouping_options o = {.by = &by,
                                 .by_count = 1,
                                 .most = most,
                                 .core_units = r->facts.core_units,
                                 .unix_start = r->facts.unix_start,
                                 .zone = r->facts.zone[0] ? r->facts.zone : NULL,
                                 .zone_offset = r->facts.zone_offset,
                                 .called = called,
                                 .called_ctx = r->result,
                                 .beside = beside,
                                 .beside_ctx = r->result};
  return hc_grouping_new(j->allocator, &o, out, e);
}

hc_rc hc_job_values(hc_plot_job *j, const hc_plot_result *r, const char *expression, double **values,
                    size_t **of, size_t *count, hc_error *e)
{
  hc_grouping *g = NULL;
  hc_error mine = {0};
  *values = hc_arena_alloc(&j->arena, (r->count + 1) * sizeof **values);
  size_t *places = hc_arena_alloc(&j->arena, (r->count + 1) * sizeof *places);
  *count = 0;
  if (!*values || !places) return HC_ENOMEM;
  const hc_rc made = hc_job_grouping(j, r, expression, INT32_MAX, &g, &mine);
  if (made < 0)
    return hc_fail(e, made, "of", 0, 0,
                   "\"%.80s\" is nothing that is known of a task (%.300s); `of` takes wait, run, slowdown, "
                   "bounded_slowdown, procs ... and arithmetic over them",
                   expression, mine.text);
  const hc_rc rc = evaluate(g, r, *values, places, count);
  hc_grouping_free(g);
  if (of) *of = places;
  return rc;
}
