/* result.c -- reads results and shows one: ledgers, figures, what to look out for.
 *
 * The usual figures are those that declare it (hc_figure_role); --all shows every figure that the metrics
 * found. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cli/cli.h"

#define BLOCK 4096 /* task rows read at once */

/* ---- reading ---- */

hc_rc cli_result_open(cli *c, const char *path, hc_result **out)
{
  return hc_result_open(c->allocator, path, out, &c->error);
}

void cli_result_close(cli *c, hc_result *r)
{
  hc_error failed = {0};
  if (r && hc_result_check(r, &failed) < 0) c->error = failed; /* whatever was said since follows from it */
  hc_result_free(r);
}

typedef struct fact {
  const char *key;
  char *buffer;
  size_t size;
  bool found;
} fact;

static hc_rc match_fact(void *ctx, const char *const *values)
{
  fact *f = ctx;
  if (!values[0] || strcmp(values[0], f->key) != 0) return 0;
  (void)snprintf(f->buffer, f->size, "%s", values[1] ? values[1] : "");
  f->found = true;
  return 0;
}

const char *cli_result_info(cli *c, hc_result *r, const char *table, const char *key, char *buffer,
                            size_t size)
{
  fact f = {key, buffer, size, false};
  (void)c;
  (void)hc_result_rows(r, table, 2, match_fact, &f, NULL);
  return f.found ? buffer : NULL;
}

int64_t cli_result_fact(cli *c, hc_result *r, const char *key, int64_t fallback)
{
  char text[64];
  int64_t n;
  if (!cli_result_info(c, r, "hindcast", key, text, sizeof text)) return fallback;
  return hc_parse_int(text, strlen(text), &n) == 0 ? n : fallback;
}

bool cli_result_is_recorded(cli *c, hc_result *r)
{
  char made[32];
  return cli_result_info(c, r, "hindcast", "made_by", made, sizeof made) && strcmp(made, "analyze") == 0;
}

