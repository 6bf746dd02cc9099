/* compare.c -- `hindcast compare`: figures side by side, and tasks one by one.
 *
 * Runs of one workload see the same tasks, so their difference is taken task by task: what the tasks have in
 * common cancels, and the interval is far narrower than that of two means. Waits of neighbours are
 * correlated, so the interval is by batch means: 30 batches in order of submission, Student's t over them
 * (see hc_estimate_mean). Tasks are matched by serial if both sides have the same (id, submit) at each; else
 * by job id. The same batches say how sure the means of one long run are by themselves. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/groups.h"

#define BATCHES 30u

static const cli_flag own_flags[] = {
    {.name = "expect",
     .metavar = "equal",
     .complete = "equal",
     .help = "Exit with status 3 if a task starts at another time than in the first one."},
    {.name = "job-by-job", .metavar = "N", .help = "List the first N tasks that start at another time."},
    {.name = "differ",
     .metavar = "start|wait",
     .complete = "start|wait",
     .help =
         "By what a task counts as another one: its start, or its wait, which a constant offset between two "
         "clocks leaves alone. Default: start."},
    {.name = "by",
     .metavar = "WHAT",
     .complete = CLI_BY_WORDS,
     .many = true,
     .help =
         "Show which users, groups (or accounts), executables, queues (or qos), partitions, months, days, "
         "weekdays, hours, sizes or estimates lose and gain instead, task by task, those first that lose "
         "most; or by an expression over the tasks of the first result: 'run > 3600'. Two of them make "
         "groups of pairs: user,day. (start and wait are what --differ takes.)"},
    {.name = "sort",
     .metavar = "COLUMN",
     .help = "With --by: the greatest first, or with -COLUMN the least; group: in the order of the groups. "
             "Default: lost_hours."},
    CLI_FLAG_LIMIT,
    CLI_FLAG_SIZES,
    CLI_FLAG_ESTIMATES,
    CLI_FLAG_MARKDOWN_BY,
    CLI_FLAG_LATEX_BY,
    {.name = "tau", .metavar = "SECONDS", .help = "Threshold of the paired bounded slowdown. Default: 10."},
    {.name = "batches",
     .metavar = "N",
     .help = "How many batch means intervals are made of, and show the means of each result by itself with "
             "theirs, as it is done for a single one. Default: 30."},
    {.name = "all", .letter = 'a', .help = "Every figure, not only the usual ones."},
    {.name = "scope",
     .metavar = "all|trimmed",
     .complete = "all|trimmed",
     .help =
         "Which summary is compared; with --by trimmed: the tasks that the trim of the first result keeps. "
         "Default: all."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

/* ---- figures side by side ---- */

typedef struct names {
  char (*items)[64];
  char (*units)[24];
  size_t count, cap;
  const char *scope;
} names;

static hc_rc take_name(void *ctx, const char *const *v)
{
  names *n = ctx;
  if (!v[0] || !v[1] || strcmp(v[0], n->scope) != 0) return 0;
  if (n->count == n->cap) {
    size_t cap = n->cap ? n->cap * 2 : 128;
    char(*items)[64] = realloc(n->items, cap * sizeof *items);
    char(*units)[24];
    if (!items) return HC_ENOMEM;
    n->items = items;
    units = realloc(n->units, cap * sizeof *units);
    if (!units) return HC_ENOMEM;
    n->units = units;
    n->cap = cap;
  }
  (void)snprintf(n->items[n->count], sizeof *n->items, "%s", v[1]);
  (void)snprintf(n->units[n->count], sizeof *n->units, "%s", v[2] ? v[2] : "");
  n->count++;
  return 0;
}

static bool is_shown(const cli *c, const cli_asked *asked, const char *name)
{
  return cli_has(c, "all") || cli_asked_has(asked, name) ||
         hc_figure_has(c->registry, name, HC_FIGURE_COMPARED);
}

