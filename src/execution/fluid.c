/* fluid.c -- activities that progress at rates which follow from sharing: the calls, and the life of one.
 *
 * DELAYED -> SHARING <-> SUSPENDED, then ENDED until it is told. Only what shares is on links. Levels are not
 * worked out at a call that changes something, but before time goes on or something is asked: all changes of
 * an instant are one filling (fluid_fair.c).
 *
 * Ends at one ns are all found before anything follows from any of them, so that equal flows end together
 * whatever the rounding.
 *
 * All room that the work of an instant needs is taken by the calls that can fail: for a start, in every link
 * that it uses. After that nothing fails. */
#include "execution/fluid.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"
#include "execution/fluid_parts.h"

_Static_assert(sizeof(hc_fluid_cell) == 16, "no padding in what is visited");
_Static_assert(sizeof(hc_fluid_link) % 8 == 0 && sizeof(hc_fluid_flow) % 8 == 0, "likewise");

HC_HEAP(told, hc_fluid_told, a->serial < b->serial || (a->serial == b->serial && a->order < b->order))

/* ---- birth and death ---- */

hc_rc hc_fluid_new(const hc_allocator *a, const hc_fluid_options *options, hc_fluid **out)
{
  hc_fluid *f = hc_alloc(a, sizeof *f);
  if (!f) return HC_ENOMEM;
  f->allocator = a;
  f->s.rule = options ? (uint32_t)options->rule : 0;
  f->s.vacant_flow = f->s.chain = NONE;
  f->s.filling = 1;
  for (size_t k = 0; k < CLASSES; k++) f->s.vacant[k] = NONE;
  *out = f;
  return 0;
}

void hc_fluid_free(hc_fluid *f)
{
  if (!f) return;
  hc_free(f->allocator, f->cells, f->cell_cap * sizeof *f->cells);
  hc_free(f->allocator, f->links, f->link_cap * sizeof *f->links);
  hc_free(f->allocator, f->flows, f->flow_cap * sizeof *f->flows);
  hc_free(f->allocator, f->tables, f->table_cap * sizeof *f->tables);
  hc_free(f->allocator, f->due, f->due_cap * sizeof *f->due);
  hc_free(f->allocator, f->told, f->told_cap * sizeof *f->told);
  hc_free(f->allocator, f->touched, f->touched_cap * sizeof *f->touched);
  hc_free(f->allocator, f->retimed, f->retimed_cap * sizeof *f->retimed);
  hc_free(f->allocator, f->wave, f->wave_cap * sizeof *f->wave);
  hc_free(f->allocator, f->group, f->group_cap * sizeof *f->group);
  hc_free(f->allocator, f, sizeof *f);
}

/* Room for all that a filling writes, with so many links and flows. */
hc_rc fluid_reserve(hc_fluid *f, size_t links, size_t flows)
{
  const hc_allocator *a = f->allocator;
  TRY(hc_reserve(a, (void **)&f->due, &f->due_cap, links + flows, sizeof *f->due));
  TRY(hc_reserve(a, (void **)&f->told, &f->told_cap, flows, sizeof *f->told));
  TRY(hc_reserve(a, (void **)&f->touched, &f->touched_cap, links, sizeof *f->touched));
  TRY(hc_reserve(a, (void **)&f->retimed, &f->retimed_cap, links, sizeof *f->retimed));
  TRY(hc_reserve(a, (void **)&f->group, &f->group_cap, links + flows, sizeof *f->group));
  return hc_reserve(a, (void **)&f->wave, &f->wave_cap, links, sizeof *f->wave);
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
  if (f->s.rule == HC_FLUID_BOTTLENECK) fluid_joint_fill(f);
  else fluid_fill(f);
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
  hc_fluid_link *l;
  if (!is_amount(r->capacity) || (r->throughput && (r->sharing == HC_FLUID_FATPIPE || r->count == 0)))
    return HC_EINPUT;
  for (size_t i = 0; r->throughput && i < r->count; i++)
    if (!is_amount(r->throughput[i])) return HC_EINPUT;
  if (f->link_count >= IS_FLOW || r->count >= IS_FLOW) return HC_ELIMIT;
  TRY(fluid_reserve(f, f->link_count + 1, f->flow_count));
  if (r->throughput) {
    TRY(hc_reserve(f->allocator, (void **)&f->tables, &f->table_cap, f->table_count + r->count,
                   sizeof *f->tables));
  }
  TRY(hc_reserve(f->allocator, (void **)&f->links, &f->link_cap, f->link_count + 1, sizeof *f->links));
  l = &f->links[f->link_count];
  memset(l, 0, sizeof *l);
  l->capacity = l->given = r->capacity;
  l->is_fatpipe = r->sharing == HC_FLUID_FATPIPE;
  l->level = l->least_bound = INFINITE;
  l->at = l->due = NONE;
  if (r->throughput) {
    memcpy(f->tables + f->table_count, r->throughput, r->count * sizeof *f->tables);
    l->table = (uint32_t)f->table_count;
    l->table_count = (uint32_t)r->count;
    f->table_count += r->count;
  }
  *id = (uint32_t)f->link_count++;
  return 0;
}

