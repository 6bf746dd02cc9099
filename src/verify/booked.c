/* booked.c -- reservations of the policy slurm: who is on their nodes, and are their jobs within them?
 *
 * What a task names is written when it arrives, before any policy has seen it (`reserved_by`); when each
 * occurrence of a reservation lasted, on which hosts, and from when on it was the one at hand the policy
 * says (cells of `slurm_window` and `slurm_window_hosts`).
 *
 * A task that names no reservation, or another, does not start on a host of one while that lasts, nor so that
 * its limit goes past its begin. One of a MAINT reservation may, and one of OVERLAP where the other is none
 * of these. A task of a reservation starts while that lasts, on its hosts, and is over when it ends, and
 * ResvOverRun later; one of FLEX starts when and where it likes, one of a reservation that recurs goes on.
 * What ran before the run began is held to nothing.
 *
 * Limits are whole seconds, rounded up: a start that would go past by less is none. Limits of later attempts
 * are not recorded: where plans stopped tasks, or hosts were lost, a start before a reservation is held to
 * none.
 *
 * Which users and accounts a reservation is for the policy says, too (cells of `slurm_window_guests`): a task
 * is in one only if it is of these, or of none of those that are shut out. Where associations are enforced
 * accounts below one that is named are told as well. A task of which no account is known may be of any; where
 * a reservation is for groups, or a table does not say whose it is, all are let in. Cost: O(grants x windows),
 * and of tasks that name reservations O(windows x guests). */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "verify/parts.h"

enum { MAINT = 1, OVERLAP = 2, FLEX = 4, ALL_NODES = 8, NOT_USERS = 32, NOT_ACCOUNTS = 64 };
enum { IS_OPEN = 128, RECURS = 256, NAMES_USERS = 512, NAMES_ACCOUNTS = 1024 };

/* ---- reading ---- */

typedef struct reading {
  const hc_allocator *allocator;
  hc_verify_booked *out;
  hc_verify_occurrence *windows;
  hc_verify_window_hosts *hosts;
  hc_verify_window_guest *guests;
  size_t window_cap, host_cap, guest_cap;
} reading;

static hc_rc take_name(const int64_t *n, const void *before, void *out)
{
  HC_UNUSED(before);
  *(hc_verify_booking *)out = (hc_verify_booking){.serial = n[0], .reservation = n[1]};
  return 0;
}

static hc_rc hear_window(reading *r, int64_t key, const char *name, double value)
{
  hc_verify_occurrence *w;
  if (key < 0 || key > (int64_t)r->out->window_count) return HC_EINPUT;
  if (key == (int64_t)r->out->window_count) {
    TRY(hc_reserve(r->allocator, (void **)&r->windows, &r->window_cap, r->out->window_count + 1,
                   sizeof *r->windows));
    r->windows[r->out->window_count++] = (hc_verify_occurrence){.reservation = -1, .of = -1};
  }
  w = &r->windows[key];
  if (strcmp(name, "reservation") == 0) w->reservation = (int64_t)value;
  if (strcmp(name, "flags") == 0) w->flags = (int64_t)value;
  if (strcmp(name, "of") == 0) w->of = (int64_t)value;
  if (strcmp(name, "start") == 0) w->start = (int64_t)value * HC_SECOND;
  if (strcmp(name, "end") == 0) w->end = (int64_t)value * HC_SECOND;
  if (strcmp(name, "known") == 0) w->known = (int64_t)value * HC_SECOND;
  if (strcmp(name, "over_run") == 0) w->over_run = (int64_t)value * HC_SECOND;
  return 0;
}

static hc_rc hear_hosts(reading *r, int64_t key, const char *name, double value)
{
  if (key < 0 || key > (int64_t)r->out->host_count) return HC_EINPUT;
  if (key == (int64_t)r->out->host_count) {
    TRY(hc_reserve(r->allocator, (void **)&r->hosts, &r->host_cap, r->out->host_count + 1, sizeof *r->hosts));
    r->hosts[r->out->host_count++] = (hc_verify_window_hosts){.window = -1};
  }
  hc_verify_window_hosts *h = &r->hosts[key];
  if (strcmp(name, "window") == 0) h->window = (int64_t)value;
  if (strcmp(name, "first") == 0) h->first = (int64_t)value;
  if (strcmp(name, "count") == 0) h->count = (int64_t)value;
  return 0;
}

