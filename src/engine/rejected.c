/* rejected.c -- rows that were not used, kept where a user can look at them.
 *
 * The first thousand go into the store when the run is finished, and are part of a snapshot until then. All
 * of them go into a side file (side_file.c) if the run names one; such a run cannot be saved, because two
 * runs would write one file. */
#include "engine/rejected.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/side_file.h"
#include "engine/state.h"
#include "setup/config.h"

#define STORED_REJECTED 1000

static const char title[] = "file\tline\treason\ttext\n";

struct hc_rejects {
  hc_side_file *side; /* NULL: the run names none */
  bool is_done;       /* the side file has its name */
  hc_buffer line;     /* of the side file */
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
  if (!r->side) return;
  r->line.size = 0;
  hc_buffer_printf(&r->line, "%s\t%" PRIu64 "\t%s\t", file, line, name);
  hc_buffer_text(&r->line, text); /* of any length */
  hc_buffer_text(&r->line, "\n");
  if (!r->line.failed) r->side->line(r->side, r->line.data);
}

hc_rc hc_rejects_open(hc_engine *e, hc_error *error)
{
  hc_rejects *r = hc_arena_alloc(&e->build, sizeof *r);
  const char *path = e->options->rejected;
  if (!r) return HC_ENOMEM;
  hc_buffer_init(&r->kept, e->allocator);
  hc_buffer_init(&r->line, e->allocator);
  e->rejects = r;
  e->rejected = keep;
  if (!path || e->replay.of) return 0;
  return hc_side_file_open(e->allocator, path, title, hc_config_replaces(e->config), &r->side, error);
}

static hc_rc store_kept(hc_engine *e, const hc_rejects *r, hc_error *error)
{
  char *at = r->kept.data, *end;
  if (r->kept.failed || r->line.failed) return hc_fail(error, HC_ENOMEM, "rejected", 0, 0, "out of memory");
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
  TRY(store_kept(e, r, error));
  if (!r->side || r->is_done) return 0;
  r->is_done = true;
  return r->side->finish(r->side, error);
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
  hc_buffer_fini(&e->rejects->line);
  if (e->rejects->side) e->rejects->side->drop(e->rejects->side);
}
