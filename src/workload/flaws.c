/* flaws.c -- rows that cannot be read: counted, told, and the first of them remembered for the error at the
 * end of a file in which nothing can. */
#include "workload/flaws.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "workload/ledger.h"

hc_rc hc_flaws_reject(hc_flaws *f, const hc_source_context *c, const char *name, uint64_t line,
                      uint32_t column, hc_error *e, const char *why, ...)
{
  char text[512];
  va_list args;
  va_start(args, why);
  (void)vsnprintf(text, sizeof text, why, args);
  va_end(args);
  const int end = (int)strcspn(text, "\n"); /* a picture of the place may follow */
  if (f->malformed++ == 0) {
    f->bad_line = hc_line_number(line);
    f->bad_column = column;
    (void)snprintf(f->bad, sizeof f->bad, "%.*s", end, text);
  }
  if (c->strict) /* more than the ledger knows to say; the first error stays */
    (void)hc_fail(
        e, HC_EINPUT, name, hc_line_number(line), column,
        "row rejected (malformed): %.*s; correct it, or leave out `strict` to count such rows and go on%s",
        end, text, text + end);
  return hc_row_reject(c, name, line, column, HC_REASON_MALFORMED, NULL, e);
}

hc_rc hc_flaws_end(const hc_flaws *f, const char *name, const char *what, const char *advice, hc_error *e)
{
  if (f->rows > 0 || f->malformed == 0) return 0;
  return hc_fail(e, HC_EINPUT, name, f->bad_line, f->bad_column,
                 "nothing in this file can be read as %s. The first: %s. %s", what, f->bad, advice);
}
