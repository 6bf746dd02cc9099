/* report.c -- `hindcast report`: one HTML file that shows runs, and needs nothing else.
 *
 * The page (report_page.c) is text with four marks: what its policy allows an engine, its title, what can be
 * read without JavaScript, and data. Data are scripts that are never run, of type application/json: the
 * head, and of each run its schedule as packed columns (the exporter `columns`). In them every `<` is written
 * as \u003c, which JSON knows only within strings, so that no name of a log can end the script that it stands
 * in. With --interactive it has what it takes to run again, too: report_rerun.c, report_engine.c. */
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

#define VERIFY_MOST 200000 /* tasks that are checked without being asked: about a second */

/* What tasks are grouped by, as far as the first result knows it. */
static const char *const words[] = {"user", "group", "account", "partition", "queue",
                                    "qos",  "size",  "weekday", "hour"};

static const cli_flag own_flags[] = {
    {.name = "output",
     .letter = 'o',
     .metavar = "FILE.html",
     .complete = CLI_FILE,
     .help = "Write here; the file appears only when it is whole. Default: report.html."},
    {.name = "title", .metavar = "TEXT", .help = "Title of the page. Default: what the first result is of."},
    {.name = "verify",
     .metavar = "yes|no",
     .complete = "yes|no",
     .help = "Check each schedule from its records, as `hindcast verify` does, and show what came of "
             "it. Default: yes, up to 200,000 tasks a result."},
    {.name = "claims",
     .metavar = "FILE.yaml",
     .complete = CLI_FILE,
     .help = "Of a study: decide the statements of this file over it, as `hindcast study check` does."},
    {.name = "story",
     .metavar = "TASK",
     .many = true,
     .help = "Tell in the page why this task waited, in each result that has it, as `hindcast why` does: its "
             "number, its name, or # and a serial. May be given again."},
    {.name = "stories",
     .metavar = "N",
     .help = "Of so many tasks in all: those that wait longest in the first result, and those whose waits "
             "differ most. Each costs a run of every result up to the task's start. Default: as many as 0.3 "
             "seconds are enough for, up to 10. At most 1000."},
    {.name = "interactive",
     .help =
         "Put the engine and the runs' inputs into the file, too: its page makes the runs again with another "
         "policy, machine or key, and shows what comes of it beside them."},
    {.name = "engine",
     .metavar = "FILE.wasm",
     .complete = CLI_FILE,
     .help = "With --interactive: take the engine from here. Default: the one that is built in."},
    CLI_FLAG_FORCE,
    CLI_FLAG_QUIET,
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, NULL};

/* ---- reading ---- */

static hc_rc open_run(cli *c, const char *path, cli_report_run *run)
{
  cli_schedule *s = &run->schedule;
  const hc_error kept = c->error;
  *run = (cli_report_run){.schedule = {.path = path, .format = "result"}, .verified = 1};
  hc_buffer_init(&run->verdict, c->allocator);
  hc_buffer_init(&run->config, c->allocator);
  cli_stem(path, s->name, sizeof s->name);
  CLI_TRY(cli_result_open(c, path, &s->result));
  CLI_TRY(hc_result_digest(s->result, run->digest, &c->error));
  const hc_rc rc = cli_records_load(c, s->result, &s->records);
  if (rc == HC_EUSAGE) c->error = kept; /* the page says that rows are missing */
  else CLI_TRY(rc);
  run->is_empty = rc >= 0 && s->records.count == 0;
  run->has_rows = rc >= 0 && s->records.count > 0;
  return 0;
}

static void close_run(cli *c, cli_report_run *run)
{
  cli_schedule_close(c, &run->schedule);
  hc_buffer_fini(&run->verdict);
  hc_buffer_fini(&run->config);
}

/* ---- checking ---- */

typedef struct first_violation {
  char text[300];
} first_violation;

static void hear(void *ctx, const hc_violation *v)
{
  first_violation *f = ctx;
  if (!f->text[0])
    (void)snprintf(f->text, sizeof f->text, "%s, job %lld: %s", v->rule, (long long)v->id, v->text);
}

