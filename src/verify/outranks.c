/* outranks.c -- are tasks of a batch queue stopped by priority, and for nothing?
 *
 *   - at the instant at which a task is stopped, one of higher priority starts, unless tasks are evicted from
 *     hosts then
 *   - on counted processors, once all of an instant has happened: of the tasks that wait, those of the
 *     highest priority; if a task of lower priority runs or waits, one of them does not fit in what is free
 *     and what tasks of lower priority hold. (Which of them is first the order of the queue says, which is
 *     not looked at.)
 *
 * The second is not held against runs in which something else keeps tasks back or takes processors: times
 * before which they may not start, other tasks, advance reservations, withdrawals, tasks that ran before.
 * Cost: O(n log n), and for each instant a look at the priorities there are. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "verify/parts.h"

/* ---- the table ---- */

static hc_rc take(const int64_t *n, const void *before, void *out)
{
  HC_UNUSED(before);
  *(hc_verify_priority *)out = (hc_verify_priority){n[0], n[1]};
  return 0;
}

hc_rc hc_verify_priorities_read(const hc_allocator *a, hc_result *r, hc_verify_priorities *out, hc_error *e)
{
  static const hc_number_table table = {.name = "priorities",
                                        .what = "priorities",
                                        .columns = 2,
                                        .item = sizeof(hc_verify_priority),
                                        .take = take};
  void *rows = NULL;
  *out = (hc_verify_priorities){0};
  const hc_rc rc = hc_number_table_read(&table, a, r, &rows, &out->count, e);
  out->tasks = rows;
  return rc;
}

void hc_verify_priorities_free(const hc_allocator *a, hc_verify_priorities *p)
{
  hc_free(a, (void *)(uintptr_t)p->tasks, p->count * sizeof *p->tasks);
  *p = (hc_verify_priorities){0};
}

/* ---- what happens ---- */

enum { STOPS, ENDS, QUEUES, STARTS };

typedef struct happening {
  hc_time at;
  int64_t priority, units;
  uint32_t what, rank;
} happening;

typedef struct level {
  int64_t priority, running; /* units */
  int64_t *waiting;          /* [count] units of those that wait */
  size_t count, cap, runners;
} level;

typedef struct sweep {
  hc_check *check;
  happening *all;
  size_t count, cap;
  level *levels; /* ascending */
  size_t level_count, level_cap;
  int64_t *priorities; /* [report.tasks] by record */
} sweep;

static int by_time(const void *a, const void *b)
{
  const happening *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->what != y->what) return x->what < y->what ? -1 : 1;
  return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static hc_rc add(sweep *s, hc_time at, uint32_t what, uint32_t record)
{
  TRY(hc_reserve(s->check->allocator, (void **)&s->all, &s->cap, s->count + 1, sizeof *s->all));
  s->all[s->count++] = (happening){.at = at,
                                   .priority = s->priorities[record],
                                   .units = s->check->given[record].units,
                                   .what = what,
                                   .rank = s->check->ranks[record]};
  return 0;
}

static hc_rc read_priorities(sweep *s)
{
  const hc_verify_priorities *p = s->check->as_given->priorities;
  s->priorities = hc_alloc(s->check->allocator, (size_t)s->check->report.tasks * sizeof *s->priorities + 1);
  if (!s->priorities) return HC_ENOMEM;
  for (size_t i = 0; i < s->check->report.tasks; i++) s->priorities[i] = INT64_MIN; /* nothing says */
  for (size_t i = 0; i < p->count; i++) {
    const uint32_t record = hc_record_with(s->check, p->tasks[i].serial);
    if (record != UINT32_MAX) s->priorities[record] = p->tasks[i].priority;
  }
  return 0;
}

/* An attempt that was lost with a host took what another was stopped for. */
static hc_rc list_losses(sweep *s)
{
  const hc_verify_told *told = s->check->as_given->told;
  for (size_t i = 0; told && i < told->loss_count; i++) {
    const uint32_t record = hc_record_with(s->check, told->losses[i].serial);
    if (record == UINT32_MAX) continue;
    TRY(add(s, told->losses[i].start, STARTS, record));
    TRY(add(s, told->losses[i].end, ENDS, record));
    TRY(add(s, told->losses[i].end, QUEUES, record));
  }
  return 0;
}

static hc_rc list(sweep *s)
{
  const hc_verify_stops *stops = s->check->as_given->stops;
  for (size_t i = 0; stops && i < stops->count; i++) {
    const hc_verify_stop *x = &stops->stops[i];
    const uint32_t record = hc_record_with(s->check, x->serial);
    if (record == UINT32_MAX || x->how == HC_STOPPED_LOST) continue;
    if (x->how != HC_STOPPED_FOR_GOOD) TRY(add(s, x->start, STARTS, record));
    TRY(add(s, x->end, STOPS, record));
    if (x->how != HC_STOPPED_FOR_GOOD) TRY(add(s, x->end, QUEUES, record));
  }
  TRY(list_losses(s));
  for (uint32_t i = 0; i < s->check->report.tasks; i++) {
    const hc_task_record *t = &s->check->given[i];
    TRY(add(s, t->submit, QUEUES, i));
    if (t->start == HC_UNKNOWN) continue;
    TRY(add(s, t->start, STARTS, i));
    /* one that is stopped for good ends by its stop */
    if (t->end != HC_UNKNOWN && t->end != HC_NEVER &&
        !(t->final == HC_FINAL_KILLED && (t->flags & HC_TASK_PREEMPTED)))
      TRY(add(s, t->end, ENDS, i));
  }
  if (s->count > 1) qsort(s->all, s->count, sizeof *s->all, by_time);
  return 0;
}

