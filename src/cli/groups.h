/* groups.h -- what `show --by` and `compare --by` share: the flags that say how tasks are grouped, and what a
 * group is called. */
#ifndef HC_CLI_GROUPS_H
#define HC_CLI_GROUPS_H

#include "cli/cli.h"

/* Rows of their tables of flags. */
#define CLI_BY_WORDS \
  "user|group|account|executable|queue|qos|partition|month|day|weekday|hour|size|estimate|all"
#define CLI_FLAG_SIZES \
  { \
    .name = "sizes", .metavar = "N,N...", \
    .help = \
        "With --by size: the upper limits of the classes, in processors, or in cores on hosts. Default: " \
        "powers of two." \
  }
#define CLI_FLAG_ESTIMATES \
  { \
    .name = "estimates", .metavar = "TIME,TIME...", \
    .help = \
        "With --by estimate: the upper limits of the classes, such as 10m,1h,1d. Default: powers of ten of " \
        "seconds." \
  }
#define CLI_FLAG_LIMIT \
  { \
    .name = "limit", .metavar = "N", .help = "With --by: show the first N groups only. Default: all." \
  }
#define CLI_FLAG_MARKDOWN_BY \
  { \
    .name = "markdown", .help = "With --by: print a Markdown table." \
  }
#define CLI_FLAG_LATEX_BY \
  { \
    .name = "latex", \
    .help = "With --by: print a table for LaTeX: a tabular, what stands around it as comments." \
  }

/** How tasks are told apart, as --by, --sizes, --estimates and --tau ask. */
typedef struct cli_by {
  const char **by; /* [by_count] borrowed from the line */
  size_t by_count;
  int64_t *sizes;
  size_t size_count;
  hc_time *estimates;
  size_t estimate_count;
  hc_time tau;                  /* 0: not said */
  bool has_parts;               /* sizes need not be whole: cores of hosts */
  bool has_accounts, has_qoses; /* some task has one beside its group, or queue */
  hc_grouping *grouping;
  hc_result *result; /* whose names are shown; NULL: there are none */
  uint32_t dimensions;
} cli_by;

/** Read the flags. @param r  whose calendar and machine it is; NULL: a schedule of another program, which has
 *  no dates. Close it even if this failed. @return 0, HC_EUSAGE, HC_ENOMEM */
hc_rc cli_by_open(cli *c, hc_result *r, cli_by *out);
/** The same by one word or expression, whatever --by says. @return as cli_by_open */
hc_rc cli_by_open_word(cli *c, hc_result *r, const char *word, cli_by *out);
void cli_by_close(cli_by *b);

/** Columns for the dimensions; for people by the source's words ("project" for group). */
void cli_by_columns(const cli_by *b, cli_column *columns);
/** What a dimension is called for people: by the source's word. */
const char *cli_by_title(const cli_by *b, uint32_t dimension);
/** What a group is in a dimension, into the next cell: the only place where a number becomes what people call
 *  it. Programs get a name where there is one, else the number, a date, a class as "3-4"; nothing where it is
 *  not known. Among accounts a group is "group staff". */
void cli_add_group(cli_table *t, const cli_by *b, uint32_t dimension, const hc_group_value *v);
/** The same of all that have no row of their own, into the next cells. */
void cli_add_rest(cli_table *t, const cli_by *b, uint64_t groups, bool at_least);

/** The flags of `show --by` and `analyze --by`. */
extern const cli_flag cli_by_flags[];

/** What --figures asks for: `all` without its sets, figure by figure; `named` those that stand there by name.
 *  "all" is a name. */
typedef struct cli_figures {
  hc_buffer all, named;
} cli_figures;
/** @param usual  without the flag. Free it even if this failed. @return 0, HC_ENOMEM */
hc_rc cli_figures_read(cli *c, const char *usual, cli_figures *out);
void cli_figures_free(cli_figures *f);
bool cli_figures_named(const cli_figures *f, const char *figure);
/** What a log must say for this figure to have a value; NULL: nothing that a log may lack. */
const char *cli_figure_lacks(const char *figure);

/** Flags that are for --by alone. @return 0; HC_EUSAGE: one is there without it */
hc_rc cli_by_check(cli *c);
/** `show --by`: figures by group, from the task rows, or else from a table that the run stored. */
hc_rc cli_show_by(cli *c, hc_result *r);
/** What is shown where flags do not say it; each may be NULL. */
typedef struct cli_by_usual {
  const char *by, *figures, *sort;
  int64_t limit; /* 0: all */
} cli_by_usual;
hc_rc cli_show_by_as(cli *c, hc_result *r, const cli_by_usual *usual);

#endif
