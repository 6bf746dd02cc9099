/* digest.c -- the digest of a result: its rows as they are handed over, table by table in the list's order.
 *
 * Nothing of how rows are stored comes into it: a file and the memory that hold the same rows agree.
 *
 * A result is hashed by the rule of its schema version, so that it keeps its digest. From version 3 on a
 * digest moves with what was said and what came of it, not with what a later program could have been asked
 * besides: keys at their defaults, tables without rows, columns that were appended and are NULL, and the
 * number of the version do not count. The digest of the schedule had that from the first, but for tables
 * that it knew then, so that one rule serves for it. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "output/store.h"

static void hash_u64(hc_hash *h, uint64_t x)
{
  uint8_t bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(x >> (8 * i));
  hc_hash_add(h, bytes, sizeof bytes);
}

static void hash_text(hc_hash *h, const void *text, size_t n)
{
  hc_hash_add(h, "t", 1);
  hash_u64(h, n);
  hc_hash_add(h, text, n);
}

/* Each value is a letter for its type, then bytes whose number the letter or a length gives: no two different
 * rows are the same bytes. */
static void hash_field(hc_hash *h, const hc_field *f)
{
  uint64_t bits;
  switch (f->kind) {
    case HC_FIELD_NULL: hc_hash_add(h, "n", 1); return;
    case HC_FIELD_WHOLE:
      hc_hash_add(h, "i", 1);
      hash_u64(h, (uint64_t)f->is.whole);
      return;
    case HC_FIELD_REAL:
      memcpy(&bits, &f->is.real, sizeof bits);
      hc_hash_add(h, "r", 1);
      hash_u64(h, bits);
      return;
    case HC_FIELD_TEXT: hash_text(h, f->text, f->is.size); return;
  }
}

static const char *text_of(const hc_field *f)
{
  return f->kind == HC_FIELD_TEXT ? f->text : NULL;
}

static bool one_of(const char *s, const char *const *words, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (strcmp(s, words[i]) == 0) return true;
  }
  return false;
}

/* Keys that say where and how a run was computed, not what: different event queues, two places of one log and
 * two names of one result must agree. Which log it was is in the checksums of `inputs`. Before rule 4 it was
 * not stored which keys name files, and the last word decided: two places of one slurm.conf did not agree. */
static bool is_outside(const hc_field *row, int rule)
{
  const char *path = text_of(&row[0]);
  static const char *const keys[] = {"name", "output", "event_queue", "threads", "paranoid", "rejected"};
  static const char *const last[] = {"path", "file"};
  const char *dot = path ? strrchr(path, '.') : NULL;
  if (rule >= 4 && row[4].kind == HC_FIELD_TEXT) return true;
  if (!path) return false;
  return one_of(path, keys, HC_ARRAY_LEN(keys)) || one_of(dot ? dot + 1 : path, last, HC_ARRAY_LEN(last));
}

/* "reservations.3.at_start" is "reservations.#.at_start". */
static bool is_path(const char *path, const char *pattern)
{
  for (; *pattern; pattern++) {
    if (*pattern == '#' && *path >= '0' && *path <= '9')
      while (*path >= '0' && *path <= '9') path++;
    else if (*path++ != *pattern) return false;
  }
  return *path == '\0';
}

/* Before rule 3, keys that came later counted only where they said something else than what had held
 * before. */
static bool is_as_before(const char *path, const char *value)
{
  static const char *const later[][2] = {{"cannot_grow", "keep"},
                                         {"architecture.decision", "job"},
                                         {"reservations.#.announced", "0"},
                                         {"reservations.#.at_start", "keep"},
                                         {"reservations.#.maintenance", "false"}};
  for (size_t i = 0; path && value && i < HC_ARRAY_LEN(later); i++)
    if (is_path(path, later[i][0]) && strcmp(value, later[i][1]) == 0) return true;
  return false;
}

/* What the log says, counted: as the table `recorded`. */
static bool is_recorded(const char *key)
{
  return key && strncmp(key, HC_RECORDED_KEY, sizeof HC_RECORDED_KEY - 1) == 0;
}

