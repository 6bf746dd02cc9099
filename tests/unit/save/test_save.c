/* test_save.c -- a run on disk: what is written a second time, and what a save refuses. That a run which goes
 * on comes to the result of a run in one piece is net/saves, over two hundred kinds of runs; kills and full
 * disks are save/killed and save/full. */
#include "unit/engine/engine_test.h"

#include <sys/stat.h>

#include "output/store.h"

static const job jobs[] = {J(1, 0, 100, 2, 100),  J(2, 10, 100, 2, 100), J(3, 20, 50, 4, 60),
                           J(4, 30, 20, 1, 30),   J(5, 40, 10, 1, 10),   J(6, 400, 100, 4, 100),
                           J(7, 410, 100, 1, 90), J(8, 420, 30, 3, 30)};

static void digest_of(hc_store *s, char out[33])
{
  hc_result *r;
  assert_int_equal(hc_result_of_store(s, &r, NULL), 0);
  assert_int_equal(hc_result_digest(r, out, NULL), 0);
  hc_result_free(r);
}

static void to_end(hc_run *run)
{
  while (hc_run_advance(run, HC_NEVER, 0, NULL) == 1) {
  }
  assert_int_equal(hc_run_finish(run, NULL), 0);
}

static void begin_run(bench *b)
{
  *b = (bench){0};
  write_jobs(b->path, 4, jobs, COUNT(jobs));
  check(b, configure(b, hc_default_allocator(), "policy: easy\n", NULL));
  check(b, hc_store_new(b->allocator, NULL, &b->store, &b->error));
  check(b, hc_run_new(b->allocator, b->config, b->store, &b->run, &b->error));
}

static void end_run(bench *b)
{
  hc_run_free(b->run);
  hc_store_free(b->store);
  hc_config_free(b->config);
  hc_registry_free(b->registry);
  (void)unlink(b->path);
}

static void name_file(char path[64])
{
  write_log(path, "", 0); /* empty: it may be replaced */
}

static int64_t size_of(const char *path)
{
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  return st.st_size;
}

/* Rows are taken once each, however small the pieces, and come to the same in another store. */
static void test_rows_in_pieces(void **state)
{
  uint64_t taken[HC_TABLE_COUNT] = {0};
  hc_task_record t = {.id = 1, .limit = HC_UNKNOWN};
  hc_store *from, *to;
  hc_buffer piece;
  char a[33], b[33];
  size_t pieces = 0;
  (void)state;
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &from, NULL), 0);
  assert_int_equal(hc_store_new(hc_default_allocator(), NULL, &to, NULL), 0);
  hc_buffer_init(&piece, hc_default_allocator());
  for (t.serial = 0; t.serial < 1000; t.serial++) {
    const hc_range range = {(uint32_t)t.serial, 3};
    assert_int_equal(hc_store_tasks(from, &t, 1, NULL), 0);
    assert_int_equal(hc_store_placement(from, t.serial, &range, 1, NULL), 0);
    if (t.serial % 300 != 0) continue;
    do {
      piece.size = 0;
      assert_int_equal(hc_store_rows_take(from, taken, 4096, &piece, NULL), 0);
      assert_int_equal(hc_store_rows_add(to, piece.data, piece.size, NULL), 0);
      assert_true(piece.size < 4096 + sizeof t + 64); /* one row more than `most`, and heads */
      pieces++;
    } while (piece.size > 0);
  }
  assert_int_equal(taken[HC_TABLE_tasks], 901);
  assert_int_equal(taken[HC_TABLE_placements], 901);
  assert_true(pieces > 901 * sizeof t / 4096);
  taken[HC_TABLE_tasks] = taken[HC_TABLE_placements] = 901;
  piece.size = 0;
  assert_int_equal(hc_store_rows_take(from, taken, SIZE_MAX, &piece, NULL), 0);
  assert_int_equal(hc_store_rows_add(to, piece.data, piece.size, NULL), 0);
  digest_of(from, a);
  digest_of(to, b);
  assert_string_equal(a, b);
  assert_int_equal(hc_store_rows_add(to, piece.data, piece.size - 1, NULL), HC_EINPUT);
  hc_buffer_fini(&piece);
  hc_store_free(from);
  hc_store_free(to);
}

