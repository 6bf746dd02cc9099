/* power.c -- hosts that plans switch: each goes through its states in turn, and is away until it is on.
 *
 * A host that is switched off stops, then is off; it starts when it is switched on, from either. It goes away
 * as it is switched off, which is a change of the host like others (hosts.c: no task is on it then, and none
 * starts there), and does not return before it is on; if something else holds it down, not even then. What a
 * host draws no record says. Cost: O((rows + changes) log rows). */
#include "base/sort.h"
#include "base/util.h"
#include "hindcast/cell.h"
#include "verify/parts.h"

/* Rows of one host and time keep their order. */
typedef struct turn {
  int64_t host, state;
  hc_time at;
  size_t place;
} turn;

HC_SORT(sort_turns, turn,
        a->host != b->host ? a->host < b->host
        : a->at != b->at   ? a->at < b->at
                           : a->place < b->place)

/* One that is on may come into any state of power (HC_POWER_STATES of them), which is told again when it
 * is on. */
static bool may_follow(int64_t before, int64_t state)
{
  const bool was_on = (before & 3) == HC_STATE_ON;
  if (state > HC_STATE_STARTING)
    return (state & 3) == HC_STATE_ON && state >> 2 <= HC_POWER_STATES &&
           (was_on || before == HC_STATE_STARTING);
  switch (state) {
    case HC_STATE_ON: return before == HC_STATE_STARTING;
    case HC_STATE_STOPPING: return was_on;
    case HC_STATE_OFF: return before == HC_STATE_STOPPING;
    case HC_STATE_STARTING: return before == HC_STATE_OFF || before == HC_STATE_STOPPING;
    default: return false;
  }
}

/* Is a host on at a time, or was it within that instant? @param state out: else */
static bool is_on(const turn *rows, size_t n, int64_t host, hc_time at, int64_t *state)
{
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (rows[middle].host < host || (rows[middle].host == host && rows[middle].at <= at)) low = middle + 1;
    else high = middle;
  }
  *state = low > 0 && rows[low - 1].host == host ? rows[low - 1].state : HC_STATE_ON;
  for (; low > 0 && rows[low - 1].host == host; low--) {
    if ((rows[low - 1].state & 3) == HC_STATE_ON) return true;
    if (rows[low - 1].at < at) return false;
  }
  return true;
}

static bool goes_away(const hc_verify_hosts *h, const turn *x)
{
  size_t low = 0, high = h->change_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (h->changes[middle].at < x->at) low = middle + 1;
    else high = middle;
  }
  for (; low < h->change_count && h->changes[low].at == x->at; low++)
    if (h->changes[low].host == x->host && h->changes[low].change == HC_HOST_DOWN) return true;
  return false;
}

static hc_rc check_turns(hc_check *c, const turn *rows, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const turn *x = &rows[i];
    const int64_t before = i > 0 && x->host == rows[i - 1].host ? rows[i - 1].state : HC_STATE_ON;
    if (x->host < 0 || (uint64_t)x->host >= c->options->hosts->host_count || !may_follow(before, x->state))
      TRY(hc_find_on(c, HC_FOUND_OTHER_STATE, x->at, UINT32_MAX, (uint32_t)x->host, 0, x->state, before));
    if (x->state == HC_STATE_STOPPING && !goes_away(c->options->hosts, x))
      TRY(hc_find_on(c, HC_FOUND_SWITCHED_THERE, x->at, UINT32_MAX, (uint32_t)x->host, 0, 0, 0));
  }
  hc_held_to(c, HC_RULE_POWER, n);
  return 0;
}

hc_rc hc_check_power(hc_check *c)
{
  const hc_verify_told *told = c->options->told;
  const hc_verify_hosts *h = c->options->hosts;
  turn *rows;
  hc_rc rc;
  if (!told || !h || told->power_count == 0) return 0;
  rows = hc_alloc(c->allocator, told->power_count * sizeof *rows);
  if (!rows) return HC_ENOMEM;
  for (size_t i = 0; i < told->power_count; i++)
    rows[i] = (turn){told->power[i].host, told->power[i].state, told->power[i].at, i};
  sort_turns(rows, told->power_count);
  rc = check_turns(c, rows, told->power_count);
  for (size_t i = 0; rc >= 0 && i < h->change_count; i++) {
    const hc_verify_change *k = &h->changes[i];
    int64_t state;
    if (k->change == HC_HOST_UP && !is_on(rows, told->power_count, k->host, k->at, &state))
      rc = hc_find_on(c, HC_FOUND_BACK_EARLY, k->at, UINT32_MAX, k->host, 0, state, 0);
  }
  hc_free(c->allocator, rows, told->power_count * sizeof *rows);
  return rc;
}
