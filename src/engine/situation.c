/* situation.c -- what the task that was asked about sees after a decision: its place in the queue, what is
 * free, what it and those before it are promised, and which it would delay if it started now.
 *
 * It is looked at on the view as the policy leaves it, before plan and view part: what the plan starts is
 * gone, and reservations are those of this decision. The task would delay the first promise that could not
 * be kept if it ran from now on and all else went as it is planned. On counted processors that is a promise
 * at whose time too few would be left; elsewhere all are taken away and put back one by one, earliest first,
 * until the task finds no room. Cost: O(promises x a question) at a decision while the task waits. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "engine/advance.h"
#include "engine/choose.h"
#include "engine/explain.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/refusals.h"
#include "engine/reservations.h"
#include "engine/tasks.h"

enum {
  MOST_TRIED = 64, /* promises that are taken away for a question */
  MOST_PASSERS = 3 /* tasks that are named when they pass at once */
};

typedef struct words {
  char text[HC_EXPLAIN_TEXT];
} words;

/* ---- which promise is in its way ---- */

/* A promise to another task of its queue. */
typedef struct given {
  hc_time at;
  int64_t key;
  uint64_t serial;
  hc_task task;
  const hc_grant *grants; /* [count] */
  size_t count;
} given;

HC_SORT(sort_given, given,
        a->at != b->at     ? a->at < b->at
        : a->key != b->key ? a->key < b->key
                           : a->serial < b->serial)

static hc_time until(const hc_engine *e, hc_task id)
{
  return hc_time_add(e->now, HC_MAX(hc_estimate_of(e, id), 1));
}

/* Those that begin before it would end, earliest first, in scratch memory. @return how many */
static size_t list_given(hc_engine *e, hc_task id, given **out)
{
  const hc_tasks *ts = &e->tasks;
  const hc_time end = e->stretches ? HC_NEVER : until(e, id);
  size_t n = 0;
  *out = hc_arena_alloc(&e->scratch, ts->reserved_count * sizeof **out);
  for (size_t i = 0; *out && i < ts->reserved_count; i++) {
    const hc_live *t = &ts->live[ts->reserved[i]];
    const hc_time at = hc_reserved_of(e, ts->reserved[i]);
    if (ts->reserved[i] == id || t->queue != ts->live[id].queue || at >= end) continue;
    (*out)[n++] = (given){.at = at, .key = t->key, .serial = t->serial, .task = ts->reserved[i]};
  }
  sort_given(*out, n);
  return n;
}

/* Units that are free at a time beside all promises but its own. */
static int64_t free_at(hc_engine *e, hc_task id, hc_time at)
{
  const hc_time own = hc_reserved_of(e, id);
  const int64_t free = hc_reserve_least_free(e->reserve, id, at, hc_time_add(at, 1));
  const bool is_own = own <= at && at < hc_promised_until(own, hc_estimate_of(e, id));
  return is_own ? free + e->tasks.live[id].units : free;
}

/* Of promises for one time those before it in the queue are kept first. */
static hc_task find_by_counting(hc_engine *e, hc_task id, const given *all, size_t n, int64_t *spare)
{
  for (size_t i = 0; i < n; i++) {
    *spare = free_at(e, id, all[i].at);
    for (size_t k = i + 1; k < n && all[k].at == all[i].at; k++) *spare += e->tasks.live[all[k].task].units;
    if (*spare < e->tasks.live[id].units) return all[i].task;
  }
  return HC_NO_TASK;
}

static void take_away(hc_engine *e, given *x)
{
  hc_engine_note(e, hc_reserve_hosts_of(e->reserve, x->task, &x->grants, &x->count));
  hc_engine_note(e, hc_restore_reservation(e, x->task, HC_NEVER, NULL, 0));
}

static void put_back(hc_engine *e, const given *x)
{
  hc_engine_note(e, hc_restore_reservation(e, x->task, x->at, x->grants, x->count));
}

/* Does it find room now, and leave the promises that there are? */
static bool finds_room(hc_engine *e, hc_task id)
{
  const hc_grant *grants;
  size_t count;
  e->choice.version = 0;
  if (hc_choose_place(e, id, &grants, &count) < 0) return false;
  return !e->reserve->type->allows || hc_view_harmless(&e->view, id);
}

