/* world.h -- the closed little world of the original: one cell, some workloads, some schedulers, one agenda.
 *
 *   world.c         birth from options, the loop, the monitor, what arrives
 *   scheduler.c     what all schedulers do: queue, think time, busy time, giving up, starting and ending
 *                   tasks
 *   monolithic.c    decides on the live cell when it has thought
 *   shared_state.c  decides on the cell as it was when it began to think, and commits
 *   two_level.c     an allocator offers what is free, one scheduler at a time
 *   mold.c          how many workers a moldable job starts with
 *   report.c        figures, tables and rows of a finished run; report_mold.c those of moldable jobs
 *
 * Times are doubles in seconds, as in the original: the sums of doubles decide what comes first. */
#ifndef HC_OMEGA_WORLD_H
#define HC_OMEGA_WORLD_H

#include "hindcast/world.h"
#include "omega/agenda.h"
#include "omega/cell.h"
#include "omega/offer.h"
#include "omega/options.h"
#include "omega/pick.h"

#define HC_OMEGA_NONE UINT32_MAX
#define HC_OMEGA_ENDED UINT32_MAX /* in place of a machine */
#define HC_OMEGA_DAY 86400.0

typedef enum hc_omega_architecture {
  HC_OMEGA_MONOLITHIC,
  HC_OMEGA_SHARED_STATE,
  HC_OMEGA_TWO_LEVEL
} hc_omega_architecture;
typedef enum hc_omega_conflict { HC_OMEGA_RESOURCE_FIT, HC_OMEGA_SEQUENCE_NUMBERS } hc_omega_conflict;
typedef enum hc_omega_transaction { HC_OMEGA_INCREMENTAL, HC_OMEGA_ALL_OR_NOTHING } hc_omega_transaction;

/* A job: so many tasks that are alike. */
typedef struct hc_omega_job {
  double submit, duration; /* s */
  hc_omega_amounts task;
  double enqueued;              /* when it last came to its queue */
  double wait_first, wait_full; /* in queues: before the first attempt, before all of them */
  double useful, wasted;        /* think time */
  double first_start, full;     /* when the first, when the last task started; < 0: never */
  uint64_t task_attempts;
  uint32_t tasks, unscheduled, attempts;
  uint32_t workload, scheduler, next; /* next in its queue */
  bool gave_up;
  uint32_t activities; /* as many workers are of use */
  uint32_t extra;      /* workers that it has beyond its tasks */
  double speed_up;     /* the least of its parts that started; 0: none has */
  double last_end;     /* of those that started */
} hc_omega_job;

/* Tasks of one job that started together, and so end together. */
typedef struct hc_omega_batch {
  uint32_t job, scheduler; /* scheduler HC_OMEGA_NONE: prefill */
  hc_omega_amounts task;
  uint32_t *machines; /* [count] HC_OMEGA_ENDED: that task has ended */
  uint32_t count, ended;
  uint32_t first_number; /* of their ends in the agenda */
  size_t cap;
  uint32_t next_vacant;
} hc_omega_batch;

/* What a scheduler did for a workload, and on a day. */
typedef struct hc_omega_busy {
  double useful, wasted;
  uint64_t succeeded, failed;
} hc_omega_busy;

typedef struct hc_omega_scheduler {
  char name[64];
  hc_omega_picker picker;
  uint32_t head, tail; /* of its queue */
  uint64_t queued;
  bool is_busy;
  uint32_t job;           /* that it thinks about */
  uint32_t width;         /* looking for so many places */
  double thinking;        /* for so long */
  hc_omega_places places; /* shared state: on which it decided when it began */
  hc_omega_amounts occupied;
  bool is_multi_path;
  /* counts */
  hc_omega_busy all;
  hc_omega_busy *by_workload; /* [workloads] */
  hc_omega_busy *by_day;      /* [days] */
  uint64_t retried, task_succeeded, task_failed, no_resources, timed_out, failed_probes;
  bool is_requesting; /* two-level: it wants an offer */
  uint32_t rank;      /* two-level: among those of equal share the lowest gets it */
} hc_omega_scheduler;

typedef struct hc_omega_workload {
  const char *name;
  double think_job, think_task; /* s */
  bool has_blacklist;
  uint32_t first_scheduler, scheduler_count;
  uint32_t first_job, job_count, next_arrival;
  uint32_t *arrivals;    /* [job_count] jobs by time of submission; NULL: as they stand */
  const hc_chosen *mold; /* NULL: its jobs are not moldable */
} hc_omega_workload;

typedef struct hc_omega_offer {
  hc_omega_hold hold;
  hc_omega_amounts free; /* what is left of it */
  uint32_t scheduler;
  hc_omega_place *places;  /* [place_count] of its claims */
  uint32_t *counts, *jobs; /* [claim_count] how many places each job took */
  size_t place_count, place_cap, claim_count, claim_cap, job_cap;
  double answer; /* when it has thought */
  bool is_out;
} hc_omega_offer;

/* How unsteady a share is, and its means over short times. */
typedef struct hc_omega_spread {
  double mean, squares;
} hc_omega_spread;

typedef struct hc_omega_usage_bin {
  hc_omega_amounts sum;
  uint64_t samples;
} hc_omega_usage_bin;

