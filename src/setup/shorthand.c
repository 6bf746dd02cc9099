/* shorthand.c -- what users may write in place of `{use: ..., ...}`.
 *
 * For a reader: the path of a file. Its format is the reader that recognises the first bytes best; if the
 * file cannot be read here, its name decides, and opening it later says what is wrong with it. For a
 * policy: parts of the policy `batch` joined by +. Each is looked up as an order, a select and a place, in
 * this turn, skipping what an earlier part filled: `fcfs+easy+random` is a random placement, `random` a
 * random order. AccaSim's names for dispatchers are understood too: `EBF+FF`.
 *
 * What was written stays the place of every value made here, so that errors point at it. */
#include "setup/shorthand.h"

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/input.h"
#include "base/text.h"
#include "base/util.h"

#define HEAD_SIZE ((size_t)4096) /* bytes of a file that a reader sees when it is asked to recognise it */
#define NEAR_LIMIT ((size_t)64)

static const hc_kind part_kinds[] = {HC_KIND_ORDER, HC_KIND_SELECT, HC_KIND_PLACE};
#define PARTS HC_ARRAY_LEN(part_kinds)

const hc_value *hc_shorthand_name(const hc_value *v)
{
  if (v && v->kind == HC_VALUE_MAP) v = hc_value_get(v, "use");
  return v && v->kind == HC_VALUE_SCALAR ? v : NULL;
}

hc_value *hc_shorthand_scalar(hc_arena *a, const hc_value *like, const char *text)
{
  hc_value *v = hc_value_scalar(a, text, like->origin);
  if (!v) return NULL;
  v->quoted = like->quoted;
  v->file = like->file;
  v->source_line = like->source_line;
  v->line = like->line;
  v->column = like->column;
  return v;
}

/* A map that stands where `like` stands. */
static hc_value *map_at(hc_arena *a, const hc_value *like)
{
  hc_value *m = hc_value_map(a);
  if (!m) return NULL;
  m->origin = like->origin;
  m->file = like->file;
  m->source_line = like->source_line;
  m->line = like->line;
  m->column = like->column;
  return m;
}

static hc_rc put_name(hc_arena *a, hc_value *map, const char *key, const hc_value *like, const char *text)
{
  hc_value *v = hc_shorthand_scalar(a, like, text);
  return v ? hc_value_put(a, map, key, v) : HC_ENOMEM;
}

hc_value *hc_shorthand_map(hc_arena *a, hc_value *v)
{
  hc_value *m;
  if (v->kind != HC_VALUE_SCALAR) return v;
  m = map_at(a, v);
  if (!m || put_name(a, m, "use", v, v->text) < 0) return NULL;
  return m;
}

void hc_shorthand_mark(hc_value *v, hc_origin origin)
{
  v->origin = origin;
  v->file = v->source_line = v->key_source_line = NULL;
  v->line = v->column = v->key_line = v->key_column = 0;
  for (size_t i = 0; i < v->count; i++) hc_shorthand_mark(v->items[i], origin);
}

/* Does what the name stands for speak of this part, name another component for it, and come from a later
 * layer? `--policy conservative` over a file that says `select: easy` means what it says. */
static bool is_outdone(const hc_value *v, const hc_value *part, const hc_value *built)
{
  const hc_value *name = hc_shorthand_name(v);
  const hc_value *theirs = hc_shorthand_name(part), *ours = hc_shorthand_name(hc_value_get(built, part->key));
  return ours && theirs && part->origin < name->origin && strcmp(theirs->text, ours->text) != 0;
}

/* Lay the other keys of `v` on what its name stands for. */
static hc_rc keep_rest(hc_arena *a, const hc_value *v, hc_value **built)
{
  hc_value *rest;
  if (v->kind != HC_VALUE_MAP) return 0;
  rest = map_at(a, v);
  if (!rest) return HC_ENOMEM;
  for (size_t i = 0; i < v->count; i++) {
    hc_value *copy;
    if (strcmp(v->items[i]->key, "use") == 0 || is_outdone(v, v->items[i], *built)) continue;
    copy = hc_arena_alloc(a, sizeof *copy);
    if (!copy) return HC_ENOMEM;
    *copy = *v->items[i];
    TRY(hc_value_append(a, rest, copy));
  }
  *built = hc_value_merge(a, *built, rest);
  return *built ? 0 : HC_ENOMEM;
}

