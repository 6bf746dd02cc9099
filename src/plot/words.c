/* words.c -- names of figures and axes as people say them.
 *
 * A figure's name is made of words with _ between them, and what is taken of it stands last: mean, max, p90.
 * In a title that comes first: "mean wait", "90th percentile of wait". */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "plot/job.h"

/* What is taken of a figure; `out` the words for it. @return whether this is such a word */
static bool taken_of(const char *word, size_t n, char *out, size_t size)
{
  static const struct {
    const char *word, *text;
  } known[] = {{"mean", "mean"},     {"max", "greatest"}, {"min", "least"},
               {"median", "median"}, {"p50", "median"},   {"sd", "standard deviation of"},
               {"total", "total"},   {"sum", "total"}};
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++) {
    if (strlen(known[i].word) != n || memcmp(known[i].word, word, n) != 0) continue;
    (void)snprintf(out, size, "%s", known[i].text);
    return true;
  }
  if (n < 2 || n > 3 || word[0] != 'p' || strspn(word + 1, "0123456789") < n - 1) return false;
  (void)snprintf(out, size, "%.*sth percentile of", (int)n - 1, word + 1);
  return true;
}

void hc_figure_words(const char *figure, char *out)
{
  char taken[40] = "", rest[80];
  size_t used = 0;
  for (const char *s = figure; *s;) {
    const size_t n = strcspn(s, "_");
    if (taken[0] == '\0' && s != figure && taken_of(s, n, taken, sizeof taken)) {
    } else if (used + n + 2 < sizeof rest) {
      used += (size_t)snprintf(rest + used, sizeof rest - used, "%s%.*s", used ? " " : "", (int)n, s);
    }
    s += n + (s[n] == '_');
  }
  if (used == 0) (void)snprintf(rest, sizeof rest, "%.70s", figure);
  (void)snprintf(out, 80, "%s%s%.*s", taken, taken[0] ? " " : "", 79 - (int)strlen(taken) - 1, rest);
}

/* A dot within a word parts it, one within an expression (0.5) does not. */
void hc_axis_words(const char *axis, char *out)
{
  const bool is_key =
      strspn(axis, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == strlen(axis);
  const char *dot = is_key ? strrchr(axis, '.') : NULL;
  (void)snprintf(out, 80, "%.79s", dot && dot[1] ? dot + 1 : axis);
  for (char *s = out; *s && is_key; s++)
    if (*s == '_') *s = ' ';
}

/* What else an expression can be has no unit that is known. */
const char *hc_expression_unit(const char *expression)
{
  static const char *const times[] = {"submit", "start",    "end",   "wait",
                                      "run",    "response", "limit", "estimate"};
  for (size_t i = 0; i < HC_ARRAY_LEN(times); i++)
    if (strcmp(expression, times[i]) == 0) return "s";
  return "1";
}

void hc_title_words(const char *words, const char *unit, char *out)
{
  if (unit && unit[0]) (void)snprintf(out, 120, "%.90s (%.20s)", words, unit);
  else (void)snprintf(out, 120, "%.110s", words);
  if (out[0] >= 'a' && out[0] <= 'z') out[0] = (char)(out[0] - 'a' + 'A');
}

void hc_calendar_words(const hc_plot_job *j, double from, double to, char *out, size_t size)
{
  const hc_calendar_of_site *c = &j->results[0].calendar;
  if (c->unix_start == HC_UNKNOWN) {
    (void)snprintf(out, size, "time");
    return;
  }
  const int64_t first = hc_calendar_of(c->unix_start + (int64_t)from, c->offset).year,
                last = hc_calendar_of(c->unix_start + (int64_t)to, c->offset).year;
  char years[48];
  if (first == last) (void)snprintf(years, sizeof years, "%lld", (long long)first);
  else (void)snprintf(years, sizeof years, "%lld to %lld", (long long)first, (long long)last);
  (void)snprintf(out, size, "date, %s%s%.40s", years, c->zone[0] ? ", " : "", c->zone);
}
