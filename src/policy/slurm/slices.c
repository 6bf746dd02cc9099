/* slices.c -- see slices.h.
 *
 * Jobs of a partition stand in a list, in the order in which they came. Those have their turn that fit
 * beside each other, the first ones first, and beside the shadows: jobs of higher tiers that have theirs.
 * When a slice (SchedulerTimeSlice) is over, and there are jobs without a turn, those that had it go to the
 * end of the list, and turns are given anew. In the midst of a slice a job that comes, or whose cores come
 * free, gets its turn if it fits as a filler: at the next slice it stands where it was, as if it had had
 * none. A job that gets no turn when it starts is suspended at once. One that has to give way to a shadow
 * is suspended, or goes for good where the PreemptMode of its partition is REQUEUE or CANCEL.
 *
 * Two jobs fit beside each other if they have no core in common; with CR_CPU and task/none if the
 * processors of their common nodes are enough for both; without CR_CPU and CR_Core if they have no node in
 * common.
 *
 * Lists are gone over as Slurm does, and what follows of it is done afterwards, since the engine lets no
 * two jobs hold one core: those without a turn are suspended first. A job that starts without one needs its
 * cores for that instant: who has them is suspended for no time, and goes on when the job is, in a decision
 * of its own at the same time. Components of heterogeneous jobs take no part, as in Slurm; their cores are
 * no other's. Cost: O(nodes and jobs of a partition) for each that starts, ends, or is cycled. Source: the
 * gang scheduler of Slurm 22.05, as it behaves. */
#include "policy/slurm/slices.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/cores.h"
#include "policy/slurm/rows.h"
#include "policy/slurm/scheduler.h"
#include "policy/slurm/suspended.h"

#define CORE 1000

/* ---- lists ---- */

/* Rows go by tiers without turns as well (shares.h). */
static hc_rc sort_tiers(hc_slurm_books *b)
{
  hc_slurm_slices *s = &b->slices;
  s->by_tier = hc_alloc(b->allocator, b->partition_count * sizeof *s->by_tier);
  if (!s->by_tier) return HC_ENOMEM;
  for (uint32_t i = 0; i < b->partition_count; i++) {
    uint32_t at = i;
    for (; at > 0 && b->partitions[s->by_tier[at - 1]].tier < b->partitions[i].tier; at--)
      s->by_tier[at] = s->by_tier[at - 1];
    s->by_tier[at] = i;
  }
  return 0;
}

hc_rc hc_slurm_slices_init(hc_slurm_books *b)
{
  hc_slurm_slices *s = &b->slices;
  const hc_allocator *a = b->allocator;
  const bool gang = b->settings->preempt.gang;
  if (gang || b->times) TRY(sort_tiers(b));
  if (!gang) return 0;
  s->lists = hc_alloc(a, b->partition_count * sizeof *s->lists);
  s->counts = hc_alloc(a, b->nodes.count * sizeof *s->counts);
  return s->lists && s->counts ? 0 : HC_ENOMEM;
}

void hc_slurm_slices_fini(hc_slurm_books *b)
{
  hc_slurm_slices *s = &b->slices;
  const hc_allocator *a = b->allocator;
  for (size_t i = 0; s->lists && i < b->partition_count; i++)
    hc_free(a, s->lists[i].jobs, s->lists[i].cap * sizeof *s->lists[i].jobs);
  hc_free(a, s->lists, b->partition_count * sizeof *s->lists);
  hc_free(a, s->by_tier, b->partition_count * sizeof *s->by_tier);
  hc_free(a, s->counts, b->nodes.count * sizeof *s->counts);
  hc_free(a, s->scratch, s->scratch_cap);
}

void hc_slurm_slices_empty(hc_slurm_books *b)
{
  for (size_t i = 0; b->slices.lists && i < b->partition_count; i++) b->slices.lists[i].count = 0;
}

static hc_rc append(hc_slurm_books *b, uint32_t busy)
{
  hc_slurm_list *l = &b->slices.lists[b->jobs[busy].partition];
  TRY(hc_reserve(b->allocator, (void **)&l->jobs, &l->cap, l->count + 1, sizeof *l->jobs));
  l->jobs[l->count++] = busy;
  return 0;
}

static void remove_from(hc_slurm_list *l, uint32_t busy)
{
  size_t i = 0;
  while (i < l->count && l->jobs[i] != busy) i++;
  if (i == l->count) return;
  l->count--;
  memmove(l->jobs + i, l->jobs + i + 1, (l->count - i) * sizeof *l->jobs);
}

