/* files.c -- inputs by name, through the table of functions that the allocator has; and texts in memory as
 * such a table.
 *
 * A run names a handful of inputs, so texts are a list that is walked. Directories are what slashes in names
 * make them. Reading copies: a reader cuts lines in place, and a text may be constant. Patterns know * and ?,
 * in the last step of a name only. */
#include "base/files.h"

#include <string.h>

#include "base/sort.h"
#include "base/util.h"

const hc_files *hc_files_of(const hc_allocator *a)
{
  return a->files ? a->files : hc_system_files();
}

/* ---- a whole file ---- */

#define STEP ((size_t)1 << 16)

hc_rc hc_files_read(const hc_allocator *a, const char *name, size_t limit, char **data, size_t *size,
                    size_t *cap, hc_error *e)
{
  const hc_files *files = hc_files_of(a);
  hc_file f = {0};
  hc_rc got = 1;
  *data = NULL;
  *size = *cap = 0;
  TRY(files->open(files->ctx, name, &f, e));
  while (got > 0 && *size <= limit) {
    if (hc_reserve(a, (void **)data, cap, *size + STEP, 1) < 0)
      got = hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory while reading");
    else got = files->read(files->ctx, &f, *data + *size, HC_MIN(STEP, limit + 1 - *size), e);
    if (got > 0) *size += (size_t)got;
  }
  files->close(files->ctx, &f);
  if (got >= 0) return 0;
  hc_free(a, *data, *cap);
  *data = NULL;
  return got;
}

hc_rc hc_files_sum(const hc_allocator *a, const char *name, uint64_t *bytes, hc_hash *hash, hc_error *e)
{
  const size_t room = (size_t)1 << 18;
  const hc_files *files = hc_files_of(a);
  hc_file f = {0};
  hc_rc got = 1;
  TRY(files->open(files->ctx, name, &f, e));
  void *buffer = hc_alloc(a, room);
  if (!buffer) got = hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory while reading");
  hc_hash_init(hash);
  *bytes = 0;
  while (got > 0 && (got = files->read(files->ctx, &f, buffer, room, e)) > 0) {
    hc_hash_add(hash, buffer, (size_t)got);
    *bytes += (uint64_t)got;
  }
  hc_free(a, buffer, room);
  files->close(files->ctx, &f);
  return got < 0 ? got : 0;
}

/* ---- directories and patterns ---- */

/* Linear but for the last *, to which it goes back. */
bool hc_text_matches(const char *text, const char *pattern)
{
  const char *star = NULL, *from = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      from = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}

typedef struct found {
  const char *name;
  hc_file_kind kind;
  uint64_t size;
} found;

HC_SORT(sort_found, found, strcmp(a->name, b->name) < 0)

typedef struct listing {
  hc_arena texts;
  const hc_files *files;
  const char *place, *pattern; /* NULL: all */
  found *found;
  size_t count, cap;
} listing;

static hc_rc note(void *ctx, const char *name)
{
  listing *l = ctx;
  found x = {0};
  if (name[0] == '.' || (l->pattern && !hc_text_matches(name, l->pattern))) return 0;
  x.name = hc_arena_printf(&l->texts, "%s%s", l->place, name);
  if (!x.name) return HC_ENOMEM;
  x.kind = l->files->look(l->files->ctx, x.name, &x.size);
  if (x.kind == HC_FILE_ABSENT || x.kind == HC_FILE_DIRECTORY) return 0;
  TRY(hc_reserve(l->texts.allocator, (void **)&l->found, &l->cap, l->count + 1, sizeof x));
  l->found[l->count++] = x;
  return 0;
}

static hc_rc list_files(listing *l, const char *directory, hc_files_visit each, void *ctx, hc_error *e)
{
  const char *shown = directory[0] ? directory : "./";
  TRY(l->files->list(l->files->ctx, directory, note, l, e));
  if (l->count == 0 && !l->pattern)
    return hc_fail(e, HC_EIO, shown, 0, 0, "there is no file in this directory");
  if (l->count == 0)
    return hc_fail(e, HC_EIO, shown, 0, 0, "no file in this directory matches \"%.100s\"", l->pattern);
  sort_found(l->found, l->count);
  for (size_t i = 0; i < l->count; i++)
    TRY(each(ctx, l->found[i].name, l->found[i].kind, l->found[i].size, e));
  return 0;
}

