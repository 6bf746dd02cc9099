/* resource_use.c -- cores, links and disks over time: how much of them running tasks use.
 *
 * The model of execution says at any time what has been used until then (hc_use_look). This looks at the end
 * of each piece of time, so that a mean over a piece is a difference of two sums, exact whatever happened
 * within it; nothing is written down when a rate changes. The greatest use of a link or disk is that over a
 * piece: at single instants some link is nearly always full.
 *
 * Cost: a look for each piece of time, O(links + disks + what goes on), however many events it has; 96 bytes
 * a piece, 24 a link and disk, with `detail: series` 16 for each link and piece in which it is used. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/sum128.h"

#define ROWS_MAX 1000000
#define ITEMS_MAX (1u << 24) /* uses of links in pieces of time */

enum { DETAIL_NONE, DETAIL_EACH, DETAIL_SERIES };

typedef struct options {
  hc_time every;
  int detail;
} options;

/* Of cores and bytes: sums until a time. */
enum { HELD, USED, SENT, READ, WRITTEN, SUMS };

typedef struct row {
  hc_time from, until;
  double of[SUMS];        /* during it */
  double link, link_most; /* share that is used of all; of the one that is used most */
  double disk, disk_most;
} row;

/* A link, or a direction of a disk. */
typedef struct resource {
  double used, bandwidth; /* until the last look */
  double peak;            /* share of it that was used in some piece */
} resource;

typedef struct item {
  uint32_t row, link;
  double use;
} item;

typedef struct link_text {
  char text[64];
} link_text;

struct hc_metric {
  hc_family family;
  hc_time every;
  int detail;
  struct state {
    hc_time begin, at, next; /* begin: HC_UNKNOWN: nothing yet */
    double of[SUMS];
  } s;
  row *rows;
  size_t count, cap;
  resource *links, *disks;
  size_t link_count, link_cap, disk_count, disk_cap;
  item *items;
  size_t item_count, item_cap;
  link_text *names; /* [link_count] with a detail */
  size_t name_count, name_cap;
};

static hc_rc init(const hc_metric_context *c, const void *chosen, hc_metric **out, hc_error *e)
{
  TRY(hc_family_new(c, sizeof(hc_metric), out, e));
  (*out)->every = ((const options *)chosen)->every;
  (*out)->detail = ((const options *)chosen)->detail;
  (*out)->s.begin = HC_UNKNOWN;
  (*out)->s.next = HC_NEVER;
  return 0;
}

static void fini(hc_metric *self)
{
  if (!self) return;
  const hc_allocator *a = self->family.context.allocator;
  hc_free(a, self->rows, self->cap * sizeof *self->rows);
  hc_free(a, self->links, self->link_cap * sizeof *self->links);
  hc_free(a, self->disks, self->disk_cap * sizeof *self->disks);
  hc_free(a, self->items, self->item_cap * sizeof *self->items);
  hc_free(a, self->names, self->name_cap * sizeof *self->names);
  hc_family_free(self);
}

/* ---- looks ---- */

static hc_rc begin_resources(hc_metric *self, resource **all, size_t *count, size_t *cap,
                             const double *bandwidth, size_t n)
{
  TRY(hc_reserve(self->family.context.allocator, (void **)all, cap, n, sizeof **all));
  for (size_t i = 0; i < n; i++) (*all)[i] = (resource){.bandwidth = bandwidth[i]};
  *count = n;
  return 0;
}

static void note_sums(hc_metric *self, const hc_use_look *u, double out[SUMS])
{
  const double now[SUMS] = {u->cores_held, u->cores_used, u->sent, u->read, u->written};
  for (int i = 0; i < SUMS; i++) {
    if (out) out[i] = now[i] - self->s.of[i];
    self->s.of[i] = now[i];
  }
}

static hc_rc first_look(hc_metric *self, const hc_use_look *u)
{
  self->s.begin = self->s.at = u->at;
  TRY(begin_resources(self, &self->links, &self->link_count, &self->link_cap, u->link_bandwidth,
                      u->link_count));
  TRY(begin_resources(self, &self->disks, &self->disk_count, &self->disk_cap, u->disk_bandwidth,
                      (size_t)2 * u->disk_count));
  note_sums(self, u, NULL);
  if (self->detail == DETAIL_NONE) return 0;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->names, &self->name_cap, u->link_count,
                 sizeof *self->names));
  self->name_count = u->link_count;
  if (u->link_count > 0) memset(self->names, 0, u->link_count * sizeof *self->names);
  return 0;
}

