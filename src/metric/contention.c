/* contention.c -- when users competed for the machine. See contention.h.
 *
 * Tasks that wait are kept by user in order of serial until the first instant is found at which none of those
 * in front fits; from then on only their number counts. An instant is looked at when the next one begins:
 * what only held within it is not seen. */
#include "metric/contention.h"

#include "base/mem.h"
#include "base/util.h"
#include "metric/machine.h"

enum { SOME, ALL };

typedef struct waiter {
  uint64_t serial;
  int64_t amount[HC_DIMENSIONS];
  uint32_t slots;
  bool whole, gone;
} waiter;

typedef struct rival {
  waiter *line; /* ascending by serial */
  size_t first, count, cap;
  uint64_t waiting;
  uint32_t last, padding; /* where its first task fitted last */
  hc_time left;           /* when the last of them left; HC_UNKNOWN: some wait */
} rival;

typedef struct contention {
  const hc_allocator *allocator;
  hc_machine machine;
  int64_t *held; /* [hosts][width], or one for a cell without them */
  uint32_t places;
  hc_map index; /* user -> rival */
  rival *rivals;
  size_t count, cap;
  hc_time now, from[2]; /* nothing of some user fits; of any user */
} contention;

static int64_t has(const contention *c, uint32_t place, int d)
{
  return c->machine.hosts > 0 ? hc_machine_capacity(&c->machine, place)[d] : c->machine.total[d];
}

/* How many slots of a task a host can take now. */
static uint64_t slots_on(const contention *c, const waiter *w, uint32_t place)
{
  uint64_t slots = UINT32_MAX;
  bool is_empty = true;
  for (uint32_t i = 0; i < c->machine.dimensions; i++) {
    const int d = c->machine.which[i];
    const int64_t free = has(c, place, d) - c->held[(size_t)place * c->machine.width + (uint32_t)d];
    is_empty &= c->held[(size_t)place * c->machine.width + (uint32_t)d] == 0;
    if (c->machine.shared[d] || w->amount[d] <= 0) continue;
    if (free < w->amount[d]) return 0;
    slots = HC_MIN(slots, (uint64_t)(free / w->amount[d]));
  }
  return w->whole ? is_empty : slots;
}

static bool fits(const contention *c, rival *r)
{
  const waiter *w = &r->line[r->first];
  uint64_t slots = 0;
  if (w->slots == 1 && slots_on(c, w, r->last) > 0) return true;
  for (uint32_t p = 0; p < c->places; p++) {
    slots += slots_on(c, w, p);
    if (slots < w->slots) continue;
    r->last = p;
    return true;
  }
  return false;
}

/* The instant is over: could anything of what waits first have gone on? */
static void look(contention *c)
{
  bool some = false, any = false;
  for (size_t i = 0; i < c->count && !(any && (some || c->from[SOME] != HC_UNKNOWN)); i++) {
    if (c->rivals[i].waiting == 0) continue;
    if (fits(c, &c->rivals[i])) any = true;
    else some = true;
  }
  if (some && c->from[SOME] == HC_UNKNOWN) c->from[SOME] = c->now;
  if (some && !any) c->from[ALL] = c->now;
}

static hc_rc find_rival(contention *c, int64_t user, rival **out)
{
  uint32_t at = hc_map_get(&c->index, (uint64_t)user);
  if (at == HC_MAP_NONE) {
    if (c->count >= HC_MAP_NONE) return HC_ELIMIT;
    TRY(hc_reserve(c->allocator, (void **)&c->rivals, &c->cap, c->count + 1, sizeof *c->rivals));
    at = (uint32_t)c->count;
    TRY(hc_map_set(&c->index, (uint64_t)user, at));
    c->rivals[c->count++] = (rival){.left = HC_UNKNOWN};
  }
  *out = &c->rivals[at];
  return 0;
}

static hc_rc queued(contention *c, const hc_change *x)
{
  rival *r;
  waiter w = {.serial = x->serial, .slots = x->slots, .whole = x->whole != 0};
  size_t at;
  TRY(find_rival(c, x->user, &r));
  r->waiting++;
  r->left = HC_UNKNOWN;
  if (c->from[ALL] != HC_UNKNOWN) return 0;
  for (uint32_t d = 0; d < c->machine.width; d++) w.amount[d] = x->amount[d];
  TRY(hc_reserve(c->allocator, (void **)&r->line, &r->cap, r->count + 1, sizeof *r->line));
  for (at = r->count++; at > r->first && r->line[at - 1].serial > w.serial; at--)
    r->line[at] = r->line[at - 1];
  r->line[at] = w;
  return 0;
}

