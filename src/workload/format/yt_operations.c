/* yt_operations.c -- reads the operations of YTsaurus's scheduler simulator, as text: YSON or JSON, one
 * record after the other or in one list.
 *
 *   {operation_id="1-2-3-4"; start_time="2017-01-24T10:00:00Z"; finish_time=...; authenticated_user=ann;
 *    operation_type=map; state=completed; in_timeframe=%true; spec={pool=research; weight=2.};
 *    job_descriptions=[[14.95; 536870912; 1.; 1; 0; "5-6-7-8"; map; completed]; ...]}
 *
 * An operation is a job, and its jobs are tasks: seconds, memory in bytes, cores, user slots, network, id,
 * type, state. Jobs of one type make a bucket, and a bucket starts when those that it follows have ended
 * (`follows`, below); only types that an operation has count. A job's number is the rank of its operation in
 * the file, from 1, and a task's is that times 100 plus the number of its type: so a bucket has one number,
 * by which others wait for it.
 *
 * Jobs of preempted state are left out: the run preempts by itself. A job that failed runs as long as it
 * did, and counts as done. The file is read when it is opened, 48 bytes a job, and sorted by (start_time,
 * place). The simulator's own converter makes binary files of this, which no other program reads. Cost: about
 * 0.6 us a job. Source: the scheduler simulator of YTsaurus. */
#include <string.h>

#include "base/json.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/names.h"
#include "workload/reading.h"
#include "workload/spec.h"

#define MOST_JOBS ((size_t)1 << 25)
#define MOST_OPERATIONS ((size_t)1 << 24)
#define FINE HC_REASON_COUNT
#define BIT(type) (1u << TYPE_##type)

/* Types, each behind those that it follows. */
#define TYPES(X) \
  X(PARTITION, "partition", 0) \
  X(PARTITION_MAP, "partition_map", 0) \
  X(MAP, "map", 0) \
  X(SIMPLE_SORT, "simple_sort", 0) \
  X(INTERMEDIATE_SORT, "intermediate_sort", BIT(PARTITION) | BIT(PARTITION_MAP)) \
  X(FINAL_SORT, "final_sort", BIT(PARTITION) | BIT(PARTITION_MAP)) \
  X(REDUCE_COMBINER, "reduce_combiner", BIT(PARTITION) | BIT(PARTITION_MAP)) \
  X(PARTITION_REDUCE, "partition_reduce", BIT(PARTITION) | BIT(PARTITION_MAP)) \
  X(SORTED_REDUCE, "sorted_reduce", \
    BIT(PARTITION) | BIT(PARTITION_MAP) | BIT(INTERMEDIATE_SORT) | BIT(FINAL_SORT) | BIT(REDUCE_COMBINER)) \
  X(SORTED_MERGE, "sorted_merge", \
    BIT(PARTITION) | BIT(INTERMEDIATE_SORT) | BIT(FINAL_SORT) | BIT(SIMPLE_SORT)) \
  X(UNORDERED_MERGE, "unordered_merge", BIT(PARTITION) | BIT(PARTITION_MAP) | BIT(MAP)) \
  X(ORDERED_MAP, "ordered_map", 0) \
  X(ORDERED_MERGE, "ordered_merge", 0) \
  X(JOIN_REDUCE, "join_reduce", 0) \
  X(REMOTE_COPY, "remote_copy", 0) \
  X(VANILLA, "vanilla", 0)

enum {
#define X(name, word, before) TYPE_##name,
  TYPES(X)
#undef X
      TYPE_COUNT
};

static const char *const type_words[TYPE_COUNT] = {
#define X(name, word, before) word,
    TYPES(X)
#undef X
};

/* Types whose buckets must have ended before. */
static const uint32_t follows[TYPE_COUNT] = {
#define X(name, word, before) before,
    TYPES(X)
#undef X
};

typedef struct options {
  const char *file, *origin;
  bool shift;
  double weight_unit;
  hc_time time_unit;
} options;

