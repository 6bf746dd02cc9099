/* outages.h -- units that fail and are repaired: what becomes of each, and when. See outages.c. */
#ifndef HC_CLUSTER_OUTAGES_H
#define HC_CLUSTER_OUTAGES_H

#include "base/mem.h"
#include "cluster/lifetimes.h"

/* How units fail and come back. Borrowed arrays live as long as the process. */
typedef struct hc_outage_rules {
  uint64_t seed, replication;
  hc_lifetime up, down, found;
  hc_time until;      /* nothing fails after this */
  double spread;      /* chance that a failure takes another unit of its group with it */
  double silent;      /* chance that a failure is not seen at once, but after a time of `found` */
  hc_time spare_time; /* until a spare has taken a place */
  uint32_t crews;     /* repairs at a time; 0: any number */
  bool has_spares;
  const uint32_t *group_of; /* [units] HC_NO_NAME: in none; NULL: failures do not spread */
  const uint32_t *groups;   /* [group_count + 1] where the members of each begin in `members` */
  const uint32_t *members;
} hc_outage_rules;

/* What a unit is, or may be at first: ABSENT is no part of the process. */
typedef enum hc_unit_state {
  HC_UNIT_ABSENT,
  HC_UNIT_UP,     /* in service, until it fails */
  HC_UNIT_SILENT, /* it has failed, until that is found */
  HC_UNIT_WAITS,  /* for a crew */
  HC_UNIT_IN_REPAIR,
  HC_UNIT_SPARE,
  HC_UNIT_TAKES_OVER /* a spare, until it is in service */
} hc_unit_state;

/* What happens to a unit. */
typedef enum hc_outage_kind { HC_OUTAGE_UP, HC_OUTAGE_DOWN, HC_OUTAGE_SILENT } hc_outage_kind;
typedef struct hc_outage {
  hc_time at;
  uint32_t unit, kind; /* hc_outage_kind */
} hc_outage;

typedef struct hc_outages hc_outages;

/** @param states [units] of hc_unit_state: ABSENT, UP or SPARE. @return 0 or HC_ENOMEM */
hc_rc hc_outages_new(const hc_allocator *a, const hc_outage_rules *rules, const uint8_t *states,
                     uint32_t units, hc_outages **out);
void hc_outages_free(hc_outages *o);
/** What happens next, ascending in time. @return 1, 0 if nothing ever does, HC_ENOMEM.
 *  Cost: O(log units), and with `spread` the size of the unit's group at each failure. */
hc_rc hc_outages_next(hc_outages *o, hc_outage *out);
/** Save, load or hash the state. @return 0, HC_EINPUT (a state that none can be), HC_ENOMEM */
hc_rc hc_outages_visit(hc_outages *o, hc_visitor *v);

#endif
