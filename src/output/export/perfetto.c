/* perfetto.c -- the schedule as a trace of Perfetto: tracks of slices, and counters, encoded as protobuf.
 *
 * Each rectangle of the schedule (rectangles.h) is a slice. Slices of one track must nest, and tasks of one
 * host need not: each goes to the lowest track of its host that is free while it lasts, so that no two of one
 * track overlap, and a host has as many tracks as it ran tasks at once. Processors are one group of tracks.
 * Three counters stand beside them: the share of lanes that is held, tasks that wait, tasks that run.
 *
 * Few messages are needed, and they are encoded by hand: a trace is a list of packets (field 1), a packet has
 * a time and either a track or an event. Packets are in order of time, ends before begins, so that a track is
 * free when it is taken again; a counter has one value for each instant at which it changed.
 *
 * Memory: 200 bytes a task, 150 a rectangle, and as much again while an array grows (measured: 350 bytes for
 * a task of one rectangle). Cost: O(n log n), 250 bytes a slice.
 * Source: field numbers of google/perfetto, protos/perfetto/trace: trace_packet.proto, clock_snapshot.proto,
 * track_event/{track_event,track_descriptor,counter_descriptor,debug_annotation}.proto. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "output/rectangles.h"

/* Fields, by message. */
enum { TRACE_PACKET = 1 };
enum { PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_TRACK = 60 };
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { CLOCK_REALTIME = 1, CLOCK_BOOTTIME = 6 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8, TRACK_ORDERING = 11, TRACK_RANK };
enum { ORDERING_EXPLICIT = 3 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
  EVENT_ANNOTATION = 4,
  EVENT_TYPE = 9,
  EVENT_TRACK = 11,
  EVENT_CATEGORY = 22,
  EVENT_NAME = 23,
  EVENT_COUNT = 30,
  EVENT_REAL = 44
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum { ANNOTATION_INT = 4, ANNOTATION_REAL = 5, ANNOTATION_TEXT = 6, ANNOTATION_NAME = 10 };

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

/* Tracks: counters, then hosts (or the processors as one), then what each of these needs. */
enum { UTILISATION = 1, WAITING, RUNNING, GROUPS };

#define FOR_GOOD 1                     /* how an attempt was stopped: HC_STOP_KILL of plan.h */
#define TRACKS_MOST ((int64_t)1 << 31) /* of a group */
#define UNIX_MOST ((int64_t)1 << 33)   /* seconds: dates of which every instant of a run is one, too */
#define HELD_TEXT 3                    /* messages within each other */

/* What happens at an instant, in this order. */
typedef enum happening {
  SLICE_ENDS,
  SLICE_BEGINS,
  TASK_COMES,
  TASK_STARTS,
  TASK_IS_STOPPED, /* and waits again */
  TASK_ENDS,
  TASK_LEAVES /* without a start */
} happening;

typedef struct event {
  hc_time at;
  uint32_t what, index; /* of the rectangle, or 0 */
} event;

typedef struct place {
  uint32_t group, track; /* track: among those of the group, from 0 */
} place;

typedef struct writer {
  hc_emit emit;
  hc_buffer part[HELD_TEXT]; /* packet, what is in it, what is in that */
  hc_rectangles rectangles;
  hc_lanes tracks;
  const hc_allocator *allocator;
  hc_result *result;
  hc_task_record *tasks; /* [count] by submission */
  size_t count, cap;
  event *events; /* [event_count] */
  size_t event_count, event_cap;
  place *places;   /* [rectangles.count] */
  uint32_t *needs; /* [group_count] tracks */
  uint64_t *first; /* [group_count] identifier of the first of them */
  size_t group_count;
  hc_time shift; /* from the run's times to the trace's */
  int64_t held, waiting, running;
} writer;

/* ---- the wire format ---- */

static void put_varint(hc_buffer *b, uint64_t n)
{
  uint8_t bytes[10];
  size_t size = 0;
  for (; n >= 0x80; n >>= 7) bytes[size++] = (uint8_t)(n | 0x80);
  bytes[size++] = (uint8_t)n;
  hc_buffer_add(b, bytes, size);
}

static void put_number(hc_buffer *b, int field, uint64_t n)
{
  put_varint(b, (uint64_t)field << 3 | WIRE_VARINT);
  put_varint(b, n);
}

static void put_real(hc_buffer *b, int field, double x)
{
  uint64_t bits;
  uint8_t bytes[8];
  memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(bits >> (8 * i));
  put_varint(b, (uint64_t)field << 3 | WIRE_FIXED64);
  hc_buffer_add(b, bytes, sizeof bytes);
}

static void put_bytes(hc_buffer *b, int field, const void *data, size_t size)
{
  put_varint(b, (uint64_t)field << 3 | WIRE_BYTES);
  put_varint(b, size);
  hc_buffer_add(b, data, size);
}

/* A text is UTF-8 there: with a mark for each byte that is not. */
static void put_text(hc_buffer *b, int field, const char *text)
{
  const size_t n = strlen(text);
  size_t size = 0, step;
  uint32_t code;
  for (size_t i = 0; i < n; i += step ? step : 1) {
    step = hc_utf8_decode(text + i, n - i, &code);
    size += step ? step : 3;
  }
  put_varint(b, (uint64_t)field << 3 | WIRE_BYTES);
  put_varint(b, size);
  for (size_t i = 0; i < n; i += step ? step : 1) {
    step = hc_utf8_decode(text + i, n - i, &code);
    if (step) hc_buffer_add(b, text + i, step);
    else hc_buffer_text(b, "\xef\xbf\xbd");
  }
}

static hc_buffer *begin(writer *w, int level)
{
  w->part[level].size = 0;
  return &w->part[level];
}

/* What was begun becomes a field of what is around it. */
static void end(writer *w, int level, int field)
{
  hc_buffer *around = level > 0 ? &w->part[level - 1] : &w->emit.text;
  put_bytes(around, field, w->part[level].data, w->part[level].size);
}

static hc_rc end_packet(writer *w)
{
  put_number(&w->part[0], PACKET_SEQUENCE, 1);
  end(w, 0, TRACE_PACKET);
  for (int i = 0; i < HELD_TEXT; i++)
    if (w->part[i].failed) return HC_ENOMEM;
  return hc_emit_row(&w->emit);
}

/* ---- what is shown ---- */

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  writer *w = ctx;
  TRY(hc_reserve(w->allocator, (void **)&w->tasks, &w->cap, w->count + 1, sizeof *w->tasks));
  w->tasks[w->count++] = *t;
  return 0;
}

