/* compare.h -- what the files of `hindcast compare` share, and `hindcast report` takes of them. */
#ifndef HC_CLI_COMPARE_H
#define HC_CLI_COMPARE_H

#include "cli/cli.h"

/** Append a line for each thing that sets a result apart from the first: machine, inputs, workload. Results
 *  whose schedules came from other programs say nothing. @return 0, HC_EIO, HC_ENOMEM */
hc_rc cli_compare_notes(cli *c, const cli_schedule *s, size_t count, hc_buffer *out);
void cli_show_notes(const hc_buffer *notes, hc_buffer *out);    /* as lines behind what is there */
void cli_json_notes(hc_json_writer *j, const hc_buffer *notes); /* as a list; the buffer is cut up */

/** A task in two schedules. */
typedef struct cli_pair {
  const hc_task_record *a, *b;
} cli_pair;

typedef struct cli_pairing {
  cli_pair *pairs; /* [count] in order of submission; the caller's to free */
  size_t count;
  uint64_t only_a, only_b;
  bool by_id;
} cli_pairing;

/** Tasks by serial if both sides have the same ones, else by job id and submission. @return 0 or HC_ENOMEM */
hc_rc cli_match(cli *c, const cli_schedule *a, const cli_schedule *b, cli_pairing *out);

/* ---- figures side by side, and task by task: compare_tables.c ---- */

#define CLI_BATCHES 30u /* that intervals are made of, unless it is said otherwise */

typedef struct cli_compare_options {
  bool by_wait;       /* by what a task counts as another one: its wait, not its start */
  bool alone;         /* means of each result by itself, too */
  bool verdicts;      /* p values and verdicts beside the differences */
  bool figures_alone; /* nothing task by task: some result has not all rows */
  int64_t jobs;       /* so many tasks that differ are listed */
  int64_t batches;    /* batch means of an interval */
  double tau;         /* s, of the bounded slowdown */
} cli_compare_options;

/** Means with their intervals: differences of a result to the first, or a result by itself. */
typedef struct cli_difference {
  hc_estimate wait, slowdown;
  double wait_p, slowdown_p; /* of the t test over the batch means; NaN: too few tasks */
  uint64_t differ, pairs, unmatched; /* unmatched: tasks that only one of them has */
} cli_difference;

typedef struct cli_comparison {
  cli_table figures, alone, paired, jobs;
  hc_buffer notes;             /* lines: what sets the results apart */
  cli_column *columns;         /* of `figures` */
  cli_difference *means;       /* [count] with options.alone */
  cli_difference *differences; /* [count] to the first, which has none */
  bool are_equal;              /* every task starts when it does in the first */
} cli_comparison;

/** Free it also if this failed. @return 0, HC_EUSAGE (nothing in common), HC_ENOMEM, or what reading said */
hc_rc cli_compare_tables(cli *c, const cli_compare_options *o, const cli_schedule *s, size_t count,
                         cli_comparison *out);
void cli_comparison_free(cli_comparison *x);
/** What all names begin with, up to a separator, says nothing beside each other: KTH-easy and KTH-sjf+easy
 *  become easy and sjf+easy. */
void cli_shorten_names(cli_schedule *s, size_t count);

enum { CLI_LEAST_TASKS = 5 }; /* that a verdict is given of */

/** The t test over the batch means that hc_estimate_mean makes its interval of.
 *  @param p  NaN: fewer values than CLI_LEAST_TASKS @return 0, HC_ENOMEM */
hc_rc cli_test_batches(cli *c, const double *values, size_t count, uint32_t batches, double *p);
void cli_add_batch_p(cli_table *t, double p); /* "<0.0001" for people */

/* ---- group by group: compare_by.c ---- */

/** "start" and "wait" after --by say what --differ does. */
bool cli_is_differ(const char *value);
/** `compare --by`: which groups lose and which gain, each result against the first. */
hc_rc cli_compare_by(cli *c, const cli_schedule *s, size_t count, uint32_t batches, double tau);

/** Takes the table of one result against the first. */
typedef struct cli_group_taker {
  /* @param title  what groups are called; @param counts  how many lose and gain, as a sentence */
  hc_rc (*take)(void *ctx, const char *name, const char *title, const cli_table *t, const char *counts);
  void *ctx;
} cli_group_taker;
/** The same tables by one word, handed over one by one: those that lose most hours first. Where no task ended
 *  in both results the table is empty. */
hc_rc cli_compare_groups(cli *c, const cli_schedule *s, size_t count, const char *word,
                         const cli_group_taker *taker);

#endif
