/* alibaba_v2018_containers.c -- container_meta.csv of Alibaba's trace of 2018: online services, which stay.
 *
 * A container has several rows, one for each time at which something about it was recorded. It becomes one
 * task: it starts at its first row (a time of 0: it was there before the trace), and ends at its last if that
 * says "stopped"; else it had not ended when the trace did, at `trace_end`. The other rows are merged. First
 * and last are those by time, wherever they stand: in the published file the rows of a container are
 * together, in one sorted by time they are not. So the file is read whole before the first container is given
 * out.
 *
 * The machine that it ran on, and cpu_limit, are not used: placing it is what a run is for. Containers of one
 * app_du give one service; they become a group.
 *
 * container_usage.csv, if it is given, is read first and whole, in any order of containers: a sample is the
 * use since the one before it, in percent, which are taken to be of what the container asked for (the trace
 * does not say of what). It is kept in few steps a container (workload/use.h).
 *
 * Written without a header: a container is "started" when its task started, and "stopped" when that ended, in
 * two rows that stand together; one that had not ended has no second row. Rows of one name are those of one
 * container, so that each needs a name of its own: c_17 is the first task of number 17, c_17_2 the third task
 * of all whose number had been taken (its reader makes a hash of it: the number is lost). Source:
 * https://github.com/alibaba/clusterdata, cluster-trace-v2018. Cost: about 0.4 us a row, or a task written;
 * 400 bytes for each container, 32 more for each step of its use; 20 to 40 for one written. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/alibaba_rows.h"
#include "workload/ledger.h"
#include "workload/use.h"

enum { CONTAINER, MACHINE, TIME, APP, STATUS, CPU, CPU_LIMIT, MEMORY, COLUMNS };

#define MOST_CONTAINERS ((size_t)1 << 22)

typedef struct pen_options {
  int64_t memory_scale;
  hc_time trace_end;
} pen_options;

/* Of a pen: a task is one or two rows for each of its containers. */
typedef struct names {
  hc_map seen;         /* numbers that are taken */
  uint64_t twins;      /* containers whose number was */
  bool is_taken;       /* of the first container of the task at hand */
  uint64_t first_twin; /* of its other containers, or of all */
  int64_t from, until; /* when it started, and stopped, s */
  bool stops;
  char memory[64]; /* of each of its rows */
  size_t memory_size;
} names;

static bool is_stop(const hc_pen *w)
{
  return ((const names *)w->own)->stops && (w->row & 1);
}

/* "c_17", "c_17_2" */
static char *put_container(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const names *n = w->own;
  const int64_t place = (n->stops ? w->row / 2 : w->row) - !n->is_taken;
  HC_UNUSED(lost);
  p = hc_put_uint(hc_put_text(p, "c_"), (uint64_t)HC_MAX(t->id, 0));
  return place < 0 ? p : hc_put_uint(hc_put_char(p, '_'), n->first_twin + (uint64_t)place);
}

static char *put_time(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const names *n = w->own;
  HC_UNUSED(t);
  HC_UNUSED(lost);
  return hc_put_int(p, is_stop(w) ? n->until : n->from);
}

static char *put_status(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  memcpy(p, is_stop(w) ? "stopped" : "started", 7);
  return p + 7;
}

static char *put_memory(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  HC_UNUSED(t);
  HC_UNUSED(lost);
  memcpy(p, ((const names *)w->own)->memory, sizeof((const names *)0)->memory);
  return p + ((const names *)w->own)->memory_size;
}

#define CORES HC_TO(CPU), HC_DECIMAL(1000, 100), .flags = HC_EXACT

