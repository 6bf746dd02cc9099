/* fibers.h -- profiles that have a stack of their own. See fibers.c. */
#ifndef HC_EXECUTION_FIBERS_H
#define HC_EXECUTION_FIBERS_H

#include "hindcast/profile.h"

typedef struct hc_fiber hc_fiber;

/** A stack for the function of a type, which does not run yet. @param room  bytes for options of its own; 0:
 *  none
 *  @return 0, HC_ENOMEM; HC_EUNSUPPORTED: not on this
 *  machine */
hc_rc hc_fiber_new(const hc_allocator *a, const hc_profile_type *type, size_t room, hc_fiber **out);
/** [room] as it was asked for; NULL: none was */
void *hc_fiber_room(hc_fiber *f);
/** What stands on its stack is gone with it. */
void hc_fiber_free(const hc_allocator *a, hc_fiber *f); /* NULL is nothing */
/** Let it run until it waits or is over: `p` is what it is told, and comes back as it left it.
 *  @return as hc_profile_type.resume */
hc_rc hc_fiber_resume(hc_fiber *f, hc_profile *p);
/** Called from within: it waits until it is resumed. */
void hc_fiber_wait(hc_profile *p);

#endif
