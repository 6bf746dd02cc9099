/* pool_list.c -- the tree of pools that a configuration lists. See pool_list.h. */
#include "policy/share/pool_list.h"

#include <string.h>

#include "base/util.h"

static hc_rc wrong(const hc_dues *d, hc_error *e, const char *text, const char *name)
{
  return hc_fail(e, HC_EUSAGE, d->where, 0, 0, text, name);
}

uint32_t hc_pool_list_find(const hc_pool_list *l, const char *name)
{
  const uint32_t id = hc_names_find(&l->names, name, strlen(name));
  return id == HC_MAP_NONE ? 0 : id + 1;
}

/* The number of a pool that may stand behind. */
static uint32_t find_anywhere(const hc_pool_list *l, const char *name)
{
  for (uint32_t i = 1; name && i <= l->pools->count; i++) {
    const char *x = hc_pool_list_at(l, i)->name;
    if (x && strcmp(x, name) == 0) return i;
  }
  return 0;
}

/* A pool whose parent does not stand before it: it is its own ancestor, or the parent stands behind it, or
 * nowhere. */
static hc_rc parent_is_wrong(const hc_pool_list *l, uint32_t i, const hc_dues *d, hc_error *e)
{
  const hc_user_pool_options *p = hc_pool_list_at(l, i);
  uint32_t at = i;
  for (size_t steps = 0; at > 0 && steps <= l->pools->count; steps++) {
    at = find_anywhere(l, hc_pool_list_at(l, at)->parent);
    if (at == i)
      return wrong(d, e, "pools: pool %s is its own ancestor; let one of that circle have no `parent`",
                   p->name);
  }
  return wrong(d, e, "pools: no pool %s stands before its children; put it there, or leave `parent` out",
               p->parent);
}

static hc_rc read_pool(hc_pool_list *l, uint32_t i, hc_dues *d, hc_error *e)
{
  const hc_user_pool_options *p = hc_pool_list_at(l, i);
  uint32_t id;
  if (!p->name) return wrong(d, e, "pools: a pool has no name; give each one, as `name: %s`", "research");
  if (hc_pool_list_find(l, p->name) > 0)
    return wrong(d, e, "pools: there are two pools %s; give each its own name", p->name);
  l->parent[i] = p->parent ? hc_pool_list_find(l, p->parent) : 0;
  if (p->parent && l->parent[i] == 0) return parent_is_wrong(l, i, d, e);
  TRY(hc_names_add(&l->names, p->name, strlen(p->name), &id));
  for (size_t k = 0; k < p->users.count; k++)
    TRY(hc_dues_pool(d, ((const char *const *)p->users.items)[k], i, e));
  return 0;
}

hc_rc hc_pool_list_read(hc_pool_list *l, const hc_list *pools, hc_dues *dues, hc_error *e)
{
  *l = (hc_pool_list){.allocator = dues->allocator, .pools = pools};
  hc_names_init(&l->names, dues->allocator, (size_t)1 << 24);
  l->rooms = pools->count + 1;
  l->parent = hc_alloc(dues->allocator, l->rooms * sizeof *l->parent);
  if (!l->parent) return HC_ENOMEM;
  for (uint32_t i = 1; i <= pools->count; i++) TRY(read_pool(l, i, dues, e));
  return 0;
}

void hc_pool_list_fini(hc_pool_list *l)
{
  if (!l->allocator) return;
  hc_free(l->allocator, l->parent, l->rooms * sizeof *l->parent);
  hc_names_fini(&l->names);
  *l = (hc_pool_list){0};
}
