/* model.c -- tasks whose lengths a model of execution knows (hc_model_type), in place of a fixed delay.
 *
 * The engine tells the model who begins, goes on at another rate, and is stopped, and asks when the first of
 * them ends: one event in the queue, made anew at the end of each round if the answer is another. When it is
 * due, the tasks that the model lets go end as tasks do, by serial, after all other ends of that time.
 *
 * What a task has done when it is stopped is asked of the model; what that saves and loses is computed as
 * ever (execution/work.c). Tasks that come to a scheduling point are points.c's. Expected ends stay those of
 * estimates, at the rates that plans set. Not with ends that are looked for before their time
 * (`due_ends_first`), with `end_order: start`, and with tasks whose demand changes by steps, of which the
 * model is not told.
 *
 * Profiles. A task whose source says what it does (hc_task_extras.profile) has no run until it has run: while
 * it waits and runs that is HC_NEVER, and when it ends what it has worked. What is believed of it is its
 * user's limit. How fast hosts are is the model's business, for such tasks and others: lengths are told at
 * speed 1, and estimates stay what they are on every host. Cost: what the model's answers cost, and O(log
 * events) for each that is another. */
#include "engine/model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/blame.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/checkpoints.h"
#include "engine/combine.h"
#include "engine/data.h"
#include "engine/demand.h"
#include "engine/event.h"
#include "engine/overcommit.h"
#include "engine/part.h"
#include "engine/tasks.h"
#include "engine/work.h"
#include "execution/book.h"

/* ---- a run gets its model ---- */

static hc_rc read_profile(const hc_book *b, hc_arena *a, const hc_value *tree, hc_chosen *out, hc_error *e)
{
  const hc_resolver r = {.registry = b->registry, .arena = a};
  return hc_resolve_component(&r, HC_KIND_PROFILE, tree, "profile", out, e);
}

hc_rc hc_model_choose(hc_engine *e, hc_error *error)
{
  const hc_model_type *type = (const hc_model_type *)e->options->execution.type;
  hc_book *b = hc_arena_alloc(&e->build, sizeof *b);
  if (!b) return HC_ENOMEM;
  b->registry = hc_config_registry(e->config);
  b->speed = type && type->cpu_speed ? type->cpu_speed(e->options->execution.options) : 1000;
  b->resolve = read_profile;
  e->laws = b;
  if (!type || !type->takes_profiles) return 0;
  if (e->options->oracle)
    return hc_combine_refuse(error, "how long a task runs by its profile is known when it has run: leave out "
                                    "`oracle: true`, or `execution`");
  if (e->options->overrun != HC_OVERRUN_KILL && e->options->overrun != HC_OVERRUN_RUN_ON)
    return hc_combine_refuse(error,
                             "plans cannot know how long a task runs by its profile: with `execution`, set "
                             "`overrun` to kill or run_on");
  e->book = b;
  return 0;
}

/* How fast each host is. */
static hc_rc describe(hc_engine *e, hc_model_context *c)
{
  const hc_cell_spec *spec = &e->cell_spec;
  double *speeds;
  uint32_t coreless = 0;
  *c = (hc_model_context){.allocator = e->allocator, .book = e->book, .storage_host = UINT32_MAX};
  if (!e->cell.hosts) return 0;
  speeds = hc_arena_alloc(&e->build, spec->units * sizeof *speeds);
  if (!speeds) return HC_ENOMEM;
  for (uint32_t h = 0; h < spec->units; h++) {
    const hc_host_class *class = &spec->classes[spec->class_of[h]];
    speeds[h] = class->speed;
    if (class->capacity[HC_DIM_CPU] == 0 && ++coreless == 1) c->storage_host = h;
  }
  if (coreless > 1) c->storage_host = UINT32_MAX;
  c->host_count = spec->units;
  c->speeds = speeds;
  c->host_names = spec->host_names;
  c->cell = spec;
  return 0;
}

/* What would change a task's work, or what it holds, behind the model's back. */
static hc_rc check_flags(const hc_engine *e, hc_error *error)
{
  if ((e->policy_flags & HC_MAY_RESIZE) && !((const hc_model_type *)e->options->execution.type)->go_on)
    return hc_combine_refuse(error,
                             "a policy that resizes running tasks cannot be used with a model of "
                             "execution, whose tasks keep their processes: leave out `execution`, or use "
                             "another policy");
  if (e->stretches && !e->has_speeds)
    return hc_combine_refuse(error,
                             "how long a task runs follows from what it does and where: with `execution`, "
                             "leave out what molds tasks or lets them run longer on some hosts "
                             "(`mold`, factors of locality)");
  if (e->options->trim.type && (e->policy_flags & HC_SETS_RATES))
    return hc_combine_check_trim(e, "when a task was suspended", error);
  return 0;
}

