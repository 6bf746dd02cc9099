/* cli.h -- what the files of the command share.
 *
 * A subcommand is one const struct: its words, its table of flags, its function. The same tables feed the
 * parser, --help, the manual page and the completion scripts. A subcommand returns an hc_rc; main.c alone
 * knows what the process says of it (exit status, the error on standard error). */
#ifndef HC_CLI_CLI_H
#define HC_CLI_CLI_H

#include <stdio.h>

#include "hindcast/hindcast.h"

#define CLI_TRY(e) \
  do { \
    hc_rc rc_ = (e); \
    if (rc_ < 0) return rc_; \
  } while (0)
#define CLI_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef struct cli cli;
typedef struct cli_rejects cli_rejects; /* command/trace.c */

/* ---- commands and flags ---- */

/* What a shell may offer for an argument: a file, or a word of this text: "kind:policy" the components of a
 * kind, CLI_KEYS an assignment, "a|b|c" these words; NULL nothing. */
#define CLI_FILE "file"
#define CLI_KEYS "keys"

typedef struct cli_flag {
  const char *name;    /* without dashes */
  char letter;         /* short form; 0 if it has none */
  const char *metavar; /* NULL: a switch */
  const char *help;
  const char *path;  /* configuration key that it sets; NULL: the command asks for it */
  const char *value; /* what a switch sets that key to */
  const char *complete;
  bool many; /* may be given again; "path" is then a list */
  bool yaml; /* the value is YAML */
  const char
      *wrap; /* YAML that the value is put into: %s as it is, %q between quotes; NULL: it stands alone */
} cli_flag;

/* Rows that stand in the tables of several commands. */
#define CLI_FLAG_PROCS \
  { \
    .name = "procs", .letter = 'n', .metavar = "N", .path = "cell.procs", \
    .help = "Processors of the machine. Default: as the log says." \
  }
#define CLI_FLAG_TRIM \
  { \
    .name = "trim", .metavar = "NAME", .path = "trim", .yaml = true, .complete = "kind:trim", \
    .help = "A second summary without warm-up and cool-down, by this rule." \
  }
#define CLI_FLAG_ALL \
  { \
    .name = "all", .letter = 'a', .help = "Show every figure, not only the usual ones." \
  }
#define CLI_FLAG_DIGEST \
  { \
    .name = "digest", .help = "Print the result's checksum too." \
  }
#define CLI_FLAG_RESULT(text) \
  { \
    .name = "output", .letter = 'o', .metavar = "FILE.db", .complete = CLI_FILE, .help = text \
  }
#define CLI_FLAG_QUIET \
  { \
    .name = "quiet", .letter = 'q', .help = "Print nothing but errors." \
  }
#define CLI_FLAG_FORCE \
  { \
    .name = "force", \
    .help = "Replace a file that this command would not have written. Inputs are never replaced." \
  }
#define CLI_FLAG_WRITE_HERE \
  { \
    .name = "output", .letter = 'o', .metavar = "FILE", .complete = CLI_FILE, \
    .help = "Write here instead of to standard output; the file appears only when it is whole." \
  }

typedef struct cli_command cli_command;
struct cli_command {
  const char *name;
  const char *operands;               /* as shown: "[FILE.yaml | LOG]" */
  const char *summary;                /* one line */
  const char *detail;                 /* paragraphs */
  const char *examples;               /* lines of "command  # what it does"; NULL */
  const cli_flag *const *flags;       /* tables, each ending with a NULL name; the list ends with NULL */
  const cli_command *const *commands; /* its own subcommands; NULL-terminated; NULL if it has none */
  int min, max;                       /* operands; max -1: any number */
  const char *complete;               /* of operands */
  hc_rc (*run)(cli *c);
};

