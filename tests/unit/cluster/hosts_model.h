/* hosts_model.h -- the hosts cell as one would write it without a thought for time: capacities and claims in
 * plain arrays, and every question answered by looking at all hosts in turn. No tree, no memo, no cache. */
#ifndef HOSTS_MODEL_H
#define HOSTS_MODEL_H

#include "hosts_world.h"

/* ---- the model ---- */

typedef struct model {
  int64_t capacity[HOSTS][HC_DIMENSIONS], claimed[HOSTS][HC_DIMENSIONS];
  int32_t devices[HOSTS][HC_DEVICES]; /* claimed */
  bool up[HOSTS], drains[HOSTS], whole[HOSTS];
  uint32_t held[HOSTS], turn;
  int64_t shared[HC_DIMENSIONS]; /* claimed */
} model;

/* One question to the model. */
typedef struct asking {
  world *w;
  model m; /* a copy: what is placed is claimed in it */
  const hc_request *r;
  const hc_chooser *c;
  const hc_task_extras *more;
  bool in_scope[HOSTS], used[HOSTS];
  uint32_t zone; /* of the level `same` */
  hc_grant grants[GRANTS];
  size_t count;
  hc_draws draws;
} asking;

static model the_model;
static asking ask;

static void begin_model(world *w)
{
  const uint8_t *which = hc_hosts_which(w->hosts);
  memset(&the_model, 0, sizeof the_model);
  for (uint32_t i = 0; i < w->spec.units; i++) {
    for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
      the_model.capacity[i][d] = w->classes[w->class_of[i]].capacity[which[d]];
    the_model.up[i] = !w->absent[i];
  }
}

static int dimension(world *w, uint32_t id)
{
  for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
    if (hc_hosts_which(w->hosts)[d] == id) return (int)d;
  return -1;
}

static int64_t free_on(const model *m, uint32_t host, uint32_t d)
{
  const int64_t capacity = m->up[host] ? m->capacity[host][d] : 0;
  return m->whole[host] ? 0 : capacity - m->claimed[host][d];
}

static int32_t device_free(world *w, const model *m, uint32_t host, uint32_t i)
{
  const int64_t left = m->capacity[host][dimension(w, HC_DIM_GPU)] - 1000 * (int64_t)i;
  const int64_t size = left < 0 ? 0 : left > 1000 ? 1000 : left;
  return m->whole[host] ? 0 : (int32_t)size - m->devices[host][i];
}

static bool has_devices(world *w, uint32_t host)
{
  return w->classes[w->class_of[host]].devices > 0;
}

static bool fits(world *w, const model *m, uint32_t host, const int64_t *need)
{
  const int gpu = dimension(w, HC_DIM_GPU);
  int64_t whole = 0;
  bool part = false;
  if (!m->up[host] || m->drains[host] || m->whole[host]) return false;
  for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
    if (!hc_hosts_is_shared(w->hosts, d) && need[d] > free_on(m, host, d)) return false;
  for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
    if (!hc_hosts_is_shared(w->hosts, d) && free_on(m, host, d) < 0) return false; /* it owes */
  if (gpu < 0 || need[gpu] == 0 || !has_devices(w, host)) return true;
  for (uint32_t i = 0; i < HC_DEVICES; i++) {
    part |= device_free(w, m, host, i) >= need[gpu];
    whole += device_free(w, m, host, i) == 1000;
  }
  return need[gpu] <= 1000 ? part : need[gpu] % 1000 == 0 && whole * 1000 >= need[gpu];
}

static bool is_idle(const model *m, uint32_t host)
{
  return m->up[host] && !m->drains[host] && m->held[host] == 0;
}

/* ---- the model: constraints, zones, limits ---- */

