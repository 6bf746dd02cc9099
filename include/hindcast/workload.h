/** @file workload.h What arrives: tasks as a trace or a generator yields them, the sources that yield them,
 *  the transforms between, and the ledger in which every row is accounted for.
 *
 *  A source yields jobs in order of submission and owns what it yields until the next call. Nothing but
 *  the job at hand, and a bounded window for sorting, is in memory. */
#ifndef HINDCAST_WORKLOAD_H
#define HINDCAST_WORKLOAD_H

#include "hindcast/cluster.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A task as its source knows it. Missing times and amounts are HC_UNKNOWN; missing ids are -1.
 *  Times of day count from the origin of the source (hc_trace_info.unix_start). */
typedef struct hc_task_spec {
  int64_t id;        /* its number in the trace: not unique by force, never used as a key by the engine */
  uint64_t line;     /* where it stands, 1-based; 0 if generated */
  hc_time submit;    /* when it arrived, ns */
  hc_time wait;      /* how long it waited in reality, ns */
  hc_time run;       /* how long it ran, ns: the truth */
  hc_time limit;     /* how long it asked for, ns */
  hc_time cpu_time;  /* per processor, ns */
  hc_time think;     /* between the end of `preceding` and this submission, ns */
  hc_time cancel_at; /* when it leaves the queue if it has not started, ns; HC_NEVER: it stays */
  int64_t procs_used, procs_asked;                   /* processors */
  int64_t memory_used, memory_asked;                 /* bytes per processor */
  int64_t preceding;                                 /* id of the task that had to end first */
  int64_t user, group, executable, queue, partition; /* numbers of the trace */
  int64_t priority;                                  /* higher first; 0 if the trace has none */
  int32_t status;                                    /* hc_status */
  uint32_t node;                                     /* which of a bundle's tasks, from 0; set by the stream */

  /* Tasks of data centres; a batch log leaves all of this as hc_task_spec_none makes it. */
  int64_t job;        /* number of the job that it is part of; -1: it is alone */
  hc_time not_before; /* may be planned but not started before this; HC_UNKNOWN: as soon as it is there */
  int64_t hosts;      /* slots of `need` that it needs at once; HC_UNKNOWN: by its processors */
  int64_t need[HC_DIMENSIONS]; /* on each, by the lexicon's number; HC_UNKNOWN: not said. Neither cpu nor
                                  memory nor gpu said: the whole host */
  uint32_t count;     /* a bundle: so many equal tasks in one row; 0 counts as 1 */
  uint32_t more;      /* handle of hc_more in the lexicon, which this spec holds; 0: nothing more */
  uint32_t flags;     /* hc_spec_flag */
  uint32_t padding;
} hc_task_spec;

typedef enum hc_spec_flag {
  HC_SPEC_SPREAD = 1,    /* each slot on another host; else several may share one */
  HC_SPEC_AT_START = 2,  /* `submit` is when it started in reality: the log does not know when it arrived */
  HC_SPEC_NO_END = 4     /* it had not ended when the trace did: `run` is how long it was seen to run */
} hc_spec_flag;

/** A task of which nothing is known: the start of every reader. */
HC_API hc_task_spec hc_task_spec_none(void);

/** What the trace says became of a task (numbers of the Standard Workload Format, fields 11). */
typedef enum hc_status {
  HC_STATUS_UNKNOWN = -1,
  HC_STATUS_FAILED = 0,
  HC_STATUS_COMPLETED = 1,
  HC_STATUS_PARTIAL = 2,        /* one of several executions, to be continued */
  HC_STATUS_PARTIAL_LAST = 3,   /* the last of several, completed */
  HC_STATUS_PARTIAL_FAILED = 4, /* the last of several, failed */
  HC_STATUS_CANCELLED = 5
} hc_status;

/** Tasks handed over together. Batch logs have one task a job. Borrowed until the source's next call; what
 *  waits for what is in each task's hc_more. */
typedef struct hc_job {
  const hc_task_spec *tasks; /* [task_count] */
  uint32_t task_count;
} hc_job;

/** What a source's tasks refer to: how long finished tasks must be remembered. */
typedef enum hc_refers {
  HC_REFERS_NONE, /* no task waits for another: nothing is remembered */
  HC_REFERS_JOB,  /* to tasks of its own job, which are all handed over together or nearly so */
  HC_REFERS_ANY   /* to any task before it */
} hc_refers;

/** Why a row was not used. Spelt in the ledger, in `trace info --json`, and in the side file of rejected
 *  rows. */
