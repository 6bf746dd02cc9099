/* main.c -- finds the subcommand, runs it, and says how it went.
 *
 * The only place that knows exit statuses: 0 done, 1 a failed run, 2 wrong usage or input, 3 a refuted check,
 * 4 a study that lost points (the command says so in `status`), 130 interrupted. What a command has to say is
 * gathered and written at the end, so that a full disk or a closed pipe behind standard output is an error
 * like any other. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

#define HC_COMMAND(x) extern const cli_command cli_command_##x;
#include "cli/commands.def"
#undef HC_COMMAND
const cli_command *const cli_commands[] = {
#define HC_COMMAND(x) &cli_command_##x,
#include "cli/commands.def"
#undef HC_COMMAND
    NULL};

/* ---- signals ---- */

/* A handler can reach nothing but a global. */
static volatile sig_atomic_t interrupted;
static hc_run *volatile running; /* NULL: none, or none that a signal should stop */

static void on_signal(int number)
{
  hc_run *const run = running;
  (void)number;
  interrupted = 1;
  if (run) hc_run_cancel(run);
}

void cli_watch(hc_run *run)
{
  running = run;
  if (run && interrupted) hc_run_cancel(run);
}

/* Its system call fails, which is an error like any other. A handler, since what is ignored stays so in
 * children. */
static void on_refusal(int number)
{
  (void)number;
}

static void hear(int number, void (*handler)(int), int flags)
{
  struct sigaction now = {0}, before;
  now.sa_handler = handler;
  now.sa_flags = flags;
  if (sigaction(number, NULL, &before) == 0 && number == SIGHUP && before.sa_handler == SIG_IGN)
    return; /* nohup */
  (void)sigaction(number, &now, NULL);
}

/* What asks a process to end (a terminal that closes, a batch system, a limit of CPU time) ends it with
 * nothing left behind; what says that a write cannot be (a limit of file size, a reader that is gone) fails
 * that write. */
void cli_listen(void)
{
  static const int ends[] = {SIGHUP, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};
  hear(SIGINT, on_signal, (int)SA_RESETHAND); /* a second one ends the process at once */
  hear(SIGTERM, on_signal, (int)SA_RESETHAND);
  for (size_t i = 0; i < CLI_LEN(ends); i++) hear(ends[i], on_signal, 0);
  hear(SIGXFSZ, on_refusal, 0);
  hear(SIGPIPE, on_refusal, 0);
}

bool cli_interrupted(void)
{
  return interrupted != 0;
}

/* ---- what the process says ---- */

static int exit_status(const cli *c, hc_rc rc)
{
  switch (rc) {
    case 0: return c->status;
    case HC_EREFUTED: return 3;
    case HC_ECANCELLED: return 130;
    case HC_EIO: return c->started ? 1 : 2;
    case HC_EINPUT:
    case HC_EUSAGE:
    case HC_ENOTFOUND:
    case HC_EUNSUPPORTED:
    case HC_ELIMIT:
    case HC_EVERSION: return 2;
    default: return 1;
  }
}

static void say_error(const hc_error *e, hc_rc rc)
{
  (void)fputs("hindcast: ", stderr);
  if (e->where[0]) {
    (void)fputs(e->where, stderr);
    if (e->line) (void)fprintf(stderr, ":%u", (unsigned)e->line);
    if (e->line && e->column) (void)fprintf(stderr, ":%u", (unsigned)e->column);
    (void)fputs(": ", stderr);
  }
  (void)fprintf(stderr, "%s\n", e->text[0] ? e->text : hc_rc_text(rc));
}

/* What a shared object wrote there itself may hold what a terminal would obey. */
static void show_plainly(const hc_allocator *a, char *text, size_t size, const char *keep)
{
  hc_buffer b;
  hc_buffer_init(&b, a);
  hc_shown_text(&b, text, strnlen(text, size), keep);
  if (!b.failed && b.data) (void)snprintf(text, size, "%s", b.data);
  hc_buffer_fini(&b);
}

/* A check that was refuted and an interruption have said, or need to say, nothing more. */
static void say_end(cli *c, hc_rc rc)
{
  show_plainly(c->allocator, c->error.where, sizeof c->error.where, "");
  show_plainly(c->allocator, c->error.text, sizeof c->error.text, "\n\t");
  if (rc == HC_ECANCELLED && !c->kept)
    (void)fputs("hindcast: interrupted; nothing was left behind\n", stderr);
  else if (rc != HC_EREFUTED || c->error.text[0]) say_error(&c->error, rc);
}

static hc_rc output_failed(cli *c)
{
  c->started = true;
  c->broken_pipe = errno == EPIPE;
  return cli_fail(c, HC_EIO, "cannot write to standard output: %s; see where it leads", strerror(errno));
}

