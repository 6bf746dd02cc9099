/* gang.c -- time-sliced gang scheduling by an Ousterhout matrix.
 *
 * Every task that has a place stands in one row of the matrix, on columns of its own: processors that it
 * has for itself while its row runs. Rows take turns: each runs for a quantum, the tasks of the others are
 * suspended then. So all of a task runs at the same time, and tasks share the machine in time as well as
 * in space. A task goes into a row as soon as one has room (matrix.h: packing), or a new row may be
 * opened; otherwise it waits in the queue. It starts when its row runs next, at once if that is now.
 *
 * A change of rows: who does not go on is suspended at once, and the next row's tasks run `switch_cost`
 * later, when their quantum begins; no task pays if none is suspended and none has been. A row that has
 * run empty is gone, and the next one follows at once. While there is only one row, its quanta go by and
 * nothing else happens.
 *
 * With `alternate`, tasks of other rows run too where the running row leaves their columns idle, as
 * guests, the rows that run next first: chosen when a quantum begins; and a task that has never run starts
 * on columns that are idle. A guest makes room at once for a task that is new in the row. With `unify`,
 * two rows with no column in common become one before the next runs.
 *
 * On a cell that counts processors columns have no other names; on one of intervals they are the
 * processors.
 *
 * On a cell of hosts a row needs no columns: while it runs the cell is the row, since what others hold is
 * given back. A task joins the row that runs as soon as it fits there, where the placement puts it;
 * suspended tasks of the row take their old places first. When the quantum of the last row is over and a
 * task waits that does not fit, a new row is opened behind it, and starts what then fits. So a task never
 * goes into a row that does not run, and what needs columns (pack, alternate, unify) has no meaning there.
 * A task that lost a host while suspended is no member any more; one whose place is taken goes on when it
 * is free.
 *
 * Not modelled: memory (what is suspended is in no task's way), and tasks that move to other columns. Cost:
 * O(tasks in rows x rows) a quantum, O(columns / 64) a row when something is placed. Sources: Ousterhout,
 * "Scheduling techniques for concurrent systems", ICDCS 1982; Feitelson, "Packing schemes for gang
 * scheduling", JSSPP 1996, LNCS 1162, pp. 89-110. Defaults:
 * https://slurm.schedmd.com/gang_scheduling.html. */
#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "hindcast/policy.h"
#include "policy/matrix.h"

typedef struct options {
  hc_chosen order;
  hc_time quantum, switch_cost;
  int64_t rows;
  int pack, queue;
  bool alternate, unify;
} options;

enum { QUEUE_BLOCKING, QUEUE_SCAN };
enum { IDLE, RUNS, SWITCHES }; /* phase: no row runs; a row does; the next one will */
enum { PLACED, RUNNING, SUSPENDED, GONE };

/* A task in a row. */
typedef struct member {
  uint64_t serial;
  hc_task task;
  uint32_t row, units;
  uint32_t first, count; /* its columns */
  uint32_t block;        /* buddy: columns that it has in all */
  uint32_t state;
  uint32_t is_wanted; /* it is to run; of no meaning between decisions */
} member;

/* What is saved beside the arrays. */
typedef struct state {
  hc_time since; /* when this quantum, or the first of several in a row, began */
  hc_time due;   /* SWITCHES: when it will */
  hc_time armed; /* the last wake-up that was asked for */
  int64_t turn;  /* the row that runs, or will; -1: none has */
  int64_t phase, gone;
  int64_t slots, switches, guests, unified, rows_most;
  hc_time lost; /* to switching */
} state;

struct hc_policy {
  const hc_services *s;
  const hc_allocator *allocator;
  options o;
  bool names_columns, on_hosts, is_acting;
  hc_matrix matrix;
  uint64_t *busy; /* [words] columns of tasks that run */
  member *members;
  size_t count, cap;
  hc_columns columns;
  uint32_t *index; /* [by task] 1 + its place in `members`, or anything */
  size_t indexed, index_cap;
  state now;
};

