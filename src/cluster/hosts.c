/* hosts.c -- what hosts have, what is claimed on them, and what becomes of both.
 *
 * A claim takes its amounts off the host's row; giving them back is the exact opposite, whatever has happened to
 * the host meanwhile: capacity changes add to a row what the host has more. A host that is taken whole has nothing
 * free whatever its capacity, so that giving it back restores what it has then.
 *
 * Amounts of one host are below 2^60 and so are needs, so that no sum of the few that are ever added overflows;
 * the sums over the cell wrap around rather than overflow. */
#include "cluster/hosts.h"

#include <string.h>

#include "base/state.h"
#include "cluster/hosts_parts.h"

static inline void add(int64_t *sum, int64_t x)
{
  *sum = (int64_t)((uint64_t)*sum + (uint64_t)x);
}
static inline void subtract(int64_t *sum, int64_t x)
{
  *sum = (int64_t)((uint64_t)*sum - (uint64_t)x);
}

/* ---- birth and death ---- */

static hc_rc refuse(hc_error *e, const char *kind, const char *name, const char *what)
{
  return hc_fail(e, HC_EUSAGE, "cell", 0, 0, "%s '%s' %s", kind, name ? name : "?", what);
}

static hc_rc check_classes(const hc_cell_spec *s, hc_error *e)
{
  if (s->units == 0 || s->units == HC_NO_HOST || s->class_count == 0)
    return hc_fail(e, HC_EUSAGE, "cell", 0, 0, "there is no host: declare a class with at least one");
  for (uint32_t k = 0; k < s->class_count; k++) {
    const hc_host_class *c = &s->classes[k];
    if (c->devices > HC_DEVICES)
      return refuse(e, "class", c->name, "has more than 128 GPUs, the most that a host may have");
    if (c->devices > 0 && c->capacity[HC_DIM_GPU] != (int64_t)c->devices * HC_DEVICE)
      return refuse(e, "class", c->name, "has an amount of gpu that is not 1000 for each of its devices");
    for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
      if (c->capacity[d] < 0 || c->capacity[d] > HC_HOSTS_MOST)
        return refuse(e, "class", c->name, "has an amount that is negative or above 2^60");
      if (c->capacity[d] > 0 && s->shared[d] > 0)
        return refuse(e, "class", c->name,
                      "has an amount in a dimension that belongs to the cell as a whole");
    }
  }
  for (uint32_t host = 0; host < s->units; host++)
    if (s->class_of[host] >= s->class_count)
      return refuse(e, "host", s->host_names ? s->host_names[host] : NULL, "is of a class that is not there");
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    int64_t sum = 0;
    bool any = false;
    if (s->shared[d] < 0 || s->shared[d] > HC_HOSTS_MOST)
      return hc_fail(e, HC_EUSAGE, "cell", 0, 0, "an amount of the whole cell is negative or above 2^60");
    for (uint32_t k = 0; k < s->class_count; k++) any |= s->classes[k].capacity[d] > 0;
    for (uint32_t host = 0; any && host < s->units; host++) {
      sum += s->classes[s->class_of[host]].capacity[d];
      if (sum > HC_HOSTS_TOTAL)
        return hc_fail(e, HC_EUSAGE, "cell", 0, 0, "the hosts have more than 2^62 in all in one dimension");
    }
  }
  return 0;
}

static hc_rc check_places(const hc_cell_spec *s, hc_error *e)
{
  for (uint32_t i = 0; i < s->set_count; i++) {
    uint64_t end = 0;
    for (size_t r = 0; r < s->sets[i].host_count; r++) {
      const hc_range range = s->sets[i].hosts[r];
      if (range.count == 0 || range.first < end || (uint64_t)range.first + range.count > s->units)
        return refuse(e, "set", s->sets[i].name, "names hosts that are not there, or not in order");
      end = (uint64_t)range.first + range.count;
    }
  }
  for (uint32_t l = 0; l < s->level_count; l++)
    for (uint32_t host = 0; host < s->units; host++)
      if (s->levels[l].zone_of[host] != HC_NO_NAME && s->levels[l].zone_of[host] >= s->levels[l].zone_count)
        return refuse(e, "level", s->levels[l].name, "has a host in a zone that is not there");
  return 0;
}

/* That any host has, or will have by what is known now. */
static uint32_t most_devices(const hc_cell_spec *s)
{
  int64_t most = HC_HOSTS_GPUS;
  for (uint32_t k = 0; k < s->class_count; k++) most = HC_MAX(most, (int64_t)s->classes[k].devices);
  for (size_t i = 0; i < s->event_count; i++)
    if (s->events[i].capacity && s->events[i].host < s->units &&
        s->classes[s->class_of[s->events[i].host]].devices > 0)
      most = HC_MAX(most, s->events[i].capacity[HC_DIM_GPU] / HC_DEVICE);
  return (uint32_t)HC_MIN(most, HC_DEVICES);
}

