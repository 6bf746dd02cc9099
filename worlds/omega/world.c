/* world.c -- a world is made from its options, and goes on event by event. See world.h.
 *
 * Jobs are made before anything happens, since the original numbers them so, and the number decides which
 * scheduler takes a job: round robin with one counter for all workloads. But only the next arrival of each
 * workload is looked at, and arrivals come before whatever else was put in for the same time; the original
 * has all of them in its heap.
 *
 * The run ends with the first event later than its end, which still happens: that is how the original does
 * it, and the monitor counts it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "hindcast/mold.h"
#include "omega/java_random.h"
#include "omega/mold.h"

/* ---- jobs ---- */

static const hc_omega_workload_options *workload_at(const hc_world *w, size_t i)
{
  return ((const hc_chosen *)w->options->workloads.items)[i].options;
}

typedef struct taker {
  hc_world *world;
  uint32_t workload;
  hc_error *error;
} taker;

static hc_rc take_job(void *ctx, const hc_omega_arrival *a)
{
  const taker *t = ctx;
  hc_world *w = t->world;
  if (w->job_count == HC_OMEGA_SUBJECTS)
    return hc_fail(t->error, HC_ELIMIT, "world omega", 0, 0, "more than %u jobs; make the run shorter",
                   HC_OMEGA_SUBJECTS);
  TRY(hc_reserve(w->allocator, (void **)&w->jobs, &w->job_cap, w->job_count + 1, sizeof *w->jobs));
  w->jobs[w->job_count++] = (hc_omega_job){.submit = a->submit,
                                           .duration = a->duration,
                                           .task = {a->cpus, a->memory},
                                           .first_start = -1,
                                           .full = -1,
                                           .tasks = a->tasks,
                                           .unscheduled = a->tasks,
                                           .activities = HC_MAX(a->activities, a->tasks),
                                           .workload = t->workload};
  return 0;
}

/* By time, those of one time in their order: bottom-up merging. */
static hc_rc sort_arrivals(hc_world *w, hc_omega_workload *l)
{
  const size_t n = l->job_count;
  uint32_t *from, *to;
  bool sorted = true;
  for (size_t i = 1; i < n && sorted; i++)
    sorted = w->jobs[l->first_job + i - 1].submit <= w->jobs[l->first_job + i].submit;
  if (sorted) return 0;
  from = hc_alloc(w->allocator, n * sizeof *from);
  to = hc_alloc(w->allocator, n * sizeof *to);
  l->arrivals = from;
  if (!from || !to) {
    hc_free(w->allocator, to, n * sizeof *to);
    return HC_ENOMEM;
  }
  for (uint32_t i = 0; i < n; i++) from[i] = l->first_job + i;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      const size_t middle = HC_MIN(low + width, n), high = HC_MIN(low + 2 * width, n);
      size_t a = low, b = middle;
      for (size_t k = low; k < high; k++) {
        const bool left = a < middle && (b >= high || w->jobs[from[a]].submit <= w->jobs[from[b]].submit);
        to[k] = left ? from[a++] : from[b++];
      }
    }
    uint32_t *other = from;
    from = to;
    to = other;
  }
  l->arrivals = from;
  hc_free(w->allocator, to, n * sizeof *to);
  return 0;
}

/* Defect D12: a scale that was set for one workload stays for those after it. */
static double scale_of(const hc_world *w, uint32_t number)
{
  double scale = workload_at(w, number)->interarrival_scale;
  for (uint32_t i = number; i > 0 && scale == 1 && hc_omega_has(w, HC_OMEGA_D12_LEAK); i--)
    scale = workload_at(w, i - 1)->interarrival_scale;
  return scale;
}

static hc_rc make_jobs(hc_world *w, uint32_t number, const hc_omega_workload_options *o, hc_error *e)
{
  const hc_arrivals_type *type = (const hc_arrivals_type *)o->arrivals.type;
  hc_omega_workload *l = &w->workloads[number];
  taker t = {w, number, e};
  const hc_arrivals_context context = {.allocator = w->allocator,
                                       .window = w->run_time,
                                       .seed = w->seed,
                                       .replication = w->replication,
                                       .workload = number,
                                       .name = o->name,
                                       .defects = w->defects,
                                       .scale = scale_of(w, number),
                                       .ctx = &t,
                                       .job = take_job};
  l->first_job = (uint32_t)w->job_count;
  TRY(type->make(&context, o->arrivals.options, e));
  l->job_count = (uint32_t)w->job_count - l->first_job;
  return sort_arrivals(w, l);
}