static bool constraint_holds(world *w, const hc_constraint *c, uint32_t k)
{
  const hc_attribute *a = NULL;
  for (uint32_t i = 0; i < 3; i++)
    if (w->attributes[k][i].name == c->attribute) a = &w->attributes[k][i];
  if (!a) return c->compare == HC_UNEQUAL || c->compare == HC_ABSENT;
  switch ((hc_compare)c->compare) {
    case HC_EQUAL: return a->is_text == c->is_text && a->value == c->value;
    case HC_UNEQUAL: return a->is_text != c->is_text || a->value != c->value;
    case HC_LESS: return !c->is_text && a->value < c->value;
    case HC_GREATER: return !c->is_text && a->value > c->value;
    case HC_AT_LEAST: return !c->is_text && a->value >= c->value;
    case HC_AT_MOST: return !c->is_text && a->value <= c->value;
    case HC_PRESENT: return true;
    case HC_ABSENT: return false;
  }
  return false;
}

static bool is_allowed(world *w, const hc_task_extras *m, uint32_t host)
{
  bool good[2] = {true, true}, named = m->host_count == 0, inside = m->set == HC_NO_NAME;
  for (size_t i = 0; i < m->constraint_count; i++) good[m->constraints[i].group] = false;
  for (size_t i = 0; i < m->constraint_count; i++)
    good[m->constraints[i].group] |= constraint_holds(w, &m->constraints[i], w->class_of[host]);
  for (size_t i = 0; i < m->host_count; i++)
    named |= strcmp(hc_lexicon_text(w->lexicon, m->hosts[i]), w->text[host]) == 0;
  for (uint32_t s = 0; s < 2 && m->set != HC_NO_NAME; s++)
    if (strcmp(w->sets[s].name, hc_lexicon_text(w->lexicon, m->set)) == 0)
      for (size_t r = 0; r < w->sets[s].host_count; r++)
        inside |=
            host >= w->sets[s].hosts[r].first && host - w->sets[s].hosts[r].first < w->sets[s].hosts[r].count;
  return good[0] && good[1] && named && inside;
}

static const uint32_t *level(world *w, uint32_t name)
{
  if (name == HC_NO_NAME) return NULL;
  return strcmp(hc_lexicon_text(w->lexicon, name), "rack") == 0 ? w->rack : w->row;
}

/* Tasks of a rival that have a limit, on a host or in a zone. */
static uint32_t rivals(world *w, const hc_task_extras *m, uint32_t host, bool zones)
{
  const uint32_t *of = zones ? level(w, m->zone_level) : NULL;
  uint32_t n = 0;
  for (size_t i = 0; i < w->live_count; i++) {
    const hc_task_extras *o = hc_lexicon_more(w->lexicon, w->live[i].r.more);
    bool there = false;
    if (!o || o->rival != m->rival || (zones ? o->per_zone : o->per_host) == 0) continue;
    if (zones && o->zone_level != m->zone_level) continue;
    for (size_t g = 0; g < w->live[i].count; g++) {
      const uint32_t other = w->live[i].grants[g].host;
      there |= zones ? of[other] == of[host] : other == host;
    }
    n += there;
  }
  return n;
}

static bool may_use(asking *a, uint32_t host)
{
  world *w = a->w;
  const hc_task_extras *m = a->more;
  if (!a->in_scope[host] || (a->used[host] && (a->r->spread || a->r->whole))) return false;
  if (!m) return true;
  if (!is_allowed(w, m, host)) return false;
  if (m->same != HC_NO_NAME && level(w, m->same)[host] != a->zone) return false;
  if (m->differ != HC_NO_NAME && !a->used[host]) {
    const uint32_t *of = level(w, m->differ);
    if (of[host] == HC_NO_NAME) return false;
    for (uint32_t i = 0; i < w->spec.units; i++)
      if (a->used[i] && of[i] == of[host]) return false;
  }
  if (m->per_host > 0 && rivals(w, m, host, false) >= m->per_host) return false;
  return m->per_zone == 0 || level(w, m->zone_level)[host] == HC_NO_NAME ||
         rivals(w, m, host, true) < m->per_zone;
}

/* ---- the model: choosing ---- */

