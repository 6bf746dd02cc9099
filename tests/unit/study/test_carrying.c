/* test_carrying.c -- what carrying a study out is made of: the journal and its torn end, the allocator that
 * runs share, workloads that are played again. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "cluster/lexicon.h"
#include "hindcast/hindcast.h"
#include "setup/config.h"
#include "study/journal.h"
#include "study/recycle.h"
#include "workload/tape.h"

static const hc_allocator *heap(void)
{
  return hc_default_allocator();
}

/* ---- the journal ---- */

typedef struct seen {
  size_t heads, sets, points;
  uint64_t last, offset;
  double value;
} seen;

static hc_rc see_head(void *ctx, const hc_record *r, hc_error *e)
{
  HC_UNUSED(e);
  assert_memory_equal(r->text, "the study", 9);
  ((seen *)ctx)->heads++;
  return 0;
}
static hc_rc see_set(void *ctx, const hc_record *r, hc_error *e)
{
  HC_UNUSED(e);
  assert_int_equal(r->head.text_size, 12);
  ((seen *)ctx)->sets++;
  return 0;
}
static hc_rc see_point(void *ctx, const hc_record *r, uint64_t offset, hc_error *e)
{
  seen *s = ctx;
  HC_UNUSED(e);
  s->points++;
  s->last = r->head.point;
  s->offset = offset;
  s->value = r->head.count > 0 ? r->values[r->head.count - 1] : -1;
  return 0;
}

static seen look(hc_journal *j)
{
  seen s = {0};
  const hc_journal_visit v = {&s, see_head, see_set, see_point};
  hc_error e = {0};
  if (hc_journal_each(j, &v, &e) < 0) fail_msg("%s", e.text);
  return s;
}

static void write_three(hc_buffer *b)
{
  const double values[] = {1.5, 2.5};
  hc_record_write(b, (hc_record_head){.kind = HC_RECORD_HEAD, .point = 9}, NULL, "the study", 9);
  hc_record_write(b, (hc_record_head){.kind = HC_RECORD_SET, .set = 7, .count = 2}, NULL, "wait|s\ny|s\n\n",
                  12);
  hc_record_write(
      b, (hc_record_head){.kind = HC_RECORD_POINT, .point = 3, .state = HC_POINT_DONE, .set = 7, .count = 2},
      values, NULL, 0);
  hc_record_write(b, (hc_record_head){.kind = HC_RECORD_POINT, .point = 4, .state = HC_POINT_FAILED}, NULL,
                  "why", 3);
}

/* Cut at every byte: what is whole is read, what is not is gone, and a record that is appended then is read
 * too. */
static void a_torn_end_is_forgotten(void **state)
{
  char path[] = "/tmp/hc-journal-XXXXXX";
  const int fd = mkstemp(path);
  hc_buffer b;
  HC_UNUSED(state);
  assert_true(fd >= 0);
  hc_buffer_init(&b, heap());
  write_three(&b);
  for (size_t cut = 0; cut <= b.size; cut++) {
    hc_journal *j = NULL;
    hc_error e = {0};
    hc_buffer more;
    seen s;
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, b.data, cut, 0), (ssize_t)cut);
    assert_int_equal(hc_journal_open(heap(), path, false, &j, &e), 0);
    s = look(j);
    assert_true(s.points <= 2 && (cut == b.size) == (s.points == 2));
    assert_true(hc_journal_size(j) <= cut);
    hc_buffer_init(&more, heap());
    if (s.heads == 0) hc_record_write(&more, (hc_record_head){.kind = HC_RECORD_HEAD}, NULL, "the study", 9);
    hc_record_write(&more, (hc_record_head){.kind = HC_RECORD_POINT, .point = 99}, NULL, NULL, 0);
    assert_int_equal(hc_journal_append(j, more.data, more.size, &e), 0);
    assert_int_equal(look(j).points, s.points + 1);
    assert_int_equal(look(j).last, 99);
    hc_buffer_fini(&more);
    hc_journal_close(j);
  }
  hc_buffer_fini(&b);
  (void)close(fd);
  (void)unlink(path);
}

