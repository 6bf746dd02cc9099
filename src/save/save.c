/* save.c -- a run that is saved now and then: what it writes, and how the last save stays whole.
 *
 * The first save is a database of its own, written beside its name without journal or syncs, then brought to
 * disk and renamed (base/target.c), as a result is. Each later one is one transaction upon it: rows that are
 * new are added, the state takes the place of the one before, SQLite's journal undoes what was begun if the
 * process is killed or the disk is full. So a save costs what is new since the last one, and what is live.
 *
 * The file is closed between two saves, and is looked at before the next: if another run has saved there
 * meanwhile, that is an error, not a mixture. */
#include "save/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "engine/replay.h"
#include "engine/run.h"
#include "engine/state.h"
#include "hindcast/files.h"
#include "setup/inputs.h"

#define ROWS_PIECE ((size_t)4 << 20) /* bytes of rows that are held at once */

struct hc_save {
  const hc_allocator *allocator;
  hc_run *run;
  const hc_config *config;
  hc_store *store;  /* NULL: no rows */
  hc_store *inputs; /* in memory: the rows of `inputs` alone */
  char *path, *program, *output;
  int64_t every;
  bool is_there; /* the file has a save of this run, with `sum` */
  char sum[33];
  uint64_t taken[HC_TABLE_COUNT];
};

/* One save that is being written. */
typedef struct writing {
  hc_save *save;
  sqlite3 *db;
  hc_error *error;
} writing;

void hc_save_sum(const hc_snapshot *s, char out[33])
{
  uint64_t words[2];
  hc_hash h;
  hc_hash_init(&h);
  hc_hash_add(&h, s->data, s->size);
  hc_hash_end(&h, words);
  (void)snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, words[0], words[1]);
}

/* ---- SQL ---- */

static hc_rc failed(const writing *w, int sql)
{
  return hc_sql_fail(w->db, sql, w->save->path,
                     w->save->is_there ? "save the run (the last save is as it was)" : "save the run",
                     w->error);
}

static hc_rc execute(const writing *w, const char *sql)
{
  const int rc = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
  return rc == SQLITE_OK ? 0 : failed(w, rc);
}

/* One row of texts. */
static hc_rc put_row(const writing *w, const char *sql, const char *const *values, int count)
{
  sqlite3_stmt *s = NULL;
  int rc = sqlite3_prepare_v2(w->db, sql, -1, &s, NULL);
  for (int i = 0; rc == SQLITE_OK && i < count; i++)
    rc = sqlite3_bind_text(s, i + 1, values[i], -1, SQLITE_STATIC);
  if (rc == SQLITE_OK) rc = sqlite3_step(s) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(w->db);
  (void)sqlite3_finalize(s);
  return rc == SQLITE_OK ? 0 : failed(w, rc);
}

