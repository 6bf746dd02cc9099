/* running.c -- a run that is carried out, from its beginning or from where it was saved: what `run`, `resume`
 * and `branch` share.
 *
 * With --save-every the clock is looked at every STRIDE instants; with --save-at the run stops before the
 * first instant that is not before that time, is saved, and goes on. */
#include <string.h>

#include "cli/cli.h"

#define STRIDE 2048 /* instants between two looks at the clock and the signals */

const cli_flag cli_saving_flags[] = {
    {.name = "save",
     .metavar = "FILE",
     .complete = CLI_FILE,
     .help =
         "Where the run is saved, with --save-at or --save-every. Default: the result's name with .save in "
         "place of .db."},
    {.name = "save-at",
     .metavar = "TIME",
     .help = "Save the run once, before anything of this virtual time happens, and go on: 30d, or seconds."},
    {.name = "save-every",
     .metavar = "TIME",
     .help =
         "Save the run whenever so much time of the wall clock has passed: 10min. `hindcast resume` carries "
         "on from the last save."},
    {.name = "step",
     .metavar = "HOW",
     .complete = "instant",
     .help =
         "Say what happens, step by step: `instant`, or a virtual time that a step takes, such as 1h. Where "
         "standard input is a terminal each step waits for Enter; commands are read from there in any case: "
         "a time or a number of steps, c (to the end without a stop), q (stop here), h (help)."},
    {.name = "live",
     .help =
         "Watch the run on the terminal: clock, load, queue, and which tasks run and wait. Keys: space "
         "(pause), s (one instant), + and - (speed), f (as fast as it goes), q (end it here and store it, as "
         "--until does), ? (help)."},
    {.name = "pace",
     .metavar = "TIME",
     .help = "With --live: virtual time that passes in a second, at first: 1h. Default: as fast as it goes."},
    {.name = NULL},
};

typedef struct running {
  cli *c;
  hc_config *config;
  hc_store *store;
  hc_run *run;
  hc_save *save;   /* NULL: it is not saved */
  char path[1024]; /* of the save */
  hc_time save_at; /* HC_NEVER: not, or done */
  bool was_at;     /* --save-at was given */
  double every;    /* wall seconds; 0: never */
  double next;     /* wall time of the next save */
  uint64_t saves;
  hc_time stopped; /* by hand; HC_NEVER: it was not */
  bool left;       /* those who step through it have enough */
  bool is_empty;   /* it got no task */
  bool branch;     /* it goes on otherwise than it was saved, from `branch_at` on */
  hc_time branch_at;
} running;

void cli_program(char *out)
{
  (void)snprintf(out, 128, "hindcast " HC_VERSION " (commit %s)", cli_commit());
}

/* Where the result goes: as the flags say, as was said when it was saved, as the configuration does. */
static void result_path(const running *x, const hc_saved *of, char *out, size_t size)
{
  const cli *c = x->c;
  const hc_config *config = x->config;
  char name[512] = "run";
  const char *flag = cli_value(c, "output");
  if (!flag && of && x->branch) { /* beside what it is a branch of */
    const char *whole = hc_saved_told(of)->output;
    const size_t n = whole ? strlen(whole) : 0;
    const bool ends = n > 3 && strcmp(whole + n - 3, ".db") == 0;
    if (whole) (void)snprintf(out, size, "%.*s-branch.db", (int)(ends ? n - 3 : n), whole);
    if (whole) return;
  }
  if (!flag && of) flag = hc_saved_told(of)->output;
  if (flag) {
    (void)snprintf(out, size, "%s", flag);
    return;
  }
  if (cli_config_value(config, "output", out, size)) return;
  (void)cli_config_value(config, "name", name, sizeof name);
  (void)snprintf(out, size, "results/%s.db", name);
}

/* ---- saving ---- */

static hc_rc read_time(cli *c, const char *flag, bool is_wall, hc_time *out)
{
  const char *word = cli_value(c, flag);
  if (!word) return 0;
  if (hc_parse_time(word, strlen(word), out) == 0 && *out >= (is_wall ? 1 : 0)) return 0;
  return cli_fail(c, HC_EUSAGE, "--%s: expected a time, such as 10min or 3d, got \"%.80s\"", flag, word);
}

