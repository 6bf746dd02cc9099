/* energy_trace.h -- what a machine has drawn up to each start and end of a task, and each switch of its
 * hosts. See energy_trace.c. */
#ifndef HC_METRIC_ENERGY_TRACE_H
#define HC_METRIC_ENERGY_TRACE_H

#include "base/mem.h"
#include "base/wide.h"
#include "hindcast/metric.h"

typedef enum hc_energy_event { HC_ENERGY_START, HC_ENERGY_END, HC_ENERGY_SWITCH } hc_energy_event;

typedef struct hc_energy_row {
  hc_time at;
  hc_wide energy; /* microwatts x ns since the run's origin */
  int64_t least;  /* microwatts that all hosts would draw if no core was busy */
  uint64_t what;  /* hc_energy_event */
} hc_energy_row;

typedef struct hc_energy_trace {
  const hc_allocator *allocator;
  hc_energy_row *rows;
  size_t count, cap;
  struct {
    hc_wide energy; /* up to `since` */
    hc_time since;
    int64_t draws, least; /* from then on */
    uint64_t of;          /* the task, or the state, of the last row */
  } s;
} hc_energy_trace;

void hc_energy_trace_init(hc_energy_trace *t, const hc_allocator *a);
void hc_energy_trace_fini(hc_energy_trace *t);
/** From `at` on all hosts draw so much together. Times ascend. */
void hc_energy_trace_draws(hc_energy_trace *t, hc_time at, int64_t draws);
/** Something happens: a row, unless it is one more host of what the last row says.
 *  @param of serial of the task; the state that hosts come into @return 0 or HC_ENOMEM */
hc_rc hc_energy_trace_tell(hc_energy_trace *t, hc_time at, hc_energy_event what, uint64_t of);
/** From `at` on all hosts would draw so much more with no core busy. A row of this time says it. */
void hc_energy_trace_least(hc_energy_trace *t, hc_time at, int64_t more);
/** The rows, as the table energy_trace. */
hc_rc hc_energy_trace_find(const hc_energy_trace *t, hc_findings *f);
hc_rc hc_energy_trace_visit(hc_energy_trace *t, hc_visitor *v);

#endif
