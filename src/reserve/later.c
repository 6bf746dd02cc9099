/* later.c -- the second cell that stands at a later time: see later.h.
 *
 * Two queues order the claims by their expected ends on both sides of the time at which it stands: its place
 * is between the first of one and the first of the other. */
#include "reserve/parts.h"

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

void hc_later_close(hc_later *l)
{
  if (!l->is_open) return;
  const hc_allocator *a = l->r->c.allocator;
  hc_cell_fini(&l->cell);
  hc_queue_free(l->given);
  hc_queue_free(l->held);
  hc_free(a, l->claims, l->claim_cap * sizeof *l->claims);
  hc_free(a, l->overdue, l->overdue_cap * sizeof *l->overdue);
  hc_free(a, l->before, l->before_cap * sizeof *l->before);
  *l = (hc_later){.r = l->r};
}

/* ---- claims on the second cell ---- */

hc_rc hc_later_put(hc_later *l, hc_task t, const hc_grant *grants, size_t count)
{
  const hc_reserve_context *c = &l->r->c;
  const hc_request r = c->request(c->ctx, t);
  return hc_cell_take_again(&l->cell, &r, grants, count);
}

hc_rc hc_later_remove(hc_later *l, hc_task t, const hc_grant *grants, size_t count)
{
  const hc_reserve_context *c = &l->r->c;
  const hc_request r = c->request(c->ctx, t);
  return hc_cell_give(&l->cell, &r, grants, count);
}

/* Put a claim into the queue of its side. What ends last is first among those that are given back. */
static hc_rc enqueue(hc_later *l, hc_task t)
{
  hc_later_claim *c = &l->claims[t];
  c->is_given = c->end <= l->at;
  const hc_event e = {.time = c->is_given ? -c->end : c->end, .key = t, .payload = t};
  return hc_queue_push(c->is_given ? l->given : l->held, &e, &c->handle);
}

static void dequeue(hc_later *l, hc_task t)
{
  hc_later_claim *c = &l->claims[t];
  hc_queue_cancel(c->is_given ? l->given : l->held, c->handle);
  c->handle = HC_NO_EVENT;
}

static void count_given(hc_later *l, hc_task t)
{
  const hc_reserve_context *c = &l->r->c;
  l->claims[t].units = c->units(c->ctx, t);
  l->given_units += l->claims[t].units;
}

/* Its place is wrong for where the second cell stands: give it back there, or take it again. */
static hc_rc cross(hc_later *l, hc_task t)
{
  const hc_reserve_context *c = &l->r->c;
  hc_later_claim *claim = &l->claims[t];
  const bool was_given = claim->is_given;
  const hc_grant *grants;
  hc_grant one;
  size_t count;
  dequeue(l, t);
  TRY(enqueue(l, t));
  if (claim->is_given == was_given) return 0;
  TRY(c->held(c->ctx, t, &one, &grants, &count));
  if (was_given) {
    l->given_units -= claim->units;
    return hc_later_put(l, t, grants, count);
  }
  count_given(l, t);
  return hc_later_remove(l, t, grants, count);
}

/* ---- what happens ---- */

static bool has(const hc_later *l, hc_task t)
{
  return l->is_open && t < l->claim_cap && l->claims[t].handle != HC_NO_EVENT;
}

static hc_rc list_overdue(hc_later *l, hc_task t)
{
  TRY(hc_reserve(l->r->c.allocator, (void **)&l->overdue, &l->overdue_cap, l->overdue_count + 1,
                 sizeof *l->overdue));
  l->overdue[l->overdue_count++] = t;
  l->claims[t].is_overdue = true;
  return 0;
}

static hc_rc add(hc_later *l, hc_task t, hc_time end)
{
  const size_t was = l->claim_cap;
  TRY(hc_reserve(l->r->c.allocator, (void **)&l->claims, &l->claim_cap, (size_t)t + 1, sizeof *l->claims));
  for (size_t i = was; i < l->claim_cap; i++) l->claims[i].handle = HC_NO_EVENT;
  l->claims[t] = (hc_later_claim){.end = end, .handle = HC_NO_EVENT};
  if (l->r->c.is_overdue(l->r->c.ctx, t)) TRY(list_overdue(l, t));
  return enqueue(l, t);
}

hc_rc hc_later_take(hc_later *l, hc_task t, hc_time end, const hc_grant *grants, size_t count)
{
  if (!l->is_open) return 0;
  TRY(add(l, t, end));
  if (!l->claims[t].is_given) return hc_later_put(l, t, grants, count);
  count_given(l, t);
  return 0;
}

