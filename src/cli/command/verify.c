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
     .help = "What to hold the schedule to: none, fcfs, easy or conservative. Not given: what the stored "
             "configuration "
             "promises; none for a file."},
    {.name = "procs",
     .letter = 'n',
     .metavar = "N",
     .path = "cell.procs",
     .help = "Processors of the machine. Not given: as the result or the log says."},
    {.name = "schedule",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help = "A schedule of another program (lines of `job submit start end procs`, SWF, AccaSim); the "
             "operand is then "
             "the log that it is a schedule of."},
    {.name = "limit", .metavar = "N", .help = "Print at most N violations of each schedule. Not given: 100."},
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

/* ---- what was promised ---- */

static bool config_is(hc_result *r, const char *path, const char *value)
{
  const char *v = hc_result_config(r, path);
  return v && strcmp(v, value) == 0;
}

/* One decision at the end of each instant in which something happened, on what everybody believes.
 * Elsewhere several decisions stand behind one instant of the records, and what each promised cannot be
 * read off them. */
static bool decides_once(hc_result *r)
{
  return config_is(r, "architecture", "monolithic") && config_is(r, "architecture.call.0", "instant") &&
         !hc_result_config(r, "architecture.call.1") && hc_result_config(r, "architecture.triggers.2") &&
         config_is(r, "architecture.think", "0") && config_is(r, "believe_waiting", "limit") &&
         config_is(r, "believe_running", "limit") && !config_is(r, "policy.place", "contiguous");
}

/* EASY's promise, by its knobs. In whichever order candidates are tried, none may delay the head. */
static bool easy_promises(hc_result *r)
{
  return config_is(r, "policy.select", "easy") && config_is(r, "policy.select.protect", "true") &&
         config_is(r, "policy.select.sticky", "false") && config_is(r, "policy.select.retry", "always") &&
         config_is(r, "policy.select.relax", "0");
}

/* What the stored configuration promises beyond what every schedule must keep. A conservative plan that is
 * made anew as a whole may move a task back, so it promises nothing; one that is compressed or kept does. */
static hc_promise promise_of(hc_result *r)
{
  bool in_order = config_is(r, "policy", "batch") && config_is(r, "policy.order", "fcfs");
  char made[32];
  if (cli_result_info(NULL, r, "hindcast", "made_by", made, sizeof made) && strcmp(made, "analyze") == 0)
    return HC_PROMISE_NONE;
  if (!in_order || !config_is(r, "architecture", "monolithic")) return HC_PROMISE_NONE;
  if (config_is(r, "policy.select", "blocking")) return HC_PROMISE_FCFS;
  if (!decides_once(r)) return HC_PROMISE_NONE;
  if (easy_promises(r)) return HC_PROMISE_EASY;
  if (config_is(r, "policy.select", "conservative") &&
      (config_is(r, "policy.select.replan", "compress") || config_is(r, "policy.select.replan", "none")))
    return HC_PROMISE_CONSERVATIVE;
  return HC_PROMISE_NONE;
}

static hc_rc read_promise(cli *c, hc_result *r, hc_promise *out)
{
  const char *word = cli_value(c, "promise");
  *out = r ? promise_of(r) : HC_PROMISE_NONE;
  if (!word) return 0;
  for (size_t i = 0; i < CLI_LEN(promise_names); i++) {
    if (strcmp(promise_names[i], word) != 0) continue;
    *out = (hc_promise)i;
    return 0;
  }
  return cli_fail(c, HC_EUSAGE, "--promise: expected one of none, fcfs, easy, conservative, got \"%.80s\"",
                  word);
}

