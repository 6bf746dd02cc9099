/* operations.c -- see operations.h. */
#include "policy/operations.h"

#include <string.h>

#include "base/slots.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"

void hc_operations_init(hc_operations *o, const hc_policy_context *c, hc_memory_of whose)
{
  *o = (hc_operations){.allocator = c->allocator,
                       .services = c->services,
                       .whose = whose,
                       .vacant = HC_MAP_NONE,
                       .last = HC_MAP_NONE};
  hc_set_init(&o->index, c->allocator);
}

void hc_operations_fini(hc_operations *o)
{
  if (!o->allocator) return;
  hc_set_fini(&o->index);
  hc_free(o->allocator, o->items, o->cap * sizeof *o->items);
}

static hc_keys keys_of(const hc_operations *o)
{
  return (hc_keys){o->items, sizeof *o->items, offsetof(hc_operation, next)};
}

static hc_rc grow_to(hc_operations *o, size_t count)
{
  TRY(hc_reserve(o->allocator, (void **)&o->items, &o->cap, count, sizeof *o->items));
  while (o->count < count) o->items[o->count++] = (hc_operation){.next = HC_MAP_NONE};
  return 0;
}

static hc_rc new_place(hc_operations *o, uint32_t is_alone, int64_t job, uint32_t *place)
{
  TRY(HC_SLOT_TAKE(o->allocator, hc_operation, next, o->items, o->count, o->cap, o->vacant, place));
  o->items[*place] = (hc_operation){.job = job, .is_alone = is_alone, .next = HC_MAP_NONE};
  return hc_set_put(&o->index, keys_of(o), *place);
}

static __attribute__((noinline)) hc_rc look_up(hc_operations *o, uint32_t is_alone, int64_t job,
                                               uint32_t *place)
{
  *place = hc_set_find(&o->index, keys_of(o), &(hc_operation){.job = job, .is_alone = is_alone});
  if (*place == HC_MAP_NONE) TRY(new_place(o, is_alone, job, place));
  o->last = *place;
  return 0;
}

hc_rc hc_operations_of(hc_operations *o, const hc_view *v, hc_task t, uint32_t user, uint32_t *place)
{
  const hc_operation *last = o->last != HC_MAP_NONE ? &o->items[o->last] : NULL;
  uint32_t is_alone = 0;
  int64_t job;
  if (o->whose == HC_MEMORY_USER) {
    *place = user;
    return grow_to(o, (size_t)user + 1 > o->count ? (size_t)user + 1 : o->count);
  }
  job = o->services->job(v, t);
  if (job == -1) {
    is_alone = 1;
    job = (int64_t)o->services->serial(v, t);
  }
  if (!last || last->job != job || last->is_alone != is_alone) return look_up(o, is_alone, job, place);
  *place = o->last;
  return 0;
}

hc_rc hc_operations_hear(hc_operations *o, const hc_view *v, hc_task_event what, hc_task t, uint32_t user,
                         uint32_t *place, bool *ended)
{
  hc_operation *x;
  TRY(hc_operations_of(o, v, t, user, place));
  x = &o->items[*place];
  switch (what) {
    case HC_TASK_EVENT_QUEUED: x->waiting++; break;
    case HC_TASK_EVENT_DEQUEUED: x->waiting--; break;
    case HC_TASK_EVENT_ALLOCATED: x->running++; break;
    case HC_TASK_EVENT_RELEASED: x->running--; break;
  }
  *ended = x->waiting == 0 && x->running == 0;
  if (!*ended || o->whose == HC_MEMORY_USER) return 0;
  hc_set_remove(&o->index, keys_of(o), *place);
  o->last = HC_MAP_NONE;
  *x = (hc_operation){.job = 0};
  HC_SLOT_GIVE(hc_operation, next, o->items, o->vacant, *place);
  return 0;
}

hc_rc hc_operations_visit(hc_operations *o, hc_visitor *v)
{
  HC_VISIT(v, o->vacant);
  o->last = HC_MAP_NONE;
  HC_VISIT_ARRAY(v, o->items, o->count, o->cap);
  if (!hc_visit_loading(v) || o->whose == HC_MEMORY_USER) return 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->items[i].waiting + o->items[i].running > 0) TRY(hc_set_put(&o->index, keys_of(o), (uint32_t)i));
  return 0;
}

bool hc_policy_is_user(const hc_lexicon *l, const char *text, int64_t user)
{
  const char *name = l ? hc_lexicon_called(l, HC_CALLED_USER, user) : NULL;
  int64_t number;
  if (name && strcmp(name, text) == 0) return true;
  return hc_parse_int(text, strlen(text), &number) == 0 && number == user;
}
