/* tariff.c -- what energy costs, and what its making emits, by the time at which it is drawn.
 *
 * Both are steps over time, from a table, or hold all the time. A draw is constant between two changes, so
 * that cost is a sum of price x draw x time over the steps that it meets: exact but for the rounding of a
 * double, whose errors are carried along. Cost: one addition a change, and one a step. */
#include "metric/tariff.h"

#include "base/state.h"
#include "base/util.h"

#define JOULES (1.0 / 3.6e6) /* kWh of a J */
#define WATT_HOURS (1.0 / 3.6e21) /* kWh of a microwatt x ns */

hc_rc hc_tariff_init(hc_tariff *t, const hc_allocator *a, const hc_tariff_options *o, int64_t unix_start,
                     hc_error *e)
{
  *t = (hc_tariff){.prices = {.allocator = a}, .s = {.since = HC_UNKNOWN}};
  if (!o->file)
    return hc_prices_add(&t->prices,
                         (hc_price_step){.at = INT64_MIN, .price = o->price, .carbon = o->carbon});
  TRY(hc_prices_read(&t->prices, o->file, o->column, unix_start, e));
  if (o->price == 0 && o->carbon == 0) return 0;
  return hc_fail(
      e, HC_EUSAGE, "metrics", 0, 0,
      "energy: `price` and `carbon` are for all the time, and `tariff` says them over time: leave one "
      "of the two out");
}

void hc_tariff_fini(hc_tariff *t)
{
  hc_prices_fini(&t->prices);
}

/* ---- what is drawn ---- */

static void add(hc_tariff *t, hc_time until)
{
  const hc_price_step *x = &t->prices.steps[t->s.step];
  const double energy = (double)t->s.draws * (double)hc_time_between(t->s.since, until) * WATT_HOURS;
  hc_real_sum_add(&t->s.cost, energy * x->price);
  hc_real_sum_add(&t->s.carbon, energy * x->carbon);
  t->s.since = until;
}

void hc_tariff_draws(hc_tariff *t, hc_time at, int64_t draws)
{
  if (t->s.since == HC_UNKNOWN) {
    t->s.since = at;
    while (t->s.step + 1 < t->prices.count && t->prices.steps[t->s.step + 1].at <= at) t->s.step++;
  }
  for (; t->s.step + 1 < t->prices.count && t->prices.steps[t->s.step + 1].at <= at; t->s.step++)
    add(t, t->prices.steps[t->s.step + 1].at);
  add(t, at);
  t->s.draws = draws;
}

void hc_tariff_drew(hc_tariff *t, hc_time from, double joules)
{
  const hc_price_step *x = &t->prices.steps[hc_prices_at(&t->prices, from)];
  hc_real_sum_add(&t->s.cost, joules * JOULES * x->price);
  hc_real_sum_add(&t->s.carbon, joules * JOULES * x->carbon);
}

hc_time hc_tariff_next(const hc_tariff *t, hc_time at)
{
  size_t next = hc_prices_at(&t->prices, at);
  while (next < t->prices.count && t->prices.steps[next].at <= at) next++; /* the first one holds before it */
  return next < t->prices.count ? t->prices.steps[next].at : HC_NEVER;
}

hc_rc hc_tariff_visit(hc_tariff *t, hc_visitor *v)
{
  HC_VISIT(v, t->s);
  return t->s.step < t->prices.count ? 0 : HC_EINPUT;
}
