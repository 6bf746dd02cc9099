/* trace_info.c -- `hindcast trace info`: what a workload holds, row by row accounted for.
 *
 * Quantiles are exact up to a million tasks; beyond, they are of every second, fourth ... task, and the
 * number looked at is said. Users, groups and queues are counted in hash sets. */
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

#define KEEP ((size_t)1 << 20) /* values of a field that quantiles are taken of */

static const cli_flag own_flags[] = {
    CLI_FLAG_PROCS,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags,        cli_window_flags, cli_transform_flags,
                                        cli_config_flags, cli_format_flags, NULL};

/* ---- distinct numbers ---- */

typedef struct number_set {
  int64_t *keys;
  bool *used;
  size_t cap, count;
  bool failed;
} number_set;

static size_t place_of(const number_set *s, int64_t key)
{
  uint64_t h = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
  size_t i = (size_t)(h >> 20) & (s->cap - 1);
  while (s->used[i] && s->keys[i] != key) i = (i + 1) & (s->cap - 1);
  return i;
}

static void grow(number_set *s)
{
  number_set old = *s;
  s->cap = old.cap ? old.cap * 2 : 256;
  s->keys = calloc(s->cap, sizeof *s->keys);
  s->used = calloc(s->cap, sizeof *s->used);
  if (!s->keys || !s->used) {
    free(s->keys);
    free(s->used);
    *s = old;
    s->failed = true;
    return;
  }
  for (size_t i = 0; i < old.cap; i++) {
    size_t at;
    if (!old.used[i]) continue;
    at = place_of(s, old.keys[i]);
    s->used[at] = true;
    s->keys[at] = old.keys[i];
  }
  free(old.keys);
  free(old.used);
}

static void add_number(number_set *s, int64_t key)
{
  size_t at;
  if (key < 0 || s->failed) return;
  if (s->count * 2 >= s->cap) grow(s);
  if (s->failed) return;
  at = place_of(s, key);
  if (s->used[at]) return;
  s->used[at] = true;
  s->keys[at] = key;
  s->count++;
}

static void free_numbers(number_set *s)
{
  free(s->keys);
  free(s->used);
}

/* ---- fields ---- */

typedef struct field {
  const char *name, *unit;
  double *values;
  size_t count, cap;
  uint64_t seen, known, stride;
  double sum, least, most;
  bool failed;
} field;

/* Halve the sample: keep every second of what is kept. */
static void thin(field *f)
{
  for (size_t i = 0; i < f->count / 2; i++) f->values[i] = f->values[2 * i];
  f->count /= 2;
  f->stride *= 2;
}

