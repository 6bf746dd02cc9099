/* trace_rows.c -- `hindcast trace head` and `hindcast trace validate`: rows as they are, and what is wrong
 * with them. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/trace.h"

/* ---- head ---- */

static const cli_flag head_flags[] = {
    {.name = "rows", .letter = 'n', .metavar = "N", .help = "How many tasks. Default: 10."},
    {.name = NULL},
};
static const cli_flag *const head_tables[] = {head_flags,       cli_window_flags, cli_transform_flags,
                                              cli_config_flags, cli_format_flags, NULL};

static const cli_column head_columns[] = {
    {.name = "id", .right = true},        {.name = "submit", .right = true},
    {.name = "wait", .right = true},      {.name = "run", .right = true},
    {.name = "limit", .right = true},     {.name = "used", .right = true},
    {.name = "asked", .right = true},     {.name = "user", .right = true},
    {.name = "group", .right = true},     {.name = "queue", .right = true},
    {.name = "partition", .right = true}, {.name = "status", .right = true},
    {.name = "count", .right = true},     {.name = "hosts", .right = true},
    {.name = "cpu", .right = true},       {.name = "memory", .right = true},
    {.name = "gpu", .right = true}};
#define OF_PROCESSORS \
  ((size_t)12) /* the columns that every task has; the rest are of those that want hosts */

/* An id or amount that may be missing; no commas, for it is a name. */
static void add_id(cli_table *t, int64_t n)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRId64, n);
  if (n < 0) cli_add_pair(t, NULL, "-", false);
  else cli_add_pair(t, text, NULL, false);
}

/* An amount in thousandths. */
static void add_thousandths(cli_table *t, int64_t n)
{
  cli_add_real(t, n < 0 ? (double)__builtin_nanf("") : (double)n / 1000, "");
}

static void add_size(cli_table *t, int64_t n)
{
  char plain[32], human[40];
  (void)snprintf(plain, sizeof plain, "%" PRId64, n);
  human[n < 0 ? 0 : hc_format_size(n, human)] = '\0';
  if (n < 0) cli_add_pair(t, NULL, "-", false);
  else cli_add_pair(t, plain, human, false);
}

static bool wants_hosts(const hc_task_spec *s)
{
  return s->hosts >= 0 || s->need[HC_DIM_CPU] >= 0 || s->need[HC_DIM_MEMORY] >= 0 || s->need[HC_DIM_GPU] >= 0;
}

static void add_row(cli_table *t, const hc_task_spec *s)
{
  add_id(t, s->id);
  cli_add_time(t, s->submit);
  cli_add_time(t, s->wait);
  cli_add_time(t, s->run);
  cli_add_time(t, s->limit);
  add_id(t, s->procs_used);
  add_id(t, s->procs_asked);
  add_id(t, s->user);
  add_id(t, s->group);
  add_id(t, s->queue);
  add_id(t, s->partition);
  add_id(t, s->status);
  if (t->width == OF_PROCESSORS) return;
  add_id(t, s->count > 0 ? s->count : 1);
  add_id(t, s->hosts);
  add_thousandths(t, s->need[HC_DIM_CPU]);
  add_size(t, s->need[HC_DIM_MEMORY]);
  add_thousandths(t, s->need[HC_DIM_GPU]);
}

/* The first tasks, so that what all of them have is known before the first is shown. */
typedef struct first_tasks {
  hc_task_spec *items;
  size_t count, cap;
  bool want_hosts; /* any of them */
} first_tasks;

static hc_rc keep_first(cli *c, first_tasks *f, const hc_task_spec *s)
{
  if (f->count == f->cap) {
    const size_t cap = f->cap ? 2 * f->cap : 16;
    hc_task_spec *more = realloc(f->items, cap * sizeof *more);
    if (!more) return cli_fail(c, HC_ENOMEM, "out of memory for so many tasks");
    f->items = more;
    f->cap = cap;
  }
  f->items[f->count++] = *s;
  f->want_hosts |= wants_hosts(s);
  return 0;
}

static void show_first(cli *c, const first_tasks *f)
{
  cli_table t;
  cli_table_init(&t, c->allocator, head_columns, f->want_hosts ? CLI_LEN(head_columns) : OF_PROCESSORS);
  for (size_t i = 0; i < f->count; i++) add_row(&t, &f->items[i]);
  cli_table_show(c, &t);
  cli_table_fini(&t);
}