extern const cli_command *const cli_commands[]; /* NULL-terminated, in the order of commands.def */
extern const cli_flag cli_common_flags[];       /* --help */
extern const cli_flag cli_format_flags[];       /* --json, --csv */
extern const cli_flag cli_config_flags[];       /* --set, --compat, --plugin, --strict ... */
extern const cli_flag cli_policy_flags[];       /* --policy, --order, ... */
extern const cli_flag cli_saving_flags[]; /* --save, --save-at, --save-every, --step, --live: running.c */
extern const cli_flag
    cli_transform_flags[]; /* --first, --load, ...: applied in the order in which they stand */

typedef enum cli_format { CLI_TEXT, CLI_JSON, CLI_CSV } cli_format;

typedef struct cli_given {
  const cli_flag *flag;
  const char *value; /* NULL for a switch */
} cli_given;

#define CLI_LOST_POINTS 4 /* exit status of a study that has points, and lost some */

/* One invocation. */
struct cli {
  const hc_allocator *allocator;
  hc_registry *registry;               /* made when first asked for */
  const hc_config *config;             /* the one at hand, whose inputs no output replaces; NULL */
  const cli_command *command, *parent; /* parent: `trace` of `trace info`; NULL */
  int argc;
  char **argv; /* the whole line, for run_info */
  const char **operands;
  size_t operand_count;
  cli_given *given;
  size_t given_count;
  cli_format format;
  cli_rejects *rejects; /* of the trace that is open, if it keeps them; NULL */
  hc_buffer out;        /* what goes to standard output when the command is done */
  bool problems;        /* the error is about what was found: print what there is, too */
  bool kept;            /* an interruption leaves something on purpose: the error says what */
  bool broken_pipe;     /* nothing reads standard output any more */
  int status;           /* exit status of a command that did its work and has bad news; 0 */
  bool started;         /* from here on a refusal of the system is a failed run, not a wrong argument */
  hc_error error;
};

/** Parse what follows the command's name. @return 0 or HC_EUSAGE with the nearest known flag. */
hc_rc cli_parse(cli *c, int argc, char **argv);
/** The last value of a flag; NULL if it was not given. A switch has the value "". */
const char *cli_value(const cli *c, const char *name);
bool cli_has(const cli *c, const char *name);
hc_rc cli_int(cli *c, const char *name, int64_t low, int64_t high,
              int64_t *out); /* `out` untouched if not given */
/** The command of a list that is nearest to a word; NULL. */
const cli_command *cli_find(const cli_command *const *list, const char *name);
const char *cli_nearest_command(const cli_command *const *list, const char *word);
hc_rc cli_fail(cli *c, hc_rc rc, const char *format, ...) __attribute__((format(printf, 3, 4)));
hc_registry *cli_registry(cli *c); /* NULL if out of memory */
/** A configuration from the operands and flags: files and logs, --set, then the flags that have a path. */
hc_rc cli_config(cli *c, hc_config **out);
/** Hand such a configuration to `work`, and free it. */
hc_rc cli_with_config(cli *c, hc_rc (*work)(cli *c, hc_config *config));
/** A configuration whose only source is this log. */
hc_rc cli_config_log(cli *c, const char *log, hc_config **out);
/** A key of a resolved configuration, NULL if it is empty. Copied into `buffer`. */
const char *cli_config_value(const hc_config *config, const char *path, char *buffer, size_t size);
/** The name of a file without folders, packing and format: "a/KTH.swf.zst" gives "KTH". */
void cli_stem(const char *path, char *out, size_t size);
/** The name of a file without folders, borrowed; a path that ends in "/" is all name. */
const char *cli_file_name(const char *path);

/* ---- help ---- */

void cli_help(cli *c, hc_buffer *out, const cli_command *command, const cli_command *parent);
void cli_usage(hc_buffer *out); /* the whole command's page */
void cli_man(hc_buffer *out);   /* hindcast.1 */
hc_rc cli_completion(cli *c, const char *shell, hc_buffer *out);
/** How an assignment of --set may go on that begins so, a line each: `policy.sel` as `policy.select=` and
 *  `policy.select.`, `policy=ea` as `policy=easy`. */
void cli_keys(cli *c, const char *word);
/** Append text, wrapped at `width`, each line after the first behind `indent` blanks. `column`: where it
 * begins. */
