/* when.c -- `hindcast when`: when will the jobs of a live queue start, as far as run times of the past tell.
 *
 * The queue goes on under the site's model, without what comes later, in as many draws as are asked for:
 * each job runs for as long as one of its user's earlier jobs of that name did, a running one given that it
 * has run so long. What is shown are quantiles over the draws. --calibrate is in when_calibrate.c. */
#include <stdlib.h>
#include <string.h>

#include "cli/many.h"
#include "cli/when.h"

#define DRAWS 100
#define WAITED (60 * HC_SECOND) /* jobs that waited longer give moments to look at */

static const cli_flag own_flags[] = {
    {.name = "site",
     .metavar = "SITE.yaml",
     .complete = CLI_FILE,
     .help = "The run file with the site's machine and scheduler, and its records as source."},
    {.name = "history",
     .metavar = "LOG",
     .complete = CLI_FILE,
     .help = "Records that run times are drawn from. Default: the source of SITE.yaml."},
    {.name = "job",
     .metavar = "ID",
     .many = true,
     .help = "Show this job, or all tasks of this array, alone."},
    {.name = "draws", .metavar = "N", .help = "How often run times are drawn. Default: 100."},
    {.name = "calibrate",
     .metavar = "N",
     .help = "In place of a queue: predict at N moments of the last 30 days of the history, in which jobs "
             "waited, from what was known then, and compare with their starts."},
    {.name = "now", .metavar = "DATE", .help = "When the queue was looked at, if its rows do not say it."},
    {.name = "seed", .metavar = "N", .help = "Of the draws. Default: 1."},
    {.name = "limit", .metavar = "N", .help = "Show the first N jobs. Default: all."},
    CLI_FLAG_JOBS,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_config_flags, cli_format_flags, NULL};

/* ---- configurations ---- */

/* SITE.yaml with --set laid upon it, as `run` would have it. */
static hc_rc site_config(cli *c, hc_config **out)
{
  const char *site = cli_value(c, "site");
  const char **was = c->operands;
  const size_t count = c->operand_count;
  if (!site) return cli_fail(c, HC_EUSAGE, "--site: which run file has the site's machine and scheduler?");
  c->operands = &site;
  c->operand_count = 1;
  const hc_rc rc = cli_config(c, out);
  c->operands = was;
  c->operand_count = count;
  return rc;
}

/* @param key  "source.0", or the key of a reader that is said */
static hc_rc set_source(cli *c, hc_config *config, const char *key, const char *path)
{
  CLI_TRY(hc_config_set(config, "source=", &c->error));
  CLI_TRY(hc_config_flag(config, key, path, false, &c->error));
  return hc_config_flag(config, "transforms", "[]", true, &c->error);
}

/* What a queue is read with is what the site's records are: whose clock, and what a job wants. */
static hc_rc copy_options(cli *c, const hc_config *site, hc_config *queue)
{
  static const char *const keys[] = {"source.0.zone", "source.0.demand", "source.0.units",
                                     "source.0.partition_limit"};
  char value[128], known[128];
  for (size_t i = 0; i < CLI_LEN(keys); i++) {
    if (!cli_config_value(site, keys[i], value, sizeof value)) continue;
    if (i > 0 && !cli_config_value(queue, keys[i], known, sizeof known) && i != 3) continue;
    CLI_TRY(hc_config_flag(queue, keys[i], value, false, &c->error));
  }
  return hc_config_resolve(queue, &c->error);
}

static hc_rc queue_config(cli_when *w, hc_config **out)
{
  cli *c = w->c;
  char reader[64];
  hc_rc rc;
  CLI_TRY(site_config(c, out));
  rc = set_source(c, *out, "source.0", c->operands[0]);
  if (rc >= 0) rc = hc_config_resolve(*out, &c->error);
  if (rc >= 0 && cli_config_value(*out, "source.0", reader, sizeof reader) &&
      (strncmp(reader, "squeue", 6) == 0 || strcmp(reader, "scontrol_jobs") == 0))
    rc = copy_options(c, w->log, *out);
  if (rc >= 0 && cli_has(c, "now")) {
    rc = hc_config_flag(*out, "source.0.now", cli_value(c, "now"), false, &c->error);
    if (rc >= 0) rc = hc_config_resolve(*out, &c->error);
  }
  return rc;
}

