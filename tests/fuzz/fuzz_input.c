/* fuzz_input.c -- any bytes as a file of lines: no crash, no hang, no memory without bound; what is read
 * twice is the same, from the start and from a position, error and all. Memory is capped, since a few
 * bytes may rightly ask for 128 MiB of window. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/input.h"
#include "base/util.h"

#define MOST_MEMORY ((size_t)16 << 20)
#define MOST_TEXT ((uint64_t)64 << 10) /* a packed file may hold a thousand times its size */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *capped(void *ctx, void *p, size_t old_size, size_t new_size)
{
  size_t *held = ctx;
  if (new_size == 0) {
    free(p);
    *held -= old_size;
    return NULL;
  }
  if (*held - old_size + new_size > MOST_MEMORY) return NULL;
  void *q = realloc(p, new_size);
  if (q) *held += new_size - old_size;
  return q;
}

typedef struct reading {
  hc_rc rc;
  hc_hash all, rest;      /* of all lines, and of those behind the middle */
  uint64_t lines, middle; /* position after half the lines of an earlier reading */
  hc_error error;
} reading;

/* Read on to the end, and write over every line. */
static reading read_on(hc_input *in, uint64_t middle_line)
{
  reading r = {0};
  char *line;
  size_t length;
  hc_hash_init(&r.all);
  hc_hash_init(&r.rest);
  while ((r.rc = hc_input_line(in, &line, &length, &r.error)) == 1 && hc_input_position(in) < MOST_TEXT) {
    HC_ASSERT(line[length] == '\0' && strlen(line) == length && length <= HC_LINE_LIMIT);
    HC_ASSERT(!memchr(line, '\n', length));
    hc_hash_add(&r.all, line, length + 1);
    hc_hash_add(&r.rest, line, length + 1);
    memset(line, '\n', length);
    if (hc_input_lines(in) == middle_line) {
      r.middle = hc_input_position(in);
      hc_hash_init(&r.rest);
    }
  }
  r.lines = hc_input_lines(in);
  HC_ASSERT((r.rc < 0) == (r.error.rc < 0) &&
            (r.rc >= 0 || (r.error.text[0] && r.error.line == r.lines + 1)));
  return r;
}

static bool same_hash(hc_hash *x, hc_hash *y)
{
  uint64_t a[2], b[2];
  hc_hash_end(x, a);
  hc_hash_end(y, b);
  return a[0] == b[0] && a[1] == b[1];
}

static bool same_end(const reading *x, const reading *y)
{
  return x->rc == y->rc && x->lines == y->lines && strcmp(x->error.text, y->error.text) == 0;
}

static void read_thrice(hc_input *in)
{
  hc_error e = {0};
  reading first = read_on(in, UINT64_MAX);
  if (first.rc == HC_ENOMEM || hc_input_seek(in, 0, 0, &e) < 0) return;
  reading second = read_on(in, first.lines / 2);
  HC_ASSERT(same_end(&first, &second) && same_hash(&first.all, &second.all));
  HC_ASSERT(hc_input_seek(in, second.middle, second.middle > 0 ? first.lines / 2 : 0, &e) == 0);
  reading third = read_on(in, UINT64_MAX);
  HC_ASSERT(same_end(&second, &third) && same_hash(&second.rest, &third.all));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  size_t held = 0;
  const hc_allocator a = {&held, capped, NULL};
  hc_error e = {0};
  hc_input *in;
  char path[64];
  int file = memfd_create("fuzz", 0);
  HC_ASSERT(file >= 0 && write(file, data, size) == (ssize_t)size);
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  HC_ASSERT(hc_input_open(&a, path, &in, &e) == 0);
  read_thrice(in);
  hc_input_free(in);
  (void)close(file);
  HC_ASSERT(held == 0);
  return 0;
}
