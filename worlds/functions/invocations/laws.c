/* laws.c -- invocations of one application from two laws: of the gaps between them, and of their durations.
 *
 * Invocation k has draws of its own, by the source's number and k, so that a longer run begins with the
 * shorter one. The first comes after one gap. */
#include <string.h>

#include "base/util.h"
#include "functions/functions.h"
#include "functions/laws.h"

#define WHERE "invocations laws"

typedef struct options {
  const char *application, *interval, *duration;
  int64_t count, bundle;
  hc_time from, until;
} options;

static hc_rc draw_all(const hc_invocations_context *c, const options *o, uint32_t application,
                      const hc_law *gap, const hc_law *length, hc_error *e)
{
  const uint64_t source = (uint64_t)c->number << 40;
  double clock = (double)o->from;
  for (int64_t k = 0; k < o->count; k++) {
    hc_draws gaps = {.seed = c->seed,
                     .replication = c->replication,
                     .entity = source + (uint64_t)k,
                     .purpose = HC_PURPOSE_ARRIVAL};
    hc_draws lengths = gaps;
    lengths.purpose = HC_PURPOSE_RUN;
    clock += hc_law_draw(gap, &gaps) * 1e9;
    if (!(clock <= (double)o->until)) return 0;
    if (clock > HC_FN_LONGEST * 1e9)
      return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                     "invocation %lld would arrive after 1e9 s: say `until`, or a smaller "
                     "`count`",
                     (long long)k + 1);
    for (int64_t i = 0; i < o->bundle; i++)
      TRY(c->invoke(c->ctx, application, (hc_time)(clock + 0.5),
                    (hc_time)(HC_MIN(hc_law_draw(length, &lengths), HC_FN_LONGEST) * 1e9 + 0.5)));
  }
  return 0;
}

static hc_rc check(const hc_invocations_context *c, const options *o, uint32_t *application, hc_error *e)
{
  hc_rc rc;
  if (!o->application || !o->interval || !o->duration)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "of what, how often, how long? write {use: laws, application: thumbnail, interval: "
                   "exponential(10s), duration: lognormal(1s 1.5), until: 1d}");
  if (o->count == INT64_MAX && o->until == HC_NEVER)
    return hc_fail(e, HC_EUSAGE, WHERE, 0, 0,
                   "until when? write `until: 1d`, or how many with `count: 1000`");
  rc = c->application(c->ctx, o->application, strlen(o->application), application);
  if (rc == 0)
    return hc_fail(
        e, HC_EUSAGE, WHERE, 0, 0,
        "no application is called \"%.80s\": add it to `applications`, or one of the name \"*\", which is "
        "for all that are not named",
        o->application);
  return rc;
}

static hc_rc settle(hc_law *l, const char *name, hc_error *e)
{
  const hc_rc rc = hc_law_settle(l, 0, HC_FN_LONGEST);
  if (rc != 0) return rc;
  return hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "%s: less than one draw in a hundred lies between 0 and 1e9 s",
                 name);
}

static hc_rc make(const hc_invocations_context *c, const void *opts, hc_error *e)
{
  options o = *(const options *)opts;
  hc_law gap = {0}, length = {0};
  uint32_t application;
  hc_rc rc;
  if (o.count == 0) o.count = INT64_MAX;
  TRY(check(c, &o, &application, e));
  rc = hc_law_read(&gap, c->allocator, o.interval, HC_LAW_TIME, WHERE, "interval", e);
  if (rc >= 0) rc = hc_law_read(&length, c->allocator, o.duration, HC_LAW_TIME, WHERE, "duration", e);
  if (rc >= 0) rc = settle(&gap, "interval", e);
  if (rc >= 0) rc = settle(&length, "duration", e);
  if (rc >= 0 && gap.mean <= 0 && o.count == INT64_MAX)
    rc = hc_fail(e, HC_EUSAGE, WHERE, 0, 0, "interval: gaps of 0 never end: say how many with `count`");
  if (rc >= 0) rc = draw_all(c, &o, application, &gap, &length, e);
  hc_law_fini(&gap);
  hc_law_fini(&length);
  return rc;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, application, NULL, "Name of the application that is invoked. Required."),
    HC_PARAM(TEXT, options, interval, NULL,
             "Law of the time between arrivals, such as `exponential(10s)`. Required."),
    HC_PARAM(TEXT, options, duration, NULL, "Law of durations, such as `lognormal(1s 1.5)`. Required."),
    HC_PARAM(INT, options, count, "arrivals", "0", 0, 1e9, "Number of arrivals. 0: until `until`."),
    HC_PARAM(INT, options, bundle, "invocations", "1", 1, 1e6, "Number of invocations at each arrival."),
    HC_PARAM(TIME, options, from, "s", "0", 0, 1e9, "When the first gap begins."),
    HC_PARAM(TIME, options, until, "s", "never", 0, 1e10, "Invocations do not arrive later than this."),
    {0}};

const hc_invocations_type hc_invocations_laws = {
    .component = {HC_COMPONENT_HEAD(hc_invocations_type, HC_KIND_INVOCATIONS), .name = "laws",
                  .summary = "invocations of one application: a law of gaps, a law of durations",
                  .detail = HC_LAW_HELP, .params = params, .options_size = sizeof(options)},
    .make = make};
