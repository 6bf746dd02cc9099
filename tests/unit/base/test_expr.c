/* test_expr.c -- expressions: values against C's own arithmetic, precedence, errors with their column, and
 * limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/expr.h"
#include "base/math.h"
#include "base/util.h"

static const char *const names[] = {"wait", "request", "procs", "min", "user.share"};
static const double values[] = {3600, 7200, 64, 5, 0.25};

static double value_of(const char *text)
{
  hc_arena arena;
  hc_expr *x = NULL;
  hc_error e = {0};
  hc_arena_init(&arena, hc_default_allocator());
  if (hc_expr_compile(&arena, text, names, HC_ARRAY_LEN(names), &x, &e) < 0)
    fail_msg("\"%s\", column %u: %s", text, e.column, e.text);
  double value = hc_expr_value(x, values);
  hc_arena_fini(&arena);
  return value;
}

static void is(const char *text, double want)
{
  double got = value_of(text);
  if (!(got == want) || (got == 0 && signbit(got))) fail_msg("%s is %.17g, not %.17g", text, got, want);
}

static void is_nan(const char *text)
{
  double got = value_of(text);
  if (!isnan(got)) fail_msg("%s is %.17g, not a NaN", text, got);
}

static void arithmetic_and_precedence(void **state)
{
  HC_UNUSED(state);
  is("1 + 2 * 3", 7);
  is("(1 + 2) * 3", 9);
  is("64KiB / 2 + 1kB", 33768); /* the units of sizes, with their B */
  is("10 - 4 - 3", 3); /* from the left */
  is("2 / 4 / 2", 0.25);
  is("7 % 4 * 2", 6);
  is("2 ^ 3 ^ 2", 512); /* from the right */
  is("-2 ^ 2", -4);     /* the power before the sign */
  is("2 ^ -1", 0.5);    /* but a sign after it belongs to the exponent */
  is("2 ^ -1 ^ 2", 0.5);
  is("--3", 3);
  is("+-+3", -3);
  is("-(wait / request)^3 * procs", -8); /* WFP3: -(1/2)^3 * 64 */
  is(" 1\t+\n1 ", 2);
  is("1e3 + .5 + 2.E1", 1020.5);
  is("0.1 + 0.2", 0.1 + 0.2);
}

static void comparisons_and_logic(void **state)
{
  HC_UNUSED(state);
  is("1 < 2", 1);
  is("2 <= 1", 0);
  is("2 > 1 && 3 >= 3", 1);
  is("2 + 2 == 4", 1);
  is("1 != 1", 0);
  is("0 || 0 && 1", 0);
  is("1 || 0 && 0", 1); /* && before || */
  is("!0 + !5", 1);
  is("!procs == 0", 1); /* the ! first */
  is("3 && -0.5", 1);   /* 1 or 0, not the operand */
  is("1 ? 2 : 3", 2);
  is("0 ? 1 : 0 ? 2 : 3", 3); /* from the right */
  is("wait > 10 ? procs : request", 64);
  is("1 ? 0 ? 1 : 2 : 3", 2);
  is("(1 < 2) < 3", 1); /* in parentheses they may chain */
}

static void functions(void **state)
{
  HC_UNUSED(state);
  is("min(3, 1, 2) + max(3, 1, 2, 9)", 10);
  is("min + min(min, 4)", 9); /* a variable may be called like a function */
  is("abs(-3) + abs(3)", 6);
  is("sqrt(2)", sqrt(2));
  is("exp(1)", hc_exp(1));
  is("log(procs)", hc_log(64));
  is("log2(procs) + log10(1000)", 9);
  is("pow(procs, 0.5) * user.share", 2);
  is("floor(2.7)", 2);
  is("floor(-2.1)", -3);
  is("ceil(2.1)", 3);
  is("ceil(-2.7)", -2);
  is("ceil(-0.5)", 0); /* and no "-0": is() looks at the sign */
  is("-0", 0);
  is("abs(-0)", 0);
  is("round(2.5)", 3);
  is("round(-2.5)", -3);
  is("round(0.49999999999999994)", 0); /* where adding a half would round up */
  is("floor(1e300)", 1e300);
  is("round(4503599627370497)", 4503599627370497); /* whole already */
}

