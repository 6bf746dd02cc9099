/* sharing.h -- who has what, who wants what, and what would be fair: the books of metrics of fairness.
 *
 * A user's *wants* are what its tasks hold and what those that wait ask for, together. Its *fair share* is a
 * part of its wants, the part that demand-capped weighted DRF gives it: all of them grow in step, as dominant
 * shares over weights, until a dimension is full or a user has all that it wants (cluster/filling.h). It is
 * computed when an instant is over, at most once, and only if wants or capacity changed in it: a task that
 * starts changes neither.
 *
 * Shares are multiples of 2^-52, rounded once, so that what families add up is exact. A task that wants its
 * hosts whole is taken to want as much as a mean host has. Users who neither hold nor want anything are not
 * *active*. Cost: O(1) a change; fair shares O(active (log active + dimensions^2)) an instant with changes.
 * Memory: 300 bytes a user. Source: Ghodsi et al., Dominant resource fairness, NSDI 2011. */
#ifndef HC_METRIC_SHARING_H
#define HC_METRIC_SHARING_H

#include "base/mem.h"
#include "base/wide.h"
#include "cluster/filling.h"
#include "metric/machine.h"
#include "metric/order.h"

#define HC_SHARE_BITS 52
#define HC_SHARE_ONE ((double)((int64_t)1 << HC_SHARE_BITS))

typedef struct hc_party {
  int64_t user;
  int64_t held[HC_DIMENSIONS],
      wanted[HC_DIMENSIONS];      /* by the lexicon's number; wanted: by tasks that wait */
  int64_t settled[HC_DIMENSIONS]; /* both together, when shares were last computed */
  int64_t running, waiting;       /* tasks */
  double weight;
  double part;        /* of its wants that is fair */
  uint64_t active_at; /* place among the active, from 1; 0: is not */
} hc_party;

/* What is saved beside the arrays. */
typedef struct hc_sharing_state {
  hc_time at;           /* of the last change */
  uint64_t pending;     /* it has not been closed yet */
  uint64_t stale;       /* wants or capacity changed */
  uint64_t last_serial; /* whose claims came last: a task has one for each host */
  int64_t last_kind;
  uint64_t last_is_known;
} hc_sharing_state;

typedef struct hc_sharing {
  const hc_allocator *allocator;
  hc_machine machine;
  hc_sharing_state state;
  int64_t whole[HC_DIMENSIONS]; /* what a mean host has */
  hc_map index;                 /* user -> place in items */
  hc_party *items;
  size_t count, cap;
  uint64_t *active; /* [active_count] places */
  size_t active_count, active_cap;
  uint64_t
      *left; /* [left_count] places of those that ceased to be active since the last instant, or are again */
  size_t left_count, left_cap;
  bool needs_fair; /* set after hc_sharing_init by who asks for fair shares: else none are computed */
  const hc_lexicon *lexicon; /* may be NULL */
  hc_names weight_names;     /* as they are spelt: a name's number is its place in weights */
  hc_map weight_of;          /* a number -> place in weights */
  double *weights;
  size_t weight_count, weight_cap;
  double *room; /* demand, weights, most, tasks and scratch of active users */
  size_t room_cap;
  hc_order order; /* after hc_sharing_order */
} hc_sharing;

/* Members of a family's options. */
#define HC_WEIGHTS_PARAM(options, member) \
  HC_PARAM_AS(TEXTS, "weights", options, member, NULL, \
              "Weights of users: [17=2, ann=0.5]; all others have weight 1. A user goes by the name that " \
              "the source has, or else by number.")
#define HC_SHARING_TEXT \
  " A user's fair share is what demand-capped weighted DRF gives it of what its tasks hold and ask for " \
  "together, as if all were divisible and the cell one host: dominant shares over weights grow in step " \
  "until a dimension is full or the user has all that it wants. It is computed anew at each instant at " \
  "which that changed: O(active users (log users + dimensions^2)). Users who hold and want nothing do not " \
  "count."

/* @param who    what errors call the family: "metric envy"
 *  @param weights of hc_text, "user=weight"
 *  @return 0, HC_EUSAGE (a weight), HC_ENOMEM; after a failure hc_sharing_fini is still called. */
hc_rc hc_sharing_init(hc_sharing *s, const hc_metric_context *c, const char *who, const hc_list *weights,
                      hc_error *e);
void hc_sharing_fini(hc_sharing *s);

/* Called when an instant is over in which something changed, and what holds from `t` on is in the books. */
typedef hc_rc hc_sharing_closed(void *self, hc_time t);
/* Hear changes, and say of each instant when it is over. @return 0, HC_ELIMIT, HC_ENOMEM, or what `closed`
 * did. */
hc_rc hc_sharing_hear(hc_sharing *s, const hc_change *changes, size_t count, hc_sharing_closed *closed,
                      void *self);
/* The run is over: the last instant closes. */
hc_rc hc_sharing_end(hc_sharing *s, hc_sharing_closed *closed, void *self);
hc_rc hc_sharing_visit(hc_sharing *s, hc_visitor *v);
/* Put the places in order by ascending user: `order.at` [count]. @return 0 or HC_ENOMEM. */
hc_rc hc_sharing_order(hc_sharing *s);

/* The i-th active user. */
static inline const hc_party *hc_sharing_active(const hc_sharing *s, size_t i)
{
  return &s->items[s->active[i]];
}

/* Nearest multiple of 2^-52; of a dimension that is gone, nothing. */
int64_t hc_share_of(int64_t amount, int64_t capacity);
/* The same of a double >= 0. */
int64_t hc_share_fixed(double share);
/* Dominant shares of what it holds, and of its fair share. */
int64_t hc_party_used(const hc_sharing *s, const hc_party *p);
int64_t hc_party_fair(const hc_sharing *s, const hc_party *p);
/* A fair share that differs from what is used by less than 2^-48 is that: it was computed with rounding. */
static inline int64_t hc_share_snap(int64_t fair, int64_t used)
{
  const int64_t far = fair - used;
  return far > -16 && far < 16 ? used : fair;
}
/* What it holds and asks for; never negative. */
double hc_party_wants(const hc_party *p, uint8_t which);
/* The dominant share of what it could use of `part` (0 to 1) of everything. */
int64_t hc_party_entitled(const hc_sharing *s, const hc_party *p, double part);

#endif
