/* why.c -- which task a word means, and its story: the stored configuration, run again with explanations on.
 *
 * It is run without a store, up to the task's start. The same input gives the same run, so what is explained
 * is what happened; if the log has changed since, and the task starts at another time, that is an error. */
#include "cli/why.h"

#include <stdlib.h>
#include <string.h>

#define STRIDE 2048 /* instants between two looks at the signals */

static const cli_column columns[] = {{.name = "time", .right = true}, {.name = "text"}};

/* ---- which task ---- */

/* How a word names tasks. */
typedef enum naming { BY_SERIAL, BY_ID, BY_NAME, BY_JOB, BY_PROGRAM } naming;

/* The tasks that a word may mean. */
enum { SHOWN_CHOICES = 6 };
typedef struct choices {
  uint64_t count;
  int64_t serials[SHOWN_CHOICES]; /* the first of them, ascending */
} choices;

static void add_choice(choices *x, int64_t serial)
{
  size_t at = (size_t)(x->count < SHOWN_CHOICES ? x->count : SHOWN_CHOICES);
  x->count++;
  for (; at > 0 && x->serials[at - 1] > serial; at--)
    if (at < SHOWN_CHOICES) x->serials[at] = x->serials[at - 1];
  if (at < SHOWN_CHOICES) x->serials[at] = serial;
}

/* As much of a name as has room among others, in whole characters. */
static size_t beginning(const char *name)
{
  size_t n = 0;
  while (n < 24 && name[n]) n++;
  while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80) n--;
  return n;
}

/* '#1' (t1 of alpha) */
static void say_choice(hc_result *r, int64_t serial, hc_buffer *out)
{
  const char *name = hc_result_task_name(r, serial), *job = hc_result_job_name(r, serial);
  hc_buffer_printf(out, "'#%lld'", (long long)serial);
  if (!name && !job) return;
  hc_buffer_text(out, " (");
  if (name) hc_shown_text(out, name, beginning(name), "");
  if (job) hc_buffer_text(out, name ? " of " : "of ");
  if (job) hc_shown_text(out, job, beginning(job), "");
  hc_buffer_text(out, ")");
}

static hc_rc ambiguous(cli *c, hc_result *r, naming how, const char *word, const choices *x)
{
  static const char *const which[] = {[BY_SERIAL] = "have the serial",
                                      [BY_ID] = "have the job id",
                                      [BY_NAME] = "are called",
                                      [BY_JOB] = "are of the job",
                                      [BY_PROGRAM] = "run what is called"};
  const bool is_number = how == BY_SERIAL || how == BY_ID;
  hc_buffer list;
  hc_buffer_init(&list, c->allocator);
  for (size_t i = 0; i < x->count && i < SHOWN_CHOICES; i++) {
    if (i > 0) hc_buffer_text(&list, ", ");
    say_choice(r, x->serials[i], &list);
  }
  if (x->count > SHOWN_CHOICES)
    hc_buffer_printf(&list, " and %llu more", (unsigned long long)x->count - SHOWN_CHOICES);
  const hc_rc rc = list.failed ? cli_fail(c, HC_ENOMEM, "out of memory")
                               : cli_fail(c, HC_EUSAGE, "%llu tasks %s %s%.40s%s: ask for one of %s",
                                          (unsigned long long)x->count, which[how], is_number ? "" : "\"",
                                          word, is_number ? "" : "\"", list.data ? list.data : "");
  hc_buffer_fini(&list);
  return rc;
}

/* The rows that a number means, and the first of them. */
static hc_rc find_rows(cli *c, hc_result *r, naming how, int64_t n, choices *x, hc_task_record *out)
{
  hc_task_record block[256];
  size_t got = 1;
  for (bool first = true; got > 0; first = false) {
    CLI_TRY(hc_result_tasks(r, first, block, CLI_LEN(block), &got, &c->error));
    for (size_t i = 0; i < got; i++) {
      const hc_task_record *t = &block[i];
      if ((how == BY_SERIAL ? t->serial : how == BY_ID ? t->id : t->executable) != n) continue;
      if (x->count == 0 || t->serial < out->serial) *out = *t;
      add_choice(x, t->serial);
    }
  }
  return 0;
}

