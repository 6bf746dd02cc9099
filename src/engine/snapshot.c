/* snapshot.c -- a run is a value: one piece of code saves it, loads it, and hashes it.
 *
 * A snapshot is taken between instants, or where a plan is to come from outside (outside.c): when no view is
 * open. It holds what changes; what the
 * configuration says is built anew on loading, and a checksum of the configuration makes sure that it is
 * the same. A second one covers all that follows it: what loads is what was saved, so that no component
 * has to guard its indices. The hash leaves out what does not bear on the future (handles of events, the
 * order of free slots' contents), so that all event queues agree. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"
#include "engine/changes.h"
#include "engine/curves.h"
#include "engine/outside.h"
#include "engine/run.h"
#include "engine/visit.h"

/* What stands before the state. */
typedef struct header {
  char magic[8];
  uint64_t config[2], body[2];
  /* what `body` is the checksum of begins here */
  uint64_t keeps_all;  /* hc_engine */
  uint64_t changes[3]; /* hc_changes_done */
} header;

#define BODY offsetof(header, keeps_all)

static const char MAGIC[8] = "hcsnap12";

static void sum_of(const void *data, size_t size, uint64_t out[2])
{
  hc_hash h;
  hc_hash_init(&h);
  hc_hash_add(&h, data, size);
  hc_hash_end(&h, out);
}

/* A plan that its caller is at is put aside meanwhile: no view is open then. */
static hc_rc visit_all(hc_engine *e, hc_visitor *v, hc_error *error)
{
  bool was;
  TRY(hc_outside_park(e, &was));
  const hc_rc rc = hc_engine_visit(e, v, error);
  TRY(hc_outside_resume(e, was));
  return rc;
}

/* The state, and what is kept for the result alone, which is no part of the hash. */
static hc_rc visit_kept(hc_engine *e, bool with_rows, hc_visitor *v, hc_error *error)
{
  TRY(visit_all(e, v, error));
  TRY(hc_curves_visit(e->observers.curves, v));
  return with_rows && e->store ? hc_store_visit(e->store, v) : 0;
}

static hc_rc save(hc_run *r, bool with_rows, hc_snapshot *out, hc_error *error)
{
  hc_engine *e = &r->engine;
  hc_buffer buffer;
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = e->allocator, .out = &buffer};
  header h = {0};
  hc_rc rc;
  if (e->failed < 0)
    return hc_fail(error, e->failed, "snapshot", 0, 0, "the run failed and has no state to save");
  if (e->model && e->model_type->may_save) TRY(e->model_type->may_save(e->model, error));
  TRY(hc_outside_may_save(e, error));
  hc_buffer_init(&buffer, e->allocator);
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  hc_config_checksum(e->config, h.config);
  h.keeps_all = e->keeps_all;
  hc_changes_done(e, h.changes);
  hc_buffer_add(&buffer, &h, sizeof h);
  rc = visit_kept(e, with_rows, &v, error);
  if (rc >= 0 && buffer.failed) rc = HC_ENOMEM;
  if (rc < 0) {
    hc_buffer_fini(&buffer);
    return hc_fail(error, rc, "snapshot", 0, 0, "the run cannot be saved: %s", hc_rc_text(rc));
  }
  memcpy(buffer.data, &h, sizeof h);
  sum_of(buffer.data + BODY, buffer.size - BODY, h.body);
  memcpy(buffer.data, &h, sizeof h);
  out->data = e->allocator->resize(e->allocator->ctx, buffer.data, buffer.cap, buffer.size);
  if (!out->data) {
    hc_buffer_fini(&buffer);
    return hc_fail(error, HC_ENOMEM, "snapshot", 0, 0, "out of memory");
  }
  out->size = buffer.size;
  return 0;
}

hc_rc hc_run_snapshot(hc_run *r, hc_snapshot *out, hc_error *error)
{
  return save(r, true, out, error);
}

hc_rc hc_run_state(hc_run *r, hc_snapshot *out, hc_error *error)
{
  return save(r, false, out, error);
}

void hc_snapshot_free(const hc_allocator *a, hc_snapshot *s)
{
  hc_free(a, s->data, s->size);
  *s = (hc_snapshot){0};
}

