/* google2011.c -- writes task_events of the Google cluster trace of 2011: what happened to each task, in
 * order of time.
 *
 *   time, missing info, job id, task index, machine id, event, user, scheduling class, priority, cpu, ram,
 *   disk, different machine
 *
 * A task is submitted (0), scheduled (1), and finishes (4), fails (3) or is killed (5). Rows of all tasks
 * stand in order of time, so those that lie ahead are kept in a heap: one for each task that waits or runs,
 * at most `live`. At one instant, what was to come comes before new submissions. A task without a run time is
 * only submitted, or killed when it left the queue; one whose wait is not known is scheduled when it is
 * submitted.
 *
 * Times are microseconds behind an offset of 600 s. Amounts are shares of the largest machine, with nine
 * decimals. A task of several hosts, or a bundle, becomes as many tasks, numbered by task index; a task of no
 * job is a job. Source: https://github.com/google/cluster-data, clusterdata-2011-2. Cost: about 300 ns per
 * task. */
#include "workload/writing.h"

typedef enum event { SUBMIT = 0, SCHEDULE = 1, FAIL = 3, FINISH = 4, KILL = 5 } event;

#define MOST_CLASS 3 /* scheduling classes are 0 to 3 */

typedef struct options {
  double cpu_scale;
  int64_t memory_scale, disk_scale, live;
  hc_time offset;
} options;

/* One task of the output: what its rows have in common, and its next event. */
typedef struct live_task {
  hc_time at;   /* of its next event */
  uint64_t seq; /* among events of one instant */
  hc_time run;  /* HC_UNKNOWN: it does not end */
  int64_t job, index, user, priority, class;
  double share[3];     /* cpu, memory, disk; negative: not said */
  uint32_t next, last; /* events: the next one, and how it will end */
  bool spread;
} live_task;

struct hc_writer {
  const hc_writer_context *context;
  const options *o;
  hc_out out;
  live_task *heap; /* [count], least (at, seq) first */
  size_t count, cap;
  uint64_t seq;
};

static void google_close(hc_writer *w)
{
  if (!w) return;
  hc_out_close(&w->out);
  hc_free(w->context->allocator, w->heap, w->cap * sizeof *w->heap);
  hc_free(w->context->allocator, w, sizeof *w);
}

static hc_rc google_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_writer *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  HC_UNUSED(e);
  if (!w) return HC_ENOMEM;
  w->context = c;
  w->o = given;
  rc = hc_out_open(&w->out, c);
  if (rc < 0) google_close(w);
  else *out = w;
  return rc;
}

/* ---- the heap ---- */

static bool before(const live_task *a, const live_task *b)
{
  return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

static void sift_down(hc_writer *w, size_t i)
{
  const live_task moving = w->heap[i];
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= w->count) break;
    if (child + 1 < w->count && before(&w->heap[child + 1], &w->heap[child])) child++;
    if (!before(&w->heap[child], &moving)) break;
    w->heap[i] = w->heap[child];
    i = child;
  }
  w->heap[i] = moving;
}

static hc_rc push(hc_writer *w, const live_task *t, hc_error *e)
{
  size_t i = w->count;
  if (w->count >= (uint64_t)w->o->live)
    return hc_fail(e, HC_ELIMIT, "google2011", 0, 0,
                   "more than %lld tasks wait or run at once: raise `live`, at 96 bytes each",
                   (long long)w->o->live);
  TRY(hc_reserve(w->context->allocator, (void **)&w->heap, &w->cap, w->count + 1, sizeof *w->heap));
  w->count++;
  for (; i > 0 && before(t, &w->heap[(i - 1) / 2]); i = (i - 1) / 2) w->heap[i] = w->heap[(i - 1) / 2];
  w->heap[i] = *t;
  return 0;
}

/* ---- rows ---- */

static char *put_share(char *p, double share)
{
  p = hc_put_char(p, ',');
  return share < 0 ? p : hc_put_rounded(p, share, 9);
}