static int by_serial(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

hc_rc cli_records_load(cli *c, hc_result *r, cli_records *out)
{
  uint64_t n = hc_result_task_count(r);
  const char *rows = hc_result_config(r, "task_rows");
  cli_progress line;
  size_t got = 1;
  hc_rc rc = 0;
  if (rows && strcmp(rows, "all") != 0)
    return hc_fail(
        &c->error, HC_EUSAGE, hc_result_path(r), 0, 0,
        "the result has task_rows: %s, and this needs a row for every task; run it with task_rows: all",
        rows);
  *out = (cli_records){.cap = (size_t)n + 1};
  out->items = malloc(out->cap * sizeof *out->items);
  if (!out->items) return cli_fail(c, HC_ENOMEM, "out of memory for %llu task rows", (unsigned long long)n);
  cli_progress_begin(&line, c, "reading");
  line.shown &= hc_result_path(r) != NULL; /* of those in memory others tell */
  for (bool first = true; rc >= 0 && got > 0 && out->count < out->cap; first = false) {
    size_t room = out->cap - out->count;
    rc = hc_result_tasks(r, first, out->items + out->count, room < BLOCK ? room : BLOCK, &got, &c->error);
    if (rc < 0) break;
    out->count += got;
    if (line.shown && !cli_progress_part(&line, out->count, n)) rc = HC_ECANCELLED;
  }
  cli_progress_end(&line);
  if (rc < 0) {
    cli_records_fini(c, out);
    return rc;
  }
  qsort(out->items, out->count, sizeof *out->items, by_serial);
  return 0;
}

void cli_records_fini(cli *c, cli_records *r)
{
  (void)c;
  free(r->items);
  *r = (cli_records){0};
}

bool cli_ended(const hc_task_record *r)
{
  return r->start != HC_UNKNOWN && (r->final == HC_FINAL_COMPLETED || r->final == HC_FINAL_KILLED);
}

/* ---- showing ---- */

typedef struct figure {
  char name[64], unit[24];
  double value, trimmed; /* NaN: none */
  bool is_count;
} figure;

typedef struct count {
  char name[40];
  int64_t n;
} count;

typedef struct shown {
  figure *figures;
  size_t figure_count, cap;
  count rows[32], finals[16], recorded[HC_RECORDED_COUNT];
  size_t row_count, final_count, recorded_count;
  bool has_trimmed, failed;
  bool by_log; /* the schedule is the log's own: its tasks ended as the log says */
} shown;

static double no_value(void)
{
  return (double)__builtin_nanf("");
}

static double real_of(const char *text)
{
  double x;
  return text && hc_parse_real(text, strlen(text), &x) == 0 ? x : no_value();
}

static figure *figure_of(shown *s, const char *name, const char *unit)
{
  for (size_t i = 0; i < s->figure_count; i++) {
    if (strcmp(s->figures[i].name, name) == 0) return &s->figures[i];
  }
  if (s->figure_count == s->cap) {
    size_t cap = s->cap ? s->cap * 2 : 128;
    figure *more = realloc(s->figures, cap * sizeof *more);
    if (!more) return NULL;
    s->figures = more;
    s->cap = cap;
  }
  s->figures[s->figure_count] = (figure){.value = no_value(), .trimmed = no_value()};
  (void)snprintf(s->figures[s->figure_count].name, sizeof s->figures->name, "%s", name);
  (void)snprintf(s->figures[s->figure_count].unit, sizeof s->figures->unit, "%s", unit);
  return &s->figures[s->figure_count++];
}

static hc_rc take_figure(void *ctx, const char *const *v)
{
  shown *s = ctx;
  bool trimmed = v[0] && strcmp(v[0], "trimmed") == 0;
  figure *f = figure_of(s, v[1] ? v[1] : "", v[2] ? v[2] : "");
  if (!f) return HC_ENOMEM;
  if (trimmed) f->trimmed = real_of(v[3]);
  else f->value = real_of(v[3]);
  s->has_trimmed |= trimmed;
  return 0;
}

static hc_rc take_count(count *list, size_t *n, size_t cap, const char *const *v)
{
  if (*n == cap || !v[0] || !v[1]) return 0;
  (void)snprintf(list[*n].name, sizeof list->name, "%s", v[0]);
  if (hc_parse_int(v[1], strlen(v[1]), &list[*n].n) == 0) (*n)++;
  return 0;
}

static hc_rc take_row(void *ctx, const char *const *v)
{
  shown *s = ctx;
  return take_count(s->rows, &s->row_count, CLI_LEN(s->rows), v);
}

static hc_rc take_final(void *ctx, const char *const *v)
{
  shown *s = ctx;
  return take_count(s->finals, &s->final_count, CLI_LEN(s->finals), v);
}

/* "recorded_timeout", of what the log says, among the run's facts. */
static hc_rc take_recorded(void *ctx, const char *const *v)
{
  const size_t n = sizeof HC_RECORDED_KEY - 1;
  const char *const row[2] = {v[0] ? v[0] + n : NULL, v[1]};
  shown *s = ctx;
  if (!v[0] || strncmp(v[0], HC_RECORDED_KEY, n) != 0) return 0;
  return take_count(s->recorded, &s->recorded_count, CLI_LEN(s->recorded), row);
}

/* How tasks ended: where the log itself is looked at, as it says. */
static const count *finals_of(const shown *s, size_t *n)
{
  *n = s->by_log ? s->recorded_count : s->final_count;
  return s->by_log ? s->recorded : s->finals;
}

static hc_rc load(cli *c, hc_result *r, shown *s)
{
  CLI_TRY(hc_result_rows(r, "summary", 4, take_figure, s, &c->error));
  CLI_TRY(hc_result_rows(r, "rows", 2, take_row, s, &c->error));
  CLI_TRY(hc_result_rows(r, "hindcast", 2, take_recorded, s, &c->error));
  s->by_log = s->recorded_count > 0 && cli_result_is_recorded(c, r);
  return hc_result_rows(r, "finals", 2, take_final, s, &c->error);
}

/* Of most metrics a few figures are usual, and the others are for --all. */
static bool has_usual(const hc_component *metric)
{
  for (const char *const *f = metric->figures; f && *f; f++)
    if (hc_figure_line_has(*f, HC_FIGURE_USUAL)) return true;
  return false;
}

/* `metrics.2` with a name; its options, `metrics.2.every`, are other rows. */
static hc_rc take_asked(void *ctx, const char *const *v)
{
  cli_asked *a = ctx;
  const char *number = v[0] && strncmp(v[0], "metrics.", 8) == 0 ? v[0] + 8 : NULL;
  const hc_component *metric;
  if (!number || !v[1] || !v[2] || number[strspn(number, "0123456789")] != '\0') return 0;
  if (strcmp(v[2], "default") == 0 || strcmp(v[2], "compat") == 0) return 0;
  metric = hc_registry_find(a->c->registry, HC_KIND_METRIC, v[1]);
  if (metric && !has_usual(metric) && a->count < CLI_LEN(a->metrics)) a->metrics[a->count++] = metric;
  return 0;
}

hc_rc cli_asked_read(cli *c, hc_result *r, cli_asked *out)
{
  *out = (cli_asked){.c = c};
  return cli_registry(c) ? hc_result_rows(r, "configuration", 3, take_asked, out, &c->error) : HC_ENOMEM;
}

bool cli_asked_has(const cli_asked *a, const char *name)
{
  for (size_t i = 0; i < a->count; i++)
    for (const char *const *f = a->metrics[i]->figures; f && *f; f++) {
      char declared[128];
      (void)snprintf(declared, sizeof declared, "%.*s", (int)strcspn(*f, "|"), *f);
      if (fnmatch(declared, name, 0) == 0) return true;
    }
  return false;
}

/* Long times also as people say them. */
static void add_words(cli_table *t, const figure *f)
{
  char text[40];
  double x = f->value;
  if (strcmp(f->unit, "s") != 0 || !(x >= 120 && x < 9e9)) {
    cli_add_text(t, "");
    return;
  }
  text[hc_format_duration((hc_time)(x + 0.5) * HC_SECOND, text)] = '\0';
  cli_add_text(t, text);
}

static void figures_text(cli *c, const shown *s, const cli_asked *asked, bool all)
{
  static const cli_column plain[] = {
      {.name = "figure"}, {.name = "value", .right = true}, {.name = "unit"}, {.name = "words", .title = ""}};
  static const cli_column both[] = {{.name = "figure"},
                                    {.name = "value", .title = "all", .right = true},
                                    {.name = "trimmed", .right = true},
                                    {.name = "unit"},
                                    {.name = "words", .title = ""}};
  cli_table t;
  cli_table_init(&t, c->allocator, s->has_trimmed ? both : plain, s->has_trimmed ? 5 : 4);
  for (size_t i = 0; i < s->figure_count; i++) {
    const figure *f = &s->figures[i];
    if (!all && !hc_figure_has(c->registry, f->name, HC_FIGURE_USUAL) && !cli_asked_has(asked, f->name))
      continue;
    cli_add_text(&t, f->name);
    cli_add_real(&t, f->value, f->unit);
    if (s->has_trimmed) cli_add_real(&t, f->trimmed, f->unit);
    cli_add_text(
        &t, strcmp(f->unit, "1") == 0 || strcmp(f->unit, "B") == 0 ? "" : f->unit); /* B is with the number */
    add_words(&t, f);
  }
  if (t.count > 0 || s->figure_count == 0) cli_table_text(&t, &c->out, 2, true);
  else hc_buffer_text(&c->out, "  none of the usual figures; --all shows the others\n");
  c->out.failed |= t.failed;
  cli_table_fini(&t);
}

static const char *reason_text(const char *name)
{
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (strcmp(name, hc_reason_name((hc_reason)r)) == 0) return hc_reason_text((hc_reason)r);
  }
  return "";
}