/* "group_is_called": the source's word for a column, which no number depends on. */
static bool is_title(const char *key)
{
  static const char end[] = "_is_called";
  const size_t n = key ? strlen(key) : 0;
  return n >= sizeof end && strcmp(key + n - (sizeof end - 1), end) == 0;
}

/* Every file that was loaded as a shared object, by the configuration. A shared object is code, as the
 * program is: two compilers make two files of one part, whose results must agree. Its checksum is kept
 * beside those of the data, and does not count. */
static bool is_shared_object(hc_result *r, const char *path)
{
  static const char key[] = "plugin";
  (void)hc_result_config(r, key); /* reads the configuration */
  for (size_t i = 0; path && i < r->config_count; i += 2) {
    const char *of = r->config[i];
    if (strncmp(of, key, sizeof key - 1) == 0 && (of[sizeof key - 1] == '\0' || of[sizeof key - 1] == '.') &&
        strcmp(r->config[i + 1], path) == 0)
      return true;
  }
  return false;
}

/* Whether a key says what would hold if it was left out. */
static bool is_default(const hc_field *row, int rule)
{
  const char *value = text_of(&row[1]), *usual = text_of(&row[3]);
  if (rule < 3) return is_as_before(text_of(&row[0]), value);
  return value && usual && strcmp(value, usual) == 0;
}

static bool is_version(hc_table t, const hc_field *row)
{
  const char *key = t == HC_TABLE_hindcast ? text_of(&row[0]) : NULL;
  return key && strcmp(key, "schema") == 0;
}

/* Whether the row counts. */
static bool hash_row(hc_hash *h, hc_result *r, hc_table t, const hc_field *row, int rule)
{
  size_t first = 0, past = hc_table_at(t)->columns;
  if (rule >= 3 && is_version(t, row)) return false;
  while (past > hc_table_least(t) && row[past - 1].kind == HC_FIELD_NULL) past--;
  if (t == HC_TABLE_configuration) {
    if (is_outside(row, rule) || is_default(row, rule)) return false;
    past = 2; /* the layer that set a key does not change what it does */
  }
  if (t == HC_TABLE_hindcast && (is_recorded(text_of(&row[0])) || is_title(text_of(&row[0])))) return false;
  if (t == HC_TABLE_inputs && is_shared_object(r, text_of(&row[0]))) return false;
  if (t == HC_TABLE_inputs || t == HC_TABLE_rejected) first = 1; /* the path is where, not what */
  hc_hash_add(h, "R", 1);
  for (size_t c = first; c < past; c++) hash_field(h, &row[c]);
  return true;
}

/* Before rule 3, and in the digest of a schedule, tables that came later count only where something is in
 * them: the digests of results without are what they were. Tables that are not in this list exist only with
 * rows, or came first. */
static bool is_later(hc_table t)
{
  return t == HC_TABLE_stops || t == HC_TABLE_stop_grants || t == HC_TABLE_rates ||
         t == HC_TABLE_not_before || t == HC_TABLE_resizes || t == HC_TABLE_reservations ||
         t == HC_TABLE_reservation_users || t == HC_TABLE_reservation_notices || t == HC_TABLE_overruns ||
         t == HC_TABLE_regrants || t == HC_TABLE_power;
}

/* What is no part of what was computed, or follows from it: how a run was made, how the log, whose checksum
 * counts, says that tasks ended, what tasks held that still ran when it ended, which was written down later
 * than digests were made, what their priorities were, which reservations and partitions they name, which
 * hosts the sets of the configuration have, and what is kept for pictures. */
static bool is_beside(hc_table t)
{
  return t == HC_TABLE_run_info || t == HC_TABLE_recorded || t == HC_TABLE_measured ||
         t == HC_TABLE_open_demands || t == HC_TABLE_open_grants || t == HC_TABLE_priorities ||
         t == HC_TABLE_host_sets || t == HC_TABLE_reserved_by || t == HC_TABLE_several_partitions ||
         t == HC_TABLE_curves;
}

/* What changes no schedule: what is called how, which follows from the source, and which starts were refused
 * on the way, which is told if it is asked for. */