typedef struct item {
  hc_time run;
  int64_t memory, cpu, network, slots; /* bytes, thousandths of cores */
  uint32_t line;
  uint8_t type, status, why; /* hc_status; FINE, or why it is left out */
} item;

typedef struct operation {
  hc_time start; /* HC_UNKNOWN */
  int64_t user, queue, priority;
  size_t first, count; /* in `items` */
  uint64_t rank;       /* in the file, from 1 */
  uint32_t line, types;
} operation;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_json *in;
  const char *name;
  hc_trace_info info;
  hc_interned users, queues;
  hc_buffer scratch;
  item *items; /* of an operation together, by type once it is read */
  size_t count, cap;
  operation *operations; /* [operation_count] by (start, rank) */
  size_t operation_count, operation_cap;
  item *sorted; /* scratch */
  size_t sorted_cap;
  bool has_dates;
  int network, slots; /* dimensions; -1: none */
  uint64_t bytes;
  hc_task_spec task;
  struct {
    uint64_t operation, item, count; /* at hand; how many items there are */
  } s;
};

static hc_rc wrong(const hc_source *s, const hc_json_token *t, const char *what, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, s->name, t->line, t->column, "%s", what);
}

/* ---- a job ---- */

static hc_field field_of(const hc_json_token *t)
{
  return (hc_field){.text = t->text, .length = t->size};
}

static bool take_time(const hc_source *s, const hc_json_token *t, hc_time *out)
{
  return t->kind == HC_JSON_NUMBER && hc_parse_seconds(t->text, t->size, out) == 0 && *out >= 0 &&
         *out < HC_NEVER && hc_reading_in_units(s->o->time_unit, &out, 1);
}

static bool take_amount(const hc_json_token *t, int64_t unit, int64_t *out)
{
  const hc_field f = field_of(t);
  return t->kind == HC_JSON_NUMBER && hc_field_amount(&f, unit, out);
}

static hc_rc take_type(const hc_source *s, const hc_json_token *t, uint8_t *out, hc_error *e)
{
  const char *word = strcmp(t->text, "partition_sort") == 0 ? "intermediate_sort" : t->text;
  for (uint8_t i = 0; i < TYPE_COUNT; i++) {
    if (t->kind != HC_JSON_STRING || strcmp(type_words[i], word) != 0) continue;
    *out = i;
    return 0;
  }
  return hc_fail(e, HC_EINPUT, s->name, t->line, t->column,
                 "\"%.40s\" is no type of job, so what it waits for is not known; write map, partition_map, "
                 "sorted_merge, vanilla ..., as `hindcast describe yt_operations` lists them",
                 t->text);
}

static void take_state(const hc_json_token *t, item *it)
{
  it->status = HC_STATUS_FAILED;
  if (strcmp(t->text, "completed") == 0) it->status = HC_STATUS_COMPLETED;
  if (strcmp(t->text, "aborted") == 0) it->status = HC_STATUS_CANCELLED;
  if (strstr(t->text, "preempt")) it->why = HC_REASON_FILTERED;
}

/* The list at hand: duration, memory, cpu, slots, network, id, type, state. */
static hc_rc read_item(hc_source *s, item *it, hc_error *e)
{
  enum { DURATION, MEMORY, CPU, SLOTS, NETWORK, ID, TYPE, STATE, FIELDS };
  hc_json_token t;
  int at = 0;
  hc_rc rc;
  for (; (rc = hc_json_next(s->in, &t, e)) == 1; at++) {
    bool fine = at < FIELDS;
    if (at == DURATION) fine = take_time(s, &t, &it->run);
    if (at == MEMORY) fine = take_amount(&t, 1, &it->memory);
    if (at == CPU) fine = take_amount(&t, 1000, &it->cpu);
    if (at == SLOTS) fine = take_amount(&t, 1, &it->slots);
    if (at == NETWORK) fine = take_amount(&t, 1, &it->network);
    if (at == TYPE) TRY(take_type(s, &t, &it->type, e));
    if (at == STATE) take_state(&t, it);
    if (!fine && it->why == FINE) it->why = HC_REASON_MALFORMED;
    TRY(hc_json_skip(s->in, &t, e));
  }
  if (at <= TYPE) it->why = HC_REASON_MALFORMED;
  return rc;
}

