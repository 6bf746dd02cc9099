/* preferred.h -- where the data of tasks are, as their trace says: hosts and zones of this cell by their
 * names.
 *
 * A name is a host's, or else that of a zone of the level that is a rack here. What is neither is a place
 * of another cell, as far from every host as any. */
#ifndef HC_POLICY_PREFERRED_H
#define HC_POLICY_PREFERRED_H

#include "base/mem.h"
#include "hindcast/lexicon.h"
#include "hindcast/policy.h"

/* How far a host is from a task's data. */
typedef enum hc_nearness { HC_NEAR_UNSAID = -1, HC_NEAR_HOST, HC_NEAR_RACK, HC_NEAR_NOT } hc_nearness;

typedef struct hc_preferred {
  const hc_allocator *allocator;
  const hc_services *services;
  const hc_lexicon *lexicon;
  const hc_cell_spec *cell;
  const hc_zone_level *level; /* NULL: each host is a rack by itself */
  hc_names hosts, zones;      /* by name: their numbers, once a task has named any */
  bool has_names;
} hc_preferred;

void hc_preferred_init(hc_preferred *p, const hc_policy_context *c, const hc_zone_level *level);
void hc_preferred_fini(hc_preferred *p);
/* Of a task that names these: UNSAID if it names none. Without memory: NOT. */
hc_nearness hc_preferred_of(hc_preferred *p, const uint32_t *names, size_t count, uint32_t host);
/* UNSAID: its trace says nothing. Without memory: NOT. Cost: O(names), the first time O(hosts). */
hc_nearness hc_preferred_near(hc_preferred *p, const hc_view *v, hc_task t, uint32_t host);
/* Is each of its names one of this cell's? Once it was asked how near they are. */
bool hc_preferred_is_known(const hc_preferred *p, const hc_view *v, hc_task t);

#endif
