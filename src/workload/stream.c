/* stream.c -- the sources of a run as one stream of tasks: merged by time of submission, bundles dealt out.
 *
 * Each source is a lane (lane.c) with a few tasks of its own that wait here. A lane that listens is never
 * read ahead, but when feedback lets tasks go, as many more are fetched, so that one which is now earlier
 * than a pending task comes before it. The context's ledger balances after every call: a row that was handed
 * over is counted as used when it is taken. */
#include "workload/stream.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "workload/apart.h"
#include "workload/inputs.h"
#include "workload/lane.h"
#include "workload/source_calls.h"
#include "workload/spec.h"

typedef struct branch {
  hc_lane *lane;
  hc_arrival bundle; /* its tasks that are still to come: `bundle_left` of them, from spec.node on */
  uint64_t bundle_left;
  hc_arrival made;     /* the one of them that was handed out */
  hc_arrival known;    /* of several sources: a task with the run's numbers */
  hc_arrival *pending; /* ascending by (submit, id); few */
  size_t pending_count, pending_cap;
} branch;

#define SOURCES 256 /* a live task has a byte for its source */

struct hc_stream {
  hc_stretch stretch;               /* first: see hc_stream_borrow */
  hc_source_context given;          /* a copy: what it points to is borrowed */
  const hc_source_context *context; /* of it */
  hc_stream_options o;
  branch *branches;
  size_t count;
  hc_apart *apart;  /* who is who among the sources; NULL: there is one */
  hc_arrival taken; /* of those that were pending, the one that was handed out */
  bool listens, prepared;
};

/* ---- one source ---- */

/* The first of many equal tasks is at hand; the others follow from a copy, which holds what the first one may
 * drop. */
static void begin_bundle(const hc_stream *s, branch *b, const hc_arrival *first)
{
  b->bundle = *first;
  b->bundle.spec.node = 1;
  b->bundle_left = first->spec.count - 1;
  hc_spec_hold(s->context->lexicon, &first->spec);
}

/* The last one takes over what the copy holds. */
static void next_of_bundle(const hc_stream *s, branch *b)
{
  b->made = b->bundle;
  b->bundle.spec.node++;
  b->bundle_left--;
  if (b->bundle_left > 0) hc_spec_hold(s->context->lexicon, &b->made.spec);
}

/* @return 1, 0 if the lane is over, 2 if it waits for feedback. */
static inline hc_rc produce(hc_stream *s, branch *b, const hc_arrival **out, hc_error *e)
{
  if (b->bundle_left > 0) {
    next_of_bundle(s, b);
    *out = &b->made;
    return 1;
  }
  const hc_rc rc = hc_lane_next(b->lane, out, e);
  if (rc == 1 && s->apart) {
    b->known = **out;
    TRY(hc_apart_task(s->apart, b->known.source, &b->known.spec, e));
    *out = &b->known;
  }
  if (rc == 1 && (*out)->spec.count > 1 && !s->o.raw) begin_bundle(s, b, *out);
  return rc;
}

static hc_rc put_pending(hc_stream *s, branch *b, const hc_arrival *a)
{
  size_t i;
  TRY(hc_reserve(s->context->allocator, (void **)&b->pending, &b->pending_cap, b->pending_count + 1,
                 sizeof *b->pending));
  for (i = b->pending_count++; i > 0; i--) {
    const hc_task_spec *t = &b->pending[i - 1].spec;
    if (t->submit < a->spec.submit || (t->submit == a->spec.submit && t->id <= a->spec.id)) break;
    b->pending[i] = b->pending[i - 1];
  }
  b->pending[i] = *a;
  return 0;
}

/* ---- all of them ---- */

/* See that each branch that has more shows its next task. @return 2 if one waits, else 0. */
static hc_rc show_heads(hc_stream *s, branch **first, hc_error *e)
{
  hc_rc all = 0;
  *first = NULL;
  for (size_t i = 0; i < s->count; i++) {
    branch *b = &s->branches[i];
    if (b->pending_count == 0) {
      const hc_arrival *a;
      const hc_rc rc = produce(s, b, &a, e);
      if (rc < 0) return rc;
      if (rc == 2) all = 2;
      if (rc != 1) continue;
      TRY(put_pending(s, b, a));
    }
    if (!*first || b->pending[0].spec.submit < (*first)->pending[0].spec.submit) *first = b;
  }
  return all;
}

static hc_rc take_first(hc_stream *s, const hc_arrival **out, hc_error *e)
{
  branch *first;
  const hc_rc rc = show_heads(s, &first, e);
  if (rc < 0 || !first) return rc;
  s->taken = first->pending[0];
  first->pending_count--;
  memmove(first->pending, first->pending + 1, first->pending_count * sizeof *first->pending);
  *out = &s->taken;
  return 1;
}

