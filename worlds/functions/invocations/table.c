/* table.c -- invocations from a table, a row each, in any order.
 *
 * Columns are known by their titles: application (or app), arrival and duration, both in seconds. Functions
 * of one application share its containers, so that no more need be known of them. */
#include "base/table.h"
#include "base/util.h"
#include "functions/functions.h"

typedef struct options {
  const char *file;
} options;

typedef struct columns {
  size_t application, arrival, duration;
} columns;

static hc_rc find_columns(const hc_table *t, columns *c, hc_error *e)
{
  const size_t application = hc_table_column(t, "application");
  *c = (columns){.application = application ? application : hc_table_column(t, "app"),
                 .arrival = hc_table_column(t, "arrival"),
                 .duration = hc_table_column(t, "duration")};
  if (c->application && c->arrival && c->duration) return 0;
  return hc_table_fail(t, 0, e, "the first row should name the columns application, arrival and duration");
}

static hc_rc time_at(const hc_table *t, size_t column, hc_time *out, hc_error *e)
{
  double x;
  if (!hc_table_real(t, column, &x) || !(x >= 0 && x <= HC_FN_LONGEST))
    return hc_table_fail(t, column, e, "expected seconds from 0 to 1e9, got \"%.80s\"",
                         hc_table_text(t, column));
  *out = (hc_time)(x * 1e9 + 0.5);
  return 0;
}

static hc_rc read_row(const hc_table *t, const columns *c, const hc_invocations_context *x, hc_error *e)
{
  hc_time arrival = 0, duration = 0;
  uint32_t application;
  hc_rc rc;
  TRY(time_at(t, c->arrival, &arrival, e));
  TRY(time_at(t, c->duration, &duration, e));
  rc = x->application(x->ctx, hc_table_text(t, c->application), hc_table_size(t, c->application),
                      &application);
  if (rc == 0)
    return hc_table_fail(
        t, c->application, e,
        "no application is called \"%.80s\": add it to `applications`, or one of the name \"*\", "
        "which is for all that are not named",
        hc_table_text(t, c->application));
  TRY(rc);
  return x->invoke(x->ctx, application, arrival, duration);
}

static hc_rc read_table(hc_table *t, const hc_invocations_context *x, hc_error *e)
{
  columns c;
  hc_rc rc = hc_table_next(t, e);
  if (rc == 0)
    return hc_fail(e, HC_EINPUT, t->name, 0, 0,
                   "the file is empty; a table of invocations begins with titles");
  TRY(rc);
  TRY(hc_table_keep_titles(t));
  TRY(find_columns(t, &c, e));
  while ((rc = hc_table_next(t, e)) > 0) TRY(read_row(t, &c, x, e));
  return rc;
}

static hc_rc make(const hc_invocations_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  hc_table t;
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, "invocations table", 0, 0,
                   "which file? write {use: table, file: calls.csv}");
  rc = hc_table_open(&t, c->allocator, o->file, e);
  if (rc >= 0) rc = read_table(&t, c, e);
  hc_table_close(&t);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL,
             "The table, plain or packed: titles, then a row for each invocation. Required."),
    {0}};

const hc_invocations_type hc_invocations_table = {
    .component = {HC_COMPONENT_HEAD(hc_invocations_type, HC_KIND_INVOCATIONS), .name = "table",
                  .summary = "invocations from a table, a row for each",
                  .detail = "Columns are found by their titles: application (or app), arrival and duration, "
                            "in seconds, rounded to nanoseconds. Rows may be in any order; of equal arrivals "
                            "the earlier row comes first.",
                  .params = params, .options_size = sizeof(options)},
    .make = make};
