/* show_by.c -- `hindcast show RESULT --by user`: figures of tasks that have something in common.
 *
 * The task rows are counted again by the metric `by`, which takes less than a run and needs no figure to have
 * been asked for before. A result without a row for every task may hold the table, if its run was asked for
 * it; for users, groups and queues the tables by_user, by_group and by_queue serve as well. */
#include <stdlib.h>
#include <string.h>

#include "cli/groups.h"

#define USUAL "tasks,wait_mean,wait_p50,wait_p95,wait_max,bounded_slowdown_mean,core_hours,share"
#define MOST_FIGURES 64

typedef struct row {
  int64_t key, at; /* at: as it was found */
  hc_group_value of[HC_GROUPING_DIMENSIONS];
  uint64_t groups; /* of the rest; 0: one group */
  bool at_least;
  double sort, value[MOST_FIGURES];
} row;

typedef struct groups {
  const cli_by *by;
  const char *scope, *from; /* from: which rows the figures come from, in words */
  bool old;                 /* of a table by_user, whose key is the number */
  char names[MOST_FIGURES][48], units[MOST_FIGURES][16];
  size_t figure_count;
  row *rows;
  size_t count, cap;
  bool has_rest;
  hc_buffer notes; /* what the log does not say, a line each */
} groups;

const cli_flag cli_by_flags[] = {
    {.name = "by",
     .metavar = "WHAT",
     .complete = CLI_BY_WORDS,
     .many = true,
     .help =
         "Show figures of the tasks of each user, group (or account), executable, queue (or qos), partition, "
         "month, day, weekday, hour (of submission, in the site's zone), size or estimate instead, of all, "
         "or of "
         "those for which an expression comes to the same: 'wait > 3600'. Two of them give a row for each "
         "pair: user,day. `hindcast describe by` has the variables."},
    {.name = "figures",
     .metavar = "LIST",
     .help =
         "With --by: these columns, such as tasks,wait_p99,share, or sets of them by one word: waits, "
         "eligible (waits from when tasks might be planned), efficiency (used of what was asked for, wasted "
         "core-hours), outcomes (how tasks ended), limits (that would have covered the runs), "
         "pseudo_cluster (the figures of that program's paper); or all. `hindcast describe by` has them. "
         "Default: tasks, waits, bounded slowdowns, core-hours and their share."},
    {.name = "sort",
     .metavar = "FIGURE",
     .help =
         "With --by: the greatest first, or with -FIGURE the least. Default: in the order of the groups."},
    CLI_FLAG_LIMIT,
    {.name = "scope",
     .metavar = "all|trimmed",
     .complete = "all|trimmed",
     .help = "With --by: which tasks are counted, all or those that the result's trim keeps. Default: all."},
    CLI_FLAG_SIZES,
    CLI_FLAG_ESTIMATES,
    {.name = "tau",
     .metavar = "SECONDS",
     .help = "With --by: threshold of the bounded slowdown. Default: 10."},
    CLI_FLAG_MARKDOWN_BY,
    CLI_FLAG_LATEX_BY,
    {.name = "svg",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help =
         "With --by: write a picture of the table there, too: bars, a row each, or lines over months, days, "
         "weekdays and hours; a panel for each column but tasks, six at most."},
    {.name = NULL},
};

hc_rc cli_by_check(cli *c)
{
  for (const cli_flag *f = &cli_by_flags[1]; !cli_has(c, "by") && f->name; f++)
    if (cli_has(c, f->name))
      return cli_fail(c, HC_EUSAGE, "--%s is for --by; say by what, --by user", f->name);
  return 0;
}

/* ---- gathering ---- */

