/* extsort.c -- an external merge sort of trace lines.
 *
 * Lines are gathered with their keys until memory is full, sorted, and written as a run to one scratch file;
 * the runs are then merged, as many at a time as memory has 256 KiB buffers for, into longer runs at the end
 * of that file, and at last into the output. The scratch file is unlinked as soon as it is open, so that no
 * way of ending leaves it behind; it is beside the output, or in TMPDIR if that is standard output. If
 * everything fits there is no scratch file.
 *
 * What a line is says the format's line_key: a comment or title, a row without a readable time, a row. That
 * and the time of submission become one 64-bit number, so that memory is sorted by a radix sort of 24-byte
 * entries, which is stable; equal times are then put in order of id. Runs are merged by a loser tree, equal
 * keys in order of runs, which is that of the file: the whole is stable.
 *
 * It does not reclaim what merged runs took in the scratch file: that is at most the input's size per pass.
 * Cost: per line of 80 bytes about 60 ns to read and key it, 40 to sort, 60 to write, and 100 to merge.
 * Source: Knuth, The Art of Computer Programming 3, sections 5.2.5, 5.4 and 5.4.1. */
#define _GNU_SOURCE
#include "workload/extsort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/target.h"
#include "base/util.h"
#include "workload/ledger.h"
#include "workload/swf_row.h"

#define LEAST_MEMORY ((size_t)1 << 20)
#define LEAST_BUFFER ((size_t)1 << 18) /* of a run that is merged */
#define MOST_BUFFER ((size_t)8 << 20)
#define SINK_BUFFER ((size_t)1 << 19)
#define HEAD_SIZE ((size_t)1 << 16) /* of the text that a format looks at first */
#define TICK_LINES 65536
#define LENGTH_BITS 21 /* a line is at most 2^20 bytes long */
#define KEY_HEAD 0u    /* keys of lines that are no rows; rows begin behind them */
#define KEY_BROKEN 1u
#define KEY_FIRST_ROW 2u

typedef struct entry {
  uint64_t key; /* KEY_HEAD, KEY_BROKEN, or the time of submission made unsigned */
  int64_t id;
  uint64_t place; /* in the block, times 2^LENGTH_BITS, plus the length */
} entry;

/* What stands before each line of a run, without padding. */
typedef struct stamp {
  uint64_t key;
  int64_t id;
  uint64_t length;
} stamp;

typedef struct run {
  uint64_t at, end; /* in the scratch file */
} run;

/* Where sorted lines go: the output, or a run in the scratch file. */
typedef struct sink {
  int fd;
  bool with_keys;
  uint64_t at; /* next byte in the scratch file */
  char *data;
  size_t size, cap;
} sink;

/* Where a run is being read. */
typedef struct cursor {
  run left;
  char *data;
  size_t used, size, cap;
  stamp now; /* of the line at `used` */
  bool ended;
} cursor;

typedef struct sorter {
  const hc_allocator *a;
  const hc_sort_options *o;
  const void *layout; /* what line_key gets */
  const char *in_name, *out;
  size_t memory;
  uint64_t lines;
  uint64_t packed; /* bytes of the input, 0 if unknown */
  char *block;     /* lines gathered */
  size_t block_size, block_cap;
  entry *entries, *other;
  size_t count, entry_cap, other_cap;
  int scratch; /* -1: none yet */
  uint64_t scratch_end, merged;
  run *runs;
  size_t run_count, run_cap;
  hc_partial partial; /* the output until it is whole; none for a device */
  sink output;
} sorter;

static hc_rc no_memory(const sorter *s, hc_error *e)
{
  return hc_fail(e, HC_ENOMEM, s->in_name, 0, 0, "out of memory while sorting: give it less to hold at once");
}

static hc_rc io_error(hc_error *e, const char *where, const char *what)
{
  const int why = errno;
  return hc_fail(e, HC_EIO, where, 0, 0, "%s: %s", what, strerror(why));
}

