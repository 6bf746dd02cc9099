/** @file verify.h
 *  Re-checks a stored schedule from its records alone, with code that shares nothing with the engine. */
#ifndef HINDCAST_VERIFY_H
#define HINDCAST_VERIFY_H

#include "hindcast/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is promised, beyond what every schedule must keep.
 *
 *  Records say who had how many processors from when to when, not what a policy thought, so each promise is
 *  checked for a queue in order of submission and for processors that are counted. EASY is checked for one
 *  decision an instant, with a reservation that is computed anew at each by the recorded estimates: a
 *  schedule made with `sticky`, with `call: per_event`, or with other beliefs than its `estimate` column
 *  may be refuted although it kept its own rule. Conservative is checked against an upper bound of each
 *  task's first reservation, exact while nothing ends early: what is refuted broke the bound, but a policy
 *  that plans the whole queue anew after an early end may exceed it legitimately, and what holds may still
 *  have broken a promise that the records cannot show. On hosts EASY's promise is not checked, and
 *  conservative's only for tasks until whose start nothing unforeseen happened, exactly. Where keys of the
 *  policy change, promises are void from then on, and after a change of what the policy promises none is
 *  checked. */
typedef enum hc_promise {
  HC_PROMISE_NONE,
  HC_PROMISE_FCFS,        /* never starts out of order */
  HC_PROMISE_EASY,        /* no task passes the head that could delay its reservation */
  HC_PROMISE_CONSERVATIVE /* never starts later than its first reservation can have been */
} hc_promise;

/** Hosts, what happened to them, and what tasks asked of them and had: the tables of a result on a cell of
 *  hosts. Amounts are by the lexicon's number. */
typedef struct hc_verify_host {
  const int64_t *amount; /* [hc_verify_hosts.dimensions] like all amounts here; at the beginning; 0 while
                                    it is absent */
  int64_t devices;       /* GPUs that are told apart; 0: none, or divisible at will */
} hc_verify_host;
typedef struct hc_verify_change {
  hc_time at;
  uint32_t host, change; /* hc_host_change */
  const int64_t *amount;
} hc_verify_change;
typedef struct hc_verify_demand {
  int64_t serial, slots;
  /* Bits: 1 hosts whole, 2 each slot on another host, 4 more than amounts decided where and how long, 8 in
   * earlier attempts it asked for other amounts. */
  int64_t form;
  const int64_t *need;
  int64_t attempts; /* that were lost with a host */
} hc_verify_demand;
typedef struct hc_verify_grant {
  int64_t serial, slots;
  uint32_t host, kept; /* kept: of the verifier's own, which tells what a resized task held there before; 0 */
  hc_devices devices;
  const int64_t *amount; /* [hc_verify_hosts.dimensions] like all amounts here */
} hc_verify_grant;
/** A running task holds other amounts on a host from then on: the table `resizes`. */
typedef struct hc_verify_resize {
  int64_t serial;
  hc_time at;
  uint32_t host, padding;
  const int64_t *amount; /* in all that it has there */
} hc_verify_resize;
typedef struct hc_verify_hosts {
  const hc_verify_host *hosts; /* [host_count] */
  size_t host_count;
  const hc_verify_change *changes; /* [change_count] in order of time */
  size_t change_count;
  const hc_verify_demand *demands; /* [demand_count] in any order, like the grants */
  size_t demand_count;
  const hc_verify_grant *grants; /* [grant_count]; every host less than host_count */
  size_t grant_count;
  uint32_t dimensions;             /* how many amounts each row has, by the lexicon's number */
  bool is_of_hosts[HC_DIMENSIONS]; /* a dimension of hosts, not of the cell as a whole */
  void *storage;                   /* of the amounts, where hc_verify_hosts_read made them; NULL */
  const hc_verify_resize *resizes; /* [resize_count] in order of time, and as they happened */
  size_t resize_count;
} hc_verify_hosts;

/** Read those tables of a result; free them with hc_verify_hosts_free. @return 1 if it is of a cell of hosts,
 *  0 if not, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_hosts_read(const hc_allocator *a, hc_result *r, hc_verify_hosts *out, hc_error *e);
HC_API void hc_verify_hosts_free(const hc_allocator *a, hc_verify_hosts *h);

/** Attempts that a plan stopped: the tables `stops` and `stop_grants` of a result. */
#define HC_STOPPED_FOR_GOOD 1
#define HC_STOPPED_LOST \
  3 /* a host of it was lost, and it goes on from a checkpoint: it is among the losses, too */