static hc_rc head(cli *c)
{
  hc_trace_options options = {.mode = HC_TRACE_ROWS};
  hc_trace_task task;
  int64_t n = 10;
  hc_config *config;
  first_tasks first = {0};
  hc_trace *t;
  hc_rc rc = 0;
  CLI_TRY(cli_int(c, "rows", 1, 100000000, &n));
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  while (n-- > 0 && (rc = hc_trace_next(t, &task, &c->error)) == 1) {
    rc = keep_first(c, &first, &task.spec);
    if (rc < 0) break;
  }
  if (rc >= 0) show_first(c, &first);
  free(first.items);
  rc = cli_trace_close(c, config, t, rc);
  return rc < 0 ? rc : 0;
}

const cli_command cli_trace_head = {
    .name = "head",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Show the first tasks of a workload, in order of submission.",
    .detail =
        "Where tasks want hosts, also how many equal ones a row stands for, how many hosts each wants, and "
        "what on each.",
    .examples = "hindcast trace head KTH.swf.gz -n 20",
    .flags = head_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = head,
};

/* ---- validate ---- */

static const cli_flag validate_flags[] = {
    CLI_FLAG_PROCS,
    {.name = "limit", .metavar = "N", .help = "Print at most N rows. Default: 100."},
    {.name = "all",
     .letter = 'a',
     .help = "Print rows of tasks that never ran too; they are common in logs and count as no mistake."},
    {.name = NULL},
};
static const cli_flag *const validate_tables[] = {validate_flags,   cli_window_flags, cli_transform_flags,
                                                  cli_config_flags, cli_format_flags, NULL};
static const cli_column problem_columns[] = {
    {.name = "file"}, {.name = "line"}, {.name = "reason"}, {.name = "text"}};

typedef struct validating {
  cli *c;
  cli_table table;
  int64_t limit;
  uint64_t problems, notes;
  int64_t *ids; /* of the tasks, up to MOST_IDS */
  size_t id_count, id_cap;
  const char *name; /* where rows stand: the file, if there is only one; else what was asked for */
  char file[512], given[4096];
  int files;
} validating;

/* ---- where rows stand ---- */

/* source.file, source.0.file: the files of readers, which a run file may name. */
static hc_rc note_file(void *ctx, const char *path, const char *value, const char *origin)
{
  validating *v = ctx;
  static const char head[] = "source.";
  (void)origin;
  if (strncmp(path, head, sizeof head - 1) != 0 || !value || !value[0]) return 0;
  path += sizeof head - 1;
  path += strspn(path, "0123456789");
  if (*path == '.') path++;
  if (strcmp(path, "file") != 0) return 0;
  v->files++;
  (void)snprintf(v->file, sizeof v->file, "%s", value);
  return 0;
}

/* A folder or a pattern is several files. */
static hc_rc find_name(validating *v, const hc_config *config)
{
  struct stat s;
  v->name = cli_trace_name(v->c, config, v->given, sizeof v->given);
  CLI_TRY(hc_config_each(config, note_file, v));
  if (v->files == 1 && strlen(v->file) + 1 < sizeof v->file && stat(v->file, &s) == 0 && !S_ISDIR(s.st_mode))
    v->name = v->file;
  return 0;
}

/* ---- job numbers that stand twice ---- */

#define MOST_IDS ((size_t)1 << 24) /* that are compared: 128 MiB */

static bool keep_id(validating *v, int64_t id)
{
  if (v->id_count == MOST_IDS) return true;
  if (v->id_count == v->id_cap) {
    size_t cap = v->id_cap ? 2 * v->id_cap : 4096;
    int64_t *more = realloc(v->ids, cap * sizeof *more);
    if (!more) return false;
    v->ids = more;
    v->id_cap = cap;
  }
  v->ids[v->id_count++] = id;
  return true;
}

