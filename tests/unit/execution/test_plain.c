/* test_plain.c -- profiles of numbers read without a tree: of every profile of this tree the same options,
 * byte for byte, as the general way fills, and nothing where that way refuses, or reads what is no number.
 * And such profiles of a Batsim workload, which are written without one: the same text as with it. */
#define _GNU_SOURCE /* mkstemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "execution/plain.h"
#include "hindcast/plugin.h"
#include "setup/config.h"
#include "workload/batsim_scripts.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

typedef struct fixture {
  hc_registry *registry;
  hc_book book;
  hc_arena arena;
} fixture;

static int begin(void **state)
{
  static fixture f;
  assert_int_equal(hc_registry_new(hc_default_allocator(), &f.registry), 0);
  hc_arena_init(&f.arena, hc_default_allocator());
  f.book = (hc_book){.registry = f.registry, .speed = 1};
  *state = &f;
  return 0;
}

static int end(void **state)
{
  fixture *f = *state;
  hc_arena_fini(&f->arena);
  hc_registry_free(f->registry);
  return 0;
}

/* @return whether both ways read it, and if so with the same options; 0: both do not, -1: they differ */
static int both(fixture *f, const char *text, bool *quick)
{
  const hc_resolver r = {.registry = f->registry, .arena = &f->arena};
  hc_chosen general = {0}, plain = {0};
  hc_value *tree;
  hc_error e = {0};
  const size_t size = strlen(text);
  *quick = hc_plain_read(&f->book, &f->arena, text, size, &plain);
  const bool is_read = hc_value_parse(&f->arena, text, size, "a profile", &tree, &e) == 0 &&
                       hc_resolve_component(&r, HC_KIND_PROFILE, tree, "profile", &general, &e) == 0;
  if (!*quick) return is_read;
  if (!is_read || plain.type != general.type) return -1;
  return memcmp(plain.options, general.options, general.type->options_size) == 0 ? 1 : -1;
}

/* What may stand for a number: some in range of most, some of none, some that only one of the ways reads. */
static const char *const values[] = {"0",    "1",     "17",    "2.5",   "1e9",  "1e-3",
                                     "-1",   "1e400", "true",  "false", "null", "\"3\"",
                                     "0.25", "1e300", "2e300", "[1]",   "1.0",  "007"};

static void test_every_profile_with_every_value_of_every_parameter(void **state)
{
  fixture *f = *state;
  const hc_component *c;
  size_t quick_ones = 0, tried = 0;
  for (size_t i = 0; (c = hc_registry_at(f->registry, HC_KIND_PROFILE, i)); i++)
    for (const hc_param *p = c->params; p && p->name; p++)
      for (size_t v = 0; v < COUNT(values); v++) {
        char text[256];
        bool quick;
        (void)snprintf(text, sizeof text, "{\"use\":\"%s\",\"%s\":%s}", c->name, p->name, values[v]);
        if (both(f, text, &quick) < 0) fail_msg("%s: the two ways differ", text);
        quick_ones += quick;
        tried++;
      }
  /* So that it is no test of nothing: numbers of several profiles are read the short way, and not all. */
  assert_true(quick_ones > 40 && quick_ones < tried / 2);
}

static void test_what_is_plain_is_read_so(void **state)
{
  static const char *const texts[] = {"{\"use\":\"delay\",\"time\":12.5}",
                                      "{\"use\":\"parallel_homogeneous\",\"cpu\":1e12,\"com\":0}",
                                      "{\"use\":\"parallel_homogeneous\",\"com\":3,\"total\":true,\"cpu\":5}",
                                      "{ \"use\": \"parallel_homogeneous\" }"};
  bool quick;
  for (size_t i = 0; i < COUNT(texts); i++) {
    assert_int_equal(both(*state, texts[i], &quick), 1);
    if (!quick) fail_msg("%s is not read the short way", texts[i]);
  }
}

