/* measure.h -- what running tasks do and use, for metrics. See measure.c. */
#ifndef HC_EXECUTION_MEASURE_H
#define HC_EXECUTION_MEASURE_H

#include "base/wide.h"
#include "execution/busy.h"
#include "execution/labelled.h"
#include "execution/running.h"

enum { HC_MEASURED_KINDS = 3 }; /* bits of HC_DOES_ */
enum { HC_BYTES_SENT, HC_BYTES_READ, HC_BYTES_WRITTEN, HC_BYTES_WAYS };

/* Of an activity that goes on. */
typedef struct hc_measured_act {
  double work;         /* units of its flow; 0: its bytes are known only at its end */
  double bytes;        /* that all of it moves */
  double core_seconds; /* of a parallel task: that all of it computes */
  double share;        /* of it that was done, where it was stopped; 1 */
  uint32_t kinds;      /* of HC_DOES_; 0: nothing that is measured */
  uint32_t way;        /* HC_BYTES_ */
  uint32_t from, to;   /* of a transfer: hosts; HC_NO_ONE: it is none */
  uint32_t joint, padding; /* of a parallel task: its place in busy.joints + 1; 0: none */
  int64_t says; /* of a computation: billionths of cores, or GPUs, that it keeps busy; 0: those of its
                   process */
} hc_measured_act;

/* Of a running task. */
typedef struct hc_measured {
  hc_time since; /* its times are counted up to here; HC_NEVER: suspended */
  hc_time times[HC_DOES_SETS];
  int64_t held, used, as_one; /* thousandths of cores; as_one: that compute where one clock stands for all */
  double bytes[HC_BYTES_WAYS];
  hc_time items; /* in which items were on their way; HC_UNKNOWN: it has none */
  uint32_t counts[HC_MEASURED_KINDS];
  uint32_t going, most; /* activities that go on, and the most that did */
  uint32_t waits;       /* for items */
} hc_measured;

/* Sums of all tasks. */
typedef struct hc_measured_sums {
  hc_time since;
  int64_t held, used;             /* thousandths of cores, now */
  hc_wide held_until, used_until; /* x ns, up to `since` */
  double core_seconds;            /* of parallel tasks that are over */
  double bytes[HC_BYTES_WAYS];    /* of activities that are over */
} hc_measured_sums;

typedef struct hc_measure {
  hc_measuring asked;
  hc_model_context context;
  hc_flow_options flows;
  hc_doings *alone; /* NULL: not made yet. Between two tasks it is empty, and so no state */
  hc_measured_sums sums;
  hc_measured *of; /* [of_count] by running */
  size_t of_count, of_cap;
  hc_measured_act *acts; /* [act_count] by activity */
  size_t act_count, act_cap;
  double *links, *bandwidths;      /* [links of the network] */
  double *joules;                  /* [links of the network] J a byte that is taken; NULL: none draws */
  double *disks, *disk_bandwidths; /* [2 x disks] */
  hc_busy busy;                    /* where asked.computes */
  hc_labelled_all labels;         /* where asked.labelled */
} hc_measure;

/** From now on, which is the beginning, measure. @return 0 or HC_ENOMEM */
hc_rc hc_measure_new(hc_doings *d, const hc_model_context *c, const hc_flow_options *flows,
                     const hc_measuring *asked);
void hc_measure_free(hc_doings *d);
hc_rc hc_measure_look(hc_doings *d, hc_time at, hc_use_look *out);
hc_rc hc_measure_visit(hc_doings *d, hc_visitor *v);
/** explain.c: as hc_model_type.explain; where nothing is measured nothing is said. */
hc_rc hc_doings_explain(hc_doings *d, hc_time now, uint32_t task, void (*say)(void *ctx, const char *text),
                        void *ctx);

/* ---- only where d->measure: what happens ---- */

void hc_measure_begin(hc_doings *d, uint32_t running, const hc_activity *a);
/** It has other hosts from now on. */
void hc_measure_resize(hc_doings *d, uint32_t running, const hc_activity *a);
/** @param how HC_DID_ */
void hc_measure_end(hc_doings *d, uint32_t running, uint32_t how);
void hc_measure_suspend(hc_doings *d, uint32_t running, bool is_suspended);
/** An activity is there; it is not any more. @param x as it is in d->acts */
void hc_measure_going(hc_doings *d, const hc_doing *x, bool is_more);
/** Items of a task are on their way, or are there. */
void hc_measure_items(hc_doings *d, uint32_t running, bool is_waiting);
/** A computation on so many GPUs of its process begins. */
void hc_measure_gpus(hc_doings *d, uint32_t act, double gpus);
/** An activity does something; is over; was stopped, with so much of its work done. */
void hc_measure_act(hc_doings *d, uint32_t act, const hc_measured_act *x);
void hc_measure_act_over(hc_doings *d, uint32_t act);
void hc_measure_stopped(hc_doings *d, uint32_t act, double done);
/** A process computes, or does so no more. */
void hc_measure_meter(hc_doings *d, uint32_t running, uint32_t meter, bool computes);

#endif
