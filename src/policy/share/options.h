/* options.h -- what a configuration says to the policy `fair`: the struct that its parameters fill. */
#ifndef HC_POLICY_SHARE_OPTIONS_H
#define HC_POLICY_SHARE_OPTIONS_H

#include "policy/placing.h"

enum { ROUND_EXACT, ROUND_DOUBLE };
enum { TASK_FIRST_FIT, TASK_HEAD };
enum { MISFIT_NEXT, MISFIT_STOP };
enum { OVERSOLD_SCALE, OVERSOLD_REFUSE };
enum { OVERSIZED_REJECT, OVERSIZED_MORE };
enum {
  FALLBACK_NOTHING_STARTED,
  FALLBACK_ALL_REFUSED,
  FALLBACK_NONE,
  FALLBACK_BEST_SCORE,
  FALLBACK_ROUND_REFUSED
};

typedef struct hc_fair_options {
  int share, tree_rule, rounding, score, task, misfit, fallback, oversold, oversized;
  const char *dimension;
  hc_list weights, quotas, limits, guarantees, pools, slot;
  hc_time half_life, update;
  int64_t expected;
  double knob;
  hc_scale scale;
  hc_chosen order, place, eligibility, accept, preempt;
  int64_t rounds;
} hc_fair_options;

extern const hc_param hc_fair_params[];

#endif
