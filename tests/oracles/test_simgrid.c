/* test_simgrid.c -- routes through platforms of SimGrid are those of SimGrid 3.32: the same links in the
 * same order, and the same latency to the last bit. tests/oracles/simgrid/README.md says where they are
 * from. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simgrid_platform.h"

#define DATA HC_TEST_SOURCE_DIR "/tests/oracles/simgrid/"

static uint64_t hash_of(const char *s)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (; *s; s++) h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
  return h;
}

/* LATENCY LINK ... as in the files. */
static void write_route(platform *p, uint32_t from, uint32_t to, char *out, size_t size)
{
  hc_route r = {0};
  size_t at;
  if (hc_network_route_of(&p->n, from, to, p->links, &r) < 0) fail_msg("no route from %u to %u", from, to);
  at = (size_t)snprintf(out, size, "%.17g", r.latency);
  for (uint32_t i = 0; i < r.count; i++) {
    char name[512];
    p->n.type->link_name(p->n.self, p->links[i], name, sizeof name);
    at += (size_t)snprintf(out + at, size - at, " %s", name);
    assert_true(at < size);
  }
}

static void compare(const char *file, size_t expected)
{
  static char line[8192], ours[8192];
  platform *p = calloc(1, sizeof *p);
  hc_lexicon *lexicon = NULL;
  size_t lines = 0;
  char path[512];
  FILE *f;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &lexicon), 0);
  (void)snprintf(path, sizeof path, DATA "%s.xml", file);
  open_platform(p, lexicon, path, "");
  (void)snprintf(path, sizeof path, DATA "%s.routes", file);
  f = fopen(path, "r");
  assert_non_null(f);
  for (; fgets(line, sizeof line, f); lines++) {
    const size_t from = strcspn(line, " "), to = strcspn(line + from + 1, " ");
    const uint32_t a = hc_names_find(&p->hosts, line, from),
                   b = hc_names_find(&p->hosts, line + from + 1, to);
    const char *theirs = line + from + to + 2;
    line[strcspn(line, "\n")] = '\0';
    assert_true(a != HC_MAP_NONE && b != HC_MAP_NONE);
    write_route(p, a, b, ours, sizeof ours);
    if (theirs[0] == '#' ? strtoull(theirs + 2, NULL, 16) != hash_of(ours) : strcmp(theirs, ours) != 0)
      fail_msg("%s: %s\n  ours: %s", file, line, ours);
  }
  (void)fclose(f);
  assert_int_equal(lines, expected);
  close_platform(p);
  hc_lexicon_free(lexicon);
  free(p);
}

static void test_routings(void **state)
{
  (void)state;
  compare("floyd", 36);
  compare("dijkstra", 36);
  compare("stars", 256);
  compare("nested", 100);
  compare("vivaldi", 9);
}

static void test_clusters(void **state)
{
  (void)state;
  compare("trees", 784);
  compare("torus", 1000);
  compare("dragonfly", 1000);
  compare("tree1024", 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_routings), cmocka_unit_test(test_clusters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