/* Any byte that is changed in the last record loses that record, and no other. */
static void damage_is_seen(void **state)
{
  char path[] = "/tmp/hc-journal-XXXXXX";
  const int fd = mkstemp(path);
  hc_buffer b;
  hc_journal *j = NULL;
  hc_error e = {0};
  hc_record r;
  HC_UNUSED(state);
  hc_buffer_init(&b, heap());
  write_three(&b);
  assert_int_equal(pwrite(fd, b.data, b.size, 0), (ssize_t)b.size);
  assert_int_equal(hc_journal_read(heap(), path, &j, &e), 0);
  seen s = look(j);
  assert_int_equal(s.sets, 1);
  assert_int_equal(hc_journal_at(j, s.offset, &r, &e), 0);
  assert_memory_equal(r.text, "why", 3);
  for (size_t at = s.offset; at < b.size; at++) {
    const char other = (char)(b.data[at] ^ 0x10);
    assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
    if (at - s.offset < 36 || at - s.offset >= 40) /* the version says so itself */
      assert_int_equal(look(j).points, 1);
    assert_int_equal(pwrite(fd, &b.data[at], 1, (off_t)at), 1);
  }
  hc_journal_close(j);
  hc_buffer_fini(&b);
  (void)close(fd);
  (void)unlink(path);
}

static void another_file_is_no_journal(void **state)
{
  char path[] = "/tmp/hc-journal-XXXXXX";
  const int fd = mkstemp(path);
  hc_journal *j = NULL;
  hc_error e = {0};
  seen s = {0};
  const hc_journal_visit v = {&s, see_head, see_set, see_point};
  HC_UNUSED(state);
  assert_int_equal(pwrite(fd, "SQLite format 3", 15, 0), 15);
  assert_int_equal(hc_journal_open(heap(), path, false, &j, &e), 0);
  assert_int_equal(hc_journal_each(j, &v, &e), HC_EINPUT);
  assert_non_null(strstr(e.text, "no journal"));
  assert_int_equal(lseek(fd, 0, SEEK_END), 15); /* it is not ours to cut */
  hc_journal_close(j);
  (void)close(fd);
  (void)unlink(path);
}

/* ---- the allocator ---- */

typedef struct counted {
  int64_t held;
  uint64_t calls;
} counted;

static void *counted_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  counted *c = ctx;
  c->held += (int64_t)new_size - (int64_t)old_size;
  c->calls++;
  return heap()->resize(heap()->ctx, p, old_size, new_size);
}

/* Blocks of every size keep what is written to them, come back without the system being asked, and are all
 * given back in the sizes in which they were taken. */
static void memory_is_used_again(void **state)
{
  counted c = {0};
  const hc_allocator below = {&c, counted_resize, NULL};
  hc_recycler *r = hc_recycler_new(&below, (size_t)1 << 20);
  const hc_allocator *a = hc_recycler_allocator(r);
  uint64_t calls;
  HC_UNUSED(state);
  for (int round = 0; round < 3; round++) {
    calls = c.calls;
    for (size_t n = 1; n < 5000; n += 7) {
      char *p = hc_alloc(a, n);
      memset(p, 1, n);
      p = a->resize(a->ctx, p, n, 3 * n);
      for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 1);
      memset(p, 2, 3 * n);
      p = a->resize(a->ctx, p, 3 * n, n / 2 + 1);
      assert_int_equal(p[n / 2], 2);
      hc_free(a, p, n / 2 + 1);
    }
    if (round > 0) assert_int_equal(c.calls, calls);
  }
  hc_recycler_free(r);
  assert_int_equal(c.held, 0);
}

/* ---- tapes ---- */

