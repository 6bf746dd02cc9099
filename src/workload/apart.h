/* apart.h -- who is who among several sources.
 *
 * Each source numbers and names as it likes: one's user 1 and another's are two, and so are their bobs. So in
 * a run of several sources a number n of the source at place k, from 0, is n + k * HC_APART: users, groups,
 * queues, partitions, executables, tasks and jobs alike; numbers of the first source stay as they are. What
 * has a name is called so behind the source's prefix ("a/bob"), and users and queues that have a number alone
 * by that ("a/7").
 *
 * Users that the run file itself names (`user: ann` of a generator) are one and the same wherever it names
 * them, and no other source's: they have the place behind all sources', or the first if the users of all
 * sources are such.
 *
 * Sources that mean the same people say so. Among these equal names are one, without a prefix, and their
 * numbers, where there are no names, mean the same and stay; so do ids of tasks and jobs.
 *
 * Hashes of names (hc_name_number) stay hashes: a bit pattern of the source is laid over them. */
#ifndef HC_WORKLOAD_APART_H
#define HC_WORKLOAD_APART_H

#include "workload/stream.h"

#define HC_APART INT64_C(1000000000000) /* 10^12 */

typedef struct hc_apart hc_apart;

/** @param c the run's; @param o its sources, prefixes and which of them share. All borrowed.
 *  @return 0, HC_EUSAGE, HC_ENOMEM. */
hc_rc hc_apart_new(const hc_source_context *c, const hc_stream_options *o, hc_apart **out, hc_error *e);
void hc_apart_free(hc_apart *a); /* NULL is fine */
/** What a source has for a context: the run's, with a lexicon of its own. Borrowed. */
const hc_source_context *hc_apart_context(const hc_apart *a, size_t source);
/** Give a task of a source the run's numbers in place of the source's own. It may hold other rare facts then.
 *  @return 0, HC_EUNSUPPORTED (a number that leaves no room), HC_ELIMIT, HC_ENOMEM. */
hc_rc hc_apart_task(hc_apart *a, size_t source, hc_task_spec *t, hc_error *e);
/** The id that the source itself has for a task of the run. */
int64_t hc_apart_own_id(const hc_apart *a, size_t source, int64_t id);
hc_rc hc_apart_visit(hc_apart *a, hc_visitor *v);

#endif