#define HC_REASONS(X) \
  X(MALFORMED, "malformed", "too few fields, or one that is no number, or that no time or amount can be") \
  X(NO_SUBMIT, "no_submit", "no submission time: nobody knows when it arrived") \
  X(NEVER_RAN, "never_ran", "cancelled or lost before it started, or without a run time") \
  X(NO_PROCESSORS, "no_processors", "neither a requested nor an allocated number of processors") \
  X(TOO_LARGE, "too_large", "asks for more than the machine has") \
  X(ZERO_LENGTH, "zero_length", "ran for no time, and the run drops such tasks") \
  X(FILTERED, "filtered", "left out by a filter") \
  X(OUTSIDE, "outside", "outside the chosen window or beyond the chosen number") \
  X(UNSORTED, "unsorted", "later than the window in which unsorted rows are put in order") \
  X(WAITS_FOR_NONE, "waits_for_none", \
    "follows a task that is not in the workload, and the run rejects such tasks") \
  X(PROFILE, "profile", "needs an execution model that is not here: it has no fixed length of time") \
  X(STILL_RUNNING, "still_running", "had not ended when the log was taken: nobody knows how long it runs") \
  X(ALREADY_RUNNING, "already_running", "ran before the log began: nobody knows since when") \
  X(NO_DEMAND, "no_demand", "says nothing of what it needs, and the run drops such tasks") \
  X(NOT_A_TASK, "not_a_task", "a row about something else than a task: a reservation, a container, a step") \
  X(INCOMPLETE, "incomplete", "its other rows, without which it cannot be understood, are not in the trace") \
  X(CYCLE, "cycle", "waits, over others, for itself")

typedef enum hc_reason {
#define X(name, word, text) HC_REASON_##name,
  HC_REASONS(X)
#undef X
      HC_REASON_COUNT
} hc_reason;

/** The word for a reason ("never_ran"), and what it means; constant, "?" for what is no reason. */
HC_API const char *hc_reason_name(hc_reason r);
HC_API const char *hc_reason_text(hc_reason r);

/** Every row read is used, merged into another, or rejected for one reason: read = used + merged +
 *  sum(rejected). */
typedef struct hc_row_ledger {
  uint64_t read, used, merged;
  uint64_t rejected[HC_REASON_COUNT];
  uint64_t rounded; /* amounts that were not whole and have been rounded, never to zero: no part of the sum */
  double rounding;  /* the largest relative error that this made */
} hc_row_ledger;

/** How a task that a closed-loop source yielded came to its end. */
typedef struct hc_feedback {
  int64_t id;  /* as the source yielded it */
  hc_time end; /* HC_UNKNOWN: it was left out of the run, and nothing can follow it */
  bool completed;
} hc_feedback;

/** What a source gets from whoever opens it. Everything is borrowed for the source's life. */
typedef struct hc_source_context {
  const hc_allocator *allocator;
  uint64_t seed, replication;
  hc_row_ledger *ledger; /* the source counts here; may be NULL */
  bool strict;           /* the first rejected row is an error */
  /** Told of each rejected row if not NULL. `text` is the line, or NULL. */
  void (*rejected)(void *ctx, uint64_t line, hc_reason why, const char *text);
  void *rejected_ctx;
  hc_lexicon *lexicon;
} hc_source_context;

typedef struct hc_source hc_source; /* defined by each component for itself */

/** What a line is to somebody who sorts lines. */
typedef enum hc_line_kind {
  HC_LINE_HEAD,  /* a comment, a line of column names: it comes first, and stays as it is */
  HC_LINE_ROW,   /* it has a key */
  HC_LINE_BROKEN /* its key cannot be read: it comes before all rows that have one */
} hc_line_kind;

/** A reader of a trace format, or a generator: yields jobs in order of submission. */
typedef struct hc_reader_type {
  hc_component component;
  /** Open with filled options. @return 0, HC_EINPUT, HC_EIO, HC_ENOMEM. */
  hc_rc (*open)(const hc_source_context *c, const void *options, hc_source **out, hc_error *e);
  /** The next job. @return 1 with a job, 0 at the end, 2 if a closed loop waits for feedback, or an error. */
  hc_rc (*next)(hc_source *s, hc_job *job, hc_error *e);
  /** A task that this source yielded has ended. NULL: the source does not listen.
   *  @return how many tasks this lets go, or an error. They may be earlier than one already yielded, never
   *  earlier than `f->end`. */
  hc_rc (*feedback)(hc_source *s, const hc_feedback *f, hc_error *e);
  /** What the trace says of itself; complete after the first call of `next`. Borrowed. */
  const hc_trace_info *(*info)(hc_source *s);
  /** Where reading stands: saved, restored, hashed. On loading the source is positioned there again.
   *  @return 0, HC_EUNSUPPORTED if the input cannot be read twice, HC_EINPUT, HC_EIO, HC_ENOMEM. */
  hc_rc (*visit)(hc_source *s, hc_visitor *v, hc_error *e);
  /** Bytes read so far and in all (0 if unknown), for a progress line; may be NULL. */
  void (*progress)(hc_source *s, uint64_t *done, uint64_t *total);
  void (*close)(hc_source *s);
  /** How likely the first bytes of a file are of this format, 0 to 100; NULL: never guessed. */
  int (*recognise)(const char *name, const char *head, size_t size);
  /** Whether this source, as opened, listens; NULL: it does if it has `feedback`. What listens is never
   *  read ahead. */
  bool (*listens)(const hc_source *s);
  /** What its tasks refer to, as opened; NULL: HC_REFERS_NONE. */
  hc_refers (*refers)(const hc_source *s);
  /** Where a line of the file stands in order of submission, for sorting lines as they are. `n` bytes without the
   *  newline. NULL: the format is not one row a line. */
  hc_line_kind (*line_key)(const void *options, const char *line, size_t n, hc_time *submit, int64_t *id);
} hc_reader_type;

