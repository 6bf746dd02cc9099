/* fairshare.c -- the owner that has used least of its share goes first: see policy/fairshare.h.
 *
 * Owners of the same factor, and tasks of one owner, go by submission. To weigh the factor with age, size or
 * QOS, write a formula over `fairshare` (expr.c). */
#include "policy/fairshare.h"
#include "base/mem.h"

typedef struct options {
  hc_fairshare_options share;
} options;

struct hc_policy {
  hc_fairshare share;
};

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  return HC_VARIES | HC_FOLLOWS_TASKS | (o->share.owner == HC_FAIRSHARE_ACCOUNT ? HC_ASKS_JOBS : 0);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  hc_policy *self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *out = self;
  return hc_fairshare_init(&self->share, c, &o->share, "order fairshare", e);
}

static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  return hc_key_of_real(-hc_fairshare_of(&self->share, task));
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  return hc_fairshare_follow(&self->share, v, what, t, amounts);
}

static void advance_to(hc_policy *self, hc_time now)
{
  hc_fairshare_advance(&self->share, now);
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  return hc_fairshare_visit(&self->share, v);
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->share.allocator;
  hc_fairshare_fini(&self->share);
  hc_free(a, self, sizeof *self);
}

static const hc_param params[] = {HC_FAIRSHARE_PARAMS(options, share), {0}};

const hc_order_type hc_order_fairshare = {
    .component =
        {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "fairshare",
         .summary = "highest fair-share factor of the user or account first",
         .detail =
             "factor = 2^(-U / S): U is the owner's part of all usage, which decays with half_life; S is its "
             "weight over the sum of the weights of all owners with tasks so far. Tasks of owners with equal "
             "factors go by submission. Usage counts the tasks of the same queue: where several schedulers "
             "have a queue each, each knows only its own. There is no tree of accounts. The order expr "
             "combines the factor (fairshare) with other quantities.",
         .source = "Slurm, multifactor priority plug-in", .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .key = key,
    .on_task_event = on_task_event,
    .advance_to = advance_to,
    .visit = visit,
    .fini = fini,
};
