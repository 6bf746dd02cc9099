/** @file workload.h What arrives: tasks as a trace or a generator yields them, the sources that yield them,
 *  the transforms between, and the ledger in which every row is accounted for.
 *
 *  A source yields jobs in order of submission and owns what it yields until the next call. Nothing but
 *  the job at hand, and a bounded window for sorting, is in memory. */
#ifndef HINDCAST_WORKLOAD_H
#define HINDCAST_WORKLOAD_H

#include "hindcast/cell.h"

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
  uint32_t node; /* which of a bundle's tasks, from 0; set by the stream */

  /* Tasks of data centres; a batch log leaves all of this as hc_task_spec_none makes it. */
  int64_t job;            /* number of the job that it is part of; -1: it is alone */
  hc_time not_before;     /* may be planned but not started before this; HC_UNKNOWN: as soon as it is there */
  int64_t hosts;          /* slots of `need` that it needs at once; HC_UNKNOWN: by its processors */
  int64_t need[HC_NEEDS]; /* on each, by the lexicon's number; HC_UNKNOWN: not said. Neither cpu nor memory
                             nor gpu said: the whole host. Of further dimensions: hc_task_extras.further */
  uint32_t count;         /* a bundle: so many equal tasks in one row; 0 counts as 1 */
  uint32_t more;  /* handle of hc_task_extras in the lexicon, which this spec holds; 0: nothing more */
  uint32_t flags; /* hc_spec_flag */
  uint32_t file;  /* which of its source's files `line` is in, by the reader's file_of; 0 if there is one */

  /* Names; see hc_called and hc_lexicon_label in lexicon.h. */
  int64_t account, qos; /* numbers from 1, where the source has them beside a group and a queue; 0: none */
  uint32_t label;       /* what the source calls the task, held by this spec; 0: its number says it */
  uint32_t job_label;   /* what it calls the job, in the same way */

  hc_time held; /* of `wait`, ns: until dependencies, a begin time or a hold let it be planned. Since 0.3. */
} hc_task_spec;

typedef enum hc_spec_flag {
  HC_SPEC_SPREAD = 1,   /* each slot on another host; else several may share one */
  HC_SPEC_AT_START = 2, /* `submit` is when it started in reality: the log does not know when it arrived */
  HC_SPEC_NO_END = 4,   /* it had not ended when the trace did: `run` is how long it was seen to run */
  HC_SPEC_PREFILL = 8,  /* it ran before the run begins: `run` is what it has left */
  HC_SPEC_STARTED =
      16, /* it failed or was cancelled and ran for no time, but the log says that it had started */
  HC_SPEC_PROFILE = 32 /* its extras say what it does: `run` is what that takes alone, or HC_UNKNOWN */
} hc_spec_flag;

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

/** A task of which nothing is known: the start of every reader. */
static inline hc_task_spec hc_task_spec_none(void)
{
  hc_task_spec t;
  memset(&t, 0, sizeof t);
  t.submit = t.wait = t.run = t.limit = t.cpu_time = t.think = t.not_before = t.held = HC_UNKNOWN;
  t.cancel_at = HC_NEVER;
  t.procs_used = t.procs_asked = t.memory_used = t.memory_asked = t.hosts = HC_UNKNOWN;
  t.preceding = t.user = t.group = t.executable = t.queue = t.partition = t.job = -1;
  t.status = HC_STATUS_UNKNOWN;
  for (int d = 0; d < HC_NEEDS; d++) t.need[d] = HC_UNKNOWN;
  return t;
}

/** What the trace says became of a task, as finely as it says it: a word, what hc_status has it as, and what
 *  it means. The first are those of hc_status in their order, from -1. */
#define HC_RECORDED(X) \
  X(UNKNOWN, "unknown", UNKNOWN, "the log does not say how it ended") \
  X(FAILED, "failed", FAILED, "it failed") \
  X(COMPLETED, "completed", COMPLETED, "it ran to its end") \
  X(PARTIAL, "partial", PARTIAL, "one of several executions, to be continued") \
  X(PARTIAL_LAST, "partial_last", PARTIAL_LAST, "the last of several executions, completed") \
  X(PARTIAL_FAILED, "partial_failed", PARTIAL_FAILED, "the last of several executions, failed") \
  X(CANCELLED, "cancelled", CANCELLED, "its user or an administrator ended it") \
  X(TIMEOUT, "timeout", FAILED, "it was ended at its time limit") \
  X(OUT_OF_MEMORY, "out_of_memory", FAILED, "it was ended for the memory that it used") \
  X(NODE_FAIL, "node_fail", FAILED, "a host of it failed") \
  X(BOOT_FAIL, "boot_fail", FAILED, "a host of it did not come up") \
  X(LAUNCH_FAILED, "launch_failed", FAILED, "it could not be launched on its hosts") \
  X(DEADLINE, "deadline", FAILED, "it was ended at its deadline") \
  X(INTERRUPTED, "interrupted", FAILED, "it was interrupted") \
  X(PREEMPTED, "preempted", CANCELLED, "it was ended for another one") \
  X(EVICTED, "evicted", CANCELLED, "it was put off its host") \
  X(REVOKED, "revoked", CANCELLED, "it was withdrawn, since another cluster started it") \
  X(REQUEUED, "requeued", PARTIAL, "it was put back into its queue") \
  X(RESIZING, "resizing", PARTIAL, "it went on with another size") \
  X(LOST, "lost", UNKNOWN, "it is gone, and the log lacks its end")

typedef enum hc_recorded {
#define X(name, word, status, text) HC_RECORDED_##name,
  HC_RECORDED(X)
#undef X
      HC_RECORDED_COUNT
} hc_recorded;

