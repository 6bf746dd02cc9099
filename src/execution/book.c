/* book.c -- the language of profiles.
 *
 * A workload says what a task does in the words of its source: DSLab-CS's {type, args} with dashes in names,
 * names of profiles that stand above, Batsim's words. Here all of it becomes one form, {use: NAME, parameter:
 * value, ...} with parts in place of names, whose parameters are those of the component's own table; the
 * configuration's resolver fills the options from it, so that ranges, defaults, misspelt keys and places of
 * errors are as everywhere. Its text, as JSON, is what a task carries (hc_task_extras.profile): it says all,
 * so that a task can be copied, cached, or read again anywhere.
 *
 * A name means a profile that stands above: so none contains itself, whatever the file says. Writing names
 * out can make long texts of short files; they are at most HC_PROFILE_TEXT bytes.
 *
 * A *script* is a text whose options are filled, for as long as tasks run by it; a few that no task has any
 * more are kept, since the next task often has the same. Nothing of it is state: a snapshot has the texts. */
#include "execution/book.h"

#include <stdlib.h>
#include <string.h>

#include "base/jsonline.h"
#include "base/text.h"
#include "base/util.h"
#include "execution/expressions.h"
#include "execution/plain.h"
#include "hindcast/execution.h"

/* ---- words ---- */

enum { WORD = 64, IDLE_MOST = 256, ROOM = 480, ROOM_KEPT = 4096 };

/* Other names of profiles, and of their parameters; dashes are underscores by then. */
static const struct {
  const char *word, *name;
} aliases[] = {{"compute_homogenous", "compute_homogeneous"},
               {"compute_matrix", "compute_vector"},
               {"communication_homogenous", "communication_homogeneous"},
               {"disk_read", "disk_ops"},
               {"disk_write", "disk_ops"},
               {"composed", "sequence"}};
static const struct {
  const char *profile, *word, *name;
} arguments[] = {{"idle", "delay", "time"},
                 {"delay", "delay", "time"},
                 {"compute_homogeneous", "work", "compute_work"},
                 {"compute_vector", "work", "compute_work"},
                 {"compute_vector", "matrix", "compute_work"},
                 {"sequence", "seq", "profiles"}};

/* A word as a component's name: dashes become underscores. @param room [WORD] */
static const char *name_of(const char *word, char *room)
{
  const size_t n = strlen(word);
  if (n >= WORD) return word;
  for (size_t i = 0; i <= n; i++) room[i] = word[i] == '-' ? '_' : word[i];
  for (size_t i = 0; i < HC_ARRAY_LEN(aliases); i++)
    if (strcmp(aliases[i].word, room) == 0) return aliases[i].name;
  return room;
}

static const hc_component *find(const hc_book *b, const char *word)
{
  char room[WORD];
  return hc_registry_find(b->registry, HC_KIND_PROFILE, name_of(word, room));
}

static const char *parameter_of(const hc_component *c, const char *word)
{
  for (const hc_param *p = c->params; p && p->name; p++)
    if (strcmp(p->name, word) == 0) return p->name;
  for (size_t i = 0; i < HC_ARRAY_LEN(arguments); i++)
    if (strcmp(arguments[i].profile, c->name) == 0 && strcmp(arguments[i].word, word) == 0)
      return arguments[i].name;
  return word;
}

static const hc_param *row_of(const hc_component *c, const char *name)
{
  for (const hc_param *p = c->params; p && p->name; p++)
    if (strcmp(p->name, name) == 0) return p;
  return NULL;
}

/* ---- translation ---- */

typedef struct translation {
  const hc_book *book;
  hc_arena *arena;
  const hc_book_names *names;
  size_t size; /* of the text so far, at least */
  hc_error *e;
} translation;

static hc_rc translate(translation *t, const hc_value *v, hc_value **out);
static hc_rc make(translation *t, const hc_value *at, const hc_component *c, const hc_value *args,
                  const char *but, hc_value **out);

/* A copy of a value without what stands in it: it keeps its place. */
static hc_value *shell(translation *t, const hc_value *v, hc_value_kind kind)
{
  hc_value *out = hc_arena_alloc(t->arena, sizeof *out);
  if (!out) return NULL;
  *out = *v;
  out->kind = kind;
  out->items = NULL;
  out->count = out->cap = 0;
  return out;
}

