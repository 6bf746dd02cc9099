/* reservations.c -- see reservations.h.
 *
 * A question walks through all reservations: there are few. What decides between reservations of the same
 * nodes: a job of one with MAINT has its nodes in any case, of one with OVERLAP against all that have not
 * MAINT; every other job is kept from nodes of reservations that it does not name. Where a maintenance has
 * all nodes of a job's partition, or a reservation is of ALL_NODES, or of PART_NODES of that partition, the
 * job is sought a start behind it.
 *
 * A job that runs in a reservation when that ends, and ResvOverRun later, has timed out; one of a
 * reservation that recurs goes on, since the next occurrence has taken the place of the one that is over by
 * then, and so does one of a FLEX reservation.
 *
 * Not here: reservations of licences and burst buffers, cores of nodes that are not reserved whole (refused
 * when they are read), REPLACE, MAGNETIC, PURGE_COMP, MaxStartDelay (told). Source: reservations of Slurm
 * 22.05, as they behave (docs/slurm.md). */
#include "policy/slurm/reservations.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

#define DAY INT64_C(86400)
#define HOUR INT64_C(3600)
#define MOVES 10 /* a start is moved so often */

typedef hc_slurm_reservation one;

/* ---- birth ---- */

static hc_rc open_zone(hc_slurm_reservations *r, const char *zone, hc_error *e)
{
  if (!zone || !zone[0]) return 0;
  const hc_rc rc = hc_zone_open(r->allocator, zone, &r->zone);
  if (rc != HC_ENOTFOUND) return rc;
  return hc_fail(
      e, HC_EUSAGE, "policy slurm", 0, 0,
      "zone: no time zone \"%.80s\" in the tz database; give a name such as Europe/Berlin, or +01:00", zone);
}

hc_rc hc_slurm_reservations_init(hc_slurm_reservations *r, const hc_slurm_reserving *how,
                                 const hc_list *files, const char *zone, hc_error *e)
{
  const hc_policy_context *c = how->context;
  *r = (hc_slurm_reservations){.allocator = c->allocator, .lexicon = c->lexicon, .words = how->words};
  hc_arena_init(&r->texts, c->allocator);
  hc_names_init(&r->noted, c->allocator, UINT32_MAX);
  if (files->count == 0) return 0;
  r->is_known = true;
  if (c->unix_start == HC_UNKNOWN)
    return hc_fail(
        e, HC_EUSAGE, "policy.reservations", 0, 0,
        "reservations have dates, and when this run begins is not known: say `unix_start`, or use a "
        "trace that has dates");
  TRY(open_zone(r, zone, e));
  for (size_t i = 0; i < files->count; i++)
    TRY(hc_slurm_reservations_read(r, how, ((const char *const *)files->items)[i], e));
  return 0;
}

void hc_slurm_reservations_fini(hc_slurm_reservations *r)
{
  if (!r->allocator) return;
  hc_free(r->allocator, r->items, r->cap * sizeof *r->items);
  hc_free(r->allocator, r->past, r->past_cap * sizeof *r->past);
  hc_names_fini(&r->noted);
  hc_zone_free(r->zone);
  hc_arena_fini(&r->texts);
}

/* Which occurrence is at hand; all else is the configuration's. */
hc_rc hc_slurm_reservations_visit(hc_slurm_reservations *r, hc_visitor *v)
{
  size_t count = r->count;
  HC_VISIT(v, r->unread);
  HC_VISIT(v, count);
  if (count != r->count) return HC_EINPUT;
  for (size_t i = 0; i < r->count; i++) {
    HC_VISIT(v, r->items[i].start);
    HC_VISIT(v, r->items[i].end);
    HC_VISIT(v, r->items[i].known);
  }
  HC_VISIT_ARRAY(v, r->past, r->past_count, r->past_cap);
  return 0;
}

/* ---- occurrences ---- */

/* Seconds since 1970 as the clock on the wall shows them. */
static int64_t on_wall(const hc_slurm_reservations *r, int64_t t)
{
  return r->zone ? t + hc_zone_offset(r->zone, t) : t;
}

static int64_t from_wall(const hc_slurm_reservations *r, int64_t wall)
{
  return r->zone ? wall - hc_zone_offset(r->zone, wall - hc_zone_offset(r->zone, wall)) : wall;
}

static int64_t days_later(const hc_slurm_reservations *r, int64_t t, int64_t days)
{
  return from_wall(r, on_wall(r, t) + days * DAY);
}

