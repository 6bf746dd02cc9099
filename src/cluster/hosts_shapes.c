/* hosts_shapes.c -- the best host by a score that has a bound: hosts by what is free on them, not by their number.
 *
 * Bounds over neighbours by number say little about a score: among sixteen hosts there is nearly always one that is
 * full and one that is not. So hosts are kept a second time, by their amounts. Hosts that are alike in class,
 * capacity, free amounts and devices are one *shape*, which is scored once; its lowest host is the one that counts.
 * Each class has a grid of cells over its free amounts, about one cell for eight hosts, numbered so that the bits of
 * all dimensions take turns (Morton 1966): two bits of that number after the other make a tree of boxes with
 * four children each, of which only a count of shapes is stored. The search takes the box with the highest bound
 * first (Land & Doig 1960, doi:10.2307/1910129, with a heap), and ends when no box can hold a better score; boxes
 * whose bound equals the best score are opened too, for they may hold a lower host of the same score. If they are
 * many, the rest is looked at by number of the host instead, up to the first that is as good.
 *
 * A bound knows class and amounts; so must the score, or hosts of one shape could differ. It is made when a choice
 * first asks for it, and kept up from then on: each claim moves one host from a shape to another.
 *
 * The hosts of a shape are a pairing heap by number (Fredman, Sedgewick, Sleator & Tarjan 1986,
 * doi:10.1007/BF01840439) in three links for each host. */
#include <string.h>

#include "cluster/hosts_parts.h"

#include "base/sort.h"

enum { MOST_BITS = 20, DIMENSION_BITS = 12, STEPS = MOST_BITS / 2 + 1, CHILDREN = 4, TIES = 32 };
enum { SLICED = HC_NEEDS }; /* dimensions by which cells are told apart, the first of each class */
#define NONE UINT32_MAX

/* A host's place in the heap of its shape. */
typedef struct place {
  uint32_t shape;             /* NONE: it takes nothing */
  uint32_t child, next, prev; /* prev: the host before it, or its parent if it is the first child */
} place;

typedef struct shape {
  uint32_t root;                       /* lowest host; NONE: not in use */
  uint32_t class_id, cell, next, prev; /* in its cell; `next` also of those not in use */
  uint32_t hash;
  uint64_t seen; /* the search that last scored it */
} shape;

/* The cells of a class. */
typedef struct grid {
  uint32_t bits;                      /* of a cell's number; even */
  uint8_t turn[MOST_BITS];            /* whose each of them is */
  uint8_t rest[STEPS][HC_DIMENSIONS]; /* bits of a slice that a box of level l leaves open */
  uint32_t dim_bits[HC_DIMENSIONS], shift[HC_DIMENSIONS];
  uint64_t factor[HC_DIMENSIONS];
  int64_t most[HC_DIMENSIONS];   /* amounts above it count as this */
  int64_t *edges[HC_DIMENSIONS]; /* [2^dim_bits] the least amount of each slice */
  int64_t high[HC_DIMENSIONS];   /* greatest amount that any host of it ever had */
  int64_t capacity_low[HC_DIMENSIONS], capacity_high[HC_DIMENSIONS];
  uint32_t *first;        /* [2^bits] first shape in each cell */
  uint32_t *count[STEPS]; /* [4^l] shapes below each box of level l */
} grid;

typedef struct box {
  double bound;
  uint32_t class_id, level, prefix;
  uint16_t part[SLICED]; /* the bits of each dimension */
} box;

struct hc_hosts_shapes {
  uint32_t n, own[HC_DIMENSIONS]; /* dimensions of hosts, by the cell's own numbers */
  uint8_t which[HC_DIMENSIONS];
  grid *grids;   /* [class_count] */
  place *places; /* [units] */
  shape *shapes; /* [units] */
  uint32_t vacant;
  uint32_t *table; /* [mask + 1] shapes by hash, plus 1; 0: free */
  uint32_t mask;
  uint64_t searches;
  box *heap; /* of a search; highest bound first */
  size_t heap_count, heap_cap;
};

/* ---- heaps of hosts ---- */

static uint32_t meld(place *p, uint32_t a, uint32_t b)
{
  if (a == NONE || b == NONE) return a == NONE ? b : a;
  const uint32_t low = HC_MIN(a, b), high = HC_MAX(a, b);
  p[high].next = p[low].child;
  p[high].prev = low;
  if (p[low].child != NONE) p[p[low].child].prev = high;
  p[low].child = high;
  p[low].next = p[low].prev = NONE;
  return low;
}

