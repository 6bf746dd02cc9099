/* json.c -- a whole result as one JSON object: configuration, ledgers, summary, tables, and tasks on request.
 *
 * Configuration values are strings as they were resolved; figures are numbers, or null where there is none;
 * times of tasks are exact seconds. What describes the computation (versions, wall time) is left out unless
 * asked for, so that equal results are equal text. One line an element, so that differences can be read. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "output/pieces.h"

typedef struct json_options {
  bool tasks, run_info;
} json_options;

typedef struct json_writer {
  hc_emit emit;
  hc_result *result;
  size_t rows;       /* of the table at hand */
  const char *scope; /* of the summary at hand */
  bool scope_found;
  hc_pieces pieces; /* with tasks */
} json_writer;

static const hc_param params[] = {
    HC_PARAM(BOOL, json_options, tasks, "false", "Also one object a task, in the order in which they ended."),
    HC_PARAM(BOOL, json_options, run_info, "false",
             "Also versions, paths, wall time and memory, which differ from run to run."),
    {.name = NULL},
};

static void string(json_writer *w, const char *s)
{
  if (s) hc_json_string(&w->emit.text, s, strlen(s));
  else hc_buffer_text(&w->emit.text, "null");
}

/* A number as stored, or null. Damaged files may hold any text here; it stays a string then. */
static void number(json_writer *w, const char *s)
{
  double x;
  if (s && hc_parse_real(s, strlen(s), &x) < 0) string(w, s);
  else hc_buffer_text(&w->emit.text, s ? s : "null");
}

static void begin_row(json_writer *w, const char *indent)
{
  hc_buffer_text(&w->emit.text, w->rows++ > 0 ? ",\n" : "\n");
  hc_buffer_text(&w->emit.text, indent);
}

static void begin_table(json_writer *w, const char *name, const char *bracket)
{
  w->rows = 0;
  hc_buffer_printf(&w->emit.text, ",\n  \"%s\": %s", name, bracket);
}

static void end_table(json_writer *w, const char *bracket)
{
  hc_buffer_printf(&w->emit.text, "%s%s", w->rows > 0 ? "\n  " : "", bracket);
}

static hc_rc pair_text(void *ctx, const char *const *values)
{
  json_writer *w = ctx;
  begin_row(w, "    ");
  string(w, values[0] ? values[0] : "");
  hc_buffer_text(&w->emit.text, ": ");
  string(w, values[1]);
  return hc_emit_row(&w->emit);
}

static hc_rc pair_number(void *ctx, const char *const *values)
{
  json_writer *w = ctx;
  begin_row(w, "    ");
  string(w, values[0] ? values[0] : "");
  hc_buffer_text(&w->emit.text, ": ");
  number(w, values[1]);
  return hc_emit_row(&w->emit);
}

static hc_rc config_row(void *ctx, const char *const *values)
{
  json_writer *w = ctx;
  begin_row(w, "    ");
  string(w, values[0] ? values[0] : "");
  hc_buffer_text(&w->emit.text, ": {\"value\": ");
  string(w, values[1]);
  hc_buffer_text(&w->emit.text, ", \"origin\": ");
  string(w, values[2]);
  hc_buffer_text(&w->emit.text, "}");
  return hc_emit_row(&w->emit);
}

static hc_rc input_row(void *ctx, const char *const *values)
{
  json_writer *w = ctx;
  begin_row(w, "    {\"path\": ");
  string(w, values[0]);
  hc_buffer_text(&w->emit.text, ", \"bytes\": ");
  number(w, values[1]);
  hc_buffer_text(&w->emit.text, ", \"checksum\": ");
  string(w, values[2]);
  hc_buffer_text(&w->emit.text, "}");
  return hc_emit_row(&w->emit);
}

static hc_rc cell_row(void *ctx, const char *const *values)
{
  static const char *const keys[] = {
      "{\"scope\": ", ", \"table\": ", ", \"key\": ", ", \"name\": ", ", \"unit\": ", ", \"value\": "};
  json_writer *w = ctx;
  begin_row(w, "    ");
  for (size_t i = 0; i < HC_ARRAY_LEN(keys); i++) {
    hc_buffer_text(&w->emit.text, keys[i]);
    if (i == 2 || i == 5) number(w, values[i]);
    else string(w, values[i]);
  }
  hc_buffer_text(&w->emit.text, "}");
  return hc_emit_row(&w->emit);
}

