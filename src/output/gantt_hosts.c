/* gantt_hosts.c -- a cell of hosts in a picture: a band each, what is stacked in it, when it is away or
 * drains, and what is reserved. */
#include <inttypes.h>
#include <string.h>

#include "hindcast/cell.h"
#include "output/gantt.h"

#define RESERVATIONS_MOST ((int64_t)1 << 24)

/* ---- tasks in bands ---- */

/* Hundredths from the top of a height within a band; host 0 is the highest, as in a list. */
static int64_t y_in_band(const hc_gantt *p, uint32_t host, int64_t amount)
{
  const hc_gantt_band *b = &p->bands[host];
  const int64_t height = hc_gantt_field_height(p) * 100;
  const int64_t top = HC_GANTT_TOP * 100 + height * b->row / p->rows,
                bottom = HC_GANTT_TOP * 100 + height * (b->row + 1) / p->rows;
  const int64_t gap = bottom - top >= 600 ? 100 : 0; /* between bands, where there is room for it */
  const double share = b->capacity > 0 ? (double)HC_MIN(amount, b->capacity) / (double)b->capacity : 0;
  return bottom - (int64_t)(share * (double)(bottom - top - gap) + 0.5);
}

static hc_rc draw_part(hc_gantt *p, const hc_gantt_stretch *s, uint32_t host, int64_t from, int64_t size)
{
  return hc_gantt_tile(p, s, p->bands[host].name, y_in_band(p, host, from + size), y_in_band(p, host, from));
}

static void drop_ended(hc_gantt_band *b, hc_time now)
{
  size_t kept = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->parts[i].end > now) b->parts[kept++] = b->parts[i];
  b->count = kept;
}

/* The lowest free parts of a host, from the bottom up. What is more than it has lies over all of it. */
static hc_rc draw_grant(hc_gantt *p, const hc_gantt_stretch *s, uint32_t host, int64_t amount)
{
  hc_gantt_band *b = &p->bands[host];
  int64_t left = HC_MIN(HC_MAX(amount, 0), b->capacity), at = 0;
  drop_ended(b, s->start);
  if (left == 0) return draw_part(p, s, host, 0, 0);
  for (size_t i = 0; i <= b->count && left > 0; i++) {
    const int64_t end = i < b->count ? b->parts[i].from : b->capacity, size = HC_MIN(end - at, left);
    if (size > 0) {
      TRY(hc_reserve(p->allocator, (void **)&b->parts, &b->cap, b->count + 1, sizeof *b->parts));
      memmove(b->parts + i + 1, b->parts + i, (b->count - i) * sizeof *b->parts);
      b->parts[i] = (hc_gantt_part){at, size, s->end};
      b->count++;
      left -= size;
      TRY(draw_part(p, s, host, at, size));
    }
    if (i < b->count) at = HC_MAX(at, b->parts[i].from + b->parts[i].size);
  }
  return left > 0 ? draw_part(p, s, host, 0, left) : 0;
}

hc_rc hc_gantt_draw_on_hosts(hc_gantt *p, const hc_gantt_stretch *s)
{
  const int64_t serial = p->tasks[s->task].serial;
  const hc_piece *of;
  const hc_rc own = hc_gantt_rows_of(p, s, &of);
  TRY(own);
  for (size_t i = 0; own > 0 && i < of->count; i++)
    if ((size_t)of->rows[i].host < p->band_count)
      TRY(draw_grant(p, s, (uint32_t)of->rows[i].host, of->rows[i].amount));
  if (own > 0) return 0;
  for (size_t i = hc_gantt_first_grant(p, serial); i < p->grant_count && p->grants[i].serial == serial; i++)
    if (p->grants[i].host < p->band_count) TRY(draw_grant(p, s, p->grants[i].host, p->grants[i].amount));
  return 0;
}

/* ---- what happened to hosts ---- */

static void shade(hc_gantt *p, uint32_t host, hc_time until)
{
  hc_gantt_band *b = &p->bands[host];
  if (b->row < 0 || b->away == HC_UNKNOWN || until <= p->from || b->away >= p->to) return;
  hc_gantt_box(p, b->away, until, y_in_band(p, host, b->capacity), y_in_band(p, host, 0));
  hc_buffer_text(&p->emit.text, "\"");
  hc_gantt_fill(p, HC_INK_RULE);
  hc_buffer_printf(&p->emit.text, "%s><title>", b->drains ? " fill-opacity=\".6\"" : "");
  hc_xml_text(&p->emit.text, b->name, strlen(b->name));
  hc_buffer_printf(&p->emit.text, " %s</title></rect>\n", b->drains ? "drains" : "is away");
}

