/* mem.h -- memory: an arena per lifetime, arrays that grow, and two hand-made maps.
 *
 * All of it comes from the hc_allocator given at creation. An arena is freed as a whole; an array and a
 * map own one block. Nothing here is thread-safe; nothing is global. */
#ifndef HC_BASE_MEM_H
#define HC_BASE_MEM_H

#include "hindcast/component.h"

/* ---- plain blocks ---- */

void *hc_alloc(const hc_allocator *a, size_t size); /* zeroed; NULL if out of memory */
void hc_free(const hc_allocator *a, void *p, size_t size);

/* ---- arena: many small things that die together ---- */

typedef struct hc_arena {
  const hc_allocator *allocator;
  struct hc_arena_block *block;
  size_t first; /* bytes of the first block */
} hc_arena;

void hc_arena_init(hc_arena *a, const hc_allocator *allocator);
/* One of many that hold little each: its first block is so large, others 4096 bytes. */
void hc_arena_init_small(hc_arena *a, const hc_allocator *allocator, size_t first);
void hc_arena_fini(hc_arena *a);
void hc_arena_reset(hc_arena *a);               /* forget everything, keep the largest block */
size_t hc_arena_size(const hc_arena *a);        /* bytes that it has of its allocator */
void *hc_arena_alloc(hc_arena *a, size_t size); /* zeroed, 16-byte aligned; NULL if out of memory */
/* The same, not zeroed: what is read of it was written before. */
void *hc_arena_room(hc_arena *a, size_t size);
char *hc_arena_text(hc_arena *a, const char *s, size_t n); /* a copy with a NUL */
char *hc_arena_printf(hc_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- arrays that grow ---- */

hc_rc hc_grow(const hc_allocator *a, void **items, size_t *cap, size_t need, size_t item); /* need > *cap */

/** Make room for `need` items of `item` bytes in `*items`, doubling. New room is not zeroed.
 *  @return 0 or HC_ENOMEM (nothing changed). */
static inline hc_rc hc_reserve(const hc_allocator *a, void **items, size_t *cap, size_t need, size_t item)
{
  return need <= *cap ? 0 : hc_grow(a, items, cap, need, item);
}

/* The growing text, hc_buffer, is public: hindcast/base.h. */

/* ---- maps: open addressing, linear probing, grown at 70 % ---- */

/* A key in two halves, so that a place takes 12 bytes, nearly always of one cache line. */
typedef struct hc_map_place {
  uint32_t low, high, value; /* value: HC_MAP_NONE: the place is free */
} hc_map_place;

/* From uint64 to uint32. Deletion is by shifting back, so there are no tombstones. */
typedef struct hc_map {
  const hc_allocator *allocator;
  hc_map_place *places; /* [cap] */
  size_t cap, count;
} hc_map;

#define HC_MAP_NONE UINT32_MAX

void hc_map_init(hc_map *m, const hc_allocator *allocator);
void hc_map_fini(hc_map *m);
hc_rc hc_map_set(hc_map *m, uint64_t key, uint32_t value); /* 0 or HC_ENOMEM */
uint32_t hc_map_get(const hc_map *m, uint64_t key);        /* HC_MAP_NONE if absent */
bool hc_map_is_below(const hc_map *m, size_t limit);       /* all values: of a map that was loaded */
void hc_map_remove(hc_map *m, uint64_t key);
hc_rc hc_map_visit(hc_map *m, hc_visitor *v);

/* From text to dense ids 0, 1, 2 ... in order of first sight; the names live in the map. */
typedef struct hc_names {
  hc_arena arena;
  const char **names;
  size_t count, cap;
  uint32_t *slots;
  size_t slot_cap;
  size_t limit; /* most names it accepts */
} hc_names;

void hc_names_init(hc_names *n, const hc_allocator *allocator, size_t limit);
void hc_names_fini(hc_names *n);
/** Id of a name, adding it if new. @return 0, HC_ENOMEM, or HC_ELIMIT past the limit. */
hc_rc hc_names_add(hc_names *n, const char *s, size_t length, uint32_t *id);
uint32_t hc_names_find(const hc_names *n, const char *s, size_t length); /* HC_MAP_NONE if absent */

/* ---- hashing: a fast 128-bit checksum, not cryptographic ---- */

/* Streams bytes; the result does not depend on how they were cut into calls, nor on the machine's byte
 * order. */
typedef struct hc_hash {
  uint64_t a, b, length;
  uint8_t tail[16];
} hc_hash;

void hc_hash_init(hc_hash *h);
void hc_hash_add(hc_hash *h, const void *data, size_t size);
void hc_hash_end(const hc_hash *h, uint64_t out[2]); /* may be continued afterwards */

#endif
