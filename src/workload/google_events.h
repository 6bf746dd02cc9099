/* google_events.h -- what the writers of Google's traces share: the events of each task's life, told in order
 * of time.
 *
 * A task is submitted, may be enabled later, is scheduled, and ends; one of which only the start is known
 * begins with that. Rows of all tasks stand in order of time, so those that lie ahead are kept in a heap: one
 * for each task that waits or runs, at most `live`. At one instant, what was to come comes before new
 * submissions. */
#ifndef HC_WORKLOAD_GOOGLE_EVENTS_H
#define HC_WORKLOAD_GOOGLE_EVENTS_H

#include "workload/google.h"
#include "workload/writing.h"

typedef struct hc_google_scale_options {
  double cpu_scale;
  int64_t memory_scale, disk_scale, live;
  hc_time offset;
} hc_google_scale_options;

/* One task of the output: what its rows have in common, and its next event. */
typedef struct hc_google_told {
  hc_time at;         /* of its next event */
  uint64_t seq;       /* among events of one instant */
  hc_time start, run; /* run HC_UNKNOWN: it does not start */
  int64_t job, index, user, priority, class;
  int64_t need[HC_DIM_DISK + 1]; /* cpu, memory, disk; HC_UNKNOWN: not said */
  uint32_t next, last; /* hc_google_event: the next one, and how it will end; HC_GOOGLE_EVENTS: not */
  bool spread;
} hc_google_told;
_Static_assert(sizeof(hc_google_told) == 112, "said to users in `live`");

/* What lies ahead. A writer that tells begins with hc_rows, and has one of these. */
typedef struct hc_google_telling {
  const hc_allocator *allocator;
  const hc_google_scale_options *o;
  const char *format;   /* for errors */
  bool enables;         /* it has ENABLE, for those that may not start at once */
  hc_google_event seen; /* how it says that a task still ran then; HC_GOOGLE_EVENTS: it does not */
  /* Write a row. @param first  the task, where it is its first row, else NULL */
  hc_rc (*put)(hc_writer *w, const hc_google_told *t, hc_google_event what, const hc_task_spec *first);
  hc_google_told *heap; /* [count], least (at, seq) first */
  size_t count, cap;
  uint64_t seq;
  int64_t indices; /* given to tasks that have none of their own */
} hc_google_telling;

void hc_google_telling_fini(hc_google_telling *g);
/** Write everything that happens up to `until`, which is included. @return 0 or what `put` returned. */
hc_rc hc_google_tell(hc_google_telling *g, hc_writer *w, hc_time until);
/** What a task's rows have in common, as far as both formats say it, and its events. `*lost` loses what they
 * say. */
hc_google_told hc_google_told_of(const hc_task_spec *t, const hc_slots *s, uint64_t *lost);
/** Write the first row of each of `rows` equal tasks and keep what follows. Each has an index in its job: its
 *  id, or, of several or where that is none below 2^30, one of its own from there on; of no job, its rank.
 *  @return 0, HC_ELIMIT (more than `live`, no index left), HC_ENOMEM, as `put`. */
hc_rc hc_google_begin(hc_google_telling *g, hc_writer *w, hc_google_told *t, const hc_task_spec *spec,
                      int64_t rows, uint64_t *lost, hc_error *e);

/** A moment of the trace, in whole microseconds. */
int64_t hc_google_moment(const hc_google_scale_options *o, hc_time at);
/** An amount as a share of a dimension's scale. */
double hc_google_share(const hc_google_scale_options *o, int dimension, int64_t need);

/** The parameters, spelt once. `struct_.in` is the hc_google_scale_options among the options of a writer. */
#define HC_GOOGLE_TELLING_PARAMS(struct_, in) \
  HC_PARAM_AS(REAL, "cpu_scale", struct_, in.cpu_scale, "cores", "64", 0.001, 1e9, \
              "Cores that 1 stands for in the cpu column: those of the largest machine."), \
      HC_PARAM_AS(SIZE, "memory_scale", struct_, in.memory_scale, "B", "256GiB", 1, 1e18, \
                  "Bytes that 1 stands for in the memory column: the memory of the largest machine."), \
      HC_PARAM_AS(TIME, "offset", struct_, in.offset, "s", "600s", 0, 1e9, \
                  "Time in the file that stands for the trace's origin; 0 would mean before the trace " \
                  "began."), \
      HC_PARAM_AS(INT, "live", struct_, in.live, "tasks", "4194304", 1, 1e9, \
                  "Greatest number of tasks that wait or run at one time, which take 112 bytes each; more " \
                  "end the conversion with an error.")

#endif