static hc_rc add_item(hc_metric *self, uint32_t link, double use)
{
  if (self->item_count >= ITEMS_MAX) return HC_ELIMIT;
  TRY(hc_reserve(self->family.context.allocator, (void **)&self->items, &self->item_cap, self->item_count + 1,
                 sizeof *self->items));
  self->items[self->item_count++] = (item){(uint32_t)self->count, link, use};
  return 0;
}

/* A resource's share of a piece of time. @return what was used of it */
static double pass(resource *r, double used, double seconds, double *use)
{
  const double more = used - r->used;
  *use = more / (r->bandwidth * seconds);
  r->used = used;
  r->peak = HC_MAX(r->peak, *use);
  return more;
}

static hc_rc note_links(hc_metric *self, const hc_use_look *u, double seconds, row *r)
{
  double used = 0, most = 0, use;
  for (uint32_t i = 0; i < u->link_count; i++) {
    resource *x = &self->links[i];
    const bool is_new = x->used == 0 && u->link_used[i] > 0;
    if (u->link_used[i] == x->used) {
      most += x->bandwidth < __builtin_inf() ? x->bandwidth : 0;
      continue;
    }
    if (self->detail != DETAIL_NONE && is_new)
      u->link_name(u->names, i, self->names[i].text, sizeof self->names[i].text);
    const double more = pass(x, u->link_used[i], seconds, &use);
    if (!(x->bandwidth < __builtin_inf())) continue;
    used += more;
    most += x->bandwidth;
    r->link_most = HC_MAX(r->link_most, use);
    if (self->detail == DETAIL_SERIES) TRY(add_item(self, i, use));
  }
  r->link = used / (most * seconds);
  return 0;
}

static void note_disks(hc_metric *self, const hc_use_look *u, double seconds, row *r)
{
  double used = 0, most = 0, use;
  for (uint32_t i = 0; i < 2 * u->disk_count; i++) {
    resource *x = &self->disks[i];
    const double more = pass(x, u->disk_used[i], seconds, &use);
    if (!(x->bandwidth < __builtin_inf())) continue;
    used += more;
    most += x->bandwidth;
    r->disk_most = HC_MAX(r->disk_most, use);
  }
  r->disk = used / (most * seconds);
}

/* The first multiple of the length of a piece behind `t`. */
static hc_time border(hc_time t, hc_time every)
{
  hc_time past = t % every;
  if (past < 0) past += every;
  return hc_time_add(t, every - past);
}

static hc_rc look(hc_metric *self, const hc_use_look *u)
{
  if (self->s.begin == HC_UNKNOWN) {
    TRY(first_look(self, u));
  } else if (u->at > self->s.at) {
    const double seconds = (double)(u->at - self->s.at) / 1e9;
    row r = {.from = self->s.at, .until = u->at};
    if (self->count >= ROWS_MAX) return HC_ELIMIT;
    TRY(hc_reserve(self->family.context.allocator, (void **)&self->rows, &self->cap, self->count + 1,
                   sizeof *self->rows));
    note_sums(self, u, r.of);
    TRY(note_links(self, u, seconds, &r));
    note_disks(self, u, seconds, &r);
    self->rows[self->count++] = r;
    self->s.at = u->at;
  }
  self->s.next = border(self->s.at, self->every);
  return 0;
}

static hc_time look_at(const hc_metric *self)
{
  return self->s.next;
}

/* ---- figures ---- */

static int64_t second_of(hc_time t)
{
  return t / HC_SECOND - (t % HC_SECOND < 0);
}

static hc_rc find_row(const hc_metric *self, const row *r, hc_findings *f)
{
  const double seconds = (double)(r->until - r->from) / 1e9;
  const int64_t key = second_of(r->from);
  TRY(hc_find_cell(f, "resource_use", key, "until", "s", hc_seconds(r->until)));
  TRY(hc_find_cell(f, "resource_use", key, "cores_held", "cores", r->of[HELD] / seconds));
  TRY(hc_find_cell(f, "resource_use", key, "cores_used", "cores", r->of[USED] / seconds));
  TRY(hc_find_cell(f, "resource_use", key, "cores", "1", r->of[USED] / r->of[HELD]));
  if (self->link_count > 0) {
    TRY(hc_find_cell(f, "resource_use", key, "sent", "B/s", r->of[SENT] / seconds));
    TRY(hc_find_cell(f, "resource_use", key, "links", "1", r->link));
    TRY(hc_find_cell(f, "resource_use", key, "link_max", "1", r->link_most));
  }
  if (self->disk_count == 0) return 0;
  TRY(hc_find_cell(f, "resource_use", key, "read", "B/s", r->of[READ] / seconds));
  TRY(hc_find_cell(f, "resource_use", key, "written", "B/s", r->of[WRITTEN] / seconds));
  TRY(hc_find_cell(f, "resource_use", key, "disks", "1", r->disk));
  return hc_find_cell(f, "resource_use", key, "disk_max", "1", r->disk_most);
}