/* Why a schedule is not checked; NULL: it is. */
static const char *why_open(cli *c, const cli_report_run *run)
{
  const char *asked = cli_value(c, "verify");
  if (run->is_empty) return "it has no task";
  if (!run->has_rows) return "it does not have a row for every task";
  if (asked) return strcmp(asked, "no") == 0 ? "--verify no" : NULL;
  return run->schedule.records.count > VERIFY_MOST ? "more than 200,000 tasks; --verify yes does it" : NULL;
}

static hc_rc verify(cli *c, cli_report_run *run)
{
  const char *why = why_open(c, run);
  const hc_verify_request request = {.promise = -1};
  hc_verify_report report = {0};
  first_violation first = {""};
  hc_error failed = c->error;
  char tasks[40];
  if (why) {
    hc_buffer_printf(&run->verdict, "not checked (%s)", why);
    return run->verdict.failed ? HC_ENOMEM : 0;
  }
  const hc_rc rc =
      hc_verify_result(c->allocator, run->schedule.result, &request, hear, &first, &report, &failed);
  tasks[hc_format_count((int64_t)report.tasks, tasks)] = '\0';
  if (rc == 0) hc_buffer_printf(&run->verdict, "holds for %s tasks", tasks);
  else if (rc == HC_EREFUTED)
    hc_buffer_printf(&run->verdict, "refuted by %llu violations of %s tasks, the first: %s",
                     (unsigned long long)report.violations, tasks, first.text);
  else if (rc == HC_EUNSUPPORTED || rc == HC_EUSAGE)
    hc_buffer_printf(&run->verdict, "not checked: %s", failed.text);
  else {
    c->error = failed;
    return rc;
  }
  run->verified = rc == 0 || rc == HC_EREFUTED ? rc : 1;
  return run->verdict.failed ? HC_ENOMEM : 0;
}

/* ---- groups ---- */

typedef struct taking {
  cli_report *x;
  const char *word;
  size_t run;
} taking;

static size_t column_of(const cli_table *t, const char *name)
{
  size_t i = 0;
  while (i < t->width && strcmp(t->columns[i].name, name) != 0) i++;
  return i;
}

/* How many groups lose and gain; the first that loses is the one that loses most. */
static void count_groups(cli_report_groups *g, const cli_table *t)
{
  const size_t verdict = column_of(t, "verdict"), wait = column_of(t, "wait_difference");
  for (size_t row = 0; row + t->width <= t->count; row += t->width) {
    const char *word = t->cells[row + verdict].plain, *plain = t->cells[row + wait].plain;
    const cli_cell *name = &t->cells[row];
    g->groups++;
    if (!word) continue;
    g->gaining += strcmp(word, "gains") == 0;
    if (strcmp(word, "loses") != 0) continue;
    if (g->losing++ > 0 || !plain) continue;
    (void)hc_parse_real(plain, strlen(plain), &g->worst_wait);
    hc_buffer_printf(&g->worst, "%s %s", g->title.data,
                     name->human   ? name->human
                     : name->plain ? name->plain
                                   : "not known");
  }
}

static hc_rc take(void *ctx, const char *name, const char *title, const cli_table *t, const char *counts)
{
  taking *k = ctx;
  cli_report *x = k->x;
  k->run++;
  if (t->count < 2 * t->width) return 0; /* one group is no question */
  if (x->group_count == x->group_cap) {
    cli_report_groups *groups = realloc(x->groups, (x->group_cap * 2 + 16) * sizeof *groups);
    if (!groups) return HC_ENOMEM;
    x->groups = groups;
    x->group_cap = x->group_cap * 2 + 16;
  }
  cli_report_groups *g = &x->groups[x->group_count++];
  *g = (cli_report_groups){.word = k->word, .run = k->run};
  hc_buffer *all[] = {&g->title, &g->against, &g->counts, &g->table, &g->worst};
  for (size_t i = 0; i < CLI_LEN(all); i++) hc_buffer_init(all[i], x->c->allocator);
  hc_buffer_text(&g->title, title);
  hc_buffer_printf(&g->against, "%s against %s", name, x->schedules[0].name);
  hc_buffer_add(&g->counts, counts, strcspn(counts, "\n"));
  hc_json_writer j = {.out = &g->table, .compact = true};
  cli_table_page(
      t, &j, NULL, title,
      "Task by task against the first: mean difference of waits, 95 % confidence interval (t over at most 30 "
      "batch means in order of submission), p of the same t with Holm's correction over the groups");
  count_groups(g, t);
  bool out_of_memory = false;
  for (size_t i = 0; i < CLI_LEN(all); i++) out_of_memory |= all[i]->failed;
  return out_of_memory ? HC_ENOMEM : 0;
}

