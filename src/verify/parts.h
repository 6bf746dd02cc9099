/* parts.h -- what the checks share: the tasks in order of submission, the events in order of time, and the
 * findings.
 *
 * Nothing of the engine is here, nor of the kernel: a checker that shared its queue or its timeline with what
 * it checks would share their errors. */
#ifndef HC_VERIFY_PARTS_H
#define HC_VERIFY_PARTS_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/verify.h"
#include "verify/words.h"

/* A task as the checks see it: `rank` is its position by (submit, serial). Units lie in [0, capacity + 1]. */
typedef struct hc_checked {
  hc_time submit;
  hc_time earliest; /* when it may start: its submission, or later */
  hc_time start;    /* HC_UNKNOWN: it never started */
  hc_time end;      /* HC_NEVER: still running when the records end. Never before `start` */
  hc_time estimate; /* >= 0; HC_NEVER: none */
  hc_time gone;     /* when it left the queue without starting; HC_NEVER: it waits to the end */
  int64_t units;
  size_t record;
} hc_checked;

/* Everything that happens, ordered by (time, kind, rank). A task of no length has no end of its own: it
 * starts and is gone. */
typedef enum hc_happening { HC_ENDS, HC_LEAVES, HC_ARRIVES, HC_STARTS } hc_happening;

typedef struct hc_happens {
  hc_time at;
  uint32_t kind, rank;
} hc_happens;

typedef enum hc_rule {
#define X(name, word, text) HC_RULE_##name,
  HC_RULES(X)
#undef X
      HC_RULE_COUNT
} hc_rule;
_Static_assert(HC_RULE_COUNT <= HC_VERIFY_MOST_RULES, "each has its number in a report");

/* What can be found. */
typedef enum hc_found {
#define X(name, rule, words) HC_FOUND_##name,
  HC_FINDINGS(X)
#undef X
} hc_found;

/* Texts are made when all is known: a finding is small, so that a wholly wrong schedule does not fill the
 * memory. */
typedef struct hc_finding {
  hc_time at;
  hc_found what;
  uint32_t rank, other;     /* UINT32_MAX: none */
  uint32_t host, dimension; /* of those about hosts */
  int64_t a, b;
  const char *word; /* what is counted otherwise; lives as long as the options */
} hc_finding;

/* ---- what else a result says ---- */

/* Where it matters that a record does not say something, and what that is. */
typedef enum hc_gap_place {
  HC_GAP_ON_HOSTS,
  HC_GAP_OF_LOST,
  HC_GAP_OF_STOPPED,
  HC_GAP_OF_HELD,
  HC_GAP_OF_GONE,
  HC_GAP_OF_THINKING,
  HC_GAP_OF_RUNNING,
  HC_GAP_OF_SHARES,
  HC_GAP_OF_CONTENTION,
  HC_GAP_OF_SETS,
  HC_GAP_OF_POLICY
} hc_gap_place;
typedef enum hc_gap {
#define X(name, where, text) HC_GAP_##name,
  HC_GAPS(X)
#undef X
      HC_GAP_COUNT
} hc_gap;
_Static_assert(HC_GAP_COUNT <= 32, "a bit each");

/* A row of a table that counts: `n` of rows, finals and facts, `value` of figures. */
typedef enum hc_counter { HC_COUNTS_ROWS, HC_COUNTS_FINALS, HC_COUNTS_FACTS, HC_COUNTS_FIGURES } hc_counter;
typedef struct hc_verify_counted {
  double value; /* NaN: none */
  int64_t n;
  hc_counter table;
  char name[60];
} hc_verify_counted;

/* Named processors that a task had, and an attempt that was lost with its host. */
typedef struct hc_verify_place {
  int64_t serial, first, count;
} hc_verify_place;
typedef struct hc_verify_loss {
  int64_t serial, attempt;
  hc_time start, end;
} hc_verify_loss;

/* A window of an advance reservation (on one range of hosts), a user or account that may use it, and what was
 * over when it began. */
typedef struct hc_verify_window {
  int64_t reservation;
  hc_time start, end;
  int64_t units, first, count;
  hc_time announced; /* policies know of it from then on */
} hc_verify_window;
/* A change of hosts that was announced ahead. */
typedef struct hc_verify_announcement {
  int64_t kind;       /* 1: they drain, 2: they return at `end`, 3: they change in size */
  hc_time start, end; /* end HC_NEVER: for good */
  hc_time announced;
  int64_t first, count;
} hc_verify_announcement;
typedef struct hc_verify_guest {
  int64_t reservation, user, account; /* -1: it is the other */
} hc_verify_guest;
typedef struct hc_verify_overrun {
  int64_t reservation;
  hc_time at;
  int64_t serial, units; /* serial -1: of processors */
} hc_verify_overrun;