static hc_rc grow(translation *t, const hc_value *v, size_t by)
{
  t->size += by;
  if (t->size <= HC_PROFILE_TEXT) return 0;
  return hc_value_fail(
      v, t->e, HC_ELIMIT,
      "this profile is longer than %zu bytes when the names in it are written out: nest less, "
      "or use `repeat`",
      HC_PROFILE_TEXT);
}

/* A copy of a scalar; of an expression marked as one. */
static hc_value *copy_scalar(translation *t, const hc_param *p, const hc_value *v)
{
  hc_value *copy = shell(t, v, v->kind);
  if (!copy || v->kind != HC_VALUE_SCALAR || !hc_expression_is(p, v->text)) return copy;
  copy->text = hc_arena_printf(t->arena, "=%s", v->text);
  copy->quoted = true;
  return copy->text ? copy : NULL;
}

static hc_rc add_scalar(translation *t, const hc_param *p, hc_value *list, const hc_value *v)
{
  hc_value *copy = copy_scalar(t, p, v);
  if (!copy) return HC_ENOMEM;
  TRY(grow(t, v, v->text ? strlen(v->text) + 2 : 6));
  return hc_value_append(t->arena, list, copy);
}

/* Rows of a matrix one after the other: all are as long as the first. */
static hc_rc flatten(translation *t, const hc_param *p, const hc_value *v, hc_value **out)
{
  hc_value *flat = shell(t, v, HC_VALUE_LIST);
  if (!flat) return HC_ENOMEM;
  for (size_t i = 0; i < v->count; i++) {
    const hc_value *row = v->items[i];
    if (row->kind != HC_VALUE_LIST || row->count != v->items[0]->count)
      return hc_value_fail(row, t->e, HC_EUSAGE, "each row of a matrix is a list as long as the first one");
    for (size_t j = 0; j < row->count; j++) TRY(add_scalar(t, p, flat, row->items[j]));
  }
  *out = flat;
  return 0;
}

/* A component that is no profile, such as a law of speed-up: linear, {amdahl: 0.4}, {type: amdahl, args:
 * {fraction: 0.4}} or {use: amdahl, fraction: 0.4}. */