static hc_rc add_event(writer *w, hc_time at, happening what, size_t index)
{
  if (at == HC_UNKNOWN || at == HC_NEVER) return 0;
  TRY(hc_reserve(w->allocator, (void **)&w->events, &w->event_cap, w->event_count + 1, sizeof *w->events));
  w->events[w->event_count++] = (event){at, (uint32_t)what, (uint32_t)index};
  return 0;
}

static hc_rc add_task(writer *w, const hc_task_record *t)
{
  TRY(add_event(w, t->submit, TASK_COMES, 0));
  if (t->start == HC_UNKNOWN) return add_event(w, t->end, TASK_LEAVES, 0);
  TRY(add_event(w, t->start, TASK_STARTS, 0));
  return add_event(w, t->end, TASK_ENDS, 0);
}

/* An attempt that was stopped, or lost with its host; the last one is the task's own. */
static hc_rc add_attempt(writer *w, const char *table, const char *const *values)
{
  int64_t serial, start, stop;
  TRY(hc_emit_number(&w->emit, table, values[0], 0, INT64_MAX, &serial));
  TRY(hc_emit_number(&w->emit, table, values[2], INT64_MIN, INT64_MAX, &start));
  TRY(hc_emit_number(&w->emit, table, values[3], INT64_MIN, INT64_MAX, &stop));
  const uint32_t row = hc_map_get(&w->rectangles.rows, (uint64_t)serial);
  if (row == HC_MAP_NONE || w->tasks[row].start == start) return 0;
  TRY(add_event(w, start, TASK_STARTS, 0));
  return add_event(w, stop, TASK_IS_STOPPED, 0);
}

static hc_rc hear_stop(void *ctx, const char *const *values)
{
  writer *w = ctx;
  int64_t how;
  TRY(hc_emit_number(&w->emit, "stops", values[4], 0, UINT32_MAX, &how));
  return how == FOR_GOOD ? 0 : add_attempt(w, "stops", values);
}

static hc_rc hear_attempt(void *ctx, const char *const *values)
{
  return add_attempt(ctx, "attempts", values);
}

HC_SORT(sort_events, event,
        a->at != b->at       ? a->at < b->at
        : a->what != b->what ? a->what < b->what
                             : a->index < b->index)

