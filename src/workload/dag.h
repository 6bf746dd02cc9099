/* dag.h -- shapes of jobs: which of its tasks wait for which. */
#ifndef HC_WORKLOAD_DAG_H
#define HC_WORKLOAD_DAG_H

#include "base/math.h"

#define HC_DAG_TASKS 1024 /* most tasks of a job that has a shape */

/* As a parameter spells them, in this order. */
#define HC_DAG_CHOICES "none|chain|fan_in|fan_out|diamond|tree|layers|mixed"
typedef enum hc_dag {
  HC_DAG_NONE,    /* no task waits */
  HC_DAG_CHAIN,   /* each for the one before */
  HC_DAG_FAN_IN,  /* the last for all others */
  HC_DAG_FAN_OUT, /* all others for the first */
  HC_DAG_DIAMOND, /* those between for the first, the last for those between */
  HC_DAG_TREE,    /* each for one before it, any of them alike */
  HC_DAG_LAYERS,  /* the first third for none, each of the others for one to three before it */
  HC_DAG_MIXED    /* drawn for each job: chain 35 %, fan_in 25 %, tree 20 %, diamond 10 %, layers 10 % */
} hc_dag;

/** Which shape a job has: `shape` itself unless that is mixed, in which case one draw is used. */
hc_dag hc_dag_of_job(hc_dag shape, hc_draws *d);
/** The tasks for which number i of 1 .. count waits, in a job of that shape: numbers below i, ascending.
 *  @param d  draws of this task alone;  @param out [HC_DAG_TASKS]
 *  @return how many; 0 for one that waits for none. */
uint32_t hc_dag_before(hc_dag shape, uint32_t i, uint32_t count, hc_draws *d, uint32_t *out);

#define HC_DAG_HELP \
  "Which tasks of a job wait for which. none: no task waits. chain: each task waits for the one before it. " \
  "fan_in: the last task waits for all others. fan_out: all other tasks wait for the first. diamond: the " \
  "tasks between wait for the first task, and the last one for all of these. tree: each task waits for one " \
  "of the tasks before it, each with the same probability. layers: the first third of the tasks wait for " \
  "no task, each other for one to three tasks before it. mixed: each job has one of chain (35 %), fan_in " \
  "(25 %), tree (20 %), diamond (10 %), layers (10 %). "

#endif