/* What a word means: a serial, the name of a task, else of a job, else a number, else what tasks run, which
 * is what Slurm calls the name of a job. @param x  out: tasks of that name @param n  out: else the number */
static hc_rc read_word(cli *c, hc_result *r, const char *word, naming *how, choices *x, int64_t *n)
{
  const bool by_serial = word[0] == '#';
  for (int job = 0; job < 2 && !by_serial && x->count == 0; job++) {
    *how = job ? BY_JOB : BY_NAME;
    x->count = hc_result_find_tasks(r, word, job, x->serials, SHOWN_CHOICES);
  }
  if (x->count > 0) return 0;
  *how = by_serial ? BY_SERIAL : BY_ID;
  if (hc_parse_int(word + by_serial, strlen(word + by_serial), n) == 0 && !strchr(word, '_')) return 0;
  *how = BY_PROGRAM; /* 123_4 is no number */
  if (!by_serial && hc_result_number(r, HC_CALLED_EXECUTABLE, word, n)) return 0;
  return cli_fail(c, HC_EUSAGE,
                  "\"%.80s\" is no task: give the number or the name of a job, or # and a serial, such as "
                  "'#17'",
                  word);
}

hc_rc cli_why_task(cli *c, hc_result *r, const char *word, hc_task_record *out)
{
  const char *rows = hc_result_config(r, "task_rows");
  choices named = {0}, found = {0};
  naming how;
  int64_t n = 0;
  CLI_TRY(read_word(c, r, word, &how, &named, &n));
  if (named.count > 1) return ambiguous(c, r, how, word, &named);
  if (named.count == 1) {
    how = BY_SERIAL;
    n = named.serials[0];
  }
  CLI_TRY(find_rows(c, r, how, n, &found, out));
  if (found.count == 1) return 0;
  if (found.count > 1) return ambiguous(c, r, how, word, &found);
  if (rows && strcmp(rows, "all") != 0)
    return hc_fail(
        &c->error, HC_ENOTFOUND, hc_result_path(r), 0, 0,
        "the result has task_rows: %s, and that task is not among them; run it with task_rows: all", rows);
  return hc_fail(&c->error, HC_ENOTFOUND, hc_result_path(r), 0, 0,
                 "it has no task with the %s %lld; `hindcast export %s` lists the tasks",
                 how == BY_SERIAL ? "serial" : "job id", (long long)n, hc_result_path(r));
}

/* ---- running again ---- */

/* A result whose run is run again. */
typedef struct cli_why {
  cli *c;
  hc_result *result;
  hc_config *config;
  bool is_world;
} cli_why;

typedef struct telling {
  hc_result *result;
  cli_story *out;
  cli_why_summary *summary; /* NULL: none is wanted */
  int64_t limit;
  hc_time started; /* HC_UNKNOWN: not yet */
  char last[480];
} telling;

/* An empty value was not given; but as an item of a list, or if it was written, it is an empty text. */
static bool is_given(const char *const *v)
{
  const char *last = strrchr(v[0], '.');
  if (v[1][0] != '\0') return true;
  return (last && last[1] >= '0' && last[1] <= '9') || (v[2] && strcmp(v[2], "default") != 0);
}