static hc_rc gather(writer *w)
{
  hc_error *e = w->emit.error;
  const hc_rectangles *x = &w->rectangles;
  if (x->count > UINT32_MAX || w->count >= HC_MAP_NONE)
    return hc_fail(e, HC_ELIMIT, "perfetto", 0, 0, "%zu tasks are too many for one trace", w->count);
  for (size_t i = 0; i < x->count; i++) {
    TRY(add_event(w, x->items[i].start, SLICE_BEGINS, i));
    TRY(add_event(w, x->items[i].end, SLICE_ENDS, i));
  }
  for (size_t i = 0; i < w->count; i++) TRY(add_task(w, &w->tasks[i]));
  TRY(hc_result_rows(w->result, "stops", 7, hear_stop, w, e));
  TRY(hc_result_rows(w->result, "attempts", 4, hear_attempt, w, e));
  sort_events(w->events, w->event_count);
  return 0;
}

/* ---- tracks ---- */

/* The host of a lane. Hosts without lanes have no rectangles. */
static uint32_t group_of(const hc_rectangles *x, int64_t lane)
{
  size_t low = 0, high = x->host_count;
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    if (x->hosts[middle].first <= lane) low = middle;
    else high = middle;
  }
  return (uint32_t)low;
}

static hc_rc place_all(writer *w)
{
  const hc_rectangles *x = &w->rectangles;
  w->group_count = HC_MAX(x->host_count, 1);
  w->places = hc_alloc(w->allocator, (x->count + 1) * sizeof *w->places);
  w->needs = hc_alloc(w->allocator, w->group_count * sizeof *w->needs);
  w->first = hc_alloc(w->allocator, w->group_count * sizeof *w->first);
  if (!w->places || !w->needs || !w->first) return HC_ENOMEM;
  for (size_t g = 0; g < w->group_count; g++) {
    w->needs[g] = 0;
    TRY(hc_lanes_add(&w->tracks, TRACKS_MOST));
  }
  for (size_t i = 0; i < x->count; i++) {
    const uint32_t g = group_of(x, x->items[i].first);
    TRY(hc_lanes_take(&w->tracks, g, x->items[i].start, x->items[i].end, 1));
    const int64_t track = w->tracks.given[0].first - w->tracks.bands[g].first;
    w->places[i] = (place){g, (uint32_t)track};
    w->needs[g] = HC_MAX(w->needs[g], (uint32_t)track + 1);
  }
  w->first[0] = GROUPS + w->group_count;
  for (size_t g = 1; g < w->group_count; g++) w->first[g] = w->first[g - 1] + w->needs[g - 1];
  return 0;
}

/* @param parent 0: none */
static hc_buffer *begin_track(writer *w, uint64_t id, uint64_t parent, const char *name, uint64_t rank)
{
  (void)begin(w, 0);
  hc_buffer *b = begin(w, 1);
  put_number(b, TRACK_UUID, id);
  put_text(b, TRACK_NAME, name);
  if (parent) put_number(b, TRACK_PARENT, parent);
  put_number(b, TRACK_RANK, rank);
  return b;
}

static hc_rc end_track(writer *w)
{
  end(w, 1, PACKET_TRACK);
  return end_packet(w);
}

static hc_rc write_counter_track(writer *w, int id, const char *name, const char *unit)
{
  (void)begin_track(w, (uint64_t)id, 0, name, (uint64_t)id);
  put_text(begin(w, 2), COUNTER_UNIT_NAME, unit);
  end(w, 2, TRACK_COUNTER);
  return end_track(w);
}

static hc_rc write_group(writer *w, size_t g)
{
  const bool is_host = w->rectangles.host_count > 0;
  const uint64_t id = GROUPS + g;
  char name[16];
  hc_buffer *b = begin_track(w, id, 0, is_host ? w->rectangles.hosts[g].name : "processors", id);
  put_number(b, TRACK_ORDERING, ORDERING_EXPLICIT);
  TRY(end_track(w));
  for (uint32_t i = 0; i < w->needs[g]; i++) {
    (void)snprintf(name, sizeof name, "%" PRIu32, i + 1);
    (void)begin_track(w, w->first[g] + i, id, name, i);
    TRY(end_track(w));
  }
  return 0;
}

static void write_clock(writer *w, int id)
{
  hc_buffer *b = begin(w, 2);
  put_number(b, CLOCK_ID, (uint64_t)id);
  put_number(b, CLOCK_TIME, (uint64_t)w->shift);
  end(w, 2, CLOCKS_CLOCK);
}

/* Times of the trace are dates, if those of the run are. */
static hc_rc write_clocks(writer *w)
{
  const int64_t unix_start = hc_emit_fact(w->result, "unix_start");
  const bool is_dated = unix_start >= 0 && unix_start < UNIX_MOST;
  w->shift = is_dated ? unix_start * HC_SECOND : 0;
  if (w->event_count > 0 && w->events[0].at < -w->shift) {
    w->shift = -w->events[0].at;
    return 0;
  }
  if (!is_dated) return 0;
  (void)begin(w, 0);
  (void)begin(w, 1);
  write_clock(w, CLOCK_REALTIME);
  write_clock(w, CLOCK_BOOTTIME);
  end(w, 1, PACKET_CLOCKS);
  return end_packet(w);
}

