/* why_summary.c -- how the wait of a task divides, measured while its run is made again.
 *
 * From the task's submission on the run is looked at after each instant. Between two instants nothing
 * changes, so that how much was in use, and for how long how much was free, is exact. Which tasks had it the
 * task rows say, each by its start and its end, in one of four parts (why.h). A row does not say when its
 * task was suspended, stopped with a host, or had another size: where the rows do not come to what was in
 * use, to the nanosecond, tasks are counted and what they held is not told. The sums that are compared are
 * whole numbers modulo 2^64.
 *
 * Cost: a look an instant of the wait; once, a look at the queue; a walk over all task rows. */
#include <stdlib.h>
#include <string.h>

#include "cli/why.h"

void cli_why_begin(cli_why_summary *s, const hc_task_record *task)
{
  *s = (cli_why_summary){.submit = task->submit,
                         .left = task->start != HC_UNKNOWN ? task->start : task->end,
                         .queued = HC_UNKNOWN,
                         .first = HC_UNKNOWN,
                         .at = HC_UNKNOWN,
                         .units = task->units,
                         .serial = task->serial,
                         .promise = {.moved_at = HC_UNKNOWN}};
}

void cli_why_summary_free(cli_why_summary *s)
{
  free(s->ahead);
  free(s->users);
}

/* ---- while it waits ---- */

static double seconds(hc_time t)
{
  return (double)t / HC_SECOND;
}

/* What the last look saw held until now. */
static void pass_time(cli_why_summary *s, hc_time now)
{
  const hc_time to = s->left != HC_UNKNOWN && s->left < now ? s->left : now;
  const hc_time from = s->at != HC_UNKNOWN && s->at > s->submit ? s->at : s->submit;
  const int64_t free_units = s->seen.capacity - s->seen.held;
  if (s->at == HC_UNKNOWN || to <= from) return;
  *(free_units <= 0 ? &s->none : free_units < s->units ? &s->few : &s->many) += to - from;
  s->capacity += (double)s->seen.capacity * seconds(to - from);
  s->held += (double)s->seen.held * seconds(to - from);
  s->held_exact += (uint64_t)s->seen.held * (uint64_t)(to - from);
}

