/* scale.c -- see scale.h. */
#include "output/scale.h"

#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/text.h"
#include "base/util.h"
#include "output/draw.h"

/* ---- where a value lies ---- */

double hc_scale_at(const hc_scale *s, double value)
{
  double share;
  if (s->kind == HC_SCALE_LOG)
    share = value > s->low ? hc_log(value / s->low) / hc_log(s->high / s->low) : value == value ? 0 : value;
  else share = s->high > s->low ? (value - s->low) / (s->high - s->low) : 0.5;
  return s->from + share * (s->to - s->from);
}

static void add(hc_scale *s, double at, const char *label)
{
  if (s->count == HC_TICKS) return;
  s->ticks[s->count].at = at;
  (void)snprintf(s->ticks[s->count].label, sizeof s->ticks->label, "%s", label);
  s->count++;
}

/* ---- labels ---- */

void hc_scale_label(double value, char *out)
{
  static const struct {
    double size;
    char word;
  } sizes[] = {{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}};
  const double much = value < 0 ? -value : value;
  if (much >= 1e15 || (much < 1e-4 && much > 0)) {
    (void)snprintf(out, 40, "%.3g", value);
    return;
  }
  for (size_t i = 0; i < HC_ARRAY_LEN(sizes) && much >= 10000; i++) {
    if (much < sizes[i].size) continue;
    (void)snprintf(out, 40, "%.6g%c", value / sizes[i].size, sizes[i].word);
    return;
  }
  (void)snprintf(out, 40, "%.6g", value);
}

void hc_scale_value(const hc_scale *s, double value, char *out)
{
  const double x = value / (s->per > 0 ? s->per : 1);
  if (x >= 1000 && x < 1e15) hc_scale_label((double)(int64_t)(x + 0.5), out);
  else (void)snprintf(out, 40, "%.3g", x);
}

/* Whether labels stand apart where they would be: by half a letter's height above each other, by a blank's
 * width beside. */
static bool has_room(const hc_scale *s, const hc_room *room)
{
  const double gap = room->is_across ? room->size * 0.8 : room->size * 0.7;
  double before = 0, extent_before = 0;
  bool is_first = true;
  for (size_t i = 0; i < s->count; i++) {
    if (s->ticks[i].label[0] == '\0') continue;
    const double share = (hc_scale_at(s, s->ticks[i].at) - s->from) / (s->to - s->from);
    const double at = share * room->length,
                 extent = room->is_across ? hc_text_width(s->ticks[i].label, room->size, false) : room->size;
    if (!is_first && at - before < (extent + extent_before) / 2 + gap) return false;
    before = at;
    extent_before = extent;
    is_first = false;
  }
  return true;
}

/* ---- units ---- */

typedef struct unit {
  double size;
  const char *word;
} unit;

/* Four of a unit at least, so that labels are of a few digits. */
static unit unit_of(const char *name, double high)
{
  static const unit times[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  static const unit bytes[] = {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1, "B"}};
  const unit *of = strcmp(name, "s") == 0 ? times : strcmp(name, "B") == 0 ? bytes : NULL;
  if (!of) return (unit){1, strcmp(name, "1") == 0 ? "" : name};
  for (size_t i = 0; i < 3; i++)
    if (high >= 3 * of[i].size) return of[i];
  return of[3];
}

/* ---- linear ---- */

static double floor_of(double x)
{
  const double whole = (double)(int64_t)x;
  return whole > x ? whole - 1 : whole;
}

/* Step number i: 1, 2, 5, 10, 20 ... times a small power of ten. */
static double step_of(double least, int i)
{
  static const double steps[] = {1, 2, 5};
  double power = 1e-15;
  while (power * 10 <= least) power *= 10;
  for (; i >= 3; i -= 3) power *= 10;
  return steps[i] * power;
}

static void mark_linear(hc_scale *s, const char *name, const hc_room *room, bool is_wide)
{
  const double low = s->low, high = s->high, most = HC_MAX(high, -low);
  const unit u = unit_of(name, most);
  (void)snprintf(s->unit, sizeof s->unit, "%s", u.word);
  s->per = u.size;
  for (int i = 0; i < 40; i++) {
    const double step = step_of((high - low) / u.size / 12, i) * u.size;
    if (!(high > low) || (high - low) / step > (room->is_across ? 12.5 : 7.5)) continue;
    const double first = floor_of(low / step + 1e-9) * step, last = -floor_of(-(high / step - 1e-9)) * step;
    s->low = is_wide ? first : low;
    s->high = is_wide ? last : high;
    s->count = 0;
    for (double k = floor_of(first / step + 0.5); k * step <= s->high + step * 1e-9; k++) {
      char label[40];
      if (k * step < s->low - step * 1e-9) continue;
      hc_scale_label(k * step / u.size, label);
      add(s, k * step, k == 0 ? "0" : label);
    }
    if (has_room(s, room)) return;
  }
}

/* ---- logarithmic ---- */

