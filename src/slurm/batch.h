/* batch.h -- a batch system as the replayer sees it: submit, cancel, poll, collect, and its clock.
 *
 * The replayer (replay.h) knows this table and nothing of Slurm. A batch system is one file with a table
 * and a function that makes one; slurm_batch.c is Slurm by its programs, and tests have one that is made
 * up. */
#ifndef HC_SLURM_BATCH_H
#define HC_SLURM_BATCH_H

#include "slurm/vnodes.h"

#define HC_BATCH_ID 32
#define HC_BATCH_STATE 24

/* A job as it is submitted. */
typedef struct hc_batch_job {
  const char *name;
  int64_t nodes, cpus;   /* cpus on each node */
  int64_t memory;        /* MB per processor; 0: not asked for */
  int64_t minutes;       /* limit; 0: none */
  const char *partition; /* NULL: the default one */
  const char *user;      /* NULL: this process's own */
  uint32_t exclusive;    /* hc_exclusive: who may be on its nodes beside it */
  hc_vjob_wish wish;     /* how long it runs, and how it ends */
} hc_batch_job;

/* What became of one. */
typedef struct hc_batch_record {
  const char *id, *name;
  char state[HC_BATCH_STATE]; /* COMPLETED, FAILED, TIMEOUT, CANCELLED ... */
  int64_t submit, start, end; /* seconds of its clock; start HC_UNKNOWN: it never ran */
} hc_batch_record;

typedef struct hc_batch hc_batch;
struct hc_batch {
  /** @param id  out: its number there @return 0; 1: refused, with its words in `said`; an error that ends
   *  the replay */
  hc_rc (*submit)(hc_batch *b, const hc_batch_job *job, char id[HC_BATCH_ID], char *said, size_t size,
                  hc_error *e);
  /** One that has ended already is not an error. */
  hc_rc (*cancel)(hc_batch *b, const char *id, hc_error *e);
  /** How many jobs of those that were submitted have not ended. */
  hc_rc (*poll)(hc_batch *b, size_t *open, hc_error *e);
  /** Hand over each that has ended; of one that ran several times, the last comes last. */
  hc_rc (*collect)(hc_batch *b, hc_rc (*take)(void *ctx, const hc_batch_record *r), void *ctx, hc_error *e);
  /** Its clock, ns since some moment; and sleep until then, or a while less. */
  hc_time (*now)(hc_batch *b);
  void (*wait)(hc_batch *b, hc_time until);
};

#endif
