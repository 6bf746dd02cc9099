/* two_level.c -- an allocator offers what is free to one scheduler at a time, as the original understands
 * Mesos.
 *
 * A scheduler with work asks for offers. So often, if enough is free, the allocator takes the one that asks
 * with the smallest dominant share, copies the cell, locks everything that is free for it, and sends the
 * copy. The scheduler places as many of its jobs on the copy as it can, at once; its answer comes after the
 * sum of their think times. Then everything is unlocked, and the tasks start. A scheduler that thinks gets no
 * other offer.
 *
 * Of equal shares (0 before the first task starts) the original takes the one that its set of requests yields
 * first. That set is hashed by the objects' identity, so the order is one and the same permutation of the
 * schedulers for a whole run of the original, and another one in another Java process: `offer_order` says
 * which.
 *
 * Defect D13: the memory on offer is compared with the processors that are asked for, the least free memory
 * with free processors; and a scheduler that thinks gets further offers. */
#include <string.h>

#include "base/util.h"
#include "omega/world.h"

#define LITTLE 1e-6 /* less than this is nothing */

/* ---- the allocator ---- */

static hc_rc offer_soon(hc_world *w)
{
  if (w->is_offering) return 0;
  w->is_offering = true;
  return hc_omega_agenda_push(&w->agenda, w->now + (double)w->options->offer_interval / 1e9, HC_OMEGA_OFFERS,
                              0);
}

hc_rc hc_omega_two_level_ended(hc_world *w)
{
  return offer_soon(w);
}

static hc_rc request(hc_world *w, uint32_t scheduler)
{
  hc_omega_scheduler *s = &w->schedulers[scheduler];
  if (!s->is_requesting) {
    s->is_requesting = true;
    w->requests[w->request_count++] = scheduler;
  }
  return offer_soon(w);
}

static void cancel(hc_world *w, uint32_t scheduler)
{
  size_t i = 0;
  if (!w->schedulers[scheduler].is_requesting) return;
  w->schedulers[scheduler].is_requesting = false;
  while (w->requests[i] != scheduler) i++;
  w->request_count--;
  memmove(&w->requests[i], &w->requests[i + 1], (w->request_count - i) * sizeof *w->requests);
}

static double dominant_share(const hc_world *w, const hc_omega_scheduler *s)
{
  return HC_MAX(s->occupied.cpus / w->cell.total.cpus, s->occupied.memory / w->cell.total.memory);
}

/* Of those that ask and are not thinking about another offer; of equals the one of lowest rank.
 * HC_OMEGA_NONE: there is none. */
static uint32_t poorest(const hc_world *w)
{
  uint32_t best = HC_OMEGA_NONE;
  double least = 0;
  for (size_t i = 0; i < w->request_count; i++) {
    const hc_omega_scheduler *s = &w->schedulers[w->requests[i]];
    const double share = dominant_share(w, s);
    if (s->is_busy) continue;
    if (best != HC_OMEGA_NONE && (share > least || (share == least && s->rank > w->schedulers[best].rank)))
      continue;
    best = w->requests[i];
    least = share;
  }
  return best;
}

/* ---- who comes first of equals ---- */

static hc_rc no_such_scheduler(const hc_world *w, const char *name, hc_error *e)
{
  return hc_fail(
      e, HC_EUSAGE, "world omega", 0, 0,
      "offer_order: there is no scheduler \"%s\" that is not in the list already; the first one is called "
      "\"%s\", and `schedulers: 2` of a workload makes a -1 and a -2",
      name, w->schedulers[0].name);
}

/* Those in the list have the ranks from 0 on, the others behind them from the last to the first. */
hc_rc hc_omega_two_level_rank(hc_world *w, hc_error *e)
{
  const char *const *names = w->options->offer_order.items;
  const size_t listed = w->options->offer_order.count;
  uint32_t next = (uint32_t)listed;
  for (size_t i = 0; i < w->scheduler_count; i++) w->schedulers[i].rank = UINT32_MAX;
  for (size_t k = 0; k < listed; k++) {
    size_t i = 0;
    while (i < w->scheduler_count &&
           (strcmp(w->schedulers[i].name, names[k]) != 0 || w->schedulers[i].rank != UINT32_MAX))
      i++;
    if (i == w->scheduler_count) return no_such_scheduler(w, names[k], e);
    w->schedulers[i].rank = (uint32_t)k;
  }
  for (size_t i = w->scheduler_count; i-- > 0;)
    if (w->schedulers[i].rank == UINT32_MAX) w->schedulers[i].rank = next++;
  return 0;
}