/* By their places; each goes where it belongs. */
hc_rc hc_slurm_slices_load(hc_slurm_books *b)
{
  b->slices.is_pending = b->slices.lists != NULL;
  TRY(hc_slurm_rows_prepare(b));
  for (size_t i = 0; b->slices.lists && b->cores.words > 0 && i < b->running_count; i++) {
    const uint32_t busy = b->by_end[i];
    if (b->jobs[busy].sliced.is_apart) continue;
    TRY(append(b, busy));
    hc_slurm_list *l = &b->slices.lists[b->jobs[busy].partition];
    size_t at = l->count - 1;
    for (; at > 0 && b->jobs[l->jobs[at - 1]].sliced.place > b->jobs[busy].sliced.place; at--)
      l->jobs[at] = l->jobs[at - 1];
    l->jobs[at] = busy;
    b->slices.place = HC_MAX(b->slices.place, b->jobs[busy].sliced.place);
  }
  return 0;
}

/* ---- which jobs fit beside each other ---- */

static void clear(hc_slurm_books *b)
{
  memset(b->cores.seen, 0, b->cores.cap * sizeof *b->cores.seen);
  memset(b->slices.counts, 0, b->nodes.count * sizeof *b->slices.counts);
}

static void add(hc_slurm_books *b, const hc_slurm_busy *x)
{
  const uint32_t words = b->cores.words;
  for (size_t i = 0; i < x->whole.count; i++) {
    const size_t host = x->whole.hosts[i];
    uint64_t *seen = b->cores.seen + host * words;
    for (uint32_t w = 0; w < words; w++) seen[w] |= x->cores[i * words + w];
    b->slices.counts[host] += hc_bits_in(x->cores + i * words, words);
  }
}

static bool fits_on(const hc_slurm_books *b, const hc_slurm_busy *x, size_t i)
{
  const uint32_t words = b->cores.words, host = x->whole.hosts[i];
  const uint64_t *cores = x->cores + i * words, *seen = b->cores.seen + (size_t)host * words;
  const int64_t has = b->slices.counts[host];
  if (b->settings->slices_by == HC_SLURM_BY_NODES) return has == 0;
  if (b->settings->slices_by == HC_SLURM_BY_CPUS)
    return has + (int64_t)hc_bits_in(cores, words) <= (int64_t)hc_slurm_cores_of(b, host);
  for (uint32_t w = 0; w < words; w++)
    if (cores[w] & seen[w]) return false;
  return true;
}

static bool fits(const hc_slurm_books *b, const hc_slurm_busy *x)
{
  for (size_t i = 0; i < x->whole.count; i++)
    if (!fits_on(b, x, i)) return false;
  return true;
}

/* Jobs of higher tiers that have their turn. @return how many */
static size_t add_shadows(hc_slurm_books *b, uint32_t partition)
{
  size_t n = 0;
  for (size_t i = 0; i < b->partition_count; i++) {
    const hc_slurm_list *l = &b->slices.lists[i];
    if (b->partitions[i].tier <= b->partitions[partition].tier) continue;
    for (size_t k = 0; k < l->count; k++) {
      if (!b->jobs[l->jobs[k]].sliced.shadows) continue;
      add(b, &b->jobs[l->jobs[k]]);
      n++;
    }
  }
  return n;
}

/* ---- turns ---- */

static hc_slurm_busy *job_at(const hc_slurm_books *b, const hc_slurm_list *l, size_t i)
{
  return &b->jobs[l->jobs[i]];
}

/* It has no turn any more. */
static void hold(const hc_slurm_books *b, hc_slurm_busy *x, bool by_shadow)
{
  const hc_slurm_preempt_mode mode = hc_slurm_preempt_mode_of(b, x);
  if (!x->sliced.waits && by_shadow && x->freed == HC_NEVER &&
      (mode == HC_SLURM_MODE_REQUEUE || mode == HC_SLURM_MODE_CANCEL))
    x->sliced.goes = (uint32_t)mode;
  x->sliced.waits = 1;
  x->sliced.shadows = 0;
}

/* Those who have a turn of this kind keep it if they still fit. */
static void keep(hc_slurm_books *b, hc_slurm_list *l, uint32_t turn, bool by_shadow)
{
  for (size_t i = 0; i < l->count; i++) {
    hc_slurm_busy *x = job_at(b, l, i);
    if (x->sliced.turn != turn) continue;
    if (fits(b, x)) {
      add(b, x);
      x->sliced.shadows = 1;
      continue;
    }
    x->sliced.turn = HC_SLURM_NO_TURN;
    hold(b, x, by_shadow);
  }
}

