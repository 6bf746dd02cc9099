/* rows.c -- rows of a partition, and which cores a job gets that others have.
 *
 * OverSubscribe=FORCE:n, and YES:n for jobs that ask for it, lets a core be of n jobs of the partition. They
 * stand in n rows; of jobs of one row no two have a core in common. A job gets, with the gang scheduler,
 *
 * 1. cores that no job has; else, but for those of jobs of higher tiers and of partitions that cannot be
 *    preempted (preempt/partition_prio),
 * 2. cores that no job of its own tier has, and as few of those of lower tiers as will do: partition by
 *    partition, the highest tier first, they are left out as long as it still fits;
 * 3. those of the first row of its own partition in which it fits, the fullest row first, or of an empty one.
 *
 * Under preempt/qos there is one row more, which only jobs get that may preempt others; rows are not sorted
 * then, and a job whose partition shares nothing gets none of another's cores. A job that does not share
 * cores is on no node with one of another partition that does, and the other way round.
 *
 * When a job has gone the rows of its partition are filled anew: jobs in the order of their first core, each
 * into the first row that has room, the fullest first; if not all find room all is as it was.
 *
 * Slurm lets jobs of two partitions of one tier have the same cores at the same time, without turns. With
 * the gang scheduler those of another partition are none for a job here.
 *
 * Without it there are no turns (shares.h): a job that does not share cores gets idle ones alone, and jobs of
 * other partitions are beside one that does. Source: select/cons_tres of Slurm 22.05, as it behaves. */
#include "policy/slurm/rows.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/cores.h"
#include "policy/slurm/scheduler.h"
#include "policy/slurm/slices.h"

#define CORE 1000

void hc_slurm_rows_fini(hc_slurm *self)
{
  const hc_allocator *a = self->allocator;
  const hc_slurm_books *b = &self->books;
  hc_slurm_rows *r = &self->rows;
  hc_free(a, r->used, b->cores.cap * sizeof *r->used);
  hc_free(a, r->free, (size_t)b->nodes.count * b->nodes.dims * sizeof *r->free);
  hc_free(a, r->idle, b->words * sizeof *r->idle);
  hc_free(a, r->some, b->words * sizeof *r->some);
  hc_free(a, r->mask, b->words * sizeof *r->mask);
}

static hc_rc make(hc_slurm *self)
{
  const hc_allocator *a = self->allocator;
  const hc_slurm_books *b = &self->books;
  hc_slurm_rows *r = &self->rows;
  if (r->mask) return 0;
  r->used = hc_alloc(a, b->cores.cap * sizeof *r->used);
  r->free = hc_alloc(a, (size_t)b->nodes.count * b->nodes.dims * sizeof *r->free);
  r->idle = hc_alloc(a, b->words * sizeof *r->idle);
  r->some = hc_alloc(a, b->words * sizeof *r->some);
  r->mask = hc_alloc(a, b->words * sizeof *r->mask);
  return r->used && r->free && r->idle && r->some && r->mask ? 0 : HC_ENOMEM;
}

uint32_t hc_slurm_rows_of(const hc_slurm_books *b, const hc_slurm_partition *p)
{
  return p->rows + (b->settings->preempt.type == HC_SLURM_PREEMPT_QOS);
}

hc_slurm_node_need hc_slurm_rows_need(const hc_slurm_partition *p, uint32_t sharing)
{
  if (p->is_exclusive) return HC_SLURM_NODE_RESERVED;
  if (p->is_forced || (p->rows > 1 && sharing == HC_EXCLUSIVE_NEVER)) return HC_SLURM_NODE_SHARED;
  return HC_SLURM_NODE_ONE_ROW;
}

/* ---- whose nodes ---- */

/* May a job not be on a node beside another? */
static bool excludes(const hc_slurm_books *b, const hc_slurm_job *job, hc_slurm_node_need need,
                     const hc_slurm_busy *x)
{
  if (need == HC_SLURM_NODE_RESERVED || x->sliced.need == HC_SLURM_NODE_RESERVED) return true;
  if (x->sliced.need == HC_SLURM_NODE_ONE_ROW && need == HC_SLURM_NODE_SHARED) return true;
  return need == HC_SLURM_NODE_ONE_ROW && b->partitions[x->partition].rows > 1 &&
         x->partition != job->partition;
}

