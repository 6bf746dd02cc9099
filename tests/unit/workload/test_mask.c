/* test_mask.c -- the keyed hash against its published vectors, and tasks whose names cannot be led back. */
#define _GNU_SOURCE
#include "workload_test.h"

#include "cluster/lexicon.h"
#include "workload/blake2s.h"
#include "workload/spec.h"

static void check_hash(size_t key_size, size_t n, const char *expect)
{
  uint8_t bytes[256], out[HC_BLAKE2S_SIZE];
  char text[2 * HC_BLAKE2S_SIZE + 1];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)i;
  hc_blake2s(bytes, key_size, bytes, n, out);
  for (size_t i = 0; i < sizeof out; i++) snprintf(text + 2 * i, 3, "%02x", out[i]);
  assert_string_equal(text, expect);
}

/* RFC 7693, appendix B, and the authors' list of keyed hashes (key 00 01 .. 1f, message 00 01 ..). */
static void test_vectors(void **state)
{
  uint8_t out[HC_BLAKE2S_SIZE];
  HC_UNUSED(state);
  hc_blake2s(NULL, 0, "abc", 3, out);
  const uint8_t abc[4] = {0x50, 0x8c, 0x5e, 0x8c};
  assert_memory_equal(out, abc, sizeof abc);
  check_hash(0, 0, "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9");
  check_hash(32, 0, "48a8997da407876b3d79c0d92325ad3b89cbb754d86ab71aee047ad345fd2c49");
  check_hash(32, 1, "40d15fee7c328830166ac3f918650f807e7e01e177258cdc0a39b11f598066f1");
  check_hash(32, 3, "1d220dbe2ee134661fdf6d9e74b41704710556f2f6e5a091b227697445dbea6b");
  check_hash(32, 64, "8975b0577fd35566d750b362b0897a26c399136df07bababbde6203ff2954ed4");
  check_hash(32, 65, "21fe0ceb0052be7fb0f004187cacd7de67fa6eb0938d927677f2398c132317a8");
  check_hash(32, 128, "0c311f38c35a4fb90d651c289d486856cd1413df9b0677f53ece2cd9e477c60a");
  check_hash(32, 255, "3fb735061abc519dfe979e54c1ee5bfad0a9d858b3315bad34bde999efd724dd");
}

#define KEY "sixteen bytes or more"

static hc_mask *make(hc_lexicon *l, const char *key)
{
  hc_error e = {0};
  hc_mask *m;
  assert_int_equal(hc_mask_new(hc_default_allocator(), key, strlen(key), l, &m, &e), 0);
  return m;
}

static hc_task_spec masked(hc_lexicon *l, const char *key, hc_task_spec t)
{
  hc_error e = {0};
  hc_mask *m = make(l, key);
  assert_int_equal(hc_mask_task(m, &t, &e), 0);
  hc_mask_free(m);
  return t;
}

static void test_numbers(void **state)
{
  hc_task_spec t = hc_task_spec_none();
  hc_lexicon *l;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  t.user = t.group = t.executable = t.queue = t.id = 7;
  t.submit = HC_SECOND;
  const hc_task_spec a = masked(l, KEY, t), b = masked(l, KEY, t), c = masked(l, KEY "!", t);
  assert_true(a.user >= 0 && a.user < INT64_C(1) << 48 && a.user != 7);
  assert_int_equal(a.user, b.user); /* the same key gives the same */
  assert_true(a.user != c.user);    /* another key another */
  assert_true(a.user != a.group && a.group != a.executable);
  assert_true(a.queue == 7 && a.id == 7 && a.submit == HC_SECOND); /* numbers that are no names */
  t = hc_task_spec_none();
  const hc_task_spec none = masked(l, KEY, t);
  assert_memory_equal(&none, &t, sizeof t); /* an empty spec stays empty */
  t.job = hc_name_number("secret", 6);      /* a hash of a name could be tried out */
  const hc_task_spec named = masked(l, KEY, t);
  assert_true(named.job != t.job && named.job >= INT64_C(1) << 62);
  hc_lexicon_free(l);
}

static void test_names(void **state)
{
  hc_task_spec t = hc_task_spec_none();
  hc_task_extras more = hc_task_extras_none();
  hc_error e = {0};
  hc_lexicon *l;
  hc_mask *m;
  char both[40];
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  const uint32_t host = hc_lexicon_name(l, "alice-pc", 8), owner = hc_lexicon_name(l, "owner", 5);
  const hc_constraint constraint = {.attribute = owner, .compare = HC_EQUAL, .is_text = 1, .value = host};
  const hc_after after = {.job = hc_name_number("secret", 6), .task = 3};
  more.hosts = &host;
  more.host_count = 1;
  more.constraints = &constraint;
  more.constraint_count = 1;
  more.after = &after;
  more.after_count = 1;
  more.reservation = hc_lexicon_name(l, "alice-pc,owner", 14);
  t.more = hc_lexicon_keep(l, &more);
  t.job = after.job;
  const uint32_t was = t.more;
  m = make(l, KEY);
  assert_int_equal(hc_mask_task(m, &t, &e), 0);
  const hc_task_extras *now = hc_lexicon_more(l, t.more);
  assert_true(t.more != was);
  assert_true(now->hosts[0] != host && now->constraints[0].attribute != owner);
  assert_int_equal(now->constraints[0].value, now->hosts[0]); /* one name, one mask */
  assert_int_equal(strlen(hc_lexicon_text(l, now->hosts[0])), 17);
  assert_int_equal(now->after[0].job, t.job); /* dependencies stay */
  snprintf(both, sizeof both, "%s,%s", hc_lexicon_text(l, now->hosts[0]),
           hc_lexicon_text(l, now->constraints[0].attribute));
  assert_string_equal(hc_lexicon_text(l, now->reservation), both); /* each name of a list by itself */
  assert_int_equal(now->after[0].task, 3);
  hc_mask_free(m);
  hc_lexicon_drop(l, was);
  assert_int_equal(hc_lexicon_held(l), 0);
  hc_lexicon_free(l);
}

static void test_short_key(void **state)
{
  hc_error e = {0};
  hc_mask *m;
  HC_UNUSED(state);
  assert_int_equal(hc_mask_new(hc_default_allocator(), "short", 5, NULL, &m, &e), HC_EUSAGE);
  assert_string_equal(
      e.text, "a key of 5 bytes can be guessed: at least 16 are needed, such as 32 from /dev/urandom");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_numbers),
                                     cmocka_unit_test(test_names), cmocka_unit_test(test_short_key)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
