/* backfill.c -- the backfill of slurmctld: a plan for the first jobs of the queue, made anew each cycle.
 *
 * Each job in the order of priority is tried on the nodes that no job before it is planned on, from now on
 * or, if that is not enough, from when the plan offers more. When it will find room is found by taking
 * running jobs away in the order of their ends, in batches that span 30 s and then twice as long each time;
 * it is the end of the last one taken. A job that can start does; for one that cannot, its nodes are planned
 * whole from then until its limit, in steps of bf_resolution. So it is conservative backfilling of
 * bf_max_job_test jobs, forgetful from one cycle to the next, and running jobs are no part of its table: a
 * job that is planned on nodes does not keep them from being planned for one that fits before.
 *
 * A cycle takes no time here, so that nothing changes under it. A job with a least limit (--time-min) is
 * sought room, and started, with that as its limit: so does 22.05, which does not lengthen it again. Nodes
 * that reservations keep from a job while it would run are none for it; where some are it is sought again
 * when the first one ends. Does not model: bf_licenses, bf_running_job_reserve, bf_busy_nodes.
 *
 * Times at which it is sought in vain are passed over by twice as many each time: what all of their windows
 * offer together is no less than what any does, and each that is over before that is enough is in vain. Times
 * at which one like it found too little room are passed over as well (kinds.h). Neither where a reservation
 * may be in its way. What the last cycle has found is not sought again while only time passes (past.h): no
 * job has started or ended, and those before it are planned as they were. Cost, for each job that is tried
 * anew: O(log windows) looks at the words of nodes and the stretches of the plan, of each O(log running jobs)
 * sums of room (ends.h), and one choice of nodes. Source: sched/backfill of Slurm 22.05, as it behaves
 * (docs/slurm.md). */
#include <string.h>

#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/scheduler.h"
#include "policy/slurm/sharing.h"

#define FIRST_BATCH 30 /* s */

/* A job while it is tried. */
typedef struct trial {
  hc_slurm *self;
  hc_view *v;
  const hc_slurm_job *job;
  hc_slurm_ask ask;
  int64_t need[HC_DIMENSIONS];
  hc_slurm_shape *shape; /* of a slot */
  bool anywhere;         /* on all nodes of its partition */
  bool is_exact;         /* it fits where the shape has room for all slots */
  int64_t limit;         /* s: its own, or the least that it may have */
  hc_slurm_reserver who; /* if there are reservations */
  bool is_reserved;      /* some reservation may be in its way */
  int64_t now, from;     /* s: it is sought from `from` on */
  int64_t earliest;      /* s: not before that */
  int64_t start;         /* s: what was found */
  int64_t end;           /* s: what it waits for ends; HC_NEVER: it waits for nothing that runs */
  int64_t reach;         /* s: before that there is no room in any case */
  int64_t until;         /* s: before that the same is found, while only time passes; `now`: nothing is */
  size_t rank;           /* when so many running jobs have ended */
  bool is_picked;        /* its nodes are chosen, but not what each is dealt: it starts later */
  bool is_taken;         /* its nodes are taken out of the plan */
  bool starts;           /* now, or it is not planned */
} trial;

/* ---- when will there be room? ---- */

/* When the nodes of a job that should have ended by now are believed to be free. */
static int64_t end_of(const hc_slurm_books *b, const hc_slurm_busy *x, int64_t now)
{
  const hc_slurm_settings *s = b->settings;
  if (x->end > now) return x->end;
  return HC_MAX(x->end + s->over_time_limit + s->kill_wait, now + 1);
}

static const hc_slurm_busy *running(const hc_slurm_books *b, size_t rank)
{
  return &b->jobs[b->by_end[rank - 1]];
}

/* Is it of no use what each of its nodes is dealt? Of a plan only limits count that. */
static bool is_plan_alone(const trial *t, size_t rank)
{
  const hc_slurm_accounting *a = t->self->books.accounting;
  return (rank > 0 || t->from > t->now) && (!a || a->limits.enforce == 0);
}

/* Choose nodes without the first `rank` running jobs. With rows of jobs on the same cores there is room in
 * these, too; but whether there is now has been seen before (preempt). @return 1: it fits */
