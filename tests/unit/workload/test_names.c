/* test_names.c -- names as numbers: in order of first sight up to a limit, by their hash beyond it and among
 * numbers, and what a text must be like to stand in a field. */
#define _GNU_SOURCE
#include "reader_test.h"
#include "workload/names.h"
#include "workload/writing.h"

static int64_t number_of(hc_interned *i, const char *text)
{
  const hc_field f = {.text = text, .length = strlen(text)};
  int64_t n = -7;
  assert_int_equal(hc_interned_number(i, &f, NULL, &n), 1);
  return n;
}

/* With room for three names. */
static void test_limit(void **state)
{
  hc_row_ledger ledger = {0};
  hc_lexicon *l;
  hc_interned i;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_interned_init(&i, hc_default_allocator(), true);
  i.names.limit = 3;
  i.ledger = &ledger;
  i.lexicon = l;
  assert_int_equal(number_of(&i, "ann"), 1);
  assert_int_equal(number_of(&i, "ben"), 2);
  assert_int_equal(number_of(&i, "7"), 3); /* a name in a column of names */
  assert_int_equal(ledger.unnamed, 0);
  const int64_t cem = number_of(&i, "cem"), dan = number_of(&i, "dan");
  assert_true(cem >= HC_NAME_HASHED && dan >= HC_NAME_HASHED && cem != dan);
  assert_true(cem < INT64_C(1) << 59);         /* 18 digits: formats of numbers can say it */
  assert_int_equal(number_of(&i, "cem"), cem); /* without memory of it */
  assert_int_equal(cem, hc_name_hashed("cem", 3));
  assert_int_equal(number_of(&i, "ben"), 2); /* what is remembered stays */
  assert_int_equal(ledger.unnamed, 3);       /* each field that is not */
  assert_string_equal(hc_lexicon_called(l, HC_CALLED_USER, 2), "ben");
  assert_null(hc_lexicon_called(l, HC_CALLED_USER, cem));
  hc_interned_fini(&i);
  hc_lexicon_free(l);
}

/* The same number for a name whatever came before it. */
static void test_bytes(void **state)
{
  hc_row_ledger ledger = {0};
  hc_interned i;
  HC_UNUSED(state);
  hc_interned_init(&i, hc_default_allocator(), true);
  i.ledger = &ledger;
  i.bytes = HC_NAME_BYTES - 3; /* as if so many had been remembered */
  assert_int_equal(number_of(&i, "ann"), 1);
  assert_int_equal(number_of(&i, "ben"), hc_name_hashed("ben", 3));
  assert_int_equal(number_of(&i, "ann"), 1);
  assert_int_equal(ledger.unnamed, 1);
  hc_interned_fini(&i);
}

/* A column that begins with a number holds numbers; a name in it has its hash, and is called so. */
static void test_among_numbers(void **state)
{
  hc_lexicon *l;
  hc_interned i;
  HC_UNUSED(state);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &l), 0);
  hc_interned_init(&i, hc_default_allocator(), false);
  i.lexicon = l;
  assert_int_equal(number_of(&i, "1001"), 1001);
  assert_int_equal(number_of(&i, "ann"), hc_name_hashed("ann", 3));
  assert_int_equal(number_of(&i, "3"), 3);
  assert_string_equal(hc_lexicon_called(l, HC_CALLED_USER, hc_name_hashed("ann", 3)), "ann");
  hc_interned_fini(&i);
  hc_lexicon_free(l);
}

static void put(char out[64], const hc_text_rules *r, const char *text)
{
  char *end = hc_put_field(out, r, text);
  if (end) *end = '\0';
  else strcpy(out, "(lost)");
  assert_int_equal(hc_field_says(r, text), end != NULL);
}

static void test_fields(void **state)
{
  static const char *const missing[] = {"NA", NULL};
  const hc_text_rules plain = {.separator = ','},
                      quoted = {.separator = ',', .quotes = true, .or_numbers = true, .missing = missing},
                      joined = {.separator = ',',
                                .quotes = true,
                                .joined = true,
                                .missing = missing,
                                .any_case = true},
                      blanks = {.separator = ' '};
  const struct {
    const char *text, *plain, *quoted, *joined, *blanks;
  } cases[] = {{"ann", "ann", "ann", "ann", "ann"},
               {"a,b", "(lost)", "\"a,b\"", "\"a,b\"", "a,b"},
               {"a b", "a b", "a b", "a b", "(lost)"},
               {" a", "(lost)", "\" a\"", "\" a\"", "(lost)"},
               {"\"a", "\"a", "\"\"\"a\"", "\"\"\"a\"", "\"a"},
               {"a\nb", "(lost)", "(lost)", "\"a\nb\"", "(lost)"},
               {"a\rb", "(lost)", "(lost)", "(lost)", "(lost)"},
               {"NA", "NA", "(lost)", "(lost)", "NA"},
               {"na", "na", "na", "(lost)", "na"},
               {"7", "7", "7", "7", "7"},
               {"007", "007", "(lost)", "007", "007"}, /* it would be the number 7 */
               {"-7", "-7", "(lost)", "-7", "-7"},
               {"", "(lost)", "(lost)", "(lost)", "(lost)"}};
  char out[64];
  HC_UNUSED(state);
  for (size_t i = 0; i < HC_ARRAY_LEN(cases); i++) {
    put(out, &plain, cases[i].text);
    assert_string_equal(out, cases[i].plain);
    put(out, &quoted, cases[i].text);
    assert_string_equal(out, cases[i].quoted);
    put(out, &joined, cases[i].text);
    assert_string_equal(out, cases[i].joined);
    put(out, &blanks, cases[i].text);
    assert_string_equal(out, cases[i].blanks);
  }
  char *longest = malloc(HC_NAME_MOST + 2);
  memset(longest, 'x', HC_NAME_MOST + 1);
  longest[HC_NAME_MOST + 1] = '\0';
  assert_false(hc_field_says(&plain, longest));
  assert_true(hc_field_says(&plain, longest + 1));
  free(longest);
}

static void test_texts(void **state)
{
  HC_UNUSED(state);
  assert_true(hc_is_plain_text("\x01\xe5\x90\x8d"));
  assert_false(hc_is_plain_text("\xff"));
  assert_false(hc_is_plain_text("\xc0\x80")); /* overlong */
  assert_false(hc_is_plain_text(""));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_limit), cmocka_unit_test(test_bytes),
                                     cmocka_unit_test(test_among_numbers), cmocka_unit_test(test_fields),
                                     cmocka_unit_test(test_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
