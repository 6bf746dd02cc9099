/* test_sources.c -- the machines that cell sources describe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "hindcast/cell.h"

#define HC_CELL(name) extern const hc_cell_type hc_cell_##name;
#include "cluster/cells.def"
#undef HC_CELL

typedef struct auto_options {
  int64_t procs;
  int granularity;
} auto_options;
typedef struct count_options {
  int64_t procs;
} count_options;
typedef struct intervals_options {
  int64_t procs, per_node;
} intervals_options;
typedef struct accasim_options {
  const char *file;
  int as; /* 0: processors */
  int64_t memory_unit;
} accasim_options;

static hc_arena arena;

static void *alloc(void *a, size_t size)
{
  return hc_arena_alloc(a, size);
}

static int begin(void **state)
{
  (void)state;
  hc_arena_init(&arena, hc_default_allocator());
  return 0;
}

static int end(void **state)
{
  (void)state;
  hc_arena_fini(&arena);
  return 0;
}

static hc_rc describe(const hc_cell_type *type, const void *options, const hc_trace_info *trace,
                      hc_cell_spec *out, hc_error *e)
{
  hc_cell_context c = {.allocator = hc_default_allocator(), .alloc = alloc, .arena = &arena, .trace = trace};
  *e = (hc_error){0};
  *out = (hc_cell_spec){0};
  return type->describe(&c, options, out, e);
}

static void auto_believes_the_header(void **state)
{
  (void)state;
  hc_trace_info header = {.processors = 128, .nodes = 32}, empty = {0};
  hc_cell_spec s;
  hc_error e;
  assert_int_equal(hc_cell_auto.component.options_size, sizeof(auto_options));
  assert_int_equal(describe(&hc_cell_auto, &(auto_options){0, 0}, &header, &s, &e), 0);
  assert_int_equal(s.granularity, HC_CELL_COUNT);
  assert_int_equal(s.units, 128);
  assert_int_equal(s.units_per_node, 4); /* 128 / 32 */
  assert_int_equal(s.dimension_count, 1);
  assert_int_equal(s.dimensions[0].per_unit, 1);
  assert_null(s.note);
  assert_int_equal(describe(&hc_cell_auto, &(auto_options){100, 1}, &header, &s, &e), 0);
  assert_int_equal(s.granularity, HC_CELL_INTERVALS);
  assert_int_equal(s.units, 100);        /* what the user says goes */
  assert_int_equal(s.units_per_node, 0); /* and the header's nodes are those of another machine */
  assert_int_equal(describe(&hc_cell_auto, &(auto_options){0, 0}, &empty, &s, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "procs")); /* how to say it */
  assert_int_equal(describe(&hc_cell_auto, &(auto_options){0, 0}, NULL, &s, &e), HC_EUSAGE);
  header.processors = INT64_C(1) << 40;
  assert_int_equal(describe(&hc_cell_auto, &(auto_options){0, 0}, &header, &s, &e), HC_EUSAGE);
  header = (hc_trace_info){.processors = 10, .nodes = 3};
  assert_int_equal(describe(&hc_cell_auto, &(auto_options){0, 0}, &header, &s, &e), 0);
  assert_int_equal(s.units_per_node, 0); /* 10 processors on 3 nodes: not alike */
}

static void plain_cells_are_what_they_say(void **state)
{
  (void)state;
  hc_cell_spec s;
  hc_error e;
  assert_int_equal(describe(&hc_cell_count, &(count_options){93312}, NULL, &s, &e), 0);
  assert_int_equal(s.granularity, HC_CELL_COUNT);
  assert_int_equal(s.units, 93312);
  assert_int_equal(describe(&hc_cell_count, &(count_options){0}, NULL, &s, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "procs"));
  assert_int_equal(describe(&hc_cell_intervals, &(intervals_options){96, 24}, NULL, &s, &e), 0);
  assert_int_equal(s.granularity, HC_CELL_INTERVALS);
  assert_int_equal(s.units, 96);
  assert_int_equal(s.units_per_node, 24);
  assert_int_equal(describe(&hc_cell_intervals, &(intervals_options){96, 25}, NULL, &s, &e), HC_EUSAGE);
  assert_int_equal(describe(&hc_cell_intervals, &(intervals_options){0, 0}, NULL, &s, &e), HC_EUSAGE);
}

