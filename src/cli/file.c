/* file.c -- files that appear under their name only when they are whole.
 *
 * What is written goes to NAME.partial-PID beside the target; commit flushes it to the disk and renames it.
 * Standard output is written as it comes: nobody can take it back. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static hc_rc io_failed(cli_file *f, const char *doing)
{
  f->c->started = true;
  return hc_fail(&f->c->error, HC_EIO, f->path ? f->path : "", 0, 0, "cannot %s: %s%s", doing,
                 strerror(errno), errno == ENOSPC ? "; make room, or write elsewhere" : "");
}

hc_rc cli_file_failed(cli_file *f)
{
  return io_failed(f, f->path ? "write the file" : "write to standard output");
}

static hc_rc write_some(void *ctx, const void *data, size_t size)
{
  cli_file *f = ctx;
  if (cli_interrupted()) return HC_ECANCELLED;
  if (size && fwrite(data, 1, size, f->stream) != size) return cli_file_failed(f);
  return 0;
}

static hc_rc write_out(void *ctx, const void *data, size_t size)
{
  cli *c = ctx;
  hc_buffer_add(&c->out, data, size);
  return c->out.failed ? HC_ENOMEM : 0;
}

hc_sink cli_out_sink(cli *c)
{
  return (hc_sink){.ctx = c, .write = write_out};
}

hc_rc cli_file_open(cli *c, const char *path, cli_file *out)
{
  size_t n;
  struct stat st;
  cli_listen();
  *out = (cli_file){.c = c, .stream = stdout};
  out->sink = (hc_sink){.ctx = out, .write = write_some};
  if (!path || strcmp(path, "-") == 0) return 0;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
    return hc_fail(&c->error, HC_EIO, path, 0, 0, "this is a directory; name a file in it");
  n = strlen(path) + 32;
  out->path = malloc(n);
  out->partial = malloc(n);
  if (!out->path || !out->partial) {
    cli_file_drop(out);
    return cli_fail(c, HC_ENOMEM, "out of memory for a file name");
  }
  (void)snprintf(out->path, n, "%s", path);
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    (void)snprintf(out->partial, n, "%s", path); /* a device, a pipe */
  else (void)snprintf(out->partial, n, "%s.partial-%ld", path, (long)getpid());
  out->stream = fopen(out->partial, "wb");
  if (!out->stream) {
    hc_rc rc = hc_fail(&c->error, errno == ENOMEM ? HC_ENOMEM : HC_EIO, path, 0, 0,
                       "cannot make the file: %s; name another", strerror(errno));
    free(out->path);
    free(out->partial);
    *out = (cli_file){.c = c};
    return rc;
  }
  return 0;
}

static void forget(cli_file *f)
{
  free(f->path);
  free(f->partial);
  *f = (cli_file){.c = f->c};
}

hc_rc cli_file_commit(cli_file *f)
{
  hc_rc rc = cli_interrupted() ? HC_ECANCELLED : 0;
  bool is_partial = f->path && strcmp(f->path, f->partial) != 0;
  if (fflush(f->stream) != 0 && rc == 0) rc = cli_file_failed(f);
  if (f->path) {
    if (rc == 0 && is_partial && fsync(fileno(f->stream)) != 0) rc = io_failed(f, "write the file");
    if (fclose(f->stream) != 0 && rc == 0) rc = io_failed(f, "write the file");
    if (rc == 0 && is_partial && rename(f->partial, f->path) != 0) rc = io_failed(f, "name the file");
    if (rc < 0 && is_partial) (void)unlink(f->partial);
  }
  forget(f);
  return rc;
}

void cli_file_drop(cli_file *f)
{
  if (f->path && f->partial && f->stream) {
    (void)fclose(f->stream);
    if (strcmp(f->path, f->partial) != 0) (void)unlink(f->partial);
  }
  forget(f);
}

hc_rc cli_file_send(cli_file *f, hc_buffer *b)
{
  hc_rc rc;
  if (b->failed) return cli_fail(f->c, HC_ENOMEM, "out of memory for what is to be written");
  rc = b->size ? f->sink.write(f->sink.ctx, b->data, b->size) : 0;
  b->size = 0;
  return rc;
}
