/* yt_modules.c -- which module a large operation is bound to. See policy/share/yt_modules.h.
 *
 * What YTsaurus documents, and what is otherwise here: it counts hosts, and of an operation those that it
 * wanted at first; here amounts of GPUs count, and of an operation what it holds and wants now, so that what
 * has ended leaves room. Its priority operations evict others of their module: the fewest GPUs, found
 * greedily, largest first, but for the last the smallest that will do. */
#include "policy/share/yt_modules.h"

#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

/* ---- which hosts ---- */

static const char *text_at(const hc_list *l, size_t i)
{
  return ((const char *const *)l->items)[i];
}

static hc_rc wrong(hc_error *e, const char *text, const char *detail)
{
  return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0, text, detail);
}

static hc_rc put(hc_yt *y, uint32_t host, uint32_t module, hc_error *e)
{
  uint32_t *at = &y->modules->of_host[host];
  if (*at != HC_YT_NO_MODULE && *at != module)
    return hc_fail(e, HC_EUSAGE, "policy yt", 0, 0,
                   "modules: host %.60s is in `%.60s` and in `%.60s`, and a host is in one module at most",
                   y->o.cell->host_names[host], y->modules->items[*at].name, y->modules->items[module].name);
  *at = module;
  return 0;
}

static hc_rc put_zone(hc_yt *y, const hc_zone_level *l, uint32_t zone, uint32_t module, hc_error *e)
{
  for (uint32_t h = 0; h < y->o.cell->units; h++)
    if (l->zone_of[h] == zone) TRY(put(y, h, module, e));
  return 0;
}

static bool has_feature(const hc_host_class *class, const hc_lexicon *lexicon, const char *name)
{
  for (uint32_t k = 0; k < class->attribute_count; k++)
    if (strcmp(hc_lexicon_text(lexicon, class->attributes[k].name), name) == 0) return true;
  return false;
}

/* Hosts of a zone, else of a set, else of the classes that have a feature. @return 1: there are any */
static hc_rc put_named(hc_yt *y, const char *name, uint32_t module, hc_error *e)
{
  const hc_cell_spec *c = y->o.cell;
  bool is_any = false;
  for (uint32_t i = 0; i < c->level_count; i++)
    for (uint32_t z = 0; z < c->levels[i].zone_count; z++) {
      if (strcmp(c->levels[i].zone_names[z], name) != 0) continue;
      TRY(put_zone(y, &c->levels[i], z, module, e));
      return 1;
    }
  for (uint32_t i = 0; i < c->set_count; i++) {
    const hc_host_set *s = &c->sets[i];
    if (strcmp(s->name, name) != 0) continue;
    for (size_t r = 0; r < s->host_count; r++)
      for (uint32_t k = 0; k < s->hosts[r].count; k++) TRY(put(y, s->hosts[r].first + k, module, e));
    return 1;
  }
  for (uint32_t h = 0; h < c->units; h++) {
    if (!has_feature(&c->classes[c->class_of[h]], y->turns->o.lexicon, name)) continue;
    TRY(put(y, h, module, e));
    is_any = true;
  }
  return is_any;
}

static const hc_zone_level *level_named(const hc_yt *y, const hc_list *names)
{
  const hc_cell_spec *c = y->o.cell;
  for (uint32_t i = 0; names->count == 1 && i < c->level_count; i++)
    if (strcmp(c->levels[i].name, text_at(names, 0)) == 0) return &c->levels[i];
  return NULL;
}

static hc_rc fill(hc_yt *y, const hc_list *names, const hc_zone_level *level, hc_error *e)
{
  hc_yt_modules *m = y->modules;
  for (uint32_t i = 0; i < m->count; i++) {
    m->items[i].name = level ? level->zone_names[i] : text_at(names, i);
    if (level) {
      TRY(put_zone(y, level, i, i, e));
      continue;
    }
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(m->items[k].name, m->items[i].name) == 0)
        return wrong(e, "modules: `%.80s` is there twice; name each module once", m->items[i].name);
    const hc_rc rc = put_named(y, m->items[i].name, i, e);
    if (rc < 0) return rc;
    if (rc == 0)
      return wrong(e,
                   "modules: `%.80s` is no zone, no set of hosts and no feature of any; name those of the "
                   "cell, or one level of zones, as in modules: [dc]",
                   m->items[i].name);
  }
  return 0;
}

