/* reservations.h -- advance reservations as slurmctld keeps them: which nodes are whose, from when until
 * when, and which jobs may use them.
 *
 * A job that names a reservation runs on its nodes while it lasts; another job runs on them only if its time
 * limit ends before the reservation begins, or it starts when that is over. A reservation that recurs is its
 * next occurrence alone: the one behind it comes when that is over, as the clock on the wall has it. Jobs
 * that run on its nodes when it begins run on. See reservations.c.
 *
 * Two kinds of text are read, told apart by their content: what `scontrol show reservation` prints, and
 * tables of `sacctmgr -P show reservation`, in which each occurrence has a row of its own
 * (reservations_read.c). */
#ifndef HC_POLICY_SLURM_RESERVATIONS_H
#define HC_POLICY_SLURM_RESERVATIONS_H

#include "base/text.h"
#include "hindcast/figure.h"
#include "hindcast/policy.h"

typedef enum hc_slurm_reserved_flag {
  HC_SLURM_MAINT = 1,       /* its jobs go before all other reservations of its nodes */
  HC_SLURM_OVERLAP = 2,     /* before all but those of maintenance */
  HC_SLURM_FLEX = 4,        /* its jobs may run before, after and beside it */
  HC_SLURM_ALL_NODES = 8,   /* it keeps the whole cluster from the jobs of others */
  HC_SLURM_PART_NODES = 16, /* the same of its partition */
  HC_SLURM_NOT_USERS = 32,  /* all users but those that it names */
  HC_SLURM_NOT_ACCOUNTS = 64,
  HC_SLURM_IS_OPEN = 128 /* which users it has is not said */
} hc_slurm_reserved_flag;

typedef enum hc_slurm_recurrence {
  HC_SLURM_ONCE,
  HC_SLURM_HOURLY,
  HC_SLURM_DAILY,
  HC_SLURM_WEEKDAY, /* Monday to Friday */
  HC_SLURM_WEEKEND, /* Saturday and Sunday */
  HC_SLURM_WEEKLY
} hc_slurm_recurrence;

typedef struct hc_slurm_reservation {
  uint32_t name; /* in the lexicon; several may have the same, one after the other */
  uint32_t partition;
  uint32_t flags;
  hc_slurm_recurrence every;
  int64_t start, end;                         /* s, Unix: of the occurrence at hand */
  int64_t known;                              /* s, Unix: it is at hand since then; 0: from the begin on */
  const uint64_t *nodes;                      /* [words] */
  const char *const *users, *const *accounts; /* [user_count, account_count] */
  size_t user_count, account_count;
} hc_slurm_reservation;

/* One that is over, of a reservation that recurs: Unix seconds. */
typedef struct hc_slurm_occurrence {
  uint64_t item;
  int64_t start, end, known;
} hc_slurm_occurrence;

typedef struct hc_slurm_reservations {
  const hc_allocator *allocator;
  const hc_lexicon *lexicon;
  hc_arena texts;
  hc_zone *zone;               /* NULL: UTC */
  hc_slurm_reservation *items; /* [count] in the order of the files */
  size_t count, cap;
  hc_slurm_occurrence *past; /* [past_count] in the order of their ends, for a check of the result */
  size_t past_count, past_cap;
  bool is_past_lost;
  uint32_t words;
  int64_t over_run; /* ResvOverRun, s */
  hc_names noted;   /* what of them plays no part */
  size_t unknown_nodes;
  bool is_known;   /* there is a file of them */
  uint64_t unread; /* jobs that name a reservation while no file says anything of any */
} hc_slurm_reservations;

/* What a reservation's reader has to know of the cluster. Borrowed. */
typedef struct hc_slurm_reserving {
  const hc_policy_context *context;
  uint32_t words;
  uint32_t (*partition)(void *ctx, const char *name); /* its number; HC_NO_NAME: there is none */
  void *ctx;
} hc_slurm_reserving;

enum { HC_SLURM_LINES = 66 }; /* accounts, one above the other */

/* A job, as far as reservations ask. */
typedef struct hc_slurm_reserver {
  uint32_t name; /* of the reservation that it names; HC_NO_NAME: none */
  uint32_t partition;
  const uint64_t *nodes; /* [words] of the partition */
  const char *user;      /* NULL: not known */
  /* [line_count] its account, and those above it where associations are enforced */
  const char *lines[HC_SLURM_LINES];
  size_t line_count;
} hc_slurm_reserver;

