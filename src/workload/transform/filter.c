/* filter.c -- tasks of chosen users, groups, queues, partitions or states, or for which an expression holds.
 *
 * A task must be in each list that is given, and the expression must be neither 0 nor undefined; `drop` turns
 * the verdict around. In the expression times are in seconds and what is unknown is -1, as in the trace;
 * users and so on are numbers, and may be compared with names, which are asked for task by task, since
 * sources learn them as they go on.
 * Cost: O(log list) per list, about 2 ns per operation of the expression; a look-up for each name in it. */
#include <string.h>

#include "base/expr.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/workload.h"

typedef enum action { KEEP, DROP } action;

typedef struct options {
  hc_list users, groups, queues, partitions, states; /* int64_t */
  const char *where;
  int action;
} options;

enum { LIST_COUNT = 5 };

struct hc_transform {
  const hc_source_context *context;
  const options *o;
  hc_arena arena;
  int64_t *sorted[LIST_COUNT]; /* NULL: any */
  size_t counts[LIST_COUNT];
  hc_expr *where;
};

enum { USER = 6, GROUP, QUEUE, PARTITION, EXECUTABLE, ACCOUNT, QOS, STATUS };
static const char *const names[] = {"submit",
                                    "wait",
                                    "run",
                                    "limit",
                                    "procs",
                                    "id",
                                    [USER] = "user",
                                    [GROUP] = "group",
                                    [QUEUE] = "queue",
                                    [PARTITION] = "partition",
                                    [EXECUTABLE] = "executable",
                                    [ACCOUNT] = "account",
                                    [QOS] = "qos",
                                    [STATUS] = "status"};

static void filter_fini(hc_transform *t)
{
  hc_arena_fini(&t->arena);
  hc_free(t->context->allocator, t, sizeof *t);
}

HC_SORT(sort_values, int64_t, *a < *b)

static bool has_name(size_t variable)
{
  return variable >= USER && variable <= QOS;
}

static const hc_called kinds[] = {[USER] = HC_CALLED_USER,
                                  [GROUP] = HC_CALLED_GROUP,
                                  [QUEUE] = HC_CALLED_QUEUE,
                                  [PARTITION] = HC_CALLED_PARTITION,
                                  [EXECUTABLE] = HC_CALLED_EXECUTABLE,
                                  [ACCOUNT] = HC_CALLED_ACCOUNT,
                                  [QOS] = HC_CALLED_QOS};

/* Of a source that has no accounts beside its groups these are its groups; so with QOS and queues. */
static int64_t number_of(const hc_task_spec *s, size_t variable, hc_called *kind)
{
  if (variable == ACCOUNT && s->account <= 0) variable = GROUP;
  if (variable == QOS && s->qos <= 0) variable = QUEUE;
  *kind = kinds[variable];
  const int64_t numbers[] = {[USER] = s->user,
                             [GROUP] = s->group,
                             [QUEUE] = s->queue,
                             [PARTITION] = s->partition,
                             [EXECUTABLE] = s->executable,
                             [ACCOUNT] = s->account,
                             [QOS] = s->qos};
  return numbers[variable];
}

typedef struct asked {
  const hc_lexicon *lexicon;
  const hc_task_spec *task;
} asked;

static const char *called(const void *ctx, size_t variable)
{
  const asked *a = ctx;
  hc_called kind;
  const int64_t number = number_of(a->task, variable, &kind);
  return a->lexicon ? hc_lexicon_called(a->lexicon, kind, number) : NULL;
}

/* A sorted copy. */
static hc_rc take_list(hc_transform *t, size_t which, const hc_list *given)
{
  int64_t *sorted;
  if (given->count == 0) return 0;
  sorted = hc_arena_room(&t->arena, given->count * sizeof *sorted);
  if (!sorted) return HC_ENOMEM;
  memcpy(sorted, given->items, given->count * sizeof *sorted);
  sort_values(sorted, given->count);
  t->sorted[which] = sorted;
  t->counts[which] = given->count;
  return 0;
}

/* What has no name goes by its number, of which the lexicon knows nothing. */
static bool is_number(const char *text)
{
  return text[strspn(text, "0123456789.-")] == '\0';
}

/* A name that no task has would keep or drop nothing, unseen. */
static hc_rc expect_names(const hc_transform *t)
{
  hc_lexicon *l = t->context->lexicon;
  const char *text;
  size_t variable;
  for (size_t i = 0; l && t->where && (text = hc_expr_name(t->where, i, &variable)); i++)
    if (!is_number(text)) TRY(hc_lexicon_expect(l, kinds[variable], text));
  return 0;
}