static bool can(asking *a, uint32_t host, const int64_t *need)
{
  if (a->r->whole && !is_idle(&a->m, host)) return false;
  return (!need || fits(a->w, &a->m, host, need)) && may_use(a, host);
}

typedef struct shot {
  hc_host_view view;
  uint8_t which[HC_DIMENSIONS];
  int64_t need[HC_DIMENSIONS], free[HC_DIMENSIONS], capacity[HC_DIMENSIONS];
  int32_t devices[HC_DEVICES];
} shot;

static const hc_host_view *shoot(asking *a, uint32_t host, const int64_t *need, shot *x)
{
  hc_hosts *h = a->w->hosts;
  const int gpu = dimension(a->w, HC_DIM_GPU);
  x->view = (hc_host_view){.host = host, .class_id = a->w->class_of[host]};
  for (uint32_t d = 0; d < hc_hosts_dimensions(h); d++) {
    const uint32_t n = x->view.dimensions;
    if (hc_hosts_is_shared(h, d)) continue;
    x->which[n] = hc_hosts_which(h)[d];
    x->need[n] = need && !a->r->whole ? need[d] : a->m.capacity[host][d];
    x->free[n] = free_on(&a->m, host, d);
    x->capacity[n] = a->m.capacity[host][d];
    x->view.dimensions++;
  }
  if (gpu >= 0 && has_devices(a->w, host)) {
    x->view.device_count = (uint32_t)((a->m.capacity[host][gpu] + 999) / 1000);
    for (uint32_t i = 0; i < HC_DEVICES; i++) x->devices[i] = device_free(a->w, &a->m, host, i);
  }
  x->view.which = x->which;
  x->view.need = x->need;
  x->view.free = x->free;
  x->view.capacity = x->capacity;
  x->view.devices = x->devices;
  return &x->view;
}

static double score(asking *a, uint32_t host, const int64_t *need)
{
  shot x;
  const double s = a->c->score(NULL, shoot(a, host, need, &x));
  return s == s ? s : -__builtin_inf();
}

static double tie(asking *a, uint32_t host, const int64_t *need)
{
  shot x;
  return a->c->tie ? a->c->tie(NULL, shoot(a, host, need, &x)) : 0;
}

static bool in_question(asking *a, uint32_t host)
{
  return a->in_scope[host] &&
         (!a->more || a->more->same == HC_NO_NAME || level(a->w, a->more->same)[host] == a->zone);
}

/* Up to sixteen hosts at random until one can; then one of those that can, and from then on only of them. */
static uint32_t sample(asking *a, const int64_t *need)
{
  uint32_t all[HOSTS], good[HOSTS], n = 0, m = 0, best = HC_NO_HOST;
  double most = 0;
  bool only_good = false;
  for (uint32_t i = 0; i < a->w->spec.units; i++) {
    if (in_question(a, i)) all[n++] = i;
    if (can(a, i, need)) good[m++] = i;
  }
  for (uint32_t k = 0; n > 0 && (k == 0 || (k < a->c->sample && a->c->score)); k++) {
    uint32_t host = HC_NO_HOST;
    double x;
    for (int t = 0; t < 16 && !only_good && host == HC_NO_HOST; t++) {
      host = all[hc_random_below(&a->draws, n)];
      if (!can(a, host, need)) host = HC_NO_HOST;
    }
    only_good |= host == HC_NO_HOST;
    if (m == 0) return HC_NO_HOST;
    if (only_good) host = good[hc_random_below(&a->draws, m)];
    x = a->c->score ? score(a, host, need) : 0;
    if (k > 0 && !(x > most)) continue;
    most = x;
    best = host;
  }
  return best;
}

/* On few hosts, each of which takes one slot, it is known at once whether there are enough with room. */
static bool are_few(const asking *a, uint32_t count)
{
  return a->w->spec.units <= 64 && !a->r->whole && (!a->more || a->more->differ == HC_NO_NAME) &&
         (a->r->spread || count == 1);
}

