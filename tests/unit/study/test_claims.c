/* test_claims.c -- statements decided over a small study whose truth is known, and files that are wrong. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/util.h"
#include "unit/study/study_test.h"

/* wait_mean, less is better: a 10, b 20, c 20.5 with noise of its own that hides 0.5, d 40; ff and rf are the
 * same; the noise of a replication is common. In scenario 2 everything is twice as long, and a is 4 instead
 * of 20. utilisation: the same, turned. */
static const char *const axes[] = {"scenario", "1 2",     "selection",   "a b c d",     "placement", "ff rf",
                                   "load",     "0.3 0.9", "replication", "1 2 3 4 5 6", NULL};
static const char *const figures[] = {"wait_mean", "utilisation", NULL};

static double value(size_t figure, const uint32_t *level)
{
  static const double of[] = {10, 20, 20.5, 40}, common[] = {-1, 2, 0, 1, -2, 0},
                      own[] = {2, -2, 1, -1, 2, -2};
  double w = (of[level[1]] + common[level[4]]) * (level[0] + 1);
  if (level[0] == 1 && level[1] == 0) w = 4 + common[level[4]];
  if (level[1] == 2) w += own[level[4]];
  if (level[3] == 0) w = 5 + common[level[4]]; /* nothing matters at low load */
  return figure == 0 ? w : 100 - w;
}

static hc_rc check_where(const hc_allocator *a, const char *text, const char *const *where, hc_claims **out,
                         hc_error *e)
{
  char path[] = "/tmp/hc_claims_XXXXXX";
  int file = mkstemp(path);
  study_test s;
  hc_rc rc;
  assert_true(file >= 0);
  assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
  close(file);
  study_make(&s, axes, figures, value);
  rc = hc_claims_check(a, &s.data, path, where, where ? 1 : 0, out, e);
  unlink(path);
  study_drop(&s);
  return rc;
}

static hc_rc check_with(const hc_allocator *a, const char *text, hc_claims **out, hc_error *e)
{
  return check_where(a, text, NULL, out, e);
}

static hc_rc check(const char *text, hc_claims **out, hc_error *e)
{
  return check_with(hc_default_allocator(), text, out, e);
}

#define HEAD "where: [load>=0.5, placement=ff, scenario=1]\naxis: selection\nfigure: wait_mean\nclaims:\n"