/* One draw: a queue in memory under the site's model. */
static hc_rc draw_config(cli_when *w, const cli_moment *m, const char *text, bool is_live, hc_config **out)
{
  cli *c = w->c;
  char number[32];
  hc_rc rc;
  CLI_TRY(site_config(c, out));
  rc = set_source(c, *out, "source.0.file", text);
  if (rc >= 0) rc = hc_config_flag(*out, "source.0.use", "native", false, &c->error);
  if (rc >= 0) rc = hc_config_flag(*out, "task_rows", "all", false, &c->error);
  if (rc >= 0) rc = hc_config_flag(*out, "metrics", "[]", true, &c->error);
  if (rc >= 0) rc = hc_config_flag(*out, "rejected", "", true, &c->error);
  if (rc >= 0 && w->procs > 0) {
    (void)snprintf(number, sizeof number, "%lld", (long long)w->procs);
    rc = hc_config_flag(*out, "cell.procs", number, false, &c->error);
  }
  if (rc >= 0 && is_live) rc = hc_config_flag(*out, "events", "[]", true, &c->error); /* of other times */
  if (rc >= 0 && w->zone[0]) rc = hc_config_flag(*out, "zone", w->zone, false, &c->error);
  if (rc >= 0 && m->unix_start != HC_UNKNOWN) {
    (void)snprintf(number, sizeof number, "%lld", (long long)m->unix_start);
    rc = hc_config_flag(*out, "unix_start", number, false, &c->error);
  }
  return rc < 0 ? rc : hc_config_resolve(*out, &c->error);
}

/* ---- the draws ---- */

typedef struct drawing {
  cli_when *w;
  cli_moment *m;
} drawing;

static hc_rc take(void *ctx, size_t which, hc_result *r, const cli_records *tasks)
{
  drawing *x = ctx;
  cli_moment *m = x->m;
  hc_result_facts facts;
  hc_result_facts_of(r, &facts);
  x->w->offset = facts.zone_offset;
  for (size_t i = 0; i < tasks->count; i++) {
    const hc_task_record *t = &tasks->items[i];
    if (t->id >= 0 && (uint64_t)t->id < m->count) m->starts[(size_t)t->id * m->draws + which] = t->start;
  }
  return 0;
}

static hc_rc configure_draws(cli_when *w, cli_moment *m, bool is_live, hc_config **configs)
{
  for (size_t d = 0; d < m->draws; d++) {
    char name[40];
    const hc_buffer *b = &m->texts[d];
    (void)snprintf(name, sizeof name, "when/%zu.yaml", d);
    CLI_TRY(hc_texts_add(w->texts.texts, name, b->data, b->size, &w->c->error));
    CLI_TRY(draw_config(w, m, name, is_live, &configs[d]));
  }
  return 0;
}

hc_rc cli_when_draw(cli_when *w, cli_moment *m, bool is_live)
{
  hc_config **configs = calloc(m->draws, sizeof *configs);
  drawing x = {w, m};
  const cli_many many = {.configs = configs, .count = m->draws, .what = "drawing", .take = take, .ctx = &x};
  hc_rc rc;
  if (!configs) return cli_fail(w->c, HC_ENOMEM, "out of memory for the draws");
  rc = configure_draws(w, m, is_live, configs);
  if (rc >= 0) {
    w->c->started = true;
    rc = cli_many_run(w->c, &many);
  }
  for (size_t d = 0; d < m->draws; d++) hc_config_free(configs[d]);
  free(configs);
  return rc;
}

/* ---- the history ---- */

static hc_rc note_wait(cli *c, cli_waited *x, const hc_task_spec *t)
{
  x->last = t->submit;
  if (t->wait == HC_UNKNOWN || t->wait <= WAITED || t->run == HC_UNKNOWN) return 0;
  if (x->count == x->cap) {
    const size_t cap = x->cap ? 2 * x->cap : 1024;
    hc_time *at = realloc(x->at, cap * sizeof *at);
    if (!at) return cli_fail(c, HC_ENOMEM, "out of memory for the history");
    x->at = at;
    x->cap = cap;
  }
  x->at[x->count++] = t->submit + t->wait / 2;
  return 0;
}

