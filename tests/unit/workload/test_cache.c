/* test_cache.c -- a workload cached and read back is the same in every member; any damage is refused. */
#define _GNU_SOURCE
#include "workload_test.h"

#include <sys/mman.h>

#include "cluster/lexicon.h"
#include "workload/cache_format.h"

extern const hc_writer_type hc_writer_cache;
extern const hc_reader_type hc_reader_cache;

enum { TASKS = 9000 }; /* two whole blocks and a part of one */
enum { HEAD = 87 };    /* bytes before the first block, where a trace says nothing of itself */

static uint64_t next(uint64_t *x)
{
  *x ^= *x << 13;
  *x ^= *x >> 7;
  *x ^= *x << 17;
  return *x;
}

static hc_rc gather(void *ctx, const void *data, size_t size)
{
  hc_buffer_add(ctx, data, size);
  return 0;
}

/* ---- tasks with everything ---- */

/* Fill every member with values that are now regular, now wild, now missing. */
static void make_tasks(hc_task_spec *tasks, size_t n, uint64_t seed)
{
  uint64_t x = seed;
  hc_time now = 0;
  for (size_t i = 0; i < n; i++) {
    hc_task_spec *t = &tasks[i];
    *t = hc_task_spec_none();
    now += (hc_time)(next(&x) % 100) * HC_SECOND;
    t->id = (int64_t)i;
    t->line = i + 3;
    t->submit = i % 5000 == 4999 ? HC_UNKNOWN : now;
    t->wait = next(&x) % 3 ? (hc_time)(next(&x) % 100000) * HC_MS : HC_UNKNOWN;
    t->run = (hc_time)(next(&x) % 1000) * HC_SECOND;
    t->limit = next(&x) % 50 ? HC_HOUR : HC_NEVER;
    t->cpu_time = (hc_time)(next(&x) >> 1); /* wild */
    t->cancel_at = next(&x) % 7 ? HC_NEVER : now;
    t->procs_asked = (int64_t)1 << next(&x) % 40;
    t->memory_used = next(&x) % 2 ? (int64_t)(next(&x) % 9) << 30 : HC_UNKNOWN;
    t->preceding = (int64_t)(next(&x) % 4) - 1;
    t->user = i < 4096 ? 5 : -1; /* one block all the same, one without a user */
    t->priority = (int64_t)(next(&x) % 5) - 2;
    t->status = (int32_t)(next(&x) % 7) - 1;
    t->node = (uint32_t)(next(&x) % 3);
    t->job = next(&x) % 2 ? INT64_MAX - (int64_t)(next(&x) % 3) : -1;
    t->not_before = i % 11 ? HC_UNKNOWN : now;
    t->hosts = 1 + (int64_t)(next(&x) % 3);
    for (int d = 0; d < HC_NEEDS; d++)
      if (next(&x) % 3 == 0) t->need[d] = (int64_t)(next(&x) >> next(&x) % 62 >> 2);
    t->count = next(&x) % 4 ? 0 : (uint32_t)next(&x);
    t->flags = (uint32_t)(next(&x) % 8);
    t->held = next(&x) % 2 ? (hc_time)(next(&x) % 9) * HC_SECOND : HC_UNKNOWN;
  }
}

static uint32_t word(hc_lexicon *l, uint64_t *x)
{
  char text[32];
  const int n = snprintf(text, sizeof text, "name-%d", (int)(next(x) % 500));
  return hc_lexicon_name(l, text, (size_t)n);
}