/* Columns: the figure, one for each result, the unit. Schedules of other programs have no figures. */
static cli_column *make_columns(const cli_schedule *s, size_t count, size_t *width)
{
  cli_column *columns = calloc(count + 2, sizeof *columns);
  size_t n = 0;
  if (!columns) return NULL;
  columns[n++].name = "figure";
  for (size_t i = 0; i < count; i++) {
    if (s[i].result) columns[n++] = (cli_column){.name = s[i].name, .right = true};
  }
  columns[n++].name = "unit";
  *width = n;
  return columns;
}

static hc_rc side_by_side(cli *c, const cli_schedule *s, size_t count, cli_table *t)
{
  names n = {.scope = cli_value(c, "scope") ? cli_value(c, "scope") : "all"};
  cli_asked asked = {0}; /* of the first of them, as the figures are */
  hc_rc rc = 0;
  for (size_t i = 0; rc == 0 && i < count && n.count == 0; i++) {
    if (!s[i].result) continue;
    rc = hc_result_rows(s[i].result, "summary", 4, take_name, &n, &c->error);
    if (rc >= 0) rc = cli_asked_read(c, s[i].result, &asked);
  }
  for (size_t k = 0; rc >= 0 && k < n.count; k++) {
    bool is_unit = (strcmp(n.units[k], "1") == 0 || strcmp(n.units[k], "B") == 0) && c->format == CLI_TEXT;
    if (!is_shown(c, &asked, n.items[k])) continue;
    cli_add_text(t, n.items[k]);
    for (size_t i = 0; i < count; i++) {
      if (s[i].result) cli_add_real(t, hc_result_figure(s[i].result, n.scope, n.items[k]), n.units[k]);
    }
    cli_add_text(t, is_unit ? "" : n.units[k]);
  }
  free(n.items);
  free(n.units);
  return rc < 0 ? rc : 0;
}

/* ---- task by task ---- */

static bool started(const hc_task_record *r)
{
  return r->start != HC_UNKNOWN;
}

static double seconds(hc_time t)
{
  return (double)t / 1e9;
}

static double wait_of(const hc_task_record *r)
{
  return seconds(r->start - r->submit);
}

static double slowdown_of(const hc_task_record *r, double tau)
{
  double run = seconds(r->end - r->start),
         x = (seconds(r->start - r->submit) + run) / (run > tau ? run : tau);
  return x > 1 ? x : 1;
}

static bool differs(const cli_pair *p, bool by_wait)
{
  if (started(p->a) != started(p->b)) return true;
  if (!started(p->a)) return false;
  return by_wait ? p->a->start - p->a->submit != p->b->start - p->b->submit : p->a->start != p->b->start;
}

typedef struct difference {
  hc_estimate wait, slowdown;
  uint64_t differ, pairs;
} difference;

typedef struct options {
  bool by_wait, expect_equal, alone;
  int64_t jobs, batches;
  double tau;
} options;

static hc_rc measure(cli *c, const cli_pairing *p, const options *o, difference *out)
{
  double *waits = malloc((p->count + 1) * sizeof *waits),
         *slowdowns = malloc((p->count + 1) * sizeof *slowdowns);
  size_t n = 0;
  *out = (difference){.pairs = p->count};
  for (size_t i = 0; waits && slowdowns && i < p->count; i++) {
    const cli_pair *x = &p->pairs[i];
    out->differ += differs(x, o->by_wait);
    if (!started(x->a) || !started(x->b) || x->a->end == HC_UNKNOWN || x->b->end == HC_UNKNOWN) continue;
    waits[n] = wait_of(x->b) - wait_of(x->a);
    slowdowns[n++] = slowdown_of(x->b, o->tau) - slowdown_of(x->a, o->tau);
  }
  if (waits && slowdowns) {
    (void)hc_estimate_mean(waits, n, (uint32_t)o->batches, &out->wait);
    (void)hc_estimate_mean(slowdowns, n, (uint32_t)o->batches, &out->slowdown);
  }
  free(waits);
  free(slowdowns);
  return waits && slowdowns ? 0 : cli_fail(c, HC_ENOMEM, "out of memory for the differences");
}