static bool is_aside(hc_table t)
{
  return t == HC_TABLE_names || t == HC_TABLE_task_names || t == HC_TABLE_task_accounts ||
         t == HC_TABLE_conflicts;
}

/* What says from what, and by what, a result was made. */
static bool is_origin(hc_table t)
{
  return t == HC_TABLE_hindcast || t == HC_TABLE_configuration || t == HC_TABLE_inputs ||
         t == HC_TABLE_rows || t == HC_TABLE_rejected;
}

static hc_rc hash_rows(hc_hash *h, hc_result *r, hc_row_walk *c, int rule, uint64_t *count, hc_error *e)
{
  hc_field row[HC_TASK_COLUMNS];
  hc_rc rc;
  while ((rc = r->type->next(r, c, row, e)) == 1) *count += hash_row(h, r, c->table, row, rule);
  return rc;
}

/* Tasks are nearly all of the rows, so they go in as whole records: sixteen words each, HC_UNKNOWN for NULL.
 * The number of rows comes behind them and ends the table. */
static hc_rc hash_tasks(hc_hash *h, hc_result *r, hc_row_walk *c, uint64_t *count, hc_error *e)
{
  enum { AT_ONCE = 64 };
  hc_task_record records[AT_ONCE];
  for (size_t n = AT_ONCE; n > 0; *count += n) {
    TRY(r->type->tasks(r, c, records, AT_ONCE, &n, e));
    for (size_t i = 0; i < n; i++) {
      uint8_t bytes[8 * HC_TASK_COLUMNS];
      uint64_t words[HC_TASK_COLUMNS];
      memcpy(words, &records[i], sizeof words);
      for (size_t w = 0; w < HC_TASK_COLUMNS; w++)
        for (size_t b = 0; b < 8; b++) bytes[8 * w + b] = (uint8_t)(words[w] >> (8 * b));
      hc_hash_add(h, bytes, sizeof bytes);
    }
  }
  return 0;
}

/* @param empty  whether it counts without rows, too */
static hc_rc hash_table(hc_hash *h, hc_result *r, hc_table t, int rule, bool empty, hc_error *e)
{
  const char *name = hc_table_at(t)->name;
  const hc_hash without = *h;
  uint64_t count = 0;
  hc_row_walk c;
  TRY(r->type->open(r, t, false, &c, e));
  hc_hash_add(h, "T", 1);
  hash_text(h, name, strlen(name));
  const hc_rc rc =
      t == HC_TABLE_tasks ? hash_tasks(h, r, &c, &count, e) : hash_rows(h, r, &c, rule, &count, e);
  r->type->close(r, &c);
  hc_hash_add(h, "E", 1);
  hash_u64(h, count);
  if (count == 0 && !empty) *h = without;
  return rc;
}

static hc_rc digest(hc_result *r, bool schedule_only, int rule, char text[33], hc_error *e)
{
  hc_hash h;
  uint64_t out[2];
  hc_hash_init(&h);
  for (int t = 0; t < HC_TABLE_COUNT; t++) {
    if (is_beside((hc_table)t) || (schedule_only && (is_origin((hc_table)t) || is_aside((hc_table)t))))
      continue;
    const hc_rc there = r->type->has(r, (hc_table)t, e);
    if (there < 0) return there;
    const bool empty = (schedule_only || rule < 3) && !is_later((hc_table)t);
    if (there == 1) TRY(hash_table(&h, r, (hc_table)t, rule, empty, e));
  }
  TRY(hc_result_check(r, e));
  hc_hash_end(&h, out);
  (void)snprintf(text, 33, "%016llx%016llx", (unsigned long long)out[0], (unsigned long long)out[1]);
  return 0;
}

int hc_result_schema(hc_result *r)
{
  return (int)HC_MIN(HC_MAX(hc_result_fact(r, "schema", HC_STORE_VERSION), 1), HC_STORE_VERSION);
}

hc_rc hc_result_digest(hc_result *r, char text[33], hc_error *e)
{
  return digest(r, false, hc_result_schema(r), text, e);
}

hc_rc hc_result_schedule_digest(hc_result *r, char text[33], hc_error *e)
{
  return digest(r, true, HC_STORE_VERSION, text, e);
}