static const char *final_text(const char *name)
{
  for (int f = 0; f < HC_FINAL_COUNT; f++) {
    if (strcmp(name, hc_final_name((hc_final)f)) == 0) return hc_final_text((hc_final)f);
  }
  return "";
}

/* "tasks  28,481 = completed 28,400 + killed 81" */
static void counts_text(cli *c, const char *of, const count *counts, size_t many)
{
  char n[40];
  const char *sign = " = ";
  int64_t total = 0;
  for (size_t i = 0; i < many; i++) (void)__builtin_add_overflow(total, counts[i].n, &total);
  n[hc_format_count(total, n)] = '\0';
  hc_buffer_printf(&c->out, "  %-6s %s", of, n);
  for (size_t i = 0; i < many; i++) {
    if (counts[i].n == 0) continue;
    n[hc_format_count(counts[i].n, n)] = '\0';
    hc_buffer_printf(&c->out, "%s%s %s", sign, counts[i].name, n);
    sign = " + ";
  }
  hc_buffer_text(&c->out, "\n");
}

/* "rows   read 28,490 = used 28,481 + never_ran 9", and the same for tasks. */
static void ledgers_text(cli *c, const shown *s)
{
  char n[40];
  const char *sign = "";
  size_t final_count;
  const count *finals = finals_of(s, &final_count);
  for (size_t i = 0; i < s->row_count; i++) {
    if (s->rows[i].n == 0 && i > 0) continue;
    n[hc_format_count(s->rows[i].n, n)] = '\0';
    hc_buffer_printf(&c->out, i == 0 ? "  rows   %s %s" : "%s%s %s", i == 0 ? s->rows[i].name : sign,
                     i == 0 ? n : s->rows[i].name, n);
    sign = *sign ? " + " : " = ";
    if (i > 0) sign = " + ";
  }
  hc_buffer_text(&c->out, s->row_count ? "\n" : "");
  counts_text(c, "tasks", finals, final_count);
  if (s->recorded_count > 0 && !s->by_log) counts_text(c, "log", s->recorded, s->recorded_count);
}

