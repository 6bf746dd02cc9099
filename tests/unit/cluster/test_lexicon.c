/* test_lexicon.c -- names keep their numbers, equal facts share a handle, and nothing without a holder is
 * kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/labels.h"
#include "cluster/lexicon.h"

static hc_lexicon *new_lexicon(void)
{
  hc_lexicon *l = NULL;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  return l;
}

static uint32_t name(hc_lexicon *l, const char *text)
{
  return hc_lexicon_name(l, text, strlen(text));
}

static int dimension(hc_lexicon *l, const char *text)
{
  return hc_lexicon_dimension(l, text, strlen(text));
}

static void test_names(void **state)
{
  hc_lexicon *l = new_lexicon();
  uint32_t ssd, ib;
  (void)state;
  ssd = name(l, "ssd");
  ib = name(l, "ib");
  assert_int_not_equal(ssd, ib);
  assert_int_equal(name(l, "ssd"), ssd);
  assert_string_equal(hc_lexicon_text(l, ib), "ib");
  assert_string_equal(hc_lexicon_text(l, 12345), "?");
  hc_lexicon_free(l);
}

static void test_dimensions(void **state)
{
  hc_lexicon *l = new_lexicon();
  (void)state;
  assert_int_equal(dimension(l, "cpu"), HC_DIM_CPU); /* known to every run, by these numbers */
  assert_int_equal(dimension(l, "gpu"), HC_DIM_GPU);
  assert_int_equal(dimension(l, "matlab"), HC_DIM_OTHER);
  assert_int_equal(dimension(l, "fpga"), HC_DIM_OTHER + 1);
  assert_int_equal(dimension(l, "matlab"), HC_DIM_OTHER);
  assert_int_equal(dimension(l, "a"), HC_DIM_OTHER + 2);
  for (int d = HC_DIM_OTHER + 3; d < HC_DIMENSIONS; d++) {
    char text[16];
    (void)snprintf(text, sizeof text, "b%d", d);
    assert_int_equal(dimension(l, text), d);
  }
  assert_int_equal(dimension(l, "one too many"), -1);
  assert_string_equal(hc_lexicon_dimension_name(l, HC_DIM_OTHER), "matlab");
  assert_null(hc_lexicon_dimension_name(l, HC_DIMENSIONS));
  hc_lexicon_free(l);
}

/* A fact with all four arrays, of which `job` is a part. */
static uint32_t keep(hc_lexicon *l, int64_t job)
{
  const hc_after after[] = {{.job = job, .task = 1},
                            {.job = job, .task = HC_UNKNOWN, .how = HC_AFTER_COMPLETED}};
  const hc_constraint constraint = {.attribute = 7, .compare = HC_AT_LEAST, .value = 3};
  const hc_chunk chunk = {.need = {1000, 5}, .hosts = 2};
  const uint32_t hosts[] = {4, 5, 6};
  hc_task_extras m = hc_task_extras_none();
  m.after = after;
  m.after_count = 2;
  m.constraints = &constraint;
  m.constraint_count = 1;
  m.chunks = &chunk;
  m.chunk_count = 1;
  m.hosts = hosts;
  m.host_count = 3;
  m.per_host = 1;
  return hc_lexicon_keep(l, &m);
}

static void assert_kept(const hc_lexicon *l, uint32_t handle, int64_t job)
{
  const hc_task_extras *m = hc_lexicon_more(l, handle);
  assert_non_null(m);
  assert_int_equal(m->after_count, 2);
  assert_int_equal(m->after[1].job, job);
  assert_int_equal(m->constraints[0].value, 3);
  assert_int_equal(m->chunks[0].hosts, 2);
  assert_int_equal(m->hosts[2], 6);
  assert_int_equal(m->set, HC_NO_NAME);
  assert_int_equal(m->per_host, 1);
}