/* ---- a file for its reader ---- */

static bool ends_with(const char *s, size_t n, const char *end)
{
  size_t m = strlen(end);
  return n >= m && memcmp(s + n - m, end, m) == 0;
}

/* Is `path` called something.NAME, packed or not? */
static bool has_extension(const char *path, const char *name)
{
  static const char *const packers[] = {".gz", ".zst", ".xz"};
  size_t n = strlen(path), m = strlen(name);
  for (size_t i = 0; i < HC_ARRAY_LEN(packers); i++) {
    if (ends_with(path, n, packers[i])) {
      n -= strlen(packers[i]);
      break;
    }
  }
  return n > m && path[n - m - 1] == '.' && memcmp(path + n - m, name, m) == 0;
}

/* The first lines of a file, as far as they can be had without an error. @return 1, 0 if it cannot be opened,
 * HC_ENOMEM */
static hc_rc read_head(const hc_resolver *r, const char *path, hc_buffer *head)
{
  hc_error ignored = {0};
  hc_input *in;
  char *line;
  size_t length;
  if (strcmp(path, "-") == 0) return 0; /* reading it here would take it from the run */
  if (hc_input_open(r->arena->allocator, path, &in, &ignored) < 0)
    return ignored.rc == HC_ENOMEM ? HC_ENOMEM : 0;
  while (head->size < HEAD_SIZE && hc_input_line(in, &line, &length, &ignored) == 1) {
    hc_buffer_add(head, line, HC_MIN(length, HEAD_SIZE - head->size));
    hc_buffer_text(head, "\n");
  }
  hc_input_free(in);
  return ignored.rc == HC_ENOMEM || head->failed ? HC_ENOMEM : 1;
}

/* The reader for a file; NULL if none claims it. */
static const hc_component *guess_reader(const hc_resolver *r, const char *path, const hc_buffer *head)
{
  const hc_component *best = NULL, *c;
  int best_score = 0;
  for (size_t i = 0; (c = hc_registry_at(r->registry, HC_KIND_READER, i)); i++) {
    const hc_reader_type *t = (const hc_reader_type *)c;
    int score = t->recognise ? t->recognise(path, head->data ? head->data : "", head->size) : 0;
    if (score > best_score) {
      best_score = score;
      best = c;
    }
  }
  for (size_t i = 0; !best && (c = hc_registry_at(r->registry, HC_KIND_READER, i)); i++) {
    if (has_extension(path, c->name)) best = c;
  }
  if (!best && strcmp(path, "-") == 0) best = hc_registry_at(r->registry, HC_KIND_READER, 0);
  return best;
}

/* A word that is neither a reader nor a file that can be read; the resolver knows what to say of a slip. */
static hc_rc no_such_source(const hc_resolver *r, const hc_value *name, const char *path, hc_error *e)
{
  if (hc_registry_nearest(r->registry, HC_KIND_READER, name->text)) return 0;
  return hc_value_fail(name, e, HC_EUSAGE,
                       "%s: \"%.200s\" is no file that can be read; give the path of a log, or {use: FORMAT, "
                       "file: PATH} (`hindcast list reader` names the formats)",
                       path, name->text);
}

/* The first bytes of a plain file, as they lie there. @return how many */
static size_t read_bytes(const hc_files *files, const char *name, char *out, size_t room)
{
  hc_error ignored = {0};
  hc_file f = {0};
  size_t n = 0;
  hc_rc got = 1;
  if (files->open(files->ctx, name, &f, &ignored) < 0) return 0;
  while (n < room && (got = files->read(files->ctx, &f, out + n, room - n, &ignored)) > 0) n += (size_t)got;
  files->close(files->ctx, &f);
  return n;
}

