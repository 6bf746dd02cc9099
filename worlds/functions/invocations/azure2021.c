/* azure2021.c -- the Azure Functions invocation trace of 2021: a row for each of two million invocations.
 *
 * Columns app, func, end_timestamp, duration, in seconds from the start of the trace. An invocation is taken
 * to have arrived when it began, end_timestamp - duration; its cold start, if it had one, is not in the
 * trace. The trace says nothing of memory: `applications` does. Source:
 * github.com/Azure/AzurePublicDataset, AzureFunctionsInvocationTrace2021.md; Zhang et al., SOSP 2021,
 * doi:10.1145/3477132.3483580. */
#include "base/table.h"
#include "base/util.h"
#include "functions/functions.h"

typedef struct options {
  const char *file;
  hc_time from, until, least;
} options;

typedef struct columns {
  size_t application, end, duration;
} columns;

static hc_rc seconds_at(const hc_table *t, size_t column, double *out, hc_error *e)
{
  if (hc_table_real(t, column, out) && *out >= 0 && *out <= HC_FN_LONGEST) return 0;
  return hc_table_fail(t, column, e, "expected seconds from 0 to 1e9, got \"%.80s\"",
                       hc_table_text(t, column));
}

static hc_rc read_row(const hc_table *t, const columns *c, const options *o, const hc_invocations_context *x,
                      hc_error *e)
{
  double end, duration;
  hc_time start, length;
  uint32_t application;
  hc_rc rc;
  TRY(seconds_at(t, c->end, &end, e));
  TRY(seconds_at(t, c->duration, &duration, e));
  length = (hc_time)(duration * 1e9 + 0.5);
  start = (hc_time)(end * 1e9 + 0.5) - length;
  start = HC_MAX(start, 0); /* one that began before the trace did */
  length = HC_MAX(length, o->least);
  if (start < o->from || start > o->until) return 0;
  rc = x->application(x->ctx, hc_table_text(t, c->application), hc_table_size(t, c->application),
                      &application);
  if (rc == 0)
    return hc_table_fail(
        t, c->application, e,
        "no application is called \"%.80s\": add one of the name \"*\" to `applications`, which is "
        "for all that are not named",
        hc_table_text(t, c->application));
  TRY(rc);
  return x->invoke(x->ctx, application, start - o->from, length);
}

static hc_rc read_table(hc_table *t, const options *o, const hc_invocations_context *x, hc_error *e)
{
  columns c;
  hc_rc rc = hc_table_next(t, e);
  if (rc == 0) return hc_fail(e, HC_EINPUT, t->name, 0, 0, "the file is empty");
  TRY(rc);
  TRY(hc_table_keep_titles(t));
  c = (columns){hc_table_column(t, "app"), hc_table_column(t, "end_timestamp"),
                hc_table_column(t, "duration")};
  if (!c.application || !c.end || !c.duration)
    return hc_table_fail(t, 0, e,
                         "the first row should name the columns app, func, end_timestamp and duration");
  while ((rc = hc_table_next(t, e)) > 0) TRY(read_row(t, &c, o, x, e));
  return rc;
}

static hc_rc make(const hc_invocations_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  hc_table t;
  hc_rc rc;
  if (!o->file)
    return hc_fail(
        e, HC_EUSAGE, "invocations azure2021", 0, 0,
        "which file? write {use: azure2021, file: AzureFunctionsInvocationTraceForTwoWeeksJan2021.txt}");
  rc = hc_table_open(&t, c->allocator, o->file, e);
  if (rc >= 0) rc = read_table(&t, o, c, e);
  hc_table_close(&t);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "The trace, plain or packed."),
    HC_PARAM(TIME, options, from, "s", "0", 0, 1e9,
             "Invocations that arrive earlier are left out, and this time becomes time 0."),
    HC_PARAM(TIME, options, until, "s", "never", 0, 1e10, "Invocations that arrive later are left out."),
    HC_PARAM(TIME, options, least, "s", "1ms", 0, 1e9,
             "Shorter durations are raised to this; the trace has many of 0."),
    {0}};

const hc_invocations_type hc_invocations_azure2021 = {
    .component =
        {HC_COMPONENT_HEAD(hc_invocations_type, HC_KIND_INVOCATIONS), .name = "azure2021",
         .summary = "the Azure Functions invocation trace of 2021",
         .detail =
             "Columns app, func, end_timestamp and duration, in seconds; arrival = end_timestamp - duration. "
             "The trace does not say what an application takes: declare one with the name * for all.",
         .source = "github.com/Azure/AzurePublicDataset, AzureFunctionsInvocationTrace2021.md; Zhang et al., "
                   "Faster and cheaper serverless computing on harvested resources, SOSP 2021, "
                   "doi:10.1145/3477132.3483580",
         .params = params, .options_size = sizeof(options)},
    .make = make};