/* One heap of the children of a host that leaves: in pairs from the left, then all from the right. */
static uint32_t meld_children(place *p, uint32_t first)
{
  uint32_t pairs = NONE, all = NONE;
  while (first != NONE) {
    const uint32_t a = first, b = p[a].next;
    first = b == NONE ? NONE : p[b].next;
    p[a].next = p[a].prev = NONE;
    if (b != NONE) p[b].next = p[b].prev = NONE;
    const uint32_t both = meld(p, a, b);
    p[both].next = pairs; /* a list of pairs, the last one first */
    pairs = both;
  }
  while (pairs != NONE) {
    const uint32_t next = p[pairs].next;
    p[pairs].next = NONE;
    all = meld(p, all, pairs);
    pairs = next;
  }
  return all;
}

static uint32_t without(place *p, uint32_t root, uint32_t host)
{
  const uint32_t below = meld_children(p, p[host].child);
  p[host].child = NONE;
  if (host == root) return below;
  if (p[p[host].prev].child == host) p[p[host].prev].child = p[host].next;
  else p[p[host].prev].next = p[host].next;
  if (p[host].next != NONE) p[p[host].next].prev = p[host].prev;
  p[host].next = p[host].prev = NONE;
  return meld(p, root, below);
}

/* The host behind another in a walk over a heap, parents before children; NONE at the end. @param skip_children
 *  what is below it is of no interest */
static uint32_t behind(const place *p, uint32_t root, uint32_t host, bool skip_children)
{
  if (!skip_children && p[host].child != NONE) return p[host].child;
  while (host != root && p[host].next == NONE) {
    while (p[p[host].prev].child != host) host = p[host].prev; /* to the first of the children */
    host = p[host].prev;
  }
  return host == root ? NONE : p[host].next;
}

/* ---- shapes by content ---- */

static bool alike(const hc_hosts *h, uint32_t a, uint32_t b)
{
  const hc_cell_spec *s = h->spec;
  return s->class_of[a] == s->class_of[b] &&
         memcmp(hc_hosts_row(h, a), hc_hosts_row(h, b), h->columns * sizeof(int64_t)) == 0 &&
         memcmp(h->caps + (size_t)a * h->dims, h->caps + (size_t)b * h->dims, h->dims * sizeof(int64_t)) ==
             0 &&
         (!h->devices ||
          memcmp(hc_hosts_devices_of(h, a), hc_hosts_devices_of(h, b), h->device_cap * sizeof(int32_t)) == 0);
}

static uint64_t mixed(uint64_t x, uint64_t y)
{
  x = (x ^ y) * UINT64_C(0x9e3779b97f4a7c15);
  return x ^ x >> 29;
}

static uint32_t hash_of(const hc_hosts *h, uint32_t host)
{
  uint64_t x = h->spec->class_of[host];
  for (uint32_t c = 0; c < h->columns; c++) x = mixed(x, (uint64_t)hc_hosts_row(h, host)[c]);
  for (uint32_t d = 0; d < h->dims; d++) x = mixed(x, (uint64_t)h->caps[(size_t)host * h->dims + d]);
  for (uint32_t i = 0; h->devices && i < h->device_cap; i++)
    x = mixed(x, (uint64_t)hc_hosts_devices_of(h, host)[i]);
  return (uint32_t)(x >> 32);
}

/* Where the shape of a host stands in the table, or would stand. */
static uint32_t find_alike(const hc_hosts *h, uint32_t host, uint32_t hash)
{
  const hc_hosts_shapes *s = h->shapes;
  uint32_t i = hash & s->mask;
  while (s->table[i] != 0) {
    const shape *x = &s->shapes[s->table[i] - 1];
    if (x->hash == hash && alike(h, x->root, host)) break;
    i = (i + 1) & s->mask;
  }
  return i;
}

static void forget(hc_hosts_shapes *s, uint32_t id)
{
  uint32_t hole = s->shapes[id].hash & s->mask;
  while (s->table[hole] != id + 1) hole = (hole + 1) & s->mask;
  for (uint32_t i = (hole + 1) & s->mask; s->table[i] != 0; i = (i + 1) & s->mask) {
    const uint32_t home = s->shapes[s->table[i] - 1].hash & s->mask;
    if (((i - home) & s->mask) < ((i - hole) & s->mask)) continue; /* its home lies behind the hole */
    s->table[hole] = s->table[i];
    hole = i;
  }
  s->table[hole] = 0;
}

