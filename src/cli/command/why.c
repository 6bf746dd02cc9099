/* why.c -- `hindcast why`: what blocked a task, when, and who passed it. How that is found out, cli/why.c
 * says. */
#include "cli/why.h"

#include <string.h>

static const cli_flag own_flags[] = {
    {.name = "limit", .metavar = "N", .help = "Print at most the first N lines of the story. Default: 50."},
    {.name = "last",
     .metavar = "N",
     .help = "Print the last N lines of the story instead, which lead to the start."},
    {.name = "summary", .help = "Print the summary alone, and no line of the story."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

/* ---- saying so ---- */

static void say_time(hc_buffer *out, const char *what, int64_t unix_start, hc_time t)
{
  char text[40], date[32];
  if (t == HC_UNKNOWN) return;
  text[hc_format_seconds(t, text)] = '\0';
  cli_format_date(date, sizeof date, unix_start, t);
  hc_buffer_printf(out, ", %s %s", what, text);
  if (date[0]) hc_buffer_printf(out, " (%s)", date);
}

typedef struct taken {
  char unit[64], words[160]; /* "cores"; "0.5 cores" */
  double amount, per;        /* per: units to one of `unit` */
} taken;

/* What a task takes of what the cell counts first: processors, or on hosts cores, which are stored as
 * thousandths, or amounts of another dimension. */
static taken taken_by(cli *c, hc_result *r, int64_t units)
{
  taken t = {.unit = "processors", .amount = (double)units, .per = 1};
  char of[48], text[40];
  const bool on_hosts = cli_result_info(c, r, "hindcast", "units_of", of, sizeof of);
  const bool are_cores = on_hosts && strcmp(of, "cpu") == 0;
  if (on_hosts) (void)snprintf(t.unit, sizeof t.unit, "%s", are_cores ? "cores" : of);
  if (are_cores) t.per = 1000;
  t.amount /= t.per;
  if (on_hosts && (strcmp(of, "memory") == 0 || strcmp(of, "disk") == 0)) {
    text[hc_format_size(units, text)] = '\0';
    (void)snprintf(t.words, sizeof t.words, "%s of %s", text, of);
    (void)snprintf(t.unit, sizeof t.unit, "B");
    return t;
  }
  text[hc_format_real(t.amount, text)] = '\0';
  const bool is_one = t.amount == 1.0 && (are_cores || !on_hosts);
  (void)snprintf(t.words, sizeof t.words, "%s%s%s", text, on_hosts && !are_cores ? " of " : " ",
                 on_hosts && !are_cores ? of : t.unit);
  if (is_one) t.words[strlen(t.words) - 1] = '\0'; /* one core */
  return t;
}

/* A task, its story, and what they are called where their numbers do not say it. */
typedef struct shown {
  cli_story story;
  cli_why_summary summary;
  int64_t limit, last; /* lines of its beginning; or, if not 0, of its end */
  int64_t unix_start;
  const char *name, *user;
} shown;

static const cli_column columns[] = {{.name = "time", .right = true}, {.name = "text"}, {.name = "date"}},
                        dated_columns[] = {
                            {.name = "time", .right = true}, {.name = "date"}, {.name = "text"}};

/* The lines that are printed, with dates where they are known: for people before the text, for programs in a
 * column behind it. */
static void choose_lines(const cli *c, const shown *x, cli_table *out)
{
  const cli_table *all = &x->story.lines;
  const bool has_dates = x->unix_start != HC_UNKNOWN, is_first = has_dates && c->format == CLI_TEXT;
  const size_t count = all->count / all->width,
               from = x->last > 0 && (uint64_t)x->last < count ? count - (size_t)x->last : 0;
  cli_table_init(out, all->allocator, is_first ? dated_columns : columns, has_dates ? 3 : 2);
  out->failed = all->failed;
  for (size_t i = from; !all->failed && i < count && (x->limit > 0 || x->last > 0); i++) {
    char date[32];
    cli_format_date(date, sizeof date, x->unix_start, x->story.times[i].at);
    cli_add_time(out, x->story.times[i].at);
    if (is_first) cli_add_text(out, date);
    cli_add_text(out, all->cells[i * all->width + 1].plain);
    if (has_dates && !is_first) cli_add_text(out, date);
  }
}

static void show_json(cli *c, hc_result *r, const shown *x, const hc_task_record *t, const taken *takes,
                      const cli_table *lines)
{
  char date[32];
  hc_json_writer j = {.out = &c->out};
  hc_json_enter(&j, NULL, '{');
  hc_json_put_int(&j, "job", t->id);
  if (x->name) hc_json_put_text(&j, "name", x->name);
  if (x->user) hc_json_put_text(&j, "user", x->user);
  hc_json_put_int(&j, "serial", t->serial);
  hc_json_put_real(&j, "units", takes->amount);
  hc_json_put_text(&j, "unit", takes->unit);
  hc_json_put_real(&j, "submit", (double)t->submit / 1e9);
  cli_format_date(date, sizeof date, x->unix_start, t->submit);
  if (date[0]) hc_json_put_text(&j, "submit_date", date);
  if (t->start != HC_UNKNOWN) hc_json_put_real(&j, "start", (double)t->start / 1e9);
  cli_format_date(date, sizeof date, x->unix_start, t->start);
  if (date[0]) hc_json_put_text(&j, "start_date", date);
  hc_json_put_text(&j, "final", hc_final_name((hc_final)t->final));
  hc_json_put_bool(&j, "backfilled", (t->flags & HC_TASK_BACKFILLED) != 0);
  cli_why_member(r, &x->summary, takes->per, &j);
  hc_json_put_int(&j, "records", (int64_t)x->story.heard);
  cli_table_member(lines, &j, "story");
  hc_json_leave(&j, '}');
}

/* That there is more, and how to see it: the lines at its end most of all. */
static void say_more(cli *c, const shown *x, size_t printed)
{
  const long long more = (long long)x->story.heard - (long long)printed;
  if (more <= 0) return;
  if (x->last > 0) hc_buffer_printf(&c->out, "  %lld lines before these; --limit N shows the first\n", more);
  else if (x->limit == 0)
    hc_buffer_printf(&c->out, "  The story has %lld lines; --limit N shows the first, --last N the last\n",
                     more);
  else
    hc_buffer_printf(&c->out, "  ... and %lld more; --limit shows them, --last N the end of the story\n",
                     more);
}

static void show_text(cli *c, hc_result *r, const shown *x, const hc_task_record *t, const taken *takes,
                      const cli_table *lines)
{
  const hc_time wait = t->start != HC_UNKNOWN ? t->start - t->submit : HC_UNKNOWN;
  char text[40];
  hc_buffer_text(&c->out, "job ");
  if (x->name) hc_shown_text(&c->out, x->name, strlen(x->name), "");
  else hc_buffer_printf(&c->out, "%lld", (long long)t->id);
  hc_buffer_printf(&c->out, " (serial %lld): %s", (long long)t->serial, takes->words);
  if (x->user) hc_buffer_text(&c->out, ", of ");
  if (x->user) hc_shown_text(&c->out, x->user, strlen(x->user), "");
  say_time(&c->out, "submitted at", x->unix_start, t->submit);
  say_time(&c->out, "started at", x->unix_start, t->start);
  if (wait != HC_UNKNOWN) {
    text[hc_format_duration(wait, text)] = '\0';
    hc_buffer_printf(&c->out, ", waited %s%s", text, t->flags & HC_TASK_BACKFILLED ? ", backfilled" : "");
  } else {
    hc_buffer_printf(&c->out, "; it never started: %s", hc_final_text((hc_final)t->final));
  }
  hc_buffer_text(&c->out, "\n\n");
  cli_why_say(c, r, &x->summary, takes->unit, takes->per);
  if (lines->count > 0) cli_table_text(lines, &c->out, 2, true);
  say_more(c, x, lines->count / lines->width);
  if (wait == 0)
    hc_buffer_text(&c->out, "  It started at the instant of its submission: nothing was in its way.\n");
}

static void show(cli *c, hc_result *r, const shown *x, const hc_task_record *t)
{
  const taken takes = taken_by(c, r, t->units);
  cli_table lines;
  choose_lines(c, x, &lines);
  if (c->format == CLI_CSV) cli_table_csv(&lines, &c->out);
  else if (c->format == CLI_JSON) show_json(c, r, x, t, &takes, &lines);
  else show_text(c, r, x, t, &takes, &lines);
  c->out.failed |= lines.failed;
  cli_table_fini(&lines);
}

/* Which lines are printed. */
static hc_rc read_flags(cli *c, shown *x)
{
  CLI_TRY(cli_int(c, "limit", 1, INT64_MAX, &x->limit));
  CLI_TRY(cli_int(c, "last", 1, INT64_MAX, &x->last));
  if (cli_has(c, "last") && cli_has(c, "limit"))
    return cli_fail(c, HC_EUSAGE,
                    "--limit is of the beginning of the story, --last of its end: give one of them");
  if (!cli_has(c, "summary")) return 0;
  if (cli_has(c, "last") || cli_has(c, "limit"))
    return cli_fail(c, HC_EUSAGE, "--summary prints no line of the story: drop --limit and --last");
  if (c->format == CLI_CSV)
    return cli_fail(c, HC_EUSAGE, "--csv is of the lines of the story: for the summary alone say --json");
  x->limit = 0;
  return 0;
}

static hc_rc explain(cli *c, hc_result *r)
{
  shown x = {.limit = 50};
  hc_task_record task = {0};
  hc_result_facts facts;
  CLI_TRY(read_flags(c, &x));
  CLI_TRY(cli_why_task(c, r, c->operands[1], &task));
  cli_listen();
  hc_result_facts_of(r, &facts);
  x.unix_start = facts.unix_start;
  cli_why_begin(&x.summary, &task);
  const hc_rc rc = cli_why_tell(c, r, &task, x.last > 0 ? INT64_MAX : x.limit, &x.story, &x.summary);
  if (rc >= 0) {
    x.name = hc_result_task_name(r, task.serial);
    x.user = hc_result_name(r, HC_CALLED_USER, task.user);
    show(c, r, &x, &task);
  }
  cli_story_free(&x.story);
  cli_why_summary_free(&x.summary);
  return rc < 0 ? rc : 0;
}

static hc_rc run(cli *c)
{
  hc_result *r;
  CLI_TRY(cli_result_open(c, c->operands[0], &r));
  const hc_rc rc = explain(c, r);
  cli_result_close(c, r);
  return rc;
}

const cli_command cli_command_why = {
    .name = "why",
    .operands = "RESULT TASK",
    .summary = "Say why a task waited: a summary, and what blocked it, when, and who passed it.",
    .detail =
        "TASK is the number or name of a task or of its job, or # and a serial. The stored configuration is "
        "run again up to the task's start, with explanations on; the log must still be where it was. With "
        "`execution` it is run up to the task's end, and the story says what it does and waits for.\n\nThe "
        "summary comes first. For how long of the wait no processor was free, fewer than the task wants, or "
        "as many: each instant counts by what is free at its end, until the next. Who held the machine "
        "meanwhile: tasks that ran when it came to its queue; those ahead of it there, at the end of that "
        "instant; those that were submitted later and started before it; others. What a task held is its "
        "processors times the part of its run that lies in the wait, and shares are of all that was there. "
        "Then whose the tasks ahead of it are, from when on it was first in its queue, and what became of "
        "the start that it was promised: it is broken if the task started later than the earliest "
        "promise.\n\n"
        "Times are seconds since the origin; where that is known dates are with them, in UTC.",
    .examples =
        "hindcast why results/KTH-easy.db 1234\nhindcast why results/KTH-easy.db 1234 --last 20\n"
        "hindcast why results/KTH-easy.db '#0'",
    .flags = flags,
    .min = 2,
    .max = 2,
    .complete = CLI_FILE,
    .run = run,
};
