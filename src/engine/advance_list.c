/* advance_list.c -- advance reservations as they are written down.
 *
 * An entry of the run file is one, or names a table (`file`): a row for each, with titles that are the names
 * of the entry's parameters. What a row leaves out, or has no column for, is as the entry says. Several
 * hosts, users or accounts in a field are kept apart by blanks or semicolons. Times are as in the run file
 * (90, 9h), or dates in the zone of the run (2024-05-01 09:00), which need to know when it begins.
 *
 * Downtime that events announce ahead is one as well, which no task may use; its hosts are away then. So are
 * other changes of hosts that are announced, which close them otherwise (hc_advance_kind).
 *
 * Each is checked by itself here: what they cannot have together, and whether there are such hosts, is
 * settled in advance.c. Cost: one pass; memory in proportion to the rows, of which there may be 10,000. */
#include "engine/advance_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/table.h"
#include "base/util.h"
#include "engine/host_events.h"
#include "setup/calendar.h"

#define MOST_ROWS 10000
#define WHERE 320

enum column {
  NAME,
  HOSTS,
  COUNT,
  UNITS,
  USERS,
  ACCOUNTS,
  START,
  END,
  EVERY,
  TIMES,
  ANNOUNCED,
  AT_START,
  MAINTENANCE,
  COLUMNS
};
static const char *const titles[COLUMNS] = {"name",      "hosts",    "count",      "units", "users",
                                            "accounts",  "start",    "end",        "every", "times",
                                            "announced", "at_start", "maintenance"};

typedef struct list {
  hc_engine *e;
  hc_advance_item *items;
  size_t count, cap;
  hc_table t;
  size_t at[COLUMNS]; /* columns of the table; 0: it has none */
  int64_t unix_zero;
  hc_zone *zone; /* NULL: UTC */
  bool knows_dates;
} list;

/* ---- one by itself ---- */

static hc_rc wrong(hc_error *error, const char *where, const char *text)
{
  return hc_fail(error, HC_EUSAGE, where, 0, 0, "%s", text);
}

static hc_rc check_times(const hc_reservation_options *o, const char *where, hc_error *error)
{
  const bool recurs = o->every != HC_UNKNOWN;
  if (o->start == HC_UNKNOWN || o->end == HC_UNKNOWN)
    return wrong(
        error, where,
        "no time: say with `start` and `end` when it begins and ends; a maintenance without `end` is "
        "for good");
  if (o->end <= o->start)
    return wrong(error, where, "it ends before it begins: `end` must be later than `start`");
  if (o->announced > o->start)
    return wrong(error, where,
                 "it is announced after it has begun: `announced` must not be later than `start`");
  if (recurs != (o->times > 1))
    return wrong(error, where, "`every` and `times` go together: every: 1d, times: 5");
  if (recurs && o->end == HC_NEVER)
    return wrong(error, where,
                 "it is for good, and `every` says that it begins again: say with `end` when it ends");
  if (recurs && o->every < o->end - o->start)
    return wrong(error, where, "it begins again before it ends: `every` must be at least as long as it is");
  return 0;
}

static hc_rc check_amount(const hc_engine *e, const hc_reservation_options *o, const char *where,
                          hc_error *error)
{
  if (e->cell.hosts && o->units > 0)
    return wrong(error, where,
                 "`units` is an amount of counted processors, and this cell has hosts: say `hosts`, "
                 "or with `count` how many hosts");
  if (!e->cell.hosts && (o->hosts.count > 0 || o->count > 0))
    return wrong(error, where,
                 "`hosts` and `count` name hosts, and this cell counts processors: say `units`, or "
                 "use a cell of hosts");
  if (!e->cell.hosts && o->units == 0)
    return wrong(error, where, "an amount of 0 reserves nothing: say `units`");
  if (e->cell.hosts && o->count == 0 && o->hosts.count == 0)
    return wrong(error, where, "no host: say which with `hosts`, or how many with `count`");
  if (o->units > e->cell.capacity)
    return hc_fail(error, HC_EUSAGE, where, 0, 0,
                   "%" PRId64 " processors are reserved, and the cell has %" PRId64 ": reserve fewer",
                   o->units, e->cell.capacity);
  return 0;
}

static hc_rc check_item(const hc_engine *e, const hc_reservation_options *o, const char *where,
                        hc_error *error)
{
  const bool has_users = o->users.count + o->accounts.count > 0;
  TRY(check_times(o, where, error));
  if (!has_users && !o->maintenance)
    return wrong(
        error, where,
        "no task may use it: name `users` or `accounts`, or say `maintenance: true` for downtime that "
        "is announced");
  if (has_users && o->maintenance)
    return wrong(error, where,
                 "no task may run in a maintenance: leave out its `users` and `accounts`, or `maintenance`");
  return check_amount(e, o, where, error);
}

