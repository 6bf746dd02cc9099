/* lane.c -- one source: read, put in order, transformed, admitted; on a thread of its own if the run has two.
 *
 * A lane that does not listen is read ahead as far as its window allows; one that listens, or whose source
 * says that it is sorted, is never read ahead.
 *
 * A pass over a source ends when it has no more, or when transform j says "all that follows too" (2). Then
 * the transforms above j are asked, from below, whether to go on with another pass: the first that does
 * restarts the source, its window and every transform below itself. `first | repeat` so repeats the first
 * ones, `repeat | first` cuts the copies. Restarting is loading the state in which the source was opened,
 * hence works for whatever can be visited.
 *
 * Two sides. From the source to admission everything belongs to the side that makes tasks, which may be the
 * thread: it counts into the lane's own ledger. The side that takes tasks passes on to the caller's ledger
 * what had been counted before the task at hand, so that this balances after every call, and sees to it that
 * they come in order.
 *
 * Cost beyond reader and transforms: one copy of a row, about 25 ns; with a thread, 10 ns for the side that
 * takes tasks. */
#include "workload/lane.h"

#include <string.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/admit.h"
#include "workload/ahead.h"
#include "workload/bind.h"
#include "workload/inputs.h"
#include "workload/ledger.h"
#include "workload/look.h"
#include "workload/sortwindow.h"
#include "workload/spec.h"
#include "workload/totals.h"

typedef struct stage {
  const hc_transform_type *type;
  hc_transform *self; /* NULL until it could be measured for */
} stage;

struct hc_lane {
  const hc_source_context *given; /* the caller's: its ledger is the run's */
  const hc_stream_options *o;
  size_t which;
  const hc_reader_type *type;
  hc_source *source;
  const char *name; /* its file, or its type */
  hc_ahead *ahead;  /* NULL: tasks are made when they are wanted */
  bool listens, prepared, resorts;
  char apart[64]; /* two threads write what stands before and behind: not on one line of the cache */

  /* Who makes tasks. */
  hc_source_context context; /* what source and transforms have: the caller's, with a ledger of the lane's */
  hc_sort_window window;
  size_t width; /* rows that it is to hold: 1 if the source is sorted */
  /* With a window of one row: what the source handed over and is not passed on yet, borrowed from it. */
  hc_job direct;
  stage *stages;
  hc_sort_window after; /* of what left the transforms, if one of them may put a task before an earlier one */
  uint64_t *passes;     /* [transform_count] repetitions that each transform asked for */
  hc_buffer start;      /* state in which the source was opened, if it may have to go back there */
  struct {              /* plain state */
    bool exhausted, waits, over,
        unused[5]; /* the source has no more; waits for feedback; there is no further pass */
  } s;
  hc_bound bound; /* the last partition, and its set */
  char apart_too[64];

  /* Who takes them. */
  hc_row_ledger own, passed_on;
  hc_time last_submit; /* of what was handed out */
  hc_arrival row;      /* what is handed out if nothing is made ahead */
  hc_arrival *kept;    /* made ahead, when the lane was looked at: they come first */
  size_t kept_at, kept_count, kept_cap;
};

/* The file in which a task stands. */
static const char *file_of(const hc_lane *l, const hc_task_spec *t)
{
  const char *file = l->type->file_of && t->line > 0 ? l->type->file_of(l->source, t->file) : NULL;
  return file ? file : l->name;
}

/* ---- rows, in order ---- */

static hc_rc reject(hc_lane *l, const hc_task_spec *t, hc_reason why, hc_error *e)
{
  hc_task_spec gone = {.more = t->more, .label = t->label, .job_label = t->job_label};
  hc_spec_drop(l->context.lexicon, &gone);
  TRY(hc_row_reject(&l->context, file_of(l, t), t->line, 0, why, NULL, e));
  if (!l->listens) return 0;
  const hc_rc rc = l->type->feedback(l->source, &(hc_feedback){.id = t->id, .end = HC_UNKNOWN}, e);
  if (rc > 0) l->s.waits = false;
  return HC_MIN(rc, 0);
}

