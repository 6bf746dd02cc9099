/* rectangles.c -- see rectangles.h. */
#include "output/rectangles.h"

#include <string.h>

#include "base/sort.h"
#include "hindcast/cell.h"

#define AMOUNT_MOST ((int64_t)1 << 53)
#define FOR_GOOD 1 /* how an attempt was stopped: HC_STOP_KILL of plan.h */

/* ---- hosts ---- */

static hc_rc amount_of(hc_rectangles *x, const char *table, const char *text, int64_t *out)
{
  *out = 0;
  return text ? hc_emit_number(x->emit, table, text, 0, AMOUNT_MOST, out) : 0;
}

static hc_rc keep_host(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  const char *name = values[1] ? values[1] : "";
  TRY(hc_reserve(x->allocator, (void **)&x->hosts, &x->host_cap, x->host_count + 1, sizeof *x->hosts));
  hc_rectangle_host *h = &x->hosts[x->host_count];
  *h = (hc_rectangle_host){.name_size = strlen(name) + 1};
  h->name = hc_alloc(x->allocator, h->name_size);
  if (!h->name) return HC_ENOMEM;
  x->host_count++;
  memcpy(h->name, name, h->name_size);
  for (int d = 0; d < (int)x->amounts; d++) {
    int64_t amount;
    TRY(amount_of(x, "hosts", values[4 + d], &amount));
    if (amount > 0 && (x->dimension < 0 || d < x->dimension)) x->dimension = d;
  }
  return 0;
}

static hc_rc note_size(hc_rectangles *x, const char *table, const char *host_text, const char *amount_text)
{
  int64_t host, amount;
  TRY(hc_emit_number(x->emit, table, host_text, 0, UINT32_MAX, &host));
  TRY(amount_of(x, table, amount_text, &amount));
  if ((size_t)host < x->host_count) x->hosts[host].size = HC_MAX(x->hosts[host].size, amount);
  return 0;
}

static hc_rc hear_size(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  return note_size(x, "hosts", values[0], values[4 + x->dimension]);
}

static hc_rc hear_change(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  return note_size(x, "host_changes", values[1], values[3 + x->dimension]);
}

/* A band for each host, or one for all processors. */
static hc_rc make_bands(hc_rectangles *x)
{
  const int64_t processors = hc_emit_fact(x->result, "processors");
  hc_error *e = x->emit->error;
  x->dimension = -1;
  x->amounts = HC_MIN(hc_result_amounts(x->result), HC_DIMENSIONS);
  TRY(hc_result_rows(x->result, "hosts", 4 + x->amounts, keep_host, x, e));
  if (x->host_count == 0) return hc_lanes_add(&x->lanes, HC_MAX(processors, 0));
  x->dimension = HC_MAX(x->dimension, 0);
  TRY(hc_result_rows(x->result, "hosts", 4 + x->amounts, hear_size, x, e));
  TRY(hc_result_rows(x->result, "host_changes", 3 + x->amounts, hear_change, x, e));
  for (size_t i = 0; i < x->host_count; i++) {
    x->hosts[i].first = x->lanes.total;
    TRY(hc_lanes_add(&x->lanes, x->hosts[i].size));
  }
  return 0;
}

/* ---- what tasks had ---- */

static hc_rc add_grant(hc_rectangles *x, hc_rectangle_grant g)
{
  TRY(hc_reserve(x->allocator, (void **)&x->grants, &x->grant_cap, x->grant_count + 1, sizeof *x->grants));
  x->grants[x->grant_count++] = g;
  return 0;
}

