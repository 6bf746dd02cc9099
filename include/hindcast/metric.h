/** @file metric.h What is counted. A metric is an observer: it gets records of what happened, in blocks,
 *  in order, read-only, and says at the end what it found. The same code counts a running simulation, a
 *  stored result, and the schedule that a log recorded. */
#ifndef HINDCAST_METRIC_H
#define HINDCAST_METRIC_H

#include "hindcast/cluster.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The last state of a task. Each has exactly one; the task ledger is their count. */
#define HC_FINALS(X) \
  X(COMPLETED, "completed", "ran to its end") \
  X(KILLED, "killed", "ended at its limit, unfinished") \
  X(REJECTED, "rejected", "given up by its scheduler, or refused by its policy") \
  X(WITHDRAWN, "withdrawn", "left the queue, as the log says, before it started") \
  X(WAITING, "waiting", "still waiting when the run ended") \
  X(RUNNING, "running", "still running when the run ended") \
  X(LOST, "lost", "its host went away under it, and the run does not start such tasks again") \
  X(HELD, "held", "waits for what will never happen: a task that failed, is missing, or waits for it in turn")

typedef enum hc_final {
#define X(name, word, text) HC_FINAL_##name,
  HC_FINALS(X)
#undef X
      HC_FINAL_COUNT
} hc_final;

/** The word for a state ("completed"), and what it means; constant, "?" for what is no state. */
HC_API const char *hc_final_name(hc_final f);
HC_API const char *hc_final_text(hc_final f);

/** Before the name of a figure of the trimmed summary, where it stands beside the others
 *  ("trimmed.wait_mean"). */
#define HC_TRIMMED "trimmed."

/** Bits of hc_task_record.flags. */
typedef enum hc_task_flag {
  HC_TASK_BACKFILLED = 1, /* started while one that stood before it in the queue went on waiting */
  HC_TASK_CLAMPED = 2,    /* made to fit the machine */
  HC_TASK_NO_LIMIT = 4,   /* the log gave no limit; one was assumed by option */
  HC_TASK_PREEMPTED = 8,  /* it was stopped by a plan at least once */
  HC_TASK_PREFILL = 16,   /* it ran before the run began, and got its place without a decision */
  HC_TASK_RATED = 32, /* a plan suspended it, or changed its rate: it took end - start for `run` of work */
  HC_TASK_RESIZED =
      64 /* what it held changed while it ran: `units` are the mean over its last attempt, rounded */
} hc_task_flag;

/** A task's whole story. Times in ns from the run's origin; HC_UNKNOWN where it did not happen. */
typedef struct hc_task_record {
  int64_t serial; /* rank of submission */
  int64_t id;     /* number in the trace */
  hc_time submit, start, end;
  int64_t units;                                     /* processors */
  hc_time limit;                                     /* what it asked for; HC_UNKNOWN */
  hc_time estimate;                                  /* what the policy believed; HC_NEVER: nothing */
  hc_time run;                                       /* how long it would run, undisturbed */
  int64_t user, group, executable, queue, partition; /* -1 unknown */
  int64_t final;                                     /* hc_final */
  int64_t flags;                                     /* hc_task_flag */
} hc_task_record;

/** The state that held during [from, to): constant, not empty. What integrals are made of. */
typedef struct hc_interval {
  hc_time from, to;
  int64_t busy;             /* units held by tasks */
  int64_t capacity;         /* units that exist */
  int64_t waiting;          /* tasks that wait */
  int64_t waiting_units;    /* what they ask for together, saturating */
  int64_t smallest_waiting; /* units of the smallest of them; 0 if none waits */
  int64_t running;          /* tasks */
} hc_interval;

/** One thing that changed, for metrics that follow hosts, queues and users: amounts by the lexicon's number.
 *  On a cell of processors `host` is HC_NO_HOST and each processor counts as 1000 of HC_DIM_CPU. */
