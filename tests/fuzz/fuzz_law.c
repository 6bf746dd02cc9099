/* fuzz_law.c -- any text as a law of chance, and as constraints: no crash, no endless loop; what is read
 * can be drawn from, and stays within its bounds. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "workload/constraint_text.h"
#include "workload/lawtable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void within(const hc_law *l, double x)
{
  check(x >= l->low && x <= l->high && x < HC_LAW_ENDLESS, "a draw is within the bounds");
}

static void draw_from(const hc_law *l)
{
  double last = 0;
  check(l->count > 0 && l->low >= 0 && l->low <= l->high && l->mean >= 0,
        "a law has parts, and no value below 0");
  for (uint64_t i = 0; i < 20; i++) {
    hc_draws d = {.seed = 1, .entity = i};
    within(l, hc_law_draw(l, &d));
  }
  for (int i = 0; i <= 20; i++) {
    const double f = hc_law_cdf(l, l->low + i);
    check(f >= last && f <= 1.0 + 1e-9, "a cdf rises to 1");
    last = f;
  }
}

static void tabulate(const hc_law *l)
{
  hc_law_table t;
  bool quick = true;
  for (size_t i = 0; i < l->count; i++) /* of these each quantile is a search */
    quick &= l->parts[i].kind != HC_LAW_VARIATE ||
             (l->parts[i].of.shape != HC_SHAPE_GAMMA && l->parts[i].of.shape != HC_SHAPE_HYPEREXPONENTIAL);
  if (!quick || l->count > 4) return;
  check(hc_law_table_make(&t, hc_default_allocator(), l) == 0, "there is memory for a table");
  for (uint64_t i = 0; i < 20; i++) {
    hc_draws d = {.seed = 1, .entity = i};
    within(l, hc_law_table_draw(&t, hc_random_bits(&d)));
  }
  within(l, hc_law_table_draw(&t, UINT64_MAX));
  within(l, hc_law_table_draw(&t, 0));
  hc_law_table_fini(&t);
}

static void read_constraints(const char *text, size_t size)
{
  hc_lexicon *l = NULL;
  hc_constraint *c = NULL;
  size_t count = 0, cap = 0;
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory for names");
  const char *wrong = hc_constraints_read(hc_default_allocator(), l, text, size, &c, &count, &cap);
  check(wrong || (count > 0 && count <= HC_CONSTRAINT_LIMIT), "what is read has constraints");
  hc_free(hc_default_allocator(), c, cap * sizeof *c);
  hc_lexicon_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) abort();
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  for (int unit = 0; unit < 3 && !strstr(text, "file"); unit++) { /* of files there is a test */
    hc_law l;
    hc_error e = {0};
    const hc_rc rc = hc_law_read(&l, hc_default_allocator(), text, (hc_law_unit)unit, "fuzz", "law", &e);
    check(rc == 0 || e.text[0] != '\0', "an error says what is wrong");
    if (rc == 0) draw_from(&l);
    if (rc == 0) tabulate(&l);
    hc_law_fini(&l);
  }
  read_constraints(text, size);
  free(text);
  return 0;
}