static const hc_column columns[COLUMNS] = {
    [CONTAINER] = {"container_id", HC_TO(ID), HC_NUMBERED("c_"), .flags = HC_ASKED | HC_NEEDED,
                   .put = put_container},
    [MACHINE] = {.titles = "machine_id"},
    [TIME] = {"time_stamp", HC_TO(SUBMIT), HC_IS(SECONDS), .flags = HC_ASKED | HC_NEEDED | HC_NONE_IS_FIRST,
              .put = put_time},
    [APP] = {"app_du", HC_TO(GROUP), HC_NUMBERED("app_"), .flags = HC_ASKED},
    [STATUS] = {"status", .note = "`stopped` in its last row: the end of its run", .put = put_status},
    [CPU] = {"cpu_request", CORES | HC_ASKED | HC_NEEDED | HC_CPU_SCALE},
    [CPU_LIMIT] = {"cpu_limit", CORES | HC_WRITE_ONLY},
    [MEMORY] = {"mem_size", HC_TO(MEMORY), HC_DECIMAL(1, 100), .most = 100,
                .flags = HC_ASKED | HC_MEMORY_SCALE, .put = put_memory}};

static const hc_table_form form =
    HC_ALIBABA_FORM("container_meta.csv of Alibaba's trace of 2018", columns, TIME, false);

#define WHOLE 1e9 /* all that a container asked for, as its use is kept */

enum { U_CONTAINER, U_MACHINE, U_TIME, U_CPU, U_MEMORY, U_COLUMNS = 11 };

#define PERCENT \
  HC_DECIMAL((int64_t)(WHOLE / 100), 1), .most = 100, .flags = HC_ZERO_SAYS | HC_ASKED | HC_NEEDED

static const hc_column usage_columns[U_COLUMNS] = {
    [U_CONTAINER] = {"container_id", HC_NUMBERED("c_"), .flags = HC_ASKED | HC_NEEDED},
    [U_MACHINE] = {.titles = "machine_id"},
    [U_TIME] = {"time_stamp", HC_IS(SECONDS), .flags = HC_ASKED | HC_NEEDED},
    [U_CPU] = {"cpu_util_percent", PERCENT},
    [U_MEMORY] = {"mem_util_percent", PERCENT},
    {.titles = "cpi"},
    {.titles = "mem_gps"},
    {.titles = "mpki"},
    {.titles = "net_in"},
    {.titles = "net_out"},
    {.titles = "disk_io_percent"}};

static const hc_table_form usage_form =
    HC_ALIBABA_FORM("container_usage.csv of Alibaba's trace of 2018", usage_columns, U_TIME, false);

static const hc_table_format usage_format = {
    .name = "alibaba_v2018_containers", .forms = &usage_form, .form_count = 1, HC_ALIBABA_MISSING};

typedef struct options {
  hc_alibaba_options common;
  hc_time trace_end, usage_interval;
  const char *usage;
  int64_t usage_steps;
} options;

/* What is known of one so far. */
typedef struct container {
  hc_task_spec task;
  hc_time last; /* time of its last row */
} container;

typedef struct state {
  const hc_source_context *context;
  const options *o;
  hc_sheet *table;
  hc_map seen;     /* containers -> place in `held` */
  container *held; /* [held_count] in order of submission once all is read */
  size_t held_count, held_cap;
  hc_map room_of;     /* container -> place in `rooms` */
  hc_use_room *rooms; /* [room_count] of what each used */
  size_t room_count, room_cap;
  hc_use_store uses;
  hc_use_step *steps; /* [2 x uses.most] */
  hc_task_spec task;  /* given out last */
  struct {
    uint64_t is_read, given; /* all is read; so many were given out */
  } s;
} state;

/* ---- what they used ---- */

