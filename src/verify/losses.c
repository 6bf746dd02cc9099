/* losses.c -- attempts that were lost with a host, and tasks that were lost for good.
 *
 * Each attempt of the table `attempts` ends when some host goes away, begins no earlier than its task was
 * submitted and the attempt before it had ended (lost, or stopped by a plan: both stand in one line here),
 * and is over before its task's last attempt begins. It would not have been lost if it had run to its end
 * before. What a task lost is counted in its demand, too. A task that was lost for good was on a host that
 * goes away at its end. Where lost attempts were is not recorded. That no task runs on through the loss of
 * its host: hosts.c. On a host that failed silently nothing ends until it goes away, and attempts may last
 * longer than their tasks run. Cost: O((losses + changes + grants) log n), and for each silent failure the
 * changes and grants after it. */
#include <stdlib.h>

#include "base/sort.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "verify/parts.h"

typedef struct attempt {
  int64_t serial;
  hc_time start, end;
  int64_t number; /* of a lost one, from 1; 0: a plan stopped it */
} attempt;

typedef struct losses {
  hc_check *c;
  const hc_verify_told *told;
  const hc_verify_hosts *hosts;
  hc_time *downs; /* [down_count] ascending: when hosts go away */
  size_t down_count;
  attempt *attempts; /* [count] by (serial, start) */
  size_t count, room;
} losses;

static int by_time(const void *a, const void *b)
{
  const hc_time x = *(const hc_time *)a, y = *(const hc_time *)b;
  return (x > y) - (x < y);
}

HC_SORT(sort_attempts, attempt,
        a->serial != b->serial ? a->serial < b->serial
        : a->start != b->start ? a->start < b->start
        : a->end != b->end     ? a->end < b->end
                               : a->number < b->number)

static hc_rc gather(losses *l)
{
  const hc_verify_stops *stops = l->c->as_given->stops;
  const size_t changes = l->hosts ? l->hosts->change_count : 0;
  l->room = l->told->loss_count + (stops ? stops->count : 0);
  l->downs = hc_alloc(l->c->allocator, changes * sizeof *l->downs + 1);
  l->attempts = hc_alloc(l->c->allocator, l->room * sizeof *l->attempts + 1);
  if (!l->downs || !l->attempts) return HC_ENOMEM;
  for (size_t i = 0; i < changes; i++)
    if (l->hosts->changes[i].change == HC_HOST_DOWN) l->downs[l->down_count++] = l->hosts->changes[i].at;
  for (size_t i = 0; i < l->told->loss_count; i++) {
    const hc_verify_loss *x = &l->told->losses[i];
    l->attempts[l->count++] = (attempt){x->serial, x->start, x->end, x->attempt};
  }
  for (size_t i = 0; stops && i < stops->count; i++) {
    const hc_verify_stop *x = &stops->stops[i];
    if (x->how != HC_STOPPED_FOR_GOOD && x->how != HC_STOPPED_LOST)
      l->attempts[l->count++] = (attempt){x->serial, x->start, x->end, 0};
  }
  sort_attempts(l->attempts, l->count);
  return 0;
}

static bool goes_away_at(const losses *l, hc_time at)
{
  return l->down_count > 0 && bsearch(&at, l->downs, l->down_count, sizeof at, by_time) != NULL;
}

/* When a host that failed silently went away. */
static hc_time found_at(const losses *l, const hc_verify_silent *s)
{
  for (size_t k = 0; k < l->hosts->change_count; k++) {
    const hc_verify_change *x = &l->hosts->changes[k];
    if (x->at >= s->at && x->host == s->host && x->change == HC_HOST_DOWN) return x->at;
  }
  return HC_NEVER;
}

/* Did a host that went away at its end do nothing before? */
static bool stood_still(const losses *l, const attempt *x)
{
  for (size_t i = 0; l->hosts && i < l->told->silent_count && l->told->silent[i].at < x->end; i++)
    if (found_at(l, &l->told->silent[i]) == x->end) return true;
  return false;
}

/* No task that is on such a host completes. */
static hc_rc check_silent(losses *l)
{
  for (size_t i = 0; l->hosts && i < l->told->silent_count; i++) {
    const hc_verify_silent *s = &l->told->silent[i];
    const hc_time found = found_at(l, s);
    hc_held_to(l->c, HC_RULE_HOST_LOSS, 1);
    for (size_t k = 0; k < l->hosts->grant_count; k++) {
      const uint32_t record =
          l->hosts->grants[k].host == s->host ? hc_record_with(l->c, l->hosts->grants[k].serial) : UINT32_MAX;
      const hc_task_record *t = record == UINT32_MAX ? NULL : &l->c->given[record];
      if (!t || t->final != HC_FINAL_COMPLETED || t->end <= s->at || t->start >= found) continue;
      TRY(hc_find_on(l->c, HC_FOUND_DONE_BY_NONE, t->end, l->c->ranks[record], (uint32_t)s->host, 0, s->at,
                     0));
    }
  }
  return 0;
}

