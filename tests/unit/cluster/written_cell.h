/* written_cell.h -- a cell whose machines are in a file of another program: the file's text in, spec or error
 * out. */
#ifndef WRITTEN_CELL_H
#define WRITTEN_CELL_H

#define _GNU_SOURCE /* mkstemp; so this file comes first */

#include <stdlib.h>
#include <unistd.h>

#include "cell_test.h"

/* The world begins with the cell that the keys (`use: ...`) make of a file of that text.
 * @return as world_cell */
static inline hc_rc describe(world *w, const char *keys, const char *text)
{
  char path[] = "/tmp/hindcast_test_XXXXXX", yaml[256];
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  world_begin(w);
  (void)snprintf(yaml, sizeof yaml, "{%s, file: \"%s\"}", keys, path);
  const hc_rc rc = world_cell(w, yaml);
  unlink(path);
  return rc;
}

#endif
