/* lottery.c -- a waiting task drawn at random, each as likely; stop at the first that does not fit: RFS, random first.
 *
 * The draws belong to the time of the decision: at the next one everything is drawn anew, so that a task that does not
 * fit blocks the others only until then. (The order `random` draws once for each task: then the lot of one that does
 * not fit blocks all behind it until it fits.) Cost: O(queued) for a draw. */
#include "base/mem.h"
#include "base/util.h"
#include "policy/birth.h"

/* A queue is asked for its k-th task by walking to it. Under local load most decisions find it as the last one left
 * it: then the list that was made by that walk is still right, which is cheaper to see than to make. */
typedef struct lot {
  uint64_t serial;
  hc_task task;
  uint32_t padding;
} lot;

struct hc_policy {
  hc_select_base base;
  lot *lots; /* [count] in queue order; a copy of what the queue says, so no state */
  size_t count, cap;
};

static uint32_t flags(const void *options)
{
  HC_UNUSED(options);
  return HC_IGNORES_TIME | HC_DRAWS_ANEW;
}

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  HC_UNUSED(options);
  HC_UNUSED(e);
  return hc_select_new(c, sizeof **out, out);
}

static void fini(hc_policy *self)
{
  hc_free(self->base.allocator, self->lots, self->cap * sizeof *self->lots);
  hc_select_free(self);
}

/* As many wait as in the list, and all that are in it wait: it is the queue. */
static bool is_right(const hc_policy *self, const hc_view *v)
{
  const hc_services *s = self->base.s;
  if (self->count != s->queued(v)) return false;
  for (size_t i = 0; i < self->count; i++)
    if (!s->waits(v, self->lots[i].task) || s->serial(v, self->lots[i].task) != self->lots[i].serial)
      return false;
  return true;
}

static hc_rc make_lots(hc_policy *self, const hc_view *v)
{
  const hc_services *s = self->base.s;
  hc_cursor at = {0};
  hc_task t;
  if (self->count > 0 && is_right(self, v)) return 0;
  self->count = 0;
  TRY(hc_reserve(self->base.allocator, (void **)&self->lots, &self->cap, s->queued(v), sizeof *self->lots));
  while (self->count < self->cap && (t = s->next(v, HC_LIST_QUEUE, &at, NULL)) != HC_NO_TASK)
    self->lots[self->count++] = (lot){.serial = s->serial(v, t), .task = t};
  return 0;
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
  const hc_services *s = self->base.s;
  uint64_t draw = 0;
  HC_UNUSED(why);
  TRY(make_lots(self, v));
  while (self->count > 0) {
    const uint64_t k = below(s, v, &draw, self->count);
    const hc_task t = self->lots[k].task;
    if (!s->fits(v, t)) return 0;
    TRY(s->start(p, t, NULL, 0));
    self->count--;
    for (size_t i = k; i < self->count; i++) self->lots[i] = self->lots[i + 1];
  }
  return 0;
}

const hc_select_type hc_select_lottery = {
    .component = {HC_COMPONENT_HEAD(hc_select_type, HC_KIND_SELECT), .name = "lottery",
                  .summary =
                      "tasks drawn at random until one does not fit; all is drawn anew at each decision",
                  .detail =
                      "Whatever the order of the queue. The draws are named by (seed, replication, time).",
                  .source = "Polezhaev: RFS, random first served"},
    .flags = flags,
    .init = init,
    .decide = decide,
    .fini = fini,
};