static hc_rc keep(list *l, const hc_reservation_options *o, const char *where, hc_error *error)
{
  if (l->count >= MOST_ROWS)
    return hc_fail(error, HC_ELIMIT, where, 0, 0, "more than %d reservations and announced downtimes",
                   MOST_ROWS);
  const char *kept = hc_arena_text(&l->e->build, where, strlen(where));
  if (!kept) return HC_ENOMEM;
  TRY(hc_reserve(l->e->allocator, (void **)&l->items, &l->cap, l->count + 1, sizeof *l->items));
  l->items[l->count++] = (hc_advance_item){.o = *o, .where = kept};
  return 0;
}

/* A maintenance without an end is for good. */
static hc_rc add(list *l, const hc_reservation_options *o, const char *where, hc_error *error)
{
  hc_reservation_options x = *o;
  if (x.maintenance && x.end == HC_UNKNOWN) x.end = HC_NEVER;
  TRY(check_item(l->e, &x, where, error));
  return keep(l, &x, where, error);
}

/* ---- a table ---- */

static hc_rc find_columns(list *l, const hc_reservation_options *entry, hc_error *error)
{
  hc_table *t = &l->t;
  const hc_rc rc = hc_table_next(t, error);
  if (rc < 0) return rc;
  if (hc_table_keep_titles(t) < 0) return HC_ENOMEM;
  for (size_t i = 1; i <= t->title_count; i++) {
    int k = 0;
    while (k < COLUMNS && hc_table_column(t, titles[k]) != i) k++;
    if (k == COLUMNS)
      return hc_table_fail(
          t, i, error,
          "no column of reservations is called \"%.80s\": they are name, hosts, count, units, "
          "users, accounts, start, end, every, times, announced, at_start and maintenance",
          t->titles[i - 1]);
    l->at[k] = i;
  }
  if (rc == 0 || l->at[START] == 0 || (l->at[END] == 0 && l->at[MAINTENANCE] == 0 && !entry->maintenance))
    return hc_fail(error, HC_EINPUT, t->name, 1, 0,
                   "the first row must be titles, with start and end among them, as in "
                   "name,hosts,users,start,end");
  return 0;
}

static bool has(const list *l, int k)
{
  return l->at[k] > 0 && hc_table_size(&l->t, l->at[k]) > 0;
}

/* Texts kept apart by blanks or semicolons; brackets may hold anything. */
static hc_rc read_list(list *l, int k, hc_list *out)
{
  const char *s = hc_table_text(&l->t, l->at[k]);
  const size_t n = strlen(s);
  const char **items;
  if (!has(l, k)) return 0;
  items = hc_arena_alloc(&l->e->build, (n + 1) * sizeof *items);
  if (!items) return HC_ENOMEM;
  *out = (hc_list){.items = items};
  for (size_t i = 0, end; i < n; i = end) {
    int depth = 0;
    for (end = i; end < n && (depth > 0 || !strchr(" \t;", s[end])); end++)
      depth += (s[end] == '[') - (s[end] == ']');
    if (end == i) end++;
    else if (!(items[out->count++] = hc_arena_text(&l->e->build, s + i, end - i))) return HC_ENOMEM;
  }
  return 0;
}

/* When the run begins, by the calendar, and in which zone. */
static hc_rc know_dates(list *l, hc_error *error)
{
  const hc_engine *e = l->e;
  const char *zone = e->options->zone ? e->options->zone : hc_stream_info(e->stream)->zone;
  int32_t offset;
  if (l->knows_dates) return 0;
  l->unix_zero = HC_UNKNOWN;
  TRY(hc_calendar_at_origin(e->allocator, e->options, hc_stream_info(e->stream), &l->unix_zero, &offset,
                            error));
  if (zone && l->unix_zero != HC_UNKNOWN) TRY(hc_zone_open(e->allocator, zone, &l->zone));
  l->knows_dates = true;
  return 0;
}

