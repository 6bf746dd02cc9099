/* step.c -- a run step by step, with what happens in words: for those who learn, or look for a mistake.
 *
 * A step is an instant at which something happens, or a span of virtual time. What is said goes to standard
 * output as it comes; what to do next is read from standard input, by lines. Where that ends, as it does at
 * once without a terminal, the run goes on to its end and is told all the same. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

typedef struct stepping {
  cli *c;
  hc_run *run;
  hc_time span;  /* of a step; 0: an instant */
  hc_time until; /* of the last step */
  hc_time said;  /* the time that was said last */
  uint64_t heard;
  int64_t steps; /* that are still to be made before a command is read */
  bool reads, is_terminal, left;
} stepping;

static const char help[] = "  Enter      the next step\n"
                           "  17         so many steps\n"
                           "  2h         a step of so much virtual time\n"
                           "  c          to the end without a stop\n"
                           "  q          stop here, without a result\n";

static hc_time later(hc_time t, hc_time span)
{
  return t > HC_NEVER - span ? HC_NEVER : t + span;
}

/* ---- saying ---- */

static void say_time(hc_time t)
{
  char seconds[40], span[40];
  seconds[hc_format_seconds(t, seconds)] = '\0';
  span[hc_format_duration(t, span)] = '\0';
  if (t < 60 * HC_SECOND) (void)printf("t=%s s\n", seconds);
  else (void)printf("t=%s s (%s)\n", seconds, span);
}

static void hear(void *ctx, const hc_happening *h)
{
  stepping *s = ctx;
  if (h->time != s->said) say_time(h->time);
  s->said = h->time;
  s->heard++;
  (void)printf("  %s\n", h->text);
}

static void say_state(const stepping *s)
{
  hc_progress p;
  hc_run_progress(s->run, &p);
  (void)printf("  -- %llu waiting, %llu running\n", (unsigned long long)p.waiting,
               (unsigned long long)p.running);
}

/* ---- commands ---- */

/* @return whether the line was a command */
static bool obey(stepping *s, char *line)
{
  hc_time span;
  int64_t n;
  const size_t length = strcspn(line, "\r\n");
  line[length] = '\0';
  if (length == 0) s->steps = 1;
  else if (strcmp(line, "c") == 0) s->reads = false;
  else if (strcmp(line, "q") == 0) s->left = true;
  else if (hc_parse_int(line, length, &n) == 0 && n > 0) s->steps = n;
  else if (hc_parse_time(line, length, &span) == 0 && span > 0) {
    s->until = later(s->until, span);
    s->steps = 0;
    return true;
  } else {
    (void)fputs(help, stdout);
    return false;
  }
  return true;
}

/* @return 1: a span of time was asked for once, up to s->until */
static int ask(stepping *s)
{
  char line[128];
  for (;;) {
    const hc_time before = s->until;
    if (s->is_terminal) (void)fputs("> ", stdout);
    (void)fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) {
      s->reads = false;
      return 0;
    }
    if (obey(s, line)) return s->until != before;
  }
}

/* ---- stepping ---- */

static hc_rc one_step(stepping *s, bool is_given)
{
  const uint64_t heard = s->heard;
  hc_progress p;
  hc_rc rc = 1;
  if (s->span > 0 || is_given) {
    if (!is_given) s->until = later(s->until, s->span);
    do { /* stretches without anything are one step */
      rc = hc_run_advance(s->run, s->until, 0, &s->c->error);
      if (rc == 1 && s->heard == heard && !is_given) s->until = later(s->until, s->span);
    } while (rc == 1 && s->heard == heard && !is_given && !cli_interrupted());
  } else {
    while (rc == 1 && s->heard == heard && !cli_interrupted())
      rc = hc_run_advance(s->run, HC_NEVER, 1, &s->c->error);
    hc_run_progress(s->run, &p);
    s->until = p.now;
  }
  if (rc >= 0 && s->heard > heard) say_state(s);
  return rc;
}

static hc_rc read_span(stepping *s)
{
  const char *word = cli_value(s->c, "step");
  if (strcmp(word, "instant") == 0) return 0;
  if (hc_parse_time(word, strlen(word), &s->span) == 0 && s->span > 0) return 0;
  return cli_fail(s->c, HC_EUSAGE, "--step: expected `instant`, or a time such as 1h, got \"%.80s\"", word);
}

static bool reads_log(const cli *c)
{
  for (size_t i = 0; i < c->operand_count; i++)
    if (strcmp(c->operands[i], "-") == 0) return true;
  return false;
}

hc_rc cli_step(cli *c, hc_run *run, bool *left)
{
  stepping s = {.c = c, .run = run, .said = HC_UNKNOWN, .steps = 1, .reads = !reads_log(c)};
  hc_progress p;
  hc_rc rc;
  if (c->format != CLI_TEXT)
    return cli_fail(c, HC_EUSAGE, "--step says what happens in words: leave --json and --csv out");
  CLI_TRY(read_span(&s));
  CLI_TRY(hc_run_watch(run, hear, &s, &c->error));
  hc_run_progress(run, &p);
  s.until = p.now; /* of one that goes on */
  s.is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  for (rc = 1; rc == 1 && !s.left;) {
    bool is_given = false;
    if (s.reads && s.steps <= 0) is_given = ask(&s) != 0;
    if (s.left) break;
    s.steps--;
    rc = one_step(&s, is_given);
    if (rc == 1 && cli_interrupted()) rc = HC_ECANCELLED;
  }
  if (s.left) (void)printf("  left at t=%.9g s, without a result\n", (double)s.until * 1e-9);
  *left = s.left;
  (void)fflush(stdout);
  (void)hc_run_watch(run, NULL, NULL, NULL);
  return rc < 0 ? rc : 0;
}
