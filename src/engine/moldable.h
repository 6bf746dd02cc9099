/* moldable.h -- tasks without a profile that offer sizes, one of which a plan settles when it starts them.
 * See moldable.c. */
#ifndef HC_ENGINE_MOLDABLE_H
#define HC_ENGINE_MOLDABLE_H

#include "engine/state.h"

/** May a plan settle its size (hc_services.mold)? It waits, its policy molds, and nothing that it has
 *  saved is of another size. O(1). */
bool hc_moldable_is(const hc_engine *e, hc_task t);
/** Does it offer that size? O(log sizes). */
bool hc_moldable_offers(const hc_engine *e, hc_task t, int64_t size);
/** While it waits it has that size, which it offers, with the times that go with it. Its place in its
 *  queue is the caller's matter. @return 0 or HC_ENOMEM */
hc_rc hc_moldable_set(hc_engine *e, hc_task t, uint32_t size);
/** The size that it asks for by itself. */
uint32_t hc_moldable_own(const hc_engine *e, hc_task t);
/** It is in no queue: it has its own size again, unless it has saved work in the one that it has. */
void hc_moldable_reset(hc_engine *e, hc_task t);
/** How long what takes `time` in the size that it asks for by itself takes in the one that it has, and the
 *  other way round; the same, if these are one. Not of one whose shapes say their times. O(log sizes). */
hc_time hc_moldable_from_own(const hc_engine *e, hc_task t, hc_time time);
hc_time hc_moldable_to_own(const hc_engine *e, hc_task t, hc_time time);
/** How many times as fast as in one slot a task that may change its size is in that size, by its law of
 *  speed-up; without one, as many as it has slots. @return 0: it has no law that knows that size. O(log
 *  sizes) */
double hc_moldable_speed(const hc_engine *e, hc_task t, int64_t size);
/** All sizes that it offers, ascending. @return how many (may exceed `cap`) */
size_t hc_moldable_list(const hc_engine *e, hc_task t, hc_mold_offer *out, size_t cap);
/** Units of one slot, or 1. */
int64_t hc_moldable_each(const hc_engine *e, hc_task t);
/** Slots of the cell of a number that its source said; 0: they are no whole number. */
int64_t hc_moldable_in_slots(const hc_task_extras *m, uint32_t own, uint32_t said);
/** What a policy that molds cannot be combined with. */
hc_rc hc_moldable_check(const hc_engine *e, uint32_t flags, hc_error *error);

/* -- offers.c: as hc_services has them -- */
size_t hc_view_offers(const hc_view *v, hc_task t, hc_mold_offer *out, size_t cap, size_t *asked,
                      size_t *preferred);
hc_slot hc_view_earliest_as(const hc_view *v, hc_task t, int64_t size, hc_time from);
bool hc_view_fits_as(const hc_view *v, hc_task t, int64_t size, bool harmless, hc_time longer);

#endif