/* Without accounts beside groups both words would make the same groups; so it is with QOS and queues. */
static bool is_known(cli *c, hc_result *r, const char *word)
{
  hc_result_facts facts;
  hc_result_facts_of(r, &facts);
  if (strcmp(word, "weekday") == 0 || strcmp(word, "hour") == 0) return facts.unix_start != HC_UNKNOWN;
  if (strcmp(word, "account") == 0) return cli_result_fact(c, r, "account_beside_group", 0) > 0;
  if (strcmp(word, "qos") == 0) return cli_result_fact(c, r, "qos_beside_queue", 0) > 0;
  return true;
}

static hc_rc compare_groups(cli_report *x)
{
  hc_result *r = x->schedules[0].result;
  for (size_t i = 0; i < CLI_LEN(words); i++) {
    taking k = {x, words[i], 0};
    const cli_group_taker taker = {take, &k};
    if (!is_known(x->c, r, words[i])) continue;
    CLI_TRY(cli_compare_groups(x->c, x->schedules, x->count, words[i], &taker));
  }
  return 0;
}

/* Results of different workloads stand beside each other by their figures alone, and the page says why. */
static hc_rc set_apart(cli_report *x, cli_compare_options *o)
{
  hc_error *e = &x->c->error;
  hc_buffer_printf(&x->apart, "%s: %s", e->where, e->text);
  *e = (hc_error){0};
  x->is_compared = false;
  o->figures_alone = true;
  cli_comparison_free(&x->comparison);
  return cli_compare_tables(x->c, o, x->schedules, x->count, &x->comparison);
}

static hc_rc compare(cli_report *x)
{
  cli_compare_options o = {.tau = 10, .batches = CLI_BATCHES, .alone = true};
  bool all_rows = true;
  for (size_t i = 0; i < x->count; i++) all_rows &= x->runs[i].has_rows;
  x->is_compared = all_rows && x->count > 1;
  o.figures_alone = !all_rows;
  hc_rc rc = cli_compare_tables(x->c, &o, x->schedules, x->count, &x->comparison);
  if (rc == HC_EUSAGE && x->is_compared) rc = set_apart(x, &o);
  CLI_TRY(rc);
  return x->is_compared ? compare_groups(x) : 0;
}

/* ---- writing ---- */

/* Data within a page: `<` as \u003c. */
static hc_rc write_data(void *ctx, const void *data, size_t size)
{
  const hc_sink *to = ctx;
  const char *p = data, *end = p + size;
  while (p < end) {
    const char *mark = memchr(p, '<', (size_t)(end - p));
    const size_t n = (size_t)((mark ? mark : end) - p);
    if (n > 0) CLI_TRY(to->write(to->ctx, p, n));
    if (mark) CLI_TRY(to->write(to->ctx, "\\u003c", 6));
    p += n + (mark != NULL);
  }
  return 0;
}

static hc_rc write_text(cli *c, const hc_sink *out, const char *text, size_t size)
{
  const hc_rc rc = out->write(out->ctx, text, size);
  return rc < 0 ? cli_fail(c, rc, "the report could not be written") : 0;
}

static hc_rc write_until(cli *c, const hc_sink *out, cli_page_mark mark)
{
  size_t size;
  const char *text = cli_report_page(mark, &size);
  return write_text(c, out, text, size);
}

/* Sentences as paragraphs, for readers without JavaScript. */
static void add_plain(const cli_report *x, const hc_buffer *sentences, hc_buffer *out)
{
  hc_buffer_text(out, "<h1>");
  hc_xml_text(out, x->title.data, x->title.size);
  hc_buffer_text(out, "</h1>\n");
  for (const char *line = sentences->size ? sentences->data : ""; *line;) {
    const size_t n = strcspn(line, "\n");
    hc_buffer_text(out, "<p>");
    hc_xml_text(out, line, n);
    hc_buffer_text(out, "</p>\n");
    line += n + (line[n] == '\n');
  }
}

