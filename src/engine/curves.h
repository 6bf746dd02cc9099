/* curves.h -- how full the machine was, how many tasks waited and how many ran over time, for pictures:
 * kept of every run that has a store and a metric that hears intervals (`utilisation`, which is one by
 * default), rows or not.
 *
 * Pieces of equal length, at most HC_CURVES_MOST of them. They begin as seconds; whenever time runs beyond
 * the last one each two become one. Means are those of the time heard. It is outside of all digests.
 * Memory: 20 KiB; stored: 32 KiB, a page of the file. Cost: four products an interval. */
#ifndef HC_ENGINE_CURVES_H
#define HC_ENGINE_CURVES_H

#include "base/state.h"
#include "engine/observers.h"
#include "hindcast/output.h"

#define HC_CURVES_MOST 512

typedef struct hc_curves hc_curves;

hc_rc hc_curves_new(const hc_allocator *a, hc_curves **out);
void hc_curves_free(const hc_allocator *a, hc_curves *c); /* NULL is fine */
/** @param intervals  in order of time, none before an earlier one */
void hc_curves_hear(hc_curves *c, const hc_interval *intervals, size_t count);
/** For a snapshot. A run without curves passes over those that were saved; one with them, of a run that kept
 *  none, stores none, for they would begin in its middle. @param c  NULL: the run keeps none */
hc_rc hc_curves_visit(hc_curves *c, hc_visitor *v);
/** Write the table `curves` (hindcast/output.h). @return 0, HC_EIO, HC_ENOMEM */
hc_rc hc_curves_store(const hc_curves *c, hc_store *s, hc_error *error);

#endif
