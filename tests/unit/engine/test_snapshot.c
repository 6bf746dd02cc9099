/* test_snapshot.c -- a snapshot is taken as it was made, or not at all: damaged, cut off, of another
 * configuration or of another build, it is refused with a reason, and no run comes of it. */
#include "engine_test.h"

#include "base/math.h"

static const job jobs[] = {J(1, 0, 8, 2, 10),  J(2, 1, 10, 3, 10), J(3, 2, 20, 1, 20), J(4, 3, 6, 1, 6),
                           J(5, 4, 5, 2, 5),   J(6, 5, 9, 4, 4),   J(7, 6, 3, 3, 3),   J(8, 7, 30, 1, 30),
                           J(9, 30, 5, 4, 10), J(10, 31, 5, 2, 5), J(11, 32, 5, 1, 9), J(12, 33, 5, 2, 5)};

#define YAML \
  "policy: {select: conservative, place: random}\ncell: {use: auto, granularity: intervals}\n" \
  "metrics: [wait, utilisation, queue]\n"

/* A bench in the middle of its run, and its snapshot. */
static hc_snapshot cut(bench *b)
{
  hc_snapshot s;
  begin(b, YAML, 4, jobs, COUNT(jobs), NULL);
  assert_int_equal(hc_run_advance(b->run, HC_NEVER, 8, &b->error), 1);
  check(b, hc_run_snapshot(b->run, &s, &b->error));
  return s;
}

/* @return what restoring says; a run that comes of it is carried to its end, to see that it can be. */
static hc_rc restore(const bench *b, hc_config *config, const hc_snapshot *s, hc_error *e)
{
  hc_store *store;
  hc_run *run = NULL;
  hc_rc rc;
  assert_int_equal(hc_store_new(b->allocator, NULL, &store, e), 0);
  rc = hc_run_restore(b->allocator, config, store, s, &run, e);
  if (rc >= 0) {
    assert_int_equal(hc_run_advance(run, HC_NEVER, 0, e), 0);
    assert_int_equal(hc_run_finish(run, e), 0);
    hc_run_free(run);
  } else {
    assert_null(run);
    assert_int_equal(e->rc, rc);
    assert_string_equal(e->where, "snapshot");
  }
  hc_store_free(store);
  return rc;
}

static void test_whole(void **state)
{
  hc_error e = {0};
  hc_snapshot s;
  bench b;
  (void)state;
  s = cut(&b);
  assert_int_equal(restore(&b, b.config, &s, &e), 0);
  assert_int_equal(restore(&b, b.config, &s, &e), 0); /* as often as you like */
  hc_snapshot_free(b.allocator, &s);
  end(&b);
}

/* One bit of any byte changes the checksum of what follows it, the configuration's, or the magic word. */
static void test_damaged(void **state)
{
  hc_draws d = {.seed = 1, .purpose = HC_PURPOSE_TEST};
  hc_snapshot s;
  bench b;
  (void)state;
  s = cut(&b);
  for (int i = 0; i < 200; i++) {
    unsigned char *bytes = s.data;
    size_t at =
        i < 48 ? (size_t)i : (size_t)hc_random_below(&d, s.size); /* all of the header; then anywhere */
    unsigned char bit = (unsigned char)(1u << hc_random_below(&d, 8));
    hc_error e = {0};
    hc_rc rc;
    bytes[at] ^= bit;
    rc = restore(&b, b.config, &s, &e);
    if (rc != HC_EINPUT && rc != HC_EVERSION) fail_msg("byte %zu, bit %u: %s", at, bit, hc_rc_name(rc));
    bytes[at] ^= bit;
  }
  hc_snapshot_free(b.allocator, &s);
  end(&b);
}

/* The block is copied to its very size, so that reading past it would be seen. */
static void test_cut_off(void **state)
{
  hc_snapshot s;
  bench b;
  (void)state;
  s = cut(&b);
  for (size_t size = 0; size < s.size; size += 1 + size / 9) {
    hc_snapshot part = {malloc(size ? size : 1), size};
    hc_error e = {0};
    assert_non_null(part.data);
    memcpy(part.data, s.data, size);
    assert_true(restore(&b, b.config, &part, &e) < 0);
    free(part.data);
  }
  hc_snapshot_free(b.allocator, &s);
  end(&b);
}

static hc_config *same_but(const bench *b, const char *assignment)
{
  hc_error e = {0};
  hc_buffer text;
  hc_config *c;
  hc_buffer_init(&text, b->allocator);
  full_yaml(&text, YAML, b->path);
  assert_int_equal(hc_config_new(b->allocator, b->registry, &c, &e), 0);
  assert_int_equal(hc_config_text(c, text.data, text.size, "test", &e), 0);
  assert_int_equal(hc_config_set(c, assignment, &e), 0);
  hc_buffer_fini(&text);
  return c;
}

/* What changes the run is refused; what the result is called is not. */
static void test_other_configuration(void **state)
{
  static const struct {
    const char *assignment;
    hc_rc rc;
  } cases[] = {
      {"seed=2", HC_EVERSION},         {"policy.select=easy", HC_EVERSION}, {"cell.procs=5", HC_EVERSION},
      {"metrics=[wait]", HC_EVERSION}, {"event_queue=radix", HC_EVERSION},  {"name=another", 0},
      {"output=elsewhere.db", 0}};
  hc_snapshot s;
  bench b;
  (void)state;
  s = cut(&b);
  for (size_t i = 0; i < COUNT(cases); i++) {
    hc_config *c = same_but(&b, cases[i].assignment);
    hc_error e = {0};
    hc_rc rc = restore(&b, c, &s, &e);
    if (rc != cases[i].rc) fail_msg("%s: %s %s", cases[i].assignment, hc_rc_name(rc), e.text);
    if (rc < 0) assert_non_null(strstr(e.text, "another configuration"));
    hc_config_free(c);
  }
  hc_snapshot_free(b.allocator, &s);
  end(&b);
}

/* A snapshot holds the rows stored so far: without a store they would be lost in silence. */
static void test_store_and_none(void **state)
{
  hc_error e = {0};
  hc_snapshot s;
  hc_run *run = NULL;
  bench b;
  (void)state;
  s = cut(&b);
  assert_int_equal(hc_run_restore(b.allocator, b.config, NULL, &s, &run, &e), HC_EINPUT);
  assert_null(run);
  hc_snapshot_free(b.allocator, &s);
  end(&b);
}

/* Nothing is lost or added at either end of a run. */
static void test_first_and_last(void **state)
{
  bench b;
  (void)state;
  for (int done = 0; done < 2; done++) {
    hc_error e = {0};
    hc_snapshot s;
    begin(&b, YAML, 4, jobs, COUNT(jobs), NULL);
    if (done) assert_int_equal(hc_run_advance(b.run, HC_NEVER, 0, &b.error), 0);
    check(&b, hc_run_snapshot(b.run, &s, &b.error));
    assert_int_equal(restore(&b, b.config, &s, &e), 0);
    hc_snapshot_free(b.allocator, &s);
    end(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole),          cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_cut_off),        cmocka_unit_test(test_other_configuration),
      cmocka_unit_test(test_store_and_none), cmocka_unit_test(test_first_and_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
