/* cache.c -- reads a workload that was cached: see workload/cache_format.h for the bytes.
 *
 * Nothing is trusted: each block is checked against its checksum before anything in it is looked at, the
 * whole against that of all blocks at its end, and counts against the bytes that are there. The end is looked
 * at first where that is cheap, so that a cut file is refused before a run has begun. Damage, another version
 * and a file that stops are errors, never rejected rows.
 *
 * Tasks are decoded 64 at a time, in order, into specs that are handed out where they lie. Of names it keeps
 * their numbers in the lexicon, 4 bytes each; of rare facts only those of the block at hand, as bytes. `line`
 * is that of the source from which the cache was made.
 *
 * Cost: about 15 ns for a task of a batch log, all in all; rare facts about 150 ns more. */
#include <string.h>

#include "base/input.h"
#include "base/state.h"
#include "base/util.h"
#include "workload/cache_format.h"
#include "workload/ledger.h"
#include "workload/reading.h"
#include "workload/spec.h"

typedef struct options {
  const char *file, *origin;
  hc_time time_unit; /* a nanosecond */
} options;

struct hc_source {
  const hc_source_context *context;
  hc_input *in;
  const char *name;
  hc_trace_info info;
  int64_t origin; /* as the user says it: Unix seconds, or HC_UNKNOWN */
  hc_arena texts, facts;
  uint8_t *part; /* [held] what was read and not used up: a part, and what follows it */
  size_t held, cap, used;
  hc_cache_names names;
  hc_cache_decoder columns[HC_COLUMNS];
  size_t column_count;
  bool filled[HC_COLUMNS]; /* `tasks` may have other values than none there */
  hc_bytes *more;          /* [more_count] rare facts of the block */
  size_t more_count, more_cap;
  struct label {
    uint64_t row, which; /* of the block; 0: of the task, 1: of its job */
    const char *text;    /* in `names_of`, [size] */
    size_t size;
  } * labels; /* [label_count] of the block, by their rows */
  size_t label_count, label_cap, label;
  hc_arena names_of;
  hc_task_spec *tasks;        /* [HC_CACHE_CHUNK] */
  uint8_t far_of[HC_COLUMNS]; /* of a column: 1 + its place in `far`; 0: it goes into `tasks` */
  struct { /* dimensions with a column in the file whose numbers in this run are HC_NEEDS or more */
    uint32_t dimension;
    hc_task_spec *tasks; /* [HC_CACHE_CHUNK] the amount is need[0]; NULL */
  } far[HC_NEEDS];
  size_t far_count;
  bool touched;         /* `tasks` have amounts or rare facts that no column of this block puts there */
  uint64_t end_at;      /* where the head ends */
  struct {              /* plain state: where the block at hand begins, and what was so before it */
    uint64_t at, next;  /* bytes: of the block, of what follows it */
    uint64_t row, rows; /* the next one, and how many there are */
    uint64_t blocks, total, refers;
    uint64_t name_count, dimensions; /* before the block */
    uint8_t dimension[HC_DIMENSIONS];
    hc_hash before, chain;
    uint64_t at_end;
  } s;
};

/* ---- bytes ---- */

static hc_rc damaged(const hc_source *s, const char *what, hc_error *e)
{
  return hc_fail(
      e, HC_EINPUT, s->name, 0, 0,
      "block %llu, at byte %llu: %s; the cache is damaged: make it again with `hindcast trace convert --to "
      "cache`",
      (unsigned long long)s->s.blocks, (unsigned long long)s->s.at, what);
}

static hc_rc cut(const hc_source *s, hc_error *e)
{
  return hc_fail(
      e, HC_EINPUT, s->name, 0, 0,
      "the cache stops before its end, in block %llu, which begins at byte %llu: make it again with "
      "`hindcast trace convert --to cache`",
      (unsigned long long)s->s.blocks, (unsigned long long)s->s.at);
}

static size_t at_hand(const hc_source *s)
{
  return s->held - s->used;
}

