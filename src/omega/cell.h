/* cell.h -- the machines: all alike, two resources, what is held of each.
 *
 * Amounts are doubles that are added and taken away in the original's order, so that rounding is the same. A machine has
 * a sequence number, which a placement bumps.
 *
 * Three things make it fast without changing a result:
 *
 *   a log of changes  each entry keeps what a machine was before. To see the cell as it was at an earlier position of the
 *                     log, entries are exchanged with the live values, newest first; to come back, oldest first. A private
 *                     state thus costs the changes since it was taken, not the machines.
 *   shapes            for up to so many sizes of task, a bit a machine says whether one fits, kept up to date by each
 *                     change, and counted. A probe reads a bit, and a search knows when nothing is left to be found.
 *   free amounts      as a sum, so that whether anything can fit is known at once.
 *
 * Invariants: bit m of a shape is set exactly if one of its tasks fits on m; its count is the number of set bits; its list, if
 * it has one, holds these machines and no other. */
#ifndef HC_OMEGA_CELL_H
#define HC_OMEGA_CELL_H

#include "base/mem.h"

#define HC_OMEGA_SHAPES 8 /* sizes of task that get bits; others are tested machine by machine */

typedef struct hc_omega_amounts {
  double cpus, memory;
} hc_omega_amounts;

/* A machine; and, in the log, a machine as it was before a change, or as it was after while the past is looked at. */
typedef struct hc_omega_machine {
  hc_omega_amounts held; /* by tasks and by offers */
  uint32_t number, sequence;
} hc_omega_machine;

typedef struct hc_omega_shape {
  hc_omega_amounts task;
  uint64_t *bits; /* [words] */
  uint32_t count;
  uint32_t *members,
      *place; /* [machines] if the cell lists: those on which it fits, and where each is among them */
} hc_omega_shape;

typedef struct hc_omega_cell {
  const hc_allocator *allocator;
  uint32_t machines, words;
  hc_omega_amounts each;   /* what a machine has */
  hc_omega_amounts total;  /* what all have */
  hc_omega_machine *state; /* [machines] */
  hc_omega_amounts occupied, locked;
  hc_omega_shape shapes[HC_OMEGA_SHAPES];
  size_t shape_count;
  bool lists;            /* shapes have lists of machines; set before there is a shape */
  bool logs;             /* changes are logged */
  hc_omega_machine *log; /* [log_count] */
  size_t log_count, log_cap;
  uint64_t log_base; /* position of log[0] */
} hc_omega_cell;

/** @return 0 or HC_ENOMEM */
hc_rc hc_omega_cell_init(hc_omega_cell *c, const hc_allocator *a, uint32_t machines, hc_omega_amounts each);
void hc_omega_cell_fini(hc_omega_cell *c);
/** Make `to`, initialised alike, a copy of `from`, without its log. O(machines). */
hc_rc hc_omega_cell_copy(hc_omega_cell *to, const hc_omega_cell *from);
/** The shape of a task, made if there is room for one more; NULL if there is none, or no memory for it. */
const hc_omega_shape *hc_omega_cell_shape(hc_omega_cell *c, hc_omega_amounts task);

static inline bool hc_omega_cell_fits(const hc_omega_cell *c, uint32_t m, hc_omega_amounts task)
{
  return c->each.cpus - c->state[m].held.cpus >= task.cpus &&
         c->each.memory - c->state[m].held.memory >= task.memory;
}

static inline hc_omega_amounts hc_omega_cell_available(const hc_omega_cell *c)
{
  return (hc_omega_amounts){c->total.cpus - (c->occupied.cpus + c->locked.cpus),
                            c->total.memory - (c->occupied.memory + c->locked.memory)};
}

/* A machine comes to a shape's list, or leaves it: the last takes its place. */
static inline void hc_omega_shape_list(hc_omega_shape *s, uint32_t m, bool comes)
{
  const uint32_t at = comes ? s->count : s->place[m], other = comes ? m : s->members[s->count - 1];
  s->members[at] = other;
  s->place[other] = at;
}

/* Whether a shape fits on a machine is written down. */
static inline void hc_omega_shape_put(hc_omega_shape *s, uint32_t m, uint64_t fits, bool lists)
{
  uint64_t *word = &s->bits[m / 64];
  const uint64_t differs = fits ^ (*word >> (m % 64) & 1);
  if (lists && differs) hc_omega_shape_list(s, m, fits);
  *word ^= differs << (m % 64);
  s->count += (uint32_t)differs * ((uint32_t)fits * 2 - 1);
}

/* Put values in place, and the bits with them; logs nothing. */
static inline void hc_omega_cell_put(hc_omega_cell *c, uint32_t m, hc_omega_amounts held, uint32_t sequence)
{
  const hc_omega_amounts free = {c->each.cpus - held.cpus, c->each.memory - held.memory};
  c->state[m].held = held;
  c->state[m].sequence = sequence;
  for (size_t k = 0; k < c->shape_count; k++) {
    hc_omega_shape *s = &c->shapes[k];
    hc_omega_shape_put(s, m, (uint64_t)(free.cpus >= s->task.cpus) & (free.memory >= s->task.memory),
                       c->lists);
  }
}

/** Change a machine. @return 0 or HC_ENOMEM */
static inline hc_rc hc_omega_cell_set(hc_omega_cell *c, uint32_t m, hc_omega_amounts held, uint32_t sequence)
{
  if (c->logs) {
    if (c->log_count == c->log_cap &&
        hc_reserve(c->allocator, (void **)&c->log, &c->log_cap, c->log_count + 1, sizeof *c->log) < 0)
      return HC_ENOMEM;
    c->log[c->log_count++] = c->state[m];
  }
  hc_omega_cell_put(c, m, held, sequence);
  return 0;
}

/** A task takes its place: the sequence number goes up. The sums are the caller's. */
static inline hc_rc hc_omega_cell_take(hc_omega_cell *c, uint32_t m, hc_omega_amounts task)
{
  const hc_omega_amounts held = {c->state[m].held.cpus + task.cpus, c->state[m].held.memory + task.memory};
  return hc_omega_cell_set(c, m, held, c->state[m].sequence + 1);
}

/** And leaves it. @param bump  what is added to the sequence number: the original adds nothing */
static inline hc_rc hc_omega_cell_leave(hc_omega_cell *c, uint32_t m, hc_omega_amounts task, uint32_t bump)
{
  const hc_omega_amounts held = {c->state[m].held.cpus - task.cpus, c->state[m].held.memory - task.memory};
  return hc_omega_cell_set(c, m, held, c->state[m].sequence + bump);
}

/* ---- the past ---- */

/** Where the log stands. */
static inline uint64_t hc_omega_cell_position(const hc_omega_cell *c)
{
  return c->log_base + c->log_count;
}

/** Show the cell as it was at `position`; and the present again. What was changed in between must have been undone by
 *  hc_omega_cell_undo. */
void hc_omega_cell_past(hc_omega_cell *c, uint64_t position);
void hc_omega_cell_present(hc_omega_cell *c, uint64_t position);
/** Take back every change since the log had that position. */
void hc_omega_cell_undo(hc_omega_cell *c, uint64_t position);
/** Forget what was before a position. */
void hc_omega_cell_forget(hc_omega_cell *c, uint64_t position);

#endif
