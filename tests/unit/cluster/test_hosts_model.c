/* test_hosts_model.c -- the hosts cell against a model that looks at every host, in thousands of random steps.
 *
 * The model keeps capacities and claims in plain arrays and answers each question by looking at all hosts in turn:
 * no tree, no memo, no cache. It must give the same grants, to the bit, whatever the chooser, with devices,
 * constraints, zones, limits, whole hosts, chunks, amounts of the whole cell, and hosts that come, go and change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "cluster/hosts.h"
#include "cluster/lexicon.h"

enum { HOSTS = 700, ZONES = 180, GRANTS = 4096, LIVE = 400, MORES = 40, SEED = 7, REPLICATION = 3 };

/* ---- chance ---- */

static uint64_t bits(uint64_t *s)
{
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static uint32_t below(uint64_t *s, uint32_t n)
{
  return (uint32_t)((bits(s) >> 32) * n >> 32);
}

static bool one_in(uint64_t *s, uint32_t n)
{
  return below(s, n) == 0;
}

/* ---- a world: a cell, requests, choosers ---- */

typedef struct claim {
  hc_request r;
  int64_t need[HC_DIMENSIONS];
  hc_grant grants[64];
  size_t count;
} claim;

typedef struct world {
  uint64_t s;
  hc_lexicon *lexicon;
  hc_cell_spec spec;
  hc_host_class classes[5];
  hc_attribute attributes[5][4];
  uint32_t class_of[HOSTS], rack[HOSTS], row[HOSTS];
  uint8_t absent[HOSTS];
  char text[HOSTS][16];
  const char *names[HOSTS];
  hc_zone_level levels[2];
  hc_range ranges[2][3];
  hc_host_set sets[2];
  uint32_t mores[MORES];
  hc_hosts *hosts;
  claim *live, stale;
  size_t live_count;
} world;

static uint32_t name_of(world *w, const char *text)
{
  return hc_lexicon_name(w->lexicon, text, strlen(text));
}

static void make_classes(world *w, bool gpus, bool shared)
{
  for (uint32_t k = 0; k < 5; k++) {
    hc_host_class *c = &w->classes[k];
    *c = (hc_host_class){.name = "c", .attributes = w->attributes[k], .attribute_count = 3, .speed = 1};
    c->capacity[HC_DIM_CPU] = 4000 + 4000 * (int64_t)k;
    c->capacity[HC_DIM_MEMORY] = k == 1 ? 24 : 16 + 4 * (int64_t)k;
    if (gpus && k >= 2) c->capacity[HC_DIM_GPU] = k == 4 ? 2500 : 1000 * (int64_t)(2 * k - 2);
    if (gpus && k >= 2) c->devices = k == 4 ? 0 : 2 * k - 2;
    w->attributes[k][0] = (hc_attribute){name_of(w, "cores"), 0, 4 + 4 * (int64_t)k};
    w->attributes[k][1] = (hc_attribute){name_of(w, "arch"), 1, name_of(w, k % 2 ? "arm" : "x86")};
    w->attributes[k][2] = (hc_attribute){name_of(w, k < 2 ? "ssd" : "disk"), 0, 1};
  }
  if (shared) w->spec.shared[HC_DIM_DISK] = 9; /* between others, so that it is no tail */
}

static void make_world(world *w, uint64_t seed, uint32_t n, bool gpus, bool shared)
{
  hc_error e = {0};
  memset(w, 0, sizeof *w);
  w->s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &w->lexicon), 0);
  make_classes(w, gpus, shared);
  for (uint32_t i = 0; i < n; i++) {
    w->class_of[i] = below(&w->s, 5);
    w->rack[i] = i / 4;
    w->row[i] = one_in(&w->s, 8) ? HC_NO_NAME : below(&w->s, 3);
    w->absent[i] = one_in(&w->s, 10);
    (void)snprintf(w->text[i], sizeof w->text[i], "h%u", i);
    w->names[i] = w->text[i];
  }
  w->levels[0] = (hc_zone_level){"rack", w->rack, w->names, n / 4 + 1};
  w->levels[1] = (hc_zone_level){"row", w->row, w->names, 3};
  w->ranges[0][0] = (hc_range){0, n / 2 + 1};
  w->ranges[1][0] = (hc_range){n / 4, 1};
  w->ranges[1][1] = (hc_range){n / 3 + 1, n - n / 3 - 1};
  w->sets[0] = (hc_host_set){.name = "low", .hosts = w->ranges[0], .host_count = 1};
  w->sets[1] = (hc_host_set){.name = "high", .hosts = w->ranges[1], .host_count = n > 3 ? 2 : 1};
  w->spec.granularity = HC_CELL_HOSTS;
  w->spec.units = n;
  w->spec.classes = w->classes;
  w->spec.class_count = 5;
  w->spec.class_of = w->class_of;
  w->spec.host_names = w->names;
  w->spec.levels = w->levels;
  w->spec.level_count = 2;
  w->spec.sets = w->sets;
  w->spec.set_count = 2;
  w->spec.absent = w->absent;
  w->live = test_calloc(LIVE, sizeof *w->live);
  assert_int_equal(
      hc_hosts_new(hc_default_allocator(), &w->spec, w->lexicon, SEED, REPLICATION, &w->hosts, &e), 0);
}

