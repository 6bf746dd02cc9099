/* native_scripts.c -- profiles of the native format that are kept as they are, for a run that carries them
 * out (execution/book.h).
 *
 * A named one is translated once, when its file is read: its tree is what others that name it get, its text
 * is what tasks carry. What a task describes itself is translated with the task. Whether it is right (names,
 * parameters, ranges) is found here, where its place is known, so that nothing is left to find when it runs.
 * What it takes alone is worked out as for runs without a model, where that is possible: a task without a
 * limit is believed to take so long. */
#include <string.h>

#include "base/util.h"
#include "execution/expressions.h"
#include "workload/native.h"

void hc_native_scripts_init(hc_native_scripts *s, const hc_allocator *a, const hc_book *book)
{
  *s = (hc_native_scripts){.allocator = a, .book = book};
  hc_arena_init(&s->lasting, a);
  hc_arena_init(&s->scratch, a);
  hc_buffer_init(&s->text, a);
}

void hc_native_scripts_fini(hc_native_scripts *s)
{
  hc_free(s->allocator, s->all, s->cap * sizeof *s->all);
  hc_buffer_fini(&s->text);
  hc_arena_fini(&s->scratch);
  hc_arena_fini(&s->lasting);
}

/* ---- names ---- */

typedef struct reading {
  const hc_native_profiles *names;
  const hc_native_scripts *scripts;
  const hc_value *file; /* of profiles, while it is read */
} reading;

static bool find(void *ctx, const char *name, hc_book_name *out)
{
  const reading *r = ctx;
  const uint32_t id = hc_names_find(&r->names->names, name, strlen(name));
  if (id == HC_MAP_NONE) return false;
  *out = r->scripts->all[id].name;
  return true;
}

static bool is_below(void *ctx, const char *name)
{
  const reading *r = ctx;
  return r->file && hc_value_get(r->file, name);
}

/* Into a tree that lasts as long as `a`, which is right. */
static hc_rc translate(reading *r, hc_arena *a, const hc_value *v, hc_value **tree, size_t *size, hc_error *e)
{
  const hc_book *b = r->scripts->book;
  const hc_book_names names = {r, find, is_below};
  hc_chosen unused;
  TRY(hc_book_translate(b, a, v, &names, tree, size, e));
  return hc_expressions_resolve(b, a, *tree, &unused, NULL, e);
}

/* ---- the file ---- */

static hc_rc define(hc_native_scripts *s, hc_native_profiles *p, reading *r, const hc_value *v, hc_error *e)
{
  hc_native_script x = {0};
  hc_native_length l;
  hc_error unused = {0};
  hc_value *tree;
  uint32_t id;
  TRY(translate(r, &s->lasting, v, &tree, &x.name.size, e));
  x.name.tree = tree;
  s->text.size = 0;
  hc_value_write_json(tree, &s->text, false);
  if (s->text.failed) return HC_ENOMEM;
  x.size = s->text.size;
  x.text = hc_arena_text(&s->lasting, s->text.data, x.size);
  if (!x.text) return HC_ENOMEM;
  if (hc_native_length_of(p, v, &l, &unused) < 0) l = (hc_native_length){.other = true};
  const hc_rc rc = hc_names_add(&p->names, v->key, strlen(v->key), &id);
  if (rc == HC_ELIMIT) return hc_value_fail_key(v, e, rc, "more than 16,777,216 profiles are defined");
  TRY(rc);
  TRY(hc_reserve(p->allocator, (void **)&p->all, &p->cap, (size_t)id + 1, sizeof *p->all));
  TRY(hc_reserve(s->allocator, (void **)&s->all, &s->cap, (size_t)id + 1, sizeof *s->all));
  p->all[id] = l;
  s->all[id] = x;
  return 0;
}

hc_rc hc_native_scripts_read(hc_native_scripts *s, hc_native_profiles *p, const char *path, hc_error *e)
{
  hc_value *root;
  TRY(hc_value_parse_file(&s->lasting, path, &root, e));
  reading r = {p, s, root};
  if (root->kind != HC_VALUE_MAP && root->kind != HC_VALUE_NULL)
    return hc_value_fail(root, e, HC_EINPUT,
                         "a file of profiles maps names to profiles: \"short: {delay: 10}\"");
  for (size_t i = 0; i < root->count; i++) TRY(define(s, p, &r, root->items[i], e));
  return 0;
}

/* ---- a task's ---- */

hc_rc hc_native_script_of(hc_native_scripts *s, const hc_native_profiles *p, const hc_value *v,
                          const char **text, size_t *size, hc_native_length *alone, hc_error *e)
{
  reading r = {p, s, NULL};
  hc_error unused = {0};
  hc_value *tree;
  const uint32_t id =
      v->kind == HC_VALUE_SCALAR ? hc_names_find(&p->names, v->text, strlen(v->text)) : HC_MAP_NONE;
  if (id != HC_MAP_NONE) {
    *text = s->all[id].text;
    *size = s->all[id].size;
    *alone = p->all[id];
    return 0;
  }
  hc_arena_reset(&s->scratch);
  TRY(translate(&r, &s->scratch, v, &tree, size, e));
  s->text.size = 0;
  hc_value_write_json(tree, &s->text, false);
  if (s->text.failed) return HC_ENOMEM;
  *text = s->text.data;
  *size = s->text.size;
  if (hc_native_length_of(p, v, alone, &unused) < 0) *alone = (hc_native_length){.other = true};
  return 0;
}