static void find_dimensions(hc_hosts *h)
{
  const hc_cell_spec *s = h->spec;
  h->gpu = -1;
  for (uint32_t k = 0; k < s->class_count; k++) h->has_devices |= s->classes[k].devices > 0;
  if (h->has_devices) h->device_cap = most_devices(s);
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) {
    bool any = s->shared[d] > 0;
    for (uint32_t k = 0; k < s->class_count; k++) any |= s->classes[k].capacity[d] > 0;
    if (!any) continue;
    if (d == HC_DIM_GPU) h->gpu = (int)h->dims;
    h->is_shared[h->dims] = s->shared[d] > 0;
    h->has_shared |= s->shared[d] > 0;
    h->which[h->dims++] = (uint8_t)d;
  }
  if (h->dims == 0)
    h->which[h->dims++] = HC_DIM_CPU; /* hosts that have nothing, for tasks that need nothing */
  h->columns = h->dims + (h->has_devices ? 2 : 0);
}

static hc_rc allocate(hc_hosts *h)
{
  const hc_cell_spec *s = h->spec;
  const hc_allocator *a = h->allocator;
  h->caps = hc_alloc(a, (size_t)h->units * h->dims * sizeof *h->caps);
  h->flags = hc_alloc(a, h->units);
  h->held = hc_alloc(a, h->units * sizeof *h->held);
  h->of_class = hc_alloc(a, s->class_count * sizeof *h->of_class);
  h->away = hc_alloc(a, h->dims * sizeof *h->away);
  if (h->has_devices) h->devices = hc_alloc(a, (size_t)h->units * h->device_cap * sizeof *h->devices);
  h->zones = hc_alloc(a, s->level_count * sizeof *h->zones);
  if (!h->caps || !h->flags || !h->held || !h->of_class || !h->away || !h->zones ||
      (h->has_devices && !h->devices))
    return HC_ENOMEM;
  for (uint32_t host = 0; host < h->units; host++) h->of_class[s->class_of[host]]++;
  for (uint32_t l = 0; l < s->level_count; l++) {
    hc_hosts_level *z = &h->zones[l];
    const size_t zones = s->levels[l].zone_count;
    z->seen = hc_alloc(a, zones * sizeof *z->seen);
    z->used = hc_alloc(a, zones * sizeof *z->used);
    z->sum = hc_alloc(a, zones * sizeof *z->sum);
    z->good = hc_alloc(a, zones * sizeof *z->good);
    if (!z->seen || !z->used || !z->sum || !z->good) return HC_ENOMEM;
  }
  TRY(hc_reserve(a, (void **)&h->grants, &h->grant_cap, 1, sizeof *h->grants));
  return hc_hosts_index_init(h);
}

static void write_columns(hc_hosts *h, uint32_t host)
{
  int64_t *row = hc_hosts_row(h, host), columns[2];
  const int64_t away = hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY;
  if (!h->has_devices) return;
  hc_hosts_device_columns(h, host, columns);
  row[h->dims] = columns[0] - away;
  row[h->dims + 1] = columns[1] - away;
}

/* Sums and the set of idle hosts, from rows and flags. */
static void count_in(hc_hosts *h, uint32_t host)
{
  if ((h->flags[host] & HC_HOSTS_UP) == 0) return;
  const int64_t away = hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY;
  for (uint32_t d = 0; d < h->dims; d++) {
    add(&h->capacity_sum[d], h->caps[(size_t)host * h->dims + d]);
    add(&h->free_sum[d], hc_hosts_row(h, host)[d] + away);
    h->totals.capacity[h->which[d]] = h->capacity_sum[d];
  }
  h->totals.hosts = ++h->up;
  hc_hosts_note_owing(h, host);
  if (h->held[host] > 0 || !hc_hosts_takes(h, host)) return;
  hc_hosts_bits_set(&h->idle, host);
  h->idle_count++;
}

static void count_out(hc_hosts *h, uint32_t host)
{
  if ((h->flags[host] & HC_HOSTS_UP) == 0) return;
  const int64_t away = hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY;
  for (uint32_t d = 0; d < h->dims; d++) {
    subtract(&h->capacity_sum[d], h->caps[(size_t)host * h->dims + d]);
    subtract(&h->free_sum[d], hc_hosts_row(h, host)[d] + away);
    h->totals.capacity[h->which[d]] = h->capacity_sum[d];
  }
  h->totals.hosts = --h->up;
  if (!hc_hosts_bits_has(&h->idle, host)) return;
  hc_hosts_bits_clear(&h->idle, host);
  h->idle_count--;
}