static void add_value(field *f, double x, bool known)
{
  f->seen++;
  if (!known) return;
  if (f->known == 0 || x < f->least) f->least = x;
  if (f->known == 0 || x > f->most) f->most = x;
  f->sum += x;
  if (f->stride == 0) f->stride = 1;
  if (f->known++ % f->stride != 0 || f->failed) return;
  if (f->count == f->cap) {
    size_t cap = f->cap ? f->cap * 2 : 1024;
    double *values = realloc(f->values, cap * sizeof *values);
    if (!values) {
      f->failed = true;
      return;
    }
    f->values = values;
    f->cap = cap;
  }
  f->values[f->count++] = x;
  if (f->count == KEEP) thin(f);
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Nearest rank: the least value that so large a share does not exceed. */
static double quantile(const field *f, double share)
{
  size_t rank = (size_t)(share * (double)f->count);
  if (f->count == 0) return (double)__builtin_nanf("");
  if ((double)rank < share * (double)f->count) rank++;
  return f->values[rank > 0 ? rank - 1 : 0];
}

enum { INTERARRIVAL, WAIT, RUN, LIMIT, PROCS, MEMORY, FIELDS };

typedef struct survey {
  field fields[FIELDS];
  number_set users, groups, queues, partitions, executables;
  uint64_t tasks, status[7]; /* by hc_status + 1 */
  hc_time first, last, last_end;
  double area; /* processor-seconds */
} survey;

static void add_time(field *f, hc_time t)
{
  add_value(f, (double)t / 1e9, t != HC_UNKNOWN && t != HC_NEVER && t >= 0);
}

static void add_task(survey *s, const hc_trace_task *t)
{
  const hc_task_spec *p = &t->spec;
  hc_time end = p->submit + (p->wait > 0 ? p->wait : 0) + (p->run > 0 && p->run != HC_NEVER ? p->run : 0);
  if (s->tasks == 0) s->first = p->submit;
  else add_time(&s->fields[INTERARRIVAL], p->submit - s->last);
  s->last = p->submit;
  if (s->tasks++ == 0 || end > s->last_end) s->last_end = end;
  add_time(&s->fields[WAIT], p->wait);
  add_time(&s->fields[RUN], p->run);
  add_time(&s->fields[LIMIT], p->limit);
  add_value(&s->fields[PROCS], (double)t->units, t->units > 0);
  add_value(&s->fields[MEMORY], (double)p->memory_asked, p->memory_asked > 0);
  if (t->run != HC_NEVER && t->run > 0) s->area += (double)t->run / 1e9 * (double)t->units;
  add_number(&s->users, p->user);
  add_number(&s->groups, p->group);
  add_number(&s->queues, p->queue);
  add_number(&s->partitions, p->partition);
  add_number(&s->executables, p->executable);
  if (p->status >= -1 && p->status <= 5) s->status[p->status + 1]++;
}

/* ---- saying so ---- */

static const cli_column field_columns[] = {{.name = "field"},
                                           {.name = "unit"},
                                           {.name = "known", .right = true},
                                           {.name = "mean", .right = true},
                                           {.name = "min", .right = true},
                                           {.name = "p25", .right = true},
                                           {.name = "p50", .right = true},
                                           {.name = "p75", .right = true},
                                           {.name = "p95", .right = true},
                                           {.name = "max", .right = true}};

static void add_fields(cli_table *t, survey *s)
{
  static const double shares[] = {0.25, 0.5, 0.75, 0.95};
  for (int i = 0; i < FIELDS; i++) {
    field *f = &s->fields[i];
    double none = (double)__builtin_nanf("");
    t->failed |= f->failed;
    if (f->count) qsort(f->values, f->count, sizeof *f->values, by_value);
    cli_add_text(t, f->name);
    cli_add_text(t, f->unit);
    cli_add_int(t, (int64_t)f->known);
    cli_add_real(t, f->known ? f->sum / (double)f->known : none, f->unit);
    cli_add_real(t, f->known ? f->least : none, f->unit);
    for (size_t k = 0; k < CLI_LEN(shares); k++) cli_add_real(t, quantile(f, shares[k]), f->unit);
    cli_add_real(t, f->known ? f->most : none, f->unit);
  }
}

static double span_of(const survey *s)
{
  return s->tasks ? (double)(s->last - s->first) / 1e9 : 0;
}

static double load_of(const survey *s, int64_t capacity)
{
  double span = span_of(s);
  return capacity > 0 && span > 0 ? s->area / ((double)capacity * span) : (double)__builtin_nanf("");
}

static void rows_json(cli_json *j, const hc_row_ledger *l)
{
  cli_json_open(j, "rows", '{');
  cli_json_int(j, "read", (int64_t)l->read);
  cli_json_int(j, "used", (int64_t)l->used);
  cli_json_int(j, "merged", (int64_t)l->merged);
  cli_json_open(j, "rejected", '{');
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (l->rejected[r]) cli_json_int(j, hc_reason_name((hc_reason)r), (int64_t)l->rejected[r]);
  }
  cli_json_close(j, '}');
  cli_json_close(j, '}');
}

static const char *const status_names[] = {"unknown",      "failed",         "completed", "partial",
                                           "partial_last", "partial_failed", "cancelled"};