#define HC_RECORDED_FINER HC_RECORDED_TIMEOUT /* the first that hc_status does not have */
#define HC_RECORDED_SHIFT 24 /* hc_task_spec.flags has a finer one in its highest eight bits, else 0 */

/** The word for a recorded state ("timeout"), and what it means; constant, "?" for what is none. */
HC_API const char *hc_recorded_name(hc_recorded r);
HC_API const char *hc_recorded_text(hc_recorded r);
/** What hc_status has it as. */
static inline int32_t hc_recorded_status(hc_recorded r)
{
  switch (r) {
#define X(name, word, status, text) \
  case HC_RECORDED_##name: return HC_STATUS_##status;
    HC_RECORDED(X)
#undef X
    case HC_RECORDED_COUNT: break;
  }
  return HC_STATUS_UNKNOWN;
}
/** The recorded state of a word, in any case; HC_RECORDED_COUNT: none has it. @param n  bytes of it */
static inline hc_recorded hc_recorded_of(const char *word, size_t n)
{
  static const char *const words[] = {
#define X(name, word, status, text) word,
      HC_RECORDED(X)
#undef X
  };
  int r = 0;
  for (; r < HC_RECORDED_COUNT; r++) {
    size_t i = 0;
    for (; i < n && words[r][i]; i++)
      if ((word[i] >= 'A' && word[i] <= 'Z' ? word[i] | 0x20 : word[i]) != words[r][i]) break;
    if (i == n && !words[r][i]) break;
  }
  return (hc_recorded)r;
}

/** How it ended, as its log says it. */
static inline hc_recorded hc_spec_recorded(const hc_task_spec *t)
{
  const uint32_t finer = t->flags >> HC_RECORDED_SHIFT;
  if (finer >= HC_RECORDED_FINER && finer < HC_RECORDED_COUNT) return (hc_recorded)finer;
  return t->status >= HC_STATUS_UNKNOWN && t->status <= HC_STATUS_CANCELLED ? (hc_recorded)(t->status + 1)
                                                                            : HC_RECORDED_UNKNOWN;
}
/** Whether a run that ended so was cut short from outside, and would have gone on. Since 0.3. */
static inline bool hc_recorded_is_cut(hc_recorded r)
{
  return r == HC_RECORDED_TIMEOUT || r == HC_RECORDED_NODE_FAIL || r == HC_RECORDED_BOOT_FAIL ||
         r == HC_RECORDED_DEADLINE || r == HC_RECORDED_INTERRUPTED || r == HC_RECORDED_REQUEUED ||
         hc_recorded_status(r) == HC_STATUS_CANCELLED;
}
/** The same of a task; one of which the log does not say that it completed is cut if it ran for as long as
 *  its limit. Since 0.3. */
static inline bool hc_spec_was_cut(const hc_task_spec *t)
{
  const hc_recorded how = hc_spec_recorded(t);
  if (hc_recorded_is_cut(how) || (t->flags & HC_SPEC_NO_END)) return true;
  return how != HC_RECORDED_COMPLETED && t->limit > 0 && t->run >= t->limit;
}
/** Say so: its status with it. HC_RECORDED_COUNT is UNKNOWN. */
static inline void hc_spec_record(hc_task_spec *t, hc_recorded r)
{
  t->status = hc_recorded_status(r);
  t->flags &= (UINT32_C(1) << HC_RECORDED_SHIFT) - 1;
  if (r >= HC_RECORDED_FINER && r < HC_RECORDED_COUNT) t->flags |= (uint32_t)r << HC_RECORDED_SHIFT;
}

/** A trace that says nothing of itself. Since 0.3. */
static inline hc_trace_info hc_trace_info_none(void)
{
  hc_trace_info i;
  memset(&i, 0, sizeof i);
  i.unix_start = i.jobs = i.records = HC_UNKNOWN;
  return i;
}

/** Tasks handed over together. Batch logs have one task a job. Borrowed until the source's next call; what
 *  waits for what is in each task's hc_task_extras. */
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
  X(NO_SUBMIT, "no_submit", "no submission time: when it arrived is not known") \
  X(NEVER_RAN, "never_ran", "cancelled or lost before it started, or without a run time") \
  X(NO_PROCESSORS, "no_processors", "neither a requested nor an allocated number of processors") \
  X(TOO_LARGE, "too_large", "asks for more than the machine has") \
  X(NO_HOST, "no_host", \
    "no host of the machine, or not enough of them, meets its constraints, or it may not be there for so " \
    "long") \
  X(ZERO_LENGTH, "zero_length", "ran for no time, and the run drops such tasks") \
  X(FILTERED, "filtered", "left out by a filter") \
  X(OUTSIDE, "outside", "outside the chosen window or beyond the chosen number") \
  X(UNSORTED, "unsorted", "later than the window in which unsorted rows are put in order") \
  X(WAITS_FOR_NONE, "waits_for_none", \
    "follows a task that is not in the workload, and the run rejects such tasks") \
  X(PROFILE, "profile", "needs an execution model that is not here: it has no fixed length of time") \
  X(STILL_RUNNING, "still_running", "had not ended when the log was taken: how long it runs is not known") \
  X(ALREADY_RUNNING, "already_running", "ran before the log began: since when is not known") \
  X(NO_DEMAND, "no_demand", "says nothing of what it needs, and the run drops such tasks") \
  X(NOT_A_TASK, "not_a_task", "a row about something else than a task: a reservation, a container, a step") \
  X(INCOMPLETE, "incomplete", "its other rows, without which it cannot be understood, are not in the trace") \
  X(CYCLE, "cycle", "waits, over others, for itself") \
  X(NO_START, "no_start", "ran, and when it started is not known: its wait was not recorded")

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
  uint64_t rejections; /* their sum */
  uint64_t rounded; /* amounts that were not whole and have been rounded, never to zero: no part of the sum */
  double rounding;  /* the largest relative error that this made */
  uint64_t unnamed; /* fields whose name is one more than are remembered, and has its hash for a number */
} hc_row_ledger;

