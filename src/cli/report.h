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

/* An input of a run that can be made again in the page: a text by the name that runs open it by. */
typedef struct cli_report_text {
  char *name, sum[33]; /* sum: of the file as it lies there, packed or not */
  hc_buffer text;      /* unpacked */
} cli_report_text;

#define CLI_REPORT_INPUTS 64           /* of a run */
#define CLI_REPORT_RUN_FILE "run.yaml" /* the name of its configuration beside them */

/* One result of the page. */
typedef struct cli_report_run {
  cli_schedule schedule; /* its records are empty where the result has not a row for every task */
  bool has_rows;         /* it has a row for every task, and there is one */
  bool is_empty;         /* it has no task */
  bool is_untold;        /* no story can be told of it */
  char digest[33];
  hc_rc verified;    /* 0 it holds, HC_EREFUTED; 1 it was not checked */
  hc_buffer verdict; /* what that means, as a sentence */
  /* With --interactive: */
  bool can_run;                                  /* it is a run that the page can make again */
  char schedule_digest[33];                      /* what it then has */
  hc_buffer config;                              /* a run file; paths are names of inputs */
  size_t inputs[CLI_REPORT_INPUTS], input_count; /* among the report's texts */
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
  /* With --interactive: */
  cli_report_text *texts; /* [text_count] */
  size_t text_count, text_cap;
  uint64_t text_bytes;
  hc_buffer engine; /* packed as `engine_packing` says: "gzip", "deflate" */
  const char *engine_packing;
} cli_report;

/* ---- report_rerun.c: what it takes to make the runs again ---- */

/** What is set over every configuration before it runs in a page, and makes no difference to a schedule; ends
 *  with NULL. */
extern const char *const cli_rerun_settings[];
/** Gather configurations and inputs of the results that are runs. @return 0; HC_EUNSUPPORTED, HC_EINPUT,
 *  HC_EIO, HC_ELIMIT: one of them cannot be made again, and why; HC_ENOMEM. Cost: two readings of the inputs,
 *  and their memory. */
hc_rc cli_report_rerun(cli_report *x);
/** Make each of them again, of what was gathered alone. @return 0; HC_EUNSUPPORTED and others: it is not
 *  what it was, and why. Cost: that of the runs. */
hc_rc cli_report_rerun_check(cli_report *x);
void cli_report_rerun_drop(cli_report *x);

/* ---- report_engine.c: the engine, and all that into the page ---- */

/** Take the engine that is built in, or that --engine names. @return 0; HC_EUNSUPPORTED: there is none;
 *  HC_EINPUT, HC_EIO, HC_ELIMIT (--engine), HC_ENOMEM. */
hc_rc cli_report_engine_open(cli_report *x);
/** What the page can run, as JSON. @return 0, HC_EIO, HC_EINPUT, HC_ENOMEM. */
hc_rc cli_report_engine_head(cli_report *x, hc_buffer *out);
/** Engine and inputs, as scripts of the page that nothing runs. @return 0, HC_EIO, HC_ENOMEM. */
hc_rc cli_report_engine_write(cli_report *x, const hc_sink *out);

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
typedef enum cli_page_mark {
  CLI_PAGE_POLICY,
  CLI_PAGE_TITLE,
  CLI_PAGE_PLAIN,
  CLI_PAGE_DATA,
  CLI_PAGE_END
} cli_page_mark;
/** The text of the page up to a mark, behind the one before it. @param size  out: bytes */
const char *cli_report_page(cli_page_mark mark, size_t *size);

#endif