static void each_test_has_three_answers(void **state)
{
  static const struct {
    const char *test;
    hc_claim_verdict verdict;
    uint32_t lines;
  } cases[] = {
      {"order: [a, b, d]", HC_CLAIM_CONFIRMED, 2},
      {"order: [b, a]", HC_CLAIM_NOT_CONFIRMED, 1},
      {"order: [b, c]", HC_CLAIM_UNDECIDABLE, 1},
      {"order: [a, [b, c], d]", HC_CLAIM_CONFIRMED, 4},
      {"order: [a, b, c, d]", HC_CLAIM_UNDECIDABLE, 3},
      {"best: a", HC_CLAIM_CONFIRMED, 3},
      {"best: [a, b]", HC_CLAIM_UNDECIDABLE, 4}, /* b against c */
      {"best: b\n    besides: [a, c]", HC_CLAIM_CONFIRMED, 1},
      {"best: d", HC_CLAIM_NOT_CONFIRMED, 3},
      {"best_among: [a, d]", HC_CLAIM_CONFIRMED, 2},                     /* a leads b and c; d need not */
      {"best_among: [b, d]", HC_CLAIM_NOT_CONFIRMED, 2},                 /* a leads both */
      {"best_among: [b, d]\n    besides: [a]", HC_CLAIM_UNDECIDABLE, 1}, /* b against c; d loses to it */
      {"worst: d", HC_CLAIM_CONFIRMED, 3},
      {"worst: a", HC_CLAIM_NOT_CONFIRMED, 3},
      {"equal: every\n    axis: placement\n    where: [placement!=none]", HC_CLAIM_UNDECIDABLE,
       0}, /* no such level */
      {"equal: every\n    axis: placement\n    where: [\"placement=ff,rf\"]\n    each: selection",
       HC_CLAIM_CONFIRMED, 4},
      {"equal: [a, b]", HC_CLAIM_NOT_CONFIRMED, 1},
      {"tie: [b, c]\n    margin: 0.2", HC_CLAIM_CONFIRMED, 1},
      {"tie: [b, c]\n    margin: 0.001", HC_CLAIM_UNDECIDABLE, 1},
      {"tie: [a, b]\n    margin: 0.2", HC_CLAIM_NOT_CONFIRMED, 1},
      {"tie: every\n    where: [load<0.5]", HC_CLAIM_CONFIRMED, 3},
      /* a is 10 from b, whose mean is 20; the means of all span 30: 40 % of that is 12, of the mean only 8 */
      {"tie: [b, a]\n    margin: 0.4", HC_CLAIM_NOT_CONFIRMED, 1},
      {"tie: [b, a]\n    margin: 0.4\n    margin_of: mean", HC_CLAIM_NOT_CONFIRMED, 1},
      {"tie: [b, a]\n    margin: 0.4\n    margin_of: range", HC_CLAIM_CONFIRMED, 1},
      {"tie: [b, a]\n    margin: 0.15\n    margin_of: range", HC_CLAIM_NOT_CONFIRMED, 1},
      /* a is 10 with a deviation of 1.41, six samples: 10 +- 1.5. d / a is 40 / 10; d - 3a is 10 and more, d
       * - 5a is -10 and less; d - 4a is -3 times the noise: nothing can be said */
      {"value: {of: a, least: 8, most: 12}", HC_CLAIM_CONFIRMED, 2},
      {"value: {of: a, least: 12}", HC_CLAIM_NOT_CONFIRMED, 1},
      {"value: {of: a, least: 8, most: 9.9}", HC_CLAIM_UNDECIDABLE, 2},
      {"value: {of: [a, b], most: 12}", HC_CLAIM_NOT_CONFIRMED, 2},
      {"ratio: {of: d, to: a, least: 3, most: 5}", HC_CLAIM_CONFIRMED, 2},
      {"ratio: {of: d, to: a, least: 5}", HC_CLAIM_NOT_CONFIRMED, 1},
      {"ratio: {of: d, to: a, least: 4}", HC_CLAIM_UNDECIDABLE, 1},
      {"ratio: {of: [b, d], to: a, least: 1.5}", HC_CLAIM_CONFIRMED, 2},
      {"equal: [a, b, d]\n    where: [load<0.5]", HC_CLAIM_CONFIRMED, 2},
      {"best: a\n    figure: [wait_mean, utilisation]", HC_CLAIM_CONFIRMED, 6},
      {"best: a\n    direction: higher", HC_CLAIM_NOT_CONFIRMED, 3},
      {"gap: {between: [a, b], smaller: [scenario=1], larger: [scenario=2]}", HC_CLAIM_CONFIRMED, 1},
      {"gap: {between: [a, b], smaller: [scenario=2], larger: [scenario=1]}", HC_CLAIM_NOT_CONFIRMED, 1},
      {"most: {better: a, than: b}\n    figure: [wait_mean, utilisation]", HC_CLAIM_CONFIRMED, 2},
      {"most: {better: d, than: b}\n    figure: [wait_mean, utilisation]", HC_CLAIM_NOT_CONFIRMED, 2},
      {"most: {better: b, than: c}", HC_CLAIM_UNDECIDABLE, 1},
      {"all: [{best: a}, {worst: d}]", HC_CLAIM_CONFIRMED, 6},
      {"all: [{best: a}, {worst: b}]", HC_CLAIM_NOT_CONFIRMED, 6},
      {"all: [{best: a}, {order: [b, c]}]", HC_CLAIM_UNDECIDABLE, 4},
      {"best: absent", HC_CLAIM_UNDECIDABLE, 0},
      {"best: a\n    figure: makespan", HC_CLAIM_UNDECIDABLE, 0},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    char text[600];
    hc_claims *c;
    hc_error e = {0};
    (void)snprintf(text, sizeof text, HEAD "  - id: %zu\n    text: one\n    %s\n", i, cases[i].test);
    if (check(text, &c, &e) < 0) fail_msg("%s: %s", cases[i].test, e.text);
    assert_int_equal(c->count, 1);
    if (c->claims[0].verdict != cases[i].verdict || c->claims[0].count != cases[i].lines)
      fail_msg("%s: %s with %u lines", cases[i].test, hc_claim_verdict_name(c->claims[0].verdict),
               c->claims[0].count);
    if (cases[i].lines == 0) assert_non_null(c->claims[0].why);
    hc_claims_free(hc_default_allocator(), c);
  }
}

/* Six samples. a leads b by 10 in each: all six ranks are positive, p = 1/64, which is below half of 1 - 0.95
 * and not of 1 - 0.99. c - b is 0.5 + own = 2.5 -1.5 1.5 -0.5 2.5 -1.5: mid-ranks of the sizes 1; 3 3 3; 5.5
 * 5.5: W+ = 3 + 5.5 + 5.5 = 14 of 21. "b before c" is W+ >= 14: of 64 signs those with a sum of at most 7: by
 * the sign of 1 and how many of the 3s and of the 5.5s are positive: 0; 1; 3 (3 ways); 4 (3); 5.5 (2); 6 (3);
 * 6.5 (2); 7 (3) = 18, p = 18/64. A tie of b and c within 10: c - b + 10 and 10 - (c - b) are positive in
 * all: 1/64 each. */
