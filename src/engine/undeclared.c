/* undeclared.c -- a component that asks what it did not declare is stopped, and told which flag it lacks.
 *
 * Much of what a policy may ask is kept only for runs whose policy declares that it asks it: expected ends,
 * reservations, the jobs of tasks. Without the flag the true answer is not there, and a made-up one (no
 * earliest start, job -1) reads like one: the run goes on, and its schedule is another policy's. So each
 * policy is born with a table of services of its own, in which functions that end the run stand for what its
 * flags do not cover. A service that was declared costs what it did.
 *
 * We look at what is called, not at what is done with it: a flag that promises something of decisions
 * (HC_HEAD_ONLY, HC_TIME_DEPENDENT) cannot be seen in a call, and one that is declared and never used costs
 * time, not truth. */
#include "engine/undeclared.h"
#include "base/util.h"
#include "engine/outside.h"
#include "engine/queues.h"
#include "engine/services.h"
#include "engine/state.h"

/* ---- the message ---- */

const hc_component *hc_who_asks(const hc_chosen *policy)
{
  for (const hc_param *p = policy->type->params; p && p->name; p++) {
    const hc_chosen *part = (const hc_chosen *)(const void *)((const char *)policy->options + p->offset);
    if (p->type == HC_COMPONENT && !p->list && p->kind == HC_KIND_SELECT && part->type) return part->type;
  }
  return policy->type;
}

static void stop(hc_engine *e, const char *kind, const char *name, const char *service, const char *rule)
{
  (void)hc_fail(e->error, HC_EPOLICY, name, 0, 0, "the %s %s asks `%s`, %s", kind, name, service, rule);
  hc_engine_note(e, HC_EPOLICY);
}

static void stop_policy(const hc_view *v, const char *service, const char *rule)
{
  const hc_component *c = hc_who_asks(&v->engine->queues[v->queue].policy);
  stop(v->engine, c->kind == HC_KIND_SELECT ? "selector" : "policy", c->name, service, rule);
}

#define LACKS(flag) "and its `flags` do not declare " flag

/* ---- in place of services ---- */

static hc_time no_estimate(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(v, "estimate", "and its `flags` declare HC_IGNORES_TIME");
  return HC_NEVER;
}

static hc_time no_expected_end(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(v, "expected_end", LACKS("HC_NEEDS_TIMELINE"));
  return HC_NEVER;
}

static hc_slot no_earliest(const hc_view *v, hc_task t, hc_time from)
{
  HC_UNUSED(t);
  HC_UNUSED(from);
  stop_policy(v, "earliest", LACKS("HC_NEEDS_TIMELINE"));
  return (hc_slot){HC_NEVER, 0};
}

static hc_slot no_earliest_as(const hc_view *v, hc_task t, int64_t size, hc_time from)
{
  HC_UNUSED(size);
  return no_earliest(v, t, from);
}

static int64_t no_least_free(const hc_view *v, hc_time from, hc_time to)
{
  HC_UNUSED(from);
  HC_UNUSED(to);
  stop_policy(v, "least_free", LACKS("HC_NEEDS_TIMELINE"));
  return 0;
}

static bool no_harmless(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(v, "harmless", LACKS("HC_ASKS_HARMLESS"));
  return false;
}

static bool no_harmless_for(const hc_view *v, hc_task t, hc_time longer)
{
  HC_UNUSED(longer);
  return no_harmless(v, t);
}

static size_t no_offers(const hc_view *v, hc_task t, hc_mold_offer *out, size_t cap, size_t *asked,
                        size_t *preferred)
{
  HC_UNUSED(t);
  HC_UNUSED(out);
  HC_UNUSED(cap);
  HC_UNUSED(asked);
  HC_UNUSED(preferred);
  stop_policy(v, "offers", LACKS("HC_MOLDS"));
  return 0;
}

static hc_rc no_reserve(hc_plan *p, hc_task t, hc_time at)
{
  HC_UNUSED(t);
  HC_UNUSED(at);
  stop_policy(&p->engine->view, "reserve", LACKS("HC_MAKES_RESERVATIONS"));
  return HC_EPOLICY;
}

static hc_rc no_reserve_hosts(hc_plan *p, hc_task t, hc_time at)
{
  HC_UNUSED(t);
  HC_UNUSED(at);
  stop_policy(&p->engine->view, "reserve_hosts", LACKS("HC_MAKES_RESERVATIONS"));
  return HC_EPOLICY;
}

