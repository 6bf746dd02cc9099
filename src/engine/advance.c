/* advance.c -- advance reservations of a run.
 *
 * Of what they keep free the room `reserve` knows; advance_list.c reads them. Here the hosts or the amount of
 * each window are settled, and it is found whose task may use which; advance_events.c is what happens to them
 * as time goes by.
 *
 * Whose task may use what is found when a task arrives: a user or an account goes by the name that the
 * source has, or by its number. Which users are in the list is state; the windows follow from the run file.
 *
 * Cost: none without reservations. With them every policy plans with expected ends, choices among hosts ask
 * for each host (a search in its windows), and failures to find a host are not remembered. */
#include "engine/advance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "architecture/acts.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "cluster/host_find.h"
#include "cluster/lexicon.h"
#include "engine/advance_state.h"
#include "engine/combine.h"
#include "engine/explain.h"
#include "engine/host_events.h"
#include "engine/part.h"
#include "engine/rows.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "reserve/reserve.h"

#define MOST_WINDOWS 10000

/* ---- whose task ---- */

static bool is_member(const hc_advances *x, uint32_t reservation, bool is_account, int64_t id)
{
  for (size_t i = 0; i < x->member_count; i++) {
    const hc_advance_member *m = &x->members[i];
    if (m->reservation == reservation && m->is_account == is_account && m->id == id) return true;
  }
  return false;
}

bool hc_advance_may(void *ctx, uint32_t reservation, hc_task t)
{
  const hc_engine *e = ctx;
  return is_member(e->advance, reservation, false, e->tasks.identities[t].user) ||
         is_member(e->advance, reservation, true, hc_cold_of(e, t)->group);
}

static bool is_named(const hc_list *names, const char *called, int64_t id)
{
  const char *const *items = names->items;
  char number[32];
  (void)snprintf(number, sizeof number, "%" PRId64, id);
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(items[i], called ? called : number) == 0) return true;
  return false;
}

static hc_rc meet(hc_engine *e, const hc_list *names, uint32_t reservation, bool is_account, int64_t id)
{
  hc_advances *x = e->advance;
  const char *called = hc_lexicon_called(e->lexicon, is_account ? HC_CALLED_GROUP : HC_CALLED_USER, id);
  if (names->count == 0 || id < 0 || is_member(x, reservation, is_account, id) ||
      !is_named(names, called, id))
    return 0;
  TRY(hc_reserve(e->allocator, (void **)&x->members, &x->member_cap, x->member_count + 1,
                 sizeof(hc_advance_member)));
  x->members[x->member_count++] = (hc_advance_member){reservation, is_account, id};
  return 0;
}

static hc_rc arrived(hc_engine *e, hc_task t)
{
  for (uint32_t reservation = 0; reservation < e->advance->item_count; reservation++) {
    const hc_reservation_options *o = hc_advance_item_of(e->advance, reservation);
    TRY(meet(e, &o->users, reservation, false, e->tasks.identities[t].user));
    TRY(meet(e, &o->accounts, reservation, true, hc_cold_of(e, t)->group));
  }
  return 0;
}

/* ---- reading ---- */

static bool is_taken(const hc_advance *a, const hc_advance_window *w, uint32_t host)
{
  for (size_t i = 0; i < a->count; i++) {
    const hc_advance_window *x = &a->windows[i];
    if (x->end <= w->start || x->start >= w->end) continue;
    for (uint32_t k = x->first; k < x->first + x->count; k++)
      if (host >= a->hosts[k].first && host - a->hosts[k].first < a->hosts[k].count) return true;
  }
  return false;
}

/* The first `count` of these hosts that are not reserved then. */
static hc_rc pick(const hc_engine *e, const hc_advance_window *w, const hc_host_ranges *from, int64_t count,
                  hc_host_ranges *out, const char *where, hc_error *error)
{
  int64_t left = count;
  out->count = 0;
  for (size_t i = 0; i < from->count && left > 0; i++)
    for (uint32_t k = 0; k < from->items[i].count && left > 0; k++) {
      const uint32_t host = from->items[i].first + k;
      if (is_taken(&e->advance->plan, w, host)) continue;
      TRY(hc_reserve(e->allocator, (void **)&out->items, &out->cap, out->count + 1, sizeof *out->items));
      if (out->count > 0 && out->items[out->count - 1].first + out->items[out->count - 1].count == host)
        out->items[out->count - 1].count++;
      else out->items[out->count++] = (hc_range){host, 1};
      left--;
    }
  if (left == 0) return 0;
  return hc_fail(error, HC_EUSAGE, where, 0, 0,
                 "%" PRId64 " hosts are reserved, and %" PRId64
                 " of those named are not reserved at that time: reserve fewer",
                 count, count - left);
}