/* ---- workloads and schedulers ---- */

static void name_scheduler(const hc_world *w, hc_omega_scheduler *s, const char *workload, uint32_t i,
                           uint32_t n)
{
  if (w->options->architecture == HC_OMEGA_MONOLITHIC) (void)snprintf(s->name, sizeof s->name, "Monolithic");
  else if (w->options->architecture == HC_OMEGA_SHARED_STATE)
    (void)snprintf(s->name, sizeof s->name, "Omega%.40s-%u", workload, i + 1);
  else if (n == 1) (void)snprintf(s->name, sizeof s->name, "Mesos%.40s", workload);
  else (void)snprintf(s->name, sizeof s->name, "Mesos%.40s-%u", workload, i + 1);
}

static hc_rc make_scheduler(hc_world *w, const char *workload, uint32_t i, uint32_t n, bool has_blacklist)
{
  hc_omega_scheduler *s = &w->schedulers[w->scheduler_count++];
  s->head = s->tail = s->job = HC_OMEGA_NONE;
  name_scheduler(w, s, workload, i, n);
  s->by_workload = hc_alloc(w->allocator, w->workload_count * sizeof *s->by_workload);
  s->by_day = hc_alloc(w->allocator, w->day_count * sizeof *s->by_day);
  if (!s->by_workload || !s->by_day) return HC_ENOMEM;
  return hc_omega_picker_init(w, &s->picker, w->scheduler_count, has_blacklist);
}

static hc_rc make_schedulers(hc_world *w)
{
  const bool alone = w->options->architecture == HC_OMEGA_MONOLITHIC;
  size_t count = alone ? 1 : 0;
  bool any_blacklist = false;
  for (size_t i = 0; i < w->workload_count && !alone; i++) count += (size_t)workload_at(w, i)->schedulers;
  for (size_t i = 0; i < w->workload_count; i++) any_blacklist |= workload_at(w, i)->blacklist;
  w->schedulers = hc_alloc(w->allocator, count * sizeof *w->schedulers);
  w->requests = hc_alloc(w->allocator, count * sizeof *w->requests);
  w->scheduler_cap = count;
  if (!w->schedulers || !w->requests) return HC_ENOMEM;
  if (alone) {
    TRY(make_scheduler(w, "", 0, 1, any_blacklist));
    for (size_t i = 1; i < w->workload_count; i++)
      w->schedulers[0].is_multi_path |= w->workloads[i].think_job != w->workloads[0].think_job;
  }
  for (size_t i = 0; i < w->workload_count; i++) {
    const hc_omega_workload_options *o = workload_at(w, i);
    hc_omega_workload *l = &w->workloads[i];
    l->scheduler_count = alone ? 1 : (uint32_t)o->schedulers;
    l->first_scheduler = alone ? 0 : (uint32_t)w->scheduler_count;
    for (uint32_t k = 0; k < l->scheduler_count && !alone; k++)
      TRY(make_scheduler(w, o->name, k, l->scheduler_count, o->blacklist));
  }
  return 0;
}

static void assign_jobs(hc_world *w)
{
  for (size_t i = 0; i < w->job_count; i++) {
    const hc_omega_workload *l = &w->workloads[w->jobs[i].workload];
    w->jobs[i].scheduler = l->first_scheduler + (uint32_t)((i + 1) % l->scheduler_count);
  }
}

/* What a sweep over think times changes: the last workload's, which is service by custom, or all. Defect D10:
 * under shared state the original's sweep changes the first's, batch. */