static uint32_t with_room(asking *a, const int64_t *need, const bool *out, uint32_t *good)
{
  uint32_t m = 0;
  for (uint32_t i = 0; i < a->w->spec.units; i++)
    if (!out[i] && in_question(a, i) && (!a->more || is_allowed(a->w, a->more, i)) &&
        fits(a->w, &a->m, i, need))
      good[m++] = i;
  return m;
}

/* Drawn one after the other: who may not be used is drawn no more. */
static uint32_t draw_of_few(asking *a, const int64_t *need, uint32_t count, bool *out)
{
  uint32_t good[HOSTS], m = with_room(a, need, out, good), host = HC_NO_HOST;
  while (host == HC_NO_HOST && m >= count) {
    const uint32_t at = (uint32_t)hc_random_below(&a->draws, m);
    host = good[at];
    out[host] = true;
    memmove(good + at, good + at + 1, (--m - at) * sizeof *good);
    if (!may_use(a, host)) host = HC_NO_HOST;
  }
  return host;
}

static uint32_t select(asking *a, const int64_t *need)
{
  const uint32_t n = a->w->spec.units;
  uint32_t best = HC_NO_HOST;
  double most = 0, most_tie = 0;
  if (a->c->how == HC_CHOOSE_SAMPLE) return sample(a, need);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t host = a->c->how == HC_CHOOSE_NEXT ? (a->m.turn + i) % n : i;
    double x, y;
    if (!can(a, host, need)) continue;
    if (a->c->how != HC_CHOOSE_BEST || !a->c->score) return host;
    x = score(a, host, need);
    y = tie(a, host, need);
    if (best != HC_NO_HOST && !(x > most || (x == most && y > most_tie))) continue;
    most = x;
    most_tie = y;
    best = host;
  }
  return best;
}

/* Claim one slot; the devices that it gets. */
static hc_devices put(asking *a, uint32_t host, const int64_t *need)
{
  const int gpu = dimension(a->w, HC_DIM_GPU);
  const int64_t amount = gpu >= 0 && need ? need[gpu] : 0;
  hc_devices got = {0};
  a->used[host] = true;
  a->m.held[host]++;
  if (a->r->whole) {
    a->m.whole[host] = true;
    if (gpu >= 0 && has_devices(a->w, host))
      for (uint32_t i = 0; i < (a->m.capacity[host][gpu] + 999) / 1000; i++) hc_devices_add(&got, i);
    return got;
  }
  if (amount > 0 && has_devices(a->w, host)) {
    shot x;
    const hc_devices none = {0};
    const hc_devices said = a->c->devices ? a->c->devices(NULL, shoot(a, host, need, &x), amount) : none;
    uint32_t first = 0;
    while (first < HC_DEVICES && !hc_devices_have(&said, first)) first++;
    if (amount < 1000 && first < HC_DEVICES && device_free(a->w, &a->m, host, first) >= amount) {
      got = said;
    } else if (amount < 1000) {
      int best = -1;
      for (int i = 0; i < HC_DEVICES; i++) {
        const int32_t f = device_free(a->w, &a->m, host, (uint32_t)i);
        if (f >= amount && (best < 0 || f < device_free(a->w, &a->m, host, (uint32_t)best))) best = i;
      }
      hc_devices_add(&got, (uint32_t)best);
    } else if (amount == 1000 && first < HC_DEVICES && device_free(a->w, &a->m, host, first) == 1000) {
      got = said;
    } else {
      for (uint32_t i = 0, left = (uint32_t)(amount / 1000); left > 0; i++)
        if (device_free(a->w, &a->m, host, i) == 1000) {
          hc_devices_add(&got, i);
          left--;
        }
    }
    for (uint32_t i = 0; i < HC_DEVICES; i++)
      if (hc_devices_have(&got, i)) a->m.devices[host][i] += (int32_t)(amount < 1000 ? amount : 1000);
  }
  for (uint32_t d = 0; d < hc_hosts_dimensions(a->w->hosts); d++)
    if (!hc_hosts_is_shared(a->w->hosts, d)) a->m.claimed[host][d] += need[d];
  return got;
}

