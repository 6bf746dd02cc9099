/* google_events.c -- the events of tasks' lives in order of time, for the writers of Google's traces. See
 * google_events.h. */
#include "workload/google_events.h"

#include "base/sort.h"

#define MOST_CLASS 3                 /* scheduling classes are 0 to 3 */
#define OWN_INDEX (INT64_C(1) << 30) /* from here on are indices of tasks that have none of their own */

void hc_google_telling_fini(hc_google_telling *g)
{
  hc_free(g->allocator, g->heap, g->cap * sizeof *g->heap);
}

/* ---- the heap ---- */

HC_HEAP(heap, hc_google_told, a->at != b->at ? a->at < b->at : a->seq < b->seq)

static hc_rc push(hc_google_telling *g, const hc_google_told *t, hc_error *e)
{
  if (g->count >= (uint64_t)g->o->live)
    return hc_fail(e, HC_ELIMIT, g->format, 0, 0,
                   "more than %lld tasks wait or run at once: raise `live`, at 112 bytes each",
                   (long long)g->o->live);
  TRY(hc_reserve(g->allocator, (void **)&g->heap, &g->cap, g->count + 1, sizeof *g->heap));
  heap_rise(g->heap, g->count++, *t);
  return 0;
}

/* ---- lives ---- */

/* From an event to the next one. False: it was the last. */
static bool go_on(hc_google_told *t)
{
  if (t->next == t->last) return false;
  if (t->next == HC_GOOGLE_SCHEDULE) {
    if (t->last == HC_GOOGLE_EVENTS) return false;
    t->at = hc_time_add(t->start, t->run);
    t->next = t->last;
    return true;
  }
  if (t->run == HC_UNKNOWN && t->last == HC_GOOGLE_EVENTS) return false;
  t->at = t->start;
  t->next = t->run == HC_UNKNOWN ? t->last : HC_GOOGLE_SCHEDULE;
  return true;
}

hc_rc hc_google_tell(hc_google_telling *g, hc_writer *w, hc_time until)
{
  while (g->count > 0 && g->heap[0].at <= until) {
    hc_google_told *t = &g->heap[0];
    TRY(g->put(w, t, (hc_google_event)t->next, NULL));
    if (go_on(t)) {
      t->seq = g->seq++;
      heap_sink(g->heap, g->count, 0, *t);
    } else {
      (void)heap_pop(g->heap, &g->count);
    }
  }
  return 0;
}

static hc_rc begin(hc_google_telling *g, hc_writer *w, hc_google_told l, const hc_task_spec *spec,
                   hc_error *e)
{
  TRY(g->put(w, &l, (hc_google_event)l.next, spec));
  if (g->enables && l.next == HC_GOOGLE_SUBMIT && spec->not_before > spec->submit &&
      spec->not_before != HC_NEVER) {
    l.next = HC_GOOGLE_ENABLE;
    l.at = spec->not_before;
  } else if (!go_on(&l)) {
    return 0;
  }
  l.seq = g->seq++;
  return push(g, &l, e);
}

hc_rc hc_google_begin(hc_google_telling *g, hc_writer *w, hc_google_told *t, const hc_task_spec *spec,
                      int64_t rows, uint64_t *lost, hc_error *e)
{
  const bool own = spec->job >= 0 && (rows > 1 || spec->id < 0 || spec->id >= OWN_INDEX);
  if (t->last == HC_GOOGLE_EVENTS && t->run != HC_UNKNOWN) t->last = g->seen;
  if (own && spec->id >= 0) *lost |= HC_FACT_BIT(ID);
  if (own && rows > OWN_INDEX - g->indices)
    return hc_fail(e, HC_ELIMIT, g->format, 0, 0,
                   "more than 2^30 tasks have no index of their own: split the workload");
  for (int64_t i = 0; i < rows; i++) {
    t->index = own ? OWN_INDEX + g->indices++ : spec->job < 0 ? i : spec->id;
    TRY(begin(g, w, *t, spec, e));
  }
  return 0;
}

