/* fluid.c -- activities that progress at rates which follow from sharing: the calls, and the life of one.
 *
 * DELAYED -> SHARING <-> SUSPENDED, then ENDED until it is told. Only what shares is on links. Levels are
 * not worked out at a call that changes something, but before time goes on or something is asked: all
 * changes of an instant are one filling (fluid_fair.c).
 *
 * Ends at one ns are all found before anything follows from any of them, so that equal flows end together
 * whatever the rounding.
 *
 * All room that the work of an instant needs is taken by the calls that can fail: for a start, in every link
 * that it uses. After that nothing fails. */
#include "execution/fluid.h"

#include <stdint.h>
#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "execution/fluid_parts.h"

_Static_assert(sizeof(hc_fluid_cell) == 8 && sizeof(hc_fluid_moment) == 16, "no padding: they are hashed");
_Static_assert(sizeof(hc_fluid_link) == 64 && sizeof(hc_fluid_flow) == 64, "a line of the cache each");

HC_HEAP(told, hc_fluid_told, a->serial < b->serial || (a->serial == b->serial && a->order < b->order))

/* ---- arrays that begin at a line of the cache ---- */

#define LINE ((size_t)64)

/* The block that was allocated is told before the first item. */
hc_rc hc_fluid_lines_reserve(const hc_allocator *a, void **items, size_t *cap, size_t need, size_t item)
{
  size_t most = HC_MAX(*cap, (size_t)8);
  char *block, *lines;
  if (need <= *cap) return 0;
  while (most < need) most *= 2;
  block = hc_alloc(a, most * item + 2 * LINE);
  if (!block) return HC_ENOMEM;
  lines = block + LINE + (LINE - (uintptr_t)block % LINE) % LINE;
  memcpy(lines - sizeof block, &block, sizeof block);
  if (*cap > 0) memcpy(lines, *items, *cap * item);
  hc_fluid_lines_free(a, *items, *cap, item);
  *items = lines;
  *cap = most;
  return 0;
}

void hc_fluid_lines_free(const hc_allocator *a, void *items, size_t cap, size_t item)
{
  char *block;
  if (cap == 0) return;
  memcpy(&block, (char *)items - sizeof block, sizeof block);
  hc_free(a, block, cap * item + 2 * LINE);
}

/* ---- birth and death ---- */

hc_rc hc_fluid_new(const hc_allocator *a, const hc_fluid_options *options, hc_fluid **out)
{
  hc_fluid *f = hc_alloc(a, sizeof *f);
  if (!f) return HC_ENOMEM;
  f->allocator = a;
  f->s.rule = options ? (uint32_t)options->rule : 0;
  f->s.vacant_flow = f->s.chain = NONE;
  f->s.filling = 1;
  for (size_t k = 0; k < CLASSES; k++) f->s.vacant[k] = f->s.vacant_ends[k] = NONE;
  *out = f;
  return 0;
}

void hc_fluid_free(hc_fluid *f)
{
  if (!f) return;
  hc_fluid_lines_free(f->allocator, f->cells, f->cell_cap, sizeof *f->cells);
  hc_fluid_lines_free(f->allocator, f->links, f->link_cap, sizeof *f->links);
  hc_fluid_lines_free(f->allocator, f->flows, f->flow_cap, sizeof *f->flows);
  hc_fluid_lines_free(f->allocator, f->ways, f->way_cap, sizeof *f->ways);
  hc_fluid_lines_free(f->allocator, f->sides, f->side_cap, sizeof *f->sides);
  hc_fluid_lines_free(f->allocator, f->records, f->record_cap, sizeof *f->records);
  hc_fluid_lines_free(f->allocator, f->moments, f->moment_cap, sizeof *f->moments);
  hc_free(f->allocator, f->tables, f->table_cap * sizeof *f->tables);
  hc_free(f->allocator, f->due, f->due_cap * sizeof *f->due);
  hc_free(f->allocator, f->told, f->told_cap * sizeof *f->told);
  hc_free(f->allocator, f->touched, f->touched_cap * sizeof *f->touched);
  hc_free(f->allocator, f->retimed, f->retimed_cap * sizeof *f->retimed);
  hc_fluid_lines_free(f->allocator, f->wave, f->wave_cap, sizeof *f->wave);
  hc_free(f->allocator, f->wave_at, f->wave_at_cap * sizeof *f->wave_at);
  hc_free(f->allocator, f->group, f->group_cap * sizeof *f->group);
  hc_free(f->allocator, f, sizeof *f);
}