/* Everything derived, from the state. */
void hc_hosts_derive(hc_hosts *h)
{
  for (uint32_t d = 0; d < h->dims; d++) h->capacity_sum[d] = h->free_sum[d] = 0;
  h->up = h->idle_count = 0;
  h->totals = (hc_cell_totals){.hosts = 0};
  for (uint32_t l = 0; l < h->idle.levels; l++)
    memset(h->idle.words[l], 0, h->idle.sizes[l] * sizeof(uint64_t));
  for (uint32_t host = 0; host < h->units; host++) {
    write_columns(h, host);
    count_in(h, host);
  }
  hc_hosts_index_build(h);
  hc_hosts_shapes_fini(h); /* made anew when it is asked for */
}

static void fill(hc_hosts *h)
{
  const hc_cell_spec *s = h->spec;
  for (uint32_t host = 0; host < h->units; host++) {
    const hc_host_class *c = &s->classes[s->class_of[host]];
    const bool is_up = !s->absent || s->absent[host] == 0;
    int64_t *row = hc_hosts_row(h, host), *cap = h->caps + (size_t)host * h->dims;
    h->flags[host] = is_up ? HC_HOSTS_UP : 0;
    for (uint32_t d = 0; d < h->dims; d++) {
      cap[d] = c->capacity[h->which[d]];
      row[d] = is_up ? cap[d] : -HC_HOSTS_AWAY;
    }
    for (uint32_t i = 0; c->devices > 0 && i < c->devices; i++) hc_hosts_devices_of(h, host)[i] = HC_DEVICE;
  }
  for (uint32_t d = 0; d < h->dims; d++) h->shared_free[d] = s->shared[h->which[d]];
  hc_hosts_derive(h);
}

hc_rc hc_hosts_new(const hc_allocator *a, const hc_cell_spec *spec, hc_lexicon *lexicon, uint64_t seed,
                   uint64_t replication, hc_hosts **out, hc_error *e)
{
  hc_hosts *h;
  TRY(check_classes(spec, e));
  TRY(check_places(spec, e));
  h = hc_alloc(a, sizeof *h);
  if (!h) return HC_ENOMEM;
  h->allocator = a;
  h->spec = spec;
  h->lexicon = lexicon;
  h->seed = seed;
  h->replication = replication;
  h->units = spec->units;
  hc_names_init(&h->names, a, spec->units);
  find_dimensions(h);
  if (allocate(h) < 0) {
    hc_hosts_free(h);
    return HC_ENOMEM;
  }
  fill(h);
  *out = h;
  return 0;
}

void hc_hosts_free(hc_hosts *h)
{
  const hc_allocator *a;
  if (!h) return;
  a = h->allocator;
  hc_hosts_facts_fini(h);
  hc_hosts_index_fini(h);
  hc_hosts_shapes_fini(h);
  hc_names_fini(&h->names);
  hc_free(a, h->host_named, h->units * sizeof *h->host_named);
  hc_free(a, h->caps, (size_t)h->units * h->dims * sizeof *h->caps);
  hc_free(a, h->flags, h->units);
  hc_free(a, h->held, h->units * sizeof *h->held);
  hc_free(a, h->devices, (size_t)h->units * h->device_cap * sizeof *h->devices);
  hc_free(a, h->rivals, h->rival_cap * sizeof *h->rivals);
  hc_free(a, h->of_class, h->spec->class_count * sizeof *h->of_class);
  hc_free(a, h->nevers, (h->nevers ? HC_HOSTS_NEVERS : 0) * sizeof *h->nevers);
  hc_free(a, h->away, h->dims * sizeof *h->away);
  hc_free(a, h->taken, (size_t)h->units * h->dims * sizeof *h->taken);
  hc_free(a, h->used, h->units * sizeof *h->used);
  hc_free(a, h->grants, h->grant_cap * sizeof *h->grants);
  hc_free(a, h->dealt, h->dealt_cap * sizeof *h->dealt);
  hc_free(a, h->ranges, h->range_cap * sizeof *h->ranges);
  hc_free(a, h->drawn, h->drawn_cap * sizeof *h->drawn);
  hc_free(a, h->scored, h->scored_cap * 24); /* see hosts_choose.c */
  hc_free(a, h, sizeof *h);
}

/* ---- questions ---- */

uint32_t hc_hosts_dimensions(const hc_hosts *h)
{
  return h->dims;
}

const uint8_t *hc_hosts_which(const hc_hosts *h)
{
  return h->which;
}

bool hc_hosts_is_shared(const hc_hosts *h, uint32_t d)
{
  return h->is_shared[d];
}