static void sweep(hc_world *w)
{
  const hc_omega_options *o = w->options;
  const bool first = hc_omega_has(w, HC_OMEGA_D10_SWEPT) && o->architecture == HC_OMEGA_SHARED_STATE;
  const size_t at = first ? 0 : w->workload_count - 1;
  for (size_t i = 0; i < w->workload_count; i++) {
    if (i != at && o->sweeps == HC_OMEGA_SWEEPS_LAST) continue;
    if (o->swept != HC_UNKNOWN) w->workloads[i].think_job = (double)o->swept / 1e9;
    if (o->swept_task != HC_UNKNOWN) w->workloads[i].think_task = (double)o->swept_task / 1e9;
  }
}

static hc_rc make_workloads(hc_world *w, hc_error *e)
{
  w->workload_count = w->options->workloads.count;
  if (w->workload_count == 0)
    return hc_fail(
        e, HC_EUSAGE, "world omega", 0, 0,
        "nothing arrives: name workloads, such as `workloads: [{name: Batch, arrivals: {use: table, file: "
        "jobs.csv}}]`");
  w->workloads = hc_alloc(w->allocator, w->workload_count * sizeof *w->workloads);
  if (!w->workloads) return HC_ENOMEM;
  for (size_t i = 0; i < w->workload_count; i++) {
    const hc_omega_workload_options *o = workload_at(w, i);
    w->workloads[i] = (hc_omega_workload){
        .name = o->name, .think_job = (double)o->think_job / 1e9, .think_task = (double)o->think_task / 1e9};
    if (o->mold.type) w->workloads[i].mold = &o->mold;
    if (o->mold.type && !((const hc_mold_type *)o->mold.type)->allows)
      return hc_fail(
          e, HC_EUNSUPPORTED, "world", 0, 0,
          "mold: %s chooses among sizes that tasks offer, and says not how many workers a job of \"%s\" may "
          "have: use configured, max_parallelism, global_cap or relative_job_size",
          o->mold.type->name, o->name);
    if (o->mold.type && w->options->architecture == HC_OMEGA_TWO_LEVEL)
      return hc_fail(
          e, HC_EUSAGE, "world omega", 0, 0,
          "a scheduler that is made offers does not see what is idle in the cell, so that it cannot mold the "
          "jobs of \"%s\": leave out its `mold`, or take `architecture: shared_state`",
          o->name);
    TRY(make_jobs(w, (uint32_t)i, o, e));
  }
  sweep(w);
  TRY(make_schedulers(w));
  if (w->options->offer_order.count > 0 && w->options->architecture != HC_OMEGA_TWO_LEVEL)
    return hc_fail(e, HC_EUSAGE, "world omega", 0, 0,
                   "offer_order: nothing is offered here: leave it out, or take `architecture: two_level`");
  TRY(hc_omega_two_level_rank(w, e));
  assign_jobs(w);
  return hc_omega_usage_init(w);
}

/* ---- what is there before ---- */

typedef struct filler {
  hc_world *world;
  hc_omega_picker *picker;
} filler;

static hc_rc take_fill(void *ctx, const hc_omega_fill *f)
{
  const filler *x = ctx;
  hc_world *w = x->world;
  const hc_omega_amounts task = {f->cpus, f->memory};
  if (task.cpus > w->cell.each.cpus || task.memory > w->cell.each.memory) return 0;
  TRY(hc_omega_pick(x->picker, &w->cell, task, f->tasks, &w->places));
  w->prefill_jobs++;
  w->prefill_tasks += w->places.count;
  if (w->places.count == 0) return 0;
  return hc_omega_start_fill(w, task, f->end < w->run_time ? f->end : w->run_time, w->places.items,
                             w->places.count);
}

static hc_rc fill(hc_world *w, hc_error *e)
{
  const hc_chosen *chosen = w->options->prefill.items;
  hc_omega_picker picker;
  filler f = {w, &picker};
  hc_rc rc = hc_omega_picker_init(w, &picker, 0, false);
  for (size_t i = 0; rc >= 0 && i < w->options->prefill.count; i++) {
    const hc_prefill_type *type = (const hc_prefill_type *)chosen[i].type;
    const hc_prefill_context context = {.allocator = w->allocator,
                                        .run_time = w->run_time,
                                        .cpus = w->cell.total.cpus,
                                        .memory = w->cell.total.memory,
                                        .machine_cpus = w->cell.each.cpus,
                                        .machine_memory = w->cell.each.memory,
                                        .seed = w->seed,
                                        .replication = w->replication,
                                        .number = (uint32_t)i,
                                        .defects = w->defects,
                                        .ctx = &f,
                                        .job = take_fill};
    rc = type->make(&context, chosen[i].options, e);
  }
  hc_omega_picker_fini(w, &picker);
  w->tasks_started = 0; /* of jobs alone */
  return rc;
}