static hc_rc alloc_modules(hc_yt *y, uint32_t count)
{
  hc_yt_modules *m = y->modules = hc_alloc(y->allocator, sizeof *m);
  if (!m) return HC_ENOMEM;
  *m = (hc_yt_modules){.count = count, .at = HC_NEVER};
  m->items = hc_alloc(y->allocator, count * sizeof *m->items);
  m->of_host = hc_alloc(y->allocator, y->o.cell->units * sizeof *m->of_host);
  m->whole = hc_alloc(y->allocator, y->o.cell->class_count * sizeof *m->whole);
  m->is_priority = hc_alloc(y->allocator, y->pool_count * sizeof *m->is_priority);
  if (!m->items || !m->of_host || !m->whole || !m->is_priority) return HC_ENOMEM;
  for (uint32_t h = 0; h < y->o.cell->units; h++) m->of_host[h] = HC_YT_NO_MODULE;
  return 0;
}

/* How many GPUs a task takes that takes a host whole. */
static hc_rc find_whole(hc_yt *y, hc_error *e)
{
  hc_yt_modules *m = y->modules;
  const hc_cell_spec *c = y->o.cell;
  for (uint32_t h = 0; h < c->units; h++) {
    const int64_t gpus = c->classes[c->class_of[h]].capacity[HC_DIM_GPU];
    uint32_t i = 0;
    if (m->of_host[h] == HC_YT_NO_MODULE || gpus <= 0) continue;
    while (i < m->whole_count && m->whole[i] != gpus) i++;
    if (i == m->whole_count) m->whole[m->whole_count++] = gpus;
  }
  if (m->whole_count > 0) return 0;
  return hc_fail(e, HC_EUNSUPPORTED, "policy yt", 0, 0,
                 "modules are of hosts with GPUs, and no host of these modules has any: give hosts `gpus`, "
                 "or leave `modules` out");
}

/* Pools that are named, and those in them: parents have lower numbers. */
static hc_rc find_priority(hc_yt *y, const hc_list *pools, hc_error *e)
{
  bool *out = y->modules->is_priority;
  for (size_t i = 0; i < pools->count; i++) {
    uint32_t p = 1;
    while (p < y->pool_count && strcmp(y->pools[p].o->name, text_at(pools, i)) != 0) p++;
    if (p == y->pool_count)
      return wrong(e, "module_priority: there is no pool `%.80s`; name one of `pools`", text_at(pools, i));
    out[p] = true;
  }
  for (uint32_t p = 1; p < y->pool_count; p++) out[p] |= out[y->turns->pools.parent[p]];
  return 0;
}

hc_rc hc_yt_modules_init(hc_yt *y, hc_error *e)
{
  const hc_list *names = y->o.modules.names;
  const hc_zone_level *level;
  if (!names || names->count == 0) return 0;
  if (!y->o.cell || y->o.cell->class_count == 0)
    return hc_fail(e, HC_EUNSUPPORTED, "policy yt", 0, 0,
                   "modules are of hosts, and this cell has none: use a cell of hosts");
  level = level_named(y, names);
  TRY(alloc_modules(y, level ? level->zone_count : (uint32_t)names->count));
  TRY(fill(y, names, level, e));
  TRY(find_whole(y, e));
  return find_priority(y, y->o.modules.priority, e);
}

void hc_yt_modules_fini(hc_yt *y)
{
  const hc_allocator *a = y->allocator;
  hc_yt_modules *m = y->modules;
  if (!m) return;
  hc_free(a, m->items, m->count * sizeof *m->items);
  hc_free(a, m->of_host, y->o.cell->units * sizeof *m->of_host);
  hc_free(a, m->whole, y->o.cell->class_count * sizeof *m->whole);
  hc_free(a, m->is_priority, y->pool_count * sizeof *m->is_priority);
  hc_free(a, m->bidders, m->bidder_cap * sizeof *m->bidders);
  hc_free(a, m, sizeof *m);
}

