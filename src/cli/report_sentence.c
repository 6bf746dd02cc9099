/* report_sentence.c -- what can be said of the runs of a report in a sentence, and be defended.
 *
 * One run: its mean wait with the interval by batch means, the median, and one in twenty. Several: the mean
 * wait of the first, and how much longer or shorter tasks wait in each other one, task by task, with the
 * interval of that difference; a difference whose interval holds 0 is not told as one. Then, which has the
 * shortest mean wait, and which groups pay for it: those of which the t test with Holm's correction says so
 * (compare_by.c). Every number is one of the tables below it. */
#include <string.h>

#include "cli/report.h"

/* Whole numbers of the lesser of two units, as a text. */
static void two_units(int64_t n, int64_t ratio, const char *greater, const char *lesser, const char *sign,
                      char *out)
{
  if (n % ratio == 0) (void)snprintf(out, 64, "%s%lld %s", sign, (long long)(n / ratio), greater);
  else if (n < ratio) (void)snprintf(out, 64, "%s%lld %s", sign, (long long)n, lesser);
  else
    (void)snprintf(out, 64, "%s%lld %s %lld %s", sign, (long long)(n / ratio), greater,
                   (long long)(n % ratio), lesser);
}

/* The same rule as span() of report/src/format.ts. */
void cli_report_span(double seconds, char *out)
{
  const double s = seconds < 0 ? -seconds : seconds;
  const char *sign = seconds < 0 ? "-" : "";
  if (!(s < 1e12)) (void)snprintf(out, 64, "-");
  else if (s < 9.95) {
    const int tenths = (int)(s * 10 + 0.5);
    if (tenths % 10 == 0) (void)snprintf(out, 64, "%s%d s", tenths ? sign : "", tenths / 10);
    else (void)snprintf(out, 64, "%s%d.%d s", sign, tenths / 10, tenths % 10);
  } else if (s < 299.5) two_units((int64_t)(s + 0.5), 60, "min", "s", sign, out);
  else if (s < 86370) two_units((int64_t)(s / 60 + 0.5), 60, "h", "min", sign, out);
  else if (s < 863000) two_units((int64_t)(s / 3600 + 0.5), 24, "d", "h", sign, out);
  else (void)snprintf(out, 64, "%s%lld d", sign, (long long)(s / 86400 + 0.5));
}

typedef struct span {
  char text[64];
} span;

static span span_of(double seconds)
{
  span s;
  cli_report_span(seconds, s.text);
  return s;
}

static bool is_known(double x)
{
  return x == x;
}

/* ---- one run ---- */

static void say_alone(const cli_report *x, hc_buffer *out)
{
  const cli_report_run *run = &x->runs[0];
  hc_result *r = run->schedule.result;
  const cli_difference *d = &x->comparison.means[0];
  const double mean = run->has_rows ? d->wait.mean : hc_result_figure(r, "all", "wait_mean"),
               half = hc_result_figure(r, "all", "wait_p50"), late = hc_result_figure(r, "all", "wait_p95");
  if (!is_known(mean)) {
    hc_buffer_printf(out, "In %s no task started.\n", run->schedule.name);
    return;
  }
  hc_buffer_printf(out, "In %s a task waits %s on average", run->schedule.name, span_of(mean).text);
  const double least = mean - d->wait.half_width;
  if (run->has_rows && is_known(d->wait.half_width))
    hc_buffer_printf(out, " (95 %%: %s to %s)", span_of(least > 0 ? least : 0).text,
                     span_of(mean + d->wait.half_width).text);
  if (is_known(late) && late <= 0) hc_buffer_text(out, "; nineteen of twenty tasks do not wait");
  else if (is_known(half) && is_known(late))
    hc_buffer_printf(out, "; half of the tasks wait up to %s, one in twenty longer than %s",
                     span_of(half).text, span_of(late).text);
  hc_buffer_text(out, ".\n");
}

/* ---- several ---- */

/* Is it known that tasks wait longer (1) or shorter (-1) than in the first? 0: that cannot be told. */
static int side_of(const cli_difference *d)
{
  const double mean = d->wait.mean, half = d->wait.half_width;
  if (!is_known(mean) || !is_known(half)) return 0;
  return mean - half > 0 ? 1 : mean + half < 0 ? -1 : 0;
}