static hc_rc rejected_row(void *ctx, const char *const *values)
{
  json_writer *w = ctx;
  begin_row(w, "    {\"file\": ");
  string(w, values[0]);
  hc_buffer_text(&w->emit.text, ", \"line\": ");
  number(w, values[1]);
  hc_buffer_text(&w->emit.text, ", \"reason\": ");
  string(w, values[2]);
  hc_buffer_text(&w->emit.text, ", \"text\": ");
  string(w, values[3]);
  hc_buffer_text(&w->emit.text, "}");
  return hc_emit_row(&w->emit);
}

/* ---- the summary: an object a scope ---- */

static hc_rc summary_row(void *ctx, const char *const *values)
{
  json_writer *w = ctx;
  if (!values[0] || strcmp(values[0], w->scope) != 0) return 0;
  if (!w->scope_found) {
    begin_row(w, "    ");
    string(w, w->scope);
    hc_buffer_text(&w->emit.text, ": {");
  }
  hc_buffer_text(&w->emit.text, w->scope_found ? ",\n      " : "\n      ");
  w->scope_found = true;
  string(w, values[1] ? values[1] : "");
  hc_buffer_text(&w->emit.text, ": {\"value\": ");
  number(w, values[3]);
  hc_buffer_text(&w->emit.text, ", \"unit\": ");
  string(w, values[2]);
  hc_buffer_text(&w->emit.text, "}");
  return hc_emit_row(&w->emit);
}

static hc_rc write_summary(json_writer *w, hc_error *e)
{
  static const char *const scopes[] = {"all", "trimmed"};
  begin_table(w, "summary", "{");
  for (size_t i = 0; i < HC_ARRAY_LEN(scopes); i++) {
    w->scope = scopes[i];
    w->scope_found = false;
    TRY(hc_result_rows(w->result, "summary", 4, summary_row, w, e));
    if (w->scope_found) hc_buffer_text(&w->emit.text, "\n    }");
  }
  end_table(w, "}");
  return 0;
}

/* ---- tasks ---- */

static void time_member(json_writer *w, const char *key, hc_time t)
{
  hc_buffer_text(&w->emit.text, key);
  hc_emit_seconds(&w->emit, t, "null");
}

static void id_member(json_writer *w, const char *key, int64_t id)
{
  hc_buffer_text(&w->emit.text, key);
  if (id == -1 || id == HC_UNKNOWN) hc_buffer_text(&w->emit.text, "null");
  else hc_emit_int(&w->emit, id);
}

/* Of a task that a plan resized: what it had, and from when on. */
static hc_rc pieces_member(json_writer *w, const hc_task_record *t)
{
  const hc_piece *of;
  const hc_rc n = hc_pieces_of(&w->pieces, t, &of);
  TRY(n);
  if (n == 0 || of[0].units < 0) return 0;
  for (hc_rc i = 0; i < n; i++) {
    time_member(w, i == 0 ? ", \"pieces\": [{\"start\": " : ", {\"start\": ", of[i].from);
    hc_buffer_text(&w->emit.text, ", \"processors\": ");
    hc_emit_processors(&w->emit, of[i].units);
    hc_buffer_text(&w->emit.text, "}");
  }
  hc_buffer_text(&w->emit.text, "]");
  return 0;
}

