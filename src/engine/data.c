/* data.c -- data items: which task makes what another reads.
 *
 * An item is a name within a job (of one source; tasks without a job share names). The task that makes it
 * may arrive before or after those that read it, as long as all arrive in one round: which waits for which
 * is settled by dependencies.c when a round is complete, and asks here. An item that no task makes is
 * *given*: the first task that reads it and says its size says it for all. Where items lie and how they
 * move is the model's (execution/data.c), which is told of each by a number; without a model that knows
 * items they only order tasks.
 *
 * Items of a job are forgotten when none of its tasks with items is left: memory is that of live jobs. */
#include "engine/data.h"

#include <stdio.h>

#include "base/set.h"
#include "base/slots.h"
#include "base/state.h"
#include "base/util.h"
#include "engine/combine.h"
#include "engine/part.h"
#include "engine/tasks.h"

#define NONE HC_MAP_NONE

typedef enum item_state { UNKNOWN, MADE, GIVEN } item_state;

typedef struct item {
  int64_t job, name; /* and source: its key */
  uint32_t source;
  uint32_t next; /* of its job, or vacant */
  int64_t maker, bytes;
  uint32_t readers;
  uint32_t state; /* item_state */
} item;

typedef struct scope {
  int64_t job; /* and source: its key */
  uint32_t source;
  uint32_t items; /* chain; or vacant */
  uint32_t live;  /* tasks with items */
  uint32_t is_used;
} scope;

struct hc_data_items {
  item *items;
  size_t item_count, item_cap;
  scope *scopes;
  size_t scope_count, scope_cap;
  uint32_t vacant_item, vacant_scope;
  hc_set by_name, by_job;
};

static hc_keys item_keys(const hc_data_items *k)
{
  return (hc_keys){k->items, sizeof *k->items, offsetof(item, next)};
}

static hc_keys scope_keys(const hc_data_items *k)
{
  return (hc_keys){k->scopes, sizeof *k->scopes, offsetof(scope, items)};
}

static const hc_data_calls *calls_of(const hc_engine *e)
{
  return e->model ? e->model_type->data : NULL;
}

/* ---- a task arrives ---- */

static hc_rc fail_for(const hc_engine *e, hc_task id, hc_error *error, const char *text)
{
  char where[48];
  (void)snprintf(where, sizeof where, "task %lld", (long long)e->tasks.identities[id].id);
  return hc_fail(error, HC_EINPUT, where, 0, 0, "%s", text);
}

static hc_rc scope_of(hc_engine *e, int64_t job, uint32_t source, uint32_t *out)
{
  hc_data_items *k = e->data;
  *out = hc_set_find(&k->by_job, scope_keys(k), &(scope){.job = job, .source = source});
  if (*out != NONE) return 0;
  TRY(HC_SLOT_TAKE(e->allocator, scope, items, k->scopes, k->scope_count, k->scope_cap, k->vacant_scope,
                   out));
  k->scopes[*out] = (scope){.job = job, .source = source, .items = NONE, .is_used = 1};
  return hc_set_put(&k->by_job, scope_keys(k), *out);
}

static hc_rc item_of(hc_engine *e, uint32_t of, int64_t name, uint32_t *out)
{
  hc_data_items *k = e->data;
  const item key = {.job = k->scopes[of].job, .name = name, .source = k->scopes[of].source};
  *out = hc_set_find(&k->by_name, item_keys(k), &key);
  if (*out != NONE) return 0;
  TRY(HC_SLOT_TAKE(e->allocator, item, next, k->items, k->item_count, k->item_cap, k->vacant_item, out));
  k->items[*out] = key;
  k->items[*out].bytes = HC_UNKNOWN;
  k->items[*out].next = k->scopes[of].items;
  k->scopes[of].items = *out;
  return hc_set_put(&k->by_name, item_keys(k), *out);
}

static uint32_t find_item(const hc_engine *e, hc_task id, int64_t name)
{
  const hc_data_items *k = e->data;
  const item key = {.job = hc_cold_of((hc_engine *)(uintptr_t)e, id)->job,
                    .name = name,
                    .source = e->tasks.live[id].source};
  return k ? hc_set_find(&k->by_name, item_keys(k), &key) : NONE;
}

static hc_rc tell_model(hc_engine *e, uint32_t at, hc_error *error)
{
  const hc_data_calls *c = calls_of(e);
  const item *x = &e->data->items[at];
  return c ? c->add(e->model, e->now, at, HC_MAX(x->bytes, 0), x->state == GIVEN, error) : 0;
}

