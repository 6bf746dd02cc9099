/* promises.h -- the hosts that are promised to queued tasks: chains of grants by task, in one pool. */
#ifndef HC_RESERVE_PROMISES_H
#define HC_RESERVE_PROMISES_H

#include "reserve/reserve.h"

typedef struct hc_promised hc_promised;

typedef struct hc_promises {
  hc_promised *pool;
  size_t count, cap;
  uint32_t vacant; /* first free place + 1; 0: none */
  uint32_t *first; /* [first_cap] by task: first of its chain + 1; 0: it is promised no hosts */
  size_t first_cap;
} hc_promises;

void hc_promises_fini(hc_promises *p, const hc_allocator *a);
static inline bool hc_promises_has(const hc_promises *p, hc_task t)
{
  return t < p->first_cap && p->first[t] != 0;
}
/** Of a task that has none. @return 0 or HC_ENOMEM */
hc_rc hc_promises_keep(hc_promises *p, const hc_allocator *a, hc_task t, const hc_grant *grants,
                       size_t count);
/** @return how many; 0: it had none */
size_t hc_promises_drop(hc_promises *p, hc_task t);
bool hc_promises_is_on(const hc_promises *p, hc_task t, uint32_t host);
/** In the scratch arena. @return 0 or HC_ENOMEM */
hc_rc hc_promises_get(const hc_promises *p, hc_arena *scratch, hc_task t, const hc_grant **grants,
                      size_t *count);
/** Save, load or hash them by task, wherever the chains lie. @param units hosts of the cell */
hc_rc hc_promises_visit(hc_promises *p, const hc_allocator *a, hc_visitor *v, hc_arena *scratch,
                        uint32_t units);

#endif