/* Days from one occurrence to the next, seen when the first is over. */
static int64_t days_of(const hc_slurm_reservations *r, const one *x)
{
  const int64_t wall = on_wall(r, x->end), day = wall / DAY;
  const int weekday = (int)((day + 4) % 7); /* 1970 began on a Thursday; 0: Sunday */
  switch (x->every) {
    case HC_SLURM_DAILY: return 1;
    case HC_SLURM_WEEKLY: return 7;
    case HC_SLURM_WEEKDAY: return weekday == 5 ? 3 : weekday == 6 ? 2 : 1;
    case HC_SLURM_WEEKEND: return weekday == 0 ? 6 : weekday == 6 ? 1 : 6 - weekday;
    case HC_SLURM_ONCE:
    case HC_SLURM_HOURLY: break;
  }
  return 0;
}

/* The one at hand is over. */
static void keep_past(hc_slurm_reservations *r, size_t item)
{
  const one *x = &r->items[item];
  if (!r->allocator || r->is_past_lost) return;
  r->is_past_lost =
      hc_reserve(r->allocator, (void **)&r->past, &r->past_cap, r->past_count + 1, sizeof *r->past) < 0;
  if (r->is_past_lost) return;
  r->past[r->past_count++] = (hc_slurm_occurrence){item, x->start, x->end, x->known};
}

void hc_slurm_reservations_go_on(hc_slurm_reservations *r, int64_t now)
{
  for (size_t i = 0; i < r->count; i++) {
    one *x = &r->items[i];
    while (x->every != HC_SLURM_ONCE && x->end <= now) {
      const int64_t days = days_of(r, x);
      keep_past(r, i);
      x->known = x->end;
      x->start = days > 0 ? days_later(r, x->start, days) : x->start + HOUR;
      x->end = days > 0 ? days_later(r, x->end, days) : x->end + HOUR;
    }
  }
}

int64_t hc_slurm_reservations_next(const hc_slurm_reservations *r, int64_t now)
{
  int64_t at = INT64_MAX;
  for (size_t i = 0; i < r->count; i++) {
    const one *x = &r->items[i];
    if (x->start > now) at = HC_MIN(at, x->start);
    if (x->end > now) at = HC_MIN(at, x->end);
  }
  return at;
}

bool hc_slurm_reservations_rest(const hc_slurm_reservations *r, int64_t passed, int64_t heard, int64_t now)
{
  for (size_t i = 0; i < r->count; i++) {
    const one *x = &r->items[i];
    if (x->every == HC_SLURM_ONCE && x->end > passed) return false;
    if (x->every != HC_SLURM_ONCE && now < heard + 8 * DAY) return false;
  }
  return true;
}

/* ---- who may ---- */

