/* dependencies.c -- dependencies between tasks and between jobs.
 *
 * A task names those it waits for by (job, task), or a whole job, of its own source. All tasks of one name
 * are a *group* (a bundle's tasks have one name), which knows how many of them live, how many have not
 * started, and whether one of them failed. A waiting task hangs on each group that can still change its mind
 * by an *edge*; when the group does, its edges are looked at once. So the cost is one step for each edge,
 * whatever the order.
 *
 * What is decided, is decided when a round's arrivals are complete (`settle`), because a job's tasks come in
 * any order: only then is a name that no task has *missing*, and only then is a circle one. Circles are found
 * among the tasks of the round by taking away, again and again, those that wait for none of the others (Kahn
 * 1962, doi:10.1145/368996.369025). A circle over several rounds needs `missing_predecessor: wait`; its tasks
 * are still held when the run ends, and are counted as such.
 *
 * Groups that are over are remembered, the latest `remember` of them; memory is theirs, the live tasks' and
 * the edges'. A run whose sources refer to nothing has no such part at all. */
#include <string.h>

#include "base/set.h"
#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/data.h"
#include "engine/dependencies.h"
#include "engine/life.h"
#include "engine/part.h"
#include "engine/stopping.h"
#include "engine/tasks.h"

#define NONE UINT32_MAX

typedef struct group {
  int64_t job, task; /* HC_UNKNOWN: every task of the job */
  uint32_t source;
  uint32_t arrived, live, unstarted; /* tasks; `arrived` saturates */
  uint32_t edges;                    /* first of those who wait for it */
  uint32_t stuck;                    /* while circles are sought: its tasks that are not known to be free */
  uint8_t failed, changed, in_ring, used, counted, padding[3];
} group;

typedef struct edge {
  uint64_t serial; /* of the waiting task: its slot may be another's by now */
  hc_task waiter;
  uint32_t how; /* hc_after_how */
  uint32_t next, padding;
} edge;

/* Of each live task. */
typedef struct member {
  uint32_t own[2];  /* its group, and its job's */
  uint32_t left;    /* edges that it hangs on */
  uint32_t blocked; /* while circles are sought: edges to groups that are stuck */
  uint32_t fresh;   /* and: it is one of the round's */
} member;

struct hc_dependencies {
  group *groups;
  size_t group_count, group_cap;
  uint32_t vacant_group, vacant_edge; /* chains through `edges` and `next` */
  edge *edges;
  size_t edge_count, edge_cap;
  member *members;
  size_t member_cap;
  hc_set index;      /* of groups, by their names */
  uint32_t *changed; /* groups to look at */
  size_t changed_count, changed_cap;
  hc_task *fresh; /* tasks of this round that name others */
  size_t fresh_count, fresh_cap;
  uint32_t *ring; /* groups that are over, oldest first */
  size_t ring_at, ring_count, ring_cap;
};

/* ---- groups ---- */

/* By job, task and source. */
static hc_keys keys_of(const hc_dependencies *k)
{
  return (hc_keys){k->groups, sizeof *k->groups, offsetof(group, arrived)};
}

static uint32_t find(const hc_dependencies *k, uint32_t source, int64_t job, int64_t task)
{
  return hc_set_find(&k->index, keys_of(k), &(group){.job = job, .task = task, .source = source});
}

static hc_rc find_or_make(hc_engine *e, uint32_t source, int64_t job, int64_t task, uint32_t *out)
{
  hc_dependencies *k = e->dependencies;
  *out = find(k, source, job, task);
  if (*out != HC_MAP_NONE) return 0;
  TRY(HC_SLOT_TAKE(e->allocator, group, edges, k->groups, k->group_count, k->group_cap, k->vacant_group,
                   out));
  k->groups[*out] = (group){.job = job, .task = task, .source = source, .edges = NONE, .used = 1};
  return hc_set_put(&k->index, keys_of(k), *out);
}

static void forget(hc_dependencies *k, uint32_t g)
{
  group *it = &k->groups[g];
  hc_set_remove(&k->index, keys_of(k), g);
  *it = (group){.job = 0};
  HC_SLOT_GIVE(group, edges, k->groups, k->vacant_group, g);
}