static void facts_json(cli_json *j, const hc_trace_info *info)
{
  cli_json_open(j, "header", '{');
  cli_json_text(j, "computer", info->computer);
  cli_json_text(j, "installation", info->installation);
  cli_json_text(j, "acknowledge", info->acknowledge);
  if (info->processors > 0) cli_json_int(j, "processors", info->processors);
  if (info->nodes > 0) cli_json_int(j, "nodes", info->nodes);
  if (info->unix_start != HC_UNKNOWN) cli_json_int(j, "unix_start", info->unix_start);
  cli_json_text(j, "zone", info->zone);
  if (info->jobs != HC_UNKNOWN) cli_json_int(j, "jobs", info->jobs);
  if (info->records != HC_UNKNOWN) cli_json_int(j, "records", info->records);
  cli_json_close(j, '}');
}

static void show_json(cli *c, const survey *s, const hc_trace *t, const cli_table *fields)
{
  int64_t capacity = hc_trace_capacity(t);
  double load = load_of(s, capacity);
  cli_json j = {.out = &c->out};
  cli_json_open(&j, NULL, '{');
  cli_json_text(&j, "trace", c->operands[0]);
  rows_json(&j, hc_trace_rows(t));
  facts_json(&j, hc_trace_facts(t));
  cli_json_int(&j, "tasks", (int64_t)s->tasks);
  cli_json_real(&j, "first_submit", (double)s->first / 1e9);
  cli_json_real(&j, "last_submit", (double)s->last / 1e9);
  cli_json_real(&j, "span", span_of(s));
  cli_json_real(&j, "area", s->area);
  if (capacity > 0) cli_json_int(&j, "processors", capacity);
  if (load == load) cli_json_real(&j, "offered_load", load);
  cli_json_int(&j, "users", (int64_t)s->users.count);
  cli_json_int(&j, "groups", (int64_t)s->groups.count);
  cli_json_int(&j, "queues", (int64_t)s->queues.count);
  cli_json_int(&j, "partitions", (int64_t)s->partitions.count);
  cli_json_int(&j, "executables", (int64_t)s->executables.count);
  cli_json_open(&j, "status", '{');
  for (size_t i = 0; i < CLI_LEN(status_names); i++) {
    if (s->status[i]) cli_json_int(&j, status_names[i], (int64_t)s->status[i]);
  }
  cli_json_close(&j, '}');
  cli_json_table(&j, "fields", fields);
  cli_json_close(&j, '}');
}

static void line_count(hc_buffer *out, const char *before, int64_t n, const char *after)
{
  char text[40];
  text[hc_format_count(n, text)] = '\0';
  hc_buffer_printf(out, "%s%s%s", before, text, after);
}

static void rows_text(hc_buffer *out, const hc_row_ledger *l)
{
  line_count(out, "  rows       read ", (int64_t)l->read, "");
  line_count(out, " = used ", (int64_t)l->used, "");
  if (l->merged) line_count(out, " + merged ", (int64_t)l->merged, "");
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (!l->rejected[r]) continue;
    hc_buffer_printf(out, " + %s", hc_reason_name((hc_reason)r));
    line_count(out, " ", (int64_t)l->rejected[r], "");
  }
  hc_buffer_text(out, "\n");
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (l->rejected[r])
      hc_buffer_printf(out, "             %s: %s\n", hc_reason_name((hc_reason)r),
                       hc_reason_text((hc_reason)r));
  }
}

static void machine_text(hc_buffer *out, const hc_trace_info *info, int64_t capacity)
{
  hc_calendar d;
  if (info->computer) hc_buffer_printf(out, "  computer   %s\n", info->computer);
  if (info->installation) hc_buffer_printf(out, "  at         %s\n", info->installation);
  if (capacity > 0) line_count(out, "  machine    ", capacity, " processors\n");
  else hc_buffer_text(out, "  machine    the log does not say; --procs N does\n");
  if (info->unix_start == HC_UNKNOWN) return;
  d = hc_calendar_of(info->unix_start, 0);
  hc_buffer_printf(out, "  origin     %04lld-%02d-%02d %02d:%02d:%02d UTC%s%s\n", (long long)d.year, d.month,
                   d.day, d.hour, d.minute, d.second, info->zone ? ", zone " : "",
                   info->zone ? info->zone : "");
}

