/* inputs.c -- what was read, so that a result says of which bytes it is: path, size and a fast 128-bit
 * checksum.
 *
 * The parameters of a source, a cell or an event source that name files are known by their names, below; one may name a
 * directory, or a pattern of files, and then each of these is an input. The checksum is of the file as it
 * lies there, packed or not, and is taken when the run is finished; standard input has none. Not
 * cryptographic. */
#define _GNU_SOURCE /* glob, stat */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "engine/state.h"

#define READ_SIZE ((size_t)1 << 18)

static hc_rc checksum(hc_engine *e, const char *path, char bytes[32], char sum[33], hc_error *error)
{
  FILE *f = fopen(path, "rb");
  void *buffer = f ? hc_alloc(e->allocator, READ_SIZE) : NULL;
  uint64_t total = 0, words[2];
  hc_hash hash;
  size_t n = 1;
  hc_rc rc = 0;
  if (!f)
    return hc_fail(error, HC_EIO, path, 0, 0, "was read, but cannot be opened again: %s", strerror(errno));
  hc_hash_init(&hash);
  while (buffer && n > 0) {
    n = fread(buffer, 1, READ_SIZE, f);
    hc_hash_add(&hash, buffer, n);
    total += n;
  }
  if (!buffer) rc = HC_ENOMEM;
  else if (ferror(f)) rc = hc_fail(error, HC_EIO, path, 0, 0, "cannot be read again: %s", strerror(errno));
  hc_free(e->allocator, buffer, READ_SIZE);
  (void)fclose(f);
  hc_hash_end(&hash, words);
  (void)snprintf(bytes, 32, "%" PRIu64, total);
  (void)snprintf(sum, 33, "%016" PRIx64 "%016" PRIx64, words[0], words[1]);
  return rc;
}

static hc_rc store_file(hc_engine *e, const char *path, hc_error *error)
{
  char bytes[32], sum[33];
  TRY(checksum(e, path, bytes, sum, error));
  return hc_store_row(e->store, "inputs", 3, (const char *[]){path, bytes, sum}, error);
}

/* Every file that a directory or a pattern stands for, by name. */
static hc_rc store_files(hc_engine *e, const char *pattern, hc_error *error)
{
  glob_t found;
  hc_rc rc = 0;
  if (glob(pattern, 0, NULL, &found) != 0) return 0; /* whoever read it knows better */
  for (size_t i = 0; i < found.gl_pathc && rc >= 0; i++) {
    struct stat s;
    if (stat(found.gl_pathv[i], &s) == 0 && S_ISREG(s.st_mode)) rc = store_file(e, found.gl_pathv[i], error);
  }
  globfree(&found);
  return rc;
}

static hc_rc store_path(hc_engine *e, const char *path, hc_error *error)
{
  struct stat s;
  char all[4096];
  if (!path) return 0;
  if (strcmp(path, "-") == 0)
    return hc_store_row(e->store, "inputs", 3, (const char *[]){path, NULL, NULL}, error);
  if (stat(path, &s) != 0)
    return strpbrk(path, "*?[") ? store_files(e, path, error) : store_file(e, path, error);
  if (!S_ISDIR(s.st_mode)) return store_file(e, path, error);
  if ((size_t)snprintf(all, sizeof all, "%s/*", path) >= sizeof all) return 0;
  return store_files(e, all, error);
}

static bool names_files(const hc_param *p)
{
  static const char *const names[] = {"file",     "parts",       "tasks", "jobs",
                                      "profiles", "collections", "usage", "constraints"};
  if (p->type != HC_TEXT) return false;
  for (size_t i = 0; i < HC_ARRAY_LEN(names); i++)
    if (strcmp(p->name, names[i]) == 0) return true;
  return false;
}

static hc_rc store_input(hc_engine *e, const hc_chosen *c, hc_error *error)
{
  const hc_param *p = c->type ? c->type->params : NULL;
  for (; p && p->name; p++) {
    const char *at = (const char *)c->options + p->offset, *path;
    hc_list paths;
    if (p->type == HC_COMPONENT && !p->list && p->kind == HC_KIND_READER) { /* a source within a source */
      hc_chosen inner;
      memcpy(&inner, at, sizeof inner);
      TRY(store_input(e, &inner, error));
    }
    if (!names_files(p)) continue;
    if (!p->list) {
      memcpy(&path, at, sizeof path);
      TRY(store_path(e, path, error));
      continue;
    }
    memcpy(&paths, at, sizeof paths);
    for (size_t i = 0; i < paths.count; i++) TRY(store_path(e, ((const char *const *)paths.items)[i], error));
  }
  return 0;
}

hc_rc hc_inputs_store(hc_engine *e, hc_error *error)
{
  const hc_chosen *sources = e->options->source.items;
  for (size_t i = 0; i < e->options->source.count; i++) TRY(store_input(e, &sources[i], error));
  const hc_chosen *events = e->options->events.items;
  for (size_t i = 0; i < e->options->events.count; i++) TRY(store_input(e, &events[i], error));
  return store_input(e, &e->options->cell, error);
}
