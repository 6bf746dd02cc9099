/* platform.c -- clusters, nodes, processors and cores out of the platform file and the library.
 *
 * Both hold groups of definitions by name; those of the platform file stand above the library's. Each child
 * of a definition is there `number` times, called by its id, or "node0", "node1" ... within its parent. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/util.h"
#include "irmasim/irmasim.h"

typedef enum group { PLATFORM, NODE, PROCESSOR, GROUPS } group;
static const char *const group_names[] = {"platform", "node", "processor"};
static const char *const library_files[] = {"platforms.json", "node_types.json", "processor_types.json"};

typedef struct building {
  hc_world *w;
  hc_irm_platform *p;
  const hc_irm_json *file, *library[GROUPS];
  const char *file_path, *library_path[GROUPS];
  hc_error *e;
} building;

/* ---- definitions ---- */

static hc_rc open_files(building *b)
{
  hc_arena *a = &b->w->arena;
  const hc_irm_settings *set = &b->w->set;
  const hc_files *files = hc_files_of(b->w->allocator);
  if (set->platform) TRY(hc_irm_json_read(a, b->file_path = set->platform, &b->file, b->e));
  for (int g = 0; set->library && g < GROUPS; g++) {
    b->library_path[g] = hc_arena_printf(a, "%s/%s", set->library, library_files[g]);
    if (!b->library_path[g]) return HC_ENOMEM;
    if (files->look(files->ctx, b->library_path[g], NULL) == HC_FILE_ABSENT) continue;
    TRY(hc_irm_json_read(a, b->library_path[g], &b->library[g], b->e));
  }
  return 0;
}

/* A definition, and the file that it stands in. */
static hc_rc find(const building *b, group g, const char *name, const hc_irm_json **out, const char **path)
{
  const hc_irm_json *v = hc_irm_member(hc_irm_member(b->file, group_names[g]), name);
  *path = b->file_path;
  if (!v) {
    v = hc_irm_member(b->library[g], name);
    *path = b->library_path[g];
  }
  *out = v;
  if (v && v->kind == HC_JSON_OBJECT) return 0;
  return hc_fail(b->e, HC_EINPUT, b->file_path ? b->file_path : b->w->set.library, 0, 0,
                 "there is no %s \"%.80s\"%s", group_names[g], name,
                 b->w->set.library ? ""
                                   : "; if it is one of IRMaSim's library, say `library:` with its folder");
}

typedef struct reading { /* of one definition */
  const building *b;
  const hc_irm_json *v;
  const char *path;
  hc_rc rc;
} reading;

static double real(reading *r, const char *key)
{
  hc_irm_number x = {0, true};
  if (r->rc < 0) return 0;
  if (!hc_irm_number_of(hc_irm_member(r->v, key), &x))
    r->rc = hc_fail(r->b->e, HC_EINPUT, r->path, r->v->line, r->v->column,
                    "expected a number `%s` in this definition", key);
  return x.value;
}

static double above(reading *r, const char *key)
{
  const double x = real(r, key);
  if (r->rc == 0 && !(x > 0 && x < 1e12))
    r->rc = hc_fail(r->b->e, HC_EINPUT, r->path, r->v->line, r->v->column, "`%s` should be above 0", key);
  return x;
}

static uint32_t count_of(reading *r, const char *key, uint32_t fallback)
{
  hc_irm_number x = {fallback, true};
  const hc_irm_json *v = hc_irm_member(r->v, key);
  if (r->rc < 0 || (!v && fallback)) return fallback;
  if (v && hc_irm_number_of(v, &x) && x.is_whole && x.value >= 0 && x.value <= HC_IRM_MOST_CORES)
    return (uint32_t)x.value;
  r->rc = hc_fail(r->b->e, HC_EINPUT, r->path, r->v->line, r->v->column,
                  "expected a whole number `%s` up to %d in this definition", key, HC_IRM_MOST_CORES);
  return 0;
}

/* Those that the model names, in its order. */
static hc_rc constants_of(reading *r, uint32_t cores, const double **out)
{
  const hc_irm_model *m = r->b->p->model;
  char why[HC_IRM_WHY] = "";
  size_t n = 0;
  while (m->constants[n]) n++;
  double *k = hc_arena_alloc(&r->b->w->arena, (n + 1) * sizeof *k);
  if (!k) return HC_ENOMEM;
  for (size_t i = 0; i < n; i++) k[i] = real(r, m->constants[i]);
  *out = k;
  TRY(r->rc);
  if (!m->check || m->check(k, cores, why) == 0) return 0;
  return hc_fail(r->b->e, HC_EINPUT, r->path, r->v->line, r->v->column, "%s", why);
}

