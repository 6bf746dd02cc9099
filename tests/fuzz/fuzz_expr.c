/* fuzz_expr.c -- any bytes as an expression: refused with a place in the text, or evaluated twice to the
 * same bits without leaving the stack. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_name(size_t i)
{
  return i == 5;
}

static const char *called(const void *ctx, size_t i)
{
  HC_ASSERT(i == 5);
  return ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"wait", "request", "procs", "submit", "min", "user.share"};
  static const double values[][HC_ARRAY_LEN(names)] = {
      {3600, 7200, 64, 1e9, 1, 0.25}, {0, 0, 0, 0, 0, 0}, {-1, 1e308, -1e-308, 0x1p-1074, 0x1p53, -0.5}};
  hc_arena arena;
  hc_expr *x = NULL;
  hc_error e = {0};
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  hc_arena_init(&arena, hc_default_allocator());
  hc_rc rc = hc_expr_compile_called(&arena, text, names, HC_ARRAY_LEN(names), has_name, &x, &e);
  if (rc < 0) {
    HC_ASSERT((rc == HC_EUSAGE || rc == HC_ELIMIT) && e.rc == rc && e.text[0]);
    HC_ASSERT(e.column >= 1 && e.column <= strlen(text) + 1);
  } else {
    HC_ASSERT(strlen(text) <= HC_EXPR_LIMIT);
    for (size_t i = 0; i < HC_ARRAY_LEN(values); i++) {
      double a = hc_expr_value_called(x, values[i], called, "ann"), changed[HC_ARRAY_LEN(names)];
      for (size_t k = 0; k < HC_ARRAY_LEN(names); k++)
        changed[k] = hc_expr_reads(x, k) ? values[i][k] : 12345.0;
      double b = hc_expr_value_called(x, changed, called, "ann"); /* what it does not read does not matter */
      HC_ASSERT(a == b || (a != a && b != b));
    }
  }
  hc_arena_fini(&arena);
  free(text);
  return 0;
}