static void test_equal_facts_share_a_handle(void **state)
{
  hc_lexicon *l = new_lexicon();
  uint32_t one, same, other;
  (void)state;
  one = keep(l, 1);
  same = keep(l, 1);
  other = keep(l, 2);
  assert_int_equal(one, same);
  assert_int_not_equal(one, other);
  assert_int_equal(hc_lexicon_held(l), 2);
  assert_kept(l, one, 1);
  hc_lexicon_hold(l, other);
  hc_lexicon_drop(l, other);
  hc_lexicon_drop(l, other); /* the last holder */
  assert_int_equal(hc_lexicon_held(l), 1);
  assert_null(hc_lexicon_more(l, other));
  hc_lexicon_drop(l, one);
  assert_kept(l, one, 1);              /* it was kept twice */
  assert_int_equal(keep(l, 3), other); /* a handle that is free serves again */
  assert_kept(l, other, 3);
  assert_null(hc_lexicon_more(l, 0));
  hc_lexicon_drop(l, 0);
  hc_lexicon_free(l); /* gives back what is still held: the sanitizer would tell */
}

/* A name that is made is called as any other, is known as such, also by another lexicon, and never takes the
 * place of one that was said. */
static void test_made_names(void **state)
{
  hc_lexicon *l = new_lexicon(), *other = new_lexicon();
  (void)state;
  assert_int_equal(hc_lexicon_call(l, HC_CALLED_USER, 1, "a/1", 3), 0);
  assert_int_equal(hc_lexicon_call_made(l, HC_CALLED_USER, 1, "b/1", 3), 0);
  assert_int_equal(hc_lexicon_call_made(l, HC_CALLED_USER, 2, "a/2", 3), 0);
  assert_string_equal(hc_lexicon_called(l, HC_CALLED_USER, 1), "a/1");
  assert_string_equal(hc_lexicon_called(l, HC_CALLED_USER, 2), "a/2");
  assert_int_equal(hc_lexicon_call_all(other, l), 0);
  for (int i = 0; i < 2; i++) {
    const hc_lexicon *x = i == 0 ? l : other;
    assert_false(hc_lexicon_is_made(x, HC_CALLED_USER, 1));
    assert_true(hc_lexicon_is_made(x, HC_CALLED_USER, 2));
    assert_false(hc_lexicon_is_made(x, HC_CALLED_USER, 3));
    assert_false(hc_lexicon_is_made(x, HC_CALLED_QUEUE, 2));
  }
  hc_lexicon_free(other);
  hc_lexicon_free(l);
}

/* Texts of all lengths, held and dropped as tasks come and go: each is what it was, whatever became of those
 * beside it; and a hundred thousand that pass one by one, as of rows that a filter drops, take a page. */
static size_t in_use;

static void *counted(void *ctx, void *p, size_t old_size, size_t new_size)
{
  HC_UNUSED(ctx);
  in_use = in_use - (p ? old_size : 0) + new_size;
  return hc_default_allocator()->resize(hc_default_allocator()->ctx, p, old_size, new_size);
}

static size_t length_of(uint32_t i)
{
  return i % 50 == 49 ? 20000 + i : 1 + i * 7 % 60; /* longer than a page, now and then */
}

static void test_labels_come_and_go(void **state)
{
  enum { LIVE = 700, STEPS = 40000 };
  const hc_allocator a = {NULL, counted, NULL};
  static char text[80000];
  uint32_t handle[LIVE] = {0}, number[LIVE];
  hc_draws d = {.seed = 5, .purpose = HC_PURPOSE_TEST};
  hc_labels l = {.allocator = &a};
  HC_UNUSED(state);
  in_use = 0;
  for (uint32_t step = 0; step < STEPS; step++) {
    const size_t i = hc_random_below(&d, LIVE);
    if (handle[i] != 0) {
      const hc_label *x = hc_labels_at(&l, handle[i]);
      assert_non_null(x);
      assert_int_equal(x->size, length_of(number[i]));
      for (size_t k = 0; k < x->size; k++) assert_int_equal(x->text[k], 'a' + (char)(number[i] % 26));
      assert_int_equal(x->text[x->size], '\0');
      hc_labels_drop(&l, handle[i]);
      handle[i] = 0;
      continue;
    }
    number[i] = step % 1000;
    memset(text, 'a' + (int)(number[i] % 26), length_of(number[i]));
    assert_int_equal(hc_labels_hold(&l, text, length_of(number[i]), &handle[i]), 0);
  }
  for (size_t i = 0; i < LIVE; i++)
    if (handle[i] != 0) hc_labels_drop(&l, handle[i]);
  assert_int_equal(l.held, 0);
  hc_labels_fini(&l);
  assert_int_equal(in_use, 0);
  uint32_t kept, passing;
  assert_int_equal(hc_labels_hold(&l, "kept", 4, &kept), 0);
  for (int i = 0; i < 100000; i++) {
    assert_int_equal(hc_labels_hold(&l, "passing", 7, &passing), 0);
    hc_labels_drop(&l, passing);
  }
  assert_true(in_use < 20000);
  assert_string_equal(hc_labels_at(&l, kept)->text, "kept");
  hc_labels_fini(&l);
  assert_int_equal(in_use, 0);
}