/* ---- birth ---- */

static hc_rc make_magic(hc_world *w)
{
  const size_t n = (size_t)w->options->machines + 1;
  w->magic.of = hc_alloc(w->allocator, n * sizeof *w->magic.of);
  if (!w->magic.of) return HC_ENOMEM;
  for (uint32_t i = 1; i < n; i++) w->magic.of[i] = hc_java_magic(i);
  return 0;
}

static void take_defects(hc_world *w)
{
  const int *defects = w->options->defects.items;
  for (size_t i = 0; i < w->options->defects.count; i++)
    w->defects |= defects[i] == HC_OMEGA_ALL_DEFECTS ? (1u << HC_OMEGA_ALL_DEFECTS) - 1 : 1u << defects[i];
}

/* Multiples of 2^-20 below 2^20: a million million of them add up without rounding. */
static bool is_exact(double x)
{
  return x < 0x1p20 && x * 0x1p20 == (double)(int64_t)(x * 0x1p20);
}

static bool are_exact(const hc_world *w)
{
  bool exact = is_exact(w->cell.each.cpus) && is_exact(w->cell.each.memory);
  for (size_t i = 0; i < w->job_count && exact; i++)
    exact = is_exact(w->jobs[i].task.cpus) && is_exact(w->jobs[i].task.memory);
  for (size_t i = 0; i < w->batch_count && exact; i++) /* of the prefill */
    exact = is_exact(w->batches[i].task.cpus) && is_exact(w->batches[i].task.memory);
  return exact;
}

static hc_rc build(hc_world *w, hc_error *e)
{
  const hc_omega_options *o = w->options;
  take_defects(w);
  w->run_time = (double)o->run_time / 1e9;
  w->day_count = (size_t)(w->run_time / HC_OMEGA_DAY) + 1;
  w->vacant_batch = HC_OMEGA_NONE;
  hc_omega_agenda_init(&w->agenda, w->allocator, (hc_omega_ties)o->ties);
  TRY(make_magic(w));
  TRY(hc_omega_cell_init(&w->cell, w->allocator, (uint32_t)o->machines,
                         (hc_omega_amounts){o->cpus, o->memory}));
  w->cell.lists = o->pick == HC_OMEGA_PICK_CHOOSE;
  TRY(make_workloads(w, e));
  TRY(fill(w, e));
  if (o->architecture == HC_OMEGA_TWO_LEVEL)
    TRY(hc_omega_holds_init(&w->holds, &w->cell, !hc_omega_has(w, HC_OMEGA_D13_OFFERS) || are_exact(w)));
  for (size_t i = 0; o->ties == HC_OMEGA_TIES_HEAP && i < w->job_count; i++)
    TRY(hc_omega_agenda_push(&w->agenda, w->jobs[i].submit, HC_OMEGA_ARRIVAL, (uint32_t)i));
  if (o->ties == HC_OMEGA_TIES_HEAP)
    for (size_t i = 0; i < w->workload_count; i++) w->workloads[i].next_arrival = w->workloads[i].job_count;
  return hc_omega_agenda_push(&w->agenda, 0, HC_OMEGA_MONITOR, 0);
}

hc_rc hc_omega_world_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e)
{
  hc_world *w = hc_alloc(c->allocator, sizeof *w);
  hc_rc rc;
  if (!w) return HC_ENOMEM;
  w->allocator = c->allocator;
  w->options = options;
  w->seed = c->seed;
  w->replication = c->replication;
  rc = build(w, e);
  if (rc < 0) {
    hc_omega_world_free(w);
    return hc_fail(e, rc, "world omega", 0, 0, "%s", hc_rc_text(rc));
  }
  *out = w;
  return 0;
}