static hc_rc too_late(const hc_lane *l, const hc_task_spec *t, hc_error *e)
{
  const hc_source_context *c = &l->context;
  c->ledger->rejected[HC_REASON_UNSORTED]++;
  c->ledger->rejections++;
  if (c->rejected) c->rejected(c->rejected_ctx, file_of(l, t), t->line, HC_REASON_UNSORTED, NULL);
  return hc_fail(
      e, HC_EINPUT, file_of(l, t), hc_line_number(t->line), 0,
      "task %lld comes before one that stands more than %zu rows above it: sort the trace with `hindcast "
      "trace sort`, or raise sort_window",
      (long long)t->id, l->o->window);
}

/* The tasks of a job to the window. */
static hc_rc to_window(hc_lane *l, const hc_job *job, hc_error *e)
{
  for (uint32_t i = 0; i < job->task_count; i++) {
    const hc_task_spec *t = &job->tasks[i];
    if (t->submit == HC_UNKNOWN && !l->o->raw) { /* it has no place in the order */
      TRY(reject(l, t, HC_REASON_NO_SUBMIT, e));
      continue;
    }
    const hc_rc put = hc_sort_window_push(&l->window, t);
    if (put < 0) return put;
    if (put == 0) return too_late(l, t, e);
  }
  return 0;
}

/* With a window of one row and nothing in it, tasks in order need not be copied. */
static bool is_direct(const hc_lane *l, const hc_job *job)
{
  if (l->width != 1 || l->listens || l->o->raw || hc_sort_window_count(&l->window) > 0) return false;
  for (uint32_t i = 1; i < job->task_count; i++)
    if (job->tasks[i].submit < job->tasks[i - 1].submit) return false;
  return true;
}

/* A source at its end of which no row could be read is no trace of its format. Many readers say so, with more
 * of what they expected; this is for the others, those of shared objects with them. */
static hc_rc check_readable(const hc_lane *l, hc_error *e)
{
  const hc_row_ledger *rows = l->context.ledger;
  const uint64_t malformed = rows->rejected[HC_REASON_MALFORMED];
  if (malformed == 0 || malformed != rows->read) return 0;
  return hc_fail(e, HC_EINPUT, l->name, 0, 0,
                 "nothing in it can be read as the reader `%s` reads it: %llu row%s malformed (%s); "
                 "--strict says where the first is, and `hindcast list reader` has the formats",
                 l->type->component.name, (unsigned long long)malformed, malformed == 1 ? " is" : "s are",
                 hc_reason_text(HC_REASON_MALFORMED));
}

/* Ask the source for one job more. */
static hc_rc pull(hc_lane *l, hc_error *e)
{
  hc_job job;
  const hc_rc rc = hc_blame(&l->type->component, l->type->next(l->source, &job, e), e);
  if (rc < 0) return rc;
  l->s.exhausted = rc == 0;
  l->s.waits = rc == 2;
  if (rc == 0) TRY(check_readable(l, e));
  if (rc != 1) return 0;
  if (!is_direct(l, &job)) return to_window(l, &job, e);
  l->direct = job;
  return 0;
}

/* What is still borrowed from the source goes to the window: the lane is looked at, or the source is asked
 * for more. */
static hc_rc settle_direct(hc_lane *l, hc_error *e)
{
  const hc_job job = l->direct;
  l->direct.task_count = 0;
  return to_window(l, &job, e);
}

/* The next borrowed row, if it is in order; NULL if there is none. */
static hc_rc take_direct(hc_lane *l, const hc_task_spec **out, hc_error *e)
{
  *out = NULL;
  while (l->direct.task_count > 0) {
    const hc_task_spec *t = l->direct.tasks++;
    l->direct.task_count--;
    if (t->submit == HC_UNKNOWN) {
      TRY(reject(l, t, HC_REASON_NO_SUBMIT, e));
      continue;
    }
    if (!hc_sort_window_pass(&l->window, t->submit)) return too_late(l, t, e);
    *out = t;
    return 0;
  }
  return 0;
}

/* The lane's next row in order; NULL if there is none now. Borrowed until the next call. */
static hc_rc take(hc_lane *l, const hc_task_spec **out, hc_error *e)
{
  const size_t target = l->listens ? 1 : l->width;
  if (target == 1 && hc_sort_window_count(&l->window) == 0) {
    do {
      TRY(take_direct(l, out, e));
      if (*out) return 0;
      if (l->s.exhausted || l->s.waits) break;
      TRY(pull(l, e));
    } while (hc_sort_window_count(&l->window) == 0);
  }
  while (!l->s.exhausted && !l->s.waits && hc_sort_window_count(&l->window) < target) TRY(pull(l, e));
  *out = hc_sort_window_pop(&l->window);
  return 0;
}