static hc_rc filter_init(const hc_source_context *c, const void *given, const hc_workload_totals *totals,
                         hc_transform **out, hc_error *e)
{
  const options *o = given;
  hc_transform *t = hc_alloc(c->allocator, sizeof *t);
  hc_rc rc;
  HC_UNUSED(totals);
  if (!t) return HC_ENOMEM;
  t->context = c;
  t->o = o;
  hc_arena_init(&t->arena, c->allocator);
  TRY_OR(take_list(t, 0, &o->users), fail);
  TRY_OR(take_list(t, 1, &o->groups), fail);
  TRY_OR(take_list(t, 2, &o->queues), fail);
  TRY_OR(take_list(t, 3, &o->partitions), fail);
  TRY_OR(take_list(t, 4, &o->states), fail);
  if (o->where && o->where[0])
    TRY_OR(hc_expr_compile_called(&t->arena, o->where, names, HC_ARRAY_LEN(names), has_name, &t->where, e),
           fail);
  TRY_OR(expect_names(t), fail);
  *out = t;
  return 0;
fail:
  filter_fini(t);
  return rc;
}

static bool has(const int64_t *sorted, size_t n, int64_t x)
{
  size_t low = 0;
  while (n > 0) {
    const size_t half = n / 2;
    if (sorted[low + half] < x) {
      low += half + 1;
      n -= half + 1;
    } else if (sorted[low + half] == x) {
      return true;
    } else {
      n = half;
    }
  }
  return false;
}

static double seconds(hc_time t)
{
  return t == HC_UNKNOWN ? -1 : (double)t / 1e9;
}

static bool holds(const hc_transform *t, const hc_task_spec *s)
{
  const int64_t procs = s->procs_asked > 0 ? s->procs_asked : s->procs_used;
  const asked a = {t->context->lexicon, s};
  const double values[] = {seconds(s->submit),
                           seconds(s->wait),
                           seconds(s->run),
                           seconds(s->limit),
                           procs > 0 ? (double)procs : -1,
                           (double)s->id,
                           (double)s->user,
                           (double)s->group,
                           (double)s->queue,
                           (double)s->partition,
                           (double)s->executable,
                           (double)(s->account > 0 ? s->account : s->group),
                           (double)(s->qos > 0 ? s->qos : s->queue),
                           (double)s->status};
  _Static_assert(HC_ARRAY_LEN(values) == HC_ARRAY_LEN(names), "a value for each name");
  const double x = hc_expr_value_called(t->where, values, called, &a);
  return x < 0 || x > 0; /* neither zero nor NaN */
}

static hc_rc filter_apply(hc_transform *t, hc_task_spec *task, hc_reason *why, hc_error *e)
{
  const int64_t keys[LIST_COUNT] = {task->user, task->group, task->queue, task->partition, task->status};
  bool matches = true;
  HC_UNUSED(e);
  *why = HC_REASON_FILTERED;
  for (size_t i = 0; i < LIST_COUNT && matches; i++)
    if (t->sorted[i]) matches = has(t->sorted[i], t->counts[i], keys[i]);
  if (matches && t->where) matches = holds(t, task);
  return matches == (t->o->action == KEEP);
}

#define NUMBERS(word, member_, what) HC_PARAM_AS(INTS, word, options, member_, NULL, NULL, 0, 0, what)

static const hc_param params[] = {
    NUMBERS("user", users, "Users whose tasks match, as numbers of the trace. Default: any."),
    NUMBERS("group", groups, "Groups whose tasks match, as numbers of the trace. Default: any."),
    NUMBERS("queue", queues, "Queues whose tasks match, as numbers of the trace. Default: any."),
    NUMBERS("partition", partitions, "Partitions whose tasks match, as numbers of the trace. Default: any."),
    NUMBERS("status", states,
            "Statuses of tasks that match: -1 unknown, 0 failed, 1 completed, 5 cancelled. Default: any."),
    HC_PARAM(TEXT, options, where, NULL,
             "An expression over submit, wait, run, limit (seconds), procs, id, user, group (account), queue "
             "(qos), partition, executable, status, such as \"procs >= 64 && limit > 3600\"; unknown values "
             "are -1. Names of users, groups, queues, partitions and executables stand in quotes: user == "
             "\"ann\" || queue in (\"long\", 3). Default: all tasks."),
    HC_PARAM(CHOICE, options, action, "keep|drop", "keep", "Whether tasks that match are kept or dropped."),
    {.name = NULL},
};

const hc_transform_type hc_transform_filter = {
    .component = {HC_COMPONENT_HEAD(hc_transform_type, HC_KIND_TRANSFORM), .name = "filter",
                  .summary = "keep or drop tasks by user, group, queue, partition, status or an expression",
                  .detail = "A task matches if it is in each list that is given and the expression is "
                            "neither 0 nor undefined. Tasks that are left out are counted as `filtered`.",
                  .params = params, .options_size = sizeof(options)},
    .init = filter_init,
    .apply = filter_apply,
    .fini = filter_fini,
};
