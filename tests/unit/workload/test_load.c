/* test_load.c -- the load that the transform `load` makes, from logs and generators, by both definitions.
 *
 * Loads are computed here from what comes out, by the formulas of transform/load.c. */
#define _GNU_SOURCE
#include "nested_test.h"

READER(mixture);
READER(resample);

#define PROCS 32
#define LOAD(...) choose(&hc_transform_load.component, "processors=32", __VA_ARGS__, NULL)

typedef struct came {
  size_t n;
  hc_time submit[2000], run[2000];
  int64_t units[2000];
  double offered, polezhaev;
} came;

/* Everything that comes out of a source at a load. The source is not dropped. */
static came *run_at(hc_chosen source, hc_chosen load)
{
  came *c = test_calloc(1, sizeof *c);
  double area = 0;
  hc_arrival a;
  bench b;
  memset(&b, 0, sizeof b);
  b.context = (hc_source_context){.allocator = hc_default_allocator(), .seed = 1, .ledger = &b.ledger};
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &b.context.lexicon), 0);
  b.sources[0] = source;
  b.options = (hc_stream_options){.sources = b.sources, .source_count = 1, .transforms = b.transforms};
  add_transform(&b, load);
  if (open_bench(&b) < 0) fail_msg("%s", b.error.text);
  while (hc_stream_next(b.stream, &a, &b.error) == 1) {
    assert_true(c->n < HC_ARRAY_LEN(c->submit));
    c->submit[c->n] = a.spec.submit;
    c->run[c->n] = a.run;
    c->units[c->n++] = a.units;
    area += (double)a.run / 1e9 * (double)a.units;
  }
  if (b.error.rc != 0) fail_msg("%s", b.error.text);
  assert_true(c->n > 1 && balances(&b.ledger));
  c->offered = area / (PROCS * (double)(c->submit[c->n - 1] - c->submit[0]) / 1e9);
  c->polezhaev = area / (PROCS * (double)c->submit[c->n - 1] / 1e9);
  hc_stream_close(b.stream);
  hc_lexicon_free(b.context.lexicon);
  drop(&b.transforms[0]);
  return c;
}

/* A generator makes the same tasks for the pass that measures as for the one that counts; so does one around
 * another. */
static void every_source_can_be_brought_to_a_load(void **state)
{
  trace_file f = write_file(
      "1 100 5 500 4 -1 -1 4 900 -1 1 1 8 9 1 2 -1 -1\n2 400 5 500 9 -1 -1 9 100 -1 1 1 8 9 1 2 -1 "
      "-1\n3 1100 5 40 2 -1 -1 2 90 -1 1 1 8 9 1 2 -1 -1\n");
  hc_chosen of_resample = choose(&hc_reader_synthetic.component, "tasks=900", "procs=32", "load=0.3", NULL);
  hc_chosen sources[] = {
      choose(&hc_reader_swf.component, f.pair, NULL),
      choose(&hc_reader_synthetic.component, "tasks=1000", "procs=32", "load=0.3", NULL),
      choose(&hc_reader_lublin.component, "tasks=1000", "procs=32", NULL),
      choose(&hc_reader_mixture.component, "jobs=1000", "interval=exponential(60)", "size=uniform(1 32)",
             "run=lognormal(1h 2)", NULL),
      around(choose(&hc_reader_resample.component, "tasks=1000", NULL), of_resample),
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(sources); i++) {
    came *c = run_at(sources[i], LOAD("to=0.75", "grain=0"));
    came *p = run_at(sources[i], LOAD("to=0.75", "grain=0", "definition=polezhaev"));
    is_near("offered load", c->offered, 0.75, 1e-9);
    is_near("Polezhaev's load", p->polezhaev, 0.75, 1e-9);
    test_free(c);
    test_free(p);
    drop(&sources[i]);
  }
  drop(&of_resample);
  unlink(f.path);
}

/* One trace, ten stretchings: the same tasks; a_i of load L times L is a_i of load 1, to half a grain each
 * way and a part in 2^50 (two roundings of a double). By Polezhaev's definition for the arrivals themselves,
 * by the other for the time since the first. */
static void ten_stretchings(void **state)
{
  static const char *const grains[] = {"grain=0", "grain=1s"};
  static const double half[] = {1, 0.5e9}; /* ns; half a ns is one */
  static const char *const definitions[] = {"definition=polezhaev", "definition=offered"};
  hc_chosen source = choose(&hc_reader_synthetic.component, "tasks=1000", "procs=32", "load=0.3", NULL);
  HC_UNUSED(state);
  for (size_t k = 0; k < 4; k++) {
    came *one = run_at(source, LOAD("to=1", grains[k % 2], definitions[k / 2]));
    for (int i = 1; i <= 10; i++) {
      char to[32];
      snprintf(to, sizeof to, "to=%g", i / 10.0);
      came *c = run_at(source, LOAD(to, grains[k % 2], definitions[k / 2]));
      const hc_time from = k < 2 ? 0 : c->submit[0];
      assert_int_equal(c->n, one->n);
      assert_memory_equal(c->run, one->run, sizeof c->run);
      assert_memory_equal(c->units, one->units, sizeof c->units);
      if (k >= 2) assert_int_equal(c->submit[0], one->submit[0]);
      for (size_t j = 0; j < c->n; j++) {
        const double a = (double)(c->submit[j] - from) * (i / 10.0), b = (double)(one->submit[j] - from);
        is_near("arrival", a, b, half[k % 2] * (1 + i / 10.0) + b * 0x1p-50);
      }
      test_free(c);
    }
    test_free(one);
  }
  drop(&source);
}

/* Three tasks, by hand: work 4 x 500 + 9 x 100 (killed) + 2 x 40 = 2,980. Span 1,000 s: offered 2980 / 32000.
 * Last submission 1,100: 2980 / 35200. To double each, arrivals halve: towards 100, and towards 0. Speed 2
 * halves the load. */
static void by_hand(void **state)
{
  trace_file f = write_file(
      "1 100 5 500 4 -1 -1 4 900 -1 1 1 8 9 1 2 -1 -1\n2 400 5 500 9 -1 -1 9 100 -1 1 1 8 9 1 2 -1 "
      "-1\n3 1100 5 40 2 -1 -1 2 90 -1 1 1 8 9 1 2 -1 -1\n");
  static const struct {
    const char *to, *definition, *speed;
    int64_t submit[3];
  } cases[] = {{"to=0.18625", "definition=offered", "speed=1", {100, 250, 600}},
               {"to=0.16931818181818181", "definition=polezhaev", "speed=1", {50, 200, 550}},
               {"to=0.18625", "definition=offered", "speed=0.5", {100, 400, 1100}},
               {"to=0.0846590909090909", "definition=polezhaev", "speed=2", {50, 200, 550}}};
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_chosen source = choose(&hc_reader_swf.component, f.pair, NULL);
    came *c = run_at(source, LOAD(cases[i].to, cases[i].definition, cases[i].speed));
    assert_int_equal(c->n, 3);
    for (size_t k = 0; k < 3; k++) assert_int_equal(c->submit[k], cases[i].submit[k] * HC_SECOND);
    test_free(c);
    drop(&source);
  }
  unlink(f.path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_source_can_be_brought_to_a_load),
      cmocka_unit_test(ten_stretchings),
      cmocka_unit_test(by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