/* A group that is over is remembered for a while. */
static hc_rc remember(hc_engine *e, uint32_t g)
{
  hc_dependencies *k = e->dependencies;
  const size_t most = (size_t)e->options->remember;
  if (k->groups[g].in_ring) return 0;
  if (k->ring_count == k->ring_cap) { /* it grows as it is: nothing was taken out while it fills */
    size_t cap = k->ring_cap;
    TRY(hc_reserve(e->allocator, (void **)&k->ring, &cap, k->ring_count + 1, sizeof *k->ring));
    if (k->ring_at > 0) { /* straighten it */
      memcpy(k->ring + k->ring_cap, k->ring, k->ring_at * sizeof *k->ring);
      memmove(k->ring, k->ring + k->ring_at, k->ring_count * sizeof *k->ring);
      k->ring_at = 0;
    }
    k->ring_cap = cap;
  }
  k->ring[(k->ring_at + k->ring_count++) % k->ring_cap] = g;
  k->groups[g].in_ring = 1;
  while (k->ring_count > most) {
    const uint32_t oldest = k->ring[k->ring_at];
    group *o = &k->groups[oldest];
    k->ring_at = (k->ring_at + 1) % k->ring_cap;
    k->ring_count--;
    o->in_ring = 0;
    if (o->live == 0 && o->edges == NONE && !o->changed) forget(k, oldest);
  }
  return 0;
}

static hc_rc note_change(hc_engine *e, uint32_t g)
{
  hc_dependencies *k = e->dependencies;
  if (k->groups[g].changed) return 0;
  TRY(hc_reserve(e->allocator, (void **)&k->changed, &k->changed_cap, k->changed_count + 1,
                 sizeof *k->changed));
  k->changed[k->changed_count++] = g;
  k->groups[g].changed = 1;
  return 0;
}

/* ---- what a group says ---- */

typedef enum verdict { PENDING, SATISFIED, NEVER, MISSING } verdict;

static verdict ask(const group *g, hc_after_how how)
{
  if (g->arrived == 0) return MISSING;
  switch (how) {
    case HC_AFTER_ARRIVED: return SATISFIED;
    case HC_AFTER_STARTED: return g->unstarted == 0 ? SATISFIED : PENDING;
    case HC_AFTER_ENDED: return g->live == 0 ? SATISFIED : PENDING;
    case HC_AFTER_COMPLETED: return g->failed ? NEVER : g->live == 0 ? SATISFIED : PENDING;
    case HC_AFTER_FAILED: return g->failed ? SATISFIED : g->live == 0 ? NEVER : PENDING;
  }
  return SATISFIED;
}

/* ---- what happens to a task ---- */

static hc_rc join(hc_engine *e, hc_task id, uint32_t g, int which)
{
  group *it = &e->dependencies->groups[g];
  e->dependencies->members[id].own[which] = g;
  if (it->arrived < UINT32_MAX) it->arrived++;
  it->live++;
  it->unstarted++;
  return it->edges == NONE ? 0 : note_change(e, g); /* some task waited for its arrival */
}

static hc_rc arrives(hc_engine *e, hc_task id)
{
  hc_dependencies *k = e->dependencies;
  hc_live *t = hc_live_of(e, id);
  const hc_task_cold *r = hc_cold_of(e, id);
  const hc_task_extras *more = hc_lexicon_more(e->lexicon, r->more);
  const int64_t name = e->tasks.identities[id].id;
  uint32_t g;
  TRY(hc_reserve(e->allocator, (void **)&k->members, &k->member_cap, (size_t)id + 1, sizeof *k->members));
  k->members[id] = (member){.own = {NONE, NONE}};
  t->bits |= HC_LIVE_DEPENDS;
  TRY(find_or_make(e, t->source, r->job, name, &g));
  TRY(join(e, id, g, 0));
  if (r->job != -1) {
    TRY(find_or_make(e, t->source, r->job, HC_UNKNOWN, &g));
    TRY(join(e, id, g, 1));
  }
  if (!more || more->after_count + more->input_count == 0) return 0;
  TRY(hc_reserve(e->allocator, (void **)&k->fresh, &k->fresh_cap, k->fresh_count + 1, sizeof *k->fresh));
  k->fresh[k->fresh_count++] = id;
  t->state = HC_TASK_HELD;
  e->tasks_held++;
  e->counters.held_back++;
  return 1;
}

static hc_rc starts(hc_engine *e, hc_task id)
{
  for (int i = 0; i < 2; i++) {
    const uint32_t own = e->dependencies->members[id].own[i];
    if (own == NONE || hc_is_again(e, id)) continue;
    if (--e->dependencies->groups[own].unstarted == 0 && e->dependencies->groups[own].edges != NONE)
      TRY(note_change(e, own));
  }
  return 0;
}

