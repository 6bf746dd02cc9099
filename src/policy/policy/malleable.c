/* malleable.c -- another policy, whose running tasks grow into what is idle and shrink for the first that
 * waits.
 *
 * The policy that it is put around decides as ever. Then, while the first task of the queue that may start
 * does not fit, running tasks that are malleable shrink, down to their least size, if that is enough for it:
 * those that are expected to end last first, each by as much as is still missing. If that would not be
 * enough, none shrinks. At last malleable tasks grow into what is left, those that are expected to end first
 * first, up to their most. What they took so is given back at the next decision that needs it.
 *
 * On hosts room is counted by amounts, host by host from the first on; where more than amounts decide
 * (constraints, hosts taken whole) tasks may shrink for a first task that does not start there all the same,
 * and grow again when the policy is called next. Reservations of the other policy in whose way a task grows
 * are void, and made anew at its next decision. While room is reserved for a task that asks for more at a
 * point (cannot_grow: reserve) this policy does nothing. The other policy keeps no books of tasks (fair, yt
 * and gang do).
 *
 * This is the simplest of the strategies that shrink to admit and grow when resources idle. Cost a decision:
 * O(running log running), on hosts x hosts that they hold, and O(hosts) for each task that can grow. Sources:
 * Feitelson and Rudolph, JSSPP 1996, LNCS 1162, pp. 1-26, for the word; Utrera, Corbalan and Labarta,
 * "Implementing malleability on MPI jobs", PACT 2004, for shrinking to let jobs start. */
#include "base/util.h"
#include "policy/around.h"

/* A running task that may change. */
typedef struct changing {
  hc_task task;
  int64_t size, spare; /* slots, or processors; of them, more than its least */
  int64_t most, gives;
} changing;

/* It gives up a slot of a host. */
typedef struct gift {
  size_t who;
  uint32_t host, padding;
} gift;

typedef struct shrinking {
  const hc_services *s;
  hc_view *v;
  hc_plan *p;
  changing *tasks;
  size_t count;
  gift *gifts;
  size_t gift_count, gift_room;
} shrinking;

/* Those that run and are malleable, in the order in which they are expected to end. */
static hc_rc find_changing(shrinking *x)
{
  const hc_task *running;
  const size_t n = x->s->running(x->v, &running);
  x->tasks = x->s->scratch(x->v, n * sizeof *x->tasks + 1);
  if (!x->tasks) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    int64_t least, most;
    const bool on_hosts = x->s->slots(x->v, running[i]) > 0;
    const int64_t size = on_hosts ? x->s->slots(x->v, running[i]) : x->s->units(x->v, running[i]);
    x->s->sizes(x->v, running[i], &least, &most);
    if (least == most) continue;
    x->tasks[x->count++] = (changing){running[i], size, HC_MAX(size - least, 0), most, 0};
  }
  return 0;
}

/* ---- shrinking ---- */

static void give_one(shrinking *x, size_t who, uint32_t host)
{
  HC_ASSERT(x->gift_count < x->gift_room);
  x->gifts[x->gift_count++] = (gift){.who = who, .host = host};
  x->tasks[who].gives++;
  x->tasks[who].spare--;
}

/* Processors: whatever is missing. @return 1: it is enough */
static hc_rc gather_processors(shrinking *x, hc_task head)
{
  int64_t missing = x->s->units(x->v, head) - x->s->free_units(x->v);
  for (size_t i = x->count; i-- > 0 && missing > 0;) {
    const int64_t n = HC_MIN(missing, x->tasks[i].spare);
    x->tasks[i].gives = n;
    missing -= n;
  }
  return missing <= 0;
}

/* Of how many slots of this need is there room? */
static int64_t room_for(const shrinking *x, hc_task t, const int64_t *free)
{
  int64_t n = INT64_MAX;
  for (uint32_t d = 0; d < x->s->dimensions(x->v); d++) {
    const int64_t need = x->s->demand(x->v, t, d);
    if (need > 0) n = HC_MIN(n, HC_MAX(free[d], 0) / need);
  }
  return n;
}

