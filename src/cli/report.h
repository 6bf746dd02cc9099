/* report.h -- what the files of `hindcast report` share.
 *
 * The page is built from report/ at the project's top and is part of the command. What is put into it is
 * one JSON document, its head (report_head.c: texts, tables, what the page rests on; report_sentence.c:
 * what can be said in a sentence; report_stories.c: why tasks waited), and for each run the exporter
 * `columns`. */
#ifndef HC_CLI_REPORT_H
#define HC_CLI_REPORT_H

#include "cli/compare.h"
#include "cli/why.h"

/* One result of the page. */
typedef struct cli_report_run {
  cli_schedule schedule; /* its records are empty where the result has not a row for every task */
  bool has_rows;         /* it has a row for every task, and there is one */
  bool is_empty;         /* it has no task */
  bool is_untold;        /* no story can be told of it */
  char digest[33];
  hc_rc verified;    /* 0 it holds, HC_EREFUTED; 1 it was not checked */
  hc_buffer verdict; /* what that means, as a sentence */
} cli_report_run;

/* Groups of one kind, one result against the first. */
typedef struct cli_report_groups {
  const char *word;
  hc_buffer title, against, counts, table; /* table: JSON */
  uint64_t groups, losing, gaining;
  hc_buffer worst;   /* the group that loses most hours, if that is decided; else empty */
  double worst_wait; /* how much longer one of its tasks waits, s */
  size_t run;
} cli_report_groups;

typedef struct cli_report {
  cli *c;
  cli_report_run *runs;    /* [count] */
  cli_schedule *schedules; /* [count] the same, as compare takes them; owned by `runs` */
  size_t count;
  cli_comparison comparison;
  hc_buffer apart;           /* why the results have nothing to compare, as a sentence; else empty */
  bool is_compared;          /* task by task: there are several, with their rows, of one workload */
  cli_report_groups *groups; /* [group_count] */
  size_t group_count, group_cap;
  hc_buffer *stories; /* [story_count] JSON: task by task, each in all results that have it */
  size_t story_count;
  hc_buffer untold;     /* lines: of which result no story can be told, and why */
  hc_buffer kept_notes; /* lines: what metrics kept over time and the page leaves out */
  hc_buffer title;
  hc_study_data *study; /* NULL: it is of runs */
} cli_report;

/** A span of time in its two greatest units: "1 h 54 min". @param out [64] */
void cli_report_span(double seconds, char *out);
/** What can be said of the runs, a sentence a line. */
void cli_report_sentences(const cli_report *x, hc_buffer *out);
/** The head, as JSON. @param sentences  as cli_report_sentences wrote them
 *  @return 0, HC_EIO, HC_EINPUT, HC_ENOMEM */
hc_rc cli_report_head(cli_report *x, const hc_buffer *sentences, hc_json_writer *j);

/** Tell the stories that the page has, by running results again (report_stories.c).
 *  @return 0, HC_EUSAGE (a flag), HC_ENOMEM, HC_ECANCELLED; where the command line asked for stories what
 *  cli_why_tell says */
hc_rc cli_report_tell(cli_report *x);
void cli_report_stories(const cli_report *x, hc_json_writer *j); /* as a member */
void cli_report_stories_free(cli_report *x);

/** What metrics kept over time, as a member. @return 0, HC_EIO, HC_EINPUT, HC_ENOMEM. Cost: two readings of
 * the
 *  result's cells */
hc_rc cli_report_kept(cli_report *x, hc_json_writer *j);

/** Lines as a list of texts. @param skip  so many characters are left out where a line begins */
void cli_report_lines(hc_json_writer *j, const char *key, const hc_buffer *lines, size_t skip);

/** Which program made the page, by which command, as two members. */
void cli_report_made(cli *c, hc_json_writer *j);
/** The head of a study's report. @param sentences  out: what can be said of it, a sentence a line
 *  @return 0, HC_EUSAGE or HC_EINPUT (--claims), HC_ENOMEM */
hc_rc cli_report_study(cli *c, const hc_study_data *data, const char *title, hc_buffer *sentences,
                       hc_json_writer *j);

/** The page: its parts around what is put in. */
typedef enum cli_page_mark { CLI_PAGE_TITLE, CLI_PAGE_PLAIN, CLI_PAGE_DATA, CLI_PAGE_END } cli_page_mark;
/** The text of the page up to a mark, behind the one before it. @param size  out: bytes */
const char *cli_report_page(cli_page_mark mark, size_t *size);

#endif
