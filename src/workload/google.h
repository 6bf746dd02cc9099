/* google.h -- what the readers of Google's cluster traces share: from tables of events to tasks.
 *
 *   events --.                        .-- constraints, usage (joined by job and index while a task is held)
 *            +-> state of each task -> line of tasks in order of arrival -> tasks whose end is known
 *   jobs  --'
 *
 * A reader says how a row of each table is read (hc_google_format); everything else is here. */
#ifndef HC_WORKLOAD_GOOGLE_H
#define HC_WORKLOAD_GOOGLE_H

#include "base/set.h"
#include "workload/google_resizes.h"
#include "workload/names.h"
#include "workload/parts.h"
#include "workload/use.h"

/* ---- rows ---- */

/* What happens to a task, or a job. The order is that of the trace of 2019, and that of a life. */
typedef enum hc_google_event {
  HC_GOOGLE_SUBMIT,
  HC_GOOGLE_QUEUE,  /* 2019: held back by the batch scheduler */
  HC_GOOGLE_ENABLE, /* 2019: may be scheduled from here on */
  HC_GOOGLE_SCHEDULE,
  HC_GOOGLE_EVICT,
  HC_GOOGLE_FAIL,
  HC_GOOGLE_FINISH,
  HC_GOOGLE_KILL,
  HC_GOOGLE_LOST,
  HC_GOOGLE_UPDATE_PENDING,
  HC_GOOGLE_UPDATE_RUNNING,
  HC_GOOGLE_EVENTS
} hc_google_event;

#define HC_GOOGLE_WORDS \
  "submit|queue|enable|schedule|evict|fail|finish|kill|lost|update_pending|update_running"
#define HC_GOOGLE_ENDS "evict|fail|finish|kill|lost"

static inline bool hc_google_is_end(hc_google_event v)
{
  return v >= HC_GOOGLE_EVICT && v <= HC_GOOGLE_LOST;
}

#define HC_GOOGLE_UNSAID INT32_MIN /* no priority is given */
#define HC_GOOGLE_CONSTRAINTS 64   /* most that one task may have */
#define HC_GOOGLE_NEEDS 3          /* cpu, memory, disk: as hc_dimension_id numbers them */

/* A row of the events of tasks. Plain data: it may wait, and be saved. Padding is zero. */
typedef struct hc_google_row {
  hc_time time; /* since the trace's own origin, ns; HC_NEVER: after its end */
  int64_t job;
  uint64_t line;
  int64_t need[HC_GOOGLE_NEEDS]; /* HC_UNKNOWN: not said */
  double error[HC_GOOGLE_NEEDS]; /* relative, by rounding it */
  int32_t index, priority;
  uint32_t event;                 /* hc_google_event */
  uint32_t user;                  /* 0: not said */
  uint32_t more;                  /* constraints of its own, held in the lexicon; 0: none */
  int16_t queue;                  /* scheduling class; -1 */
  uint8_t synthesised, different; /* made up by the trace's makers; each task of the job on another machine */
} hc_google_row;

/* A row of the events of jobs. */
typedef struct hc_google_job {
  hc_time time;
  int64_t job;
  uint32_t event, user, name; /* 0: not said */
  uint32_t more;              /* what its tasks wait for, how many may share a host; held */
} hc_google_job;

/* A row of the constraints of tasks. */
typedef struct hc_google_limit {
  hc_time time;
  int64_t job;
  uint64_t line;
  hc_constraint what;
  int32_t index;
  uint32_t padding;
} hc_google_limit;

/* A row of usage: means over [start, end). */
typedef struct hc_google_usage {
  hc_time start, end;
  int64_t job;
  uint64_t line;
  double cpu, memory; /* cores, bytes */
  int32_t index;
  uint32_t padding;
} hc_google_usage;

/* ---- choices ---- */

