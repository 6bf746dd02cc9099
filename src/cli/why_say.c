/* why_say.c -- the summary of a task's wait, for people and for programs. What each figure is,
 * why_summary.c and docs/results.md say. */
#include <string.h>

#include "cli/why.h"

enum { SHOWN_USERS = 3, WIDTH = 110, INDENT = 2 };

static const char *const words[CLI_WHY_PARTS] = {[CLI_WHY_RUNNING] = "running",
                                                 [CLI_WHY_AHEAD] = "ahead",
                                                 [CLI_WHY_LATER] = "later",
                                                 [CLI_WHY_OTHER] = "other"};

static const char *const texts[CLI_WHY_PARTS] = {
    [CLI_WHY_RUNNING] = "tasks that ran when it came",
    [CLI_WHY_AHEAD] = "tasks ahead of it in the queue then",
    [CLI_WHY_LATER] = "tasks that came later and started before it",
    [CLI_WHY_OTHER] = "tasks that came before it, stood behind it and started before it"};

static hc_time wait_of(const cli_why_summary *s)
{
  return (hc_time)((uint64_t)s->left - (uint64_t)s->submit); /* a damaged record may have any times */
}

/* ---- for people ---- */

typedef struct saying {
  cli *c;
  hc_result *result;
  const cli_why_summary *s;
  int64_t unix_start;
  double per;     /* units to one of what people count */
  hc_buffer text; /* a paragraph in the making */
} saying;

static void add_duration(cli_table *t, hc_time time)
{
  char text[40];
  text[hc_format_duration(time, text)] = '\0';
  cli_add_pair(t, text, NULL, false);
}

static void percent(double part, double of, char out[32])
{
  if (of > 0) (void)snprintf(out, 32, "%.1f %%", 100 * part / of);
  else (void)snprintf(out, 32, "-");
}

static void add_percent(cli_table *t, double part, double of)
{
  char text[32];
  percent(part, of, text);
  cli_add_pair(t, text, NULL, false);
}

static void show_free(const saying *x, const char *unit)
{
  const cli_why_summary *s = x->s;
  const double wait = (double)wait_of(s);
  char title[96];
  (void)snprintf(title, sizeof title, "%.60s while it waited", unit);
  const cli_column columns[] = {
      {.name = title}, {.name = "time", .right = true}, {.name = "share", .right = true}};
  const struct {
    const char *text;
    hc_time time;
  } rows[] = {
      {"none free", s->none}, {"fewer free than it wants", s->few}, {"as many free as it wants", s->many}};
  cli_table t;
  cli_table_init(&t, x->c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; i < CLI_LEN(rows); i++) {
    cli_add_text(&t, rows[i].text);
    add_duration(&t, rows[i].time);
    add_percent(&t, (double)rows[i].time, wait);
  }
  cli_table_text(&t, &x->c->out, INDENT, true);
  x->c->out.failed |= t.failed;
  cli_table_fini(&t);
  hc_buffer_text(&x->c->out, "\n");
}

static void add_hours(cli_table *t, const saying *x, bool is_known, double held)
{
  char text[64];
  cli_human(held / x->per / 3600, NULL, text);
  cli_add_pair(t, is_known ? text : "-", NULL, false);
}

static void show_held(const saying *x, const char *unit)
{
  const cli_why_summary *s = x->s;
  const bool is_one = unit[0] && unit[strlen(unit) - 1] == 's'; /* processors, cores */
  char title[96];
  (void)snprintf(title, sizeof title, "%.*s-hours", (int)(strlen(unit) - is_one), unit);
  const cli_column columns[] = {{.name = "held while it waited by"},
                                {.name = "tasks", .right = true},
                                {.name = title, .right = true},
                                {.name = "share", .right = true}};
  cli_table t;
  cli_table_init(&t, x->c->allocator, columns, CLI_LEN(columns));
  for (size_t i = 0; i < CLI_WHY_PARTS; i++) {
    if (i == CLI_WHY_OTHER && s->parts[i].tasks == 0) continue;
    cli_add_text(&t, texts[i]);
    cli_add_int(&t, (int64_t)s->parts[i].tasks);
    add_hours(&t, x, s->adds_up, s->parts[i].held);
    add_percent(&t, s->parts[i].held, s->adds_up ? s->capacity : 0);
  }
  cli_add_text(&t, "nothing");
  cli_add_text(&t, "");
  add_hours(&t, x, true, s->capacity - s->held);
  add_percent(&t, s->capacity - s->held, s->capacity);
  cli_table_text(&t, &x->c->out, INDENT, true);
  x->c->out.failed |= t.failed;
  cli_table_fini(&t);
  if (!s->adds_up)
    hc_buffer_text(&x->c->out, "  note: what each held is not told: tasks were suspended, stopped or resized "
                               "then, which a task row does not say\n");
  hc_buffer_text(&x->c->out, "\n");
}