/* One result by itself: tasks that ended, in order of submission. */
static hc_rc measure_alone(cli *c, const cli_schedule *s, const options *o, difference *out)
{
  const size_t count = s->records.count;
  double *waits = malloc((count + 1) * sizeof *waits), *slowdowns = malloc((count + 1) * sizeof *slowdowns);
  *out = (difference){.pairs = 0};
  for (size_t i = 0; waits && slowdowns && i < count; i++) {
    const hc_task_record *r = &s->records.items[i];
    if (!started(r) || r->end == HC_UNKNOWN) continue;
    waits[out->pairs] = wait_of(r);
    slowdowns[out->pairs++] = slowdown_of(r, o->tau);
  }
  if (waits && slowdowns) {
    (void)hc_estimate_mean(waits, out->pairs, (uint32_t)o->batches, &out->wait);
    (void)hc_estimate_mean(slowdowns, out->pairs, (uint32_t)o->batches, &out->slowdown);
  }
  free(waits);
  free(slowdowns);
  return waits && slowdowns ? 0 : cli_fail(c, HC_ENOMEM, "out of memory for the means");
}

/* ---- saying so ---- */

static const cli_column paired_columns[] = {
    {.name = "result"},
    {.name = "tasks", .right = true},
    {.name = "unmatched", .right = true},
    {.name = "differ", .right = true},
    {.name = "wait_difference", .title = "wait (s)", .right = true},
    {.name = "wait_half_width", .title = "+/-", .right = true},
    {.name = "slowdown_difference", .title = "bounded slowdown", .right = true},
    {.name = "slowdown_half_width", .title = "+/-", .right = true}};

static const cli_column alone_columns[] = {{.name = "result"},
                                           {.name = "tasks", .right = true},
                                           {.name = "wait", .title = "wait (s)", .right = true},
                                           {.name = "wait_half_width", .title = "+/-", .right = true},
                                           {.name = "slowdown", .title = "bounded slowdown", .right = true},
                                           {.name = "slowdown_half_width", .title = "+/-", .right = true}};

static const cli_column job_columns[] = {{.name = "result"},
                                         {.name = "job", .right = true},
                                         {.name = "serial", .right = true},
                                         {.name = "user"},
                                         {.name = "units", .right = true},
                                         {.name = "submit", .right = true},
                                         {.name = "first_start", .title = "start in first", .right = true},
                                         {.name = "start", .right = true},
                                         {.name = "difference", .right = true}};

/* @param of  the first's; NULL: it is another program's schedule */
static void add_names(cli_table *t, hc_result *of, const hc_task_record *r)
{
  char number[32];
  const char *name = of ? hc_result_task_name(of, r->serial) : NULL;
  (void)snprintf(number, sizeof number, "%lld", (long long)r->id);
  cli_add_pair(t, name ? name : number, NULL, false);
  (void)snprintf(number, sizeof number, "%lld", (long long)r->serial);
  cli_add_pair(t, number, NULL, false);
  name = of ? hc_result_name(of, HC_CALLED_USER, r->user) : NULL;
  (void)snprintf(number, sizeof number, "%lld", (long long)r->user);
  cli_add_text(t, name ? name : r->user >= 0 ? number : "");
}

static void add_jobs(cli_table *t, const char *name, const cli_pairing *p, hc_result *of, bool by_wait,
                     int64_t limit)
{
  for (size_t i = 0; i < p->count && limit > 0; i++) {
    const cli_pair *x = &p->pairs[i];
    bool both = started(x->a) && started(x->b);
    if (!differs(x, by_wait)) continue;
    limit--;
    cli_add_text(t, name);
    add_names(t, of, x->a);
    cli_add_int(t, x->a->units);
    cli_add_time(t, x->a->submit);
    cli_add_time(t, x->a->start);
    cli_add_time(t, x->b->start);
    cli_add_time(t, both ? (x->b->start - x->b->submit) - (x->a->start - x->a->submit) : HC_UNKNOWN);
  }
}

static void add_paired(cli_table *t, const char *name, const cli_pairing *p, const difference *d)
{
  cli_add_text(t, name);
  cli_add_int(t, (int64_t)d->pairs);
  cli_add_int(t, (int64_t)(p->only_a + p->only_b));
  cli_add_int(t, (int64_t)d->differ);
  cli_add_real(t, d->wait.mean, "s");
  cli_add_real(t, d->wait.half_width, "s");
  cli_add_real(t, d->slowdown.mean, "1");
  cli_add_real(t, d->slowdown.half_width, "1");
}

