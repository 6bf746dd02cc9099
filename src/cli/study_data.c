/* study_data.c -- what the questions to a study have in common: flags, the store, and how answers look. */
#include <stdlib.h>
#include <string.h>

#include "cli/study_stats.h"

const cli_flag cli_study_flags[] = {
    {.name = "where",
     .metavar = "CONDITION",
     .many = true,
     .help = "Only points for which it holds: load>=0.5, scenario=1, policy=easy,fcfs, policy!=rfs. May be "
             "given again; all of them must hold. Axes that are neither fixed nor shown are averaged over."},
    {.name = "over",
     .metavar = "AXIS",
     .many = true,
     .help = "The axis whose levels are the samples that intervals are made of, paired between choices. "
             "Default: replication; of `compare`, where there is none, the only axis that is shake or a "
             "seed."},
    {.name = "level", .metavar = "SHARE", .help = "Level of the intervals. Default: 0.95."},
    {.name = "higher", .metavar = "FIGURE", .many = true, .help = "Of this figure, more is better."},
    {.name = "lower", .metavar = "FIGURE", .many = true, .help = "Of this figure, less is better."},
    {.name = "markdown", .help = "Print a Markdown table."},
    {.name = "latex", .help = "Print a table for LaTeX: a tabular, what stands around it as comments."},
    {.name = NULL},
};
const cli_flag cli_study_axis_flags[] = {
    {.name = "figure",
     .letter = 'f',
     .metavar = "FIGURE",
     .many = true,
     .help = "Which figure, as the study kept it: wait_mean. May be given again, or a list with commas. "
             "Default: the first."},
    {.name = "axis",
     .metavar = "AXIS",
     .many = true,
     .help =
         "The axis whose levels are told apart; several: their combinations, named by labels with a blank "
         "between. Default: the first with more than one level."},
    {.name = NULL},
};

/* ---- values ---- */

static char *piece(const char *s, size_t n)
{
  char *p = malloc(n + 1);
  if (!p) return NULL;
  memcpy(p, s, n);
  p[n] = '\0';
  return p;
}

static size_t parts_of(const cli_given *g, bool is_list)
{
  size_t n = 1;
  for (const char *s = g->value; is_list && *s; s++) n += *s == ',';
  return n;
}

hc_rc cli_values(cli *c, const char *name, const char ***out, size_t *count)
{
  bool is_list = strcmp(name, "where") != 0; /* a condition has commas of its own */
  size_t n = 0;
  *count = 0;
  for (size_t i = 0; i < c->given_count; i++) {
    if (strcmp(c->given[i].flag->name, name) == 0) n += parts_of(&c->given[i], is_list);
  }
  *out = calloc(n + 1, sizeof **out);
  if (!*out) return cli_fail(c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < c->given_count; i++) {
    const char *s = c->given[i].value;
    if (strcmp(c->given[i].flag->name, name) != 0) continue;
    for (size_t left = parts_of(&c->given[i], is_list); left > 0; left--) {
      size_t size = is_list ? strcspn(s, ",") : strlen(s);
      char *p = piece(s, size);
      if (!p) return cli_fail(c, HC_ENOMEM, "out of memory");
      (*out)[(*count)++] = p;
      s += size + (s[size] == ',');
    }
  }
  return 0;
}

void cli_values_free(const char **values, size_t count)
{
  for (size_t i = 0; values && i < count; i++) free((void *)(uintptr_t)values[i]);
  free((void *)values);
}

hc_rc cli_word(cli *c, const char *name, const char *const *words, size_t count, int *out)
{
  const char *value = cli_value(c, name);
  if (!value) return 0;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(words[i], value) != 0) continue;
    *out = (int)i;
    return 0;
  }
  return cli_fail(c, HC_EUSAGE, "--%s: \"%.60s\" is none of its words; see --help", name, value);
}

hc_rc cli_share(cli *c, const char *name, double *out)
{
  const char *value = cli_value(c, name);
  size_t n = value ? strlen(value) : 0;
  bool percent = n && value[n - 1] == '%';
  double x;
  if (!value) return 0;
  if (hc_parse_real(value, n - percent, &x) < 0 || !(x >= 0))
    return cli_fail(c, HC_EUSAGE, "--%s: expected a share such as 0.05 or 5%%, got \"%.60s\"", name, value);
  *out = percent ? x / 100 : x;
  return 0;
}

/* ---- a study that is not whole ---- */

void cli_study_note(const char *path, const hc_study_progress *p)
{
  const uint64_t lost = p->failed + p->crashed + p->late;
  if (p->done == p->points) return;
  (void)fprintf(stderr, "hindcast: note: %s: this study is not whole: %llu of %llu points are done", path,
                (unsigned long long)p->done, (unsigned long long)p->points);
  if (lost > 0) (void)fprintf(stderr, ", %llu lost", (unsigned long long)lost);
  (void)fputs("\n", stderr);
}

