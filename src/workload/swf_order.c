/* swf_order.c -- whether the rows of a log stand in order of submission, and of number where that is equal.
 *
 * Most logs do, and a reader that knows it need not hold rows back to sort them: 290 bytes each. So the file
 * is read once before: nothing of a row is looked at but its two first fields. A row that cannot be read and
 * a comment below the first row, which may say a name that rows above it have, count as disorder. Not of
 * standard input, nor of what is packed: to unpack it once more takes longer than to sort its rows. Cost:
 * about 30 ns a row. */
#include "base/input.h"
#include "base/lexer.h"
#include "workload/swf_row.h"

static bool is_blank_line(const char *line)
{
  while (hc_is_blank(*line)) line++;
  return *line == '\0';
}

static bool ascends(hc_input *in)
{
  hc_error ignored = {0};
  hc_time last = INT64_MIN, submit;
  int64_t last_id = INT64_MIN, id;
  char *line;
  size_t n;
  hc_rc rc;
  while ((rc = hc_input_line(in, &line, &n, &ignored)) == 1) {
    switch (hc_swf_line_key(NULL, line, n, &submit, &id)) {
      case HC_LINE_ROW: break;
      case HC_LINE_HEAD:
        if (last == INT64_MIN || is_blank_line(line)) continue;
        return false;
      case HC_LINE_BROKEN:
      case HC_LINE_PART: return false;
    }
    if (submit < last || (submit == last && id < last_id)) return false;
    last = submit;
    last_id = id;
  }
  return rc == 0;
}

bool hc_swf_ascends(const hc_allocator *a, const hc_input *of)
{
  hc_error ignored = {0};
  hc_input *in;
  if (!hc_input_seekable(of) || hc_input_open(a, hc_input_name(of), &in, &ignored) < 0) return false;
  const bool is_so = hc_input_is_plain(in) && ascends(in);
  hc_input_free(in);
  return is_so;
}