static void nan_and_infinity(void **state)
{
  HC_UNUSED(state);
  is_nan("1 / 0");
  is_nan("0 / (procs - 64)");
  is_nan("5 % 0");
  is_nan("sqrt(-1)");
  is_nan("log(-1)");
  is_nan("1 / 0 + 1");
  is_nan("min(1, 0 / 0)"); /* a NaN is not lost on the way */
  is_nan("max(0 / 0, 1)");
  is("0 / 0 < 1", 0);
  is("0 / 0 != 0 / 0", 1);
  is("(0 / 0) && 1", 0); /* and it is not true */
  is("(0 / 0) ? 1 : 2", 2);
  is("1e308 * 10", INFINITY);
  is("-log(0)", INFINITY);
  is("5 % (1e308 * 10)", 5);
}

/* % against the C library's fmod, which is exact as well, for numbers of every size. */
static void remainders_are_exact(void **state)
{
  HC_UNUSED(state);
  hc_arena arena;
  hc_expr *x = NULL;
  hc_draws s = {.seed = 1};
  const char *const two[] = {"a", "b"};
  hc_arena_init(&arena, hc_default_allocator());
  assert_int_equal(hc_expr_compile(&arena, "a % b", two, 2, &x, NULL), 0);
  for (int i = 0; i < 300000; i++) {
    double v[2];
    for (int k = 0; k < 2; k++) {
      uint64_t u = hc_random_bits(&s);
      if (i % 3 == 0) v[k] = (double)(int64_t)hc_random_below(&s, 100000) - 50000;
      else if (i % 3 == 1) v[k] = ldexp((double)(u >> 11), (int)(u & 127) - 64);
      else memcpy(&v[k], &u, sizeof u);
    }
    double got = hc_expr_value(x, v), want = fmod(v[0], v[1]);
    if (!(got == want) && !(isnan(got) && isnan(want)))
      fail_msg("%a %% %a is %a, not %a", v[0], v[1], got, want);
  }
  hc_arena_fini(&arena);
}

static void refuses(const char *text, hc_rc want, uint32_t column, const char *word)
{
  hc_arena arena;
  hc_expr *x = NULL;
  hc_error e = {0};
  hc_arena_init(&arena, hc_default_allocator());
  hc_rc rc = hc_expr_compile(&arena, text, names, HC_ARRAY_LEN(names), &x, &e);
  if (rc != want || e.rc != want || e.column != column || !strstr(e.text, word))
    fail_msg("\"%.60s\" gives %d, column %u: %s", text, rc, e.column, e.text);
  hc_arena_fini(&arena);
}

static void errors_name_the_column_and_the_remedy(void **state)
{
  HC_UNUSED(state);
  refuses("", HC_EUSAGE, 1, "empty");
  refuses("  ", HC_EUSAGE, 3, "empty");
  refuses("1 +", HC_EUSAGE, 4, "the text ends");
  refuses("(1 + 2", HC_EUSAGE, 7, "\")\"");
  refuses("1 2", HC_EUSAGE, 3, "an operator");
  refuses("1 + wiat", HC_EUSAGE, 5, "did you mean \"wait\"");
  refuses("zzzzz", HC_EUSAGE, 1, "known are: wait, request, procs, min, user.share");
  refuses("flor(1)", HC_EUSAGE, 1, "did you mean \"floor\"");
  refuses("wait(1)", HC_EUSAGE, 1, "no function \"wait\"");
  refuses("wait = 3", HC_EUSAGE, 6, "write ==");
  refuses("wait & 3", HC_EUSAGE, 6, "write &&");
  refuses("wait | 3", HC_EUSAGE, 6, "write ||");
  refuses("wait ** 3", HC_EUSAGE, 6, "write ^");
  refuses("1 < wait < 3", HC_EUSAGE, 10, "do not chain");
  refuses("1 < 2 == 1", HC_EUSAGE, 7, "do not chain");
  refuses("1 ? 2", HC_EUSAGE, 6, "\":\"");
  refuses("3 * 12abc", HC_EUSAGE, 5, "\"12abc\" is not a number");
  refuses("1.2.3", HC_EUSAGE, 1, "not a number");
  refuses("1e", HC_EUSAGE, 1, "not a number");
  refuses(".", HC_EUSAGE, 1, "not a number");
  refuses("sqrt()", HC_EUSAGE, 6, "expected a number");
  refuses("sqrt(1, 2)", HC_EUSAGE, 1, "sqrt takes 1 value");
  refuses("pow(1)", HC_EUSAGE, 1, "pow takes 2 values");
  refuses("pow(1, 2, 3)", HC_EUSAGE, 1, "pow takes 2 values");
  refuses("min(1)", HC_EUSAGE, 1, "min takes at least 2 values");
  refuses("1 + \xff", HC_EUSAGE, 5, "byte 0xff");
  refuses("1 # 2", HC_EUSAGE, 3, "'#'");
}

