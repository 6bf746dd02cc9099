/* renumber.c -- ids 1, 2, 3 ... in order of submission.
 *
 * What a task follows (`preceding`) is renumbered with it if that came before; else it follows none.
 * Remembering ids costs 17 bytes and more per task, so that long traces should drop them. Of a repeated id
 * the latest counts. What a source calls its tasks goes with their ids. */
#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/lexicon.h"
#include "hindcast/workload.h"

typedef enum preceding { MAP, DROP } preceding;

typedef struct options {
  int64_t from;
  int preceding;
} options;

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_map ranks; /* by old id */
  uint64_t count;
};

static hc_rc renumber_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                           hc_transform **out, hc_error *e)
{
  HC_UNUSED(totals);
  HC_UNUSED(e);
  *out = hc_alloc(c->allocator, sizeof **out);
  if (!*out) return HC_ENOMEM;
  (*out)->context = c;
  (*out)->o = given;
  hc_map_init(&(*out)->ranks, c->allocator);
  return 0;
}

static hc_rc renumber_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const int64_t id = t->o->from + (int64_t)t->count;
  uint32_t rank = HC_MAP_NONE;
  HC_UNUSED(why);
  if (t->o->preceding == MAP) {
    if (t->count >= HC_MAP_NONE)
      return hc_fail(e, HC_ELIMIT, "transform renumber", 0, 0, "more than 2^32 tasks: set preceding to drop");
    if (task->preceding > 0) rank = hc_map_get(&t->ranks, (uint64_t)task->preceding);
    TRY(hc_map_set(&t->ranks, (uint64_t)task->id, (uint32_t)t->count));
  }
  task->preceding = rank == HC_MAP_NONE ? -1 : t->o->from + (int64_t)rank;
  task->id = id;
  hc_lexicon_drop_handle(t->context->lexicon, task->label);
  task->label = 0;
  t->count++;
  return 1;
}

static hc_rc renumber_visit(hc_transform *t, hc_visitor *v)
{
  HC_VISIT(v, t->count);
  return hc_map_visit(&t->ranks, v);
}

static void renumber_fini(hc_transform *t)
{
  hc_map_fini(&t->ranks);
  hc_free(t->context->allocator, t, sizeof *t);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, from, NULL, "1", 0, 1e15, "The first id."),
    HC_PARAM(CHOICE, options, preceding, "map|drop", "map",
             "What becomes of the id of the task that a task follows. map: it is renumbered too, which takes "
             "17 bytes and more for each task. drop: it is dropped."),
    {.name = NULL},
};

const hc_transform_type hc_transform_renumber = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "renumber",
                  .summary = "number tasks 1, 2, 3 ... in order of submission", .params = params,
                  .options_size = sizeof(options)},
    .init = renumber_init,
    .apply = renumber_apply,
    .visit = renumber_visit,
    .fini = renumber_fini,
};