/* ---- transforms ---- */

static hc_rc start_stage(hc_lane *l, size_t i, const hc_workload_totals *totals, hc_error *e)
{
  stage *g = &l->stages[i];
  TRY(hc_blame(&g->type->component,
               g->type->init(&l->context, l->o->transforms[i].options, totals, &g->self, e), e));
  l->resorts |= !l->o->as_changed && g->type->reorders && g->type->reorders(g->self);
  return 0;
}

static void end_stage(stage *g)
{
  if (g->self && g->type->fini) g->type->fini(g->self);
  g->self = NULL;
}

hc_rc hc_lane_prepare(hc_lane *l, hc_error *e)
{
  for (size_t i = 0; i < l->o->transform_count && !l->prepared; i++) {
    hc_workload_totals totals;
    const stage *g = &l->stages[i];
    if (g->self) continue;
    if (!g->type->look) TRY(hc_totals_once(l->given, l->o, l->which, i, &totals, e));
    TRY(start_stage(l, i, g->type->look ? NULL : &totals, e));
    if (g->type->look) TRY(hc_look(l->given, l->o, l->which, i, g->type, g->self, e));
  }
  l->prepared = true;
  return 0;
}

static hc_rc rewind_source(hc_lane *l, hc_error *e)
{
  hc_visitor v = {.calls = &hc_state_calls,
                  .mode = HC_VISIT_LOAD,
                  .allocator = l->context.allocator,
                  .in = (const uint8_t *)l->start.data,
                  .left = l->start.size};
  TRY(l->type->visit(l->source, &v, e));
  return 0;
}

/* The pass has ended below stage `from`: is there another? @return 1 or 0. */
static hc_rc again(hc_lane *l, size_t from, hc_error *e)
{
  for (size_t i = from; i < l->o->transform_count; i++) {
    const stage *g = &l->stages[i];
    if (!g->type->again || !g->type->again(g->self, l->passes[i] + 1)) continue;
    l->passes[i]++;
    for (size_t j = 0; j < i; j++) {
      if (l->stages[j].type->look)
        TRY(l->stages[j].type->look(l->stages[j].self, NULL, e)); /* from the start */
      if (l->stages[j].type->needs_totals) continue;              /* keeps what it measured */
      end_stage(&l->stages[j]);
      l->passes[j] = 0;
      TRY(start_stage(l, j, NULL, e));
    }
    TRY(rewind_source(l, e));
    hc_sort_window_reset(&l->window);
    l->direct.task_count = 0;
    l->s.exhausted = l->s.waits = false;
    return 1;
  }
  l->s.over = true;
  return 0;
}

/* @return 1 keep, 0 drop, 2 drop all that follows; `*at` is the stage that said so. */
static hc_rc transform(hc_lane *l, hc_task_spec *t, hc_reason *why, size_t *at, hc_error *e)
{
  for (size_t i = 0; i < l->o->transform_count; i++) {
    const stage *g = &l->stages[i];
    *why = HC_REASON_FILTERED;
    const hc_time run = t->run;
    const hc_rc rc = hc_blame(&g->type->component, g->type->apply(g->self, t, why, e), e);
    *at = i;
    if (rc == 1 && (t->flags & HC_SPEC_PROFILE) && t->run != run)
      return hc_fail(
          e, HC_EUNSUPPORTED, g->type->component.name, 0, 0,
          "this transform changes how long tasks run, and under `execution` that follows from what "
          "their profiles do: leave out one of the two");
    if (rc != 1) return rc;
  }
  return 1;
}

/* ---- tasks, on the side that makes them ---- */

/* Times that feedback speaks of, and ids, must be those that the source knows. */
static hc_rc check_loop(const hc_lane *l, hc_time submit, int64_t id, const hc_task_spec *is, hc_error *e)
{
  if (!l->listens || l->o->transform_count == 0 || (submit == is->submit && id == is->id)) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, file_of(l, is), hc_line_number(is->line), 0,
      "a transform moves or renumbers tasks of a closed loop, which could then not be told of their ends: "
      "leave it out, or follow none");
}