static hc_rc read_items(hc_source *s, operation *o, const hc_json_token *begin, hc_error *e)
{
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_ARRAY)
    return wrong(
        s, begin,
        "`job_descriptions` must be a list of lists: [[14.95; 536870912; 1.; 1; 0; id; map; completed]]", e);
  while ((rc = hc_json_next(s->in, &t, e)) == 1) {
    item it = {.line = t.line, .why = FINE};
    if (s->count == MOST_JOBS)
      return wrong(s, &t, "more than 33,554,432 jobs, which are held in memory: split the file", e);
    if (t.kind == HC_JSON_ARRAY) TRY(read_item(s, &it, e));
    else TRY(hc_json_skip(s->in, &t, e));
    if (t.kind != HC_JSON_ARRAY) it.why = HC_REASON_MALFORMED;
    if (it.why == FINE) o->types |= 1u << it.type;
    TRY(hc_reserve(s->context->allocator, (void **)&s->items, &s->cap, s->count + 1, sizeof *s->items));
    s->items[s->count++] = it;
    o->count++;
  }
  return rc;
}

/* ---- an operation ---- */

static hc_rc take_name(hc_source *s, hc_interned *names, const hc_json_token *t, int64_t *out, hc_error *e)
{
  const hc_field f = field_of(t);
  hc_rc rc;
  if (t->kind != HC_JSON_STRING && t->kind != HC_JSON_NUMBER) return wrong(s, t, "this must be a name", e);
  rc = hc_interned_number(names, &f, &s->scratch, out);
  return rc < 0 ? rc : 0;
}

/* Seconds since some origin, or a date. */
static hc_rc take_start(hc_source *s, const hc_json_token *t, operation *o, hc_error *e)
{
  const hc_field f = field_of(t);
  const hc_moment_format format = {.kind = HC_MOMENT_ISO, .unit = HC_SECOND};
  const bool is_date = t->kind == HC_JSON_STRING;
  if (s->operation_count > 0 && is_date != s->has_dates)
    return wrong(s, t, "some times are dates and some are numbers of seconds: write all alike", e);
  s->has_dates = is_date;
  if (is_date ? hc_field_moment(&f, &format, NULL, &o->start) : take_time(s, t, &o->start)) return 0;
  return wrong(s, t, "`start_time` must be a date, 2017-01-24T10:00:00Z, or a number of seconds", e);
}

/* A weight is a whole number of weight_unit, at least 1. */
static hc_rc take_weight(hc_source *s, const hc_json_token *t, operation *o, hc_error *e)
{
  double weight, units, off;
  if (t->kind != HC_JSON_NUMBER || hc_parse_real(t->text, t->size, &weight) < 0 ||
      !(weight > 0 && weight <= 1e9))
    return wrong(s, t, "`weight` must be a number above 0, at most 1e9", e);
  units = weight / s->o->weight_unit;
  o->priority = HC_MAX((int64_t)(units + 0.5), 1);
  off = (double)o->priority / units - 1;
  off = off < 0 ? -off : off;
  if (off > 1e-9 && s->context->ledger) {
    s->context->ledger->rounded++;
    s->context->ledger->rounding = HC_MAX(s->context->ledger->rounding, off);
  }
  return 0;
}

static hc_rc read_spec(hc_source *s, operation *o, const hc_json_token *begin, hc_error *e)
{
  enum { POOL, WEIGHT, NONE };
  static const char *const known[] = {"pool", "weight"};
  size_t which;
  hc_json_token t;
  hc_rc rc;
  if (begin->kind != HC_JSON_OBJECT) return hc_json_skip(s->in, begin, e);
  while ((rc = hc_json_member(s->in, known, NONE, &which, &t, e)) == 1) {
    if (which == POOL && t.kind != HC_JSON_NULL) TRY(take_name(s, &s->queues, &t, &o->queue, e));
    else if (which == WEIGHT && t.kind != HC_JSON_NULL) TRY(take_weight(s, &t, o, e));
    else TRY(hc_json_skip(s->in, &t, e));
  }
  return rc;
}