int64_t hc_hosts_capacity(const hc_hosts *h, uint32_t d)
{
  return h->is_shared[d] ? h->spec->shared[h->which[d]] : h->capacity_sum[d];
}

int64_t hc_hosts_free_sum(const hc_hosts *h, uint32_t d)
{
  return h->is_shared[d] ? h->shared_free[d] : h->free_sum[d];
}

void hc_hosts_sums(const hc_hosts *h, uint32_t d, int64_t *capacity, int64_t *free)
{
  *capacity = h->is_shared[d] ? h->spec->shared[h->which[d]] : h->capacity_sum[d];
  *free = h->is_shared[d] ? h->shared_free[d] : h->free_sum[d];
}

uint32_t hc_hosts_up(const hc_hosts *h)
{
  return h->up;
}

uint32_t hc_hosts_idle(const hc_hosts *h)
{
  return h->idle_count;
}

bool hc_hosts_is_up(const hc_hosts *h, uint32_t host)
{
  return host < h->units && (h->flags[host] & HC_HOSTS_UP) != 0;
}

const int64_t *hc_hosts_capacity_of(const hc_hosts *h, uint32_t host)
{
  static const int64_t nothing[HC_DIMENSIONS] = {0};
  return hc_hosts_is_up(h, host) ? h->caps + (size_t)host * h->dims : nothing;
}

const int64_t *hc_hosts_free_of(const hc_hosts *h, uint32_t host)
{
  int64_t *out = h->away;
  if (hc_hosts_takes(h, host)) return hc_hosts_row(h, host);
  for (uint32_t d = 0; d < h->dims; d++) out[d] = hc_hosts_row(h, host)[d] + HC_HOSTS_AWAY;
  return out;
}

/* ---- what a task asks for ---- */

bool hc_hosts_want_of(const hc_hosts *h, const int64_t *need, hc_hosts_want *out)
{
  bool possible = true;
  for (uint32_t d = 0; d < h->dims; d++) {
    out->row[d] = h->is_shared[d] ? 0 : need[d];
    possible &= (uint64_t)out->row[d] <= (uint64_t)HC_HOSTS_MOST;
  }
  out->gpu = 0;
  if (!h->has_devices || !possible) return possible;
  const int64_t gpu = need[h->gpu];
  out->gpu = gpu;
  out->row[h->dims] = gpu <= HC_DEVICE ? gpu : 0;
  out->row[h->dims + 1] = gpu < HC_DEVICE ? 0 : gpu % HC_DEVICE == 0 ? gpu : HC_HOSTS_MOST;
  return true;
}

bool hc_hosts_want_chunk(const hc_hosts *h, const hc_chunk *chunk, hc_hosts_want *out)
{
  int64_t need[HC_DIMENSIONS];
  if (h->gpu < 0 && chunk->need[HC_DIM_GPU] > 0) return false; /* what no host has is not counted, but GPUs */
  for (uint32_t d = 0; d < h->dims; d++) need[d] = HC_MAX(chunk->need[h->which[d]], 0); /* unsaid: none */
  return hc_hosts_want_of(h, need, out);
}

bool hc_hosts_shared_need(const hc_hosts *h, const hc_request *r, const hc_task_extras *m,
                          int64_t out[HC_DIMENSIONS])
{
  for (uint32_t d = 0; d < h->dims; d++) {
    const int64_t most = h->spec->shared[h->which[d]];
    out[d] = 0;
    if (!h->is_shared[d]) continue;
    if (r->need) out[d] = r->need[d];
    if (out[d] < 0 || out[d] > most) return false;
    for (size_t i = 0; m && i < m->chunk_count; i++) {
      const int64_t x = HC_MAX(m->chunks[i].need[h->which[d]], 0);
      if (x > most - out[d]) return false;
      out[d] += x;
    }
  }
  return true;
}

uint64_t hc_hosts_slots_on(const hc_hosts *h, uint32_t host, const hc_hosts_want *w)
{
  const int64_t *row = hc_hosts_row(h, host);
  uint64_t n = HC_HOSTS_SLOTS;
  if (!hc_hosts_index_fits(h, w->row, host)) return 0;
  for (uint32_t d = 0; d < h->dims; d++)
    if (w->row[d] > 0) n = HC_MIN(n, (uint64_t)(row[d] / w->row[d]));
  if (w->gpu > 0 && hc_hosts_class_devices(h, host) > 0)
    n = HC_MIN(n, hc_hosts_device_slots(hc_hosts_devices_of(h, host), h->device_cap, w->gpu));
  return n;
}

/* ---- claims ---- */

static void move_devices(hc_hosts *h, const hc_hosts_want *w, const hc_grant *g, int32_t sign)
{
  if (hc_devices_none(&g->devices)) return;
  hc_hosts_device_move(hc_hosts_devices_of(h, g->host), h->device_cap, w->gpu, g->slots, g->devices, sign);
  write_columns(h, g->host);
}