static hc_rc moved_too_far(const hc_lane *l, const hc_task_spec *t, hc_error *e)
{
  return hc_fail(e, HC_EUNSUPPORTED, file_of(l, t), hc_line_number(t->line), 0,
                 "the transforms put task %lld before one that stands more than %zu rows above it: raise "
                 "sort_window, or move tasks less",
                 (long long)t->id, l->o->resorting);
}

/* Of a source in order that no transform changes, what it has handed over goes by at once. @return false: it
 * is not so */
static inline bool pass_direct(hc_lane *l, hc_task_spec *out)
{
  const hc_task_spec *t = l->direct.tasks;
  if (l->direct.task_count == 0 || l->o->transform_count > 0 || t->submit == HC_UNKNOWN ||
      !hc_sort_window_pass(&l->window, t->submit))
    return false;
  l->direct.tasks++;
  l->direct.task_count--;
  *out = *t;
  return true;
}

/* Only a row that surely fits may be admitted while the hosts are in use elsewhere. */
static inline hc_rc judge_row(hc_lane *l, hc_arrival *out, hc_error *e)
{
  const hc_admission *o = &l->o->admission;
  if (o->set_count > 0 && !l->o->raw)
    TRY(hc_bind_task(o, l->context.lexicon, &l->bound, file_of(l, &out->spec), &out->spec, e));
  const bool later = l->ahead && o->judge.judge && !o->judge.surely(o->judge.ctx, &out->spec);
  hc_reason why;
  if (l->o->raw || later) {
    memset((char *)out + sizeof out->spec, 0, sizeof *out - sizeof out->spec);
    out->unjudged = later;
    return 1;
  }
  const hc_rc rc = hc_admit(o, file_of(l, &out->spec), out, &why, e);
  if (rc == 0) TRY(reject(l, &out->spec, why, e));
  return rc;
}

/* A row that has been through the transforms. @return 1, 0 if the lane is over, 2 if it waits for
 * feedback. */
static hc_rc changed_row(hc_lane *l, hc_task_spec *out, hc_error *e)
{
  while (!l->s.over) {
    const hc_task_spec *row;
    size_t at = 0;
    hc_reason why = HC_REASON_FILTERED;
    TRY(take(l, &row, e));
    if (!row && l->s.waits) return 2;
    if (!row && !l->s.exhausted) continue;
    if (!row) {
      TRY(again(l, 0, e));
      continue;
    }
    const hc_time submit = row->submit;
    const int64_t id = row->id;
    *out = *row;
    const hc_rc rc = transform(l, out, &why, &at, e);
    if (rc < 0) return rc;
    if (rc != 1) {
      out->id = id; /* as the source knows it */
      TRY(reject(l, out, why, e));
      if (rc == 2) TRY(again(l, at + 1, e));
      continue;
    }
    TRY(check_loop(l, submit, id, out, e));
    return 1;
  }
  return 0;
}

/* The same, in order again where transforms may have changed it. */
static hc_rc ordered_row(hc_lane *l, hc_task_spec *out, hc_error *e)
{
  const hc_task_spec *first;
  if (!l->resorts) return changed_row(l, out, e);
  while (!l->s.over && hc_sort_window_count(&l->after) < l->o->resorting) {
    const hc_rc rc = changed_row(l, out, e);
    if (rc < 0 || rc == 2) return rc;
    const hc_rc put = rc ? hc_sort_window_push(&l->after, out) : 1;
    if (put < 0) return put;
    if (put == 0) return moved_too_far(l, out, e);
  }
  first = hc_sort_window_pop(&l->after);
  if (first) *out = *first;
  return first != NULL;
}

/* @return 1, 0 if the lane is over, 2 if it waits for feedback. */
static inline hc_rc make_next(void *lane, hc_arrival *out, hc_error *e)
{
  hc_lane *l = lane;
  hc_rc rc;
  while ((rc = pass_direct(l, &out->spec) ? 1 : ordered_row(l, &out->spec, e)) == 1) {
    rc = judge_row(l, out, e);
    if (rc == 0) continue;
    out->source = (uint32_t)l->which;
    return rc;
  }
  return rc;
}

/* ---- tasks, on the side that takes them ---- */