/* Room for all that a filling writes, with so many links and flows. */
hc_rc hc_fluid_reserve(hc_fluid *f, size_t links, size_t flows)
{
  const hc_allocator *a = f->allocator;
  const size_t was = f->wave_at_cap;
  TRY(hc_reserve(a, (void **)&f->due, &f->due_cap, links + flows, sizeof *f->due));
  TRY(hc_reserve(a, (void **)&f->told, &f->told_cap, flows, sizeof *f->told));
  TRY(hc_reserve(a, (void **)&f->touched, &f->touched_cap, links, sizeof *f->touched));
  TRY(hc_reserve(a, (void **)&f->retimed, &f->retimed_cap, links, sizeof *f->retimed));
  TRY(hc_reserve(a, (void **)&f->group, &f->group_cap, links + flows, sizeof *f->group));
  TRY(hc_fluid_lines_reserve(a, (void **)&f->ways, &f->way_cap, flows, sizeof *f->ways));
  TRY(hc_reserve(a, (void **)&f->wave_at, &f->wave_at_cap, links, sizeof *f->wave_at));
  if (f->wave_at_cap > was) memset(f->wave_at + was, 0, (f->wave_at_cap - was) * sizeof *f->wave_at);
  return hc_fluid_lines_reserve(a, (void **)&f->wave, &f->wave_cap, 2 * links + 4, sizeof *f->wave);
}

/* ---- numbers ---- */

static bool is_amount(double x)
{
  return x >= 0; /* not a NaN */
}

static bool is_finite_amount(double x)
{
  return x >= 0 && x < INFINITE;
}

/* ---- time ---- */

static void fill(hc_fluid *f)
{
  if (f->s.rule == HC_FLUID_BOTTLENECK) hc_fluid_joint_fill(f);
  else hc_fluid_fill(f);
}

static void go_to(hc_fluid *f, hc_time now)
{
  HC_ASSERT(now >= f->s.now);
  if (now == f->s.now) return;
  fill(f);
  f->s.now = now;
}

/* ---- resources ---- */

hc_rc hc_fluid_add(hc_fluid *f, const hc_fluid_resource *r, uint32_t *id)
{
  hc_fluid_side *s;
  if (!is_amount(r->capacity) || (r->throughput && (r->sharing == HC_FLUID_FATPIPE || r->count == 0)))
    return HC_EINPUT;
  for (size_t i = 0; r->throughput && i < r->count; i++)
    if (!is_amount(r->throughput[i])) return HC_EINPUT;
  if (f->link_count >= IS_FLOW || r->count >= IS_FLOW) return HC_ELIMIT;
  TRY(hc_fluid_reserve(f, f->link_count + 1, f->flow_count));
  if (r->throughput) {
    TRY(hc_reserve(f->allocator, (void **)&f->tables, &f->table_cap, f->table_count + r->count,
                   sizeof *f->tables));
  }
  TRY(hc_fluid_lines_reserve(f->allocator, (void **)&f->links, &f->link_cap, f->link_count + 1,
                             sizeof *f->links));
  TRY(hc_fluid_lines_reserve(f->allocator, (void **)&f->sides, &f->side_cap, f->link_count + 1,
                             sizeof *f->sides));
  f->links[f->link_count] = (hc_fluid_link){.level = INFINITE, .key = INFINITE};
  s = &f->sides[f->side_count++];
  *s = (hc_fluid_side){.capacity = r->capacity,
                       .given = r->capacity,
                       .is_fatpipe = r->sharing == HC_FLUID_FATPIPE,
                       .least_bound = INFINITE,
                       .due = NONE};
  if (r->throughput) {
    memcpy(f->tables + f->table_count, r->throughput, r->count * sizeof *f->tables);
    s->table = (uint32_t)f->table_count;
    s->table_count = (uint32_t)r->count;
    f->table_count += r->count;
  }
  *id = (uint32_t)f->link_count++;
  return 0;
}

hc_rc hc_fluid_set(hc_fluid *f, hc_time now, uint32_t resource, double capacity)
{
  if (resource >= f->link_count || !is_amount(capacity)) return HC_EINPUT;
  go_to(f, now);
  if (f->sides[resource].given == capacity) return 0;
  f->sides[resource].given = capacity;
  hc_fluid_link_changed(f, resource);
  return 0;
}

static double rate_of(const hc_fluid *f, uint32_t flow)
{
  const hc_fluid_flow *w = &f->flows[flow];
  if (w->state != SHARING) return 0;
  return w->bottleneck == SELF ? f->records[flow].rate : level_of(f, w) * w->share;
}

