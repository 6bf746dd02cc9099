/* file.c -- events of hosts from a table, row by row, in bounded memory.
 *
 * Titles say what the columns are: at, host, change, announced, and one for each amount that a resize may
 * set. A host may be several (c-[0-4]); then they change one after the other at the same time. Rows must be
 * in order of time, since the file is never held as a whole. Where some are announced ahead it is read twice:
 * at first for those, which stay in memory, and when their hosts come back. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/table.h"
#include "base/util.h"
#include "cluster/downtimes.h"
#include "cluster/host_find.h"
#include "cluster/host_rules.h"

#define MOST_AMOUNTS 64

typedef struct options {
  const char *file;
} options;

struct hc_events {
  const hc_allocator *allocator;
  hc_lexicon *lexicon;
  hc_table t;
  hc_host_finder f;
  size_t at, host, change; /* columns */
  size_t announced;        /* 0: it has none */
  size_t amounts[MOST_AMOUNTS];
  size_t amount_count;
  struct {               /* plain state */
    hc_host_event event; /* of the current row */
    uint64_t range;      /* of `hosts`, where the next host is */
    uint32_t offset, unused;
  } s;
  hc_host_ranges hosts; /* state: of the current row */
  hc_time known;        /* when the current row was announced; only while what is announced is sought */
  hc_downtimes downtimes;
};

/* ---- titles ---- */

static hc_rc find_columns(hc_events *self, hc_error *e)
{
  hc_table *t = &self->t;
  const hc_rc rc = hc_table_next(t, e);
  if (rc < 0) return rc;
  self->amount_count = 0;
  if (hc_table_keep_titles(t) < 0) return hc_fail(e, HC_ENOMEM, t->name, 0, 0, "out of memory");
  self->at = hc_table_column(t, "at");
  self->host = hc_table_column(t, "host");
  self->change = hc_table_column(t, "change");
  self->announced = hc_table_column(t, "announced");
  if (rc == 0 || !self->at || !self->host || !self->change)
    return hc_fail(
        e, HC_EINPUT, t->name, 1, 0,
        "the first row must be titles, with at, host and change among them, as in at,host,change,cpus");
  for (size_t i = 1; i <= t->title_count; i++) {
    if (i == self->at || i == self->host || i == self->change || i == self->announced) continue;
    if (self->amount_count == MOST_AMOUNTS)
      return hc_fail(e, HC_ELIMIT, t->name, 1, 0, "more than %d columns of amounts", MOST_AMOUNTS);
    self->amounts[self->amount_count++] = i;
  }
  return 0;
}

/* ---- rows ---- */

static hc_rc read_amounts(hc_events *self, hc_host_event *event, hc_error *e)
{
  const hc_table *t = &self->t;
  char where[300];
  bool has_any = false;
  (void)snprintf(where, sizeof where, "%.200s, line %" PRIu64, t->name, t->line);
  for (int d = 0; d < HC_DIMENSIONS; d++) event->capacity[d] = HC_UNKNOWN;
  for (size_t i = 0; i < self->amount_count; i++) {
    const size_t column = self->amounts[i];
    const char *title = t->titles[column - 1];
    uint32_t d = 0;
    int64_t amount = 0;
    if (hc_table_size(t, column) == 0) continue;
    if (event->change != HC_HOST_RESIZE)
      return hc_table_fail(t, column, e, "%s: only a resize has amounts", title);
    TRY(hc_rules_amount(self->lexicon, title, strlen(title), hc_table_text(t, column), where, &d, &amount,
                        e));
    event->capacity[d] = amount;
    has_any = true;
  }
  if (event->change == HC_HOST_RESIZE && !has_any)
    return hc_table_fail(t, self->change, e, "a resize without amounts");
  return 0;
}

static bool read_change(const char *text, uint32_t *out)
{
  static const char *const words[] = {"up", "down", "drain", "resize"};
  for (uint32_t i = 0; i < HC_ARRAY_LEN(words); i++) {
    if (strcmp(text, words[i]) != 0) continue;
    *out = i;
    return true;
  }
  return false;
}

static hc_rc read_time(const hc_table *t, size_t column, hc_time *out, hc_error *e)
{
  if (hc_parse_time(hc_table_text(t, column), hc_table_size(t, column), out) == 0 && *out >= 0 &&
      *out != HC_NEVER)
    return 0;
  return hc_table_fail(t, column, e,
                       "%s: expected a time (90s, 1h30m, or a number of seconds), got \"%.80s\"",
                       t->titles[column - 1], hc_table_text(t, column));
}

static hc_rc read_row(hc_events *self, hc_error *e)
{
  const hc_table *t = &self->t;
  hc_host_event event = {0};
  char where[300];
  TRY(read_time(t, self->at, &event.at, e));
  self->known = HC_NEVER;
  if (self->announced && hc_table_size(t, self->announced) > 0)
    TRY(read_time(t, self->announced, &self->known, e));
  if (event.at < self->s.event.at)
    return hc_table_fail(t, self->at, e, "earlier than the row before: sort the rows by time");
  if (!read_change(hc_table_text(t, self->change), &event.change))
    return hc_table_fail(t, self->change, e, "change: expected up, down, drain or resize, got \"%.80s\"",
                         hc_table_text(t, self->change));
  TRY(read_amounts(self, &event, e));
  (void)snprintf(where, sizeof where, "%.200s, line %" PRIu64, t->name, t->line);
  self->hosts.count = self->hosts.settled = 0;
  self->f.steps = 0;
  TRY(hc_host_find(&self->f, hc_table_text(t, self->host), where, &self->hosts, e));
  hc_host_ranges_settle(&self->hosts);
  self->s.event = event;
  self->s.range = 0;
  self->s.offset = 0;
  return 0;
}