/* ---- cells ---- */

static uint32_t slice(const grid *g, uint32_t i, int64_t amount)
{
  const uint64_t x = (uint64_t)HC_MIN(amount, g->most[i]) >> g->shift[i];
  return (uint32_t)(x * g->factor[i] >> 32);
}

/* The number of a cell: the first bit of each dimension, the second of each, and so on. */
static uint32_t cell_of(const hc_hosts *h, const grid *g, const int64_t *row)
{
  const hc_hosts_shapes *s = h->shapes;
  const uint32_t n = HC_MIN(s->n, SLICED);
  uint32_t part[SLICED], left[SLICED], cell = 0;
  for (uint32_t i = 0; i < n; i++) {
    part[i] = slice(g, i, row[s->own[i]]);
    left[i] = g->dim_bits[i];
  }
  for (uint32_t b = 0; b < g->bits; b++) cell = cell << 1 | (part[g->turn[b]] >> --left[g->turn[b]] & 1);
  return cell;
}

static void count_shape(grid *g, uint32_t cell, int by)
{
  for (uint32_t l = 0; 2 * l <= g->bits; l++) g->count[l][cell >> (g->bits - 2 * l)] += (uint32_t)by;
}

static void open_shape(hc_hosts *h, uint32_t id, uint32_t host, uint32_t hash)
{
  hc_hosts_shapes *s = h->shapes;
  const uint32_t class_id = h->spec->class_of[host];
  grid *g = &s->grids[class_id];
  shape *x = &s->shapes[id];
  const uint32_t cell = cell_of(h, g, hc_hosts_row(h, host));
  *x = (shape){
      .root = host, .class_id = class_id, .cell = cell, .next = g->first[cell], .prev = NONE, .hash = hash};
  if (x->next != NONE) s->shapes[x->next].prev = id;
  g->first[cell] = id;
  count_shape(g, cell, 1);
}

static void close_shape(hc_hosts *h, uint32_t id)
{
  hc_hosts_shapes *s = h->shapes;
  shape *x = &s->shapes[id];
  grid *g = &s->grids[x->class_id];
  forget(s, id);
  if (x->prev == NONE) g->first[x->cell] = x->next;
  else s->shapes[x->prev].next = x->next;
  if (x->next != NONE) s->shapes[x->next].prev = x->prev;
  count_shape(g, x->cell, -1);
  *x = (shape){.root = NONE, .next = s->vacant};
  s->vacant = id;
}

static void leave(hc_hosts *h, uint32_t host)
{
  hc_hosts_shapes *s = h->shapes;
  const uint32_t id = s->places[host].shape;
  if (id == NONE) return;
  s->shapes[id].root = without(s->places, s->shapes[id].root, host);
  s->places[host].shape = NONE;
  if (s->shapes[id].root == NONE) close_shape(h, id);
}

static void join(hc_hosts *h, uint32_t host)
{
  hc_hosts_shapes *s = h->shapes;
  const uint32_t hash = hash_of(h, host), at = find_alike(h, host, hash);
  uint32_t id = s->table[at] - 1;
  if (s->table[at] == 0) {
    id = s->vacant;
    s->vacant = s->shapes[id].next;
    s->table[at] = id + 1;
    open_shape(h, id, host, hash);
  } else {
    s->shapes[id].root = meld(s->places, s->shapes[id].root, host);
  }
  s->places[host].shape = id;
}

static bool takes_something(const hc_hosts *h, uint32_t host)
{
  const int64_t *row = hc_hosts_row(h, host);
  for (uint32_t c = 0; c < h->columns; c++)
    if (row[c] < 0) return false;
  return true;
}

void hc_hosts_shapes_move(hc_hosts *h, uint32_t host)
{
  leave(h, host);
  if (takes_something(h, host)) join(h, host);
}

void hc_hosts_shapes_resize(hc_hosts *h, uint32_t host)
{
  hc_hosts_shapes *s = h->shapes;
  grid *g = &s->grids[h->spec->class_of[host]];
  for (uint32_t i = 0; i < s->n; i++) {
    const int64_t x = h->caps[(size_t)host * h->dims + s->own[i]];
    g->high[i] = HC_MAX(g->high[i], x);
    g->capacity_low[i] = HC_MIN(g->capacity_low[i], x);
    g->capacity_high[i] = HC_MAX(g->capacity_high[i], x);
  }
}

/* ---- birth and death ---- */