/* The result's name with another ending. */
static void save_path(running *x, const char *result)
{
  const char *flag = cli_value(x->c, "save");
  const size_t n = strlen(result);
  if (flag) (void)snprintf(x->path, sizeof x->path, "%s", flag);
  else
    (void)snprintf(x->path, sizeof x->path, "%.*s.save",
                   (int)(n > 3 && strcmp(result + n - 3, ".db") == 0 ? n - 3 : n), result);
}

/* What the flags say; of a run that goes on, what was said when it was saved. */
static hc_rc plan_saves(running *x, hc_saved *of, const char *result)
{
  cli *c = x->c;
  hc_time every = of && !x->branch ? hc_saved_told(of)->every * HC_SECOND / 1000 : 0;
  char program[128];
  x->save_at = HC_NEVER;
  CLI_TRY(read_time(c, "save-at", false, &x->save_at));
  CLI_TRY(read_time(c, "save-every", true, &every));
  x->was_at = x->save_at != HC_NEVER;
  x->every = (double)every * 1e-9;
  if (cli_has(c, "step") && (cli_has(c, "save-at") || cli_has(c, "save-every")))
    return cli_fail(c, HC_EUSAGE,
                    "--step: a run is stepped through or saved; `hindcast resume SAVE --step` steps from "
                    "where one was saved");
  CLI_TRY(cli_live_check(c));
  if (cli_has(c, "step") || cli_has(c, "live")) return 0;
  if (every == 0 && !x->was_at) {
    if (cli_has(c, "save"))
      return cli_fail(c, HC_EUSAGE, "--save: say when, too: --save-every 10min, or --save-at TIME");
    return 0;
  }
  const bool goes_on = of && !x->branch && !cli_has(c, "save");
  if (goes_on) (void)snprintf(x->path, sizeof x->path, "%s", c->operands[0]);
  else save_path(x, result);
  cli_program(program);
  const hc_save_options o = {.path = x->path,
                             .replace = cli_has(c, "force"),
                             .program = program,
                             .output = result,
                             .every = every / (HC_SECOND / 1000),
                             .of = goes_on ? of : NULL};
  CLI_TRY(hc_save_new(c->allocator, x->run, x->config, x->store, &o, &x->save, &c->error));
  x->next = cli_wall() + x->every;
  return 0;
}

static hc_rc save_now(running *x, hc_time at)
{
  CLI_TRY(hc_save_now(x->save, at, &x->c->error));
  x->saves++;
  return 0;
}

/* From where a branch set out: beside the configuration, which has what is another one since. */
static hc_rc store_branch(running *x, const hc_saved *of)
{
  const hc_saved_facts *f = hc_saved_told(of);
  char at[32];
  (void)hc_format_seconds(x->branch_at, at);
  CLI_TRY(hc_store_row(x->store, "run_info", 2, (const char *[]){"branched_at", at}, &x->c->error));
  return hc_store_row(x->store, "run_info", 2, (const char *[]){"branched_from", f->digest}, &x->c->error);
}

/* ---- running ---- */

static hc_rc advance(running *x, cli_progress *line)
{
  hc_progress p;
  hc_rc rc;
  for (;;) {
    const hc_time until = x->save_at == HC_NEVER ? HC_NEVER : x->save_at - 1;
    hc_run_progress(x->run, &p);
    const uint64_t before = p.instants;
    rc = hc_run_advance(x->run, until, STRIDE, &x->c->error);
    if (rc != 1) return rc;
    if (cli_interrupted()) hc_run_cancel(x->run);
    cli_progress_run(line, x->run);
    hc_run_progress(x->run, &p);
    if (x->save_at != HC_NEVER && p.instants - before < STRIDE) { /* nothing more happens before it */
      CLI_TRY(save_now(x, x->save_at));
      x->save_at = HC_NEVER;
    }
    if (x->every > 0 && cli_wall() >= x->next) {
      CLI_TRY(save_now(x, p.now));
      x->next = cli_wall() + x->every;
    }
  }
}