static void fill(hc_slurm_books *b, hc_slurm_list *l)
{
  for (size_t i = 0; i < l->count; i++) {
    hc_slurm_busy *x = job_at(b, l, i);
    if (x->sliced.turn != HC_SLURM_NO_TURN || x->sliced.goes || !fits(b, x)) continue;
    add(b, x);
    x->sliced.turn = HC_SLURM_FILLER;
    x->sliced.waits = 0;
    x->sliced.shadows = 1;
  }
}

/* In the midst of a slice, the highest tier first: who has a turn keeps it as far as that can be, and others
 * fill what is left. */
static void update(hc_slurm_books *b)
{
  for (size_t i = 0; i < b->partition_count; i++) {
    const uint32_t partition = b->slices.by_tier[i];
    hc_slurm_list *l = &b->slices.lists[partition];
    if (l->count == 0) continue;
    clear(b);
    const bool has_shadows = add_shadows(b, partition) > 0;
    keep(b, l, HC_SLURM_ACTIVE, has_shadows);
    keep(b, l, HC_SLURM_FILLER, has_shadows);
    fill(b, l);
  }
  b->slices.is_pending = true;
}

/* Does it fit beside all of its partition that have a turn? */
static bool fits_in_turn(hc_slurm_books *b, const hc_slurm_busy *x)
{
  const hc_slurm_list *l = &b->slices.lists[x->partition];
  clear(b);
  (void)add_shadows(b, x->partition);
  for (size_t i = 0; i < l->count; i++)
    if (job_at(b, l, i)->sliced.turn != HC_SLURM_NO_TURN) add(b, job_at(b, l, i));
  return fits(b, x);
}

hc_rc hc_slurm_slices_join(hc_slurm_books *b, uint32_t busy)
{
  hc_slurm_busy *x = &b->jobs[busy];
  if (!b->slices.lists || x->sliced.is_apart) return 0;
  const bool has_turn = fits_in_turn(b, x);
  TRY(append(b, busy));
  x->sliced.place = ++b->slices.place;
  x->sliced.goes = 0;
  x->sliced.turn = has_turn ? HC_SLURM_FILLER : HC_SLURM_NO_TURN;
  x->sliced.waits = !has_turn;
  x->sliced.shadows = has_turn;
  b->slices.is_pending = true;
  if (has_turn) update(b);
  return 0;
}

void hc_slurm_slices_leave(hc_slurm_books *b, uint32_t busy)
{
  if (b->cores.words == 0) return;
  if (b->slices.lists) remove_from(&b->slices.lists[b->jobs[busy].partition], busy);
  hc_slurm_rows_fill(b, b->jobs[busy].partition);
  if (b->slices.lists) update(b);
}

/* ---- a slice is over ---- */

static size_t count_shadows(const hc_slurm_books *b, uint32_t partition)
{
  size_t n = 0;
  for (size_t i = 0; i < b->partition_count; i++) {
    const hc_slurm_list *l = &b->slices.lists[i];
    if (b->partitions[i].tier <= b->partitions[partition].tier) continue;
    for (size_t k = 0; k < l->count; k++) n += job_at(b, l, k)->sliced.shadows;
  }
  return n;
}

static bool has_waiting(const hc_slurm_books *b, const hc_slurm_list *l)
{
  for (size_t i = 0; i < l->count; i++)
    if (job_at(b, l, i)->sliced.turn == HC_SLURM_NO_TURN) return true;
  return false;
}

bool hc_slurm_slices_matter(const hc_slurm_books *b)
{
  for (size_t i = 0; b->slices.lists && b->cores.words > 0 && i < b->partition_count; i++)
    if (has_waiting(b, &b->slices.lists[i])) return true;
  return false;
}

/* Those that were active go behind the others, in their order; as the list shrinks under its reader, one that
 * follows several of them at the end may be seen twice, as in Slurm. */
