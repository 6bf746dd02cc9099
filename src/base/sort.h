/* sort.h -- the sorts and the heap of the house, as macros: each is written out for a type and an order, so
 * that the comparison is inlined.
 *
 *   HC_SORT(name, type, is_before)
 *       name(items, n): in place, asks for no memory; for a *total* order, or where equal items cannot be
 *       told apart. Quicksort by a median of three, heapsort where that goes too deep: O(n log n) always, and
 *       one pass if the items are in order.
 *   HC_SORT_STABLE(name, type, is_before)
 *       name(items, n, room): equal items keep their order; `room` is for n / 2 items. Merging from halves;
 *       halves that are in order already are not moved.
 *   HC_HEAP(name, type, is_before)
 *       a binary heap in an array, whose first item is before all others. name_rise(heap, at, x) lays x into
 *       the hole `at` or above it, name_sink(heap, n, at, x) into the hole or below it (n counts the hole),
 *       name_settle(heap, n, at, x) either way; name_pop(heap, &n) takes the first. The array is the
 *       caller's, who makes room first: nothing here fails.
 *
 * `is_before` is an expression over `a` and `b`, which point to two items. HC_SORT_OF and HC_SORT_STABLE_OF
 * give it a third name, `of`: a `const void *` that each call passes last, for orders that look up what an
 * item is worth.
 *
 * (key, value) pairs by an unsigned key have a sort of their own, radix.h. A heap that tells its items their
 * places (kernel/heap.c) is not for these macros. Outside of the rooms that see base (the command), and where
 * bsearch takes the same comparison, qsort serves; its order must be total, since it is not stable
 * everywhere. */
#ifndef HC_BASE_SORT_H
#define HC_BASE_SORT_H

#include <string.h>

#include "base/util.h"

#define HC_SORT_FEW ((size_t)12) /* sorted by insertion */