hc_rc cli_study_load(cli *c, const char *path, hc_study_data **out)
{
  hc_registry *registry = cli_registry(c);
  hc_study_progress p;
  if (!registry) return HC_ENOMEM;
  CLI_TRY(hc_study_data_so_far(c->allocator, registry, path, out, &p, &c->error));
  cli_study_note(path, &p);
  return 0;
}

/* ---- the question ---- */

hc_rc cli_question_open(cli *c, cli_question *q)
{
  *q = (cli_question){.level = 0.95};
  CLI_TRY(cli_share(c, "level", &q->level));
  if (!(q->level > 0) || !(q->level < 1))
    return cli_fail(c, HC_EUSAGE, "--level: expected a share above 0 and below 1, such as 0.95");
  CLI_TRY(cli_values(c, "figure", &q->figures, &q->figure_count));
  CLI_TRY(cli_values(c, "axis", &q->axes, &q->axis_count));
  CLI_TRY(cli_values(c, "where", &q->where, &q->where_count));
  CLI_TRY(cli_values(c, "over", &q->over, &q->over_count));
  CLI_TRY(cli_values(c, "higher", &q->higher, &q->higher_count));
  CLI_TRY(cli_values(c, "lower", &q->lower, &q->lower_count));
  return cli_study_load(c, c->operands[0], &q->data);
}

