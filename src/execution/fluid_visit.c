/* fluid_visit.c -- saving, loading and hashing the state of a fluid solver.
 *
 * All state is in arrays without pointers: they are visited as they are, blocks of cells, heaps and lists
 * of what is still to be looked at included. So what is loaded goes on with the same bits, at whatever
 * moment it was saved. What comes from a damaged file is refused: every number that leads from one array
 * into another is followed once. Values are not checked: they can make times wrong, but nothing can leave
 * its array by them. Cost: O(state). */
#include "base/state.h"
#include "base/util.h"
#include "execution/fluid_parts.h"

static bool is_block(size_t all, uint32_t at, uint32_t cells)
{
  return at <= all && cells <= all - at && (cells & (cells - 1)) == 0;
}

/* Its uses lie in its block, and each is a member of its link. */
static bool flow_is_sound(const hc_fluid *f, uint32_t flow)
{
  const hc_fluid_flow *w = &f->flows[flow];
  const uint32_t cells = f->records[flow].cells;
  if (w->state > ENDED || !is_block(f->cell_count, w->uses, cells) || w->shared > w->count) return false;
  if (w->count > cells || w->weights > cells - w->count || (w->weights > 0 && w->weights < w->count))
    return false;
  if (w->bottleneck < SELF) {
    if (w->bottleneck >= f->link_count || w->state != SHARING) return false;
    if (w->own_use < w->uses || w->own_use - w->uses >= w->shared) return false;
  }
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) {
    const hc_fluid_cell use = f->cells[u];
    const hc_fluid_side *s = &f->sides[use.use.link];
    if (use.use.link >= f->link_count) return false;
    if (w->state != SHARING) continue;
    if (use.use.place >= s->members || s->members > s->places) return false;
    if (!is_block(f->cell_count, s->block, s->places)) return false;
    if (members_of(f, s)[use.use.place].member.use != u) return false;
    if (members_of(f, s)[use.use.place].member.flow != flow) return false;
  }
  return true;
}

static bool members_are_sound(const hc_fluid *f, uint32_t link)
{
  const hc_fluid_side *s = &f->sides[link];
  for (uint32_t i = 0; i < s->members; i++) {
    const hc_fluid_cell m = members_of(f, s)[i];
    const hc_fluid_flow *w = &f->flows[m.member.flow];
    if (m.member.flow >= f->flow_count || m.member.use < w->uses) return false;
    if (m.member.use - w->uses >= w->count || w->state != SHARING) return false;
    if (f->cells[m.member.use].use.link != link || f->cells[m.member.use].use.place != i) return false;
    if ((i < s->own) != (w->bottleneck == link)) return false;
  }
  for (uint32_t i = 0; i < s->own; i++) {
    const uint32_t flow = ends_of(f, s)[i].flow;
    if (flow >= f->flow_count || f->flows[flow].bottleneck != link || f->flows[flow].place != i) return false;
  }
  return true;
}

static bool link_is_sound(const hc_fluid *f, uint32_t link)
{
  const hc_fluid_side *s = &f->sides[link];
  if (s->members > s->places || s->own > s->members || !(f->links[link].key == INFINITE)) return false;
  if (!is_block(f->cell_count, s->block, s->places) || !is_block(f->moment_count, s->ends, s->places))
    return false;
  if (s->table > f->table_count || s->table_count > f->table_count - s->table) return false;
  if (s->due != NONE) {
    if (s->due >= f->due_count || f->due[s->due].id != link) return false;
    if (s->own == 0 && s->retimed != f->s.filling) return false;
  }
  return members_are_sound(f, link);
}

/* Each link in a list once, and those that say that they are. */
static bool lists_of_links_are_sound(const hc_fluid *f)
{
  for (size_t i = 0; i < f->link_count; i++) f->group[i].flow = 0;
  for (size_t i = 0; i < f->touched_count; i++) {
    if (f->touched[i] >= f->link_count || f->group[f->touched[i]].flow++ > 0) return false;
  }
  for (size_t i = 0; i < f->link_count; i++) {
    if ((f->links[i].touched == f->s.filling) != f->group[i].flow) return false;
    f->group[i].flow = 0;
  }
  for (size_t i = 0; i < f->retimed_count; i++)
    if (f->retimed[i] >= f->link_count || f->group[f->retimed[i]].flow++ > 0) return false;
  for (size_t i = 0; i < f->link_count; i++)
    if ((f->sides[i].retimed == f->s.filling) != f->group[i].flow) return false;
  return true;
}

static bool blocks_are_sound(const hc_fluid *f)
{
  for (uint32_t k = 0; k < CLASSES; k++) {
    size_t n = 0;
    for (uint32_t i = f->s.vacant[k]; i != NONE; i = f->cells[i].next)
      if (!is_block(f->cell_count, i, 1u << k) || i == f->cell_count || n++ > f->cell_count) return false;
    n = 0;
    for (uint32_t i = f->s.vacant_ends[k]; i != NONE; i = f->moments[i].next)
      if (!is_block(f->moment_count, i, 1u << k) || i == f->moment_count || n++ > f->moment_count)
        return false;
  }
  return true;
}