/* What a task has on each host, host by host, of all that change. */
typedef struct held {
  size_t who;
  uint32_t host, slots;
} held;

/* Make room on a host for more slots of the head, at most so many. @return how many more fit there then */
static int64_t make_room(shrinking *x, hc_task head, uint32_t host, held *all, size_t count, int64_t most)
{
  const int64_t *has = x->s->host_free(x->v, host, NULL);
  int64_t free[HC_DIMENSIONS], fit, before;
  const uint32_t dimensions = x->s->dimensions(x->v);
  for (uint32_t d = 0; d < dimensions; d++) free[d] = has[d];
  fit = before = room_for(x, head, free);
  while (fit < before + most) {
    size_t i = count;
    while (i > 0 && (all[i - 1].host != host || all[i - 1].slots == 0 || x->tasks[all[i - 1].who].spare == 0))
      i--;
    if (i == 0) break;
    held *h = &all[i - 1];
    for (uint32_t d = 0; d < dimensions; d++) free[d] += x->s->demand(x->v, x->tasks[h->who].task, d);
    h->slots--;
    give_one(x, h->who, host);
    fit = room_for(x, head, free);
  }
  return HC_MIN(fit - before, most);
}

/* Hosts: one after the other, until there is room for those slots of the head for which there is none now.
 * @return 1: there is */
static hc_rc gather_hosts(shrinking *x, hc_task head)
{
  int64_t missing = x->s->slots(x->v, head);
  uint32_t hosts = 0;
  size_t n = 0, room = 0;
  const hc_holding *h;
  held *all;
  for (size_t i = 0; i < x->count; i++) {
    room += x->s->held(x->v, x->tasks[i].task, &h);
    x->gift_room += (size_t)x->tasks[i].spare;
  }
  all = x->s->scratch(x->v, room * sizeof *all + 1);
  x->gifts = x->s->scratch(x->v, x->gift_room * sizeof *x->gifts + 1);
  if (!all || !x->gifts) return HC_ENOMEM;
  for (size_t i = 0; i < x->count; i++) {
    const size_t count = x->s->held(x->v, x->tasks[i].task, &h);
    for (size_t k = 0; k < count && n < room; k++) all[n++] = (held){i, h[k].host, h[k].slots};
  }
  for (const int64_t *free; missing > 0 && (free = x->s->host_free(x->v, hosts, NULL)); hosts++)
    missing -= HC_MIN(room_for(x, head, free), missing);
  while (x->s->host_free(x->v, hosts, NULL)) hosts++;
  for (uint32_t host = 0; host < hosts && missing > 0; host++)
    missing -= make_room(x, head, host, all, n, missing);
  return missing <= 0;
}

/* Each gives up what was gathered; on hosts just there. */
static hc_rc shrink(shrinking *x)
{
  for (size_t i = 0; i < x->count; i++) {
    const changing *t = &x->tasks[i];
    hc_range *where = NULL;
    size_t n = 0;
    if (t->gives == 0) continue;
    if (x->gifts && !(where = x->s->scratch(x->v, (size_t)t->gives * sizeof *where))) return HC_ENOMEM;
    for (size_t k = 0; k < x->gift_count; k++) {
      size_t at = n;
      if (x->gifts[k].who != i) continue;
      for (; at > 0 && where[at - 1].first > x->gifts[k].host; at--) where[at] = where[at - 1];
      where[at] = (hc_range){x->gifts[k].host, 1};
      n++;
    }
    const hc_rc rc = x->s->resize(x->p, t->task, t->size - t->gives, where, n);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
  }
  return 0;
}

/* The first that waits and may start. */
static hc_task first(const hc_services *s, hc_view *v)
{
  hc_cursor at = {0};
  hc_task t;
  do t = s->next(v, HC_LIST_QUEUE, &at, NULL);
  while (t != HC_NO_TASK && s->not_before(v, t) > s->now(v));
  return t;
}

