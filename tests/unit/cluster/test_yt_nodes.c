/* test_yt_nodes.c -- the node groups of YTsaurus's simulator become classes of hosts. */
#include "written_cell.h"

/* Two nodes and one: names count through, amounts are the lexicon's, a tag is an attribute that is there. */
static void test_groups(void **state)
{
  world w;
  (void)state;
  const hc_rc rc = describe(
      &w, "use: yt_nodes",
      "[{count=2; resource_limits={cpu=16.5; memory=1024; network=100; user_slots=32}; tags=[internal]; "
      "x=<a=1>#};\n"
      " {\"count\": 1, \"resource_limits\": {\"cpu\": 4, \"memory\": 1e9, \"gpu\": 2}}]");
  if (rc < 0) fail_msg("%s", w.e.text);
  const int network = hc_lexicon_dimension(w.lexicon, "network", 7);
  const int slots = hc_lexicon_dimension(w.lexicon, "user_slots", 10);
  assert_int_equal(w.cell.granularity, HC_CELL_HOSTS);
  assert_int_equal(w.cell.units, 3);
  assert_string_equal(w.cell.host_names[0], "node1");
  assert_string_equal(w.cell.host_names[2], "node3");
  assert_int_equal(w.cell.class_of[0], w.cell.class_of[1]);
  const hc_host_class *a = &w.cell.classes[w.cell.class_of[0]], *b = &w.cell.classes[w.cell.class_of[2]];
  assert_int_equal(a->capacity[HC_DIM_CPU], 16500);
  assert_int_equal(a->capacity[HC_DIM_MEMORY], 1024);
  assert_int_equal(a->capacity[network], 100);
  assert_int_equal(a->capacity[slots], 32);
  assert_int_equal(a->attribute_count, 1);
  assert_string_equal(hc_lexicon_text(w.lexicon, a->attributes[0].name), "internal");
  assert_int_equal(a->attributes[0].value, 1);
  assert_int_equal(b->capacity[HC_DIM_GPU], 2 * HC_DEVICE);
  assert_int_equal(b->devices, 2);
  assert_int_equal(b->attribute_count, 0);
  world_end(&w);
}

static void refuse(const char *text, uint32_t line, const char *words)
{
  world w;
  const hc_rc rc = describe(&w, "use: yt_nodes", text);
  if (rc != HC_EINPUT || w.e.line != line || !strstr(w.e.text, words))
    fail_msg("%s: %d, line %u: %s", text, rc, w.e.line, w.e.text);
  world_end(&w);
}

static void test_what_is_wrong(void **state)
{
  (void)state;
  refuse("[{count=1}]", 1, "have nothing");
  refuse("[{count=-1;resource_limits={cpu=1}}]", 1, "count must be");
  refuse("[\n7]", 2, "a group of nodes is a map");
  refuse("[{resource_limits={cpu=many}}]", 1, "expected an amount");
  refuse("[{resource_limits={gpu=129}}]", 1, "more than 128 GPUs");
  refuse("[{resource_limits={cpu=1};tags=[1]}]", 1, "a tag must be a word");
  refuse("[{resource_limits={cpu=1}", 1, "the file is truncated");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups), cmocka_unit_test(test_what_is_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
