/* data.c -- a study's store, read back whole. */
#include <sqlite3.h>
#include <string.h>

#include "base/util.h"
#include "output/sqlite.h"
#include "study/stored.h"

/* The public struct, and what it owns. */
typedef struct loaded {
  hc_study_data data; /* first */
  hc_arena arena;
  uint32_t *level;
  uint8_t *state;
  size_t level_size, state_size, value_size; /* bytes; value_size of each figure */
  double **value;
} loaded;

typedef struct reader {
  const hc_allocator *allocator;
  sqlite3 *db;
  const char *path;
  loaded *l;
} reader;

static hc_rc failed(const reader *r, int sql, hc_error *e)
{
  return hc_sql_fail(r->db, sql, r->path, "read the study", e);
}

static hc_rc no_memory(const reader *r, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, r->path, 0, 0, "out of memory for the study");
}

static hc_rc damaged(const reader *r, hc_error *e)
{
  return hc_fail(e, HC_EINPUT, r->path, 0, 0,
                 "this store of a study is damaged: make it again from its parts");
}

static hc_rc prepare(const reader *r, const char *sql, sqlite3_stmt **out, hc_error *e)
{
  const int rc = sqlite3_prepare_v2(r->db, sql, -1, out, NULL);
  return rc == SQLITE_OK ? 0 : failed(r, rc, e);
}

static hc_rc number(const reader *r, const char *sql, int64_t *out, hc_error *e)
{
  sqlite3_stmt *s = NULL;
  TRY(prepare(r, sql, &s, e));
  *out = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
  (void)sqlite3_finalize(s);
  return 0;
}

static const char *text(const reader *r, sqlite3_stmt *s, int column)
{
  const char *t = (const char *)sqlite3_column_text(s, column);
  return hc_arena_text(&r->l->arena, t ? t : "", t ? strlen(t) : 0);
}

static hc_rc read_name(const reader *r, hc_error *e)
{
  sqlite3_stmt *s = NULL;
  TRY(prepare(r, "SELECT value FROM study WHERE key='name'", &s, e));
  r->l->data.name = sqlite3_step(s) == SQLITE_ROW ? text(r, s, 0) : "";
  (void)sqlite3_finalize(s);
  return r->l->data.name ? 0 : no_memory(r, e);
}

/* What the file wanted compared. A text that cannot be read says nothing. */
static hc_rc read_asked(const reader *r, hc_error *e)
{
  hc_error ignored = {0};
  hc_value *v = NULL;
  sqlite3_stmt *s = NULL;
  const char *json = NULL;
  TRY(prepare(r, "SELECT value FROM study WHERE key='compare'", &s, e));
  if (sqlite3_step(s) == SQLITE_ROW) json = text(r, s, 0);
  (void)sqlite3_finalize(s);
  if (json && (hc_value_parse(&r->l->arena, json, strlen(json), r->path, &v, &ignored) < 0 ||
               hc_study_read_asked(&r->l->arena, v, &r->l->data.asked, &ignored) < 0))
    r->l->data.asked = (hc_study_asked){.axis_count = 0};
  return 0;
}

static hc_rc read_levels(const reader *r, hc_study_axis *axis, uint32_t which, hc_error *e)
{
  const char **labels = hc_arena_alloc(&r->l->arena, axis->count * sizeof *labels);
  double *numbers = hc_arena_alloc(&r->l->arena, axis->count * sizeof *numbers);
  sqlite3_stmt *s = NULL;
  uint32_t n = 0;
  if (!labels || !numbers) return no_memory(r, e);
  TRY(prepare(r, "SELECT label, number FROM level WHERE axis=? ORDER BY level", &s, e));
  (void)sqlite3_bind_int64(s, 1, which);
  for (; n < axis->count && sqlite3_step(s) == SQLITE_ROW; n++) {
    labels[n] = text(r, s, 0);
    numbers[n] =
        sqlite3_column_type(s, 1) == SQLITE_NULL ? (double)__builtin_nan("") : sqlite3_column_double(s, 1);
    if (!labels[n]) break;
  }
  (void)sqlite3_finalize(s);
  axis->labels = labels;
  axis->numbers = numbers;
  return n == axis->count ? 0 : damaged(r, e);
}

static hc_rc read_axes(const reader *r, hc_error *e)
{
  hc_study_axis *axes;
  sqlite3_stmt *s = NULL;
  int64_t count;
  uint32_t n = 0;
  TRY(number(r, "SELECT count(*) FROM axis", &count, e));
  axes = hc_arena_alloc(&r->l->arena, (size_t)count * sizeof *axes);
  if (!axes) return no_memory(r, e);
  TRY(prepare(r, "SELECT name, levels FROM axis ORDER BY axis", &s, e));
  for (; n < (uint64_t)count && sqlite3_step(s) == SQLITE_ROW; n++) {
    const int64_t levels = sqlite3_column_int64(s, 1);
    axes[n] = (hc_study_axis){.name = text(r, s, 0), .count = (uint32_t)levels};
    if (!axes[n].name || levels < 1 || levels > UINT32_MAX) break;
  }
  (void)sqlite3_finalize(s);
  if (n != count) return damaged(r, e);
  for (uint32_t i = 0; i < n; i++) TRY(read_levels(r, &axes[i], i, e));
  r->l->data.axes = axes;
  r->l->data.axis_count = n;
  return 0;
}