/* Marks of times that clocks have, each with its unit: a label in hours says little where an axis goes from
 * seconds to weeks. */
static const double clock_marks[] = {1,     10,     60,      600,      3600,     36000,
                                     86400, 864000, 8640000, 86400000, 864000000};
static const char *const clock_labels[] = {"1 s", "10 s", "1 min", "10 min", "1 h",    "10 h",
                                           "1 d", "10 d", "100 d", "1000 d", "10000 d"};

static void mark_clock(hc_scale *s, const hc_room *room)
{
  for (size_t every = 1; every < HC_ARRAY_LEN(clock_marks); every++) {
    s->count = 0;
    for (size_t i = 0; i < HC_ARRAY_LEN(clock_marks); i++)
      if (clock_marks[i] >= s->low * 0.999 && clock_marks[i] <= s->high * 1.001)
        add(s, clock_marks[i], i % every == 0 ? clock_labels[i] : "");
    if (has_room(s, room)) return;
  }
}

/* @param many  0: 1-2-5; 1: powers of ten, ...; then each k-th of these has a label */
static void try_log(hc_scale *s, double size, int many)
{
  static const double parts[] = {1, 2, 5};
  double power = 1e-15;
  int number = -15;
  s->count = 0;
  while (power * 10 <= s->low / size * 1.0001) {
    power *= 10;
    number++;
  }
  for (; power * size <= s->high * 1.0001; power *= 10, number++)
    for (int i = 0; i < 3; i++) {
      const double at = parts[i] * power * size;
      char label[40];
      if (at < s->low * 0.9999 || at > s->high * 1.0001) continue;
      hc_scale_label(parts[i] * power, label);
      if (many <= 1 || i == 0)
        add(s, at, many == 0 || (i == 0 && (many <= 1 || (number + 300) % (many - 1) == 0)) ? label : "");
    }
}

static void mark_log(hc_scale *s, const char *name, const hc_room *room)
{
  if (!(s->high > s->low)) s->high = s->low * 10;
  if (strcmp(name, "s") == 0 && s->high / s->low > 1000) {
    mark_clock(s, room);
    if (s->count > 2) return;
  }
  const unit u = unit_of(name, s->high);
  (void)snprintf(s->unit, sizeof s->unit, "%s", u.word);
  s->per = u.size;
  for (int many = 0; many < 12; many++) {
    try_log(s, u.size, many);
    if (has_room(s, room)) return;
  }
}

void hc_scale_mark(hc_scale *s, const char *of, const hc_room *room, bool is_wide)
{
  s->count = 0;
  s->per = 1;
  s->unit[0] = '\0';
  if (!(s->high > s->low) && s->kind != HC_SCALE_LOG) {
    s->low -= s->low == 0 ? 0 : 1;
    s->high = HC_MAX(s->high + 1, s->low + 1);
  }
  if (s->kind == HC_SCALE_LOG) mark_log(s, of, room);
  else mark_linear(s, of, room, is_wide);
}

void hc_scale_mark_points(hc_scale *s, const double *values, size_t count, const hc_room *room)
{
  const hc_scale before = *s;
  if (count < 2 || count > 12) return;
  s->count = 0;
  for (size_t i = 0; i < count; i++) {
    char label[40];
    hc_scale_label(values[i] / (s->per > 0 ? s->per : 1), label);
    add(s, values[i], label);
  }
  if (!has_room(s, room)) *s = before;
}

/* ---- names ---- */

void hc_scale_mark_names(hc_scale *s, const char *const *names, size_t count, const hc_room *room)
{
  s->unit[0] = '\0';
  s->low = -0.5;
  s->high = (double)count - 0.5;
  for (size_t every = 1;; every++) {
    s->count = 0;
    for (size_t i = 0; i < count; i += every) {
      char fit[256], label[40];
      hc_text_fit(names[i], room->size, false, room->length / 3, fit);
      (void)snprintf(label, sizeof label, "%.39s", fit);
      if (strlen(fit) >= sizeof label) hc_text_fit(fit, room->size, false, room->size * 8, fit);
      add(s, (double)i, strlen(fit) < sizeof label ? fit : "");
    }
    if (count / every < HC_TICKS && (has_room(s, room) || every >= count)) return;
  }
}

/* ---- time ---- */

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* A step of clocks and calendars: seconds, or else months. */
typedef struct calendar_step {
  int64_t seconds, months;
} calendar_step;

static const calendar_step calendar_steps[] = {
    {1, 0},     {5, 0},     {15, 0},    {60, 0},    {300, 0},    {900, 0},    {1800, 0},    {3600, 0},
    {10800, 0}, {21600, 0}, {43200, 0}, {86400, 0}, {172800, 0}, {604800, 0}, {1209600, 0}, {0, 1},
    {0, 2},     {0, 3},     {0, 6},     {0, 12},    {0, 24},     {0, 60},     {0, 120},     {0, 600}};

static int32_t offset_at(const hc_zone *z, const hc_calendar_of_site *c, int64_t at)
{
  return z ? hc_zone_offset(z, at) : c->offset;
}