void hc_hosts_claim(hc_hosts *h, const hc_hosts_want *w, const hc_grant *g)
{
  int64_t *row = hc_hosts_row(h, g->host);
  for (uint32_t d = 0; d < h->dims; d++) {
    row[d] -= w->row[d] * g->slots;
    subtract(&h->free_sum[d], w->row[d] * g->slots);
  }
  if (h->has_devices) move_devices(h, w, g, -1);
  hc_hosts_occupy(h, g->host);
  hc_hosts_index_sink(h, g->host);
}

void hc_hosts_release(hc_hosts *h, const hc_hosts_want *w, const hc_grant *g)
{
  int64_t *row = hc_hosts_row(h, g->host);
  const bool is_up = (h->flags[g->host] & HC_HOSTS_UP) != 0;
  for (uint32_t d = 0; d < h->dims; d++) {
    row[d] += w->row[d] * g->slots;
    if (is_up) add(&h->free_sum[d], w->row[d] * g->slots);
  }
  if (h->has_devices) move_devices(h, w, g, 1);
  hc_hosts_vacate(h, g->host);
  hc_hosts_index_rise(h, g->host);
}

static void size_devices(hc_hosts *h, uint32_t host)
{
  const bool whole = (h->flags[host] & HC_HOSTS_WHOLE) != 0;
  if (!h->devices || hc_hosts_class_devices(h, host) == 0) return;
  for (uint32_t i = 0; i < h->device_cap; i++)
    hc_hosts_devices_of(h, host)[i] =
        whole ? 0 : hc_hosts_device_size(h->caps[(size_t)host * h->dims + (uint32_t)h->gpu], i);
}

void hc_hosts_claim_whole(hc_hosts *h, uint32_t host)
{
  const int64_t away = hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY;
  int64_t *row = hc_hosts_row(h, host);
  hc_hosts_occupy(h, host);
  h->flags[host] |= HC_HOSTS_WHOLE;
  for (uint32_t d = 0; d < h->dims; d++) {
    subtract(&h->free_sum[d], row[d] + away);
    row[d] = -HC_HOSTS_AWAY;
  }
  size_devices(h, host);
  write_columns(h, host);
  hc_hosts_index_sink(h, host);
}

void hc_hosts_release_whole(hc_hosts *h, uint32_t host)
{
  int64_t *row = hc_hosts_row(h, host);
  const int64_t *cap = hc_hosts_capacity_of(h, host);
  HC_ASSERT(h->flags[host] & HC_HOSTS_WHOLE);
  h->flags[host] &= (uint8_t)~HC_HOSTS_WHOLE;
  for (uint32_t d = 0; d < h->dims; d++) {
    row[d] = cap[d] - (hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY);
    add(&h->free_sum[d], cap[d]);
  }
  size_devices(h, host);
  write_columns(h, host);
  hc_hosts_vacate(h, host);
  hc_hosts_index_rise(h, host);
}

static bool fits(const hc_hosts *h, const hc_grant *g, const hc_hosts_want *w)
{
  const int64_t *row = hc_hosts_row(h, g->host);
  const bool has_devices = w->gpu > 0 && hc_hosts_class_devices(h, g->host) > 0;
  if (!hc_hosts_index_fits(h, w->row, g->host)) return false;
  for (uint32_t d = 0; g->slots > 1 && d < h->dims; d++) {
    int64_t all;
    if (__builtin_mul_overflow(w->row[d], (int64_t)g->slots, &all) || row[d] < all) return false;
  }
  return has_devices ? hc_hosts_device_fits(hc_hosts_devices_of(h, g->host), h->device_cap, w->gpu, g->slots,
                                            g->devices)
                     : hc_devices_none(&g->devices);
}

/* What a grant is of. @return false: of nothing that the task has. */
bool hc_hosts_want_of_grant(const hc_hosts *h, const hc_request *r, const hc_task_extras *m,
                            const hc_grant *g, hc_hosts_want *w)
{
  if (g->chunk == 0) return r->whole || hc_hosts_want_of(h, r->need, w);
  return m && g->chunk <= m->chunk_count && g->slots == 1 &&
         hc_hosts_want_chunk(h, &m->chunks[g->chunk - 1], w);
}

static void give_hosts(hc_hosts *h, const hc_request *r, const hc_task_extras *m, const hc_grant *grants,
                       size_t count)
{
  hc_hosts_want w;
  for (size_t i = count; i-- > 0;) {
    if (r->whole) {
      hc_hosts_release_whole(h, grants[i].host);
      continue;
    }
    if (i + 1 == count || grants[i].chunk != grants[i + 1].chunk)
      (void)hc_hosts_want_of_grant(h, r, m, &grants[i], &w);
    hc_hosts_release(h, &w, &grants[i]);
  }
}