/* Of a bundle's tasks the first stands for the row. */
static bool is_a_row(const hc_stream *s, const hc_arrival *a)
{
  return a->spec.node == 0 || a->spec.count <= 1 || s->o.raw;
}

static hc_rc prepare(hc_stream *s, hc_error *e)
{
  for (size_t i = 0; i < s->count && !s->prepared; i++) TRY(hc_lane_prepare(s->branches[i].lane, e));
  s->prepared = true;
  return 0;
}

/* How a call that takes a task ends. */
static inline hc_rc taken(hc_stream *s, hc_rc rc, const hc_arrival *a, hc_error *e)
{
  hc_row_ledger *ledger = s->given.ledger;
  if (rc == 1 && ledger && is_a_row(s, a)) {
    ledger->read++;
    ledger->used++;
  }
  return rc != HC_ENOMEM
             ? rc
             : hc_fail(e, rc, "workload", 0, 0, "out of memory: a smaller sort_window needs less");
}

/* What lies behind a task that was just taken from the only source may be taken without a call. */
static void note_stretch(hc_stream *s)
{
  branch *b = s->branches;
  if (b->bundle_left > 0 || !s->given.ledger) return;
  s->stretch.ledger = s->given.ledger;
  const uint32_t n = hc_lane_stretch(b->lane, &s->stretch.next);
  s->stretch.end = n > 0 ? s->stretch.next + n : s->stretch.next; /* NULL, if there is none */
}

hc_rc hc_stream_borrow_more(hc_stream *s, const hc_arrival **out, hc_error *e)
{
  hc_rc rc;
  if (!s->prepared) TRY(prepare(s, e));
  if (s->count > 1 || s->branches->pending_count > 0) {
    rc = take_first(s, out, e);
  } else {
    rc = produce(s, s->branches, out, e);
    if (rc == 1) note_stretch(s);
  }
  return taken(s, rc, rc == 1 ? *out : NULL, e);
}

hc_rc hc_stream_next(hc_stream *s, hc_arrival *out, hc_error *e)
{
  const hc_arrival *a;
  const hc_rc rc = hc_stream_borrow(s, &a, e);
  if (rc == 1) *out = *a;
  return rc;
}

hc_rc hc_stream_return(hc_stream *s, const hc_arrival *a)
{
  TRY(put_pending(s, &s->branches[a->source], a));
  if (s->context->ledger && is_a_row(s, a)) {
    s->context->ledger->read--;
    s->context->ledger->used--;
  }
  return 0;
}

/* So many more are let go. */
static hc_rc fetch_more(hc_stream *s, branch *b, hc_rc released, hc_error *e)
{
  for (hc_rc i = 0; i < released; i++) {
    const hc_arrival *a;
    const hc_rc rc = produce(s, b, &a, e);
    if (rc < 0) return rc;
    if (rc != 1) break;
    TRY(put_pending(s, b, a));
  }
  return released;
}

hc_rc hc_stream_feed(hc_stream *s, const char *text, size_t size, hc_error *e)
{
  for (size_t i = 0; i < s->count; i++) {
    const hc_rc released = hc_lane_feed(s->branches[i].lane, text, size, e);
    if (released == HC_ENOTFOUND) continue;
    return released < 0 ? released : fetch_more(s, &s->branches[i], released, e);
  }
  return hc_fail(e, HC_EUSAGE, "source", 0, 0,
                 "no source takes tasks while the run goes on: say `dynamic: true` of the reader batsim");
}

hc_rc hc_stream_feedback(hc_stream *s, uint32_t source, const hc_feedback *f, hc_error *e)
{
  branch *b = &s->branches[source];
  if (!hc_lane_listens(b->lane)) return 0;
  hc_feedback known = *f;
  if (s->apart) known.id = hc_apart_own_id(s->apart, source, f->id);
  return fetch_more(s, b, hc_lane_feedback(b->lane, &known, e), e);
}

/* ---- opening ---- */

