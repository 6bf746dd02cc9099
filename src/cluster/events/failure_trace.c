/* failure_trace.c -- failures of hosts as they were recorded: the Failure Trace Archive's tables, or a CSV.
 *
 * A row is a stretch of time in which a node was there, or was not; a host is away in the stretches of the
 * types `down`, from start up to stop, and there otherwise: before, between and after them. Stretches of one
 * node may overlap, as those of its components do: it is away while any says so.
 *
 * The archive's event_trace is a table with tabs, whose comments begin with #, with the columns
 *   event_id, component_id, node_id, platform_id, node_name, event_type, event_start_time,
 *   event_stop_time, event_end_reason
 * in that order; types are 0 (not available) and 1 (available), times seconds of Unix time. A table whose
 * first row has titles is read by them. Rows come in any order (the archive has them by node), so all
 * downtimes are held in memory, 24 bytes each, and sorted: O(n log n).
 *
 * Source: Kondo, Javadi, Iosup and Epema, The Failure Trace Archive, CCGrid 2010,
 * doi:10.1109/CCGRID.2010.71; the archive's page FTAFormat. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/table.h"
#include "base/util.h"
#include "cluster/host_builder.h"
#include "cluster/host_find.h"
#include "cluster/record.h"

enum { BY_NAME, BY_NUMBER, IN_ORDER };
enum { REFUSE, SKIP };

typedef struct options {
  const char *file;
  hc_time from;
  int match, surplus;
  int64_t component, platform;
  hc_list down, hosts;
} options;

/* Columns, 0 where there is none. */
typedef struct columns {
  size_t node, name, start, stop, type, component, platform;
} columns;

/* A node is away; later, a host. */
typedef struct outage {
  int64_t node;
  hc_time start, stop; /* HC_NEVER: for good */
} outage;

typedef struct moment {
  hc_time at;
  uint32_t host, change;
} moment;

struct hc_events {
  const hc_allocator *allocator;
  const options *o;
  const hc_cell_spec *cell;
  hc_table t;
  columns at;
  outage *outages; /* [count] */
  size_t count, cap;
  hc_time first;   /* the earliest time in the table; HC_NEVER */
  moment *moments; /* [moment_count] ascending */
  size_t moment_count, moment_cap;
  uint64_t next; /* state */
};

static hc_rc no_memory(hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, "events failure_trace", 0, 0, "out of memory");
}

/* ---- titles ---- */

static size_t among(const hc_table *t, const char *one, const char *two, const char *three)
{
  const size_t first = hc_table_column(t, one), second = first ? first : hc_table_column(t, two);
  return second || !three ? second : hc_table_column(t, three);
}

/* @return 1: the row was titles; 0: it is the first of the archive's own */
static hc_rc find_columns(hc_events *self, hc_error *e)
{
  hc_table *t = &self->t;
  columns *at = &self->at;
  hc_rc rc = hc_table_next(t, e);
  int64_t number;
  if (rc < 0) return rc;
  if (rc == 0) return hc_fail(e, HC_EINPUT, t->name, 0, 0, "the table has no rows");
  if (t->count >= 8 && hc_table_whole(t, 1, &number)) {
    *at = (columns){.component = 2, .node = 3, .platform = 4, .name = 5, .type = 6, .start = 7, .stop = 8};
    return 0;
  }
  if (hc_table_keep_titles(t) < 0) return no_memory(e);
  *at = (columns){.component = among(t, "component", "component_id", NULL),
                  .node = among(t, "node", "node_id", NULL),
                  .platform = among(t, "platform", "platform_id", NULL),
                  .name = among(t, "host", "node_name", NULL),
                  .type = among(t, "type", "event_type", NULL),
                  .start = among(t, "start", "event_start_time", NULL),
                  .stop = among(t, "stop", "end", "event_stop_time")};
  if ((at->name || at->node) && at->start && at->stop) return 1;
  return hc_fail(e, HC_EINPUT, t->name, (uint32_t)t->line, 0,
                 "the first row must be titles, with host or node, start and stop among them, or that "
                 "of an "
                 "event_trace of the Failure Trace Archive, which has nine columns without titles");
}

static hc_rc check_columns(const hc_events *self, hc_error *e)
{
  const columns *at = &self->at;
  const char *missing = self->o->match == BY_NAME && !at->name      ? "host"
                        : self->o->match != BY_NAME && !at->node    ? "node"
                        : self->o->component >= 0 && !at->component ? "component"
                        : self->o->platform >= 0 && !at->platform   ? "platform"
                                                                    : NULL;
  if (!missing) return 0;
  return hc_fail(e, HC_EINPUT, self->t.name, 1, 0,
                 "there is no column %s, which `match`, `component` or `platform` ask for", missing);
}

