/* sites.c -- where users have what. See sites.h. */
#include "policy/share/sites.h"

#include <string.h>

#include "base/slots.h"
#include "base/sort.h"
#include "base/state.h"
#include "base/util.h"

void hc_sites_init(hc_sites *s, const hc_allocator *a)
{
  *s = (hc_sites){.allocator = a, .here = HC_NO_SITE, .vacant = HC_NO_SITE};
  hc_map_init(&s->by_serial, a);
  hc_map_init(&s->by_host, a);
  hc_map_init(&s->by_pair, a);
}

void hc_sites_fini(hc_sites *s)
{
  const hc_allocator *a = s->allocator;
  if (!a) return;
  hc_map_fini(&s->by_serial);
  hc_map_fini(&s->by_host);
  hc_map_fini(&s->by_pair);
  hc_free(a, s->stays, s->stay_cap * sizeof *s->stays);
  hc_free(a, s->presences, s->presence_cap * sizeof *s->presences);
  hc_free(a, s->slots, s->slot_cap * sizeof *s->slots);
  hc_free(a, s->slots_of, s->user_cap * sizeof *s->slots_of);
  *s = (hc_sites){0};
}

int64_t hc_sites_need(const hc_sites *s, const int64_t *need)
{
  int64_t most = 1;
  for (uint32_t d = 0; d < s->dims; d++) {
    if (s->slot[d] <= 0 || need[d] <= s->slot[d]) continue;
    if (!s->takes_more) return 0;
    most = HC_MAX(most, need[d] / s->slot[d] + (need[d] % s->slot[d] > 0));
  }
  return most;
}

int64_t hc_sites_cut(const hc_sites *s, const int64_t *capacity)
{
  int64_t least = INT64_MAX;
  for (uint32_t d = 0; d < s->dims; d++)
    if (s->slot[d] > 0) least = HC_MIN(least, capacity[d] / s->slot[d]);
  return least == INT64_MAX ? 0 : least;
}

int64_t hc_sites_taken(const hc_sites *s, uint32_t host)
{
  return host < s->slot_count ? s->slots[host] : 0;
}

int64_t hc_sites_slots_of(const hc_sites *s, uint32_t user)
{
  return user < s->user_count ? s->slots_of[user] : 0;
}

/* ---- presences ---- */

static uint64_t pair_of(uint32_t host, uint32_t user)
{
  return (uint64_t)host << 32 | user;
}

static hc_rc join(hc_sites *s, uint32_t host, uint32_t user, uint32_t *out)
{
  uint32_t first;
  *out = hc_map_get(&s->by_pair, pair_of(host, user));
  if (*out != HC_MAP_NONE) return 0;
  TRY(HC_SLOT_TAKE(s->allocator, hc_presence, next, s->presences, s->presence_count, s->presence_cap,
                   s->vacant, out));
  first = hc_map_get(&s->by_host, host);
  s->presences[*out] = (hc_presence){.host = host, .user = user, .next = first, .before = HC_NO_SITE};
  if (first != HC_MAP_NONE) s->presences[first].before = *out;
  TRY(hc_map_set(&s->by_host, host, *out));
  return hc_map_set(&s->by_pair, pair_of(host, user), *out);
}

static void part(hc_sites *s, uint32_t at)
{
  hc_presence *p = &s->presences[at];
  hc_map_remove(&s->by_pair, pair_of(p->host, p->user));
  if (p->next != HC_NO_SITE) s->presences[p->next].before = p->before;
  if (p->before != HC_NO_SITE) s->presences[p->before].next = p->next;
  else if (p->next != HC_NO_SITE) (void)hc_map_set(&s->by_host, p->host, p->next); /* the key is there */
  else hc_map_remove(&s->by_host, p->host);
  HC_SLOT_GIVE(hc_presence, next, s->presences, s->vacant, at);
}

/* ---- what happens ---- */

static hc_rc widen(hc_sites *s, uint32_t host, uint32_t user)
{
  TRY(hc_reserve(s->allocator, (void **)&s->slots, &s->slot_cap, (size_t)host + 1, sizeof *s->slots));
  TRY(hc_reserve(s->allocator, (void **)&s->slots_of, &s->user_cap, (size_t)user + 1, sizeof *s->slots_of));
  while (s->slot_count <= host) s->slots[s->slot_count++] = 0;
  while (s->user_count <= user) s->slots_of[s->user_count++] = 0;
  return 0;
}

