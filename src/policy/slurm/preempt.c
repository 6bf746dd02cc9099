/* preempt.c -- running jobs that are stopped for a job that waits.
 *
 * Candidates are running jobs that have nodes in the job's partition: of partitions of a lower PriorityTier,
 * but for those whose PreemptMode is OFF (preempt/partition_prio); or of QOS that the job's own lists, or,
 * with WITHIN, of the same and of a lower priority (preempt/qos). None that has not run for
 * PreemptExemptTime yet. They go by the tier, or by the priority of the QOS, and smaller ones first; with
 * preempt_youngest_first by their starts, the last first; then in the order of submission.
 *
 * They are taken away one by one until the job fits. Then the one that made it fit goes first
 * (preempt_strict_order), or the one that made it fit and then those with most of the chosen nodes, and all
 * begins anew: preempt_reorder_count + 1 times, and less often if there are few. Of those that were taken
 * away in the last round the ones on chosen nodes are stopped: requeued, or cancelled, as the PreemptMode of
 * their partition or QOS says, or else the cluster's. The job does not start at once: their nodes are still
 * to be cleaned up, and it waits for the next pass, which comes then.
 *
 * Jobs that have ended hold their nodes until these are clean, here as in all that is looked at now.
 *
 * With a GraceTime a job is told, and runs on for so long; slurmctld looks every 30 s who is to go by then.
 * For a job that others were stopped for no more are stopped within KillWait and MessageTimeout. Not
 * modelled: what a job does with the signal that tells it. Source: slurmctld and select/cons_tres of Slurm
 * 22.05, as they behave (docs/slurm.md). */
#include "policy/slurm/preempt.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/scheduler.h"

#define FIRST UINT32_MAX /* usable: it made the job fit */
#define POLL (30 * HC_SECOND)

typedef hc_slurm_candidate candidate;

void hc_slurm_preempt_fini(hc_slurm_preempt *p, const hc_slurm_books *b)
{
  hc_free(b->allocator, p->items, p->cap * sizeof *p->items);
  hc_free(b->allocator, p->chosen, p->chosen_cap * sizeof *p->chosen);
  hc_free(b->allocator, p->merge, p->merge_cap * sizeof *p->merge);
  hc_slurm_later_free(&p->without, b);
  *p = (hc_slurm_preempt){0};
}

/* ---- who may be stopped ---- */

static const hc_slurm_qos *qos_of(const hc_slurm_books *b, uint32_t qos)
{
  return b->accounting && qos != HC_SLURM_NONE ? &b->accounting->assocs.qos[qos] : NULL;
}

bool hc_slurm_preempt_qos(const hc_slurm_books *b, uint32_t qos, int64_t priority, uint32_t other,
                          int64_t other_priority)
{
  const hc_slurm_qos *q = qos_of(b, qos);
  if (!q || other == HC_SLURM_NONE) return false;
  if (qos == other) return (q->within || b->settings->preempt.within) && priority > other_priority;
  return hc_slurm_qos_has(&q->preempts, other);
}

hc_slurm_preempt_mode hc_slurm_preempt_mode_of(const hc_slurm_books *b, const hc_slurm_busy *x)
{
  const hc_slurm_preemption *o = &b->settings->preempt;
  const hc_slurm_qos *q = qos_of(b, x->qos);
  hc_slurm_preempt_mode mode = HC_SLURM_MODE_CLUSTER;
  if (o->type == HC_SLURM_PREEMPT_TIER) mode = b->partitions[x->partition].preempt.mode;
  else if (q) mode = q->mode;
  if (mode == HC_SLURM_MODE_CLUSTER) mode = o->mode;
  const bool stays = x->again == HC_AGAIN_UNSAID ? o->never_requeues : x->again == HC_AGAIN_NEVER;
  return mode == HC_SLURM_MODE_REQUEUE && stays ? HC_SLURM_MODE_CANCEL : mode;
}