/** How a task that a closed-loop source yielded came to its end. */
typedef struct hc_feedback {
  int64_t id;  /* as the source yielded it */
  hc_time end; /* HC_UNKNOWN: it was left out of the run, and nothing can follow it */
  bool completed;
} hc_feedback;

/** What a source is opened with. Everything is borrowed for the source's life. */
typedef struct hc_source_context {
  const hc_allocator *allocator;
  uint64_t seed, replication;
  hc_row_ledger *ledger; /* the source counts here; may be NULL */
  bool strict;           /* the first rejected row is an error */
  /** Told of each rejected row if not NULL: `file` is where it stands, or what made it (a generator's name),
   *  and `line` counts there; 0: it has none. `text` is the line, or NULL. Both texts are borrowed for the
   *  call. */
  void (*rejected)(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text);
  void *rejected_ctx;
  hc_lexicon *lexicon;
  struct hc_sums *sums; /* built-in readers note there of which bytes a file is; NULL: not asked for */
  const struct hc_book *profiles; /* the run carries profiles out: tasks keep them. NULL: they have lengths */
  /** As `profiles`, of every run: how laws of speed-up are read. NULL outside a run. Since 0.3 */
  const struct hc_book *laws;
  /** What a number is called, said between rows, so that it holds for all tasks, those before it included
   *  (hc_source_call). NULL: the lexicon is told. Since 0.3 */
  hc_rc (*called)(void *ctx, hc_called kind, int64_t number, const char *text, size_t n);
  void *called_ctx;
  /** What a reader in a shared object has of the library: hc_source_reject, hc_lines_open and
   *  hc_name_numbers_new below, and how numbers and dates are read. A source of a run or of a trace always
   *  has it. Since 0.3. */
  const struct hc_source_calls *calls;
} hc_source_context;

/** Say what a number is called that is not, or not only, of the row at hand: as hc_lexicon_call, but in its
 *  turn among tasks, should they be read ahead on another thread. @return as that; 0 without a lexicon */
static inline hc_rc hc_source_call(const hc_source_context *c, hc_called kind, int64_t number,
                                   const char *text, size_t n)
{
  if (c->called) return c->called(c->called_ctx, kind, number, text, n);
  return c->lexicon ? hc_lexicon_call(c->lexicon, kind, number, text, n) : 0;
}

/* What follows is called through pointers, so that a reader in a shared object, which links against nothing
 * of ours, can use it. Since 0.3. */

/** A file of text that is read by lines: plain, or packed with gzip, zstd or xz, as its bytes say and not its
 *  name; "-" is standard input. No more than a line and a block is in memory. */
typedef struct hc_lines hc_lines;

/** Names of a column as numbers 1, 2, 3 ... in order of first sight, which the run is told (hc_called). */
typedef struct hc_name_numbers hc_name_numbers;

typedef struct hc_source_calls {
  uint32_t size, abi;
  const hc_number_calls *numbers; /* c->calls->numbers->parse_seconds(text, n, &t) */
  hc_rc (*reject)(const hc_source_context *c, const char *file, uint64_t line, uint32_t column, hc_reason why,
                  const char *text, hc_error *e);
  hc_rc (*lines_open)(const hc_source_context *c, const char *path, hc_lines **out, hc_error *e);
  hc_rc (*names_new)(const hc_source_context *c, hc_called kind, hc_name_numbers **out);
} hc_source_calls;

/** A pointer to this is the first member of hc_lines. */
typedef struct hc_lines_calls {
  uint32_t size, abi;
  hc_rc (*next)(hc_lines *l, char **text, size_t *length, hc_error *e);
  uint64_t (*number)(const hc_lines *l);
  uint64_t (*position)(const hc_lines *l);
  hc_rc (*seek)(hc_lines *l, uint64_t position, uint64_t number, hc_error *e);
  hc_rc (*visit)(hc_lines *l, hc_visitor *v, hc_error *e);
  const char *(*name)(const hc_lines *l);
  void (*progress)(const hc_lines *l, uint64_t *done, uint64_t *total);
  void (*close)(hc_lines *l);
} hc_lines_calls;

/** A pointer to this is the first member of hc_name_numbers. */
typedef struct hc_name_numbers_calls {
  uint32_t size, abi;
  hc_rc (*number)(hc_name_numbers *t, const char *text, size_t n, int64_t *out);
  hc_rc (*visit)(hc_name_numbers *t, hc_visitor *v);
  void (*free)(hc_name_numbers *t);
} hc_name_numbers_calls;

/** Reject a row, which has been counted as read: its reason is counted, and told to those who list such rows.
 *  @param file  where it stands; @param column  1-based, 0: all of it; @param text  the line, or NULL
 *  @return 0; HC_EINPUT with the place under `strict`: to be returned by `next` */
static inline hc_rc hc_source_reject(const hc_source_context *c, const char *file, uint64_t line,
                                     uint32_t column, hc_reason why, const char *text, hc_error *e)
{
  return c->calls->reject(c, file, line, column, why, text, e);
}

/** Open a file; it is an input of the result, with its checksum. @param path  NULL or "": none is given
 *  @return 0, HC_EUSAGE (no path), HC_EIO (with what to do), HC_ENOMEM */
