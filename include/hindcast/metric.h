/** @file metric.h What is counted. A metric is an observer: it gets records of what happened (record.h), in
 *  blocks, in order, read-only, and says at the end what it found (figure.h). The same code counts a running
 *  simulation, a stored result, and the schedule that a log recorded. */
#ifndef HINDCAST_METRIC_H
#define HINDCAST_METRIC_H

#include "hindcast/cell.h"
#include "hindcast/figure.h"
#include "hindcast/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Capacity that is reserved in advance for a while: a window of an advance reservation. */
typedef struct hc_reserved {
  hc_time from, to;
  int64_t units; /* of the first dimension of its hosts, or processors */
} hc_reserved;

/** What every metric may want to know of the run. */
typedef struct hc_metric_context {
  const hc_allocator *allocator;
  int64_t capacity;          /* units of the machine */
  int64_t unix_start;        /* HC_UNKNOWN if not known */
  int32_t zone_offset;       /* seconds east of UTC, for tables by day and hour */
  const hc_cell_spec *cell;  /* the machine; NULL where a log is only counted */
  const hc_lexicon *lexicon; /* names of dimensions and users; NULL where there is none */
  /** Local load of a host in a dimension (the lexicon's number) at `at` (>= 0): 1 - the product of what each
   *  process leaves, and until when that holds. Any time in any order; asking changes nothing. NULL: there is
   *  none. */
  hc_load_level (*load)(void *load_ctx, uint32_t host, uint32_t dimension, hc_time at);
  void *load_ctx;
  const hc_reserved *reserved; /* [reserved_count] by their beginnings; none where records are all there is */
  size_t reserved_count;
  const char *zone;   /* tz database name of the run's; NULL: `zone_offset` all the time */
  int64_t core_units; /* that make a core: 1 of processors, 1000 on hosts; 0: units are not cores */
  /** The account and QOS that a task has beside its group and queue, while its record is told. NULL, and
   *  `false`: it has none. Since 0.3. */
  bool (*beside)(void *beside_ctx, int64_t serial, hc_beside *out);
  void *beside_ctx;
  /** What the log measured of a task, while its record is told. `false`: nothing. NULL where no log is
   *  counted, as in a run. Since 0.3. */
  bool (*measured)(void *measured_ctx, int64_t serial, hc_measured *out);
  void *measured_ctx;
  /** W that a host draws in a state and, where it is on, at loads [HC_POWER_PARTS], 0 to 1. On a cell that
   *  counts: that of a processor. NULL: the run says nothing of power. Since 0.3.
   *  @param code  an hc_power_state, or hc_power_at a state of power */
  double (*watts)(const void *watts_ctx, uint32_t host, uint32_t code, const double *loads);
  const void *watts_ctx;
  bool computes; /* HC_CHANGE_COMPUTES is told: which cores compute. Else those that tasks hold. Since 0.3 */
  bool network_draws; /* what links and switches draw is known, and hc_use_look.link_energy told. Since 0.3 */
  double link_watts, switch_watts; /* W: of all links together when they carry nothing; of all switches */
  const hc_number_calls *numbers;  /* how numbers are read and written. Since 0.3. */
} hc_metric_context;

typedef struct hc_metric hc_metric; /* a component's state */