static void forget_overdue(hc_later *l, hc_task t)
{
  size_t n = 0;
  if (!l->claims[t].is_overdue) return;
  for (size_t i = 0; i < l->overdue_count; i++)
    if (l->overdue[i] != t) l->overdue[n++] = l->overdue[i];
  l->overdue_count = n;
}

hc_rc hc_later_give(hc_later *l, hc_task t, const hc_grant *grants, size_t count)
{
  if (!has(l, t)) return 0;
  forget_overdue(l, t);
  dequeue(l, t);
  if (!l->claims[t].is_given) return hc_later_remove(l, t, grants, count);
  l->given_units -= l->claims[t].units;
  return 0;
}

static hc_rc expect(hc_later *l, hc_task t, hc_time end)
{
  l->claims[t].end = end;
  return cross(l, t);
}

hc_rc hc_later_overdue(hc_later *l, hc_task t, hc_time end)
{
  if (!l->is_open) return 0;
  if (t == HC_NO_TASK) {
    for (size_t i = 0; i < l->overdue_count; i++) TRY(expect(l, l->overdue[i], end));
    return 0;
  }
  TRY(list_overdue(l, t));
  return expect(l, t, end);
}

hc_rc hc_later_moved(hc_later *l, hc_task t, hc_time end)
{
  return has(l, t) ? expect(l, t, end) : 0;
}

/* Where later changes of amounts are known it is begun anew: it may have seen them. */
hc_rc hc_later_host_changed(hc_later *l, const hc_host_event *event)
{
  const hc_advance *a = l->r->c.advance;
  if (a && a->has_resizes) hc_later_close(l);
  return l->is_open ? hc_cell_change(&l->cell, event) : 0;
}

hc_rc hc_later_resized(hc_later *l, hc_task t, const hc_request *had, const int64_t *to,
                       const hc_grant *grants, size_t count)
{
  if (!has(l, t)) return 0;
  if (!l->claims[t].is_given) {
    hc_cell_resize_hosts(&l->cell, had, to, grants, count);
    return 0;
  }
  l->given_units -= l->claims[t].units;
  count_given(l, t);
  return 0;
}

/* ---- its beginning ---- */

/* A copy of the cell as it is, by what saves and loads it. */
static hc_rc copy_cell(hc_later *l)
{
  const hc_reserve_context *c = &l->r->c;
  hc_error ignored = {0};
  hc_buffer bytes;
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = c->allocator, .out = &bytes};
  hc_rc rc = hc_cell_init(&l->cell, c->allocator, c->spec, c->lexicon, c->seed, c->replication, &ignored);
  hc_buffer_init(&bytes, c->allocator);
  if (rc >= 0) rc = hc_cell_visit(c->cell, &v);
  v = (hc_visitor){.calls = &hc_state_calls,
                   .mode = HC_VISIT_LOAD,
                   .allocator = c->allocator,
                   .in = (const uint8_t *)bytes.data,
                   .left = bytes.size};
  if (rc >= 0) rc = hc_cell_visit(&l->cell, &v);
  if (rc >= 0 && l->cell.hosts) hc_hosts_set_gate(l->cell.hosts, c->gate);
  for (uint32_t host = 0; rc >= 0 && c->returns && host < c->spec->units; host++) {
    const hc_host_event up = {.host = host, .change = HC_HOST_UP};
    if (c->returns(c->ctx, host)) rc = hc_cell_change(&l->cell, &up);
  }
  hc_buffer_fini(&bytes);
  return rc;
}

static hc_rc add_running(void *self, hc_task t, hc_time end)
{
  return add(self, t, end);
}

static hc_rc open_cell(hc_later *l)
{
  const hc_reserve_context *c = &l->r->c;
  l->is_open = true;
  l->at = HC_RESERVE_PAST;
  TRY(hc_queue_new(c->allocator, HC_QUEUE_HEAP, &l->given));
  TRY(hc_queue_new(c->allocator, HC_QUEUE_HEAP, &l->held));
  TRY(copy_cell(l));
  for (const hc_advance *a = c->advance;
       a && l->first_resize < a->count && a->windows[l->first_resize].start <= *c->now;)
    l->first_resize++;
  l->next_resize = l->first_resize;
  return c->running(c->ctx, add_running, l);
}

hc_rc hc_later_ready(hc_later *l)
{
  hc_rc rc = l->is_open ? 0 : open_cell(l);
  if (rc >= 0 && l->at < *l->r->c.now) rc = hc_later_go(l, *l->r->c.now);
  if (rc < 0) hc_later_close(l);
  return rc;
}