typedef struct hc_verify_stop {
  int64_t serial;
  hc_time start, end;
  int64_t how;     /* hc_stop; HC_STOPPED_FOR_GOOD: the task's end, which its record has too */
  hc_time saved;   /* work that was saved */
  hc_time restart; /* of the next attempt's run, what goes to starting again */
} hc_verify_stop;
typedef struct hc_verify_stops {
  const hc_verify_stop *stops; /* [count] */
  size_t count;
  const hc_verify_grant *grants; /* [grant_count]; `serial` is the place of the attempt in `stops` */
  size_t grant_count;
  bool speeds_differ; /* work is no time */
  uint32_t dimensions;
  void *storage; /* of the amounts; NULL */
} hc_verify_stops;

/** Read them; free with hc_verify_stops_free. @param hosts how many there are; 0 on a cell of processors
 *  @return 1 if there are any, 0 if not, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_stops_read(const hc_allocator *a, hc_result *r, size_t hosts, hc_verify_stops *out,
                                  hc_error *e);
HC_API void hc_verify_stops_free(const hc_allocator *a, hc_verify_stops *s);

/** Running tasks whose rate a plan has changed: the table `rates` of a result. */
typedef struct hc_verify_rate {
  int64_t serial;
  hc_time at;
  int64_t rate; /* of HC_RATE_ONE, from then on */
  bool holds;   /* false: it is suspended, and holds nothing until the next row */
} hc_verify_rate;
typedef struct hc_verify_rates {
  const hc_verify_rate *rates; /* [count] in order of time */
  size_t count;
} hc_verify_rates;

/** Read them; free with hc_verify_rates_free. @return 1 if there are any, 0 if not, HC_EIO, HC_EINPUT (a
 *  damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_rates_read(const hc_allocator *a, hc_result *r, hc_verify_rates *out, hc_error *e);
HC_API void hc_verify_rates_free(const hc_allocator *a, hc_verify_rates *s);

/** Running tasks that a plan resized: the table `regrants` of a result, a row for each grant. */
typedef struct hc_verify_regrant {
  int64_t serial;
  hc_time at;
  int64_t number;      /* of the resize, from 1; 0: what it held as its attempt began */
  int64_t units;       /* in all */
  int64_t host, slots; /* of named processors the first of a range, and how many; of others 0, and how many */
  const int64_t *amount; /* [hc_verify_regrants.dimensions] */
  hc_devices devices;    /* GPUs of the host; none: it has none, or they are not told apart */
} hc_verify_regrant;
typedef struct hc_verify_regrants {
  const hc_verify_regrant *rows; /* [count] in order of time */
  size_t count;
  uint32_t dimensions;
  void *storage; /* of the amounts; NULL */
} hc_verify_regrants;

/** Read them; free with hc_verify_regrants_free. @param hosts how many there are; 0 on a cell of processors
 *  @return 1 if there are any, 0 if not, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_regrants_read(const hc_allocator *a, hc_result *r, size_t hosts,
                                     hc_verify_regrants *out, hc_error *e);
HC_API void hc_verify_regrants_free(const hc_allocator *a, hc_verify_regrants *s);

/** Times before which tasks may not start, by their trace: the table `not_before` of a result. */
typedef struct hc_verify_time {
  int64_t serial;
  hc_time at;
} hc_verify_time;
typedef struct hc_verify_times {
  const hc_verify_time *times; /* [count], in any order */
  size_t count;
} hc_verify_times;

/** Read them; free with hc_verify_times_free. @return 1 if there are any, 0 if not, HC_EIO, HC_EINPUT (a
 *  damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_times_read(const hc_allocator *a, hc_result *r, hc_verify_times *out, hc_error *e);
HC_API void hc_verify_times_free(const hc_allocator *a, hc_verify_times *t);

/** Which tasks are components of which heterogeneous job, where a policy starts these together: the table
 *  `components`. */
typedef struct hc_verify_component {
  int64_t serial, job;
} hc_verify_component;
typedef struct hc_verify_components {
  const hc_verify_component *tasks; /* [count], in any order */
  size_t count;
} hc_verify_components;

/** Read them; free with hc_verify_components_free. @return as hc_verify_times_read. Since 0.1. */
HC_API hc_rc hc_verify_components_read(const hc_allocator *a, hc_result *r, hc_verify_components *out,
                                       hc_error *e);
HC_API void hc_verify_components_free(const hc_allocator *a, hc_verify_components *c);

/** Priorities of tasks, under a rule that stops running tasks by them: the table `priorities`. */
typedef struct hc_verify_priority {
  int64_t serial, priority;
} hc_verify_priority;
typedef struct hc_verify_priorities {
  const hc_verify_priority *tasks; /* [count], in any order */
  size_t count;
} hc_verify_priorities;

/** Read them; free with hc_verify_priorities_free. @return as hc_verify_times_read */
HC_API hc_rc hc_verify_priorities_read(const hc_allocator *a, hc_result *r, hc_verify_priorities *out,
                                       hc_error *e);
HC_API void hc_verify_priorities_free(const hc_allocator *a, hc_verify_priorities *p);

