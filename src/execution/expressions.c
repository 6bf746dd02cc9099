/* expressions.c -- arithmetic in place of the numbers of profiles. See expressions.h.
 *
 * A profile's options are filled once for all tasks that have its text; where an expression stands they hold
 * a 1 until an instance is called, which gets a copy with the values of its task and round. Whole numbers and
 * sizes are rounded down, times to the nearest ns. What comes out is held against the parameter's range, as a
 * number that is written there is. */
#include "execution/expressions.h"

#include <string.h>

#include "base/text.h"
#include "base/util.h"

static const char *const variables[] = {
#define X(name, text) text,
    HC_SCRIPT_VARIABLES(X)
#undef X
};

static bool is_number(hc_type type)
{
  return type == HC_INT || type == HC_REAL || type == HC_TIME || type == HC_SIZE;
}

static bool is_plain(const hc_param *p, const char *text)
{
  const size_t n = strlen(text);
  int64_t whole;
  double real;
  switch (p->type) {
    case HC_INT: return hc_parse_int(text, n, &whole) == 0;
    case HC_REAL: return hc_parse_amount(text, n, p->unit, &real) == 0;
    case HC_TIME: return hc_parse_time(text, n, &whole) == 0;
    case HC_SIZE: return hc_parse_size(text, n, &whole) == 0;
    case HC_BOOL:
    case HC_TEXT:
    case HC_CHOICE:
    case HC_COMPONENT: break;
  }
  return true;
}

bool hc_expression_is(const hc_param *p, const char *text)
{
  if (!p || !is_number(p->type) || is_plain(p, text)) return false;
  if (strpbrk(text, "+*/%^()<>=!&|?")) return true;
  if (text[0] != '\0' && strchr(text + 1, '-')) return true;
  for (size_t i = 0; i < HC_ARRAY_LEN(variables); i++)
    if (strcmp(variables[i], text) == 0) return true;
  return false;
}

/* ---- a text is read ---- */

/* Expressions of a tree, in its order: first taken out of it, then bound to what was filled from it. */
typedef struct reading {
  const hc_book *book;
  hc_arena *arena;
  hc_script_expr *items;
  hc_value **values; /* where they stand; their texts are put back in the end */
  size_t count, cap;
  size_t bound; /* so many of them, in the second walk */
  hc_error *e;
} reading;

static const char placeholder[] = "1";

static hc_rc take_out(reading *r, const hc_param *p, hc_value *v)
{
  hc_error mine = {0};
  hc_script_expr x = {.param = p, .text = v->text + 1};
  hc_expr *compiled;
  if (r->count == HC_EXPRESSIONS_MOST)
    return hc_value_fail(v, r->e, HC_ELIMIT, "a profile has more than %d expressions", HC_EXPRESSIONS_MOST);
  const hc_rc rc = hc_expr_compile(r->arena, x.text, variables, HC_ARRAY_LEN(variables), &compiled, &mine);
  if (rc < 0) {
    mine.rc = rc;
    return hc_value_fail(v, r->e, rc, "%s: expected %s or an expression: %s", p->name,
                         p->type == HC_TIME   ? "a time"
                         : p->type == HC_SIZE ? "a size"
                                              : "a number",
                         mine.text[0] ? mine.text : hc_rc_text(rc));
  }
  if (r->count == r->cap) {
    const size_t cap = r->cap * 2 + 8;
    hc_script_expr *items = hc_arena_alloc(r->arena, cap * sizeof *items);
    hc_value **values = hc_arena_alloc(r->arena, cap * sizeof(hc_value *));
    if (!items || !values) return HC_ENOMEM;
    if (r->count > 0) memcpy(items, r->items, r->count * sizeof *items);
    if (r->count > 0) memcpy(values, r->values, r->count * sizeof(hc_value *));
    r->items = items;
    r->values = values;
    r->cap = cap;
  }
  x.expr = compiled;
  r->items[r->count] = x;
  r->values[r->count++] = v;
  v->text = placeholder;
  v->quoted = false;
  return 0;
}

/* One scalar of a parameter. @param part NULL in the first walk */
static hc_rc scalar(reading *r, const hc_chosen *part, const hc_param *p, size_t index, hc_value *v)
{
  if (!part) return v->kind == HC_VALUE_SCALAR && v->quoted && v->text[0] == '=' ? take_out(r, p, v) : 0;
  if (v->kind != HC_VALUE_SCALAR || v->text != placeholder) return 0;
  r->items[r->bound].part = part;
  r->items[r->bound++].index = index;
  return 0;
}

static hc_rc walk(reading *r, const hc_chosen *part, hc_value *map);

static const hc_chosen *chosen_at(const hc_chosen *part, const hc_param *p, size_t index)
{
  const char *slot = part ? (const char *)part->options + p->offset : NULL;
  if (!slot) return NULL;
  return p->list ? &((const hc_chosen *)((const hc_list *)(const void *)slot)->items)[index]
                 : (const hc_chosen *)(const void *)slot;
}