static hc_rc hear_guest(reading *r, int64_t key, const char *name, double value)
{
  if (key < 0 || key > (int64_t)r->out->guest_count) return HC_EINPUT;
  if (key == (int64_t)r->out->guest_count) {
    TRY(hc_reserve(r->allocator, (void **)&r->guests, &r->guest_cap, r->out->guest_count + 1,
                   sizeof *r->guests));
    r->guests[r->out->guest_count++] = (hc_verify_window_guest){.of = -1, .user = -1, .account = -1};
  }
  hc_verify_window_guest *g = &r->guests[key];
  if (strcmp(name, "of") == 0) g->of = (int64_t)value;
  if (strcmp(name, "user") == 0) g->user = (int64_t)value;
  if (strcmp(name, "account") == 0) g->account = (int64_t)value;
  return 0;
}

static hc_rc hear_cell(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t key;
  double value;
  if (!values[1] || !values[2] || !values[3] || !values[5]) return 0;
  const bool is_hosts = strcmp(values[1], "slurm_window_hosts") == 0;
  const bool is_guest = strcmp(values[1], "slurm_window_guests") == 0;
  if (!is_hosts && !is_guest && strcmp(values[1], "slurm_window") != 0) return 0;
  if (hc_parse_int(values[2], strlen(values[2]), &key) < 0) return HC_EINPUT;
  if (hc_parse_real(values[5], strlen(values[5]), &value) < 0 || !(value > -9e9 && value < 9e9))
    return HC_EINPUT;
  if (is_guest) return hear_guest(r, key, values[3], value);
  return is_hosts ? hear_hosts(r, key, values[3], value) : hear_window(r, key, values[3], value);
}

hc_rc hc_verify_booked_read(const hc_allocator *a, hc_result *r, hc_verify_booked *out, hc_error *e)
{
  static const hc_number_table table = {.name = "reserved_by",
                                        .what = "reservations that tasks name",
                                        .columns = 2,
                                        .item = sizeof(hc_verify_booking),
                                        .take = take_name};
  const char *policy = hc_result_config(r, "policy");
  reading x = {.allocator = a, .out = out};
  void *rows = NULL;
  *out = (hc_verify_booked){0};
  if (!policy || strcmp(policy, "slurm") != 0) return 0;
  hc_rc rc = hc_number_table_read(&table, a, r, &rows, &out->booking_count, e);
  out->bookings = rows;
  if (rc < 0) return rc;
  rc = hc_result_rows(r, "cells", 6, hear_cell, &x, e);
  for (size_t i = 0; rc >= 0 && i < out->host_count; i++)
    if (x.hosts[i].window < 0 || x.hosts[i].window >= (int64_t)out->window_count) rc = HC_EINPUT;
  if (rc >= 0) rc = hc_fit(a, (void **)&x.windows, &x.window_cap, out->window_count, sizeof *x.windows);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.hosts, &x.host_cap, out->host_count, sizeof *x.hosts);
  if (rc >= 0) rc = hc_fit(a, (void **)&x.guests, &x.guest_cap, out->guest_count, sizeof *x.guests);
  out->windows = x.windows;
  out->hosts = x.hosts;
  out->guests = x.guests;
  if (rc >= 0) return out->window_count > 0;
  hc_free(a, x.windows, x.window_cap * sizeof *x.windows);
  hc_free(a, x.hosts, x.host_cap * sizeof *x.hosts);
  hc_free(a, x.guests, x.guest_cap * sizeof *x.guests);
  out->windows = NULL;
  out->hosts = NULL;
  out->guests = NULL;
  out->window_count = out->host_count = out->guest_count = 0;
  return rc == HC_EINPUT
             ? hc_fail(e, rc, hc_result_path(r), 0, 0, "its cells of reservations (slurm_window) are none")
             : rc;
}

void hc_verify_booked_free(const hc_allocator *a, hc_verify_booked *b)
{
  hc_free(a, (void *)(uintptr_t)b->bookings, b->booking_count * sizeof *b->bookings);
  hc_free(a, (void *)(uintptr_t)b->windows, b->window_count * sizeof *b->windows);
  hc_free(a, (void *)(uintptr_t)b->hosts, b->host_count * sizeof *b->hosts);
  hc_free(a, (void *)(uintptr_t)b->guests, b->guest_count * sizeof *b->guests);
  *b = (hc_verify_booked){0};
}

/* ---- the rule ---- */

typedef hc_verify_occurrence window;

typedef struct looking {
  hc_check *c;
  const hc_verify_booked *b;
  hc_verify_booking *sorted; /* [booking_count] by serial */
  hc_map ranks;              /* serial -> rank */
  bool knows_limits;
} looking;

