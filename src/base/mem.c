/* mem.c -- arena, growing arrays and buffers, maps, and the checksum. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "base/util.h"

/* ---- blocks ---- */

static void *libc_resize(void *ctx, void *p, size_t old_size, size_t new_size)
{
  HC_UNUSED(ctx);
  HC_UNUSED(old_size);
  if (new_size == 0) {
    free(p);
    return NULL;
  }
  return realloc(p, new_size);
}

const hc_allocator *hc_default_allocator(void)
{
  static const hc_allocator libc = {NULL, libc_resize, NULL};
  return &libc;
}

void *hc_alloc(const hc_allocator *a, size_t size)
{
  void *p = a->resize(a->ctx, NULL, 0, size ? size : 1);
  if (p) memset(p, 0, size);
  return p;
}

void hc_free(const hc_allocator *a, void *p, size_t size)
{
  if (p) (void)a->resize(a->ctx, p, size ? size : 1, 0);
}

hc_rc hc_grow(const hc_allocator *a, void **items, size_t *cap, size_t need, size_t item)
{
  size_t grown = *cap;
  void *p;
  if (need > SIZE_MAX / item / 2) return HC_ENOMEM;
  if (grown < 8) grown = 8;
  while (grown < need) grown *= 2;
  p = a->resize(a->ctx, *items, *cap * item, grown * item);
  if (!p) return HC_ENOMEM;
  *items = p;
  *cap = grown;
  return 0;
}

/* ---- arena ---- */

/* Blocks form a list, newest first; each holds its payload behind this header. */
struct hc_arena_block {
  struct hc_arena_block *older;
  size_t used, size; /* of the payload */
  size_t padding;    /* keeps the payload 16-byte aligned */
};

void hc_arena_init(hc_arena *a, const hc_allocator *allocator)
{
  hc_arena_init_small(a, allocator, 4096);
}

void hc_arena_init_small(hc_arena *a, const hc_allocator *allocator, size_t first)
{
  *a = (hc_arena){.allocator = allocator, .first = first};
}

static void free_block(hc_arena *a, struct hc_arena_block *b)
{
  hc_free(a->allocator, b, sizeof *b + b->size);
}

void hc_arena_fini(hc_arena *a)
{
  while (a->block) {
    struct hc_arena_block *older = a->block->older;
    free_block(a, a->block);
    a->block = older;
  }
}

void hc_arena_reset(hc_arena *a)
{
  struct hc_arena_block *b = a->block;
  if (!b) return;
  while (b->older) { /* blocks only grow, so the newest is the largest */
    struct hc_arena_block *older = b->older;
    b->older = older->older;
    free_block(a, older);
  }
  b->used = 0;
}

size_t hc_arena_size(const hc_arena *a)
{
  size_t size = 0;
  for (const struct hc_arena_block *b = a->block; b; b = b->older) size += sizeof *b + b->size;
  return size;
}

void *hc_arena_room(hc_arena *a, size_t size)
{
  size_t need = (size + 15) & ~(size_t)15;
  struct hc_arena_block *b = a->block;
  void *p;
  if (need < size) return NULL;
  if (need == 0) need = 16;
  if (!b || b->size - b->used < need) {
    size_t grown = b ? b->size * 2 : a->first;
    if (grown > (size_t)1 << 22) grown = (size_t)1 << 22;
    if (grown < need || (b && grown < b->size)) grown = need > grown ? need : b->size;
    b = a->allocator->resize(a->allocator->ctx, NULL, 0, sizeof *b + grown);
    if (!b) return NULL;
    *b = (struct hc_arena_block){.older = a->block, .size = grown};
    a->block = b;
  }
  p = (char *)(b + 1) + b->used;
  b->used += need;
  return p;
}

void *hc_arena_alloc(hc_arena *a, size_t size)
{
  void *p = hc_arena_room(a, size);
  return p ? memset(p, 0, size) : NULL;
}

char *hc_arena_text(hc_arena *a, const char *s, size_t n)
{
  char *copy = hc_arena_room(a, n + 1);
  if (!copy) return NULL;
  if (n > 0) memcpy(copy, s, n);
  copy[n] = '\0';
  return copy;
}