static hc_rc take_sample(cli_when *w, const hc_lexicon *l, const hc_task_spec *t, int64_t unix_start)
{
  const hc_time start = t->submit + (t->wait == HC_UNKNOWN ? 0 : t->wait);
  cli_sample s = {.run = t->run, .limit = t->limit > 0 ? t->limit : HC_UNKNOWN};
  if (t->run == HC_UNKNOWN || t->run < 0 || t->submit == HC_UNKNOWN) return 0;
  s.end = (start + t->run) / HC_SECOND + (unix_start == HC_UNKNOWN ? 0 : unix_start);
  CLI_TRY(cli_history_name(&w->history, hc_lexicon_called(l, HC_CALLED_USER, t->user), t->user, &s.user));
  CLI_TRY(cli_history_name(&w->history, hc_lexicon_called(l, HC_CALLED_EXECUTABLE, t->executable),
                           t->executable, &s.name));
  return cli_history_add(&w->history, &s);
}

static hc_rc read_rows(cli_when *w, hc_trace *trace, cli_waited *x)
{
  hc_trace_task t;
  cli_progress line;
  uint64_t rows = 0;
  hc_rc rc;
  x->first = HC_UNKNOWN;
  cli_progress_begin(&line, w->c, "reading the history");
  while ((rc = hc_trace_next(trace, &t, &w->c->error)) == 1) {
    if (x->first == HC_UNKNOWN) x->first = t.spec.submit;
    rc = take_sample(w, hc_trace_lexicon(trace), &t.spec, hc_trace_facts(trace)->unix_start);
    if (rc >= 0) rc = note_wait(w->c, x, &t.spec);
    if (rc >= 0 && !cli_progress_trace(&line, trace, ++rows)) rc = HC_ECANCELLED;
    if (rc < 0) break;
  }
  cli_progress_end(&line);
  if (rc < 0) return rc;
  const char *zone = hc_trace_facts(trace)->zone;
  char cell[32];
  if (cli_config_value(w->log, "cell", cell, sizeof cell) && strcmp(cell, "auto") == 0)
    w->procs = hc_trace_facts(trace)->processors;
  if (zone) (void)snprintf(w->zone, sizeof w->zone, "%s", zone);
  return rc;
}

static hc_rc read_history(cli_when *w, cli_waited *x)
{
  cli *c = w->c;
  const char *history = cli_value(c, "history");
  const hc_trace_options o = {.mode = HC_TRACE_ROWS};
  hc_trace *trace;
  hc_rc rc;
  CLI_TRY(site_config(c, &w->log));
  if (history) CLI_TRY(set_source(c, w->log, "source.0", history));
  CLI_TRY(hc_config_resolve(w->log, &c->error));
  CLI_TRY(hc_trace_open(c->allocator, w->log, &o, &trace, &c->error));
  rc = read_rows(w, trace, x);
  hc_trace_close(trace);
  return rc < 0 ? rc : cli_history_sort(&w->history);
}

/* ---- saying when ---- */

/* A moment as a date of the site, or where dates are not known as a time since the origin. */
static void add_moment(cli_table *t, const cli_when *w, const cli_moment *m, hc_time at)
{
  char plain[64], human[64];
  if (at == HC_UNKNOWN || at == HC_NEVER) {
    cli_add_pair(t, NULL, at == HC_NEVER ? "not seen" : "-", true);
    return;
  }
  if (m->unix_start == HC_UNKNOWN) {
    human[hc_format_duration(at, human)] = '\0';
    hc_format_seconds(at, plain);
  } else {
    const hc_calendar d = hc_calendar_of(m->unix_start + at / HC_SECOND, w->offset);
    (void)snprintf(plain, sizeof plain, "%04lld-%02d-%02dT%02d:%02d:%02d", (long long)d.year, d.month, d.day,
                   d.hour, d.minute, d.second);
    (void)snprintf(human, sizeof human, "%04lld-%02d-%02d %02d:%02d", (long long)d.year, d.month, d.day,
                   d.hour, d.minute);
  }
  cli_add_pair(t, plain, human, true);
}

static const cli_column columns[] = {{.name = "job"},
                                     {.name = "user"},
                                     {.name = "partition"},
                                     {.name = "processors", .title = "size", .right = true},
                                     {.name = "submitted"},
                                     {.name = "p10", .title = "10 %"},
                                     {.name = "p50", .title = "median"},
                                     {.name = "p90", .title = "90 %"},
                                     {.name = "left", .title = "from now", .right = true},
                                     {.name = "not_started", .title = "not started", .right = true}};

