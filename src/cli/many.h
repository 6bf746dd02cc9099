/* many.h -- many runs of one command, beside each other, of which none leaves a file. */
#ifndef HC_CLI_MANY_H
#define HC_CLI_MANY_H

#include "cli/cli.h"

#define CLI_FLAG_JOBS \
  { \
    .name = "jobs", .letter = 'j', .metavar = "N", .help = "Runs at a time. Default: one a core." \
  }

typedef struct cli_many {
  hc_config *const *configs; /* [count] resolved, each with every task's row */
  size_t count;
  const char *what; /* for the progress line */
  /** Told of each run that came to its end, one at a time and in no order. The result is freed afterwards.
   *  @return 0 to go on */
  hc_rc (*take)(void *ctx, size_t which, hc_result *r, const cli_records *tasks);
  void *ctx;
} cli_many;

/** Carry them out, as many at a time as --jobs says. @return 0; HC_ECANCELLED; of runs that fail the error of
 *  one, which ends the others; what `take` returned */
hc_rc cli_many_run(cli *c, const cli_many *m);

/** One run whose result stays in memory. Free the result, then the store, in any case.
 *  @return as cli_many_run */
hc_rc cli_one_run(cli *c, hc_config *config, hc_store **store, hc_result **result, cli_records *tasks);

#endif
