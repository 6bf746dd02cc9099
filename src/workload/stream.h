/* stream.h -- from sources to tasks that can be scheduled: read, put in order, transformed, admitted, merged.
 *
 *   source -> sort window -> transform -> transform -> admission -.
 *   source -> sort window -> transform -> transform -> admission --+-> merge by (submit, source, rank) ->
 *   engine
 *
 * Each source has its own window (unsorted input is sorted on the fly by (submit, id), stably, within
 * `window` rows: a row later than that is an error which names its line and `hindcast trace sort`).
 * Transforms are those of the run and apply to each source alike. Only the window and one job are in memory.
 * With a window of one row, sorted input is handed on without being copied.
 *
 * A row that stands for many equal tasks (a bundle) is one row everywhere here, and as many arrivals. */
#ifndef HC_WORKLOAD_STREAM_H
#define HC_WORKLOAD_STREAM_H

#include "base/mem.h"
#include "hindcast/workload.h"

#define HC_SORT_WINDOW ((size_t)1 << 17) /* rows; the default */

struct hc_arrival;
struct hc_host_set;

/** How a cell of hosts says what a task asks of it. */
typedef struct hc_judge {
  /** What it asks for (`units`, `slots`, `whole`, `spread`, and the spec's own `need` where the trace leaves
   *  it open).
   *  @return 1; 0 with `why`: it can never run there; or an error. NULL: processors. */
  hc_rc (*judge)(void *ctx, struct hc_arrival *a, hc_reason *why);
  /** Would `judge` surely say 1, and look at nothing that changes in the run? */
  bool (*surely)(void *ctx, const hc_task_spec *t);
  /** May it have so long a limit where it may run? Asked of tasks with rare facts; NULL: always. */
  bool (*allows)(void *ctx, const struct hc_arrival *a, hc_time limit);
  void *ctx;
} hc_judge;

/* How the semantic choices that a log leaves open are made; each is an option of the run with the same words.
 * */
typedef enum hc_processors {
  HC_PROCS_ASKED,
  HC_PROCS_USED,
  HC_PROCS_LARGER
} hc_processors; /* each falls back on the other field */
typedef enum hc_overrun {
  HC_OVERRUN_KILL,   /* ends at its limit; planned by its limit */
  HC_OVERRUN_RUN_ON, /* runs to its end; planned by its limit, and when that passes, as ending any moment */
  HC_OVERRUN_EXTEND, /* runs to its end; planned by the longer of limit and run */
  /* ends at its limit; planned by the longer of limit and run (pyss, predictsim) */
  HC_OVERRUN_KILL_PLANNED_LONG
} hc_overrun;
typedef enum hc_no_limit {
  HC_NO_LIMIT_RUN,
  HC_NO_LIMIT_ENDLESS,
  HC_NO_LIMIT_ASSUME
} hc_no_limit; /* limit := run; none; `assumed_limit` */
typedef enum hc_zero_length { HC_ZERO_KEEP, HC_ZERO_SECOND, HC_ZERO_DROP } hc_zero_length;
typedef enum hc_too_large { HC_LARGE_REJECT, HC_LARGE_CLAMP, HC_LARGE_ERROR } hc_too_large;
typedef enum hc_cancelled {
  HC_CANCELLED_SKIP,
  HC_CANCELLED_WITHDRAW
} hc_cancelled; /* never ran: leave out; or queue until submit + wait, then leave */
typedef enum hc_believe { HC_BELIEVE_LIMIT, HC_BELIEVE_RUN } hc_believe;

typedef struct hc_admission {
  hc_processors processors;
  hc_overrun overrun;
  hc_no_limit no_limit;
  hc_time assumed_limit;
  hc_zero_length zero_length;
  hc_too_large too_large;
  hc_cancelled cancelled;
  hc_believe believe_waiting, believe_running; /* RUN needs `oracle: true` of the run */
  int64_t capacity; /* processors of the machine; 0: not known, nothing is too large */
  hc_judge judge;   /* on a cell of hosts */
  int64_t amount;   /* with judge: what the hosts have of the cell's first dimension, in which `units` are */
  const struct hc_host_set *sets; /* [set_count] some of which say which partitions they are; 0: none does */
  size_t set_count;
} hc_admission;

/* A task that can be scheduled. */
typedef struct hc_arrival {
  hc_task_spec spec; /* as transformed. The side that takes the arrival holds its `more` */
  int64_t units;     /* processors it needs at once; on hosts: amount of the cell's first dimension */
  hc_time run;       /* how long it will run if nothing stops it, after `overrun`; HC_NEVER: only withdrawn */
  hc_time estimate;  /* what may be believed while it waits; HC_NEVER: nothing */
  hc_time running_estimate; /* and once it runs */
  bool killed;              /* it ends because its limit ends it */
  uint32_t flags;           /* HC_TASK_CLAMPED, HC_TASK_NO_LIMIT (see hindcast/record.h) */
  uint32_t source;          /* which of the run's sources */
  uint32_t slots;           /* on hosts: so many times its demand */
  bool whole, spread;       /* on hosts: takes them whole; each slot on another */
  bool plain;               /* nothing of the spec that few tasks have, its CPU time and memory used apart */
  bool unjudged;            /* a lane's own: it is not admitted yet */
} hc_arrival;               /* padding is zero */

typedef struct hc_stream hc_stream;

/* What first passes came to, kept by a caller that opens one stream after another and knows that they come
 * to the same: the same sources, transforms below, admission and machine. Zeroed: nothing yet. */
typedef struct hc_totals_memory {
  struct {
    size_t source, stage;
    hc_workload_totals totals;
  } items[8]; /* beyond, they are measured each time */
  size_t count;
} hc_totals_memory;

