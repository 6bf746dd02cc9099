/* error.c -- errors as values with a place. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/blame.h"
#include "base/text.h"
#include "base/util.h"

/* What a user wrote may be quoted in an error, and an error may be shown on a terminal. In place: escapes are
 * longer than what they stand for, so the end of a long text is cut. */
static void show_plainly(char *text, size_t size, const char *keep)
{
  char whole[sizeof((hc_error *)0)->text], shown[8];
  const size_t n = strlen(text);
  size_t used = 0;
  for (size_t i = 0; i < n;) {
    const size_t step = hc_shown_char(text + i, n - i, keep, shown), m = strlen(shown);
    if (used + m >= size) break;
    memcpy(whole + used, shown, m);
    used += m;
    i += step;
  }
  memcpy(text, whole, used);
  text[used] = '\0';
}

hc_rc hc_fail(hc_error *e, hc_rc rc, const char *where, uint32_t line, uint32_t column, const char *text, ...)
{
  if (e && e->rc == 0) {
    va_list args;
    e->rc = rc;
    e->line = line;
    e->column = column;
    (void)snprintf(e->where, sizeof e->where, "%s", where ? where : "");
    va_start(args, text);
    (void)vsnprintf(e->text, sizeof e->text, text, args);
    va_end(args);
    show_plainly(e->where, sizeof e->where, "");
    show_plainly(e->text, sizeof e->text, "\n\t");
  }
  return rc;
}

hc_rc hc_blame_failed(const hc_component *c, hc_rc rc, hc_error *e)
{
  if (rc == HC_ENOMEM || rc == HC_ECANCELLED || !e || e->rc != 0) return rc;
  if (e->text[0]) { /* it said why, and nothing more */
    e->rc = rc;
    if (!e->where[0]) (void)snprintf(e->where, sizeof e->where, "%s", c->name);
    return rc;
  }
  return hc_fail(e, rc, c->name, 0, 0, "it failed and gave no reason: it returned %s (%s)",
                 hc_rc_name(rc), hc_rc_text(rc));
}

const char *hc_rc_name(hc_rc rc)
{
  switch (rc) {
#define X(name, value, text) \
  case value: return "HC_" #name;
    HC_ERRORS(X)
#undef X
  }
  return rc == 0 ? "HC_OK" : "?";
}

const char *hc_rc_text(hc_rc rc)
{
  switch (rc) {
#define X(name, value, text) \
  case value: return text;
    HC_ERRORS(X)
#undef X
  }
  return rc == 0 ? "success" : "?";
}
