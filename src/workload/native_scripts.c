/* native_scripts.c -- profiles of the native format that are kept as they are, for a run that carries them
 * out (execution/book.h).
 *
 * A named one is translated once, when its file is read: its tree is what others that name it get, its text
 * is what tasks carry. What a task describes itself is translated with the task. Whether it is right (names,
 * parameters, ranges) is found here, where its place is known, so that nothing is left to find when it runs.
 * What it takes alone is worked out as for runs without a model, where that is possible: a task without a
 * limit is believed to take so long. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "execution/expressions.h"
#include "hindcast/profile.h"
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

/* ---- what stands around a task's: additional input and output, and what names of storage mean ---- */

/* A copy of the head: a value is in one map or list. */
static hc_value *copy_of(hc_arena *a, const hc_value *v)
{
  hc_value *copy = hc_arena_alloc(a, sizeof *copy);
  if (copy) *copy = *v;
  return copy;
}

static hc_value *empty_at(hc_arena *a, const hc_value *at, hc_value_kind kind)
{
  hc_value *x = copy_of(a, at);
  if (!x) return NULL;
  x->kind = kind;
  x->items = NULL;
  x->count = x->cap = 0;
  return x;
}

/* {KEY: ITEM} */
static hc_rc wrap(hc_arena *a, const hc_value *at, const char *key, hc_value *item, hc_value **out)
{
  *out = empty_at(a, at, HC_VALUE_MAP);
  return *out && item ? hc_value_put(a, *out, key, item) : HC_ENOMEM;
}

/* {parallel: [PROFILE, ADDITIONAL]}, or {coupled: ...}. */
static hc_rc add_beside(hc_arena *a, const hc_value *more, const hc_value **v, bool *is_coupled, hc_error *e)
{
  const hc_value *profile = more->kind == HC_VALUE_MAP ? hc_value_get(more, "profile") : NULL;
  const hc_value *coupled = profile ? hc_value_get(more, "coupled") : NULL;
  hc_field f;
  if (profile && more->count > (coupled ? 2u : 1u))
    return hc_value_fail(more, e, HC_EINPUT,
                         "additional_io is a profile, or {profile: ..., coupled: true} and nothing else");
  if (coupled && (!hc_native_scalar(coupled, &f) || hc_parse_bool(f.text, f.length, is_coupled) < 0))
    return hc_value_fail(coupled, e, HC_EINPUT, "coupled is true or false");
  hc_value *list = empty_at(a, more, HC_VALUE_LIST), *main = copy_of(a, *v), *map;
  hc_value *second = copy_of(a, profile ? profile : more);
  if (!list || !main || !second) return HC_ENOMEM;
  TRY(hc_value_append(a, list, main));
  TRY(hc_value_append(a, list, second));
  TRY(wrap(a, more, *is_coupled ? "coupled" : "parallel", list, &map));
  *v = map;
  return 0;
}

/* "LABEL=NAME" */
static hc_rc add_label(hc_arena *a, hc_value *list, const hc_value *item, hc_error *e)
{
  hc_value *text = copy_of(a, item);
  if (!text) return HC_ENOMEM;
  if (item->kind != HC_VALUE_SCALAR || !item->text[0] || !item->key || !item->key[0] ||
      strchr(item->key, '='))
    return hc_value_fail(item, e, HC_EINPUT,
                         "storage_mapping says of each label which host, or which path, it means: {pfs: "
                         "storage_1, /data: /scratch}");
  text->text = hc_arena_printf(a, "%s=%s", item->key, item->text);
  text->quoted = true;
  text->key = NULL;
  return text->text ? hc_value_append(a, list, text) : HC_ENOMEM;
}