/* ---- who is in a row ---- */

static hc_rc note_index(hc_policy *self, hc_task t, size_t at)
{
  const size_t need = (size_t)t + 1;
  if (need > self->indexed) {
    TRY(hc_reserve(self->allocator, (void **)&self->index, &self->index_cap, need, sizeof *self->index));
    memset(self->index + self->indexed, 0, (self->index_cap - self->indexed) * sizeof *self->index);
    self->indexed = self->index_cap;
  }
  self->index[t] = (uint32_t)at + 1;
  return 0;
}

static member *find_member(const hc_policy *self, hc_task t, uint64_t serial)
{
  const size_t at = t < self->indexed ? self->index[t] : 0;
  member *m = at > 0 && at <= self->count ? &self->members[at - 1] : NULL;
  return m && m->task == t && m->serial == serial && m->state != GONE ? m : NULL;
}

static hc_rc on_task_event(hc_policy *self, const hc_view *v, hc_task_event what, hc_task t,
                           const int64_t *amounts)
{
  member *m;
  HC_UNUSED(amounts);
  if (self->is_acting || (what != HC_TASK_EVENT_RELEASED && what != HC_TASK_EVENT_DEQUEUED)) return 0;
  m = find_member(self, t, self->s->serial(v, t));
  if (!m) return 0;
  m->state = GONE;
  self->now.gone++;
  return 0;
}

static const hc_range *columns_of(const hc_policy *self, const member *m)
{
  return self->columns.items + m->first;
}

static void remove_row(hc_policy *self, size_t row)
{
  state *n = &self->now;
  hc_matrix_remove_row(&self->matrix, row);
  for (size_t i = 0; i < self->count; i++) self->members[i].row -= self->members[i].row > row;
  if ((int64_t)row == n->turn) n->phase = IDLE;
  if ((int64_t)row <= n->turn) n->turn--;
}

/* On hosts, a task that was lost while suspended gave nothing back, so that no RELEASED told of it. */
static void miss_suspended(hc_policy *self, const hc_view *v)
{
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    const bool is_here = self->s->serial(v, m->task) == m->serial && self->s->rate(v, m->task) >= 0;
    if (m->state != SUSPENDED || is_here) continue;
    m->state = GONE;
    self->now.gone++;
  }
}

static bool is_empty(const hc_policy *self, size_t row)
{
  if (!self->on_hosts) return self->matrix.room[row] == self->matrix.columns;
  for (size_t i = 0; i < self->count; i++)
    if (self->members[i].row == row) return false;
  return true;
}

/* Tasks that have left leave room, and rows without a task are no rows. */
static hc_rc sweep(hc_policy *self)
{
  size_t kept = 0, columns = 0;
  if (self->now.gone == 0) return 0;
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (m->state == GONE) {
      if (m->count > 0) hc_matrix_give(&self->matrix, m->row, columns_of(self, m), m->count, m->block);
      continue;
    }
    if (m->count > 0)
      memmove(self->columns.items + columns, columns_of(self, m), m->count * sizeof *self->columns.items);
    m->first = (uint32_t)columns;
    columns += m->count;
    self->members[kept++] = *m;
    self->index[m->task] = (uint32_t)kept;
  }
  self->count = kept;
  self->columns.count = columns;
  self->now.gone = 0;
  for (size_t r = self->matrix.rows; r-- > 0;)
    if (is_empty(self, r)) remove_row(self, r);
  return 0;
}

/* ---- into a row ---- */

static hc_rc place(hc_policy *self, hc_view *v, hc_task t, uint32_t units, size_t row)
{
  member m = {.serial = self->s->serial(v, t),
              .task = t,
              .row = (uint32_t)row,
              .units = units,
              .first = (uint32_t)self->columns.count,
              .state = PLACED};
  TRY(hc_reserve(self->allocator, (void **)&self->members, &self->cap, self->count + 1, sizeof m));
  if (!self->on_hosts) TRY(hc_matrix_take(&self->matrix, row, units, &self->columns, &m.block));
  m.count = (uint32_t)self->columns.count - m.first;
  TRY(note_index(self, t, self->count));
  self->members[self->count++] = m;
  if (t == self->s->asked(v))
    self->s->explain(v, t, "is placed in row %zu of %zu", row + 1, self->matrix.rows);
  return 0;
}

