/* place_by.h -- the placement that decides among hosts of one score.
 *
 * A placement that scores hosts by something coarse (what a task prefers, how crowded a domain is) has `by`,
 * another placement, for its ties. It begins its state with an hc_place_by, and so hands the functions below
 * to its chooser as they are. */
#ifndef HC_POLICY_PLACE_BY_H
#define HC_POLICY_PLACE_BY_H

#include "hindcast/placement.h"

typedef struct hc_place_by {
  const hc_place_type *type;
  const void *options;
  hc_policy *inner; /* NULL: it has no state */
  hc_chooser chooser;
} hc_place_by;

/** @param where  for errors: "place spread"; @param equals  what its ties are: "equally crowded".
 *  @return 0, or HC_EUSAGE: it does not compare hosts, or only to each other; or what its init returns */
hc_rc hc_place_by_open(hc_place_by *by, const hc_chosen *chosen, const hc_policy_context *c,
                       const char *where, const char *equals, hc_error *e);
void hc_place_by_fini(hc_place_by *by); /* one that was never opened is fine */
/** The chooser of a placement that begins with `by`: the best by `score`, ties and devices by the other. */
hc_chooser hc_place_by_chooser(const hc_place_by *by, double (*score)(void *state, const hc_host_view *h));
void hc_place_by_arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots);
hc_rc hc_place_by_visit(hc_place_by *by, hc_visitor *v);

#endif
