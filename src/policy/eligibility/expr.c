/* expr.c -- a criterion that the user writes: any formula over what a host is and how loaded it is.
 *
 * Variables are of three sorts: fixed ones (speed, idle, host), three for each dimension of the cell
 * (cpu_used, cpu_load, cpu), and the attributes of the cell's classes by their names, a text being 1 where it
 * is there. Hosts and texts are compared as texts, too: host != "n-7", model == "V100". Variables are
 * collected from the cell when the run is built. Cost: 2 ns an operation and 1 ns a variable. */
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "base/util.h"
#include "hindcast/placement.h"

enum {
  SPEED,
  IDLE,
  HOST,
  FIXED,
  PER_DIMENSION = 3,
  MOST = FIXED + PER_DIMENSION * HC_DIMENSIONS + 64,
  NAME = 48
};

typedef struct options {
  const char *when;
} options;

/* What a variable stands for. */
typedef struct variable {
  uint32_t sort, number; /* sort: FIXED and beyond: of a dimension, an attribute */
} variable;
enum { USED = FIXED, LOAD, AMOUNT, ATTRIBUTE };

struct hc_policy {
  hc_arena arena;
  const hc_expr *expr;
  const hc_lexicon *lexicon;
  const char *const *hosts; /* by number: what they are called */
  variable variables[MOST];
  size_t count;
};

typedef struct naming {
  hc_policy *self;
  const char *names[MOST];
  char texts[MOST][NAME];
} naming;

static bool is_word(const char *s)
{
  if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_')) return false;
  return strlen(s) < NAME - 8 &&
         strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(s);
}

/* The first of two that are called alike counts. */
static void name(naming *n, const char *word, const char *tail, uint32_t sort, uint32_t number)
{
  hc_policy *self = n->self;
  char *text = n->texts[self->count];
  if (self->count == MOST || !is_word(word)) return;
  (void)snprintf(text, NAME, "%s%s", word, tail);
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(n->names[i], text) == 0) return;
  n->names[self->count] = text;
  self->variables[self->count++] = (variable){sort, number};
}

static void name_all(naming *n, const hc_eligibility_context *c)
{
  name(n, "speed", "", SPEED, 0);
  name(n, "idle", "", IDLE, 0);
  name(n, "host", "", HOST, 0);
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    const char *word = hc_lexicon_dimension_name(c->lexicon, d);
    if (!word) continue;
    name(n, word, "_used", USED, d);
    name(n, word, "_load", LOAD, d);
    name(n, word, "", AMOUNT, d);
  }
  for (uint32_t k = 0; k < c->cell->class_count; k++) {
    const hc_host_class *class = &c->cell->classes[k];
    for (uint32_t i = 0; i < class->attribute_count; i++)
      name(n, hc_lexicon_text(c->lexicon, class->attributes[i].name), "", ATTRIBUTE,
           class->attributes[i].name);
  }
}

/* Of any variable, since what attributes hold differs from class to class. */
static bool has_name(size_t i)
{
  HC_UNUSED(i);
  return true;
}

static void fini(hc_policy *self)
{
  const hc_allocator *a = self->arena.allocator;
  hc_arena_fini(&self->arena);
  hc_free(a, self, sizeof *self);
}

static hc_rc init(const hc_eligibility_context *c, const void *opts, hc_policy **out, hc_error *e)
{
  const options *o = opts;
  naming *n;
  hc_expr *x;
  hc_policy *self;
  hc_rc rc;
  if (!o->when || !o->when[0])
    return hc_fail(e, HC_EUSAGE, "eligibility expr", 0, 0,
                   "there is no formula; write one, as in when: \"cpu_load < 0.5 && speed >= 2\"");
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  hc_arena_init(&self->arena, c->allocator);
  n = hc_alloc(c->allocator, sizeof *n);
  rc = n ? 0 : HC_ENOMEM;
  if (rc == 0) {
    n->self = self;
    name_all(n, c);
    rc = hc_expr_compile_called(&self->arena, o->when, n->names, self->count, has_name, &x, e);
    if (rc == 0) self->expr = x;
    self->lexicon = c->lexicon;
    self->hosts = c->cell->host_names;
  }
  hc_free(c->allocator, n, sizeof *n);
  if (rc < 0) fini(self);
  else *out = self;
  return rc;
}

/* Amounts in cores, bytes, GPUs, units. */
static double amount_of(uint8_t which, int64_t capacity)
{
  return (double)capacity / (which == HC_DIM_CPU || which == HC_DIM_GPU ? 1000.0 : 1.0);
}

static double attribute_of(const hc_host_class *class, uint32_t number)
{
  for (uint32_t i = 0; i < class->attribute_count; i++)
    if (class->attributes[i].name == number)
      return class->attributes[i].is_text ? 1.0 : (double)class->attributes[i].value;
  return 0;
}

static double of_dimension(const hc_host_state *h, variable v)
{
  for (uint32_t d = 0; d < h->dimensions; d++) {
    if (h->which[d] != v.number) continue;
    return v.sort == USED ? h->used[d] : v.sort == LOAD ? h->load[d] : amount_of(h->which[d], h->capacity[d]);
  }
  return 0;
}

typedef struct asked {
  const hc_policy *self;
  const hc_host_state *host;
} asked;

static const char *called(const void *ctx, size_t i)
{
  const asked *a = ctx;
  const variable v = a->self->variables[i];
  const hc_host_class *class = a->host->host_class;
  if (v.sort == HOST) return a->self->hosts ? a->self->hosts[a->host->host] : NULL;
  for (uint32_t k = 0; v.sort == ATTRIBUTE && k < class->attribute_count; k++)
    if (class->attributes[k].name == v.number && class->attributes[k].is_text)
      return hc_lexicon_text(a->self->lexicon, (uint32_t) class->attributes[k].value);
  return NULL;
}

static bool admits(const hc_policy *self, const hc_host_state *h)
{
  double values[MOST], x;
  for (size_t i = 0; i < self->count; i++) {
    const variable v = self->variables[i];
    switch (v.sort) {
      case SPEED: values[i] = h->speed; break;
      case IDLE: values[i] = h->is_idle; break;
      case HOST: values[i] = (double)h->host; break;
      case ATTRIBUTE: values[i] = attribute_of(h->host_class, v.number); break;
      default: values[i] = of_dimension(h, v); break;
    }
  }
  x = hc_expr_value_called(self->expr, values, called, &(asked){self, h});
  return x == x && x != 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, when, NULL,
             "Formula that is not 0 for a host that may be used, over speed, idle (1 if no task is on it), "
             "host (its number), for each dimension D: D_used and D_load (shares, 0 to 1) and D (its amount "
             "in cores, bytes, GPUs, units), and the names of attributes and features (1 where a text or a "
             "feature is there, 0 where it is not). A host and a text are compared with names, too: host != "
             "\"n-7\" && model == \"V100\". Required."),
    {0}};

const hc_eligibility_type hc_eligibility_expr = {
    .component =
        {HC_COMPONENT_HEAD(hc_eligibility_type, HC_KIND_ELIGIBILITY), .name = "expr",
         .summary = "hosts of which a given formula is true",
         .detail =
             "+ - * / % ^, comparisons, && || !, c ? a : b, and min max abs sqrt exp log log2 log10 floor "
             "ceil round pow. A value that is not a number counts as not true. `0.3 * memory_used + 0.1 * "
             "disk_used + 0.6 * cpu_used <= 0.5` is the criterion utilisation.",
         .params = params, .options_size = sizeof(options)},
    .init = init,
    .admits = admits,
    .fini = fini,
};
