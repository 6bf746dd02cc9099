/* corrections.c -- what was believed of tasks that outlived their predictions: the table `corrections` of a
 * result. EASY's promise is checked with it (easy.c); nothing else reads it. */
#include "base/util.h"
#include "verify/parts.h"

typedef struct reading {
  const hc_allocator *allocator;
  hc_verify_correction *items;
  size_t count, cap;
} reading;

/* They come in order of time, as they were made. */
static hc_rc hear(void *ctx, const char *const *values)
{
  reading *r = ctx;
  int64_t n[3];
  TRY(hc_numbers_of(values, 3, n));
  if (n[2] < 0 || (r->count > 0 && n[1] < r->items[r->count - 1].at)) return HC_EINPUT;
  TRY(hc_reserve(r->allocator, (void **)&r->items, &r->cap, r->count + 1, sizeof *r->items));
  r->items[r->count++] = (hc_verify_correction){.serial = n[0], .at = n[1], .estimate = n[2]};
  return 0;
}

hc_rc hc_verify_corrections_read(const hc_allocator *a, hc_result *r, hc_verify_corrections *out, hc_error *e)
{
  reading x = {.allocator = a};
  hc_rc rc = hc_result_rows(r, "corrections", 3, hear, &x, e);
  *out = (hc_verify_corrections){0};
  if (rc >= 0) rc = hc_fit(a, (void **)&x.items, &x.cap, x.count, sizeof *x.items);
  if (rc >= 0) {
    *out = (hc_verify_corrections){x.items, x.count};
    return x.count > 0;
  }
  hc_free(a, x.items, x.cap * sizeof *x.items);
  return hc_fail(e, rc, hc_result_path(r), 0, 0,
                 "its table of corrections of predicted run times cannot be read: %s", hc_rc_text(rc));
}

void hc_verify_corrections_free(const hc_allocator *a, hc_verify_corrections *c)
{
  hc_free(a, (void *)(uintptr_t)c->items, c->count * sizeof *c->items);
  *c = (hc_verify_corrections){0};
}