/** Tasks that outlived what was predicted for them: the table `corrections` of a result. */
typedef struct hc_verify_correction {
  int64_t serial;
  hc_time at;
  hc_time estimate; /* believed from then on, of its run from its start */
} hc_verify_correction;
typedef struct hc_verify_corrections {
  const hc_verify_correction *items; /* [count] in order of time */
  size_t count;
} hc_verify_corrections;

/** Read them; free with hc_verify_corrections_free. @return 1 if there are any, 0 if not, HC_EIO, HC_EINPUT
 *  (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_corrections_read(const hc_allocator *a, hc_result *r, hc_verify_corrections *out,
                                        hc_error *e);
HC_API void hc_verify_corrections_free(const hc_allocator *a, hc_verify_corrections *c);

/** Sets of hosts that a log's partitions are bound to: the table `host_sets` of a result, the words `of` of
 *  its configuration, and what its partitions are called. */
typedef struct hc_verify_set_hosts {
  int64_t set, first, count;
} hc_verify_set_hosts;
typedef struct hc_verify_set_word {
  int64_t number; /* of the set, or of the partition */
  const char *text;
} hc_verify_set_word;
typedef struct hc_verify_sets {
  const hc_verify_set_hosts *hosts; /* [host_count] */
  size_t host_count;
  const hc_verify_set_word *words; /* [word_count] partitions of sets, by name or number; "*": all others */
  size_t word_count;
  const hc_verify_set_word *called; /* [called_count] by number: what partitions are called */
  size_t called_count;
  bool by_number; /* numbers of records are those of the source */
  bool names_all; /* every partition that has a name is among `called` */
  bool may_name;  /* tasks may have named their set themselves: then nothing is held to any */
  void *storage;  /* of the texts; NULL */
} hc_verify_sets;

/** Read them; free with hc_verify_sets_free, also if it fails. @return as hc_verify_times_read */
HC_API hc_rc hc_verify_sets_read(const hc_allocator *a, hc_result *r, hc_verify_sets *out, hc_error *e);
HC_API void hc_verify_sets_free(const hc_allocator *a, hc_verify_sets *s);

/** What attempts of tasks with profiles did: the table `activity` of a result, if it was asked for. Values
 *  that a row does not have are NaN; times are seconds. */
typedef enum hc_verify_did {
  HC_VERIFY_END,
  HC_VERIFY_WORKED,
  HC_VERIFY_ALONE,
  HC_VERIFY_SLOWDOWN,
  HC_VERIFY_COMPUTE,
  HC_VERIFY_NETWORK,
  HC_VERIFY_DISK,
  HC_VERIFY_IDLE,
  HC_VERIFY_ITEMS,
  HC_VERIFY_AT_ONCE,
  HC_VERIFY_WAITS_CORES,
  HC_VERIFY_WAITS_NETWORK,
  HC_VERIFY_WAITS_DISK,
  HC_VERIFY_OVERLAP,
  HC_VERIFY_SENT,
  HC_VERIFY_READ,
  HC_VERIFY_WRITTEN,
  HC_VERIFY_DID_COUNT
} hc_verify_did;
typedef struct hc_verify_act {
  int64_t serial;
  double value[HC_VERIFY_DID_COUNT];
} hc_verify_act;
typedef struct hc_verify_activity {
  const hc_verify_act *rows; /* [count] in any order */
  size_t count;
  bool has_files;  /* disks have files, which outlive tasks, so that one may find what another has left */
  bool has_tables; /* bandwidths of disks are tables by the number that share them, and may rise with it */
} hc_verify_activity;

/** Read it; free with hc_verify_activity_free, also if it fails. @return 1 if the run was asked for it, 0 if
 *  not, HC_EIO, HC_EINPUT (a damaged file), HC_ENOMEM. */
HC_API hc_rc hc_verify_activity_read(const hc_allocator *a, hc_result *r, hc_verify_activity *out,
                                     hc_error *e);
HC_API void hc_verify_activity_free(const hc_allocator *a, hc_verify_activity *x);

/** What hears how far a check has come. Zeroed: nothing does. */
typedef struct hc_verify_ticks {
  /** `done` of `total` parts of the work, of unequal length. @return false: stop, with HC_ECANCELLED */
  bool (*tick)(void *ctx, uint64_t done, uint64_t total);
  void *ctx;
} hc_verify_ticks;

