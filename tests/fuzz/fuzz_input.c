/* fuzz_input.c -- any bytes as a file of lines: no crash, no hang, no memory without bound; what is read
 * twice is the same, from the start and from a position. Memory is capped, since a few bytes may rightly
 * ask for 2 GiB of window. */
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
  hc_hash hash;
  uint64_t lines, middle; /* position after half the lines of an earlier reading */
} reading;

/* Read on to the end, and write over every line. */
static reading read_on(hc_input *in, uint64_t middle_line)
{
  reading r = {0};
  hc_error e = {0};
  char *line;
  size_t length;
  hc_hash_init(&r.hash);
  while ((r.rc = hc_input_line(in, &line, &length, &e)) == 1 && hc_input_position(in) < MOST_TEXT) {
    HC_ASSERT(line[length] == '\0' && strlen(line) == length && length <= HC_LINE_LIMIT);
    HC_ASSERT(!memchr(line, '\n', length));
    hc_hash_add(&r.hash, line, length + 1);
    memset(line, '\n', length);
    if (hc_input_lines(in) == middle_line) {
      r.middle = hc_input_position(in);
      hc_hash_init(&r.hash);
    }
  }
  r.lines = hc_input_lines(in);
  HC_ASSERT((r.rc < 0) == (e.rc < 0) && (r.rc >= 0 || (e.text[0] && e.line == r.lines + 1)));
  return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  size_t held = 0;
  const hc_allocator a = {&held, capped};
  hc_error e = {0};
  hc_input *in;
  char path[64];
  int file = memfd_create("fuzz", 0);
  HC_ASSERT(file >= 0 && write(file, data, size) == (ssize_t)size);
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  HC_ASSERT(hc_input_open(&a, path, &in, &e) == 0);
  reading first = read_on(in, UINT64_MAX);
  if (first.rc != HC_ENOMEM && hc_input_seek(in, 0, 0, &e) == 0) {
    reading second = read_on(in, first.lines / 2);
    HC_ASSERT(second.rc == first.rc);
    /* How much of a damaged frame comes out before its checksum fails is the library's affair, and depends on the room
     * that it is given: an error is an error both times, but only whole input must give the same lines. */
    if (first.rc < 0) goto done;
    HC_ASSERT(second.lines == first.lines);
    HC_ASSERT(hc_input_seek(in, second.middle, second.middle > 0 ? first.lines / 2 : 0, &e) == 0);
    reading third = read_on(in, UINT64_MAX);
    uint64_t hash[2], again[2];
    hc_hash_end(&second.hash, hash);
    hc_hash_end(&third.hash, again);
    HC_ASSERT(third.rc == first.rc && third.lines == first.lines && hash[0] == again[0] &&
              hash[1] == again[1]);
  }
done:
  hc_input_free(in);
  (void)close(file);
  HC_ASSERT(held == 0);
  return 0;
}
