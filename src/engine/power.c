/* power.c -- hosts that plans switch off and on, which takes time.
 *
 * A host that is switched off is away at once, as one that fails is, but idle hosts alone are switched off:
 * nothing is lost. For as long as it takes it is stopping, then it is off. A host that is switched on
 * starts, and is there when that is over; one that is still stopping starts when it has stopped. To all
 * that looks at hosts (the store, metrics, charts, `hindcast verify`) these are the times at which a host
 * goes away and returns. Events of hosts go on meanwhile (host_events.c): a host is there when no plan and
 * no source holds it down.
 *
 * A host that is on is in a state of power, which plans may change (pstates.c). What a host draws in
 * each state the metric energy counts (cluster/watts.h). Cost: O(log) a switch. */
#include "engine/power.h"

#include "base/state.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/event.h"
#include "engine/host_events.h"
#include "engine/news.h"
#include "engine/observe.h"
#include "engine/part.h"
#include "engine/reservations.h"
#include "engine/rows.h"
#include "engine/signals.h"

struct hc_powers {
  hc_power *hosts; /* [units] */
};

static hc_rc refuse_cell(hc_error *error)
{
  return hc_combine_refuse(error, "hosts are switched off and on one by one, and this cell has none: use "
                                  "`cell: {use: hosts, ...}`, or another policy");
}

hc_rc hc_power_check(const hc_engine *e, uint32_t flags, hc_error *error)
{
  const bool may_outlive = e->options->overrun == HC_OVERRUN_RUN_ON || e->options->predictor.type;
  if ((flags & HC_BOUNDS_DRAW) && (flags & HC_NEEDS_TIMELINE) && may_outlive)
    return hc_combine_refuse(error, "a budget is kept by when tasks are believed to end, and what runs past "
                                    "that draws more: set `overrun: kill` or extend, and leave out "
                                    "`predictor`");
  if (!(flags & HC_MAY_POWER)) return 0;
  if (!e->cell.hosts) return refuse_cell(error);
  const bool is_outside = (flags & HC_DECIDED_OUTSIDE) && e->architecture_type->brings_news;
  if (!e->architecture_type->lets_rates && !is_outside)
    return hc_combine_refuse(error,
                             "a policy that switches hosts has to be called at instants of its own, and be "
                             "shown all that runs: use the architecture monolithic");
  if ((flags & HC_MAKES_RESERVATIONS) && !(flags & HC_ASKS_HARMLESS))
    return hc_combine_refuse(error, "a selector that promises hosts ahead cannot know which will be "
                                    "switched off then: use select blocking, scan or easy");
  if (e->advance)
    return hc_combine_refuse(error,
                             "hosts that are reserved for some users, or leave as announced, are not the "
                             "policy's to switch: leave out `reservations` and `announced`, or use "
                             "another policy");
  return 0;
}

hc_rc hc_power_open(hc_engine *e)
{
  if (!(e->policy_flags & HC_MAY_POWER) || !e->cell.hosts) return 0;
  e->powers = hc_alloc(e->allocator, sizeof *e->powers);
  if (!e->powers) return HC_ENOMEM;
  e->powers->hosts = hc_alloc(e->allocator, e->cell_spec.units * sizeof *e->powers->hosts);
  return e->powers->hosts ? 0 : HC_ENOMEM;
}

hc_power *hc_power_of(hc_engine *e, uint32_t host)
{
  return &e->powers->hosts[host];
}

hc_power_state hc_view_powered(const hc_view *v, uint32_t host)
{
  const hc_engine *e = v->engine;
  if (!e->powers || host >= e->cell_spec.units) return HC_POWER_ON;
  return (hc_power_state)e->powers->hosts[host].state;
}

/* ---- on a view ---- */

/* Nothing is on it, no source holds it down, and no task is promised it. */
bool hc_power_may_stop(hc_engine *e, uint32_t host)
{
  if (!e->powers || host >= e->cell_spec.units || hc_power_of(e, host)->state != HC_POWER_ON) return false;
  if (e->reserve->window && e->reserve->window[host] != HC_NEVER) return false;
  return hc_hosts_is_idle(e->cell.hosts, host);
}

hc_rc hc_power_apply(hc_engine *e, uint32_t host, hc_host_change change)
{
  const hc_host_event event = {.at = e->now, .host = host, .change = change};
  e->choice.version = 0; /* what was chosen last is no more */
  TRY(hc_cell_change(&e->cell, &event));
  return hc_reserve_host_changed(e->reserve, &event, false);
}