static hc_rc other(translation *t, const hc_param *p, const hc_value *v, hc_value **out)
{
  const hc_value *use = v->kind == HC_VALUE_MAP ? hc_value_get(v, "use") : NULL;
  const hc_value *type = v->kind == HC_VALUE_MAP ? hc_value_get(v, "type") : NULL;
  const hc_value *word = use ? use : type ? type : v;
  const char *text = NULL;
  char room[WORD];
  if (word->kind == HC_VALUE_SCALAR) text = word->text;
  else if (v->kind == HC_VALUE_MAP && v->count == 1) text = v->items[0]->key;
  if (!text)
    return hc_value_fail(v, t->e, HC_EUSAGE, "%s is the name of one, {amdahl: 0.4}, or {use: ..., ...}",
                         p->name);
  const hc_component *c = hc_registry_find(t->book->registry, p->kind, name_of(text, room));
  if (c && use) return make(t, v, c, v, "use", out);
  if (c && type) return make(t, v, c, hc_value_get(v, "args"), NULL, out);
  if (c) return make(t, v, c, v->kind == HC_VALUE_MAP ? v->items[0] : NULL, NULL, out);
  const char *near = hc_registry_nearest(t->book->registry, p->kind, name_of(text, room));
  return hc_value_fail(v, t->e, HC_EUSAGE, "no %s \"%.60s\" is known%s%s%s", p->name, text,
                       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* Add a part to a list of them. What is coupled within what is coupled is one with it: {coupled: [a,
 * {coupled: [b, c]}]} is {coupled: [a, b, c]}. */
static hc_rc add_part(translation *t, const hc_component *c, hc_value *list, hc_value *part)
{
  static const char flat[] = "coupled";
  const hc_value *use = hc_value_get(part, "use"), *inner = hc_value_get(part, "profiles");
  if (strcmp(c->name, flat) != 0 || !use || strcmp(use->text, flat) != 0 || !inner ||
      inner->kind != HC_VALUE_LIST)
    return hc_value_append(t->arena, list, part);
  for (size_t i = 0; i < inner->count; i++) {
    hc_value *copy = hc_arena_alloc(t->arena, sizeof *copy);
    if (!copy) return HC_ENOMEM;
    *copy = *inner->items[i];
    TRY(hc_value_append(t->arena, list, copy));
  }
  return 0;
}

static hc_rc argument(translation *t, const hc_component *c, const hc_param *p, const hc_value *v,
                      hc_value **out)
{
  const bool parts = p && p->type == HC_COMPONENT && p->kind == HC_KIND_PROFILE;
  if (v->kind == HC_VALUE_LIST && p && p->list && !parts && v->count > 0 &&
      v->items[0]->kind == HC_VALUE_LIST)
    return flatten(t, p, v, out);
  if (v->kind == HC_VALUE_LIST) {
    *out = shell(t, v, HC_VALUE_LIST);
    if (!*out) return HC_ENOMEM;
    for (size_t i = 0; i < v->count; i++) {
      hc_value *item;
      if (!parts) {
        TRY(add_scalar(t, p, *out, v->items[i]));
        continue;
      }
      TRY(translate(t, v->items[i], &item));
      TRY(add_part(t, c, *out, item));
    }
    return 0;
  }
  if (parts) return translate(t, v, out);
  if (p && p->type == HC_COMPONENT && v->kind != HC_VALUE_NULL) return other(t, p, v, out);
  TRY(grow(t, v, v->text ? strlen(v->text) + 2 : 6));
  *out = copy_scalar(t, p, v);
  return *out ? 0 : HC_ENOMEM;
}

static hc_rc put(translation *t, hc_value *map, const hc_component *c, const char *word, const hc_value *v)
{
  const char *name = parameter_of(c, word);
  hc_value *item;
  if (hc_value_get(map, name))
    return hc_value_fail(v, t->e, HC_EUSAGE, "%s of a %s is given twice", name, c->name);
  TRY(grow(t, v, strlen(name) + 6));
  TRY(argument(t, c, row_of(c, name), v, &item));
  return hc_value_put(t->arena, map, name, item);
}

/* {tries: {idle: 5}}: the map is no arguments, but the profile that the first parameter is. */
static bool is_part(const hc_component *c, const hc_value *args, const char *but)
{
  const hc_param *p = c->params;
  if (but || !p || p->type != HC_COMPONENT || p->kind != HC_KIND_PROFILE) return false;
  return args->count > 0 && !row_of(c, parameter_of(c, args->items[0]->key));
}

/* {use: NAME, ...}. @param args a map, or the value of the first parameter; NULL: nothing is given
 * @param but a key of it that is no argument, or NULL */
static hc_rc make(translation *t, const hc_value *at, const hc_component *c, const hc_value *args,
                  const char *but, hc_value **out)
{
  hc_value *map = shell(t, at, HC_VALUE_MAP), *use;
  if (!map) return HC_ENOMEM;
  use = hc_value_scalar(t->arena, c->name, at->origin);
  if (!use) return HC_ENOMEM;
  TRY(grow(t, at, strlen(c->name) + 12));
  TRY(hc_value_put(t->arena, map, "use", use));
  if (args && args->kind == HC_VALUE_MAP && !is_part(c, args, but)) {
    for (size_t i = 0; i < args->count; i++)
      if (!but || strcmp(args->items[i]->key, but) != 0)
        TRY(put(t, map, c, args->items[i]->key, args->items[i]));
  } else if (args && args->kind != HC_VALUE_NULL) {
    if (!c->params || !c->params[0].name)
      return hc_value_fail(args, t->e, HC_EUSAGE, "the profile %s has no parameters", c->name);
    TRY(put(t, map, c, c->params[0].name, args));
  }
  *out = map;
  return 0;
}

static hc_rc unknown(const translation *t, const hc_value *v, const char *word)
{
  char room[WORD];
  const char *near = hc_registry_nearest(t->book->registry, HC_KIND_PROFILE, name_of(word, room));
  if (t->names && t->names->is_below && t->names->is_below(t->names->ctx, word))
    return hc_value_fail(v, t->e, HC_EUSAGE,
                         "the profile \"%.60s\" stands below: a profile is defined above those that name it, "
                         "so that none contains itself",
                         word);
  return hc_value_fail(v, t->e, HC_EUSAGE, "no profile \"%.60s\" is defined above or built in%s%s%s", word,
                       near ? "; did you mean \"" : "", near ? near : "",
                       near ? "\"?" : ": `hindcast list profile` names those that are");
}

/* A name: one of the file's own first. */
static hc_rc named(translation *t, const hc_value *v, const char *word, bool *found, hc_value **out)
{
  hc_book_name n;
  *found = t->names && t->names->find(t->names->ctx, word, &n);
  if (!*found) return 0;
  *out = shell(t, n.tree, n.tree->kind); /* as it is, at another place */
  if (!*out) return HC_ENOMEM;
  (*out)->items = n.tree->items;
  (*out)->count = (*out)->cap = n.tree->count;
  return grow(t, v, n.size);
}

/* A word with what is given to it: a built-in profile, or a named one, which takes nothing. */
static hc_rc worded(translation *t, const hc_value *at, const hc_value *word, const hc_value *args,
                    const char *but, hc_value **out)
{
  const bool given =
      args && args->kind != HC_VALUE_NULL && !(args->kind == HC_VALUE_MAP && args->count == (but ? 1u : 0u));
  const hc_component *c;
  bool found;
  if (word->kind != HC_VALUE_SCALAR)
    return hc_value_fail(word, t->e, HC_EUSAGE, "the type of a profile is a name");
  TRY(named(t, at, word->text, &found, out));
  if (found && given)
    return hc_value_fail(args, t->e, HC_EUSAGE,
                         "the profile \"%.60s\" is defined above with its arguments, and takes no others",
                         word->text);
  if (found) return 0;
  c = find(t->book, word->text);
  return c ? make(t, at, c, args, but, out) : unknown(t, word, word->text);
}

static hc_rc translate(translation *t, const hc_value *v, hc_value **out)
{
  if (v->kind == HC_VALUE_SCALAR && !(v->text[0] == '\0')) return worded(t, v, v, NULL, NULL, out);
  if (v->kind == HC_VALUE_MAP) {
    const hc_value *type = hc_value_get(v, "type"), *use = hc_value_get(v, "use");
    if (use) return worded(t, v, use, v, "use", out);
    if (type) {
      for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->items[i]->key, "type") != 0 && strcmp(v->items[i]->key, "args") != 0)
          return hc_value_fail_key(v->items[i], t->e, HC_EUSAGE,
                                   "a profile has `type` and `args`, and no \"%.60s\"", v->items[i]->key);
      return worded(t, v, type, hc_value_get(v, "args"), NULL, out);
    }
    if (v->count == 1) {
      hc_value *word = shell(t, v->items[0], HC_VALUE_SCALAR);
      if (!word) return HC_ENOMEM;
      word->text = v->items[0]->key;
      word->line = v->items[0]->key_line;
      word->column = v->items[0]->key_column;
      return worded(t, v, word, v->items[0], NULL, out);
    }
  }
  return hc_value_fail(v, t->e, HC_EUSAGE,
                       "a profile is the name of one, {type: ..., args: {...}}, or {delay: 10} for short");
}