static void signed_ranks_decide_where_asked(void **state)
{
  hc_claims *c;
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(check("test: wilcoxon\n" HEAD
                         "  - {order: [a, b]}\n  - {order: [b, c]}\n  - {tie: [b, c], margin: 0.5}\n"
                         "  - {order: [a, b], test: t}\n  - {order: [b, a]}\n  - {equal: [a, a]}\n",
                         &c, &e),
                   0);
  assert_true(c->claims[0].lines[0].p_for == 1.0 / 64 && c->claims[0].verdict == HC_CLAIM_CONFIRMED);
  assert_true(c->claims[0].lines[0].p_against == 1 && c->claims[0].lines[0].test == HC_STAT_TEST_WILCOXON);
  assert_true(c->claims[1].lines[0].p_for == 18.0 / 64 && c->claims[1].verdict == HC_CLAIM_UNDECIDABLE);
  assert_true(c->claims[2].lines[0].p_for == 1.0 / 64 && c->claims[2].verdict == HC_CLAIM_CONFIRMED);
  assert_true(c->claims[3].lines[0].p_for == 0 && c->claims[3].lines[0].test == HC_STAT_TEST_T);
  assert_true(c->claims[4].lines[0].p_against == 1.0 / 64 && c->claims[4].verdict == HC_CLAIM_NOT_CONFIRMED);
  hc_claims_free(hc_default_allocator(), c);
  assert_int_equal(check("level: 0.99\ntest: wilcoxon\n" HEAD "  - {order: [a, b]}\n", &c, &e), 0);
  assert_int_equal(c->claims[0].verdict, HC_CLAIM_UNDECIDABLE); /* six samples cannot say so by ranks */
  hc_claims_free(hc_default_allocator(), c);
}

/* A condition of the asker restricts every statement and is never replaced: in scenario 2 a leads b by 36 and
 * more, and what a statement wants of scenario 1 has nothing left. */
static void the_askers_conditions_hold_beside_those_of_statements(void **state)
{
  static const char *const two[] = {"scenario=2"}, *const none[] = {"scenrio=2"},
                           *const beside[] = {"selection!=b"};
  static const char text[] = "figure: wait_mean\naxis: selection\nclaims:\n  - {best: a, where: [load=0.9]}\n"
                             "  - {best: a, where: [load=0.9, scenario=1]}\n"
                             "  - {best: a, where: [load=0.9], each: scenario}\n";
  hc_claims *c;
  hc_error e = {0};
  HC_UNUSED(state);
  assert_int_equal(check_where(hc_default_allocator(), text, two, &c, &e), 0);
  assert_int_equal(c->claims[0].verdict, HC_CLAIM_CONFIRMED);
  assert_true(c->claims[0].lines[0].of_left.mean == 4 && c->claims[0].lines[0].of_right.mean == 40);
  assert_string_equal(c->claims[0].lines[0].where, "load=0.9, scenario=2");
  assert_int_equal(c->claims[1].verdict, HC_CLAIM_UNDECIDABLE);
  assert_non_null(strstr(c->claims[1].why, "leave no level of axis scenario"));
  assert_int_equal(c->claims[2].count, 3); /* scenario 2 alone is left to `each` */
  hc_claims_free(hc_default_allocator(), c);
  assert_int_equal(check_where(hc_default_allocator(), text, beside, &c, &e), 0);
  assert_int_equal(c->claims[0].count, 2); /* c and d */
  hc_claims_free(hc_default_allocator(), c);
  assert_int_equal(check_where(hc_default_allocator(), text, none, &c, &e), HC_EUSAGE);
  assert_non_null(strstr(e.text, "did you mean \"scenario\""));
}

/* a against b: 10 less in each replication, without spread. b against c: differences 0.5 + own: mean 0.5,
 * deviation of own sqrt(18 / 5). One-sided p for "b better": t = 0.5 / (1.897 / sqrt 6) = 0.6455 with 5
 * degrees: 0.2735. */