/* A row of usage. @return 1, 0 if it was rejected, or an error. */
static hc_rc take_sample(state *s, hc_sheet *a, hc_error *e)
{
  int64_t cpu = HC_UNKNOWN, memory = HC_UNKNOWN;
  hc_time at;
  uint32_t place;
  hc_rc rc = hc_sheet_get(a, U_TIME, &at, e);
  if (rc == 1) rc = hc_sheet_get(a, U_CPU, &cpu, e);
  if (rc == 1) rc = hc_sheet_get(a, U_MEMORY, &memory, e);
  if (rc != 1) return rc;
  if (!hc_sheet_field(a, U_CONTAINER)) return hc_sheet_wrong(a, U_CONTAINER, "no name", e);
  if (at == HC_UNKNOWN) return hc_sheet_wrong(a, U_TIME, "no time", e);
  const uint64_t id = (uint64_t)hc_sheet_id(a, U_CONTAINER);
  place = hc_map_get(&s->room_of, id);
  if (place == HC_MAP_NONE) {
    if (s->room_count >= MOST_CONTAINERS)
      return hc_fail(e, HC_ELIMIT, a->in.name, hc_line_number(a->in.s.line), 0,
                     "more than %zu containers: split the file", MOST_CONTAINERS);
    TRY(hc_reserve(s->context->allocator, (void **)&s->rooms, &s->room_cap, s->room_count + 1,
                   sizeof *s->rooms));
    place = (uint32_t)s->room_count++;
    s->rooms[place] = (hc_use_room){0};
    TRY(hc_map_set(&s->room_of, id, place));
  }
  const hc_use_row row = {at - s->o->usage_interval, at, cpu < 0 ? -1 : (double)cpu,
                          memory < 0 ? -1 : (double)memory};
  TRY(hc_use_put(&s->uses, &s->rooms[place], &row));
  if (s->context->ledger) s->context->ledger->merged++;
  return 1;
}

static hc_rc read_usage(state *s, hc_error *e)
{
  hc_alibaba_options o = s->o->common;
  hc_sheet *a;
  hc_rc rc;
  if (!s->o->usage || !s->o->usage[0]) return 0;
  if (strcmp(s->o->usage, "-") == 0)
    return hc_fail(e, HC_EUSAGE, "source alibaba_v2018_containers", 0, 0,
                   "the usage of containers cannot come from standard input: save it to a file");
  o.file = s->o->usage;
  s->steps = hc_alloc(s->context->allocator, (2 * s->uses.most + 1) * sizeof *s->steps);
  if (!s->steps) return HC_ENOMEM;
  rc = hc_sheet_begin(&usage_format, s->context, &o, &a, e);
  while (rc >= 0 && (rc = hc_sheet_row(a, e)) == 1) rc = take_sample(s, a, e);
  hc_sheet_end(a);
  return rc < 0 ? rc : 0;
}

static int64_t part_of(int64_t asked, int64_t part)
{
  return asked < 0 || part < 0 ? HC_UNKNOWN : (int64_t)((double)asked * ((double)part / WHOLE) + 0.5);
}

/* Give the task at hand what its container used. */
static hc_rc give_use(state *s, hc_task_spec *t)
{
  const uint32_t place = hc_map_get(&s->room_of, (uint64_t)t->id);
  size_t n;
  if (place == HC_MAP_NONE || !s->context->lexicon) return 0;
  n = hc_use_steps(&s->uses, &s->rooms[place], t->submit, s->steps);
  for (size_t i = 0; i < n; i++) {
    hc_use_step *x = &s->steps[i];
    x->cpu = part_of(t->need[HC_DIM_CPU], x->cpu < 0 ? x->cpu : x->cpu / 1000);
    x->memory = part_of(t->need[HC_DIM_MEMORY], x->memory);
  }
  return hc_use_keep(s->context->lexicon, &t->more, s->steps, n);
}

/* ---- containers ---- */

/* The row at hand is the last so far: what it says of the end counts. */
static void take_end(const state *s, container *c, hc_time at)
{
  const hc_field *status = hc_sheet_field(s->table, STATUS);
  const bool stopped = status && hc_same_word(status->text, status->length, "stopped");
  c->last = at;
  c->task.status = stopped ? HC_STATUS_COMPLETED : HC_STATUS_UNKNOWN;
}

/* All of its rows are known: how long it stayed. A single row that says "stopped" says nothing of that. */
static void settle(const state *s, container *c)
{
  hc_task_spec *t = &c->task;
  const bool stopped = t->status == HC_STATUS_COMPLETED && c->last > t->submit;
  if (!stopped) t->status = HC_STATUS_UNKNOWN;
  t->run = HC_MAX((stopped ? c->last : s->o->trace_end) - t->submit, 0);
  t->flags = HC_SPEC_AT_START | (stopped ? 0 : HC_SPEC_NO_END);
}