typedef enum hc_change_kind {
  HC_CHANGE_QUEUED,   /* a task waits: what it asks for, in each of its slots */
  HC_CHANGE_UNQUEUED, /* it does so no more */
  HC_CHANGE_CLAIMED,  /* a task holds amounts on a host; one record a host */
  HC_CHANGE_RELEASED, /* it holds them no more */
  HC_CHANGE_HOST,     /* the host has these amounts from now on; none: it is away */
  /* -- pass over kinds that you do not know -- */
  HC_CHANGE_QUEUED_MORE, /* right after QUEUED: the same task asks for this, too, in further slots (its chunks) */
  HC_CHANGE_UNQUEUED_MORE /* the same after UNQUEUED */
} hc_change_kind;
typedef struct hc_change {
  hc_time at;
  uint64_t serial; /* of the task */
  int64_t user;    /* -1 unknown */
  uint32_t kind;   /* hc_change_kind */
  uint32_t host;   /* CLAIMED, RELEASED, HOST; HC_NO_HOST: amounts of the whole cell */
  uint32_t slots;  /* QUEUED, UNQUEUED and their MORE: how many of `amount`; else 1 */
  uint32_t whole;  /* it wants, or has, its hosts whole */
  int64_t amount[HC_DIMENSIONS];
  int64_t used_cpu,
      used_memory;           /* CLAIMED, RELEASED: what it really uses of it on average, as the trace says;
                                    HC_UNKNOWN */
  uint32_t
      devices; /* CLAIMED, RELEASED: a bit for each GPU of the host that it lies on; 0: they are divisible at
                       will, or none */
  uint32_t
      resized; /* 1: RELEASED, and CLAIMED of the same instant: it goes on with other amounts where it is */
  int64_t job;        /* of the task, as its source numbers it; -1: none, or not known (stored records) */
  uint32_t
      use; /* CLAIMED, RELEASED: handle of the hc_task_extras with steps of its use (hc_task_extras.uses), in the
                                context's lexicon, until the call returns; 0: there are none */
  uint32_t use_slots; /* how many slots of the task this is, each of which uses that */
} hc_change;

/** What a task takes of some hosts, or gives back, the same on each of them: as many changes as hosts, in
 *  one. */
typedef struct hc_claim_record {
  hc_time at;
  uint64_t serial; /* of the task */
  int64_t user;    /* -1 unknown */
  uint32_t kind;   /* HC_CHANGE_CLAIMED or HC_CHANGE_RELEASED */
  uint32_t host_count;
  const uint32_t *hosts; /* [host_count] of the cell; or HC_NO_HOST alone: amounts of the cell as a whole */
  const int64_t *amount; /* [HC_DIMENSIONS] on each */
} hc_claim_record;

/** A running task that a plan stopped. */
typedef struct hc_stop_record {
  hc_time at, start; /* of the attempt */
  uint64_t serial;
  int64_t user; /* -1 unknown */
  uint32_t
      how; /* hc_stop: 0 it waits again, 1 that was its end, 2 it waits again and has kept what it saved */
  uint32_t times; /* that it was stopped and waited again, this one included */
  uint32_t hosts; /* that it was on; 0 on a cell of processors */
  uint32_t padding;
  hc_time lost;                  /* of the attempt's time, what has to be done again, or was for nothing */
  hc_time restart;               /* of it, what went to starting again after the stop before */
  hc_time overhead;              /* of the next one, what will; at speed 1 */
  int64_t amount[HC_DIMENSIONS]; /* what it held in all, as in hc_change */
  int64_t job;                   /* -1: none */
} hc_stop_record;

/** The rate of a running task has changed: what it does in a ns, of HC_RATE_ONE. */
typedef struct hc_rate_record {
  hc_time at;
  uint64_t serial;
  int64_t user; /* -1 unknown */
  int64_t rate; /* from now on; 0 while it is suspended */
  int64_t units;
  int64_t job;    /* -1: none */
  uint32_t holds; /* 0: it is suspended, and has given back what it held */
  uint32_t padding;
} hc_rate_record;

