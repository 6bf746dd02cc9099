/* when_calibrate.c -- `hindcast when --calibrate`: how far such predictions held in the past.
 *
 * At moments of the record in which jobs waited the queue is made as it was then, and its starts are
 * predicted from what had ended before. They are known: a quantile of 90 % should have 90 % of them before
 * it. */
#include <stdlib.h>
#include <string.h>

#include "cli/when.h"

#define LEAST_INSIDE 0.6 /* share of real starts from 10 to 90 %, below which the calibration warns */
#define MONTH (30 * 86400 * HC_SECOND)

static const double shares[] = {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95};

typedef struct score {
  uint64_t jobs, moments, waiting;
  uint64_t before[CLI_LEN(shares)]; /* real starts that are not later than the quantile */
  uint64_t inside;                  /* from the 10 to the 90 % one */
  double *errors;                   /* [jobs] of medians, s */
  double *widths;                   /* [jobs] from 10 to 90 %, s */
  double *waits;                    /* [jobs] from the moment on, s */
  size_t cap;
} score;

static hc_rc make_room(cli *c, score *s)
{
  if (s->jobs < s->cap) return 0;
  s->cap = s->cap ? 2 * s->cap : 1024;
  double *errors = realloc(s->errors, s->cap * sizeof *errors);
  if (errors) s->errors = errors;
  double *widths = realloc(s->widths, s->cap * sizeof *widths);
  if (widths) s->widths = widths;
  double *waits = realloc(s->waits, s->cap * sizeof *waits);
  if (waits) s->waits = waits;
  return errors && widths && waits ? 0 : cli_fail(c, HC_ENOMEM, "out of memory for the calibration");
}

static double seconds(hc_time from, hc_time to)
{
  return to == HC_NEVER ? __builtin_inf() : (double)(to - from) / 1e9;
}

static hc_rc count_moment(const cli_when *w, const cli_moment *m, score *s)
{
  for (size_t i = 0; i < m->count; i++) {
    const cli_queued *q = &m->jobs[i];
    hc_time at[CLI_LEN(shares)];
    if (!q->waits || q->real == HC_UNKNOWN) continue;
    CLI_TRY(make_room(w->c, s));
    for (size_t k = 0; k < CLI_LEN(shares); k++) {
      at[k] = cli_moment_quantile(m, i, shares[k]);
      s->before[k] += q->real <= at[k];
    }
    s->inside += q->real >= at[1] && q->real <= at[5];
    const double error = seconds(q->real, at[3]);
    s->errors[s->jobs] = error < 0 ? -error : error;
    s->widths[s->jobs] = at[5] == HC_NEVER ? __builtin_inf() : seconds(at[1], at[5]);
    s->waits[s->jobs++] = seconds(m->now, q->real);
  }
  s->moments++;
  s->waiting += m->waiting;
  return 0;
}

static hc_rc try_moment(cli_when *w, hc_time at, score *s)
{
  cli_moment m = {.c = w->c};
  hc_rc rc = cli_moment_open(w->c, w->log, &w->history, at, w->draws, (uint64_t)w->seed, &m);
  if (rc >= 0) rc = cli_when_draw(w, &m, false);
  if (rc >= 0) rc = count_moment(w, &m, s);
  cli_moment_close(&m);
  return rc;
}

static void add_middle(cli_table *t, const char *name, double *values, size_t n, double share)
{
  char human[80], plain[40];
  qsort(values, n, sizeof *values, cli_by_real);
  const double x = values[cli_rank(n, share)];
  cli_add_text(t, name);
  if (x > 1e12) {
    cli_add_pair(t, NULL, "not seen", false);
    return;
  }
  plain[hc_format_real(x, plain)] = '\0';
  human[hc_format_duration((hc_time)(x + 0.5) * HC_SECOND, human)] = '\0';
  cli_add_pair(t, plain, human, false);
}

static const cli_column share_columns[] = {{.name = "quantile", .right = true},
                                           {.name = "share", .title = "real starts by then", .right = true}};
