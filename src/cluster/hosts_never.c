/* hosts_never.c -- could a task ever run, on an idle cell with every host up?
 *
 * Counted by class: how many slots an idle host of it holds, times its hosts that constraints leave. Within zones,
 * host by host. Each chunk is asked for by itself, so that a task whose parts fit one by one but not together is
 * not found out; for a task with one kind of slot the answer is exact. Limits on rivals never stop a task for ever. */
#include <string.h>

#include "cluster/hosts_parts.h"

/* Hosts, or slots, of one kind. */
typedef struct part {
  const hc_hosts_want *want; /* NULL: hosts as a whole */
  uint64_t count;
  bool one_each; /* on distinct hosts */
} part;

/* Slots that an idle host of a class holds. */
static uint64_t slots_of(const hc_hosts *h, uint32_t class_id, const part *p)
{
  const hc_host_class *k = &h->spec->classes[class_id];
  uint64_t n = HC_HOSTS_SLOTS;
  int32_t devices[HC_DEVICES];
  if (!p->want) return 1;
  for (uint32_t d = 0; d < h->dims; d++)
    if (p->want->row[d] > 0) n = HC_MIN(n, (uint64_t)(k->capacity[h->which[d]] / p->want->row[d]));
  if (p->want->gpu > 0 && k->devices > 0) {
    for (uint32_t i = 0; i < k->devices; i++) devices[i] = HC_DEVICE;
    n = HC_MIN(n, hc_hosts_device_slots(devices, k->devices, p->want->gpu));
  }
  return p->one_each ? HC_MIN(n, 1) : n;
}

static uint32_t hosts_of(const hc_hosts *h, uint32_t class_id, const hc_hosts_facts *f)
{
  return f->allowed ? f->allowed->of_class[class_id] : h->of_class[class_id];
}

static bool enough(const hc_hosts *h, const hc_hosts_facts *f, const part *p)
{
  uint64_t sum = 0;
  for (uint32_t k = 0; k < h->spec->class_count && sum < p->count; k++) {
    const uint64_t hosts = hosts_of(h, k, f);
    if (hosts > 0) sum += hosts * slots_of(h, k, p);
  }
  return sum >= p->count;
}

/* The most that one host of each zone holds, all zones together. */
static bool enough_differ(hc_hosts *h, const hc_hosts_facts *f, const part *p)
{
  const uint32_t zones = h->spec->levels[f->differ].zone_count;
  uint64_t *most = h->zones[f->differ].sum, sum = 0;
  memset(most, 0, zones * sizeof *most);
  for (uint32_t host = 0; host < h->units; host++) {
    const uint32_t zone = hc_hosts_zone_of(h, f->differ, host);
    if (zone == HC_NO_NAME || (f->allowed && !hc_hosts_bits_has(&f->allowed->bits, host))) continue;
    most[zone] = HC_MAX(most[zone], slots_of(h, h->spec->class_of[host], p));
  }
  for (uint32_t z = 0; z < zones; z++) sum += most[z];
  return sum >= p->count;
}

/* A task that wants hosts whole may want them to have so much of something. */
static bool asks_for_any(const hc_hosts *h, const hc_request *r)
{
  bool any = false;
  for (uint32_t d = 0; r->need && d < h->dims; d++) any |= !h->is_shared[d] && r->need[d] > 0;
  return any;
}

/* Part `i` of a task: its own slots, then its chunks. @return false: more than any host has. */
static bool part_of(const hc_hosts *h, const hc_request *r, const hc_task_extras *m, size_t i,
                    hc_hosts_want *w, part *out)
{
  *out = (part){.want = w, .one_each = r->spread || r->whole};
  out->count = i == 0 ? r->slots : m->chunks[i - 1].hosts;
  if (i == 0 && r->whole && !asks_for_any(h, r)) out->want = NULL;
  if (out->count > HC_HOSTS_SLOTS) return false;
  return i == 0 ? out->want == NULL || hc_hosts_want_of(h, r->need, w)
                : hc_hosts_want_chunk(h, &m->chunks[i - 1], w);
}

static bool enough_same(hc_hosts *h, const hc_hosts_facts *f, const hc_request *r, size_t parts)
{
  const uint32_t zones = h->spec->levels[f->same].zone_count;
  uint64_t *sum = h->zones[f->same].sum;
  uint8_t *good = h->zones[f->same].good;
  for (uint32_t z = 0; z < zones; z++) good[z] = 1;
  for (size_t i = 0; i < parts; i++) {
    hc_hosts_want w;
    part p;
    if (!part_of(h, r, f->more, i, &w, &p)) return false;
    memset(sum, 0, zones * sizeof *sum);
    for (uint32_t host = 0; host < h->units; host++) {
      const uint32_t zone = hc_hosts_zone_of(h, f->same, host);
      if (zone == HC_NO_NAME || (f->allowed && !hc_hosts_bits_has(&f->allowed->bits, host))) continue;
      sum[zone] += slots_of(h, h->spec->class_of[host], &p);
    }
    for (uint32_t z = 0; z < zones; z++) good[z] &= sum[z] >= p.count;
  }
  for (uint32_t z = 0; z < zones; z++)
    if (good[z]) return true;
  return false;
}

