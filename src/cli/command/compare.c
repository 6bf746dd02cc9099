/* compare.c -- `hindcast compare`: figures side by side, and tasks one by one (compare_tables.c), or group by
 * group (compare_by.c). */
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/groups.h"

static const cli_flag own_flags[] = {
    {.name = "expect",
     .metavar = "equal",
     .complete = "equal",
     .help = "Exit with status 3 if a task starts at another time than in the first one."},
    {.name = "job-by-job", .metavar = "N", .help = "List the first N tasks that start at another time."},
    {.name = "differ",
     .metavar = "start|wait",
     .complete = "start|wait",
     .help =
         "By what a task counts as another one: its start, or its wait, which a constant offset between two "
         "clocks leaves alone. Default: start."},
    {.name = "by",
     .metavar = "WHAT",
     .complete = CLI_BY_WORDS,
     .many = true,
     .help =
         "Show which users, groups (or accounts), executables, queues (or qos), partitions, months, days, "
         "weekdays, hours, sizes or estimates lose and gain instead, task by task, those first that lose "
         "most; or by an expression over the tasks of the first result: 'run > 3600'. Two of them make "
         "groups of pairs: user,day. (start and wait are what --differ takes.)"},
    {.name = "sort",
     .metavar = "COLUMN",
     .help = "With --by: the greatest first, or with -COLUMN the least; group: in the order of the groups. "
             "Default: lost_hours."},
    CLI_FLAG_LIMIT,
    CLI_FLAG_SIZES,
    CLI_FLAG_ESTIMATES,
    CLI_FLAG_MARKDOWN_BY,
    CLI_FLAG_LATEX_BY,
    {.name = "tau", .metavar = "SECONDS", .help = "Threshold of the paired bounded slowdown. Default: 10."},
    {.name = "batches",
     .metavar = "N",
     .help = "How many batch means intervals are made of, and show the means of each result by itself with "
             "theirs, as it is done for a single one. Default: 30."},
    {.name = "all", .letter = 'a', .help = "Every figure, not only the usual ones."},
    {.name = "scope",
     .metavar = "all|trimmed",
     .complete = "all|trimmed",
     .help =
         "Which summary is compared; with --by trimmed: the tasks that the trim of the first result keeps. "
         "Default: all."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

typedef struct options {
  cli_compare_options tables;
  bool expect_equal;
} options;

/* ---- saying so ---- */

void cli_show_notes(const hc_buffer *notes, hc_buffer *out)
{
  for (const char *line = notes->size ? notes->data : ""; *line;) {
    const size_t n = strcspn(line, "\n");
    hc_buffer_printf(out, "%snote: %.*s\n", line == notes->data && out->size ? "\n" : "", (int)n, line);
    line += n + (line[n] == '\n');
  }
}

void cli_json_notes(hc_json_writer *j, const hc_buffer *notes)
{
  hc_json_enter(j, "notes", '[');
  for (char *line = notes->size ? notes->data : NULL; line && *line;) {
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    hc_json_put_text(j, NULL, line);
    line = end ? end + 1 : NULL;
  }
  hc_json_leave(j, ']');
}

static void show(cli *c, const cli_schedule *s, const options *o, const cli_comparison *t)
{
  const cli_table *figures = &t->figures, *alone = &t->alone, *paired = &t->paired, *jobs = &t->jobs;
  hc_buffer *out = &c->out;
  hc_json_writer j = {.out = out};
  out->failed |= figures->failed || alone->failed || paired->failed || jobs->failed || t->notes.failed;
  switch (c->format) {
    case CLI_TEXT:
      if (figures->count) cli_table_text(figures, out, 0, true);
      if (alone->count) {
        hc_buffer_printf(out,
                         "%sBy itself: mean, 95 %% confidence interval (t over %lld batch means in order of "
                         "submission)\n",
                         figures->count ? "\n" : "", (long long)o->tables.batches);
        cli_table_text(alone, out, 2, true);
      }
      if ((figures->count || alone->count) && paired->count) hc_buffer_text(out, "\n");
      if (paired->count) {
        hc_buffer_printf(
            out,
            "Task by task against %s: mean difference, 95 %% confidence interval (t over %lld batch "
            "means in order of submission), p of the same t, and the verdict where it is below 0.05\n",
            s[0].name, (long long)o->tables.batches);
        cli_table_text(paired, out, 2, true);
      }
      if (jobs->count) {
        hc_buffer_printf(out, "\nTasks that differ from %s:\n", s[0].name);
        cli_table_text(jobs, out, 2, true);
      }
      cli_show_notes(&t->notes, out);
      break;
    case CLI_CSV:
      cli_table_csv(cli_has(c, "job-by-job") ? jobs
                    : alone->count           ? alone
                    : figures->count         ? figures
                                             : paired,
                    out);
      break;
    case CLI_JSON:
      hc_json_enter(&j, NULL, '{');
      hc_json_put_text(&j, "first", s[0].path);
      cli_table_member(figures, &j, "figures");
      if (alone->count) cli_table_member(alone, &j, "alone");
      cli_table_member(paired, &j, "paired");
      if (cli_has(c, "job-by-job")) cli_table_member(jobs, &j, "differences");
      cli_json_notes(&j, &t->notes);
      hc_json_leave(&j, '}');
      break;
  }
}

/* --differ, or --by start and --by wait, which said so before. */
static const char *differ_by(cli *c)
{
  const char *said = cli_value(c, "differ");
  for (size_t i = 0; !said && i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0 && cli_is_differ(c->given[i].value))
      said = c->given[i].value;
  return said;
}

static bool has_groups(const cli *c)
{
  for (size_t i = 0; i < c->given_count; i++)
    if (strcmp(c->given[i].flag->name, "by") == 0 && !cli_is_differ(c->given[i].value)) return true;
  return false;
}

/* Flags that only make sense together, or never do. */
static hc_rc check_flags(cli *c)
{
  static const char *const others[] = {"expect", "job-by-job", "all", "differ"};
  static const char *const own[] = {"sort", "limit", "sizes", "estimates", "markdown", "latex"};
  const bool by = has_groups(c);
  for (size_t i = 0; by && i < CLI_LEN(others); i++)
    if (cli_has(c, others[i])) return cli_fail(c, HC_EUSAGE, "--by or --%s, not both", others[i]);
  for (size_t i = 0; !by && i < CLI_LEN(own); i++)
    if (cli_has(c, own[i])) return cli_fail(c, HC_EUSAGE, "--%s is for --by; say by what, --by user", own[i]);
  if (by && c->operand_count == 1)
    return cli_fail(c, HC_EUSAGE,
                    "with what? Name another result to compare with, or `hindcast show %.200s --by ...`",
                    c->operands[0]);
  return 0;
}

static hc_rc read_options(cli *c, options *o)
{
  const char *expect = cli_value(c, "expect"), *by = differ_by(c), *tau = cli_value(c, "tau");
  const char *scope = cli_value(c, "scope");
  CLI_TRY(check_flags(c));
  o->tables = (cli_compare_options){
      .tau = 10,
      .verdicts = true,
      .batches = CLI_BATCHES,
      .alone = c->operand_count == 1 || cli_has(c, "batches")};
  if (expect && strcmp(expect, "equal") != 0)
    return cli_fail(c, HC_EUSAGE, "--expect takes \"equal\", got \"%.80s\"", expect);
  if (by && strcmp(by, "wait") != 0 && strcmp(by, "start") != 0)
    return cli_fail(c, HC_EUSAGE, "--differ takes \"start\" or \"wait\", got \"%.80s\"", by);
  if (scope && strcmp(scope, "all") != 0 && strcmp(scope, "trimmed") != 0)
    return cli_fail(c, HC_EUSAGE, "--scope takes \"all\" or \"trimmed\", got \"%.80s\"", scope);
  if (tau && (hc_parse_real(tau, strlen(tau), &o->tables.tau) < 0 || !(o->tables.tau > 0)))
    return cli_fail(c, HC_EUSAGE, "--tau: expected a number of seconds above zero, got \"%.80s\"", tau);
  o->expect_equal = expect != NULL;
  o->tables.by_wait = by && strcmp(by, "wait") == 0;
  if (c->operand_count == 1 && (expect || cli_has(c, "job-by-job")))
    return cli_fail(c, HC_EUSAGE, "with what? Name another result to compare with");
  CLI_TRY(cli_int(c, "batches", 2, 1000, &o->tables.batches));
  return cli_int(c, "job-by-job", 1, INT64_MAX, &o->tables.jobs);
}

static hc_rc compare_all(cli *c, const options *o, const cli_schedule *s, size_t count)
{
  cli_comparison x;
  hc_rc rc = cli_compare_tables(c, &o->tables, s, count, &x);
  const bool are_equal = x.are_equal;
  if (rc >= 0) show(c, s, o, &x);
  cli_comparison_free(&x);
  if (rc >= 0 && o->expect_equal && !are_equal)
    return cli_fail(c, HC_EREFUTED,
                    "the schedules are not equal; --job-by-job 10 lists the first differences");
  return rc;
}

static hc_rc run(cli *c)
{
  cli_schedule *s = calloc(c->operand_count, sizeof *s);
  options o;
  size_t n = 0;
  hc_rc rc = s ? read_options(c, &o) : HC_ENOMEM;
  for (; rc == 0 && n < c->operand_count; n++) {
    rc = cli_schedule_open(c, c->operands[n], &s[n]);
    if (rc < 0) break;
  }
  if (rc >= 0 && c->operand_count > 1) cli_shorten_names(s, c->operand_count);
  if (rc >= 0)
    rc = has_groups(c) ? cli_compare_by(c, s, c->operand_count, (uint32_t)o.tables.batches, o.tables.tau)
                       : compare_all(c, &o, s, c->operand_count);
  for (size_t i = 0; i < n; i++) cli_schedule_close(c, &s[i]);
  free(s);
  return rc;
}

const cli_command cli_command_compare = {
    .name = "compare",
    .operands = "RESULT...",
    .summary = "Show results side by side, and how the others differ from the first, task by task.",
    .detail =
        "An operand that is no result is read as a schedule of another program: lines of `job submit start "
        "end procs`, the Standard Workload Format with simulated waits, or AccaSim's output, plain or "
        "packed. Tasks are matched by their order of submission, or by job id where that differs. Of a "
        "single result: how sure its means are, by batch means. The verdict is better or worse where p of "
        "the t test over the batch means is below 0.05, same where every task has the same, else unclear: "
        "of this log's own variation in time, and of no other log. With --by: who loses and who gains, with "
        "an interval for each group by the same batch means, and verdicts by the t test over them with "
        "Holm's correction.",
    .examples = "hindcast compare results/*.db\n"
                "hindcast compare KTH-easy.db KTH-sjf.db --by user --limit 20\n"
                "hindcast compare KTH-easy.db peer.txt.zst --expect equal --job-by-job 10",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
