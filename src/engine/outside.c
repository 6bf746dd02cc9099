/* outside.c -- a run stops where a policy is called, and its caller makes the plan: another program, another
 * language, an agent that learns.
 *
 * A policy is called from within an architecture, and its view is of that call. So that a run which waits
 * can be saved, as any run can, it does not wait inside that call: the architecture is told that the run
 * stops, closes the view and returns; the caller gets a view of the same queue and hosts, opened anew; its
 * plan is kept as bytes, like one that is thought about; and when the run goes on, the architecture opens the
 * view for the third time and the plan is applied to it, action by action, to the cell on which it was made.
 * From there on it is a plan like any other: committed at once, or after a thought, and rechecked then.
 *
 *   NONE --a policy is called--> ASKED --hc_run_decide--> PLANNED --the run goes on--> NONE
 *                                      \-hc_run_decide_by_policy--> LEFT ---------------/
 *
 * What may be asked is what the run's policy declares, with the same errors. A policy that keeps books by
 * what it hears of its plans cannot be replaced for one decision, and is refused. Cost of a stop: two
 * openings of a view more than a policy's call, and the plan applied twice. */
#include "engine/outside.h"

#include <inttypes.h>
#include <string.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "engine/news.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/points.h"
#include "engine/services.h"
#include "engine/tasks.h"
#include "engine/undeclared.h"
#include "engine/views.h"

/* ---- the policies of a run ---- */

static const hc_policy_type *type_of(const hc_decider *d)
{
  return (const hc_policy_type *)d->policy.type;
}

hc_rc hc_outside_note(hc_engine *e, const char *name, const hc_chosen *policy,
                      const hc_policy_context *context)
{
  hc_outside *o = &e->outside;
  TRY(hc_reserve(e->allocator, (void **)&o->deciders, &o->cap, o->count + 1, sizeof *o->deciders));
  const hc_policy_type *t = (const hc_policy_type *)policy->type;
  const bool is_outside = t->flags && (t->flags(policy->options) & HC_DECIDED_OUTSIDE);
  o->deciders[o->count++] =
      (hc_decider){.name = name, .policy = *policy, .context = context, .is_outside = is_outside};
  return 0;
}

hc_rc hc_outside_check(const hc_engine *e, hc_error *error)
{
  const hc_architecture_type *a = e->architecture_type;
  if (!a->go_on)
    return hc_fail(
        error, HC_EUNSUPPORTED, "architecture", 0, 0,
        "under the architecture %s no plan can come from outside, since it asks no policy or asks in "
        "the midst of an event: use monolithic, messages, two_pass, multi_path, shared_state, partitions "
        "or federation",
        a->component.name);
  for (size_t i = 0; i < e->outside.count; i++)
    if (hc_policy_follows(type_of(&e->outside.deciders[i]), e->outside.deciders[i].policy.options))
      return hc_fail(
          error, HC_EUNSUPPORTED, "policy", 0, 0,
          "the policy %s keeps books by its own plans, and no plan can come from outside in its place: "
          "use the policy outside, or batch",
          type_of(&e->outside.deciders[i])->component.name);
  return 0;
}

hc_rc hc_outside_may_save(const hc_engine *e, hc_error *error)
{
  for (size_t i = 0; i < e->outside.count; i++) {
    const hc_decider *d = &e->outside.deciders[i];
    if (type_of(d)->may_save) TRY(type_of(d)->may_save(d->policy.options, error));
  }
  return 0;
}

/* ---- a policy is called ---- */

static hc_rc stop_here(hc_engine *e, uint32_t scheduler, const hc_view *v, const hc_why *why)
{
  hc_outside *o = &e->outside;
  TRY(hc_reserve(e->allocator, (void **)&o->scope, &o->scope_cap, v->scope_count, sizeof *o->scope));
  for (size_t i = 0; i < v->scope_count; i++) o->scope[i] = v->scope[i];
  o->scope_count = v->scope_count;
  o->is_limited = v->is_limited;
  o->last = v->last;
  o->queue = v->queue;
  o->scheduler = scheduler;
  o->why = *why;
  o->state = HC_OUTSIDE_ASKED;
  e->counters.decisions--; /* it is counted when it is made */
  return 1;
}