static void free_schedulers(hc_world *w)
{
  for (size_t i = 0; i < w->scheduler_count; i++) {
    hc_omega_scheduler *s = &w->schedulers[i];
    hc_omega_picker_fini(w, &s->picker);
    hc_free(w->allocator, s->places.items, s->places.cap * sizeof *s->places.items);
    hc_free(w->allocator, s->by_workload, w->workload_count * sizeof *s->by_workload);
    hc_free(w->allocator, s->by_day, w->day_count * sizeof *s->by_day);
  }
  hc_free(w->allocator, w->schedulers, w->scheduler_cap * sizeof *w->schedulers);
  hc_free(w->allocator, w->requests, w->scheduler_cap * sizeof *w->requests);
}

void hc_omega_world_free(hc_world *w)
{
  const hc_allocator *a = w->allocator;
  hc_omega_two_level_fini(w);
  free_schedulers(w);
  for (size_t i = 0; w->workloads && i < w->workload_count; i++)
    hc_free(a, w->workloads[i].arrivals, w->workloads[i].job_count * sizeof(uint32_t));
  hc_free(a, w->workloads, w->workload_count * sizeof *w->workloads);
  hc_free(a, w->jobs, w->job_cap * sizeof *w->jobs);
  for (size_t i = 0; i < w->batch_count; i++)
    hc_free(a, w->batches[i].machines, w->batches[i].cap * sizeof(uint32_t));
  hc_free(a, w->batches, w->batch_cap * sizeof *w->batches);
  hc_free(a, w->places.items, w->places.cap * sizeof *w->places.items);
  hc_free(a, w->magic.of, ((size_t)w->options->machines + 1) * sizeof *w->magic.of);
  hc_omega_usage_fini(w);
  hc_omega_cell_fini(&w->cell);
  hc_omega_agenda_fini(&w->agenda);
  hc_free(a, w, sizeof *w);
}

void hc_omega_world_progress(const hc_world *w, hc_world_progress *p)
{
  *p = (hc_world_progress){.now = (hc_time)(w->now * 1e9),
                           .started = w->tasks_started,
                           .ended = w->tasks_ended,
                           .running = w->tasks_started - HC_MIN(w->tasks_ended, w->tasks_started),
                           .events = w->events};
  for (size_t i = 0; i < w->scheduler_count; i++) p->waiting += w->schedulers[i].queued;
  for (size_t i = 0; i < w->workload_count; i++) p->submitted += w->workloads[i].next_arrival;
}

/* ---- the loop ---- */

static uint32_t arrival_at(const hc_omega_workload *l)
{
  return l->arrivals ? l->arrivals[l->next_arrival] : l->first_job + l->next_arrival;
}

hc_omega_workload *hc_omega_next_arrival(hc_world *w)
{
  hc_omega_workload *best = NULL;
  double least = 0;
  for (size_t i = 0; i < w->workload_count; i++) {
    hc_omega_workload *l = &w->workloads[i];
    double submit;
    if (l->next_arrival == l->job_count) continue;
    submit = w->jobs[arrival_at(l)].submit;
    if (best && submit >= least) continue;
    best = l;
    least = submit;
  }
  return best;
}

static hc_rc monitor(hc_world *w)
{
  w->occupied_cpus += w->cell.occupied.cpus;
  w->occupied_memory += w->cell.occupied.memory;
  w->locked_cpus += w->cell.locked.cpus;
  w->locked_memory += w->cell.locked.memory;
  w->samples++;
  hc_omega_usage_sample(w);
  if (w->agenda.count == 0 && !hc_omega_next_arrival(w)) return 0;
  return hc_omega_agenda_push(&w->agenda, w->now + (double)w->options->monitor / 1e9, HC_OMEGA_MONITOR, 0);
}

static hc_rc job_comes(hc_world *w, uint32_t job)
{
  switch ((hc_omega_architecture)w->options->architecture) {
    case HC_OMEGA_MONOLITHIC: return hc_omega_monolithic_job(w, job);
    case HC_OMEGA_SHARED_STATE: return hc_omega_shared_job(w, job);
    case HC_OMEGA_TWO_LEVEL: return hc_omega_two_level_job(w, job);
  }
  return 0;
}