/* Of all resources of a kind over the whole time: the share that is used, of all and of the most used one. */
typedef struct overall {
  double use, most, peak;
} overall;

static overall find_overall(const resource *all, size_t count, double seconds)
{
  double used = 0, bandwidth = 0;
  overall o = {.most = 0};
  for (size_t i = 0; i < count; i++) {
    if (!(all[i].bandwidth < __builtin_inf())) continue;
    used += all[i].used;
    bandwidth += all[i].bandwidth;
    o.most = HC_MAX(o.most, all[i].used / (all[i].bandwidth * seconds));
    o.peak = HC_MAX(o.peak, all[i].peak);
  }
  o.use = used / (bandwidth * seconds);
  return o;
}

static hc_rc find_each(hc_findings *f, const char *table, const resource *all, size_t count, double seconds)
{
  for (size_t i = 0; i < count; i++) {
    if (all[i].used == 0) continue;
    TRY(hc_find_cell(f, table, (int64_t)i, "taken", "B", all[i].used));
    if (!(all[i].bandwidth < __builtin_inf())) continue;
    TRY(hc_find_cell(f, table, (int64_t)i, "use", "1", all[i].used / (all[i].bandwidth * seconds)));
    TRY(hc_find_cell(f, table, (int64_t)i, "peak", "1", all[i].peak));
  }
  return 0;
}

/* Tables resource_use:NAME: of each link, and with a series each piece of time in which it is used. */
static hc_rc find_named(const hc_metric *self, hc_findings *f, double seconds)
{
  char table[96];
  for (size_t i = 0; i < self->link_count; i++) {
    if (self->links[i].used == 0) continue;
    (void)snprintf(table, sizeof table, "link:%s", self->names[i].text);
    TRY(hc_find_cell(f, table, (int64_t)i, "bandwidth", "B/s", self->links[i].bandwidth));
  }
  HC_UNUSED(seconds);
  for (size_t i = 0; i < self->item_count; i++) {
    const item *x = &self->items[i];
    const row *r = &self->rows[x->row];
    (void)snprintf(table, sizeof table, "link_series:%s", self->names[x->link].text);
    TRY(hc_find_cell(f, table, second_of(r->from), "from", "s", hc_seconds(r->from)));
    TRY(hc_find_cell(f, table, second_of(r->from), "until", "s", hc_seconds(r->until)));
    TRY(hc_find_cell(f, table, second_of(r->from), "use", "1", x->use));
  }
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const struct state *s = &self->s;
  const double seconds = s->begin == HC_UNKNOWN ? 0 : (double)(s->at - s->begin) / 1e9;
  const overall links = find_overall(self->links, self->link_count, seconds);
  const overall disks = find_overall(self->disks, self->disk_count, seconds);
  TRY(hc_find_real(f, "resource_use_cores_held", "cores", s->of[HELD] / seconds));
  TRY(hc_find_real(f, "resource_use_cores_used", "cores", s->of[USED] / seconds));
  TRY(hc_find_real(f, "resource_use_cores", "1", s->of[USED] / s->of[HELD]));
  TRY(hc_find_real(f, "resource_use_sent", "B", s->of[SENT]));
  TRY(hc_find_real(f, "resource_use_read", "B", s->of[READ]));
  TRY(hc_find_real(f, "resource_use_written", "B", s->of[WRITTEN]));
  if (self->link_count > 0) {
    TRY(hc_find_real(f, "resource_use_links", "1", links.use));
    TRY(hc_find_real(f, "resource_use_link_max", "1", links.most));
    TRY(hc_find_real(f, "resource_use_link_peak", "1", links.peak));
  }
  if (self->disk_count > 0) {
    TRY(hc_find_real(f, "resource_use_disks", "1", disks.use));
    TRY(hc_find_real(f, "resource_use_disk_max", "1", disks.most));
    TRY(hc_find_real(f, "resource_use_disk_peak", "1", disks.peak));
  }
  for (size_t i = 0; i < self->count; i++) TRY(find_row(self, &self->rows[i], f));
  if (self->detail == DETAIL_NONE) return 0;
  TRY(find_each(f, "link_use", self->links, self->link_count, seconds));
  TRY(find_each(f, "disk_use", self->disks, self->disk_count, seconds));
  return find_named(self, f, seconds);
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->s);
  HC_VISIT_ARRAY(v, self->rows, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->links, self->link_count, self->link_cap);
  HC_VISIT_ARRAY(v, self->disks, self->disk_count, self->disk_cap);
  HC_VISIT_ARRAY(v, self->items, self->item_count, self->item_cap);
  HC_VISIT_ARRAY(v, self->names, self->name_count, self->name_cap);
  if (self->name_count != 0 && self->name_count != self->link_count) return HC_EINPUT;
  for (size_t i = 0; i < self->item_count; i++)
    if (self->items[i].row > self->count || self->items[i].link >= self->link_count) return HC_EINPUT;
  for (size_t i = 0; i < self->name_count; i++) self->names[i].text[sizeof self->names[i].text - 1] = '\0';
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TIME, options, every, "s", "1h", 1, 9e9,
             "Length of each piece of time. Pieces begin at multiples of it from the run's origin."),
    HC_PARAM(CHOICE, options, detail, "none|each|series", "none",
             "What is told of single links and disks. none: the most used one only. each: tables of all that "
             "are used at all. series: these, and how much of each link is used in each piece of time."),
    {.name = NULL},
};

