/* conflict_note.c -- refused starts of a result, summed up by pairs of schedulers: which lost how many to
 * which. */
#include <string.h>

#include "cli/cli.h"

enum { MOST_PAIRS = 32, SHOWN = 6, NAME = 64, COLUMNS = 13 };

typedef struct pair {
  char loser[NAME], winner[NAME], reason[16]; /* winner "": none that is known */
  int64_t starts;
} pair;

typedef struct pairs {
  pair of[MOST_PAIRS];
  size_t count;
  int64_t all;
} pairs;

static bool is_same(const pair *x, const pair *y)
{
  return strcmp(x->loser, y->loser) == 0 && strcmp(x->winner, y->winner) == 0 &&
         strcmp(x->reason, y->reason) == 0;
}

static hc_rc add(void *ctx, const char *const *v)
{
  pairs *p = ctx;
  pair x = {.starts = 1};
  size_t i = 0;
  if (!v[3] || !v[8] || !v[10]) return 0;
  (void)snprintf(x.loser, NAME, "%s", v[3][0] ? v[3] : "the scheduler");
  (void)snprintf(x.winner, NAME, "%s", v[10]);
  (void)snprintf(x.reason, sizeof x.reason, "%s", v[8]);
  p->all++;
  while (i < p->count && !is_same(&p->of[i], &x)) i++;
  if (i < p->count) p->of[i].starts++;
  else if (i < MOST_PAIRS) p->of[p->count++] = x; /* others count in the sum alone */
  return 0;
}

static const char *why(const char *reason)
{
  static const char *const words[][2] = {{"taken", "which had taken the room"},
                                         {"sequence", "which had started something on the host"},
                                         {"gone", "the task waited no more"},
                                         {"host", "the host was away"}};
  for (size_t i = 0; i < CLI_LEN(words); i++)
    if (strcmp(words[i][0], reason) == 0) return words[i][1];
  return "there was no room any more";
}

static void say(cli *c, const pair *x)
{
  char n[40];
  n[hc_format_count(x->starts, n)] = '\0';
  hc_buffer_printf(&c->out, "  note: %s lost %s %s%s%s%s%s\n", x->loser, n,
                   x->starts == 1 ? "start" : "starts", x->winner[0] ? " to " : "", x->winner,
                   x->winner[0] ? ", " : ": ", why(x->reason));
}

/* The most first; of equal ones that which came first. */
void cli_note_conflicts(cli *c, hc_result *r)
{
  const char *on = hc_result_config(r, "conflicts");
  pairs p = {.count = 0};
  if (!on || strcmp(on, "true") != 0 || hc_result_rows(r, "conflicts", COLUMNS, add, &p, &c->error) < 0)
    return;
  if (p.all == 0) hc_buffer_printf(&c->out, "  note: no start was refused\n");
  for (size_t shown = 0; shown < SHOWN && shown < p.count; shown++) {
    size_t best = shown;
    for (size_t i = shown + 1; i < p.count; i++)
      if (p.of[i].starts > p.of[best].starts) best = i;
    const pair x = p.of[best];
    memmove(&p.of[shown + 1], &p.of[shown], (best - shown) * sizeof x);
    p.of[shown] = x;
    p.all -= x.starts;
    say(c, &x);
  }
  if (p.all > 0 && p.count >= SHOWN)
    hc_buffer_printf(&c->out, "  note: %lld more starts were lost; the table `conflicts` has them all\n",
                     (long long)p.all);
}
