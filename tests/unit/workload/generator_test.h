/* generator_test.h -- what the tests of generators share: a source that is read row by row, what it
 * refuses, snapshots, and how far a mean or a cdf may be from what it should be.
 *
 * Streams are fixed, so that a test passes always or never. A mean may be five standard errors away; the
 * Kolmogorov-Smirnov statistic times sqrt(n) exceeds 1.9495 once in a thousand streams. */
#ifndef HC_GENERATOR_TEST_H
#define HC_GENERATOR_TEST_H

#include "base/math.h"
#include "cluster/lexicon.h"
#include "workload/spec.h"
#include "workload_test.h"

#define KS_LEVEL_001 1.9495

typedef struct generator {
  const hc_reader_type *type;
  hc_chosen chosen;
  hc_lexicon *lexicon;
  hc_source_context context;
  hc_source *source;
  hc_job job; /* at hand */
  uint32_t at;
  hc_error error;
} generator;

static inline hc_rc try_generator(generator *g, hc_chosen chosen)
{
  *g = (generator){.type = (const hc_reader_type *)chosen.type, .chosen = chosen};
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &g->lexicon), 0);
  g->context = (hc_source_context){.allocator = hc_default_allocator(), .seed = 1, .lexicon = g->lexicon};
  return g->type->open(&g->context, g->chosen.options, &g->source, &g->error);
}

static inline void open_generator(generator *g, hc_chosen chosen)
{
  if (try_generator(g, chosen) < 0) fail_msg("%s", g->error.text);
}

static inline void drop_task(hc_lexicon *l, const hc_task_spec *t)
{
  hc_task_spec gone = *t;
  hc_spec_drop(l, &gone);
}

static inline void close_generator(generator *g)
{
  if (g->source) g->type->close(g->source);
  assert_int_equal(hc_lexicon_held(g->lexicon), 0); /* what the rows held was given back */
  hc_lexicon_free(g->lexicon);
  drop(&g->chosen);
}

/* The next row; NULL at the end. What the one before held is given back. */
static inline const hc_task_spec *next_row(generator *g)
{
  if (g->job.tasks && g->at > 0) drop_task(g->lexicon, &g->job.tasks[g->at - 1]);
  if (g->at == g->job.task_count) {
    const hc_rc rc = g->type->next(g->source, &g->job, &g->error);
    if (rc < 0) fail_msg("%s", g->error.text);
    assert_in_range(rc, 0, 1);
    g->at = 0;
    if (rc == 0) {
      g->job = (hc_job){0};
      return NULL;
    }
    assert_true(g->job.task_count > 0);
  }
  return &g->job.tasks[g->at++];
}

/* Opening fails, and says exactly this. */
static inline void refused(hc_chosen chosen, const char *text)
{
  generator g;
  assert_true(try_generator(&g, chosen) < 0);
  assert_string_equal(g.error.text, text);
  assert_null(g.source);
  close_generator(&g);
}

/* After `before` rows a snapshot is taken at the next call of the source; read back into another source it
 * goes on as the first does. @return bytes of the snapshot. */
static inline size_t snapshot_goes_on(hc_chosen one, hc_chosen other, int before, int after)
{
  generator a, b;
  hc_buffer saved;
  open_generator(&a, one);
  open_generator(&b, other);
  hc_buffer_init(&saved, hc_default_allocator());
  for (int i = 0; i < before || a.at < a.job.task_count; i++) assert_non_null(next_row(&a));
  hc_visitor save = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(a.type->visit(a.source, &save, &a.error), 0);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = (const uint8_t *)saved.data,
                     .left = saved.size};
  assert_int_equal(b.type->visit(b.source, &load, &b.error), 0);
  for (int i = 0; i < after; i++) {
    const hc_task_spec *s = next_row(&a), *t = next_row(&b);
    if (!s || !t) {
      assert_true(!s && !t);
      break;
    }
    hc_task_spec x = *s, y = *t;
    assert_int_equal(x.more != 0, y.more != 0);
    x.more = y.more = 0; /* handles are the lexicon's */
    assert_memory_equal(&x, &y, sizeof x);
  }
  const size_t size = saved.size;
  for (generator *g = &a; g; g = g == &a ? &b : NULL) /* give back the rest of the block */
    while (g->at < g->job.task_count) (void)next_row(g);
  (void)next_row(&a);
  (void)next_row(&b);
  for (generator *g = &a; g; g = g == &a ? &b : NULL)
    while (g->at < g->job.task_count) (void)next_row(g);
  for (generator *g = &a; g; g = g == &a ? &b : NULL)
    if (g->at > 0 && g->job.tasks) drop_task(g->lexicon, &g->job.tasks[g->at - 1]);
  hc_buffer_fini(&saved);
  close_generator(&a);
  close_generator(&b);
  return size;
}