static int by_serial(const void *a, const void *b)
{
  const hc_verify_booking *x = a, *y = b;
  if (x->serial != y->serial) return x->serial < y->serial ? -1 : 1;
  return (x->reservation > y->reservation) - (x->reservation < y->reservation);
}

static size_t first_of(const looking *l, int64_t serial)
{
  size_t low = 0, high = l->b->booking_count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (l->sorted[mid].serial < serial) low = mid + 1;
    else high = mid;
  }
  return low;
}

static bool names_any(const looking *l, int64_t serial)
{
  const size_t at = first_of(l, serial);
  return at < l->b->booking_count && l->sorted[at].serial == serial;
}

static bool names(const looking *l, int64_t serial, int64_t reservation)
{
  for (size_t i = first_of(l, serial); i < l->b->booking_count && l->sorted[i].serial == serial; i++)
    if (l->sorted[i].reservation == reservation) return true;
  return false;
}

static bool has_host(const hc_verify_booked *b, size_t w, uint32_t host)
{
  for (size_t i = 0; i < b->host_count; i++) {
    const hc_verify_window_hosts *h = &b->hosts[i];
    if (h->window == (int64_t)w && (int64_t)host >= h->first && (int64_t)host - h->first < h->count)
      return true;
  }
  return false;
}

static bool has_hosts(const hc_verify_booked *b, size_t w, const hc_verify_grant *grants, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!has_host(b, w, grants[i].host)) return false;
  return true;
}

static bool is_listed(const looking *l, int64_t of, int64_t user, int64_t account)
{
  for (size_t i = 0; i < l->b->guest_count; i++) {
    const hc_verify_window_guest *g = &l->b->guests[i];
    if (g->of == of && (user >= 0 ? g->user == user : account >= 0 && g->account == account)) return true;
  }
  return false;
}

/* Is it of the users and accounts that an occurrence is for? */
static bool lets_in(const looking *l, const window *w, const hc_task_record *r)
{
  if (w->of < 0 || (w->flags & IS_OPEN)) return true;
  if ((w->flags & NAMES_USERS) && is_listed(l, w->of, r->user, -1) == ((w->flags & NOT_USERS) != 0))
    return false;
  if (!(w->flags & NAMES_ACCOUNTS) || r->group < 0) return true;
  return is_listed(l, w->of, -1, r->group) != ((w->flags & NOT_ACCOUNTS) != 0);
}

/* The occurrence that a task is in: one that it names and that was at hand, best one that lasts at its start
 * and has all its hosts, else one that lasts, else one of FLEX. NULL: there is none.
 * @param of  one that lets the task in whose record this is; NULL: any */
static const window *own_of(const looking *l, int64_t serial, const hc_task_record *of, hc_time start,
                            const hc_verify_grant *grants, size_t count)
{
  const window *lasts = NULL, *flex = NULL;
  for (size_t i = 0; i < l->b->window_count; i++) {
    const window *w = &l->b->windows[i];
    if (w->known > start || !names(l, serial, w->reservation) || (of && !lets_in(l, w, of))) continue;
    if (w->flags & FLEX) flex = w;
    if (w->start > start || start >= w->end) continue;
    if (has_hosts(l->b, i, grants, count)) return w;
    lasts = w;
  }
  return lasts ? lasts : flex;
}

static hc_time limit_end(const hc_checked *t, const hc_task_record *r)
{
  const hc_time limit = r->limit > 0 ? HC_MIN(r->limit, t->estimate) : t->estimate;
  return limit == HC_NEVER ? HC_NEVER : hc_time_add(t->start, limit);
}

/* Of a task on a host: no window that is another's is in its way. */
static hc_rc check_others(looking *l, uint32_t rank, uint32_t host, const window *own)
{
  const hc_checked *t = &l->c->tasks[rank];
  const int64_t flags = own ? own->flags : 0;
  const hc_time until = l->knows_limits ? limit_end(t, &l->c->records[t->record]) : HC_NEVER;
  if (flags & MAINT) return 0;
  for (size_t i = 0; i < l->b->window_count; i++) {
    const window *w = &l->b->windows[i];
    if (w == own || w->known > t->start || w->end <= t->start) continue;
    if ((flags & OVERLAP) && !(w->flags & MAINT)) continue;
    if (own && w->reservation == own->reservation && (own->flags & RECURS)) continue;
    if (!(w->flags & ALL_NODES) && !has_host(l->b, i, host)) continue;
    hc_held_to(l->c, HC_RULE_RESERVED, 1);
    if (w->start <= t->start)
      return hc_find_on(l->c, HC_FOUND_IN_RESERVED, t->start, rank, host, 0, w->start, w->end);
    if (until != HC_NEVER && until >= w->start + HC_SECOND)
      return hc_find_on(l->c, HC_FOUND_INTO_RESERVED, t->start, rank, host, 0, w->start, until);
  }
  return 0;
}

