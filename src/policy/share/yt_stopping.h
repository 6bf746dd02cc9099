/* yt_stopping.h -- the second half of an offer of the policy yt: tasks are stopped for operations that
 * starve, and where a pool has more than its limit.
 *
 * A host on which nothing more starts is looked at for operations that starve badly, then for all that
 * starve, at most once in `backoff`: what is free on it and what may be stopped on it (policy/preempting.h)
 * is made room for one task of the least satisfied of them. An operation that starves is not robbed, and what
 * is in a pool that is short itself goes to others in that pool only. Then, of the tasks on the host whose
 * pools are over a limit, the newest goes, until none is.
 *
 * Before all that tasks of graceful pools that may be stopped freely are told to go, whether or not others
 * want their room, as YTsaurus does with operations of its preemption mode graceful. No other
 * operation's starvation stops them.
 *
 * So are tasks of an operation that is bound to another module, or has lost its own (yt_modules.h): they are
 * stopped when their host is offered.
 *
 * It is a part as those of preempts.def are, for this rule alone: fair shares are the rule's. */
#ifndef HC_POLICY_SHARE_YT_STOPPING_H
#define HC_POLICY_SHARE_YT_STOPPING_H

#include "hindcast/sharing.h"

typedef struct hc_yt_stopping_options {
  int victims;                     /* hc_victims */
  hc_time backoff;                 /* between two looks at a host */
  double threshold, bad_threshold; /* of the fair share, as hc_preempting_options has them */
  double content, bad_content;     /* satisfaction below which a pool is short */
  bool badly;                      /* an operation may starve badly */
  bool head;                       /* only an operation's first task may start */
  hc_time grace;                   /* of tasks that are told to go */
  int on_grace;                    /* hc_stop, of those that are still there then */
} hc_yt_stopping_options;

extern const hc_preempt_type hc_yt_stopping; /* of hc_yt_stopping_options, copied; asks: hc_turns_asks */

/* Tasks started by stopping others; tasks stopped for them, and for limits. */
void hc_yt_stopping_counts(const hc_policy *self, uint64_t *preempting, uint64_t *preempted);

#endif
