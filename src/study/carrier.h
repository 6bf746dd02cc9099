/* carrier.h -- who carries points out: worker processes here, or a batch system.
 *
 * A carrier is one file with one const struct (hc_carrier_type) and its line in carriers.def. It gets the
 * task, sees that every open point becomes known to it (hc_task_take), and returns. It writes no store and
 * reads no study file: those who call it do.
 *
 * A carrier for a batch system submits elements that each run `hindcast study run FILE --shard i/n --out
 * OUT`, waits, and hands over the parts that these leave (hc_task_take_part): OUT.points-i-of-n. */
#ifndef HC_STUDY_CARRIER_H
#define HC_STUDY_CARRIER_H

#include "study/journal.h"

/* Where a set of figures has the one that decides whether to stop: its place + 1, 0: nowhere. */
typedef struct hc_task_column {
  uint64_t key;
  uint32_t column, padding;
} hc_task_column;

/* What has to be carried out, and what is known. */
struct hc_task_list {
  hc_study *study;
  const hc_study_carrying *how;
  hc_journal *journal;         /* of this shard; open for appending */
  uint64_t *offset;            /* [product] of the point's record in the journal, plus 1; 0: open. */
  uint8_t *state;              /* [product] hc_point_state */
  uint64_t at, end;            /* positions of the carrying out that were not given out yet, of this shard */
  uint64_t wave_from, wave_to; /* replications that are wanted now: see stop.c */
  uint64_t *decided; /* [combinations] of a study that stops: replications it needs; 0: not known yet */
  double *values;    /* [product] of the figure that decides; NULL if the study does not stop by itself */
  hc_task_column *sets;
  size_t set_count, set_cap;
  bool has_head; /* the journal has begun */
  hc_study_progress progress;
  hc_error *error;
};

/** The next points to be carried out, at most `cap`, those of one workload together. @return how many; 0:
 *  none now. */
size_t hc_task_give(hc_task_list *t, uint64_t *points, size_t cap);
/** Take records over: into the journal, and into what is known. @param data whole records */
hc_rc hc_task_take(hc_task_list *t, const char *data, size_t size, hc_error *e);
/** Take over what the journal of a shard has that is not known yet. @param only_done leave out what failed */
hc_rc hc_task_take_part(hc_task_list *t, const char *path, bool only_done, hc_error *e);
/** Tell `tick`. @return false: stop. */
bool hc_task_tick(hc_task_list *t);
/** Read what the journal knows; a new journal says nothing. @return as hc_journal_each; HC_EUSAGE: of another
 *  study. */
hc_rc hc_task_load(hc_task_list *t, hc_error *e);

/* stop.c */
hc_rc hc_task_set(hc_task_list *t, const hc_record *r, hc_error *e);
double hc_task_value(const hc_task_list *t, const hc_record *r);
/** Find out how many replications each combination needs, as far as that is known. */
hc_rc hc_task_decide(hc_task_list *t, hc_error *e);
/** Whether a point is one of the study: not excluded, and not a replication that is not needed. */
bool hc_task_counts(const hc_task_list *t, uint64_t point);
/** Begin the next wave of replications of a study that stops by itself. @return whether there is one. */
bool hc_task_next_wave(hc_task_list *t);

/** Who shall carry it out: what the study says, and laid upon it `via` and then `with` (see
 *  hc_study_carrying); `local` if nothing is said. The options live as long as the study. @return 0,
 *  HC_EUSAGE, HC_EINPUT, HC_ENOMEM */
hc_rc hc_carrier_choose(hc_study *s, const hc_study_carrying *how, hc_chosen *out, hc_error *e);

/* worker.c -- a process that carries points out and says what became of them */

/* What a worker says where its parent can see it even if it dies or hangs. */
typedef struct hc_worker_sign {
  uint64_t point;    /* + 1; 0: between points */
  uint64_t began_ns; /* steady clock */
  uint64_t began_cpu_ns;
} hc_worker_sign;

/** What waitpid says of a process that ended before its work: "its process ended by signal 11 (a bad access
 *  ...)". */
void hc_worker_end_text(int status, char *out, size_t size);
/** Read lists of points (a count, then the points) from one pipe, write records into the other; never
 *  returns. */
void hc_worker_run(hc_study *s, int from, int to, volatile hc_worker_sign *sign) __attribute__((noreturn));

/* store.c */
/** Write the store: every point that counts, open ones too. @return 0, HC_EIO, HC_ELIMIT (too many figures),
 *  HC_ENOMEM. */
hc_rc hc_study_store(hc_task_list *t, const char *path, hc_error *e);

#endif
