/* explain_state.h -- what is known of the task that was asked about, while its situation stays as it is. No
 * state of the run: a run that explains is another one's double. */
#ifndef HC_ENGINE_EXPLAIN_STATE_H
#define HC_ENGINE_EXPLAIN_STATE_H

#include "cluster/hosts.h"
#include "hindcast/run.h"

enum { HC_EXPLAIN_PROMISES = 3, HC_EXPLAIN_LINES = 8, HC_EXPLAIN_TEXT = 480 };

/* A promise to a task before it. */
typedef struct hc_noted_promise {
  uint64_t serial;
  hc_time at;
} hc_noted_promise;

/* Why it may not start, as hc_services.note has it. */
typedef struct hc_noted_reason {
  hc_note what;
  uint64_t other;
  hc_time at;
  int64_t amount;
  uint64_t place; /* in its queue, of a line that says so; 0 */
} hc_noted_reason;

/* What was said last in one form of words, which is not said again. */
typedef struct hc_said {
  const char *format;
  char text[HC_EXPLAIN_TEXT];
} hc_said;

typedef struct hc_noted {
  /* of the decision at hand */
  hc_time promised, deadline; /* HC_NEVER: none */
  hc_noted_reason reason;
  hc_noted_promise before[HC_EXPLAIN_PROMISES];
  size_t before_count; /* also of those that did not find room */
  struct {             /* the last choice of the placement for it */
    uint32_t host;     /* HC_NO_HOST: there was none, or not of a single slot */
    hc_hosts_ranked rank;
  } ranked;
  /* since it began to wait */
  hc_noted_reason told;
  int64_t told_free; /* units that were free then */
  hc_said said[HC_EXPLAIN_LINES];
  size_t said_next;
  const char *(*name)(void *ctx, uint64_t serial); /* what tasks are called; NULL: by their numbers */
  hc_task task;                                    /* its slot; another's once it is gone */
} hc_noted;

#endif