static hc_rc task_row(void *ctx, const hc_task_record *t)
{
  json_writer *w = ctx;
  begin_row(w, "    ");
  id_member(w, "{\"serial\": ", t->serial);
  id_member(w, ", \"id\": ", t->id);
  time_member(w, ", \"submit\": ", t->submit);
  time_member(w, ", \"start\": ", t->start);
  time_member(w, ", \"end\": ", t->end);
  hc_buffer_text(&w->emit.text, ", \"processors\": ");
  if (t->units < 0) hc_buffer_text(&w->emit.text, "null");
  else hc_emit_processors(&w->emit, t->units);
  time_member(w, ", \"limit\": ", t->limit);
  time_member(w, ", \"estimate\": ", t->estimate);
  time_member(w, ", \"run\": ", t->run);
  id_member(w, ", \"user\": ", t->user);
  id_member(w, ", \"group\": ", t->group);
  id_member(w, ", \"executable\": ", t->executable);
  id_member(w, ", \"queue\": ", t->queue);
  id_member(w, ", \"partition\": ", t->partition);
  hc_buffer_text(&w->emit.text, ", \"state\": ");
  string(w, hc_final_name((hc_final)t->final));
  hc_buffer_printf(&w->emit.text, ", \"backfilled\": %s, \"clamped\": %s, \"no_limit\": %s",
                   t->flags & HC_TASK_BACKFILLED ? "true" : "false",
                   t->flags & HC_TASK_CLAMPED ? "true" : "false",
                   t->flags & HC_TASK_NO_LIMIT ? "true" : "false");
  if (t->flags & HC_TASK_RATED) time_member(w, ", \"suspended\": ", hc_emit_suspended(t));
  TRY(pieces_member(w, t));
  hc_buffer_text(&w->emit.text, "}");
  return 0;
}

/* ---- the whole ---- */

typedef struct json_section {
  const char *table, *name, *open, *close;
  size_t columns;
  hc_rc (*row)(void *ctx, const char *const *values);
} json_section;

static hc_rc write_sections(json_writer *w, const json_section *s, size_t n, hc_error *e)
{
  for (size_t i = 0; i < n; i++) {
    begin_table(w, s[i].name, s[i].open);
    TRY(hc_result_rows(w->result, s[i].table, s[i].columns, s[i].row, w, e));
    end_table(w, s[i].close);
  }
  return 0;
}

static hc_rc write_all(json_writer *w, const json_options *o, hc_error *e)
{
  static const json_section before[] = {
      {"configuration", "configuration", "{", "}", 3, config_row},
      {"inputs", "inputs", "[", "]", 3, input_row},
      {"rows", "rows", "{", "}", 2, pair_number},
      {"finals", "finals", "{", "}", 2, pair_number},
  };
  static const json_section after[] = {
      {"cells", "cells", "[", "]", 6, cell_row},
      {"rejected", "rejected", "[", "]", 4, rejected_row},
  };
  static const json_section info = {"run_info", "run_info", "{", "}", 2, pair_text};
  hc_buffer_text(&w->emit.text, "{\n  \"hindcast\": {");
  TRY(hc_result_rows(w->result, "hindcast", 2, pair_text, w, e));
  end_table(w, "}");
  TRY(write_sections(w, before, HC_ARRAY_LEN(before), e));
  TRY(write_summary(w, e));
  TRY(write_sections(w, after, HC_ARRAY_LEN(after), e));
  if (o->run_info) TRY(write_sections(w, &info, 1, e));
  if (o->tasks) {
    TRY(hc_pieces_read(&w->pieces, &w->emit, w->result));
    begin_table(w, "tasks", "[");
    TRY(hc_emit_tasks(&w->emit, w->result, HC_EMIT_STORED, task_row, w));
    end_table(w, "]");
  }
  hc_buffer_text(&w->emit.text, "\n}\n");
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  json_writer w = {.result = r};
  hc_emit_init(&w.emit, a, out, e);
  const hc_rc rc = write_all(&w, options, e);
  hc_pieces_fini(&w.pieces);
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_json = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "json",
         .summary = "the whole result as one JSON object",
         .detail =
             "Keys: hindcast, configuration {path: {value, origin}}, inputs, rows and finals (the ledgers), "
             "summary {scope: {name: {value, unit}}}, cells, rejected, and on request run_info and tasks. "
             "Times of tasks are exact seconds from the run's origin; what is not known is null. A task that a plan resized has "
             "pieces, what it had from when on; its processors are the mean.",
         .source = "RFC 8259", .params = params, .options_size = sizeof(json_options)},
    .run = run,
};
