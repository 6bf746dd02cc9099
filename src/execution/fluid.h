/* fluid.h -- activities that progress at rates which follow from sharing resources.
 *
 * A resource has a capacity in units per second: flops, bytes, requests. An activity is some work; each unit
 * of it takes an amount (`weight`) of each resource that the activity uses, and all of these progress at one
 * rate: a flow over links, a computation on a host, a read through a disk and a network, a parallel task
 * that computes and talks (SimGrid's L07) are the same thing. Rates are *max-min fair*: with
 *
 *     x_i                the rate of activity i, units of work per second
 *     l_i = x_i * cost_i its level (`cost` is SimGrid's sharing penalty; its `factor` divides it)
 *     sum over i of weight_ir * x_i <= C_r      for each shared resource r
 *     weight_ir * x_i <= C_r                    for each resource that each may use whole (FATPIPE)
 *     x_i <= bound_i * factor_i
 *
 * no level can rise without another, no higher one, falling. So each activity is at its bound or has a
 * bottleneck: a resource in full use, on which none has a higher level. Rates are what they are for the set
 * of activities; how it came about, and in which order, does not matter (to 1e-12 relative, which is what
 * the test asks of rates against filling anew; ends are then equal to the ns unless work sits on the edge
 * of one).
 *
 * Time is whole ns. An activity ends at the first whole ns at which its work is done; work that is missing a
 * thousandth of a ns, or 1e-13 of the time since the last change, is done.
 *
 * How it is done: see fluid.c and fluid_fair.c. Cost, with n activities on a resource: a change touches
 * those resources whose level changes and the activities on them that use other shared resources too;
 * activities that share one resource only (a disk, a host, a backbone whose other links are their own) cost
 * O(log n) at their start and their end and nothing in between, whatever n is. All changes of one instant
 * are one. Memory: 248 bytes an activity, 40 to 80 for each of its uses.
 *
 * Ownership: an hc_fluid owns all that it is given (arrays are copied). Not thread-safe; two may be used in
 * two threads. No callbacks. Deterministic: equal calls give equal bits, and so do calls after a snapshot.
 * Out of memory: HC_ENOMEM; the one call that can hit it after it has begun to change state says so. */
#ifndef HC_EXECUTION_FLUID_H
#define HC_EXECUTION_FLUID_H

#include "hindcast/base.h"
#include "hindcast/component.h"

typedef struct hc_fluid hc_fluid;

/* How rates follow from resources, for all of them: */
typedef enum hc_fluid_rule {
  HC_FLUID_MAX_MIN,   /* as above */
  HC_FLUID_BOTTLENECK /* SimGrid 3.32's for parallel tasks (L07): see fluid_joint.c */
} hc_fluid_rule;

typedef struct hc_fluid_options {
  hc_fluid_rule rule;
} hc_fluid_options;

/** @param options NULL: all zero @return 0 or HC_ENOMEM */
hc_rc hc_fluid_new(const hc_allocator *a, const hc_fluid_options *options, hc_fluid **out);
void hc_fluid_free(hc_fluid *f); /* NULL is nothing */

/* ---- resources: dense ids 0, 1, 2 ... in order of hc_fluid_add ---- */

typedef enum hc_fluid_sharing {
  HC_FLUID_SHARED, /* what all use together is at most its capacity */
  HC_FLUID_FATPIPE /* each may use all of it: no contention, a bound for each */
} hc_fluid_sharing;

typedef struct hc_fluid_resource {
  double capacity; /* units per second, >= 0; 0: what uses it stands still. HC_FLUID_FREE: no limit */
  hc_fluid_sharing sharing;
  /** [count] its total throughput, units per second, when 1, 2, ... count activities share it, and the last
   *  one for more: B(n), of which each gets B(n) / n if it uses nothing else (DSLab's throughput sharing:
   *  disks, cores in turns). NULL: always `capacity`. Copied; SHARED only; each >= 0. With it `capacity` is
   *  a factor: 1 for the table as it is. Those that are suspended, wait for their delay or have ended do not
   *  count. */
  const double *throughput;
  size_t count;
} hc_fluid_resource;

#define HC_FLUID_FREE __builtin_inf()

/** Add a resource. @param id out @return 0; HC_EINPUT: a capacity or a throughput is negative or NaN, or a
 *  table with FATPIPE; HC_ENOMEM; HC_ELIMIT: 2^31 of them. Cost: O(1). */
hc_rc hc_fluid_add(hc_fluid *f, const hc_fluid_resource *r, uint32_t *id);
/** Its capacity is another from `now` on (with a table: its factor). @return 0 or HC_EINPUT: no such
 * resource, negative or NaN. Cost: O(1), O(activities on it) of a FATPIPE; the rest at the next question. */
hc_rc hc_fluid_set(hc_fluid *f, hc_time now, uint32_t resource, double capacity);
/** What is used of it at `now`, units per second (of a FATPIPE: the sum). @return 0 or HC_ENOMEM */
hc_rc hc_fluid_load(hc_fluid *f, hc_time now, uint32_t resource, double *out);
/** All that was ever used of it until `now`, units: weight x work done. Cost: O(activities on it). */
hc_rc hc_fluid_used(hc_fluid *f, hc_time now, uint32_t resource, double *out);
uint32_t hc_fluid_count(const hc_fluid *f); /* of resources */
/** How many activities share it now: those that are suspended or wait for their delay do not. */
uint32_t hc_fluid_members(const hc_fluid *f, uint32_t resource);