static void calendar_label(const calendar_step *step, const hc_calendar *d, char *out)
{
  if (step->months >= 12) (void)snprintf(out, 40, "%lld", (long long)d->year);
  else if (step->months > 0 && d->month == 1) (void)snprintf(out, 40, "%lld", (long long)d->year);
  else if (step->months > 0) (void)snprintf(out, 40, "%s", months[d->month - 1]);
  else if (step->seconds >= 86400 || (d->hour == 0 && d->minute == 0 && d->second == 0))
    (void)snprintf(out, 40, "%d %s", d->day, months[d->month - 1]);
  else if (step->seconds >= 60) (void)snprintf(out, 40, "%02d:%02d", d->hour, d->minute);
  else (void)snprintf(out, 40, "%02d:%02d:%02d", d->hour, d->minute, d->second);
}

/* The local time of the first mark at or after `local`; weeks begin on Mondays, and 1970 on a Thursday. */
static int64_t first_mark(const calendar_step *step, int64_t local)
{
  const int64_t shift = step->seconds % 604800 == 0 && step->seconds > 0 ? 4 * 86400 : 0;
  if (step->months == 0) return -hc_floor_div(-(local - shift), step->seconds) * step->seconds + shift;
  const hc_calendar d = hc_calendar_of(local, 0);
  const int64_t month = d.year * 12 + d.month - 1;
  for (int64_t m = hc_floor_div(month, step->months) * step->months;; m += step->months) {
    const hc_calendar first = {
        .year = hc_floor_div(m, 12), .month = (int)(m - hc_floor_div(m, 12) * 12) + 1, .day = 1};
    const int64_t at = hc_calendar_unix(&first, 0);
    if (at >= local) return at;
  }
}

static void try_time(hc_scale *s, const hc_zone *z, const hc_calendar_of_site *c, const calendar_step *step)
{
  const int64_t low = c->unix_start + (int64_t)s->low, high = c->unix_start + (int64_t)s->high;
  s->count = 0;
  for (int64_t local = first_mark(step, low + offset_at(z, c, low)); s->count < HC_TICKS;
       local = first_mark(step, local + 1)) {
    /* the offset of a local time is that of the time nearby, unless the clocks change in between */
    int64_t at = local - offset_at(z, c, local - offset_at(z, c, local));
    const hc_calendar d = hc_calendar_of(local, 0);
    char label[40];
    if (at > high) return;
    if (at < low) continue;
    calendar_label(step, &d, label);
    add(s, (double)(at - c->unix_start), label);
  }
}

static void mark_calendar(hc_scale *s, const hc_zone *z, const hc_calendar_of_site *c, const hc_room *room)
{
  const double span = s->high - s->low;
  for (size_t i = 0; i < HC_ARRAY_LEN(calendar_steps); i++) {
    const calendar_step *step = &calendar_steps[i];
    const double length = step->months > 0 ? (double)step->months * 2629746 : (double)step->seconds;
    if (span / length > HC_TICKS - 4) continue;
    try_time(s, z, c, step);
    if (has_room(s, room)) return;
  }
}

/* What year it is, and whose clocks: "2011, Europe/Stockholm". */
static hc_rc open_zone(const hc_calendar_of_site *c, hc_zone **out)
{
  *out = NULL;
  if (c->zone[0] == '\0') return 0;
  const hc_rc rc = hc_zone_open(c->allocator, c->zone, out);
  return rc == HC_ENOMEM ? rc : 0;
}

hc_rc hc_scale_mark_time(hc_scale *s, const hc_calendar_of_site *c, const hc_room *room)
{
  hc_zone *z = NULL;
  s->unit[0] = '\0';
  s->count = 0;
  if (c->unix_start == HC_UNKNOWN) {
    const hc_scale_kind kind = s->kind;
    s->kind = HC_SCALE_LINEAR;
    hc_scale_mark(s, "s", room, false);
    s->kind = kind;
    return 0;
  }
  TRY(open_zone(c, &z));
  mark_calendar(s, z, c, room);
  hc_zone_free(z);
  return 0;
}

size_t hc_scale_weekends(const hc_scale *s, const hc_calendar_of_site *c, double (*out)[2], size_t cap)
{
  const calendar_step week = {604800, 0};
  hc_zone *z = NULL;
  size_t n = 0;
  if (c->unix_start == HC_UNKNOWN || open_zone(c, &z) < 0) return 0;
  const int64_t low = c->unix_start + (int64_t)s->low, high = c->unix_start + (int64_t)s->high;
  for (int64_t monday = first_mark(&week, low + offset_at(z, c, low)); n < cap; monday += 604800) {
    const int64_t to = monday - offset_at(z, c, monday), from = to - 2 * 86400;
    if (from >= high) break;
    out[n][0] = (double)(HC_MAX(from, low) - c->unix_start);
    out[n++][1] = (double)(HC_MIN(to, high) - c->unix_start);
  }
  hc_zone_free(z);
  return n;
}