/* ---- accasim ---- */

static hc_rc read_accasim(const char *text, hc_cell_spec *s, hc_error *e)
{
  const char *path = "test_sources_accasim.json";
  accasim_options o = {path, 0, 1};
  FILE *f = fopen(path, "w");
  hc_rc rc;
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
  rc = describe(&hc_cell_accasim, &o, NULL, s, e);
  (void)remove(path);
  return rc;
}

static void accasim_counts_cores(void **state)
{
  (void)state;
  hc_cell_spec s;
  hc_error e;
  assert_int_equal(read_accasim("{\"system_name\": \"T\", \"start_time\": 0,"
                                " \"equivalence\": {\"processor\": {\"core\": 1}},"
                                " \"groups\": {\"g0\": {\"core\": 4}}, \"resources\": {\"g0\": 3}}",
                                &s, &e),
                   0);
  assert_int_equal(s.granularity, HC_CELL_INTERVALS);
  assert_int_equal(s.units, 12); /* 3 nodes of 4 cores */
  assert_int_equal(s.units_per_node, 4);
  assert_null(s.note);
}

static void accasim_notes_what_it_leaves_out(void **state)
{
  (void)state;
  hc_cell_spec s;
  hc_error e;
  assert_int_equal(read_accasim("{\"equivalence\": {\"processor\": {\"core\": 2, \"slot\": 1}},"
                                " \"groups\": {\"a\": {\"core\": 9, \"slot\": 9, \"mem\": 64},"
                                "              \"b\": {\"core\": 16, \"slot\": 3, \"mem\": 64, \"gpu\": 2}},"
                                " \"resources\": {\"a\": 2, \"b\": 5}}",
                                &s, &e),
                   0);
  assert_int_equal(s.units, 2 * 4 + 5 * 3); /* a: 9 / 2 cores; b: 3 slots */
  assert_int_equal(s.units_per_node, 0);
  assert_string_equal(s.note, "nodes differ in size; not enforced: mem, gpu");
}

static void accasim_says_what_is_wrong(void **state)
{
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"[1, 2]", "equivalence"},
      {"{\"equivalence\": {\"processor\": {\"core\": 0}}, \"groups\": {\"g\": {\"core\": 4}},"
       " \"resources\": {\"g\": 1}}",
       "core"},
      {"{\"equivalence\": {\"processor\": {\"core\": 1}}, \"groups\": {\"g\": {\"core\": 4}},"
       " \"resources\": {\"h\": 1}}",
       "'h'"},
      {"{\"equivalence\": {\"processor\": {\"core\": 1}}, \"groups\": {\"g\": {\"mem\": 4}},"
       " \"resources\": {\"g\": 1}}",
       "no processor"},
      {"{\"equivalence\": {\"processor\": {\"core\": 1}}, \"groups\": {\"g\": {\"core\": 4294967295}},"
       " \"resources\": {\"g\": 4294967295}}",
       "too many"},
      {"{\"equivalence\": {\"processor\": {\"core\": 1}}, \"groups\": {\"g\": {\"core\": \"x\"}},"
       " \"resources\": {\"g\": 1}}",
       "whole number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hc_cell_spec s;
    hc_error e;
    assert_int_equal(read_accasim(cases[i].text, &s, &e), HC_EINPUT);
    assert_non_null(strstr(e.text, cases[i].says));
  }
}

static void accasim_wants_a_file(void **state)
{
  (void)state;
  hc_cell_spec s;
  hc_error e;
  assert_int_equal(describe(&hc_cell_accasim, &(accasim_options){.file = NULL}, NULL, &s, &e), HC_EUSAGE);
  assert_int_equal(
      describe(&hc_cell_accasim, &(accasim_options){.file = "/nonexistent/system.json"}, NULL, &s, &e),
      HC_EIO);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(auto_believes_the_header),   cmocka_unit_test(plain_cells_are_what_they_say),
      cmocka_unit_test(accasim_counts_cores),       cmocka_unit_test(accasim_notes_what_it_leaves_out),
      cmocka_unit_test(accasim_says_what_is_wrong), cmocka_unit_test(accasim_wants_a_file),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