/* An offer that is not out: its memory is used again. */
static hc_rc new_offer(hc_world *w, uint32_t *out)
{
  hc_omega_offer *o;
  for (uint32_t i = 0; i < w->offer_count; i++) {
    if (w->offers[i].is_out) continue;
    *out = i;
    return 0;
  }
  TRY(hc_reserve(w->allocator, (void **)&w->offers, &w->offer_cap, w->offer_count + 1, sizeof *w->offers));
  o = &w->offers[w->offer_count];
  memset(o, 0, sizeof *o);
  *out = (uint32_t)w->offer_count++;
  return 0;
}

static bool enough_is_free(const hc_world *w)
{
  const hc_omega_amounts free = hc_omega_cell_available(&w->cell);
  const double memory = hc_omega_has(w, HC_OMEGA_D13_OFFERS) ? free.cpus : free.memory;
  return free.cpus >= w->options->least_offer_cpus && memory >= w->options->least_offer_memory;
}

hc_rc hc_omega_two_level_offers(hc_world *w)
{
  const uint32_t scheduler = poorest(w);
  hc_omega_offer *o;
  uint32_t at;
  w->is_offering = false;
  if (scheduler == HC_OMEGA_NONE || !enough_is_free(w)) return 0;
  TRY(new_offer(w, &at));
  o = &w->offers[at];
  o->is_out = true;
  o->scheduler = scheduler;
  o->place_count = o->claim_count = 0;
  o->free = hc_omega_cell_available(&w->cell);
  TRY(hc_omega_hold_take(&w->holds, &o->hold, &w->cell));
  return hc_omega_agenda_push(&w->agenda, w->now + (double)w->options->offer_think / 1e9, HC_OMEGA_OFFER, at);
}

hc_rc hc_omega_two_level_answer(hc_world *w, uint32_t offer)
{
  hc_omega_offer *o = &w->offers[offer];
  const hc_omega_place *p = o->places;
  TRY(hc_omega_hold_release(&w->holds, &o->hold, &w->cell));
  for (size_t i = 0; i < o->claim_count; i++) {
    const hc_omega_amounts task = w->jobs[o->jobs[i]].task;
    for (uint32_t k = 0; k < o->counts[i]; k++) {
      TRY(hc_omega_cell_take(&w->cell, p[k].machine, task));
      TRY(hc_omega_holds_freed(&w->holds, &w->cell, p[k].machine,
                               (hc_omega_amounts){-task.cpus, -task.memory}));
    }
    TRY(hc_omega_start(w, o->scheduler, o->jobs[i], w->jobs[o->jobs[i]].duration, p, o->counts[i]));
    p += o->counts[i];
  }
  o->is_out = false;
  w->schedulers[o->scheduler].is_busy = false;
  return offer_soon(w);
}

/* ---- the schedulers ---- */

static hc_rc claim(hc_world *w, hc_omega_offer *o, uint32_t job)
{
  const hc_omega_places *p = &w->places;
  TRY(hc_reserve(w->allocator, (void **)&o->places, &o->place_cap, o->place_count + p->count,
                 sizeof *o->places));
  TRY(hc_reserve(w->allocator, (void **)&o->counts, &o->claim_cap, o->claim_count + 1, sizeof *o->counts));
  TRY(hc_reserve(w->allocator, (void **)&o->jobs, &o->job_cap, o->claim_count + 1, sizeof *o->jobs));
  memcpy(o->places + o->place_count, p->items, p->count * sizeof *p->items);
  o->place_count += p->count;
  o->jobs[o->claim_count] = job;
  o->counts[o->claim_count++] = (uint32_t)p->count;
  return 0;
}