static hc_rc merge(state *s, container *c, hc_time at)
{
  if (at < c->task.submit) c->task.submit = at;
  if (at >= c->last) take_end(s, c, at);
  if (s->context->ledger) s->context->ledger->merged++;
  return 0;
}

/* @return 0, also if it was rejected; or an error. */
static hc_rc first_row(state *s, int64_t id, hc_time at, hc_error *e)
{
  hc_sheet *a = s->table;
  container c = {.task = hc_task_spec_none()};
  hc_task_spec *t = &c.task;
  int64_t *cpu = &t->need[HC_DIM_CPU], *memory = &t->need[HC_DIM_MEMORY];
  hc_rc rc;
  rc = hc_sheet_get(a, CPU, cpu, e);
  if (rc == 1) rc = hc_sheet_get(a, MEMORY, memory, e);
  if (rc != 1) return rc;
  hc_sheet_defaults(a, cpu, memory);
  if (*cpu == HC_UNKNOWN && *memory == HC_UNKNOWN) return hc_sheet_reject(a, HC_REASON_NO_DEMAND, e);
  t->id = id;
  t->line = a->in.s.line;
  t->submit = at;
  t->group = hc_sheet_id(a, APP);
  t->hosts = 1;
  take_end(s, &c, at);
  if (s->seen.count >= MOST_CONTAINERS)
    return hc_fail(e, HC_ELIMIT, a->in.name, hc_line_number(t->line), 0,
                   "more than %zu containers: split the file", MOST_CONTAINERS);
  TRY(hc_reserve(s->context->allocator, (void **)&s->held, &s->held_cap, s->held_count + 1, sizeof *s->held));
  TRY(hc_map_set(&s->seen, (uint64_t)id, (uint32_t)s->held_count));
  s->held[s->held_count++] = c;
  return 0;
}

/* The row at hand. @return 0 or an error. */
static hc_rc take_row(state *s, hc_error *e)
{
  hc_sheet *a = s->table;
  int64_t id;
  uint32_t place;
  hc_time at;
  const hc_rc rc = hc_sheet_get(a, TIME, &at, e);
  if (rc != 1) return rc;
  if (!hc_sheet_field(a, CONTAINER)) return hc_sheet_wrong(a, CONTAINER, "no name", e);
  if (at == HC_UNKNOWN) return hc_sheet_wrong(a, TIME, "no time", e);
  id = hc_sheet_id(a, CONTAINER);
  place = hc_map_get(&s->seen, (uint64_t)id);
  return place == HC_MAP_NONE ? first_row(s, id, at, e) : merge(s, &s->held[place], at);
}

/* By submission; no two have the same line. */
HC_SORT(sort_containers, container,
        a->task.submit != b->task.submit ? a->task.submit < b->task.submit : a->task.line < b->task.line)

static hc_rc read_all(state *s, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_sheet_row(s->table, e)) == 1) TRY(take_row(s, e));
  if (rc < 0) return rc;
  for (size_t i = 0; i < s->held_count; i++) settle(s, &s->held[i]);
  sort_containers(s->held, s->held_count);
  s->s.is_read = 1;
  return 0;
}

/* ---- the reader ---- */

static void closed(hc_sheet *t)
{
  state *s = t->own;
  if (!s || !s->table) return;
  hc_map_fini(&s->seen);
  hc_map_fini(&s->room_of);
  hc_use_fini(&s->uses);
  if (s->held) hc_free(s->context->allocator, s->held, s->held_cap * sizeof *s->held);
  if (s->rooms) hc_free(s->context->allocator, s->rooms, s->room_cap * sizeof *s->rooms);
  if (s->steps) hc_free(s->context->allocator, s->steps, (2 * s->uses.most + 1) * sizeof *s->steps);
}

