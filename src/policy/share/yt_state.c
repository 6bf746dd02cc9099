/* yt_state.c -- what the policy yt has in mind, saved, loaded and hashed. See policy/share/yt.h.
 *
 * Operations keep their slots, whose numbers others know them by. Tasks that wait are one list, operation by operation,
 * shape by shape. What follows from the configuration and the cell is not saved. Bytes are laid out without gaps. */
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "policy/share/yt.h"

typedef struct saved_operation {
  uint64_t key;
  int64_t job, user;
  uint64_t birth, running;
  int64_t used[HC_DIMENSIONS], pending[HC_DIMENSIONS];
  double weight, satisfaction, best[HC_DIMENSIONS];
  hc_time below_since;
  uint32_t pool, node, next;
  uint8_t is_here, is_known, is_changed, is_listed, is_gang, padding[7];
} saved_operation;

typedef struct saved_waiter {
  uint64_t rank, serial;
  uint32_t task, op;
  int64_t need[HC_DIMENSIONS], units;
} saved_waiter;

typedef struct saved_state {
  saved_operation *ops;
  size_t op_count, op_cap;
  saved_waiter *waiters;
  size_t waiter_count, waiter_cap;
} saved_state;

static void pack_operation(const hc_yt_operation *o, saved_operation *out)
{
  memset(out, 0, sizeof *out);
  out->key = o->key;
  out->job = o->job;
  out->user = o->user;
  out->birth = o->birth;
  out->running = o->running;
  memcpy(out->used, o->used, sizeof out->used);
  memcpy(out->pending, o->pending, sizeof out->pending);
  out->weight = o->weight;
  out->satisfaction = o->satisfaction;
  memcpy(out->best, o->best, sizeof out->best);
  out->below_since = o->below_since;
  out->pool = o->pool;
  out->node = o->node;
  out->next = o->next;
  out->is_here = o->is_here;
  out->is_known = o->is_known;
  out->is_changed = o->is_changed;
  out->is_listed = o->is_listed;
  out->is_gang = o->is_gang;
}

static hc_yt_operation unpack_operation(const saved_operation *in)
{
  hc_yt_operation o = {.key = in->key,
                       .job = in->job,
                       .user = in->user,
                       .birth = in->birth,
                       .running = in->running,
                       .weight = in->weight,
                       .satisfaction = in->satisfaction,
                       .below_since = in->below_since,
                       .pool = in->pool,
                       .node = in->node,
                       .next = in->next,
                       .is_here = in->is_here != 0,
                       .is_known = in->is_known != 0,
                       .is_changed = in->is_changed != 0,
                       .is_listed = in->is_listed != 0,
                       .is_gang = in->is_gang != 0};
  memcpy(o.used, in->used, sizeof o.used);
  memcpy(o.best, in->best, sizeof o.best);
  for (int d = 0; d < HC_DIMENSIONS; d++) o.least[d] = INT64_MAX;
  return o;
}

static hc_rc pack(const hc_yt *y, saved_state *x)
{
  const hc_allocator *a = y->allocator;
  TRY(hc_reserve(a, (void **)&x->ops, &x->op_cap, y->op_count, sizeof *x->ops));
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    pack_operation(o, &x->ops[x->op_count++]);
    for (size_t k = 0; k < o->shape_count; k++) {
      const hc_yt_shape *s = &o->shapes[k];
      TRY(hc_reserve(a, (void **)&x->waiters, &x->waiter_cap, x->waiter_count + s->count,
                     sizeof *x->waiters));
      for (size_t n = 0; n < s->count; n++) {
        const hc_yt_waiter *w = &s->line[s->first + n];
        saved_waiter *to = &x->waiters[x->waiter_count++];
        memset(to, 0, sizeof *to);
        to->rank = w->rank;
        to->serial = w->serial;
        to->task = w->task;
        to->op = i;
        memcpy(to->need, s->need, sizeof to->need);
        to->units = s->units;
      }
    }
  }
  return 0;
}

static bool is_sound(const hc_yt *y, const saved_state *x)
{
  for (size_t i = 0; i < x->op_count; i++) {
    const saved_operation *o = &x->ops[i];
    if (o->pool >= y->pool_count || (o->is_here && o->node != HC_POOL_NONE && o->node >= y->tree.count) ||
        (!o->is_here && o->next != HC_YT_NONE && o->next >= x->op_count))
      return false;
  }
  for (size_t i = 0; i < x->waiter_count; i++)
    if (x->waiters[i].op >= x->op_count || !x->ops[x->waiters[i].op].is_here) return false;
  for (size_t i = 0; i < y->line_count; i++)
    if (y->line[i] >= x->op_count) return false;
  for (size_t i = 0; i < y->changed_count; i++)
    if (y->changed[i] >= x->op_count) return false;
  for (size_t i = 0; i < y->held_count; i++)
    if (y->held_back[i] >= x->op_count) return false;
  return y->vacant == HC_YT_NONE || y->vacant < x->op_count;
}