static hc_rc read_members(hc_source *s, operation *o, hc_error *e)
{
  enum { START, USER, SPEC, JOBS, NONE };
  static const char *const known[] = {"start_time", "authenticated_user", "spec", "job_descriptions"};
  size_t which;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_member(s->in, known, NONE, &which, &t, e)) == 1) {
    if (which == JOBS && o->count > 0)
      return wrong(s, &t, "`job_descriptions` stands here for the second time", e);
    if (which == START) TRY(take_start(s, &t, o, e));
    if (which == USER) TRY(take_name(s, &s->users, &t, &o->user, e));
    else if (which == SPEC) TRY(read_spec(s, o, &t, e));
    else if (which == JOBS) TRY(read_items(s, o, &t, e));
    else TRY(hc_json_skip(s->in, &t, e));
  }
  return rc;
}

/* Jobs by type, and within one as they stand. */
static hc_rc sort_items(hc_source *s, const operation *o)
{
  size_t at = 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->sorted, &s->sorted_cap, o->count, sizeof *s->sorted));
  for (uint8_t type = 0; type < TYPE_COUNT; type++)
    for (size_t i = o->first; i < o->first + o->count; i++)
      if (s->items[i].type == type) s->sorted[at++] = s->items[i];
  if (o->count > 0) memcpy(s->items + o->first, s->sorted, o->count * sizeof *s->sorted);
  return 0;
}

static hc_rc read_operation(hc_source *s, const hc_json_token *begin, hc_error *e)
{
  operation o = {.start = HC_UNKNOWN,
                 .user = -1,
                 .queue = -1,
                 .first = s->count,
                 .rank = s->operation_count + 1,
                 .line = begin->line};
  const hc_json_token place = *begin;
  if (begin->kind != HC_JSON_OBJECT)
    return wrong(s, begin,
                 "an operation is a map: {operation_id=...; start_time=...; job_descriptions=[...]}", e);
  if (s->operation_count == MOST_OPERATIONS)
    return wrong(s, begin, "more than 16,777,216 operations, which are held in memory: split the file", e);
  TRY(read_members(s, &o, e));
  if (o.start == HC_UNKNOWN)
    return wrong(s, &place, "an operation without `start_time`: when it arrived is not known", e);
  if (o.priority == 0) o.priority = HC_MAX((int64_t)(1 / s->o->weight_unit + 0.5), 1);
  TRY(sort_items(s, &o));
  TRY(hc_reserve(s->context->allocator, (void **)&s->operations, &s->operation_cap, s->operation_count + 1,
                 sizeof *s->operations));
  s->operations[s->operation_count++] = o;
  return 0;
}

/* ---- the file ---- */

HC_SORT(sort_operations, operation, a->start != b->start ? a->start < b->start : a->rank < b->rank)

/* Times count from the earliest operation. */
static void set_origin(hc_source *s)
{
  if (s->operation_count == 0) return;
  const hc_time origin = s->operations[0].start;
  if (s->has_dates && s->info.unix_start == HC_UNKNOWN) s->info.unix_start = hc_floor_div(origin, HC_SECOND);
  for (size_t i = 0; i < s->operation_count; i++) {
    operation *o = &s->operations[i];
    o->start = s->o->shift ? 0 : o->start - origin;
  }
}

static hc_rc read_file(hc_source *s, hc_error *e)
{
  hc_json_token t;
  hc_rc rc, inner;
  while ((rc = hc_json_next(s->in, &t, e)) == 1) {
    if (t.kind != HC_JSON_ARRAY) {
      TRY(read_operation(s, &t, e));
      continue;
    }
    while ((inner = hc_json_next(s->in, &t, e)) == 1) TRY(read_operation(s, &t, e));
    if (inner < 0) return inner;
  }
  if (rc < 0) return rc;
  sort_operations(s->operations, s->operation_count);
  set_origin(s);
  s->bytes = hc_json_bytes(s->in);
  s->s.count = s->count;
  return 0;
}

