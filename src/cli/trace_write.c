/* trace_write.c -- what the subcommands of `hindcast trace` that write traces share.
 *
 * The header of a written log is that of its source, but for lines that would no longer be true: the number
 * of jobs if tasks may have been left out or repeated, and the machine's size if --procs says another. What
 * the format could not hold is counted and said on standard error. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

const cli_flag cli_to_flags[] = {
    {.name = "to",
     .metavar = "FORMAT",
     .complete = "kind:writer",
     .help = "Which format (`hindcast list writer`). Default: as the name of the output says, else swf."},
    {.name = "option",
     .metavar = "NAME=VALUE",
     .many = true,
     .help = "An option of the format, such as memory_scale=256GiB (`hindcast describe writer/google2011`)."},
    CLI_FLAG_QUIET,
    {.name = NULL},
};

/* ---- what a written trace says of itself ---- */

static bool has_key(const char *line, size_t n, const char *key)
{
  size_t m = strlen(key);
  while (n > 0 && (*line == ';' || *line == ' ' || *line == '\t')) line++, n--;
  return n > m && memcmp(line, key, m) == 0 && line[m] == ':';
}

bool cli_trace_changes(const cli *c)
{
  for (size_t i = 0; i < c->given_count; i++) {
    const char *path = c->given[i].flag->path;
    if (path && strcmp(path, "transforms") == 0) return true;
  }
  return cli_has(c, "usable") || c->operand_count > 1;
}

/* The source's header without the lines that are not true any more. @return whether any line is a comment of
 * SWF. */
static bool old_header(const cli *c, hc_buffer *out, const char *header, bool fewer)
{
  bool other_machine = cli_has(c, "procs"), is_swf = false;
  while (header && *header) {
    size_t n = strcspn(header, "\n");
    bool stale = (other_machine && (has_key(header, n, "MaxProcs") || has_key(header, n, "MaxNodes"))) ||
                 (fewer && (has_key(header, n, "MaxJobs") || has_key(header, n, "MaxRecords")));
    is_swf |= header[strspn(header, " \t")] == ';';
    if (!stale) {
      hc_buffer_add(out, header, n);
      hc_buffer_add(out, "\n", 1);
    }
    header += n + (header[n] == '\n');
  }
  return is_swf;
}

static void make_note(const cli *c, const char *doing, hc_buffer *out)
{
  hc_buffer_printf(out, "%s by hindcast " HC_VERSION ":", doing);
  for (int i = 3; i < c->argc; i++) {
    bool is_output = strcmp(c->argv[i], "--output") == 0 || strcmp(c->argv[i], "-o") == 0;
    if (is_output) i++; /* where it went is not part of what it is */
    else if (strncmp(c->argv[i], "--output=", 9) != 0) hc_buffer_printf(out, " %s", c->argv[i]);
  }
}

hc_rc cli_trace_facts_init(cli *c, const hc_trace *t, const char *doing, bool fewer, cli_trace_facts *out)
{
  bool is_swf;
  out->info = *hc_trace_facts(t);
  out->ledger = NULL;
  hc_buffer_init(&out->header, c->allocator);
  hc_buffer_init(&out->note, c->allocator);
  if (cli_has(c, "procs")) {
    out->info.processors = hc_trace_capacity(t);
    out->info.nodes = 0;
  }
  if (fewer) out->info.jobs = out->info.records = HC_UNKNOWN;
  is_swf = old_header(c, &out->header, out->info.header, fewer);
  if (is_swf && cli_has(c, "procs"))
    hc_buffer_printf(&out->header, "; MaxProcs: %lld\n", (long long)out->info.processors);
  make_note(c, doing, &out->note);
  out->info.header = out->header.data;
  if (!out->header.failed && !out->note.failed) return 0;
  return cli_fail(c, HC_ENOMEM, "out of memory for the header");
}

void cli_trace_facts_fini(cli_trace_facts *f)
{
  hc_buffer_fini(&f->header);
  hc_buffer_fini(&f->note);
}

/* ---- one output ---- */