static hc_rc load(hc_engine *e, const hc_snapshot *s, bool with_rows, hc_error *error)
{
  uint64_t sum[2];
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_LOAD, .allocator = e->allocator};
  header h;
  hc_rc rc;
  if (s->size < sizeof h || memcmp(s->data, MAGIC, sizeof MAGIC) != 0)
    return hc_fail(error, HC_EVERSION, "snapshot", 0, 0, "not a snapshot of this version");
  memcpy(&h, s->data, sizeof h);
  hc_config_checksum(e->config, sum);
  if (memcmp(h.config, sum, sizeof sum) != 0)
    return hc_fail(
        error, HC_EVERSION, "snapshot", 0, 0,
        "the snapshot belongs to another configuration; restore it under the one it was taken with");
  v.in = (const uint8_t *)s->data + sizeof h;
  v.left = s->size - sizeof h;
  sum_of((const char *)s->data + BODY, s->size - BODY, sum);
  if (memcmp(h.body, sum, sizeof sum) != 0)
    return hc_fail(error, HC_EINPUT, "snapshot", 0, 0,
                   "the snapshot is damaged: its checksum does not match");
  TRY(hc_changes_resume(e, h.changes, error));
  if (h.keeps_all != e->keeps_all)
    return hc_fail(
        error, HC_EUNSUPPORTED, "changes", 0, 0,
        "the saved run keeps only what its own policy asks: a run that is begun by `hindcast run` with "
        "--save-at or --save-every (hc_save_run_new) can go on with changes");
  rc = visit_kept(e, with_rows, &v, error);
  if (rc >= 0 && v.left > 0) rc = HC_EINPUT; /* it was taken with a store, and there is none now */
  if (rc >= 0 && e->change_at < e->now)
    return hc_fail(error, HC_EUSAGE, "changes", 0, 0,
                   "a change is of a time before that of the snapshot, which is over: give it a later one");
  return rc < 0
             ? hc_fail(error, rc, "snapshot", 0, 0, "the snapshot does not fit this run: %s", hc_rc_text(rc))
             : 0;
}

/* What is no snapshot is refused when it is loaded. */
static bool keeps_all(const hc_snapshot *s)
{
  header h = {0};
  if (s->size >= sizeof h) memcpy(&h, s->data, sizeof h);
  return h.keeps_all != 0;
}

static hc_rc restore(const hc_allocator *a, hc_config *c, hc_store *store, const hc_snapshot *s,
                     bool with_rows, hc_run **out, hc_error *error)
{
  hc_run *r;
  hc_rc rc;
  const hc_replay replay = {.keeps_all = keeps_all(s)};
  TRY(hc_engine_new(a, c, store, &replay, &r, error));
  rc = load(&r->engine, s, with_rows, error);
  if (rc < 0) {
    hc_run_free(r);
    return rc;
  }
  *out = r;
  return 0;
}

hc_rc hc_run_restore(const hc_allocator *a, hc_config *c, hc_store *store, const hc_snapshot *s, hc_run **out,
                     hc_error *error)
{
  return restore(a, c, store, s, true, out, error);
}

hc_rc hc_run_of_state(const hc_allocator *a, hc_config *c, hc_store *store, const hc_snapshot *s,
                      hc_run **out, hc_error *error)
{
  return restore(a, c, store, s, false, out, error);
}

hc_rc hc_run_fork(hc_run *r, hc_config *c, hc_store *store, hc_run **out, hc_error *error)
{
  hc_snapshot s;
  hc_rc rc;
  TRY(hc_run_snapshot(r, &s, error));
  rc = hc_run_restore(r->engine.allocator, c, store, &s, out, error);
  hc_snapshot_free(r->engine.allocator, &s);
  return rc;
}

hc_rc hc_run_digest(hc_run *r, char text[33], hc_error *error)
{
  hc_hash hash;
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_HASH, .allocator = r->engine.allocator, .hash = &hash};
  uint64_t sum[2];
  hc_rc rc;
  hc_hash_init(&hash);
  rc = visit_all(&r->engine, &v, error);
  if (rc < 0) return hc_fail(error, rc, "digest", 0, 0, "the state cannot be hashed: %s", hc_rc_text(rc));
  hc_hash_end(&hash, sum);
  (void)snprintf(text, 33, "%016llx%016llx", (unsigned long long)sum[0], (unsigned long long)sum[1]);
  return 0;
}
