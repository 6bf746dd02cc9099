/* task_time.c -- for how long each user's tasks ran, in a window: what a user got out of a cluster.
 *
 * The integral over the window of how many tasks of the user run; a task on several hosts counts once. In a
 * window in which every user has tasks waiting this is a utility that a scheduler decides: tasks done, by
 * their length.
 *
 * Tasks of one user that hold some of one dimension can count as a part of a task: those that stated less
 * than they need (transform lie) take longer by as much, or come to nothing, and what they get done is less
 * than their time. Cost: O(1) a change. Memory 60 bytes a user.
 * Source: utility as tasks, Ghodsi et al., NSDI 2011, over time. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "metric/family.h"
#include "metric/machine.h"
#include "metric/people.h"
#include "metric/sum128.h"

#define ONE 0x1p32

typedef struct options {
  hc_span_options spans;
  hc_time from;
  int64_t user;
  const char *dimension;
  double rate;
} options;

enum { ALL, OWN };

struct hc_metric {
  hc_family family;
  hc_time from;
  int64_t slow_user, slow_rate;
  int slow_dimension; /* -1: none */
  hc_spans spans;
  hc_people people;
  struct {
    uint64_t serial, is_known; /* whose claims came last */
    int64_t kind;
    uint64_t padding;
  } last;
};

static void fini(hc_metric *self)
{
  if (self) {
    hc_spans_fini(&self->spans);
    hc_people_fini(&self->people);
  }
  hc_family_free(self);
}

/* By the lexicon where there is one, else one of the four that every run knows. @return -1: no such
 * dimension */
static int dimension_of(const hc_metric_context *c, const char *name)
{
  static const char *const known[] = {"cpu", "memory", "disk", "gpu"};
  if (!name || !name[0]) return -1;
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    const char *text = c->lexicon                ? hc_lexicon_dimension_name(c->lexicon, d)
                       : d < HC_ARRAY_LEN(known) ? known[d]
                                                 : NULL;
    if (text && strcmp(text, name) == 0) return (int)d;
  }
  return -1;
}

static hc_rc set_up(hc_metric *self, const options *o, hc_error *e)
{
  const hc_allocator *a = self->family.context.allocator;
  self->from = o->from;
  self->slow_user = o->user;
  self->slow_rate = (int64_t)(o->rate * ONE + 0.5);
  self->slow_dimension = dimension_of(&self->family.context, o->dimension);
  hc_spans_init(&self->spans, a, &o->spans);
  hc_people_init(&self->people, a, OWN, 0);
  if (self->slow_dimension < 0 && o->dimension && o->dimension[0])
    return hc_fail(e, HC_EUSAGE, "metric task_time", 0, 0,
                   "dimension: the cell knows no \"%.80s\"; try cpu, memory, disk or gpu", o->dimension);
  return hc_spans_widen(&self->spans, OWN);
}

HC_FAMILY_INIT

/* What a task is worth while it runs. */
static int64_t rate_of(const hc_metric *self, const hc_change *c)
{
  const bool is_slow =
      self->slow_dimension >= 0 && c->user == self->slow_user && c->amount[self->slow_dimension] > 0;
  return is_slow ? self->slow_rate : (int64_t)ONE;
}

static bool is_same_task(hc_metric *self, const hc_change *c)
{
  const bool same =
      self->last.is_known && self->last.serial == c->serial && self->last.kind == (int64_t)c->kind;
  self->last.is_known = 1;
  self->last.serial = c->serial;
  self->last.kind = (int64_t)c->kind;
  return same;
}