static bool is_listed(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; name && i < count; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static bool may_use(const one *x, const hc_slurm_reserver *job)
{
  const bool not_users = (x->flags & HC_SLURM_NOT_USERS) != 0,
             not_accounts = (x->flags & HC_SLURM_NOT_ACCOUNTS) != 0;
  bool in_account = false;
  if (x->flags & HC_SLURM_IS_OPEN) return true;
  if (x->user_count > 0 && is_listed(x->users, x->user_count, job->user) == not_users) return false;
  if (x->account_count == 0) return true;
  for (size_t i = 0; i < job->line_count && !in_account; i++)
    in_account = is_listed(x->accounts, x->account_count, job->lines[i]);
  return in_account != not_accounts;
}

/* The one of a name that is at hand, or comes next; else the last that is over. NULL: there is none. */
static const one *find(const hc_slurm_reservations *r, uint32_t name, int64_t now)
{
  const one *best = NULL;
  for (size_t i = 0; i < r->count; i++) {
    const one *x = &r->items[i];
    if (x->name != name) continue;
    const bool is_over = x->end <= now, was_over = best && best->end <= now;
    if (!best || (was_over && !is_over) ||
        (was_over == is_over && (is_over ? x->end > best->end : x->start < best->start)))
      best = x;
  }
  return best;
}

/* The one at hand of those called so. NULL: there is none */
static const one *find_called(const hc_slurm_reservations *r, const char *name, size_t n, int64_t now)
{
  for (size_t i = 0; i < r->count; i++) {
    const char *text = hc_lexicon_text(r->lexicon, r->items[i].name);
    if (strlen(text) == n && memcmp(text, name, n) == 0) return find(r, r->items[i].name, now);
  }
  return NULL;
}

size_t hc_slurm_reservations_named(const hc_slurm_reservations *r, uint32_t named, int64_t now,
                                   uint32_t out[HC_TASK_RESERVATIONS])
{
  const char *list = named != HC_NO_NAME ? hc_lexicon_text(r->lexicon, named) : "";
  const one *found[HC_TASK_RESERVATIONS];
  size_t count = 0;
  out[0] = named;
  if (!strchr(list, ',')) return 1;
  for (size_t n; *list && count < HC_TASK_RESERVATIONS; list += n + (list[n] == ',')) {
    n = strcspn(list, ",");
    const one *x = find_called(r, list, n, now);
    size_t at = count;
    bool is_new = x != NULL;
    for (size_t i = 0; i < count; i++) is_new &= found[i] != x;
    if (!is_new) continue;
    for (; at > 0 && found[at - 1]->start > x->start; at--) found[at] = found[at - 1];
    found[at] = x;
    count++;
  }
  for (size_t i = 0; i < count; i++) out[i] = found[i]->name;
  return HC_MAX(count, 1);
}

hc_slurm_access hc_slurm_reservations_admit(const hc_slurm_reservations *r, const hc_slurm_reserver *job,
                                            int64_t now)
{
  const one *x = find(r, job->name, now);
  if (!x || !may_use(x, job)) return HC_SLURM_NEVER_MAY;
  if (x->every == HC_SLURM_ONCE && now >= x->end) return HC_SLURM_NEVER_MAY;
  if (x->flags & HC_SLURM_FLEX) return HC_SLURM_MAY;
  if (now < x->start) return HC_SLURM_NOT_NOW;
  return HC_SLURM_MAY;
}

int64_t hc_slurm_reservations_ends(const hc_slurm_reservations *r, const hc_slurm_reserver *job, int64_t now)
{
  const one *x = find(r, job->name, now);
  if (!x || (x->flags & HC_SLURM_FLEX) || x->every != HC_SLURM_ONCE || x->end > INT64_MAX - r->over_run)
    return INT64_MAX;
  return x->end + r->over_run;
}

/* ---- which nodes ---- */

static bool have_common(const uint64_t *a, const uint64_t *b, uint32_t words)
{
  for (uint32_t w = 0; w < words; w++)
    if (a[w] & b[w]) return true;
  return false;
}

static bool has_all(const uint64_t *a, const uint64_t *of, uint32_t words)
{
  for (uint32_t w = 0; w < words; w++)
    if (of[w] & ~a[w]) return false;
  return true;
}

static void take_away(uint64_t *nodes, const uint64_t *others, uint32_t words)
{
  for (uint32_t w = 0; w < words; w++) nodes[w] &= ~others[w];
}

static bool is_in_the_way(const one *x, int64_t from, int64_t to)
{
  return x->start < to && x->end > from;
}

/* Of a job that names a reservation. */
static bool leave_inside(const hc_slurm_reservations *r, const one *x, int64_t *when, int64_t limit,
                         uint64_t *nodes, bool *overlaps)
{
  const int64_t from = *when, to = from + limit;
  const bool is_flex = (x->flags & HC_SLURM_FLEX) != 0;
  if (!is_flex && *when < x->start) return false;
  if (!is_flex && *when > x->end) return false;
  for (uint32_t w = 0; w < r->words && !is_flex; w++) nodes[w] &= x->nodes[w];
  for (size_t i = 0; i < r->count; i++) {
    const one *y = &r->items[i];
    const bool before =
        (x->flags & HC_SLURM_MAINT) || ((x->flags & HC_SLURM_OVERLAP) && !(y->flags & HC_SLURM_MAINT));
    if (before || y == x || !is_in_the_way(y, from, to) || !have_common(nodes, y->nodes, r->words)) continue;
    *overlaps = true;
    take_away(nodes, y->nodes, r->words);
  }
  return true;
}

/* Does it keep all that the job could have? */
static bool keeps_all(const hc_slurm_reservations *r, const one *x, const hc_slurm_reserver *job)
{
  return (x->flags & HC_SLURM_ALL_NODES) ||
         ((x->flags & HC_SLURM_PART_NODES) && x->partition == job->partition) ||
         ((x->flags & HC_SLURM_MAINT) && has_all(x->nodes, job->nodes, r->words));
}

bool hc_slurm_reservations_leave(const hc_slurm_reservations *r, const hc_slurm_reserver *job, int64_t now,
                                 int64_t *when, int64_t limit, bool moves, uint64_t *nodes, bool *overlaps)
{
  const one *own = job->name != HC_NO_NAME ? find(r, job->name, now) : NULL;
  *overlaps = false;
  if (own) return leave_inside(r, own, when, limit, nodes, overlaps);
  for (int turn = 0;; turn++) {
    const one *wall = NULL;
    for (size_t i = 0; i < r->count && !wall; i++)
      if (is_in_the_way(&r->items[i], *when, *when + limit) && keeps_all(r, &r->items[i], job))
        wall = &r->items[i];
    if (!wall) break;
    if (!moves || turn == MOVES) return false;
    *when = wall->end;
  }
  for (size_t i = 0; i < r->count; i++) {
    const one *x = &r->items[i];
    if (!is_in_the_way(x, *when, *when + limit)) continue;
    *overlaps |= have_common(job->nodes, x->nodes, r->words);
    take_away(nodes, x->nodes, r->words);
  }
  return true;
}

bool hc_slurm_reservations_matter(const hc_slurm_reservations *r, int64_t now, int64_t until)
{
  for (size_t i = 0; i < r->count; i++)
    if (is_in_the_way(&r->items[i], now, until)) return true;
  return false;
}

int64_t hc_slurm_reservations_end(const hc_slurm_reservations *r, int64_t from, int64_t step)
{
  int64_t end = 0;
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].end >= from && (end == 0 || r->items[i].end < end)) end = r->items[i].end;
  if (end == 0 || end > INT64_MAX - step) return 0;
  return step > 0 ? (end + step - 1) / step * step : end;
}

