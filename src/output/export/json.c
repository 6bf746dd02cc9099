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

typedef struct json_export {
  hc_emit emit;
  hc_json_writer json;
  hc_result *result;
  const char *scope; /* of the summary at hand */
  bool scope_found;
  hc_pieces pieces; /* with tasks */
} json_export;

static const hc_param params[] = {
    HC_PARAM(BOOL, json_options, tasks, "false",
             "Whether there is an object for each task, in the order in which they ended."),
    HC_PARAM(BOOL, json_options, run_info, "false",
             "Whether there are versions, paths, wall time and memory, which differ from run to run."),
    {.name = NULL},
};

/* A number as stored, or null. Damaged files may hold any text here; it stays a string then. */
static void number(json_export *x, const char *key, const char *s)
{
  double value;
  if (s && hc_parse_real(s, strlen(s), &value) == 0) hc_json_put_raw(&x->json, key, s);
  else hc_json_put_text(&x->json, key, s);
}

static hc_rc pair_text(void *ctx, const char *const *values)
{
  json_export *x = ctx;
  hc_json_put_text(&x->json, values[0] ? values[0] : "", values[1]);
  return hc_emit_row(&x->emit);
}

static hc_rc pair_number(void *ctx, const char *const *values)
{
  json_export *x = ctx;
  number(x, values[0] ? values[0] : "", values[1]);
  return hc_emit_row(&x->emit);
}

static hc_rc config_row(void *ctx, const char *const *values)
{
  json_export *x = ctx;
  hc_json_enter_line(&x->json, values[0] ? values[0] : "", '{');
  hc_json_put_text(&x->json, "value", values[1]);
  hc_json_put_text(&x->json, "origin", values[2]);
  if (values[3]) hc_json_put_text(&x->json, "default", values[3]);
  hc_json_leave(&x->json, '}');
  return hc_emit_row(&x->emit);
}

/* An object a row; which of its members are numbers is a bit each. */
static hc_rc object_row(json_export *x, const char *const *keys, size_t count, uint32_t numbers,
                        const char *const *values)
{
  hc_json_enter_line(&x->json, NULL, '{');
  for (size_t i = 0; i < count; i++) {
    if (numbers >> i & 1) number(x, keys[i], values[i]);
    else hc_json_put_text(&x->json, keys[i], values[i]);
  }
  hc_json_leave(&x->json, '}');
  return hc_emit_row(&x->emit);
}

static hc_rc input_row(void *ctx, const char *const *values)
{
  static const char *const keys[] = {"path", "bytes", "checksum"};
  return object_row(ctx, keys, HC_ARRAY_LEN(keys), 1u << 1, values);
}

static hc_rc cell_row(void *ctx, const char *const *values)
{
  static const char *const keys[] = {"scope", "table", "key", "name", "unit", "value"};
  return object_row(ctx, keys, HC_ARRAY_LEN(keys), 1u << 2 | 1u << 5, values);
}

static hc_rc rejected_row(void *ctx, const char *const *values)
{
  static const char *const keys[] = {"file", "line", "reason", "text"};
  return object_row(ctx, keys, HC_ARRAY_LEN(keys), 1u << 1, values);
}

/* ---- the summary: an object a scope ---- */

static hc_rc summary_row(void *ctx, const char *const *values)
{
  json_export *x = ctx;
  if (!values[0] || strcmp(values[0], x->scope) != 0) return 0;
  if (!x->scope_found) hc_json_enter(&x->json, x->scope, '{');
  x->scope_found = true;
  hc_json_enter_line(&x->json, values[1] ? values[1] : "", '{');
  number(x, "value", values[3]);
  hc_json_put_text(&x->json, "unit", values[2]);
  hc_json_leave(&x->json, '}');
  return hc_emit_row(&x->emit);
}

static hc_rc write_summary(json_export *x, hc_error *e)
{
  static const char *const scopes[] = {"all", "trimmed"};
  hc_json_enter(&x->json, "summary", '{');
  for (size_t i = 0; i < HC_ARRAY_LEN(scopes); i++) {
    x->scope = scopes[i];
    x->scope_found = false;
    TRY(hc_result_rows(x->result, "summary", 4, summary_row, x, e));
    if (x->scope_found) hc_json_leave(&x->json, '}');
  }
  hc_json_leave(&x->json, '}');
  return 0;
}

/* ---- tasks ---- */

static void time_member(json_export *x, const char *key, hc_time t)
{
  hc_json_key(&x->json, key);
  hc_emit_seconds(&x->emit, t, "null");
}

static void id_member(json_export *x, const char *key, int64_t id)
{
  if (id == -1 || id == HC_UNKNOWN) hc_json_put_raw(&x->json, key, "null");
  else hc_json_put_int(&x->json, key, id);
}

static void name_member(json_export *x, const char *key, const char *name)
{
  if (name) hc_json_put_text(&x->json, key, name);
}

/* What a task has beside its group and queue. */
static void beside_members(json_export *x, int64_t serial)
{
  hc_beside b;
  if (!hc_result_beside(x->result, serial, &b)) return;
  id_member(x, "account", b.account);
  id_member(x, "qos", b.qos);
  name_member(x, "account_name", hc_result_name(x->result, HC_CALLED_ACCOUNT, b.account));
  name_member(x, "qos_name", hc_result_name(x->result, HC_CALLED_QOS, b.qos));
}