static bool ends_in(const char *path, const char *end)
{
  const size_t n = strlen(path), m = end ? strlen(end) : 0;
  return m > 0 && n > m && strcmp(path + n - m, end) == 0;
}

const char *cli_trace_format(cli *c, const char *path)
{
  const char *to = cli_value(c, "to");
  const hc_registry *r = cli_registry(c);
  const hc_component *w;
  if (to) return to;
  for (size_t i = 0; r && path && (w = hc_registry_at(r, HC_KIND_WRITER, i)); i++)
    if (ends_in(path, ((const hc_writer_type *)w)->ending)) return w->name;
  return "swf";
}

hc_rc cli_trace_out_begin(cli *c, cli_trace_out *o, const char *format, hc_trace *t, const cli_trace_facts *f)
{
  const hc_writer_context context = {.allocator = c->allocator,
                                     .lexicon = hc_trace_lexicon(t),
                                     .info = &f->info,
                                     .note = f->note.data,
                                     .ledger = f->ledger,
                                     .sink = o->file.sink};
  const char **settings = calloc(c->given_count + 1, sizeof *settings);
  size_t count = 0;
  hc_rc rc;
  if (!settings) return cli_fail(c, HC_ENOMEM, "out of memory for the options");
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "option") == 0) settings[count++] = c->given[i].value;
  rc = hc_trace_writer_new(cli_registry(c), format, settings, count, &context, &o->writer, &c->error);
  free(settings);
  return rc;
}

hc_rc cli_trace_out_end(cli *c, cli_trace_out *o)
{
  hc_rc rc = hc_trace_writer_finish(o->writer, &c->error);
  if (rc < 0) {
    cli_trace_out_drop(o);
    return rc;
  }
  hc_trace_writer_free(o->writer);
  o->writer = NULL;
  return cli_file_commit(&o->file);
}

void cli_trace_out_drop(cli_trace_out *o)
{
  hc_trace_writer_free(o->writer);
  o->writer = NULL;
  cli_file_drop(&o->file);
}

/* ---- what was lost ---- */

void cli_trace_losses_add(cli_trace_losses *l, const cli_trace_out *o)
{
  if (!o->writer) return;
  l->format = hc_trace_writer_format(o->writer)->component.name;
  l->tasks += hc_trace_writer_written(o->writer) + hc_trace_writer_left_out(o->writer);
  l->left_out += hc_trace_writer_left_out(o->writer);
  for (int f = 0; f < HC_FACT_COUNT; f++) l->lost[f] += hc_trace_writer_lost(o->writer, (hc_fact)f);
}

void cli_trace_losses_show(const cli *c, const cli_trace_losses *l)
{
  char n[40], all[40];
  if (cli_has(c, "quiet")) return;
  all[hc_format_count((int64_t)l->tasks, all)] = '\0';
  n[hc_format_count((int64_t)l->left_out, n)] = '\0';
  if (l->left_out)
    (void)fprintf(stderr, "left out: %s of %s tasks, of which %s cannot say enough to be one\n", n, all,
                  l->format);
  for (int f = 0; f < HC_FACT_COUNT; f++) {
    if (!l->lost[f]) continue;
    n[hc_format_count((int64_t)l->lost[f], n)] = '\0';
    (void)fprintf(stderr, "lost in %s: %s of %s tasks had %s\n", l->format, n, all, hc_fact_text((hc_fact)f));
  }
}

/* ---- what was not used ---- */

/* What a filter left out was asked for. */
static bool is_unused(int reason)
{
  return reason != HC_REASON_FILTERED && reason != HC_REASON_OUTSIDE;
}

