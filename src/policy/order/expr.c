/* expr.c -- an order that the user writes: any formula over what is known of a task.
 *
 * Users and so on are numbers, and may be compared with names: user == "ann" ? 0 : 1.
 *
 * It is sorted anew at each decision only if the formula reads what changes with time, and follows tasks only
 * if it reads `fairshare` (policy/fairshare.h). The formula is compiled to learn that, and again for use:
 * once each a run. Cost of a key: about 2 ns an operation, and a look-up for each name in it. */
#include "base/expr.h"
#include "base/mem.h"
#include "base/util.h"
#include "policy/fairshare.h"

typedef struct options {
  const char *key;
  bool descending;
  hc_fairshare_options share;
} options;

typedef enum variable {
  WAIT,
  ESTIMATE,
  REQUEST,
  PROCS,
  SUBMIT,
  PRIORITY,
  USER,
  GROUP,
  QUEUE,
  SERIAL,
  NOW,
  PARTITION,
  EXECUTABLE,
  JOB,
  ACCOUNT,
  QOS,
  JOB_NAME,
  ELIGIBLE,
  AGE,
  FAIRSHARE,
  VARIABLES
} variable;

static const char *const names[VARIABLES] = {[WAIT] = "wait",
                                             [ESTIMATE] = "estimate",
                                             [REQUEST] = "request",
                                             [PROCS] = "procs",
                                             [SUBMIT] = "submit",
                                             [PRIORITY] = "priority",
                                             [USER] = "user",
                                             [GROUP] = "group",
                                             [QUEUE] = "queue",
                                             [SERIAL] = "serial",
                                             [NOW] = "now",
                                             [PARTITION] = "partition",
                                             [EXECUTABLE] = "executable",
                                             [JOB] = "job",
                                             [ACCOUNT] = "account",
                                             [QOS] = "qos",
                                             [JOB_NAME] = "job_name",
                                             [ELIGIBLE] = "eligible",
                                             [AGE] = "age",
                                             [FAIRSHARE] = "fairshare"};

struct hc_policy {
  hc_arena arena;
  const hc_expr *expr;
  const hc_lexicon *lexicon; /* NULL outside a run */
  bool descending;
  hc_fairshare share; /* if the formula reads it */
};

/* What a variable's names are names of; HC_CALLED_COUNT: it has none. */
static hc_called kind_of(size_t i)
{
  switch ((variable)i) {
    case USER: return HC_CALLED_USER;
    case GROUP:
    case ACCOUNT: return HC_CALLED_GROUP;
    case QUEUE:
    case QOS: return HC_CALLED_QUEUE;
    case PARTITION: return HC_CALLED_PARTITION;
    case EXECUTABLE:
    case JOB_NAME: return HC_CALLED_EXECUTABLE;
    default: return HC_CALLED_COUNT;
  }
}

static bool has_name(size_t i)
{
  return kind_of(i) != HC_CALLED_COUNT;
}

/* A formula that does not compile needs nothing; `init` says what is wrong with it. */
static uint32_t flags(const void *p)
{
  const options *o = p;
  hc_arena arena;
  hc_expr *x;
  uint32_t set = 0;
  hc_arena_init(&arena, hc_default_allocator());
  if (o->key && hc_expr_compile_called(&arena, o->key, names, VARIABLES, has_name, &x, NULL) == 0) {
    if (hc_expr_reads(x, WAIT) || hc_expr_reads(x, NOW) || hc_expr_reads(x, AGE)) set |= HC_VARIES;
    if (hc_expr_reads(x, FAIRSHARE))
      set |= HC_VARIES | HC_FOLLOWS_TASKS | (o->share.owner == HC_FAIRSHARE_ACCOUNT ? HC_ASKS_JOBS : 0);
    if (hc_expr_reads(x, ESTIMATE) || hc_expr_reads(x, REQUEST)) set |= HC_NEEDS_ESTIMATE;
  }
  hc_arena_fini(&arena);
  return set;
}

/* What has no name goes by its number, of which the lexicon knows nothing. */
static hc_rc expect_names(const hc_expr *x, hc_lexicon *l)
{
  const char *text;
  size_t which;
  for (size_t i = 0; l && (text = hc_expr_name(x, i, &which)); i++)
    if (text[strspn(text, "0123456789.-")] != '\0') TRY(hc_lexicon_expect(l, kind_of(which), text));
  return 0;
}