typedef struct hc_verify_options {
  int64_t capacity; /* processors; not looked at with hosts */
  hc_promise promise;
  bool honours_run;                   /* run times are those of the records (false for what a log recorded) */
  const hc_verify_hosts *hosts;       /* NULL: processors. On hosts EASY is not checked */
  const hc_verify_stops *stops;       /* NULL: no plan stopped anything */
  const hc_verify_rates *rates;       /* NULL: every task worked at its own rate */
  const hc_verify_regrants *regrants; /* NULL: no plan resized any. Not beside rates, as stops are not */
  /* NULL: every task might start when it was submitted. Conservative's promise is that of plans made at
   * submission; FCFS and EASY take tasks in order of submission all the same. */
  const hc_verify_times *times;
  const hc_verify_components *components; /* NULL: no task is one */
  /* NULL: estimates of records are believed to the end of a task. Asked where EASY is checked. */
  const hc_verify_corrections *corrections;
  const hc_verify_sets *sets; /* NULL: no partition is bound to any */
  /* What else a result says, as hc_verify_result reads it; NULL: nothing. */
  const struct hc_verify_told *told;
  const struct hc_verify_booked *booked;  /* the same of reservations of the policy slurm; NULL: nothing */
  const hc_verify_priorities *priorities; /* NULL: nothing says */
  const hc_verify_activity *activity;     /* NULL: nothing says */
  bool stops_by_priority; /* tasks are stopped at once, for those of higher priority alone, and on counted
                             processors none of these waits while it could start so */
  hc_verify_ticks ticks;
} hc_verify_options;

/** One thing that is wrong. */
typedef struct hc_violation {
  const char *rule; /* by its name: hc_verify_rule_at */
  hc_time at;
  int64_t id, serial; /* of the task; -1 if it is not about one */
  char text[256];
} hc_violation;

/** A rule: its name and what it means; and what no record says. NULL past the end. */
typedef struct hc_verify_rule {
  const char *name, *text;
} hc_verify_rule;
HC_API const hc_verify_rule *hc_verify_rule_at(size_t i);
HC_API const char *hc_verify_gap_at(size_t i);

#define HC_VERIFY_MOST_RULES 32

/** What was looked at. */
typedef struct hc_verify_report {
  uint64_t tasks, instants, reservations;
  uint64_t violations;
  uint64_t checked
      [HC_VERIFY_MOST_RULES]; /* by the number of the rule: how many things were held to it; 0: it was not
                                             checked */
  uint64_t found[HC_VERIFY_MOST_RULES]; /* and how many broke it */
  uint64_t figures_left;                /* figures of the summary that no rule adds up again */
  uint32_t gaps;  /* a bit each, by hc_verify_gap_at: what could not be checked of this one */
  bool by_bounds; /* numbers were out of all bounds, so nothing else was checked */
  hc_promise promise;
  int64_t capacity; /* processors */
  size_t hosts;     /* 0: it is no cell of hosts */
} hc_verify_report;

/** Check `count` records (any order). @param each hears each violation, in order of time; may be NULL.
 *  @return 0 if it holds, HC_EREFUTED if not, HC_ECANCELLED, HC_ENOMEM. Cost: O(n log n), plus O(running) per
 *  blocked head. */
HC_API hc_rc hc_verify(const hc_allocator *a, const hc_verify_options *o, const hc_task_record *records,
                       size_t count, void (*each)(void *ctx, const hc_violation *v), void *ctx,
                       hc_verify_report *report);

/** How a stored result is to be checked. */
typedef struct hc_verify_request {
  int promise;      /* an hc_promise; -1: what the stored configuration promises */
  int64_t capacity; /* processors; 0: as the result says */
  hc_verify_ticks ticks;
} hc_verify_request;

/** Read a result and check all of it. @return as hc_verify; HC_EUSAGE (it has no row for every task, or
 *  nothing says how many processors there were), HC_EUNSUPPORTED (what it is of has no such schedule),
 *  HC_EIO, HC_EINPUT (a damaged file). */
HC_API hc_rc hc_verify_result(const hc_allocator *a, hc_result *r, const hc_verify_request *q,
                              void (*each)(void *ctx, const hc_violation *v), void *ctx,
                              hc_verify_report *report, hc_error *e);

/* ---- schedules of other programs ---- */

/** A schedule as another program wrote it. Of a record only what its format has is known: the rest is -1 or
 *  HC_UNKNOWN. `serial` is -1. */
typedef struct hc_schedule {
  hc_task_record *records; /* [count], in the order of the file */
  size_t count, cap;
  const char *format; /* "lines", "swf", "accasim" */
} hc_schedule;

/** Read a schedule file, plain or packed: lines of `job submit start end procs` in seconds; the Standard
 *  Workload Format with the wait of the schedule in field 3; or AccaSim's `id;user;...` lines. The first line
 *  that is no comment decides which. Rows of tasks that did not start are skipped.
 *  @return 0, HC_EINPUT with file and line, HC_EIO, HC_ENOMEM. */
HC_API hc_rc hc_schedule_read(const hc_allocator *a, const char *path, hc_schedule *out, hc_error *e);
/** Free the records. */
HC_API void hc_schedule_free(const hc_allocator *a, hc_schedule *s);

#ifdef __cplusplus
}
#endif
#endif
