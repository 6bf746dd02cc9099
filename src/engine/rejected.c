/* rejected.c -- rows that were not used, kept where a user can look at them.
 *
 * The first thousand go into the store; all of them into a side file if the run names one, under a temporary name
 * until the run is finished. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/state.h"

#define STORED_REJECTED 1000

struct hc_rejects {
  hc_engine *engine;
  FILE *side;
  const char *path, *partial;
  uint64_t count;
  hc_rc rc; /* the first failure: the callback has nowhere to return it */
  hc_error error;
};

static void keep(void *ctx, uint64_t line, hc_reason why, const char *text)
{
  hc_rejects *r = ctx;
  char number[32];
  const char *row[3] = {number, hc_reason_name(why), text ? text : ""};
  (void)snprintf(number, sizeof number, "%" PRIu64, line);
  if (r->engine->store && r->count < STORED_REJECTED && r->rc == 0)
    r->rc = hc_store_row(r->engine->store, "rejected", 3, row, &r->error);
  if (r->side) (void)fprintf(r->side, "%s\t%s\t%s\n", row[0], row[1], row[2]);
  r->count++;
}

hc_rc hc_rejects_open(hc_engine *e, hc_error *error)
{
  const char *path = e->options->rejected;
  hc_rejects *r = hc_arena_alloc(&e->build, sizeof *r);
  if (!r) return HC_ENOMEM;
  r->engine = e;
  e->rejects = r;
  e->rejected = keep;
  if (!path) return 0;
  r->path = path;
  r->partial = hc_arena_printf(&e->build, "%s.partial", path);
  if (!r->partial) return HC_ENOMEM;
  r->side = fopen(r->partial, "w");
  if (!r->side)
    return hc_fail(error, HC_EIO, path, 0, 0, "cannot be written: %s; name another file for `rejected`",
                   strerror(errno));
  (void)fprintf(r->side, "line\treason\ttext\n");
  return 0;
}

hc_rc hc_rejects_finish(hc_engine *e, hc_error *error)
{
  hc_rejects *r = e->rejects;
  bool bad;
  if (!r) return 0;
  if (r->rc < 0) return hc_fail(error, r->rc, r->error.where, 0, 0, "%s", r->error.text);
  if (!r->side) return 0;
  bad = ferror(r->side) != 0;
  bad |= fclose(r->side) != 0;
  r->side = NULL;
  if (!bad && rename(r->partial, r->path) == 0) return 0;
  return hc_fail(error, HC_EIO, r->path, 0, 0, "the rejected rows could not be written: %s", strerror(errno));
}

void hc_rejects_close(hc_engine *e)
{
  if (!e->rejects || !e->rejects->side) return;
  (void)fclose(e->rejects->side);
  (void)remove(e->rejects->partial);
}