/* {storage_mapping: {mapping: [...], profile: PROFILE}} */
static hc_rc add_mapping(hc_arena *a, const hc_value *mapping, const hc_value **v, hc_error *e)
{
  hc_value *list = empty_at(a, mapping, HC_VALUE_LIST), *inner = copy_of(a, *v), *args, *map;
  if (!list || !inner) return HC_ENOMEM;
  if (mapping->kind != HC_VALUE_MAP || mapping->count == 0)
    return hc_value_fail(mapping, e, HC_EINPUT,
                         "storage_mapping is a map of labels to hosts or paths: {pfs: storage_1}");
  for (size_t i = 0; i < mapping->count; i++) TRY(add_label(a, list, mapping->items[i], e));
  TRY(wrap(a, mapping, "mapping", list, &args));
  TRY(hc_value_put(a, args, "profile", inner));
  TRY(wrap(a, mapping, "storage_mapping", args, &map));
  *v = map;
  return 0;
}

/* As the profile storage_mapping has it: /data/x lies below /data and below /data/, /database does not. */
static bool is_name(const char *text, const char *label)
{
  const size_t n = strlen(label);
  if (strncmp(text, label, n) != 0) return false;
  return text[n] == '\0' || (label[0] == '/' && (text[n] == '/' || label[n - 1] == '/'));
}

/* Does anything in a translated profile have this name, or lie below it, or mean it ("pfs=label")? */
static bool names(const hc_value *tree, const char *label)
{
  const char *meant = tree->kind == HC_VALUE_SCALAR ? strchr(tree->text, '=') : NULL;
  if (tree->kind == HC_VALUE_SCALAR)
    return is_name(tree->text, label) || (meant && is_name(meant + 1, label));
  for (size_t i = 0; i < tree->count; i++)
    if (names(tree->items[i], label)) return true;
  return false;
}

/* The bytes of the longest path that lies below a label, with that part of it left out; 0: there is none. */
static size_t longest_below(const hc_value *tree, const char *label)
{
  size_t most = 0;
  if (tree->kind == HC_VALUE_SCALAR && is_name(tree->text, label)) most = strlen(tree->text) - strlen(label);
  for (size_t i = 0; i < tree->count; i++) most = HC_MAX(most, longest_below(tree->items[i], label));
  return most;
}

/* A label that nothing has is a slip. @param tree  the translated storage_mapping */
static hc_rc check_labels(const hc_value *mapping, const hc_value *tree, hc_error *e)
{
  const hc_value *inner = hc_value_get(tree, "profile");
  for (size_t i = 0; inner && i < mapping->count; i++) {
    const hc_value *to = mapping->items[i];
    if (!names(inner, to->key))
      return hc_value_fail_key(to, e, HC_EINPUT, "nothing that the task does names the storage \"%.80s\"",
                               to->key);
    if (strlen(to->text) + longest_below(inner, to->key) >= HC_PROFILE_PATH)
      return hc_value_fail(to, e, HC_ELIMIT,
                           "a path of the task below \"%.80s\" becomes longer than %d bytes: map a longer "
                           "part of it, or to a shorter path",
                           to->key, HC_PROFILE_PATH - 1);
  }
  return 0;
}

hc_rc hc_native_script_with(hc_native_scripts *s, const hc_native_profiles *p, const hc_value *v,
                            const hc_value *more, const hc_value *mapping, const char **text, size_t *size,
                            hc_native_length *alone, hc_error *e)
{
  reading r = {p, s, NULL};
  hc_error unused = {0};
  hc_value *tree;
  bool is_coupled = false;
  hc_arena_reset(&s->scratch);
  if (more) TRY(add_beside(&s->scratch, more, &v, &is_coupled, e));
  if (is_coupled || hc_native_length_of(p, v, alone, &unused) < 0) *alone = (hc_native_length){.other = true};
  if (mapping) TRY(add_mapping(&s->scratch, mapping, &v, e));
  TRY(translate(&r, &s->scratch, v, &tree, size, e));
  if (mapping) TRY(check_labels(mapping, tree, e));
  s->text.size = 0;
  hc_value_write_json(tree, &s->text, false);
  if (s->text.failed) return HC_ENOMEM;
  *text = s->text.data;
  *size = s->text.size;
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