static hc_config *config_of(hc_registry *r, const char *yaml)
{
  hc_config *c = NULL;
  hc_error e = {0};
  assert_int_equal(hc_config_new(heap(), r, &c, &e), 0);
  assert_int_equal(hc_config_text(c, yaml, strlen(yaml), "test", &e), 0);
  if (hc_config_resolve(c, &e) < 0) fail_msg("%s", e.text);
  return c;
}

static hc_tape *record_needed(const hc_config *c, size_t limit, const hc_tape_need *need, hc_rc expected)
{
  const hc_run_options *o = hc_config_options(c);
  const hc_source_context context = {.allocator = heap(), .seed = (uint64_t)o->seed};
  hc_tape *t = NULL;
  hc_error e = {0};
  assert_int_equal(hc_tape_record(&context, o->source.items, o->source.count, limit, need, &t, &e), expected);
  if (expected) assert_non_null(strstr(e.text, "MiB in which they are held"));
  return t;
}

static hc_tape *record(const hc_config *c, size_t limit, hc_rc expected)
{
  return record_needed(c, limit, &(hc_tape_need){.until = HC_UNKNOWN}, expected);
}

/* Task by task what the source yields: data-centre jobs with rare facts, so that names and handles count. */
static void a_tape_plays_what_was_recorded(void **state)
{
  hc_registry *r = NULL;
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(hc_registry_new(heap(), &r), 0);
  hc_config *c = config_of(
      r, "source: {use: alibaba_like, tasks: 100000, shape: jobs}\ncell: {use: hosts, classes: [{count: 10, "
         "cpus: 96}]}\n");
  const hc_run_options *o = hc_config_options(c);
  hc_tape *t = record(c, (size_t)1 << 28, 0);
  size_t count;
  const hc_chosen *sources = hc_tape_sources(t, &count);
  assert_int_equal(count, 1);
  const hc_chosen *pair[2] = {o->source.items, sources};
  hc_source *s[2];
  hc_lexicon *l[2];
  hc_source_context context[2];
  uint64_t rows = 0;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(hc_lexicon_new(heap(), &l[i]), 0);
    context[i] = (hc_source_context){.allocator = heap(), .seed = (uint64_t)o->seed, .lexicon = l[i]};
    assert_int_equal(((const hc_reader_type *)pair[i]->type)->open(&context[i], pair[i]->options, &s[i], &e),
                     0);
  }
  for (;;) {
    hc_job job[2];
    const hc_rc rc = ((const hc_reader_type *)pair[0]->type)->next(s[0], &job[0], &e);
    assert_int_equal(((const hc_reader_type *)pair[1]->type)->next(s[1], &job[1], &e), rc);
    if (rc == 0) break;
    assert_int_equal(job[0].task_count, job[1].task_count);
    for (uint32_t i = 0; i < job[0].task_count; i++, rows++) {
      hc_task_spec a = job[0].tasks[i], b = job[1].tasks[i];
      const hc_task_extras *x = hc_lexicon_more(l[0], a.more), *y = hc_lexicon_more(l[1], b.more);
      assert_int_equal(!x, !y);
      if (x) {
        assert_int_equal(x->after_count, y->after_count);
        assert_memory_equal(x->after, y->after, x->after_count * sizeof *x->after);
      }
      hc_lexicon_drop(l[0], a.more);
      hc_lexicon_drop(l[1], b.more);
      a.more = b.more = 0;
      assert_memory_equal(&a, &b, sizeof a);
    }
  }
  assert_true(rows > 10);
  assert_int_equal(rows, hc_tape_rows(t));
  for (int i = 0; i < 2; i++) {
    ((const hc_reader_type *)pair[i]->type)->close(s[i]);
    hc_lexicon_free(l[i]);
  }
  hc_tape_free(t);
  hc_config_free(c);
  hc_registry_free(r);
}