/* ---- the reader ---- */

static void yt_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_json_free(s->in);
  hc_interned_fini(&s->users);
  hc_interned_fini(&s->queues);
  hc_buffer_fini(&s->scratch);
  hc_free(a, s->items, s->cap * sizeof *s->items);
  hc_free(a, s->sorted, s->sorted_cap * sizeof *s->sorted);
  hc_free(a, s->operations, s->operation_cap * sizeof *s->operations);
  hc_free(a, s, sizeof *s);
}

static hc_rc yt_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_time origin = HC_UNKNOWN;
  hc_source *s;
  hc_rc rc;
  TRY(hc_origin_read("source yt_operations", o->origin, NULL, &origin, e));
  TRY(hc_reading_begin(c, "source yt_operations", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  s->info.unix_start = hc_origin_seconds(origin);
  s->info.derived =
      "Jobs wait for those of the types before theirs; a task's number is 100 x the operation's + its "
      "type's.";
  s->network = c->lexicon ? hc_lexicon_dimension(c->lexicon, "network", 7) : -1;
  s->slots = c->lexicon ? hc_lexicon_dimension(c->lexicon, "user_slots", 10) : -1;
  hc_interned_init(&s->users, c->allocator, true);
  hc_interned_init(&s->queues, c->allocator, true);
  s->users.lexicon = c->lexicon;
  s->queues.lexicon = c->lexicon;
  s->users.ledger = s->queues.ledger = c->ledger;
  s->queues.what = HC_CALLED_QUEUE;
  hc_buffer_init(&s->scratch, c->allocator);
  s->name = hc_reading_name(o->file);
  rc = hc_json_open_yson(c->allocator, o->file, &s->in, e);
  if (rc == 0) rc = read_file(s, e);
  hc_json_free(s->in);
  s->in = NULL;
  if (rc < 0) yt_close(s);
  else *out = s;
  return rc;
}

static int64_t bucket(const operation *o, unsigned type)
{
  return (int64_t)o->rank * 100 + (int64_t)type + 1;
}

/* What the bucket at hand waits for. @return a handle, 0 if nothing; HC_NO_NAME: no memory */
static uint32_t waits_for(const hc_source *s, const operation *o, unsigned type)
{
  const uint32_t types = follows[type] & o->types;
  hc_after after[TYPE_COUNT];
  hc_task_extras more = hc_task_extras_none();
  uint32_t handle;
  more.after = after;
  for (unsigned i = 0; i < TYPE_COUNT; i++)
    if (types >> i & 1)
      after[more.after_count++] =
          (hc_after){.job = (int64_t)o->rank, .task = bucket(o, i), .how = HC_AFTER_ENDED};
  if (more.after_count == 0 || !s->context->lexicon) return 0;
  handle = hc_lexicon_keep(s->context->lexicon, &more);
  return handle == 0 ? HC_NO_NAME : handle;
}

static hc_rc say(hc_source *s, int dimension, int64_t amount)
{
  return hc_spec_say(&s->task, s->context->lexicon, (uint32_t)dimension, amount);
}

static hc_rc make_task(hc_source *s, const operation *o, const item *it)
{
  hc_task_spec *t = &s->task;
  *t = hc_task_spec_none();
  t->id = bucket(o, it->type);
  t->line = it->line;
  t->submit = o->start;
  t->run = it->run;
  t->status = it->status;
  t->user = o->user;
  t->queue = o->queue;
  t->priority = o->priority;
  t->job = (int64_t)o->rank;
  t->hosts = 1;
  t->need[HC_DIM_CPU] = it->cpu;
  t->need[HC_DIM_MEMORY] = it->memory;
  t->more = waits_for(s, o, it->type);
  if (t->more == HC_NO_NAME) return HC_ENOMEM;
  if (s->network >= 0 && it->network > 0) TRY(say(s, s->network, it->network));
  if (s->slots >= 0 && it->slots > 0) TRY(say(s, s->slots, it->slots));
  return 1;
}

static hc_rc yt_next(hc_source *s, hc_job *out, hc_error *e)
{
  for (; s->s.operation < s->operation_count; s->s.operation++, s->s.item = 0) {
    const operation *o = &s->operations[s->s.operation];
    while (s->s.item < o->count) {
      const item *it = &s->items[o->first + s->s.item++];
      if (s->context->ledger) s->context->ledger->read++;
      if (it->why == FINE) {
        *out = (hc_job){.tasks = &s->task, .task_count = 1};
        return make_task(s, o, it);
      }
      TRY(hc_row_reject(s->context, s->name, it->line, 0, (hc_reason)it->why, NULL, e));
    }
  }
  return 0;
}

static const hc_trace_info *yt_info(hc_source *s)
{
  return &s->info;
}

static hc_rc yt_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_VISIT(v, s->s);
  if (s->s.count == s->count && s->s.operation <= s->operation_count) return 0;
  return hc_fail(e, HC_EINPUT, s->name, 0, 0,
                 "the file does not have as many jobs as when it was read before; give the same file");
}

