/** @file omega.h
 *  Closed worlds: another simulator's own machines, jobs and schedulers, carried out as that simulator would, in place of
 *  the engine. A run whose key `world` names one is made, advanced and finished like any other, and has its result in the
 *  same store; source, cell, policy and metrics play no part in it.
 *
 *  The one there is, `omega`, is the light-weight cluster simulator that was published with Google's Omega. What its jobs
 *  are made from, and what runs when it begins, are components of their own. */
#ifndef HINDCAST_OMEGA_H
#define HINDCAST_OMEGA_H

#include "hindcast/metric.h"
#include "hindcast/mold.h"
#include "hindcast/output.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hc_world hc_world; /* a component's state */

/** What a world is made with. */
typedef struct hc_world_context {
  const hc_allocator *allocator;
  uint64_t seed, replication;
} hc_world_context;

/** How far it has come. */
typedef struct hc_world_progress {
  hc_time now;
  uint64_t submitted, started, ended; /* tasks */
  uint64_t waiting, running;
  uint64_t events;
} hc_world_progress;

typedef struct hc_world_type {
  hc_component component;
  /** @return 0, HC_EINPUT or HC_EIO (a file, with its place), HC_EUSAGE, HC_ENOMEM. */
  hc_rc (*init)(const hc_world_context *c, const void *options, hc_world **out, hc_error *e);
  /** Go on until virtual time `until`, or for `events` events (0: no bound). @return 1 if there is more to do, 0 at the
   *  end, HC_ENOMEM. */
  hc_rc (*advance)(hc_world *w, hc_time until, uint64_t events, hc_error *e);
  void (*progress)(const hc_world *w, hc_world_progress *p);
  /** Tell the figures, and the rows and ledgers to a store if there is one. @return 0, HC_EIO, HC_ENOMEM. */
  hc_rc (*finish)(hc_world *w, hc_findings *f, hc_store *store, hc_error *e);
  void (*fini)(hc_world *w);
} hc_world_type;

/** A job as it arrives: tasks that are all alike. Times in s. */
typedef struct hc_omega_arrival {
  double submit, duration;
  double cpus, memory; /* of a task; memory in GB (2^30) */
  uint32_t tasks;
  uint32_t activities; /* more tasks than this would not end it sooner; 0: as many as there are tasks */
} hc_omega_arrival;

/** What jobs are made for. */
typedef struct hc_arrivals_context {
  const hc_allocator *allocator;
  double window; /* s: jobs that come later are left out */
  uint64_t seed, replication;
  uint32_t workload; /* its number: draws differ by it */
  const char *name;  /* of the workload */
  uint32_t defects;  /* bit i - 1: defect Di of the original is reproduced */
  double scale;      /* gaps between jobs are multiplied by it */
  void *ctx;
  hc_rc (*job)(void *ctx, const hc_omega_arrival *job);
} hc_arrivals_context;

/** Makes the jobs of a workload, in the order in which the original would number them. */
typedef struct hc_arrivals_type {
  hc_component component;
  /** @return 0, HC_EINPUT or HC_EIO with the place, HC_EUSAGE, HC_ENOMEM, or what `job` returned. */
  hc_rc (*make)(const hc_arrivals_context *c, const void *options, hc_error *e);
} hc_arrivals_type;

/** A job that runs when the world begins. */
typedef struct hc_omega_fill {
  double end; /* s; infinity: the run's end */
  double cpus, memory;
  uint32_t tasks;
} hc_omega_fill;

/** What a prefill is made for. */
typedef struct hc_prefill_context {
  const hc_allocator *allocator;
  double run_time;     /* s */
  double cpus, memory; /* of all machines */
  double machine_cpus, machine_memory;
  uint64_t seed, replication;
  uint32_t number; /* of the prefill: draws differ by it */
  uint32_t defects;
  void *ctx;
  hc_rc (*job)(void *ctx, const hc_omega_fill *job);
} hc_prefill_context;

typedef struct hc_prefill_type {
  hc_component component;
  /** @return as hc_arrivals_type.make */
  hc_rc (*make)(const hc_prefill_context *c, const void *options, hc_error *e);
} hc_prefill_type;

#ifdef __cplusplus
}
#endif
#endif