static hc_rc hear(hc_metric *self, const hc_change *c)
{
  const hc_time t = HC_MAX(c->at, self->from);
  int64_t more;
  size_t at;
  if (c->kind != HC_CHANGE_CLAIMED && c->kind != HC_CHANGE_RELEASED) {
    self->last.is_known = 0;
    return 0;
  }
  if (is_same_task(self, c)) return 0;
  more = c->kind == HC_CHANGE_CLAIMED ? rate_of(self, c) : -rate_of(self, c);
  TRY(hc_people_find(&self->people, &self->spans, c->user, &at));
  TRY(hc_people_set(&self->people, &self->spans, at, t,
                    hc_amount_plus(self->people.items[at].level.value, more)));
  return hc_spans_set(&self->spans, ALL, t, hc_amount_plus(hc_spans_value(&self->spans, ALL), more));
}

static hc_rc changes(hc_metric *self, const hc_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    hc_spans_hear(&self->spans, HC_MAX(changes[i].at, self->from));
    TRY(hear(self, &changes[i]));
  }
  return 0;
}

static hc_rc until(hc_metric *self, hc_time end)
{
  TRY(hc_spans_close(&self->spans, end));
  hc_people_close(&self->people, &self->spans);
  return 0;
}

static hc_rc finish(hc_metric *self, hc_findings *f)
{
  const hc_spans *s = &self->spans;
  TRY(hc_people_order(&self->people));
  for (size_t i = 0; i < self->people.count; i++) {
    const hc_person *x = hc_people_at(&self->people, i);
    TRY(hc_find_cell(f, "task_time_by_user", x->user, "task_time", "s", hc_wide_seconds(x->sum) / ONE));
  }
  TRY(hc_find_real(f, "task_time", "s", hc_wide_seconds(hc_spans_total(s, ALL)) / ONE));
  for (size_t r = 0; r < s->rows; r++) {
    TRY(hc_spans_find_until(s, r, f, "task_time"));
    TRY(hc_find_cell(f, "task_time", hc_spans_key(s, r), "running", "tasks", hc_spans_mean(s, r, ALL) / ONE));
  }
  return 0;
}

static hc_rc visit(hc_metric *self, hc_visitor *v)
{
  HC_VISIT(v, self->last);
  TRY(hc_spans_visit(&self->spans, v));
  TRY(hc_people_visit(&self->people, v));
  return self->spans.columns == OWN ? 0 : HC_EINPUT;
}

static const hc_param params[] = {
    HC_SPAN_PARAMS(options, spans),
    HC_PARAM(TIME, options, from, "s", "0s", 0, 9e9,
             "Time before this does not count. The window ends with the run (`until`)."),
    HC_PARAM(INT, options, user, NULL, "0", -1, 9e15,
             "With `dimension`: the user whose tasks count as `rate` of a task."),
    HC_PARAM(TEXT, options, dimension, NULL,
             "Dimension of which tasks of `user` must hold some to count as `rate` of a task: cpu, memory, "
             "disk, gpu or another."),
    HC_PARAM(REAL, options, rate, "1", "1", 0, 1e6,
             "What a task of `user` that holds some of `dimension` gets done in its time, as a part of a "
             "task: its stated run time / its true one, say."),
    {.name = NULL},
};

static const char *const figures[] = {
    "task_time|s|none|integral of how many tasks run, of all users",
    "task_time_by_user.task_time|s|none|the same of the user's tasks",
    "task_time.until|s|none|where the piece of time ends; the key is where it begins",
    "task_time.running|tasks|none|mean number of tasks that run during it",
    NULL,
};

const hc_metric_type hc_metric_task_time = {
    .component =
        {HC_COMPONENT_HEAD(hc_metric_type, HC_KIND_METRIC), .figures = figures, .name = "task_time",
         .summary = "for how long each user's tasks ran, in a window",
         .detail =
             "Integral of the number of running tasks from `from` to the end of the run; a task on several "
             "hosts counts once. Means over pieces of time count from `from` on, too." HC_SPANS_TEXT,
         .source = "utility in tasks as in Ghodsi et al., NSDI 2011", .params = params,
         .options_size = sizeof(options)},
    HC_FAMILY_CALLS,
    .changes = changes,
    .until = until,
};
