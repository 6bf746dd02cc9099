/* embed.c -- a run inside a program: the inputs are texts in memory, and nothing of a system is needed.
 *
 *     cmake -S . -B build/core -DHC_CORE=ON && cmake --build build/core
 *     cc examples/embed.c -Iinclude build/core/libhindcast_core.a -o build/embed && build/embed
 *
 * Six jobs on a machine of eight processors, under first come, first served and under EASY: what the second
 * gains, a digest of each schedule, and the tasks of the last as a table. */
#include <stdio.h>
#include <string.h>

#include "hindcast/embed.h"

/* Job, submitted (s), wait, ran (s), processors, -, -, asked, limit (s), -, state, user ... */
static const char log_text[] = "; MaxProcs: 8\n"
                               "1  0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n"
                               "2 10 -1 100 8 -1 -1 8 100 -1 1 2 1 1 1 1 -1 -1\n"
                               "3 20 -1  50 4 -1 -1 4  50 -1 1 3 1 1 1 1 -1 -1\n"
                               "4 30 -1  60 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n"
                               "5 40 -1  20 2 -1 -1 2  20 -1 1 2 1 1 1 1 -1 -1\n"
                               "6 50 -1  10 1 -1 -1 1  10 -1 1 3 1 1 1 1 -1 -1\n";
static const char run_text[] = "source: log.swf\n";

/* @return 0, or a code that hc_embed_error says more of. */
static int run_policy(hc_embedded *x, const char *assignment, double *wait)
{
  int rc = hc_embed_reset(x);
  if (rc >= 0) rc = hc_embed_configure(x, "run.yaml");
  if (rc >= 0) rc = hc_embed_set(x, assignment);
  if (rc >= 0) rc = hc_embed_begin(x);
  while (rc >= 0 && (rc = hc_embed_step(x, 1000)) == 1) {
    /* a page would show hc_embed_progress(x) here, and might stop */
  }
  if (rc < 0) return rc;
  *wait = hc_embed_figure(x, "all", "wait_mean");
  (void)printf("%-22s mean wait %6.2f s, schedule %s\n", assignment, *wait, hc_embed_digest(x, true));
  return 0;
}

int main(void)
{
  hc_embedded *x = hc_embed_new(NULL);
  double fcfs = 0, easy = 0;
  if (!x) return 2;
  int rc = hc_embed_text(x, "log.swf", log_text, strlen(log_text));
  if (rc >= 0) rc = hc_embed_text(x, "run.yaml", run_text, strlen(run_text));
  if (rc >= 0) rc = run_policy(x, "policy=fcfs+blocking", &fcfs);
  if (rc >= 0) rc = run_policy(x, "policy=fcfs+easy", &easy);
  const char *table = rc >= 0 ? hc_embed_export(x, "csv", "table=tasks") : NULL;
  if (table) (void)printf("EASY saves %.2f s a job.\n%s", fcfs - easy, table);
  else (void)fprintf(stderr, "%s\n", hc_embed_error(x));
  hc_embed_free(x);
  return table ? 0 : 1;
}
