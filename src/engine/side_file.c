/* side_file.c -- a file of lines beside the result, under a temporary name until it is whole. */
#define _GNU_SOURCE
#include "engine/side_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"

typedef struct side {
  hc_side_file file;
  FILE *stream;
  char *path;
  size_t path_size;
  hc_partial partial; /* none for a device or a pipe, whose place nothing may take */
} side;

static void write_line(hc_side_file *s, const char *text)
{
  (void)fputs(text, ((side *)s)->stream);
}

static hc_rc finish(hc_side_file *file, hc_error *e)
{
  side *s = (side *)file;
  bool bad = ferror(s->stream) != 0;
  bad |= fclose(s->stream) != 0;
  s->stream = NULL;
  if (!bad) return s->partial.name ? hc_partial_commit(&s->partial, s->path, e) : 0;
  return hc_fail(e, HC_EIO, s->path, 0, 0,
                 "the rejected rows could not be written: %s; make room, or name another file for `rejected`",
                 strerror(errno));
}

static void drop(hc_side_file *file)
{
  side *s = (side *)file;
  if (s->stream) (void)fclose(s->stream);
  hc_partial_drop(&s->partial);
  hc_free(file->allocator, s->path, s->path_size);
  hc_free(file->allocator, s, sizeof *s);
}

static bool begins_with(const char *path, const char *title)
{
  char head[64] = {0};
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(head, 1, HC_MIN(strlen(title), sizeof head), f) : 0;
  if (f) (void)fclose(f);
  return n == 0 ? f != NULL : strncmp(head, title, sizeof head) == 0;
}

static hc_rc open_stream(side *s, const char *title, bool replaces, hc_error *e)
{
  struct stat st;
  const bool exists = stat(s->path, &st) == 0, is_file = exists && S_ISREG(st.st_mode);
  if (exists && S_ISDIR(st.st_mode))
    return hc_fail(e, HC_EIO, s->path, 0, 0, "this is a directory; name a file in it for `rejected`");
  if (is_file && !replaces && !begins_with(s->path, title))
    return hc_fail(
        e, HC_EUSAGE, s->path, 0, 0,
        "there is a file that is no list of rejected rows already; name another for `rejected`, or say "
        "--force to replace it");
  if (!exists || is_file) TRY(hc_partial_open(s->file.allocator, s->path, &s->partial, e));
  s->stream = s->partial.name ? fdopen(dup(s->partial.fd), "w") : fopen(s->path, "w");
  if (s->stream) return 0;
  return hc_fail(e, errno == ENOMEM ? HC_ENOMEM : HC_EIO, s->path, 0, 0,
                 "cannot be written: %s; name another file for `rejected`", strerror(errno));
}

hc_rc hc_side_file_open(const hc_allocator *a, const char *path, const char *title, bool replaces,
                        hc_side_file **out, hc_error *e)
{
  side *s = hc_alloc(a, sizeof *s);
  hc_rc rc;
  if (!s) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the name of a file");
  s->file = (hc_side_file){a, write_line, finish, drop};
  s->partial.fd = -1;
  s->path_size = strlen(path) + 1;
  s->path = hc_alloc(a, s->path_size);
  if (s->path) memcpy(s->path, path, s->path_size);
  rc = s->path ? open_stream(s, title, replaces, e)
               : hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for the name of a file");
  if (rc < 0) {
    drop(&s->file);
    return rc;
  }
  write_line(&s->file, title);
  *out = &s->file;
  return 0;
}