static row *row_of(groups *g, int64_t key)
{
  row *x;
  if (g->count > 0 && g->rows[g->count - 1].key == key) return &g->rows[g->count - 1];
  if (g->count == g->cap) {
    const size_t cap = g->cap ? 2 * g->cap : 256;
    row *more = realloc(g->rows, cap * sizeof *more);
    if (!more) return NULL;
    g->rows = more;
    g->cap = cap;
  }
  x = &g->rows[g->count];
  *x = (row){.key = key, .at = (int64_t)g->count};
  g->count++;
  for (size_t i = 0; i < MOST_FIGURES; i++) x->value[i] = (double)__builtin_nanf("");
  const hc_trait trait = hc_grouping_trait(g->by->grouping, 0);
  const bool is_other = trait == HC_TRAIT_ACCOUNT || trait == HC_TRAIT_QOS;
  if (g->old) x->of[0] = (hc_group_value){.is_known = key != -1, .number = key, .is_other = is_other};
  return x;
}

/* A cell that should hold a whole number; a damaged one may hold anything. */
static int64_t whole(double x)
{
  return x > -0x1p62 && x < 0x1p62 ? (int64_t)x : 0;
}

/* A cell's name without that of its dimension, which is stored as it was asked for or, of accounts that are
 * groups, as "group". NULL: it is not of that dimension. */
static const char *suffix_of(const groups *g, uint32_t d, const char *name, bool *is_other)
{
  const char *own = hc_grouping_name(g->by->grouping, d);
  const char *stored = hc_grouping_stored_name(g->by->grouping, d, false);
  *is_other = strcmp(own, stored) != 0 && strncmp(name, stored, strlen(stored)) == 0;
  if (*is_other) return name + strlen(stored);
  if (strncmp(name, own, strlen(own)) != 0) return NULL;
  name += strlen(own);
  *is_other = strncmp(name, "_other", 6) == 0;
  return name + (*is_other ? 6 : 0);
}

/* "size" and "size_to", "user" and "user_rest". @return whether the cell says what the row is about */
static bool take_key(const groups *g, row *x, const char *name, double value)
{
  for (uint32_t d = 0; d < g->by->dimensions; d++) {
    const hc_trait trait = hc_grouping_trait(g->by->grouping, d);
    hc_group_value *v = &x->of[d];
    bool is_other;
    const char *rest = suffix_of(g, d, name, &is_other);
    if (!rest) continue;
    if (rest[0] == '\0') {
      v->is_other = is_other;
      v->is_known = value == value;
      v->is_class = trait == HC_TRAIT_SIZE || trait == HC_TRAIT_ESTIMATE;
      v->value = value;
      if (v->is_known && !v->is_class && trait != HC_TRAIT_EXPRESSION) v->number = whole(value);
      return true;
    }
    if (strcmp(rest, "_to") == 0) v->to = value == value ? value : __builtin_inf();
    else if (strcmp(rest, "_rest") == 0) v->number += whole(value);
    else continue;
    return true;
  }
  return false;
}

static bool take_rest(groups *g, row *x, const char *name, double value)
{
  const bool at_least = strcmp(name, "groups_at_least") == 0;
  if (!at_least && strcmp(name, "groups") != 0) return false;
  x->groups = value >= 1 ? (uint64_t)whole(value) : 1;
  x->at_least = at_least;
  g->has_rest = true;
  return true;
}

static hc_rc take_cell(void *ctx, const char *table, int64_t key, const char *name, const char *unit,
                       double value)
{
  groups *g = ctx;
  row *x = row_of(g, key);
  size_t i = 0;
  (void)table;
  if (!x) return HC_ENOMEM;
  if (!g->old && (take_key(g, x, name, value) || take_rest(g, x, name, value))) return 0;
  while (i < g->figure_count && strcmp(g->names[i], name) != 0) i++;
  if (i == MOST_FIGURES) return 0; /* it has no more */
  if (i == g->figure_count) {
    (void)snprintf(g->names[i], sizeof g->names[i], "%s", name);
    (void)snprintf(g->units[i], sizeof g->units[i], "%s", unit);
    g->figure_count++;
  }
  x->value[i] = value;
  return 0;
}

/* ---- from task rows ---- */