/* The first promise beside which, and beside all before it, the task finds no room. */
static hc_task find_by_trying(hc_engine *e, hc_task id, given *all, size_t n)
{
  hc_task found = HC_NO_TASK;
  size_t back = 0;
  if (finds_room(e, id)) return HC_NO_TASK;
  for (size_t i = 0; i < n; i++) take_away(e, &all[i]);
  if (finds_room(e, id))
    while (back < n && found == HC_NO_TASK) {
      put_back(e, &all[back]);
      if (!finds_room(e, id)) found = all[back].task;
      back++;
    }
  while (back < n) put_back(e, &all[back++]);
  return found;
}

/* Nothing is to come out otherwise for having been asked: the list of promises is put in its order again. */
static hc_task find_on_places(hc_engine *e, hc_task id, given *all, size_t n)
{
  hc_tasks *ts = &e->tasks;
  const size_t count = ts->reserved_count;
  hc_task *order = hc_arena_alloc(&e->scratch, count * sizeof *order), found;
  given own = {.task = id, .at = hc_reserved_of(e, id)};
  if (!order || n > MOST_TRIED) return HC_NO_TASK;
  memcpy(order, ts->reserved, count * sizeof *order);
  if (own.at != HC_NEVER) take_away(e, &own);
  found = find_by_trying(e, id, all, n);
  if (own.at != HC_NEVER) put_back(e, &own);
  memcpy(ts->reserved, order, count * sizeof *order);
  for (size_t i = 0; i < count; i++) ts->planned[order[i]].reserved_index = (uint32_t)i;
  e->choice.version = 0;
  return found;
}

static void find_delayed(hc_engine *e, hc_task id, hc_noted_reason *out)
{
  given *all;
  int64_t spare = -1;
  hc_task t;
  if (e->tasks.reserved_count == 0 || e->tasks.live[id].units > hc_view_free_units(&e->view)) return;
  const size_t n = list_given(e, id, &all);
  if (n == 0) return;
  t = e->cell.hosts || e->contiguous ? find_on_places(e, id, all, n)
                                     : find_by_counting(e, id, all, n, &spare);
  if (t == HC_NO_TASK) return;
  *out = (hc_noted_reason){.what = HC_NOTE_DELAYS,
                           .other = e->tasks.live[t].serial,
                           .at = hc_reserved_of(e, t),
                           .amount = spare};
}

/* ---- in words ---- */

static void time_text(hc_time t, char out[32])
{
  (void)hc_format_seconds(t, out);
}

/* "all 10 processors" */
static const char *promised_amount(const hc_engine *e, hc_task t, char out[72])
{
  char amount[64];
  const bool is_all = !e->cell.hosts && e->tasks.live[t].units == e->cell.capacity;
  (void)snprintf(out, 72, "%s%s", is_all && e->cell.capacity > 1 ? "all " : "",
                 hc_explain_amount(e, e->tasks.live[t].units, amount));
  return out;
}

/* How far it would run, on a host of speed 1. */
static void run_to(const hc_engine *e, hc_task id, char out[64])
{
  char end[32];
  time_text(until(e, id), end);
  if (until(e, id) == HC_NEVER) (void)snprintf(out, 64, "may run without end");
  else (void)snprintf(out, 64, "would run to %s s", end);
}

static void reason_words(const hc_engine *e, hc_task id, const hc_noted_reason *r, words *out)
{
  const hc_task t = hc_explain_find(e, r->other);
  char name[HC_EXPLAIN_NAME], amount[72], spare[64], at[32], moved[32], to[64];
  if (t == HC_NO_TASK) return;
  time_text(r->at, at);
  run_to(e, id, to);
  (void)hc_explain_task(e, t, name);
  (void)promised_amount(e, t, amount);
  switch (r->what) {
    case HC_NOTE_DELAYS:
      if (r->amount > 0)
        (void)snprintf(out->text, sizeof out->text,
                       "%s and delay %s, which is promised %s from %s s on, with %s to spare then", to, name,
                       amount, at, hc_explain_amount(e, r->amount, spare));
      else
        (void)snprintf(out->text, sizeof out->text, "%s and delay %s, which is promised %s from %s s on", to,
                       name, amount, at);
      break;
    case HC_NOTE_MOVES:
      time_text(r->amount, moved);
      (void)snprintf(out->text, sizeof out->text,
                     "%s and move %s to %s s, which is promised to start by %s s", to, name, moved, at);
      break;
    case HC_NOTE_CROSSES:
      (void)snprintf(
          out->text, sizeof out->text,
          "%s, and %s is promised %s from %s s on: by the policy's parameters that is too long, though "
          "there would be room for both",
          to, name, amount, at);
      break;
    case HC_NOTE_BEHIND:
      (void)snprintf(out->text, sizeof out->text, "blocked by the head of the queue, %s, which does not fit",
                     name);
      break;
    case HC_NOTE_NONE:
    case HC_NOTE_PROMISE:
    case HC_NOTE_DEADLINE: break;
  }
}