hc_rc hc_model_open(hc_engine *e, const hc_model_type *type, const void *options, hc_error *error)
{
  hc_model_context c;
  if (e->options->due_ends_first || e->options->end_order == HC_END_BY_START)
    return hc_combine_refuse(
        error, "a model of execution says which tasks end when their time has come, by serial: set "
               "`end_order: serial` and leave out `due_ends_first`");
  if (type->takes_profiles) TRY(check_flags(e, error));
  TRY(describe(e, &c));
  TRY(hc_overcommit_open(e, &c, error));
  e->model_event = HC_NO_EVENT;
  e->model_at = HC_NEVER;
  e->model_type = type;
  TRY(hc_blame(&type->component, type->init(&c, options, &e->model, error), error));
  return e->options->checkpoint.type ? hc_checkpoints_open(e, error) : 0;
}

/* ---- a task begins ---- */

const char *hc_model_profile(const hc_engine *e, hc_task id, size_t *size)
{
  const uint32_t more = e->book ? hc_cold_of(e, id)->more : 0;
  const hc_task_extras *m = more != 0 ? hc_lexicon_more(e->lexicon, more) : NULL;
  *size = m ? m->profile_size : 0;
  return *size > 0 ? m->profile : NULL;
}

/* Its processes: one a host, with all cores that it holds there. A host may be there more than once. */
static hc_rc processes_of(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_activity *a,
                          hc_activity_facts *facts)
{
  hc_process *all = hc_arena_alloc(&e->scratch, count * sizeof *all + 1);
  const bool takes_all = (hc_live_of(e, id)->bits & HC_LIVE_WHOLE) != 0;
  int64_t amounts[HC_DIMENSIONS];
  if (!all) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) {
    const hc_grant *last = i > 0 && !takes_all ? &grants[i - 1] : NULL; /* most have the same of each host */
    if (!last || grants[i].chunk != last->chunk || grants[i].slots != last->slots)
      hc_demand_of_grant(e, id, &grants[i], amounts);
    const bool again = a->process_count > 0 && all[a->process_count - 1].host == grants[i].host;
    if (!again) all[a->process_count++] = (hc_process){.host = grants[i].host};
    all[a->process_count - 1].slots += grants[i].slots;
    all[a->process_count - 1].milli += amounts[HC_DIM_CPU];
    facts->memory += amounts[HC_DIM_MEMORY];
    facts->milli_gpu += amounts[HC_DIM_GPU];
    all[a->process_count - 1].memory += amounts[HC_DIM_MEMORY];
  }
  a->processes = all;
  return 0;
}

/* Of a profile: what it is ended at, if it is; and what it must not have beside it. */
static hc_rc with_profile(hc_engine *e, hc_task id, hc_activity *a, hc_error *error)
{
  const hc_task_cold *c = hc_cold_of(e, id);
  const hc_task_extras *m = hc_lexicon_more(e->lexicon, c->more);
  if (m->resize_count > 0) {
    char where[48];
    (void)snprintf(where, sizeof where, "task %lld", (long long)e->tasks.identities[id].id);
    return hc_fail(error, HC_EUNSUPPORTED, where, 0, 0,
                   "it changes what it holds while it runs (resizes), and what its profile does would not "
                   "follow: leave out one of the two");
  }
  a->executors = m->executors;
  a->executor_count = m->executor_count;
  if (e->options->overrun != HC_OVERRUN_KILL) return 0;
  if (c->limit > 0) a->limit = c->limit;
  else if (e->options->no_limit == HC_NO_LIMIT_ASSUME) a->limit = e->options->assumed_limit;
  return 0;
}

/* The error of a model is about a task that people know by its number. */
static hc_rc name_task(const hc_engine *e, hc_task id, hc_rc rc, const hc_error *mine, hc_error *error)
{
  char where[48];
  if (rc >= 0) return rc;
  (void)snprintf(where, sizeof where, "task %lld", (long long)e->tasks.identities[id].id);
  return hc_fail(error, rc, where, 0, 0, "%s", mine->text[0] ? mine->text : hc_rc_text(rc));
}

