/* scarce_test.h -- a run each of whose allocations fails once: an error, and nothing is lost. */
#ifndef HC_SCARCE_TEST_H
#define HC_SCARCE_TEST_H

#include "engine_test.h"

typedef struct scarce {
  uint64_t count, fails_at; /* allocations so far; which fails */
  int64_t held;             /* bytes */
} scarce;

static inline void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  const hc_allocator *below = hc_default_allocator();
  scarce *s = ctx;
  if (new_size > 0 && ++s->count == s->fails_at) return NULL;
  s->held += (int64_t)new_size - (int64_t)old_size;
  return below->resize(below->ctx, p, old_size, new_size);
}

/* From the configuration to the end of the run, without a store. */
static inline void assert_scarce(const char *yaml)
{
  hc_rc rc = HC_ENOMEM;
  for (uint64_t n = 1; rc == HC_ENOMEM || rc == HC_EIO; n++) {
    scarce s = {.fails_at = n};
    const hc_allocator a = {&s, scarce_resize, NULL};
    bench b = {0};
    rc = configure(&b, &a, yaml, NULL);
    if (rc >= 0) rc = hc_run_new(&a, b.config, NULL, &b.run, &b.error);
    if (rc >= 0) rc = hc_run_advance(b.run, HC_NEVER, 0, &b.error);
    if (rc < 0 && rc != HC_ENOMEM)
      fail_msg("allocation %" PRIu64 ": %s: %s", n, hc_rc_name(rc), b.error.text);
    hc_run_free(b.run);
    hc_config_free(b.config);
    hc_registry_free(b.registry);
    assert_int_equal(s.held, 0);
    assert_true(n < 20000);
  }
  assert_int_equal(rc, 0);
}

#endif