static hc_rc tick(const sorter *s, uint64_t done, hc_error *e)
{
  HC_UNUSED(e);
  if (!s->o->tick || s->o->tick(s->o->tick_ctx, done, 2 * s->packed)) return 0;
  return HC_ECANCELLED;
}

/* ---- sorting what is in memory ---- */

static hc_rc make_other(sorter *s, hc_error *e)
{
  if (hc_reserve(s->a, (void **)&s->other, &s->other_cap, s->count, sizeof *s->other) < 0)
    return no_memory(s, e);
  return 0;
}

static void swap_arrays(sorter *s)
{
  entry *was = s->entries;
  const size_t cap = s->entry_cap;
  s->entries = s->other;
  s->entry_cap = s->other_cap;
  s->other = was;
  s->other_cap = cap;
}

/* Times are whole seconds in most traces: counted in seconds, keys vary in half as many bytes.
 * @return the least key of a row, from which they are counted now; 0: they are as they were. */
static uint64_t count_in_seconds(sorter *s)
{
  const uint64_t second = (uint64_t)HC_SECOND;
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < s->count; i++)
    if (s->entries[i].key >= KEY_FIRST_ROW && s->entries[i].key < least) least = s->entries[i].key;
  for (size_t i = 0; i < s->count; i++)
    if (s->entries[i].key >= KEY_FIRST_ROW && (s->entries[i].key - least) % second != 0) return 0;
  for (size_t i = 0; i < s->count; i++)
    if (s->entries[i].key >= KEY_FIRST_ROW)
      s->entries[i].key = (s->entries[i].key - least) / second + KEY_FIRST_ROW;
  return least;
}

static void count_as_before(sorter *s, uint64_t least)
{
  if (least == 0) return;
  for (size_t i = 0; i < s->count; i++)
    if (s->entries[i].key >= KEY_FIRST_ROW)
      s->entries[i].key = (s->entries[i].key - KEY_FIRST_ROW) * (uint64_t)HC_SECOND + least;
}

/* Stable, by the bytes of the key in which it varies. */
static void radix_sort(sorter *s)
{
  uint64_t every = ~UINT64_C(0), any = 0;
  for (size_t i = 0; i < s->count; i++) {
    every &= s->entries[i].key;
    any |= s->entries[i].key;
  }
  for (unsigned shift = 0; shift < 64; shift += 8) {
    size_t starts[256] = {0}, sum = 0;
    if (((any ^ every) >> shift & 0xff) == 0) continue;
    for (size_t i = 0; i < s->count; i++) starts[s->entries[i].key >> shift & 0xff]++;
    for (size_t b = 0; b < 256; b++) {
      const size_t n = starts[b];
      starts[b] = sum;
      sum += n;
    }
    for (size_t i = 0; i < s->count; i++) {
      const entry x = s->entries[i];
      s->other[starts[x.key >> shift & 0xff]++] = x;
    }
    swap_arrays(s);
  }
}

/* Entries of one time in order of id. */
HC_SORT_STABLE(sort_ids, entry, a->id < b->id)

static void sort_equal_times(sorter *s)
{
  for (size_t i = 0; i < s->count;) {
    size_t end = i + 1;
    bool sorted = true;
    for (; end < s->count && s->entries[end].key == s->entries[i].key; end++)
      sorted &= s->entries[end].id >= s->entries[end - 1].id;
    if (!sorted) sort_ids(s->entries + i, end - i, s->other);
    i = end;
  }
}

/* The result is in s->entries. */
static hc_rc sort_entries(sorter *s, hc_error *e)
{
  bool keys = true, all = true;
  for (size_t i = 1; i < s->count && keys; i++) {
    const entry *a = &s->entries[i - 1], *b = &s->entries[i];
    keys = a->key <= b->key;
    all &= a->key != b->key || a->id <= b->id;
  }
  if (keys && all) return 0; /* sorted already: the usual case */
  TRY(make_other(s, e));
  if (!keys) {
    const uint64_t least = count_in_seconds(s);
    radix_sort(s);
    count_as_before(s, least);
  }
  sort_equal_times(s);
  return 0;
}