/* Chunks need of the first `dimensions`, which the lexicon knows. */
static uint32_t make_more(hc_lexicon *l, uint64_t *x, int dimensions)
{
  hc_after after[4];
  hc_constraint constraints[3];
  uint32_t hosts[5];
  hc_chunk chunks[2];
  hc_use_step uses[7];
  hc_amount further[HC_DIMENSIONS];
  hc_resize_step resizes[4];
  hc_task_size sizes[4];
  hc_task_extras m = hc_task_extras_none();
  memset(after, 0, sizeof after);
  memset(constraints, 0, sizeof constraints);
  memset(chunks, 0, sizeof chunks);
  m.after_count = next(x) % 5;
  m.constraint_count = next(x) % 4;
  m.host_count = next(x) % 6;
  m.chunk_count = next(x) % 3;
  for (size_t i = 0; i < m.after_count; i++)
    after[i] = (hc_after){.job = (int64_t)(next(x) % 100),
                          .task = next(x) % 2 ? HC_UNKNOWN : 3,
                          .how = (uint32_t)(next(x) % 5)};
  for (size_t i = 0; i < m.constraint_count; i++) {
    constraints[i].attribute = word(l, x);
    constraints[i].compare = (uint32_t)(next(x) % 8);
    constraints[i].group = (uint32_t)i;
    constraints[i].is_text = (uint32_t)(next(x) % 2);
    constraints[i].value = constraints[i].is_text ? word(l, x) : (int64_t)next(x);
  }
  for (size_t i = 0; i < m.host_count; i++) hosts[i] = word(l, x);
  for (size_t i = 0; i < m.chunk_count; i++) {
    chunks[i].hosts = (uint32_t)(next(x) % 100);
    for (int d = 0; d < HC_DIMENSIONS; d++)
      chunks[i].need[d] = d % 2 || d >= dimensions ? HC_UNKNOWN : (int64_t)(next(x) % 1000);
  }
  m.after = after;
  m.constraints = constraints;
  m.hosts = hosts;
  m.chunks = chunks;
  if (next(x) % 2) m.set = word(l, x);
  if (next(x) % 2) m.same = word(l, x);
  if (next(x) % 3 == 0) m.zone_level = word(l, x);
  m.use_count = next(x) % 8;
  for (size_t i = 0; i < m.use_count; i++)
    uses[i] = (hc_use_step){.until = (i ? uses[i - 1].until : 0) + 1 + (hc_time)(next(x) % 1000000),
                            .cpu = next(x) % 4 ? (int64_t)(next(x) % 64000) : HC_UNKNOWN,
                            .memory = next(x) % 4 ? (int64_t)(next(x) >> 20) : HC_UNKNOWN};
  m.uses = uses;
  m.resize_count = next(x) % 2 ? next(x) % 5 : 0;
  for (size_t i = 0; i < m.resize_count; i++) {
    resizes[i].after = (i ? resizes[i - 1].after : 0) + 1 + (hc_time)(next(x) % 1000000);
    for (int d = 0; d < HC_NEEDS; d++)
      resizes[i].need[d] = d >= dimensions || next(x) % 3 ? HC_UNKNOWN : (int64_t)(next(x) % 1000);
  }
  m.resizes = resizes;
  for (int d = HC_NEEDS; d < dimensions; d++)
    if (next(x) % 4 == 0)
      further[m.further_count++] = (hc_amount){.dimension = (uint32_t)d, .amount = (int64_t)(next(x) >> 3)};
  m.further = further;
  if (next(x) % 3 == 0) m.least = 1, m.of = 1 + (uint32_t)(next(x) % 9), m.most = m.of + 3;
  if (m.of > 0 && next(x) % 2) m.changes = 1 + (uint32_t)(next(x) % 7);
  if (m.of > 0 && next(x) % 2) m.preferred = m.least + (uint32_t)(next(x) % 3);
  if (m.changes > 0) m.size_count = next(x) % 5;
  for (uint32_t i = 0; i < m.size_count; i++) {
    const bool has_speed = next(x) % 2;
    sizes[i] = (hc_task_size){.size = m.least + i,
                              .speed = has_speed ? 1 + (double)(next(x) % 1000) / 7 : 0,
                              .run = has_speed ? HC_UNKNOWN : (hc_time)(next(x) >> 20),
                              .limit = next(x) % 2 ? HC_UNKNOWN : (hc_time)(next(x) >> 20),
                              .estimate = next(x) % 2 ? HC_UNKNOWN : (hc_time)(next(x) >> 20)};
  }
  m.sizes = sizes;
  m.per_host = (uint32_t)(next(x) % 3);
  m.rival = (int64_t)(next(x) % 3) - 1;
  return hc_lexicon_keep(l, &m);
}

/* ---- writing and reading ---- */