static void explain_reason(hc_engine *e, hc_task id, const hc_noted_reason *r)
{
  words w = {""};
  if (r->what != HC_NOTE_NONE) reason_words(e, id, r, &w);
  hc_explain_reason(e, r, w.text);
}

/* How many stand before it. A walk, but only while one task is asked about. Reservations of those that do
 * are noted, if the policy has noted none itself. */
static size_t walk_to(hc_engine *e, hc_task id)
{
  hc_waitlist *list = e->queues[e->tasks.live[id].queue].sorting[HC_LIST_QUEUE].list;
  const bool notes = e->noted.before_count == 0 && e->tasks.reserved_count > 0;
  hc_cursor at = {0};
  size_t rank = 0;
  for (hc_task t; (t = hc_waitlist_next(list, &at, NULL)) != HC_NO_TASK && t != id; rank++)
    if (notes && hc_reserved_of(e, t) != HC_NEVER) hc_explain_before(e, t, hc_reserved_of(e, t));
  return rank;
}

static void explain_before(hc_engine *e, hc_task id)
{
  const hc_noted *x = &e->noted;
  char list[200] = "";
  size_t n = 0, shown = 0;
  for (size_t i = 0; i < HC_MIN(x->before_count, (size_t)HC_EXPLAIN_PROMISES); i++) {
    const hc_task t = hc_explain_find(e, x->before[i].serial);
    char name[HC_EXPLAIN_NAME], amount[72], at[32];
    if (t == HC_NO_TASK || e->tasks.live[t].state != HC_TASK_WAITING) continue;
    time_text(x->before[i].at, at);
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s is promised %s from %s s on",
                          shown++ > 0 ? ", " : "", hc_explain_task(e, t, name), promised_amount(e, t, amount),
                          at);
    n = HC_MIN(n, sizeof list - 1);
  }
  if (shown == 0) return;
  if (x->before_count > HC_EXPLAIN_PROMISES)
    hc_explain_text(e, id, "%s, and %zu more are promised a start", list,
                    x->before_count - HC_EXPLAIN_PROMISES);
  else hc_explain_text(e, id, "%s", list);
}

static void explain_deferred(hc_engine *e, hc_task id)
{
  const hc_time reserved = hc_reserved_of(e, id);
  const size_t place = walk_to(e, id) + 1;
  char may[32], will[32];
  time_text(hc_cold_of(e, id)->eligible, may);
  time_text(reserved, will);
  if (reserved == HC_NEVER)
    hc_explain_placed(e, id, place, HC_NEVER, "may not start before t=%s s: at place %zu of %zu", may, place,
                      (size_t)e->waiting);
  else
    hc_explain_placed(e, id, place, reserved,
                      "may not start before t=%s s: at place %zu of %zu, planned for t=%s s", may, place,
                      (size_t)e->waiting, will);
}

static hc_time promised_at(const hc_engine *e, hc_task id)
{
  return e->noted.promised != HC_NEVER ? e->noted.promised : hc_reserved_of(e, id);
}

/* "; promised from 100 s on" */
static void promise_words(const hc_engine *e, hc_time at, words *out)
{
  char from[32], by[32];
  time_text(at, from);
  time_text(e->noted.deadline, by);
  out->text[0] = '\0';
  if (at != HC_NEVER && e->noted.deadline != HC_NEVER)
    (void)snprintf(out->text, sizeof out->text, "; planned for %s s, promised by %s s at the latest", from,
                   by);
  else if (at != HC_NEVER) (void)snprintf(out->text, sizeof out->text, "; promised from %s s on", from);
}

