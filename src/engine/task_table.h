/* task_table.h -- what is known of each live task, as arrays: what every task has apart from what only some
 * have. What is done with it: tasks.h. */
#ifndef HC_ENGINE_TASK_TABLE_H
#define HC_ENGINE_TASK_TABLE_H

#include "cluster/cell.h"
#include "kernel/queue.h"

typedef enum hc_task_state {
  HC_TASK_FREE,    /* the slot is not used */
  HC_TASK_ARRIVED, /* known, in no queue yet */
  HC_TASK_HELD,    /* waits for other tasks, or for its time: no policy sees it */
  HC_TASK_WAITING, /* in a queue; hc_live.deferred: before its time */
  HC_TASK_PLANNED, /* started or rejected by an open plan, not committed */
  HC_TASK_RUNNING,
  HC_TASK_STOPPED,   /* preempted by an open plan, not committed */
  HC_TASK_SUSPENDED, /* started, and neither holds nor does anything */
  HC_TASK_RESIZING   /* runs; what it holds is that of an open plan, not committed */
} hc_task_state;

/* Bits of hc_live.bits. */
enum {
  HC_LIVE_KILLED = 1,   /* its end is its limit's doing */
  HC_LIVE_OVERDUE = 2,  /* it runs past its expected end */
  HC_LIVE_WHOLE = 4,    /* takes hosts whole */
  HC_LIVE_SPREAD = 8,   /* each slot on another host */
  HC_LIVE_ONE = 16,     /* has one slot on one host, which `held` names: no grant in the pool */
  HC_LIVE_DEPENDS = 32, /* others may wait for it, or it for others: see dependencies.c */
  HC_LIVE_WARNED = 64,  /* runs, and will be stopped: hc_attempt.leaves */
  HC_LIVE_UNTIL = 128   /* its run is until its user takes it away */
};

/* What every task has and the hot path looks at: one line of the cache. What only some runs or some tasks
 * have lies in arrays of its own, which exist from the first task that needs them on. */
typedef struct hc_live {
  uint64_t serial;
  hc_time submit, start;
  hc_time run;    /* the truth */
  int64_t key;    /* in its queue */
  uint32_t units; /* processors; on a cell of hosts: what it takes of the cell's first dimension in all */
  uint32_t slots; /* on a cell of hosts: so many times its demand; else 0 */
  hc_event_handle
      event;     /* its end while it runs, its withdrawal or its time while it waits, or HC_NO_EVENT */
  uint32_t held; /* first of its grants in the pool, or HC_NO_GRANT; HC_LIVE_ONE: the host itself */
  uint8_t state; /* hc_task_state */
  uint8_t flags; /* hc_task_flag */
  uint8_t bits;
  uint8_t queue; /* which waits for it */
  uint8_t source;
  uint8_t deferred; /* it waits in a queue and may not start yet: deferred.c */
  uint16_t draws;   /* places that it was given and did not keep: it draws the next one anew */
} hc_live;

/* What its record needs in any case. */
typedef struct hc_task_identity {
  int64_t id, user;
} hc_task_identity;

/* What policies that look ahead need: kept if the run's policy does. */
typedef struct hc_planned {
  hc_time estimate;         /* believed while it waits */
  hc_time running_estimate; /* believed once it runs */
  hc_time reserved_at;      /* HC_NEVER: no reservation */
  int64_t second_key;       /* in the second list of its queue */
  hc_event_handle overdue_event;
  uint32_t reserved_index; /* in the list of reserved tasks, if it is one */
} hc_planned;

/* What few tasks have: kept from the first of them on. A run's believed length without it is the true one. */
typedef struct hc_task_cold {
  int64_t limit, group, executable, queue, partition, priority;
  hc_time estimate;  /* for its record, if no policy plans */
  hc_time cancel_at; /* when its user takes it away; HC_NEVER */
  hc_time eligible;  /* when it may start at the earliest; HC_UNKNOWN */
  int64_t job;
  int64_t used_cpu, used_memory; /* of each slot, on average; HC_UNKNOWN */
  uint32_t more;                 /* handle in the lexicon */
  uint32_t attempts;             /* that were lost before this one */
  hc_time lost_at;               /* when the last of them was; without one of no meaning */
  uint64_t is_killed;            /* its log says that its user or its limit ended it: 0 or 1 */
} hc_task_cold;

/* What a task holds on one host, or a range of processors: a chain through one pool, so that the pool is one
 * array of plain structs. On a cell of processors `host` is the first and `slots` their number. */
#define HC_NO_GRANT UINT32_MAX
enum { HC_HELD_DEVICES = 32 };
typedef struct hc_held {
  uint32_t host, slots, chunk;
  uint32_t devices; /* the first of them, a bit each */
  uint32_t next;
  hc_task owner;
} hc_held;

/* Tasks that are more than a fixed delay: work.h. */
typedef struct hc_works {
  uint32_t *of; /* [of_cap] place in `items`, by task; NULL: no task so far is */
  size_t of_cap;
  struct hc_attempt *items;
  size_t count, cap;
  uint32_t vacant; /* head of the chain of free places */
} hc_works;

/* How this instant has changed a task's rate: rates_told.c. No padding. */
typedef struct hc_rate_change {
  int64_t was, rate;
  hc_task task;         /* HC_NO_TASK: it has been told */
  uint32_t held, holds; /* it was, is not suspended */
  uint32_t unused;
} hc_rate_change;
typedef struct hc_rates_told {
  hc_rate_change *items; /* [count] in the order in which they were first changed */
  size_t count, cap;
} hc_rates_told;

typedef struct hc_tasks {
  hc_live *live; /* [cap] each on its own line of the cache, somewhere in live_block */
  void *live_block;
  hc_task_identity *identities;
  hc_planned *planned; /* NULL: no policy plans */
  hc_task_cold *cold;  /* NULL: no task so far has any of it */
  uint64_t *failed;    /* [cap] cell.grown when it last did not fit; NULL: not remembered */
  int64_t *need;       /* [cap * dimensions] of one slot; NULL on a cell of processors */
  hc_works works;
  uint32_t dimensions;
  bool plans, remembers; /* remembers: what does not fit */
  size_t count, cap, identity_cap, planned_cap, cold_cap, failed_cap, need_cap; /* slots in use or free */
  hc_task *reserved; /* tasks that hold a reservation */
  size_t reserved_count, reserved_cap;
  uint32_t vacant; /* free slots, used last-in first-out: a chain through `held`; HC_NO_TASK: none */
  /* the same from below, as far as it is known: who comes later is fetched by it. Decides nothing */
  hc_task *freed;
  size_t freed_count, freed_cap;
  hc_held *held;
  size_t held_count, held_cap;
  hc_devices *held_devices; /* [held_cap] beside `held`, where a host has more than HC_HELD_DEVICES; NULL */
  size_t held_devices_cap;
  uint32_t held_vacant; /* head of the chain of free places */
} hc_tasks;

#endif
