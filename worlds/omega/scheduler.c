/* scheduler.c -- what all schedulers of the world do. See world.h.
 *
 * A scheduler has a queue, first come first served, and thinks about one job at a time: a constant for the
 * workload and something for each task that is left. A job with tasks left goes back to the end of the queue
 * a second later. It is given up after more than 100 attempts that placed nothing, or more than 1,000
 * attempts. */
#include "omega/world.h"

#include "base/util.h"
#include "omega/java_random.h"

double hc_omega_think(const hc_world *w, const hc_omega_job *j, uint32_t tasks)
{
  const hc_omega_workload *l = &w->workloads[j->workload];
  return l->think_job + l->think_task * (double)(float)tasks;
}

void hc_omega_enqueue(hc_world *w, uint32_t job)
{
  hc_omega_job *j = &w->jobs[job];
  hc_omega_scheduler *s = &w->schedulers[j->scheduler];
  j->enqueued = w->now;
  j->next = HC_OMEGA_NONE;
  if (s->head == HC_OMEGA_NONE) s->head = job;
  else w->jobs[s->tail].next = job;
  s->tail = job;
  s->queued++;
}

uint32_t hc_omega_dequeue(hc_world *w, hc_omega_scheduler *s)
{
  const uint32_t job = s->head;
  hc_omega_job *j;
  if (job == HC_OMEGA_NONE) return job;
  j = &w->jobs[job];
  s->head = j->next;
  s->queued--;
  if (j->attempts == 0) j->wait_first += w->now - j->enqueued;
  j->wait_full += w->now - j->enqueued;
  return job;
}

static size_t day_of(const hc_world *w)
{
  const double day = w->now / HC_OMEGA_DAY;
  return day < (double)w->day_count ? (size_t)day : w->day_count - 1;
}

void hc_omega_useful(hc_world *w, hc_omega_scheduler *s, uint32_t job, double think)
{
  hc_omega_job *j = &w->jobs[job];
  s->all.useful += think;
  s->by_workload[j->workload].useful += think;
  s->by_day[day_of(w)].useful += think;
  j->useful += think;
}

void hc_omega_wasted(hc_world *w, hc_omega_scheduler *s, uint32_t job, double think)
{
  hc_omega_job *j = &w->jobs[job];
  s->all.wasted += think;
  s->by_workload[j->workload].wasted += think;
  s->by_day[day_of(w)].wasted += think;
  j->wasted += think;
}

hc_rc hc_omega_again(hc_world *w, hc_omega_scheduler *s, uint32_t job)
{
  hc_omega_job *j = &w->jobs[job];
  const hc_omega_options *o = w->options;
  if (j->unscheduled == 0) return 0;
  if ((j->attempts > o->hopeless_attempts && j->unscheduled == j->tasks) || j->attempts > o->most_attempts) {
    j->gave_up = true;
    s->timed_out++;
    return 0;
  }
  return hc_omega_agenda_push(&w->agenda, w->now + (double)o->retry_delay / 1e9, HC_OMEGA_RETRY, job);
}

/* ---- tasks ---- */

static hc_rc new_batch(hc_world *w, uint32_t count, uint32_t *out)
{
  uint32_t at = w->vacant_batch;
  hc_omega_batch *b;
  if (at == HC_OMEGA_NONE) {
    TRY(hc_reserve(w->allocator, (void **)&w->batches, &w->batch_cap, w->batch_count + 1,
                   sizeof *w->batches));
    at = (uint32_t)w->batch_count++;
    w->batches[at] = (hc_omega_batch){.next_vacant = HC_OMEGA_NONE};
  }
  b = &w->batches[at];
  TRY(hc_reserve(w->allocator, (void **)&b->machines, &b->cap, count, sizeof *b->machines));
  w->vacant_batch = b->next_vacant;
  *out = at;
  return 0;
}

/* A sum to which `count` tasks are added one by one, as the original does: rounding is the same. */
static hc_omega_amounts add_each(hc_omega_amounts sum, hc_omega_amounts task, size_t count)
{
  for (; count > 0; count--) {
    sum.cpus += task.cpus;
    sum.memory += task.memory;
  }
  return sum;
}

/* What the cell and a scheduler have running, after that. */
static void count_running(hc_world *w, uint32_t scheduler, hc_omega_amounts task, size_t count)
{
  hc_omega_amounts *mine = scheduler == HC_OMEGA_NONE ? NULL : &w->schedulers[scheduler].occupied;
  w->cell.occupied = add_each(w->cell.occupied, task, count);
  if (mine) *mine = add_each(*mine, task, count);
}

static hc_rc start(hc_world *w, hc_omega_batch what, double end, const hc_omega_place *places, size_t count)
{
  hc_omega_batch *b;
  uint32_t at;
  TRY(new_batch(w, (uint32_t)count, &at));
  b = &w->batches[at];
  what.machines = b->machines;
  what.cap = b->cap;
  what.count = (uint32_t)count;
  what.first_number = w->agenda.next_number;
  *b = what;
  for (size_t i = 0; i < count; i++) b->machines[i] = places[i].machine;
  count_running(w, what.scheduler, what.task, count);
  w->tasks_started += count;
  if (w->agenda.ties == HC_OMEGA_TIES_INSERTED) count = 1; /* an event for all of them */
  return hc_omega_agenda_push_equal(&w->agenda, end, HC_OMEGA_END, at, count);
}