static hc_rc choose(trial *t, const uint64_t *mask, size_t rank)
{
  hc_slurm *self = t->self;
  hc_slurm_caps_fill(self, t->job, rank, &t->ask);
  t->is_picked = self->books.cores.words == 0 && is_plan_alone(t, rank);
  if (self->books.cores.words > 0) {
    const hc_slurm_cores_of_rows which = rank > 0 || t->from > t->now ? HC_SLURM_ROWS : HC_SLURM_IDLE;
    return hc_slurm_rows_choose_later(self, t->job, &t->ask, mask, rank, which);
  }
  hc_slurm_room room = {.sum = INT64_MAX, .digits = t->shape->blocks.digits};
  if (t->is_exact) TRY(hc_slurm_ends_planes(&self->ends, t->shape, rank, &room.planes));
  else TRY(hc_slurm_later_at(&self->later, &self->books, rank, &room));
  if (t->is_picked)
    return hc_slurm_choose_nodes(&self->books.nodes, &t->ask, &room, mask, &self->choice, self->picked);
  return hc_slurm_choose(&self->books.nodes, &t->ask, &room, mask, &self->choice);
}

/* Does it fit behind the end of that job? Nodes are chosen only if that has to be known. */
static hc_rc fits(trial *t, const uint64_t *mask, size_t rank)
{
  t->rank = rank;
  return t->is_exact ? 1 : choose(t, mask, rank);
}

/* Batches of running jobs, as they are taken away. */
typedef struct batch {
  size_t last;    /* the last one taken away, on nodes of the mask */
  int64_t until;  /* s: where the first batch ends */
  int64_t window; /* s */
} batch;

/* The batch that goes beyond `x->last`: each spans more than the one before, and enough for the job that
 * comes next, be it on nodes of the mask or not. Whether it ends is asked only behind one that is on them:
 * where jobs on other nodes end meanwhile a batch goes on to the next job on these, however late that ends.
 * @return 1; 0: none is left */
static hc_rc take_batch(trial *t, const uint64_t *mask, batch *x)
{
  hc_slurm_ends *e = &t->self->ends;
  const int64_t linear = t->self->settings.bf_window_linear;
  const size_t before = x->last;
  int64_t next;
  size_t rank;
  hc_rc rc;
  TRY(hc_slurm_ends_time(e, t->shape, before + 1, &next));
  if (next == HC_NEVER) return 0;
  while (next > x->until + x->window) x->window = linear > 0 ? x->window + linear : 2 * x->window;
  TRY(hc_slurm_ends_by(e, t->shape, x->until + x->window, &rank));
  TRY(rc = hc_slurm_ends_next(e, t->shape, mask, rank, &x->last));
  if (rc == 0) x->last = hc_slurm_ends_last(e, t->shape, mask, t->self->books.running_count + 1);
  x->window = linear > 0 ? x->window + linear : 2 * x->window;
  return x->last > before;
}

/* The first batch is as long as it takes from the first job on the nodes on. Batches behind which there is
 * too little room in any case are not looked at: they are those that end before the job with whose end there
 * is enough.
 * @param again a later start than this plays no part; 0: it does @return 1 with `start` and `rank`; 0:
 * there will be no room, or none until `again` */
static hc_rc find_room(trial *t, const uint64_t *mask, int64_t again)
{
  hc_slurm *self = t->self;
  hc_slurm_ends *e = &self->ends;
  size_t most = self->books.running_count, reach = 0, first;
  batch x = {.window = FIRST_BATCH};
  hc_rc rc;
  if (again > 0) TRY(hc_slurm_ends_by(e, t->shape, again, &most));
  if (t->shape->kind != HC_SLURM_NOTHING) {
    TRY(rc = hc_slurm_ends_reach(e, t->shape, t->ask.slots, mask, most, &reach));
    TRY(hc_slurm_ends_time(e, t->shape, rc ? reach : most + 1, &t->reach));
    if (rc == 0) return 0;
  }
  t->start = t->now;
  t->end = HC_NEVER;
  if (reach == 0 && (rc = fits(t, mask, 0)) != 0) return rc;
  if ((rc = hc_slurm_ends_next(e, t->shape, mask, 1, &first)) <= 0) return rc;
  const int64_t end = t->shape->gains.times[first];
  x.until = end + x.window - end % x.window;
  x.last = hc_slurm_ends_last(e, t->shape, mask, reach);
  for (;;) {
    if ((rc = take_batch(t, mask, &x)) <= 0) return rc;
    if (x.last > most) return 0;
    if ((rc = fits(t, mask, x.last)) == 0) continue;
    t->start = t->end = end_of(&self->books, running(&self->books, x.last), t->now);
    return rc;
  }
}

/* ---- one job ---- */

static void pick_bits(hc_slurm *self)
{
  hc_slurm_chosen(&self->choice, self->picked, self->books.words);
}

static int64_t rounded(const hc_slurm *self, int64_t s)
{
  return s / self->settings.bf_resolution * self->settings.bf_resolution;
}

/* Nodes on which it may ever run. */
static void find_may(trial *t)
{
  hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  const hc_slurm_partition *p = &b->partitions[t->job->partition];
  for (uint32_t w = 0; w < b->words; w++) self->may[w] = p->nodes[w] & b->up[w];
}

