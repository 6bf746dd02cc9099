/* books.c -- see books.h.
 *
 * All is kept up as tasks come, start and end, so that a pass looks at what it needs and not at every host.
 * A job is believed to hold its nodes until its start, as Slurm stamps it in whole seconds, and its time
 * limit. Cost: O(nodes of the job) an event, and a move of the running jobs behind it. */
#include "policy/slurm/books.h"

#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/preempt.h"
#include "policy/slurm/sharing.h"
#include "policy/slurm/suspended.h"
#include "policy/slurm/tree.h"

#define FEW_NEW 16                         /* jobs that are put into a sorted queue one by one */
#define FIRST_PRIORITY INT64_C(4294901759) /* of priority/basic */

/* ---- birth ---- */

static int64_t weight_of(const hc_policy_context *c, const hc_host_class *k)
{
  const uint32_t name = c->lexicon ? hc_lexicon_name(c->lexicon, "weight", 6) : HC_NO_NAME;
  for (uint32_t i = 0; i < k->attribute_count; i++)
    if (k->attributes[i].name == name && !k->attributes[i].is_text) return k->attributes[i].value;
  return 1;
}

static hc_rc bits_new(hc_slurm_books *b, uint64_t **out)
{
  *out = hc_alloc(b->allocator, b->words * sizeof **out);
  return *out ? 0 : HC_ENOMEM;
}

static hc_rc add_partition(hc_slurm_books *b, const hc_policy_context *c, const hc_host_set *set,
                           const hc_conf *conf, hc_error *e)
{
  hc_slurm_partition *p = &b->partitions[b->partition_count++];
  *p = (hc_slurm_partition){.set = HC_NO_NAME, .tier = 1, .factor = 1, .max_time = HC_SLURM_UNLIMITED};
  TRY(bits_new(b, &p->nodes));
  if (!set) {
    for (uint32_t h = 0; h < b->nodes.count; h++) hc_bit_put(p->nodes, h, true);
    return 0;
  }
  p->set = hc_lexicon_name(c->lexicon, set->name, strlen(set->name));
  if (p->set == HC_NO_NAME) return HC_ENOMEM;
  if (set->max_time > 0 && set->max_time < HC_NEVER) p->max_time = set->max_time / HC_SECOND;
  for (size_t i = 0; i < set->host_count; i++)
    for (uint32_t h = 0; h < set->hosts[i].count; h++) hc_bit_put(p->nodes, set->hosts[i].first + h, true);
  return hc_slurm_partition_read(p, set->name, conf, b->allocator, e);
}

hc_rc hc_slurm_books_init(hc_slurm_books *b, const hc_policy_context *c, const hc_slurm_settings *settings,
                          const hc_conf *conf, hc_error *e)
{
  const hc_cell_spec *cell = c->cell;
  *b = (hc_slurm_books){.s = c->services,
                        .allocator = c->allocator,
                        .settings = settings,
                        .origin = c->unix_start == HC_UNKNOWN ? 0 : c->unix_start,
                        .words = (cell->units + 63) / 64,
                        .is_sorted = true,
                        .partition_cap = cell->set_count + 1};
  hc_slurm_arrays_init(&b->arrays, c->allocator);
  hc_slurm_hets_init(&b->hets, c->allocator);
  b->starting.task = HC_NO_TASK;
  b->ended.at = HC_NEVER;
  b->nodes.count = cell->units;
  b->weights = hc_alloc(c->allocator, cell->units * sizeof *b->weights);
  b->on = hc_alloc(c->allocator, cell->units * sizeof *b->on);
  b->partitions = hc_alloc(c->allocator, (cell->set_count + 1) * sizeof *b->partitions);
  if (!b->weights || !b->on || !b->partitions) return HC_ENOMEM;
  b->nodes.weight = b->weights;
  b->nodes.shared = b->shared;
  for (uint32_t h = 0; h < cell->units; h++) b->weights[h] = weight_of(c, &cell->classes[cell->class_of[h]]);
  TRY(bits_new(b, &b->idle));
  TRY(bits_new(b, &b->up));
  TRY(bits_new(b, &b->some));
  b->uniform = hc_alloc(c->allocator, b->words * sizeof *b->uniform);
  if (!b->uniform) return HC_ENOMEM;
  b->nodes.uniform = b->uniform;
  if (settings->has_tree) TRY(hc_slurm_tree_new(cell, c->allocator, &b->nodes.tree));
  for (uint32_t i = 0; i < cell->set_count; i++) TRY(add_partition(b, c, &cell->sets[i], conf, e));
  return add_partition(b, c, NULL, conf, e);
}

void hc_slurm_books_fini(hc_slurm_books *b)
{
  const hc_allocator *a = b->allocator;
  const size_t amounts = (size_t)b->nodes.count * b->nodes.dims;
  for (size_t i = 0; i < b->job_count; i++) {
    hc_free(a, b->jobs[i].hosts, b->jobs[i].host_cap * sizeof *b->jobs[i].hosts);
    hc_free(a, b->jobs[i].amounts, b->jobs[i].amount_cap * sizeof *b->jobs[i].amounts);
    hc_slurm_suspended_fini(&b->jobs[i], a);
    hc_slurm_sharing_fini(&b->jobs[i], a);
  }
  for (size_t i = 0; i < b->partition_count; i++)
    hc_free(a, b->partitions[i].nodes, b->words * sizeof *b->partitions[i].nodes);
  hc_slurm_tree_free(b->nodes.tree);
  hc_slurm_reservations_fini(&b->reservations);
  hc_slurm_arrays_fini(&b->arrays);
  hc_slurm_hets_fini(&b->hets);
  hc_free(a, b->ended.serials, b->ended.cap * sizeof *b->ended.serials);
  hc_free(a, b->free, amounts * sizeof *b->free);
  hc_free(a, b->capacity, amounts * sizeof *b->capacity);
  hc_free(a, b->on, b->nodes.count * sizeof *b->on);
  hc_free(a, b->idle, b->words * sizeof *b->idle);
  hc_free(a, b->up, b->words * sizeof *b->up);
  hc_free(a, b->some, b->words * sizeof *b->some);
  hc_free(a, b->uniform, b->words * sizeof *b->uniform);
  hc_free(a, b->weights, b->nodes.count * sizeof *b->weights);
  hc_free(a, b->partitions, b->partition_cap * sizeof *b->partitions);
  hc_free(a, b->queue, b->queue_cap * sizeof *b->queue);
  hc_free(a, b->merge, b->merge_cap * sizeof *b->merge);
  hc_free(a, b->places, b->place_cap * sizeof *b->places);
  hc_free(a, b->runs, b->run_cap * sizeof *b->runs);
  hc_free(a, b->vacancies, b->vacant_cap * sizeof *b->vacancies);
  hc_free(a, b->jobs, b->job_cap * sizeof *b->jobs);
  hc_free(a, b->by_end, b->by_end_cap * sizeof *b->by_end);
  hc_free(a, b->completing, b->completing_cap * sizeof *b->completing);
}

