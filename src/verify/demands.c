/* demands.c -- does a task hold what it asked for, slot by slot?
 *
 * Each task that ran has one demand: so many slots, of which each asks for the same amounts. A grant is some
 * of these slots on one host and holds as many times their amounts; together they are all slots and no more.
 * Slots that are to be apart are on hosts of their own; a whole host is held with all that it has. GPUs that
 * are told apart are the host's: a part of one lies on one device, whole ones on as many. A task may have
 * further, unequal parts, of which records say what they hold but not what they asked for: then there are
 * more slots, the equal ones among them all the same; and what it holds of the dimension that `units` are
 * counted in is its units. Cost: O(grants) for each start. */
#include "base/util.h"
#include "verify/sweep.h"

int64_t hc_on_each_device(const hc_verify_grant *g)
{
  const int64_t n = hc_devices_count(&g->devices);
  return n > 0 ? g->amount[HC_DIM_GPU] / n + (g->amount[HC_DIM_GPU] % n > 0) : 0;
}

/* ---- devices ---- */

static hc_rc check_devices(hc_check *c, const hc_host_now *now, const hc_asked *a, const hc_verify_grant *g)
{
  const hc_time at = a->record->start;
  const bool told_apart = c->options->hosts->hosts[g->host].devices > 0;
  const int64_t gpu = g->amount[HC_DIM_GPU], n = hc_devices_count(&g->devices);
  const int64_t there =
      told_apart ? now->has[HC_DIM_GPU] / HC_DEVICE + (now->has[HC_DIM_GPU] % HC_DEVICE > 0) : 0;
  if (told_apart || gpu > 0 || n > 0) hc_held_to(c, HC_RULE_DEVICES, 1);
  for (uint32_t i = 0; n > 0 && i < HC_DEVICES; i++)
    if (hc_devices_have(&g->devices, i) && (int64_t)i >= there)
      return hc_find_on(c, HC_FOUND_NO_DEVICE, at, a->rank, g->host, i, there, 0);
  if (gpu == 0 ? n == 0 : !told_apart || (n == 1 ? gpu <= HC_DEVICE : n > 0 && gpu == n * HC_DEVICE))
    return 0;
  return hc_find_on(c, HC_FOUND_DEVICE_COUNT, at, a->rank, g->host, 0, gpu, n);
}

/* ---- amounts ---- */

static hc_rc check_whole(hc_check *c, const hc_host_now *hosts, const hc_asked *a, const hc_verify_grant *g)
{
  const hc_host_now *now = &hosts[g->host];
  if (g->slots != 1)
    return hc_find(c, HC_FOUND_OTHER_SLOTS, a->record->start, a->rank, UINT32_MAX, g->slots, 1);
  for (uint32_t d = 0; d < c->options->hosts->dimensions; d++)
    if (c->options->hosts->is_of_hosts[d] && g->amount[d] != now->has[d])
      return hc_find_on(c, HC_FOUND_NOT_WHOLE, a->record->start, a->rank, g->host, d, g->amount[d],
                        now->has[d]);
  return 0;
}

/* Does a grant hold as many times a slot's amounts as it has slots? @param out where it does not */
static bool is_equal(const hc_check *c, const hc_asked *a, const hc_verify_grant *g, uint32_t *out)
{
  for (uint32_t d = 0; d < c->options->hosts->dimensions; d++) {
    int64_t sum;
    if (!c->options->hosts->is_of_hosts[d]) continue;
    *out = d;
    if (__builtin_mul_overflow(a->demand->need[d], g->slots, &sum) || sum != g->amount[d]) return false;
  }
  return true;
}

static int64_t times(int64_t a, int64_t b)
{
  int64_t n;
  return __builtin_mul_overflow(a, b, &n) ? INT64_MAX : n;
}

static hc_rc check_slots(hc_check *c, const hc_asked *a, int64_t slots, int64_t equal,
                         const hc_verify_grant *odd, uint32_t d)
{
  const hc_verify_told *told = c->options->told;
  const int64_t asked = a->demand->slots;
  const hc_time at = a->record->start;
  const bool may_have_more = !told || !told->plain_tasks;
  if (slots < asked || (slots > asked && !may_have_more))
    return hc_find(c, HC_FOUND_OTHER_SLOTS, at, a->rank, UINT32_MAX, slots, asked);
  if (!odd || (slots > asked && equal >= asked)) return 0;
  return hc_find_on(c, HC_FOUND_OTHER_AMOUNT, at, a->rank, odd->host, d, odd->amount[d],
                    times(a->demand->need[d], odd->slots));
}

/* Its units, as its record has them. */
static hc_rc check_units(hc_check *c, const hc_asked *a)
{
  const hc_verify_told *told = c->options->told;
  const int64_t d = told ? told->units_dimension : -1;
  int64_t sum = 0;
  if (d < 0 || !c->options->hosts->is_of_hosts[d] || (a->record->flags & HC_TASK_RESIZED) != 0) return 0;
  if (c->tasks[a->rank].record >= c->report.tasks)
    return 0; /* an attempt may have had more slots than the last one */
  for (size_t i = 0; i < a->grant_count; i++)
    if (__builtin_add_overflow(sum, a->grants[i]->amount[d], &sum)) sum = INT64_MIN;
  if (sum == a->record->units) return 0;
  return hc_find_on(c, HC_FOUND_OTHER_DEMAND, a->record->start, a->rank, 0, (uint32_t)d, sum,
                    a->record->units);
}

/* Each on a host of its own. */
static hc_rc check_apart(hc_check *c, hc_host_now *hosts, const hc_asked *a)
{
  for (size_t i = 0; i < a->grant_count; i++) {
    const hc_verify_grant *g = a->grants[i];
    if (g->slots > 1 || hosts[g->host].seen == a->rank + 1)
      return hc_find_on(c, HC_FOUND_NOT_APART, a->record->start, a->rank, g->host, 0, 0, 0);
    hosts[g->host].seen = a->rank + 1;
  }
  return 0;
}

hc_rc hc_check_demand(hc_check *c, hc_host_now *hosts, const hc_asked *a)
{
  const hc_verify_demand *d = a->demand;
  const bool is_attempt = c->tasks[a->rank].record >= c->report.tasks;
  const hc_verify_grant *odd = NULL;
  int64_t slots = 0, equal = 0;
  uint32_t where = 0;
  if (c->options->told && !is_attempt && a->demand_count != 1)
    TRY(hc_find(c, HC_FOUND_NO_DEMAND, a->record->start, a->rank, UINT32_MAX, (int64_t)a->demand_count, 1));
  if (!d) return 0;
  hc_held_to(c, HC_RULE_DEMAND, 1);
  for (size_t i = 0; i < a->grant_count; i++) {
    const hc_verify_grant *g = a->grants[i];
    uint32_t k = 0;
    const bool is_one = (d->form & 1) != 0 || is_equal(c, a, g, &k);
    slots += g->slots;
    equal += is_one ? g->slots : 0;
    if (!is_one && !odd) odd = g, where = k;
    if (g->slots < 1) odd = g;
    if (d->form & 1) TRY(check_whole(c, hosts, a, g));
    else TRY(check_devices(c, &hosts[g->host], a, g));
  }
  TRY(check_slots(c, a, slots, equal, odd, where));
  TRY(check_units(c, a));
  return d->form & 2 ? check_apart(c, hosts, a) : 0;
}