static hc_rc put_blob(const writing *w, const char *sql, const void *data, size_t size)
{
  sqlite3_stmt *s = NULL;
  int rc = sqlite3_prepare_v2(w->db, sql, -1, &s, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_bind_blob64(s, 1, data, size, SQLITE_STATIC);
  if (rc == SQLITE_OK) rc = sqlite3_step(s) == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(w->db);
  (void)sqlite3_finalize(s);
  return rc == SQLITE_OK ? 0 : failed(w, rc);
}

static hc_rc put_fact(const writing *w, const char *key, const char *value)
{
  if (!value) return 0;
  return put_row(w, "REPLACE INTO save VALUES(?,?)", (const char *const[]){key, value}, 2);
}

static hc_rc put_number(const writing *w, const char *key, int64_t n)
{
  char text[32];
  (void)snprintf(text, sizeof text, "%" PRId64, n);
  return put_fact(w, key, text);
}

/* ---- what stays as it is ---- */

static hc_rc put_key(void *ctx, const char *path, const char *value, const char *origin)
{
  return put_row(ctx, "INSERT INTO configuration VALUES(?,?,?)", (const char *const[]){path, value, origin},
                 3);
}

static hc_rc put_input(void *ctx, const char *const *row)
{
  return put_row(ctx, "INSERT INTO inputs VALUES(?,?,?)", row, 3);
}

static hc_rc put_inputs(writing *w)
{
  hc_result *r;
  hc_rc rc;
  TRY(hc_result_of_store(w->save->inputs, &r, w->error));
  rc = hc_result_rows(r, "inputs", 3, put_input, w, w->error);
  hc_result_free(r);
  return rc;
}

static hc_rc put_lasting(writing *w)
{
  const hc_save *s = w->save;
  char mark[48];
  (void)snprintf(mark, sizeof mark, "PRAGMA application_id=%d", HC_SAVE_APPLICATION);
  TRY(execute(w, mark));
  TRY(execute(w, "CREATE TABLE save(key TEXT PRIMARY KEY, value);"
                 "CREATE TABLE configuration(path TEXT, value TEXT, origin TEXT);"
                 "CREATE TABLE inputs(path TEXT, bytes INTEGER, checksum TEXT);"
                 "CREATE TABLE rows(piece INTEGER PRIMARY KEY, sum TEXT, data BLOB);"
                 "CREATE TABLE state(piece INTEGER PRIMARY KEY, data BLOB)"));
  TRY(put_fact(w, "form", HC_SAVE_FORM));
  TRY(put_fact(w, "program", s->program));
  TRY(put_fact(w, "output", s->output));
  TRY(put_number(w, "every", s->every));
  TRY(hc_config_each(s->config, put_key, w));
  return put_inputs(w);
}

/* ---- what is new each time ---- */

static hc_rc put_rows(writing *w, uint64_t *taken)
{
  char sum[33], sql[96];
  hc_buffer piece;
  hc_rc rc = 0;
  hc_buffer_init(&piece, w->save->allocator);
  while (w->save->store && rc == 0) {
    piece.size = 0;
    rc = hc_store_rows_take(w->save->store, taken, ROWS_PIECE, &piece, w->error);
    if (rc < 0 || piece.size == 0) break;
    hc_save_sum(&(hc_snapshot){piece.data, piece.size}, sum);
    (void)snprintf(sql, sizeof sql, "INSERT INTO rows(sum, data) VALUES('%s', ?)", sum);
    rc = put_blob(w, sql, piece.data, piece.size);
  }
  hc_buffer_fini(&piece);
  return rc;
}

static hc_rc put_state(writing *w, const hc_snapshot *s, const char *sum, hc_time at)
{
  char digest[33];
  hc_progress p;
  TRY(execute(w, "DELETE FROM state"));
  for (size_t done = 0; done < s->size; done += HC_SAVE_PIECE)
    TRY(put_blob(w, "INSERT INTO state(data) VALUES(?)", (const char *)s->data + done,
                 HC_MIN(HC_SAVE_PIECE, s->size - done)));
  TRY(hc_run_digest(w->save->run, digest, w->error));
  hc_run_progress(w->save->run, &p);
  TRY(put_fact(w, "digest", digest));
  TRY(put_number(w, "at", at));
  TRY(put_number(w, "submitted", (int64_t)p.submitted));
  TRY(put_number(w, "ended", (int64_t)p.ended));
  return put_fact(w, "sum", sum);
}

static hc_rc put_all(writing *w, const hc_snapshot *s, const char *sum, hc_time at, uint64_t *taken)
{
  if (!w->save->is_there) TRY(put_lasting(w));
  TRY(put_rows(w, taken));
  TRY(put_blob(w, "REPLACE INTO save VALUES('taken', ?)", taken, HC_TABLE_COUNT * sizeof *taken));
  TRY(put_state(w, s, sum, at));
  return execute(w, "COMMIT");
}

/* ---- the file ---- */

static hc_rc open_file(writing *w, const char *name, bool is_own)
{
  const int rc =
      sqlite3_open_v2(name, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                      is_own ? "unix-none" : NULL);
  return rc == SQLITE_OK ? 0 : failed(w, rc);
}

static hc_rc write_first(writing *w, const hc_snapshot *s, const char *sum, hc_time at, uint64_t *taken)
{
  hc_save *save = w->save;
  hc_partial partial;
  hc_rc rc;
  TRY(hc_partial_open(save->allocator, save->path, &partial, w->error));
  rc = open_file(w, partial.name, true);
  if (rc == 0)
    rc = execute(w, "PRAGMA page_size=32768;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                    "PRAGMA cache_size=-2048;BEGIN EXCLUSIVE");
  if (rc == 0) rc = put_all(w, s, sum, at, taken);
  if (sqlite3_close(w->db) != SQLITE_OK && rc == 0) rc = HC_EIO;
  w->db = NULL;
  if (rc == 0) rc = hc_partial_commit(&partial, save->path, w->error);
  hc_partial_drop(&partial);
  return rc;
}

/* Is the file what was saved last? */
static hc_rc check_same(const writing *w)
{
  sqlite3_stmt *s = NULL;
  bool is_same = false;
  int rc = sqlite3_prepare_v2(w->db, "SELECT value FROM save WHERE key='sum'", -1, &s, NULL);
  if (rc == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
    const char *sum = (const char *)sqlite3_column_text(s, 0);
    is_same = sum && strcmp(sum, w->save->sum) == 0;
  }
  (void)sqlite3_finalize(s);
  if (rc != SQLITE_OK) return failed(w, rc);
  if (is_same) return 0;
  return hc_fail(
      w->error, HC_EIO, w->save->path, 0, 0,
      "the file is not what this run saved there last: another run saves to it; give each its own");
}

static hc_rc write_next(writing *w, const hc_snapshot *s, const char *sum, hc_time at, uint64_t *taken)
{
  hc_rc rc = open_file(w, w->save->path, false);
  if (rc == 0)
    rc = execute(w, "PRAGMA journal_mode=DELETE;PRAGMA synchronous=FULL;PRAGMA cache_size=-2048;"
                    "BEGIN IMMEDIATE");
  if (rc == 0) rc = check_same(w);
  if (rc == 0) rc = put_all(w, s, sum, at, taken);
  if (rc < 0) (void)sqlite3_exec(w->db, "ROLLBACK", NULL, NULL, NULL);
  (void)sqlite3_close(w->db);
  w->db = NULL;
  return rc;
}

hc_rc hc_save_now(hc_save *s, hc_time at, hc_error *e)
{
  writing w = {.save = s, .error = e};
  uint64_t taken[HC_TABLE_COUNT];
  char sum[33];
  hc_snapshot state;
  hc_rc rc;
  TRY(hc_run_state(s->run, &state, e));
  hc_save_sum(&state, sum);
  memcpy(taken, s->taken, sizeof taken);
  rc = (s->is_there ? write_next : write_first)(&w, &state, sum, at, taken);
  hc_snapshot_free(s->allocator, &state);
  if (rc < 0) return hc_fail(e, rc, s->path, 0, 0, "the run cannot be saved: %s", hc_rc_text(rc));
  memcpy(s->taken, taken, sizeof taken);
  memcpy(s->sum, sum, sizeof sum);
  s->is_there = true;
  return 0;
}

/* ---- its life ---- */

hc_rc hc_save_run_new(const hc_allocator *a, hc_config *c, hc_store *store, hc_run **out, hc_error *e)
{
  return hc_run_new_on(a, c, store, &(hc_replay){.keeps_all = true}, out, e);
}

static char *copy(const hc_allocator *a, const char *text)
{
  const size_t n = text ? strlen(text) + 1 : 0;
  char *out = n > 0 ? hc_alloc(a, n) : NULL;
  if (out) memcpy(out, text, n);
  return out;
}

static void drop(const hc_allocator *a, char *text)
{
  hc_free(a, text, text ? strlen(text) + 1 : 0);
}

void hc_save_free(hc_save *s)
{
  if (!s) return;
  hc_store_free(s->inputs);
  drop(s->allocator, s->path);
  drop(s->allocator, s->program);
  drop(s->allocator, s->output);
  hc_free(s->allocator, s, sizeof *s);
}

/* A metric is what it has counted: without `visit` it would begin anew. */
static hc_rc check_metrics(const hc_run_options *o, hc_error *e)
{
  const hc_chosen *metrics = o->metrics.items;
  for (size_t i = 0; i < o->metrics.count; i++) {
    const hc_metric_type *m = (const hc_metric_type *)metrics[i].type;
    if (!m->visit)
      return hc_fail(
          e, HC_EUNSUPPORTED, "metrics", 0, 0,
          "the metric %s has no `visit`, by which what it has counted would be saved: leave it out "
          "of `metrics`, or give it one (docs/adding-a-part.md)",
          m->component.name);
  }
  return 0;
}

static hc_rc refuse_stream(void *ctx, const char *name, hc_error *e)
{
  HC_UNUSED(ctx);
  if (strcmp(name, "-") != 0) return 0;
  return hc_fail(
      e, HC_EUNSUPPORTED, "source", 0, 0,
      "standard input cannot be read again from where the run was saved: write it to a file first, "
      "and run that");
}

static hc_rc try_out(hc_save *s, hc_error *e)
{
  hc_snapshot state;
  if (s->run->world)
    return hc_fail(e, HC_EUNSUPPORTED, "world", 0, 0,
                   "a closed world runs by itself, and cannot be saved: run it in one piece");
  TRY(hc_inputs_named(s->allocator, hc_config_options(s->config), refuse_stream, NULL, e));
  TRY(check_metrics(hc_config_options(s->config), e));
  TRY(hc_run_state(s->run, &state, e));
  hc_snapshot_free(s->allocator, &state);
  TRY(hc_memory_store_new(s->allocator, &s->inputs, e));
  return hc_inputs_store(s->allocator, hc_config_options(s->config), NULL, s->inputs, e);
}

static hc_rc check_target(const hc_save_options *o, hc_error *e)
{
  const hc_files *files = hc_system_files();
  uint64_t size = 0;
  const hc_file_kind kind = files->look(files->ctx, o->path, &size);
  if (kind == HC_FILE_ABSENT) return 0;
  if (kind != HC_FILE_PLAIN)
    return hc_fail(e, HC_EIO, o->path, 0, 0,
                   "the run cannot be saved here: this is no regular file; choose another path");
  if (size == 0 || o->replace || hc_sql_is(o->path, HC_SAVE_APPLICATION)) return 0;
  return hc_fail(e, HC_EUSAGE, o->path, 0, 0,
                 "there is a file that is no save of a run already; choose another path, or say --force to "
                 "replace it");
}

hc_rc hc_save_new(const hc_allocator *a, hc_run *run, const hc_config *config, hc_store *store,
                  const hc_save_options *o, hc_save **out, hc_error *e)
{
  hc_save *s;
  hc_rc rc = HC_ENOMEM;
  bool made;
  TRY(check_target(o, e));
  TRY(hc_config_protect(config, o->path, e));
  s = hc_alloc(a, sizeof *s);
  if (!s) return hc_fail(e, HC_ENOMEM, o->path, 0, 0, "out of memory");
  *s = (hc_save){.allocator = a, .run = run, .config = config, .store = store, .every = o->every};
  s->path = copy(a, o->path);
  s->program = copy(a, o->program);
  s->output = copy(a, o->output);
  if (!s->path || !s->program || (o->output && !s->output)) {
    (void)hc_fail(e, HC_ENOMEM, o->path, 0, 0, "out of memory");
    goto fail;
  }
  if (o->of) {
    memcpy(s->taken, o->of->taken, sizeof s->taken);
    memcpy(s->sum, o->of->sum, sizeof s->sum);
    s->is_there = true;
  }
  TRY_OR(hc_target_directory(a, o->path, &made, e), fail);
  TRY_OR(try_out(s, e), fail);
  *out = s;
  return 0;
fail:
  hc_save_free(s);
  return rc;
}
