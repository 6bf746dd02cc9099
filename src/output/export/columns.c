/* columns.c -- the schedule as columns of whole numbers, small enough for a page: one JSON object.
 *
 * `columns` are those of packed.h, told apart by their names.
 *   id, serial, submit, wait, held, units, limit, run, user, group, executable, queue, partition, account,
 *   qos, state, flags
 *      of each task, in the order of submission; a column of which nothing is known is left out. Times are in
 *      ticks of `tick` ns, from the run's origin: wait = start - submit, held = end - start
 *   row, from, to, lane, lanes, kind
 *      of each rectangle (rectangles.h), in the order of starts: of which task it is; how much later than the
 *      task's start it begins, and than the task's end it ends (of a task without them: than its submission,
 * and than `end`, when the run ended); which lanes, in multiples of `lane_amount` of what the result counts
 *      in; 0 it runs, 1 an attempt that was stopped, 2 it is suspended and keeps them
 *   host_lane, host_lanes
 *      of each host of `hosts`
 *   away_host, away_from, away_to, away_kind
 *      when hosts were away (0), or drained (1); an end that is not known: until the run ended
 *   reserved_from, reserved_to, reserved_first, reserved_count, reserved_units, reserved_kind
 *      advance reservations: ranges of hosts, or units anywhere (count 0); kind 1: announced downtime
 *
 * `names` has what numbers are called, `task_names` what tasks are: a text or null for each row, if any has
 * one and there is room for them. Cost: 2 us a task. Memory: 200 bytes a task. */
#include <string.h>

#include "hindcast/cell.h"
#include "output/packed.h"
#include "output/rectangles.h"

#define NAMES_MOST ((size_t)8 << 20) /* bytes of all task names; beyond that tasks go by number */

/* A stretch in which a host is away (kind 0), or drains (1). */
typedef struct away {
  hc_time from, to; /* to: HC_UNKNOWN: until the run ended */
  int64_t host, kind;
} away;

/* An advance reservation: units anywhere (count 0), or a range of hosts. Kind 1: announced downtime. */
typedef struct reserved {
  int64_t kind;
  hc_time from, to;
  int64_t units, first, count;
} reserved;

typedef struct columns_writer {
  hc_emit emit;
  hc_json_writer json;
  hc_packed packed;
  hc_rectangles rectangles;
  hc_result *result;
  const hc_allocator *allocator;
  hc_task_record *tasks; /* [count] by submission */
  size_t count, cap;
  int64_t *rows; /* [row_count * width] of a table that is gathered */
  size_t row_count, row_cap, width;
  const char *table;
  hc_time tick;
  away *aways; /* [away_count] */
  size_t away_count, away_cap;
  reserved *reserved; /* [reserved_count] */
  size_t reserved_count, reserved_cap;
  bool *used; /* [used_count] by reservation: some user may use it */
  size_t used_count, used_cap;
} columns_writer;

/* ---- reading ---- */

static hc_rc keep_task(void *ctx, const hc_task_record *t)
{
  columns_writer *w = ctx;
  TRY(hc_reserve(w->allocator, (void **)&w->tasks, &w->cap, w->count + 1, sizeof *w->tasks));
  w->tasks[w->count++] = *t;
  return 0;
}

static hc_rc keep_row(void *ctx, const char *const *values)
{
  columns_writer *w = ctx;
  TRY(hc_reserve(w->allocator, (void **)&w->rows, &w->row_cap, (w->row_count + 1) * w->width,
                 sizeof *w->rows));
  int64_t *row = w->rows + w->row_count * w->width;
  for (size_t i = 0; i < w->width; i++)
    TRY(hc_emit_number(&w->emit, w->table, values[i], INT64_MIN, INT64_MAX, &row[i]));
  w->row_count++;
  return 0;
}

/* The first columns of a table, as numbers. */
static hc_rc gather(columns_writer *w, const char *table, size_t width, size_t columns)
{
  w->table = table;
  w->width = width;
  w->row_count = 0;
  return hc_result_rows(w->result, table, columns, keep_row, w, w->emit.error);
}

/* ---- when hosts are away ---- */

static hc_rc add_away(columns_writer *w, away x)
{
  TRY(hc_reserve(w->allocator, (void **)&w->aways, &w->away_cap, w->away_count + 1, sizeof *w->aways));
  w->aways[w->away_count++] = x;
  return 0;
}

