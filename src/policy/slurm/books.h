/* books.h -- what slurmctld knows: jobs that wait, jobs that run and when they should end, and what is free
 * on each node. See books.c. */
#ifndef HC_POLICY_SLURM_BOOKS_H
#define HC_POLICY_SLURM_BOOKS_H

#include "base/slurm_conf.h"
#include "base/util.h"
#include "hindcast/figure.h"
#include "hindcast/policy.h"
#include "policy/slurm/accounting.h"
#include "policy/slurm/arrays.h"
#include "policy/slurm/hets.h"
#include "policy/slurm/nodes.h"
#include "policy/slurm/reservations.h"
#include "policy/slurm/settings.h"
#include "policy/slurm/sliced.h"

typedef struct hc_slurm_partition {
  uint32_t set;         /* name of the set of hosts that it is; HC_NO_NAME: all hosts */
  int64_t tier;         /* PriorityTier */
  int64_t factor;       /* PriorityJobFactor */
  int64_t max_time;     /* s; HC_SLURM_UNLIMITED */
  int64_t default_time; /* s: DefaultTime, of jobs without a limit; 0: MaxTime is */
  hc_slurm_part_preemption preempt;
  uint32_t least_nodes, most_nodes; /* MinNodes; MaxNodes, 0: any number */
  int64_t most_cpus;                /* MaxCPUsPerNode, by the first dimension; 0: any number */
  bool is_exclusive;                /* OverSubscribe=EXCLUSIVE */
  bool is_of_user;                  /* ExclusiveUser=YES */
  bool is_least_loaded;             /* LLN=YES */
  bool is_oversubscribed;       /* OverSubscribe=YES or FORCE, by which more than one job may have a core */
  bool is_forced;               /* FORCE: jobs need not ask for that */
  uint32_t rows;                /* how many jobs may have a core (rows.h) */
  int64_t least[HC_DIMENSIONS]; /* the least capacity of any of its nodes */
  uint64_t *nodes;              /* [words] */
} hc_slurm_partition;

/* A job that waits, in one of its partitions and one of the reservations that it names: it has a record for
 * each pair of them. No padding. */
typedef struct hc_slurm_job {
  uint64_t serial;
  int64_t priority;  /* higher first */
  int64_t submitted; /* s */
  int64_t limit;     /* s, the partition's with it */
  int64_t user, account;
  hc_task task; /* HC_NO_TASK: it has left the queue */
  uint32_t partition;
  uint32_t array;       /* of `arrays`; HC_NO_NAME: it is of none that has a limit */
  uint32_t reservation; /* name of the one that it is to run in; HC_NO_NAME: none */
  int64_t least;        /* s: what the backfill may cut its limit to (--time-min); 0: it may not */
  uint32_t next;        /* record of the same job: which of the queue, + 1, once sorted; 0: none */
  uint32_t is_one_of;   /* it has several */
  uint32_t qos;         /* HC_SLURM_NONE: none */
  uint32_t sharing;     /* hc_exclusive: who may be on its nodes beside it */
  uint32_t turn;        /* which of the reservations that it names, in the order of their begins */
  int64_t begin;        /* s: it is not looked at before, since it was requeued; 0: at once */
  int64_t stopped_for;  /* s: when jobs were last stopped for it; 0: never */
  int64_t switched;     /* s: until then its nodes are of at most so many leaf switches */
  uint32_t switches;    /* 0: of any number */
  uint32_t het;         /* of `hets`: which heterogeneous job it is a component of, from 1; 0: none */
} hc_slurm_job;

/* All that a job has, or had when it was suspended: kept of suspended jobs, and with the gang scheduler of
 * all. */
typedef struct hc_slurm_whole {
  uint32_t *hosts;  /* [count] */
  int64_t *amounts; /* [count * dims] */
  size_t count, host_cap, amount_cap;
} hc_slurm_whole;

/* A job that runs, or is suspended. With the gang scheduler `amounts` are what of its own counts in `free`:
 * cores that several jobs have count as those of one (cores.h). */