static hc_rc check_attempt(losses *l, uint32_t rank, const hc_task_record *t, const attempt *x,
                           int64_t number)
{
  hc_check *c = l->c;
  /* One that its user takes away runs until then, for less time in each attempt. */
  const bool plain = l->told->plain_times && !l->told->may_withdraw && t->run != HC_UNKNOWN &&
                     (t->flags & (HC_TASK_PREEMPTED | HC_TASK_RATED | HC_TASK_RESIZED)) == 0;
  if (x->number != number)
    TRY(hc_find(c, HC_FOUND_LOST_COUNT, x->start, rank, UINT32_MAX, x->number, number));
  if (!goes_away_at(l, x->end)) TRY(hc_find(c, HC_FOUND_NOTHING_LOST, x->end, rank, UINT32_MAX, x->end, 0));
  if (plain && x->end >= x->start && x->end - x->start >= HC_MAX(t->run, 1) && !stood_still(l, x))
    TRY(hc_find(c, HC_FOUND_LOST_ATTEMPT, x->start, rank, UINT32_MAX, x->number, 0));
  return 0;
}

/* One task's attempts, in order of their starts. */
static hc_rc check_line(losses *l, uint32_t record, const attempt *line, size_t n)
{
  hc_check *c = l->c;
  const hc_task_record *t = &c->given[record];
  const uint32_t rank = c->ranks[record];
  hc_time free_from = t->submit;
  int64_t lost = 0;
  for (size_t i = 0; i < n; i++) {
    const attempt *x = &line[i];
    if (x->start < free_from || x->end < x->start)
      TRY(hc_find(c, HC_FOUND_ATTEMPTS, x->start, rank, UINT32_MAX, x->start, free_from));
    if (x->number != 0) TRY(check_attempt(l, rank, t, x, ++lost));
    free_from = HC_MAX(free_from, x->end);
  }
  hc_held_to(c, HC_RULE_ATTEMPTS, n);
  if (t->start == HC_UNKNOWN || t->start >= free_from) return 0;
  return hc_find(c, HC_FOUND_ATTEMPTS, t->start, rank, UINT32_MAX, t->start, free_from);
}

static hc_rc check_lines(losses *l)
{
  for (size_t i = 0, n; i < l->count; i += n) {
    const uint32_t record = hc_record_with(l->c, l->attempts[i].serial);
    for (n = 1; i + n < l->count && l->attempts[i + n].serial == l->attempts[i].serial; n++) continue;
    if (record != UINT32_MAX) TRY(check_line(l, record, &l->attempts[i], n));
  }
  return 0;
}

/* As many rows as its demand says. */
static hc_rc check_demands(losses *l)
{
  for (size_t i = 0; l->hosts && i < l->hosts->demand_count; i++) {
    const hc_verify_demand *d = &l->hosts->demands[i];
    const uint32_t record = hc_record_with(l->c, d->serial);
    size_t low = 0, high = l->count;
    int64_t n = 0;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (l->attempts[middle].serial < d->serial) low = middle + 1;
      else high = middle;
    }
    for (; low < l->count && l->attempts[low].serial == d->serial; low++) n += l->attempts[low].number != 0;
    if (n != d->attempts && record != UINT32_MAX)
      TRY(hc_find(l->c, HC_FOUND_LOST_COUNT, HC_UNKNOWN, l->c->ranks[record], UINT32_MAX, d->attempts, n));
  }
  return 0;
}

/* ---- for good ---- */

static hc_rc find_loss(losses *l, uint32_t record)
{
  const hc_task_record *t = &l->c->given[record];
  const hc_verify_hosts *h = l->hosts;
  for (size_t i = 0; h && i < h->grant_count; i++) {
    if (h->grants[i].serial != t->serial) continue;
    for (size_t k = 0; k < h->change_count; k++)
      if (h->changes[k].host == h->grants[i].host && h->changes[k].at == t->end &&
          h->changes[k].change == HC_HOST_DOWN)
        return 0;
  }
  return hc_find(l->c, HC_FOUND_NOTHING_LOST, t->end, l->c->ranks[record], UINT32_MAX, t->end, 0);
}

/* Most are told by the time alone. */
static hc_rc check_lost(losses *l)
{
  for (uint32_t i = 0; i < l->c->report.tasks; i++) {
    const hc_task_record *t = &l->c->given[i];
    if (t->final != HC_FINAL_LOST || t->end == HC_UNKNOWN) continue;
    hc_held_to(l->c, HC_RULE_HOST_LOSS, 1);
    if (goes_away_at(l, t->end)) TRY(find_loss(l, i));
    else TRY(hc_find(l->c, HC_FOUND_NOTHING_LOST, t->end, l->c->ranks[i], UINT32_MAX, t->end, 0));
  }
  return 0;
}

hc_rc hc_check_losses(hc_check *c)
{
  losses l = {.c = c, .told = c->options->told, .hosts = c->as_given->hosts};
  hc_rc rc;
  if (!l.told || !l.told->by_run) return 0;
  rc = gather(&l);
  if (rc >= 0 && l.told->loss_count > 0) rc = check_lines(&l);
  if (rc >= 0) rc = check_demands(&l);
  if (rc >= 0) rc = check_lost(&l);
  if (rc >= 0) rc = check_silent(&l);
  hc_free(c->allocator, l.downs, (l.hosts ? l.hosts->change_count : 0) * sizeof *l.downs + 1);
  hc_free(c->allocator, l.attempts, l.room * sizeof *l.attempts + 1);
  return rc;
}