/* ---- sinks ---- */

static hc_rc write_all(int fd, const char *data, size_t size, hc_error *e, const char *where)
{
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(e, where, "cannot write; make room, or choose another place");
    data += n;
    size -= (size_t)n;
  }
  return 0;
}

static hc_rc sink_flush(const sorter *s, sink *k, hc_error *e)
{
  const char *where = k->fd == s->scratch        ? "scratch file"
                      : strcmp(s->out, "-") == 0 ? "standard output"
                                                 : s->out;
  if (k->with_keys && lseek(k->fd, (off_t)k->at, SEEK_SET) < 0) return io_error(e, where, "cannot seek");
  TRY(write_all(k->fd, k->data, k->size, e, where));
  k->at += k->size;
  k->size = 0;
  return 0;
}

static hc_rc sink_bytes(const sorter *s, sink *k, const void *data, size_t size, hc_error *e)
{
  const char *from = data;
  while (size > 0) {
    const size_t n = HC_MIN(size, k->cap - k->size);
    memcpy(k->data + k->size, from, n);
    k->size += n;
    from += n;
    size -= n;
    if (k->size == k->cap) TRY(sink_flush(s, k, e));
  }
  return 0;
}

/* A line with its newline, or in a run with its stamp. */
static inline hc_rc sink_line(const sorter *s, sink *k, const stamp *now, const char *line, hc_error *e)
{
  const size_t n = (size_t)now->length;
  if (k->size + n + sizeof *now < k->cap) {
    char *p = k->data + k->size;
    if (k->with_keys) {
      memcpy(p, now, sizeof *now);
      p += sizeof *now;
    }
    memcpy(p, line, n);
    p += n;
    if (!k->with_keys) *p++ = '\n';
    k->size = (size_t)(p - k->data);
    return 0;
  }
  if (k->with_keys) TRY(sink_bytes(s, k, now, sizeof *now, e));
  TRY(sink_bytes(s, k, line, n, e));
  return k->with_keys ? 0 : sink_bytes(s, k, "\n", 1, e);
}

/* ---- the scratch file ---- */