static hc_rc opened(hc_sheet *t, hc_error *e)
{
  state *s = t->own;
  s->table = t;
  s->context = t->context;
  s->o = (const options *)(const void *)t->o;
  hc_map_init(&s->seen, t->context->allocator);
  hc_map_init(&s->room_of, t->context->allocator);
  hc_use_init(&s->uses, t->context->allocator, (size_t)s->o->usage_steps);
  return read_usage(s, e);
}

static hc_rc next(hc_sheet *t, hc_job *job, hc_error *e)
{
  state *s = t->own;
  if (!s->s.is_read) TRY(read_all(s, e));
  if (s->s.given == s->held_count) return 0;
  s->task = s->held[s->s.given++].task;
  TRY(give_use(s, &s->task));
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

static hc_rc visit(hc_sheet *t, hc_visitor *v, hc_error *e)
{
  state *s = t->own;
  HC_UNUSED(e);
  HC_VISIT(v, s->s);
  HC_VISIT_ARRAY(v, s->held, s->held_count, s->held_cap);
  return hc_map_visit(&s->seen, v);
}

static bool begins_with(const hc_field *f, const char *prefix)
{
  return f->length > strlen(prefix) && memcmp(f->text, prefix, strlen(prefix)) == 0;
}

static int recognise(const char *name, const char *head, size_t size, const hc_field *f, size_t n)
{
  HC_UNUSED(head);
  HC_UNUSED(size);
  return n == COLUMNS && begins_with(&f[CONTAINER], "c_") &&
                 (f[MACHINE].length == 0 || begins_with(&f[MACHINE], "m_")) && hc_field_is_number(&f[TIME])
             ? 97
         : hc_delimited_is_called(name, "container_meta.csv") ? 30
                                                              : 0;
}

/* ---- writing ---- */

static hc_rc begun(hc_pen *w, hc_buffer *head, hc_error *e)
{
  HC_UNUSED(head);
  HC_UNUSED(e);
  hc_map_init(&((names *)w->own)->seen, w->rows.context->allocator);
  return 0;
}

static void dropped(hc_pen *w)
{
  hc_map_fini(&((names *)w->own)->seen);
}

/* Names for the containers of a task. */
static hc_rc find_names(const hc_pen *w, const hc_task_spec *t, uint64_t *lost, hc_error *e)
{
  names *n = w->own;
  const uint64_t count = (uint64_t)w->repeat;
  if (n->seen.count + n->twins + count > MOST_CONTAINERS) {
    TRY(hc_rows_allowed(t, w->repeat, w->format->name, e));
    return hc_fail(
        e, HC_ELIMIT, w->format->name, 0, 0,
        "more than %zu containers, which no reader takes: choose fewer tasks (--first, --where, --from)",
        MOST_CONTAINERS);
  }
  n->is_taken = t->id < 0 || hc_map_get(&n->seen, (uint64_t)t->id) != HC_MAP_NONE;
  n->first_twin = n->twins;
  n->twins += count - !n->is_taken;
  hc_pen_lose(lost, HC_FACT_BIT(ID), t->id >= 0 && (n->is_taken || count > 1));
  return n->is_taken ? 0 : hc_map_set(&n->seen, (uint64_t)t->id, 0);
}

/* The reader of one that has not ended takes it to run until the trace ends. */
static void say_status(const hc_pen *w, const hc_task_spec *t, bool stops, uint64_t *lost)
{
  const int32_t said = stops ? HC_STATUS_COMPLETED : HC_STATUS_UNKNOWN;
  if (t->status == said) *lost &= ~HC_FACT_BIT(STATUS);
  hc_pen_lose(lost, HC_FACT_BIT(RUN),
              !stops && (hc_end_of(t) != ((const pen_options *)w->options)->trace_end ||
                         !(t->flags & HC_SPEC_NO_END)));
}

static hc_rc write_container(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  const hc_time start = hc_start_of(t), end = t->run < 0 ? HC_UNKNOWN : hc_time_add(start, t->run);
  names *n = w->own;
  HC_UNUSED(value);
  if (!hc_is_time(start) || t->run < 0) return 1;
  TRY(find_names(w, t, lost, e));
  n->from = hc_whole(start, HC_SECOND, lost);
  n->until = hc_is_time(end) ? hc_whole(end, HC_SECOND, lost) : n->from;
  n->stops = !(t->flags & HC_SPEC_NO_END) && n->until > n->from;
  if (n->stops) w->repeat *= 2;
  n->memory_size = (size_t)(hc_alibaba_put_part(n->memory, w->slots.need[HC_DIM_MEMORY],
                                                ((const pen_options *)w->options)->memory_scale, 100, lost) -
                            n->memory);
  say_status(w, t, n->stops, lost);
  hc_pen_lose(lost, HC_FACT_BIT(SUBMIT), t->wait > 0);
  if (t->wait <= 0) *lost &= ~HC_FACT_BIT(WAIT);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {
    .name = "alibaba_v2018_containers",
    .forms = &form,
    .form_count = 1,
    HC_ALIBABA_MISSING,
    .known_titles = COLUMNS,
    .score = 98,
    .recognise = recognise,
    .derived = "A container starts at its first row and runs until its last, if that says that it stopped, "
               "else until the end of the trace; its other rows are merged.",
    .own_size = sizeof(state),
    .opened = opened,
    .closed = closed,
    .visit = visit,
    .next = next,
    .rows = HC_ROW_A_HOST,
    .says = HC_FACT_BIT(RUN) | HC_FACT_BIT(BUNDLE) | HC_FACT_BIT(AT_START) | HC_FACT_BIT(NO_END),
    .pen_size = sizeof(names),
    .begun = begun,
    .dropped = dropped,
    .fill = write_container};

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "100", "512GiB",
                      "Bytes that 100 of mem_size stands for: the memory of the largest machine."),
    HC_PARAM(TIME, options, trace_end, "s", "8d", 0, 1e9,
             "Time at which the trace ends: a container that has not stopped runs until then."),
    HC_PARAM(FILE, options, usage, NULL,
             "Path of container_usage.csv, with what containers used over time, for the metric usage; the "
             "whole file is read first. Its percentages are taken as parts of what a container asked for, "
             "since the trace does not say of what they are. Default: none."),
    HC_PARAM(INT, options, usage_steps, "steps", "16", 1, 4096,
             "Greatest number of samples of a container that are kept; if there are more, each two "
             "neighbours become one."),
    HC_PARAM(TIME, options, usage_interval, "s", "5m", 1e-3, 1e9,
             "Longest time for which a sample counts: it is the use since the sample before it."),
    {.name = NULL},
};