/* A count of the run's facts that is worth a word. */
static void note_times(cli *c, int64_t times, const char *one, const char *many)
{
  char n[40];
  if (times == 0) return;
  n[hc_format_count(times, n)] = '\0';
  hc_buffer_printf(&c->out, "  note: %s %s\n", n, times == 1 ? one : many);
}

static void note_fact(cli *c, hc_result *r, const char *key, const char *one, const char *many)
{
  note_times(c, cli_result_fact(c, r, key, 0), one, many);
}

/* What the reader had to make whole. */
static void note_rounding(cli *c, hc_result *r)
{
  char amounts[40], share[40], n[40];
  double rounded, rounding;
  if (!cli_result_info(c, r, "run_info", "rounded", amounts, sizeof amounts) ||
      !cli_result_info(c, r, "run_info", "rounding", share, sizeof share) ||
      hc_parse_real(amounts, strlen(amounts), &rounded) < 0 ||
      hc_parse_real(share, strlen(share), &rounding) < 0)
    return;
  n[hc_format_count((int64_t)rounded, n)] = '\0';
  hc_buffer_printf(&c->out, "  note: %s %s not whole, and rounded by %.3g %% at most\n", n,
                   rounded == 1.0 ? "amount of the workload was" : "amounts of the workload were",
                   100 * rounding);
}

static void note_branch(cli *c, hc_result *r)
{
  char at[40], from[40];
  if (cli_result_info(c, r, "run_info", "branched_at", at, sizeof at) &&
      cli_result_info(c, r, "run_info", "branched_from", from, sizeof from))
    hc_buffer_printf(
        &c->out,
        "  note: a branch, under another policy from t=%s s on (`changes` of its configuration), of a run "
        "whose state there had the digest %s\n",
        at, from);
}

/* Names beyond the limit. */
static void note_unnamed(cli *c, hc_result *r)
{
  char text[40];
  double fields;
  if (!cli_result_info(c, r, "run_info", "unnamed", text, sizeof text) ||
      hc_parse_real(text, strlen(text), &fields) < 0)
    return;
  note_times(c, (int64_t)fields, "name of the workload was one of too many, and is a number made from it",
             "names of the workload were some of too many, and are numbers made from them");
}