/* What people read, and what a terminal would obey, without control characters. */
static hc_rc write_out(cli *c)
{
  const bool shown = c->format == CLI_TEXT || isatty(STDOUT_FILENO);
  if (c->command && cli_has(c, "latex")) cli_latex_comments(&c->out);
  hc_buffer b = c->out;
  if (c->out.failed) return cli_fail(c, HC_ENOMEM, "out of memory for what is to be printed");
  if (shown && c->out.size) {
    hc_buffer_init(&b, c->allocator);
    hc_shown_text(&b, c->out.data, c->out.size, "\n\t");
    hc_buffer_fini(&c->out);
    c->out = b;
    if (b.failed) return cli_fail(c, HC_ENOMEM, "out of memory for what is to be printed");
  }
  if (b.size && fwrite(b.data, 1, b.size, stdout) != b.size) return output_failed(c);
  return fflush(stdout) == 0 ? 0 : output_failed(c);
}

/* ---- dispatch ---- */

static hc_rc unknown_command(cli *c, const cli_command *const *list, const char *word, const char *of)
{
  const char *near = cli_nearest_command(list, word);
  if (near)
    return cli_fail(c, HC_EUSAGE, "there is no command \"%.80s%s%.80s\"; did you mean \"%s\"?", of,
                    *of ? " " : "", word, near);
  return cli_fail(c, HC_EUSAGE, "there is no command \"%.80s%s%.80s\"; `hindcast help%s%s` lists them", of,
                  *of ? " " : "", word, *of ? " " : "", of);
}

/* A log or a run file in place of a command is a slip that deserves its own words. */
static hc_rc no_command(cli *c, const char *word)
{
  if (access(word, F_OK) == 0)
    return cli_fail(c, HC_EUSAGE, "\"%.200s\" is a file, not a command; did you mean `hindcast run %.200s`?",
                    word, word);
  return unknown_command(c, cli_commands, word, "");
}

static hc_rc check_looks(cli *c)
{
  if (cli_has(c, "markdown") + cli_has(c, "latex") + (c->format != CLI_TEXT ? 1 : 0) <= 1) return 0;
  return cli_fail(c, HC_EUSAGE, "--markdown, --latex, --json or --csv: one of them");
}

static hc_rc run_command(cli *c, int argc, char **argv)
{
  hc_rc rc = cli_parse(c, argc, argv);
  if (rc == 0) rc = check_looks(c);
  if (rc < 0) return rc;
  if (cli_has(c, "help")) {
    cli_help(c, &c->out, c->command, c->parent);
    return 0;
  }
  return c->command->run(c);
}

static hc_rc dispatch(cli *c, int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : NULL;
  if (!word) {
    cli_usage(&c->out);
    return cli_fail(c, HC_EUSAGE, "which command? See above, or try `hindcast run LOG --policy easy`");
  }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) word = "help";
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) word = "version";
  c->command = cli_find(cli_commands, word);
  if (!c->command) return no_command(c, word);
  const cli_command *of = c->command->commands && argc > 2 ? cli_find(c->command->commands, argv[2]) : NULL;
  if (!c->command->commands || (!of && c->command->run)) return run_command(c, argc - 2, argv + 2);
  c->parent = c->command;
  if (argc < 3 || strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0) {
    cli_help(c, &c->out, c->command, NULL);
    return argc < 3 ? cli_fail(c, HC_EUSAGE, "which command of `hindcast %s`? See above", word) : 0;
  }
  c->command = of;
  if (!c->command) return unknown_command(c, c->parent->commands, argv[2], c->parent->name);
  return run_command(c, argc - 3, argv + 3);
}

/* Usage shown because of a mistake belongs to standard error. */
static void show_usage(cli *c)
{
  if (c->out.size && !c->out.failed) (void)fwrite(c->out.data, 1, c->out.size, stderr);
}

/* A reader that has seen enough, such as `head`: no error to tell of, and the status that shells know for
 * it. */
static void end_by_pipe(void)
{
  (void)signal(SIGPIPE, SIG_DFL);
  (void)raise(SIGPIPE);
}

int main(int argc, char **argv)
{
  cli c = {.allocator = hc_default_allocator(), .argc = argc, .argv = argv};
  bool is_usage;
  hc_rc rc;
  hc_buffer_init(&c.out, c.allocator);
  rc = dispatch(&c, argc, argv);
  if (c.error.rc < 0) rc = c.error.rc; /* also if a result could not be read whole, and was closed since */
  is_usage = rc == HC_EUSAGE && (argc < 2 || (c.parent == c.command && c.parent));
  if (is_usage) show_usage(&c);
  else if (rc == 0 || rc == HC_EREFUTED || c.problems) {
    hc_rc written = write_out(&c);
    if (written < 0) rc = written;
  }
  if (rc < 0 && !c.broken_pipe) say_end(&c, rc);
  hc_buffer_fini(&c.out);
  hc_registry_free(c.registry);
  free(c.operands);
  free(c.given);
  if (c.broken_pipe) end_by_pipe();
  return exit_status(&c, rc);
}