hc_rc hc_files_expand(const hc_allocator *a, const char *name, hc_files_visit each, void *ctx, hc_error *e)
{
  const hc_files *files = hc_files_of(a);
  const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
  const bool is_standard = strcmp(name, "-") == 0;
  uint64_t size = 0;
  const hc_file_kind kind = is_standard ? HC_FILE_ABSENT : files->look(files->ctx, name, &size);
  const bool is_pattern = kind == HC_FILE_ABSENT && !is_standard && strpbrk(last, "*?");
  listing l = {.files = files, .pattern = is_pattern ? last : NULL};
  hc_rc rc;
  if (kind != HC_FILE_DIRECTORY && !is_pattern) return each(ctx, name, kind, size, e);
  hc_arena_init(&l.texts, a);
  const char *directory = hc_arena_text(&l.texts, name, is_pattern ? (size_t)(last - name) : strlen(name));
  l.place = directory && !is_pattern && last[0] ? hc_arena_printf(&l.texts, "%s/", directory) : directory;
  rc = l.place ? list_files(&l, directory, each, ctx, e) : HC_ENOMEM;
  hc_free(a, l.found, l.cap * sizeof *l.found);
  hc_arena_fini(&l.texts);
  return rc;
}

/* ---- texts ---- */

typedef struct text {
  char *name;
  const char *data;
  size_t size;
  bool is_own; /* `data` is */
} text;

struct hc_texts {
  hc_files files;
  const hc_allocator *allocator;
  text *all;
  size_t count, cap;
};

/* A name without what means nothing in it. */
static const char *plain_name(const char *name)
{
  while (name[0] == '.' && name[1] == '/') {
    name += 2;
    while (*name == '/') name++;
  }
  return name;
}

static text *find(const hc_texts *t, const char *name)
{
  name = plain_name(name);
  for (size_t i = 0; i < t->count; i++)
    if (strcmp(t->all[i].name, name) == 0) return &t->all[i];
  return NULL;
}

/* Length of a directory's name in the names of its files: without slashes at its end. */
static size_t directory_size(const char *directory)
{
  size_t n = strlen(directory);
  while (n > 0 && directory[n - 1] == '/') n--;
  return n == 1 && directory[0] == '.' ? 0 : n;
}

/* What follows a directory in a name; NULL if the name is not in it, at any depth. */
static const char *name_within(const char *name, const char *directory, size_t n)
{
  if (n == 0) return name;
  return strncmp(name, directory, n) == 0 && name[n] == '/' ? name + n + 1 : NULL;
}

/* The first names, as an error shows them. */
static void known_names(const hc_texts *t, char *out, size_t room)
{
  size_t n = 0;
  out[0] = '\0';
  for (size_t i = 0; i < t->count; i++) {
    const size_t size = strlen(t->all[i].name);
    if (n + size + 8 > room) {
      memcpy(out + n, ", ...", 6);
      return;
    }
    if (n > 0) memcpy(out + n, ", ", 2);
    n += n > 0 ? 2 : 0;
    memcpy(out + n, t->all[i].name, size + 1);
    n += size;
  }
}

static hc_file_kind look_at(void *ctx, const char *name, uint64_t *size)
{
  const hc_texts *t = ctx;
  const text *x = find(t, name);
  const char *directory = plain_name(name);
  const size_t n = directory_size(directory);
  if (x && size) *size = x->size;
  if (x) return HC_FILE_PLAIN;
  for (size_t i = 0; i < t->count; i++)
    if (name_within(t->all[i].name, directory, n)) return HC_FILE_DIRECTORY;
  return HC_FILE_ABSENT;
}

static hc_rc open_text(void *ctx, const char *name, hc_file *out, hc_error *e)
{
  const hc_texts *t = ctx;
  const text *x = find(t, name);
  char names[400];
  if (x) {
    *out = (hc_file){.is = (void *)(uintptr_t)x, .size = x->size, .can_seek = true};
    return 0;
  }
  if (!name[0])
    return hc_fail(e, HC_EIO, "texts", 0, 0, "the name of an input is empty; give that of a text");
  if (strcmp(name, "-") == 0)
    return hc_fail(e, HC_EIO, "standard input", 0, 0,
                   "inputs are texts in memory here, and there is no standard input; name one of them");
  if (look_at(ctx, name, NULL) == HC_FILE_DIRECTORY)
    return hc_fail(e, HC_EIO, name, 0, 0,
                   "cannot be read: texts have names that begin with it, as files in a directory have; "
                   "name one of them");
  known_names(t, names, sizeof names);
  if (t->count == 0)
    return hc_fail(e, HC_EIO, name, 0, 0,
                   "no text was given this name, nor any other; give it one (hc_texts_add)");
  return hc_fail(e, HC_EIO, name, 0, 0, "no text was given this name; the names given are %s", names);
}