/* @return 1: the first of the queue has started */
static hc_rc admit(const hc_services *s, hc_view *v, hc_plan *p)
{
  const hc_task head = first(s, v);
  shrinking x = {.s = s, .v = v, .p = p};
  hc_rc rc;
  if (head == HC_NO_TASK) return 0;
  if (!s->fits(v, head)) {
    TRY(find_changing(&x));
    rc = s->slots(v, head) > 0 ? gather_hosts(&x, head) : gather_processors(&x, head);
    if (rc <= 0) return rc;
    TRY(shrink(&x));
    if (!s->fits(v, head)) return 0;
  }
  rc = s->start(p, head, NULL, 0);
  return rc == 0 ? 1 : rc == HC_EPOLICY ? 0 : rc;
}

/* ---- growing ---- */

static int64_t room_of(const shrinking *x, const changing *t)
{
  const int64_t *free;
  int64_t n = 0;
  if (!x->s->host_free(x->v, 0, NULL)) return HC_MIN(x->s->free_units(x->v), t->most - t->size);
  for (uint32_t host = 0; n < t->most - t->size && (free = x->s->host_free(x->v, host, NULL)); host++)
    n += HC_MIN(room_for(x, t->task, free), t->most - t->size);
  return HC_MIN(n, t->most - t->size);
}

/* Where more than amounts decides it is tried with fewer. */
static hc_rc grow(const hc_services *s, hc_view *v, hc_plan *p)
{
  shrinking x = {.s = s, .v = v, .p = p};
  TRY(find_changing(&x));
  for (size_t i = 0; i < x.count; i++) {
    const changing *t = &x.tasks[i];
    hc_rc rc = HC_EPOLICY;
    for (int64_t more = room_of(&x, t); more > 0 && rc == HC_EPOLICY; more /= 2)
      rc = s->resize(p, t->task, t->size + more, NULL, 0);
    if (rc < 0 && rc != HC_EPOLICY) return rc;
  }
  return 0;
}

/* ---- the policy ---- */

static hc_rc decide(hc_policy *self, hc_view *v, hc_plan *p, const hc_why *why)
{
  const hc_services *s = self->s;
  const size_t before = s->queued(v);
  hc_rc rc;
  if (s->awaited(v, HC_NO_TASK) > 0) return 0; /* what is free is kept for a task that runs */
  if (before > 0) TRY(hc_around_decide(self, v, p, why));
  do rc = admit(s, v, p);
  while (rc > 0);
  if (rc < 0) return rc;
  TRY(grow(s, v, p));
  /* Those that start now may grow once they run. */
  return s->queued(v) < before && s->free_units(v) > 0 ? s->wake(p, s->now(v)) : 0;
}

static uint32_t flags(const void *options)
{
  return (hc_around_flags(options) | HC_MAY_RESIZE) & ~(uint32_t)HC_HEAD_ONLY;
}

static hc_rc init(const hc_policy_context *c, const void *options, hc_policy **out, hc_error *e)
{
  return hc_around_init(c, options, "malleable", sizeof(hc_policy), out, e);
}

static const hc_param params[] = {HC_AROUND_PARAM(hc_around_options, policy), {0}};

const hc_policy_type hc_policy_malleable = {
    .component =
        {HC_COMPONENT_HEAD(hc_policy_type, HC_KIND_POLICY), .name = "malleable",
         .summary = "another policy, whose running tasks grow into what is idle and shrink for the first "
                    "queued task",
         .detail = "Malleable tasks say between which sizes they may change (`malleable` of native tasks, or "
                   "the transform `malleable`); their work is conserved. When the first task of the queue "
                   "does not fit, running tasks shrink if that makes enough room for it; then they grow into "
                   "what is idle.",
         .source = "Feitelson and Rudolph, JSSPP 1996, LNCS 1162; Utrera, Corbalan and Labarta, PACT 2004",
         .params = params, .options_size = sizeof(hc_around_options)},
    .flags = flags,
    .parts = hc_around_parts,
    .init = init,
    .decide = decide,
    .outcome = hc_around_outcome,
    .visit = hc_around_visit,
    .fini = hc_around_fini,
    .finish = hc_around_finish,
};