/* "waits at place 2 of 3": of its own scheduler's queue, where there are several. */
static void place_words(hc_engine *e, hc_task id, size_t rank, words *out)
{
  const hc_wait_queue *q = &e->queues[e->tasks.live[id].queue];
  if (q->scheduler && q->scheduler[0])
    (void)snprintf(out->text, sizeof out->text, "waits at place %zu of %zu of the scheduler %.80s", rank,
                   hc_waitlist_count(q->sorting[HC_LIST_QUEUE].list), q->scheduler);
  else (void)snprintf(out->text, sizeof out->text, "waits at place %zu of %zu", rank, (size_t)e->waiting);
}

static void explain_place(hc_engine *e, hc_task id, bool has_reason)
{
  const int64_t units = e->tasks.live[id].units, free = e->cell.free;
  const size_t rank = walk_to(e, id) + 1;
  char wants[64], has[64], text[2 * HC_EXPLAIN_TEXT];
  words place, promise;
  place_words(e, id, rank, &place);
  explain_before(e, id);
  promise_words(e, promised_at(e, id), &promise);
  (void)hc_explain_amount(e, units, wants);
  (void)hc_explain_amount(e, free, has);
  if (!e->cell.hosts) (void)snprintf(has, sizeof has, "%lld", (long long)free);
  if (units > free) (void)snprintf(text, sizeof text, "%s: wants %s, %s free", place.text, wants, has);
  else if (e->cell.hosts)
    (void)snprintf(text, sizeof text, "%s: wants %s, %s free on all hosts together", place.text, wants, has);
  else
    (void)snprintf(text, sizeof text, "%s: would fit (wants %lld, %lld free)%s", place.text, (long long)units,
                   (long long)free, has_reason ? "" : ", but not by the policy's rules");
  /* one form, so that what was said last counts */
  hc_explain_placed(e, id, rank, promised_at(e, id), "%.300s%.100s", text, promise.text);
}

/* Started in this decision, though they came later: the first of them by name. */
static void explain_passers(hc_engine *e, hc_task id)
{
  char name[HC_EXPLAIN_NAME], wants[64];
  size_t n = 0;
  for (size_t i = 0; i < e->plan.count; i++) {
    const hc_action *a = &e->plan.actions[i];
    if (a->kind != HC_ACTION_START || a->serial <= e->tasks.live[id].serial || n++ >= MOST_PASSERS) continue;
    hc_explain_text(e, id, "passed by %s (%s), which came later", hc_explain_task(e, a->task, name),
                    hc_explain_amount(e, e->tasks.live[a->task].units, wants));
  }
  if (n > MOST_PASSERS)
    hc_explain_text(e, id, "passed by %zu more tasks, which came later", n - MOST_PASSERS);
}

void hc_explain_decision(hc_engine *e)
{
  const hc_task id = e->explain ? hc_explain_asked(e) : HC_NO_TASK;
  hc_noted_reason reason = e->noted.reason;
  if (id == HC_NO_TASK) return;
  if (e->tasks.live[id].deferred) {
    explain_deferred(e, id);
  } else if (e->tasks.live[id].queue == e->view.queue) {
    explain_passers(e, id);
    if (reason.what == HC_NOTE_NONE) find_delayed(e, id, &reason);
    hc_advance_explain(e, id);
    explain_place(e, id, reason.what != HC_NOTE_NONE);
    explain_reason(e, id, &reason);
    if (e->cell.hosts) hc_explain_hosts(e, id);
  }
  hc_explain_forget(e);
}

/* ---- the part ---- */

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  char wants[64];
  if (e->tasks.live[n->task].serial != e->explained) return 0;
  hc_explain_anew(e);
  if (n->kind == HC_ON_STARTED) {
    hc_explain_start(e, n->task, n->grants, n->count);
    return 0;
  }
  e->noted.task = n->task;
  hc_explain_text(e, n->task, "arrives: wants %s",
                  hc_explain_amount(e, hc_live_of(e, n->task)->units, wants));
  return 0;
}

const hc_part hc_part_explain = {
    .name = "explain", .wanted = hc_explaining, .hears = HC_HEARS(ARRIVED) | HC_HEARS(STARTED), .on = on};