/* @return 1: it is a date, and `out` how long after the run begins that is */
static hc_rc read_date(list *l, int k, hc_time *out, hc_error *error)
{
  const hc_moment_format iso = {.kind = HC_MOMENT_ISO};
  const hc_field f = {.text = hc_table_text(&l->t, l->at[k]), .length = hc_table_size(&l->t, l->at[k])};
  hc_time at, zero;
  if (!hc_field_moment(&f, &iso, NULL, &at)) return 0;
  TRY(know_dates(l, error));
  if (l->unix_zero == HC_UNKNOWN)
    return hc_table_fail(
        &l->t, l->at[k], error,
        "%s: a date, and nothing says when the run begins: set `unix_start`, or write how long "
        "after its beginning that is",
        titles[k]);
  if (!hc_field_moment(&f, &iso, l->zone, &at) || __builtin_mul_overflow(l->unix_zero, HC_SECOND, &zero) ||
      __builtin_sub_overflow(at, zero, out) || *out < 0)
    return hc_table_fail(&l->t, l->at[k], error, "%s: \"%.40s\" is before the run begins", titles[k], f.text);
  return 1;
}

static hc_rc read_time(list *l, int k, hc_time *out, hc_error *error)
{
  const char *s = hc_table_text(&l->t, l->at[k]);
  if (!has(l, k)) return 0;
  const hc_rc rc = read_date(l, k, out, error);
  if (rc != 0) return HC_MIN(rc, 0);
  if (hc_parse_time(s, strlen(s), out) == 0 && *out >= 0 && *out != HC_NEVER) return 0;
  return hc_table_fail(&l->t, l->at[k], error,
                       "%s: expected a time (90, 9h, 1d12h) or a date (2024-05-01 09:00), got \"%.80s\"",
                       titles[k], s);
}

static hc_rc read_number(list *l, int k, int64_t least, int64_t most, int64_t *out, hc_error *error)
{
  if (!has(l, k)) return 0;
  if (hc_table_whole(&l->t, l->at[k], out) && *out >= least && *out <= most) return 0;
  return hc_table_fail(&l->t, l->at[k], error,
                       "%s: expected a whole number from %" PRId64 " to %" PRId64 ", got \"%.80s\"",
                       titles[k], least, most, hc_table_text(&l->t, l->at[k]));
}

/* @param words "keep|stop|..." */
static hc_rc read_word(list *l, int k, const char *words, int *out, hc_error *error)
{
  const char *s = hc_table_text(&l->t, l->at[k]), *w = words;
  if (!has(l, k)) return 0;
  for (int i = 0;; i++) {
    const size_t n = strcspn(w, "|");
    if (strlen(s) == n && memcmp(s, w, n) == 0) {
      *out = i;
      return 0;
    }
    if (w[n] == '\0') break;
    w += n + 1;
  }
  return hc_table_fail(&l->t, l->at[k], error, "%s: expected one of %s, got \"%.80s\"", titles[k], words, s);
}

static hc_rc read_row(list *l, hc_reservation_options *o, hc_error *error)
{
  int yes = o->maintenance;
  if (has(l, NAME) && !(o->name = hc_arena_text(&l->e->build, hc_table_text(&l->t, l->at[NAME]),
                                                hc_table_size(&l->t, l->at[NAME]))))
    return HC_ENOMEM;
  TRY(read_list(l, HOSTS, &o->hosts));
  TRY(read_list(l, USERS, &o->users));
  TRY(read_list(l, ACCOUNTS, &o->accounts));
  TRY(read_number(l, COUNT, 0, (int64_t)4e9, &o->count, error));
  TRY(read_number(l, UNITS, 0, (int64_t)1e12, &o->units, error));
  TRY(read_number(l, TIMES, 1, 100000, &o->times, error));
  TRY(read_time(l, START, &o->start, error));
  TRY(read_time(l, END, &o->end, error));
  TRY(read_time(l, EVERY, &o->every, error));
  TRY(read_time(l, ANNOUNCED, &o->announced, error));
  TRY(read_word(l, AT_START, HC_AT_STARTS, &o->at_start, error));
  TRY(read_word(l, MAINTENANCE, "false|true", &yes, error));
  o->maintenance = yes == 1;
  return 0;
}

static hc_rc read_rows(list *l, const hc_reservation_options *entry, hc_error *error)
{
  hc_rc rc;
  TRY(find_columns(l, entry, error));
  while ((rc = hc_table_next(&l->t, error)) > 0) {
    hc_reservation_options o = *entry;
    char where[WHERE];
    o.file = NULL;
    TRY(read_row(l, &o, error));
    (void)snprintf(where, sizeof where, "%.250s, line %" PRIu64, l->t.name, l->t.line);
    TRY(add(l, &o, where, error));
  }
  return rc;
}

