/* together.c -- see together.h.
 *
 * The main scheduler starts no component: one that it comes to blocks its partition as a job that does not
 * fit. The backfill plans each as a job of its own, from when it has found nodes for those before it on,
 * and keeps its nodes from jobs behind it from its own start on, be that now. When the cycle is over (with
 * bf_hetjob_immediate: as soon as the last of them is planned) a heterogeneous job starts whose components
 * have all found nodes by now: each in the order in which they were tried, on nodes that none of the others
 * has, and whatever is planned there. What a cycle has found the next one does not know.
 *
 * A job of which a component then finds no nodes, or is over a limit beside the others, does not start, and
 * is tried in the next cycle. slurmctld starts the components before that one, takes them back and lets
 * them wait for their credentials to expire; and makes no plan for a component where two such jobs would
 * wait for each other.
 *
 * A component may preempt as a job does. When all have found nodes by now others are stopped for the first
 * that has to wait for them, and the job is tried again in the next cycle. Source: the backfill of Slurm
 * 22.05, as it behaves. */
#include "policy/slurm/together.h"

#include <string.h>

#include "base/util.h"
#include "policy/slurm/scheduler.h"
#include "policy/slurm/sharing.h"

typedef hc_slurm_component component;

void hc_slurm_together_fini(hc_slurm *self)
{
  hc_slurm_together *g = &self->together;
  hc_free(self->allocator, g->components, g->cap * sizeof *g->components);
}

void hc_slurm_together_begin(hc_slurm *self)
{
  hc_slurm_books *b = &self->books;
  self->together.count = 0;
  if (b->hets.count == 0) return;
  for (size_t i = 0; i < b->hets.count; i++) b->hets.items[i].waiting = 0;
  for (size_t i = 0; i < b->queue_count; i++) {
    const hc_slurm_job *x = &b->queue[i];
    if (x->het > 0 && b->places[x->task] == i + 1) b->hets.items[x->het - 1].waiting++;
  }
}

static component *find(const hc_slurm *self, const hc_slurm_job *job)
{
  const hc_slurm_together *g = &self->together;
  for (size_t i = 0; i < g->count; i++)
    if (g->components[i].job.serial == job->serial) return &g->components[i];
  return NULL;
}

hc_rc hc_slurm_together_try(hc_slurm *self, const hc_slurm_job *job, int64_t now, int64_t *earliest)
{
  hc_slurm_together *g = &self->together;
  *earliest = now;
  for (size_t i = 0; i < g->count; i++) {
    const component *x = &g->components[i];
    if (x->job.het == job->het && x->job.serial != job->serial) *earliest = HC_MAX(*earliest, x->start);
  }
  if (!find(self, job)) {
    TRY(hc_reserve(self->allocator, (void **)&g->components, &g->cap, g->count + 1, sizeof *g->components));
    g->components[g->count++] = (component){.job = *job, .start = HC_NEVER};
  }
  return *earliest <= now + self->settings.bf_window * 60;
}

void hc_slurm_together_found(hc_slurm *self, const hc_slurm_job *job, int64_t limit, int64_t start,
                             bool preempts)
{
  component *x = find(self, job);
  if (x && start < x->start)
    *x = (component){.job = *job, .limit = limit, .start = start, .preempts = preempts};
}

/* ---- starts ---- */

/* Were all that wait tried, and is there room for each by now? */
static bool is_ready(const hc_slurm *self, uint32_t het, int64_t now)
{
  const hc_slurm_together *g = &self->together;
  int64_t ready = 0;
  for (size_t i = 0; i < g->count; i++) {
    if (g->components[i].job.het != het) continue;
    if (g->components[i].start > now) return false;
    ready++;
  }
  return ready > 0 && ready == self->books.hets.items[het - 1].waiting;
}

/* Choose nodes for a component beside those of the others, which `avail` has no more then.
 * @return do they suffice? */
static bool choose(hc_slurm *self, const hc_view *v, const component *x, int64_t now)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_job *job = &x->job;
  const hc_slurm_room room = hc_slurm_now(b);
  int64_t need[HC_DIMENSIONS], when = now;
  hc_slurm_ask ask;
  bool overlaps;
  const bool anywhere = hc_slurm_ask_in(b, v, job, need, &ask);
  for (uint32_t w = 0; w < b->words; w++)
    self->mask[w] = b->partitions[job->partition].nodes[w] & self->avail[w];
  if (!anywhere) hc_slurm_may(b, v, job->task, self->mask);
  hc_slurm_caps_fill(self, job, 0, &ask);
  hc_slurm_caps_leave(self, job, &ask, self->mask);
  if (hc_slurm_sharing_matters(b, job)) hc_slurm_sharing_leave(b, job, self->mask);
  if (b->reservations.count > 0) {
    const hc_slurm_reserver who = hc_slurm_reserver_of(b, job);
    if (!hc_slurm_reservations_leave(&b->reservations, &who, now, &when, x->limit, true, self->mask,
                                     &overlaps) ||
        when > now)
      return false;
  }
  if (!hc_slurm_choose(&b->nodes, &ask, &room, self->mask, &self->choice)) return false;
  hc_slurm_sort(&self->choice);
  hc_slurm_chosen(&self->choice, self->picked, b->words);
  for (uint32_t w = 0; w < b->words; w++) self->avail[w] &= ~self->picked[w];
  return true;
}