static hc_rc next(hc_events *self, hc_host_event *out, hc_error *e)
{
  while (self->s.range >= self->hosts.count) {
    const hc_rc rc = hc_table_next(&self->t, e);
    if (rc <= 0) return rc;
    TRY(read_row(self, e));
  }
  *out = self->s.event;
  out->host = self->hosts.items[self->s.range].first + self->s.offset;
  if (++self->s.offset == self->hosts.items[self->s.range].count) {
    self->s.offset = 0;
    self->s.range++;
  }
  return 1;
}

/* ---- what is announced ahead ---- */

static bool announced(const hc_events *self, size_t i, hc_downtime *out)
{
  return hc_downtimes_get(&self->downtimes, i, out);
}

static hc_rc hear_all(hc_events *self, hc_error *e)
{
  hc_host_event event;
  hc_rc rc;
  while ((rc = next(self, &event, e)) > 0)
    TRY(hc_downtimes_hear(&self->downtimes, &event, self->known, self->t.line, e));
  return rc;
}

/* The whole file is read, then it is opened again. */
static hc_rc find_downtimes(hc_events *self, const char *path, hc_error *e)
{
  if (!self->announced) return 0;
  if (strcmp(path, "-") == 0)
    return hc_fail(
        e, HC_EUSAGE, self->t.name, 1, 0,
        "what is announced ahead is read twice, which standard input cannot be: give it as a file");
  TRY(hear_all(self, e));
  if (hc_downtimes_settle(&self->downtimes) < 0)
    return hc_fail(e, HC_ENOMEM, self->t.name, 0, 0, "out of memory");
  memset(&self->s, 0, sizeof self->s);
  self->hosts.count = self->hosts.settled = 0;
  hc_table_close(&self->t);
  TRY(hc_table_open(&self->t, self->allocator, path, e));
  return find_columns(self, e);
}

/* ---- birth, state and death ---- */

static void finish(hc_events *self)
{
  hc_table_close(&self->t);
  hc_downtimes_fini(&self->downtimes);
  hc_host_finder_fini(&self->f);
  hc_host_ranges_fini(&self->hosts, self->allocator);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc open(const hc_events_context *c, const void *opts, hc_events **out, hc_error *e)
{
  const options *o = opts;
  hc_events *self;
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, "events file", 0, 0,
                   "which file? Say it with file, as in events: {use: file, file: failures.csv}");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return hc_fail(e, HC_ENOMEM, "events file", 0, 0, "out of memory");
  self->allocator = c->allocator;
  self->lexicon = c->lexicon;
  hc_downtimes_init(&self->downtimes, c->allocator, c->cell, o->file, "line");
  rc = hc_host_finder_init(&self->f, c->allocator, c->cell, NULL);
  if (rc < 0) (void)hc_fail(e, rc, "events file", 0, 0, "out of memory");
  if (rc == 0) rc = hc_table_open(&self->t, c->allocator, o->file, e);
  if (rc == 0) rc = find_columns(self, e);
  if (rc == 0) rc = find_downtimes(self, o->file, e);
  if (rc < 0) finish(self);
  else *out = self;
  return rc;
}

static hc_rc visit(hc_events *self, hc_visitor *v)
{
  hc_error ignored = {0};
  TRY(hc_table_visit(&self->t, v, &ignored));
  HC_VISIT(v, self->s);
  HC_VISIT_ARRAY(v, self->hosts.items, self->hosts.count, self->hosts.cap);
  if (!hc_visit_loading(v)) return 0;
  for (size_t i = 0; i < self->hosts.count; i++) {
    const hc_range *r = &self->hosts.items[i];
    if (r->count == 0 || r->first >= self->f.cell->units || r->count > self->f.cell->units - r->first)
      return HC_EINPUT;
  }
  if (self->s.range < self->hosts.count && self->s.offset >= self->hosts.items[self->s.range].count)
    return HC_EINPUT;
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the table; may be packed (.gz, .zst, .xz). Required."), {0}};

const hc_events_type hc_events_file = {
    .component =
        {HC_COMPONENT_HEAD(hc_events_type, HC_KIND_EVENTS), .name = "file",
         .summary = "what happens to hosts, from a table in order of time",
         .detail =
             "Titles: at (90s, 1h30m, or seconds from the origin), host (a name, c-[0-4], a class, a number, "
             "0-99), change (up, down, drain, resize), announced (time from which on policies know of the "
             "change, 0: from the beginning, empty: not ahead; change/host_change says what they know then). "
             "Any other title is an amount that a resize sets: cpus (cores), memory and disk (sizes), gpus, "
             "or another dimension; an empty field leaves the amount as it is. Every row must be readable.",
         .params = params, .options_size = sizeof(options)},
    .open = open,
    .next = next,
    .visit = visit,
    .close = finish,
    .announced = announced,
};