/* ---- what happened ---- */

static hc_rc tell(hc_engine *e, uint32_t host, hc_host_change change, hc_error *error)
{
  const hc_host_event event = {.at = e->now, .host = host, .change = change};
  hc_notice n = {.kind = HC_ON_HOST, .event = &event, .error = error, .worse = change != HC_HOST_UP};
  TRY(hc_notify(e, &n));
  n.kind = HC_ON_HOST_DONE;
  return hc_notify(e, &n);
}

/* Hosts go away and return by `host_changes`; which of that time they stop, are off and start is told apart.
 * */
hc_rc hc_power_tell(hc_engine *e, uint32_t host, uint32_t code, hc_error *error)
{
  const int64_t row[3] = {e->now, host, code};
  TRY(hc_observe_power(e, host, code));
  return hc_keeps_rows(e) ? hc_store_numbers(e->store, "power", 3, row, error) : 0;
}

hc_rc hc_power_happened(hc_engine *e, uint32_t host, bool on, hc_error *error)
{
  const hc_event done = hc_event_at(HC_EVENT_power, hc_power_of(e, host)->until, host, host);
  uint32_t changes[2];
  e->counters.switched_on += on;
  if (!on) {
    e->counters.switched_off++;
    (void)hc_host_events_say(e, host, HC_HOST_DOWN, changes);
    TRY(tell(e, host, HC_HOST_DOWN, error));
  }
  TRY(hc_power_tell(e, host, on ? HC_POWER_STARTING : HC_POWER_STOPPING, error));
  if (hc_news_are_heard(e)) TRY(hc_news_note(e, &(hc_news){.kind = HC_NEWS_SWITCHES, .host = host}));
  return hc_queue_push(e->events, &done, NULL);
}

/* A scheduler outside is told by its architecture. */
static hc_rc is_over(hc_engine *e, uint32_t host, hc_error *error)
{
  const hc_signal changed = {.what = HC_WHY_CELL, .task = HC_NO_TASK, .switched = true};
  if (hc_news_are_heard(e)) TRY(hc_news_note(e, &(hc_news){.kind = HC_NEWS_SWITCHED, .host = host}));
  return hc_signal_send(e, &changed, error);
}

/* Should it have been switched again meanwhile, another event is due. */
static hc_rc deliver(hc_engine *e, uint32_t host, uint64_t order, hc_error *error)
{
  hc_power *p = hc_power_of(e, host);
  uint32_t changes[2];
  HC_UNUSED(order);
  if (p->until != e->now) return 0;
  if (p->state == HC_POWER_STOPPING) {
    p->state = HC_POWER_OFF;
    TRY(hc_power_tell(e, host, HC_POWER_OFF, error));
    return hc_news_are_heard(e) ? is_over(e, host, error) : 0;
  }
  if (p->state != HC_POWER_STARTING) return 0;
  p->state = HC_POWER_ON;
  TRY(hc_power_tell(e, host, (uint32_t)p->pstate, error));
  const size_t n = hc_host_events_say(e, host, HC_HOST_UP, changes);
  for (size_t i = 0; i < n; i++) {
    const hc_host_event event = {.at = e->now, .host = host, .change = changes[i]};
    TRY(hc_cell_change(&e->cell, &event));
    TRY(tell(e, host, (hc_host_change)changes[i], error));
  }
  return is_over(e, host, error);
}

const hc_event_type hc_event_power = {.name = "power", .deliver = deliver};

/* ---- state and death ---- */

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  if (!e->powers) return 0;
  TRY(hc_visit_bytes(v, e->powers->hosts, e->cell_spec.units * sizeof *e->powers->hosts));
  for (uint32_t i = 0; i < e->cell_spec.units; i++) {
    const hc_power *p = &e->powers->hosts[i];
    const bool is_known = p->state >= HC_POWER_ON && p->state <= HC_POWER_STARTING;
    const bool is_code = p->pstate >= 0 && p->pstate >> 2 <= HC_POWER_STATES;
    const bool has_pstate = is_code && (p->pstate & 3) == HC_POWER_ON;
    if (!is_known || !has_pstate) return HC_EINPUT;
  }
  return 0;
}

static void fini(hc_engine *e)
{
  if (!e->powers) return;
  hc_free(e->allocator, e->powers->hosts, e->cell_spec.units * sizeof *e->powers->hosts);
  hc_free(e->allocator, e->powers, sizeof *e->powers);
}

const hc_part hc_part_power = {.name = "power", .visit = visit, .fini = fini};