static int64_t grace_of(const hc_slurm_books *b, const hc_slurm_busy *x)
{
  const hc_slurm_qos *q = qos_of(b, x->qos);
  if (b->settings->preempt.type == HC_SLURM_PREEMPT_TIER) return b->partitions[x->partition].preempt.grace;
  return q ? q->grace : 0;
}

static bool is_exempt(const hc_slurm_books *b, const hc_slurm_busy *x, int64_t now)
{
  const hc_slurm_qos *q = qos_of(b, x->qos);
  const int64_t exempt = q && q->exempt >= 0 ? q->exempt : b->settings->preempt.exempt;
  return exempt > 0 && x->start + exempt > now;
}

static bool may_stop(const hc_slurm_books *b, const hc_slurm_job *job, const hc_slurm_busy *x)
{
  if (b->settings->preempt.type == HC_SLURM_PREEMPT_QOS)
    return hc_slurm_preempt_qos(b, job->qos, job->priority, x->qos, x->priority);
  return b->partitions[x->partition].tier < b->partitions[job->partition].tier;
}

static bool is_on(const hc_slurm_busy *x, const uint64_t *nodes)
{
  for (uint32_t i = 0; i < x->nodes; i++)
    if (hc_bit_is(nodes, x->hosts[i])) return true;
  return false;
}

/* Is it a part of what a candidate is: the job itself, or another component of the same heterogeneous job? */
static bool is_part_of(const hc_slurm_busy *x, const hc_slurm_busy *of)
{
  return x == of || (of->part > 0 && x->part > 0 && x->job == of->job && x->freed == HC_NEVER);
}

/* May it go, and has it nodes there? A heterogeneous job is one candidate, which its first component stands
 * for, and none of the others may be exempt. */
static bool may_go(const hc_slurm_books *b, const hc_slurm_job *job, const hc_slurm_busy *of,
                   hc_slurm_preempt_mode mode, int64_t now)
{
  const uint64_t *nodes = b->partitions[job->partition].nodes;
  bool is_there = false;
  if (of->part > 1) return false;
  for (size_t i = 0; i < (of->part > 0 ? b->running_count : 1); i++) {
    const hc_slurm_busy *x = of->part > 0 ? &b->jobs[b->by_end[i]] : of;
    if (!is_part_of(x, of)) continue;
    if (!may_stop(b, job, x) || x->priority > b->settings->preempt_min_exempt_priority ||
        (mode != HC_SLURM_MODE_SUSPEND && is_exempt(b, x, now)))
      return false;
    is_there |= is_on(x, nodes);
  }
  return is_there;
}

/* Of a heterogeneous job the gentlest of what its components would be; but no component is ever suspended. */
static hc_slurm_preempt_mode mode_of_all(const hc_slurm_books *b, const hc_slurm_busy *of)
{
  hc_slurm_preempt_mode mode = hc_slurm_preempt_mode_of(b, of);
  for (size_t i = 0; of->part > 0 && i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (is_part_of(x, of) && hc_slurm_preempt_mode_of(b, x) == HC_SLURM_MODE_REQUEUE)
      mode = HC_SLURM_MODE_REQUEUE;
  }
  return mode;
}

/* Its tier or the priority of its QOS, and then its nodes: 16 bits each, as Slurm has them. */
static uint32_t key_of(const hc_slurm_books *b, const hc_slurm_busy *x)
{
  const hc_slurm_qos *q = qos_of(b, x->qos);
  int64_t most = q ? q->priority : 0;
  if (b->settings->preempt.type == HC_SLURM_PREEMPT_TIER) most = b->partitions[x->partition].tier;
  return (uint32_t)HC_MIN(most, 0xffff) << 16 | HC_MIN(x->nodes, UINT32_C(0xffff));
}

