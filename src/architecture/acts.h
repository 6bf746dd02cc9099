/* acts.h -- what of a policy could not act under an architecture: found from what both declare, before the
 * run starts.
 *
 *   reach            order                selector                     placement  shares, reservations
 *   HC_REACH_QUEUE   acts                 acts                         acts       act
 *   HC_REACH_JOB     which job is next    acts between a job's tasks   acts       refused
 *   HC_REACH_NEXT    which job is next    blocking alone               first_fit  refused
 *   HC_REACH_PLACE   fcfs alone           blocking alone               acts       refused
 *   HC_REACH_NONE    fcfs alone           blocking alone               first_fit  refused
 *
 * Where jobs are taken one by one a selector that makes reservations is refused, since it plans between jobs
 * that it is not shown; with `decision: pass` it is shown them. */
#ifndef HC_ARCHITECTURE_ACTS_H
#define HC_ARCHITECTURE_ACTS_H

#include "hindcast/architecture.h"

/* What a policy asks for that cannot act where its reach is this, as a sentence that begins with what it is
 * and ends with the remedy. @param a  whose files it may name @return false: there is none; `why` is left as it is. */
bool hc_acts_not(hc_reach reach, const hc_chosen *policy, const hc_allocator *a, char *why, size_t size);

/* What acts with these options of it. */
static inline hc_reach hc_reach_with(const hc_architecture_type *t, const void *options)
{
  return t->reach_of ? t->reach_of(options) : t->reach;
}

#endif