/* ---- nodes ---- */

void hc_slurm_books_look(hc_slurm_books *b, const hc_view *v)
{
  b->version++;
  for (uint32_t h = 0; h < b->nodes.count; h++) hc_bit_put(b->up, h, b->s->takes_new(v, h));
}

/* Are the 64 nodes of a word alike? */
static bool is_uniform(const hc_slurm_books *b, uint32_t word)
{
  const size_t first = (size_t)word * 64, row = b->nodes.dims * sizeof *b->capacity;
  if (first + 64 > b->nodes.count) return false;
  for (size_t h = first + 1; h < first + 64; h++)
    if (b->weights[h] != b->weights[first] ||
        memcmp(b->capacity + h * b->nodes.dims, b->capacity + first * b->nodes.dims, row) != 0)
      return false;
  return true;
}

static void find_largest(hc_slurm_books *b)
{
  b->largest = 0;
  for (uint32_t h = 0; h < b->nodes.count; h++)
    b->largest = HC_MAX(b->largest, b->capacity[(size_t)h * b->nodes.dims]);
}

/* Of each partition what each of its nodes has at least. */
static void find_least(hc_slurm_books *b)
{
  const uint32_t dims = b->nodes.dims;
  for (size_t i = 0; i < b->partition_count; i++) {
    hc_slurm_partition *p = &b->partitions[i];
    for (uint32_t d = 0; d < dims; d++) p->least[d] = INT64_MAX;
    for (uint32_t h = 0; h < b->nodes.count; h++)
      for (uint32_t d = 0; d < dims && hc_bit_is(p->nodes, h); d++)
        p->least[d] = HC_MIN(p->least[d], b->capacity[(size_t)h * dims + d]);
  }
}

hc_rc hc_slurm_books_capacity(hc_slurm_books *b, const hc_view *v)
{
  b->version++;
  for (uint32_t h = 0; b->is_open && h < b->nodes.count; h++) {
    const int64_t *now;
    (void)b->s->host_free(v, h, &now);
    for (uint32_t d = 0; d < b->nodes.dims; d++) {
      const size_t at = (size_t)h * b->nodes.dims + d;
      b->free[at] += now[d] - b->capacity[at];
      if (d == 0) b->sum += now[d] - b->capacity[at];
      b->capacity[at] = now[d];
    }
    hc_slurm_books_count(b, b->capacity[(size_t)h * b->nodes.dims]);
    b->owes |= b->free[(size_t)h * b->nodes.dims] < 0;
    hc_bit_put(b->some, h, b->free[(size_t)h * b->nodes.dims] > 0);
  }
  for (uint32_t w = 0; b->is_open && w < b->words; w++) b->uniform[w] = is_uniform(b, w);
  if (!b->is_open) return 0;
  find_largest(b);
  find_least(b);
  return hc_slurm_sharing_settle(b);
}

/* As if nothing had been heard yet. */
static hc_rc empty(hc_slurm_books *b, uint32_t dims)
{
  const size_t amounts = (size_t)b->nodes.count * dims;
  b->vacant_count = b->running_count = b->completing_count = b->suspended_count = 0;
  for (uint32_t i = (uint32_t)b->job_count; i-- > 0;) b->vacancies[b->vacant_count++] = i;
  for (size_t i = 0; i < b->place_cap; i++) b->places[i] = 0;
  for (size_t i = 0; i < b->run_cap; i++) b->runs[i] = 0;
  if (b->free) return 0;
  b->nodes.dims = dims;
  b->free = hc_alloc(b->allocator, amounts * sizeof *b->free);
  b->capacity = hc_alloc(b->allocator, amounts * sizeof *b->capacity);
  return b->free && b->capacity ? 0 : HC_ENOMEM;
}

/* Before the first task joins, nothing is on any node. */
static hc_rc open(hc_slurm_books *b, const hc_view *v)
{
  const uint32_t dims = b->s->dimensions(v);
  TRY(empty(b, dims));
  b->is_open = true;
  for (uint32_t d = 0; d < dims; d++) {
    b->shared[d] = b->s->is_shared(v, d);
    b->licences[d] = b->s->capacity(v, d);
  }
  for (uint32_t h = 0; h < b->nodes.count; h++) hc_bit_put(b->idle, h, true);
  b->nodes.capacity = b->capacity;
  TRY(hc_slurm_books_capacity(b, v));
  hc_slurm_books_look(b, v);
  return 0;
}

/* ---- the queue ---- */

/* Room for a task's number, 0 where there was none. */
static hc_rc reserve_by_task(hc_slurm_books *b, uint32_t **items, size_t *cap, hc_task t)
{
  const size_t before = *cap;
  TRY(hc_reserve(b->allocator, (void **)items, cap, (size_t)t + 1, sizeof **items));
  memset(*items + before, 0, (*cap - before) * sizeof **items);
  return 0;
}