static void warnings_text(cli *c, hc_result *r, const shown *s)
{
  static const char *const notes[] = {"note",           "policy_note",       "reservation_note",
                                      "predictor_note", "architecture_note", "names_note",
                                      "hosts_note",     "prefill_note",      "terms_note",
                                      "points_note",    "resize_note",       "configuration_note"};
  char n[40], note[512];
  for (size_t i = 0; i < s->row_count; i++) {
    const char *name = s->rows[i].name;
    if (s->rows[i].n == 0 || reason_text(name)[0] == '\0') continue;
    if (strcmp(name, "filtered") == 0 || strcmp(name, "outside") == 0) continue;
    n[hc_format_count(s->rows[i].n, n)] = '\0';
    hc_buffer_printf(&c->out, "  note: %s %s not used (%s): %s\n", n,
                     s->rows[i].n == 1 ? "row was" : "rows were", name, reason_text(name));
  }
  note_rounding(c, r);
  note_branch(c, r);
  note_unnamed(c, r);
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    if (cli_result_info(c, r, "hindcast", notes[i], note, sizeof note))
      hc_buffer_printf(&c->out, "  note: %s\n", note);
  note_fact(c, r, "account_beside_group", "task has an account beside its group: policies know the group",
            "tasks have an account beside their group: policies know the group");
  note_fact(c, r, "qos_beside_queue", "task has a QOS beside its queue: policies know the queue",
            "tasks have a QOS beside their queue: policies know the queue");
  cli_note_conflicts(c, r);
  note_fact(c, r, "requeued", "attempt was lost with its host and made again",
            "attempts were lost with their hosts and made again");
  note_times(c, cli_result_fact(c, r, "preempted", 0) - cli_result_fact(c, r, "resizes_requeued", 0),
             "attempt was stopped for others and made again",
             "attempts were stopped for others and made again");
  note_fact(c, r, "preempt_killed", "task was stopped for others for good",
            "tasks were stopped for others for good");
  note_fact(c, r, "resizes", "change of what a running task holds was carried out",
            "changes of what running tasks hold were carried out");
  note_fact(c, r, "plan_resizes", "resize of a running task was planned and carried out",
            "resizes of running tasks were planned and carried out");
  note_fact(c, r, "resizes_deferred", "change found no room at first, and was put off",
            "changes found no room at first, and were put off");
  note_fact(c, r, "resizes_refused", "change was refused, since there was no room to grow",
            "changes were refused, since there was no room to grow");
  note_fact(c, r, "resizes_requeued",
            "task was stopped since there was no room to grow, and waited again with the new demand",
            "times a task was stopped since there was no room to grow, and waited again with the new demand");
  note_fact(c, r, "predecessors_missing",
            "predecessor was not to be found (missing_predecessor says what that means)",
            "predecessors were not to be found (missing_predecessor says what that means)");
  for (size_t i = 0; i < s->final_count; i++) {
    const char *name = s->finals[i].name;
    bool ended =
        strcmp(name, "completed") == 0 || strcmp(name, "killed") == 0 || strcmp(name, "withdrawn") == 0;
    if (s->finals[i].n == 0 || ended) continue;
    n[hc_format_count(s->finals[i].n, n)] = '\0';
    hc_buffer_printf(&c->out, "  warning: %s %s: %s\n", n, s->finals[i].n == 1 ? "task" : "tasks",
                     final_text(name));
  }
}

/* A plug-in's architecture is not known here, and is taken to ask the policy. */
void cli_result_decider(cli *c, hc_result *r, cli_decider *out)
{
  const char *world = hc_result_config(r, "world"), *architecture = hc_result_config(r, "architecture");
  const hc_registry *known = cli_registry(c);
  const hc_component *x =
      architecture && known ? hc_registry_find(known, HC_KIND_ARCHITECTURE, architecture) : NULL;
  const hc_reach reach = x ? ((const hc_architecture_type *)x)->reach : HC_REACH_QUEUE;
  *out = (cli_decider){.world = world && world[0] ? world : NULL};
  if (out->world) return;
  if (architecture && strcmp(architecture, "monolithic") != 0) out->architecture = architecture;
  if (reach < HC_REACH_NEXT) {
    out->policy = hc_result_config(r, "policy");
    out->select = hc_result_config(r, "policy.select");
  }
  if (reach <= HC_REACH_NEXT) out->order = hc_result_config(r, "policy.order");
  if (reach < HC_REACH_NEXT || reach == HC_REACH_PLACE) out->place = hc_result_config(r, "policy.place");
}

static void decider_text(cli *c, hc_result *r)
{
  cli_decider d;
  cli_result_decider(c, r, &d);
  if (d.world) hc_buffer_printf(&c->out, ": world %s", d.world);
  else if (d.order && d.select) hc_buffer_printf(&c->out, ": %s+%s", d.order, d.select);
  else if (d.policy) hc_buffer_printf(&c->out, ": %s", d.policy);
  if (d.architecture) hc_buffer_printf(&c->out, d.policy ? " under %s" : ": %s", d.architecture);
}

static void heading_text(cli *c, hc_result *r)
{
  const char *name = hc_result_config(r, "name");
  int64_t processors = cli_result_fact(c, r, "processors", 0);
  char machine[256], n[40];
  hc_buffer_printf(&c->out, "%s", name && name[0] ? name : hc_result_path(r) ? hc_result_path(r) : "run");
  if (cli_result_is_recorded(c, r)) hc_buffer_text(&c->out, ": the schedule that the log recorded");
  else decider_text(c, r);
  if (cli_result_info(c, r, "hindcast", "machine", machine, sizeof machine)) {
    hc_buffer_printf(&c->out, ", %s", machine);
  } else if (processors > 0) {
    n[hc_format_count(processors, n)] = '\0';
    hc_buffer_printf(&c->out, ", %s processors", n);
  }
  hc_buffer_text(&c->out, "\n");
}