static void show_text(cli *c, const survey *s, const hc_trace *t, const cli_table *fields)
{
  hc_buffer *out = &c->out;
  int64_t capacity = hc_trace_capacity(t);
  double load = load_of(s, capacity);
  char text[64];
  hc_buffer_printf(out, "%s\n", c->operands[0]);
  machine_text(out, hc_trace_facts(t), capacity);
  rows_text(out, hc_trace_rows(t));
  text[hc_format_duration((hc_time)span_of(s) * HC_SECOND, text)] = '\0';
  hc_buffer_printf(out, "  span       %s from first to last submission\n", text);
  if (load == load) {
    cli_human(load, "1", text);
    hc_buffer_printf(out, "  load       %s offered (work / processors / span)\n", text);
  }
  line_count(out, "  who        ", (int64_t)s->users.count, " users, ");
  line_count(out, "", (int64_t)s->groups.count, " groups, ");
  line_count(out, "", (int64_t)s->queues.count, " queues, ");
  line_count(out, "", (int64_t)s->partitions.count, " partitions, ");
  line_count(out, "", (int64_t)s->executables.count, " executables\n");
  hc_buffer_text(out, "  status    ");
  for (size_t i = 0; i < CLI_LEN(status_names); i++) {
    if (!s->status[i]) continue;
    hc_buffer_printf(out, " %s", status_names[i]);
    line_count(out, " ", (int64_t)s->status[i], "");
  }
  hc_buffer_text(out, "\n\n");
  cli_table_text(fields, out, 2, true);
  if (s->fields[RUN].stride > 1)
    hc_buffer_printf(out, "  quantiles: of every %lluth task\n", (unsigned long long)s->fields[RUN].stride);
}

static hc_rc read_all(cli *c, hc_trace *t, survey *s)
{
  hc_trace_task task;
  cli_progress line;
  uint64_t done, total;
  hc_rc rc;
  cli_listen();
  cli_progress_begin(&line, c, "reading");
  while ((rc = hc_trace_next(t, &task, &c->error)) == 1) {
    add_task(s, &task);
    if (s->tasks % 4096 != 0) continue;
    hc_trace_progress(t, &done, &total);
    if (!cli_progress_part(&line, done, total)) rc = HC_ECANCELLED;
    if (rc < 0) break;
  }
  cli_progress_end(&line);
  return rc;
}

static void show(cli *c, survey *s, const hc_trace *t)
{
  cli_table fields;
  cli_table_init(&fields, c->allocator, field_columns, CLI_LEN(field_columns));
  add_fields(&fields, s);
  c->out.failed |= fields.failed || s->users.failed;
  switch (c->format) {
    case CLI_TEXT: show_text(c, s, t, &fields); break;
    case CLI_JSON: show_json(c, s, t, &fields); break;
    case CLI_CSV: cli_table_csv(&fields, &c->out); break;
  }
  cli_table_fini(&fields);
}

static hc_rc run(cli *c)
{
  hc_trace_options options = {.mode = HC_TRACE_TASKS};
  survey s = {.fields = {[INTERARRIVAL] = {.name = "interarrival", .unit = "s"},
                         [WAIT] = {.name = "wait", .unit = "s"},
                         [RUN] = {.name = "run", .unit = "s"},
                         [LIMIT] = {.name = "limit", .unit = "s"},
                         [PROCS] = {.name = "processors", .unit = "processors"},
                         [MEMORY] = {.name = "memory_asked", .unit = "B"}}};
  hc_config *config;
  hc_trace *t;
  hc_rc rc;
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  rc = read_all(c, t, &s);
  if (rc >= 0) show(c, &s, t);
  for (int i = 0; i < FIELDS; i++) free(s.fields[i].values);
  free_numbers(&s.users);
  free_numbers(&s.groups);
  free_numbers(&s.queues);
  free_numbers(&s.partitions);
  free_numbers(&s.executables);
  hc_trace_close(t);
  hc_config_free(config);
  return rc < 0 ? rc : 0;
}

const cli_command cli_trace_info = {
    .name = "info",
    .operands = "LOG",
    .summary = "Say what a workload holds: every row accounted for, header, fields, users, load.",
    .examples = "hindcast trace info KTH.swf.gz\nhindcast trace info KTH.swf.gz --json",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
