/* test_accasim.c -- AccaSim's system configuration, as hosts with memory and GPUs and as processors. */
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

extern const hc_cell_type hc_cell_accasim;

enum { PROCESSORS, HOSTS };

typedef struct options {
  const char *file;
  int as;
  int64_t memory_unit;
} options;

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

static void describe(world *w, const char *text, int as)
{
  char path[] = "/tmp/hindcast_test_XXXXXX";
  const options o = {path, as, 1024};
  const int fd = mkstemp(path);
  memset(w, 0, sizeof *w);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  hc_arena_init(&w->arena, hc_default_allocator());
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  const hc_cell_context c = {
      .allocator = hc_default_allocator(), .alloc = arena_alloc, .arena = &w->arena, .lexicon = w->lexicon};
  w->rc = hc_cell_accasim.describe(&c, &o, &w->spec, &w->error);
  unlink(path);
}

static void end(world *w)
{
  hc_lexicon_free(w->lexicon);
  hc_arena_fini(&w->arena);
}

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
  describe(&w, SYSTEM, HOSTS);
  if (w.rc < 0) fail_msg("%s", w.error.text);
  const int mic = hc_lexicon_dimension(w.lexicon, "mic", 3);
  assert_int_equal(w.spec.units, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const hc_host_class *c = &w.spec.classes[w.spec.class_of[i]];
    assert_string_equal(w.spec.host_names[i], names[i]);
    assert_string_equal(c->name, i == 0 ? "g1" : "g0");
    assert_int_equal(c->capacity[HC_DIM_CPU], 2000);
    assert_int_equal(c->capacity[HC_DIM_MEMORY], i == 0 ? 8 * 1024 : 1 << 30);
    assert_int_equal(c->capacity[HC_DIM_GPU], i == 0 ? 2 * HC_DEVICE : 0);
    assert_int_equal(c->devices, i == 0 ? 2 : 0);
    assert_int_equal(c->capacity[mic], i == 0 ? 3 : 0);
  }
  end(&w);
}

/* Counted there are six processors, and a note of what is not enforced. */
static void test_processors(void **state)
{
  world w;
  (void)state;
  describe(&w, SYSTEM, PROCESSORS);
  assert_int_equal(w.rc, 0);
  assert_int_equal(w.spec.units, 6);
  assert_string_equal(w.spec.note, "not enforced: mem, gpu, mic");
  end(&w);
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
    describe(&w, text, HOSTS);
    assert_true(w.rc < 0);
    if (!strstr(w.error.text, cases[i][1])) fail_msg("%s: %s", cases[i][0], w.error.text);
    end(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts), cmocka_unit_test(test_processors),
                                     cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
