/* test_yt_nodes.c -- the node groups of YTsaurus's simulator become classes of hosts. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/util.h"
#include "cluster/lexicon.h"
#include "hindcast/cell.h"

extern const hc_cell_type hc_cell_yt_nodes;

static void *arena_alloc(void *arena, size_t size)
{
  return hc_arena_alloc(arena, size);
}

typedef struct world {
  hc_arena arena;
  hc_lexicon *lexicon;
  hc_cell_spec spec;
  hc_error error;
  hc_rc rc;
} world;

static void describe(world *w, const char *text)
{
  char path[] = "/tmp/hindcast_test_XXXXXX";
  const char *file = path;
  const int fd = mkstemp(path);
  memset(w, 0, sizeof *w);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  hc_arena_init(&w->arena, hc_default_allocator());
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  const hc_cell_context c = {
      .allocator = hc_default_allocator(), .alloc = arena_alloc, .arena = &w->arena, .lexicon = w->lexicon};
  w->rc = hc_cell_yt_nodes.describe(&c, &file, &w->spec, &w->error);
  unlink(path);
}

static void end(world *w)
{
  hc_lexicon_free(w->lexicon);
  hc_arena_fini(&w->arena);
}

/* Two nodes and one: names count through, amounts are the lexicon's, a tag is an attribute that is there. */
static void test_groups(void **state)
{
  world w;
  (void)state;
  describe(&w,
           "[{count=2; resource_limits={cpu=16.5; memory=1024; network=100; user_slots=32}; tags=[internal]; "
           "x=<a=1>#};\n"
           " {\"count\": 1, \"resource_limits\": {\"cpu\": 4, \"memory\": 1e9, \"gpu\": 2}}]");
  if (w.rc < 0) fail_msg("%s", w.error.text);
  const int network = hc_lexicon_dimension(w.lexicon, "network", 7);
  const int slots = hc_lexicon_dimension(w.lexicon, "user_slots", 10);
  assert_int_equal(w.spec.granularity, HC_CELL_HOSTS);
  assert_int_equal(w.spec.units, 3);
  assert_string_equal(w.spec.host_names[0], "node1");
  assert_string_equal(w.spec.host_names[2], "node3");
  assert_int_equal(w.spec.class_of[0], w.spec.class_of[1]);
  const hc_host_class *a = &w.spec.classes[w.spec.class_of[0]], *b = &w.spec.classes[w.spec.class_of[2]];
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
  end(&w);
}

static void refuse(const char *text, uint32_t line, const char *words)
{
  world w;
  describe(&w, text);
  if (w.rc != HC_EINPUT || w.error.line != line || !strstr(w.error.text, words))
    fail_msg("%s: %d, line %u: %s", text, w.rc, w.error.line, w.error.text);
  end(&w);
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