hc_rc hc_fluid_load(hc_fluid *f, hc_time now, uint32_t resource, double *out)
{
  double sum = 0;
  if (resource >= f->link_count) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  for (uint32_t i = 0; i < f->sides[resource].members; i++) {
    const hc_fluid_cell m = members_of(f, &f->sides[resource])[i];
    sum += weight_of(f, &f->flows[m.member.flow], m.member.use) * rate_of(f, m.member.flow);
  }
  *out = sum;
  return 0;
}

hc_rc hc_fluid_used(hc_fluid *f, hc_time now, uint32_t resource, double *out)
{
  double sum;
  if (resource >= f->link_count) return HC_EINPUT;
  go_to(f, now);
  sum = f->sides[resource].used;
  for (uint32_t i = 0; i < f->sides[resource].members; i++) {
    const hc_fluid_cell m = members_of(f, &f->sides[resource])[i];
    const hc_fluid_record *r = &f->records[m.member.flow];
    const double done = r->work - hc_fluid_left(f, m.member.flow) - r->booked;
    sum += weight_of(f, &f->flows[m.member.flow], m.member.use) * done;
  }
  *out = sum;
  return 0;
}

uint32_t hc_fluid_count(const hc_fluid *f)
{
  return (uint32_t)f->link_count;
}

uint32_t hc_fluid_members(const hc_fluid *f, uint32_t resource)
{
  return resource < f->link_count ? f->sides[resource].members : 0;
}

/* ---- the life of an activity ---- */

static void end(hc_fluid *f, uint32_t flow)
{
  const hc_fluid_record *r = &f->records[flow];
  const size_t at = f->told_count++;
  f->flows[flow].state = ENDED;
  f->records[flow].left = 0;
  told_rise(f->told, at, (hc_fluid_told){.serial = r->serial, .order = r->order, .flow = flow});
}

static void share(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  const hc_fluid_record *r = &f->records[flow];
  if (r->left <= 0) {
    end(f, flow);
  } else if (r->factor == 0) {
    w->state = SUSPENDED;
  } else {
    w->state = SHARING;
    w->share = r->factor / r->cost;
    hc_fluid_join(f, flow);
  }
}

static void take_off(hc_fluid *f, uint32_t flow)
{
  hc_fluid_withdraw(f, flow, false);
  hc_fluid_leave(f, flow);
  hc_fluid_left_links(f, flow);
}

static void forget(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  hc_fluid_record *r = &f->records[flow];
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) f->sides[f->cells[u].use.link].alive--;
  hc_fluid_block_give(f, w->uses, r->cells);
  r->cells = w->count = w->uses = w->weights = 0;
  w->state = VACANT;
  if (++r->generation == 0) r->generation = 1;
  r->vacant = f->s.vacant_flow;
  f->s.vacant_flow = flow;
  f->s.active--;
}

static bool is_there(const hc_fluid *f, hc_fluid_id id)
{
  return id.slot < f->flow_count && f->records[id.slot].generation == id.generation &&
         f->flows[id.slot].state != VACANT;
}

/* Its uses, each resource once, into a block; their weights after them, if one is not 1. */
static hc_rc copy_uses(hc_fluid *f, const hc_fluid_activity *a, hc_fluid_flow *w, uint32_t *cells)
{
  const uint32_t n = (uint32_t)a->count;
  bool is_plain = true;
  hc_rc rc = hc_fluid_block_take(f, n == 0 ? 1 : 2 * n, &w->uses, cells);
  if (rc < 0) return rc;
  w->count = 0;
  if (++f->s.mark == 0) { /* after 2^32 starts */
    for (size_t i = 0; i < f->link_count; i++) f->sides[i].mark = 0;
    f->s.mark = 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    hc_fluid_side *s = &f->sides[a->uses[i].resource];
    hc_fluid_cell *uses = f->cells + w->uses;
    if (a->uses[i].weight == 0) continue;
    if (s->mark != f->s.mark) {
      s->mark = f->s.mark;
      s->mark_use = w->count++;
      uses[s->mark_use] = (hc_fluid_cell){.use = {.link = a->uses[i].resource}};
      uses[s->mark_use + n].weight = 0;
    }
    uses[s->mark_use + n].weight += a->uses[i].weight;
  }
  for (uint32_t i = 0; i < w->count; i++) is_plain = is_plain && f->cells[w->uses + n + i].weight == 1;
  w->weights = is_plain ? 0 : n;
  for (uint32_t i = 0; i < w->count && rc == 0; i++) {
    const uint32_t link = f->cells[w->uses + i].use.link;
    rc = hc_fluid_link_reserve(f, link, f->sides[link].alive + 1);
  }
  if (rc < 0) hc_fluid_block_give(f, w->uses, *cells);
  return rc;
}

