/* labelled.c -- how long labelled parts of profiles (profile/part.c) take on each host of their task.
 *
 * * A part begins on all hosts at once. On a host it has ended when the last thing is over in which that
 * host took part: its own computations, reads and writes; messages that it sends or gets; sleeps, scheduling
 * points and parallel tasks, in which all take part. A host that took part in nothing was done when it
 * began. The part as such goes on until all are done, and is told then, once for each run of hosts that
 * follow each other and took as long: on a task of equal hosts that is one record.
 *
 * * Where the hosts change at a scheduling point within a part, those that go are told at that time, and
 * those that come begin. A part that fails, or is stopped, is not told. One of a task that comes back to a
 * checkpoint begins when that is read, and those that were over before are not told again.
 *
 * * Cost: for each activity that ends, the profiles above it, and 24 bytes a host while a part goes on. */
#include "execution/labelled.h"

#include <string.h>

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"
#include "execution/measure.h"
#include "execution/saves.h"

_Static_assert(HC_LABEL == HC_PROFILE_LABEL, "labels have one length");

static hc_labelled_all *asked(hc_doings *d)
{
  return d->measure->asked.labelled ? &d->measure->labels : NULL;
}

bool hc_labelled_wanted(hc_doings *d, uint32_t script)
{
  return asked(d) && d->scripts.items[script].has_labels;
}

static hc_labelled *open_part(hc_labelled_all *l, const hc_doings *d, uint32_t instance)
{
  if (instance >= l->count || l->of[instance].born == 0) return NULL;
  return l->of[instance].born == d->instances[instance].born ? &l->of[instance] : NULL;
}

static void forget(const hc_doings *d, hc_labelled *x)
{
  hc_free(d->allocator, x->places, x->count * sizeof *x->places);
  *x = (hc_labelled){.born = 0};
}

void hc_labelled_fini(hc_doings *d)
{
  hc_labelled_all *l = &d->measure->labels;
  for (size_t i = 0; i < l->count; i++) forget(d, &l->of[i]);
  hc_free(d->allocator, l->of, l->cap * sizeof *l->of);
}

static void no_room(hc_doings *d)
{
  (void)hc_doings_fail(d, HC_NO_ONE, HC_ENOMEM, "no room for the times of parts of profiles");
}

/* ---- a part ---- */

static const hc_profile_type *type_of(const hc_doings *d, uint32_t instance, const void **options)
{
  const hc_instance *i = &d->instances[instance];
  const hc_chosen *part = d->scripts.items[d->running[i->running].script].parts[i->part];
  *options = part->options;
  return (const hc_profile_type *)part->type;
}

/* The hosts that a task has now, from a place on. @return NULL: no room, which has been said */
static hc_label_place *places_now(hc_doings *d, uint32_t running, uint32_t first)
{
  hc_running *r = &d->running[running];
  hc_label_place *to = hc_alloc(d->allocator, (r->place_count - first) * sizeof *to);
  if (!to) no_room(d);
  for (uint32_t i = first; to && i < r->place_count; i++)
    to[i - first] = (hc_label_place){.began = d->now, .ended = d->now, .host = hc_place_of(r, i)->host};
  return to;
}

void hc_labelled_begin(hc_doings *d, uint32_t instance)
{
  hc_labelled_all *l = asked(d);
  const void *options;
  if (!l || !type_of(d, instance, &options)->label) return;
  const hc_instance *i = &d->instances[instance];
  const hc_running *r = &d->running[i->running];
  if (instance >= l->count) {
    const size_t had = l->count;
    if (hc_reserve(d->allocator, (void **)&l->of, &l->cap, (size_t)instance + 1, sizeof *l->of) < 0) {
      no_room(d);
      return;
    }
    l->count = (size_t)instance + 1;
    memset(l->of + had, 0, (l->count - had) * sizeof *l->of);
  }
  l->of[instance] = (hc_labelled){.born = i->born,
                                  .all = d->now,
                                  .places = places_now(d, i->running, r->first),
                                  .first = r->first,
                                  .count = r->place_count - r->first};
  if (!l->of[instance].places) l->of[instance] = (hc_labelled){.born = 0};
}

