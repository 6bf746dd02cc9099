/* choose.h -- which user is next: fair shares of whole tasks, kept up to date one start and one end at a
 * time.
 *
 * A tournament over users keyed by their weighted dominant share: the next user is its root, a start or an
 * end replays one path. Amounts are whole numbers and shares are computed from them anew, never added up, so
 * that a state depends on what is held and not on how it came about; and equal shares are equal doubles as
 * long as capacity x weight is exact in one (integers below 2^53), so that ties are ties.
 *
 * Callers say which users wait; one that was tried and does not fit is skipped until they say `again`. */
#ifndef HC_POLICY_SHARE_CHOOSE_H
#define HC_POLICY_SHARE_CHOOSE_H

#include "hindcast/task.h"

#define HC_NOBODY UINT32_MAX

/* ---- tournament: the least of n keys ---- */

typedef struct hc_tournament {
  const hc_allocator *allocator;
  uint32_t count, leaves; /* leaves: a power of two */
  double *key;            /* [count]; infinite: does not take part */
  uint64_t *tie;          /* [count] decides between equal keys; then the lower index */
  uint32_t *winner;       /* [2 leaves] node 1 is the root, leaf i is leaves + i */
} hc_tournament;

hc_rc hc_tournament_init(hc_tournament *t, const hc_allocator *a, uint32_t count);
void hc_tournament_fini(hc_tournament *t);
/* Cost: O(log count). */
void hc_tournament_set(hc_tournament *t, uint32_t i, double key, uint64_t tie);
/* HC_NOBODY if all are out. Cost: O(1). */
uint32_t hc_tournament_first(const hc_tournament *t);

/* ---- DRF: Ghodsi et al. 2011, algorithm 1 ---- */

/* Between users with equal shares: the lower index, the one served less recently, or by rank
 * (hc_drf_rank). */
typedef enum hc_drf_tie { HC_TIE_INDEX, HC_TIE_TURN, HC_TIE_RANK } hc_drf_tie;

typedef struct hc_drf {
  const hc_allocator *allocator;
  uint32_t users, dims;
  hc_drf_tie tie;
  uint64_t turn;
  int64_t capacity[HC_DIMENSIONS];
  int64_t *used;   /* [users][dims] */
  double *divisor; /* [users][dims] capacity x weight x weight of the resource; 0: the resource is not */
  double *weight;  /* [users] */
  double *resource_weight; /* [users][dims], or NULL */
  double *share;           /* [users] max_r used / divisor */
  uint8_t *state;          /* [users] waits, skipped, in the list of the skipped */
  uint32_t *skipped, skips;
  hc_tournament next;
} hc_drf;

/* @param capacity [dims]; weight [users] > 0 or NULL; resource_weight [users][dims] > 0 or NULL; copied. */
hc_rc hc_drf_init(hc_drf *d, const hc_allocator *a, uint32_t users, uint32_t dims, const int64_t *capacity,
                  const double *weight, const double *resource_weight, hc_drf_tie tie, hc_error *e);
void hc_drf_fini(hc_drf *d);
/* The cluster changed. Cost: O(users dims). */
void hc_drf_capacity(hc_drf *d, const int64_t *capacity);
void hc_drf_rank(hc_drf *d, uint32_t user, uint64_t rank);
/* Whether the user has something to start. A user that waits anew is not skipped. */
void hc_drf_wait(hc_drf *d, uint32_t user, bool waits);
/* The user with the least share of those that wait and are not skipped, or HC_NOBODY. Cost: O(1). */
uint32_t hc_drf_next(const hc_drf *d);
/* Something of this user's started, or ended. @param amount [dims] Cost: O(dims + log users). */
void hc_drf_start(hc_drf *d, uint32_t user, const int64_t *amount);
void hc_drf_end(hc_drf *d, uint32_t user, const int64_t *amount);
/* It does not fit: not next until `again`. Cost: O(log users); `again`: that for each one skipped. */
void hc_drf_skip(hc_drf *d, uint32_t user);
void hc_drf_again(hc_drf *d);
double hc_drf_share(const hc_drf *d, uint32_t user);

