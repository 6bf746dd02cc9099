/* promises.c -- which hosts are promised to which queued task.
 *
 * A promise stays as it was made until the task starts, loses its reservation, or a host of it goes away.
 * What an undone plan took from a task it gets back: the grants are written down with the action. */
#include "reserve/promises.h"

#include "base/mem.h"
#include "base/state.h"
#include "base/util.h"

struct hc_promised {
  hc_grant grant;
  uint32_t next; /* + 1 */
};

void hc_promises_fini(hc_promises *p, const hc_allocator *a)
{
  hc_free(a, p->pool, p->cap * sizeof *p->pool);
  hc_free(a, p->first, p->first_cap * sizeof *p->first);
  *p = (hc_promises){0};
}

hc_rc hc_promises_keep(hc_promises *p, const hc_allocator *a, hc_task t, const hc_grant *grants, size_t count)
{
  const size_t was = p->first_cap;
  TRY(hc_reserve(a, (void **)&p->first, &p->first_cap, (size_t)t + 1, sizeof *p->first));
  for (size_t i = was; i < p->first_cap; i++) p->first[i] = 0;
  TRY(hc_reserve(a, (void **)&p->pool, &p->cap, p->count + count, sizeof *p->pool));
  for (size_t i = count; i-- > 0;) {
    uint32_t at = p->vacant;
    if (at != 0) p->vacant = p->pool[at - 1].next;
    else at = (uint32_t)++p->count;
    p->pool[at - 1] = (hc_promised){grants[i], p->first[t]};
    p->first[t] = at;
  }
  return 0;
}

size_t hc_promises_drop(hc_promises *p, hc_task t)
{
  size_t n = 0;
  while (hc_promises_has(p, t)) {
    const uint32_t at = p->first[t];
    p->first[t] = p->pool[at - 1].next;
    p->pool[at - 1].next = p->vacant;
    p->vacant = at;
    n++;
  }
  return n;
}

bool hc_promises_is_on(const hc_promises *p, hc_task t, uint32_t host)
{
  for (uint32_t i = t < p->first_cap ? p->first[t] : 0; i != 0; i = p->pool[i - 1].next)
    if (p->pool[i - 1].grant.host == host) return true;
  return false;
}

hc_rc hc_promises_get(const hc_promises *p, hc_arena *scratch, hc_task t, const hc_grant **grants,
                      size_t *count)
{
  const uint32_t first = t < p->first_cap ? p->first[t] : 0;
  hc_grant *out;
  size_t n = 0;
  for (uint32_t i = first; i != 0; i = p->pool[i - 1].next) n++;
  *grants = NULL;
  *count = n;
  if (n == 0) return 0;
  out = hc_arena_alloc(scratch, n * sizeof *out);
  if (!out) return HC_ENOMEM;
  *grants = out;
  for (uint32_t i = first; i != 0; i = p->pool[i - 1].next) *out++ = p->pool[i - 1].grant;
  return 0;
}

/* ---- state ---- */

static hc_rc load_one(hc_promises *p, const hc_allocator *a, hc_visitor *v, hc_arena *scratch, uint32_t units)
{
  uint64_t t, n;
  hc_grant *grants;
  HC_VISIT(v, t);
  HC_VISIT(v, n);
  if (t >= HC_NO_TASK || n == 0 || n > v->left / sizeof *grants) return HC_EINPUT;
  grants = hc_arena_alloc(scratch, (size_t)n * sizeof *grants);
  if (!grants) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    HC_VISIT(v, grants[i]);
    if (grants[i].host >= units || grants[i].slots == 0) return HC_EINPUT;
  }
  return hc_promises_keep(p, a, (hc_task)t, grants, (size_t)n);
}

static hc_rc save_one(const hc_promises *p, hc_visitor *v, hc_arena *scratch, hc_task id)
{
  const hc_grant *grants;
  size_t count;
  TRY(hc_promises_get(p, scratch, id, &grants, &count));
  uint64_t t = id, n = count;
  HC_VISIT(v, t);
  HC_VISIT(v, n);
  for (size_t i = 0; i < count; i++) {
    hc_grant g = grants[i];
    HC_VISIT(v, g);
  }
  return 0;
}

hc_rc hc_promises_visit(hc_promises *p, const hc_allocator *a, hc_visitor *v, hc_arena *scratch,
                        uint32_t units)
{
  uint64_t tasks = 0;
  for (hc_task t = 0; t < p->first_cap; t++) tasks += p->first[t] != 0;
  HC_VISIT(v, tasks);
  if (hc_visit_loading(v)) {
    hc_promises_fini(p, a);
    for (uint64_t i = 0; i < tasks; i++) TRY(load_one(p, a, v, scratch, units));
    return 0;
  }
  for (hc_task t = 0; t < p->first_cap; t++)
    if (p->first[t] != 0) TRY(save_one(p, v, scratch, t));
  return 0;
}