static hc_rc no_preempt(hc_plan *p, hc_task t, hc_stop how)
{
  HC_UNUSED(t);
  HC_UNUSED(how);
  stop_policy(&p->engine->view, "preempt", LACKS("HC_MAY_PREEMPT"));
  return HC_EPOLICY;
}

static hc_rc no_stop(hc_plan *p, hc_task t, const hc_stopping *how)
{
  HC_UNUSED(t);
  HC_UNUSED(how);
  stop_policy(&p->engine->view, "stop", LACKS("HC_MAY_PREEMPT"));
  return HC_EPOLICY;
}

static hc_rc no_resize(hc_plan *p, hc_task t, int64_t size, const hc_range *hosts, size_t count)
{
  HC_UNUSED(t);
  HC_UNUSED(size);
  HC_UNUSED(hosts);
  HC_UNUSED(count);
  stop_policy(&p->engine->view, "resize", LACKS("HC_MAY_RESIZE"));
  return HC_EPOLICY;
}

static hc_rc no_resize_pausing(hc_plan *p, hc_task t, int64_t size, const hc_range *hosts, size_t count,
                               hc_time pause)
{
  HC_UNUSED(pause);
  return no_resize(p, t, size, hosts, count);
}

static hc_rc no_pstate(hc_plan *p, uint32_t host, uint32_t state)
{
  HC_UNUSED(host);
  HC_UNUSED(state);
  stop_policy(&p->engine->view, "pstate", LACKS("HC_SETS_PSTATES"));
  return HC_EPOLICY;
}

static hc_rc no_power(hc_plan *p, uint32_t host, bool on, hc_time takes)
{
  HC_UNUSED(host);
  HC_UNUSED(on);
  HC_UNUSED(takes);
  stop_policy(&p->engine->view, "power", LACKS("HC_MAY_POWER"));
  return HC_EPOLICY;
}

static hc_rc no_start_limited(hc_plan *p, hc_task t, const hc_host_room *dealt, size_t count, hc_time limit)
{
  HC_UNUSED(t);
  HC_UNUSED(dealt);
  HC_UNUSED(count);
  HC_UNUSED(limit);
  stop_policy(&p->engine->view, "start_limited", LACKS("HC_CUTS_LIMITS"));
  return HC_EPOLICY;
}

static hc_rc no_start_paced(hc_plan *p, hc_task t, const hc_range *hosts, size_t count, double pace)
{
  HC_UNUSED(t);
  HC_UNUSED(hosts);
  HC_UNUSED(count);
  HC_UNUSED(pace);
  stop_policy(&p->engine->view, "start_paced", LACKS("HC_PACES"));
  return HC_EPOLICY;
}

static hc_rc no_set_rate(hc_plan *p, hc_task t, int64_t rate)
{
  HC_UNUSED(t);
  HC_UNUSED(rate);
  stop_policy(&p->engine->view, "set_rate", LACKS("HC_SETS_RATES"));
  return HC_EPOLICY;
}

static hc_rc no_suspend(hc_plan *p, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(&p->engine->view, "suspend", LACKS("HC_SETS_RATES"));
  return HC_EPOLICY;
}

static hc_rc no_resume(hc_plan *p, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(&p->engine->view, "resume", LACKS("HC_SETS_RATES"));
  return HC_EPOLICY;
}

static int64_t no_job(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(v, "job", LACKS("HC_ASKS_JOBS"));
  return -1;
}

static int64_t no_group(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(v, "group", LACKS("HC_ASKS_JOBS"));
  return -1;
}

static int64_t no_queue(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  stop_policy(v, "queue", LACKS("HC_ASKS_JOBS"));
  return -1;
}

static const hc_workflow *no_workflow(hc_view *v)
{
  stop_policy(v, "workflow", LACKS("HC_PLANS_WORKFLOWS"));
  return NULL;
}

static hc_rc no_fetch(hc_plan *p, hc_task t, uint32_t host)
{
  HC_UNUSED(t);
  HC_UNUSED(host);
  stop_policy(&p->engine->view, "fetch", LACKS("HC_PLANS_WORKFLOWS"));
  return HC_EPOLICY;
}

/* The architecture's own questions. */
static int64_t stop_architecture(const hc_view *v, const char *service)
{
  stop(v->engine, "architecture", v->engine->architecture_type->component.name, service,
       "and its type does not say `asks_jobs`");
  return -1;
}