void hc_slurm_rows_leave(const hc_slurm_books *b, const hc_slurm_job *job, uint64_t *mask)
{
  const hc_slurm_node_need need = hc_slurm_rows_need(&b->partitions[job->partition], job->sharing);
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->sliced.is_away || !excludes(b, job, need, x)) continue;
    for (size_t k = 0; k < x->whole.count; k++) hc_bit_put(mask, x->whole.hosts[k], false);
  }
}

/* ---- rows of running jobs ---- */

typedef struct first_core {
  uint64_t core, size, serial;
  uint32_t busy, row; /* where it was */
} first_core;

static bool fits_in_row(const hc_slurm_books *b, const hc_slurm_busy *x, uint32_t row)
{
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *y = &b->jobs[b->by_end[i]];
    if (y != x && !y->sliced.is_away && y->partition == x->partition && y->sliced.row == row &&
        hc_slurm_cores_meet(b, x, y))
      return false;
  }
  return true;
}

hc_rc hc_slurm_rows_prepare(hc_slurm_books *b)
{
  return hc_reserve(b->allocator, &b->slices.scratch, &b->slices.scratch_cap,
                    b->running_count * sizeof(first_core), 1);
}

/* The first that has room; where none has, the last. */
hc_rc hc_slurm_rows_join(hc_slurm_books *b, hc_slurm_busy *x)
{
  const uint32_t rows = hc_slurm_rows_of(b, &b->partitions[x->partition]);
  uint32_t row = 0;
  x->sliced.row = UINT32_MAX;
  while (row + 1 < rows && !fits_in_row(b, x, row)) row++;
  x->sliced.row = row;
  return hc_slurm_rows_prepare(b);
}

static uint64_t cores_in_row(const hc_slurm_books *b, uint32_t partition, uint32_t row)
{
  uint64_t n = 0;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->sliced.is_away || x->partition != partition || x->sliced.row != row) continue;
    for (size_t w = 0; w < x->whole.count * b->cores.words; w++) n += hc_bits_of(x->cores[w]);
  }
  return n;
}

/* Rows that have any job: those behind them are empty, since they are filled from the first on. */
static uint32_t rows_in_use(const hc_slurm_books *b, uint32_t partition)
{
  uint32_t n = 0;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (!x->sliced.is_away && x->partition == partition && x->sliced.row != UINT32_MAX)
      n = HC_MAX(n, x->sliced.row + 1);
  }
  return n;
}

static void swap_rows(hc_slurm_books *b, uint32_t partition, uint32_t one, uint32_t other)
{
  for (size_t i = 0; i < b->running_count; i++) {
    hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->partition != partition) continue;
    if (x->sliced.row == one) x->sliced.row = other;
    else if (x->sliced.row == other) x->sliced.row = one;
  }
}

/* The fullest first; of equals by exchanges, as Slurm does. */
static void sort_rows(hc_slurm_books *b, uint32_t partition)
{
  const uint32_t n = rows_in_use(b, partition);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = i + 1; k < n; k++)
      if (cores_in_row(b, partition, k) > cores_in_row(b, partition, i)) swap_rows(b, partition, i, k);
}

HC_SORT(sort_by_core, first_core,
        a->core != b->core   ? a->core < b->core
        : a->size != b->size ? a->size < b->size
                             : a->serial < b->serial)

static first_core first_core_of(const hc_slurm_books *b, uint32_t busy)
{
  const hc_slurm_busy *x = &b->jobs[busy];
  first_core out = {.core = UINT64_MAX, .serial = x->serial, .busy = busy, .row = x->sliced.row};
  for (size_t i = 0; i < x->whole.count; i++) {
    const uint64_t *cores = x->cores + i * b->cores.words;
    uint32_t first = 0;
    while (first + 1 < b->cores.words * 64 && !hc_bit_is(cores, first)) first++;
    out.core = HC_MIN(out.core, (uint64_t)x->whole.hosts[i] * b->cores.words * 64 + first);
    out.size += hc_bits_in(cores, b->cores.words);
  }
  return out;
}

