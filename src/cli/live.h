/* live.h -- a run that is watched on the terminal: what its files share. */
#ifndef HC_CLI_LIVE_H
#define HC_CLI_LIVE_H

#include "cli/screen.h"

/* ---- what has been, for the lines over time: live_series.c ---- */

enum { CLI_PIECES = 256 };

/** Means over pieces of virtual time from `from` on; when there is no room for more, two become one. */
typedef struct cli_series {
  hc_time from, width, last;                  /* last: up to when it is told; HC_UNKNOWN: nothing is */
  double load[CLI_PIECES], queue[CLI_PIECES]; /* sums of what was, times how long, in pieces */
  double now[2];                              /* what holds since `last` */
} cli_series;

/** It is `now`, and from here on the load and the queue are these. */
void cli_series_add(cli_series *s, hc_time now, double load, double queue);
/** Pieces in use, the last of them perhaps in part. */
size_t cli_series_count(const cli_series *s);
/** The mean of some pieces. @param values  load or queue */
double cli_series_mean(const cli_series *s, const double *values, size_t from, size_t to);

/* ---- why tasks wait: live_why.c ---- */

enum { CLI_LIVE_TASKS = 24 };

typedef struct cli_reason {
  uint64_t serial;
  bool is_new;      /* asked about again, and nothing heard since */
  char place[200];  /* "wants 8 processors, 3 free" */
  char reason[200]; /* what only the policy knows; empty: nothing */
} cli_reason;

/** Of the queued tasks that are seen one at a time is asked about; what was said of the others is kept. */
typedef struct cli_reasons {
  cli_reason items[CLI_LIVE_TASKS];
  size_t count, at; /* at: whose turn it is; count: all of them had theirs */
  uint64_t asked;   /* UINT64_MAX: none */
} cli_reasons;

/** These are seen now: if all had their turn, it goes round once more. */
void cli_reasons_see(cli_reasons *x, const hc_seen *seen);
/** Ask about the one whose turn it is, or about none. @return 0 or an error */
hc_rc cli_reasons_ask(cli_reasons *x, hc_run *run);
/** Why a task waits, as far as it was heard; NULL: nothing was. */
const char *cli_reasons_of(const cli_reasons *x, uint64_t serial);

/* ---- the picture: live_draw.c ---- */

typedef struct cli_live_picture {
  const char *name;
  hc_progress progress;
  hc_time clock; /* virtual; not before progress.now */
  hc_seen seen;
  bool is_world;
  const cli_series *series;
  const cli_reasons *reasons;
  double share, elapsed; /* of what is to be done; s, as if it had always gone as it goes now */
  double speed;          /* virtual seconds a second, as it is going; 0: not known */
  double wanted;         /* as was asked for; 0: as fast as it goes */
  bool is_paused, has_help;
  size_t columns, rows;
  bool is_ascii, has_weight;
} cli_live_picture;

/** How many tasks of each kind there is room for. */
size_t cli_live_room(const cli_live_picture *p);
/** @param out  emptied first */
void cli_live_draw(const cli_live_picture *p, hc_buffer *out);

#endif