static void add_texts(hc_buffer *out, const char *const *items, size_t count)
{
  hc_buffer_text(out, "by=[");
  for (size_t i = 0; i < count; i++) {
    if (i) hc_buffer_text(out, ", ");
    hc_json_string(out, items[i], strlen(items[i]));
  }
  hc_buffer_text(out, "]");
}

/* Each setting a text of its own, one after another with NULs between them. */
static hc_rc recount(cli *c, hc_result *r, groups *g, const char *figures, bool trimmed)
{
  const char *items[5], *sizes = cli_value(c, "sizes"), *estimates = cli_value(c, "estimates");
  const char *tau = cli_value(c, "tau");
  size_t starts[5], n = 0;
  hc_findings f = {.ctx = g, .cell = take_cell};
  hc_buffer b;
  hc_rc rc;
  hc_buffer_init(&b, c->allocator);
  add_texts(&b, g->by->by, g->by->by_count);
  starts[n++] = 0;
#define SETTING(condition, ...) \
  if (condition) { \
    hc_buffer_add(&b, "", 1); \
    starts[n++] = b.size; \
    hc_buffer_printf(&b, __VA_ARGS__); \
  }
  SETTING(true, "figures=[%s]", strcmp(figures, "all") == 0 ? "" : figures)
  SETTING(sizes, "sizes=[%s]", sizes)
  SETTING(estimates, "estimates=[%s]", estimates)
  SETTING(tau, "tau=%s", tau)
#undef SETTING
  for (size_t i = 0; i < n && !b.failed; i++) items[i] = b.data + starts[i];
  if (b.failed) rc = cli_fail(c, HC_ENOMEM, "out of memory");
  else if (!cli_registry(c)) rc = HC_ENOMEM;
  else rc = hc_result_recount(c->allocator, c->registry, r, "by", items, n, trimmed, &f, &c->error);
  hc_buffer_fini(&b);
  g->from = "task rows";
  return rc;
}

/* ---- from a stored table ---- */

typedef struct stored {
  groups *g;
  const char *table;
} stored;

static hc_rc take_stored(void *ctx, const char *const *v)
{
  const stored *s = ctx;
  double value = (double)__builtin_nanf("");
  int64_t key;
  if (!v[0] || !v[1] || !v[2] || !v[3] || strcmp(v[0], s->g->scope) != 0 || strcmp(v[1], s->table) != 0)
    return 0;
  if (hc_parse_int(v[2], strlen(v[2]), &key) < 0) return 0;
  if (v[5]) (void)hc_parse_real(v[5], strlen(v[5]), &value);
  return take_cell(s->g, v[1], key, v[3], v[4] ? v[4] : "", value);
}

/* The table of the family that was there before; NULL. */
static const char *old_table(const cli_by *b)
{
  if (b->dimensions != 1) return NULL;
  switch (hc_grouping_trait(b->grouping, 0)) {
    case HC_TRAIT_USER: return "by_user";
    case HC_TRAIT_GROUP: return "by_group";
    case HC_TRAIT_QUEUE: return "by_queue";
    case HC_TRAIT_ACCOUNT: return b->has_accounts ? NULL : "by_group";
    case HC_TRAIT_QOS: return b->has_qoses ? NULL : "by_queue";
    default: return NULL;
  }
}

static hc_rc no_table(cli *c, hc_result *r, const char *scope)
{
  const char *rows = hc_result_config(r, "task_rows");
  hc_buffer b;
  hc_buffer_init(&b, c->allocator);
  for (size_t i = 0, n = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0)
      hc_buffer_printf(&b, "%s%s", n++ ? ", " : "", c->given[i].value);
  (void)hc_fail(
      &c->error, HC_EUSAGE, hc_result_path(r), 0, 0,
      "it has task_rows: %s, and no table by %s of the scope %s; run it with task_rows: all, or with "
      "--set 'metrics=[..., {use: by, by: [\"%s\"]}]', which counts while it runs",
      rows ? rows : "none", b.failed ? "that" : b.data, scope, b.failed ? "user" : b.data);
  hc_buffer_fini(&b);
  return HC_EUSAGE;
}

