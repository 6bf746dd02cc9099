/* notify.c -- notices reach the parts that are wanted. See part.h. */
#include "engine/part.h"

void hc_parts_settle(hc_engine *e)
{
  e->heard = 0;
  e->parts_wanted = e->parts_pending = 0;
  for (uint32_t i = 0; i < e->part_count; i++) {
    const hc_part *p = e->parts[i];
    if (!p->wanted || !p->wanted(e)) continue;
    e->parts_wanted |= UINT64_C(1) << i;
    e->heard |= p->hears;
    if (p->pending) e->parts_pending |= UINT64_C(1) << i;
  }
}

hc_rc hc_notify_parts(hc_engine *e, const hc_notice *n)
{
  hc_rc some = 0;
  for (uint64_t left = e->parts_wanted; left != 0; left &= left - 1) {
    const hc_part *p = e->parts[__builtin_ctzll(left)];
    if (!(p->hears >> n->kind & 1)) continue;
    const hc_rc rc = p->on(e, n);
    if (rc < 0) return rc;
    some |= rc;
  }
  return some;
}

bool hc_parts_pending(const hc_engine *e)
{
  for (uint64_t left = e->parts_pending; left != 0; left &= left - 1)
    if (e->parts[__builtin_ctzll(left)]->pending(e)) return true;
  return false;
}

/* What is loaded may make a part wanted. */
hc_rc hc_parts_save(hc_engine *e, hc_visitor *v)
{
  for (uint32_t i = 0; i < e->part_count; i++)
    if (e->parts[i]->visit) {
      const hc_rc rc = e->parts[i]->visit(e, v);
      if (rc < 0) return rc;
    }
  hc_parts_settle(e);
  return 0;
}

void hc_parts_end(hc_engine *e)
{
  for (uint32_t i = 0; i < e->part_count; i++)
    if (e->parts[i]->fini) e->parts[i]->fini(e);
}
