/* slots.h -- places of an array that are given out and come back.
 *
 * What comes back is used again before the array grows, the latest first. Vacant items form a chain: each
 * holds the place of the next in a member that it does not need while it is vacant, a uint32_t; the first
 * stands beside the array, and HC_MAP_NONE ends it. So a place costs nothing but the item, and is saved with
 * the array and its first vacant place. Whether a place is vacant the caller knows.
 *
 * Not for chains in what is looked at more often than anything else: the engine's tables of tasks and the
 * trees of queues and of timelines have narrower ones of their own. */
#ifndef HC_BASE_SLOTS_H
#define HC_BASE_SLOTS_H

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "base/util.h"

static inline uint32_t hc_slot_link(const void *items, size_t size, size_t link, uint32_t at)
{
  uint32_t next;
  memcpy(&next, (const char *)items + (size_t)at * size + link, sizeof next);
  return next;
}

static inline hc_rc hc_slot_take(const hc_allocator *a, void **items, size_t *count, size_t *cap, size_t size,
                                 size_t link, uint32_t *vacant, uint32_t *out)
{
  if (*vacant != HC_MAP_NONE) {
    *out = *vacant;
    *vacant = hc_slot_link(*items, size, link, *out);
    return 0;
  }
  if (*count >= HC_MAP_NONE) return HC_ELIMIT;
  TRY(hc_reserve(a, items, cap, *count + 1, size));
  *out = (uint32_t)(*count)++;
  return 0;
}

static inline void hc_slot_give(void *items, size_t size, size_t link, uint32_t *vacant, uint32_t at)
{
  memcpy((char *)items + (size_t)at * size + link, vacant, sizeof *vacant);
  *vacant = at;
}

/* A place for an item of `type`, whose vacant ones are chained by its member `link`; what is in it is not
 * cleared. It may move the array. @return 0, HC_ENOMEM or HC_ELIMIT (nothing changed) */
#define HC_SLOT_TAKE(a, type, link, items, count, cap, vacant, out) \
  hc_slot_take((a), (void **)&(items), &(count), &(cap), sizeof(type), offsetof(type, link), &(vacant), (out))
/* The place is vacant from now on: only `link` of it is written. */
#define HC_SLOT_GIVE(type, link, items, vacant, at) \
  hc_slot_give((items), sizeof(type), offsetof(type, link), &(vacant), (at))

/* A chain that was loaded may come from a damaged file: does it end, within the array? */
static inline bool hc_slots_are_sound(const void *items, size_t count, size_t size, size_t link,
                                      uint32_t vacant)
{
  for (size_t n = 0; vacant != HC_MAP_NONE; vacant = hc_slot_link(items, size, link, vacant))
    if (vacant >= count || ++n > count) return false;
  return true;
}
#define HC_SLOTS_ARE_SOUND(type, link, items, count, vacant) \
  hc_slots_are_sound((items), (count), sizeof(type), offsetof(type, link), (vacant))

#endif