char *hc_arena_printf(hc_arena *a, const char *format, ...)
{
  va_list args, again;
  char *text = NULL;
  int n;
  va_start(args, format);
  va_copy(again, args);
  n = vsnprintf(NULL, 0, format, args);
  if (n >= 0) text = hc_arena_alloc(a, (size_t)n + 1);
  if (text) (void)vsnprintf(text, (size_t)n + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

/* ---- buffer ---- */

void hc_buffer_init(hc_buffer *b, const hc_allocator *allocator)
{
  *b = (hc_buffer){.allocator = allocator};
}

void hc_buffer_fini(hc_buffer *b)
{
  hc_free(b->allocator, b->data, b->cap);
  hc_buffer_init(b, b->allocator);
}

static bool buffer_room(hc_buffer *b, size_t more)
{
  if (b->failed || more > SIZE_MAX / 4 ||
      hc_reserve(b->allocator, (void **)&b->data, &b->cap, b->size + more + 1, 1) < 0)
    b->failed = true;
  return !b->failed;
}

void hc_buffer_add(hc_buffer *b, const void *data, size_t size)
{
  if (!buffer_room(b, size)) return;
  if (size > 0) memcpy(b->data + b->size, data, size);
  b->size += size;
  b->data[b->size] = '\0';
}

void hc_buffer_text(hc_buffer *b, const char *s)
{
  hc_buffer_add(b, s, strlen(s));
}

void hc_buffer_printf(hc_buffer *b, const char *format, ...)
{
  va_list args, again;
  int n;
  va_start(args, format);
  va_copy(again, args);
  n = vsnprintf(NULL, 0, format, args);
  if (n >= 0 && buffer_room(b, (size_t)n)) {
    (void)vsnprintf(b->data + b->size, (size_t)n + 1, format, again);
    b->size += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

/* ---- map from numbers ---- */

/* Finalizer of SplitMix64: each input bit reaches each output bit. */
static uint64_t mix(uint64_t x)
{
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void hc_map_init(hc_map *m, const hc_allocator *allocator)
{
  *m = (hc_map){.allocator = allocator};
}

void hc_map_fini(hc_map *m)
{
  hc_free(m->allocator, m->places, m->cap * sizeof *m->places);
  hc_map_init(m, m->allocator);
}

static uint64_t key_of(const hc_map_place *x)
{
  return (uint64_t)x->high << 32 | x->low;
}

static hc_map_place *map_find(const hc_map *m, uint64_t key)
{
  size_t i = mix(key) & (m->cap - 1);
  while (m->places[i].value != HC_MAP_NONE && key_of(&m->places[i]) != key) i = (i + 1) & (m->cap - 1);
  return &m->places[i];
}

static hc_rc map_grow(hc_map *m)
{
  hc_map grown = {.allocator = m->allocator, .cap = m->cap ? m->cap * 2 : 16, .count = m->count};
  grown.places = hc_alloc(m->allocator, grown.cap * sizeof *grown.places);
  if (!grown.places) return HC_ENOMEM;
  memset(grown.places, 0xff, grown.cap * sizeof *grown.places);
  for (size_t i = 0; i < m->cap; i++)
    if (m->places[i].value != HC_MAP_NONE) *map_find(&grown, key_of(&m->places[i])) = m->places[i];
  hc_map_fini(m);
  *m = grown;
  return 0;
}

hc_rc hc_map_set(hc_map *m, uint64_t key, uint32_t value)
{
  hc_map_place *x;
  if (m->count * 10 >= m->cap * 7) TRY(map_grow(m));
  x = map_find(m, key);
  if (x->value == HC_MAP_NONE) m->count++;
  *x = (hc_map_place){(uint32_t)key, (uint32_t)(key >> 32), value};
  return 0;
}

uint32_t hc_map_get(const hc_map *m, uint64_t key)
{
  return m->cap ? map_find(m, key)->value : HC_MAP_NONE;
}

bool hc_map_is_below(const hc_map *m, size_t limit)
{
  for (size_t i = 0; i < m->cap; i++)
    if (m->places[i].value != HC_MAP_NONE && m->places[i].value >= limit) return false;
  return true;
}

void hc_map_remove(hc_map *m, uint64_t key)
{
  size_t hole, i;
  if (!m->cap) return;
  hole = (size_t)(map_find(m, key) - m->places);
  if (m->places[hole].value == HC_MAP_NONE) return;
  m->count--;
  for (i = (hole + 1) & (m->cap - 1); m->places[i].value != HC_MAP_NONE; i = (i + 1) & (m->cap - 1)) {
    size_t home = mix(key_of(&m->places[i])) & (m->cap - 1);
    if (((i - home) & (m->cap - 1)) < ((i - hole) & (m->cap - 1)))
      continue; /* its home lies behind the hole */
    m->places[hole] = m->places[i];
    hole = i;
  }
  m->places[hole].value = HC_MAP_NONE;
}

static hc_rc map_load(hc_map *m, hc_visitor *v)
{
  uint64_t count;
  TRY(hc_visit_bytes(v, &count, sizeof count));
  hc_map_fini(m);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t key;
    uint32_t value;
    TRY(hc_visit_bytes(v, &key, sizeof key));
    TRY(hc_visit_bytes(v, &value, sizeof value));
    if (value == HC_MAP_NONE) return HC_EINPUT;
    TRY(hc_map_set(m, key, value));
  }
  return 0;
}

/* Saved pair by pair: the table's layout depends on its history, its contents do not. The hash adds the
 * pairs up. */
hc_rc hc_map_visit(hc_map *m, hc_visitor *v)
{
  uint64_t sum = 0, count = m->count;
  if (v->mode == HC_VISIT_LOAD) return map_load(m, v);
  TRY(hc_visit_bytes(v, &count, sizeof count));
  for (size_t i = 0; i < m->cap; i++) {
    uint64_t key = key_of(&m->places[i]);
    uint32_t value = m->places[i].value;
    if (value == HC_MAP_NONE) continue;
    if (v->mode == HC_VISIT_HASH) {
      sum += mix(key ^ mix(value));
    } else {
      TRY(hc_visit_bytes(v, &key, sizeof key));
      TRY(hc_visit_bytes(v, &value, sizeof value));
    }
  }
  return v->mode == HC_VISIT_HASH ? hc_visit_bytes(v, &sum, sizeof sum) : 0;
}

/* ---- map from names ---- */

void hc_names_init(hc_names *n, const hc_allocator *allocator, size_t limit)
{
  *n = (hc_names){.limit = limit};
  hc_arena_init(&n->arena, allocator);
}

void hc_names_fini(hc_names *n)
{
  const hc_allocator *a = n->arena.allocator;
  hc_free(a, n->names, n->cap * sizeof *n->names);
  hc_free(a, n->slots, n->slot_cap * sizeof *n->slots);
  hc_arena_fini(&n->arena);
}

static uint64_t text_hash(const char *s, size_t length)
{
  uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, then mixed */
  for (size_t i = 0; i < length; i++) h = (h ^ (uint8_t)s[i]) * 0x100000001b3u;
  return mix(h);
}

static size_t names_slot(const hc_names *n, const char *s, size_t length)
{
  size_t i = text_hash(s, length) & (n->slot_cap - 1);
  while (n->slots[i] != HC_MAP_NONE) {
    const char *known = n->names[n->slots[i]];
    if (strncmp(known, s, length) == 0 && known[length] == '\0') break;
    i = (i + 1) & (n->slot_cap - 1);
  }
  return i;
}

static hc_rc names_grow(hc_names *n)
{
  const hc_allocator *a = n->arena.allocator;
  size_t cap = n->slot_cap ? n->slot_cap * 2 : 64;
  uint32_t *slots = hc_alloc(a, cap * sizeof *slots);
  if (!slots) return HC_ENOMEM;
  memset(slots, 0xff, cap * sizeof *slots);
  hc_free(a, n->slots, n->slot_cap * sizeof *n->slots);
  n->slots = slots;
  n->slot_cap = cap;
  for (size_t i = 0; i < n->count; i++)
    n->slots[names_slot(n, n->names[i], strlen(n->names[i]))] = (uint32_t)i;
  return 0;
}

hc_rc hc_names_add(hc_names *n, const char *s, size_t length, uint32_t *id)
{
  size_t slot;
  if (n->count * 2 >= n->slot_cap) TRY(names_grow(n));
  slot = names_slot(n, s, length);
  if (n->slots[slot] == HC_MAP_NONE) {
    char *copy;
    if (n->count >= n->limit) return HC_ELIMIT;
    TRY(hc_reserve(n->arena.allocator, (void **)&n->names, &n->cap, n->count + 1, sizeof *n->names));
    copy = hc_arena_text(&n->arena, s, length);
    if (!copy) return HC_ENOMEM;
    n->names[n->count] = copy;
    n->slots[slot] = (uint32_t)n->count++;
  }
  *id = n->slots[slot];
  return 0;
}

uint32_t hc_names_find(const hc_names *n, const char *s, size_t length)
{
  return n->slot_cap ? n->slots[names_slot(n, s, length)] : HC_MAP_NONE;
}

/* ---- checksum ---- */

/* Two lanes of multiply-and-rotate over 16-byte words, finished by SplitMix64. Bytes are read
 * little-endian. */
static uint64_t word(const uint8_t *p)
{
  uint64_t w = 0;
  for (int i = 7; i >= 0; i--) w = w << 8 | p[i];
  return w;
}

static uint64_t rotate(uint64_t x, int by)
{
  return x << by | x >> (64 - by);
}

static void hash_block(hc_hash *h, const uint8_t *p)
{
  h->a = rotate(h->a ^ word(p) * 0x9e3779b97f4a7c15u, 29) * 0xc2b2ae3d27d4eb4fu + h->b;
  h->b = rotate(h->b ^ word(p + 8) * 0xd6e8feb86659fd93u, 31) * 0x165667b19e3779f9u + h->a;
}

void hc_hash_init(hc_hash *h)
{
  *h = (hc_hash){.a = 0x243f6a8885a308d3u, .b = 0x13198a2e03707344u};
}

void hc_hash_add(hc_hash *h, const void *data, size_t size)
{
  const uint8_t *p = data;
  size_t held = (size_t)(h->length & 15);
  h->length += size;
  if (held > 0) {
    size_t take = HC_MIN(16 - held, size);
    if (take > 0) memcpy(h->tail + held, p, take);
    p += take;
    size -= take;
    if (held + take < 16) return;
    hash_block(h, h->tail);
  }
  for (; size >= 16; p += 16, size -= 16) hash_block(h, p);
  if (size > 0) memcpy(h->tail, p, size);
}

void hc_hash_end(const hc_hash *h, uint64_t out[2])
{
  hc_hash last = *h;
  size_t held = (size_t)(h->length & 15);
  memset(last.tail + held, 0, 16 - held);
  hash_block(&last, last.tail);
  last.a ^= last.length;
  out[0] = mix(last.a + last.b);
  out[1] = mix(last.b ^ rotate(last.a, 17));
}