static hc_rc makes(hc_engine *e, hc_task id, uint32_t of, const hc_data_item *d, hc_error *error)
{
  uint32_t at;
  TRY(item_of(e, of, d->name, &at));
  item *x = &e->data->items[at];
  if (x->state == MADE)
    return fail_for(e, id, error,
                    "it makes an item that another task of its job makes too: give one another name, or put "
                    "them into jobs of their own (collection_id)");
  if (x->state == GIVEN)
    return fail_for(e, id, error,
                    "it makes an item that a task before it has read already as one that is given: let both "
                    "arrive at the same time");
  x->state = MADE;
  x->bytes = d->bytes;
  x->maker = e->tasks.identities[id].id;
  return tell_model(e, at, error);
}

static hc_rc reads(hc_engine *e, uint32_t of, const hc_data_item *d)
{
  uint32_t at;
  TRY(item_of(e, of, d->name, &at));
  item *x = &e->data->items[at];
  x->readers++;
  if (x->state == UNKNOWN && x->bytes == HC_UNKNOWN) x->bytes = d->bytes;
  return 0;
}

static const hc_task_extras *with_items(hc_engine *e, hc_task id)
{
  const uint32_t more = hc_cold_of(e, id)->more;
  const hc_task_extras *m = more != 0 ? hc_lexicon_more(e->lexicon, more) : NULL;
  return m && m->input_count + m->output_count > 0 ? m : NULL;
}

static hc_rc arrives(hc_engine *e, hc_task id, hc_error *error)
{
  const hc_task_extras *m = with_items(e, id);
  uint32_t of;
  if (!m) return 0;
  if (!e->data) {
    e->data = hc_alloc(e->allocator, sizeof *e->data);
    if (!e->data) return HC_ENOMEM;
    *e->data = (hc_data_items){.vacant_item = NONE, .vacant_scope = NONE};
    hc_set_init(&e->data->by_name, e->allocator);
    hc_set_init(&e->data->by_job, e->allocator);
  }
  TRY(scope_of(e, hc_cold_of(e, id)->job, e->tasks.live[id].source, &of));
  e->data->scopes[of].live++;
  for (size_t i = 0; i < m->output_count; i++) TRY(makes(e, id, of, &m->outputs[i], error));
  for (size_t i = 0; i < m->input_count; i++) TRY(reads(e, of, &m->inputs[i]));
  return 0;
}

hc_rc hc_data_after(hc_engine *e, hc_task id, size_t i, hc_after *out, hc_error *error)
{
  const hc_task_extras *m = with_items(e, id);
  const uint32_t at = find_item(e, id, m->inputs[i].name);
  item *x = &e->data->items[at];
  char text[160];
  if (x->state == MADE) {
    *out = (hc_after){.job = x->job, .task = x->maker, .how = HC_AFTER_COMPLETED};
    return 1;
  }
  if (x->state == GIVEN) return 0;
  if (x->bytes == HC_UNKNOWN) {
    (void)snprintf(text, sizeof text,
                   "no task of its job makes its input %zu, and no size is said: say {name, size}, or which "
                   "task makes it (outputs)",
                   i + 1);
    return fail_for(e, id, error, text);
  }
  x->state = GIVEN;
  return tell_model(e, at, error);
}

/* ---- a task runs ---- */

hc_rc hc_data_of(hc_engine *e, hc_task id, hc_activity *a)
{
  const hc_task_extras *m = e->data ? with_items(e, id) : NULL;
  if (!m || !calls_of(e)) return 0;
  uint32_t *in = hc_arena_alloc(&e->scratch, m->input_count * sizeof *in + 1);
  hc_made_item *out = hc_arena_alloc(&e->scratch, m->output_count * sizeof *out + 1);
  if (!in || !out) return HC_ENOMEM;
  for (size_t i = 0; i < m->input_count; i++) in[i] = find_item(e, id, m->inputs[i].name);
  for (size_t i = 0; i < m->output_count; i++) {
    const uint32_t at = find_item(e, id, m->outputs[i].name);
    out[i] = (hc_made_item){at, e->data->items[at].readers == 0};
  }
  a->inputs = in;
  a->input_count = m->input_count;
  a->outputs = out;
  a->output_count = m->output_count;
  return 0;
}

hc_data_input hc_data_input_of(const hc_engine *e, hc_task id, size_t i)
{
  const hc_task_extras *m = with_items((hc_engine *)(uintptr_t)e, id);
  const uint32_t at = find_item(e, id, m->inputs[i].name);
  if (at == NONE) return (hc_data_input){.item = HC_NO_ITEM};
  const item *x = &e->data->items[at];
  return (hc_data_input){
      .item = at, .bytes = HC_MAX(x->bytes, 0), .is_made = x->state == MADE, .maker = x->maker};
}

uint32_t hc_data_lies(const hc_engine *e, uint32_t at)
{
  const hc_data_calls *c = calls_of(e);
  return c && at != HC_NO_ITEM ? c->where(e->model, at) : UINT32_MAX;
}