/* ---- moving ---- */

/* The last end by which it stands, and the first after that: of a claim, or of a window of an advance
 * reservation. @return false: none */
static bool last_end(hc_later *l, hc_time *end)
{
  const hc_advance *a = l->r->c.advance;
  hc_event e;
  hc_time opened;
  const bool is_there = hc_queue_peek(l->given, &e);
  if (is_there) *end = -e.time;
  if (!a || !hc_advance_opened(a, l->at, &opened)) return is_there;
  *end = is_there ? HC_MAX(*end, opened) : opened;
  return true;
}

static bool next_end(hc_later *l, hc_time *end)
{
  const hc_advance *a = l->r->c.advance;
  hc_event e;
  *end = hc_queue_peek(l->held, &e) ? e.time : HC_NEVER;
  if (a) *end = HC_MIN(*end, hc_advance_opens(a, l->at));
  return *end != HC_NEVER;
}

/* Hosts get other amounts on the way, and back what they had. */
static hc_rc resize(hc_later *l, const hc_advance_window *w)
{
  const hc_advance *a = l->r->c.advance;
  hc_hosts *h = l->cell.hosts;
  for (uint32_t k = w->first; k < w->first + w->count; k++)
    for (uint32_t i = 0; i < a->hosts[k].count; i++) {
      hc_host_event event = {.host = a->hosts[k].first + i, .change = HC_HOST_RESIZE};
      hc_host_event before = event;
      for (int d = 0; d < HC_DIMENSIONS; d++) event.capacity[d] = w->capacity[d];
      for (int d = 0; d < HC_DIMENSIONS; d++) before.capacity[d] = HC_UNKNOWN;
      for (uint32_t d = 0; hc_hosts_is_up(h, event.host) && d < hc_hosts_dimensions(h); d++)
        before.capacity[hc_hosts_which(h)[d]] = hc_hosts_capacity_of(h, event.host)[d];
      TRY(hc_reserve(l->r->c.allocator, (void **)&l->before, &l->before_cap, l->before_count + 1,
                     sizeof *l->before));
      l->before[l->before_count++] = before;
      if (hc_hosts_is_up(h, event.host)) TRY(hc_cell_change(&l->cell, &event));
    }
  return 0;
}

static hc_rc unresize(hc_later *l, const hc_advance_window *w)
{
  const hc_advance *a = l->r->c.advance;
  for (uint32_t k = w->first; k < w->first + w->count; k++)
    for (uint32_t i = 0; i < a->hosts[k].count; i++) {
      const hc_host_event *before = &l->before[--l->before_count];
      if (hc_hosts_is_up(l->cell.hosts, before->host)) TRY(hc_cell_change(&l->cell, before));
    }
  return 0;
}

static hc_rc see_resizes(hc_later *l, hc_time at)
{
  const hc_advance *a = l->r->c.advance;
  if (!a || !a->has_resizes) return 0;
  for (; l->next_resize < a->count && a->windows[l->next_resize].start <= at; l->next_resize++) {
    const hc_advance_window *w = &a->windows[l->next_resize];
    if (w->kind == HC_ADVANCE_RESIZE && w->is_known) TRY(resize(l, w));
  }
  for (; l->next_resize > l->first_resize && a->windows[l->next_resize - 1].start > at; l->next_resize--) {
    const hc_advance_window *w = &a->windows[l->next_resize - 1];
    if (w->kind == HC_ADVANCE_RESIZE && w->is_known) TRY(unresize(l, w));
  }
  return 0;
}

hc_rc hc_later_go(hc_later *l, hc_time at)
{
  hc_event e;
  l->at = at;
  TRY(see_resizes(l, at));
  while (hc_queue_peek(l->held, &e) && e.time <= at) TRY(cross(l, e.payload));
  while (hc_queue_peek(l->given, &e) && -e.time > at) TRY(cross(l, e.payload));
  return 0;
}

/* What is free on a host where it stands, without a start that is tried and over by then. */
static void free_there(const hc_later *l, uint32_t host, int64_t *free)
{
  const hc_hosts *h = l->cell.hosts;
  const uint32_t dimensions = hc_hosts_dimensions(h);
  int64_t amounts[HC_DIMENSIONS];
  hc_hosts_piece piece;
  for (uint32_t d = 0; d < dimensions; d++) free[d] = hc_hosts_free_of(h, host)[d];
  if (l->tried.count == 0 || l->at < l->tried.end) return;
  const hc_request r = hc_reserve_request(l->r, l->tried.task);
  for (size_t i = 0; i < l->tried.count; i++) {
    if (l->tried.grants[i].host != host) continue;
    hc_hosts_amounts_of(h, &r, &l->tried.grants[i], amounts, &piece);
    for (uint32_t d = 0; d < dimensions; d++)
      free[d] = piece.whole ? hc_hosts_capacity_of(h, host)[d] : free[d] + amounts[d];
  }
}