void cli_wrap(hc_buffer *out, const char *text, size_t column, size_t indent, size_t width);
size_t cli_width(const char *s); /* columns of a UTF-8 text */

/* ---- tables: one content, three looks ---- */

typedef struct cli_column {
  const char *name;  /* key in JSON and CSV */
  const char *title; /* for people; NULL: the name */
  bool right;        /* aligned right */
} cli_column;

typedef struct cli_cell {
  char *plain, *human; /* human NULL: the same */
  bool is_text;        /* quoted in JSON */
} cli_cell;

typedef struct cli_table {
  const hc_allocator *allocator;
  const cli_column *columns;
  size_t width;
  cli_cell *cells;
  size_t count, cap;
  bool failed;
} cli_table;

void cli_table_init(cli_table *t, const hc_allocator *a, const cli_column *columns, size_t width);
void cli_table_fini(cli_table *t);
/* Each fills the next cell, row by row. */
void cli_add_text(cli_table *t, const char *text); /* NULL: nothing */
void cli_add_int(cli_table *t, int64_t n);
void cli_add_real(cli_table *t, double x, const char *unit); /* the unit decides how people see it */
void cli_add_time(cli_table *t, hc_time time);               /* seconds; HC_UNKNOWN: nothing */
void cli_add_pair(cli_table *t, const char *plain, const char *human, bool is_text);
const char *cli_column_title(const cli_column *c);
const char *cli_cell_shown(const cli_cell *cell); /* for people; "" if it has nothing */
/** Columns of text that a line on standard output may have: those of the terminal, or what COLUMNS says in
 *  the environment; 0: any number. */
size_t cli_line_columns(void);
/** Aligned columns; a table that is wider than a line may be in pieces, below each other. */
void cli_table_text(const cli_table *t, hc_buffer *out, size_t indent, bool header);
void cli_table_csv(const cli_table *t, hc_buffer *out);
void cli_table_markdown(const cli_table *t, hc_buffer *out);
/** A `tabular` that needs no package. */
void cli_table_latex(const cli_table *t, hc_buffer *out);
/** Whether the command was asked for a table that is text to be set (--markdown, --latex), not to be read. */
bool cli_is_marked(const cli *c);
/** A table for people: marked as was asked, else aligned. */
void cli_table_people(cli *c, const cli_table *t, size_t indent);
/** What is not of a table becomes a comment of LaTeX. */
void cli_latex_comments(hc_buffer *out);
/** By the format of the command. */
void cli_table_show(cli *c, const cli_table *t);
/** "12.3 s (3h 2m)" and the like: a figure with its unit, as people read it. `out` [64]. */
void cli_human(double x, const char *unit, char *out);

void cli_table_member(const cli_table *t, hc_json_writer *w, const char *key);
/** For a page: a title, a note (or NULL), columns, and rows of cells, each as programs and as people read
 * it. */
void cli_table_page(const cli_table *t, hc_json_writer *w, const char *key, const char *title,
                    const char *note);

/* ---- files that appear only when they are whole ---- */

typedef struct cli_file {
  cli *c;
  FILE *stream;
  char *path;           /* NULL: standard output */
  hc_partial partial;   /* until it is whole; none for a device or a pipe */
  char begin[HC_BEGIN]; /* what was written first */
  size_t began;
  bool may_replace; /* nothing is there, or it has been looked at */
  hc_sink sink;     /* writes here */
} cli_file;

/** @param path NULL or "-": standard output. A regular file that is there already is replaced if it is empty,
 *  if it begins as what is written does (numbers aside: the same command again), or with --force; an input of
 *  the command never. @return 0, HC_EUSAGE or HC_EIO with a remedy. */
