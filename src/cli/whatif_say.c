/* whatif_say.c -- what `hindcast whatif` prints: the calibration, the variants side by side, which groups
 * gain and which lose.
 *
 * A group's difference over a copy is the mean over its jobs, which start and end in both, of the variant's
 * wait less the base's. Over the copies these have a mean, Student's interval and a p, which is corrected by
 * Holm over the groups of the table. Hours are the mean over the copies of what the group's jobs wait more,
 * together. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study_stats.h"
#include "cli/whatif.h"

#define LEVEL 0.95
#define SHOWN 8

/* ---- spans of time ---- */

/* Seconds as people read them: "12.3 s", "01:20:05", "2d 03:00:00", with a sign. */
static void span_text(double x, char *out, size_t size)
{
  const double most = x < 0 ? -x : x;
  char text[64];
  if (x != x) {
    (void)snprintf(out, size, "-");
  } else if (most < 60) {
    (void)snprintf(out, size, "%.*f s", most < 10 && most >= 0.05 ? 1 : 0, most >= 0.05 ? x : 0.0);
  } else {
    text[hc_format_duration((hc_time)(most < 9e9 ? most + 0.5 : 9e9) * HC_SECOND, text)] = '\0';
    (void)snprintf(out, size, "%s%s", x < 0 ? "-" : "", text);
  }
}

static void add_span(cli_table *t, double x)
{
  char plain[40], human[80];
  if (x != x) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_real(x, plain)] = '\0';
  span_text(x, human, sizeof human);
  cli_add_pair(t, plain, human, false);
}

static void add_share(cli_table *t, double x)
{
  char plain[40], human[40];
  plain[hc_format_real(x, plain)] = '\0';
  (void)snprintf(human, sizeof human, "%.1f %%", 100 * x);
  cli_add_pair(t, plain, human, false);
}

static void count_text(uint64_t n, char *out)
{
  out[hc_format_count((int64_t)n, out)] = '\0';
}

/* ---- the calibration ---- */

static const cli_column cause_columns[] = {{.name = "starts", .right = true},
                                           {.name = "share", .right = true},
                                           {.name = "error", .title = "mean error", .right = true},
                                           {.name = "cause"},
                                           {.name = "text", .title = "what the two schedules show"}};

static void add_causes(const cli_calibration *k, cli_table *t)
{
  for (int i = 0; i < CLI_CAUSE_COUNT; i++) {
    const bool ran = i != CLI_CAUSE_NEVER;
    if (k->count[i] == 0) continue;
    cli_add_int(t, (int64_t)k->count[i]);
    add_share(t, (double)k->count[i] / (double)k->jobs);
    add_span(t, ran ? k->error[i] : (double)__builtin_nanf(""));
    cli_add_text(t, cli_cause_word((cli_cause)i));
    cli_add_text(t, cli_cause_text((cli_cause)i));
  }
}

static const cli_column wait_columns[] = {
    {.name = "wait"}, {.name = "recorded", .right = true}, {.name = "model", .right = true}};

static void add_waits(const cli_calibration *k, cli_table *t)
{
  static const char *const words[] = {"median", "90 %", "95 %"};
  cli_add_text(t, "mean");
  add_span(t, k->recorded_mean);
  add_span(t, k->fit.wait);
  for (size_t i = 0; i < CLI_LEN(words); i++) {
    cli_add_text(t, words[i]);
    add_span(t, k->recorded_at[i]);
    add_span(t, k->model_at[i]);
  }
}