static void move_back(hc_slurm_books *b, hc_slurm_list *l)
{
  for (size_t i = 0; i < l->count; i++) {
    while (job_at(b, l, i)->sliced.turn == HC_SLURM_ACTIVE) {
      const uint32_t busy = l->jobs[i];
      b->jobs[busy].sliced.turn = HC_SLURM_NO_TURN;
      memmove(l->jobs + i, l->jobs + i + 1, (l->count - i - 1) * sizeof *l->jobs);
      l->jobs[l->count - 1] = busy;
    }
    if (job_at(b, l, i)->sliced.turn == HC_SLURM_FILLER) job_at(b, l, i)->sliced.turn = HC_SLURM_NO_TURN;
  }
  for (size_t i = 0; i < l->count; i++) job_at(b, l, i)->sliced.place = ++b->slices.place;
}

static void cycle(hc_slurm_books *b, uint32_t partition)
{
  hc_slurm_list *l = &b->slices.lists[partition];
  move_back(b, l);
  clear(b);
  const bool has_shadows = add_shadows(b, partition) > 0;
  for (size_t i = 0; i < l->count; i++) {
    hc_slurm_busy *x = job_at(b, l, i);
    if (x->sliced.goes || !fits(b, x)) continue;
    add(b, x);
    x->sliced.turn = HC_SLURM_ACTIVE;
  }
  for (size_t i = 0; i < l->count; i++) {
    hc_slurm_busy *x = job_at(b, l, i);
    if (x->sliced.turn == HC_SLURM_NO_TURN && !x->sliced.waits) hold(b, x, has_shadows);
    if (x->sliced.turn != HC_SLURM_ACTIVE || !x->sliced.waits) continue;
    x->sliced.waits = 0;
    x->sliced.shadows = 1;
  }
}

/* Slurm looks at partitions of which some job has no turn. Here also at those over which other shadows have
 * come to lie: there two jobs would have one core until the next slice. */
void hc_slurm_slices_turn(hc_slurm_books *b)
{
  bool has_changed = false;
  for (size_t i = 0; i < b->partition_count; i++) {
    const uint32_t partition = b->slices.by_tier[i];
    const hc_slurm_list *l = &b->slices.lists[partition];
    if (l->count == 0 || (!has_waiting(b, l) && !(has_changed && count_shadows(b, partition) > 0))) continue;
    cycle(b, partition);
    has_changed = true;
  }
  b->slices.is_pending |= has_changed;
}

/* ---- done ---- */

static bool runs(const hc_slurm_busy *x)
{
  return x->freed == HC_NEVER && x->since == 0;
}

/* Suspend a running job, or stop it where it is to go. @return 1; 0: not in this decision */
static hc_rc halt(hc_slurm *self, const hc_view *v, hc_plan *p, uint32_t busy)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_preempt_mode goes = (hc_slurm_preempt_mode)b->jobs[busy].sliced.goes;
  if (goes != HC_SLURM_MODE_CLUSTER) return hc_slurm_preempt_stop(self, v, p, busy, goes);
  return hc_slurm_suspended_add(b, p, busy);
}

/* Has a running job one of the cores that a job would get on what `choice` deals it? */
static bool is_dealt(const hc_slurm *self, const hc_slurm_ask *ask, const hc_slurm_busy *x)
{
  const hc_slurm_books *b = &self->books;
  const uint32_t words = b->cores.words;
  for (size_t i = 0; i < self->choice.dealt_count; i++) {
    const hc_host_room *dealt = &self->choice.dealt[i];
    const uint64_t *cores = hc_slurm_cores_on(b, x, dealt->host);
    const uint64_t *avoid = b->cores.avoid + (size_t)dealt->host * words;
    const uint32_t all = hc_slurm_cores_of(b, dealt->host);
    const int64_t needs = (ask->need[0] * dealt->slots + CORE - 1) / CORE;
    int64_t want = ask->is_whole || ask->is_alone ? all : needs;
    if (!cores) continue;
    for (uint32_t c = 0; c < all && want > 0; c++) {
      if (hc_bit_is(avoid, c)) continue;
      if (hc_bit_is(cores, c)) return true;
      want--;
    }
  }
  return false;
}

/* Where memory is given up with cores: does a job on nodes that are dealt have memory of which there is too
 * little now? */
static bool has_memory(const hc_slurm *self, const hc_view *v, const hc_slurm_job *job,
                       const hc_slurm_ask *ask, const hc_slurm_busy *x)
{
  const hc_slurm_books *b = &self->books;
  const uint32_t d = b->memory;
  if (d == 0 || b->settings->keeps_memory || x->sliced.is_apart) return false;
  if (b->partitions[x->partition].tier > b->partitions[job->partition].tier) return false;
  for (size_t i = 0; i < self->choice.dealt_count; i++) {
    const hc_host_room *dealt = &self->choice.dealt[i];
    const bool lacks = b->s->host_free(v, dealt->host, NULL)[d] < ask->need[d] * (int64_t)dealt->slots;
    for (size_t k = 0; lacks && k < x->whole.count; k++)
      if (x->whole.hosts[k] == dealt->host && x->whole.amounts[k * b->nodes.dims + d] > 0) return true;
  }
  return false;
}

