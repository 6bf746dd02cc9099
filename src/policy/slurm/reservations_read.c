/* reservations_read.c -- reservations out of what scontrol and sacctmgr print of them: see reservations.h.
 *
 * scontrol: records of KEY=value, each from one ReservationName= to the next, on one line (-o) or several.
 * Flags are words between commas: MAINT, OVERLAP, FLEX, ALL_NODES, PART_NODES, HOURLY, DAILY, WEEKDAY,
 * WEEKEND and WEEKLY decide something; how a reservation was made (IGNORE_JOBS, SPEC_NODES, STATIC,
 * FIRST_CORES) and what becomes of its jobs that wait when it ends (NO_HOLD_JOBS_AFTER) decides nothing
 * here. A name in Users or Accounts with a minus leaves that one out.
 *
 * sacctmgr: titles and rows between bars; Name, TimeStart, TimeEnd and NodeName are looked at, and Flags.
 * Which users they had is numbers of associations there, so that a job may use each that it names.
 *
 * Source: scontrol(1), sacctmgr(1) of Slurm 22.05. Cost: O(bytes + nodes). */
#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/hostlist.h"
#include "base/input.h"
#include "base/lexer.h"
#include "base/slurm_conf.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/reservations.h"

enum { MOST_COLUMNS = 64 };

/* A piece of a line. */
typedef struct piece {
  const char *s;
  size_t n;
} piece;

typedef struct reading {
  hc_slurm_reservations *r;
  const hc_slurm_reserving *how;
  hc_names hosts; /* of the cell, in their order */
  const char *file;
  /* of the record at hand */
  hc_slurm_reservation x;
  uint64_t *nodes; /* NULL: no record has begun */
  uint32_t line;   /* where it begins */
  uint32_t at;     /* the line that is read */
  /* columns of a table; -1: it has not got it */
  int name, start, end, list, flags;
} reading;

static hc_rc wrong(const reading *d, piece v, const char *key, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, d->file, d->at, 0, "%s=%.*s: %s", key, (int)HC_MIN(v.n, (size_t)80), v.s,
                 what);
}

static bool is(piece p, const char *word)
{
  return p.n == strlen(word) && memcmp(p.s, word, p.n) == 0;
}

static bool is_nothing(piece v)
{
  return v.n == 0 || is(v, "(null)") || is(v, "None");
}

static hc_rc note(reading *d, const char *word, size_t n)
{
  uint32_t id;
  return hc_names_add(&d->r->noted, word, n, &id);
}

/* ---- values ---- */

/* Each word between commas. */
static hc_rc each(reading *d, piece list, hc_rc (*take)(reading *d, piece word, hc_error *e), hc_error *e)
{
  for (const char *at = list.s, *end = list.s + list.n; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const piece word = {at, (size_t)((comma ? comma : end) - at)};
    if (word.n > 0) TRY(take(d, word, e));
    at = comma ? comma + 1 : end;
  }
  return 0;
}

static hc_rc take_flag(reading *d, piece word, hc_error *e)
{
  static const struct {
    const char *word;
    uint32_t flag;
    hc_slurm_recurrence every;
  } known[] = {{"MAINT", HC_SLURM_MAINT, HC_SLURM_ONCE},
               {"OVERLAP", HC_SLURM_OVERLAP, HC_SLURM_ONCE},
               {"FLEX", HC_SLURM_FLEX, HC_SLURM_ONCE},
               {"ALL_NODES", HC_SLURM_ALL_NODES, HC_SLURM_ONCE},
               {"PART_NODES", HC_SLURM_PART_NODES, HC_SLURM_ONCE},
               {"HOURLY", 0, HC_SLURM_HOURLY},
               {"DAILY", 0, HC_SLURM_DAILY},
               {"WEEKDAY", 0, HC_SLURM_WEEKDAY},
               {"WEEKEND", 0, HC_SLURM_WEEKEND},
               {"WEEKLY", 0, HC_SLURM_WEEKLY}};
  static const char *const idle[] = {"IGNORE_JOBS",  "SPEC_NODES",  "STATIC",    "NO_HOLD_JOBS_AFTER_END",
                                     "NO_HOLD_JOBS", "FIRST_CORES", "ANY_NODES", "USER_DELETE"};
  if (is(word, "TIME_FLOAT"))
    return wrong(d, word, "Flags",
                 "a reservation whose begin moves with the clock is not modelled: leave this record out", e);
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++) {
    if (!is(word, known[i].word)) continue;
    d->x.flags |= known[i].flag;
    if (known[i].every != HC_SLURM_ONCE) d->x.every = known[i].every;
    return 0;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(idle); i++)
    if (is(word, idle[i])) return 0;
  const char *equals = memchr(word.s, '=', word.n);
  return note(d, word.s, equals ? (size_t)(equals - word.s) : word.n);
}