static void add_alone(cli_table *t, const char *name, const difference *d)
{
  cli_add_text(t, name);
  cli_add_int(t, (int64_t)d->pairs);
  cli_add_real(t, d->wait.mean, "s");
  cli_add_real(t, d->wait.half_width, "s");
  cli_add_real(t, d->slowdown.mean, "1");
  cli_add_real(t, d->slowdown.half_width, "1");
}

typedef struct tables {
  cli_table figures, alone, paired, jobs;
  hc_buffer notes; /* lines: what sets the results apart */
} tables;

void cli_show_notes(const hc_buffer *notes, hc_buffer *out)
{
  for (const char *line = notes->size ? notes->data : ""; *line;) {
    const size_t n = strcspn(line, "\n");
    hc_buffer_printf(out, "%snote: %.*s\n", line == notes->data && out->size ? "\n" : "", (int)n, line);
    line += n + (line[n] == '\n');
  }
}

void cli_json_notes(hc_json_writer *j, const hc_buffer *notes)
{
  hc_json_enter(j, "notes", '[');
  for (char *line = notes->size ? notes->data : NULL; line && *line;) {
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    hc_json_put_text(j, NULL, line);
    line = end ? end + 1 : NULL;
  }
  hc_json_leave(j, ']');
}

static void show(cli *c, const cli_schedule *s, const options *o, const tables *t)
{
  const cli_table *figures = &t->figures, *alone = &t->alone, *paired = &t->paired, *jobs = &t->jobs;
  hc_buffer *out = &c->out;
  hc_json_writer j = {.out = out};
  out->failed |= figures->failed || alone->failed || paired->failed || jobs->failed || t->notes.failed;
  switch (c->format) {
    case CLI_TEXT:
      if (figures->count) cli_table_text(figures, out, 0, true);
      if (alone->count) {
        hc_buffer_printf(out,
                         "%sBy itself: mean, 95 %% confidence interval (t over %lld batch means in order of "
                         "submission)\n",
                         figures->count ? "\n" : "", (long long)o->batches);
        cli_table_text(alone, out, 2, true);
      }
      if ((figures->count || alone->count) && paired->count) hc_buffer_text(out, "\n");
      if (paired->count) {
        hc_buffer_printf(
            out,
            "Task by task against %s: mean difference, 95 %% confidence interval (t over %lld batch "
            "means in order of submission)\n",
            s[0].name, (long long)o->batches);
        cli_table_text(paired, out, 2, true);
      }
      if (jobs->count) {
        hc_buffer_printf(out, "\nTasks that differ from %s:\n", s[0].name);
        cli_table_text(jobs, out, 2, true);
      }
      cli_show_notes(&t->notes, out);
      break;
    case CLI_CSV:
      cli_table_csv(cli_has(c, "job-by-job") ? jobs
                    : alone->count           ? alone
                    : figures->count         ? figures
                                             : paired,
                    out);
      break;
    case CLI_JSON:
      hc_json_enter(&j, NULL, '{');
      hc_json_put_text(&j, "first", s[0].path);
      cli_table_member(figures, &j, "figures");
      if (alone->count) cli_table_member(alone, &j, "alone");
      cli_table_member(paired, &j, "paired");
      if (cli_has(c, "job-by-job")) cli_table_member(jobs, &j, "differences");
      cli_json_notes(&j, &t->notes);
      hc_json_leave(&j, '}');
      break;
  }
}

/* --differ, or --by start and --by wait, which said so before. */
static const char *differ_by(cli *c)
{
  const char *said = cli_value(c, "differ");
  for (size_t i = 0; !said && i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0 && cli_is_differ(c->given[i].value))
      said = c->given[i].value;
  return said;
}

static bool has_groups(const cli *c)
{
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0 && !cli_is_differ(c->given[i].value)) return true;
  return false;
}