static hc_rc ends(hc_engine *e, hc_task id, bool completed)
{
  hc_dependencies *k = e->dependencies;
  const hc_live *t = hc_live_of(e, id);
  const bool never_started = t->start == HC_UNKNOWN && !hc_is_again(e, id);
  for (int i = 0; i < 2; i++) {
    const uint32_t own = k->members[id].own[i];
    group *g;
    if (own == NONE) continue;
    g = &k->groups[own];
    g->live--;
    if (never_started) g->unstarted--;
    if (!completed) g->failed = 1;
    if (g->edges != NONE) TRY(note_change(e, own));
    if (g->live == 0) TRY(remember(e, own));
  }
  return 0;
}

bool hc_dependencies_stage(const hc_engine *e, hc_task id, uint64_t *over, uint64_t *all)
{
  const hc_dependencies *k = e->dependencies;
  for (int i = 0; k && i < 2; i++) {
    const uint32_t own = k->members[id].own[i];
    if (own == NONE || k->groups[own].edges == NONE) continue;
    *all = k->groups[own].arrived;
    *over = *all - k->groups[own].live;
    return true;
  }
  return false;
}

/* ---- settling ---- */

bool hc_dependencies_hold(const hc_engine *e, hc_task id)
{
  return e->dependencies && (e->tasks.live[id].bits & HC_LIVE_DEPENDS) &&
         e->dependencies->members[id].left > 0;
}

uint32_t hc_dependencies_left(const hc_engine *e, hc_task id)
{
  if (!e->dependencies || !(e->tasks.live[id].bits & HC_LIVE_DEPENDS)) return 0;
  return e->dependencies->members[id].left;
}

static bool is_held(const hc_engine *e, hc_task id, uint64_t serial)
{
  return id < e->tasks.count && e->tasks.live[id].serial == serial && e->tasks.live[id].state == HC_TASK_HELD;
}

static hc_rc hang(hc_engine *e, hc_task id, uint32_t g, uint32_t how)
{
  hc_dependencies *k = e->dependencies;
  uint32_t at;
  TRY(HC_SLOT_TAKE(e->allocator, edge, next, k->edges, k->edge_count, k->edge_cap, k->vacant_edge, &at));
  k->edges[at] =
      (edge){.serial = e->tasks.live[id].serial, .waiter = id, .how = how, .next = k->groups[g].edges};
  k->groups[g].edges = at;
  k->members[id].left++;
  return 0;
}

/* Go through those who wait for a group that has changed. */
static hc_rc look_at(hc_engine *e, uint32_t g, hc_error *error)
{
  hc_dependencies *k = e->dependencies;
  uint32_t at = k->groups[g].edges, *from = &k->groups[g].edges;
  k->groups[g].changed = 0;
  while (at != NONE) {
    const edge it = k->edges[at];
    const bool held = is_held(e, it.waiter, it.serial);
    const verdict v = held ? ask(&k->groups[g], (hc_after_how)it.how) : SATISFIED;
    if (v == PENDING || v == MISSING) {
      from = &k->edges[at].next;
      at = it.next;
      continue;
    }
    *from = it.next;
    HC_SLOT_GIVE(edge, next, k->edges, k->vacant_edge, at);
    at = it.next;
    if (!held) continue;
    if (v == NEVER) TRY(hc_life_never(e, it.waiter, error));
    else if (--k->members[it.waiter].left == 0) TRY(hc_life_eligible(e, it.waiter, error));
  }
  if (k->groups[g].live == 0 && k->groups[g].arrived > 0) TRY(remember(e, g));
  return 0;
}

static hc_rc look_at_changed(hc_engine *e, hc_error *error)
{
  hc_dependencies *k = e->dependencies;
  for (size_t i = 0; i < k->changed_count; i++)
    TRY(look_at(e, k->changed[i], error)); /* which may add to them */
  k->changed_count = 0;
  return 0;
}

static hc_rc is_missing(hc_engine *e, hc_task id, uint32_t g, const hc_after *a, verdict *v, hc_error *error)
{
  e->counters.missing++;
  switch ((hc_missing)e->options->missing_predecessor) {
    case HC_MISSING_SATISFIED: *v = SATISFIED; break;
    case HC_MISSING_HOLD: *v = NEVER; break;
    case HC_MISSING_WAIT: *v = PENDING; return 0;
    case HC_MISSING_ERROR:
      if (a->task == HC_UNKNOWN)
        return hc_fail(
            error, HC_EINPUT, "dependencies", 0, 0,
            "task %lld waits for job %lld, which is not in the workload before it; set missing_predecessor",
            (long long)e->tasks.identities[id].id, (long long)a->job);
      return hc_fail(error, HC_EINPUT, "dependencies", 0, 0,
                     "task %lld waits for task %lld of job %lld, which is not in the workload before it; set "
                     "missing_predecessor",
                     (long long)e->tasks.identities[id].id, (long long)a->task, (long long)a->job);
  }
  if (e->dependencies->groups[g].edges == NONE) forget(e->dependencies, g);
  return 0;
}