/* A device or a pipe, which no file may take the place of, and beside which none is made. */
static bool is_device(const char *path)
{
  struct stat st;
  return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static hc_rc open_scratch(sorter *s, hc_error *e)
{
  const bool away = strcmp(s->out, "-") == 0 || is_device(s->out);
  const char *folder = getenv("TMPDIR");
  hc_buffer path;
  if (!folder || !folder[0]) folder = "/tmp";
  hc_buffer_init(&path, s->a);
  if (away) hc_buffer_printf(&path, "%s/", folder);
  else hc_buffer_text(&path, s->out);
  hc_rc rc = path.failed ? HC_ENOMEM : hc_scratch_open(s->a, path.data, &s->scratch);
  if (rc == HC_ENOMEM) rc = no_memory(s, e);
  else if (rc < 0) rc = io_error(e, path.data, "cannot make a scratch file beside it");
  hc_buffer_fini(&path);
  return rc;
}

static hc_rc begin_run(sorter *s, sink *k, hc_error *e)
{
  if (s->scratch < 0) TRY(open_scratch(s, e));
  *k = (sink){.fd = s->scratch, .with_keys = true, .at = s->scratch_end, .cap = SINK_BUFFER};
  k->data = s->a->resize(s->a->ctx, NULL, 0, k->cap);
  if (!k->data || hc_reserve(s->a, (void **)&s->runs, &s->run_cap, s->run_count + 1, sizeof *s->runs) < 0) {
    if (k->data) hc_free(s->a, k->data, k->cap);
    return no_memory(s, e);
  }
  return 0;
}

static hc_rc end_run(sorter *s, sink *k, hc_rc rc, hc_error *e)
{
  if (rc == 0) rc = sink_flush(s, k, e);
  if (rc == 0) s->runs[s->run_count++] = (run){.at = s->scratch_end, .end = k->at};
  s->scratch_end = HC_MAX(s->scratch_end, k->at);
  hc_free(s->a, k->data, k->cap);
  return rc;
}

static hc_rc put_entries(sorter *s, sink *k, hc_error *e)
{
  const uint64_t mask = (UINT64_C(1) << LENGTH_BITS) - 1;
  TRY(sort_entries(s, e));
  for (size_t i = 0; i < s->count; i++) {
    const entry *x = &s->entries[i];
    const stamp now = {x->key, x->id, x->place & mask};
    if (i + 12 < s->count) __builtin_prefetch(s->block + (s->entries[i + 12].place >> LENGTH_BITS));
    TRY(sink_line(s, k, &now, s->block + (x->place >> LENGTH_BITS), e));
  }
  s->count = s->block_size = 0;
  return 0;
}

static hc_rc spill(sorter *s, hc_error *e)
{
  sink k;
  TRY(begin_run(s, &k, e));
  return end_run(s, &k, put_entries(s, &k, e), e);
}

/* ---- reading ---- */

static hc_rc not_by_lines(const sorter *s, hc_error *e)
{
  return hc_fail(
      e, HC_EUNSUPPORTED, s->in_name, hc_line_number(s->lines), 0,
      "a row that spans several lines: such a file cannot be sorted by lines; `hindcast trace convert` with "
      "a large sort_window writes it in order");
}

static uint64_t key_of(hc_line_kind kind, hc_time submit)
{
  if (kind == HC_LINE_HEAD) return KEY_HEAD;
  if (kind != HC_LINE_ROW || submit == HC_UNKNOWN || submit == HC_NEVER) return KEY_BROKEN;
  return ((uint64_t)submit ^ UINT64_C(1) << 63) + KEY_FIRST_ROW - 1; /* the least is 1 after the flip */
}

static hc_rc add_line(sorter *s, const char *line, size_t length, hc_error *e)
{
  hc_time submit = HC_UNKNOWN;
  int64_t id = -1;
  hc_line_kind kind;
  s->lines++;
  kind = s->o->format->line_key(s->layout, line, length, &submit, &id);
  if (kind == HC_LINE_PART) return not_by_lines(s, e);
  /* The second array of entries counts too. */
  if (s->count > 0 && s->block_size + length + 2 * (s->count + 1) * sizeof *s->entries > s->memory)
    TRY(spill(s, e));
  if (hc_reserve(s->a, (void **)&s->block, &s->block_cap, s->block_size + length, 1) < 0 ||
      hc_reserve(s->a, (void **)&s->entries, &s->entry_cap, s->count + 1, sizeof *s->entries) < 0)
    return no_memory(s, e);
  s->entries[s->count] = (entry){key_of(kind, submit), id, (uint64_t)s->block_size << LENGTH_BITS | length};
  if (s->entries[s->count].key < KEY_FIRST_ROW) s->entries[s->count].id = -1; /* they stay in their order */
  s->count++;
  if (length > 0) memcpy(s->block + s->block_size, line, length);
  s->block_size += length;
  return 0;
}

/* Let the format see how the text begins, and then add those lines. */
static hc_rc begin_format(sorter *s, hc_input *in, void **layout, hc_error *e)
{
  hc_buffer head;
  hc_rc rc = 1;
  s->layout = s->o->options;
  if (!s->o->format->line_begin) return 0;
  hc_buffer_init(&head, s->a);
  while (rc == 1 && head.size < HEAD_SIZE) {
    char *line;
    size_t length;
    rc = hc_input_line(in, &line, &length, e);
    if (rc != 1) break;
    hc_buffer_add(&head, line, length);
    hc_buffer_add(&head, "\n", 1);
  }
  if (rc >= 0 && head.failed) rc = no_memory(s, e);
  if (rc >= 0)
    rc = s->o->format->line_begin(s->a, s->o->options, head.data ? head.data : "", head.size, layout, e);
  s->layout = *layout;
  for (size_t at = 0; rc >= 0 && at < head.size;) {
    const char *line = head.data + at;
    const size_t length = (size_t)((const char *)memchr(line, '\n', head.size - at) - line);
    rc = add_line(s, line, length, e);
    at += length + 1;
  }
  hc_buffer_fini(&head);
  return rc < 0 ? rc : 0;
}

static hc_rc gather(sorter *s, hc_input *in, hc_error *e)
{
  for (;;) {
    char *line;
    size_t length;
    const hc_rc rc = hc_input_line(in, &line, &length, e);
    if (rc <= 0) return rc;
    TRY(add_line(s, line, length, e));
    if (s->lines % TICK_LINES != 0) continue;
    uint64_t done;
    hc_input_progress(in, &done, &s->packed);
    TRY(tick(s, done, e));
  }
}

/* ---- merging ---- */

/* See that `need` bytes are in the buffer. @return 1, or 0 at the end of the run. */
static hc_rc cursor_fill(sorter *s, cursor *c, size_t need, hc_error *e)
{
  if (c->size - c->used >= need) return 1;
  if (c->used > 0) memmove(c->data, c->data + c->used, c->size - c->used);
  c->size -= c->used;
  c->used = 0;
  if (hc_reserve(s->a, (void **)&c->data, &c->cap, need, 1) < 0) return no_memory(s, e);
  while (c->size < need && c->left.at < c->left.end) {
    const size_t room = HC_MIN(c->cap - c->size, c->left.end - c->left.at);
    const ssize_t n = pread(s->scratch, c->data + c->size, room, (off_t)c->left.at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(e, "scratch file", "cannot read");
    if (n == 0) return hc_fail(e, HC_EIO, "scratch file", 0, 0, "it became shorter; do not change it");
    c->size += (size_t)n;
    c->left.at += (uint64_t)n;
    s->merged += (uint64_t)n;
  }
  return c->size >= need;
}

/* Go to the next line, or to the end. */
static inline hc_rc cursor_next(sorter *s, cursor *c, hc_error *e)
{
  if (c->size - c->used < sizeof c->now) {
    const hc_rc rc = cursor_fill(s, c, sizeof c->now, e);
    if (rc < 0) return rc;
    c->ended = rc == 0;
    if (rc == 0) return 0;
  }
  memcpy(&c->now, c->data + c->used, sizeof c->now);
  c->used += sizeof c->now;
  if (c->size - c->used >= c->now.length) return 0;
  const hc_rc rc = cursor_fill(s, c, (size_t)c->now.length, e);
  return rc < 0 ? rc : 0;
}

/* Whether a's line comes first; a is an earlier run than b. */
static inline bool comes_first(const cursor *a, const cursor *b)
{
  if (a->ended || b->ended) return b->ended;
  if (a->now.key != b->now.key) return a->now.key < b->now.key;
  return a->now.id <= b->now.id;
}

static inline bool beats(const cursor *c, uint32_t a, uint32_t b)
{
  return a < b ? comes_first(&c[a], &c[b]) : !comes_first(&c[b], &c[a]);
}

/* A tree of losers: tree[i] for 0 < i < n is who lost at node i, leaf k is node n + k. @return the winner. */
static uint32_t first_round(const cursor *c, uint32_t *tree, uint32_t n, uint32_t node)
{
  if (node >= n) return node - n;
  const uint32_t a = first_round(c, tree, n, 2 * node), b = first_round(c, tree, n, 2 * node + 1);
  const bool a_wins = beats(c, a, b);
  tree[node] = a_wins ? b : a;
  return a_wins ? a : b;
}

static hc_rc merge_cursors(sorter *s, cursor *c, uint32_t n, uint32_t *tree, sink *k, hc_error *e)
{
  uint64_t lines = 0;
  for (uint32_t i = 0; i < n; i++) TRY(cursor_next(s, &c[i], e));
  uint32_t winner = n > 1 ? first_round(c, tree, n, 1) : 0;
  while (!c[winner].ended) {
    cursor *w = &c[winner];
    TRY(sink_line(s, k, &w->now, w->data + w->used, e));
    w->used += (size_t)w->now.length;
    TRY(cursor_next(s, w, e));
    for (uint32_t node = (winner + n) / 2; node > 0; node /= 2) {
      const uint32_t loser = tree[node];
      if (!beats(c, loser, winner)) continue;
      tree[node] = winner;
      winner = loser;
    }
    if (++lines % TICK_LINES == 0)
      TRY(tick(s,
               s->packed + (uint64_t)((double)s->packed * (double)s->merged / (double)(s->scratch_end + 1)),
               e));
  }
  return 0;
}

/* Merge runs [from, from + n) into a sink. */
static hc_rc merge_runs(sorter *s, size_t from, size_t n, sink *k, hc_error *e)
{
  const size_t buffer = HC_MAX(HC_MIN(s->memory / (n + 1), MOST_BUFFER), LEAST_BUFFER);
  cursor *cursors = hc_alloc(s->a, n * sizeof *cursors);
  uint32_t *tree = hc_alloc(s->a, n * sizeof *tree);
  hc_rc rc = cursors && tree ? 0 : no_memory(s, e);
  for (size_t i = 0; i < n && rc == 0; i++) {
    cursors[i].left = s->runs[from + i];
    cursors[i].data = s->a->resize(s->a->ctx, NULL, 0, buffer);
    cursors[i].cap = cursors[i].data ? buffer : 0;
    if (!cursors[i].data) rc = no_memory(s, e);
  }
  if (rc == 0) rc = merge_cursors(s, cursors, (uint32_t)n, tree, k, e);
  for (size_t i = 0; cursors && i < n; i++) hc_free(s->a, cursors[i].data, cursors[i].cap);
  if (tree) hc_free(s->a, tree, n * sizeof *tree);
  if (cursors) hc_free(s->a, cursors, n * sizeof *cursors);
  return rc;
}

/* Until one more merge suffices. */
static hc_rc reduce_runs(sorter *s, size_t fan, hc_error *e)
{
  while (s->run_count > fan) {
    const size_t before_pass = s->run_count;
    size_t from = 0;
    while (from < before_pass) {
      const size_t n = HC_MIN(fan, before_pass - from);
      sink k;
      TRY(begin_run(s, &k, e));
      TRY(end_run(s, &k, merge_runs(s, from, n, &k, e), e));
      from += n;
    }
    s->run_count -= before_pass;
    memmove(s->runs, s->runs + before_pass, s->run_count * sizeof *s->runs);
  }
  return 0;
}

/* ---- the output ---- */

static hc_rc open_output(sorter *s, hc_error *e)
{
  s->output = (sink){.fd = STDOUT_FILENO, .cap = SINK_BUFFER};
  s->output.data = s->a->resize(s->a->ctx, NULL, 0, s->output.cap);
  if (!s->output.data) return no_memory(s, e);
  if (strcmp(s->out, "-") == 0) return 0;
  if (is_device(s->out)) {
    s->output.fd = open(s->out, O_WRONLY | O_CLOEXEC);
    return s->output.fd < 0 ? io_error(e, s->out, "cannot be written") : 0;
  }
  TRY(hc_partial_open(s->a, s->out, &s->partial, e));
  s->output.fd = s->partial.fd;
  return 0;
}

/* A sorted log takes the place of a log of its kind. */
static hc_rc look_before(const sorter *s, hc_error *e)
{
  char begin[HC_BEGIN];
  struct stat st;
  ssize_t n;
  if (s->o->replaces || stat(s->out, &st) != 0) return 0;
  n = pread(s->partial.fd, begin, sizeof begin, 0);
  if (n >= 0 && hc_begins_alike(s->out, begin, (size_t)n)) return 0;
  return hc_fail(e, HC_EUSAGE, s->out, 0, 0,
                 "there is another kind of file already; choose another path, or say --force to replace it");
}

static hc_rc finish_output(sorter *s, hc_error *e)
{
  TRY(sink_flush(s, &s->output, e));
  if (s->output.fd == STDOUT_FILENO) return 0;
  const int fd = s->output.fd;
  s->output.fd = -1;
  if (!s->partial.name) return close(fd) < 0 ? io_error(e, s->out, "cannot be written") : 0;
  TRY(look_before(s, e));
  return hc_partial_commit(&s->partial, s->out, e);
}

static void free_gathered(sorter *s)
{
  if (s->block) hc_free(s->a, s->block, s->block_cap);
  if (s->entries) hc_free(s->a, s->entries, s->entry_cap * sizeof *s->entries);
  if (s->other) hc_free(s->a, s->other, s->other_cap * sizeof *s->other);
  s->block = NULL;
  s->entries = s->other = NULL;
  s->block_cap = s->entry_cap = s->other_cap = 0;
}

static void give_up(sorter *s)
{
  if (!s->partial.name && s->output.fd >= 0 && s->output.fd != STDOUT_FILENO) (void)close(s->output.fd);
  hc_partial_drop(&s->partial);
  if (s->scratch >= 0) (void)close(s->scratch);
  if (s->output.data) hc_free(s->a, s->output.data, s->output.cap);
  free_gathered(s);
  hc_free(s->a, s->runs, s->run_cap * sizeof *s->runs);
}

static hc_rc sort_all(sorter *s, hc_input *in, void **layout, hc_error *e)
{
  const size_t fan = HC_MAX(s->memory / LEAST_BUFFER, 2);
  TRY(begin_format(s, in, layout, e));
  TRY(gather(s, in, e));
  if (s->run_count > 0 && s->count > 0) TRY(spill(s, e));
  if (s->run_count == 0) {
    TRY(open_output(s, e));
    TRY(put_entries(s, &s->output, e));
    return finish_output(s, e);
  }
  free_gathered(s);
  TRY(reduce_runs(s, fan, e));
  TRY(open_output(s, e));
  TRY(merge_runs(s, 0, s->run_count, &s->output, e));
  return finish_output(s, e);
}

hc_rc hc_sort_lines(const hc_allocator *a, const char *in, const char *out, const hc_sort_options *o,
                    hc_error *e)
{
  sorter s = {.a = a,
              .o = o,
              .in_name = in,
              .out = out,
              .memory = HC_MAX(o->memory, LEAST_MEMORY),
              .scratch = -1,
              .output = {.fd = -1}};
  void *layout = NULL;
  hc_input *input;
  if (!o->format->line_key)
    return hc_fail(
        e, HC_EUNSUPPORTED, in, 0, 0,
        "a row of the format %s is not a line, so that lines cannot be sorted; `hindcast trace convert` "
        "writes it in order as another format, with a sort_window that is large enough",
        o->format->component.name);
  if (strcmp(out, "-") != 0 && !is_device(out) && hc_same_file(in, out))
    return hc_fail(
        e, HC_EUSAGE, out, 0, 0,
        "this is the log that is to be sorted (%.300s), which no output replaces; choose another path", in);
  TRY(hc_input_open(a, in, &input, e));
  const hc_rc rc = sort_all(&s, input, &layout, e);
  give_up(&s);
  if (layout && o->format->line_end) o->format->line_end(a, layout);
  hc_input_free(input);
  return rc;
}

hc_rc hc_trace_sort(const hc_allocator *a, const char *in, const char *out, size_t memory_bytes, hc_error *e)
{
  static const hc_reader_type swf = {.component = {.name = "swf"},
                                     .line_key = hc_swf_line_key,
                                     .line_begin = hc_swf_line_begin,
                                     .line_end = hc_swf_line_end};
  return hc_sort_lines(a, in, out, &(hc_sort_options){.format = &swf, .memory = memory_bytes}, e);
}
