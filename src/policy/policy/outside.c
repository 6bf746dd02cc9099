/* outside.c -- the policy that makes no plan: each comes from the program that carries the run on.
 *
 * It stands in a configuration where another policy would: with the order of the queue, the placement and the
 * eligibility, which are the run's and not the program's, and with what the program will ask (`asks`), since
 * what is kept to answer with depends on that. What it asks beyond is an error that names the flag. A run
 * that is carried on without such a program ends at its first decision, and says so. See
 * hc_run_wait_decision. */
#include "base/util.h"
#include "hindcast/policy.h"

/* Both in one order. */
#define ASKS \
  "needs_estimate|needs_timeline|may_preempt|makes_reservations|asks_harmless|ignores_time|asks_jobs|paces|" \
  "sets_rates|may_power|sets_pstates"
static const uint32_t declares[] = {HC_NEEDS_ESTIMATE,     HC_NEEDS_TIMELINE, HC_MAY_PREEMPT,
                                    HC_MAKES_RESERVATIONS, HC_ASKS_HARMLESS,  HC_IGNORES_TIME,
                                    HC_ASKS_JOBS,          HC_PACES,          HC_SETS_RATES,
                                    HC_MAY_POWER,          HC_SETS_PSTATES | HC_SETS_RATES | HC_MAY_POWER};

typedef struct options {
  hc_chosen order, place, eligibility;
  hc_list asks; /* int */
} options;

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_order_type *order = (const hc_order_type *)o->order.type;
  const int *asks = o->asks.items;
  uint32_t out = HC_DECIDED_OUTSIDE | (order->flags ? order->flags(o->order.options) : 0);
  for (size_t i = 0; i < o->asks.count; i++) out |= declares[asks[i]];
  return out;
}

static void parts(const void *opts, hc_policy_parts *out)
{
  const options *o = opts;
  out->order = &o->order;
  out->place = &o->place;
  out->eligibility = &o->eligibility;
}

/* The engine says before this what is missing. */
static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  HC_UNUSED(self);
  HC_UNUSED(v);
  HC_UNUSED(p);
  HC_UNUSED(why);
  return HC_EUSAGE;
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs", "Order in which the queue is shown."),
    HC_PARAM(COMPONENT, options, place, HC_KIND_PLACE, "first_fit",
             "Placement of a start for which the plan names no processors or hosts."),
    HC_PARAM(COMPONENT, options, eligibility, HC_KIND_ELIGIBILITY, "always", "Hosts that may be used now."),
    HC_PARAM(CHOICES, options, asks, ASKS, "[]",
             "What the program that makes plans asks and does, as flags that policies declare "
             "(hindcast/policy.h): needs_timeline for `earliest`, may_preempt for `stop`, and so on."),
    {0}};

const hc_policy_type hc_policy_outside = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "outside",
         .summary = "no policy: each plan comes from the program that carries the run on",
         .detail = "For programs that use the library, learning agents, and schedulers in other processes: "
                   "hc_run_wait_decision stops a run where a plan is wanted. The command hindcast has no "
                   "such program, and cannot carry out a run with this policy.",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .decide = decide,
};