static void pass_on(hc_lane *l)
{
  hc_row_ledger *to = l->given->ledger;
  uint64_t n = l->own.merged - l->passed_on.merged;
  if (to) {
    to->merged += n;
    for (size_t i = 0; i < HC_REASON_COUNT; i++) {
      const uint64_t more = l->own.rejected[i] - l->passed_on.rejected[i];
      to->rejected[i] += more;
      n += more;
      to->rejections += more;
    }
    to->read += n;
  }
  if (to) {
    to->unnamed += l->own.unnamed - l->passed_on.unnamed;
    to->rounded += l->own.rounded - l->passed_on.rounded;
    to->rounding = HC_MAX(to->rounding, l->own.rounding);
  }
  l->passed_on = l->own;
}

/* Pass on what was rejected or merged before the task at hand. */
static inline void settle(hc_lane *l)
{
  const hc_row_ledger *is = &l->own, *was = &l->passed_on;
  if (is->rejections != was->rejections || is->merged != was->merged || is->rounded != was->rounded ||
      is->unnamed != was->unnamed)
    pass_on(l);
}

static inline hc_rc check_order(hc_lane *l, const hc_task_spec *t, hc_error *e)
{
  if (t->submit == HC_UNKNOWN || l->o->as_changed) return 0;
  if (!l->listens && t->submit < l->last_submit)
    return hc_fail(
        e, HC_EUNSUPPORTED, file_of(l, t), hc_line_number(t->line), 0,
        "the transforms put task %lld before one that was submitted earlier: order them differently",
        (long long)t->id);
  if (t->submit > l->last_submit) l->last_submit = t->submit;
  return 0;
}

/* The machine that has the hosts says whether it will ever run. @return 1, 0 or an error. */
static hc_rc admit_late(hc_lane *l, const hc_arrival *a, hc_error *e)
{
  hc_row_ledger *ledger = l->given->ledger;
  hc_reason why;
  l->row = *a;
  const hc_rc rc = hc_admit(&l->o->admission, file_of(l, &a->spec), &l->row, &why, e);
  l->row.source = (uint32_t)l->which;
  if (rc != 0) return rc;
  if (ledger) ledger->read++;
  hc_task_spec gone = a->spec;
  hc_spec_drop(l->context.lexicon, &gone);
  return hc_row_reject(l->given, file_of(l, &a->spec), a->spec.line, 0, why, NULL, e);
}

/* As it was made, here or elsewhere. */
static inline hc_rc take_made(hc_lane *l, const hc_arrival **out, hc_error *e)
{
  hc_rc rc;
  if (l->kept_at < l->kept_count) {
    *out = &l->kept[l->kept_at++];
    return 1;
  }
  if (l->ahead) {
    rc = hc_ahead_next(l->ahead, out, &l->own, e);
  } else {
    *out = &l->row;
    rc = make_next(l, &l->row, e);
  }
  settle(l);
  return rc;
}

hc_rc hc_lane_next(hc_lane *l, const hc_arrival **out, hc_error *e)
{
  hc_rc rc;
  while ((rc = take_made(l, out, e)) == 1) {
    if ((*out)->unjudged) {
      rc = admit_late(l, *out, e);
      *out = &l->row;
    }
    if (rc < 0) return rc;
    if (rc == 0) continue;
    TRY(check_order(l, &(*out)->spec, e));
    return 1;
  }
  return rc;
}

uint32_t hc_lane_stretch(hc_lane *l, const hc_arrival **first)
{
  uint32_t n;
  if (!l->ahead || l->kept_at < l->kept_count || l->o->raw || l->o->as_changed) return 0;
  n = hc_ahead_stretch(l->ahead, first);
  if (n > 0) l->last_submit = (*first)[n - 1].spec.submit;
  return n;
}

void hc_lane_give_back(hc_lane *l, const hc_arrival *first, uint32_t n)
{
  if (n == 0) return;
  hc_ahead_give_back(l->ahead, n);
  l->last_submit = first[-1].spec.submit;
}

hc_rc hc_lane_feedback(hc_lane *l, const hc_feedback *f, hc_error *e)
{
  const hc_rc released = l->type->feedback(l->source, f, e);
  settle(l);
  if (released >= 0) l->s.waits = false; /* it may also have nothing more to wait for */
  return released;
}

/* ---- opening ---- */

/* The name of a transform that will read the source twice; NULL if there is none. */
static const char *reads_twice(const hc_lane *l)
{
  for (size_t i = 0; i < l->o->transform_count; i++) {
    const hc_transform_type *t = (const hc_transform_type *)l->o->transforms[i].type;
    if (t->needs_totals || t->again) return t->component.name;
  }
  return NULL;
}

