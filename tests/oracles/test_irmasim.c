/* test_irmasim.c -- IRMaSim against the world `irmasim`: what the original writes, for its own examples and
 * for cases of ours, and the speed-ups of its models. tests/oracles/irmasim/README.md says what files are.
 *
 * Under modelV1 every byte of every log is compared. modelV2 has exp() in it, which may differ from the
 * original's in the last bit: there texts are to be equal and numbers within 1e-9 of their size. */
#include "unit/omega/world_test.h"

#include "base/table.h"
#include "base/util.h"
#include "irmasim/irmasim.h"

#define FOLDER HC_TEST_SOURCE_DIR "/tests/oracles/irmasim/"

/* ---- a log of ours and one of the original ---- */

static hc_rc gather(void *ctx, const char *const *v)
{
  hc_buffer *const *logs = ctx;
  if (strcmp(v[0], (const char *)logs[1]) == 0) hc_buffer_text(logs[0], v[1]);
  return 0;
}

/* What is at a path, packed or not. @return whether there is anything */
static bool read_file(const char *path, hc_buffer *out)
{
  char packed[600];
  hc_error e = {0};
  (void)snprintf(packed, sizeof packed, "%s.zst", path);
  if (hc_file_text(hc_default_allocator(), path, 1 << 24, out, &e) >= 0) return true;
  return hc_file_text(hc_default_allocator(), packed, 1 << 24, out, &e) >= 0;
}

static size_t field(const char *s, size_t left)
{
  size_t n = 0;
  while (n < left && !strchr(",\n: ", s[n])) n++;
  return n;
}

/* Field by field. */
static void compare_near(const char *path, const hc_buffer *ours, const hc_buffer *theirs)
{
  size_t i = 0, k = 0;
  while (i < ours->size && k < theirs->size) {
    const size_t n = field(ours->data + i, ours->size - i), m = field(theirs->data + k, theirs->size - k);
    double a, b;
    const bool equal = n == m && memcmp(ours->data + i, theirs->data + k, n) == 0;
    if (!equal && (hc_parse_real(ours->data + i, n, &a) < 0 || hc_parse_real(theirs->data + k, m, &b) < 0 ||
                   !(a - b <= 1e-9 * b && b - a <= 1e-9 * b)))
      fail_msg("%s: got %.*s, want %.*s", path, (int)n, ours->data + i, (int)m, theirs->data + k);
    i += n;
    k += m;
    if (i < ours->size && k < theirs->size && ours->data[i++] != theirs->data[k++])
      fail_msg("%s: other fields", path);
  }
  assert_int_equal(ours->size - i, theirs->size - k);
}

static void compare(const char *path, const hc_buffer *ours, const hc_buffer *theirs, bool exactly)
{
  size_t line = 1, from = 0;
  if (!exactly) {
    compare_near(path, ours, theirs);
    return;
  }
  for (size_t i = 0; i < ours->size && i < theirs->size; i++) {
    if (ours->data[i] != theirs->data[i])
      fail_msg("%s:%zu: got %.300s, want %.300s", path, line, ours->data + from, theirs->data + from);
    if (ours->data[i] != '\n') continue;
    line++;
    from = i + 1;
  }
  if (ours->size != theirs->size) fail_msg("%s: %zu bytes, want %zu", path, ours->size, theirs->size);
}

/* @return whether the original has that log */
static bool compare_log(const world *w, const char *log, const char *folder, const char *file, bool exactly)
{
  hc_buffer ours, theirs;
  char path[512];
  hc_error e = {0};
  hc_buffer_init(&ours, hc_default_allocator());
  hc_buffer_init(&theirs, hc_default_allocator());
  void *ctx[] = {&ours, (void *)(uintptr_t)log};
  (void)snprintf(path, sizeof path, FOLDER "%s/%s", folder, file);
  const bool any = read_file(path, &theirs);
  if (any) {
    check(hc_result_rows(w->result, "logs", 2, gather, ctx, &e), &e);
    compare(path, &ours, &theirs, exactly);
  }
  hc_buffer_fini(&ours);
  hc_buffer_fini(&theirs);
  return any;
}

static void compare_run(const char *options, const char *more, const char *folder, bool exactly)
{
  char text[1024];
  (void)snprintf(text, sizeof text, "world: {use: irmasim, options: \"" FOLDER "%s\"%s}", options, more);
  world w = run(text);
  assert_true(compare_log(&w, "jobs", folder, "jobs.log", exactly));
  assert_true(compare_log(&w, "simulation", folder, "simulation.log", exactly));
  assert_true(compare_log(&w, "summary", folder, "summary.txt", exactly));
  (void)compare_log(&w, "resources", folder, "resources.log", exactly);
  done(&w);
}

/* ---- its own examples ---- */

#define CAL "examples/cal/job_4_cal_str_19314_log2_"

