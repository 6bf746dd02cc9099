/* plain.c -- profiles of numbers alone, read without a tree.
 *
 * A workload may say of each of a million tasks that it computes so much, or lasts so long. The general way
 * reads such a text into a tree of values, looks for expressions in it, and resolves it as a configuration
 * is, with a path for each key. Here the text is read once, and each number goes where the component's table
 * has its option. Nothing is decided here that is not decided there: what is not a number, a word or a key
 * of the table, and what is out of its range, is left to the general way, with its messages.
 *
 * Cost: about a third of the general way's. */
#include "execution/plain.h"

#include <string.h>

#include "base/jsonline.h"
#include "base/text.h"

enum { NAME = 64, PARAMS_MOST = 32 };

/* The value of a parameter that is a number or a yes or no. */
static bool fill(const hc_param *p, const char *text, size_t n, void *options)
{
  void *slot = (char *)options + p->offset;
  double amount = 0;
  int64_t whole = 0;
  switch (p->type) {
    case HC_BOOL: return hc_parse_bool(text, n, slot) == 0;
    case HC_REAL:
      if (hc_parse_amount(text, n, p->unit, &amount) < 0) return false;
      *(double *)slot = amount;
      break;
    case HC_INT:
    case HC_TIME:
    case HC_SIZE:
      if (p->type == HC_INT && hc_parse_int(text, n, &whole) < 0) return false;
      if (p->type == HC_TIME && hc_parse_time(text, n, &whole) < 0) return false;
      if (p->type == HC_SIZE && hc_parse_size(text, n, &whole) < 0) return false;
      *(int64_t *)slot = whole;
      amount = p->type == HC_TIME ? (double)whole / 1e9 : (double)whole;
      break;
    case HC_TEXT:
    case HC_CHOICE:
    case HC_COMPONENT: return false;
  }
  return (p->min == 0 && p->max == 0) || (amount >= p->min && amount <= p->max);
}

static const hc_param *param_of(const hc_component *c, const hc_jsonline_token *key, size_t *place)
{
  for (*place = 0; *place < PARAMS_MOST && c->params && c->params[*place].name; ++*place) {
    const hc_param *p = &c->params[*place];
    if (strncmp(p->name, key->text, key->size) == 0 && p->name[key->size] == '\0') return p;
  }
  return NULL;
}

/* {"use":"NAME" at the beginning of the text: which component that is. */
static const hc_component *component_of(const hc_book *b, hc_jsonline *j)
{
  char name[NAME];
  if (hc_jsonline_next(j).kind != HC_JSONLINE_OBJECT) return NULL;
  hc_jsonline_token t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_KEY || t.size != 3 || memcmp(t.text, "use", 3) != 0) return NULL;
  t = hc_jsonline_next(j);
  if (t.kind != HC_JSONLINE_TEXT || t.escaped || t.size >= NAME) return NULL;
  memcpy(name, t.text, t.size);
  name[t.size] = '\0';
  return hc_registry_find(b->registry, HC_KIND_PROFILE, name);
}

/* What is written. @param given  out: bit k: the k-th parameter is */
static bool read_given(const hc_component *c, hc_jsonline *j, void *options, uint32_t *given)
{
  for (;;) {
    const hc_jsonline_token key = hc_jsonline_next(j);
    size_t place;
    if (key.kind == HC_JSONLINE_END) return hc_jsonline_next(j).kind == HC_JSONLINE_DONE;
    if (key.kind != HC_JSONLINE_KEY || key.escaped) return false;
    const hc_param *p = param_of(c, &key, &place);
    const hc_jsonline_token value = hc_jsonline_next(j);
    if (!p || p->list || (*given & 1u << place)) return false;
    *given |= 1u << place;
    if (value.kind == HC_JSONLINE_NUMBER && p->type != HC_BOOL) {
      if (!fill(p, value.text, value.size, options)) return false;
    } else if (p->type == HC_BOOL && (value.kind == HC_JSONLINE_TRUE || value.kind == HC_JSONLINE_FALSE)) {
      *(bool *)(void *)((char *)options + p->offset) = value.kind == HC_JSONLINE_TRUE;
    } else {
      return false;
    }
  }
}

/* What is not written: defaults that are spelt as numbers are. */
static bool read_defaults(const hc_component *c, void *options, uint32_t given)
{
  size_t k = 0;
  for (const hc_param *p = c->params; p && p->name; p++, k++) {
    if (k == PARAMS_MOST) return false;
    if (given & 1u << k) continue;
    if (p->list || !p->fallback || !fill(p, p->fallback, strlen(p->fallback), options)) return false;
  }
  return true;
}

bool hc_plain_read(const hc_book *b, hc_arena *a, const char *text, size_t size, hc_chosen *out)
{
  hc_jsonline j;
  uint32_t given = 0;
  hc_jsonline_begin(&j, text, size);
  const hc_component *c = component_of(b, &j);
  void *options = c ? hc_arena_alloc(a, c->options_size) : NULL;
  if (!options || !read_given(c, &j, options, &given) || !read_defaults(c, options, given)) return false;
  out->type = c;
  out->options = options;
  return true;
}