static hc_rc carry_out(running *x)
{
  cli *c = x->c;
  cli_progress line;
  hc_rc rc;
  cli_progress_begin(&line, c, "running");
  rc = advance(x, &line);
  cli_progress_end(&line);
  if (rc == 0 && cli_interrupted()) rc = HC_ECANCELLED;
  if (rc == HC_ECANCELLED && x->saves > 0) {
    c->kept = true;
    return hc_fail(&c->error, rc, x->path, 0, 0,
                   "interrupted; `hindcast resume %.300s` goes on from the last save", x->path);
  }
  return rc;
}

static bool saves(const cli *c)
{
  return cli_has(c, "save-at") || cli_has(c, "save-every");
}

static hc_rc simulate(running *x, hc_saved *of, const char *path)
{
  cli *c = x->c;
  double began = cli_wall();
  hc_progress p;
  hc_rc rc =
      of ? hc_saved_restore(of, x->config, x->store, &x->run, &c->error)
         : (saves(c) ? hc_save_run_new : hc_run_new)(c->allocator, x->config, x->store, &x->run, &c->error);
  if (rc < 0) return rc;
  rc = plan_saves(x, of, path);
  if (rc >= 0) {
    c->started = true;
    cli_watch(x->run);
    rc = cli_has(c, "step")   ? cli_step(c, x->run, &x->left)
         : cli_has(c, "live") ? cli_live(c, x->config, x->run, &x->stopped)
                              : carry_out(x);
  }
  if (rc >= 0 && !x->left) rc = hc_run_finish(x->run, &c->error);
  if (rc >= 0 && !x->left) {
    hc_run_progress(x->run, &p);
    x->is_empty = p.submitted == 0;
    rc = cli_store_info(c, x->store, began, &p);
    if (rc >= 0 && of && x->branch) rc = store_branch(x, of);
  }
  cli_watch(NULL);
  hc_save_free(x->save);
  hc_run_free(x->run);
  if (rc >= 0 && cli_interrupted()) rc = HC_ECANCELLED;
  return rc < 0 || x->left ? rc : hc_store_commit(x->store, &c->error);
}

/* ---- saying so ---- */

static void say_cost(cli *c, hc_result *r)
{
  char wall[64], rate[64], memory[64], text[64], size[40];
  double x;
  if (!cli_result_info(c, r, "run_info", "wall_s", wall, sizeof wall)) return;
  if (!cli_result_info(c, r, "run_info", "tasks_per_s", rate, sizeof rate)) return;
  if (hc_parse_real(rate, strlen(rate), &x) == 0) cli_human((double)(int64_t)x, "1/s", rate);
  if (hc_parse_real(wall, strlen(wall), &x) == 0) (void)snprintf(wall, sizeof wall, "%.3g", x);
  size[0] = '\0';
  if (cli_result_info(c, r, "run_info", "peak_memory_bytes", memory, sizeof memory) &&
      hc_parse_real(memory, strlen(memory), &x) == 0)
    size[hc_format_size((int64_t)x, size)] = '\0';
  (void)snprintf(text, sizeof text, "%s", size);
  hc_buffer_printf(&c->out, "\n  took %s s (%s tasks/s%s%s)\n", wall, rate, text[0] ? ", peak memory " : "",
                   text);
}

static hc_rc show(cli *c, const char *path)
{
  char digest[33];
  hc_result *r;
  hc_rc rc;
  if (cli_has(c, "quiet")) return 0;
  CLI_TRY(cli_result_open(c, path, &r));
  rc = cli_show_result(c, r, cli_has(c, "all"));
  if (rc >= 0 && cli_has(c, "digest")) {
    rc = hc_result_digest(r, digest, &c->error);
    if (rc >= 0 && c->format == CLI_TEXT) hc_buffer_printf(&c->out, "\n  digest %s\n", digest);
  }
  if (rc >= 0 && c->format == CLI_TEXT) {
    if (!cli_has(c, "digest")) say_cost(c, r); /* who prints checksums compares outputs, and times differ */
    if (hc_result_config(r, "world"))
      hc_buffer_printf(&c->out,
                       "\nresult: %s\n"
                       "next:   hindcast show %s --all\n"
                       "        hindcast export %s --format csv%s\n",
                       path, path, path, hc_result_task_count(r) > 0 ? "" : " --set table=jobs");
    else
      hc_buffer_printf(&c->out,
                       "\nresult: %s\n"
                       "next:   hindcast verify %s         check the schedule from its records\n"
                       "        hindcast compare %s OTHER  side by side with another result\n"
                       "        hindcast export %s --format csv\n",
                       path, path, path, path);
  }
  cli_result_close(c, r);
  return rc < 0 ? rc : 0;
}