static bool refill(hc_slurm_books *b, uint32_t partition, const first_core *jobs, size_t n)
{
  const uint32_t rows = hc_slurm_rows_of(b, &b->partitions[partition]);
  for (size_t i = 0; i < n; i++) b->jobs[jobs[i].busy].sliced.row = UINT32_MAX;
  for (size_t i = 0; i < n; i++) {
    hc_slurm_busy *x = &b->jobs[jobs[i].busy];
    uint32_t row = 0;
    while (row < rows && !fits_in_row(b, x, row)) row++;
    if (row == rows) return false;
    x->sliced.row = row;
    sort_rows(b, partition);
  }
  return true;
}

void hc_slurm_rows_fill(hc_slurm_books *b, uint32_t partition)
{
  first_core *jobs = b->slices.scratch;
  size_t n = 0;
  if (b->cores.words == 0 || hc_slurm_rows_of(b, &b->partitions[partition]) == 1) return;
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->partition == partition && !x->sliced.is_away) jobs[n++] = first_core_of(b, b->by_end[i]);
  }
  sort_by_core(jobs, n);
  if (refill(b, partition, jobs, n)) return;
  for (size_t i = 0; i < n; i++) b->jobs[jobs[i].busy].sliced.row = jobs[i].row;
}

/* ---- which cores a job may have ---- */

typedef struct trial {
  hc_slurm *self;
  const hc_slurm_job *job;
  const hc_slurm_ask *ask;
  const uint64_t *mask;
  int64_t above; /* cores of jobs of this tier and higher ones are none for it */
  int64_t row;   /* nor those of this row of its partition; -1: of none */
  bool others;   /* nor those of other partitions of its tier */
  size_t lower;  /* nor those of so many of the partitions of lower tiers */
} trial;

static bool is_by_tier(const hc_slurm_books *b)
{
  return b->settings->preempt.type == HC_SLURM_PREEMPT_TIER;
}

static hc_slurm_preempt_mode mode_of(const hc_slurm_books *b, const hc_slurm_partition *p)
{
  return p->preempt.mode == HC_SLURM_MODE_CLUSTER ? b->settings->preempt.mode : p->preempt.mode;
}

/* Is a partition one of the first so many of those below a tier? */
static bool is_among_lower(const hc_slurm_books *b, uint32_t partition, int64_t tier, size_t count)
{
  for (size_t i = 0; i < b->partition_count && count > 0; i++) {
    const uint32_t one = b->slices.by_tier[i];
    if (b->partitions[one].tier >= tier) continue;
    if (one == partition) return true;
    count--;
  }
  return false;
}

static bool keeps_its_cores(const trial *t, const hc_slurm_busy *x)
{
  const hc_slurm_books *b = &t->self->books;
  const hc_slurm_partition *mine = &b->partitions[t->job->partition], *other = &b->partitions[x->partition];
  if (x->freed != HC_NEVER || x->sliced.is_apart) return true;
  if (is_by_tier(b) && (other->tier > mine->tier || mode_of(b, other) == HC_SLURM_MODE_OFF)) return true;
  if (other->tier >= t->above) return true;
  if (x->partition == t->job->partition) return (int64_t)x->sliced.row == t->row;
  if (other->tier == mine->tier) return t->others;
  return is_among_lower(b, x->partition, mine->tier, t->lower);
}