/* The next change of a host ends what the last one began. @param open  [hosts] from: HC_UNKNOWN: it is up */
static hc_rc pair_changes(columns_writer *w, away *open)
{
  const size_t hosts = w->rectangles.host_count;
  for (size_t h = 0; h < hosts; h++) open[h] = (away){HC_UNKNOWN, HC_UNKNOWN, (int64_t)h, 0};
  for (size_t i = 0; i < w->row_count; i++) {
    const int64_t at = w->rows[3 * i], host = w->rows[3 * i + 1], change = w->rows[3 * i + 2];
    if (host < 0 || (size_t)host >= hosts || change == HC_HOST_RESIZE) continue;
    away *x = &open[host];
    x->to = at;
    if (x->from != HC_UNKNOWN && at > x->from) TRY(add_away(w, *x));
    *x = (away){change == HC_HOST_UP ? HC_UNKNOWN : at, HC_UNKNOWN, host, change == HC_HOST_DRAIN};
  }
  for (size_t h = 0; h < hosts; h++)
    if (open[h].from != HC_UNKNOWN) TRY(add_away(w, open[h]));
  return 0;
}

static hc_rc read_aways(columns_writer *w)
{
  const size_t size = (w->rectangles.host_count + 1) * sizeof(away);
  TRY(gather(w, "host_changes", 3, 3 + w->rectangles.amounts));
  away *open = hc_alloc(w->allocator, size);
  const hc_rc rc = open ? pair_changes(w, open) : HC_ENOMEM;
  hc_free(w->allocator, open, size);
  return rc;
}

/* ---- advance reservations ---- */

#define RESERVATIONS_MOST ((int64_t)1 << 24)

static hc_rc hear_reservation_user(void *ctx, const char *const *values)
{
  columns_writer *w = ctx;
  int64_t n;
  TRY(hc_emit_number(&w->emit, "reservation_users", values[0], 0, RESERVATIONS_MOST, &n));
  TRY(hc_reserve(w->allocator, (void **)&w->used, &w->used_cap, (size_t)n + 1, sizeof *w->used));
  while (w->used_count <= (size_t)n) w->used[w->used_count++] = false;
  w->used[n] = true;
  return 0;
}

/* What no user may use is downtime. */
static hc_rc read_reserved(columns_writer *w)
{
  TRY(gather(w, "reservations", 6, 6));
  TRY(hc_result_rows(w->result, "reservation_users", 3, hear_reservation_user, w, w->emit.error));
  TRY(hc_reserve(w->allocator, (void **)&w->reserved, &w->reserved_cap, w->row_count, sizeof *w->reserved));
  for (size_t i = 0; i < w->row_count; i++) {
    const int64_t *x = w->rows + 6 * i;
    const bool is_used = x[0] >= 0 && (size_t)x[0] < w->used_count && w->used[x[0]];
    w->reserved[w->reserved_count++] = (reserved){!is_used, x[1], x[2], x[3], x[4], x[5]};
  }
  return 0;
}

/* ---- the tick: what all times are multiples of ---- */

static void note_tick(columns_writer *w, hc_time t)
{
  if (t == HC_UNKNOWN || t == HC_NEVER || w->tick == 1) return;
  w->tick = (hc_time)hc_common_divisor(t < 0 ? 0 - (uint64_t)t : (uint64_t)t, (uint64_t)w->tick);
}

static void find_tick(columns_writer *w)
{
  w->tick = HC_SECOND;
  note_tick(w, w->rectangles.end);
  for (size_t i = 0; i < w->count; i++) {
    const hc_task_record *t = &w->tasks[i];
    const hc_time times[] = {t->submit, t->start, t->end, t->limit, t->run};
    for (size_t k = 0; k < HC_ARRAY_LEN(times); k++) note_tick(w, times[k]);
  }
  for (size_t i = 0; i < w->rectangles.count; i++) {
    note_tick(w, w->rectangles.items[i].start);
    note_tick(w, w->rectangles.items[i].end);
  }
  for (size_t i = 0; i < w->away_count; i++) {
    note_tick(w, w->aways[i].from);
    note_tick(w, w->aways[i].to);
  }
  for (size_t i = 0; i < w->reserved_count; i++) {
    note_tick(w, w->reserved[i].from);
    note_tick(w, w->reserved[i].to);
  }
}

static int64_t ticks(const columns_writer *w, hc_time t)
{
  return t == HC_UNKNOWN || t == HC_NEVER ? HC_UNKNOWN : t / w->tick;
}

/* ---- columns of tasks ---- */

typedef enum field {
  ID,
  SERIAL,
  SUBMIT,
  WAIT,
  HELD,
  UNITS,
  LIMIT,
  RUN,
  USER,
  GROUP,
  EXECUTABLE,
  QUEUE,
  PARTITION,
  ACCOUNT,
  QOS,
  STATE,
  FLAGS,
  FIELDS
} field;