typedef enum hc_google_reading { HC_GOOGLE_REQUESTED, HC_GOOGLE_MEASURED } hc_google_reading;
typedef enum hc_google_attempts { HC_GOOGLE_LAST, HC_GOOGLE_EACH, HC_GOOGLE_SUM } hc_google_attempts;
typedef enum hc_google_updates {
  HC_GOOGLE_UPDATES_LAST,
  HC_GOOGLE_UPDATES_FIRST,
  HC_GOOGLE_UPDATES_LARGEST,
  HC_GOOGLE_UPDATES_IN_PLACE
} hc_google_updates;
typedef enum hc_google_keep { HC_GOOGLE_KEEP, HC_GOOGLE_REJECT } hc_google_keep;
typedef enum hc_google_arrival { HC_GOOGLE_AT_SUBMIT, HC_GOOGLE_AT_ENABLE } hc_google_arrival;
typedef enum hc_google_amounts { HC_GOOGLE_ROUNDED_UP, HC_GOOGLE_WHOLE_CORES } hc_google_amounts;

/* The part of a reader's options that is filled from HC_GOOGLE_PARAMS. */
typedef struct hc_google_choices {
  const char *file, *jobs, *constraints, *usage;
  hc_list parts; /* texts */
  int reading, attempts, updates, initial, unfinished, missing, arrival, amounts;
  hc_list ends, merge; /* int: hc_google_event - HC_GOOGLE_EVICT */
  hc_list without;     /* int: hc_google_event */
  hc_time window, resubmit, origin, time_unit;
  int64_t held, memory_scale, disk_scale, usage_steps;
  double cpu_scale;
} hc_google_choices;

/** The members of a struct that stands in one field, as text: {"cpus": 0.02, "memory": 0.01}. Each is left if
 *  it is known already, or if there is none. */
void hc_google_struct(const hc_field *f, hc_field *cpus, hc_field *memory);

/* ---- held tasks ---- */

typedef enum hc_google_state {
  HC_GOOGLE_NO_TASK, /* a free place */
  HC_GOOGLE_PENDING,
  HC_GOOGLE_RUNNING,
  HC_GOOGLE_DEAD, /* it ended; it may be submitted again */
  HC_GOOGLE_TOLD  /* it was given out before its end, which is waited for so that its rows are known */
} hc_google_state;

typedef enum hc_google_flag {
  HC_GOOGLE_IN_LINE = 1,
  HC_GOOGLE_KEYED = 2,    /* it bears its (job, index) */
  HC_GOOGLE_INITIAL = 4,  /* it was there before its first row */
  HC_GOOGLE_AT_START = 8, /* its first row says that it runs */
  HC_GOOGLE_IMPLIED = 16  /* its last end has no row (yet) */
} hc_google_flag;

/* A task of which something is known. */
typedef struct hc_google_task {
  int64_t job; /* with the index its key: nothing stands between them */
  int32_t index, priority;
  uint64_t line;
  uint64_t stamp;                /* of its place in line */
  hc_time submit, start, end;    /* of the attempt at hand; HC_UNKNOWN */
  hc_time eligible;              /* first ENABLE; HC_UNKNOWN */
  hc_time ran;                   /* earlier attempts, ns */
  hc_time constrained;           /* when its constraints were said; HC_UNKNOWN */
  int64_t need[HC_GOOGLE_NEEDS]; /* HC_UNKNOWN */
  uint32_t user, name, more;     /* 0: none */
  uint32_t next;                 /* free one */
  int16_t queue;
  uint16_t seen;             /* bit for each hc_google_event */
  uint8_t state, how, flags; /* hc_google_state; hc_google_event that ended it; hc_google_flag */
  uint8_t padding;
} hc_google_task;

typedef struct hc_google_usage_sum {
  double cpu, memory, seconds; /* core-seconds, byte-seconds */
  hc_use_room room;            /* of its measurements */
} hc_google_usage_sum;

/* A place in the line of tasks: void if the task has another stamp by now. */
typedef struct hc_google_place {
  uint64_t stamp;
  hc_time key; /* when it arrived, as the line is ordered */
  uint32_t task, padding;
} hc_google_place;

