/* outlook.h -- what each host is for from now on: a list of pieces of time, each with the set of hosts
 * that are idle then, that a task has, and that stop, sleep or start.
 *
 * A piece is as long as nothing changes, and the last one never ends. A host that is away, or whose end
 * of use is not known, is in no set. Asleep is told apart by whether the host may be woken yet. Cost: a
 * change O(pieces from its time on x hosts / 64). */
#ifndef HC_POLICY_SLEEP_OUTLOOK_H
#define HC_POLICY_SLEEP_OUTLOOK_H

#include "base/mem.h"
#include "hindcast/base.h"

typedef enum hc_use {
  HC_USE_IDLE,
  HC_USE_TASK,
  HC_USE_STOPPING,
  HC_USE_ASLEEP,  /* and it has to sleep on */
  HC_USE_WAKABLE, /* asleep, and it may be woken */
  HC_USE_STARTING,
  HC_USE_COUNT
} hc_use;

typedef struct hc_outlook {
  const hc_allocator *allocator;
  uint32_t hosts;
  size_t words;   /* of a set */
  hc_time *from;  /* [count] of pieces, ascending; the first is the time that it was cleared for */
  uint64_t *sets; /* [count][HC_USE_COUNT][words] */
  size_t count, from_cap, sets_cap;
} hc_outlook;

void hc_outlook_init(hc_outlook *o, const hc_allocator *a, uint32_t hosts);
void hc_outlook_fini(hc_outlook *o);
/** One piece from `now` on, in which all hosts are away. @return 0 or HC_ENOMEM */
hc_rc hc_outlook_clear(hc_outlook *o, hc_time now);
/** @return 0 or HC_ENOMEM */
hc_rc hc_outlook_copy(hc_outlook *to, const hc_outlook *of);
/** The hosts that are so during a piece. [words] */
static inline uint64_t *hc_outlook_set(const hc_outlook *o, size_t piece, hc_use use)
{
  return &o->sets[(piece * HC_USE_COUNT + (size_t)use) * o->words];
}
static inline bool hc_outlook_is(const hc_outlook *o, size_t piece, hc_use use, uint32_t host)
{
  return hc_outlook_set(o, piece, use)[host / 64] >> (host % 64) & 1;
}
/** When a piece ends. */
static inline hc_time hc_outlook_end(const hc_outlook *o, size_t piece)
{
  return piece + 1 < o->count ? o->from[piece + 1] : HC_NEVER;
}
/** The hosts of a set are so in [from, to). @param from  not before the first piece @return 0 or HC_ENOMEM */
hc_rc hc_outlook_use(hc_outlook *o, const uint64_t *hosts, hc_time from, hc_time to, hc_use use);
/** The same of one host. */
hc_rc hc_outlook_use_one(hc_outlook *o, uint32_t host, hc_time from, hc_time to, hc_use use);
/** Is it so from the first piece on to the end of time? */
bool hc_outlook_always(const hc_outlook *o, uint32_t host, hc_use use);
/** How many hosts are so during a piece. */
uint32_t hc_outlook_number(const hc_outlook *o, size_t piece, hc_use use);

#endif