static inline hc_rc hc_lines_open(const hc_source_context *c, const char *path, hc_lines **out, hc_error *e)
{
  return c->calls->lines_open(c, path, out, e);
}
static inline const hc_lines_calls *hc_lines_calls_of(const hc_lines *l)
{
  return *(const hc_lines_calls *const *)(const void *)l;
}
/** The next line, without its end (LF or CRLF): ends in a NUL, and may be written over until the next call.
 *  A last line without a newline counts. @return 1, 0 at the end, HC_EINPUT (damaged or cut packed data; a
 *  NUL byte; more than 1 MiB), HC_EIO, HC_ENOMEM; with the place */
static inline hc_rc hc_lines_next(hc_lines *l, char **text, size_t *length, hc_error *e)
{
  return hc_lines_calls_of(l)->next(l, text, length, e);
}
/** The number of that line, from 1, and the bytes of unpacked text up to its end. */
static inline uint64_t hc_lines_number(const hc_lines *l)
{
  return hc_lines_calls_of(l)->number(l);
}
static inline uint64_t hc_lines_position(const hc_lines *l)
{
  return hc_lines_calls_of(l)->position(l);
}
/** Go to where both were so. A packed file is unpacked again up to there. @return 0, HC_EUNSUPPORTED if the
 *  input cannot be read twice, or as hc_lines_next */
static inline hc_rc hc_lines_seek(hc_lines *l, uint64_t position, uint64_t number, hc_error *e)
{
  return hc_lines_calls_of(l)->seek(l, position, number, e);
}
/** Save, hash or restore where reading stands: what `visit` of a reader of lines begins with. @return as
 *  hc_lines_seek and hc_visit_bytes */
static inline hc_rc hc_lines_visit(hc_lines *l, hc_visitor *v, hc_error *e)
{
  return hc_lines_calls_of(l)->visit(l, v, e);
}
/** The path, as errors and rejected rows have it; "standard input" for "-". */
static inline const char *hc_lines_name(const hc_lines *l)
{
  return hc_lines_calls_of(l)->name(l);
}
/** What `progress` of a reader says: bytes of the file. */
static inline void hc_lines_progress(const hc_lines *l, uint64_t *done, uint64_t *total)
{
  hc_lines_calls_of(l)->progress(l, done, total);
}
/** NULL is fine. */
static inline void hc_lines_close(hc_lines *l)
{
  if (l) hc_lines_calls_of(l)->close(l);
}

/** Names that are numbered so: as users, groups, queues ... @return 0 or HC_ENOMEM */
static inline hc_rc hc_name_numbers_new(const hc_source_context *c, hc_called kind, hc_name_numbers **out)
{
  return c->calls->names_new(c, kind, out);
}
static inline const hc_name_numbers_calls *hc_name_numbers_calls_of(const hc_name_numbers *t)
{
  return *(const hc_name_numbers_calls *const *)(const void *)t;
}
/** The number of a name, the same for the same name. Beyond 2^20 names it is a hash, and the ledger counts
 *  it as unnamed. @return 0 or HC_ENOMEM */
static inline hc_rc hc_name_number_of(hc_name_numbers *t, const char *text, size_t n, int64_t *out)
{
  return hc_name_numbers_calls_of(t)->number(t, text, n, out);
}
/** Save, hash or restore them. @return as hc_visit_array */
static inline hc_rc hc_name_numbers_visit(hc_name_numbers *t, hc_visitor *v)
{
  return hc_name_numbers_calls_of(t)->visit(t, v);
}
/** NULL is fine. */
static inline void hc_name_numbers_free(hc_name_numbers *t)
{
  if (t) hc_name_numbers_calls_of(t)->free(t);
}

typedef struct hc_source hc_source; /* defined by each component for itself */

/** What a line is to what sorts lines. */
typedef enum hc_line_kind {
  HC_LINE_HEAD,   /* a comment, a line of column names: it comes first, and stays as it is */
  HC_LINE_ROW,    /* it has a key */
  HC_LINE_BROKEN, /* its key cannot be read: it comes before all rows that have one */
  HC_LINE_PART    /* a part of a row that spans several lines: such a file cannot be sorted by lines */
} hc_line_kind;

/** A reader of a trace format, or a generator.
 *
 *  Order. Rows may come in any order within the run's `sort_window` (131072 rows if it is not said), in which
 *  they are put in order of submission, and of number where that is the same; one that comes too late ends
 *  the run. Only if `is_sorted` says so, or the source listens, nothing is read ahead: jobs then come in
 *  order of submission. A row without a time of submission is rejected (no_submit).
 *
 *  Time. `submit` counts from an origin that the source chooses, which is the run's time 0: it is not moved
 *  to the first row. What the clock showed then is unix_start of `info`, if it is known; the calendar of a
 *  run of several sources is that of the first, and all of them count from time 0.
 *
 *  The ledger. The source counts each row that it meets as `read`, and those of them that it makes part of
 *  another as `merged`; hc_source_reject counts a rejected one. Rows that it hands over are counted as used,
 *  or rejected, by the run. Comments and titles are no rows.
 *
 *  Memory. What `next` hands over may lie in the source: it is used no more when `next` or `visit` is called
 *  again. The handles `more`, `label` and `job_label` of a task pass to the run with it.
 *
 *  Threads. With `threads: 2` a source that does not listen has `next` called on another thread than the
 *  run's, but for the first time, and never at the same time as `visit` or `close`. The lexicon may be called
 *  in it (it has a lock), but numbers of hc_lexicon_name then depend on what the run names meanwhile:
 *  hc_name_numbers does not. `info`, `refers` and `file_of` may be called at the same time as `next`, and
 *  must not read what that changes after its first call. */