/* A task of this round names those it waits for. @return 1 if it hangs on some task, 0 if it is settled. */
static hc_rc name_them(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_task_extras *more = hc_lexicon_more(e->lexicon, hc_cold_of(e, id)->more);
  const uint32_t source = e->tasks.live[id].source;
  hc_after of_item;
  bool never = false;
  for (size_t i = 0; i < more->after_count + more->input_count && !never; i++) {
    const hc_after *a = i < more->after_count ? &more->after[i] : &of_item;
    uint32_t g;
    verdict v;
    hc_rc rc = 1;
    if (a == &of_item) TRY(rc = hc_data_after(e, id, i - more->after_count, &of_item, error));
    if (rc == 0) continue;
    TRY(find_or_make(e, source, a->job, a->task, &g));
    v = ask(&e->dependencies->groups[g], (hc_after_how)a->how);
    if (v == MISSING) TRY(is_missing(e, id, g, a, &v, error));
    if (v == PENDING) TRY(hang(e, id, g, a->how));
    never = v == NEVER;
  }
  if (never) return hc_life_never(e, id, error);
  if (e->dependencies->members[id].left > 0) return 1;
  return hc_life_eligible(e, id, error);
}

/* ---- circles ---- */

/* A fresh task is not stuck: its groups have one less, and those who waited for them alone follow. */
static void free_one(hc_dependencies *k, hc_task id, hc_task *out, size_t *count)
{
  for (int i = 0; i < 2; i++) {
    const uint32_t own = k->members[id].own[i];
    if (own == NONE || k->groups[own].stuck == 0 || --k->groups[own].stuck > 0) continue;
    for (uint32_t at = k->groups[own].edges; at != NONE; at = k->edges[at].next) {
      member *m = &k->members[k->edges[at].waiter];
      if (m->fresh && m->blocked > 0 && --m->blocked == 0) out[(*count)++] = k->edges[at].waiter;
    }
  }
}

/* How many edges each of the round's tasks has to groups with tasks of the round. */
static void count_blocks(hc_engine *e, const hc_task *held, size_t n)
{
  hc_dependencies *k = e->dependencies;
  for (size_t i = 0; i < n; i++) {
    member *m = &k->members[held[i]];
    m->fresh = 1;
    m->blocked = 0;
    for (int o = 0; o < 2; o++)
      if (m->own[o] != NONE) k->groups[m->own[o]].stuck++;
  }
  for (size_t i = 0; i < n; i++) {
    for (int o = 0; o < 2; o++) {
      const uint32_t own = k->members[held[i]].own[o];
      if (own == NONE || k->groups[own].counted) continue;
      k->groups[own].counted = 1;
      for (uint32_t at = k->groups[own].edges; at != NONE; at = k->edges[at].next)
        if (is_held(e, k->edges[at].waiter, k->edges[at].serial)) k->members[k->edges[at].waiter].blocked++;
    }
  }
}

/* Take away the tasks that wait for no other of this round, again and again; what is left waits for itself.
 * */
static hc_rc break_circles(hc_engine *e, hc_task *held, size_t n, hc_error *error)
{
  hc_dependencies *k = e->dependencies;
  size_t done = 0, count = 0, left = 0;
  hc_task *free_ones = hc_arena_alloc(&e->scratch, n * sizeof *free_ones);
  uint64_t *serials = hc_arena_alloc(&e->scratch, n * sizeof *serials);
  if (!free_ones || !serials) return HC_ENOMEM;
  count_blocks(e, held, n);
  for (size_t i = 0; i < n; i++)
    if (k->members[held[i]].blocked == 0) free_ones[count++] = held[i];
  while (done < count) free_one(k, free_ones[done++], free_ones, &count);
  for (size_t i = 0; i < n; i++) {
    member *m = &k->members[held[i]];
    for (int o = 0; o < 2; o++)
      if (m->own[o] != NONE) k->groups[m->own[o]].stuck = k->groups[m->own[o]].counted = 0;
    m->fresh = 0;
    if (m->blocked == 0) continue;
    serials[left] = e->tasks.live[held[i]].serial;
    held[left++] = held[i];
    m->blocked = 0;
  }
  for (size_t i = 0; i < left; i++)
    if (is_held(e, held[i], serials[i])) TRY(hc_life_never(e, held[i], error));
  return 0;
}