static size_t take_hosts(hc_hosts *h, const hc_request *r, const hc_task_extras *m, const hc_grant *grants,
                         size_t count)
{
  hc_hosts_want w;
  for (size_t i = 0; i < count; i++) {
    const hc_grant *g = &grants[i];
    if (g->host >= h->units || g->slots == 0 || !hc_hosts_takes(h, g->host)) return i;
    if ((i == 0 || g->chunk != g[-1].chunk) && !hc_hosts_want_of_grant(h, r, m, g, &w)) return i;
    if (r->whole) {
      if (!hc_hosts_bits_has(&h->idle, g->host)) return i;
      hc_hosts_claim_whole(h, g->host);
      hc_hosts_note_whole(h, g->host);
    } else {
      if (!fits(h, g, &w)) return i;
      hc_hosts_claim(h, &w, g);
    }
  }
  return count;
}

static void move_shared(hc_hosts *h, const int64_t amounts[HC_DIMENSIONS], int sign)
{
  for (uint32_t d = 0; d < h->dims; d++) h->shared_free[d] += sign * amounts[d];
}

static bool shared_fits(const hc_hosts *h, const int64_t amounts[HC_DIMENSIONS])
{
  for (uint32_t d = 0; d < h->dims; d++)
    if (amounts[d] > h->shared_free[d]) return false;
  return true;
}

static bool limits_allow(const hc_hosts *h, const hc_hosts_facts *f, const hc_grant *grants, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (grants[i].host >= h->units || !hc_hosts_limits_allow(h, f, grants[i].host)) return false;
  return true;
}

bool hc_hosts_is_plain(const hc_hosts *h)
{
  return h->is_plain;
}

uint32_t hc_hosts_take_one(hc_hosts *h, const int64_t *need, hc_choice how)
{
  const uint32_t host = hc_hosts_find_plain(h, need, how);
  if (host == HC_NO_HOST) return host;
  int64_t *row = h->rows + (size_t)host * 2;
  row[0] -= need[0];
  row[1] -= need[1];
  subtract(&h->free_sum[0], need[0]);
  subtract(&h->free_sum[1], need[1]);
  hc_hosts_occupy(h, host);
  hc_hosts_index_sink(h, host);
  return host;
}

void hc_hosts_give_one(hc_hosts *h, const int64_t *need, uint32_t host)
{
  int64_t *row = h->rows + (size_t)host * 2;
  row[0] += need[0];
  row[1] += need[1];
  if (h->flags[host] & HC_HOSTS_UP) {
    add(&h->free_sum[0], need[0]);
    add(&h->free_sum[1], need[1]);
  }
  hc_hosts_vacate(h, host);
  hc_hosts_index_rise(h, host);
}

hc_rc hc_hosts_take(hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count)
{
  if (hc_hosts_is_simple(h, r, grants, count)) return hc_hosts_take_simply(h, r->need, grants, count);
  const hc_task_extras *m = hc_lexicon_more(h->lexicon, r->more);
  int64_t shared[HC_DIMENSIONS];
  size_t taken;
  if (r->whole) TRY(hc_hosts_reserve_whole(h));
  if (h->has_shared && (!hc_hosts_shared_need(h, r, m, shared) || !shared_fits(h, shared)))
    return HC_ECONFLICT;
  if (hc_hosts_is_limited(m)) {
    const hc_hosts_facts f = hc_hosts_facts_levels(h, r->more);
    if (!limits_allow(h, &f, grants, count)) return HC_ECONFLICT;
    TRY(hc_hosts_limits_add(h, &f, grants, count));
  }
  taken = take_hosts(h, r, m, grants, count);
  if (taken < count) {
    give_hosts(h, r, m, grants, taken);
    if (hc_hosts_is_limited(m)) {
      const hc_hosts_facts f = hc_hosts_facts_levels(h, r->more);
      hc_hosts_limits_remove(h, &f, grants, count);
    }
    return HC_ECONFLICT;
  }
  if (h->has_shared) move_shared(h, shared, -1);
  return 0;
}

void hc_hosts_give(hc_hosts *h, const hc_request *r, const hc_grant *grants, size_t count)
{
  if (hc_hosts_is_simple(h, r, grants, count)) {
    hc_hosts_give_simply(h, r->need, grants, count);
    return;
  }
  const hc_task_extras *m = hc_lexicon_more(h->lexicon, r->more);
  int64_t shared[HC_DIMENSIONS];
  give_hosts(h, r, m, grants, count);
  if (h->has_shared && hc_hosts_shared_need(h, r, m, shared)) move_shared(h, shared, 1);
  if (hc_hosts_is_limited(m)) {
    const hc_hosts_facts f = hc_hosts_facts_levels(h, r->more);
    hc_hosts_limits_remove(h, &f, grants, count);
  }
}