static const char *const field_names[FIELDS] = {
    "id",    "serial",     "submit", "wait",      "held",    "units", "limit", "run",  "user",
    "group", "executable", "queue",  "partition", "account", "qos",   "state", "flags"};

static int64_t number(int64_t x)
{
  return x == -1 ? HC_UNKNOWN : x;
}

static hc_time between(hc_time from, hc_time to)
{
  return from == HC_UNKNOWN || to == HC_UNKNOWN ? HC_UNKNOWN : to - from;
}

static int64_t value_of(const columns_writer *w, const hc_task_record *t, field f)
{
  hc_beside beside = {-1, -1};
  switch (f) {
    case ID: return number(t->id);
    case SERIAL: return t->serial;
    case SUBMIT: return ticks(w, t->submit);
    case WAIT: return ticks(w, between(t->submit, t->start));
    case HELD: return ticks(w, between(t->start, t->end));
    case UNITS: return t->units;
    case LIMIT: return ticks(w, t->limit);
    case RUN: return ticks(w, t->run);
    case USER: return number(t->user);
    case GROUP: return number(t->group);
    case EXECUTABLE: return number(t->executable);
    case QUEUE: return number(t->queue);
    case PARTITION: return number(t->partition);
    case ACCOUNT:
    case QOS: {
      if (!hc_result_beside(w->result, t->serial, &beside)) return HC_UNKNOWN;
      return number(f == ACCOUNT ? beside.account : beside.qos);
    }
    case STATE: return t->final;
    case FLAGS: return t->flags;
    case FIELDS: break;
  }
  return HC_UNKNOWN;
}

static hc_rc write_task_columns(columns_writer *w)
{
  const bool has_besides = hc_emit_has_besides(w->result);
  for (int f = 0; f < FIELDS; f++) {
    bool is_known = w->count == 0;
    if ((f == ACCOUNT || f == QOS) && !has_besides) continue;
    TRY(hc_packed_begin(&w->packed, w->count));
    for (size_t i = 0; i < w->count; i++) {
      const int64_t x = value_of(w, &w->tasks[i], (field)f);
      is_known |= x != HC_UNKNOWN;
      hc_packed_add(&w->packed, x);
    }
    if (is_known) TRY(hc_packed_end(&w->packed, field_names[f]));
    TRY(hc_emit_row(&w->emit));
  }
  return 0;
}

/* ---- columns of rectangles and hosts ---- */

typedef int64_t (*of_rectangle)(const columns_writer *w, const hc_rectangle *x);

static int64_t rectangle_row(const columns_writer *w, const hc_rectangle *x)
{
  HC_UNUSED(w);
  return x->row;
}

static int64_t rectangle_from(const columns_writer *w, const hc_rectangle *x)
{
  const hc_task_record *t = &w->tasks[x->row];
  return ticks(w, x->start - (t->start != HC_UNKNOWN ? t->start : t->submit));
}

static int64_t rectangle_to(const columns_writer *w, const hc_rectangle *x)
{
  const hc_task_record *t = &w->tasks[x->row];
  return ticks(w, x->end - (t->end != HC_UNKNOWN ? t->end : w->rectangles.end));
}

static int64_t rectangle_lane(const columns_writer *w, const hc_rectangle *x)
{
  return x->first / w->rectangles.lane_amount;
}

static int64_t rectangle_lanes(const columns_writer *w, const hc_rectangle *x)
{
  return x->count / w->rectangles.lane_amount;
}

static int64_t rectangle_kind(const columns_writer *w, const hc_rectangle *x)
{
  HC_UNUSED(w);
  return x->kind;
}

static hc_rc write_rectangles(columns_writer *w)
{
  static const struct {
    const char *name;
    of_rectangle of;
  } columns[] = {{"row", rectangle_row},   {"from", rectangle_from},   {"to", rectangle_to},
                 {"lane", rectangle_lane}, {"lanes", rectangle_lanes}, {"kind", rectangle_kind}};
  for (size_t k = 0; k < HC_ARRAY_LEN(columns); k++) {
    TRY(hc_packed_begin(&w->packed, w->rectangles.count));
    for (size_t i = 0; i < w->rectangles.count; i++)
      hc_packed_add(&w->packed, columns[k].of(w, &w->rectangles.items[i]));
    TRY(hc_packed_end(&w->packed, columns[k].name));
    TRY(hc_emit_row(&w->emit));
  }
  return 0;
}