static hc_rc put_event(hc_writer *w, const live_task *t, uint32_t what, hc_time at)
{
  const hc_time later = hc_time_add(at, w->o->offset);
  char *p;
  TRY(hc_out_row(&w->out, &p));
  p = hc_put_int(p, hc_floor_div(later, HC_US) + (2 * (later - hc_floor_div(later, HC_US) * HC_US) >= HC_US));
  p = hc_put_int(hc_put_text(p, ",,"), t->job);
  p = hc_put_int(hc_put_char(p, ','), t->index);
  p = hc_put_uint(hc_put_text(p, ",,"), what);
  p = hc_put_char(p, ',');
  if (t->user >= 0) p = hc_put_int(p, t->user);
  p = hc_put_char(p, ',');
  if (t->class >= 0) p = hc_put_int(p, t->class);
  p = hc_put_int(hc_put_char(p, ','), t->priority);
  for (int i = 0; i < 3; i++) p = put_share(p, t->share[i]);
  hc_out_end(&w->out, hc_put_text(p, t->spread ? ",1\n" : ",0\n"));
  return 0;
}

/* Write everything that happens up to `until`, which is included. */
static hc_rc let_pass(hc_writer *w, hc_time until)
{
  while (w->count > 0 && w->heap[0].at <= until) {
    live_task *t = &w->heap[0];
    TRY(put_event(w, t, t->next, t->at));
    if (t->next == SCHEDULE && t->run != HC_UNKNOWN && t->last != SUBMIT) {
      t->at = hc_time_add(t->at, t->run);
      t->next = t->last;
      t->seq = w->seq++;
    } else {
      w->heap[0] = w->heap[--w->count];
    }
    if (w->count > 0) sift_down(w, 0);
  }
  return 0;
}

/* How its last row will say that it ended; SUBMIT: it will not. */
static uint32_t ending_of(const hc_task_spec *t, uint64_t *lost)
{
  if (t->flags & HC_SPEC_NO_END) return SUBMIT;
  switch (t->status) {
    case HC_STATUS_FAILED: return FAIL;
    case HC_STATUS_CANCELLED: return KILL;
    case HC_STATUS_COMPLETED:
    case HC_STATUS_UNKNOWN: return FINISH;
    default: *lost |= HC_FACT_BIT(STATUS); return FINISH;
  }
}

static double share_of(int64_t need, double whole, uint64_t *lost)
{
  const double share = (double)need / whole;
  if (need < 0) return -1;
  const double back = (double)(int64_t)(share * 1e9 + 0.5) * 1e-9 * whole;
  if (share > 1e6 || back - (double)need > 0.5 || (double)need - back > 0.5) *lost |= HC_FACT_BIT(PRECISION);
  return HC_MIN(share, 1e6);
}

/* A task's first event after its submission: it starts, or it is killed while it waits. */
static bool has_future(const hc_task_spec *t, live_task *l)
{
  l->at = hc_start_of(t);
  l->run = t->run < 0 || t->run == HC_NEVER ? HC_UNKNOWN : t->run;
  l->next = SCHEDULE;
  if (l->run != HC_UNKNOWN) return true;
  l->next = l->last;
  return t->wait >= 0 && l->last != FINISH && l->last != SUBMIT;
}

