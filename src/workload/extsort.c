/* extsort.c -- an external merge sort of trace lines.
 *
 * Lines are gathered with their keys until memory is full, sorted, and written as a run to one scratch file;
 * the runs are then merged, as many at a time as memory has 64 KiB buffers for, into longer runs at the end
 * of that file, and at last into the output. The scratch file is unlinked as soon as it is open, so that no
 * way of ending leaves it behind; it is beside the output, or in TMPDIR if that is standard output. Keys are
 * (class, submit, id, line), a total order, hence any correct sort is a stable one. If everything fits there
 * is no scratch file.
 *
 * It does not reclaim what merged runs took in the scratch file: that is at most the input's size per pass.
 * Source: Knuth, The Art of Computer Programming 3, section 5.4. */
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
#include "base/util.h"
#include "workload/swf_row.h"

#define LEAST_MEMORY ((size_t)1 << 20)
#define CURSOR_BUFFER ((size_t)1 << 16)

typedef struct entry {
  hc_time submit;
  int64_t id;
  uint64_t seq;  /* number of the line; comments have their class in front: see `key_of` */
  uint32_t rank; /* 0 comment or title, 1 row without a time, 2 row */
  uint32_t length;
  uint64_t offset; /* in the block; not part of a run */
} entry;

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
  entry key;
} cursor;

