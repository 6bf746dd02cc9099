/* many.c -- see many.h.
 *
 * A thread takes the next run when it has done one. Runs share nothing that is written to: each has its
 * configuration and its store, in memory. What is made of a result is made by one thread at a time. The
 * numbers of runs, not the order in which they come to their end, say where results go, so that `--jobs`
 * changes none. */
#define _GNU_SOURCE
#include "cli/many.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STRIDE 2048     /* instants between two looks at the signals */
#define LOOK 200000000L /* ns between two looks at the line */

typedef struct gang {
  cli *c;
  const cli_many *m;
  pthread_mutex_t lock; /* of all below, and of the cli */
  pthread_cond_t changed;
  size_t next, done;
  double going;   /* shares of runs that are under way, together */
  size_t working; /* threads */
  hc_rc rc;
  hc_error error; /* of the first that failed */
} gang;

static bool is_over(gang *g)
{
  (void)pthread_mutex_lock(&g->lock);
  const bool over = g->rc < 0;
  (void)pthread_mutex_unlock(&g->lock);
  return over || cli_interrupted();
}

static void add_going(gang *g, double share)
{
  (void)pthread_mutex_lock(&g->lock);
  g->going += share;
  (void)pthread_mutex_unlock(&g->lock);
}

/* @param line  NULL, or where the only run tells how far it has come */
static hc_rc advance(gang *g, hc_run *run, cli_progress *line, hc_error *e)
{
  double share = 0;
  hc_rc rc;
  while ((rc = hc_run_advance(run, HC_NEVER, STRIDE, e)) == 1) {
    hc_progress p;
    hc_run_progress(run, &p);
    const double now = cli_run_share(&p, HC_NEVER);
    add_going(g, now - share);
    share = now;
    if (line) cli_progress_run(line, run);
    if (is_over(g)) hc_run_cancel(run);
  }
  add_going(g, -share);
  return rc < 0 ? rc : hc_run_finish(run, e);
}

/* @param store  out: with the rows of a run that came to its end */
static hc_rc simulate(gang *g, hc_config *config, cli_progress *line, hc_store **store, hc_error *e)
{
  hc_run *run = NULL;
  hc_rc rc = hc_store_new(g->c->allocator, NULL, store, e);
  if (rc < 0) return rc;
  rc = hc_run_new(g->c->allocator, config, *store, &run, e);
  if (rc >= 0) rc = advance(g, run, line, e);
  hc_run_free(run);
  return rc;
}

static hc_rc read_result(cli *c, hc_store *store, hc_result **result, cli_records *tasks)
{
  CLI_TRY(hc_result_of_store(store, result, &c->error));
  return cli_records_load(c, *result, tasks);
}

/* Under the lock. */
static hc_rc hand_in(gang *g, size_t which, hc_store *store)
{
  cli_records tasks = {0};
  hc_result *result = NULL;
  hc_rc rc = read_result(g->c, store, &result, &tasks);
  if (rc >= 0) rc = g->m->take(g->m->ctx, which, result, &tasks);
  if (rc < 0) g->error = g->c->error;
  cli_records_fini(g->c, &tasks);
  hc_result_free(result);
  return rc;
}

static void work_on(gang *g, size_t which)
{
  hc_store *store = NULL;
  hc_error e = {0};
  hc_rc rc = simulate(g, g->m->configs[which], NULL, &store, &e);
  (void)pthread_mutex_lock(&g->lock);
  if (rc >= 0 && g->rc >= 0) {
    rc = hand_in(g, which, store);
    e = g->error;
  }
  if (rc < 0 && g->rc >= 0) {
    g->rc = rc;
    g->error = e;
  }
  g->done++;
  (void)pthread_cond_signal(&g->changed);
  (void)pthread_mutex_unlock(&g->lock);
  hc_store_free(store);
}

static void *work(void *ctx)
{
  gang *g = ctx;
  for (;;) {
    (void)pthread_mutex_lock(&g->lock);
    const size_t which = g->next;
    const bool over = which == g->m->count || g->rc < 0 || cli_interrupted();
    g->next += !over;
    g->working -= over;
    (void)pthread_cond_signal(&g->changed);
    (void)pthread_mutex_unlock(&g->lock);
    if (over) return NULL;
    work_on(g, which);
  }
}

static size_t threads_wanted(cli *c, size_t runs, hc_rc *rc)
{
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t jobs = cores > 0 ? cores : 1;
  *rc = cli_int(c, "jobs", 1, 1024, &jobs);
  return (size_t)jobs < runs ? (size_t)jobs : runs;
}

static void watch(gang *g)
{
  cli_progress line;
  cli_progress_begin(&line, g->c, g->m->what);
  (void)pthread_mutex_lock(&g->lock);
  while (g->working > 0) {
    struct timespec until;
    (void)cli_progress_share(&line, ((double)g->done + g->going) / (double)g->m->count, NULL);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (until.tv_nsec + LOOK) / 1000000000;
    until.tv_nsec = (until.tv_nsec + LOOK) % 1000000000;
    (void)pthread_cond_timedwait(&g->changed, &g->lock, &until);
  }
  (void)pthread_mutex_unlock(&g->lock);
  cli_progress_end(&line);
}

hc_rc cli_many_run(cli *c, const cli_many *m)
{
  gang g = {.c = c, .m = m};
  size_t count, begun = 0;
  pthread_t *threads;
  hc_rc rc;
  count = threads_wanted(c, m->count, &rc);
  if (rc < 0 || count == 0) return rc;
  threads = calloc(count, sizeof *threads);
  if (!threads) return cli_fail(c, HC_ENOMEM, "out of memory for the runs");
  cli_listen();
  (void)pthread_mutex_init(&g.lock, NULL);
  (void)pthread_cond_init(&g.changed, NULL);
  g.working = count;
  while (begun < count && pthread_create(&threads[begun], NULL, work, &g) == 0) begun++;
  (void)pthread_mutex_lock(&g.lock);
  g.working -= count - begun;
  (void)pthread_mutex_unlock(&g.lock);
  if (begun == 0) { /* no thread is to be had */
    g.working = 1;
    (void)work(&g);
  }
  watch(&g);
  for (size_t i = 0; i < begun; i++) (void)pthread_join(threads[i], NULL);
  (void)pthread_cond_destroy(&g.changed);
  (void)pthread_mutex_destroy(&g.lock);
  free(threads);
  if (g.rc < 0) c->error = g.error;
  return g.rc < 0 ? g.rc : cli_interrupted() ? HC_ECANCELLED : 0;
}

hc_rc cli_one_run(cli *c, hc_config *config, hc_store **store, hc_result **result, cli_records *tasks)
{
  gang g = {.c = c};
  cli_progress line;
  hc_rc rc;
  (void)pthread_mutex_init(&g.lock, NULL);
  cli_listen();
  cli_progress_begin(&line, c, "running");
  rc = simulate(&g, config, &line, store, &c->error);
  cli_progress_end(&line);
  (void)pthread_mutex_destroy(&g.lock);
  if (rc >= 0) rc = read_result(c, *store, result, tasks);
  return rc < 0 ? rc : cli_interrupted() ? HC_ECANCELLED : 0;
}