static hc_rc hear_change(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t at, host, change;
  TRY(hc_emit_number(&p->emit, "host_changes", values[0], INT64_MIN, INT64_MAX, &at));
  TRY(hc_emit_number(&p->emit, "host_changes", values[1], 0, UINT32_MAX, &host));
  TRY(hc_emit_number(&p->emit, "host_changes", values[2], 0, UINT32_MAX, &change));
  if ((size_t)host >= p->band_count || change == HC_HOST_RESIZE) return 0;
  shade(p, (uint32_t)host, at);
  p->bands[host].away = change == HC_HOST_UP ? HC_UNKNOWN : at;
  p->bands[host].drains = change == HC_HOST_DRAIN;
  return hc_emit_row(&p->emit);
}

/* ---- advance reservations ---- */

static void reserved_box(hc_gantt *p, const int64_t *n, int64_t top, int64_t bottom)
{
  hc_gantt_box(p, HC_MAX(n[1], p->from), HC_MIN(n[2], p->to), top, bottom);
  hc_buffer_text(&p->emit.text, "\"");
  hc_gantt_fill(p, (hc_ink)HC_GANTT_RESERVED);
  hc_buffer_text(&p->emit.text, "><title>");
  if ((size_t)n[0] >= p->used_count || !p->used[n[0]]) hc_buffer_text(&p->emit.text, "announced downtime");
  else hc_buffer_printf(&p->emit.text, "reservation %" PRId64, n[0] + 1);
  hc_buffer_text(&p->emit.text, "</title></rect>\n");
}

/* What no user may use is downtime. */
static hc_rc hear_reservation_user(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t n;
  TRY(hc_emit_number(&p->emit, "reservation_users", values[0], 0, RESERVATIONS_MOST, &n));
  TRY(hc_reserve(p->allocator, (void **)&p->used, &p->used_cap, (size_t)n + 1, sizeof *p->used));
  while (p->used_count <= (size_t)n) p->used[p->used_count++] = false;
  p->used[n] = true;
  return 0;
}

/* Its hosts; an amount of processors, wherever they are, is drawn at the top. */
static hc_rc hear_reservation(void *ctx, const char *const *values)
{
  hc_gantt *p = ctx;
  int64_t n[6];
  for (int i = 0; i < 6; i++) TRY(hc_emit_number(&p->emit, "reservations", values[i], 0, INT64_MAX, &n[i]));
  if (n[1] >= p->to || n[2] <= p->from) return 0;
  if (p->band_count == 0)
    reserved_box(p, n, hc_gantt_y(p, p->processors),
                 hc_gantt_y(p, p->processors - HC_MIN(n[3], p->processors)));
  for (int64_t h = n[4]; h < n[4] + n[5] && h < (int64_t)p->band_count; h++)
    if (p->bands[h].row >= 0)
      reserved_box(p, n, y_in_band(p, (uint32_t)h, p->bands[h].capacity), y_in_band(p, (uint32_t)h, 0));
  return hc_emit_row(&p->emit);
}

hc_rc hc_gantt_draw_reservations(hc_gantt *p, hc_result *r)
{
  TRY(hc_result_rows(r, "reservation_users", 3, hear_reservation_user, p, p->emit.error));
  return hc_result_rows(r, "reservations", 6, hear_reservation, p, p->emit.error);
}

/* ---- bands ---- */

/* Bands, their names as far as there is room for them, and what happened to hosts. */
hc_rc hc_gantt_draw_bands(hc_gantt *p, hc_result *r)
{
  const int64_t height = hc_gantt_field_height(p) * 100,
                every = HC_MAX((1100 * p->rows + height - 1) / height, 1);
  const int64_t most = (p->left - 8) / 6; /* letters, about */
  for (uint32_t h = 0; h < p->band_count; h++) {
    const hc_gantt_band *b = &p->bands[h];
    if (b->row < 0) continue;
    const int64_t top = y_in_band(p, h, b->capacity), bottom = y_in_band(p, h, 0);
    if (bottom - top >= 500) {
      hc_gantt_box(p, p->from, p->to, top, bottom);
      hc_buffer_text(&p->emit.text, "\"");
      hc_gantt_fill(p, HC_INK_SHADE);
      hc_buffer_text(&p->emit.text, "/>\n");
    }
    const int64_t label = every > 1 ? top + 800 : (top + bottom) / 2 + 350;
    if (b->row % every != 0 || label > HC_GANTT_TOP * 100 + height) continue;
    hc_buffer_printf(&p->emit.text, "<text text-anchor=\"end\" font-size=\"10\" x=\"%" PRId64 "\" y=\"",
                     p->left - 5);
    hc_gantt_number(p, label);
    hc_buffer_text(&p->emit.text, "\">");
    hc_xml_text(&p->emit.text, b->name, (size_t)HC_MIN((int64_t)strlen(b->name), most));
    hc_buffer_text(&p->emit.text, "</text>\n");
    TRY(hc_emit_row(&p->emit));
  }
  TRY(hc_result_rows(r, "host_changes", 3 + HC_NEEDS, hear_change, p, p->emit.error));
  for (uint32_t h = 0; h < p->band_count; h++) shade(p, h, p->to);
  return 0;
}