static void free_world(world *w)
{
  hc_hosts_free(w->hosts);
  hc_lexicon_free(w->lexicon);
  test_free(w->live);
}

static hc_constraint random_constraint(world *w)
{
  hc_constraint c = {.compare = below(&w->s, 8), .group = below(&w->s, 2)};
  switch (below(&w->s, 4)) {
    case 0:
      c.attribute = name_of(w, "cores");
      c.value = 4 * (int64_t)(1 + below(&w->s, 5));
      break;
    case 1:
      c.attribute = name_of(w, "arch");
      c.is_text = 1;
      c.value = name_of(w, one_in(&w->s, 2) ? "arm" : "x86");
      break;
    case 2:
      c.attribute = name_of(w, "ssd");
      c.value = 1;
      break;
    default: c.attribute = name_of(w, "nowhere"); c.value = 1;
  }
  return c;
}

static uint32_t random_more(world *w, bool limited)
{
  hc_more m = hc_more_none();
  hc_constraint constraints[3];
  uint32_t names[5];
  hc_chunk chunks[2] = {0};
  if (one_in(&w->s, 3))
    for (m.constraint_count = 0; m.constraint_count < 1 + below(&w->s, 3);)
      constraints[m.constraint_count++] = random_constraint(w);
  if (one_in(&w->s, 6))
    for (m.host_count = 0; m.host_count < 5;)
      names[m.host_count++] = name_of(w, one_in(&w->s, 9) ? "nobody" : w->text[below(&w->s, w->spec.units)]);
  if (one_in(&w->s, 4)) m.set = name_of(w, one_in(&w->s, 10) ? "none" : one_in(&w->s, 2) ? "low" : "high");
  if (one_in(&w->s, 5)) m.same = name_of(w, one_in(&w->s, 10) ? "none" : one_in(&w->s, 2) ? "rack" : "row");
  if (one_in(&w->s, 5)) m.differ = name_of(w, one_in(&w->s, 2) ? "rack" : "row");
  if (limited && one_in(&w->s, 2)) m.per_host = 1 + below(&w->s, 2);
  if (limited && one_in(&w->s, 2)) {
    m.per_zone = 1 + below(&w->s, 3);
    m.zone_level = name_of(w, one_in(&w->s, 2) ? "rack" : "row");
  }
  m.rival = below(&w->s, 3);
  if (one_in(&w->s, 5))
    for (m.chunk_count = 0; m.chunk_count < 1 + below(&w->s, 2);) {
      hc_chunk *c = &chunks[m.chunk_count++];
      c->hosts = 1 + below(&w->s, 3);
      c->need[HC_DIM_CPU] = 500 * (int64_t)below(&w->s, 12);
      c->need[HC_DIM_MEMORY] = below(&w->s, 12);
      if (w->classes[4].capacity[HC_DIM_GPU] > 0 && one_in(&w->s, 2)) c->need[HC_DIM_GPU] = 300;
      if (w->spec.shared[HC_DIM_DISK] > 0 && one_in(&w->s, 3)) c->need[HC_DIM_DISK] = 1;
    }
  m.constraints = constraints;
  m.hosts = names;
  m.chunks = chunks;
  return hc_lexicon_keep(w->lexicon, &m);
}