typedef enum found { NOTHING, NOW, LATER } found;

/* The kind of the job. @param out  NULL: there is none like it, or nothing can be said of its room */
static hc_rc kind_of(const trial *t, hc_slurm_kind **out)
{
  hc_slurm *self = t->self;
  const hc_slurm_shape *s = t->shape;
  const hc_slurm_kind key = {.partition = t->job->partition,
                             .slots = t->ask.slots,
                             .limit = t->limit,
                             .need = s->need,
                             .shape = s->kind};
  *out = NULL;
  if (!t->anywhere || t->is_reserved || s->kind == HC_SLURM_NOTHING) return 0;
  return hc_slurm_kinds_begin(&self->kinds, self->allocator, &key, out);
}

/* The same is found while time passes, but not from `at` on. */
static void hold_until(trial *t, int64_t at)
{
  t->until = HC_MIN(t->until, at);
}

/* When the table will end behind a time, which is one of its steps. */
static int64_t when_behind(const hc_slurm *self, int64_t at)
{
  return at + self->settings.bf_resolution - self->settings.bf_window * 60;
}

/* Pass over what one of its kind has found to be in vain. @return 1: it need not be looked at any more */
static hc_rc skip(trial *t, hc_slurm_kind *kind)
{
  hc_slurm *self = t->self;
  const int64_t most = t->now + self->settings.bf_window * 60;
  for (const hc_slurm_note *note; (note = hc_slurm_kind_read(kind, t->from));) {
    int64_t again;
    const int64_t from =
        hc_slurm_space_skip(&self->space, t->from, t->limit, note->until, note->reach, &again);
    const bool is_over = again == 0 && from < note->until && note->reach > most;
    if (from > t->from || is_over) TRY(hc_slurm_kind_write(kind, self->allocator, note));
    if (is_over) {
      hold_until(t, note->reach - self->settings.bf_window * 60);
      return 1;
    }
    if (from == t->from) return 0;
    t->from = from;
  }
  return 0;
}

/* Nodes that reservations leave it from `from` on, which may move. @param later  out: when they may leave it
 * more; 0: that is not known @return false: it may have none */
static bool find_open(trial *t, const uint64_t **nodes, int64_t *later)
{
  hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  const int64_t most = t->now + self->settings.bf_window * 60;
  bool overlaps;
  *nodes = self->may;
  *later = 0;
  if (!t->is_reserved) return true;
  *nodes = self->open;
  memcpy(self->open, self->may, b->words * sizeof *self->open);
  if (!hc_slurm_reservations_leave(&b->reservations, &t->who, t->now, &t->from, t->limit, true, self->open,
                                   &overlaps))
    return false;
  if (overlaps) *later = hc_slurm_reservations_end(&b->reservations, t->from, self->settings.bf_resolution);
  *later = *later > 0 && *later + 1 < most ? *later + 1 : 0;
  return true;
}

/* Are the next windows in vain, all at once? Each of them that is over before what all of them offer together
 * is enough. @return 1: some are, and it is sought behind them */
static hc_rc leap(trial *t, hc_slurm_kind *kind, uint32_t least, size_t windows)
{
  hc_slurm *self = t->self;
  const int64_t from = t->from;
  hc_slurm_note note = {.from = from, .reach = HC_NEVER};
  int64_t again;
  if (t->shape->kind == HC_SLURM_NOTHING ||
      hc_slurm_space_windows(&self->space, from, t->limit, self->may, windows, self->mask, &note.until) < 2)
    return 0;
  if (hc_slurm_space_enough(&self->space, self->mask, least)) {
    size_t most, rank;
    hc_rc has;
    TRY(hc_slurm_ends_by(&self->ends, t->shape, note.until, &most));
    TRY(has = hc_slurm_ends_reach(&self->ends, t->shape, t->ask.slots, self->mask, most, &rank));
    TRY(hc_slurm_ends_time(&self->ends, t->shape, has ? rank : most + 1, &note.reach));
  }
  t->from = hc_slurm_space_skip(&self->space, from, t->limit, note.until, note.reach, &again);
  if (t->from == from) return 0;
  if (kind) TRY(hc_slurm_kind_write(kind, self->allocator, &note));
  return 1;
}