void cli_trace_unused_show(const cli *c, const hc_row_ledger *l)
{
  const char *before = ": ";
  uint64_t unused = 0;
  char n[40], all[40];
  if (l->unnamed > 0 && !cli_has(c, "quiet")) {
    n[hc_format_count((int64_t)l->unnamed, n)] = '\0';
    (void)fprintf(stderr,
                  "names: %s beyond the first 1,048,576 of a kind, which are numbers made from them\n", n);
  }
  if (l->rounded > 0 && !cli_has(c, "quiet")) {
    n[hc_format_count((int64_t)l->rounded, n)] = '\0';
    (void)fprintf(stderr, "rounded: %s amount%s that %s not whole, by %.3g %% at most\n", n,
                  l->rounded == 1 ? "" : "s", l->rounded == 1 ? "was" : "were", 100 * l->rounding);
  }
  for (int r = 0; r < HC_REASON_COUNT; r++)
    if (is_unused(r)) unused += l->rejected[r];
  if (unused == 0 || cli_has(c, "quiet")) return;
  n[hc_format_count((int64_t)unused, n)] = '\0';
  all[hc_format_count((int64_t)l->read, all)] = '\0';
  (void)fprintf(stderr, "not used: %s of %s rows", n, all);
  for (int r = 0; r < HC_REASON_COUNT; r++) {
    if (!is_unused(r) || !l->rejected[r]) continue;
    n[hc_format_count((int64_t)l->rejected[r], n)] = '\0';
    (void)fprintf(stderr, "%s%s %s", before, n, hc_reason_name((hc_reason)r));
    before = ", ";
  }
  (void)fprintf(stderr, "; --rejected FILE keeps them\n");
}

/* ---- all of it ---- */

static hc_rc write_rows(cli *c, const cli_trace_job *job, hc_trace *t, cli_trace_out *o,
                        cli_trace_facts *facts, cli_trace_losses *losses)
{
  hc_trace_task task;
  cli_progress line;
  uint64_t rows = 0;
  hc_rc rc = hc_trace_next(t, &task, &c->error);
  if (rc < 0) return rc;
  CLI_TRY(
      cli_trace_facts_init(c, t, job->doing, job->fewer, facts)); /* they are complete after the first row */
  facts->ledger = hc_trace_rows(t);
  if (job->begin) CLI_TRY(job->begin(c, t, facts, job->ctx));
  CLI_TRY(cli_trace_out_begin(c, o, cli_trace_format(c, cli_value(c, "output")), t, facts));
  cli_progress_begin(&line, c, job->progress);
  for (; rc == 1; rc = hc_trace_next(t, &task, &c->error)) {
    hc_rc written = job->each ? job->each(c, &task, job->ctx) : 0;
    if (written >= 0) written = hc_trace_writer_task(o->writer, &task, &c->error);
    if (written >= 0 && !cli_progress_trace(&line, t, ++rows)) written = HC_ECANCELLED;
    if (written < 0) rc = written;
    if (rc < 0) break;
  }
  cli_progress_end(&line);
  if (rc < 0) return rc;
  rc = hc_trace_writer_finish(o->writer, &c->error);
  cli_trace_losses_add(losses, o);
  return rc;
}

hc_rc cli_trace_write(cli *c, const cli_trace_job *job)
{
  const hc_trace_options options = {.mode = job->mode};
  cli_trace_losses losses = {0};
  cli_trace_facts facts = {0};
  cli_trace_out o = {0};
  hc_config *config;
  hc_trace *t;
  hc_rc rc;
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  rc = cli_file_open(c, cli_value(c, "output"), &o.file);
  if (rc >= 0) {
    rc = write_rows(c, job, t, &o, &facts, &losses);
    hc_trace_writer_free(o.writer);
    if (rc >= 0) rc = cli_trace_settle(c);
    if (rc >= 0) rc = cli_file_commit(&o.file);
    else cli_file_drop(&o.file);
  }
  if (rc >= 0) {
    cli_trace_losses_show(c, &losses);
    cli_trace_unused_show(c, hc_trace_rows(t));
    if (hc_trace_unmet(t) && !cli_has(c, "quiet")) (void)fprintf(stderr, "note: %s\n", hc_trace_unmet(t));
  }
  cli_trace_facts_fini(&facts);
  if (job->end) job->end(job->ctx);
  rc = cli_trace_close(c, config, t, rc);
  return rc < 0 ? rc : 0;
}