static hc_rc take_name(reading *d, piece word, const char *const **names, size_t *count, uint32_t not_flag)
{
  const bool is_not = word.s[0] == '-';
  const char *text = hc_arena_text(&d->r->texts, word.s + is_not, word.n - is_not);
  const char **more = hc_arena_alloc(&d->r->texts, (*count + 1) * sizeof *more);
  if (!text || !more) return HC_ENOMEM;
  if (*count > 0) memcpy(more, *names, *count * sizeof *more);
  more[(*count)++] = text;
  *names = more;
  if (is_not) d->x.flags |= not_flag;
  return 0;
}

static hc_rc take_user(reading *d, piece word, hc_error *e)
{
  HC_UNUSED(e);
  return take_name(d, word, &d->x.users, &d->x.user_count, HC_SLURM_NOT_USERS);
}

static hc_rc take_account(reading *d, piece word, hc_error *e)
{
  HC_UNUSED(e);
  return take_name(d, word, &d->x.accounts, &d->x.account_count, HC_SLURM_NOT_ACCOUNTS);
}

static hc_rc take_node(void *ctx, const char *name, hc_error *e)
{
  reading *d = ctx;
  const uint32_t host = hc_names_find(&d->hosts, name, strlen(name));
  HC_UNUSED(e);
  if (host == HC_MAP_NONE) d->r->unknown_nodes++;
  else hc_bit_put(d->nodes, host, true);
  return 0;
}

static hc_rc take_nodes(reading *d, piece v, hc_error *e)
{
  const char *text;
  if (is_nothing(v)) return 0;
  text = hc_arena_text(&d->r->texts, v.s, v.n);
  if (!text) return HC_ENOMEM;
  const hc_hostlist list = {
      .text = text, .wrong = HC_EINPUT, .where = d->file, .line = d->at, .take = take_node, .ctx = d};
  return hc_hostlist_each(&list, e);
}

static hc_rc take_time(reading *d, piece v, const char *key, int64_t *out, hc_error *e)
{
  if (hc_read_stamp(v.s, v.n, d->r->zone, INT64_MIN, out)) return 0;
  return wrong(d, v, key, "expected a date such as 2024-05-01T09:00:00", e);
}

/* ---- a record ---- */

static hc_rc begin(reading *d, piece name)
{
  hc_lexicon *l = d->how->context->lexicon;
  d->x = (hc_slurm_reservation){.partition = HC_NO_NAME, .start = INT64_MIN, .end = INT64_MIN};
  d->x.name = hc_lexicon_name(l, name.s, name.n);
  d->nodes = hc_arena_alloc(&d->r->texts, d->r->words * sizeof *d->nodes);
  d->line = d->at;
  return d->x.name == HC_NO_NAME || !d->nodes ? HC_ENOMEM : 0;
}