hc_rc hc_fluid_set(hc_fluid *f, hc_time now, uint32_t resource, double capacity)
{
  if (resource >= f->link_count || !is_amount(capacity)) return HC_EINPUT;
  go_to(f, now);
  if (f->links[resource].given == capacity) return 0;
  f->links[resource].given = capacity;
  fluid_link_changed(f, resource);
  return 0;
}

static double rate_of(const hc_fluid *f, const hc_fluid_flow *w)
{
  if (w->state != SHARING) return 0;
  return w->bottleneck == SELF ? w->rate : level_of(f, w) * w->share;
}

hc_rc hc_fluid_load(hc_fluid *f, hc_time now, uint32_t resource, double *out)
{
  double sum = 0;
  if (resource >= f->link_count) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  for (uint32_t i = 0; i < f->links[resource].members; i++) {
    const hc_fluid_cell m = members_of(f, &f->links[resource])[i];
    sum += f->cells[m.member.use].use.weight * rate_of(f, &f->flows[m.member.flow]);
  }
  *out = sum;
  return 0;
}

hc_rc hc_fluid_used(hc_fluid *f, hc_time now, uint32_t resource, double *out)
{
  double sum;
  if (resource >= f->link_count) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  sum = f->links[resource].used;
  for (uint32_t i = 0; i < f->links[resource].members; i++) {
    const hc_fluid_cell m = members_of(f, &f->links[resource])[i];
    const hc_fluid_flow *w = &f->flows[m.member.flow];
    sum += f->cells[m.member.use].use.weight * (w->work - fluid_left(f, w) - w->booked);
  }
  *out = sum;
  return 0;
}

uint32_t hc_fluid_count(const hc_fluid *f)
{
  return (uint32_t)f->link_count;
}

/* ---- the life of an activity ---- */

static void end(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  size_t at = f->told_count++;
  w->state = ENDED;
  w->left = 0;
  told_rise(f->told, at, (hc_fluid_told){.serial = w->serial, .order = w->order, .flow = flow});
}

static void share(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  if (w->left <= 0) {
    end(f, flow);
  } else if (w->factor == 0) {
    w->state = SUSPENDED;
  } else {
    w->state = SHARING;
    w->share = w->factor / w->cost;
    fluid_join(f, flow);
  }
}

static void forget(hc_fluid *f, uint32_t flow)
{
  hc_fluid_flow *w = &f->flows[flow];
  for (uint32_t u = w->uses; u < w->uses + w->count; u++) f->links[f->cells[u].use.link].alive--;
  fluid_block_give(f, w->uses, w->room);
  w->room = w->count = w->uses = 0;
  w->state = VACANT;
  w->generation++;
  if (w->generation == 0) w->generation = 1;
  w->vacant = f->s.vacant_flow;
  f->s.vacant_flow = flow;
  f->s.active--;
}

static hc_fluid_flow *find(hc_fluid *f, hc_fluid_id id)
{
  hc_fluid_flow *w = id.slot < f->flow_count ? &f->flows[id.slot] : NULL;
  return w && w->generation == id.generation && w->state != VACANT ? w : NULL;
}