static hc_rc add_windows(hc_engine *e, uint32_t reservation, const hc_host_ranges *hosts,
                         hc_host_ranges *picked, const char *where, hc_error *error)
{
  const hc_reservation_options *o = hc_advance_item_of(e->advance, reservation);
  hc_advance *a = &e->advance->plan;
  hc_time shift = 0;
  for (int64_t i = 0; i < o->times; i++, shift = hc_time_add(shift, o->every)) {
    const hc_advance_window w = {.start = hc_time_add(o->start, shift),
                                 .end = hc_time_add(o->end, shift),
                                 .announced = o->announced,
                                 .reservation = reservation,
                                 .is_known = o->announced == 0,
                                 .units = o->units,
                                 .kind = e->advance->items[reservation].kind,
                                 .capacity = e->advance->items[reservation].capacity};
    if (a->count >= MOST_WINDOWS)
      return hc_fail(error, HC_ELIMIT, where, 0, 0,
                     "more than %d windows of reservations and announced changes of hosts in all: reduce "
                     "`times`, or announce less",
                     MOST_WINDOWS);
    if (o->count > 0) TRY(pick(e, &w, hosts, o->count, picked, where, error));
    const hc_host_ranges *on = o->count > 0 ? picked : hosts;
    TRY(hc_advance_add(a, &w, on->items, on->count));
  }
  return 0;
}

static hc_rc add_downtime(hc_engine *e, uint32_t reservation, const char *where, hc_error *error)
{
  const hc_advance_item *x = &e->advance->items[reservation];
  const hc_host_ranges hosts = {.items = (hc_range *)(uintptr_t)x->on, .count = x->on_count};
  return add_windows(e, reservation, &hosts, NULL, where, error);
}

static hc_rc place_item(hc_engine *e, hc_host_finder *f, uint32_t reservation, hc_error *error)
{
  const hc_reservation_options *o = hc_advance_item_of(e->advance, reservation);
  const char *where = e->advance->items[reservation].where;
  static const char *const all[] = {"all"};
  const hc_list every = {.items = (void *)(uintptr_t)all, .count = 1};
  hc_host_ranges hosts = {0}, picked = {0};
  hc_rc rc = 0;
  if (e->advance->items[reservation].on) return add_downtime(e, reservation, where, error);
  if (e->cell.hosts) rc = hc_host_find_all(f, o->hosts.count ? &o->hosts : &every, where, &hosts, error);
  if (rc >= 0) rc = add_windows(e, reservation, &hosts, &picked, where, error);
  hc_host_ranges_fini(&hosts, e->allocator);
  hc_host_ranges_fini(&picked, e->allocator);
  return rc;
}

/* ---- together ---- */

static bool share_a_name(const hc_list *a, const hc_list *b)
{
  const char *const *x = a->items, *const *y = b->items;
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = 0; k < b->count; k++)
      if (strcmp(x[i], y[k]) == 0) return true;
  return false;
}

/* Amounts at one time: no more than the cell has, and each user's tasks are of one. */
static hc_rc check_amounts(const hc_engine *e, hc_error *error)
{
  const hc_advances *x = e->advance;
  for (size_t i = 0; i < x->plan.count; i++) {
    const hc_advance_window *w = &x->plan.windows[i];
    int64_t sum = 0;
    for (size_t k = 0; k <= i; k++) {
      const hc_advance_window *v = &x->plan.windows[k];
      if (v->end <= w->start) continue;
      sum += v->units;
      if (k == i || v->reservation == w->reservation) continue;
      if (share_a_name(&hc_advance_item_of(x, v->reservation)->users,
                       &hc_advance_item_of(x, w->reservation)->users) ||
          share_a_name(&hc_advance_item_of(x, v->reservation)->accounts,
                       &hc_advance_item_of(x, w->reservation)->accounts))
        return hc_fail(error, HC_EUSAGE, "reservations", 0, 0,
                       "reservations %u and %u are of one user or account at one time: make one of them",
                       v->reservation + 1, w->reservation + 1);
    }
    if (sum > e->cell.capacity)
      return hc_fail(error, HC_EUSAGE, "reservations", 0, 0,
                     "%" PRId64
                     " processors are reserved when reservation %u begins, and the cell has %" PRId64
                     ": reserve fewer, or at other times",
                     sum, w->reservation + 1, e->cell.capacity);
  }
  return 0;
}