/* `open` n times, "1", `close` n times. */
static char *nest(const char *open, const char *close, int n)
{
  char *text = calloc(1, (strlen(open) + strlen(close)) * (size_t)n + 2), *p = text;
  assert_non_null(text);
  for (int i = 0; i < n; i++) p += sprintf(p, "%s", open);
  p += sprintf(p, "1");
  for (int i = 0; i < n; i++) p += sprintf(p, "%s", close);
  return text;
}

static void nesting_and_length_are_bounded(void **state)
{
  HC_UNUSED(state);
  const struct {
    const char *open, *close;
    double value; /* of 64 levels */
  } shapes[] = {
      {"(", ")", 1},     {"-", "", 1},
      {"1^", "", 1},     {"0?2:", "", 1},
      {"sqrt(", ")", 1}, {"0 ? 2 : 0 || 1 && 1 < 2 + 1 * (", ")", 1}}; /* holds the most values at once */
  for (size_t i = 0; i < HC_ARRAY_LEN(shapes); i++) {
    int levels = i + 1 == HC_ARRAY_LEN(shapes) ? 32 : 64; /* the last has two levels each */
    char *text = nest(shapes[i].open, shapes[i].close, levels);
    is(text, shapes[i].value);
    free(text);
    text = nest(shapes[i].open, shapes[i].close, levels + 1);
    hc_arena arena;
    hc_expr *x = NULL;
    hc_error e = {0};
    hc_arena_init(&arena, hc_default_allocator());
    assert_int_equal(hc_expr_compile(&arena, text, NULL, 0, &x, &e), HC_ELIMIT);
    assert_non_null(strstr(e.text, "64"));
    hc_arena_fini(&arena);
    free(text);
  }
  char *sum = nest("1+", "", HC_EXPR_LIMIT / 2 - 1); /* a flat sum may be as long as the limit */
  is(sum, HC_EXPR_LIMIT / 2);
  free(sum);
  sum = nest("1+", "", HC_EXPR_LIMIT / 2);
  refuses(sum, HC_ELIMIT, 1, "4096 bytes");
  free(sum);
}

static void variables_read_are_known(void **state)
{
  HC_UNUSED(state);
  hc_arena arena;
  hc_expr *x = NULL;
  hc_arena_init(&arena, hc_default_allocator());
  assert_int_equal(
      hc_expr_compile(&arena, "procs * 2 + (0 ? user.share : 1)", names, HC_ARRAY_LEN(names), &x, NULL), 0);
  const bool want[] = {false, false, true, false, true}; /* what could be skipped counts as read */
  for (size_t i = 0; i < HC_ARRAY_LEN(want); i++) assert_int_equal(hc_expr_reads(x, i), want[i]);
  assert_false(hc_expr_reads(x, 5)); /* there is no sixth */
  const char *many[130];
  char text[130][16];
  for (int i = 0; i < 130; i++) {
    (void)snprintf(text[i], sizeof text[i], "v%d", i);
    many[i] = text[i];
  }
  assert_int_equal(hc_expr_compile(&arena, "v129 - v64", many, 130, &x, NULL), 0);
  for (size_t i = 0; i < 130; i++) assert_int_equal(hc_expr_reads(x, i), i == 64 || i == 129);
  hc_arena_fini(&arena);
}

