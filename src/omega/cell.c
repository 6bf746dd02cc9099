/* cell.c -- see cell.h. */
#include "omega/cell.h"

#include <string.h>

#include "base/util.h"

hc_rc hc_omega_cell_init(hc_omega_cell *c, const hc_allocator *a, uint32_t machines, hc_omega_amounts each)
{
  *c = (hc_omega_cell){.allocator = a, .machines = machines, .words = machines / 64 + 1, .each = each};
  c->total = (hc_omega_amounts){machines * each.cpus, machines * each.memory};
  c->state = hc_alloc(a, machines * sizeof *c->state);
  if (!c->state) return HC_ENOMEM;
  for (uint32_t m = 0; m < machines; m++) c->state[m].number = m;
  return 0;
}

static void drop_last_shape(hc_omega_cell *c)
{
  hc_omega_shape *s = &c->shapes[--c->shape_count];
  hc_free(c->allocator, s->bits, c->words * sizeof *s->bits);
  hc_free(c->allocator, s->members, c->machines * sizeof *s->members);
  hc_free(c->allocator, s->place, c->machines * sizeof *s->place);
}

void hc_omega_cell_fini(hc_omega_cell *c)
{
  if (!c->allocator) return;
  while (c->shape_count > 0) drop_last_shape(c);
  hc_free(c->allocator, c->state, c->machines * sizeof *c->state);
  hc_free(c->allocator, c->log, c->log_cap * sizeof *c->log);
  *c = (hc_omega_cell){0};
}

static hc_rc add_shape(hc_omega_cell *c, hc_omega_amounts task)
{
  hc_omega_shape *s = &c->shapes[c->shape_count];
  *s = (hc_omega_shape){.task = task, .bits = hc_alloc(c->allocator, c->words * sizeof(uint64_t))};
  c->shape_count++; /* so that it is freed with the cell */
  if (c->lists) {
    s->members = hc_alloc(c->allocator, c->machines * sizeof *s->members);
    s->place = hc_alloc(c->allocator, c->machines * sizeof *s->place);
  }
  if (!s->bits || (c->lists && (!s->members || !s->place))) return HC_ENOMEM;
  for (uint32_t m = 0; m < c->machines; m++) {
    const uint64_t fits = hc_omega_cell_fits(c, m, task);
    if (fits && c->lists) hc_omega_shape_list(s, m, true);
    s->bits[m / 64] |= fits << (m % 64);
    s->count += (uint32_t)fits;
  }
  return 0;
}

hc_rc hc_omega_cell_copy(hc_omega_cell *to, const hc_omega_cell *from)
{
  to->lists = from->lists;
  while (to->shape_count < from->shape_count) TRY(add_shape(to, from->shapes[to->shape_count].task));
  memcpy(to->state, from->state, from->machines * sizeof *to->state);
  to->occupied = from->occupied;
  to->locked = from->locked;
  for (size_t k = 0; k < from->shape_count; k++) {
    memcpy(to->shapes[k].bits, from->shapes[k].bits, from->words * sizeof(uint64_t));
    to->shapes[k].count = from->shapes[k].count;
    if (!from->lists) continue;
    memcpy(to->shapes[k].members, from->shapes[k].members, from->machines * sizeof(uint32_t));
    memcpy(to->shapes[k].place, from->shapes[k].place, from->machines * sizeof(uint32_t));
  }
  return 0;
}

const hc_omega_shape *hc_omega_cell_shape(hc_omega_cell *c, hc_omega_amounts task)
{
  for (size_t k = 0; k < c->shape_count; k++)
    if (c->shapes[k].task.cpus == task.cpus && c->shapes[k].task.memory == task.memory) return &c->shapes[k];
  if (c->shape_count == HC_OMEGA_SHAPES) return NULL;
  if (add_shape(c, task) == 0) return &c->shapes[c->shape_count - 1];
  drop_last_shape(c);
  return NULL;
}

/* ---- the past ---- */

static inline void exchange(hc_omega_cell *c, hc_omega_machine *x)
{
  const hc_omega_machine live = c->state[x->number];
  hc_omega_cell_put(c, x->number, x->held, x->sequence);
  *x = live;
}

/* The same where all tasks are of one size, which is common: what it takes is at hand. */
static inline void exchange_one(hc_omega_machine *state, hc_omega_shape *s, hc_omega_amounts each, bool lists,
                                hc_omega_machine *x)
{
  const uint32_t m = x->number;
  const hc_omega_machine live = state[m], was = *x;
  const uint64_t fits = (uint64_t)(each.cpus - was.held.cpus >= s->task.cpus) &
                        (each.memory - was.held.memory >= s->task.memory);
  state[m] = was;
  *x = live;
  hc_omega_shape_put(s, m, fits, lists);
}

void hc_omega_cell_past(hc_omega_cell *c, uint64_t position)
{
  const size_t first = (size_t)(position - c->log_base);
  HC_ASSERT(position >= c->log_base);
  if (c->shape_count == 1) {
    for (size_t i = c->log_count; i > first; i--)
      exchange_one(c->state, c->shapes, c->each, c->lists, &c->log[i - 1]);
    return;
  }
  for (size_t i = c->log_count; i > first; i--) exchange(c, &c->log[i - 1]);
}

void hc_omega_cell_present(hc_omega_cell *c, uint64_t position)
{
  const size_t first = (size_t)(position - c->log_base);
  if (c->shape_count == 1) {
    for (size_t i = first; i < c->log_count; i++)
      exchange_one(c->state, c->shapes, c->each, c->lists, &c->log[i]);
    return;
  }
  for (size_t i = first; i < c->log_count; i++) exchange(c, &c->log[i]);
}

void hc_omega_cell_undo(hc_omega_cell *c, uint64_t position)
{
  hc_omega_cell_past(c, position);
  c->log_count = (size_t)(position - c->log_base);
}

void hc_omega_cell_forget(hc_omega_cell *c, uint64_t position)
{
  const size_t gone = (size_t)(position - c->log_base);
  if (gone == 0) return;
  memmove(c->log, c->log + gone, (c->log_count - gone) * sizeof *c->log);
  c->log_count -= gone;
  c->log_base = position;
}