static hc_rc take_slot(hc_fluid *f, uint32_t *out)
{
  const size_t n = f->flow_count + 1;
  if (f->s.vacant_flow != NONE) {
    *out = f->s.vacant_flow;
    f->s.vacant_flow = f->records[*out].vacant;
    return 0;
  }
  if (n >= IS_FLOW) return HC_ELIMIT;
  TRY(hc_fluid_reserve(f, f->link_count, n));
  TRY(hc_fluid_lines_reserve(f->allocator, (void **)&f->flows, &f->flow_cap, n, sizeof *f->flows));
  TRY(hc_fluid_lines_reserve(f->allocator, (void **)&f->records, &f->record_cap, n, sizeof *f->records));
  *out = (uint32_t)f->flow_count++;
  f->record_count++;
  f->flows[*out] = (hc_fluid_flow){.bottleneck = NONE};
  f->records[*out] = (hc_fluid_record){.generation = 1};
  return 0;
}

static void give_slot(hc_fluid *f, uint32_t flow)
{
  f->records[flow].vacant = f->s.vacant_flow;
  f->s.vacant_flow = flow;
}

static bool is_sound_activity(const hc_fluid *f, const hc_fluid_activity *a)
{
  if (!is_finite_amount(a->work) || !is_finite_amount(a->bound) || !is_finite_amount(a->cost)) return false;
  if (a->delay < 0 || a->count >= IS_FLOW / 4) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->uses[i].resource >= f->link_count || !is_finite_amount(a->uses[i].weight)) return false;
  return true;
}

hc_rc hc_fluid_start(hc_fluid *f, hc_time now, const hc_fluid_activity *a, hc_fluid_id *out)
{
  hc_fluid_flow w = {.bottleneck = NONE, .own_use = NONE, .place = NONE};
  uint32_t flow, cells;
  hc_rc rc;
  if (!is_sound_activity(f, a)) return HC_EINPUT;
  go_to(f, now);
  TRY(take_slot(f, &flow));
  if ((rc = copy_uses(f, a, &w, &cells)) < 0) {
    give_slot(f, flow);
    return rc;
  }
  f->flows[flow] = w;
  f->ways[flow] = (hc_fluid_way){0};
  for (uint32_t u = w.uses; u < w.uses + w.count; u++) way_set(f, &f->flows[flow], u);
  f->records[flow] = (hc_fluid_record){.left = a->work,
                                       .since = now,
                                       .work = a->work,
                                       .bound = a->bound,
                                       .cost = a->cost > 0 ? a->cost : 1,
                                       .factor = 1,
                                       .tag = a->tag,
                                       .serial = a->serial,
                                       .order = f->s.order++,
                                       .generation = f->records[flow].generation,
                                       .next = f->records[flow].next,
                                       .is_chained = f->records[flow].is_chained,
                                       .cells = cells};
  for (uint32_t u = w.uses; u < w.uses + w.count; u++) f->sides[f->cells[u].use.link].alive++;
  f->s.active++;
  if (a->delay > 0) {
    f->flows[flow].state = DELAYED;
    hc_fluid_due_add(f, flow, hc_time_add(now, a->delay));
  } else {
    share(f, flow);
  }
  *out = (hc_fluid_id){.slot = flow, .generation = f->records[flow].generation};
  return 0;
}

hc_rc hc_fluid_change(hc_fluid *f, hc_time now, hc_fluid_id id, double factor)
{
  uint32_t state;
  if (!is_there(f, id) || !is_finite_amount(factor)) return HC_EINPUT;
  go_to(f, now);
  if (f->records[id.slot].factor == factor) return 0;
  f->records[id.slot].factor = factor;
  state = f->flows[id.slot].state;
  if (state == DELAYED || state == ENDED) return 0;
  if (state == SHARING) {
    take_off(f, id.slot);
  }
  share(f, id.slot);
  return 0;
}

