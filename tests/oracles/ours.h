/* ours.h -- our side of a comparison: a configuration from text, its run to the end, and each task of it.
 *
 * What is held against another program's run lies in a struct, all of it made by run_ours, or its
 * configuration alone by configure_ours for what is only read; free_ours gives back as much as was made.
 * Whatever goes wrong fails the test. */
#ifndef HC_TEST_OURS_H
#define HC_TEST_OURS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hindcast/hindcast.h"

typedef struct our_run {
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_result *result;
} our_run;

static inline void check(hc_rc rc, const hc_error *e)
{
  if (rc < 0) fail_msg("%s:%u: %s", e->where, e->line, e->text);
}

/* @param from  what an error in the text is said to be in */
static inline void configure_ours(const char *text, const char *from, our_run *o)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  *o = (our_run){0};
  check(hc_registry_new(a, &o->registry), &e);
  check(hc_config_new(a, o->registry, &o->config, &e), &e);
  check(hc_config_text(o->config, text, strlen(text), from, &e), &e);
}

/* The tasks that the configuration reads, to be closed before it is freed. */
static inline hc_trace *open_ours(const our_run *o)
{
  const hc_trace_options options = {.mode = HC_TRACE_TASKS};
  hc_trace *trace;
  hc_error e = {0};
  check(hc_trace_open(hc_default_allocator(), o->config, &options, &trace, &e), &e);
  return trace;
}

/* What is configured, run to its end. */
static inline void finish_ours(our_run *o)
{
  const hc_allocator *a = hc_default_allocator();
  hc_error e = {0};
  check(hc_store_new(a, NULL, &o->store, &e), &e);
  check(hc_run_new(a, o->config, o->store, &o->run, &e), &e);
  check(hc_run_advance(o->run, HC_NEVER, 0, &e), &e);
  check(hc_run_finish(o->run, &e), &e);
  check(hc_result_of_store(o->store, &o->result, &e), &e);
}

static inline void run_ours(const char *text, our_run *o)
{
  configure_ours(text, "oracle", o);
  finish_ours(o);
}

static inline void free_ours(our_run *o)
{
  hc_result_free(o->result);
  hc_run_free(o->run);
  hc_store_free(o->store);
  hc_config_free(o->config);
  hc_registry_free(o->registry);
}

/* Every task of the result, as records come: some at a time. */
static inline void each_of_ours(const our_run *o, void (*look)(void *ctx, const hc_task_record *t), void *ctx)
{
  hc_task_record records[256];
  hc_error e = {0};
  size_t n;
  for (bool first = true;; first = false) {
    check(hc_result_tasks(o->result, first, records, 256, &n, &e), &e);
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) look(ctx, &records[i]);
  }
}

#endif