/* ---- activities ---- */

typedef struct hc_fluid_use {
  uint32_t resource;
  double weight; /* amount of it for a unit of work, >= 0; 0 is as if it were not there */
} hc_fluid_use;

/* What starts. Members at zero are their defaults. */
typedef struct hc_fluid_activity {
  const hc_fluid_use *uses; /* [count]; a resource that is there twice counts with the sum. Copied */
  size_t count;
  double work;     /* units, >= 0; 0: it ends when its delay is over */
  double bound;    /* largest rate, units of work per second; 0: none */
  double cost;     /* its rate at a common bottleneck is in proportion to 1 / cost; 0: 1 */
  hc_time delay;   /* ns until it begins to share (a latency): it takes nothing before. 0: at once */
  uint64_t tag;    /* the caller's: who it is. Given back at its end */
  uint64_t serial; /* those that end at one ns come in ascending order of it, then in order of their start */
} hc_fluid_activity;

/* A handle; what has ended or was cancelled has none any more, and its slot gets another generation. Zero is
 * never a handle. */
typedef struct hc_fluid_id {
  uint32_t slot, generation;
} hc_fluid_id;

/** Start an activity. One with neither uses of a finite capacity nor a bound takes no time.
 *  @param out its handle @return 0; HC_EINPUT: a number is negative, NaN or infinite, or there is no such
 *  resource; HC_ENOMEM or HC_ELIMIT (2^31 at once): nothing has changed. Cost: O(uses). */
hc_rc hc_fluid_start(hc_fluid *f, hc_time now, const hc_fluid_activity *a, hc_fluid_id *out);
/** From `now` on its bound and its share are `factor` times what it began with: 1 as it began, 0 suspended
 * (it takes nothing; a delay goes on, and the rest stands still). @return 0; HC_EINPUT: there is no such
 * activity, or the factor is negative, NaN or infinite; HC_ENOMEM. Cost: O(uses). */
hc_rc hc_fluid_change(hc_fluid *f, hc_time now, hc_fluid_id id, double factor);
/** It is stopped, and forgotten. @param done out, may be NULL: work done until `now`, units, between 0 and
 * its work; of one that has ended and was not yet told: all of it @return 0; HC_EINPUT: there is no such
 *  activity (any more); `done` is untouched. Cost: O(uses). */
hc_rc hc_fluid_cancel(hc_fluid *f, hc_time now, hc_fluid_id id, double *done);
/** Work done until `now`, units. @return 0 or HC_EINPUT: there is no such activity; HC_ENOMEM. Cost: O(1) */
hc_rc hc_fluid_done(hc_fluid *f, hc_time now, hc_fluid_id id, double *done);
/** Its rate at `now`, units of work per second: 0 while it waits for its delay or is suspended; infinite if
 * it takes no time. The same errors. */
hc_rc hc_fluid_rate(hc_fluid *f, hc_time now, hc_fluid_id id, double *rate);
/** Which resource holds it back: `resource` is the bottleneck, or UINT32_MAX: its own bound, its delay, or
 *  that it is suspended, or that HC_FLUID_BOTTLENECK cannot say. The same errors. */
hc_rc hc_fluid_bottleneck(hc_fluid *f, hc_time now, hc_fluid_id id, uint32_t *resource);
size_t hc_fluid_active(const hc_fluid *f); /* started, neither told as ended nor cancelled */

/* ---- time ----
 *
 * Calls come in order of time: `now` is never before that of an earlier call, and never after hc_fluid_next
 * but in hc_fluid_advance, which is called then. */

/** The first whole ns at which an activity ends, or a delay is over, if nothing changes before; HC_NEVER if
 *  there is none. While ended ones are not yet told by hc_fluid_advance: the time of their end. This is
 *  where the changes since the last question are worked out (hc_fluid_rate, _load, _used and _bottleneck do
 *  it too: asked in the middle of an instant's changes, they cost, and may move the last bit of a rate).
 *  @return 0, or HC_ENOMEM: the fluid can then only be freed (every later call returns it). */
hc_rc hc_fluid_next(hc_fluid *f, hc_time *at);

typedef struct hc_fluid_end {
  hc_fluid_id id; /* it has no meaning any more: for comparison only */
  uint64_t tag;
  double work; /* units: all of it is done */
} hc_fluid_end;

/** Go to `now`, and tell one activity that has ended, which is forgotten. Called until it returns 0; other
 *  calls (a start, a cancel) may come in between: what they make end at `now` is told too, in order of
 *  serial among themselves; of what begins at `now`, that without work first, then what takes no time.
 *  @return 1: `end` is one; 0: no other ends at `now` (at the end of a delay: none); HC_ENOMEM as
 *  hc_fluid_next. */
hc_rc hc_fluid_advance(hc_fluid *f, hc_time now, hc_fluid_end *end);

/** All of its state, resources included: for snapshots, forks and digests. What is loaded replaces what was
 *  there, and goes on with the same bits. @return 0; HC_EINPUT: what is loaded is damaged; HC_ENOMEM. In
 *  both cases it can only be freed. */
hc_rc hc_fluid_visit(hc_fluid *f, hc_visitor *v);

#endif
