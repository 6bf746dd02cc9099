/* generated.h -- what generators share: the stream of a draw, a task of which only some things are known, and
 * the head of those that make one task at a time, so that the file of a model says the model. */
#ifndef HC_WORKLOAD_GENERATED_H
#define HC_WORKLOAD_GENERATED_H

#include "base/math.h"
#include "hindcast/workload.h"

/* No generated task is submitted at or after this: about 146 years, so that sums of times stay far from
 * the end. */
#define HC_GENERATED_END ((hc_time)1 << 62)

/* The parameters of all generators: when they end, and whose draws they have. */
#define HC_GENERATED_UNTIL_AT(struct_, member) \
  HC_PARAM_AS(TIME, "until", struct_, member, "s", NULL, 0, 4e9, \
              "No task is submitted at this time or later. Default: never.")
#define HC_GENERATED_STREAM_AT(struct_, member) \
  HC_PARAM_AS(INT, "stream", struct_, member, "1", "0", 0, 1e9, \
              "Number of the stream of random draws: another number gives other draws from the same seed. " \
              "Two generators in one run need two numbers.")
#define HC_GENERATED_UNTIL(struct_) HC_GENERATED_UNTIL_AT(struct_, until)
#define HC_GENERATED_STREAM(struct_) HC_GENERATED_STREAM_AT(struct_, stream)
#define HC_GENERATED_NUMBER(struct_, word, type_, member, unit_, value, low, high, text) \
  { \
    .name = word, .type = type_, .offset = offsetof(struct_, member), .unit = unit_, .fallback = value, \
    .min = low, .max = high, .help = text \
  }

/** The draws of one purpose for one entity. Two generators of one run draw differently if `stream`
 *  differs. */
hc_draws hc_generated_draws(const hc_source_context *c, int64_t stream, uint64_t entity, hc_purpose purpose);
/** Task number `rank` + 1: completed as it was asked for, its limit its run time, everything else unknown. */
hc_task_spec hc_generated_task(uint64_t rank, hc_time submit, hc_time run, int64_t procs);
/** What a task needs of each host, and how many hosts; on cells that count processors it has its cores,
 *  rounded up.
 *  @param cpu  cores;  @param memory bytes; not said if negative;  @param hosts at least 1 */
void hc_generated_demand(hc_task_spec *t, double cpu, double memory, int64_t hosts);
/** The number of a user: the number itself, else that of the name in the run's lexicon, from 1. @return 0 or
 *  HC_ENOMEM. */
hc_rc hc_generated_user(const hc_source_context *c, const char *text, int64_t *out);
/** Seconds as a time, to the nearest ns, or the next whole second; bounded by HC_GENERATED_END. @param s >=
 *  0 */
hc_time hc_generated_time(double s);
hc_time hc_generated_up(hc_time t);

/* ---- models that make one task at a time ---- */

/* What their options begin with: `typedef struct options { hc_generated_options head; ... } options`. */
typedef struct hc_generated_options {
  int64_t tasks, stream;
  hc_time until;
} hc_generated_options;

#define HC_GENERATED_HOW_MANY "Number of tasks. 0: tasks arrive until `until`, or until the end of the run."
#define HC_GENERATED_TASKS(struct_, value, text) \
  HC_GENERATED_NUMBER(struct_, "tasks", HC_INT, head.tasks, "tasks", value, 0, 1e15, text)
/* tasks, until, stream. @param value how many tasks, if nothing is said; @param text what that means */
#define HC_GENERATED_PARAMS(struct_, value, text) \
  HC_GENERATED_TASKS(struct_, value, text), HC_GENERATED_UNTIL_AT(struct_, head.until), \
      HC_GENERATED_STREAM_AT(struct_, head.stream)
#define HC_GENERATED_WHOLE_SECONDS(struct_) \
  HC_PARAM(BOOL, struct_, whole_seconds, "true", \
           "Whether submissions are rounded down to whole seconds, and run times up.")

/* What their sources begin with: `struct hc_source { hc_generated head; ... }`. */
typedef struct hc_generated {
  const hc_source_context *context;
  const hc_generated_options *o;
  const char *where; /* what errors call it */
  size_t size;       /* bytes of the whole source */
  hc_time until;     /* no task is submitted then or later */
  hc_trace_info info;
  hc_task_spec task; /* the one at hand */
  struct {           /* state */
    hc_time clock;   /* of the last arrival, of a model that has one clock */
    uint64_t rank;   /* of the next task */
  } s;
} hc_generated;

/** A source of `size` zeroed bytes with its head filled. @param options begin with the head's. @return NULL:
 *  no memory. */
hc_source *hc_generated_new(const hc_source_context *c, size_t size, const void *options, int64_t procs,
                            const char *where);
/** The draws of one purpose for one entity of this source. */
hc_draws hc_generated_draw(const hc_generated *g, uint64_t entity, hc_purpose purpose);
/** Is nothing submitted at `at` any more? */
bool hc_generated_is_over(const hc_generated *g, hc_time at);
/** Times as the option whole_seconds has them: submissions down, run times up and never 0. */
hc_time hc_generated_submit(hc_time at, bool whole_seconds);
hc_time hc_generated_run(hc_time run, bool whole_seconds);
/** Hand over the task at hand. @return 1 */
hc_rc hc_generated_yield(hc_generated *g, hc_job *job);
/* Functions of hc_reader_type for sources that begin with this head. `visit` has the head's state, and
 * refuses a clock that cannot be; `close` takes NULL. */
const hc_trace_info *hc_generated_info(hc_source *s);
hc_rc hc_generated_visit(hc_source *s, hc_visitor *v, hc_error *e);
hc_rc hc_generated_damaged(const hc_generated *g, hc_error *e);
void hc_generated_progress(hc_source *s, uint64_t *done, uint64_t *total);
void hc_generated_close(hc_source *s);

#endif