/* Tasks by (job, index), and in line. */
typedef struct hc_google_held {
  const hc_allocator *allocator;
  hc_google_task *tasks; /* [count]; those not in use are free */
  size_t count, cap;
  hc_google_usage_sum *usage; /* [usage_cap] beside the tasks, if usage is read */
  size_t usage_cap;
  hc_use_store uses;         /* measurements of them */
  hc_google_resizes resizes; /* what they ask for while they run, if it is kept */
  bool has_usage;
  hc_set bearers;        /* tasks by (job, index) */
  hc_google_place *line; /* [line_count] from `head` on */
  size_t head, line_count, line_cap;
  struct {
    uint64_t stamp;
    uint64_t in_line, aside; /* tasks with a place, and in use without one */
    uint32_t free, padding;  /* first free task, HC_MAP_NONE */
  } s;
} hc_google_held;

void hc_google_held_init(hc_google_held *h, const hc_allocator *a, bool has_usage, size_t usage_steps,
                         bool has_resizes);
/** Forget what a task used. */
void hc_google_forget_usage(hc_google_held *h, uint32_t task);
void hc_google_held_fini(hc_google_held *h);
/** The task that bears (job, index) now; HC_MAP_NONE. Cost: O(1). */
uint32_t hc_google_find(const hc_google_held *h, int64_t job, int32_t index);
/** A new task that bears (job, index) from here on, in place of any other; without a place. @return 0,
 *  HC_ENOMEM. */
hc_rc hc_google_add(hc_google_held *h, int64_t job, int32_t index, uint32_t *out);
/** Forget a task. */
void hc_google_remove(hc_google_held *h, uint32_t task);
/** Put a task at the end of the line; its earlier place is void. @return 0 or HC_ENOMEM. */
hc_rc hc_google_line_up(hc_google_held *h, uint32_t task, hc_time key);
/** Take a task out of the line, wherever it stands. */
void hc_google_leave_line(hc_google_held *h, uint32_t task);
/** The first in line; NULL if there is none. */
const hc_google_place *hc_google_first(hc_google_held *h);
/** Take the first out of the line. */
void hc_google_step_out(hc_google_held *h);
/** @param lexicon  in which the handles of tasks must be known; NULL. @return 0, HC_ENOMEM, HC_EINPUT. */
hc_rc hc_google_held_visit(hc_google_held *h, const hc_lexicon *lexicon, hc_visitor *v);

/* ---- the whole ---- */

typedef struct hc_google hc_google;

/* How the rows of a trace are read. Each function turns the record at hand into a row, and returns 1; 0 if
 * it is rejected, and has been counted; 2 if it is a line of titles; or an error. NULL: there is no such
 * table. */
typedef struct hc_google_format {
  const char *name;          /* "source google2011" */
  const char *kind, *advice; /* as hc_delimited_end takes them */
  int64_t unix_start;        /* of the trace's own time 0, s; HC_UNKNOWN */
  const char *zone;          /* NULL */
  const char *derived;
  hc_rc (*event)(hc_google *g, hc_google_row *out, hc_error *e);
  hc_rc (*job)(hc_google *g, hc_google_job *out, hc_error *e);
  hc_rc (*constraint)(hc_google *g, hc_google_limit *out, hc_error *e);
  hc_rc (*usage)(hc_google *g, hc_google_usage *out, hc_error *e);
  void (*closed)(hc_google *g); /* what the format has of its own is to be given back; NULL */
} hc_google_format;

typedef enum hc_google_table_id {
  HC_GOOGLE_TABLE_EVENTS,
  HC_GOOGLE_TABLE_JOBS,
  HC_GOOGLE_TABLE_CONSTRAINTS,
  HC_GOOGLE_TABLE_USAGE,
  HC_GOOGLE_TABLES
} hc_google_table_id;

