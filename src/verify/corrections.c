/* corrections.c -- what was believed of tasks that outlived their predictions: the table `corrections` of a
 * result. EASY's promise is checked with it (easy.c); nothing else reads it. */
#include "base/util.h"
#include "verify/parts.h"

/* They come in order of time, as they were made. */
static hc_rc take(const int64_t *n, const void *before, void *out)
{
  const hc_verify_correction *last = before;
  if (n[2] < 0 || (last && n[1] < last->at)) return HC_EINPUT;
  *(hc_verify_correction *)out = (hc_verify_correction){.serial = n[0], .at = n[1], .estimate = n[2]};
  return 0;
}

hc_rc hc_verify_corrections_read(const hc_allocator *a, hc_result *r, hc_verify_corrections *out, hc_error *e)
{
  static const hc_number_table table = {.name = "corrections",
                                        .what = "corrections of predicted run times",
                                        .columns = 3,
                                        .item = sizeof(hc_verify_correction),
                                        .take = take};
  void *rows = NULL;
  *out = (hc_verify_corrections){0};
  const hc_rc rc = hc_number_table_read(&table, a, r, &rows, &out->count, e);
  out->items = rows;
  return rc;
}

void hc_verify_corrections_free(const hc_allocator *a, hc_verify_corrections *c)
{
  hc_free(a, (void *)(uintptr_t)c->items, c->count * sizeof *c->items);
  *c = (hc_verify_corrections){0};
}
