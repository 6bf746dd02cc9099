/* stream.c -- from sources to tasks that can be scheduled: read, put in order, transformed, admitted, merged.
 *
 * Each source is a lane with its own window, transforms and pending tasks. A lane that does not listen is
 * read ahead as far as its window allows; one that listens is never read ahead, but when feedback lets tasks
 * go, as many more are fetched, so that one which is now earlier than a pending task comes before it.
 *
 * The context's ledger balances after every call: a source counts into its lane's own ledger, from which what
 * it rejected or merged is passed on; a row that it handed over is counted as read when the lane is done with
 * it.
 *
 * A pass over a source ends when it has no more, or when transform j says "all that follows too" (2). Then
 * the transforms above j are asked, from below, whether to go on with another pass: the first that does
 * restarts the source, its window and every transform below itself. `first | repeat` so repeats the first
 * ones, `repeat | first` cuts the copies. Restarting is loading the state in which the source was opened,
 * hence works for whatever can be visited.
 *
 * Cost beyond reader and transforms: two copies of a task, about 30 ns. */
#include "workload/stream.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "workload/admit.h"
#include "workload/ahead.h"
#include "workload/inputs.h"
#include "workload/ledger.h"
#include "workload/look.h"
#include "workload/sortwindow.h"
#include "workload/totals.h"

typedef struct stage {
  const hc_transform_type *type;
  hc_transform *self; /* NULL until it could be measured for */
} stage;

typedef struct lane {
  const hc_reader_type *type;
  hc_source *source;
  const char *name;                 /* its file, or its type */
  hc_source_context context;        /* the caller's, with this lane's ledger */
  hc_source_context source_context; /* what the source has of it */
  hc_ahead *ahead;                  /* NULL: the source is asked when its tasks are wanted */
  hc_row_ledger own, passed_on;
  hc_sort_window window;
  hc_job
      direct; /* with a window of one row: what the source handed over and is not passed on yet, borrowed from it */
  hc_arrival bundle; /* its tasks that are still to come: `bundle_left` of them, from spec.node on */
  uint64_t bundle_left;
  stage *stages;
  hc_sort_window after; /* of what left the transforms, if one of them may put a task before an earlier one */
  bool resorts;
  uint64_t *passes;    /* [transform_count] repetitions that each transform asked for */
  hc_arrival *pending; /* ascending by (submit, id); few */
  size_t pending_count, pending_cap;
  hc_buffer start; /* state in which the source was opened, if it may have to go back there */
  bool listens;
  struct { /* plain state */
    hc_time last_submit;
    bool exhausted, waits, over,
        unused[5]; /* the source has no more; waits for feedback; there is no further pass */
  } s;
} lane;

struct hc_stream {
  hc_source_context given;          /* a copy: what it points to is borrowed */
  const hc_source_context *context; /* of it */
  hc_stream_options o;
  lane *lanes;
  size_t lane_count;
  bool listens, prepared;
};

/* ---- one source ---- */

/* Pass on what the source itself rejected or merged. */
static void settle(hc_stream *s, lane *l)
{
  hc_row_ledger *to = s->context->ledger;
  uint64_t n = l->own.merged - l->passed_on.merged;
  if (l->own.rejections == l->passed_on.rejections && n == 0 && l->own.rounded == l->passed_on.rounded)
    return;
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
    to->rounded += l->own.rounded - l->passed_on.rounded;
    to->rounding = HC_MAX(to->rounding, l->own.rounding);
  }
  l->passed_on = l->own;
}

static void drop_more(const hc_stream *s, uint32_t handle)
{
  if (handle != 0) hc_lexicon_calls_of(s->context->lexicon)->drop(s->context->lexicon, handle);
}

static hc_rc reject(hc_stream *s, lane *l, const hc_task_spec *t, hc_reason why, hc_error *e)
{
  if (s->context->ledger) s->context->ledger->read++;
  drop_more(s, t->more);
  TRY(hc_row_reject(s->context, l->name, t->line, 0, why, NULL, e));
  if (!l->listens) return 0;
  const hc_feedback never = {.id = t->id, .end = HC_UNKNOWN};
  const hc_rc rc = l->type->feedback(l->source, &never, e);
  settle(s, l);
  if (rc > 0) l->s.waits = false;
  return rc < 0 ? rc : 0;
}

