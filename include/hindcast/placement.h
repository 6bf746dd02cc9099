/** @file placement.h Where tasks run: which processors or hosts a task gets, and which hosts may be used at
 *  all. */
#ifndef HINDCAST_PLACEMENT_H
#define HINDCAST_PLACEMENT_H

#include "hindcast/chooser.h"
#include "hindcast/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a placement chooses from, and the task that it chooses for. */
typedef struct hc_place_input {
  const hc_range *free; /* [free_count] ascending, disjoint, never adjacent */
  size_t free_count;
  int64_t units;
  uint64_t serial, seed, replication;
  uint64_t draws; /* places that the task was given before and did not keep: a draw is another each time */
} hc_place_input;

/** Which processors a task gets. */
typedef struct hc_place_type {
  hc_component component;
  bool contiguous; /* one range or nothing: a task may not fit although enough is free */
  /** Choose exactly `units` of the free ones. @param out [units at most] chosen ranges, ascending, disjoint.
   *  @return how many ranges, or 0 if it cannot be placed. */
  size_t (*place)(const void *options, const hc_place_input *in, hc_range *out);
  /** How it chooses on a cell of hosts: fill `out`, whose `self` is what `init` made, or `options` if it made
   *  nothing. NULL: it cannot be used there. */
  void (*chooser)(const void *options, hc_policy *self, hc_chooser *out);
  hc_rc (*init)(const hc_policy_context *c, const void *options, hc_policy **out,
                hc_error *e); /* NULL: it has no state */
  /** A task has arrived: `slots` times `need` [dimensions] (by the lexicon's number; of further ones it needs
   *  nothing). NULL: not heard. */
  void (*arrived)(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots);
  hc_rc (*visit)(hc_policy *self, hc_visitor *v);
  void (*fini)(hc_policy *self);
  bool reads_topology; /* looks at hc_policy_context.topology. Since 0.3 */
} hc_place_type;

/** A host as a criterion sees it. Arrays are by the cell's own dimensions. */
typedef struct hc_host_state {
  uint32_t host, class_id;
  uint32_t dimensions;
  bool is_idle;         /* no task is on it */
  const uint8_t *which; /* [dimensions] the lexicon's number of each */
  const double *used; /* [dimensions] the share that tasks and local load have together: 1 - free / capacity,
                           where local load of level x makes free (1 - x) of what tasks leave; 0 of nothing */
  const double *load; /* [dimensions] local load alone */
  const int64_t *capacity; /* [dimensions] */
  double speed;
  const hc_host_class *host_class;
} hc_host_state;

/** What a criterion gets at birth. */
typedef struct hc_eligibility_context {
  const hc_allocator *allocator;
  const hc_cell_spec *cell;
  hc_lexicon *lexicon;
} hc_eligibility_context;

/** Which hosts may be used now: a criterion that is asked for each host before anything is placed on it. It
 *  knows nothing of the task, and depends on nothing but the host's state. When a reservation is made it is
 *  asked with the local load left out. */
typedef struct hc_eligibility_type {
  hc_component component;
  hc_rc (*init)(const hc_eligibility_context *c, const void *options, hc_policy **out,
                hc_error *e); /* or NULL */
  /** NULL: every host may be used, at no cost. */
  bool (*admits)(const hc_policy *self, const hc_host_state *h);
  void (*fini)(hc_policy *self);
} hc_eligibility_type;

#ifdef __cplusplus
}
#endif
#endif
