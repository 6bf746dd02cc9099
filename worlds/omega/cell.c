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
  hc_free(c->allocator, s->fits, c->machines);
  hc_free(c->allocator, s->members, c->machines * sizeof *s->members);
  hc_free(c->allocator, s->place, c->machines * sizeof *s->place);
}

void hc_omega_cell_fini(hc_omega_cell *c)
{
  if (!c->allocator) return;
  while (c->shape_count > 0) drop_last_shape(c);
  hc_free(c->allocator, c->state, c->machines * sizeof *c->state);
  hc_free(c->allocator, c->before, c->before_cap * sizeof *c->before);
  *c = (hc_omega_cell){0};
}

static hc_rc add_shape(hc_omega_cell *c, hc_omega_amounts task)
{
  hc_omega_shape *s = &c->shapes[c->shape_count++]; /* so that it is freed with the cell */
  *s = (hc_omega_shape){.task = task};
  if (c->lists) {
    s->members = hc_alloc(c->allocator, c->machines * sizeof *s->members);
    s->place = hc_alloc(c->allocator, c->machines * sizeof *s->place);
    if (!s->members || !s->place) return HC_ENOMEM;
    for (uint32_t m = 0; m < c->machines; m++) s->members[m] = s->place[m] = m;
  } else {
    s->fits = hc_alloc(c->allocator, c->machines);
    if (!s->fits) return HC_ENOMEM;
  }
  for (uint32_t m = 0; m < c->machines; m++) {
    if (c->lists) hc_omega_shape_move(s, m, hc_omega_cell_fits(c, m, task));
    else hc_omega_shape_mark(s, m, hc_omega_cell_fits(c, m, task));
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
    const hc_omega_shape *s = &from->shapes[k];
    to->shapes[k].count = s->count;
    if (s->fits) memcpy(to->shapes[k].fits, s->fits, from->machines);
    if (s->members) memcpy(to->shapes[k].members, s->members, from->machines * sizeof *s->members);
    if (s->place) memcpy(to->shapes[k].place, s->place, from->machines * sizeof *s->place);
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

void hc_omega_cell_undo(hc_omega_cell *c)
{
  for (size_t i = c->before_count; i > 0; i--) {
    const hc_omega_machine *x = &c->before[i - 1];
    hc_omega_cell_put(c, x->number, x->held, x->sequence);
  }
  c->before_count = 0;
  c->is_trial = false;
}