hc_rc hc_book_translate(const hc_book *b, hc_arena *a, const hc_value *v, const hc_book_names *names,
                        hc_value **out, size_t *size, hc_error *e)
{
  translation t = {.book = b, .arena = a, .names = names, .e = e};
  TRY(translate(&t, v, out));
  *size = t.size;
  return 0;
}

/* ---- parts ---- */

/* Call for each part of a profile, below it; `each` may be called again for theirs. */
static hc_rc each_part(const hc_chosen *profile, hc_rc (*each)(void *ctx, const hc_chosen *part), void *ctx)
{
  for (const hc_param *p = profile->type->params; p && p->name; p++) {
    const char *slot = (const char *)profile->options + p->offset;
    if (p->type != HC_COMPONENT || p->kind != HC_KIND_PROFILE) continue;
    if (!p->list) {
      const hc_chosen *one = (const hc_chosen *)(const void *)slot;
      if (one->type) TRY(each(ctx, one));
      continue;
    }
    const hc_list *l = (const hc_list *)(const void *)slot;
    const hc_chosen *items = l->items;
    for (size_t i = 0; i < l->count; i++) TRY(each(ctx, &items[i]));
  }
  return 0;
}

hc_rc hc_book_check(const hc_chosen *profile, uint32_t processes, hc_error *e)
{
  const hc_profile_type *type = (const hc_profile_type *)profile->type;
  if (type->state_size > HC_PROFILE_STATE)
    return hc_fail(e, HC_EUNSUPPORTED, "", 0, 0, "the profile %s wants to remember %u bytes, and may %d",
                   type->component.name, type->state_size, HC_PROFILE_STATE);
  return type->check ? type->check(profile->options, processes, e) : 0;
}