static void a_tape_has_a_limit(void **state)
{
  hc_registry *r = NULL;
  HC_UNUSED(state);
  assert_int_equal(hc_registry_new(heap(), &r), 0);
  hc_config *c = config_of(r, "source: {use: lublin, tasks: 1000}\n");
  assert_null(
      record(c, 1000 * sizeof(hc_task_spec), 1)); /* the rows alone; what says where jobs end is too much */
  hc_tape *t = record(c, 1000 * (sizeof(hc_task_spec) + sizeof(uint32_t)), 0);
  assert_int_equal(hc_tape_rows(t), 1000);
  assert_true(hc_tape_is_sorted(t));
  hc_tape_free(t);
  hc_config_free(c);
  hc_registry_free(r);
}

/* The first `n` rows that a tape yields. */
static void first_rows(const hc_tape *t, size_t n, hc_task_spec *out)
{
  size_t count, at = 0;
  const hc_chosen *sources = hc_tape_sources(t, &count);
  const hc_reader_type *player = (const hc_reader_type *)sources[0].type;
  hc_source_context context = {.allocator = heap()};
  hc_source *s;
  hc_error e = {0};
  hc_job job;
  assert_int_equal(hc_lexicon_new(heap(), &context.lexicon), 0);
  assert_int_equal(player->open(&context, sources[0].options, &s, &e), 0);
  while (at < n && player->next(s, &job, &e) == 1)
    for (uint32_t i = 0; i < job.task_count && at < n; i++) out[at++] = job.tasks[i];
  assert_int_equal(at, n);
  player->close(s);
  hc_lexicon_free(context.lexicon);
}

/* What a run looks at no further than the first 300 rows needs no room for the rest, shaken or not: by a
 * minute's shaking rows change places within two minutes, so that these are the first 300 of the whole,
 * shaken. */
static void a_tape_may_end_behind_what_is_needed(void **state)
{
  enum { NEEDED = 300, ROWS = 1000 };
  const size_t of_row = sizeof(hc_task_spec) + sizeof(uint32_t);
  const hc_tape_need need = {.rows = NEEDED, .until = HC_UNKNOWN, .moved = 60 * HC_SECOND};
  hc_task_spec *whole = hc_alloc(heap(), NEEDED * sizeof *whole),
               *cut = hc_alloc(heap(), NEEDED * sizeof *cut);
  hc_registry *r = NULL;
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(hc_registry_new(heap(), &r), 0);
  hc_config *c = config_of(r, "source: {use: lublin, tasks: 1000}\n");
  hc_tape *a = record(c, ROWS * of_row, 0), *b = record_needed(c, 400 * of_row, &need, 0);
  assert_int_equal(hc_tape_rows(b), 400);
  assert_true(hc_tape_serves(b, &need));
  assert_false(hc_tape_serves(b, &(hc_tape_need){.until = HC_UNKNOWN}));
  assert_true(hc_tape_serves(a, &(hc_tape_need){.until = HC_UNKNOWN}));
  assert_int_equal(hc_tape_shake(a, 1, 1, 1, need.moved, 0.1, &e), 0);
  assert_int_equal(hc_tape_shake(b, 1, 1, 1, need.moved, 0.1, &e), 0);
  first_rows(a, NEEDED, whole);
  first_rows(b, NEEDED, cut);
  assert_memory_equal(whole, cut, NEEDED * sizeof *whole);
  assert_null(
      record_needed(c, 300 * of_row, &need, 1)); /* no row behind the last that counts: it is not known */
  hc_tape_free(a);
  hc_tape_free(b);
  hc_free(heap(), whole, NEEDED * sizeof *whole);
  hc_free(heap(), cut, NEEDED * sizeof *cut);
  hc_config_free(c);
  hc_registry_free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tape_may_end_behind_what_is_needed),
      cmocka_unit_test(a_torn_end_is_forgotten),
      cmocka_unit_test(damage_is_seen),
      cmocka_unit_test(another_file_is_no_journal),
      cmocka_unit_test(memory_is_used_again),
      cmocka_unit_test(a_tape_plays_what_was_recorded),
      cmocka_unit_test(a_tape_has_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