static void put_time(saying *x, hc_time at)
{
  char text[40], date[32];
  text[hc_format_seconds(at, text)] = '\0';
  cli_format_date(date, sizeof date, x->unix_start, at);
  hc_buffer_text(&x->text, text);
  if (date[0]) hc_buffer_printf(&x->text, " (%s)", date);
}

static void put_duration(saying *x, hc_time time)
{
  char text[40];
  text[hc_format_duration(time, text)] = '\0';
  hc_buffer_text(&x->text, text);
}

static void put_count(saying *x, uint64_t n, const char *of)
{
  char text[40];
  text[hc_format_count((int64_t)n, text)] = '\0';
  hc_buffer_printf(&x->text, "%s %s%s", text, of, n == 1 ? "" : "s");
}

static void put_name(saying *x, const char *name, int64_t number)
{
  if (name) hc_shown_text(&x->text, name, strlen(name), "");
  else hc_buffer_printf(&x->text, "%lld", (long long)number);
}

static void end_paragraph(saying *x)
{
  hc_buffer *out = &x->c->out;
  hc_buffer_add(&x->text, "", 1);
  hc_buffer_text(out, "  ");
  if (!x->text.failed) cli_wrap(out, x->text.data, INDENT, INDENT, WIDTH);
  out->failed |= x->text.failed;
  x->text.size = 0;
}

/* "534 of user 171 (98.2 % of what they held)" */
static void put_user(saying *x, const cli_why_user *u, double held)
{
  char share[32];
  hc_buffer_printf(&x->text, "%llu of ", (unsigned long long)u->of.tasks);
  if (u->user < 0) hc_buffer_text(&x->text, "users that are not known");
  else {
    hc_buffer_text(&x->text, "user ");
    put_name(x, hc_result_name(x->result, HC_CALLED_USER, u->user), u->user);
  }
  if (!x->s->adds_up || !(held > 0)) return;
  percent(u->of.held, held, share);
  hc_buffer_printf(&x->text, " (%s of what they held)", share);
}

static void put_users(saying *x)
{
  const cli_why_summary *s = x->s;
  cli_why_user rest = {.user = -1};
  if (s->user_count == 1 && s->users[0].user < 0) return; /* the log says no users */
  for (size_t i = 0; i < s->user_count; i++) {
    if (i >= SHOWN_USERS) rest.of.tasks += s->users[i].of.tasks;
    else {
      hc_buffer_text(&x->text, i == 0 ? ": " : ", ");
      put_user(x, &s->users[i], s->parts[CLI_WHY_AHEAD].held);
    }
  }
  if (s->user_count <= SHOWN_USERS) return;
  hc_buffer_printf(&x->text, ", %llu of ", (unsigned long long)rest.of.tasks);
  put_count(x, s->user_count - SHOWN_USERS, "more user");
}

static void say_ahead(saying *x)
{
  const cli_why_summary *s = x->s;
  if (s->queued == HC_UNKNOWN) {
    hc_buffer_text(&x->text, "Ahead of it: it stood in no queue at the end of any instant.");
    end_paragraph(x);
    return;
  }
  hc_buffer_text(&x->text, "Ahead of it in the queue ");
  if (s->queued == s->submit) hc_buffer_text(&x->text, "at its submission: ");
  else {
    hc_buffer_text(&x->text, "when it came there, at ");
    put_time(x, s->queued);
    hc_buffer_text(&x->text, ": ");
  }
  if (s->ahead_count == 0) hc_buffer_text(&x->text, "none");
  else put_count(x, s->ahead_count, "task");
  put_users(x);
  hc_buffer_text(&x->text, ".");
  if (s->left_behind.tasks > 0)
    hc_buffer_printf(&x->text, " %llu of them had not started when its wait ended.",
                     (unsigned long long)s->left_behind.tasks);
  end_paragraph(x);
}