typedef struct hc_reader_type {
  hc_component component;
  /** Open with filled options, which are borrowed for the source's life. @return 0, HC_EINPUT, HC_EIO,
   *  HC_ENOMEM. */
  hc_rc (*open)(const hc_source_context *c, const void *options, hc_source **out, hc_error *e);
  /** The next job. @return 1 with a job, 0 at the end, 2 if a closed loop waits for feedback, or an error. */
  hc_rc (*next)(hc_source *s, hc_job *job, hc_error *e);
  /** A task that this source yielded has ended. NULL: the source does not listen.
   *  @return how many tasks this lets go, or an error. They may be earlier than one already yielded, never
   *  earlier than `f->end`. */
  hc_rc (*feedback)(hc_source *s, const hc_feedback *f, hc_error *e);
  /** What the trace says of itself; complete after the first call of `next`. Borrowed. */
  const hc_trace_info *(*info)(hc_source *s);
  /** Where reading stands: saved, restored, hashed. On loading the source is positioned there again. Runs
   *  that are saved call it, and transforms that read a source twice.
   *  @return 0, HC_EUNSUPPORTED if the input cannot be read twice, HC_EINPUT, HC_EIO, HC_ENOMEM. */
  hc_rc (*visit)(hc_source *s, hc_visitor *v, hc_error *e);
  /** Bytes read so far and in all (0 if unknown), for a progress line; may be NULL. */
  void (*progress)(hc_source *s, uint64_t *done, uint64_t *total);
  void (*close)(hc_source *s);
  /** How likely the first bytes of a file are of this format, 0 to 100; NULL: never guessed. */
  int (*recognise)(const char *name, const char *head, size_t size);
  /** Whether a source with these options listens; NULL: it does if it has `feedback`. What listens is never
   *  read ahead. */
  bool (*listens)(const void *options);
  /** What its tasks refer to, as opened; NULL: HC_REFERS_NONE. */
  hc_refers (*refers)(const hc_source *s);
  /** Where a line of the file stands in order of submission, for sorting lines as they are. `n` bytes without
   *  the newline. NULL: the format is not one row a line. */
  hc_line_kind (*line_key)(const void *options, const char *line, size_t n, hc_time *submit, int64_t *id);
  /** For formats in which the first lines say where things stand: make, from the text that the file begins
   *  with (whole lines, some 64 KiB of them), what line_key gets in place of the options. NULL: it gets the
   *  options.
   *  @return 0, HC_EINPUT or HC_EUSAGE (nothing there says it), HC_ENOMEM. */
  hc_rc (*line_begin)(const hc_allocator *a, const void *options, const char *text, size_t size,
                      void **layout, hc_error *e);
  void (*line_end)(const hc_allocator *a, void *layout);
  /** The name of the file that a task's spec has as `file`; NULL if there is no such one. What it returns is
   *  borrowed and stays while the source is open; it may be called on another thread than `next`. NULL: all
   *  tasks are in one file. */
  const char *(*file_of)(const hc_source *s, uint32_t file);
  /** The columns of a format of this tree that is a table of them, for its reference page; NULL: it has
   * none. */
  const struct hc_table_format *table;
  /** Files that the workload itself names and that a run which carries profiles out reads: traces of ranks,
   *  models of applications. They are told once each, read or not. The workload is read for that; what is
   *  wrong with it ends that early, and is for `open` to say. NULL: it names none.
   *  @return 0, HC_ENOMEM, or what `each` returned */
  hc_rc (*names)(const hc_allocator *a, const void *options,
                 hc_rc (*each)(void *ctx, const char *path, hc_error *e), void *ctx, hc_error *e);
  /** Whether this source, as opened, yields its tasks sorted already, by submission and then by number: then
   *  none is read ahead to be sorted. NULL: that is not known. */
  bool (*is_sorted)(const hc_source *s);
  /** More rows while a run goes on (hc_run_submit): a text in the source's own format, of tasks that are
   *  submitted now or later. What was fed is a part of what `visit` saves. NULL: it takes none. Since 0.3.
   *  @return how many tasks this lets go; 0; HC_EINPUT, HC_EUSAGE (it was not opened for that), HC_ENOMEM */
  hc_rc (*feed)(hc_source *s, const char *text, size_t size, hc_error *e);
} hc_reader_type;

typedef struct hc_transform hc_transform; /* defined by each component for itself */

/** What a measuring pass over the source found, for transforms that aim at a total. */
typedef struct hc_workload_totals {
  uint64_t tasks;
  hc_time first_submit, last_submit; /* ns */
  double area;                       /* sum of run x processors, processor-seconds */
  int64_t processors;                /* of the machine; 0 if unknown. On hosts: cores */
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
  /** For what needs_totals and must know all tasks before it changes the first: shown each row that `apply`
   *  will get, in the same order; then NULL, and again NULL whenever the source starts over and `apply` with
   *  it. It gets no totals. NULL: totals are enough. */
  hc_rc (*look)(hc_transform *t, const hc_task_spec *task, hc_error *e);
  /** Whether, as made, it may submit a task before one that was before it: the stream then puts what comes
   *  out of all transforms in order again, within its window. NULL: never. */
  bool (*reorders)(const hc_transform *t);
} hc_transform_type;

/* ---- what a site knows of its machine ---- */

/** A time in which cores were down, or reserved. Since 0.3. */
typedef struct hc_node_time {
  int64_t from, to; /* Unix s; `to` HC_UNKNOWN: it lasts */
  int64_t cores;
} hc_node_time;
typedef struct hc_node_times {
  hc_node_time *items; /* [count] in the order of the file */
  size_t count, cap;
} hc_node_times;
/** Read what `sacctmgr --parsable2 show event` or `show reservation` printed, with TimeStart, TimeEnd and
 *  TRES; of nodes those that are down, drained, failing, in maintenance or rebooting. Free it.
 *  @param zone  tz database name of the cluster's clock; NULL or "": UTC
 *  @return 0, HC_EINPUT with the line, HC_EIO, HC_EUSAGE (the zone), HC_ENOMEM. Since 0.3. */
