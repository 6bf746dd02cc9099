/* blame.h -- a component that fails says why; one that does not is named. */
#ifndef HC_BASE_BLAME_H
#define HC_BASE_BLAME_H

#include "hindcast/component.h"

hc_rc hc_blame_failed(const hc_component *c, hc_rc rc, hc_error *e); /* error.c */

/** Pass on what a function of a component returned, with its `e`, which may be NULL. If it failed and left
 *  that empty, say which component it was; out of memory and an interruption are reasons themselves.
 *  @return rc */
static inline hc_rc hc_blame(const hc_component *c, hc_rc rc, hc_error *e)
{
  return rc >= 0 ? rc : hc_blame_failed(c, rc, e);
}

#endif
