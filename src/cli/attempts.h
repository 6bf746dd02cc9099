/* attempts.h -- what the tasks of a result held, from when to when, in every attempt and not the last alone.
 *
 * A task's row has its last attempt. Of the others the tables `stops` and `attempts` say when they were; of a
 * plan's suspensions `rates`, and of its resizes `regrants`. Attempts that were resized by no plan are taken
 * to have had the units that the row has. */
#ifndef HC_CLI_ATTEMPTS_H
#define HC_CLI_ATTEMPTS_H

#include "cli/cli.h"

typedef struct cli_attempt {
  int64_t serial;
  hc_time start, end;
} cli_attempt;

/* From then on it holds so much: units -1, or holds -1, are as they were. */
typedef struct cli_holding {
  int64_t serial;
  hc_time at;
  size_t place; /* as it was read */
  int64_t units;
  int holds;
} cli_holding;

typedef struct cli_attempts {
  cli *c;
  hc_result *r;
  cli_attempt *items; /* [count] without the last ones, by serial and start */
  size_t count, cap;
  cli_holding *changes; /* [change_count] by serial, and for one in order of time */
  size_t change_count, change_cap;
  bool are_unknown; /* tasks changed their own demand, and what they held is not said in units */
} cli_attempts;

/** Read the tables. @return 0, HC_EINPUT (a damaged file), HC_ENOMEM; cli_attempts_fini is called in either
 *  case. Cost: O(rows log rows); 24 bytes an attempt, 40 a suspension or resize. */
hc_rc cli_attempts_read(cli *c, hc_result *r, cli_attempts *out);
void cli_attempts_fini(cli_attempts *a);
/** The attempts of a task before its last one. @return how many lie at `out`, which is borrowed */
size_t cli_attempts_of(const cli_attempts *a, int64_t serial, const cli_attempt **out);
/** What was held in an attempt, piece by piece. A piece in which it held nothing is left out.
 *  @param units  at its beginning */
void cli_attempt_pieces(const cli_attempts *a, const cli_attempt *of, int64_t units,
                        void (*each)(void *ctx, hc_time from, hc_time to, int64_t units), void *ctx);

#endif