HC_TABLE_READER(
    alibaba_v2018_containers, format, options, params,
    .summary =
        "container_meta.csv of Alibaba's trace of 2018: containers of online services, which run for long",
    .detail =
        "A container is a task from the time of its first row (0: it existed before) to the time of its last "
        "row, if that says \"stopped\"; otherwise to trace_end, marked as not ended. Its other rows, which "
        "may be anywhere in the file, are counted as merged; the whole file is read first.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018");

static const hc_param pen_params[] = {
    HC_ALIBABA_MEMORY_SCALE(pen_options, "100 of mem_size"),
    HC_PARAM(TIME, pen_options, trace_end, "s", "8d", 0, 1e9,
             "When the trace ends, up to which its reader has a container run that has not stopped: a task "
             "that had not ended keeps its run time only if it was seen until then."),
    {.name = NULL},
};

HC_TABLE_WRITER(
    alibaba_v2018_containers, format, columns, ',', ".csv",
    .summary = "container_meta.csv of Alibaba's trace of 2018: a container for each task",
    .detail = "No titles; times are whole seconds. A task becomes a container for each of its hosts and for "
              "each task of a bundle, with a row at its start and a row at its end, unless it had not ended. "
              "A number in container_id that is taken gets a rank behind it. Memory has as many decimals as "
              "are needed to be exact. Tasks that never ran, and tasks that started before time 0 or at an "
              "unknown time, are left out.",
    .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = pen_params,
    .options_size = sizeof(pen_options));
