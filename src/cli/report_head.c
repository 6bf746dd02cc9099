/* report_head.c -- the head of a report: what its page shows as text and tables, as one JSON document. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

/* ---- a run ---- */

static hc_rc put_figure(void *ctx, const char *const *v)
{
  double x;
  if (!v[0] || !v[1] || strcmp(v[0], "all") != 0) return 0;
  if (v[3] && hc_parse_real(v[3], strlen(v[3]), &x) == 0) hc_json_put_real(ctx, v[1], x);
  return 0;
}

static hc_rc put_figures(cli_report *x, hc_result *r, hc_json_writer *j)
{
  hc_json_enter(j, "figures", '{');
  CLI_TRY(hc_result_rows(r, "summary", 4, put_figure, j, &x->c->error));
  hc_json_leave(j, '}');
  return 0;
}

static void put_verdict(const cli_report_run *run, hc_json_writer *j)
{
  hc_json_enter(j, "verified", '{');
  hc_json_put_text(j, "state",
                   run->verified == 0             ? "holds"
                   : run->verified == HC_EREFUTED ? "refuted"
                                                  : "open");
  hc_json_put_text(j, "text", run->verdict.data);
  hc_json_leave(j, '}');
}

static hc_rc add_final(void *ctx, const char *const *v)
{
  int64_t n = 0;
  if (v[1]) (void)hc_parse_int(v[1], strlen(v[1]), &n);
  *(int64_t *)ctx += n;
  return 0;
}

/* All tasks, by the ledger: a run whose metrics were chosen need not have the figure. */
static hc_rc put_tasks(cli_report *x, hc_result *r, hc_json_writer *j)
{
  int64_t n = 0;
  CLI_TRY(hc_result_rows(r, "finals", 2, add_final, &n, &x->c->error));
  hc_json_put_int(j, "tasks", n);
  return 0;
}

static hc_rc put_run(cli_report *x, size_t i, hc_json_writer *j)
{
  const cli_report_run *run = &x->runs[i];
  hc_result *r = run->schedule.result;
  hc_result_facts facts;
  char columns[32];
  hc_result_facts_of(r, &facts);
  (void)snprintf(columns, sizeof columns, "columns-%zu", i);
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "name", x->schedules[i].name);
  hc_json_put_text(j, "path", run->schedule.path);
  hc_json_put_text(j, "digest", run->digest);
  CLI_TRY(put_tasks(x, r, j));
  put_verdict(run, j);
  if (facts.unix_start == HC_UNKNOWN) hc_json_put_raw(j, "unix_start", "null");
  else hc_json_put_int(j, "unix_start", facts.unix_start);
  hc_json_put_text(j, "zone", facts.zone[0] ? facts.zone : NULL);
  hc_json_put_int(j, "zone_offset", facts.zone_offset);
  CLI_TRY(put_figures(x, r, j));
  hc_json_put_text(j, "columns", run->has_rows ? columns : NULL);
  hc_json_leave(j, '}');
  return 0;
}

/* ---- groups ---- */

static void put_groups(const cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, "groups", '[');
  for (size_t i = 0; i < x->group_count; i++) {
    const cli_report_groups *g = &x->groups[i];
    hc_json_enter(j, NULL, '{');
    hc_json_put_text(j, "word", g->word);
    hc_json_put_text(j, "title", g->title.data);
    hc_json_put_text(j, "against", g->against.data);
    hc_json_put_text(j, "counts", g->counts.data);
    hc_json_put_raw(j, "table", g->table.data);
    hc_json_leave(j, '}');
  }
  hc_json_leave(j, ']');
}

/* ---- what it rests on: tables with a row for each key and a column for each run ---- */

typedef struct key_row {
  char *key;
  char **values; /* [runs] NULL: none */
} key_row;

typedef struct key_table {
  cli_report *x;
  key_row *rows; /* [count] in the order in which keys were met */
  size_t count, cap, run;
  int value; /* column of the value */
} key_table;

static key_row *row_of(key_table *t, const char *key)
{
  for (size_t i = 0; i < t->count; i++)
    if (strcmp(t->rows[i].key, key) == 0) return &t->rows[i];
  if (t->count == t->cap) {
    key_row *rows = realloc(t->rows, (t->cap * 2 + 64) * sizeof *rows);
    if (!rows) return NULL;
    t->rows = rows;
    t->cap = t->cap * 2 + 64;
  }
  key_row *row = &t->rows[t->count];
  *row = (key_row){.key = strdup(key), .values = calloc(t->x->count, sizeof *row->values)};
  t->count++; /* what is half made is freed as well */
  return row->key && row->values ? row : NULL;
}