static hc_rc read_capacity(cli *c, hc_result *r, int64_t *out)
{
  const char *procs = r ? hc_result_config(r, "cell.procs") : NULL;
  if (r && hc_result_config(r, "world"))
    return cli_fail(c, HC_EUNSUPPORTED,
                    "%s: a run of a closed world has no schedule of tasks that could be verified",
                    hc_result_path(r));
  if (r) *out = cli_result_fact(c, r, "processors", 0);
  if (*out <= 0 && procs) (void)hc_parse_int(procs, strlen(procs), out);
  CLI_TRY(cli_int(c, "procs", 1, INT64_MAX, out));
  if (*out > 0) return 0;
  return cli_fail(c, HC_EUSAGE, "how many processors did the machine have? Say it with --procs N");
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

static void say_report(cli *c, const char *path, const hc_verify_options *o, const hc_verify_report *r,
                       hc_rc rc)
{
  char tasks[40], count[40];
  if (cli_has(c, "quiet")) return;
  tasks[hc_format_count((int64_t)r->tasks, tasks)] = '\0';
  count[hc_format_count((int64_t)r->reservations, count)] = '\0';
  hc_buffer_printf(&c->out, "%s: %s: %s tasks on ", path, rc == 0 ? "holds" : "REFUTED", tasks);
  if (o->hosts) hc_buffer_printf(&c->out, "%zu hosts", o->hosts->host_count);
  else hc_buffer_printf(&c->out, "%lld processors", (long long)o->capacity);
  hc_buffer_printf(&c->out, "; checked capacity, submissions%s%s", o->times ? ", schedule_after" : "",
                   o->honours_run ? ", run times" : "");
  if (o->promise == HC_PROMISE_FCFS) hc_buffer_text(&c->out, "; fcfs");
  if (o->hosts && o->promise == HC_PROMISE_EASY)
    hc_buffer_text(&c->out, "; what EASY promises is not checked on hosts");
  else if (o->promise == HC_PROMISE_EASY) hc_buffer_printf(&c->out, "; easy, %s reservations", count);
  else if (o->promise == HC_PROMISE_CONSERVATIVE)
    hc_buffer_printf(&c->out, "; conservative, %s reservations", count);
  hc_buffer_text(&c->out, "\n");
}

static hc_rc check(cli *c, const char *path, const hc_verify_options *o, const cli_records *records,
                   cli_json *j)
{
  cli_table violations;
  verifying x = {c, path, &violations, 100, 0};
  hc_verify_report report = {0};
  hc_rc rc;
  CLI_TRY(cli_int(c, "limit", 0, INT64_MAX, &x.limit));
  cli_table_init(&violations, c->allocator, columns, CLI_LEN(columns));
  rc = hc_verify(c->allocator, o, records->items, records->count, hear, &x, &report);
  if (rc == HC_ENOMEM) (void)cli_fail(c, rc, "out of memory for the check");
  if (rc == 0 || rc == HC_EREFUTED) {
    if (c->format == CLI_TEXT) {
      say_violations(c, &x);
      say_report(c, path, o, &report, rc);
    } else if (c->format == CLI_CSV) {
      cli_table_csv(&violations, &c->out);
    } else {
      cli_json_open(j, NULL, '{');
      cli_json_text(j, "schedule", path);
      cli_json_bool(j, "holds", rc == 0);
      cli_json_text(j, "promise", promise_names[o->promise]);
      cli_json_int(j, "processors", o->capacity);
      cli_json_int(j, "tasks", (int64_t)report.tasks);
      cli_json_int(j, "instants", (int64_t)report.instants);
      cli_json_int(j, "reservations", (int64_t)report.reservations);
      cli_json_int(j, "violations", (int64_t)report.violations);
      cli_json_table(j, "found", &violations);
      cli_json_close(j, '}');
    }
  }
  cli_table_fini(&violations);
  return rc;
}

/* Tasks that waited for others, or began anew, are not where their submission would put them. */
static bool is_out_of_order(cli *c, hc_result *r)
{
  static const char *const facts[] = {"held_back", "requeued", "preempted", "preempt_killed", "suspensions"};
  for (size_t i = 0; i < CLI_LEN(facts); i++)
    if (cli_result_fact(c, r, facts[i], 0) > 0) return true;
  return false;
}

static hc_rc verify_result(cli *c, const char *path, cli_json *j)
{
  hc_verify_options o = {.honours_run = true};
  hc_verify_hosts hosts = {0};
  hc_verify_stops stops = {0};
  hc_verify_rates rates = {0};
  hc_verify_times times = {0};
  cli_schedule s;
  char made[32];
  hc_rc rc;
  if (!cli_is_result(path)) {
    hc_result *r;
    CLI_TRY(cli_result_open(c, path, &r)); /* it says what is wrong with it */
    hc_result_free(r);
  }
  CLI_TRY(cli_schedule_open(c, path, &s));
  if (cli_result_info(c, s.result, "hindcast", "made_by", made, sizeof made) && strcmp(made, "analyze") == 0)
    o.honours_run = false;
  rc = read_promise(c, s.result, &o.promise);
  if (is_out_of_order(c, s.result) && !cli_has(c, "promise")) o.promise = HC_PROMISE_NONE;
  if (rc >= 0) rc = hc_verify_hosts_read(c->allocator, s.result, &hosts, &c->error);
  if (rc == 1) o.hosts = &hosts;
  if (rc == 0) rc = read_capacity(c, s.result, &o.capacity);
  if (rc >= 0) rc = hc_verify_stops_read(c->allocator, s.result, hosts.host_count, &stops, &c->error);
  if (rc == 1) o.stops = &stops;
  if (rc >= 0) rc = hc_verify_rates_read(c->allocator, s.result, &rates, &c->error);
  if (rc == 1) o.rates = &rates;
  if (rc >= 0) rc = hc_verify_times_read(c->allocator, s.result, &times, &c->error);
  if (rc == 1) o.times = &times;
  /* Only who plans everybody promises something to a task that may not start yet. */
  if (o.times && o.promise != HC_PROMISE_CONSERVATIVE && !cli_has(c, "promise")) o.promise = HC_PROMISE_NONE;
  if (o.stops && o.rates)
    rc = cli_fail(c, HC_EUNSUPPORTED,
                  "%s: tasks were both stopped and suspended in it, which cannot be checked together", path);
  if (rc >= 0) rc = check(c, path, &o, &s.records, j);
  hc_verify_times_free(c->allocator, &times);
  hc_verify_rates_free(c->allocator, &rates);
  hc_verify_stops_free(c->allocator, &stops);
  hc_verify_hosts_free(c->allocator, &hosts);
  cli_schedule_close(c, &s);
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
  size_t joined = 0;
  hc_trace *trace;
  hc_rc rc;
  CLI_TRY(hc_trace_open(c->allocator, config, &options, &trace, &c->error));
  qsort(records->items, records->count, sizeof *records->items, by_id);
  while ((rc = hc_trace_next(trace, &task, &c->error)) == 1) {
    hc_task_record *r = find_id(records, task.spec.id);
    if (!r) continue;
    joined++;
    join_one(r, &task);
  }
  *capacity = hc_trace_capacity(trace);
  hc_trace_close(trace);
  if (rc < 0) return rc;
  if (joined == records->count) return 0;
  return hc_fail(&c->error, HC_EINPUT, cli_value(c, "schedule"), 0, 0,
                 "%zu of its %zu tasks are not in %s; are they of the same workload?",
                 records->count - joined, records->count, c->operands[0]);
}

static hc_rc verify_schedule(cli *c, cli_json *j)
{
  const char *path = cli_value(c, "schedule");
  hc_verify_options o = {.honours_run = true};
  hc_config *config = NULL;
  cli_schedule s;
  hc_rc rc;
  CLI_TRY(cli_schedule_open(c, path, &s));
  rc = cli_config(c, &config);
  if (rc >= 0) rc = join(c, config, &s.records, &o.capacity);
  if (rc >= 0) rc = read_promise(c, NULL, &o.promise);
  if (rc >= 0) rc = read_capacity(c, NULL, &o.capacity);
  if (rc >= 0) rc = check(c, path, &o, &s.records, j);
  hc_config_free(config);
  cli_schedule_close(c, &s);
  return rc;
}

static hc_rc run(cli *c)
{
  cli_json j = {.out = &c->out};
  bool refuted = false;
  hc_rc rc = 0;
  if (c->format == CLI_JSON) cli_json_open(&j, NULL, '[');
  if (cli_has(c, "schedule")) {
    rc = verify_schedule(c, &j);
    refuted = rc == HC_EREFUTED;
  } else {
    for (size_t i = 0; i < c->operand_count && (rc == 0 || rc == HC_EREFUTED); i++) {
      rc = verify_result(c, c->operands[i], &j);
      refuted |= rc == HC_EREFUTED;
    }
  }
  if (c->format == CLI_JSON) cli_json_close(&j, ']');
  return rc == 0 && refuted ? HC_EREFUTED : rc;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .operands = "RESULT... | LOG --schedule FILE",
    .summary = "Check schedules from their records alone, with code that shares nothing with the engine.",
    .detail =
        "Nothing may be over capacity at any time, start before its submission or the time that its trace names "
        "(schedule_after), or run for another time than it "
        "would; and what the policy promised must hold. Exit status 3 if something does not.",
    .examples = "hindcast verify results/*.db\n"
                "hindcast verify log.swf --schedule peer.txt --procs 4 --promise easy",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
