/* redrawn.c -- a level that is drawn anew from a law after exponential times, on each host by itself.
 *
 * As a stream of events this would cost two changes a second on a small machine, whether or not anybody looks:
 * 10^12 of them in a large study. So it is made backwards: time is cut into blocks of two mean intervals; the
 * redraws in a block are a Poisson number of uniform places, which is what exponential intervals are. Each block
 * has draws of its own, named by (seed, replication, process and host, block), and so has the level of each redraw.
 * The level at t is that of the last redraw at or before t, which is in the same block or a few before it; before
 * time 0 there was one redraw, so that the process is stationary from the start. Any time can be asked in any
 * order, and runs of one seed see one realisation.
 *
 * Places have 32 bits in a block: with one redraw in 50 s that is a step of 23 ns. At most 28 redraws count in a
 * block (P(more) = 3e-22). A level above 1 is drawn again. Cost of an answer: 25 ns for a new block, the draw of the
 * level (about 0.1 us) if it is another than last time, else nothing much. Memory: 160 bytes a host. */
#include <string.h>

#include "base/mem.h"
#include "base/util.h"
#include "base/variates.h"
#include "hindcast/cell.h"

enum { LAW_GAMMA, LAW_WEIBULL, LAW_LOGNORMAL, LAW_UNIFORM, LAW_CONSTANT };
enum { PLACES = 28, COUNTS = PLACES + 1, TRIES = 4096 };
#define BLOCK_MEAN 2.0       /* redraws in a block */
#define LEVEL_DRAWS 12       /* bits: draws that belong to one level */
#define BLOCK_DRAWS 20       /* bits: draws that belong to a block */
#define BEFORE_ALL INT64_MIN /* the block of the redraw before time 0 */

typedef struct options {
  const char *dimension;
  int law;
  double shape, scale, rate;
  bool takes;
} options;

/* What is known of one host: the block that was asked last, and the level that was drawn last. */
typedef struct known {
  int64_t block; /* -1: none */
  uint32_t count, drawn_index;
  int64_t drawn_block; /* whose redraw `level` is */
  double level;
  uint32_t place[PLACES]; /* ascending, in 2^-32 of a block */
} known;

struct hc_load {
  const hc_allocator *allocator;
  options o;
  uint64_t seed, replication, index;
  int64_t block; /* length, ns */
  uint32_t hosts;
  uint64_t most[COUNTS]; /* P(count <= i) in 2^-64 */
  known *known;          /* [hosts] */
};

static uint64_t entity_of(const hc_load *self, uint32_t host)
{
  return self->index << 32 | host;
}

/* ---- the redraws of a block ---- */

/* P(count <= i), as 64-bit numbers, by adding up exp(-2) 2^i / i!. */
static void tabulate(uint64_t most[COUNTS])
{
  double term = hc_exp(-BLOCK_MEAN), sum = 0;
  for (uint32_t i = 0; i < COUNTS; i++) {
    sum += term;
    most[i] = sum >= 1 ? UINT64_MAX : (uint64_t)(sum * 0x1p64);
    term *= BLOCK_MEAN / (i + 1);
  }
  most[COUNTS - 1] = UINT64_MAX;
}

/* The draws of a block: a word for the number of its redraws, then half a word for the place of each. */
typedef struct redraws {
  uint64_t counter[4], word[4];
  uint32_t count, next; /* next: half of a word */
} redraws;

static void open_block(const hc_load *self, uint32_t host, int64_t block, redraws *r)
{
  const uint64_t key[2] = {self->seed, HC_PURPOSE_LOCAL_LOAD};
  *r = (redraws){
      .counter = {(uint64_t)block << (BLOCK_DRAWS - 2), entity_of(self, host), self->replication, 0},
      .next = 2};
  hc_philox(r->counter, key, r->word);
  while (r->word[0] >= self->most[r->count] && r->count + 1 < COUNTS) r->count++;
}

static uint32_t next_place(const hc_load *self, redraws *r)
{
  const uint64_t key[2] = {self->seed, HC_PURPOSE_LOCAL_LOAD};
  uint32_t half;
  if (r->next == 8) {
    r->counter[0]++;
    hc_philox(r->counter, key, r->word);
    r->next = 0;
  }
  half = r->next++;
  return (uint32_t)(r->word[half / 2] >> (half % 2 * 32));
}

static uint32_t places_of(const hc_load *self, uint32_t host, int64_t block, uint32_t place[PLACES])
{
  redraws r;
  open_block(self, host, block, &r);
  for (uint32_t n = 0; n < r.count; n++) {
    const uint32_t x = next_place(self, &r);
    uint32_t i = n;
    for (; i > 0 && place[i - 1] > x; i--) place[i] = place[i - 1];
    place[i] = x;
  }
  return r.count;
}

/* When a redraw happens: the first whole ns at or behind its place. */
static hc_time time_of(const hc_load *self, int64_t block, uint32_t place)
{
  const uint64_t length = (uint64_t)self->block, high = (length >> 32) * place;
  const uint64_t low = (length & UINT32_MAX) * place;
  const hc_time within = (hc_time)(high + (low >> 32) + ((low & UINT32_MAX) != 0));
  int64_t start;
  return __builtin_mul_overflow(block, self->block, &start) ? HC_NEVER : hc_time_add(start, within);
}

