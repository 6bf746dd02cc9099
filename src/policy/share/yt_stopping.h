/* yt_stopping.h -- the second half of an offer of the policy yt: tasks are stopped for those who starve, and where a pool has
 * more than its limit.
 *
 * A host on which nothing more starts is looked at for operations that starve badly, then for all that starve, at most once
 * in `backoff`: what is free on it and what may be stopped on it (policy/preempting.h) is made room for one task of the
 * least satisfied of them. Who starves is not robbed, and what is in a pool that is short itself goes to others in that pool
 * only. Then, of the tasks on the host whose pools are over a limit, the newest goes, until none is. */
#ifndef HC_POLICY_SHARE_YT_STOPPING_H
#define HC_POLICY_SHARE_YT_STOPPING_H

#include "policy/preempting.h"
#include "policy/share/yt.h"

typedef struct hc_yt_stopping_options {
  hc_time backoff;               /* between two looks at a host */
  bool badly;                    /* somebody may starve badly */
  bool head;                     /* only an operation's first task may start */
  double content, badly_content; /* satisfaction below which a pool is short */
} hc_yt_stopping_options;

typedef struct hc_yt_stopping {
  const hc_allocator *allocator; /* NULL: it was never begun */
  const hc_services *services;
  hc_yt *y;
  hc_yt_stopping_options o;
  hc_preempting books;
  hc_time *tried; /* [tried_count] by host: when it was last looked at for somebody who starves; HC_UNKNOWN */
  size_t tried_count, tried_cap;
  uint32_t *takers; /* scratch */
  size_t taker_cap;
  struct {
    uint64_t preempting, over_limits; /* tasks started by stopping others; stopped for a limit */
  } n;
} hc_yt_stopping;

void hc_yt_stopping_init(hc_yt_stopping *self, const hc_policy_context *c, hc_yt *y,
                         const hc_yt_stopping_options *o, const hc_preempting_options *books);
void hc_yt_stopping_fini(hc_yt_stopping *self);
hc_rc hc_yt_stopping_visit(hc_yt_stopping *self, hc_visitor *v);

/** When a host may be looked at again, it is, for those who starve badly first. Who finds nobody that starves has not
 *  looked. @return 0 or an error */
hc_rc hc_yt_stop_for(hc_yt_stopping *self, hc_view *v, hc_plan *p, uint32_t host);
/** As hc_policy_type.next_preemption. */
hc_time hc_yt_stopping_presses(const hc_yt_stopping *self, hc_time now, uint32_t host);

#endif