typedef struct hc_stream_options {
  const hc_chosen *sources; /* [source_count], types are hc_reader_type */
  size_t source_count;
  const hc_chosen *transforms; /* [transform_count], types are hc_transform_type */
  size_t transform_count;
  size_t window;    /* rows; 0: HC_SORT_WINDOW; 1: input must be sorted */
  size_t resorting; /* rows in which what transforms have moved is put in order again; 0: as `window` */
  hc_admission admission;
  int64_t threads; /* 2: sources are read ahead on threads of their own; 0, 1: they are not */
  bool raw;        /* no admission: every row comes out as it is (trace convert) */
  bool as_changed; /* with raw: rows that transforms moved stay where they are */
  /* What first passes came to; not with threads. Borrowed for the life of the stream; NULL: they are made. */
  hc_totals_memory *totals;
  /* Of several sources, how they are told apart (apart.h): `int`, whether each shares its people with the
   * others that do; one for all, or none: they do not. And `const char *`, what names of each begin with;
   * none: a default. */
  hc_list users, prefixes;
} hc_stream_options;

/** Open, and read up to the first task of each source. The context's ledger counts what happens and balances
 * after
 *  each call: rows that were only looked at are not in it yet. Rows left out on purpose (a filter, a window,
 *  dropped
 *  zero lengths) are counted but no error under `strict`. The options lists and what the context points to
 *  are
 *  borrowed for the life of the stream.
 *  Transforms that aim at a total read their source once more, at the first `next`.
 *  @return 0, the first error of a source or transform, or HC_EUNSUPPORTED: a transform has to read an input
 *  twice
 *  that cannot be. */
hc_rc hc_stream_open(const hc_source_context *c, const hc_stream_options *o, hc_stream **out, hc_error *e);
/** Facts of the first source's trace. Reading its header does not consume tasks. Borrowed. */
const hc_trace_info *hc_stream_info(const hc_stream *s);
/** The machine's size became known (from a cell source that read `info`). Before the first `next`. */
void hc_stream_capacity(hc_stream *s, int64_t capacity);
/** The machine is a cell of hosts: they judge. @param amount what they have of the first dimension. Before
 *  the first `next`. */
void hc_stream_judge(hc_stream *s, const hc_judge *judge, int64_t amount);
/** Some sets of its hosts may say which partitions of the log they are: tasks are bound to them. @param sets
 *  [count] borrowed. Before the first `next`. */
void hc_stream_sets(hc_stream *s, const struct hc_host_set *sets, size_t count);
/** What the sources' tasks refer to, at most. */
hc_refers hc_stream_refers(const hc_stream *s);
/** The next task in order of submission. @return 1, 0 at the end, 2 if every source that has more waits for
 *  feedback, or an error. */
hc_rc hc_stream_next(hc_stream *s, hc_arrival *out, hc_error *e);
hc_rc hc_stream_borrow_more(hc_stream *s, const hc_arrival **out, hc_error *e);

/* Tasks that are ready to be taken, each a row that is used: what a stream begins with. */
typedef struct hc_stretch {
  const hc_arrival *next, *end;
  hc_row_ledger *ledger;
} hc_stretch;

/** The same, not copied: borrowed until the next call that takes, settles or visits. With a thread that reads
 *  ahead nearly always the next one lies there: to look here first saves three calls, a hundred instructions,
 *  for every task. */
static inline hc_rc hc_stream_borrow(hc_stream *s, const hc_arrival **out, hc_error *e)
{
  hc_stretch *t = (hc_stretch *)(void *)s;
  if (t->next == t->end) return hc_stream_borrow_more(s, out, e);
  *out = t->next++;
  t->ledger->read++;
  t->ledger->used++;
  return 1;
}
/** Tell source number `source` of an end; each task that it yielded needs one, whatever became of it.
 *  Cheap if it does not listen. @return how many tasks this lets go, or an error. If any, the next one may
 *  be earlier than the one taken last: an engine that has taken one ahead of its time gives it back
 *  (hc_stream_return) and asks again. */
hc_rc hc_stream_feedback(hc_stream *s, uint32_t source, const hc_feedback *f, hc_error *e);
/** More rows for the first source that takes any (hc_reader_type.feed), as hc_stream_feedback.
 *  @return how many tasks this lets go; HC_EUSAGE: none does; or what the source returned */
hc_rc hc_stream_feed(hc_stream *s, const char *text, size_t size, hc_error *e);
bool hc_stream_takes(const hc_stream *s); /* any source that takes rows while a run goes on */
/** Give back the task taken last, before it has arrived: as if it had not been taken. @return 0 or
 *  HC_ENOMEM. */
hc_rc hc_stream_return(hc_stream *s, const hc_arrival *a);
bool hc_stream_listens(const hc_stream *s); /* any source that wants feedback */
/** What was read and is not yet handed on goes where it can be saved; a thread that reads ahead stops until
 *  the next call. Before the lexicon is visited: after it no source may name anything new. @return 0 or an
 *  error. */
hc_rc hc_stream_settle(hc_stream *s, hc_error *e);
/** Where everything stands, the context's ledger included. A stream that was opened in the same way is loaded
 * over.
 *  @return 0, HC_EUNSUPPORTED if an input cannot be read twice, HC_EINPUT, HC_EIO, HC_ENOMEM. */
hc_rc hc_stream_visit(hc_stream *s, hc_visitor *v, hc_error *e);
void hc_stream_progress(const hc_stream *s, uint64_t *done, uint64_t *total);
void hc_stream_close(hc_stream *s);

#endif
