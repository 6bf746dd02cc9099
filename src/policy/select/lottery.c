/* lottery.c -- a waiting task drawn at random, each as likely; stop at the first that does not fit: RFS,
 * random first.
 *
 * The draws belong to the time of the decision: at the next one everything is drawn anew, so that a task that
 * does not fit blocks the others only until then. (The order `random` draws once for each task: then the lot
 * of one that does not fit blocks all behind it until it fits.) Cost: O(queued / 31) for a draw. */
#include "base/util.h"
#include "policy/birth.h"

static uint32_t flags(const void *options)
{
  HC_UNUSED(options);
  return HC_IGNORES_TIME | HC_TIME_DEPENDENT;
}

/* One of 0 .. n-1, exactly uniform: draws above the greatest multiple of n are thrown away. */
static uint64_t below(const hc_services *s, const hc_view *v, uint64_t *draw, uint64_t n)
{
  const uint64_t odd = (UINT64_MAX % n + 1) % n;
  for (;;) {
    const uint64_t x = s->random(v, (uint64_t)s->now(v) | UINT64_C(1) << 63, (*draw)++);
    if (x <= UINT64_MAX - odd) return x % n;
  }
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = hc_select_services(self);
  uint64_t draw = 0;
  HC_UNUSED(why);
  for (size_t n; (n = s->queued(v)) > 0;) {
    const hc_task t = s->queued_at(v, HC_LIST_QUEUE, (size_t)below(s, v, &draw, n));
    if (!s->fits(v, t)) return 0;
    TRY(s->start(p, t, NULL, 0));
  }
  return 0;
}

const hc_select_type hc_select_lottery = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "lottery",
                  .summary =
                      "tasks drawn at random until one does not fit, anew at each decision",
                  .detail =
                      "The order of the queue does not matter. The draws are named by (seed, replication, "
                      "time).",
                  .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: "
                            "RFS, random first served"},
    .flags = flags,
    .init = hc_select_init,
    .decide = decide,
    .fini = hc_select_free,
};