/** What every metric may want to know of the run. */
typedef struct hc_metric_context {
  const hc_allocator *allocator;
  int64_t capacity;          /* units of the machine */
  int64_t unix_start;        /* HC_UNKNOWN if not known */
  int32_t zone_offset;       /* seconds east of UTC, for tables by day and hour */
  const hc_cell_spec *cell;  /* the machine; NULL where a log is only counted */
  const hc_lexicon *lexicon; /* names of dimensions and users; NULL where there is none */
  /** Local load of a host in a dimension (the lexicon's number) at `at` (>= 0): 1 - the product of what each
   *  process leaves, and until when that holds. Any time in any order; asking changes nothing. NULL: there is
   *  none. */
  hc_load_level (*load)(void *load_ctx, uint32_t host, uint32_t dimension, hc_time at);
  void *load_ctx;
} hc_metric_context;

typedef struct hc_metric hc_metric; /* a component's state */

/** A family of figures. Any of the four hearing functions may be NULL: what nobody hears is not built. */
typedef struct hc_metric_type {
  hc_component component;
  hc_rc (*init)(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e);
  /** Tasks that came to their final state, in that order. */
  hc_rc (*tasks)(hc_metric *self, const hc_task_record *records, size_t count);
  /** Time that passed, in order and without gaps. */
  hc_rc (*intervals)(hc_metric *self, const hc_interval *intervals, size_t count);
  hc_rc (*finish)(hc_metric *self, hc_findings *f);
  hc_rc (*visit)(hc_metric *self, hc_visitor *v);
  void (*fini)(hc_metric *self);
  /** What changed, in order of time. NULL: not heard; if nobody hears it, it is not built. */
  hc_rc (*changes)(hc_metric *self, const hc_change *changes, size_t count);
  /** The run has come to this time and ends: the last interval closes here. NULL: not heard. */
  hc_rc (*until)(hc_metric *self, hc_time end);
  /** It counts what tasks really use (hc_change.used_cpu), which only a run knows: refused for records
   *  alone. */
  bool needs_use;
  /** A running task was stopped by a plan. NULL: not heard. */
  hc_rc (*stops)(hc_metric *self, const hc_stop_record *r);
  /** The kinds of `changes` that it wants, a bit 1 << hc_change_kind for each; 0: all. It may be given others
   *  too. */
  uint32_t change_kinds;
  /** A plan has set a task's rate, suspended it, or let it go on. NULL: not heard. */
  hc_rc (*rates)(hc_metric *self, const hc_rate_record *r);
  /** For families that only add up what is held: a run tells them claims and releases here, as they happen,
   *  and nothing by `changes`, which they have all the same, for schedules of which records are all there is.
   *  A task of many hosts so costs one call, and not a record for each. NULL: they come as changes. */
  hc_rc (*claims)(hc_metric *self, const hc_claim_record *c);
} hc_metric_type;

/** What is known when a finished run is trimmed. */
typedef struct hc_trim_input {
  uint64_t tasks;                    /* that started */
  hc_time first_submit, last_submit; /* ns */
  hc_time first_start, last_end;
  hc_time full_from, full_to; /* first and last instant at which the machine was full; HC_UNKNOWN */
  /** If the trim `needs_contention`: the first instant after which no host could take the first waiting task
   *  of [0] some user, [1] any user; HC_UNKNOWN if there was none. */
  hc_time contended_from[2];
  /** The first after each of them at which a user's last task left the queue, or the last change of all. */
  hc_time contended_to[2];
} hc_trim_input;

/** Which tasks a trimmed summary counts: warm-up and cool-down left out by a stated rule. */
typedef struct hc_trim_type {
  hc_component component;
  /** @param rank position in the order of termination, from 0. @return true: count it. */
  bool (*keeps)(const void *options, const hc_trim_input *in, uint64_t rank, const hc_task_record *task);
  /** The time that integrals are taken over; NULL: the same as untrimmed. */
  void (*window)(const void *options, const hc_trim_input *in, hc_time *from, hc_time *to);
  bool needs_contention; /* it looks at contended_from and contended_to, which take a sweep over all tasks */
} hc_trim_type;

#ifdef __cplusplus
}
#endif
#endif
