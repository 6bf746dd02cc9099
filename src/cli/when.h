/* when.h -- what the files of `hindcast when` share. */
#ifndef HC_CLI_WHEN_H
#define HC_CLI_WHEN_H

#include "cli/cli.h"

/* ---- how long jobs ran: when_history.c ---- */

typedef struct cli_sample {
  uint32_t user, name; /* numbers of their texts; 0: not known */
  hc_time run, limit;  /* ns; limit HC_UNKNOWN: none */
  int64_t end;         /* Unix seconds; HC_UNKNOWN */
} cli_sample;

typedef struct cli_history {
  cli *c;
  char **texts; /* [text_count] names of users and jobs, from 1 */
  size_t text_count, text_cap;
  uint32_t *slots; /* [slot_count] a table of them by hash */
  size_t slot_count;
  cli_sample *samples;          /* [count] by user, name and end */
  cli_sample *by_user, *by_end; /* [count] the same by user and end, by end */
  size_t count, cap;
} cli_history;

/** The number of a name, added if it is new. @param text  NULL: the number is the name
 *  @return 0 or HC_ENOMEM */
hc_rc cli_history_name(cli_history *h, const char *text, int64_t number, uint32_t *out);
hc_rc cli_history_add(cli_history *h, const cli_sample *s);
/** All are there. @return 0 or HC_ENOMEM */
hc_rc cli_history_sort(cli_history *h);
void cli_history_close(cli_history *h);

/** What is known of a job whose run time is to be drawn. */
typedef struct cli_runner {
  uint32_t user, name;
  hc_time limit;   /* ns; HC_UNKNOWN: none */
  hc_time elapsed; /* ns; 0: it waits */
} cli_runner;

#define CLI_CANDIDATES 512 /* latest jobs that are drawn from */
#define CLI_ENOUGH 5       /* below so many the next wider group is looked at */

/** Run times of jobs like this one that ended by a time (Unix seconds), scaled to its limit, longer than it
 *  has run: of its user and name, else of its user, else of all. out [CLI_CANDIDATES] @return how many; 0:
 *  none, so that only its limit is known */
size_t cli_history_like(const cli_history *h, const cli_runner *r, int64_t until, hc_time *out);

/* ---- what runs and waits at a moment: when_queue.c ---- */

/** A job of the queue. */
typedef struct cli_queued {
  char *label;             /* what its source calls it */
  int64_t user, partition; /* numbers of the source, for their names */
  char *user_name, *partition_name;
  int64_t units;  /* processors or nodes that it asks for */
  hc_time submit; /* ns from the origin of the source */
  hc_time real;   /* when it started in the record; HC_UNKNOWN */
  bool waits;
} cli_queued;

typedef struct cli_moment {
  cli *c;
  cli_queued *jobs; /* [count] in order of arrival; the id of each in its runs is its place */
  size_t count, cap, waiting;
  hc_time now;        /* ns from the origin */
  int64_t unix_start; /* of the origin */
  size_t draws;
  hc_buffer *texts; /* [draws] the queue in the native format, with run times drawn */
  hc_time *starts;  /* [count * draws] HC_UNKNOWN: it does not start */
} cli_moment;

/** Gather the queue at a moment, and draw run times.
 *  @param config  resolved; its source is a live queue, or a log that is looked at as it was at `at`
 *  @param at  ns from the log's origin; HC_UNKNOWN: a live queue
 *  @return 0; HC_EUSAGE; as hc_trace_open */
hc_rc cli_moment_open(cli *c, hc_config *config, const cli_history *h, hc_time at, size_t draws,
                      uint64_t seed, cli_moment *out);
void cli_moment_close(cli_moment *m);
/** Shares of the draws by which a waiting job has started: quantile, ns; HC_NEVER: it has not. */
hc_time cli_moment_quantile(const cli_moment *m, size_t job, double share);

/* ---- inputs in memory: texts.c ---- */

/** Files that are texts of this program beside those of the system. */
typedef struct cli_texts {
  hc_allocator allocator; /* with these files */
  hc_files files;
  hc_texts *texts;
} cli_texts;
hc_rc cli_texts_open(cli *c, cli_texts *out);
void cli_texts_close(cli_texts *t);

/* ---- the command ---- */

typedef struct cli_when {
  cli *c;
  cli_texts texts;
  cli_history history;
  hc_config *log; /* the site's, with the history as source */
  char zone[64];  /* "": none is said */
  int64_t procs;  /* of a machine that the log alone knows; 0: the site says its own */
  size_t draws;
  int64_t seed;
  int32_t offset; /* s east of UTC, at the origin of the last moment */
} cli_when;

/** Carry the draws of a moment out, and note the starts.
 *  @param is_live  events of the site are of other times
 *  @return 0, as cli_many_run */
hc_rc cli_when_draw(cli_when *w, cli_moment *m, bool is_live);

/* Jobs of the record that waited. */
typedef struct cli_waited {
  hc_time *at; /* [count] when half of its wait was over, ns from the origin, by submission */
  size_t count, cap;
  hc_time first, last; /* submissions */
} cli_waited;

/** Predict at so many moments of the last month in which jobs waited, or of the last three quarters of a
 *  shorter log, and say how far it held. @return 0; HC_EUSAGE: no job waited; as cli_when_draw */
hc_rc cli_when_calibrate(cli_when *w, const cli_waited *x, size_t moments);

#endif