/* ---- names ---- */

static bool has_name(size_t i)
{
  return i == 3 || i == 4; /* min and user.share, whatever they are called */
}

/* min is 5 and called so; user.share has no name. */
static const char *called(const void *ctx, size_t i)
{
  return i == 3 ? ctx : NULL;
}

static double named(const char *text, const char *name)
{
  hc_arena arena;
  hc_expr *x = NULL;
  hc_error e = {0};
  const double of[] = {3600, 7200, 64, 5, 7};
  hc_arena_init(&arena, hc_default_allocator());
  if (hc_expr_compile_called(&arena, text, names, HC_ARRAY_LEN(names), has_name, &x, &e) < 0)
    fail_msg("\"%s\", column %u: %s", text, e.column, e.text);
  const double value = hc_expr_value_called(x, of, called, name);
  hc_arena_fini(&arena);
  return value;
}

static void names_are_compared(void **state)
{
  HC_UNUSED(state);
  const struct {
    const char *text;
    double value;
  } all[] = {{"min == \"ann\"", 1},
             {"min != \"ann\"", 0},
             {"min == 'ann' && wait > 1", 1},
             {"'ann' == min", 1},
             {"\"bob\" != min", 1},
             {"(min) == 'ann'", 1},
             {"!(min == 'ann')", 0},
             {"min == 'an'", 0},
             {"min == 'anna'", 0},
             {"min == 'Ann'", 0},
             {"min == '5'", 0},        /* it has a name, which is not that */
             {"min == 5", 1},          /* and still a number */
             {"user.share == '7'", 1}, /* what has no name is called by its number */
             {"user.share == '07.0'", 1},
             {"user.share == 'ann'", 0},
             {"user.share != 'ann'", 1},
             {"min in ('bob', 'ann')", 1},
             {"min in ('bob')", 0},
             {"min not in ('bob', 'ann')", 0},
             {"min in (4, 5)", 1},
             {"min in ('bob', 2 + 3)", 1},
             {"procs in (63, 64)", 1}, /* of a variable without names, numbers */
             {"procs not in (63, wait)", 1},
             {"min in ('ann') ? 2 : 3", 2},
             {"min == 'ann' ? procs : 0", 64},
             {"1 + (min == 'ann')", 2},
             {"min == 5 || 'x' == min", 1}};
  for (size_t i = 0; i < HC_ARRAY_LEN(all); i++)
    if (named(all[i].text, "ann") != all[i].value) fail_msg("%s", all[i].text);
  assert_true(named("min == \"o'hara\"", "o'hara") == 1);
  assert_true(named("min == 'o\\'hara'", "o'hara") == 1);
  assert_true(named("min == \"a \\\"b\\\" \\\\ c\"", "a \"b\" \\ c") == 1);
  assert_true(named("min == 'a\\b'", "a\\b") == 1); /* before another letter it is itself */
  assert_true(named("min == ''", "") == 1);
  assert_true(named("min == '\xd0\xb8\xd0\xbc\xd1\x8f'", "\xd0\xb8\xd0\xbc\xd1\x8f") == 1);
  assert_true(named("min in ('a, b) || (', 'c')", "a, b) || (") == 1);
}

static void refuses_named(const char *text, uint32_t column, const char *word)
{
  hc_arena arena;
  hc_expr *x = NULL;
  hc_error e = {0};
  hc_arena_init(&arena, hc_default_allocator());
  const hc_rc rc = hc_expr_compile_called(&arena, text, names, HC_ARRAY_LEN(names), has_name, &x, &e);
  if (rc != HC_EUSAGE || e.column != column || !strstr(e.text, word))
    fail_msg("\"%.60s\" gives %d, column %u: %s", text, rc, e.column, e.text);
  hc_arena_fini(&arena);
}

