/* world.h -- a cloud that runs functions: hosts, containers, invocations. The parts and their files:
 *
 *   world.c      birth, the events
 *   host.c       containers on hosts, the queue of a host
 *   cpu.c        how fast what runs in containers goes on
 *   scheduler.c  which host gets an invocation
 *   report.c     figures, rows
 *
 * Everything is a dense array and known by its number; lists are threaded through the items. Times are whole
 * nanoseconds. */
#ifndef HC_FUNCTIONS_WORLD_H
#define HC_FUNCTIONS_WORLD_H

#include "base/math.h"
#include "base/mem.h"
#include "base/wide.h"
#include "functions/functions.h"
#include "hindcast/world.h"
#include "kernel/queue.h"

#define HC_FN_NONE UINT32_MAX

/* Sums over the invocations of an application, or of all. */
typedef struct hc_fn_sums {
  uint64_t invoked, started, ended, cold, queued, timed; /* timed: of a duration above 0 */
  hc_wide cold_wait, queue_wait;                         /* ns, over those that are cold, or were queued */
  hc_wide execution, total;                              /* ns: what they took longer than their duration */
  double execution_relative, total_relative;
  hc_wide wasted, held; /* B ns: of containers that are idle, of all containers */
} hc_fn_sums;

typedef struct hc_fn_application {
  const char *name;
  double share;
  int64_t memory;
  hc_time start;
  uint32_t concurrency;
  uint32_t first_open; /* containers that have room for another invocation, on all hosts */
  bool is_any;         /* it is not declared by name */
  uint32_t active;     /* invocations that have arrived and have not ended */
  hc_time idle_since;  /* with none of these; HC_UNKNOWN: there was none yet */
  hc_fn_sums sums;
} hc_fn_application;

typedef enum hc_fn_state { HC_FN_ARRIVES, HC_FN_QUEUED, HC_FN_AWAITS, HC_FN_RUNS, HC_FN_ENDED } hc_fn_state;

typedef struct hc_fn_invocation {
  hc_time arrival, duration, start, end;
  hc_time placed;                              /* when it got a container, which may still have to start */
  uint32_t application, host, container, next; /* next: in its container, or in the queue of its host */
  uint8_t state;                               /* hc_fn_state */
  bool is_cold, was_queued;
  double mark; /* contended: how far its container is when it ends */
} hc_fn_invocation;

typedef enum hc_fn_phase { HC_FN_VACANT, HC_FN_STARTING, HC_FN_IDLE, HC_FN_BUSY } hc_fn_phase;

typedef struct hc_fn_container {
  uint64_t number;     /* how many were made before it */
  hc_time made, since; /* since: of its phase */
  hc_time up;          /* starting: when it is */
  hc_time expires;     /* without `reset`: when it ends at the latest, once it was idle; HC_UNKNOWN */
  uint32_t application, host;
  uint32_t count;         /* invocations that it runs, or that await it */
  uint32_t running;       /* of these, those that it runs */
  uint32_t first, last;   /* of these, in the order in which they came */
  uint32_t before, after; /* in the list of its application; or `after` in that of vacant slots */
  uint32_t place;         /* contended: in the heap of its host. isolated: next that waits for cores */
  hc_event_handle event;  /* that it is up, or that it ends; HC_NO_EVENT */
  uint8_t phase;          /* hc_fn_phase */
  bool is_open, waits;    /* in that list; isolated: for cores */
  double done, at;        /* contended: how far each of its invocations is, when the host was at `at` */
  double due;             /* contended: where the host is when the first of them ends */
} hc_fn_container;

typedef struct hc_fn_host {
  int64_t memory, free;
  double cores, load;   /* load: shares of containers that are busy */
  uint32_t invocations; /* that it has: queued, awaiting, running */
  uint32_t first, last; /* that are queued */
  /* contended: how far an invocation that is alone in its container would be, ns, since `updated` */
  double virtual;
  double lag; /* ns before `updated`: where the clock is, the time of an end that was rounded up */
  hc_time updated;
  uint32_t *heap;        /* [busy] containers, by `due` */
  size_t busy, heap_cap; /* busy: containers whose shares are the load */
  hc_event_handle event;
  uint32_t first_waiting, last_waiting; /* isolated: containers that wait for cores */
  double used;                          /* core ns: min(load, cores) over time */
  hc_time used_until;
  uint64_t seen; /* number of the last choice that saw a container with room here */
  bool has_warm; /* one that is up */
} hc_fn_host;