typedef struct hc_slurm_busy {
  uint64_t serial;
  int64_t end;      /* s: its start and its limit; when it ended, if it is completing */
  int64_t start;    /* s */
  hc_time freed;    /* ns: it has ended, and its nodes are free from then on; HC_NEVER: it runs */
  uint64_t killed;  /* that was its limit's or its user's doing, or it was preempted */
  int64_t told;     /* s: when it was preempted; 0: it was not */
  int64_t job;      /* of which it is a component, */
  uint64_t part;    /* which, from 1; 0: it is none of a heterogeneous job */
  int64_t priority; /* when it started */
  uint32_t partition, qos;
  uint32_t is_whole; /* nothing else may be on its nodes */
  uint32_t again;    /* hc_again: what it says itself of being requeued */
  hc_task task;      /* HC_NO_TASK: it is gone */
  uint32_t nodes;    /* how many it is on */
  uint32_t *hosts;   /* [nodes] in no order */
  int64_t *amounts;  /* [nodes * dims] */
  size_t host_cap, amount_cap;
  int64_t since; /* s: it is suspended since then; 0: it is not */
  hc_slurm_whole whole;
  int64_t user;
  uint32_t sharing;    /* hc_exclusive: who may be on its nodes beside it */
  uint32_t rest_nodes; /* of its `hosts`, of which `rest` says what it does not use, and no other may */
  int64_t *rest;       /* [rest_nodes * dims] */
  size_t rest_cap;
  uint64_t *cores; /* [whole.count * core_words] which of each node, with the gang scheduler */
  size_t core_cap;
  hc_slurm_sliced sliced;
} hc_slurm_busy;

typedef struct hc_slurm_books {
  const hc_services *s;
  const hc_allocator *allocator;
  const hc_slurm_settings *settings;
  hc_slurm_accounting *accounting; /* NULL: priority/basic, without limits */
  int64_t origin;                  /* Unix time of the run's time 0, s; 0: not known */
  hc_slurm_nodes nodes;
  uint32_t words;
  bool is_open;     /* amounts are known */
  uint64_t version; /* another one when anything has changed of what is free or up, or of running jobs */
  uint64_t plain;   /* grows with it where a job has started, ended or left, or is to end at another time */
  int64_t largest;  /* amount of the first dimension on any node */
  uint32_t memory;  /* which dimension is memory, with the gang scheduler; 0: none */
  uint32_t *times;  /* [nodes] how many times over the cell promises their cores (shares.h); NULL: once */
  int64_t *free, *capacity; /* [nodes * dims] */
  bool shared[HC_DIMENSIONS];
  int64_t licences[HC_DIMENSIONS]; /* free, of what is shared */
  uint32_t *on;                    /* [nodes] parts of jobs on each */
  uint64_t *some;                  /* [words] cores of it are free */
  int64_t sum;                     /* free of the first dimension, on all nodes */
  int64_t unit;    /* of which all amounts of the first dimension were whole multiples, of nodes and jobs */
  int64_t counted; /* the last of them */
  bool owes;       /* some node has had less than nothing free of it */
  bool *uniform;   /* [words] */
  uint64_t *idle, *up;            /* [words] nothing is on it; it is there and takes new jobs */
  int64_t *weights;               /* [nodes] */
  hc_slurm_partition *partitions; /* [partition_count], the last of them for jobs of none */
  size_t partition_count, partition_cap;
  hc_slurm_job *queue; /* [queue_count] by falling priority, once sorted; some have left */
  size_t queue_count, queue_cap;
  size_t sorted_count; /* those of the queue before that are in order */
  bool is_sorted, has_gone;
  hc_slurm_job *merge; /* [merge_cap] room for sorting where QOS preempt each other */
  size_t merge_cap;
  uint32_t *places, *runs; /* [place_cap, run_cap] by task: which of the queue, of `jobs`, + 1; 0: none */
  size_t place_cap, run_cap;
  hc_slurm_busy *jobs; /* [job_count], in no order */
  size_t job_count, job_cap;
  uint32_t *vacancies; /* [vacant_count] of `jobs` */
  size_t vacant_count, vacant_cap;
  uint32_t *by_end; /* [running_count] of `jobs`, by the end */
  size_t running_count, by_end_cap;
  uint32_t *completing; /* [completing_count] of `jobs`, in the order in which their nodes will be free */
  size_t completing_count, completing_cap;
  hc_slurm_arrays arrays;
  hc_slurm_hets hets;
  struct {
    hc_time at;        /* when the last job ended */
    uint64_t *serials; /* [count] of all that ended then */
    size_t count, cap;
  } ended;
  hc_slurm_reservations reservations;
  /* The job that a decision is starting, and its limit if that is cut, else 0; task HC_NO_TASK: none */
  hc_slurm_job starting;
  uint64_t bounded; /* jobs that bound the switches of their nodes, where there are none */
  size_t suspended_count;
  hc_slurm_cores cores;
  hc_slurm_slices slices;
  size_t owned;         /* running jobs that have nodes for their user alone */
  bool is_changing;     /* a job is being suspended, or resumed */
  bool has_polled;      /* a job has gone whose grace was over: slurmctld then looks at the queue */
  int64_t latest_begin; /* of any job that was requeued, or that waits for few switches till then, s */
  hc_time completes[2]; /* ns: how long nodes stay with a job that has ended by itself, that was killed */
} hc_slurm_books;