static void random_request(world *w, hc_request *r, int64_t need[HC_DIMENSIONS])
{
  const uint8_t *which = hc_hosts_which(w->hosts);
  static const int64_t gpus[] = {0, 0, 0, 200, 400, 500, 700, 1000, 1000, 2000, 3000, 1500};
  for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++) {
    need[d] = 0;
    if (one_in(&w->s, 6)) continue;
    if (which[d] == HC_DIM_CPU) need[d] = 500 * (int64_t)below(&w->s, one_in(&w->s, 20) ? 60 : 10);
    if (which[d] == HC_DIM_MEMORY) need[d] = below(&w->s, one_in(&w->s, 20) ? 60 : 10);
    if (which[d] == HC_DIM_GPU) need[d] = gpus[below(&w->s, 12)];
    if (which[d] == HC_DIM_DISK && one_in(&w->s, 3)) need[d] = below(&w->s, one_in(&w->s, 20) ? 11 : 3);
  }
  *r = (hc_request){.need = need, .slots = one_in(&w->s, 2) ? 1 : 1 + below(&w->s, 6)};
  r->more = one_in(&w->s, 2) ? 0 : w->mores[below(&w->s, MORES)];
  r->whole = one_in(&w->s, 10);
  r->spread = one_in(&w->s, 4);
  r->serial = bits(&w->s) >> 40;
}

/* ---- scores ---- */

/* What is left, as parts of the capacity: the less the better. */
static double best_fit(void *self, const hc_host_view *v)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < v->dimensions; d++)
    if (v->capacity[d] > 0) sum -= (double)(v->free[d] - v->need[d]) / (double)v->capacity[d];
  return sum;
}

static double best_fit_bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < b->dimensions; d++)
    if (b->capacity_high[d] > 0) sum -= (double)(b->low[d] - b->need[d]) / (double)b->capacity_high[d];
  return sum;
}

static double most_free(void *self, const hc_host_view *v)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < v->dimensions; d++) sum += (double)v->free[d] * (d == 0 ? 0.001 : 1);
  return sum;
}

static double most_free_bound(void *self, const hc_host_box *b)
{
  double sum = 0;
  (void)self;
  for (uint32_t d = 0; d < b->dimensions; d++) sum += (double)b->high[d] * (d == 0 ? 0.001 : 1);
  return sum;
}

/* Not a function of amounts alone, and sometimes no number at all. */
static double odd(void *self, const hc_host_view *v)
{
  (void)self;
  return v->host % 7 == 3 ? __builtin_nan("") : (double)(v->host * 37 % 11);
}

/* The emptiest GPU, the highest of equal ones. */
static uint32_t emptiest(void *self, const hc_host_view *v, int64_t amount)
{
  uint32_t best = 0;
  (void)self;
  if (amount >= HC_DEVICE) return 0; /* no answer: the cell's own choice */
  for (uint32_t i = 0; i < v->device_count; i++)
    if (v->devices[i] >= v->devices[best]) best = i;
  return UINT32_C(1) << best;
}

static hc_chooser random_chooser(world *w)
{
  hc_chooser c = {.how = (hc_choice)below(&w->s, 4), .sample = below(&w->s, 4)};
  switch (below(&w->s, 4)) {
    case 0:
      c.score = best_fit;
      if (one_in(&w->s, 2)) c.bound = best_fit_bound;
      break;
    case 1:
      c.score = most_free;
      if (one_in(&w->s, 2)) c.bound = most_free_bound;
      break;
    case 2: c.score = odd; break;
    default: break;
  }
  if (one_in(&w->s, 3)) c.devices = emptiest;
  return c;
}

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
  const hc_more *more;
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

