/* submit_line.c -- see submit_line.h.
 *
 * Options end at the first word that is none, the script or the program, whose own options are not Slurm's.
 * An option without `=` takes the next word unless it is one of those that take none; so that the value of
 * one, cut at its blanks, may end the options too soon, and what stands behind it is not seen; --wrap,
 * whose value is a script, ends them. A shortened name (--no-req) of an option that takes no value is
 * passed over, one of another takes the next word.
 *
 * Source: options of sbatch(1), salloc(1) and srun(1) of Slurm 22.05. Cost: about 10 ns a word. */
#include "workload/submit_line.h"

#include <string.h>

#include "base/util.h"

/* Options that take no value, or one behind `=` alone. */
static const char *const bare[] = {"bcast",
                                   "bell",
                                   "compress",
                                   "contiguous",
                                   "debugger-test",
                                   "disable-status",
                                   "exact",
                                   "exclusive",
                                   "get-user-env",
                                   "help",
                                   "hold",
                                   "ignore-pbs",
                                   "immediate",
                                   "interactive",
                                   "kill-command",
                                   "kill-on-bad-exit",
                                   "label",
                                   "multi-prog",
                                   "nice",
                                   "no-allocate",
                                   "no-bell",
                                   "no-kill",
                                   "no-requeue",
                                   "no-shell",
                                   "overcommit",
                                   "overlap",
                                   "oversubscribe",
                                   "parsable",
                                   "preserve-env",
                                   "propagate",
                                   "pty",
                                   "quiet",
                                   "quit-on-interrupt",
                                   "reboot",
                                   "requeue",
                                   "resv-ports",
                                   "send-libs",
                                   "share",
                                   "spread-job",
                                   "test-only",
                                   "unbuffered",
                                   "usage",
                                   "use-min-nodes",
                                   "verbose",
                                   "version",
                                   "wait",
                                   "whole",
                                   "x11"};
static const char bare_letters[] = "EHOQVWXZhlsuv"; /* of -H: what stands behind them is more of them */
static const char own_letters[] = "IKk";            /* of -I60: a value stands in the same word */

static hc_slice next_word(hc_slice *rest)
{
  size_t from = 0, to;
  while (from < rest->n && (rest->s[from] == ' ' || rest->s[from] == '\t')) from++;
  for (to = from; to < rest->n && rest->s[to] != ' ' && rest->s[to] != '\t';) to++;
  const hc_slice word = {rest->s + from, to - from};
  *rest = (hc_slice){rest->s + to, rest->n - to};
  return word;
}

static bool is_word(hc_slice t, const char *word)
{
  return t.n == strlen(word) && memcmp(t.s, word, t.n) == 0;
}

/* sbatch, or /usr/bin/sbatch. */
static bool submits(hc_slice command)
{
  size_t from = command.n;
  while (from > 0 && command.s[from - 1] != '/') from--;
  const hc_slice name = {command.s + from, command.n - from};
  return is_word(name, "sbatch") || is_word(name, "salloc") || is_word(name, "srun");
}

static bool is_bare(hc_slice name)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(bare); i++)
    if (name.n >= 2 && name.n <= strlen(bare[i]) && memcmp(name.s, bare[i], name.n) == 0) return true;
  return false;
}

/* "0-9%2" */
static int64_t at_once_of(hc_slice tasks)
{
  const char *percent = tasks.n > 0 ? memchr(tasks.s, '%', tasks.n) : NULL;
  return percent ? hc_slurm_at_once((hc_slice){percent + 1, tasks.n - (size_t)(percent + 1 - tasks.s)}) : 0;
}

static void take(hc_submit_line *out, hc_slice name, hc_slice value)
{
  if (is_word(name, "reservation")) out->reservation = value;
  else if (is_word(name, "time-min")) out->least_limit = value;
  else if (is_word(name, "switches")) out->switches = value;
  else if (is_word(name, "requeue")) out->again = HC_AGAIN_ALWAYS;
  else if (is_word(name, "no-requeue")) out->again = HC_AGAIN_NEVER;
  else if (is_word(name, "exclusive") && value.n == 0) out->exclusive = HC_EXCLUSIVE_HOST;
  else if (is_word(name, "exclusive") && is_word(value, "user")) out->exclusive = HC_EXCLUSIVE_USER;
  else if (is_word(name, "array")) out->at_once = at_once_of(value);
  else if (is_word(name, "oversubscribe") || is_word(name, "share")) out->exclusive = HC_EXCLUSIVE_NEVER;
}

/* --name, --name=value or --name value. */
static void take_long(hc_submit_line *out, hc_slice word, hc_slice *rest)
{
  const hc_slice text = {word.s + 2, word.n - 2};
  const char *equals = memchr(text.s, '=', text.n);
  const hc_slice name = {text.s, equals ? (size_t)(equals - text.s) : text.n};
  hc_slice value = {0};
  if (equals) value = (hc_slice){equals + 1, text.n - name.n - 1};
  else if (!is_bare(name)) value = next_word(rest);
  take(out, name, value);
}

/* --wrap=..., --wrap ...: what follows is a text of words that are no options. */
static bool is_wrap(hc_slice word)
{
  return word.n >= 6 && memcmp(word.s, "--wrap", 6) == 0;
}

/* -N2, -N 2, -HN 2: the first letter that takes a value takes the rest of its word, or the next one. */
static void take_letters(hc_submit_line *out, hc_slice word, hc_slice *rest)
{
  for (size_t i = 1; i < word.n; i++) {
    if (word.s[i] == 's') out->exclusive = HC_EXCLUSIVE_NEVER;
    if (strchr(bare_letters, word.s[i])) continue;
    hc_slice value = {word.s + i + 1, word.n - i - 1};
    if (value.n == 0 && !strchr(own_letters, word.s[i])) value = next_word(rest);
    if (word.s[i] == 'a') out->at_once = at_once_of(value);
    return;
  }
}

hc_submit_line hc_submit_line_read(hc_slice line)
{
  hc_submit_line out = {.again = HC_AGAIN_UNSAID};
  hc_slice rest = line;
  if (line.n == 0 || !submits(next_word(&rest))) return out;
  for (;;) {
    const hc_slice word = next_word(&rest);
    if (is_word(word, ":")) return (hc_submit_line){.again = HC_AGAIN_UNSAID};
    if (word.n < 2 || word.s[0] != '-' || is_word(word, "--") || is_wrap(word)) return out;
    if (word.s[1] == '-') take_long(&out, word, &rest);
    else take_letters(&out, word, &rest);
  }
}
