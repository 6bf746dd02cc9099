/* compare_tables.c -- what sets results beside each other: figures side by side, and tasks one by one.
 *
 * Runs of one workload see the same tasks, so their difference is taken task by task: what the tasks have in
 * common cancels, and the interval is far narrower than that of two means. Waits of neighbours are
 * correlated, so the interval is by batch means: 30 batches in order of submission, Student's t over them
 * (see hc_estimate_mean). Tasks are matched by serial if both sides have the same id at each; else
 * by job id. The same batches say how sure the means of one long run are by themselves. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

#define MOST_BATCHES 1000
#define LEVEL 0.05
#define PAIRED 8 /* columns of the paired table without verdicts */

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

/* The t test over the means that hc_estimate_mean makes its interval of. */
hc_rc cli_test_batches(cli *c, const double *values, size_t count, uint32_t batches, double *p)
{
  double means[MOST_BATCHES];
  static const double nought[MOST_BATCHES];
  const size_t n = count < batches ? count : batches;
  hc_stat_pairs pairs;
  size_t at = 0;
  *p = (double)__builtin_nanf("");
  if (count < CLI_LEAST_TASKS) return 0;
  for (size_t b = 0; b < n; b++) {
    const size_t length = count / n + (b < count % n);
    double sum = 0;
    for (size_t i = 0; i < length; i++) sum += values[at++];
    means[b] = sum / (double)length;
  }
  CLI_TRY(hc_stat_pairs_of(c->allocator, means, nought, n, 0.95, &pairs));
  *p = pairs.p_t;
  return 0;
}

static hc_rc measure(cli *c, const cli_pairing *p, const cli_compare_options *o, cli_difference *out)
{
  double *waits = malloc((p->count + 1) * sizeof *waits),
         *slowdowns = malloc((p->count + 1) * sizeof *slowdowns);
  size_t n = 0;
  hc_rc rc = 0;
  *out = (cli_difference){.pairs = p->count, .unmatched = p->only_a + p->only_b};
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
    rc = cli_test_batches(c, waits, n, (uint32_t)o->batches, &out->wait_p);
    if (rc == 0) rc = cli_test_batches(c, slowdowns, n, (uint32_t)o->batches, &out->slowdown_p);
  }
  free(waits);
  free(slowdowns);
  return waits && slowdowns ? rc : cli_fail(c, HC_ENOMEM, "out of memory for the differences");
}