/* Its uses, each resource once, into a block. */
static hc_rc copy_uses(hc_fluid *f, const hc_fluid_activity *a, uint32_t *block, uint32_t *room,
                       uint32_t *count)
{
  const uint32_t need = (uint32_t)HC_MAX(a->count, (size_t)1);
  hc_rc rc = fluid_block_take(f, need, block, room);
  *count = 0;
  if (rc < 0) return rc;
  if (++f->s.mark == 0) { /* after 2^32 starts */
    for (size_t i = 0; i < f->link_count; i++) f->links[i].mark = 0;
    f->s.mark = 1;
  }
  for (size_t i = 0; i < a->count; i++) {
    hc_fluid_link *l = &f->links[a->uses[i].resource];
    hc_fluid_cell *uses = f->cells + *block;
    if (a->uses[i].weight == 0) continue;
    if (l->mark == f->s.mark) {
      uses[l->mark_use].use.weight += a->uses[i].weight;
      continue;
    }
    l->mark = f->s.mark;
    l->mark_use = *count;
    uses[(*count)++] = (hc_fluid_cell){.use = {.weight = a->uses[i].weight, .link = a->uses[i].resource}};
  }
  for (uint32_t i = 0; i < *count && rc == 0; i++) {
    const uint32_t link = f->cells[*block + i].use.link;
    rc = fluid_link_reserve(f, link, f->links[link].alive + 1);
  }
  if (rc < 0) fluid_block_give(f, *block, *room);
  return rc;
}

static hc_rc take_slot(hc_fluid *f, uint32_t *out)
{
  if (f->s.vacant_flow != NONE) {
    *out = f->s.vacant_flow;
    f->s.vacant_flow = f->flows[*out].vacant;
    return 0;
  }
  if (f->flow_count >= IS_FLOW - 1) return HC_ELIMIT;
  TRY(fluid_reserve(f, f->link_count, f->flow_count + 1));
  TRY(hc_reserve(f->allocator, (void **)&f->flows, &f->flow_cap, f->flow_count + 1, sizeof *f->flows));
  memset(&f->flows[f->flow_count], 0, sizeof *f->flows);
  f->flows[f->flow_count].generation = 1;
  *out = (uint32_t)f->flow_count++;
  return 0;
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
  uint32_t flow, block, room, count;
  hc_fluid_flow *w;
  hc_rc rc;
  if (!is_sound_activity(f, a)) return HC_EINPUT;
  go_to(f, now);
  TRY(take_slot(f, &flow));
  w = &f->flows[flow];
  if ((rc = copy_uses(f, a, &block, &room, &count)) < 0) {
    w->vacant = f->s.vacant_flow;
    f->s.vacant_flow = flow;
    return rc;
  }
  w->uses = block;
  w->room = room;
  w->count = count;
  w->shared = 0;
  w->bottleneck = w->own_use = w->place = NONE;
  w->stamp = 0;
  w->work = w->left = a->work;
  w->bound = a->bound;
  w->cost = a->cost > 0 ? a->cost : 1;
  w->factor = 1;
  w->booked = w->level = w->rate = 0;
  w->tag = a->tag;
  w->serial = a->serial;
  w->order = f->s.order++;
  w->since = now;
  for (uint32_t u = block; u < block + count; u++) f->links[f->cells[u].use.link].alive++;
  f->s.active++;
  if (a->delay > 0) {
    w->state = DELAYED;
    fluid_due_add(f, flow, hc_time_add(now, a->delay));
  } else {
    share(f, flow);
  }
  *out = (hc_fluid_id){.slot = flow, .generation = w->generation};
  return 0;
}

hc_rc hc_fluid_change(hc_fluid *f, hc_time now, hc_fluid_id id, double factor)
{
  hc_fluid_flow *w = find(f, id);
  if (!w || !is_finite_amount(factor)) return HC_EINPUT;
  go_to(f, now);
  if (w->factor == factor) return 0;
  w->factor = factor;
  if (w->state == DELAYED || w->state == ENDED) return 0;
  if (w->state == SHARING) {
    fluid_withdraw(f, id.slot, false);
    fluid_drop(f, id.slot);
  }
  share(f, id.slot);
  return 0;
}

