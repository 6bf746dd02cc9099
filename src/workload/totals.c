/* totals.c -- a first pass over a source, for transforms that aim at a total.
 *
 * On a cell of hosts what is counted is the first dimension, thousandths of cores; work and machine are then
 * in cores.
 */
#include "workload/totals.h"

#include "base/util.h"
#include "workload/inputs.h"
#include "workload/spec.h"

#define MILLI 1000

hc_rc hc_totals_of(const hc_source_context *c, const hc_stream_options *given, size_t which, size_t i,
                   hc_workload_totals *out, hc_error *e)
{
  hc_source_context quiet = *c;
  hc_stream_options o = *given;
  hc_stream *below;
  hc_arrival a;
  hc_rc rc;
  *out = (hc_workload_totals){0};
  quiet.ledger = NULL;
  quiet.rejected = NULL;
  quiet.strict = false;
  o.sources = &given->sources[which];
  o.source_count = 1;
  o.transform_count = i;
  o.raw = o.as_changed = false; /* the first and the last submission are those that the run will see */
  o.threads = 1;
  o.totals = NULL; /* it would be of another stream: this one has one source, and ends below */
  TRY(hc_stream_open(&quiet, &o, &below, e));
  out->processors = o.admission.judge.judge    ? HC_MAX((o.admission.amount + MILLI / 2) / MILLI, 1)
                    : o.admission.capacity > 0 ? o.admission.capacity
                                               : hc_stream_info(below)->processors;
  while ((rc = hc_stream_next(below, &a, e)) == 1) {
    hc_spec_drop(c->lexicon, &a.spec);
    if (out->tasks++ == 0) out->first_submit = a.spec.submit;
    out->last_submit = a.spec.submit;
    if (a.run != HC_NEVER)
      out->area += (double)a.run / 1e9 * (double)a.units / (o.admission.judge.judge ? (double)MILLI : 1.0);
  }
  hc_stream_close(below);
  if (rc == 2)
    return hc_fail(
        e, HC_EUNSUPPORTED, hc_source_name(&given->sources[which]), 0, 0,
        "transform %s aims at a total, which a closed loop does not have: follow none, or change its users",
        given->transforms[i].type->name);
  return rc;
}

hc_rc hc_totals_once(const hc_source_context *c, const hc_stream_options *o, size_t which, size_t i,
                     hc_workload_totals *out, hc_error *e)
{
  hc_totals_memory *m = o->totals;
  for (size_t k = 0; m && k < m->count; k++) {
    if (m->items[k].source != which || m->items[k].stage != i) continue;
    *out = m->items[k].totals;
    return 0;
  }
  TRY(hc_totals_of(c, o, which, i, out, e));
  if (!m || m->count == HC_ARRAY_LEN(m->items)) return 0;
  m->items[m->count].source = which;
  m->items[m->count].stage = i;
  m->items[m->count++].totals = *out;
  return 0;
}
