/* books.c -- tasks by member and shape of demand. See books.h. */
#include "policy/share/books.h"

#include <string.h>

#include "base/slots.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

void hc_books_init(hc_books *b, const hc_allocator *a)
{
  *b = (hc_books){.allocator = a, .vacant = HC_MAP_NONE, .vacant_member = HC_MAP_NONE};
  hc_map_init(&b->index, a);
  hc_map_init(&b->by_hash, a);
}

static void empty(hc_books *b)
{
  const hc_allocator *a = b->allocator;
  for (size_t i = 0; i < b->shape_count; i++)
    hc_free(a, b->shapes[i].heap, b->shapes[i].cap * sizeof *b->shapes[i].heap);
  for (size_t i = 0; i < b->member_count; i++)
    hc_free(a, b->members[i].shapes, b->members[i].shape_cap * sizeof *b->members[i].shapes);
  hc_free(a, b->shapes, b->shape_cap * sizeof *b->shapes);
  hc_free(a, b->members, b->member_cap * sizeof *b->members);
  hc_map_fini(&b->index);
  hc_map_fini(&b->by_hash);
  hc_free(a, b->kin, b->kin_cap * sizeof *b->kin);
  hc_needs_fini(&b->needs);
}

void hc_books_fini(hc_books *b)
{
  if (b->allocator) empty(b);
  *b = (hc_books){0};
}

static hc_rc new_number(hc_books *b, uint32_t *member)
{
  const size_t before = b->member_count;
  if (b->vacant_member == HC_MAP_NONE && before >= UINT32_MAX / 8) return HC_ELIMIT;
  TRY(HC_SLOT_TAKE(b->allocator, hc_member, next, b->members, b->member_count, b->member_cap,
                   b->vacant_member, member));
  if (b->member_count > before) b->members[*member] = (hc_member){0};
  return 0;
}

hc_rc hc_books_member(hc_books *b, int64_t id, uint32_t *member, bool *is_new)
{
  hc_member *m;
  *member = hc_map_get(&b->index, (uint64_t)id);
  *is_new = *member == HC_MAP_NONE;
  if (!*is_new) return 0;
  TRY(new_number(b, member));
  m = &b->members[*member];
  *m = (hc_member){
      .id = id, .leaf = HC_MAP_NONE, .is_here = true, .shapes = m->shapes, .shape_cap = m->shape_cap};
  for (uint32_t d = 0; d < b->dims; d++) m->least[d] = INT64_MAX;
  return hc_map_set(&b->index, (uint64_t)id, *member);
}

void hc_books_leave(hc_books *b, uint32_t member)
{
  hc_member *m = &b->members[member];
  HC_ASSERT(m->is_here && m->waiting == 0 && m->holding == 0);
  hc_map_remove(&b->index, (uint64_t)m->id);
  *m = (hc_member){.shapes = m->shapes, .shape_cap = m->shape_cap};
  HC_SLOT_GIVE(hc_member, next, b->members, b->vacant_member, member);
}

/* ---- shapes ---- */

static uint64_t hash_of(const hc_books *b, uint32_t member, uint32_t work, const int64_t *need, int64_t units)
{
  uint64_t h =
      ((uint64_t)member << 32 ^ (uint64_t)units ^ (uint64_t)work << 16) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t d = 0; d < b->dims; d++) {
    h = (h ^ (uint64_t)need[d]) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  return h;
}

static bool is_shape(const hc_books *b, const hc_shape *s, uint32_t member, uint32_t work,
                     const int64_t *need, int64_t units)
{
  return s->user == member && s->units == units && s->work == work &&
         memcmp(s->need, need, b->dims * sizeof *need) == 0;
}

static uint32_t find(const hc_books *b, uint64_t hash, uint32_t member, uint32_t work, const int64_t *need,
                     int64_t units)
{
  uint32_t i = hc_map_get(&b->by_hash, hash);
  while (i != HC_MAP_NONE && !is_shape(b, &b->shapes[i], member, work, need, units)) i = b->shapes[i].next;
  return i;
}

/* Among its kind. */
static hc_rc join(hc_books *b, uint32_t i)
{
  hc_shape *s = &b->shapes[i];
  if (!b->needs.allocator) hc_needs_init(&b->needs, b->allocator, b->dims);
  TRY(hc_needs_hold(&b->needs, s->need, &s->kind));
  TRY(hc_reserve(b->allocator, (void **)&b->kin, &b->kin_cap, b->needs.count, sizeof *b->kin));
  while (b->kin_count < b->needs.count) b->kin[b->kin_count++] = HC_MAP_NONE;
  s->before = HC_MAP_NONE;
  s->kin = b->kin[s->kind];
  if (s->kin != HC_MAP_NONE) b->shapes[s->kin].before = i;
  b->kin[s->kind] = i;
  return 0;
}

static void part(hc_books *b, uint32_t i)
{
  const hc_shape *s = &b->shapes[i];
  if (s->kin != HC_MAP_NONE) b->shapes[s->kin].before = s->before;
  if (s->before != HC_MAP_NONE) b->shapes[s->before].kin = s->kin;
  else b->kin[s->kind] = s->kin;
  hc_needs_drop(&b->needs, s->kind);
}

