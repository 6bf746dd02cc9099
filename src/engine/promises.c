/* promises.c -- the hosts that are promised to each waiting task that has a reservation, where a selector plans every
 * task (future.h): a chain of grants by task.
 *
 * A promise is made on the hosts that the placement finds to be free for it all the time from its start until it is
 * believed to end, beside what runs and what was promised before. It stays as it is until the task starts, loses its
 * reservation, or a host of it goes away: a promise on a host that is down, draining, or smaller than before is void,
 * and its task has none until the policy plans it again (counted as promises_void). That something else comes to
 * stand in its way, because a task outlives its estimate, is found out when its time has come.
 *
 * What an undone plan took from a task it gets back: plan.c writes the grants down with the action. */
#include "base/state.h"
#include "base/util.h"
#include "engine/claims.h"
#include "engine/future.h"
#include "engine/part.h"
#include "engine/work.h"

typedef struct hc_seat {
  hc_grant grant;
  uint32_t next;
} hc_seat;

void hc_promises_close(hc_engine *e)
{
  hc_future *x = e->future;
  hc_free(e->allocator, x->seats, x->seat_cap * sizeof *x->seats);
  hc_free(e->allocator, x->seat_of, x->seat_of_cap * sizeof *x->seat_of);
}

static uint32_t first_seat(const hc_future *x, hc_task id)
{
  return id < x->seat_of_cap ? x->seat_of[id] : HC_FUTURE_NONE;
}

hc_rc hc_promise_get(hc_engine *e, hc_task id, const hc_grant **grants, size_t *count)
{
  const hc_future *x = e->future;
  hc_grant *out;
  size_t n = 0;
  for (uint32_t i = first_seat(x, id); i != HC_FUTURE_NONE; i = x->seats[i].next) n++;
  *grants = NULL;
  *count = n;
  if (n == 0) return 0;
  out = hc_arena_alloc(&e->scratch, n * sizeof *out);
  if (!out) return HC_ENOMEM;
  n = 0;
  for (uint32_t i = first_seat(x, id); i != HC_FUTURE_NONE; i = x->seats[i].next)
    out[n++] = x->seats[i].grant;
  *grants = out;
  return 0;
}

static hc_rc keep(hc_engine *e, hc_task id, const hc_grant *grants, size_t count)
{
  hc_future *x = e->future;
  uint32_t chain = HC_FUTURE_NONE;
  TRY(hc_future_map(e, &x->seat_of, &x->seat_of_cap, (size_t)id + 1));
  TRY(hc_reserve(e->allocator, (void **)&x->seats, &x->seat_cap, x->seat_count + count, sizeof *x->seats));
  for (size_t i = count; i-- > 0;) {
    uint32_t at = x->seat_vacant;
    if (at != HC_FUTURE_NONE) x->seat_vacant = x->seats[at].next;
    else at = (uint32_t)x->seat_count++;
    x->seats[at] = (hc_seat){grants[i], chain};
    chain = at;
  }
  x->seat_of[id] = chain;
  return 0;
}

hc_rc hc_promise_make(hc_engine *e, hc_task id, hc_time at, const hc_grant *grants, size_t count)
{
  TRY(keep(e, id, grants, count));
  return hc_future_add(e, id, at, hc_promised_until(at, hc_work_on(e, hc_estimate_of(e, id), grants, count)),
                       true, grants, count);
}

void hc_promise_drop(hc_engine *e, hc_task id)
{
  hc_future *x = e->future;
  uint32_t at = first_seat(x, id);
  if (at == HC_FUTURE_NONE) return;
  hc_future_remove(e, id);
  x->seat_of[id] = HC_FUTURE_NONE;
  while (at != HC_FUTURE_NONE) {
    const uint32_t next = x->seats[at].next;
    x->seats[at].next = x->seat_vacant;
    x->seat_vacant = at;
    at = next;
  }
}

/* ---- a host changes ---- */

static bool is_on(const hc_future *x, hc_task id, uint32_t host)
{
  for (uint32_t i = first_seat(x, id); i != HC_FUTURE_NONE; i = x->seats[i].next)
    if (x->seats[i].grant.host == host) return true;
  return false;
}

/* The list of reservations gets shorter from behind. */
hc_rc hc_promise_host_changed(hc_engine *e, uint32_t host, bool worse)
{
  const hc_tasks *ts = &e->tasks;
  if (!e->future) return 0;
  hc_future_spoil(e);
  for (size_t i = ts->reserved_count; worse && i-- > 0;) {
    const hc_task id = ts->reserved[i];
    if (!is_on(e->future, id, host)) continue;
    TRY(hc_apply_reservation(e, id, HC_NEVER, NULL, 0));
    e->promises_void++;
  }
  return 0;
}

/* ---- state: by task, wherever the chains lie ---- */

static hc_rc visit_one(hc_engine *e, hc_visitor *v, hc_task id)
{
  const hc_grant *grants = NULL;
  hc_grant *loaded;
  size_t count = 0;
  uint64_t n;
  if (!hc_visit_loading(v)) TRY(hc_promise_get(e, id, &grants, &count));
  n = count;
  HC_VISIT(v, n);
  if (!hc_visit_loading(v)) {
    for (size_t i = 0; i < count; i++) {
      hc_grant g = grants[i];
      HC_VISIT(v, g);
    }
    return 0;
  }
  if (n == 0 || n > v->left / sizeof *loaded) return HC_EINPUT;
  loaded = hc_arena_alloc(&e->scratch, (size_t)n * sizeof *loaded);
  if (!loaded) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    HC_VISIT(v, loaded[i]);
    if (loaded[i].host >= e->cell_spec.units || loaded[i].slots == 0) return HC_EINPUT;
  }
  return keep(e, id, loaded, (size_t)n);
}

hc_rc hc_promise_visit(hc_engine *e, hc_visitor *v)
{
  if (!e->future) return 0;
  HC_VISIT(v, e->promises_void);
  hc_future_spoil(e);
  for (size_t i = 0; i < e->tasks.count; i++)
    if (e->tasks.live[i].state == HC_TASK_WAITING && hc_reserved_of(e, (hc_task)i) != HC_NEVER)
      TRY(visit_one(e, v, (hc_task)i));
  return 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_HOST) return hc_promise_host_changed(e, n->event->host, n->worse);
  if (e->options->paranoid) hc_future_check(e);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->future != NULL;
}

const hc_part hc_part_promises = {.name = "promises",
                                  .wanted = wanted,
                                  .hears = HC_HEARS(HOST) | HC_HEARS(INSTANT),
                                  .on = on,
                                  .visit = hc_promise_visit,
                                  .fini = hc_future_close};