/* ---- what is said ---- */

/* Ranges of its nodes, each a key of its own. */
static hc_rc tell_hosts(const hc_slurm_reservations *r, const one *x, int64_t window, int64_t *key,
                        hc_findings *f)
{
  static const char table[] = "slurm_window_hosts";
  const uint32_t nodes = r->words * 64;
  for (uint32_t h = 0; h < nodes; h++) {
    uint32_t end = h;
    while (end < nodes && (x->nodes[end / 64] >> end % 64 & 1)) end++;
    if (end == h) continue;
    TRY(hc_find_cell(f, table, *key, "window", "1", (double)window));
    TRY(hc_find_cell(f, table, *key, "first", "1", h));
    TRY(hc_find_cell(f, table, *key, "count", "hosts", end - h));
    ++*key;
    h = end;
  }
  return 0;
}

static hc_rc tell_one(const hc_slurm_reservations *r, const hc_slurm_occurrence *o, int64_t origin,
                      int64_t window, int64_t *key, hc_findings *f)
{
  static const char table[] = "slurm_window";
  const one *x = &r->items[o->item];
  const uint32_t flags = x->flags | (x->every != HC_SLURM_ONCE ? 256u : 0) | (x->user_count > 0 ? 512u : 0) |
                         (x->account_count > 0 ? 1024u : 0);
  TRY(hc_find_cell(f, table, window, "reservation", "1", x->name));
  TRY(hc_find_cell(f, table, window, "flags", "1", flags));
  TRY(hc_find_cell(f, table, window, "of", "1", (double)o->item));
  TRY(hc_find_cell(f, table, window, "start", "s", (double)(o->start - origin)));
  TRY(hc_find_cell(f, table, window, "end", "s", (double)(o->end - origin)));
  TRY(hc_find_cell(f, table, window, "known", "s", o->known > origin ? (double)(o->known - origin) : 0));
  TRY(hc_find_cell(f, table, window, "over_run", "s", (double)HC_MIN(r->over_run, INT64_C(8000000000))));
  return tell_hosts(r, x, window, key, f);
}

hc_rc hc_slurm_reservations_tell(const hc_slurm_reservations *r, int64_t origin, hc_findings *f)
{
  int64_t key = 0;
  if (r->is_past_lost) return HC_ENOMEM;
  for (size_t i = 0; i < r->past_count; i++) TRY(tell_one(r, &r->past[i], origin, (int64_t)i, &key, f));
  for (size_t i = 0; i < r->count; i++) {
    const one *x = &r->items[i];
    const hc_slurm_occurrence o = {i, x->start, x->end, x->known};
    TRY(tell_one(r, &o, origin, (int64_t)(r->past_count + i), &key, f));
  }
  return 0;
}

void hc_slurm_reservations_note(const hc_slurm_reservations *r, hc_buffer *out)
{
  const size_t begin = out->size;
  if (r->unread > 0)
    hc_buffer_printf(out,
                     "%llu jobs name a reservation, and run as those that name none: what reservations there "
                     "were `reservations` of the policy says",
                     (unsigned long long)r->unread);
  for (size_t i = 0; i < r->noted.count; i++)
    hc_buffer_printf(out, "%s%s%.80s",
                     i > 0               ? ", "
                     : out->size > begin ? "; "
                                         : "",
                     i > 0 ? "" : "not modelled of reservations: ", r->noted.names[i]);
  if (r->unknown_nodes > 0)
    hc_buffer_printf(out, "%snodes of reservations that the cell has not: %zu", out->size > begin ? "; " : "",
                     r->unknown_nodes);
}
