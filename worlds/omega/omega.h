/* omega.h -- the kinds of components that this world brings: what jobs are made from, and what runs when it
 * begins. */
#ifndef HC_OMEGA_OMEGA_H
#define HC_OMEGA_OMEGA_H

#include "hindcast/component.h"

/* The kinds of this library, after those of the core. */
#define HC_KIND_WORKLOAD ((hc_kind)HC_KIND_OWN) /* a record: jobs, and how they are thought about */
#define HC_KIND_ARRIVALS ((hc_kind)(HC_KIND_OWN + 1))
#define HC_KIND_PREFILL ((hc_kind)(HC_KIND_OWN + 2))

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

#endif
