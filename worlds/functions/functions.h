/* functions.h -- what a run file can say of the world `functions`, and the kinds of components that it
 * brings: hosts, applications, and what invokes them. The table of keys is in functions.c. */
#ifndef HC_FUNCTIONS_FUNCTIONS_H
#define HC_FUNCTIONS_FUNCTIONS_H

#include "hindcast/component.h"
#include "hindcast/workload.h"

/* The kinds of this library, after those of the core and of the other worlds. */
#define HC_KIND_NODE ((hc_kind)(HC_KIND_OWN + 8))        /* a record: hosts that are alike */
#define HC_KIND_APPLICATION ((hc_kind)(HC_KIND_OWN + 9)) /* a record: what is invoked */
#define HC_KIND_INVOCATIONS ((hc_kind)(HC_KIND_OWN + 10))
#define HC_KIND_KEEPER ((hc_kind)(HC_KIND_OWN + 15)) /* how long idle containers are kept */

typedef enum hc_fn_scheduler {
  HC_FN_FIRST_FIT,
  HC_FN_LEAST_LOADED,
  HC_FN_ROUND_ROBIN,
  HC_FN_RANDOM,
  HC_FN_HASH
} hc_fn_scheduler;

typedef enum hc_fn_invoker { HC_FN_FIFO, HC_FN_STRICT, HC_FN_GREEDY } hc_fn_invoker;

typedef enum hc_fn_cpu { HC_FN_IGNORED, HC_FN_ISOLATED, HC_FN_CONTENDED } hc_fn_cpu;

typedef enum hc_fn_load { HC_FN_SHARES, HC_FN_INVOCATIONS } hc_fn_load;

typedef struct hc_fn_options {
  hc_list nodes;        /* hc_chosen of HC_KIND_NODE */
  hc_list applications; /* hc_chosen of HC_KIND_APPLICATION */
  hc_list invocations;  /* hc_chosen of HC_KIND_INVOCATIONS */
  int scheduler, invoker, cpu, load;
  bool prefer_warm, avoid_queueing, warm_first;
  int64_t hash_step;
  hc_time keep_alive, prewarm;
  bool reset;
  hc_chosen keeper; /* of HC_KIND_KEEPER; none: as the three before say */
} hc_fn_options;

typedef struct hc_fn_node_options {
  int64_t count, cores, memory;
} hc_fn_node_options;

typedef struct hc_fn_application_options {
  const char *name;
  double share;
  int64_t memory, concurrency;
  hc_time start;
} hc_fn_application_options;

/** What invocations are made for. */
typedef struct hc_invocations_context {
  const hc_allocator *allocator;
  uint64_t seed, replication;
  uint32_t number; /* of the source: draws differ by it */
  void *ctx;
  /** The number of an application by its name. @return 1, 0 (there is none of that name), HC_ENOMEM,
   * HC_ELIMIT */
  hc_rc (*application)(void *ctx, const char *name, size_t size, uint32_t *out);
  /** One invocation: when it arrives, and how long it takes at rate 1. In any order. */
  hc_rc (*invoke)(void *ctx, uint32_t application, hc_time arrival, hc_time duration);
  /** What its containers take, bytes, unless it is declared by name. */
  void (*memory)(void *ctx, uint32_t application, int64_t bytes);
  /** So many invocations are not made, for a reason of the ledger. */
  void (*reject)(void *ctx, hc_reason why, uint64_t count);
} hc_invocations_context;

typedef struct hc_invocations_type {
  hc_component component;
  /** @return 0, HC_EINPUT or HC_EIO with the place, HC_EUSAGE, HC_ENOMEM, HC_ELIMIT. */
  hc_rc (*make)(const hc_invocations_context *c, const void *options, hc_error *e);
} hc_invocations_type;

/** What becomes of an idle container. */
typedef struct hc_keeper_windows {
  hc_time ahead; /* 0: it is kept; else it ends at once, and another is made ahead after so long */
  hc_time keep;  /* that it is kept, or, if another is made, that one from when it is up; HC_NEVER */
  bool is_learned;
} hc_keeper_windows;

typedef struct hc_keeper hc_keeper; /* what it knows of applications; each component defines its own */
typedef struct hc_keeper_type {
  hc_component component;
  hc_rc (*init)(const hc_allocator *a, const void *options, hc_keeper **out, hc_error *e);
  void (*fini)(hc_keeper *self);
  /** An application that had no invocation for so long has one. @return 0, HC_ENOMEM */
  hc_rc (*idle)(hc_keeper *self, uint32_t application, hc_time time);
  /** What becomes of its containers that have none from now on. */
  hc_keeper_windows (*windows)(const hc_keeper *self, uint32_t application);
} hc_keeper_type;

#define HC_FN_KEEP_ALIVE (10 * HC_MINUTE) /* the default of keep_alive */

/** The longest and latest that an invocation can be. */
#define HC_FN_LONGEST 1e9 /* s */

#endif