static hc_time ended_on(const hc_labelled *x, const hc_label_place *p)
{
  return HC_MAX(HC_MAX(p->ended, x->all), p->began);
}

/* Of some of its hosts. @param is_gone [x->count]; NULL: of all */
static void tell(hc_doings *d, uint32_t instance, const hc_labelled *x, const bool *is_gone)
{
  const hc_measuring *m = &d->measure->asked;
  const void *options;
  const hc_profile_type *type = type_of(d, instance, &options);
  hc_labelled_record r = {.serial = d->running[d->instances[instance].running].serial,
                          .number = d->measure->labels.told,
                          .label = type->label(options)};
  hc_rc rc = 0;
  for (uint32_t i = 0; i < x->count && rc == 0; i++) {
    const hc_label_place *p = &x->places[i];
    const hc_time ended = ended_on(x, p);
    if (is_gone && !is_gone[i]) continue;
    const bool follows =
        r.hosts > 0 && p->host == r.host + r.hosts && p->began == r.began && ended == r.ended;
    if (r.hosts > 0 && !follows) rc = m->labelled(m->ctx, &r);
    if (!follows) {
      r.host = p->host;
      r.hosts = 0;
      r.began = p->began;
      r.ended = ended;
    }
    r.hosts++;
  }
  if (rc == 0 && r.hosts > 0) rc = m->labelled(m->ctx, &r);
  if (rc < 0)
    (void)hc_doings_fail(d, HC_NO_ONE, rc, "times of parts of profiles cannot be kept: %s", hc_rc_text(rc));
}

/* A task that comes back to a checkpoint is told again what it was told. */
static bool comes_back(const hc_doings *d, uint32_t running)
{
  const hc_saver *own = d->saves ? hc_saver_of(d, running) : NULL;
  return own && own->state == HC_SAVER_REPLAYS;
}

void hc_labelled_over(hc_doings *d, uint32_t instance)
{
  hc_labelled_all *l = asked(d);
  const hc_labelled *x = l ? open_part(l, d, instance) : NULL;
  if (!x || comes_back(d, d->instances[instance].running)) return;
  tell(d, instance, x, NULL);
  l->told++;
}

void hc_labelled_drop(hc_doings *d, uint32_t instance)
{
  hc_labelled_all *l = asked(d);
  hc_labelled *x = l ? open_part(l, d, instance) : NULL;
  if (x) forget(d, x);
}

/* ---- what is over in it ---- */

static void mark_place(hc_labelled *x, uint32_t place, hc_time now)
{
  if (place >= x->first && place - x->first < x->count) x->places[place - x->first].ended = now;
}

static void mark_host(hc_labelled *x, uint32_t host, hc_time now)
{
  for (uint32_t i = 0; i < x->count; i++)
    if (x->places[i].host == host) x->places[i].ended = now;
}

/* Those that what is started now is about: all of them, or those that are new. */
static void mark_all(hc_labelled *x, uint32_t from, hc_time now)
{
  if (from <= x->first) x->all = now;
  for (uint32_t i = from; from > x->first && i < x->first + x->count; i++) mark_place(x, i, now);
}

static void mark(const hc_doings *d, hc_labelled *x, uint32_t act)
{
  const hc_doing *y = &d->acts[act];
  const hc_measured_act *m = act < d->measure->act_count ? &d->measure->acts[act] : NULL;
  switch ((hc_doing_kind)y->kind) {
    case HC_DOING_COMPUTE:
    case HC_DOING_DISK:
    case HC_DOING_FILE:
    case HC_DOING_SPREAD:
    case HC_DOING_GPUS:
      if (y->meter != HC_NO_ONE) mark_place(x, y->meter, d->now);
      return;
    case HC_DOING_FLOW:
      if (m && m->kinds != 0 && m->from != HC_NO_ONE) {
        mark_host(x, m->from, d->now);
        mark_host(x, m->to, d->now);
        return;
      }
      mark_all(x, d->running[y->running].first, d->now);
      return;
    case HC_DOING_SLEEP:
    case HC_DOING_POINT: mark_all(x, d->running[y->running].first, d->now); return;
    case HC_DOING_NOTHING:
    case HC_DOING_CHILD:
    case HC_DOING_GROUP:
    case HC_DOING_LIMIT:
    case HC_DOING_TIMEOUT:
    case HC_DOING_SAVE: return;
  }
}

