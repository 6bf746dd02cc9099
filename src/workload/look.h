/* look.h -- shows a transform every row that will reach it, before it changes the first. */
#ifndef HC_WORKLOAD_LOOK_H
#define HC_WORKLOAD_LOOK_H

#include "workload/stream.h"

/** Read source number `which` once more, through the transforms below stage `i`, and give each row that
 *  stage's `apply` will get to `look`, in the same order; at the end call `look` with NULL.
 *  @param o  of the whole stream; @param self what the type's init made
 *  @return 0, what `look` returned, HC_EUNSUPPORTED (a closed loop), or the first error of the source. */
hc_rc hc_look(const hc_source_context *c, const hc_stream_options *o, size_t which, size_t i,
              const hc_transform_type *type, hc_transform *self, hc_error *e);

#endif
