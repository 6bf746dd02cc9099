/* slurm_nodes.c -- see slurm_nodes.h.
 *
 * A processor is what Slurm counts as one (CPUs): a core, or a hardware thread where CPUs says so; without
 * CPUs it is all threads of all cores of all sockets, and one where these are not said either. What a node
 * keeps for its system (CoreSpecCount, MemSpecLimit) no task gets. Nodes whose State is down, drained,
 * failed or future are left out: what is recorded of nodes that go and come is a matter of `events`. */
#include "cluster/slurm_nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/lexer.h"
#include "base/sort.h"
#include "base/util.h"
#include "cluster/host_rules.h"

#define MOST_NAME ((size_t)1024)
#define MOST_CPUS (INT64_C(1) << 32)
#define MOST_MEMORY (HC_MOST_AMOUNT >> 20) /* MiB */

/* ---- one line ---- */

/* A line while its class is made. */
typedef struct kind {
  hc_slurm_nodes *n;
  const hc_conf_line *line;
  hc_host_class class;
  hc_attribute_list attributes;
  const char *gpu_model; /* NULL: not said */
  size_t model_size;
  bool is_mixed;
} kind;

static hc_rc wrong(const kind *k, const hc_conf_pair *p, const char *expected, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, k->line->file, k->line->line, 0, "%s=%.60s: expected %s", p->key, p->value,
                 expected);
}

/* A whole number; `fallback` if the line and its defaults do not say it. */
static hc_rc get(const kind *k, const char *key, int64_t most, int64_t fallback, int64_t *out, hc_error *e)
{
  const hc_conf_pair *p = hc_conf_get(&k->n->defaults, k->line, key);
  *out = fallback;
  if (!p) return 0;
  if (!hc_conf_amount(p->value, strlen(p->value), out) || *out > most)
    return wrong(k, p, "a whole number", e);
  return 1;
}

static hc_rc add_attribute(kind *k, const char *name, size_t size, const char *value, hc_error *e)
{
  return hc_rules_attribute(k->n->b, &k->attributes, name, size, value, k->line->file, e);
}

/* What is said of a node's shape, which constraints of tasks may name. @return 1 if it was said */
static hc_rc shape(kind *k, const char *key, const char *name, int64_t fallback, int64_t *out, hc_error *e)
{
  char text[32];
  const hc_rc rc = get(k, key, MOST_CPUS, fallback, out, e);
  if (rc != 1) return rc;
  (void)snprintf(text, sizeof text, "%lld", (long long)*out);
  TRY(add_attribute(k, name, strlen(name), text, e));
  return 1;
}

static hc_rc read_cpus(kind *k, hc_error *e)
{
  int64_t boards, sockets, of_board, cores, threads, cpus, kept;
  TRY(get(k, "Boards", MOST_CPUS, 1, &boards, e));
  TRY(get(k, "SocketsPerBoard", MOST_CPUS, 0, &of_board, e));
  TRY(shape(k, "Sockets", "sockets", HC_MAX(of_board, 1), &sockets, e));
  TRY(shape(k, "CoresPerSocket", "cores_per_socket", 1, &cores, e));
  TRY(shape(k, "ThreadsPerCore", "threads_per_core", 1, &threads, e));
  TRY(get(k, "CoreSpecCount", MOST_CPUS, 0, &kept, e));
  if (of_board > 0) sockets = of_board * HC_MIN(boards, MOST_CPUS / HC_MAX(of_board, 1));
  if (boards == 0 || sockets == 0 || cores == 0 || threads == 0 || sockets > MOST_CPUS / cores ||
      sockets * cores > MOST_CPUS / threads)
    return hc_fail(e, HC_EINPUT, k->line->file, k->line->line, 0,
                   "sockets, cores and threads are at least 1, and at most 2^32 together");
  const int64_t all = sockets * cores, whole = all * threads;
  TRY(get(k, "CPUs", MOST_CPUS, whole, &cpus, e));
  cpus -= kept * (cpus > all ? threads : 1);
  if (cpus <= 0)
    return hc_fail(e, HC_EINPUT, k->line->file, k->line->line, 0, "its nodes have no processors");
  k->class.capacity[HC_DIM_CPU] = cpus * 1000;
  return 0;
}