static hc_rc set_key(void *ctx, const char *const *v)
{
  cli_why *x = ctx;
  if (!v[0] || !v[1] || !is_given(v)) return 0;
  if (strcmp(v[0], "output") == 0 || strcmp(v[0], "rejected") == 0 || strcmp(v[0], "metrics") == 0) return 0;
  if (strcmp(v[0], "world") == 0 && v[1][0] != '\0') x->is_world = true;
  const char *last = strrchr(v[0], '.');
  if (strncmp(v[0], "source.", 7) == 0 && strcmp(last, ".file") == 0 && strcmp(v[1], "-") == 0)
    return cli_fail(x->c, HC_EUSAGE,
                    "the run read standard input, which cannot be read again; run it from a file");
  if (strncmp(v[0], "metrics.", 8) == 0 || strncmp(v[0], "trim", 4) == 0) return 0;
  if (v[1][0] == '\0') return hc_config_flag(x->config, v[0], "\"\"", true, &x->c->error);
  return hc_config_flag(x->config, v[0], v[1], false, &x->c->error);
}

/* Of the line that comes next. */
static void add_times(cli_story *s, hc_time at, hc_time promised)
{
  const size_t lines = s->lines.count / s->lines.width;
  if (lines >= s->time_cap) {
    cli_story_time *more = realloc(s->times, (2 * lines + 16) * sizeof *more);
    s->lines.failed |= !more;
    if (!more) return;
    s->times = more;
    s->time_cap = 2 * lines + 16;
  }
  s->times[lines] = (cli_story_time){at, promised};
}

/* The same words again and again, as the queue moves, are said once. */
static void hear(void *ctx, const hc_why_record *w)
{
  telling *x = ctx;
  if (x->summary && x->started == HC_UNKNOWN) cli_why_hear(x->summary, w);
  if (strcmp(x->last, w->text) == 0) return;
  if (strncmp(w->text, "starts", 6) == 0) x->started = w->time;
  (void)snprintf(x->last, sizeof x->last, "%s", w->text);
  if ((int64_t)x->out->heard++ >= x->limit) return;
  add_times(x->out, w->time, w->what == HC_NOTE_PROMISE ? w->at : HC_NEVER);
  cli_add_time(&x->out->lines, w->time);
  cli_add_text(&x->out->lines, w->text);
}

/* What can be named is: an input that is another file now, be it a log or a plug-in. */
static hc_rc name_changed(void *ctx, const char *path, bool is_there)
{
  const cli_why *x = ctx;
  return hc_fail(
      &x->c->error, HC_EINPUT, hc_result_path(x->result), 0, 0,
      "the stored configuration no longer gives this result: %.300s %s since; put it back, or run it again "
      "and ask the new result",
      path, is_there ? "has changed" : "has gone");
}

static hc_rc no_longer(cli_why *x)
{
  hc_error *e = &x->c->error;
  CLI_TRY(hc_result_changed_inputs(x->c->allocator, x->result, name_changed, x, e));
  return hc_fail(
      e, HC_EINPUT, hc_result_path(x->result), 0, 0,
      "the stored configuration no longer gives this result, though its inputs are what they were: this is "
      "another version of Hindcast; run it again, and ask the new result");
}

static const char *task_name(void *ctx, uint64_t serial)
{
  return hc_result_task_name(((const telling *)ctx)->result, (int64_t)serial);
}

/* Tasks do what their profiles say, and what they wait for while they run can be told. */
static bool does_something(hc_result *r)
{
  const char *model = hc_result_config(r, "execution");
  return model && model[0] != '\0';
}

/* Up to `until`, all of it included. @param each  look at every instant's end */
static hc_rc go_to(cli_why *x, hc_run *run, hc_time until, bool each, telling *t, cli_progress *line)
{
  const uint64_t stride = each ? 1 : STRIDE;
  hc_progress p = {0};
  hc_rc rc;
  hc_run_progress(run, &p);
  while ((rc = hc_run_advance(run, until, stride, &x->c->error)) >= 0) {
    const uint64_t before = p.instants;
    hc_run_progress(run, &p);
    if (each && p.instants > before) CLI_TRY(cli_why_look(t->summary, run));
    if (rc == 0) break;
    cli_progress_run(line, run);
    if (cli_interrupted()) hc_run_cancel(run);
    else if (p.instants - before < stride) break; /* nothing more happens until then */
  }
  return rc;
}

