/* gantt.c -- the schedule as a picture (SVG): processors or hosts upwards, time to the right, a box a task.
 *
 * Where processors have names, each task stands on its own; elsewhere tasks are laid on the lowest processors
 * that are free when they start, which is one placement that the schedule allows, and the picture says so.
 * Colours go by user, or what the option says; by task if all are of one (legend.h says which is which).
 * On hosts each has a band, as high as all others. A task is as high in it as its share of the host's first
 * dimension (cores), and lies on the lowest parts that are free when it starts: which cores it has no record
 * says. A host that is away is grey, one that drains is lighter. An attempt that was lost with its host is
 * not drawn. A task whose size changed is a rectangle for each size (pieces.h). A strip below shows how many
 * tasks wait. The same result gives the same bytes: hundredths of a pixel.
 * Memory: the tasks of the window. Cost: O(tasks x processors); beyond 2 x 10^9 it asks for less. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "output/legend.h"
#include "output/pieces.h"

typedef struct options {
  hc_time from, to;
  int64_t width, height;
  int hosts, colour;
  bool legend, labels;
} options;

enum { HOSTS_AUTO, HOSTS_ALL, HOSTS_USED };
enum { COLOUR_USER, COLOUR_GROUP, COLOUR_EXECUTABLE, COLOUR_QUEUE, COLOUR_PARTITION, COLOUR_TASK };

typedef struct placed {
  int64_t serial;
  uint32_t first, count;
} placed;

/* What a task had on a host. */
typedef struct grant {
  int64_t serial, amount; /* of the first dimension */
  uint32_t host;
} grant;

/* A part of a host that is taken until `end`. */
typedef struct part {
  int64_t from, size;
  hc_time end;
} part;

/* A rectangle or several: a task, or of a resized one the stretch in which it held the same. */
typedef struct stretch {
  hc_time start, end;
  size_t task; /* in picture.tasks */
  int64_t units;
  uint32_t piece, padding; /* which of the task's; 0: it has none, and is drawn by its grants or placements */
} stretch;

typedef struct band {
  char *name;
  size_t name_size;
  int64_t capacity;
  part *parts; /* [count] by `from` */
  size_t count, cap;
  hc_time away; /* since when it is, or drains; HC_UNKNOWN: neither */
  int64_t row;  /* from the top; -1: not drawn */
  bool drains;
} band;

typedef struct picture {
  hc_emit emit;
  hc_result *result;
  const options *o;
  const hc_allocator *allocator;
  hc_task_record *tasks; /* [count] that overlap the window, by start */
  size_t count, cap;
  stretch *stretches; /* [stretch_count] that are drawn, by start */
  size_t stretch_count, stretch_cap;
  hc_pieces pieces;
  placed *placements; /* [placement_count] by serial; none if processors have no names */
  size_t placement_count, placement_cap;
  hc_time *free_from; /* [processors] */
  band *bands;        /* [band_count] hosts; none on a cell of processors */
  size_t band_count, band_cap;
  int64_t rows;  /* bands that are drawn */
  grant *grants; /* [grant_count] by serial */
  size_t grant_count, grant_cap;
  bool *used; /* [used_count] by reservation: some user may use it */
  size_t used_count, used_cap;
  uint32_t amounts; /* that its tables have */
  int dimension;    /* that heights are shares of */
  char dimension_name[32];
  int64_t left; /* margin */
  bool by_task; /* colours */
  hc_legend legend;
  hc_time from, to;
  int64_t processors;
  hc_time first, last; /* of all tasks */
} picture;

#define AMOUNT_MOST ((int64_t)1 << 53)
#define RESERVATIONS_MOST ((int64_t)1 << 24)
enum { LEFT = 60, LEFT_OF_HOSTS = 120, RIGHT = 35 };
#define TOP 40
#define STRIP 80 /* height of the strip of waiting tasks */
#define FOOT 30
#define WORK_LIMIT 2e9

static const hc_param params[] = {
    HC_PARAM(TIME, options, from, "s", NULL, 0, 0, "Begin of the picture; the first start if absent."),
    HC_PARAM(TIME, options, to, "s", NULL, 0, 0, "End of the picture; the last end if absent."),
    HC_PARAM(INT, options, width, "pixels", "1200", 100, 20000, "Of the whole picture."),
    HC_PARAM(INT, options, height, "pixels", "600", 200, 20000, "Of the whole picture."),
    HC_PARAM(CHOICE, options, hosts, "auto|all|used", "auto",
             "Which hosts have a band: all, or those that a task uses in the window. auto: all, if each "
             "gets six pixels."),
    HC_PARAM(CHOICE, options, colour, "user|group|executable|queue|partition|task", "user",
             "Whose tasks have one colour. Where all of the window are of one, each task has its own."),
    HC_PARAM(BOOL, options, legend, "true",
             "Say below the picture whose colour is which: those that have most of it, in as many rows "
             "(two, one, none) as the height has room for."),
    HC_PARAM(BOOL, options, labels, "true", "Write the name of a task into its rectangle, if it fits."),
    {.name = NULL}};