/* A label is one task's own: equal texts have two handles, and each goes with its last holder. */
static void test_labels(void **state)
{
  hc_lexicon *l = new_lexicon(), *of_source = NULL;
  uint32_t one, same, other, fact = keep(l, 1);
  size_t n = 0;
  (void)state;
  assert_int_equal(hc_lexicon_label(l, "123_4", 5, &one), 0);
  assert_int_equal(hc_lexicon_label(l, "123_4", 5, &same), 0);
  assert_int_not_equal(one, same);
  assert_int_not_equal(one, fact);
  assert_null(hc_lexicon_more(l, one)); /* it is no fact */
  assert_null(hc_lexicon_label_text(l, fact, &n));
  assert_string_equal(hc_lexicon_label_text(l, one, &n), "123_4");
  assert_int_equal(n, 5);
  assert_int_equal(hc_lexicon_held(l), 3);
  hc_lexicon_hold_handle(l, one);
  hc_lexicon_drop_handle(l, one);
  assert_string_equal(hc_lexicon_label_text(l, one, NULL), "123_4");
  hc_lexicon_drop_handle(l, one);
  assert_null(hc_lexicon_label_text(l, one, NULL));
  assert_int_equal(hc_lexicon_new_within(l, &of_source), 0); /* one source's labels are the run's */
  assert_int_equal(hc_lexicon_label(of_source, "x", 1, &other), 0);
  assert_int_equal(other, one); /* a handle that is free serves again */
  assert_string_equal(hc_lexicon_label_text(l, other, NULL), "x");
  assert_int_equal(hc_lexicon_label(l, "", 0, &one), 0);
  assert_int_equal(one, 0);
  hc_lexicon_drop_handle(l, one);
  hc_lexicon_refuse_labels(l);
  assert_int_equal(hc_lexicon_label(of_source, "y", 1, &one), 0);
  assert_int_equal(one, 0);
  hc_lexicon_drop_handle(l, fact);
  assert_int_equal(hc_lexicon_held(l), 2);
  hc_lexicon_free(of_source);
  hc_lexicon_free(l); /* gives back what is still held */
}

static void test_titles(void **state)
{
  hc_lexicon *l = new_lexicon(), *other = new_lexicon();
  (void)state;
  assert_string_equal(hc_lexicon_title_of(l, HC_CALLED_GROUP), "group");
  assert_string_equal(hc_lexicon_title_of(l, HC_CALLED_QOS), "qos");
  assert_int_equal(hc_lexicon_title(l, HC_CALLED_GROUP, "account"), 0);
  assert_int_equal(hc_lexicon_title(l, HC_CALLED_QUEUE, "Quality of Service"), HC_EUSAGE);
  assert_int_equal(hc_lexicon_title(l, HC_CALLED_QUEUE, ""), HC_EUSAGE);
  assert_int_equal(hc_lexicon_title(l, HC_CALLED_COUNT, "x"), HC_EUSAGE);
  assert_int_equal(hc_lexicon_call_all(other, l), 0);
  assert_string_equal(hc_lexicon_title_of(other, HC_CALLED_GROUP), "account");
  assert_string_equal(hc_lexicon_title_of(other, HC_CALLED_QUEUE), "queue");
  hc_lexicon_free(l);
  hc_lexicon_free(other);
}