static int by_number(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Those that stand before it in its queue, if it stands in one. */
static hc_rc find_ahead(cli_why_summary *s, hc_time now)
{
  const hc_seen_task *q = s->seen.queued;
  for (size_t i = 0; i < s->seen.queued_count; i++) {
    if (q[i].serial != (uint64_t)s->serial) continue;
    const size_t n = (size_t)q[i].place - 1;
    s->queued = now;
    s->ahead = malloc((n + 1) * sizeof *s->ahead);
    if (!s->ahead) return HC_ENOMEM;
    for (size_t k = 0; k < n; k++) s->ahead[k] = (int64_t)q[i - n + k].serial;
    s->ahead_count = n;
    qsort(s->ahead, n, sizeof *s->ahead, by_number);
    return 0;
  }
  return 0;
}

hc_rc cli_why_look(cli_why_summary *s, hc_run *run)
{
  hc_progress p;
  hc_rc rc = 0;
  hc_run_progress(run, &p);
  pass_time(s, p.now);
  s->at = p.now;
  s->seen = (hc_seen){.queued_cap = s->queued == HC_UNKNOWN && p.now >= s->submit ? p.waiting : 0};
  if (s->seen.queued_cap > 0) {
    s->seen.queued = malloc(s->seen.queued_cap * sizeof *s->seen.queued);
    if (!s->seen.queued) return HC_ENOMEM;
  }
  hc_run_look(run, &s->seen);
  if (s->seen.queued) rc = find_ahead(s, p.now);
  free(s->seen.queued);
  s->seen.queued = NULL;
  return rc;
}

static void hear_promise(cli_why_promise *p, const hc_why_record *w)
{
  const bool is_later = p->was_given && w->at > p->last;
  if (!p->was_given)
    *p = (cli_why_promise){.told = w->time, .first = w->at, .earliest = w->at, .moved_at = HC_UNKNOWN};
  else if (w->at != p->last) p->moved++;
  if (is_later && p->later++ == 0) {
    p->moved_at = w->time;
    p->from = p->last;
    p->to = w->at;
  }
  p->was_given = p->is_given = true;
  p->last = w->at;
  if (w->at < p->earliest) p->earliest = w->at;
}

void cli_why_hear(cli_why_summary *s, const hc_why_record *w)
{
  if (w->place == 0) return;
  if (w->place > 1) s->first = HC_UNKNOWN;
  else if (s->first == HC_UNKNOWN) s->first = w->time;
  if (w->what == HC_NOTE_PROMISE) hear_promise(&s->promise, w);
  else if (s->promise.is_given) {
    s->promise.is_given = false;
    s->promise.dropped++;
  }
}

/* ---- whose it was ---- */

static bool is_ahead(const cli_why_summary *s, int64_t serial)
{
  return s->ahead_count > 0 && bsearch(&serial, s->ahead, s->ahead_count, sizeof serial, by_number);
}

/* How long it ran while the task waited. */
static hc_time overlap(const cli_why_summary *s, const hc_task_record *t)
{
  if (t->start == HC_UNKNOWN) return 0;
  const hc_time from = t->start > s->submit ? t->start : s->submit;
  const hc_time to = t->end != HC_UNKNOWN && t->end < s->left ? t->end : s->left;
  return to > from ? (hc_time)((uint64_t)to - (uint64_t)from) : 0; /* a damaged row may have any times */
}

/* CLI_WHY_PARTS: it is no part of it. */
static cli_why_part part_of(const cli_why_summary *s, const hc_task_record *t)
{
  const hc_time came = s->queued != HC_UNKNOWN ? s->queued : s->submit;
  if (is_ahead(s, t->serial)) return CLI_WHY_AHEAD;
  if (t->start == HC_UNKNOWN || t->start >= s->left) return CLI_WHY_PARTS;
  if (t->serial > s->serial) return CLI_WHY_LATER;
  if (t->start > came) return CLI_WHY_OTHER;
  return overlap(s, t) > 0 ? CLI_WHY_RUNNING : CLI_WHY_PARTS;
}

static void add_held(cli_why_held *to, double held)
{
  to->tasks++;
  to->held += held;
}

/* There are as many users as tasks at most; more only if a damaged result has a task twice. */
static void add_user(cli_why_summary *s, int64_t user, double held)
{
  size_t i = 0;
  while (i < s->user_count && s->users[i].user != user) i++;
  if (i > s->ahead_count) return;
  if (i == s->user_count) s->users[s->user_count++] = (cli_why_user){.user = user};
  add_held(&s->users[i].of, held);
}

static int by_held(const void *a, const void *b)
{
  const cli_why_user *x = a, *y = b;
  if (x->of.held != y->of.held) return x->of.held < y->of.held ? 1 : -1;
  if (x->of.tasks != y->of.tasks) return x->of.tasks < y->of.tasks ? 1 : -1;
  return (x->user > y->user) - (x->user < y->user);
}

static void add_row(cli_why_summary *s, const hc_task_record *t, uint64_t *exact)
{
  const hc_time ran = overlap(s, t);
  const double held = (double)t->units * seconds(ran);
  if (t->serial == s->serial) return;
  const cli_why_part part = part_of(s, t);
  *exact += (uint64_t)t->units * (uint64_t)ran;
  if (part == CLI_WHY_PARTS) return;
  add_held(&s->parts[part], held);
  if (part == CLI_WHY_AHEAD) {
    add_user(s, t->user, held);
    if (t->start == HC_UNKNOWN || t->start >= s->left) add_held(&s->left_behind, held);
  }
  if (part == CLI_WHY_LATER && t->start == s->promise.moved_at && s->promise.movers++ == 0) {
    s->promise.mover = t->serial;
    s->promise.mover_id = t->id;
  }
}

/* Without times, those with most tasks come first. */
static void forget_times(cli_why_summary *s)
{
  for (size_t i = 0; i < CLI_WHY_PARTS; i++) s->parts[i].held = 0;
  for (size_t i = 0; i < s->user_count; i++) s->users[i].of.held = 0;
}

hc_rc cli_why_end(cli *c, hc_result *r, cli_why_summary *s)
{
  const char *rows = hc_result_config(r, "task_rows");
  cli_records all = {0};
  uint64_t exact = 0;
  if (s->left == HC_UNKNOWN) s->left = s->at != HC_UNKNOWN && s->at > s->submit ? s->at : s->submit;
  pass_time(s, s->left);
  s->has_rows = !rows || strcmp(rows, "all") == 0;
  if (!s->has_rows) return 0;
  CLI_TRY(cli_records_load(c, r, &all));
  s->users = malloc((s->ahead_count + 1) * sizeof *s->users);
  for (size_t i = 0; s->users && i < all.count; i++) add_row(s, &all.items[i], &exact);
  cli_records_fini(c, &all);
  if (!s->users) return cli_fail(c, HC_ENOMEM, "out of memory for its summary");
  s->adds_up = exact == s->held_exact;
  if (!s->adds_up) forget_times(s);
  qsort(s->users, s->user_count, sizeof *s->users, by_held);
  return 0;
}