/** @param c of the policy  @param conf NULL: none  @return 0, HC_ENOMEM */
hc_rc hc_slurm_books_init(hc_slurm_books *b, const hc_policy_context *c, const hc_slurm_settings *settings,
                          const hc_conf *conf, hc_error *e);
void hc_slurm_books_fini(hc_slurm_books *b);
hc_rc hc_slurm_books_visit(hc_slurm_books *b, hc_visitor *v);
/** As hc_policy_type.on_task_event. */
hc_rc hc_slurm_books_hear(hc_slurm_books *b, const hc_view *v, hc_task_event what, hc_task t,
                          const int64_t *amounts);
/** Free the nodes of the job that has ended longest ago, if that is due. @return 1 with when they came free
 *  and whether the job was killed; 0: none is due. */
bool hc_slurm_books_free(hc_slurm_books *b, hc_time now, hc_time *at, bool *killed);
/** When the next nodes come free of a job that has ended; HC_NEVER: there are none. */
hc_time hc_slurm_books_next_free(const hc_slurm_books *b);
/** Hosts have changed: take their amounts, or whether they take jobs. @return 0 or HC_ENOMEM */
hc_rc hc_slurm_books_capacity(hc_slurm_books *b, const hc_view *v);
void hc_slurm_books_look(hc_slurm_books *b, const hc_view *v);
/** Compute all priorities anew, by multifactor. */
void hc_slurm_books_rank(hc_slurm_books *b, const hc_view *v, hc_time now);
/** Sort the queue, and leave out what has left. */
void hc_slurm_books_sort(hc_slurm_books *b);
/** What a job asks for; `need` has room for all dimensions. @return false: some nodes of its partition will
 *  not do, so that `hc_slurm_may` has to say which */
bool hc_slurm_ask_of(const hc_slurm_books *b, const hc_view *v, hc_task t, int64_t *need, hc_slurm_ask *out);
/** The same for a job in its partition, whose lines bound it. */
bool hc_slurm_ask_in(const hc_slurm_books *b, const hc_view *v, const hc_slurm_job *job, int64_t *need,
                     hc_slurm_ask *out);
/** Take the lines of a partition, with the defaults before it. @return 0, HC_EINPUT with its place, HC_ENOMEM
 */
hc_rc hc_slurm_partition_read(hc_slurm_partition *p, const char *name, const hc_conf *conf,
                              const hc_allocator *a, hc_error *e);
/** The job as reservations ask about it. */
hc_slurm_reserver hc_slurm_reserver_of(const hc_slurm_books *b, const hc_slurm_job *job);
/** Tell whose reservations are, by the numbers that the run's users and accounts have: cells of
 *  `slurm_window_guests` (which reservation, as `slurm_window.of` has it; a user, or an account). An account
 *  stands for all below it where associations are enforced. Who has no number has no job. */
hc_rc hc_slurm_books_tell_guests(const hc_slurm_books *b, hc_findings *f);
/** The partition of a name; HC_NO_NAME: there is none. For reservations. @param books hc_slurm_books */
uint32_t hc_slurm_books_partition(void *books, const char *name);
/** Leave the bits of nodes on which a slot of the job could ever be. Cost: O(nodes of the mask) */
void hc_slurm_may(const hc_slurm_books *b, const hc_view *v, hc_task t, uint64_t *mask);

/** A running job is to end at another time, s; one is gone that holds nothing in the books. */
void hc_slurm_books_move_end(hc_slurm_books *b, uint32_t busy, int64_t end);
void hc_slurm_books_forget(hc_slurm_books *b, uint32_t busy);

/** What is free now. */
static inline hc_slurm_room hc_slurm_now(const hc_slurm_books *b)
{
  return (hc_slurm_room){.free = b->free, .idle = b->idle, .some = b->some, .sum = b->sum};
}

/* One more amount of the first dimension that a node or a job has. Mostly it is as the last one. */
static inline void hc_slurm_books_count(hc_slurm_books *b, int64_t amount)
{
  if (amount == b->counted) return;
  b->counted = amount;
  b->unit = (int64_t)hc_common_divisor((uint64_t)(amount < 0 ? -amount : amount), (uint64_t)b->unit);
}

/* Seconds since 1970, as slurmctld's clock shows them. */
static inline int64_t hc_slurm_second(const hc_slurm_books *b, hc_time t)
{
  const int64_t s = t / HC_SECOND - (t % HC_SECOND < 0);
  return s + b->origin;
}

#endif