static hc_rc note_key(void *ctx, const char *const *v)
{
  key_table *t = ctx;
  if (!v[0]) return 0;
  key_row *row = row_of(t, v[0]);
  if (!row) return HC_ENOMEM;
  if (row->values[t->run]) return 0;
  row->values[t->run] = strdup(v[t->value] ? v[t->value] : "");
  return row->values[t->run] ? 0 : HC_ENOMEM;
}

static void key_table_free(key_table *t)
{
  for (size_t i = 0; i < t->count; i++) {
    for (size_t k = 0; t->rows[i].values && k < t->x->count; k++) free(t->rows[i].values[k]);
    free(t->rows[i].values);
    free(t->rows[i].key);
  }
  free(t->rows);
}

static bool all_equal(const key_row *row, size_t runs)
{
  for (size_t k = 1; k < runs; k++) {
    const char *a = row->values[0], *b = row->values[k];
    if (!a || !b ? a != b : strcmp(a, b) != 0) return false;
  }
  return true;
}

static bool is_nought(const key_row *row, size_t runs)
{
  for (size_t k = 0; k < runs; k++)
    if (row->values[k] && strcmp(row->values[k], "0") != 0) return false;
  return true;
}

/* Keys that say where a result lies. */
static bool is_place(const char *key)
{
  return strcmp(key, "name") == 0 || strcmp(key, "output") == 0;
}

typedef enum which { ALL_ROWS, ROWS_THAT_DIFFER, ROWS_NOT_NOUGHT } which;

static hc_rc put_keys(const key_table *t, const char *title, const char *first, which w, hc_json_writer *j)
{
  const cli_report *x = t->x;
  cli_column *columns = calloc(x->count + 1, sizeof *columns);
  cli_table out;
  if (!columns) return HC_ENOMEM;
  columns[0].name = first;
  for (size_t k = 0; k < x->count; k++)
    columns[k + 1] = (cli_column){.name = x->schedules[k].name, .right = w == ROWS_NOT_NOUGHT};
  cli_table_init(&out, x->c->allocator, columns, x->count + 1);
  for (size_t i = 0; i < t->count; i++) {
    const key_row *row = &t->rows[i];
    if (w == ROWS_THAT_DIFFER && (all_equal(row, x->count) || is_place(row->key))) continue;
    if (w == ROWS_NOT_NOUGHT && is_nought(row, x->count)) continue;
    cli_add_text(&out, row->key);
    for (size_t k = 0; k < x->count; k++) {
      int64_t n;
      if (w == ROWS_NOT_NOUGHT && row->values[k] &&
          hc_parse_int(row->values[k], strlen(row->values[k]), &n) == 0)
        cli_add_int(&out, n);
      else cli_add_text(&out, row->values[k]);
    }
  }
  if (out.count > 0) {
    hc_json_enter(j, NULL, '{');
    hc_json_put_text(j, "title", title);
    cli_table_page(&out, j, "table", title, NULL);
    hc_json_leave(j, '}');
  }
  const bool failed = out.failed;
  cli_table_fini(&out);
  free(columns);
  return failed ? HC_ENOMEM : 0;
}

/* @param of  a table whose first column is a key; @param value  which column is said of it */
static hc_rc put_table(cli_report *x, const char *of, size_t columns, int value, const char *title,
                       const char *first, which w, hc_json_writer *j)
{
  key_table t = {.x = x, .value = value};
  hc_rc rc = 0;
  for (t.run = 0; rc >= 0 && t.run < x->count; t.run++)
    rc = hc_result_rows(x->runs[t.run].schedule.result, of, columns, note_key, &t, &x->c->error);
  if (rc >= 0) rc = put_keys(&t, title, first, w, j);
  key_table_free(&t);
  return rc < 0 ? rc : 0;
}

void cli_report_lines(hc_json_writer *j, const char *key, const hc_buffer *lines, size_t skip)
{
  hc_json_enter(j, key, '[');
  for (const char *line = lines->size ? lines->data : ""; *line;) {
    const size_t n = strcspn(line, "\n"), cut = n > skip ? skip : 0;
    hc_json_key(j, NULL);
    hc_json_string(j->out, line + cut, n - cut);
    line += n + (line[n] == '\n');
  }
  hc_json_leave(j, ']');
}

static void put_lines(hc_json_writer *j, const char *title, const hc_buffer *text, size_t skip)
{
  if (text->size == 0) return;
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "title", title);
  cli_report_lines(j, "text", text, skip);
  hc_json_leave(j, '}');
}

