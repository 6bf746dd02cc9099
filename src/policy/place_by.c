/* place_by.c -- the placement that decides among hosts of one score. */
#include "policy/place_by.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"

hc_rc hc_place_by_open(hc_place_by *by, const hc_chosen *chosen, const hc_policy_context *c,
                       const char *where, const char *equals, hc_error *e)
{
  by->type = (const hc_place_type *)chosen->type;
  by->options = chosen->options;
  by->chooser = (hc_chooser){.how = HC_CHOOSE_FIRST};
  if (by->type->init) TRY(by->type->init(c, by->options, &by->inner, e));
  if (by->type->chooser) by->type->chooser(by->options, by->inner, &by->chooser);
  if (by->chooser.meet)
    return hc_fail(e, HC_EUSAGE, where, 0, 0,
                   "by: the scores of `%s` are relative to all hosts that fit, not to %s ones; let it name "
                   "`%s` among its own, or give it `scales: [share, ...]`",
                   by->type->component.name, equals, where + strlen("place "));
  if (by->chooser.score && by->chooser.how == HC_CHOOSE_BEST) return 0;
  return hc_fail(e, HC_EUSAGE, where, 0, 0,
                 "by: the placement `%s` does not compare hosts, so it cannot decide among %s ones; take one "
                 "that does, such as best_fit",
                 by->type->component.name, equals);
}

void hc_place_by_fini(hc_place_by *by)
{
  if (by->inner && by->type->fini) by->type->fini(by->inner);
  by->inner = NULL;
}

static double tie(void *state, const hc_host_view *h)
{
  const hc_place_by *by = state;
  return by->chooser.score(by->chooser.self, h);
}

static hc_devices devices(void *state, const hc_host_view *h, int64_t amount)
{
  const hc_place_by *by = state;
  return by->chooser.devices(by->chooser.self, h, amount);
}

hc_chooser hc_place_by_chooser(const hc_place_by *by, double (*score)(void *state, const hc_host_view *h))
{
  return (hc_chooser){.how = HC_CHOOSE_BEST,
                      .self = (void *)by,
                      .score = score,
                      .tie = tie,
                      .devices = by->chooser.devices ? devices : NULL,
                      .reads_past = by->chooser.reads_past,
                      .reads_load = by->chooser.reads_load,
                      .reads_held = by->chooser.reads_held};
}

void hc_place_by_arrived(hc_policy *self, const int64_t *need, uint32_t dimensions, int64_t slots)
{
  const hc_place_by *by = (const hc_place_by *)self;
  if (by->type->arrived) by->type->arrived(by->inner, need, dimensions, slots);
}

hc_rc hc_place_by_visit(hc_place_by *by, hc_visitor *v)
{
  return by->type->visit ? by->type->visit(by->inner, v) : 0;
}