static hc_rc uniform_part(void *ctx, const hc_chosen *part)
{
  *(bool *)ctx &= hc_book_is_uniform(part);
  return 0;
}

/* Under a law the process with the least speed x cores may be another than the slowest. */
static bool has_law(const hc_chosen *profile)
{
  for (const hc_param *p = profile->type->params; p && p->name; p++) {
    const hc_chosen *law = (const hc_chosen *)(const void *)((const char *)profile->options + p->offset);
    if (p->type == HC_COMPONENT && p->kind == HC_KIND_SPEEDUP && !p->list && law->type) return true;
  }
  return false;
}

bool hc_book_is_uniform(const hc_chosen *profile)
{
  bool is = ((const hc_profile_type *)profile->type)->is_uniform && !has_law(profile);
  (void)each_part(profile, uniform_part, &is);
  return is;
}

/* ---- laws of speed-up ---- */

static const hc_chosen *law_of(const hc_chosen *profile)
{
  for (const hc_param *p = profile->type->params; p && p->name; p++)
    if (p->type == HC_COMPONENT && p->kind == HC_KIND_SPEEDUP && !p->list)
      return (const hc_chosen *)(const void *)((const char *)profile->options + p->offset);
  return NULL;
}

static hc_rc check_laws(void *ctx, const hc_chosen *profile)
{
  const hc_chosen *law = law_of(profile);
  const hc_speedup_type *type = law ? (const hc_speedup_type *)law->type : NULL;
  if (type && type->check) TRY(type->check(law->options, ctx));
  return each_part(profile, check_laws, ctx);
}

hc_rc hc_book_check_laws(const hc_chosen *profile, const hc_value *at, hc_error *e)
{
  hc_error mine = {0};
  const hc_rc rc = check_laws(&mine, profile);
  return rc < 0 ? hc_value_fail(at, e, rc, "%s", mine.text[0] ? mine.text : hc_rc_text(rc)) : rc;
}

/* It is read as that of a computation, which is all that there is of it. */
hc_rc hc_book_law(const hc_book *b, hc_arena *a, const hc_value *v, hc_chosen *out, hc_error *e)
{
  static const char computes[] = "compute_homogeneous";
  translation t = {.book = b, .arena = a, .e = e};
  const hc_component *c = hc_registry_find(b->registry, HC_KIND_PROFILE, computes);
  hc_value *map = shell(&t, v, HC_VALUE_MAP), *use = hc_value_scalar(a, computes, v->origin),
           *work = hc_value_scalar(a, "1", v->origin), *law;
  hc_chosen profile;
  if (!map || !use || !work) return HC_ENOMEM;
  TRY(other(&t, row_of(c, "speedup"), v, &law));
  TRY(hc_value_put(a, map, "use", use));
  TRY(hc_value_put(a, map, "compute_work", work));
  TRY(hc_value_put(a, map, "speedup", law));
  TRY(b->resolve(b, a, map, &profile, e));
  *out = *law_of(&profile);
  return hc_book_check_laws(&profile, v, e);
}

/* ---- scripts ---- */

void hc_scripts_init(hc_scripts *s, const hc_allocator *a)
{
  *s = (hc_scripts){.allocator = a, .vacant = HC_NO_SCRIPT};
  hc_map_init(&s->by_hash, a);
  hc_arena_init(&s->scratch, a);
}

/* What was a script becomes a free place, with its room unless that is large. */
static void vacate(hc_scripts *s, uint32_t at, hc_arena room)
{
  if (hc_arena_size(&room) > ROOM_KEPT) hc_arena_fini(&room);
  hc_arena_reset(&room);
  s->items[at] = (hc_script){.arena = room, .next = s->vacant};
  s->vacant = at;
}

static void clear(hc_scripts *s, uint32_t at)
{
  const hc_script *x = &s->items[at];
  if (hc_map_get(&s->by_hash, x->hash) == at) hc_map_remove(&s->by_hash, x->hash);
  vacate(s, at, x->arena);
}

