/** @file record.h What happened: the records that observers are told and that a store keeps, in order of
 *  time.
 *
 *  The story of a task, the state of the machine between two events, each change of a queue and of a host,
 *  each stop and each change of a rate. Times in ns from the run's origin, amounts by the lexicon's
 *  number. */
#ifndef HINDCAST_RECORD_H
#define HINDCAST_RECORD_H

#include "hindcast/activity.h"
#include "hindcast/task.h"

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

/** Bits of hc_task_record.flags. */
typedef enum hc_task_flag {
  HC_TASK_BACKFILLED = 1, /* started while one that stood before it in the queue went on waiting */
  HC_TASK_CLAMPED = 2,    /* made to fit the machine */
  HC_TASK_NO_LIMIT = 4,   /* the log gave no limit; one was assumed by option */
  HC_TASK_PREEMPTED = 8,  /* it was stopped by a plan at least once */
  HC_TASK_PREFILL = 16,   /* it ran before the run began, and got its place without a decision */
  HC_TASK_RATED = 32, /* a plan suspended it, or changed its rate: it took end - start for `run` of work */
  HC_TASK_RESIZED =
      64, /* what it held changed while it ran: `units` are the mean over its last attempt, rounded */
  HC_TASK_FAILED = 128 /* what it did failed (a profile): its last state is killed */
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

/** What only tasks of some sources have: an account beside the group, and a QOS beside the queue, that
 *  policies see. Numbers from 1; -1: none. */
typedef struct hc_beside {
  int64_t account, qos;
} hc_beside;

/** How a log says that a task ended, as far as what came of it goes; hc_recorded (workload.h) is finer. */
typedef enum hc_ending {
  HC_ENDING_UNKNOWN,
  HC_ENDING_COMPLETED,
  HC_ENDING_FAILED,        /* otherwise than below */
  HC_ENDING_TIMEOUT,       /* at its limit, or a deadline */
  HC_ENDING_OUT_OF_MEMORY, /* for its memory */
  HC_ENDING_NODE_FAIL,     /* with a host, or before one came up */
  HC_ENDING_CANCELLED,     /* by its user, an administrator, or for another task */
  HC_ENDING_REQUEUED,      /* it was put back, to begin again */
  HC_ENDING_OTHER,
  HC_ENDING_COUNT
} hc_ending;

/** What a log measured of a task, which no run can know: what it really used, and when it might have started.
 *  HC_UNKNOWN: not said. Since 0.3. */
typedef struct hc_measured {
  hc_time held;         /* ns of its wait until dependencies, a begin time or a hold let it be planned */
  hc_time cpu_time;     /* ns, of all its processors together */
  int64_t memory_asked; /* bytes, of all its processors together */
  int64_t memory_used;
  int64_t ending; /* hc_ending */
} hc_measured;

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
  HC_CHANGE_QUEUED_MORE, /* right after QUEUED: the same task asks for this, too, in further slots (chunks) */
  HC_CHANGE_UNQUEUED_MORE, /* the same after UNQUEUED */
  HC_CHANGE_POWER, /* a plan has switched the host: `slots` is its hc_power_state from now on. Since 0.3 */
  HC_CHANGE_COMPUTES /* so many more of the host's cores compute, in billionths of a core: amount[HC_DIM_CPU];
                        of its GPUs: amount[HC_DIM_GPU]; told where a model of execution knows it, to metrics
                        that name this kind. Since 0.3 */
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
      used_memory; /* CLAIMED, RELEASED: what it really uses of it on average, as the trace says;
                                    HC_UNKNOWN */
  hc_devices
      devices; /* CLAIMED, RELEASED: the GPUs of the host that it lies on; none: they are divisible at will, or
                         there are none */
  uint32_t padding;
  uint32_t
      resized; /* 1: RELEASED, and CLAIMED of the same instant: it goes on with other amounts where it is */
  int64_t job; /* of the task, as its source numbers it; -1: none, or not known (stored records) */
  /** CLAIMED, RELEASED: handle of the hc_task_extras with steps of its use (hc_task_extras.uses), in the
   *  context's lexicon, until the call returns. 0: there are none. */
  uint32_t use;
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

/** How scheduling stands when an instant is over. */
typedef struct hc_standing_record {
  hc_time at;
  uint32_t thinking; /* 1: a scheduler thinks, or what has happened waits for its next pass */
  uint32_t plans;    /* 1: a queued task is promised a start, or the policy is one that promises starts */
} hc_standing_record;

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

/** An attempt of a task is over: what of its time was for what. What is left of it was useful. */
typedef struct hc_attempt_record {
  hc_time at, start; /* of the attempt: it is over at `at` */
  uint64_t serial;
  int64_t user;  /* -1 unknown */
  int64_t job;   /* -1: none */
  int64_t units; /* that it held */
  uint32_t
      how; /* 0 the task ended, 1 a plan stopped it, 2 a host was lost, and it waits again, 3 and it is lost */
  uint32_t padding;
  hc_time lost;    /* is to be done again, or was for nothing */
  hc_time stood;   /* it did nothing: suspended, or on a host that had failed unseen */
  hc_time reading; /* went to starting again */
  hc_time writing; /* went to checkpoints that it kept */
} hc_attempt_record;

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

/** What a task waits for in its job: that another one ends. */
typedef struct hc_workflow_edge {
  int64_t task; /* its number in the job; it may not have arrived yet */
  double bytes; /* of an item that is read; two items of one task are two edges */
  double takes; /* s that they take alone, mean over pairs of different hosts; 0: no model says */
} hc_workflow_edge;

/** A task of a job, as workflows are counted: told when all that arrives at its time has. */
typedef struct hc_workflow_record {
  uint64_t serial;
  int64_t job, id; /* its number in the job */
  hc_time submit;
  hc_time run;          /* its length on a host of speed 1; HC_NEVER: it is not known ahead */
  int64_t units;        /* of the first dimension of hosts (thousandths of cores), in all, or processors */
  uint32_t source;      /* of whose jobs this is one */
  uint32_t slots;       /* more than one may be on several hosts */
  const uint8_t *could; /* [hosts] could all of it run there? NULL: the cell counts processors */
  const hc_workflow_edge *edges; /* [edge_count], like `could` borrowed */
  size_t edge_count;
} hc_workflow_record;

#ifdef __cplusplus
}
#endif
#endif