typedef struct sorter {
  const hc_allocator *a;
  const char *in_name, *out;
  size_t memory;
  char *block; /* lines gathered */
  size_t block_size, block_cap;
  entry *entries, *other;
  size_t count, entry_cap, other_cap;
  int scratch; /* -1: none yet */
  uint64_t scratch_end;
  run *runs;
  size_t run_count, run_cap;
  char *temporary; /* path of the output while it is written */
  size_t temporary_size;
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

/* ---- sorting what is in memory ---- */

static bool before(const entry *a, const entry *b)
{
  if (a->rank != b->rank) return a->rank < b->rank;
  if (a->submit != b->submit) return a->submit < b->submit;
  return a->id != b->id ? a->id < b->id : a->seq < b->seq;
}

static void merge_pair(const entry *from, size_t low, size_t middle, size_t high, entry *to)
{
  size_t i = low, j = middle;
  for (size_t k = low; k < high; k++)
    to[k] = j >= high || (i < middle && !before(&from[j], &from[i])) ? from[i++] : from[j++];
}

/* Bottom-up merges between the two arrays; the result is in s->entries. */
static hc_rc sort_entries(sorter *s, hc_error *e)
{
  size_t i = 1;
  while (i < s->count && !before(&s->entries[i], &s->entries[i - 1])) i++;
  if (i >= s->count) return 0; /* sorted already: the usual case */
  if (hc_reserve(s->a, (void **)&s->other, &s->other_cap, s->count, sizeof *s->other) < 0)
    return no_memory(s, e);
  for (size_t width = 1; width < s->count; width *= 2) {
    for (size_t low = 0; low < s->count; low += 2 * width) {
      const size_t middle = HC_MIN(low + width, s->count), high = HC_MIN(low + 2 * width, s->count);
      merge_pair(s->entries, low, middle, high, s->other);
    }
    entry *swap = s->entries;
    const size_t cap = s->entry_cap;
    s->entries = s->other;
    s->entry_cap = s->other_cap;
    s->other = swap;
    s->other_cap = cap;
  }
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
  if (k->size + size > k->cap) TRY(sink_flush(s, k, e));
  if (size > k->cap) {
    sink direct = {
        .fd = k->fd, .with_keys = k->with_keys, .at = k->at, .data = (char *)(uintptr_t)data, .size = size};
    TRY(sink_flush(s, &direct, e));
    k->at += size;
    return 0;
  }
  if (size > 0) memcpy(k->data + k->size, data, size);
  k->size += size;
  return 0;
}

static hc_rc sink_line(const sorter *s, sink *k, const entry *key, const char *line, hc_error *e)
{
  if (k->with_keys) {
    TRY(sink_bytes(s, k, key, sizeof *key, e));
    return sink_bytes(s, k, line, key->length, e);
  }
  TRY(sink_bytes(s, k, line, key->length, e));
  return sink_bytes(s, k, "\n", 1, e);
}

/* ---- the scratch file ---- */

static hc_rc open_scratch(sorter *s, hc_error *e)
{
  const char *slash = strcmp(s->out, "-") == 0 ? NULL : strrchr(s->out, '/');
  const char *dir = strcmp(s->out, "-") == 0 ? getenv("TMPDIR") : ".";
  hc_buffer path;
  if (!dir || !dir[0]) dir = "/tmp";
  hc_buffer_init(&path, s->a);
  if (slash) hc_buffer_add(&path, s->out, (size_t)(slash - s->out) + 1);
  else hc_buffer_printf(&path, "%s/", dir);
  hc_buffer_text(&path, ".hindcast-sort-XXXXXX");
  hc_rc rc = path.failed ? no_memory(s, e) : 0;
  if (rc == 0) s->scratch = mkostemp(path.data, O_CLOEXEC);
  if (rc == 0 && s->scratch < 0) rc = io_error(e, path.data, "cannot make a scratch file");
  if (rc == 0 && unlink(path.data) < 0) rc = io_error(e, path.data, "cannot unlink the scratch file");
  hc_buffer_fini(&path);
  return rc;
}

static hc_rc begin_run(sorter *s, sink *k, hc_error *e)
{
  if (s->scratch < 0) TRY(open_scratch(s, e));
  *k = (sink){.fd = s->scratch, .with_keys = true, .at = s->scratch_end, .cap = CURSOR_BUFFER};
  k->data = hc_alloc(s->a, k->cap);
  if (!k->data || hc_reserve(s->a, (void **)&s->runs, &s->run_cap, s->run_count + 1, sizeof *s->runs) < 0) {
    hc_free(s->a, k->data, k->cap);
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
  TRY(sort_entries(s, e));
  for (size_t i = 0; i < s->count; i++)
    TRY(sink_line(s, k, &s->entries[i], s->block + s->entries[i].offset, e));
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

static bool is_title(const char *line, bool first)
{
  const char c = line[strspn(line, " \t")];
  return first && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

static void key_of(const char *line, size_t length, uint64_t number, bool *first, entry *out)
{
  *out = (entry){.submit = HC_UNKNOWN, .id = -1, .seq = number, .length = (uint32_t)length};
  if (hc_swf_is_comment(line)) return;
  if (!is_title(line, *first)) {
    hc_swf_key(line, &out->submit, &out->id);
    out->rank = out->submit == HC_UNKNOWN ? 1 : 2;
    if (out->rank == 1) out->id = -1; /* they stay in their order */
  }
  *first = false;
}

static hc_rc gather(sorter *s, hc_input *in, hc_error *e)
{
  bool first = true;
  for (;;) {
    char *line;
    size_t length;
    const hc_rc rc = hc_input_line(in, &line, &length, e);
    if (rc <= 0) return rc;
    /* The second array of entries counts too, as does what doubling may leave unused. */
    if (s->count > 0 && s->block_size + length + 3 * (s->count + 1) * sizeof *s->entries > s->memory / 2)
      TRY(spill(s, e));
    if (hc_reserve(s->a, (void **)&s->block, &s->block_cap, s->block_size + length, 1) < 0 ||
        hc_reserve(s->a, (void **)&s->entries, &s->entry_cap, s->count + 1, sizeof *s->entries) < 0)
      return no_memory(s, e);
    key_of(line, length, hc_input_lines(in), &first, &s->entries[s->count]);
    s->entries[s->count++].offset = s->block_size;
    if (length > 0) memcpy(s->block + s->block_size, line, length);
    s->block_size += length;
  }
}

/* ---- merging ---- */

/* See that `need` bytes are in the buffer. @return 1, or 0 at the end of the run. */
static hc_rc cursor_fill(const sorter *s, cursor *c, size_t need, hc_error *e)
{
  if (c->size - c->used >= need) return 1;
  if (c->used > 0) memmove(c->data, c->data + c->used, c->size - c->used);
  c->size -= c->used;
  c->used = 0;
  if (hc_reserve(s->a, (void **)&c->data, &c->cap, HC_MAX(need, CURSOR_BUFFER), 1) < 0)
    return no_memory(s, e);
  while (c->size < need && c->left.at < c->left.end) {
    const size_t room = HC_MIN(c->cap - c->size, c->left.end - c->left.at);
    const ssize_t n = pread(s->scratch, c->data + c->size, room, (off_t)c->left.at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(e, "scratch file", "cannot read");
    if (n == 0) return hc_fail(e, HC_EIO, "scratch file", 0, 0, "it became shorter; do not change it");
    c->size += (size_t)n;
    c->left.at += (uint64_t)n;
  }
  return c->size >= need;
}

/* Go to the next line. @return 1, or 0 at the end. */
static hc_rc cursor_next(const sorter *s, cursor *c, hc_error *e)
{
  const hc_rc rc = cursor_fill(s, c, sizeof c->key, e);
  if (rc <= 0) return rc;
  memcpy(&c->key, c->data + c->used, sizeof c->key);
  c->used += sizeof c->key;
  return cursor_fill(s, c, c->key.length, e);
}

static void sift(cursor **heap, size_t n, size_t i)
{
  cursor *moving = heap[i];
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= n) break;
    if (child + 1 < n && before(&heap[child + 1]->key, &heap[child]->key)) child++;
    if (!before(&heap[child]->key, &moving->key)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = moving;
}

static hc_rc merge_cursors(const sorter *s, cursor *cursors, size_t n, cursor **heap, sink *k, hc_error *e)
{
  size_t live = 0;
  for (size_t i = 0; i < n; i++) {
    const hc_rc rc = cursor_next(s, &cursors[i], e);
    if (rc < 0) return rc;
    if (rc > 0) heap[live++] = &cursors[i];
  }
  for (size_t i = live; i-- > 0;) sift(heap, live, i);
  while (live > 0) {
    cursor *c = heap[0];
    TRY(sink_line(s, k, &c->key, c->data + c->used, e));
    c->used += c->key.length;
    const hc_rc rc = cursor_next(s, c, e);
    if (rc < 0) return rc;
    if (rc == 0) heap[0] = heap[--live];
    sift(heap, live, 0);
  }
  return 0;
}

/* Merge runs [from, from + n) into a sink. */
static hc_rc merge_runs(const sorter *s, size_t from, size_t n, sink *k, hc_error *e)
{
  cursor *cursors = hc_alloc(s->a, n * sizeof *cursors);
  cursor **heap = hc_alloc(s->a, n * sizeof *heap);
  hc_rc rc = cursors && heap ? 0 : no_memory(s, e);
  for (size_t i = 0; i < n && rc == 0; i++) cursors[i].left = s->runs[from + i];
  if (rc == 0) rc = merge_cursors(s, cursors, n, heap, k, e);
  for (size_t i = 0; cursors && i < n; i++) hc_free(s->a, cursors[i].data, cursors[i].cap);
  hc_free(s->a, heap, n * sizeof *heap);
  hc_free(s->a, cursors, n * sizeof *cursors);
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
  s->output = (sink){.fd = STDOUT_FILENO, .cap = CURSOR_BUFFER};
  s->output.data = hc_alloc(s->a, s->output.cap);
  if (!s->output.data) return no_memory(s, e);
  if (strcmp(s->out, "-") == 0) return 0;
  s->temporary_size = strlen(s->out) + sizeof ".XXXXXX";
  char *path = hc_alloc(s->a, s->temporary_size);
  if (!path) return no_memory(s, e);
  (void)snprintf(path, s->temporary_size, "%s.XXXXXX", s->out);
  s->output.fd = mkostemp(path, O_CLOEXEC);
  if (s->output.fd < 0) {
    hc_free(s->a, path, s->temporary_size);
    return io_error(e, s->out, "cannot be written");
  }
  s->temporary = path;
  if (fchmod(s->output.fd, 0644) < 0) return io_error(e, s->out, "cannot set who may read it");
  return 0;
}

static hc_rc finish_output(sorter *s, hc_error *e)
{
  TRY(sink_flush(s, &s->output, e));
  if (!s->temporary) return 0;
  const int fd = s->output.fd;
  s->output.fd = -1;
  if (close(fd) < 0) return io_error(e, s->out, "cannot be written");
  if (rename(s->temporary, s->out) < 0) return io_error(e, s->out, "cannot be given its name");
  hc_free(s->a, s->temporary, s->temporary_size);
  s->temporary = NULL;
  return 0;
}

static void give_up(sorter *s)
{
  if (s->temporary) {
    if (s->output.fd >= 0) (void)close(s->output.fd);
    (void)unlink(s->temporary);
    hc_free(s->a, s->temporary, s->temporary_size);
  }
  if (s->scratch >= 0) (void)close(s->scratch);
  hc_free(s->a, s->output.data, s->output.cap);
  hc_free(s->a, s->block, s->block_cap);
  hc_free(s->a, s->entries, s->entry_cap * sizeof *s->entries);
  hc_free(s->a, s->other, s->other_cap * sizeof *s->other);
  hc_free(s->a, s->runs, s->run_cap * sizeof *s->runs);
}

static hc_rc sort_all(sorter *s, hc_input *in, hc_error *e)
{
  TRY(gather(s, in, e));
  if (s->run_count > 0 && s->count > 0) TRY(spill(s, e));
  if (s->run_count == 0) {
    TRY(open_output(s, e));
    TRY(put_entries(s, &s->output, e));
    return finish_output(s, e);
  }
  hc_free(s->a, s->block, s->block_cap);
  s->block = NULL;
  s->block_cap = 0;
  const size_t fan = HC_MAX(s->memory / CURSOR_BUFFER, 2);
  TRY(reduce_runs(s, fan, e));
  TRY(open_output(s, e));
  TRY(merge_runs(s, 0, s->run_count, &s->output, e));
  return finish_output(s, e);
}

hc_rc hc_trace_sort(const hc_allocator *a, const char *in, const char *out, size_t memory_bytes, hc_error *e)
{
  sorter s = {.a = a,
              .in_name = in,
              .out = out,
              .memory = HC_MAX(memory_bytes, LEAST_MEMORY),
              .scratch = -1,
              .output = {.fd = -1}};
  hc_input *input;
  TRY(hc_input_open(a, in, &input, e));
  const hc_rc rc = sort_all(&s, input, e);
  give_up(&s);
  hc_input_free(input);
  return rc;
}