hc_rc hc_omega_start(hc_world *w, uint32_t scheduler, uint32_t job, double duration,
                     const hc_omega_place *places, size_t count)
{
  hc_omega_job *j = &w->jobs[job];
  const hc_omega_batch what = {.job = job, .scheduler = scheduler, .task = j->task};
  if (j->first_start < 0) j->first_start = w->now;
  if (j->unscheduled == 0) j->full = w->now;
  return start(w, what, w->now + duration, places, count);
}

hc_rc hc_omega_start_fill(hc_world *w, hc_omega_amounts task, double end, const hc_omega_place *places,
                          size_t count)
{
  const hc_omega_batch what = {.job = HC_OMEGA_NONE, .scheduler = HC_OMEGA_NONE, .task = task};
  return start(w, what, end, places, count);
}

static hc_rc leave(hc_world *w, hc_omega_batch *b, uint32_t i)
{
  const uint32_t machine = b->machines[i];
  const uint32_t bump = hc_omega_has(w, HC_OMEGA_D15_SEQUENCE) ? 0 : 1;
  b->machines[i] = HC_OMEGA_ENDED;
  TRY(hc_omega_cell_leave(&w->cell, machine, b->task, bump));
  return w->holds.whole_is_out ? hc_omega_holds_freed(&w->holds, &w->cell, machine, b->task) : 0;
}

/* Which of a batch's tasks ends matters where something else happens at the same time, between two of them:
 * an offer that is made then shows what one machine has free, and not yet what another has. */
hc_rc hc_omega_end(hc_world *w, uint32_t batch, uint32_t number, uint32_t count)
{
  hc_omega_batch *b = &w->batches[batch];
  if (count == 1 && b->ended + 1 < b->count) TRY(leave(w, b, number));
  else
    for (uint32_t i = 0; i < b->count; i++)
      if (b->machines[i] != HC_OMEGA_ENDED) TRY(leave(w, b, i));
  count_running(w, b->scheduler, (hc_omega_amounts){-b->task.cpus, -b->task.memory}, count);
  b->ended += count;
  if (b->scheduler != HC_OMEGA_NONE) w->tasks_ended += count;
  if (b->ended < b->count) return 0;
  b->next_vacant = w->vacant_batch;
  w->vacant_batch = batch;
  return 0;
}

/* ---- pickers ---- */

/* A random set of machines that a picky scheduler never uses: at the end of its pool if it probes, else as
 * bits. */
static void forbid(hc_world *w, hc_omega_picker *p, uint32_t *pool, uint64_t number)
{
  hc_draws draws = {w->seed, w->replication, number, HC_PURPOSE_BLACKLIST, 0};
  const bool last = hc_omega_has(w, HC_OMEGA_D16_BLACKLIST);
  for (uint32_t k = 0, n = p->machines; k < p->blacklisted; k++, n--) {
    const uint32_t i = last ? n - 1 : (uint32_t)hc_random_below(&draws, n), m = pool[i];
    pool[i] = pool[n - 1];
    pool[n - 1] = m;
    if (p->forbidden) p->forbidden[m / 64] |= UINT64_C(1) << (m % 64);
  }
}

/* What it needs besides the permutation. */
static hc_rc picker_parts(hc_world *w, hc_omega_picker *p)
{
  const uint32_t words = w->cell.words;
  if (p->probes && p->machines <= UINT16_MAX) {
    p->small_pool = hc_alloc(w->allocator, p->machines * sizeof *p->small_pool);
    if (!p->small_pool) return HC_ENOMEM;
  }
  if (p->probes) return 0;
  p->found = hc_alloc(w->allocator, p->machines * sizeof *p->found);
  if (p->blacklisted > 0) p->forbidden = hc_alloc(w->allocator, words * sizeof *p->forbidden);
  return p->found && (p->forbidden || p->blacklisted == 0) ? 0 : HC_ENOMEM;
}

hc_rc hc_omega_picker_init(hc_world *w, hc_omega_picker *p, uint64_t number, bool has_blacklist)
{
  const bool same = hc_omega_has(w, HC_OMEGA_D5_SEED);
  uint32_t *pool;
  *p = (hc_omega_picker){.probes = w->options->pick == HC_OMEGA_PICK_PROBE,
                         .machines = w->cell.machines,
                         .magic = &w->magic,
                         .draws.s = {w->seed, w->replication, same ? 0 : number, HC_PURPOSE_PLACE, 0}};
  p->state = hc_java_seed((int64_t)(w->seed + (same ? 0 : number)));
  if (has_blacklist) p->blacklisted = (uint32_t)(w->options->blacklist * (double)p->machines);
  pool = hc_alloc(w->allocator, p->machines * sizeof *pool);
  if (!pool) return HC_ENOMEM;
  p->pool = pool;
  TRY(picker_parts(w, p));
  for (uint32_t m = 0; m < p->machines; m++) pool[m] = m;
  forbid(w, p, pool, number);
  if (p->probes && !p->small_pool) return 0;
  for (uint32_t m = 0; p->small_pool && m < p->machines; m++) p->small_pool[m] = (uint16_t)pool[m];
  hc_free(w->allocator, pool, p->machines * sizeof *pool);
  p->pool = NULL;
  return 0;
}

void hc_omega_picker_fini(hc_world *w, hc_omega_picker *p)
{
  hc_free(w->allocator, p->pool, p->machines * sizeof *p->pool);
  hc_free(w->allocator, p->small_pool, p->machines * sizeof *p->small_pool);
  hc_free(w->allocator, p->found, p->machines * sizeof *p->found);
  hc_free(w->allocator, p->forbidden, w->cell.words * sizeof *p->forbidden);
}