/* ---- rows ---- */

static hc_rc read_time(const hc_table *t, size_t column, hc_time *out, hc_error *e)
{
  const char *text = hc_table_text(t, column);
  if (hc_parse_time(text, hc_table_size(t, column), out) == 0 && *out >= 0 && *out != HC_NEVER) return 0;
  return hc_table_fail(t, column, e, "expected a time in seconds, got \"%.80s\"", text);
}

static bool is_nothing(const hc_table *t, size_t column)
{
  return hc_table_size(t, column) == 0 || strcmp(hc_table_text(t, column), "NULL") == 0;
}

static hc_rc is_down(const hc_events *self, bool *out, hc_error *e)
{
  static const char *const known[] = {"0", "1", "down", "up", "unavailable", "available"};
  const char *type = hc_table_text(&self->t, self->at.type);
  const char *const *down = self->o->down.items;
  int64_t number;
  *out = self->at.type == 0;
  if (*out) return 0;
  for (size_t i = 0; i < self->o->down.count; i++) {
    *out = strcmp(type, down[i]) == 0;
    if (*out) return 0;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(known); i++) {
    if (strcmp(type, known[i]) != 0) continue;
    *out = self->o->down.count == 0 && i % 2 == 0;
    return 0;
  }
  if (hc_table_whole(&self->t, self->at.type, &number)) return 0; /* a state of its own, such as a user's */
  return hc_table_fail(&self->t, self->at.type, e,
                       "type: expected 0 or 1, down or up, unavailable or available, got \"%.80s\"", type);
}

/* Is the row of what is looked at? */
static hc_rc is_wanted(const hc_events *self, size_t column, int64_t wanted, bool *out, hc_error *e)
{
  int64_t number;
  if (wanted < 0) return 0;
  if (!hc_table_whole(&self->t, column, &number))
    return hc_table_fail(&self->t, column, e, "expected a whole number, got \"%.80s\"",
                         hc_table_text(&self->t, column));
  *out &= number == wanted;
  return 0;
}

static hc_rc read_node(hc_events *self, const hc_names *names, int64_t *out, hc_error *e)
{
  const hc_table *t = &self->t;
  uint32_t host;
  if (self->o->match != BY_NAME) {
    if (hc_table_whole(t, self->at.node, out) && *out >= 0) return 0;
    return hc_table_fail(t, self->at.node, e, "node: expected a number, got \"%.80s\"",
                         hc_table_text(t, self->at.node));
  }
  host = hc_names_find(names, hc_table_text(t, self->at.name), hc_table_size(t, self->at.name));
  *out = host == HC_MAP_NONE ? HC_UNKNOWN : (int64_t)host;
  if (*out == HC_UNKNOWN && self->o->surplus == REFUSE)
    return hc_table_fail(t, self->at.name, e,
                         "the cell has no host \"%.80s\": say how nodes are hosts with `match`, or "
                         "`surplus: skip`",
                         hc_table_text(t, self->at.name));
  return 0;
}

static hc_rc read_row(hc_events *self, const hc_names *names, hc_error *e)
{
  const hc_table *t = &self->t;
  outage x = {.stop = HC_NEVER};
  bool wanted = true, down;
  TRY(is_wanted(self, self->at.component, self->o->component, &wanted, e));
  TRY(is_wanted(self, self->at.platform, self->o->platform, &wanted, e));
  if (!wanted) return 0;
  TRY(is_down(self, &down, e));
  TRY(read_time(t, self->at.start, &x.start, e));
  if (!is_nothing(t, self->at.stop)) TRY(read_time(t, self->at.stop, &x.stop, e));
  if (x.stop < x.start) return hc_table_fail(t, self->at.stop, e, "it stops before it starts");
  TRY(read_node(self, names, &x.node, e));
  self->first = HC_MIN(self->first, x.start);
  if (x.node == HC_UNKNOWN || (!down && self->o->match != IN_ORDER) || x.start == x.stop) return 0;
  if (!down) x.stop = x.start; /* its node is one of those that there are */
  if (self->count == HC_MOST_FACTS) return hc_table_fail(t, 0, e, "more than %zu rows", HC_MOST_FACTS);
  if (hc_reserve(self->allocator, (void **)&self->outages, &self->cap, self->count + 1, sizeof x) < 0)
    return no_memory(e);
  self->outages[self->count++] = x;
  return 0;
}

/* ---- which hosts ---- */

HC_SORT(sort_outages, outage,
        a->node != b->node     ? a->node < b->node
        : a->start != b->start ? a->start < b->start
                               : a->stop < b->stop)