/* ---- announcements ---- */

HC_SORT_OF(sort_notices, uint32_t,
           ((const hc_advance_window *)of)[*a].announced != ((const hc_advance_window *)of)[*b].announced
               ? ((const hc_advance_window *)of)[*a].announced < ((const hc_advance_window *)of)[*b].announced
               : *a < *b)

/* What is announced from the beginning is behind it already. */
static hc_rc settle_notices(hc_advances *x)
{
  const hc_advance *a = &x->plan;
  x->notices = hc_alloc(a->allocator, a->count * sizeof *x->notices);
  if (!x->notices) return HC_ENOMEM;
  for (uint32_t i = 0; i < a->count; i++) x->notices[i] = i;
  sort_notices(x->notices, a->count, a->windows);
  while (x->announced < a->count && a->windows[x->notices[x->announced]].is_known) x->announced++;
  return 0;
}

/* How much each window reserves, of hosts as they are when the run begins. */
static hc_rc add_up(hc_engine *e)
{
  const hc_advance *a = &e->advance->plan;
  hc_reserved *out = hc_alloc(e->allocator, a->count * sizeof *out);
  e->advance->reserved = out;
  if (!out) return HC_ENOMEM;
  for (size_t i = 0; i < a->count; i++) {
    const hc_advance_window *w = &a->windows[i];
    out[i] = (hc_reserved){w->start, w->end, w->units};
    for (uint32_t k = w->first; w->kind == HC_ADVANCE_KEPT && k < w->first + w->count; k++)
      for (uint32_t h = 0; h < a->hosts[k].count; h++)
        out[i].units += hc_hosts_capacity_of(e->cell.hosts, a->hosts[k].first + h)[0];
  }
  return 0;
}

static hc_rc refuse_clash(const hc_engine *e, const hc_advance_window *clash[2], hc_error *error)
{
  const hc_advance_item *a = &e->advance->items[clash[0]->reservation];
  const hc_advance_item *b = &e->advance->items[clash[1]->reservation];
  if (a->source > 0 || b->source > 0)
    return hc_fail(error, HC_EUSAGE, b->source > 0 ? b->where : a->where, 0, 0,
                   "a host of this announced %s is in %.200s at the same time: give them other hosts, or "
                   "other times, or leave out `announced`",
                   (b->source > 0 ? b : a)->kind == HC_ADVANCE_KEPT ? "downtime" : "change",
                   b->source > 0 ? a->where : b->where);
  return hc_fail(error, HC_EUSAGE, "reservations", 0, 0,
                 "reservations %u and %u have a host at one time: give them other hosts, or other times",
                 clash[0]->reservation + 1, clash[1]->reservation + 1);
}

static hc_rc settle(hc_engine *e, hc_error *error)
{
  const hc_advance_window *clash[2];
  const hc_rc rc = hc_advance_settle(&e->advance->plan, e->cell.hosts ? e->cell_spec.units : 0, clash);
  if (rc == HC_EUSAGE) return refuse_clash(e, clash, error);
  TRY(rc);
  TRY(settle_notices(e->advance));
  TRY(add_up(e));
  return e->cell.hosts ? 0 : check_amounts(e, error);
}

