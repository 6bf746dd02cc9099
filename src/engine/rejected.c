/* rejected.c -- rows that were not used, kept where a user can look at them.
 *
 * The first thousand go into the store when the run is finished, and are part of a snapshot until then. All
 * of them go into a side file if the run names one, under a temporary name until the run is finished; such a
 * run cannot be saved, because two runs would write one file. It replaces an earlier one, which it knows by
 * its title, and no other file unless the configuration was told so. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/rejected.h"
#include "engine/state.h"
#include "setup/config.h"

#define STORED_REJECTED 1000

static const char title[] = "file\tline\treason\ttext\n";

struct hc_rejects {
  FILE *side;
  const char *path;
  hc_partial partial; /* none for a device or a pipe, which nothing may take the place of */
  hc_buffer kept;     /* "line TAB reason TAB file NUL text NUL", one after the other */
  uint64_t count;
};

static void keep(void *ctx, const char *file, uint64_t line, hc_reason why, const char *text)
{
  hc_rejects *r = ctx;
  const char *name = hc_reason_name(why);
  if (!file) file = "";
  if (!text) text = "";
  if (r->count++ < STORED_REJECTED) {
    hc_buffer_printf(&r->kept, "%" PRIu64 "\t%s\t%s", line, name, file);
    hc_buffer_add(&r->kept, "", 1);
    hc_buffer_add(&r->kept, text, strlen(text) + 1);
  }
  if (r->side) (void)fprintf(r->side, "%s\t%" PRIu64 "\t%s\t%s\n", file, line, name, text);
}

static bool begins_with_title(const char *path)
{
  char head[sizeof title] = {0};
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(head, 1, sizeof title - 1, f) : 0;
  if (f) (void)fclose(f);
  return n == 0 ? f != NULL : strcmp(head, title) == 0;
}

static hc_rc open_side(hc_rejects *r, const hc_engine *e, hc_error *error)
{
  struct stat st;
  const bool exists = stat(r->path, &st) == 0, is_file = exists && S_ISREG(st.st_mode);
  if (exists && S_ISDIR(st.st_mode))
    return hc_fail(error, HC_EIO, r->path, 0, 0, "this is a directory; name a file in it for `rejected`");
  if (is_file && !hc_config_replaces(e->config) && !begins_with_title(r->path))
    return hc_fail(
        error, HC_EUSAGE, r->path, 0, 0,
        "there is a file that is no list of rejected rows already; name another for `rejected`, or say "
        "--force to replace it");
  if (!exists || is_file) TRY(hc_partial_open(e->allocator, r->path, &r->partial, error));
  r->side = r->partial.name ? fdopen(dup(r->partial.fd), "w") : fopen(r->path, "w");
  if (r->side) return 0;
  return hc_fail(error, errno == ENOMEM ? HC_ENOMEM : HC_EIO, r->path, 0, 0,
                 "cannot be written: %s; name another file for `rejected`", strerror(errno));
}

hc_rc hc_rejects_open(hc_engine *e, hc_error *error)
{
  hc_rejects *r = hc_arena_alloc(&e->build, sizeof *r);
  if (!r) return HC_ENOMEM;
  hc_buffer_init(&r->kept, e->allocator);
  r->path = e->options->rejected;
  e->rejects = r;
  e->rejected = keep;
  if (!r->path) return 0;
  TRY(open_side(r, e, error));
  (void)fputs(title, r->side);
  return 0;
}

static hc_rc store_kept(hc_engine *e, const hc_rejects *r, hc_error *error)
{
  char *at = r->kept.data, *end;
  if (r->kept.failed) return hc_fail(error, HC_ENOMEM, "rejected", 0, 0, "out of memory");
  if (r->kept.size == 0) return 0;
  end = at + r->kept.size;
  while (e->store && at < end) {
    char *text = at + strlen(at) + 1, *reason = strchr(at, '\t'), *file;
    if (text >= end || !reason || !(file = strchr(reason + 1, '\t'))) return HC_EINPUT;
    *reason++ = *file++ = '\0';
    TRY(hc_store_row(e->store, "rejected", 4, (const char *[]){file, at, reason, text}, error));
    at = text + strlen(text) + 1;
  }
  return 0;
}

hc_rc hc_rejects_finish(hc_engine *e, hc_error *error)
{
  hc_rejects *r = e->rejects;
  bool bad;
  TRY(store_kept(e, r, error));
  if (!r->side) return 0;
  bad = ferror(r->side) != 0;
  bad |= fclose(r->side) != 0;
  r->side = NULL;
  if (!bad) return r->partial.name ? hc_partial_commit(&r->partial, r->path, error) : 0;
  return hc_fail(error, HC_EIO, r->path, 0, 0,
                 "the rejected rows could not be written: %s; make room, or name another file for `rejected`",
                 strerror(errno));
}

hc_rc hc_rejects_visit(hc_engine *e, hc_visitor *v)
{
  hc_rejects *r = e->rejects;
  if (r->side && v->mode != HC_VISIT_HASH) return HC_EUNSUPPORTED;
  HC_VISIT(v, r->count);
  TRY(hc_visit_array(v, (void **)&r->kept.data, &r->kept.size, &r->kept.cap, 1));
  return v->mode == HC_VISIT_LOAD
             ? hc_reserve(e->allocator, (void **)&r->kept.data, &r->kept.cap, r->kept.size + 1, 1)
             : 0;
}

void hc_rejects_close(hc_engine *e)
{
  if (!e->rejects) return;
  hc_buffer_fini(&e->rejects->kept);
  if (e->rejects->side) (void)fclose(e->rejects->side);
  hc_partial_drop(&e->rejects->partial);
}
