/* outside_state.h -- what a run keeps of a plan that is to come from its caller. See outside.c. */
#ifndef HC_ENGINE_OUTSIDE_STATE_H
#define HC_ENGINE_OUTSIDE_STATE_H

#include "hindcast/run.h"

typedef enum hc_outside_state {
  HC_OUTSIDE_NONE,    /* no run stops, or none has yet */
  HC_OUTSIDE_ASKED,   /* the run stands where a policy was called */
  HC_OUTSIDE_PLANNED, /* the plan has come, and is carried out when the run goes on */
  HC_OUTSIDE_LEFT     /* the policy is to decide when the run goes on */
} hc_outside_state;

/* A policy of the run, by the number of its scheduler. */
typedef struct hc_decider {
  const char *name;
  hc_chosen policy;
  const hc_policy_context *context;
  bool is_outside; /* it makes no plan itself */
} hc_decider;

typedef struct hc_outside {
  hc_decider *deciders; /* [count] */
  size_t count, cap;
  bool is_wanted; /* the run is carried on by hc_run_wait_decision */
  bool is_open;   /* the view is, for the caller */
  bool is_quiet;  /* what is closed is no decision yet: it is not explained */
  bool is_submitting; /* tasks arrive by hc_run_submit */
  hc_error error; /* of the caller's questions */
  /* state */
  uint32_t state; /* hc_outside_state */
  uint32_t scheduler, queue;
  uint32_t in_events; /* it stands among the events of a round, and not in its phase of decisions */
  int64_t rounds;     /* of the instant, with this one */
  hc_why why;
  hc_range *scope; /* [scope_count] */
  size_t scope_count, scope_cap;
  uint32_t is_limited; /* as of the view */
  hc_cursor last;
  void *plan; /* as bytes, as far as it has been made */
  size_t plan_size, plan_cap;
  hc_time rest;    /* of the plan that was handed in last: when it is asked for; HC_NEVER: there is none */
  hc_news *news;   /* [news_count] that the scheduler is told with its next decision */
  size_t news_count, news_cap;
  hc_news *happened; /* [happened_count] of which its architecture has not heard */
  size_t happened_count, happened_cap;
} hc_outside;

#endif