/* How its last row will say that it ended; HC_GOOGLE_EVENTS: it will not. */
static uint32_t ending_of(const hc_task_spec *t, uint64_t *lost)
{
  if (t->flags & HC_SPEC_NO_END) return HC_GOOGLE_EVENTS;
  const hc_recorded is = hc_spec_recorded(t);
  if (is == HC_RECORDED_EVICTED || is == HC_RECORDED_LOST) {
    *lost &= ~HC_FACT_BIT(STATE);
    return is == HC_RECORDED_LOST ? HC_GOOGLE_LOST : HC_GOOGLE_EVICT;
  }
  switch (t->status) {
    case HC_STATUS_FAILED: return HC_GOOGLE_FAIL;
    case HC_STATUS_CANCELLED: return HC_GOOGLE_KILL;
    case HC_STATUS_COMPLETED:
    case HC_STATUS_UNKNOWN: return HC_GOOGLE_FINISH;
    default: *lost |= HC_FACT_BIT(STATUS); return HC_GOOGLE_FINISH;
  }
}

/* When it starts, or leaves the queue without. */
static void set_times(const hc_task_spec *t, hc_google_told *l, uint64_t *lost)
{
  const bool withdrawn = t->wait < 0 && t->cancel_at >= t->submit && t->cancel_at != HC_NEVER;
  l->run = t->run < 0 || t->run == HC_NEVER ? HC_UNKNOWN : t->run;
  l->start = hc_start_of(t);
  if (l->run != HC_UNKNOWN) return;
  if (withdrawn) l->start = t->cancel_at;
  if (l->last == HC_GOOGLE_FINISH || (t->wait < 0 && !withdrawn)) l->last = HC_GOOGLE_EVENTS;
  else if (l->last != HC_GOOGLE_EVENTS && l->start == t->cancel_at) *lost &= ~HC_FACT_BIT(CANCEL_AT);
}

hc_google_told hc_google_told_of(const hc_task_spec *t, const hc_slots *s, uint64_t *lost)
{
  hc_google_told l = {.at = t->submit,
                      .job = t->job >= 0 ? t->job : t->id,
                      .user = t->user,
                      .priority = t->priority,
                      .class = -1,
                      .next = HC_GOOGLE_SUBMIT,
                      .spread = (t->flags & HC_SPEC_SPREAD) != 0};
  l.last = ending_of(t, lost);
  for (int d = 0; d <= HC_DIM_DISK; d++) l.need[d] = s->need[d];
  *lost &= ~hc_slots_say(t, s);
  if (t->queue >= 0 && t->queue <= MOST_CLASS) {
    l.class = t->queue;
    *lost &= ~HC_FACT_BIT(QUEUE);
  }
  if (t->submit % HC_US != 0 || (t->run > 0 && t->run % HC_US != 0) || (t->wait > 0 && t->wait % HC_US != 0))
    *lost |= HC_FACT_BIT(FRACTION);
  set_times(t, &l, lost);
  if ((t->flags & HC_SPEC_AT_START) && l.run != HC_UNKNOWN && l.start == t->submit) {
    l.next = HC_GOOGLE_SCHEDULE;
    *lost &= ~HC_FACT_BIT(AT_START);
  }
  return l;
}

/* ---- numbers ---- */

int64_t hc_google_moment(const hc_google_scale_options *o, hc_time at)
{
  const hc_time later = hc_time_add(at, o->offset);
  const int64_t n = hc_floor_div(later, HC_US);
  return n + (2 * (later - n * HC_US) >= HC_US);
}

double hc_google_share(const hc_google_scale_options *o, int dimension, int64_t need)
{
  const double whole = dimension == HC_DIM_CPU      ? o->cpu_scale * 1000
                       : dimension == HC_DIM_MEMORY ? (double)o->memory_scale
                                                    : (double)o->disk_scale;
  return (double)need / whole;
}