/* ---- changes of hosts ---- */

static void resize(hc_hosts *h, uint32_t host, const int64_t *capacity)
{
  const bool sized = h->devices && hc_hosts_class_devices(h, host) > 0;
  for (uint32_t d = 0; d < h->dims; d++) {
    int64_t *cap = &h->caps[(size_t)host * h->dims + d], amount = capacity[h->which[d]];
    if (amount == HC_UNKNOWN || h->is_shared[d]) continue;
    amount = HC_MAX(0, HC_MIN(amount, HC_HOSTS_MOST));
    if (sized && h->gpu == (int)d) {
      amount = HC_MIN(amount, (int64_t)h->device_cap * HC_DEVICE);
      for (uint32_t i = 0; i < h->device_cap && (h->flags[host] & HC_HOSTS_WHOLE) == 0; i++)
        hc_hosts_devices_of(h, host)[i] += hc_hosts_device_size(amount, i) - hc_hosts_device_size(*cap, i);
    }
    *cap = amount;
  }
}

hc_rc hc_hosts_change(hc_hosts *h, const hc_host_event *event)
{
  const uint32_t host = event->host;
  int64_t claimed[HC_DIMENSIONS], *row;
  const int64_t *cap;
  if (host >= h->units) return 0;
  row = hc_hosts_row(h, host);
  cap = hc_hosts_capacity_of(h, host);
  for (uint32_t d = 0; d < h->dims; d++)
    claimed[d] = cap[d] - row[d] - (hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY);
  count_out(h, host);
  switch ((hc_host_change)event->change) {
    case HC_HOST_UP: h->flags[host] = (h->flags[host] & HC_HOSTS_WHOLE) | HC_HOSTS_UP; break;
    case HC_HOST_DOWN: h->flags[host] &= HC_HOSTS_WHOLE; break;
    case HC_HOST_DRAIN:
      if (h->flags[host] & HC_HOSTS_UP) h->flags[host] |= HC_HOSTS_DRAIN;
      break;
    case HC_HOST_RESIZE: resize(h, host, event->capacity); break;
    case HC_HOST_EVICT:
    case HC_HOST_FAIL: break; /* it is as it was */
  }
  cap = hc_hosts_capacity_of(h, host);
  for (uint32_t d = 0; d < h->dims; d++) {
    const int64_t free = h->flags[host] & HC_HOSTS_WHOLE ? 0 : cap[d] - claimed[d];
    row[d] = free - (hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY);
  }
  write_columns(h, host);
  count_in(h, host);
  if (h->shapes) hc_hosts_shapes_resize(h, host);
  hc_hosts_index_sink(h, host); /* some amounts less, others more */
  hc_hosts_index_rise(h, host);
  return 0;
}

/* ---- state ---- */

static bool within(int64_t x, int64_t low, int64_t high)
{
  return x >= low && x <= high;
}

/* What was loaded may be anything: amounts that nothing here could have made are refused. */
static hc_rc accept(hc_hosts *h, uint32_t host)
{
  const uint8_t flags = h->flags[host];
  const int64_t away = hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY;
  if (flags > (HC_HOSTS_UP | HC_HOSTS_DRAIN | HC_HOSTS_WHOLE)) return HC_EINPUT;
  if (((flags & HC_HOSTS_WHOLE) && h->held[host] != 1) ||
      ((flags & HC_HOSTS_DRAIN) && !(flags & HC_HOSTS_UP)))
    return HC_EINPUT;
  for (uint32_t d = 0; d < h->dims; d++) {
    const int64_t cap = h->caps[(size_t)host * h->dims + d];
    if (!within(cap, 0, HC_HOSTS_MOST)) return HC_EINPUT;
    if (!within(hc_hosts_row(h, host)[d], -HC_HOSTS_MOST - away, cap - away)) return HC_EINPUT;
  }
  if (h->gpu >= 0 && hc_hosts_class_devices(h, host) > 0 &&
      h->caps[(size_t)host * h->dims + (uint32_t)h->gpu] > (int64_t)h->device_cap * HC_DEVICE)
    return HC_EINPUT;
  for (uint32_t i = 0; h->devices && i < h->device_cap; i++)
    if (!within(hc_hosts_devices_of(h, host)[i], -HC_DEVICE, HC_DEVICE)) return HC_EINPUT;
  return 0;
}

