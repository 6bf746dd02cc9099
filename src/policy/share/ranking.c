/* ranking.c -- members in the order of their keys. See ranking.h. */
#include "policy/share/ranking.h"

#include "base/sort.h"
#include "base/util.h"

static inline bool is_before(const hc_ranked *x, const hc_ranked *y)
{
  return x->key != y->key ? x->key < y->key : x->tie < y->tie;
}

void hc_ranking_disturb(hc_ranking *r)
{
  r->is_unsorted = true;
}

bool hc_ranking_before(const hc_ranking *r, uint32_t x, uint32_t y)
{
  return is_before(&r->members[x], &r->members[y]);
}

void hc_ranking_init(hc_ranking *r, const hc_allocator *a)
{
  *r = (hc_ranking){.allocator = a};
}

void hc_ranking_fini(hc_ranking *r)
{
  const hc_allocator *a = r->allocator;
  if (!a) return;
  hc_free(a, r->members, r->member_cap * sizeof *r->members);
  hc_free(a, r->order, r->cap * sizeof *r->order);
  hc_free(a, r->room, r->room_cap * sizeof *r->room);
  hc_ranking_init(r, a);
}

/* Where it is, while the order is that of the keys. */
static size_t place_of(const hc_ranking *r, uint32_t member)
{
  size_t low = 0, high = r->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (hc_ranking_before(r, r->order[middle], member)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Its key is another, and it alone is not where it should be. */
static void move_from(hc_ranking *r, size_t at)
{
  const uint32_t member = r->order[at];
  for (; at + 1 < r->count && hc_ranking_before(r, r->order[at + 1], member); at++)
    r->order[at] = r->order[at + 1];
  for (; at > 0 && hc_ranking_before(r, member, r->order[at - 1]); at--) r->order[at] = r->order[at - 1];
  r->order[at] = member;
}

hc_rc hc_ranking_set(hc_ranking *r, uint32_t member, double key, uint64_t tie, bool is_in)
{
  hc_ranked *x;
  bool stays;
  size_t at = 0;
  if (member >= r->member_count) {
    TRY(hc_reserve(r->allocator, (void **)&r->members, &r->member_cap, (size_t)member + 1,
                   sizeof *r->members));
    while (r->member_count <= member) r->members[r->member_count++] = (hc_ranked){0};
  }
  x = &r->members[member];
  if (x->key == key && x->tie == tie && x->is_in == is_in) return 0;
  if (is_in && !x->is_listed) {
    TRY(hc_reserve(r->allocator, (void **)&r->order, &r->cap, r->count + 1, sizeof *r->order));
    r->order[r->count++] = member;
    x->is_listed = true;
  }
  r->in += is_in;
  r->in -= x->is_in;
  stays = x->is_in && is_in && !r->is_unsorted;
  if (stays) at = place_of(r, member);
  else r->is_unsorted |= x->is_listed; /* what is no more in has to go, too */
  *x = (hc_ranked){key, tie, is_in, x->is_listed};
  if (stays) move_from(r, at);
  return 0;
}

static void drop_left(hc_ranking *r)
{
  size_t kept = 0;
  for (size_t i = 0; i < r->count; i++) {
    hc_ranked *x = &r->members[r->order[i]];
    if (x->is_in) r->order[kept++] = r->order[i];
    else x->is_listed = false;
  }
  r->count = kept;
}

/* By insertion, as long as that is cheap. */
static bool insert_all(hc_ranking *r)
{
  const hc_ranked *members = r->members;
  uint32_t *order = r->order;
  size_t left = 16 * r->count + 64;
  for (size_t i = 1; i < r->count; i++) {
    const uint32_t x = order[i];
    size_t k = i;
    if (!is_before(&members[x], &members[order[i - 1]])) continue;
    for (; k > 0 && is_before(&members[x], &members[order[k - 1]]); k--) order[k] = order[k - 1];
    order[k] = x;
    if (i - k > left) return false;
    left -= i - k;
  }
  return true;
}

HC_SORT_STABLE_OF(sort_order, uint32_t, hc_ranking_before(of, *a, *b))

hc_rc hc_ranking_sort(hc_ranking *r)
{
  if (!r->is_unsorted) return 0;
  drop_left(r);
  if (!insert_all(r)) {
    TRY(hc_reserve(r->allocator, (void **)&r->room, &r->room_cap, r->count, sizeof *r->room));
    sort_order(r->order, r->count, r->room, r);
  }
  r->is_unsorted = false;
  return 0;
}