/* ---- amounts ---- */

/* The place of GPUs among the cell's dimensions: some class has them. */
static uint32_t gpu_of(const hc_yt *y)
{
  const hc_turns *t = y->turns;
  uint32_t d = 0;
  while (d < t->books.dims && t->which[d] != HC_DIM_GPU) d++;
  return d;
}

bool hc_yt_modules_measure(hc_yt *y, const hc_view *v)
{
  hc_yt_modules *m = y->modules;
  const uint32_t gpu = gpu_of(y);
  const int64_t *capacity;
  bool is_other = false;
  if (!m || gpu == y->turns->books.dims) return false;
  for (uint32_t i = 0; i < m->count; i++) {
    int64_t gpus = 0, largest = 0;
    for (uint32_t h = 0; h < y->o.cell->units; h++) {
      if (m->of_host[h] != i || !y->turns->services->host_free(v, h, &capacity)) continue;
      gpus += capacity[gpu];
      largest = HC_MAX(largest, capacity[gpu]);
    }
    is_other |= m->items[i].gpus != gpus || m->items[i].largest != largest;
    m->items[i].gpus = gpus;
    m->items[i].largest = largest;
  }
  return is_other;
}

static int64_t demand_of(const hc_yt *y, uint32_t op)
{
  const hc_member *m = &y->turns->books.members[op];
  const uint32_t gpu = gpu_of(y);
  return gpu == y->turns->books.dims ? 0 : m->used[gpu] + m->wanted[gpu];
}

/* The most that one of its tasks takes on a host. */
static int64_t largest_task(const hc_yt *y, uint32_t op)
{
  const hc_books *b = &y->turns->books;
  const hc_member *m = &b->members[op];
  const uint32_t gpu = gpu_of(y);
  int64_t most = 0;
  for (size_t i = 0; i < m->shape_count; i++) {
    const hc_shape *s = &b->shapes[m->shapes[i]];
    most = HC_MAX(most, s->need[gpu] * s->units);
  }
  return most;
}

static bool could_hold(const hc_yt *y, uint32_t module, uint32_t op)
{
  const hc_yt_module *m = &y->modules->items[module];
  return m->gpus >= demand_of(y, op) && m->largest >= largest_task(y, op);
}

/* ---- large operations ---- */

static bool takes_whole_hosts(const hc_yt *y, uint32_t op)
{
  const hc_yt_modules *x = y->modules;
  const hc_books *b = &y->turns->books;
  const hc_member *m = &b->members[op];
  const uint32_t gpu = gpu_of(y);
  if (m->shape_count == 0 || gpu == b->dims) return false;
  for (size_t i = 0; i < m->shape_count; i++) {
    const hc_shape *s = &b->shapes[m->shapes[i]];
    uint32_t k = 0;
    while (k < x->whole_count && x->whole[k] != s->need[gpu] * s->units) k++;
    if (k == x->whole_count) return false;
  }
  return true;
}

void hc_yt_modules_admit(hc_yt *y, uint32_t op, hc_time at)
{
  hc_yt_operation *o = &y->ops[op];
  bool is_any = false;
  if (!y->modules || !takes_whole_hosts(y, op)) return;
  if ((double)demand_of(y, op) < y->o.modules.amount * HC_DEVICE) return;
  for (uint32_t i = 0; i < y->modules->count; i++) is_any |= could_hold(y, i, op);
  y->modules->n.oversized += !is_any;
  o->is_large = is_any;
  o->waits_since = at;
}

bool hc_yt_modules_admits(const hc_yt *y, uint32_t op, uint32_t host)
{
  const hc_yt_operation *o = &y->ops[op];
  return !o->is_large ||
         (!o->is_moving && o->module != HC_YT_NO_MODULE && y->modules->of_host[host] == o->module);
}

