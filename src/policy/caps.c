/* caps.c -- reads caps on what is drawn. See caps.h. */
#include "policy/caps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "base/util.h"

static const char *const titles[] = {
    [HC_CAP_USER] = "users", [HC_CAP_GROUP] = "groups", [HC_CAP_QUEUE] = "queues", [HC_CAP_HOSTS] = "hosts"};
static const hc_called called[] = {
    [HC_CAP_USER] = HC_CALLED_USER, [HC_CAP_GROUP] = HC_CALLED_GROUP, [HC_CAP_QUEUE] = HC_CALLED_QUEUE};

void hc_caps_init(hc_caps *c, const hc_policy_context *context)
{
  *c = (hc_caps){.allocator = context->allocator,
                 .lexicon = context->lexicon,
                 .cell = context->cell,
                 .words = (context->cell->units + 63) / 64};
}

void hc_caps_fini(hc_caps *c)
{
  if (!c->allocator) return;
  for (size_t i = 0; i < c->count; i++)
    if (c->all[i].hosts) hc_free(c->allocator, c->all[i].hosts, c->words * sizeof *c->all[i].hosts);
  hc_free(c->allocator, c->all, c->cap * sizeof *c->all);
}

static hc_rc wrong(hc_cap_of of, hc_error *e, const char *entry, const char *what)
{
  return hc_fail(e, HC_EUSAGE, "select capped", 0, 0, "%s: \"%.80s\" %s; write it as %s", titles[of], entry,
                 what, of == HC_CAP_HOSTS ? "rack-1=5000, or h[0-7]=5000" : "ann=2000, or *=1000");
}

/* ---- hosts ---- */

static void add_host(hc_cap *x, uint32_t host)
{
  x->hosts[host / 64] |= UINT64_C(1) << (host % 64);
}

static bool is_called(const char *name, const char *text)
{
  return name && strcmp(name, text) == 0;
}

/* Zones of a level, a class, or a set of that name. @return is there any? */
static bool add_named(const hc_caps *c, hc_cap *x, const char *name)
{
  const hc_cell_spec *cell = c->cell;
  bool any = false;
  for (uint32_t l = 0; l < cell->level_count && !any; l++)
    for (uint32_t z = 0; z < cell->levels[l].zone_count; z++) {
      if (!is_called(cell->levels[l].zone_names[z], name)) continue;
      any = true;
      for (uint32_t h = 0; h < cell->units; h++)
        if (cell->levels[l].zone_of[h] == z) add_host(x, h);
    }
  for (uint32_t h = 0; h < cell->units && !any; h++)
    if (is_called(cell->classes[cell->class_of[h]].name, name)) add_host(x, h);
  for (uint32_t h = 0; h < cell->units && !any; h++) any |= hc_cap_has(x, h);
  for (uint32_t i = 0; i < cell->set_count && !any; i++) {
    const hc_host_set *set = &cell->sets[i];
    if (!is_called(set->name, name)) continue;
    any = true;
    for (size_t k = 0; k < set->host_count; k++)
      for (uint32_t h = 0; h < set->hosts[k].count; h++) add_host(x, set->hosts[k].first + h);
  }
  return any;
}

typedef struct taking {
  const hc_caps *caps;
  hc_cap *cap;
} taking;

static hc_rc take(void *ctx, const char *name, hc_error *e)
{
  const taking *t = ctx;
  for (uint32_t h = 0; h < t->caps->cell->units; h++)
    if (is_called(t->caps->cell->host_names[h], name)) {
      add_host(t->cap, h);
      return 0;
    }
  return wrong(HC_CAP_HOSTS, e, name, "is no zone, class or set of hosts, nor the name of a host");
}

static hc_rc read_hosts(const hc_caps *c, hc_cap *x, hc_error *e)
{
  char name[256];
  if (x->length >= sizeof name) return wrong(HC_CAP_HOSTS, e, x->name, "is too long a name");
  memcpy(name, x->name, x->length);
  name[x->length] = 0;
  x->hosts = hc_alloc(c->allocator, c->words * sizeof *x->hosts);
  if (!x->hosts) return HC_ENOMEM;
  if (add_named(c, x, name)) return 0;
  taking t = {c, x};
  const hc_hostlist list = {
      .text = name, .wrong = HC_EUSAGE, .where = "select capped", .take = take, .ctx = &t};
  return hc_hostlist_each(&list, e);
}

/* ---- lists ---- */

hc_rc hc_caps_add_machine(hc_caps *c, double watts)
{
  hc_cap x = {
      .of = HC_CAP_HOSTS, .watts = watts, .hosts = hc_alloc(c->allocator, c->words * sizeof *x.hosts)};
  if (!x.hosts) return HC_ENOMEM;
  const hc_rc rc = hc_reserve(c->allocator, (void **)&c->all, &c->cap, c->count + 1, sizeof *c->all);
  if (rc < 0) hc_free(c->allocator, x.hosts, c->words * sizeof *x.hosts);
  if (rc < 0) return rc;
  for (uint32_t h = 0; h < c->cell->units; h++) add_host(&x, h);
  c->all[c->count++] = x;
  return 0;
}

static hc_rc read_entry(hc_caps *c, hc_cap_of of, const char *entry, hc_error *e)
{
  const char *equal = strrchr(entry, '=');
  if (!equal || equal == entry) return wrong(of, e, entry, "is not a name and its watts");
  hc_cap x = {.of = of, .name = entry, .length = (size_t)(equal - entry)};
  if (hc_parse_real(equal + 1, strlen(equal + 1), &x.watts) < 0 || !(x.watts >= 0 && x.watts <= 1e15))
    return wrong(of, e, entry, "has a value that is no number of watts");
  for (size_t i = 0; i < c->count; i++)
    if (c->all[i].of == of && c->all[i].length == x.length && memcmp(c->all[i].name, x.name, x.length) == 0)
      return wrong(of, e, entry, "is the second entry of that name: leave one of them");
  TRY(hc_reserve(c->allocator, (void **)&c->all, &c->cap, c->count + 1, sizeof *c->all));
  c->all[c->count++] = x;
  return of == HC_CAP_HOSTS ? read_hosts(c, &c->all[c->count - 1], e) : 0;
}

hc_rc hc_caps_read(hc_caps *c, hc_cap_of of, const hc_list *list, hc_error *e)
{
  for (size_t i = 0; i < list->count; i++) TRY(read_entry(c, of, ((const char *const *)list->items)[i], e));
  return 0;
}

static const hc_cap *find(const hc_caps *c, hc_cap_of of, const char *name)
{
  const size_t length = name ? strlen(name) : 0;
  for (size_t i = 0; i < c->count && length > 0; i++)
    if (c->all[i].of == of && c->all[i].length == length && memcmp(c->all[i].name, name, length) == 0)
      return &c->all[i];
  return NULL;
}

const hc_cap *hc_caps_of(const hc_caps *c, hc_cap_of of, int64_t number)
{
  char text[32];
  const hc_cap *x = find(c, of, c->lexicon ? hc_lexicon_called(c->lexicon, called[of], number) : NULL);
  if (x) return x;
  (void)snprintf(text, sizeof text, "%" PRId64, number);
  x = find(c, of, text);
  return x ? x : find(c, of, "*");
}