hc_rc hc_later_ahead(hc_later *l, hc_task t, hc_time at, hc_time length)
{
  hc_reserve_book *r = l->r;
  const hc_advance *a = r->c.advance;
  TRY(hc_later_ready(l));
  for (size_t i = 0; i < a->count; i++) {
    const hc_advance_window *w = &a->windows[i];
    if (!hc_reserve_sees_resize(r, w, at, HC_NEVER)) continue;
    for (uint32_t k = w->first; k < w->first + w->count; k++)
      for (uint32_t n = 0; n < a->hosts[k].count; n++) {
        const uint32_t host = a->hosts[k].first + n;
        if (!hc_reserve_sees_resize(r, w, at, hc_reserve_length_on(r, t, host, length))) continue;
        int64_t free[HC_DIMENSIONS];
        TRY(hc_later_go(l, w->start));
        free_there(l, host, free);
        TRY(hc_ahead_meet(&r->ahead, r->c.allocator, r->c.spec->units, host, free,
                          hc_hosts_dimensions(l->cell.hosts)));
      }
  }
  return hc_later_go(l, HC_MAX(at, *r->c.now));
}

/* From where it fits towards `from`, as long as it fits there too. */
static hc_rc go_back(hc_later *l, hc_time from, hc_rc (*fits)(hc_later *l, void *self), void *self)
{
  hc_time end = from;
  while (l->at > from) {
    const bool ends = last_end(l, &end) && end > from;
    TRY(hc_later_go(l, ends ? end - 1 : from));
    const hc_rc rc = fits(l, self);
    if (rc == 0) return hc_later_go(l, ends ? end : from);
    if (rc < 0) return rc;
  }
  return 0;
}

hc_rc hc_later_first(hc_later *l, hc_time from, hc_time until, bool rises,
                     hc_rc (*fits)(hc_later *l, void *self), void *self, hc_time *at)
{
  hc_time end;
  hc_rc rc;
  *at = HC_NEVER;
  TRY(hc_later_go(l, rises ? HC_MIN(HC_MAX(l->at, from), until) : from));
  rc = fits(l, self);
  if (rc > 0 && rises) TRY(go_back(l, from, fits, self));
  while (rc == 0 && l->at < until && next_end(l, &end)) {
    TRY(hc_later_go(l, HC_MIN(end, until)));
    rc = fits(l, self);
  }
  if (rc > 0) *at = l->at;
  return rc;
}

/* ---- a start, tried ---- */

bool hc_later_allows(hc_later *l, hc_task t, hc_time length, const hc_grant *grants, size_t count,
                     bool (*rises)(const hc_reserve_book *r, hc_task t),
                     hc_rc (*fits)(hc_later *l, void *self))
{
  hc_reserve_book *r = l->r;
  const hc_time now = *r->c.now, end = hc_time_add(now, length);
  const hc_task *tasks;
  const size_t n = hc_reserve_tasks(r, &tasks);
  hc_time at;
  hc_rc rc = hc_later_ready(l);
  if (rc >= 0) rc = hc_later_put(l, t, grants, count);
  const bool is_put = rc >= 0;
  rc = is_put ? 1 : rc;
  l->tried.grants = grants;
  l->tried.count = r->c.cell->hosts ? count : 0;
  l->tried.task = t;
  l->tried.end = end;
  for (size_t i = 0; i < n && rc > 0; i++) {
    hc_task other = tasks[i];
    const hc_time until = hc_reserve_at(r, other);
    if (other == t || until >= end || !hc_reserve_sees(r, other)) continue;
    const bool goes_up = rises(r, other);
    if (goes_up && (rc = hc_later_go(l, until)) >= 0) rc = fits(l, &other);
    if (!goes_up || (rc == 0 && r->c.advance)) rc = hc_later_first(l, now, until, false, fits, &other, &at);
  }
  l->tried.count = 0;
  if (is_put) hc_reserve_note(r, hc_later_remove(l, t, grants, count));
  hc_reserve_note(r, rc);
  return rc > 0;
}
