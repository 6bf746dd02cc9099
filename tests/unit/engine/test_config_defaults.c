/* test_config_defaults.c -- which keys of a configuration are at their defaults, however that was said:
 * those that do not count in the digest of a result. */
#include "config_fixture.h"

static hc_rc add_counted(void *ctx, const char *const *row)
{
  hc_buffer *b = ctx;
  if (row[3] && strcmp(row[1], row[3]) == 0) return 0;
  hc_buffer_printf(b, "%s%s=%s", b->size > 0 ? " " : "", row[0], row[1]);
  return 0;
}

/* The rows of `configuration` that are not at their defaults, which are those that the digest counts. */
static void assert_counted(hc_config *c, const char *expected)
{
  const hc_allocator *a = hc_default_allocator();
  hc_store *s = NULL;
  hc_result *r = NULL;
  hc_buffer b;
  hc_error e = {0};
  hc_buffer_init(&b, a);
  (void)resolve(c);
  assert_int_equal(hc_store_new(a, NULL, &s, &e), 0);
  assert_int_equal(hc_config_store(c, s, &e), 0);
  assert_int_equal(hc_result_of_store(s, &r, &e), 0);
  assert_int_equal(hc_result_rows(r, "configuration", 4, add_counted, &b, &e), 0);
  assert_string_equal(b.data, expected);
  hc_buffer_fini(&b);
  hc_result_free(r);
  hc_store_free(s);
}

static void test_keys_at_defaults(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  const hc_param *p = hc_component_run.params;
  char whole[1024];
  read_text(c, "source: a.swf\n");
  assert_counted(c, "source.0=swf source.0.file=a.swf");
  set(c, "seed=01"); /* a default said aloud, in another spelling */
  set(c, "policy={use: batch}");
  set(c, "policy.order=fcfs");
  while (strcmp(p->name, "metrics") != 0) p++;
  (void)snprintf(whole, sizeof whole, "metrics=%s", p->fallback);
  set(c, whole); /* a list that is the usual one to its last item */
  assert_counted(c, "source.0=swf source.0.file=a.swf");
}

/* batch's `select` is {use: easy, share: 0.25}, and easy's own share is 0.5. */
static void test_defaults_inside_defaults(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  read_text(c, "source: a.swf\npolicy: {select: {depth: 1, share: 0.250}}\n");
  assert_counted(c, "source.0=swf source.0.file=a.swf");
  set(c, "policy.select.depth=3"); /* laid onto it */
  assert_counted(c, "source.0=swf source.0.file=a.swf policy.select.depth=3");
}

/* In place of the default, the same component is its table's own. */
static void test_defaults_in_place(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  read_text(c, "source: a.swf\npolicy: {select: {use: easy}}\n");
  assert_counted(c, "source.0=swf source.0.file=a.swf policy.select.share=0.5");
  set(c, "policy.select=scan");
  assert_counted(c, "source.0=swf source.0.file=a.swf policy.select=scan");
}

/* Of a list that is not the usual one each item counts: one that was cut short would else seem to be whole.
 * */
static void test_lists_are_whole(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  read_text(c, "source: a.swf\nmetrics: [tasks]\ntransforms: [{n: 10}, {n: 11, users: []}]\n");
  assert_counted(c,
                 "source.0=swf source.0.file=a.swf transforms.0=first transforms.1=first transforms.1.n=11 "
                 "metrics.0=tasks");
  set(c, "metrics=[]");
  set(c, "transforms=[]");
  assert_counted(c, "source.0=swf source.0.file=a.swf metrics=[]");
}

/* A preset is no default: what it says counts. */
static void test_presets_are_no_defaults(void **state)
{
  hc_config *c = ((fixture *)*state)->config;
  read_text(c, "source: a.swf\n");
  set(c, "compat=pyss");
  assert_counted(c, "compat=pyss source.0=swf source.0.file=a.swf processors=used overrun=kill_planned_long "
                    "zero_length=second too_large=clamp architecture.call=per_event "
                    "instant_order=arrivals_first end_order=start due_ends_first=true");
  set(c, "zero_length=keep"); /* at the table's default, against the preset's word */
  assert_counted(c, "compat=pyss source.0=swf source.0.file=a.swf processors=used overrun=kill_planned_long "
                    "too_large=clamp architecture.call=per_event instant_order=arrivals_first "
                    "end_order=start due_ends_first=true");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_keys_at_defaults), TEST(test_defaults_inside_defaults), TEST(test_defaults_in_place),
      TEST(test_lists_are_whole),  TEST(test_presets_are_no_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
