/* json.c -- a JSON file as a tree. */
#include "irmasim/json.h"

#include <string.h>

#include "base/util.h"

static hc_rc node_of(hc_arena *a, const hc_json_token *t, const char *key, hc_irm_json **out)
{
  const bool has_text = t->kind == HC_JSON_NUMBER || t->kind == HC_JSON_STRING;
  hc_irm_json *v = hc_arena_alloc(a, sizeof *v);
  if (!v) return HC_ENOMEM;
  v->kind = t->kind;
  v->line = t->line;
  v->column = t->column;
  v->key = key;
  v->text = has_text ? hc_arena_text(a, t->text, t->size) : "";
  *out = v;
  return v->text ? 0 : HC_ENOMEM;
}

/* Values within each other are no deeper than HC_JSON_DEPTH. */
static hc_rc fill(hc_arena *a, hc_json *j, hc_irm_json *of, hc_error *e)
{
  const hc_irm_json **to = &of->first;
  hc_json_token t;
  hc_rc rc;
  while ((rc = hc_json_next(j, &t, e)) > 0) {
    const char *key = NULL;
    hc_irm_json *v;
    if (t.kind == HC_JSON_KEY) {
      key = hc_arena_text(a, t.text, t.size);
      if (!key) return HC_ENOMEM;
      if ((rc = hc_json_next(j, &t, e)) < 1) return rc < 0 ? rc : HC_EINPUT;
    }
    TRY(node_of(a, &t, key, &v));
    if (t.kind == HC_JSON_OBJECT || t.kind == HC_JSON_ARRAY) TRY(fill(a, j, v, e));
    *to = v;
    to = &v->next;
  }
  return rc;
}

hc_rc hc_irm_json_read(hc_arena *a, const char *path, const hc_irm_json **out, hc_error *e)
{
  hc_json *j;
  hc_irm_json all = {.kind = HC_JSON_ARRAY};
  TRY(hc_json_open(a->allocator, path, &j, e));
  hc_rc rc = fill(a, j, &all, e);
  hc_json_free(j);
  TRY(rc);
  if (!all.first || all.first->kind != HC_JSON_OBJECT)
    return hc_fail(e, HC_EINPUT, path, 1, 1, "expected an object of JSON, {...}");
  *out = all.first;
  return 0;
}

const hc_irm_json *hc_irm_member(const hc_irm_json *object, const char *key)
{
  const hc_irm_json *found = NULL;
  if (!object || object->kind != HC_JSON_OBJECT) return NULL;
  for (const hc_irm_json *v = object->first; v; v = v->next)
    if (strcmp(v->key, key) == 0) found = v;
  return found;
}

const char *hc_irm_string(const hc_irm_json *object, const char *key)
{
  const hc_irm_json *v = hc_irm_member(object, key);
  return v && v->kind == HC_JSON_STRING ? v->text : NULL;
}

bool hc_irm_number_of(const hc_irm_json *v, hc_irm_number *out)
{
  return v && v->kind == HC_JSON_NUMBER && hc_irm_read(v->text, strlen(v->text), out);
}