/* Algorithm 1 to its end: starts tasks of fixed shapes as long as it can. @param free [dims] in and out;
 * demand [users][dims]; left [users] tasks each still has, in and out; is_blocking: stop at the first that
 * does not fit (as printed), else skip it for this round (work-conserving); sequence [cap] out, or NULL.
 * @return tasks started. */
size_t hc_drf_fill(hc_drf *d, int64_t *free, const int64_t *demand, int64_t *left, bool is_blocking,
                   uint32_t *sequence, size_t cap);

/* ---- H-DRF: a tree of users; Bhattacharya et al. 2013 ---- */

/* Naive: a group's usage is the sum of its members'. Rescaled: each member's is first scaled to the least
 * share among the members that are not blocked. */
typedef enum hc_hdrf_rule { HC_HDRF_NAIVE, HC_HDRF_RESCALED } hc_hdrf_rule;

typedef struct hc_hdrf {
  const hc_allocator *allocator;
  uint32_t nodes, dims;
  hc_hdrf_rule rule;
  int64_t capacity[HC_DIMENSIONS];
  uint32_t *parent, *place; /* [nodes] place among the parent's children */
  uint32_t *first,
      *leaves;            /* [nodes] of its tournament: first place in `winner` and `sum`; 0 leaves: a leaf */
  double *weight, *share; /* [nodes] */
  bool *blocked;          /* [nodes] */
  int64_t *used;          /* [nodes][dims], of leaves */
  double *vector;         /* [nodes][dims] what a group counts as using, as shares */
  double *direction;      /* [nodes][dims] that, at a weighted dominant share of 1; 0 if it uses nothing */
  uint32_t *winner;       /* [places] node with the least share that is not blocked */
  double *sum;            /* [places][dims] of directions (rescaled) or vectors (naive) */
  size_t places;
} hc_hdrf;

/* @param parent [nodes] parent[i] < i; parent[0] is not looked at: 0 is the root. A node without children is
 * a user. weight [nodes] or NULL. All users start blocked: hc_hdrf_block(h, leaf, false) lets one in. */
hc_rc hc_hdrf_init(hc_hdrf *h, const hc_allocator *a, uint32_t nodes, const uint32_t *parent,
                   const double *weight, uint32_t dims, const int64_t *capacity, hc_hdrf_rule rule,
                   hc_error *e);
void hc_hdrf_fini(hc_hdrf *h);
/* A leaf is blocked if it has no demand, or needs something that is used up. Cost as of a start. */
void hc_hdrf_block(hc_hdrf *h, uint32_t leaf, bool is_blocked);
/* The leaf that is next, or HC_NOBODY. Cost: O(depth). */
uint32_t hc_hdrf_next(const hc_hdrf *h);
/* The weighted share of what a group's members have, or of their directions if they are rescaled: then its
 * share is that times the least of those that are not blocked. */
double hc_hdrf_base(const hc_hdrf *h, uint32_t group);
/* Cost: O(depth dims log children). */
void hc_hdrf_start(hc_hdrf *h, uint32_t leaf, const int64_t *amount);
void hc_hdrf_end(hc_hdrf *h, uint32_t leaf, const int64_t *amount);

/* ---- DRFH: which server; the user is hc_drf_next over the pooled capacity ---- */

/* The first server on which `need` fits, and the one among them that minimises sum_r |need_r / need_1 -
 * free_r / free_1|, 1 the first resource that is needed (the paper has the first one of all, which may be 0),
 * ties to the lowest. @param free [servers][dims]; @return HC_NOBODY if there is none. Cost: O(servers
 * dims). */
uint32_t hc_drfh_first_fit(uint32_t dims, const int64_t *need, const int64_t *free, uint32_t servers);
uint32_t hc_drfh_best_fit(uint32_t dims, const int64_t *need, const int64_t *free, uint32_t servers);

#endif