static bool place(asking *a, const int64_t *need, uint32_t count, uint32_t chunk)
{
  const bool fills =
      !a->r->spread && !a->r->whole && (a->c->how == HC_CHOOSE_FIRST || a->c->how == HC_CHOOSE_NEXT);
  const bool few = a->c->how == HC_CHOOSE_SAMPLE && !a->c->score && are_few(a, count);
  bool out[HOSTS] = {false};
  uint32_t good[HOSTS];
  if (are_few(a, count) && with_room(a, need, out, good) < count) return false;
  while (count > 0) {
    const uint32_t host = few ? draw_of_few(a, need, count, out) : select(a, need);
    if (host == HC_NO_HOST) return false;
    do {
      const hc_devices got = put(a, host, need);
      a->grants[a->count++] = (hc_grant){.host = host, .slots = 1, .devices = got, .chunk = chunk};
      count--;
    } while (count > 0 && fills && fits(a->w, &a->m, host, need));
    if (a->c->how == HC_CHOOSE_NEXT) a->m.turn = (host + 1) % a->w->spec.units;
  }
  return true;
}

static bool chunk_need(world *w, const hc_chunk *c, int64_t need[HC_DIMENSIONS])
{
  for (uint32_t i = 0; i < HC_DIMENSIONS; i++) {
    const int d = dimension(w, i);
    if (d < 0 && c->need[i] != 0) return false;
    if (d >= 0) need[d] = c->need[i];
  }
  return true;
}

static int shared_dimension(world *w)
{
  for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
    if (hc_hosts_is_shared(w->hosts, d)) return (int)d;
  return -1;
}

static int64_t shared_need(world *w, const hc_request *r)
{
  const hc_task_extras *m = hc_lexicon_more(w->lexicon, r->more);
  const int d = shared_dimension(w);
  int64_t sum = d < 0 ? 0 : r->need[d];
  for (size_t i = 0; d >= 0 && m && i < m->chunk_count; i++)
    sum += m->chunks[i].need[hc_hosts_which(w->hosts)[d]];
  return sum;
}

static bool names_nobody(world *w, const hc_task_extras *m)
{
  bool any = m && m->host_count == 0;
  if (!m) return false;
  for (size_t i = 0; i < m->host_count; i++)
    any |= strcmp(hc_lexicon_text(w->lexicon, m->hosts[i]), "absent") != 0;
  const uint32_t none = name_of(w, "none");
  return !any || m->set == none || m->same == none || m->differ == none;
}

/* Hosts as a whole may have to have so much of something. */
static bool asks_for_any(asking *a)
{
  bool any = false;
  for (uint32_t d = 0; d < hc_hosts_dimensions(a->w->hosts); d++)
    any |= !hc_hosts_is_shared(a->w->hosts, d) && a->r->need[d] > 0;
  return any;
}

static bool attempt(asking *a)
{
  const uint32_t turn = the_model.turn;
  a->count = 0;
  memset(a->used, 0, sizeof a->used);
  a->m.turn = turn;
  if (!place(a, a->r->whole && !asks_for_any(a) ? NULL : a->r->need, a->r->slots, 0)) return false;
  for (size_t i = 0; a->more && i < a->more->chunk_count; i++) {
    int64_t need[HC_DIMENSIONS];
    if (!chunk_need(a->w, &a->more->chunks[i], need)) return false;
    if (!place(a, need, a->more->chunks[i].hosts, (uint32_t)i + 1)) return false;
  }
  return true;
}

static bool comes_later(const hc_devices *a, const hc_devices *b)
{
  return a->bits[1] != b->bits[1] ? a->bits[1] > b->bits[1] : a->bits[0] > b->bits[0];
}

