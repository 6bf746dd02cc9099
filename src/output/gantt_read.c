/* gantt_read.c -- what a picture shows of a result: the tasks of its window, cut into stretches, and the
 * hosts or processors that they were on. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "hindcast/cell.h"
#include "output/gantt.h"

#define AMOUNT_MOST ((int64_t)1 << 53)
#define WORK_LIMIT 2e9

/* ---- tasks ---- */

/* What each user (queue ...) has of the whole, window or not: the order of colours, which so are the same in
 * pictures of several policies over one workload. */
static hc_rc note_total(hc_gantt *p, const hc_task_record *t)
{
  const uint64_t key = (uint64_t)hc_gantt_number_of(p, t);
  uint32_t at = hc_map_get(&p->totals, key);
  if (at == HC_MAP_NONE) {
    at = (uint32_t)p->total_count;
    TRY(hc_reserve(p->allocator, (void **)&p->total, &p->total_cap, p->total_count + 1, sizeof *p->total));
    TRY(hc_map_set(&p->totals, key, at));
    p->total[p->total_count++] = 0;
  }
  p->total[at] += (double)(t->end - t->start) / 1e9 * (double)t->units;
  return 0;
}

static hc_rc note_span(void *ctx, const hc_task_record *t)
{
  hc_gantt *p = ctx;
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN) return 0;
  TRY(note_total(p, t));
  if (p->first == HC_UNKNOWN || t->start < p->first) p->first = t->start;
  if (p->last == HC_UNKNOWN || t->end > p->last) p->last = t->end;
  return 0;
}

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  hc_gantt *p = ctx;
  bool runs = t->start != HC_UNKNOWN && t->end != HC_UNKNOWN && t->start < p->to && t->end > p->from;
  bool waits = t->submit < p->to && (t->start == HC_UNKNOWN || t->start > p->from);
  if (!runs && !waits) return 0;
  TRY(hc_reserve(p->allocator, (void **)&p->tasks, &p->cap, p->count + 1, sizeof *p->tasks));
  p->tasks[p->count++] = *t;
  return 0;
}

