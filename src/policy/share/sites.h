/* sites.h -- where users have what: for rules that look at one host at a time.
 *
 * Kept for slots, where each host is cut into equal parts and a task takes whole ones, and for DRF of each
 * server by itself. A policy says on which host it is about to start something; from what it then hears, this
 * knows the rest. */
#ifndef HC_POLICY_SHARE_SITES_H
#define HC_POLICY_SHARE_SITES_H

#include "base/mem.h"
#include "hindcast/task.h"

#define HC_NO_SITE UINT32_MAX

/* A task that runs. */
typedef struct hc_stay {
  uint64_t serial;
  uint32_t host, user;
  int64_t slots;
  int64_t amounts[HC_DIMENSIONS];
} hc_stay;

/* What a user has on a host. */
typedef struct hc_presence {
  uint32_t host, user;
  uint32_t next, before; /* of the host */
  uint64_t tasks;
  int64_t used[HC_DIMENSIONS];
} hc_presence;

typedef struct hc_sites {
  const hc_allocator *allocator;
  uint32_t dims;
  int64_t slot[HC_DIMENSIONS]; /* size of a slot; 0: of no account */
  bool is_cut;                 /* there are slots */
  bool takes_more;             /* a task larger than a slot takes several */
  uint32_t here;               /* the host that is looked at; HC_NO_SITE */
  hc_map by_serial, by_host, by_pair;
  hc_stay *stays;
  size_t stay_count, stay_cap;
  hc_presence *presences;
  size_t presence_count, presence_cap;
  uint32_t vacant; /* first presence that is free */
  int64_t *slots;  /* [hosts up to slot_count] taken */
  size_t slot_count, slot_cap;
  int64_t *slots_of; /* [users up to user_count] */
  size_t user_count, user_cap;
} hc_sites;

void hc_sites_init(hc_sites *s, const hc_allocator *a);
void hc_sites_fini(hc_sites *s);
/* Slots that a task of this need takes; 0: it is larger than one, and takes no more. */
int64_t hc_sites_need(const hc_sites *s, const int64_t *need);
/* Slots into which a host is cut. */
int64_t hc_sites_cut(const hc_sites *s, const int64_t *capacity);
int64_t hc_sites_taken(const hc_sites *s, uint32_t host);
int64_t hc_sites_slots_of(const hc_sites *s, uint32_t user);
/* A task starts on the host `here`, or ends. @return 0, HC_ENOMEM. */
hc_rc hc_sites_take(hc_sites *s, uint64_t serial, uint32_t user, const int64_t *need, const int64_t *amounts);
hc_rc hc_sites_give(hc_sites *s, uint64_t serial);
/* What the user has on the host `here`, [dims], or NULL; and the users that have something there, one after
 * another: the cursor is first HC_NO_SITE; HC_NO_SITE when there is no more. */
const int64_t *hc_sites_used(const hc_sites *s, uint32_t user);
uint32_t hc_sites_next(const hc_sites *s, uint32_t host, uint32_t *cursor);
/* State: the tasks that run, by serial. */
hc_rc hc_sites_visit(hc_sites *s, hc_visitor *v);

#endif
