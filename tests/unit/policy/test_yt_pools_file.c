/* test_yt_pools_file.c -- pools of YTsaurus's simulator: the tree, what is said of each pool, and which queue
 * goes where. */
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

#include "base/util.h"
#include "cluster/lexicon.h"
#include "policy/share/yt.h"

typedef struct world {
  char path[32];
  hc_lexicon *lexicon;
  hc_turns t;
  hc_error error;
  hc_rc rc;
} world;

static const hc_list none = {0};

static hc_rc set_up(hc_turns *t, const hc_policy_context *c, const hc_yt_options *yt, const hc_list *pools,
                    const hc_list *weights, hc_error *e)
{
  const hc_turns_options o = {.rule = &hc_share_yt,
                              .where = "policy yt",
                              .yt = yt,
                              .lists = {[HC_DUE_WEIGHT] = weights},
                              .pools = pools,
                              .lexicon = c->lexicon};
  return hc_turns_init(t, c, &o, e);
}

static void read_pools(world *w, const char *text, const char *tree, const hc_list *more)
{
  memset(w, 0, sizeof *w);
  strcpy(w->path, "/tmp/hindcast_test_XXXXXX");
  const int fd = mkstemp(w->path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
  close(fd);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  const hc_policy_context c = {.allocator = hc_default_allocator(), .lexicon = w->lexicon};
  const hc_yt_options o = {.update = HC_SECOND, .main = "cpu", .pools_file = w->path, .pool_tree = tree};
  w->rc = set_up(&w->t, &c, &o, more, &none, &w->error);
  unlink(w->path);
}

static void end(world *w)
{
  hc_turns_fini(&w->t);
  hc_lexicon_free(w->lexicon);
}

static const char two_trees[] =
    "<total=1>{physical=<x={y=1}>{research=<weight=2.5; mode=fair_share; strong_guarantee_resources={cpu=8; "
    "memory=1073741824};\n"
    "  unknown=[<a=b>1]>{physics=<mode=fifo; resource_limits={cpu=1.5}; max_running_operation_count=7; "
    "historic_usage_aggregation_period=90000>{}; "
    "biology=#};\n"
    "  production={\"$attributes\"={\"weight\"=3}; \"$value\"={night={}}}}; cloud={other={}}}";

static void test_tree(void **state)
{
  const hc_user_pool_options option = {.name = "extra", .parent = "night", .weight = 4};
  hc_chosen chosen = {.options = (void *)(uintptr_t)&option};
  const hc_list more = {&chosen, 1};
  static const char *const names[] = {"research", "physics", "biology", "production", "night", "extra"};
  static const uint32_t parents[] = {0, 1, 1, 0, 4, 5};
  static const double weights[] = {2.5, 1, 1, 3, 1, 4};
  world w;
  (void)state;
  read_pools(&w, two_trees, "physical", &more);
  if (w.rc < 0) fail_msg("%s", w.error.text);
  assert_int_equal(w.t.yt->pool_count, 7); /* the root, too */
  for (uint32_t i = 0; i < 6; i++) {
    assert_string_equal(w.t.yt->pools[i + 1].o->name, names[i]);
    assert_int_equal(w.t.pools.parent[i + 1], parents[i]);
    assert_true(w.t.yt->pools[i + 1].o->weight >= weights[i] && w.t.yt->pools[i + 1].o->weight <= weights[i]);
  }
  const hc_user_pool_options *research = w.t.yt->pools[1].o, *physics = w.t.yt->pools[2].o;
  assert_int_equal(research->strong.count, 2);
  assert_string_equal(((const char *const *)research->strong.items)[0], "cpu=8");
  assert_string_equal(((const char *const *)research->strong.items)[1], "memory=1073741824");
  assert_int_equal(physics->mode, HC_POOL_MODE_FIFO);
  assert_int_equal(physics->max_running, 7);
  assert_int_equal(physics->history, 90 * HC_SECOND);
  assert_string_equal(((const char *const *)physics->limit.items)[0], "cpu=1.5");
  assert_true(w.t.yt->pools[2].is_limited);
  end(&w);
  read_pools(&w, two_trees, NULL, &none); /* one tree: physical and cloud are pools */
  if (w.rc < 0) fail_msg("%s", w.error.text);
  assert_int_equal(w.t.yt->pool_count, 1 + 8);
  end(&w);
}

/* Tags are read: they need hosts, which are not here. */
static void test_tags(void **state)
{
  world w;
  (void)state;
  read_pools(&w, "{a=<scheduling_tag_filter=\"ssd & !slow\">{}}", NULL, &none);
  assert_int_equal(w.rc, HC_EUNSUPPORTED);
  assert_non_null(strstr(w.error.text, "`tags` are of hosts"));
  end(&w);
}

/* By the name of the queue, unless a pool lists it. */
static void test_whose_pool(void **state)
{
  const char *listed = "physics";
  const hc_user_pool_options option = {.name = "extra", .weight = 1, .queues = {&listed, 1}};
  hc_chosen chosen = {.options = (void *)(uintptr_t)&option};
  const hc_list more = {&chosen, 1};
  world w;
  (void)state;
  read_pools(&w, two_trees, "physical", &more);
  if (w.rc < 0) fail_msg("%s", w.error.text);
  assert_int_equal(hc_lexicon_call(w.lexicon, HC_CALLED_QUEUE, 1, "night", 5), 0);
  assert_int_equal(hc_lexicon_call(w.lexicon, HC_CALLED_QUEUE, 2, "physics", 7), 0);
  assert_int_equal(hc_lexicon_call(w.lexicon, HC_CALLED_QUEUE, 3, "nobody's", 8), 0);
  assert_int_equal(hc_yt_pool_for(w.t.yt, -1, -1, 1), 5);
  assert_int_equal(hc_yt_pool_for(w.t.yt, -1, -1, 2), 6);
  assert_int_equal(hc_yt_pool_for(w.t.yt, -1, -1, 3), 0);
  assert_int_equal(hc_yt_pool_for(w.t.yt, -1, -1, 4), 0);
  end(&w);
}

/* Each by its number, or by what the source calls it; who came is not named. */
static void test_who_never_came(void **state)
{
  const char *users[] = {"ann", "17", "ben", "18"};
  const char *weight = "cyd=2";
  const hc_user_pool_options option = {.name = "extra", .weight = 1, .users = {users, 4}};
  hc_chosen chosen = {.options = (void *)(uintptr_t)&option};
  const hc_list more = {&chosen, 1}, weights = {&weight, 1};
  hc_turns t;
  hc_lexicon *l;
  hc_buffer text;
  hc_error e = {0};
  (void)state;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  const hc_policy_context c = {.allocator = hc_default_allocator(), .lexicon = l};
  const hc_yt_options o = {.main = "cpu"};
  assert_int_equal(set_up(&t, &c, &o, &more, &weights, &e), 0);
  assert_int_equal(hc_lexicon_call(l, HC_CALLED_USER, 5, "ben", 3), 0);
  (void)hc_dues_of(&t.dues, 5);
  (void)hc_dues_of(&t.dues, 17);
  (void)hc_dues_of(&t.dues, 17);
  (void)hc_dues_of(&t.dues, -1);
  hc_buffer_init(&text, hc_default_allocator());
  hc_dues_note(&t.dues, &text);
  hc_buffer_add(&text, "", 1);
  static const char expected[] = "no task came from user ann, 18, cyd, which the policy yt names";
  if (strncmp(text.data, expected, sizeof expected - 1) != 0) fail_msg("%s", text.data);
  hc_buffer_fini(&text);
  hc_turns_fini(&t);
  hc_lexicon_free(l);
}

static void refuse(const char *text, const char *tree, const char *words)
{
  world w;
  read_pools(&w, text, tree, &none);
  if (w.rc >= 0 || !strstr(w.error.text, words)) fail_msg("%s: %d, %s", text, w.rc, w.error.text);
  end(&w);
}

static void test_what_is_wrong(void **state)
{
  (void)state;
  refuse("{}", NULL, "there is no pool in it");
  refuse("{a={}}", "b", "there is no pool in it");
  refuse("{a=7}", NULL, "a pool is");
  refuse("{a=<weight=0>{}}", NULL, "weight must be");
  refuse("{a=<mode=lifo>{}}", NULL, "mode must be");
  refuse("{a=<max_running_operation_count=x>{}}", NULL, "whole number");
  refuse("{a=<resource_limits={cpu=many}>{}}", NULL, "expected an amount");
  refuse("{a=<integral_guarantees={guarantee_type=burst}>{}}", NULL, "is a share of the cell here");
  refuse("{a={a={}}}", NULL, "two pools a");
  refuse("{a=<mode=fifo>{b={}}}", NULL, "a is fifo");
  refuse("{a=<mode=fifo", NULL, "the file is truncated");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tree), cmocka_unit_test(test_tags),
                                     cmocka_unit_test(test_whose_pool), cmocka_unit_test(test_who_never_came),
                                     cmocka_unit_test(test_what_is_wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