/* A reservation that a task names under the policy slurm, an occurrence of one, and hosts of that:
 * booked.c. */
typedef struct hc_verify_booking {
  int64_t serial, reservation; /* by the number of its name */
} hc_verify_booking;
typedef struct hc_verify_occurrence {
  int64_t reservation, flags;
  int64_t of;                /* whose guests are its own */
  hc_time start, end, known; /* the one at hand from `known` on */
  hc_time over_run;          /* its jobs may go on for so long */
} hc_verify_occurrence;
typedef struct hc_verify_window_hosts {
  int64_t window, first, count;
} hc_verify_window_hosts;
typedef struct hc_verify_window_guest {
  int64_t of, user, account; /* -1: it is the other */
} hc_verify_window_guest;
typedef struct hc_verify_booked {
  const hc_verify_booking *bookings; /* [booking_count] */
  size_t booking_count;
  const hc_verify_occurrence *windows; /* [window_count] */
  size_t window_count;
  const hc_verify_window_hosts *hosts; /* [host_count] */
  size_t host_count;
  const hc_verify_window_guest *guests; /* [guest_count] */
  size_t guest_count;
} hc_verify_booked;

/** Read them; free with hc_verify_booked_free, also if it fails. @return 1: there are windows; 0: none;
 *  HC_EINPUT, HC_ENOMEM */
hc_rc hc_verify_booked_read(const hc_allocator *a, hc_result *r, hc_verify_booked *out, hc_error *e);
void hc_verify_booked_free(const hc_allocator *a, hc_verify_booked *b);

/* A host that plans switch is in a state from then on. */
enum { HC_STATE_ON, HC_STATE_STOPPING, HC_STATE_OFF, HC_STATE_STARTING };
typedef struct hc_verify_power {
  hc_time at;
  int64_t host, state;
} hc_verify_power;

/* A host that has failed, which nothing knew until it went away. */
typedef struct hc_verify_silent {
  hc_time at;
  int64_t host;
} hc_verify_silent;

/* A start in another size than the task asks for. */
typedef struct hc_verify_mold {
  int64_t serial;
  hc_time start;
  int64_t size, asked; /* slots; processors */
} hc_verify_mold;

/* A resize of a task with a law of speed-up, or after which it did nothing for a while. */
typedef struct hc_verify_resize_rate {
  int64_t number; /* of the resize; each has another */
  int64_t rate;   /* from then on, of HC_RATE_ONE */
  hc_time pause;
} hc_verify_resize_rate;

enum { HC_FAMILIES = 4 };

typedef struct hc_verify_told {
  const hc_verify_counted *counted; /* [counted_count] */
  size_t counted_count;
  struct {
    const char *word; /* "user" */
    int64_t number;
  } named_twice[16]; /* [twice_count] the first of them */
  size_t twice_count;
  uint64_t names;                /* rows of both tables of names */
  const hc_verify_place *places; /* [place_count] */
  size_t place_count;
  const hc_verify_loss *losses; /* [loss_count] */
  size_t loss_count;
  const hc_verify_window *windows; /* [window_count] by start */
  size_t window_count;
  const hc_verify_announcement *announcements; /* [announcement_count] */
  size_t announcement_count;
  const hc_verify_guest *guests; /* [guest_count] */
  size_t guest_count;
  const hc_verify_overrun *overruns; /* [overrun_count] */
  size_t overrun_count;
  const hc_verify_power *power; /* [power_count] in order of time */
  size_t power_count;
  const hc_verify_silent *silent; /* [silent_count] in order of time */
  size_t silent_count;
  const hc_verify_mold *molds; /* [mold_count] */
  size_t mold_count;
  const hc_verify_resize_rate *resize_rates; /* [resize_rate_count] by number */
  size_t resize_rate_count;
  const double *speeds; /* [speed_count] of the hosts; NULL: nothing says, or all are alike */
  size_t speed_count;
  bool speeds_differ;
  bool by_profile;                 /* lengths follow from profiles: a size changes no rate */
  int64_t licences[HC_DIMENSIONS]; /* how many there are; -1: it is no licence, or nothing says */
  hc_time until;                   /* when the run was cut short; HC_NEVER: it was not */
  bool by_run;                     /* a run made it, not `analyze` */
  bool has_places;                 /* each task that ran has its processors named */
  bool keeps_standing;             /* what tasks held that still ran is told, too */
  bool kills;                      /* tasks that run past their limits are killed */
  bool evicts;                     /* what has no room on a host that shrank is stopped */
  bool plain_limits; /* limits are what they say, whatever hosts a task runs on, and with how many slots */
  bool plain_times;  /* run times do not depend on where, with how many slots or beside what a task runs */
  bool may_reject, may_withdraw;
  bool row_a_task;            /* each row of the source is one task */
  bool plain_tasks;           /* no task asks for more than amounts */
  bool starts_heads;          /* the first in the queue is looked at whenever anything happened */
  bool starts_all;            /* nothing that fits is left waiting on an idle machine */
  bool families[HC_FAMILIES]; /* of metrics that were asked for: tasks, makespan, wait, response */
  int64_t units_dimension;    /* what `units` are amounts of; -1: nothing says */
  const hc_time *changes;     /* [change_count] ascending: when keys of the policy change */
  size_t change_count;
  const hc_time *evictions; /* [eviction_count] when tasks may be evicted from hosts that drain */
  size_t eviction_count;
  hc_time promises_until; /* when a key changes by which the policy promises; HC_NEVER: none does */
  uint32_t gaps;
} hc_verify_told;