/* Users of generators are known from the beginning: a name that none has is a mistake. */
static hc_rc check_names(const hc_engine *e, hc_error *error)
{
  const hc_advances *x = e->advance;
  if (e->options->source.count != 1 || !hc_lexicon_has_users_of_run(e->lexicon)) return 0;
  for (uint32_t i = 0; i < x->item_count; i++)
    for (size_t k = 0; k < hc_advance_item_of(x, i)->users.count; k++) {
      const char *name = ((const char *const *)hc_advance_item_of(x, i)->users.items)[k], *near;
      int64_t number;
      if (hc_parse_int(name, strlen(name), &number) == 0) continue;
      if (hc_lexicon_knows(e->lexicon, HC_CALLED_USER, name, &near)) continue;
      return hc_fail(error, HC_EUSAGE, x->items[i].where, 0, 0, "the source has no user \"%.80s\"%s%s%s",
                     name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
  return 0;
}

/* @param text what is wrong; %s is what to leave out */
static hc_rc refuse(const hc_engine *e, const char *text, const char *instead, hc_error *error)
{
  return hc_fail(error, HC_EUNSUPPORTED, "configuration", 0, 0, "%s: %s%s", text,
                 e->options->reservations.count > 0 ? "leave out `reservations`"
                                                    : "leave out `announced` of the `events`",
                 instead);
}

/* What cannot be held to them. */
static hc_rc check_run(const hc_engine *e, uint32_t flags, hc_error *error)
{
  const hc_architecture_type *a = e->architecture_type;
  if (hc_reach_with(a, e->options->architecture.options) != HC_REACH_QUEUE)
    return refuse(e,
                  "schedulers that are shown one job at a time try a task that would run into an advance "
                  "reservation, or announced downtime, until they give it up",
                  ", or use the architecture monolithic, two_pass or heartbeat", error);
  if (flags & HC_SETS_RATES)
    return refuse(
        e,
        "a policy that suspends tasks or sets their rates moves their ends, and no advance reservation, nor "
        "announced downtime, would be kept",
        ", or use the policy batch", error);
  if (flags & HC_MAY_RESIZE)
    return refuse(e,
                  "a policy that resizes tasks moves their ends, and no advance reservation, nor announced "
                  "downtime, would be kept",
                  ", or use the policy batch", error);
  if (flags & HC_GOES_BY_BOOKS)
    return refuse(
        e,
        "a policy that picks hosts from books of its own knows nothing of advance reservations, nor of "
        "announced downtime, and would try the same hosts again and again",
        ", or use the policy batch; Slurm's own reservations are `reservations` of the policy slurm", error);
  if (flags & HC_PACES)
    return refuse(e, "how long a task that is paced will run is not known before it starts", ", or the pace",
                  error);
  if (e->contiguous)
    return refuse(e, "a placement that needs one range cannot keep an amount of processors free ahead",
                  ", use another placement, or a cell of hosts", error);
  return 0;
}

static bool returns(void *ctx, uint32_t host)
{
  return hc_host_events_returns(ctx, host);
}

hc_rc hc_advance_open(hc_engine *e, hc_error *error)
{
  hc_advances *x;
  hc_host_finder f = {0};
  hc_downtime downtime = {0};
  uint32_t source;
  hc_rc rc = 0;
  if (e->options->reservations.count == 0 && !hc_host_events_announced(e, 0, &source, &downtime)) return 0;
  TRY(check_run(e, e->policy_flags, error));
  e->expects = e->tasks.plans = true;
  x = e->advance = hc_alloc(e->allocator, sizeof *x);
  if (!x) return HC_ENOMEM;
  *x = (hc_advances){.plan = {.allocator = e->allocator, .ctx = e, .may = hc_advance_may, .is_away = returns},
                     .task = HC_NO_TASK};
  TRY(hc_advance_list(e, &x->items, &x->item_count, error));
  TRY(check_names(e, error));
  if (e->cell.hosts) rc = hc_host_finder_init(&f, e->allocator, &e->cell_spec, NULL);
  for (uint32_t i = 0; i < x->item_count && rc >= 0; i++) rc = place_item(e, &f, i, error);
  if (e->cell.hosts) hc_host_finder_fini(&f);
  return rc < 0 ? rc : settle(e, error);
}

/* ---- what is said of them ---- */

/* Some host has less from then on than now. */
static bool shrinks(const hc_engine *e, const hc_advance_window *w)
{
  const hc_hosts *h = e->cell.hosts;
  for (uint32_t k = w->first; k < w->first + w->count; k++)
    for (uint32_t i = 0; i < e->advance->plan.hosts[k].count; i++) {
      const int64_t *has = hc_hosts_capacity_of(h, e->advance->plan.hosts[k].first + i);
      for (uint32_t d = 0; d < hc_hosts_dimensions(h); d++) {
        const int64_t to = w->capacity[hc_hosts_which(h)[d]];
        if (to != HC_UNKNOWN && to < has[d]) return true;
      }
    }
  return false;
}

void hc_advance_explain(hc_engine *e, hc_task t)
{
  const hc_advances *x = e->advance;
  if (!x || !e->explain) return;
  const hc_time to = hc_time_add(e->now, HC_MAX(hc_estimate_of(e, t), 1));
  for (size_t i = 0; i < x->plan.count && x->plan.windows[i].start < to; i++) {
    const hc_advance_window *w = &x->plan.windows[i];
    const char *name = hc_advance_item_of(x, w->reservation)->name;
    char from[32], until[32], number[16];
    const bool is_downtime = x->items[w->reservation].source > 0;
    if (w->end <= e->now || !hc_advance_bars_task(&x->plan, i, t)) continue;
    if (w->kind == HC_ADVANCE_DRAIN || w->kind == HC_ADVANCE_AWAY) continue; /* hosts that take nothing now */
    if (w->kind == HC_ADVANCE_RESIZE && !shrinks(e, w)) continue;
    (void)hc_format_seconds(w->start, from);
    if (w->end != HC_NEVER) (void)hc_format_seconds(w->end, until);
    if (w->kind == HC_ADVANCE_RESIZE) {
      hc_explain_text(e, t, "would run on when hosts have less, as announced, from t=%s s on", from);
      return;
    }
    if (is_downtime && w->end == HC_NEVER)
      hc_explain_text(e, t, "would run into downtime that is announced from t=%s s on, for good", from);
    else if (is_downtime)
      hc_explain_text(e, t, "would run into downtime that is announced from t=%s s to t=%s s", from, until);
    if (is_downtime) return;
    (void)snprintf(number, sizeof number, "%u", w->reservation + 1);
    if (w->end == HC_NEVER) {
      hc_explain_text(e, t, "would run into the maintenance %s, which is for good from t=%s s on",
                      name ? name : number, from);
      return;
    }
    hc_explain_text(e, t, "would run into the reservation %s, which has its own from t=%s s to t=%s s",
                    name ? name : number, from, until);
    return;
  }
}

static hc_rc store_window(hc_engine *e, const hc_advance_window *w, hc_error *error)
{
  const hc_range none = {0, 0};
  for (uint32_t k = 0; k < HC_MAX(w->count, 1); k++) {
    const hc_range *r = w->count > 0 ? &e->advance->plan.hosts[w->first + k] : &none;
    const int64_t row[6] = {w->reservation, w->start, w->end, w->units, r->first, r->count};
    const int64_t other[6] = {w->kind, w->start, w->end, w->announced, r->first, r->count};
    if (w->kind == HC_ADVANCE_KEPT) TRY(hc_store_numbers(e->store, "reservations", 6, row, error));
    else TRY(hc_store_numbers(e->store, "announcements", 6, other, error));
  }
  return 0;
}

hc_rc hc_advance_store(hc_engine *e, hc_error *error)
{
  const hc_advances *x = e->advance;
  if (!x || !hc_keeps_rows(e)) return 0;
  for (size_t i = 0; i < x->plan.count; i++) TRY(store_window(e, &x->plan.windows[i], error));
  for (uint32_t i = 0; i < x->item_count; i++) {
    const int64_t row[2] = {i, hc_advance_item_of(x, i)->announced};
    if (row[1] > 0 && x->items[i].kind == HC_ADVANCE_KEPT)
      TRY(hc_store_numbers(e->store, "reservation_notices", 2, row, error));
  }
  for (size_t i = 0; i < x->member_count; i++) {
    const hc_advance_member *m = &x->members[i];
    const int64_t row[3] = {m->reservation, m->is_account ? -1 : m->id, m->is_account ? m->id : -1};
    TRY(hc_store_numbers(e->store, "reservation_users", 3, row, error));
  }
  return 0;
}

static bool came(const hc_engine *e, const char *name, uint32_t reservation, bool is_account)
{
  const hc_list one = {.items = (void *)(uintptr_t)&name, .count = 1};
  for (size_t k = 0; k < e->advance->member_count; k++) {
    const hc_advance_member *m = &e->advance->members[k];
    const char *called = hc_lexicon_called(e->lexicon, is_account ? HC_CALLED_GROUP : HC_CALLED_USER, m->id);
    if (m->reservation == reservation && m->is_account == is_account && is_named(&one, called, m->id))
      return true;
  }
  return false;
}

static void note_missing(const hc_engine *e, const hc_list *names, uint32_t reservation, bool is_account,
                         hc_buffer *out)
{
  const char *const *items = names->items, *near;
  for (size_t i = 0; i < names->count; i++) {
    if (came(e, items[i], reservation, is_account)) continue;
    hc_buffer_printf(out,
                     "%sno task came from %s %s, which reservation %u names: it goes by the name that the "
                     "source has, or by its number",
                     out->size > 0 ? "; " : "", is_account ? "account" : "user", items[i], reservation + 1);
    if (!hc_lexicon_knows(e->lexicon, is_account ? HC_CALLED_GROUP : HC_CALLED_USER, items[i], &near) && near)
      hc_buffer_printf(out, " (did you mean %s?)", near);
  }
}

static void note_all_missing(const hc_engine *e, hc_buffer *out)
{
  const hc_advances *x = e->advance;
  for (uint32_t reservation = 0; reservation < x->item_count; reservation++) {
    note_missing(e, &hc_advance_item_of(x, reservation)->users, reservation, false, out);
    note_missing(e, &hc_advance_item_of(x, reservation)->accounts, reservation, true, out);
  }
}

hc_rc hc_advance_note(const hc_engine *e, hc_buffer *out)
{
  const hc_advances *x = e->advance;
  if (!x) return 0;
  bool late = false;
  for (uint32_t i = 0; i < x->item_count; i++) late |= hc_advance_item_of(x, i)->announced > 0;
  if (x->overruns > 0)
    hc_buffer_printf(
        out,
        "%" PRIu64 " time%s others still held what an advance reservation had from then on: they "
        "ran past their estimates%s (table overruns)",
        x->overruns, x->overruns == 1 ? "" : "s", late ? ", or had started before it was announced" : "");
  note_all_missing(e, out);
  return 0;
}

/* With `strict` a name that no task came under is an error, as a row that cannot be read is. */
hc_rc hc_advance_check_names(const hc_engine *e, hc_error *error)
{
  hc_buffer text;
  hc_rc rc = 0;
  if (!e->advance || !e->options->strict) return 0;
  hc_buffer_init(&text, e->allocator);
  note_all_missing(e, &text);
  if (text.failed) rc = HC_ENOMEM;
  else if (text.size > 0) rc = hc_fail(error, HC_EUSAGE, "reservations", 0, 0, "%.400s", text.data);
  hc_buffer_fini(&text);
  return rc;
}

/* ---- as a part ---- */

static bool wanted(const hc_engine *e)
{
  return e->advance != NULL;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  return arrived(e, n->task);
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_advances *x = e->advance;
  uint64_t count;
  if (!x) return 0;
  HC_VISIT(v, x->begun);
  HC_VISIT(v, x->ended);
  HC_VISIT(v, x->announced);
  HC_VISIT(v, x->overruns);
  count = x->member_count;
  HC_VISIT(v, count);
  if (x->begun > x->plan.count || x->ended > x->plan.count || x->announced > x->plan.count ||
      count > UINT32_MAX)
    return HC_EINPUT;
  for (size_t i = 0; i < x->plan.count; i++) x->plan.windows[x->notices[i]].is_known = i < x->announced;
  TRY(hc_reserve(e->allocator, (void **)&x->members, &x->member_cap, (size_t)count,
                 sizeof(hc_advance_member)));
  x->member_count = (size_t)count;
  return hc_visit_bytes(v, x->members, x->member_count * sizeof *x->members);
}

static void fini(hc_engine *e)
{
  hc_advances *x = e->advance;
  if (!x) return;
  if (x->reserved) hc_free(e->allocator, x->reserved, x->plan.count * sizeof *x->reserved);
  if (x->notices) hc_free(e->allocator, x->notices, x->plan.count * sizeof *x->notices);
  hc_advance_fini(&x->plan);
  hc_free(e->allocator, x->members, x->member_cap * sizeof *x->members);
  hc_free(e->allocator, x, sizeof *x);
}

const hc_part hc_part_advance = {
    .name = "advance", .wanted = wanted, .hears = HC_HEARS(ARRIVED), .on = on, .visit = visit, .fini = fini};