static hc_rc keep_placement(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t serial, first, count;
  TRY(hc_emit_number(&p->emit, "placements", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(&p->emit, "placements", values[1], 0, UINT32_MAX / 2, &first));
  TRY(hc_emit_number(&p->emit, "placements", values[2], 0, UINT32_MAX / 2, &count));
  TRY(hc_reserve(p->allocator, (void **)&p->placements, &p->placement_cap, p->placement_count + 1,
                 sizeof *p->placements));
  p->placements[p->placement_count++] = (hc_gantt_placed){serial, (uint32_t)first, (uint32_t)count};
  return 0;
}

HC_SORT(sort_by_start, hc_task_record, a->start != b->start ? a->start < b->start : a->serial < b->serial)

HC_SORT(sort_stretches, hc_gantt_stretch,
        a->start != b->start ? a->start < b->start
        : a->task != b->task ? a->task < b->task
                             : a->piece < b->piece)

HC_SORT(sort_placements, hc_gantt_placed,
        a->serial != b->serial ? a->serial < b->serial : a->first < b->first)

/* ---- stretches ---- */

bool hc_gantt_is_drawn(const hc_gantt *p, hc_time start, hc_time end)
{
  return start != HC_UNKNOWN && end != HC_UNKNOWN && end > start && start < p->to && end > p->from;
}

static hc_rc add_stretch(hc_gantt *p, hc_gantt_stretch s)
{
  if (!hc_gantt_is_drawn(p, s.start, s.end)) return 0;
  TRY(hc_reserve(p->allocator, (void **)&p->stretches, &p->stretch_cap, p->stretch_count + 1,
                 sizeof *p->stretches));
  p->stretches[p->stretch_count++] = s;
  return 0;
}

static hc_rc cut_into_stretches(hc_gantt *p)
{
  for (size_t i = 0; i < p->count; i++) {
    const hc_task_record *t = &p->tasks[i];
    const hc_piece *of;
    const hc_rc n = hc_pieces_of(&p->pieces, t, &of);
    TRY(n);
    if (n == 0)
      TRY(add_stretch(p, (hc_gantt_stretch){.start = t->start, .end = t->end, .task = i, .units = t->units}));
    for (hc_rc k = 0; k < n; k++)
      TRY(add_stretch(p, (hc_gantt_stretch){.start = of[k].from,
                                            .end = k + 1 < n ? of[k + 1].from : t->end,
                                            .task = i,
                                            .units = of[k].units >= 0 ? of[k].units : t->units,
                                            .piece = (uint32_t)k + 1}));
  }
  sort_stretches(p->stretches, p->stretch_count);
  return 0;
}

/* What a stretch held. @return 0: what its grants or placements say */
hc_rc hc_gantt_rows_of(hc_gantt *p, const hc_gantt_stretch *s, const hc_piece **out)
{
  const hc_piece *of;
  if (s->piece == 0) return 0;
  TRY(hc_pieces_of(&p->pieces, &p->tasks[s->task], &of));
  *out = &of[s->piece - 1];
  return (*out)->count > 0;
}

/* ---- colours and the legend ---- */

/* One user alone would make one colour of everything. */
static void note_colours(hc_gantt *p)
{
  p->by_task = true;
  for (size_t i = 1; i < p->count && p->o->colour != HC_GANTT_COLOUR_TASK; i++)
    p->by_task &= hc_gantt_number_of(p, &p->tasks[i]) == hc_gantt_number_of(p, &p->tasks[0]);
}

/* A low picture has no room for a legend, and one that is not so low for a row. */
static int64_t legend_rows(const hc_gantt_options *o)
{
  return HC_MIN((o->height - 160) / 80, 2);
}

static double total_of(const hc_gantt *p, int64_t number)
{
  const uint32_t at = hc_map_get(&p->totals, (uint64_t)number);
  return at == HC_MAP_NONE ? 0 : p->total[at];
}

/* Those that have most of the window, in the order of what they have of the whole. */
static void choose_coloured(hc_gantt *p)
{
  p->coloured_count = 0;
  for (size_t i = 0; i < p->legend.count && p->coloured_count < HC_SERIES; i++) {
    const int64_t number = p->legend.items[i].number;
    size_t at = p->coloured_count;
    if (number < 0) continue; /* not known */
    for (; at > 0; at--) {
      const double before = total_of(p, p->coloured[at - 1]), mine = total_of(p, number);
      if (before > mine || (!(before < mine) && p->coloured[at - 1] < number)) break;
      p->coloured[at] = p->coloured[at - 1];
    }
    p->coloured[at] = number;
    p->coloured_count++;
  }
}

/* Who has how much of the window. */
static hc_rc note_legend(hc_gantt *p, hc_result *r)
{
  static const hc_called kinds[] = {HC_CALLED_USER, HC_CALLED_GROUP, HC_CALLED_EXECUTABLE, HC_CALLED_QUEUE,
                                    HC_CALLED_PARTITION};
  if (p->by_task) return 0;
  p->legend.kind = kinds[p->o->colour];
  for (size_t i = 0; i < p->count; i++) {
    const hc_task_record *t = &p->tasks[i];
    if (!hc_gantt_is_drawn(p, t->start, t->end)) continue;
    const hc_time shown = HC_MIN(t->end, p->to) - HC_MAX(t->start, p->from);
    TRY(hc_legend_add(&p->legend, hc_gantt_number_of(p, t), (double)shown * (double)t->units));
  }
  hc_legend_settle(&p->legend, r, p->left, p->o->width - HC_GANTT_RIGHT,
                   p->o->legend ? legend_rows(p->o) : 0);
  choose_coloured(p);
  return 0;
}

/* ---- hosts ---- */

size_t hc_gantt_first_grant(const hc_gantt *p, int64_t serial)
{
  size_t low = 0, high = p->grant_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->grants[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Of a dimension that the cell does not have it is NULL. */
static hc_rc amount_of(hc_gantt *p, const char *text, int64_t *out)
{
  *out = 0;
  return text ? hc_emit_number(&p->emit, "hosts and grants", text, 0, AMOUNT_MOST, out) : 0;
}

static hc_rc keep_host(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  const char *name = values[1] ? values[1] : "";
  TRY(hc_reserve(p->allocator, (void **)&p->bands, &p->band_cap, p->band_count + 1, sizeof *p->bands));
  hc_gantt_band *b = &p->bands[p->band_count];
  *b = (hc_gantt_band){.name_size = strlen(name) + 1, .away = HC_UNKNOWN};
  b->name = hc_alloc(p->allocator, b->name_size);
  if (!b->name) return HC_ENOMEM;
  p->band_count++;
  memcpy(b->name, name, b->name_size);
  for (int d = 0; d < (int)p->amounts; d++) {
    int64_t x;
    TRY(amount_of(p, values[4 + d], &x));
    if (x > 0 && (p->dimension < 0 || d < p->dimension)) p->dimension = d;
  }
  return 0;
}

/* What each host has of the dimension that is drawn, at first and at most. */
static hc_rc note_capacity(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t host, x;
  TRY(hc_emit_number(&p->emit, "hosts", values[0], 0, UINT32_MAX, &host));
  TRY(amount_of(p, values[4 + p->dimension], &x));
  if ((size_t)host < p->band_count) p->bands[host].capacity = x;
  return 0;
}

static hc_rc note_growth(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t host, x;
  TRY(hc_emit_number(&p->emit, "host_changes", values[1], 0, UINT32_MAX, &host));
  TRY(amount_of(p, values[3 + p->dimension], &x));
  if ((size_t)host < p->band_count) p->bands[host].capacity = HC_MAX(x, p->bands[host].capacity);
  return 0;
}

static hc_rc keep_grant(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t serial, host, x;
  TRY(hc_emit_number(&p->emit, "grants", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(&p->emit, "grants", values[1], 0, UINT32_MAX, &host));
  TRY(amount_of(p, values[4 + p->dimension], &x));
  TRY(hc_reserve(p->allocator, (void **)&p->grants, &p->grant_cap, p->grant_count + 1, sizeof *p->grants));
  p->grants[p->grant_count++] = (hc_gantt_grant){.serial = serial, .amount = x, .host = (uint32_t)host};
  return 0;
}

HC_SORT(sort_grants, hc_gantt_grant,
        a->serial != b->serial ? a->serial < b->serial
        : a->host != b->host   ? a->host < b->host
                               : a->amount < b->amount)

static hc_rc name_dimension(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  char key[32];
  (void)snprintf(key, sizeof key, "dimension_%d", p->dimension);
  if (values[0] && values[1] && strcmp(values[0], key) == 0)
    (void)snprintf(p->dimension_name, sizeof p->dimension_name, "%s", values[1]);
  return 0;
}

/* The hosts that it is on are drawn. */
static hc_rc use_bands(hc_gantt *p, const hc_gantt_stretch *s)
{
  const int64_t serial = p->tasks[s->task].serial;
  const hc_piece *of;
  const hc_rc own = hc_gantt_rows_of(p, s, &of);
  TRY(own);
  for (size_t i = 0; own > 0 && i < of->count; i++)
    if ((size_t)of->rows[i].host < p->band_count) p->bands[of->rows[i].host].row = 0;
  for (size_t i = hc_gantt_first_grant(p, serial);
       own == 0 && i < p->grant_count && p->grants[i].serial == serial; i++)
    if (p->grants[i].host < p->band_count) p->bands[p->grants[i].host].row = 0;
  return 0;
}

/* Which hosts are drawn, from the top. */
static hc_rc choose_rows(hc_gantt *p)
{
  const bool is_crowded = (int64_t)p->band_count * 6 > hc_gantt_field_height(p);
  const bool all = p->o->hosts == HC_GANTT_HOSTS_ALL || (p->o->hosts == HC_GANTT_HOSTS_AUTO && !is_crowded);
  for (size_t h = 0; h < p->band_count; h++) p->bands[h].row = all ? 0 : -1;
  for (size_t i = 0; i < p->stretch_count && !all; i++) TRY(use_bands(p, &p->stretches[i]));
  for (size_t h = 0; h < p->band_count; h++)
    if (p->bands[h].row == 0) p->bands[h].row = p->rows++;
  return 0;
}

static hc_rc read_hosts(hc_gantt *p, hc_result *r, hc_error *e)
{
  p->dimension = -1;
  p->amounts = HC_MIN(hc_result_amounts(r), HC_DIMENSIONS);
  TRY(hc_result_rows(r, "hosts", 4 + p->amounts, keep_host, p, e));
  TRY(hc_pieces_read(&p->pieces, &p->emit, r, (uint32_t)HC_MAX(p->dimension, 0)));
  TRY(cut_into_stretches(p));
  p->left = HC_GANTT_LEFT;
  p->is_areas = hc_gantt_wants_areas(p);
  if (p->band_count > 0 && !p->is_areas) p->left = HC_GANTT_LEFT_OF_HOSTS;
  TRY(note_legend(p, r));
  if (p->band_count == 0 || p->is_areas) return 0;
  p->dimension = HC_MAX(p->dimension, 0);
  (void)snprintf(p->dimension_name, sizeof p->dimension_name, "%s",
                 p->dimension == HC_DIM_CPU ? "cpu" : "the host");
  TRY(hc_result_rows(r, "hindcast", 2, name_dimension, p, e));
  TRY(hc_result_rows(r, "hosts", 4 + p->amounts, note_capacity, p, e));
  TRY(hc_result_rows(r, "host_changes", 3 + p->amounts, note_growth, p, e));
  TRY(hc_result_rows(r, "grants", 4 + p->amounts, keep_grant, p, e));
  sort_grants(p->grants, p->grant_count);
  return choose_rows(p);
}

/* ---- all of it ---- */

static hc_rc take_zone(void *ctx, const char *const *values)
{
  hc_calendar_of_site *c = ctx;
  if (values[0] && values[1] && strcmp(values[0], "zone") == 0)
    (void)snprintf(c->zone, sizeof c->zone, "%s", values[1]);
  return 0;
}

/* The site's calendar: its zone is said by the run, or else by the log. */
static hc_rc read_calendar(hc_gantt *p, hc_result *r, hc_error *e)
{
  const char *zone = hc_result_config(r, "zone");
  const int64_t offset = hc_emit_fact(r, "zone_offset"), start = hc_emit_fact(r, "unix_start");
  p->calendar = (hc_calendar_of_site){.unix_start = start == 0 ? HC_UNKNOWN : start, /* 1970 is no date */
                                      .offset = offset == HC_UNKNOWN ? 0 : (int32_t)offset,
                                      .allocator = p->allocator};
  if (!zone || !zone[0]) return hc_result_rows(r, "run_info", 2, take_zone, &p->calendar, e);
  (void)snprintf(p->calendar.zone, sizeof p->calendar.zone, "%s", zone);
  return 0;
}

hc_rc hc_gantt_read(hc_gantt *p, hc_result *r, hc_error *e)
{
  hc_map_init(&p->totals, p->allocator);
  TRY(read_calendar(p, r, e));
  p->processors = hc_emit_fact(r, "processors");
  if (p->processors == HC_UNKNOWN || p->processors <= 0)
    return hc_fail(e, HC_EINPUT, hc_result_path(r), 0, 0,
                   "the result does not say how many processors there were");
  TRY(hc_emit_tasks(&p->emit, r, HC_EMIT_STORED, note_span, p));
  p->from = p->o->from != HC_UNKNOWN ? p->o->from : p->first;
  p->to = p->o->to != HC_UNKNOWN ? p->o->to : p->last;
  if (p->first == HC_UNKNOWN || p->to <= p->from || p->to <= p->first || p->from >= p->last)
    return hc_fail(e, HC_EUSAGE, "gantt", 0, 0, "nothing ran between `from` and `to`; choose another window");
  TRY(hc_emit_tasks(&p->emit, r, HC_EMIT_STORED, keep_task, p));
  sort_by_start(p->tasks, p->count);
  note_colours(p);
  TRY(read_hosts(p, r, e));
  if (p->band_count > 0 || p->is_areas) return 0;
  TRY(hc_result_rows(r, "placements", 3, keep_placement, p, e));
  sort_placements(p->placements, p->placement_count);
  if (p->placement_count > 0) return 0;
  if ((double)p->stretch_count * (double)p->processors > WORK_LIMIT)
    return hc_fail(e, HC_ELIMIT, "gantt", 0, 0,
                   "%zu tasks on %" PRId64
                   " processors are too many for one picture; choose a window with `from` and `to`, or "
                   "detail=areas",
                   p->stretch_count, p->processors);
  p->free_from = hc_alloc(p->allocator, (size_t)p->processors * sizeof *p->free_from);
  return p->free_from ? 0 : HC_ENOMEM;
}

void hc_gantt_fini(hc_gantt *p)
{
  const hc_allocator *a = p->allocator;
  hc_free(a, p->tasks, p->cap * sizeof *p->tasks);
  hc_free(a, p->stretches, p->stretch_cap * sizeof *p->stretches);
  hc_pieces_fini(&p->pieces);
  hc_map_fini(&p->totals);
  hc_free(a, p->total, p->total_cap * sizeof *p->total);
  hc_legend_fini(&p->legend);
  hc_free(a, p->placements, p->placement_cap * sizeof *p->placements);
  for (size_t i = 0; i < p->band_count; i++) {
    hc_free(a, p->bands[i].name, p->bands[i].name_size);
    hc_free(a, p->bands[i].parts, p->bands[i].cap * sizeof *p->bands[i].parts);
  }
  hc_free(a, p->bands, p->band_cap * sizeof *p->bands);
  hc_free(a, p->grants, p->grant_cap * sizeof *p->grants);
  hc_free(a, p->used, p->used_cap * sizeof *p->used);
  hc_free(a, p->free_from, (size_t)HC_MAX(p->processors, 0) * sizeof *p->free_from);
}