/* Sorted by host, chunk, devices; joined where one grant can say it. */
static void tidy(asking *a)
{
  const int gpu = dimension(a->w, HC_DIM_GPU);
  size_t n = 0;
  for (size_t i = 1; i < a->count; i++)
    for (size_t j = i; j > 0; j--) {
      hc_grant *x = &a->grants[j - 1], *y = &a->grants[j], swap = *y;
      if (x->host < y->host || (x->host == y->host && x->chunk < y->chunk) ||
          (x->host == y->host && x->chunk == y->chunk && !comes_later(&x->devices, &y->devices)))
        break;
      *y = *x;
      *x = swap;
    }
  for (size_t i = 0; i < a->count; i++) {
    hc_grant g = a->grants[i], *last = n > 0 ? &a->grants[n - 1] : NULL;
    if (last && last->host == g.host && last->chunk == 0 && g.chunk == 0 &&
        (memcmp(&last->devices, &g.devices, sizeof g.devices) == 0 ||
         (gpu >= 0 && !a->r->whole && a->r->need[gpu] >= 1000))) {
      last->slots += g.slots;
      for (int k = 0; k < 2; k++) last->devices.bits[k] |= g.devices.bits[k];
    } else {
      a->grants[n++] = g;
    }
  }
  a->count = n;
}

/* @return how many grants, in `ask` */
static size_t answer(world *w, const model *m, const hc_request *r, const hc_chooser *c,
                     const hc_range *scope, size_t scopes)
{
  const int sd = shared_dimension(w);
  bool good = false;
  ask.w = w;
  ask.m = *m;
  ask.r = r;
  ask.c = c;
  ask.more = hc_lexicon_more(w->lexicon, r->more);
  ask.draws = (hc_draws){SEED, REPLICATION, r->serial, HC_PURPOSE_PLACE, 0};
  for (uint32_t i = 0; i < w->spec.units; i++) {
    ask.in_scope[i] = scopes == 0;
    for (size_t s = 0; s < scopes; s++)
      ask.in_scope[i] |= i >= scope[s].first && i - scope[s].first < scope[s].count;
  }
  ask.count = 0;
  if (names_nobody(w, ask.more)) return 0;
  if (sd >= 0 && shared_need(w, r) + m->shared[sd] > w->spec.shared[hc_hosts_which(w->hosts)[sd]]) return 0;
  if (!ask.more || ask.more->same == HC_NO_NAME) {
    good = attempt(&ask);
  } else {
    const uint32_t zones = level(w, ask.more->same) == w->rack ? w->spec.units / 4 + 1 : 3;
    for (ask.zone = 0; ask.zone < zones && !good; ask.zone++) {
      ask.m = *m;
      good = attempt(&ask);
      if (good) break;
    }
  }
  if (!good) ask.count = 0;
  tidy(&ask);
  return ask.count;
}

/* ---- claims in the model ---- */

static void count_claim(world *w, const claim *c, int sign)
{
  model *m = &the_model;
  const hc_task_extras *more = hc_lexicon_more(w->lexicon, c->r.more);
  const int gpu = dimension(w, HC_DIM_GPU), sd = shared_dimension(w);
  for (size_t i = 0; i < c->count; i++) {
    const hc_grant *g = &c->grants[i];
    int64_t need[HC_DIMENSIONS];
    memcpy(need, c->need, sizeof need);
    if (g->chunk > 0) assert_true(chunk_need(w, &more->chunks[g->chunk - 1], need));
    m->held[g->host] = (uint32_t)((int)m->held[g->host] + sign);
    if (c->r.whole) {
      m->whole[g->host] = sign > 0;
      continue;
    }
    for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
      if (!hc_hosts_is_shared(w->hosts, d)) m->claimed[g->host][d] += sign * need[d] * g->slots;
    for (uint32_t b = 0; b < HC_DEVICES; b++)
      if (hc_devices_have(&g->devices, b))
        m->devices[g->host][b] += sign * (int32_t)(need[gpu] < 1000 ? need[gpu] * g->slots : 1000);
  }
  if (sd >= 0) m->shared[sd] += sign * shared_need(w, &c->r);
}

#endif
