/* verified.h -- whether the schedule of a run holds, by the checker that shares nothing with the engine. */
#ifndef HC_VERIFIED_TEST_H
#define HC_VERIFIED_TEST_H

#include "engine_test.h"

static inline void show_violation(void *ctx, const hc_violation *v)
{
  (void)ctx;
  print_message("%s: task %" PRId64 " at %" PRId64 ": %s\n", v->rule, v->id, v->at, v->text);
}

/* All that the stored result says. */
static inline void assert_verified(bench *b)
{
  const hc_verify_request q = {.promise = -1};
  hc_verify_report report;
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  check(b, hc_verify_result(b->allocator, r, &q, show_violation, NULL, &report, &b->error));
  hc_result_free(r);
}

/* The records alone, with hosts and rates if there are any, on so many processors. */
static inline void assert_records_hold(bench *b, int64_t procs)
{
  hc_verify_options o = {.capacity = procs, .honours_run = true};
  hc_verify_hosts hosts = {0};
  hc_verify_rates rates = {0};
  hc_result *r;
  check(b, hc_result_of_store(b->store, &r, &b->error));
  if (hc_verify_hosts_read(b->allocator, r, &hosts, &b->error) == 1) o.hosts = &hosts;
  if (hc_verify_rates_read(b->allocator, r, &rates, &b->error) == 1) o.rates = &rates;
  assert_int_equal(hc_verify(b->allocator, &o, b->records, b->count, show_violation, NULL, NULL), 0);
  hc_verify_rates_free(b->allocator, &rates);
  hc_verify_hosts_free(b->allocator, &hosts);
  hc_result_free(r);
}

#endif