static void test_memory_follows_what_is_held(void **state)
{
  hc_lexicon *l = new_lexicon();
  uint32_t most = 0;
  (void)state;
  for (int64_t job = 0; job < 100000; job++) {
    const uint32_t handle = keep(l, job);
    most = handle > most ? handle : most;
    hc_lexicon_drop(l, handle);
  }
  assert_int_equal(most, 1); /* one at a time, one handle */
  assert_int_equal(hc_lexicon_held(l), 0);
  hc_lexicon_free(l);
}

static hc_rc load(hc_lexicon *l, const void *data, size_t size)
{
  hc_visitor v = {.calls = &hc_state_calls,
                  .mode = HC_VISIT_LOAD,
                  .allocator = hc_default_allocator(),
                  .in = data,
                  .left = size};
  return hc_lexicon_visit(l, &v);
}

static void test_saved_and_loaded(void **state)
{
  hc_lexicon *l = new_lexicon(), *to = new_lexicon();
  hc_buffer b;
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &b};
  uint32_t one, two, three, gone, label, again;
  (void)state;
  (void)name(l, "ssd");
  (void)dimension(l, "matlab");
  one = keep(l, 1);
  two = keep(l, 2);
  three = keep(l, 3);
  hc_lexicon_drop(l, two);
  assert_int_equal(hc_lexicon_label(l, "gone", 4, &gone), 0);
  assert_int_equal(hc_lexicon_label(l, "7_1", 3, &label), 0);
  hc_lexicon_drop_handle(l, gone);
  assert_int_equal(hc_lexicon_title(l, HC_CALLED_QUEUE, "qos"), 0);
  hc_buffer_init(&b, hc_default_allocator());
  assert_int_equal(hc_lexicon_visit(l, &v), 0);
  (void)keep(to, 99); /* what was there is gone after it */
  assert_int_equal(load(to, b.data, b.size), 0);
  assert_int_equal(hc_lexicon_held(to), 3);
  assert_string_equal(hc_lexicon_label_text(to, label, NULL), "7_1");
  assert_null(hc_lexicon_label_text(to, gone, NULL));
  assert_int_equal(hc_lexicon_label(to, "8", 1, &again), 0);
  assert_int_equal(again, gone); /* the free handle of labels is known as well */
  assert_string_equal(hc_lexicon_title_of(to, HC_CALLED_QUEUE), "qos");
  assert_kept(to, one, 1);
  assert_kept(to, three, 3);
  assert_null(hc_lexicon_more(to, two));
  assert_int_equal(keep(to, 1), one); /* still shared */
  assert_int_equal(keep(to, 4), two); /* and the free handle is known */
  assert_int_equal(name(to, "ssd"), name(l, "ssd"));
  assert_int_equal(dimension(to, "matlab"), HC_DIM_OTHER);
  for (size_t cut = 0; cut < b.size; cut += 7) { /* one that ends early */
    hc_lexicon *fresh = new_lexicon();
    assert_int_equal(load(fresh, b.data, cut), HC_EINPUT);
    hc_lexicon_free(fresh);
  }
  hc_buffer_fini(&b);
  hc_lexicon_free(l);
  hc_lexicon_free(to);
}

static void called(hc_lexicon *l, hc_called kind, int64_t number, const char *text, size_t n)
{
  assert_int_equal(hc_lexicon_call(l, kind, number, text, n), 0);
}

static void assert_note(const hc_lexicon *l, const char *expected)
{
  hc_buffer b;
  hc_buffer_init(&b, hc_default_allocator());
  hc_lexicon_note_expected(l, &b);
  assert_false(b.failed);
  assert_string_equal(b.size > 0 ? b.data : "", expected);
  hc_buffer_fini(&b);
}

/* What is asked for and no source has is told, with the name most like it: of "lim" one edit makes "lin" and
 * three make "ada", which is more than the one that so short a name allows. A name need not end in a NUL. */