static void say_first(saying *x)
{
  const cli_why_summary *s = x->s;
  if (s->first == HC_UNKNOWN) hc_buffer_text(&x->text, "First in its queue: not when its wait ended.");
  else {
    hc_buffer_text(&x->text, "First in its queue: from ");
    put_time(x, s->first);
    hc_buffer_text(&x->text, " on, for the last ");
    put_duration(x, s->left - s->first);
    hc_buffer_text(&x->text, " of its wait.");
  }
  end_paragraph(x);
}

/* "; moved 3 times, 1 of them to a later start, first at 80, from 100 to 120, when task 7, which came later,
 * started" */
static void put_moves(saying *x)
{
  const cli_why_promise *p = &x->s->promise;
  hc_buffer_text(&x->text, "; moved ");
  put_count(x, p->moved, "time");
  if (p->later == 0) return;
  hc_buffer_printf(&x->text, ", %llu of them to a later start, first at ", (unsigned long long)p->later);
  put_time(x, p->moved_at);
  hc_buffer_text(&x->text, ", from ");
  put_time(x, p->from);
  hc_buffer_text(&x->text, " to ");
  put_time(x, p->to);
  if (!x->s->has_rows) return;
  if (p->movers == 0) {
    hc_buffer_text(&x->text, ", when no task that came later started");
    return;
  }
  hc_buffer_text(&x->text, ", when task ");
  put_name(x, hc_result_task_name(x->result, p->mover), p->mover_id);
  if (p->movers > 1) {
    hc_buffer_text(&x->text, " and ");
    put_count(x, p->movers - 1, "other");
  }
  hc_buffer_text(&x->text, ", which came later, started");
}

static bool is_broken(const cli_why_summary *s)
{
  return s->promise.was_given && s->left > s->promise.earliest;
}

static void say_promise(saying *x)
{
  const cli_why_promise *p = &x->s->promise;
  if (!p->was_given) {
    hc_buffer_text(&x->text, "Promised start: none.");
    end_paragraph(x);
    return;
  }
  hc_buffer_text(&x->text, "Promised start: ");
  put_time(x, p->first);
  hc_buffer_text(&x->text, " first, as was said at ");
  put_time(x, p->told);
  if (p->moved > 0) put_moves(x);
  if (p->dropped > 0) {
    hc_buffer_text(&x->text, "; taken away ");
    put_count(x, p->dropped, "time");
  }
  if (is_broken(x->s)) {
    hc_buffer_text(&x->text, ". Broken: its wait ended ");
    put_duration(x, x->s->left - p->earliest);
    hc_buffer_text(&x->text, " after the earliest start that it was promised, ");
    put_time(x, p->earliest);
    hc_buffer_text(&x->text, ".");
  } else hc_buffer_text(&x->text, ". Kept: it started no later than any promise said.");
  end_paragraph(x);
}

void cli_why_say(cli *c, hc_result *r, const cli_why_summary *s, const char *unit, double per)
{
  hc_result_facts facts;
  saying x = {.c = c, .result = r, .s = s, .per = per};
  if (wait_of(s) <= 0) return;
  hc_result_facts_of(r, &facts);
  x.unix_start = facts.unix_start;
  hc_buffer_init(&x.text, c->allocator);
  show_free(&x, unit);
  if (s->has_rows) show_held(&x, unit);
  else
    hc_buffer_text(&c->out,
                   "  note: not every task has a row (task_rows), so that it is not told which tasks "
                   "were in its way\n\n");
  say_ahead(&x);
  say_first(&x);
  say_promise(&x);
  hc_buffer_text(&c->out, "\n");
  hc_buffer_fini(&x.text);
}

/* ---- for programs ---- */

