/* world_test.h -- a whole run of the closed world from a text, and its figures. */
#ifndef HC_WORLD_TEST_H
#define HC_WORLD_TEST_H

#include <limits.h>
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

/* ---- what is refused ---- */

/* The run is refused, and says so much of the reason. */
static inline void assert_refused(const char *text, const char *why)
{
  const hc_allocator *a = hc_default_allocator();
  hc_registry *registry;
  hc_config *config;
  hc_run *r = NULL;
  hc_error e = {0};
  check(hc_registry_new(a, &registry), &e);
  check(hc_config_new(a, registry, &config, &e), &e);
  check(hc_config_text(config, text, strlen(text), "test", &e), &e);
  if (hc_run_new(a, config, NULL, &r, &e) >= 0) fail_msg("not refused: %s", text);
  if (!strstr(e.text, why)) fail_msg("%s: \"%s\" does not say \"%s\"", text, e.text, why);
  hc_config_free(config);
  hc_registry_free(registry);
}

/* ---- scarce memory ---- */

typedef struct scarce {
  long left, held; /* allocations that succeed; bytes */
} scarce;

static inline void *scarce_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  const hc_allocator *below = hc_default_allocator();
  scarce *s = ctx;
  if (new_size > 0 && s->left-- <= 0) return NULL;
  s->held += (long)new_size - (long)old_size;
  return below->resize(below->ctx, p, old_size, new_size);
}

/* The n-th allocation of a run fails, for every n: an error, and nothing is kept. */
static inline void assert_scarce(const char *text)
{
  hc_rc rc = HC_ENOMEM;
  for (long n = 0; rc == HC_ENOMEM; n++) {
    scarce s = {LONG_MAX, 0};
    const hc_allocator a = {&s, scarce_resize, NULL};
    hc_registry *registry;
    hc_config *config;
    hc_run *r = NULL;
    hc_error e = {0};
    check(hc_registry_new(hc_default_allocator(), &registry), &e);
    check(hc_config_new(hc_default_allocator(), registry, &config, &e), &e);
    check(hc_config_text(config, text, strlen(text), "test", &e), &e);
    check(hc_config_resolve(config, &e), &e);
    s.left = n;
    rc = hc_run_new(&a, config, NULL, &r, &e);
    if (rc >= 0) rc = hc_run_advance(r, HC_NEVER, 0, &e);
    if (rc >= 0) rc = hc_run_finish(r, &e);
    hc_run_free(r);
    assert_true(rc == 0 || rc == HC_ENOMEM);
    assert_int_equal(s.held, 0);
    hc_config_free(config);
    hc_registry_free(registry);
    assert_true(n < 5000);
  }
}

/* ---- figures ---- */

static inline double figure(world *w, const char *name)
{
  return hc_result_figure(w->result, "all", name);
}

static inline void near(double got, double want)
{
  if (!(got - want < 1e-9 && want - got < 1e-9)) fail_msg("got %.17g, expected %.17g", got, want);
}

#endif