static void test_names_that_no_source_has(void **state)
{
  hc_lexicon *l = new_lexicon();
  hc_error e = {0};
  (void)state;
  called(l, HC_CALLED_USER, 1, "ada,", 3); /* before it is asked for */
  assert_int_equal(hc_lexicon_expect(l, HC_CALLED_USER, "ada"), 0);
  assert_note(l, "");
  assert_int_equal(hc_lexicon_expect(l, HC_CALLED_USER, "lim"), 0);
  assert_int_equal(hc_lexicon_expect(l, HC_CALLED_USER, "lim"), 0); /* once */
  assert_note(l, "no task that was read has the user \"lim\", which is asked for by name");
  called(l, HC_CALLED_GROUP, 1, "lim", 3); /* another kind */
  called(l, HC_CALLED_USER, 2, "lin,", 3);
  assert_note(
      l, "no task that was read has the user \"lim\" (did you mean \"lin\"?), which is asked for by name");
  assert_int_equal(hc_lexicon_refuse_unmet(l, hc_default_allocator(), &e), HC_EUSAGE);
  called(l, HC_CALLED_USER, 3, "lim,", 3);
  assert_note(l, "");
  assert_int_equal(hc_lexicon_refuse_unmet(l, hc_default_allocator(), &e), 0);
  hc_lexicon_free(l);
}

/* An account may be the source's group, and a QOS its queue; a group is no account. The kind is called as the
 * source calls it. */
static void test_account_that_is_a_group(void **state)
{
  hc_lexicon *l = new_lexicon();
  (void)state;
  assert_int_equal(hc_lexicon_expect(l, HC_CALLED_ACCOUNT, "physics"), 0);
  assert_int_equal(hc_lexicon_expect(l, HC_CALLED_QOS, "long"), 0);
  assert_int_equal(hc_lexicon_expect(l, HC_CALLED_GROUP, "staff"), 0);
  called(l, HC_CALLED_ACCOUNT, 1, "staff", 5);
  called(l, HC_CALLED_GROUP, 1, "physics", 7);
  called(l, HC_CALLED_QUEUE, 1, "long", 4);
  assert_int_equal(hc_lexicon_title(l, HC_CALLED_GROUP, "unix_group"), 0);
  assert_note(l, "no task that was read has the unix_group \"staff\", which is asked for by name");
  hc_lexicon_free(l);
}

/* Of several sources what is asked of each is met by one of them, and not by a name with a prefix, which is
 * the run's. A loaded lexicon knows what it was told before. */
static void test_expected_of_sources(void **state)
{
  hc_lexicon *run = new_lexicon(), *a = NULL, *b = NULL;
  hc_buffer saved;
  (void)state;
  assert_int_equal(hc_lexicon_new_within(run, &a), 0);
  assert_int_equal(hc_lexicon_new_within(run, &b), 0);
  assert_int_equal(hc_lexicon_expect(a, HC_CALLED_USER, "ann"), 0);
  assert_int_equal(hc_lexicon_expect(b, HC_CALLED_USER, "ann"), 0);
  assert_int_equal(hc_lexicon_expect(b, HC_CALLED_USER, "b/bob"), 0);
  called(run, HC_CALLED_USER, 2, "b/bob", 5);
  called(b, HC_CALLED_USER, 1, "ann", 3);
  assert_note(run, "no task that was read has the user \"b/bob\", which is asked for by name");
  hc_lexicon_free(a);
  hc_lexicon_free(b);
  hc_lexicon_free(run);
  run = new_lexicon();
  called(run, HC_CALLED_USER, 1, "ann", 3);
  hc_buffer_init(&saved, hc_default_allocator());
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = &saved};
  assert_int_equal(hc_lexicon_visit(run, &v), 0);
  hc_lexicon_free(run);
  run = new_lexicon();
  assert_int_equal(hc_lexicon_expect(run, HC_CALLED_USER, "ann"), 0);
  assert_int_equal(load(run, saved.data, saved.size), 0);
  assert_note(run, "");
  hc_buffer_fini(&saved);
  hc_lexicon_free(run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_dimensions),
      cmocka_unit_test(test_equal_facts_share_a_handle),
      cmocka_unit_test(test_made_names),
      cmocka_unit_test(test_labels),
      cmocka_unit_test(test_labels_come_and_go),
      cmocka_unit_test(test_titles),
      cmocka_unit_test(test_names_that_no_source_has),
      cmocka_unit_test(test_account_that_is_a_group),
      cmocka_unit_test(test_expected_of_sources),
      cmocka_unit_test(test_memory_follows_what_is_held),
      cmocka_unit_test(test_saved_and_loaded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