static hc_rc read_memory(kind *k, hc_error *e)
{
  int64_t memory, kept, disk;
  TRY(get(k, "RealMemory", MOST_MEMORY, 1, &memory, e));
  TRY(get(k, "MemSpecLimit", MOST_MEMORY, 0, &kept, e));
  TRY(get(k, "TmpDisk", MOST_MEMORY, 0, &disk, e));
  k->class.capacity[HC_DIM_MEMORY] = HC_MAX(memory - kept, 0) << 20;
  k->class.capacity[HC_DIM_DISK] = disk << 20;
  return 0;
}

static hc_rc read_weight(kind *k, hc_error *e)
{
  int64_t weight;
  const hc_rc rc = shape(k, "Weight", "weight", 1, &weight, e);
  return HC_MIN(rc, 0);
}

static hc_rc read_features(kind *k, hc_error *e)
{
  const hc_conf_pair *p = hc_conf_get(&k->n->defaults, k->line, "Features");
  if (!p) p = hc_conf_get(&k->n->defaults, k->line, "Feature");
  for (const char *at = p ? p->value : ""; *at;) {
    const size_t n = strcspn(at, ",");
    if (n > 0) TRY(add_attribute(k, at, n, NULL, e));
    at += n + (at[n] == ',');
  }
  return 0;
}

/* ---- GPUs and other generic resources ---- */

/* The parts of "gpu:a100:2(S:0)". */
typedef struct item {
  const char *name, *type; /* type NULL: none */
  size_t name_size, type_size;
  int64_t count;
} item;

static bool read_item(const char *s, size_t n, item *out)
{
  const char *parenthesis = memchr(s, '(', n);
  if (parenthesis) n = (size_t)(parenthesis - s);
  *out = (item){.name = s, .count = 1};
  for (size_t at = 0, part = 0; at < n; part++) {
    const char *colon = memchr(s + at, ':', n - at);
    const size_t size = colon ? (size_t)(colon - s) - at : n - at;
    const char *text = s + at;
    at += size + 1;
    if (part == 0) out->name_size = size;
    else if (hc_conf_amount(text, size, &out->count)) return at >= n;
    else if (size == strlen("no_consume") && memcmp(text, "no_consume", size) == 0) out->count = 0;
    else if (!out->type) out->type = text, out->type_size = size;
    else return false;
  }
  return out->name_size > 0;
}

static void note_model(kind *k, const char *type, size_t size)
{
  if (k->gpu_model && (k->model_size != size || memcmp(k->gpu_model, type, size) != 0)) k->is_mixed = true;
  k->gpu_model = type;
  k->model_size = size;
}

static hc_rc take_item(kind *k, const hc_conf_pair *p, const item *i, hc_error *e)
{
  char name[96];
  int d = HC_DIM_GPU;
  const int n = snprintf(name, sizeof name, "gres/%.*s", (int)HC_MIN(i->name_size, (size_t)80), i->name);
  const bool is_gpu = strcmp(name, "gres/gpu") == 0;
  if (!is_gpu) d = hc_lexicon_dimension(k->n->b->c->lexicon, name, (size_t)n);
  if (d < 0) return wrong(k, p, "fewer kinds of resources: a cell counts 64", e);
  if (is_gpu && i->count + k->class.devices > HC_DEVICES) return wrong(k, p, "at most 128 GPUs in a node", e);
  if (is_gpu && i->type) note_model(k, i->type, i->type_size);
  if (is_gpu) k->class.devices += (uint32_t)i->count;
  k->class.capacity[d] += i->count * (is_gpu ? HC_DEVICE : 1);
  return k->class.capacity[d] <= HC_MOST_AMOUNT ? 0 : wrong(k, p, "at most 2^52 of a resource", e);
}

static hc_rc keep_first(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(e);
  (void)snprintf(ctx, MOST_NAME, "%s", name);
  return 1;
}

/* The type of GPUs in gres.conf, of which a line is about a node if it names it, or names none. The nodes of
 * a line of slurm.conf are alike: the first stands for all. */