static bool is_asked(const cli *c, const char *label)
{
  bool any = false;
  for (size_t i = 0; i < c->given_count; i++) {
    const char *id = c->given[i].value;
    if (strcmp(c->given[i].flag->name, "job") != 0) continue;
    any = true;
    const size_t n = strlen(id);
    if (strncmp(label, id, n) == 0 && (label[n] == '\0' || label[n] == '_' || label[n] == '+')) return true;
  }
  return !any;
}

static void add_name(cli_table *t, const char *name, int64_t number)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%lld", (long long)number);
  cli_add_text(t, name[0] ? name : number >= 0 ? text : NULL);
}

typedef struct predicted {
  hc_time at[3];
  size_t job;
} predicted;

static int by_median(const void *a, const void *b)
{
  const predicted *x = a, *y = b;
  for (size_t i = 0; i < 3; i++) {
    const hc_time p = x->at[(i + 1) % 3], q = y->at[(i + 1) % 3];
    if (p != q) return p < q ? -1 : 1;
  }
  return (x->job > y->job) - (x->job < y->job);
}

static void add_job(cli_table *t, const cli_when *w, const cli_moment *m, const predicted *p)
{
  const cli_queued *q = &m->jobs[p->job];
  char left[64] = "-", plain[32];
  size_t never = 0;
  for (size_t d = 0; d < m->draws; d++) never += m->starts[p->job * m->draws + d] == HC_UNKNOWN;
  cli_add_text(t, q->label);
  add_name(t, q->user_name, q->user);
  add_name(t, q->partition_name, q->partition);
  cli_add_int(t, q->units);
  add_moment(t, w, m, q->submit);
  for (size_t i = 0; i < 3; i++) add_moment(t, w, m, p->at[i]);
  if (p->at[1] == HC_NEVER) {
    cli_add_pair(t, NULL, left, false);
  } else {
    left[hc_format_duration(p->at[1] - m->now, left)] = '\0';
    hc_format_seconds(p->at[1] - m->now, plain);
    cli_add_pair(t, plain, left, false);
  }
  if (never > 0) cli_add_int(t, (int64_t)never);
  else cli_add_pair(t, "0", "", false);
}

static hc_rc show_queue(const cli_when *w, const cli_moment *m)
{
  static const double shares[] = {0.1, 0.5, 0.9};
  cli *c = w->c;
  predicted *p = calloc(m->count + 1, sizeof *p);
  int64_t limit = INT64_MAX;
  size_t n = 0;
  cli_table t;
  if (!p) return cli_fail(c, HC_ENOMEM, "out of memory for the jobs");
  for (size_t i = 0; i < m->count; i++) {
    if (!m->jobs[i].waits || !is_asked(c, m->jobs[i].label)) continue;
    for (size_t k = 0; k < 3; k++) p[n].at[k] = cli_moment_quantile(m, i, shares[k]);
    p[n++].job = i;
  }
  qsort(p, n, sizeof *p, by_median);
  hc_rc rc = cli_int(c, "limit", 1, INT64_MAX, &limit);
  cli_table_init(&t, c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; rc >= 0 && i < n && i < (size_t)limit; i++) add_job(&t, w, m, &p[i]);
  free(p);
  if (rc >= 0 && n == 0)
    rc = cli_fail(c, HC_EUSAGE, cli_has(c, "job") ? "no job of that number waits" : "no job waits");
  if (rc >= 0) cli_table_show(c, &t);
  cli_table_fini(&t);
  return rc;
}

/* Jobs that ran and do not run on: then the model's machine is not the queue's, or its architecture gives no
 * place to what ran before. */
static size_t unplaced(const cli_moment *m)
{
  size_t n = 0;
  for (size_t i = 0; i < m->count; i++) {
    const hc_time start = m->starts[i * m->draws];
    n += !m->jobs[i].waits && (start == HC_UNKNOWN || start > m->jobs[i].submit);
  }
  return n;
}

static void say_queue(const cli_when *w, const cli_moment *m)
{
  cli *c = w->c;
  char jobs[40], text[96];
  cli_table t;
  if (c->format != CLI_TEXT) return;
  cli_table_init(&t, c->allocator, columns, 1);
  add_moment(&t, w, m, m->now);
  (void)snprintf(text, sizeof text, "%s", t.count > 0 && t.cells[0].human ? t.cells[0].human : "?");
  cli_table_fini(&t);
  jobs[hc_format_count((int64_t)w->history.count, jobs)] = '\0';
  hc_buffer_printf(&c->out, "Queue of %s: %zu running, %zu waiting; %zu draws of run times from %s jobs\n",
                   text, m->count - m->waiting, m->waiting, m->draws, jobs);
}

