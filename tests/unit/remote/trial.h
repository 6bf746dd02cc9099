/* trial.h -- a run by the record of a session with a scheduler, and what came of it: for tests of remote/.
 *
 * Two machines, two jobs of 5 s that are submitted at 10, messages that take 1 s, one at a time. The
 * submitter greets (taken at 1), the scheduler is ready (2), the jobs are sent at 10 and taken at 11, that
 * no more come at 12, where the scheduler is called. A start that it wants then is taken at 13, its word
 * that it is ready behind it at 14; the job ends at 18, which is told at 19. */
#ifndef HC_TEST_TRIAL_H
#define HC_TEST_TRIAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "hindcast/hindcast.h"

/* A test says before what its files are called; it may give more to job b, the workload, the hosts and the
 * configuration. */
#define WORKLOAD TRIAL "_workload.json"
#define SESSION TRIAL "_session.txt"
#ifndef TRIAL_OF_B
#define TRIAL_OF_B ""
#define TRIAL_PROFILES ""
#define TRIAL_HOST ""
#endif
#ifndef TRIAL_ASKS
#define TRIAL_ASKS "may_preempt"
#define TRIAL_MORE ""
#endif
#ifndef TRIAL_SOURCE
#define TRIAL_SOURCE ""
#endif
#ifndef TRIAL_MESSAGES
#define TRIAL_MESSAGES ""
#endif

static const char workload_text[] =
    "{\"nb_res\": 2, \"jobs\": [\n"
    "  {\"id\": \"b\", \"subtime\": 10, \"res\": 2, \"profile\": \"d5\"" TRIAL_OF_B "},\n"
    "  {\"id\": \"a\", \"subtime\": 10, \"walltime\": 20, \"res\": 1, \"profile\": \"d5\",\n"
    "   \"mine\": [1, \"x\"]}],\n"
    " \"profiles\": {\"d5\": {\"type\": \"delay\", \"delay\": 5}" TRIAL_PROFILES "}}\n";

static const char configuration[] =
    "source: {use: batsim, file: " WORKLOAD ", ties: id, executables: profiles" TRIAL_SOURCE "}\n"
    "cell: {use: hosts, classes: [{count: 2, name_prefix: m, cpus: 1" TRIAL_HOST "}]}\n"
    "architecture: {use: messages, latency: 1s" TRIAL_MESSAGES "}\n"
    "policy: {use: outside, asks: [" TRIAL_ASKS "]}\nparanoid: true\n" TRIAL_MORE;

typedef struct trial {
  hc_rc rc;
  hc_error error;
  hc_remote_report report;
  hc_task_record tasks[4];
  size_t count;
  char metadata[64];
  double energy; /* J; NaN: it was not counted */
} trial;

static void write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
}

static hc_rc take_info(void *ctx, const char *const *values)
{
  trial *t = ctx;
  if (strcmp(values[0], "metadata/0") == 0) (void)snprintf(t->metadata, sizeof t->metadata, "%s", values[1]);
  return 0;
}

static void read_result(hc_store *store, trial *t)
{
  hc_error e = {0};
  hc_result *r;
  assert_int_equal(hc_result_of_store(store, &r, &e), 0);
  assert_int_equal(hc_result_tasks(r, true, t->tasks, HC_ARRAY_LEN(t->tasks), &t->count, &e), 0);
  assert_int_equal(hc_result_rows(r, "run_info", 2, take_info, t, &e), 0);
  t->energy = hc_result_figure(r, "all", "energy");
  hc_result_free(r);
}

/* A run. @param session the record that it goes by; NULL: a scheduler is there @param o all but its files */
static trial run_trial(const char *session, hc_batsim_options o)
{
  const hc_allocator *a = hc_default_allocator();
  trial t = {.rc = 0};
  hc_registry *registry;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  write_file(WORKLOAD, workload_text);
  if (session) write_file(SESSION, session);
  o.workload = WORKLOAD;
  if (session) o.remote.replay = SESSION;
  assert_int_equal(hc_registry_new(a, &registry), 0);
  assert_int_equal(hc_config_new(a, registry, &config, &t.error), 0);
  assert_int_equal(hc_config_text(config, configuration, strlen(configuration), "test", &t.error), 0);
  assert_int_equal(hc_store_new(a, NULL, &store, &t.error), 0);
  t.rc = hc_run_new(a, config, store, &run, &t.error);
  if (t.rc < 0) fail_msg("%s: %s", t.error.where, t.error.text);
  t.rc = hc_remote_batsim(a, run, store, &o, &t.report, &t.error);
  if (t.rc >= 0) t.rc = hc_run_finish(run, &t.error);
  if (t.rc >= 0) read_result(store, &t);
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
  (void)unlink(WORKLOAD);
  if (session) (void)unlink(SESSION);
  return t;
}

/* An answer that ends the run, and what is said of it. */
typedef struct refusal {
  const char *answer;
  hc_rc rc;
  const char *says;
} refusal;

static inline void is_refused(const trial *t, const refusal *r)
{
  if (t->rc != r->rc || !strstr(t->error.text, r->says))
    fail_msg("%s comes to %d, \"%s\", and not to %d, \"%s\"", r->answer, t->rc, t->error.text, r->rc,
             r->says);
}

static void is_task(const trial *t, size_t k, int64_t id, double start, double end, hc_final final)
{
  assert_in_range(k, 0, t->count - 1);
  assert_int_equal(t->tasks[k].id, id);
  assert_int_equal(t->tasks[k].start, (hc_time)(start * 1e9));
  assert_int_equal(t->tasks[k].end, (hc_time)(end * 1e9));
  assert_int_equal(t->tasks[k].final, final);
}

#endif