/* One component after the other, up to `most` of them, is given nodes and `take`n. @return how many were
 * taken, before the first that was not; or an error */
typedef hc_rc taking(hc_slurm *self, hc_view *v, hc_plan *p, const component *x);

static hc_rc each(hc_slurm *self, hc_view *v, hc_plan *p, uint32_t het, int64_t most, taking *take)
{
  const hc_slurm_together *g = &self->together;
  const int64_t now = hc_slurm_second(&self->books, self->s->now(v));
  hc_rc count = 0;
  memcpy(self->avail, self->books.up, self->books.words * sizeof *self->avail);
  for (size_t i = 0; i < g->count && count < most; i++) {
    const component *x = &g->components[i];
    if (x->job.het != het) continue;
    if (!choose(self, v, x, now)) break;
    const hc_rc rc = take(self, v, p, x);
    if (rc < 0) return rc;
    if (rc == 0) break;
    count++;
  }
  return count;
}

/* Limits let it start beside those that were counted before it; it is counted, too. */
static hc_rc count_one(hc_slurm *self, hc_view *v, hc_plan *p, const component *x)
{
  hc_slurm_accounting *a = self->books.accounting;
  HC_UNUSED(p);
  if (!a) return 1;
  if (hc_slurm_is_limited(self, v, &x->job) || hc_slurm_is_over(self, v, &x->job)) return 0;
  const hc_rc rc = hc_slurm_accounting_count(a, v, x->job.task, self->choice.dealt, self->choice.dealt_count);
  return rc < 0 ? rc : 1;
}

static hc_rc discount_one(hc_slurm *self, hc_view *v, hc_plan *p, const component *x)
{
  hc_slurm_accounting *a = self->books.accounting;
  HC_UNUSED(p);
  if (a) hc_slurm_accounting_discount(a, v, x->job.task, self->choice.dealt, self->choice.dealt_count);
  return 1;
}

static hc_rc start_one(hc_slurm *self, hc_view *v, hc_plan *p, const component *x)
{
  return hc_slurm_start(self, v, p, &x->job, x->limit);
}

/* Licences for all of them at once? */
static bool has_licences(const hc_slurm *self, const hc_view *v, uint32_t het)
{
  const hc_slurm_books *b = &self->books;
  const hc_slurm_together *g = &self->together;
  for (uint32_t d = 0; d < b->nodes.dims; d++) {
    int64_t sum = 0;
    for (size_t i = 0; i < g->count && b->shared[d]; i++)
      if (g->components[i].job.het == het) sum += b->s->demand(v, g->components[i].job.task, d);
    if (b->shared[d] && sum > b->licences[d]) return false;
  }
  return true;
}

/* Stop others for the component behind the first `count`, if that was found nodes so; `avail` has none of
 * theirs. It is tried again in the next cycle. */
static hc_rc make_room(hc_slurm *self, hc_view *v, hc_plan *p, uint32_t het, int64_t count)
{
  const hc_slurm_together *g = &self->together;
  const int64_t now = hc_slurm_second(&self->books, self->s->now(v));
  int64_t need[HC_DIMENSIONS];
  hc_slurm_ask ask;
  for (size_t i = 0; i < g->count; i++) {
    const component *x = &g->components[i];
    if (x->job.het != het || count-- > 0) continue;
    if (!x->preempts || choose(self, v, x, now)) return 0;
    (void)hc_slurm_ask_in(&self->books, v, &x->job, need, &ask);
    return HC_MIN(hc_slurm_preempt_for(self, v, p, &x->job, &ask, self->mask), 0);
  }
  return 0;
}

static hc_rc start_het(hc_slurm *self, hc_view *v, hc_plan *p, uint32_t het)
{
  const int64_t all = self->books.hets.items[het - 1].waiting;
  hc_rc counted, rc;
  if (!is_ready(self, het, hc_slurm_second(&self->books, self->s->now(v))) || !has_licences(self, v, het))
    return 0;
  TRY(counted = each(self, v, p, het, all, count_one));
  TRY(rc = each(self, v, p, het, counted, discount_one));
  if (counted < all) return make_room(self, v, p, het, counted);
  TRY(rc = each(self, v, p, het, all, start_one));
  self->books.hets.items[het - 1].waiting -= rc;
  hc_slurm_kinds_clear(&self->kinds);
  return rc;
}

/* Is it the first of its heterogeneous job that was tried? */
static bool is_first(const hc_slurm_together *g, size_t i)
{
  for (size_t k = 0; k < i; k++)
    if (g->components[k].job.het == g->components[i].job.het) return false;
  return true;
}

hc_rc hc_slurm_together_start(hc_slurm *self, hc_view *v, hc_plan *p, uint32_t het, int64_t count)
{
  const hc_slurm_together *g = &self->together;
  const int64_t most = self->settings.bf_max_job_start;
  hc_rc sum = 0;
  for (size_t i = 0; i < g->count; i++) {
    const uint32_t of = g->components[i].job.het;
    if ((het > 0 && of != het) || !is_first(g, i)) continue;
    if (most > 0 && count + sum >= most) break;
    const hc_rc rc = start_het(self, v, p, of);
    if (rc < 0) return rc;
    sum += rc;
  }
  return sum;
}