static hc_rc refuse_surplus(const hc_events *self, uint32_t hosts, hc_error *e)
{
  return hc_fail(e, HC_EUSAGE, self->o->file, 0, 0,
                 "it has more nodes than there are hosts (%u): give more `hosts`, or `surplus: skip`", hosts);
}

/* Nodes become hosts: of those sorted by node, the i-th is the i-th of `hosts`, or the host of its number.
 * What is left over is dropped. */
static hc_rc find_hosts(hc_events *self, const uint32_t *taken, uint32_t taken_count, const uint8_t *takes,
                        hc_error *e)
{
  size_t kept = 0, rank = 0;
  int64_t last = self->count > 0 ? self->outages[0].node : 0;
  for (size_t i = 0; i < self->count; i++) {
    const outage x = self->outages[i];
    rank += last != x.node;
    last = x.node;
    if (self->o->match == IN_ORDER) {
      if (rank >= taken_count && self->o->surplus == REFUSE) return refuse_surplus(self, taken_count, e);
      if (rank >= taken_count || x.start == x.stop) continue;
    } else if (x.node >= (int64_t)self->cell->units) {
      if (self->o->surplus == REFUSE) return refuse_surplus(self, self->cell->units, e);
      continue;
    } else if (!takes[x.node]) continue;
    self->moments[kept].host = self->o->match == IN_ORDER ? taken[rank] : (uint32_t)x.node;
    self->outages[kept++] = x;
  }
  self->count = kept;
  return 0;
}

HC_SORT(sort_moments, moment, a->at != b->at ? a->at < b->at : a->host < b->host)

/* Stretches that overlap or touch are one; what is before the origin is not there. */
static hc_rc make_moments(hc_events *self, hc_error *e)
{
  const hc_time from = self->o->from == HC_UNKNOWN ? self->first : self->o->from;
  moment *out = NULL;
  size_t n = 0, cap = 0;
  hc_rc rc = 0;
  for (size_t i = 0, k; i < self->count && rc == 0; i = k) {
    const uint32_t host = self->moments[i].host;
    hc_time stop = self->outages[i].stop;
    for (k = i + 1; k < self->count && self->moments[k].host == host && self->outages[k].start <= stop; k++)
      stop = HC_MAX(stop, self->outages[k].stop);
    if (stop <= from) continue;
    if (hc_reserve(self->allocator, (void **)&out, &cap, n + 2, sizeof *out) < 0) rc = no_memory(e);
    if (rc < 0) break;
    out[n++] = (moment){HC_MAX(self->outages[i].start - from, 0), host, HC_HOST_DOWN};
    if (stop != HC_NEVER) out[n++] = (moment){stop - from, host, HC_HOST_UP};
  }
  hc_free(self->allocator, self->moments, self->moment_cap * sizeof *self->moments);
  hc_free(self->allocator, self->outages, self->cap * sizeof *self->outages);
  self->moments = out;
  self->moment_count = n;
  self->moment_cap = cap;
  self->outages = NULL;
  self->count = self->cap = 0;
  sort_moments(self->moments, n);
  return rc;
}

static hc_rc place(hc_events *self, const hc_host_ranges *ranges, hc_error *e)
{
  const size_t units = HC_MAX(self->cell->units, 1);
  uint32_t *taken = hc_alloc(self->allocator, units * sizeof *taken), n = 0;
  uint8_t *takes = hc_alloc(self->allocator, units);
  hc_rc rc = taken && takes ? 0 : no_memory(e);
  for (size_t i = 0; rc == 0 && i < ranges->count; i++) {
    for (uint32_t k = 0; k < ranges->items[i].count; k++) {
      taken[n++] = ranges->items[i].first + k;
      takes[ranges->items[i].first + k] = 1;
    }
  }
  sort_outages(self->outages, self->count);
  if (rc == 0 && hc_reserve(self->allocator, (void **)&self->moments, &self->moment_cap,
                            HC_MAX(self->count, 1), sizeof *self->moments) < 0)
    rc = no_memory(e);
  if (rc == 0) rc = find_hosts(self, taken, n, takes, e);
  if (rc == 0) rc = make_moments(self, e);
  hc_free(self->allocator, taken, units * sizeof *taken);
  hc_free(self->allocator, takes, units);
  return rc;
}