/* Is it in its reservation? @param grants [count] what it had */
static hc_rc check_own(looking *l, uint32_t rank, const window *own, const hc_verify_grant *grants,
                       size_t count)
{
  const hc_checked *t = &l->c->tasks[rank];
  const hc_time until = own ? hc_time_add(own->end, own->over_run) : HC_NEVER;
  hc_held_to(l->c, HC_RULE_RESERVED, 1);
  if (!own) {
    const window *other = own_of(l, hc_serial_of(l->c, rank), NULL, t->start, grants, count);
    if (other)
      return hc_find(l->c, HC_FOUND_NOT_ITS_GUEST, t->start, rank, UINT32_MAX, other->start, other->end);
  }
  if (!own) return hc_find(l->c, HC_FOUND_OUT_OF_ITS_TIME, t->start, rank, UINT32_MAX, 0, 0);
  for (size_t i = 0; i < count && !(own->flags & FLEX); i++)
    if (!has_host(l->b, (size_t)(own - l->b->windows), grants[i].host))
      return hc_find_on(l->c, HC_FOUND_OUT_OF_ITS_HOSTS, t->start, rank, grants[i].host, 0, own->start,
                        own->end);
  if ((own->flags & (FLEX | RECURS)) || t->end == HC_NEVER || t->end < until + HC_SECOND) return 0;
  return hc_find(l->c, HC_FOUND_OUTLASTS, t->start, rank, UINT32_MAX, own->end, t->end);
}

static hc_rc check_task(looking *l, uint32_t rank, const hc_verify_grant *grants, size_t count)
{
  const hc_checked *t = &l->c->tasks[rank];
  const int64_t serial = hc_serial_of(l->c, rank);
  const window *own = NULL;
  if (t->start == HC_UNKNOWN || (l->c->records[t->record].flags & HC_TASK_PREFILL)) return 0;
  if (names_any(l, serial)) {
    own = own_of(l, serial, &l->c->records[t->record], t->start, grants, count);
    TRY(check_own(l, rank, own, grants, count));
  }
  for (size_t i = 0; i < count; i++) TRY(check_others(l, rank, grants[i].host, own));
  return 0;
}

/* Grants of one task follow each other. */
static hc_rc check_all(looking *l)
{
  hc_check *c = l->c;
  const hc_verify_hosts *h = c->options->hosts;
  for (uint32_t i = 0; i < c->count; i++) {
    const int64_t serial = c->records[c->tasks[i].record].serial;
    if (serial >= 0) TRY(hc_map_set(&l->ranks, (uint64_t)serial, i));
  }
  for (size_t i = 0, end; i < h->grant_count; i = end) {
    const int64_t serial = h->grants[i].serial;
    for (end = i + 1; end < h->grant_count && h->grants[end].serial == serial;) end++;
    const uint32_t rank = serial >= 0 ? hc_map_get(&l->ranks, (uint64_t)serial) : HC_MAP_NONE;
    if (rank != HC_MAP_NONE) TRY(check_task(l, rank, h->grants + i, end - i));
  }
  return 0;
}

hc_rc hc_check_booked(hc_check *c)
{
  const hc_verify_options *o = c->options;
  const hc_verify_booked *b = o->booked;
  const size_t room = b ? b->booking_count * sizeof *b->bookings : 0;
  looking l = {.c = c,
               .b = b,
               .knows_limits =
                   !o->stops && !o->rates && !o->regrants && (!o->told || o->told->loss_count == 0)};
  if (!b || !o->hosts) return 0;
  l.sorted = hc_alloc(c->allocator, room + 1);
  if (!l.sorted) return HC_ENOMEM;
  if (room > 0) memcpy(l.sorted, b->bookings, room);
  qsort(l.sorted, b->booking_count, sizeof *l.sorted, by_serial);
  hc_map_init(&l.ranks, c->allocator);
  const hc_rc rc = check_all(&l);
  hc_map_fini(&l.ranks);
  hc_free(c->allocator, l.sorted, room + 1);
  return rc;
}