static hc_rc write_columns(cli_report *x, size_t i, const hc_sink *out)
{
  const hc_sink escaped = {.ctx = (void *)(uintptr_t)out, .write = write_data};
  char begin[80];
  const int n = snprintf(begin, sizeof begin, "<script type=\"application/json\" id=\"columns-%zu\">", i);
  CLI_TRY(write_text(x->c, out, begin, (size_t)n));
  CLI_TRY(hc_export_result(x->c->allocator, x->c->registry, "columns", NULL, 0, x->runs[i].schedule.result,
                           &escaped, &x->c->error));
  return write_text(x->c, out, "</script>\n", 10);
}

static hc_rc write_json(cli_report *x, const char *begin, const hc_buffer *json, const hc_sink *out)
{
  CLI_TRY(write_text(x->c, out, begin, strlen(begin)));
  CLI_TRY(write_data((void *)(uintptr_t)out, json->data, json->size));
  return write_text(x->c, out, "</script>\n", 10);
}

/* A page that runs again compiles WebAssembly, and starts one worker out of its own text: its policy allows
 * these two and nothing else that a page without an engine may not. */
static hc_rc write_policy(cli_report *x, const hc_sink *out)
{
  static const char allowed[] = " 'wasm-unsafe-eval'; worker-src blob:";
  CLI_TRY(write_until(x->c, out, CLI_PAGE_POLICY));
  return x->engine.size > 0 ? write_text(x->c, out, allowed, sizeof allowed - 1) : 0;
}

/* The engine, and what it can run. */
static hc_rc write_engine(cli_report *x, const hc_sink *out)
{
  static const char begin[] = "<script type=\"application/json\" id=\"what-if\">";
  hc_buffer head;
  if (x->engine.size == 0) return 0;
  hc_buffer_init(&head, x->c->allocator);
  hc_rc rc = cli_report_engine_head(x, &head);
  if (rc >= 0) rc = write_json(x, begin, &head, out);
  hc_buffer_fini(&head);
  return rc < 0 ? rc : cli_report_engine_write(x, out);
}

static hc_rc write_parts(cli_report *x, const hc_buffer *plain, const hc_buffer *head, const hc_sink *out)
{
  hc_buffer title;
  hc_rc rc;
  hc_buffer_init(&title, x->c->allocator);
  hc_xml_text(&title, x->title.data, x->title.size);
  rc = title.failed ? HC_ENOMEM : write_policy(x, out);
  if (rc >= 0) rc = write_until(x->c, out, CLI_PAGE_TITLE);
  if (rc >= 0) rc = write_text(x->c, out, title.data, title.size);
  hc_buffer_fini(&title);
  CLI_TRY(rc);
  CLI_TRY(write_until(x->c, out, CLI_PAGE_PLAIN));
  CLI_TRY(write_text(x->c, out, plain->data, plain->size));
  CLI_TRY(write_until(x->c, out, CLI_PAGE_DATA));
  CLI_TRY(write_json(x, "<script type=\"application/json\" id=\"head\">", head, out));
  for (size_t i = 0; i < x->count; i++)
    if (x->runs[i].has_rows) CLI_TRY(write_columns(x, i, out));
  CLI_TRY(write_engine(x, out));
  return write_until(x->c, out, CLI_PAGE_END);
}

static hc_rc make_head(cli_report *x, hc_buffer *sentences, hc_buffer *head)
{
  hc_json_writer j = {.out = head, .compact = true};
  if (x->study) return cli_report_study(x->c, x->study, x->title.data, sentences, &j);
  cli_report_sentences(x, sentences);
  return cli_report_head(x, sentences, &j);
}

static hc_rc write_page(cli_report *x, const hc_sink *out)
{
  hc_buffer sentences, head, plain;
  hc_rc rc;
  hc_buffer_init(&sentences, x->c->allocator);
  hc_buffer_init(&head, x->c->allocator);
  hc_buffer_init(&plain, x->c->allocator);
  rc = make_head(x, &sentences, &head);
  if (rc >= 0) add_plain(x, &sentences, &plain);
  if (rc >= 0 && (sentences.failed || plain.failed)) rc = HC_ENOMEM;
  if (rc >= 0) rc = write_parts(x, &plain, &head, out);
  hc_buffer_fini(&sentences);
  hc_buffer_fini(&head);
  hc_buffer_fini(&plain);
  return rc;
}

