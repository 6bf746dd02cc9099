/* attempts.c -- see attempts.h. */
#include "cli/attempts.h"

#include <stdlib.h>
#include <string.h>

#define FOR_GOOD 1 /* how an attempt was stopped: the task ended there, and its row has the attempt */

/* ---- reading ---- */

static hc_rc number(cli_attempts *a, const char *table, const char *text, int64_t *out)
{
  if (text && hc_parse_int(text, strlen(text), out) == 0) return 0;
  return hc_fail(&a->c->error, HC_EINPUT, hc_result_path(a->r), 0, 0,
                 "the file is damaged: a value of the table %s is no number; run it again", table);
}

static hc_rc add_attempt(cli_attempts *a, const char *table, const char *const *v)
{
  cli_attempt one;
  CLI_TRY(number(a, table, v[0], &one.serial));
  CLI_TRY(number(a, table, v[2], &one.start));
  CLI_TRY(number(a, table, v[3], &one.end));
  if (a->count == a->cap) {
    const size_t cap = a->cap ? 2 * a->cap : 64;
    cli_attempt *items = realloc(a->items, cap * sizeof *items);
    if (!items) return cli_fail(a->c, HC_ENOMEM, "out of memory");
    a->items = items;
    a->cap = cap;
  }
  a->items[a->count++] = one;
  return 0;
}

static hc_rc hear_stop(void *ctx, const char *const *v)
{
  cli_attempts *a = ctx;
  int64_t how;
  CLI_TRY(number(a, "stops", v[4], &how));
  return how == FOR_GOOD ? 0 : add_attempt(a, "stops", v);
}

static hc_rc hear_lost(void *ctx, const char *const *v)
{
  return add_attempt(ctx, "attempts", v);
}

static hc_rc add_change(cli_attempts *a, cli_holding one)
{
  if (a->change_count == a->change_cap) {
    const size_t cap = a->change_cap ? 2 * a->change_cap : 64;
    cli_holding *changes = realloc(a->changes, cap * sizeof *changes);
    if (!changes) return cli_fail(a->c, HC_ENOMEM, "out of memory");
    a->changes = changes;
    a->change_cap = cap;
  }
  one.place = a->change_count;
  a->changes[a->change_count++] = one;
  return 0;
}

static hc_rc hear_rate(void *ctx, const char *const *v)
{
  cli_attempts *a = ctx;
  cli_holding one = {.units = -1};
  int64_t holds;
  CLI_TRY(number(a, "rates", v[0], &one.serial));
  CLI_TRY(number(a, "rates", v[1], &one.at));
  CLI_TRY(number(a, "rates", v[3], &holds));
  one.holds = holds != 0;
  return add_change(a, one);
}

static hc_rc hear_regrant(void *ctx, const char *const *v)
{
  cli_attempts *a = ctx;
  cli_holding one = {.holds = -1};
  CLI_TRY(number(a, "regrants", v[0], &one.serial));
  CLI_TRY(number(a, "regrants", v[1], &one.at));
  CLI_TRY(number(a, "regrants", v[3], &one.units));
  return add_change(a, one);
}

static hc_rc hear_resize(void *ctx, const char *const *v)
{
  (void)v;
  ((cli_attempts *)ctx)->are_unknown = true;
  return 0;
}

static int by_start(const void *one, const void *other)
{
  const cli_attempt *x = one, *y = other;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

static int by_time(const void *one, const void *other)
{
  const cli_holding *x = one, *y = other;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

hc_rc cli_attempts_read(cli *c, hc_result *r, cli_attempts *out)
{
  *out = (cli_attempts){.c = c, .r = r};
  hc_error *e = &c->error;
  CLI_TRY(hc_result_rows(r, "stops", 7, hear_stop, out, e));
  CLI_TRY(hc_result_rows(r, "attempts", 4, hear_lost, out, e));
  CLI_TRY(hc_result_rows(r, "rates", 4, hear_rate, out, e));
  CLI_TRY(hc_result_rows(r, "regrants", 6 + hc_result_amounts(r), hear_regrant, out, e));
  CLI_TRY(hc_result_rows(r, "resizes", 3 + hc_result_amounts(r), hear_resize, out, e));
  if (out->count > 1) qsort(out->items, out->count, sizeof *out->items, by_start);
  if (out->change_count > 1) qsort(out->changes, out->change_count, sizeof *out->changes, by_time);
  return 0;
}

void cli_attempts_fini(cli_attempts *a)
{
  free(a->items);
  free(a->changes);
}

/* ---- asking ---- */

size_t cli_attempts_of(const cli_attempts *a, int64_t serial, const cli_attempt **out)
{
  size_t low = 0, high = a->count, n = 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (a->items[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  while (low + n < a->count && a->items[low + n].serial == serial) n++;
  *out = n > 0 ? a->items + low : NULL;
  return n;
}

void cli_attempt_pieces(const cli_attempts *a, const cli_attempt *of, int64_t units,
                        void (*each)(void *ctx, hc_time from, hc_time to, int64_t units), void *ctx)
{
  size_t low = 0, high = a->change_count;
  hc_time from = of->start;
  bool holds = true;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const cli_holding *x = &a->changes[middle];
    if (x->serial < of->serial || (x->serial == of->serial && x->at < of->start)) low = middle + 1;
    else high = middle;
  }
  for (; low < a->change_count; low++) {
    const cli_holding *x = &a->changes[low];
    if (x->serial != of->serial || x->at >= of->end) break;
    if (holds && x->at > from) each(ctx, from, x->at, units);
    from = x->at;
    if (x->units >= 0) units = x->units;
    if (x->holds >= 0) holds = x->holds > 0;
  }
  if (holds && of->end > from) each(ctx, from, of->end, units);
}