/* The record is over. One of no nodes keeps nothing. */
static hc_rc finish(reading *d, hc_error *e)
{
  hc_slurm_reservations *r = d->r;
  bool is_empty = true;
  if (!d->nodes) return 0;
  if (d->x.start == INT64_MIN || d->x.end == INT64_MIN || d->x.end <= d->x.start)
    return hc_fail(e, HC_EINPUT, d->file, d->line, 0,
                   "the reservation %.80s has no StartTime and an EndTime behind it",
                   hc_lexicon_text(d->how->context->lexicon, d->x.name));
  d->x.nodes = d->nodes;
  for (uint32_t w = 0; w < r->words; w++) is_empty &= d->nodes[w] == 0;
  d->nodes = NULL;
  if (is_empty) return 0;
  TRY(hc_reserve(r->allocator, (void **)&r->items, &r->cap, r->count + 1, sizeof *r->items));
  r->items[r->count++] = d->x;
  return 0;
}

static hc_rc take_partition(reading *d, piece v)
{
  char text[256];
  if (is_nothing(v) || v.n >= sizeof text) return 0;
  memcpy(text, v.s, v.n);
  text[v.n] = '\0';
  d->x.partition = d->how->partition(d->how->ctx, text);
  return 0;
}

static hc_rc take_pair(reading *d, piece key, piece v, hc_error *e)
{
  if (is(key, "StartTime")) return take_time(d, v, "StartTime", &d->x.start, e);
  if (is(key, "EndTime")) return take_time(d, v, "EndTime", &d->x.end, e);
  if (is(key, "Nodes")) return take_nodes(d, v, e);
  if (is(key, "PartitionName")) return take_partition(d, v);
  if (is(key, "Flags") && !is_nothing(v)) return each(d, v, take_flag, e);
  if (is(key, "Users") && !is_nothing(v)) return each(d, v, take_user, e);
  if (is(key, "Accounts") && !is_nothing(v)) return each(d, v, take_account, e);
  if (is(key, "CoreIDs"))
    return wrong(
        d, v, "CoreIDs",
        "reservations are of whole nodes here, and this one has some of a node's cores: leave it out", e);
  if (is(key, "Groups") && !is_nothing(v)) {
    d->x.flags |= HC_SLURM_IS_OPEN;
    return note(d, "Groups", strlen("Groups"));
  }
  if ((is(key, "Licenses") || is(key, "MaxStartDelay")) && !is_nothing(v)) return note(d, key.s, key.n);
  return 0;
}

/* A line of a record: pairs between blanks. */
static hc_rc take_line(reading *d, const char *line, size_t n, hc_error *e)
{
  for (const char *at = line, *end = line + n; at < end;) {
    if (hc_is_blank(*at)) {
      at++;
      continue;
    }
    const char *stop = at, *equals;
    while (stop < end && !hc_is_blank(*stop)) stop++;
    equals = memchr(at, '=', (size_t)(stop - at));
    const piece key = {at, equals ? (size_t)(equals - at) : (size_t)(stop - at)};
    const piece v = {equals ? equals + 1 : stop, equals ? (size_t)(stop - equals) - 1 : 0};
    if (is(key, "ReservationName")) {
      TRY(finish(d, e));
      TRY(begin(d, v));
    } else if (d->nodes) {
      TRY(take_pair(d, key, v, e));
    } else {
      return hc_fail(e, HC_EINPUT, d->file, d->at, 0,
                     "expected ReservationName=, as `scontrol show reservation` prints it, or the titles of "
                     "`sacctmgr -P show reservation`, got \"%.*s\"",
                     (int)HC_MIN((size_t)(stop - at), (size_t)60), at);
    }
    at = stop;
  }
  return 0;
}

/* ---- a table ---- */

static size_t cut(const char *line, size_t n, hc_field *fields)
{
  const hc_lexer l = {.separator = '|', .one_line = true};
  return HC_MIN(hc_lexer_cut(&l, line, n, fields, MOST_COLUMNS), (size_t)MOST_COLUMNS);
}

static bool is_title(const hc_field *f, const char *word)
{
  char text[32];
  if (f->length >= sizeof text) return false;
  memcpy(text, f->text, f->length);
  text[f->length] = '\0';
  return hc_conf_same(text, word);
}