static bool could(hc_hosts *h, const hc_hosts_facts *f, const hc_request *r)
{
  const size_t parts = 1 + (f->more ? f->more->chunk_count : 0);
  int64_t shared[HC_DIMENSIONS];
  if (!hc_hosts_shared_need(h, r, f->more, shared)) return false;
  for (size_t i = 0; i < parts; i++) {
    hc_hosts_want w;
    part p;
    if (!part_of(h, r, f->more, i, &w, &p)) return false;
    if (!(f->differ >= 0 ? enough_differ(h, f, &p) : enough(h, f, &p))) return false;
  }
  return f->same < 0 || enough_same(h, f, r, parts);
}

static hc_never judge(hc_hosts *h, const hc_request *r)
{
  hc_hosts_facts f, free;
  if (hc_hosts_facts_of(h, r->more, &f) < 0) return HC_NEVER_FALSE; /* no memory to know better */
  if (f.nowhere) return HC_NEVER_NO_HOST;
  if (could(h, &f, r)) return HC_NEVER_FALSE;
  free = (hc_hosts_facts){.more = f.more, .same = -1, .differ = -1, .zone = -1};
  return could(h, &free, r) ? HC_NEVER_CONSTRAINT : HC_NEVER_TOO_LARGE;
}

/* One slot without GPUs or anything rare: does a host of this class hold it? */
static inline bool holds(const hc_hosts *h, uint32_t class_id, const int64_t *need)
{
  const int64_t *capacity = h->spec->classes[class_id].capacity;
  bool fits = true;
  for (uint32_t d = 0; d < h->dims; d++) fits &= (uint64_t)need[d] <= (uint64_t)capacity[h->which[d]];
  return fits;
}

/* Is there a class that does? It is often the one of last time. */
static bool has_room(hc_hosts *h, const int64_t *need)
{
  for (uint32_t i = 0; i <= h->spec->class_count; i++) {
    const uint32_t k = i == 0 ? h->roomy : i - 1;
    if (h->of_class[k] == 0 || !holds(h, k, need)) continue;
    h->roomy = k;
    return true;
  }
  return false;
}

/* Slots on different hosts: are there as many of those classes that have so much? */
static bool are_enough(const hc_hosts *h, const int64_t *need, uint32_t slots)
{
  uint64_t hosts = 0;
  for (uint32_t k = 0; k < h->spec->class_count && hosts < slots; k++) {
    if (holds(h, k, need)) hosts += h->of_class[k];
  }
  return hosts >= slots;
}

/* Shapes without rare facts are remembered, each in the one place that its hash names; not on cells of very many
 * dimensions. */
static hc_never remembered(hc_hosts *h, const hc_request *r)
{
  if (h->dims > HC_NEEDS) return judge(h, r);
  hc_hosts_shape *at, shape = {.slots = r->slots, .whole = r->whole, .spread = r->spread};
  uint64_t x = r->slots * UINT64_C(0x9e3779b97f4a7c15) + r->whole * 2u + r->spread;
  for (uint32_t d = 0; r->need && d < h->dims; d++) {
    shape.need[d] = r->need[d];
    x = (x ^ (uint64_t)shape.need[d]) * UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 29;
  }
  if (!h->nevers && !(h->nevers = hc_alloc(h->allocator, HC_HOSTS_NEVERS * sizeof *h->nevers)))
    return judge(h, r);
  at = &h->nevers[x >> 32 & (HC_HOSTS_NEVERS - 1)];
  shape.known = at->known;
  if (at->known == 0 || memcmp(&shape, at, sizeof shape) != 0) {
    shape.known = 1 + (uint32_t)judge(h, r);
    *at = shape;
  }
  return (hc_never)(at->known - 1);
}

hc_never hc_hosts_never(hc_hosts *h, const hc_request *r)
{
  const bool is_rare = r->more != 0 || r->whole || h->has_shared || h->has_devices;
  if (!is_rare && r->slots == 1 && has_room(h, r->need)) return HC_NEVER_FALSE;
  if (!is_rare && r->spread && r->slots <= HC_HOSTS_SLOTS)
    return are_enough(h, r->need, r->slots) ? HC_NEVER_FALSE : HC_NEVER_TOO_LARGE;
  return r->more != 0 ? judge(h, r) : remembered(h, r);
}

bool hc_hosts_could_on(hc_hosts *h, const hc_request *r, uint32_t host)
{
  const uint32_t k = h->spec->class_of[host];
  if (r->slots == 1 && r->more == 0 && !r->whole && !h->has_shared && !h->has_devices)
    return holds(h, k, r->need);
  hc_hosts_facts f = {0};
  hc_hosts_want w;
  part p;
  if (r->more != 0) {
    if (hc_hosts_facts_of(h, r->more, &f) < 0) return true; /* no memory to know better */
    if (f.nowhere || (f.more && f.more->chunk_count > 0)) return false;
    if (f.allowed && !hc_hosts_bits_has(&f.allowed->bits, host)) return false;
  }
  return part_of(h, r, f.more, 0, &w, &p) && slots_of(h, k, &p) >= p.count;
}