/* The task that was asked about stands behind one that finds no row. */
static void explain_blocked(const hc_policy *self, const hc_view *v, hc_task blocked)
{
  const hc_services *s = self->s;
  const hc_task t = s->asked(v);
  if (t == HC_NO_TASK || t == blocked || find_member(self, t, s->serial(v, t))) return;
  s->note(v, t, HC_NOTE_BEHIND, blocked, 0, 0);
}

/* It finds none itself. */
static void explain_rows(const hc_policy *self, const hc_view *v)
{
  const hc_services *s = self->s;
  const hc_matrix *m = &self->matrix;
  const hc_task t = s->asked(v);
  if (t == HC_NO_TASK || find_member(self, t, s->serial(v, t)) || s->units(v, t) <= hc_matrix_most(m)) return;
  s->explain(
      v, t,
      "is in no row: of %zu the emptiest has %lld of %lld columns left, and there are %lld rows at most",
      m->rows, (long long)hc_matrix_most(m), (long long)m->columns, (long long)self->o.rows);
}

/* Give a row to every queued task that can have one. */
static hc_rc enrol(hc_policy *self, hc_view *v)
{
  const hc_services *s = self->s;
  hc_matrix *m = &self->matrix;
  hc_cursor at = {0};
  for (;;) {
    const bool may_open = m->rows < (size_t)self->o.rows;
    const hc_filter fits = {.max_units = may_open ? m->columns : hc_matrix_most(m), .max_estimate = HC_NEVER};
    hc_task t;
    size_t row;
    if (fits.max_units == 0) return 0;
    t = s->next(v, HC_LIST_QUEUE, &at, self->o.queue == QUEUE_SCAN ? &fits : NULL);
    if (t == HC_NO_TASK) return 0;
    if (find_member(self, t, s->serial(v, t))) continue;
    const uint32_t units = (uint32_t)s->units(v, t);
    row = hc_matrix_find(m, units);
    if (row == m->rows && may_open) TRY(hc_matrix_add_row(m));
    if (row < m->rows) TRY(place(self, v, t, units, row));
    else if (self->o.queue == QUEUE_BLOCKING) {
      explain_blocked(self, v, t);
      return 0;
    }
    self->now.rows_most = HC_MAX(self->now.rows_most, (int64_t)m->rows);
  }
}

/* ---- which tasks run ---- */

static hc_rc run(hc_policy *self, hc_plan *p, member *m)
{
  const bool names = self->names_columns;
  hc_rc rc;
  self->is_acting = true;
  rc = m->state == SUSPENDED
           ? self->s->resume(p, m->task)
           : self->s->start(p, m->task, names ? columns_of(self, m) : NULL, names ? m->count : 0);
  self->is_acting = false;
  m->state = RUNNING;
  return rc;
}

static hc_rc suspend(hc_policy *self, hc_plan *p, member *m)
{
  hc_rc rc;
  self->is_acting = true;
  rc = self->s->suspend(p, m->task);
  self->is_acting = false;
  m->state = SUSPENDED;
  return rc;
}

/* On hosts its place may be another's, or less than it was: it goes on later. */
static hc_rc let_run(hc_policy *self, hc_plan *p, member *m)
{
  const hc_rc rc = run(self, p, m);
  if (rc != HC_EPOLICY || !self->on_hosts) return rc;
  m->state = SUSPENDED;
  return 0;
}