/* Flags that only make sense together, or never do. */
static hc_rc check_flags(cli *c)
{
  static const char *const others[] = {"expect", "job-by-job", "all", "differ"};
  static const char *const own[] = {"sort", "limit", "sizes", "estimates", "markdown", "latex"};
  const bool by = has_groups(c);
  for (size_t i = 0; by && i < CLI_LEN(others); i++)
    if (cli_has(c, others[i])) return cli_fail(c, HC_EUSAGE, "--by or --%s, not both", others[i]);
  for (size_t i = 0; !by && i < CLI_LEN(own); i++)
    if (cli_has(c, own[i])) return cli_fail(c, HC_EUSAGE, "--%s is for --by; say by what, --by user", own[i]);
  if (by && c->operand_count == 1)
    return cli_fail(c, HC_EUSAGE,
                    "with what? Name another result to compare with, or `hindcast show %.200s --by ...`",
                    c->operands[0]);
  return 0;
}

static hc_rc read_options(cli *c, options *o)
{
  const char *expect = cli_value(c, "expect"), *by = differ_by(c), *tau = cli_value(c, "tau");
  const char *scope = cli_value(c, "scope");
  CLI_TRY(check_flags(c));
  *o = (options){.tau = 10, .batches = BATCHES, .alone = c->operand_count == 1 || cli_has(c, "batches")};
  if (expect && strcmp(expect, "equal") != 0)
    return cli_fail(c, HC_EUSAGE, "--expect takes \"equal\", got \"%.80s\"", expect);
  if (by && strcmp(by, "wait") != 0 && strcmp(by, "start") != 0)
    return cli_fail(c, HC_EUSAGE, "--differ takes \"start\" or \"wait\", got \"%.80s\"", by);
  if (scope && strcmp(scope, "all") != 0 && strcmp(scope, "trimmed") != 0)
    return cli_fail(c, HC_EUSAGE, "--scope takes \"all\" or \"trimmed\", got \"%.80s\"", scope);
  if (tau && (hc_parse_real(tau, strlen(tau), &o->tau) < 0 || !(o->tau > 0)))
    return cli_fail(c, HC_EUSAGE, "--tau: expected a number of seconds above zero, got \"%.80s\"", tau);
  o->expect_equal = expect != NULL;
  o->by_wait = by && strcmp(by, "wait") == 0;
  if (c->operand_count == 1 && (expect || cli_has(c, "job-by-job")))
    return cli_fail(c, HC_EUSAGE, "with what? Name another result to compare with");
  CLI_TRY(cli_int(c, "batches", 2, 1000, &o->batches));
  return cli_int(c, "job-by-job", 1, INT64_MAX, &o->jobs);
}

static hc_rc compare_one(cli *c, const options *o, const cli_schedule *s, size_t i, tables *t, bool *equal)
{
  cli_pairing p;
  difference d;
  hc_rc rc = cli_match(c, &s[0], &s[i], &p);
  if (rc >= 0) rc = measure(c, &p, o, &d);
  if (rc >= 0 && p.count == 0)
    rc = hc_fail(&c->error, HC_EUSAGE, s[i].path, 0, 0,
                 "it has no task in common with %s; compare results of one workload", s[0].path);
  if (rc >= 0) {
    add_paired(&t->paired, s[i].name, &p, &d);
    add_jobs(&t->jobs, s[i].name, &p, s[0].result, o->by_wait, o->jobs);
    if (d.differ || p.only_a || p.only_b) *equal = false;
    if (p.only_a || p.only_b)
      hc_buffer_printf(&t->notes,
                       "the columns are over different tasks: %llu are in %s alone, %llu in %s alone\n",
                       (unsigned long long)p.only_a, s[0].name, (unsigned long long)p.only_b, s[i].name);
  }
  free(p.pairs);
  return rc;
}