/* ---- the level of a redraw ---- */

static double draw(const options *o, hc_draws *s)
{
  switch (o->law) {
    case LAW_GAMMA: return hc_random_gamma(s, o->shape, o->scale);
    case LAW_WEIBULL: return hc_random_weibull(s, o->shape, o->scale);
    case LAW_LOGNORMAL: return o->scale * hc_random_lognormal(s, 0, o->shape);
    case LAW_UNIFORM: return hc_random_unit(s) * o->scale;
    default: return o->scale;
  }
}

/* x^n for the reciprocals of shapes that are 1/n. */
static double power(double x, double shape)
{
  const int n = (int)(1 / shape + 0.5);
  double y = 1;
  if (n > 16 || shape * n != 1) return hc_pow(x, 1 / shape);
  for (int i = 0; i < n; i++) y *= x;
  return y;
}

/* A gamma law of a shape below 1, at most `most`, by Ahrens and Dieter's algorithm GS (Computing 12, 1974,
 * doi:10.1007/BF02293108): below 1 the density lies under x^(a-1), above under e^-x, and both are easy to draw from.
 * Most acceptances need no exponential, since e^-x >= 1 - x. What is above `most` is drawn again. */
static double draw_gamma(const hc_load *self, const hc_draws *s, double most)
{
  const double shape = self->o.shape, b = 1 + shape * 0.36787944117144233;
  const uint64_t key[2] = {s->seed, s->purpose};
  uint64_t counter[4] = {s->draw / 4, s->entity, s->replication, 0}, word[4];
  for (int i = 0; i < TRIES; i++) {
    double p, u, x;
    if (i % 2 == 0) {
      hc_philox(counter, key, word);
      counter[0]++;
    }
    p = b * (double)(word[i % 2 * 2] >> 11) * 0x1p-53;
    u = (double)(word[i % 2 * 2 + 1] >> 11) * 0x1p-53;
    if (p <= 1) {
      x = power(p, shape);
      if (x <= most && (u <= 1 - x || u <= hc_exp(-x))) return x;
    } else {
      x = -hc_log((b - p) / shape);
      if (x <= most && u <= hc_pow(x, shape - 1)) return x;
    }
  }
  return 0;
}

/* The draws behind the places of its block; those of the redraw before time 0 lie where no block's do. */
static double level_of(const hc_load *self, uint32_t host, int64_t block, uint32_t index)
{
  hc_draws s = {.seed = self->seed,
                .replication = self->replication,
                .entity = entity_of(self, host) | UINT64_C(1) << 63,
                .purpose = HC_PURPOSE_LOCAL_LOAD};
  if (block != BEFORE_ALL) s.draw = ((uint64_t)(block + 1) << BLOCK_DRAWS) + ((uint64_t)index << LEVEL_DRAWS);
  if (self->o.law == LAW_GAMMA && self->o.shape < 1)
    return self->o.scale * draw_gamma(self, &s, 1 / self->o.scale);
  for (int i = 0; i < TRIES; i++) {
    const double x = draw(&self->o, &s);
    if (x <= 1) return x;
  }
  return 1;
}

/* ---- the process ---- */

/* The last redraw before a block begins. */
static void look_back(const hc_load *self, uint32_t host, int64_t block, int64_t *found, uint32_t *index)
{
  while (block-- > 0) {
    redraws r;
    open_block(self, host, block, &r);
    if (r.count == 0) continue;
    *found = block;
    *index = r.count - 1;
    return;
  }
  *found = BEFORE_ALL;
  *index = 0;
}

/* The first redraw at or behind the beginning of a block. */
static hc_time look_ahead(const hc_load *self, uint32_t host, int64_t block)
{
  for (;; block++) {
    uint32_t first = UINT32_MAX;
    redraws r;
    if (time_of(self, block, 0) == HC_NEVER) return HC_NEVER;
    open_block(self, host, block, &r);
    for (uint32_t n = 0; n < r.count; n++) {
      const uint32_t x = next_place(self, &r);
      first = HC_MIN(first, x);
    }
    if (r.count > 0) return time_of(self, block, first);
  }
}

static hc_load_level level(hc_load *self, uint32_t host, hc_time at)
{
  known *k = &self->known[host];
  hc_load_level out;
  int64_t block;
  uint32_t index = 0;
  if (self->o.rate <= 0) return (hc_load_level){level_of(self, host, BEFORE_ALL, 0), HC_NEVER};
  block = at / self->block;
  if (k->block != block) {
    k->count = places_of(self, host, block, k->place);
    k->block = block;
  }
  while (index < k->count && time_of(self, block, k->place[index]) <= at) index++;
  out.until = index < k->count ? time_of(self, block, k->place[index]) : look_ahead(self, host, block + 1);
  if (index == 0) look_back(self, host, block, &block, &index);
  else index--;
  if (k->drawn_block != block || k->drawn_index != index) {
    k->level = level_of(self, host, block, index);
    k->drawn_block = block;
    k->drawn_index = index;
  }
  out.level = k->level;
  return out;
}