static const cli_column fact_columns[] = {{.name = "what"}, {.name = "seconds", .title = "", .right = true}};

static void add_percent(cli_table *t, double x, int decimals)
{
  char plain[40], human[40];
  plain[hc_format_real(x, plain)] = '\0';
  (void)snprintf(human, sizeof human, "%.*f %%", decimals, 100 * x);
  cli_add_pair(t, plain, human, false);
}

static void say_score(cli_when *w, score *s)
{
  cli *c = w->c;
  const size_t n = (size_t)s->jobs;
  hc_json_writer j = {.out = &c->out};
  cli_table t, facts;
  cli_table_init(&t, c->allocator, share_columns, CLI_LEN(share_columns));
  cli_table_init(&facts, c->allocator, fact_columns, CLI_LEN(fact_columns));
  for (size_t k = 0; k < CLI_LEN(shares); k++) {
    add_percent(&t, shares[k], 0);
    add_percent(&t, (double)s->before[k] / (double)n, 1);
  }
  add_middle(&facts, "median wait from the moment on", s->waits, n, 0.5);
  add_middle(&facts, "median error of the predicted median", s->errors, n, 0.5);
  add_middle(&facts, "90 % of these errors are below", s->errors, n, 0.9);
  add_middle(&facts, "median width from 10 to 90 %", s->widths, n, 0.5);
  const double inside = (double)s->inside / (double)n;
  c->out.failed |= t.failed || facts.failed;
  if (c->format == CLI_CSV) {
    cli_table_csv(&t, &c->out);
  } else if (c->format == CLI_JSON) {
    hc_json_enter(&j, NULL, '{');
    hc_json_put_int(&j, "moments", (int64_t)s->moments);
    hc_json_put_int(&j, "jobs", (int64_t)s->jobs);
    hc_json_put_real(&j, "inside", inside);
    cli_table_member(&t, &j, "quantiles");
    cli_table_member(&facts, &j, "facts");
    hc_json_leave(&j, '}');
  } else {
    hc_buffer_printf(&c->out, "Calibration: %llu predictions at %llu moments of the past, %zu draws each\n",
                     (unsigned long long)s->jobs, (unsigned long long)s->moments, w->draws);
    cli_table_text(&t, &c->out, 2, true);
    cli_table_text(&facts, &c->out, 2, false);
    hc_buffer_printf(
        &c->out, "  between 10 and 90 %%: %.1f %% of the real starts, of 80 %% if predictions were right\n",
        100 * inside);
    if (inside < LEAST_INSIDE)
      hc_buffer_text(
          &c->out,
          "WARNING: these intervals are not to be relied on: less than 60 % of the real starts are inside\n");
  }
  cli_table_fini(&t);
  cli_table_fini(&facts);
}

/* Moments of the last month in which jobs waited, or of the last three quarters of a shorter log. */
hc_rc cli_when_calibrate(cli_when *w, const cli_waited *x, size_t moments)
{
  const hc_time quarter = x->first + (x->last - x->first) / 4, month = x->last - MONTH;
  const hc_time from = month > quarter ? month : quarter;
  size_t first = 0;
  score s = {0};
  hc_rc rc = 0;
  while (first < x->count && x->at[first] < from) first++;
  const size_t n = x->count - first;
  if (n == 0)
    return cli_fail(w->c, HC_EUSAGE,
                    "no job of the history's last 30 days waited longer than a minute: there is nothing "
                    "to predict");
  if (moments > n) moments = n;
  for (size_t i = 0; rc >= 0 && i < moments; i++)
    rc = try_moment(w, x->at[first + (2 * i + 1) * n / (2 * moments)], &s);
  if (rc >= 0 && s.jobs == 0)
    rc = cli_fail(w->c, HC_EUSAGE, "no start of a job that waited then is recorded");
  if (rc >= 0) say_score(w, &s);
  free(s.errors);
  free(s.widths);
  free(s.waits);
  return rc;
}
