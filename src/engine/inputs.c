/* inputs.c -- what was read, so that a result says of which bytes it is: path, size and a fast 128-bit
 * checksum.
 *
 * Every parameter called `file` of a source or a cell names an input. The checksum is of the file as it
 * lies there, packed or not, and is taken when the run is finished; standard input has none. Not
 * cryptographic. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static hc_rc store_input(hc_engine *e, const hc_chosen *c, hc_error *error)
{
  const hc_param *p = c->type ? c->type->params : NULL;
  char bytes[32], sum[33];
  for (; p && p->name; p++) {
    const char *path;
    if (strcmp(p->name, "file") != 0 || p->type != HC_TEXT || p->list) continue;
    memcpy(&path, (const char *)c->options + p->offset, sizeof path);
    if (!path) continue;
    if (strcmp(path, "-") == 0) {
      TRY(hc_store_row(e->store, "inputs", 3, (const char *[]){path, NULL, NULL}, error));
      continue;
    }
    TRY(checksum(e, path, bytes, sum, error));
    TRY(hc_store_row(e->store, "inputs", 3, (const char *[]){path, bytes, sum}, error));
  }
  return 0;
}

hc_rc hc_inputs_store(hc_engine *e, hc_error *error)
{
  const hc_chosen *sources = e->options->source.items;
  for (size_t i = 0; i < e->options->source.count; i++) TRY(store_input(e, &sources[i], error));
  return store_input(e, &e->options->cell, error);
}