static void forget(hc_engine *e)
{
  hc_outside *o = &e->outside;
  hc_free(e->allocator, o->plan, o->plan_cap);
  o->plan = NULL;
  o->plan_size = o->plan_cap = 0;
}

static hc_rc take(hc_engine *e, hc_plan *p, hc_error *error)
{
  hc_rc rc = hc_plan_load(p, e->outside.plan, e->outside.plan_size);
  if (rc >= 0) rc = hc_plan_apply(e, p);
  forget(e);
  e->outside.state = HC_OUTSIDE_NONE;
  return rc < 0 ? hc_fail(error, rc, "engine", 0, 0, "the plan from outside: %s", hc_rc_text(rc)) : 0;
}

static hc_rc by_policy(const hc_decider *d, hc_policy *policy, hc_view *v, hc_plan *p, const hc_why *why,
                       hc_error *error)
{
  const hc_policy_type *t = type_of(d);
  hc_rc rc;
  if (d->is_outside)
    return hc_fail(error, HC_EUSAGE, "policy", 0, 0,
                   "the policy %s makes no plan: each has to come from the program that carries the run on "
                   "(hc_run_wait_decision); name another policy, such as easy, for a run without one",
                   t->component.name);
  rc = t->decide(policy, v, p, why);
  if (rc >= 0) return 0;
  const hc_component *c = hc_who_asks(&d->policy);
  return hc_fail(error, rc, c->name, 0, 0, "the %s failed and gave no reason: its `decide` returned %s (%s)",
                 c->kind == HC_KIND_SELECT ? "selector" : "policy", hc_rc_name(rc), hc_rc_text(rc));
}

hc_rc hc_outside_decide(hc_engine *e, uint32_t scheduler, hc_policy *policy, hc_view *v, hc_plan *p,
                        const hc_why *why, hc_error *error)
{
  hc_outside *o = &e->outside;
  hc_rc rc;
  HC_ASSERT(o->state == HC_OUTSIDE_NONE || o->scheduler == scheduler);
  if (o->state != HC_OUTSIDE_PLANNED) o->rest = HC_NEVER;
  if (o->state == HC_OUTSIDE_NONE && !(e->policy_flags & HC_MAY_RESIZE) &&
      hc_points_awaited(e, HC_NO_TASK) > 0)
    return 0; /* all that is free is kept for a running task */
  if (o->state == HC_OUTSIDE_NONE && o->is_wanted) {
    rc = stop_here(e, scheduler, v, why);
  } else if (o->state == HC_OUTSIDE_PLANNED) {
    rc = take(e, p, error);
  } else {
    o->state = HC_OUTSIDE_NONE;
    rc = by_policy(&o->deciders[scheduler], policy, v, p, why, error);
  }
  if (rc == 0) return 0;
  o->is_quiet = true;
  const hc_rc closed = hc_view_close(e, v, false);
  o->is_quiet = false;
  return rc > 0 && closed < 0 ? closed : rc;
}

/* ---- the caller ---- */

static hc_rc open_again(hc_engine *e)
{
  hc_outside *o = &e->outside;
  hc_view *v;
  hc_plan *p;
  TRY(hc_view_open(e, o->queue, o->scope_count > 0 ? o->scope : NULL, o->scope_count, &v, &p));
  e->counters.decisions--;
  v->is_limited = o->is_limited;
  v->last = o->last;
  o->is_open = true;
  if (o->plan) {
    TRY(hc_plan_load(p, o->plan, o->plan_size));
    TRY(hc_plan_apply(e, p));
  }
  return 0;
}