HC_SORT(sort_by_key, candidate, a->key != b->key ? a->key < b->key : a->serial < b->serial)
HC_SORT(sort_by_start, candidate, a->start != b->start ? a->start > b->start : a->serial < b->serial)
HC_SORT_STABLE(sort_by_usable, candidate, a->usable > b->usable)

hc_rc hc_slurm_preempt_gather(hc_slurm *self, const hc_slurm_job *job, int64_t now)
{
  const hc_slurm_books *b = &self->books;
  hc_slurm_preempt *m = &self->preempt;
  m->count = 0;
  TRY(hc_reserve(b->allocator, (void **)&m->chosen, &m->chosen_cap, b->words, sizeof *m->chosen));
  TRY(hc_reserve(b->allocator, (void **)&m->items, &m->cap, b->running_count, sizeof *m->items));
  TRY(hc_reserve(b->allocator, (void **)&m->merge, &m->merge_cap, b->running_count / 2 + 1,
                 sizeof *m->merge));
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    const hc_slurm_preempt_mode mode = mode_of_all(b, x);
    if (x->freed != HC_NEVER || mode == HC_SLURM_MODE_OFF || !may_go(b, job, x, mode, now)) continue;
    m->items[m->count++] = (candidate){
        .serial = x->serial, .start = x->start, .busy = b->by_end[i], .key = key_of(b, x), .mode = mode};
  }
  if (b->settings->preempt_youngest_first) sort_by_start(m->items, m->count);
  else sort_by_key(m->items, m->count);
  return m->count > 0;
}

/* ---- who has to go ---- */

/* Nothing is taken away yet. */
static hc_rc begin(hc_slurm *self)
{
  hc_slurm_books *b = &self->books;
  if (b->cores.words == 0) return hc_slurm_later_begin(&self->preempt.without, b);
  for (size_t i = 0; i < b->running_count; i++) b->jobs[b->by_end[i]].sliced.is_away = 0;
  return 0;
}

static void take(hc_slurm *self, const candidate *x)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_busy *of = &b->jobs[x->busy];
  for (size_t i = 0; i < (of->part > 0 ? b->running_count : 1); i++) {
    hc_slurm_busy *part = &b->jobs[of->part > 0 ? b->by_end[i] : x->busy];
    if (!is_part_of(part, of)) continue;
    if (b->cores.words > 0) part->sliced.is_away = 1;
    else hc_slurm_later_take(&self->preempt.without, b, part);
  }
}

/* @return 1, 0, HC_ENOMEM */
static hc_rc fits(hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask, const uint64_t *mask)
{
  if (self->books.cores.words > 0) return hc_slurm_rows_choose(self, job, ask, mask, HC_SLURM_ROWS);
  const hc_slurm_room room = hc_slurm_later_room(&self->preempt.without, &self->books);
  return hc_slurm_choose(&self->books.nodes, ask, &room, mask, &self->choice);
}

hc_rc hc_slurm_preempt_would(hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                             const hc_slurm_ask *ask, const uint64_t *mask)
{
  const hc_slurm_preempt *m = &self->preempt;
  const hc_rc rc = hc_slurm_preempt_gather(self, job, hc_slurm_second(&self->books, self->s->now(v)));
  if (rc <= 0) return rc;
  TRY(begin(self));
  for (size_t i = 0; i < m->count; i++)
    if (m->items[i].mode != HC_SLURM_MODE_SUSPEND) take(self, &m->items[i]);
  const hc_rc has = fits(self, job, ask, mask);
  TRY(begin(self));
  return has;
}

static void note_chosen(hc_slurm *self)
{
  hc_slurm_chosen(&self->choice, self->preempt.chosen, self->books.words);
}

