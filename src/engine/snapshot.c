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
#include "engine/arrivals.h"
#include "engine/changes.h"
#include "engine/observe.h"
#include "engine/outside.h"
#include "engine/part.h"
#include "engine/queues.h"
#include "engine/rejected.h"
#include "engine/run.h"
#include "engine/tasks.h"

/* What stands before the state. */
typedef struct header {
  char magic[8];
  uint64_t config[2], body[2];
  /* what `body` is the checksum of begins here */
  uint64_t keeps_all;  /* hc_engine */
  uint64_t changes[3]; /* hc_changes_done */
} header;

#define BODY offsetof(header, keeps_all)

static const char MAGIC[8] = "hcsnap8";

static void sum_of(const void *data, size_t size, uint64_t out[2])
{
  hc_hash h;
  hc_hash_init(&h);
  hc_hash_add(&h, data, size);
  hc_hash_end(&h, out);
}

/* Field by field: what lies between them is not state. */
static hc_rc visit_arrival(hc_arrival *a, hc_visitor *v)
{
  HC_VISIT(v, a->spec);
  HC_VISIT(v, a->units);
  HC_VISIT(v, a->run);
  HC_VISIT(v, a->estimate);
  HC_VISIT(v, a->running_estimate);
  HC_VISIT(v, a->killed);
  HC_VISIT(v, a->flags);
  HC_VISIT(v, a->source);
  HC_VISIT(v, a->slots);
  HC_VISIT(v, a->whole);
  HC_VISIT(v, a->spread);
  HC_VISIT(v, a->plain);
  return 0;
}

static hc_rc visit_scalars(hc_engine *e, hc_visitor *v)
{
  HC_VISIT(v, e->now);
  HC_VISIT(v, e->next_serial);
  HC_VISIT(v, e->next_timer);
  HC_VISIT(v, e->waiting);
  HC_VISIT(v, e->running);
  HC_VISIT(v, e->tasks_held);
  HC_VISIT(v, e->overdue_units);
  if (e->overdue_units == 0) e->overdue_at = 0; /* of no meaning */
  HC_VISIT(v, e->overdue_at);
  TRY(visit_arrival(&e->arrival, v));
  if (hc_visit_loading(v)) e->next = &e->arrival;
  HC_VISIT(v, e->has_arrival);
  HC_VISIT(v, e->source_waits);
  HC_VISIT(v, e->source_ended);
  HC_VISIT(v, e->names_ends);
  HC_VISIT(v, e->counters);
  HC_VISIT(v, e->names.tasks);
  HC_VISIT(v, e->names.left);
  HC_VISIT(v, e->commits);
  return e->last_start ? hc_visit_bytes(v, e->last_start, e->cell_spec.units * sizeof *e->last_start) : 0;
}

static hc_rc visit_rejects(hc_engine *e, hc_visitor *v, hc_error *error)
{
  const hc_rc rc = hc_rejects_visit(e, v);
  if (rc != HC_EUNSUPPORTED) return rc;
  return hc_fail(
      error, rc, "rejected", 0, 0,
      "rejected rows go to a file, which two runs that go on from one state would both write: leave "
      "out `rejected`; the result has the first thousand");
}

static hc_rc visit_state(hc_engine *e, hc_visitor *v, hc_error *error)
{
  if (e->options->world.type)
    return hc_fail(error, HC_EUNSUPPORTED, "snapshot", 0, 0,
                   "a closed world cannot be saved, forked or hashed while it runs");
  hc_arrivals_hold(e);
  TRY(hc_stream_settle(e->stream, error));
  TRY(visit_scalars(e, v));
  TRY(hc_lexicon_visit(e->lexicon, v));
  TRY(hc_tasks_visit(e, v));
  TRY(hc_parts_save(e, v));
  if (e->place_state && e->place->visit) TRY(e->place->visit(e->place_state, v));
  TRY(hc_queues_visit(e, v));
  TRY(hc_cell_visit(&e->cell, v));
  TRY(hc_queue_visit(e->events, v));
  TRY(hc_stream_visit(e->stream, v, error));
  TRY(visit_rejects(e, v, error));
  if (e->architecture_type->visit) TRY(e->architecture_type->visit(e->architecture, v));
  return hc_observe_visit(e, v);
}

/* A plan that its caller is at is put aside meanwhile: no view is open then. */
static hc_rc visit_all(hc_engine *e, hc_visitor *v, hc_error *error)
{
  bool was;
  TRY(hc_outside_park(e, &was));
  const hc_rc rc = visit_state(e, v, error);
  TRY(hc_outside_resume(e, was));
  return rc;
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
  hc_buffer_init(&buffer, e->allocator);
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  hc_config_checksum(e->config, h.config);
  h.keeps_all = e->keeps_all;
  hc_changes_done(e, h.changes);
  hc_buffer_add(&buffer, &h, sizeof h);
  rc = visit_all(e, &v, error);
  if (rc >= 0 && with_rows && e->store) rc = hc_store_visit(e->store, &v);
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
  rc = visit_all(e, &v, error);
  if (rc >= 0 && with_rows && e->store) rc = hc_store_visit(e->store, &v);
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