/* @param events  how many of them are this one: an event a task, or one for all */
static hc_rc tasks_end(hc_world *w, const hc_omega_event *x, size_t events)
{
  const uint32_t batch = hc_omega_event_subject(x);
  const hc_omega_batch *b = &w->batches[batch];
  const bool is_fill = b->scheduler == HC_OMEGA_NONE;
  TRY(hc_omega_end(w, batch, x->number - b->first_number,
                   w->agenda.ties == HC_OMEGA_TIES_HEAP ? (uint32_t)events : b->count));
  return w->options->architecture == HC_OMEGA_TWO_LEVEL && !is_fill ? hc_omega_two_level_ended(w) : 0;
}

static hc_rc happen(hc_world *w, const hc_omega_event *x, size_t events)
{
  const hc_omega_event_kind kind = hc_omega_event_what(x);
  const uint32_t subject = hc_omega_event_subject(x);
  w->ties += x->time == w->last_time && kind != w->last_kind && w->events > 0;
  w->last_time = x->time;
  w->last_kind = kind;
  w->now = x->time;
  w->events += events;
  switch (kind) {
    case HC_OMEGA_NO_EVENT: break;
    case HC_OMEGA_END: return tasks_end(w, x, events);
    case HC_OMEGA_MONITOR: return monitor(w);
    case HC_OMEGA_ARRIVAL:
    case HC_OMEGA_RETRY: return job_comes(w, subject);
    case HC_OMEGA_THOUGHT:
      return w->options->architecture == HC_OMEGA_MONOLITHIC ? hc_omega_monolithic_thought(w, subject)
                                                             : hc_omega_shared_thought(w, subject);
    case HC_OMEGA_OFFERS: return hc_omega_two_level_offers(w);
    case HC_OMEGA_OFFER: return hc_omega_two_level_offer(w, subject);
    case HC_OMEGA_ANSWER: return hc_omega_two_level_answer(w, subject);
  }
  return 0;
}

/* Arrivals were put in after the ends of what was there before, and before everything else. */
static bool comes_first(const hc_world *w, double arrival, const hc_omega_event *x)
{
  if (arrival != x->time) return arrival < x->time;
  return hc_omega_event_what(x) != HC_OMEGA_END ||
         w->batches[hc_omega_event_subject(x)].scheduler != HC_OMEGA_NONE;
}

/* Ends of tasks are taken out together if none of them puts something in, as the first does that wakes the
 * allocator. */
static hc_omega_event take_first(hc_world *w, size_t *events)
{
  const bool wakes = w->options->architecture == HC_OMEGA_TWO_LEVEL && !w->is_offering;
  const hc_omega_event first = hc_omega_agenda_first(&w->agenda);
  const bool is_end = hc_omega_event_what(&first) == HC_OMEGA_END;
  return is_end && !wakes ? hc_omega_agenda_pop_equal(&w->agenda, events) : hc_omega_agenda_pop(&w->agenda);
}

static hc_rc step(hc_world *w)
{
  hc_omega_workload *l = hc_omega_next_arrival(w);
  const bool any = w->agenda.count > 0;
  hc_omega_event x;
  size_t events = 1;
  if (!l && !any) return 0;
  if (any) x = hc_omega_agenda_first(&w->agenda);
  if (l && (!any || comes_first(w, w->jobs[arrival_at(l)].submit, &x))) {
    const uint32_t job = arrival_at(l);
    x = (hc_omega_event){w->jobs[job].submit, (uint32_t)HC_OMEGA_ARRIVAL << 28 | job, 0};
    l->next_arrival++;
  } else {
    x = take_first(w, &events);
  }
  TRY(happen(w, &x, events));
  return 1;
}

hc_rc hc_omega_world_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e)
{
  const double bound = until == HC_NEVER ? w->run_time : HC_MIN(w->run_time, (double)until / 1e9);
  for (uint64_t n = 0; !w->is_over && (events == 0 || n < events); n++) {
    hc_rc rc;
    if (w->now > bound) return w->now > w->run_time ? (w->is_over = true, 0) : 1;
    rc = step(w);
    if (rc < 0) return hc_fail(e, rc, "world omega", 0, 0, "%s", hc_rc_text(rc));
    if (rc == 0) w->is_over = true;
  }
  return w->is_over ? 0 : 1;
}
