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
 * decimals. A task of several hosts, or a bundle, becomes as many tasks, with task indices of their own from 2^30; a
 * task of no job is a job. Source: https://github.com/google/cluster-data, clusterdata-2011-2. Cost: about 300 ns per
 * task. */
#include "workload/google_events.h"

#define MOST_SHARE 1e6

typedef struct options {
  hc_google_scale_options g;
} options;

struct hc_writer {
  hc_rows rows;
  hc_google_telling telling;
};

static char *put_share(char *p, const hc_google_scale_options *o, const hc_google_told *t, int dimension)
{
  p = hc_put_char(p, ',');
  if (t->need[dimension] < 0) return p;
  return hc_put_rounded(p, HC_MIN(hc_google_share(o, dimension, t->need[dimension]), MOST_SHARE), 9);
}

static hc_rc put_event(hc_writer *w, const hc_google_told *t, hc_google_event what, const hc_task_spec *first)
{
  static const uint8_t codes[HC_GOOGLE_EVENTS] = {[HC_GOOGLE_SUBMIT] = 0,
                                                  [HC_GOOGLE_SCHEDULE] = 1,
                                                  [HC_GOOGLE_FAIL] = 3,
                                                  [HC_GOOGLE_FINISH] = 4,
                                                  [HC_GOOGLE_KILL] = 5};
  const hc_google_scale_options *o = w->telling.o;
  char *p;
  HC_UNUSED(first);
  TRY(hc_out_row(&w->rows.out, &p));
  p = hc_put_int(p, hc_google_moment(o, t->at));
  p = hc_put_int(hc_put_text(p, ",,"), t->job);
  p = hc_put_int(hc_put_char(p, ','), t->index);
  p = hc_put_uint(hc_put_text(p, ",,"), codes[what]);
  p = hc_put_char(p, ',');
  if (t->user >= 0) p = hc_put_int(p, t->user);
  p = hc_put_char(p, ',');
  if (t->class >= 0) p = hc_put_int(p, t->class);
  p = hc_put_int(hc_put_char(p, ','), t->priority);
  for (int d = 0; d <= HC_DIM_DISK; d++) p = put_share(p, o, t, d);
  hc_out_end(&w->rows.out, hc_put_text(p, t->spread ? ",1\n" : ",0\n"));
  return 0;
}

static hc_rc google_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  const options *o = given;
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  (*out)->telling = (hc_google_telling){.allocator = c->allocator,
                                        .o = &o->g,
                                        .format = "google2011",
                                        .seen = HC_GOOGLE_EVENTS,
                                        .put = put_event};
  return 0;
}

static void google_close(hc_writer *w)
{
  if (w) hc_google_telling_fini(&w->telling);
  hc_rows_close(w);
}

static void judge_share(const hc_google_scale_options *o, const hc_google_told *t, int dimension,
                        uint64_t *lost)
{
  const double share = hc_google_share(o, dimension, t->need[dimension]);
  if (t->need[dimension] < 0) return;
  const double back = (double)(int64_t)(share * 1e9 + 0.5) * 1e-9 / share * (double)t->need[dimension];
  if (share > MOST_SHARE ||
      (share > 0 && (back - (double)t->need[dimension] > 0.5 || (double)t->need[dimension] - back > 0.5)))
    *lost |= HC_FACT_BIT(PRECISION);
}

static hc_rc google_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_slots s = hc_slots_of(t);
  hc_google_told l;
  int64_t rows;
  if (t->submit == HC_UNKNOWN) return 1;
  if (__builtin_mul_overflow(s.count, s.hosts, &rows)) rows = INT64_MAX;
  TRY(hc_rows_allowed(t, rows, "google2011", e));
  TRY(hc_google_tell(&w->telling, w, t->submit));
  l = hc_google_told_of(t, &s, lost);
  for (int d = 0; d <= HC_DIM_DISK; d++) judge_share(w->telling.o, &l, d, lost);
  return hc_google_begin(&w->telling, w, &l, t, rows, lost, e);
}

static hc_rc google_finish(hc_writer *w, hc_error *e)
{
  TRY(hc_google_tell(&w->telling, w, HC_NEVER));
  return hc_rows_finish(w, e);
}

static const hc_param params[] = {
    HC_GOOGLE_TELLING_PARAMS(options, g),
    HC_PARAM_AS(SIZE, "disk_scale", options, g.disk_scale, "B", "4TiB", 1, 1e18,
                "How much disk space the largest machine has: 1 of the disk column."),
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