void hc_scripts_fini(hc_scripts *s)
{
  for (uint32_t i = 0; i < s->count; i++) hc_arena_fini(&s->items[i].arena);
  hc_map_fini(&s->by_hash);
  hc_arena_fini(&s->scratch);
  hc_free(s->allocator, s->items, s->cap * sizeof *s->items);
}

static hc_rc count_part(void *ctx, const hc_chosen *part)
{
  ++*(uint32_t *)ctx;
  return each_part(part, count_part, ctx);
}

static hc_rc note_part(void *ctx, const hc_chosen *part)
{
  hc_script *x = ctx;
  x->parts[x->part_count] = part;
  x->by_place[x->part_count] = (hc_script_part){part, x->part_count};
  x->part_count++;
  return each_part(part, note_part, ctx);
}

/* Which expressions each part has: they stand in the order of the parts. */
static hc_rc note_exprs(hc_script *x, const hc_script_exprs *exprs)
{
  size_t at = 0;
  if (exprs->count == 0) return 0;
  x->first_expr = hc_arena_alloc(&x->arena, (x->part_count + (size_t)1) * sizeof *x->first_expr);
  if (!x->first_expr) return HC_ENOMEM;
  for (uint32_t i = 0; i < x->part_count; i++) {
    x->first_expr[i] = (uint32_t)at;
    while (at < exprs->count && exprs->items[at].part == x->parts[i]) at++;
  }
  x->first_expr[x->part_count] = (uint32_t)at;
  HC_ASSERT(at == exprs->count);
  x->exprs = exprs->items;
  return 0;
}

static int by_address(const void *a, const void *b)
{
  const uintptr_t x = (uintptr_t)((const hc_script_part *)a)->chosen,
                  y = (uintptr_t)((const hc_script_part *)b)->chosen;
  return x < y ? -1 : x > y;
}

/* ---- the text of a script ---- */

static hc_value *read_value(hc_arena *a, hc_jsonline *j, const hc_jsonline_token *t);

/* What stands in a map or list up to its end. */
static bool read_items(hc_arena *a, hc_jsonline *j, hc_value *into)
{
  for (;;) {
    hc_jsonline_token t = hc_jsonline_next(j);
    const char *key = NULL;
    hc_value *item;
    if (t.kind == HC_JSONLINE_END) return true;
    if (t.kind == HC_JSONLINE_KEY) {
      key = t.escaped ? NULL : hc_arena_text(a, t.text, t.size);
      if (!key) return false;
      t = hc_jsonline_next(j);
    }
    item = read_value(a, j, &t);
    if (!item || (key ? hc_value_put(a, into, key, item) : hc_value_append(a, into, item)) < 0) return false;
  }
}

static hc_value *read_value(hc_arena *a, hc_jsonline *j, const hc_jsonline_token *t)
{
  hc_value *v = hc_arena_alloc(a, sizeof *v);
  if (!v || t->kind == HC_JSONLINE_WRONG || t->kind == HC_JSONLINE_DONE || t->escaped) return NULL;
  v->origin = HC_FROM_FILE;
  if (t->kind == HC_JSONLINE_OBJECT || t->kind == HC_JSONLINE_ARRAY) {
    v->kind = t->kind == HC_JSONLINE_OBJECT ? HC_VALUE_MAP : HC_VALUE_LIST;
    return read_items(a, j, v) ? v : NULL;
  }
  if (t->kind == HC_JSONLINE_NULL) return v;
  v->kind = HC_VALUE_SCALAR;
  v->quoted = t->kind == HC_JSONLINE_TEXT;
  v->text = hc_arena_text(a, t->text, t->size);
  return v->text ? v : NULL;
}

/* Texts that were written here are JSON, read without a look at YAML; what is anything else, or wrong, is the
 * general reader's. */
static hc_rc read_text(hc_arena *a, const char *text, size_t size, hc_value **out, hc_error *e)
{
  hc_jsonline j;
  hc_jsonline_begin(&j, text, size);
  hc_jsonline_token t = hc_jsonline_next(&j);
  *out = t.kind == HC_JSONLINE_OBJECT ? read_value(a, &j, &t) : NULL;
  if (*out && hc_jsonline_next(&j).kind == HC_JSONLINE_DONE) return 0;
  return hc_value_parse(a, text, size, "a profile", out, e);
}

/* Its tree is needed no longer than its options are filled, but where expressions stand in it, which keep
 * their texts: so all trees are made in one place, and of a script little is left. */