/* Find the earliest start beside what is planned. @return found, or HC_ENOMEM */
static hc_rc seek(trial *t)
{
  hc_slurm *self = t->self;
  const uint32_t most = t->shape->most, least = most > 0 ? (t->ask.slots - 1) / most + 1 : UINT32_MAX;
  const int64_t most_late = t->now + self->settings.bf_window * 60;
  size_t windows = 1; /* that are looked at together */
  hc_slurm_kind *kind;
  TRY(kind_of(t, &kind));
  /* It is found from later on as well while the window that begins then, and the plan, are the same. */
  hold_until(t, t->anywhere ? HC_MIN(self->holds, hc_slurm_space_holds(&self->space, t->now, t->limit))
                            : t->now);
  for (t->from = t->earliest;;) {
    int64_t again, later;
    const uint64_t *nodes;
    hc_rc has = kind ? skip(t, kind) : 0;
    if (has != 0) return has < 0 ? has : NOTHING;
    if (windows > 1) {
      TRY(has = leap(t, kind, least, windows));
      windows = has ? 2 * windows : 0; /* where a leap fails the next ones mostly do */
      if (has) continue;
    }
    t->reach = HC_NEVER;
    if (!find_open(t, &nodes, &later)) return NOTHING;
    has = hc_slurm_space_window(&self->space, t->from, t->from + t->limit, nodes, least, self->mask, &again);
    if (later > 0 && (again == 0 || later < again)) again = later;
    if (has) has = find_room(t, self->mask, again);
    if (has < 0) return has;
    const hc_slurm_note note = {t->from, again > 0 ? again : t->from + HC_MAX(t->limit, 1), t->reach};
    if (kind) TRY(hc_slurm_kind_write(kind, self->allocator, &note));
    t->start = HC_MAX(t->start, t->from);
    if (again > 0 && (!has || t->start > again)) {
      t->from = again;
      windows = t->is_reserved ? 1 : windows + 1;
      continue;
    }
    if (has) hold_until(t, t->start > most_late ? t->start - self->settings.bf_window * 60 : t->end);
    if (!has || t->start > most_late) return NOTHING;
    if (rounded(self, t->start) >= rounded(self, most_late))
      hold_until(t, when_behind(self, rounded(self, t->start)));
    if (t->is_exact) TRY(choose(t, self->mask, t->rank));
    if (!t->is_picked) pick_bits(self);
    if (t->start <= t->now) return NOW;
    if (hc_slurm_space_has(&self->space, rounded(self, t->start), rounded(self, t->start + t->limit),
                           self->picked))
      return LATER;
    t->from = t->start;
  }
}

static bool is_planned_for(const hc_slurm *self, const hc_slurm_job *job, int64_t now)
{
  return now - job->submitted >= self->settings.bf_min_age_reserve &&
         job->priority >= self->settings.bf_min_prio_reserve;
}

static hc_rc plan(trial *t)
{
  hc_slurm *self = t->self;
  const int64_t from = rounded(self, t->start), end = rounded(self, t->start + t->limit);
  const int64_t to = end == from ? end + self->settings.bf_resolution : end;
  const int64_t last = rounded(self, t->now + self->settings.bf_window * 60);
  if (hc_slurm_is_over(self, t->v, t->job)) return 0; /* when a limit will let it start is not known */
  const bool is_first = !t->job->is_one_of || hc_map_get(&self->planned, t->job->task) == HC_MAP_NONE;
  if (is_first)
    self->s->note(t->v, t->job->task, HC_NOTE_PROMISE, HC_NO_TASK,
                  (t->start - self->books.origin) * HC_SECOND, 0);
  if (!is_planned_for(self, t->job, t->now)) return 0;
  if (!is_first && self->settings.bf_one_resv_per_job) return 0;
  if (t->job->is_one_of) TRY(hc_map_set(&self->planned, t->job->task, 1));
  self->counts.planned++;
  if (t->job->array != HC_NO_NAME) self->books.arrays.items[t->job->array].planned++;
  t->is_taken = true;
  /* Of what lies behind the end of the table those that come next have seen nothing. */
  if (to >= last) self->holds = HC_MIN(self->holds, when_behind(self, from >= last ? from : to));
  return hc_slurm_space_take(&self->space, from, to, self->picked);
}

/* It starts with the other components, and its nodes are kept for it from its own start on, be that now.
 * @return how many jobs have started */
static hc_rc plan_component(trial *t, hc_plan *p, int64_t count, bool preempts)
{
  hc_slurm *self = t->self;
  t->start = HC_MAX(t->start, t->now);
  hc_slurm_together_found(self, t->job, t->limit, t->start, preempts);
  if (t->start == t->now && self->s->explaining(t->v))
    self->s->explain(t->v, t->job->task, "Slurm: it starts with the other components of its job");
  TRY(plan(t));
  return self->settings.bf_hetjob_immediate ? hc_slurm_together_start(self, t->v, p, t->job->het, count) : 0;
}