static void say_wrapped(hc_buffer *out, const char *indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say_wrapped(hc_buffer *out, const char *indent, const char *format, ...)
{
  char text[1024];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hc_buffer_text(out, indent);
  cli_wrap(out, text, strlen(indent), strlen(indent), 100);
}

static void say_warning(const cli_calibration *k, hc_buffer *out)
{
  if (!cli_calibration_warns(k)) return;
  say_wrapped(
      out, "",
      "WARNING: the base does not explain the record: it would with 75 %% of the starts near, and a mean "
      "wait within 25 %% of the recorded one. What a change does to this model says little about the site; "
      "docs/whatif.md says what to do about each cause.");
}

/* "93.8 % (shaken 91.2 +/- 0.4)": of the workload as it is, and over the copies. */
static void share_text(double share, const hc_stat_mean *shaken, char *out, size_t size)
{
  if (shaken->count > 1)
    (void)snprintf(out, size, "%.1f %% (shaken copies: %.1f +/- %.1f %%)", 100 * share, 100 * shaken->mean,
                   100 * shaken->half_width);
  else (void)snprintf(out, size, "%.1f %%", 100 * share);
}

static void error_text(double error, const hc_stat_mean *shaken, char *out, size_t size)
{
  char all[80], mean[80], half[80];
  span_text(error, all, sizeof all);
  span_text(shaken->mean, mean, sizeof mean);
  span_text(shaken->half_width, half, sizeof half);
  if (shaken->count > 1) (void)snprintf(out, size, "%s (shaken copies: %s +/- %s)", all, mean, half);
  else (void)snprintf(out, size, "%s", all);
}

static void say_calibration(cli *c, const cli_calibration *k, cli_table *waits, cli_table *causes)
{
  char jobs[40], within[80], at[3][80], mean[300], same[120], near[120], waited[40];
  hc_buffer *out = &c->out;
  count_text(k->jobs, jobs);
  count_text(k->waited, waited);
  span_text((double)k->within / 1e9, within, sizeof within);
  for (size_t i = 0; i < 3; i++) span_text(k->error_at[i], at[i], sizeof at[i]);
  share_text(k->fit.same, &k->shaken[0], same, sizeof same);
  share_text(k->fit.near, &k->shaken[1], near, sizeof near);
  error_text(k->fit.error, &k->shaken[2], mean, sizeof mean);
  hc_buffer_printf(out, "Calibration: the base against %s recorded starts\n", jobs);
  cli_table_people(c, waits, 2);
  hc_buffer_printf(out, "  error of a start: mean %s\n", mean);
  hc_buffer_printf(out, "    half of them are within %s, 90 %% within %s, 95 %% within %s\n", at[0], at[1],
                   at[2]);
  hc_buffer_printf(out, "  same, within %s: %s\n", within, same);
  hc_buffer_printf(out, "  near, within that or a tenth of the recorded wait: %s\n", near);
  if (k->waited > 0)
    hc_buffer_printf(out, "    of the %s jobs that waited longer than %s: %.1f %%\n", waited, within,
                     100 * k->waited_near);
  cli_table_people(c, causes, 2);
  if (k->without > 0)
    hc_buffer_printf(out, "  %llu tasks have no recorded start and are left out here\n",
                     (unsigned long long)k->without);
  say_warning(k, out);
}

/* ---- variants side by side ---- */

typedef struct side {
  uint64_t tasks;                           /* that start and end, over the workload as it is */
  uint64_t gone;                            /* of the base's, that do not any more */
  uint64_t moved;                           /* jobs that wait longer or shorter, over all copies */
  double wait, at95, slowdown, utilisation; /* means over copies */
  hc_stat_pairs difference;
} side;

static double mean_of(const double *values, size_t count)
{
  hc_stat_mean m;
  (void)hc_stat_mean_of(values, count, LEVEL, &m);
  return m.mean;
}

/* Mean wait of the jobs of one variant that start and end, and the 95 % one. */
static void wait_figures(const double *waits, size_t count, double *sorted, double *mean, double *at95)
{
  size_t n = 0;
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    if (waits[i] == waits[i]) {
      sum += waits[i];
      sorted[n++] = waits[i];
    }
  qsort(sorted, n, sizeof *sorted, cli_by_real);
  *mean = n ? sum / (double)n : (double)__builtin_nanf("");
  *at95 = n ? sorted[cli_rank(n, 0.95)] : (double)__builtin_nanf("");
}

/* Mean difference over the jobs that start and end in both, in one copy; those that differ are counted. */
static double difference_of(const cli_whatif *w, size_t v, size_t copy, uint64_t *moved)
{
  const double *a = cli_waits_of(w, 0, copy), *b = cli_waits_of(w, v, copy);
  double sum = 0, count = 0;
  for (size_t i = 0; i < w->tasks.count; i++) {
    if (a[i] != a[i] || b[i] != b[i]) continue;
    sum += b[i] - a[i];
    count++;
    *moved += b[i] < a[i] || b[i] > a[i];
  }
  return sum / count;
}

static hc_rc measure_side(const cli_whatif *w, size_t v, double *scratch, double *values, side *out)
{
  double *differences = values, *nought = values + w->copies, *waits = nought + w->copies,
         *at95 = waits + w->copies;
  const double *first = cli_waits_of(w, 0, 0), *mine = cli_waits_of(w, v, 0);
  *out = (side){.tasks = 0};
  for (size_t i = 0; i < w->tasks.count; i++) {
    out->tasks += mine[i] == mine[i];
    out->gone += mine[i] != mine[i] && first[i] == first[i];
  }
  for (size_t k = 0; k < w->copies; k++) {
    nought[k] = 0;
    differences[k] = difference_of(w, v, k, &out->moved);
    wait_figures(cli_waits_of(w, v, k), w->tasks.count, scratch, &waits[k], &at95[k]);
  }
  out->wait = mean_of(waits, w->copies);
  out->at95 = mean_of(at95, w->copies);
  out->slowdown = mean_of(w->slowdown + v * w->copies, w->copies);
  out->utilisation = mean_of(w->utilisation + v * w->copies, w->copies);
  return hc_stat_pairs_of(w->c->allocator, differences, nought, w->copies, LEVEL, &out->difference);
}

static const cli_column side_columns[] = {{.name = "variant"},
                                          {.name = "tasks", .right = true},
                                          {.name = "wait", .title = "mean wait", .right = true},
                                          {.name = "difference", .right = true},
                                          {.name = "half_width", .title = "+/-", .right = true},
                                          {.name = "wait_p95", .title = "95 % wait", .right = true},
                                          {.name = "slowdown", .title = "bounded slowdown", .right = true},
                                          {.name = "utilisation", .right = true}};

static void add_side(cli_table *t, const char *name, const side *s, bool is_base)
{
  cli_add_text(t, name);
  cli_add_int(t, (int64_t)s->tasks);
  add_span(t, s->wait);
  add_span(t, is_base ? (double)__builtin_nanf("") : s->difference.difference.mean);
  add_span(t, is_base ? (double)__builtin_nanf("") : s->difference.difference.half_width);
  add_span(t, s->at95);
  cli_add_real(t, s->slowdown, "1");
  cli_add_real(t, s->utilisation, "1");
}

/* @param sides  [variants] out */
static hc_rc measure_sides(cli_whatif *w, cli_table *t, side *sides)
{
  double *scratch = malloc((w->tasks.count + 1) * sizeof *scratch),
         *values = malloc(4 * w->copies * sizeof *values);
  hc_rc rc = scratch && values ? 0 : HC_ENOMEM;
  for (size_t v = 0; rc >= 0 && v < w->variants.count; v++) {
    rc = measure_side(w, v, scratch, values, &sides[v]);
    if (rc >= 0) add_side(t, w->variants.items[v].name, &sides[v], v == 0);
  }
  free(scratch);
  free(values);
  return rc;
}

/* ---- groups ---- */

typedef struct lot {
  uint32_t group, at; /* at: in the order of the groups */
  uint64_t tasks;
  double base, other, hours; /* means over the copies: waits, s; h that are waited more in all */
  hc_stat_pairs difference;
  double adjusted;
} lot;

typedef struct grouped {
  cli_whatif *w;
  cli_by by;
  const char *word;
  uint32_t *group; /* [tasks] UINT32_MAX: of none */
  uint32_t *rank;
  uint32_t count; /* groups, the rest with them */
  bool has_rest;
} grouped;

static hc_rc order_groups(grouped *x)
{
  const uint32_t n = hc_grouping_count(x->by.grouping);
  uint32_t *order = malloc((n + 1) * sizeof *order);
  x->rank = malloc((n + 1) * sizeof *x->rank);
  hc_rc rc = order && x->rank ? hc_grouping_order(x->by.grouping, order) : HC_ENOMEM;
  for (uint32_t i = 0; rc >= 0 && i < n; i++) x->rank[order[i]] = i;
  if (rc >= 0) x->rank[n] = n;
  free(order);
  x->has_rest = hc_grouping_rest(x->by.grouping, NULL) > 0;
  x->count = n + x->has_rest;
  return rc;
}

static hc_rc open_groups(cli_whatif *w, const char *word, grouped *x)
{
  *x = (grouped){.w = w, .word = word};
  CLI_TRY(cli_by_open_word(w->c, w->base, word, &x->by));
  x->group = malloc((w->tasks.count + 1) * sizeof *x->group);
  if (!x->group) return HC_ENOMEM;
  for (size_t i = 0; i < w->tasks.count; i++) {
    x->group[i] = UINT32_MAX;
    if (cli_ended(&w->tasks.items[i]))
      CLI_TRY(hc_grouping_of(x->by.grouping, &w->tasks.items[i], 1, &x->group[i]));
  }
  return order_groups(x);
}

static void close_groups(grouped *x)
{
  free(x->group);
  free(x->rank);
  cli_by_close(&x->by);
}

/* Sums of all groups over one copy. sums [count]; tasks [count] */
typedef struct sum {
  double base, other;
  uint64_t tasks;
} sum;

static void sum_groups(const grouped *x, size_t v, size_t copy, sum *sums)
{
  const cli_whatif *w = x->w;
  const double *a = cli_waits_of(w, 0, copy), *b = cli_waits_of(w, v, copy);
  memset(sums, 0, x->count * sizeof *sums);
  for (size_t i = 0; i < w->tasks.count; i++) {
    if (x->group[i] == UINT32_MAX || a[i] != a[i] || b[i] != b[i]) continue;
    sum *s = &sums[x->group[i]];
    s->base += a[i];
    s->other += b[i];
    s->tasks++;
  }
}

/* @param sums  [copies][groups] */
static hc_rc count_lot(const grouped *x, const sum *sums, uint32_t g, double *values, lot *out)
{
  const size_t copies = x->w->copies;
  double *differences = values, *nought = values + copies, *base = nought + copies, *other = base + copies;
  *out = (lot){.group = g, .at = x->rank[g], .tasks = sums[g].tasks};
  for (size_t k = 0; k < copies; k++) {
    const sum *s = &sums[k * x->count + g];
    const double n = (double)s->tasks;
    nought[k] = 0;
    base[k] = s->base / n; /* NaN: none */
    other[k] = s->other / n;
    differences[k] = (s->other - s->base) / n;
    out->hours += (s->other - s->base) / 3600 / (double)copies;
  }
  out->base = mean_of(base, copies);
  out->other = mean_of(other, copies);
  return hc_stat_pairs_of(x->w->c->allocator, differences, nought, copies, LEVEL, &out->difference);
}

static double size_of(double x)
{
  return x < 0 ? -x : x;
}

static int by_hours(const void *a, const void *b)
{
  const lot *x = a, *y = b;
  const double p = size_of(x->hours), q = size_of(y->hours);
  if (p > q || p < q) return p > q ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static hc_rc adjust(cli_whatif *w, lot *lots, size_t count)
{
  double *p = malloc((count + 1) * sizeof *p);
  hc_rc rc = p ? 0 : HC_ENOMEM;
  for (size_t i = 0; rc == 0 && i < count; i++) p[i] = lots[i].difference.p_t;
  if (rc == 0) rc = hc_stat_adjust(w->c->allocator, HC_STAT_HOLM, p, count, p);
  for (size_t i = 0; rc == 0 && i < count; i++) lots[i].adjusted = p[i];
  free(p);
  return rc;
}

static hc_rc count_lots(const grouped *x, size_t v, lot *lots, size_t *count)
{
  const size_t copies = x->w->copies;
  sum *sums = malloc((copies * x->count + 1) * sizeof *sums);
  double *values = malloc(4 * copies * sizeof *values);
  hc_rc rc = sums && values ? 0 : HC_ENOMEM;
  *count = 0;
  for (size_t k = 0; rc >= 0 && k < copies; k++) sum_groups(x, v, k, sums + k * x->count);
  for (uint32_t g = 0; rc >= 0 && g < x->count; g++)
    if (sums[g].tasks > 0) rc = count_lot(x, sums, g, values, &lots[(*count)++]);
  free(sums);
  free(values);
  if (rc >= 0) rc = adjust(x->w, lots, *count);
  if (rc >= 0) qsort(lots, *count, sizeof *lots, by_hours);
  return rc;
}

static const char *verdict(const lot *x)
{
  if (x->difference.above + x->difference.below == 0) return "equal";
  if (!(x->adjusted < 1 - LEVEL)) return "unclear";
  return x->difference.difference.mean > 0 ? "loses" : "gains";
}

static const cli_column lot_columns[] = {{.name = "tasks", .right = true},
                                         {.name = "base", .right = true},
                                         {.name = "wait", .title = "variant", .right = true},
                                         {.name = "difference", .right = true},
                                         {.name = "half_width", .title = "+/-", .right = true},
                                         {.name = "hours", .title = "hours lost", .right = true},
                                         {.name = "p", .right = true},
                                         {.name = "verdict"}};

static void add_name(cli_table *t, const grouped *x, const lot *l)
{
  bool at_least;
  const uint64_t rest = hc_grouping_rest(x->by.grouping, &at_least);
  if (x->has_rest && l->group + 1 == x->count) {
    cli_add_rest(t, &x->by, rest, at_least);
    return;
  }
  for (uint32_t d = 0; d < x->by.dimensions; d++) {
    const hc_group_value v = hc_grouping_value(x->by.grouping, l->group, d);
    cli_add_group(t, &x->by, d, &v);
  }
}

static void add_lot(cli_table *t, const lot *l)
{
  cli_add_int(t, (int64_t)l->tasks);
  add_span(t, l->base);
  add_span(t, l->other);
  add_span(t, l->difference.difference.mean);
  add_span(t, l->difference.difference.half_width);
  cli_add_real(t, l->hours, "h");
  cli_add_p(t, l->adjusted);
  cli_add_text(t, verdict(l));
}

/* ---- all of it ---- */

typedef struct saying {
  cli_whatif *w;
  size_t limit;
  cli_table groups; /* for programs: of all variants and words */
} saying;

static void say_verdicts(cli *c, const lot *lots, size_t count, size_t shown)
{
  size_t loses = 0, gains = 0, equal = 0;
  char rest[40];
  for (size_t i = 0; i < count; i++) {
    const char *word = verdict(&lots[i]);
    loses += strcmp(word, "loses") == 0;
    gains += strcmp(word, "gains") == 0;
    equal += strcmp(word, "equal") == 0;
  }
  count_text(count - shown, rest);
  if (shown < count) hc_buffer_printf(&c->out, "  ... and %s more\n", rest);
  hc_buffer_printf(&c->out, "  losing %zu, gaining %zu, equal %zu, not decided %zu\n", loses, gains, equal,
                   count - loses - gains - equal);
}

static void say_groups(saying *s, const grouped *x, size_t v, const lot *lots, size_t count)
{
  cli *c = s->w->c;
  const size_t shown = count < s->limit ? count : s->limit;
  cli_column columns[HC_GROUPING_DIMENSIONS + 8];
  const size_t width = x->by.dimensions + CLI_LEN(lot_columns);
  cli_table t;
  cli_by_columns(&x->by, columns);
  memcpy(columns + x->by.dimensions, lot_columns, sizeof lot_columns);
  cli_table_init(&t, c->allocator, columns, width);
  for (size_t i = 0; i < shown; i++) {
    add_name(&t, x, &lots[i]);
    add_lot(&t, &lots[i]);
  }
  c->out.failed |= t.failed;
  hc_buffer_printf(&c->out, "\n%s by %s: mean waits\n", s->w->variants.items[v].name,
                   cli_by_title(&x->by, 0));
  cli_table_people(c, &t, 2);
  say_verdicts(c, lots, count, shown);
  cli_table_fini(&t);
}

static void keep_groups(saying *s, const grouped *x, size_t v, const lot *lots, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    cli_add_text(&s->groups, s->w->variants.items[v].name);
    cli_add_text(&s->groups, x->word);
    add_name(&s->groups, x, &lots[i]);
    add_lot(&s->groups, &lots[i]);
  }
}

static hc_rc do_groups(saying *s, const grouped *x, size_t v)
{
  lot *lots = calloc(x->count + 1, sizeof *lots);
  size_t count = 0;
  const hc_rc rc = lots ? count_lots(x, v, lots, &count) : HC_ENOMEM;
  if (rc >= 0 && s->w->c->format == CLI_TEXT) say_groups(s, x, v, lots, count);
  else if (rc >= 0) keep_groups(s, x, v, lots, count);
  free(lots);
  return rc;
}

/* Of the usual words those under which there is more than one group; of those that are asked for, all. */
static hc_rc do_word(saying *s, size_t v, const char *word, bool is_asked)
{
  grouped x;
  hc_rc rc = open_groups(s->w, word, &x);
  if (rc >= 0 && (is_asked || x.count > 1)) rc = do_groups(s, &x, v);
  close_groups(&x);
  return rc;
}

static hc_rc do_variant(saying *s, size_t v)
{
  static const char *const usual[] = {"user", "account", "partition", "size"};
  const cli *c = s->w->c;
  const bool is_asked = cli_has(c, "by");
  for (size_t i = 0; is_asked && i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0) CLI_TRY(do_word(s, v, c->given[i].value, true));
  for (size_t i = 0; !is_asked && i < CLI_LEN(usual); i++) CLI_TRY(do_word(s, v, usual[i], false));
  return 0;
}

static void say_sides(const saying *s, const cli_table *table, const side *sides)
{
  cli *c = s->w->c;
  const size_t copies = s->w->copies;
  hc_buffer_printf(&c->out, "\n%s against base: means over %zu %s of the workload, 95 %% intervals%s\n",
                   s->w->variants.count > 2 ? "Variants" : s->w->variants.items[1].name, copies,
                   copies == 1 ? "copy" : "copies", copies == 1 ? " need --shakes" : "");
  cli_table_people(c, table, 2);
  for (size_t v = 1; v < s->w->variants.count; v++) {
    const char *name = s->w->variants.items[v].name;
    if (sides[v].gone > 0)
      hc_buffer_printf(&c->out, "  note: %llu tasks of base do not run under %s, and are in no difference\n",
                       (unsigned long long)sides[v].gone, name);
    if (sides[v].moved + sides[v].gone == 0)
      hc_buffer_printf(
          &c->out, "  note: under %s every job starts as under base: nothing here depends on the change\n",
          name);
  }
}

static void say_programs(saying *s, const cli_calibration *k, const cli_table *waits, const cli_table *causes,
                         const cli_table *sides)
{
  cli *c = s->w->c;
  hc_json_writer j = {.out = &c->out};
  if (c->format == CLI_CSV) {
    cli_table_csv(s->w->variants.count > 1 ? &s->groups : causes, &c->out);
    return;
  }
  hc_json_enter(&j, NULL, '{');
  if (k) {
    static const char *const fits[] = {"same", "near", "error_mean", "wait_mean"};
    const double of[] = {k->fit.same, k->fit.near, k->fit.error, k->fit.wait};
    hc_json_enter(&j, "calibration", '{');
    hc_json_put_int(&j, "starts", (int64_t)k->jobs);
    hc_json_put_real(&j, "within", (double)k->within / 1e9);
    for (size_t i = 0; i < CLI_LEN(fits); i++) {
      char name[48];
      hc_json_put_real(&j, fits[i], of[i]);
      (void)snprintf(name, sizeof name, "%s_shaken", fits[i]);
      hc_json_put_real(&j, name, k->shaken[i].mean);
      (void)snprintf(name, sizeof name, "%s_half_width", fits[i]);
      hc_json_put_real(&j, name, k->shaken[i].half_width);
    }
    hc_json_put_real(&j, "waited_near", k->waited_near);
    hc_json_put_real(&j, "error_p50", k->error_at[0]);
    hc_json_put_real(&j, "error_p90", k->error_at[1]);
    hc_json_put_real(&j, "error_p95", k->error_at[2]);
    hc_json_put_bool(&j, "warning", cli_calibration_warns(k));
    cli_table_member(waits, &j, "waits");
    cli_table_member(causes, &j, "causes");
    hc_json_leave(&j, '}');
  }
  if (s->w->variants.count > 1) {
    hc_json_put_int(&j, "copies", (int64_t)s->w->copies);
    cli_table_member(sides, &j, "variants");
    cli_table_member(&s->groups, &j, "groups");
  }
  hc_json_leave(&j, '}');
}

static hc_rc say_all(saying *s, const cli_calibration *k, cli_table *waits, cli_table *causes,
                     cli_table *sides, side *of)
{
  cli *c = s->w->c;
  const bool text = c->format == CLI_TEXT, has_variants = s->w->variants.count > 1;
  if (k) {
    add_waits(k, waits);
    add_causes(k, causes);
  }
  if (text && k) say_calibration(c, k, waits, causes);
  if (text && !k)
    hc_buffer_text(
        &c->out, "Calibration: none, since the log records no starts; nothing says how well the base fits\n");
  if (has_variants) CLI_TRY(measure_sides(s->w, sides, of));
  if (text && has_variants) say_sides(s, sides, of);
  for (size_t v = 1; v < s->w->variants.count; v++)
    if (!text || of[v].moved > 0) CLI_TRY(do_variant(s, v));
  if (text && has_variants)
    hc_buffer_printf(&c->out, "\np: Holm's over the groups of a table; a verdict where it is below %.2f\n",
                     1 - LEVEL);
  c->out.failed |= waits->failed || causes->failed || sides->failed || s->groups.failed;
  if (!text) say_programs(s, k, waits, causes, sides);
  return 0;
}

hc_rc cli_whatif_words(cli_whatif *w)
{
  cli *c = w->c;
  for (size_t i = 0; i < c->given_count; i++) {
    const char *word = c->given[i].value;
    cli_by by;
    if (strcmp(c->given[i].flag->name, "by") != 0) continue;
    hc_rc rc = cli_by_open_word(c, w->base, word, &by);
    if (rc >= 0 && by.dimensions > 1)
      rc = cli_fail(c, HC_EUSAGE,
                    "--by %.80s: groups of pairs are for `compare --by`; here each --by is one word", word);
    cli_by_close(&by);
    if (rc < 0) return rc;
  }
  return 0;
}

hc_rc cli_whatif_say(cli_whatif *w, const cli_calibration *k)
{
  saying s = {.w = w};
  cli_column columns[3 + CLI_LEN(lot_columns)] = {{.name = "variant"}, {.name = "by"}, {.name = "group"}};
  int64_t limit = SHOWN;
  cli_table waits, causes, sides;
  side *of;
  hc_rc rc;
  CLI_TRY(cli_int(w->c, "limit", 1, INT64_MAX, &limit));
  s.limit = (size_t)limit;
  of = calloc(w->variants.count, sizeof *of);
  if (!of) return cli_fail(w->c, HC_ENOMEM, "out of memory for the groups");
  memcpy(columns + 3, lot_columns, sizeof lot_columns);
  cli_table_init(&waits, w->c->allocator, wait_columns, CLI_LEN(wait_columns));
  cli_table_init(&causes, w->c->allocator, cause_columns, CLI_LEN(cause_columns));
  cli_table_init(&sides, w->c->allocator, side_columns, CLI_LEN(side_columns));
  cli_table_init(&s.groups, w->c->allocator, columns, CLI_LEN(columns));
  rc = say_all(&s, k, &waits, &causes, &sides, of);
  if (rc == HC_ENOMEM) rc = cli_fail(w->c, rc, "out of memory for the groups");
  cli_table_fini(&waits);
  cli_table_fini(&causes);
  cli_table_fini(&sides);
  cli_table_fini(&s.groups);
  free(of);
  return rc;
}
