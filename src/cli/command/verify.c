/* verify.c -- `hindcast verify`: re-checks schedules from their records alone.
 *
 * What a policy promised is read from the stored configuration: a blocking selector in the order of arrival
 * never starts a task out of order; EASY that protects its one reservation never delays the head;
 * conservative never starts a task later than it first promised. Whatever else was configured is checked for
 * what every schedule must keep. A schedule of another program is joined with its log, which knows sizes,
 * submissions and estimates. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const cli_flag own_flags[] = {
    {.name = "promise",
     .metavar = "WHAT",
     .complete = "none|fcfs|easy|conservative",
     .help = "What to hold the schedule to: none, fcfs, easy or conservative. Default: what the stored "
             "configuration promises; none for a file."},
    {.name = "procs",
     .letter = 'n',
     .metavar = "N",
     .path = "cell.procs",
     .help = "Processors of the machine. Default: as the result or the log says."},
    {.name = "schedule",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "A schedule of another program (lines of `job submit start end procs`, SWF, AccaSim); the "
             "operand is then the log that it is a schedule of."},
    {.name = "limit", .metavar = "N", .help = "Print at most N violations of each schedule. Default: 100."},
    {.name = "rules", .help = "List what is checked, rule by rule, and what no record says."},
    {.name = "quiet", .letter = 'q', .help = "Print violations only."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_config_flags, cli_format_flags, NULL};

static const cli_column columns[] = {{.name = "schedule"}, {.name = "rule"},   {.name = "time"},
                                     {.name = "job"},      {.name = "serial"}, {.name = "text"}};

static const char *const promise_names[] = {"none", "fcfs", "easy", "conservative"};

typedef struct verifying {
  cli *c;
  const char *path;
  cli_table *violations;
  int64_t limit, said;
} verifying;

/* ---- how it is to be checked ---- */

/* @param out what is asked for; -1 if nothing is */
static hc_rc read_promise(cli *c, int *out)
{
  const char *word = cli_value(c, "promise");
  *out = -1;
  for (size_t i = 0; word && i < CLI_LEN(promise_names); i++)
    if (strcmp(promise_names[i], word) == 0) *out = (int)i;
  if (!word || *out >= 0) return 0;
  return cli_fail(c, HC_EUSAGE, "--promise: expected one of none, fcfs, easy, conservative, got \"%.80s\"",
                  word);
}

/* ---- checking ---- */

static void hear(void *ctx, const hc_violation *v)
{
  verifying *x = ctx;
  if (x->said++ >= x->limit) return;
  cli_add_text(x->violations, x->path);
  cli_add_text(x->violations, v->rule);
  cli_add_time(x->violations, v->at);
  cli_add_int(x->violations, v->id);
  cli_add_int(x->violations, v->serial);
  cli_add_text(x->violations, v->text);
}

static void say_violations(cli *c, const verifying *x)
{
  const cli_table *t = x->violations;
  for (size_t i = 0; i + CLI_LEN(columns) <= t->count; i += CLI_LEN(columns)) {
    const cli_cell *cell = &t->cells[i];
    hc_buffer_printf(&c->out, "%s: %s", cell[0].plain, cell[1].plain);
    if (cell[2].plain) hc_buffer_printf(&c->out, " at t=%s s", cell[2].plain);
    if (cell[3].plain && strcmp(cell[3].plain, "-1") != 0)
      hc_buffer_printf(&c->out, ", job %s", cell[3].plain);
    hc_buffer_printf(&c->out, ": %s\n", cell[5].plain);
  }
  if (x->said > x->limit)
    hc_buffer_printf(&c->out, "%s: and %lld more; --limit shows them\n", x->path,
                     (long long)(x->said - x->limit));
}

static void say_count(cli *c, const char *before, uint64_t n, const char *after)
{
  char text[40];
  text[hc_format_count((int64_t)n, text)] = '\0';
  hc_buffer_printf(&c->out, "%s%s%s", before, text, after);
}