static hc_rc fill_tables(cli *c, const options *o, const cli_schedule *s, size_t count, tables *t,
                         bool *equal)
{
  CLI_TRY(side_by_side(c, s, count, &t->figures));
  CLI_TRY(cli_compare_notes(c, s, count, &t->notes));
  for (size_t i = 0; o->alone && i < count; i++) {
    difference d;
    CLI_TRY(measure_alone(c, &s[i], o, &d));
    add_alone(&t->alone, s[i].name, &d);
  }
  for (size_t i = 1; i < count; i++) CLI_TRY(compare_one(c, o, s, i, t, equal));
  return 0;
}

static hc_rc compare_all(cli *c, const options *o, const cli_schedule *s, size_t count)
{
  size_t width = 0;
  cli_column *columns = make_columns(s, count, &width);
  tables t;
  bool equal = true;
  hc_rc rc;
  if (!columns) return cli_fail(c, HC_ENOMEM, "out of memory for the table");
  cli_table_init(&t.figures, c->allocator, columns, width);
  cli_table_init(&t.alone, c->allocator, alone_columns, CLI_LEN(alone_columns));
  cli_table_init(&t.paired, c->allocator, paired_columns, CLI_LEN(paired_columns));
  cli_table_init(&t.jobs, c->allocator, job_columns, CLI_LEN(job_columns));
  hc_buffer_init(&t.notes, c->allocator);
  rc = fill_tables(c, o, s, count, &t, &equal);
  if (rc >= 0) show(c, s, o, &t);
  cli_table_fini(&t.figures);
  cli_table_fini(&t.alone);
  cli_table_fini(&t.paired);
  cli_table_fini(&t.jobs);
  hc_buffer_fini(&t.notes);
  free(columns);
  if (rc >= 0 && o->expect_equal && !equal)
    return cli_fail(c, HC_EREFUTED,
                    "the schedules are not equal; --job-by-job 10 lists the first differences");
  return rc;
}

static bool parts_names(char x)
{
  return x == '-' || x == '_' || x == '.' || x == '+';
}

/* What all names begin with, up to a separator, says nothing in a table's head: KTH-easy and KTH-sjf+easy
 * become easy and sjf+easy. */
static void shorten_names(cli_schedule *s, size_t count)
{
  size_t common = 0;
  for (size_t n = 1; s[0].name[n] != '\0'; n++) {
    bool shared = parts_names(s[0].name[n - 1]);
    for (size_t i = 1; i < count; i++)
      shared &= strncmp(s[0].name, s[i].name, n) == 0 && s[i].name[n] != '\0';
    if (shared) common = n;
  }
  for (size_t i = 0; common && i < count; i++)
    memmove(s[i].name, s[i].name + common, strlen(s[i].name + common) + 1);
}

static hc_rc run(cli *c)
{
  cli_schedule *s = calloc(c->operand_count, sizeof *s);
  options o;
  size_t n = 0;
  hc_rc rc = s ? read_options(c, &o) : HC_ENOMEM;
  for (; rc == 0 && n < c->operand_count; n++) {
    rc = cli_schedule_open(c, c->operands[n], &s[n]);
    if (rc < 0) break;
  }
  if (rc >= 0 && c->operand_count > 1) shorten_names(s, c->operand_count);
  if (rc >= 0)
    rc = has_groups(c) ? cli_compare_by(c, s, c->operand_count, (uint32_t)o.batches, o.tau)
                       : compare_all(c, &o, s, c->operand_count);
  for (size_t i = 0; i < n; i++) cli_schedule_close(c, &s[i]);
  free(s);
  return rc;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .operands = "RESULT...",
    .summary = "Show results side by side, and how the others differ from the first, task by task.",
    .detail =
        "An operand that is no result is read as a schedule of another program: lines of `job submit start "
        "end procs`, the Standard Workload Format with simulated waits, or AccaSim's output, plain or "
        "packed. Tasks are matched by their order of submission, or by job id where that differs. Of a "
        "single result: how sure its means are, by batch means. With --by: who loses and who gains, with an "
        "interval for each group by the same batch means, and verdicts by the t test over them with Holm's "
        "correction.",
    .examples = "hindcast compare results/*.db\n"
                "hindcast compare KTH-easy.db KTH-sjf.db --by user --limit 20\n"
                "hindcast compare KTH-easy.db peer.txt.zst --expect equal --job-by-job 10",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
