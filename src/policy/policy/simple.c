/* simple.c -- the first task that may start on the first host where it fits, until none does.
 *
 * What the selector scan with first_fit does, as a policy of its own: the baseline of those that plan
 * workflows. */
#include "base/util.h"
#include "policy/birth.h"

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = hc_select_services(self);
  hc_cursor at;
  hc_task t;
  HC_UNUSED(why);
  TRY(s->start_heads(p, &t));
  if (t == HC_NO_TASK) return 0;
  s->behind(v, HC_LIST_QUEUE, t, &at);
  for (;;) {
    const hc_filter fits = {.max_units = s->free_units(v), .max_estimate = HC_NEVER, .fits = true};
    t = s->next(v, HC_LIST_QUEUE, &at, &fits);
    if (t == HC_NO_TASK) return 0;
    if (s->fits(v, t)) TRY(s->start(p, t, NULL, 0));
  }
}

static uint32_t flags(const void *options)
{
  HC_UNUSED(options);
  return HC_IGNORES_TIME | HC_ASKS_FITS;
}

const hc_policy_type hc_policy_simple = {
    .component = {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "simple",
                  .summary = "the first task that may start, on the first host where it fits",
                  .detail =
                      "Tasks start in the order of their submission, each on the host that is declared first "
                      "of those with room for it. The policy does not look at workflows: a task is queued "
                      "when those that it waits for are over, and what it reads is brought when it starts. "
                      "Cost: O(queued) a decision.",
                  .source = "DSLab, its simple scheduler"},
    .flags = flags,
    .init = hc_select_init,
    .decide = decide,
    .fini = hc_select_free};