static void say_unchecked(cli *c, const hc_verify_report *r)
{
  const char *before = "";
  hc_buffer_text(&c->out, "  not checked: ");
  if (r->figures_left > 0) {
    hc_buffer_text(&c->out, before);
    say_count(c, "", r->figures_left, " other figures");
    before = "; ";
  }
  for (size_t i = 0; hc_verify_gap_at(i); i++) {
    if ((r->gaps >> i & 1) == 0) continue;
    hc_buffer_printf(&c->out, "%s%s", before, hc_verify_gap_at(i));
    before = "; ";
  }
  hc_buffer_text(&c->out, *before ? "\n" : "nothing that a record has\n");
}

static void say_report(cli *c, const char *path, const hc_verify_report *r, hc_rc rc)
{
  const char *before = " ";
  if (cli_has(c, "quiet")) return;
  hc_buffer_printf(&c->out, "%s: %s: ", path, rc == 0 ? "holds" : "REFUTED");
  say_count(c, "", r->tasks, " tasks on ");
  if (r->hosts > 0) hc_buffer_printf(&c->out, "%zu hosts", r->hosts);
  else hc_buffer_printf(&c->out, "%lld processors", (long long)r->capacity);
  if (r->by_bounds) {
    hc_buffer_text(&c->out,
                   "\n  checked: bounds alone, since numbers that are out of them cannot be added up\n");
    return;
  }
  hc_buffer_text(&c->out, "\n  checked:");
  for (size_t i = 0; hc_verify_rule_at(i); i++) {
    if (r->checked[i] == 0) continue;
    hc_buffer_printf(&c->out, "%s%s ", before, hc_verify_rule_at(i)->name);
    say_count(c, "", r->checked[i], "");
    before = ", ";
  }
  hc_buffer_text(&c->out, *before == ' ' ? " nothing\n" : "\n");
  say_unchecked(c, r);
}

static void put_rules(hc_json_writer *j, const hc_verify_report *r)
{
  hc_json_enter(j, "checked", '{');
  for (size_t i = 0; hc_verify_rule_at(i); i++)
    if (r->checked[i] > 0) hc_json_put_int(j, hc_verify_rule_at(i)->name, (int64_t)r->checked[i]);
  hc_json_leave(j, '}');
  hc_json_enter(j, "broken", '{');
  for (size_t i = 0; hc_verify_rule_at(i); i++)
    if (r->found[i] > 0) hc_json_put_int(j, hc_verify_rule_at(i)->name, (int64_t)r->found[i]);
  hc_json_leave(j, '}');
  hc_json_enter(j, "not_checked", '[');
  for (size_t i = 0; hc_verify_gap_at(i); i++)
    if (r->gaps >> i & 1) hc_json_put_text(j, NULL, hc_verify_gap_at(i));
  hc_json_leave(j, ']');
  hc_json_put_int(j, "figures_not_checked", (int64_t)r->figures_left);
}

static void put_report(cli *c, const verifying *x, const hc_verify_report *r, hc_rc rc, hc_json_writer *j)
{
  if (c->format == CLI_TEXT) {
    say_violations(c, x);
    say_report(c, x->path, r, rc);
    return;
  }
  if (c->format == CLI_CSV) {
    cli_table_csv(x->violations, &c->out);
    return;
  }
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "schedule", x->path);
  hc_json_put_bool(j, "holds", rc == 0);
  hc_json_put_text(j, "promise", promise_names[r->promise]);
  hc_json_put_int(j, "processors", r->capacity);
  hc_json_put_int(j, "tasks", (int64_t)r->tasks);
  hc_json_put_int(j, "instants", (int64_t)r->instants);
  hc_json_put_int(j, "reservations", (int64_t)r->reservations);
  hc_json_put_int(j, "violations", (int64_t)r->violations);
  put_rules(j, r);
  cli_table_member(x->violations, j, "found");
  hc_json_leave(j, '}');
}