hc_rc cli_file_open(cli *c, const char *path, cli_file *out);
/** Whether an output may have this name: not that of an input of the command. @return 0 or HC_EUSAGE */
hc_rc cli_file_may(cli *c, const char *path);
/** Look now whether it may take its place, for those who write late. @return 0 or HC_EUSAGE */
hc_rc cli_file_look(cli_file *f);
hc_rc cli_file_failed(cli_file *f); /* HC_EIO, and why by errno */
hc_rc cli_file_commit(cli_file *f); /* flush, sync, rename; the file is closed in any case */
void cli_file_drop(cli_file *f);    /* nothing is left behind */
hc_sink cli_out_sink(cli *c);       /* into c->out */
/** Send a buffer on and empty it. */
hc_rc cli_file_send(cli_file *f, hc_buffer *b);

/** The commit that the command was built of, "1da3111ab12c", with ", changed" behind it if files were other
 *  than there; "unknown" outside of the project's repository. */
const char *cli_commit(void);

/* ---- long work ---- */

/** True once SIGINT or SIGTERM came. Listening begins with the first call of cli_listen. */
bool cli_interrupted(void);
void cli_listen(void);
/** A signal stops this run too, also within a decision. NULL, before it is freed: none. */
void cli_watch(hc_run *run);

typedef struct cli_progress {
  bool shown;         /* standard error is a terminal, and --quiet was not said */
  double began, next; /* wall seconds */
  double before;      /* this share was done before it began */
  const char *what;
} cli_progress;

double cli_wall(void); /* seconds; a steady clock */
void cli_progress_begin(cli_progress *p, const cli *c, const char *what);
void cli_progress_run(cli_progress *p, const hc_run *run);
/** Bytes, or whatever `done` of `total` counts. @return false if interrupted. */
bool cli_progress_part(cli_progress *p, uint64_t done, uint64_t total);
/** The same of a share from 0 to 1. @param more  what else is to be said; NULL: nothing */
bool cli_progress_share(cli_progress *p, double share, const char *more);
/** By what was read of a log. @param rows  read so far: only now and then is anything done */
bool cli_progress_trace(cli_progress *p, hc_trace *t, uint64_t rows);
void cli_progress_end(cli_progress *p); /* wipe the line */
/** ", 42 %, 12 s left"; nothing while it cannot be said. @param elapsed  s of the wall clock */
void cli_format_left(char *out, size_t size, double elapsed, double share);
/** The date that a run has come to; without an origin its virtual time. */
void cli_format_now(char *out, size_t size, const hc_progress *p);
/** A moment of a run as `hindcast export` has dates: "2002-07-28T12:00:00Z", the second's fractions cut.
 *  @param unix_start  HC_UNKNOWN: "" @param at  HC_UNKNOWN, HC_NEVER: "" */
void cli_format_date(char *out, size_t size, int64_t unix_start, hc_time at);
/** How much of its input, or of its time, a run has behind it. @param until  HC_NEVER: by input alone */
double cli_run_share(const hc_progress *p, hc_time until);

/** Note on standard error that a study is not whole; nothing of one that is. */
void cli_study_note(const char *path, const hc_study_progress *p);

/* ---- results ---- */

/** Show a stored result as the command's format has it. @param all every figure, not only the usual ones. */
hc_rc cli_show_result(cli *c, hc_result *r, bool all);
/** The same drawn with characters, as --chart, --columns and --ascii say: show_chart.c. */
hc_rc cli_show_chart(cli *c, hc_result *r);
/** The tasks that waited longest, as many as --longest says: show_longest.c. */
hc_rc cli_show_longest(cli *c, hc_result *r);
hc_rc cli_result_open(cli *c, const char *path, hc_result **out);
/** What is to be known beside its figures, a line each: "  note: ...". @return 0 or an error */
hc_rc cli_result_notes(cli *c, hc_result *r, hc_buffer *out);
/** What a paper has to say of it, as `hindcast cite` prints it, in one line. @return 0 or an error */
hc_rc cli_cite(cli *c, hc_result *r, hc_buffer *out);
/** Refused starts by pairs of schedulers, if the run told them one by one. */
void cli_note_conflicts(cli *c, hc_result *r);
void cli_result_close(cli *c, hc_result *r); /* NULL is allowed. What could not be read fails the command */
/** A row of the result's table `hindcast` as a number; `fallback` if it is not there. */
int64_t cli_result_fact(cli *c, hc_result *r, const char *key, int64_t fallback);
/** A fact of the table `run_info` or `hindcast`, copied; NULL if it is not there. */
const char *cli_result_info(cli *c, hc_result *r, const char *table, const char *key, char *buffer,
                            size_t size);

