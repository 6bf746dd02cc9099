/* state.h -- what a visitor is: the one piece of code by which state is saved, loaded and hashed.
 *
 * A component writes its visit function once; the mode decides what happens to the bytes. A snapshot is a
 * flat buffer with no pointers in it. */
#ifndef HC_BASE_STATE_H
#define HC_BASE_STATE_H

#include "base/mem.h"

typedef enum hc_visit_mode { HC_VISIT_SAVE, HC_VISIT_LOAD, HC_VISIT_HASH } hc_visit_mode;

extern const hc_visitor_calls hc_state_calls; /* every visitor's `calls` */

struct hc_visitor {
  const hc_visitor_calls *calls; /* first: see hindcast/base.h */
  hc_visit_mode mode;
  const hc_allocator *allocator; /* for arrays that are loaded */
  hc_buffer *out;                /* SAVE */
  const uint8_t *in;             /* LOAD: what is left */
  size_t left;
  hc_hash *hash; /* HASH */
};

#define HC_VISIT(v, member) TRY(hc_visit_bytes((v), &(member), sizeof(member)))
#define HC_VISIT_ARRAY(v, items, count, cap) \
  TRY(hc_visit_array((v), (void **)&(items), &(count), &(cap), sizeof *(items)))

#endif
