/* trace.h -- the subcommands of `hindcast trace`, and what they share: flags, and traces that are written. */
#ifndef HC_CLI_TRACE_H
#define HC_CLI_TRACE_H

#include "cli/cli.h"

extern const cli_command cli_trace_info, cli_trace_head, cli_trace_validate, cli_trace_sort,
    cli_trace_convert, cli_trace_sample, cli_trace_merge, cli_trace_split, cli_trace_mask;
extern const cli_flag cli_window_flags[]; /* --from, --until: of the log; `run` has an --until of its own */
extern const cli_flag cli_to_flags[];     /* --to, --option, --quiet */

/** Open what the operands and flags say, and the file for rejected rows if they name one. To be closed again
 *  if this returned 0. */
hc_rc cli_trace_open(cli *c, const hc_trace_options *o, hc_config **config, hc_trace **out);
/** Close both, and give the file of rejected rows its name.
 *  @param rc  how it went so far. @return that, or what went wrong with the file. */
hc_rc cli_trace_close(cli *c, hc_config *config, hc_trace *t, hc_rc rc);
/** Before what was written gets its name: whether all rejected rows could be written. @return 0 or HC_EIO. */
hc_rc cli_trace_settle(cli *c);
/** What a workload is called for people: the log, or the file that the configuration names. */
const char *cli_trace_name(const cli *c, const hc_config *config, char *buffer, size_t size);

/* ---- what is written ---- */

/* What a written trace says of itself: the facts of its source that are still true. */
typedef struct cli_trace_facts {
  hc_trace_info info;
  hc_buffer header, note;
  const hc_row_ledger *ledger; /* of all rows, where one output has them all */
} cli_trace_facts;

/** After the first hc_trace_next. @param doing "converted", for the note; @param fewer tasks are not all
 *  those of the source, or not as they were */
hc_rc cli_trace_facts_init(cli *c, const hc_trace *t, const char *doing, bool fewer, cli_trace_facts *out);
void cli_trace_facts_fini(cli_trace_facts *f);

/* A trace that goes to a file, or to standard output. */
typedef struct cli_trace_out {
  cli_file file;
  hc_trace_writer *writer;
} cli_trace_out;

/** The name of the format: --to, else what the name of the output says, else swf. */
const char *cli_trace_format(cli *c, const char *path);
/** Make the writer of an output whose file is open. */
hc_rc cli_trace_out_begin(cli *c, cli_trace_out *o, const char *format, hc_trace *t,
                          const cli_trace_facts *f);
/** Finish, and give the file its name; or drop both. */
hc_rc cli_trace_out_end(cli *c, cli_trace_out *o);
void cli_trace_out_drop(cli_trace_out *o);

/* What formats could not hold, added up over outputs. */
typedef struct cli_trace_losses {
  const char *format;
  uint64_t tasks, left_out, lost[HC_FACT_COUNT];
} cli_trace_losses;
void cli_trace_losses_add(cli_trace_losses *l, const cli_trace_out *o);
/** On standard error, unless nothing was lost or --quiet was given. */
void cli_trace_losses_show(const cli *c, const cli_trace_losses *l);

/** How many rows were not used, by reason, on standard error; nothing if all were, or with --quiet. */
void cli_trace_unused_show(const cli *c, const hc_row_ledger *l);

/** Whether any flag changes, or leaves out, tasks. */
bool cli_trace_changes(const cli *c);
/** Read the whole workload and write it, as the flags say. @param each  may change each task; NULL */
typedef struct cli_trace_job {
  const char *doing, *progress;
  hc_trace_mode mode;
  bool fewer;
  hc_rc (*begin)(cli *c, hc_trace *t, cli_trace_facts *f,
                 void *ctx); /* once the facts are known; may be NULL */
  hc_rc (*each)(cli *c, hc_trace_task *task, void *ctx);
  void (*end)(void *ctx); /* before the trace is closed; may be NULL */
  void *ctx;
} cli_trace_job;
hc_rc cli_trace_write(cli *c, const cli_trace_job *job);

#endif