HC_API hc_rc hc_node_times_read(const hc_allocator *a, const char *path, const char *zone, hc_node_times *out,
                                hc_error *e);
HC_API void hc_node_times_free(const hc_allocator *a, hc_node_times *s);

/* ---- a workload on its own, outside a run ---- */

/** A workload being read: its sources, put in order, merged and transformed. Opened by hc_trace_open
 *  (hindcast/setup.h), since a configuration says what it is made of. */
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

/** The next task in order of submission. A closed loop is told the ends that the log recorded. Its rare facts
 *  (`spec.more`) are borrowed until the next call.
 *  @return 1 with a task, 0 at the end, HC_EINPUT with file and line, HC_EIO, HC_ENOMEM. */
HC_API hc_rc hc_trace_next(hc_trace *t, hc_trace_task *out, hc_error *e);
/** What the first source says of itself; complete after the first hc_trace_next. Borrowed. */
HC_API const hc_trace_info *hc_trace_facts(const hc_trace *t);
/** Processors of the machine as the configuration's cell source has it; 0 if it is not known. */
HC_API int64_t hc_trace_capacity(const hc_trace *t);
/** Names, dimensions and rare facts that its tasks refer to. Borrowed for its life. */
HC_API hc_lexicon *hc_trace_lexicon(hc_trace *t);
/** The row ledger so far. Borrowed. */
HC_API const hc_row_ledger *hc_trace_rows(const hc_trace *t);
/** When all is read: a sentence about names that a filter asks for and no source has; NULL if there are none.
 *  Borrowed until the next call. */
HC_API const char *hc_trace_unmet(hc_trace *t);
/** Bytes read so far and in all (0 if unknown). */
HC_API void hc_trace_progress(const hc_trace *t, uint64_t *done, uint64_t *total);
/** Close it, with everything borrowed from it. NULL is fine. */
HC_API void hc_trace_close(hc_trace *t);

/* ---- writing a trace ---- */

/** What may be known of a task: a word, and a part of a sentence. A format may have no place for it. */
#define HC_FACTS(X) \
  X(ID, "id", "a number of their own") \
  X(SUBMIT, "submit", "a time of submission") \
  X(WAIT, "wait", "a recorded wait") \
  X(RUN, "run", "a run time") \
  X(LIMIT, "limit", "a time limit") \
  X(CPU_TIME, "cpu_time", "processor time used") \
  X(THINK, "think", "a think time") \
  X(CANCEL_AT, "cancel_at", "a time at which they leave the queue") \
  X(PROCS_USED, "procs_used", "a number of processors used") \
  X(PROCS_ASKED, "procs_asked", "a number of processors asked for") \
  X(MEMORY_USED, "memory_used", "memory used per processor") \
  X(MEMORY_ASKED, "memory_asked", "memory asked for per processor") \
  X(PRECEDING, "preceding", "a predecessor by its number") \
  X(USER, "user", "a user") \
  X(GROUP, "group", "a group") \
  X(EXECUTABLE, "executable", "a program") \
  X(QUEUE, "queue", "a queue") \
  X(PARTITION, "partition", "a partition") \
  X(PRIORITY, "priority", "a priority") \
  X(STATUS, "status", "a final state") \
  X(JOB, "job", "a job that they are part of") \
  X(NOT_BEFORE, "not_before", "an earliest start") \
  X(HOSTS, "hosts", "several hosts at once") \
  X(CPU, "cpu", "a cpu demand") \
  X(MEMORY, "memory", "a memory demand") \
  X(DISK, "disk", "a disk demand") \
  X(GPU, "gpu", "a GPU demand") \
  X(OTHER, "other", "a demand in a dimension with another name") \
  X(BUNDLE, "bundle", "equals with which they were one bundle") \
  X(SPREAD, "spread", "the rule that each of their hosts is another one") \
  X(AT_START, "at_start", "a submission that is known to be only a start") \
  X(NO_END, "no_end", "a run that had not ended") \
  X(STARTED, "started", "a start, though they ran for no time") \
  X(USER_NAME, "user_name", "a name of their user") \
  X(GROUP_NAME, "group_name", "a name of their group") \
  X(EXECUTABLE_NAME, "executable_name", "a name of their program, or of their job") \
  X(QUEUE_NAME, "queue_name", "a name of their queue") \
  X(PARTITION_NAME, "partition_name", "a name of their partition") \
  X(ACCOUNT, "account", "an account beside their group") \
  X(QOS, "qos", "a quality of service beside their queue") \
  X(ACCOUNT_NAME, "account_name", "a name of that account") \
  X(QOS_NAME, "qos_name", "a name of that quality of service") \
  X(LABEL, "label", "an id of their own that is no number") \
  X(JOB_LABEL, "job_label", "a job whose id is no number") \
  X(AFTER, "after", "tasks that they wait for") \
  X(CONSTRAINTS, "constraints", "constraints on the attributes of hosts") \
  X(NAMED_HOSTS, "named_hosts", "a list of the hosts that will do") \
  X(CHUNKS, "chunks", "hosts with different demands") \
  X(SET, "set", "a named set of hosts") \
  X(ZONES, "zones", "rules about zones") \
  X(RIVALS, "rivals", "a bound on how many of a kind share a host or a zone") \
  X(USE, "use", "a use that is known over time") \
  X(RESIZES, "resizes", "a demand that changes while they run") \
  X(MALLEABLE, "malleable", "a number of slots that a policy may change while they run") \
  X(PREFERS, "prefers", "hosts or zones where their data are") \
  X(DATA, "data", "data items that they read or make") \
  X(HOST_COUNT, "host_count", "on how many hosts they may lie") \
  X(AT_ONCE, "at_once", "how many tasks of their job may run at once") \
  X(TERMS, "terms", \
    "a reservation to run in, a least limit, a bound on switches, hosts for itself or its user alone, or " \
    "tasks to start together with") \
  X(AGAIN, "again", "whether they may be run again") \
  X(STATE, "state", "a final state finer than completed, failed or cancelled") \
  X(HELD, "held", "a time until which they could not be planned") \
  X(FRACTION, "fraction", "a time finer than the format's unit, which was rounded") \
  X(PRECISION, "precision", "a demand finer than the format's unit, which was rounded")