hc_rc hc_fluid_cancel(hc_fluid *f, hc_time now, hc_fluid_id id, double *done)
{
  hc_fluid_flow *w = find(f, id);
  if (!w) return HC_EINPUT;
  go_to(f, now);
  if (w->state == SHARING) {
    fluid_withdraw(f, id.slot, false);
    fluid_drop(f, id.slot);
  } else if (w->state == DELAYED) {
    fluid_due_drop(f, id.slot);
  } else if (w->state == ENDED) {
    size_t i = 0;
    while (f->told[i].flow != id.slot) i++;
    if (i != --f->told_count) told_settle(f->told, f->told_count, i, f->told[f->told_count]);
  }
  if (done) *done = w->work - w->left;
  forget(f, id.slot);
  return 0;
}

/* ---- questions ---- */

hc_rc hc_fluid_done(hc_fluid *f, hc_time now, hc_fluid_id id, double *done)
{
  hc_fluid_flow *w = find(f, id);
  if (!w) return HC_EINPUT;
  go_to(f, now);
  *done = w->work - (w->state == SHARING ? fluid_left(f, w) : w->left);
  return 0;
}

hc_rc hc_fluid_rate(hc_fluid *f, hc_time now, hc_fluid_id id, double *rate)
{
  hc_fluid_flow *w = find(f, id);
  if (!w) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  *rate = rate_of(f, w);
  return 0;
}

/* Of the links that bound it, the first that does. */
static uint32_t bounding(const hc_fluid *f, const hc_fluid_flow *w)
{
  for (uint32_t u = w->uses + w->shared; u < w->uses + w->count; u++) {
    const hc_fluid_cell use = f->cells[u];
    if (f->links[use.use.link].capacity / (use.use.weight * w->share) <= w->bound_level) return use.use.link;
  }
  return NONE;
}

hc_rc hc_fluid_bottleneck(hc_fluid *f, hc_time now, hc_fluid_id id, uint32_t *resource)
{
  hc_fluid_flow *w = find(f, id);
  if (!w) return HC_EINPUT;
  go_to(f, now);
  fill(f);
  *resource = NONE;
  if (w->state == SHARING) *resource = w->bottleneck < SELF ? w->bottleneck : bounding(f, w);
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
  *at = f->told_count > 0 ? f->s.now : fluid_due_first(f);
  return 0;
}

/* All that ends now, before anything follows from it; then what follows, and what begins. */
static void gather(hc_fluid *f)
{
  uint32_t begins = NONE;
  size_t ended = 0;
  while (fluid_due_first(f) <= f->s.now) {
    const uint32_t flow = fluid_due_take(f);
    hc_fluid_flow *w = &f->flows[flow];
    if (w->state == DELAYED) {
      fluid_due_drop(f, flow);
      w->vacant = begins;
      begins = flow;
      continue;
    }
    fluid_withdraw(f, flow, true);
    fluid_retime(f);
    w->is_leaving = 1;
    end(f, flow);
    ended++;
  }
  for (size_t i = 0; ended > 0; i++) {
    const uint32_t flow = f->told[i].flow;
    if (!f->flows[flow].is_leaving) continue;
    f->flows[flow].is_leaving = 0;
    fluid_drop(f, flow);
    ended--;
  }
  for (uint32_t flow = begins; flow != NONE;) {
    const uint32_t next = f->flows[flow].vacant;
    f->flows[flow].since = f->s.now;
    share(f, flow);
    flow = next;
  }
}

hc_rc hc_fluid_advance(hc_fluid *f, hc_time now, hc_fluid_end *end_out)
{
  hc_fluid_flow *w;
  uint32_t flow;
  fill(f);
  go_to(f, now);
  while (fluid_due_first(f) <= now) {
    gather(f);
    fill(f);
  }
  if (f->told_count == 0) return 0;
  flow = told_pop(f->told, &f->told_count).flow;
  w = &f->flows[flow];
  *end_out =
      (hc_fluid_end){.id = {.slot = flow, .generation = w->generation}, .tag = w->tag, .work = w->work};
  forget(f, flow);
  return 1;
}
