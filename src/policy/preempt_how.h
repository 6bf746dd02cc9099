/* preempt_how.h -- how rules of preemption stop tasks: parameters that they share. */
#ifndef HC_POLICY_PREEMPT_HOW_H
#define HC_POLICY_PREEMPT_HOW_H

#include "policy/preempting.h"

typedef struct hc_preempt_how {
  int on_preempt; /* hc_stop */
  hc_time grace, checkpoint_every, restart_overhead, backoff;
} hc_preempt_how;

#define HC_PREEMPT_HOW_PARAMS(options, member, backoff_default) \
  HC_PARAM_AS(CHOICE, "on_preempt", options, member.on_preempt, "requeue|kill|checkpoint", "requeue", \
              "What becomes of a task that is stopped. requeue: it waits again, at its former position, " \
              "and does all of its work since its start again. kill: it is ended. checkpoint: it waits " \
              "again and goes on from what it has saved."), \
      HC_PARAM_AS( \
          TIME, "grace", options, member.grace, "s", "0", 0, 1e9, \
          "How long before it is stopped a task is told; it may end by itself meanwhile. Its room is free " \
          "for no other task until it has stopped, and goes to the user whose turn it is then. 0: it is " \
          "stopped at once, and its room is taken at once."), \
      HC_PARAM_AS(TIME, "checkpoint_every", options, member.checkpoint_every, "s", "0", 0, 1e9, \
                  "With checkpoint: a running task saves its work each time that it has worked for this " \
                  "long. 0: it saves all of its work when it is stopped."), \
      HC_PARAM_AS(TIME, "restart_overhead", options, member.restart_overhead, "s", "0", 0, 1e9, \
                  "With checkpoint: how much longer a task runs when it starts again."), \
      HC_PARAM_AS(TIME, "backoff", options, member.backoff, "s", backoff_default, 0, 1e9, \
                  "Least time between two stops of tasks on one host.")

/* @return 0 or HC_EUSAGE. @param where "preempt starving" */
static inline hc_rc hc_preempt_how_check(const hc_preempt_how *h, const char *where, hc_error *e)
{
  if (h->on_preempt == HC_STOP_CHECKPOINT || (h->checkpoint_every == 0 && h->restart_overhead == 0)) return 0;
  return hc_fail(e, HC_EUSAGE, where, 0, 0,
                 "checkpoint_every and restart_overhead are of tasks that save their work: set on_preempt: "
                 "checkpoint, or leave them out");
}

static inline hc_stopping hc_preempt_how_stopping(const hc_preempt_how *h)
{
  return (hc_stopping){(hc_stop)h->on_preempt, h->grace, h->checkpoint_every, h->restart_overhead};
}

#endif