/* What is no log, but something else that can be named. */
static hc_rc no_log(const hc_resolver *r, const hc_value *name, const char *path, hc_error *e)
{
  const hc_files *files = hc_files_of(r->arena->allocator);
  const hc_file_kind kind = files->look(files->ctx, name->text, NULL);
  char head[72] = {0};
  size_t n;
  if (kind == HC_FILE_ABSENT) return 0;
  if (kind == HC_FILE_DIRECTORY)
    return hc_value_fail(
        name, e, HC_EUSAGE,
        "%s: \"%.200s\" is a directory; name a file in it, or say which format its files have: {use: FORMAT, "
        "file: ...}",
        path, name->text);
  n = kind == HC_FILE_PLAIN ? read_bytes(files, name->text, head, sizeof head) : 0;
  if (n < sizeof head || memcmp(head, "SQLite format 3", 16) != 0) return 0;
  if (memcmp(head + 68, "HCbs", 4) == 0)
    return hc_value_fail(
        name, e, HC_EUSAGE,
        "%s: \"%.200s\" is a result, not a log; `hindcast show` prints it, and `hindcast export --format "
        "swf` makes a log of its schedule",
        path, name->text);
  if (memcmp(head + 68, "HCst", 4) == 0)
    return hc_value_fail(name, e, HC_EUSAGE,
                         "%s: \"%.200s\" is a study, not a log; `hindcast study table` prints it", path,
                         name->text);
  return hc_value_fail(name, e, HC_EUSAGE, "%s: \"%.200s\" is a database, not a log", path, name->text);
}

static hc_rc expand_reader(const hc_resolver *r, const hc_value *v, const char *path, hc_value **out,
                           hc_error *e)
{
  const hc_value *name = hc_shorthand_name(v);
  const hc_component *reader;
  hc_buffer head;
  hc_rc opened;
  hc_buffer_init(&head, r->arena->allocator);
  opened = read_head(r, name->text, &head);
  if (opened < 0) {
    hc_buffer_fini(&head);
    return opened;
  }
  if (!opened && !strchr(name->text, '/') && !strchr(name->text, '.') && strcmp(name->text, "-") != 0) {
    hc_buffer_fini(&head);
    TRY(no_log(r, name, path, e));
    return no_such_source(r, name, path, e);
  }
  reader = guess_reader(r, name->text, &head);
  hc_buffer_fini(&head);
  if (!reader) TRY(no_log(r, name, path, e));
  if (!reader)
    return hc_value_fail(
        name, e, HC_EUSAGE,
        "%s: no reader recognises \"%.200s\"%s; say which format it has: --set %s.use=FORMAT, in a run file "
        "{use: FORMAT, file: ...} (`hindcast list reader` names them)",
        path, name->text, opened ? "" : ", a file that cannot be opened", path);
  *out = map_at(r->arena, name);
  if (!*out) return HC_ENOMEM;
  TRY(put_name(r->arena, *out, "use", name, reader->name));
  TRY(put_name(r->arena, *out, "file", name, name->text));
  return keep_rest(r->arena, v, out);
}

/* ---- parts for a policy ---- */

/* The known policy, order, select or place that is nearest to a word; NULL if nothing is near. */
static const char *nearest_part(const hc_resolver *r, const char *word)
{
  const char *best = hc_registry_nearest(r->registry, HC_KIND_POLICY, word);
  for (size_t i = 0; i < PARTS; i++) {
    const char *other = hc_registry_nearest(r->registry, part_kinds[i], word);
    if (!other) continue;
    if (!best || hc_edit_distance(word, other, NEAR_LIMIT) < hc_edit_distance(word, best, NEAR_LIMIT))
      best = other;
  }
  return best;
}

