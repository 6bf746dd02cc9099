/* azure_functions.c -- the Azure Functions dataset of 2019 as tasks: one for each invocation.
 *
 * The tables are read whole (azure_day.h), their counts put in order of minutes, and then minute by minute
 * invocations are made, put in order and handed out: what is kept of them is those of a minute. An invocation
 * asks for a processor; its user is the owner, its group the application, its program the function, by the
 * order in which the tables name them first. Which cold starts there were the dataset does not say. */
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/azure_day.h"
#include "workload/generated.h"
#include "workload/reading.h"

#define WHERE "source azure_functions"

typedef struct options {
  hc_azure_options day;
  hc_time time_unit;
  int64_t stream;
  const char *origin;
} options;

typedef struct invocation {
  hc_time submit, run;
  uint32_t row, rank;
} invocation;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_azure_day day;   /* its counts in order of minutes */
  invocation *minute; /* [count] those of the minute that is at hand */
  size_t count, cap;
  hc_trace_info info;
  hc_task_spec task;
  struct {
    uint64_t first, next; /* counts of the minute at hand, of those to come */
    uint64_t at;          /* in `minute` */
    uint64_t made;        /* tasks */
  } s;
};

HC_SORT_STABLE(sort_by_minute, hc_azure_count, a->minute < b->minute)
HC_SORT(sort_by_time, invocation,
        a->submit != b->submit ? a->submit < b->submit
        : a->row != b->row     ? a->row < b->row
                               : a->rank < b->rank)

static void azure_close(hc_source *s)
{
  if (!s) return;
  hc_azure_close(&s->day);
  hc_free(s->context->allocator, s->minute, s->cap * sizeof *s->minute);
  hc_free(s->context->allocator, s, sizeof *s);
}

static hc_rc sort_counts(hc_source *s)
{
  const hc_allocator *a = s->context->allocator;
  const size_t half = s->day.count / 2 + 1;
  hc_azure_count *room = hc_alloc(a, half * sizeof *room);
  if (!room) return HC_ENOMEM;
  sort_by_minute(s->day.counts, s->day.count, room);
  hc_free(a, room, half * sizeof *room);
  return 0;
}

static hc_rc azure_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_time origin = HC_UNKNOWN;
  hc_source *s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->context = c;
  s->o = o;
  s->info = hc_trace_info_none();
  hc_rc rc = hc_azure_read(c->allocator, &o->day, WHERE, &s->day, e);
  if (rc >= 0) rc = sort_counts(s);
  if (rc >= 0) rc = hc_origin_read(WHERE, o->origin, NULL, &origin, e);
  s->info.unix_start = hc_origin_seconds(origin);
  if (rc < 0) {
    azure_close(s);
    return rc;
  }
  *out = s;
  return 0;
}

/* ---- a minute ---- */

static void reject(hc_source *s, hc_reason why, uint64_t n)
{
  hc_row_ledger *l = s->context->ledger;
  if (!l) return;
  l->read += n;
  l->rejected[why] += n;
  l->rejections += n;
}

static hc_rc invoke(hc_source *s, const hc_azure_count *n, const hc_draws *stream)
{
  TRY(hc_reserve(s->context->allocator, (void **)&s->minute, &s->cap, s->count + n->count,
                 sizeof *s->minute));
  for (uint32_t i = 0; i < n->count; i++) {
    invocation *x = &s->minute[s->count++];
    double place;
    *x = (invocation){.row = n->row, .rank = n->before + i};
    hc_azure_draw(&s->day, n, i, stream, &place, &x->run);
    x->submit = n->minute * s->o->time_unit + (hc_time)(place * (double)s->o->time_unit);
  }
  return 0;
}

/* The invocations of one minute, from the count `first` on. @param is_again it was made before: what it
 * rejects has been counted */
static hc_rc make_minute(hc_source *s, uint64_t first, bool is_again)
{
  const hc_draws stream = {.seed = s->context->seed,
                           .replication = s->context->replication,
                           .entity = (uint64_t)s->o->stream << 56};
  uint64_t i = first;
  s->count = 0;
  for (; i < s->day.count && s->day.counts[i].minute == s->day.counts[first].minute; i++) {
    const hc_azure_count *n = &s->day.counts[i];
    const hc_azure_function *f = &s->day.rows[n->row];
    const bool is_taken = hc_azure_takes(&s->day, f->application, &stream);
    if (is_taken && f->lengths != HC_MAP_NONE) TRY(invoke(s, n, &stream));
    else if (!is_again) reject(s, is_taken ? HC_REASON_INCOMPLETE : HC_REASON_FILTERED, n->count);
  }
  sort_by_time(s->minute, s->count);
  s->s.first = first;
  s->s.next = i;
  return 0;
}

static hc_rc azure_next(hc_source *s, hc_job *job, hc_error *e)
{
  HC_UNUSED(e);
  while (s->s.at >= s->count) {
    if (s->s.next >= s->day.count) return 0;
    s->s.at = 0;
    TRY(make_minute(s, s->s.next, false));
  }
  const invocation *x = &s->minute[s->s.at++];
  const hc_azure_function *f = &s->day.rows[x->row];
  s->task = hc_generated_task(s->s.made++, x->submit, x->run, 1);
  s->task.limit = HC_UNKNOWN;
  s->task.user = (int64_t)f->owner + 1;
  s->task.group = (int64_t)f->application + 1;
  s->task.executable = (int64_t)f->function + 1;
  const int64_t bytes = hc_azure_memory(&s->day, f->application);
  if (bytes >= 0) hc_generated_demand(&s->task, 1, (double)bytes, 1);
  if (s->context->ledger) s->context->ledger->read++;
  *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return 1;
}

static const hc_trace_info *azure_info(hc_source *s)
{
  return &s->info;
}

static hc_rc azure_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  HC_UNUSED(e);
  HC_VISIT(v, s->s);
  if (!hc_visit_loading(v)) return 0;
  s->count = 0;
  if (s->s.next > s->day.count || s->s.first > s->s.next) return HC_EINPUT;
  if (s->s.next > 0) TRY(make_minute(s, s->s.first, true));
  return s->s.at <= s->count ? 0 : HC_EINPUT;
}

static int azure_recognise(const char *name, const char *head, size_t size)
{
  HC_UNUSED(name);
  return hc_head_holds(head, size, "HashOwner,HashApp,HashFunction,Trigger,1,2") ? 96 : 0;
}

static const hc_param params[] = {
    HC_AZURE_PARAMS(options, day),
    HC_PARAM(TIME, options, time_unit, "s", "1m", 1e-3, 1e6,
             "Time that a column of the first table stands for: one minute in the dataset."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time at which the first column begins. Default: none."),
    HC_PARAM(INT, options, stream, "1", "0", 0, 255,
             "Number of the stream of random draws: another number gives other draws from the same seed. Two "
             "days in one run need two numbers."),
    {.name = NULL}};

const hc_reader_type hc_reader_azure_functions = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "azure_functions",
                  .summary = "the Azure Functions dataset of 2019: a task for each invocation",
                  .detail = "It reads three tables of one day, whose columns are found by their titles. A "
                            "task asks for one processor, and on hosts for the memory of its application, if "
                            "the table of memory is given. Its user is HashOwner, its group HashApp and its "
                            "program HashFunction, numbered from 1 in order of first sight. " HC_AZURE_DETAIL,
                  .source = HC_AZURE_SOURCE, .params = params, .options_size = sizeof(options)},
    .open = azure_open,
    .next = azure_next,
    .info = azure_info,
    .visit = azure_visit,
    .close = azure_close,
    .recognise = azure_recognise,
};