static hc_rc put(hc_sites *s, const hc_stay *stay)
{
  uint32_t at;
  TRY(widen(s, stay->host, stay->user));
  TRY(hc_reserve(s->allocator, (void **)&s->stays, &s->stay_cap, s->stay_count + 1, sizeof *s->stays));
  TRY(hc_map_set(&s->by_serial, stay->serial, (uint32_t)s->stay_count));
  TRY(join(s, stay->host, stay->user, &at));
  s->stays[s->stay_count++] = *stay;
  s->presences[at].tasks++;
  for (uint32_t d = 0; d < s->dims; d++) s->presences[at].used[d] += stay->amounts[d];
  s->slots[stay->host] += stay->slots;
  s->slots_of[stay->user] += stay->slots;
  return 0;
}

hc_rc hc_sites_take(hc_sites *s, uint64_t serial, uint32_t user, const int64_t *need, const int64_t *amounts)
{
  hc_stay stay = {.serial = serial, .host = s->here, .user = user};
  if (s->here == HC_NO_SITE) return 0; /* not of this policy's doing */
  stay.slots = s->is_cut ? hc_sites_need(s, need) : 0;
  memcpy(stay.amounts, amounts, s->dims * sizeof *amounts);
  return put(s, &stay);
}

hc_rc hc_sites_give(hc_sites *s, uint64_t serial)
{
  const uint32_t i = hc_map_get(&s->by_serial, serial);
  hc_stay *stay, *last;
  uint32_t at;
  if (i == HC_MAP_NONE) return 0;
  stay = &s->stays[i];
  last = &s->stays[s->stay_count - 1];
  at = hc_map_get(&s->by_pair, pair_of(stay->host, stay->user));
  for (uint32_t d = 0; d < s->dims; d++) s->presences[at].used[d] -= stay->amounts[d];
  if (--s->presences[at].tasks == 0) part(s, at);
  s->slots[stay->host] -= stay->slots;
  s->slots_of[stay->user] -= stay->slots;
  hc_map_remove(&s->by_serial, serial);
  if (stay != last) {
    *stay = *last;
    TRY(hc_map_set(&s->by_serial, stay->serial, i));
  }
  s->stay_count--;
  return 0;
}

const int64_t *hc_sites_used(const hc_sites *s, uint32_t user)
{
  const uint32_t at = s->here == HC_NO_SITE ? HC_MAP_NONE : hc_map_get(&s->by_pair, pair_of(s->here, user));
  return at == HC_MAP_NONE ? NULL : s->presences[at].used;
}

uint32_t hc_sites_next(const hc_sites *s, uint32_t host, uint32_t *cursor)
{
  *cursor = *cursor == HC_NO_SITE ? hc_map_get(&s->by_host, host) : s->presences[*cursor].next;
  return *cursor == HC_NO_SITE ? HC_NO_SITE : s->presences[*cursor].user;
}

/* ---- state ---- */

HC_SORT(sort_stays, hc_stay, a->serial < b->serial)

hc_rc hc_sites_visit(hc_sites *s, hc_visitor *v)
{
  const hc_allocator *a = s->allocator;
  const bool loading = hc_visit_loading(v);
  size_t count = 0, cap = 0;
  hc_stay *stays = NULL;
  hc_rc rc = hc_visit_bytes(v, &s->dims, sizeof s->dims);
  if (rc == 0) rc = hc_visit_bytes(v, s->slot, sizeof s->slot);
  if (rc == 0 && !loading && s->stay_count > 0) {
    rc = hc_reserve(a, (void **)&stays, &cap, s->stay_count, sizeof *stays);
    if (rc == 0) memcpy(stays, s->stays, s->stay_count * sizeof *stays);
    if (rc == 0) sort_stays(stays, s->stay_count);
    count = s->stay_count;
  }
  if (rc == 0) rc = hc_visit_array(v, (void **)&stays, &count, &cap, sizeof *stays);
  if (rc == 0 && loading) {
    const hc_sites old = *s;
    hc_sites_fini(s);
    hc_sites_init(s, a);
    s->dims = old.dims;
    memcpy(s->slot, old.slot, sizeof s->slot);
    s->is_cut = old.is_cut;
    s->takes_more = old.takes_more;
    for (size_t i = 0; i < count && rc == 0; i++) rc = put(s, &stays[i]);
  }
  hc_free(a, stays, cap * sizeof *stays);
  return rc;
}