/* How many of its nodes were chosen. */
static uint32_t usable_of(const hc_slurm *self, const candidate *x)
{
  const hc_slurm_books *b = &self->books;
  const hc_slurm_busy *of = &b->jobs[x->busy];
  uint32_t n = 0;
  for (size_t i = 0; i < (of->part > 0 ? b->running_count : 1); i++) {
    const hc_slurm_busy *part = of->part > 0 ? &b->jobs[b->by_end[i]] : of;
    for (uint32_t k = 0; k < part->nodes && is_part_of(part, of); k++)
      n += hc_bit_is(self->preempt.chosen, part->hosts[k]);
  }
  return n;
}

/* The one that made it fit goes first, and with it, unless the order is strict, what stood before it. */
static void reorder(hc_slurm *self, size_t last)
{
  hc_slurm_preempt *m = &self->preempt;
  const candidate x = m->items[last];
  if (self->settings.preempt_strict_order) {
    memmove(m->items + 1, m->items, last * sizeof x);
    m->items[0] = x;
    return;
  }
  note_chosen(self);
  for (size_t i = 0; i < m->count; i++) m->items[i].usable = i < last ? usable_of(self, &m->items[i]) : 0;
  m->items[last].usable = FIRST;
  sort_by_usable(m->items, m->count, m->merge);
}

/* Those that may be suspended have given way already, as far as they do. @return 1 with how many are taken
 * away when it fits; 0, HC_ENOMEM */
static hc_rc one_round(hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask, const uint64_t *mask,
                       size_t *taken)
{
  const hc_slurm_preempt *m = &self->preempt;
  hc_rc rc = 0;
  TRY(begin(self));
  for (*taken = 0; *taken < m->count && rc == 0;) {
    const candidate *x = &m->items[(*taken)++];
    if (x->mode == HC_SLURM_MODE_SUSPEND) continue;
    take(self, x);
    rc = fits(self, job, ask, mask);
  }
  TRY(begin(self));
  return rc;
}

/* ---- how they go ---- */

/* It is preempted now, and is to be gone by `end`. */
static void tell(hc_slurm_books *b, hc_task t, int64_t now, int64_t end)
{
  const uint32_t at = b->runs[t] - 1;
  b->jobs[at].told = HC_MAX(now, 1);
  if (end < b->jobs[at].end) hc_slurm_books_move_end(b, at, end);
}

/* It was not. */
static void untell(hc_slurm_books *b, uint32_t busy, int64_t told, int64_t end)
{
  b->jobs[busy].told = told;
  if (b->jobs[busy].end != end) hc_slurm_books_move_end(b, busy, end);
}

/* From now until slurmctld looks at time limits next, at or after the second `end`. */
static hc_time until_poll(const hc_slurm *self, const hc_view *v, int64_t end)
{
  const hc_time now = self->s->now(v), due = (end - self->books.origin) * HC_SECOND;
  const hc_time past = due - self->preempt.poll_at;
  return self->preempt.poll_at + (past / POLL + (past % POLL > 0)) * POLL - now;
}

/* @return 1: it was told, or is gone; 0: it goes on until its grace is over, or cannot be stopped */
static hc_rc stop_one(hc_slurm *self, const hc_view *v, hc_plan *p, const candidate *c, int64_t now)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_busy *x = &b->jobs[c->busy];
  const int64_t grace = grace_of(b, x), end = HC_MIN(x->end, now + grace);
  hc_stopping how = {.how = c->mode == HC_SLURM_MODE_REQUEUE ? HC_STOP_REQUEUE : HC_STOP_KILL};
  if (x->told > 0 && now < x->end) return 0;
  if (x->told == 0 && grace > 0) how.grace = HC_MAX(until_poll(self, v, end), 1);
  const hc_task t = x->task;
  const int64_t was = x->told, was_end = x->end;
  tell(b, t, now, end);
  const hc_rc rc = self->s->stop(p, t, &how);
  if (rc == HC_EPOLICY) { /* it has just started, in this very decision */
    untell(b, c->busy, was, was_end);
    return 0;
  }
  if (rc < 0) return rc;
  self->counts.preempted++;
  self->counts.preempted_requeued += how.how == HC_STOP_REQUEUE;
  self->counts.preempted_told += how.grace > 0;
  return 1;
}

