/* mold.c -- jobs that may start with more workers than their user asked for. See hindcast/execution.h.
 *
 * A scheduler asks how many when it begins to think, on what it sees then: that is its private state under
 * shared state. It thinks about each of them, and looks for so many places. If more are found than the job
 * has workers left, the work of those is divided among all of them and the job is whole; if fewer, each of
 * those does its own work and the rest comes back, to be asked about anew. Either way worker-seconds are what
 * they were. Workers beyond those that were asked for are never looked for again: they were only what
 * happened to be idle.
 *
 * Jobs of a workload without `mold` never come here, and nothing about them changes. */
#include "omega/mold.h"

#include "base/math.h"
#include "base/util.h"
#include "hindcast/execution.h"

/* ---- how many ---- */

static int64_t fit(double free, double each, int64_t most)
{
  if (free < each) return 0;
  return each > 0 && free < each * (double)most ? (int64_t)(free / each) : most;
}

/* Workers of this size that machine m has room for, but no more than `most`. */
static int64_t room_on(const hc_omega_cell *c, uint32_t m, hc_omega_amounts worker, int64_t most)
{
  const int64_t cpus = fit(c->each.cpus - c->state[m].held.cpus, worker.cpus, most);
  const int64_t memory = fit(c->each.memory - c->state[m].held.memory, worker.memory, most);
  return HC_MIN(cpus, memory);
}

static uint32_t pooled(const hc_omega_picker *p, uint32_t i)
{
  return p->small_pool ? p->small_pool[i] : p->pool[i];
}

/* Room on the machines that a picker may use; counting stops at `most`. */
static int64_t count_idle(const hc_omega_cell *c, const hc_omega_picker *p, hc_omega_amounts worker,
                          int64_t most)
{
  const uint32_t usable = p->probes ? p->machines - p->blacklisted : p->machines;
  int64_t n = 0;
  for (uint32_t i = 0; i < usable && n < most; i++) {
    const uint32_t m = p->probes ? pooled(p, i) : i;
    if (p->forbidden && p->forbidden[m / 64] >> (m % 64) & 1) continue;
    n += room_on(c, m, worker, most - n);
  }
  return n;
}

uint32_t hc_omega_width(const hc_world *w, const hc_omega_scheduler *s, uint32_t job)
{
  const hc_omega_job *j = &w->jobs[job];
  const hc_chosen *mold = w->workloads[j->workload].mold;
  const hc_omega_cell *c = &w->cell;
  const hc_mold_resource resources[] = {
      {j->task.cpus, c->occupied.cpus + c->locked.cpus, c->total.cpus},
      {j->task.memory, c->occupied.memory + c->locked.memory, c->total.memory}};
  hc_mold_question q = {
      .configured = j->unscheduled, .resources = resources, .resource_count = HC_ARRAY_LEN(resources)};
  if (!mold || j->activities <= j->tasks) return j->unscheduled;
  q.useful = (int64_t)((uint64_t)j->activities * j->unscheduled / j->tasks); /* of the work that is left */
  q.idle = count_idle(c, &s->picker, j->task, q.useful);
  return (uint32_t)hc_mold_width(mold, &q);
}

/* ---- places that were found ---- */

hc_rc hc_omega_start_found(hc_world *w, uint32_t scheduler, uint32_t job, const hc_omega_places *places)
{
  hc_omega_job *j = &w->jobs[job];
  const uint32_t found = (uint32_t)places->count, left = j->unscheduled, done = HC_MIN(found, left);
  const double speed_up = found > left ? (double)found / (double)left : 1;
  const double duration = found > left ? j->duration * (double)left / (double)found : j->duration;
  j->unscheduled -= done;
  j->extra += found - done;
  j->speed_up = j->speed_up == 0 ? speed_up : HC_MIN(j->speed_up, speed_up);
  j->last_end = HC_MAX(j->last_end, w->now + duration);
  return hc_omega_start(w, scheduler, job, duration, places->items, found);
}

/* ---- utilisation as it goes ---- */

hc_rc hc_omega_usage_init(hc_world *w)
{
  const double bins = w->run_time / HC_OMEGA_USAGE_BIN;
  bool molds = false;
  for (size_t i = 0; i < w->workload_count; i++) molds |= w->workloads[i].mold != NULL;
  if (!molds) return 0;
  w->usage.bin_count = (size_t)HC_MIN(bins, 1e6) + 1;
  w->usage.bins = hc_alloc(w->allocator, w->usage.bin_count * sizeof *w->usage.bins);
  return w->usage.bins ? 0 : HC_ENOMEM;
}

void hc_omega_usage_fini(hc_world *w)
{
  hc_free(w->allocator, w->usage.bins, w->usage.bin_count * sizeof *w->usage.bins);
}

/* Mean and sum of squared distances from it, sample by sample (Welford's). */
static void add(hc_omega_spread *s, double x, double count)
{
  const double from = x - s->mean;
  s->mean += from / count;
  s->squares += from * (x - s->mean);
}

void hc_omega_usage_sample(hc_world *w)
{
  hc_omega_usage *u = &w->usage;
  const hc_omega_amounts share = {w->cell.occupied.cpus / w->cell.total.cpus,
                                  w->cell.total.memory > 0 ? w->cell.occupied.memory / w->cell.total.memory
                                                           : 0};
  hc_omega_usage_bin *b;
  if (!u->bins) return;
  u->samples++;
  add(&u->cpus, share.cpus, (double)u->samples);
  add(&u->memory, share.memory, (double)u->samples);
  b = &u->bins[(size_t)HC_MIN(w->now / HC_OMEGA_USAGE_BIN, (double)(u->bin_count - 1))];
  b->sum.cpus += share.cpus;
  b->sum.memory += share.memory;
  b->samples++;
}

double hc_omega_spread_deviation(const hc_omega_spread *s, uint64_t samples)
{
  return samples > 0 ? hc_sqrt(s->squares / (double)samples) : 0;
}