static bool is_priority(const hc_yt *y, uint32_t op)
{
  return y->modules->is_priority[y->ops[op].pool];
}

/* ---- binding ---- */

static void let_go(hc_yt *y, uint32_t op)
{
  hc_yt_operation *o = &y->ops[op];
  y->modules->items[o->module].reserved -= demand_of(y, op);
  o->module = HC_YT_NO_MODULE;
  if (y->turns->books.members[op].holding == 0) return;
  y->modules->moving += !o->is_moving;
  o->is_moving = true;
}

static void bind(hc_yt *y, uint32_t op, uint32_t module, hc_time at)
{
  hc_yt_operation *o = &y->ops[op];
  o->module = module;
  o->waits_since = y->turns->books.members[op].waiting > 0 ? at : HC_NEVER;
  y->modules->items[module].reserved += demand_of(y, op);
  y->modules->n.bound++;
}

/* Those of most GPUs first, then as they came. */
HC_SORT(sort_bidders, hc_yt_bidder, a->demand != b->demand ? a->demand > b->demand : a->birth < b->birth)

static hc_rc add_bidder(hc_yt *y, uint32_t op, size_t *count)
{
  hc_yt_modules *m = y->modules;
  TRY(hc_reserve(y->allocator, (void **)&m->bidders, &m->bidder_cap, *count + 1, sizeof *m->bidders));
  m->bidders[(*count)++] = (hc_yt_bidder){demand_of(y, op), y->ops[op].birth, op, 0};
  return 0;
}

/* A module as it would be with the operation in it. */
typedef struct outcome {
  uint32_t module;
  int64_t evicted; /* GPUs */
  double score;    /* less is better */
} outcome;

static double score_of(const hc_yt *y, uint32_t module, int64_t reserved)
{
  const hc_yt_module *m = &y->modules->items[module];
  const double room = (double)(m->gpus - reserved);
  switch ((hc_yt_module_choice)y->o.modules.choice) {
    case HC_YT_MODULE_MOST_ROOM: return -room;
    case HC_YT_MODULE_LEAST_ROOM: return room;
    case HC_YT_MODULE_LEAST_LOADED: break;
  }
  return (double)reserved / (double)m->gpus;
}

static void compare(outcome *best, const outcome *x)
{
  if (best->module == HC_YT_NO_MODULE || x->evicted < best->evicted ||
      (x->evicted == best->evicted && x->score < best->score))
    *best = *x;
}

/* Operations of a module that may be evicted, behind `from` in the scratch list: those of most GPUs first, of
 * equal ones the last to come. */
HC_SORT(sort_victims, hc_yt_bidder, a->demand != b->demand ? a->demand > b->demand : a->birth > b->birth)

static hc_rc find_victims(hc_yt *y, uint32_t module, size_t from, size_t *count)
{
  *count = from;
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    if (o->node == HC_POOL_NONE || !o->is_large || o->module != module || is_priority(y, i)) continue;
    TRY(add_bidder(y, i, count));
  }
  sort_victims(y->modules->bidders + from, *count - from);
  return 0;
}

/* As many of them as make so much room, in front. @return GPUs; -1: all are too few */
static int64_t pick_victims(hc_yt_bidder *of, size_t n, int64_t needed, size_t *count)
{
  int64_t freed = 0;
  size_t i = 0, last;
  while (i < n && freed + of[i].demand < needed) freed += of[i++].demand;
  if (i == n) return -1;
  last = i; /* the smallest that will do stands behind those that are greater */
  while (last + 1 < n && freed + of[last + 1].demand >= needed) last++;
  while (last > i && of[last - 1].demand == of[last].demand) last--;
  of[i] = of[last];
  *count = i + 1;
  return freed + of[i].demand;
}

