/* disk.c -- disks: see disk.h.
 *
 * Each direction of a disk is a resource of a fluid with a throughput by number (fluid.h), so that an
 * operation costs O(log n) at its beginning and its end, whatever n goes on. What waits stands in a chain of
 * its direction, in the order in which it came: the first of each chain is looked at when something ends, and
 * more only where it is suspended, or the smallest is asked for.
 *
 * What an operation may not have is not tried: a direction that is at its limit, or a disk that is, is passed
 * over as a whole. Space is doubles of whole bytes, exact to 2^53. */
#include "execution/disk.h"

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "execution/fluid.h"

#define NO_OP UINT32_MAX

enum { FREE, WAITS, GOES }; /* an operation's place */

typedef struct operation {
  uint64_t tag, serial, came; /* came: 1, 2, ... in the order of arrival */
  double bytes, work;         /* work: bytes / factor */
  hc_fluid_id flow;
  uint32_t disk, way, state, is_paused;
  uint32_t before, after; /* in the chain of what waits; after: of free places */
} operation;

typedef struct lane {
  uint32_t resource, most, going, waiting; /* of these the last two are state */
  uint32_t first, last;                    /* of what waits */
  double bandwidth;                        /* the greatest */
} lane;

typedef struct disk {
  double capacity, used;
  lane lanes[HC_DISK_WAYS];
  uint32_t most, order;
} disk;

struct hc_disks {
  const hc_allocator *allocator;
  hc_fluid *fluid;
  bool is_borrowed; /* it is the caller's */
  disk *disks;
  size_t count, cap;
  operation *ops;
  size_t op_count, op_cap;
  uint32_t vacant;
  uint32_t active;
  uint64_t came;
};

hc_rc hc_disks_new_on(const hc_allocator *a, hc_fluid *fluid, hc_disks **out)
{
  hc_disks *s = hc_alloc(a, sizeof *s);
  if (!s) return HC_ENOMEM;
  *s = (hc_disks){.allocator = a, .fluid = fluid, .is_borrowed = true, .vacant = NO_OP};
  *out = s;
  return 0;
}

hc_rc hc_disks_new(const hc_allocator *a, hc_disks **out)
{
  hc_disks *s;
  TRY(hc_disks_new_on(a, NULL, &s));
  s->is_borrowed = false;
  const hc_rc rc = hc_fluid_new(a, NULL, &s->fluid);
  if (rc < 0) hc_free(a, s, sizeof *s);
  else *out = s;
  return rc;
}

void hc_disks_free(hc_disks *s)
{
  if (!s) return;
  if (!s->is_borrowed) hc_fluid_free(s->fluid);
  hc_free(s->allocator, s->disks, s->cap * sizeof *s->disks);
  hc_free(s->allocator, s->ops, s->op_cap * sizeof *s->ops);
  hc_free(s->allocator, s, sizeof *s);
}

static bool is_amount(double x)
{
  return x >= 0 && x < HC_DISK_FREE;
}

/* ---- disks ---- */

static hc_rc add_lane(hc_disks *s, const hc_disk_lane *facts, lane *out)
{
  hc_fluid_resource r = {.capacity = facts->bandwidth};
  *out = (lane){.most = facts->most, .first = NO_OP, .last = NO_OP, .bandwidth = facts->bandwidth};
  for (size_t i = 0; i < facts->by_count; i++)
    out->bandwidth = i == 0 ? facts->by[0] : HC_MAX(out->bandwidth, facts->by[i]);
  if (facts->by_count > 0) {
    for (size_t i = 0; i < facts->by_count; i++)
      if (!(facts->by[i] > 0) || facts->by[i] == HC_DISK_FREE) return HC_EINPUT;
    r = (hc_fluid_resource){.capacity = 1, .throughput = facts->by, .count = facts->by_count};
  } else if (!(facts->bandwidth > 0)) {
    return HC_EINPUT;
  }
  return hc_fluid_add(s->fluid, &r, &out->resource);
}

hc_rc hc_disks_add(hc_disks *s, const hc_disk_facts *facts, uint32_t *id)
{
  disk d = {.capacity = facts->capacity, .most = facts->most, .order = facts->order};
  if (!(facts->capacity >= 0)) return HC_EINPUT;
  TRY(hc_reserve(s->allocator, (void **)&s->disks, &s->cap, s->count + 1, sizeof *s->disks));
  for (int way = 0; way < HC_DISK_WAYS; way++) TRY(add_lane(s, &facts->lanes[way], &d.lanes[way]));
  *id = (uint32_t)s->count;
  s->disks[s->count++] = d;
  return 0;
}

uint32_t hc_disks_count(const hc_disks *s)
{
  return (uint32_t)s->count;
}