/* Whether accounts that are asked for have a table of their own: that of groups is then no answer. */
static int is_apart_for_sure(const cli_by *b)
{
  for (uint32_t d = 0; d < b->dimensions; d++) {
    const hc_trait trait = hc_grouping_trait(b->grouping, d);
    if (trait == HC_TRAIT_ACCOUNT ? b->has_accounts : trait == HC_TRAIT_QOS && b->has_qoses) return 1;
  }
  return 0;
}

static hc_rc read_stored(cli *c, hc_result *r, groups *g)
{
  if (g->by->size_count || g->by->estimate_count || g->by->tau)
    return hc_fail(
        &c->error, HC_EUSAGE, hc_result_path(r), 0, 0,
        "it has not a row for every task, and classes and tau of a stored table are those of its run; "
        "leave out --sizes, --estimates and --tau, or run it with task_rows: all");
  char table[HC_GROUPING_TABLE];
  g->from = "stored table";
  for (int is_apart = 1; is_apart >= is_apart_for_sure(g->by) && g->count == 0; is_apart--) {
    hc_grouping_table(g->by->grouping, is_apart, table);
    CLI_TRY(hc_result_rows(r, "cells", 6, take_stored, &(stored){g, table}, &c->error));
  }
  if (g->count > 0) return 0;
  g->old = old_table(g->by) != NULL;
  if (g->old) CLI_TRY(hc_result_rows(r, "cells", 6, take_stored, &(stored){g, old_table(g->by)}, &c->error));
  return g->count > 0 ? 0 : no_table(c, r, g->scope);
}

/* Of a stored table the figures that are asked for are kept, in their order. */
static hc_rc choose_figures(cli *c, groups *g, const char *figures)
{
  size_t order[MOST_FIGURES], n = 0;
  groups old;
  if (strcmp(figures, "all") == 0) return 0;
  for (const char *s = figures; *s; s += *s == ',') {
    s += strspn(s, " ");
    const size_t size = strcspn(s, ",");
    size_t i = 0;
    while (i < g->figure_count && (strlen(g->names[i]) != size || memcmp(g->names[i], s, size) != 0)) i++;
    if (i == g->figure_count || n == MOST_FIGURES)
      return cli_fail(
          c, HC_EUSAGE,
          "--figures: the stored table has no \"%.*s\"; run with task_rows: all, from which every "
          "figure can be counted",
          (int)(size < 80 ? size : 80), s);
    order[n++] = i;
    s += size;
  }
  old = *g;
  for (size_t i = 0; i < n; i++) {
    memcpy(g->names[i], old.names[order[i]], sizeof g->names[i]);
    memcpy(g->units[i], old.units[order[i]], sizeof g->units[i]);
  }
  g->figure_count = n;
  for (size_t k = 0; k < g->count; k++) {
    const row x = g->rows[k];
    for (size_t i = 0; i < n; i++) g->rows[k].value[i] = x.value[order[i]];
  }
  return 0;
}

static hc_rc gather(cli *c, hc_result *r, groups *g, const char *figures)
{
  const char *rows = hc_result_config(r, "task_rows");
  const char *asked =
      cli_has(c, "figures") ? figures : NULL; /* of a stored table all, unless some are asked for */
  const bool trimmed = strcmp(g->scope, "trimmed") == 0;
  hc_rc rc;
  if (rows && strcmp(rows, "all") != 0) {
    CLI_TRY(read_stored(c, r, g));
    return asked ? choose_figures(c, g, asked) : 0;
  }
  rc = recount(c, r, g, figures, trimmed);
  if (rc != HC_EUNSUPPORTED || !trimmed) return rc;
  /* A trim that follows hosts: the run itself may have counted. */
  const hc_error why = c->error;
  c->error = (hc_error){0};
  if (read_stored(c, r, g) >= 0) return asked ? choose_figures(c, g, asked) : 0;
  c->error = why;
  return rc;
}

/* ---- what the log does not say ---- */

