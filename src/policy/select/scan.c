/* scan.c -- go through the queue in order and start whatever fits.
 *
 * Also called first fit, aggressive or greedy backfilling without reservations (Batsim's "filler"). Nothing
 * protects a large task: it may starve. It never looks at run times. Cost: O(log queued) for each task that
 * starts, and once more to find that nothing else fits; on hosts once more for each demand that waits,
 * however many tasks have it. */
#include "base/util.h"
#include "policy/birth.h"

static uint32_t flags(const void *options)
{
  HC_UNUSED(options);
  return HC_IGNORES_TIME | HC_ASKS_FITS;
}

/* The same of tasks whose sizes are settled one by one: those that do not fit are asked about, too. */
static hc_rc scan_molded(hc_policy *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = hc_select_services(self);
  hc_cursor at = {0};
  for (hc_task t; (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK;) {
    TRY(hc_select_size(self, v, p, t));
    if (s->fits(v, t)) TRY(s->start(p, t, NULL, 0));
  }
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = hc_select_services(self);
  hc_cursor at;
  hc_task t;
  HC_UNUSED(why);
  if (hc_select_molds(self)) return scan_molded(self, v, p);
  TRY(s->start_heads(p, &t));
  if (t == HC_NO_TASK) return 0;
  s->behind(v, HC_LIST_QUEUE, t, &at);
  for (;;) {
    hc_filter fits = {.max_units = s->free_units(v), .max_estimate = HC_NEVER, .fits = true};
    t = s->next(v, HC_LIST_QUEUE, &at, &fits);
    if (t == HC_NO_TASK) return 0;
    if (s->fits(v, t)) TRY(s->start(p, t, NULL, 0));
  }
}

const hc_select_type hc_select_scan = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "scan",
                  .summary = "every task that fits starts, in order; no task has a reservation",
                  .detail = "Large tasks may starve; easy prevents that."},
    .flags = flags,
    .init = hc_select_init,
    .decide = decide,
    .fini = hc_select_free,
    .mold = hc_select_mold,
};