void cli_question_close(cli *c, cli_question *q)
{
  cli_values_free(q->figures, q->figure_count);
  cli_values_free(q->axes, q->axis_count);
  cli_values_free(q->where, q->where_count);
  cli_values_free(q->over, q->over_count);
  cli_values_free(q->higher, q->higher_count);
  cli_values_free(q->lower, q->lower_count);
  if (q->data) hc_study_data_free(c->allocator, q->data);
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

hc_study_query cli_question_query(const cli_question *q, const char *figure)
{
  hc_study_query one = {.figure = figure, .level = q->level};
  one.axes = q->axes;
  one.axis_count = q->axis_count;
  one.where = q->where;
  one.where_count = q->where_count;
  one.over = q->repeats && q->over_count == 0 ? &q->repeats : q->over;
  one.over_count = q->repeats && q->over_count == 0 ? 1 : q->over_count;
  if (is_listed(q->higher, q->higher_count, figure)) one.direction = 1;
  if (is_listed(q->lower, q->lower_count, figure)) one.direction = -1;
  return one;
}

bool cli_question_samples(const cli_question *q, const char *axis)
{
  if (q->over_count == 0) return strcmp(axis, q->repeats ? q->repeats : "replication") == 0;
  return is_listed(q->over, q->over_count, axis);
}

/* Its levels are the same thing again: shaken copies, or other random numbers. */
static bool is_of_repetitions(const hc_study_axis *x)
{
  const char *last = strrchr(x->name, '.');
  return x->count > 1 && (strcmp(x->name, "shake") == 0 || strcmp(last ? last + 1 : x->name, "seed") == 0);
}

hc_rc cli_question_repeats(cli *c, cli_question *q)
{
  const char *found = NULL;
  if (q->over_count > 0) return 0;
  for (uint32_t i = 0; i < q->data->axis_count; i++)
    if (q->data->axes[i].count > 1 && strcmp(q->data->axes[i].name, "replication") == 0) return 0;
  for (uint32_t i = 0; i < q->data->axis_count; i++) {
    const hc_study_axis *x = &q->data->axes[i];
    if (!is_of_repetitions(x) || is_listed(q->axes, q->axis_count, x->name)) continue;
    if (found)
      return cli_fail(c, HC_EUSAGE,
                      "nothing is replicated, and %.60s and %.60s both repeat it: say whose levels are the "
                      "samples, --over %.60s, or both, --over %.60s,%.60s",
                      found, x->name, found, found, x->name);
    found = x->name;
  }
  q->repeats = found;
  return 0;
}

const char *cli_question_axis(const cli_question *q)
{
  for (uint32_t i = 0; i < q->data->axis_count; i++) {
    const hc_study_axis *x = &q->data->axes[i];
    if (x->count > 1 && !cli_question_samples(q, x->name)) return x->name;
  }
  return NULL;
}

/* ---- looks ---- */

void cli_study_show(cli *c, const cli_table *t, const char *title)
{
  c->out.failed |= t->failed;
  if (c->format != CLI_TEXT) {
    cli_table_show(c, t);
    return;
  }
  if (c->out.size) hc_buffer_text(&c->out, "\n");
  if (title) hc_buffer_printf(&c->out, "%s\n%s", title, cli_has(c, "markdown") ? "\n" : "");
  cli_table_people(c, t, 0);
}

/* Points of one level. Those that were not carried out yet are not lost. */
static void count_level(const hc_study_data *d, uint32_t axis, uint32_t level, uint64_t *done, uint64_t *lost,
                        uint64_t *open)
{
  *done = *lost = *open = 0;
  for (uint64_t p = 0; p < d->point_count; p++) {
    if (d->level[p * d->axis_count + axis] != level) continue;
    *done += d->state[p] == HC_POINT_DONE;
    *lost += d->state[p] > HC_POINT_DONE;
    *open += d->state[p] == HC_POINT_OPEN;
  }
}

void cli_study_losses(cli *c, const cli_question *q)
{
  const hc_study_data *d = q->data;
  uint64_t all = 0;
  if (c->format != CLI_TEXT) return;
  for (uint64_t p = 0; p < d->point_count; p++) all += d->state[p] != HC_POINT_DONE;
  if (all == 0) return;
  hc_buffer_printf(
      &c->out, "\nwithout %llu points that failed, or were not carried out yet: `hindcast study status`\n",
      (unsigned long long)all);
  for (uint32_t a = 0; a < d->axis_count; a++) {
    for (uint32_t l = 0; l < d->axes[a].count; l++) {
      const char *name = d->axes[a].name, *label = d->axes[a].labels[l];
      uint64_t done, lost, open;
      count_level(d, a, l, &done, &lost, &open);
      if (done == 0 && open == 0 && lost > 0)
        hc_buffer_printf(&c->out,
                         "%s=%s has no point: all %llu were lost; --where '%s!=%s' asks without it\n", name,
                         label, (unsigned long long)lost, name, label);
    }
  }
}

void cli_study_title(hc_buffer *out, const cli_question *q, const char *figure, const char *unit,
                     int direction)
{
  char level[40];
  level[hc_format_real(q->level * 100, level)] = '\0';
  hc_buffer_text(out, figure);
  if (unit && *unit && strcmp(unit, "1") != 0) hc_buffer_printf(out, " (%s)", unit);
  if (direction) hc_buffer_printf(out, ", %s is better", direction > 0 ? "more" : "less");
  hc_buffer_printf(out, "; %s %% intervals over %s", level,
                   q->over_count ? q->over[0]
                   : q->repeats  ? q->repeats
                                 : "replication");
  for (size_t i = 1; i < q->over_count; i++) hc_buffer_printf(out, " x %s", q->over[i]);
  for (size_t i = 0; i < q->where_count; i++)
    hc_buffer_printf(out, "%s%s", i ? ", " : "; where ", q->where[i]);
}

/* Whether an interval reaches as far on both sides, which those of a bootstrap do not. */
static bool is_symmetric(const hc_stat_mean *m)
{
  const double off = (m->high - m->mean) - (m->mean - m->low);
  return (off < 0 ? -off : off) <= 1e-9 * (m->high - m->low);
}

/* Samples that are equal have a mean that may be so far off by its rounding. */
static bool is_nothing(double half, double mean)
{
  return half <= 1e-12 * (mean < 0 ? -mean : mean);
}

/* Two digits of the half width, and the mean as far: 43.5 ± 6.9, or 59.4 [11.3, 146.3]. */
void cli_plus_minus(const hc_stat_mean *m, char *out)
{
  int decimals = 0;
  double half = m->half_width;
  if (m->count == 0) {
    (void)snprintf(out, 80, "-");
  } else if (half != half || is_nothing(half, m->mean)) {
    char text[64];
    cli_human(m->mean, "", text);
    (void)snprintf(out, 80, half == half ? "%s ± 0" : "%s", text);
  } else {
    while (half < 10 && decimals < 9) {
      half *= 10;
      decimals++;
    }
    if (is_symmetric(m)) (void)snprintf(out, 80, "%.*f ± %.*f", decimals, m->mean, decimals, m->half_width);
    else (void)snprintf(out, 80, "%.*f [%.*f, %.*f]", decimals, m->mean, decimals, m->low, decimals, m->high);
  }
}

void cli_add_p(cli_table *t, double p)
{
  char plain[40], human[40];
  if (p != p) {
    cli_add_pair(t, NULL, "-", false);
    return;
  }
  plain[hc_format_real(p, plain)] = '\0';
  if (p < 0.0001) (void)snprintf(human, sizeof human, "<0.0001");
  else (void)snprintf(human, sizeof human, "%.4f", p);
  cli_add_pair(t, plain, human, false);
}
