/* task_formula.c -- see task_formula.h. */
#include "workload/task_formula.h"

#include "base/util.h"

static const char *const names[] = {"submit", "limit", "procs",     "hosts",    "id",
                                    "user",   "group", "partition", "priority", "queue"};

hc_rc hc_task_formula_init(hc_task_formula *f, const hc_allocator *allocator, const char *text, hc_error *e)
{
  f->expr = NULL;
  hc_arena_init(&f->arena, allocator);
  if (!text || !text[0]) return 0;
  return hc_expr_compile(&f->arena, text, names, HC_ARRAY_LEN(names), &f->expr, e);
}

void hc_task_formula_fini(hc_task_formula *f)
{
  hc_arena_fini(&f->arena);
}

static double seconds(hc_time t)
{
  return t == HC_UNKNOWN ? -1 : (double)t / 1e9;
}

double hc_task_formula_value(const hc_task_formula *f, const hc_task_spec *task)
{
  const int64_t procs = task->procs_asked > 0 ? task->procs_asked : task->procs_used;
  const double values[] = {seconds(task->submit),
                           seconds(task->limit),
                           procs > 0 ? (double)procs : -1,
                           task->hosts > 0 ? (double)task->hosts : -1,
                           (double)task->id,
                           (double)task->user,
                           (double)task->group,
                           (double)task->partition,
                           (double)task->priority,
                           (double)task->queue};
  _Static_assert(HC_ARRAY_LEN(values) == HC_ARRAY_LEN(names), "a value for each name");
  return hc_expr_value(f->expr, values);
}

bool hc_task_formula_holds(const hc_task_formula *f, const hc_task_spec *task)
{
  const double value = f->expr ? hc_task_formula_value(f, task) : 1;
  return value < 0 || value > 0;
}