/* Would it have its turn at once? */
static bool would_have_turn(const hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask)
{
  const hc_slurm_books *b = &self->books;
  const int64_t tier = b->partitions[job->partition].tier;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    const bool is_peer = x->partition == job->partition && x->sliced.turn != HC_SLURM_NO_TURN;
    const bool is_shadow = b->partitions[x->partition].tier > tier && x->sliced.shadows;
    if ((is_peer || is_shadow) && is_dealt(self, ask, x)) return false;
  }
  return true;
}

/* A job that starts takes its cores at once, be it only for this instant: who has them gives way. */
hc_rc hc_slurm_slices_make_way(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                               const hc_slurm_ask *ask)
{
  hc_slurm_books *b = &self->books;
  const bool stays = would_have_turn(self, job, ask);
  for (size_t i = 0; i < b->running_count; i++) {
    const uint32_t busy = b->by_end[i];
    hc_slurm_busy *x = &b->jobs[busy];
    if (!runs(x) || (!is_dealt(self, ask, x) && !has_memory(self, v, job, ask, x))) continue;
    const hc_slurm_preempt_mode mode = hc_slurm_preempt_mode_of(b, x);
    const bool is_lower = b->partitions[x->partition].tier < b->partitions[job->partition].tier;
    if (stays && is_lower && (mode == HC_SLURM_MODE_REQUEUE || mode == HC_SLURM_MODE_CANCEL))
      x->sliced.goes = (uint32_t)mode;
    const hc_rc rc = halt(self, v, p, busy);
    if (rc == 0) x->sliced.goes = 0;
    if (rc <= 0) return rc;
    i = SIZE_MAX; /* the order of ends may have changed */
  }
  return 1;
}

/* A job that has no turn is suspended, one that has goes on. @return 1, 0: there is nothing to do, or not
 * yet */
static hc_rc settle_one(hc_slurm *self, const hc_view *v, hc_plan *p, uint32_t busy, bool holds)
{
  hc_slurm_books *b = &self->books;
  hc_slurm_busy *x = &b->jobs[busy];
  if (holds) {
    if (x->since > 0) x->sliced.goes = 0; /* suspended it stays, and may have a turn again */
    if (!x->sliced.waits || !runs(x)) return 0;
    return halt(self, v, p, busy);
  }
  if (x->sliced.waits || x->since == 0) return 0;
  if (b->s->rate(v, x->task) < 0 || b->s->serial(v, x->task) != x->serial) {
    hc_slurm_suspended_lose(b, v, busy);
    return 0;
  }
  return hc_slurm_suspended_resume(b, p, busy);
}

/* Do those run that have their turn, and no others? Counts who is suspended. */
static bool is_settled(hc_slurm *self)
{
  const hc_slurm_books *b = &self->books;
  bool out = true;
  for (size_t i = 0; i < b->running_count; i++) {
    hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    const bool waits = x->sliced.waits != 0 && x->since > 0;
    if (x->freed == HC_NEVER && !x->sliced.is_apart && (x->since > 0) != (x->sliced.waits != 0)) out = false;
    self->counts.suspended += waits && !x->sliced.counted;
    x->sliced.counted = waits;
  }
  return out;
}

hc_rc hc_slurm_slices_apply(hc_slurm *self, const hc_view *v, hc_plan *p)
{
  hc_slurm_books *b = &self->books;
  hc_rc count = 0;
  if (b->cores.words == 0 || !b->slices.is_pending) return 0;
  for (int holds = 1; holds >= 0; holds--)
    for (size_t i = 0; i < b->partition_count; i++) {
      const hc_slurm_list *l = &b->slices.lists[b->slices.by_tier[i]];
      for (size_t k = 0; k < l->count; k++) {
        const size_t before = l->count;
        const hc_rc rc = settle_one(self, v, p, l->jobs[k], holds != 0);
        if (rc < 0) return rc;
        count += rc;
        k -= l->count < before;
      }
    }
  b->slices.is_pending = !is_settled(self);
  return count;
}