static uint32_t partition_of(const hc_slurm_books *b, uint32_t set)
{
  for (size_t i = 0; i + 1 < b->partition_count; i++)
    if (b->partitions[i].set == set) return (uint32_t)i;
  return (uint32_t)b->partition_count - 1;
}

static int64_t limit_of(const hc_slurm_books *b, const hc_view *v, hc_task t, uint32_t partition)
{
  const hc_time asked = b->s->estimate(v, t);
  const int64_t most = b->partitions[partition].max_time;
  const int64_t given = b->partitions[partition].default_time;
  if (asked == HC_NEVER) return given > 0 ? HC_MIN(given, most) : most;
  return HC_MIN((asked + HC_SECOND - 1) / HC_SECOND, most);
}

/* A job that ran, ends and waits anew at the same instant was requeued: the credential of its first run has
 * to expire. */
static bool has_just_ended(const hc_slurm_books *b, const hc_view *v, uint64_t serial)
{
  for (size_t i = 0; b->ended.at == b->s->now(v) && i < b->ended.count; i++)
    if (b->ended.serials[i] == serial) return true;
  return false;
}

/* In how many partitions of its own a job stands in the queue: in those whose MaxTime its limit keeps to, or
 * if there are none in the first. @param out [1 + set_count] */
static size_t partitions_of(const hc_slurm_books *b, const hc_view *v, hc_task t, const hc_task_shape *shape,
                            uint32_t *out)
{
  const hc_time asked = b->s->estimate(v, t);
  size_t n = 0;
  out[0] = partition_of(b, shape->set);
  for (size_t i = 0; i < shape->set_count + 1 && shape->set_count > 0; i++) {
    const uint32_t part = i == 0 ? out[0] : partition_of(b, shape->sets[i - 1]);
    const int64_t most = b->partitions[part].max_time;
    if (i > 0 && part + 1 == b->partition_count) continue; /* the cell has no such partition */
    if (asked == HC_NEVER || asked / HC_SECOND <= most) out[n++] = part;
  }
  return HC_MAX(n, 1);
}

/* One more record of a job that is in the queue. */
static hc_rc join_one(hc_slurm_books *b, const hc_view *v, const hc_slurm_job *like, uint32_t partition)
{
  hc_slurm_job *x;
  TRY(hc_reserve(b->allocator, (void **)&b->queue, &b->queue_cap, b->queue_count + 1, sizeof *b->queue));
  x = &b->queue[b->queue_count];
  *x = *like;
  x->partition = partition;
  x->limit = limit_of(b, v, x->task, partition);
  x->sharing = hc_slurm_sharing_of(&b->partitions[partition], like->sharing);
  x->next = b->places[x->task];
  if (b->accounting && hc_slurm_accounting_ranks(b->accounting))
    x->priority = hc_slurm_accounting_priority(b->accounting, v, x->task, partition, b->s->now(v));
  b->places[x->task] = (uint32_t)++b->queue_count;
  return 0;
}

/* Where QOS preempt each other the order of the queue need not be an order: it is merged, as Slurm does. */
static bool is_merged(const hc_slurm_books *b)
{
  return b->settings->preempt.type == HC_SLURM_PREEMPT_QOS;
}

/* --switches: slurmctld looks at its nodes when it is submitted, and counts from then. A job that was
 * requeued has waited before. */
static void wait_for_switches(hc_slurm_books *b, hc_slurm_job *x, const hc_task_shape *shape)
{
  int64_t wait = b->settings->max_switch_wait;
  if (shape->switch_wait != HC_UNKNOWN) wait = HC_MIN(wait, shape->switch_wait / HC_SECOND);
  x->switches = shape->switches;
  x->switched = x->submitted + wait;
  b->latest_begin = HC_MAX(b->latest_begin, x->switched);
}

static hc_rc join(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  const hc_services *s = b->s;
  hc_task_shape shape;
  uint32_t parts[HC_TASK_SETS];
  hc_slurm_job one, *x = &one;
  s->shape(v, t, &shape);
  const size_t count = partitions_of(b, v, t, &shape, parts);
  uint32_t names[HC_TASK_RESERVATIONS];
  const uint32_t named = b->reservations.is_known ? shape.reservation : HC_NO_NAME;
  const size_t turns =
      hc_slurm_reservations_named(&b->reservations, named, hc_slurm_second(b, s->now(v)), names);
  const bool is_lost = t < b->run_cap && b->runs[t] > 0; /* while it was suspended */
  if (is_lost) hc_slurm_suspended_lose(b, v, b->runs[t] - 1);
  *x = (hc_slurm_job){.serial = s->serial(v, t),
                      .priority = FIRST_PRIORITY - (int64_t)s->serial(v, t),
                      .submitted = hc_slurm_second(b, s->submitted(v, t)),
                      .user = s->user(v, t),
                      .account = s->group(v, t),
                      .task = t,
                      .partition = parts[0],
                      .least = shape.least_limit / HC_SECOND,
                      .sharing = shape.exclusive,
                      .is_one_of = count * turns > 1};
  x->array = HC_NO_NAME;
  if (shape.component > 0) TRY(hc_slurm_hets_join(&b->hets, s->job(v, t), &x->het));
  if (is_lost || has_just_ended(b, v, x->serial)) {
    x->begin = hc_slurm_second(b, s->now(v)) + b->settings->cred_expire + 1;
    b->latest_begin = HC_MAX(b->latest_begin, x->begin);
  }
  if (x->begin == 0) {
    b->bounded += shape.switches > 0 && !b->nodes.tree;
    b->reservations.unread += !b->reservations.is_known && shape.reservation != HC_NO_NAME;
  }
  if (shape.switches > 0 && b->nodes.tree) wait_for_switches(b, x, &shape);
  x->qos = HC_SLURM_NONE;
  if (shape.at_once > 0) TRY(hc_slurm_arrays_join(&b->arrays, s->job(v, t), shape.at_once, &x->array));
  b->is_sorted = false;
  if (b->accounting) TRY(hc_slurm_accounting_join(b->accounting, v, t, x->partition));
  if (b->accounting) x->qos = hc_slurm_accounting_qos(b->accounting, t);
  TRY(reserve_by_task(b, &b->places, &b->place_cap, t));
  for (size_t i = 0; i < count * turns; i++) {
    x->turn = (uint32_t)(i % turns);
    x->reservation = names[x->turn];
    TRY(join_one(b, v, x, parts[i / turns]));
  }
  if (is_merged(b)) TRY(hc_reserve(b->allocator, (void **)&b->merge, &b->merge_cap, b->queue_cap, sizeof *x));
  return 0;
}

