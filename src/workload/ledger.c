/* ledger.c -- the reasons why a row is not used, and the one way in which it is rejected.
 *
 * Rows that were left out because the user asked for it (a filter, a window, dropped zero lengths) are
 * counted like all others, but are no fault of the trace and hence no error under `strict`. */
#include "workload/ledger.h"

#include "base/util.h"

const char *hc_reason_name(hc_reason r)
{
  switch (r) {
#define X(name, word, text) \
  case HC_REASON_##name: return word;
    HC_REASONS(X)
#undef X
    case HC_REASON_COUNT: break;
  }
  return "?";
}

const char *hc_reason_text(hc_reason r)
{
  switch (r) {
#define X(name, word, text) \
  case HC_REASON_##name: return text;
    HC_REASONS(X)
#undef X
    case HC_REASON_COUNT: break;
  }
  return "?";
}

bool hc_row_was_asked_for(hc_reason why)
{
  return why == HC_REASON_FILTERED || why == HC_REASON_OUTSIDE || why == HC_REASON_ZERO_LENGTH;
}

hc_rc hc_row_reject(const hc_source_context *c, const char *name, uint64_t line, uint32_t column,
                    hc_reason why, const char *text, hc_error *e)
{
  if (c->ledger) {
    c->ledger->rejected[why]++;
    c->ledger->rejections++;
  }
  if (c->rejected) c->rejected(c->rejected_ctx, name, line, why, text);
  if (!c->strict || hc_row_was_asked_for(why)) return 0;
  return hc_fail(e, HC_EINPUT, name, hc_line_number(line), column,
                 "row rejected (%s): %s; correct it, or leave out `strict` to count such rows and go on",
                 hc_reason_name(why), hc_reason_text(why));
}

bool hc_ledger_balances(const hc_row_ledger *l)
{
  uint64_t sum = l->used + l->merged;
  for (size_t i = 0; i < HC_ARRAY_LEN(l->rejected); i++) sum += l->rejected[i];
  return sum == l->read;
}