static bool is_allowed(world *w, const hc_more *m, uint32_t host)
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
static uint32_t rivals(world *w, const hc_more *m, uint32_t host, bool zones)
{
  const uint32_t *of = zones ? level(w, m->zone_level) : NULL;
  uint32_t n = 0;
  for (size_t i = 0; i < w->live_count; i++) {
    const hc_more *o = hc_lexicon_more(w->lexicon, w->live[i].r.more);
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
  const hc_more *m = a->more;
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
    x->need[n] = need ? need[d] : a->m.capacity[host][d];
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

static uint32_t draw(asking *a, const int64_t *need)
{
  uint32_t list[HOSTS], n = 0, total = 0, fitting = 0;
  uint32_t fit[HOSTS];
  for (uint32_t i = 0; i < a->w->spec.units; i++) {
    const hc_more *m = a->more;
    const bool in_zone = !m || m->same == HC_NO_NAME || level(a->w, m->same)[i] == a->zone;
    if (a->in_scope[i] && in_zone) list[total++] = i;
    if (can(a, i, need)) fit[fitting++] = i;
  }
  for (n = 0; n < 16; n++) {
    const uint32_t host = list[hc_random_below(&a->draws, total)];
    if (can(a, host, need)) return host;
  }
  return fitting == 0 ? HC_NO_HOST : fit[hc_random_below(&a->draws, fitting)];
}

/* As `draw`, but what was listed once is drawn from directly. */
static uint32_t sample(asking *a, const int64_t *need)
{
  uint32_t fit[HOSTS], fitting = 0, best = HC_NO_HOST;
  double most = 0;
  bool listed = false;
  for (uint32_t i = 0; i < a->w->spec.units; i++)
    if (can(a, i, need)) fit[fitting++] = i;
  for (uint32_t k = 0; k == 0 || (k < a->c->sample && a->c->score); k++) {
    const hc_draws at = a->draws;
    uint32_t host;
    double x;
    if (listed) {
      host = fit[hc_random_below(&a->draws, fitting)];
    } else {
      uint32_t total = 0, list[HOSTS];
      for (uint32_t i = 0; i < a->w->spec.units; i++) {
        const hc_more *m = a->more;
        if (a->in_scope[i] && (!m || m->same == HC_NO_NAME || level(a->w, m->same)[i] == a->zone))
          list[total++] = i;
      }
      if (total == 0) return HC_NO_HOST;
      host = draw(a, need);
      listed = true; /* unless one of sixteen draws fitted */
      hc_draws again = at;
      for (int t = 0; t < 16 && listed; t++) listed = !can(a, list[hc_random_below(&again, total)], need);
    }
    if (host == HC_NO_HOST) return HC_NO_HOST;
    x = a->c->score ? score(a, host, need) : 0;
    if (k == 0 || x > most) {
      most = x;
      best = host;
    }
  }
  return best;
}

static uint32_t select(asking *a, const int64_t *need)
{
  const uint32_t n = a->w->spec.units;
  uint32_t best = HC_NO_HOST;
  double most = 0;
  if (a->c->how == HC_CHOOSE_SAMPLE) return sample(a, need);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t host = a->c->how == HC_CHOOSE_NEXT ? (a->m.turn + i) % n : i;
    double x;
    if (!can(a, host, need)) continue;
    if (a->c->how != HC_CHOOSE_BEST || !a->c->score) return host;
    x = score(a, host, need);
    if (best != HC_NO_HOST && !(x > most)) continue;
    most = x;
    best = host;
  }
  return best;
}

/* Claim one slot; the devices that it gets. */
static uint32_t put(asking *a, uint32_t host, const int64_t *need)
{
  const int gpu = dimension(a->w, HC_DIM_GPU);
  const int64_t amount = gpu >= 0 && need ? need[gpu] : 0;
  uint32_t got = 0;
  a->used[host] = true;
  a->m.held[host]++;
  if (a->r->whole) {
    a->m.whole[host] = true;
    if (gpu >= 0 && has_devices(a->w, host)) got = (1u << (a->m.capacity[host][gpu] + 999) / 1000) - 1;
    return got;
  }
  if (amount > 0 && has_devices(a->w, host)) {
    shot x;
    const uint32_t said = a->c->devices ? a->c->devices(NULL, shoot(a, host, need, &x), amount) : 0;
    if (amount < 1000 && said != 0 &&
        device_free(a->w, &a->m, host, (uint32_t)__builtin_ctz(said)) >= amount) {
      got = said;
    } else if (amount < 1000) {
      int best = -1;
      for (int i = 0; i < HC_DEVICES; i++) {
        const int32_t f = device_free(a->w, &a->m, host, (uint32_t)i);
        if (f >= amount && (best < 0 || f < device_free(a->w, &a->m, host, (uint32_t)best))) best = i;
      }
      got = 1u << best;
    } else if (amount == 1000 && said != 0 &&
               device_free(a->w, &a->m, host, (uint32_t)__builtin_ctz(said)) == 1000) {
      got = said;
    } else {
      for (uint32_t i = 0, left = (uint32_t)(amount / 1000); left > 0; i++)
        if (device_free(a->w, &a->m, host, i) == 1000) {
          got |= 1u << i;
          left--;
        }
    }
    for (uint32_t i = 0; i < HC_DEVICES; i++)
      if (got >> i & 1) a->m.devices[host][i] += (int32_t)(amount < 1000 ? amount : 1000);
  }
  for (uint32_t d = 0; d < hc_hosts_dimensions(a->w->hosts); d++)
    if (!hc_hosts_is_shared(a->w->hosts, d)) a->m.claimed[host][d] += need[d];
  return got;
}

static bool place(asking *a, const int64_t *need, uint32_t count, uint32_t chunk)
{
  const bool fills =
      !a->r->spread && !a->r->whole && (a->c->how == HC_CHOOSE_FIRST || a->c->how == HC_CHOOSE_NEXT);
  while (count > 0) {
    const uint32_t host = select(a, need);
    if (host == HC_NO_HOST) return false;
    do {
      const uint32_t got = put(a, host, need);
      a->grants[a->count++] = (hc_grant){host, 1, got, chunk};
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
  const hc_more *m = hc_lexicon_more(w->lexicon, r->more);
  const int d = shared_dimension(w);
  int64_t sum = d < 0 ? 0 : r->need[d];
  for (size_t i = 0; d >= 0 && m && i < m->chunk_count; i++)
    sum += m->chunks[i].need[hc_hosts_which(w->hosts)[d]];
  return sum;
}

static bool names_nobody(world *w, const hc_more *m)
{
  bool any = m && m->host_count == 0;
  if (!m) return false;
  for (size_t i = 0; i < m->host_count; i++)
    any |= strcmp(hc_lexicon_text(w->lexicon, m->hosts[i]), "nobody") != 0;
  const uint32_t none = name_of(w, "none");
  return !any || m->set == none || m->same == none || m->differ == none;
}

static bool attempt(asking *a)
{
  const uint32_t turn = the_model.turn;
  a->count = 0;
  memset(a->used, 0, sizeof a->used);
  a->m.turn = turn;
  if (!place(a, a->r->whole ? NULL : a->r->need, a->r->slots, 0)) return false;
  for (size_t i = 0; a->more && i < a->more->chunk_count; i++) {
    int64_t need[HC_DIMENSIONS];
    if (!chunk_need(a->w, &a->more->chunks[i], need)) return false;
    if (!place(a, need, a->more->chunks[i].hosts, (uint32_t)i + 1)) return false;
  }
  return true;
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
          (x->host == y->host && x->chunk == y->chunk && x->devices <= y->devices))
        break;
      *y = *x;
      *x = swap;
    }
  for (size_t i = 0; i < a->count; i++) {
    hc_grant g = a->grants[i], *last = n > 0 ? &a->grants[n - 1] : NULL;
    if (last && last->host == g.host && last->chunk == 0 && g.chunk == 0 &&
        (last->devices == g.devices || (gpu >= 0 && !a->r->whole && a->r->need[gpu] >= 1000))) {
      last->slots += g.slots;
      last->devices |= g.devices;
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
  const hc_more *more = hc_lexicon_more(w->lexicon, c->r.more);
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
      if (g->devices >> b & 1)
        m->devices[g->host][b] += sign * (int32_t)(need[gpu] < 1000 ? need[gpu] * g->slots : 1000);
  }
  if (sd >= 0) m->shared[sd] += sign * shared_need(w, &c->r);
}

/* ---- steps ---- */

static void digest(hc_hosts *h, uint64_t out[2])
{
  hc_hash hash;
  hc_visitor v = {.calls = &hc_state_calls, .mode = HC_VISIT_HASH, .hash = &hash};
  hc_hash_init(&hash);
  assert_int_equal(hc_hosts_visit(h, &v), 0);
  hc_hash_end(&hash, out);
}

static void same_state(world *w)
{
  const model *m = &the_model;
  const uint32_t dims = hc_hosts_dimensions(w->hosts);
  int64_t capacity[HC_DIMENSIONS] = {0}, free[HC_DIMENSIONS] = {0};
  uint32_t up = 0, idle = 0;
  hc_hosts_check(w->hosts);
  for (uint32_t i = 0; i < w->spec.units; i++) {
    up += m->up[i];
    idle += is_idle(m, i);
    assert_int_equal(hc_hosts_is_up(w->hosts, i), m->up[i]);
    for (uint32_t d = 0; d < dims; d++) {
      assert_int_equal(hc_hosts_capacity_of(w->hosts, i)[d], m->up[i] ? m->capacity[i][d] : 0);
      assert_int_equal(hc_hosts_free_of(w->hosts, i)[d], free_on(m, i, d));
      capacity[d] += m->up[i] ? m->capacity[i][d] : 0;
      free[d] += m->up[i] ? free_on(m, i, d) : 0;
    }
  }
  assert_int_equal(hc_hosts_up(w->hosts), up);
  assert_int_equal(hc_hosts_idle(w->hosts), idle);
  for (uint32_t d = 0; d < dims; d++) {
    const int64_t shared = w->spec.shared[hc_hosts_which(w->hosts)[d]];
    assert_int_equal(hc_hosts_capacity(w->hosts, d), hc_hosts_is_shared(w->hosts, d) ? shared : capacity[d]);
    assert_int_equal(hc_hosts_free_sum(w->hosts, d),
                     hc_hosts_is_shared(w->hosts, d) ? shared - m->shared[d] : free[d]);
  }
}

/* Saved, loaded into a new cell, and on with that one. */
static void move_house(world *w)
{
  hc_buffer out;
  hc_visitor save = {.calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .out = &out}, load;
  hc_hosts *next;
  hc_error e = {0};
  uint64_t before[2], after[2];
  hc_buffer_init(&out, hc_default_allocator());
  digest(w->hosts, before);
  assert_int_equal(hc_hosts_visit(w->hosts, &save), 0);
  assert_int_equal(hc_hosts_new(hc_default_allocator(), &w->spec, w->lexicon, SEED, REPLICATION, &next, &e),
                   0);
  load = (hc_visitor){.calls = &hc_state_calls,
                      .mode = HC_VISIT_LOAD,
                      .allocator = hc_default_allocator(),
                      .in = (const uint8_t *)out.data,
                      .left = out.size};
  assert_int_equal(hc_hosts_visit(next, &load), 0);
  assert_int_equal(load.left, 0);
  digest(next, after);
  assert_memory_equal(before, after, sizeof before);
  hc_buffer_fini(&out);
  hc_hosts_free(w->hosts);
  w->hosts = next;
}

static void give_one(world *w)
{
  size_t i;
  claim *c;
  if (w->live_count == 0) return;
  i = below(&w->s, (uint32_t)w->live_count);
  c = &w->live[i];
  c->r.need = c->need;
  hc_hosts_give(w->hosts, &c->r, c->grants, c->count);
  count_claim(w, c, -1);
  hc_lexicon_drop(w->lexicon, c->r.more);
  *c = w->live[--w->live_count];
}

static void change_one(world *w)
{
  hc_host_event e = {.host = below(&w->s, w->spec.units), .change = below(&w->s, 4)};
  model *m = &the_model;
  const uint8_t *which = hc_hosts_which(w->hosts);
  if (e.change != HC_HOST_UP && one_in(&w->s, 2)) e.change = HC_HOST_UP;
  for (uint32_t d = 0; d < HC_DIMENSIONS; d++) e.capacity[d] = HC_UNKNOWN;
  switch ((hc_host_change)e.change) {
    case HC_HOST_UP:
      m->up[e.host] = true;
      m->drains[e.host] = false;
      break;
    case HC_HOST_DOWN: m->up[e.host] = m->drains[e.host] = false; break;
    case HC_HOST_DRAIN: m->drains[e.host] = m->up[e.host]; break;
    case HC_HOST_RESIZE:
      for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++) {
        if (hc_hosts_is_shared(w->hosts, d)) continue;
        const int64_t was = w->classes[w->class_of[e.host]].capacity[which[d]];
        if (one_in(&w->s, 3)) e.capacity[which[d]] = was * below(&w->s, 4) / 2;
        if (e.capacity[which[d]] != HC_UNKNOWN) m->capacity[e.host][d] = e.capacity[which[d]];
      }
      break;
  }
  assert_int_equal(hc_hosts_change(w->hosts, &e), 0);
}

static size_t random_scope(world *w, hc_range out[3])
{
  uint32_t at = 0;
  size_t n = 0;
  if (!one_in(&w->s, 4)) return 0;
  for (; n < 3 && at < w->spec.units; n++) {
    const uint32_t first = at + below(&w->s, w->spec.units - at);
    out[n] = (hc_range){first, 1 + below(&w->s, w->spec.units - first)};
    at = out[n].first + out[n].count;
  }
  return n;
}

static void forget_more(world *w)
{
  const uint32_t i = below(&w->s, MORES);
  hc_lexicon_drop(w->lexicon, w->mores[i]);
  w->mores[i] = random_more(w, one_in(&w->s, 2));
}

static void enter(world *w, const claim *from)
{
  claim *c = &w->live[w->live_count++];
  *c = *from;
  c->r.need = c->need;
  hc_lexicon_hold(w->lexicon, c->r.more);
  count_claim(w, c, 1);
}

static void take_it(world *w, const claim *c)
{
  uint64_t before[2], after[2];
  digest(w->hosts, before);
  assert_int_equal(hc_hosts_take(w->hosts, &c->r, c->grants, c->count), 0);
  hc_hosts_give(w->hosts, &c->r, c->grants, c->count); /* undone to the bit */
  digest(w->hosts, after);
  assert_memory_equal(before, after, sizeof before);
  assert_int_equal(hc_hosts_take(w->hosts, &c->r, c->grants, c->count), 0);
  enter(w, c);
}

/* What was chosen a while ago: all of it is still free, or none is taken. */
static void take_stale(world *w)
{
  claim *c = &w->stale;
  uint64_t before[2], after[2];
  bool free = true;
  if (c->count == 0 || w->live_count == LIVE) return;
  c->r.need = c->need;
  digest(w->hosts, before);
  for (size_t i = 0; i < c->count && free; i++) free = hc_hosts_is_up(w->hosts, c->grants[i].host);
  if (hc_hosts_take(w->hosts, &c->r, c->grants, c->count) == 0) {
    assert_true(free);
    enter(w, c);
  } else {
    digest(w->hosts, after);
    assert_memory_equal(before, after, sizeof before);
  }
  hc_lexicon_drop(w->lexicon, c->r.more);
  c->count = 0;
}

static void keep_stale(world *w, const claim *c)
{
  if (w->stale.count > 0) hc_lexicon_drop(w->lexicon, w->stale.r.more);
  w->stale = *c;
  hc_lexicon_hold(w->lexicon, c->r.more);
}

static void ask_one(world *w)
{
  claim c = {0};
  hc_range scope[3];
  const hc_chooser chooser = random_chooser(w), first = {.how = HC_CHOOSE_FIRST};
  const size_t scopes = random_scope(w, scope);
  const hc_grant *out;
  hc_rc n;
  random_request(w, &c.r, c.need);
  if (scopes > 0 && one_in(&w->s, 3)) {
    n = hc_hosts_choose_on(w->hosts, &c.r, scope, scopes, &out);
    assert_int_equal(n, answer(w, &the_model, &c.r, &first, scope, scopes));
  } else {
    n = hc_hosts_choose(w->hosts, &c.r, &chooser, scope, scopes, &out);
    assert_int_equal(n, answer(w, &the_model, &c.r, &chooser, scope, scopes));
    if (n > 0) the_model.turn = ask.m.turn;
    assert_int_equal(hc_hosts_turn(w->hosts), the_model.turn);
  }
  for (hc_rc i = 0; i < n; i++) assert_memory_equal(&out[i], &ask.grants[i], sizeof *out);
  if (n == 0 || n > 64 || w->live_count == LIVE) return;
  c.count = (size_t)n;
  memcpy(c.grants, ask.grants, c.count * sizeof *ask.grants);
  if (one_in(&w->s, 5)) keep_stale(w, &c);
  else take_it(w, &c);
}

/* The first fit of an idle cell in which all hosts are up says whether it could ever run. */
static void never_one(world *w)
{
  static model idle;
  const hc_chooser first = {.how = HC_CHOOSE_FIRST};
  const uint8_t *which = hc_hosts_which(w->hosts);
  const size_t live = w->live_count;
  hc_request r;
  int64_t need[HC_DIMENSIONS] = {0};
  const hc_more *m;
  hc_never said;
  memset(&idle, 0, sizeof idle);
  for (uint32_t i = 0; i < w->spec.units; i++) {
    for (uint32_t d = 0; d < hc_hosts_dimensions(w->hosts); d++)
      idle.capacity[i][d] = w->classes[w->class_of[i]].capacity[which[d]];
    idle.up[i] = true;
  }
  random_request(w, &r, need);
  m = hc_lexicon_more(w->lexicon, r.more);
  said = hc_hosts_never(w->hosts, &r);
  assert_int_equal(said, hc_hosts_never(w->hosts, &r)); /* remembered or not */
  w->live_count = 0;                                    /* nobody is a rival */
  if (answer(w, &idle, &r, &first, NULL, 0) > 0) assert_int_equal(said, HC_NEVER_FALSE);
  else if (names_nobody(w, m)) assert_int_equal(said, HC_NEVER_NO_HOST);
  else if (!m || (m->chunk_count == 0 && (m->differ == HC_NO_NAME || (r.spread && m->same == HC_NO_NAME))))
    assert_true(said == HC_NEVER_TOO_LARGE || said == HC_NEVER_CONSTRAINT);
  if (said == HC_NEVER_CONSTRAINT || said == HC_NEVER_TOO_LARGE) {
    hc_request plain = r;
    plain.more = 0;
    if (!m || m->chunk_count == 0)
      assert_int_equal(said == HC_NEVER_CONSTRAINT, answer(w, &idle, &plain, &first, NULL, 0) > 0);
  }
  w->live_count = live;
}

static void walk(uint64_t seed, uint32_t n, bool gpus, bool shared, uint32_t steps)
{
  world *w = test_malloc(sizeof *w);
  make_world(w, seed, n, gpus, shared);
  begin_model(w);
  for (uint32_t i = 0; i < MORES; i++) w->mores[i] = random_more(w, i % 2 == 0);
  for (uint32_t i = 0; i < steps; i++) {
    const uint32_t dice = below(&w->s, 100);
    const bool full = i / 200 % 3 != 2; /* it fills, and drains again */
    if (dice < (full ? 75 : 30)) ask_one(w);
    else if (dice < 88) give_one(w);
    else if (dice < 93) change_one(w);
    else if (dice < 96) never_one(w);
    else if (dice < 97) forget_more(w);
    else if (dice < 99) take_stale(w);
    else if (one_in(&w->s, 5)) move_house(w);
    if (i % 16 == 0) same_state(w);
  }
  while (w->live_count > 0) give_one(w);
  same_state(w);
  free_world(w);
  test_free(w);
}

static void small_cells_agree_with_the_model(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++)
    walk(seed, 1 + (uint32_t)seed * 3, seed % 2 == 0, seed % 3 == 0, 2500);
}

static void middling_cells_agree_with_the_model(void **state)
{
  (void)state;
  for (uint64_t seed = 21; seed <= 24; seed++) walk(seed, 70, seed % 2 == 0, seed % 3 == 0, 2000);
}

static void large_cells_agree_with_the_model(void **state)
{
  (void)state;
  for (uint64_t seed = 31; seed <= 34; seed++) walk(seed, HOSTS, seed % 2 == 0, seed % 3 == 0, 600);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_cells_agree_with_the_model),
      cmocka_unit_test(middling_cells_agree_with_the_model),
      cmocka_unit_test(large_cells_agree_with_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