static void drop_operations(hc_yt *y)
{
  const hc_allocator *a = y->allocator;
  for (size_t i = 0; i < y->op_count; i++) {
    hc_yt_operation *o = &y->ops[i];
    for (size_t k = 0; k < o->shape_count; k++)
      hc_free(a, o->shapes[k].line, o->shapes[k].cap * sizeof *o->shapes[k].line);
    hc_free(a, o->shapes, o->shape_cap * sizeof *o->shapes);
  }
  y->op_count = 0;
}

static hc_rc unpack(hc_yt *y, const saved_state *x)
{
  if (!is_sound(y, x)) return HC_EINPUT;
  drop_operations(y);
  hc_map_fini(&y->index);
  hc_map_init(&y->index, y->allocator);
  TRY(hc_reserve(y->allocator, (void **)&y->ops, &y->op_cap, x->op_count, sizeof *y->ops));
  y->here = y->waiting = 0;
  for (uint32_t i = 0; i < x->op_count; i++) {
    y->ops[y->op_count++] = unpack_operation(&x->ops[i]);
    if (!x->ops[i].is_here) continue;
    y->here++;
    TRY(hc_map_set(&y->index, x->ops[i].key, i));
  }
  for (size_t i = 0; i < x->waiter_count; i++) {
    const saved_waiter *w = &x->waiters[i];
    const hc_yt_waiter one = {.rank = w->rank, .serial = w->serial, .task = w->task};
    TRY(hc_yt_join(y, &y->ops[w->op], w->need, w->units, &one));
  }
  return 0;
}

static hc_rc visit_pools(hc_yt *y, hc_visitor *v)
{
  for (size_t i = 0; i < y->pool_count; i++) {
    hc_yt_pool *p = &y->pools[i];
    HC_VISIT(v, p->operations);
    HC_VISIT(v, p->used);
    HC_VISIT(v, p->satisfaction);
    HC_VISIT(v, p->below_since);
    HC_VISIT(v, p->integral);
  }
  return 0;
}

static hc_rc visit_plain(hc_yt *y, hc_visitor *v)
{
  HC_VISIT(v, y->vacant);
  HC_VISIT(v, y->births);
  HC_VISIT(v, y->ranks);
  HC_VISIT(v, y->updated_at);
  HC_VISIT(v, y->below_since);
  HC_VISIT(v, y->changed_at);
  HC_VISIT(v, y->updates);
  if (y->dues.names.count > 0)
    TRY(hc_visit_bytes(v, y->dues.seen, y->dues.names.count * sizeof *y->dues.seen));
  HC_VISIT_ARRAY(v, y->changed, y->changed_count, y->changed_cap);
  HC_VISIT_ARRAY(v, y->line, y->line_count, y->line_cap);
  HC_VISIT_ARRAY(v, y->held_back, y->held_count, y->held_cap);
  y->is_unsorted = true;
  return visit_pools(y, v);
}

/* Shares of the pools follow from the cell as it was when it was looked at last. */
static hc_rc visit_cell(hc_yt *y, hc_visitor *v)
{
  HC_VISIT(v, y->dims);
  HC_VISIT(v, y->which);
  HC_VISIT(v, y->capacity);
  if (y->dims == 0) return 0;
  if (y->dims > HC_DIMENSIONS) return HC_EINPUT;
  for (uint32_t d = 0; d < y->dims; d++) y->part[d] = y->capacity[d] > 0 ? 1 / (double)y->capacity[d] : 0;
  if (hc_visit_loading(v)) TRY(hc_yt_measure_pools(y));
  return hc_pools_visit(&y->tree, v);
}

hc_rc hc_yt_visit(hc_yt *y, hc_visitor *v)
{
  saved_state x = {0};
  hc_rc rc;
  TRY(hc_yt_sort(y)); /* in the order in which it will be: no matter who asked when */
  TRY(visit_cell(y, v));
  TRY(visit_plain(y, v));
  rc = hc_visit_loading(v) ? 0 : pack(y, &x);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.ops, &x.op_count, &x.op_cap, sizeof *x.ops);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.waiters, &x.waiter_count, &x.waiter_cap, sizeof *x.waiters);
  if (rc == 0 && hc_visit_loading(v)) rc = unpack(y, &x);
  hc_free(y->allocator, x.ops, x.op_cap * sizeof *x.ops);
  hc_free(y->allocator, x.waiters, x.waiter_cap * sizeof *x.waiters);
  return rc;
}

void hc_yt_books_fini(hc_yt *y)
{
  const hc_allocator *a = y->allocator;
  drop_operations(y);
  hc_free(a, y->ops, y->op_cap * sizeof *y->ops);
  hc_free(a, y->changed, y->changed_cap * sizeof *y->changed);
  hc_free(a, y->line, y->line_cap * sizeof *y->line);
  hc_free(a, y->scratch, y->scratch_cap * sizeof *y->scratch);
  hc_free(a, y->held_back, y->held_cap * sizeof *y->held_back);
  hc_free(a, y->bests, y->best_cap * sizeof *y->bests);
  hc_map_fini(&y->index);
  hc_map_fini(&y->best_of);
}