hc_rc hc_outside_show(hc_engine *e, hc_decision *out, hc_error *error)
{
  hc_outside *o = &e->outside;
  const hc_decider *d = &o->deciders[o->scheduler];
  if (!o->is_open) {
    const hc_rc rc = open_again(e);
    hc_engine_note(e, rc);
    if (rc < 0) return hc_fail(error, rc, "engine", 0, 0, "%s", hc_rc_text(rc));
    o->error = (hc_error){0};
  }
  e->error = &o->error; /* what the caller asks wrongly is said when the plan is handed in */
  *out = (hc_decision){.view = &e->view,
                       .plan = &e->plan,
                       .why = o->why,
                       .scheduler = o->scheduler,
                       .name = d->name,
                       .policy = &d->policy,
                       .context = d->context,
                       .services = d->context->services,
                       .news = o->news,
                       .news_count = o->news_count};
  return 0;
}

hc_rc hc_outside_park(hc_engine *e, bool *was)
{
  hc_outside *o = &e->outside;
  hc_rc rc;
  *was = o->is_open;
  if (!o->is_open) return 0;
  forget(e);
  TRY(hc_plan_save(&e->plan, &o->plan, &o->plan_size));
  o->plan_cap = o->plan_size;
  o->is_quiet = true;
  rc = hc_view_close(e, &e->view, false);
  o->is_quiet = false;
  o->is_open = false;
  hc_plan_clear(&e->plan);
  return rc;
}

hc_rc hc_outside_resume(hc_engine *e, bool was)
{
  return was ? open_again(e) : 0;
}

/* The caller has done what it could: from now on the run goes on by `state`. */
static hc_rc hand_in(hc_run *r, hc_outside_state state, hc_time rest, hc_error *error)
{
  hc_engine *e = &r->engine;
  hc_outside *o = &e->outside;
  bool was;
  hc_rc rc;
  if (o->state != HC_OUTSIDE_ASKED)
    return hc_fail(error, HC_EUSAGE, "engine", 0, 0,
                   "the run waits for no plan: hc_run_wait_decision says when it does");
  if (state == HC_OUTSIDE_LEFT && o->deciders[o->scheduler].is_outside)
    return hc_fail(error, HC_EUSAGE, "engine", 0, 0, "the policy %s makes no plan of its own: hand one in",
                   type_of(&o->deciders[o->scheduler])->component.name);
  rc = hc_outside_park(e, &was);
  hc_engine_note(e, rc);
  if (e->failed < 0) { /* what was asked wrongly, or no memory */
    if (error && error->rc == 0 && o->error.rc < 0) *error = o->error;
    return hc_fail(error, e->failed, "engine", 0, 0, "%s", hc_rc_text(e->failed));
  }
  if (state == HC_OUTSIDE_LEFT) forget(e);
  if (state == HC_OUTSIDE_PLANNED && !o->plan) { /* saved before it was looked at: an empty plan */
    hc_plan_clear(&e->plan);
    TRY(hc_plan_save(&e->plan, &o->plan, &o->plan_size));
    o->plan_cap = o->plan_size;
  }
  o->state = state;
  o->rest = rest;
  o->news_count = 0;
  return 0;
}

hc_rc hc_run_decide(hc_run *r, hc_error *error)
{
  return hand_in(r, HC_OUTSIDE_PLANNED, HC_NEVER, error);
}

hc_rc hc_run_decide_more(hc_run *r, hc_time at, hc_error *error)
{
  const hc_engine *e = &r->engine;
  if (!e->architecture_type || !e->architecture_type->brings_news)
    return hc_fail(error, HC_EUNSUPPORTED, "architecture", 0, 0,
                   "a plan that comes in parts needs the architecture messages");
  return hand_in(r, HC_OUTSIDE_PLANNED, HC_MIN(HC_MAX(at, e->now), HC_NEVER - 1), error);
}

hc_rc hc_run_decide_by_policy(hc_run *r, hc_error *error)
{
  return hand_in(r, HC_OUTSIDE_LEFT, HC_NEVER, error);
}