static hc_rc read_script(const hc_book *b, hc_arena *scratch, hc_script *x, const char *text, size_t size,
                         hc_error *e)
{
  hc_value *tree;
  uint32_t parts = 0;
  hc_script_exprs exprs = {0};
  x->size = size;
  x->text = hc_arena_text(&x->arena, text, size);
  hc_chosen *root = hc_arena_alloc(&x->arena, sizeof *root);
  if (!x->text || !root) return HC_ENOMEM;
  if (!hc_plain_read(b, &x->arena, text, size, root)) {
    hc_arena_reset(scratch);
    TRY(read_text(strstr(x->text, "\"=") ? &x->arena : scratch, text, size, &tree, e));
    TRY(hc_expressions_resolve(b, &x->arena, tree, root, &exprs, e));
  }
  (void)count_part(&parts, root);
  x->parts = hc_arena_alloc(&x->arena, parts * sizeof *x->parts);
  x->by_place = hc_arena_alloc(&x->arena, parts * sizeof *x->by_place);
  if (!x->parts || !x->by_place) return HC_ENOMEM;
  (void)note_part(x, root);
  qsort(x->by_place, parts, sizeof *x->by_place, by_address);
  TRY(note_exprs(x, &exprs));
  x->root = *root;
  x->is_uniform = hc_book_is_uniform(root);
  for (uint32_t i = 0; i < parts; i++) {
    const hc_profile_type *type = (const hc_profile_type *)x->parts[i]->type;
    x->has_labels |= type->label != NULL;
    x->is_uneven |= type->is_uneven && type->is_uneven(x->parts[i]->options);
  }
  return 0;
}

static hc_rc add_script(hc_scripts *s, const hc_book *b, const char *text, size_t size, uint64_t hash,
                        uint32_t *out, hc_error *e)
{
  hc_script x = {.hash = hash, .next = HC_NO_SCRIPT};
  uint32_t at = s->vacant;
  if (at == HC_NO_SCRIPT) {
    TRY(hc_reserve(s->allocator, (void **)&s->items, &s->cap, s->count + 1, sizeof *s->items));
    hc_arena_init_small(&x.arena, s->allocator, ROOM);
    at = (uint32_t)s->count++;
  } else {
    s->vacant = s->items[at].next;
    x.arena = s->items[at].arena;
  }
  hc_rc rc = read_script(b, &s->scratch, &x, text, size, e);
  if (rc == 0 && hc_map_get(&s->by_hash, hash) == HC_MAP_NONE) rc = hc_map_set(&s->by_hash, hash, at);
  if (rc < 0) {
    vacate(s, at, x.arena);
    return rc;
  }
  s->items[at] = x;
  *out = at;
  return 0;
}

hc_rc hc_scripts_take(hc_scripts *s, const hc_book *b, const char *text, size_t size, uint32_t *out,
                      hc_error *e)
{
  hc_hash h;
  uint64_t sum[2];
  hc_hash_init(&h);
  hc_hash_add(&h, text, size);
  hc_hash_end(&h, sum);
  uint32_t at = hc_map_get(&s->by_hash, sum[0]);
  if (at == HC_MAP_NONE || s->items[at].size != size || memcmp(s->items[at].text, text, size) != 0)
    TRY(add_script(s, b, text, size, sum[0], &at, e));
  else if (s->items[at].held == 0) s->idle--;
  s->items[at].held++;
  *out = at;
  return 0;
}

/* Of those that no task has, all go at once when they are too many: their texts are read again if need be. */
void hc_scripts_drop(hc_scripts *s, uint32_t script)
{
  if (script == HC_NO_SCRIPT || --s->items[script].held > 0) return;
  if (++s->idle <= IDLE_MOST) return;
  for (uint32_t i = 0; i < s->count; i++)
    if (s->items[i].text && s->items[i].held == 0) clear(s, i);
  s->idle = 0;
}

uint32_t hc_script_part_of(const hc_script *s, const hc_chosen *place)
{
  uint32_t low = 0, high = s->part_count;
  while (low < high) {
    const uint32_t mid = (low + high) / 2;
    const hc_script_part *x = &s->by_place[mid];
    if (x->chosen == place) return x->number;
    if ((uintptr_t)x->chosen < (uintptr_t)place) low = mid + 1;
    else high = mid;
  }
  return HC_NO_SCRIPT;
}
