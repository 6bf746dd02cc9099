/* world.c -- IRMaSim's loop: to the next end or arrival, whichever is sooner, and tell its manager.
 *
 * At an event arrivals are told first, while the cores of what ends then are still taken, and then ends:
 * two rounds of decisions. Times are sums of differences of doubles. A row of its log is written when it
 * has begun, when the first jobs have come, and after each event. */
#include "base/util.h"
#include "irmasim/irmasim.h"

/* ---- a trajectory ---- */

/* What is not reaped, or still waits in the manager, IRMaSim carries over as objects of a workload that is
 * gone. */
static hc_rc leave(hc_world *w, hc_error *e)
{
  const size_t left = w->job_count - w->finished_count;
  w->is_going = false;
  w->is_over = ++w->trajectory >= w->set.trajectories;
  if (left == 0 || w->is_over) return 0;
  return hc_fail(
      e, HC_EUSAGE, HC_IRM_WHERE, 0, 0,
      "%zu jobs of trajectory %u never end, and there are more trajectories to come: run one at a time", left,
      w->trajectory);
}

static hc_rc submit(hc_world *w, double until)
{
  uint32_t jobs[256];
  const size_t from = w->next;
  size_t count = 0;
  while (w->next < w->job_count && w->jobs[w->next].submit.value <= until)
    w->jobs[w->next++].is_submitted = true;
  count = w->next - from;
  w->pending += count;
  if (count <= HC_ARRAY_LEN(jobs)) {
    for (size_t i = 0; i < count; i++) jobs[i] = (uint32_t)(from + i);
    return w->set.manager->submitted(w->manager, w, jobs, count);
  }
  uint32_t *many = hc_alloc(w->allocator, count * sizeof *many);
  if (!many) return HC_ENOMEM;
  for (size_t i = 0; i < count; i++) many[i] = (uint32_t)(from + i);
  const hc_rc rc = w->set.manager->submitted(w->manager, w, many, count);
  hc_free(w->allocator, many, count * sizeof *many);
  return rc;
}

/* When something happens next. Whole numbers stay so as long as only arrivals happen. */
static void look_ahead(hc_world *w)
{
  const hc_irm_number none = {__builtin_inf(), false};
  const hc_irm_number next = w->next < w->job_count ? w->jobs[w->next].submit : none;
  const hc_irm_number delta = hc_irm_difference(next, w->time);
  w->to_end = hc_irm_next_end(w);
  w->to_arrival = delta.value;
  w->arrival_is_whole = delta.is_whole;
}

static hc_rc begin(hc_world *w, hc_error *e)
{
  TRY(hc_irm_generate(w, e));
  w->next = w->pending = w->running = w->finished_count = w->ended_count = 0;
  w->core_time = w->mops_done = 0;
  for (int i = 0; i < HC_IRM_STATISTICS; i++)
    w->statistics[i] = (hc_irm_statistic){0, hc_irm_real(-__builtin_inf()), hc_irm_real(__builtin_inf())};
  w->statistics_size = 0;
  w->is_going = true;
  TRY(hc_irm_log_state(w));
  const hc_irm_number first = w->jobs[0].submit;
  w->time = hc_irm_sum(w->time, first);
  hc_irm_advance_tasks(w, w->time);
  w->energy = hc_irm_joules(w, w->time);
  TRY(submit(w, first.value));
  TRY(hc_irm_log_state(w));
  look_ahead(w);
  return 0;
}

/* ---- an event ---- */

/* Of jobs that have no operations left, in the order in which they were submitted. */
static void sort_ended(hc_world *w)
{
  for (size_t i = 1; i < w->ended_count; i++) {
    const uint32_t x = w->ended[i];
    size_t at = i;
    for (; at > 0 && w->ended[at - 1] > x; at--) w->ended[at] = w->ended[at - 1];
    w->ended[at] = x;
  }
}

static hc_rc end_jobs(hc_world *w)
{
  const size_t count = w->ended_count;
  uint32_t *jobs = &w->finished[w->finished_count];
  sort_ended(w);
  for (size_t i = 0; i < count; i++) {
    hc_irm_job *j = &w->jobs[w->ended[i]];
    jobs[i] = w->ended[i];
    j->finish = w->time;
    j->is_finished = true;
    w->running--;
    w->energy_asked =
        hc_irm_sum(w->energy_asked, hc_irm_product(hc_irm_row_of(w, jobs[i])->req_energy,
                                                   (hc_irm_number){hc_irm_row_of(w, jobs[i])->tasks, true}));
    TRY(hc_irm_log_job(w, jobs[i]));
    hc_irm_count_finished(w, jobs[i]);
  }
  w->ended_count = 0;
  w->finished_count += count;
  for (size_t i = 0; i < count; i++) hc_irm_reap(w, jobs[i]);
  return w->set.manager->finished(w->manager, w, jobs, count);
}