static hc_rc unqueued(contention *c, const hc_change *x)
{
  rival *r;
  size_t low, high;
  TRY(find_rival(c, x->user, &r));
  if (r->waiting > 0 && --r->waiting == 0) r->left = x->at;
  if (c->from[ALL] != HC_UNKNOWN) return 0;
  for (low = r->first, high = r->count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (r->line[middle].serial < x->serial) low = middle + 1;
    else high = middle;
  }
  if (low < r->count && r->line[low].serial == x->serial) r->line[low].gone = true;
  while (r->first < r->count && r->line[r->first].gone) r->first++;
  return 0;
}

static void claim(contention *c, const hc_change *x)
{
  const uint32_t place = c->machine.hosts > 0 ? x->host : 0;
  if (place >= c->places) return; /* of the cell as a whole */
  int64_t *held = c->held + (size_t)place * c->machine.width;
  for (uint32_t d = 0; d < c->machine.width; d++)
    held[d] = x->kind == HC_CHANGE_CLAIMED ? hc_amount_plus(held[d], x->amount[d])
                                           : hc_amount_minus(held[d], x->amount[d]);
}

static hc_rc hear(void *ctx, const hc_change *changes, size_t count)
{
  contention *c = ctx;
  int64_t more[HC_DIMENSIONS];
  for (size_t i = 0; i < count; i++) {
    const hc_change *x = &changes[i];
    if (x->at != c->now && c->from[ALL] == HC_UNKNOWN) look(c);
    c->now = x->at;
    switch ((hc_change_kind)x->kind) {
      case HC_CHANGE_QUEUED: TRY(queued(c, x)); break;
      case HC_CHANGE_UNQUEUED: TRY(unqueued(c, x)); break;
      case HC_CHANGE_CLAIMED:
      case HC_CHANGE_RELEASED: claim(c, x); break;
      case HC_CHANGE_HOST: (void)hc_machine_change(&c->machine, x, more); break;
      case HC_CHANGE_QUEUED_MORE:
      case HC_CHANGE_UNQUEUED_MORE:
      case HC_CHANGE_POWER:
      case HC_CHANGE_COMPUTES: break;
    }
  }
  return 0;
}

static hc_time end_of(const contention *c, hc_time from)
{
  hc_time first = HC_NEVER;
  for (size_t i = 0; i < c->count; i++) {
    const hc_time left = c->rivals[i].left;
    if (left != HC_UNKNOWN && left > from) first = HC_MIN(first, left);
  }
  return HC_MIN(first, c->now);
}

hc_rc hc_contention_find(const hc_metric_context *context, const hc_task_record *records, size_t n,
                         const hc_host_story *hosts, hc_trim_input *in, int64_t *serial)
{
  const hc_allocator *a = context->allocator;
  contention c = {.allocator = a, .now = HC_UNKNOWN, .from = {HC_UNKNOWN, HC_UNKNOWN}};
  hc_rc rc;
  hc_map_init(&c.index, a);
  rc = hc_machine_init(&c.machine, context);
  c.places = HC_MAX(c.machine.hosts, 1);
  c.held = rc < 0 ? NULL : hc_alloc(a, c.places * c.machine.width * sizeof *c.held);
  if (rc >= 0 && !c.held) rc = HC_ENOMEM;
  if (rc >= 0) rc = hc_metric_replay_changes(a, context->cell, records, n, hosts, hear, &c, serial);
  if (rc >= 0 && c.from[ALL] == HC_UNKNOWN) look(&c);
  for (int i = SOME; i <= ALL; i++) {
    in->contended_from[i] = c.from[i];
    in->contended_to[i] = c.from[i] == HC_UNKNOWN ? HC_UNKNOWN : end_of(&c, c.from[i]);
  }
  for (size_t i = 0; i < c.count; i++) hc_free(a, c.rivals[i].line, c.rivals[i].cap * sizeof *c.rivals->line);
  hc_free(a, c.rivals, c.cap * sizeof *c.rivals);
  if (c.held) hc_free(a, c.held, c.places * c.machine.width * sizeof *c.held);
  hc_machine_fini(&c.machine);
  hc_map_fini(&c.index);
  return rc;
}