static void show_text(cli *c, hc_result *r, const shown *s, bool all)
{
  cli_asked asked;
  heading_text(c, r);
  ledgers_text(c, s);
  warnings_text(c, r, s);
  hc_buffer_text(&c->out, "\n");
  if (cli_asked_read(c, r, &asked) < 0) asked.count = 0;
  figures_text(c, s, &asked, all);
}

static void figures_json(hc_json_writer *j, const char *key, const shown *s, bool trimmed)
{
  hc_json_enter(j, key, '{');
  for (size_t i = 0; i < s->figure_count; i++) {
    const figure *f = &s->figures[i];
    hc_json_put_real(j, f->name, trimmed ? f->trimmed : f->value);
  }
  hc_json_leave(j, '}');
}

/* read, used and merged stand beside the reasons; here the reasons are an object of their own. */
static void rows_json(hc_json_writer *j, const shown *s)
{
  hc_json_enter(j, "rows", '{');
  for (size_t i = 0; i < s->row_count; i++) {
    if (reason_text(s->rows[i].name)[0] == '\0') hc_json_put_int(j, s->rows[i].name, s->rows[i].n);
  }
  hc_json_enter(j, "rejected", '{');
  for (size_t i = 0; i < s->row_count; i++) {
    if (reason_text(s->rows[i].name)[0] != '\0') hc_json_put_int(j, s->rows[i].name, s->rows[i].n);
  }
  hc_json_leave(j, '}');
  hc_json_leave(j, '}');
}

static void show_json(cli *c, hc_result *r, const shown *s)
{
  hc_json_writer j = {.out = &c->out};
  const char *name = hc_result_config(r, "name"), *policy = hc_result_config(r, "policy");
  const char *order = hc_result_config(r, "policy.order"), *select = hc_result_config(r, "policy.select");
  size_t final_count;
  const count *finals = finals_of(s, &final_count);
  hc_json_enter(&j, NULL, '{');
  hc_json_put_text(&j, "result", hc_result_path(r));
  hc_json_put_text(&j, "name", name);
  hc_json_put_text(&j, "policy", policy);
  if (order) hc_json_put_text(&j, "order", order);
  if (select) hc_json_put_text(&j, "select", select);
  hc_json_put_text(&j, "architecture", hc_result_config(r, "architecture"));
  hc_json_put_int(&j, "processors", cli_result_fact(c, r, "processors", 0));
  rows_json(&j, s);
  hc_json_enter(&j, "tasks", '{');
  for (size_t i = 0; i < final_count; i++) hc_json_put_int(&j, finals[i].name, finals[i].n);
  hc_json_leave(&j, '}');
  if (s->recorded_count > 0 && !s->by_log) {
    hc_json_enter(&j, "recorded", '{');
    for (size_t i = 0; i < s->recorded_count; i++) hc_json_put_int(&j, s->recorded[i].name, s->recorded[i].n);
    hc_json_leave(&j, '}');
  }
  figures_json(&j, "summary", s, false);
  if (s->has_trimmed) figures_json(&j, "trimmed", s, true);
  hc_json_enter(&j, "units", '{');
  for (size_t i = 0; i < s->figure_count; i++) hc_json_put_text(&j, s->figures[i].name, s->figures[i].unit);
  hc_json_leave(&j, '}');
  hc_json_leave(&j, '}');
}

static void csv_line(cli_table *t, const char *scope, const char *name, const char *unit, double x)
{
  cli_add_text(t, scope);
  cli_add_text(t, name);
  cli_add_text(t, unit);
  cli_add_real(t, x, unit);
}

