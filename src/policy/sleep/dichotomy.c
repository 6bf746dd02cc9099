/* dichotomy.c -- energy_bf_dicho of batsched: as many sleep as cost tasks no more than so much slowdown,
 * and save most.
 *
 * The plan in which all hosts that sleep are woken at once has the least mean slowdown that there is,
 * and `slowdown` times that is the bound. If the plan with the hosts as they are keeps to it, more of
 * those that are idle sleep, else some are woken: how many is found by halving, and of the plans that
 * keep to the bound that one is carried out that draws least up to the time at which the longer of two
 * ends, if hosts sleep from when nothing is planned on them any more; of equals that in which most
 * sleep.
 *
 * batsched counts hosts that nothing is planned on as idle up to that time. Then a plan that ends later
 * is cheaper, tasks that have waited for long lose hardly any slowdown by it, and they are put off for
 * ever. Other than there the last number is tried, too, a running task's slowdown is that from its real
 * start, and where hosts are woken the plan that breaks the bound is no candidate. */
#include "base/util.h"
#include "policy/sleep/sleep.h"

/* When a host that sleeps may be woken. */
static hc_time may_wake(const hc_outlook *o, uint32_t host)
{
  for (size_t k = 0; k < o->count; k++)
    if (hc_outlook_is(o, k, HC_USE_WAKABLE, host)) return o->from[k];
  return HC_NEVER;
}

static hc_rc slowdown_awake(hc_sleep *x, double *out)
{
  TRY(hc_outlook_copy(&x->other, &x->base));
  for (uint32_t h = 0; h < x->other.hosts; h++) {
    const hc_time at = may_wake(&x->other, h);
    if (at != HC_NEVER) TRY(hc_sleep_wake(x, &x->other, h, at));
  }
  TRY(hc_sleep_put_jobs(x, &x->other, 0));
  *out = hc_sleep_slowdown(x);
  return 0;
}

/* The plan in which n hosts more sleep, or are awake. */
static hc_rc make(hc_sleep *x, hc_outlook *o, int64_t n, bool sedates)
{
  TRY(hc_outlook_copy(o, &x->base));
  const int64_t done = sedates ? hc_sleep_sedate_some(x, o, n) : hc_sleep_wake_some(x, o, n);
  return done < 0 ? (hc_rc)done : hc_sleep_put_jobs(x, o, 0);
}

/* Does `other` draw less than `plan`? Of equals: have more hosts slept? */
static bool is_better(const hc_sleep *x, bool more_sleep)
{
  const hc_time until = HC_MAX(x->plan.from[x->plan.count - 1], x->other.from[x->other.count - 1]);
  const double other = hc_sleep_energy(x, &x->other, until), plan = hc_sleep_energy(x, &x->plan, until);
  const double least = plan * 1e-9; /* of sums of doubles */
  return other < plan - least || (other <= plan + least && more_sleep);
}

static void swap(hc_sleep *x)
{
  const hc_outlook was = x->plan;
  x->plan = x->other;
  x->other = was;
}

static hc_rc decide(hc_sleep *x)
{
  double awake;
  TRY(slowdown_awake(x, &awake));
  TRY(make(x, &x->plan, 0, true));
  const double bound = awake * x->o->slowdown;
  const bool sedates = hc_sleep_slowdown(x) <= bound;
  const uint32_t most = hc_outlook_number(&x->base, 0, sedates ? HC_USE_IDLE : HC_USE_WAKABLE);
  int64_t low = 1, high = most, best = 0;
  bool any = sedates; /* is the plan one that keeps to the bound? */
  while (low <= high) {
    const int64_t n = low + (high - low) / 2;
    TRY(make(x, &x->other, n, sedates));
    const bool keeps = hc_sleep_slowdown(x) <= bound;
    if (keeps && (!any || is_better(x, sedates == (n > best)))) {
      swap(x);
      best = n;
      any = true;
    }
    if (keeps == sedates) low = n + 1;
    else high = n - 1;
  }
  if (!any) best = most; /* as close to it as can be */
  return make(x, &x->plan, best, sedates);
}

const hc_sleep_strategy hc_sleep_dichotomy = {
    .name = "dichotomy", .uses = HC_SLEEP_SLOWDOWN, .draws = true, .all = true, .decide = decide};