static hc_buffer write_told(hc_lexicon *l, const hc_task_spec *tasks, size_t n, const hc_trace_info *info,
                            const hc_row_ledger *rows)
{
  hc_buffer b;
  hc_error e = {0};
  hc_writer *w;
  hc_buffer_init(&b, hc_default_allocator());
  const hc_writer_context c = {
      .allocator = hc_default_allocator(), .lexicon = l, .info = info, .sink = {&b, gather}, .ledger = rows};
  assert_int_equal(hc_writer_cache.open(&c, NULL, &w, &e), 0);
  for (size_t i = 0; i < n; i++) {
    const hc_trace_task task = {.spec = tasks[i]};
    uint64_t lost = hc_task_facts(&tasks[i], l) & ~hc_writer_cache.holds;
    assert_int_equal(hc_writer_cache.task(w, &task, &lost, &e), 0);
    assert_int_equal(lost, 0);
  }
  assert_int_equal(hc_writer_cache.finish(w, &e), 0);
  hc_writer_cache.close(w);
  return b;
}

static hc_buffer write_cache(hc_lexicon *l, const hc_task_spec *tasks, size_t n, const hc_trace_info *info)
{
  return write_told(l, tasks, n, info, NULL);
}

typedef struct shelf { /* a file in memory, and a reader of it */
  int fd;
  char path[64];
  struct {
    const char *file;
  } options;
  hc_row_ledger ledger;
  hc_source_context context;
  hc_source *source;
  hc_error error;
} shelf;

static void put_file(shelf *s, const void *data, size_t size)
{
  memset(s, 0, sizeof *s);
  s->fd = memfd_create("cache", MFD_CLOEXEC);
  assert_true(s->fd >= 0);
  assert_int_equal(write(s->fd, data, size), (ssize_t)size);
  snprintf(s->path, sizeof s->path, "/proc/self/fd/%d", s->fd);
  s->options.file = s->path;
}

static hc_rc open_file(shelf *s, hc_lexicon *l)
{
  s->context = (hc_source_context){.allocator = hc_default_allocator(), .ledger = &s->ledger, .lexicon = l};
  return hc_reader_cache.open(&s->context, &s->options, &s->source, &s->error);
}

static void close_file(shelf *s)
{
  hc_reader_cache.close(s->source);
  close(s->fd);
}

static void check_more(const hc_lexicon *a, uint32_t x, const hc_lexicon *b, uint32_t y)
{
  const hc_task_extras *m = hc_lexicon_more(a, x), *n = hc_lexicon_more(b, y);
  assert_true((m == NULL) == (n == NULL));
  if (!m) return;
#define SAME_NAME(p, q) \
  do { \
    assert_true(((p) == HC_NO_NAME) == ((q) == HC_NO_NAME)); \
    assert_string_equal(hc_lexicon_text(a, (p)), hc_lexicon_text(b, (q))); \
  } while (0)
  assert_int_equal(m->after_count, n->after_count);
  assert_true(m->after_count == 0 || memcmp(m->after, n->after, m->after_count * sizeof *m->after) == 0);
  assert_int_equal(m->constraint_count, n->constraint_count);
  for (size_t i = 0; i < m->constraint_count; i++) {
    SAME_NAME(m->constraints[i].attribute, n->constraints[i].attribute);
    assert_int_equal(m->constraints[i].compare, n->constraints[i].compare);
    assert_int_equal(m->constraints[i].group, n->constraints[i].group);
    assert_int_equal(m->constraints[i].is_text, n->constraints[i].is_text);
    if (m->constraints[i].is_text) {
      SAME_NAME((uint32_t)m->constraints[i].value, (uint32_t)n->constraints[i].value);
    } else {
      assert_int_equal(m->constraints[i].value, n->constraints[i].value);
    }
  }
  assert_int_equal(m->host_count, n->host_count);
  for (size_t i = 0; i < m->host_count; i++) SAME_NAME(m->hosts[i], n->hosts[i]);
  assert_int_equal(m->chunk_count, n->chunk_count);
  assert_true(m->chunk_count == 0 || memcmp(m->chunks, n->chunks, m->chunk_count * sizeof *m->chunks) == 0);
  assert_int_equal(m->use_count, n->use_count);
  assert_true(m->use_count == 0 || memcmp(m->uses, n->uses, m->use_count * sizeof *m->uses) == 0);
  assert_int_equal(m->resize_count, n->resize_count);
  assert_true(m->resize_count == 0 ||
              memcmp(m->resizes, n->resizes, m->resize_count * sizeof *m->resizes) == 0);
  assert_int_equal(m->further_count, n->further_count);
  assert_true(m->further_count == 0 ||
              memcmp(m->further, n->further, m->further_count * sizeof *m->further) == 0);
  assert_true(m->least == n->least && m->of == n->of && m->most == n->most && m->changes == n->changes);
  assert_true(m->preferred == n->preferred && m->size_count == n->size_count);
  assert_true(m->size_count == 0 || memcmp(m->sizes, n->sizes, m->size_count * sizeof *m->sizes) == 0);
  SAME_NAME(m->set, n->set);
  SAME_NAME(m->same, n->same);
  SAME_NAME(m->differ, n->differ);
  SAME_NAME(m->zone_level, n->zone_level);
  assert_true(m->per_host == n->per_host && m->per_zone == n->per_zone && m->rival == n->rival);
#undef SAME_NAME
}

