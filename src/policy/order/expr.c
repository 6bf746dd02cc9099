/* expr.c -- an order that the user writes: any formula over what is known of a task.
 *
 * It is sorted anew at each decision only if the formula reads `wait` or `now`. The formula is compiled to
 * learn that, and again for use: once each a run. Cost of a key: about 2 ns an operation. */
#include "base/expr.h"
#include "base/mem.h"
#include "base/util.h"
#include "hindcast/policy.h"

typedef struct options {
  const char *key;
  bool descending;
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
  VARIABLES
} variable;

static const char *const names[VARIABLES] = {
    [WAIT] = "wait",     [ESTIMATE] = "estimate", [REQUEST] = "request", [PROCS] = "procs",
    [SUBMIT] = "submit", [PRIORITY] = "priority", [USER] = "user",       [GROUP] = "group",
    [QUEUE] = "queue",   [SERIAL] = "serial",     [NOW] = "now"};

struct hc_policy {
  hc_arena arena;
  const hc_expr *expr;
  bool descending;
};

/* A formula that does not compile needs nothing; `init` says what is wrong with it. */
static uint32_t flags(const void *p)
{
  const options *o = p;
  hc_arena arena;
  hc_expr *x;
  uint32_t set = 0;
  hc_arena_init(&arena, hc_default_allocator());
  if (o->key && hc_expr_compile(&arena, o->key, names, VARIABLES, &x, NULL) == 0) {
    if (hc_expr_reads(x, WAIT) || hc_expr_reads(x, NOW)) set |= HC_VARIES;
    if (hc_expr_reads(x, ESTIMATE) || hc_expr_reads(x, REQUEST)) set |= HC_NEEDS_ESTIMATE;
  }
  hc_arena_fini(&arena);
  return set;
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
  rc = hc_expr_compile(&self->arena, o->key, names, VARIABLES, &x, e);
  if (rc < 0) {
    hc_arena_fini(&self->arena);
    hc_free(c->allocator, self, sizeof *self);
    return rc;
  }
  self->expr = x;
  self->descending = o->descending;
  *out = self;
  return 0;
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->arena.allocator;
  hc_arena_fini(&self->arena);
  hc_free(a, self, sizeof *self);
}

static double seconds(hc_time t)
{
  return t == HC_NEVER ? __builtin_inf() : (double)t / (double)HC_SECOND;
}

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  double values[VARIABLES] = {[WAIT] = seconds(task->now - task->submitted),
                              [ESTIMATE] = seconds(task->estimate),
                              [REQUEST] = seconds(task->estimate),
                              [PROCS] = (double)task->units,
                              [SUBMIT] = seconds(task->submitted),
                              [PRIORITY] = (double)task->priority,
                              [USER] = (double)task->user,
                              [GROUP] = (double)task->group,
                              [QUEUE] = (double)task->queue,
                              [SERIAL] = (double)task->serial,
                              [NOW] = seconds(task->now)};
  double x = hc_expr_value(self->expr, values);
  return hc_key_of_real(self->descending ? -x : x);
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, key, NULL,
             "Formula whose lowest value goes first, over procs, priority, user, group, queue, serial, and "
             "in seconds wait, estimate (also: request), submit, now."),
    HC_PARAM(BOOL, options, descending, "false", "The highest value goes first."),
    {0}};

const hc_order_type hc_order_expr = {
    .component =
        {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "expr",
         .summary = "by a formula of your own, lowest first",
         .detail = "+ - * / % ^, comparisons, && || !, c ? a : b, and min max abs sqrt exp log log2 log10 "
                   "floor ceil round pow. What is not a number, as 0/0, goes last either way. A task without "
                   "an estimate has an infinite one. Sorted anew at each decision if the formula reads wait "
                   "or now.",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .key = key,
    .fini = fini,
};