static void leave(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  uint32_t at = t < b->place_cap ? b->places[t] : 0;
  if (at == 0) return;
  if (b->accounting) hc_slurm_accounting_leave(b->accounting, v, t, b->queue[at - 1].partition);
  b->places[t] = 0;
  for (; at != 0; at = b->queue[at - 1].next) b->queue[at - 1].task = HC_NO_TASK;
  b->has_gone = true;
}

/* By what a job stands in the queue: by itself, or by its heterogeneous job. No padding. */
typedef struct standing {
  int64_t tier, priority;
  uint64_t serial;
} standing;

static inline standing own_standing(const hc_slurm_books *b, const hc_slurm_job *x)
{
  return (standing){b->partitions[x->partition].tier, x->priority, x->serial};
}

/* A component stands among jobs that are none of its heterogeneous job by all of these. */
static standing het_standing(const hc_slurm_books *b, const hc_slurm_job *x)
{
  if (x->het == 0) return own_standing(b, x);
  const hc_slurm_het *h = &b->hets.items[x->het - 1];
  return (standing){h->tier, h->priority, h->serial};
}

/* The least, the greatest or the mean over the records of each. */
static void rank_hets(hc_slurm_books *b)
{
  const hc_slurm_hetjob_prio how = b->settings->hetjob_prio;
  for (size_t i = 0; i < b->hets.count; i++) b->hets.items[i].records = 0;
  for (size_t i = 0; i < b->queue_count; i++) {
    const hc_slurm_job *x = &b->queue[i];
    if (x->task == HC_NO_TASK || x->het == 0) continue;
    hc_slurm_het *h = &b->hets.items[x->het - 1];
    const int64_t tier = b->partitions[x->partition].tier;
    const bool is_first = h->records++ == 0;
    h->serial = is_first ? x->serial : HC_MIN(h->serial, x->serial);
    if (is_first || how == HC_SLURM_HETJOB_AVG) {
      h->tier = (is_first ? 0 : h->tier) + tier;
      h->priority = (is_first ? 0 : h->priority) + x->priority;
      continue;
    }
    h->tier = how == HC_SLURM_HETJOB_MIN ? HC_MIN(h->tier, tier) : HC_MAX(h->tier, tier);
    h->priority =
        how == HC_SLURM_HETJOB_MIN ? HC_MIN(h->priority, x->priority) : HC_MAX(h->priority, x->priority);
  }
  for (size_t i = 0; i < b->hets.count && how == HC_SLURM_HETJOB_AVG; i++) {
    hc_slurm_het *h = &b->hets.items[i];
    if (h->records > 0) h->tier /= h->records, h->priority /= h->records;
  }
}

/* Preemptors before those they may preempt, those with a reservation before others, then by the tier of their
 * partition, priority, submission. */
static bool goes_before(const hc_slurm_books *b, const hc_slurm_job *x, const hc_slurm_job *y)
{
  if (is_merged(b)) {
    if (hc_slurm_preempt_qos(b, x->qos, x->priority, y->qos, y->priority)) return true;
    if (hc_slurm_preempt_qos(b, y->qos, y->priority, x->qos, x->priority)) return false;
  }
  const bool is_own = x->het == y->het || b->settings->hetjob_prio == HC_SLURM_HETJOB_OWN;
  const standing one = is_own ? own_standing(b, x) : het_standing(b, x),
                 other = is_own ? own_standing(b, y) : het_standing(b, y);
  if ((x->reservation != HC_NO_NAME) != (y->reservation != HC_NO_NAME)) return x->reservation != HC_NO_NAME;
  if (one.tier != other.tier) return one.tier > other.tier;
  if (one.priority != other.priority) return one.priority > other.priority;
  if (x->submitted != y->submitted) return x->submitted < y->submitted;
  if (one.serial != other.serial) return one.serial < other.serial;
  if (x->serial != y->serial) return x->serial < y->serial;
  return x->turn != y->turn ? x->turn < y->turn : x->partition < y->partition;
}

HC_SORT_OF(sort_queue, hc_slurm_job, goes_before(of, a, b))
HC_SORT(sort_serials, hc_slurm_job,
        a->serial != b->serial ? a->serial < b->serial
        : a->turn != b->turn   ? a->turn < b->turn
                               : a->partition < b->partition)
HC_SORT_STABLE_OF(merge_queue, hc_slurm_job, goes_before(of, a, b))

void hc_slurm_books_rank(hc_slurm_books *b, const hc_view *v, hc_time now)
{
  for (size_t i = 0; i < b->queue_count; i++) {
    hc_slurm_job *x = &b->queue[i];
    if (x->task != HC_NO_TASK)
      x->priority = hc_slurm_accounting_priority(b->accounting, v, x->task, x->partition, now);
  }
  b->sorted_count = 0;
  b->is_sorted = false;
}

/* A job that stands behind others that are sorted goes where it belongs. */
static void sink(hc_slurm_books *b, size_t at)
{
  const hc_slurm_job x = b->queue[at];
  size_t low = 0, high = at;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (goes_before(b, &x, &b->queue[mid])) high = mid;
    else low = mid + 1;
  }
  memmove(b->queue + low + 1, b->queue + low, (at - low) * sizeof x);
  b->queue[low] = x;
}