/* Read what is left and compare it with tasks from `at` on. @return how many there were. */
static size_t compare_rest(shelf *s, hc_lexicon *to, const hc_lexicon *from, const hc_task_spec *tasks,
                           size_t at)
{
  hc_job job;
  hc_rc rc;
  while ((rc = hc_reader_cache.next(s->source, &job, &s->error)) == 1) {
    for (uint32_t i = 0; i < job.task_count; i++) {
      hc_task_spec t = job.tasks[i], expect = tasks[at++];
      check_more(from, expect.more, to, t.more);
      hc_lexicon_drop(to, t.more);
      t.more = expect.more = 0;
      if (memcmp(&t, &expect, sizeof t) != 0) fail_msg("task %zu is another", at - 1);
    }
  }
  assert_int_equal(rc, 0);
  return at;
}

static void test_round_trip(void **state)
{
  hc_task_spec *tasks = test_malloc(TASKS * sizeof *tasks);
  hc_trace_info info = {.processors = 64,
                        .nodes = 8,
                        .unix_start = 1577836800,
                        .zone = "Europe/Stockholm",
                        .computer = "",
                        .header = "; one\n; two",
                        .jobs = HC_UNKNOWN,
                        .records = 7};
  uint64_t x = 99;
  hc_lexicon *from, *to;
  shelf s;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &from), 0);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &to), 0);
  for (int d = HC_DIM_OTHER; d < HC_DIMENSIONS; d++) {
    char name[32];
    snprintf(name, sizeof name, "dimension%d", d);
    assert_int_equal(hc_lexicon_dimension(from, name, strlen(name)), d);
    assert_int_equal(hc_lexicon_dimension(to, name, strlen(name)), d);
  }
  (void)hc_lexicon_name(to, "another", 7); /* numbers differ there */
  make_tasks(tasks, TASKS, 12345);
  for (size_t i = 0; i < TASKS; i++)
    if (next(&x) % 3 == 0) tasks[i].more = make_more(from, &x, HC_DIMENSIONS);
  hc_buffer b = write_cache(from, tasks, TASKS, &info);
  put_file(&s, b.data, b.size);
  assert_int_equal(open_file(&s, to), 0);
  const hc_trace_info *facts = hc_reader_cache.info(s.source);
  assert_true(facts->processors == 64 && facts->nodes == 8 && facts->unix_start == 1577836800);
  assert_true(facts->jobs == HC_UNKNOWN && facts->records == 7 && facts->installation == NULL);
  assert_string_equal(facts->zone, "Europe/Stockholm");
  assert_string_equal(facts->computer, "");
  assert_string_equal(facts->header, "; one\n; two");
  assert_int_equal(hc_reader_cache.refers(s.source), HC_REFERS_ANY);
  assert_int_equal(compare_rest(&s, to, from, tasks, 0), TASKS);
  assert_int_equal(s.ledger.read, TASKS);
  assert_int_equal(hc_lexicon_held(to), 0); /* nothing is kept without a holder */
  close_file(&s);
  for (size_t i = 0; i < TASKS; i++) hc_lexicon_drop(from, tasks[i].more);
  hc_buffer_fini(&b);
  hc_lexicon_free(from);
  hc_lexicon_free(to);
  test_free(tasks);
}