/* @param evicts whether others may go for it @param from where the scratch list is free */
static hc_rc choose(hc_yt *y, uint32_t op, bool evicts, size_t from, outcome *best)
{
  const int64_t demand = demand_of(y, op);
  *best = (outcome){.module = HC_YT_NO_MODULE};
  for (uint32_t i = 0; i < y->modules->count; i++) {
    const hc_yt_module *m = &y->modules->items[i];
    outcome x = {.module = i};
    size_t count;
    if (!could_hold(y, i, op) || i == y->ops[op].module) continue;
    if (m->gpus - m->reserved < demand) {
      if (!evicts) continue;
      TRY(find_victims(y, i, from, &count));
      x.evicted =
          pick_victims(y->modules->bidders + from, count - from, demand - (m->gpus - m->reserved), &count);
      if (x.evicted < 0) continue;
    }
    x.score = score_of(y, i, m->reserved - x.evicted + demand);
    compare(best, &x);
  }
  return 0;
}

static hc_rc evict_for(hc_yt *y, uint32_t op, const outcome *x, size_t from, hc_time at)
{
  const hc_yt_module *m = &y->modules->items[x->module];
  size_t count, victims;
  TRY(find_victims(y, x->module, from, &count));
  (void)pick_victims(y->modules->bidders + from, count - from, demand_of(y, op) - (m->gpus - m->reserved),
                     &victims);
  for (size_t i = 0; i < victims; i++) {
    const uint32_t victim = y->modules->bidders[from + i].op;
    let_go(y, victim);
    y->ops[victim].waits_since = at;
    y->modules->n.evicted++;
  }
  return 0;
}

/* ---- a tick ---- */

/* What is reserved, which wait, and which have lost all that they held elsewhere. */
static void take_stock(hc_yt *y, hc_time at)
{
  hc_yt_modules *m = y->modules;
  for (uint32_t i = 0; i < m->count; i++) m->items[i].reserved = 0;
  m->moving = 0;
  for (uint32_t i = 0; i < y->op_count; i++) {
    hc_yt_operation *o = &y->ops[i];
    const hc_member *x = &y->turns->books.members[i];
    if (o->node == HC_POOL_NONE || !o->is_large) continue;
    o->is_moving &= x->holding > 0;
    m->moving += o->is_moving;
    if (o->module == HC_YT_NO_MODULE) continue;
    m->items[o->module].reserved += demand_of(y, i);
    if (x->waiting == 0) o->waits_since = HC_NEVER;
    else if (o->waits_since == HC_NEVER) o->waits_since = at;
  }
}

/* Has it waited for longer than this? */
static bool is_over(const hc_yt_operation *o, hc_time patience, hc_time at)
{
  return o->waits_since != HC_NEVER && hc_time_add(o->waits_since, patience) < at;
}

/* Operations without a module. @param urgent only those of priority whose patience is over */
static hc_rc bind_all(hc_yt *y, bool urgent, hc_time at)
{
  size_t count = 0;
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    if (o->node == HC_POOL_NONE || !o->is_large || o->module != HC_YT_NO_MODULE) continue;
    if (urgent && !(is_priority(y, i) && is_over(o, y->o.modules.patience, at))) continue;
    TRY(add_bidder(y, i, &count));
  }
  sort_bidders(y->modules->bidders, count);
  for (size_t i = 0; i < count; i++) {
    const uint32_t op = y->modules->bidders[i].op;
    outcome best;
    TRY(choose(y, op, urgent, count, &best));
    if (best.module == HC_YT_NO_MODULE) continue;
    if (best.evicted > 0) TRY(evict_for(y, op, &best, count, at));
    bind(y, op, best.module, at);
  }
  return 0;
}

/* Those that wait in vain, and can be moved: where no task is stopped, only those that hold nothing. */
static hc_rc move_all(hc_yt *y, hc_time at)
{
  size_t count = 0;
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    if (o->node == HC_POOL_NONE || !o->is_large || o->module == HC_YT_NO_MODULE || o->is_moving) continue;
    if (!is_over(o, y->o.modules.timeout, at)) continue;
    if (!y->o.modules.stops && y->turns->books.members[i].holding > 0) continue;
    TRY(add_bidder(y, i, &count));
  }
  sort_bidders(y->modules->bidders, count);
  for (size_t i = 0; i < count; i++) {
    const uint32_t op = y->modules->bidders[i].op;
    outcome best;
    TRY(choose(y, op, false, count, &best));
    if (best.module == HC_YT_NO_MODULE) continue;
    let_go(y, op);
    bind(y, op, best.module, at);
    y->modules->n.moved++;
  }
  return 0;
}