typedef enum hc_fact {
#define X(name, word, text) HC_FACT_##name,
  HC_FACTS(X)
#undef X
      HC_FACT_COUNT
} hc_fact;

#define HC_FACT_BIT(name) (UINT64_C(1) << HC_FACT_##name)

/** The word for a fact ("limit"), and what a task with it has ("a time limit"); constant, "?" for what is
 *  none. */
HC_API const char *hc_fact_name(hc_fact f);
HC_API const char *hc_fact_text(hc_fact f);
/** What is known of a task: a bit for each fact but the last two, which only a writer knows. */
HC_API uint64_t hc_task_facts(const hc_task_spec *t, const hc_lexicon *l);

typedef struct hc_writer hc_writer; /* defined by each component for itself */

/** What a writer is opened with. Everything is borrowed for the writer's life. */
typedef struct hc_writer_context {
  const hc_allocator *allocator;
  hc_lexicon *lexicon;       /* of the tasks */
  const hc_trace_info *info; /* of their trace; NULL: nothing is known */
  const char *note;          /* a line about how it was made, where the format has comments; NULL */
  hc_sink sink;
  /** What became of the rows that were read for it, as they are when the writer finishes; NULL: not to be
   *  told. */
  const hc_row_ledger *ledger;
} hc_writer_context;

/** Writes a trace in a format, task by task in order of submission, and says what it could not hold. */
typedef struct hc_writer_type {
  hc_component component;
  uint64_t holds;     /* a bit for each fact that a row of the format can say */
  const char *ending; /* of file names: ".swf" */
  /** @return 0, HC_EUSAGE (options), HC_ENOMEM, or what the sink returned. */
  hc_rc (*open)(const hc_writer_context *c, const void *options, hc_writer **out, hc_error *e);
  /** Write a task. @param lost facts of this task that were lost: comes in as those that `holds` leaves out,
   *  to which the writer adds, or from which it takes what it could say in another way.
   *  @return 0; 1: the format cannot say such a task at all, and it was left out; HC_ELIMIT or
   *  HC_EUNSUPPORTED with the task, HC_ENOMEM, or what the sink returned. */
  hc_rc (*task)(hc_writer *w, const hc_trace_task *t, uint64_t *lost, hc_error *e);
  /** No task follows: write the rest. NULL: there is none beyond what was gathered. @return as `task`. */
  hc_rc (*finish)(hc_writer *w, hc_error *e);
  void (*close)(hc_writer *w);
  const struct hc_table_format *table; /**< as hc_reader_type has it */
} hc_writer_type;

/* ---- surveying ---- */

/** What is measured of each task of a workload: name, unit, and what it is. */
#define HC_MEASURES(X) \
  X(INTERARRIVAL, "interarrival", "s", "time between one submission and the next") \
  X(WAIT, "wait", "s", "how long it waited in reality") \
  X(RUN, "run", "s", "how long it ran") \
  X(LIMIT, "limit", "s", "how long it asked for") \
  X(PROCESSORS, "processors", "processors", "how many processors it needs, or cores, rounded up") \
  X(MEMORY_ASKED, "memory_asked", "B", "memory that it asked for, per processor") \
  X(MEMORY_USED, "memory_used", "B", "memory that it used, per processor") \
  X(HOSTS, "hosts", "hosts", "how many hosts it needs at once") \
  X(CPU, "cpu", "cores", "cores that it needs on each host") \
  X(MEMORY, "memory", "B", "memory that it needs on each host") \
  X(DISK, "disk", "B", "disk space that it needs on each host") \
  X(GPU, "gpu", "GPUs", "GPUs that it needs on each host") \
  X(BUNDLE, "bundle", "tasks", "how many equal tasks its row stands for") \
  X(PRIORITY, "priority", "1", "its priority")

typedef enum hc_measure {
#define X(name, word, unit, text) HC_MEASURE_##name,
  HC_MEASURES(X)
#undef X
      HC_MEASURE_COUNT
} hc_measure;

/** What is measured of the jobs of a class: tasks that are one job by its number, or a task alone. */
#define HC_CLASS_MEASURES(X) \
  X(DURATION, "duration", "s", "from the start of its first task to the end of its last, as recorded") \
  X(SIZE, "tasks", "tasks", "how many tasks it has") \
  X(INTERARRIVAL, "interarrival", "s", "time between one submission and the next, in the class")

typedef enum hc_class_measure {
#define X(name, word, unit, text) HC_CLASS_##name,
  HC_CLASS_MEASURES(X)
#undef X
      HC_CLASS_MEASURE_COUNT
} hc_class_measure;