/* Dimensions have the numbers of the side that names them first: here the other way round. */
static void test_dimensions(void **state)
{
  hc_task_spec t = hc_task_spec_none();
  hc_lexicon *from, *to;
  hc_job job;
  shelf s;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &from), 0);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &to), 0);
  assert_int_equal(hc_lexicon_dimension(from, "tape", 4), 4);
  assert_int_equal(hc_lexicon_dimension(from, "licence", 7), 5);
  assert_int_equal(hc_lexicon_dimension(to, "licence", 7), 4);
  t.need[4] = 11;
  t.need[5] = 22;
  hc_buffer b = write_cache(from, &t, 1, NULL);
  put_file(&s, b.data, b.size);
  assert_int_equal(open_file(&s, to), 0);
  assert_int_equal(hc_reader_cache.refers(s.source), HC_REFERS_NONE);
  assert_int_equal(hc_reader_cache.next(s.source, &job, &s.error), 1);
  assert_int_equal(job.tasks->need[4], 22);
  assert_int_equal(job.tasks->need[5], 11);
  close_file(&s);
  hc_buffer_fini(&b);
  hc_lexicon_free(from);
  hc_lexicon_free(to);
}

/* Saved anywhere, restored into another reader, it goes on with the same tasks. */
static void test_visit(void **state)
{
  hc_task_spec *tasks = test_malloc(TASKS * sizeof *tasks);
  hc_lexicon *l;
  uint64_t x = 5;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  make_tasks(tasks, TASKS, 777);
  for (size_t i = 0; i < TASKS; i++) {
    for (int d = HC_DIM_OTHER; d < HC_NEEDS; d++) tasks[i].need[d] = HC_UNKNOWN;
    if (next(&x) % 100 == 0) tasks[i].more = make_more(l, &x, HC_DIM_OTHER);
  }
  hc_buffer b = write_cache(l, tasks, TASKS, NULL);
  for (size_t stop = 0; stop <= TASKS + HC_CACHE_CHUNK; stop += 1600) { /* chunks read before */
    shelf a, c;
    hc_job job;
    size_t done = 0;
    hc_buffer saved;
    hc_buffer_init(&saved, hc_default_allocator());
    put_file(&a, b.data, b.size);
    put_file(&c, b.data, b.size);
    assert_int_equal(open_file(&a, l), 0);
    assert_int_equal(open_file(&c, l), 0);
    while (done < stop && hc_reader_cache.next(a.source, &job, &a.error) == 1) {
      for (uint32_t i = 0; i < job.task_count; i++) hc_lexicon_drop(l, job.tasks[i].more);
      done += job.task_count;
    }
    hc_visitor save = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .out = &saved};
    assert_int_equal(hc_reader_cache.visit(a.source, &save, &a.error), 0);
    hc_visitor load = {.calls = &hc_state_calls,
                       .mode = HC_VISIT_LOAD,
                       .allocator = hc_default_allocator(),
                       .in = (const uint8_t *)saved.data,
                       .left = saved.size};
    assert_int_equal(hc_reader_cache.visit(c.source, &load, &c.error), 0);
    assert_int_equal(compare_rest(&c, l, l, tasks, done), TASKS);
    assert_int_equal(compare_rest(&a, l, l, tasks, done), TASKS);
    close_file(&a);
    close_file(&c);
    hc_buffer_fini(&saved);
  }
  for (size_t i = 0; i < TASKS; i++) hc_lexicon_drop(l, tasks[i].more);
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
  test_free(tasks);
}

/* ---- damage ---- */

/* Read it all. @return the first error, or 0. */
static hc_rc read_all(shelf *s, hc_lexicon *l)
{
  hc_job job;
  hc_rc rc = open_file(s, l);
  while (rc >= 0 && (rc = hc_reader_cache.next(s->source, &job, &s->error)) == 1)
    for (uint32_t i = 0; i < job.task_count; i++) hc_lexicon_drop(l, job.tasks[i].more);
  return rc;
}

