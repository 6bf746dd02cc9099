/* beside.c -- what advance reservations of processors take of a timeline. See beside.h. */
#include "reserve/beside.h"

#include "base/state.h"
#include "base/util.h"

/* Take what a window keeps during [from, to) off the level, or put it back (sign -1): piece by piece, as
 * its users hold more or less. What has not been announced takes nothing. */
static hc_rc keep(hc_beside *b, size_t i, hc_time from, hc_time to, int sign)
{
  const hc_advance_window *w = &b->advance->windows[i];
  to = w->is_known ? HC_MIN(to, w->end) : from;
  for (hc_time at = HC_MAX(from, w->start), next; at < to; at = next) {
    const int64_t kept = HC_MAX(w->units - hc_timeline_level(b->held[i], at), 0);
    int64_t change;
    if (!hc_timeline_first(b->held[i], at + 1, &next, &change) || next > to) next = to;
    TRY(hc_timeline_add(b->line, at, -sign * kept));
    TRY(hc_timeline_add(b->line, next, sign * kept));
  }
  return 0;
}

hc_rc hc_beside_open(hc_beside *b, const hc_advance *a, hc_timeline *line)
{
  *b = (hc_beside){.advance = a, .line = line};
  if (!a) return 0;
  b->held = hc_alloc(a->allocator, a->count * sizeof *b->held);
  b->overdue = hc_alloc(a->allocator, a->count * sizeof *b->overdue);
  if (!b->held || !b->overdue) return HC_ENOMEM;
  for (size_t i = 0; i < a->count; i++) {
    TRY(hc_timeline_new(a->allocator, 0, &b->held[i]));
    TRY(keep(b, i, a->windows[i].start, a->windows[i].end, 1));
  }
  return 0;
}

void hc_beside_close(hc_beside *b)
{
  const hc_advance *a = b->advance;
  if (!a) return;
  for (size_t i = 0; b->held && i < a->count; i++) hc_timeline_free(b->held[i]);
  hc_free(a->allocator, b->held, a->count * sizeof *b->held);
  hc_free(a->allocator, b->overdue, a->count * sizeof *b->overdue);
}

hc_rc hc_beside_visit(hc_beside *b, hc_visitor *v)
{
  for (size_t i = 0; b->advance && i < b->advance->count; i++) {
    bool is_over = !b->held[i];
    HC_VISIT(v, is_over);
    HC_VISIT(v, b->overdue[i]);
    if (is_over) {
      hc_timeline_free(b->held[i]);
      b->held[i] = NULL;
      continue;
    }
    if (!b->held[i]) TRY(hc_timeline_new(b->advance->allocator, 0, &b->held[i]));
    TRY(hc_timeline_visit(b->held[i], v));
  }
  return 0;
}

int64_t hc_beside_kept(const hc_beside *b, hc_time at)
{
  int64_t sum = 0;
  for (size_t i = 0; b->advance && i < b->advance->count; i++) {
    const hc_advance_window *w = &b->advance->windows[i];
    if (b->held[i] && w->is_known && w->start <= at && at < w->end)
      sum += HC_MAX(w->units - hc_timeline_level(b->held[i], at), 0);
  }
  return sum;
}

static bool may(const hc_beside *b, size_t i, hc_task t)
{
  return b->held[i] && b->advance->may(b->advance->ctx, b->advance->windows[i].reservation, t);
}

static hc_rc hold(hc_beside *b, size_t i, hc_time from, hc_time to, int64_t units)
{
  const hc_advance_window *w = &b->advance->windows[i];
  from = HC_MAX(from, w->start);
  to = HC_MIN(to, w->end);
  if (from >= to || units == 0) return 0;
  TRY(keep(b, i, from, to, -1));
  TRY(hc_timeline_add(b->held[i], from, units));
  TRY(hc_timeline_add(b->held[i], to, -units));
  return keep(b, i, from, to, 1);
}

hc_rc hc_beside_hold(hc_beside *b, hc_task t, hc_time from, hc_time to, int64_t units)
{
  for (size_t i = 0; b->advance && i < b->advance->count && b->advance->windows[i].start < to; i++)
    if (may(b, i, t)) TRY(hold(b, i, from, to, units));
  return 0;
}

void hc_beside_overdue(hc_beside *b, hc_task t, int64_t units)
{
  for (size_t i = 0; b->advance && i < b->advance->count; i++)
    if (may(b, i, t)) b->overdue[i] += units;
}

hc_rc hc_beside_all_overdue(hc_beside *b, hc_time from, hc_time to)
{
  for (size_t i = 0; b->advance && i < b->advance->count; i++)
    if (b->held[i]) TRY(hold(b, i, from, to, b->overdue[i]));
  return 0;
}

hc_rc hc_beside_lift(hc_beside *b, hc_task t, int sign)
{
  for (size_t i = 0; b->advance && i < b->advance->count; i++)
    if (may(b, i, t)) TRY(keep(b, i, b->advance->windows[i].start, b->advance->windows[i].end, -sign));
  return 0;
}

hc_rc hc_beside_passed(hc_beside *b, size_t i)
{
  TRY(keep(b, i, b->advance->windows[i].start, b->advance->windows[i].end, -1));
  hc_timeline_free(b->held[i]);
  b->held[i] = NULL;
  return 0;
}

hc_rc hc_beside_announced(hc_beside *b, size_t i)
{
  return keep(b, i, b->advance->windows[i].start, b->advance->windows[i].end, 1);
}
