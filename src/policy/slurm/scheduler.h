/* scheduler.h -- the two schedulers of slurmctld, the main one and the backfill, over one set of books. */
#ifndef HC_POLICY_SLURM_SCHEDULER_H
#define HC_POLICY_SLURM_SCHEDULER_H

#include "policy/slurm/books.h"
#include "policy/slurm/caps.h"
#include "policy/slurm/clock.h"
#include "policy/slurm/deferred.h"
#include "policy/slurm/ends.h"
#include "policy/slurm/kinds.h"
#include "policy/slurm/later.h"
#include "policy/slurm/past.h"
#include "policy/slurm/preempt.h"
#include "policy/slurm/rows.h"
#include "policy/slurm/space.h"
#include "policy/slurm/together.h"

/* What was done, for the result. No padding. */
typedef struct hc_slurm_counts {
  int64_t passes, cycles;           /* of the main scheduler, of the backfill, with jobs to look at */
  int64_t main_tried, main_started; /* jobs */
  int64_t backfill_tried, backfill_started;
  int64_t planned;                                       /* jobs for which the backfill planned nodes */
  int64_t deepest;                                       /* jobs tried in one cycle, at most */
  int64_t suspended;                                     /* jobs, each time counted */
  int64_t preempted, preempted_requeued, preempted_told; /* jobs; of them requeued; told to go by a grace */
  int64_t refused; /* starts that the books allow and the cell does not */
} hc_slurm_counts;

/* A job that is to start on cores of one that has started in the same decision waits for the next one, and
 * with it what would have looked at the jobs behind it. */
enum hc_slurm_put_off { HC_SLURM_PUT_OFF_FRONT = 1, HC_SLURM_PUT_OFF_FULL = 2, HC_SLURM_PUT_OFF_CYCLE = 4 };
enum { HC_SLURM_PUT_OFF = 3 }; /* see HC_SLURM_HAS_STARTED */

typedef struct hc_slurm {
  const hc_services *s;
  const hc_allocator *allocator;
  hc_slurm_settings settings;
  hc_slurm_books books;
  hc_slurm_clock clock;
  hc_slurm_counts counts;
  /* room for a job that is tried */
  hc_slurm_choice choice;
  hc_slurm_space space;
  uint64_t *mask, *avail, *picked, *may, *open; /* [words] */
  int64_t *caps;                                /* [nodes] */
  hc_slurm_later later;
  hc_slurm_ends ends;
  hc_slurm_kinds kinds;
  hc_slurm_past past;
  hc_slurm_deferred deferred;
  bool defers;   /* jobs are planned only if a start depends on it, and `counts.planned` counts these */
  int64_t holds; /* s: before that the table's end plays no part in what the cycle has planned */
  hc_slurm_preempt preempt;
  hc_slurm_together together;
  hc_slurm_rows rows;
  uint64_t starts;  /* in this decision */
  uint32_t put_off; /* hc_slurm_put_off: passes that go on in another decision, at the same time */
  uint8_t *failed;  /* [partitions] */
  hc_map tested;    /* how many jobs of a user, partition, account were tried */
  hc_map planned;   /* tasks of several partitions that the cycle has planned for, and when, s */
  hc_map closed;    /* reservations in which the pass found no nodes */
} hc_slurm;

/** Make room for jobs to be tried in, of a struct that is zero but for services, allocator, settings and
 *  books. @return 0, HC_ENOMEM */
hc_rc hc_slurm_prepare(hc_slurm *self);
/** Give back all of it, the books with it. */
void hc_slurm_fini(hc_slurm *self);

/** Run the main scheduler over the front of the queue, or all of it. @return 0, HC_ENOMEM */
hc_rc hc_slurm_main_pass(hc_slurm *self, hc_view *v, hc_plan *p, bool full);
/** Run a cycle of the backfill. @return 0, HC_ENOMEM */
hc_rc hc_slurm_backfill(hc_slurm *self, hc_view *v, hc_plan *p);

/** Start a job on what `choice` has dealt it. @param limit s, which it then has: its own or less
 *  @return 1, 0: it may not start, or an error */
hc_rc hc_slurm_start(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job, int64_t limit);
/** Has its reservation not begun, or may it not be in that? Then it is not looked at. */
bool hc_slurm_waits_for_reservation(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                                    int64_t now);
/** Do as many tasks of its array run as may? Then it is not looked at. */
bool hc_slurm_waits_for_array(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job);
/** Does a limit keep it from being looked at? */
bool hc_slurm_is_limited(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job);
/** Do MinNodes and MaxNodes of its partition forbid it whatever is free? */
bool hc_slurm_is_barred(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                        const hc_slurm_ask *ask);
/** Does a limit forbid it on what `choice` has dealt it? What is dealt is sorted, if there are limits. */
bool hc_slurm_is_over(hc_slurm *self, const hc_view *v, const hc_slurm_job *job);
/** Are there as many licences as the job needs? */
bool hc_slurm_has_licences(const hc_slurm *self, const hc_slurm_ask *ask);

#endif
