/* expected.h -- names that a configuration asks for, and which of them its sources do not have.
 *
 * A filter that keeps the tasks of user "lim" where there is a "lin" keeps none, and would say nothing; a
 * weight for "lim" is no weight. What is asked for is therefore told to the lexicon, which marks it when a
 * source first says that name, and remembers the name most like it. Cost: a comparison with each name asked
 * for, when a new name comes, not when a task does. */
#ifndef HC_CLUSTER_EXPECTED_H
#define HC_CLUSTER_EXPECTED_H

#include "base/mem.h"
#include "hindcast/lexicon.h"

typedef struct hc_expected_name {
  char *text, *near; /* near: the name of that kind most like it; NULL: none is like it */
  size_t size, near_size, distance;
  hc_called kind;
  bool of_source, is_met; /* of_source: asked of each of several sources, and not of the run's names */
} hc_expected_name;

typedef struct hc_expected {
  const hc_allocator *allocator;
  hc_expected_name *all;
  size_t count, cap;
} hc_expected;

void hc_expected_fini(hc_expected *x);
/** A name that tasks are asked by; once for equal ones. @return 0 or HC_ENOMEM. */
hc_rc hc_expected_add(hc_expected *x, hc_called kind, const char *text, bool of_source);
/** A source has this name, of `n` bytes, which need not end in a NUL. Of an account asked for the group may
 *  be meant, and of a QOS the queue: a source without the one has the other under its name.
 *  @return 0 or HC_ENOMEM. */
hc_rc hc_expected_met(hc_expected *x, hc_called kind, bool of_source, const char *name, size_t n);
/** A sentence about those that no source has, behind what `out` holds; nothing if there are none. */
void hc_expected_note(const hc_expected *x, const hc_lexicon *titles, hc_buffer *out);
/** The same as an error, for `strict`. @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc hc_expected_refuse(const hc_expected *x, const hc_lexicon *titles, const hc_allocator *a, hc_error *e);

#endif