typedef struct hc_check {
  const hc_allocator *allocator;
  const hc_verify_options *options;  /* of `records` */
  const hc_verify_options *as_given; /* of `given` */
  int64_t capacity;                  /* in [0, 2^40], so that sums of units stay far from the end of int64 */
  const hc_task_record *records;
  const hc_task_record
      *given; /* [report.tasks] as they came; of these `records` begins with the first stretches */
  const struct hc_unfolded *unfolded; /* NULL: nothing was suspended or resized */
  hc_checked *tasks;                  /* [count], by (submit, serial) */
  size_t count;
  hc_happens *events; /* [event_count] */
  size_t event_count, event_cap;
  uint32_t *ranks;   /* [report.tasks] of each record as it came */
  uint32_t *serials; /* [report.tasks] the record of a serial; UINT32_MAX: none. NULL: serials are no ranks */
  hc_finding *findings;
  size_t finding_count, finding_cap;
  hc_verify_report report;
} hc_check;

/** Whether the policy of this time is the one whose promise is checked. */
static inline bool hc_promises_at(const hc_check *c, hc_time at)
{
  return !c->options->told || at < c->options->told->promises_until;
}

/** When keys of the policy have changed since it was asked last: what was promised for then or later is void.
 *  @param next  in and out: the place of the next change @return HC_NEVER: they have not */
static inline hc_time hc_changed_at(const hc_check *c, size_t *next, hc_time now)
{
  const hc_verify_told *t = c->options->told;
  const hc_time at = t && *next < t->change_count ? t->changes[*next] : HC_NEVER;
  while (t && *next < t->change_count && t->changes[*next] <= now) ++*next;
  return at <= now ? at : HC_NEVER;
}

/** That so many things are held to a rule. */
static inline void hc_held_to(hc_check *c, hc_rule rule, uint64_t n)
{
  c->report.checked[rule] += n;
}

/** @param rank UINT32_MAX: it is about no task */
hc_rc hc_find(hc_check *c, hc_found what, hc_time at, uint32_t rank, uint32_t other, int64_t a, int64_t b);

/* Of an attempt that stands as a task of its own: its task's. */
int64_t hc_serial_of(const hc_check *c, uint32_t rank);
/* Whole numbers of a row; what is missing is 0. @return 0 or HC_EINPUT. */
hc_rc hc_numbers_of(const char *const *values, size_t n, int64_t *out);

/* A table of whole numbers, each row of which is one item. */
typedef struct hc_number_table {
  const char *name, *what; /* its table; "its table of WHAT cannot be read" */
  size_t columns, item;    /* size of an item */
  /** @param out zeros @param before the item of the row before; NULL: none @return 0 or HC_EINPUT */
  hc_rc (*take)(const int64_t *n, const void *before, void *out);
} hc_number_table;

enum { HC_NUMBER_COLUMNS = 8 }; /* no such table has more */

/* Read it whole. @param out [count], as large as what is in it @return 1: there are rows; 0; HC_EINPUT,
 * HC_ENOMEM */
hc_rc hc_number_table_read(const hc_number_table *t, const hc_allocator *a, hc_result *r, void **out,
                           size_t *count, hc_error *e);

/* Make an array as large as what is in it: then its size is known where it is freed. @return 0 or
 * HC_ENOMEM. */
hc_rc hc_fit(const hc_allocator *a, void **items, size_t *cap, size_t count, size_t item);

/* A row and whose it is, for sorting. */
typedef struct hc_verify_named {
  int64_t serial;
  size_t at;
} hc_verify_named;