/** A family of figures. Any of the four hearing functions may be NULL: what no family hears is not built. */
typedef struct hc_metric_type {
  hc_component component;
  hc_rc (*init)(const hc_metric_context *c, const void *options, hc_metric **out, hc_error *e);
  /** Tasks that came to their final state, in that order. */
  hc_rc (*tasks)(hc_metric *self, const hc_task_record *records, size_t count);
  /** Time that passed, in order and without gaps. */
  hc_rc (*intervals)(hc_metric *self, const hc_interval *intervals, size_t count);
  hc_rc (*finish)(hc_metric *self, hc_findings *f);
  hc_rc (*visit)(hc_metric *self, hc_visitor *v);
  void (*fini)(hc_metric *self);
  /** What changed, in order of time. NULL: not heard; if no family hears it, it is not built. */
  hc_rc (*changes)(hc_metric *self, const hc_change *changes, size_t count);
  /** The run has come to this time and ends: the last interval closes here. NULL: not heard. */
  hc_rc (*until)(hc_metric *self, hc_time end);
  /** It counts what tasks really use (hc_change.used_cpu), which only a run knows: refused for records
   *  alone. */
  bool needs_use;
  /** A running task was stopped by a plan. NULL: not heard. */
  hc_rc (*stops)(hc_metric *self, const hc_stop_record *r);
  /** The kinds of `changes` that it wants, a bit 1 << hc_change_kind for each; 0: all. It may be given others
   *  too. */
  uint32_t change_kinds;
  /** A plan has set a task's rate, suspended it, or let it go on. NULL: not heard. */
  hc_rc (*rates)(hc_metric *self, const hc_rate_record *r);
  /** For families that only add up what is held: a run tells them claims and releases here, as they happen,
   *  and nothing by `changes`, which they have all the same, for schedules of which records are all there is.
   *  A task of many hosts so costs one call, and not a record for each. NULL: they come as changes. */
  hc_rc (*claims)(hc_metric *self, const hc_claim_record *c);
  /** Does it ask for the fair start of a task that has come: the start that it would have had, had no other
   *  come after it? That costs a fork of the run. NULL: it asks for none. With `fair`. Since 0.2. */
  bool (*asks_fair)(hc_metric *self, uint64_t serial);
  /** What was found, of each task that comes, in order of serials.
   *  @param is_asked  false: `start` was not sought
   *  @param start  HC_NEVER: the task would not have started. Since 0.2. */
  hc_rc (*fair)(hc_metric *self, uint64_t serial, bool is_asked, hc_time start);
  /** What a task did while it ran, when its attempt is over. A run without a model of execution is refused
   *  (so is one with `look`). NULL: not heard. Since 0.3. */
  hc_rc (*did)(hc_metric *self, const hc_did_record *r);
  /** Does it ask how long tasks take alone (hc_did_record.alone)? That costs as much again as running them.
   *  NULL: it does not. Since 0.3. */
  bool (*asks_alone)(const hc_metric *self);
  /** Look at what is used. Called at the first instant of the run, at each time that `look_at` says, before
   *  anything else happens then, and at its end. NULL: it does not look. With `look_at`. Since 0.3. */
  hc_rc (*look)(hc_metric *self, const hc_use_look *u);
  /** When next: later than the last look. Since 0.3. */
  hc_time (*look_at)(const hc_metric *self);
  /** A task of a job has arrived, and what it waits for in its job is known. Only a run tells it: `needs_use`
   *  says so. NULL: not heard. Since 0.3. */
  hc_rc (*workflow)(hc_metric *self, const hc_workflow_record *r);
  /** How scheduling stands at the end of each instant, after all that has changed at it was told. Only a run
   *  tells it. NULL: not heard. Since 0.3. */
  hc_rc (*stands)(hc_metric *self, const hc_standing_record *r);
  /** An attempt of a task is over, whatever ended it. Only a run tells it: `needs_use` says so. NULL:
   * not heard.
   *  Since 0.3. */
  hc_rc (*attempts)(hc_metric *self, const hc_attempt_record *r);
  /** Does it look, by `look`, in this run? NULL: always. Since 0.3. */
  bool (*asks_look)(const hc_metric *self);
  /** A labelled part of a task's profile is over. A run without a model of execution, or on a cell without
   *  hosts, is refused. NULL: not heard. Since 0.3. */
  hc_rc (*labelled)(hc_metric *self, const hc_labelled_record *r);
  /** What all hosts have drawn since the run's origin, by all that was told so far. NULL: it does not know.
   *  @param out J; < 0: it is not counted with these options @return 0 or HC_ENOMEM. Since 0.3. */
  hc_rc (*drawn)(hc_metric *self, hc_time now, double *out);
} hc_metric_type;

/** What is known when a finished run is trimmed. */
typedef struct hc_trim_input {
  uint64_t tasks;                    /* that started */
  hc_time first_submit, last_submit; /* ns */
  hc_time first_start, last_end;
  hc_time full_from, full_to; /* first and last instant at which the machine was full; HC_UNKNOWN */
  /** If the trim `needs_contention`: the first instant after which no host could take the first waiting task
   *  of [0] some user, [1] any user; HC_UNKNOWN if there was none. */
  hc_time contended_from[2];
  /** The first after each of them at which a user's last task left the queue, or the last change of all. */
  hc_time contended_to[2];
} hc_trim_input;

/** Which tasks a trimmed summary counts: warm-up and cool-down left out by a stated rule. */
typedef struct hc_trim_type {
  hc_component component;
  /** @param rank position in the order of termination, from 0. @return true: count it. */
  bool (*keeps)(const void *options, const hc_trim_input *in, uint64_t rank, const hc_task_record *task);
  /** The time that integrals are taken over; NULL: the same as untrimmed. */
  void (*window)(const void *options, const hc_trim_input *in, hc_time *from, hc_time *to);
  bool needs_contention; /* it looks at contended_from and contended_to, which take a sweep over all tasks */
} hc_trim_type;

#ifdef __cplusplus
}
#endif
#endif