static hc_rc processor_type(const building *b, const hc_irm_json *v, const char *path,
                            const hc_irm_processor_type **out)
{
  reading r = {b, v, path, 0};
  hc_irm_processor_type *t = hc_arena_alloc(&b->w->arena, sizeof *t);
  if (!t) return HC_ENOMEM;
  t->cores = count_of(&r, "cores", 0);
  t->clock_rate = above(&r, "clock_rate");
  t->flops_per_cycle = above(&r, "dpflops_per_cycle");
  t->mops = t->clock_rate * t->flops_per_cycle * 1e3;
  t->dynamic_power = real(&r, "dynamic_power");
  t->static_power = real(&r, "static_power") / t->cores;
  t->min_power = real(&r, "min_power");
  TRY(constants_of(&r, t->cores, &t->constants));
  *out = t;
  return 0;
}

static hc_rc node_type(const building *b, const hc_irm_json *v, const char *path,
                       const hc_irm_node_type **out)
{
  reading r = {b, v, path, 0};
  hc_irm_node_type *t = hc_arena_alloc(&b->w->arena, sizeof *t);
  if (!t) return HC_ENOMEM;
  t->cores = count_of(&r, "cores", 0);
  t->gops = above(&r, "clock_rate");
  TRY(constants_of(&r, t->cores, &t->constants));
  (void)real(&r, "pidle");
  (void)hc_irm_number_of(hc_irm_member(v, "pidle"), &t->pidle);
  *out = t;
  return r.rc;
}

/* ---- the tree ---- */

typedef struct child { /* of a definition, as often as it is there */
  const hc_irm_json *v;
  const char *path, *id;
} child;

typedef hc_rc (*make_child)(building *b, const child *c, const char *parent);

/* Each child of a definition, in order. Names within a parent are to differ: IRMaSim finds by them. */
static hc_rc make_all(building *b, const hc_irm_json *v, const char *path, const char *key, const char *word,
                      const char *parent, make_child make)
{
  const hc_irm_json *list = hc_irm_member(v, key);
  hc_names ids;
  uint32_t n = 0, id;
  hc_rc rc = 0;
  if (!list || list->kind != HC_JSON_ARRAY)
    return hc_fail(b->e, HC_EINPUT, path, v->line, v->column, "expected a list `%s` in this definition", key);
  hc_names_init(&ids, b->w->allocator, HC_IRM_MOST_CORES);
  for (const hc_irm_json *x = list->first; x && rc >= 0; x = x->next) {
    reading r = {b, x, path, 0};
    const uint32_t number = x->kind == HC_JSON_OBJECT ? count_of(&r, "number", 1) : 0;
    const char *said = hc_irm_string(x, "id");
    rc = x->kind == HC_JSON_OBJECT
             ? r.rc
             : hc_fail(b->e, HC_EINPUT, path, x->line, x->column, "expected an object in the list `%s`", key);
    for (uint32_t i = 0; i < number && rc >= 0; i++, n++) {
      child c = {x, path, said ? said : hc_arena_printf(&b->w->arena, "%s%u", word, n)};
      rc = c.id ? hc_names_add(&ids, c.id, strlen(c.id), &id) : HC_ENOMEM;
      if (rc >= 0 && id != n)
        rc = hc_fail(b->e, HC_EINPUT, path, x->line, x->column, "two of the list `%s` are called \"%.80s\"",
                     key, c.id);
      if (rc >= 0) rc = make(b, &c, parent);
    }
  }
  hc_names_fini(&ids);
  return rc;
}

static hc_rc type_of(const building *b, const child *c, group g, const hc_irm_json **out, const char **path)
{
  const char *name = hc_irm_string(c->v, "type");
  if (name) return find(b, g, name, out, path);
  return hc_fail(b->e, HC_EINPUT, c->path, c->v->line, c->v->column, "expected a name `type` of a %s",
                 group_names[g]);
}

