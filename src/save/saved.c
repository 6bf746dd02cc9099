/* saved.c -- a save that is read: what it is, whether this program and these inputs carry it on, and the run.
 *
 * What does not agree is an error that names it, before anything is carried on: another program (a state is
 * only sure to mean the same to the version that wrote it), an input or shared object with other bytes, a key
 * that comes to something else. A process that was killed while it saved has left SQLite's journal beside the
 * file; opening undoes what it had begun. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "engine/run.h"
#include "hindcast/files.h"
#include "save/file.h"
#include "setup/config.h"
#include "setup/inputs.h"

static hc_rc failed(const hc_saved *s, int sql, hc_error *e)
{
  return hc_sql_fail(s->db, sql, s->path, "read the save", e);
}

static hc_rc damaged(const hc_saved *s, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, s->path, 0, 0,
                 "the save is damaged; take an earlier copy of it, or run from the beginning");
}

/* ---- facts ---- */

static const char *column(hc_saved *s, sqlite3_stmt *row, int i)
{
  const char *text = (const char *)sqlite3_column_text(row, i);
  return text ? hc_arena_text(&s->arena, text, strlen(text)) : NULL;
}

static void read_number(const char *text, int64_t *out)
{
  if (text) (void)hc_parse_int(text, strlen(text), out);
}

static hc_rc read_fact(hc_saved *s, sqlite3_stmt *row, const char *key)
{
  const char *value = column(s, row, 1);
  int64_t n = 0;
  if (!value) return HC_ENOMEM;
  if (strcmp(key, "program") == 0) s->facts.program = value;
  else if (strcmp(key, "output") == 0) s->facts.output = value;
  else if (strcmp(key, "digest") == 0) s->facts.digest = value;
  else if (strcmp(key, "sum") == 0) (void)snprintf(s->sum, sizeof s->sum, "%s", value);
  else if (strcmp(key, "at") == 0) read_number(value, &s->facts.at);
  else if (strcmp(key, "every") == 0) read_number(value, &s->facts.every);
  else if (strcmp(key, "submitted") == 0 || strcmp(key, "ended") == 0) {
    read_number(value, &n);
    *(key[0] == 's' ? &s->facts.submitted : &s->facts.ended) = (uint64_t)n;
  }
  return 0;
}

static hc_rc read_facts(hc_saved *s, bool *is_form, hc_error *e)
{
  sqlite3_stmt *row = NULL;
  int sql = sqlite3_prepare_v2(s->db, "SELECT key, value FROM save", -1, &row, NULL);
  hc_rc rc = 0;
  while (rc == 0 && sql == SQLITE_OK && (sql = sqlite3_step(row)) == SQLITE_ROW) {
    const char *key = (const char *)sqlite3_column_text(row, 0);
    sql = SQLITE_OK;
    if (!key) rc = HC_EINPUT;
    else if (strcmp(key, "form") == 0) {
      const char *form = column(s, row, 1);
      *is_form = form && strcmp(form, HC_SAVE_FORM) == 0;
    } else if (strcmp(key, "taken") == 0) {
      const int size = sqlite3_column_bytes(row, 1);
      if ((size_t)size == sizeof s->taken) memcpy(s->taken, sqlite3_column_blob(row, 1), sizeof s->taken);
    } else rc = read_fact(s, row, key);
  }
  (void)sqlite3_finalize(row);
  if (rc == HC_ENOMEM) return hc_fail(e, rc, s->path, 0, 0, "out of memory for a save");
  if (rc < 0) return damaged(s, e);
  return sql == SQLITE_DONE ? 0 : failed(s, sql, e);
}

static hc_rc check_facts(const hc_saved *s, const char *program, bool is_form, hc_error *e)
{
  const char *by = s->facts.program;
  if (by && program && strcmp(by, program) != 0)
    return hc_fail(
        e, HC_EVERSION, s->path, 0, 0,
        "the save was written by %.120s, and this is %.120s: a run is carried on only by the program "
        "that saved it; use that one, or run from the beginning",
        by, program);
  if (!is_form || !by || !s->facts.digest || !s->sum[0]) return damaged(s, e);
  return 0;
}

/* ---- its life ---- */