/* What the others leave it. Cost: O(nodes, and those of running jobs) */
static void find_free(const trial *t)
{
  const hc_slurm_books *b = &t->self->books;
  hc_slurm_rows *r = &t->self->rows;
  const uint32_t dims = b->nodes.dims, words = b->cores.words;
  memset(r->used, 0, b->cores.cap * sizeof *r->used);
  memset(r->some, 0, b->words * sizeof *r->some);
  memcpy(r->free, b->capacity, (size_t)b->nodes.count * dims * sizeof *r->free);
  for (uint32_t h = 0; h < b->nodes.count; h++) hc_bit_put(r->idle, h, true);
  for (size_t i = 0; i < b->running_count; i++) {
    const hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    if (x->sliced.is_away) continue;
    const bool keeps = keeps_its_cores(t, x);
    for (size_t k = 0; k < x->whole.count; k++) {
      const size_t host = x->whole.hosts[k];
      for (uint32_t d = 1; d < dims; d++)
        if (keeps || d != b->memory || b->settings->keeps_memory)
          r->free[host * dims + d] -= x->amounts[k * dims + d];
      if (b->shared[0]) r->free[host * dims] -= x->whole.amounts[k * dims];
      for (uint32_t w = 0; keeps && w < words; w++) r->used[host * words + w] |= x->cores[k * words + w];
      if (keeps) hc_bit_put(r->idle, (uint32_t)host, false);
    }
  }
  r->sum = 0;
  for (size_t h = 0; h < b->nodes.count; h++) {
    if (!b->shared[0])
      r->free[h * dims] -= HC_MIN((int64_t)hc_bits_in(r->used + h * words, words) * CORE, r->free[h * dims]);
    r->sum += r->free[h * dims];
    hc_bit_put(r->some, (uint32_t)h, r->free[h * dims] > 0);
  }
}

static bool fits(const trial *t)
{
  const hc_slurm_books *b = &t->self->books;
  const hc_slurm_rows *r = &t->self->rows;
  find_free(t);
  const hc_slurm_room room = {.free = r->free, .idle = r->idle, .some = r->some, .sum = r->sum};
  return hc_slurm_choose(&b->nodes, t->ask, &room, t->mask, &t->self->choice);
}

static uint32_t rows_open(const hc_slurm *self, const hc_slurm_job *job, bool more)
{
  const hc_slurm_books *b = &self->books;
  const hc_slurm_partition *p = &b->partitions[job->partition];
  const bool by_qos = b->settings->preempt.type == HC_SLURM_PREEMPT_QOS;
  if (by_qos && hc_slurm_rows_need(p, job->sharing) != HC_SLURM_NODE_SHARED) return 1;
  return hc_slurm_rows_of(b, p) - (by_qos && !more);
}

/* Of lower tiers as few as will do. */
static bool spare_lower(trial *t)
{
  const hc_slurm_books *b = &t->self->books;
  size_t count = 0;
  for (size_t i = 0; i < b->partition_count; i++)
    count += b->partitions[i].tier < b->partitions[t->job->partition].tier;
  t->lower = 1;
  while (t->lower <= count && fits(t)) t->lower++;
  if (t->lower-- > count) return true;
  return fits(t);
}

static bool fits_in_rows(trial *t, bool more)
{
  hc_slurm *self = t->self;
  hc_slurm_books *b = &self->books;
  const uint32_t part = t->job->partition, open = rows_open(self, t->job, more);
  const bool by_qos = b->settings->preempt.type == HC_SLURM_PREEMPT_QOS;
  *t = (trial){.self = self, .job = t->job, .ask = t->ask, .mask = t->mask, .above = INT64_MAX, .row = -1};
  t->others = !b->times;
  if (!fits(t)) return false;
  t->above = b->partitions[part].tier;
  if (fits(t)) return spare_lower(t);
  t->above = INT64_MAX;
  if (hc_slurm_rows_of(b, &b->partitions[part]) > 1 && !by_qos) sort_rows(b, part);
  for (uint32_t row = 0; row < open; row++) {
    t->row = row;
    if (fits(t)) return true;
  }
  return false;
}

