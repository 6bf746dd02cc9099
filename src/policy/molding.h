/* molding.h -- in which size a selector plans a moldable task: the component of kind `mold` is asked, and the
 * task asks for that from then on. See molding.c. */
#ifndef HC_POLICY_MOLDING_H
#define HC_POLICY_MOLDING_H

#include "hindcast/policy.h"

/* Part of every selector's struct (birth.h); zeroed: none is molded. */
typedef struct hc_molding {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_chosen *how; /* NULL: tasks keep the sizes that they ask for */
  hc_mold_offer *offers;
  size_t cap;
} hc_molding;

/* About which starts a component is told that asks for them. */
typedef enum hc_molding_when {
  HC_MOLDING_AHEAD,   /* the earliest */
  HC_MOLDING_NOW,     /* one now; if there is none in the size that is chosen nothing changes */
  HC_MOLDING_HARMLESS /* one now that leaves every promise possible; else as that */
} hc_molding_when;

/** Choose a size for a task that is about to be planned. One that has a reservation keeps the size that it
 * has.
 *  @param longer  of HARMLESS, as hc_services.harmless_for
 *  @return 0 or HC_ENOMEM. Cost: O(sizes), and as many questions as the component asks */
hc_rc hc_molding_choose(hc_molding *m, hc_view *v, hc_plan *p, hc_task t, hc_molding_when when,
                        hc_time longer);
void hc_molding_fini(hc_molding *m);

#endif