static hc_rc write_tracks(writer *w)
{
  TRY(write_clocks(w));
  if (w->rectangles.lane_count > 0) TRY(write_counter_track(w, UTILISATION, "utilisation", "share"));
  TRY(write_counter_track(w, WAITING, "waiting tasks", "tasks"));
  TRY(write_counter_track(w, RUNNING, "running tasks", "tasks"));
  for (size_t g = 0; g < w->group_count; g++) TRY(write_group(w, g));
  return 0;
}

/* ---- events ---- */

static hc_buffer *begin_event(writer *w, hc_time at, int type, uint64_t track)
{
  put_number(begin(w, 0), PACKET_TIME, (uint64_t)at + (uint64_t)w->shift);
  hc_buffer *b = begin(w, 1);
  put_number(b, EVENT_TYPE, (uint64_t)type);
  put_number(b, EVENT_TRACK, track);
  return b;
}

static hc_rc end_event(writer *w)
{
  end(w, 1, PACKET_EVENT);
  return end_packet(w);
}

static void note_int(writer *w, const char *name, int64_t n)
{
  hc_buffer *b = begin(w, 2);
  put_text(b, ANNOTATION_NAME, name);
  put_number(b, ANNOTATION_INT, (uint64_t)n);
  end(w, 2, EVENT_ANNOTATION);
}

static void note_real(writer *w, const char *name, double x)
{
  hc_buffer *b = begin(w, 2);
  put_text(b, ANNOTATION_NAME, name);
  put_real(b, ANNOTATION_REAL, x);
  end(w, 2, EVENT_ANNOTATION);
}

static void note_called(writer *w, hc_called kind, int64_t number)
{
  char digits[24];
  const char *text = hc_emit_called(w->result, kind, number, digits);
  if (text[0] == '\0') return;
  hc_buffer *b = begin(w, 2);
  put_text(b, ANNOTATION_NAME, hc_result_title(w->result, kind));
  put_text(b, ANNOTATION_TEXT, text);
  end(w, 2, EVENT_ANNOTATION);
}

static void note_task(writer *w, const hc_task_record *t)
{
  note_int(w, "serial", t->serial);
  note_real(w, "processors", (double)t->units / (double)w->emit.per_processor);
  note_real(w, "submit", (double)t->submit / HC_SECOND);
  if (t->start != HC_UNKNOWN)
    note_real(w, "wait", (double)(int64_t)((uint64_t)t->start - (uint64_t)t->submit) / HC_SECOND);
  note_called(w, HC_CALLED_USER, t->user);
  note_called(w, HC_CALLED_GROUP, t->group);
  note_called(w, HC_CALLED_QUEUE, t->queue);
  note_called(w, HC_CALLED_PARTITION, t->partition);
}

static hc_rc write_slice(writer *w, size_t i)
{
  static const char *const kinds[] = {
      [HC_RECTANGLE_RUN] = "run", [HC_RECTANGLE_STOPPED] = "stopped", [HC_RECTANGLE_HELD] = "suspended"};
  const hc_rectangle *x = &w->rectangles.items[i];
  const hc_task_record *t = &w->tasks[x->row];
  const place p = w->places[i];
  char digits[24];
  const char *name = hc_emit_task_called(w->result, t, digits);
  hc_buffer *b = begin_event(w, x->start, TYPE_BEGIN, w->first[p.group] + p.track);
  put_text(b, EVENT_CATEGORY, kinds[x->kind]);
  if (name[0] == '\0') {
    (void)snprintf(digits, sizeof digits, "%" PRId64, t->serial);
    name = digits;
  }
  put_text(b, EVENT_NAME, name);
  note_int(w, "lanes", x->count / w->rectangles.lane_amount);
  if (w->rectangles.are_named) note_int(w, "first processor", x->first);
  note_task(w, t);
  return end_event(w);
}

static hc_rc apply(writer *w, const event *x)
{
  switch ((happening)x->what) {
    case SLICE_ENDS: {
      const place p = w->places[x->index];
      w->held -= w->rectangles.items[x->index].count;
      (void)begin_event(w, x->at, TYPE_END, w->first[p.group] + p.track);
      return end_event(w);
    }
    case SLICE_BEGINS: w->held += w->rectangles.items[x->index].count; return write_slice(w, x->index);
    case TASK_COMES: w->waiting++; break;
    case TASK_STARTS:
      w->waiting--;
      w->running++;
      break;
    case TASK_IS_STOPPED:
      w->waiting++;
      w->running--;
      break;
    case TASK_ENDS: w->running--; break;
    case TASK_LEAVES: w->waiting--; break;
  }
  return 0;
}