/* Where each record of the queue is. */
static void place(hc_slurm_books *b)
{
  for (size_t i = 0; i < b->queue_count; i++) b->places[b->queue[i].task] = 0;
  for (size_t i = b->queue_count; i-- > 0;) {
    b->queue[i].next = b->places[b->queue[i].task];
    b->places[b->queue[i].task] = (uint32_t)i + 1;
  }
}

void hc_slurm_books_sort(hc_slurm_books *b)
{
  size_t n = 0, sorted = 0;
  if (b->is_sorted && !b->has_gone) return;
  if (b->hets.count > 0 && b->settings->hetjob_prio != HC_SLURM_HETJOB_OWN) {
    rank_hets(b);
    b->sorted_count = 0;
  }
  for (size_t i = 0; i < b->queue_count; i++) {
    if (b->queue[i].task == HC_NO_TASK) continue;
    if (i < b->sorted_count) sorted++;
    if (n != i) b->queue[n] = b->queue[i];
    n++;
  }
  b->queue_count = n;
  if (is_merged(b)) {
    sort_serials(b->queue, n);
    merge_queue(b->queue, n, b->merge, b);
  } else if (n - sorted > FEW_NEW) sort_queue(b->queue, n, b);
  else
    for (size_t i = sorted; i < n; i++) sink(b, i);
  place(b);
  b->sorted_count = n;
  b->is_sorted = true;
  b->has_gone = false;
}

/* ---- running jobs ---- */

static bool ends_before(const hc_slurm_books *b, uint32_t i, uint32_t k)
{
  const hc_slurm_busy *x = &b->jobs[i], *y = &b->jobs[k];
  return x->end != y->end ? x->end < y->end : x->serial < y->serial;
}

static size_t rank(const hc_slurm_books *b, uint32_t i)
{
  size_t low = 0, high = b->running_count;
  while (low < high) {
    const size_t mid = low + (high - low) / 2;
    if (ends_before(b, b->by_end[mid], i)) low = mid + 1;
    else high = mid;
  }
  return low;
}

static hc_rc insert(hc_slurm_books *b, uint32_t i)
{
  const size_t at = rank(b, i);
  TRY(hc_reserve(b->allocator, (void **)&b->by_end, &b->by_end_cap, b->running_count + 1, sizeof *b->by_end));
  memmove(b->by_end + at + 1, b->by_end + at, (b->running_count - at) * sizeof *b->by_end);
  b->by_end[at] = i;
  b->running_count++;
  return 0;
}

/* A place in `jobs`: one that is vacant, or a new one. */
static hc_rc vacant(hc_slurm_books *b, uint32_t *out)
{
  if (b->vacant_count > 0) {
    *out = b->vacancies[--b->vacant_count];
    return 0;
  }
  TRY(hc_reserve(b->allocator, (void **)&b->jobs, &b->job_cap, b->job_count + 1, sizeof *b->jobs));
  b->jobs[b->job_count] = (hc_slurm_busy){.task = HC_NO_TASK};
  TRY(hc_reserve(b->allocator, (void **)&b->vacancies, &b->vacant_cap, b->job_count + 1,
                 sizeof *b->vacancies));
  *out = (uint32_t)b->job_count++;
  return 0;
}

/* Take it out of the order. */
static void remove_from(hc_slurm_books *b, uint32_t i)
{
  const size_t at = rank(b, i);
  b->running_count--;
  memmove(b->by_end + at, b->by_end + at + 1, (b->running_count - at) * sizeof *b->by_end);
}

/* Where a node is among those of a job, sought from `from` on and then before it; `nodes` if it is not. */
static uint32_t part_of(const hc_slurm_busy *x, uint32_t host, uint32_t from)
{
  for (uint32_t i = from; i < x->nodes; i++)
    if (x->hosts[i] == host) return i;
  for (uint32_t i = 0; i < from && i < x->nodes; i++)
    if (x->hosts[i] == host) return i;
  return x->nodes;
}

static hc_rc grow(hc_slurm_books *b, hc_slurm_busy *x, size_t by)
{
  TRY(hc_reserve(b->allocator, (void **)&x->hosts, &x->host_cap, x->nodes + by, sizeof *x->hosts));
  return hc_reserve(b->allocator, (void **)&x->amounts, &x->amount_cap, (x->nodes + by) * b->nodes.dims,
                    sizeof *x->amounts);
}

/* A job gets, or gives back, amounts of a node. @param is_new  it had nothing on that node
 * @return behind where it is among those of the job */
static uint32_t move_part(hc_slurm_books *b, hc_slurm_busy *x, const hc_holding *part, int64_t sign,
                          uint32_t from, bool is_new)
{
  const uint32_t dims = b->nodes.dims, i = is_new ? x->nodes : part_of(x, part->host, from);
  int64_t *mine = x->amounts + (size_t)i * dims, *free = b->free + (size_t)part->host * dims;
  if (i == x->nodes) {
    memset(mine, 0, dims * sizeof *mine);
    x->hosts[x->nodes++] = part->host;
    b->on[part->host]++;
    hc_bit_put(b->idle, part->host, false);
  }
  for (uint32_t d = 0; d < dims; d++) {
    mine[d] += sign * part->amount[d];
    free[d] -= sign * part->amount[d];
  }
  b->sum -= sign * part->amount[0];
  b->owes |= free[0] < 0;
  hc_slurm_books_count(b, part->amount[0]);
  hc_bit_put(b->some, part->host, free[0] > 0);
  return i + 1;
}

static bool is_nothing(const int64_t *amounts, uint32_t dims)
{
  for (uint32_t d = 0; d < dims; d++)
    if (amounts[d] != 0) return false;
  return true;
}

/* Nodes of which the job has nothing any more are not its own. */
static void leave_nodes(hc_slurm_books *b, hc_slurm_busy *x)
{
  const uint32_t dims = b->nodes.dims;
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->nodes; i++) {
    const int64_t *amounts = x->amounts + (size_t)i * dims;
    const uint32_t host = x->hosts[i];
    if (is_nothing(amounts, dims)) {
      hc_bit_put(b->idle, host, --b->on[host] == 0);
      continue;
    }
    x->hosts[n] = host;
    memmove(x->amounts + (size_t)n++ * dims, amounts, dims * sizeof *amounts);
  }
  x->nodes = n;
}