static bool is_empty(const groups *g, size_t i)
{
  for (size_t k = 0; k < g->count; k++)
    if (g->rows[k].value[i] == g->rows[k].value[i]) return false;
  return true;
}

static void drop_column(groups *g, size_t i)
{
  g->figure_count--;
  memmove(g->names[i], g->names[i + 1], (g->figure_count - i) * sizeof g->names[i]);
  memmove(g->units[i], g->units[i + 1], (g->figure_count - i) * sizeof g->units[i]);
  for (size_t k = 0; k < g->count; k++)
    memmove(&g->rows[k].value[i], &g->rows[k].value[i + 1], (g->figure_count - i) * sizeof(double));
}

static void note(groups *g, const char *lacks)
{
  if (g->notes.data && strstr(g->notes.data, lacks)) return;
  hc_buffer_printf(&g->notes, "%s\n", lacks);
}

/* Columns without a value: one that was asked for by name is an error, one of a set is left out and told. */
static hc_rc drop_unknown(cli *c, hc_result *r, groups *g, const cli_figures *f)
{
  const bool is_log = hc_result_has_measured(r);
  for (size_t i = 0; i < g->figure_count && g->count > 0;) {
    const char *lacks = cli_figure_lacks(g->names[i]);
    if (!lacks || !is_empty(g, i)) {
      i++;
      continue;
    }
    if (cli_figures_named(f, g->names[i]))
      return cli_fail(c, HC_EUSAGE, "--figures %s: %s%s", g->names[i],
                      is_log ? "the log does not say "
                             : "only a log that is counted by `hindcast analyze` can say ",
                      lacks);
    note(g, lacks);
    drop_column(g, i);
  }
  return g->notes.failed ? cli_fail(c, HC_ENOMEM, "out of memory") : 0;
}

/* ---- order ---- */