static void say_notes(const cli_when *w, const cli_moment *m)
{
  cli *c = w->c;
  const size_t lost = unplaced(m);
  if (c->format != CLI_TEXT) return;
  if (lost > 0)
    hc_buffer_printf(&c->out,
                     "note: %zu running %s: is its machine\n"
                     "      the one of the queue, and its architecture `monolithic`?\n",
                     lost,
                     lost == 1 ? "job does not run on where it is in the model"
                               : "jobs do not run on where they are in the model");
  hc_buffer_text(&c->out, "note: jobs that are submitted from now on are not known, and may go first;\n"
                          "      `--calibrate 20` says how far such predictions held in the past\n");
}

static hc_rc predict(cli_when *w)
{
  cli *c = w->c;
  hc_config *queue = NULL;
  cli_moment m = {.c = c};
  hc_rc rc = queue_config(w, &queue);
  if (rc >= 0) rc = cli_moment_open(c, queue, &w->history, HC_UNKNOWN, w->draws, (uint64_t)w->seed, &m);
  if (rc >= 0 && m.waiting == 0)
    rc = cli_fail(c, HC_EUSAGE, "%.200s: no job waits in this queue", c->operands[0]);
  if (rc >= 0) rc = cli_when_draw(w, &m, true);
  if (rc >= 0) say_queue(w, &m);
  if (rc >= 0) rc = show_queue(w, &m);
  if (rc >= 0) say_notes(w, &m);
  cli_moment_close(&m);
  hc_config_free(queue);
  return rc;
}

/* ---- the whole ---- */

static hc_rc carry_out(cli_when *w)
{
  cli *c = w->c;
  int64_t draws = DRAWS, moments = 0;
  cli_waited x = {0};
  hc_rc rc;
  w->seed = 1;
  CLI_TRY(cli_int(c, "draws", 1, 10000, &draws));
  CLI_TRY(cli_int(c, "seed", 0, INT64_MAX, &w->seed));
  CLI_TRY(cli_int(c, "calibrate", 1, 10000, &moments));
  w->draws = (size_t)draws;
  if (moments == 0 && c->operand_count == 0)
    return cli_fail(c, HC_EUSAGE,
                    "which queue? Give what `scontrol show job` or squeue printed, or say --calibrate N");
  if (moments > 0 && c->operand_count > 0) return cli_fail(c, HC_EUSAGE, "a queue or --calibrate, not both");
  rc = read_history(w, &x);
  if (rc >= 0) rc = moments > 0 ? cli_when_calibrate(w, &x, (size_t)moments) : predict(w);
  free(x.at);
  return rc;
}

static hc_rc run(cli *c)
{
  cli_when w = {.c = c, .history = {.c = c}};
  const hc_allocator *was = c->allocator;
  hc_rc rc;
  if (!cli_registry(c)) return HC_ENOMEM; /* it outlives the files in memory */
  CLI_TRY(cli_texts_open(c, &w.texts));
  c->allocator = &w.texts.allocator;
  rc = carry_out(&w);
  hc_config_free(w.log);
  cli_history_close(&w.history);
  c->allocator = was;
  cli_texts_close(&w.texts);
  return rc;
}

const cli_command cli_command_when = {
    .name = "when",
    .operands = "[QUEUE] --site SITE.yaml",
    .summary = "Predict when the jobs of a live queue start, with intervals.",
    .detail =
        "QUEUE is what `scontrol show job` printed, or squeue with a bar between columns (`hindcast "
        "describe squeue`). "
        "Under the model of SITE.yaml it goes on with run times that are drawn from the site's records: "
        "those of the "
        "same user and job name that ended before, scaled to the limit; else of the user; else of all. For "
        "each job that "
        "waits the start is shown by which 10, 50 and 90 % of the draws have it running. --calibrate does "
        "the same in "
        "the past, where starts are known. docs/when.md says more.",
    .examples = "scontrol show job >now.txt; hindcast when now.txt --site site.yaml\n"
                "hindcast when now.txt --site site.yaml --job 4711\n"
                "hindcast when --site site.yaml --calibrate 20",
    .flags = flags,
    .min = 0,
    .max = 1,
    .complete = CLI_FILE,
    .run = run,
};