struct hc_world {
  const hc_allocator *allocator;
  const hc_fn_options *options;
  uint64_t seed, replication;
  hc_names names; /* of applications */
  hc_fn_application *applications;
  size_t application_count, application_cap;
  hc_fn_host *hosts;
  size_t host_count, host_cap;
  hc_fn_invocation *invocations; /* by arrival */
  size_t invocation_count, invocation_cap;
  uint32_t *ended; /* in the order in which they ended */
  size_t ended_count;
  hc_fn_container *containers;
  size_t container_count, container_cap;
  uint32_t vacant;    /* first slot that is */
  uint64_t made;      /* containers */
  uint64_t prewarmed; /* of these */
  hc_queue *events;
  size_t next; /* invocation to arrive */
  uint64_t happened, prewarms;
  uint64_t *expected; /* [prewarms] of these: how many invocations its application had */
  size_t expected_cap;
  size_t turn;      /* round robin: host */
  uint64_t choices; /* of hosts */
  hc_time now, last_end;
  uint64_t started, running;
  const hc_keeper_type *keeper; /* NULL: the keys of the world say how long */
  hc_keeper *kept_by;
  uint64_t rejected[HC_REASON_COUNT]; /* invocations that are not made */
  uint64_t rests,
      learned; /* containers that had nothing to do; of these, those of which something was known */
};

/* ---- events ---- */

typedef enum hc_fn_event {
  HC_FN_ENDS,    /* an invocation: ignored, isolated */
  HC_FN_MOVES,   /* contended: on a host some end */
  HC_FN_UP,      /* a container has started */
  HC_FN_EXPIRES, /* a container has been idle for so long */
  HC_FN_PREWARM  /* a container is made for what is expected */
} hc_fn_event;

/** @param number of what it is about: the order within a time. @param payload its place in its array */
hc_rc hc_fn_push(hc_world *w, hc_fn_event what, hc_time at, uint64_t number, uint32_t payload,
                 hc_event_handle *handle);

/* ---- hosts and containers: host.c ---- */

/** A host gets an invocation: it begins in a container, awaits one, or is queued. */
hc_rc hc_fn_host_takes(hc_world *w, uint32_t host, uint32_t invocation);
/** An invocation is done. */
hc_rc hc_fn_host_ends(hc_world *w, uint32_t invocation);
hc_rc hc_fn_container_up(hc_world *w, uint32_t container);
hc_rc hc_fn_container_expires(hc_world *w, uint32_t container);
/** A container that no invocation awaits. @return 0, HC_ENOMEM */
hc_rc hc_fn_container_prewarmed(hc_world *w, uint32_t host, uint32_t application);
/** What has been idle and held until now counts. However often it is asked, the sums are the same. */
void hc_fn_account(hc_world *w);
/** Whether it has what the application's container takes when nothing else is there. */
bool hc_fn_host_can_ever(const hc_world *w, uint32_t host, uint32_t application);
static inline bool hc_fn_host_has_room(const hc_world *w, uint32_t host, uint32_t application)
{
  return w->hosts[host].free >= w->applications[application].memory;
}

/* ---- cores: cpu.c ---- */

/** An invocation begins: its container counts it among those that run. */
hc_rc hc_fn_cpu_begins(hc_world *w, uint32_t container, uint32_t invocation);
/** One has ended: its container counts it no more. */
hc_rc hc_fn_cpu_ended(hc_world *w, uint32_t container);
/** Contended: those of a host end that are due. */
hc_rc hc_fn_cpu_moves(hc_world *w, uint32_t host);
/** What the cores of a host did until now, core ns. */
double hc_fn_cpu_used(const hc_world *w, uint32_t host);

/* ---- hosts for invocations: scheduler.c ---- */

/** @return a host; there is one that can ever have it */
uint32_t hc_fn_choose(hc_world *w, uint32_t invocation);
/** The first host with room for another container. @return HC_FN_NONE: there is none */
uint32_t hc_fn_first_with_room(const hc_world *w, uint32_t application);

/* ---- report.c ---- */

extern const char *const hc_fn_figures[];
hc_rc hc_fn_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e);

/* ---- world.c ---- */

hc_rc hc_fn_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e);
hc_rc hc_fn_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e);
void hc_fn_progress(const hc_world *w, hc_world_progress *p);
void hc_fn_free(hc_world *w);

#endif