/* One job on an offer. */
static hc_rc consider(hc_world *w, hc_omega_offer *o, hc_omega_cell *view, uint32_t job, double think)
{
  hc_omega_scheduler *s = &w->schedulers[o->scheduler];
  hc_omega_job *j = &w->jobs[job];
  const hc_omega_amounts free = o->free;
  const double memory = hc_omega_has(w, HC_OMEGA_D13_OFFERS) ? j->task.cpus : j->task.memory;
  const bool is_strict = hc_omega_has(w, HC_OMEGA_D13_OFFERS);
  const bool tries = is_strict ? free.cpus > j->task.cpus && free.memory > memory
                               : free.cpus >= j->task.cpus && free.memory >= memory;
  w->places.count = 0;
  if (tries) TRY(hc_omega_pick(&s->picker, view, j->task, j->unscheduled, &w->places));
  if (tries) s->failed_probes += s->picker.misses;
  if (w->places.count > 0) {
    for (size_t i = 0; i < w->places.count; i++) {
      o->free.cpus -= j->task.cpus;
      o->free.memory -= j->task.memory;
    }
    s->all.succeeded++;
    hc_omega_useful(w, s, job, think);
    j->unscheduled -= (uint32_t)w->places.count;
    TRY(claim(w, o, job));
  } else {
    s->no_resources += tries || !hc_omega_has(w, HC_OMEGA_D8_IDLE);
    if (!hc_omega_has(w, HC_OMEGA_D8_IDLE)) hc_omega_wasted(w, s, job, think);
  }
  return hc_omega_again(w, s, job);
}

/* Jobs of the queue, while anything is left of the offer. @param think out: about all of them */
static hc_rc use(hc_world *w, hc_omega_offer *o, hc_omega_cell *view, double *think)
{
  hc_omega_scheduler *s = &w->schedulers[o->scheduler];
  *think = 0;
  while (o->free.cpus > LITTLE && o->free.memory > LITTLE) {
    const uint32_t job = hc_omega_dequeue(w, s);
    double mine;
    if (job == HC_OMEGA_NONE) break;
    mine = hc_omega_think(w, &w->jobs[job], w->jobs[job].unscheduled);
    *think += mine;
    w->jobs[job].attempts++;
    w->jobs[job].task_attempts += w->jobs[job].unscheduled;
    TRY(consider(w, o, view, job, mine));
  }
  return 0;
}

hc_rc hc_omega_two_level_offer(hc_world *w, uint32_t offer)
{
  hc_omega_offer *o = &w->offers[offer];
  hc_omega_scheduler *s = &w->schedulers[o->scheduler];
  hc_omega_cell *view;
  double think;
  hc_rc rc;
  TRY(hc_omega_hold_open(&w->holds, &o->hold, &w->cell, &view));
  rc = use(w, o, view, &think);
  hc_omega_hold_close(&w->holds, &o->hold, &w->cell);
  TRY(rc);
  if (s->head == HC_OMEGA_NONE) cancel(w, o->scheduler);
  s->is_busy = !hc_omega_has(w, HC_OMEGA_D13_OFFERS);
  o->answer = w->now + think;
  return hc_omega_agenda_push(&w->agenda, o->answer, HC_OMEGA_ANSWER, offer);
}

hc_rc hc_omega_two_level_job(hc_world *w, uint32_t job)
{
  hc_omega_enqueue(w, job);
  return request(w, w->jobs[job].scheduler);
}

void hc_omega_two_level_fini(hc_world *w)
{
  for (size_t i = 0; i < w->offer_count; i++) {
    hc_omega_offer *o = &w->offers[i];
    hc_omega_hold_fini(&o->hold, w->allocator);
    hc_free(w->allocator, o->places, o->place_cap * sizeof *o->places);
    hc_free(w->allocator, o->counts, o->claim_cap * sizeof *o->counts);
    hc_free(w->allocator, o->jobs, o->job_cap * sizeof *o->jobs);
  }
  hc_omega_holds_fini(&w->holds, &w->cell);
  hc_free(w->allocator, w->offers, w->offer_cap * sizeof *w->offers);
}