hc_rc hc_hosts_visit(hc_hosts *h, hc_visitor *v)
{
  uint32_t units = h->units, dims = h->dims;
  HC_VISIT(v, units);
  HC_VISIT(v, dims);
  if (units != h->units || dims != h->dims) return HC_EINPUT; /* of another cell */
  HC_VISIT(v, h->turn);
  TRY(hc_visit_bytes(v, h->shared_free, HC_MAX(dims, HC_NEEDS) * sizeof *h->shared_free));
  TRY(hc_visit_bytes(v, h->caps, (size_t)units * dims * sizeof *h->caps));
  TRY(hc_visit_bytes(v, h->flags, units));
  TRY(hc_visit_bytes(v, h->held, units * sizeof *h->held));
  if (h->devices) TRY(hc_visit_bytes(v, h->devices, (size_t)units * h->device_cap * sizeof *h->devices));
  for (uint32_t host = 0; host < units; host++)
    TRY(hc_visit_bytes(v, hc_hosts_row(h, host), dims * sizeof(int64_t)));
  TRY(hc_hosts_limits_visit(h, v));
  TRY(hc_hosts_visit_whole(h, v));
  if (!hc_visit_loading(v)) return 0;
  h->turn = h->turn < units ? h->turn : 0;
  for (uint32_t host = 0; host < units; host++) TRY(accept(h, host));
  for (uint32_t d = 0; d < dims; d++)
    if (!within(h->shared_free[d], 0, h->is_shared[d] ? h->spec->shared[h->which[d]] : 0)) return HC_EINPUT;
  hc_hosts_derive(h);
  return 0;
}

const uint32_t *hc_hosts_held(const hc_hosts *h)
{
  return h->held;
}

uint32_t hc_hosts_turn(const hc_hosts *h)
{
  return h->turn;
}

void hc_hosts_set_turn(hc_hosts *h, uint32_t turn)
{
  h->turn = turn < h->units ? turn : 0;
}

/* ---- what must hold ---- */

static void check_host(const hc_hosts *h, uint32_t host)
{
  const int64_t *free = hc_hosts_free_of(h, host), *cap = hc_hosts_capacity_of(h, host);
  const bool whole = (h->flags[host] & HC_HOSTS_WHOLE) != 0;
  int64_t columns[2], gpus = 0;
  for (uint32_t d = 0; d < h->dims; d++) {
    HC_ASSERT(whole ? free[d] == 0 : free[d] <= cap[d]);
    if (h->held[host] == 0) HC_ASSERT(free[d] == cap[d]);
  }
  HC_ASSERT(!whole || h->held[host] == 1);
  HC_ASSERT(hc_hosts_bits_has(&h->idle, host) == (hc_hosts_takes(h, host) && h->held[host] == 0));
  if (!h->has_devices) return;
  hc_hosts_device_columns(h, host, columns);
  for (uint32_t i = 0; i < 2; i++)
    HC_ASSERT(hc_hosts_row(h, host)[h->dims + i] ==
              columns[i] - (hc_hosts_takes(h, host) ? 0 : HC_HOSTS_AWAY));
  if (hc_hosts_class_devices(h, host) == 0 || (h->flags[host] & HC_HOSTS_UP) == 0) return;
  for (uint32_t i = 0; i < h->device_cap; i++) {
    gpus += hc_hosts_devices_of(h, host)[i];
    HC_ASSERT(hc_hosts_devices_of(h, host)[i] <= hc_hosts_device_size(cap[h->gpu], i));
  }
  HC_ASSERT(gpus == free[h->gpu]);
}

void hc_hosts_check(const hc_hosts *h)
{
  int64_t capacity[HC_DIMENSIONS] = {0}, free[HC_DIMENSIONS] = {0};
  uint32_t up = 0, idle = 0;
  for (uint32_t host = 0; host < h->units; host++) {
    check_host(h, host);
    idle += hc_hosts_bits_has(&h->idle, host);
    if (!hc_hosts_is_up(h, host)) continue;
    up++;
    for (uint32_t d = 0; d < h->dims; d++) {
      add(&capacity[d], hc_hosts_capacity_of(h, host)[d]);
      add(&free[d], hc_hosts_free_of(h, host)[d]);
    }
  }
  HC_ASSERT(up == h->up && idle == h->idle_count);
  for (uint32_t d = 0; d < h->dims; d++) {
    HC_ASSERT(capacity[d] == h->capacity_sum[d] && free[d] == h->free_sum[d]);
    HC_ASSERT(h->totals.capacity[h->which[d]] == capacity[d] && h->totals.hosts == up);
    if (h->is_shared[d])
      HC_ASSERT(h->shared_free[d] >= 0 && h->shared_free[d] <= h->spec->shared[h->which[d]]);
  }
  hc_hosts_index_check(h);
  hc_hosts_shapes_check(h);
}