/* ---- stopped for one that starts ---- */

static bool is_eviction(const hc_check *c, hc_time at)
{
  const hc_verify_told *told = c->as_given->told;
  for (size_t i = 0; told && i < told->eviction_count; i++)
    if (told->evictions[i] == at) return true;
  return false;
}

static hc_rc check_takers(sweep *s, size_t from, size_t to)
{
  int64_t most = INT64_MIN;
  if (is_eviction(s->check, s->all[from].at)) return 0;
  for (size_t i = from; i < to; i++)
    if (s->all[i].what == STARTS) most = HC_MAX(most, s->all[i].priority);
  for (size_t i = from; i < to; i++) {
    const happening *x = &s->all[i];
    if (x->what != STOPS) continue;
    hc_held_to(s->check, HC_RULE_OUTRANKS, 1);
    if (most <= x->priority)
      TRY(hc_find(s->check, HC_FOUND_STOPPED_FOR_NONE, x->at, x->rank, UINT32_MAX, x->priority, 0));
  }
  return 0;
}

/* ---- none waits that could start ---- */

static hc_rc level_of(sweep *s, int64_t priority, level **out)
{
  const hc_allocator *a = s->check->allocator;
  size_t at = 0;
  while (at < s->level_count && s->levels[at].priority < priority) at++;
  if (at == s->level_count || s->levels[at].priority != priority) {
    TRY(hc_reserve(a, (void **)&s->levels, &s->level_cap, s->level_count + 1, sizeof *s->levels));
    for (size_t k = s->level_count; k > at; k--) s->levels[k] = s->levels[k - 1];
    s->levels[at] = (level){.priority = priority};
    s->level_count++;
  }
  *out = &s->levels[at];
  return 0;
}

static hc_rc move(sweep *s, const happening *x)
{
  level *l;
  TRY(level_of(s, x->priority, &l));
  if (x->what == QUEUES) {
    TRY(hc_reserve(s->check->allocator, (void **)&l->waiting, &l->cap, l->count + 1, sizeof *l->waiting));
    l->waiting[l->count++] = x->units;
  } else if (x->what == STARTS) {
    size_t at = 0;
    while (at < l->count && l->waiting[at] != x->units) at++;
    if (at < l->count) l->waiting[at] = l->waiting[--l->count];
    l->running += x->units;
    l->runners++;
  } else {
    l->running -= x->units;
    l->runners--;
  }
  return 0;
}

static hc_rc check_waiting(sweep *s, hc_time now)
{
  int64_t room = s->check->capacity, most = 0;
  size_t lower = 0, top = s->level_count;
  while (top > 0 && s->levels[top - 1].count == 0) top--;
  if (top == 0) return 0;
  for (size_t i = top - 1; i < s->level_count; i++) room -= s->levels[i].running;
  for (size_t i = 0; i < top - 1; i++) lower += s->levels[i].runners;
  for (size_t i = 0; i < top - 1; i++) lower += s->levels[i].count;
  if (lower == 0) return 0;
  for (size_t i = 0; i < s->levels[top - 1].count; i++) most = HC_MAX(most, s->levels[top - 1].waiting[i]);
  hc_held_to(s->check, HC_RULE_OUTRANKS, 1);
  return most <= room ? hc_find(s->check, HC_FOUND_OUTRANKED, now, UINT32_MAX, UINT32_MAX, most, room) : 0;
}

/* Does nothing but room decide which task starts? */
static bool is_plain(const hc_check *c)
{
  const hc_verify_options *o = c->as_given;
  if (o->hosts || o->times || (o->told && o->told->window_count + o->told->announcement_count > 0))
    return false;
  if (hc_told_fact(o->told, "held_back") != 0) return false;
  for (size_t i = 0; i < c->report.tasks; i++)
    if ((c->given[i].flags & HC_TASK_PREFILL) || c->given[i].final == HC_FINAL_WITHDRAWN ||
        c->given[i].final == HC_FINAL_REJECTED || c->given[i].final == HC_FINAL_LOST ||
        c->given[i].final == HC_FINAL_HELD)
      return false;
  return !o->told || o->told->until == HC_NEVER;
}

static hc_rc run(sweep *s)
{
  bool plain;
  TRY(read_priorities(s));
  TRY(list(s));
  plain = is_plain(s->check);
  for (size_t i = 0, k; i < s->count; i = k) {
    for (k = i; k < s->count && s->all[k].at == s->all[i].at; k++)
      if (plain) TRY(move(s, &s->all[k]));
    TRY(check_takers(s, i, k));
    if (plain) TRY(check_waiting(s, s->all[i].at));
  }
  return 0;
}

hc_rc hc_check_outranks(hc_check *c)
{
  const hc_allocator *a = c->allocator;
  sweep s = {.check = c};
  const hc_rc rc = run(&s);
  for (size_t i = 0; i < s.level_count; i++)
    hc_free(a, s.levels[i].waiting, s.levels[i].cap * sizeof *s.levels[i].waiting);
  hc_free(a, s.levels, s.level_cap * sizeof *s.levels);
  hc_free(a, s.all, s.cap * sizeof *s.all);
  hc_free(a, s.priorities, (size_t)c->report.tasks * sizeof *s.priorities + 1);
  return rc;
}