/* Bytes that are no state are refused. */
static inline void damaged_state_is_refused(hc_chosen chosen, size_t size)
{
  generator g;
  uint8_t bytes[256];
  assert_true(size <= sizeof bytes);
  memset(bytes, 0x81, sizeof bytes); /* negative, and large */
  open_generator(&g, chosen);
  hc_visitor load = {.calls = &hc_state_calls,
                     .mode = HC_VISIT_LOAD,
                     .allocator = hc_default_allocator(),
                     .in = bytes,
                     .left = size};
  assert_int_equal(g.type->visit(g.source, &load, &g.error), HC_EINPUT);
  assert_string_equal(g.error.text, "the saved state is damaged: make it again");
  load.left = size / 2;
  assert_int_equal(g.type->visit(g.source, &load, &g.error), HC_EINPUT);
  close_generator(&g);
}

/* A checksum of what the first rows say, for: the same bits everywhere. */
static inline void checksum_is(hc_chosen chosen, int rows, const char *want)
{
  generator g;
  hc_hash hash;
  uint64_t words[2];
  char text[24];
  hc_hash_init(&hash);
  open_generator(&g, chosen);
  for (int i = 0; i < rows; i++) {
    const hc_task_spec *t = next_row(&g);
    assert_non_null(t);
    const int64_t facts[] = {
        t->id,      t->submit,         t->run,       t->limit,      t->procs_asked,   t->user,    t->group,
        t->queue,   t->priority,       t->job,       t->hosts,      t->need[0],       t->need[1], t->need[2],
        t->need[3], (int64_t)t->count, t->more != 0, t->not_before, (int64_t)t->flags};
    hc_hash_add(&hash, facts, sizeof facts);
  }
  while (g.at < g.job.task_count) (void)next_row(&g);
  if (g.job.tasks) drop_task(g.lexicon, &g.job.tasks[g.at - 1]);
  close_generator(&g);
  hc_hash_end(&hash, words);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)words[0]);
  assert_string_equal(text, want);
}

static inline double distance(double a, double b)
{
  return a < b ? b - a : a - b;
}

static inline void is_near(const char *what, double got, double want, double tolerance)
{
  if (!(distance(got, want) <= tolerance))
    fail_msg("%s: %.8g, where %.8g is right, tolerance %.3g", what, got, want, tolerance);
}

/* Sums for a mean and a deviation. */
typedef struct moments {
  double n, sum, square;
} moments;

static inline void add_to(moments *m, double x)
{
  m->n++;
  m->sum += x;
  m->square += x * x;
}

static inline double mean_of(const moments *m)
{
  return m->sum / m->n;
}

static inline double deviation_of(const moments *m)
{
  const double mean = mean_of(m);
  return hc_sqrt(HC_MAX(m->square / m->n - mean * mean, 0.0));
}

/* The mean is within five standard errors, of the sample's own deviation, of what it should be; `more`
 * besides. */
static inline void mean_is(const char *what, const moments *m, double want, double more)
{
  is_near(what, mean_of(m), want, 5 * deviation_of(m) / hc_sqrt(m->n) + more);
}

static inline int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