static void say_what(cli_report *x, const char *path)
{
  hc_buffer *out = &x->c->out;
  if (x->study) hc_buffer_printf(out, "%s shows a study", path);
  else hc_buffer_printf(out, "%s shows %zu %s", path, x->count, x->count == 1 ? "run" : "runs side by side");
  hc_buffer_text(out, "; a browser opens it, without a network\n");
}

static hc_rc write_file(cli_report *x)
{
  cli *c = x->c;
  const char *path = cli_value(c, "output") ? cli_value(c, "output") : "report.html";
  cli_file file;
  CLI_TRY(cli_file_open(c, path, &file));
  const hc_rc rc = write_page(x, &file.sink);
  if (rc < 0) {
    cli_file_drop(&file);
    return rc;
  }
  CLI_TRY(cli_file_commit(&file));
  if (!cli_has(c, "quiet") && strcmp(path, "-") != 0) say_what(x, path);
  return 0;
}

/* ---- all of it ---- */

/* What the results are of: the first input's name, else the first result's. */
static hc_rc first_input(void *ctx, const char *const *v)
{
  hc_buffer *title = ctx;
  char stem[208];
  if (title->size > 0 || !v[0]) return 0;
  cli_stem(v[0], stem, sizeof stem);
  hc_buffer_text(title, stem);
  return 0;
}

static hc_rc name_page(cli_report *x)
{
  const char *title = cli_value(x->c, "title");
  if (title) hc_buffer_text(&x->title, title);
  else CLI_TRY(hc_result_rows(x->schedules[0].result, "inputs", 3, first_input, &x->title, &x->c->error));
  if (x->title.size == 0) hc_buffer_text(&x->title, x->schedules[0].name);
  return x->title.failed ? HC_ENOMEM : 0;
}

/* Whether the only operand is the store of a study. */
static hc_rc open_study(cli_report *x)
{
  hc_error failed = {0};
  if (x->c->operand_count > 1) return 0;
  const hc_rc rc = hc_study_data_load(x->c->allocator, x->c->operands[0], &x->study, &failed);
  if (rc == HC_EVERSION || rc == HC_ENOMEM) x->c->error = failed;
  else if (rc < 0) return 0; /* a run's, or none: then that says what is wrong */
  return rc;
}

static hc_rc make_study(cli_report *x)
{
  const char *title = cli_value(x->c, "title");
  static const char *const of_runs[] = {"verify", "story", "stories"};
  for (size_t i = 0; i < CLI_LEN(of_runs); i++)
    if (cli_has(x->c, of_runs[i]))
      return cli_fail(x->c, HC_EUSAGE, "--%s is for results of runs; %.200s is a study", of_runs[i],
                      x->c->operands[0]);
  hc_buffer_text(&x->title, title ? title : x->study->name);
  return x->title.failed ? HC_ENOMEM : write_file(x);
}

static hc_rc check_flags(cli *c, const cli_report *x)
{
  const char *asked = cli_value(c, "verify");
  if (asked && strcmp(asked, "yes") != 0 && strcmp(asked, "no") != 0)
    return cli_fail(c, HC_EUSAGE, "--verify takes \"yes\" or \"no\", got \"%.80s\"", asked);
  if (cli_has(c, "claims") && !x->study)
    return cli_fail(c, HC_EUSAGE, "--claims is for a study; %.200s is none", c->operands[0]);
  if (cli_has(c, "interactive") && x->study)
    return cli_fail(
        c, HC_EUNSUPPORTED,
        "--interactive is for results of runs; %.200s is a study, whose points are too many for a page: "
        "report one of its runs",
        c->operands[0]);
  if (cli_has(c, "engine") && !cli_has(c, "interactive"))
    return cli_fail(c, HC_EUSAGE, "--engine is for a page that runs again: say --interactive too");
  return 0;
}