hc_rc hc_model_begin(hc_engine *e, hc_task id, const hc_grant *grants, size_t count, hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  hc_range *hosts = hc_arena_alloc(&e->scratch, count * sizeof *hosts + 1);
  hc_activity a = {.task = id,
                   .serial = t->serial,
                   .length = t->run,
                   .units = t->units,
                   .hosts = hosts,
                   .limit = HC_NEVER};
  hc_activity_facts facts = {.id = e->tasks.identities[id].id,
                             .user = e->tasks.identities[id].user,
                             .priority = HC_UNKNOWN,
                             .submit = t->submit,
                             .memory = e->cell.hosts ? 0 : HC_UNKNOWN,
                             .milli_gpu = e->cell.hosts ? 0 : HC_UNKNOWN};
  hc_error mine = {0};
  hc_saving saving;
  if (!hosts) return HC_ENOMEM;
  a.facts = &facts;
  a.profile = hc_model_profile(e, id, &a.profile_size);
  if (a.profile) facts.priority = hc_cold_of(e, id)->priority;
  if (a.profile) TRY(with_profile(e, id, &a, error));
  if (e->cell_spec.physical) TRY(hc_overcommit_uses(e, id, &a, error));
  if (e->cell.hosts && e->model_type->takes_profiles) TRY(processes_of(e, id, grants, count, &a, &facts));
  TRY(hc_data_of(e, id, &a));
  for (size_t i = 0; i < count; i++) {
    if (a.host_count > 0 && e->cell.hosts && hosts[a.host_count - 1].first == grants[i].host) continue;
    hosts[a.host_count++] = (hc_range){grants[i].host, e->cell.hosts ? 1 : grants[i].slots};
  }
  if (e->options->checkpoint.type)
    TRY(name_task(e, id, hc_checkpoints_begin(e, id, &a, &saving, &mine), &mine, error));
  return name_task(e, id, e->model_type->begin(e->model, e->now, &a, &mine), &mine, error);
}

hc_rc hc_model_go_on(hc_engine *e, hc_task id, bool changed, hc_error *error)
{
  const hc_live *t = hc_live_of(e, id);
  hc_activity a = {.task = id, .serial = t->serial, .units = t->units, .limit = HC_NEVER};
  hc_activity_facts facts = {.memory = e->cell.hosts ? 0 : HC_UNKNOWN,
                             .milli_gpu = e->cell.hosts ? 0 : HC_UNKNOWN};
  const hc_grant *grants;
  hc_error mine = {0};
  hc_grant one;
  size_t count;
  if (!changed)
    return name_task(e, id, e->model_type->go_on(e->model, e->now, id, NULL, &mine), &mine, error);
  a.facts = &facts;
  TRY(hc_tasks_held(e, t, &one, &grants, &count));
  if (e->cell.hosts) TRY(processes_of(e, id, grants, count, &a, &facts));
  return name_task(e, id, e->model_type->go_on(e->model, e->now, id, &a, &mine), &mine, error);
}

void hc_model_ran(hc_engine *e, hc_task id)
{
  hc_live *t = hc_live_of(e, id);
  if (t->run == HC_NEVER) t->run = hc_work_ran(hc_work_of(e, id), t->start, e->now);
}

/* ---- its end ---- */

hc_rc hc_model_arm(hc_engine *e)
{
  const hc_time at = e->model_type->next(e->model);
  if (at == e->model_at) return 0;
  if (e->model_event != HC_NO_EVENT) hc_queue_cancel(e->events, e->model_event);
  e->model_event = HC_NO_EVENT;
  e->model_at = at;
  if (at == HC_NEVER) return 0;
  const hc_event due = hc_event_at(HC_EVENT_model, HC_MAX(at, e->now), 0, 0);
  return hc_queue_push(e->events, &due, &e->model_event);
}

typedef struct ending {
  uint64_t serial;
  hc_task task;
  uint32_t how; /* hc_ended_how */
  int64_t wants;
} ending;

