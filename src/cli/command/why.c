/* why.c -- `hindcast why`: what blocked a task, when, and who passed it.
 *
 * The stored configuration is run again with explanations on for that task, without a store, up to the task's
 * start. The same input gives the same run, so what is explained is what happened; if the log has changed
 * since, and the task starts at another time, that is an error. */
#include <string.h>

#include "cli/cli.h"

#define STRIDE 2048 /* instants between two looks at the signals */

static const cli_flag own_flags[] = {
    {.name = "limit", .metavar = "N", .help = "Print at most N lines of the story. Default: 50."},
    {.name = NULL},
};
static const cli_flag *const flags[] = {own_flags, cli_format_flags, NULL};

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

static hc_rc find_task(cli *c, hc_result *r, const char *word, hc_task_record *out)
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

typedef struct replaying {
  cli *c;
  hc_result *r;
  hc_config *config;
  cli_table story;
  uint64_t heard;
  int64_t limit;
  hc_time started; /* HC_UNKNOWN: not yet */
  bool is_world;
  const char *name, *user; /* of the task and its user; NULL: their numbers say it */
  char last[480];
} replaying;

/* An empty value was not given; but as an item of a list, or if it was written, it is an empty text. */
static bool is_given(const char *const *v)
{
  const char *last = strrchr(v[0], '.');
  if (v[1][0] != '\0') return true;
  return (last && last[1] >= '0' && last[1] <= '9') || (v[2] && strcmp(v[2], "default") != 0);
}

static hc_rc set_key(void *ctx, const char *const *v)
{
  replaying *x = ctx;
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

/* The same words again and again, as the queue moves, are said once. */
static void hear(void *ctx, const hc_why_record *w)
{
  replaying *x = ctx;
  if (strcmp(x->last, w->text) == 0) return;
  if (strncmp(w->text, "starts", 6) == 0) x->started = w->time;
  (void)snprintf(x->last, sizeof x->last, "%s", w->text);
  if ((int64_t)x->heard++ >= x->limit) return;
  cli_add_time(&x->story, w->time);
  cli_add_text(&x->story, w->text);
}

/* What can be named is: an input that is another file now, be it a log or a plug-in. */
static hc_rc name_changed(void *ctx, const char *path, bool is_there)
{
  cli *c = ctx;
  return hc_fail(
      &c->error, HC_EINPUT, c->operands[0], 0, 0,
      "the stored configuration no longer gives this result: %.300s %s since; put it back, or run it again "
      "and ask the new result",
      path, is_there ? "has changed" : "has gone");
}

static hc_rc no_longer(cli *c, hc_result *r)
{
  CLI_TRY(hc_result_changed_inputs(c->allocator, r, name_changed, c, &c->error));
  return hc_fail(
      &c->error, HC_EINPUT, c->operands[0], 0, 0,
      "the stored configuration no longer gives this result, though its inputs are what they were: this is "
      "another version of Hindcast; run it again, and ask the new result");
}

static const char *task_name(void *ctx, uint64_t serial)
{
  return hc_result_task_name(((const replaying *)ctx)->r, (int64_t)serial);
}

/* Tasks do what their profiles say, and what they wait for while they run can be told. */
static bool does_something(hc_result *r)
{
  const char *model = hc_result_config(r, "execution");
  return model && model[0] != '\0';
}

static hc_rc run_again(cli *c, hc_result *r, replaying *x, const hc_task_record *task)
{
  hc_time until = task->start != HC_UNKNOWN && !does_something(r) ? task->start
                  : task->end != HC_UNKNOWN                       ? task->end
                                                                  : HC_NEVER;
  hc_progress p = {0};
  cli_progress line;
  hc_run *run;
  hc_rc rc;
  CLI_TRY(hc_run_new(c->allocator, x->config, NULL, &run, &c->error));
  rc = hc_run_explain(run, (uint64_t)task->serial, hear, x);
  hc_run_explain_names(run, task_name);
  cli_watch(run);
  cli_progress_begin(&line, c, "running again");
  while (rc >= 0 && (rc = hc_run_advance(run, until, STRIDE, &c->error)) == 1) {
    uint64_t before = p.instants;
    hc_run_progress(run, &p);
    cli_progress_run(&line, run);
    if (cli_interrupted()) hc_run_cancel(run);
    else if (p.instants - before < STRIDE) break; /* nothing more happens until then */
  }
  cli_progress_end(&line);
  cli_watch(NULL);
  hc_run_free(run);
  if (rc < 0 || x->started == task->start) return rc < 0 ? rc : 0;
  return no_longer(c, r);
}

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

static void show(cli *c, const replaying *x, const hc_task_record *t, const taken *takes)
{
  hc_time wait = t->start != HC_UNKNOWN ? t->start - t->submit : HC_UNKNOWN;
  char text[40];
  hc_json_writer j = {.out = &c->out};
  c->out.failed |= x->story.failed;
  if (c->format == CLI_CSV) {
    cli_table_csv(&x->story, &c->out);
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
    hc_json_put_int(&j, "records", (int64_t)x->heard);
    cli_table_member(&x->story, &j, "story");
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
  cli_table_text(&x->story, &c->out, 2, true);
  if ((int64_t)x->heard > x->limit)
    hc_buffer_printf(&c->out, "  ... and %lld more; --limit shows them\n",
                     (long long)x->heard - (long long)x->limit);
  if (wait == 0)
    hc_buffer_text(&c->out, "  It started at the instant of its submission: nothing was in its way.\n");
}

static hc_rc explain(cli *c, hc_result *r)
{
  replaying x = {.c = c, .r = r, .limit = 50, .started = HC_UNKNOWN};
  hc_task_record task = {0};
  hc_rc rc;
  CLI_TRY(cli_int(c, "limit", 1, INT64_MAX, &x.limit));
  CLI_TRY(find_task(c, r, c->operands[1], &task));
  if (!cli_registry(c)) return HC_ENOMEM;
  CLI_TRY(hc_config_new(c->allocator, c->registry, &x.config, &c->error));
  cli_table_init(&x.story, c->allocator, columns, CLI_LEN(columns));
  cli_listen();
  rc = hc_result_rows(r, "configuration", 3, set_key, &x, &c->error);
  if (rc >= 0)
    rc = hc_config_flag(x.config, "metrics", "[]", true, &c->error); /* figures are not looked at */
  if (rc >= 0 && x.is_world)
    rc = cli_fail(c, HC_EUNSUPPORTED, "it is of a closed world, which tells no reasons of single tasks");
  if (rc >= 0) rc = hc_config_flag(x.config, "conflicts", "true", true, &c->error); /* what was in the way */
  if (rc >= 0) rc = run_again(c, r, &x, &task);
  if (rc >= 0) {
    const taken takes = taken_by(c, r, task.units);
    x.name = hc_result_task_name(r, task.serial);
    x.user = hc_result_name(r, HC_CALLED_USER, task.user);
    show(c, &x, &task, &takes);
  }
  cli_table_fini(&x.story);
  hc_config_free(x.config);
  return rc < 0 ? rc : 0;
}

static hc_rc run(cli *c)
{
  char made[32];
  hc_result *r;
  hc_rc rc;
  CLI_TRY(cli_result_open(c, c->operands[0], &r));
  if (cli_result_info(c, r, "hindcast", "made_by", made, sizeof made) && strcmp(made, "analyze") == 0)
    rc = hc_fail(&c->error, HC_EUSAGE, c->operands[0], 0, 0,
                 "it holds what a log recorded, and a log says no reasons. Ask a result of `hindcast run`");
  else rc = explain(c, r);
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