static bool pending(const hc_engine *e)
{
  return e->dependencies->changed_count > 0 || e->dependencies->fresh_count > 0;
}

static hc_rc settle(hc_engine *e, hc_error *error)
{
  hc_dependencies *k = e->dependencies;
  size_t held = 0;
  TRY(look_at_changed(e, error));
  if (k->fresh_count == 0) return 0;
  for (size_t i = 0; i < k->fresh_count; i++) {
    const hc_task id = k->fresh[i];
    hc_rc rc;
    if (e->tasks.live[id].state != HC_TASK_HELD) continue;
    rc = name_them(e, id, error);
    if (rc < 0) return rc;
    if (rc == 1) k->fresh[held++] = id;
  }
  k->fresh_count = 0;
  if (held > 0) TRY(break_circles(e, k->fresh, held, error));
  return look_at_changed(e, error);
}

/* ---- birth, state and death ---- */

hc_rc hc_dependencies_new(hc_engine *e)
{
  hc_dependencies *k = hc_alloc(e->allocator, sizeof *k);
  if (!k) return HC_ENOMEM;
  k->vacant_group = k->vacant_edge = NONE;
  hc_set_init(&k->index, e->allocator);
  e->dependencies = k;
  return 0;
}

static void finish(hc_engine *e)
{
  hc_dependencies *k = e->dependencies;
  const hc_allocator *a = e->allocator;
  if (!k) return;
  hc_free(a, k->groups, k->group_cap * sizeof *k->groups);
  hc_free(a, k->edges, k->edge_cap * sizeof *k->edges);
  hc_free(a, k->members, k->member_cap * sizeof *k->members);
  hc_free(a, k->changed, k->changed_cap * sizeof *k->changed);
  hc_free(a, k->fresh, k->fresh_cap * sizeof *k->fresh);
  hc_free(a, k->ring, k->ring_cap * sizeof *k->ring);
  hc_set_fini(&k->index);
  hc_free(a, k, sizeof *k);
  e->dependencies = NULL;
}

/* The ring as it would stand if it had just been filled. */
static hc_rc visit_ring(hc_engine *e, hc_visitor *v)
{
  hc_dependencies *k = e->dependencies;
  uint64_t count = k->ring_count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    if (count > k->group_count) return HC_EINPUT;
    TRY(hc_reserve(e->allocator, (void **)&k->ring, &k->ring_cap, (size_t)count, sizeof *k->ring));
    k->ring_at = 0;
    k->ring_count = (size_t)count;
  }
  for (size_t i = 0; i < count; i++) HC_VISIT(v, k->ring[(k->ring_at + i) % k->ring_cap]);
  return 0;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  hc_dependencies *k = e->dependencies;
  size_t members = k ? HC_MIN(k->member_cap, e->tasks.count) : 0;
  if (!k) return 0;
  HC_VISIT(v, k->vacant_group);
  HC_VISIT(v, k->vacant_edge);
  HC_VISIT_ARRAY(v, k->groups, k->group_count, k->group_cap);
  HC_VISIT_ARRAY(v, k->edges, k->edge_count, k->edge_cap);
  HC_VISIT_ARRAY(v, k->members, members, k->member_cap);
  TRY(visit_ring(e, v));
  if (!hc_visit_loading(v)) return 0;
  if (!HC_SLOTS_ARE_SOUND(group, edges, k->groups, k->group_count, k->vacant_group) ||
      !HC_SLOTS_ARE_SOUND(edge, next, k->edges, k->edge_count, k->vacant_edge))
    return HC_EINPUT;
  k->changed_count = k->fresh_count = 0;
  for (size_t i = 0; i < k->group_count; i++)
    if (k->groups[i].used) TRY(hc_set_put(&k->index, keys_of(k), (uint32_t)i));
  return 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  if (n->kind == HC_ON_ARRIVED) return arrives(e, n->task);
  if (n->kind == HC_ON_STARTED) return starts(e, n->task);
  return n->kind == HC_ON_GONE ? ends(e, n->task, n->completed) : settle(e, n->error);
}

static bool wanted(const hc_engine *e)
{
  return e->dependencies != NULL;
}

const hc_part hc_part_dependencies = {.name = "dependencies",
                                      .wanted = wanted,
                                      .hears = HC_HEARS(ARRIVED) | HC_HEARS(STARTED) | HC_HEARS(GONE) |
                                               HC_HEARS(ARRIVALS),
                                      .on = on,
                                      .pending = pending,
                                      .visit = visit,
                                      .fini = finish};