static hc_rc read_all(hc_events *self, hc_error *e)
{
  hc_host_ranges ranges = {0};
  hc_host_finder f;
  hc_rc rc = hc_host_finder_init(&f, self->allocator, self->cell, NULL);
  if (rc < 0) rc = no_memory(e);
  if (rc == 0) rc = hc_host_find_all(&f, &self->o->hosts, "events failure_trace", &ranges, e);
  if (rc == 0) rc = hc_table_open(&self->t, self->allocator, self->o->file, e);
  if (rc == 0) rc = find_columns(self, e);
  if (rc == 0) {
    rc = check_columns(self, e);
    if (rc == 0) rc = read_row(self, f.hosts, e);
  } else if (rc == 1) rc = check_columns(self, e);
  while (rc == 0 && (rc = hc_table_next(&self->t, e)) == 1) rc = read_row(self, f.hosts, e);
  hc_host_finder_fini(&f);
  if (rc == 0) rc = place(self, &ranges, e);
  hc_host_ranges_fini(&ranges, self->allocator);
  return rc;
}

/* ---- birth, events, state and death ---- */

static void finish(hc_events *self)
{
  hc_table_close(&self->t);
  hc_free(self->allocator, self->outages, self->cap * sizeof *self->outages);
  hc_free(self->allocator, self->moments, self->moment_cap * sizeof *self->moments);
  hc_free(self->allocator, self, sizeof *self);
}

static hc_rc open(const hc_events_context *c, const void *opts, hc_events **out, hc_error *e)
{
  const options *o = opts;
  hc_events *self;
  hc_rc rc;
  if (!o->file)
    return hc_fail(e, HC_EUSAGE, "events failure_trace", 0, 0,
                   "which file? Say it with file, as in events: {use: failure_trace, file: "
                   "event_trace.tab}");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return no_memory(e);
  self->allocator = c->allocator;
  self->cell = c->cell;
  self->o = o;
  self->first = HC_NEVER;
  rc = read_all(self, e);
  if (rc < 0) finish(self);
  else *out = self;
  return rc;
}

static hc_rc next(hc_events *self, hc_host_event *out, hc_error *e)
{
  HC_UNUSED(e);
  if (self->next >= self->moment_count) return 0;
  const moment *m = &self->moments[self->next++];
  *out = (hc_host_event){.at = m->at, .host = m->host, .change = m->change};
  for (int d = 0; d < HC_DIMENSIONS; d++) out->capacity[d] = HC_UNKNOWN;
  return 1;
}

static hc_rc visit(hc_events *self, hc_visitor *v)
{
  HC_VISIT(v, self->next);
  return self->next > self->moment_count ? HC_EINPUT : 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the table; may be packed (.gz, .zst, .xz). Required."),
    HC_PARAM(
        CHOICE, options, match, "name|number|order", "name",
        "How nodes are hosts. name: by node_name, or the column host. number: node_id is the number of "
        "the host in order of declaration, from 0. order: nodes in ascending order of node_id are `hosts` "
        "in order."),
    HC_PARAM(TEXTS, options, hosts, "all",
             "Which hosts take part; rows of others are ignored. " HC_HOSTS_HELP),
    HC_PARAM(CHOICE, options, surplus, "error|skip", "error",
             "What a node does that is no host of the cell. error: the run stops. skip: the node's rows are "
             "ignored."),
    HC_PARAM(
        TIME, options, from, "s", NULL, 0, 9e9,
        "Time of the table, in seconds of Unix time, that is the origin of the run. Rows that are over "
        "before it are ignored; a host that is away at that time is away from the beginning. Default: the "
        "earliest start in the table."),
    HC_PARAM(
        TEXTS, options, down, NULL,
        "Types of stretches in which a node is away, in place of 0, down and unavailable: [0, 2, 3] counts "
        "the desktops of Notre Dame as away also while their users are there. Without a column type each row "
        "is such a stretch."),
    HC_PARAM(INT, options, component, NULL, "-1", -1, 9e18, "Only rows of this component_id count. -1: all."),
    HC_PARAM(INT, options, platform, NULL, "-1", -1, 9e18, "Only rows of this platform_id count. -1: all."),
    {0}};

const hc_events_type hc_events_failure_trace = {
    .component =
        {HC_COMPONENT_HEAD(hc_events_type, HC_KIND_EVENTS), .name = "failure_trace",
         .summary = "hosts fail as recorded: tables of the Failure Trace Archive, or a CSV",
         .detail =
             "A row is a stretch of time in which a node was away, or was there. An event_trace of the "
             "archive is "
             "read as it is, with tabs and # comments. A table of one's own has titles: host (or node, a "
             "number), start, stop (seconds; empty: for good), and where it has rows of both kinds, "
             "type (0, "
             "down or unavailable; 1, up or available). Rows may be in any order and overlap.",
         .source = "Kondo et al., CCGrid 2010, doi:10.1109/CCGRID.2010.71; the archive's page FTAFormat",
         .params = params, .options_size = sizeof(options)},
    .open = open,
    .next = next,
    .visit = visit,
    .close = finish,
};