static int by_value(const void *a, const void *b)
{
  const row *x = a, *y = b;
  if ((x->groups > 0) != (y->groups > 0)) return x->groups > 0 ? 1 : -1;
  if ((x->sort != x->sort) != (y->sort != y->sort)) return x->sort != x->sort ? 1 : -1;
  if (x->sort > y->sort || x->sort < y->sort) return x->sort > y->sort ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

/* The greatest first, or with a - before the figure the least; what has none last, and the rest after all. */
static hc_rc sort(cli *c, groups *g, const char *usual)
{
  const char *asked = cli_value(c, "sort"), *figure = asked ? asked : usual;
  const bool least = figure && figure[0] == '-';
  size_t i = 0;
  if (!figure) return 0;
  figure += least;
  while (i < g->figure_count && strcmp(g->names[i], figure) != 0) i++;
  if (i == g->figure_count && !asked) return 0;
  if (i == g->figure_count)
    return cli_fail(c, HC_EUSAGE,
                    "--sort: there is no column \"%.80s\"; ask for it with --figures, or sort by one "
                    "that is shown",
                    figure);
  for (size_t k = 0; k < g->count; k++) g->rows[k].sort = least ? -g->rows[k].value[i] : g->rows[k].value[i];
  qsort(g->rows, g->count, sizeof *g->rows, by_value);
  return 0;
}

/* ---- as a picture ---- */

#define MOST_PANELS 6

static bool follows(hc_trait t)
{
  return t == HC_TRAIT_MONTH || t == HC_TRAIT_DAY || t == HC_TRAIT_WEEKDAY || t == HC_TRAIT_HOUR;
}

/* Rows as they stand in time: none is sorted away, and none is unknown or a rest. */
static bool is_ordered(const cli *c, const groups *g)
{
  for (uint32_t d = 0; d < g->by->dimensions; d++)
    if (!follows(hc_grouping_trait(g->by->grouping, d))) return false;
  return !cli_has(c, "sort") && !g->has_rest;
}

/* What rows are called, as people see it: "ann / relax". */
static hc_rc add_labels(cli *c, const groups *g, size_t rows, hc_buffer *texts, const char **labels)
{
  cli_column columns[HC_GROUPING_DIMENSIONS];
  size_t starts = 0;
  cli_table t;
  cli_by_columns(g->by, columns);
  cli_table_init(&t, c->allocator, columns, g->by->dimensions);
  for (size_t k = 0; k < rows; k++) {
    if (g->rows[k].groups > 0) cli_add_rest(&t, g->by, g->rows[k].groups, g->rows[k].at_least);
    else
      for (uint32_t d = 0; d < g->by->dimensions; d++) cli_add_group(&t, g->by, d, &g->rows[k].of[d]);
  }
  for (size_t i = 0; i < t.count; i++) {
    const cli_cell *x = &t.cells[i];
    const char *text = x->human ? x->human : x->plain;
    if (i % t.width > 0 && text) hc_buffer_text(texts, " / ");
    if (text) hc_buffer_text(texts, text);
    if (i % t.width + 1 == t.width) hc_buffer_add(texts, "", 1);
  }
  const bool failed = t.failed || texts->failed;
  cli_table_fini(&t);
  if (failed) return cli_fail(c, HC_ENOMEM, "out of memory for the picture");
  for (size_t k = 0; k < rows; k++) {
    labels[k] = texts->data + starts;
    starts += strlen(labels[k]) + 1;
  }
  return 0;
}

static hc_rc draw(cli *c, hc_result *r, const groups *g, size_t rows, const char *path)
{
  hc_chart_panel panels[MOST_PANELS];
  char titles[MOST_PANELS][72], title[400];
  const char *name = hc_result_config(r, "name");
  const char **labels = calloc(rows + 1, sizeof *labels);
  double *values = calloc(MOST_PANELS * rows + 1, sizeof *values);
  cli_file file = {.c = c};
  hc_buffer texts;
  size_t n = 0;
  hc_rc rc;
  hc_buffer_init(&texts, c->allocator);
  rc = labels && values ? add_labels(c, g, rows, &texts, labels)
                        : cli_fail(c, HC_ENOMEM, "out of memory for the picture");
  for (size_t i = 0; i < g->figure_count && n < MOST_PANELS && rc >= 0; i++) {
    if (strcmp(g->names[i], "tasks") == 0 && g->figure_count > 1) continue;
    (void)snprintf(titles[n], sizeof titles[n], strcmp(g->units[i], "1") == 0 ? "%s" : "%s (%s)", g->names[i],
                   g->units[i]);
    for (size_t k = 0; k < rows; k++) values[n * rows + k] = g->rows[k].value[i];
    panels[n] = (hc_chart_panel){.title = titles[n], .values = values + n * rows};
    n++;
  }
  (void)snprintf(title, sizeof title, "%s by %s%s%s", name && name[0] ? name : hc_result_path(r),
                 cli_by_title(g->by, 0), g->by->dimensions > 1 ? " and " : "",
                 g->by->dimensions > 1 ? cli_by_title(g->by, 1) : "");
  const hc_chart chart = {.title = title,
                          .labels = labels,
                          .rows = rows,
                          .panels = panels,
                          .panel_count = n,
                          .is_ordered = is_ordered(c, g)};
  if (rc >= 0) rc = cli_file_open(c, path, &file);
  if (rc >= 0) {
    rc = hc_chart_draw(c->allocator, &chart, &file.sink, &c->error);
    if (rc >= 0) rc = cli_file_commit(&file);
    else cli_file_drop(&file);
  }
  hc_buffer_fini(&texts);
  free(labels);
  free(values);
  return rc;
}

/* ---- saying so ---- */

/* Parts of a whole, for people in percent. */
static bool is_share(const char *name)
{
  static const char *const names[] = {"share",    "task_share",  "limit_used",
                                      "cpu_used", "memory_used", "used_time"};
  for (size_t i = 0; i < CLI_LEN(names); i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static void add_value(cli_table *t, const groups *g, const row *x, size_t i)
{
  const char *unit = g->units[i];
  char plain[40], human[64];
  if (is_share(g->names[i]) && x->value[i] == x->value[i]) {
    plain[hc_format_real(x->value[i], plain)] = '\0';
    cli_human(100 * x->value[i], NULL, human);
    (void)strcat(human, " %");
    cli_add_pair(t, plain, human, false);
  } else if (strcmp(unit, "tasks") == 0 && x->value[i] == x->value[i]) {
    cli_add_int(t, whole(x->value[i]));
  } else {
    cli_add_real(t, x->value[i], unit);
  }
}

static void add_row(cli_table *t, const groups *g, const row *x)
{
  if (x->groups > 0) {
    cli_add_rest(t, g->by, x->groups, x->at_least);
  } else {
    for (uint32_t d = 0; d < g->by->dimensions; d++) cli_add_group(t, g->by, d, &x->of[d]);
  }
  if (g->has_rest) cli_add_int(t, x->groups > 0 ? (int64_t)x->groups : 1);
  for (size_t i = 0; i < g->figure_count; i++) add_value(t, g, x, i);
}

typedef struct titles {
  cli_column columns[HC_GROUPING_DIMENSIONS + 1 + MOST_FIGURES];
  char text[MOST_FIGURES][72];
  size_t width;
} titles;

/* "wait_mean (s)": a unit that a number does not say by itself. */
static void make_titles(const groups *g, titles *t)
{
  cli_by_columns(g->by, t->columns);
  t->width = g->by->dimensions;
  if (g->has_rest) t->columns[t->width++] = (cli_column){.name = "groups", .right = true};
  for (size_t i = 0; i < g->figure_count; i++) {
    const bool plain = strcmp(g->units[i], "1") == 0 || strcmp(g->units[i], "tasks") == 0 ||
                       strcmp(g->units[i], "core*h") == 0;
    (void)snprintf(t->text[i], sizeof t->text[i], plain ? "%s" : "%s (%s)", g->names[i], g->units[i]);
    t->columns[t->width++] = (cli_column){.name = g->names[i], .title = t->text[i], .right = true};
  }
}

static void say_title(cli *c, hc_result *r, const groups *g)
{
  const char *name = hc_result_config(r, "name");
  const bool mark = cli_has(c, "markdown");
  hc_buffer_printf(&c->out, "%s by %s", name && name[0] ? name : hc_result_path(r), cli_by_title(g->by, 0));
  if (g->by->dimensions > 1) hc_buffer_printf(&c->out, " and %s", cli_by_title(g->by, 1));
  hc_buffer_printf(&c->out, ": tasks that started and ended%s%s\n%s",
                   strcmp(g->scope, "trimmed") == 0 ? " and that the trim keeps" : "",
                   strcmp(g->from, "task rows") == 0 ? "" : ", as the run counted them", mark ? "\n" : "");
}

static void say_more(cli *c, size_t more)
{
  char n[40];
  if (more == 0) return;
  n[hc_format_count((int64_t)more, n)] = '\0';
  hc_buffer_printf(&c->out, "%s... and %s more %s\n", cli_has(c, "markdown") ? "\n" : "", n,
                   more == 1 ? "row" : "rows");
}

/* Each line of the notes, with `before` in front of it. */
static void say_notes(const groups *g, hc_buffer *out, const char *before)
{
  for (const char *s = g->notes.size > 0 ? g->notes.data : ""; *s; s++) {
    const size_t n = strcspn(s, "\n");
    hc_buffer_printf(out, "%snot known: %.*s\n", before, (int)n, s);
    s += n;
  }
}

/* A table has no room for them. */
static void tell_notes(const groups *g)
{
  hc_buffer b;
  hc_buffer_init(&b, g->notes.allocator);
  say_notes(g, &b, "hindcast: note: ");
  if (b.size > 0 && !b.failed) (void)fputs(b.data, stderr);
  hc_buffer_fini(&b);
}

static void json_notes(const groups *g, hc_json_writer *j)
{
  if (g->notes.size == 0) return;
  hc_json_enter(j, "not_known", '[');
  for (char *s = g->notes.data; *s; s++) {
    const size_t n = strcspn(s, "\n");
    s[n] = '\0';
    hc_json_put_text(j, NULL, s);
    s += n;
  }
  hc_json_leave(j, ']');
}

static void say_json(cli *c, hc_result *r, const groups *g, const cli_table *t, size_t more)
{
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_text(&j, "result", hc_result_path(r));
  hc_json_enter(&j, "by", '[');
  for (uint32_t d = 0; d < g->by->dimensions; d++)
    hc_json_put_text(&j, NULL, hc_grouping_name(g->by->grouping, d));
  hc_json_leave(&j, ']');
  hc_json_put_text(&j, "scope", g->scope);
  hc_json_put_text(&j, "from", g->from);
  cli_table_member(t, &j, "groups");
  hc_json_put_int(&j, "more", (int64_t)more);
  hc_json_enter(&j, "units", '{');
  for (size_t i = 0; i < g->figure_count; i++) hc_json_put_text(&j, g->names[i], g->units[i]);
  hc_json_leave(&j, '}');
  json_notes(g, &j);
  hc_json_leave(&j, '}');
}

static void say(cli *c, hc_result *r, const groups *g, size_t limit)
{
  const size_t shown = limit < g->count ? limit : g->count;
  titles head;
  cli_table t;
  make_titles(g, &head);
  cli_table_init(&t, c->allocator, head.columns, head.width);
  for (size_t k = 0; k < shown; k++) add_row(&t, g, &g->rows[k]);
  c->out.failed |= t.failed;
  switch (c->format) {
    case CLI_TEXT:
      say_title(c, r, g);
      cli_table_people(c, &t, 2);
      say_more(c, g->count - shown);
      say_notes(g, &c->out, cli_has(c, "markdown") ? "\n" : "  ");
      break;
    case CLI_CSV:
      cli_table_csv(&t, &c->out);
      tell_notes(g);
      break;
    case CLI_JSON: say_json(c, r, g, &t, g->count - shown); break;
  }
  cli_table_fini(&t);
}

hc_rc cli_show_by_as(cli *c, hc_result *r, const cli_by_usual *usual)
{
  const char *scope = cli_value(c, "scope");
  int64_t limit = usual->limit > 0 ? usual->limit : INT64_MAX;
  cli_by by = {.dimensions = 0};
  groups g = {.by = &by, .scope = scope ? scope : "all"};
  cli_figures figures;
  hc_rc rc;
  if (strcmp(g.scope, "all") != 0 && strcmp(g.scope, "trimmed") != 0)
    return cli_fail(c, HC_EUSAGE, "--scope takes \"all\" or \"trimmed\", got \"%.80s\"", scope);
  CLI_TRY(cli_int(c, "limit", 1, INT64_MAX, &limit));
  hc_buffer_init(&g.notes, c->allocator);
  rc = cli_figures_read(c, usual->figures ? usual->figures : USUAL, &figures);
  if (rc >= 0)
    rc = usual->by && !cli_has(c, "by") ? cli_by_open_word(c, r, usual->by, &by) : cli_by_open(c, r, &by);
  if (rc >= 0) rc = gather(c, r, &g, figures.all.data);
  if (rc >= 0) rc = drop_unknown(c, r, &g, &figures);
  if (rc >= 0) rc = sort(c, &g, usual->sort);
  const size_t shown = (size_t)limit < g.count ? (size_t)limit : g.count;
  if (rc >= 0 && cli_has(c, "svg")) rc = draw(c, r, &g, shown, cli_value(c, "svg"));
  if (rc >= 0) say(c, r, &g, (size_t)limit);
  free(g.rows);
  hc_buffer_fini(&g.notes);
  cli_figures_free(&figures);
  cli_by_close(&by);
  return rc < 0 ? rc : 0;
}

hc_rc cli_show_by(cli *c, hc_result *r)
{
  return cli_show_by_as(c, r, &(cli_by_usual){.limit = 0});
}
