/* fitting.c -- moments of a log by ranges of sizes, for models that are fitted to one.
 *
 * The log goes through a stream of its own, which puts it in order and leaves out what never ran. Run times
 * are those that were: no limit cuts them. Sizes are the processors asked for, else those used. Names that
 * the log brings along go to a lexicon that is thrown away. One pass, constant memory. */
#include "workload/fitting.h"

#include "base/util.h"
#include "cluster/lexicon.h"
#include "workload/spec.h"
#include "workload/stream.h"

static void add(hc_fit_range *r, const hc_arrival *a)
{
  if (r->last == HC_UNKNOWN) r->first = a->spec.submit;
  else hc_power_sums_add(&r->gap, ((double)a->spec.submit - (double)r->last) / 1e9);
  r->last = a->spec.submit;
  hc_power_sums_add(&r->run, (double)a->run / 1e9);
}

static hc_rc read_all(hc_stream *s, hc_lexicon *l, const int64_t *tops, size_t n, hc_fit_range *ranges,
                      hc_error *e)
{
  hc_arrival a;
  hc_rc rc;
  while ((rc = hc_stream_next(s, &a, e)) == 1) {
    size_t i = 0;
    hc_spec_drop(l, &a.spec);
    while (i < n && tops[i] < a.units) i++;
    if (i < n && a.run != HC_NEVER) add(&ranges[i], &a);
  }
  if (rc != 2) return rc;
  return hc_fail(e, HC_EUNSUPPORTED, "fit", 0, 0,
                 "the source is a closed loop, whose times are not known before a run: follow none");
}

hc_rc hc_fit_read(const hc_source_context *c, const hc_chosen *source, const int64_t *tops, size_t n,
                  hc_fit_range *ranges, int64_t *processors, hc_error *e)
{
  hc_source_context quiet = *c;
  const hc_stream_options o = {
      .sources = source, .source_count = 1, .admission = {.overrun = HC_OVERRUN_RUN_ON}};
  hc_stream *s;
  quiet.ledger = NULL;
  quiet.rejected = NULL;
  quiet.strict = false;
  for (size_t i = 0; i < n; i++) ranges[i] = (hc_fit_range){.first = HC_UNKNOWN, .last = HC_UNKNOWN};
  TRY(hc_lexicon_new(c->allocator, &quiet.lexicon));
  hc_rc rc = hc_stream_open(&quiet, &o, &s, e);
  if (rc >= 0) {
    rc = read_all(s, quiet.lexicon, tops, n, ranges, e);
    if (processors) *processors = HC_MAX(hc_stream_info(s)->processors, 0);
    hc_stream_close(s);
  }
  hc_lexicon_free(quiet.lexicon);
  return rc;
}