static hc_rc too_late(hc_stream *s, const lane *l, const hc_task_spec *t, hc_error *e)
{
  hc_row_ledger *ledger = s->context->ledger;
  if (ledger) {
    ledger->read++;
    ledger->rejected[HC_REASON_UNSORTED]++;
    ledger->rejections++;
  }
  if (s->context->rejected) s->context->rejected(s->context->rejected_ctx, t->line, HC_REASON_UNSORTED, NULL);
  return hc_fail(
      e, HC_EINPUT, l->name, hc_line_number(t->line), 0,
      "task %lld comes before one that stands more than %zu rows above it: sort the trace with `hindcast "
      "trace sort`, or raise sort_window",
      (long long)t->id, s->o.window);
}

/* The tasks of a job to the window. */
static hc_rc to_window(hc_stream *s, lane *l, const hc_job *job, hc_error *e)
{
  for (uint32_t i = 0; i < job->task_count; i++) {
    const hc_task_spec *t = &job->tasks[i];
    if (t->submit == HC_UNKNOWN && !s->o.raw) { /* it has no place in the order */
      TRY(reject(s, l, t, HC_REASON_NO_SUBMIT, e));
      continue;
    }
    const hc_rc put = hc_sort_window_push(&l->window, t);
    if (put < 0) return put;
    if (put == 0) return too_late(s, l, t, e);
  }
  return 0;
}

/* With a window of one row and nothing in it, tasks in order need not be copied. */
static bool is_direct(const hc_stream *s, const lane *l, const hc_job *job)
{
  if (s->o.window != 1 || l->listens || s->o.raw || hc_sort_window_count(&l->window) > 0) return false;
  for (uint32_t i = 1; i < job->task_count; i++)
    if (job->tasks[i].submit < job->tasks[i - 1].submit) return false;
  return true;
}

/* Ask the source for one job more. */
static hc_rc pull(hc_stream *s, lane *l, hc_error *e)
{
  hc_job job;
  const hc_rc rc = l->ahead ? hc_ahead_next(l->ahead, &job, &l->own, e) : l->type->next(l->source, &job, e);
  settle(s, l);
  if (rc < 0) return rc;
  l->s.exhausted = rc == 0;
  l->s.waits = rc == 2;
  if (rc != 1) return 0;
  if (!is_direct(s, l, &job)) return to_window(s, l, &job, e);
  l->direct = job;
  return 0;
}

/* What is still borrowed from the source goes to the window: somebody looks, or the source is asked for more. */
static hc_rc settle_direct(hc_stream *s, lane *l, hc_error *e)
{
  const hc_job job = l->direct;
  l->direct.task_count = 0;
  return to_window(s, l, &job, e);
}

/* The next borrowed row, if it is in order; NULL if there is none. */
static hc_rc take_direct(hc_stream *s, lane *l, const hc_task_spec **out, hc_error *e)
{
  *out = NULL;
  while (l->direct.task_count > 0) {
    const hc_task_spec *t = l->direct.tasks++;
    l->direct.task_count--;
    if (t->submit == HC_UNKNOWN) {
      TRY(reject(s, l, t, HC_REASON_NO_SUBMIT, e));
      continue;
    }
    if (!hc_sort_window_pass(&l->window, t->submit)) return too_late(s, l, t, e);
    *out = t;
    return 0;
  }
  return 0;
}

/* The lane's next row in order; NULL if there is none now. Borrowed until the next call. */
static hc_rc take(hc_stream *s, lane *l, const hc_task_spec **out, hc_error *e)
{
  const size_t target = l->listens ? 1 : s->o.window;
  if (target == 1 && hc_sort_window_count(&l->window) == 0) {
    do {
      TRY(take_direct(s, l, out, e));
      if (*out) return 0;
      if (l->s.exhausted || l->s.waits) break;
      TRY(pull(s, l, e));
    } while (hc_sort_window_count(&l->window) == 0);
  }
  while (!l->s.exhausted && !l->s.waits && hc_sort_window_count(&l->window) < target) TRY(pull(s, l, e));
  *out = hc_sort_window_pop(&l->window);
  return 0;
}

/* ---- transforms ---- */

