/* rejected.c -- rows that were not used, kept where a user can look at them.
 *
 * The first thousand go into the store when the run is finished, and are part of a snapshot until then.
 * All of them go into a side file if the run names one, under a temporary name until the run is finished;
 * such a run cannot be saved, because two runs would write one file. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/state.h"

#define STORED_REJECTED 1000

struct hc_rejects {
  FILE *side;
  const char *path, *partial; /* the same if it is a device or a pipe, which nothing may take the place of */
  hc_buffer kept;             /* "line TAB reason TAB file NUL text NUL", one after the other */
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

hc_rc hc_rejects_open(hc_engine *e, hc_error *error)
{
  const char *path = e->options->rejected;
  hc_rejects *r = hc_arena_alloc(&e->build, sizeof *r);
  struct stat st;
  bool exists;
  if (!r) return HC_ENOMEM;
  hc_buffer_init(&r->kept, e->allocator);
  e->rejects = r;
  e->rejected = keep;
  if (!path) return 0;
  exists = stat(path, &st) == 0;
  if (exists && S_ISDIR(st.st_mode))
    return hc_fail(error, HC_EIO, path, 0, 0, "this is a directory; name a file in it for `rejected`");
  r->path = path;
  r->partial = exists && !S_ISREG(st.st_mode) ? path : hc_arena_printf(&e->build, "%s.partial", path);
  if (!r->partial) return HC_ENOMEM;
  r->side = fopen(r->partial, "w");
  if (!r->side)
    return hc_fail(error, errno == ENOMEM ? HC_ENOMEM : HC_EIO, path, 0, 0,
                   "cannot be written: %s; name another file for `rejected`", strerror(errno));
  (void)fprintf(r->side, "file\tline\treason\ttext\n");
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
  if (!bad && (r->partial == r->path || rename(r->partial, r->path) == 0)) return 0;
  hc_rc rc =
      hc_fail(error, HC_EIO, r->path, 0, 0,
              "the rejected rows could not be written: %s; make room, or name another file for `rejected`",
              strerror(errno));
  if (r->partial != r->path) (void)remove(r->partial);
  return rc;
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
  if (!e->rejects->side) return;
  (void)fclose(e->rejects->side);
  if (e->rejects->partial != e->rejects->path) (void)remove(e->rejects->partial);
}
