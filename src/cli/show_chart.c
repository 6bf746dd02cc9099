/* show_chart.c -- `hindcast show --chart`: a result as a picture of characters.
 *
 * From the first submission to the last end (or to the run's own, if a task has none), in as many pieces as
 * there is room for: the share of the machine that tasks hold, tasks that wait and tasks that run, each the
 * mean over its piece, on a scale from 0; hosts that were away or switched off, and what all drew, where
 * the result has it (chart_hosts.c); the tasks that took most, each with its wait and its run; mean waits by
 * size. The first three count every attempt (attempts.h), and what it held; the tasks and the mean waits are
 * of the task rows: a task that was stopped and started again runs in its last attempt, and waits all the
 * time before.
 *
 * No colours are used, so that it is the same in a file, in a mail and on any terminal. Cost: a walk over the
 * pieces of each task. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/attempts.h"
#include "cli/chart_span.h"
#include "cli/screen.h"

#define LABEL 14 /* columns before a line */
#define NOTE 24  /* and behind it */
#define COLUMNS_LEAST 60
#define COLUMNS_MOST 400
#define SHOWN_TASKS 10
#define SIZES 64
#define BRIEF 100000 /* counts from here on are shown in thousands and millions */

static const char *const fine_levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const plain_levels[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
static const char *const fine_ends[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

typedef struct size_class {
  double wait; /* sum, s */
  uint64_t tasks;
} size_class;

typedef struct charting {
  cli *c;
  hc_result *r;
  cli_records tasks;
  cli_attempts attempts;
  hc_result_facts facts;
  cli_chart_span span;
  bool is_ascii;
  double held[COLUMNS_MOST], waiting[COLUMNS_MOST], running[COLUMNS_MOST];
} charting;

/* ---- how wide, and of which characters ---- */

static hc_rc read_width(cli *c, size_t *out)
{
  struct winsize w;
  int64_t columns = 80;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
    columns = w.ws_col < COLUMNS_LEAST ? COLUMNS_LEAST : w.ws_col > COLUMNS_MOST ? COLUMNS_MOST : w.ws_col;
  CLI_TRY(cli_int(c, "columns", COLUMNS_LEAST, COLUMNS_MOST, &columns));
  *out = (size_t)columns;
  return 0;
}

/* A terminal whose locale is another than UTF-8 gets ASCII; a file, Unicode unless --ascii says otherwise. */
static bool wants_ascii(const cli *c)
{
  const char *term = getenv("TERM");
  if (cli_has(c, "ascii")) return true;
  if (!isatty(STDOUT_FILENO)) return false;
  return (term && strcmp(term, "dumb") == 0) || !cli_screen_is_utf8();
}

/* ---- counting ---- */

hc_time cli_chart_between(hc_time from, hc_time to)
{
  const uint64_t n = (uint64_t)to - (uint64_t)from;
  return from == HC_UNKNOWN || to <= from ? 0 : n > HC_NEVER ? HC_NEVER : (hc_time)n;
}

void cli_chart_add(const cli_chart_span *s, double *series, hc_time start, hc_time end, double amount)
{
  const double length = (double)cli_chart_between(s->from, s->to), n = (double)s->pieces;
  const double a = ((double)start - (double)s->from) / length * n,
               b = ((double)end - (double)s->from) / length * n;
  for (size_t i = a > 0 ? (size_t)a : 0; i < s->pieces && (double)i < b; i++) {
    const double low = a > (double)i ? a : (double)i, high = b < (double)i + 1 ? b : (double)i + 1;
    if (high > low) series[i] += (high - low) * amount;
  }
}

static hc_time end_of(const charting *x, const hc_task_record *t)
{
  return t->end == HC_UNKNOWN ? x->span.to : t->end;
}

/* Up to where the run went that left tasks behind. */
static void reach_end(charting *x)
{
  char text[40];
  hc_time end;
  if (cli_result_info(x->c, x->r, "run_info", "simulated_s", text, sizeof text) &&
      hc_parse_seconds(text, strlen(text), &end) == 0 && end > x->span.to)
    x->span.to = end;
}

static void find_span(charting *x)
{
  bool has_left = false;
  x->span.from = x->span.to = HC_UNKNOWN;
  for (size_t i = 0; i < x->tasks.count; i++) {
    const hc_task_record *t = &x->tasks.items[i];
    const hc_time last = t->end != HC_UNKNOWN ? t->end : t->start != HC_UNKNOWN ? t->start : t->submit;
    if (t->submit == HC_UNKNOWN) continue;
    if (x->span.from == HC_UNKNOWN || t->submit < x->span.from) x->span.from = t->submit;
    if (x->span.to == HC_UNKNOWN || last > x->span.to) x->span.to = last;
    has_left |= t->end == HC_UNKNOWN;
  }
  if (has_left) reach_end(x);
}

static void count_held(void *ctx, hc_time from, hc_time to, int64_t units)
{
  charting *x = ctx;
  if (x->facts.capacity > 0)
    cli_chart_add(&x->span, x->held, from, to, (double)units / (double)x->facts.capacity);
}

static void count_attempt(charting *x, const hc_task_record *t, hc_time start, hc_time end)
{
  const cli_attempt attempt = {t->serial, start, end};
  cli_chart_add(&x->span, x->running, start, end, 1);
  cli_attempt_pieces(&x->attempts, &attempt, t->units, count_held, x);
}

/* It waits from its submission to its first attempt, and from each attempt to the next. */
static void count_all(charting *x)
{
  for (size_t i = 0; i < x->tasks.count; i++) {
    const hc_task_record *t = &x->tasks.items[i];
    const cli_attempt *before;
    const size_t n = cli_attempts_of(&x->attempts, t->serial, &before);
    hc_time since = t->submit;
    if (t->submit == HC_UNKNOWN) continue;
    for (size_t k = 0; k < n; k++) {
      if (before[k].start == t->start) continue; /* the last one, that the row has */
      cli_chart_add(&x->span, x->waiting, since, before[k].start, 1);
      count_attempt(x, t, before[k].start, before[k].end);
      since = before[k].end;
    }
    cli_chart_add(&x->span, x->waiting, since, t->start != HC_UNKNOWN ? t->start : end_of(x, t), 1);
    if (t->start != HC_UNKNOWN) count_attempt(x, t, t->start, end_of(x, t));
  }
}

/* ---- lines over time ---- */

/* A number in few columns, so that the line behind a chart keeps its width: 4 columns from 0.1 to 1000, and 5
 * at most elsewhere ("12.3k", "0.012"). @param out [16] */
static const char *brief(double x, char *out)
{
  static const char units[] = " kMGTPE";
  size_t unit = 0;
  while (x >= 999.5 && unit + 2 < sizeof units) {
    x /= 1000;
    unit++;
  }
  if (x > 0 && x < 0.01) (void)snprintf(out, 16, "<0.01");
  else if (unit == 0) (void)snprintf(out, 16, x < 1 ? "%.2g" : "%.3g", x);
  else (void)snprintf(out, 16, "%.3g%c", x, units[unit]);
  return out;
}

static void put_label(charting *x, const char *label)
{
  hc_buffer_printf(&x->c->out, "  %-*s", LABEL - 2, label);
}

/* @param most  what fills a character; 0: the greatest of them */
static void put_line(charting *x, const char *label, const double *series, double most, const char *unit)
{
  const char *const *levels = x->is_ascii ? plain_levels : fine_levels;
  double greatest = 0, sum = 0;
  for (size_t i = 0; i < x->span.pieces; i++) {
    sum += series[i];
    if (series[i] > greatest) greatest = series[i];
  }
  const double full = most > 0 ? most : greatest;
  put_label(x, label);
  for (size_t i = 0; i < x->span.pieces; i++) {
    const double share = full > 0 ? series[i] / full : 0;
    const int level = share <= 0 ? 0 : share >= 1 ? 8 : 1 + (int)(share * 8);
    hc_buffer_text(&x->c->out, levels[level > 8 ? 8 : level]);
  }
  const double scale = strcmp(unit, " %") == 0 ? 100 : 1, mean = sum / (double)x->span.pieces;
  char mean_text[16], most_text[16];
  hc_buffer_printf(&x->c->out, " mean %s%s, max %s%s\n", brief(mean * scale, mean_text), unit,
                   brief(greatest * scale, most_text), unit);
}

typedef hc_rc (*counting)(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has);

/* Of a result that has it. */
static hc_rc put_if_any(charting *x, const char *label, counting count)
{
  double series[COLUMNS_MOST] = {0};
  bool has = false;
  CLI_TRY(count(x->c, x->r, &x->span, series, &has));
  if (has) put_line(x, label, series, 0, "");
  return 0;
}

static void put_axis(charting *x)
{
  char span[40];
  span[hc_format_duration(cli_chart_between(x->span.from, x->span.to), span)] = '\0';
  put_label(x, "");
  hc_buffer_printf(&x->c->out, "0%*s\n\n", (int)x->span.pieces - 1, span);
}

/* ---- tasks ---- */

static double area(const hc_task_record *t)
{
  return t->start == HC_UNKNOWN || t->end == HC_UNKNOWN
             ? -1
             : (double)cli_chart_between(t->start, t->end) * (double)t->units;
}

static int by_area(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  if (area(x) != area(y)) return area(x) > area(y) ? -1 : 1;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

static int by_start(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return (x->serial > y->serial) - (x->serial < y->serial);
}

/* Where a time lies among the pieces. @param is_end  what ends as a piece begins is of the one before */
static size_t piece_of(const charting *x, hc_time t, bool is_end)
{
  const cli_chart_span *s = &x->span;
  const double length = (double)cli_chart_between(s->from, s->to),
               at = ((double)t - (double)s->from) / length * (double)s->pieces;
  size_t i = at < 0 ? 0 : at >= (double)s->pieces ? s->pieces : (size_t)at;
  if (i > 0 && (i == s->pieces || (is_end && (double)i >= at))) i--;
  return i;
}

static void put_task(charting *x, const hc_task_record *t)
{
  const char *wait = x->is_ascii ? "." : "░", *run = x->is_ascii ? "#" : "█", *name;
  const size_t submit = piece_of(x, t->submit, false), start = piece_of(x, t->start, false),
               end = piece_of(x, t->end, true);
  char label[LABEL], number[24], waited[64];
  name = hc_result_task_name(x->r, t->serial);
  (void)snprintf(number, sizeof number, "%lld", (long long)(t->id >= 0 ? t->id : t->serial));
  (void)snprintf(label, sizeof label, "%.10s", name ? name : number);
  for (char *p = label; *p; p++) /* cut anywhere, a name keeps its width as bytes of ASCII alone */
    if ((unsigned char)*p < ' ' || (unsigned char)*p > '~') *p = '?';
  put_label(x, label);
  for (size_t i = 0; i < x->span.pieces; i++)
    hc_buffer_text(&x->c->out, i >= start && i <= (end < start ? start : end) ? run
                               : i >= submit && i < start                     ? wait
                                                                              : " ");
  waited[hc_format_duration(cli_chart_between(t->submit, t->start), waited)] = '\0';
  hc_buffer_printf(&x->c->out, " wait %s\n", waited);
}

/* Sorts the rows: what needs them by serial comes before it. */
static void put_tasks(charting *x)
{
  size_t n = 0;
  qsort(x->tasks.items, x->tasks.count, sizeof *x->tasks.items, by_area);
  while (n < x->tasks.count && n < SHOWN_TASKS && area(&x->tasks.items[n]) > 0) n++;
  if (n == 0) return;
  hc_buffer_printf(&x->c->out, "  the %zu tasks that took most, by start (%s waits, %s runs)\n", n,
                   x->is_ascii ? "." : "░", x->is_ascii ? "#" : "█");
  qsort(x->tasks.items, n, sizeof *x->tasks.items, by_start);
  for (size_t i = 0; i < n; i++) put_task(x, &x->tasks.items[i]);
  put_axis(x);
}

/* ---- waits by size ---- */

/* Sizes 1, 2, 3 to 4, 5 to 8 ...: the class is how often 1 is doubled until it is enough. */
static size_t class_of(const charting *x, int64_t units)
{
  const int64_t core = x->facts.core_units > 0 ? x->facts.core_units : 1;
  const int64_t size = units <= core ? 1 : units / core + (units % core > 0);
  size_t k = 0;
  while (k + 1 < SIZES - 1 && ((int64_t)1 << k) < size) k++;
  return k;
}

static void put_bar(charting *x, double share)
{
  const int eighths = (int)(share * (double)(x->span.pieces * 8) + 0.5);
  for (int i = 0; i < eighths / 8; i++) hc_buffer_text(&x->c->out, x->is_ascii ? "#" : "█");
  if (!x->is_ascii) hc_buffer_text(&x->c->out, fine_ends[eighths % 8]);
  const int used = eighths / 8 + (!x->is_ascii && eighths % 8 > 0);
  hc_buffer_printf(&x->c->out, "%*s", (int)x->span.pieces - used, "");
}

static void put_waits(charting *x)
{
  size_class sizes[SIZES] = {{0, 0}};
  double most = 0;
  for (size_t i = 0; i < x->tasks.count; i++) {
    const hc_task_record *t = &x->tasks.items[i];
    if (t->start == HC_UNKNOWN) continue;
    size_class *s = &sizes[class_of(x, t->units)];
    s->wait += (double)cli_chart_between(t->submit, t->start) / HC_SECOND;
    s->tasks++;
  }
  for (size_t k = 0; k < SIZES; k++) {
    const double mean = sizes[k].tasks > 0 ? sizes[k].wait / (double)sizes[k].tasks : 0;
    if (mean > most) most = mean;
  }
  hc_buffer_printf(&x->c->out, "  mean wait by %s of a task\n", x->facts.core_units > 0 ? "cores" : "units");
  for (size_t k = 0; k < SIZES; k++) {
    char label[48], text[40], count[40], low_text[16], high_text[16];
    if (sizes[k].tasks == 0) continue;
    const double mean = sizes[k].wait / (double)sizes[k].tasks;
    const long long low = k < 1 ? 1 : ((long long)1 << (k - 1)) + 1, high = (long long)1 << k;
    if (low == high) (void)snprintf(label, sizeof label, "%lld", high);
    else if (high < BRIEF) (void)snprintf(label, sizeof label, "%lld-%lld", low, high);
    else
      (void)snprintf(label, sizeof label, "%s-%s", brief((double)low, low_text),
                     brief((double)high, high_text));
    put_label(x, label);
    put_bar(x, most > 0 ? mean / most : 0);
    text[hc_format_duration((hc_time)(mean < 9e9 ? mean + 0.5 : 9e9) * HC_SECOND, text)] = '\0';
    if (sizes[k].tasks < BRIEF) count[hc_format_count((int64_t)sizes[k].tasks, count)] = '\0';
    else (void)brief((double)sizes[k].tasks, count);
    hc_buffer_printf(&x->c->out, " %s (%s)\n", text, count);
  }
}

/* ---- the whole ---- */

static hc_rc draw(charting *x)
{
  size_t width;
  const char *world = hc_result_config(x->r, "world");
  if (world && world[0])
    return hc_fail(&x->c->error, HC_EUSAGE, hc_result_path(x->r), 0, 0,
                   "it is of the world %s, whose rows say of no machine what was free and what was held; "
                   "`hindcast show` without --chart has its figures",
                   world);
  CLI_TRY(read_width(x->c, &width));
  CLI_TRY(cli_records_load(x->c, x->r, &x->tasks));
  CLI_TRY(cli_attempts_read(x->c, x->r, &x->attempts));
  x->span.pieces = width - LABEL - NOTE;
  x->is_ascii = wants_ascii(x->c);
  hc_result_facts_of(x->r, &x->facts);
  find_span(x);
  if (x->tasks.count == 0 || x->span.to <= x->span.from)
    return hc_fail(
        &x->c->error, HC_EUSAGE, hc_result_path(x->r), 0, 0,
        "nothing in it lasts, so there is nothing to draw; `hindcast show` without --chart says what "
        "there is");
  count_all(x);
  if (x->attempts.are_unknown)
    hc_buffer_text(&x->c->out,
                   "  utilisation is not drawn: tasks changed what they ask for while they ran, and their "
                   "rows say it of the end alone\n");
  else if (x->facts.capacity > 0) put_line(x, "utilisation", x->held, 1, " %");
  else
    hc_buffer_text(&x->c->out,
                   "  utilisation is not drawn: the result does not say how many cores there were\n");
  put_line(x, "waiting", x->waiting, 0, "");
  put_line(x, "running", x->running, 0, "");
  CLI_TRY(put_if_any(x, "hosts away", cli_chart_away));
  CLI_TRY(put_if_any(x, "hosts off", cli_chart_off));
  CLI_TRY(put_if_any(x, "power (W)", cli_chart_power));
  put_axis(x);
  put_tasks(x);
  put_waits(x);
  return x->c->out.failed ? cli_fail(x->c, HC_ENOMEM, "out of memory") : 0;
}

hc_rc cli_show_chart(cli *c, hc_result *r)
{
  charting *x = calloc(1, sizeof *x);
  if (!x) return cli_fail(c, HC_ENOMEM, "out of memory");
  x->c = c;
  x->r = r;
  const hc_rc rc = draw(x);
  cli_attempts_fini(&x->attempts);
  cli_records_fini(c, &x->tasks);
  free(x);
  return rc;
}