/* On hosts: start what fits beside the row that runs. */
static hc_rc fill_row(hc_policy *self, hc_view *v, hc_plan *p)
{
  const hc_services *s = self->s;
  hc_cursor at = {0};
  for (;;) {
    const hc_task t = s->next(v, HC_LIST_QUEUE, &at, NULL);
    if (t == HC_NO_TASK) return 0;
    if (!s->fits(v, t)) {
      if (self->o.queue == QUEUE_BLOCKING) return 0;
      continue;
    }
    TRY(place(self, v, t, (uint32_t)HC_MIN(s->units(v, t), UINT32_MAX), (size_t)self->now.turn));
    TRY(run(self, p, &self->members[self->count - 1]));
  }
}

static bool may_open_row(const hc_policy *self)
{
  return self->matrix.rows < (size_t)self->o.rows;
}

/* On hosts: does a task wait that finds no room in the row that runs, and may it have one of its own? */
static bool wants_row(const hc_policy *self, const hc_view *v)
{
  hc_cursor at = {0};
  if (!self->on_hosts || !may_open_row(self)) return false;
  if (self->now.phase != RUNS) return self->s->queued(v) > 0; /* the cell is no row now */
  for (;;) {
    const hc_task t = self->s->next(v, HC_LIST_QUEUE, &at, NULL);
    if (t == HC_NO_TASK) return false;
    if (!self->s->fits(v, t)) return true;
    if (self->o.queue == QUEUE_BLOCKING) return false; /* it joins, and another is first then */
  }
}

/* Those of one row who can run beside those who are wanted already. */
static void want_row(hc_policy *self, size_t row)
{
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (m->row != row || hc_columns_meet(self->busy, columns_of(self, m), m->count)) continue;
    m->is_wanted = 1;
    hc_columns_set(self->busy, columns_of(self, m), m->count, true);
  }
}

/* The row whose turn it is, and its guests. */
static void choose(hc_policy *self)
{
  const size_t rows = self->matrix.rows;
  memset(self->busy, 0, self->matrix.words * sizeof *self->busy);
  for (size_t i = 0; i < self->count; i++) self->members[i].is_wanted = 0;
  for (size_t k = 0; k < (self->o.alternate ? rows : 1); k++)
    want_row(self, ((size_t)self->now.turn + k) % rows);
}

/* @return how many */
static hc_rc suspend_others(hc_policy *self, hc_plan *p)
{
  hc_rc count = 0;
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (m->state != RUNNING || m->is_wanted) continue;
    TRY(suspend(self, p, m));
    count = 1;
  }
  return count;
}

/* Be called at the next end of a quantum, if then there may be something to do. */
static hc_rc arm(hc_policy *self, const hc_view *v, hc_plan *p)
{
  state *n = &self->now;
  const hc_time now = self->s->now(v), q = self->o.quantum;
  hc_time at = n->due;
  if (n->phase == RUNS && self->matrix.rows < 2 && !wants_row(self, v)) return 0;
  if (n->phase == RUNS) at = hc_time_add(now, q - (now - n->since) % q);
  if (n->phase == IDLE || n->armed == at) return 0;
  n->armed = at;
  return self->s->wake(p, at);
}

static hc_rc change_to(hc_policy *self, hc_view *v, hc_plan *p, size_t row);

/* A row that was opened for a task that fits not even there, as when hosts are down. */
static hc_rc skip_row(hc_policy *self, hc_view *v, hc_plan *p)
{
  remove_row(self, (size_t)self->now.turn);
  if (self->matrix.rows == 0) return 0;
  return change_to(self, v, p, (size_t)(self->now.turn + 1) % self->matrix.rows);
}

static hc_rc begin_slot(hc_policy *self, hc_view *v, hc_plan *p)
{
  state *n = &self->now;
  choose(self);
  TRY(suspend_others(self, p));
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (!m->is_wanted) continue;
    n->guests += m->row != (size_t)n->turn;
    if (m->state != RUNNING) TRY(let_run(self, p, m));
  }
  if (self->on_hosts) TRY(fill_row(self, v, p));
  if (self->on_hosts && is_empty(self, (size_t)n->turn)) return skip_row(self, v, p);
  n->phase = RUNS;
  n->since = self->s->now(v);
  n->slots++;
  return arm(self, v, p);
}

