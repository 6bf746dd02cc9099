/* alibaba_v2018_containers.c -- reads container_meta.csv of Alibaba's trace of 2018: online services, which stay.
 *
 * A container has several rows, one for each time at which something about it was recorded. It becomes one task: it
 * starts at its first row (a time of 0: it was there before the trace), and ends at its last if that says "stopped";
 * else it had not ended when the trace did, at `trace_end`. The other rows are merged. First and last are those by time,
 * wherever they stand: in the published file the rows of a container are together, in one sorted by time they are not.
 * So the file is read whole before the first container is given out.
 *
 * The machine that it ran on, and cpu_limit, are not used: placing it is what a run is for. Containers of one app_du
 * give one service; they become a group.
 *
 * container_usage.csv, if it is given, is read first and whole, in any order of containers: a sample is the use since
 * the one before it, in percent, which are taken to be of what the container asked for (the trace does not say of
 * what). It is kept in few steps a container (workload/use.h). Source: https://github.com/alibaba/clusterdata, cluster-trace-v2018. Cost:
 * about 0.4 us a row; 400 bytes for each container, 32 more for each step of its use. */
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/alibaba.h"
#include "workload/ledger.h"
#include "workload/use.h"

enum { CONTAINER, MACHINE, TIME, APP, STATUS, CPU, CPU_LIMIT, MEMORY, COLUMNS };

static const char *const titles[COLUMNS] = {"container_id", "machine_id",  "time_stamp", "app_du",
                                            "status",       "cpu_request", "cpu_limit",  "mem_size"};

static const hc_alibaba_schema schema = {.reader = "source alibaba_v2018_containers",
                                         .kind = "container_meta.csv of Alibaba's trace of 2018",
                                         .titles = titles,
                                         .count = COLUMNS,
                                         .needed = 1u << CONTAINER | 1u << TIME | 1u << CPU,
                                         .number = TIME,
                                         .submit = TIME,
                                         .id = CONTAINER,
                                         .prefix = "c_",
                                         .zero_is_none = false};

enum { U_CONTAINER, U_MACHINE, U_TIME, U_CPU, U_MEMORY, U_COLUMNS = 11 };

static const char *const usage_titles[U_COLUMNS] = {
    "container_id", "machine_id", "time_stamp", "cpu_util_percent", "mem_util_percent", "cpi",
    "mem_gps",      "mpki",       "net_in",     "net_out",          "disk_io_percent"};

static const hc_alibaba_schema usage_schema = {.reader = "source alibaba_v2018_containers",
                                               .kind = "container_usage.csv of Alibaba's trace of 2018",
                                               .titles = usage_titles,
                                               .count = U_COLUMNS,
                                               .needed = 1u << U_CONTAINER | 1u << U_TIME | 1u << U_CPU |
                                                         1u << U_MEMORY,
                                               .number = U_TIME,
                                               .submit = U_TIME,
                                               .id = U_CONTAINER,
                                               .prefix = "c_"};

#define WHOLE 1e9 /* all that a container asked for, as its use is kept */
#define MOST_CONTAINERS ((size_t)1 << 22)

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

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_alibaba table;
  hc_alibaba_ratio cpu, memory;
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
};

/* ---- what they used ---- */