/* The next time at which a wait is over, behind `at`. What is over by then is looked at whenever anything
 * changes. */
static void set_alarm(hc_yt *y, hc_time at)
{
  hc_yt_modules *m = y->modules;
  m->at = HC_NEVER;
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    hc_time over = HC_NEVER;
    if (o->node == HC_POOL_NONE || !o->is_large || o->waits_since == HC_NEVER) continue;
    if (o->module != HC_YT_NO_MODULE) over = hc_time_add(o->waits_since, y->o.modules.timeout);
    else if (is_priority(y, i)) over = hc_time_add(o->waits_since, y->o.modules.patience);
    if (over >= at) m->at = HC_MIN(m->at, hc_time_add(over, 1));
  }
}

hc_rc hc_yt_modules_tick(hc_yt *y, hc_time at)
{
  if (!y->modules) return 0;
  take_stock(y, at);
  if (y->o.modules.priority->count > 0) TRY(bind_all(y, true, at));
  TRY(bind_all(y, false, at));
  TRY(move_all(y, at));
  set_alarm(y, at);
  return 0;
}

/* ---- what is said ---- */

void hc_yt_modules_say(const hc_yt *y, uint32_t op, char *out, size_t size)
{
  const hc_yt_operation *o = &y->ops[op];
  const char *name;
  out[0] = '\0';
  if (!y->modules || !o->is_large) return;
  if (o->module == HC_YT_NO_MODULE) {
    (void)snprintf(out, size, "its operation waits for a module with room for %.3g GPUs%s",
                   (double)demand_of(y, op) / HC_DEVICE,
                   o->is_moving ? ", and leaves the one that it had" : "");
    return;
  }
  name = y->modules->items[o->module].name;
  if (o->is_moving) (void)snprintf(out, size, "its operation moves to module %.60s", name);
  else (void)snprintf(out, size, "its operation is bound to module %.60s", name);
}

hc_rc hc_yt_modules_find(const hc_yt *y, hc_findings *f)
{
  const hc_yt_modules *m = y->modules;
  if (!m) return 0;
  TRY(hc_find_count(f, "yt_module_binds", "operations", (int64_t)m->n.bound));
  TRY(hc_find_count(f, "yt_module_moves", "operations", (int64_t)m->n.moved));
  TRY(hc_find_count(f, "yt_module_evictions", "operations", (int64_t)m->n.evicted));
  TRY(hc_find_count(f, "yt_module_oversized", "operations", (int64_t)m->n.oversized));
  for (uint32_t i = 0; i < m->count; i++) {
    TRY(hc_find_cell(f, "yt_modules", i, "gpus", "gpus", (double)m->items[i].gpus / HC_DEVICE));
    TRY(hc_find_cell(f, "yt_modules", i, "reserved", "gpus", (double)m->items[i].reserved / HC_DEVICE));
  }
  return 0;
}

/* ---- state ---- */

hc_rc hc_yt_modules_visit(hc_yt *y, hc_visitor *v)
{
  hc_yt_modules *m = y->modules;
  if (!m) return 0;
  for (uint32_t i = 0; i < m->count; i++) {
    HC_VISIT(v, m->items[i].gpus);
    HC_VISIT(v, m->items[i].largest);
    HC_VISIT(v, m->items[i].reserved);
  }
  HC_VISIT(v, m->at);
  HC_VISIT(v, m->n);
  if (!hc_visit_loading(v)) return 0;
  m->moving = 0;
  for (uint32_t i = 0; i < y->op_count; i++) {
    const hc_yt_operation *o = &y->ops[i];
    if (o->module != HC_YT_NO_MODULE && o->module >= m->count) return HC_EINPUT;
    m->moving += o->node != HC_POOL_NONE && o->is_moving;
  }
  return 0;
}