/* Note where the source starts, and try now whether it can go back there. */
static hc_rc note_start(hc_lane *l, hc_error *e)
{
  const char *who = reads_twice(l);
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = l->given->allocator, .out = &l->start};
  hc_error ignored = {0};
  if (!who) return 0;
  TRY(l->type->visit(l->source, &v, e));
  const hc_rc rc = rewind_source(l, &ignored);
  if (rc == HC_EUNSUPPORTED)
    return hc_fail(
        e, HC_EUNSUPPORTED, l->name, 0, 0,
        "transform %s has to read it twice, which this input does not allow: save it to a file first", who);
  if (rc < 0) return hc_fail(e, rc, ignored.where, ignored.line, ignored.column, "%s", ignored.text);
  return 0;
}

bool hc_lane_takes(const hc_lane *l)
{
  return l->type->feed && l->listens;
}

hc_rc hc_lane_feed(hc_lane *l, const char *text, size_t size, hc_error *e)
{
  if (!hc_lane_takes(l)) return HC_ENOTFOUND;
  const hc_rc released = l->type->feed(l->source, text, size, e);
  settle(l);
  if (released > 0) l->s.waits = false;
  return released;
}

/* Not if the caller will want to go back, nor if the source may be told of ends. */
static bool may_read_ahead(const hc_lane *l)
{
  return l->o->threads > 1 && !reads_twice(l) && !l->listens;
}

/* Bytes of rows that were handed on, of those that the source has read: what windows hold is yet to come. */
static void progress(void *ctx, uint64_t *done, uint64_t *total)
{
  const hc_lane *l = ctx;
  /* Rows are counted where they are taken; a thread that reads ahead must not look there. */
  const hc_row_ledger *ledger = l->ahead ? NULL : l->given->ledger;
  const double handed = ledger ? (double)ledger->read : 0,
               held = (double)(hc_sort_window_count(&l->window) + hc_sort_window_count(&l->after));
  *done = *total = 0;
  if (l->type->progress) l->type->progress(l->source, done, total);
  if (ledger && handed + held > 0) *done = (uint64_t)((double)*done * (handed / (handed + held)));
}

static hc_rc open_stages(hc_lane *l, hc_error *e)
{
  for (size_t i = 0; i < l->o->transform_count; i++) {
    stage *g = &l->stages[i];
    g->type = (const hc_transform_type *)l->o->transforms[i].type;
    if (g->type->again && l->listens)
      return hc_fail(e, HC_EUNSUPPORTED, l->name, 0, 0,
                     "transform %s cannot repeat a closed loop: follow none", g->type->component.name);
    if (g->type->needs_totals) l->prepared = false;
    else TRY(start_stage(l, i, NULL, e));
  }
  return 0;
}

static hc_rc open_source(hc_lane *l, const hc_chosen *chosen, hc_error *e)
{
  const hc_allocator *a = l->given->allocator;
  const size_t n = l->o->transform_count;
  l->type = (const hc_reader_type *)chosen->type;
  l->name = hc_source_name(chosen);
  l->context = *l->given;
  l->context.ledger = &l->own;
  l->last_submit = HC_UNKNOWN;
  l->prepared = true;
  l->stages = hc_alloc(a, n * sizeof *l->stages);
  l->passes = hc_alloc(a, n * sizeof *l->passes);
  if (!l->stages || !l->passes) return HC_ENOMEM;
  l->listens = l->type->feedback && (!l->type->listens || l->type->listens(chosen->options));
  if (may_read_ahead(l)) {
    const hc_ahead_maker maker = {l, make_next, progress};
    TRY(hc_ahead_new(l->given, &maker, &l->ahead, &l->context));
  }
  TRY(hc_blame(&l->type->component, l->type->open(&l->context, chosen->options, &l->source, e), e));
  l->window.unordered = l->listens;
  l->width = l->o->window;
  if (l->width > 1 && !l->listens && l->type->is_sorted && l->type->is_sorted(l->source)) l->width = 1;
  l->window.as_they_come = l->width == 1 && !l->listens;
  l->after.as_they_come = l->o->resorting == 1 && !l->listens;
  TRY(note_start(l, e));
  TRY(open_stages(l, e));
  return pull(l, e); /* so that what the header says is known */
}