static hc_rc read_figures(const reader *r, hc_error *e)
{
  hc_study_figure *figures;
  sqlite3_stmt *s = NULL;
  int64_t count;
  uint32_t n = 0;
  TRY(number(r, "SELECT count(*) FROM figure", &count, e));
  figures = hc_arena_alloc(&r->l->arena, (size_t)count * sizeof *figures);
  if (!figures) return no_memory(r, e);
  TRY(prepare(r, "SELECT name, unit, (better='higher')-(better='lower') FROM figure ORDER BY figure", &s, e));
  for (; n < (uint64_t)count && sqlite3_step(s) == SQLITE_ROW; n++) {
    figures[n] = (hc_study_figure){text(r, s, 0), text(r, s, 1), sqlite3_column_int(s, 2)};
    if (!figures[n].name || !figures[n].unit) break;
  }
  (void)sqlite3_finalize(s);
  if (n != count) return damaged(r, e);
  r->l->data.figures = figures;
  r->l->data.figure_count = n;
  return 0;
}

static hc_rc make_room(const reader *r, hc_error *e)
{
  loaded *l = r->l;
  int64_t points;
  TRY(number(r, "SELECT count(*) FROM point", &points, e));
  l->data.point_count = (uint64_t)points;
  l->level_size = (size_t)points * l->data.axis_count * sizeof *l->level;
  l->state_size = (size_t)points;
  l->value_size = (size_t)points * sizeof(double);
  l->level = hc_alloc(r->allocator, l->level_size);
  l->state = hc_alloc(r->allocator, l->state_size);
  l->value = hc_arena_alloc(&l->arena, l->data.figure_count * sizeof *l->value);
  if (!l->level || !l->state || !l->value) return no_memory(r, e);
  for (uint32_t i = 0; i < l->data.figure_count; i++) {
    l->value[i] = hc_alloc(r->allocator, l->value_size);
    if (!l->value[i]) return no_memory(r, e);
    for (int64_t p = 0; p < points; p++) l->value[i][p] = (double)__builtin_nan("");
  }
  l->data.level = l->level;
  l->data.state = l->state;
  l->data.value = (const double *const *)l->value;
  return 0;
}

static hc_point_state state_named(const char *word)
{
  static const char *const states[] = {"open", "done", "failed", "crashed", "late"};
  for (size_t i = 0; word && i < HC_ARRAY_LEN(states); i++)
    if (strcmp(states[i], word) == 0) return (hc_point_state)i;
  return HC_POINT_OPEN;
}

static hc_rc read_points(const reader *r, hc_error *e)
{
  const hc_study_data *d = &r->l->data;
  sqlite3_stmt *s = NULL;
  uint64_t p = 0;
  bool sound = true;
  TRY(prepare(r, "SELECT * FROM point ORDER BY point", &s, e));
  sound = sqlite3_column_count(s) == (int)d->axis_count + 2;
  for (; sound && p < d->point_count && sqlite3_step(s) == SQLITE_ROW; p++) {
    r->l->state[p] = (uint8_t)state_named((const char *)sqlite3_column_text(s, 1));
    for (uint32_t a = 0; a < d->axis_count; a++) {
      const int64_t level = sqlite3_column_int64(s, 2 + (int)a);
      r->l->level[p * d->axis_count + a] = (uint32_t)level;
      sound &= level >= 0 && level < d->axes[a].count;
    }
    sound &= sqlite3_column_int64(s, 0) == (int64_t)p;
  }
  (void)sqlite3_finalize(s);
  return sound && p == d->point_count ? 0 : damaged(r, e);
}

static hc_rc read_values(const reader *r, hc_error *e)
{
  const hc_study_data *d = &r->l->data;
  sqlite3_stmt *s = NULL;
  bool sound;
  TRY(prepare(r, "SELECT * FROM value ORDER BY point", &s, e));
  sound = sqlite3_column_count(s) == (int)d->figure_count + 1;
  while (sound && sqlite3_step(s) == SQLITE_ROW) {
    const int64_t p = sqlite3_column_int64(s, 0);
    sound = p >= 0 && (uint64_t)p < d->point_count;
    for (uint32_t f = 0; sound && f < d->figure_count; f++)
      if (sqlite3_column_type(s, 1 + (int)f) != SQLITE_NULL)
        r->l->value[f][p] = sqlite3_column_double(s, 1 + (int)f);
  }
  (void)sqlite3_finalize(s);
  return sound ? 0 : damaged(r, e);
}

static hc_rc read_all(const reader *r, hc_error *e)
{
  TRY(read_name(r, e));
  TRY(read_asked(r, e));
  TRY(read_axes(r, e));
  TRY(read_figures(r, e));
  TRY(make_room(r, e));
  TRY(read_points(r, e));
  return read_values(r, e);
}

hc_rc hc_study_data_read(const hc_allocator *a, sqlite3 *db, const char *path, hc_study_data **out,
                         hc_error *e)
{
  reader r = {.allocator = a, .db = db, .path = path};
  r.l = hc_alloc(a, sizeof *r.l);
  if (!r.l) return no_memory(&r, e);
  hc_arena_init(&r.l->arena, a);
  const hc_rc rc = read_all(&r, e);
  if (rc < 0) hc_study_data_free(a, &r.l->data);
  else *out = &r.l->data;
  return rc;
}

hc_rc hc_study_data_load(const hc_allocator *a, const char *path, hc_study_data **out, hc_error *e)
{
  sqlite3 *db = NULL;
  hc_rc rc = hc_study_stored_open(path, &db, e);
  if (rc >= 0) rc = hc_study_data_read(a, db, path, out, e);
  (void)sqlite3_close(db);
  return rc;
}

void hc_study_data_free(const hc_allocator *a, hc_study_data *d)
{
  loaded *l = (loaded *)d;
  if (!d) return;
  for (uint32_t i = 0; l->value && i < d->figure_count; i++) hc_free(a, l->value[i], l->value_size);
  hc_free(a, l->level, l->level_size);
  hc_free(a, l->state, l->state_size);
  hc_arena_fini(&l->arena);
  hc_free(a, l, sizeof *l);
}
