/* workflow.c -- all tasks that are there, as a planner of workflows sees them: which waits for which, and
 * what it reads.
 *
 * A policy sees its queue, and what waits for others is in none; here it is shown with the rest, made anew
 * at each question from what tasks name. What a task waits for is a *feed*: a task that is there, for each
 * name and each item; what is over and what has not arrived have none, and a task that waits for the latter
 * is `is_open`. Cost: O(live tasks log live tasks + feeds). */
#include <stdlib.h>

#include "base/util.h"
#include "engine/data.h"
#include "engine/demand.h"
#include "engine/dependencies.h"
#include "engine/plan.h"
#include "engine/tasks.h"

#define FEEDS_MOST ((size_t)1 << 31)

/* A task by what others call it. */
typedef struct called {
  int64_t job, id;
  uint32_t source, at;
} called;

typedef struct listing {
  hc_engine *e;
  hc_workflow_task *tasks;
  called *names; /* [count] sorted */
  size_t count;
  hc_feed *feeds; /* NULL: they are counted */
  size_t feed_count;
} listing;

static int by_name(const void *a, const void *b)
{
  const called *x = a, *y = b;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  if (x->job != y->job) return x->job < y->job ? -1 : 1;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static int by_serial(const void *a, const void *b)
{
  const hc_workflow_task *x = a, *y = b;
  return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static bool is_there(const hc_live *t)
{
  switch ((hc_task_state)t->state) {
    case HC_TASK_HELD:
    case HC_TASK_ARRIVED:
    case HC_TASK_WAITING:
    case HC_TASK_RUNNING:
    case HC_TASK_SUSPENDED: return true;
    default: return false;
  }
}

/* The first name that is not below. */
static size_t first_name(const listing *l, const called *key)
{
  size_t low = 0, high = l->count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (by_name(&l->names[mid], key) < 0) low = mid + 1;
    else high = mid;
  }
  return low;
}

static void add_feed(listing *l, const hc_feed *f)
{
  if (l->feeds) l->feeds[l->feed_count] = *f;
  l->feed_count++;
}

/* A feed for each task of that name, or of that job. @return how many */
static uint32_t feed_from(listing *l, const hc_workflow_task *t, const hc_after *a, int64_t bytes)
{
  const uint32_t source = l->e->tasks.live[t->task].source;
  const bool all = a->task == HC_UNKNOWN;
  const called key = {.job = a->job, .id = all ? INT64_MIN : a->task, .source = source};
  uint32_t found = 0;
  for (size_t i = first_name(l, &key); i < l->count; i++) {
    const called *n = &l->names[i];
    if (n->source != source || n->job != a->job || (!all && n->id != a->task)) break;
    if (&l->tasks[n->at] == t) continue;
    add_feed(l, &(hc_feed){.from = n->at, .host = HC_NO_HOST, .bytes = bytes});
    found++;
  }
  return found;
}

static void feeds_of(listing *l, hc_workflow_task *t)
{
  const uint32_t more = hc_cold_of(l->e, t->task)->more;
  const hc_task_extras *m = more != 0 ? hc_lexicon_more(l->e->lexicon, more) : NULL;
  uint32_t known = 0;
  t->first = (uint32_t)l->feed_count;
  for (size_t i = 0; m && !t->runs && i < m->after_count; i++)
    if (m->after[i].how != HC_AFTER_ARRIVED) known += feed_from(l, t, &m->after[i], 0) > 0;
  for (size_t i = 0; m && !t->runs && i < m->input_count; i++) {
    const hc_data_input in = hc_data_input_of(l->e, t->task, i);
    const hc_after a = {.job = t->job, .task = in.maker};
    const bool is_live = in.is_made && feed_from(l, t, &a, in.bytes) > 0;
    known += is_live;
    if (!is_live)
      add_feed(l, &(hc_feed){.from = HC_NO_FEED, .host = hc_data_lies(l->e, in.item), .bytes = in.bytes});
  }
  t->feeds = (uint32_t)(l->feed_count - t->first);
  t->is_open = hc_dependencies_left(l->e, t->task) > known;
}

static bool list_tasks(listing *l)
{
  hc_engine *e = l->e;
  for (size_t i = 0; i < e->tasks.count; i++) l->count += is_there(&e->tasks.live[i]);
  l->tasks = hc_arena_alloc(&e->scratch, (l->count + 1) * sizeof *l->tasks);
  l->names = hc_arena_alloc(&e->scratch, (l->count + 1) * sizeof *l->names);
  if (!l->tasks || !l->names) return false;
  size_t n = 0;
  for (size_t i = 0; i < e->tasks.count; i++) {
    const hc_live *t = &e->tasks.live[i];
    if (!is_there(t)) continue;
    l->tasks[n++] = (hc_workflow_task){.serial = t->serial,
                                       .job = hc_cold_of(e, (hc_task)i)->job,
                                       .makes = hc_data_makes(e, (hc_task)i),
                                       .task = (hc_task)i,
                                       .runs = t->state == HC_TASK_RUNNING || t->state == HC_TASK_SUSPENDED,
                                       .waits = t->state == HC_TASK_WAITING};
  }
  if (n > 1) qsort(l->tasks, n, sizeof *l->tasks, by_serial);
  for (size_t i = 0; i < n; i++)
    l->names[i] = (called){l->tasks[i].job, e->tasks.identities[l->tasks[i].task].id,
                           e->tasks.live[l->tasks[i].task].source, (uint32_t)i};
  if (n > 1) qsort(l->names, n, sizeof *l->names, by_name);
  return true;
}

const hc_workflow *hc_view_workflow(hc_view *v)
{
  hc_engine *e = v->engine;
  listing l = {.e = e};
  hc_workflow *out = hc_arena_alloc(&e->scratch, sizeof *out);
  if (!out || !list_tasks(&l)) return NULL;
  for (size_t i = 0; i < l.count; i++) feeds_of(&l, &l.tasks[i]); /* counted */
  if (l.feed_count >= FEEDS_MOST) return NULL;
  l.feeds = hc_arena_alloc(&e->scratch, (l.feed_count + 1) * sizeof *l.feeds);
  if (!l.feeds) return NULL;
  l.feed_count = 0;
  for (size_t i = 0; i < l.count; i++) feeds_of(&l, &l.tasks[i]);
  *out = (hc_workflow){l.tasks, l.feeds, l.count, l.feed_count};
  return out;
}

double hc_view_takes(const hc_view *v, uint32_t from, uint32_t to, double bytes)
{
  return hc_data_between(v->engine, from, to, bytes);
}

static bool could(const hc_view *v, hc_task t, uint32_t host, bool slot)
{
  const hc_engine *e = v->engine;
  if (!e->cell.hosts || host >= e->cell_spec.units || t >= e->tasks.count) return false;
  hc_request r = hc_request_of(e, t);
  if (slot) r.slots = 1;
  return hc_hosts_is_up(e->cell.hosts, host) && hc_hosts_could_on(e->cell.hosts, &r, host);
}

bool hc_view_could(const hc_view *v, hc_task t, uint32_t host)
{
  return could(v, t, host, false);
}

bool hc_view_could_slot(const hc_view *v, hc_task t, uint32_t host)
{
  return could(v, t, host, true);
}
