/* recorded.c -- see recorded.h. */
#include "setup/recorded.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"

hc_rc hc_recorded_counts(hc_store *s, const uint64_t *counts, uint64_t tasks, hc_error *e)
{
  uint64_t others = 0;
  for (int r = 0; r < HC_RECORDED_COUNT; r++)
    if (r != HC_RECORDED_COMPLETED) others += counts[r];
  if (others == counts[HC_RECORDED_UNKNOWN]) return 0;
  for (int r = 0; r < HC_RECORDED_COUNT; r++) {
    const uint64_t n = r == HC_RECORDED_COMPLETED ? tasks - others : counts[r];
    char key[40], text[32];
    if (n == 0) continue;
    (void)snprintf(key, sizeof key, HC_RECORDED_KEY "%s", hc_recorded_name((hc_recorded)r));
    (void)snprintf(text, sizeof text, "%" PRIu64, n);
    TRY(hc_store_row(s, "hindcast", 2, (const char *[]){key, text}, e));
  }
  return 0;
}