static hc_rc make(hc_books *b, uint64_t hash, uint32_t member, uint32_t work, const int64_t *need,
                  int64_t units, uint32_t *out)
{
  hc_member *m = &b->members[member];
  hc_shape *s;
  const size_t before = b->shape_count;
  uint32_t i;
  hc_waiter *heap = NULL;
  size_t cap = 0;
  TRY(hc_reserve(b->allocator, (void **)&m->shapes, &m->shape_cap, m->shape_count + 1, sizeof *m->shapes));
  TRY(HC_SLOT_TAKE(b->allocator, hc_shape, next, b->shapes, b->shape_count, b->shape_cap, b->vacant, &i));
  if (b->shape_count == before) {
    heap = b->shapes[i].heap;
    cap = b->shapes[i].cap;
  }
  s = &b->shapes[i];
  *s = (hc_shape){.units = units,
                  .work = work,
                  .user = member,
                  .place = (uint32_t)m->shape_count,
                  .next = hc_map_get(&b->by_hash, hash),
                  .heap = heap,
                  .cap = cap};
  memcpy(s->need, need, b->dims * sizeof *need);
  m->shapes[m->shape_count++] = i;
  for (uint32_t d = 0; d < b->dims; d++) m->least[d] = HC_MIN(m->least[d], need[d]);
  *out = i;
  TRY(join(b, i));
  return hc_map_set(&b->by_hash, hash, i);
}

/* Its last task has left. */
static void drop(hc_books *b, uint64_t hash, uint32_t i)
{
  hc_shape *s = &b->shapes[i];
  hc_member *m = &b->members[s->user];
  uint32_t at = hc_map_get(&b->by_hash, hash);
  const uint32_t last = m->shapes[--m->shape_count];
  part(b, i);
  m->shapes[s->place] = last;
  b->shapes[last].place = s->place;
  if (at == i && s->next == HC_MAP_NONE) hc_map_remove(&b->by_hash, hash);
  else if (at == i) (void)hc_map_set(&b->by_hash, hash, s->next); /* the key is there: it needs no room */
  while (at != i && b->shapes[at].next != i) at = b->shapes[at].next;
  if (at != i) b->shapes[at].next = s->next;
  for (uint32_t d = 0; d < b->dims; d++) {
    if (s->need[d] > m->least[d]) continue;
    m->least[d] = INT64_MAX;
    for (size_t k = 0; k < m->shape_count; k++)
      m->least[d] = HC_MIN(m->least[d], b->shapes[m->shapes[k]].need[d]);
  }
  HC_SLOT_GIVE(hc_shape, next, b->shapes, b->vacant, i);
}

/* ---- a line of tasks ---- */

HC_HEAP(line, hc_waiter, a->key != b->key ? a->key < b->key : a->serial < b->serial)

/* What is asked for in all. */
static void want(const hc_books *b, hc_member *m, const int64_t *need, int64_t units, int64_t sign)
{
  for (uint32_t d = 0; d < b->dims; d++) m->wanted[d] += sign * need[d] * units;
}

hc_rc hc_books_add(hc_books *b, uint32_t member, const hc_waiter *w, const int64_t *need, int64_t units)
{
  const uint64_t hash = hash_of(b, member, w->work, need, units);
  uint32_t i = find(b, hash, member, w->work, need, units);
  hc_shape *s;
  if (i == HC_MAP_NONE) TRY(make(b, hash, member, w->work, need, units, &i));
  s = &b->shapes[i];
  TRY(hc_reserve(b->allocator, (void **)&s->heap, &s->cap, s->count + 1, sizeof *s->heap));
  line_rise(s->heap, s->count++, *w);
  b->members[member].waiting++;
  want(b, &b->members[member], need, units, 1);
  return 0;
}

void hc_books_remove(hc_books *b, uint32_t member, const hc_waiter *w, const int64_t *need, int64_t units)
{
  const uint64_t hash = hash_of(b, member, w->work, need, units);
  const uint32_t i = find(b, hash, member, w->work, need, units);
  hc_shape *s = &b->shapes[i];
  size_t at = 0;
  HC_ASSERT(i != HC_MAP_NONE);
  while (at < s->count && s->heap[at].serial != w->serial) at++;
  HC_ASSERT(at < s->count);
  s->count--;
  if (at < s->count) line_settle(s->heap, s->count, at, s->heap[s->count]);
  b->members[member].waiting--;
  want(b, &b->members[member], need, units, -1);
  if (s->count == 0) drop(b, hash, i);
}

bool hc_books_has_room(const hc_books *b, const hc_shape *s, const int64_t *room)
{
  for (uint32_t d = 0; d < b->dims; d++)
    if (s->need[d] > 0 && s->need[d] > room[d] / s->units) return false;
  return true;
}