/* In all parts that it is within. */
void hc_labelled_act(hc_doings *d, uint32_t act)
{
  hc_labelled_all *l = asked(d);
  const hc_doing *x = &d->acts[act];
  if (!l || l->count == 0 || x->running == d->data.carrier || x->spread != HC_NO_ONE) return;
  uint32_t owner = x->kind == HC_DOING_COMPUTE && x->of != HC_NO_ONE ? d->acts[x->of].owner : x->owner;
  while (owner != HC_NO_ONE && owner != HC_SAVER) {
    hc_labelled *part = open_part(l, d, owner);
    const uint32_t above = d->instances[owner].act;
    if (part) mark(d, part, act);
    owner = above == HC_NO_ONE ? HC_NO_ONE : d->acts[above].owner;
  }
}

/* ---- other hosts ---- */

static hc_label_place *place_on(hc_label_place *places, uint32_t count, uint32_t host)
{
  for (uint32_t i = 0; i < count; i++)
    if (places[i].host == host) return &places[i];
  return NULL;
}

static void other_hosts(hc_doings *d, uint32_t instance, uint32_t running)
{
  hc_labelled *x = &d->measure->labels.of[instance];
  const uint32_t count = d->running[running].place_count - x->first;
  hc_label_place *to = places_now(d, running, x->first);
  bool *is_gone = hc_alloc(d->allocator, x->count * sizeof *is_gone);
  if (to && !is_gone) no_room(d);
  for (uint32_t i = 0; to && is_gone && i < x->count; i++) {
    hc_label_place *kept = place_on(to, count, x->places[i].host);
    is_gone[i] = !kept;
    if (kept) *kept = x->places[i];
  }
  if (to && is_gone) {
    tell(d, instance, x, is_gone);
    hc_free(d->allocator, is_gone, x->count * sizeof *is_gone);
    hc_free(d->allocator, x->places, x->count * sizeof *x->places);
    x->places = to;
    x->count = count;
    return;
  }
  hc_free(d->allocator, is_gone, x->count * sizeof *is_gone);
  hc_free(d->allocator, to, count * sizeof *to);
}

void hc_labelled_resize(hc_doings *d, uint32_t running)
{
  hc_labelled_all *l = asked(d);
  for (uint32_t i = 0; l && i < l->count && d->failed == 0; i++)
    if (open_part(l, d, i) && d->instances[i].running == running) other_hosts(d, i, running);
}

/* ---- state ---- */

hc_rc hc_labelled_visit(hc_doings *d, hc_visitor *v)
{
  hc_labelled_all *l = asked(d);
  uint64_t count;
  if (!l) return 0;
  count = l->count;
  HC_VISIT(v, l->told);
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > d->instance_count) return HC_EINPUT;
    TRY(hc_reserve(d->allocator, (void **)&l->of, &l->cap, (size_t)count, sizeof *l->of));
    l->count = (size_t)count;
    if (count > 0) memset(l->of, 0, l->count * sizeof *l->of);
  }
  for (size_t i = 0; i < l->count; i++) {
    hc_labelled head = l->of[i];
    head.places = NULL;
    HC_VISIT(v, head);
    if (hc_visit_loading(v)) {
      if (head.count > v->left) return HC_EINPUT;
      head.places = head.count > 0 ? hc_alloc(d->allocator, head.count * sizeof *head.places) : NULL;
      if (head.count > 0 && !head.places) return HC_ENOMEM;
      l->of[i] = head;
    }
    if (head.count > 0) TRY(hc_visit_bytes(v, l->of[i].places, head.count * sizeof *l->of[i].places));
  }
  return 0;
}