static hc_rc read_file(list *l, const hc_reservation_options *entry, const char *where, hc_error *error)
{
  hc_rc rc;
  if (entry->start != HC_UNKNOWN || entry->end != HC_UNKNOWN || entry->name)
    return wrong(error, where,
                 "the rows of its `file` say `name`, `start` and `end`: leave them out beside it");
  memset(l->at, 0, sizeof l->at);
  rc = hc_table_open(&l->t, l->e->allocator, entry->file, error);
  if (rc >= 0) rc = read_rows(l, entry, error);
  hc_table_close(&l->t);
  return rc;
}

/* ---- all ---- */

static hc_rc read_all(list *l, hc_error *error)
{
  const hc_list *in = &l->e->options->reservations;
  const hc_chosen *items = in->items;
  for (size_t i = 0; i < in->count; i++) {
    const hc_reservation_options *o = items[i].options;
    char where[WHERE];
    (void)snprintf(where, sizeof where, o->name ? "reservation %zu (%.200s)" : "reservation %zu", i + 1,
                   o->name);
    if (o->file) TRY(read_file(l, o, where, error));
    else TRY(add(l, o, where, error));
  }
  return 0;
}

static hc_advance_kind kind_of(uint32_t what)
{
  switch ((hc_announced)what) {
    case HC_ANNOUNCED_DOWN: return HC_ADVANCE_KEPT;
    case HC_ANNOUNCED_DRAIN: return HC_ADVANCE_DRAIN;
    case HC_ANNOUNCED_UP: return HC_ADVANCE_AWAY;
    case HC_ANNOUNCED_RESIZE: return HC_ADVANCE_RESIZE;
  }
  return HC_ADVANCE_KEPT;
}

/* Which of the devices of a host it is that go, and what is on them then, is not known ahead. */
static hc_rc check_resize(const list *l, const hc_downtime *d, const char *where, hc_error *error)
{
  const hc_cell_spec *s = &l->e->cell_spec;
  if (kind_of(d->what) != HC_ADVANCE_RESIZE || !d->capacity || d->capacity[HC_DIM_GPU] == HC_UNKNOWN)
    return 0;
  for (size_t i = 0; i < d->count; i++)
    for (uint32_t k = 0; k < d->hosts[i].count; k++)
      if (s->classes[s->class_of[d->hosts[i].first + k]].devices > 0)
        return hc_fail(
            error, HC_EUNSUPPORTED, where, 0, 0,
            "a change of GPUs that is announced: which of them go, and what is on them then, is not "
            "known ahead: leave out `announced`, or `gpus`");
  return 0;
}

/* What runs on its hosts when they leave is lost: nothing is left to be told of. */
static hc_rc add_downtime(list *l, uint32_t source, const hc_downtime *d, hc_error *error)
{
  char where[WHERE];
  const hc_advance_kind kind = kind_of(d->what);
  const hc_reservation_options o = {.start = d->start,
                                    .end = d->end,
                                    .every = HC_UNKNOWN,
                                    .times = 1,
                                    .announced = d->announced,
                                    .at_start = HC_AT_START_KEEP,
                                    .maintenance = true};
  (void)snprintf(where, sizeof where, "%.200s, %s %" PRIu64, d->of, d->word, d->place);
  if (d->start == d->end && kind != HC_ADVANCE_RESIZE) return 0;
  TRY(check_resize(l, d, where, error));
  TRY(keep(l, &o, where, error));
  hc_advance_item *x = &l->items[l->count - 1];
  x->on = d->hosts;
  x->on_count = d->count;
  x->source = source;
  x->kind = kind;
  x->capacity = d->capacity;
  return 0;
}

static hc_rc add_downtimes(list *l, hc_error *error)
{
  hc_downtime d = {0};
  uint32_t source;
  for (size_t i = 0; hc_host_events_announced(l->e, i, &source, &d); i++)
    TRY(add_downtime(l, source, &d, error));
  return 0;
}

hc_rc hc_advance_list(hc_engine *e, hc_advance_item **out, size_t *count, hc_error *error)
{
  list l = {.e = e};
  hc_rc rc = read_all(&l, error);
  if (rc >= 0) rc = add_downtimes(&l, error);
  *count = l.count;
  if (rc >= 0) {
    *out = hc_arena_alloc(&e->build, l.count * sizeof **out + 1);
    if (!*out) rc = HC_ENOMEM;
    else if (l.count > 0) memcpy(*out, l.items, l.count * sizeof **out);
  }
  if (l.zone) hc_zone_free(l.zone);
  hc_free(e->allocator, l.items, l.cap * sizeof *l.items);
  return rc;
}
