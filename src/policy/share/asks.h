/* asks.h -- what rules of preemption ask of users who share, answered from the books. */
#ifndef HC_POLICY_SHARE_ASKS_H
#define HC_POLICY_SHARE_ASKS_H

#include "hindcast/sharing.h"
#include "policy/share/turns.h"

/* `t` is borrowed by what comes out. */
hc_preempt_asks hc_turns_asks(hc_turns *t);

#endif
