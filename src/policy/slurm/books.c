/* books.c -- see books.h.
 *
 * All is kept up as tasks come, start and end, so that a pass looks at what it needs and not at every host.
 * A job is believed to hold its nodes until its start, as Slurm stamps it in whole seconds, and its time
 * limit. Here are the nodes, and what is heard of tasks; queue.c has the jobs that wait, running.c those
 * that run. */
#include "policy/slurm/books.h"

#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/slurm/bits.h"
#include "policy/slurm/books_parts.h"
#include "policy/slurm/cores.h"
#include "policy/slurm/shares.h"
#include "policy/slurm/sharing.h"
#include "policy/slurm/slices.h"
#include "policy/slurm/suspended.h"
#include "policy/slurm/tree.h"

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
  *p = (hc_slurm_partition){
      .set = HC_NO_NAME, .tier = 1, .factor = 1, .max_time = HC_SLURM_UNLIMITED, .rows = 1};
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
  TRY(add_partition(b, c, NULL, conf, e));
  TRY(hc_slurm_shares_init(b, conf, cell, e));
  return hc_slurm_slices_init(b);
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
  hc_slurm_cores_fini(b);
  hc_slurm_shares_fini(b);
  hc_slurm_slices_fini(b);
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

/* Are the nodes of a word alike? */
static bool is_uniform(const hc_slurm_books *b, uint32_t word)
{
  const size_t first = (size_t)word * 64, row = b->nodes.dims * sizeof *b->capacity;
  for (size_t h = first + 1; h < HC_MIN(first + 64, b->nodes.count); h++)
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
      const int64_t has = hc_slurm_shares_has(b, h, d, now[d]);
      b->free[at] += has - b->capacity[at];
      if (d == 0) b->sum += has - b->capacity[at];
      b->capacity[at] = has;
    }
    hc_slurm_books_count(b, b->capacity[(size_t)h * b->nodes.dims]);
    b->owes |= b->free[(size_t)h * b->nodes.dims] < 0;
    hc_bit_put(b->some, h, b->free[(size_t)h * b->nodes.dims] > 0);
  }
  for (uint32_t w = 0; b->is_open && w < b->words; w++) b->uniform[w] = is_uniform(b, w);
  if (!b->is_open) return 0;
  find_largest(b);
  find_least(b);
  TRY(hc_slurm_cores_open(b));
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
  hc_slurm_slices_empty(b);
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
    if (b->settings->preempt.gang && b->s->dimension_id(v, d) == HC_DIM_MEMORY) b->memory = d;
    b->shared[d] = b->s->is_shared(v, d);
    b->licences[d] = b->s->capacity(v, d);
  }
  for (uint32_t h = 0; h < b->nodes.count; h++) hc_bit_put(b->idle, h, true);
  b->nodes.capacity = b->capacity;
  TRY(hc_slurm_books_capacity(b, v));
  hc_slurm_books_look(b, v);
  return 0;
}

/* ---- what jobs are known by ---- */

hc_rc hc_slurm_books_by_task(hc_slurm_books *b, uint32_t **items, size_t *cap, hc_task t)
{
  const size_t before = *cap;
  TRY(hc_reserve(b->allocator, (void **)items, cap, (size_t)t + 1, sizeof **items));
  memset(*items + before, 0, (*cap - before) * sizeof **items);
  return 0;
}

uint32_t hc_slurm_books_part(const hc_slurm_books *b, uint32_t set)
{
  for (size_t i = 0; i + 1 < b->partition_count; i++)
    if (b->partitions[i].set == set) return (uint32_t)i;
  return (uint32_t)b->partition_count - 1;
}

int64_t hc_slurm_books_limit(const hc_slurm_books *b, const hc_view *v, hc_task t, uint32_t partition)
{
  const hc_time asked = b->s->estimate(v, t);
  const int64_t most = b->partitions[partition].max_time;
  const int64_t given = b->partitions[partition].default_time;
  if (asked == HC_NEVER) return given > 0 ? HC_MIN(given, most) : most;
  return HC_MIN((asked + HC_SECOND - 1) / HC_SECOND, most);
}

hc_rc hc_slurm_books_hear(hc_slurm_books *b, const hc_view *v, hc_task_event what, hc_task t,
                          const int64_t *amounts)
{
  if (!b->is_open) TRY(open(b, v));
  switch (what) {
    case HC_TASK_EVENT_QUEUED: return hc_slurm_queue_join(b, v, t);
    case HC_TASK_EVENT_DEQUEUED: hc_slurm_queue_leave(b, v, t); return 0;
    case HC_TASK_EVENT_ALLOCATED: return hc_slurm_running_claim(b, v, t, amounts, 1);
    case HC_TASK_EVENT_RELEASED: return hc_slurm_running_claim(b, v, t, amounts, -1);
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
  HC_VISIT(v, b->memory);
  return hc_visit_bytes(v, b->licences, sizeof b->licences);
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
    TRY(hc_slurm_cores_open(b));
  }
  for (uint32_t h = 0; hc_visit_loading(v) && h < b->nodes.count; h++) {
    hc_slurm_books_count(b, b->capacity[(size_t)h * b->nodes.dims]);
    hc_slurm_books_count(b, b->free[(size_t)h * b->nodes.dims]);
    b->owes |= b->free[(size_t)h * b->nodes.dims] < 0;
  }
  b->version++;
  TRY(hc_slurm_queue_visit(b, v));
  return hc_slurm_running_visit(b, v);
}
