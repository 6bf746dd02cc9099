/* ranking.h -- members in the order of their keys, put in order when it is looked at.
 *
 * For rules under which all keys change at once, at ticks: setting a key costs nothing but that, and sorting
 * by insertion little, since the order is nearly what it was. A line (line.h) that is kept in order costs
 * such rules a tenth of their run. What fits is not known here: a search walks over all members. */
#ifndef HC_POLICY_SHARE_RANKING_H
#define HC_POLICY_SHARE_RANKING_H

#include "base/mem.h"

typedef struct hc_ranked {
  double key;
  uint64_t tie;   /* decides between equal keys: all are different */
  bool is_in;     /* the ranking */
  bool is_listed; /* in `order`: perhaps only because it was in before */
} hc_ranked;

typedef struct hc_ranking {
  const hc_allocator *allocator;
  hc_ranked *members; /* [member_count] */
  size_t member_count, member_cap;
  uint32_t in;     /* how many are in it */
  uint32_t *order; /* [count] */
  size_t count, cap;
  uint32_t *room; /* scratch */
  size_t room_cap;
  bool is_unsorted;
} hc_ranking;

void hc_ranking_init(hc_ranking *r, const hc_allocator *a);
void hc_ranking_fini(hc_ranking *r); /* it may be used again */
/* @return 0, HC_ENOMEM. Cost: O(1) while the order is disturbed; else O(log count + places that it moves),
 * and the order is disturbed only if a member comes or goes. */
hc_rc hc_ranking_set(hc_ranking *r, uint32_t member, double key, uint64_t tie, bool is_in);
/* Many keys will be set: the order is restored by the next sort. */
void hc_ranking_disturb(hc_ranking *r);
/* `order` is what it should be, until a key is set. @return 0, HC_ENOMEM. Cost: O(count) where it nearly
 * is. */
hc_rc hc_ranking_sort(hc_ranking *r);
bool hc_ranking_before(const hc_ranking *r, uint32_t x, uint32_t y);

#endif