typedef struct hc_omega_usage {
  hc_omega_spread cpus, memory;
  uint64_t samples;
  hc_omega_usage_bin *bins; /* [bin_count] NULL: not asked for */
  size_t bin_count;
} hc_omega_usage;

struct hc_world {
  const hc_allocator *allocator;
  const hc_omega_options *options;
  uint64_t seed, replication;
  uint32_t defects; /* bit hc_omega_defect: reproduced */
  double now, run_time;
  hc_omega_cell cell;
  hc_omega_magic magic;
  hc_omega_agenda agenda;
  hc_omega_job *jobs;
  size_t job_count, job_cap;
  hc_omega_workload *workloads;
  size_t workload_count;
  hc_omega_scheduler *schedulers;
  size_t scheduler_count, scheduler_cap, day_count;
  hc_omega_batch *batches;
  size_t batch_count, batch_cap;
  uint32_t vacant_batch;
  hc_omega_places places; /* scratch */
  /* the monitor: sums of samples */
  double occupied_cpus, occupied_memory, locked_cpus, locked_memory;
  uint64_t samples;
  hc_omega_usage usage; /* see mold.h */
  /* two-level */
  hc_omega_holds holds;
  hc_omega_offer *offers;
  size_t offer_count, offer_cap;
  uint32_t *requests; /* schedulers, as they asked */
  size_t request_count;
  bool is_offering; /* an offer will be made */
  /* what is worth knowing */
  uint64_t events, ties, tasks_started, tasks_ended; /* tasks of jobs, not of prefill */
  double last_time;
  hc_omega_event_kind last_kind;
  uint64_t prefill_jobs, prefill_tasks;
  bool is_over;
};

static inline bool hc_omega_has(const hc_world *w, hc_omega_defect d)
{
  return w->defects >> d & 1;
}

/* ---- world.c ---- */

hc_rc hc_omega_world_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e);
hc_rc hc_omega_world_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e);
void hc_omega_world_progress(const hc_world *w, hc_world_progress *p);
void hc_omega_world_free(hc_world *w);
/** The workload whose next job is the earliest; of equals the first. NULL if nothing arrives any more. */
hc_omega_workload *hc_omega_next_arrival(hc_world *w);

/* ---- scheduler.c ---- */

/** What it takes to decide about so many tasks of a job. */
double hc_omega_think(const hc_world *w, const hc_omega_job *j, uint32_t tasks);
/** A job comes to its scheduler's queue. */
void hc_omega_enqueue(hc_world *w, uint32_t job);
/** Take the first of the queue, and count its wait. HC_OMEGA_NONE if it is empty. */
uint32_t hc_omega_dequeue(hc_world *w, hc_omega_scheduler *s);
void hc_omega_useful(hc_world *w, hc_omega_scheduler *s, uint32_t job, double think);
void hc_omega_wasted(hc_world *w, hc_omega_scheduler *s, uint32_t job, double think);
/** After an attempt: a job with tasks left comes back in a second, or is given up. @return 0 or HC_ENOMEM */
hc_rc hc_omega_again(hc_world *w, hc_omega_scheduler *s, uint32_t job);
/** Tasks that are in the cell begin to run for so long: sums, and their end. @return 0 or HC_ENOMEM */
hc_rc hc_omega_start(hc_world *w, uint32_t scheduler, uint32_t job, double duration,
                     const hc_omega_place *places, size_t count);
/** The same for what was there before. */
hc_rc hc_omega_start_fill(hc_world *w, hc_omega_amounts task, double end, const hc_omega_place *places,
                          size_t count);
/** One task of a batch ends, the one of that number in it, or all that are left do. @param count 1 or how
 *  many are left */
hc_rc hc_omega_end(hc_world *w, uint32_t batch, uint32_t number, uint32_t count);
hc_rc hc_omega_picker_init(hc_world *w, hc_omega_picker *p, uint64_t number, bool has_blacklist);
void hc_omega_picker_fini(hc_world *w, hc_omega_picker *p);

/* ---- the architectures ---- */

/** A job comes to its scheduler, new or again. */
hc_rc hc_omega_monolithic_job(hc_world *w, uint32_t job);
hc_rc hc_omega_monolithic_thought(hc_world *w, uint32_t scheduler);
hc_rc hc_omega_shared_job(hc_world *w, uint32_t job);
hc_rc hc_omega_shared_thought(hc_world *w, uint32_t scheduler);
hc_rc hc_omega_two_level_job(hc_world *w, uint32_t job);
hc_rc hc_omega_two_level_ended(hc_world *w); /* tasks ended */
hc_rc hc_omega_two_level_offers(hc_world *w);
hc_rc hc_omega_two_level_offer(hc_world *w, uint32_t offer);
hc_rc hc_omega_two_level_answer(hc_world *w, uint32_t offer);
/* Who comes first of those of equal share, by `offer_order`. @return 0 or HC_EUSAGE (a name that is none). */
hc_rc hc_omega_two_level_rank(hc_world *w, hc_error *e);
void hc_omega_two_level_fini(hc_world *w);

/* ---- report.c ---- */

hc_rc hc_omega_world_finish(hc_world *w, hc_findings *f, hc_store *store, hc_error *e);

#endif
