/* repeat.c -- the workload several times over, end to end.
 *
 * Copy k (from 0) is shifted by k x (last submission - first submission + gap), so that the first task of a
 * copy is submitted `gap` after the last one of the copy before. First, last and largest id are those seen in
 * copy 0. Ids of copy k are raised by k x offset; by default the offset is (largest - smallest + 1), which
 * keeps ids unique where they were. Weekly and daily rhythm is kept only if the shift is a multiple of it:
 * choose the gap so, if that matters.
 *
 * Users are the same in all copies. Reads the source once per copy. Cost: about 2 ns per task. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef struct options {
  int64_t times, id_offset;
  hc_time gap;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  struct {
    uint64_t copy;
    hc_time first, last, shift; /* of copy 0; what is added now */
    int64_t least_id, largest_id, id_shift;
  } s;
};

static hc_rc repeat_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                         hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  (*out)->context = c;
  (*out)->o = given;
  (*out)->s.first = HC_UNKNOWN;
  (*out)->s.least_id = INT64_MAX;
  return 0;
}

static void look(hc_transform *t, const hc_task_spec *task)
{
  if (task->submit != HC_UNKNOWN) {
    if (t->s.first == HC_UNKNOWN) t->s.first = task->submit;
    t->s.last = task->submit;
  }
  if (task->id < 0) return;
  t->s.least_id = HC_MIN(t->s.least_id, task->id);
  t->s.largest_id = HC_MAX(t->s.largest_id, task->id);
}

static void raise_id(int64_t *id, int64_t by)
{
  int64_t raised;
  if (*id >= 0 && !__builtin_add_overflow(*id, by, &raised)) *id = raised;
}

static hc_rc repeat_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  HC_UNUSED(why);
  if (t->s.copy == 0) {
    look(t, task);
    return 1;
  }
  raise_id(&task->id, t->s.id_shift);
  if (task->preceding > 0) raise_id(&task->preceding, t->s.id_shift);
  if (task->submit == HC_UNKNOWN) return 1;
  task->submit = hc_time_add(task->submit, t->s.shift);
  if (task->submit == HC_NEVER)
    return hc_fail(e, HC_ELIMIT, "transform repeat", 0, 0,
                   "copy %llu would begin past 292 years: repeat fewer times", (unsigned long long)t->s.copy);
  if (task->cancel_at != HC_NEVER) task->cancel_at = hc_time_add(task->cancel_at, t->s.shift);
  return 1;
}

static bool repeat_again(hc_transform *t, uint64_t again)
{
  const int64_t span = t->s.first == HC_UNKNOWN ? 0 : t->s.last - t->s.first;
  int64_t offset = t->o->id_offset;
  if (again >= (uint64_t)t->o->times || t->s.first == HC_UNKNOWN) return false;
  if (offset == 0 && t->s.least_id <= t->s.largest_id) offset = t->s.largest_id - t->s.least_id + 1;
  t->s.copy = again;
  t->s.shift = hc_time_add(t->s.shift, hc_time_add(span, t->o->gap));
  if (__builtin_add_overflow(t->s.id_shift, offset, &t->s.id_shift)) t->s.id_shift = 0;
  return true;
}

static hc_rc repeat_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->s);
  return 0;
}

static void repeat_fini(hc_transform *t)
{
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, times, "copies", "2", 1, 1e9, "Number of copies in all."),
    HC_PARAM(TIME, options, gap, "s", "0", 0, 9e9,
             "Time from the last submission of a copy to the first of the next."),
    HC_PARAM(INT, options, id_offset, NULL, "0", 0, 1e15,
             "Number by which ids grow from one copy to the next. 0: the span of ids in the first copy, so "
             "that ids stay unique."),
    {.name = NULL},
};

const hc_transform_type hc_transform_repeat = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "repeat",
                  .summary = "the workload several times over, end to end",
                  .detail = "Copy k, from 0, is shifted by k x (last submission - first submission + gap). "
                            "The source is read once for each copy, and its rows are counted each time.",
                  .params = params, .options_size = sizeof(options)},
    .init = repeat_init,
    .apply = repeat_apply,
    .again = repeat_again,
    .visit = repeat_visit,
    .fini = repeat_fini,
};