/* Has it each of its nodes whole, be it that it takes all cores there are? */
static bool is_exclusive(const trial *t)
{
  const hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  if (t->ask.is_whole || t->ask.is_alone) return true;
  for (size_t i = 0; t->ask.is_spread && i < self->choice.dealt_count; i++)
    if (t->need[0] < b->capacity[(size_t)self->choice.dealt[i].host * b->nodes.dims]) return false;
  return t->ask.is_spread;
}

/* Nodes that a job has whole are no others' until its limit. */
static hc_rc started(trial *t)
{
  hc_slurm *self = t->self;
  if (!is_exclusive(t)) return 0;
  return hc_slurm_space_take(&self->space, rounded(self, t->now), rounded(self, t->now + t->limit),
                             self->picked);
}

/* Where it does not fit now, but would without the jobs that it may stop: stop as many as it needs, and plan
 * their nodes from now on. @return HC_SLURM_HAS_STARTED; 1: that was done; 0 */
static hc_rc preempt(trial *t, hc_plan *p)
{
  hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  const hc_slurm_room room = hc_slurm_now(b);
  const uint64_t *nodes;
  int64_t later;
  t->from = t->now;
  if (!find_open(t, &nodes, &later) || t->from > t->now) return 0;
  memcpy(self->mask, nodes, b->words * sizeof *self->mask);
  (void)hc_slurm_space_mask(&self->space, t->now, t->now + t->limit, self->mask);
  if (hc_slurm_rows_matter(b)) hc_slurm_rows_leave(b, t->job, self->mask);
  if (hc_slurm_choose(&b->nodes, &t->ask, &room, self->mask, &self->choice)) return 0;
  hc_rc rc = hc_slurm_rows_start(self, t->v, p, t->job, &t->ask, self->mask);
  if (rc == HC_SLURM_PUT_OFF) self->put_off |= HC_SLURM_PUT_OFF_CYCLE;
  if (rc == 1) {
    hc_slurm_kinds_clear(&self->kinds);
    pick_bits(self);
    TRY(started(t));
    return HC_SLURM_HAS_STARTED;
  }
  if (rc != 0 || self->settings.preempt.type == HC_SLURM_PREEMPT_NONE) return rc;
  rc = hc_slurm_preempt_would(self, t->v, t->job, &t->ask, self->mask);
  if (rc <= 0) return rc;
  pick_bits(self);
  memcpy(self->mask, self->picked, b->words * sizeof *self->mask);
  if ((rc = hc_slurm_preempt_for(self, t->v, p, t->job, &t->ask, self->mask)) <= 0) return rc;
  hc_slurm_kinds_clear(&self->kinds);
  pick_bits(self);
  t->start = t->now;
  TRY(plan(t));
  return 1;
}

/* Would a component find nodes now, beside what is planned, without the jobs that it may stop?
 * @return 1 with the nodes picked */
static hc_rc could_preempt(trial *t)
{
  hc_slurm *self = t->self;
  const hc_slurm_books *b = &self->books;
  const uint64_t *nodes;
  int64_t later;
  if (self->settings.preempt.type == HC_SLURM_PREEMPT_NONE || t->earliest > t->now) return 0;
  const int64_t start = t->start, from = t->from;
  t->from = t->now;
  const bool is_open = find_open(t, &nodes, &later) && t->from <= t->now;
  t->from = from;
  if (!is_open) return 0;
  memmove(self->may, nodes, b->words * sizeof *self->may); /* it may be the same */
  (void)hc_slurm_space_mask(&self->space, t->now, t->now + t->limit, self->may);
  const hc_rc rc = hc_slurm_preempt_would(self, t->v, t->job, &t->ask, self->may);
  t->start = rc > 0 ? t->now : start;
  if (rc > 0) pick_bits(self);
  return rc;
}

/* ---- how many of each are tried ---- */

enum { OF_USER, OF_PARTITION, OF_USER_PARTITION, OF_ACCOUNT };

/* @return has one more of them a turn? */
static hc_rc count_one(hc_slurm *self, int kind, uint64_t key, int64_t most)
{
  if (most <= 0) return 1;
  const uint64_t k = (uint64_t)kind << 62 ^ key;
  const uint32_t n = hc_map_get(&self->tested, k);
  const uint32_t now = n == HC_MAP_NONE ? 1 : n + 1;
  TRY(hc_map_set(&self->tested, k, now));
  return now <= (uint64_t)most;
}

