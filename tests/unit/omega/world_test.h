/* world_test.h -- a whole run of the closed world from a text, and its figures. */
#ifndef HC_WORLD_TEST_H
#define HC_WORLD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hindcast/hindcast.h"

typedef struct world {
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_result *result;
} world;

static inline void check(hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s:%u: %s", e->where, e->line, e->text);
}

/* @return an error that the run itself was refused with; then there is no result */
static inline hc_rc try_run(const char *text, world *w, hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  hc_run *r;
  hc_rc rc;
  check(hc_registry_new(a, &w->registry), e);
  check(hc_config_new(a, w->registry, &w->config, e), e);
  check(hc_config_text(w->config, text, strlen(text), "test", e), e);
  check(hc_store_new(a, NULL, &w->store, e), e);
  rc = hc_run_new(a, w->config, w->store, &r, e);
  if (rc < 0) return rc;
  check(hc_run_advance(r, HC_NEVER, 0, e), e);
  check(hc_run_finish(r, e), e);
  hc_run_free(r);
  return hc_result_of_store(w->store, &w->result, e);
}

static inline world run(const char *text)
{
  world w = {0};
  hc_error e = {0};
  check(try_run(text, &w, &e), &e);
  return w;
}

static inline void done(world *w)
{
  hc_result_free(w->result);
  hc_store_free(w->store);
  hc_config_free(w->config);
  hc_registry_free(w->registry);
}

static inline double figure(world *w, const char *name)
{
  return hc_result_figure(w->result, "all", name);
}

static inline void near(double got, double want)
{
  if (!(got - want < 1e-9 && want - got < 1e-9)) fail_msg("got %.17g, expected %.17g", got, want);
}

#endif
