/* timed.h -- nothing but a time that passes, whatever the hosts: idle and delay, one profile under the names
 * that two programs give it. */
#ifndef HC_EXECUTION_TIMED_H
#define HC_EXECUTION_TIMED_H

#include "hindcast/profile.h"

typedef struct hc_timed {
  hc_time time;
} hc_timed;

static inline hc_rc hc_timed_resume(hc_profile *p)
{
  const hc_timed *o = p->options;
  HC_PROFILE_BEGIN(p);
  (void)hc_profile_sleep(p, o->time, 0);
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

#endif