#define HC_ORDER_(name, type, is_before) \
  __attribute__((unused)) static inline bool name##_before_(type const *a, type const *b, const void *of) \
  { \
    HC_UNUSED(of); \
    return is_before; \
  } \
  __attribute__((unused)) static inline void name##_insert_(type *items, size_t n, const void *of) \
  { \
    for (size_t i = 1; i < n; i++) { \
      type const x = items[i]; \
      size_t at = i; \
      for (; at > 0 && name##_before_(&x, &items[at - 1], of); at--) items[at] = items[at - 1]; \
      items[at] = x; \
    } \
  }

/* ---- in place ---- */

#define HC_SORT_(name, type, is_before) \
  HC_ORDER_(name, type, is_before) \
  __attribute__((unused)) static void name##_by_heap_(type *items, size_t n, const void *of) \
  { \
    type x; \
    for (size_t end = n, top = n / 2; end > 1;) { \
      size_t at = 0; \
      if (top > 0) { \
        x = items[at = --top]; \
      } else { \
        x = items[--end]; \
        items[end] = items[0]; \
      } \
      for (size_t child; (child = 2 * at + 1) < end; at = child) { \
        if (child + 1 < end && name##_before_(&items[child], &items[child + 1], of)) child++; \
        if (!name##_before_(&x, &items[child], of)) break; \
        items[at] = items[child]; \
      } \
      items[at] = x; \
    } \
  } \
  __attribute__((unused)) static void name##_part_(type *items, size_t n, unsigned deeper, const void *of) \
  { \
    while (n > HC_SORT_FEW) { \
      type low = items[0]; \
      type pivot = items[n / 2]; \
      type high = items[n - 1]; \
      type x; \
      size_t i = 0, j = n - 1; \
      if (deeper-- == 0) { \
        name##_by_heap_(items, n, of); \
        return; \
      } \
      if (name##_before_(&high, &low, of)) { \
        x = low; \
        low = high; \
        high = x; \
      } \
      if (name##_before_(&pivot, &low, of)) pivot = low; \
      else if (name##_before_(&high, &pivot, of)) pivot = high; \
      for (;; i++, j--) { \
        while (name##_before_(&items[i], &pivot, of)) i++; \
        while (name##_before_(&pivot, &items[j], of)) j--; \
        if (i >= j) break; \
        x = items[i]; \
        items[i] = items[j]; \
        items[j] = x; \
      } \
      name##_part_(items, j + 1, deeper, of); \
      items += j + 1; \
      n -= j + 1; \
    } \
    name##_insert_(items, n, of); \
  } \
  __attribute__((unused)) static inline void name##_all_(type *items, size_t n, const void *of) \
  { \
    unsigned deeper = 2; \
    size_t i = 1; \
    while (i < n && !name##_before_(&items[i], &items[i - 1], of)) i++; \
    if (i >= n) return; \
    for (size_t k = n; k > 0; k /= 2) deeper += 2; \
    name##_part_(items, n, deeper, of); \
  }

#define HC_SORT_OF(name, type, is_before) \
  HC_SORT_(name, type, is_before) \
  __attribute__((unused)) static inline void name(type *items, size_t n, const void *of) \
  { \
    name##_all_(items, n, of); \
  }

#define HC_SORT(name, type, is_before) \
  HC_SORT_(name, type, is_before) \
  __attribute__((unused)) static inline void name(type *items, size_t n) \
  { \
    name##_all_(items, n, NULL); \
  }

/* ---- stable ---- */

#define HC_SORT_STABLE_(name, type, is_before) \
  HC_ORDER_(name, type, is_before) \
  __attribute__((unused)) static void name##_all_(type *items, size_t n, type *room, const void *of) \
  { \
    const size_t half = n / 2; \
    size_t i = 0, j = half, k = 0; \
    if (n <= HC_SORT_FEW) { \
      name##_insert_(items, n, of); \
      return; \
    } \
    name##_all_(items, half, room, of); \
    name##_all_(items + half, n - half, room, of); \
    if (!name##_before_(&items[half], &items[half - 1], of)) return; \
    memcpy(room, items, half * sizeof *items); \
    while (i < half && j < n) { \
      const bool right = name##_before_(&items[j], &room[i], of); \
      items[k++] = right ? items[j] : room[i]; \
      j += right; \
      i += !right; \
    } \
    memcpy(items + k, room + i, (half - i) * sizeof *items); \
  }

#define HC_SORT_STABLE_OF(name, type, is_before) \
  HC_SORT_STABLE_(name, type, is_before) \
  __attribute__((unused)) static inline void name(type *items, size_t n, type *room, const void *of) \
  { \
    name##_all_(items, n, room, of); \
  }

#define HC_SORT_STABLE(name, type, is_before) \
  HC_SORT_STABLE_(name, type, is_before) \
  __attribute__((unused)) static inline void name(type *items, size_t n, type *room) \
  { \
    name##_all_(items, n, room, NULL); \
  }

/* ---- the heap ---- */

#define HC_HEAP(name, type, is_before) \
  __attribute__((unused)) static inline bool name##_before(type const *a, type const *b) \
  { \
    return is_before; \
  } \
  __attribute__((unused)) static inline void name##_rise(type *heap, size_t at, type x) \
  { \
    for (; at > 0 && name##_before(&x, &heap[(at - 1) / 2]); at = (at - 1) / 2) \
      heap[at] = heap[(at - 1) / 2]; \
    heap[at] = x; \
  } \
  __attribute__((unused)) static inline void name##_sink(type *heap, size_t n, size_t at, type x) \
  { \
    for (size_t child; (child = 2 * at + 1) < n; at = child) { \
      if (child + 1 < n && name##_before(&heap[child + 1], &heap[child])) child++; \
      if (!name##_before(&heap[child], &x)) break; \
      heap[at] = heap[child]; \
    } \
    heap[at] = x; \
  } \
  __attribute__((unused)) static inline void name##_settle(type *heap, size_t n, size_t at, type x) \
  { \
    if (at > 0 && name##_before(&x, &heap[(at - 1) / 2])) name##_rise(heap, at, x); \
    else name##_sink(heap, n, at, x); \
  } \
  __attribute__((unused)) static inline type name##_pop(type *heap, size_t *n) \
  { \
    type const first = heap[0]; \
    const size_t left = --*n; \
    if (left > 0) name##_sink(heap, left, 0, heap[left]); \
    return first; \
  }

#endif
