/* blocking.c -- start from the head of the queue until a task does not fit; it blocks all behind it.
 *
 * With the order fcfs this is strict first come, first served. It never looks at run times.
 * Cost: O(log queued) for each task that starts, and one look at the head. */
#include "base/util.h"
#include "policy/birth.h"

static uint32_t flags(const void *options)
{
  HC_UNUSED(options);
  return HC_IGNORES_TIME | HC_HEAD_ONLY;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = hc_select_services(self);
  hc_task t;
  HC_UNUSED(why);
  TRY(s->start_heads(p, &t));
  const hc_task asked = t == HC_NO_TASK ? t : s->asked(v);
  if (asked != HC_NO_TASK && asked != t) s->note(v, asked, HC_NOTE_BEHIND, t, 0, 0);
  return 0;
}

const hc_select_type hc_select_blocking = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "blocking",
                  .summary = "a task that does not fit blocks all behind it",
                  .detail = "With the order fcfs: first come, first served."},
    .flags = flags,
    .init = hc_select_init,
    .decide = decide,
    .fini = hc_select_free,
};