/* ---- birth and death ---- */

static hc_rc check(const options *o, hc_error *e)
{
  if (!o->dimension || !o->dimension[0])
    return hc_fail(e, HC_EUSAGE, "load redrawn", 0, 0,
                   "of what? Say it with dimension: cpu, memory, disk, gpu or another that hosts have");
  if (!(o->scale > 0) && o->law != LAW_CONSTANT)
    return hc_fail(e, HC_EUSAGE, "load redrawn", 0, 0, "a law with scale 0 has no values; use law: constant");
  if (o->law == LAW_CONSTANT && o->scale > 1)
    return hc_fail(e, HC_EUSAGE, "load redrawn", 0, 0, "scale: a constant level is at most 1");
  return 0;
}

/* Laws that have nearly nothing below 1 would be drawn for ever. */
static hc_rc check_law(const hc_load *self, hc_error *e)
{
  hc_draws s = {.seed = self->seed, .purpose = HC_PURPOSE_TEST};
  int inside = 0;
  for (int i = 0; i < 400; i++) {
    inside += draw(&self->o, &s) <= 1;
    if (inside >= 4) return 0;
  }
  return hc_fail(e, HC_EUSAGE, "load redrawn", 0, 0,
                 "scale: %g makes nearly every level greater than 1; a level is a share of the host",
                 self->o.scale);
}

static void close_load(hc_load *self)
{
  const hc_allocator *a = self->allocator;
  hc_free(a, self->known, self->hosts * sizeof *self->known);
  hc_free(a, self, sizeof *self);
}

static hc_rc open_load(const hc_load_context *c, const void *opts, hc_load **out, uint32_t *dimension,
                       bool *takes, hc_error *e)
{
  const options *o = opts;
  hc_load *self;
  int d;
  hc_rc rc;
  TRY(check(o, e));
  d = hc_lexicon_dimension(c->lexicon, o->dimension, strlen(o->dimension));
  if (d < 0)
    return hc_fail(e, HC_ELIMIT, "load redrawn", 0, 0, "no room for another dimension than the %d there are",
                   HC_DIMENSIONS);
  self = hc_alloc(c->allocator, sizeof *self);
  if (!self) return HC_ENOMEM;
  *self = (hc_load){.allocator = c->allocator,
                    .o = *o,
                    .seed = c->seed,
                    .replication = c->replication,
                    .index = c->index,
                    .hosts = c->cell->units};
  self->block = o->rate > 0 ? HC_MAX((int64_t)(BLOCK_MEAN / o->rate * (double)HC_SECOND), 1) : 1;
  tabulate(self->most);
  self->known = hc_alloc(c->allocator, self->hosts * sizeof *self->known);
  rc = self->known ? check_law(self, e) : HC_ENOMEM;
  if (rc < 0) {
    close_load(self);
    return rc;
  }
  for (uint32_t h = 0; h < self->hosts; h++) {
    self->known[h].block = -1;
    self->known[h].drawn_index = UINT32_MAX;
  }
  *dimension = (uint32_t)d;
  *takes = o->takes;
  *out = self;
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(TEXT, options, dimension, NULL,
             "Dimension of which the load is a share on each host: cpu, memory, disk, gpu, or another. "
             "Required."),
    HC_PARAM(CHOICE, options, law, "gamma|weibull|lognormal|uniform|constant", "gamma",
             "Distribution of a level, under the condition that it is at most 1. uniform: from 0 to `scale`. "
             "constant: `scale`."),
    HC_PARAM(REAL, options, shape, "1", "1", 1e-3, 1e3, "Shape of gamma and weibull; sigma of lognormal."),
    HC_PARAM(REAL, options, scale, "1", "0.1", 0, 1e3,
             "Scale (not rate) of the distribution: without the condition the gamma distribution has the "
             "mean shape x scale; for lognormal the median."),
    HC_PARAM(REAL, options, rate, "1/s", "0.01", 0, 1e4,
             "Mean number of draws a second, at exponential intervals. 0: one level for the whole run."),
    HC_PARAM(BOOL, options, takes, "true",
             "Does the load reduce the room for tasks that want to start? A level x leaves them (1 - x) of "
             "what is free. false: only the criterion of eligibility and placements see the load."),
    {0}};

const hc_load_type hc_load_redrawn = {
    .component =
        {HC_COMPONENT_HEAD(hc_load_type, HC_KIND_LOAD), .name = "redrawn",
         .summary = "a random level on each host, drawn anew at exponential intervals",
         .detail =
             "Hosts, and processes, are independent of each other and of what the scheduler does: runs of "
             "one seed and replication see the same load. Load does not slow down or stop running tasks. A "
             "level above 1 is drawn again. The process is stationary from time 0.",
         .source = "Polezhaev, Study of parallel job scheduling algorithms using a simulator, 2010: local "
                   "load of nodes", .params = params,
         .options_size = sizeof(options)},
    .open = open_load,
    .level = level,
    .close = close_load,
};
