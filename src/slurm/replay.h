/* replay.h -- a log replayed on a batch system: its jobs submitted at their times, on the batch system's
 * clock, ended as they ended.
 *
 * A job that completed, failed or ran out of memory ends so by itself after its recorded run time; one that
 * was cancelled while it ran, too, with that state; one that was cancelled before it ran is cancelled at
 * the recorded time; one that reached its limit runs until the batch system ends it. Limits are whole
 * minutes. So that a job is not ended at its limit which was not in the log, a limit that its run time
 * comes close to is raised by some minutes (`margin`): a batch system starts and ends jobs a moment late,
 * which at a fast clock is a minute. */
#ifndef HC_SLURM_REPLAY_H
#define HC_SLURM_REPLAY_H

#include "hindcast/workload.h"
#include "slurm/batch.h"

#define HC_REPLAY_NAME "hindcast." /* before the old job's number, in the new one's name */

typedef enum hc_replay_state {
  HC_REPLAY_COMPLETED,
  HC_REPLAY_FAILED,
  HC_REPLAY_TIMEOUT,
  HC_REPLAY_CANCELLED,
  HC_REPLAY_OUT_OF_MEMORY,
  HC_REPLAY_OTHER, /* a state that no job is asked to end in */
  HC_REPLAY_LOST,  /* refused, or no record of it */
  HC_REPLAY_STATES
} hc_replay_state;

extern const char *const hc_replay_words[HC_REPLAY_STATES]; /* as Slurm writes them */

typedef struct hc_replay_job {
  int64_t id;                /* in the log; one that the log has twice becomes another one */
  hc_time submit, wait, run; /* wait HC_UNKNOWN: it never ran, or the log does not say; run: 0 then */
  hc_time cancel_at;         /* HC_NEVER: it is not cancelled from outside */
  int64_t nodes, cpus, memory, minutes;
  hc_time given;                /* the limit that its partition gives it where it has none; HC_NEVER: none */
  const char *partition, *user; /* borrowed; NULL as in hc_batch_job */
  int64_t user_number;          /* of the log */
  hc_replay_state state;        /* how it ended */
  uint32_t exclusive;           /* hc_exclusive */
  bool ran, was_raised;
  /* what became of it */
  char batch_id[HC_BATCH_ID];
  hc_time late; /* how long after its time the batch system had it; HC_UNKNOWN: it never did */
  hc_replay_state got;
  int64_t got_submit, got_start, got_end; /* seconds of the batch system's clock; HC_UNKNOWN: not known */
} hc_replay_job;

/** A limit as sinfo prints it. @return HC_NEVER: it is none, or infinite */
hc_time hc_replay_limit(const char *text);

/* How a log's jobs become jobs of a machine. */
typedef struct hc_replay_machine {
  int64_t nodes, cpus; /* cpus of each node */
  hc_time margin;      /* see above */
  bool with_memory;    /* nodes' memory is given out too: each job asks for some */
} hc_replay_machine;

/** A job of the log as it is to be submitted. @return 1; 0: it cannot be (`why`, constant) */
int hc_replay_make(const hc_task_spec *t, const hc_replay_machine *m, hc_replay_job *out, const char **why);
/** The same in the words of a batch system. @param name  [64] its memory; `out` borrows from `j` and it */
void hc_replay_ask(const hc_replay_job *j, char name[64], hc_batch_job *out);

typedef struct hc_replay_options {
  bool (*tick)(void *ctx, size_t submitted, size_t ended, hc_time now); /* now and then; false: stop. NULL */
  void *ctx;
  hc_time give_up; /* of the batch system's clock after the last submission: what still waits then is lost */
} hc_replay_options;

typedef struct hc_replay_totals {
  size_t submitted, refused, cancelled, equal;       /* equal: ended as recorded */
  size_t states[HC_REPLAY_STATES][HC_REPLAY_STATES]; /* [recorded][got] */
  hc_time late_median, late_most;
  int64_t origin;    /* second of the batch system's clock at which the log began */
  char refusal[200]; /* the first one's words */
} hc_replay_totals;

/** Replay. @param jobs  [count] in order of submission @return 0; HC_ECANCELLED: `tick` said so; or what a
 *  call of the batch system failed with. In each case nothing is cancelled or taken back: that is the
 *  caller's matter. */
hc_rc hc_replay_run(const hc_allocator *a, hc_batch *b, hc_replay_job *jobs, size_t count,
                    const hc_replay_options *o, hc_replay_totals *out, hc_error *e);

/** Write the jobs as records of sacct, with times that count from the second `unix_origin`: as the log has
 *  them, or as they were replayed. Jobs that were lost are left out of the latter. */
void hc_replay_write(const hc_replay_job *jobs, size_t count, const hc_replay_totals *t, int64_t unix_origin,
                     bool replayed, hc_buffer *out);

#endif