/* A row of usage. @return 1, 0 if it was rejected, or an error. */
static hc_rc take_sample(hc_source *s, hc_alibaba *a, hc_error *e)
{
  const hc_alibaba_ratio percent = {(uint64_t)(WHOLE / 100), 1};
  const hc_alibaba_range range = {0, 100};
  int64_t cpu = HC_UNKNOWN, memory = HC_UNKNOWN;
  hc_time at;
  uint32_t place;
  hc_rc rc = hc_alibaba_time(a, U_TIME, &at, e);
  if (rc == 1) rc = hc_alibaba_amount(a, U_CPU, percent, range, &cpu, e);
  if (rc == 1) rc = hc_alibaba_amount(a, U_MEMORY, percent, range, &memory, e);
  if (rc != 1) return rc;
  if (!hc_alibaba_get(a, U_CONTAINER)) return hc_alibaba_wrong(a, U_CONTAINER, "no name", e);
  if (at == HC_UNKNOWN) return hc_alibaba_wrong(a, U_TIME, "no time", e);
  const uint64_t id = (uint64_t)hc_alibaba_id(a, U_CONTAINER, "c_");
  place = hc_map_get(&s->room_of, id);
  if (place == HC_MAP_NONE) {
    if (s->room_count >= MOST_CONTAINERS)
      return hc_fail(e, HC_ELIMIT, a->table.name, hc_line_number(a->table.s.line), 0,
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

static hc_rc read_usage(hc_source *s, hc_error *e)
{
  hc_alibaba_options o = s->o->common;
  hc_alibaba a;
  hc_rc rc;
  if (!s->o->usage || !s->o->usage[0]) return 0;
  if (strcmp(s->o->usage, "-") == 0)
    return hc_fail(e, HC_EUSAGE, usage_schema.reader, 0, 0,
                   "the usage of containers cannot come from standard input: save it to a file");
  o.file = s->o->usage;
  s->steps = hc_alloc(s->context->allocator, (2 * s->uses.most + 1) * sizeof *s->steps);
  if (!s->steps) return HC_ENOMEM;
  rc = hc_alibaba_open(&a, s->context, &o, &usage_schema, 1, e);
  while (rc >= 0 && (rc = hc_alibaba_next(&a, e)) == 1) rc = take_sample(s, &a, e);
  hc_alibaba_close(&a);
  return rc < 0 ? rc : 0;
}

static int64_t part_of(int64_t asked, int64_t part)
{
  return asked < 0 || part < 0 ? HC_UNKNOWN : (int64_t)((double)asked * ((double)part / WHOLE) + 0.5);
}

/* Give the task at hand what its container used. */
static hc_rc give_use(hc_source *s, hc_task_spec *t)
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
static void take_end(const hc_source *s, container *c, hc_time at)
{
  const hc_field *status = hc_alibaba_get(&s->table, STATUS);
  const bool stopped = status && hc_same_word(status->text, status->length, "stopped");
  c->last = at;
  c->task.status = stopped ? HC_STATUS_COMPLETED : HC_STATUS_UNKNOWN;
}

/* All of its rows are known: how long it stayed. A single row that says "stopped" says nothing of that. */
static void settle(const hc_source *s, container *c)
{
  hc_task_spec *t = &c->task;
  const bool stopped = t->status == HC_STATUS_COMPLETED && c->last > t->submit;
  if (!stopped) t->status = HC_STATUS_UNKNOWN;
  t->run = HC_MAX((stopped ? c->last : s->o->trace_end) - t->submit, 0);
  t->flags = HC_SPEC_AT_START | (stopped ? 0 : HC_SPEC_NO_END);
}

static hc_rc merge(hc_source *s, container *c, hc_time at)
{
  if (at < c->task.submit) c->task.submit = at;
  if (at >= c->last) take_end(s, c, at);
  if (s->context->ledger) s->context->ledger->merged++;
  return 0;
}

/* @return 0, also if it was rejected; or an error. */
static hc_rc first_row(hc_source *s, int64_t id, hc_time at, hc_error *e)
{
  const hc_alibaba_range share = {1e-18, 100};
  hc_alibaba *a = &s->table;
  container c = {.task = hc_task_spec_none()};
  hc_task_spec *t = &c.task;
  int64_t *cpu = &t->need[HC_DIM_CPU], *memory = &t->need[HC_DIM_MEMORY];
  hc_rc rc;
  rc = hc_alibaba_amount(a, CPU, s->cpu, HC_ALIBABA_POSITIVE, cpu, e);
  if (rc == 1) rc = hc_alibaba_amount(a, MEMORY, s->memory, share, memory, e);
  if (rc != 1) return rc;
  hc_alibaba_defaults(a, cpu, memory);
  if (*cpu == HC_UNKNOWN && *memory == HC_UNKNOWN) return hc_alibaba_reject(a, HC_REASON_NO_DEMAND, e);
  t->id = id;
  t->line = a->table.s.line;
  t->submit = at;
  t->group = hc_alibaba_id(a, APP, "app_");
  t->hosts = 1;
  take_end(s, &c, at);
  if (s->seen.count >= MOST_CONTAINERS)
    return hc_fail(e, HC_ELIMIT, a->table.name, hc_line_number(t->line), 0,
                   "more than %zu containers: split the file", MOST_CONTAINERS);
  TRY(hc_reserve(s->context->allocator, (void **)&s->held, &s->held_cap, s->held_count + 1, sizeof *s->held));
  TRY(hc_map_set(&s->seen, (uint64_t)id, (uint32_t)s->held_count));
  s->held[s->held_count++] = c;
  return 0;
}

/* The row at hand. @return 0 or an error. */
static hc_rc take_row(hc_source *s, hc_error *e)
{
  hc_alibaba *a = &s->table;
  int64_t id;
  uint32_t place;
  hc_time at;
  const hc_rc rc = hc_alibaba_time(a, TIME, &at, e);
  if (rc != 1) return rc;
  if (!hc_alibaba_get(a, CONTAINER)) return hc_alibaba_wrong(a, CONTAINER, "no name", e);
  if (at == HC_UNKNOWN) return hc_alibaba_wrong(a, TIME, "no time", e);
  id = hc_alibaba_id(a, CONTAINER, "c_");
  place = hc_map_get(&s->seen, (uint64_t)id);
  return place == HC_MAP_NONE ? first_row(s, id, at, e) : merge(s, &s->held[place], at);
}

/* By submission; no two have the same line. */
HC_SORT(sort_containers, container,
        a->task.submit != b->task.submit ? a->task.submit < b->task.submit : a->task.line < b->task.line)

static hc_rc read_all(hc_source *s, hc_error *e)
{
  hc_rc rc;
  while ((rc = hc_alibaba_next(&s->table, e)) == 1) TRY(take_row(s, e));
  if (rc < 0) return rc;
  for (size_t i = 0; i < s->held_count; i++) settle(s, &s->held[i]);
  sort_containers(s->held, s->held_count);
  s->s.is_read = 1;
  return 0;
}

/* ---- the reader ---- */

static void containers_close(hc_source *s)
{
  if (!s) return;
  hc_alibaba_close(&s->table);
  hc_map_fini(&s->seen);
  hc_map_fini(&s->room_of);
  hc_use_fini(&s->uses);
  if (s->held) hc_free(s->context->allocator, s->held, s->held_cap * sizeof *s->held);
  if (s->rooms) hc_free(s->context->allocator, s->rooms, s->room_cap * sizeof *s->rooms);
  if (s->steps) hc_free(s->context->allocator, s->steps, (2 * s->uses.most + 1) * sizeof *s->steps);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc containers_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  hc_rc rc;
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->cpu = hc_alibaba_cpu(&o->common, 100);
  s->memory = hc_alibaba_memory(&o->common, 100);
  hc_map_init(&s->seen, c->allocator);
  hc_map_init(&s->room_of, c->allocator);
  hc_use_init(&s->uses, c->allocator, (size_t)o->usage_steps);
  rc = hc_alibaba_open(&s->table, c, &o->common, &schema, 1, e);
  s->table.info.derived =
      "A container starts at its first row and runs until its last, if that says that it stopped, "
      "else until the end of the trace; its other rows are merged.";
  if (rc >= 0) rc = read_usage(s, e);
  if (rc < 0) containers_close(s);
  else *out = s;
  return rc;
}

static hc_rc containers_next(hc_source *s, hc_job *job, hc_error *e)
{
  if (!s->s.is_read) TRY(read_all(s, e));
  if (s->s.given == s->held_count) return 0;
  s->task = s->held[s->s.given++].task;
  TRY(give_use(s, &s->task));
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

static const hc_trace_info *containers_info(hc_source *s)
{
  return &s->table.info;
}

static hc_rc containers_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(hc_alibaba_visit(&s->table, v, e));
  HC_VISIT(v, s->s);
  HC_VISIT_ARRAY(v, s->held, s->held_count, s->held_cap);
  return hc_map_visit(&s->seen, v);
}

static void containers_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->table.table.in, done, total);
}

static bool begins_with(const hc_field *f, const char *prefix)
{
  return f->length > strlen(prefix) && memcmp(f->text, prefix, strlen(prefix)) == 0;
}

static int containers_recognise(const char *name, const char *head, size_t size)
{
  hc_field f[HC_ALIBABA_COLUMNS];
  const size_t n = hc_alibaba_first_line(head, size, f);
  const int named = hc_delimited_is_called(name, "container_meta.csv") ? 30 : 0;
  if (n != COLUMNS) return named;
  if (hc_alibaba_titles(&schema, f, n) == COLUMNS) return 98;
  return begins_with(&f[CONTAINER], "c_") && (f[MACHINE].length == 0 || begins_with(&f[MACHINE], "m_")) &&
                 hc_alibaba_is_number(&f[TIME])
             ? 97
             : named;
}

static hc_rc containers_line_begin(const hc_allocator *a, const void *given, const char *text, size_t size,
                                   void **layout, hc_error *e)
{
  const options *o = given;
  return hc_alibaba_line_begin(a, &o->common, &schema, 1, text, size, layout, e);
}

static const hc_param params[] = {
    HC_ALIBABA_PARAMS(options, "100", "512GiB",
                      "what 100 of mem_size stands for: the memory of the largest machine"),
    HC_PARAM(TIME, options, trace_end, "s", "8d", 0, 1e9,
             "When the trace ends, up to which a container runs that has not stopped."),
    HC_PARAM(TEXT, options, usage, NULL,
             "Path of container_usage.csv, read whole before the first container: what they really used "
             "over time, for the metric usage, in percent of what they asked for (the trace does not say of "
             "what)."),
    HC_PARAM(INT, options, usage_steps, "steps", "16", 1, 4096,
             "Most samples that are kept of a container: beyond, each two neighbours become one."),
    HC_PARAM(TIME, options, usage_interval, "s", "5m", 1e-3, 1e9,
             "A sample is the use since the one before it, but for no longer than this."),
    {.name = NULL},
};

const hc_reader_type hc_reader_alibaba_v2018_containers = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "alibaba_v2018_containers",
         .summary =
             "container_meta.csv of Alibaba's trace of 2018: containers of online services, which stay",
         .detail =
             "8 columns, with or without a header. A container is a task from the time of its first row (0: it was "
             "there before) to that of its last, if that is \"stopped\", else to trace_end, with the flag that it had "
             "not ended; its other rows are merged, wherever they stand: the file is read whole first. cpu is "
             "cpu_request (cpu_scale is a core), memory mem_size. id is the number in c_17, group that in app_17; other "
             "names are hashed.",
         .source = "https://github.com/alibaba/clusterdata, cluster-trace-v2018", .params = params,
         .options_size = sizeof(options)},
    .open = containers_open,
    .next = containers_next,
    .info = containers_info,
    .visit = containers_visit,
    .progress = containers_progress,
    .close = containers_close,
    .recognise = containers_recognise,
    .line_key = hc_alibaba_line_key,
    .line_begin = containers_line_begin,
    .line_end = hc_alibaba_line_end,
};