static hc_rc has_turn(hc_slurm *self, const hc_slurm_job *job)
{
  const hc_slurm_settings *s = &self->settings;
  const uint64_t user = (uint64_t)job->user & 0xffffffff, partition = job->partition;
  hc_rc rc = count_one(self, OF_PARTITION, partition, s->bf_max_job_part);
  if (rc > 0) rc = count_one(self, OF_USER, user, s->bf_max_job_user);
  if (rc > 0) rc = count_one(self, OF_USER_PARTITION, partition << 32 | user, s->bf_max_job_user_part);
  if (rc > 0) rc = count_one(self, OF_ACCOUNT, (uint64_t)job->account & 0xffffffff, s->bf_max_job_assoc);
  return rc;
}

/* ---- a cycle ---- */

/* On which of its nodes may it be, beside what runs there? What others ask of their nodes is looked at with
 * each choice, since they will have gone. */
static void find_shared(trial *t)
{
  hc_slurm *self = t->self;
  hc_slurm_books *b = &self->books;
  find_may(t);
  if (!t->anywhere) hc_slurm_may(b, t->v, t->job->task, self->may);
  hc_slurm_caps_fill(self, t->job, 0, &t->ask);
  hc_slurm_caps_leave(self, t->job, &t->ask, self->may);
  if (t->job->het > 0) t->anywhere = false;
  if (!hc_slurm_sharing_matters(b, t->job)) return;
  hc_slurm_sharing_leave_users(b, t->job, self->may);
  t->anywhere = false;
}

/* @param count  jobs that the cycle has started
 * @return how many more have started now; 0: none, with `start` if it is planned */
static hc_rc try_anew(trial *t, hc_plan *p, int64_t count)
{
  hc_slurm *self = t->self;
  hc_slurm_books *b = &self->books;
  const hc_slurm_job *job = t->job;
  const bool is_component = job->het > 0;
  const int64_t last = t->now + self->settings.bf_window * 60 + t->limit;
  hc_rc rc = 0, rc2;
  if (is_component && (rc = hc_slurm_together_try(self, job, t->now, &t->earliest)) <= 0) return rc;
  if (t->now < job->switched) hold_until(t, t->now); /* then its nodes may be of any switches */
  t->is_reserved = b->reservations.count > 0 && hc_slurm_reservations_matter(&b->reservations, t->now, last);
  if (t->is_reserved) t->who = hc_slurm_reserver_of(b, job);
  t->anywhere = hc_slurm_ask_in(b, t->v, job, t->need, &t->ask);
  if (hc_slurm_is_barred(self, t->v, job, &t->ask)) {
    hold_until(t, t->now);
    return 0;
  }
  if (hc_slurm_is_limited(self, t->v, job) || !hc_slurm_has_licences(self, &t->ask)) return 0;
  find_shared(t);
  TRY(hc_slurm_ends_shape(&self->ends, &t->ask, &t->shape, &t->is_exact));
  const bool preempts = self->settings.preempt.type != HC_SLURM_PREEMPT_NONE || b->cores.words > 0;
  if (preempts && !is_component && (rc = preempt(t, p)) != 0) return rc < 0 ? rc : rc == HC_SLURM_HAS_STARTED;
  TRY(rc = seek(t));
  if (is_component && rc != NOW && (rc2 = could_preempt(t)) != 0)
    return rc2 < 0 ? rc2 : plan_component(t, p, count, true);
  if (is_component && rc != NOTHING) return plan_component(t, p, count, false);
  if (rc == LATER && !t->starts) return plan(t);
  t->start = HC_NEVER;
  if (rc != NOW) return 0;
  t->until = t->now;
  rc = hc_slurm_start(self, t->v, p, job, t->limit);
  if (rc > 0) hc_slurm_kinds_clear(&self->kinds);
  if (rc > 0) TRY(started(t));
  return rc;
}

/* What was found in the last cycle is found again. */
static hc_rc repeat(trial *t, const hc_slurm_found *x)
{
  hc_slurm *self = t->self;
  t->start = x->start;
  t->until = x->until;
  if (x->start == HC_NEVER) return 0;
  hc_slurm_past_nodes(&self->past, x, self->picked, self->books.words);
  return plan(t);
}

/* Does what is found depend on nothing but the books, the plan and the time? Reservations and limits of
 * associations are looked at anew each time, and so are jobs that might be stopped, and jobs of which some
 * have to start together. */
static bool is_kept(const hc_slurm *self)
{
  const hc_slurm_books *b = &self->books;
  return self->settings.preempt.type == HC_SLURM_PREEMPT_NONE && b->cores.words == 0 &&
         b->reservations.count == 0 && b->hets.count == 0 &&
         (!b->accounting || b->accounting->limits.enforce == 0);
}

/* @param count  jobs that the cycle has started  @param starts  it is not planned
 * @return how many more have started now */