/* A schedule with its options; or a result, which has its own. */
typedef struct subject {
  const char *path;
  hc_result *result;
  hc_verify_request *request;
  hc_verify_options *options;
  const cli_records *records;
} subject;

static bool tick(void *ctx, uint64_t done, uint64_t total)
{
  return cli_progress_part(ctx, done, total);
}

static hc_rc check(cli *c, subject *s, hc_json_writer *j)
{
  cli_table violations;
  verifying x = {c, s->path, &violations, 100, 0};
  hc_verify_report report = {0};
  cli_progress line;
  hc_rc rc;
  CLI_TRY(cli_int(c, "limit", 0, INT64_MAX, &x.limit));
  cli_table_init(&violations, c->allocator, columns, CLI_LEN(columns));
  cli_progress_begin(&line, c, "checking");
  if (s->result) s->request->ticks = (hc_verify_ticks){tick, &line};
  else s->options->ticks = (hc_verify_ticks){tick, &line};
  rc = s->result
           ? hc_verify_result(c->allocator, s->result, s->request, hear, &x, &report, &c->error)
           : hc_verify(c->allocator, s->options, s->records->items, s->records->count, hear, &x, &report);
  cli_progress_end(&line);
  if (rc == HC_ENOMEM && !s->result) (void)cli_fail(c, rc, "out of memory for the check");
  if (rc == 0 || rc == HC_EREFUTED) put_report(c, &x, &report, rc, j);
  cli_table_fini(&violations);
  return rc;
}

static hc_rc verify_result(cli *c, const char *path, hc_json_writer *j)
{
  hc_verify_request request = {0};
  subject s = {.path = path, .request = &request};
  hc_rc rc;
  CLI_TRY(cli_int(c, "procs", 1, INT64_MAX, &request.capacity));
  CLI_TRY(read_promise(c, &request.promise));
  CLI_TRY(cli_result_open(c, path, &s.result)); /* it says what is wrong with it */
  rc = check(c, &s, j);
  cli_result_close(c, s.result);
  return rc;
}

/* ---- a schedule and its log ---- */