uint32_t hc_books_first(const hc_books *b, uint32_t member, const int64_t *free, uint64_t number,
                        const int64_t *room)
{
  const hc_member *m = &b->members[member];
  uint32_t best = HC_MAP_NONE;
  for (size_t k = 0; k < m->shape_count; k++) {
    const hc_shape *s = &b->shapes[m->shapes[k]];
    uint32_t d = 0;
    if (s->tried == number || (best != HC_MAP_NONE && !line_before(&s->heap[0], &b->shapes[best].heap[0])))
      continue;
    while (free && d < b->dims && s->need[d] <= free[d]) d++;
    if ((!free || d == b->dims) && (!room || hc_books_has_room(b, s, room))) best = m->shapes[k];
  }
  return best;
}

/* ---- state ---- */

typedef struct saved_member {
  int64_t id;
  int64_t used[HC_DIMENSIONS];
  uint64_t holding;
  uint32_t is_here, next;
} saved_member;

typedef struct saved_waiter {
  hc_waiter waiter;
  int64_t need[HC_DIMENSIONS];
  int64_t units;
  uint64_t member;
} saved_waiter;

HC_SORT(sort_saved, saved_waiter, a->waiter.serial < b->waiter.serial)

typedef struct saved {
  saved_member *members;
  size_t member_count, member_cap;
  saved_waiter *waiters;
  size_t waiter_count, waiter_cap;
} saved;

static hc_rc pack(const hc_books *b, saved *x)
{
  const hc_allocator *a = b->allocator;
  TRY(hc_reserve(a, (void **)&x->members, &x->member_cap, b->member_count, sizeof *x->members));
  for (size_t i = 0; i < b->member_count; i++) {
    const hc_member *m = &b->members[i];
    x->members[x->member_count] =
        (saved_member){.id = m->id, .holding = m->holding, .is_here = m->is_here, .next = m->next};
    memcpy(x->members[x->member_count++].used, m->used, sizeof m->used);
    TRY(hc_reserve(a, (void **)&x->waiters, &x->waiter_cap, x->waiter_count + (size_t)m->waiting,
                   sizeof *x->waiters));
    for (size_t k = 0; k < m->shape_count; k++) {
      const hc_shape *s = &b->shapes[m->shapes[k]];
      for (size_t n = 0; n < s->count; n++) {
        saved_waiter *w = &x->waiters[x->waiter_count++];
        *w = (saved_waiter){.waiter = s->heap[n], .units = s->units, .member = i};
        memcpy(w->need, s->need, sizeof s->need);
      }
    }
  }
  sort_saved(x->waiters, x->waiter_count);
  return 0;
}

static bool is_sound(const hc_books *b, const saved *x)
{
  for (size_t i = 0; i < x->member_count; i++) {
    const saved_member *m = &x->members[i];
    if (!m->is_here && m->next != HC_MAP_NONE && m->next >= x->member_count) return false;
  }
  for (size_t i = 0; i < x->waiter_count; i++)
    if (x->waiters[i].member >= x->member_count || !x->members[x->waiters[i].member].is_here) return false;
  return b->vacant_member == HC_MAP_NONE || b->vacant_member < x->member_count;
}

static hc_rc unpack(hc_books *b, const saved *x)
{
  const hc_books old = *b;
  if (!is_sound(b, x)) return HC_EINPUT;
  empty(b);
  hc_books_init(b, old.allocator);
  b->dims = old.dims;
  for (size_t i = 0; i < x->member_count; i++) {
    const saved_member *m = &x->members[i];
    uint32_t at;
    bool is_new;
    if (m->is_here) TRY(hc_books_member(b, m->id, &at, &is_new));
    else TRY(new_number(b, &at));
    b->members[at].holding = m->holding;
    b->members[at].next = m->next;
    memcpy(b->members[at].used, m->used, sizeof m->used);
  }
  b->vacant_member = old.vacant_member; /* until now all numbers were new, and in order */
  for (size_t i = 0; i < x->waiter_count; i++) {
    const saved_waiter *w = &x->waiters[i];
    TRY(hc_books_add(b, (uint32_t)w->member, &w->waiter, w->need, w->units));
  }
  return 0;
}

hc_rc hc_books_visit(hc_books *b, hc_visitor *v)
{
  saved x = {0};
  hc_rc rc = hc_visit_bytes(v, &b->dims, sizeof b->dims);
  if (rc == 0) rc = hc_visit_bytes(v, &b->vacant_member, sizeof b->vacant_member);
  if (rc == 0 && !hc_visit_loading(v)) rc = pack(b, &x);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.members, &x.member_count, &x.member_cap, sizeof *x.members);
  if (rc == 0) rc = hc_visit_array(v, (void **)&x.waiters, &x.waiter_count, &x.waiter_cap, sizeof *x.waiters);
  if (rc == 0 && hc_visit_loading(v)) rc = unpack(b, &x);
  hc_free(b->allocator, x.members, x.member_cap * sizeof *x.members);
  hc_free(b->allocator, x.waiters, x.waiter_cap * sizeof *x.waiters);
  return rc;
}