double hc_disk_capacity(const hc_disks *s, uint32_t id)
{
  return id < s->count ? s->disks[id].capacity : 0;
}

double hc_disk_used(const hc_disks *s, uint32_t id)
{
  return id < s->count ? s->disks[id].used : 0;
}

hc_rc hc_disk_clear(hc_disks *s, uint32_t id, double bytes)
{
  if (id >= s->count || !is_amount(bytes) || bytes > s->disks[id].used) return HC_EINPUT;
  s->disks[id].used -= bytes;
  return 0;
}

hc_rc hc_disk_fill(hc_disks *s, uint32_t id, double bytes)
{
  if (id >= s->count || !is_amount(bytes) || bytes > s->disks[id].capacity - s->disks[id].used)
    return HC_EINPUT;
  s->disks[id].used += bytes;
  return 0;
}

/* ---- the chain of what waits ---- */

static void into_chain(hc_disks *s, uint32_t op)
{
  operation *x = &s->ops[op];
  lane *l = &s->disks[x->disk].lanes[x->way];
  x->state = WAITS;
  x->before = l->last;
  x->after = NO_OP;
  if (l->last != NO_OP) s->ops[l->last].after = op;
  else l->first = op;
  l->last = op;
  l->waiting++;
}

static void out_of_chain(hc_disks *s, uint32_t op)
{
  const operation *x = &s->ops[op];
  lane *l = &s->disks[x->disk].lanes[x->way];
  if (x->before != NO_OP) s->ops[x->before].after = x->after;
  else l->first = x->after;
  if (x->after != NO_OP) s->ops[x->after].before = x->before;
  else l->last = x->before;
  l->waiting--;
}

/* ---- an operation goes on ---- */

static bool has_place(const disk *d, uint32_t way)
{
  const uint32_t all = d->lanes[HC_DISK_READ].going + d->lanes[HC_DISK_WRITE].going;
  const lane *l = &d->lanes[way];
  return (d->most == 0 || all < d->most) && (l->most == 0 || l->going < l->most);
}

/* @param r what it takes of other resources; NULL: nothing */
static hc_rc go(hc_disks *s, hc_time now, uint32_t op, const hc_disk_request *r)
{
  operation *x = &s->ops[op];
  lane *l = &s->disks[x->disk].lanes[x->way];
  const hc_fluid_use own = {.resource = l->resource, .weight = 1};
  hc_fluid_activity a = {.uses = &own, .count = 1, .work = x->work, .tag = op, .serial = x->serial};
  if (s->is_borrowed) a.tag |= HC_DISK_TAG;
  if (r && r->uses) {
    a.uses = r->uses;
    a.count = r->use_count;
    a.bound = r->bound;
    a.delay = r->delay;
  }
  TRY(hc_fluid_start(s->fluid, now, &a, &x->flow));
  x->state = GOES;
  l->going++;
  return 0;
}

/* Does a come before b in the disk's order? */
static bool is_before(const disk *d, const operation *a, const operation *b)
{
  if (d->order == HC_DISK_SMALLEST && a->bytes != b->bytes) return a->bytes < b->bytes;
  if (d->order == HC_DISK_READS_FIRST && a->way != b->way) return a->way == HC_DISK_READ;
  return a->came < b->came;
}

static uint32_t next_of(const hc_disks *s, const disk *d)
{
  uint32_t best = NO_OP;
  for (uint32_t way = 0; way < HC_DISK_WAYS; way++) {
    if (!has_place(d, way)) continue;
    for (uint32_t at = d->lanes[way].first; at != NO_OP; at = s->ops[at].after) {
      if (s->ops[at].is_paused) continue;
      if (best == NO_OP || is_before(d, &s->ops[at], &s->ops[best])) best = at;
      if (d->order != HC_DISK_SMALLEST) break; /* those behind it came later */
    }
  }
  return best;
}

/* A place may be free: all that may go on now does. */
static hc_rc go_on(hc_disks *s, hc_time now, uint32_t id)
{
  const disk *d = &s->disks[id];
  while (d->lanes[HC_DISK_READ].waiting + d->lanes[HC_DISK_WRITE].waiting > 0) {
    const uint32_t op = next_of(s, d);
    if (op == NO_OP) return 0;
    out_of_chain(s, op);
    const hc_rc rc = go(s, now, op, NULL);
    if (rc < 0) {
      into_chain(s, op);
      return rc;
    }
  }
  return 0;
}

/* ---- begin ---- */

static hc_rc place_for(hc_disks *s, uint32_t *out)
{
  *out = s->vacant;
  if (s->vacant != NO_OP) {
    s->vacant = s->ops[s->vacant].after;
    return 0;
  }
  if (s->op_count >= NO_OP) return HC_ELIMIT;
  TRY(hc_reserve(s->allocator, (void **)&s->ops, &s->op_cap, s->op_count + 1, sizeof *s->ops));
  *out = (uint32_t)s->op_count++;
  return 0;
}