static hc_rc change_to(hc_policy *self, hc_view *v, hc_plan *p, size_t row)
{
  state *n = &self->now;
  bool costs;
  hc_rc stopped;
  n->turn = (int64_t)row;
  choose(self);
  stopped = suspend_others(self, p);
  TRY(stopped);
  costs = stopped > 0;
  for (size_t i = 0; i < self->count; i++)
    costs |= self->members[i].is_wanted && self->members[i].state == SUSPENDED;
  n->switches += costs;
  if (!costs || self->o.switch_cost == 0) return begin_slot(self, v, p);
  n->phase = SWITCHES;
  n->due = hc_time_add(self->s->now(v), self->o.switch_cost);
  n->lost += self->o.switch_cost;
  return arm(self, v, p);
}

/* Two rows with no column in common become one, as long as there are such. */
static void unify(hc_policy *self)
{
  hc_matrix *m = &self->matrix;
  for (size_t a = 0; a < m->rows; a++)
    for (size_t b = a + 1; b < m->rows;) {
      if (!hc_matrix_is_disjoint(m, a, b)) {
        b++;
        continue;
      }
      hc_matrix_merge(m, a, b);
      for (size_t i = 0; i < self->count; i++)
        if (self->members[i].row == b) self->members[i].row = (uint32_t)a;
      hc_matrix_remove_row(m, b);
      for (size_t i = 0; i < self->count; i++) self->members[i].row -= self->members[i].row > b;
      self->now.turn -= self->now.turn >= (int64_t)b;
      self->now.unified++;
    }
}

/* A guest on a new task's columns makes room for it. */
static hc_rc evict(hc_policy *self, hc_plan *p, const member *comer)
{
  const hc_range *columns = columns_of(self, comer);
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (m->state != RUNNING || m->row == comer->row) continue;
    memset(self->busy, 0, self->matrix.words * sizeof *self->busy);
    hc_columns_set(self->busy, columns, comer->count, true);
    if (hc_columns_meet(self->busy, columns_of(self, m), m->count)) TRY(suspend(self, p, m));
  }
  return 0;
}

static void find_busy(hc_policy *self)
{
  memset(self->busy, 0, self->matrix.words * sizeof *self->busy);
  for (size_t i = 0; i < self->count; i++)
    if (self->members[i].state == RUNNING)
      hc_columns_set(self->busy, columns_of(self, &self->members[i]), self->members[i].count, true);
}

/* In the middle of a quantum: tasks that are new in the row start, and tasks that have never run may, where
 * no other does. */
static hc_rc join(hc_policy *self, hc_view *v, hc_plan *p)
{
  for (size_t i = 0; self->on_hosts && i < self->count; i++) {
    member *m = &self->members[i];
    if (m->state == SUSPENDED && m->row == (size_t)self->now.turn) TRY(let_run(self, p, m));
  }
  if (self->on_hosts) return fill_row(self, v, p);
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (m->state != PLACED || m->row != (size_t)self->now.turn) continue;
    if (self->o.alternate) TRY(evict(self, p, m));
    TRY(run(self, p, m));
  }
  if (!self->o.alternate || self->matrix.rows < 2) return 0;
  find_busy(self);
  for (size_t i = 0; i < self->count; i++) {
    member *m = &self->members[i];
    if (m->state != PLACED || hc_columns_meet(self->busy, columns_of(self, m), m->count)) continue;
    hc_columns_set(self->busy, columns_of(self, m), m->count, true);
    self->now.guests++;
    TRY(run(self, p, m));
  }
  return 0;
}

