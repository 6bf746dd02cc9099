/* azure2019.c -- the Azure Functions dataset of 2019: how often each function is invoked in each minute of a
 * day.
 *
 * An application (HashApp) is what has containers; functions share those of theirs. Invocations of a
 * function without durations are rejected as `incomplete`. What the tables say, and what is drawn, is
 * workload/azure_day.h's, which has the source. */
#include "base/util.h"
#include "functions/azure_day.h"
#include "functions/functions.h"

#define WHERE "invocations azure2019"

typedef struct options {
  hc_azure_options day;
  hc_time begin, from, until;
} options;

typedef struct making {
  const hc_invocations_context *c;
  const options *o;
  hc_azure_day day;
  hc_draws stream;
} making;

static hc_rc invoke(const making *m, const hc_azure_count *n, uint32_t application, uint32_t i, hc_error *e)
{
  const options *o = m->o;
  double place;
  hc_time length;
  hc_azure_draw(&m->day, n, i, &m->stream, &place, &length);
  const hc_time at = n->minute * HC_MINUTE + (hc_time)(place * (double)HC_MINUTE);
  if (at < o->from || at > o->until) {
    m->c->reject(m->c->ctx, HC_REASON_OUTSIDE, 1);
    return 0;
  }
  const hc_rc rc = m->c->invoke(m->c->ctx, application, at - o->from + o->begin, length);
  if (rc != HC_ELIMIT) return rc;
  return hc_fail(e, rc, WHERE, 0, 0,
                 "more invocations than a run can have: take a `share` of the applications, or say `until`");
}

static hc_rc invoke_minute(const making *m, const hc_azure_count *n, uint32_t application, hc_error *e)
{
  const hc_time minute = n->minute * HC_MINUTE;
  if (minute + HC_MINUTE <= m->o->from || minute > m->o->until) {
    m->c->reject(m->c->ctx, HC_REASON_OUTSIDE, n->count);
    return 0;
  }
  for (uint32_t i = 0; i < n->count; i++) TRY(invoke(m, n, application, i, e));
  return 0;
}

/* @return 1; 0, with the reason: it is not taken */
static hc_rc find_application(const making *m, const hc_azure_function *f, uint32_t *application,
                              hc_reason *why, hc_error *e)
{
  size_t size;
  const char *name = hc_azure_name(&m->day, f->application, &size);
  *why = HC_REASON_FILTERED;
  if (!hc_azure_takes(&m->day, f->application, &m->stream)) return 0;
  *why = HC_REASON_INCOMPLETE;
  if (f->lengths == HC_MAP_NONE) return 0;
  const hc_rc rc = m->c->application(m->c->ctx, name, size, application);
  if (rc == 0)
    return hc_fail(
        e, HC_EINPUT, m->o->day.file, 0, 0,
        "no application is called \"%.*s\": add one of the name \"*\" to `applications`, which is for "
        "all that are not named",
        (int)HC_MIN(size, (size_t)80), name);
  TRY(rc);
  const int64_t bytes = hc_azure_memory(&m->day, f->application);
  if (bytes >= 0) m->c->memory(m->c->ctx, *application, bytes);
  return 1;
}

static hc_rc make_all(const making *m, hc_error *e)
{
  uint32_t application = 0, row = UINT32_MAX;
  hc_reason why = HC_REASON_INCOMPLETE;
  hc_rc found = 0;
  for (size_t i = 0; i < m->day.count; i++) {
    const hc_azure_count *n = &m->day.counts[i];
    if (n->row != row) found = find_application(m, &m->day.rows[n->row], &application, &why, e);
    if (found < 0) return found;
    row = n->row;
    if (found == 0) m->c->reject(m->c->ctx, why, n->count);
    else TRY(invoke_minute(m, n, application, e));
  }
  return 0;
}

static hc_rc make(const hc_invocations_context *c, const void *opts, hc_error *e)
{
  const options *o = opts;
  making m = {
      .c = c,
      .o = o,
      .stream = {.seed = c->seed, .replication = c->replication, .entity = (uint64_t)c->number << 56}};
  hc_rc rc = hc_azure_read(c->allocator, &o->day, WHERE, &m.day, e);
  if (rc >= 0) rc = make_all(&m, e);
  hc_azure_close(&m.day);
  return rc;
}

static const hc_param params[] = {
    HC_AZURE_PARAMS(options, day),
    HC_PARAM(TIME, options, begin, "s", "0", 0, 1e9,
             "Time of the run at which the day begins: 1d for the second of several days."),
    HC_PARAM(TIME, options, from, "s", "0", 0, 1e9,
             "Invocations earlier in the day are left out, and the day begins at this time."),
    HC_PARAM(TIME, options, until, "s", "never", 0, 1e10, "Invocations later in the day are left out."),
    {0}};

const hc_invocations_type hc_invocations_azure2019 = {
    .component =
        {HC_COMPONENT_HEAD(hc_invocations_type, HC_KIND_INVOCATIONS), .name = "azure2019",
         .summary = "the Azure Functions dataset of 2019: invocations by minute",
         .detail =
             "It reads three tables of one day, whose columns are found by their titles. The application is "
             "HashApp; if it is not declared by name its memory is that of the table. " HC_AZURE_DETAIL,
         .source = HC_AZURE_SOURCE, .params = params, .options_size = sizeof(options)},
    .make = make};
