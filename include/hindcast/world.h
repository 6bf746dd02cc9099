/** @file world.h Closed worlds: another simulator's own machines, jobs and schedulers, carried out as that
 *  simulator would, in place of the engine. A run whose key `world` names one is made, advanced and
 *  finished like any other, and has its result in the same store; source, cell, policy and metrics play no
 *  part in it. */
#ifndef HINDCAST_WORLD_H
#define HINDCAST_WORLD_H

#include "hindcast/figure.h"
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
  /** Go on until virtual time `until`, or for `events` events (0: no bound). With fewer events than that, all
   *  that happens until then has happened. @return 1 if there is more to do, 0 at the end, HC_ENOMEM. */
  hc_rc (*advance)(hc_world *w, hc_time until, uint64_t events, hc_error *e);
  void (*progress)(const hc_world *w, hc_world_progress *p);
  /** Tell the figures, and the rows and ledgers to a store if there is one. @return 0, HC_EIO, HC_ENOMEM. */
  hc_rc (*finish)(hc_world *w, hc_findings *f, hc_store *store, hc_error *e);
  void (*fini)(hc_world *w);
} hc_world_type;

#ifdef __cplusplus
}
#endif
#endif