/* See that `need` bytes are at hand. @return 1, 0 if the file has fewer, or an error. */
static hc_rc want(hc_source *s, size_t need, hc_error *e)
{
  if (at_hand(s) >= need) return 1;
  if (s->used > 0) memmove(s->part, s->part + s->used, at_hand(s));
  s->held -= s->used;
  s->used = 0;
  while (s->held < need) {
    char *data;
    size_t n;
    const hc_rc rc = hc_input_block(s->in, &data, &n, e);
    if (rc <= 0) return rc;
    TRY(hc_reserve(s->context->allocator, (void **)&s->part, &s->cap, s->held + n, 1));
    memcpy(s->part + s->held, data, n);
    s->held += n;
  }
  return 1;
}

/* Go to a byte of the file. */
static hc_rc go_to(hc_source *s, uint64_t at, hc_error *e)
{
  s->held = s->used = 0;
  return hc_input_seek(s->in, at, 0, e);
}

static bool sum_is_right(const uint8_t *p, size_t size)
{
  uint64_t words[2];
  hc_hash h;
  hc_hash_init(&h);
  hc_hash_add(&h, p, size);
  hc_hash_end(&h, words);
  return words[0] == hc_load_le(p + size, 8) && words[1] == hc_load_le(p + size + 8, 8);
}

/* ---- head and end ---- */

static hc_rc read_line(hc_source *s, size_t *size, hc_error *e)
{
  static const char right[] = HC_CACHE_MAGIC;
  const size_t n = sizeof right - 1;
  char version[16];
  size_t digits = 0;
  hc_rc rc = want(s, n + 2, e);
  *size = 0;
  if (rc < 0) return rc;
  if (rc == 0 || memcmp(s->part, right, n) != 0)
    return hc_fail(e, HC_EINPUT, s->name, 0, 0,
                   "this is no cached trace: such a file begins with \"" HC_CACHE_MAGIC
                   "\"; `hindcast list reader` has the formats");
  for (size_t i = n; digits < sizeof version - 1 && i < s->held && s->part[i] != '\n'; i++)
    version[digits++] = s->part[i] >= ' ' && s->part[i] < 127 ? (char)s->part[i] : '?';
  version[digits] = '\0';
  *size = n + digits + 1;
  if (digits == 1 && version[0] >= '0' + HC_CACHE_OLDEST && version[0] <= '0' + HC_CACHE_VERSION) return 0;
  return hc_fail(
      e, HC_EVERSION, s->name, 0, 0,
      "a cache of version %s, and this program reads version %d: make it again from its source with "
      "`hindcast trace convert --to cache`",
      version, HC_CACHE_VERSION);
}

