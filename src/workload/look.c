/* look.c -- shows a transform every row that will reach it, before it changes the first.
 *
 * The rows are those of a raw stream over the same source through the same transforms: nothing is judged, as
 * nothing is when `apply` is called, so that row k seen here is row k there. Rows without a time of
 * submission are left out where the stream itself leaves them out. */
#include "workload/look.h"

#include "base/util.h"
#include "workload/spec.h"

hc_rc hc_look(const hc_source_context *c, const hc_stream_options *given, size_t which, size_t i,
              const hc_transform_type *type, hc_transform *self, hc_error *e)
{
  hc_source_context quiet = *c;
  hc_stream_options o = *given;
  hc_stream *below;
  hc_arrival a;
  hc_rc rc = 0, looked = 0;
  quiet.ledger = NULL;
  quiet.rejected = NULL;
  quiet.strict = false;
  o.sources = &given->sources[which];
  o.source_count = 1;
  o.transform_count = i;
  o.raw = o.as_changed = true;
  o.threads = 1;
  TRY(hc_stream_open(&quiet, &o, &below, e));
  while (looked >= 0 && (rc = hc_stream_next(below, &a, e)) == 1) {
    hc_spec_drop(c->lexicon, &a.spec);
    if (given->raw || a.spec.submit != HC_UNKNOWN) looked = type->look(self, &a.spec, e);
  }
  hc_stream_close(below);
  if (looked < 0) return looked;
  if (rc == 2)
    return hc_fail(
        e, HC_EUNSUPPORTED, o.sources->type->name, 0, 0,
        "transform %s has to see all tasks first, which a closed loop does not have: follow none, or "
        "leave it out",
        type->component.name);
  return rc < 0 ? rc : type->look(self, NULL, e);
}