/* The row behind the one that runs; on hosts it may be a new one. */
static hc_rc next_row(hc_policy *self, const hc_view *v, size_t *row)
{
  hc_matrix *m = &self->matrix;
  *row = (size_t)(self->now.turn + 1);
  if (*row == m->rows && (m->rows == 0 || wants_row(self, v))) TRY(hc_matrix_add_row(m));
  self->now.rows_most = HC_MAX(self->now.rows_most, (int64_t)m->rows);
  *row %= m->rows;
  return 0;
}

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  state *n = &self->now;
  const hc_time now = self->s->now(v);
  HC_UNUSED(why);
  size_t row;
  if (self->on_hosts) miss_suspended(self, v);
  TRY(sweep(self));
  if (!self->on_hosts) {
    TRY(enrol(self, v));
    explain_rows(self, v);
  }
  if (self->matrix.rows == 0 && !(self->on_hosts && self->s->queued(v) > 0)) {
    n->phase = IDLE;
    n->turn = -1;
    return 0;
  }
  if (n->phase == SWITCHES) return now >= n->due ? begin_slot(self, v, p) : 0;
  if (n->phase == RUNS) {
    const bool is_over = now > n->since && (now - n->since) % self->o.quantum == 0 &&
                         (self->matrix.rows > 1 || wants_row(self, v));
    if (!is_over) {
      TRY(join(self, v, p));
      return arm(self, v, p);
    }
  }
  if (self->o.unify) unify(self);
  TRY(next_row(self, v, &row));
  return change_to(self, v, p, row);
}

/* ---- birth, state, death ---- */

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->allocator;
  hc_free(a, self->busy, self->matrix.words * sizeof *self->busy);
  hc_matrix_fini(&self->matrix);
  hc_free(a, self->members, self->cap * sizeof *self->members);
  hc_free(a, self->columns.items, self->columns.cap * sizeof *self->columns.items);
  hc_free(a, self->index, self->index_cap * sizeof *self->index);
  hc_free(a, self, sizeof *self);
}

static hc_rc init(const hc_policy_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  hc_policy *self;
  const options *o = opts;
  const bool on_hosts = c->cell->granularity == HC_CELL_HOSTS;
  if (on_hosts && (o->alternate || o->unify || o->pack != HC_PACK_FIRST_FIT))
    return hc_fail(
        e, HC_EUNSUPPORTED, "policy gang", 0, 0,
        "`alternate`, `unify` and `pack` are about the columns of a matrix, and on a cell of hosts a row has "
        "none: leave them out, or use `cell: {use: count, procs: N}` or `cell: {use: intervals, procs: N}`");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_policy){.s = c->services, .allocator = c->allocator, .o = *o, .on_hosts = on_hosts};
  self->names_columns = c->cell->granularity == HC_CELL_INTERVALS;
  self->now.turn = -1;
  self->now.armed = HC_UNKNOWN;
  hc_matrix_init(&self->matrix, c->allocator, on_hosts ? 1 : c->cell->units, (hc_packing)self->o.pack);
  self->busy = hc_alloc(c->allocator, self->matrix.words * sizeof *self->busy);
  *out = self;
  return self->busy ? 0 : HC_ENOMEM;
}

static bool is_sound(const hc_policy *self)
{
  for (size_t i = 0; i < self->count; i++) {
    const member *m = &self->members[i];
    if (m->row >= self->matrix.rows || m->first > self->columns.count ||
        m->count > self->columns.count - m->first)
      return false;
  }
  return self->now.turn < (int64_t)self->matrix.rows;
}

static hc_rc visit(hc_policy *self, hc_visitor *v)
{
  for (size_t i = 0; i < self->count; i++) self->members[i].is_wanted = 0;
  TRY(hc_matrix_visit(&self->matrix, v));
  HC_VISIT_ARRAY(v, self->members, self->count, self->cap);
  HC_VISIT_ARRAY(v, self->columns.items, self->columns.count, self->columns.cap);
  HC_VISIT(v, self->now);
  if (!hc_visit_loading(v)) return 0;
  if (!is_sound(self)) return HC_EINPUT;
  for (size_t i = 0; i < self->count; i++) TRY(note_index(self, self->members[i].task, i));
  return 0;
}

static uint32_t flags(const void *opts)
{
  const options *o = opts;
  const hc_order_type *r = (const hc_order_type *)o->order.type;
  const uint32_t sorts = r->flags ? r->flags(o->order.options) : 0;
  return HC_SETS_RATES | HC_PLACES_HOSTS | sorts |
         (sorts & HC_NEEDS_ESTIMATE ? 0 : (uint32_t)HC_IGNORES_TIME);
}