static void names_out_of_place_are_refused(void **state)
{
  HC_UNUSED(state);
  refuses_named("min == ann", 8, "a name stands in quotes: min == \"ann\"");
  refuses_named("min != ann-b && 1", 8, "min == \"ann-b\"");
  refuses_named("min in (5, ann)", 12, "min == \"ann\"");
  refuses_named("min == \"ann", 8, "has no end");
  refuses_named("wait == 'ann'", 9, "one of: min, user.share");
  refuses_named("min < 'ann'", 7, "compare it by == or !=");
  refuses_named("min + 'ann'", 7, "compare it by == or !=");
  refuses_named("'ann'", 1, "a name is no value");
  refuses_named("'ann' == wait", 1, "a name is no value");
  refuses_named("'ann' == 'ann'", 1, "a name is no value");
  refuses_named("-min == 'ann'", 9, "a name is no value");
  refuses_named("min == 'ann' == 1", 14, "do not chain");
  refuses_named("'ann' == min == 1", 14, "do not chain");
  refuses_named("min in 5", 8, "\"(\" and a list");
  refuses_named("min in ()", 9, "expected a number");
  refuses_named("min in (5", 10, "\")\"");
  refuses_named("1 in (5)", 3, "no variable");
  refuses_named("min inn (5)", 5, "an operator");
  refuses_named("min not (5)", 5, "an operator");
  refuses("wait == 'ann'", HC_EUSAGE, 9, "nothing here is compared with a name");
}

/* Each element of a list is four steps and may be two bytes. */
static void the_longest_list_has_room(void **state)
{
  HC_UNUSED(state);
  char text[HC_EXPR_LIMIT + 1] = "min in(4";
  size_t n = strlen(text);
  while (n + 3 <= HC_EXPR_LIMIT) n += (size_t)snprintf(text + n, 3, ",4");
  text[n] = ')';
  assert_true(named(text, "ann") == 0);
  text[n - 1] = '5';
  assert_true(named(text, "ann") == 1);
}

static void names_that_are_compared_are_known(void **state)
{
  HC_UNUSED(state);
  hc_arena arena;
  hc_expr *x = NULL;
  hc_arena_init(&arena, hc_default_allocator());
  assert_int_equal(hc_expr_compile_called(&arena, "min == 'ann' || user.share == 7", names,
                                          HC_ARRAY_LEN(names), has_name, &x, NULL),
                   0);
  assert_true(hc_expr_reads(x, 3) && hc_expr_reads(x, 4) && !hc_expr_reads(x, 0));
  assert_true(hc_expr_names(x, 3) && !hc_expr_names(x, 4));
  assert_true(hc_expr_is_claim(x));
  assert_int_equal(hc_expr_compile_called(&arena, "min in ('ann')", names, 5, has_name, &x, NULL), 0);
  assert_true(hc_expr_is_claim(x));
  hc_arena_fini(&arena);
}

static void *never(void *ctx, void *p, size_t old_size, size_t new_size)
{
  HC_UNUSED(ctx);
  HC_UNUSED(p);
  HC_UNUSED(old_size);
  HC_UNUSED(new_size);
  return NULL;
}

static void no_memory_is_an_error(void **state)
{
  HC_UNUSED(state);
  const hc_allocator a = {NULL, never, NULL};
  hc_arena arena;
  hc_expr *x = NULL;
  hc_error e = {0};
  hc_arena_init(&arena, &a);
  assert_int_equal(hc_expr_compile(&arena, "1", NULL, 0, &x, &e), HC_ENOMEM);
  assert_null(x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arithmetic_and_precedence),
      cmocka_unit_test(comparisons_and_logic),
      cmocka_unit_test(functions),
      cmocka_unit_test(nan_and_infinity),
      cmocka_unit_test(remainders_are_exact),
      cmocka_unit_test(errors_name_the_column_and_the_remedy),
      cmocka_unit_test(nesting_and_length_are_bounded),
      cmocka_unit_test(variables_read_are_known),
      cmocka_unit_test(names_are_compared),
      cmocka_unit_test(names_out_of_place_are_refused),
      cmocka_unit_test(the_longest_list_has_room),
      cmocka_unit_test(names_that_are_compared_are_known),
      cmocka_unit_test(no_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
