/* pools.h -- a tree of pools and what each pool and job should have: YT's vector fair share.
 *
 * All amounts are shares of the whole, in [0, 1]. A job wants a vector and may hold part of it already; a
 * pool divides what it is offered among its members by weight (fair) or gives all to one after the other
 * (fifo). Guarantees come first and weights count on top of them, at equal rates; a guarantee is not taken
 * out of what is divided by weight. All of it stops where the first resource is used up at the root
 * ("one-shot saturation"), which is not what DRF does: a job that needs none of it may still run, as usage
 * above its fair share.
 *
 * An update builds again only the curves of what changed and of the pools above it; then it hands the shares
 * down. Source: the scheduler of YTsaurus (vector HDRF), whose tests Y1 to Y9 come from. */
#ifndef HC_POLICY_SHARE_POOLS_H
#define HC_POLICY_SHARE_POOLS_H

#include "hindcast/component.h"
#include "policy/share/curve.h"

#define HC_POOL_ROOT 0u
#define HC_POOL_NONE UINT32_MAX

typedef enum hc_pool_kind { HC_POOL_FAIR, HC_POOL_FIFO, HC_POOL_JOB } hc_pool_kind;

/* Integral guarantees: a pool may take `integral_share` of each resource now, out of a volume it saved
 * (hc_integral_share). Burst: as if it were guaranteed. Relaxed: out of what guarantees leave. */
typedef enum hc_pool_integral { HC_INTEGRAL_NONE, HC_INTEGRAL_BURST, HC_INTEGRAL_RELAXED } hc_pool_integral;

/* What is said of a pool or job. hc_pool_plain() is weight 1, no guarantee, no limit. */
typedef struct hc_pool_wish {
  double weight;                /* > 0 */
  int64_t rank;                 /* in a fifo pool: higher weight first, then lower rank, then earlier added */
  bool is_gang;                 /* jobs: all of the demand or nothing */
  double usage[HC_DIMENSIONS];  /* jobs */
  double demand[HC_DIMENSIONS]; /* jobs: with usage, so >= usage; may exceed 1 */
  double limit[HC_DIMENSIONS];
  double strong[HC_DIMENSIONS]; /* pools */
  hc_pool_integral integral;    /* pools */
  double burst;          /* share of each resource a burst pool is promised: counts with the strong ones */
  double integral_share; /* what it may take now, >= 0 */
} hc_pool_wish;

typedef struct hc_pool {
  hc_pool_kind kind;
  bool is_here, is_dirty;
  uint32_t parent, first, last, next, before; /* members, in the order they were added; free ones by `next` */
  hc_pool_wish wish;
  hc_curve curve;
  double pace; /* weight over the least weight of its siblings */
  /* results */
  double usage[HC_DIMENSIONS], demand[HC_DIMENSIONS];    /* of pools: sums */
  double strong[HC_DIMENSIONS], integral[HC_DIMENSIONS]; /* guarantees, scaled to fit */
  double guarantee[HC_DIMENSIONS];                       /* their sum */
  double fair[HC_DIMENSIONS];                            /* the fair share */
} hc_pool;

typedef struct hc_pools {
  const hc_allocator *allocator;
  uint32_t dims;
  hc_pool *pools;
  size_t count, cap;
  uint32_t free;   /* list of removed ones */
  uint32_t *order; /* parents before members; built anew if the tree changed */
  size_t ordered, order_cap;
  bool is_changed, has_strong, has_integral;
  struct hc_pool_event *events, *room; /* scratch */
  size_t event_cap, room_cap;
  struct hc_pool_active *active; /* scratch */
  size_t active_cap;
  uint32_t *queue; /* scratch */
  size_t queue_cap;
  struct hc_pool_place *places; /* scratch */
  size_t place_cap;
  double root_f;
  bool root_after;
} hc_pools;

hc_pool_wish hc_pool_plain(void);
/* A tree with a root, a fair pool without limit. */
hc_rc hc_pools_init(hc_pools *p, const hc_allocator *a, uint32_t dims, hc_error *e);
void hc_pools_fini(hc_pools *p);
/* A new member of a pool, its numbers reused after a removal. @return 0, HC_ENOMEM, or HC_EINPUT: `parent` is
 * a job, or a fifo pool and this no job; a number is out of range. */
hc_rc hc_pools_add(hc_pools *p, uint32_t parent, hc_pool_kind kind, const hc_pool_wish *wish, uint32_t *id,
                   hc_error *e);
/* It must be here and have no members. Cost: O(depth). */
void hc_pools_remove(hc_pools *p, uint32_t id);
hc_rc hc_pools_set(hc_pools *p, uint32_t id, const hc_pool_wish *wish, hc_error *e);
/* A job's usage and demand only: what changes with every start and end. [dims] each. Cost: O(depth). */
void hc_pools_job(hc_pools *p, uint32_t id, const double *usage, const double *demand);
/* This element is to be looked at again; the functions above do it. */
void hc_pools_mark(hc_pools *p, uint32_t id);
/* Bring all fair shares up to date. @return 0 or HC_ENOMEM. */
hc_rc hc_pools_update(hc_pools *p, hc_error *e);
/* State: all but curves. On loading, dims are those of the tree as it was initialised. */
hc_rc hc_pools_visit(hc_pools *p, hc_visitor *v);
static inline const hc_pool *hc_pools_at(const hc_pools *p, uint32_t id)
{
  return &p->pools[id];
}
/* How a fair share is made up: min(fair, strong), of the rest min(rest, integral), the rest by weight. */
void hc_pool_split(const hc_pool *x, uint32_t dims, double *strong, double *integral, double *by_weight);

/* ---- what usage is against the fair share ---- */

/* Order of offers: the least first; HC_POOL_SATED if nothing is due. Over in some resource: the largest usage
 * / fair. All resources blocked (fair >= demand): the smallest. Else the largest over the others. */
#define HC_POOL_SATED 1e9
double hc_pool_satisfaction(uint32_t dims, const double *fair, const double *usage, const double *demand);

/* min(fair x tolerance, demand) exceeds usage in all resources that are not blocked; if all are, in one.
 * @param tolerance YT's is 0.8, and 1 for a job with demand <= fair. */
bool hc_pool_is_below(uint32_t dims, const double *fair, const double *usage, const double *demand,
                      double tolerance);

typedef enum hc_pool_hunger { HC_POOL_FED, HC_POOL_STARVING, HC_POOL_STARVING_BADLY } hc_pool_hunger;
/* @param below_since when it was first found below, HC_NEVER if it is not; starving after more than
 * `timeout`, badly after more than `bad` (HC_NEVER: not at all). YT: 30 s, and 120 s where that is switched
 * on. */
hc_pool_hunger hc_pool_starves(hc_time below_since, hc_time now, hc_time timeout, hc_time bad);

/* ---- saved volumes of integral guarantees, in seconds of the whole cluster ---- */

typedef struct hc_integral {
  double flow;   /* share of the cluster that flows in */
  double volume; /* seconds */
} hc_integral;

/* `seconds` went by, in which the pool took `used` (a share). The volume stays within [0, flow x a day], or
 * what it was if that was more. @return what overflowed. */
double hc_integral_flow(hc_integral *x, double seconds, double used);
/* What may be taken now: volume over the smoothing time of a minute, but at most `most` (the burst guarantee;
 * for relaxed pools 3 x flow). */
double hc_integral_share(const hc_integral *x, double most);

#endif