static hc_buffer small_cache(hc_lexicon *l)
{
  hc_task_spec tasks[70];
  uint64_t x = 3;
  make_tasks(tasks, HC_ARRAY_LEN(tasks), 42);
  for (size_t i = 0; i < HC_ARRAY_LEN(tasks); i++) {
    for (int d = HC_DIM_OTHER; d < HC_NEEDS; d++) tasks[i].need[d] = HC_UNKNOWN;
    if (i % 9 == 0) tasks[i].more = make_more(l, &x, HC_DIM_OTHER);
  }
  hc_buffer b = write_cache(l, tasks, HC_ARRAY_LEN(tasks), NULL);
  for (size_t i = 0; i < HC_ARRAY_LEN(tasks); i++) hc_lexicon_drop(l, tasks[i].more);
  return b;
}

static void test_every_byte(void **state)
{
  hc_lexicon *l;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_buffer b = small_cache(l);
  for (size_t i = 0; i < b.size; i++) {
    shelf s;
    b.data[i] ^= 0x10;
    put_file(&s, b.data, b.size);
    const hc_rc rc = read_all(&s, l);
    if (rc != HC_EINPUT && rc != HC_EVERSION) fail_msg("byte %zu: %d", i, rc);
    close_file(&s);
    b.data[i] ^= 0x10;
  }
  for (size_t n = 0; n < b.size; n++) { /* cut anywhere */
    shelf s;
    put_file(&s, b.data, n);
    const hc_rc rc = read_all(&s, l);
    if (rc != HC_EINPUT && rc != HC_EVERSION) fail_msg("cut at %zu: %d", n, rc);
    assert_true(s.error.text[0] != '\0');
    close_file(&s);
  }
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
}

/* What the source's reader left out counts again; each byte that tells it is checked, and strict refuses. */
static void test_rows_left_out(void **state)
{
  hc_task_spec task;
  hc_row_ledger rows = {.read = 100, .used = 1, .merged = 70, .rounded = 12, .rounding = 0.25};
  hc_lexicon *l;
  HC_UNUSED(state);
  make_tasks(&task, 1, 5);
  rows.rejected[HC_REASON_MALFORMED] = 20;
  rows.rejected[HC_REASON_OUTSIDE] = 9;
  rows.rejections = 29;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_buffer plain = write_cache(l, &task, 1, NULL), b = write_told(l, &task, 1, NULL, &rows);
  shelf s;
  put_file(&s, b.data, b.size);
  assert_int_equal(read_all(&s, l), 0);
  assert_true(s.ledger.read == 100 && s.ledger.merged == 70 && s.ledger.rejections == 29);
  assert_true(s.ledger.rejected[HC_REASON_MALFORMED] == 20 && s.ledger.rejected[HC_REASON_OUTSIDE] == 9);
  assert_true(s.ledger.rounded == 12 && s.ledger.rounding == 0.25);
  close_file(&s);
  for (size_t i = 0; i < b.size; i++) {
    b.data[i] ^= 0x10;
    put_file(&s, b.data, b.size);
    const hc_rc rc = read_all(&s, l);
    if (rc != HC_EINPUT && rc != HC_EVERSION) fail_msg("byte %zu: %d", i, rc);
    close_file(&s);
    b.data[i] ^= 0x10;
  }
  put_file(&s, b.data, b.size);
  assert_int_equal(open_file(&s, l), 0);
  s.context.strict = true;
  hc_job job;
  assert_int_equal(hc_reader_cache.next(s.source, &job, &s.error), 1);
  assert_int_equal(hc_reader_cache.next(s.source, &job, &s.error), HC_EINPUT); /* 20 were malformed */
  assert_non_null(strstr(s.error.text, "20 rows of the source were rejected (malformed)"));
  close_file(&s);
  rows = (hc_row_ledger){.read = 1, .used = 1}; /* nothing to tell: nothing is written */
  hc_buffer same = write_told(l, &task, 1, NULL, &rows);
  assert_true(same.size == plain.size && memcmp(same.data, plain.data, plain.size) == 0);
  hc_buffer_fini(&same);
  hc_buffer_fini(&plain);
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
}