hc_rc hc_data_bring(hc_engine *e, hc_task id, uint32_t host, hc_error *error)
{
  const hc_data_calls *c = calls_of(e);
  const hc_task_extras *m = c && e->data ? with_items(e, id) : NULL;
  for (size_t i = 0; m && i < m->input_count; i++) {
    const uint32_t at = find_item(e, id, m->inputs[i].name);
    if (e->data->items[at].state != UNKNOWN) TRY(c->fetch(e->model, e->now, at, host, error));
  }
  return 0;
}

int64_t hc_data_makes(hc_engine *e, hc_task id)
{
  const hc_task_extras *m = e->data ? with_items(e, id) : NULL;
  int64_t sum = 0;
  for (size_t i = 0; m && i < m->output_count; i++)
    if (__builtin_add_overflow(sum, m->outputs[i].bytes, &sum)) return INT64_MAX;
  return sum;
}

double hc_data_between(const hc_engine *e, uint32_t from, uint32_t to, double bytes)
{
  const hc_data_calls *c = calls_of(e);
  return c ? c->takes(e->model, from, to, bytes) : 0;
}

/* ---- and is gone ---- */

static hc_rc forget(hc_engine *e, uint32_t of)
{
  hc_data_items *k = e->data;
  const hc_data_calls *c = calls_of(e);
  for (uint32_t at = k->scopes[of].items, next; at != NONE; at = next) {
    next = k->items[at].next;
    if (c && k->items[at].state != UNKNOWN) TRY(c->drop(e->model, e->now, at));
    hc_set_remove(&k->by_name, item_keys(k), at);
    k->items[at] = (item){.name = -1, .state = UNKNOWN};
    HC_SLOT_GIVE(item, next, k->items, k->vacant_item, at);
  }
  hc_set_remove(&k->by_job, scope_keys(k), of);
  k->scopes[of] = (scope){.is_used = 0};
  HC_SLOT_GIVE(scope, items, k->scopes, k->vacant_scope, of);
  return 0;
}

static hc_rc leaves(hc_engine *e, hc_task id)
{
  uint32_t of;
  if (!e->data || !with_items(e, id)) return 0;
  TRY(scope_of(e, hc_cold_of(e, id)->job, e->tasks.live[id].source, &of));
  return --e->data->scopes[of].live == 0 ? forget(e, of) : 0;
}

static hc_rc on(hc_engine *e, const hc_notice *n)
{
  return n->kind == HC_ON_EXTRAS ? arrives(e, n->task, n->error) : leaves(e, n->task);
}

static bool wanted(const hc_engine *e)
{
  return e->dependencies != NULL;
}

static void fini(hc_engine *e)
{
  hc_data_items *k = e->data;
  if (!k) return;
  hc_free(e->allocator, k->items, k->item_cap * sizeof *k->items);
  hc_free(e->allocator, k->scopes, k->scope_cap * sizeof *k->scopes);
  hc_set_fini(&k->by_name);
  hc_set_fini(&k->by_job);
  hc_free(e->allocator, k, sizeof *k);
  e->data = NULL;
}

static hc_rc put_all(hc_data_items *k)
{
  if (!HC_SLOTS_ARE_SOUND(item, next, k->items, k->item_count, k->vacant_item) ||
      !HC_SLOTS_ARE_SOUND(scope, items, k->scopes, k->scope_count, k->vacant_scope))
    return HC_EINPUT;
  for (size_t i = 0; i < k->scope_count; i++) {
    if (!k->scopes[i].is_used) continue;
    TRY(hc_set_put(&k->by_job, scope_keys(k), (uint32_t)i));
    size_t steps = 0;
    for (uint32_t at = k->scopes[i].items; at != NONE; at = k->items[at].next) {
      if (at >= k->item_count || ++steps > k->item_count) return HC_EINPUT;
      TRY(hc_set_put(&k->by_name, item_keys(k), at));
    }
  }
  return 0;
}

static hc_rc visit(hc_engine *e, hc_visitor *v)
{
  bool has = e->data != NULL;
  HC_VISIT(v, has);
  if (has && !e->data) {
    e->data = hc_alloc(e->allocator, sizeof *e->data);
    if (!e->data) return HC_ENOMEM;
    *e->data = (hc_data_items){.vacant_item = NONE, .vacant_scope = NONE};
    hc_set_init(&e->data->by_name, e->allocator);
    hc_set_init(&e->data->by_job, e->allocator);
  }
  if (!has) return 0;
  hc_data_items *k = e->data;
  HC_VISIT_ARRAY(v, k->items, k->item_count, k->item_cap);
  HC_VISIT_ARRAY(v, k->scopes, k->scope_count, k->scope_cap);
  HC_VISIT(v, k->vacant_item);
  HC_VISIT(v, k->vacant_scope);
  return hc_visit_loading(v) ? put_all(k) : 0;
}

const hc_part hc_part_data = {.name = "data",
                              .wanted = wanted,
                              .hears = HC_HEARS(EXTRAS) | HC_HEARS(GONE),
                              .on = on,
                              .visit = visit,
                              .fini = fini};
