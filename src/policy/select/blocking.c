/* blocking.c -- start from the head of the queue until a task does not fit; it blocks all behind it.
 *
 * With the order fcfs this is strict first come, first served. It never looks at run times.
 * Where sizes of tasks are settled (`mold` of batch) each is asked about when it is the head.
 * Cost: O(log queued) for each task that starts, and one look at the head. */
#include "base/util.h"
#include "policy/birth.h"

static uint32_t flags(const void *options)
{
  HC_UNUSED(options);
  return HC_IGNORES_TIME | HC_HEAD_ONLY;
}

/* As start_heads, of tasks whose sizes are settled first. */
static hc_rc start_molded(hc_policy *self, hc_view *v, hc_plan *p, hc_task *blocked)
{
  const hc_services *s = hc_select_services(self);
  for (;;) {
    hc_cursor first = {0};
    *blocked = s->next(v, HC_LIST_QUEUE, &first, NULL);
    if (*blocked == HC_NO_TASK) return 0;
    TRY(hc_select_size(self, v, p, *blocked));
    if (!s->fits(v, *blocked)) return 0;
    TRY(s->start(p, *blocked, NULL, 0));
  }
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = hc_select_services(self);
  hc_task t;
  HC_UNUSED(why);
  TRY(hc_select_molds(self) ? start_molded(self, v, p, &t) : s->start_heads(p, &t));
  const hc_task asked = t == HC_NO_TASK ? t : s->asked(v);
  if (asked != HC_NO_TASK && asked != t) s->note(v, asked, HC_NOTE_BEHIND, t, 0, 0);
  return 0;
}

const hc_select_type hc_select_blocking = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "blocking",
                  .summary = "a task that does not fit blocks all tasks behind it",
                  .detail = "With the order fcfs: first come, first served."},
    .flags = flags,
    .init = hc_select_init,
    .decide = decide,
    .fini = hc_select_free,
    .mold = hc_select_mold,
};