hc_rc hc_fluid_cancel(hc_fluid *f, hc_time now, hc_fluid_id id, double *done)
{
  uint32_t state;
  if (!is_there(f, id)) return HC_EINPUT;
  go_to(f, now);
  state = f->flows[id.slot].state;
  if (state == SHARING) {
    take_off(f, id.slot);
  } else if (state == DELAYED) {
    hc_fluid_due_drop(f, id.slot);
  } else if (state == ENDED) {
    size_t i = 0;
    while (f->told[i].flow != id.slot) i++;
    if (i != --f->told_count) told_settle(f->told, f->told_count, i, f->told[f->told_count]);
  }
  if (done) *done = f->records[id.slot].work - f->records[id.slot].left;
  forget(f, id.slot);
  return 0;
}

/* ---- questions ---- */

hc_rc hc_fluid_done(hc_fluid *f, hc_time now, hc_fluid_id id, double *done)
{
  const hc_fluid_record *r;
  if (!is_there(f, id)) return HC_EINPUT;
  go_to(f, now);
  r = &f->records[id.slot];
  *done = r->work - (f->flows[id.slot].state == SHARING ? hc_fluid_left(f, id.slot) : r->left);
  return 0;
}

hc_rc hc_fluid_rate(hc_fluid *f, hc_time now, hc_fluid_id id, double *rate)
{
  if (!is_there(f, id)) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  *rate = rate_of(f, id.slot);
  return 0;
}

/* Of the links that bound it, the first that does. */
static uint32_t bounding(const hc_fluid *f, const hc_fluid_flow *w)
{
  for (uint32_t u = w->uses + w->shared; u < w->uses + w->count; u++)
    if (f->sides[f->cells[u].use.link].capacity / a_of(f, w, u) <= w->bound_level)
      return f->cells[u].use.link;
  return NONE;
}

hc_rc hc_fluid_bottleneck(hc_fluid *f, hc_time now, hc_fluid_id id, uint32_t *resource)
{
  const hc_fluid_flow *w;
  if (!is_there(f, id)) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  w = &f->flows[id.slot];
  *resource = NONE;
  if (w->state == SHARING && f->s.rule == HC_FLUID_MAX_MIN)
    *resource = w->bottleneck < SELF ? w->bottleneck : bounding(f, w);
  return 0;
}

size_t hc_fluid_active(const hc_fluid *f)
{
  return (size_t)f->s.active;
}

/* ---- ends ---- */

hc_rc hc_fluid_next(hc_fluid *f, hc_time *at)
{
  fill(f);
  *at = f->told_count > 0 ? f->s.now : hc_fluid_due_first(f);
  return 0;
}

/* Those that end now are on their links until all are found; then all leave, before a link is looked at. */
static void drop_ended(hc_fluid *f)
{
  for (size_t i = 0; i < f->told_count; i++)
    if (f->records[f->told[i].flow].is_leaving) hc_fluid_leave(f, f->told[i].flow);
  for (size_t i = 0; i < f->told_count; i++) {
    const uint32_t flow = f->told[i].flow;
    if (!f->records[flow].is_leaving) continue;
    f->records[flow].is_leaving = 0;
    hc_fluid_left_links(f, flow);
  }
}

/* All that ends now, before anything follows from it; then what follows, and what begins. */
static void gather(hc_fluid *f)
{
  uint32_t begins = NONE;
  while (hc_fluid_due_first(f) <= f->s.now) {
    const uint32_t flow = hc_fluid_due_take(f);
    if (f->flows[flow].state == DELAYED) {
      hc_fluid_due_drop(f, flow);
      f->records[flow].vacant = begins;
      begins = flow;
      continue;
    }
    hc_fluid_withdraw(f, flow, true);
    hc_fluid_retime(f);
    f->records[flow].is_leaving = 1;
    end(f, flow);
  }
  drop_ended(f);
  for (uint32_t flow = begins; flow != NONE;) {
    const uint32_t next = f->records[flow].vacant;
    share(f, flow);
    flow = next;
  }
}

hc_rc hc_fluid_advance(hc_fluid *f, hc_time now, hc_fluid_end *ended)
{
  uint32_t flow;
  go_to(f, now);
  while (f->told_count == 0) { /* so that what the caller does about an end is a part of the same filling */
    fill(f);
    if (hc_fluid_due_first(f) > now) return 0;
    gather(f);
  }
  flow = told_pop(f->told, &f->told_count).flow;
  *ended = (hc_fluid_end){.id = {.slot = flow, .generation = f->records[flow].generation},
                          .tag = f->records[flow].tag,
                          .work = f->records[flow].work};
  forget(f, flow);
  return 1;
}