static hc_rc step(hc_world *w)
{
  const double to_end = w->to_end, to_arrival = w->to_arrival;
  const bool is_arrival = to_arrival < to_end;
  const hc_irm_number delta = {is_arrival ? to_arrival : to_end, is_arrival && w->arrival_is_whole};
  if (delta.value != 0) {
    hc_irm_advance_tasks(w, delta);
    w->energy = hc_irm_sum(w->energy, hc_irm_joules(w, delta));
    w->time = hc_irm_sum(w->time, delta);
  }
  if (delta.value == to_arrival) TRY(submit(w, w->time.value));
  if (delta.value == to_end) TRY(end_jobs(w));
  look_ahead(w);
  return hc_irm_log_state(w);
}

/* ---- the run ---- */

hc_rc hc_irm_advance(hc_world *w, hc_time until, uint64_t events, hc_error *e)
{
  w->error = e;
  for (uint64_t n = 0; events == 0 || n < events; n++) {
    hc_rc rc = 0;
    if (w->is_over) return 0;
    if (!w->is_going) {
      rc = begin(w, e);
    } else {
      const double delta = HC_MIN(w->to_end, w->to_arrival);
      if (delta == __builtin_inf()) rc = leave(w, e);
      else if (hc_irm_ns(w->time.value + delta) > until) return 1;
      else rc = step(w);
    }
    if (rc < 0) return hc_fail(e, rc, HC_IRM_WHERE, 0, 0, "%s", hc_rc_text(rc));
    w->events++; /* each pass is one: fewer than `events` would mean that all is done */
  }
  return w->is_over ? 0 : 1;
}

void hc_irm_progress(const hc_world *w, hc_world_progress *p)
{
  *p = (hc_world_progress){.now = hc_irm_ns(w->time.value),
                           .submitted = w->next,
                           .started = w->running + w->finished_count,
                           .ended = w->finished_count,
                           .waiting = w->pending,
                           .running = w->running,
                           .events = w->events};
}

/* ---- birth and end ---- */

static hc_rc build(hc_world *w, hc_error *e)
{
  TRY(hc_irm_settle(w, e));
  hc_irm_seed(&w->random, w->set.seed);
  hc_irm_say(w, "Setting the random seed to %u", w->set.seed);
  TRY(hc_irm_build(w, e));
  hc_irm_say(w, "Using platform %s", w->platform.name);
  hc_irm_say(w, "Using workload manager irmasim.workload_manager.%s", w->set.manager->name);
  TRY(w->set.manager->init(w, &w->manager, e));
  hc_irm_say(w, "Starting simulation run: 0");
  TRY(hc_irm_load(w, e));
  return hc_irm_log_header(w);
}

hc_rc hc_irm_new(const hc_world_context *c, const void *options, hc_world **out, hc_error *e)
{
  hc_world *w = hc_alloc(c->allocator, sizeof *w);
  if (!w) return HC_ENOMEM;
  w->allocator = c->allocator;
  w->options = options;
  w->error = e;
  w->time = w->energy = w->energy_asked = (hc_irm_number){0, true};
  hc_arena_init(&w->arena, c->allocator);
  hc_buffer_init(&w->simulation, c->allocator);
  hc_buffer_init(&w->job_log, c->allocator);
  hc_buffer_init(&w->nodes, c->allocator);
  hc_buffer_init(&w->summary, c->allocator);
  const hc_rc rc = build(w, e);
  if (rc < 0) {
    hc_irm_free(w);
    return rc == HC_ENOMEM ? rc : hc_fail(e, rc, HC_IRM_WHERE, 0, 0, "%s", hc_rc_text(rc));
  }
  w->is_over = w->set.trajectories == 0;
  *out = w;
  return 0;
}

void hc_irm_free(hc_world *w)
{
  const hc_allocator *a = w->allocator;
  if (w->manager) w->set.manager->fini(w->manager, a);
  hc_irm_raze(w);
  hc_free(a, w->rows, w->row_cap * sizeof *w->rows);
  hc_free(a, w->jobs, w->jobs ? w->job_room * sizeof *w->jobs : 0);
  hc_free(a, w->finished, w->finished ? w->job_room * sizeof *w->finished : 0);
  hc_free(a, w->ended, w->ended ? w->job_room * sizeof *w->ended : 0);
  hc_free(a, w->tasks, w->task_room * sizeof *w->tasks);
  hc_free(a, w->statistics_text, w->statistics_cap);
  hc_buffer_fini(&w->simulation);
  hc_buffer_fini(&w->job_log);
  hc_buffer_fini(&w->nodes);
  hc_buffer_fini(&w->summary);
  hc_arena_fini(&w->arena);
  hc_free(a, w, sizeof *w);
}
