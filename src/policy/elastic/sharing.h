/* sharing.h -- how many nodes each malleable task is to have: what a strategy is asked.
 *
 * A strategy is one file with an hc_elastic_strategy and a line in strategies.def. It keeps nothing: it sees
 * all that run and may change, and says what each is to have; and with how many a task starts. Units of room
 * are processors, or hosts where tasks have hosts whole. */
#ifndef HC_POLICY_ELASTIC_SHARING_H
#define HC_POLICY_ELASTIC_SHARING_H

#include "hindcast/policy.h"

/* A running task that may change. */
typedef struct hc_sharer {
  hc_task task;
  int64_t size, least, most, prefers; /* slots; processors elsewhere */
  int64_t each;                       /* units of room of one of them */
  int64_t target;                     /* what it is to have: `size` before a strategy is asked */
  int64_t priority;
  uint64_t serial;
} hc_sharer;

typedef struct hc_elastic {
  hc_sharer *tasks; /* [count] in the order in which they were submitted */
  size_t count;
  int64_t free; /* units that nothing holds */
  int64_t
      wants; /* units that the tasks that wait need, in the order of their queue, as far as that goes; 0: no
                    task waits */
  int64_t first; /* of these, the first task's */
} hc_elastic;

typedef struct hc_elastic_strategy {
  const char *name;
  /** Sizes of those that run. Of what targets come to beyond `free` nothing can be kept: it is there when
   * others
   *  have given it up. */
  void (*share)(hc_elastic *x);
  /** With how many a task starts that asks for `prefers`, where there is room for `room`. It may be more than
   *  that: then it waits. */
  int64_t (*start)(int64_t least, int64_t most, int64_t prefers, int64_t room);
  bool draws_all; /* it asks what all tasks want that wait; else `wants` is the first one's */
} hc_elastic_strategy;

/* ---- what strategies are made of: sharing.c ---- */

/** Does a give before b, or get before b? */
typedef bool (*hc_elastic_before)(const hc_sharer *a, const hc_sharer *b);
/** Down to which size; up to which. */
typedef int64_t (*hc_elastic_bound)(const hc_sharer *t);
int64_t hc_elastic_least(const hc_sharer *t);
int64_t hc_elastic_most(const hc_sharer *t);
int64_t hc_elastic_prefers(const hc_sharer *t);
bool hc_elastic_larger(const hc_sharer *a, const hc_sharer *b);
bool hc_elastic_smaller(const hc_sharer *a, const hc_sharer *b);
bool hc_elastic_earlier(const hc_sharer *a, const hc_sharer *b);
/** Take `units` of those before others, each down to its floor, one slot of one task at a time.
 *  @return units that are still missing */
int64_t hc_elastic_take(hc_elastic *x, int64_t units, hc_elastic_before before, hc_elastic_bound floor);
/** Deal `units` to those before others, each up to its ceiling, one slot of one task at a time.
 *  @return units that are left */
int64_t hc_elastic_deal(hc_elastic *x, int64_t units, hc_elastic_before before, hc_elastic_bound ceiling);
/** What all of them could give, each down to its floor. */
int64_t hc_elastic_spare(const hc_elastic *x, hc_elastic_bound floor);
/** Units that the first task misses, if all together can give as much; else 0. */
int64_t hc_elastic_missing(const hc_elastic *x, hc_elastic_bound floor);

#define HC_STRATEGY(name) extern const hc_elastic_strategy hc_elastic_##name;
#include "policy/elastic/strategies.def"
#undef HC_STRATEGY

#endif