static hc_rc make_processor(building *b, const child *c, const char *parent)
{
  hc_irm_platform *p = b->p;
  hc_irm_node *node = &p->nodes[p->node_count - 1];
  const hc_allocator *a = b->w->allocator;
  const hc_irm_processor_type *t = NULL;
  const hc_irm_json *v;
  const char *path, *own = hc_arena_printf(&b->w->arena, "%s.%s", parent, c->id);
  if (!own) return HC_ENOMEM;
  TRY(type_of(b, c, PROCESSOR, &v, &path));
  TRY(processor_type(b, v, path, &t));
  if (p->core_count + t->cores > HC_IRM_MOST_CORES)
    return hc_fail(b->e, HC_ELIMIT, HC_IRM_WHERE, 0, 0, "more than %d cores", HC_IRM_MOST_CORES);
  TRY(hc_reserve(a, (void **)&p->processors, &p->processor_cap, p->processor_count + 1,
                 sizeof *p->processors));
  TRY(hc_reserve(a, (void **)&p->cores, &p->core_cap, p->core_count + t->cores, sizeof *p->cores));
  hc_irm_processor x = {.type = t,
                        .path = own,
                        .first = (uint32_t)p->core_count,
                        .count = t->cores,
                        .power = {0, true},
                        .max_power = 0};
  for (uint32_t i = 0; i < t->cores; i++) {
    x.max_power += t->dynamic_power + t->static_power;
    p->cores[p->core_count++] = (hc_irm_core){.processor = (uint32_t)p->processor_count,
                                              .node = (uint32_t)p->node_count - 1,
                                              .task = HC_IRM_NONE,
                                              .speedup = 1};
  }
  node->count++;
  node->cores += t->cores;
  node->idle += t->cores;
  p->processors[p->processor_count++] = x;
  return 0;
}

static hc_rc make_node(building *b, const child *c, const char *parent)
{
  hc_irm_platform *p = b->p;
  const hc_irm_json *v;
  const char *path;
  hc_irm_node x = {.id = c->id,
                   .path = hc_arena_printf(&b->w->arena, "%s.%s", parent, c->id),
                   .first = (uint32_t)p->processor_count,
                   .first_core = (uint32_t)p->core_count};
  if (!x.path) return HC_ENOMEM;
  TRY(type_of(b, c, NODE, &v, &path));
  if (p->model->by_node) {
    TRY(node_type(b, v, path, &x.type));
    x.cores = x.idle = x.type->cores;
  }
  TRY(hc_reserve(b->w->allocator, (void **)&p->nodes, &p->node_cap, p->node_count + 1, sizeof *p->nodes));
  p->nodes[p->node_count++] = x;
  p->clusters[p->cluster_count - 1].count++;
  if (p->model->by_node) return 0;
  return make_all(b, v, path, "processors", "processor", x.path, make_processor);
}

static hc_rc make_cluster(building *b, const child *c, const char *parent)
{
  hc_irm_platform *p = b->p;
  const char *path = hc_arena_printf(&b->w->arena, "%s.%s", parent, c->id);
  if (!path) return HC_ENOMEM;
  TRY(hc_reserve(b->w->allocator, (void **)&p->clusters, &p->cluster_cap, p->cluster_count + 1,
                 sizeof *p->clusters));
  p->clusters[p->cluster_count++] = (hc_irm_cluster){.first = (uint32_t)p->node_count};
  return make_all(b, c->v, c->path, "nodes", "node", path, make_node);
}

/* ---- what follows from it ---- */

/* Level by level, as IRMaSim adds up. A node of modelV2 has no operations there. */
static double mops_of(const hc_irm_platform *p)
{
  double all = 0;
  for (size_t c = 0; c < p->cluster_count; c++) {
    double cluster = 0;
    for (uint32_t n = p->clusters[c].first; n < p->clusters[c].first + p->clusters[c].count; n++) {
      const hc_irm_node *x = &p->nodes[n];
      double node = 0;
      for (uint32_t i = x->first; i < x->first + x->count; i++) {
        double processor = 0;
        for (uint32_t k = 0; k < p->processors[i].count; k++) processor += p->processors[i].type->mops;
        node += processor;
      }
      cluster += node;
    }
    all += cluster;
  }
  return all;
}