static bool lists_are_sound(const hc_fluid *f)
{
  size_t n = 0;
  for (size_t i = 0; i < f->due_count; i++) {
    const uint32_t id = f->due[i].id, flow = id & ~IS_FLOW;
    if ((id & IS_FLOW) == 0 && (id >= f->link_count || f->sides[id].due != i)) return false;
    if ((id & IS_FLOW) && (flow >= f->flow_count || f->flows[flow].place != i)) return false;
  }
  for (size_t i = 0; i < f->told_count; i++)
    if (f->told[i].flow >= f->flow_count || f->flows[f->told[i].flow].state != ENDED) return false;
  for (uint32_t i = f->s.chain; i != NONE; i = f->records[i].next)
    if (i >= f->flow_count || n++ > f->flow_count || !f->records[i].is_chained) return false;
  n = 0;
  for (uint32_t i = f->s.vacant_flow; i != NONE; i = f->records[i].vacant)
    if (i >= f->flow_count || n++ > f->flow_count || f->flows[i].state != VACANT) return false;
  return blocks_are_sound(f);
}

/* A flow that waits for a time is in the heap of them; one with a bottleneck, in that of its link. */
static bool places_are_sound(const hc_fluid *f)
{
  for (uint32_t i = 0; i < f->flow_count; i++) {
    const hc_fluid_flow *w = &f->flows[i];
    const bool waits = w->state == DELAYED || (w->state == SHARING && w->bottleneck == SELF);
    if (waits && (w->place >= f->due_count || f->due[w->place].id != (i | IS_FLOW))) return false;
    if (w->bottleneck < SELF &&
        (w->place >= f->sides[w->bottleneck].own || ends_of(f, &f->sides[w->bottleneck])[w->place].flow != i))
      return false;
  }
  return true;
}

static bool is_sound(const hc_fluid *f)
{
  if (f->side_count != f->link_count || f->record_count != f->flow_count || f->moment_count >= SELF)
    return false;
  if (f->cell_count >= SELF || f->link_count >= IS_FLOW || f->flow_count >= IS_FLOW || f->wave_count > 0)
    return false;
  if (f->s.rule > HC_FLUID_BOTTLENECK || f->touched_count > f->link_count || f->retimed_count > f->link_count)
    return false;
  if (f->due_count > f->link_count + f->flow_count || f->told_count > f->flow_count) return false;
  for (uint32_t i = 0; i < f->flow_count; i++)
    if (!flow_is_sound(f, i)) return false;
  for (uint32_t i = 0; i < f->link_count; i++)
    if (!link_is_sound(f, i)) return false;
  return lists_of_links_are_sound(f) && lists_are_sound(f) && places_are_sound(f);
}

/* An array that begins at a line of the cache. */
static hc_rc visit_lines(hc_visitor *v, const hc_allocator *a, void **items, size_t *count, size_t *cap,
                         size_t item)
{
  uint64_t n = *count;
  TRY(hc_visit_bytes(v, &n, sizeof n));
  if (hc_visit_loading(v)) {
    if (n > v->left / item) return HC_EINPUT;
    TRY(hc_fluid_lines_reserve(a, items, cap, (size_t)n, item));
    *count = (size_t)n;
  }
  return n > 0 ? hc_visit_bytes(v, *items, (size_t)n * item) : 0;
}

#define VISIT_LINES(v, items, count, cap) \
  TRY(visit_lines((v), f->allocator, (void **)&(items), &(count), &(cap), sizeof *(items)))

hc_rc hc_fluid_visit(hc_fluid *f, hc_visitor *v)
{
  HC_VISIT(v, f->s);
  VISIT_LINES(v, f->cells, f->cell_count, f->cell_cap);
  VISIT_LINES(v, f->links, f->link_count, f->link_cap);
  VISIT_LINES(v, f->flows, f->flow_count, f->flow_cap);
  VISIT_LINES(v, f->sides, f->side_count, f->side_cap);
  VISIT_LINES(v, f->records, f->record_count, f->record_cap);
  VISIT_LINES(v, f->moments, f->moment_count, f->moment_cap);
  HC_VISIT_ARRAY(v, f->tables, f->table_count, f->table_cap);
  HC_VISIT_ARRAY(v, f->due, f->due_count, f->due_cap);
  HC_VISIT_ARRAY(v, f->told, f->told_count, f->told_cap);
  HC_VISIT_ARRAY(v, f->touched, f->touched_count, f->touched_cap);
  HC_VISIT_ARRAY(v, f->retimed, f->retimed_count, f->retimed_cap);
  if (!hc_visit_loading(v)) return 0;
  f->wave_count = f->group_count = 0;
  TRY(hc_fluid_reserve(f, f->link_count, f->flow_count));
  if (!is_sound(f)) return HC_EINPUT;
  for (size_t i = 0; i < f->flow_count; i++) {
    const hc_fluid_flow *w = &f->flows[i];
    f->ways[i] = (hc_fluid_way){0};
    for (uint32_t u = w->uses; u < w->uses + w->count; u++) way_set(f, w, u);
  }
  return 0;
}