/* What is refused at once goes first, and what takes as long as the runs last. */
static hc_rc make_interactive(cli_report *x)
{
  if (!cli_has(x->c, "interactive")) return 0;
  CLI_TRY(cli_report_rerun(x));
  CLI_TRY(cli_report_engine_open(x));
  return cli_report_rerun_check(x);
}

static hc_rc make(cli_report *x)
{
  cli *c = x->c;
  CLI_TRY(open_study(x));
  CLI_TRY(check_flags(c, x));
  if (x->study) return make_study(x);
  for (size_t i = 0; i < c->operand_count; i++) {
    x->count = i + 1; /* it is closed, however far it came */
    CLI_TRY(open_run(c, c->operands[i], &x->runs[i]));
  }
  CLI_TRY(make_interactive(x));
  for (size_t i = 0; i < x->count; i++) CLI_TRY(verify(c, &x->runs[i]));
  for (size_t i = 0; i < x->count; i++) x->schedules[i] = x->runs[i].schedule;
  CLI_TRY(name_page(x));
  if (x->count > 1) cli_shorten_names(x->schedules, x->count);
  CLI_TRY(compare(x));
  CLI_TRY(cli_report_tell(x));
  return write_file(x);
}

static void drop(cli_report *x)
{
  for (size_t i = 0; i < x->group_count; i++) {
    cli_report_groups *g = &x->groups[i];
    hc_buffer *all[] = {&g->title, &g->against, &g->counts, &g->table, &g->worst};
    for (size_t k = 0; k < CLI_LEN(all); k++) hc_buffer_fini(all[k]);
  }
  free(x->groups);
  cli_report_stories_free(x);
  hc_buffer_fini(&x->untold);
  hc_buffer_fini(&x->kept_notes);
  cli_comparison_free(&x->comparison);
  if (x->study) hc_study_data_free(x->c->allocator, x->study);
  for (size_t i = 0; i < x->count; i++) close_run(x->c, &x->runs[i]);
  cli_report_rerun_drop(x);
  hc_buffer_fini(&x->engine);
  hc_buffer_fini(&x->title);
  hc_buffer_fini(&x->apart);
  free(x->runs);
  free(x->schedules);
}

static hc_rc run(cli *c)
{
  cli_report x = {.c = c,
                  .runs = calloc(c->operand_count + 1, sizeof *x.runs),
                  .schedules = calloc(c->operand_count + 1, sizeof *x.schedules)};
  hc_buffer_init(&x.title, c->allocator);
  hc_buffer_init(&x.apart, c->allocator);
  hc_buffer_init(&x.untold, c->allocator);
  hc_buffer_init(&x.kept_notes, c->allocator);
  hc_buffer_init(&x.engine, c->allocator);
  hc_rc rc = x.runs && x.schedules && cli_registry(c) ? make(&x) : HC_ENOMEM;
  if (rc == HC_ENOMEM) rc = cli_fail(c, rc, "out of memory for the report");
  drop(&x);
  return rc;
}

const cli_command cli_command_report = {
    .name = "report",
    .operands = "RESULT... | STUDY",
    .summary = "Show runs, or a study, in one HTML file: schedules, waits, groups that win and lose.",
    .detail =
        "The file needs nothing else: no network, no server, no program but a browser. Several results stand "
        "beside each other on one axis of time; the first is the one that others are compared with, task by "
        "task. A study has curves over its axes, differences and verdicts. What is shown as a sentence or a "
        "table is what `compare`, `verify` and `show` print, and of a study `study table`, "
        "`compare` and `check`. With --interactive the page holds the engine and the inputs as well, whole, "
        "and makes the runs again, offline, with what is changed in it: only runs whose inputs are still "
        "what they were, and which come out as they are stored when they are made again here, which is "
        "tried first.",
    .examples = "hindcast report results/KTH-*.db -o KTH.html\n"
                "hindcast report results/KTH-easy.db results/KTH-sjf.db --title 'Shortest first?'\n"
                "hindcast report results/KTH-easy.db --interactive -o try.html\n"
                "hindcast report study.db --claims statements.yaml -o study.html",
    .flags = flags,
    .min = 1,
    .max = -1,
    .complete = CLI_FILE,
    .run = run,
};
