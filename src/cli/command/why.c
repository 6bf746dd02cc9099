/* why.c -- `hindcast why`: what blocked a task, when, and who passed it. How that is found out, cli/why.c
 * says. */
#include "cli/why.h"

#include <string.h>

static const cli_flag own_flags[] = {
    {.name = "limit", .metavar = "N", .help = "Print at most N lines of the story. Default: 50."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

/* ---- saying so ---- */

static void say_time(hc_buffer *out, const char *what, hc_time t)
{
  char text[40];
  if (t == HC_UNKNOWN) return;
  text[hc_format_seconds(t, text)] = '\0';
  hc_buffer_printf(out, ", %s %s", what, text);
}

typedef struct taken {
  char unit[64], words[160]; /* "cores"; "0.5 cores" */
  double amount;
} taken;

/* What a task takes of what the cell counts first: processors, or on hosts cores, which are stored as
 * thousandths, or amounts of another dimension. */
static taken taken_by(cli *c, hc_result *r, int64_t units)
{
  taken t = {.unit = "processors", .amount = (double)units};
  char of[48], text[40];
  const bool on_hosts = cli_result_info(c, r, "hindcast", "units_of", of, sizeof of);
  const bool are_cores = on_hosts && strcmp(of, "cpu") == 0;
  if (on_hosts) (void)snprintf(t.unit, sizeof t.unit, "%s", are_cores ? "cores" : of);
  if (are_cores) t.amount /= 1000;
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
  int64_t limit;
  const char *name, *user;
} shown;

static void show(cli *c, const shown *x, const hc_task_record *t, const taken *takes)
{
  hc_time wait = t->start != HC_UNKNOWN ? t->start - t->submit : HC_UNKNOWN;
  char text[40];
  hc_json_writer j = {.out = &c->out};
  c->out.failed |= x->story.lines.failed;
  if (c->format == CLI_CSV) {
    cli_table_csv(&x->story.lines, &c->out);
    return;
  }
  if (c->format == CLI_JSON) {
    hc_json_enter(&j, NULL, '{');
    hc_json_put_int(&j, "job", t->id);
    if (x->name) hc_json_put_text(&j, "name", x->name);
    if (x->user) hc_json_put_text(&j, "user", x->user);
    hc_json_put_int(&j, "serial", t->serial);
    hc_json_put_real(&j, "units", takes->amount);
    hc_json_put_text(&j, "unit", takes->unit);
    hc_json_put_real(&j, "submit", (double)t->submit / 1e9);
    if (wait != HC_UNKNOWN) hc_json_put_real(&j, "start", (double)t->start / 1e9);
    hc_json_put_text(&j, "final", hc_final_name((hc_final)t->final));
    hc_json_put_bool(&j, "backfilled", (t->flags & HC_TASK_BACKFILLED) != 0);
    hc_json_put_int(&j, "records", (int64_t)x->story.heard);
    cli_table_member(&x->story.lines, &j, "story");
    hc_json_leave(&j, '}');
    return;
  }
  hc_buffer_text(&c->out, "job ");
  if (x->name) hc_shown_text(&c->out, x->name, strlen(x->name), "");
  else hc_buffer_printf(&c->out, "%lld", (long long)t->id);
  hc_buffer_printf(&c->out, " (serial %lld): %s", (long long)t->serial, takes->words);
  if (x->user) hc_buffer_text(&c->out, ", of ");
  if (x->user) hc_shown_text(&c->out, x->user, strlen(x->user), "");
  say_time(&c->out, "submitted at", t->submit);
  say_time(&c->out, "started at", t->start);
  if (wait != HC_UNKNOWN) {
    text[hc_format_duration(wait, text)] = '\0';
    hc_buffer_printf(&c->out, ", waited %s%s", text, t->flags & HC_TASK_BACKFILLED ? ", backfilled" : "");
  } else {
    hc_buffer_printf(&c->out, "; it never started: %s", hc_final_text((hc_final)t->final));
  }
  hc_buffer_text(&c->out, "\n\n");
  cli_table_text(&x->story.lines, &c->out, 2, true);
  if ((int64_t)x->story.heard > x->limit)
    hc_buffer_printf(&c->out, "  ... and %lld more; --limit shows them\n",
                     (long long)x->story.heard - (long long)x->limit);
  if (wait == 0)
    hc_buffer_text(&c->out, "  It started at the instant of its submission: nothing was in its way.\n");
}

static hc_rc explain(cli *c, hc_result *r)
{
  shown x = {.limit = 50};
  hc_task_record task = {0};
  CLI_TRY(cli_int(c, "limit", 1, INT64_MAX, &x.limit));
  CLI_TRY(cli_why_task(c, r, c->operands[1], &task));
  cli_listen();
  const hc_rc rc = cli_why_tell(c, r, &task, x.limit, &x.story);
  if (rc >= 0) {
    const taken takes = taken_by(c, r, task.units);
    x.name = hc_result_task_name(r, task.serial);
    x.user = hc_result_name(r, HC_CALLED_USER, task.user);
    show(c, &x, &task, &takes);
  }
  cli_story_free(&x.story);
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
    .summary = "Say what blocked a task, when, and who passed it.",
    .detail =
        "TASK is the number or name of a task or of its job, or # and a serial. The stored configuration is "
        "run again up to the task's start, with explanations on; the log must still be where it was. With "
        "`execution` it is run up to the task's end, and the story says what it does and waits for.",
    .examples = "hindcast why results/KTH-easy.db 1234\nhindcast why results/KTH-easy.db '#0'",
    .flags = flags,
    .min = 2,
    .max = 2,
    .complete = CLI_FILE,
    .run = run,
};
