/* reasons.h -- why the task that was asked about waits, of a policy that shares: where its member stands and
 * what it is due, whose task went before it and by which keys, and what became of its own turns. For
 * `hindcast why`; a run that explains nothing asks once a decision whether it does. */
#ifndef HC_POLICY_SHARE_REASONS_H
#define HC_POLICY_SHARE_REASONS_H

#include "policy/share/turns.h"

typedef struct hc_reasons {
  const hc_view *view;
  const char *what;  /* what a member is called: "user" */
  hc_task asked;     /* HC_NO_TASK: nothing is explained in this decision */
  uint32_t member;   /* whose it is */
  double own, other; /* keys, before a turn */
} hc_reasons;

/* Before a decision: is there a task to explain? */
void hc_reasons_open(hc_reasons *r, const hc_turns *t, const hc_view *v, const char *what);
static inline bool hc_reasons_wanted(const hc_reasons *r)
{
  return r->asked != HC_NO_TASK;
}
/* Before a member has its turn: where both stand. */
void hc_reasons_turn(hc_reasons *r, const hc_turns *t, uint32_t member);
/* That turn started this task. */
void hc_reasons_started(const hc_reasons *r, const hc_turns *t, uint32_t member, hc_task task);
/* That turn started nothing. @param is_limited a limit was in the way; else nothing of the member's fits */
void hc_reasons_passed(const hc_reasons *r, const hc_turns *t, uint32_t member, bool is_limited);
/* After the decision: where the member of the task stands, if the task still waits. */
void hc_reasons_close(const hc_reasons *r, const hc_turns *t);

#endif