static hc_rc write_host_columns(columns_writer *w)
{
  const hc_rectangles *x = &w->rectangles;
  if (x->host_count == 0) return 0;
  TRY(hc_packed_begin(&w->packed, x->host_count));
  for (size_t i = 0; i < x->host_count; i++) hc_packed_add(&w->packed, x->hosts[i].first / x->lane_amount);
  TRY(hc_packed_end(&w->packed, "host_lane"));
  TRY(hc_packed_begin(&w->packed, x->host_count));
  for (size_t i = 0; i < x->host_count; i++) hc_packed_add(&w->packed, x->hosts[i].size / x->lane_amount);
  return hc_packed_end(&w->packed, "host_lanes");
}

/* ---- columns of what is away or reserved ---- */

static int64_t value_of_away(const columns_writer *w, size_t i, int column)
{
  const away *x = &w->aways[i];
  const int64_t values[] = {ticks(w, x->from), ticks(w, x->to), x->host, x->kind};
  return values[column];
}

static int64_t value_of_reserved(const columns_writer *w, size_t i, int column)
{
  const reserved *x = &w->reserved[i];
  const int64_t values[] = {x->kind, ticks(w, x->from), ticks(w, x->to), x->units, x->first, x->count};
  return values[column];
}

static hc_rc write_columns(columns_writer *w, const char *const *names, int width, size_t count,
                           int64_t (*of)(const columns_writer *, size_t, int))
{
  for (int k = 0; k < width && count > 0; k++) {
    TRY(hc_packed_begin(&w->packed, count));
    for (size_t i = 0; i < count; i++) hc_packed_add(&w->packed, of(w, i, k));
    TRY(hc_packed_end(&w->packed, names[k]));
    TRY(hc_emit_row(&w->emit));
  }
  return 0;
}

static hc_rc write_absences(columns_writer *w)
{
  static const char *const away_names[] = {"away_from", "away_to", "away_host", "away_kind"};
  static const char *const reserved_names[] = {"reserved_kind",  "reserved_from",  "reserved_to",
                                               "reserved_units", "reserved_first", "reserved_count"};
  TRY(write_columns(w, away_names, HC_ARRAY_LEN(away_names), w->away_count, value_of_away));
  return write_columns(w, reserved_names, HC_ARRAY_LEN(reserved_names), w->reserved_count, value_of_reserved);
}

/* ---- names ---- */

typedef struct called {
  hc_called kind;
  field field;
} called;

static const called kinds[] = {
    {HC_CALLED_USER, USER},   {HC_CALLED_GROUP, GROUP},         {HC_CALLED_EXECUTABLE, EXECUTABLE},
    {HC_CALLED_QUEUE, QUEUE}, {HC_CALLED_PARTITION, PARTITION}, {HC_CALLED_ACCOUNT, ACCOUNT},
    {HC_CALLED_QOS, QOS}};

/* [number, name] of each number that a task has. */
static hc_rc write_names_of(columns_writer *w, called c)
{
  hc_map seen;
  hc_rc rc = 0;
  if (!hc_result_has_names(w->result, c.kind)) return 0;
  hc_map_init(&seen, w->allocator);
  hc_json_enter(&w->json, field_names[c.field], '[');
  for (size_t i = 0; rc == 0 && i < w->count; i++) {
    const int64_t n = value_of(w, &w->tasks[i], c.field);
    const char *name = n == HC_UNKNOWN || hc_map_get(&seen, (uint64_t)n) != HC_MAP_NONE
                           ? NULL
                           : hc_result_name(w->result, c.kind, n);
    if (!name) continue;
    rc = hc_map_set(&seen, (uint64_t)n, 1);
    hc_json_enter_line(&w->json, NULL, '[');
    hc_json_put_int(&w->json, NULL, n);
    hc_json_put_text(&w->json, NULL, name);
    hc_json_leave(&w->json, ']');
    if (rc == 0) rc = hc_emit_row(&w->emit);
  }
  hc_json_leave(&w->json, ']');
  hc_map_fini(&seen);
  return rc;
}

static hc_rc write_task_names(columns_writer *w)
{
  size_t size = 0;
  bool any = false;
  for (size_t i = 0; i < w->count && size <= NAMES_MOST; i++) {
    const char *name = hc_result_task_name(w->result, w->tasks[i].serial);
    any |= name != NULL;
    size += name ? strlen(name) + 3 : strlen("null,");
  }
  if (!any || size > NAMES_MOST) return 0;
  hc_json_enter(&w->json, "task_names", '[');
  for (size_t i = 0; i < w->count; i++) {
    hc_json_put_text(&w->json, NULL, hc_result_task_name(w->result, w->tasks[i].serial));
    TRY(hc_emit_row(&w->emit));
  }
  hc_json_leave(&w->json, ']');
  return 0;
}