static hc_rc google_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  live_task l = {
      .user = t->user, .priority = t->priority, .class = -1, .spread = (t->flags & HC_SPEC_SPREAD) != 0};
  int64_t rows;
  bool future;
  if (t->submit == HC_UNKNOWN) return 1;
  if (__builtin_mul_overflow(s.count, s.hosts, &rows)) rows = INT64_MAX;
  TRY(hc_rows_allowed(t, rows, "google2011", e));
  TRY(let_pass(w, t->submit));
  l.last = ending_of(t, lost);
  l.share[0] = share_of(s.need[HC_DIM_CPU], w->o->cpu_scale * 1000, lost);
  l.share[1] = share_of(s.need[HC_DIM_MEMORY], (double)w->o->memory_scale, lost);
  l.share[2] = share_of(s.need[HC_DIM_DISK], (double)w->o->disk_scale, lost);
  *lost &= ~hc_slots_say(t, &s);
  if (t->queue >= 0 && t->queue <= MOST_CLASS) {
    l.class = t->queue;
    *lost &= ~HC_FACT_BIT(QUEUE);
  }
  if (t->submit % HC_US != 0 || (t->run > 0 && t->run % HC_US != 0) || (t->wait > 0 && t->wait % HC_US != 0))
    *lost |= HC_FACT_BIT(FRACTION);
  future = has_future(t, &l);
  for (int64_t i = 0; i < rows; i++) {
    l.job = t->job >= 0 ? t->job : t->id;
    l.index = t->job < 0 ? i : t->id;
    if (t->job >= 0 && rows > 1 && !__builtin_mul_overflow(t->id, HC_ROWS_PER_TASK, &l.index)) l.index += i;
    TRY(put_event(w, &l, SUBMIT, t->submit));
    l.seq = w->seq++;
    if (future) TRY(push(w, &l, e));
  }
  return 0;
}

static hc_rc google_finish(hc_writer *w, hc_error *e)
{
  HC_UNUSED(e);
  TRY(let_pass(w, HC_NEVER));
  return hc_out_flush(&w->out);
}

#define OFFSET(member) .offset = offsetof(options, member)

static const hc_param params[] = {
    {.name = "cpu_scale",
     .type = HC_REAL,
     OFFSET(cpu_scale),
     .unit = "cores",
     .fallback = "64",
     .min = 0.001,
     .max = 1e9,
     .help = "how many cores the largest machine has: 1 of the cpu column"},
    {.name = "memory_scale",
     .type = HC_SIZE,
     OFFSET(memory_scale),
     .unit = "B",
     .fallback = "256GiB",
     .min = 1,
     .max = 1e18,
     .help = "how much memory the largest machine has: 1 of the ram column"},
    {.name = "disk_scale",
     .type = HC_SIZE,
     OFFSET(disk_scale),
     .unit = "B",
     .fallback = "4TiB",
     .min = 1,
     .max = 1e18,
     .help = "how much disk space the largest machine has: 1 of the disk column"},
    {.name = "offset",
     .type = HC_TIME,
     OFFSET(offset),
     .unit = "s",
     .fallback = "600s",
     .min = 0,
     .max = 1e9,
     .help = "the time that stands for the trace's origin; 0 would mean before the trace began"},
    {.name = "live",
     .type = HC_INT,
     OFFSET(live),
     .unit = "tasks",
     .fallback = "4194304",
     .min = 1,
     .max = 1e9,
     .help = "most tasks that may wait or run at once, at 96 bytes each: more are an error"},
    {.name = NULL},
};

const hc_writer_type hc_writer_google2011 = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "google2011",
         .summary = "task_events of the Google cluster trace of 2011: submit, schedule and end of each task",
         .detail =
             "13 columns, no header, all rows in order of time: microseconds behind an offset of 600 s. A "
             "queue from 0 to 3 is the scheduling class. cpu, ram and disk are shares of the largest "
             "machine, with nine decimals. A task becomes a task for each of its hosts and for each of a "
             "bundle; one of no job is a job of its own. Tasks without a time of submission are left out.",
         .source = "https://github.com/google/cluster-data, clusterdata-2011-2", .params = params,
         .options_size = sizeof(options)},
    .holds = HC_FACT_BIT(ID) | HC_FACT_BIT(SUBMIT) | HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) |
             HC_FACT_BIT(USER) | HC_FACT_BIT(PRIORITY) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(JOB) |
             HC_FACT_BIT(CPU) | HC_FACT_BIT(MEMORY) | HC_FACT_BIT(DISK) | HC_FACT_BIT(BUNDLE) |
             HC_FACT_BIT(SPREAD) | HC_FACT_BIT(NO_END),
    .ending = ".csv",
    .open = google_open,
    .task = google_task,
    .finish = google_finish,
    .close = google_close,
};