hc_rc hc_lane_open(const hc_source_context *c, const hc_stream_options *o, size_t which, hc_lane **out,
                   hc_error *e)
{
  hc_lane *l = hc_alloc(c->allocator, sizeof *l);
  if (!l) return HC_ENOMEM;
  l->given = c;
  l->o = o;
  l->which = which;
  hc_sort_window_init(&l->window, c->allocator, false);
  hc_sort_window_init(&l->after, c->allocator, false);
  hc_buffer_init(&l->start, c->allocator);
  const hc_rc rc = open_source(l, &o->sources[which], e);
  if (rc < 0) hc_lane_close(l);
  else *out = l;
  return HC_MIN(rc, 0);
}

void hc_lane_close(hc_lane *l)
{
  if (!l) return;
  const hc_allocator *a = l->given->allocator;
  hc_ahead_free(l->ahead); /* first: its thread uses all that follows */
  for (size_t i = 0; l->stages && i < l->o->transform_count; i++) end_stage(&l->stages[i]);
  if (l->source) l->type->close(l->source);
  hc_free(a, l->stages, l->o->transform_count * sizeof *l->stages);
  hc_free(a, l->passes, l->o->transform_count * sizeof *l->passes);
  hc_free(a, l->kept, l->kept_cap * sizeof *l->kept);
  hc_buffer_fini(&l->start);
  hc_sort_window_fini(&l->window);
  hc_sort_window_fini(&l->after);
  hc_free(a, l, sizeof *l);
}

/* ---- what it knows ---- */

bool hc_lane_listens(const hc_lane *l)
{
  return l->listens;
}

const hc_trace_info *hc_lane_info(const hc_lane *l)
{
  return l->type->info(l->source);
}

hc_refers hc_lane_refers(const hc_lane *l)
{
  return l->type->refers ? l->type->refers(l->source) : HC_REFERS_NONE;
}

void hc_lane_progress(const hc_lane *l, uint64_t *done, uint64_t *total)
{
  if (l->ahead) hc_ahead_progress(l->ahead, done, total);
  else progress((void *)(uintptr_t)l, done, total);
}

/* ---- where it stands ---- */

/* What the thread has made stays made; behind the last of it stands the source. */
static hc_rc keep_made(hc_lane *l, hc_error *e)
{
  const hc_arrival *a;
  hc_rc rc = 1;
  hc_ahead_stop(l->ahead);
  while (rc == 1) {
    TRY(hc_reserve(l->given->allocator, (void **)&l->kept, &l->kept_cap, l->kept_count + 1, sizeof *l->kept));
    rc = hc_ahead_left(l->ahead, &a, &l->own, e);
    settle(l);
    if (rc == 1) l->kept[l->kept_count++] = *a;
  }
  return HC_MIN(rc, 0);
}

hc_rc hc_lane_settle(hc_lane *l, hc_error *e)
{
  l->kept_count -= l->kept_at;
  if (l->kept_count > 0) memmove(l->kept, l->kept + l->kept_at, l->kept_count * sizeof *l->kept);
  l->kept_at = 0;
  if (l->ahead) TRY(keep_made(l, e));
  TRY(settle_direct(l, e));
  l->own = *l->context.ledger; /* nothing is made that was not taken */
  settle(l);
  return 0;
}

hc_rc hc_lane_visit(hc_lane *l, hc_visitor *v, hc_error *e)
{
  if (hc_visit_loading(v)) {
    l->direct.task_count = 0;
    l->kept_at = 0;
  }
  HC_ASSERT(l->kept_at == 0 && l->direct.task_count == 0);
  TRY(hc_blame(&l->type->component, l->type->visit(l->source, v, e), e));
  TRY(hc_sort_window_visit(&l->window, v));
  if (l->resorts) TRY(hc_sort_window_visit(&l->after, v));
  HC_VISIT_ARRAY(v, l->kept, l->kept_count, l->kept_cap);
  HC_VISIT(v, l->own);
  HC_VISIT(v, l->passed_on);
  HC_VISIT(v, l->last_submit);
  HC_VISIT(v, l->s);
  if (l->ahead && hc_visit_loading(v)) hc_ahead_reset(l->ahead, &l->own);
  for (size_t i = 0; i < l->o->transform_count; i++) {
    HC_VISIT(v, l->passes[i]);
    if (l->stages[i].type->visit) TRY(l->stages[i].type->visit(l->stages[i].self, v));
  }
  return 0;
}