static hc_rc open_it(hc_saved *s, const char *program, hc_error *e)
{
  bool is_form = false;
  const hc_files *files = hc_system_files();
  if (files->look(files->ctx, s->path, NULL) == HC_FILE_ABSENT)
    return hc_fail(e, HC_EIO, s->path, 0, 0,
                   "there is no such file; `hindcast run LOG --save-every 10min` saves a run");
  if (!hc_sql_is(s->path, HC_SAVE_APPLICATION))
    return hc_fail(
        e, HC_EINPUT, s->path, 0, 0,
        "this is no save of a run; name a file that `hindcast run --save-at` or `--save-every` wrote");
  const int sql = sqlite3_open_v2(
      s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  if (sql != SQLITE_OK) return failed(s, sql, e);
  (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  TRY(read_facts(s, &is_form, e));
  return check_facts(s, program, is_form, e);
}

hc_rc hc_saved_open(const hc_allocator *a, const char *path, const char *program, hc_saved **out, hc_error *e)
{
  hc_saved *s = hc_alloc(a, sizeof *s);
  hc_rc rc = HC_ENOMEM;
  if (!s) return hc_fail(e, HC_ENOMEM, path, 0, 0, "out of memory for a save");
  s->allocator = a;
  hc_arena_init(&s->arena, a);
  s->path = hc_arena_text(&s->arena, path, strlen(path));
  if (s->path) rc = open_it(s, program, e);
  else (void)hc_fail(e, rc, path, 0, 0, "out of memory for a save");
  if (rc < 0) hc_saved_free(s);
  else *out = s;
  return rc;
}

void hc_saved_free(hc_saved *s)
{
  if (!s) return;
  (void)sqlite3_close(s->db);
  hc_arena_fini(&s->arena);
  hc_free(s->allocator, s, sizeof *s);
}

const hc_saved_facts *hc_saved_told(const hc_saved *s)
{
  return &s->facts;
}

/* ---- rows of a table ---- */

typedef struct asking {
  hc_saved *saved;
  hc_config *config;
  hc_store *store;
  hc_buffer *state;
  hc_error *error;
} asking;

static hc_rc each_row(hc_saved *s, const char *sql, hc_rc (*each)(asking *x, sqlite3_stmt *row), asking *x)
{
  sqlite3_stmt *row = NULL;
  int rc = sqlite3_prepare_v2(s->db, sql, -1, &row, NULL);
  hc_rc result = 0;
  while (result == 0 && rc == SQLITE_OK && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    result = each(x, row);
    rc = SQLITE_OK;
  }
  (void)sqlite3_finalize(row);
  if (result < 0) return hc_fail(x->error, result, s->path, 0, 0, "%s", hc_rc_text(result));
  return rc == SQLITE_DONE ? 0 : failed(s, rc, x->error);
}

/* ---- inputs ---- */

static hc_rc check_input(asking *x, sqlite3_stmt *row)
{
  const char *path = (const char *)sqlite3_column_text(row, 0);
  const char *was = (const char *)sqlite3_column_text(row, 1);
  hc_error why = {0};
  uint64_t size;
  char sum[33];
  hc_rc rc;
  if (!path || !was) return 0;
  rc = hc_inputs_sum(x->saved->allocator, path, &size, sum, &why);
  if (rc == HC_ENOMEM) return rc;
  if (rc == 0 && strcmp(sum, was) == 0) return 0;
  return hc_fail(x->error, HC_EINPUT, x->saved->path, 0, 0,
                 "the run cannot go on: its input %.300s %s since it was saved; put it back, or run from the "
                 "beginning",
                 path, rc == 0 ? "has changed" : "has gone");
}

/* ---- the configuration ---- */

static hc_rc keep_key(asking *x, sqlite3_stmt *row)
{
  const char *path = (const char *)sqlite3_column_text(row, 0);
  const char *value = (const char *)sqlite3_column_text(row, 1);
  const char *origin = (const char *)sqlite3_column_text(row, 2);
  if (!path || !value || !origin) return HC_EINPUT;
  return hc_config_keep(x->config, path, value, origin, x->error);
}

typedef struct comparing {
  hc_saved *saved;
  sqlite3_stmt *row; /* of what was saved */
  hc_error *error;
} comparing;

/* The same keys in the same order. */
static hc_rc compare_key(void *ctx, const char *path, const char *value, const char *origin)
{
  const comparing *x = ctx;
  const bool is_there = sqlite3_step(x->row) == SQLITE_ROW;
  const char *old_path = is_there ? (const char *)sqlite3_column_text(x->row, 0) : NULL;
  const char *old = is_there ? (const char *)sqlite3_column_text(x->row, 1) : NULL;
  HC_UNUSED(origin);
  if (old_path && old && strcmp(old_path, path) == 0 && strcmp(old, value) == 0) return 0;
  return hc_fail(
      x->error, HC_EVERSION, x->saved->path, 0, 0,
      "the saved configuration no longer comes to what it did: %.200s is \"%.100s\" now; run from the "
      "beginning",
      path, value);
}

static hc_rc check_keys(hc_saved *s, const hc_config *c, hc_error *e)
{
  comparing x = {.saved = s, .error = e};
  const int sql =
      sqlite3_prepare_v2(s->db, "SELECT path, value FROM configuration ORDER BY rowid", -1, &x.row, NULL);
  hc_rc rc = sql == SQLITE_OK ? hc_config_each(c, compare_key, &x) : failed(s, sql, e);
  if (rc == 0 && sqlite3_step(x.row) == SQLITE_ROW) rc = damaged(s, e);
  (void)sqlite3_finalize(x.row);
  return rc;
}

hc_rc hc_saved_config(hc_saved *s, hc_registry *registry, hc_config **out, hc_error *e)
{
  asking x = {.saved = s, .error = e};
  hc_rc rc;
  TRY(each_row(s, "SELECT path, checksum FROM inputs ORDER BY rowid", check_input, &x));
  TRY(hc_config_new(s->allocator, registry, &x.config, e));
  rc = each_row(s, "SELECT path, value, origin FROM configuration ORDER BY rowid", keep_key, &x);
  if (rc == 0) rc = hc_config_resolve(x.config, e);
  if (rc == 0) rc = check_keys(s, x.config, e);
  if (rc < 0) hc_config_free(x.config);
  else *out = x.config;
  return rc;
}

/* ---- the run ---- */

static hc_rc add_rows(asking *x, sqlite3_stmt *row)
{
  const char *was = (const char *)sqlite3_column_text(row, 1);
  hc_snapshot piece = {.size = (size_t)sqlite3_column_bytes(row, 0)};
  char sum[33];
  if (piece.size == 0 || !was) return damaged(x->saved, x->error);
  piece.data = (void *)(uintptr_t)sqlite3_column_blob(row, 0);
  hc_save_sum(&piece, sum);
  if (strcmp(sum, was) != 0) return damaged(x->saved, x->error);
  return hc_store_rows_add(x->store, piece.data, piece.size, x->error);
}

static hc_rc add_state(asking *x, sqlite3_stmt *row)
{
  hc_buffer_add(x->state, sqlite3_column_blob(row, 0), (size_t)sqlite3_column_bytes(row, 0));
  return x->state->failed ? HC_ENOMEM : 0;
}

static hc_rc restore(hc_saved *s, hc_config *config, hc_store *store, hc_buffer *state, hc_run **out,
                     hc_error *e)
{
  asking x = {.saved = s, .store = store, .state = state, .error = e};
  hc_snapshot snapshot;
  char sum[33];
  TRY(each_row(s, "SELECT data FROM state ORDER BY piece", add_state, &x));
  snapshot = (hc_snapshot){.data = state->data, .size = state->size};
  hc_save_sum(&snapshot, sum);
  if (strcmp(sum, s->sum) != 0) return damaged(s, e);
  if (store) TRY(each_row(s, "SELECT data, sum FROM rows ORDER BY piece", add_rows, &x));
  return hc_run_of_state(s->allocator, config, store, &snapshot, out, e);
}

hc_rc hc_saved_restore(hc_saved *s, hc_config *config, hc_store *store, hc_run **out, hc_error *e)
{
  hc_buffer state;
  hc_rc rc;
  hc_buffer_init(&state, s->allocator);
  rc = restore(s, config, store, &state, out, e);
  hc_buffer_fini(&state);
  return rc;
}
