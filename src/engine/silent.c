/* silent.c -- hosts that fail, and that is found later.
 *
 * From the failure on nothing on the host does anything, and nothing that decides knows: what runs there
 * goes on as far as plans can see, and past its expected end it is one more task that outlives its estimate;
 * the host is free, or as full, as it was, and what is started there does nothing from the first moment on.
 * When the failure is found its source says that the host is down, and its tasks are lost as with any host:
 * with the work that they had done, or saved, up to the failure. A task on several hosts stands as a whole
 * with the first of them that fails. Limits do not end such a task: what would is on the host. It may be
 * stopped by a plan, and then has done what it had by the failure.
 *
 * Refused: policies that set the rates of tasks or their sizes, which count on work that is done, and models
 * that carry out what tasks do. Cost: a walk over the live tasks at a failure, over its grants at a start. */
#include "base/util.h"
#include "engine/combine.h"
#include "engine/explain.h"
#include "engine/host_events_state.h"
#include "engine/part.h"
#include "engine/rates.h"
#include "engine/rows.h"

hc_rc hc_silent_open(hc_engine *e, hc_error *error)
{
  hc_host_events *d = e->host_events;
  if (e->policy_flags & (HC_SETS_RATES | HC_MAY_RESIZE | HC_PACES))
    return hc_combine_refuse(
        error,
        "a policy that suspends or resizes tasks, or sets their rates, counts on what they do, and on a host "
        "that has failed silently they do nothing: leave out `silent`, or use another policy");
  if (e->options->execution.type)
    return hc_combine_refuse(error, "on a host that fails silently tasks stand still, and what `execution` "
                                    "carries out goes on: leave out `silent` of the events, or `execution`");
  if (d->dead) return 0;
  d->dead = hc_alloc(e->allocator, e->cell_spec.units);
  return d->dead ? 0 : HC_ENOMEM;
}

/* It does nothing from now on. */
static hc_rc stand(hc_engine *e, hc_task id)
{
  hc_attempt *a = hc_attempt_need(e, id);
  if (!a) return HC_ENOMEM;
  if (a->stands != HC_NEVER) return 0;
  a->stands = e->now;
  return hc_rates_expect_end(e, id);
}

/* It is there, and does nothing from now on. */
static hc_rc store(hc_engine *e, uint32_t host, hc_error *error)
{
  const int64_t row[2] = {e->now, host};
  if (!hc_keeps_rows(e) || !hc_hosts_is_up(e->cell.hosts, host)) return 0;
  return hc_store_numbers(e->store, "silent_failures", 2, row, error);
}

hc_rc hc_silent_event(hc_engine *e, const hc_host_event *event, hc_error *error)
{
  const bool fails = event->change == HC_HOST_FAIL;
  e->host_events->dead[event->host] = fails;
  if (!fails) return 0;
  for (hc_task t = 0; t < e->tasks.count; t++)
    if (hc_host_events_is_on(e, hc_live_of(e, t), event->host)) TRY(stand(e, t));
  return store(e, event->host, error);
}

/* ---- the part ---- */

/* One that failed while it was away, or that was away meanwhile, returns as what it is. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_HOST_DONE)
    return n->event->change == HC_HOST_UP && e->host_events->dead[n->event->host]
               ? store(e, n->event->host, n->error)
               : 0;
  for (size_t i = 0; i < n->count; i++)
    if (e->host_events->dead[n->grants[i].host]) return stand(e, n->task);
  return 0;
}

static bool wanted(const hc_engine *e)
{
  return e->host_events && e->host_events->dead;
}

const hc_part hc_part_silent = {
    .name = "silent", .wanted = wanted, .hears = HC_HEARS(STARTED) | HC_HEARS(HOST_DONE), .on = on};