static hc_rc write_names(columns_writer *w)
{
  hc_json_enter(&w->json, "names", '{');
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++) TRY(write_names_of(w, kinds[k]));
  hc_json_leave(&w->json, '}');
  hc_json_enter(&w->json, "titles", '{');
  for (size_t k = 0; k < HC_ARRAY_LEN(kinds); k++)
    hc_json_put_text(&w->json, field_names[kinds[k].field], hc_result_title(w->result, kinds[k].kind));
  hc_json_leave(&w->json, '}');
  return write_task_names(w);
}

/* ---- the whole ---- */

static hc_rc write_all(columns_writer *w)
{
  hc_json_writer *j = &w->json;
  const hc_rectangles *x = &w->rectangles;
  hc_json_enter(j, NULL, '{');
  hc_json_put_text(j, "format", "hindcast columns 1");
  hc_json_put_int(j, "tasks", (int64_t)w->count);
  hc_json_put_int(j, "tick", w->tick);
  hc_json_put_int(j, "end", w->count > 0 ? ticks(w, x->end) : 0);
  hc_json_put_int(j, "units_a_processor", w->emit.per_processor);
  hc_json_put_int(j, "lanes", x->lane_count / x->lane_amount);
  hc_json_put_int(j, "lane_amount", x->lane_amount);
  hc_json_put_int(j, "dimension", x->dimension);
  hc_json_enter(j, "hosts", '[');
  for (size_t i = 0; i < x->host_count; i++) hc_json_put_text(j, NULL, x->hosts[i].name);
  hc_json_leave(j, ']');
  TRY(write_names(w));
  hc_json_enter(j, "columns", '[');
  TRY(write_task_columns(w));
  TRY(write_rectangles(w));
  TRY(write_host_columns(w));
  TRY(write_absences(w));
  hc_json_leave(j, ']');
  hc_json_leave(j, '}');
  return 0;
}

static hc_rc read_all(columns_writer *w)
{
  TRY(hc_emit_tasks(&w->emit, w->result, HC_EMIT_BY_SUBMIT, keep_task, w));
  if (w->count >= HC_MAP_NONE)
    return hc_fail(w->emit.error, HC_ELIMIT, "columns", 0, 0, "%zu tasks are too many for one document",
                   w->count);
  TRY(hc_rectangles_read(&w->rectangles, &w->emit, w->allocator, w->result, w->tasks, w->count));
  if (w->rectangles.host_count > 0) TRY(read_aways(w));
  TRY(read_reserved(w));
  find_tick(w);
  return 0;
}

static hc_rc run(const hc_allocator *a, const void *opts, hc_result *r, const hc_sink *out, hc_error *e)
{
  columns_writer w = {.result = r, .allocator = a};
  hc_rc rc;
  HC_UNUSED(opts);
  TRY(hc_emit_need_tasks(r, true, e));
  hc_emit_init(&w.emit, a, out, e);
  w.json = (hc_json_writer){.out = &w.emit.text};
  hc_packed_init(&w.packed, a, &w.json);
  hc_map_init(&w.rectangles.rows, a);
  rc = read_all(&w);
  if (rc >= 0) rc = write_all(&w);
  hc_rectangles_fini(&w.rectangles);
  hc_packed_fini(&w.packed);
  hc_free(a, w.tasks, w.cap * sizeof *w.tasks);
  hc_free(a, w.rows, w.row_cap * sizeof *w.rows);
  hc_free(a, w.aways, w.away_cap * sizeof *w.aways);
  hc_free(a, w.reserved, w.reserved_cap * sizeof *w.reserved);
  hc_free(a, w.used, w.used_cap * sizeof *w.used);
  if (rc == HC_ENOMEM) rc = hc_fail(e, rc, "columns", 0, 0, "out of memory for the columns");
  return hc_emit_end(&w.emit, rc);
}

const hc_exporter_type hc_exporter_columns = {
    .component =
        {HC_COMPONENT_HEAD(hc_exporter_type, HC_KIND_EXPORTER), .name = "columns",
         .summary = "the schedule as packed columns of numbers, with a rectangle for each task (JSON)",
         .detail = "What a page needs to draw a schedule of a million tasks: a column for each field of "
                   "tasks, and rectangles, each of which gives a task lanes (processors, or parts of hosts) "
                   "for a time. Numbers are written as differences where that is shorter, cut into planes of "
                   "bytes, deflated, and written as base64. The comment at the head of src/output/packed.h "
                   "says how to read them, that of src/output/export/columns.c what each column is."},
    .run = run,
};