static void test_what_is_not_is_left_to_the_general_way(void **state)
{
  static const char *const texts[] = {"{\"use\":\"delay\",\"time\":12.5,\"time\":1}", /* twice */
                                      "{\"use\":\"delay\",\"tim\":12.5}",             /* no key of it */
                                      "{\"use\":\"delay\",\"time\":\"=num_hosts\"}",  /* an expression */
                                      "{\"use\":\"delay\",\"time\":1} x",             /* more behind it */
                                      "{\"use\":\"delay\",\"time\":1",  /* an end that is missing */
                                      "{\"time\":1,\"use\":\"delay\"}", /* another order */
                                      "{\"use\":\"nothing\",\"time\":1}",
                                      "{\"use\":\"sequence\",\"profiles\":[{\"use\":\"delay\",\"time\":1}]}",
                                      "delay",
                                      ""};
  bool quick;
  for (size_t i = 0; i < COUNT(texts); i++) {
    (void)both(*state, texts[i], &quick);
    if (quick) fail_msg("%s is read the short way", texts[i]);
  }
}

static hc_rc resolve(const hc_book *b, hc_arena *a, const hc_value *tree, hc_chosen *out, hc_error *e)
{
  const hc_resolver r = {.registry = b->registry, .arena = a};
  return hc_resolve_component(&r, HC_KIND_PROFILE, tree, "profile", out, e);
}

/* A job's own profile is written without a tree, the part of a sequence with one. */
static void test_texts_of_batsim(void **state)
{
#define OF(name) ", \"of_" name "\": {\"type\": \"composed\", \"seq\": [\"" name "\"]}"
  static const char workload[] =
      "{\"d\": {\"type\": \"delay\", \"delay\": 12.5},\n"
      " \"z\": {\"type\": \"delay\", \"delay\": 0},\n"
      " \"h\": {\"type\": \"parallel_homogeneous\", \"cpu\": 1.5e9, \"com\": 0},\n"
      " \"g\": {\"type\": \"parallel_homogeneous\", \"com\": 2, \"cpu\": 7}\n" OF("d") OF("z") OF("h")
          OF("g") "}";
  static const char *const names[] = {"d", "z", "h", "g"};
  const hc_allocator *a = hc_default_allocator();
  fixture *f = *state;
  hc_book book = f->book;
  hc_batsim_scripts scripts;
  hc_profiles profiles;
  hc_json *j;
  hc_json_token t;
  hc_error e = {0};
  char path[] = "/tmp/hindcast-test-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0 && write(file, workload, sizeof workload - 1) == (ssize_t)(sizeof workload - 1));
  (void)close(file);
  book.resolve = resolve;
  hc_profiles_init(&profiles, a);
  profiles.keeps = true;
  assert_int_equal(hc_json_open(a, path, &j, &e), 0);
  assert_int_equal(hc_json_next(j, &t, &e), 1);
  assert_int_equal(hc_profiles_read(&profiles, j, &e), 0);
  assert_int_equal(hc_profiles_resolve(&profiles, path, &e), 0);
  hc_batsim_scripts_init(&scripts, a, &book, &profiles, path);
  for (size_t i = 0; i < COUNT(names); i++) {
    char of[16], own[256], both[512];
    const char *text;
    size_t size;
    (void)snprintf(of, sizeof of, "of_%s", names[i]);
    const uint32_t plain = hc_names_find(&profiles.names, names[i], strlen(names[i])),
                   sequence = hc_names_find(&profiles.names, of, strlen(of));
    assert_int_equal(hc_batsim_script_of(&scripts, plain, &text, &size, &e), 0);
    (void)snprintf(own, sizeof own, "%.*s", (int)size, text);
    (void)snprintf(both, sizeof both, "{\"use\":\"sequence\",\"profiles\":[%s]}", own);
    assert_int_equal(hc_batsim_script_of(&scripts, sequence, &text, &size, &e), 0);
    assert_int_equal(size, strlen(both));
    assert_memory_equal(text, both, size);
  }
  hc_batsim_scripts_fini(&scripts);
  hc_profiles_fini(&profiles);
  hc_json_free(j);
  (void)unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_profile_with_every_value_of_every_parameter),
      cmocka_unit_test(test_what_is_plain_is_read_so),
      cmocka_unit_test(test_what_is_not_is_left_to_the_general_way),
      cmocka_unit_test(test_texts_of_batsim),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