static void parts(const void *opts, hc_policy_parts *out)
{
  out->order = &((const options *)opts)->order;
}

static hc_rc finish(hc_policy *self, hc_findings *f)
{
  const state *n = &self->now;
  TRY(hc_find_count(f, "gang_slots", "slots", n->slots));
  TRY(hc_find_count(f, "gang_switches", "switches", n->switches));
  TRY(hc_find_real(f, "gang_switch_time", "s", (double)n->lost / 1e9));
  TRY(hc_find_count(f, "gang_rows_max", "rows", n->rows_most));
  TRY(hc_find_count(f, "gang_guests", "times", n->guests));
  return hc_find_count(f, "gang_unified", "rows", n->unified);
}

static const hc_param params[] = {
    HC_PARAM(COMPONENT, options, order, HC_KIND_ORDER, "fcfs", "How tasks without a row are sorted."),
    HC_PARAM(TIME, options, quantum, "s", "30s", 1e-6, 1e9,
             "How long a row runs before the next one. The default is that of Slurm's SchedulerTimeSlice."),
    HC_PARAM(INT, options, rows, "rows", "4", 1, 1e6,
             "At most so many rows: the multiprogramming level. With 1 no task is ever suspended. The "
             "default is that of Slurm's OverSubscribe=FORCE: four jobs share a resource."),
    HC_PARAM(TIME, options, switch_cost, "s", "0", 0, 1e9,
             "Time between two rows, in which only guests run; the quantum begins after it."),
    HC_PARAM(CHOICE, options, pack, "first_fit|best_fit|buddy", "first_fit",
             "Which row a task goes into. first_fit: the first with room; best_fit: the one with the least "
             "room that is enough; buddy: the first with an aligned block of a power of two."),
    HC_PARAM(CHOICE, options, queue, "blocking|scan", "blocking",
             "What happens behind a task for which no row has room. blocking: later tasks wait too; scan: "
             "each later task that finds room gets it."),
    HC_PARAM(BOOL, options, alternate, "false",
             "Do tasks of other rows also run (as guests) where the running row leaves all their columns "
             "idle?"),
    HC_PARAM(BOOL, options, unify, "false", "Do rows that have no column in common become one?"),
    {0}};

static const char *const figures[] = {
    "gang_slots|slots|none|quanta that began with a change of row, or from idle",
    "gang_switches|switches|lower|changes of row at which a task was suspended or went on",
    "gang_switch_time|s|lower|time that switches took in all: switches x switch_cost",
    "gang_rows_max|rows|none|greatest number of rows at a time",
    "gang_guests|times|none|times that a task ran, for a quantum or the rest of one, outside its own row",
    "gang_unified|rows|none|rows that became part of another row",
    NULL,
};

const hc_policy_type hc_policy_gang = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .figures = figures, .name = "gang",
         .summary = "time-sliced gang scheduling: rows of an Ousterhout matrix take turns",
         .detail =
             "A task runs whole, on processors of its own within its row, while its row runs. A suspended "
             "task keeps its work and its processors; only the time that it runs counts towards its limit. "
             "On a cell of hosts a task joins the running row if it fits there. Memory is not modelled. "
             "Reservations, and summaries trimmed over time, cannot be combined with gang scheduling.",
         .source = "Ousterhout, Scheduling techniques for concurrent systems, ICDCS 1982; Feitelson, "
                   "Packing schemes for gang scheduling, JSSPP 1996, LNCS 1162, pp. 89-110; defaults: "
                   "https://slurm.schedmd.com/gang_scheduling.html",
         .params = params, .options_size = sizeof(options)},
    .flags = flags,
    .parts = parts,
    .init = init,
    .decide = decide,
    .visit = visit,
    .fini = fini,
    .on_task_event = on_task_event,
    .finish = finish,
};