/* Saved at t = 0, after 100 s and at the end; each can be carried on, and another program's cannot. */
static void test_saved_and_resumed(void **state)
{
  static const hc_time times[] = {0, 100 * HC_SECOND, 450 * HC_SECOND, 100000 * HC_SECOND};
  char whole[33], again[33];
  bench b;
  (void)state;
  begin_run(&b);
  to_end(b.run);
  digest_of(b.store, whole);
  end_run(&b);
  for (size_t i = 0; i < COUNT(times); i++) {
    hc_save_options o = {.program = "one", .every = 7, .output = "there.db"};
    char path[64];
    hc_saved *saved;
    hc_save *save;
    hc_config *config;
    begin_run(&b);
    name_file(path);
    o.path = path;
    check(&b, hc_save_new(b.allocator, b.run, b.config, b.store, &o, &save, &b.error));
    for (size_t k = 0; k <= i; k++) {
      assert_true(hc_run_advance(b.run, times[k], 0, &b.error) >= 0);
      check(&b, hc_save_now(save, times[k], &b.error));
    }
    hc_save_free(save);
    assert_int_equal(hc_saved_open(b.allocator, path, "two", &saved, &b.error), HC_EVERSION);
    assert_non_null(strstr(b.error.text, "written by one, and this is two"));
    b.error = (hc_error){0};
    check(&b, hc_saved_open(b.allocator, path, "one", &saved, &b.error));
    assert_int_equal(hc_saved_told(saved)->at, times[i]);
    assert_int_equal(hc_saved_told(saved)->every, 7);
    assert_string_equal(hc_saved_told(saved)->output, "there.db");
    check(&b, hc_saved_config(saved, b.registry, &config, &b.error));
    hc_run_free(b.run);
    hc_store_free(b.store);
    check(&b, hc_store_new(b.allocator, NULL, &b.store, &b.error));
    check(&b, hc_saved_restore(saved, config, b.store, &b.run, &b.error));
    hc_saved_free(saved);
    to_end(b.run);
    digest_of(b.store, again);
    assert_string_equal(whole, again);
    hc_run_free(b.run);
    b.run = NULL;
    hc_config_free(config);
    (void)unlink(path);
    end_run(&b);
  }
}

/* A save of the same state costs no rows: the file does not grow. Another run's save in it is an error. */
static void test_file_is_its_own(void **state)
{
  char path[64];
  hc_save_options o = {.program = "one"};
  hc_save *save, *other;
  bench b;
  (void)state;
  begin_run(&b);
  name_file(path);
  o.path = path;
  check(&b, hc_save_new(b.allocator, b.run, b.config, b.store, &o, &save, &b.error));
  check(&b, hc_save_new(b.allocator, b.run, b.config, b.store, &o, &other, &b.error));
  assert_true(hc_run_advance(b.run, 100 * HC_SECOND, 0, &b.error) >= 0);
  check(&b, hc_save_now(save, 100 * HC_SECOND, &b.error));
  const int64_t size = size_of(path);
  for (int i = 0; i < 5; i++) check(&b, hc_save_now(save, 100 * HC_SECOND, &b.error));
  assert_true(size_of(path) <= size + 2 * 32768);
  assert_true(hc_run_advance(b.run, 420 * HC_SECOND, 0, &b.error) >= 0);
  check(&b,
        hc_save_now(other, 420 * HC_SECOND, &b.error)); /* which has not saved yet: it begins the file anew */
  assert_int_equal(hc_save_now(save, 420 * HC_SECOND, &b.error), HC_EIO);
  assert_non_null(strstr(b.error.text, "another run saves to it"));
  hc_save_free(save);
  hc_save_free(other);
  (void)unlink(path);
  end_run(&b);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_in_pieces),
                                            cmocka_unit_test(test_saved_and_resumed),
                                            cmocka_unit_test(test_file_is_its_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
