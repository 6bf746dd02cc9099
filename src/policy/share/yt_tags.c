/* yt_tags.c -- which hosts operations of a pool may use: see policy/share/yt.h.
 *
 * A pool's `tags` is a formula over the features and attributes that classes of hosts have. Its operations,
 * and those of pools in it, start tasks only on hosts of which it is true, and of which those of all pools
 * above it are; and a pool is due no more than such hosts have. As in YTsaurus (scheduling_tag_filter), whose
 * formulas write & and | where ours write && and ||: both are read.
 *
 * What a class has does not change in a run, so a formula is evaluated once for each class; what hosts have
 * is added up anew when the cell changes. Cost: a byte for each pool and class; O(hosts x pools with tags)
 * for a change of the cell. */
#include <string.h>

#include "base/expr.h"
#include "base/util.h"
#include "policy/share/yt.h"

enum { NAMES = 1024, LONGEST = HC_EXPR_LIMIT / 2 };

typedef struct naming {
  const char *names[NAMES];
  uint32_t ids[NAMES]; /* in the lexicon */
  size_t count;
} naming;

/* ---- formulas ---- */

static hc_rc name_all(const hc_yt *y, naming *n, hc_error *e)
{
  const hc_cell_spec *cell = y->o.cell;
  for (uint32_t c = 0; c < cell->class_count; c++)
    for (uint32_t k = 0; k < cell->classes[c].attribute_count; k++) {
      const uint32_t id = cell->classes[c].attributes[k].name;
      size_t i = 0;
      while (i < n->count && n->ids[i] != id) i++;
      if (i < n->count) continue;
      if (n->count == NAMES)
        return hc_fail(e, HC_ELIMIT, "policy yt", 0, 0, "tags: hosts have more than %d features in all",
                       NAMES);
      n->ids[n->count] = id;
      n->names[n->count++] = hc_lexicon_text(y->turns->o.lexicon, id);
    }
  return 0;
}

/* A text that is there is 1. */
static double value_of(const hc_host_class *class, uint32_t id)
{
  for (uint32_t k = 0; k < class->attribute_count; k++)
    if (class->attributes[k].name == id)
      return class->attributes[k].is_text ? 1 : (double)class->attributes[k].value;
  return 0;
}

/* & and | that stand alone become && and ||. */
static void widen(const char *text, char *out)
{
  for (const char *s = text; *s; s++) {
    *out++ = *s;
    if (*s != '&' && *s != '|') continue;
    *out++ = *s;
    if (s[1] == *s) s++;
  }
  *out = '\0';
}

static hc_rc evaluate(hc_yt *y, const naming *n, uint32_t pool, hc_error *e)
{
  const hc_cell_spec *cell = y->o.cell;
  const char *tags = y->pools[pool].o->tags;
  uint8_t *admits = y->admits + (size_t)pool * cell->class_count;
  char text[HC_EXPR_LIMIT + 1];
  double values[NAMES];
  hc_expr *x;
  if (strlen(tags) > LONGEST)
    return hc_fail(e, HC_ELIMIT, "policy yt", 0, 0, "pools: %.80s: tags of more than %d characters",
                   y->pools[pool].o->name, LONGEST);
  widen(tags, text);
  TRY(hc_expr_compile(&y->arena, text, n->names, n->count, &x, e));
  for (uint32_t c = 0; c < cell->class_count; c++) {
    for (size_t i = 0; i < n->count; i++) values[i] = value_of(&cell->classes[c], n->ids[i]);
    const double v = hc_expr_value(x, values);
    admits[c] &= v == v && v != 0;
  }
  return 0;
}

/* Parents come first: what they admit is known. */
hc_rc hc_yt_read_tags(hc_yt *y, hc_error *e)
{
  const uint32_t classes = y->o.cell ? y->o.cell->class_count : 0;
  naming n = {.count = 0};
  if (!y->has_tags) return 0;
  if (classes == 0)
    return hc_fail(e, HC_EUNSUPPORTED, "policy yt", 0, 0,
                   "pools: `tags` are of hosts, and this cell has none: use a cell of hosts");
  y->admits = hc_alloc(y->allocator, y->pool_count * classes);
  if (!y->admits) return HC_ENOMEM;
  TRY(name_all(y, &n, e));
  memset(y->admits, 1, classes);
  for (uint32_t p = 1; p < y->pool_count; p++) {
    memcpy(y->admits + (size_t)p * classes, y->admits + (size_t)y->turns->pools.parent[p] * classes, classes);
    if (y->pools[p].o->tags) TRY(evaluate(y, &n, p, e));
  }
  return 0;
}

void hc_yt_free_tags(hc_yt *y)
{
  if (y->admits) hc_free(y->allocator, y->admits, y->pool_count * y->o.cell->class_count);
}

/* ---- hosts ---- */

static bool pool_admits(const hc_yt *y, uint32_t pool, uint32_t host)
{
  return y->admits[(size_t)pool * y->o.cell->class_count + y->o.cell->class_of[host]] != 0;
}

bool hc_yt_tags_admit(const hc_yt *y, uint32_t op, uint32_t host)
{
  return !y->has_tags || pool_admits(y, y->ops[op].pool, host);
}

bool hc_yt_measure_hosts(hc_yt *y, const hc_view *v)
{
  const uint32_t dims = y->turns->books.dims;
  bool is_other = false;
  for (uint32_t p = 1; p < y->pool_count && y->has_tags; p++) {
    int64_t sum[HC_DIMENSIONS] = {0};
    const int64_t *capacity;
    if (!y->pools[p].o->tags) continue;
    for (uint32_t h = 0; y->turns->services->host_free(v, h, &capacity); h++)
      for (uint32_t d = 0; d < dims && pool_admits(y, p, h); d++) sum[d] += capacity[d];
    is_other |= memcmp(y->pools[p].suitable, sum, sizeof sum) != 0;
    memcpy(y->pools[p].suitable, sum, sizeof sum);
  }
  return is_other;
}