static void test_examples(void **state)
{
  static const struct {
    const char *name, *options, *more;
  } cases[] = {
      {"dual_core", "examples/dual_core/options.json", ""},
      {"util", "examples/metrics/util/options.json", ""},
      {"backfill_pack", "examples/backfill/options.json", ""},
      {"energy_heuristic", "examples/energy/options_heuristic.json", ""},
      {"cal_v1", CAL "v1/options.json", ""},
      {"cal_ejemplo_2", CAL "v1/ejemplo_2/options.json", ""},
      {"heur_job_first", "examples/heuristic/job/options.json", ", job_selection: first"},
      {"heur_job_low_mem", "examples/heuristic/job/options.json", ", job_selection: low_mem"},
      {"heur_job_shortest", "examples/heuristic/job/options.json", ", job_selection: shortest"},
      {"heur_job_smallest", "examples/heuristic/job/options.json", ", job_selection: smallest"},
      {"heur_res_first", "examples/heuristic/resource/options.json", ", resource_selection: first"},
      {"heur_res_high_gflops", "examples/heuristic/resource/options.json",
       ", resource_selection: high_gflops"},
      {"heur_res_high_mem_bw", "examples/heuristic/resource/options.json",
       ", resource_selection: high_mem_bw"},
      {"heur_res_low_power", "examples/heuristic/resource/options.json", ", resource_selection: low_power"}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char folder[80];
    (void)snprintf(folder, sizeof folder, "expected/%s", cases[i].name);
    compare_run(cases[i].options, cases[i].more, folder, true);
  }
  compare_run(CAL "v2/options.json", "", "expected/cal_v2", false);
}

/* ---- cases of ours ---- */

static void test_made(void **state)
{
  static const struct {
    const char *name;
    int count;
    bool exactly;
  } managers[] = {{"minimal", 2, true},  {"heuristic", 6, true}, {"energyheuristic", 4, true},
                  {"backfill", 8, true}, {"duplex", 4, true},    {"nodewm", 3, false}};
  (void)state;
  for (size_t i = 0; i < HC_ARRAY_LEN(managers); i++) {
    for (int k = 1; k <= managers[i].count; k++) {
      char options[80], folder[60];
      (void)snprintf(folder, sizeof folder, "made/%s_%d", managers[i].name, k);
      (void)snprintf(options, sizeof options, "%s/options.json", folder);
      compare_run(options, "", folder, managers[i].exactly);
    }
  }
}

/* ---- speed-ups ---- */

static size_t open_csv(hc_table *t, const char *name)
{
  char path[512];
  hc_error e = {0};
  (void)snprintf(path, sizeof path, FOLDER "%s", name);
  check(hc_table_open(t, hc_default_allocator(), path, &e), &e);
  assert_int_equal(hc_table_next(t, &e), 1);
  return t->count;
}

static double at(const hc_table *t, size_t column)
{
  double x = 0;
  assert_true(hc_table_real(t, column, &x));
  return x;
}

/* Rounded to nine decimals there: the same double. */
static void test_speedups_v1(void **state)
{
  hc_table t;
  hc_error e = {0};
  size_t rows = 0, slowed = 0;
  (void)state;
  assert_int_equal(open_csv(&t, "speedups_v1.csv"), 10);
  for (; hc_table_next(&t, &e) == 1; rows++) {
    double k[6];
    for (size_t i = 0; i < 6; i++) k[i] = at(&t, 1 + i);
    const double got = hc_irm_model_v1.speedup(k, at(&t, 7), at(&t, 8), at(&t, 9)), want = at(&t, 10);
    if (got != want) fail_msg("row %zu: %.17g, want %.17g", rows + 1, got, want);
    slowed += want < 1;
  }
  assert_int_equal(rows, 1290);
  assert_int_equal(slowed, 826); /* the rest are of processors whose memory is not used up */
  hc_table_close(&t);
}

static void test_speedups_v2(void **state)
{
  hc_table t;
  hc_error e = {0};
  size_t rows = 0;
  (void)state;
  assert_int_equal(open_csv(&t, "speedups_v2.csv"), 22);
  for (; hc_table_next(&t, &e) == 1; rows++) {
    double k[24] = {0}; /* those of power have no part in it */
    for (size_t i = 0; i < 18; i++) k[i] = at(&t, 1 + i);
    const double got = hc_irm_model_v2.speedup(k, at(&t, 19), at(&t, 20), at(&t, 21)), want = at(&t, 22);
    if (!(got - want < 5e-10 && want - got < 5e-10))
      fail_msg("row %zu: %.17g, want %.17g", rows + 1, got, want);
  }
  assert_int_equal(rows, 432);
  hc_table_close(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_made),
                                     cmocka_unit_test(test_speedups_v1), cmocka_unit_test(test_speedups_v2)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