static hc_rc read_text(void *ctx, hc_file *f, void *data, size_t room, hc_error *e)
{
  const text *x = f->is;
  const size_t at = (size_t)f->number, n = HC_MIN(x->size - at, room);
  HC_UNUSED(ctx);
  HC_UNUSED(e);
  if (n > 0) memcpy(data, x->data + at, n);
  f->number += (int64_t)n;
  return (hc_rc)n;
}

static hc_rc seek_text(void *ctx, hc_file *f, uint64_t to, hc_error *e)
{
  const text *x = f->is;
  HC_UNUSED(ctx);
  if (to > x->size)
    return hc_fail(e, HC_EINPUT, x->name, 0, 0,
                   "the text is shorter than when it was read before; give the same text");
  f->number = (int64_t)to;
  return 0;
}

static void close_text(void *ctx, hc_file *f)
{
  HC_UNUSED(ctx);
  *f = (hc_file){0};
}

static hc_rc list_texts(void *ctx, const char *directory, hc_rc (*each)(void *each_ctx, const char *name),
                        void *each_ctx, hc_error *e)
{
  const hc_texts *t = ctx;
  HC_UNUSED(e);
  directory = plain_name(directory);
  for (size_t i = 0; i < t->count; i++) {
    const char *name = name_within(t->all[i].name, directory, directory_size(directory));
    if (name && !strchr(name, '/')) TRY(each(each_ctx, name));
  }
  return 0;
}

hc_rc hc_texts_new(const hc_allocator *a, hc_texts **out)
{
  hc_texts *t = hc_alloc(a, sizeof *t);
  if (!t) return HC_ENOMEM;
  t->allocator = a;
  t->files = (hc_files){.ctx = t,
                        .open = open_text,
                        .read = read_text,
                        .seek = seek_text,
                        .close = close_text,
                        .look = look_at,
                        .list = list_texts};
  *out = t;
  return 0;
}

static void drop_data(const hc_texts *t, text *x)
{
  if (x->is_own) hc_free(t->allocator, (void *)(uintptr_t)x->data, x->size);
  x->data = NULL;
  x->is_own = false;
}

void hc_texts_free(hc_texts *t)
{
  if (!t) return;
  for (size_t i = 0; i < t->count; i++) {
    drop_data(t, &t->all[i]);
    hc_free(t->allocator, t->all[i].name, strlen(t->all[i].name) + 1);
  }
  hc_free(t->allocator, t->all, t->cap * sizeof *t->all);
  hc_free(t->allocator, t, sizeof *t);
}

/* The text of a name, made if there is none. */
static hc_rc find_or_make(hc_texts *t, const char *name, text **out, hc_error *e)
{
  const char *plain = plain_name(name);
  const size_t n = strlen(plain);
  *out = find(t, plain);
  if (*out) return 0;
  if (n == 0 || strcmp(plain, "-") == 0 || plain[n - 1] == '/')
    return hc_fail(e, HC_EUSAGE, name, 0, 0, "no text can have this name; give it one like \"log.swf\"");
  char *copy = hc_alloc(t->allocator, n + 1);
  if (!copy || hc_reserve(t->allocator, (void **)&t->all, &t->cap, t->count + 1, sizeof *t->all) < 0) {
    hc_free(t->allocator, copy, n + 1);
    return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory for the name of a text");
  }
  memcpy(copy, plain, n + 1);
  *out = &t->all[t->count++];
  **out = (text){.name = copy, .data = ""};
  return 0;
}

hc_rc hc_texts_add(hc_texts *t, const char *name, const void *data, size_t size, hc_error *e)
{
  text *x;
  TRY(find_or_make(t, name, &x, e));
  drop_data(t, x);
  x->data = size > 0 ? data : "";
  x->size = size;
  return 0;
}

hc_rc hc_texts_copy(hc_texts *t, const char *name, const void *data, size_t size, hc_error *e)
{
  char *copy = size > 0 ? t->allocator->resize(t->allocator->ctx, NULL, 0, size) : NULL;
  if (size > 0 && !copy) return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory for a copy of the text");
  if (size > 0) memcpy(copy, data, size);
  const hc_rc rc = hc_texts_add(t, name, copy, size, e);
  if (rc < 0) hc_free(t->allocator, copy, size);
  else find(t, name)->is_own = size > 0;
  return rc;
}

const hc_files *hc_texts_files(const hc_texts *t)
{
  return &t->files;
}