/** By what tasks are put into classes. */
typedef enum hc_class_by {
  HC_BY_NOTHING,
  HC_BY_BAND, /* of priorities: see hc_survey_options */
  HC_BY_PRIORITY,
  HC_BY_USER,
  HC_BY_GROUP,
  HC_BY_QUEUE,
  HC_BY_PARTITION,
  HC_BY_EXECUTABLE,
  HC_BY_STATUS
} hc_class_by;

typedef struct hc_survey_options {
  hc_class_by by;
  const int64_t *bands; /* [band_count] the least priority of each band but the lowest, ascending */
  size_t band_count;
  const hc_trace_info *info; /* for the calendar; NULL: hours count from the origin */
} hc_survey_options;

/** How a measure is spread. */
typedef struct hc_spread {
  uint64_t known, missing;
  double mean, least, most; /* NaN if none is known */
  bool exact;               /* quantiles are values; else within 2^-11 (in classes 2^-8) of them */
} hc_spread;

/** What was seen of a class, or of all. */
typedef struct hc_class_totals {
  int64_t key; /* priority band's number, user ...; -1: not known; INT64_MAX: classes beyond the first 256 */
  uint64_t jobs, tasks;
  double cpu_time;    /* core-seconds: cores x run */
  double memory_time; /* byte-seconds: memory of all its processors or hosts x run */
} hc_class_totals;

typedef struct hc_survey_totals {
  hc_class_totals all;
  hc_time first_submit, last_submit, last_end;
  double area;                                             /* processor-seconds of tasks that would run */
  uint64_t users, groups, queues, partitions, executables; /* distinct; at least these many, if `many` */
  bool many;                            /* some have more than 2^20, and are no longer counted */
  uint64_t status[7];                   /* tasks, by hc_status + 1 */
  uint64_t submitted[24];               /* tasks, by hour of the day */
  double work[24];                      /* core-seconds, by hour of submission */
  uint64_t recorded[HC_RECORDED_COUNT]; /* tasks, by how their log says that they ended */
} hc_survey_totals;

/** What a workload holds, counted in bounded memory. */
typedef struct hc_survey hc_survey;
/** Options are copied, but for `info`'s zone.
 *  @return 0, HC_ENOMEM, or HC_ENOTFOUND: the tz database has no such zone. */
HC_API hc_rc hc_survey_new(const hc_allocator *a, const hc_survey_options *o, hc_survey **out);
/** In order of submission. @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_survey_add(hc_survey *s, const hc_trace_task *t);
/** No task follows: jobs that are still open end. @return 0 or HC_ENOMEM. */
HC_API hc_rc hc_survey_end(hc_survey *s);
HC_API const hc_survey_totals *hc_survey_get(const hc_survey *s);
/** How a measure is spread, in the measure's unit. @param shares [n] ascending, 0 to 1, of ranks; @param out
 *  [n] */
HC_API hc_spread hc_survey_spread(hc_survey *s, hc_measure m, const double *shares, size_t n, double *out);
/** Classes, ascending by key; how many there are. */
HC_API size_t hc_survey_classes(const hc_survey *s);
HC_API const hc_class_totals *hc_survey_class(const hc_survey *s, size_t i);
HC_API hc_spread hc_survey_class_spread(hc_survey *s, size_t i, hc_class_measure m, const double *shares,
                                        size_t n, double *out);
HC_API void hc_survey_free(hc_survey *s);

/* ---- masking ---- */

#define HC_MASK_KEY_LEAST 16 /* bytes of a key */

/** Replaces users, groups, programs, and the names of hosts and jobs by others that cannot be led back
 *  without the key (BLAKE2s). Not times, sizes or states: a user of whose tasks the times are known elsewhere
 *  can still be found. */
typedef struct hc_mask hc_mask;
/** @param key [size] any bytes; @param l the lexicon of the tasks. @return 0, HC_EUSAGE (too short),
 *  HC_ENOMEM. */
HC_API hc_rc hc_mask_new(const hc_allocator *a, const void *key, size_t size, hc_lexicon *l, hc_mask **out,
                         hc_error *e);
/** Mask a task in place. Its rare facts are borrowed from the mask until the next call. @return 0 or
 *  HC_ENOMEM. */
HC_API hc_rc hc_mask_task(hc_mask *m, hc_task_spec *t, hc_error *e);
/** Forget the key, and everything. NULL is fine. */
HC_API void hc_mask_free(hc_mask *m);

/* ---- sorting lines ---- */

/** How lines are sorted. */
typedef struct hc_sort_options {
  const hc_reader_type *format; /* what a line means: it has a line_key */
  const void *options;          /* of the format */
  size_t memory;                /* bytes that may be held at once, roughly; at least 1 MiB is taken */
  bool (*tick)(void *ctx, uint64_t done, uint64_t total); /* now and then; false: stop. NULL */
  void *tick_ctx;
  bool replaces; /* the output may take the place of a file of another kind; never of the trace itself */
} hc_sort_options;

/** Sort the lines of a trace by (submit, id), stably, in bounded memory. Comments and titles come first, then
 *  rows without a readable time of submission; lines stay as they are.
 *  @param in   path, packed or not; "-": standard input
 *  @param out  path, written plain, under its name only when whole; "-": standard output
 *  @return 0, HC_EIO, HC_EINPUT, HC_EUSAGE (the output is the trace, or another kind of file),
 *  HC_EUNSUPPORTED (the format is not one row a line), HC_ECANCELLED,
 *  HC_ENOMEM. On failure nothing is left behind. */
HC_API hc_rc hc_sort_lines(const hc_allocator *a, const char *in, const char *out, const hc_sort_options *o,
                           hc_error *e);
/** The same for the Standard Workload Format. @return as hc_sort_lines. */
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