/* One result by itself: tasks that ended, in order of submission. */
static hc_rc measure_alone(cli *c, const cli_schedule *s, const cli_compare_options *o, cli_difference *out)
{
  const size_t count = s->records.count;
  double *waits = malloc((count + 1) * sizeof *waits), *slowdowns = malloc((count + 1) * sizeof *slowdowns);
  *out = (cli_difference){.pairs = 0};
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

/* ---- as tables ---- */

static const cli_column paired_columns[] = {
    {.name = "result"},
    {.name = "tasks", .right = true},
    {.name = "unmatched", .right = true},
    {.name = "differ", .right = true},
    {.name = "wait_difference", .title = "wait (s)", .right = true},
    {.name = "wait_half_width", .title = "+/-", .right = true},
    {.name = "slowdown_difference", .title = "bounded slowdown", .right = true},
    {.name = "slowdown_half_width", .title = "+/-", .right = true},
    {.name = "wait_p", .title = "p(wait)", .right = true}, /* from here on with options.verdicts */
    {.name = "wait_verdict", .title = "wait"},
    {.name = "slowdown_p", .title = "p(slowdown)", .right = true},
    {.name = "slowdown_verdict", .title = "slowdown"}};

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

/* Less is better of both. */
static const char *verdict(const hc_estimate *x, double p)
{
  if (x->mean == 0 && x->half_width == 0) return "same";
  if (!(p < LEVEL)) return "unclear";
  return x->mean < 0 ? "better" : "worse";
}

void cli_add_batch_p(cli_table *t, double p)
{
  char plain[40];
  if (p != p || p >= 0.0001) {
    cli_add_real(t, p, "1");
    return;
  }
  plain[hc_format_real(p, plain)] = '\0';
  cli_add_pair(t, plain, "<0.0001", false);
}

static void add_paired(cli_table *t, const char *name, const cli_difference *d)
{
  cli_add_text(t, name);
  cli_add_int(t, (int64_t)d->pairs);
  cli_add_int(t, (int64_t)d->unmatched);
  cli_add_int(t, (int64_t)d->differ);
  cli_add_real(t, d->wait.mean, "s");
  cli_add_real(t, d->wait.half_width, "s");
  cli_add_real(t, d->slowdown.mean, "1");
  cli_add_real(t, d->slowdown.half_width, "1");
  if (t->width == PAIRED) return;
  cli_add_batch_p(t, d->wait_p);
  cli_add_text(t, verdict(&d->wait, d->wait_p));
  cli_add_batch_p(t, d->slowdown_p);
  cli_add_text(t, verdict(&d->slowdown, d->slowdown_p));
}

static void add_alone(cli_table *t, const char *name, const cli_difference *d)
{
  cli_add_text(t, name);
  cli_add_int(t, (int64_t)d->pairs);
  cli_add_real(t, d->wait.mean, "s");
  cli_add_real(t, d->wait.half_width, "s");
  cli_add_real(t, d->slowdown.mean, "1");
  cli_add_real(t, d->slowdown.half_width, "1");
}

static hc_rc compare_one(cli *c, const cli_compare_options *o, const cli_schedule *s, size_t i,
                         cli_comparison *t)
{
  cli_pairing p;
  cli_difference *d = &t->differences[i];
  hc_rc rc = cli_match(c, &s[0], &s[i], &p);
  if (rc >= 0) rc = measure(c, &p, o, d);
  if (rc >= 0 && p.count == 0)
    rc = hc_fail(&c->error, HC_EUSAGE, s[i].path, 0, 0,
                 "it has no task in common with %s; compare results of one workload", s[0].path);
  if (rc >= 0) {
    add_paired(&t->paired, s[i].name, d);
    add_jobs(&t->jobs, s[i].name, &p, s[0].result, o->by_wait, o->jobs);
    if (d->differ || p.only_a || p.only_b) t->are_equal = false;
    if (p.only_a || p.only_b)
      hc_buffer_printf(&t->notes,
                       "the columns are over different tasks: %llu are in %s alone, %llu in %s alone\n",
                       (unsigned long long)p.only_a, s[0].name, (unsigned long long)p.only_b, s[i].name);
  }
  free(p.pairs);
  return rc;
}

static hc_rc fill_tables(cli *c, const cli_compare_options *o, const cli_schedule *s, size_t count,
                         cli_comparison *t)
{
  CLI_TRY(side_by_side(c, s, count, &t->figures));
  CLI_TRY(cli_compare_notes(c, s, count, &t->notes));
  for (size_t i = 0; o->alone && i < count; i++) {
    CLI_TRY(measure_alone(c, &s[i], o, &t->means[i]));
    add_alone(&t->alone, s[i].name, &t->means[i]);
  }
  for (size_t i = 1; i < count && !o->figures_alone; i++) CLI_TRY(compare_one(c, o, s, i, t));
  return 0;
}

hc_rc cli_compare_tables(cli *c, const cli_compare_options *o, const cli_schedule *s, size_t count,
                         cli_comparison *out)
{
  size_t width = 0;
  *out = (cli_comparison){.columns = make_columns(s, count, &width), .are_equal = true};
  cli_table_init(&out->figures, c->allocator, out->columns, width);
  cli_table_init(&out->alone, c->allocator, alone_columns, CLI_LEN(alone_columns));
  cli_table_init(&out->paired, c->allocator, paired_columns,
                 o->verdicts ? CLI_LEN(paired_columns) : PAIRED);
  cli_table_init(&out->jobs, c->allocator, job_columns, CLI_LEN(job_columns));
  hc_buffer_init(&out->notes, c->allocator);
  out->means = calloc(count + 1, sizeof *out->means);
  out->differences = calloc(count + 1, sizeof *out->differences);
  if (!out->columns || !out->means || !out->differences)
    return cli_fail(c, HC_ENOMEM, "out of memory for the table");
  return fill_tables(c, o, s, count, out);
}

void cli_comparison_free(cli_comparison *x)
{
  cli_table_fini(&x->figures);
  cli_table_fini(&x->alone);
  cli_table_fini(&x->paired);
  cli_table_fini(&x->jobs);
  hc_buffer_fini(&x->notes);
  free(x->columns);
  free(x->means);
  free(x->differences);
}

/* ---- what results are called beside each other ---- */

static bool parts_names(char x)
{
  return x == '-' || x == '_' || x == '.' || x == '+';
}

/* What all names begin with, up to a separator, says nothing in a table's head: KTH-easy and KTH-sjf+easy
 * become easy and sjf+easy. */
void cli_shorten_names(cli_schedule *s, size_t count)
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