static void put_seconds(hc_json_writer *j, const char *key, hc_time time)
{
  if (time == HC_UNKNOWN || time == HC_NEVER) hc_json_put_raw(j, key, "null");
  else hc_json_put_real(j, key, (double)time / HC_SECOND);
}

static void put_held(hc_json_writer *j, const cli_why_summary *s, bool is_known, double held, double per)
{
  if (!is_known) {
    hc_json_put_raw(j, "unit_hours", "null");
    hc_json_put_raw(j, "share", "null");
    return;
  }
  hc_json_put_real(j, "unit_hours", held / per / 3600);
  hc_json_put_real(j, "share", s->capacity > 0 ? held / s->capacity : 0);
}

static void put_parts(hc_json_writer *j, const cli_why_summary *s, double per)
{
  hc_json_enter(j, "held", '[');
  for (size_t i = 0; i < CLI_WHY_PARTS; i++) {
    hc_json_enter_line(j, NULL, '{');
    hc_json_put_text(j, "by", words[i]);
    hc_json_put_int(j, "tasks", (int64_t)s->parts[i].tasks);
    put_held(j, s, s->adds_up, s->parts[i].held, per);
    hc_json_leave(j, '}');
  }
  hc_json_enter_line(j, NULL, '{');
  hc_json_put_text(j, "by", "nothing");
  put_held(j, s, true, s->capacity - s->held, per);
  hc_json_leave(j, '}');
  hc_json_leave(j, ']');
}

static void put_users_json(hc_json_writer *j, hc_result *r, const cli_why_summary *s, double per)
{
  hc_json_enter(j, "ahead_by_user", '[');
  for (size_t i = 0; i < s->user_count; i++) {
    const cli_why_user *u = &s->users[i];
    const char *name = hc_result_name(r, HC_CALLED_USER, u->user);
    hc_json_enter_line(j, NULL, '{');
    if (name) hc_json_put_text(j, "user", name);
    else if (u->user >= 0) hc_json_put_int(j, "user", u->user);
    else hc_json_put_raw(j, "user", "null");
    hc_json_put_int(j, "tasks", (int64_t)u->of.tasks);
    put_held(j, s, s->adds_up, u->of.held, per);
    hc_json_leave(j, '}');
  }
  hc_json_leave(j, ']');
}

static void put_promise(hc_json_writer *j, const cli_why_summary *s)
{
  const cli_why_promise *p = &s->promise;
  if (!p->was_given) {
    hc_json_put_raw(j, "promise", "null");
    return;
  }
  hc_json_enter(j, "promise", '{');
  put_seconds(j, "told", p->told);
  put_seconds(j, "first", p->first);
  put_seconds(j, "earliest", p->earliest);
  put_seconds(j, "last", p->last);
  hc_json_put_int(j, "moved", (int64_t)p->moved);
  hc_json_put_int(j, "later", (int64_t)p->later);
  hc_json_put_int(j, "taken_away", (int64_t)p->dropped);
  hc_json_put_bool(j, "broken", is_broken(s));
  if (p->later > 0) {
    put_seconds(j, "moved_at", p->moved_at);
    put_seconds(j, "from", p->from);
    put_seconds(j, "to", p->to);
    if (s->has_rows) hc_json_put_int(j, "movers", (int64_t)p->movers);
    if (p->movers > 0) hc_json_put_int(j, "mover", p->mover);
  }
  hc_json_leave(j, '}');
}

void cli_why_member(hc_result *r, const cli_why_summary *s, double per, hc_json_writer *j)
{
  hc_json_enter(j, "summary", '{');
  put_seconds(j, "wait", wait_of(s));
  put_seconds(j, "none_free", s->none);
  put_seconds(j, "fewer_free", s->few);
  put_seconds(j, "enough_free", s->many);
  put_seconds(j, "in_queue_from", s->queued);
  put_seconds(j, "first_in_queue_from", s->first);
  hc_json_put_int(j, "ahead", (int64_t)s->ahead_count);
  if (s->has_rows) {
    hc_json_put_int(j, "ahead_not_started", (int64_t)s->left_behind.tasks);
    put_users_json(j, r, s, per);
    put_parts(j, s, per);
  }
  put_promise(j, s);
  hc_json_leave(j, '}');
}