hc_rc hc_stream_open(const hc_source_context *c, const hc_stream_options *o, hc_stream **out, hc_error *e)
{
  hc_stream *s;
  hc_rc rc = 0;
  if (o->source_count == 0)
    return hc_fail(e, HC_EUSAGE, "workload", 0, 0,
                   "there is no source: give a trace, `source: {use: swf, file: ...}`");
  if (o->source_count > SOURCES)
    return hc_fail(e, HC_ELIMIT, "workload", 0, 0,
                   "%zu sources; at most %d are taken: merge some with `hindcast trace merge`",
                   o->source_count, SOURCES);
  s = hc_alloc(c->allocator, sizeof *s);
  if (!s) return HC_ENOMEM;
  s->given = *c;
  s->given.calls = &hc_source_calls_of_library;
  s->context = &s->given;
  s->o = *o;
  if (s->o.window == 0) s->o.window = HC_SORT_WINDOW;
  if (s->o.resorting == 0) s->o.resorting = s->o.window;
  s->branches = hc_alloc(c->allocator, o->source_count * sizeof *s->branches);
  if (!s->branches) rc = HC_ENOMEM;
  else s->count = o->source_count;
  if (rc == 0) rc = hc_check_standard_input(o->sources, o->source_count, e);
  if (rc == 0 && s->count > 1 && c->lexicon) rc = hc_apart_new(s->context, &s->o, &s->apart, e);
  for (size_t i = 0; i < s->count && rc == 0; i++) {
    rc = hc_lane_open(s->apart ? hc_apart_context(s->apart, i) : s->context, &s->o, i, &s->branches[i].lane,
                      e);
    if (rc == 0) s->listens |= hc_lane_listens(s->branches[i].lane);
  }
  if (rc < 0) {
    hc_stream_close(s);
    return rc == HC_ENOMEM ? hc_fail(e, rc, "workload", 0, 0, "out of memory while opening the sources") : rc;
  }
  *out = s;
  return 0;
}

void hc_stream_close(hc_stream *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  for (size_t i = 0; i < s->count; i++) {
    hc_lane_close(s->branches[i].lane);
    hc_free(a, s->branches[i].pending, s->branches[i].pending_cap * sizeof *s->branches[i].pending);
  }
  hc_apart_free(s->apart);
  hc_free(a, s->branches, s->count * sizeof *s->branches);
  hc_free(a, s, sizeof *s);
}

/* ---- what it knows ---- */

const hc_trace_info *hc_stream_info(const hc_stream *s)
{
  return hc_lane_info(s->branches->lane);
}

void hc_stream_capacity(hc_stream *s, int64_t capacity)
{
  s->o.admission.capacity = capacity;
}

void hc_stream_judge(hc_stream *s, const hc_judge *judge, int64_t amount)
{
  s->o.admission.judge = *judge;
  s->o.admission.amount = amount;
}

void hc_stream_sets(hc_stream *s, const struct hc_host_set *sets, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (sets[i].of_count == 0) continue;
    s->o.admission.sets = sets;
    s->o.admission.set_count = count;
  }
}

hc_refers hc_stream_refers(const hc_stream *s)
{
  hc_refers most = HC_REFERS_NONE;
  for (size_t i = 0; i < s->count; i++) most = HC_MAX(most, hc_lane_refers(s->branches[i].lane));
  return most;
}

bool hc_stream_takes(const hc_stream *s)
{
  for (size_t i = 0; i < s->count; i++)
    if (hc_lane_takes(s->branches[i].lane)) return true;
  return false;
}

bool hc_stream_listens(const hc_stream *s)
{
  return s->listens;
}

void hc_stream_progress(const hc_stream *s, uint64_t *done, uint64_t *total)
{
  bool known = true;
  *done = *total = 0;
  for (size_t i = 0; i < s->count; i++) {
    uint64_t d, t;
    hc_lane_progress(s->branches[i].lane, &d, &t);
    *done += d;
    *total += t;
    known &= t > 0;
  }
  if (!known) *total = 0;
}

/* ---- where it stands ---- */

hc_rc hc_stream_settle(hc_stream *s, hc_error *e)
{
  hc_stretch *t = &s->stretch;
  if (t->next < t->end) hc_lane_give_back(s->branches->lane, t->next, (uint32_t)(t->end - t->next));
  t->next = t->end = NULL;
  for (size_t i = 0; i < s->count; i++) TRY(hc_lane_settle(s->branches[i].lane, e));
  return 0;
}

hc_rc hc_stream_visit(hc_stream *s, hc_visitor *v, hc_error *e)
{
  TRY(prepare(s, e));
  TRY(hc_stream_settle(s, e));
  HC_VISIT(v, s->o.admission.capacity);
  if (s->apart) TRY(hc_apart_visit(s->apart, v));
  for (size_t i = 0; i < s->count; i++) {
    branch *b = &s->branches[i];
    HC_VISIT(v, b->bundle_left);
    if (b->bundle_left > 0) HC_VISIT(v, b->bundle);
    TRY(hc_lane_visit(b->lane, v, e));
    HC_VISIT_ARRAY(v, b->pending, b->pending_count, b->pending_cap);
  }
  if (s->context->ledger) HC_VISIT(v, *s->context->ledger);
  return 0;
}
