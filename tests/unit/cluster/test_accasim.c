/* test_accasim.c -- AccaSim's system configuration, as hosts with memory and GPUs and as processors. */
#include "written_cell.h"

#define PROCESSORS "use: accasim"
#define HOSTS "use: accasim, as: hosts"

#define SYSTEM \
  "{\"system_name\": \"T\", \"start_time\": 0, \"equivalence\": {\"processor\": {\"core\": 2}}, " \
  "\"groups\": {\"g0\": {\"core\": 5, \"mem\": 1048576}, \"g1\": {\"core\": 4, \"gpu\": 2, \"mem\": 8, " \
  "\"mic\": 3}, \"g2\": {\"core\": 9}}, \"resources\": {\"g1\": 1, \"g0\": 2}}"

/* Two cores a processor: a node of five holds two, one of four two. Nodes are numbered in the order of
 * resources; memory is in KiB; a group that no node is of is not there. */
static void test_hosts(void **state)
{
  static const char *const names[] = {"node_1", "node_2", "node_3"};
  world w;
  (void)state;
  if (describe(&w, HOSTS, SYSTEM) < 0) fail_msg("%s", w.e.text);
  const int mic = hc_lexicon_dimension(w.lexicon, "mic", 3);
  assert_int_equal(w.cell.units, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const hc_host_class *c = &w.cell.classes[w.cell.class_of[i]];
    assert_string_equal(w.cell.host_names[i], names[i]);
    assert_string_equal(c->name, i == 0 ? "g1" : "g0");
    assert_int_equal(c->capacity[HC_DIM_CPU], 2000);
    assert_int_equal(c->capacity[HC_DIM_MEMORY], i == 0 ? 8 * 1024 : 1 << 30);
    assert_int_equal(c->capacity[HC_DIM_GPU], i == 0 ? 2 * HC_DEVICE : 0);
    assert_int_equal(c->devices, i == 0 ? 2 : 0);
    assert_int_equal(c->capacity[mic], i == 0 ? 3 : 0);
  }
  world_end(&w);
}

/* Counted there are six processors, and a note of what is not enforced. */
static void test_processors(void **state)
{
  world w;
  (void)state;
  assert_int_equal(describe(&w, PROCESSORS, SYSTEM), 0);
  assert_int_equal(w.cell.units, 6);
  assert_string_equal(w.cell.note, "not enforced: mem, gpu, mic");
  world_end(&w);
}

static void test_mistakes(void **state)
{
  static const char *const cases[][2] = {
      {"{\"core\": 1}}, \"resources\": {\"g1\": 1}}", "there is no group 'g1'"},
      {"{\"core\": 1, \"gpu\": 129}}, \"resources\": {\"g0\": 1}}", "more than 128 GPUs"},
      {"{\"core\": 1, \"mem\": -1}}, \"resources\": {\"g0\": 1}}", "whole number"},
      {"{\"core\": 1}}, \"resources\": {\"g0\": 0}}", "host"},
      {"{\"core\": 1}}}", "resources"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    world w;
    (void)snprintf(text, sizeof text,
                   "{\"equivalence\": {\"processor\": {\"core\": 1}}, \"groups\": {\"g0\": %s", cases[i][0]);
    assert_true(describe(&w, HOSTS, text) < 0);
    if (!strstr(w.e.text, cases[i][1])) fail_msg("%s: %s", cases[i][0], w.e.text);
    world_end(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts), cmocka_unit_test(test_processors),
                                     cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