static int by_number(const void *a, const void *b)
{
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* No mistake: a run takes each for a task of its own. A look for one by its number may find another. */
static void show_twins(validating *v)
{
  uint64_t twins = 0;
  int64_t first = 0;
  char text[40];
  if (v->id_count) qsort(v->ids, v->id_count, sizeof *v->ids, by_number);
  for (size_t i = 1; i < v->id_count; i++) {
    if (v->ids[i] != v->ids[i - 1] || (i > 1 && v->ids[i] == v->ids[i - 2])) continue;
    if (twins++ == 0) first = v->ids[i];
  }
  if (twins == 0) return;
  text[hc_format_count((int64_t)twins, text)] = '\0';
  hc_buffer_printf(&v->c->out,
                   "%s: %s job %s more than once%s, such as %" PRId64
                   "; each row is a task of its own, and --renumber tells them apart\n",
                   v->name, text, twins == 1 ? "number stands" : "numbers stand",
                   v->id_count == MOST_IDS ? " among the first 16,777,216" : "", first);
}

static bool has_no_run(hc_reason why)
{
  return why == HC_REASON_NEVER_RAN || why == HC_REASON_STILL_RUNNING;
}

static bool is_mistake(hc_reason why)
{
  return !has_no_run(why) && why != HC_REASON_FILTERED && why != HC_REASON_OUTSIDE;
}

static void hear_rejected(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text)
{
  validating *v = ctx;
  char number[32], words[200];
  bool shown = is_mistake(why) || (cli_has(v->c, "all") && has_no_run(why));
  if (is_mistake(why)) v->problems++;
  else v->notes++;
  if (!shown || v->limit <= 0) return;
  v->limit--;
  (void)snprintf(number, sizeof number, "%" PRIu64, line);
  (void)snprintf(words, sizeof words, "%.150s", text ? text : "");
  cli_add_text(&v->table, file);
  cli_add_pair(&v->table, number, NULL, false);
  cli_add_text(&v->table, hc_reason_name(why));
  cli_add_text(&v->table, words);
}

/* @param whole  the log was read to its end */
static void show_problems(validating *v, const hc_row_ledger *l, bool whole)
{
  cli *c = v->c;
  const cli_table *t = &v->table;
  char text[40];
  c->out.failed |= t->failed;
  if (c->format != CLI_TEXT) {
    cli_table_show(c, t);
    return;
  }
  for (size_t i = 0; i + 4 <= t->count; i += 4)
    hc_buffer_printf(&c->out, "%s:%s: %s%s%s\n", t->cells[i].plain, t->cells[i + 1].plain,
                     t->cells[i + 2].plain, t->cells[i + 3].plain[0] ? ": " : "", t->cells[i + 3].plain);
  if (v->problems > t->count / 4 && v->limit <= 0)
    hc_buffer_printf(&c->out, "%s: and more; --limit shows them\n", v->name);
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (!l->rejected[r]) continue;
    text[hc_format_count((int64_t)l->rejected[r], text)] = '\0';
    hc_buffer_printf(&c->out, "%s: %s %s: %s\n", v->name, text, hc_reason_name((hc_reason)r),
                     hc_reason_text((hc_reason)r));
  }
  show_twins(v);
  text[hc_format_count((int64_t)l->read, text)] = '\0';
  for (int r = 0; r < HC_REASON_COUNT; r++) /* what a cache tells of its source's rows has no lines */
    whole &= l->rejected[r] == 0 || !is_mistake((hc_reason)r);
  if (v->problems == 0 && whole) hc_buffer_printf(&c->out, "%s: %s rows, no mistakes\n", v->name, text);
}

static hc_rc read_through(cli *c, hc_trace *t, validating *v)
{
  hc_trace_task task;
  cli_progress line;
  uint64_t n = 0;
  hc_rc rc;
  cli_listen();
  cli_progress_begin(&line, c, "checking");
  while ((rc = hc_trace_next(t, &task, &c->error)) == 1) {
    if (!keep_id(v, task.spec.id)) rc = cli_fail(c, HC_ENOMEM, "out of memory for the job numbers");
    if (rc < 0) break;
    if (!cli_progress_trace(&line, t, ++n)) rc = HC_ECANCELLED;
    if (rc < 0) break;
  }
  cli_progress_end(&line);
  return rc;
}

static hc_rc validate(cli *c)
{
  validating v = {.c = c, .limit = 100};
  hc_trace_options options = {.mode = HC_TRACE_TASKS, .rejected = hear_rejected, .rejected_ctx = &v};
  hc_config *config;
  hc_trace *t;
  hc_rc rc;
  CLI_TRY(cli_int(c, "limit", 0, INT64_MAX, &v.limit));
  cli_table_init(&v.table, c->allocator, problem_columns, CLI_LEN(problem_columns));
  rc = cli_trace_open(c, &options, &config, &t);
  if (rc >= 0) {
    rc = find_name(&v, config);
    if (rc >= 0) rc = read_through(c, t, &v);
    if (rc >= 0 || rc == HC_EINPUT)
      show_problems(&v, hc_trace_rows(t), rc >= 0); /* also what came before a fatal one */
    if (rc == HC_EINPUT) c->problems = true;
    rc = cli_trace_close(c, config, t, rc);
  }
  cli_table_fini(&v.table);
  free(v.ids);
  if (rc < 0) return rc;
  if (v.problems == 0) return 0;
  c->problems = true;
  return hc_fail(&c->error, HC_EINPUT, v.name, 0, 0,
                 "%" PRIu64 " row%s cannot be used; a run counts them by reason and leaves them out",
                 v.problems, v.problems == 1 ? "" : "s");
}

const cli_command cli_trace_validate = {
    .name = "validate",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "List each row that a run could not use, with its line and the reason, and count them.",
    .detail = "Exit status 2 if there is one. Numbers that stand twice are told too.",
    .examples = "hindcast trace validate KTH.swf.gz",
    .flags = validate_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = validate,
};