hc_rc hc_slurm_rows_choose(hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask,
                           const uint64_t *mask, hc_slurm_cores_of_rows which)
{
  trial t = {.self = self, .job = job, .ask = ask, .above = INT64_MIN, .row = -1};
  TRY(make(self));
  memcpy(self->rows.mask, mask, self->books.words * sizeof *mask);
  hc_slurm_rows_leave(&self->books, job, self->rows.mask);
  t.mask = self->rows.mask;
  if (fits(&t)) return 1; /* cores that no job has */
  const hc_slurm_books *b = &self->books;
  const bool is_apart =
      hc_slurm_rows_need(&b->partitions[job->partition], job->sharing) != HC_SLURM_NODE_SHARED;
  if (job->het > 0 || which == HC_SLURM_IDLE || (b->times && is_apart)) return 0;
  return fits_in_rows(&t, false) || (which == HC_SLURM_MORE_ROWS && fits_in_rows(&t, true));
}

/* Those that stay fill the rows anew, as they will when the others have gone. */
hc_rc hc_slurm_rows_choose_later(hc_slurm *self, const hc_slurm_job *job, const hc_slurm_ask *ask,
                                 const uint64_t *mask, size_t rank, hc_slurm_cores_of_rows which)
{
  hc_slurm_books *b = &self->books;
  for (size_t i = 0; i < b->running_count; i++) {
    hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    x->sliced.is_away = i < rank;
    x->sliced.kept = x->sliced.row;
  }
  if (rank > 0) hc_slurm_rows_fill(b, job->partition);
  const hc_rc rc = hc_slurm_rows_choose(self, job, ask, mask, which);
  for (size_t i = 0; i < b->running_count; i++) {
    hc_slurm_busy *x = &b->jobs[b->by_end[i]];
    x->sliced.is_away = 0;
    x->sliced.row = x->sliced.kept;
  }
  return rc;
}

/* ---- a start ---- */

/* May it preempt others by its QOS, of which the first is to be suspended? */
static hc_rc may_have_more(hc_slurm *self, const hc_view *v, const hc_slurm_job *job)
{
  const hc_slurm_preempt *m = &self->preempt;
  if (self->settings.preempt.type != HC_SLURM_PREEMPT_QOS) return 0;
  const hc_rc rc = hc_slurm_preempt_gather(self, job, hc_slurm_second(&self->books, self->s->now(v)));
  return rc <= 0 ? rc : m->items[0].mode == HC_SLURM_MODE_SUSPEND;
}

hc_rc hc_slurm_rows_start(hc_slurm *self, const hc_view *v, hc_plan *p, const hc_slurm_job *job,
                          const hc_slurm_ask *ask, const uint64_t *mask)
{
  hc_slurm_books *b = &self->books;
  hc_rc rc = 0, more, applied;
  if (b->cores.words == 0) return 0;
  TRY(more = may_have_more(self, v, job));
  TRY(rc = hc_slurm_rows_choose(self, job, ask, mask, more > 0 ? HC_SLURM_MORE_ROWS : HC_SLURM_ROWS));
  if (rc == 0 || hc_slurm_is_over(self, v, job)) return 0;
  b->cores.avoid = self->rows.used;
  if (b->times) {
    rc = hc_slurm_start(self, v, p, job, job->limit);
    b->cores.avoid = NULL;
    if (rc > 0 && self->s->explaining(v))
      self->s->explain(v, job->task, "Slurm: it starts on cores that other jobs have too, beside them");
    return rc;
  }
  rc = hc_slurm_slices_make_way(self, v, p, job, ask);
  const bool is_put_off = rc == 0 && self->starts > 0;
  const int64_t refused = self->counts.refused;
  if (rc > 0) rc = hc_slurm_start(self, v, p, job, job->limit);
  self->counts.refused = refused; /* what was stopped or suspended for it holds its memory still */
  b->cores.avoid = NULL;
  if (rc < 0) return rc;
  b->slices.is_pending = true;
  if ((applied = hc_slurm_slices_apply(self, v, p)) < 0) return applied;
  if (rc > 0 && self->s->explaining(v))
    self->s->explain(v, job->task, "Slurm: it starts on cores that other jobs have too");
  return is_put_off ? HC_SLURM_PUT_OFF : rc;
}