/* In which partition a job starts: that of its record; of one that ran before the run began the first of its
 * own that has its nodes. */
static uint32_t runs_in(const hc_slurm_books *b, const hc_view *v, hc_task t, const hc_task_shape *shape)
{
  const hc_holding *held;
  const uint32_t first = partition_of(b, shape->set);
  if (b->starting.task == t) return b->starting.partition;
  const size_t n = shape->set_count > 0 ? b->s->held(v, t, &held) : 0;
  for (size_t i = 0; i < shape->set_count + 1 && n > 0; i++) {
    const uint32_t part = i == 0 ? first : partition_of(b, shape->sets[i - 1]);
    size_t in = 0;
    while (in < n && hc_bit_is(b->partitions[part].nodes, held[in].host)) in++;
    if (in == n) return part;
  }
  return first;
}

/* Its limit, s; of one that starts with a limit of its own that. */
static int64_t believed_of(const hc_slurm_books *b, const hc_view *v, hc_task t, uint32_t partition)
{
  const bool is_cut = b->starting.task == t && b->starting.limit > 0;
  return is_cut ? b->starting.limit : limit_of(b, v, t, partition);
}

/* With which it starts; of what ran before, the order of submission. */
static int64_t priority_of(const hc_slurm_books *b, hc_task t, const hc_slurm_busy *x)
{
  if (b->starting.task == t) return b->starting.priority;
  if (t < b->place_cap && b->places[t] > 0) return b->queue[b->places[t] - 1].priority;
  return FIRST_PRIORITY - (int64_t)x->serial;
}

static hc_rc begin(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  hc_task_shape shape;
  uint32_t at, array;
  TRY(vacant(b, &at));
  TRY(reserve_by_task(b, &b->runs, &b->run_cap, t));
  b->s->shape(v, t, &shape);
  if (shape.at_once > 0) { /* what ran before was never queued */
    TRY(hc_slurm_arrays_join(&b->arrays, b->s->job(v, t), shape.at_once, &array));
    hc_slurm_arrays_count(&b->arrays, b->s->job(v, t), 1);
  }
  hc_slurm_busy *x = &b->jobs[at];
  x->serial = b->s->serial(v, t);
  x->task = t;
  x->freed = HC_NEVER;
  x->killed = 0;
  x->start = hc_slurm_second(b, b->s->now(v));
  x->partition = runs_in(b, v, t, &shape);
  x->user = b->s->user(v, t);
  x->sharing = hc_slurm_sharing_of(&b->partitions[x->partition], shape.exclusive);
  x->is_whole = shape.is_whole || x->sharing == HC_EXCLUSIVE_HOST;
  x->again = shape.again;
  b->owned += x->sharing == HC_EXCLUSIVE_USER;
  x->end = x->start + believed_of(b, v, t, x->partition);
  x->told = x->since = 0;
  x->rest_nodes = 0;
  x->qos = b->accounting ? hc_slurm_accounting_qos(b->accounting, t) : HC_SLURM_NONE;
  x->priority = priority_of(b, t, x);
  b->runs[t] = at + 1;
  return insert(b, at);
}

/* It has nothing any more. */
void hc_slurm_books_forget(hc_slurm_books *b, uint32_t at)
{
  remove_from(b, at);
  b->owned -= b->jobs[at].sharing == HC_EXCLUSIVE_USER;
  b->jobs[at].task = HC_NO_TASK;
  b->vacancies[b->vacant_count++] = at;
}

/* Is that all that it has, beside what it keeps from others? */
static bool is_all(const hc_slurm_books *b, const hc_slurm_busy *x, const hc_holding *held, size_t n)
{
  for (uint32_t d = 0; d < b->nodes.dims; d++) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum -= held[i].amount[d];
    for (uint32_t i = 0; i < x->nodes; i++) sum += x->amounts[(size_t)i * b->nodes.dims + d];
    for (uint32_t i = 0; i < x->rest_nodes; i++) sum -= x->rest[(size_t)i * b->nodes.dims + d];
    if (sum != 0) return false;
  }
  return true;
}

/* Among those whose nodes are still to be cleaned up, by when that is done. */
static void queue_up(hc_slurm_books *b, uint32_t at)
{
  size_t i = b->completing_count++;
  for (; i > 0 && b->jobs[b->completing[i - 1]].freed > b->jobs[at].freed; i--)
    b->completing[i] = b->completing[i - 1];
  b->completing[i] = at;
}

static hc_rc note_end(hc_slurm_books *b, hc_time now, uint64_t serial)
{
  if (b->ended.at != now) b->ended.count = 0;
  b->ended.at = now;
  TRY(hc_reserve(b->allocator, (void **)&b->ended.serials, &b->ended.cap, b->ended.count + 1,
                 sizeof *b->ended.serials));
  b->ended.serials[b->ended.count++] = serial;
  return 0;
}

/* It has ended; its nodes are still to be cleaned up. */
static hc_rc complete(hc_slurm_books *b, const hc_view *v, hc_task t)
{
  const uint32_t at = b->runs[t] - 1;
  hc_slurm_busy *x = &b->jobs[at];
  if (b->arrays.count > 0) hc_slurm_arrays_count(&b->arrays, b->s->job(v, t), -1);
  if (x->told > 0 || x->start < hc_slurm_second(b, b->s->now(v))) TRY(note_end(b, b->s->now(v), x->serial));
  TRY(hc_reserve(b->allocator, (void **)&b->completing, &b->completing_cap, b->completing_count + 1,
                 sizeof *b->completing));
  b->runs[t] = 0;
  remove_from(b, at);
  x->end = hc_slurm_second(b, b->s->now(v));
  b->has_polled |= x->told > 0 && x->told < hc_slurm_second(b, b->s->now(v));
  x->killed = x->told > 0 || b->s->is_killed(v, t);
  x->freed = hc_time_add(b->s->now(v), b->completes[x->killed]);
  queue_up(b, at);
  return insert(b, at);
}