typedef struct hc_transform hc_transform; /* defined by each component for itself */

/** What a measuring pass over the source found, for transforms that aim at a total. */
typedef struct hc_workload_totals {
  uint64_t tasks;
  hc_time first_submit, last_submit; /* ns */
  double area;                       /* sum of run x processors, processor-seconds */
  int64_t processors;                /* of the machine; 0 if unknown */
} hc_workload_totals;

/** Changes, repeats or drops tasks, one at a time, between a source and the engine. */
typedef struct hc_transform_type {
  hc_component component;
  bool needs_totals; /* wants a first pass over the source below it */
  hc_rc (*init)(const hc_source_context *c, const void *options, const hc_workload_totals *totals,
                hc_transform **out, hc_error *e);
  /** Change `task` in place. @return 1 keep, 0 drop (with `*why`), 2 drop it and everything after it, or
   *  an error. */
  hc_rc (*apply)(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e);
  /** After the last task: rewind the source and go on (repetition `again` from 1)? NULL: no. */
  bool (*again)(hc_transform *t, uint64_t again);
  hc_rc (*visit)(hc_transform *t, hc_visitor *v);
  void (*fini)(hc_transform *t);
} hc_transform_type;

/* ---- a workload on its own, outside a run ---- */

/** A workload being read: its sources, put in order, merged and transformed. Opened by hc_trace_open
 *  (hindcast/engine.h), since a configuration says what it is made of. */
typedef struct hc_trace hc_trace;

/** What a trace yields. */
typedef enum hc_trace_mode {
  HC_TRACE_ROWS, /* every row that can be read, as it is: nothing is too large, nothing must have run */
  HC_TRACE_TASKS /* the tasks that a run would get, by the same semantic options; other rows are rejected */
} hc_trace_mode;

/** One task of a trace. */
typedef struct hc_trace_task {
  hc_task_spec spec;
  int64_t serial;   /* rank of submission, from 0, as a run would number it */
  int64_t units;    /* processors it needs; HC_TRACE_TASKS only, like the two below */
  hc_time run;      /* how long it would run, ns */
  hc_time estimate; /* what may be believed, ns; HC_NEVER: nothing */
} hc_trace_task;

/** The next task in order of submission. A closed loop is told the ends that the log recorded.
 *  @return 1 with a task, 0 at the end, HC_EINPUT with file and line, HC_EIO, HC_ENOMEM. */
HC_API hc_rc hc_trace_next(hc_trace *t, hc_trace_task *out, hc_error *e);
/** What the first source says of itself; complete after the first hc_trace_next. Borrowed. */
HC_API const hc_trace_info *hc_trace_facts(const hc_trace *t);
/** Processors of the machine as the configuration's cell source has it; 0 if nobody knows. */
HC_API int64_t hc_trace_capacity(const hc_trace *t);
/** Names, dimensions and rare facts that its tasks refer to. Borrowed for its life. */
HC_API hc_lexicon *hc_trace_lexicon(hc_trace *t);
/** The row ledger so far. Borrowed. */
HC_API const hc_row_ledger *hc_trace_rows(const hc_trace *t);
/** Bytes read so far and in all (0 if unknown). */
HC_API void hc_trace_progress(const hc_trace *t, uint64_t *done, uint64_t *total);
/** Close it, with everything borrowed from it. NULL is fine. */
HC_API void hc_trace_close(hc_trace *t);

/** Sort a trace in the Standard Workload Format by (submit, id), stably, in bounded memory. Comments come
 *  first, then rows without a readable time of submission; lines stay as they are.
 *  @param in   path, packed or not; "-": standard input
 *  @param out  path, written plain, under its name only when whole; "-": standard output
 *  @param memory_bytes  what may be held at once, roughly; at least 1 MiB is taken
 *  @return 0, HC_EIO, HC_EINPUT, HC_ENOMEM. On failure nothing is left behind. */
HC_API hc_rc hc_trace_sort(const hc_allocator *a, const char *in, const char *out, size_t memory_bytes,
                           hc_error *e);

/** Append a task as one line of the Standard Workload Format: 18 fields and a newline. What the reader
 *  `swf` reads back is the same task, but for cancel_at, priority and node, for which the format has no
 *  place. */
HC_API void hc_swf_write_spec(hc_buffer *out, const hc_task_spec *t);
/** Append header lines: those of the trace as they stood, or made from its facts. @param note one more
 *  line; NULL. */
HC_API void hc_swf_write_header(hc_buffer *out, const hc_trace_info *info, const char *note);

#ifdef __cplusplus
}
#endif
#endif