/* Rows were there, and the run used none of them: that is seldom meant, and worth a line even where nothing
 * else is said. */
typedef struct unused_rows {
  int64_t read, used;
  char reasons[256]; /* "malformed 3, too_large 1" */
} unused_rows;

static hc_rc take_row(void *ctx, const char *const *v)
{
  unused_rows *u = ctx;
  int64_t n;
  const size_t length = strlen(u->reasons);
  if (!v[0] || !v[1] || hc_parse_int(v[1], strlen(v[1]), &n) < 0 || n == 0) return 0;
  if (strcmp(v[0], "read") == 0) u->read = n;
  else if (strcmp(v[0], "used") == 0) u->used = n;
  else
    (void)snprintf(u->reasons + length, sizeof u->reasons - length, "%s%s %lld", length > 0 ? ", " : "", v[0],
                   (long long)n);
  return 0;
}

static hc_rc say_unused(cli *c, const char *path)
{
  unused_rows u = {0};
  char n[40];
  hc_result *r;
  CLI_TRY(cli_result_open(c, path, &r));
  const hc_rc rc = hc_result_rows(r, "rows", 2, take_row, &u, &c->error);
  cli_result_close(c, r);
  if (rc < 0) return rc;
  if (u.read == 0 || u.used > 0) return 0;
  n[hc_format_count(u.read, n)] = '\0';
  (void)fprintf(stderr,
                "hindcast: warning: the run had no task: of %s row%s of the workload none was used (%s)\n", n,
                u.read == 1 ? "" : "s", u.reasons);
  return 0;
}

/* ---- the whole ---- */

hc_rc cli_with_save(cli *c, hc_rc (*work)(cli *c, hc_saved *saved))
{
  char program[128];
  hc_saved *saved;
  hc_rc rc;
  cli_program(program);
  CLI_TRY(hc_saved_open(c->allocator, c->operands[0], program, &saved, &c->error));
  rc = work(c, saved);
  hc_saved_free(saved);
  return rc;
}

static void say_saves(cli *c, const running *x)
{
  if (c->format != CLI_TEXT || cli_has(c, "quiet")) return;
  if (x->saves > 0)
    hc_buffer_printf(&c->out,
                     "saved:  %s (%llu time%s)\n"
                     "        hindcast resume %s              the same run from there\n",
                     x->path, (unsigned long long)x->saves, x->saves == 1 ? "" : "s", x->path);
  if (x->stopped != HC_NEVER) {
    char at[40];
    at[hc_format_seconds(x->stopped, at)] = '\0';
    hc_buffer_printf(&c->out, "note:   the run was ended by hand, and is one with `until: %s`\n", at);
  }
  if (x->save_at != HC_NEVER)
    hc_buffer_text(&c->out, "note:   the run was over before the time of --save-at: it was not saved then\n");
}

hc_rc cli_run(cli *c, hc_config *config, hc_saved *of, const hc_time *branch_at)
{
  running x = {.c = c, .config = config, .stopped = HC_NEVER};
  x.branch = branch_at != NULL;
  x.branch_at = branch_at ? *branch_at : 0;
  char path[1024];
  hc_rc rc;
  result_path(&x, of, path, sizeof path);
  cli_listen(); /* before there is a file that would be left behind */
  CLI_TRY(cli_file_may(c, path));
  CLI_TRY((cli_has(c, "force") ? hc_store_replace : hc_store_new)(c->allocator, path, &x.store, &c->error));
  rc = simulate(&x, of, path);
  hc_store_free(x.store);
  if (rc < 0 || x.left) return rc;
  if (x.is_empty) CLI_TRY(say_unused(c, path));
  CLI_TRY(show(c, path));
  say_saves(c, &x);
  return 0;
}
