/* misbehaves.c -- a selector that starts whatever fits, and on its tenth decision crashes, gives up, hangs,
 * or does as it is told. For the tests of studies. */
#include <signal.h>
#include <stdlib.h>

#include "hindcast/plugin.h"
#include "hindcast/policy.h"

enum { GOOD, CRASHES, ABORTS, HANGS };

typedef struct options {
  int how;
} options;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  int how, decisions;
};

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self = c->allocator->resize(c->allocator->ctx, NULL, 0, sizeof *self);
  (void)e;
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){c->services, c->allocator, ((const options *)opts)->how, 0};
  *out = self;
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  hc_cursor at = {0};
  volatile bool for_ever = true;
  (void)why;
  if (++self->decisions == 10) {
    if (self->how == CRASHES) (void)raise(SIGKILL);
    if (self->how == ABORTS) {
      (void)signal(SIGABRT, SIG_DFL);
      abort();
    }
    while (self->how == HANGS && for_ever) continue;
  }
  for (;;) {
    hc_filter fits = {.max_units = s->free_units(v), .max_estimate = HC_NEVER};
    hc_task t = s->next(v, HC_LIST_QUEUE, &at, &fits);
    if (t == HC_NO_TASK || s->start(p, t, NULL, 0) < 0) return 0;
  }
}

static void fini(hc_policy *self)
{
  self->allocator->resize(self->allocator->ctx, self, sizeof *self, 0);
}

static const hc_param params[] = {HC_PARAM(CHOICE, options, how, "good|crashes|aborts|hangs", "good",
                                           "What it does on its tenth decision."),
                                  {0}};

static const hc_select_type hc_select_misbehaves = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "misbehaves",
                  .summary = "whatever fits, until it misbehaves", .params = params,
                  .options_size = sizeof(options)},
    .init = init,
    .decide = decide,
    .fini = fini};

static const hc_component *const components[] = {&hc_select_misbehaves.component, NULL};
HC_API extern const hc_plugin hc_plugin_entry;
const hc_plugin hc_plugin_entry = {
    .size = sizeof(hc_plugin), .abi = HC_ABI, .name = "misbehaves", .components = components};