/* It, and all other components of its heterogeneous job. @return how many were told, or are gone */
static hc_rc stop(hc_slurm *self, const hc_view *v, hc_plan *p, const candidate *c, int64_t now)
{
  const hc_slurm_books *b = &self->books;
  const hc_slurm_busy of = b->jobs[c->busy];
  candidate part = *c;
  hc_rc count, rc;
  TRY(count = stop_one(self, v, p, c, now));
  for (size_t i = 0; of.part > 0 && i < b->running_count; i++) {
    part.busy = b->by_end[i];
    const hc_slurm_busy *x = &b->jobs[part.busy];
    if (part.busy == c->busy || x->told > 0 || !is_part_of(x, &of)) continue;
    TRY(rc = stop_one(self, v, p, &part, now));
    count += rc;
    if (rc > 0) i = SIZE_MAX; /* the order of ends has changed */
  }
  return count;
}

hc_rc hc_slurm_preempt_stop(hc_slurm *self, const hc_view *v, hc_plan *p, uint32_t busy,
                            hc_slurm_preempt_mode mode)
{
  hc_slurm_books *b = &self->books;
  const hc_stopping how = {.how = mode == HC_SLURM_MODE_REQUEUE ? HC_STOP_REQUEUE : HC_STOP_KILL};
  const int64_t now = hc_slurm_second(b, self->s->now(v)), was = b->jobs[busy].told, end = b->jobs[busy].end;
  tell(b, b->jobs[busy].task, now, now);
  const hc_rc rc = self->s->stop(p, b->jobs[busy].task, &how);
  if (rc == HC_EPOLICY) untell(b, busy, was, end);
  if (rc < 0) return rc == HC_EPOLICY ? 0 : rc;
  self->counts.preempted++;
  self->counts.preempted_requeued += how.how == HC_STOP_REQUEUE;
  return 1;
}

/* For a job that others were stopped for a while ago no more are stopped. */
static bool is_under_way(const hc_slurm *self, const hc_slurm_job *job, int64_t now)
{
  const hc_slurm_settings *s = &self->settings;
  return job->stopped_for > 0 && job->stopped_for > now - s->kill_wait - s->preempt.message_timeout;
}

hc_rc hc_slurm_preempt_for(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                           const hc_slurm_ask *ask, const uint64_t *mask)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_preempt *m = &self->preempt;
  const int64_t now = hc_slurm_second(b, self->s->now(v));
  size_t taken = 0, gone = 0, chosen = 0;
  hc_rc rc = hc_slurm_preempt_gather(self, job, now);
  if (rc <= 0) return rc;
  for (size_t rounds = 0;;) {
    if ((rc = one_round(self, job, ask, mask, &taken)) <= 0) return rc;
    if (rounds++ > (size_t)self->settings.preempt_reorder_count || m->count <= rounds) break;
    reorder(self, taken - 1);
  }
  if (hc_slurm_is_over(self, v, job)) return 0;
  note_chosen(self);
  for (size_t i = 0; i < taken; i++) {
    if (m->items[i].mode == HC_SLURM_MODE_SUSPEND || usable_of(self, &m->items[i]) == 0) continue;
    chosen++;
    if (is_under_way(self, job, now)) continue;
    TRY(rc = stop(self, v, p, &m->items[i], now));
    gone += (size_t)rc;
  }
  if (chosen > 0 && !is_under_way(self, job, now))
    for (uint32_t at = b->places[job->task]; at > 0; at = b->queue[at - 1].next)
      b->queue[at - 1].stopped_for = HC_MAX(now, 1);
  if (gone > 0 && self->s->explaining(v))
    self->s->explain(v, job->task, "Slurm: %zu running job%s preempted for it", gone,
                     gone == 1 ? " is" : "s are");
  return 1;
}
