/* patient.c -- an order in a shared object: the shortest first, but tasks that have waited for long before all
 * others. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

typedef struct options {
  hc_time patience;
} options;

struct hc_policy {
  const hc_allocator *allocator;
  hc_time patience;
};

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){c->allocator, ((const options *)opts)->patience};
  *out = self;
  return 0;
}

/* The lowest first; of equal ones the one that was submitted first. */
static int64_t key(const hc_policy *self, const hc_order_input *task)
{
  return task->now - task->submitted >= self->patience ? INT64_MIN : task->estimate;
}

static uint32_t flags(const void *opts)
{
  (void)opts;
  return HC_VARIES | HC_NEEDS_ESTIMATE; /* sorted anew at each decision, by run times that may be believed */
}

static void fini(hc_policy *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {HC_PARAM(TIME, options, patience, "s", "1d", 0, 1e9,
                                           "A task that has waited so long stands before all that have not."),
                                  {0}};

const hc_order_type hc_order_patient = {
    .component = {HC_COMPONENT_HEAD(hc_order_type, HC_KIND_ORDER), .name = "patient",
                  .summary = "the shortest first, but before all others tasks that have waited for long",
                  .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .init = init,
    .key = key,
    .fini = fini};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_order_patient.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "patient", .components = components};