static hc_rc start_stage(hc_stream *s, lane *l, size_t i, const hc_workload_totals *totals, hc_error *e)
{
  stage *g = &l->stages[i];
  TRY(g->type->init(&l->context, s->o.transforms[i].options, totals, &g->self, e));
  l->resorts |= !s->o.as_changed && g->type->reorders && g->type->reorders(g->self);
  return 0;
}

static void end_stage(stage *g)
{
  if (g->self && g->type->fini) g->type->fini(g->self);
  g->self = NULL;
}

/* Start the transforms that aim at a total: not before the machine's size can be known. */
static hc_rc prepare(hc_stream *s, hc_error *e)
{
  if (s->prepared) return 0;
  for (size_t k = 0; k < s->lane_count; k++) {
    for (size_t i = 0; i < s->o.transform_count; i++) {
      hc_workload_totals totals;
      if (s->lanes[k].stages[i].self) continue;
      const stage *g = &s->lanes[k].stages[i];
      if (!g->type->look) TRY(hc_totals_of(s->context, &s->o, k, i, &totals, e));
      TRY(start_stage(s, &s->lanes[k], i, g->type->look ? NULL : &totals, e));
      if (g->type->look) TRY(hc_look(s->context, &s->o, k, i, g->type, g->self, e));
    }
  }
  s->prepared = true;
  return 0;
}