static hc_rc find_same(hc_world *w)
{
  hc_irm_platform *p = &w->platform;
  hc_names ids;
  hc_map first;
  hc_rc rc = 0;
  hc_names_init(&ids, w->allocator, HC_IRM_MOST_CORES);
  hc_map_init(&first, w->allocator);
  for (uint32_t i = 0; i < p->node_count && rc >= 0; i++) {
    uint32_t id;
    rc = hc_names_add(&ids, p->nodes[i].id, strlen(p->nodes[i].id), &id);
    if (rc < 0) break;
    if (hc_map_get(&first, id) == HC_MAP_NONE) rc = hc_map_set(&first, id, i);
    p->nodes[i].same = hc_map_get(&first, id);
  }
  hc_map_fini(&first);
  hc_names_fini(&ids);
  return rc;
}

/* The first by which tasks are on cores, or on nodes. */
static const hc_irm_model *model_by(bool by_node)
{
  size_t i = 0;
  while (hc_irm_model_at(i)->by_node != by_node) i++;
  return hc_irm_model_at(i);
}

static hc_rc no_model(const building *b, const hc_irm_json *v, const char *path)
{
  char names[400];
  size_t n = 0;
  for (size_t i = 0; hc_irm_model_at(i) && n < sizeof names; i++)
    n += (size_t)snprintf(names + n, sizeof names - n, "%s\"%s\"", i > 0 ? " or " : "",
                          hc_irm_model_at(i)->name);
  return hc_fail(b->e, HC_EINPUT, path, v->line, v->column, "expected `model_name` to be %s in this platform",
                 names);
}

static hc_rc model_of(building *b, const hc_irm_json *v, const char *path)
{
  const char *name = hc_irm_string(v, "model_name");
  const hc_irm_manager_type *manager = b->w->set.manager;
  for (size_t i = 0; name && hc_irm_model_at(i); i++)
    if (strcmp(hc_irm_model_at(i)->name, name) == 0) b->p->model = hc_irm_model_at(i);
  if (!b->p->model) return no_model(b, v, path);
  if (manager->by_node != b->p->model->by_node)
    return hc_fail(b->e, HC_EUSAGE, HC_IRM_WHERE, 0, 0, "manager %s needs a platform of %s", manager->name,
                   model_by(manager->by_node)->name);
  if (b->w->set.log_nodes && b->p->model->by_node)
    return hc_fail(b->e, HC_EUSAGE, HC_IRM_WHERE, 0, 0, "log_resource_type: nodes of %s have no log", name);
  return 0;
}

hc_rc hc_irm_build(hc_world *w, hc_error *e)
{
  hc_irm_platform *p = &w->platform;
  building b = {.w = w, .p = p, .e = e};
  const hc_irm_json *v;
  const char *path;
  TRY(open_files(&b));
  TRY(find(&b, PLATFORM, w->set.platform_name, &v, &path));
  p->name = w->set.platform_name;
  p->id = hc_irm_string(v, "id");
  if (!p->id) return hc_fail(e, HC_EINPUT, path, v->line, v->column, "expected a name `id` in this platform");
  TRY(model_of(&b, v, path));
  TRY(make_all(&b, v, path, "clusters", "cluster", p->id, make_cluster));
  if (p->node_count == 0 || (!p->model->by_node && p->core_count == 0))
    return hc_fail(e, HC_EINPUT, path, v->line, v->column, "this platform has no %s",
                   p->node_count ? "cores" : "nodes");
  p->busy = hc_alloc(w->allocator, p->core_count * sizeof *p->busy);
  if (!p->busy && p->core_count) return HC_ENOMEM;
  p->mops = mops_of(p);
  p->leaves = p->model->by_node ? p->node_count : p->core_count;
  return find_same(w);
}

void hc_irm_raze(hc_world *w)
{
  const hc_allocator *a = w->allocator;
  hc_irm_platform *p = &w->platform;
  for (size_t i = 0; i < p->node_count; i++)
    hc_free(a, p->nodes[i].processes, p->nodes[i].process_cap * sizeof *p->nodes[i].processes);
  hc_free(a, p->clusters, p->cluster_cap * sizeof *p->clusters);
  hc_free(a, p->nodes, p->node_cap * sizeof *p->nodes);
  hc_free(a, p->processors, p->processor_cap * sizeof *p->processors);
  hc_free(a, p->cores, p->core_cap * sizeof *p->cores);
  hc_free(a, p->busy, p->busy ? p->core_count * sizeof *p->busy : 0);
}
