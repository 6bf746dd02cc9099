/* texts.c -- inputs of runs that this program has made, beside those of the system: what a text is called is
 * looked up first. */
#include <stdlib.h>

#include "cli/when.h"

typedef struct opened {
  const hc_files *of;
  hc_file file;
} opened;

static const hc_files *texts_of(void *ctx)
{
  const cli_texts *t = ctx;
  return hc_texts_files(t->texts);
}

static const hc_files *owner(void *ctx, const char *name)
{
  const hc_files *f = texts_of(ctx);
  return f->look(f->ctx, name, NULL) == HC_FILE_PLAIN ? f : hc_system_files();
}

static hc_rc open_one(void *ctx, const char *name, hc_file *out, hc_error *e)
{
  opened *x = malloc(sizeof *x);
  if (!x) return hc_fail(e, HC_ENOMEM, name, 0, 0, "out of memory for a file");
  x->of = owner(ctx, name);
  const hc_rc rc = x->of->open(x->of->ctx, name, &x->file, e);
  if (rc < 0) {
    free(x);
    return rc;
  }
  *out = x->file;
  out->is = x;
  return 0;
}

static hc_rc read_one(void *ctx, hc_file *f, void *data, size_t room, hc_error *e)
{
  opened *x = f->is;
  (void)ctx;
  return x->of->read(x->of->ctx, &x->file, data, room, e);
}

static hc_rc seek_one(void *ctx, hc_file *f, uint64_t to, hc_error *e)
{
  opened *x = f->is;
  (void)ctx;
  return x->of->seek(x->of->ctx, &x->file, to, e);
}

static void close_one(void *ctx, hc_file *f)
{
  opened *x = f->is;
  (void)ctx;
  x->of->close(x->of->ctx, &x->file);
  free(x);
}

static hc_file_kind look(void *ctx, const char *name, uint64_t *size)
{
  const hc_files *f = owner(ctx, name);
  return f->look(f->ctx, name, size);
}

static hc_rc list(void *ctx, const char *directory, hc_rc (*each)(void *each_ctx, const char *name),
                  void *each_ctx, hc_error *e)
{
  const hc_files *f = hc_system_files();
  (void)ctx;
  return f->list(f->ctx, directory, each, each_ctx, e);
}

static bool same(void *ctx, const char *output, const char *input)
{
  const hc_files *f = owner(ctx, input);
  return f->same && f->same(f->ctx, output, input);
}

hc_rc cli_texts_open(cli *c, cli_texts *out)
{
  if (hc_texts_new(c->allocator, &out->texts) < 0) return cli_fail(c, HC_ENOMEM, "out of memory");
  out->files = (hc_files){.ctx = out,
                          .open = open_one,
                          .read = read_one,
                          .seek = seek_one,
                          .close = close_one,
                          .look = look,
                          .list = list,
                          .same = same};
  out->allocator = *c->allocator;
  out->allocator.files = &out->files;
  return 0;
}

void cli_texts_close(cli_texts *t)
{
  hc_texts_free(t->texts);
}