static hc_rc rewind_source(lane *l, hc_error *e)
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
static hc_rc again(hc_stream *s, lane *l, size_t from, hc_error *e)
{
  for (size_t i = from; i < s->o.transform_count; i++) {
    const stage *g = &l->stages[i];
    if (!g->type->again || !g->type->again(g->self, l->passes[i] + 1)) continue;
    l->passes[i]++;
    for (size_t j = 0; j < i; j++) {
      if (l->stages[j].type->look)
        TRY(l->stages[j].type->look(l->stages[j].self, NULL, e)); /* from the start */
      if (l->stages[j].type->needs_totals) continue;              /* keeps what it measured */
      end_stage(&l->stages[j]);
      l->passes[j] = 0;
      TRY(start_stage(s, l, j, NULL, e));
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
static hc_rc transform(hc_stream *s, lane *l, hc_task_spec *t, hc_reason *why, size_t *at, hc_error *e)
{
  for (size_t i = 0; i < s->o.transform_count; i++) {
    const stage *g = &l->stages[i];
    *why = HC_REASON_FILTERED;
    const hc_rc rc = g->type->apply(g->self, t, why, e);
    *at = i;
    if (rc != 1) return rc;
  }
  return 1;
}

/* ---- a task of one source ---- */

/* Times that feedback speaks of, and ids, must be those that the source knows. */
static hc_rc check_loop(const hc_stream *s, const lane *l, hc_time submit, int64_t id, const hc_task_spec *is,
                        hc_error *e)
{
  if (!l->listens || s->o.transform_count == 0 || (submit == is->submit && id == is->id)) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, l->name, hc_line_number(is->line), 0,
      "a transform moves or renumbers tasks of a closed loop, which could then not be told of their ends: "
      "leave it out, or follow none");
}

static hc_rc moved_too_far(const hc_stream *s, const lane *l, const hc_task_spec *t, hc_error *e)
{
  return hc_fail(e, HC_EUNSUPPORTED, l->name, hc_line_number(t->line), 0,
                 "the transforms put task %lld before one that stands more than %zu rows above it: raise "
                 "sort_window, or move tasks less",
                 (long long)t->id, s->o.window);
}

static hc_rc check_order(const hc_stream *s, lane *l, const hc_task_spec *t, hc_error *e)
{
  if (t->submit == HC_UNKNOWN || s->o.as_changed) return 0;
  if (!l->listens && t->submit < l->s.last_submit)
    return hc_fail(
        e, HC_EUNSUPPORTED, l->name, hc_line_number(t->line), 0,
        "the transforms put task %lld before one that was submitted earlier: order them differently",
        (long long)t->id);
  if (t->submit > l->s.last_submit) l->s.last_submit = t->submit;
  return 0;
}

static hc_rc judge_row(hc_stream *s, lane *l, hc_arrival *out, hc_error *e)
{
  hc_reason why;
  if (s->o.raw) {
    memset((char *)out + sizeof out->spec, 0, sizeof *out - sizeof out->spec);
    return 1;
  }
  const hc_rc rc = hc_admit(&s->o.admission, l->name, out, &why, e);
  if (rc == 0) TRY(reject(s, l, &out->spec, why, e));
  return rc;
}

static void hold_more(const hc_stream *s, uint32_t handle)
{
  if (handle != 0) hc_lexicon_calls_of(s->context->lexicon)->hold(s->context->lexicon, handle);
}

/* The first of many equal tasks is at hand; the others follow from a copy, which holds what the first one may drop. */
static void begin_bundle(const hc_stream *s, lane *l, const hc_arrival *first)
{
  l->bundle = *first;
  l->bundle.spec.node = 1;
  l->bundle_left = first->spec.count - 1;
  hold_more(s, first->spec.more);
}

/* The last one takes over what the copy holds. */
static void next_of_bundle(const hc_stream *s, lane *l, hc_arrival *out)
{
  *out = l->bundle;
  l->bundle.spec.node++;
  l->bundle_left--;
  if (l->bundle_left > 0) hold_more(s, out->spec.more);
}

/* A row that has been through the transforms. @return 1, 0 if the lane is over, 2 if it waits for feedback. */
static hc_rc changed_row(hc_stream *s, lane *l, hc_task_spec *out, hc_error *e)
{
  while (!l->s.over) {
    const hc_task_spec *row;
    size_t at = 0;
    hc_reason why = HC_REASON_FILTERED;
    TRY(take(s, l, &row, e));
    if (!row && l->s.waits) return 2;
    if (!row && !l->s.exhausted) continue;
    if (!row) {
      TRY(again(s, l, 0, e));
      continue;
    }
    const hc_time submit = row->submit;
    const int64_t id = row->id;
    *out = *row;
    const hc_rc rc = transform(s, l, out, &why, &at, e);
    if (rc < 0) return rc;
    if (rc != 1) {
      out->id = id; /* as the source knows it */
      TRY(reject(s, l, out, why, e));
      if (rc == 2) TRY(again(s, l, at + 1, e));
      continue;
    }
    TRY(check_loop(s, l, submit, id, out, e));
    return 1;
  }
  return 0;
}

/* The same, in order again where transforms may have changed it. */
static hc_rc ordered_row(hc_stream *s, lane *l, hc_task_spec *out, hc_error *e)
{
  const hc_task_spec *first;
  if (!l->resorts) return changed_row(s, l, out, e);
  while (!l->s.over && hc_sort_window_count(&l->after) < s->o.window) {
    const hc_rc rc = changed_row(s, l, out, e);
    if (rc < 0 || rc == 2) return rc;
    const hc_rc put = rc ? hc_sort_window_push(&l->after, out) : 1;
    if (put < 0) return put;
    if (put == 0) return moved_too_far(s, l, out, e);
  }
  first = hc_sort_window_pop(&l->after);
  if (first) *out = *first;
  return first != NULL;
}

/* @return 1, 0 if the lane is over, 2 if it waits for feedback. */
static hc_rc produce(hc_stream *s, lane *l, hc_arrival *out, hc_error *e)
{
  hc_rc rc;
  if (l->bundle_left > 0) {
    next_of_bundle(s, l, out);
    return 1;
  }
  while ((rc = ordered_row(s, l, &out->spec, e)) == 1) {
    rc = judge_row(s, l, out, e);
    if (rc < 0) return rc;
    if (rc == 0) continue;
    TRY(check_order(s, l, &out->spec, e));
    out->source = (uint32_t)(l - s->lanes);
    if (out->spec.count > 1 && !s->o.raw) begin_bundle(s, l, out);
    return 1;
  }
  return rc;
}

static hc_rc put_pending(hc_stream *s, lane *l, const hc_arrival *a)
{
  size_t i;
  TRY(hc_reserve(s->context->allocator, (void **)&l->pending, &l->pending_cap, l->pending_count + 1,
                 sizeof *l->pending));
  for (i = l->pending_count++; i > 0; i--) {
    const hc_task_spec *t = &l->pending[i - 1].spec;
    if (t->submit < a->spec.submit || (t->submit == a->spec.submit && t->id <= a->spec.id)) break;
    l->pending[i] = l->pending[i - 1];
  }
  l->pending[i] = *a;
  return 0;
}

static void take_pending(lane *l, hc_arrival *out)
{
  *out = l->pending[0];
  l->pending_count--;
  memmove(l->pending, l->pending + 1, l->pending_count * sizeof *l->pending);
}

/* ---- all of them ---- */

/* See that each lane that has more shows its next task. @return 2 if one waits, else 0. */
static hc_rc show_heads(hc_stream *s, lane **first, hc_error *e)
{
  hc_rc all = 0;
  *first = NULL;
  for (size_t i = 0; i < s->lane_count; i++) {
    lane *l = &s->lanes[i];
    if (l->pending_count == 0) {
      hc_arrival a;
      const hc_rc rc = produce(s, l, &a, e);
      if (rc < 0) return rc;
      if (rc == 2) all = 2;
      if (rc != 1) continue;
      TRY(put_pending(s, l, &a));
    }
    if (!*first || l->pending[0].spec.submit < (*first)->pending[0].spec.submit) *first = l;
  }
  return all;
}

static hc_rc next_task(hc_stream *s, hc_arrival *out, hc_error *e)
{
  lane *first;
  if (s->lane_count == 1 && s->lanes[0].pending_count == 0) return produce(s, &s->lanes[0], out, e);
  const hc_rc rc = show_heads(s, &first, e);
  if (rc < 0 || !first) return rc;
  take_pending(first, out);
  return 1;
}

/* Of a bundle's tasks the first stands for the row. */
static bool is_a_row(const hc_stream *s, const hc_arrival *a)
{
  return a->spec.node == 0 || a->spec.count <= 1 || s->o.raw;
}

hc_rc hc_stream_next(hc_stream *s, hc_arrival *out, hc_error *e)
{
  TRY(prepare(s, e));
  const hc_rc rc = next_task(s, out, e);
  if (rc == 1 && s->context->ledger && is_a_row(s, out)) {
    s->context->ledger->read++;
    s->context->ledger->used++;
  }
  if (rc == HC_ENOMEM)
    return hc_fail(e, HC_ENOMEM, "workload", 0, 0, "out of memory: a smaller sort_window needs less");
  return rc;
}

hc_rc hc_stream_return(hc_stream *s, const hc_arrival *a)
{
  TRY(put_pending(s, &s->lanes[a->source], a));
  if (s->context->ledger && is_a_row(s, a)) {
    s->context->ledger->read--;
    s->context->ledger->used--;
  }
  return 0;
}

hc_rc hc_stream_feedback(hc_stream *s, uint32_t source, const hc_feedback *f, hc_error *e)
{
  lane *l = &s->lanes[source];
  if (!l->listens) return 0;
  const hc_rc released = l->type->feedback(l->source, f, e);
  settle(s, l);
  if (released < 0) return released;
  l->s.waits = false; /* it may also have nothing more to wait for */
  for (hc_rc i = 0; i < released; i++) {
    hc_arrival a;
    const hc_rc rc = produce(s, l, &a, e);
    if (rc < 0) return rc;
    if (rc != 1) break;
    TRY(put_pending(s, l, &a));
  }
  return released;
}

/* ---- opening ---- */

/* The name of a transform that will read the source twice; NULL if there is none. */
static const char *reads_twice(const hc_stream *s)
{
  for (size_t i = 0; i < s->o.transform_count; i++) {
    const hc_transform_type *t = (const hc_transform_type *)s->o.transforms[i].type;
    if (t->needs_totals || t->again) return t->component.name;
  }
  return NULL;
}

/* Note where the source starts, and try now whether it can go back there. */
static hc_rc note_start(const hc_stream *s, lane *l, hc_error *e)
{
  const char *who = reads_twice(s);
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = s->context->allocator, .out = &l->start};
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

/* Not if somebody will want to go back, nor if the source may be told of ends. */
static bool may_read_ahead(const hc_stream *s, const lane *l)
{
  return s->o.threads > 1 && !reads_twice(s) && !l->type->feedback;
}

static hc_rc open_lane(hc_stream *s, lane *l, const hc_chosen *chosen, hc_error *e)
{
  const hc_allocator *a = s->context->allocator;
  const size_t n = s->o.transform_count;
  hc_source_context for_source;
  l->type = (const hc_reader_type *)chosen->type;
  l->name = hc_source_name(chosen);
  l->context = *s->context;
  l->context.ledger = &l->own;
  l->s.last_submit = HC_UNKNOWN;
  l->stages = hc_alloc(a, n * sizeof *l->stages);
  l->passes = hc_alloc(a, n * sizeof *l->passes);
  if (!l->stages || !l->passes) return HC_ENOMEM;
  for_source = l->context;
  if (may_read_ahead(s, l)) TRY(hc_ahead_new(&l->context, &l->ahead, &for_source));
  l->source_context = for_source;
  TRY(l->type->open(&l->source_context, chosen->options, &l->source, e));
  if (l->ahead) hc_ahead_source(l->ahead, l->type, l->source);
  l->listens = l->type->feedback && (!l->type->listens || l->type->listens(l->source));
  l->window.unordered = l->listens;
  l->window.as_they_come = l->after.as_they_come = s->o.window == 1 && !l->listens;
  s->listens |= l->listens;
  TRY(note_start(s, l, e));
  for (size_t i = 0; i < n; i++) {
    l->stages[i].type = (const hc_transform_type *)s->o.transforms[i].type;
    if (l->stages[i].type->again && l->listens)
      return hc_fail(e, HC_EUNSUPPORTED, l->name, 0, 0,
                     "transform %s cannot repeat a closed loop: follow none",
                     l->stages[i].type->component.name);
    if (l->stages[i].type->needs_totals) s->prepared = false;
    else TRY(start_stage(s, l, i, NULL, e));
  }
  TRY(pull(s, l, e)); /* so that what the header says is known */
  return l->ahead && !l->listens ? hc_ahead_start(l->ahead, e) : 0;
}

hc_rc hc_stream_open(const hc_source_context *c, const hc_stream_options *o, hc_stream **out, hc_error *e)
{
  hc_stream *s;
  hc_rc rc = 0;
  if (o->source_count == 0)
    return hc_fail(e, HC_EUSAGE, "workload", 0, 0,
                   "there is no source: give a trace, `source: {use: swf, file: ...}`");
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->given = *c;
  s->context = &s->given;
  s->o = *o;
  if (s->o.window == 0) s->o.window = HC_SORT_WINDOW;
  s->prepared = true;
  s->lanes = hc_alloc(c->allocator, o->source_count * sizeof *s->lanes);
  if (!s->lanes) rc = HC_ENOMEM;
  else s->lane_count = o->source_count;
  for (size_t i = 0; i < s->lane_count; i++) {
    hc_sort_window_init(&s->lanes[i].window, c->allocator, false);
    hc_sort_window_init(&s->lanes[i].after, c->allocator, false);
    hc_buffer_init(&s->lanes[i].start, c->allocator);
  }
  if (rc == 0) rc = hc_check_standard_input(o->sources, o->source_count, e);
  for (size_t i = 0; i < s->lane_count && rc == 0; i++) rc = open_lane(s, &s->lanes[i], &o->sources[i], e);
  if (rc < 0) {
    hc_stream_close(s);
    return rc == HC_ENOMEM ? hc_fail(e, rc, "workload", 0, 0, "out of memory while opening the sources") : rc;
  }
  *out = s;
  return 0;
}

static void close_lane(const hc_stream *s, lane *l)
{
  const hc_allocator *a = s->context->allocator;
  for (size_t i = 0; l->stages && i < s->o.transform_count; i++) end_stage(&l->stages[i]);
  hc_ahead_free(l->ahead);
  if (l->source) l->type->close(l->source);
  hc_free(a, l->stages, s->o.transform_count * sizeof *l->stages);
  hc_free(a, l->passes, s->o.transform_count * sizeof *l->passes);
  hc_free(a, l->pending, l->pending_cap * sizeof *l->pending);
  hc_buffer_fini(&l->start);
  hc_sort_window_fini(&l->window);
  hc_sort_window_fini(&l->after);
}

void hc_stream_close(hc_stream *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  for (size_t i = 0; i < s->lane_count; i++) close_lane(s, &s->lanes[i]);
  hc_free(a, s->lanes, s->lane_count * sizeof *s->lanes);
  hc_free(a, s, sizeof *s);
}

/* ---- what it knows ---- */

const hc_trace_info *hc_stream_info(const hc_stream *s)
{
  return s->lanes[0].type->info(s->lanes[0].source);
}

void hc_stream_capacity(hc_stream *s, int64_t capacity)
{
  s->o.admission.capacity = capacity;
}

void hc_stream_judge(hc_stream *s, hc_rc (*judge)(void *ctx, hc_arrival *a, hc_reason *why), void *ctx,
                     int64_t amount)
{
  s->o.admission.judge = judge;
  s->o.admission.judge_ctx = ctx;
  s->o.admission.amount = amount;
}

hc_refers hc_stream_refers(const hc_stream *s)
{
  hc_refers most = HC_REFERS_NONE;
  for (size_t i = 0; i < s->lane_count; i++) {
    const lane *l = &s->lanes[i];
    if (l->type->refers) most = HC_MAX(most, l->type->refers(l->source));
  }
  return most;
}

bool hc_stream_listens(const hc_stream *s)
{
  return s->listens;
}

/* Of the bytes that a lane has read, those of rows that it has handed on: what the window holds is yet to come. */
static uint64_t passed_on_bytes(const lane *l, uint64_t read)
{
  double handed = (double)l->own.read,
         held = (double)(hc_sort_window_count(&l->window) + hc_sort_window_count(&l->after));
  return handed + held > 0 ? (uint64_t)((double)read * (handed / (handed + held))) : read;
}

void hc_stream_progress(const hc_stream *s, uint64_t *done, uint64_t *total)
{
  bool known = true;
  *done = *total = 0;
  for (size_t i = 0; i < s->lane_count; i++) {
    uint64_t d = 0, t = 0;
    if (s->lanes[i].ahead) hc_ahead_progress(s->lanes[i].ahead, &d, &t);
    else if (s->lanes[i].type->progress) s->lanes[i].type->progress(s->lanes[i].source, &d, &t);
    *done += passed_on_bytes(&s->lanes[i], d);
    *total += t;
    if (t == 0) known = false;
  }
  if (!known) *total = 0;
}

/* What the thread has read goes to the window, so that the source stands behind the last of it. */
static hc_rc settle_ahead(hc_stream *s, lane *l, hc_error *e)
{
  hc_ahead_stop(l->ahead);
  while (!hc_ahead_is_empty(l->ahead) && !l->s.exhausted) {
    hc_job job;
    const hc_rc rc = hc_ahead_next(l->ahead, &job, &l->own, e);
    settle(s, l);
    if (rc < 0) return rc;
    l->s.exhausted = rc == 0;
    if (rc == 1) TRY(to_window(s, l, &job, e));
  }
  return 0;
}

static hc_rc visit_lane(hc_stream *s, lane *l, hc_visitor *v, hc_error *e)
{
  if (hc_visit_loading(v)) l->direct.task_count = 0;
  HC_VISIT(v, l->bundle_left);
  if (l->bundle_left > 0) HC_VISIT(v, l->bundle);
  TRY(l->type->visit(l->source, v, e));
  TRY(hc_sort_window_visit(&l->window, v));
  if (l->resorts) TRY(hc_sort_window_visit(&l->after, v));
  HC_VISIT_ARRAY(v, l->pending, l->pending_count, l->pending_cap);
  HC_VISIT(v, l->own);
  HC_VISIT(v, l->passed_on);
  HC_VISIT(v, l->s);
  if (l->ahead && hc_visit_loading(v)) hc_ahead_reset(l->ahead, &l->own);
  for (size_t i = 0; i < s->o.transform_count; i++) {
    HC_VISIT(v, l->passes[i]);
    if (l->stages[i].type->visit) TRY(l->stages[i].type->visit(l->stages[i].self, v));
  }
  return 0;
}

hc_rc hc_stream_settle(hc_stream *s, hc_error *e)
{
  for (size_t i = 0; i < s->lane_count; i++) {
    TRY(settle_direct(s, &s->lanes[i], e));
    if (s->lanes[i].ahead) TRY(settle_ahead(s, &s->lanes[i], e));
  }
  return 0;
}

hc_rc hc_stream_visit(hc_stream *s, hc_visitor *v, hc_error *e)
{
  TRY(prepare(s, e));
  TRY(hc_stream_settle(s, e));
  HC_VISIT(v, s->o.admission.capacity);
  for (size_t i = 0; i < s->lane_count; i++) TRY(visit_lane(s, &s->lanes[i], v, e));
  if (s->context->ledger) HC_VISIT(v, *s->context->ledger);
  return 0;
}
