/* labels.h -- texts by handle, each held by those that have it and gone with the last of them: what tasks are
 * called (lexicon.h). */
#ifndef HC_CLUSTER_LABELS_H
#define HC_CLUSTER_LABELS_H

#include "base/mem.h"
#include "base/state.h"

#define HC_LABELS_MOST (UINT32_C(1) << 31) /* handles are below it */

typedef struct hc_label_page hc_label_page;

typedef struct hc_label {
  char *text; /* [size + 1] in its page */
  size_t size;
  hc_label_page *page;
  uint32_t held, next; /* 0: the handle is free; next free handle */
} hc_label;

typedef struct hc_labels {
  const hc_allocator *allocator;
  hc_label *all; /* [count]; handle h is all[h - 1] */
  size_t count, cap, held;
  hc_label_page *page; /* that texts are added to; NULL: there is none yet */
  uint32_t vacant;     /* first free handle; 0: none */
} hc_labels;

void hc_labels_fini(hc_labels *l);
/** The label of a handle; NULL: no task holds it. Borrowed until the next call. */
static inline hc_label *hc_labels_at(const hc_labels *l, uint32_t handle)
{
  const size_t i = (size_t)handle - 1;
  return i < l->count && l->all[i].held > 0 ? &l->all[i] : NULL;
}
/** Hold a text once. @param handle  out: from 1 @return 0 or HC_ENOMEM. Cost: a copy. */
hc_rc hc_labels_hold(hc_labels *l, const char *text, size_t n, uint32_t *handle);
/** One holder less of a handle that is held. */
void hc_labels_drop(hc_labels *l, uint32_t handle);
/** @return 0, HC_ENOMEM, HC_EINPUT */
hc_rc hc_labels_visit(hc_labels *l, hc_visitor *v);

#endif