static int by_id(const void *a, const void *b)
{
  const hc_task_record *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static hc_task_record *find_id(const cli_records *r, int64_t id)
{
  hc_task_record key = {.id = id};
  return r->count ? bsearch(&key, r->items, r->count, sizeof key, by_id) : NULL;
}

/* The log's word counts for everything but start and end. */
static void join_one(hc_task_record *r, const hc_trace_task *t)
{
  r->serial = t->serial;
  r->submit = t->spec.submit;
  r->units = t->units;
  r->estimate = t->estimate;
  r->limit = t->spec.limit;
  r->run = t->run;
}

static hc_rc join(cli *c, hc_config *config, cli_records *records, int64_t *capacity)
{
  hc_trace_options options = {.mode = HC_TRACE_TASKS};
  hc_trace_task task;
  cli_progress line;
  uint64_t rows = 0;
  size_t joined = 0;
  hc_trace *trace;
  hc_rc rc;
  CLI_TRY(hc_trace_open(c->allocator, config, &options, &trace, &c->error));
  qsort(records->items, records->count, sizeof *records->items, by_id);
  cli_progress_begin(&line, c, "reading the log");
  while ((rc = hc_trace_next(trace, &task, &c->error)) == 1) {
    if (!cli_progress_trace(&line, trace, ++rows)) rc = HC_ECANCELLED;
    if (rc < 0) break;
    hc_task_record *r = find_id(records, task.spec.id);
    if (!r) continue;
    joined++;
    join_one(r, &task);
  }
  cli_progress_end(&line);
  *capacity = hc_trace_capacity(trace);
  hc_trace_close(trace);
  if (rc < 0) return rc;
  if (joined == records->count) return 0;
  return hc_fail(&c->error, HC_EINPUT, cli_value(c, "schedule"), 0, 0,
                 "%zu of its %zu tasks are not in %s; are they of the same workload?",
                 records->count - joined, records->count, c->operands[0]);
}

static hc_rc verify_schedule(cli *c, hc_json_writer *j)
{
  const char *path = cli_value(c, "schedule");
  hc_verify_options o = {.honours_run = true};
  hc_config *config = NULL;
  cli_schedule s;
  int promise;
  hc_rc rc;
  CLI_TRY(cli_schedule_open(c, path, &s));
  rc = cli_config(c, &config);
  if (rc >= 0) rc = join(c, config, &s.records, &o.capacity);
  if (rc >= 0) rc = read_promise(c, &promise);
  if (rc >= 0) o.promise = promise < 0 ? HC_PROMISE_NONE : (hc_promise)promise;
  if (rc >= 0) rc = cli_int(c, "procs", 1, INT64_MAX, &o.capacity);
  if (rc >= 0 && o.capacity <= 0)
    rc = cli_fail(c, HC_EUSAGE, "how many processors did the machine have? Say it with --procs N");
  if (rc >= 0) rc = check(c, &(subject){.path = path, .options = &o, .records = &s.records}, j);
  hc_config_free(config);
  cli_schedule_close(c, &s);
  return rc;
}

/* ---- what there is to check ---- */

static void list_rules(cli *c)
{
  static const cli_column titles[] = {{.name = "rule"}, {.name = "meaning"}};
  cli_table t;
  cli_table_init(&t, c->allocator, titles, CLI_LEN(titles));
  for (size_t i = 0; hc_verify_rule_at(i); i++) {
    cli_add_text(&t, hc_verify_rule_at(i)->name);
    cli_add_text(&t, hc_verify_rule_at(i)->text);
  }
  for (size_t i = 0; hc_verify_gap_at(i); i++) {
    cli_add_text(&t, "(no record says)");
    cli_add_text(&t, hc_verify_gap_at(i));
  }
  cli_table_show(c, &t);
  cli_table_fini(&t);
}

static hc_rc run(cli *c)
{
  hc_json_writer j = {.out = &c->out};
  bool refuted = false;
  hc_rc rc = 0;
  if (cli_has(c, "rules")) {
    list_rules(c);
    return 0;
  }
  if (c->operand_count == 0)
    return cli_fail(c, HC_EUSAGE,
                    "usage: hindcast verify RESULT... | LOG --schedule FILE | --rules (`hindcast verify "
                    "--help` says more)");
  if (c->format == CLI_JSON) hc_json_enter(&j, NULL, '[');
  if (cli_has(c, "schedule")) {
    rc = verify_schedule(c, &j);
    refuted = rc == HC_EREFUTED;
  } else {
    for (size_t i = 0; i < c->operand_count && (rc == 0 || rc == HC_EREFUTED); i++) {
      rc = verify_result(c, c->operands[i], &j);
      refuted |= rc == HC_EREFUTED;
    }
  }
  if (c->format == CLI_JSON) hc_json_leave(&j, ']');
  return rc == 0 && refuted ? HC_EREFUTED : rc;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .operands = "RESULT... | LOG --schedule FILE | --rules",
    .summary = "Check schedules from their records alone, with code that shares nothing with the engine.",
    .detail =
        "Nothing may be over capacity at any time, start before its submission or the time that its trace "
        "names (schedule_after), or run for another time than it would; its tables must agree with one "
        "another; and what the policy promised must hold. --rules lists all that is checked; with each "
        "verdict stands how many things were held to each rule, and what was not checked. Exit status 3 if "
        "something does not hold.",
    .examples = "hindcast verify results/*.db\n"
                "hindcast verify log.swf --schedule peer.txt --procs 4 --promise easy",
    .flags = flags,
    .min = 0,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