static hc_rc read_head(hc_source *s, hc_error *e)
{
  size_t line, size;
  hc_bytes b;
  hc_rc rc;
  TRY(read_line(s, &line, e));
  rc = want(s, line + HC_CACHE_FRAME, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  size = (size_t)hc_load_le(s->part + line + 4, 4);
  if (hc_load_le(s->part + line, 4) != HC_CACHE_HEAD_TAG || size > HC_CACHE_PART)
    return damaged(s, "no head", e);
  rc = want(s, line + HC_CACHE_FRAME + size + HC_CACHE_SUM, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  if (!sum_is_right(s->part, line + HC_CACHE_FRAME + size))
    return damaged(s, "the head's checksum is wrong", e);
  b.p = s->part + line + HC_CACHE_FRAME;
  b.end = b.p + size;
  rc = hc_cache_get_info(&b, &s->texts, &s->info);
  if (rc <= 0) return rc < 0 ? rc : damaged(s, "a head that is cut", e);
  if (s->origin != HC_UNKNOWN) s->info.unix_start = s->origin;
  hc_hash_add(&s->s.chain, b.end, HC_CACHE_SUM);
  s->used = line + HC_CACHE_FRAME + size + HC_CACHE_SUM;
  s->end_at = s->s.at = s->s.next = s->used;
  return 0;
}

static bool is_end(const uint8_t *p)
{
  return hc_load_le(p, 4) == HC_CACHE_END_TAG &&
         hc_load_le(p + 4, 4) == HC_CACHE_END - HC_CACHE_FRAME - HC_CACHE_SUM &&
         sum_is_right(p, HC_CACHE_END - HC_CACHE_SUM);
}

/* Look at the end of a plain file, and come back. */
static hc_rc look_ahead(hc_source *s, hc_error *e)
{
  uint64_t done, total;
  hc_rc rc;
  s->s.refers = HC_REFERS_ANY;
  hc_input_progress(s->in, &done, &total);
  if (!hc_input_seekable(s->in) || total == 0 || done != hc_input_position(s->in))
    return 0; /* packed, or a stream */
  if (total < s->end_at + HC_CACHE_END) return cut(s, e);
  TRY(go_to(s, total - HC_CACHE_END, e));
  rc = want(s, HC_CACHE_END, e);
  if (rc < 0) return rc;
  if (rc == 0 || !is_end(s->part))
    return hc_fail(
        e, HC_EINPUT, s->name, 0, 0,
        "the cache is not whole: it stops before its end, or its end is damaged; make it again with "
        "`hindcast trace convert --to cache`");
  s->s.refers = hc_load_le(s->part + 24, 8);
  return go_to(s, s->end_at, e);
}

static hc_rc read_end(hc_source *s, hc_error *e)
{
  uint64_t words[2];
  hc_rc rc = want(s, HC_CACHE_END, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  const uint8_t *p = s->part + s->used;
  if (!is_end(p)) return damaged(s, "an end whose checksum is wrong", e);
  hc_hash_end(&s->s.chain, words);
  if (words[0] != hc_load_le(p + 32, 8) || words[1] != hc_load_le(p + 40, 8) ||
      hc_load_le(p + 8, 8) != s->s.total || hc_load_le(p + 16, 8) != s->s.blocks)
    return damaged(s, "the blocks before are not those that were written", e);
  s->used += HC_CACHE_END;
  rc = want(s, 1, e);
  if (rc < 0) return rc;
  if (rc == 1) return damaged(s, "something follows the end", e);
  s->s.at_end = 1;
  return 0;
}

/* Rows of the source that are no task here count as they did there. */
static hc_rc take_rows(hc_source *s, hc_bytes b, hc_error *e)
{
  hc_row_ledger rows, *l = s->context->ledger;
  const char *wrong = hc_cache_get_rows(&b, &rows);
  if (wrong) return damaged(s, wrong, e);
  for (int r = 0; s->context->strict && r < HC_REASON_COUNT; r++)
    if (rows.rejected[r] > 0 && !hc_row_was_asked_for((hc_reason)r))
      return hc_fail(
          e, HC_EINPUT, s->name, 0, 0,
          "%llu rows of the source were rejected (%s) when the cache was made: correct them there, or leave "
          "out `strict` to count such rows and go on",
          (unsigned long long)rows.rejected[r], hc_reason_name((hc_reason)r));
  if (!l) return 0;
  l->read += rows.read;
  l->merged += rows.merged;
  l->rejections += rows.rejections;
  for (int r = 0; r < HC_REASON_COUNT; r++) l->rejected[r] += rows.rejected[r];
  l->rounded += rows.rounded;
  l->rounding = HC_MAX(l->rounding, rows.rounding);
  return 0;
}

static hc_rc read_rows(hc_source *s, hc_error *e)
{
  const uint8_t *p = s->part + s->used;
  const size_t size = (size_t)hc_load_le(p + 4, 4), whole = HC_CACHE_FRAME + size;
  hc_rc rc;
  if (size > HC_CACHE_PART) return damaged(s, "rows left out that are too many", e);
  rc = want(s, whole + HC_CACHE_SUM, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  p = s->part + s->used;
  if (!sum_is_right(p, whole)) return damaged(s, "the checksum of its rows left out is wrong", e);
  hc_hash_add(&s->s.chain, p + whole, HC_CACHE_SUM);
  TRY(take_rows(s, (hc_bytes){p + HC_CACHE_FRAME, p + whole}, e));
  s->used += whole + HC_CACHE_SUM;
  s->s.next = s->s.at + whole + HC_CACHE_SUM;
  rc = want(s, HC_CACHE_FRAME, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  if (hc_load_le(s->part + s->used, 4) != HC_CACHE_END_TAG) return damaged(s, "no end follows", e);
  return read_end(s, e);
}

/* ---- a block ---- */

static hc_rc read_more(hc_source *s, hc_bytes *b, const char **wrong)
{
  uint64_t count;
  *wrong = "rare facts that are cut";
  if (!hc_cache_get(b, &count) || count > s->s.rows) return 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->more, &s->more_cap, (size_t)count, sizeof *s->more));
  for (s->more_count = 0; s->more_count < count; s->more_count++) {
    uint64_t size;
    if (!hc_cache_get(b, &size) || size > (uint64_t)(b->end - b->p)) return 0;
    s->more[s->more_count] = (hc_bytes){b->p, b->p + size};
    b->p += size;
  }
  *wrong = NULL;
  return 0;
}

/* Where a column goes: a dimension has another number in this run, maybe. */
static unsigned place_of(hc_source *s, hc_cache_decoder *d, const char **wrong)
{
  unsigned n = d->number;
  uint8_t dimension;
  if (n < HC_COLUMN_NEED || n >= HC_COLUMN_NEED + HC_NEEDS) return n;
  if (n - HC_COLUMN_NEED >= s->names.dimensions) {
    *wrong = "a dimension without a name";
    return n;
  }
  dimension = s->names.dimension[n - HC_COLUMN_NEED];
  if (dimension >= HC_NEEDS) { /* no member: see take_far */
    d->member = offsetof(hc_task_spec, need);
    return HC_COLUMNS + dimension;
  }
  n = HC_COLUMN_NEED + dimension;
  d->member = hc_cache_columns[n].offset;
  return n;
}

/* Let a member that has no column in this block be as in an empty spec. */
static void clear_member(hc_source *s, unsigned n)
{
  const hc_task_spec none = hc_task_spec_none();
  const hc_cache_column *c = &hc_cache_columns[n];
  for (size_t i = 0; i < HC_CACHE_CHUNK; i++)
    memcpy((char *)&s->tasks[i] + c->offset, (const char *)&none + c->offset, c->size);
}

static const char *read_columns(hc_source *s, hc_bytes *b)
{
  bool has[HC_COLUMNS + HC_DIMENSIONS] = {false};
  s->far_count = 0;
  for (s->column_count = 0; b->p < b->end; s->column_count++) {
    hc_cache_decoder *d = &s->columns[s->column_count];
    const char *wrong;
    unsigned n;
    if (s->column_count == HC_COLUMNS) return "more columns than there are";
    wrong = hc_cache_decoder_init(d, b, (size_t)s->s.rows);
    if (wrong) return wrong;
    n = place_of(s, d, &wrong);
    if (wrong) return wrong;
    if (has[n]) return "a column that stands twice";
    has[n] = true;
    s->far_of[s->column_count] = n < HC_COLUMNS ? 0 : (uint8_t)++s->far_count;
    if (n >= HC_COLUMNS) s->far[s->far_count - 1].dimension = n - HC_COLUMNS;
  }
  for (unsigned n = 0; n < HC_COLUMNS; n++) {
    if (s->filled[n] && !has[n]) clear_member(s, n);
    s->filled[n] = has[n];
  }
  return NULL;
}

/* What names and dimensions are known before a block. */
static void note_names(hc_source *s)
{
  s->s.name_count = s->names.count;
  s->s.dimensions = s->names.dimensions;
  memcpy(s->s.dimension, s->names.dimension, sizeof s->s.dimension);
}

/* ---- names ---- */

static hc_rc take_calls(hc_source *s, hc_bytes *b, const char **wrong)
{
  uint64_t count, kind;
  int64_t number;
  const char *text;
  size_t n;
  *wrong = "names that are cut";
  if (!hc_cache_get(b, &count)) return 0;
  for (; count > 0; count--) {
    if (!hc_cache_get(b, &kind) || !hc_cache_get_signed(b, &number) || !hc_cache_get_text(b, &text, &n) ||
        !text || kind >= HC_CALLED_COUNT)
      return 0;
    if (s->context->lexicon) TRY(hc_lexicon_call(s->context->lexicon, (hc_called)kind, number, text, n));
  }
  *wrong = NULL;
  return 0;
}

static hc_rc take_labels(hc_source *s, hc_bytes *b, const char **wrong)
{
  uint64_t count, step, row = 0;
  *wrong = "labels that are cut";
  if (!hc_cache_get(b, &count) || count > 2 * HC_CACHE_ROWS) return 0;
  TRY(hc_reserve(s->context->allocator, (void **)&s->labels, &s->label_cap, (size_t)count,
                 sizeof *s->labels));
  for (; s->label_count < count; s->label_count++) {
    struct label *l = &s->labels[s->label_count];
    const char *text;
    if (!hc_cache_get(b, &step) || !hc_cache_get_text(b, &text, &l->size) || !text) return 0;
    const bool is_again = s->label_count > 0 && step <= (l[-1].which ? 1U : 0U);
    if (is_again || step / 2 > HC_CACHE_ROWS) { /* two of one task: one would be held for ever */
      *wrong = "labels out of order";
      return 0;
    }
    row += step / 2;
    l->row = row;
    l->which = step & 1;
    l->text = hc_arena_text(&s->names_of, text, l->size);
    if (!l->text) return HC_ENOMEM;
  }
  *wrong = b->p == b->end ? NULL : "names with something behind them";
  return 0;
}

/* The names of the block that follows, if there are any. @param whole  out: bytes of them; @return 1, or as
 * want */
static hc_rc read_names(hc_source *s, size_t *whole, hc_error *e)
{
  const char *wrong;
  *whole = s->label_count = s->label = 0;
  hc_arena_reset(&s->names_of);
  hc_rc rc = want(s, HC_CACHE_FRAME, e);
  if (rc <= 0 || hc_load_le(s->part + s->used, 4) != HC_CACHE_NAMES_TAG) return rc;
  const size_t size = (size_t)hc_load_le(s->part + s->used + 4, 4);
  if (size > HC_CACHE_PART) return damaged(s, "names that are too many", e);
  rc = want(s, HC_CACHE_FRAME + size + HC_CACHE_SUM, e);
  if (rc <= 0) return rc;
  const uint8_t *p = s->part + s->used;
  if (!sum_is_right(p, HC_CACHE_FRAME + size)) return damaged(s, "the checksum of its names is wrong", e);
  hc_hash_add(&s->s.chain, p + HC_CACHE_FRAME + size, HC_CACHE_SUM);
  hc_bytes b = {p + HC_CACHE_FRAME, p + HC_CACHE_FRAME + size};
  TRY(take_calls(s, &b, &wrong));
  if (!wrong) TRY(take_labels(s, &b, &wrong));
  if (wrong) return damaged(s, wrong, e);
  *whole = HC_CACHE_FRAME + size + HC_CACHE_SUM;
  s->used += *whole;
  return want(s, HC_CACHE_FRAME, e);
}

/* What tasks that are handed over, and their jobs, are called. */
static hc_rc take_names(hc_source *s, size_t n)
{
  const uint64_t first = s->s.row;
  hc_lexicon *lexicon = s->context->lexicon;
  for (; s->label < s->label_count && s->labels[s->label].row < first + n; s->label++) {
    const struct label *l = &s->labels[s->label];
    if (l->row < first || !lexicon) continue;
    hc_task_spec *t = &s->tasks[l->row - first];
    TRY(hc_lexicon_label(lexicon, l->text, l->size, l->which ? &t->job_label : &t->label));
  }
  return 0;
}

static hc_rc take_block(hc_source *s, hc_bytes b, hc_error *e)
{
  const char *wrong;
  hc_rc rc;
  wrong = hc_cache_read_names(&s->names, &b, &rc);
  if (rc < 0) return rc;
  if (!wrong) TRY(read_more(s, &b, &wrong));
  if (!wrong) wrong = read_columns(s, &b);
  return wrong ? damaged(s, wrong, e) : 0;
}

/* Read the next block. @return 1, 0 at the end, or an error. */
static hc_rc read_block(hc_source *s, hc_error *e)
{
  size_t size, whole, names;
  const uint8_t *p;
  hc_rc rc;
  s->s.at = s->s.next;
  s->s.before = s->s.chain;
  s->s.row = s->s.rows = 0;
  note_names(s);
  rc = read_names(s, &names, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  p = s->part + s->used;
  if (hc_load_le(p, 4) == HC_CACHE_END_TAG) return read_end(s, e);
  if (hc_load_le(p, 4) == HC_CACHE_ROWS_TAG) return read_rows(s, e);
  size = (size_t)hc_load_le(p + 4, 4);
  whole = HC_CACHE_FRAME + size;
  if (hc_load_le(p, 4) != HC_CACHE_BLOCK_TAG || size > HC_CACHE_PART)
    return damaged(s, "no block begins here", e);
  rc = want(s, whole + HC_CACHE_SUM, e);
  if (rc <= 0) return rc < 0 ? rc : cut(s, e);
  p = s->part + s->used;
  if (!sum_is_right(p, whole)) return damaged(s, "its checksum is wrong", e);
  s->s.rows = hc_load_le(p + 8, 4);
  if (s->s.rows == 0 || s->s.rows > HC_CACHE_ROWS) return damaged(s, "a number of tasks that cannot be", e);
  if (hc_load_le(p + 12, 4) != (uint32_t)s->s.blocks)
    return damaged(s, "it is not the block that should follow", e);
  hc_hash_add(&s->s.chain, p + whole, HC_CACHE_SUM);
  TRY(take_block(s, (hc_bytes){p + HC_CACHE_FRAME, p + whole}, e));
  s->used += whole + HC_CACHE_SUM;
  s->s.next = s->s.at + names + whole + HC_CACHE_SUM;
  s->s.blocks++;
  s->s.total += s->s.rows;
  return 1;
}

static hc_rc make_far(hc_source *s, unsigned k)
{
  if (!s->far[k].tasks) s->far[k].tasks = hc_alloc(s->context->allocator, HC_CACHE_CHUNK * sizeof *s->tasks);
  for (size_t i = 0; s->far[k].tasks && i < HC_CACHE_CHUNK; i++) s->far[k].tasks[i].need[0] = HC_UNKNOWN;
  return s->far[k].tasks ? 0 : HC_ENOMEM;
}

/* @param n  out: how many tasks are in `tasks` now, from s.row on */
static hc_rc decode_rows(hc_source *s, size_t *n, hc_error *e)
{
  const size_t from = (size_t)s->s.row;
  for (unsigned c = HC_COLUMN_NEED; s->touched && c <= HC_COLUMN_MORE; c++) clear_member(s, c);
  s->touched = false;
  *n = (size_t)HC_MIN(s->s.rows - s->s.row, HC_CACHE_CHUNK);
  for (size_t c = 0; c < s->column_count; c++) {
    const char *wrong;
    if (s->far_of[c] > 0) TRY(make_far(s, s->far_of[c] - 1u));
    wrong = hc_cache_decode(&s->columns[c], from, *n,
                            s->far_of[c] > 0 ? s->far[s->far_of[c] - 1].tasks : s->tasks);
    if (wrong) return damaged(s, wrong, e);
  }
  return 0;
}

/* What it needs of dimensions that have columns in the file and are no members in this run. */
static hc_rc take_far(hc_source *s, size_t i)
{
  for (size_t k = 0; k < s->far_count; k++) {
    const int64_t amount = s->far[k].tasks[i].need[0];
    if (amount == HC_UNKNOWN) continue;
    if (!s->context->lexicon) return HC_EINPUT;
    TRY(hc_spec_say(&s->tasks[i], s->context->lexicon, s->far[k].dimension, amount));
    s->touched = true;
  }
  return 0;
}

/* A task's rare facts, from their number to a handle that the task holds. */
static hc_rc take_more(hc_source *s, hc_task_spec *t, hc_error *e)
{
  hc_lexicon *l = s->context->lexicon;
  const char *wrong;
  int64_t own[HC_NEEDS]; /* amounts that are rare facts in the file and members in this run */
  hc_task_extras m;
  hc_rc rc;
  if (t->more > s->more_count || !l) return damaged(s, "rare facts that are not there", e);
  hc_arena_reset(&s->facts);
  hc_bytes b = s->more[t->more - 1];
  wrong = hc_cache_get_more(&b, &s->names, &s->facts, &m, own, &rc);
  if (rc < 0) return rc;
  if (wrong || b.p != b.end) return damaged(s, wrong ? wrong : "rare facts with something behind them", e);
  for (int d = 0; d < HC_NEEDS; d++)
    if (own[d] != HC_UNKNOWN) {
      t->need[d] = own[d];
      s->touched = true;
    }
  t->more = hc_lexicon_keep(l, &m);
  return t->more ? 0 : HC_ENOMEM;
}

/* ---- the reader ---- */

static void cache_close(hc_source *s)
{
  const hc_allocator *a;
  if (!s) return;
  a = s->context->allocator;
  hc_input_free(s->in);
  hc_arena_fini(&s->texts);
  hc_arena_fini(&s->facts);
  hc_arena_fini(&s->names_of);
  if (s->labels) hc_free(a, s->labels, s->label_cap * sizeof *s->labels);
  hc_cache_names_fini(&s->names);
  if (s->part) hc_free(a, s->part, s->cap);
  if (s->more) hc_free(a, s->more, s->more_cap * sizeof *s->more);
  if (s->tasks) hc_free(a, s->tasks, HC_CACHE_CHUNK * sizeof *s->tasks);
  for (size_t k = 0; k < HC_NEEDS; k++)
    if (s->far[k].tasks) hc_free(a, s->far[k].tasks, HC_CACHE_CHUNK * sizeof *s->tasks);
  hc_free(a, s, sizeof *s);
}

static hc_rc cache_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_time origin = HC_UNKNOWN;
  hc_source *s;
  hc_rc rc;
  TRY(hc_origin_read("source cache", o->origin, NULL, &origin, e));
  TRY(hc_reading_begin(c, "source cache", o->file, sizeof *s, &s, e));
  s->context = c;
  s->origin = hc_origin_seconds(origin);
  hc_arena_init(&s->texts, c->allocator);
  hc_arena_init(&s->facts, c->allocator);
  hc_arena_init(&s->names_of, c->allocator);
  hc_cache_names_init(&s->names, c->allocator, c->lexicon);
  hc_hash_init(&s->s.chain);
  note_names(s);
  s->tasks = hc_alloc(c->allocator, HC_CACHE_CHUNK * sizeof *s->tasks);
  rc = s->tasks ? hc_input_open(c->allocator, o->file, &s->in, e) : HC_ENOMEM;
  if (rc == 0) {
    hc_input_sum(s->in, c->sums);
    s->name = hc_input_name(s->in);
    for (size_t i = 0; i < HC_CACHE_CHUNK; i++) s->tasks[i] = hc_task_spec_none();
    rc = read_head(s, e);
  }
  if (rc == 0) rc = look_ahead(s, e);
  if (rc < 0) cache_close(s);
  else *out = s;
  return rc;
}

/* What tasks hold that are handed over. After an error nothing is held. */
static hc_rc take_held(hc_source *s, size_t n, hc_error *e)
{
  size_t known = s->filled[HC_COLUMN_MORE] ? 0 : n; /* of so many, `more` is a handle */
  hc_rc rc = 0;
  for (size_t i = 0; i < n; i++) s->tasks[i].label = s->tasks[i].job_label = 0;
  for (; known < n; known++)
    if (s->tasks[known].more && (rc = take_more(s, &s->tasks[known], e)) < 0) break;
  for (size_t i = 0; rc == 0 && s->far_count > 0 && i < n; i++) rc = take_far(s, i);
  if (rc == 0) rc = take_names(s, n);
  for (size_t i = 0; rc < 0 && i < known; i++) hc_spec_drop(s->context->lexicon, &s->tasks[i]);
  return rc;
}

/* Tasks are handed over by the chunk. */
static hc_rc cache_next(hc_source *s, hc_job *job, hc_error *e)
{
  size_t n;
  if (s->s.row == s->s.rows) {
    if (s->s.at_end) return 0;
    const hc_rc rc = read_block(s, e);
    if (rc <= 0) return rc;
  }
  TRY(decode_rows(s, &n, e));
  TRY(take_held(s, n, e));
  s->s.row += n;
  if (s->context->ledger) s->context->ledger->read += n;
  *job = (hc_job){.tasks = s->tasks, .task_count = (uint32_t)n};
  return 1;
}

static const hc_trace_info *cache_info(hc_source *s)
{
  return &s->info;
}

/* Read the block at hand again, up to the row that comes next. */
static hc_rc return_to_block(hc_source *s, hc_error *e)
{
  const uint64_t row = s->s.row;
  size_t n;
  hc_rc rc;
  s->s.next = s->s.at;
  s->s.blocks--;
  s->s.total -= s->s.rows;
  rc = read_block(s, e);
  if (rc <= 0 || row > s->s.rows)
    return rc < 0 ? rc : damaged(s, "it is not the block that was read before", e);
  for (s->s.row = 0; s->s.row < row; s->s.row += n) TRY(decode_rows(s, &n, e));
  return s->s.row == row ? 0 : damaged(s, "it is not the block that was read before", e);
}

static hc_rc cache_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  if (hc_visit_loading(v) && !hc_input_seekable(s->in))
    return hc_fail(e, HC_EUNSUPPORTED, s->name, 0, 0,
                   "this input cannot be read twice: save it to a file first");
  HC_VISIT(v, s->s);
  HC_VISIT_ARRAY(v, s->names.map, s->names.count, s->names.cap);
  if (!hc_visit_loading(v)) return 0;
  if (s->s.dimensions < HC_DIM_OTHER || s->s.dimensions > HC_DIMENSIONS || s->s.name_count > s->names.count)
    return HC_EINPUT;
  if (s->s.rows > 0) { /* what the block at hand adds is read again */
    s->names.count = (size_t)s->s.name_count;
    s->s.chain = s->s.before;
  }
  s->names.dimensions = (uint32_t)s->s.dimensions;
  memcpy(s->names.dimension, s->s.dimension, sizeof s->names.dimension);
  TRY(go_to(s, s->s.rows > 0 ? s->s.at : s->s.next, e));
  return s->s.rows > 0 ? return_to_block(s, e) : 0;
}

static void cache_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->in, done, total);
}