static const char *const figures[] = {
    "resource_use_cores_held|cores|none|integral of cores of running tasks / time",
    "resource_use_cores_used|cores|none|integral of those of them that compute / time",
    "resource_use_cores|1|higher|the latter integral / the former",
    "resource_use_sent|B|none|bytes that have come from one host to another",
    "resource_use_read|B|none|bytes that were read from disks",
    "resource_use_written|B|none|bytes that were written on disks",
    "resource_use_links|1|none|what was taken of links / (sum of their bandwidths x time)",
    "resource_use_link_max|1|none|the same of the link that is used most",
    "resource_use_link_peak|1|none|the same of the link and the piece of time of which it is the greatest",
    "resource_use_disks|1|none|what was taken of disks, in each direction / (sum of bandwidths x time)",
    "resource_use_disk_max|1|none|the same of the direction of a disk that is used most",
    "resource_use_disk_peak|1|none|the same of that and the piece of time of which it is the greatest",
    "resource_use.until|s|none|where the piece of time ends; the key is where it begins",
    "resource_use.cores_held|cores|none|cores of running tasks, on average during it",
    "resource_use.cores_used|cores|none|those of them that compute",
    "resource_use.cores|1|higher|the latter / the former",
    "resource_use.sent|B/s|none|bytes from one host to another / time",
    "resource_use.links|1|none|share of the bandwidth of all links that is used",
    "resource_use.link_max|1|none|the same of the link that is used most then",
    "resource_use.read|B/s|none|bytes read / time",
    "resource_use.written|B/s|none|bytes written / time",
    "resource_use.disks|1|none|share of the bandwidth of all disks that is used",
    "resource_use.disk_max|1|none|the same of the direction of a disk that is used most then",
    "link_use.taken|B|none|what was taken of a link; the key is its number",
    "link_use.use|1|none|that / (its bandwidth x time)",
    "link_use.peak|1|none|the same in the piece of time of which it is the greatest",
    "disk_use.taken|B|none|what was taken of a disk; the key is twice its number, and one more for writing",
    "disk_use.use|1|none|that / (its bandwidth x time)",
    "disk_use.peak|1|none|the same in the piece of time of which it is the greatest",
    "link:*.bandwidth|B/s|none|of the link of that name; the key is its number",
    "link_series:*.from|s|none|where the piece of time begins; the key is the same, rounded down",
    "link_series:*.until|s|none|where it ends",
    "link_series:*.use|1|none|share of the bandwidth of the link of that name that is used during it",
    NULL,
};

const hc_metric_type hc_metric_resource_use = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "resource_use",
         .summary = "how much of cores, links and disks running tasks use, over time",
         .detail = "Of a run with `execution`. A process uses its cores while it computes; a task of which "
                   "only the length is known uses all cores that it holds. The use of a link is what flows "
                   "take of its nominal bandwidth; links without a limit, and those that each flow may use "
                   "whole, do not count in shares. A disk whose bandwidth depends on how many transfers "
                   "share it counts with the greatest one. Means are exact over each piece of time, and the "
                   "last piece ends where the run does. It keeps at most 1000000 pieces, and 16777216 "
                   "numbers of single links: give a longer `every` if a run needs more.",
         .params = params, .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .needs_use = true,
    .look = look,
    .look_at = look_at,
};