/* ---- reading ---- */

static hc_rc note_span(void *ctx, const hc_task_record *t)
{
  picture *p = ctx;
  if (t->start == HC_UNKNOWN || t->end == HC_UNKNOWN) return 0;
  if (p->first == HC_UNKNOWN || t->start < p->first) p->first = t->start;
  if (p->last == HC_UNKNOWN || t->end > p->last) p->last = t->end;
  return 0;
}

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  picture *p = ctx;
  bool runs = t->start != HC_UNKNOWN && t->end != HC_UNKNOWN && t->start < p->to && t->end > p->from;
  bool waits = t->submit < p->to && (t->start == HC_UNKNOWN || t->start > p->from);
  if (!runs && !waits) return 0;
  TRY(hc_reserve(p->allocator, (void **)&p->tasks, &p->cap, p->count + 1, sizeof *p->tasks));
  p->tasks[p->count++] = *t;
  return 0;
}

static hc_rc keep_placement(void *ctx, const char *const *values)
{
  picture *p = ctx;
  int64_t serial, first, count;
  TRY(hc_emit_number(&p->emit, "placements", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(&p->emit, "placements", values[1], 0, UINT32_MAX / 2, &first));
  TRY(hc_emit_number(&p->emit, "placements", values[2], 0, UINT32_MAX / 2, &count));
  TRY(hc_reserve(p->allocator, (void **)&p->placements, &p->placement_cap, p->placement_count + 1,
                 sizeof *p->placements));
  p->placements[p->placement_count++] = (placed){serial, (uint32_t)first, (uint32_t)count};
  return 0;
}

HC_SORT(sort_by_start, hc_task_record, a->start != b->start ? a->start < b->start : a->serial < b->serial)

HC_SORT(sort_stretches, stretch,
        a->start != b->start ? a->start < b->start
        : a->task != b->task ? a->task < b->task
                             : a->piece < b->piece)

HC_SORT(sort_placements, placed, a->serial != b->serial ? a->serial < b->serial : a->first < b->first)

/* ---- drawing ---- */

static bool is_drawn(const picture *p, hc_time start, hc_time end)
{
  return start != HC_UNKNOWN && end != HC_UNKNOWN && end > start && start < p->to && end > p->from;
}

static hc_rc add_stretch(picture *p, stretch s)
{
  if (!is_drawn(p, s.start, s.end)) return 0;
  TRY(hc_reserve(p->allocator, (void **)&p->stretches, &p->stretch_cap, p->stretch_count + 1,
                 sizeof *p->stretches));
  p->stretches[p->stretch_count++] = s;
  return 0;
}

static hc_rc cut_into_stretches(picture *p)
{
  for (size_t i = 0; i < p->count; i++) {
    const hc_task_record *t = &p->tasks[i];
    const hc_piece *of;
    const hc_rc n = hc_pieces_of(&p->pieces, t, &of);
    TRY(n);
    if (n == 0)
      TRY(add_stretch(p, (stretch){.start = t->start, .end = t->end, .task = i, .units = t->units}));
    for (hc_rc k = 0; k < n; k++)
      TRY(add_stretch(p, (stretch){.start = of[k].from,
                                   .end = k + 1 < n ? of[k + 1].from : t->end,
                                   .task = i,
                                   .units = of[k].units >= 0 ? of[k].units : t->units,
                                   .piece = (uint32_t)k + 1}));
  }
  sort_stretches(p->stretches, p->stretch_count);
  return 0;
}

/* What a stretch held. @return 0: what its grants or placements say */
static hc_rc rows_of(picture *p, const stretch *s, const hc_piece **out)
{
  const hc_piece *of;
  if (s->piece == 0) return 0;
  TRY(hc_pieces_of(&p->pieces, &p->tasks[s->task], &of));
  *out = &of[s->piece - 1];
  return (*out)->count > 0;
}

static void number(picture *p, int64_t hundredths)
{
  hc_buffer_printf(&p->emit.text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
}

/* Hundredths of a pixel from the field's left edge. Exact enough: the window is at most as wide. */
static int64_t x_of(const picture *p, hc_time t)
{
  double share = (double)(HC_MIN(HC_MAX(t, p->from), p->to) - p->from) / (double)(p->to - p->from);
  return p->left * 100 + (int64_t)(share * (double)(p->o->width - p->left - RIGHT) * 100 + 0.5);
}

/* Where the picture ends and its legend begins. */
static int64_t end_of(const picture *p)
{
  return p->o->height - p->legend.rows * HC_LEGEND_ROW - (p->legend.rows > 0 ? 6 : 0);
}

static int64_t field_height(const picture *p)
{
  return end_of(p) - TOP - STRIP - FOOT;
}

/* Hundredths from the top; processor 0 is the lowest. */
static int64_t y_of(const picture *p, int64_t processor)
{
  return TOP * 100 + field_height(p) * 100 * (p->processors - processor) / p->processors;
}

/* At most so many bytes of a name: a tooltip is no place for more. */
static void name(picture *p, const char *text)
{
  enum { MOST = 200 };
  const size_t n = strlen(text);
  hc_emit_xml(&p->emit, text, HC_MIN(n, (size_t)MOST));
  if (n > MOST) hc_buffer_text(&p->emit.text, "...");
}

/* The times are the task's: a stretch of it adds its own. */
static void tooltip(picture *p, const stretch *s, const char *host)
{
  const hc_task_record *t = &p->tasks[s->task];
  char wait[32], ran[32], number[24];
  hc_format_duration(t->start - t->submit, wait);
  hc_format_duration(t->end - t->start, ran);
  hc_buffer_text(&p->emit.text, "<title>job ");
  name(p, hc_emit_task_called(p->result, t, number));
  if (t->user >= 0) {
    hc_buffer_text(&p->emit.text, ", user ");
    name(p, hc_emit_called(p->result, HC_CALLED_USER, t->user, number));
  }
  if (host) {
    hc_buffer_text(&p->emit.text, " on ");
    hc_emit_xml(&p->emit, host, strlen(host));
    hc_buffer_text(&p->emit.text, ":");
  } else hc_buffer_printf(&p->emit.text, ": %" PRId64 " processors,", s->units);
  if (s->piece > 0) {
    hc_format_duration(s->end - s->start, ran);
    hc_buffer_printf(&p->emit.text, " resized, for %s,", ran);
    hc_format_duration(t->end - t->start, ran);
  }
  const char *how = t->final == HC_FINAL_KILLED ? ", killed at its limit" : "";
  hc_buffer_printf(&p->emit.text, " waited %s, ran %s%s</title>", wait, ran, how);
}

/* What colours go by. */
static int64_t number_of(const picture *p, const hc_task_record *t)
{
  switch (p->o->colour) {
    case COLOUR_GROUP: return t->group;
    case COLOUR_EXECUTABLE: return t->executable;
    case COLOUR_QUEUE: return t->queue;
    case COLOUR_PARTITION: return t->partition;
    default: return t->user;
  }
}

static int hue(int64_t number)
{
  return (int)(((uint64_t)number * 137) % 360);
}

static int hue_of(const picture *p, const hc_task_record *t)
{
  return hue(p->by_task ? t->serial : number_of(p, t));
}

static void legend_colour(void *ctx, int64_t number)
{
  hc_buffer_printf(&((picture *)ctx)->emit.text, "hsl(%d,55%%,62%%)", hue(number));
}

static void box(picture *p, hc_time from, hc_time to, int64_t top, int64_t bottom)
{
  const int64_t x = x_of(p, from);
  hc_buffer_text(&p->emit.text, "<rect x=\"");
  number(p, x);
  hc_buffer_text(&p->emit.text, "\" y=\"");
  number(p, top);
  hc_buffer_text(&p->emit.text, "\" width=\"");
  number(p, HC_MAX(x_of(p, to) - x, 10));
  hc_buffer_text(&p->emit.text, "\" height=\"");
  number(p, HC_MAX(bottom - top, 10));
}

/* A white edge tells neighbours of one colour apart, where there is room for it. */
static hc_rc tile(picture *p, const stretch *s, const char *host, int64_t top, int64_t bottom)
{
  const hc_task_record *t = &p->tasks[s->task];
  const bool is_dark = t->final == HC_FINAL_KILLED;
  const hc_legend_box b = {x_of(p, s->start), top, x_of(p, s->end), bottom, is_dark};
  char number[24];
  box(p, s->start, s->end, top, bottom);
  hc_buffer_printf(&p->emit.text, "\" fill=\"hsl(%d,55%%,%d%%)\"%s>", hue_of(p, t), is_dark ? 40 : 62,
                   bottom - top >= 300 && b.right - b.left >= 300 ? " stroke=\"#fff\" stroke-width=\".5\""
                                                                  : "");
  tooltip(p, s, host);
  hc_buffer_text(&p->emit.text, "</rect>\n");
  if (p->o->labels) hc_legend_label(&p->emit, hc_emit_task_called(p->result, t, number), &b);
  return hc_emit_row(&p->emit);
}

static hc_rc rectangle(picture *p, const stretch *s, uint32_t first, uint32_t count)
{
  return tile(p, s, NULL, y_of(p, (int64_t)first + count), y_of(p, first));
}

static hc_rc draw_named(picture *p, const stretch *s)
{
  const int64_t serial = p->tasks[s->task].serial;
  const hc_piece *of;
  size_t low = 0, high = p->placement_count;
  const hc_rc own = rows_of(p, s, &of);
  TRY(own);
  for (size_t i = 0; own > 0 && i < of->count; i++)
    TRY(rectangle(p, s, (uint32_t)of->rows[i].host, (uint32_t)of->rows[i].slots));
  if (own > 0) return 0;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->placements[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  for (; low < p->placement_count && p->placements[low].serial == serial; low++)
    TRY(rectangle(p, s, p->placements[low].first, p->placements[low].count));
  return 0;
}

/* The lowest processors that are free at its start: runs of neighbours become one rectangle each. */
static hc_rc draw_laid(picture *p, const stretch *s)
{
  int64_t left = s->units;
  uint32_t first = 0, count = 0;
  for (int64_t i = 0; i < p->processors && left > 0; i++) {
    if (p->free_from[i] > s->start) continue;
    p->free_from[i] = s->end;
    left--;
    if (count > 0 && first + count == i) {
      count++;
      continue;
    }
    if (count > 0) TRY(rectangle(p, s, first, count));
    first = (uint32_t)i;
    count = 1;
  }
  return count > 0 ? rectangle(p, s, first, count) : 0;
}

/* ---- hosts ---- */

/* Hundredths from the top of a height within a band; host 0 is the highest, as in a list. */
static int64_t y_in_band(const picture *p, uint32_t host, int64_t amount)
{
  const band *b = &p->bands[host];
  const int64_t height = field_height(p) * 100;
  const int64_t top = TOP * 100 + height * b->row / p->rows,
                bottom = TOP * 100 + height * (b->row + 1) / p->rows;
  const int64_t gap = bottom - top >= 600 ? 100 : 0; /* between bands, where there is room for it */
  const double share = b->capacity > 0 ? (double)HC_MIN(amount, b->capacity) / (double)b->capacity : 0;
  return bottom - (int64_t)(share * (double)(bottom - top - gap) + 0.5);
}

static hc_rc draw_part(picture *p, const stretch *s, uint32_t host, int64_t from, int64_t size)
{
  return tile(p, s, p->bands[host].name, y_in_band(p, host, from + size), y_in_band(p, host, from));
}

static void drop_ended(band *b, hc_time now)
{
  size_t kept = 0;
  for (size_t i = 0; i < b->count; i++)
    if (b->parts[i].end > now) b->parts[kept++] = b->parts[i];
  b->count = kept;
}

/* The lowest free parts of a host, from the bottom up. What is more than it has lies over all of it. */
static hc_rc draw_grant(picture *p, const stretch *s, uint32_t host, int64_t amount)
{
  band *b = &p->bands[host];
  int64_t left = HC_MIN(HC_MAX(amount, 0), b->capacity), at = 0;
  drop_ended(b, s->start);
  if (left == 0) return draw_part(p, s, host, 0, 0);
  for (size_t i = 0; i <= b->count && left > 0; i++) {
    const int64_t end = i < b->count ? b->parts[i].from : b->capacity, size = HC_MIN(end - at, left);
    if (size > 0) {
      TRY(hc_reserve(p->allocator, (void **)&b->parts, &b->cap, b->count + 1, sizeof *b->parts));
      memmove(b->parts + i + 1, b->parts + i, (b->count - i) * sizeof *b->parts);
      b->parts[i] = (part){at, size, s->end};
      b->count++;
      left -= size;
      TRY(draw_part(p, s, host, at, size));
    }
    if (i < b->count) at = HC_MAX(at, b->parts[i].from + b->parts[i].size);
  }
  return left > 0 ? draw_part(p, s, host, 0, left) : 0;
}

static size_t first_grant(const picture *p, int64_t serial)
{
  size_t low = 0, high = p->grant_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->grants[middle].serial < serial) low = middle + 1;
    else high = middle;
  }
  return low;
}

static hc_rc draw_on_hosts(picture *p, const stretch *s)
{
  const int64_t serial = p->tasks[s->task].serial;
  const hc_piece *of;
  const hc_rc own = rows_of(p, s, &of);
  TRY(own);
  for (size_t i = 0; own > 0 && i < of->count; i++)
    if ((size_t)of->rows[i].host < p->band_count)
      TRY(draw_grant(p, s, (uint32_t)of->rows[i].host, of->rows[i].amount));
  if (own > 0) return 0;
  for (size_t i = first_grant(p, serial); i < p->grant_count && p->grants[i].serial == serial; i++)
    if (p->grants[i].host < p->band_count) TRY(draw_grant(p, s, p->grants[i].host, p->grants[i].amount));
  return 0;
}

static void shade(picture *p, uint32_t host, hc_time until)
{
  band *b = &p->bands[host];
  if (b->row < 0 || b->away == HC_UNKNOWN || until <= p->from || b->away >= p->to) return;
  box(p, b->away, until, y_in_band(p, host, b->capacity), y_in_band(p, host, 0));
  hc_buffer_printf(&p->emit.text, "\" fill=\"%s\"><title>", b->drains ? "#e4e4e4" : "#c4c4c4");
  hc_emit_xml(&p->emit, b->name, strlen(b->name));
  hc_buffer_printf(&p->emit.text, " %s</title></rect>\n", b->drains ? "drains" : "is away");
}

static hc_rc hear_change(void *ctx, const char *const *values)
{
  picture *p = ctx;
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

static void reserved_box(picture *p, const int64_t *n, int64_t top, int64_t bottom)
{
  box(p, HC_MAX(n[1], p->from), HC_MIN(n[2], p->to), top, bottom);
  hc_buffer_text(&p->emit.text, "\" fill=\"#dce6f2\"><title>");
  if ((size_t)n[0] >= p->used_count || !p->used[n[0]]) hc_buffer_text(&p->emit.text, "announced downtime");
  else hc_buffer_printf(&p->emit.text, "reservation %" PRId64, n[0] + 1);
  hc_buffer_text(&p->emit.text, "</title></rect>\n");
}

/* What no user may use is downtime. */
static hc_rc hear_reservation_user(void *ctx, const char *const *values)
{
  picture *p = ctx;
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
  picture *p = ctx;
  int64_t n[6];
  for (int i = 0; i < 6; i++) TRY(hc_emit_number(&p->emit, "reservations", values[i], 0, INT64_MAX, &n[i]));
  if (n[1] >= p->to || n[2] <= p->from) return 0;
  if (p->band_count == 0)
    reserved_box(p, n, y_of(p, p->processors), y_of(p, p->processors - HC_MIN(n[3], p->processors)));
  for (int64_t h = n[4]; h < n[4] + n[5] && h < (int64_t)p->band_count; h++)
    if (p->bands[h].row >= 0)
      reserved_box(p, n, y_in_band(p, (uint32_t)h, p->bands[h].capacity), y_in_band(p, (uint32_t)h, 0));
  return hc_emit_row(&p->emit);
}

static hc_rc draw_reservations(picture *p, hc_result *r)
{
  TRY(hc_result_rows(r, "reservation_users", 3, hear_reservation_user, p, p->emit.error));
  return hc_result_rows(r, "reservations", 6, hear_reservation, p, p->emit.error);
}

/* Bands, their names as far as there is room for them, and what happened to hosts. */
static hc_rc draw_bands(picture *p, hc_result *r)
{
  const int64_t height = field_height(p) * 100, every = HC_MAX((1100 * p->rows + height - 1) / height, 1);
  const int64_t most = (p->left - 8) / 6; /* letters, about */
  for (uint32_t h = 0; h < p->band_count; h++) {
    const band *b = &p->bands[h];
    if (b->row < 0) continue;
    const int64_t top = y_in_band(p, h, b->capacity), bottom = y_in_band(p, h, 0);
    if (bottom - top >= 500) {
      box(p, p->from, p->to, top, bottom);
      hc_buffer_text(&p->emit.text, "\" fill=\"#f5f5f5\"/>\n");
    }
    const int64_t label = every > 1 ? top + 800 : (top + bottom) / 2 + 350;
    if (b->row % every != 0 || label > TOP * 100 + height) continue;
    hc_buffer_printf(&p->emit.text, "<text text-anchor=\"end\" font-size=\"10\" x=\"%" PRId64 "\" y=\"",
                     p->left - 5);
    number(p, label);
    hc_buffer_text(&p->emit.text, "\">");
    hc_emit_xml(&p->emit, b->name, (size_t)HC_MIN((int64_t)strlen(b->name), most));
    hc_buffer_text(&p->emit.text, "</text>\n");
    TRY(hc_emit_row(&p->emit));
  }
  TRY(hc_result_rows(r, "host_changes", 3 + HC_NEEDS, hear_change, p, p->emit.error));
  for (uint32_t h = 0; h < p->band_count; h++) shade(p, h, p->to);
  return 0;
}

static hc_rc draw_tasks(picture *p)
{
  for (size_t i = 0; i < p->stretch_count; i++) {
    const stretch *s = &p->stretches[i];
    if (p->band_count > 0) TRY(draw_on_hosts(p, s));
    else TRY(p->placement_count > 0 ? draw_named(p, s) : draw_laid(p, s));
  }
  return 0;
}

/* ---- the strip of waiting tasks ---- */

typedef struct change {
  hc_time at;
  int64_t by;
} change;

HC_SORT(sort_changes, change, a->at != b->at ? a->at < b->at : a->by < b->by)

static hc_rc draw_strip(picture *p)
{
  size_t n = 0;
  int64_t waiting = 0, most = 1, bottom = (end_of(p) - FOOT) * 100, height = (STRIP - 20) * 100;
  change *c = hc_alloc(p->allocator, (2 * p->count + 1) * sizeof *c);
  if (!c) return HC_ENOMEM;
  for (size_t i = 0; i < p->count; i++) {
    hc_time left = p->tasks[i].start != HC_UNKNOWN ? p->tasks[i].start : p->tasks[i].end;
    c[n++] = (change){HC_MAX(p->tasks[i].submit, p->from), 1};
    c[n++] = (change){left == HC_UNKNOWN ? HC_NEVER : HC_MAX(left, p->from), -1};
  }
  sort_changes(c, n);
  for (size_t i = 0; i < n && c[i].at < p->to; i++) {
    waiting += c[i].by;
    if (i + 1 == n || c[i + 1].at != c[i].at) most = HC_MAX(most, waiting);
  }
  hc_buffer_printf(&p->emit.text,
                   "<text x=\"4\" y=\"%" PRId64 "\">waiting</text><text x=\"4\" y=\"%" PRId64
                   "\">max %" PRId64 "</text>\n<path fill=\"#888\" d=\"M",
                   end_of(p) - FOOT - 24, end_of(p) - FOOT - 8, most);
  number(p, x_of(p, p->from));
  hc_buffer_text(&p->emit.text, " ");
  number(p, bottom);
  waiting = 0;
  for (size_t i = 0; i < n && c[i].at < p->to; i++) {
    waiting += c[i].by;
    if (i + 1 < n && c[i + 1].at == c[i].at) continue;
    hc_buffer_text(&p->emit.text, "H");
    number(p, x_of(p, c[i].at));
    hc_buffer_text(&p->emit.text, "V");
    number(p, bottom - height * waiting / most);
  }
  hc_buffer_text(&p->emit.text, "H");
  number(p, x_of(p, p->to));
  hc_buffer_text(&p->emit.text, "V");
  number(p, bottom);
  hc_buffer_text(&p->emit.text, "Z\"/>\n");
  hc_free(p->allocator, c, (2 * p->count + 1) * sizeof *c);
  return 0;
}

/* ---- around it ---- */

static void draw_axis(picture *p)
{
  static const int32_t seconds[] = {
      1,    2,     5,     10,    20,    30,     60,     120,    300,     600,     1200,     1800,     3600,
      7200, 10800, 21600, 43200, 86400, 172800, 604800, 864000, 2592000, 7776000, 31536000, 315360000};
  size_t i = 0;
  const hc_time most = (p->o->width - p->left - RIGHT) / 100;
  while (i + 1 < HC_ARRAY_LEN(seconds) && (p->to - p->from) / (seconds[i] * HC_SECOND) > most) i++;
  const hc_time step = seconds[i] * HC_SECOND;
  for (hc_time t = (p->from + step - 1) / step * step; t <= p->to; t += step) {
    char label[32];
    int64_t x = x_of(p, t);
    hc_format_duration(t, label);
    if (t >= HC_DAY && t % HC_DAY == 0) label[strcspn(label, " ")] = '\0';          /* whole days */
    else if (t >= HC_DAY && step % HC_MINUTE == 0) label[strlen(label) - 3] = '\0'; /* whole minutes */
    hc_buffer_text(&p->emit.text, "<path stroke=\"#ccc\" d=\"M");
    number(p, x);
    hc_buffer_printf(&p->emit.text, " %dV%" PRId64 "\"/><text text-anchor=\"middle\" x=\"", TOP,
                     end_of(p) - FOOT);
    number(p, x);
    hc_buffer_printf(&p->emit.text, "\" y=\"%" PRId64 "\">%s</text>\n", end_of(p) - 12, label);
    if (t > HC_NEVER - step) break;
  }
}

static void draw_head(picture *p, hc_result *r)
{
  const char *name = hc_result_config(r, "name");
  hc_buffer_printf(&p->emit.text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64
                   "\" viewBox=\"0 0 %" PRId64 " %" PRId64 "\" font-family=\"sans-serif\" font-size=\"11\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
                   "<text x=\"%d\" y=\"24\" font-size=\"15\">",
                   p->o->width, p->o->height, p->o->width, p->o->height, (int)p->left);
  if (name) hc_emit_xml(&p->emit, name, strlen(name));
  if (p->band_count > 0) {
    if (p->rows < (int64_t)p->band_count) hc_buffer_printf(&p->emit.text, ", %" PRId64 " of", p->rows);
    else hc_buffer_text(&p->emit.text, ",");
    hc_buffer_printf(&p->emit.text, " %zu host%s (height: share of ", p->band_count,
                     p->band_count == 1 ? "" : "s");
    hc_emit_xml(&p->emit, p->dimension_name, strlen(p->dimension_name));
    hc_buffer_text(&p->emit.text, ")</text>\n");
    return;
  }
  hc_buffer_printf(&p->emit.text,
                   ", %" PRId64 " processors%s</text>\n<text x=\"4\" y=\"%d\">%" PRId64
                   "</text><text x=\"4\" y=\"%" PRId64 "\">0</text>\n",
                   p->processors, p->placement_count > 0 ? "" : " (laid on the lowest that are free)",
                   TOP + 10, p->processors, TOP + field_height(p));
}

static hc_rc draw(picture *p, hc_result *r)
{
  draw_head(p, r);
  if (p->band_count > 0) TRY(draw_bands(p, r));
  TRY(draw_reservations(p, r));
  draw_axis(p);
  TRY(draw_tasks(p));
  TRY(draw_strip(p));
  TRY(hc_legend_draw(&p->legend, &p->emit, r, p->left, end_of(p), legend_colour, p));
  hc_buffer_text(&p->emit.text, "</svg>\n");
  return 0;
}

/* One user alone would make one colour of everything. */
static void note_colours(picture *p)
{
  p->by_task = true;
  for (size_t i = 1; i < p->count && p->o->colour != COLOUR_TASK; i++)
    p->by_task &= number_of(p, &p->tasks[i]) == number_of(p, &p->tasks[0]);
}

/* A low picture has no room for a legend, and one that is not so low for a row. */
static int64_t legend_rows(const options *o)
{
  return HC_MIN((o->height - 160) / 80, 2);
}

/* Who has how much of the window. */
static hc_rc note_legend(picture *p, hc_result *r)
{
  static const hc_called kinds[] = {HC_CALLED_USER, HC_CALLED_GROUP, HC_CALLED_EXECUTABLE, HC_CALLED_QUEUE,
                                    HC_CALLED_PARTITION};
  if (p->by_task || !p->o->legend) return 0;
  p->legend.kind = kinds[p->o->colour];
  for (size_t i = 0; i < p->count; i++) {
    const hc_task_record *t = &p->tasks[i];
    if (!is_drawn(p, t->start, t->end)) continue;
    const hc_time shown = HC_MIN(t->end, p->to) - HC_MAX(t->start, p->from);
    TRY(hc_legend_add(&p->legend, number_of(p, t), (double)shown * (double)t->units));
  }
  hc_legend_settle(&p->legend, r, p->left, p->o->width - RIGHT, legend_rows(p->o));
  return 0;
}

/* Of a dimension that the cell does not have it is NULL. */
static hc_rc amount_of(picture *p, const char *text, int64_t *out)
{
  *out = 0;
  return text ? hc_emit_number(&p->emit, "hosts and grants", text, 0, AMOUNT_MOST, out) : 0;
}

static hc_rc keep_host(void *ctx, const char *const *values)
{
  picture *p = ctx;
  const char *name = values[1] ? values[1] : "";
  TRY(hc_reserve(p->allocator, (void **)&p->bands, &p->band_cap, p->band_count + 1, sizeof *p->bands));
  band *b = &p->bands[p->band_count];
  *b = (band){.name_size = strlen(name) + 1, .away = HC_UNKNOWN};
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
  picture *p = ctx;
  int64_t host, x;
  TRY(hc_emit_number(&p->emit, "hosts", values[0], 0, UINT32_MAX, &host));
  TRY(amount_of(p, values[4 + p->dimension], &x));
  if ((size_t)host < p->band_count) p->bands[host].capacity = x;
  return 0;
}

static hc_rc note_growth(void *ctx, const char *const *values)
{
  picture *p = ctx;
  int64_t host, x;
  TRY(hc_emit_number(&p->emit, "host_changes", values[1], 0, UINT32_MAX, &host));
  TRY(amount_of(p, values[3 + p->dimension], &x));
  if ((size_t)host < p->band_count) p->bands[host].capacity = HC_MAX(x, p->bands[host].capacity);
  return 0;
}

static hc_rc keep_grant(void *ctx, const char *const *values)
{
  picture *p = ctx;
  int64_t serial, host, x;
  TRY(hc_emit_number(&p->emit, "grants", values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(&p->emit, "grants", values[1], 0, UINT32_MAX, &host));
  TRY(amount_of(p, values[4 + p->dimension], &x));
  TRY(hc_reserve(p->allocator, (void **)&p->grants, &p->grant_cap, p->grant_count + 1, sizeof *p->grants));
  p->grants[p->grant_count++] = (grant){.serial = serial, .amount = x, .host = (uint32_t)host};
  return 0;
}

HC_SORT(sort_grants, grant,
        a->serial != b->serial ? a->serial < b->serial
        : a->host != b->host   ? a->host < b->host
                               : a->amount < b->amount)

static hc_rc name_dimension(void *ctx, const char *const *values)
{
  picture *p = ctx;
  char key[32];
  (void)snprintf(key, sizeof key, "dimension_%d", p->dimension);
  if (values[0] && values[1] && strcmp(values[0], key) == 0)
    (void)snprintf(p->dimension_name, sizeof p->dimension_name, "%s", values[1]);
  return 0;
}

/* The hosts that it is on are drawn. */
static hc_rc use_bands(picture *p, const stretch *s)
{
  const int64_t serial = p->tasks[s->task].serial;
  const hc_piece *of;
  const hc_rc own = rows_of(p, s, &of);
  TRY(own);
  for (size_t i = 0; own > 0 && i < of->count; i++)
    if ((size_t)of->rows[i].host < p->band_count) p->bands[of->rows[i].host].row = 0;
  for (size_t i = first_grant(p, serial); own == 0 && i < p->grant_count && p->grants[i].serial == serial;
       i++)
    if (p->grants[i].host < p->band_count) p->bands[p->grants[i].host].row = 0;
  return 0;
}

/* Which hosts are drawn, from the top. */
static hc_rc choose_rows(picture *p)
{
  const bool is_crowded = (int64_t)p->band_count * 6 > field_height(p);
  const bool all = p->o->hosts == HOSTS_ALL || (p->o->hosts == HOSTS_AUTO && !is_crowded);
  for (size_t h = 0; h < p->band_count; h++) p->bands[h].row = all ? 0 : -1;
  for (size_t i = 0; i < p->stretch_count && !all; i++) TRY(use_bands(p, &p->stretches[i]));
  for (size_t h = 0; h < p->band_count; h++)
    if (p->bands[h].row == 0) p->bands[h].row = p->rows++;
  return 0;
}

static hc_rc read_hosts(picture *p, hc_result *r, hc_error *e)
{
  p->dimension = -1;
  p->amounts = HC_MIN(hc_result_amounts(r), HC_DIMENSIONS);
  TRY(hc_result_rows(r, "hosts", 4 + p->amounts, keep_host, p, e));
  TRY(hc_pieces_read(&p->pieces, &p->emit, r, (uint32_t)HC_MAX(p->dimension, 0)));
  TRY(cut_into_stretches(p));
  p->left = p->band_count > 0 ? LEFT_OF_HOSTS : LEFT;
  TRY(note_legend(p, r));
  if (p->band_count == 0) return 0;
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

static hc_rc prepare(picture *p, hc_result *r, hc_error *e)
{
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
  if (p->band_count > 0) return 0;
  TRY(hc_result_rows(r, "placements", 3, keep_placement, p, e));
  sort_placements(p->placements, p->placement_count);
  if (p->placement_count > 0) return 0;
  if ((double)p->stretch_count * (double)p->processors > WORK_LIMIT)
    return hc_fail(e, HC_ELIMIT, "gantt", 0, 0,
                   "%zu tasks on %" PRId64
                   " processors are too many for one picture; choose a window with `from` and `to`",
                   p->stretch_count, p->processors);
  p->free_from = hc_alloc(p->allocator, (size_t)p->processors * sizeof *p->free_from);
  return p->free_from ? 0 : HC_ENOMEM;
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  picture p = {.result = r, .o = opts, .allocator = a, .first = HC_UNKNOWN, .last = HC_UNKNOWN};
  hc_rc rc;
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&p.emit, a, out, e);
  hc_legend_init(&p.legend, a, HC_CALLED_USER);
  rc = prepare(&p, r, e);
  if (rc >= 0) rc = draw(&p, r);
  hc_free(a, p.tasks, p.cap * sizeof *p.tasks);
  hc_free(a, p.stretches, p.stretch_cap * sizeof *p.stretches);
  hc_pieces_fini(&p.pieces);
  hc_legend_fini(&p.legend);
  hc_free(a, p.placements, p.placement_cap * sizeof *p.placements);
  for (size_t i = 0; i < p.band_count; i++) {
    hc_free(a, p.bands[i].name, p.bands[i].name_size);
    hc_free(a, p.bands[i].parts, p.bands[i].cap * sizeof *p.bands[i].parts);
  }
  hc_free(a, p.bands, p.band_cap * sizeof *p.bands);
  hc_free(a, p.grants, p.grant_cap * sizeof *p.grants);
  hc_free(a, p.used, p.used_cap * sizeof *p.used);
  hc_free(a, p.free_from, (size_t)HC_MAX(p.processors, 0) * sizeof *p.free_from);
  return hc_emit_end(&p.emit, rc);
}

const hc_exporter_type hc_exporter_gantt = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "gantt",
         .summary = "the schedule as a picture (SVG): processors or hosts, time, and queued tasks",
         .detail =
             "A rectangle a task, or of a resized one for each size, coloured by user (or `colour`), darker "
             "if its limit killed it; pointing at one says which, and a legend which user is which. Without "
             "named processors tasks are laid on the lowest that are free. On hosts each has a band, in "
             "which a task is as high as its share of the host's cores (its first dimension), stacked on "
             "what runs there; hosts that are away are grey. Below: tasks that wait.",
         .params = params, .options_size = sizeof(options)},
    .run = run,
};