typedef enum hc_slurm_access {
  HC_SLURM_MAY,      /* now */
  HC_SLURM_NOT_NOW,  /* not begun, or over until it recurs */
  HC_SLURM_NEVER_MAY /* there is none, it is over, or the job is none of its users' */
} hc_slurm_access;

/** @param files [of texts] @param zone of their dates; NULL or "": UTC @return 0; HC_EINPUT with its place
 *  (no reservation's text, a date that is none, what is not modelled and would change who runs where),
 *  HC_EUSAGE, HC_EIO, HC_ENOMEM. Give it back in every case. */
hc_rc hc_slurm_reservations_init(hc_slurm_reservations *r, const hc_slurm_reserving *how,
                                 const hc_list *files, const char *zone, hc_error *e);
void hc_slurm_reservations_fini(hc_slurm_reservations *r);
hc_rc hc_slurm_reservations_visit(hc_slurm_reservations *r, hc_visitor *v);
/** Read one file. */
hc_rc hc_slurm_reservations_read(hc_slurm_reservations *r, const hc_slurm_reserving *how, const char *path,
                                 hc_error *e);

/** Which reservations a job names: one, or several with commas between them. Of several those that there are,
 *  the one that begins first before the others; if there are none of them, or it is one, what it names.
 *  @param named  in the lexicon; HC_NO_NAME: none  @return how many of `out`; at least 1 */
size_t hc_slurm_reservations_named(const hc_slurm_reservations *r, uint32_t named, int64_t now,
                                   uint32_t out[HC_TASK_RESERVATIONS]);
/** Occurrences that are over by `now` give way to the next ones. All times are Unix seconds. Where memory for
 *  those that are over is lacking, hc_slurm_reservations_tell says so. */
void hc_slurm_reservations_go_on(hc_slurm_reservations *r, int64_t now);
/** The first begin or end after `now`; INT64_MAX: none is to come. */
int64_t hc_slurm_reservations_next(const hc_slurm_reservations *r, int64_t now);
/** All were over when a pass last went over the whole queue, and those that recur have done so for eight days
 *  since anything was heard: what waits then waits in vain. */
bool hc_slurm_reservations_rest(const hc_slurm_reservations *r, int64_t passed, int64_t heard, int64_t now);

/** May a job that names a reservation be looked at? */
hc_slurm_access hc_slurm_reservations_admit(const hc_slurm_reservations *r, const hc_slurm_reserver *job,
                                            int64_t now);
/** When a job that starts in its reservation now is ended by that; INT64_MAX: it is not. */
int64_t hc_slurm_reservations_ends(const hc_slurm_reservations *r, const hc_slurm_reserver *job, int64_t now);
/** Leave those nodes that a job may have from `*when` on for `limit` s.
 *  @param moves     `*when` may be moved on where its partition is kept from it as a whole, ten times
 *  @param overlaps  out: some of its nodes are kept from it then
 *  @return false: it may have none */
bool hc_slurm_reservations_leave(const hc_slurm_reservations *r, const hc_slurm_reserver *job, int64_t now,
                                 int64_t *when, int64_t limit, bool moves, uint64_t *nodes, bool *overlaps);
/** Does any concern [now, until)? */
bool hc_slurm_reservations_matter(const hc_slurm_reservations *r, int64_t now, int64_t until);
/** The first end at or after `from`, rounded up to a multiple of `step`; 0: none. */
int64_t hc_slurm_reservations_end(const hc_slurm_reservations *r, int64_t from, int64_t step);
/** Tell each occurrence that was at hand: cells of `slurm_window` (by its number: the number of its name,
 *  when it lasted and from when on it was at hand, seconds from `origin`; which reservation's it is; flags,
 *  256 if it recurs, 512 and 1024 if it names users and accounts) and of `slurm_window_hosts` (ranges of its
 *  hosts). */
hc_rc hc_slurm_reservations_tell(const hc_slurm_reservations *r, int64_t origin, hc_findings *f);
/** What a result should say. Nothing is added if there is nothing to say. */
void hc_slurm_reservations_note(const hc_slurm_reservations *r, hc_buffer *out);

#endif