static hc_rc hear_grant(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  int64_t serial, host, amount;
  TRY(hc_emit_number(x->emit, "grants", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(x->emit, "grants", values[1], 0, UINT32_MAX, &host));
  TRY(amount_of(x, "grants", values[4 + x->dimension], &amount));
  return add_grant(x, (hc_rectangle_grant){serial, amount, (uint32_t)host, 0});
}

static hc_rc hear_stop_grant(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  int64_t serial, times, host, amount;
  TRY(hc_emit_number(x->emit, "stop_grants", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(x->emit, "stop_grants", values[1], 1, UINT32_MAX, &times));
  TRY(hc_emit_number(x->emit, "stop_grants", values[2], 0, UINT32_MAX, &host));
  TRY(amount_of(x, "stop_grants", values[5 + x->dimension], &amount));
  return add_grant(x, (hc_rectangle_grant){serial, amount, (uint32_t)host, (uint32_t)times});
}

static hc_rc hear_placement(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  int64_t serial, first, count;
  TRY(hc_emit_number(x->emit, "placements", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(x->emit, "placements", values[1], 0, UINT32_MAX, &first));
  TRY(hc_emit_number(x->emit, "placements", values[2], 0, UINT32_MAX, &count));
  x->are_named = true;
  return add_grant(x, (hc_rectangle_grant){serial, count, (uint32_t)first, 0});
}

HC_SORT(sort_grants, hc_rectangle_grant,
        a->serial != b->serial ? a->serial < b->serial
        : a->times != b->times ? a->times < b->times
        : a->host != b->host   ? a->host < b->host
                               : a->amount < b->amount)

/* What tasks hold that run on when the run ends stands apart. */
static hc_rc read_grants(hc_rectangles *x)
{
  hc_error *e = x->emit->error;
  if (x->host_count == 0) {
    TRY(hc_result_rows(x->result, "placements", 3, hear_placement, x, e));
    TRY(hc_result_rows(x->result, "open_grants", 4 + HC_NEEDS, hear_placement, x, e));
  } else {
    TRY(hc_result_rows(x->result, "grants", 4 + x->amounts, hear_grant, x, e));
    TRY(hc_result_rows(x->result, "open_grants", 4 + x->amounts, hear_grant, x, e));
    TRY(hc_result_rows(x->result, "stop_grants", 5 + x->amounts, hear_stop_grant, x, e));
  }
  sort_grants(x->grants, x->grant_count);
  return 0;
}

static size_t first_grant(const hc_rectangles *x, int64_t serial, uint32_t times)
{
  size_t low = 0, high = x->grant_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const hc_rectangle_grant *g = &x->grants[middle];
    if (g->serial < serial || (g->serial == serial && g->times < times)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* ---- stretches: a task, a size of it, an attempt ---- */

static hc_rc add_stretch(hc_rectangles *x, hc_rectangle_stretch s)
{
  if (s.start == HC_UNKNOWN || s.end == HC_UNKNOWN || s.end <= s.start) return 0;
  TRY(hc_reserve(x->allocator, (void **)&x->stretches, &x->stretch_cap, x->stretch_count + 1,
                 sizeof *x->stretches));
  x->stretches[x->stretch_count++] = s;
  return 0;
}

/* A task that runs when the run ends is drawn until then. */
static hc_time end_of(const hc_rectangles *x, const hc_task_record *t)
{
  return t->end == HC_UNKNOWN && t->start != HC_UNKNOWN ? x->end : t->end;
}

/* Where a task was suspended, as its rates say; a task without any is one stretch. */
static hc_rc cut_by_rates(hc_rectangles *x, uint32_t row)
{
  const hc_task_record *t = &x->tasks[row];
  hc_rectangle_stretch s = {.start = t->start, .row = row, .units = t->units};
  bool holds = true;
  size_t low = 0, high = x->rate_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (x->rates[middle].serial < t->serial) low = middle + 1;
    else high = middle;
  }
  for (; low < x->rate_count && x->rates[low].serial == t->serial; low++) {
    const hc_rectangle_rate *r = &x->rates[low];
    if (r->at < t->start) continue; /* of an attempt that was stopped */
    s.end = r->at;
    if (holds) TRY(add_stretch(x, s));
    s.start = r->at;
    s.kind = r->works ? HC_RECTANGLE_RUN : HC_RECTANGLE_HELD;
    holds = r->holds;
  }
  s.end = end_of(x, t);
  return holds ? add_stretch(x, s) : 0;
}

static hc_rc cut_task(hc_rectangles *x, uint32_t row)
{
  const hc_task_record *t = &x->tasks[row];
  const hc_piece *of;
  const hc_rc n = hc_pieces_of(&x->pieces, t, &of);
  TRY(n);
  if (n == 0) return cut_by_rates(x, row);
  for (hc_rc k = 0; k < n; k++)
    TRY(add_stretch(x, (hc_rectangle_stretch){.start = of[k].from,
                                              .end = k + 1 < n ? of[k + 1].from : end_of(x, t),
                                              .row = row,
                                              .piece = (uint32_t)k + 1,
                                              .units = of[k].units >= 0 ? of[k].units : t->units}));
  return 0;
}

static hc_rc add_attempt(hc_rectangles *x, const char *table, const char *const *values)
{
  int64_t serial, times, start, end;
  TRY(hc_emit_number(x->emit, table, values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(x->emit, table, values[1], 1, UINT32_MAX, &times));
  TRY(hc_emit_number(x->emit, table, values[2], INT64_MIN, INT64_MAX, &start));
  TRY(hc_emit_number(x->emit, table, values[3], INT64_MIN, INT64_MAX, &end));
  const uint32_t row = hc_map_get(&x->rows, (uint64_t)serial);
  if (row == HC_MAP_NONE) return 0;
  return add_stretch(x, (hc_rectangle_stretch){.start = start,
                                               .end = end,
                                               .row = row,
                                               .times = (uint32_t)times,
                                               .kind = HC_RECTANGLE_STOPPED,
                                               .units = x->tasks[row].units});
}

/* One that was killed ended there: its last attempt is the task's own. */
static hc_rc hear_stop(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  int64_t how;
  TRY(hc_emit_number(x->emit, "stops", values[4], 0, UINT32_MAX, &how));
  return how == FOR_GOOD ? 0 : add_attempt(x, "stops", values);
}

static hc_rc hear_attempt(void *ctx, const char *const *values)
{
  return add_attempt(ctx, "attempts", values);
}

static hc_rc hear_rate(void *ctx, const char *const *values)
{
  hc_rectangles *x = ctx;
  int64_t serial, at, rate, holds;
  TRY(hc_emit_number(x->emit, "rates", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(x->emit, "rates", values[1], INT64_MIN, INT64_MAX, &at));
  TRY(hc_emit_number(x->emit, "rates", values[2], 0, INT64_MAX, &rate));
  TRY(hc_emit_number(x->emit, "rates", values[3], 0, 1, &holds));
  TRY(hc_reserve(x->allocator, (void **)&x->rates, &x->rate_cap, x->rate_count + 1, sizeof *x->rates));
  x->rates[x->rate_count] = (hc_rectangle_rate){
      .serial = serial, .at = at, .place = x->rate_count, .works = rate > 0, .holds = holds > 0};
  x->rate_count++;
  return 0;
}

HC_SORT(sort_rates, hc_rectangle_rate, a->serial != b->serial ? a->serial < b->serial : a->place < b->place)

HC_SORT(sort_stretches, hc_rectangle_stretch,
        a->start != b->start   ? a->start < b->start
        : a->row != b->row     ? a->row < b->row
        : a->piece != b->piece ? a->piece < b->piece
        : a->times != b->times ? a->times < b->times
                               : a->kind < b->kind)

static hc_rc cut_all(hc_rectangles *x)
{
  hc_error *e = x->emit->error;
  TRY(hc_pieces_read(&x->pieces, x->emit, x->result, (uint32_t)HC_MAX(x->dimension, 0)));
  TRY(hc_result_rows(x->result, "rates", 4, hear_rate, x, e));
  sort_rates(x->rates, x->rate_count);
  for (size_t i = 0; i < x->task_count; i++) {
    TRY(hc_map_set(&x->rows, (uint64_t)x->tasks[i].serial, (uint32_t)i));
    TRY(cut_task(x, (uint32_t)i));
  }
  TRY(hc_result_rows(x->result, "stops", 7, hear_stop, x, e));
  if (x->host_count == 0) TRY(hc_result_rows(x->result, "attempts", 4, hear_attempt, x, e));
  sort_stretches(x->stretches, x->stretch_count);
  return 0;
}

/* ---- rectangles ---- */

static hc_rc add_rectangle(hc_rectangles *x, const hc_rectangle_stretch *s, int64_t first, int64_t count)
{
  TRY(hc_reserve(x->allocator, (void **)&x->items, &x->cap, x->count + 1, sizeof *x->items));
  x->items[x->count++] = (hc_rectangle){s->start, s->end, first, count, s->row, s->kind};
  return 0;
}

static hc_rc lay(hc_rectangles *x, const hc_rectangle_stretch *s, uint32_t band, int64_t amount)
{
  if (band >= x->lanes.band_count) return 0;
  TRY(hc_lanes_take(&x->lanes, band, s->start, s->end, amount));
  for (size_t i = 0; i < x->lanes.given_count; i++)
    TRY(add_rectangle(x, s, x->lanes.given[i].first, x->lanes.given[i].count));
  return 0;
}

/* @param host  or the first of named processors, of which there are `amount` */
static hc_rc lay_grant(hc_rectangles *x, const hc_rectangle_stretch *s, int64_t host, int64_t amount)
{
  if (x->host_count > 0) return lay(x, s, (uint32_t)host, amount);
  return add_rectangle(x, s, host, amount);
}

static hc_rc lay_stretch(hc_rectangles *x, const hc_rectangle_stretch *s)
{
  const int64_t serial = x->tasks[s->row].serial;
  size_t i = first_grant(x, serial, s->times);
  const hc_piece *of;
  if (s->piece > 0) {
    TRY(hc_pieces_of(&x->pieces, &x->tasks[s->row], &of));
    of += s->piece - 1;
    for (size_t k = 0; k < of->count; k++) {
      const hc_piece_row *row = &of->rows[k];
      if (x->host_count > 0 || x->are_named)
        TRY(lay_grant(x, s, row->host, x->are_named ? row->slots : row->amount));
    }
    if (of->count > 0 && (x->host_count > 0 || x->are_named)) return 0;
  }
  if (x->host_count == 0 && !x->are_named) return lay(x, s, 0, s->units);
  for (; i < x->grant_count && x->grants[i].serial == serial && x->grants[i].times == s->times; i++)
    TRY(lay_grant(x, s, x->grants[i].host, x->grants[i].amount));
  return 0;
}

/* ---- one lane for people ---- */

static void find_lane_amount(hc_rectangles *x)
{
  uint64_t d = x->host_count > 0 ? 0 : 1;
  for (size_t i = 0; i < x->host_count && d != 1; i++) d = hc_common_divisor((uint64_t)x->hosts[i].size, d);
  for (size_t i = 0; i < x->count && d != 1; i++) {
    d = hc_common_divisor((uint64_t)x->items[i].first, d);
    d = hc_common_divisor((uint64_t)x->items[i].count, d);
  }
  x->lane_amount = d > 0 ? (int64_t)d : 1;
}

/* ---- when the run ended ---- */

static void note_time(hc_rectangles *x, hc_time t)
{
  if (t != HC_UNKNOWN && t != HC_NEVER) x->end = HC_MAX(x->end, t);
}

static hc_rc hear_info(void *ctx, const char *const *values)
{
  hc_time t;
  if (values[0] && values[1] && strcmp(values[0], "simulated_s") == 0 &&
      hc_parse_seconds(values[1], strlen(values[1]), &t) == 0)
    note_time(ctx, t);
  return 0;
}

/* As far as anything says it. */
static hc_rc find_end(hc_rectangles *x)
{
  x->end = HC_UNKNOWN;
  for (size_t i = 0; i < x->task_count; i++) {
    note_time(x, x->tasks[i].submit);
    note_time(x, x->tasks[i].start);
    note_time(x, x->tasks[i].end);
  }
  return hc_result_rows(x->result, "run_info", 2, hear_info, x, x->emit->error);
}

hc_rc hc_rectangles_read(hc_rectangles *x, hc_emit *m, const hc_allocator *a, hc_result *r,
                         const hc_task_record *tasks, size_t count)
{
  *x = (hc_rectangles){.allocator = a, .emit = m, .result = r, .tasks = tasks, .task_count = count};
  x->pieces.allocator = a;
  hc_lanes_init(&x->lanes, a);
  hc_map_init(&x->rows, a);
  TRY(find_end(x));
  TRY(make_bands(x));
  TRY(read_grants(x));
  TRY(cut_all(x));
  for (size_t i = 0; i < x->stretch_count; i++) TRY(lay_stretch(x, &x->stretches[i]));
  x->lane_count = x->lanes.total;
  find_lane_amount(x);
  return 0;
}

void hc_rectangles_fini(hc_rectangles *x)
{
  const hc_allocator *a = x->allocator;
  for (size_t i = 0; i < x->host_count; i++) hc_free(a, x->hosts[i].name, x->hosts[i].name_size);
  hc_free(a, x->items, x->cap * sizeof *x->items);
  hc_free(a, x->hosts, x->host_cap * sizeof *x->hosts);
  hc_free(a, x->grants, x->grant_cap * sizeof *x->grants);
  hc_free(a, x->rates, x->rate_cap * sizeof *x->rates);
  hc_free(a, x->stretches, x->stretch_cap * sizeof *x->stretches);
  hc_pieces_fini(&x->pieces);
  hc_lanes_fini(&x->lanes);
  hc_map_fini(&x->rows);
}