static void free_grid(hc_hosts *h, grid *g)
{
  for (uint32_t i = 0; i < HC_DIMENSIONS; i++)
    if (g->edges[i]) hc_free(h->allocator, g->edges[i], (sizeof(int64_t)) << g->dim_bits[i]);
  if (g->first) hc_free(h->allocator, g->first, sizeof(uint32_t) << g->bits);
  for (uint32_t l = 0; 2 * l <= g->bits; l++)
    if (g->count[l]) hc_free(h->allocator, g->count[l], sizeof(uint32_t) << 2 * l);
}

void hc_hosts_shapes_fini(hc_hosts *h)
{
  hc_hosts_shapes *s = h->shapes;
  if (!s) return;
  for (uint32_t k = 0; s->grids && k < h->spec->class_count; k++) free_grid(h, &s->grids[k]);
  hc_free(h->allocator, s->grids, h->spec->class_count * sizeof *s->grids);
  hc_free(h->allocator, s->places, h->units * sizeof *s->places);
  hc_free(h->allocator, s->shapes, h->units * sizeof *s->shapes);
  hc_free(h->allocator, s->table, ((size_t)s->mask + 1) * sizeof *s->table);
  hc_free(h->allocator, s->heap, s->heap_cap * sizeof *s->heap);
  hc_free(h->allocator, s, sizeof *s);
  h->shapes = NULL;
}

static hc_rc make_slices(hc_hosts *h, grid *g, uint32_t i, int64_t greatest)
{
  const uint32_t slices = UINT32_C(1) << g->dim_bits[i];
  g->most[i] = greatest;
  while (greatest >> g->shift[i] >= INT64_C(1) << 20) g->shift[i]++;
  g->factor[i] = ((uint64_t)slices << 32) / ((uint64_t)(greatest >> g->shift[i]) + 1);
  g->edges[i] = hc_alloc(h->allocator, slices * sizeof(int64_t));
  if (!g->edges[i]) return HC_ENOMEM;
  for (uint32_t v = 0; v < slices; v++) { /* the least amount that lies in this slice or behind */
    int64_t low = 0, high = greatest + 1; /* behind all, if nothing does */
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (slice(g, i, middle) >= v) high = middle;
      else low = middle + 1;
    }
    g->edges[i][v] = low;
  }
  return 0;
}

/* About one cell for eight hosts (more or fewer were no faster), the bits in turn to the dimensions. */
static hc_rc make_grid(hc_hosts *h, uint32_t class_id)
{
  hc_hosts_shapes *s = h->shapes;
  grid *g = &s->grids[class_id];
  const hc_host_class *k = &h->spec->classes[class_id];
  const uint32_t most = HC_MIN(MOST_BITS, HC_MIN(s->n, SLICED) * DIMENSION_BITS);
  while (g->bits < most && UINT32_C(1) << g->bits < h->of_class[class_id] / 8) g->bits += 2;
  for (uint32_t b = 0; b < g->bits; b++) g->dim_bits[g->turn[b] = (uint8_t)(b % HC_MIN(s->n, SLICED))]++;
  for (uint32_t i = 0; i < s->n; i++) g->rest[0][i] = (uint8_t)g->dim_bits[i];
  for (uint32_t l = 1; 2 * l <= g->bits; l++) {
    memcpy(g->rest[l], g->rest[l - 1], sizeof g->rest[l]);
    g->rest[l][g->turn[2 * l - 2]]--;
    g->rest[l][g->turn[2 * l - 1]]--;
  }
  for (uint32_t i = 0; i < s->n; i++) {
    const int64_t capacity = k->capacity[s->which[i]];
    g->high[i] = g->capacity_low[i] = g->capacity_high[i] = capacity;
    TRY(make_slices(h, g, i, capacity));
  }
  g->first = hc_alloc(h->allocator, sizeof(uint32_t) << g->bits);
  if (!g->first) return HC_ENOMEM;
  memset(g->first, 0xff, sizeof(uint32_t) << g->bits);
  for (uint32_t l = 0; 2 * l <= g->bits; l++) {
    g->count[l] = hc_alloc(h->allocator, sizeof(uint32_t) << 2 * l);
    if (!g->count[l]) return HC_ENOMEM;
  }
  return 0;
}

