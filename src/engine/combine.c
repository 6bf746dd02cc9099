/* combine.c -- which parts of a run cannot be combined.
 *
 * All of it follows from what components declare (flags, reach, what an architecture offers and hears), so
 * that a run is refused with the reason before its first instant and not when something does not happen. What
 * only a model of the cell or of local load rules out stands where that is built. */
#include <string.h>

#include "architecture/acts.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/state.h"

hc_rc hc_combine_refuse(hc_error *error, const char *text)
{
  return hc_fail(error, HC_EUNSUPPORTED, "configuration", 0, 0, "%s", text);
}

/* What no component can mean. */
static hc_rc check_flags(uint32_t flags, hc_error *error)
{
  const uint32_t plans = HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS | HC_PLANS_AHEAD;
  if ((flags & HC_IGNORES_TIME) && (flags & plans))
    return hc_combine_refuse(
        error, "the policy declares HC_IGNORES_TIME together with a flag of one that plans "
               "(HC_NEEDS_TIMELINE, HC_MAKES_RESERVATIONS, HC_ASKS_HARMLESS, HC_PLANS_AHEAD): declare one or "
               "the other");
  return 0;
}

/* What cannot combine is refused here, from what the components declare, not discovered by failing. */
hc_rc hc_combine_check(hc_engine *e, uint32_t flags, hc_error *error)
{
  const hc_run_options *o = e->options;
  bool believes_truth = o->believe_waiting == HC_BELIEVE_RUN || o->believe_running == HC_BELIEVE_RUN;
  if (believes_truth && !o->oracle)
    return hc_combine_refuse(error,
                             "a policy may believe true run times only if the run says `oracle: true`");
  TRY(check_flags(flags, error));
  const hc_architecture_type *architecture = (const hc_architecture_type *)o->architecture.type;
  char why[256];
  if (hc_acts_not(hc_reach_with(architecture, o->architecture.options), &o->policy, e->allocator, why,
                  sizeof why))
    return hc_fail(error, HC_EUNSUPPORTED, "configuration", 0, 0, "under the architecture %s %s",
                   architecture->component.name, why);
  if (architecture->offers_hosts && !architecture->keeps_hosts && (flags & HC_MAKES_RESERVATIONS))
    return hc_combine_refuse(
        error, "a selector that reserves hosts cannot be used where only some hosts are offered at a time: "
               "use select blocking, scan or lottery, the policy fair, or the architecture monolithic");
  const bool is_shown_all = architecture->brings_news && (flags & HC_DECIDED_OUTSIDE);
  if (architecture->offers_hosts && (flags & HC_MAY_PREEMPT) && !is_shown_all &&
      !((const hc_policy_type *)o->policy.type)->next_preemption)
    return hc_combine_refuse(
        error, "a policy that stops running tasks wherever they are cannot be used where only some hosts are "
               "offered at a time: use the policy fair, whose `preempt` looks at one host, or the "
               "architecture monolithic");
  if ((flags & HC_PLANS_WORKFLOWS) && !architecture->lets_ahead)
    return hc_combine_refuse(
        error,
        "a policy that plans whole workflows has to be the only scheduler and to see all tasks: use the "
        "architecture monolithic");
  if ((flags & HC_GOES_BY_BOOKS) && !architecture->lets_ahead)
    return hc_combine_refuse(error, "a policy that goes by clocks and books of its own has to be the only "
                                    "scheduler and to see the whole cell: use the architecture monolithic");
  if (!architecture->offers_hosts && (flags & HC_NEEDS_SCOPE))
    return hc_combine_refuse(
        error, "a policy that compares the hosts it is offered needs an architecture that offers some: use "
               "the architecture heartbeat, or leave out the policy's `knob` and `accept`");
  const hc_policy_type *policy = (const hc_policy_type *)o->policy.type;
  if (!architecture->asks_thought && policy->thinks && policy->thinks(o->policy.options))
    return hc_fail(error, HC_EUNSUPPORTED, "configuration", 0, 0,
                   "the policy %s says itself how long its decisions take, and the architecture %s has times "
                   "of its own: use the architecture monolithic, or let the policy say no time",
                   policy->component.name, architecture->component.name);
  if ((flags & HC_DECIDED_OUTSIDE) && !architecture->go_on)
    return hc_combine_refuse(
        error,
        "plans cannot come from outside under an architecture that asks no policy, or asks in the midst of "
        "an event: use the architecture monolithic, two_pass, multi_path, shared_state, partitions or "
        "federation");
  if (architecture->hears_hosts && o->due_ends_first)
    return hc_combine_refuse(error,
                             "this architecture hears where tasks end, which due_ends_first does not say");
  if (e->contiguous && (flags & HC_MAKES_RESERVATIONS) && (flags & HC_NEEDS_TIMELINE) &&
      !(flags & HC_ASKS_HARMLESS))
    return hc_combine_refuse(
        error, "a contiguous placement and a selector that plans by counting processors cannot be "
               "combined: use select blocking, scan or easy, or another placement");
  return 0;
}

/* What such a policy does not know of would refuse its starts over and over, on the same hosts. */
static hc_rc check_books(const hc_engine *e, hc_error *error)
{
  const char *what = e->options->local_load.count > 0 ? "local load: leave out `local_load`"
                     : e->admits_up_to > 0            ? "what tasks use: leave out `admission: use`"
                                                      : NULL;
  if (!what) return 0;
  return hc_fail(
      error, HC_EUNSUPPORTED, "configuration", 0, 0,
      "the policy %s picks hosts from books of its own, which know nothing of %s, or use the policy batch",
      e->options->policy.type->name, what);
}

/* The same for what only the cell decides: after it is known. */
hc_rc hc_combine_check_hosts(const hc_engine *e, hc_error *error)
{
  if (!e->cell.hosts) return 0;
  if (e->policy_flags & HC_GOES_BY_BOOKS) TRY(check_books(e, error));
  if (e->place && !e->place->chooser)
    return hc_fail(
        error, HC_EUNSUPPORTED, "configuration", 0, 0,
        "the placement %s chooses processors; on a cell of hosts use another, such as first_fit, best_fit "
        "or dot_product",
        e->place->component.name);
  return 0;
}

/* A metric that is asked for a trimmed summary is counted from stored rows, which say from when to when a
 * task ran and not when it was suspended, or changed. */
hc_rc hc_combine_check_trim(const hc_engine *e, const char *what, hc_error *error)
{
  const hc_run_options *o = e->options;
  const hc_chosen *metrics = o->metrics.items;
  for (size_t i = 0; o->trim.type && i < o->metrics.count; i++) {
    const hc_metric_type *m = (const hc_metric_type *)metrics[i].type;
    if (m->intervals || m->changes)
      return hc_fail(
          error, HC_EUNSUPPORTED, "trim", 0, 0,
          "metric %s follows what is held over time, and a trimmed summary is counted from stored rows, "
          "which do not "
          "say %s; leave out the trim, or the metric",
          m->component.name, what);
  }
  return 0;
}