static hc_rc walk_parameter(reading *r, const hc_chosen *part, const hc_param *p, hc_value *v)
{
  const bool parts = p->type == HC_COMPONENT && p->kind == HC_KIND_PROFILE;
  if (!parts && !is_number(p->type)) return 0;
  if (v->kind != HC_VALUE_LIST || !p->list)
    return parts ? walk(r, chosen_at(part, p, 0), v) : scalar(r, part, p, 0, v);
  for (size_t i = 0; i < v->count; i++)
    TRY(parts ? walk(r, chosen_at(part, p, i), v->items[i]) : scalar(r, part, p, i, v->items[i]));
  return 0;
}

/* Those of a part stand together: first its own, then those of the parts below it. */
static hc_rc walk(reading *r, const hc_chosen *part, hc_value *map)
{
  const hc_value *use = hc_value_get(map, "use");
  const hc_component *c = use && use->kind == HC_VALUE_SCALAR
                              ? hc_registry_find(r->book->registry, HC_KIND_PROFILE, use->text)
                              : NULL;
  for (int below = 0; c && below < 2; below++)
    for (const hc_param *p = c->params; p && p->name; p++) {
      hc_value *v = hc_value_get(map, p->name);
      if (v && (p->type == HC_COMPONENT) == (below == 1)) TRY(walk_parameter(r, part, p, v));
    }
  return 0;
}

hc_rc hc_expressions_resolve(const hc_book *b, hc_arena *a, hc_value *tree, hc_chosen *out,
                             hc_script_exprs *exprs, hc_error *e)
{
  reading r = {.book = b, .arena = a, .e = e};
  hc_rc rc = walk(&r, NULL, tree);
  if (rc == 0) rc = b->resolve(b, a, tree, out, e);
  if (rc == 0) rc = hc_book_check_laws(out, tree, e);
  if (rc == 0 && r.count > 0) rc = walk(&r, out, tree);
  for (size_t i = 0; i < r.count; i++) {
    r.values[i]->text = r.items[i].text - 1;
    r.values[i]->quoted = true;
  }
  if (exprs) *exprs = (hc_script_exprs){r.items, r.count};
  return rc;
}

/* ---- an instance is called ---- */

static size_t size_of(const hc_param *p)
{
  return p->type == HC_REAL ? sizeof(double) : sizeof(int64_t);
}

static size_t aligned(size_t n)
{
  return (n + 15) & ~(size_t)15;
}

static const hc_list *list_of(const hc_chosen *part, const hc_param *p)
{
  return (const hc_list *)(const void *)((const char *)part->options + p->offset);
}

size_t hc_expressions_room(const hc_chosen *part, const hc_script_expr *exprs, size_t count)
{
  size_t n = aligned(part->type->options_size);
  for (size_t i = 0; i < count; i++)
    if (exprs[i].param->list && (i == 0 || exprs[i].param != exprs[i - 1].param))
      n += aligned(list_of(part, exprs[i].param)->count * size_of(exprs[i].param));
  return n;
}

static double whole_of(double x)
{
  const double cut = x < 9e15 && x > -9e15 ? (double)(int64_t)x : x;
  return cut > x ? cut - 1 : cut;
}

static hc_rc put(const hc_script_expr *x, const double *values, void *slot, hc_error *e)
{
  const hc_param *p = x->param;
  double v = hc_expr_value(x->expr, values);
  if (!(v - v == 0))
    return hc_fail(e, HC_EINPUT, "", 0, 0,
                   "%s = %.200s is not a number there can be: it divides by zero, or names what the task has "
                   "not",
                   p->name, x->text);
  if (p->type == HC_INT || p->type == HC_SIZE) v = whole_of(v);
  if ((p->min != 0 || p->max != 0) && (v < p->min || v > p->max))
    return hc_fail(e, HC_EINPUT, "", 0, 0, "%s = %.200s comes to %g, and must be from %g to %g", p->name,
                   x->text, v, p->min, p->max);
  if (p->type == HC_REAL) *(double *)slot = v;
  else *(int64_t *)slot = p->type == HC_TIME ? (int64_t)(v * 1e9 + (v < 0 ? -0.5 : 0.5)) : (int64_t)v;
  return 0;
}

hc_rc hc_expressions_fill(const hc_chosen *part, const hc_script_expr *exprs, size_t count,
                          const double *values, void *room, hc_error *e)
{
  char *out = room, *next = out + aligned(part->type->options_size);
  memcpy(out, part->options, part->type->options_size);
  for (size_t i = 0; i < count; i++) {
    const hc_param *p = exprs[i].param;
    void *slot = out + p->offset;
    if (p->list) {
      hc_list *l = slot;
      if (i == 0 || exprs[i - 1].param != p) { /* its own copy of the list */
        const size_t bytes = l->count * size_of(p);
        memcpy(next, l->items, bytes);
        l->items = next;
        next += aligned(bytes);
      }
      slot = (char *)l->items + exprs[i].index * size_of(p);
    }
    TRY(put(&exprs[i], values, slot, e));
  }
  return 0;
}