static hc_rc model_of_gres(kind *k, hc_error *e)
{
  char first[MOST_NAME] = "";
  const hc_conf *g = k->n->gres;
  hc_hostlist nodes = hc_conf_list(k->line, k->line->pairs[0].value, keep_first, first);
  TRY(hc_hostlist_each(&nodes, e));
  for (size_t i = 0; g && i < g->count; i++) {
    const hc_conf_line *l = &g->lines[i];
    const hc_conf_pair *names = hc_conf_find(l, "NodeName"), *name = hc_conf_find(l, "Name"),
                       *type = hc_conf_find(l, "Type");
    hc_rc is_one = !names;
    if (!name || !type || !hc_conf_same(name->value, "gpu")) continue;
    nodes = hc_conf_list(l, names ? names->value : "", NULL, NULL);
    if (names) TRY(is_one = hc_hostlist_has(&nodes, first, e));
    if (is_one) note_model(k, type->value, strlen(type->value));
  }
  return 0;
}

static hc_rc read_gres(kind *k, hc_error *e)
{
  const hc_conf_pair *p = hc_conf_get(&k->n->defaults, k->line, "Gres");
  for (const char *at = p ? p->value : ""; *at;) {
    const size_t n = strcspn(at, ",");
    item i;
    if (n > 0 && !read_item(at, n, &i)) return wrong(k, p, "NAME[:TYPE]:COUNT, as in gpu:a100:4", e);
    if (n > 0) TRY(take_item(k, p, &i, e));
    at += n + (at[n] == ',');
  }
  if (k->class.devices == 0) return 0;
  if (!k->gpu_model) TRY(model_of_gres(k, e));
  k->n->devices += k->is_mixed;
  if (!k->gpu_model || k->is_mixed) return 0;
  const char *model = hc_builder_text(k->n->b, k->gpu_model, k->model_size, e);
  return model ? add_attribute(k, "gpu_model", strlen("gpu_model"), model, e) : HC_ENOMEM;
}

/* ---- nodes ---- */

/* Where a state may hold several words, DOWN+DRAIN, the first counts. */
static bool is_left_out(const char *state)
{
  static const char *const words[] = {"down", "drain", "drained", "draining", "fail", "failing", "future"};
  const size_t n = strcspn(state, "+*");
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (hc_same_word(state, n, words[i])) return true;
  return false;
}

typedef struct naming {
  hc_slurm_nodes *n;
  const hc_conf_line *line;
  uint32_t class; /* HC_NO_NAME: they are left out */
} naming;

static hc_rc name_host(void *ctx, const char *name, hc_error *e)
{
  const naming *x = ctx;
  hc_slurm_nodes *n = x->n;
  const size_t size = strlen(name);
  const bool is_out = hc_names_find(&n->left_out, name, size) != HC_MAP_NONE;
  uint32_t id = 0;
  hc_rc rc = 0;
  if (x->class != HC_NO_NAME && !is_out) rc = hc_builder_host(n->b, name, size, x->class, &id, e);
  if (x->class == HC_NO_NAME && !is_out && n->left_out.count < HC_MOST_HOSTS) {
    rc = hc_names_find(&n->b->names, name, size) != HC_MAP_NONE ? 0 : 1;
    if (rc == 1 && hc_names_add(&n->left_out, name, size, &id) < 0) return HC_ENOMEM;
  }
  if (rc < 0) return rc;
  return rc == 1 ? 0
                 : hc_fail(e, HC_EINPUT, x->line->file, x->line->line, 0, "the node %.80s stands there twice",
                           name);
}

static hc_rc make_class(kind *k, uint32_t *class, hc_error *e)
{
  char name[32];
  TRY(read_cpus(k, e));
  TRY(read_memory(k, e));
  TRY(read_weight(k, e));
  TRY(read_features(k, e));
  TRY(read_gres(k, e));
  (void)snprintf(name, sizeof name, "nodes%u", ++k->n->lines);
  k->class.name = name;
  k->class.speed = 1;
  k->class.attributes = k->attributes.items;
  k->class.attribute_count = (uint32_t)k->attributes.count;
  return hc_builder_class(k->n->b, &k->class, class, e);
}