/* Scheduling points come behind ends. */
static int by_serial(const void *a, const void *b)
{
  const ending *x = a, *y = b;
  if ((x->how == HC_ENDED_POINT) != (y->how == HC_ENDED_POINT)) return x->how == HC_ENDED_POINT ? 1 : -1;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* Of a task that has failed, or was cut off, the last state is killed, and what waits for its success waits
 * in vain. */
static void note_how(hc_engine *e, hc_task id, uint32_t how)
{
  hc_live *t = hc_live_of(e, id);
  if (e->book) t->run = hc_work_ran(hc_work_of(e, id), t->start, e->now); /* on its hosts, beside others */
  if (how != HC_ENDED_DONE) t->bits |= HC_LIVE_KILLED;
  if (how == HC_ENDED_FAILED || how == HC_ENDED_MEMORY) t->flags |= HC_TASK_FAILED;
}

/* A model says which task, if it was one's doing. */
static hc_rc fail_for(const hc_engine *e, hc_rc rc, hc_task id, const hc_error *mine, hc_error *error)
{
  if (id < e->tasks.count) return name_task(e, id, rc, mine, error);
  return hc_fail(error, rc, mine->where, 0, 0, "%s", mine->text[0] ? mine->text : hc_rc_text(rc));
}

static hc_rc due(hc_engine *e, uint32_t who, uint64_t order, hc_error *error)
{
  hc_error mine = {0};
  size_t n = 0;
  hc_rc more;
  HC_UNUSED(who);
  HC_UNUSED(order);
  e->model_event = HC_NO_EVENT;
  e->model_at = HC_NEVER;
  TRY(hc_reserve(e->allocator, &e->model_ended, &e->model_ended_cap, (size_t)e->running + 1, sizeof(ending)));
  ending *all = e->model_ended;
  hc_ended x = {.task = HC_NO_TASK};
  for (; (more = e->model_type->advance(e->model, e->now, &x, &mine)) > 0; x.task = HC_NO_TASK) {
    HC_ASSERT(x.task < e->tasks.count && e->tasks.live[x.task].state == HC_TASK_RUNNING &&
              n < (size_t)e->running);
    all[n++] = (ending){e->tasks.live[x.task].serial, x.task, x.how, x.wants};
  }
  if (more < 0) return fail_for(e, more, x.task, &mine, error);
  if (n > 1) qsort(all, n, sizeof *all, by_serial);
  for (size_t i = 0; i < n && more >= 0; i++) {
    if (all[i].how == HC_ENDED_POINT) {
      more = e->event_types[HC_EVENT_point]->deliver(e, all[i].task, (uint64_t)all[i].wants, error);
      continue;
    }
    note_how(e, all[i].task, all[i].how);
    more = e->event_types[HC_EVENT_end]->deliver(e, all[i].task, all[i].serial, error);
  }
  if (more >= 0 && e->admits_up_to > 0) return hc_overcommit_used(e, error);
  return HC_MIN(more, 0);
}

const hc_event_type hc_event_model = {.name = "model", .deliver = due};

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  bool has = e->model != NULL;
  HC_VISIT(v, has);
  if (has != (e->model != NULL)) return HC_EUNSUPPORTED;
  if (!has) return 0;
  HC_VISIT(v, e->model_at);
  if (v->mode != HC_VISIT_HASH) HC_VISIT(v, e->model_event); /* a name within one kind of queue */
  return e->model_type->visit(e->model, v);
}

static void fini(hc_engine *e)
{
  hc_free(e->allocator, e->model_ended, e->model_ended_cap * sizeof(ending));
  if (e->model) e->model_type->fini(e->model);
}

/* Processes of which several share a host are for a profile to use. */
static hc_rc on_extras(hc_engine *e, const hc_notice *n)
{
  const hc_task_extras *m = hc_lexicon_more(e->lexicon, hc_cold_of(e, n->task)->more);
  char where[48];
  if (!m || m->executor_count == 0 || (e->book && e->cell.hosts && m->profile_size > 0)) return 0;
  (void)snprintf(where, sizeof where, "task %lld", (long long)e->tasks.identities[n->task].id);
  return hc_fail(n->error, HC_EUNSUPPORTED, where, 0, 0,
                 "its executors share hosts, and what they do there is for a profile to say: use `execution: "
                 "activities` on a cell of hosts and give it a profile, or leave out `executors`");
}

static bool always(const hc_engine *e)
{
  HC_UNUSED(e);
  return true;
}

const hc_part hc_part_model = {.name = "model",
                               .wanted = always,
                               .hears = HC_HEARS(EXTRAS),
                               .on = on_extras,
                               .visit = visit,
                               .fini = fini};