/* A source of such a format begins with it. */
struct hc_google {
  size_t size; /* of the whole source */
  const hc_source_context *context;
  const hc_google_format *format;
  const hc_google_choices *o;
  hc_parts tables[HC_GOOGLE_TABLES];
  bool has[HC_GOOGLE_TABLES];
  hc_google_held held;
  hc_interned users, names;
  hc_buffer scratch;
  hc_google_job *jobs; /* [job_count] that have begun and not ended */
  size_t job_count, job_cap;
  hc_map job_of;                 /* number of a job -> its place */
  uint32_t ends, merge, without; /* bits of hc_google_event */
  hc_task_spec task;             /* the one at hand */
  hc_trace_info info;
  struct { /* plain state */
    hc_google_row row;
    hc_google_job job;
    hc_google_limit limit;
    hc_google_usage usage;
    hc_time now;                       /* of the last row that is done with, or is to be done; HC_UNKNOWN */
    uint8_t waiting[HC_GOOGLE_TABLES]; /* a row of this table has been read and waits for its time */
    uint8_t over[HC_GOOGLE_TABLES];    /* it has no more */
    uint8_t at_end, due, unused[6];    /* no more events; tasks may be given out */
  } s;
};

/** A source of `size` bytes, which begins with an hc_google; what is behind it is zero. @return as
 *  hc_reader_type.open. */
hc_rc hc_google_open(const hc_source_context *c, const hc_google_format *format, const hc_google_choices *o,
                     size_t size, hc_source **out, hc_error *e);
/* The members of hc_reader_type. */
hc_rc hc_google_next(hc_source *s, hc_job *job, hc_error *e);
const hc_trace_info *hc_google_info(hc_source *s);
hc_rc hc_google_visit(hc_source *s, hc_visitor *v, hc_error *e);
const char *hc_google_file_of(const hc_source *s, uint32_t file);
void hc_google_progress(hc_source *s, uint64_t *done, uint64_t *total);
void hc_google_close(hc_source *s);

/** Take a row of the events of tasks. Rows come in order of time. @return 0 or an error. Cost: O(1). */
hc_rc hc_google_take(hc_google *g, const hc_google_row *r, hc_error *e);
/** Give out the first task in line if its end is known, or cannot be waited for, in g->task.
 *  @return 1, 0 if there is none yet, or an error. */
hc_rc hc_google_give(hc_google *g, hc_error *e);
/** After the last event: reject tasks that never had a place in line. @return 0 or an error. */
hc_rc hc_google_clear(hc_google *g, hc_error *e);

/* ---- for the functions of a format ---- */

static inline hc_delimited *hc_google_record(hc_google *g, hc_google_table_id t)
{
  return &g->tables[t].table;
}

/** Whole numbers of up to 64 bits, an empty or absent field leaving `out`. False: it is something else. */
bool hc_google_whole(const hc_field *f, int64_t *out);
/** A time of the trace in ns; HC_NEVER for its largest number. False: none, or before 0. */
bool hc_google_time(const hc_google *g, const hc_field *f, hc_time *out);
/** A decimal of at least 0. False: none. */
bool hc_google_real(const hc_field *f, double *out);
/** A share of what `1` stands for, as an amount: rounded up to whole units, or as `amounts` says.
 *  @param scale  of 1, in the dimension's unit. False: it is none. */
bool hc_google_amount(const hc_google *g, const hc_field *f, int dimension, int64_t *out, double *error);
double hc_google_scale(const hc_google *g, int dimension);
/** Number of a user, or of a job's name, from 1; 0 for none and past 2^20 of them. @return 0, HC_ENOMEM. */
hc_rc hc_google_number(hc_google *g, hc_interned *names, const hc_field *f, uint32_t *out);
/** A constraint by its parts. @return 1, 0 if the value is none that can be compared so, or an error. */
hc_rc hc_google_constrain(hc_google *g, const hc_field *name, hc_compare compare, const hc_field *value,
                          hc_constraint *out, hc_error *e);
/** Let go of rare facts; 0 is none. */
void hc_google_drop(hc_google *g, uint32_t more);

#endif