static hc_rc try_job(hc_slurm *self, hc_view *v, hc_plan *p, const hc_slurm_job *job, int64_t now,
                     int64_t count, bool starts)
{
  trial t = {.self = self,
             .v = v,
             .job = job,
             .limit = job->least > 0 ? HC_MIN(job->least, job->limit) : job->limit,
             .now = now,
             .earliest = now,
             .start = HC_NEVER,
             .until = HC_NEVER,
             .starts = starts};
  hc_slurm_found x = {.serial = job->serial, .partition = job->partition, .limit = t.limit};
  const bool kept = is_kept(self) && !starts;
  const hc_slurm_found *before = kept ? hc_slurm_past_next(&self->past, self->books.version, &x, now) : NULL;
  const hc_rc rc = before ? repeat(&t, before) : try_anew(&t, p, count);
  if (rc != 0 || !kept) return rc;
  x.start = t.start;
  x.until = t.until;
  x.is_taken = t.is_taken;
  return hc_slurm_past_keep(&self->past, self->allocator, self->books.version, &x, self->picked,
                            self->books.words);
}

/* What a cycle is carried out with. */
typedef struct cycle {
  hc_slurm *self;
  hc_view *v;
  hc_plan *p;
  int64_t now;    /* s */
  int64_t count;  /* jobs that it has started */
  size_t longest; /* stretches with which it ends */
  bool defers;    /* jobs need not be planned (deferred.h) */
  bool is_over;   /* none of those that are left can start */
} cycle;

static hc_rc try_next(const cycle *c, size_t place, bool starts)
{
  const hc_slurm_job job = c->self->books.queue[place];
  return try_job(c->self, c->v, c->p, &job, c->now, c->count, starts);
}

/* Plan the first of those that were put off, which cannot start. @return 1: on nodes that are open to the job
 * asked about; 0; or an error */
static hc_rc plan_deferred(const cycle *c)
{
  hc_slurm *self = c->self;
  const int64_t before = self->counts.planned;
  const hc_rc rc = try_next(c, hc_slurm_deferred_take(self, c->now), false);
  if (rc < 0 || self->counts.planned == before) return HC_MIN(rc, 0);
  for (uint32_t w = 0; w < self->books.words; w++)
    if (self->picked[w] & self->deferred.open[w]) return 1;
  return 0;
}

/* Is it known that none of the jobs behind `place` can start, nor the cycle end before the queue does? Plans
 * only bring that nearer, so that it is asked on from the job with which it was not known.
 * @return 1; 0; or an error */
static hc_rc is_last(const cycle *c, size_t place)
{
  hc_slurm *self = c->self;
  hc_slurm_deferred *d = &self->deferred;
  const hc_slurm_books *b = &self->books;
  const size_t left = b->queue_count - place;
  if (self->space.count + d->stretches + 2 * left >= c->longest) return 0;
  for (d->behind = HC_MAX(d->behind, place + 1); d->behind < b->queue_count; d->behind++) {
    const hc_slurm_job *job = &b->queue[d->behind];
    if (job->task == HC_NO_TASK || job->begin > c->now) continue;
    if (job->array != HC_NO_NAME) return 0;
    const hc_rc may = hc_slurm_may_start(self, c->v, job, c->now, self->open);
    if (may != 0) return HC_MIN(may, 0);
  }
  return 1;
}

/* Is it known that those put off start so late that what they are planned on is none of a job's that starts
 * now? @param late  those from there on are known to, which may move @return 1; 0; or an error */
static hc_rc are_late(const cycle *c, const hc_slurm_job *job, size_t *late)
{
  hc_slurm *self = c->self;
  const hc_slurm_deferred *d = &self->deferred;
  const int64_t limit = job->least > 0 ? HC_MIN(job->least, job->limit) : job->limit;
  const int64_t until = rounded(self, c->now + limit) + self->settings.bf_resolution - 1;
  for (; *late > d->first; --*late) {
    const hc_slurm_job *other = &self->books.queue[d->items[*late - 1]];
    const hc_rc rc = hc_slurm_starts_later(self, c->v, other, c->now, until);
    if (rc <= 0) return rc;
  }
  return 1;
}

typedef enum turn { WAITS = 1, ITS_OWN, THE_LAST } turn;

/* Is it known that a job cannot start? As many of those that were put off before it are planned as that
 * takes, and as many as keep the cycle's end from depending on them. Where no job behind it can start, those
 * that start when it is over do not matter to it, nor to anything else. The tasks of an array that has a
 * limit are planned at once, since how many are looked at depends on that.
 * @return WAITS; ITS_OWN: none is put off any more, or it may be the one with which the cycle ends; THE_LAST:
 * it starts if it does now; or an error */