static void say_wait(const char *name, const cli_difference *d, hc_buffer *out)
{
  const double mean = d->wait.mean, half = d->wait.half_width;
  const int side = side_of(d);
  if (d->differ == 0 && d->pairs > 0) hc_buffer_printf(out, "%s the same, start by start", name);
  else if (!is_known(mean) || !is_known(half))
    hc_buffer_printf(out, "%s cannot be compared, since too few tasks ended in both", name);
  else if (side == 0)
    hc_buffer_printf(out, "%s no other wait that could be told (95 %%: %s less to %s more)", name,
                     span_of(half - mean).text, span_of(mean + half).text);
  else
    hc_buffer_printf(out, "%s %s %s (95 %%: %s to %s)", name, span_of(side * mean).text,
                     side > 0 ? "more" : "less", span_of(side * mean - half).text,
                     span_of(side * mean + half).text);
}

static void say_difference(const cli_report *x, size_t i, hc_buffer *out)
{
  const cli_difference *d = &x->comparison.differences[i];
  char n[40];
  say_wait(x->schedules[i].name, d, out);
  if (d->unmatched == 0) return;
  n[hc_format_count((int64_t)d->pairs, n)] = '\0';
  hc_buffer_printf(out, ", of the %s tasks that both have", n);
}

static void say_differences(const cli_report *x, hc_buffer *out)
{
  hc_buffer_printf(out, "%s lets a task wait %s on average", x->schedules[0].name,
                   span_of(x->comparison.means[0].wait.mean).text);
  for (size_t i = 1; i < x->count; i++) {
    hc_buffer_text(out, i == 1 ? "; " : ", ");
    say_difference(x, i, out);
  }
  hc_buffer_text(out, ".\n");
}

/* Of those that are known to wait less than the first, the one that waits least; 0: there is none. */
static size_t shortest(const cli_report *x)
{
  size_t best = 0;
  for (size_t i = 1; i < x->count; i++) {
    const cli_difference *d = x->comparison.differences;
    if (side_of(&d[i]) < 0 && (best == 0 || d[i].wait.mean < d[best].wait.mean)) best = i;
  }
  return best;
}

static bool all_wait_longer(const cli_report *x)
{
  for (size_t i = 1; i < x->count; i++)
    if (side_of(&x->comparison.differences[i]) <= 0) return false;
  return true;
}

static const cli_report_groups *groups_of(const cli_report *x, size_t run, const char *word)
{
  for (size_t i = 0; i < x->group_count; i++)
    if (x->groups[i].run == run && strcmp(x->groups[i].word, word) == 0) return &x->groups[i];
  return NULL;
}

static void say_payers(const cli_report_groups *g, const char *many, hc_buffer *out)
{
  const char *none = g->losing == 0 && g->gaining == 0 ? ", as far as can be told" : "";
  hc_buffer_printf(out, " Of %llu %s %llu %s by it and %llu %s%s", (unsigned long long)g->groups, many,
                   (unsigned long long)g->losing, g->losing == 1 ? "loses" : "lose",
                   (unsigned long long)g->gaining, g->gaining == 1 ? "gains" : "gain", none);
  if (g->worst.size > 0)
    hc_buffer_printf(out, "; most hours are lost by %.*s, whose tasks wait %s longer", (int)g->worst.size,
                     g->worst.data, span_of(g->worst_wait).text);
  hc_buffer_text(out, ".");
}

/* Which to choose, and which groups pay for it. */
static void say_choice(const cli_report *x, hc_buffer *out)
{
  const size_t best = shortest(x);
  const char *first = x->schedules[0].name;
  if (best == 0 && all_wait_longer(x)) hc_buffer_printf(out, "The shortest waits are those of %s.\n", first);
  else if (best == 0) hc_buffer_printf(out, "None waits less than %s, as far as can be told.\n", first);
  if (best == 0) return;
  const cli_report_groups *users = groups_of(x, best, "user"), *sizes = groups_of(x, best, "size");
  hc_buffer_printf(out, "The shortest waits are those of %s; it is compared with %s here.",
                   x->schedules[best].name, first);
  if (users) say_payers(users, "users", out);
  if (sizes) say_payers(sizes, "classes of size", out);
  hc_buffer_text(out, "\n");
}

/* Why runs were not compared task by task. */
static void say_apart(const cli_report *x, hc_buffer *out)
{
  for (size_t i = 0; i < x->count; i++)
    if (!x->runs[i].has_rows)
      hc_buffer_printf(out,
                       x->runs[i].is_empty ? "%s has no task. " : "%s does not have a row for every task. ",
                       x->schedules[i].name);
  if (x->apart.size > 0) hc_buffer_printf(out, "%s. ", x->apart.data);
  hc_buffer_text(out, "So the runs stand beside each other without a comparison task by task.\n");
}

void cli_report_sentences(const cli_report *x, hc_buffer *out)
{
  if (x->count == 1) say_alone(x, out);
  else if (x->is_compared) {
    say_differences(x, out);
    say_choice(x, out);
  } else say_apart(x, out);
}