static hc_rc put_notes(cli_report *x, hc_json_writer *j)
{
  put_lines(j, "What sets the runs apart beside their policies", &x->comparison.notes, 0);
  put_lines(j, "Why no story of a task could be told", &x->untold, 0);
  put_lines(j, "What metrics kept over time and the page leaves out", &x->kept_notes, 0);
  for (size_t i = 0; i < x->count; i++) {
    hc_buffer notes;
    char title[300];
    hc_buffer_init(&notes, x->c->allocator);
    const hc_rc rc = cli_result_notes(x->c, x->runs[i].schedule.result, &notes);
    (void)snprintf(title, sizeof title, "Notes of %s", x->schedules[i].name);
    if (rc >= 0) put_lines(j, title, &notes, 2);
    hc_buffer_fini(&notes);
    CLI_TRY(rc);
  }
  return 0;
}

/* For a paper: what `cite` says of each run. */
static hc_rc put_methods(cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, "methods", '[');
  for (size_t i = 0; i < x->count; i++) {
    hc_buffer text;
    hc_buffer_init(&text, x->c->allocator);
    const hc_rc rc = cli_cite(x->c, x->runs[i].schedule.result, &text);
    if (rc >= 0) hc_json_put_text(j, NULL, text.data);
    j->out->failed |= text.failed;
    hc_buffer_fini(&text);
    CLI_TRY(rc);
  }
  hc_json_leave(j, ']');
  return 0;
}

static void put_verdicts(const cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "title", "Checks, by code that shares nothing with the engine");
  hc_json_enter(j, "text", '[');
  for (size_t i = 0; i < x->count; i++) {
    hc_json_key(j, NULL);
    hc_buffer line;
    hc_buffer_init(&line, x->c->allocator);
    hc_buffer_printf(&line, "%s: %s; digest %s", x->schedules[i].name, x->runs[i].verdict.data,
                     x->runs[i].digest);
    hc_json_string(j->out, line.data ? line.data : "", line.size);
    j->out->failed |= line.failed;
    hc_buffer_fini(&line);
  }
  hc_json_leave(j, ']');
  hc_json_leave(j, '}');
}

static hc_rc put_honesty(cli_report *x, hc_json_writer *j)
{
  hc_json_enter(j, "honesty", '[');
  put_verdicts(x, j);
  CLI_TRY(put_notes(x, j));
  if (x->count > 1)
    CLI_TRY(put_table(x, "configuration", 3, 1, "Keys of the configuration that differ", "key",
                      ROWS_THAT_DIFFER, j));
  else CLI_TRY(put_table(x, "configuration", 3, 1, "Configuration", "key", ALL_ROWS, j));
  CLI_TRY(put_table(x, "rows", 2, 1, "Rows of the input: read, used, and left out by reason", "rows",
                    ROWS_NOT_NOUGHT, j));
  CLI_TRY(put_table(x, "finals", 2, 1, "Tasks by their last state", "state", ROWS_NOT_NOUGHT, j));
  CLI_TRY(put_table(x, "inputs", 3, 2, "Inputs, by their checksums", "file", ALL_ROWS, j));
  CLI_TRY(put_table(x, "run_info", 2, 1, "How each result was made", "fact", ALL_ROWS, j));
  hc_json_leave(j, ']');
  return 0;
}

/* ---- the whole ---- */

void cli_report_made(cli *c, hc_json_writer *j)
{
  char made[160];
  hc_buffer line;
  cli_program(made);
  hc_json_put_text(j, "made", made);
  hc_buffer_init(&line, c->allocator);
  for (int i = 0; i < c->argc; i++) hc_buffer_printf(&line, "%s%s", i ? " " : "", c->argv[i]);
  hc_json_put_text(j, "command", line.data);
  j->out->failed |= line.failed;
  hc_buffer_fini(&line);
}

hc_rc cli_report_head(cli_report *x, const hc_buffer *sentences, hc_json_writer *j)
{
  const cli_comparison *t = &x->comparison;
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "format", "hindcast report 1");
  hc_json_put_text(j, "title", x->title.data);
  cli_report_lines(j, "sentence", sentences, 0);
  cli_report_made(x->c, j);
  hc_json_enter(j, "runs", '[');
  for (size_t i = 0; i < x->count; i++) CLI_TRY(put_run(x, i, j));
  hc_json_leave(j, ']');
  cli_table_page(&t->figures, j, "figures", "Figures", NULL);
  if (x->is_compared)
    cli_table_page(
        &t->paired, j, "paired",
        "Task by task against the first: mean difference, 95 % confidence interval (t over 30 batch "
        "means in order of submission)",
        NULL);
  else hc_json_put_raw(j, "paired", "null");
  cli_table_page(
      &t->alone, j, "alone",
      "Each by itself: mean, 95 % confidence interval (t over 30 batch means in order of submission)", NULL);
  put_groups(x, j);
  cli_report_stories(x, j);
  CLI_TRY(cli_report_kept(x, j));
  CLI_TRY(put_honesty(x, j));
  CLI_TRY(put_methods(x, j));
  hc_json_leave(j, '}');
  return j->out->failed ? HC_ENOMEM : 0;
}