static hc_rc unknown_part(const hc_resolver *r, const hc_value *name, const char *word, const char *path,
                          hc_error *e)
{
  const char *near = nearest_part(r, word);
  if (*word == '\0')
    return hc_value_fail(name, e, HC_EUSAGE,
                         "%s: \"%.200s\" has an empty part; write ORDER+SELECT+PLACE, such as sjf+easy", path,
                         name->text);
  if (near)
    return hc_value_fail(name, e, HC_EUSAGE,
                         "%s: \"%.80s\" is no policy, and no order, select or place; did you mean \"%s\"?",
                         path, word, near);
  return hc_value_fail(
      name, e, HC_EUSAGE,
      "%s: \"%.80s\" is no policy, and no order, select or place; `hindcast list policy`, `order`, `select` "
      "and `place` name them",
      path, word);
}

/* Names that another program has for the same parts. With `compat: accasim`, its rules too. */
static const struct {
  const char *theirs, *ours;
} part_aliases[] = {
    {"FIFO", "fcfs"},
    {"SJF", "sjf"},
    {"LJF", "ljf"},
    {"EBF", "easy"},
    {"FF", "first_fit"},
    {"BF", "best_fit"},
    {"FirstInFirstOut", "fcfs"},
    {"ShortestJobFirst", "sjf"},
    {"LongestJobFirst", "ljf"},
    {"EASYBackfilling", "easy"},
    {"FirstFit", "first_fit"},
    {"BestFit", "best_fit"},
};

static const char *without_alias(const char *word)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(part_aliases); i++)
    if (strcmp(word, part_aliases[i].theirs) == 0) return part_aliases[i].ours;
  return word;
}

/* Put one part into the place that is its own. @param filled [PARTS] what earlier parts took. */
static hc_rc take_part(const hc_resolver *r, const hc_value *name, const char *word, const char *path,
                       const char **filled, hc_error *e)
{
  size_t known = PARTS;
  for (size_t i = 0; i < PARTS; i++) {
    const hc_component *c = hc_registry_find(r->registry, part_kinds[i], word);
    if (!c) continue;
    if (!filled[i]) {
      filled[i] = c->name;
      return 0;
    }
    known = i;
  }
  if (known == PARTS) return unknown_part(r, name, word, path, e);
  return hc_value_fail(name, e, HC_EUSAGE, "%s: \"%s\" is a second %s beside \"%s\"; leave one of them out",
                       path, word, hc_kind_name(r->registry, part_kinds[known]), filled[known]);
}

static hc_rc expand_policy(const hc_resolver *r, const hc_value *v, const char *path, hc_value **out,
                           hc_error *e)
{
  const hc_value *name = hc_shorthand_name(v);
  const char *filled[PARTS] = {NULL};
  const char *at = name->text;
  for (;;) {
    size_t n = strcspn(at, "+");
    char *word = hc_arena_text(r->arena, at, n);
    if (!word) return HC_ENOMEM;
    TRY(take_part(r, name, without_alias(word), path, filled, e));
    if (at[n] == '\0') break;
    at += n + 1;
  }
  *out = map_at(r->arena, name);
  if (!*out) return HC_ENOMEM;
  TRY(put_name(r->arena, *out, "use", name, "batch"));
  for (size_t i = 0; i < PARTS; i++) {
    hc_value *part;
    if (!filled[i]) continue;
    part = map_at(r->arena, name);
    if (!part) return HC_ENOMEM;
    TRY(put_name(r->arena, part, "use", name, filled[i]));
    TRY(hc_value_put(r->arena, *out, hc_kind_name(r->registry, part_kinds[i]), part));
  }
  return keep_rest(r->arena, v, out);
}

hc_rc hc_shorthand_expand(const hc_resolver *r, hc_kind kind, const hc_value *v, const char *path,
                          hc_value **out, hc_error *e)
{
  *out = NULL;
  if (kind == HC_KIND_READER) return expand_reader(r, v, path, out, e);
  if (kind == HC_KIND_POLICY) return expand_policy(r, v, path, out, e);
  return 0;
}