/* Of a task that a plan resized: what it had, and from when on. */
static hc_rc pieces_member(json_export *x, const hc_task_record *t)
{
  const hc_piece *of;
  const hc_rc n = hc_pieces_of(&x->pieces, t, &of);
  TRY(n);
  if (n == 0 || of[0].units < 0) return 0;
  hc_json_enter(&x->json, "pieces", '[');
  for (hc_rc i = 0; i < n; i++) {
    hc_json_enter(&x->json, NULL, '{');
    time_member(x, "start", of[i].from);
    hc_json_key(&x->json, "processors");
    hc_emit_processors(&x->emit, of[i].units);
    hc_json_leave(&x->json, '}');
  }
  hc_json_leave(&x->json, ']');
  return 0;
}

static hc_rc task_row(void *ctx, const hc_task_record *t)
{
  json_export *x = ctx;
  hc_json_writer *w = &x->json;
  hc_json_enter_line(w, NULL, '{');
  id_member(x, "serial", t->serial);
  id_member(x, "id", t->id);
  time_member(x, "submit", t->submit);
  time_member(x, "start", t->start);
  time_member(x, "end", t->end);
  hc_json_key(w, "processors");
  if (t->units < 0) hc_buffer_text(&x->emit.text, "null");
  else hc_emit_processors(&x->emit, t->units);
  time_member(x, "limit", t->limit);
  time_member(x, "estimate", t->estimate);
  time_member(x, "run", t->run);
  id_member(x, "user", t->user);
  id_member(x, "group", t->group);
  id_member(x, "executable", t->executable);
  id_member(x, "queue", t->queue);
  id_member(x, "partition", t->partition);
  name_member(x, "name", hc_result_task_name(x->result, t->serial));
  name_member(x, "job_name", hc_result_job_name(x->result, t->serial));
  name_member(x, "user_name", hc_result_name(x->result, HC_CALLED_USER, t->user));
  name_member(x, "group_name", hc_result_name(x->result, HC_CALLED_GROUP, t->group));
  name_member(x, "executable_name", hc_result_name(x->result, HC_CALLED_EXECUTABLE, t->executable));
  name_member(x, "queue_name", hc_result_name(x->result, HC_CALLED_QUEUE, t->queue));
  name_member(x, "partition_name", hc_result_name(x->result, HC_CALLED_PARTITION, t->partition));
  beside_members(x, t->serial);
  hc_json_put_text(w, "state", hc_final_name((hc_final)t->final));
  hc_json_put_bool(w, "backfilled", t->flags & HC_TASK_BACKFILLED);
  hc_json_put_bool(w, "clamped", t->flags & HC_TASK_CLAMPED);
  hc_json_put_bool(w, "no_limit", t->flags & HC_TASK_NO_LIMIT);
  if (t->flags & HC_TASK_RATED) time_member(x, "suspended", hc_emit_suspended(t));
  TRY(pieces_member(x, t));
  hc_json_leave(w, '}');
  return 0;
}

/* ---- the whole ---- */

typedef struct json_section {
  const char *table;
  char open, close;
  size_t columns;
  hc_rc (*row)(void *ctx, const char *const *values);
} json_section;

static hc_rc write_sections(json_export *x, const json_section *s, size_t n, hc_error *e)
{
  for (size_t i = 0; i < n; i++) {
    hc_json_enter(&x->json, s[i].table, s[i].open);
    TRY(hc_result_rows(x->result, s[i].table, s[i].columns, s[i].row, x, e));
    hc_json_leave(&x->json, s[i].close);
  }
  return 0;
}

static hc_rc write_all(json_export *x, const json_options *o, hc_error *e)
{
  static const json_section before[] = {
      {"hindcast", '{', '}', 2, pair_text}, {"configuration", '{', '}', 4, config_row},
      {"inputs", '[', ']', 3, input_row},   {"rows", '{', '}', 2, pair_number},
      {"finals", '{', '}', 2, pair_number},
  };
  static const json_section after[] = {
      {"cells", '[', ']', 6, cell_row},
      {"rejected", '[', ']', 4, rejected_row},
      {"run_info", '{', '}', 2, pair_text},
  };
  hc_json_enter(&x->json, NULL, '{');
  TRY(write_sections(x, before, HC_ARRAY_LEN(before), e));
  TRY(write_summary(x, e));
  TRY(write_sections(x, after, HC_ARRAY_LEN(after) - !o->run_info, e));
  if (o->tasks) {
    TRY(hc_pieces_read(&x->pieces, &x->emit, x->result, 0));
    hc_json_enter(&x->json, "tasks", '[');
    TRY(hc_emit_tasks(&x->emit, x->result, HC_EMIT_STORED, task_row, x));
    hc_json_leave(&x->json, ']');
  }
  hc_json_leave(&x->json, '}');
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  json_export x = {.result = r, .json = {.out = &x.emit.text}};
  hc_emit_init(&x.emit, a, out, e);
  const hc_rc rc = write_all(&x, options, e);
  hc_pieces_fini(&x.pieces);
  return hc_emit_end(&x.emit, rc);
}

const hc_exporter_type hc_exporter_json = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "json",
         .summary = "the whole result as one JSON object",
         .detail =
             "Keys: hindcast, configuration {path: {value, origin}}, inputs, rows and finals (the ledgers), "
             "summary {scope: {name: {value, unit}}}, cells, rejected, and on request run_info and tasks. "
             "Times of tasks are exact seconds from the run's origin; unknown values are null. A task with "
             "an account beside its group, or a QOS beside its queue, has both. A task that was resized has "
             "`pieces`, which say what it had from which time on; its number of processors is their mean.",
         .source = "RFC 8259", .params = params, .options_size = sizeof(json_options)},
    .run = run,
};
