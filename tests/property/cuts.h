/* cuts.h -- a run that is saved and gone on with in another, in the middle: it must be in the same state. */
#ifndef HC_TEST_CUTS_H
#define HC_TEST_CUTS_H

#include "hindcast/hindcast.h"

static inline void check(hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s:%u:%u: %s", e->where, e->line, e->column, e->text);
}

/* The run and its store become a copy of the run and an empty store. */
static inline void cut_here(const hc_allocator *a, hc_config *c, hc_run **run, hc_store **store)
{
  char before[33], after[33];
  hc_error e = {0};
  hc_store *next_store;
  hc_run *next;
  check(hc_store_new(a, NULL, &next_store, &e), &e);
  check(hc_run_digest(*run, before, &e), &e);
  check(hc_run_fork(*run, c, next_store, &next, &e), &e);
  hc_run_free(*run);
  hc_store_free(*store);
  *run = next;
  *store = next_store;
  check(hc_run_digest(next, after, &e), &e);
  assert_string_equal(before, after);
}

#endif
