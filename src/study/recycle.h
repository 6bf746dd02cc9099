/* recycle.h -- an allocator that gives back to the next run what the last one had.
 *
 * Runs of a study are alike: what one frees the next asks for. Blocks are kept by size class (four to a power
 * of two), at most `limit` bytes of them, and neither the system nor the C library is asked again. Not for
 * two threads. */
#ifndef HC_STUDY_RECYCLE_H
#define HC_STUDY_RECYCLE_H

#include "hindcast/base.h"

typedef struct hc_recycler hc_recycler;

hc_recycler *hc_recycler_new(const hc_allocator *below, size_t limit); /* NULL: out of memory */
/** Frees what it keeps; everything that it gave must have been given back. */
void hc_recycler_free(hc_recycler *r);
const hc_allocator *hc_recycler_allocator(const hc_recycler *r);

#endif