static hc_rc go(cli_why *x, hc_run *run, const hc_task_record *task, telling *t, cli_progress *line)
{
  const hc_time until = task->start != HC_UNKNOWN ? task->start
                        : task->end != HC_UNKNOWN ? task->end
                                                  : HC_NEVER;
  hc_rc rc = 1;
  if (t->summary && task->submit > 0) rc = go_to(x, run, task->submit - 1, false, t, line);
  if (rc == 1) rc = go_to(x, run, until, t->summary != NULL, t, line);
  if (rc == 1 && does_something(x->result))
    rc = go_to(x, run, task->end != HC_UNKNOWN ? task->end : HC_NEVER, false, t, line);
  return rc;
}

static hc_rc run_again(cli_why *x, const hc_task_record *task, telling *t)
{
  cli *c = x->c;
  cli_progress line;
  hc_run *run;
  hc_rc rc;
  CLI_TRY(hc_run_new(c->allocator, x->config, NULL, &run, &c->error));
  (void)hc_run_explain(run, (uint64_t)task->serial, hear, t);
  hc_run_explain_names(run, task_name);
  cli_watch(run);
  cli_progress_begin(&line, c, "running again");
  rc = go(x, run, task, t, &line);
  cli_progress_end(&line);
  cli_watch(NULL);
  hc_run_free(run);
  if (rc < 0 || t->started == task->start) return rc < 0 ? rc : 0;
  return no_longer(x);
}

/* A run that cannot read an input that has gone since: then that is what is wrong. */
static hc_rc or_changed(cli_why *x, hc_rc rc)
{
  const hc_error kept = x->c->error;
  if (rc != HC_EIO && rc != HC_EINPUT && rc != HC_ENOTFOUND) return rc;
  x->c->error = (hc_error){0};
  const hc_rc changed = hc_result_changed_inputs(x->c->allocator, x->result, name_changed, x, &x->c->error);
  if (changed < 0) return changed;
  x->c->error = kept;
  return rc;
}

/* The stored configuration, without what a story does not need. */
static hc_rc configure(cli_why *x)
{
  cli *c = x->c;
  if (!cli_registry(c)) return HC_ENOMEM;
  CLI_TRY(hc_config_new(c->allocator, c->registry, &x->config, &c->error));
  CLI_TRY(hc_result_rows(x->result, "configuration", 3, set_key, x, &c->error));
  CLI_TRY(hc_config_flag(x->config, "metrics", "[]", true, &c->error)); /* figures are not looked at */
  if (x->is_world)
    return cli_fail(c, HC_EUNSUPPORTED, "it is of a closed world, which tells no reasons of single tasks");
  return hc_config_flag(x->config, "conflicts", "true", true, &c->error); /* what was in the way */
}

hc_rc cli_why_tell(cli *c, hc_result *r, const hc_task_record *task, int64_t limit, cli_story *out,
                   cli_why_summary *summary)
{
  cli_why x = {.c = c, .result = r};
  telling t = {.result = r, .out = out, .summary = summary, .limit = limit, .started = HC_UNKNOWN};
  *out = (cli_story){0};
  cli_table_init(&out->lines, c->allocator, columns, CLI_LEN(columns));
  if (cli_result_is_recorded(c, r))
    return hc_fail(&c->error, HC_EUSAGE, hc_result_path(r), 0, 0,
                   "it holds what a log recorded, and a log says no reasons. Ask a result of `hindcast run`");
  hc_rc rc = configure(&x);
  if (rc >= 0) rc = or_changed(&x, run_again(&x, task, &t));
  hc_config_free(x.config);
  if (rc >= 0 && summary) rc = cli_why_end(c, r, summary);
  return rc < 0 ? rc : 0;
}

void cli_story_free(cli_story *s)
{
  cli_table_fini(&s->lines);
  free(s->times);
}