static void numbers_stand_behind_the_verdict(void **state)
{
  hc_claims *c;
  hc_error e = {0};
  const hc_claim_line *l;
  HC_UNUSED(state);
  assert_int_equal(
      check(HEAD "  - {id: x, text: one, order: [a, b, c], expect: undecidable}\n  - {id: y, best: a}\n", &c,
            &e),
      0);
  l = c->claims[0].lines;
  assert_string_equal(l[0].left, "a");
  assert_string_equal(l[0].relation, "better than");
  assert_true(l[0].of_left.mean == 10 && l[0].of_right.mean == 20);
  assert_true(l[0].pairs.difference.mean == 10); /* turned: more is better */
  assert_true(l[0].p_for == 0 && l[0].verdict == HC_CLAIM_CONFIRMED);
  assert_true(fabs(l[1].pairs.difference.mean - 0.5) < 1e-12 && fabs(l[1].p_for - 0.2735) < 5e-4);
  assert_string_equal(l[1].where, "load>=0.5, placement=ff, scenario=1");
  assert_int_equal(c->verdicts[HC_CLAIM_CONFIRMED], 1);
  assert_int_equal(c->verdicts[HC_CLAIM_UNDECIDABLE], 1);
  assert_int_equal(c->unexpected, 0);
  hc_claims_free(hc_default_allocator(), c);
}

static void a_wrong_file_is_an_error_with_its_place(void **state)
{
  static const struct {
    const char *text, *expect;
    uint32_t line;
  } cases[] = {
      {HEAD "  - {id: 1, bst: a}\n", "unknown key \"bst\"", 5},
      {HEAD "  - {id: 1, best: a, worst: b}\n", "a second test", 5},
      {HEAD "  - {id: 1, text: none}\n", "no test", 5},
      {HEAD "  - {id: 1, tie: [a, b], margin: -1}\n", "share above 0", 5},
      {HEAD "  - {id: 1, tie: [a, b], margin_of: axis}\n", "mean (a share of the first's mean) or range", 5},
      {HEAD "  - {id: 1, value: {of: a}}\n", "expected {of: A, least: NUMBER, most: NUMBER}", 5},
      {HEAD "  - {id: 1, ratio: {of: a, least: 2}}\n", "expected {of: A, to: B, least: NUMBER", 5},
      {HEAD "  - {id: 1, value: {of: a, least: much}}\n", "expected a number", 5},
      {HEAD "  - {id: 1, order: a}\n", "expected a list", 5},
      {HEAD "  - {id: 1, gap: {between: [a, b]}}\n", "expected {between", 5},
      {HEAD "  - {id: 1, best: a, test: sign}\n", "expected t (Student's, of the mean) or wilcoxon", 5},
      {HEAD "  - {id: 1, best: a, expect: maybe}\n", "expected confirmed", 5},
      {HEAD "  - {id: 1, best: {a: b}}\n", "expected a text", 5},
      {"claim: []\n", "a list `claims`", 1},
      {"level: 2\nclaims: []\n", "above 0 and below 1", 1},
      {"axis: selection\nclaims:\n  - best: a\n", "by which figure", 3},
      {"figure: wait_mean\nclaims:\n  - best: a\n", "which axis", 3},
  };
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    hc_claims *c;
    hc_error e = {0};
    assert_int_equal(check(cases[i].text, &c, &e), HC_EINPUT);
    if (!strstr(e.text, cases[i].expect) || e.line != cases[i].line)
      fail_msg("case %zu says at line %u: %s", i, e.line, e.text);
  }
}

/* The n-th allocation fails, for each n: HC_ENOMEM, never another verdict, and everything is given back. */
static void running_out_of_memory_is_an_error(void **state)
{
  uint64_t n = 0;
  HC_UNUSED(state);
  for (;; n++) {
    failing f = {.left = n};
    hc_allocator a = {.ctx = &f, .resize = failing_resize};
    hc_claims *c;
    hc_error e = {0};
    hc_rc rc = check_with(
        &a,
        HEAD "  - {all: [{best: a, test: wilcoxon}, {gap: {between: [a, b], smaller: [scenario=1], larger: "
             "[scenario=2]}}, {equal: every, each: load}]}\n",
        &c, &e);
    if (rc == 0) {
      assert_int_equal(c->claims[0].count, 3 + 1 + 3); /* of the loads only 0.9 is left by HEAD */
      assert_null(c->claims[0].why);
      hc_claims_free(&a, c);
    }
    assert_int_equal(f.live, 0);
    if (rc == 0) break;
    if (rc != HC_ENOMEM) fail_msg("allocation %llu: %d %s", (unsigned long long)n, rc, e.text);
  }
  assert_true(n > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_test_has_three_answers),
      cmocka_unit_test(numbers_stand_behind_the_verdict),
      cmocka_unit_test(signed_ranks_decide_where_asked),
      cmocka_unit_test(the_askers_conditions_hold_beside_those_of_statements),
      cmocka_unit_test(a_wrong_file_is_an_error_with_its_place),
      cmocka_unit_test(running_out_of_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