/** The metrics that a result's run was asked for by name, in a file or by a flag, and of which nothing is
 *  usual: all of their figures are shown. */
typedef struct cli_asked {
  const hc_component *metrics[64]; /* borrowed from the registry */
  size_t count;
  cli *c;
} cli_asked;
hc_rc cli_asked_read(cli *c, hc_result *r, cli_asked *out);
bool cli_asked_has(const cli_asked *a, const char *name);

typedef struct cli_records {
  hc_task_record *items;
  size_t count, cap;
} cli_records;

/** Every task row, by serial. @return 0, HC_EUSAGE if the result has not one row per task, or an error. */
hc_rc cli_records_load(cli *c, hc_result *r, cli_records *out);
void cli_records_fini(cli *c, cli_records *r);
/** What decided a run, as far as it acted; all of it borrowed from the result, NULL: there is none. */
typedef struct cli_decider {
  const char *world;        /* of its own, in which no policy of ours decides: nothing else is told */
  const char *architecture; /* other than the plainest */
  const char *policy;       /* that was asked */
  const char *order, *select, *place; /* parts that acted of one that is made of parts */
} cli_decider;
void cli_result_decider(cli *c, hc_result *r, cli_decider *out);
/** Whether it holds the schedule that a log recorded (`hindcast analyze`), and no run. */
bool cli_result_is_recorded(cli *c, hc_result *r);
/** Did it start, and end of itself or at its limit? */
bool cli_ended(const hc_task_record *r);

/* ---- values in order: ranks.c ---- */

/** For qsort, ascending: of double, of hc_time. */
int cli_by_real(const void *a, const void *b);
int cli_by_time(const void *a, const void *b);
/** Where the quantile q of n values in ascending order lies: nearest rank, ceil(q n) from 1; 0 if there are
 *  none. */
size_t cli_rank(size_t n, double q);

/** A schedule for comparing and verifying: a result, or a file that another program wrote. */
typedef struct cli_schedule {
  hc_result *result;   /* NULL: a file of another program */
  cli_records records; /* by serial, or as in the file */
  const char *path, *format;
  char name[208];
} cli_schedule;

bool cli_is_result(const char *path); /* by its first bytes */
hc_rc cli_schedule_open(cli *c, const char *path, cli_schedule *out);
void cli_schedule_close(cli *c, cli_schedule *s);

/** Carry out a run, or carry one on: saved and stepped through as the flags say, into the result that they or
 *  the configuration name, which is shown when it is whole.
 *  @param of  the save that it goes on from; NULL: from the beginning
 *  @param branch_at  when it is another one than was saved; NULL: it goes on as it was */
hc_rc cli_run(cli *c, hc_config *config, hc_saved *of, const hc_time *branch_at);
/** Step through a run as --step says, and say what happens. @param left  out: it was left before its end */
hc_rc cli_step(cli *c, hc_run *run, bool *left);
/** See whether --live and --pace can be followed here. @return 0; HC_EUSAGE with the reason */
hc_rc cli_live_check(cli *c);
/** Carry a run on to its end while it is watched on the terminal, as --live says, or to where it is ended by
 *  hand. @param stopped  out: when that was; HC_NEVER: it came to its end */
hc_rc cli_live(cli *c, const hc_config *config, hc_run *run, hc_time *stopped);
/** Open the save that the operand names, hand it to `work`, and close it. */
hc_rc cli_with_save(cli *c, hc_rc (*work)(cli *c, hc_saved *saved));
/** What this program is, with version and commit, as saves tell it. @param out [128] */
void cli_program(char *out);

/** Run info: version, command line, times and memory, into a store about to be committed. */
hc_rc cli_store_info(cli *c, hc_store *store, double began, const hc_progress *p);

#endif