hc_rc hc_run_why_not(hc_run *r, hc_task id, hc_error *error)
{
  hc_engine *e = &r->engine;
  const hc_services *s = &hc_policy_services;
  const hc_view *v = &e->view;
  if (!e->outside.is_open) return hc_fail(error, HC_EUSAGE, "engine", 0, 0, "the run waits for no plan");
  if (id >= e->tasks.count || !s->waits(v, id))
    return hc_fail(error, HC_EPOLICY, "plan", 0, 0, "task %" PRIu32 " is not one that waits", id);
  if (hc_live_of(e, id)->deferred)
    return hc_fail(error, HC_EPOLICY, "plan", 0, 0, "task #%" PRIu64 " may not start yet", s->serial(v, id));
  if (s->units(v, id) > s->free_units(v) && !e->cell.hosts)
    return hc_fail(error, HC_EPOLICY, "plan", 0, 0,
                   "task #%" PRIu64 " asks for %" PRId64 " processors, and %" PRId64 " are free",
                   s->serial(v, id), s->units(v, id), s->free_units(v));
  if (!s->fits(v, id))
    return hc_fail(error, HC_EPOLICY, "plan", 0, 0,
                   "task #%" PRIu64 " fits nowhere now: the placement finds no room for what it asks on the "
                   "hosts that may be used",
                   s->serial(v, id));
  return 0;
}

/* ---- news ---- */

/* What leaves without a start the scheduler has turned away itself. */
static hc_rc on(hc_engine *e, const hc_notice *n)
{
  const hc_live *t = hc_live_of(e, n->task);
  if (t->start == HC_UNKNOWN) return 0;
  return hc_news_note(e,
                              &(hc_news){.kind = HC_NEWS_ENDED,
                                         .final = n->completed ? HC_FINAL_COMPLETED : HC_FINAL_KILLED,
                                         .serial = t->serial,
                                         .id = e->tasks.identities[n->task].id,
                                         .start = t->start,
                                         .end = e->now,
                                         .flags = (int64_t)t->flags,
                                         .task = n->task});
}

/* ---- state ---- */

/* Nothing of it is in a run whose policy decides itself. */
static hc_rc visit_news(hc_engine *e, hc_visitor *v)
{
  hc_outside *o = &e->outside;
  if (!hc_news_is_outside(e)) return 0;
  HC_VISIT_ARRAY(v, o->news, o->news_count, o->news_cap);
  HC_VISIT_ARRAY(v, o->happened, o->happened_count, o->happened_cap);
  return 0;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_outside *o = &e->outside;
  TRY(visit_news(e, v));
  if (v->mode == HC_VISIT_HASH && o->state == HC_OUTSIDE_NONE) return 0;
  HC_VISIT(v, o->state);
  if (o->state == HC_OUTSIDE_NONE) return 0;
  HC_VISIT(v, o->rest);
  HC_VISIT(v, o->scheduler);
  HC_VISIT(v, o->queue);
  HC_VISIT(v, o->in_events);
  HC_VISIT(v, o->rounds);
  HC_VISIT(v, o->why.bits);
  HC_VISIT(v, o->why.host);
  HC_VISIT(v, o->why.task);
  HC_VISIT(v, o->why.early_end);
  HC_VISIT(v, o->is_limited);
  HC_VISIT(v, o->last.key);
  HC_VISIT(v, o->last.serial);
  HC_VISIT(v, o->last.inside);
  HC_VISIT_ARRAY(v, o->scope, o->scope_count, o->scope_cap);
  TRY(hc_visit_array(v, &o->plan, &o->plan_size, &o->plan_cap, 1));
  return hc_visit_loading(v) && o->scheduler >= o->count ? HC_EINPUT : 0;
}

static void fini(hc_engine *e)
{
  hc_outside *o = &e->outside;
  forget(e);
  hc_free(e->allocator, o->news, o->news_cap * sizeof *o->news);
  hc_free(e->allocator, o->happened, o->happened_cap * sizeof *o->happened);
  hc_free(e->allocator, o->scope, o->scope_cap * sizeof *o->scope);
  hc_free(e->allocator, o->deciders, o->cap * sizeof *o->deciders);
}

const hc_part hc_part_outside = {.name = "outside",
                                 .wanted = hc_news_are_heard,
                                 .hears = HC_HEARS(GONE),
                                 .on = on,
                                 .visit = visit,
                                 .fini = fini};