static hc_rc make(hc_hosts *h)
{
  hc_hosts_shapes *s = h->shapes;
  for (uint32_t d = 0; d < h->dims; d++) {
    if (h->is_shared[d]) continue;
    s->own[s->n] = d;
    s->which[s->n++] = h->which[d];
  }
  s->mask = 15;
  while (s->mask < h->units + h->units / 2) s->mask = s->mask * 2 + 1;
  s->grids = hc_alloc(h->allocator, h->spec->class_count * sizeof *s->grids);
  s->places = hc_alloc(h->allocator, h->units * sizeof *s->places);
  s->shapes = hc_alloc(h->allocator, h->units * sizeof *s->shapes);
  s->table = hc_alloc(h->allocator, ((size_t)s->mask + 1) * sizeof *s->table);
  if (!s->grids || !s->places || !s->shapes || !s->table) return HC_ENOMEM;
  for (uint32_t k = 0; k < h->spec->class_count; k++) TRY(make_grid(h, k));
  memset(s->places, 0xff, h->units * sizeof *s->places);
  for (uint32_t i = 0; i < h->units; i++) s->shapes[i] = (shape){.root = NONE, .next = i + 1};
  for (uint32_t host = h->units; host-- > 0;) { /* downwards: a heap of which each host has one child */
    hc_hosts_shapes_resize(h, host);
    hc_hosts_shapes_move(h, host);
  }
  return 0;
}

hc_rc hc_hosts_shapes_build(hc_hosts *h)
{
  hc_rc rc;
  if (h->shapes) return 0;
  h->shapes = hc_alloc(h->allocator, sizeof *h->shapes);
  if (!h->shapes) return HC_ENOMEM;
  rc = make(h);
  if (rc < 0) hc_hosts_shapes_fini(h);
  return rc;
}

/* ---- search ---- */

HC_HEAP(boxes, box, a->bound > b->bound)

typedef struct hunt {
  hc_hosts *h;
  const hc_hosts_want *w;
  const hc_hosts_asker *ask;
  int64_t need[HC_DIMENSIONS];
  double most;
  uint32_t best; /* HC_NO_HOST: none yet */
} hunt;

/* The amounts of a box. @return false: the need fits nowhere in it. */
static bool amounts_of(const hunt *t, const grid *g, const box *b, int64_t *low, int64_t *high)
{
  for (uint32_t i = 0; i < t->h->shapes->n; i++) {
    const uint32_t rest = g->rest[b->level][i], part = i < SLICED ? b->part[i] : 0, end = (part + 1) << rest;
    low[i] = HC_MAX(g->edges[i][part << rest], t->need[i]);
    high[i] = end >> g->dim_bits[i] != 0 || g->edges[i][end] > g->most[i] ? g->high[i] : g->edges[i][end] - 1;
    if (high[i] < low[i]) return false;
  }
  return true;
}

/* Remember a box, unless nothing in it can be of use. */
static hc_rc push(hunt *t, const grid *g, box *b)
{
  hc_hosts_shapes *s = t->h->shapes;
  int64_t low[HC_DIMENSIONS], high[HC_DIMENSIONS];
  const hc_host_box told = {.dimensions = s->n,
                            .class_id = b->class_id,
                            .which = s->which,
                            .need = t->need,
                            .low = low,
                            .high = high,
                            .capacity_low = g->capacity_low,
                            .capacity_high = g->capacity_high,
                            .cell = &t->h->totals};
  if (g->count[b->level][b->prefix] == 0 || !amounts_of(t, g, b, low, high)) return 0;
  b->bound = t->ask->chooser->bound(t->ask->chooser->self, &told);
  if (!(b->bound == b->bound)) b->bound = __builtin_inf(); /* no number: it may hold anything */
  if (t->best != HC_NO_HOST && b->bound < t->most) return 0;
  if (s->heap_count == s->heap_cap)
    TRY(hc_reserve(t->h->allocator, (void **)&s->heap, &s->heap_cap, s->heap_count + 1, sizeof *s->heap));
  boxes_rise(s->heap, s->heap_count++, *b);
  return 0;
}

static hc_rc push_children(hunt *t, const grid *g, const box *b)
{
  const uint8_t *turn = &g->turn[2 * b->level];
  for (uint32_t i = 0; i < CHILDREN; i++) {
    box child = *b;
    child.level++;
    child.prefix = b->prefix * CHILDREN + i;
    child.part[turn[0]] = (uint16_t)((uint32_t)child.part[turn[0]] << 1 | i >> 1);
    child.part[turn[1]] = (uint16_t)((uint32_t)child.part[turn[1]] << 1 | (i & 1));
    TRY(push(t, g, &child));
  }
  return 0;
}

