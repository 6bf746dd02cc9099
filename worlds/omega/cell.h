/* cell.h -- the machines: all alike, two resources, what is held of each.
 *
 * Amounts are doubles that are added and taken away in the original's order, so that rounding is the same. A
 * machine has a sequence number, which a placement bumps.
 *
 * Three things make it fast without changing a result:
 *
 *   trials        who decides on the cell as it is now, and acts later, changes the cell itself and has the
 *                 changes taken back at once. A private state thus costs what is placed on it, not the
 *                 machines.
 *   shapes        for up to so many sizes of task, each machine says whether one fits, or a list has those on
 *                 which it does in front, kept up to date by each change, and counted. A probe reads a byte,
 *                 a choice the list, and a search knows when nothing is left to be found.
 *   free amounts  as a sum, so that whether anything can fit is known at once.
 *
 * Invariants: a shape's count is the number of machines on which one of its tasks fits; these say so, or are
 * the first in its list. */
#ifndef HC_OMEGA_CELL_H
#define HC_OMEGA_CELL_H

#include "base/mem.h"
#include "base/util.h"

#define HC_OMEGA_SHAPES 8 /* sizes of task that are kept; others are tested machine by machine */

typedef struct hc_omega_amounts {
  double cpus, memory;
} hc_omega_amounts;

/* A machine; and, in a trial, a machine as it was before a change. */
typedef struct hc_omega_machine {
  hc_omega_amounts held; /* by tasks and by offers */
  uint32_t number, sequence;
} hc_omega_machine;

typedef struct hc_omega_shape {
  hc_omega_amounts task;
  uint32_t count;    /* of machines on which it fits */
  uint8_t *fits;     /* [machines] 1 if it fits, else 0; or, if the cell lists: */
  uint32_t *members; /* [machines] all of them, the first `count` are those on which it fits */
  uint32_t *place;   /* [machines] where each is among them */
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
  bool lists;    /* shapes have lists of machines, not a byte for each; set before there is a shape */
  bool is_trial; /* changes will be taken back */
  hc_omega_machine *before; /* [before_count] what they changed */
  size_t before_count, before_cap;
} hc_omega_cell;

/** @return 0 or HC_ENOMEM */
hc_rc hc_omega_cell_init(hc_omega_cell *c, const hc_allocator *a, uint32_t machines, hc_omega_amounts each);
void hc_omega_cell_fini(hc_omega_cell *c);
/** Make `to`, initialised alike, a copy of `from`. O(machines). */
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

/* Whether a shape fits on a machine is written down: as such, or by its place in the list, in front of those
 * on which it does not fit. What was so already is written again, since a guess at what changes would be
 * wrong too often. */
static inline void hc_omega_shape_mark(hc_omega_shape *s, uint32_t m, uint32_t fits)
{
  s->count += fits - s->fits[m];
  s->fits[m] = (uint8_t)fits;
}

static inline void hc_omega_shape_move(hc_omega_shape *s, uint32_t m, uint32_t fits)
{
  const uint32_t from = s->place[m], did = from < s->count;
  const uint32_t to = fits == did ? from : s->count - did, other = s->members[to];
  s->members[from] = other;
  s->place[other] = from;
  s->members[to] = m;
  s->place[m] = to;
  s->count += fits - did;
}

/* Put values in place, and with them what fits, for good. */
static inline void hc_omega_cell_put(hc_omega_cell *c, uint32_t m, hc_omega_amounts held, uint32_t sequence)
{
  const hc_omega_amounts free = {c->each.cpus - held.cpus, c->each.memory - held.memory};
  c->state[m].held = held;
  c->state[m].sequence = sequence;
  for (size_t k = 0; k < c->shape_count; k++) {
    hc_omega_shape *s = &c->shapes[k];
    const uint32_t fits = (uint32_t)(free.cpus >= s->task.cpus) & (free.memory >= s->task.memory);
    if (c->lists) hc_omega_shape_move(s, m, fits);
    else hc_omega_shape_mark(s, m, fits);
  }
}

/** Change a machine. @return 0 or HC_ENOMEM */
static inline hc_rc hc_omega_cell_set(hc_omega_cell *c, uint32_t m, hc_omega_amounts held, uint32_t sequence)
{
  if (c->is_trial) {
    if (c->before_count == c->before_cap)
      TRY(hc_reserve(c->allocator, (void **)&c->before, &c->before_cap, c->before_count + 1,
                     sizeof *c->before));
    c->before[c->before_count++] = c->state[m];
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

/* ---- trials ---- */

/** What is changed from now on is taken back by hc_omega_cell_undo. */
static inline void hc_omega_cell_try(hc_omega_cell *c)
{
  c->is_trial = true;
}

void hc_omega_cell_undo(hc_omega_cell *c);

#endif