static void give_back(hc_disks *s, uint32_t op)
{
  s->ops[op] = (operation){.after = s->vacant};
  s->vacant = op;
}

static bool finds_room(const disk *d, const hc_disk_request *r)
{
  return r->bytes <= (r->way == HC_DISK_READ ? d->capacity : d->capacity - d->used);
}

hc_rc hc_disk_begin(hc_disks *s, hc_time now, uint32_t id, const hc_disk_request *r, uint32_t *out)
{
  const double factor = r->factor == 0 ? 1 : r->factor;
  uint32_t op;
  if (id >= s->count || !is_amount(r->bytes) || !(factor > 0) || (uint32_t)r->way >= HC_DISK_WAYS ||
      !is_amount(r->bytes / factor))
    return HC_EINPUT;
  disk *d = &s->disks[id];
  if (r->uses && (d->most > 0 || d->lanes[r->way].most > 0)) return HC_EINPUT;
  if (!finds_room(d, r)) return 0;
  TRY(place_for(s, &op));
  s->ops[op] = (operation){.tag = r->tag,
                           .serial = r->serial,
                           .came = ++s->came,
                           .bytes = r->bytes,
                           .work = r->bytes / factor,
                           .disk = id,
                           .way = r->way};
  if (r->uses) { /* of a disk on which none waits */
    const hc_rc rc = go(s, now, op, r);
    if (rc < 0) {
      give_back(s, op);
      return rc;
    }
  } else {
    into_chain(s, op);
    const hc_rc rc = go_on(s, now, id);
    if (rc < 0) {
      out_of_chain(s, op);
      give_back(s, op);
      return rc;
    }
  }
  if (r->way == HC_DISK_WRITE) d->used += r->bytes;
  s->active++;
  *out = op;
  return 1;
}

/* ---- end ---- */

static bool is_op(const hc_disks *s, uint32_t op)
{
  return op < s->op_count && s->ops[op].state != FREE;
}

/* Whole bytes of it that have been done. */
static double floor_of(double bytes)
{
  return bytes < 9007199254740992.0 ? (double)(uint64_t)bytes : bytes;
}

static void forget(hc_disks *s, uint32_t op)
{
  give_back(s, op);
  s->active--;
}

hc_rc hc_disk_cancel(hc_disks *s, hc_time now, uint32_t op, double *done)
{
  double work = 0, bytes;
  if (!is_op(s, op)) return HC_EINPUT;
  const operation x = s->ops[op];
  disk *d = &s->disks[x.disk];
  if (x.state == WAITS) {
    out_of_chain(s, op);
  } else {
    TRY(hc_fluid_cancel(s->fluid, now, x.flow, &work));
    d->lanes[x.way].going--;
  }
  bytes = work >= x.work ? x.bytes : HC_MIN(floor_of(work * (x.bytes / x.work)), x.bytes);
  if (x.state == WAITS) bytes = 0;
  if (x.way == HC_DISK_WRITE) d->used -= x.bytes - bytes;
  if (done) *done = bytes;
  forget(s, op);
  return go_on(s, now, x.disk);
}

hc_rc hc_disk_pause(hc_disks *s, hc_time now, uint32_t op, bool is_paused)
{
  if (!is_op(s, op)) return HC_EINPUT;
  operation *x = &s->ops[op];
  x->is_paused = is_paused;
  if (x->state == GOES) return hc_fluid_change(s->fluid, now, x->flow, is_paused ? 0 : 1);
  return is_paused ? 0 : go_on(s, now, x->disk);
}

hc_rc hc_disk_done(hc_disks *s, hc_time now, uint32_t op, double *done)
{
  double work = 0;
  if (!is_op(s, op)) return HC_EINPUT;
  const operation *x = &s->ops[op];
  if (x->state == GOES) TRY(hc_fluid_done(s->fluid, now, x->flow, &work));
  *done = x->work > 0 ? work * (x->bytes / x->work) : x->bytes;
  return 0;
}

hc_rc hc_disk_look(hc_disks *s, hc_time now, uint32_t op, hc_disk_situation *out)
{
  double done = 0, rate = 0;
  uint32_t bottleneck = UINT32_MAX;
  if (!is_op(s, op)) return HC_EINPUT;
  const operation *x = &s->ops[op];
  const lane *both = s->disks[x->disk].lanes;
  if (x->state == GOES && s->is_borrowed) TRY(hc_fluid_bottleneck(s->fluid, now, x->flow, &bottleneck));
  if (x->state == GOES) {
    TRY(hc_fluid_done(s->fluid, now, x->flow, &done));
    TRY(hc_fluid_rate(s->fluid, now, x->flow, &rate));
  }
  *out = (hc_disk_situation){.way = (hc_disk_way)x->way,
                             .waits = x->state == WAITS,
                             .bytes = x->bytes,
                             .rate = rate,
                             .left = x->work - done,
                             .sharing = both[x->way].going,
                             .going = both[HC_DISK_READ].going + both[HC_DISK_WRITE].going,
                             .waiting = both[HC_DISK_READ].waiting + both[HC_DISK_WRITE].waiting,
                             .bottleneck = bottleneck};
  return 0;
}