static hc_refers cache_refers(const hc_source *s)
{
  return s->s.refers < HC_REFERS_ANY ? (hc_refers)s->s.refers : HC_REFERS_ANY;
}

static int cache_recognise(const char *name, const char *head, size_t size)
{
  const size_t n = sizeof HC_CACHE_MAGIC - 1;
  HC_UNUSED(name);
  return size >= n && memcmp(head, HC_CACHE_MAGIC, n) == 0 ? 100 : 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the cache, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(TIME, options, time_unit, "s", "1ns", 1e-9, 1e-9,
             "Unit of its times: always a nanosecond. Another unit can be given to the reader of the log "
             "when the cache is made."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time of time 0; it changes no time of a task. Default: that of the source, "
             "which is in the cache."),
    {.name = NULL},
};

const hc_reader_type hc_reader_cache = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "cache",
                  .summary = "a workload that `trace convert --to cache` made: binary, with checksums, read "
                             "many times faster than its source",
                  .detail =
                      "It gives the same tasks as the source, with its facts and the numbers of its lines. A "
                      "file that is damaged, cut or of another version is refused. Rows of the source that "
                      "were rejected, merged or rounded are counted as in the source, but not listed.",
                  .params = params, .options_size = sizeof(options)},
    .open = cache_open,
    .next = cache_next,
    .info = cache_info,
    .visit = cache_visit,
    .progress = cache_progress,
    .close = cache_close,
    .recognise = cache_recognise,
    .refers = cache_refers,
};