static void check_error(const void *data, size_t size, hc_rc rc, const char *text)
{
  hc_lexicon *l;
  shelf s;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  put_file(&s, data, size);
  assert_int_equal(read_all(&s, l), rc);
  assert_string_equal(s.error.text, text);
  close_file(&s);
  hc_lexicon_free(l);
}

#define AGAIN "make it again with `hindcast trace convert --to cache`"

static void test_messages(void **state)
{
  hc_lexicon *l;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_buffer b = small_cache(l);
  check_error(
      "; MaxProcs: 4\n", 14, HC_EINPUT,
      "this is no cached trace: such a file begins with \"hindcast cache \"; `hindcast list reader` has the "
      "formats");
  check_error(
      "hindcast cache 27\nxx", 20, HC_EVERSION,
      "a cache of version 27, and this program reads version 4: make it again from its source with `hindcast "
      "trace convert --to cache`");
  check_error(b.data, b.size - 1, HC_EINPUT,
              "the cache is not whole: it stops before its end, or its end is damaged; " AGAIN);
  b.data[HEAD + 30] ^= 1; /* in the first block */
  check_error(b.data, b.size, HC_EINPUT,
              "block 0, at byte 87: its checksum is wrong; the cache is damaged: " AGAIN);
  b.data[HEAD + 30] ^= 1;
  hc_buffer_add(&b, "x", 1);
  check_error(b.data, b.size, HC_EINPUT,
              "the cache is not whole: it stops before its end, or its end is damaged; " AGAIN);
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
}

/* Blocks in another order, or one left out: each is whole, but they are not what was written. */
static void test_blocks_moved(void **state)
{
  hc_task_spec *tasks = test_malloc(TASKS * sizeof *tasks);
  hc_lexicon *l;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  for (size_t i = 0; i < TASKS; i++) {
    tasks[i] = hc_task_spec_none();
    tasks[i].id = (int64_t)i;
  }
  hc_buffer b = write_cache(l, tasks, TASKS, NULL);
  const uint8_t *p = (const uint8_t *)b.data + HEAD;
  const size_t first = HC_CACHE_FRAME + (size_t)hc_load_le(p + 4, 4) + HC_CACHE_SUM;
  shelf s;
  char *left = test_malloc(b.size);
  memcpy(left, b.data, HEAD);
  memcpy(left + HEAD, b.data + HEAD + first, b.size - HEAD - first);
  put_file(&s, left, b.size - first);
  assert_int_equal(read_all(&s, l), HC_EINPUT);
  assert_string_equal(
      s.error.text,
      "block 0, at byte 87: it is not the block that should follow; the cache is damaged: " AGAIN);
  close_file(&s);
  test_free(left);
  test_free(tasks);
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
}

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  int64_t *left = ctx;
  if (new_size > old_size && (*left)-- <= 0) return NULL;
  return hc_default_allocator()->resize(NULL, p, old_size, new_size);
}

static void test_out_of_memory(void **state)
{
  hc_lexicon *l;
  hc_rc rc = HC_ENOMEM;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_buffer b = small_cache(l);
  for (int64_t k = 0; rc == HC_ENOMEM && k < 200; k++) {
    int64_t left = k;
    const hc_allocator a = {&left, failing_resize, NULL};
    hc_job job;
    shelf s;
    put_file(&s, b.data, b.size);
    s.context = (hc_source_context){.allocator = &a, .lexicon = l};
    rc = hc_reader_cache.open(&s.context, &s.options, &s.source, &s.error);
    while (rc >= 0 && (rc = hc_reader_cache.next(s.source, &job, &s.error)) == 1)
      for (uint32_t i = 0; i < job.task_count; i++) hc_lexicon_drop(l, job.tasks[i].more);
    assert_true(rc == 0 || rc == HC_ENOMEM);
    close_file(&s);
  }
  assert_int_equal(rc, 0);
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_visit),         cmocka_unit_test(test_every_byte),
      cmocka_unit_test(test_messages),      cmocka_unit_test(test_blocks_moved),
      cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_rows_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
