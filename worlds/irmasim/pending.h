/* pending.h -- jobs that wait, by a key, equal ones in the order in which they came. */
#ifndef HC_IRMASIM_PENDING_H
#define HC_IRMASIM_PENDING_H

#include "irmasim/irmasim.h"

typedef struct hc_irm_waiting {
  double key;
  uint32_t job;
} hc_irm_waiting;

typedef struct hc_irm_pending {
  hc_irm_waiting *jobs; /* [count] */
  size_t count, cap;
} hc_irm_pending;

/** The key of a job, less is earlier. NULL: all are equal. */
typedef double (*hc_irm_key)(const hc_world *w, uint32_t job);

/** Cost: O(waiting), whatever `count` is. @return 0, HC_ENOMEM */
hc_rc hc_irm_wait(hc_irm_pending *p, const hc_world *w, hc_irm_key key, const uint32_t *jobs, size_t count);
void hc_irm_pick(hc_irm_pending *p, size_t i); /* it waits no more */
void hc_irm_pending_fini(hc_irm_pending *p, const hc_allocator *a);

/** What managers believe of energy: req_time of a job, by how much slower or faster a node is than the
 *  slowest clock, times what its tasks draw and their share of what the node draws anyway. */
typedef struct hc_irm_beliefs {
  uint32_t *assigned; /* [nodes] jobs on nodes of that id, at its first one */
  double *fixed;      /* [nodes] static power of all cores, W */
  double slowest;     /* clock rate of the first processor of a node */
} hc_irm_beliefs;

hc_rc hc_irm_believe(hc_irm_beliefs *b, const hc_world *w);
void hc_irm_beliefs_fini(hc_irm_beliefs *b, const hc_world *w, const hc_allocator *a);
/** @param is_edp  energy x time. @return J, or J s */
double hc_irm_estimate(const hc_irm_beliefs *b, const hc_world *w, uint32_t job, uint32_t node, bool is_edp);

#endif
