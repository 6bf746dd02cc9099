/* file.c -- files that appear under their name only when they are whole.
 *
 * What is written goes to a partial file beside the target (base/target.c); commit flushes it to the disk and
 * renames it. Standard output is written as it comes: that cannot be taken back.
 *
 * A file that is there already is replaced only by one of its kind. The kind is read off the first bytes,
 * with numbers left out, so that no format needs to know: the titles of a table, the comments of a log, the
 * first keys of JSON. An input of the command is never replaced, whatever it is called. */
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
  f->c->broken_pipe = !f->path && errno == EPIPE;
  return hc_fail(&f->c->error, HC_EIO, f->path ? f->path : "", 0, 0, "cannot %s: %s%s", doing,
                 strerror(errno), errno == ENOSPC ? "; make room, or write elsewhere" : "");
}

hc_rc cli_file_failed(cli_file *f)
{
  return io_failed(f, f->path ? "write the file" : "write to standard output");
}

/* ---- what may be replaced ---- */

/* Once enough is known of what is written. */
hc_rc cli_file_look(cli_file *f)
{
  if (f->may_replace) return 0;
  f->may_replace = hc_begins_alike(f->path, f->begin, f->began);
  if (f->may_replace) return 0;
  return hc_fail(&f->c->error, HC_EUSAGE, f->path, 0, 0,
                 "there is another kind of file already; choose another path, or say --force to replace it");
}

static hc_rc remember(cli_file *f, const void *data, size_t size)
{
  const size_t room = sizeof f->begin - f->began, n = size < room ? size : room;
  if (f->may_replace) return 0;
  memcpy(f->begin + f->began, data, n);
  f->began += n;
  return f->began == sizeof f->begin ? cli_file_look(f) : 0;
}

/* Operands and the files that flags name, but for those that say where something goes. */
static hc_rc refuse_inputs(cli *c, const char *path)
{
  for (size_t i = 0; i < c->operand_count + c->given_count; i++) {
    const cli_given *g = i < c->operand_count ? NULL : &c->given[i - c->operand_count];
    const char *input = g ? g->value : c->operands[i];
    if (g && (!g->flag->complete || strcmp(g->flag->complete, CLI_FILE) != 0 ||
              strcmp(g->flag->name, "output") == 0 || strcmp(g->flag->name, "rejected") == 0 ||
              strcmp(g->flag->name, "record") == 0))
      continue;
    if (input && hc_same_file(path, input))
      return hc_fail(
          &c->error, HC_EUSAGE, path, 0, 0,
          "this is an input of the same command (%.300s), which no output replaces; choose another path",
          input);
  }
  return c->config ? hc_config_protect(c->config, path, &c->error) : 0;
}

hc_rc cli_file_may(cli *c, const char *path)
{
  struct stat st;
  if (!path || strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
  return refuse_inputs(c, path);
}

/* ---- writing ---- */

/* A terminal shows control characters instead of obeying them. */
static hc_rc write_shown(cli_file *f, const char *data, size_t size)
{
  hc_buffer shown;
  bool ok;
  hc_buffer_init(&shown, f->c->allocator);
  hc_shown_text(&shown, data, size, "\n\t");
  ok = !shown.failed && (shown.size == 0 || fwrite(shown.data, 1, shown.size, f->stream) == shown.size);
  hc_buffer_fini(&shown);
  return ok ? 0 : cli_file_failed(f);
}

static hc_rc write_some(void *ctx, const void *data, size_t size)
{
  cli_file *f = ctx;
  if (cli_interrupted()) return HC_ECANCELLED;
  if (size == 0) return 0;
  CLI_TRY(remember(f, data, size));
  if (!f->path && isatty(STDOUT_FILENO)) return write_shown(f, data, size);
  return fwrite(data, 1, size, f->stream) == size ? 0 : cli_file_failed(f);
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

/* A regular file, or one that is not there yet, gets its name when it is whole; a device or a pipe is written
 * to. */
static hc_rc open_stream(cli_file *f)
{
  struct stat st;
  const bool is_there = stat(f->path, &st) == 0;
  if (is_there && !S_ISREG(st.st_mode)) {
    f->may_replace = true;
    f->stream = fopen(f->path, "wb");
  } else {
    f->may_replace = !is_there || cli_has(f->c, "force");
    CLI_TRY(hc_partial_open(f->c->allocator, f->path, &f->partial, &f->c->error));
    f->stream = fdopen(dup(f->partial.fd), "wb");
  }
  if (f->stream) return 0;
  return hc_fail(&f->c->error, errno == ENOMEM ? HC_ENOMEM : HC_EIO, f->path, 0, 0,
                 "cannot make the file: %s; name another", strerror(errno));
}

static void forget(cli_file *f)
{
  hc_partial_drop(&f->partial);
  free(f->path);
  *f = (cli_file){.c = f->c};
}

hc_rc cli_file_open(cli *c, const char *path, cli_file *out)
{
  struct stat st;
  hc_rc rc;
  cli_listen();
  *out = (cli_file){.c = c, .stream = stdout, .may_replace = true};
  out->sink = (hc_sink){.ctx = out, .write = write_some};
  if (!path || strcmp(path, "-") == 0) return 0;
  out->stream = NULL;
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
    return hc_fail(&c->error, HC_EIO, path, 0, 0, "this is a directory; name a file in it");
  CLI_TRY(cli_file_may(c, path));
  out->path = strdup(path);
  rc = out->path ? open_stream(out) : cli_fail(c, HC_ENOMEM, "out of memory for a file name");
  if (rc < 0) forget(out);
  return rc;
}

hc_rc cli_file_commit(cli_file *f)
{
  hc_rc rc = cli_interrupted() ? HC_ECANCELLED : cli_file_look(f);
  if (fflush(f->stream) != 0 && rc == 0) rc = cli_file_failed(f);
  if (f->path) {
    if (fclose(f->stream) != 0 && rc == 0) rc = io_failed(f, "write the file");
    if (rc == 0 && f->partial.name) {
      f->c->started = true;
      rc = hc_partial_commit(&f->partial, f->path, &f->c->error);
    }
  }
  forget(f);
  return rc;
}

void cli_file_drop(cli_file *f)
{
  if (f->path && f->stream) (void)fclose(f->stream);
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