static void show_csv(cli *c, const shown *s)
{
  static const cli_column columns[] = {
      {.name = "scope"}, {.name = "name"}, {.name = "unit"}, {.name = "value"}};
  size_t final_count;
  const count *finals = finals_of(s, &final_count);
  cli_table t;
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; i < s->row_count; i++)
    csv_line(&t, "rows", s->rows[i].name, "rows", (double)s->rows[i].n);
  for (size_t i = 0; i < final_count; i++)
    csv_line(&t, "finals", finals[i].name, "tasks", (double)finals[i].n);
  for (size_t i = 0; !s->by_log && i < s->recorded_count; i++)
    csv_line(&t, "recorded", s->recorded[i].name, "tasks", (double)s->recorded[i].n);
  for (size_t i = 0; i < s->figure_count; i++)
    csv_line(&t, "all", s->figures[i].name, s->figures[i].unit, s->figures[i].value);
  for (size_t i = 0; s->has_trimmed && i < s->figure_count; i++)
    csv_line(&t, "trimmed", s->figures[i].name, s->figures[i].unit, s->figures[i].trimmed);
  cli_table_csv(&t, &c->out);
  c->out.failed |= t.failed;
  cli_table_fini(&t);
}

hc_rc cli_result_notes(cli *c, hc_result *r, hc_buffer *out)
{
  const hc_buffer kept = c->out;
  shown s = {0};
  hc_rc rc = load(c, r, &s);
  c->out = *out;
  if (rc >= 0) warnings_text(c, r, &s);
  *out = c->out;
  c->out = kept;
  free(s.figures);
  return rc < 0 ? rc : 0;
}

hc_rc cli_show_result(cli *c, hc_result *r, bool all)
{
  shown s = {0};
  hc_rc rc = load(c, r, &s);
  if (rc >= 0) {
    switch (c->format) {
      case CLI_TEXT: show_text(c, r, &s, all); break;
      case CLI_JSON: show_json(c, r, &s); break;
      case CLI_CSV: show_csv(c, &s); break;
    }
  }
  free(s.figures);
  return rc < 0 ? rc : 0;
}

/* ---- what a run cost ---- */

static hc_rc put_info(cli *c, hc_store *store, const char *key, const char *value)
{
  const char *row[2] = {key, value};
  return hc_store_row(store, "run_info", 2, row, &c->error);
}

static hc_rc put_real(cli *c, hc_store *store, const char *key, double value)
{
  char text[40];
  text[hc_format_real(value, text)] = '\0';
  return put_info(c, store, key, text);
}

static hc_rc put_command_line(cli *c, hc_store *store)
{
  hc_buffer line;
  hc_rc rc;
  hc_buffer_init(&line, c->allocator);
  for (int i = 0; i < c->argc; i++) hc_buffer_printf(&line, "%s%s", i ? " " : "", c->argv[i]);
  rc = line.failed ? cli_fail(c, HC_ENOMEM, "out of memory for the command line")
                   : put_info(c, store, "command", line.data);
  hc_buffer_fini(&line);
  return rc;
}

hc_rc cli_store_info(cli *c, hc_store *store, double began, const hc_progress *p)
{
  double wall = cli_wall() - began;
  struct rusage u;
  CLI_TRY(put_info(c, store, "version", HC_VERSION));
  CLI_TRY(put_info(c, store, "commit", cli_commit()));
  CLI_TRY(put_info(c, store, "tz_database", hc_zone_version()));
  CLI_TRY(put_info(c, store, "compiler", __VERSION__));
  CLI_TRY(put_command_line(c, store));
  CLI_TRY(put_real(c, store, "finished_unix", (double)time(NULL)));
  CLI_TRY(put_real(c, store, "wall_s", wall));
  if (getrusage(RUSAGE_SELF, &u) == 0) {
    double user = (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
    double system = (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec * 1e-6;
    CLI_TRY(put_real(c, store, "cpu_s", user + system));
    CLI_TRY(put_real(c, store, "peak_memory_bytes", (double)u.ru_maxrss * 1024));
  }
  if (p && p->rounded > 0) {
    CLI_TRY(put_real(c, store, "rounded", (double)p->rounded));
    CLI_TRY(put_real(c, store, "rounding", p->rounding));
  }
  if (p && p->unnamed > 0) CLI_TRY(put_real(c, store, "unnamed", (double)p->unnamed));
  if (!p || !(wall > 0)) return 0;
  CLI_TRY(put_real(c, store, "simulated_s", (double)p->now / 1e9));
  CLI_TRY(put_real(c, store, "simulated_per_wall", (double)p->now / 1e9 / wall));
  CLI_TRY(put_real(c, store, "tasks_per_s", (double)p->ended / wall));
  return put_real(c, store, "instants", (double)p->instants);
}