static hc_rc count(writer *w, hc_time at, int counter, int64_t value)
{
  put_number(begin_event(w, at, TYPE_COUNTER, (uint64_t)counter), EVENT_COUNT, (uint64_t)value);
  return end_event(w);
}

static hc_rc write_counters(writer *w, hc_time at, const writer *before, bool is_first)
{
  const int64_t lanes = w->rectangles.lane_count;
  if (lanes > 0 && (is_first || w->held != before->held)) {
    hc_buffer *b = begin_event(w, at, TYPE_COUNTER, UTILISATION);
    put_real(b, EVENT_REAL, (double)w->held / (double)lanes);
    TRY(end_event(w));
  }
  if (is_first || w->waiting != before->waiting) TRY(count(w, at, WAITING, w->waiting));
  if (is_first || w->running != before->running) TRY(count(w, at, RUNNING, w->running));
  return 0;
}

static hc_rc write_events(writer *w)
{
  for (size_t i = 0; i < w->event_count;) {
    const writer before = {.held = w->held, .waiting = w->waiting, .running = w->running};
    const hc_time at = w->events[i].at;
    const bool is_first = i == 0;
    for (; i < w->event_count && w->events[i].at == at; i++) TRY(apply(w, &w->events[i]));
    TRY(write_counters(w, at, &before, is_first));
  }
  return 0;
}

/* ---- the whole ---- */

static hc_rc write_all(writer *w)
{
  TRY(hc_emit_tasks(&w->emit, w->result, HC_EMIT_BY_SUBMIT, keep_task, w));
  TRY(hc_rectangles_read(&w->rectangles, &w->emit, w->allocator, w->result, w->tasks, w->count));
  TRY(gather(w));
  TRY(place_all(w));
  TRY(write_tracks(w));
  return write_events(w);
}

/* Of a world neither hosts nor processors are kept: there would be no track to put a task on. */
static hc_rc need_machine(hc_result *r, hc_error *e)
{
  const char *world = hc_result_config(r, "world");
  if (!world || world[0] == '\0') return 0;
  return hc_fail(e, HC_EUSAGE, hc_result_path(r), 0, 0,
                 "it is of the world %s, and does not say what machines there were; export its tables as csv",
                 world);
}

static hc_rc run(const hc_allocator *a, const void *options, hc_result *r, const hc_sink *out, hc_error *e)
{
  writer w = {.allocator = a, .result = r};
  HC_UNUSED(options);
  TRY(need_machine(r, e));
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  for (int i = 0; i < HELD_TEXT; i++) hc_buffer_init(&w.part[i], a);
  hc_map_init(&w.rectangles.rows, a);
  hc_lanes_init(&w.tracks, a);
  hc_rc rc = write_all(&w);
  hc_rectangles_fini(&w.rectangles);
  hc_lanes_fini(&w.tracks);
  for (int i = 0; i < HELD_TEXT; i++) hc_buffer_fini(&w.part[i]);
  hc_free(a, w.places, (w.rectangles.count + 1) * sizeof *w.places);
  hc_free(a, w.needs, w.group_count * sizeof *w.needs);
  hc_free(a, w.first, w.group_count * sizeof *w.first);
  hc_free(a, w.events, w.event_cap * sizeof *w.events);
  hc_free(a, w.tasks, w.cap * sizeof *w.tasks);
  if (rc == HC_ENOMEM) rc = hc_fail(e, rc, "perfetto", 0, 0, "out of memory for the trace");
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_perfetto = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "perfetto",
         .summary = "the schedule as a trace that ui.perfetto.dev and trace_processor open (protobuf)",
         .detail =
             "A slice for each task, or for each part of a host or range of processors that it had. A slice "
             "has the name of its task, the category run, stopped (an attempt that a plan stopped) or "
             "suspended, and the task's serial, processors, submission, wait, user, group, queue and "
             "partition. Each host is a group of as many tracks as it ran tasks at one time; processors are "
             "one group. Counters: utilisation (the held share of the greatest capacity), waiting tasks and "
             "running tasks. Times are dates where the log says the date; a run that reaches back before its "
             "first date begins at 0. Tasks of no length, attempts that were lost with their host, and tasks "
             "that still run at the end of the run have no slice, but the counters include them.",
         .source = "github.com/google/perfetto, protos/perfetto/trace"},
    .run = run,
};
