/* study_stats.h -- the subcommands of `hindcast study` that ask a study's store, and what they share. */
#ifndef HC_CLI_STUDY_STATS_H
#define HC_CLI_STUDY_STATS_H

#include "cli/cli.h"

extern const cli_command cli_study_table, cli_study_compare, cli_study_best, cli_study_check, cli_study_shake;

extern const cli_flag cli_study_flags[];      /* --where, --over, --level, --higher, --lower, --markdown */
extern const cli_flag cli_study_axis_flags[]; /* --figure, --axis */

/* What the flags ask, as a query without a figure. */
typedef struct cli_question {
  hc_study_data *data;
  const char **figures, **axes, **where, **over, **higher, **lower;
  size_t figure_count, axis_count, where_count, over_count, higher_count, lower_count;
  double level;
  const char *repeats; /* the axis that is sampled where --over does not say it; NULL: replication */
} cli_question;

/** A study's store; while there is none, what is known of its points, with a note that says of how many. */
hc_rc cli_study_load(cli *c, const char *path, hc_study_data **out);
/** Open the store (first operand) and read the shared flags. Close it even if this failed. */
hc_rc cli_question_open(cli *c, cli_question *q);
void cli_question_close(cli *c, cli_question *q);
/** Every value of a flag that may be given again, or be a list with commas: "a,b". Borrowed from the line. */
hc_rc cli_values(cli *c, const char *name, const char ***out, size_t *count);
void cli_values_free(const char **values, size_t count);
hc_study_query cli_question_query(const cli_question *q, const char *figure);
/** One of the words of a flag by its number; `out` untouched if it was not given. */
hc_rc cli_word(cli *c, const char *name, const char *const *words, size_t count, int *out);
/** A share: "5%" or 0.05. */
hc_rc cli_share(cli *c, const char *name, double *out);
/** Whether the levels of an axis are the samples. */
bool cli_question_samples(const cli_question *q, const char *axis);
/** Find the axis of repetitions where --over does not say it and there are no replications: the only one of
 *  more than one level that is `shake` or a seed, and is not compared. @return 0; HC_EUSAGE: there are
 *  several */
hc_rc cli_question_repeats(cli *c, cli_question *q);
/** The first axis of more than one level that is not sampled; NULL. */
const char *cli_question_axis(const cli_question *q);

/** Say, in text, which levels have lost every point: what is asked over all levels of their axis has then no
 *  answer. */
void cli_study_losses(cli *c, const cli_question *q);
/** A table in the command's format, --markdown included. Text and Markdown have the title above. */
void cli_study_show(cli *c, const cli_table *t, const char *title);
/** "of <=0.5 ..., over 100 replications": what the intervals are. */
void cli_study_title(hc_buffer *out, const cli_question *q, const char *figure, const char *unit,
                     int direction);
/** "12.3 ± 0.4", with the digits that the half width deserves. `out` [80]. */
void cli_plus_minus(const hc_stat_mean *m, char *out);
/** The table of `study compare`, and that of the verdicts of `study check`. */
enum { CLI_DIFFERENCE_COLUMNS = 15, CLI_VERDICT_COLUMNS = 7 };
extern const cli_column cli_difference_columns[CLI_DIFFERENCE_COLUMNS];
extern const cli_column cli_verdict_columns[CLI_VERDICT_COLUMNS];
void cli_add_differences(cli_table *t, const hc_study_differences *s);
void cli_add_verdict(cli_table *t, const hc_statement *x);
/** A p value for people: "<0.0001". */
void cli_add_p(cli_table *t, double p);

#endif