hc_rc hc_slurm_nodes_line(hc_slurm_nodes *n, const hc_conf_line *l, hc_error *e)
{
  const hc_rc is_default = hc_conf_is_default(&n->defaults, n->b->c->allocator, l);
  if (is_default != 0) return HC_MIN(is_default, 0);
  const hc_conf_pair *state = hc_conf_get(&n->defaults, l, "State");
  naming x = {n, l, HC_NO_NAME};
  if (!state || !is_left_out(state->value)) {
    kind k = {.n = n, .line = l};
    const hc_rc rc = make_class(&k, &x.class, e);
    hc_free(n->b->c->allocator, k.attributes.items, k.attributes.cap * sizeof *k.attributes.items);
    if (rc < 0) return rc;
  }
  const hc_hostlist nodes = hc_conf_list(l, l->pairs[0].value, name_host, &x);
  return hc_hostlist_each(&nodes, e);
}

bool hc_slurm_nodes_knows(const hc_slurm_nodes *n, const char *name, bool *is_host)
{
  const size_t size = strlen(name);
  *is_host = hc_names_find(&n->b->names, name, size) != HC_MAP_NONE;
  return *is_host || hc_names_find(&n->left_out, name, size) != HC_MAP_NONE;
}

/* ---- their order ---- */

static size_t digits(const char *s)
{
  return strspn(s, "0123456789");
}

/* Numbers of a name are compared as numbers, and digit by digit if one begins with a zero. */
static int compare_numbers(const char *a, size_t n, const char *b, size_t m)
{
  if (*a != '0' && *b != '0' && n != m) return n < m ? -1 : 1;
  const int order = memcmp(a, b, HC_MIN(n, m));
  return order != 0 || n == m ? order : n < m ? -1 : 1;
}

static int compare_names(const char *a, const char *b)
{
  while (*a && *b) {
    const size_t n = digits(a), m = digits(b);
    const int order = n > 0 && m > 0 ? compare_numbers(a, n, b, m) : (unsigned char)*a - (unsigned char)*b;
    if (order != 0) return order;
    a += n > 0 ? n : 1;
    b += m > 0 ? m : 1;
  }
  return (*a != '\0') - (*b != '\0');
}

HC_SORT_OF(sort_names, uint32_t, compare_names(((char *const *)of)[*a], ((char *const *)of)[*b]) < 0)

static bool is_in_order(const hc_names *names)
{
  for (uint32_t i = 1; i < names->count; i++)
    if (compare_names(names->names[i - 1], names->names[i]) > 0) return false;
  return true;
}

hc_rc hc_slurm_nodes_sort(hc_slurm_nodes *n)
{
  hc_host_builder *b = n->b;
  const hc_allocator *a = b->c->allocator;
  const uint32_t count = (uint32_t)b->names.count;
  uint32_t *order, *classes, id;
  hc_names names;
  hc_rc rc = 0;
  if (is_in_order(&b->names)) return 0;
  order = hc_alloc(a, count * sizeof *order);
  classes = hc_alloc(a, count * sizeof *classes);
  hc_names_init(&names, a, UINT32_MAX);
  if (!order || !classes) rc = HC_ENOMEM;
  for (uint32_t i = 0; rc >= 0 && i < count; i++) order[i] = i;
  if (rc >= 0) sort_names(order, count, b->names.names);
  for (uint32_t i = 0; rc >= 0 && i < count; i++) {
    const char *name = b->names.names[order[i]];
    classes[i] = b->class_of[order[i]];
    rc = hc_names_add(&names, name, strlen(name), &id);
  }
  if (rc >= 0) {
    const hc_names old = b->names;
    memcpy(b->class_of, classes, count * sizeof *classes);
    b->names = names;
    names = old;
  }
  hc_names_fini(&names);
  hc_free(a, order, count * sizeof *order);
  hc_free(a, classes, count * sizeof *classes);
  return HC_MIN(rc, 0);
}

void hc_slurm_nodes_init(hc_slurm_nodes *n, hc_host_builder *b, const hc_conf *gres)
{
  *n = (hc_slurm_nodes){.b = b, .gres = gres};
  hc_names_init(&n->left_out, b->c->allocator, UINT32_MAX);
}

void hc_slurm_nodes_fini(hc_slurm_nodes *n)
{
  hc_free(n->b->c->allocator, n->defaults.lines, n->defaults.cap * sizeof(const hc_conf_line *));
  hc_names_fini(&n->left_out);
}