static hc_rc init(const hc_policy_context *c, const void *p, hc_policy **out, hc_error *e)
{
  const options *o = p;
  hc_policy *self;
  hc_expr *x;
  hc_rc rc;
  if (!o->key || !o->key[0]) {
    return hc_fail(e, HC_EUSAGE, "order expr", 0, 0,
                   "there is no formula; write one, as in key: \"estimate * procs\" (lower first)");
  }
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  hc_arena_init(&self->arena, c->allocator);
  rc = hc_expr_compile_called(&self->arena, o->key, names, VARIABLES, has_name, &x, e);
  if (rc < 0) {
    hc_arena_fini(&self->arena);
    hc_free(c->allocator, self, sizeof *self);
    return rc;
  }
  self->expr = x;
  self->lexicon = c->lexicon;
  self->descending = o->descending;
  *out = self;
  TRY(expect_names(x, c->lexicon));
  return hc_expr_reads(x, FAIRSHARE) ? hc_fairshare_init(&self->share, c, &o->share, "order expr", e) : 0;
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->arena.allocator;
  hc_fairshare_fini(&self->share);
  hc_arena_fini(&self->arena);
  hc_free(a, self, sizeof *self);
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  return hc_fairshare_follow(&self->share, v, what, t, amounts);
}

static void advance_to(hc_policy *self, hc_time now)
{
  if (self->share.allocator) hc_fairshare_advance(&self->share, now);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return self->share.allocator ? hc_fairshare_visit(&self->share, v) : 0;
}

static double seconds(hc_time t)
{
  return t == HC_NEVER ? __builtin_inf() : (double)t / (double)HC_SECOND;
}

typedef struct asked {
  const hc_lexicon *lexicon;
  const hc_order_input *task;
} asked;

static const char *called(const void *ctx, size_t i)
{
  const asked *a = ctx;
  const hc_called kind = kind_of(i);
  const int64_t number = kind == HC_CALLED_USER        ? a->task->user
                         : kind == HC_CALLED_GROUP     ? a->task->group
                         : kind == HC_CALLED_QUEUE     ? a->task->queue
                         : kind == HC_CALLED_PARTITION ? a->task->partition
                                                       : a->task->executable;
  return a->lexicon ? hc_lexicon_called(a->lexicon, kind, number) : NULL;
}

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  const asked a = {self->lexicon, task};
  double values[VARIABLES] = {[WAIT] = seconds(task->now - task->submitted),
                              [ESTIMATE] = seconds(task->estimate),
                              [REQUEST] = seconds(task->estimate),
                              [PROCS] = task->procs,
                              [SUBMIT] = seconds(task->submitted),
                              [PRIORITY] = (double)task->priority,
                              [USER] = (double)task->user,
                              [GROUP] = (double)task->group,
                              [QUEUE] = (double)task->queue,
                              [SERIAL] = (double)task->serial,
                              [NOW] = seconds(task->now),
                              [PARTITION] = (double)task->partition,
                              [EXECUTABLE] = (double)task->executable,
                              [JOB] = (double)task->job,
                              [ACCOUNT] = (double)task->group,
                              [QOS] = (double)task->queue,
                              [JOB_NAME] = (double)task->executable,
                              [ELIGIBLE] = seconds(task->eligible),
                              [AGE] = seconds(HC_MAX(task->now - task->eligible, 0)),
                              [FAIRSHARE] = self->share.allocator ? hc_fairshare_of(&self->share, task) : 1};
  double x = hc_expr_value_called(self->expr, values, called, &a);
  return hc_key_of_real(self->descending ? -x : x);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, key, NULL,
             "Formula whose lowest value goes first, over procs (on hosts: cores), priority, serial; the "
             "numbers of user, group (also: account), queue (also: qos), partition, executable (also: "
             "job_name) and job, each -1 if the source does not say; all of these but job can be compared "
             "with names, too (queue == \"long\" ? 0 : 1); fairshare, the factor of the order fairshare; and "
             "in seconds wait, estimate (also: request), submit, eligible, age (now - eligible) and now."),
    HC_PARAM(BOOL, options, descending, "false", "Does the highest value go first?"),
    HC_FAIRSHARE_PARAMS(options, share),
    {0}};

const hc_order_type hc_order_expr = {
    .component =
        {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "expr",
         .summary = "lowest value of a given formula first",
         .detail = "+ - * / % ^, comparisons, && || !, c ? a : b, and min max abs sqrt exp log log2 log10 "
                   "floor ceil round pow. A value that is not a number, such as 0/0, goes last, also with "
                   "`descending`. A task without an estimate has an infinite one. Sorted anew at each "
                   "decision if the formula reads wait, age, now or fairshare. The parameters from half_life "
                   "on concern fairshare.",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .key = key,
    .on_task_event = on_task_event,
    .advance_to = advance_to,
    .visit = visit,
    .fini = fini,
};
