/* trace_make.c -- `hindcast trace sort` and `hindcast trace convert`: workloads made of workloads.
 *
 * The header of a converted log is that of its source, but for lines that would no longer be true: the number
 * of jobs if tasks may have been left out or repeated, and the machine's size if --procs says another. */
#include <stdlib.h>
#include <string.h>

#include "cli/trace.h"

#define CHUNK ((size_t)1 << 18) /* bytes gathered before they are written */

/* ---- sort ---- */

static const cli_flag sort_flags[] = {
    CLI_FLAG_WRITE_HERE,
    {.name = "memory",
     .letter = 'm',
     .metavar = "SIZE",
     .help = "How much may be held in memory at once: 64MiB, 2GB. Not given: 256MiB."},
    {.name = NULL},
};
static const cli_flag *const sort_tables[] = {sort_flags, NULL};

static hc_rc sort(cli *c)
{
  const char *size = cli_value(c, "memory"), *output = cli_value(c, "output");
  int64_t memory = (int64_t)256 << 20;
  if (size && (hc_parse_size(size, strlen(size), &memory) < 0 || memory < 1 << 20))
    return cli_fail(c, HC_EUSAGE, "--memory: expected a size of at least 1MiB, such as 256MiB, got \"%.80s\"",
                    size);
  return hc_trace_sort(c->allocator, c->operands[0], output ? output : "-", (size_t)memory, &c->error);
}

const cli_command cli_trace_sort = {
    .name = "sort",
    .operands = "LOG",
    .summary = "Sort a log by time of submission, whatever its size, in bounded memory.",
    .detail = "An external merge sort. Comments come first; lines stay as they are.",
    .examples = "hindcast trace sort messy.swf.zst --output sorted.swf",
    .flags = sort_tables,
    .min = 1,
    .max = 1,
    .complete = CLI_FILE,
    .run = sort,
};

/* ---- convert ---- */

static const cli_flag convert_flags[] = {
    {.name = "to",
     .metavar = "FORMAT",
     .complete = "swf",
     .help = "Which format. Not given: swf, the only one so far."},
    CLI_FLAG_WRITE_HERE,
    {.name = "procs",
     .letter = 'n',
     .metavar = "N",
     .path = "cell.procs",
     .help = "Processors of the machine, for --load and the header. Not given: as the log says."},
    {.name = "usable", .help = "Leave out what a run could not use, by its rules."},
    {.name = NULL},
};
static const cli_flag *const convert_tables[] = {convert_flags, cli_window_flags, cli_transform_flags,
                                                 cli_config_flags, NULL};

static bool has_key(const char *line, size_t n, const char *key)
{
  size_t m = strlen(key);
  while (n > 0 && (*line == ';' || *line == ' ' || *line == '\t')) line++, n--;
  return n > m && memcmp(line, key, m) == 0 && line[m] == ':';
}

static bool changes_tasks(const cli *c)
{
  for (size_t i = 0; i < c->given_count; i++) {
    const char *path = c->given[i].flag->path;
    if (path && strcmp(path, "transforms") == 0) return true;
  }
  return cli_has(c, "usable") || c->operand_count > 1;
}

/* The source's header without the lines that are not true any more. */
static void old_header(const cli *c, hc_buffer *out, const char *header)
{
  bool other_machine = cli_has(c, "procs"), other_tasks = changes_tasks(c);
  while (header && *header) {
    size_t n = strcspn(header, "\n");
    bool stale = (other_machine && (has_key(header, n, "MaxProcs") || has_key(header, n, "MaxNodes"))) ||
                 (other_tasks && (has_key(header, n, "MaxJobs") || has_key(header, n, "MaxRecords")));
    if (!stale) {
      hc_buffer_add(out, header, n);
      hc_buffer_add(out, "\n", 1);
    }
    header += n + (header[n] == '\n');
  }
}

static void write_header(cli *c, hc_buffer *out, const hc_trace *t)
{
  hc_trace_info info = *hc_trace_facts(t);
  bool had_header = info.header && info.header[0];
  if (cli_has(c, "procs")) {
    info.processors = hc_trace_capacity(t);
    info.nodes = 0;
  }
  if (changes_tasks(c)) info.jobs = info.records = HC_UNKNOWN;
  if (had_header) {
    old_header(c, out, info.header);
    if (cli_has(c, "procs")) hc_buffer_printf(out, "; MaxProcs: %lld\n", (long long)info.processors);
  } else {
    hc_swf_write_header(out, &info, NULL);
  }
  hc_buffer_text(out, "; Note: converted by hindcast " HC_VERSION ":");
  for (int i = 3; i < c->argc; i++) {
    bool is_output = strcmp(c->argv[i], "--output") == 0 || strcmp(c->argv[i], "-o") == 0;
    if (is_output) i++; /* where it went is not part of what it is */
    else if (strncmp(c->argv[i], "--output=", 9) != 0) hc_buffer_printf(out, " %s", c->argv[i]);
  }
  hc_buffer_text(out, "\n");
}

static hc_rc write_rows(cli *c, hc_trace *t, cli_file *file, hc_buffer *b)
{
  hc_trace_task task;
  cli_progress line;
  uint64_t done, total;
  bool first = true;
  hc_rc rc;
  cli_progress_begin(&line, c, "converting");
  do {
    rc = hc_trace_next(t, &task, &c->error);
    if (rc < 0) break;
    if (first) write_header(c, b, t); /* the header is complete after the first row */
    first = false;
    if (rc == 1) hc_swf_write_spec(b, &task.spec);
    if (b->size < CHUNK && rc == 1) continue;
    hc_trace_progress(t, &done, &total);
    if (cli_file_send(file, b) < 0) rc = cli_interrupted() ? HC_ECANCELLED : HC_EIO;
    else if (!cli_progress_part(&line, done, total)) rc = HC_ECANCELLED;
  } while (rc == 1);
  cli_progress_end(&line);
  return rc;
}

static hc_rc convert(cli *c)
{
  hc_trace_options options = {.mode = cli_has(c, "usable") ? HC_TRACE_TASKS : HC_TRACE_ROWS};
  const char *to = cli_value(c, "to");
  hc_config *config;
  cli_file file;
  hc_buffer b;
  hc_trace *t;
  hc_rc rc;
  if (to && strcmp(to, "swf") != 0)
    return cli_fail(c, HC_EUSAGE, "--to: \"%.80s\" cannot be written; the format is swf", to);
  CLI_TRY(cli_trace_open(c, &options, &config, &t));
  hc_buffer_init(&b, c->allocator);
  rc = cli_file_open(c, cli_value(c, "output"), &file);
  if (rc >= 0) {
    rc = write_rows(c, t, &file, &b);
    if (rc >= 0) rc = cli_file_commit(&file);
    else cli_file_drop(&file);
  }
  hc_buffer_fini(&b);
  hc_trace_close(t);
  hc_config_free(config);
  return rc < 0 ? rc : 0;
}

const cli_command cli_trace_convert = {
    .name = "convert",
    .operands = "[RUN.yaml | LOG]...",
    .summary = "Write a workload as SWF: filtered, scaled, repeated, merged.",
    .detail = "Several logs are merged by time of submission. Flags that change tasks are applied in the "
              "order in which "
              "they stand. Rows stay as they are unless a flag says otherwise.",
    .examples = "hindcast trace convert KTH.swf.gz --first 1000 --shift --output small.swf\n"
                "hindcast trace convert a.swf --repeat 5 --load 0.9 --procs 256 --output big.swf\n"
                "hindcast trace convert a.swf --where 'procs > 1' --from 30d --until 60d",
    .flags = convert_tables,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = convert,
};