hc_rc hc_disks_taken(hc_disks *s, hc_time now, double *out)
{
  for (size_t i = 0; i < s->count; i++)
    for (int way = 0; way < HC_DISK_WAYS; way++)
      TRY(hc_fluid_used(s->fluid, now, s->disks[i].lanes[way].resource,
                        &out[i * HC_DISK_WAYS + (size_t)way]));
  return 0;
}

double hc_disk_bandwidth(const hc_disks *s, uint32_t id, hc_disk_way way)
{
  return id < s->count ? s->disks[id].lanes[way].bandwidth : 0;
}

size_t hc_disks_active(const hc_disks *s)
{
  return s->active;
}

uint32_t hc_disk_resource(const hc_disks *s, uint32_t id, hc_disk_way way)
{
  return s->disks[id].lanes[way].resource;
}

hc_rc hc_disks_next(hc_disks *s, hc_time *at)
{
  *at = HC_NEVER;
  return s->active == 0 || s->is_borrowed ? 0 : hc_fluid_next(s->fluid, at);
}

hc_rc hc_disks_told(hc_disks *s, hc_time now, const hc_fluid_end *over, hc_disk_end *end)
{
  const uint32_t op = (uint32_t)over->tag;
  const operation x = s->ops[op];
  *end = (hc_disk_end){.tag = x.tag, .bytes = x.bytes, .op = op, .disk = x.disk, .way = (hc_disk_way)x.way};
  s->disks[x.disk].lanes[x.way].going--;
  forget(s, op);
  return go_on(s, now, x.disk);
}

hc_rc hc_disks_advance(hc_disks *s, hc_time now, hc_disk_end *end)
{
  hc_fluid_end over;
  if (s->active == 0 || s->is_borrowed) return 0;
  const hc_rc rc = hc_fluid_advance(s->fluid, now, &over);
  if (rc <= 0) return rc;
  TRY(hc_disks_told(s, now, &over, end));
  return 1;
}

/* ---- state ---- */

static hc_rc visit_disk(disk *d, hc_visitor *v)
{
  HC_VISIT(v, d->used);
  for (int way = 0; way < HC_DISK_WAYS; way++) {
    uint32_t state[4] = {d->lanes[way].going, d->lanes[way].waiting, d->lanes[way].first, d->lanes[way].last};
    HC_VISIT(v, state);
    d->lanes[way].going = state[0];
    d->lanes[way].waiting = state[1];
    d->lanes[way].first = state[2];
    d->lanes[way].last = state[3];
  }
  return 0;
}

/* Whatever a damaged snapshot says, no place is named that is not there. */
static hc_rc check_loaded(const hc_disks *s)
{
  for (size_t i = 0; i < s->count; i++)
    for (int way = 0; way < HC_DISK_WAYS; way++) {
      const lane *l = &s->disks[i].lanes[way];
      if ((l->first != NO_OP && l->first >= s->op_count) || (l->last != NO_OP && l->last >= s->op_count))
        return HC_EINPUT;
    }
  for (size_t i = 0; i < s->op_count; i++) {
    const operation *x = &s->ops[i];
    if (x->state > GOES || x->way >= HC_DISK_WAYS || (x->state != FREE && x->disk >= s->count) ||
        (x->before != NO_OP && x->before >= s->op_count) || (x->after != NO_OP && x->after >= s->op_count))
      return HC_EINPUT;
  }
  return s->vacant == NO_OP || s->vacant < s->op_count ? 0 : HC_EINPUT;
}

hc_rc hc_disks_visit(hc_disks *s, hc_visitor *v)
{
  uint64_t count = s->count;
  HC_VISIT(v, count);
  if (count != s->count) return HC_EINPUT;
  for (size_t i = 0; i < s->count; i++) TRY(visit_disk(&s->disks[i], v));
  HC_VISIT_ARRAY(v, s->ops, s->op_count, s->op_cap);
  HC_VISIT(v, s->vacant);
  HC_VISIT(v, s->active);
  HC_VISIT(v, s->came);
  if (!s->is_borrowed) TRY(hc_fluid_visit(s->fluid, v));
  return hc_visit_loading(v) ? check_loaded(s) : 0;
}