static hc_rc take_titles(reading *d, const char *line, size_t n, hc_error *e)
{
  hc_field f[MOST_COLUMNS];
  const size_t count = cut(line, n, f);
  d->name = d->start = d->end = d->list = d->flags = -1;
  for (size_t i = 0; i < count; i++) {
    if (is_title(&f[i], "Name")) d->name = (int)i;
    if (is_title(&f[i], "TimeStart") || is_title(&f[i], "Start")) d->start = (int)i;
    if (is_title(&f[i], "TimeEnd") || is_title(&f[i], "End")) d->end = (int)i;
    if (is_title(&f[i], "NodeName") || is_title(&f[i], "NodeNames")) d->list = (int)i;
    if (is_title(&f[i], "Flags")) d->flags = (int)i;
  }
  if (d->name >= 0 && d->start >= 0 && d->end >= 0 && d->list >= 0) return 0;
  return hc_fail(
      e, HC_EINPUT, d->file, d->at, 0,
      "a table of reservations has the columns Name, TimeStart, TimeEnd and NodeName: sacctmgr -P show "
      "reservation format=name,start,end,nodenames,flags start=2024-01-01");
}

static hc_rc take_row(reading *d, const char *line, size_t n, hc_error *e)
{
  hc_field f[MOST_COLUMNS];
  const size_t count = cut(line, n, f);
  const int most = HC_MAX(HC_MAX(d->name, d->start), HC_MAX(d->end, d->list));
  if (count <= (size_t)most)
    return hc_fail(e, HC_EINPUT, d->file, d->at, 0, "a row of %zu fields, where the titles are more", count);
#define FIELD(i) ((piece){f[i].text, f[i].length})
  if (FIELD(d->name).n == 0) return 0;
  TRY(begin(d, FIELD(d->name)));
  TRY(take_time(d, FIELD(d->start), "TimeStart", &d->x.start, e));
  TRY(take_time(d, FIELD(d->end), "TimeEnd", &d->x.end, e));
  TRY(take_nodes(d, FIELD(d->list), e));
  if (d->flags >= 0 && (size_t)d->flags < count) TRY(each(d, FIELD(d->flags), take_flag, e));
#undef FIELD
  d->x.every = HC_SLURM_ONCE;
  d->x.flags |= HC_SLURM_IS_OPEN;
  return finish(d, e);
}

/* ---- a file ---- */

static hc_rc read_lines(reading *d, hc_input *in, hc_error *e)
{
  bool is_table = false, has_begun = false;
  char *line;
  size_t n;
  hc_rc rc;
  d->file = hc_input_name(in);
  while ((rc = hc_input_line(in, &line, &n, e)) > 0) {
    d->at = (uint32_t)HC_MIN(hc_input_lines(in), (uint64_t)UINT32_MAX);
    while (n > 0 && hc_is_blank(line[n - 1])) n--;
    if (n == 0) continue;
    if (!has_begun && strncmp(line, "No reservations", strlen("No reservations")) == 0) return 0;
    if (!has_begun && (is_table = memchr(line, '|', n) != NULL)) TRY(take_titles(d, line, n, e));
    else if (is_table) TRY(take_row(d, line, n, e));
    else TRY(take_line(d, line, n, e));
    has_begun = true;
  }
  return rc < 0 ? rc : finish(d, e);
}

static hc_rc name_hosts(reading *d)
{
  const hc_cell_spec *cell = d->how->context->cell;
  for (uint32_t h = 0; h < cell->units; h++) {
    uint32_t id;
    TRY(hc_names_add(&d->hosts, cell->host_names[h], strlen(cell->host_names[h]), &id));
  }
  return 0;
}

hc_rc hc_slurm_reservations_read(hc_slurm_reservations *r, const hc_slurm_reserving *how, const char *path,
                                 hc_error *e)
{
  reading d = {.r = r, .how = how};
  hc_input *in = NULL;
  hc_rc rc;
  hc_names_init(&d.hosts, r->allocator, UINT32_MAX);
  rc = name_hosts(&d);
  if (rc >= 0) rc = hc_input_open(r->allocator, path, &in, e);
  if (rc >= 0) rc = read_lines(&d, in, e);
  hc_input_free(in);
  hc_names_fini(&d.hosts);
  return rc;
}