static void yt_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  const double part = s->operation_count > 0 ? (double)s->s.operation / (double)s->operation_count : 1;
  *total = s->bytes;
  *done = (uint64_t)((double)s->bytes * part);
}

static hc_refers yt_refers(const hc_source *s)
{
  HC_UNUSED(s);
  return HC_REFERS_JOB;
}

static int yt_recognise(const char *name, const char *head, size_t size)
{
  HC_UNUSED(name);
  if (hc_head_holds(head, size, "job_descriptions")) return 96;
  return hc_head_holds(head, size, "authenticated_user") ? 60 : 0;
}

static const hc_param params[] = {
    HC_PARAM(
        FILE, options, file, NULL,
        "Path of the file of operations, YSON text or JSON, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM_AS(BOOL, "shift_operations_to_start", options, shift, "false",
                "Whether all operations arrive when the earliest does."),
    HC_PARAM(REAL, options, weight_unit, "1", "1", 1e-6, 1e6,
             "Weight that becomes priority 1: the weight in an operation's spec is rounded to a whole "
             "multiple of it, at least 1. With 0.001 weights keep three decimals; weights of pools beside "
             "operations must then be in thousandths too."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "Unit of a time that is a number; the simulator has seconds."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time of time 0, at which the earliest operation arrives; it changes no time "
             "of a task. Default: the start_time of that operation, if it is a date."),
    {0}};

const hc_reader_type hc_reader_yt_operations = {
    .component =
        {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "yt_operations",
         .summary = "operations of YTsaurus's scheduler simulator, as YSON text or JSON",
         .detail =
             "A record has start_time (a date or seconds), authenticated_user, spec {pool, weight}, and "
             "job_descriptions, which are lists of seconds, memory, cores, user_slots, network, id, type, "
             "state; other keys are ignored. An operation is a job, numbered from 1 in the file; its jobs "
             "are tasks, with the numbers 100 x that of the operation + their type: 1 partition, 2 "
             "partition_map, 3 map, 4 simple_sort, 5 intermediate_sort (partition_sort), 6 final_sort, 7 "
             "reduce_combiner, 8 partition_reduce, 9 sorted_reduce, 10 sorted_merge, 11 unordered_merge, 12 "
             "ordered_map, 13 ordered_merge, 14 join_reduce, 15 remote_copy, 16 vanilla. A task waits until "
             "the tasks of its operation whose types precede its own have ended. The pool is the queue. Jobs "
             "with the state preempted are left out. Times count from the earliest operation. user_slots and "
             "network are dimensions, like those of the cell yt_nodes.",
         .source = "the scheduler simulator of YTsaurus", .params = params, .options_size = sizeof(options)},
    .open = yt_open,
    .next = yt_next,
    .info = yt_info,
    .visit = yt_visit,
    .progress = yt_progress,
    .close = yt_close,
    .recognise = yt_recognise,
    .refers = yt_refers,
};