static int64_t architecture_job(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  return stop_architecture(v, "job");
}

static int64_t architecture_group(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  return stop_architecture(v, "group");
}

static int64_t architecture_queue(const hc_view *v, hc_task t)
{
  HC_UNUSED(t);
  return stop_architecture(v, "queue");
}

static hc_rc no_leave_point(hc_plan *p, hc_task t, const hc_range *hosts, size_t count)
{
  HC_UNUSED(t);
  HC_UNUSED(hosts);
  HC_UNUSED(count);
  stop_policy(&p->engine->view, "leave_point", LACKS("HC_MAY_RESIZE"));
  return HC_EPOLICY;
}

/* ---- tables ---- */

static hc_services services_for(uint32_t flags)
{
  hc_services s = hc_policy_services;
  if (flags & HC_IGNORES_TIME) s.estimate = no_estimate;
  if (!(flags & (HC_NEEDS_TIMELINE | HC_MAKES_RESERVATIONS | HC_ASKS_HARMLESS)))
    s.expected_end = no_expected_end;
  if (!(flags & HC_NEEDS_TIMELINE)) {
    s.earliest = no_earliest;
    s.earliest_as = no_earliest_as;
    s.least_free = no_least_free;
  }
  /* Whose reservations hold hosts may ask it, and is told whether the task fits beside them. */
  if (!(flags & (HC_ASKS_HARMLESS | HC_MAKES_RESERVATIONS))) {
    s.harmless = no_harmless;
    s.harmless_for = no_harmless_for;
  }
  if (!(flags & HC_MAKES_RESERVATIONS)) {
    s.reserve = no_reserve;
    s.reserve_hosts = no_reserve_hosts;
  }
  if (!(flags & HC_MAY_PREEMPT)) {
    s.preempt = no_preempt;
    s.stop = no_stop;
  }
  if (!(flags & HC_MOLDS)) s.offers = no_offers;
  if (!(flags & HC_MAY_RESIZE)) {
    s.resize = no_resize;
    s.resize_pausing = no_resize_pausing;
    s.leave_point = no_leave_point;
  }
  if (!(flags & HC_MAY_POWER)) s.power = no_power;
  if (!(flags & HC_SETS_PSTATES)) s.pstate = no_pstate;
  if (!(flags & HC_PACES)) s.start_paced = no_start_paced;
  if (!(flags & HC_CUTS_LIMITS)) s.start_limited = no_start_limited;
  if (!(flags & HC_SETS_RATES)) {
    s.set_rate = no_set_rate;
    s.suspend = no_suspend;
    s.resume = no_resume;
  }
  if (!(flags & HC_PLANS_WORKFLOWS)) {
    s.workflow = no_workflow;
    s.fetch = no_fetch;
  }
  if (!(flags & HC_ASKS_JOBS)) {
    s.job = no_job;
    s.group = no_group;
    s.queue = no_queue;
  }
  return s;
}

/* A context with services of its own, which live as long as the run. */
static hc_rc context_with(hc_engine *e, const hc_services *services, const hc_policy_context **out)
{
  hc_policy_context *c = hc_arena_alloc(&e->build, sizeof *c);
  hc_services *s = hc_arena_alloc(&e->build, sizeof *s);
  if (!c || !s) return HC_ENOMEM;
  *s = *services;
  *c = e->policy_context;
  c->services = s;
  *out = c;
  return 0;
}

hc_rc hc_policy_context_for(hc_engine *e, uint32_t queue, const char *name, const hc_chosen *policy,
                            const hc_policy_context **out)
{
  const hc_policy_type *type = (const hc_policy_type *)policy->type;
  const hc_services s = services_for(hc_policy_flags(type, policy->options, e->allocator));
  e->queues[queue].policy = *policy;
  e->queues[queue].scheduler = name;
  e->queues[queue].number = (uint32_t)e->outside.count;
  TRY(context_with(e, &s, out));
  return hc_outside_note(e, name, policy, *out);
}

hc_rc hc_architecture_context_for(hc_engine *e, bool asks_jobs, const hc_policy_context **out)
{
  hc_services s = hc_policy_services;
  *out = &e->policy_context;
  if (asks_jobs) return 0;
  s.job = architecture_job;
  s.group = architecture_group;
  s.queue = architecture_queue;
  return context_with(e, &s, out);
}