static hc_rc turn_of(const cycle *c, size_t place)
{
  hc_slurm *self = c->self;
  hc_slurm_deferred *d = &self->deferred;
  const hc_slurm_job *job = &self->books.queue[place];
  const size_t more = hc_slurm_deferred_stretches(self, job, c->now);
  size_t late, tries = 0;
  hc_rc may, rc;
  if (!c->defers || job->array != HC_NO_NAME) return ITS_OWN;
  while (d->count > 0 && self->space.count + d->stretches + more >= c->longest)
    if ((may = plan_deferred(c)) < 0) return may;
  if (self->space.count + d->stretches + more >= c->longest) return ITS_OWN;
  if (place < d->behind) return WAITS; /* one before it has asked that already */
  TRY(may = hc_slurm_may_start(self, c->v, job, c->now, d->open));
  late = d->count;
  while (may > 0 && d->count > 0) {
    /* Asked behind 0, 1, 2, 4, 8 ... plans. */
    if ((tries & (tries - 1)) == 0) {
      TRY(rc = is_last(c, place));
      if (rc > 0) TRY(rc = are_late(c, job, &late));
      if (rc > 0) return THE_LAST;
    }
    tries++;
    TRY(rc = plan_deferred(c));
    if (rc > 0) TRY(may = hc_slurm_may_start(self, c->v, job, c->now, d->open));
  }
  return may == 0 ? WAITS : ITS_OWN;
}

/* @return how many jobs have started now, or an error */
static hc_rc try_or_defer(cycle *c, size_t place)
{
  hc_slurm *self = c->self;
  hc_rc rc;
  if (c->is_over) return 0;
  TRY(rc = turn_of(c, place));
  if (rc == WAITS) return hc_slurm_deferred_add(self, place, c->now);
  c->is_over = rc == THE_LAST;
  while (!c->is_over && self->deferred.count > 0)
    if ((rc = plan_deferred(c)) < 0) return rc;
  return try_next(c, place, c->is_over);
}

hc_rc hc_slurm_backfill(hc_slurm *self, hc_view *v, hc_plan *p)
{
  hc_slurm_books *b = &self->books;
  const hc_slurm_settings *s = &self->settings;
  const int64_t now = hc_slurm_second(b, self->s->now(v)), most = s->bf_node_space_size;
  cycle c = {.self = self, .v = v, .p = p, .now = now};
  int64_t tried = 0;
  hc_slurm_books_sort(b);
  if (b->queue_count == 0) return 0;
  self->counts.cycles++;
  hc_slurm_arrays_begin(&b->arrays);
  hc_slurm_together_begin(self);
  hc_slurm_kinds_clear(&self->kinds);
  hc_slurm_past_begin(&self->past, b->version);
  hc_slurm_deferred_begin(&self->deferred);
  self->holds = HC_NEVER;
  hc_map_fini(&self->tested);
  hc_map_init(&self->tested, self->allocator);
  hc_map_fini(&self->planned);
  hc_map_init(&self->planned, self->allocator);
  TRY(hc_slurm_space_clear(&self->space, rounded(self, now), rounded(self, now + s->bf_window * 60), b->up));
  c.longest = (size_t)(most > 0 ? most : s->bf_max_job_test);
  c.defers =
      self->defers && is_kept(self) && !self->s->explaining(v); /* plans are part of what is explained */
  for (size_t i = 0; i < b->queue_count && tried < s->bf_max_job_test; i++) {
    const hc_slurm_job job = b->queue[i];
    if (job.task == HC_NO_TASK) { /* it has started in another of its partitions */
      tried++;
      continue;
    }
    if (job.begin > now || hc_slurm_waits_for_array(self, v, &job)) continue;
    if (hc_slurm_waits_for_reservation(self, v, &job, now)) continue;
    hc_rc rc = has_turn(self, &job);
    if (rc < 0) return rc;
    if (rc == 0) continue;
    tried++;
    rc = try_or_defer(&c, i);
    if (rc < 0) return rc;
    c.count += rc;
    if (self->put_off) break;
    if (s->bf_max_job_start > 0 && c.count >= s->bf_max_job_start) break;
    if (self->space.count >= c.longest) break;
  }
  if (!s->bf_hetjob_immediate && !self->put_off) {
    const hc_rc rc = hc_slurm_together_start(self, v, p, 0, c.count);
    if (rc < 0) return rc;
    c.count += rc;
  }
  if (tried > 0) hc_slurm_clock_change(&self->clock, self->s->now(v), false);
  self->counts.backfill_tried += tried;
  self->counts.backfill_started += c.count;
  self->counts.deepest = HC_MAX(self->counts.deepest, tried);
  return 0;
}
