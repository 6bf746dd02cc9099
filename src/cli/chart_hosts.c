/* chart_hosts.c -- hosts that were away or switched off, and what all of them drew: see chart_span.h. */
#include <stdlib.h>
#include <string.h>

#include "cli/chart_span.h"

/* ---- hosts that are out of use ---- */

typedef struct absence {
  cli *c;
  hc_result *r;
  const cli_chart_span *span;
  double *series;
  hc_time *since; /* [hosts] since when it is out of use; HC_UNKNOWN: it is in use */
  size_t hosts;
  bool has;
} absence;

static hc_rc count_host(void *ctx, const char *const *values)
{
  (void)values;
  ((absence *)ctx)->hosts++;
  return 0;
}

/* A host is out of use from then on, or in use again. */
static hc_rc change(absence *x, const char *const *v, bool is_out)
{
  int64_t at, host;
  if (!v[0] || !v[1] || hc_parse_int(v[0], strlen(v[0]), &at) < 0 ||
      hc_parse_int(v[1], strlen(v[1]), &host) < 0 || host < 0 || (uint64_t)host >= x->hosts)
    return cli_fail(x->c, HC_EINPUT, "%s is damaged: a change of a host that it has not",
                    hc_result_path(x->r));
  hc_time *since = &x->since[host];
  if (is_out && *since == HC_UNKNOWN) *since = at;
  if (!is_out && *since != HC_UNKNOWN) {
    cli_chart_add(x->span, x->series, *since, at, 1);
    *since = HC_UNKNOWN;
  }
  x->has |= is_out;
  return 0;
}

static bool is_number(const char *text, int64_t number)
{
  int64_t n;
  return text && hc_parse_int(text, strlen(text), &n) >= 0 && n == number;
}

static hc_rc hear_change(void *ctx, const char *const *v)
{
  const bool leaves = is_number(v[2], HC_HOST_DOWN), comes = is_number(v[2], HC_HOST_UP);
  return leaves || comes ? change(ctx, v, leaves) : 0;
}

static hc_rc hear_power(void *ctx, const char *const *v)
{
  int64_t code = HC_POWER_ON;
  if (v[2]) (void)hc_parse_int(v[2], strlen(v[2]), &code);
  return change(ctx, v, hc_power_of_code((uint32_t)code) != HC_POWER_ON);
}

/* A result without such a table has nothing to say. */
static hc_rc rows_if_any(absence *x, const char *table, size_t columns,
                         hc_rc (*each)(void *ctx, const char *const *values))
{
  const hc_error kept = x->c->error;
  const hc_rc rc = hc_result_rows(x->r, table, columns, each, x, &x->c->error);
  if (rc != HC_EUSAGE) return rc;
  x->c->error = kept;
  return 0;
}

static hc_rc follow(absence *x, const char *table, size_t columns,
                    hc_rc (*each)(void *ctx, const char *const *values))
{
  CLI_TRY(rows_if_any(x, "hosts", 4 + hc_result_amounts(x->r), count_host));
  if (x->hosts == 0) return 0;
  x->since = malloc(x->hosts * sizeof *x->since);
  if (!x->since) return cli_fail(x->c, HC_ENOMEM, "out of memory");
  for (size_t i = 0; i < x->hosts; i++) x->since[i] = HC_UNKNOWN;
  CLI_TRY(rows_if_any(x, table, columns, each));
  for (size_t i = 0; i < x->hosts; i++)
    if (x->since[i] != HC_UNKNOWN) cli_chart_add(x->span, x->series, x->since[i], x->span->to, 1);
  return 0;
}

/* One that plans switch off leaves, too, and is taken out again. */
hc_rc cli_chart_away(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has)
{
  absence x = {.c = c, .r = r, .span = s, .series = series};
  double *off = calloc(s->pieces, sizeof *off);
  bool has_off;
  hc_rc rc = off ? follow(&x, "host_changes", 3 + hc_result_amounts(r), hear_change)
                 : cli_fail(c, HC_ENOMEM, "out of memory");
  free(x.since);
  if (rc >= 0) rc = cli_chart_off(c, r, s, off, &has_off);
  *has = false;
  for (size_t i = 0; rc >= 0 && i < s->pieces; i++) {
    series[i] = series[i] - off[i] > 1e-9 ? series[i] - off[i] : 0;
    *has |= series[i] > 0;
  }
  free(off);
  return rc;
}

hc_rc cli_chart_off(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has)
{
  absence x = {.c = c, .r = r, .span = s, .series = series};
  const hc_rc rc = follow(&x, "power", 3, hear_power);
  free(x.since);
  *has = x.has;
  return rc;
}

/* ---- power ---- */

/* Cells of a row follow each other, `until` first and the sum of all states last. */
typedef struct drawn {
  const cli_chart_span *span;
  double *series;
  hc_time from, until;
  bool has;
} drawn;

static hc_rc hear_cell(void *ctx, const char *const *v)
{
  drawn *x = ctx;
  hc_time at;
  double value;
  if (!v[0] || !v[1] || !v[2] || !v[3] || !v[5] || strcmp(v[0], "all") != 0 || strcmp(v[1], "power") != 0)
    return 0;
  if (strcmp(v[3], "until") == 0) {
    if (hc_parse_seconds(v[2], strlen(v[2]), &at) == 0) x->from = at;
    if (hc_parse_seconds(v[5], strlen(v[5]), &at) == 0) x->until = at;
  } else if (strcmp(v[3], "all") == 0 && hc_parse_real(v[5], strlen(v[5]), &value) >= 0) {
    cli_chart_add(x->span, x->series, x->from, x->until, value);
    x->has = true;
  }
  return 0;
}

hc_rc cli_chart_power(cli *c, hc_result *r, const cli_chart_span *s, double *series, bool *has)
{
  drawn x = {.span = s, .series = series};
  const hc_rc rc = hc_result_rows(r, "cells", 6, hear_cell, &x, &c->error);
  *has = x.has;
  return rc;
}
