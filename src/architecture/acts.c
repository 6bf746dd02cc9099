/* acts.c -- see acts.h. A policy is known by its parts and its flags; what its options say beyond them is not
 * looked at. */
#include "architecture/acts.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

typedef struct asked {
  const hc_policy_type *type;
  uint32_t flags;
  const hc_component *order, *place; /* NULL: it has no such part */
  bool by_submission;
} asked;

static asked look(const hc_chosen *policy, const hc_allocator *files)
{
  asked a = {.type = (const hc_policy_type *)policy->type};
  hc_policy_parts parts = {0};
  a.flags = hc_policy_flags(a.type, policy->options, files);
  if (a.type->parts) a.type->parts(policy->options, &parts);
  if (parts.place) a.place = parts.place->type;
  if (!parts.order || !parts.order->type) return a;
  const hc_order_type *order = (const hc_order_type *)parts.order->type;
  a.order = &order->component;
  a.by_submission = order->flags && (order->flags(parts.order->options) & HC_BY_SUBMISSION);
  return a;
}

/* What acts between jobs does not act where a policy is not shown several. */
static bool of_jobs(const asked *a, hc_reach reach, char *why, size_t size)
{
  const char *name = a->type->component.name;
  const bool takes_jobs = reach == HC_REACH_JOB || reach == HC_REACH_NEXT;
  const char *but =
      takes_jobs ? "a decision is about one job here" : "no policy is asked which task is next here";
  const char *pass = reach == HC_REACH_JOB ? "`decision: pass` where the architecture knows it, " : "";
  if (a->flags & HC_SHARES)
    (void)snprintf(
        why, size,
        "the policy %s cannot act: it shares what there is between all that wait, and %s; use %sthe policy "
        "fcfs, or the architecture heartbeat or monolithic",
        name, but, pass);
  else if (a->flags & HC_MAY_PREEMPT)
    (void)snprintf(
        why, size,
        "the policy %s cannot act: it stops tasks of one job for those of another, and %s; use %sthe policy "
        "fcfs, or the architecture monolithic",
        name, but, pass);
  else if (a->flags & HC_SETS_RATES)
    (void)snprintf(
        why, size,
        "the policy %s cannot act: it lets several jobs take turns, and %s; use the policy fcfs, or the "
        "architecture monolithic",
        name, but);
  else if (a->order && !a->by_submission && !takes_jobs)
    (void)snprintf(
        why, size,
        "the order %s cannot act: it sorts all that wait, and %s; use the order fcfs, or the architecture "
        "monolithic or heartbeat",
        a->order->name, but);
  else if (a->flags & HC_MAKES_RESERVATIONS)
    (void)snprintf(
        why, size,
        "a selector that makes reservations cannot act: it plans between jobs, and %s; use %sthe selector "
        "blocking%s, or the architecture monolithic",
        but, pass, reach == HC_REACH_JOB ? " or scan" : "");
  else return false;
  return true;
}

/* Blocking: what happens where no policy is asked. */
static bool of_asking(const asked *a, hc_reach reach, char *why, size_t size)
{
  if ((a->by_submission || reach == HC_REACH_NEXT) && (a->flags & HC_HEAD_ONLY)) return false;
  (void)snprintf(why, size,
                 "the %s %s cannot act: no policy is asked which task is next here; use the policy fcfs, or "
                 "the architecture monolithic or heartbeat",
                 a->order ? "selector of the policy" : "policy", a->type->component.name);
  return true;
}

bool hc_acts_not(hc_reach reach, const hc_chosen *policy, const hc_allocator *files, char *why, size_t size)
{
  const asked a = look(policy, files);
  if (reach == HC_REACH_QUEUE) return false;
  if (of_jobs(&a, reach, why, size)) return true;
  if (reach == HC_REACH_JOB) return false;
  if (of_asking(&a, reach, why, size)) return true;
  if (reach == HC_REACH_PLACE || !a.place || strcmp(a.place->name, "first_fit") == 0) return false;
  (void)snprintf(
      why, size,
      "the placement %s cannot act: hosts are chosen by the architecture itself; leave the policy's `place` "
      "out, or use another architecture, such as shared_state",
      a.place->name);
  return true;
}