bool hc_slurm_books_free(hc_slurm_books *b, hc_time now, hc_time *at, bool *killed)
{
  if (hc_slurm_books_next_free(b) > now) return false;
  b->version++;
  const uint32_t first = b->completing[0], dims = b->nodes.dims;
  hc_slurm_busy *x = &b->jobs[first];
  b->completing_count--;
  memmove(b->completing, b->completing + 1, b->completing_count * sizeof *b->completing);
  for (uint32_t i = 0; i < x->nodes; i++) {
    const uint32_t host = x->hosts[i];
    for (uint32_t d = 0; d < dims; d++) b->free[(size_t)host * dims + d] += x->amounts[(size_t)i * dims + d];
    b->sum += x->amounts[(size_t)i * dims];
    hc_bit_put(b->some, host, b->free[(size_t)host * dims] > 0);
    hc_bit_put(b->idle, host, --b->on[host] == 0);
  }
  *at = x->freed;
  *killed = x->killed != 0;
  x->nodes = x->rest_nodes = 0;
  hc_slurm_books_forget(b, first);
  return true;
}

hc_time hc_slurm_books_next_free(const hc_slurm_books *b)
{
  return b->completing_count > 0 ? b->jobs[b->completing[0]].freed : HC_NEVER;
}

void hc_slurm_books_move_end(hc_slurm_books *b, uint32_t at, int64_t end)
{
  remove_from(b, at);
  b->jobs[at].end = end;
  (void)insert(b, at); /* where there was one there is room */
  b->version++;
}

static hc_rc move(hc_slurm_books *b, const hc_view *v, hc_task t, int64_t sign)
{
  const hc_holding *held;
  const size_t n = b->s->held(v, t, &held);
  uint32_t from = 0;
  if (sign > 0 && (t >= b->run_cap || b->runs[t] == 0)) TRY(begin(b, v, t));
  if (t >= b->run_cap || b->runs[t] == 0) return 0;
  b->version++;
  const uint32_t at = b->runs[t] - 1;
  hc_slurm_busy *x = &b->jobs[at];
  if (sign < 0 && is_all(b, x, held, n)) return complete(b, v, t);
  hc_slurm_sharing_give(b, x);
  TRY(grow(b, x, n));
  /* As long as nodes come in their order to a job that has none before them, each is new to it. */
  bool is_new = x->nodes == 0;
  for (size_t i = 0; i < n; i++) {
    is_new = is_new && (i == 0 || held[i].host > held[i - 1].host);
    from = move_part(b, x, &held[i], sign, from, is_new);
  }
  leave_nodes(b, x);
  return hc_slurm_sharing_take(b, x);
}

/* Only what it gets when it starts, and what it gives back at its end, counts for its association. */
static hc_rc account(hc_slurm_books *b, const hc_view *v, hc_task t, int64_t sign)
{
  const hc_holding *held;
  const size_t n = b->s->held(v, t, &held);
  const bool runs = t < b->run_cap && b->runs[t] != 0;
  hc_task_shape shape;
  b->s->shape(v, t, &shape);
  const uint32_t part = runs ? b->jobs[b->runs[t] - 1].partition : runs_in(b, v, t, &shape);
  if (sign > 0 && !runs) {
    int64_t rest[2] = {0, 0};
    if (hc_slurm_sharing_of(&b->partitions[part], shape.exclusive) == HC_EXCLUSIVE_HOST)
      hc_slurm_sharing_rest(b, v, held, n, rest);
    hc_slurm_accounting_whole(b->accounting, t, rest);
    return hc_slurm_accounting_begin(b->accounting, v, t, part, held, n,
                                     believed_of(b, v, t, part) * HC_SECOND);
  }
  if (sign < 0 && runs && is_all(b, &b->jobs[b->runs[t] - 1], held, n))
    hc_slurm_accounting_end(b->accounting, v, t, part, held, n);
  return 0;
}

static hc_rc claim(hc_slurm_books *b, const hc_view *v, hc_task t, const int64_t *amounts, int64_t sign)
{
  if (b->is_changing) return hc_slurm_suspended_hear(b, v, t, amounts, sign);
  if (b->accounting) TRY(account(b, v, t, sign));
  for (uint32_t d = 0; d < b->nodes.dims; d++)
    if (b->shared[d]) b->licences[d] -= sign * amounts[d];
  return move(b, v, t, sign);
}

hc_rc hc_slurm_books_hear(hc_slurm_books *b, const hc_view *v, hc_task_event what, hc_task t,
                          const int64_t *amounts)
{
  if (!b->is_open) TRY(open(b, v));
  switch (what) {
    case HC_TASK_EVENT_QUEUED: return join(b, v, t);
    case HC_TASK_EVENT_DEQUEUED: leave(b, v, t); return 0;
    case HC_TASK_EVENT_ALLOCATED: return claim(b, v, t, amounts, 1);
    case HC_TASK_EVENT_RELEASED: return claim(b, v, t, amounts, -1);
  }
  return 0;
}

/* ---- state ---- */

static hc_rc visit_nodes(hc_slurm_books *b, hc_visitor *v)
{
  const size_t amounts = (size_t)b->nodes.count * b->nodes.dims;
  TRY(hc_visit_bytes(v, b->free, amounts * sizeof *b->free));
  TRY(hc_visit_bytes(v, b->capacity, amounts * sizeof *b->capacity));
  TRY(hc_visit_bytes(v, b->on, b->nodes.count * sizeof *b->on));
  TRY(hc_visit_bytes(v, b->idle, b->words * sizeof *b->idle));
  TRY(hc_visit_bytes(v, b->some, b->words * sizeof *b->some));
  TRY(hc_visit_bytes(v, b->uniform, b->words * sizeof *b->uniform));
  TRY(hc_visit_bytes(v, b->up, b->words * sizeof *b->up));
  HC_VISIT(v, b->sum);
  HC_VISIT(v, b->shared);
  return hc_visit_bytes(v, b->licences, sizeof b->licences);
}

