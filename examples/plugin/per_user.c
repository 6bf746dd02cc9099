/* per_user.c -- a policy in a shared object: whatever fits starts, in order of submission, but of no user more
 * than so many tasks run at once. */
#include "hindcast/plugin.h"
#include "hindcast/policy.h"

typedef struct options {
  int64_t tasks;
} options;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  int64_t tasks;
};

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){c->services, c->allocator, ((const options *)opts)->tasks};
  *out = self;
  return 0;
}

/* A view shows what a plan has started already. */
static bool has_room(const hc_policy *self, const hc_view *v, hc_task t)
{
  const hc_task *running;
  size_t count = self->s->running(v, &running);
  int64_t same = 0;
  for (size_t i = 0; i < count; i++) same += self->s->user(v, running[i]) == self->s->user(v, t);
  return same < self->tasks;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_cursor at = {0};
  (void)why;
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;) {
    if (!s->fits(v, t) || !has_room(self, v, t)) continue;
    hc_rc rc = s->start(p, t, NULL, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

static void fini(hc_policy *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {
    HC_PARAM(INT, options, tasks, "tasks", "10", 1, 1e9, "How many tasks of a user may run at once."), {0}};

const hc_policy_type hc_policy_per_user = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "per_user",
                  .summary = "whatever fits, in order of submission, but so many tasks of a user at once",
                  .params = params, .options_size = sizeof(options)},
    .init = init,
    .decide = decide,
    .fini = fini};

/* Only a shared object needs what follows. */
static const hc_component *const components[] = {&hc_policy_per_user.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "per_user", .components = components};
