/* service_queues.h -- queues by attained service, for policies that rank by it (reranking.h).
 *
 * Service is the weight of a task (GPUs; else processors or cores) x the time that it held what it holds, in
 * seconds. Queue q has the tasks whose service is at least thresholds[q - 1] and less than thresholds[q].
 * Whether a threshold is reached is decided in whole nanoseconds of time held, the first at which it is, so
 * that the decision at that very instant sees it. */
#ifndef HC_POLICY_SERVICE_QUEUES_H
#define HC_POLICY_SERVICE_QUEUES_H

#include "policy/reranking.h"

typedef struct hc_service_queues {
  hc_list thresholds; /* double, ascending */
  double promote;     /* 0: never */
  int service;
} hc_service_queues;

#define HC_SERVICE_QUEUES_PARAMS(options, member, thresholds_) \
  HC_PARAM_AS(REALS, "thresholds", options, member.thresholds, "GPU-seconds", thresholds_, 1e-6, 1e15, \
              "Attained service at which a task goes down into the next queue, ascending. An empty list: " \
              "all tasks are in one queue."), \
      HC_PARAM_AS( \
          CHOICE, "service", options, member.service, "area|time", "area", \
          "What counts as service. area: GPUs x time; processors or cores x time where the cell has no " \
          "GPUs; on a cell with GPUs a task without any counts as one with 1 GPU. time: time alone."), \
      HC_PARAM_AS(REAL, "promote", options, member.promote, "1", "0", 0, 1e9, \
                  "A task that has waited this many times as long as it has run goes back to the first " \
                  "queue, and both times are counted anew. 0: never.")

/** @return 0, or HC_EUSAGE: the thresholds do not ascend. @param where "policy las" */
hc_rc hc_service_queues_check(const hc_service_queues *q, const char *where, hc_error *e);
/** What a task has attained, in GPU-seconds (or seconds). */
double hc_service_of(const hc_service_queues *q, const hc_ranked *j, hc_time now);
/** Its queue, from 0. A task that is to be promoted now is. */
int64_t hc_service_level(hc_reranking *r, const hc_service_queues *q, const hc_view *v, hc_ranked *j);
/** When it goes into another queue if it goes on as it does now; HC_NEVER. */
hc_time hc_service_until(hc_reranking *r, const hc_service_queues *q, const hc_view *v, const hc_ranked *j);

#endif