/* By their ranks in the order of ends, which are those of the places that loading gives them. */
static hc_rc visit_completing(hc_slurm_books *b, hc_visitor *v)
{
  size_t count = b->completing_count;
  HC_VISIT(v, count);
  if (hc_visit_loading(v)) {
    TRY(hc_reserve(b->allocator, (void **)&b->completing, &b->completing_cap, count, sizeof *b->completing));
    b->completing_count = count;
  }
  for (size_t i = 0; i < count; i++) {
    size_t at = hc_visit_loading(v) ? 0 : rank(b, b->completing[i]);
    HC_VISIT(v, at);
    if (at >= b->running_count) return HC_EINPUT;
    if (hc_visit_loading(v)) b->completing[i] = b->by_end[at];
  }
  return 0;
}

/* Each running job, in the order of their ends. */
static hc_rc visit_running(hc_slurm_books *b, hc_visitor *v)
{
  size_t count = b->running_count;
  HC_VISIT(v, count);
  for (size_t i = 0; i < count; i++) {
    uint32_t at = i < b->running_count ? b->by_end[i] : 0;
    if (hc_visit_loading(v)) TRY(vacant(b, &at));
    hc_slurm_busy *x = &b->jobs[at];
    size_t hosts = x->nodes, amounts = hosts * b->nodes.dims;
    HC_VISIT(v, x->serial);
    HC_VISIT(v, x->start);
    HC_VISIT(v, x->end);
    HC_VISIT(v, x->freed);
    HC_VISIT(v, x->killed);
    HC_VISIT(v, x->told);
    HC_VISIT(v, x->priority);
    HC_VISIT(v, x->partition);
    HC_VISIT(v, x->qos);
    HC_VISIT(v, x->is_whole);
    HC_VISIT(v, x->again);
    HC_VISIT(v, x->task);
    HC_VISIT_ARRAY(v, x->hosts, hosts, x->host_cap);
    HC_VISIT_ARRAY(v, x->amounts, amounts, x->amount_cap);
    TRY(hc_slurm_suspended_visit(b, x, v));
    TRY(hc_slurm_sharing_visit(b, x, v));
    if (!hc_visit_loading(v)) continue;
    x->nodes = (uint32_t)hosts;
    for (size_t k = 0; k < hosts; k++) hc_slurm_books_count(b, x->amounts[k * b->nodes.dims]);
    TRY(insert(b, at));
    if (x->freed != HC_NEVER) continue;
    TRY(reserve_by_task(b, &b->runs, &b->run_cap, x->task));
    b->runs[x->task] = at + 1;
  }
  return visit_completing(b, v);
}

hc_rc hc_slurm_books_visit(hc_slurm_books *b, hc_visitor *v)
{
  uint32_t dims = b->nodes.dims;
  if (!hc_visit_loading(v)) hc_slurm_books_sort(b);
  HC_VISIT(v, b->is_open);
  HC_VISIT(v, dims);
  if (!b->is_open) return 0;
  if (hc_visit_loading(v)) TRY(empty(b, dims));
  TRY(visit_nodes(b, v));
  TRY(hc_slurm_arrays_visit(&b->arrays, v));
  TRY(hc_slurm_hets_visit(&b->hets, v));
  HC_VISIT(v, b->ended.at);
  HC_VISIT(v, b->latest_begin);
  HC_VISIT(v, b->bounded);
  TRY(hc_slurm_reservations_visit(&b->reservations, v));
  HC_VISIT_ARRAY(v, b->ended.serials, b->ended.count, b->ended.cap);
  if (hc_visit_loading(v)) {
    find_largest(b);
    find_least(b);
    b->nodes.capacity = b->capacity;
    b->owned = 0;
  }
  for (uint32_t h = 0; hc_visit_loading(v) && h < b->nodes.count; h++) {
    hc_slurm_books_count(b, b->capacity[(size_t)h * b->nodes.dims]);
    hc_slurm_books_count(b, b->free[(size_t)h * b->nodes.dims]);
    b->owes |= b->free[(size_t)h * b->nodes.dims] < 0;
  }
  b->version++;
  HC_VISIT_ARRAY(v, b->queue, b->queue_count, b->queue_cap);
  TRY(hc_reserve(b->allocator, (void **)&b->merge, &b->merge_cap, b->queue_cap, sizeof *b->merge));
  b->sorted_count = b->queue_count;
  b->is_sorted = true;
  for (size_t i = 0; hc_visit_loading(v) && i < b->queue_count; i++)
    TRY(reserve_by_task(b, &b->places, &b->place_cap, b->queue[i].task));
  if (hc_visit_loading(v)) place(b);
  return visit_running(b, v);
}

/* ---- what a job asks ---- */

bool hc_slurm_ask_of(const hc_slurm_books *b, const hc_view *v, hc_task t, int64_t *need, hc_slurm_ask *out)
{
  hc_task_shape shape;
  b->s->shape(v, t, &shape);
  for (uint32_t d = 0; d < b->nodes.dims; d++) need[d] = b->s->demand(v, t, d);
  *out = (hc_slurm_ask){.need = need,
                        .slots = (uint32_t)shape.slots,
                        .least = shape.least_hosts,
                        .most = shape.most_hosts,
                        .is_spread = shape.is_spread,
                        .is_whole = shape.is_whole};
  return !shape.has_rules;
}

void hc_slurm_may(const hc_slurm_books *b, const hc_view *v, hc_task t, uint64_t *mask)
{
  for (uint32_t w = 0; w < b->words; w++)
    for (uint64_t bits = mask[w]; bits != 0; bits &= bits - 1) {
      const uint32_t host = w * 64 + (uint32_t)__builtin_ctzll(bits);
      if (!b->s->could_slot(v, t, host)) hc_bit_put(mask, host, false);
    }
}