/* Records and tables in which each attempt that was stopped is a task of its own: stops.c. */
typedef struct hc_unfolded {
  struct hc_steps *steps; /* of tasks that were resized: regrants.c */
  int64_t *names;         /* [stretch_count] whose each added stretch is: rates.c, regrants.c */
  int64_t *owners; /* [stretch_count] of which record each is a stretch, a task's or an attempt's: rates.c */
  size_t stretch_count, name_room;
  hc_verify_named *rows; /* [row_count] rows of changes of rates, by their tasks */
  size_t row_count, row_room;
  hc_task_record *records; /* [count] those of the tasks first */
  size_t count;
  hc_verify_hosts hosts;
  hc_verify_demand *demands;
  hc_verify_grant *grants;
  hc_verify_told told; /* regrants.c: with these places, if there are any */
  hc_verify_place *places;
  size_t record_room, demand_room, grant_room, place_room; /* bytes */
} hc_unfolded;

/* To be freed also if it fails. @return 0 or HC_ENOMEM. */
hc_rc hc_unfold(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                size_t count, hc_unfolded *u);
/** The same of stretches between suspensions: rates.c. @param records, tasks  as hc_unfold_regrants */
hc_rc hc_unfold_rates(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                      size_t count, size_t tasks, hc_unfolded *u);
/** As hc_regrants_did, of an attempt whose rate changed. */
bool hc_rates_did(const hc_check *c, int64_t serial, hc_time start, hc_time end, hc_wide *done,
                  int64_t *rate);
/** The same of stretches between resizes: regrants.c. @param records [count] those of tasks first, as many as
 *  `tasks`; behind them stopped attempts, as hc_unfold has them */
hc_rc hc_unfold_regrants(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                         size_t count, size_t tasks, hc_unfolded *u);
void hc_steps_free(const hc_allocator *a, struct hc_steps *s);
/** The work of an attempt that was resized, in HC_RATE_ONE x ns. @param rate out: its last
 *  @return false: it was not resized */
bool hc_regrants_did(const hc_check *c, int64_t serial, hc_time start, hc_time end, hc_wide *done,
                     int64_t *rate);
/** Is that a run, up to less than a ns at the last rate? */
bool hc_regrants_is_done(hc_wide done, int64_t rate, hc_time run);
void hc_unfold_free(const hc_allocator *a, hc_unfolded *u);
hc_rc hc_check_times(hc_check *c);
/* Components of a job start together. */
hc_rc hc_check_together(hc_check *c);
hc_rc hc_check_stops(hc_check *c);
hc_rc hc_check_rates(hc_check *c);
hc_rc hc_check_regrants(hc_check *c);

/** The same about a host. */
hc_rc hc_find_on(hc_check *c, hc_found what, hc_time at, uint32_t rank, uint32_t host, uint32_t dimension,
                 int64_t a, int64_t b);
/** The same about something that is counted. */
hc_rc hc_find_word(hc_check *c, hc_found what, const char *word, uint32_t rank, int64_t a, int64_t b);
/** What a finding breaks, and the finding in words. */
hc_rule hc_rule_of(hc_found what);
void hc_finding_text(const hc_check *c, const hc_finding *f, char *text, size_t size);

/** What else a result says, in which ways it was made. To be freed also if it fails. */
hc_rc hc_told_read(const hc_allocator *a, hc_result *r, hc_verify_told *out, hc_error *e);
/** A row of its table of facts; 0: there is none. @param t  NULL: nothing is told */
int64_t hc_told_fact(const hc_verify_told *t, const char *name);
void hc_told_free(const hc_allocator *a, hc_verify_told *t);

/** The record with a serial, as it came; UINT32_MAX if there is none. Once the ledger was checked. */
static inline uint32_t hc_record_with(const hc_check *c, int64_t serial)
{
  return c->serials && serial >= 0 && (uint64_t)serial < c->report.tasks ? c->serials[serial] : UINT32_MAX;
}

/** @return 1 if numbers are out of all bounds: then nothing else may be added up. */
hc_rc hc_check_bounds(hc_check *c);
hc_rc hc_check_ledger(hc_check *c);
hc_rc hc_check_figures(hc_check *c);
hc_rc hc_check_finals(hc_check *c);
hc_rc hc_check_activity(hc_check *c);
hc_rc hc_check_places(hc_check *c);
hc_rc hc_check_losses(hc_check *c);
hc_rc hc_check_power(hc_check *c);
hc_rc hc_check_licences(hc_check *c);
hc_rc hc_check_reserved(hc_check *c);
hc_rc hc_check_booked(hc_check *c);
hc_rc hc_check_announced(hc_check *c);
hc_rc hc_check_fcfs(hc_check *c);
hc_rc hc_check_hosts(hc_check *c);
hc_rc hc_check_easy(hc_check *c);
hc_rc hc_check_conservative(hc_check *c);
hc_rc hc_check_conservative_hosts(hc_check *c);
/** Once attempts were checked. */
hc_rc hc_check_outranks(hc_check *c);

#endif