/* The lowest host of a shape that may be used. */
static uint32_t lowest_of(const hunt *t, uint32_t root)
{
  const place *p = t->h->shapes->places;
  uint32_t best = NONE;
  if (!t->ask->may_use) return root;
  for (uint32_t host = root; host != NONE;) {
    const bool useful = host < best;
    if (useful && t->ask->may_use(t->ask->self, host)) best = host;
    host = behind(p, root, host, host >= best);
  }
  return best;
}

/* Score a shape, by a host of it that may be used. */
static void look(hunt *t, shape *x, uint32_t host)
{
  const double score = t->ask->score(t->ask->self, host);
  x->seen = t->h->shapes->searches;
  if (t->best != HC_NO_HOST && (score < t->most || (score == t->most && host > t->best))) return;
  t->most = score;
  t->best = host;
}

static void open_cell(hunt *t, const grid *g, uint32_t cell)
{
  shape *shapes = t->h->shapes->shapes;
  for (uint32_t id = g->first[cell]; id != NONE; id = shapes[id].next) {
    uint32_t host;
    if (!hc_hosts_index_fits(t->h, t->w->row, shapes[id].root)) continue;
    host = lowest_of(t, shapes[id].root);
    if (host != NONE) look(t, &shapes[id], host);
  }
}

/* Nothing better is left, but many boxes may hold as good: the lowest host is found sooner by number. */
static void settle(hunt *t)
{
  const hc_hosts_shapes *s = t->h->shapes;
  for (uint32_t host = 0; host < t->best; host++) {
    shape *x;
    host = hc_hosts_index_seek(t->h, t->w->row, host, t->best, NULL);
    if (host == HC_NO_HOST) return;
    x = &s->shapes[s->places[host].shape];
    if (x->seen == s->searches || (t->ask->may_use && !t->ask->may_use(t->ask->self, host))) continue;
    look(t, x, host);
    if (t->best == host) return;
  }
}

hc_rc hc_hosts_shapes_best(hc_hosts *h, const hc_hosts_want *w, const hc_hosts_asker *ask, uint32_t *out)
{
  hc_hosts_shapes *s = h->shapes;
  hunt t = {.h = h, .w = w, .ask = ask, .best = HC_NO_HOST};
  for (uint32_t i = 0; i < s->n; i++) t.need[i] = w->row[s->own[i]];
  uint32_t ties = 0;
  s->heap_count = 0;
  s->searches++;
  for (uint32_t k = 0; k < h->spec->class_count; k++) {
    box root = {.class_id = k};
    TRY(push(&t, &s->grids[k], &root));
  }
  while (s->heap_count > 0) {
    const box b = boxes_pop(s->heap, &s->heap_count);
    const grid *g = &s->grids[b.class_id];
    if (t.best != HC_NO_HOST && b.bound < t.most) break;
    if (t.best != HC_NO_HOST && b.bound == t.most && ++ties > TIES) {
      settle(&t);
      break;
    }
    if (2 * b.level == g->bits) {
      open_cell(&t, g, b.prefix);
      continue;
    }
    TRY(push_children(&t, g, &b));
  }
  *out = t.best;
  return 0;
}

/* ---- what must hold ---- */

void hc_hosts_shapes_check(const hc_hosts *h)
{
  const hc_hosts_shapes *s = h->shapes;
  uint32_t hosts = 0, shapes = 0, counted = 0;
  if (!s) return;
  for (uint32_t host = 0; host < h->units; host++) {
    const uint32_t id = s->places[host].shape;
    HC_ASSERT((id != NONE) == takes_something(h, host));
    if (id == NONE) continue;
    hosts++;
    HC_ASSERT(s->shapes[id].root <= host && alike(h, s->shapes[id].root, host));
    HC_ASSERT(s->table[find_alike(h, host, hash_of(h, host))] == id + 1);
    HC_ASSERT(s->shapes[id].cell == cell_of(h, &s->grids[h->spec->class_of[host]], hc_hosts_row(h, host)));
  }
  for (uint32_t id = 0; id < h->units; id++) {
    if (s->shapes[id].root == NONE) continue;
    shapes++;
    for (uint32_t host = s->shapes[id].root; host != NONE;
         host = behind(s->places, s->shapes[id].root, host, false)) {
      HC_ASSERT(s->places[host].shape == id);
      hosts--;
    }
  }
  for (uint32_t k = 0; k < h->spec->class_count; k++) counted += s->grids[k].count[0][0];
  HC_ASSERT(hosts == 0 && counted == shapes);
}
